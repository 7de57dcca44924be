//! Fields of a type, and code that hashes them.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, GenericParam, Generics, Member, Result, Type};

/// A field as a derive needs it.
pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    pub(crate) ty: &'a Type,
}

impl Field<'_> {
    pub(crate) fn name(&self) -> String {
        match &self.member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        }
    }
}

/// Fields of a struct in order; an error for enums and unions.
pub(crate) fn of_struct<'a>(input: &'a DeriveInput, what: &str) -> Result<Vec<Field<'a>>> {
    match &input.data {
        Data::Struct(data) => Ok(list(&data.fields)),
        _ => Err(Error::new_spanned(
            &input.ident,
            format!("{what} must be a struct"),
        )),
    }
}

/// Fields in order.
pub(crate) fn list(fields: &Fields) -> Vec<Field<'_>> {
    let members = fields.members();
    members
        .zip(fields)
        .map(|(member, field)| Field {
            member,
            ty: &field.ty,
        })
        .collect()
}

/// An expression that says how a field of type `ty` is hashed.
///
/// Where a field's type depends on the type's own parameters, the compiler cannot look for
/// `AsRef`, so there it must be `StateHash`.
pub(crate) fn field_hash(ty: &Type, generics: &Generics) -> TokenStream {
    if depends_on(ty.to_token_stream(), generics) {
        return quote! {
            ::orrery_ecs::macros::probe::FieldHash::<#ty> {
                lane: ::orrery_ecs::macros::probe::lane_of::<#ty>(),
                hash: <#ty as ::orrery_ecs::StateHash>::hash_state,
            }
        };
    }
    // Spanned at the type, so that the error for one that cannot be hashed points there.
    let call = quote_spanned!(ty.span()=> .describe());
    quote! {{
        #[allow(unused_imports)]
        use ::orrery_ecs::macros::probe::{
            ByF32 as _, ByF64 as _, ByNothing as _, ByPlainF32 as _, ByPlainF64 as _,
            ByStateHash as _,
        };
        (&&&&&::orrery_ecs::macros::probe::Field::<
            #ty,
            { ::core::mem::size_of::<#ty>() / 4 },
            { ::core::mem::size_of::<#ty>() / 8 },
        >(::core::marker::PhantomData)) #call
    }}
}

/// An expression that says how the handles of a field of type `ty` are exchanged.
///
/// Where a field's type depends on the type's own parameters it must be `MapEntities`, which
/// `StateHash` brings; a type that is no state asks nothing of its parameters, and what is of
/// their type is left alone.
pub(crate) fn field_map(ty: &Type, generics: &Generics, is_state: bool) -> TokenStream {
    if depends_on(ty.to_token_stream(), generics) {
        if !is_state {
            return quote! {
                ::orrery_ecs::macros::map_probe::FieldMap::<#ty> { maps: false, map: |_, _| () }
            };
        }
        return quote! {
            ::orrery_ecs::macros::map_probe::FieldMap::<#ty> {
                maps: <#ty as ::orrery_ecs::MapEntities>::MAPS,
                map: <#ty as ::orrery_ecs::MapEntities>::map_entities,
            }
        };
    }
    quote! {{
        #[allow(unused_imports)]
        use ::orrery_ecs::macros::map_probe::{ByMapEntities as _, WithoutEntities as _};
        (&&::orrery_ecs::macros::map_probe::Field::<#ty>(::core::marker::PhantomData)).describe()
    }}
}

/// Whether a type mentions one of the parameters.
fn depends_on(ty: TokenStream, generics: &Generics) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(name) => generics.params.iter().any(|parameter| match parameter {
            GenericParam::Type(parameter) => parameter.ident == name,
            GenericParam::Const(parameter) => parameter.ident == name,
            GenericParam::Lifetime(parameter) => parameter.lifetime.ident == name,
        }),
        TokenTree::Group(group) => depends_on(group.stream(), generics),
        _ => false,
    })
}

/// Statements that add every field of `self` to `hasher`.
pub(crate) fn hash_body(input: &DeriveInput) -> Result<TokenStream> {
    let number = |number: u32| quote! { hasher.u32(#number); };
    let one = |ty: &Type, value: TokenStream| {
        let hash = field_hash(ty, &input.generics);
        quote! { (#hash.hash)(#value, hasher); }
    };
    each_field(input, quote!(&), number, one)
}

/// Statements that exchange the handles in every field of `self` by `map`.
pub(crate) fn map_body(input: &DeriveInput, is_state: bool) -> Result<TokenStream> {
    let one = |ty: &Type, value: TokenStream| {
        let map = field_map(ty, &input.generics, is_state);
        quote! { (#map.map)(#value, map); }
    };
    each_field(input, quote!(&mut), |_| TokenStream::new(), one)
}

/// Statements for each field of `self`, borrowed as `borrow` says; before those of an enum's
/// variant, one for its number.
fn each_field(
    input: &DeriveInput,
    borrow: TokenStream,
    variant: impl Fn(u32) -> TokenStream,
    one: impl Fn(&Type, TokenStream) -> TokenStream,
) -> Result<TokenStream> {
    match &input.data {
        Data::Struct(data) => {
            let each = list(&data.fields).into_iter().map(|field| {
                let member = &field.member;
                one(field.ty, quote! { #borrow self.#member })
            });
            Ok(quote! { #(#each)* })
        }
        Data::Enum(data) => {
            let arms = data.variants.iter().enumerate().map(|(number, found)| {
                let (name, head) = (&found.ident, variant(number as u32));
                let fields = list(&found.fields);
                let bound = (0..fields.len())
                    .map(|i| format_ident!("field{i}"))
                    .collect::<Vec<_>>();
                let members = fields.iter().map(|field| &field.member);
                let each = fields
                    .iter()
                    .zip(&bound)
                    .map(|(field, b)| one(field.ty, quote! { #b }));
                quote! { Self::#name { #(#members: #bound),* } => {
                    #head
                    #(#each)*
                } }
            });
            if data.variants.is_empty() {
                return Ok(quote! { match *self {} });
            }
            Ok(quote! { match self { #(#arms)* } })
        }
        Data::Union(_) => {
            let message = "a union cannot be looked into: make it a struct or an enum";
            Err(Error::new_spanned(&input.ident, message))
        }
    }
}
