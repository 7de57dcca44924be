//! `#[derive(SystemParam)]`.
//!
//! What the fields keep between runs lies in a type of its own. As a tuple it would show the types
//! of all fields, and a public parameter may well hold a private component.
//!
//! That type names the fields with `'static` for `'w` and `'s`: what a parameter keeps does not
//! depend on the lifetimes of a run. Only `get` names them with those of its run, which it calls by
//! names that no struct has.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    DeriveInput, Error, GenericParam, Generics, Index, Lifetime, Result, Type, WherePredicate,
};

use crate::fields::of_struct;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let (name, fields) = (&input.ident, of_struct(input, "a system parameter")?);
    let arguments = arguments(input)?;
    let (implementation, types, conditions) = input.generics.split_for_impl();
    let members = fields.iter().map(|field| &field.member).collect::<Vec<_>>();
    let kinds = fields
        .iter()
        .map(|field| as_param(field.ty, always))
        .collect::<Vec<_>>();
    let in_run = fields.iter().map(|field| as_param(field.ty, of_run));
    let numbers = (0..fields.len()).map(Index::from).collect::<Vec<_>>();
    let (state, definition) = state(name, &input.generics, &kinds);
    let kept = without_lifetimes_of(&input.generics);
    let (_, kept, _) = kept.split_for_impl();
    let begins = begins(&state, &kinds, &numbers);
    let ends = ends(&kinds, &numbers);
    Ok(quote! {
        const _: () = {
            #definition

            // SAFETY: the fields keep the contract; `init` checks them against each other.
            #[allow(unused_variables)]
            unsafe impl #implementation ::orrery_ecs::SystemParam for #name #types #conditions {
                type State = #state #kept;
                type Item<'__w, '__s> = #name<#(#arguments),*>;
                const SEND: bool = true #(&& #kinds::SEND)*;
                const SEES: bool = false #(|| #kinds::SEES)*;
                const DEFERS: bool = false #(|| #kinds::DEFERS)*;
                const HOLDS: bool = false #(|| #kinds::HOLDS)*;

                #begins

                unsafe fn get<'__w, '__s>(
                    state: &'__s mut Self::State,
                    world: &'__w ::orrery_ecs::World,
                    ticks: ::orrery_ecs::Ticks,
                ) -> Self::Item<'__w, '__s> {
                    #name {
                        // SAFETY: passed on from the caller, field by field.
                        #(#members: unsafe {
                            #in_run::get(&mut state.#numbers, world, ticks)
                        },)*
                    }
                }

                #ends
            }
        };
    })
}

/// The type of what is kept between runs: its name, and its definition. It is as public as can be,
/// since the parameter may be, and keeps what its fields are to itself.
fn state(name: &Ident, generics: &Generics, kinds: &[TokenStream]) -> (Ident, TokenStream) {
    let state = format_ident!("__{name}State");
    let mut generics = without_lifetimes_of(generics);
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => (parameter.eq_token, parameter.default) = (None, None),
            GenericParam::Const(parameter) => {
                (parameter.eq_token, parameter.default) = (None, None);
            }
            GenericParam::Lifetime(_) => {}
        }
    }
    let (parameters, conditions) = (&generics.params, &generics.where_clause);
    let (implementation, types, _) = generics.split_for_impl();
    // Whether the last field has a size, and all are `Send`, is asked for wherever the type stands.
    // For a field that is no parameter each of those would be one more error of the same thing.
    let definition = quote! {
        #[doc(hidden)]
        pub struct #state<#parameters>(
            #(#kinds::State,)*
            (),
        ) #conditions;

        // SAFETY: what a parameter keeps is `Send`, and the struct is nothing else.
        unsafe impl #implementation ::core::marker::Send for #state #types #conditions {}
    };
    (state, definition)
}

/// How a run begins, for all fields.
fn begins(state: &Ident, kinds: &[TokenStream], numbers: &[Index]) -> TokenStream {
    let world = quote!(::orrery_ecs::World);
    let macros = quote!(::orrery_ecs::macros);
    quote! {
        fn init(
            world: &mut #world,
            meta: &mut #macros::SystemMeta,
        ) -> ::core::result::Result<Self::State, ::orrery_ecs::AccessConflict> {
            ::core::result::Result::Ok(#state(
                #(#kinds::init(world, meta)?,)*
                (),
            ))
        }

        fn attach(
            state: &mut Self::State,
            world: &mut #world,
            system: ::orrery_ecs::SystemId,
        ) {
            #(#kinds::attach(&mut state.#numbers, world, system);)*
        }

        fn validate(
            state: &mut Self::State,
            world: &#world,
            run: #macros::Run,
        ) -> ::core::result::Result<(), #macros::ParamError> {
            #(#kinds::validate(&mut state.#numbers, world, run)?;)*
            ::core::result::Result::Ok(())
        }

        fn prepare(state: &mut Self::State, world: &mut #world, run: #macros::Run) {
            #(#kinds::prepare(&mut state.#numbers, world, run);)*
        }
    }
}

/// How a run ends, for all fields.
fn ends(kinds: &[TokenStream], numbers: &[Index]) -> TokenStream {
    let world = quote!(::orrery_ecs::World);
    quote! {
        fn release(
            state: &mut Self::State,
            world: &mut #world,
            run: ::orrery_ecs::macros::Run,
        ) {
            #(#kinds::release(&mut state.#numbers, world, run);)*
        }

        fn take_lanes(
            state: &mut Self::State,
            lanes: &mut ::orrery_ecs::macros::TakenLanes,
        ) {
            #(#kinds::take_lanes(&mut state.#numbers, lanes);)*
        }

        fn apply(state: &mut Self::State, world: &mut #world) {
            #(#kinds::apply(&mut state.#numbers, world);)*
        }

        fn discard(state: &mut Self::State) {
            #(#kinds::discard(&mut state.#numbers);)*
        }
    }
}

/// The struct's own arguments, with the lifetimes of one run for `'w` and `'s`.
fn arguments(input: &DeriveInput) -> Result<Vec<TokenStream>> {
    let argument = |parameter: &GenericParam| match parameter {
        GenericParam::Lifetime(parameter) => {
            let lifetime = &parameter.lifetime;
            if !is_of_a_run(&lifetime.ident) {
                let message = "the lifetimes of a system parameter are `'w` for what borrows the \
                               world and `'s` for what the system keeps";
                return Err(Error::new_spanned(lifetime, message));
            }
            let lifetime = Lifetime {
                apostrophe: lifetime.apostrophe,
                ident: of_run(&lifetime.ident),
            };
            Ok(quote!(#lifetime))
        }
        GenericParam::Type(parameter) => {
            let name = &parameter.ident;
            Ok(quote!(#name))
        }
        GenericParam::Const(parameter) => {
            let name = &parameter.ident;
            Ok(quote!(#name))
        }
    };
    input.generics.params.iter().map(argument).collect()
}

/// What a field's functions are called by. At the place of its type, so that errors point there.
fn as_param(ty: &Type, name: fn(&Ident) -> Ident) -> TokenStream {
    let kind = renamed(ty.to_token_stream(), name);
    quote_spanned!(ty.span()=> <#kind as ::orrery_ecs::SystemParam>)
}

/// Says of either lifetime that it never ends.
fn always(lifetime: &Ident) -> Ident {
    Ident::new("static", lifetime.span())
}

/// Says of either lifetime that it is that of the run.
fn of_run(lifetime: &Ident) -> Ident {
    format_ident!("__{lifetime}", span = lifetime.span())
}

fn is_of_a_run(lifetime: &Ident) -> bool {
    lifetime == "w" || lifetime == "s"
}

/// The generics with everything about `'w` and `'s` left out.
fn without_lifetimes_of(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    let is_type = |parameter: &GenericParam| !matches!(parameter, GenericParam::Lifetime(_));
    generics.params = generics.params.into_iter().filter(is_type).collect();
    if let Some(conditions) = &mut generics.where_clause {
        let is_of_type =
            |condition: &WherePredicate| !matches!(condition, WherePredicate::Lifetime(_));
        let kept = std::mem::take(&mut conditions.predicates);
        conditions.predicates = kept.into_iter().filter(is_of_type).collect();
    }
    // What is left mentions them in bounds at most, where `'static` is as good: both parts are
    // still what they were parsed as.
    let conditions = renamed(generics.where_clause.to_token_stream(), always);
    let parameters = renamed(generics.params.to_token_stream(), always);
    let mut replaced: Generics =
        syn::parse2(quote!(<#parameters>)).expect("they were generics before");
    replaced.where_clause = syn::parse2(conditions).expect("it was a where clause before");
    replaced
}

/// The tokens with other names for `'w` and `'s`.
fn renamed(tokens: TokenStream, name: fn(&Ident) -> Ident) -> TokenStream {
    let mut after_apostrophe = false;
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            after_apostrophe = false;
            let inner = renamed(group.stream(), name);
            let mut replaced = Group::new(group.delimiter(), inner);
            replaced.set_span(group.span());
            TokenTree::Group(replaced)
        }
        TokenTree::Ident(old) if after_apostrophe && is_of_a_run(&old) => {
            after_apostrophe = false;
            TokenTree::Ident(name(&old))
        }
        other => {
            after_apostrophe = matches!(&other, TokenTree::Punct(mark) if mark.as_char() == '\'');
            other
        }
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lifetimes_of_a_run_are_replaced() {
        let tokens = quote!(Query<'w, 's, (&'static w, s<'w>), For<'sw, fn(&'w s) -> w>>);
        let expected = quote!(
            Query<'static, 'static, (&'static w, s<'static>), For<'sw, fn(&'static s) -> w>>
        );
        assert_eq!(renamed(tokens, always).to_string(), expected.to_string());
    }
}
