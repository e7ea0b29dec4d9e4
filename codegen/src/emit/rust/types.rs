//! Types in Rust: how they are written in a field, and given as a default.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::doc::{doc, paragraphs};
use super::type_name;
use crate::lower::model::{Count, DefinitionKind, Model, Presence, Text, Type};

/// The type as it is written in a field.
pub(super) fn written(ty: &Type) -> TokenStream {
    match ty {
        Type::Named(name) => {
            let name = type_name(name);
            quote!(#name)
        }
        Type::String | Type::Text(_) => quote!(String),
        Type::Constant(_) => unreachable!("a member with one value has no field"),
        Type::Bounded(min, max) => {
            let (min, max) = (Literal::i64_unsuffixed(*min), Literal::i64_unsuffixed(*max));
            quote!(Bounded<#min, #max>)
        }
        Type::Unsigned => quote!(u64),
        Type::Integer => quote!(Integer),
        Type::Number => quote!(f64),
        Type::Boolean => quote!(bool),
        Type::List(items, _) => {
            let items = written(items);
            quote!(Vec<#items>)
        }
        Type::Map(values) => {
            let values = written(values);
            quote!(BTreeMap<String, #values>)
        }
        Type::Open(_) => quote!(RawJson),
    }
}

/// The expression for a default of the type.
pub(super) fn value(model: &Model, ty: &Type, value: &Value) -> TokenStream {
    match (ty, value) {
        (Type::Named(name), _) => {
            let path = type_name(name);
            match (&model.definition(name).kind, value) {
                (DefinitionKind::Enum(_), Value::String(text)) => {
                    let variant = type_name(text);
                    quote!(#path::#variant)
                }
                (DefinitionKind::Plain(Type::Text(_)), Value::String(text)) => {
                    quote!(#path::new(#text).expect("the spec's default fits"))
                }
                (DefinitionKind::Plain(ty), _) => self::value(model, ty, value),
                _ => quote!(#path::default()),
            }
        }
        (Type::Bounded(..), Value::Number(number)) => {
            let number = integer(number);
            quote!(Bounded::new(#number).expect("the spec's default is within the bounds"))
        }
        (Type::Unsigned, Value::Number(number)) => integer(number),
        (Type::Integer, Value::Number(number)) => {
            let number = integer(number);
            quote!(Integer::from(#number))
        }
        (Type::Number, Value::Number(number)) => {
            let number = Literal::f64_unsuffixed(number.as_f64().unwrap_or_default());
            quote!(#number)
        }
        (Type::List(items, _), Value::Array(values)) if !values.is_empty() => {
            let values = values.iter().map(|value| self::value(model, items, value));
            quote!(vec![#(#values),*])
        }
        (Type::List(..), _) => quote!(Vec::new()),
        (Type::Map(_), _) => quote!(BTreeMap::new()),
        (_, Value::Bool(value)) => quote!(#value),
        (_, Value::String(text)) if text.is_empty() => quote!(String::new()),
        (_, Value::String(text)) => quote!(#text.to_owned()),
        _ => unreachable!("the spec's defaults fit their types"),
    }
}

/// Whether a default of the type is what Rust's `Default` gives.
pub(super) fn is_rust_default(model: &Model, ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Named(name), _) => match &model.definition(name).kind {
            DefinitionKind::Struct(_) => true,
            DefinitionKind::Plain(Type::Text(_)) => false,
            DefinitionKind::Plain(ty) => is_rust_default(model, ty, value),
            _ => false,
        },
        (Type::Unsigned | Type::Number, value) => value.as_f64() == Some(0.0),
        (Type::Boolean, value) => *value == Value::Bool(false),
        (Type::String | Type::Text(_), value) => value == "",
        (Type::List(..), Value::Array(values)) => values.is_empty(),
        (Type::Map(_), _) => true,
        _ => false,
    }
}

fn integer(number: &serde_json::Number) -> TokenStream {
    match number.as_i64() {
        Some(number) => {
            let number = Literal::i64_unsuffixed(number);
            quote!(#number)
        }
        None => {
            let number = Literal::u64_unsuffixed(number.as_u64().unwrap_or_default());
            quote!(#number)
        }
    }
}

/// A `Text` of the runtime.
pub(super) fn constraint(text: &Text) -> TokenStream {
    let (min, max) = bounds(text.count);
    let class = match &text.class {
        None => quote!(None),
        Some(ranges) => {
            let ranges = ranges.iter().map(|(low, high)| quote!((#low, #high)));
            quote!(Some(&[#(#ranges),*]))
        }
    };
    quote!(Text { min: #min, max: #max, class: #class })
}

pub(super) fn bounds(count: Count) -> (TokenStream, TokenStream) {
    let min = Literal::u64_unsuffixed(count.min);
    let max = count.max.map(Literal::u64_unsuffixed);
    (quote!(#min), max.map_or(quote!(usize::MAX), |max| quote!(#max)))
}

/// A sentence on a field's default, for its documentation.
pub(super) fn field_docs(description: &str, presence: &Presence) -> TokenStream {
    match presence {
        Presence::Default(value, _) => paragraphs(&[description, &format!("Default: `{value}`.")]),
        _ => doc(description),
    }
}
