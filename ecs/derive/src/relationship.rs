//! `#[relationship(..)]` on a component.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Member, Result, Type};

use crate::fields::{Field, list};

/// What a user chose for a relationship.
pub(crate) struct Relationship {
    despawn: bool,
    cyclic: bool,
    target: Member,
    others: Vec<Member>,
}

/// Reads the attribute, if the type has it.
pub(crate) fn relationship(input: &DeriveInput) -> Result<Option<Relationship>> {
    let mut found = input.attrs.iter();
    let Some(attribute) = found.find(|found| found.path().is_ident("relationship")) else {
        return Ok(None);
    };
    let (mut despawn, mut cyclic, mut chosen) = (false, false, None);
    if !matches!(attribute.meta, syn::Meta::Path(_)) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("despawn") {
                despawn = true;
            } else if meta.path.is_ident("cyclic") {
                cyclic = true;
            } else if meta.path.is_ident("target") {
                chosen = Some(meta.value()?.parse::<Member>()?);
            } else {
                let message = "unknown option; there are: despawn, cyclic, target = field";
                return Err(meta.error(message));
            }
            Ok(())
        })?;
    }
    let Data::Struct(data) = &input.data else {
        let message = "a relationship must be a struct with a field of type Entity";
        return Err(Error::new_spanned(&input.ident, message));
    };
    let fields = list(&data.fields);
    let target = target(attribute, &fields, chosen)?;
    let others = fields.into_iter().map(|field| field.member);
    Ok(Some(Relationship {
        despawn,
        cyclic,
        others: others.filter(|member| *member != target).collect(),
        target,
    }))
}

fn target(attribute: &Attribute, fields: &[Field<'_>], chosen: Option<Member>) -> Result<Member> {
    let is_entity = |field: &&Field<'_>| match field.ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "Entity"),
        _ => false,
    };
    let candidates: Vec<&Field<'_>> = fields.iter().filter(is_entity).collect();
    if let Some(chosen) = chosen {
        let known = candidates.iter().any(|field| field.member == chosen);
        let message = "there is no field of that name and of type Entity";
        return known
            .then_some(chosen)
            .ok_or_else(|| Error::new_spanned(attribute, message));
    }
    match candidates[..] {
        [one] => Ok(one.member.clone()),
        [] => Err(Error::new_spanned(
            attribute,
            "a relationship needs a field of type Entity, which is its target",
        )),
        _ => Err(Error::new_spanned(
            attribute,
            "several fields are of type Entity; say which one is the target by \
             #[relationship(target = field)]",
        )),
    }
}

impl Relationship {
    /// The implementation for the type.
    pub(crate) fn implement(&self, input: &DeriveInput) -> TokenStream {
        let Self {
            despawn,
            cyclic,
            target,
            others,
        } = self;
        let name = &input.ident;
        let (implementation, types, conditions) = input.generics.split_for_impl();
        let acyclic = (!cyclic).then(|| {
            quote! {
                impl #implementation ::orrery_ecs::AcyclicRelationship for #name #types
                    #conditions {}
            }
        });
        quote! {
            impl #implementation ::orrery_ecs::Relationship for #name #types #conditions {
                const DESPAWN: bool = #despawn;
                const CYCLIC: bool = #cyclic;

                fn target(&self) -> ::orrery_ecs::Entity {
                    self.#target
                }

                fn to(target: ::orrery_ecs::Entity) -> Self {
                    Self {
                        #target: target,
                        #(#others: ::core::default::Default::default(),)*
                    }
                }
            }
            #acyclic
        }
    }
}
