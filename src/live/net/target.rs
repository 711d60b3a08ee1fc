//! The peer to talk to: the user's text, and its addresses.

use super::cancel::{CancelToken, SLICE};
use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A peer as the user named it: `HOST:PORT`, `[::1]:7777`, `HOST`, `ws://HOST:PORT/PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The text, as it was given.
    pub text: String,
    /// A name or an address, without brackets.
    pub host: String,
    /// The port, if it was given.
    pub port: Option<u16>,
    /// `ws://`: the path, `/` if there is none.
    pub path: Option<String>,
}

impl std::str::FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let wrong =
            |what: &str| Err(format!("{text:?}: {what}: expected HOST:PORT, [IPV6]:PORT or ws://HOST:PORT/PATH"));
        let (rest, path) = match text.split_once("://") {
            Some(("ws", rest)) => match rest.find('/') {
                Some(at) => {
                    let (host, path) = rest.split_at(at);
                    (host, Some(path.to_string()))
                }
                None => (rest, Some("/".to_string())),
            },
            Some(("wss", _)) => return wrong("encrypted WebSocket is not supported"),
            Some((scheme, _)) => return wrong(&format!("no scheme {scheme:?}")),
            None => (text, None),
        };
        if path.as_deref().is_some_and(|path| path.contains(|c: char| c.is_ascii_control() || c == ' ')) {
            return wrong("a path has no spaces");
        }
        let (host, port) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':').unwrap_or_default())),
            // An IPv6 address without brackets has no port.
            None if rest.matches(':').count() > 1 => (rest, None),
            None => rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port))),
        };
        if host.is_empty() {
            return wrong("no host");
        }
        let port = match port.map(str::parse) {
            None => None,
            Some(Ok(port @ 1..)) => Some(port),
            Some(_) => return wrong("no port from 1 to 65535"),
        };
        Ok(Target { text: text.into(), host: host.into(), port, path })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the addresses of a host, in the system's order of preference.
///
/// # Errors
/// Returns the system's reason, or that it has not answered in time. The system's resolver cannot be cancelled: after
/// the timeout, or a request to stop, the thread that waits for it is left to end on its own.
pub fn resolve(host: &str, port: u16, timeout: Duration, stop: &CancelToken) -> Result<Vec<SocketAddr>, String> {
    if let Ok(ip) = host.parse() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let (sender, results) = mpsc::channel();
    let host = host.to_string();
    std::thread::spawn(move || {
        let found = (host.as_str(), port).to_socket_addrs().map(Vec::from_iter);
        // After the timeout nobody waits for it any more.
        let _ = sender.send(found);
    });
    let begun = Instant::now();
    loop {
        stop.check().map_err(|why| why.to_string())?;
        return match results.recv_timeout(SLICE.min(timeout)) {
            Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
            Ok(Ok(_)) => Err("the name has no addresses".into()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(RecvTimeoutError::Timeout) if begun.elapsed() < timeout => continue,
            Err(_) => Err(format!("no answer from the resolver within {timeout:?}")),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, Option<u16>, Option<String>) {
        let target: Target = text.parse().unwrap();
        (target.host, target.port, target.path)
    }

    #[test]
    fn targets() {
        assert_eq!(parts("game.example:7777"), ("game.example".into(), Some(7777), None));
        assert_eq!(parts("[::1]:7777"), ("::1".into(), Some(7777), None));
        assert_eq!(parts("::1"), ("::1".into(), None, None));
        assert_eq!(parts("10.0.0.1"), ("10.0.0.1".into(), None, None));
        assert_eq!(parts("ws://h:3250/nano"), ("h".into(), Some(3250), Some("/nano".into())));
        assert_eq!(parts("ws://[fe80::1]:80"), ("fe80::1".into(), Some(80), Some("/".into())));
        for wrong in ["", ":1", "h:0", "h:65536", "h:x", "http://h:1", "wss://h:1", "ws://h:1/a b", "[::1]7777"] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn addresses_need_no_resolver() {
        assert_eq!(resolve("::1", 7, Duration::ZERO, &CancelToken::default()).unwrap(), ["[::1]:7".parse().unwrap()]);
    }
}
