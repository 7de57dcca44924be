//! `#[component(split)]`: structs of slices and references, and the code that makes them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Member, Result, Type};

use crate::attributes::Options;
use crate::fields::Field;

/// Names and types of the fields, in order of declaration.
struct Fields<'a> {
    names: Vec<Ident>,
    kinds: Vec<&'a Type>,
}

pub(crate) fn derive(
    input: &DeriveInput,
    fields: &[Field<'_>],
    options: &Options,
) -> Result<TokenStream> {
    if fields.is_empty() || !input.generics.params.is_empty() || options.no_clone {
        let message = "a split component is a struct with fields, not generic, and `Copy`";
        return Err(Error::new(input.ident.span(), message));
    }
    if options.track || options.sparse {
        let message = "a split component is neither tracked nor sparse: leave out `split`, or \
                       `track` and `sparse`";
        return Err(Error::new(input.ident.span(), message));
    }
    let named = fields.iter().map(|field| match &field.member {
        Member::Named(name) => Ok(name.clone()),
        Member::Unnamed(_) => {
            let message = "a split component names its fields";
            Err(Error::new(field.ty.span(), message))
        }
    });
    let names = named.collect::<Result<Vec<_>>>()?;
    let kinds = fields.iter().map(|field| field.ty).collect();
    let fields = Fields { names, kinds };
    let structs = [
        declaration(input, &fields, "Slices", |kind| quote!(&'w [#kind])),
        declaration(input, &fields, "SlicesMut", |kind| quote!(&'w mut [#kind])),
        declaration(input, &fields, "Ref", |kind| quote!(&'w #kind)),
        declaration(input, &fields, "Mut", |kind| quote!(&'w mut #kind)),
    ];
    let implementation = implementation(&input.ident, &fields);
    Ok(quote! {
        #(#structs)*
        #implementation
    })
}

/// A struct with one member for each field.
fn declaration(
    input: &DeriveInput,
    fields: &Fields<'_>,
    end: &str,
    member: impl Fn(&Type) -> TokenStream,
) -> TokenStream {
    let (vis, name, names) = (
        &input.vis,
        format_ident!("{}{end}", input.ident),
        &fields.names,
    );
    let members = fields.kinds.iter().map(|kind| member(kind));
    let doc = format!("The fields of [`{}`], each on its own.", input.ident);
    let docs = names.iter().map(|name| format!("Field `{name}`."));
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #vis struct #name<'w> { #(#[doc = #docs] #vis #names: #members,)* }
    }
}

fn implementation(name: &Ident, fields: &Fields<'_>) -> TokenStream {
    let (names, kinds) = (&fields.names, &fields.kinds);
    let numbers = (0..names.len()).collect::<Vec<_>>();
    let [slices, slices_mut, row, row_mut] =
        ["Slices", "SlicesMut", "Ref", "Mut"].map(|end| format_ident!("{name}{end}"));
    quote! {
        // SAFETY: pointer `i` is used as field `i` in order of declaration.
        unsafe impl ::orrery_ecs::SplitComponent for #name {
            type Slices<'w> = #slices<'w>;
            type SlicesMut<'w> = #slices_mut<'w>;
            type Ref<'w> = #row<'w>;
            type RefMut<'w> = #row_mut<'w>;

            unsafe fn slices<'w>(start: impl Fn(usize) -> *mut u8, len: usize) -> #slices<'w> {
                // SAFETY: guaranteed by the caller.
                #slices { #(#names: unsafe {
                    ::core::slice::from_raw_parts(start(#numbers).cast::<#kinds>(), len)
                },)* }
            }

            unsafe fn slices_mut<'w>(
                start: impl Fn(usize) -> *mut u8,
                len: usize,
            ) -> #slices_mut<'w> {
                // SAFETY: guaranteed by the caller; fields lie in runs of their own.
                #slices_mut { #(#names: unsafe {
                    ::core::slice::from_raw_parts_mut(start(#numbers).cast::<#kinds>(), len)
                },)* }
            }

            unsafe fn row<'w>(start: impl Fn(usize) -> *mut u8, row: usize) -> #row<'w> {
                // SAFETY: guaranteed by the caller.
                #row { #(#names: unsafe { &*start(#numbers).cast::<#kinds>().add(row) },)* }
            }

            unsafe fn row_mut<'w>(start: impl Fn(usize) -> *mut u8, row: usize) -> #row_mut<'w> {
                // SAFETY: guaranteed by the caller.
                #row_mut { #(#names: unsafe {
                    &mut *start(#numbers).cast::<#kinds>().add(row)
                },)* }
            }
        }
    }
}
