//! Patterns: whether a value is what a step expects, what it binds, and where it differs.

use super::{Scopes, SuiteFault, evaluate, fault, text, whole_name};
use crate::json::{Json, pointer_push, source_at};
use regex::Regex;

/// Where a value differs from its pattern.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Mismatch {
    /// JSON pointer into the value.
    pub pointer: String,
    /// What the pattern wants there.
    pub expected: String,
    /// What stands there.
    pub got: String,
}

/// What a pattern is held against.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The value.
    pub value: &'a Json,
    /// The text the value was read from, for `$text`.
    pub source: Option<&'a str>,
    /// Whether the value is a frame, so that its `id` is an envelope id (EN-04: type and number text).
    pub is_frame: bool,
}

/// What was bound, or where the value differs.
type Outcome = Result<(), Stop>;

enum Stop {
    Differs(Mismatch),
    Fault(SuiteFault),
}

impl From<SuiteFault> for Stop {
    fn from(fault: SuiteFault) -> Self {
        Self::Fault(fault)
    }
}

/// Holds a subject to a pattern. What it binds is given back, and stands only if the whole pattern holds.
pub fn match_pattern(
    pattern: &Json,
    subject: Subject<'_>,
    scopes: &Scopes<'_>,
) -> Result<Result<Vec<(String, Json)>, Mismatch>, SuiteFault> {
    let mut matcher = Matcher { subject, scopes, bound: Vec::new(), at: String::new() };
    match matcher.holds(pattern, Some(subject.value)) {
        Ok(()) => Ok(Ok(matcher.bound)),
        Err(Stop::Differs(mismatch)) => Ok(Err(mismatch)),
        Err(Stop::Fault(fault)) => Err(fault),
    }
}

struct Matcher<'a> {
    subject: Subject<'a>,
    scopes: &'a Scopes<'a>,
    bound: Vec<(String, Json)>,
    at: String,
}

impl Matcher<'_> {
    fn differs(&self, expected: impl Into<String>, value: Option<&Json>) -> Outcome {
        let got = value.map_or_else(|| "nothing".to_owned(), Json::to_string);
        Err(Stop::Differs(Mismatch { pointer: self.at.clone(), expected: expected.into(), got }))
    }

    fn name(&self, name: &str) -> Result<Json, SuiteFault> {
        match self.bound.iter().find(|(bound, _)| bound == name) {
            Some((_, value)) => Ok(value.clone()),
            None => self.scopes.get(name),
        }
    }

    fn below(&mut self, token: &str, pattern: &Json, value: Option<&Json>) -> Outcome {
        let here = self.at.len();
        pointer_push(&mut self.at, token);
        let outcome = self.holds(pattern, value);
        self.at.truncate(here);
        outcome
    }

    fn holds(&mut self, pattern: &Json, value: Option<&Json>) -> Outcome {
        match pattern {
            Json::String(written) => {
                let wanted = match whole_name(written) {
                    Some(name) => self.name(name)?,
                    None => Json::String(text(written, self.scopes)?),
                };
                self.equals(&wanted, value)
            }
            Json::Array(patterns) => {
                let Some(found @ Json::Array(elements)) = value else {
                    return self.differs("an array", value);
                };
                if elements.len() != patterns.len() {
                    return self.differs(format!("{} elements", patterns.len()), Some(found));
                }
                let mut pairs = patterns.iter().zip(elements).enumerate();
                pairs.try_for_each(|(index, (pattern, element))| {
                    self.below(&index.to_string(), pattern, Some(element))
                })
            }
            Json::Object(members) if members.iter().any(|(name, _)| is_operator(name)) => {
                members.iter().try_for_each(|(operator, operand)| self.operator(operator, operand, value))
            }
            Json::Object(members) => {
                let Some(found @ Json::Object(_)) = value else { return self.differs("an object", value) };
                members.iter().try_for_each(|(name, pattern)| {
                    let name = text(name, self.scopes)?;
                    self.below(&name, pattern, found.get(&name))
                })
            }
            _ => self.equals(pattern, value),
        }
    }

    fn equals(&self, wanted: &Json, value: Option<&Json>) -> Outcome {
        // EN-04: an envelope id keeps its type and, if it is a number, its text.
        let envelope_id = self.subject.is_frame && self.at == "/id";
        let same = value.is_some_and(|value| if envelope_id { value == wanted } else { value.same(wanted) });
        if same { Ok(()) } else { self.differs(wanted.to_string(), value) }
    }

    fn operator(&mut self, operator: &str, operand: &Json, value: Option<&Json>) -> Outcome {
        if operator == "$absent" {
            let absent = value.is_none();
            return if absent { Ok(()) } else { self.differs("nothing", value) };
        }
        let Some(found) = value else { return self.differs(format!("{{\"{operator}\":{operand}}}"), value) };
        let holds = match operator {
            "$any" => true,
            "$bind" => {
                let Some(name) = operand.as_str() else {
                    return Err(SuiteFault("`$bind` is a name".into()).into());
                };
                self.bound.push((name.to_owned(), found.clone()));
                true
            }
            "$re" => {
                let written = text(operand.as_str().unwrap_or_default(), self.scopes)?;
                let regex = Regex::new(&written).map_err(|fault| SuiteFault(fault.to_string()))?;
                found.as_str().is_some_and(|text| regex.is_match(text))
            }
            "$type" => operand.as_str().is_some_and(|name| found.is_type(name)),
            "$text" => {
                let wanted = evaluate(operand, self.scopes)?;
                let source = self.subject.source.and_then(|source| source_at(source, &self.at));
                let source = source.map_or_else(|| found.to_string(), str::to_owned);
                wanted.as_str() == Some(&source)
            }
            "$exact" => evaluate(operand, self.scopes)?.same(found),
            "$not" => !self.would_hold(operand, found)?,
            "$in" => {
                let mut holds = false;
                for pattern in operand.elements() {
                    holds = holds || self.would_hold(pattern, found)?;
                }
                holds
            }
            "$has" => self.has(operand.elements(), found.elements())? && found.is_type("array"),
            "$gt" | "$gte" | "$lt" | "$lte" => self.compares(operator, operand, found)?,
            _ => {
                let whole = Json::Object(vec![(operator.to_owned(), operand.clone())]);
                let computed = evaluate(&whole, self.scopes)?;
                if computed == whole {
                    return fault(format!("`{operator}` is no operator")).map_err(Stop::Fault);
                }
                computed.same(found)
            }
        };
        if holds { Ok(()) } else { self.differs(format!("{{\"{operator}\":{operand}}}"), value) }
    }

    /// Whether a pattern holds; what it binds then stands.
    fn would_hold(&mut self, pattern: &Json, value: &Json) -> Result<bool, SuiteFault> {
        let bound = self.bound.len();
        match self.holds(pattern, Some(value)) {
            Ok(()) => Ok(true),
            Err(Stop::Differs(_)) => {
                self.bound.truncate(bound);
                Ok(false)
            }
            Err(Stop::Fault(fault)) => Err(fault),
        }
    }

    /// Elements that match the patterns in this order, others between.
    fn has(&mut self, patterns: &[Json], mut elements: &[Json]) -> Result<bool, SuiteFault> {
        'patterns: for pattern in patterns {
            while let Some((element, rest)) = elements.split_first() {
                elements = rest;
                if self.would_hold(pattern, element)? {
                    continue 'patterns;
                }
            }
            return Ok(false);
        }
        Ok(true)
    }

    fn compares(&self, operator: &str, operand: &Json, found: &Json) -> Result<bool, SuiteFault> {
        let number =
            |value: &Json| if let Json::Number(text) = value { text.parse::<f64>().ok() } else { None };
        let Some(limit) = number(&evaluate(operand, self.scopes)?) else {
            return fault(format!("`{operator}` compares with a number"));
        };
        Ok(number(found).is_some_and(|found| match operator {
            "$gt" => found > limit,
            "$gte" => found >= limit,
            "$lt" => found < limit,
            _ => found <= limit,
        }))
    }
}

fn is_operator(name: &str) -> bool {
    name.starts_with('$') && !name.starts_with("$$") && !name.starts_with("${")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use crate::value::Given;
    use std::collections::BTreeMap;

    fn matched(pattern: &str, source: &str) -> Result<Result<Vec<(String, Json)>, Mismatch>, SuiteFault> {
        let given = Given { names: BTreeMap::from([("n".into(), read("7").unwrap())]), ..Given::default() };
        let computed = BTreeMap::new();
        let value = read(source).unwrap();
        let subject = Subject { value: &value, source: Some(source), is_frame: true };
        match_pattern(&read(pattern).unwrap(), subject, &Scopes::new(&given, &computed, None))
    }

    #[test]
    fn patterns_hold() {
        for (pattern, value) in [
            (r#"{"a":1}"#, r#"{"b":2,"a":1.0}"#),
            (r#"{"a":"$n","b":"<${n}>","$$c":"$$"}"#, r#"{"a":7,"b":"<7>","$c":"$"}"#),
            (r#"{"id":{"$text":"1e3"}}"#, r#"{"id": 1e3}"#),
            (r#"{"a":{"$absent":true}}"#, r#"{}"#),
            (r#"{"a":{"$in":["x",{"$re":"^y+$"}]}}"#, r#"{"a":"yy"}"#),
            (r#"{"a":{"$has":[1,{"b":2}]}}"#, r#"{"a":[0,1,5,{"b":2,"c":3}]}"#),
            (r#"{"a":{"$type":"integer","$gte":3,"$lt":4}}"#, r#"{"a":3}"#),
            (r#"{"a":{"$exact":{"b":1}}}"#, r#"{"a":{"b":1}}"#),
            (r#"{"a":{"$not":{"$has":["x"]}}}"#, r#"{"a":["y"]}"#),
            (r#"{"a":{"$add":["$n",1]}}"#, r#"{"a":8}"#),
            (r#"{"a":null}"#, r#"{"a":null}"#),
        ] {
            assert!(matched(pattern, value).unwrap().is_ok(), "{pattern} {value}");
        }
    }

    #[test]
    fn patterns_say_where_they_do_not_hold() {
        for (pattern, value, pointer) in [
            (r#"{"id":1}"#, r#"{"id":1.0}"#, "/id"),
            (r#"{"id":1}"#, r#"{"id":"1"}"#, "/id"),
            (r#"{"a":[1,2]}"#, r#"{"a":[1]}"#, "/a"),
            (r#"{"a":{"b":null}}"#, r#"{"a":{}}"#, "/a/b"),
            (r#"{"a":{"$exact":{"b":1}}}"#, r#"{"a":{"b":1,"c":2}}"#, "/a"),
            (r#"{"a":{"$type":"integer"}}"#, r#"{"a":1.0}"#, "/a"),
            (r#"{"a":{"$absent":true}}"#, r#"{"a":null}"#, "/a"),
            (r#"{"a":{"$has":[2,1]}}"#, r#"{"a":[1,2]}"#, "/a"),
        ] {
            let mismatch = matched(pattern, value).unwrap().unwrap_err();
            assert_eq!(mismatch.pointer, pointer, "{pattern} {value}");
        }
    }

    #[test]
    fn a_name_is_bound_and_known_in_the_same_pattern() {
        let bound = matched(r#"{"a":{"$bind":"x"},"b":"$x"}"#, r#"{"a":[1],"b":[1]}"#).unwrap().unwrap();
        assert_eq!(bound, [("x".to_owned(), read("[1]").unwrap())]);
        assert!(matched(r#"{"b":"$x"}"#, r#"{"b":1}"#).is_err(), "an unbound name is a fault of the suite");
    }
}
