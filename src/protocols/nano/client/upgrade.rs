//! The HTTP heads of a WebSocket, for the live host and the live client's key.

use super::NanoActor;
use crate::protocols::websocket::upgrade::accept;

impl NanoActor {
    /// The client's HTTP request for the live host. It has no extensions, so no message is compressed.
    pub(super) fn upgrade(&self, head: &str) -> String {
        let mut lines = Vec::new();
        for (k, line) in head.trim_end().split("\r\n").enumerate() {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            match (k, name.as_str(), &self.path) {
                (0, _, Some(path)) => lines.push(format!("GET {path} HTTP/1.1")),
                (_, "sec-websocket-extensions", _) => {}
                (1.., "host", _) => lines.push(format!("Host: {}", self.host)),
                (1.., "origin", _) => lines.push(format!("Origin: http://{}", self.host)),
                _ => lines.push(line.into()),
            }
        }
        lines.join("\r\n") + "\r\n\r\n"
    }

    /// The server's HTTP answer, for the live client's key.
    pub(super) fn upgraded(&self, head: &str) -> String {
        let mut lines = Vec::new();
        for line in head.trim_end().split("\r\n") {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            match (name.as_str(), &self.key) {
                ("sec-websocket-extensions", _) => {}
                ("sec-websocket-accept", Some(key)) => lines.push(format!("Sec-WebSocket-Accept: {}", accept(key))),
                _ => lines.push(line.into()),
            }
        }
        lines.join("\r\n") + "\r\n\r\n"
    }
}
