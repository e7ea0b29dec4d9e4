//! String enums.

use proc_macro2::TokenStream;
use quote::quote;

use super::doc::doc;
use super::type_name;
use crate::lower::model::{Definition, EnumValue};

pub(super) fn emit(definition: &Definition, values: &[EnumValue]) -> Vec<TokenStream> {
    let name = type_name(&definition.name);
    let docs = doc(&definition.description);
    let texts: Vec<&str> = values.iter().map(|value| value.value.as_str()).collect();
    let variants: Vec<_> = texts.iter().map(|text| type_name(text)).collect();
    let about = values.iter().map(|value| doc(&value.description));
    vec![
        quote! {
            #docs
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum #name { #(#about #variants),* }
        },
        quote! {
            impl #name {
                /// Every value, in the spec's order.
                pub const ALL: &'static [Self] = &[#(Self::#variants),*];

                const TEXTS: &'static [&'static str] = &[#(#texts),*];

                /// The value as it is written.
                pub const fn as_str(self) -> &'static str {
                    match self { #(Self::#variants => #texts),* }
                }
            }
        },
        quote! {
            impl fmt::Display for #name {
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str(self.as_str())
                }
            }
        },
        quote! {
            impl FromStr for #name {
                type Err = UnknownValue;

                fn from_str(text: &str) -> Result<Self, UnknownValue> {
                    match text {
                        #(#texts => Ok(Self::#variants),)*
                        _ => Err(UnknownValue(Self::TEXTS)),
                    }
                }
            }
        },
        quote! {
            impl Decode for #name {
                fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
                    let text = reader.string()?;
                    text.parse().map_err(|unknown: UnknownValue| reader.fault(unknown.to_string()))
                }
            }
        },
        quote! {
            impl Encode for #name {
                fn encode(&self, out: &mut Writer) {
                    out.string(self.as_str());
                }
            }
        },
    ]
}
