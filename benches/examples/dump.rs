//! Temporary.
fn main() {
    for case in [orrery_benches::cases::ecs(), orrery_benches::cases::math()].concat() {
        let full = orrery_benches::harness::Case { smoke: case.full, ..case };
        println!("{} {:#018x}", case.name, full.smoke_result());
    }
}
