//! The options in `#[component(..)]` and `#[resource(..)]`.

use syn::meta::ParseNestedMeta;
use syn::{DeriveInput, ExprPath, Result};

/// What a user chose for one type.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) split: bool,
    pub(crate) track: bool,
    pub(crate) sparse: bool,
    pub(crate) immutable: bool,
    pub(crate) no_clone: bool,
    pub(crate) not_state: bool,
    /// Functions by the field of `Hooks` that they go into.
    pub(crate) hooks: Vec<(&'static str, ExprPath)>,
}

/// The hooks that a component can have.
pub(crate) const HOOKS: [&str; 4] = ["on_add", "on_insert", "on_remove", "on_despawn"];

/// Reads the options under one attribute name; an unknown one is an error that lists them.
pub(crate) fn options(input: &DeriveInput, attribute: &str, component: bool) -> Result<Options> {
    let mut options = Options::default();
    let known = if component {
        "split, track, sparse, immutable, no_clone, not_state, on_add = path, on_insert = path, \
         on_remove = path, on_despawn = path"
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
            } else if component && meta.path.is_ident("immutable") {
                options.immutable = true;
            } else if meta.path.is_ident("no_clone") {
                options.no_clone = true;
            } else if meta.path.is_ident("not_state") {
                options.not_state = true;
            } else if component && let Some(hook) = hook_of(&meta) {
                if options.hooks.iter().any(|(other, _)| *other == hook) {
                    return Err(meta.error(format!("{hook} is given twice; a type has one")));
                }
                options.hooks.push((hook, meta.value()?.parse()?));
            } else {
                return Err(meta.error(format!("unknown option; there are: {known}")));
            }
            Ok(())
        })?;
    }
    Ok(options)
}

fn hook_of(meta: &ParseNestedMeta<'_>) -> Option<&'static str> {
    HOOKS.into_iter().find(|hook| meta.path.is_ident(hook))
}
