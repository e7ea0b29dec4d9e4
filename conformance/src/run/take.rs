//! Taking the oldest unread frame of a connection: it is what the step waits for, or may be dropped, or the case fails.

use super::case::Case;
use super::connection::{End, Head};
use super::frame::Frame;
use super::log::shown;
use super::verdict::Stop;
use super::wanted::{Fit, Wanted, What};
use crate::json::Json;
use crate::value::{Mismatch, Subject, match_pattern};
use tokio::time::Instant;

impl Case<'_> {
    /// Takes what is waited for.
    pub(super) async fn take(&mut self, mut wanted: Wanted) -> Result<(), Stop> {
        loop {
            let deadline = self.deadline(&wanted)?;
            let Some((head, at)) = self.head(&wanted, deadline).await? else {
                return Err(self.nothing_came(std::slice::from_ref(&wanted)));
            };
            match head {
                Head::Broken(violation, line) => return Err(self.broken(&wanted, violation, line)),
                Head::End(end) => return self.end(&wanted, end, at),
                Head::Frame(frame) => {
                    let line = wanted.line;
                    let fit = wanted
                        .fits(&frame, self.is_exact(), &self.setting.scopes)
                        .map_err(Stop::suite(line))?;
                    match fit {
                        Fit::Taken { bound, is_variant } => {
                            self.accept(&wanted, at)?;
                            self.is_variant |= is_variant;
                            return self.bind(bound, line);
                        }
                        Fit::Part { bound } => {
                            self.accept(&wanted, at)?;
                            wanted
                                .advance(&frame, self.is_exact(), &self.setting.scopes)
                                .map_err(Stop::suite(line))?;
                            self.bind(bound, line)?;
                        }
                        Fit::Other(mismatch) => self.drop_or_fail(&wanted, &frame, mismatch, &[])?,
                    }
                }
            }
        }
    }

    /// The oldest thing on the connection, copied; nothing if nothing comes in time.
    async fn head(&mut self, wanted: &Wanted, deadline: Instant) -> Result<Option<(Head, Instant)>, Stop> {
        match self.connections.get_mut(&wanted.on) {
            Some(connection) => Ok(connection.head(deadline).await.cloned()),
            None => Err(Stop::Suite {
                line: wanted.line,
                what: format!("connection `{}` is not open", wanted.on),
            }),
        }
    }

    /// The frame was what was waited for: it is taken, and it came in time.
    pub(super) fn accept(&mut self, wanted: &Wanted, at: Instant) -> Result<(), Stop> {
        self.in_time(wanted, at)?;
        if let Some(connection) = self.connections.get_mut(&wanted.on) {
            connection.take();
        }
        Ok(())
    }

    /// A frame that nobody waits for: dropped if it may come at any time, else the case fails.
    pub(super) fn drop_or_fail(
        &mut self,
        wanted: &Wanted,
        frame: &Frame,
        mismatch: Mismatch,
        skip: &[Json],
    ) -> Result<(), Stop> {
        let value = if self.is_exact() { &frame.wire } else { &frame.documented };
        let subject = Subject { value, source: Some(&frame.line), is_frame: true };
        let header = &self.setting.script.header.skip;
        let mut dropped = self.may_always_come(&frame.documented);
        for pattern in wanted.skip.iter().chain(header).chain(skip) {
            let held =
                match_pattern(pattern, subject, &self.setting.scopes).map_err(Stop::suite(wanted.line))?;
            dropped = dropped || held.is_ok();
        }
        if dropped {
            if let Some(connection) = self.connections.get_mut(&wanted.on) {
                connection.take();
            }
            return Ok(());
        }
        let place =
            if mismatch.pointer.is_empty() { String::new() } else { format!("at {}: ", mismatch.pointer) };
        let what = format!("{place}expected {}, got {}", cut(&mismatch.expected), cut(&mismatch.got));
        let mut failure = self.failure(wanted.rule.as_deref(), wanted.line, what);
        failure.expected = Some(wanted.expected(&self.setting.scopes));
        failure.got = Some(shown(frame.line.as_bytes()));
        failure.pointer = Some(mismatch.pointer);
        Err(Stop::Fail(failure))
    }

    /// TU-03: how full the context is may be told at any time, and unknown kinds of updates are ignored.
    fn may_always_come(&self, frame: &Json) -> bool {
        if frame.get("method").and_then(Json::as_str) != Some("session/update") {
            return false;
        }
        let kind = frame.at("/params/type").and_then(Json::as_str).unwrap_or_default();
        kind == "context_usage" || !self.setting.spec.update_types().iter().any(|known| known == kind)
    }

    fn end(&mut self, wanted: &Wanted, end: End, at: Instant) -> Result<(), Stop> {
        let good = match wanted.what {
            What::Frame(_) => false,
            What::Eof => end == End::Eof,
            What::Reset => end == End::Reset,
            What::Lost => true,
        };
        if good {
            self.in_time(wanted, at)?;
            if let Some(connection) = self.connections.get_mut(&wanted.on) {
                connection.is_over = true;
            }
            return Ok(());
        }
        let got = match end {
            End::Eof => "the stream ends",
            End::Reset => "the connection is reset",
            End::Gone => "the connection is gone",
        };
        let mut failure =
            self.failure(wanted.rule.as_deref(), wanted.line, format!("on `{}` {got}", wanted.on));
        failure.expected = Some(wanted.expected(&self.setting.scopes));
        failure.got = Some(got.to_owned());
        Err(Stop::Fail(failure))
    }

    pub(super) fn broken(&self, wanted: &Wanted, violation: super::frame::Violation, line: String) -> Stop {
        let mut failure = self.failure(Some(&violation.rule), wanted.line, violation.what);
        failure.expected = Some(wanted.expected(&self.setting.scopes));
        failure.got = Some(line);
        Stop::Fail(failure)
    }

    pub(super) fn nothing_came(&self, wanted: &[Wanted]) -> Stop {
        let Some(first) = wanted.first() else { return Stop::Harness("nothing was waited for".to_owned()) };
        let what = format!("nothing came on `{}` in time", first.on);
        let mut failure = self.failure(first.rule.as_deref(), first.line, what);
        let expected: Vec<_> = wanted.iter().map(|wanted| wanted.expected(&self.setting.scopes)).collect();
        failure.expected = Some(expected.join("\n"));
        Stop::Fail(failure)
    }

    /// When it is too late for what is waited for.
    pub(super) fn deadline(&self, wanted: &Wanted) -> Result<Instant, Stop> {
        let patience = self.patience();
        match self.span(wanted)? {
            Some((since, limit)) => Ok(since.max(Instant::now() - limit) + limit + patience),
            None => Ok(Instant::now() + patience),
        }
    }

    /// `took`: from when, and how long.
    fn span(&self, wanted: &Wanted) -> Result<Option<(Instant, std::time::Duration)>, Stop> {
        let Some(name) = &wanted.took else { return Ok(None) };
        let limit = self.limit(name, wanted.line)?;
        let since = match &wanted.since {
            Some(label) => self.labels.get(label).copied(),
            None => self.connections.get(&wanted.on).map(|connection| connection.last_write),
        };
        let missing =
            || Stop::Suite { line: wanted.line, what: "`since` is a step that was not yet".to_owned() };
        Ok(Some((since.ok_or_else(missing)?, limit)))
    }

    /// Not before 95 % of the limit, not after the limit and five seconds.
    fn in_time(&self, wanted: &Wanted, at: Instant) -> Result<(), Stop> {
        let Some((since, limit)) = self.span(wanted)? else { return Ok(()) };
        let took = at.saturating_duration_since(since);
        let (early, late) = (took < limit.mul_f64(0.95), took > limit + self.patience());
        if !early && !late {
            return Ok(());
        }
        let word = if early { "too early" } else { "too late" };
        let what = format!("{word}: after {} ms, the limit is {} ms", took.as_millis(), limit.as_millis());
        let mut failure = self.failure(wanted.rule.as_deref(), wanted.line, what);
        failure.expected = Some(wanted.expected(&self.setting.scopes));
        Err(Stop::Fail(failure))
    }
}

fn cut(text: &str) -> String {
    shown(text.as_bytes()).chars().take(200).collect()
}
