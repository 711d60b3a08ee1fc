//! `netkit replay`: plays one side of a captured conversation to a live peer.

use super::options::{described_options, inputs};
use super::output::style;
use super::replay_print;
use super::selection::{limits, ports};
use crate::capture::{Capture, Input, Packets};
use crate::cli::{Dissect, Form, Global, Legs, Replay};
use crate::dissect::{Message, Options, Role, Server, Sink};
use crate::encode::deeply;
use crate::filter::Names;
use crate::live::net::{Target, is_private, resolve};
use crate::live::replay::listed;
use crate::live::replay::{Changes, Choices, Conversation, LINGER, Order, Pace, Progress, Recording, Report, Waiting};
use crate::live::{Clients, NetError, Observer};
use crate::process::join::{self, Join};
use crate::process::notify::{notify, warn};
use crate::process::outfile::{self, Recording as Recorded};
use crate::process::usage::{Usage, usage};
use crate::process::{input, interrupt};
use crate::read::of_leg;
use crate::render::palette::Palette;
use crate::render::{self, Renderer};
use anyhow::Context;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The interval between progress updates.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Runs the command.
pub fn run(args: &Replay, global: &Global) -> anyhow::Result<u8> {
    // Messages nest, and reading them recurses.
    deeply(|| session(args, global)).context("cannot start a thread")?
}

fn session(args: &Replay, global: &Global) -> anyhow::Result<u8> {
    let dissect = Dissect::of(args.proto.as_ref(), &args.protocol_file, &args.set, &args.schema);
    let (mut options, described) = described_options(&dissect)?;
    let clients = described.clients();
    options.server = args.server;
    options.leg = args.leg.unwrap_or(Legs::Client).one();
    ports(&args.port, &mut options)?;
    limits(&args.limit, &mut options)?;
    if args.files.len() > 1 && !args.join {
        return usage("expected one file; --join reads several as one capture");
    }
    let name = join::name(&args.files);
    // Check the output before anything is read or sent.
    let file = outfile::check("--pcap", args.pcap.as_deref(), &inputs(&args.files, &dissect)?, args.force)?;
    let changes = changes(args, &options)?;
    let captured = read(args, global, &options, &clients, &changes).with_context(|| name.clone());
    // If stdin or a pipe was stopped, only its beginning was read.
    if let Some(status) = interrupt::status(false) {
        notify(global, format_args!("{name}: stopped before all of it was read"));
        return Ok(status);
    }
    let mut captured = captured?;
    if let Some(limit) = captured.cut {
        warn(format_args!("{name}: too many messages to keep (--limit {limit}): only its beginning is played"));
    }
    if args.list {
        let palette = Palette::of(style(global, false).colour);
        listed::list(&captured, args.format == Form::Text, palette, &mut io::stdout())?;
        return Ok(0);
    }
    let mut chosen = captured.take(args.flow);
    let missing = chosen.as_ref().map(|c| captured.missing_settings(c)).unwrap_or_default();
    let missing: Vec<&String> = missing.iter().filter(|s| !given(s, &options)).collect();
    if !missing.is_empty() && !args.files.iter().any(|file| file.as_os_str() == "-") {
        // Its client had kept the values that it needs from an earlier connection.
        for setting in missing {
            options.set(setting).map_err(Usage)?;
        }
        captured = read(args, global, &options, &clients, &changes).with_context(|| name.clone())?;
        chosen = captured.take(args.flow);
        notify(global, format_args!("{name}: read with the dictionary of an earlier connection"));
    }
    let conversation = chosen.map_err(|what| {
        let _ = listed::list(&captured, true, Palette::of(false), &mut io::stderr());
        Usage(format!("{name}: {what}"))
    })?;
    if !conversation.known {
        return usage(format!("{name}: the server is unknown: name it with --server ADDR[:PORT]"));
    }
    if let Some(target) = &args.to
        && target.path.is_some()
        && conversation.transport != crate::flow::Transport::Tcp
    {
        return usage(format!("--to {target}: the captured conversation is not a stream"));
    }
    let role = args.from.unwrap_or(if args.listen.is_some() { Role::Server } else { Role::Client });
    let host = args.to.as_ref().map(host).unwrap_or_default();
    let asked = order(args, &conversation, role, &host);
    let options = asked.options(&options);
    // All messages must be encodable before the first one is sent.
    let written = asked.write_edits(&options, args.clients).map_err(|what| Usage(format!("--on: {what}")))?;
    drop(asked);
    let read = || {
        let usual = conversation.dissector.port();
        let port = args.listen.map(|at| at.port()).or(args.to.as_ref().and_then(|target| target.port)).or(usual);
        let (proto, servers) = (conversation.dissector.name(), port.map(Server::at_port));
        Options { proto: Some(proto.into()), server: None, servers: servers.into_iter().collect(), ..options.clone() }
    };
    let most = options.limits.live.pcap_bytes;
    let recording = file.filter(|_| !args.dry_run).map(|file| Recorded::begin(file, most, read)).transpose()?;
    let order = Order {
        recorder: recording.as_ref().map(Recorded::recorder),
        observer: (global.verbose > 0).then(|| watch(global)),
        ..order(args, &written, role, &host)
    };
    let mut played = written.messages.iter().filter(|m| args.last_frame.is_none_or(|last| m.frame <= last)).peekable();
    if played.peek().is_none() {
        return usage("--last-frame: the conversation begins later: nothing would be played");
    }
    if args.expect && args.filter.is_some() && played.all(|m| m.decoded.from == role || m.decoded.left_out) {
        return usage("-F: none of the peer's messages matches: nothing would be compared");
    }
    for idle in written.idle(&changes, role) {
        let role = role.name();
        notify(global, format_args!("--on {idle:?}: no message of the {role} matches, so the rule has no effect"));
    }
    if args.dry_run {
        listed::plan(&order, &options, args.format == Form::Text, &mut io::stdout().lock())?;
        return Ok(0);
    }
    let found = args.to.as_ref().map(|target| peers(args, target, &order)).transpose();
    if let Some(status) = interrupt::status(false) {
        return Ok(status);
    }
    let peers = found?.unwrap_or_default();
    if let (Some(clients), Some(peer)) = (args.clients, peers.first()) {
        return super::load::run(args, clients, order, *peer, &options);
    }
    let status = sessions(args, global, &order, &peers, &options, recording.as_ref());
    drop(order);
    if let Some(recording) = recording {
        recording.end(global, false)?;
    }
    status
}

/// Returns the order for the session, without observer and recorder.
fn order<'a>(args: &'a Replay, conversation: &'a Conversation, role: Role, host: &'a str) -> Order<'a> {
    Order {
        conversation,
        choices: Choices { role, allow_dangerous: args.allow_dangerous, until: args.last_frame },
        pace: Pace { speed: (!args.asap).then_some(args.speed), max_gap: args.max_gap },
        timeout: args.timeout,
        linger: LINGER.min(args.timeout),
        host,
        path: args.to.as_ref().and_then(|target| target.path.as_deref()),
        recorder: None,
        observer: None,
        stop: interrupt::stop(),
        max_time: args.max_time,
        flow: 1,
    }
}

/// Plays the session as often as requested.
fn sessions(
    args: &Replay,
    global: &Global,
    order: &Order<'_>,
    peers: &[SocketAddr],
    options: &Options,
    recording: Option<&Recorded>,
) -> anyhow::Result<u8> {
    let mut status = 0;
    for round in 0..args.times {
        // Each session has its own conversation numbers: for the stream and the datagrams beside it, twice, since a
        // connection may have to be made again.
        let order = Order { flow: 1 + 4 * round as u64, ..order.clone() };
        let played = play(args, global, &order, peers, options);
        let written = recording.map_or(Ok(()), Recorded::flush);
        match played {
            Ok(report) => {
                // The session was played, even if its recording cannot be written.
                let printed = replay_print::report(&report, args.format, global.verbose > 0);
                if !report.complete() || args.expect && report.diverged() {
                    status = 1;
                }
                match printed {
                    // The reader of the output may be gone: the comparison counts.
                    Err(_) if args.expect && status > 0 => return Ok(status),
                    printed => printed?,
                }
                written?;
            }
            Err(NetError::Interrupted) => {}
            Err(trouble) => {
                // No response is a result; errors of the sockets are not.
                let listen = || args.listen.map(|at| format!("--listen {at}"));
                let place = args.to.as_ref().map(ToString::to_string).or_else(listen).unwrap_or_default();
                warn(format_args!("{place}: {trouble}"));
                return Ok(if matches!(trouble, NetError::Io(_) | NetError::InUse) { 3 } else { 1 });
            }
        }
        if let Some(stopped) = interrupt::status(false) {
            return Ok(stopped);
        }
    }
    Ok(status)
}

/// Returns the rules of `--on`, then those of its older form `--drop`.
fn changes(args: &Replay, options: &Options) -> anyhow::Result<Changes> {
    let names = Names::new(options);
    let mut changes = Changes::new(args.seed);
    for text in &args.on {
        changes.edit(text, &names).map_err(|why| Usage(format!("--on: {why}")))?;
    }
    for text in &args.drop {
        changes.drop(text, &names).map_err(|why| Usage(format!("--drop: {why}")))?;
    }
    if let Some(text) = &args.filter {
        changes.compare(text, &names).map_err(|why| Usage(format!("-F: {why}")))?;
    }
    Ok(changes)
}

fn read(
    args: &Replay,
    global: &Global,
    options: &Options,
    clients: &Clients,
    changes: &Changes,
) -> anyhow::Result<Recording> {
    let (capture, broken) = match &args.files[..] {
        [file] if !args.join => (Capture::new(Input::new(input::open(file)?)?)?, None),
        files => Join::new(files)?.open(&render::Files::default(), global).map(|(c, broken)| (c, Some(broken)))?,
    };
    let packets = Packets::new(capture.leg(options.leg)).caps(options.limits.fragments);
    let recording = Recording::read(packets, options, clients, changes)?;
    recording.leg.into_iter().for_each(|leg| notify(global, format_args!("{}", of_leg(leg))));
    // A recording with missing parts in the middle must not be played as if it were complete.
    broken.map_or(Ok(()), |broken| broken.whole())?;
    Ok(recording)
}

/// Whether the user has given this setting.
fn given(setting: &str, options: &Options) -> bool {
    setting.split('=').next().is_some_and(|key| options.settings.get(key).is_some())
}

/// Returns the value of a `Host:` header.
fn host(target: &Target) -> String {
    let bare = if target.host.contains(':') { format!("[{}]", target.host) } else { target.host.clone() };
    target.port.map_or(bare.clone(), |port| format!("{bare}:{port}"))
}

fn play(
    args: &Replay,
    global: &Global,
    order: &Order<'_>,
    peers: &[SocketAddr],
    options: &Options,
) -> Result<Report, NetError> {
    let mut progress = bar(global);
    let report = match args.listen {
        None => first_there(peers, |peer| order.to(peer, options, &mut progress)),
        Some(at) => {
            let waiting = Waiting::on(at, order.conversation.transport).map_err(NetError::of)?;
            if let Ok(at) = waiting.local() {
                notify(global, format_args!("listening on {} {at}", order.conversation.transport));
            }
            order.answer(&waiting, options, None, &mut progress)
        }
    };
    if io::stderr().is_terminal() && !global.quiet {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    report
}

/// Plays with the first address where somebody is: a name often has more addresses than its server.
fn first_there(
    peers: &[SocketAddr],
    mut play: impl FnMut(SocketAddr) -> Result<Report, NetError>,
) -> Result<Report, NetError> {
    let is_nobody = |played: &Result<Report, NetError>| match played {
        Ok(report) => report.received == 0 && report.trouble == Some(NetError::Refused.to_string()),
        Err(why) => matches!(why, NetError::Refused | NetError::NoRoute(_)),
    };
    let mut played = Err(NetError::Io(io::Error::other("--to or --listen is needed")));
    for peer in peers {
        played = play(*peer);
        if !is_nobody(&played) {
            break;
        }
    }
    played
}

/// Returns the addresses of the peer.
fn peers(args: &Replay, target: &Target, order: &Order<'_>) -> anyhow::Result<Vec<SocketAddr>> {
    let port = target.port.or(order.conversation.dissector.port());
    let port = port.ok_or_else(|| Usage(format!("{target}: no port given: expected HOST:PORT")))?;
    let found = resolve(&target.host, port, args.timeout, order.stop);
    order.stop.check()?;
    let found = found.map_err(|why| anyhow::anyhow!("{target}: {why}"))?;
    Ok(private(found, args.allow_public)?)
}

/// The addresses that may be played with. A name may have a public one beside that in this network.
fn private(found: Vec<SocketAddr>, allow_public: bool) -> Result<Vec<SocketAddr>, Usage> {
    let refused = found.iter().find_map(|peer| allowed(peer.ip(), allow_public).err());
    let own: Vec<SocketAddr> = found.into_iter().filter(|peer| allowed(peer.ip(), allow_public).is_ok()).collect();
    match refused {
        Some(why) if own.is_empty() => Err(why),
        _ => Ok(own),
    }
}

/// Refuses a public address unless the user allows it.
fn allowed(address: IpAddr, allow_public: bool) -> Result<(), Usage> {
    if allow_public || is_private(address) {
        return Ok(());
    }
    let why = "is not in a private network: a replay to somebody else's server is an attack";
    Err(Usage(format!("{address} {why} (--allow-public, if it is yours)")))
}

/// Shows the progress on a terminal, in one line.
fn bar(global: &Global) -> impl FnMut(&Progress) + use<> {
    let wanted = !global.quiet && global.verbose == 0 && io::stderr().is_terminal();
    let mut shown = Instant::now();
    move |progress: &Progress| {
        if wanted && shown.elapsed() >= PROGRESS_INTERVAL {
            shown = Instant::now();
            let Progress { sent, all, received, expected } = progress;
            let _ = write!(io::stderr(), "\r\x1b[Ksent {sent} of {all}, received {received} of {expected}");
        }
    }
}

/// Prints both directions on stderr, one line per message. stdout is for the report.
fn watch<'a>(global: &Global) -> Observer<'a> {
    let renderer = Renderer::new(render::Format::SUMMARY, style(global, false), Box::new(io::stderr()));
    Rc::new(RefCell::new(Lines(renderer)))
}

/// Flushes each line at once.
struct Lines(Renderer);

impl Sink for Lines {
    fn message(&mut self, message: &Message<'_>) {
        self.0.message(message);
        self.0.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A public address that is typed by mistake receives nothing, from one client or from many.
    #[test]
    fn private_networks_alone() {
        for (address, private) in [
            ("127.0.0.1", true),
            ("::1", true),
            ("10.0.0.1", true),
            ("fe80::1", true),
            ("192.0.2.1", false),
            ("2001:db8::1", false),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(allowed(address, false).is_ok(), private, "{address}");
            assert!(allowed(address, true).is_ok(), "{address}");
        }
        let Usage(why) = allowed("192.0.2.1".parse().unwrap(), false).unwrap_err();
        assert!(why.starts_with("192.0.2.1 is not in a private network") && why.contains("--allow-public"), "{why}");
    }

    #[test]
    fn the_first_address_with_somebody() {
        let peers = ["[::1]:7", "127.0.0.1:7", "127.0.0.2:7"].map(|peer| peer.parse().unwrap());
        let mut asked = Vec::new();
        let played = first_there(&peers, |peer| {
            asked.push(peer);
            if peer.is_ipv6() { Err(NetError::Refused) } else { Ok(Report::default()) }
        });
        assert!(played.is_ok() && asked == peers[..2]);
        let mut tried = 0;
        let played = first_there(&peers, |_| {
            tried += 1;
            Ok(Report { trouble: Some(NetError::Refused.to_string()), ..Report::default() })
        });
        assert!(played.is_ok() && tried == 3);
    }

    #[test]
    fn a_public_address_hides_no_private_one() {
        let both: Vec<SocketAddr> = ["[2001:db8::5]:7", "10.0.0.5:7"].map(|peer| peer.parse().unwrap()).into();
        assert_eq!(private(both.clone(), false).unwrap(), both[1..]);
        assert_eq!(private(both.clone(), true).unwrap(), both);
        assert!(private(both[..1].to_vec(), false).is_err());
    }
}
