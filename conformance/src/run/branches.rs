//! `unordered`: branches whose frames may come between each other. Within a branch the order is kept.

use super::case::Case;
use super::connection::Head;
use super::frame::Frame;
use super::verdict::Stop;
use super::wanted::{Fit, Wanted};
use crate::json::Json;
use crate::transcript::{Branch, Step, Unordered, Verb};
use crate::value::Mismatch;
use std::collections::{BTreeMap, VecDeque};
use tokio::time::Instant;

/// A branch on its way.
struct Path<'s> {
    ahead: VecDeque<Ahead<'s>>,
    /// The scopes of the rounds it is in; without one it binds where the branches stand.
    scopes: Vec<BTreeMap<String, Json>>,
    wanted: Option<Wanted>,
}

/// What a branch does next.
enum Ahead<'s> {
    Step(&'s Step),
    Enter(BTreeMap<String, Json>),
    Leave,
}

impl Case<'_> {
    pub(super) async fn unordered(&mut self, step: &Step, unordered: &Unordered) -> Result<(), Stop> {
        let mut paths = self.paths(step, unordered)?;
        loop {
            for path in &mut paths {
                self.advance(path, step.common.rule.as_ref()).await?;
            }
            paths.retain(|path| path.wanted.is_some());
            if paths.is_empty() {
                return Ok(());
            }
            let (name, head, at) = self.any_head(&paths).await?;
            let first = self.first_on(&paths, &name)?;
            match head {
                Head::Broken(violation, line) => return Err(self.broken(&first, violation, line)),
                Head::End(_) => return self.end_of(&paths, &name).await,
                Head::Frame(frame) => self.give(&mut paths, step, unordered, &name, &frame, at)?,
            }
        }
    }

    fn paths<'s>(&self, step: &Step, unordered: &'s Unordered) -> Result<Vec<Path<'s>>, Stop> {
        let mut paths = Vec::new();
        for branch in &unordered.unordered {
            match branch {
                Branch::Steps(steps) => paths.push(self.path(steps, None)?),
                Branch::Rounds(repeat) => {
                    for scope in self.rounds(step, repeat)? {
                        paths.push(self.path(&repeat.steps, Some(scope))?);
                    }
                }
            }
        }
        Ok(paths)
    }

    fn path<'s>(&self, steps: &'s [Step], round: Option<BTreeMap<String, Json>>) -> Result<Path<'s>, Stop> {
        let mut ahead = VecDeque::new();
        for step in steps {
            match &step.verb {
                Verb::Repeat(repeat) => {
                    for round in self.rounds(step, repeat)? {
                        ahead.push_back(Ahead::Enter(round));
                        ahead.extend(repeat.steps.iter().map(Ahead::Step));
                        ahead.push_back(Ahead::Leave);
                    }
                }
                _ => ahead.push_back(Ahead::Step(step)),
            }
        }
        Ok(Path { ahead, scopes: round.into_iter().collect(), wanted: None })
    }

    /// Does what waits for nothing, up to the next frame that the branch waits for.
    async fn advance(&mut self, path: &mut Path<'_>, rule: Option<&String>) -> Result<(), Stop> {
        while path.wanted.is_none() {
            let step = match path.ahead.pop_front() {
                None => return Ok(()),
                Some(Ahead::Enter(round)) => {
                    path.scopes.push(round);
                    continue;
                }
                Some(Ahead::Leave) => {
                    path.scopes.pop();
                    continue;
                }
                Some(Ahead::Step(step)) => step,
            };
            self.enter(path);
            let outcome = match &step.verb {
                Verb::Expect(expect) => self.ready(step).await.map(|()| Some(Wanted::expect(step, expect))),
                Verb::Send(send) => self.send(step, send).await,
                _ => self.act(step).await.map(|()| None),
            };
            self.leave(path);
            path.wanted = outcome?;
            if let Some(wanted) = &mut path.wanted {
                wanted.rule = wanted.rule.take().or_else(|| rule.cloned());
            }
        }
        Ok(())
    }

    fn enter(&mut self, path: &mut Path<'_>) {
        path.scopes.iter_mut().for_each(|scope| self.setting.scopes.enter(std::mem::take(scope)));
    }

    fn leave(&mut self, path: &mut Path<'_>) {
        path.scopes.iter_mut().rev().for_each(|scope| *scope = self.setting.scopes.leave());
    }

    /// The oldest thing on any connection that a branch waits on.
    async fn any_head(&mut self, paths: &[Path<'_>]) -> Result<(String, Head, Instant), Stop> {
        let wanted: Vec<_> = paths.iter().filter_map(|path| path.wanted.clone()).collect();
        let mut names: Vec<_> = wanted.iter().map(|wanted| wanted.on.clone()).collect();
        names.sort();
        names.dedup();
        let mut deadline = Instant::now();
        for wanted in &wanted {
            deadline = deadline.max(self.deadline(wanted)?);
        }
        // One connection is waited for as long as may be; several in turns, each shortly.
        let turn = std::time::Duration::from_millis(2);
        loop {
            let alone = names.len() == 1;
            for name in &names {
                let until = if alone { deadline } else { Instant::now() + turn };
                let Some(connection) = self.connections.get_mut(name) else {
                    let line = wanted.first().map_or(1, |wanted| wanted.line);
                    return Err(Stop::Suite { line, what: format!("connection `{name}` is not open") });
                };
                if let Some((head, at)) = connection.head(until).await {
                    return Ok((name.clone(), head.clone(), *at));
                }
            }
            if Instant::now() >= deadline {
                return Err(self.nothing_came(&wanted));
            }
        }
    }

    fn first_on(&self, paths: &[Path<'_>], name: &str) -> Result<Wanted, Stop> {
        let mut wanted = paths.iter().filter_map(|path| path.wanted.as_ref());
        let found = wanted.find(|wanted| wanted.on == name).cloned();
        found.ok_or_else(|| Stop::Harness("a frame was waited for by nobody".to_owned()))
    }

    /// Gives a frame to the branch that waits for it.
    fn give(
        &mut self,
        paths: &mut [Path<'_>],
        step: &Step,
        unordered: &Unordered,
        name: &str,
        frame: &Frame,
        at: Instant,
    ) -> Result<(), Stop> {
        let mut fits = Vec::new();
        let mut other: Option<(Wanted, Mismatch)> = None;
        for (index, path) in paths.iter_mut().enumerate() {
            let Some(wanted) = path.wanted.clone().filter(|wanted| wanted.on == name) else { continue };
            self.enter(path);
            let fit =
                wanted.fits(frame, self.is_exact(), &self.setting.scopes).map_err(Stop::suite(wanted.line));
            self.leave(path);
            match fit? {
                Fit::Other(mismatch) => {
                    // The deepest difference is the branch that was most probably meant.
                    let depth = |mismatch: &Mismatch| mismatch.pointer.matches('/').count();
                    if other.as_ref().is_none_or(|(_, known)| depth(known) < depth(&mismatch)) {
                        other = Some((wanted, mismatch));
                    }
                }
                fit => fits.push((index, wanted, fit)),
            }
        }
        if let [(_, one, _), (_, two, _), ..] = fits.as_slice()
            && !one.is_like(two)
        {
            let what = format!("two branches (lines {} and {}) wait for the same frame", one.line, two.line);
            return Err(Stop::Suite { line: step.line, what });
        }
        let Some((index, wanted, fit)) = fits.into_iter().next() else {
            let Some((wanted, mismatch)) = other else {
                return Err(Stop::Harness("a frame was waited for by nobody".to_owned()));
            };
            return self.drop_or_fail(&wanted, frame, mismatch, &unordered.skip);
        };
        self.accept(&wanted, at)?;
        let path = &mut paths[index];
        let exact = self.is_exact();
        self.enter(path);
        let outcome = match fit {
            Fit::Taken { bound, is_variant } => {
                self.is_variant |= is_variant;
                path.wanted = None;
                self.bind(bound, wanted.line)
            }
            Fit::Part { bound } => {
                let advanced = match &mut path.wanted {
                    Some(wanted) => wanted.advance(frame, exact, &self.setting.scopes),
                    None => Ok(()),
                };
                advanced.map_err(Stop::suite(wanted.line)).and_then(|()| self.bind(bound, wanted.line))
            }
            Fit::Other(_) => Ok(()),
        };
        self.leave(path);
        outcome
    }

    /// The end of a stream inside `unordered` is what the branch waits for that has only this left, or a failure.
    async fn end_of(&mut self, paths: &[Path<'_>], name: &str) -> Result<(), Stop> {
        let wanted = self.first_on(paths, name)?;
        if paths.len() == 1 && paths[0].ahead.is_empty() {
            return self.take(wanted).await;
        }
        let mut failure =
            self.failure(wanted.rule.as_deref(), wanted.line, format!("on `{name}` the stream ends"));
        failure.expected = Some(wanted.expected(&self.setting.scopes));
        Err(Stop::Fail(failure))
    }
}
