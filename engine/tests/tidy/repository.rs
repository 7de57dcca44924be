//! Which files there are: by git where it knows, else by walking the tree.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files above this are data, and searching them would take the time of the test.
const TEXT_BYTES_MAX: u64 = 4 << 20;

/// A file of the repository that is text.
pub(crate) struct TextFile {
    /// Relative to the root, with slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.path.ends_with(".md")
    }

    /// Says whether people write this file, unlike data and lock files.
    pub(crate) fn is_hand_written(&self) -> bool {
        let extensions = [".rs", ".md", ".toml", ".sh", ".py", ".yml", ".yaml"];
        extensions
            .iter()
            .any(|extension| self.path.ends_with(extension))
            || self.path.starts_with(".ci/")
    }
}

/// All text files, by path.
pub(crate) struct Repository {
    pub(crate) files: Vec<TextFile>,
}

impl Repository {
    pub(crate) fn open() -> Self {
        let root = root();
        let mut paths = git_files(&root).unwrap_or_else(|| {
            let mut paths = Vec::new();
            walk(&root, &root, &mut paths);
            paths
        });
        paths.sort_unstable();
        paths.dedup();
        let files = paths
            .into_iter()
            .filter_map(|path| read(&root, path))
            .collect();
        Self { files }
    }

    pub(crate) fn file(&self, path: &str) -> Option<&TextFile> {
        self.files.iter().find(|file| file.path == path)
    }

    pub(crate) fn paths(&self) -> Vec<&str> {
        self.files.iter().map(|file| file.path.as_str()).collect()
    }
}

/// Returns the folder of the workspace.
fn root() -> PathBuf {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR"));
    engine
        .parent()
        .expect("the engine is a folder of the workspace")
        .to_path_buf()
}

/// Returns the files that are committed or could be; `None` without git or outside a checkout.
fn git_files(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let names = String::from_utf8(output.stdout).ok()?;
    Some(
        names
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}

/// Collects the files below `folder`, without the build's and git's own.
fn walk(root: &Path, folder: &Path, paths: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let skipped = ["target", ".git"]
            .iter()
            .any(|name| entry.file_name() == OsStr::new(name));
        if is_link || skipped {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, paths);
        } else if let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) {
            paths.push(name.replace('\\', "/"));
        }
    }
}

/// Reads a file if it is text; one that git knows and the tree has lost is passed over.
fn read(root: &Path, path: String) -> Option<TextFile> {
    let full = root.join(&path);
    let is_small =
        fs::metadata(&full).is_ok_and(|data| data.is_file() && data.len() <= TEXT_BYTES_MAX);
    let text = is_small.then(|| fs::read_to_string(&full).ok()).flatten()?;
    Some(TextFile { path, text })
}

/// Returns what cargo says about all packages, without the network and without changing the lock.
pub(crate) fn cargo_metadata() -> Result<String, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        String::from_utf8(output.stdout).map_err(|error| error.to_string())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

#[test]
fn the_walk_finds_what_git_finds() {
    let root = root();
    let Some(tracked) = git_files(&root) else {
        println!("skipped: no git");
        return;
    };
    let mut walked = Vec::new();
    walk(&root, &root, &mut walked);
    let missing = |path: &&String| root.join(path).is_file() && !walked.contains(path);
    assert_eq!(
        tracked.iter().filter(missing).collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
}
