//! One case, step by step. What a step waits for is taken in `take`, branches in `branches`.

use super::connection::{Connection, Job};
use super::ledger::{Certainty, Ledger};
use super::log::{WireLine, WireLog};
use super::verdict::{Failure, Stop};
use super::wanted::Wanted;
use crate::endpoint::Daemon;
use crate::json::Json;
use crate::spec::{Spec, Spelling};
use crate::transcript::{DaemonVerb, Exact, Initialize, Open, Raw, Repeat, Script, Send, Split, Step, Verb};
use crate::value::{Scopes, bytes, evaluate, integer, match_pattern};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long a frame may take to come, before `--time-scale`.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How much of what went over the wire a failure shows.
const SHOWN_WIRE: usize = 40;

/// What a case runs with.
pub(super) struct Setting<'a> {
    pub(super) spec: &'a Arc<Spec>,
    pub(super) script: &'a Script,
    pub(super) daemon: &'a Mutex<Daemon>,
    pub(super) scopes: Scopes<'a>,
    pub(super) time_scale: f64,
    pub(super) max_frame_bytes: usize,
}

/// How a case ended.
pub(super) struct Ended {
    /// True if a permitted variant was seen.
    pub(super) outcome: Result<bool, Stop>,
    pub(super) wire: Vec<WireLine>,
    pub(super) seen: BTreeSet<String>,
}

impl Ended {
    /// It could not begin.
    pub(super) fn before_it_began(what: String) -> Self {
        Self { outcome: Err(Stop::Harness(what)), wire: Vec::new(), seen: BTreeSet::new() }
    }
}

/// A case that is being carried out.
pub(super) struct Case<'a> {
    pub(super) setting: Setting<'a>,
    pub(super) connections: BTreeMap<String, Connection>,
    pub(super) log: WireLog,
    pub(super) is_variant: bool,
    /// Since when the steps of the labels have been over, for `since`.
    pub(super) labels: HashMap<String, Instant>,
    seen: BTreeSet<String>,
    fences: u32,
    openings: u32,
}

type Progress<'f> = Pin<Box<dyn Future<Output = Result<(), Stop>> + std::marker::Send + 'f>>;

impl<'a> Case<'a> {
    pub(super) fn new(setting: Setting<'a>) -> Self {
        Self {
            setting,
            connections: BTreeMap::new(),
            log: WireLog::new(),
            is_variant: false,
            labels: HashMap::new(),
            seen: BTreeSet::new(),
            fences: 0,
            openings: 0,
        }
    }

    /// Carries the case out, to its end fence.
    pub(super) async fn run(mut self) -> Ended {
        let script = self.setting.script;
        let outcome = match self.steps(&script.steps).await {
            Ok(()) => self.finish().await,
            stopped => stopped,
        };
        for (_, connection) in std::mem::take(&mut self.connections) {
            self.seen.extend(connection.close().await);
        }
        Ended { outcome: outcome.map(|()| self.is_variant), wire: self.log.lines(), seen: self.seen }
    }

    pub(super) fn patience(&self) -> Duration {
        PATIENCE.mul_f64(self.setting.time_scale)
    }

    pub(super) fn is_exact(&self) -> bool {
        self.setting.script.header.spelling == Some(Exact::Exact)
    }

    pub(super) fn steps<'s>(&'s mut self, steps: &'s [Step]) -> Progress<'s> {
        Box::pin(async move {
            for step in steps {
                let begun = Instant::now();
                self.step(step).await?;
                if let Some(label) = &step.common.step {
                    self.labels.insert(label.clone(), begun);
                }
            }
            Ok(())
        })
    }

    async fn step(&mut self, step: &Step) -> Result<(), Stop> {
        match &step.verb {
            Verb::Expect(expect) => {
                self.ready(step).await?;
                self.take(Wanted::expect(step, expect)).await
            }
            Verb::Send(send) => match self.send(step, send).await? {
                Some(reply) => self.take(reply).await,
                None => Ok(()),
            },
            Verb::Fence(fence) => {
                self.ready(step).await?;
                self.fence(step, &fence.fence).await
            }
            Verb::Unordered(unordered) => self.unordered(step, unordered).await,
            Verb::Repeat(repeat) => {
                for scope in self.rounds(step, repeat)? {
                    self.setting.scopes.enter(scope);
                    let outcome = self.steps(&repeat.steps).await;
                    self.setting.scopes.leave();
                    outcome?;
                }
                Ok(())
            }
            _ => self.act(step).await,
        }
    }

    /// A step that waits for no frame.
    pub(super) async fn act(&mut self, step: &Step) -> Result<(), Stop> {
        match &step.verb {
            Verb::Open(open) => self.open(step, open).await,
            Verb::Close(close) => {
                if close.half {
                    self.ready(step).await?;
                    self.connection(&close.close, step)?.half_close();
                } else if let Some(connection) = self.connections.remove(&close.close) {
                    self.seen.extend(connection.close().await);
                }
                Ok(())
            }
            Verb::Read(read) => {
                self.ready(step).await?;
                self.connection(&step.on(), step)?.read(read.read);
                Ok(())
            }
            Verb::Daemon(daemon) => self.daemon(daemon.daemon).await,
            Verb::Raw(raw) => self.raw(step, raw).await,
            Verb::Check(check) => {
                let value = evaluate(&check.check, &self.setting.scopes).map_err(Stop::suite(step.line))?;
                let subject = crate::value::Subject { value: &value, source: None, is_frame: false };
                let held = match_pattern(&check.is, subject, &self.setting.scopes)
                    .map_err(Stop::suite(step.line))?;
                match held {
                    Ok(bound) => self.bind(bound, step.line),
                    Err(mismatch) => {
                        let what = format!("what was bound is not as it must be: {} is", mismatch.got);
                        let mut failure = self.failure(step.common.rule.as_deref(), step.line, what);
                        failure.expected = Some(check.is.to_string());
                        failure.got = Some(value.to_string());
                        failure.pointer = Some(mismatch.pointer);
                        Err(Stop::Fail(failure))
                    }
                }
            }
            Verb::Send(_) | Verb::Expect(_) | Verb::Fence(_) | Verb::Unordered(_) | Verb::Repeat(_) => {
                Err(Stop::Suite { line: step.line, what: "the step waits, where no step may".to_owned() })
            }
        }
    }

    /// Sends frames; gives back what is waited for then.
    pub(super) async fn send(&mut self, step: &Step, send: &Send) -> Result<Option<Wanted>, Stop> {
        self.ready(step).await?;
        let mut frames = Vec::new();
        for frame in send.send.frames() {
            let frame = evaluate(frame, &self.setting.scopes).map_err(Stop::suite(step.line))?;
            if !send.invalid {
                self.must_fit(&frame, step.line)?;
            }
            frames.push(self.setting.scopes.frame(frame));
        }
        let certainty = if send.invalid { Certainty::Doubtful } else { Certainty::Valid };
        let patience = self.patience();
        self.connection(&step.on(), step)?.send(&frames, certainty, patience).await;
        Ok(frames.first().and_then(|frame| Wanted::reply(step, send, frame)))
    }

    /// What a transcript sends without calling it invalid must fit the spec.
    fn must_fit(&self, frame: &Json, line: usize) -> Result<(), Stop> {
        let Some(method) = frame.get("method").and_then(Json::as_str) else { return Ok(()) };
        let spec = self.setting.spec;
        let Some(method) = spec.methods.get(method) else {
            return Err(Stop::Suite { line, what: format!("`{method}` is no method of the spec") });
        };
        let Some(params) = frame.get("params") else { return Ok(()) };
        let documented = spec.respell(&method.params, params, Spelling::Documented);
        spec.fits(&method.params, &documented).map_err(|misfit| {
            let what = format!(
                "the params of `{}` do not fit at `{}`: {}",
                method.name, misfit.pointer, misfit.what
            );
            Stop::Suite { line, what: format!("{what}; if so meant: \"invalid\":true") }
        })
    }

    async fn raw(&mut self, step: &Step, raw: &Raw) -> Result<(), Stop> {
        self.ready(step).await?;
        let scopes = &self.setting.scopes;
        let bytes = bytes(&raw.raw, scopes).map_err(Stop::suite(step.line))?;
        let every = || (1..bytes.len()).collect();
        let (cuts, pause) = match (&raw.split, &raw.drip) {
            (_, Some(limit)) => (every(), Some(self.limit(limit, step.line)? / 20)),
            (Some(Split::Every(_)), None) => (every(), None),
            (Some(Split::At(cuts)), None) => (cuts.clone(), None),
            (None, None) => (Vec::new(), None),
        };
        let patience = self.patience();
        self.connection(&step.on(), step)?.send_raw(Job { bytes, cuts, pause }, patience).await;
        Ok(())
    }

    /// The time that a limit stands for.
    pub(super) fn limit(&self, name: &str, line: usize) -> Result<Duration, Stop> {
        let value = self.setting.scopes.get(&format!("limit.{name}")).map_err(Stop::suite(line))?;
        let value = u64::try_from(value.as_integer().unwrap_or_default()).unwrap_or_default();
        match self.setting.spec.limit(name).map(|limit| limit.unit.as_str()) {
            Some("ms") => Ok(Duration::from_millis(value)),
            Some("s") => Ok(Duration::from_secs(value)),
            _ => Err(Stop::Suite { line, what: format!("`{name}` is no time") }),
        }
    }

    /// `a` opens by itself at its first step.
    pub(super) async fn ready(&mut self, step: &Step) -> Result<(), Stop> {
        let on = match &step.verb {
            Verb::Close(close) => close.close.clone(),
            _ => step.on(),
        };
        if on == "a" && !self.connections.contains_key("a") {
            self.open(step, &Open { open: on, initialize: None, user: None, over: None }).await?;
        }
        Ok(())
    }

    async fn open(&mut self, step: &Step, open: &Open) -> Result<(), Stop> {
        let wire = self.setting.daemon.lock().await.connect().await;
        let wire = match wire {
            Ok(wire) => wire,
            Err(fault) => {
                let what = format!("connection `{}` cannot be opened: {fault}", open.open);
                return Err(Stop::Fail(self.failure(step.common.rule.as_deref(), step.line, what)));
            }
        };
        let ledger = Ledger::new(Arc::clone(self.setting.spec), self.setting.max_frame_bytes);
        let connection = Connection::new(&open.open, wire, ledger, self.log.clone());
        if let Some(earlier) = self.connections.insert(open.open.clone(), connection) {
            self.seen.extend(earlier.close().await);
        }
        let more = match &open.initialize {
            Some(Initialize::Whether(false)) => return Ok(()),
            Some(Initialize::With(more)) => Json::Object(more.clone().into_iter().collect()),
            Some(Initialize::Whether(true)) | None => Json::Object(Vec::new()),
        };
        let Json::Object(mut params) =
            evaluate(&more, &self.setting.scopes).map_err(Stop::suite(step.line))?
        else {
            return Err(Stop::Suite { line: step.line, what: "`initialize` adds members".to_owned() });
        };
        if !params.iter().any(|(name, _)| name == "protocolVersion" || name == "protocol_version") {
            params.insert(0, ("protocolVersion".to_owned(), Json::integer(1)));
        }
        self.openings += 1;
        let id = format!("init-{}", self.openings);
        let frame = Json::Object(vec![
            ("id".to_owned(), Json::String(id)),
            ("method".to_owned(), Json::text("initialize")),
            ("params".to_owned(), Json::Object(params)),
        ]);
        let frame = self.setting.scopes.frame(frame);
        let reply = Send {
            send: crate::transcript::OneOrMany::One(frame.clone()),
            invalid: false,
            reply: Some(Json::Object(vec![("result".to_owned(), Json::Object(Vec::new()))])),
            skip: Vec::new(),
            variant: Vec::new(),
            bytes: None,
            took: None,
            since: None,
        };
        let patience = self.patience();
        self.connection(&open.open, step)?
            .send(std::slice::from_ref(&frame), Certainty::Valid, patience)
            .await;
        let Some(mut wanted) = Wanted::reply(step, &reply, &frame) else { return Ok(()) };
        wanted.on.clone_from(&open.open);
        // HS-01: whatever the case is about, it needs an initialized connection.
        wanted.rule = Some("HS-01".to_owned());
        self.take(wanted).await
    }

    async fn daemon(&mut self, verb: DaemonVerb) -> Result<(), Stop> {
        let mut daemon = self.setting.daemon.lock().await;
        match verb {
            DaemonVerb::Kill => daemon.kill().await,
            DaemonVerb::Stop => daemon.stop().await,
            DaemonVerb::Start => daemon.launch().await.map_err(|fault| Stop::Harness(fault.to_string()))?,
        }
        self.log.add("-", '*', format!("daemon: {verb:?}").to_lowercase().as_bytes());
        Ok(())
    }

    pub(super) async fn fence(&mut self, step: &Step, between: &[Step]) -> Result<(), Stop> {
        let on = step.on();
        self.fences += 1;
        let id = format!("fence-{}", self.fences);
        let frame = Json::Object(vec![
            ("id".to_owned(), Json::text(id.as_str())),
            ("method".to_owned(), Json::text("status")),
        ]);
        let frame = self.setting.scopes.frame(frame);
        let patience = self.patience();
        self.connection(&on, step)?.send(&[frame], Certainty::Valid, patience).await;
        self.steps(between).await?;
        self.take(Wanted::fence(step, &on, &id)).await
    }

    /// The scopes of a repetition's rounds.
    pub(super) fn rounds(&self, step: &Step, repeat: &Repeat) -> Result<Vec<BTreeMap<String, Json>>, Stop> {
        let bound = |value: &Json| integer(value, &self.setting.scopes).map_err(Stop::suite(step.line));
        let from = repeat.from.as_ref().map_or(Ok(0), bound)?;
        let to = bound(&repeat.to)?;
        Ok((from..to)
            .map(|number| BTreeMap::from([(repeat.repeat.clone(), Json::integer(number))]))
            .collect())
    }

    /// Every case ends fenced: nothing may be left, nothing unanswered, no stream ended unforeseen.
    async fn finish(&mut self) -> Result<(), Stop> {
        let line = self.setting.script.steps.last().map_or(1, |step| step.line);
        let names: Vec<_> = self.connections.keys().cloned().collect();
        for name in names {
            let Some(connection) = self.connections.get_mut(&name) else { continue };
            if connection.is_over {
                continue;
            }
            if connection.is_half_closed {
                return Err(Stop::Suite { line, what: format!("`{name}` is half closed; expect its end") });
            }
            connection.read(true);
            let common = crate::transcript::Common { on: Some(name.clone()), ..Default::default() };
            let step =
                Step { common, verb: Verb::Fence(crate::transcript::Fence { fence: Vec::new() }), line };
            self.fence(&step, &[]).await?;
            let open = self.connections.get(&name).and_then(Connection::unanswered);
            if let Some((id, method)) = open {
                let what = format!("`{method}` with the id {id} is never answered");
                return Err(Stop::Fail(self.failure(Some("OR-01"), line, what)));
            }
        }
        Ok(())
    }

    pub(super) fn connection(&mut self, name: &str, step: &Step) -> Result<&mut Connection, Stop> {
        let line = step.line;
        let missing = || Stop::Suite { line, what: format!("connection `{name}` is not open") };
        self.connections.get_mut(name).ok_or_else(missing)
    }

    pub(super) fn bind(&mut self, bound: Vec<(String, Json)>, line: usize) -> Result<(), Stop> {
        let scopes = &mut self.setting.scopes;
        bound.into_iter().try_for_each(|(name, value)| scopes.bind(name, value)).map_err(Stop::suite(line))
    }

    /// A failure of a step; the rule is the step's, else the case's first.
    pub(super) fn failure(&self, rule: Option<&str>, line: usize, what: impl Into<String>) -> Box<Failure> {
        let first = self.setting.script.header.rules.first().map_or("", String::as_str);
        Box::new(Failure {
            rule: rule.unwrap_or(first).to_owned(),
            line,
            what: what.into(),
            expected: None,
            got: None,
            pointer: None,
            wire: self.log.last(SHOWN_WIRE),
        })
    }
}
