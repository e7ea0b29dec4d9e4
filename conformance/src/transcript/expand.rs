//! From what is written to what runs: one script a case, `each` and twins worked out.

use super::{Header, Step, Transcript, TranscriptFault, Verb, read};
use crate::json::{self, Json};
use std::collections::BTreeMap;

/// A case that can run.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The case's name, with its label if it is one of `each`.
    pub id: String,
    /// The file it comes from.
    pub path: String,
    /// The header, with what a twin inherits.
    pub header: Header,
    /// The value of `$each`.
    pub each: Option<Json>,
    /// The steps, each with the line of its own file.
    pub steps: Vec<Step>,
    /// How many of them a twin has from the positive case's file.
    pub borrowed: usize,
    /// The case that must pass in the same run, if this is its twin.
    pub twin_of: Option<String>,
}

/// Works out `each` and the twin of one transcript.
pub fn expand(
    transcript: &Transcript,
    all: &BTreeMap<&str, &Transcript>,
) -> Result<Vec<Script>, TranscriptFault> {
    let fault = |line, what| TranscriptFault { path: transcript.path.clone(), line, what };
    let mut header = transcript.header.clone();
    let own = transcript.lines.iter().map(|(_, step)| step.clone());
    let mut twin_of = None;
    let mut borrowed = 0;
    let steps: Vec<Step> = match &transcript.header.twin {
        None => own.collect(),
        Some(twin) => {
            let positive = all
                .get(twin.of.as_str())
                .ok_or_else(|| fault(1, format!("a twin of `{}`, which is no case", twin.of)))?;
            if positive.header.twin.is_some() {
                return Err(fault(1, format!("a twin of `{}`, which is a twin itself", twin.of)));
            }
            twin_of = Some(twin.of.clone());
            inherit(&mut header, &positive.header);
            let mut steps = Vec::new();
            let mut edited = false;
            for (written, step) in &positive.lines {
                edited = step.common.step.as_deref() == Some(&twin.edit);
                if edited {
                    steps.push(edit(written, step.line, twin).map_err(|what| fault(1, what))?);
                    break;
                }
                steps.push(step.clone());
            }
            if !edited {
                return Err(fault(1, format!("`{}` has no step labelled `{}`", twin.of, twin.edit)));
            }
            borrowed = steps.len();
            steps.into_iter().chain(own).collect()
        }
    };
    let script = |id: String, each: Option<Json>, twin_of: Option<String>| Script {
        id,
        path: transcript.path.clone(),
        header: header.clone(),
        each,
        steps: steps.clone(),
        borrowed,
        twin_of,
    };
    if header.each.is_empty() {
        return Ok(vec![script(header.case.clone(), None, twin_of)]);
    }
    // A twin that inherits `each` is a twin of the case with the same label.
    let inherited = transcript.header.each.is_empty();
    let labelled = header.each.iter().map(|(label, value)| {
        let twin_of = twin_of.as_ref().map(|of| if inherited { format!("{of}/{label}") } else { of.clone() });
        script(format!("{}/{label}", header.case), Some(value.clone()), twin_of)
    });
    Ok(labelled.collect())
}

/// What the twin does not say itself it takes from the positive case.
fn inherit(header: &mut Header, positive: &Header) {
    if header.needs.is_empty() {
        header.needs.clone_from(&positive.needs);
    }
    for (name, value) in &positive.config {
        header.config.entry(name.clone()).or_insert_with(|| value.clone());
    }
    for (name, value) in &positive.users {
        header.users.entry(name.clone()).or_insert_with(|| value.clone());
    }
    for (name, value) in &positive.names {
        header.names.entry(name.clone()).or_insert_with(|| value.clone());
    }
    if header.each.is_empty() {
        header.each.clone_from(&positive.each);
    }
    header.skip.extend(positive.skip.iter().cloned());
    header.spelling = header.spelling.or(positive.spelling);
}

fn edit(written: &Json, line: usize, twin: &super::Twin) -> Result<Step, String> {
    let mut edited = written.clone();
    json::apply_patch(&mut edited, &twin.patch)
        .map_err(|fault| format!("the patch does not fit: {fault}"))?;
    if let Json::Object(members) = &mut edited {
        members.retain(|(name, _)| name != "reply");
    }
    let mut step = read::step(edited, line).map_err(|what| format!("the patched step: {what}"))?;
    // The edit may be exactly what the schemas refuse: that it is judged wrong is the endpoint's to say.
    if let Verb::Send(send) = &mut step.verb {
        send.invalid = true;
    }
    Ok(step)
}
