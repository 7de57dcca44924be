//! `#[derive(Resource)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Result, parse_quote};

use crate::attributes::options;
use crate::fields::hash_body;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let options = options(input, "resource", false)?;
    let name = &input.ident;
    let hash = if options.not_state {
        TokenStream::new()
    } else {
        hash_body(input)?
    };
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::core::marker::Send));
        parameter.bounds.push(parse_quote!(::core::marker::Sync));
        if !options.no_clone {
            parameter.bounds.push(parse_quote!(::core::clone::Clone));
        }
        if !options.not_state {
            parameter.bounds.push(parse_quote!(::orrery_ecs::StateHash));
        }
        parameter.bounds.push(parse_quote!('static));
    }
    let (implementation, types, conditions) = generics.split_for_impl();
    let (state, clone) = (!options.not_state, !options.no_clone);
    let duplicate = if clone {
        quote_spanned! { name.span() =>
            ::core::option::Option::Some(::orrery_ecs::macros::duplicate::<Self>(self))
        }
    } else {
        quote! { ::core::option::Option::None }
    };
    Ok(quote! {
        impl #implementation ::orrery_ecs::Resource for #name #types #conditions {
            const NAME: &'static str = concat!(module_path!(), "::", stringify!(#name));
            const STATE: bool = #state;
            const CLONE: bool = #clone;

            fn duplicate(&self) -> ::core::option::Option<Self> {
                #duplicate
            }

            #[allow(unused_variables)]
            fn hash_fields(&self, hasher: &mut ::orrery_ecs::StateHasher) {
                #hash
            }
        }
    })
}
