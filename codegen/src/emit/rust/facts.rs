//! What is known of the methods and errors without a call: tables that the daemon judges frames by.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::doc::doc;
use super::type_name;
use crate::check::{TRANSPORTS, VERBS};
use crate::load::{From, Kind, Runs};
use crate::lower::model::{Method, Model};

pub(super) fn errors(model: &Model) -> Vec<TokenStream> {
    let errors = &model.errors;
    let variants: Vec<_> = errors.iter().map(|error| type_name(&error.name)).collect();
    let names: Vec<&str> = errors.iter().map(|error| error.name.as_str()).collect();
    let codes: Vec<_> = errors.iter().map(|error| Literal::i32_unsuffixed(error.code)).collect();
    let meanings: Vec<&str> = errors.iter().map(|error| error.meaning.as_str()).collect();
    let docs = errors.iter().map(|error| doc(&error.meaning));
    let common = errors.iter().filter(|error| error.common).map(|error| type_name(&error.name));
    vec![
        quote! {
            /// Why a request failed (ER-01).
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            #[repr(i32)]
            pub enum ErrorCode { #(#docs #variants = #codes),* }
        },
        quote! {
            impl ErrorCode {
                /// Every code, in the spec's order.
                pub const ALL: &'static [Self] = &[#(Self::#variants),*];

                /// The codes that any method may answer with (ER-02).
                pub const COMMON: &'static [Self] = &[#(Self::#common),*];

                /// The number on the wire.
                pub const fn code(self) -> i32 {
                    self as i32
                }

                /// Its name in the spec.
                pub const fn name(self) -> &'static str {
                    match self { #(Self::#variants => #names),* }
                }

                /// When it is answered.
                pub const fn meaning(self) -> &'static str {
                    match self { #(Self::#variants => #meanings),* }
                }

                /// The error of this number.
                pub const fn from_code(code: i32) -> Option<Self> {
                    match code {
                        #(#codes => Some(Self::#variants),)*
                        _ => None,
                    }
                }
            }
        },
        quote! {
            impl fmt::Display for ErrorCode {
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str(self.name())
                }
            }
        },
    ]
}

pub(super) fn grants(model: &Model) -> Vec<TokenStream> {
    let named: BTreeSet<&str> =
        model.methods.iter().filter_map(|method| Some(method.grant.as_ref()?.0.as_str())).collect();
    let words = |docs: TokenStream, name: &str, words: &[&str], what: &str| {
        let name = format_ident!("{name}");
        let variants: Vec<_> = words.iter().map(|word| type_name(word)).collect();
        let about = words.iter().map(|word| doc(&format!("`{word}`.")));
        let (all, as_str) = (format!("Every {what}."), format!("The {what} as it is written."));
        let parse = format!("The {what} of this name.");
        let (all, as_str, parse) = (doc(&all), doc(&as_str), doc(&parse));
        [
            quote! {
                #docs
                #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
                pub enum #name { #(#about #variants),* }
            },
            quote! {
                impl #name {
                    #all
                    pub const ALL: &'static [Self] = &[#(Self::#variants),*];

                    #as_str
                    pub const fn as_str(self) -> &'static str {
                        match self { #(Self::#variants => #words),* }
                    }

                    #parse
                    pub fn parse(name: &str) -> Option<Self> {
                        Self::ALL.iter().copied().find(|known| known.as_str() == name)
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
        ]
    };
    let named: Vec<&str> = named.into_iter().collect();
    let mut items = Vec::new();
    items.extend(words(doc("What a right is about (AU-05)."), "Resource", &named, "resource"));
    items.extend(words(doc("What a right allows (AU-03)."), "Verb", &VERBS, "verb"));
    items.extend(words(doc("What a frame came over (EP-15)."), "TransportKind", &TRANSPORTS, "transport"));
    items.push(quote! {
        /// A right that a method needs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Grant {
            /// What it is about.
            pub resource: Resource,
            /// What it allows.
            pub verb: Verb,
        }
    });
    items.push(quote! {
        impl fmt::Display for Grant {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "{}:{}", self.resource, self.verb)
            }
        }
    });
    items
}

pub(super) fn methods(model: &Model) -> Vec<TokenStream> {
    let served: Vec<&Method> = model.served().collect();
    let variants: Vec<_> = served.iter().map(|method| type_name(&method.marker)).collect();
    let names: Vec<&str> = served.iter().map(|method| method.name.as_str()).collect();
    let docs = served.iter().map(|method| doc(&format!("`{}`: {}", method.name, method.description)));
    let facts: Vec<_> = served.iter().map(|method| row(method)).collect();
    let sent = model.methods.iter().filter(|method| method.from == From::Daemon).map(row);
    let mut by_length: BTreeMap<usize, Vec<TokenStream>> = BTreeMap::new();
    for (name, variant) in names.iter().zip(&variants) {
        by_length.entry(name.len()).or_default().push(quote!(#name => Some(Self::#variant),));
    }
    let arms = by_length.iter().map(|(length, arms)| {
        let length = Literal::usize_unsuffixed(*length);
        quote!(#length => match name { #(#arms)* _ => None })
    });
    let mut items = shapes();
    items.extend([
        quote! {
            /// The methods that clients call.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Method { #(#docs #variants),* }
        },
        quote! {
            impl Method {
                /// Every method.
                pub const ALL: &'static [Self] = &[#(Self::#variants),*];

                /// The method of this name.
                pub fn parse(name: &str) -> Option<Self> {
                    match name.len() {
                        #(#arms,)*
                        _ => None,
                    }
                }

                /// Its name on the wire.
                pub const fn name(self) -> &'static str {
                    self.facts().name
                }

                /// What the spec says of it beside its types.
                pub const fn facts(self) -> &'static Facts {
                    match self { #(Self::#variants => &#facts),* }
                }
            }
        },
        quote! {
            impl fmt::Display for Method {
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str(self.name())
                }
            }
        },
        quote! {
            /// What the daemon sends of its own accord; it sends nothing else (OR-09).
            pub const SENT: &[Facts] = &[#(#sent),*];
        },
    ]);
    items
}

fn shapes() -> Vec<TokenStream> {
    vec![
        quote! {
            /// Whether a message is answered.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Kind {
                /// It is.
                Request,
                /// It never is.
                Notification,
            }
        },
        quote! {
            /// One of the two sides of a connection.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Party {
                /// Whoever connects.
                Client,
                /// Whoever serves.
                Daemon,
            }
        },
        quote! {
            /// Whether a method holds up those that come after it on its connection (OR-04).
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Runs {
                /// It ends before the next begins.
                InOrder,
                /// It runs beside the others.
                Long,
            }
        },
        quote! {
            /// What the spec says of a method or notification beside its types.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub struct Facts {
                /// Its name on the wire.
                pub name: &'static str,
                /// Whether it is answered.
                pub kind: Kind,
                /// Who sends it.
                pub from: Party,
                /// Whether it holds up those after it.
                pub runs: Runs,
                /// The right it needs; `None` if none.
                pub grant: Option<Grant>,
                /// The transports it is served on.
                pub transports: &'static [TransportKind],
                /// What it may fail with: its own errors, then those common to all.
                pub errors: &'static [ErrorCode],
                /// Whether it may come before `initialize` has succeeded (HS-01).
                pub before_initialize: bool,
                /// Whether a refusal is announced by a notification too (TU-05).
                pub announce_refusal: bool,
                /// The rules that it keeps.
                pub rules: &'static [&'static str],
                /// What it does.
                pub description: &'static str,
            }
        },
    ]
}

fn row(method: &Method) -> TokenStream {
    let Method { name, description, before_initialize, announce_refusal, requirements, .. } = method;
    let kind = match method.kind {
        Kind::Request => quote!(Kind::Request),
        Kind::Notification => quote!(Kind::Notification),
    };
    let from = match method.from {
        From::Client => quote!(Party::Client),
        From::Daemon => quote!(Party::Daemon),
    };
    let runs = match method.runs {
        Runs::InOrder => quote!(Runs::InOrder),
        Runs::Long => quote!(Runs::Long),
    };
    let grant = match &method.grant {
        None => quote!(None),
        Some((resource, verb)) => {
            let (resource, verb) = (type_name(resource), type_name(verb));
            quote!(Some(Grant { resource: Resource::#resource, verb: Verb::#verb }))
        }
    };
    let transports = method.transports.iter().map(|transport| type_name(transport));
    let errors = method.errors.iter().map(|error| type_name(error));
    quote! {
        Facts {
            name: #name,
            kind: #kind,
            from: #from,
            runs: #runs,
            grant: #grant,
            transports: &[#(TransportKind::#transports),*],
            errors: &[#(ErrorCode::#errors),*],
            before_initialize: #before_initialize,
            announce_refusal: #announce_refusal,
            rules: &[#(#requirements),*],
            description: #description,
        }
    }
}
