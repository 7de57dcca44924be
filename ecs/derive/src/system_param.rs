//! `#[derive(SystemParam)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Error, GenericParam, Index, Result, Type};

use crate::fields::of_struct;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let (name, fields) = (&input.ident, of_struct(input, "a system parameter")?);
    let arguments = arguments(input)?;
    let (implementation, types, conditions) = input.generics.split_for_impl();
    let members = fields.iter().map(|field| &field.member).collect::<Vec<_>>();
    let kinds = fields.iter().map(|field| field.ty).collect::<Vec<_>>();
    let numbers = (0..fields.len()).map(Index::from).collect::<Vec<_>>();
    let param = quote!(::orrery_ecs::SystemParam);
    let world = quote!(::orrery_ecs::World);
    let macros = quote!(::orrery_ecs::macros);
    let fallible = quote!(::core::result::Result<(), #macros::ParamError>);
    let consts = consts(&param, &kinds);
    let ends = ends(&param, &world, &macros, &kinds, &numbers);
    Ok(quote! {
        // SAFETY: the fields keep the contract; `init` checks them against each other.
        #[allow(unused_variables)]
        unsafe impl #implementation #param for #name #types #conditions {
            type State = (#(<#kinds as #param>::State,)*);
            type Item<'__w, '__s> = #name<#(#arguments),*>;
            #consts

            fn init(
                world: &mut #world,
                meta: &mut #macros::SystemMeta,
            ) -> ::core::result::Result<Self::State, ::orrery_ecs::AccessConflict> {
                ::core::result::Result::Ok((#(<#kinds as #param>::init(world, meta)?,)*))
            }

            fn attach(
                state: &mut Self::State,
                world: &mut #world,
                system: ::orrery_ecs::SystemId,
            ) {
                #(<#kinds as #param>::attach(&mut state.#numbers, world, system);)*
            }

            fn validate(
                state: &mut Self::State,
                world: &#world,
                run: #macros::Run,
            ) -> #fallible {
                #(<#kinds as #param>::validate(&mut state.#numbers, world, run)?;)*
                ::core::result::Result::Ok(())
            }

            fn prepare(
                state: &mut Self::State,
                world: &mut #world,
                run: #macros::Run,
            ) {
                #(<#kinds as #param>::prepare(&mut state.#numbers, world, run);)*
            }

            unsafe fn get<'__w, '__s>(
                state: &'__s mut Self::State,
                world: &'__w #world,
                ticks: ::orrery_ecs::Ticks,
            ) -> Self::Item<'__w, '__s> {
                #name {
                    // SAFETY: passed on from the caller, field by field.
                    #(#members: unsafe {
                        <#kinds as #param>::get(&mut state.#numbers, world, ticks)
                    },)*
                }
            }

            #ends
        }
    })
}

/// What is true of the struct if it is of one field, or of all.
fn consts(param: &TokenStream, kinds: &[&Type]) -> TokenStream {
    quote! {
        const SEND: bool = true #(&& <#kinds as #param>::SEND)*;
        const SEES: bool = false #(|| <#kinds as #param>::SEES)*;
        const DEFERS: bool = false #(|| <#kinds as #param>::DEFERS)*;
        const HOLDS: bool = false #(|| <#kinds as #param>::HOLDS)*;
    }
}

/// How a run ends, for all fields.
fn ends(
    param: &TokenStream,
    world: &TokenStream,
    macros: &TokenStream,
    kinds: &[&Type],
    numbers: &[Index],
) -> TokenStream {
    quote! {
        fn release(state: &mut Self::State, world: &mut #world, run: #macros::Run) {
            #(<#kinds as #param>::release(&mut state.#numbers, world, run);)*
        }

        fn take_lanes(state: &mut Self::State, lanes: &mut #macros::TakenLanes) {
            #(<#kinds as #param>::take_lanes(&mut state.#numbers, lanes);)*
        }

        fn apply(state: &mut Self::State, world: &mut #world) {
            #(<#kinds as #param>::apply(&mut state.#numbers, world);)*
        }

        fn discard(state: &mut Self::State) {
            #(<#kinds as #param>::discard(&mut state.#numbers);)*
        }
    }
}

/// The struct's own arguments, with the lifetimes of one run for `'w` and `'s`.
fn arguments(input: &DeriveInput) -> Result<Vec<TokenStream>> {
    let argument = |parameter: &GenericParam| match parameter {
        GenericParam::Lifetime(lifetime) => {
            let name = &lifetime.lifetime.ident;
            if name != "w" && name != "s" {
                let message = "the lifetimes of a system parameter are `'w` for what borrows the \
                               world and `'s` for what the system keeps";
                return Err(Error::new_spanned(&lifetime.lifetime, message));
            }
            let name = format_ident!("__{name}");
            let lifetime = syn::Lifetime {
                apostrophe: lifetime.lifetime.apostrophe,
                ident: name,
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
