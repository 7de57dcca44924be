//! The options in `#[component(..)]` and `#[resource(..)]`.

use syn::{DeriveInput, Result};

/// What a user chose for one type.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) split: bool,
    pub(crate) track: bool,
    pub(crate) sparse: bool,
    pub(crate) no_clone: bool,
    pub(crate) not_state: bool,
}

/// Reads the options under one attribute name; an unknown one is an error that lists them.
pub(crate) fn options(input: &DeriveInput, attribute: &str, component: bool) -> Result<Options> {
    let mut options = Options::default();
    let known = if component {
        "split, track, sparse, no_clone, not_state"
    } else {
        "no_clone, not_state"
    };
    for found in input
        .attrs
        .iter()
        .filter(|found| found.path().is_ident(attribute))
    {
        found.parse_nested_meta(|meta| {
            if component && meta.path.is_ident("split") {
                options.split = true;
            } else if component && meta.path.is_ident("track") {
                options.track = true;
            } else if component && meta.path.is_ident("sparse") {
                options.sparse = true;
            } else if meta.path.is_ident("no_clone") {
                options.no_clone = true;
            } else if meta.path.is_ident("not_state") {
                options.not_state = true;
            } else {
                return Err(meta.error(format!("unknown option; there are: {known}")));
            }
            Ok(())
        })?;
    }
    Ok(options)
}
