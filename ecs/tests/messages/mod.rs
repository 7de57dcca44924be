//! What a user is told about a mistake: by the compiler (`compile_fail`, each with its `.stderr`),
//! or where types cannot tell, by an error when the program runs (`run_time`).

mod run_time;

/// The release of the compiler whose words stand in the `.stderr` files: that of the workspace.
const RECORDED_WITH: &str = env!("CARGO_PKG_RUST_VERSION");

/// Whether a compiler is of that release, by what `rustc -V` prints.
fn speaks_as_recorded(version: &str) -> bool {
    let number = version.split_whitespace().nth(1);
    let patch = number.and_then(|number| number.strip_prefix(RECORDED_WITH)?.strip_prefix('.'));
    patch.is_some_and(|patch| patch.parse::<u32>().is_ok())
}

/// Which compiler cargo runs.
fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("-V").output();
    let output = output.expect("cargo found the compiler a moment ago");
    String::from_utf8(output.stdout).expect("a version is plain text")
}

/// Each file of `compile_fail` is compiled as a program of its own, and what the compiler says of
/// it compared with the file beside it. `TRYBUILD=overwrite` writes those files anew.
///
/// Patch releases do not change the compiler's words, other releases do, so with one of those there
/// is nothing to compare. Nor is there under a sanitizer: nothing of ours runs.
#[test]
fn mistakes_do_not_compile_and_the_compiler_says_what_to_do() {
    let version = compiler();
    if cfg!(orrery_asan) || !speaks_as_recorded(&version) {
        println!("skipped: the messages are those of rustc {RECORDED_WITH}, this is {version}");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
    // In one go, so that what all of them need is built once.
    cases.pass("tests/compile_pass/*.rs");
}

#[test]
fn every_patch_of_the_recorded_release_is_compared_and_no_other_compiler() {
    let of = |number: String| speaks_as_recorded(&format!("rustc {number} (59807616e 2026-04-14)"));
    assert!(of(format!("{RECORDED_WITH}.0")) && of(format!("{RECORDED_WITH}.12")));
    let others = [
        format!("{RECORDED_WITH}.0-nightly"),
        format!("{RECORDED_WITH}5.0"),
    ];
    assert!(!others.into_iter().any(of) && !of(String::from("1.2.0")));
    assert!(!speaks_as_recorded(""));
}
