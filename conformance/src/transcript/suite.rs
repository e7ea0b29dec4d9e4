//! All transcripts together: from the binary or from a directory, by name, and chosen by pattern.

use super::{Finding, Script, Transcript, TranscriptFault, expand, lint, parse};
use crate::embedded;
use crate::spec::Spec;
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// The transcripts and the cases they make.
pub struct Suite {
    /// The transcripts as written.
    pub transcripts: Vec<Transcript>,
    /// The cases, by name.
    pub scripts: Vec<Script>,
    /// What keeps the suite from running.
    pub faults: Vec<TranscriptFault>,
}

impl Suite {
    /// The transcripts that the binary was built with.
    pub fn embedded() -> Self {
        Self::from_texts(embedded::TRANSCRIPTS.iter().map(|(path, text)| (*path, *text)))
    }

    /// The transcripts below a directory.
    pub fn from_directory(root: &Path) -> io::Result<Self> {
        let mut texts = Vec::new();
        read(root, root, &mut texts)?;
        texts.sort();
        Ok(Self::from_texts(texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))))
    }

    /// Transcripts given as path and text.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut suite = Self { transcripts: Vec::new(), scripts: Vec::new(), faults: Vec::new() };
        for (path, text) in texts {
            match parse(path, text) {
                Ok(transcript) => suite.transcripts.push(transcript),
                Err(faults) => suite.faults.extend(faults),
            }
        }
        let mut by_name = BTreeMap::new();
        for transcript in &suite.transcripts {
            if by_name.insert(transcript.header.case.as_str(), transcript).is_some() {
                let what = format!("`{}` is the name of another case too", transcript.header.case);
                suite.faults.push(TranscriptFault { path: transcript.path.clone(), line: 1, what });
            }
        }
        for transcript in &suite.transcripts {
            match expand(transcript, &by_name) {
                Ok(scripts) => suite.scripts.extend(scripts),
                Err(fault) => suite.faults.push(fault),
            }
        }
        suite.scripts.sort_by(|one, two| one.id.cmp(&two.id));
        suite
    }

    /// Everything that is wrong with the suite, by file and line.
    pub fn lint(&self, spec: &Spec) -> Vec<Finding> {
        let mut findings: Vec<_> = self.faults.clone();
        for transcript in &self.transcripts {
            let scripts: Vec<_> =
                self.scripts.iter().filter(|script| script.path == transcript.path).collect();
            findings.extend(lint(transcript, &scripts, spec));
        }
        findings.sort_by(|one, two| (&one.path, one.line).cmp(&(&two.path, two.line)));
        findings.dedup();
        findings
    }

    /// The case of that name.
    pub fn script(&self, id: &str) -> Option<&Script> {
        self.scripts.iter().find(|script| script.id == id)
    }

    /// The cases that hold an endpoint to a rule, with the steps that name it.
    pub fn cases_of(&self, rule: &str) -> Vec<&Transcript> {
        let names = |transcript: &&Transcript| transcript.header.rules.iter().any(|named| named == rule);
        self.transcripts.iter().filter(names).collect()
    }
}

fn read(root: &Path, path: &Path, into: &mut Vec<(String, String)>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            read(root, &entry?.path(), into)?;
        }
    } else if path.extension().is_some_and(|extension| extension == "ndjson") {
        let relative = path.strip_prefix(root).unwrap_or(path);
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        into.push((parts.join("/"), fs::read_to_string(path)?));
    }
    Ok(())
}

/// Whether a name matches a pattern in which `*` stands for any text.
pub fn matches_glob(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(head) else { return false };
    let mut pieces: Vec<_> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name) in
            [("*", ""), ("EP-*", "EP-01"), ("a*b*c", "axxbyyc"), ("cancel.race", "cancel.race")]
        {
            assert!(matches_glob(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("EP-*", "SE-01"), ("a*bc", "abcb"), ("cancel", "cancel.race")] {
            assert!(!matches_glob(pattern, name), "{pattern} {name}");
        }
    }
}
