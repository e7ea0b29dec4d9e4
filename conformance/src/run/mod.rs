//! Running cases: which, on which daemon, how many at once, and what is said of them.

mod branches;
mod case;
mod connection;
mod demand;
mod event;
mod frame;
mod judge;
mod known;
mod ledger;
mod log;
mod pool;
mod take;
mod verdict;
mod wanted;

pub use event::{CaseRecord, Event, RuleVerdict, Summary};
pub use known::{Known, KnownFault};
pub use log::WireLine;
pub use verdict::{Failure, Verdict};

use crate::endpoint::{Daemon, Profile, StartFault, Target};
use crate::json::Json;
use crate::spec::{Spec, Spelling};
use crate::transcript::{Script, Suite, matches_glob};
use crate::value::{Given, Scopes};
use case::{Case, Ended, Setting};
use demand::{Declared, Demand, demand, excluded};
use pool::Pool;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// What a run is told beside its endpoint.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only cases that one of these patterns matches; all if there is none.
    pub only: Vec<String>,
    /// No case that one of these matches.
    pub skip: Vec<String>,
    /// Only cases that hold the endpoint to a rule that one of these matches.
    pub rules: Vec<String>,
    /// How many cases run at once.
    pub jobs: usize,
    /// What the order of the cases is shuffled by.
    pub seed: u64,
    /// What waiting times are multiplied by.
    pub time_scale: f64,
    /// The spelling that is spoken.
    pub spelling: Spelling,
    /// Whether cases run that only take longer where a limit cannot be set.
    pub slow: bool,
    /// What is known of the implementation.
    pub profile: Profile,
    /// Failures that are known.
    pub known: Option<Known>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            only: Vec::new(),
            skip: Vec::new(),
            rules: Vec::new(),
            jobs: 8,
            seed: 0,
            time_scale: 1.0,
            spelling: Spelling::Documented,
            slow: false,
            profile: Profile::default(),
            known: None,
        }
    }
}

impl Options {
    pub(crate) fn chooses(&self, script: &Script) -> bool {
        let any =
            |patterns: &[String], name: &str| patterns.iter().any(|pattern| matches_glob(pattern, name));
        // A pattern may name the file's case and so all that `each` makes of it.
        let named = |patterns: &[String]| any(patterns, &script.id) || any(patterns, &script.header.case);
        (self.only.is_empty() || named(&self.only))
            && !named(&self.skip)
            && (self.rules.is_empty() || script.header.rules.iter().any(|rule| any(&self.rules, rule)))
    }

    /// The cases that run: those chosen, and those they are twins of.
    fn chosen<'s>(&self, suite: &'s Suite) -> Vec<&'s Script> {
        let mut chosen: Vec<_> = suite.scripts.iter().filter(|script| self.chooses(script)).collect();
        let positives: Vec<_> = chosen.iter().filter_map(|script| script.twin_of.clone()).collect();
        for script in &suite.scripts {
            let wanted = positives.iter().any(|of| *of == script.id || *of == script.header.case);
            if wanted && !chosen.iter().any(|known| known.id == script.id) {
                chosen.push(script);
            }
        }
        chosen
    }
}

/// What the cases of a run share.
struct Shared {
    spec: Arc<Spec>,
    options: Arc<Options>,
    pool: Pool,
    declared: Declared,
    running: Semaphore,
}

/// Runs the cases of a suite against an endpoint. Events are handed over as they happen; the summary is the last.
pub async fn run(
    spec: Arc<Spec>,
    suite: &Suite,
    target: Target,
    options: Options,
    on_event: &mut dyn FnMut(&Event),
) -> Result<Summary, StartFault> {
    let begun = Instant::now();
    let options = Arc::new(options);
    let pool = Pool::new(target.clone(), Arc::clone(&options));
    let declared = match pool.probe(&spec).await {
        Ok(declared) => declared,
        Err(fault) => {
            pool.stop().await;
            return Err(fault);
        }
    };
    let mut chosen: Vec<Script> = options.chosen(suite).into_iter().cloned().collect();
    shuffle(&mut chosen, options.seed);
    on_event(&Event::run_started(&spec, &target, &declared, &options, chosen.len()));

    let running = Semaphore::new(options.jobs.max(1));
    let shared = Arc::new(Shared { spec: Arc::clone(&spec), options, pool, declared, running });
    let mut waiting = Vec::new();
    let mut records = Vec::new();
    for script in chosen {
        let demand = demand(&script, &spec);
        match excluded(&script, &demand, &target, &shared.declared, &spec, &shared.options) {
            Some((verdict, why)) => records.push(CaseRecord::not_run(&script, verdict, why)),
            None => waiting.push((script, demand)),
        }
    }
    // What waits for times goes first, so that it does not end alone.
    waiting.sort_by_key(|(_, demand)| !demand.times);
    let of = waiting.len();
    let mut tasks = JoinSet::new();
    for (script, demand) in waiting {
        let shared = Arc::clone(&shared);
        tasks.spawn(async move { shared.carry_out(&script, &demand).await });
    }
    let mut done = 0;
    while let Some(ended) = tasks.join_next().await {
        records.push(ended.unwrap_or_else(|fault| CaseRecord::crashed(fault.to_string())));
        done += 1;
        on_event(&Event::CaseEnded { done, of });
    }
    shared.pool.stop().await;
    records.sort_by(|one, two| one.case.cmp(&two.case));
    judge_twins(&mut records);
    if let Some(known) = &shared.options.known {
        known.judge(&mut records);
    }
    records.iter().for_each(|record| on_event(&Event::CaseFinished(Box::new(record.clone()))));
    let summary = Summary::of(&spec, records, begun.elapsed());
    on_event(&Event::RunFinished(Box::new(summary.clone())));
    Ok(summary)
}

impl Shared {
    async fn carry_out(&self, script: &Script, demand: &Demand) -> CaseRecord {
        let _permit = self.running.acquire().await;
        let begun = Instant::now();
        let mut record = CaseRecord::of(script);
        let private = self.pool.is_private(script, demand);
        match self.pool.seat(&script.header.config, private).await {
            Err(fault) => record.conclude(Ended::before_it_began(fault.to_string())),
            Ok(seat) => {
                let (_alone, _among);
                if self.pool.is_alone(script) {
                    _alone = seat.gate.write().await;
                } else {
                    _among = seat.gate.read().await;
                }
                let given = self.given(script, &*seat.daemon.lock().await);
                let mut scopes = Scopes::new(&given, &script.header.names, script.each.as_ref());
                let exact = script.header.spelling.is_some();
                if !exact {
                    scopes.spell(&self.spec, self.options.spelling);
                }
                let limit = given.limits.get("max_frame_bytes").copied().unwrap_or(i64::MAX);
                let setting = Setting {
                    spec: &self.spec,
                    script,
                    daemon: &seat.daemon,
                    scopes,
                    time_scale: self.options.time_scale,
                    max_frame_bytes: usize::try_from(limit).unwrap_or(usize::MAX),
                };
                record.conclude(Case::new(setting).run().await);
                if private {
                    seat.daemon.lock().await.stop().await;
                }
            }
        }
        record.ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        record
    }

    fn given(&self, script: &Script, daemon: &Daemon) -> Given {
        let names = BTreeMap::from([
            ("agent".to_owned(), Json::text(self.options.profile.agent.as_str())),
            ("uniq".to_owned(), Json::String(unique())),
            ("dir".to_owned(), Json::String(daemon.directory().display().to_string())),
            ("socket".to_owned(), Json::String(daemon.socket().display().to_string())),
        ]);
        let mut limits = self.declared.limits.clone();
        if self.pool_is_ours() {
            for (property, value) in &script.header.config {
                let limit = self.spec.limits.iter().find(|limit| limit.config.as_deref() == Some(property));
                if let (Some(limit), Some(value)) = (limit, value.as_integer()) {
                    limits.insert(limit.name.clone(), value);
                }
            }
        }
        Given { names, limits }
    }

    fn pool_is_ours(&self) -> bool {
        self.pool.target().is_ours()
    }
}

/// A text that no other case has.
fn unique() -> String {
    let mut bytes = [0; 8];
    // Without randomness the counter alone tells the cases of one run apart.
    static COUNTER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let _ = getrandom::fill(&mut bytes);
    let count = COUNTER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("u{:016x}-{count}", u64::from_le_bytes(bytes))
}

/// A twin shows something only if the case it is a twin of passes on the same endpoint.
fn judge_twins(records: &mut [CaseRecord]) {
    let good: Vec<_> =
        records.iter().filter(|record| record.verdict.is_good()).map(|r| r.case.clone()).collect();
    for record in records.iter_mut().filter(|record| record.verdict.was_run()) {
        let Some(of) = &record.twin_of else { continue };
        let passes =
            |case: &String| case == of || case.strip_prefix(of).is_some_and(|rest| rest.starts_with('/'));
        if record.verdict != Verdict::HarnessFault && !good.iter().any(passes) {
            record.verdict = Verdict::Inconclusive;
            record.why = Some(format!("`{of}`, of which it is a twin, does not pass"));
        }
    }
}

/// An order that the seed alone decides.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for last in (1..items.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = usize::try_from(state % (last as u64 + 1)).unwrap_or(last);
        items.swap(last, other);
    }
}
