//! The configuration file, as far as it is read by now: the `[rpc]` table with the limits (LI-11). Tables that nothing
//! reads yet are left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item};
use zeroclaw_spec::json;
use zeroclaw_spec::{LIMITS, Limits};

/// What the file says, or the defaults.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// The limits in force.
    pub limits: Limits,
    /// `rpc.strict_params`: refuse members that the spec does not declare (EN-13).
    pub strict_params: bool,
    /// `rpc.server_version`: what to report in the place of our version (CL-06).
    pub server_version: Option<String>,
}

/// The file is there and cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// It is not TOML.
    #[error("{0}: {1}")]
    NotToml(PathBuf, toml_edit::TomlError),
    /// A value is not what its key takes.
    #[error("{file}, line {line}: {key}: {expected}", file = file.display())]
    Unfit {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The dotted key.
        key: String,
        /// What was expected.
        expected: String,
    },
}

impl Config {
    /// Reads the file; one that is not there means the defaults.
    ///
    /// # Errors
    /// [`ConfigError`]: a configuration that is not understood is refused as a whole.
    pub fn read(file: &Path) -> Result<Self, ConfigError> {
        match std::fs::read_to_string(file) {
            Ok(text) => Self::parse(file, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ConfigError::Unreadable(file.to_owned(), error)),
        }
    }

    fn parse(file: &Path, text: &str) -> Result<Self, ConfigError> {
        let document = Document::parse(text).map_err(|error| ConfigError::NotToml(file.to_owned(), error))?;
        let mut config = Self::default();
        let Some(item) = document.get("rpc") else { return Ok(config) };
        let unfit = |key: &str, item: &Item, expected: String| {
            let start = item.span().map_or(0, |span| span.start);
            let line = text[..start].matches('\n').count() + 1;
            ConfigError::Unfit { file: file.to_owned(), line, key: key.to_owned(), expected }
        };
        let rpc = item.as_table().ok_or_else(|| unfit("rpc", item, "expected a table".to_owned()))?;
        for (key, item) in rpc.iter() {
            config.set(key, item).map_err(|expected| unfit(&format!("rpc.{key}"), item, expected))?;
        }
        Ok(config)
    }

    fn set(&mut self, key: &str, item: &Item) -> Result<(), String> {
        match key {
            "strict_params" => self.strict_params = item.as_bool().ok_or("expected true or false")?,
            "server_version" => {
                self.server_version = Some(item.as_str().ok_or("expected a string")?.to_owned());
            }
            _ => self.limits = self.limit(key, item)?,
        }
        Ok(())
    }

    /// The limits with one of them as `item` says.
    fn limit(&self, key: &str, item: &Item) -> Result<Limits, String> {
        let config_key = format!("rpc.{key}");
        let facts = LIMITS.iter().find(|facts| facts.config == Some(config_key.as_str()));
        let facts = facts.ok_or_else(|| format!("there is no such key; known are {}", known_keys()))?;
        let minimum = facts.minimum.unwrap_or(0);
        let value =
            item.as_integer().and_then(|value| u64::try_from(value).ok()).filter(|value| *value >= minimum);
        let value =
            value.ok_or_else(|| format!("expected an integer of at least {minimum} ({})", facts.unit))?;
        // By way of JSON: the struct's members are the limits' names.
        let mut members: BTreeMap<String, u64> =
            json::from_text(&json::to_text(&self.limits)).map_err(|fault| fault.to_string())?;
        members.insert(facts.name.to_owned(), value);
        json::from_text(&json::to_text(&members)).map_err(|fault| fault.to_string())
    }
}

fn known_keys() -> String {
    let limits = LIMITS.iter().filter_map(|facts| facts.config?.strip_prefix("rpc."));
    let keys: BTreeSet<_> = limits.chain(["strict_params", "server_version"]).collect();
    keys.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(Path::new("c.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn every_limit_that_has_a_key_can_be_set() {
        for facts in LIMITS.iter().filter(|facts| facts.config.is_some_and(|key| key.starts_with("rpc."))) {
            let value = facts.minimum.unwrap_or(0) + 7;
            let limits = parse(&format!("[rpc]\n{} = {value}\n", facts.name)).unwrap().limits;
            let members: BTreeMap<String, u64> = json::from_text(&json::to_text(&limits)).unwrap();
            assert_eq!(members[facts.name], value);
        }
    }

    #[test]
    fn other_tables_are_left_alone_and_other_keys_are_not() {
        let config =
            parse("[agents.x]\nmodel = 1\n[rpc]\nstrict_params = true\nserver_version = \"0.8.4\"\n")
                .unwrap();
        assert_eq!((config.strict_params, config.server_version.as_deref()), (true, Some("0.8.4")));
        let error = parse("[rpc]\n\nframe_timeout = 1\n").unwrap_err();
        assert!(
            error.starts_with("c.toml, line 3: rpc.frame_timeout: there is no such key; known are "),
            "{error}"
        );
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused_with_its_line() {
        for (line, expected) in [
            (
                "max_local_connections = 0",
                "rpc.max_local_connections: expected an integer of at least 1 (count)",
            ),
            ("frame_timeout_ms = \"1\"", "rpc.frame_timeout_ms: expected an integer of at least 1 (ms)"),
            ("unwind_ms = -1", "rpc.unwind_ms: expected an integer of at least 0 (ms)"),
            ("strict_params = 1", "rpc.strict_params: expected true or false"),
        ] {
            assert_eq!(
                parse(&format!("# first\n[rpc]\n{line}\n")).unwrap_err(),
                format!("c.toml, line 3: {expected}")
            );
        }
    }
}
