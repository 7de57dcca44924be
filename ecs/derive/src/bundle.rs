//! `#[derive(Bundle)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result, parse_quote};

use crate::fields::of_struct;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let (name, fields) = (&input.ident, of_struct(input, "a bundle")?);
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::orrery_ecs::Bundle));
    }
    let (implementation, types, conditions) = generics.split_for_impl();
    let (members, kinds): (Vec<_>, Vec<_>) =
        fields.iter().map(|field| (&field.member, field.ty)).unzip();
    Ok(quote! {
        // SAFETY: each method takes the fields in order of declaration.
        unsafe impl #implementation ::orrery_ecs::Bundle for #name #types #conditions {
            #[allow(unused_variables)]
            fn components(add: &mut impl ::orrery_ecs::macros::BundleComponents) {
                #(<#kinds as ::orrery_ecs::Bundle>::components(add);)*
            }

            #[allow(unused_variables)]
            #[inline]
            fn visit(self, receive: &mut impl ::core::ops::FnMut(*mut u8, usize)) {
                #(<#kinds as ::orrery_ecs::Bundle>::visit(self.#members, receive);)*
            }

            #[allow(unused_variables)]
            unsafe fn pointers(this: *mut Self, receive: &mut impl ::core::ops::FnMut(*mut u8)) {
                // SAFETY: passed on from the caller, field by field.
                #(unsafe {
                    <#kinds as ::orrery_ecs::Bundle>::pointers(&raw mut (*this).#members, receive)
                };)*
            }

            #[allow(unused_variables)]
            unsafe fn assemble(give: &mut impl ::core::ops::FnMut(*mut u8)) -> Self {
                Self {
                    // SAFETY: passed on from the caller, field by field.
                    #(#members: unsafe { <#kinds as ::orrery_ecs::Bundle>::assemble(give) },)*
                }
            }
        }
    })
}
