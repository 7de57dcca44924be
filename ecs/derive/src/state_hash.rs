//! `#[derive(StateHash)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result, parse_quote};

use crate::fields::{hash_body, map_body};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let (name, body, map) = (&input.ident, hash_body(input)?, map_body(input, true)?);
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::orrery_ecs::StateHash));
    }
    let (implementation, types, conditions) = generics.split_for_impl();
    Ok(quote! {
        impl #implementation ::orrery_ecs::StateHash for #name #types #conditions {
            #[allow(unused_variables)]
            fn hash_state(&self, hasher: &mut ::orrery_ecs::StateHasher) {
                #body
            }
        }

        impl #implementation ::orrery_ecs::MapEntities for #name #types #conditions {
            // Not known without looking into the fields, which a type that holds itself forbids.
            const MAPS: bool = true;

            #[allow(unused_variables)]
            fn map_entities(
                &mut self,
                map: &mut dyn ::core::ops::FnMut(::orrery_ecs::Entity) -> ::orrery_ecs::Entity,
            ) {
                #map
            }
        }
    })
}
