//! How a value of a type is read: a function's name where that says all, else closures over the reader.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::type_name;
use super::types::{bounds, written};
use crate::load::OpenKind;
use crate::lower::model::{Count, DefinitionKind, Model, Text, Type};

/// What reads a value: an expression for a function over the reader, with the bindings it needs before it.
#[derive(Default)]
pub(super) struct Decoder {
    pub(super) bindings: Vec<TokenStream>,
    pub(super) function: TokenStream,
}

impl Decoder {
    /// What reads a value of the type, for the member whose constraint on text, if there is one, is `text`.
    pub(super) fn of(model: &Model, ty: &Type, text: &Ident) -> Self {
        let path = |path: TokenStream| Self { bindings: Vec::new(), function: path };
        match ty {
            Type::Named(name) => match &model.definition(name).kind {
                // An alias does not carry the bounds of what it stands for.
                DefinitionKind::Plain(plain @ (Type::List(..) | Type::Map(_) | Type::Open(Some(_)))) => {
                    Self::of(model, plain, text)
                }
                _ => {
                    let name = type_name(name);
                    path(quote!(#name::decode))
                }
            },
            Type::Text(_) => Self::default().bind("text", quote!(reader.text(&Self::#text))),
            Type::Constant(value) => Self::default().bind("same", quote!(constant(reader, #value))),
            Type::List(items, count) => {
                let items = Self::of(model, items, text);
                if items.bindings.is_empty() && *count == Count::default() {
                    return path(quote!(Vec::decode));
                }
                let (min, max) = bounds(*count);
                let item = items.function.clone();
                items.bind("list", quote!(reader.array(#min, #max, #item)))
            }
            Type::Map(values) => {
                let values = Self::of(model, values, text);
                if values.bindings.is_empty() {
                    return path(quote!(BTreeMap::decode));
                }
                let value = values.function.clone();
                values.bind("map", quote!(reader.map(#value)))
            }
            Type::Bounded(..) => path(quote!(Bounded::decode)),
            Type::Open(Some(OpenKind::Object)) => path(quote!(open_object)),
            Type::Open(Some(OpenKind::Array)) => path(quote!(open_array)),
            Type::String
            | Type::Unsigned
            | Type::Integer
            | Type::Number
            | Type::Boolean
            | Type::Open(None) => {
                let name = written(ty);
                path(quote!(#name::decode))
            }
        }
    }

    /// Names the function that reads as `body` says, after those that it uses.
    fn bind(mut self, name: &str, body: TokenStream) -> Self {
        let name = format_ident!("{name}");
        self.bindings.push(quote!(let #name = |reader: &mut Reader<'_>| #body;));
        Self { bindings: self.bindings, function: quote!(#name) }
    }
}

/// The constraint that a type puts on the text in it, wherever in it that is.
pub(super) fn inner_text<'a>(model: &'a Model, ty: &'a Type) -> Option<&'a Text> {
    match ty {
        Type::Text(text) => Some(text),
        Type::List(inner, _) | Type::Map(inner) => inner_text(model, inner),
        Type::Named(name) => match &model.definition(name).kind {
            DefinitionKind::Plain(plain @ (Type::List(..) | Type::Map(_))) => inner_text(model, plain),
            _ => None,
        },
        _ => None,
    }
}
