//! What names stand for: what is given, what the header computes, what patterns bound. A round of a repetition has
//! a scope of its own; names bound outside are seen inside.

use super::bytes::with_version;
use super::{SuiteFault, evaluate, fault};
use crate::json::Json;
use crate::spec::{Spec, Spelling};
use std::collections::BTreeMap;

/// What is known before the first step.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// `$agent`, `$uniq`, `$dir`, `$socket`, `$each`.
    pub names: BTreeMap<String, Json>,
    /// `$limit.NAME`.
    pub limits: BTreeMap<String, i64>,
}

/// The scopes of one case.
pub struct Scopes<'a> {
    given: &'a Given,
    computed: &'a BTreeMap<String, Json>,
    each: Option<&'a Json>,
    bound: Vec<BTreeMap<String, Json>>,
    spelling: Option<(&'a Spec, Spelling)>,
}

impl<'a> Scopes<'a> {
    /// The scopes of a case that has not begun. `computed` and `each` are expressions, evaluated where they are used.
    pub fn new(given: &'a Given, computed: &'a BTreeMap<String, Json>, each: Option<&'a Json>) -> Self {
        Self { given, computed, each, bound: vec![BTreeMap::new()], spelling: None }
    }

    /// Frames are respelled so, in `raw` bytes too.
    pub fn spell(&mut self, spec: &'a Spec, spelling: Spelling) {
        self.spelling = Some((spec, spelling));
    }

    /// A frame as it is sent: with its version member, and in the spelling of the run.
    pub(crate) fn frame(&self, frame: Json) -> Json {
        let frame = with_version(frame);
        match self.spelling {
            Some((spec, spelling)) => spec.respell_call(&frame, spelling),
            None => frame,
        }
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Result<Json, SuiteFault> {
        if let Some(limit) = name.strip_prefix("limit.") {
            return match self.given.limits.get(limit) {
                Some(value) => Ok(Json::integer(*value)),
                None => fault(format!("`{limit}` is no limit")),
            };
        }
        if let Some(value) = self.bound.iter().rev().find_map(|scope| scope.get(name)) {
            return Ok(value.clone());
        }
        if let Some(expression) = self.expression(name) {
            return evaluate(expression, self);
        }
        match self.given.names.get(name) {
            Some(value) => Ok(value.clone()),
            None => fault(format!("`${name}` is not bound yet")),
        }
    }

    /// The expression a name stands for, if the header gives it one.
    pub(super) fn expression(&self, name: &str) -> Option<&Json> {
        if name == "each" { self.each } else { self.computed.get(name) }
    }

    /// Binds a name in the innermost scope, where it is bound once.
    pub fn bind(&mut self, name: String, value: Json) -> Result<(), SuiteFault> {
        let Some(scope) = self.bound.last_mut() else { return fault("no scope is open") };
        if scope.contains_key(&name) {
            return fault(format!("`${name}` is bound twice"));
        }
        scope.insert(name, value);
        Ok(())
    }

    /// Opens a scope: a round of a repetition.
    pub fn enter(&mut self, scope: BTreeMap<String, Json>) {
        self.bound.push(scope);
    }

    /// Closes the innermost scope and gives back what was bound in it.
    pub fn leave(&mut self) -> BTreeMap<String, Json> {
        self.bound.pop().unwrap_or_default()
    }
}
