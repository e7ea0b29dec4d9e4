//! Descriptions as doc comments: wrapped, and with what Markdown or rustdoc would read as markup taken literally.

use proc_macro2::TokenStream;
use quote::quote;

/// Longest line of a doc comment, without its slashes.
const WIDTH: usize = 100;

/// A doc comment. `text` is Markdown of the modest kind that descriptions are: plain text and code in backticks.
pub(super) fn doc(text: &str) -> TokenStream {
    linked(&literal(text))
}

/// A doc comment in rustdoc's own Markdown, links and all.
pub(super) fn linked(text: &str) -> TokenStream {
    let lines = lines(text);
    let lines = lines.iter().map(|line| match line.as_str() {
        "" => String::new(),
        line => format!(" {line}"),
    });
    quote!(#(#[doc = #lines])*)
}

/// A doc comment whose later paragraphs are left out where they are empty.
pub(super) fn paragraphs(parts: &[&str]) -> TokenStream {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    doc(&parts.join("\n\n"))
}

fn lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split("\n\n") {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let full = line.chars().count() + 1 + word.chars().count() > WIDTH;
            if full && !line.is_empty() && !begins_block(word) {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// Whether a line that begins with `word` would begin a list, a quotation or a heading.
fn begins_block(word: &str) -> bool {
    word.starts_with(['-', '+', '*', '>', '#', '=', '|', '~'])
        || word.trim_end_matches(['.', ')']).chars().all(|c| c.is_ascii_digit())
}

/// Escapes, outside of code, what would be a link, a tag or an escape.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, part) in text.split('`').enumerate() {
        if index > 0 {
            out.push('`');
        }
        if index % 2 == 1 {
            out.push_str(part);
            continue;
        }
        for c in part.chars() {
            if matches!(c, '[' | ']' | '<' | '>' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_literal_outside_of_code() {
        assert_eq!(literal("a [link] <b> `x[0] < 1`"), r"a \[link\] \<b\> `x[0] < 1`");
    }

    #[test]
    fn a_line_never_begins_what_is_not_meant() {
        let text = format!("{} - 1) > #", "word ".repeat(20));
        for line in lines(&text) {
            assert!(!begins_block(line.split(' ').next().unwrap()), "{line}");
        }
    }
}
