//! The Rust of a protocol: its types with their reading and writing, its methods with their dispatch, its facts.
//! What the emitted code calls (`crate::json`, `crate::call`) is written by hand beside it.

mod calls;
mod decoders;
mod doc;
mod enums;
mod facts;
mod imports;
mod plain;
mod print;
mod structs;
mod support;
mod tables;
mod types;
mod unions;

use proc_macro2::{Ident, Span, TokenStream};
use quote::format_ident;

use crate::lower::model::{Definition, DefinitionKind, Model};
use crate::spelling;

/// The text of `protocol.rs`, to be included in a crate that has the modules `json` and `call`.
pub fn protocol(model: &Model) -> String {
    let mut items = Vec::new();
    items.extend(tables::about(model));
    items.extend(facts::errors(model));
    items.extend(facts::grants(model));
    items.extend(facts::methods(model));
    items.extend(calls::markers(model));
    items.extend(calls::messages(model));
    items.extend(calls::traits(model));
    items.extend(calls::dispatch(model));
    for definition in &model.definitions {
        items.extend(self::definition(model, definition));
    }
    items.extend(support::emit(model));
    items.extend(tables::limits(model));
    items.extend(tables::requirements(model));
    print::file(model, &items)
}

/// The text of what embeds the spec's files and exports; it goes with the text of [`protocol`], in the crate whose
/// directory is the spec's, built by a script that writes the exports.
pub fn embedded(model: &Model) -> String {
    print::items(&tables::files(model))
}

fn definition(model: &Model, definition: &Definition) -> Vec<TokenStream> {
    match &definition.kind {
        DefinitionKind::Struct(shape) => structs::emit(model, definition, shape),
        DefinitionKind::Union(union) => unions::emit(definition, union),
        DefinitionKind::Enum(values) => enums::emit(definition, values),
        DefinitionKind::Plain(ty) => plain::emit(definition, ty),
    }
}

/// A type's or variant's name.
fn type_name(name: &str) -> Ident {
    format_ident!("{}", spelling::pascal(name))
}

/// A field's or function's name.
fn value_name(name: &str) -> Ident {
    let name = spelling::snake(name);
    syn::parse_str(&name).unwrap_or_else(|_| Ident::new_raw(&name, Span::call_site()))
}
