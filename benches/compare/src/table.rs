//! The rows of a comparison, and how they are measured and printed.

use orrery_benches::harness::{
    Case, Comparison, Plan, Samples, Work, duration, interleave, verdict,
};

/// Another library at the same work.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// Builds the work for a number of elements and a seed, as cases do.
    pub(crate) prepare: fn(usize, u64) -> Box<dyn Work>,
    /// How many times as fast ours should be at least; none where it is only shown.
    pub(crate) ahead: Option<f64>,
}

/// One of our cases, its reference and the peers.
pub(crate) struct Row {
    pub(crate) case: Case,
    pub(crate) reference: Option<Case>,
    pub(crate) peers: Vec<Peer>,
}

/// Counts goals, and those that were met.
#[derive(Default)]
struct Tally {
    met: usize,
    goals: usize,
}

impl Tally {
    /// Counts one, and says what the table shall say.
    fn count(&mut self, reached: Option<bool>) -> &'static str {
        self.goals += usize::from(reached.is_some());
        self.met += usize::from(reached == Some(true));
        reached.map_or("", verdict)
    }
}

/// Measures rows whose name contains one of the words, and prints them; all without a word.
///
/// Returns how many goals were met, and how many there are.
pub(crate) fn print(rows: &[Row], words: &[String]) -> (usize, usize) {
    let mut tally = Tally::default();
    for row in rows {
        let name = row.case.name;
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            print_row(row, &mut tally);
        }
    }
    (tally.met, tally.goals)
}

fn print_row(row: &Row, tally: &mut Tally) {
    let case = &row.case;
    println!(
        "\n{:<26} {:>11} {:>11} {:>10} {:>9} {:>9}  goal",
        case.name, "min", "median", "each", "min/ours", "med/ours"
    );
    let samples = measure(row);
    let (ours, others) = samples.split_first().expect("ours is always measured");
    let reference = row.reference.is_some().then(|| &others[0]);
    let against = reference.map(|reference| Comparison {
        subject: ours.clone(),
        reference: reference.clone(),
    });
    let said = tally.count(case.reached(ours, against.as_ref()));
    let rate = match case.bytes_each * case.full {
        0 => String::new(),
        bytes => format!("  ({:.1} GB/s)", bytes as f64 / ours.median()),
    };
    println!(
        "{}  {}{said}{rate}",
        columns("ours", ours, ours, case.full),
        case.goal
    );
    if let Some(reference) = reference {
        println!("{}", columns("R", reference, ours, case.full));
    }
    let peers = &others[usize::from(reference.is_some())..];
    for (peer, samples) in row.peers.iter().zip(peers) {
        let ahead = Comparison {
            subject: samples.clone(),
            reference: ours.clone(),
        };
        // As for ratios to R: the form that a disturbance on one side did not spoil.
        let times = ahead.ratio_of_minima().max(ahead.ratio_of_medians());
        let said = tally.count(peer.ahead.map(|least| times >= least));
        let goal = peer
            .ahead
            .map_or(String::from("-"), |least| format!(">= {least}x ours"));
        println!(
            "{}  {goal}{said}",
            columns(peer.name, samples, ours, case.full)
        );
    }
}

/// Readings of ours, of R where there is one, and of the peers, all taken in turn.
fn measure(row: &Row) -> Vec<Samples> {
    let case = &row.case;
    let mut works = vec![case.prepare_full()];
    works.extend(row.reference.iter().map(Case::prepare_full));
    works.extend(row.peers.iter().map(|peer| {
        let as_case = Case {
            name: peer.name,
            prepare: peer.prepare,
            ..*case
        };
        as_case.prepare_full()
    }));
    let mut works: Vec<&mut dyn Work> = works.iter_mut().map(|work| &mut **work as _).collect();
    interleave(&mut works, &Plan::full())
}

fn columns(name: &str, samples: &Samples, ours: &Samples, size: usize) -> String {
    format!(
        "  {name:<24} {:>11} {:>11} {:>7.2} ns {:>8.2}x {:>8.2}x",
        duration(samples.min()),
        duration(samples.median()),
        samples.median() / size as f64,
        samples.min() / ours.min(),
        samples.median() / ours.median(),
    )
}
