//! Style that a compiler does not check: `cargo tidy`, and part of `cargo test`.
//!
//! Every check is a function from text to a list of offenders, so that each is shown to fail on
//! text in memory (`checks/tests.rs`); here they run over the files of the repository. All
//! offenders are printed, each with file and line.
//!
//! Two lists are ratchets: an exception is entered with its present size, may shrink and never
//! grow, and must be taken out when it has become ordinary.

mod checks;
mod repository;
mod source;
mod workspace;

use std::fmt;

use checks::{FileLimit, FunctionLimit};
use repository::{Repository, TextFile};

/// Where `unsafe` may stand: files, or folders with a slash at the end.
const UNSAFE_ALLOWED: &[&str] = &[
    "math/src/simd/mod.rs",
    "ecs/src/archetype/",
    "ecs/src/bundle/",
    "ecs/src/storage/",
    "ecs/src/query/",
    "ecs/src/world/",
    "ecs/src/observer/",
    "ecs/src/relationship/",
    "ecs/src/system/",
    "ecs/src/commands/",
    "ecs/src/component/",
    "ecs/src/entity/",
    "ecs/src/sparse/",
    "ecs/src/resource/",
    "ecs/tests/behaviour/dynamic.rs",
    "ecs/tests/life/memory.rs",
    "ecs/tests/observers/joined.rs",
    "ecs/derive/src/",
    "engine/src/workers/",
];

/// Ratchet: files above the limit of lines, with their present length.
const LONG_FILES: &[FileLimit] = &[];

/// Ratchet: functions above the limit of lines, with their present length.
const LONG_FUNCTIONS: &[FunctionLimit] = &[];

/// The licences of everything we build with, as their manifests write them.
const LICENCES: &[&str] = &[
    "(MIT OR Apache-2.0) AND Unicode-3.0",
    "Apache-2.0",
    "Apache-2.0 OR MIT",
    "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
    "Apache-2.0/MIT",
    "BSD-2-Clause OR Apache-2.0 OR MIT",
    "MIT",
    "MIT OR Apache-2.0",
    "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
    "MIT OR Apache-2.0 OR Zlib",
    "MIT/Apache-2.0",
    "Unlicense OR MIT",
    "Unlicense/MIT",
    "Zlib",
    "Zlib OR Apache-2.0 OR MIT",
];

/// Folders of `examples/src` that are not models, so README need not name them.
const NOT_MODELS: &[&str] = &[];

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Offender {
    path: String,
    /// From 1; 0 for the file as a whole.
    line: usize,
    message: String,
}

impl fmt::Display for Offender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Fails with all offenders, one a line.
fn report(offenders: &[Offender]) {
    let lines: Vec<String> = offenders.iter().map(ToString::to_string).collect();
    assert!(
        lines.is_empty(),
        "\n{}\n{} offenders",
        lines.join("\n"),
        lines.len()
    );
}

/// Runs `check` over the files that `applies` to.
fn each(applies: fn(&TextFile) -> bool, check: impl Fn(&TextFile) -> Vec<Offender>) {
    let repository = Repository::open();
    let files = repository.files.iter().filter(|file| applies(file));
    report(&files.flat_map(check).collect::<Vec<_>>());
}

#[test]
fn the_repository_is_found() {
    let repository = Repository::open();
    let has = |path: &str| repository.file(path).is_some();
    assert!(
        has("Cargo.toml") && has("engine/tests/tidy/main.rs"),
        "wrong root"
    );
    assert!(
        !repository
            .files
            .iter()
            .any(|file| file.path.starts_with("target/"))
    );
}

#[test]
fn every_file_begins_with_what_it_is_for() {
    each(TextFile::is_rust, checks::head);
}

#[test]
fn unsafe_stands_only_where_it_is_allowed() {
    each(TextFile::is_rust, |file| {
        checks::unsafe_code(file, UNSAFE_ALLOWED)
    });
}

#[test]
fn files_are_short() {
    let repository = Repository::open();
    let rust: Vec<&TextFile> = repository
        .files
        .iter()
        .filter(|file| file.is_rust())
        .collect();
    report(&checks::file_lengths(&rust, LONG_FILES));
}

#[test]
fn functions_are_short() {
    let repository = Repository::open();
    let rust: Vec<&TextFile> = repository
        .files
        .iter()
        .filter(|file| file.is_rust())
        .collect();
    report(&checks::function_lengths(&rust, LONG_FUNCTIONS));
}

#[test]
fn lines_have_at_most_100_columns() {
    each(|file| file.is_rust() || file.is_markdown(), checks::columns);
}

#[test]
fn source_is_ascii() {
    each(TextFile::is_rust, checks::ascii);
}

#[test]
fn only_crate_roots_know_features() {
    each(TextFile::is_rust, checks::cfg_feature);
}

#[test]
fn nothing_is_left_to_do() {
    each(TextFile::is_hand_written, checks::left_to_do);
}

#[test]
fn no_path_of_a_machine_is_committed() {
    each(|_| true, checks::machine_paths);
}

#[test]
fn no_tabs_and_no_trailing_blanks() {
    each(TextFile::is_hand_written, checks::blanks);
}

#[test]
fn every_document_has_one_title() {
    each(TextFile::is_markdown, checks::one_title);
}

#[test]
fn tests_that_documents_name_exist() {
    let repository = Repository::open();
    let rust = repository.files.iter().filter(|file| file.is_rust());
    let functions = rust
        .flat_map(|file| checks::defined_functions(&file.text))
        .collect();
    let documents = repository.files.iter().filter(|file| file.is_markdown());
    report(
        &documents
            .flat_map(|file| checks::named_tests(file, &functions))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn subsystems_import_only_what_their_features_name() {
    let repository = Repository::open();
    let manifest = repository
        .file("engine/Cargo.toml")
        .expect("the engine has a manifest");
    let features = workspace::Features::parse(&manifest.text);
    each(TextFile::is_rust, |file| {
        workspace::imports(file, &features)
    });
}

#[test]
fn readme_names_every_example() {
    let repository = Repository::open();
    let readme = repository.file("README.md").map(|file| file.text.as_str());
    let names = workspace::example_names(&repository.paths(), NOT_MODELS);
    report(&workspace::named_in_readme(readme, &names));
}

#[test]
fn licences_are_those_we_know() {
    match repository::cargo_metadata() {
        Ok(metadata) => report(&workspace::licences(&metadata, LICENCES)),
        // CI fetches everything first and insists.
        Err(reason) if std::env::var_os("ORRERY_TIDY_STRICT").is_none() => {
            println!("skipped: cargo metadata is not available: {reason}");
        }
        Err(reason) => panic!("cargo metadata is not available: {reason}"),
    }
}
