//! `#[derive(Event)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_quote};

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let name = &input.ident;
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::core::marker::Send));
        parameter.bounds.push(parse_quote!(::core::marker::Sync));
        parameter.bounds.push(parse_quote!('static));
    }
    let (implementation, types, conditions) = generics.split_for_impl();
    quote! {
        impl #implementation ::orrery_ecs::Event for #name #types #conditions {
            const NAME: &'static str = concat!(module_path!(), "::", stringify!(#name));
        }
    }
}
