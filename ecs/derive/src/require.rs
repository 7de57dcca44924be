//! `#[require(..)]` on a component.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Expr, Path, Result, Token};

/// One required component, and how it is made.
struct Required {
    component: Path,
    make: Option<TokenStream>,
}

impl Parse for Required {
    /// `Type`, `Type = expression`, `Type(arguments)` or `Type { fields }`.
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let start = input.fork();
        let component: Path = input.parse()?;
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let make = Some(input.parse::<Expr>()?.into_token_stream());
            return Ok(Self { component, make });
        }
        if input.peek(syn::token::Paren) || input.peek(syn::token::Brace) {
            let make: Expr = start.parse()?;
            // The type was read once already; the expression that begins with it is the whole.
            input.parse::<proc_macro2::Group>()?;
            let make = Some(make.into_token_stream());
            return Ok(Self { component, make });
        }
        let make = None;
        Ok(Self { component, make })
    }
}

/// Statements that tell `add` of each required component.
pub(crate) fn requirements(input: &DeriveInput) -> Result<TokenStream> {
    let mut statements = TokenStream::new();
    let mut seen = Vec::new();
    for attribute in input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("require"))
    {
        let list =
            attribute.parse_args_with(Punctuated::<Required, Token![,]>::parse_terminated)?;
        for Required { component, make } in list {
            let name = component.to_token_stream().to_string();
            if seen.contains(&name) {
                let message = format!("`{name}` is required twice; leave one out");
                return Err(Error::new_spanned(component, message));
            }
            seen.push(name);
            // Spanned at the component, so that the error for one without Default points there.
            let make = make.unwrap_or_else(|| {
                quote_spanned!(component.span()=>
                    <#component as ::orrery_ecs::macros::MadeByDefault>::make()
                )
            });
            statements.extend(quote! { add.add::<#component>(|| #make); });
        }
    }
    Ok(statements)
}
