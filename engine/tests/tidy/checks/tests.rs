//! Every check fails on text that breaks its rule, at the right line, and on nothing else.

use super::*;

fn file(path: &str, text: &str) -> TextFile {
    TextFile {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

fn lines(offenders: &[Offender]) -> Vec<usize> {
    offenders.iter().map(|offender| offender.line).collect()
}

#[test]
fn a_file_without_a_head_is_found() {
    assert_eq!(
        lines(&head(&file("a.rs", "use std::fmt;\n//! Late.\n"))),
        [1]
    );
    assert_eq!(lines(&head(&file("a.rs", ""))), [1]);
    assert_eq!(lines(&head(&file("a.rs", "//!\n"))), [1]);
    assert_eq!(lines(&head(&file("a.rs", "//! Good.\n"))), []);
}

#[test]
fn unsafe_outside_the_list_is_found() {
    let text = "//! unsafe in prose.\n#![deny(unsafe_code)]\nlet s = \"unsafe\";\nunsafe { f() }\n";
    let allowed = ["b/", "c/d.rs"];
    assert_eq!(lines(&unsafe_code(&file("a.rs", text), &allowed)), [4]);
    assert_eq!(lines(&unsafe_code(&file("c/d.rs.rs", text), &allowed)), [4]);
    assert_eq!(lines(&unsafe_code(&file("b/x/y.rs", text), &allowed)), []);
    assert_eq!(lines(&unsafe_code(&file("c/d.rs", text), &allowed)), []);
}

#[test]
fn long_files_are_found_and_the_ratchet_only_tightens() {
    let long = |path: &str, count: usize| file(path, &"//! x\n".repeat(count));
    let judge = |count: usize, entered: usize| {
        let ratchet = [FileLimit {
            path: "a.rs",
            line_count: entered,
        }];
        let offenders = file_lengths(&[&long("a.rs", count)], &ratchet);
        offenders
            .into_iter()
            .map(|offender| offender.message)
            .collect::<Vec<_>>()
            .join(";")
    };
    assert!(file_lengths(&[&long("a.rs", 800)], &[]).is_empty());
    assert!(
        file_lengths(&[&long("a.rs", 801)], &[])[0]
            .message
            .contains("801 lines")
    );
    assert_eq!(judge(900, 900), "");
    assert!(judge(901, 900).contains("only shrink"));
    assert!(judge(899, 900).contains("lower its entry"));
    assert!(judge(800, 900).contains("take it off"));
    let gone = [FileLimit {
        path: "gone.rs",
        line_count: 900,
    }];
    assert!(file_lengths(&[], &gone)[0].message.contains("is gone"));
}

#[test]
fn long_functions_are_found_and_the_ratchet_only_tightens() {
    let long = |count: usize| {
        file(
            "a.rs",
            &format!(
                "//! x\n\nfn f() {{\n{}}}\nfn g() {{}}\n",
                "    1;\n".repeat(count - 2)
            ),
        )
    };
    assert!(function_lengths(&[&long(70)], &[]).is_empty());
    assert_eq!(lines(&function_lengths(&[&long(71)], &[])), [3]);
    let entry = |name, line_count| {
        [FunctionLimit {
            path: "a.rs",
            name,
            line_count,
        }]
    };
    assert!(function_lengths(&[&long(90)], &entry("f", 90)).is_empty());
    assert!(
        function_lengths(&[&long(91)], &entry("f", 90))[0]
            .message
            .contains("only shrink")
    );
    assert!(
        function_lengths(&[&long(80)], &entry("f", 90))[0]
            .message
            .contains("lower")
    );
    assert!(
        function_lengths(&[&long(60)], &entry("f", 90))[0]
            .message
            .contains("take it off")
    );
    assert!(
        function_lengths(&[&long(60)], &entry("h", 90))[0]
            .message
            .contains("gone")
    );
}

#[test]
fn wide_lines_are_found_but_not_tables_and_links() {
    let wide = "x ".repeat(50) + "x";
    let fits = "x ".repeat(50);
    assert_eq!(
        lines(&columns(&file("a.rs", &format!("{fits}\n{wide}\n")))),
        [2]
    );
    assert_eq!(
        lines(&columns(&file("a.md", &format!("{wide}\n| {wide}\n")))),
        [1]
    );
    let link = format!("see https://example.org/{}", "x".repeat(90));
    assert_eq!(lines(&columns(&file("a.md", &link))), []);
    assert_eq!(lines(&columns(&file("a.rs", &link))), [1]);
}

#[test]
fn other_characters_than_ascii_are_found() {
    assert_eq!(lines(&ascii(&file("a.rs", "//! a\n// \u{b5}s\n"))), [2]);
    assert!(ascii(&file("a.rs", "\u{b5}"))[0].message.contains("U+00B5"));
}

#[test]
fn features_outside_the_root_are_found() {
    let text = "//! cfg(feature = \"a\")\n#[cfg(target_feature = \"b\")]\n#[cfg(test)]\n\
                #[cfg(feature = \"c\")]\n#[cfg(any(\n    test,\n    not(feature = \"d\")\n))]\n\
                if cfg!(feature = \"e\") {}\n#[cfg_attr(feature = \"f\", inline)]\n";
    let mut found = lines(&cfg_feature(&file("a/src/b.rs", text)));
    found.sort_unstable();
    assert_eq!(found, [4, 5, 9, 10]);
    assert_eq!(lines(&cfg_feature(&file("a/src/lib.rs", text))), []);
}

#[test]
fn things_left_to_do_are_found() {
    let text = format!(
        "//! a\n// {}: b\n{}\nMASTODON\n",
        LEFT_TO_DO[0], LEFT_TO_DO[1]
    );
    assert_eq!(lines(&left_to_do(&file("a.rs", &text))), [2, 3]);
}

#[test]
fn paths_of_a_machine_are_found() {
    let [home, root, work, users] = MACHINE_FOLDERS;
    let text = format!(
        "{home}me\n\"{root}x\"\n({work}y)\n{users}z\nhttps://a.org{home}b\n\
         ..{work}c\n$HOME{root}d\n"
    );
    assert_eq!(lines(&machine_paths(&file("a.txt", &text))), [1, 2, 3, 4]);
}

#[test]
fn tabs_and_trailing_blanks_are_found() {
    assert_eq!(
        lines(&blanks(&file("a.rs", "a\n\tb\nc \nd\r\ne\n"))),
        [2, 3, 4]
    );
}

#[test]
fn documents_without_or_with_two_titles_are_found() {
    assert_eq!(
        lines(&one_title(&file(
            "a.md",
            "# A\n\n## B\n```\n# comment\n```\n"
        ))),
        []
    );
    assert_eq!(lines(&one_title(&file("a.md", "text\n"))), [1]);
    assert_eq!(lines(&one_title(&file("a.md", "# A\n# B\n# C\n"))), [2, 3]);
}

#[test]
fn tests_that_do_not_exist_are_found_in_documents() {
    let source = "fn a_test_that_is_there() {}\n    pub fn short() {}\n";
    let functions: BTreeSet<&str> = defined_functions(source).collect();
    assert_eq!(functions, BTreeSet::from(["a_test_that_is_there", "short"]));
    let text = "`a_test_that_is_there`, `some::a_test_that_is_there`, `gone`, not_in_code_at_all\n\
                `Not_A_Name_Of_Tests` `a_folder/with_a_file_in_it.rs`\n\
                | `short` | `gone::a_test_that_was_there` |\n";
    let found = named_tests(&file("a.md", text), &functions);
    assert_eq!(lines(&found), [3]);
    assert!(found[0].message.contains("a_test_that_was_there"));
}
