//! What a case demands of the endpoint and of the command line, told from its steps; and so why it may not run.

use super::verdict::Verdict;
use crate::endpoint::{Target, can_ask_to_end};
use crate::json::Json;
use crate::spec::{From, Spec};
use crate::transcript::{DaemonVerb, Need, Over, Script, Verb, walk};
use std::collections::{BTreeMap, BTreeSet};

/// What a case demands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Demand {
    /// The methods of the spec that it calls.
    pub(super) methods: BTreeSet<String>,
    /// Whether it scripts the model.
    pub(super) model: bool,
    /// Whether it acts as somebody else than the operator.
    pub(super) users: bool,
    /// Whether it opens a connection over WSS.
    pub(super) wss: bool,
    /// Whether it acts on the daemon's process.
    pub(super) process: bool,
    /// Whether it asks that process to end.
    pub(super) stop: bool,
    /// Whether it needs more than one connection, or one after another.
    pub(super) connections: bool,
    /// Whether it closes only its own half.
    pub(super) half_close: bool,
    /// Whether it measures times.
    pub(super) times: bool,
}

/// What is known of the endpoint before a case runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Declared {
    /// The methods it says it serves; nothing if it did not say.
    pub(super) capabilities: Option<BTreeSet<String>>,
    /// The limits it says it keeps.
    pub(super) limits: BTreeMap<String, i64>,
    /// Its version, for the report.
    pub(super) version: Option<String>,
}

/// What a script demands.
pub(super) fn demand(script: &Script, spec: &Spec) -> Demand {
    let mut demand = Demand { users: !script.header.users.is_empty(), ..Demand::default() };
    let mut openings = BTreeMap::<String, u32>::new();
    walk(&script.steps, &mut |step| {
        let on = step.common.on.as_deref().unwrap_or("a");
        if on.split('.').next() == Some("model") {
            demand.model = true;
            return;
        }
        match &step.verb {
            Verb::Open(open) => {
                demand.users |= open.user.is_some();
                demand.wss |= open.over == Some(Over::Wss);
                *openings.entry(open.open.clone()).or_default() += 1;
            }
            Verb::Daemon(act) => {
                demand.process = true;
                demand.stop |= act.daemon == DaemonVerb::Stop;
            }
            Verb::Close(close) => demand.half_close |= close.half,
            Verb::Send(send) => {
                for frame in send.send.frames() {
                    let method = frame.get("method").and_then(Json::as_str).unwrap_or_default();
                    let method = if method == "$each" {
                        script.each.as_ref().and_then(Json::as_str)
                    } else {
                        Some(method)
                    };
                    let known = method.and_then(|method| spec.methods.get(method));
                    if let Some(method) = known.filter(|method| method.from == From::Client) {
                        demand.methods.insert(method.name.clone());
                    }
                }
                demand.times |= send.took.is_some();
            }
            Verb::Raw(raw) => {
                frames_in(&raw.raw, spec, &mut demand.methods);
                demand.times |= raw.drip.is_some();
            }
            Verb::Expect(expect) => demand.times |= expect.took.is_some(),
            _ => {}
        }
        if !openings.contains_key(on) {
            openings.insert(on.to_owned(), 1);
        }
    });
    demand.connections = openings.len() > 1 || openings.values().any(|times| *times > 1);
    demand
}

fn frames_in(bytes: &Json, spec: &Spec, methods: &mut BTreeSet<String>) {
    bytes.elements().iter().for_each(|element| frames_in(element, spec, methods));
    let framed = bytes.get("frame").and_then(|frame| frame.get("method")).and_then(Json::as_str);
    let text = bytes.as_str().unwrap_or_default();
    let written = spec.methods.keys().find(|method| text.contains(&format!("\"method\":\"{method}\"")));
    for method in framed.into_iter().chain(written.map(String::as_str)) {
        if spec.methods.contains_key(method) {
            methods.insert(method.to_owned());
        }
    }
}

/// Why a case is not run on this endpoint by this command line.
pub(super) fn excluded(
    script: &Script,
    demand: &Demand,
    target: &Target,
    declared: &Declared,
    spec: &Spec,
    options: &super::Options,
) -> Option<(Verdict, String)> {
    let not_applicable = |why: &str| Some((Verdict::NotApplicable, why.to_owned()));
    let not_now = |why: String| Some((Verdict::NotInThisRun, why));
    if demand.wss {
        return not_applicable("the transport is not WSS");
    }
    if matches!(target, Target::Stdio(_)) && (demand.connections || demand.process) {
        return not_applicable("standard input and output serve one connection");
    }
    if target.is_pipe() && demand.half_close {
        return not_applicable("a named pipe has no half-close");
    }
    if let Some(capabilities) = &declared.capabilities {
        let always = ["initialize", "status"];
        let missing = demand
            .methods
            .iter()
            .find(|method| !always.contains(&method.as_str()) && !capabilities.contains(*method));
        if let Some(method) = missing {
            return Some((Verdict::NotDeclared, format!("`{method}` is not in `capabilities`")));
        }
    }
    if demand.model {
        return not_now("the runner's model server does not speak yet".to_owned());
    }
    if demand.users {
        return not_now("no other users are named".to_owned());
    }
    if demand.process && !matches!(target, Target::Spawn(_)) {
        return not_now("only with --spawn the daemon can be restarted".to_owned());
    }
    if demand.stop && !can_ask_to_end() {
        return not_now("a daemon without a console in common cannot be asked to end".to_owned());
    }
    if target.is_ours() {
        return match script.header.config.is_empty() || options.profile.configurable {
            true => None,
            false => not_now("the profile's implementation takes no configuration".to_owned()),
        };
    }
    if script.header.needs.contains(&Need::Fresh) {
        return not_now("only with --spawn there is a daemon of its own".to_owned());
    }
    configured(script, declared, spec, options).and_then(not_now)
}

/// A daemon that is not ours keeps its configuration: a limit that is not above the wanted one will do.
fn configured(script: &Script, declared: &Declared, spec: &Spec, options: &super::Options) -> Option<String> {
    script.header.config.iter().find_map(|(property, wanted)| {
        let limit = spec.limits.iter().find(|limit| limit.config.as_deref() == Some(property));
        let actual = limit.and_then(|limit| declared.limits.get(&limit.name));
        match (actual, wanted.as_integer()) {
            (Some(actual), Some(wanted)) if *actual <= wanted || options.slow => None,
            _ => Some(format!("`{property}` is not {wanted} there (--slow runs what only takes longer)")),
        }
    })
}
