//! `docs/protocol.md`: every rule, in order, with an anchor of its own.

use super::{limits, notice};
use crate::load::{Level, Section};
use crate::lower::model::Model;

/// The section whose limits are also shown as a table.
const LIMITS: &str = "LI";

/// The page, as text.
pub fn protocol(model: &Model) -> String {
    let requirements = &model.requirements;
    let mut out = notice("spec/requirements.json and spec/protocol.json");
    out.push_str(&format!("# {}\n\n{}\n", requirements.title, requirements.preamble));
    for section in &requirements.sections {
        out.push_str(&self::section(model, section));
    }
    out
}

fn section(model: &Model, section: &Section) -> String {
    let mut out = format!("\n## {} {} ({})\n\n", section.number, section.title, section.id);
    if let Some(intro) = &section.intro {
        out.push_str(&format!("{intro}\n\n"));
    }
    for rule in model.requirements.rules.iter().filter(|rule| rule.section == section.id) {
        let level = match rule.level {
            Level::Must => "M",
            Level::Should => "S",
        };
        // Lines after the first belong to the item: indented, they stay in it.
        let text = rule.text.replace('\n', "\n  ");
        out.push_str(&format!("- <a id=\"{id}\"></a>**{id}** {level} {text}\n", id = rule.id));
    }
    if section.id == LIMITS {
        out.push_str(&format!("\n{}", limits(model)));
    }
    out
}
