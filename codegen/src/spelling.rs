//! How names are spelled: camelCase and snake_case on the wire (SP-01), PascalCase in Rust.
//! Only the spelling; which names are allowed is `check`'s matter.

/// `agentAlias` → `agent_alias`; a snake_case name stays as it is.
pub(crate) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// `agent_alias` → `agentAlias`; a camelCase name stays as it is.
pub(crate) fn camel(name: &str) -> String {
    capitalized(name, |c| c == '_', false)
}

/// `session/list-acp` → `SessionListAcp`, `end_turn` → `EndTurn`, `queueRoom` → `QueueRoom`.
pub(crate) fn pascal(name: &str) -> String {
    capitalized(name, |c| !c.is_ascii_alphanumeric(), true)
}

/// Whether what [`pascal`] makes of a name can name a type or a variant.
pub(crate) fn names_type(name: &str) -> bool {
    let pascal = pascal(name);
    pascal.starts_with(|c: char| c.is_ascii_uppercase())
        && pascal.chars().all(|c| c.is_ascii_alphanumeric())
        && pascal != "Self"
}

/// `max_frame_bytes` → `MAX_FRAME_BYTES`.
pub(crate) fn shouting(name: &str) -> String {
    snake(name).to_ascii_uppercase()
}

fn capitalized(name: &str, separates: impl Fn(char) -> bool, mut raise: bool) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if separates(c) {
            raise = true;
        } else if raise {
            out.push(c.to_ascii_uppercase());
            raise = false;
        } else {
            out.push(c);
        }
    }
    out
}

/// The other spelling of a member, or `None` if the name does not come back from it unchanged.
pub(crate) fn other(name: &str) -> Option<String> {
    let well_formed = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !well_formed {
        return None;
    }
    if name.contains('_') {
        let other = camel(name);
        (snake(&other) == name).then_some(other)
    } else {
        let other = snake(name);
        (camel(&other) == name).then_some(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_has_one_other_spelling_and_comes_back_from_it() {
        for (name, spelled) in [
            ("agentAlias", "agent_alias"),
            ("data_b64", "dataB64"),
            ("sha256", "sha256"),
            ("ref_id", "refId"),
            ("cwd", "cwd"),
        ] {
            assert_eq!(other(name).as_deref(), Some(spelled));
            assert_eq!(other(spelled).as_deref(), Some(name));
        }
    }

    #[test]
    fn a_name_that_does_not_come_back_has_none() {
        for name in ["Alias", "foo_1", "foo__bar", "foo_", "_foo", "foo-bar", "fooBar_baz", "", "größe"] {
            assert_eq!(other(name), None, "{name}");
        }
    }
}
