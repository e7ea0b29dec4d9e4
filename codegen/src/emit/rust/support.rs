//! What the emitted readers share, as far as a spec needs it.

use proc_macro2::TokenStream;
use quote::quote;

use super::doc::doc;
use super::value_name;
use crate::load::OpenKind;
use crate::lower::model::{DefinitionKind, Model, Type};

/// What the readers of this file share, as far as they need it.
pub(super) fn emit(model: &Model) -> Vec<TokenStream> {
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
