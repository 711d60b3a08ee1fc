//! Asking a Riptide server over TCP, so that no socket stays with it.
//!
//! Over TCP a version that the user sets is asked alone. Else 2.0 comes first, for a 2.0 server takes
//! the length of 2.1 for a message to the application, calls its handler, and waits for 512 bytes. A
//! 2.1 server waits for the fourth byte of its length, and never looks at the socket again where that
//! does not come: its end stays in CLOSE_WAIT, whoever closes. So the first connection is kept until
//! the second one has told who is there. A 2.1 server skips a length below zero: that, and its own
//! goodbye, ends the first one as well. pytide never comes out of such a length, so with it (and with
//! who has said nothing) that connection is merely closed, and this is said. 2.0's goodbye goes to
//! nobody but a 2.0 server: for 2.1 it is a length of 17 MB.

use super::super::layout::CLIENT;
use super::asked::Asked;
use super::race::race;
use crate::live::probe::{Ask, Carrier, Failure, Findings, Outcome};
use std::time::{Duration, Instant};

/// How long an answer to 2.0 is waited for before 2.2 is tried: servers answer in their next tick.
const FIRST: Duration = Duration::from_millis(1500);
/// 2.0's connect, as it goes over TCP.
const CONNECT_20: [u8; 3] = [1, 0, 3];
/// The byte that makes a length below zero of it, and 2.2's disconnect.
const GOODBYE_22: [u8; 6] = [0xff, 1, 0, 0, 0, 5];
/// What is left behind where nobody says who is there.
const LEFT: &str = "a server of 2.1 or later keeps the socket that was asked in 2.0's form (CLOSE_WAIT) until it ends; \
                    -s riptide.version=2.2 asks in its own form alone";

/// Asks in the one form, and then perhaps in the other.
pub fn ask(carrier: Carrier, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
    let set = ask.options.settings.get("riptide.version");
    if ask.data.is_some() && set.is_none() {
        let text = "a server of 2.1 or later would take a connect of 2.0 with data for the length of a message";
        let advice = "-s riptide.version=2.0 or 2.2 says which server it is; over UDP both forms are harmless";
        return Err(Failure::new(Outcome::Failed, text, advice));
    }
    let mut links = Vec::new();
    if !matches!(set, Some("2.1" | "2.2")) {
        let alone = set == Some("2.0");
        links.push(Asked::open(carrier, "2.0", ask)?);
        let until = Instant::now() + if alone { ask.timeout } else { ask.timeout.min(FIRST) };
        let result = race(&mut links, 0, until, ask, findings);
        let unanswered = |failure: &Failure| matches!(failure.outcome, Outcome::Silent | Outcome::Closed);
        if alone || !result.as_ref().is_err_and(unanswered) {
            return finish(result, links, ask, findings);
        }
    }
    let result = Asked::open(carrier, "2.2", ask).and_then(|second| {
        let asked = links.len();
        links.push(second);
        race(&mut links, asked, ask.until(), ask, findings)
    });
    finish(result, links, ask, findings)
}

/// Samples who was welcome, and leaves all.
fn finish(
    result: Result<usize, Failure>,
    mut links: Vec<Asked<'_>>,
    ask: &Ask<'_>,
    findings: &mut Findings<'_>,
) -> Result<(), Failure> {
    let result = result.and_then(|winner| match links.get_mut(winner) {
        Some(client) => client.sample(ask, findings),
        None => Ok(()),
    });
    let packed = links.iter().any(|link| link.version != "2.0" && link.heard);
    let found = findings.found.as_ref().filter(|_| packed);
    // pytide is known by its welcome, and never says that it is full.
    let full = result.as_ref().is_err_and(|failure| failure.outcome == Outcome::Full);
    let skips = found.is_some_and(|f| f.family.is_none() && (full || f.facts.contains_key(CLIENT.name)));
    let mut kept = false;
    for link in &mut links {
        if link.version != "2.0" || link.heard {
            link.leave();
        } else if skips {
            let mut options = ask.options.clone();
            let _ = options.set("riptide.version=2.2");
            // Where it does not go out, nobody is there any more.
            let _ = link.session.settle("2.2", &options, &CONNECT_20, &GOODBYE_22);
            link.session.finish();
        } else {
            link.session.abandon();
            kept = true;
        }
    }
    match result {
        Err(failure) if kept && failure.outcome == Outcome::Silent => {
            Err(Failure { advice: format!("{}; {LEFT}", failure.advice), ..failure })
        }
        result => {
            if kept && packed {
                findings.note(LEFT);
            }
            result
        }
    }
}
