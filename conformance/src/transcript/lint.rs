//! What can be told wrong with a transcript without running it: names that lead nowhere, numbers that do not
//! survive every JSON tool, verbs that do not fit together.

use super::{
    Branch, Expect, Header, OneOrMany, Open, Repeat, Script, Send, Step, Transcript, TranscriptFault, Verb,
};
use crate::json::Json;
use crate::spec::{From, Spec};
use std::collections::BTreeSet;

/// What is wrong, and where.
pub type Finding = TranscriptFault;

/// The operators of patterns.
const OPERATORS: [&str; 14] = [
    "$bind", "$re", "$in", "$not", "$has", "$gt", "$gte", "$lt", "$lte", "$type", "$exact", "$absent",
    "$any", "$text",
];
/// The computed values.
const COMPUTED: [&str; 4] = ["$b64", "$sha256", "$bytes", "$add"];
/// Names that are always given.
const GIVEN: [&str; 5] = ["agent", "uniq", "dir", "socket", "each"];

/// Looks at a transcript and the cases it makes.
pub fn lint(transcript: &Transcript, scripts: &[&Script], spec: &Spec) -> Vec<Finding> {
    let mut lint =
        Lint { path: &transcript.path, spec, findings: Vec::new(), names: BTreeSet::new(), line: 1 };
    lint.header(&transcript.header);
    lint.text(&transcript.header_json);
    for (json, step) in &transcript.lines {
        lint.line = step.line;
        lint.text(json);
    }
    // Names, connections and labels of a twin come from the positive case too: the expanded steps have them all.
    if let Some(script) = scripts.first() {
        lint.script(script);
    }
    lint.findings
}

struct Lint<'a> {
    path: &'a str,
    spec: &'a Spec,
    findings: Vec<Finding>,
    names: BTreeSet<String>,
    line: usize,
}

impl Lint<'_> {
    fn report(&mut self, what: impl Into<String>) {
        self.findings.push(Finding { path: self.path.to_owned(), line: self.line, what: what.into() });
    }

    fn header(&mut self, header: &Header) {
        let named = format!("{}.ndjson", header.case.replacen('.', "/", 1));
        if named != self.path {
            self.report(format!("case `{}` belongs in `{named}`", header.case));
        }
        if header.rules.is_empty() {
            self.report("a case names at least one rule");
        }
        if header.about.trim().is_empty() {
            self.report("`about` says what the case shows");
        }
        for rule in &header.rules {
            self.rule(rule);
        }
        for property in header.config.keys() {
            if !self.spec.limits.iter().any(|limit| limit.config.as_deref() == Some(property))
                && property.starts_with("rpc.")
                && !matches!(
                    property.as_str(),
                    "rpc.strict_params" | "rpc.server_version" | "rpc.socket_group"
                )
            {
                self.report(format!("`{property}` is no property that the spec names"));
            }
        }
    }

    fn rule(&mut self, rule: &str) {
        if self.spec.rule(rule).is_none() {
            self.report(format!("`{rule}` is no rule of the spec"));
        }
    }

    /// What every JSON tool must read the same way: the text of the line.
    fn text(&mut self, json: &Json) {
        match json {
            Json::Number(text) => {
                let within = match text.parse::<i128>() {
                    Ok(integer) => integer.unsigned_abs() <= 1 << 53,
                    Err(_) => text.parse::<f64>().is_ok_and(|number| number.abs() <= 9_007_199_254_740_992.0),
                };
                if text.contains(['e', 'E']) || !within {
                    self.report(format!(
                        "number {text}: with an exponent or beyond 2^53 it belongs in `raw` or `$text`"
                    ));
                }
            }
            Json::Array(elements) => elements.iter().for_each(|element| self.text(element)),
            Json::Object(members) => {
                for (index, (name, value)) in members.iter().enumerate() {
                    if members[..index].iter().any(|(earlier, _)| earlier == name) {
                        self.report(format!("`{name}` stands twice in one object"));
                    }
                    self.text(value);
                }
            }
            _ => {}
        }
    }

    fn script(&mut self, script: &Script) {
        self.names = GIVEN.iter().map(|name| (*name).to_owned()).collect();
        self.names.extend(script.header.names.keys().cloned());
        collect_names(&script.steps, &mut self.names);
        self.line = 1;
        for value in script.header.names.values().chain(script.header.each.values()) {
            self.value(value);
        }
        for pattern in &script.header.skip {
            self.pattern(pattern);
        }
        let mut open: BTreeSet<String> = BTreeSet::from(["a".to_owned(), "model".to_owned()]);
        collect_connections(&script.steps, &mut open);
        let mut labels = BTreeSet::new();
        for step in &script.steps {
            if let Some(label) = &step.common.step
                && !labels.insert(label.clone())
            {
                self.line = step.line;
                self.report(format!("`{label}` labels another step too"));
            }
        }
        // A twin's leading steps belong to the positive case's file and are looked at there.
        for step in &script.steps[script.borrowed..] {
            self.step(step, &open, &labels, false);
        }
    }

    fn step(&mut self, step: &Step, open: &BTreeSet<String>, labels: &BTreeSet<String>, in_branch: bool) {
        self.line = step.line;
        if let Some(rule) = &step.common.rule {
            self.rule(rule);
        }
        if let Some(on) = &step.common.on
            && !open.contains(on.split('.').next().unwrap_or(on))
        {
            self.report(format!("connection `{on}` is opened nowhere"));
        }
        let on_model = step.common.on.as_deref().is_some_and(|on| on.split('.').next() == Some("model"));
        match &step.verb {
            Verb::Send(send) if !on_model => self.send(send, labels),
            Verb::Send(_) | Verb::Close(_) | Verb::Read(_) | Verb::Daemon(_) => {}
            Verb::Open(Open { user, .. }) => {
                if let Some(user) = user {
                    self.value(&Json::text(user.as_str()));
                }
            }
            Verb::Raw(raw) => {
                self.value(&raw.raw);
                self.limit(raw.drip.as_deref());
            }
            Verb::Expect(expect) => self.expect(expect, labels),
            Verb::Check(check) => {
                self.value(&check.check);
                self.pattern(&check.is);
            }
            Verb::Fence(fence) => {
                if in_branch {
                    self.report("a fence inside `unordered` would wait for the other branches");
                }
                fence.fence.iter().for_each(|step| self.step(step, open, labels, in_branch));
            }
            Verb::Unordered(unordered) => {
                if in_branch {
                    self.report(
                        "`unordered` inside `unordered`: make its branches branches of the outer one",
                    );
                }
                unordered.skip.iter().for_each(|pattern| self.pattern(pattern));
                for branch in &unordered.unordered {
                    let steps = match branch {
                        Branch::Steps(steps) => steps,
                        Branch::Rounds(repeat) => self.range(repeat),
                    };
                    steps.iter().for_each(|step| self.step(step, open, labels, true));
                }
            }
            Verb::Repeat(repeat) => {
                let steps = self.range(repeat);
                steps.iter().for_each(|step| self.step(step, open, labels, in_branch));
            }
        }
    }

    fn range<'r>(&mut self, repeat: &'r Repeat) -> &'r [Step] {
        repeat.from.iter().chain([&repeat.to]).for_each(|bound| self.value(bound));
        &repeat.steps
    }

    fn send(&mut self, send: &Send, labels: &BTreeSet<String>) {
        for frame in send.send.frames() {
            self.value(frame);
            if let Some(id) = frame.get("id").and_then(Json::as_str)
                && (id.starts_with("fence-") || id.starts_with("init-"))
            {
                self.report(format!("id `{id}`: `fence-` and `init-` are the runner's own"));
            }
            let method = frame.get("method").and_then(Json::as_str).filter(|method| !method.contains('$'));
            if let Some(method) = method
                && !send.invalid
                && self.spec.methods.get(method).is_none_or(|method| method.from != From::Client)
            {
                self.report(format!(
                    "`{method}` is no method of the spec that a client calls; if so meant: \"invalid\":true"
                ));
            }
        }
        match (&send.reply, &send.send) {
            (Some(_), OneOrMany::Many(_)) => {
                self.report("`reply` goes with one frame; expect each reply of several")
            }
            (Some(_), OneOrMany::One(frame)) if frame.get("id").is_none() => {
                self.report("`reply` to a frame without id");
            }
            (None, _) if !send.skip.is_empty() || !send.variant.is_empty() || send.bytes.is_some() => {
                self.report("`skip`, `variant` and `bytes` beside `send` are about its `reply`");
            }
            _ => {}
        }
        let patterns = send.reply.iter().chain(&send.skip).chain(&send.variant).chain(&send.bytes);
        patterns.for_each(|pattern| self.pattern(pattern));
        self.timing(send.took.as_deref(), send.since.as_deref(), labels);
    }

    fn expect(&mut self, expect: &Expect, labels: &BTreeSet<String>) {
        if let Some(word) = expect.expect.as_str()
            && !matches!(word, "eof" | "reset" | "lost")
        {
            self.report(format!("`{word}`: what ends a stream is \"eof\", \"reset\" or \"lost\""));
        }
        if expect.expect.as_str().is_none() {
            self.pattern(&expect.expect);
        }
        let patterns = expect.skip.iter().chain(&expect.variant).chain(&expect.bytes);
        patterns.for_each(|pattern| self.pattern(pattern));
        expect.join.values().for_each(|text| self.value(text));
        self.timing(expect.took.as_deref(), expect.since.as_deref(), labels);
    }

    fn timing(&mut self, took: Option<&str>, since: Option<&str>, labels: &BTreeSet<String>) {
        self.limit(took);
        if let Some(since) = since
            && !labels.contains(since)
        {
            self.report(format!("`since`: no step is labelled `{since}`"));
        }
    }

    fn limit(&mut self, name: Option<&str>) {
        if let Some(name) = name
            && self.spec.limit(name).is_none()
        {
            self.report(format!("`{name}` is no limit of the spec"));
        }
    }

    /// A value: names in it must lead somewhere, in member names too.
    fn value(&mut self, value: &Json) {
        match value {
            Json::String(text) => self.names_in(text),
            Json::Array(elements) => elements.iter().for_each(|element| self.value(element)),
            Json::Object(members) => {
                for (name, value) in members {
                    if name.starts_with('$') && !name.starts_with("$$") && !COMPUTED.contains(&name.as_str())
                    {
                        self.report(format!(
                            "`{name}` computes nothing; a member of that name is written `${name}`"
                        ));
                    }
                    self.value(value);
                }
            }
            _ => {}
        }
    }

    fn pattern(&mut self, pattern: &Json) {
        match pattern {
            Json::String(text) => self.names_in(text),
            Json::Array(elements) => elements.iter().for_each(|element| self.pattern(element)),
            Json::Object(members) => {
                let operator = |name: &str| name.starts_with('$') && !name.starts_with("$$");
                if members.iter().any(|(name, _)| operator(name))
                    && members.iter().any(|(name, _)| !operator(name))
                {
                    self.report("operators and members stand in one pattern; take them apart");
                }
                for (name, value) in members {
                    match name.as_str() {
                        "$bind" | "$type" | "$absent" | "$any" => {}
                        "$re" => self.regex(value),
                        "$text" | "$exact" | "$gt" | "$gte" | "$lt" | "$lte" => self.value(value),
                        name if operator(name) && !OPERATORS.contains(&name) && !COMPUTED.contains(&name) => {
                            self.report(format!(
                                "`{name}` is no operator; there are {}",
                                OPERATORS.join(", ")
                            ));
                        }
                        name if COMPUTED.contains(&name) => self.value(value),
                        _ => self.pattern(value),
                    }
                }
            }
            _ => {}
        }
    }

    fn regex(&mut self, value: &Json) {
        match value.as_str() {
            Some(text) => {
                self.names_in(text);
                // What names stand for is not known here; a letter stands for them.
                let named = crate::value::names_in(text)
                    .into_iter()
                    .fold(text.to_owned(), |text, name| text.replace(&format!("${{{name}}}"), "x"));
                if let Err(fault) = regex::Regex::new(&named) {
                    self.report(format!("`$re`: {fault}"));
                }
            }
            None => self.report("`$re` is a text"),
        }
    }

    fn names_in(&mut self, text: &str) {
        for name in crate::value::names_in(text) {
            let known = match name.strip_prefix("limit.") {
                Some(limit) => self.spec.limit(limit).is_some(),
                None => self.names.contains(name),
            };
            if !known {
                self.report(format!("`${name}` is bound nowhere"));
            }
        }
    }
}

/// Every name that some pattern binds and every number that a repetition counts.
fn collect_names(steps: &[Step], into: &mut BTreeSet<String>) {
    walk(steps, &mut |step| match &step.verb {
        Verb::Send(send) => send.reply.iter().chain(&send.bytes).for_each(|pattern| bound_in(pattern, into)),
        Verb::Expect(expect) => {
            bound_in(&expect.expect, into);
            expect.bytes.iter().for_each(|pattern| bound_in(pattern, into));
        }
        Verb::Check(check) => bound_in(&check.is, into),
        Verb::Repeat(repeat) => drop(into.insert(repeat.repeat.clone())),
        Verb::Unordered(unordered) => {
            for branch in &unordered.unordered {
                if let Branch::Rounds(repeat) = branch {
                    into.insert(repeat.repeat.clone());
                }
            }
        }
        _ => {}
    });
}

fn collect_connections(steps: &[Step], into: &mut BTreeSet<String>) {
    walk(steps, &mut |step| {
        if let Verb::Open(open) = &step.verb {
            into.insert(open.open.clone());
        }
    });
}

fn bound_in(pattern: &Json, into: &mut BTreeSet<String>) {
    if let Some(name) = pattern.get("$bind").and_then(Json::as_str) {
        into.insert(name.to_owned());
    }
    pattern.members().iter().for_each(|(_, value)| bound_in(value, into));
    pattern.elements().iter().for_each(|value| bound_in(value, into));
}

/// Every step, those inside other steps too.
pub(crate) fn walk<'s>(steps: &'s [Step], look: &mut dyn FnMut(&'s Step)) {
    for step in steps {
        look(step);
        match &step.verb {
            Verb::Fence(fence) => walk(&fence.fence, look),
            Verb::Repeat(repeat) => walk(&repeat.steps, look),
            Verb::Unordered(unordered) => {
                for branch in &unordered.unordered {
                    match branch {
                        Branch::Steps(steps) | Branch::Rounds(Repeat { steps, .. }) => walk(steps, look),
                    }
                }
            }
            _ => {}
        }
    }
}
