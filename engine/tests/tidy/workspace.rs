//! The rules that look at the workspace as a whole: features, licences, README.

use std::collections::{BTreeMap, BTreeSet};

use crate::Offender;
use crate::repository::TextFile;
use crate::source::{code_only, inside, line_of, words};

/// The features of a manifest, each with the features it names.
pub(crate) struct Features(BTreeMap<String, BTreeSet<String>>);

impl Features {
    /// Reads the `[features]` table; entries of other packages (`dep:x`, `x/y`) are passed over.
    pub(crate) fn parse(manifest: &str) -> Self {
        let mut features = BTreeMap::new();
        let table = manifest
            .lines()
            .skip_while(|line| line.trim() != "[features]")
            .skip(1);
        let table: Vec<&str> = table
            .take_while(|line| !line.trim().starts_with('['))
            .collect();
        let table: String = table
            .iter()
            .map(|line| line.split('#').next().unwrap_or_default())
            .collect::<Vec<_>>()
            .join(" ");
        for entry in table.split(']') {
            let Some((name, list)) = entry.split_once('=') else {
                continue;
            };
            let named = list.split('"').skip(1).step_by(2).map(str::to_owned);
            let own = named
                .filter(|feature| !feature.contains([':', '/']))
                .collect();
            features.insert(name.trim().to_owned(), own);
        }
        Self(features)
    }

    /// Says whether `name` is a feature that stands for a subsystem.
    fn is_subsystem(&self, name: &str) -> bool {
        self.0.contains_key(name) && !["default", "full"].contains(&name)
    }

    /// Returns the features that come with `feature`, itself included.
    fn with(&self, feature: &str) -> BTreeSet<&str> {
        let (mut all, mut open) = (BTreeSet::new(), vec![feature]);
        while let Some(name) = open.pop() {
            if let Some((name, named)) = self.0.get_key_value(name)
                && all.insert(name.as_str())
            {
                open.extend(named.iter().map(String::as_str));
            }
        }
        all
    }
}

/// A subsystem of the engine imports only the subsystems that come with its feature.
pub(crate) fn imports(file: &TextFile, features: &Features) -> Vec<Offender> {
    let own = file
        .path
        .strip_prefix("engine/src/")
        .and_then(|path| path.split(['/', '.']).next());
    let Some(own) = own.filter(|own| features.is_subsystem(own)) else {
        return Vec::new();
    };
    let allowed = features.with(own);
    let code = code_only(&file.text);
    let mut offenders = Vec::new();
    for at in words(&code, "crate") {
        let Some(path) = code[at + "crate".len()..].strip_prefix("::") else {
            continue;
        };
        for name in first_names(path) {
            if features.is_subsystem(name) && !allowed.contains(name) {
                let message = format!("{own} uses {name}, which its feature does not name");
                offenders.push(Offender {
                    path: file.path.clone(),
                    line: line_of(&code, at),
                    message,
                });
            }
        }
    }
    offenders
}

/// Returns the first name of a path, or of each path of a group.
fn first_names(path: &str) -> Vec<&str> {
    let name_end = |path: &str| path.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = |path: &'_ str| name_end(path).unwrap_or(path.len());
    if !path.starts_with('{') {
        return vec![&path[..name(path)]];
    }
    let (group, mut depth, mut names, mut start) = (inside(path, 0), 0, Vec::new(), 0);
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = group[start..at].trim_start();
                names.push(&part[..name(part)]);
                start = (at + 1).min(group.len());
            }
            _ => {}
        }
    }
    names
}

/// Returns the names of the models and example programs among `paths`.
pub(crate) fn example_names<'a>(paths: &[&'a str], not_models: &[&str]) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for path in paths {
        if let Some(rest) = path.strip_prefix("examples/src/") {
            names.extend(rest.split_once('/').map(|(model, _)| model));
        } else if let Some((_, rest)) = path.split_once("/examples/") {
            let first = rest.split('/').next().unwrap_or_default();
            names.insert(first.strip_suffix(".rs").unwrap_or(first));
        }
    }
    names.retain(|name| !not_models.contains(name));
    names
}

/// README names every example.
pub(crate) fn named_in_readme(readme: Option<&str>, names: &BTreeSet<&str>) -> Vec<Offender> {
    let offender = |message| Offender {
        path: "README.md".to_owned(),
        line: 0,
        message,
    };
    let Some(readme) = readme else {
        return vec![offender("there is no README.md".to_owned())];
    };
    let missing = names
        .iter()
        .filter(|name| words(readme, name).next().is_none());
    missing
        .map(|name| offender(format!("the example {name} is not named")))
        .collect()
}

/// The licences in cargo's metadata are those of `known`, no more and no fewer.
pub(crate) fn licences(metadata: &str, known: &[&str]) -> Vec<Offender> {
    let offender = |message| Offender {
        path: "Cargo.lock".to_owned(),
        line: 0,
        message,
    };
    let mut offenders = Vec::new();
    let mut used = BTreeSet::new();
    for (at, key) in metadata.match_indices(r#""license":"#) {
        let name = metadata[..at].rfind(r#""name":""#).map_or("?", |name| {
            string_at(&metadata[name + r#""name":"#.len()..]).unwrap_or("?")
        });
        match string_at(&metadata[at + key.len()..]) {
            Some(licence) if known.contains(&licence) => {
                used.insert(licence);
            }
            Some(licence) => {
                offenders.push(offender(format!(
                    "{name} has the unknown licence {licence}"
                )));
            }
            None => offenders.push(offender(format!("{name} names no licence"))),
        }
    }
    let unused = known.iter().filter(|licence| !used.contains(**licence));
    offenders.extend(unused.map(|licence| offender(format!("{licence} is used no more"))));
    offenders
}

/// Returns the contents of the JSON string that `text` begins with; licences and names hold no
/// escapes.
fn string_at(text: &str) -> Option<&str> {
    let text = text.strip_prefix('"')?;
    Some(&text[..text.find('"')?])
}

#[cfg(test)]
mod tests {
    //! Every check fails on a workspace that breaks its rule, and on nothing else.

    use super::*;

    const MANIFEST: &str = "[package]\nname = \"x\"\n\n[features]\ndefault = [\"app\"]\n\
        # A comment with a ] in it.\napp = [\n    \"schedule\", # why\n    \"dep:lexopt\",\n]\n\
        schedule = [\"time\", \"other/thing\"]\ntime = []\nspatial = []\n\n\
        [dependencies]\na = [\"b\"]\n";

    fn messages(offenders: &[Offender]) -> Vec<String> {
        offenders.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn features_are_read_with_what_comes_with_them() {
        let features = Features::parse(MANIFEST);
        let names: Vec<_> = features.0.keys().map(String::as_str).collect();
        assert_eq!(names, ["app", "default", "schedule", "spatial", "time"]);
        assert_eq!(
            features.with("app").into_iter().collect::<Vec<_>>(),
            ["app", "schedule", "time"]
        );
    }

    #[test]
    fn imports_beyond_the_feature_are_found() {
        let text = "//! crate::app\nuse crate::time::Step;\nuse crate::{error, spatial::{app, X}, \
                    app};\nlet x = crate::app::f();\npub(crate) fn f() {}\n";
        let check = |path: &str| {
            let file = TextFile {
                path: path.to_owned(),
                text: text.to_owned(),
            };
            imports(&file, &Features::parse(MANIFEST))
        };
        let found = messages(&check("engine/src/schedule/mod.rs"));
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("engine/src/schedule/mod.rs:3: schedule uses spatial"));
        assert!(found[1].contains(":3: schedule uses app"));
        assert!(found[2].contains(":4: schedule uses app"));
        assert_eq!(check("engine/src/schedule.rs").len(), 3);
        assert_eq!(
            check("engine/src/app/mod.rs").len(),
            1,
            "the spatial one alone"
        );
        assert_eq!(check("engine/src/lib.rs").len(), 0);
        assert_eq!(check("ecs/src/schedule/mod.rs").len(), 0);
    }

    #[test]
    fn examples_that_readme_does_not_name_are_found() {
        let paths = [
            "examples/src/main.rs",
            "examples/src/melt/mod.rs",
            "examples/src/common/mod.rs",
            "engine/examples/hello.rs",
            "math/examples/big/main.rs",
        ];
        let names = example_names(&paths, &["common"]);
        assert_eq!(
            names.iter().copied().collect::<Vec<_>>(),
            ["big", "hello", "melt"]
        );
        let found = messages(&named_in_readme(Some("run melt; hellos and big"), &names));
        assert_eq!(found, ["README.md:0: the example hello is not named"]);
        assert_eq!(named_in_readme(None, &names).len(), 1);
    }

    #[test]
    fn licences_unknown_missing_and_used_no_more_are_found() {
        let metadata = r#"{"packages":[{"name":"a","id":"1","license":"MIT","deps":[{"name":"z"}]},
            {"name":"b","id":"2","license":"GPL-3.0","license_file":null},
            {"name":"c","id":"3","license":null}]}"#;
        assert_eq!(
            messages(&licences(metadata, &["MIT", "Zlib"])),
            [
                "Cargo.lock:0: b has the unknown licence GPL-3.0",
                "Cargo.lock:0: c names no licence",
                "Cargo.lock:0: Zlib is used no more",
            ]
        );
    }
}
