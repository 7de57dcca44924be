//! `#[derive(Component)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Generics, Result, parse_quote};

use crate::attributes::{Options, options};
use crate::fields::{Field, field_hash, hash_body, list};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let options = options(input, "component", true)?;
    let name = &input.ident;
    let fields = match &input.data {
        Data::Struct(data) => list(&data.fields),
        _ => Vec::new(),
    };
    let generics = bounded(&input.generics, &options);
    let split = if options.split {
        split(input, &fields, &options)?
    } else {
        TokenStream::new()
    };
    let hash_fields = if options.not_state {
        TokenStream::new()
    } else {
        hash_body(input)?
    };
    let describe = describe(input, &fields, &options);
    let is_split = options.split;
    let (implementation, types, conditions) = generics.split_for_impl();
    Ok(quote! {
        // SAFETY: `describe` is written from the type's own definition.
        unsafe impl #implementation ::orrery_ecs::Component for #name #types #conditions {
            const SPLIT: bool = #is_split;

            #describe

            #[allow(unused_variables)]
            fn hash_fields(&self, hasher: &mut ::orrery_ecs::StateHasher) {
                #hash_fields
            }
        }
        #split
    })
}

fn bounded(generics: &Generics, options: &Options) -> Generics {
    let mut generics = generics.clone();
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
    generics
}

fn describe(input: &DeriveInput, fields: &[Field<'_>], options: &Options) -> TokenStream {
    let name = &input.ident;
    let infos = fields.iter().map(|field| {
        let (member, ty) = (&field.member, field.ty);
        let (field_name, type_name) = (field.name(), quote!(#ty).to_string());
        let hash = field_hash(ty, &input.generics);
        let lane = if options.not_state {
            quote!(::core::option::Option::None)
        } else {
            quote!(#hash.lane)
        };
        quote! {
            ::orrery_ecs::FieldInfo {
                name: #field_name,
                type_name: #type_name,
                offset_bytes: ::core::mem::offset_of!(Self, #member),
                size_bytes: ::core::mem::size_of::<#ty>(),
                lane: #lane,
            }
        }
    });
    let clone = if options.no_clone {
        quote! { describe::CloneBehavior::Refuse }
    } else {
        // Spanned at the name, so that the error for a type without Clone points there.
        quote_spanned! { name.span() => {
            describe::must_be_clone::<Self>();
            #[allow(unused_imports)]
            use describe::{ByClone as _, ByCopy as _};
            (&&describe::CloneProbe::<Self>(::core::marker::PhantomData)).behavior()
        } }
    };
    let hash = if options.not_state {
        quote! { describe::HashBehavior::Skip }
    } else {
        quote! { describe::hash_behavior::<Self>(&fields) }
    };
    let split = options.split;
    quote! {
        fn describe() -> ::orrery_ecs::macros::describe::ComponentInfo {
            use ::orrery_ecs::macros::describe;
            let fields = ::std::vec![#(#infos),*];
            let clone = #clone;
            let hash = #hash;
            let name = ::core::any::type_name::<Self>();
            describe::ComponentInfo::new::<Self>(name, clone, hash, fields, #split)
        }
    }
}

/// The structs of slices and references of a split component, and its `SplitComponent`.
fn split(input: &DeriveInput, fields: &[Field<'_>], options: &Options) -> Result<TokenStream> {
    if fields.is_empty() || !input.generics.params.is_empty() || options.no_clone {
        let message = "a split component is a struct with fields, not generic, and `Copy`";
        return Err(Error::new(input.ident.span(), message));
    }
    let named = fields.iter().map(|field| match &field.member {
        syn::Member::Named(name) => Ok(name.clone()),
        syn::Member::Unnamed(_) => Err(Error::new(
            field.ty.span(),
            "a split component names its fields",
        )),
    });
    let names = named.collect::<Result<Vec<_>>>()?;
    let (name, vis) = (&input.ident, &input.vis);
    let kinds = fields.iter().map(|field| field.ty).collect::<Vec<_>>();
    let numbers = 0..fields.len();
    let numbers = numbers.collect::<Vec<_>>();
    let [slices, slices_mut, row, row_mut] =
        ["Slices", "SlicesMut", "Ref", "Mut"].map(|end| format_ident!("{name}{end}"));
    let doc = |what: &str| format!("{what} of [`{name}`].");
    let (doc_slices, doc_slices_mut) = (
        doc("Slices of the fields"),
        doc("Mutable slices of the fields"),
    );
    let (doc_row, doc_row_mut) = (
        doc("References to the fields"),
        doc("Mutable references to the fields"),
    );
    let field_docs = names
        .iter()
        .map(|name| format!("Field `{name}`."))
        .collect::<Vec<_>>();
    Ok(quote! {
        #[doc = #doc_slices]
        #[allow(dead_code)]
        #vis struct #slices<'w> { #(#[doc = #field_docs] #vis #names: &'w [#kinds],)* }
        #[doc = #doc_slices_mut]
        #[allow(dead_code)]
        #vis struct #slices_mut<'w> { #(#[doc = #field_docs] #vis #names: &'w mut [#kinds],)* }
        #[doc = #doc_row]
        #[allow(dead_code)]
        #vis struct #row<'w> { #(#[doc = #field_docs] #vis #names: &'w #kinds,)* }
        #[doc = #doc_row_mut]
        #[allow(dead_code)]
        #vis struct #row_mut<'w> { #(#[doc = #field_docs] #vis #names: &'w mut #kinds,)* }

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
    })
}
