//! Types that are not objects: how they are written in Rust, read, and given as a default; and the definitions that
//! are nothing but such a type.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;

use super::doc::{doc, paragraphs};
use super::{type_name, value_name};
use crate::load::OpenKind;
use crate::lower::model::{Count, Definition, DefinitionKind, Model, Presence, Text, Type};

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

fn bounds(count: Count) -> (TokenStream, TokenStream) {
    let min = Literal::u64_unsuffixed(count.min);
    let max = count.max.map(Literal::u64_unsuffixed);
    (quote!(#min), max.map_or(quote!(usize::MAX), |max| quote!(#max)))
}

/// A definition that is a constrained string becomes a type of its own, any other an alias.
pub(super) fn plain(definition: &Definition, ty: &Type) -> Vec<TokenStream> {
    let name = type_name(&definition.name);
    let Type::Text(text) = ty else {
        let ty = written(ty);
        let docs = doc(&definition.description);
        return vec![quote!(#docs pub type #name = #ty;)];
    };
    let docs = doc(&definition.description);
    let constraint = constraint(text);
    vec![
        quote! {
            #docs
            #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct #name(String);
        },
        quote! {
            impl #name {
                /// What its text must look like.
                pub const TEXT: &'static Text = &#constraint;

                /// Checks the text.
                ///
                /// # Errors
                /// [`Unfit`] says what is asked for.
                pub fn new(text: impl Into<String>) -> Result<Self, Unfit> {
                    let text = text.into();
                    Self::TEXT.check(&text)?;
                    Ok(Self(text))
                }

                /// The text.
                pub fn as_str(&self) -> &str {
                    &self.0
                }
            }
        },
        quote! {
            impl fmt::Display for #name {
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str(&self.0)
                }
            }
        },
        quote! {
            impl FromStr for #name {
                type Err = Unfit;

                fn from_str(text: &str) -> Result<Self, Unfit> {
                    Self::new(text)
                }
            }
        },
        quote! {
            impl AsRef<str> for #name {
                fn as_ref(&self) -> &str {
                    &self.0
                }
            }
        },
        quote! {
            impl Borrow<str> for #name {
                fn borrow(&self) -> &str {
                    &self.0
                }
            }
        },
        quote! {
            impl Decode for #name {
                fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
                    reader.text(Self::TEXT).map(Self)
                }
            }
        },
        quote! {
            impl Encode for #name {
                fn encode(&self, out: &mut Writer) {
                    self.0.encode(out);
                }
            }
        },
    ]
}

/// What the readers of this file share, as far as they need it.
pub(super) fn support(model: &Model) -> Vec<TokenStream> {
    let mut needs = Needs::default();
    for definition in &model.definitions {
        match &definition.kind {
            DefinitionKind::Struct(shape) => shape.members.iter().for_each(|member| needs.see(&member.ty)),
            DefinitionKind::Plain(ty) => needs.see(ty),
            DefinitionKind::Enum(_) => needs.values = true,
            DefinitionKind::Union(_) => {}
        }
    }
    let mut items = Vec::new();
    if needs.values {
        let docs = doc("A text that is none of an enum's values.");
        items.push(quote! {
            #docs
            #[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
            #[error("expected one of {}", .0.join(", "))]
            pub struct UnknownValue(&'static [&'static str]);
        });
    }
    if needs.constant {
        items.push(quote! {
            /// A member that has one value; there is nothing to keep of it.
            fn constant(reader: &mut Reader<'_>, value: &'static str) -> Result<(), Fault> {
                match reader.string()? == value {
                    true => Ok(()),
                    false => Err(reader.fault(format!("expected {value}"))),
                }
            }
        });
        items.push(quote! {
            /// The value of such a member.
            struct Constant(&'static str);
        });
        items.push(quote! {
            impl Encode for Constant {
                fn encode(&self, out: &mut Writer) {
                    out.string(self.0);
                }
            }
        });
    }
    for (needed, function, begins, expected) in [
        (needs.object, "open_object", '{', "expected an object"),
        (needs.array, "open_array", '[', "expected an array"),
    ] {
        if needed {
            let function = value_name(function);
            let docs = doc("Open data that is at least of this kind.");
            items.push(quote! {
                #docs
                fn #function(reader: &mut Reader<'_>) -> Result<RawJson, Fault> {
                    let json = RawJson::decode(reader)?;
                    match json.as_str().starts_with(#begins) {
                        true => Ok(json),
                        false => Err(reader.fault(#expected)),
                    }
                }
            });
        }
    }
    items
}

#[derive(Default)]
struct Needs {
    values: bool,
    constant: bool,
    object: bool,
    array: bool,
}

impl Needs {
    fn see(&mut self, ty: &Type) {
        match ty {
            Type::Constant(_) => self.constant = true,
            Type::Open(Some(OpenKind::Object)) => self.object = true,
            Type::Open(Some(OpenKind::Array)) => self.array = true,
            Type::List(inner, _) | Type::Map(inner) => self.see(inner),
            _ => {}
        }
    }
}

/// A sentence on a field's default, for its documentation.
pub(super) fn field_docs(description: &str, presence: &Presence) -> TokenStream {
    match presence {
        Presence::Default(value, _) => paragraphs(&[description, &format!("Default: `{value}`.")]),
        _ => doc(description),
    }
}
