//! `#[derive(Component)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Data, DeriveInput, Generics, Result, Type, parse_quote};

use crate::attributes::{HOOKS, Options, options};
use crate::fields::{Field, field_hash, field_map, hash_body, list, map_body};
use crate::relationship::relationship;
use crate::require::requirements;
use crate::split;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let mut options = options(input, "component", true)?;
    let relationship = relationship(input)?;
    options.immutable |= relationship.is_some();
    let name = &input.ident;
    let fields = match &input.data {
        Data::Struct(data) => list(&data.fields),
        _ => Vec::new(),
    };
    let generics = bounded(&input.generics, &options);
    let parts = if options.split {
        split::derive(input, &fields, &options)?
    } else {
        TokenStream::new()
    };
    let hash_fields = if options.not_state {
        TokenStream::new()
    } else {
        hash_body(input)?
    };
    let map_fields = match &input.data {
        // No safe look into one; it is `not_state`, or `hash_body` has refused it.
        Data::Union(_) => TokenStream::new(),
        _ => map_body(input, !options.not_state)?,
    };
    let requirements = requirements(input)?;
    let describe = describe(input, &fields, &options, relationship.is_some());
    let relationship = relationship.map(|found| found.implement(input));
    let split = options.split;
    let (tracking, storage) = markers(&options);
    let (implementation, types, conditions) = generics.split_for_impl();
    let head = quote!(#name #types #conditions);
    let kinds = kinds(&options);
    Ok(quote! {
        // SAFETY: `describe` is written from the type's own definition.
        unsafe impl #implementation ::orrery_ecs::Component for #head {
            const SPLIT: bool = #split;
            type Tracking = ::orrery_ecs::#tracking;
            type Storage = ::orrery_ecs::#storage;

            #describe

            #[allow(unused_variables)]
            fn required(add: &mut ::orrery_ecs::macros::Requirements<'_>) {
                #requirements
            }

            #[allow(unused_variables)]
            fn hash_fields(&self, hasher: &mut ::orrery_ecs::StateHasher) {
                #hash_fields
            }

            #[allow(unused_variables)]
            fn map_fields(
                &mut self,
                map: &mut dyn ::core::ops::FnMut(::orrery_ecs::Entity) -> ::orrery_ecs::Entity,
            ) {
                #map_fields
            }
        }
        #(impl #implementation ::orrery_ecs::#kinds for #head {})*
        #relationship
        #parts
    })
}

/// Traits that say what can be asked of the component.
fn kinds(options: &Options) -> Vec<TokenStream> {
    let tracked = options.track.then(|| quote!(TrackedComponent));
    let mutable = (!options.immutable).then(|| quote!(MutableComponent));
    let in_table = (!options.sparse).then(|| quote!(TableComponent));
    [tracked, mutable, in_table].into_iter().flatten().collect()
}

/// How writes are noticed, and where values lie.
fn markers(options: &Options) -> (TokenStream, TokenStream) {
    let tracking = if options.track {
        quote!(ByRow)
    } else {
        quote!(ByBlock)
    };
    let storage = if options.sparse {
        quote!(InSparseSet)
    } else {
        quote!(InTable)
    };
    (tracking, storage)
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

fn describe(
    input: &DeriveInput,
    fields: &[Field<'_>],
    options: &Options,
    is_relationship: bool,
) -> TokenStream {
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
            #[allow(unused_imports)]
            use describe::{ByClone as _, ByCopy as _, ByNothing as _};
            (&&describe::CloneProbe::<Self>(::core::marker::PhantomData)).behavior()
        } }
    };
    let hash = if options.not_state {
        quote! { describe::HashBehavior::Skip }
    } else {
        quote! { describe::hash_behavior::<Self>(&fields) }
    };
    let maps = field_types(input)
        .into_iter()
        .map(|ty| field_map(ty, &input.generics, !options.not_state));
    let hooks = with_hooks(options);
    let immutable = options.immutable.then(|| quote!(.immutable()));
    let relationship = is_relationship.then(|| quote!(.with_relationship::<Self>()));
    quote! {
        fn describe() -> ::orrery_ecs::macros::describe::ComponentInfo {
            use ::orrery_ecs::macros::describe;
            let fields = ::std::vec![#(#infos),*];
            let clone = #clone;
            let hash = #hash;
            let placement = describe::placement::<Self>();
            let name = ::core::any::type_name::<Self>();
            let info =
                describe::ComponentInfo::new::<Self>(name, clone, hash, fields, placement)
                    #hooks #immutable #relationship;
            let has_handles = false #(|| (#maps).maps)*;
            if has_handles { info.with_handles::<Self>() } else { info }
        }
    }
}

/// Types of all fields, of all variants of an enum.
fn field_types(input: &DeriveInput) -> Vec<&Type> {
    match &input.data {
        Data::Struct(data) => data.fields.iter().map(|field| &field.ty).collect(),
        Data::Enum(data) => {
            let fields = data.variants.iter().flat_map(|variant| &variant.fields);
            fields.map(|field| &field.ty).collect()
        }
        Data::Union(_) => Vec::new(),
    }
}

fn with_hooks(options: &Options) -> TokenStream {
    if options.hooks.is_empty() {
        return TokenStream::new();
    }
    let fields = HOOKS.into_iter().map(|hook| {
        let given = options.hooks.iter().find(|(other, _)| *other == hook);
        let field = format_ident!("{hook}");
        match given {
            Some((_, function)) => quote!(#field: ::core::option::Option::Some(#function)),
            None => quote!(#field: ::core::option::Option::None),
        }
    });
    quote! {
        .with_hooks(describe::Hooks { #(#fields),* })
    }
}
