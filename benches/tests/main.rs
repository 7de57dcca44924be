//! Every case at its smoke size: what it does is what it says, on every path.

use orrery_benches::cases::all;
use orrery_benches::harness::{Case, Plan, ratio};

#[test]
fn every_case_gives_its_expected_result_at_smoke_size() {
    let mut wrong = Vec::new();
    for case in all() {
        let (found, expected) = (case.smoke_result(), case.expected.smoke);
        if found != expected {
            wrong.push(format!(
                "{}: {found:#018x}, expected {expected:#018x}",
                case.name
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn names_are_distinct_and_references_exist() {
    let cases = all();
    for (index, case) in cases.iter().enumerate() {
        let same = |other: &Case| other.name == case.name;
        assert!(
            !cases[..index].iter().any(same),
            "{} stands there twice",
            case.name
        );
        if let Some(reference) = case.reference {
            let found = cases.iter().find(|other| other.name == reference);
            let found = found.unwrap_or_else(|| panic!("{} names {reference}", case.name));
            assert_eq!(
                found.full, case.full,
                "{} and its reference differ in size",
                case.name
            );
        }
    }
}

#[test]
fn every_case_can_be_measured_again_and_again() {
    for case in all() {
        let mut work = (case.prepare)(case.smoke, case.seed);
        let mut other = (case.prepare)(case.smoke, case.seed);
        let found = ratio(work.as_mut(), other.as_mut(), &Plan::smoke());
        assert!(found.ratio_of_minima().is_finite(), "{}", case.name);
    }
}
