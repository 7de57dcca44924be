//! The options in `#[component(..)]` and `#[resource(..)]`.

use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::{DeriveInput, ExprPath, Result, Token};

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
    let mut seen: Vec<String> = Vec::new();
    for found in input
        .attrs
        .iter()
        .filter(|found| found.path().is_ident(attribute))
    {
        found.parse_nested_meta(|meta| {
            let name = meta.path.to_token_stream().to_string();
            if seen.contains(&name) {
                return Err(meta.error(format!("`{name}` is given twice; leave one out")));
            }
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
                options.hooks.push((hook, meta.value()?.parse()?));
                seen.push(name);
                return Ok(());
            } else {
                return Err(meta.error(format!("there is no option `{name}`; there are: {known}")));
            }
            if !meta.input.is_empty() && !meta.input.peek(Token![,]) {
                let message = format!("`{name}` takes no value: write `{name}` alone");
                return Err(meta.input.error(message));
            }
            seen.push(name);
            Ok(())
        })?;
    }
    Ok(options)
}

fn hook_of(meta: &ParseNestedMeta<'_>) -> Option<&'static str> {
    HOOKS.into_iter().find(|hook| meta.path.is_ident(hook))
}
