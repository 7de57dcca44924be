//! `#[derive(StateHash)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result, parse_quote};

use crate::fields::hash_body;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let (name, body) = (&input.ident, hash_body(input)?);
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
    })
}
