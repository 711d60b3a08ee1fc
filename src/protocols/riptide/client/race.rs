//! Connects on all sockets at once: who is welcome first.

use super::asked::Asked;
use crate::live::NetError;
use crate::live::probe::{Ask, Carrier, Failure, Findings, Outcome};
use std::time::{Duration, Instant};

/// How long an open race sleeps between two looks.
const LOOK: Duration = Duration::from_micros(300);

/// Asks on all sockets, those from `new` on for the first time, until one is welcome: which.
pub fn race(
    clients: &mut [Asked<'_>],
    new: usize,
    until: Instant,
    ask: &Ask<'_>,
    findings: &mut Findings<'_>,
) -> Result<usize, Failure> {
    for client in clients.iter_mut().skip(new) {
        client.session.begin()?;
    }
    loop {
        let mut closed = 0;
        for at in 0..clients.len() {
            let Some(client) = clients.get_mut(at) else { continue };
            match client.session.poll() {
                Ok(Some(heard)) => {
                    if client.answered(heard, ask, findings)? {
                        return Ok(at);
                    }
                }
                Ok(None) => {}
                Err(failure) if failure.outcome == Outcome::Closed => closed += 1,
                Err(failure) => return Err(failure),
            }
        }
        if Instant::now() >= until || closed == clients.len() {
            return Err(unanswered(clients, ask, closed > 0));
        }
        std::thread::sleep(LOOK);
    }
}

/// Nobody was welcome.
fn unanswered(clients: &[Asked<'_>], ask: &Ask<'_>, closed: bool) -> Failure {
    let Some(first) = clients.first() else { return Failure::interrupted() };
    if let Some(client) = clients.iter().find(|client| client.pending) {
        let text =
            format!("the server ({}) has left the decision to its application, which has not decided", client.version);
        let advice = "wait longer with -W; the server's accept handler decides on something netkit does not send";
        return Failure::new(Outcome::Pending, text, advice).with("version", client.version);
    }
    // Closed after some bytes: these tell more.
    let with_bytes = clients.iter().find(|client| !client.session.raw().is_empty());
    if closed && with_bytes.is_none() {
        return Failure::from_net_error(NetError::Closed { reset: false }, first.session.carrier());
    }
    let client = with_bytes.unwrap_or(first);
    let sent = match first.session.carrier() {
        Carrier::Udp => "connect of 2.0 (03) and of 2.1, 2.2 (02)".to_string(),
        _ => {
            let versions: Vec<&str> = clients.iter().map(|client| client.version).collect();
            format!("connect of {}", versions.join(", and of "))
        }
    };
    let advice = "nothing there, a firewall, a frozen server, or another protocol: check the port; without --proto all are tried";
    client.session.verdict(ask, &sent, advice)
}
