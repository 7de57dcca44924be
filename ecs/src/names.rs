//! Names of types in messages.

/// The name of a type as its user writes it: without the paths of modules and without lifetimes
/// that are left out, so `Query<&mut Health>` for
/// `orrery_ecs::query::view::Query<'_, '_, &mut game::Health>`.
pub(crate) fn short(name: &str) -> String {
    let mut short = String::with_capacity(name.len());
    // Where the name begins that the next `::` makes a module of.
    let mut start = 0;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == ':' && letters.next_if_eq(&':').is_some() {
            short.truncate(start);
            continue;
        }
        short.push(letter);
        if !(letter.is_alphanumeric() || letter == '_') {
            start = short.len();
        }
    }
    short.replace("'_, ", "").replace("<'_>", "")
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn paths_and_lifetimes_are_left_out() {
        let cases = [
            (
                "orrery_ecs::query::view::Query<'_, '_, &mut game::Health>",
                "Query<&mut Health>",
            ),
            (
                "(&a::b::A, core::option::Option<a::Mut<'_, c::C_1>>)",
                "(&A, Option<Mut<C_1>>)",
            ),
            (
                "orrery_ecs::query::entity::shared::EntityRef<'_>",
                "EntityRef",
            ),
            ("&orrery_ecs::world::World", "&World"),
            ("[a::A; 3]", "[A; 3]"),
            ("()", "()"),
            ("main::Tag<7>", "Tag<7>"),
        ];
        for (name, expected) in cases {
            assert_eq!(short(name), expected);
        }
    }
}
