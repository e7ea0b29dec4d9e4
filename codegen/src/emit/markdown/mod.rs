//! The spec for people to read: the protocol rule by rule, and the reference of its methods.

mod protocol;
mod reference;
mod words;

pub use protocol::protocol;
pub use reference::reference;

use crate::lower::model::Model;

/// What stands at the top of a generated page.
fn notice(source: &str) -> String {
    format!(
        "<!-- Generated from {source}; to change it, change the source and run: \
         ZEROCLAW_UPDATE=1 cargo test -p zeroclaw-codegen --test drift -->\n"
    )
}

/// A table; cells are Markdown.
fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = line(head.iter().map(|cell| (*cell).to_owned()).collect());
    out.push_str(&line(head.iter().map(|_| "---".to_owned()).collect()));
    for cells in rows {
        out.push_str(&line(
            cells.into_iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect(),
        ));
    }
    out
}

/// The limits, as a table.
fn limits(model: &Model) -> String {
    let rows = model.protocol.limits.iter().map(|limit| {
        let value = match limit.unit.as_str() {
            "count" => grouped(limit.value),
            unit => format!("{} {unit}", grouped(limit.value)),
        };
        let config = match (&limit.config, limit.minimum) {
            (None, _) => String::new(),
            (Some(config), None) => format!("`{config}`"),
            (Some(config), Some(minimum)) => format!("`{config}`, at least {}", grouped(minimum)),
        };
        vec![format!("`{}`", limit.name), value, config, limit.rule.value.clone(), limit.description.clone()]
    });
    table(&["Limit", "Value", "Configuration", "Rule", "What it bounds"], rows)
}

/// `8388608` as `8,388,608`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_grouped_in_threes() {
        assert_eq!([0, 999, 1000, 8_388_608].map(grouped), ["0", "999", "1,000", "8,388,608"]);
    }
}
