//! The rows of a comparison, how they are measured and when their goals are met.

use orrery_benches::cases;
use orrery_benches::harness::{
    Bandwidth, Case, Comparison, Plan, Samples, Work, in_place_bandwidth, interleave,
};

/// Builds a work for a number of elements and a seed, as cases do.
pub(crate) type Prepare = fn(usize, u64) -> Box<dyn Work>;

/// Another library, or another way of ours, at the same work.
pub(crate) struct Peer {
    /// The library, and behind a blank its way.
    pub(crate) name: &'static str,
    pub(crate) prepare: Prepare,
    /// How many times as fast ours should be at least; none where it is only shown.
    pub(crate) ahead: Option<f64>,
}

/// One of our cases, its reference and the peers.
pub(crate) struct Row {
    pub(crate) case: Case,
    pub(crate) reference: Option<Case>,
    pub(crate) peers: Vec<Peer>,
    /// Figures of engines that are not in this process, as they were once measured.
    pub(crate) recorded: Option<&'static str>,
    /// Bytes that a bandwidth probe beside the row walks over, where memory limits it.
    pub(crate) probe: Option<usize>,
}

impl Row {
    pub(crate) fn peers(self, peers: impl Into<Vec<Peer>>) -> Self {
        Self {
            peers: peers.into(),
            ..self
        }
    }

    pub(crate) fn recorded(self, recorded: &'static str) -> Self {
        Self {
            recorded: Some(recorded),
            ..self
        }
    }

    pub(crate) fn probe(self, probe: Option<usize>) -> Self {
        Self { probe, ..self }
    }

    /// What the row should reach, in words.
    pub(crate) fn goals(&self) -> Vec<String> {
        let own = Some(self.case.goal.to_string()).filter(|goal| goal != "-");
        let ahead = |peer: &Peer| {
            let least = peer.ahead?;
            Some(format!(">= {least}x {}", peer.name))
        };
        own.into_iter()
            .chain(self.peers.iter().filter_map(ahead))
            .collect()
    }

    /// Measures ours, R where there is one, and the peers, all taken in turn.
    pub(crate) fn measure(&self) -> Measured<'_> {
        const PASSES: usize = 30;
        let probe = self.probe.map(|size| in_place_bandwidth(size, PASSES));
        let case = &self.case;
        let mut works = vec![case.prepare_full()];
        works.extend(self.reference.iter().map(Case::prepare_full));
        works.extend(self.peers.iter().map(|peer| {
            let as_case = Case {
                name: peer.name,
                prepare: peer.prepare,
                ..*case
            };
            as_case.prepare_full()
        }));
        let mut works: Vec<&mut dyn Work> = works.iter_mut().map(|work| &mut **work as _).collect();
        let mut samples = interleave(&mut works, &Plan::full()).into_iter();
        Measured {
            row: self,
            ours: samples.next().expect("ours is always measured"),
            reference: self.reference.is_some().then(|| samples.next()).flatten(),
            peers: samples.collect(),
            probe,
        }
    }
}

/// A row with its readings.
pub(crate) struct Measured<'a> {
    pub(crate) row: &'a Row,
    pub(crate) ours: Samples,
    pub(crate) reference: Option<Samples>,
    pub(crate) peers: Vec<Samples>,
    pub(crate) probe: Option<Bandwidth>,
}

impl Measured<'_> {
    /// Which goals were met, in the order of [`Row::goals`]; `None` for one that did not apply.
    pub(crate) fn verdicts(&self) -> Vec<Option<bool>> {
        let against = self.reference.as_ref().map(|reference| Comparison {
            subject: self.ours.clone(),
            reference: reference.clone(),
        });
        let case = &self.row.case;
        let own = case.reached(&self.ours, against.as_ref());
        let has_own = case.goal != orrery_benches::harness::Goal::Open;
        let peers = self.row.peers.iter().zip(&self.peers);
        let ahead = peers.filter_map(|(peer, samples)| {
            let least = peer.ahead?;
            // As for ratios to R: the form that a disturbance on one side did not spoil.
            let ours = Comparison {
                subject: self.ours.clone(),
                reference: samples.clone(),
            };
            Some(Some(1.0 / ours.better_ratio() >= least))
        });
        has_own.then_some(own).into_iter().chain(ahead).collect()
    }

    /// Whether all goals that applied were met; `None` if none applied.
    pub(crate) fn met(&self) -> Option<bool> {
        let verdicts = self.verdicts();
        let mut applied = verdicts.iter().flatten().peekable();
        applied.peek()?;
        Some(applied.all(|&met| met))
    }
}

/// Counts rows, and those whose goals were met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) met: usize,
    pub(crate) rows: usize,
}

impl Tally {
    pub(crate) fn count(&mut self, met: Option<bool>) {
        self.rows += usize::from(met.is_some());
        self.met += usize::from(met == Some(true));
    }
}

/// A peer of a row, which ours should be so many times ahead of.
pub(crate) fn peer(name: &'static str, prepare: Prepare, ahead: Option<f64>) -> Peer {
    Peer {
        name,
        prepare,
        ahead,
    }
}

/// Another case of ours at the same work, only shown.
pub(crate) fn shown(name: &'static str, case: &str) -> Peer {
    peer(name, find(case).prepare, None)
}

/// The row of a case of ours.
pub(crate) fn row(name: &str) -> Row {
    let case = find(name);
    Row {
        case,
        reference: case.reference.map(find),
        peers: Vec::new(),
        recorded: None,
        probe: None,
    }
}

fn find(name: &str) -> Case {
    let mut cases = cases::all().into_iter();
    let found = cases.find(|case| case.name == name);
    found.unwrap_or_else(|| panic!("no case is named {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use orrery_benches::harness::Goal;

    fn row(goal: Goal, ahead: Option<f64>) -> Row {
        let case = Case {
            goal,
            full: 1,
            ..cases::ecs()[0]
        };
        let peer = Peer {
            name: "peer",
            prepare: case.prepare,
            ahead,
        };
        Row {
            case,
            reference: None,
            peers: vec![peer],
            recorded: None,
            probe: None,
        }
    }

    fn met(row: &Row, ours: f64, peer: f64) -> Option<bool> {
        let measured = Measured {
            row,
            ours: Samples::new(vec![ours]),
            reference: None,
            peers: vec![Samples::new(vec![peer])],
            probe: None,
        };
        assert_eq!(measured.verdicts().len(), row.goals().len());
        measured.met()
    }

    #[test]
    fn a_row_is_met_when_all_its_goals_are() {
        let both = row(Goal::NanosMax(10.0), Some(2.0));
        assert_eq!(both.goals(), ["<= 10 ns", ">= 2x peer"]);
        assert_eq!(met(&both, 10.0, 20.0), Some(true));
        assert_eq!(met(&both, 10.0, 19.0), Some(false));
        assert_eq!(met(&both, 11.0, 40.0), Some(false));
    }

    #[test]
    fn a_row_whose_goal_does_not_apply_is_not_counted() {
        let mut tally = Tally::default();
        tally.count(met(&row(Goal::Open, None), 1.0, 1.0));
        tally.count(met(&row(Goal::RatioMax(1.0), None), 1.0, 1.0));
        assert_eq!(tally, Tally::default());
        tally.count(met(&row(Goal::NanosMax(1.0), None), 2.0, 1.0));
        tally.count(met(&row(Goal::NanosMax(1.0), None), 1.0, 1.0));
        assert_eq!(tally, Tally { met: 1, rows: 2 });
    }
}
