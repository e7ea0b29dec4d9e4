//! What emitted code imports: of the names that it may use bare, those that it does use.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::print::parsed;

/// The names, by the module that they come from.
const KNOWN: &[(&str, &[&str])] = &[
    ("crate::call", &["Long", "Notification", "Params", "Request"]),
    (
        "crate::json",
        &[
            "Bounded", "Decode", "Encode", "Fault", "Integer", "Member", "RawJson", "Reader", "Shape",
            "Slot", "Text", "Unfit", "Writer",
        ],
    ),
    ("std::borrow", &["Borrow"]),
    ("std::collections", &["BTreeMap"]),
    ("std", &["fmt"]),
    ("std::pin", &["Pin"]),
    ("std::str", &["FromStr"]),
];

/// The imports of these items, a line each.
pub(super) fn of(items: &[TokenStream]) -> String {
    let mut uses = Uses::default();
    items.iter().for_each(|item| uses.visit_file(&parsed(item)));
    let mut out = String::new();
    for (module, names) in KNOWN {
        let used: Vec<&str> = names.iter().copied().filter(|name| uses.0.contains(*name)).collect();
        match used[..] {
            [] => {}
            [only] => out.push_str(&format!("use {module}::{only};\n")),
            _ => out.push_str(&format!("use {module}::{{{}}};\n", used.join(", "))),
        }
    }
    out
}

/// The names with which paths begin. A name that is only declared, as an enum's variant, is not among them.
#[derive(Default)]
struct Uses(BTreeSet<String>);

impl Visit<'_> for Uses {
    fn visit_path(&mut self, path: &syn::Path) {
        self.0.extend(path.segments.first().map(|segment| segment.ident.to_string()));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &syn::Macro) {
        let names = call.tokens.clone().into_iter().filter_map(|token| match token {
            TokenTree::Ident(name) => Some(name.to_string()),
            _ => None,
        });
        self.0.extend(names);
    }
}
