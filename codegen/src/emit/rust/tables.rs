//! The spec's tables, embedded: what it is called, its limits, its rules, and its files themselves.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use sha2::{Digest, Sha256};

use super::doc::{doc, paragraphs};
use super::type_name;
use crate::load::Level;
use crate::lower::model::Model;
use crate::spelling;

pub(super) fn about(model: &Model) -> Vec<TokenStream> {
    let name = &model.protocol.name;
    let version = Literal::u64_unsuffixed(model.protocol.version);
    vec![
        quote! {
            /// What the protocol is called.
            pub const PROTOCOL_NAME: &str = #name;
        },
        quote! {
            /// The version of the protocol (HS-02).
            pub const PROTOCOL_VERSION: u64 = #version;
        },
    ]
}

pub(super) fn limits(model: &Model) -> Vec<TokenStream> {
    let limits = &model.protocol.limits;
    let constants = limits.iter().map(|limit| {
        let name = format_ident!("{}", spelling::shouting(&limit.name));
        let value = Literal::u64_unsuffixed(limit.value);
        let unit = match limit.unit.as_str() {
            "bytes" => "In bytes",
            "ms" => "In milliseconds",
            "s" => "In seconds",
            _ => "A count",
        };
        let docs = paragraphs(&[&limit.description, &format!("{unit} ({}).", limit.rule.value)]);
        quote!(#docs pub const #name: u64 = #value;)
    });
    let rows = limits.iter().map(|limit| {
        let (name, unit, rule, description) =
            (&limit.name, &limit.unit, &limit.rule.value, &limit.description);
        let constant = format_ident!("{}", spelling::shouting(name));
        let config = optional(limit.config.as_deref());
        let minimum = optional(limit.minimum.map(Literal::u64_unsuffixed));
        quote! {
            LimitFacts {
                name: #name,
                value: limit::#constant,
                unit: #unit,
                config: #config,
                rule: #rule,
                minimum: #minimum,
                description: #description,
            }
        }
    });
    vec![
        quote! {
            /// Every time, size and count that the protocol names, as it is where the configuration sets no other (LI-11).
            pub mod limit { #(#constants)* }
        },
        quote! {
            /// A named time, size or count.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub struct LimitFacts {
                /// Its name.
                pub name: &'static str,
                /// Its value, where the configuration sets no other.
                pub value: u64,
                /// What it counts: `bytes`, `ms`, `s` or `count`.
                pub unit: &'static str,
                /// The configuration property that sets it, if one does.
                pub config: Option<&'static str>,
                /// The rule that names it.
                pub rule: &'static str,
                /// The least that the configuration may set.
                pub minimum: Option<u64>,
                /// What it bounds.
                pub description: &'static str,
            }
        },
        quote! {
            /// Every limit.
            pub const LIMITS: &[LimitFacts] = &[#(#rows),*];
        },
    ]
}

fn optional(value: Option<impl quote::ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}

pub(super) fn requirements(model: &Model) -> Vec<TokenStream> {
    let rows = model.requirements.rules.iter().map(|rule| {
        let (id, section, text) = (&rule.id, &rule.section, &rule.text);
        let level = match rule.level {
            Level::Must => type_name("must"),
            Level::Should => type_name("should"),
        };
        quote!(Requirement { id: #id, level: Level::#level, section: #section, text: #text })
    });
    vec![
        quote! {
            /// How binding a rule is.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Level {
                /// Without exception.
                Must,
                /// Where nothing speaks against it.
                Should,
            }
        },
        quote! {
            /// A rule of the protocol.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub struct Requirement {
                /// Its identifier.
                pub id: &'static str,
                /// How binding it is.
                pub level: Level,
                /// The section it stands in.
                pub section: &'static str,
                /// What it says, in Markdown.
                pub text: &'static str,
            }
        },
        quote! {
            /// Every rule, in the spec's order.
            pub const REQUIREMENTS: &[Requirement] = &[#(#rows),*];
        },
    ]
}

pub(super) fn files(model: &Model) -> Vec<TokenStream> {
    let rows = model.files.keys().map(|path| {
        let file = format!("/{path}");
        quote!((#path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), #file))))
    });
    let digest = digest(model);
    let docs = doc(
        "SHA-256 over the path and the text of every file of the spec but its meta-schemas, each ended by a NUL, in the order of their paths; in hexadecimal.",
    );
    vec![
        quote! {
            /// The files of the spec: path and text.
            pub const SPEC_FILES: &[(&str, &str)] = &[#(#rows),*];
        },
        quote! {
            #docs
            pub const SPEC_DIGEST: &str = #digest;
        },
        quote! {
            /// The spec as one JSON Schema document.
            pub const JSON_SCHEMA: &str = include_str!(concat!(env!("OUT_DIR"), "/zeroclaw.schema.json"));
        },
        quote! {
            /// The spec as an OpenRPC document.
            pub const OPENRPC: &str = include_str!(concat!(env!("OUT_DIR"), "/zeroclaw.openrpc.json"));
        },
    ]
}

fn digest(model: &Model) -> String {
    let mut digest = Sha256::new();
    // What the files must look like is no part of what they say.
    for (path, text) in model.files.iter().filter(|(path, _)| !path.starts_with("meta/")) {
        // A NUL ends a path and a text; neither can contain one.
        for part in [path, text] {
            digest.update(part);
            digest.update([0]);
        }
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
