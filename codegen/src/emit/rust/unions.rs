//! Unions: an enum over the variants' structs, told apart by their tag.

use proc_macro2::TokenStream;
use quote::quote;

use super::doc::{doc, paragraphs};
use super::type_name;
use crate::lower::model::{Definition, Union};

pub(super) fn emit(definition: &Definition, union: &Union) -> Vec<TokenStream> {
    let name = type_name(&definition.name);
    let tag = &union.tag;
    let told = format!("Told apart by `{tag}`.");
    let docs = paragraphs(&[&definition.description, &told]);
    let values: Vec<&str> = union.variants.iter().map(|(value, _)| value.as_str()).collect();
    let variants: Vec<_> = values.iter().map(|value| type_name(value)).collect();
    let types: Vec<_> = union.variants.iter().map(|(_, name)| type_name(name)).collect();
    let about = values.iter().map(|value| doc(&format!("`{value}`.")));
    let unknown = union.extensible.then(|| {
        let docs = doc("A variant that this version of the protocol does not name; readers pass over it.");
        quote!(#docs Unknown(RawJson))
    });
    let (returned, known, other) = if union.extensible {
        (
            quote!(Option<&'static str>),
            quote!(#(Self::#variants(_) => Some(#values),)*),
            quote!(Self::Unknown(_) => None,),
        )
    } else {
        (quote!(&'static str), quote!(#(Self::#variants(_) => #values,)*), quote!())
    };
    let tag_docs = match union.extensible {
        true => doc(&format!("The value of its `{tag}`, if this version of the protocol names it.")),
        false => doc(&format!("The value of its `{tag}`.")),
    };
    let otherwise = match union.extensible {
        true => quote!(RawJson::decode(reader).map(Self::Unknown)),
        false => quote!(Err(reader.unknown_tag(#tag, &[#(#values),*]))),
    };
    let encode_unknown = union.extensible.then(|| quote!(Self::Unknown(value) => value.encode(out),));
    let mut items = vec![
        quote! {
            #docs
            #[derive(Debug, Clone, PartialEq)]
            #[allow(clippy::large_enum_variant, reason = "variants follow the spec; none is kept in numbers")]
            pub enum #name { #(#about #variants(#types),)* #unknown }
        },
        quote! {
            impl #name {
                #tag_docs
                pub const fn tag(&self) -> #returned {
                    match self { #known #other }
                }
            }
        },
        quote! {
            impl Decode for #name {
                fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
                    match reader.tag(#tag)?.as_ref() {
                        #(#values => #types::decode(reader).map(Self::#variants),)*
                        _ => #otherwise,
                    }
                }
            }
        },
        quote! {
            impl Encode for #name {
                fn encode(&self, out: &mut Writer) {
                    match self {
                        #(Self::#variants(value) => value.encode(out),)*
                        #encode_unknown
                    }
                }
            }
        },
    ];
    items.extend(variants.iter().zip(&types).map(|(variant, ty)| {
        quote! {
            impl From<#ty> for #name {
                fn from(value: #ty) -> Self {
                    Self::#variant(value)
                }
            }
        }
    }));
    items
}
