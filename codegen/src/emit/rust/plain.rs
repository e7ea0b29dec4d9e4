//! Definitions that are nothing but a type: a constrained string becomes a type of its own, any other an alias.

use proc_macro2::TokenStream;
use quote::quote;

use super::doc::doc;
use super::type_name;
use super::types::{constraint, written};
use crate::lower::model::{Definition, Type};

pub(super) fn emit(definition: &Definition, ty: &Type) -> Vec<TokenStream> {
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
