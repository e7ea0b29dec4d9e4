//! How another implementation is told where to serve and what to keep to, and how it is spoken to.

use crate::spec::Spelling;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What the runner must know of an implementation beyond the spec. Without a file: our own daemon's.
#[derive(Debug, Clone, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct Profile {
    /// The alias of an agent that echoes and knows the control words.
    pub agent: String,
    /// The spelling it is spoken to in, unless the command line says.
    #[schemars(with = "Option<String>")]
    pub spelling: Option<Spelling>,
    /// Further environment; `{dir}` stands for the fresh directory, `{socket}` for the endpoint.
    pub environment: BTreeMap<String, String>,
    /// The configuration file, relative to the fresh directory.
    pub config_file: String,
    /// What is in it before a case's `config` is added: TOML.
    pub config: String,
    /// Whether a case's `config` is written. If not, such cases are not run.
    pub configurable: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            agent: "echo".to_owned(),
            spelling: None,
            environment: BTreeMap::new(),
            config_file: "config.toml".to_owned(),
            config: String::new(),
            configurable: true,
        }
    }
}
