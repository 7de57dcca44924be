//! Where the code of a derive finds the ECS: `orrery_ecs`, or `orrery::ecs` for users who depend
//! on the engine alone.

use std::path::Path;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;

/// Turns `orrery_ecs` into `orrery::ecs` in generated code where the user's package does not name
/// `orrery-ecs` in its manifest.
pub(crate) fn rebase(tokens: TokenStream) -> TokenStream {
    if depends_on_ecs() {
        tokens
    } else {
        replaced(tokens)
    }
}

fn depends_on_ecs() -> bool {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .and_then(|folder| std::fs::read_to_string(Path::new(&folder).join("Cargo.toml")).ok());
    // Built by something that is not cargo: the plain name is the best guess.
    manifest.is_none_or(|manifest| names_ecs(&manifest))
}

/// Whether a manifest is the ECS's own, or has it as a dependency in any table or form.
fn names_ecs(manifest: &str) -> bool {
    let name = "orrery-ecs";
    manifest.lines().map(str::trim).any(|line| {
        let key = line
            .split(['=', '.', ' '])
            .next()
            .unwrap_or("")
            .trim_matches('"');
        let table = line.trim_start_matches('[').trim_end_matches(']');
        key == name || table.ends_with(&format!("dependencies.{name}")) || is_own_name(line, name)
    })
}

fn is_own_name(line: &str, name: &str) -> bool {
    let value = line
        .strip_prefix("name")
        .map(|rest| rest.trim_start_matches([' ', '=']));
    value.is_some_and(|value| value.trim_matches('"') == name)
}

fn replaced(tokens: TokenStream) -> TokenStream {
    let each = tokens.into_iter().flat_map(|token| match token {
        TokenTree::Ident(name) if name == "orrery_ecs" => {
            let [engine, ecs] = ["orrery", "ecs"].map(|part| Ident::new(part, Span::call_site()));
            quote!(#engine::#ecs)
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), replaced(group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        other => other.into(),
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_the_ecs_in_any_form() {
        for manifest in [
            "[dependencies]\norrery-ecs = \"1\"",
            "[dependencies]\norrery-ecs = { workspace = true }",
            "[dev-dependencies]\n  orrery-ecs.workspace = true",
            "[dependencies.orrery-ecs]\nversion = \"1\"",
            "[package]\nname = \"orrery-ecs\"",
        ] {
            assert!(names_ecs(manifest), "{manifest}");
        }
    }

    #[test]
    fn a_manifest_with_the_engine_alone_does_not_name_the_ecs() {
        let manifest = "[package]\nname = \"game\"\n[dependencies]\norrery = \"1\"\n# orrery-ecs\n";
        assert!(!names_ecs(manifest));
        assert!(!names_ecs("[dependencies]\norrery-ecs-derive = \"1\""));
    }

    #[test]
    fn names_are_replaced_inside_groups_too() {
        let before = quote!(impl ::orrery_ecs::Component for A { fn f() { ::orrery_ecs::g() } });
        let after = quote!(impl ::orrery::ecs::Component for A { fn f() { ::orrery::ecs::g() } });
        assert_eq!(replaced(before).to_string(), after.to_string());
    }
}
