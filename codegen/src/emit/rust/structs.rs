//! Objects: a struct, the table of its members' spellings, and how it is read and written.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::decoders::{Decoder, inner_text};
use super::doc::doc;
use super::types::{constraint, field_docs, is_rust_default, value, written};
use super::{type_name, value_name};
use crate::check::LIMITS;
use crate::lower::model::{Definition, Member, Model, Presence, Struct, Type};
use crate::spelling;

pub(super) fn emit(model: &Model, definition: &Definition, shape: &Struct) -> Vec<TokenStream> {
    let name = type_name(&definition.name);
    let docs = doc(&definition.description);
    let kept = || shape.members.iter().filter(|member| !matches!(member.ty, Type::Constant(_)));
    let fields = kept().map(|member| {
        let field = value_name(&member.name);
        let ty = written(&member.ty);
        let docs = field_docs(&member.description, &member.presence);
        match member.presence {
            Presence::Optional => quote!(#docs pub #field: Option<#ty>),
            _ => quote!(#docs pub #field: #ty),
        }
    });
    let derives = match default(model, definition, shape) {
        Defaults::Derived => quote!(#[derive(Debug, Clone, PartialEq, Default)]),
        _ => quote!(#[derive(Debug, Clone, PartialEq)]),
    };
    let mut items = vec![quote!(#docs #derives pub struct #name { #(#fields),* })];
    if let Defaults::Written(fields) = default(model, definition, shape) {
        items.push(quote! {
            impl Default for #name {
                fn default() -> Self {
                    Self { #(#fields),* }
                }
            }
        });
    }
    items.push(table(model, definition, shape));
    items.push(decode(model, &name, shape));
    items.push(encode(&name, shape));
    items
}

enum Defaults {
    None,
    Derived,
    Written(Vec<TokenStream>),
}

/// A type whose members may all be absent has a default. So have the limits: what the protocol gives them.
fn default(model: &Model, definition: &Definition, shape: &Struct) -> Defaults {
    if definition.name == LIMITS {
        let fields = shape.members.iter().map(|member| {
            let field = value_name(&member.name);
            let limit = format_ident!("{}", spelling::shouting(&member.name));
            match member.ty {
                Type::Unsigned => quote!(#field: limit::#limit),
                _ => {
                    let value = model.told_limits().find(|limit| limit.name == member.name);
                    let value = Literal::u64_unsuffixed(value.map(|limit| limit.value).unwrap_or_default());
                    quote!(#field: Bounded::new(#value).expect("the spec's value is within the bounds"))
                }
            }
        });
        return Defaults::Written(fields.collect());
    }
    let mut derived = true;
    let mut fields = Vec::new();
    for member in &shape.members {
        let field = value_name(&member.name);
        match &member.presence {
            Presence::Required => return Defaults::None,
            Presence::Optional => fields.push(quote!(#field: None)),
            Presence::Default(default, _) => {
                derived &= is_rust_default(model, &member.ty, default);
                let default = value(model, &member.ty, default);
                fields.push(quote!(#field: #default));
            }
        }
    }
    if derived { Defaults::Derived } else { Defaults::Written(fields) }
}

fn table(model: &Model, definition: &Definition, shape: &Struct) -> TokenStream {
    let name = type_name(&definition.name);
    let text = &definition.name;
    let members = shape.members.iter().map(|member| {
        let (name, other) = (&member.name, &member.other);
        if member.fixed { quote!(Member::fixed(#name)) } else { quote!(Member::new(#name, #other)) }
    });
    let table = match &shape.tag {
        None => quote!(Shape::new(#text, &[#(#members),*])),
        Some((tag, _)) => quote!(Shape::variant(#text, #tag, &[#(#members),*])),
    };
    let texts = shape.members.iter().filter_map(|member| {
        let constraint = constraint(inner_text(model, &member.ty)?);
        let docs = doc(&format!("What the text of `{}` must look like.", member.name));
        let name = text_name(member);
        Some(quote!(#docs pub const #name: Text = #constraint;))
    });
    quote! {
        impl #name {
            /// Its members in both spellings (SP-03).
            pub const SHAPE: &'static Shape = &#table;

            #(#texts)*
        }
    }
}

fn decode(model: &Model, name: &Ident, shape: &Struct) -> TokenStream {
    let members = &shape.members;
    let slots = members.iter().map(slot);
    let fills: Vec<TokenStream> = members.iter().map(|member| fill(model, member)).collect();
    let read = match &fills[..] {
        [] => quote!(|_: &mut Reader<'_>, _| Ok(())),
        [only] => quote!(|reader: &mut Reader<'_>, _| #only),
        [first @ .., last] => {
            let indices = (0..first.len()).map(Literal::usize_unsuffixed);
            quote!(|reader: &mut Reader<'_>, member| match member { #(#indices => #first,)* _ => #last })
        }
    };
    let mut checks = Vec::new();
    let mut fields = Vec::new();
    for (index, member) in members.iter().enumerate() {
        let (field, slot) = (value_name(&member.name), slot(member));
        let index = Literal::usize_unsuffixed(index);
        match &member.presence {
            Presence::Required => {
                let value = quote!(#slot.required(reader, &Self::SHAPE.members[#index])?);
                match member.ty {
                    Type::Constant(_) => checks.push(quote!(#value;)),
                    _ => fields.push(quote!(#field: #value)),
                }
            }
            Presence::Optional => fields.push(quote!(#field: #slot.optional())),
            Presence::Default(default, _) => {
                let default = value(model, &member.ty, default);
                fields.push(quote!(#field: #slot.or(#default)));
            }
        }
    }
    quote! {
        impl Decode for #name {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
                #(let mut #slots = Slot::new();)*
                let fill = #read;
                reader.object(Self::SHAPE, fill)?;
                #(#checks)*
                Ok(Self { #(#fields),* })
            }
        }
    }
}

fn fill(model: &Model, member: &Member) -> TokenStream {
    let slot = slot(member);
    let Decoder { bindings, function } = Decoder::of(model, &member.ty, &text_name(member));
    let fill = match member.presence {
        Presence::Required => quote!(#slot.fill(reader, #function)),
        Presence::Optional | Presence::Default(..) => quote!(#slot.fill_optional(reader, #function)),
    };
    if bindings.is_empty() { fill } else { quote!({ #(#bindings)* #fill }) }
}

/// The name of the constraint on a member's text.
fn text_name(member: &Member) -> Ident {
    format_ident!("{}_TEXT", spelling::shouting(&member.name))
}

/// The local name of a member's slot, which must not hide what the reading itself names.
fn slot(member: &Member) -> Ident {
    match member.name.as_str() {
        name @ ("reader" | "member" | "constant" | "fill" | "text" | "same" | "list" | "map") => {
            format_ident!("{name}_slot")
        }
        name => value_name(name),
    }
}

fn encode(name: &Ident, shape: &Struct) -> TokenStream {
    let tag = shape.tag.iter().map(|(tag, value)| quote!(out.tag(#tag, #value);));
    let members = shape.members.iter().enumerate().map(|(index, member)| {
        let field = value_name(&member.name);
        let index = Literal::usize_unsuffixed(index);
        match (&member.ty, &member.presence) {
            (Type::Constant(value), _) => {
                quote!(out.member(&Self::SHAPE.members[#index], &Constant(#value));)
            }
            (_, Presence::Optional) => {
                quote!(out.optional(&Self::SHAPE.members[#index], self.#field.as_ref());)
            }
            _ => quote!(out.member(&Self::SHAPE.members[#index], &self.#field);),
        }
    });
    let body = quote!(#(#tag)* #(#members)*);
    let body =
        if body.is_empty() { quote!(out.object(|_| {});) } else { quote!(out.object(|out| { #body });) };
    quote! {
        impl Encode for #name {
            fn encode(&self, out: &mut Writer) {
                #body
            }
        }
    }
}
