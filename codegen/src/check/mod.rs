//! Whether the documents of a spec make sense together. Form was `load`'s matter; the values in a spec
//! (defaults and examples) are judged by `values`, when it is known what they have to fit.

mod mentions;
mod methods;
mod names;
mod schemas;
mod tables;
mod values;

pub(crate) use methods::{TRANSPORTS, VERBS};
pub(crate) use tables::LIMITS;
pub(crate) use values::{asked, check as values};

use crate::definitions::Definitions;
use crate::load::Spec;
use crate::problem::Problems;

/// Everything in the documents that does not fit together.
pub(crate) fn check(spec: &Spec) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let definitions = Definitions::of(spec);
    names::check(spec, &mut problems);
    schemas::check(spec, &definitions, &mut problems);
    tables::check(spec, &mut problems);
    mentions::check(spec, &mut problems);
    methods::check(spec, &definitions, &mut problems);
    problems.or(())
}
