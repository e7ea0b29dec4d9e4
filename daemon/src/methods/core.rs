//! `initialize`, `status` and `health`.

use crate::connection::{Binding, Call};
use crate::daemon::Daemon;
use crate::policy;
use crate::refusal::Refusal;
use std::collections::BTreeMap;
use zeroclaw_spec::{
    CoreMethods, HealthComponent, HealthParams, HealthResult, HealthStatus, InitializeParams,
    InitializeResult, Method, PROTOCOL_VERSION, ProtocolVersion, StatusParams, StatusResult,
};

impl CoreMethods for Daemon {
    async fn initialize(&self, call: Call, params: InitializeParams) -> Result<InitializeResult, Refusal> {
        if params.protocol_version.as_str() != PROTOCOL_VERSION.to_string() {
            return Err(Refusal::Version(params.protocol_version));
        }
        let credentials = call.connection.credentials();
        let principal = policy::authenticate(credentials, params.auth_token.as_deref())?;
        let (tui_id, tui_sig) =
            self.clients().name(&principal, params.tui_id.as_deref(), params.tui_sig.as_deref())?;
        tracing::info!(peer = %credentials, principal = principal.id(), client = %tui_id, "initialized");
        let principal_id = principal.id().to_owned();
        // HS-04: everything that can fail has succeeded.
        call.connection.bind(Binding { principal, tui_id: tui_id.clone() }, call.opens_in);
        let mut capabilities: Vec<_> = Method::ALL.iter().map(|method| method.name().to_owned()).collect();
        capabilities.sort_unstable();
        Ok(InitializeResult {
            protocol_version: spoken_version(),
            server_version: self.reported_version().to_owned(),
            server_pid: u64::from(std::process::id()),
            capabilities,
            limits: (**self.limits()).clone(),
            principal_id,
            tui_id,
            tui_sig,
        })
    }

    async fn status(&self, _: Call, _: StatusParams) -> Result<StatusResult, Refusal> {
        let session_ids = self.sessions().ids();
        let paths = self.paths();
        Ok(StatusResult {
            server_version: self.reported_version().to_owned(),
            protocol_version: spoken_version(),
            active_sessions: session_ids.len() as u64,
            session_ids,
            config_dir: paths.config_dir.display().to_string(),
            config_file: paths.config_file().display().to_string(),
            local_ipc_endpoint: self.endpoint().map(str::to_owned),
        })
    }

    async fn health(&self, _: Call, _: HealthParams) -> Result<HealthResult, Refusal> {
        let (live, most) = (self.sessions().ids().len() as u64, self.limits().max_live_sessions);
        let sessions = match live < most {
            true => HealthComponent { status: HealthStatus::Ok, detail: None },
            false => HealthComponent {
                status: HealthStatus::Degraded,
                detail: Some(format!("{live} of {most} are live")),
            },
        };
        Ok(HealthResult {
            status: sessions.status,
            uptime_secs: self.uptime().as_secs(),
            components: BTreeMap::from([("sessions".to_owned(), sessions)]),
        })
    }
}

fn spoken_version() -> ProtocolVersion {
    ProtocolVersion::new(PROTOCOL_VERSION.cast_signed()).expect("the spec's own version is in its range")
}
