//! Asks live servers: whether one is there, its protocol, its version and its distance; if there is none, the reason.
//!
//! [`run`] asks one target by the methods of one protocol, or of all of them in an order that harms none. `pool` asks
//! several targets at once and keeps their order. `Report::text` and `Report::json` print.

#[cfg(feature = "cli")]
pub(crate) mod asked;
mod carrier;
mod data;
mod engine;
mod findings;
mod memory;
mod method;
#[cfg(feature = "cli")]
pub(crate) mod monitor;
mod outcome;
#[cfg(feature = "cli")]
pub(crate) mod paint;
#[cfg(feature = "cli")]
pub(crate) mod pool;
mod refusal;
mod report;
pub(crate) mod session;
pub(crate) mod statistics;
pub(crate) mod strangers;
#[cfg(feature = "cli")]
pub(crate) mod trees;
mod verdict;

pub use carrier::Carrier;
#[doc(hidden)]
pub use data::ConnectData;
pub(crate) use engine::Read;
pub use engine::{Engine, Meaning, Question, Questions, Series};
pub use findings::{Event, Found};
pub(crate) use findings::{Findings, Sample};
#[doc(hidden)]
pub use memory::Memory;
pub use method::{Ask, Method, Probe, Request, Servers, Shared};
pub(crate) use outcome::Tried;
pub use outcome::{Failure, Outcome};
pub(crate) use refusal::Refusal;
pub(crate) use session::{Opening, Session};
pub(crate) use verdict::{Unexpected, echo, hex_of};

use crate::dissect::Dissector;
use crate::live::Observer;
use crate::live::net::{CancelToken, Target, resolve};
use method::SAMPLE;
use serde_json::{Map, Value as Json, json};
use std::collections::{HashSet, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;

/// The longest wait of each method for a target of unknown protocol.
const SCAN_TIMEOUT: Duration = Duration::from_millis(1500);
/// The longest time for the resolution of a name.
const RESOLVE: Duration = Duration::from_secs(5);
/// The time for a target besides its samples and waits, unless the user sets a limit.
const SPARE: Duration = Duration::from_secs(30);
/// The most answers that a method waits for, one after the other.
const ROUNDS: u32 = 5;
/// The number of a name's addresses that are tried.
const ADDRESSES: usize = 4;

impl Request {
    /// Returns the time limit for a target that is asked by this many methods.
    fn most(&self, attempts: usize) -> Duration {
        self.max_time.unwrap_or_else(|| {
            let answer = self.timeout.unwrap_or_default();
            let sample = self.interval.saturating_add(self.timeout.unwrap_or(SAMPLE).min(SAMPLE));
            let waits = answer.saturating_mul(ROUNDS.saturating_mul(attempts as u32));
            SPARE.saturating_add(sample.saturating_mul(self.samples)).saturating_add(waits)
        })
    }
}

/// The result for one target.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The target, as the user wrote it.
    pub target: String,
    /// The address that was asked last.
    pub address: Option<SocketAddr>,
    /// The outcome.
    pub outcome: Outcome,
    /// The server, if it was identified.
    pub found: Option<Found>,
    /// The round trips.
    pub samples: Vec<Sample>,
    /// Repeated answers.
    pub duplicates: u64,
    /// Sockets of the server that could not be released.
    pub left: u64,
    /// Remarks for people.
    pub notes: Vec<String>,
    /// The failure, if the outcome is not ok: text, advice, details.
    pub failure: Option<Failure>,
    /// All methods that were tried.
    pub tried: Vec<Tried>,
}

/// A method, and its protocol.
type Attempt = (&'static dyn Dissector, &'static dyn Probe, &'static Method);

/// Returns the methods for a target, in order.
fn attempts(request: &Request, target: &Target) -> Vec<Attempt> {
    let carrier = if target.path.is_some() { Some(Carrier::Ws) } else { request.carrier };
    let asked = request.clients.iter().filter(|c| request.proto.is_none_or(|proto| proto.name() == c.dissector.name()));
    let mut attempts: Vec<Attempt> = asked
        .filter_map(|client| Some((client.dissector, client.probe?)))
        .filter(|(_, probe)| !request.rounds || request.proto.is_some() || probe.costs(request.connect).is_none())
        .flat_map(|(d, probe)| probe.servers().methods.iter().map(move |course| (d, probe, course)))
        .filter(|(.., course)| carrier.is_none_or(|carrier| carrier == course.carrier))
        .collect();
    if request.proto.is_none() {
        attempts.sort_by_key(|(.., course)| course.rank);
    }
    attempts
}

/// Returns the port to ask: the target's own, or the protocol's.
///
/// # Errors
/// There is no such port.
pub(crate) fn port(request: &Request, target: &Target) -> Result<u16, String> {
    let usual = request.proto.and_then(|d| request.clients.probe(d.name())).and_then(|probe| probe.servers().port);
    let web = target.path.is_some().then_some(80);
    let none = || format!("{target}: no port given: write {target}:PORT, or name a protocol that has one (-p)");
    target.port.or(web).or(usual).ok_or_else(none)
}

/// Asks one target. The findings are reported to `emit` meanwhile.
pub fn run<'a>(
    request: &'a Request,
    target: &'a Target,
    shared: &'a Shared<'a>,
    observer: Option<Observer<'a>>,
    emit: &dyn Fn(Event),
) -> Report {
    let mut report = Report { target: target.text.clone(), ..Report::default() };
    let attempts = attempts(request, target);
    let stop = shared.stop.within(request.most(attempts.len()));
    let addresses = match port(request, target) {
        _ if attempts.is_empty() => {
            let advice = "choose another --transport or --proto";
            Err(Failure::new(Outcome::Failed, "no protocol is carried by that transport", advice))
        }
        Err(why) => Err(Failure::new(Outcome::Failed, why, "add the port: HOST:PORT")),
        Ok(port) => resolve(&target.host, port, RESOLVE, &stop).map_err(|why| {
            if let Err(error) = stop.check() {
                return Failure::from_net_error(error, Carrier::Udp);
            }

            let advice = "check the spelling, and this host's resolver";
            Failure::new(Outcome::ResolveFailed, format!("the name {:?} does not resolve: {why}", target.host), advice)
        }),
    };
    let addresses = match addresses {
        Ok(addresses) => addresses,
        Err(failure) => {
            report.outcome = failure.outcome;
            report.failure = Some(failure);
            return report;
        }
    };
    any_of(addresses, report, |address, report| {
        ask_all(request, target, address, &attempts, shared, &stop, observer.clone(), emit, report)
    })
}

/// Asks at the addresses of a name, in their order, until there is a server. Without one, the report is that of the
/// address that says most.
fn any_of(
    addresses: Vec<SocketAddr>,
    mut report: Report,
    mut ask: impl FnMut(SocketAddr, &mut Report) -> Outcome,
) -> Report {
    // Of IPv6 and IPv4: an address that was silent. Others of its family hardly say more, and each takes the whole wait.
    let mut silent = [false; 2];
    let mut best: Option<Report> = None;
    for address in addresses.into_iter().take(ADDRESSES) {
        let is_silent = &mut silent[usize::from(address.is_ipv4())];
        if *is_silent {
            continue;
        }
        report.address = Some(address);
        report.outcome = ask(address, &mut report);
        let asked = report.outcome;
        *is_silent = asked == Outcome::Silent;
        // That the time is up says less than what an earlier address has shown.
        if asked == Outcome::TimedOut && report.found.is_none() && best.is_some() {
            break;
        }
        if report.found.is_some() || asked.weight() > Outcome::Silent.weight() {
            return report;
        }
        if best.as_ref().is_none_or(|best| asked.weight() > best.outcome.weight()) {
            best = Some(report.clone());
        }
    }
    match best {
        Some(best) => Report { tried: report.tried, left: report.left, ..best },
        None => report,
    }
}

/// Tries the methods on one address.
#[expect(clippy::too_many_arguments, reason = "one caller, which has them all")]
fn ask_all<'a>(
    request: &'a Request,
    target: &'a Target,
    peer: SocketAddr,
    attempts: &[Attempt],
    shared: &'a Shared<'a>,
    stop: &CancelToken,
    observer: Option<Observer<'a>>,
    emit: &dyn Fn(Event),
    report: &mut Report,
) -> Outcome {
    let mut shut = HashSet::new();
    let mut worst: Option<Failure> = None;
    let mut attempts: VecDeque<Attempt> = attempts.iter().copied().collect();
    while let Some((dissector, probe, course)) = attempts.pop_front() {
        if shut.contains(course.carrier.transport().name()) {
            continue;
        }
        let own = probe.servers().timeout;
        let usual = if request.proto.is_some() { own } else { own.min(SCAN_TIMEOUT) };
        let ask = Ask {
            dissector,
            peer,
            timeout: request.timeout.unwrap_or(usual),
            request,
            target,
            shared,
            observer: observer.clone(),
            stop: stop.clone(),
        };
        let (findings, result) = engine::run(probe, course, &ask, emit);
        findings.introduce();
        report.left += findings.left;
        let failure = result.err();
        let telling = findings.found.is_some();
        let failure = failure.map(|failure| match (failure.outcome, &worst) {
            // Earlier observations say more about the server than the time limit.
            (Outcome::TimedOut, Some(worst)) => {
                Failure { text: format!("{}; before that: {worst}", failure.text), ..failure }
            }
            (Outcome::Refused, _) if telling => {
                Failure { advice: "the server answered earlier: it has stopped since".into(), ..failure }
            }
            _ => failure,
        });
        let outcome = failure.as_ref().map_or(Outcome::Ok, |failure| failure.outcome);
        report.tried.push(Tried {
            proto: dissector.name(),
            course: course.name,
            carrier: course.carrier,
            outcome,
            text: failure.as_ref().map_or(String::new(), |failure| failure.text.clone()),
        });
        let connected = failure.as_ref().is_none_or(|f| f.details.get("connected") != Some(&json!(false)));
        if matches!(outcome, Outcome::Refused | Outcome::NoRoute) || !connected {
            shut.insert(course.carrier.transport().name());
        }
        let other = failure.as_ref().and_then(|f| f.details.get("other")).and_then(Json::as_str);
        if let (None, Some(other)) = (request.proto, other) {
            // The server was recognised by its answer to another protocol's question: its own protocol is next.
            attempts.make_contiguous().sort_by_key(|(dissector, ..)| dissector.name() != other);
        }
        if telling || worst.as_ref().is_none_or(|worst| observed_more(worst, failure.as_ref(), course.carrier)) {
            report.found = findings.found;
            report.samples = findings.samples;
            report.notes = findings.notes;
            report.duplicates = findings.duplicates;
            worst = failure;
        }
        if telling || done(request, outcome) {
            report.failure = worst;
            return outcome;
        }
    }
    let bug = || Failure::new(Outcome::Failed, "no method was tried", "this is a bug in netkit: please report it");
    let mut failure = worst.unwrap_or_else(bug);
    match failure.outcome {
        Outcome::Silent if request.proto.is_none() => failure = nobody(request, report, failure),
        Outcome::Refused => failure = refused(report, failure),
        _ => {}
    }
    let outcome = failure.outcome;
    report.failure = Some(failure);
    outcome
}

/// Whether a later method has observed more than an earlier one.
fn observed_more(before: &Failure, after: Option<&Failure>, carrier: Carrier) -> bool {
    let outcome = after.map_or(Outcome::Ok, |failure| failure.outcome);
    // A server that closes after its answer to an upgrade speaks WebSocket.
    let upgraded = outcome == Outcome::Closed && carrier == Carrier::Ws && after.is_some_and(|after| !after.is_ended());
    outcome.weight() > before.outcome.weight() || upgraded && before.outcome == outcome && before.is_ended()
}

/// Whether other methods are of no use.
fn done(request: &Request, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Silent | Outcome::Refused | Outcome::NoRoute | Outcome::Closed => false,
        // For an unknown protocol, it means little that one method was not understood.
        Outcome::OtherProtocol => request.proto.is_some(),
        _ => true,
    }
}

/// Adds to a refusal that nothing listens on either transport.
fn refused(report: &Report, failure: Failure) -> Failure {
    let on = |wanted: &str| {
        report.tried.iter().any(|t| t.outcome == Outcome::Refused && t.carrier.transport().name() == wanted)
    };
    match on("udp") && on("tcp") {
        true => Failure {
            text: "nothing listens on that port: not over UDP (ICMP port unreachable), and not over TCP".into(),
            ..failure
        },
        false => failure,
    }
}

/// Describes the failure of a scan that found nobody.
fn nobody(request: &Request, report: &Report, failure: Failure) -> Failure {
    let tried: Vec<String> =
        report.tried.iter().map(|t| format!("{}/{} {}", t.proto, t.carrier.name(), t.outcome.name())).collect();
    let advice = "check the port, or name the protocol with --proto: then netkit waits longer and explains more";
    let costs = |probe: &dyn Probe| request.rounds && probe.costs(request.connect).is_some();
    let clients = request.clients.iter().filter(|client| client.probe.is_some_and(costs));
    let left_out: Vec<&str> = clients.map(|client| client.dissector.name()).collect();
    let mut failure = Failure { advice: advice.into(), ..failure };
    failure.text = format!("no known protocol answers ({})", tried.join(", "));
    if !left_out.is_empty() {
        failure.text +=
            &format!("; not asked in repeated rounds, because each costs the server a socket: {}", left_out.join(", "));
    }
    failure
}

/// Returns the facts of a map in their order, for people.
pub(crate) fn facts(map: &Map<String, Json>) -> Vec<(String, String)> {
    let shown = |value: &Json| match value {
        Json::String(text) => text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect(),
        Json::Number(number) if number.is_f64() => format!("{:.3}", number.as_f64().unwrap_or_default()),
        other => other.to_string(),
    };
    map.iter().map(|(key, value)| (key.replace('_', " "), shown(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissect::{Options, Registry};
    use crate::live::Clients;

    /// Each answer may be late or lost.
    #[test]
    fn there_is_time_for_all_samples() {
        let request = Request {
            proto: None,
            carrier: None,
            clients: Clients::new([]),
            options: Options::new(Registry::new([])),
            samples: 1000,
            interval: Duration::from_millis(20),
            timeout: None,
            connect: false,
            create: None,
            name: String::new(),
            data: None,
            max_time: None,
            rounds: false,
        };
        assert!(request.most(1) >= Duration::from_secs(1020));
    }

    /// The report is that of the address that says most, and no family is asked again after a silence.
    #[test]
    fn the_address_that_says_most_is_reported() {
        use Outcome::{NoRoute, Ok, Refused, Silent, TimedOut};
        let all: Vec<SocketAddr> =
            ["[::1]:7", "[::2]:7", "127.0.0.1:7", "127.0.0.2:7"].map(|address| address.parse().unwrap()).into();
        for (outcomes, reported, asked) in [
            // A family that is silent hides no server of the other one; its other addresses are not asked.
            (&[Silent, Ok][..], (Ok, 2), 2),
            (&[Silent, Silent], (Silent, 0), 2),
            (&[Silent, TimedOut], (Silent, 0), 2),
            (&[TimedOut], (TimedOut, 0), 1),
            (&[NoRoute, Refused, NoRoute, NoRoute], (Refused, 1), 4),
            (&[Refused, Silent, Refused, Refused], (Silent, 1), 4),
        ] {
            let mut left = outcomes.iter();
            let mut count = 0;
            let report = any_of(all.clone(), Report::default(), |_, report| {
                count += 1;
                let (proto, carrier, outcome, text) = ("toy", Carrier::Udp, Outcome::Silent, String::new());
                report.tried.push(Tried { proto, course: "", carrier, outcome, text });
                *left.next().expect("an outcome")
            });
            assert_eq!((report.outcome, report.address), (reported.0, Some(all[reported.1])), "{outcomes:?}");
            assert_eq!((count, report.tried.len()), (asked, asked), "{outcomes:?}");
        }
    }

    /// No other address replaces the measurements of a server that then refuses.
    #[test]
    fn a_server_that_stops_is_reported() {
        let all: Vec<SocketAddr> = ["[::1]:7", "127.0.0.1:7"].map(|address| address.parse().unwrap()).into();
        let report = any_of(all.clone(), Report::default(), |address, report| {
            assert_eq!(address, all[0]);
            report.found = Some(Found::default());
            Outcome::Refused
        });
        assert_eq!((report.outcome, report.address), (Outcome::Refused, Some(all[0])));
    }
}
