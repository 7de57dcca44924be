//! `#[check_system]`: which parameter of a function keeps it from being a system.
//!
//! Whether a function is a system is one question to the compiler, and its answer names the whole
//! function. Asked for each parameter alone, it names the parameter.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, FnArg, ItemFn, Result, Type};

/// What stands only first: a chunk, the input of a pipe, the event of an observer.
const FIRST_ONLY: [&str; 3] = ["Chunk", "In", "On"];

/// The function, and what asks for its parameters one by one or says why it need not be asked.
pub(crate) fn checked(function: &ItemFn) -> TokenStream {
    let check = check(function).unwrap_or_else(|error| error.to_compile_error());
    quote! {
        #function
        #check
    }
}

fn check(function: &ItemFn) -> Result<TokenStream> {
    let kinds = kinds(function)?;
    let checks = checks(&kinds)?;
    let (generics, conditions) = (&function.sig.generics, &function.sig.generics.where_clause);
    Ok(quote! {
        const _: () = {
            #[allow(dead_code)]
            fn param<P: ::orrery_ecs::SystemParam>() {}
            #[allow(dead_code)]
            fn beside_a_chunk<P: ::orrery_ecs::SharedParam>() {}
            #[allow(dead_code)]
            #[allow(clippy::extra_unused_lifetimes, clippy::extra_unused_type_parameters)]
            fn checked #generics () #conditions { #checks }
        };
    })
}

/// Types of the parameters.
fn kinds(function: &ItemFn) -> Result<Vec<&Type>> {
    fn kind(argument: &FnArg) -> Result<&Type> {
        match argument {
            FnArg::Typed(typed) => Ok(&typed.ty),
            FnArg::Receiver(receiver) => {
                let message = "a system is a function, not a method: take `self` away";
                Err(Error::new_spanned(receiver, message))
            }
        }
    }
    function.sig.inputs.iter().map(kind).collect()
}

/// A call for each type that has to be a parameter.
fn checks(kinds: &[&Type]) -> Result<TokenStream> {
    let others = match kinds.first() {
        Some(first) if FIRST_ONLY.iter().any(|name| is_named(first, name)) => &kinds[1..],
        _ => kinds,
    };
    let exclusive = kinds.iter().find(|kind| is_exclusive_world(kind));
    if let Some(world) = exclusive {
        if kinds.len() == 1 {
            return Ok(TokenStream::new());
        }
        let message = "a system of `&mut World` has nothing beside it: it takes the rest from the \
                       world, by `World::query`, `World::resource` and so on";
        return Err(Error::new_spanned(world, message));
    }
    let beside_chunk = kinds.first().is_some_and(|first| is_named(first, "Chunk"));
    let each = others.iter().map(|kind| match beside_chunk {
        true => quote!(beside_a_chunk::<#kind>();),
        false => quote!(param::<#kind>();),
    });
    Ok(quote!(#(#each)*))
}

/// Whether a type is written with this last name.
fn is_named(kind: &Type, name: &str) -> bool {
    let Type::Path(path) = kind else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == name)
}

fn is_exclusive_world(kind: &Type) -> bool {
    match kind {
        Type::Reference(reference) => {
            reference.mutability.is_some() && is_named(&reference.elem, "World")
        }
        _ => false,
    }
}
