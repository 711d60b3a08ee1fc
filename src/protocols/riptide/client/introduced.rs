//! A replay without the recording's clock (`--asap`) waits after the handshake. Without the wait, the first message may
//! arrive in the server's tick in which its library reads the answer to the welcome: the application does not know the
//! client yet, and nothing handles a notify.

use super::RiptideActor;
use crate::live::replay::actor::Outbox;
use std::time::{Duration, Instant};

/// Longer than any server's tick.
const TICK: Duration = Duration::from_millis(100);

/// Whether the server's application knows the client.
#[derive(Clone, Copy, Debug)]
pub enum Introduced {
    /// The answer to the welcome is not acknowledged yet.
    No,
    /// It is acknowledged. A heartbeat's answer is awaited, which the server's library sends in its next tick.
    Since(Instant),
    /// It knows the client, or the recording's clock leaves enough time.
    Yes,
}

impl RiptideActor {
    /// Sends a heartbeat once the answer to the welcome is acknowledged: its answer marks the next tick.
    pub(super) fn introduce(&mut self, now: Instant) {
        let waits = self.greeted.is_none_or(|number| self.numbers.sent.waits(number));
        if !waits && matches!(self.introduced, Introduced::No) {
            self.introduced = Introduced::Since(now);
            self.beat = Some(now);
        }
    }

    /// Ends the wait after the answer to the heartbeat, or after the time of a tick.
    pub(super) fn is_introduced(&mut self, answered: bool, now: Instant, out: &mut Outbox) {
        let Introduced::Since(at) = self.introduced else { return };
        let late = now.saturating_duration_since(at) >= TICK;
        if !answered && !late {
            return;
        }
        self.introduced = Introduced::Yes;
        out.remark(match answered {
            true => "--asap: the first message waits until the server has answered once after the handshake".into(),
            false => format!(
                "--asap: the server answers no heartbeat: {} ms after the handshake its application may not know \
                 the client yet",
                TICK.as_millis()
            ),
        });
    }
}
