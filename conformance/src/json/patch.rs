//! JSON Patch (RFC 6902) on [`Json`]: how a twin edits a step of the case it is a twin of.

use super::{Json, pointer_tokens};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One operation of a JSON Patch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum Operation {
    /// Adds a member or inserts an element.
    Add {
        /// Where.
        path: String,
        /// What.
        value: Json,
    },
    /// Takes a member or an element away.
    Remove {
        /// Which.
        path: String,
    },
    /// Puts another value in the place of one that is there.
    Replace {
        /// Which.
        path: String,
        /// What comes there.
        value: Json,
    },
}

/// A patch that does not fit what it is applied to.
#[derive(Debug, thiserror::Error)]
#[error("nothing at {0} to patch")]
pub struct PatchFault(String);

/// Applies the operations in their order.
pub fn apply(value: &mut Json, patch: &[Operation]) -> Result<(), PatchFault> {
    patch.iter().try_for_each(|operation| {
        let (Operation::Add { path, .. } | Operation::Remove { path } | Operation::Replace { path, .. }) =
            operation;
        step(value, path, operation).ok_or_else(|| PatchFault(path.clone()))
    })
}

fn step(value: &mut Json, path: &str, operation: &Operation) -> Option<()> {
    let mut tokens: Vec<_> = pointer_tokens(path).collect();
    let last = tokens.pop()?;
    let mut place = value;
    for token in tokens {
        place = match place {
            Json::Object(members) => &mut members.iter_mut().find(|(name, _)| *name == token)?.1,
            Json::Array(elements) => elements.get_mut(token.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    match (place, operation) {
        (Json::Object(members), operation) => {
            let found = members.iter().position(|(name, _)| *name == last);
            match (operation, found) {
                (Operation::Add { value, .. } | Operation::Replace { value, .. }, Some(at)) => {
                    members[at].1 = value.clone();
                }
                (Operation::Add { value, .. }, None) => members.push((last.into_owned(), value.clone())),
                (Operation::Remove { .. }, Some(at)) => drop(members.remove(at)),
                (Operation::Replace { .. } | Operation::Remove { .. }, None) => return None,
            }
        }
        (Json::Array(elements), Operation::Add { value, .. }) => {
            let at = if last == "-" { elements.len() } else { last.parse().ok()? };
            if at > elements.len() {
                return None;
            }
            elements.insert(at, value.clone());
        }
        (Json::Array(elements), Operation::Remove { .. }) => {
            let at = last.parse::<usize>().ok().filter(|at| *at < elements.len())?;
            elements.remove(at);
        }
        (Json::Array(elements), Operation::Replace { value, .. }) => {
            *elements.get_mut(last.parse::<usize>().ok()?)? = value.clone();
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(value: &str, patch: &str) -> Option<String> {
        let mut value = crate::json::read(value).unwrap();
        let patch: Vec<Operation> = serde_json::from_str(patch).unwrap();
        apply(&mut value, &patch).ok().map(|()| value.to_string())
    }

    #[test]
    fn operations_edit_members_and_elements() {
        let patch = r#"[{"op":"replace","path":"/a/1","value":9},{"op":"add","path":"/a/-","value":3},{"op":"remove","path":"/b"}]"#;
        assert_eq!(patched(r#"{"a":[1,2],"b":0}"#, patch).as_deref(), Some(r#"{"a":[1,9,3]}"#));
    }

    #[test]
    fn what_is_not_there_cannot_be_replaced() {
        assert_eq!(patched("{}", r#"[{"op":"replace","path":"/a","value":1}]"#), None);
    }
}
