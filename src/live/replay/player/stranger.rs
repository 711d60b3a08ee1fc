//! Recognises a peer whose first bytes show another carrier than the recording's, or another protocol.

use crate::dissect::{Role, looks};
use crate::flow::Transport;
use crate::live::exchange::Setup;

/// The number of bytes that are enough to decide.
pub const ENOUGH: usize = 8;

/// Describes the mismatch, if the first bytes show one.
pub fn first(setup: &Setup<'_>, bytes: &[u8]) -> Option<String> {
    if setup.transport != Transport::Tcp {
        return None;
    }
    let (proto, peer) = (setup.dissector.name(), setup.ends[1]);
    let like = match bytes {
        // An alert: the response to data that is not TLS.
        [0x15, 3, 0..=4, ..] => Some("TLS"),
        // Others begin with numbers with which a game may begin, too.
        _ => looks::like(Transport::Tcp, [0, 0], bytes, &[])
            .filter(|like| ["HTTP", "HTTP/2", "SSH", "TLS"].contains(like)),
    };
    let http = like == Some("HTTP");
    Some(match (setup.websocket, setup.role, like) {
        (true, ..) if http => return None,
        (true, Role::Server, None) => "the client speaks plain TCP, the recording is a WebSocket's: let the \
             client connect by WebSocket, or play a recording over TCP"
            .into(),
        (true, _, None) => {
            format!("the upgrade is not answered in HTTP: {peer} speaks no WebSocket (--to HOST:PORT is plain TCP)")
        }
        (false, Role::Server, Some("HTTP")) => format!(
            "the client asks for HTTP or a WebSocket, the recording is {proto} over plain TCP: let the client \
             connect by TCP, or play a recording over WebSocket"
        ),
        (false, _, Some("HTTP")) => {
            format!(
                "{peer} answers in HTTP, not {proto} over plain TCP: if it accepts WebSockets, use --to ws://{peer}/"
            )
        }
        (_, _, Some(like)) => format!("{peer} speaks {like}, not {proto}"),
        (false, _, None) => return None,
    })
}
