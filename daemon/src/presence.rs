//! How many clients are there, and when an ephemeral daemon is left alone for good (EM-01).

use std::time::Duration;
use tokio::sync::watch;

/// Counts the accepted connections (EM-03).
#[derive(Debug)]
pub(crate) struct Presence {
    census: watch::Sender<Census>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Census {
    present: usize,
    /// How many have ever come: tells a second in which nobody came from one in which somebody came and went.
    arrivals: u64,
}

/// One client, for as long as it is there.
#[derive(Debug)]
pub(crate) struct Present {
    census: watch::Sender<Census>,
}

impl Default for Presence {
    fn default() -> Self {
        Self { census: watch::Sender::new(Census::default()) }
    }
}

impl Presence {
    /// A client has come; it is there until what this gives is dropped.
    pub(crate) fn arrive(&self) -> Present {
        self.census.send_modify(|census| {
            census.present += 1;
            census.arrivals += 1;
        });
        Present { census: self.census.clone() }
    }

    /// Done when the last client has gone and nobody has come for `grace`. Never before a first client has come,
    /// however short its stay was.
    pub(crate) async fn deserted(&self, grace: Duration) {
        let mut census = self.census.subscribe();
        loop {
            let deserted = census.wait_for(|census| census.arrivals > 0 && census.present == 0).await;
            // The sender is ours: it lives as long as we do.
            let Ok(then) = deserted.map(|census| *census) else { return };
            let somebody_came = census.wait_for(|census| census.arrivals != then.arrivals);
            if tokio::time::timeout(grace, somebody_came).await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.census.send_modify(|census| census.present -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::time::{Instant, advance};

    const GRACE: Duration = Duration::from_secs(1);

    fn watch(presence: &Arc<Presence>) -> tokio::task::JoinHandle<Instant> {
        let presence = Arc::clone(presence);
        tokio::spawn(async move {
            presence.deserted(GRACE).await;
            Instant::now()
        })
    }

    async fn pass(time: Duration) {
        tokio::task::yield_now().await;
        advance(time).await;
        tokio::task::yield_now().await;
    }

    #[tokio::test(start_paused = true)]
    async fn it_never_ends_before_a_first_client_has_come() {
        let presence = Arc::new(Presence::default());
        let end = watch(&presence);
        pass(GRACE * 100).await;
        assert!(!end.is_finished());
        drop(presence.arrive());
        let left = Instant::now();
        assert_eq!(end.await.unwrap() - left, GRACE, "however short the stay was");
    }

    #[tokio::test(start_paused = true)]
    async fn a_reconnect_in_that_second_cancels_the_end_even_if_it_is_short() {
        let presence = Arc::new(Presence::default());
        let end = watch(&presence);
        drop(presence.arrive());
        pass(GRACE * 9 / 10).await;
        drop(presence.arrive());
        let left = Instant::now();
        pass(GRACE * 9 / 10).await;
        assert!(!end.is_finished());
        assert_eq!(end.await.unwrap() - left, GRACE);
    }

    #[tokio::test(start_paused = true)]
    async fn it_goes_on_while_anybody_is_there() {
        let presence = Arc::new(Presence::default());
        let end = watch(&presence);
        let (first, second) = (presence.arrive(), presence.arrive());
        drop(first);
        pass(GRACE * 100).await;
        assert!(!end.is_finished());
        drop(second);
        let left = Instant::now();
        assert_eq!(end.await.unwrap() - left, GRACE);
    }
}
