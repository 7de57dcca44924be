//! Derive macros of orrery-ecs.
//!
//! Each derive walks the fields once and writes one implementation; what it leaves to the
//! compiler (is the type `Copy`? how is this field hashed?) is decided by method resolution in
//! `orrery_ecs::macros`, so that the macros need to know no types.

mod attributes;
mod bundle;
mod check_system;
mod component;
mod event;
mod fields;
mod relationship;
mod require;
mod resource;
mod root;
mod split;
mod state_hash;
mod system_param;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemFn, Result, parse_macro_input};

/// Makes a type a component; see `orrery_ecs::Component` for the options.
#[proc_macro_derive(Component, attributes(component, require, relationship))]
pub fn component(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finish(component::derive(&input))
}

/// Makes a type an event that can be triggered; see `orrery_ecs::Event`.
#[proc_macro_derive(Event)]
pub fn event(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finish(Ok(event::derive(&input)))
}

/// Makes a type a resource; see `orrery_ecs::Resource` for the options.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finish(resource::derive(&input))
}

/// Makes a struct of components and bundles a bundle; see `orrery_ecs::Bundle`.
#[proc_macro_derive(Bundle)]
pub fn bundle(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finish(bundle::derive(&input))
}

/// Lets a type stand inside components and resources; see `orrery_ecs::StateHash`.
#[proc_macro_derive(StateHash)]
pub fn state_hash(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finish(state_hash::derive(&input))
}

/// Makes a struct of system parameters one system parameter; see `orrery_ecs::SystemParam`.
#[proc_macro_derive(SystemParam)]
pub fn system_param(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    finish(system_param::derive(&input))
}

/// Shows which parameter of a function keeps it from being a system; see
/// `orrery_ecs::IntoSystem`.
#[proc_macro_attribute]
pub fn check_system(_: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    finish(Ok(check_system::checked(&function)))
}

fn finish(derived: Result<proc_macro2::TokenStream>) -> TokenStream {
    root::rebase(derived.unwrap_or_else(|error| error.to_compile_error())).into()
}
