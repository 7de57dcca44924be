//! Full runs of cases beside their references, as a table of ratios.

use super::{Case, Comparison, Plan, Samples, interleave, ratio};

/// The cases whose name contains one of the words; all of them where there is no word.
pub fn select<'a>(cases: &'a [Case], words: &'a [String]) -> impl Iterator<Item = &'a Case> + 'a {
    let wanted = move |case: &&Case| {
        words.is_empty() || words.iter().any(|word| case.name.contains(word.as_str()))
    };
    cases.iter().filter(wanted)
}

/// Runs cases at full size, each in turn with its reference, and prints a line for each.
///
/// Returns how many goals were met, and how many there are.
///
/// # Panics
/// When a case names a reference that is not among `all`, or gives an unexpected result.
pub fn compare(all: &[Case], words: &[String], plan: &Plan) -> (usize, usize) {
    let (mut met, mut goals) = (0, 0);
    println!(
        "{:<34} {:>10} {:>10} {:>7} {:>9} {:>7} {:>7}  goal",
        "case", "min", "median", "spread", "each", "/R min", "/R med"
    );
    for case in select(all, words) {
        let mut work = case.prepare_full();
        let (samples, against) = match case.reference {
            None => (interleave(&mut [work.as_mut()], plan).remove(0), None),
            Some(name) => {
                let reference = all.iter().find(|other| other.name == name);
                let reference = reference.unwrap_or_else(|| panic!("no case is named {name}"));
                let mut other = reference.prepare_full();
                let comparison = ratio(work.as_mut(), other.as_mut(), plan);
                (comparison.subject.clone(), Some(comparison))
            }
        };
        let reached = case.reached(&samples, against.as_ref());
        goals += usize::from(reached.is_some());
        met += usize::from(reached == Some(true));
        println!("{}", line(case, &samples, against.as_ref(), reached));
    }
    (met, goals)
}

fn line(
    case: &Case,
    samples: &Samples,
    against: Option<&Comparison>,
    reached: Option<bool>,
) -> String {
    let ratios = match against {
        Some(found) => format!(
            "{:>7.2} {:>7.2}",
            found.ratio_of_minima(),
            found.ratio_of_medians()
        ),
        None => format!("{:>7} {:>7}", "-", "-"),
    };
    let goal = case.goal;
    let reached = reached.map_or("", verdict);
    let rate = match case.bytes_each * case.full {
        0 => String::new(),
        bytes => format!("  ({:.1} GB/s)", bytes as f64 / samples.median()),
    };
    format!(
        "{:<34} {:>10} {:>10} {:>6.2}x {:>6.2} ns {ratios}  {goal}{reached}{rate}",
        case.name,
        duration(samples.min()),
        duration(samples.median()),
        samples.spread(),
        samples.median() / case.full as f64,
    )
}

/// How a table says whether a goal was met.
#[must_use]
pub fn verdict(met: bool) -> &'static str {
    if met { "  met" } else { "  MISSED" }
}

/// Nanoseconds in a unit that leaves at most four digits before the point.
#[must_use]
pub fn duration(nanos: f64) -> String {
    match nanos {
        n if n < 1e4 => format!("{n:.1} ns"),
        n if n < 1e7 => format!("{:.2} us", n / 1e3),
        n => format!("{:.2} ms", n / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn times_are_printed_in_a_fitting_unit() {
        assert_eq!(duration(12.34), "12.3 ns");
        assert_eq!(duration(12_340.0), "12.34 us");
        assert_eq!(duration(12_340_000.0), "12.34 ms");
    }

    #[test]
    fn words_pick_cases_by_parts_of_their_names() {
        let cases = cases::ecs();
        let names = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            select(&cases, &words).count()
        };
        assert_eq!(names(&[]), cases.len());
        assert_eq!(names(&["no such case"]), 0);
        assert!((1..cases.len()).contains(&names(&["fork", "hash"])));
    }
}
