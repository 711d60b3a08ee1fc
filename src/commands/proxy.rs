//! `netkit proxy`: relays a conversation, shows it, impairs and edits it.

use super::options::{inputs, options};
use super::output::chosen;
use super::proxy_like::{impairments, profile};
use super::proxy_print::Printer;
use super::proxy_view::Viewing;
use super::selection::{limits, ports};
use crate::cli::{Dissect, Format, Global, Proxy, ProxyTransport};
use crate::dissect::{Options, Server};
use crate::encode::deeply;
use crate::live::net::resolve;
use crate::live::proxy::notes::Notes;
use crate::live::proxy::outcome::ADDED;
use crate::live::proxy::relay::{Config, Relay};
use crate::live::proxy::{Collector, DatagramPorts, Impairments, Watch, summary};
use crate::live::rules::RuleSet;
use crate::live::rules::file::{self, RulesFile};
use crate::process::notify::notify;
use crate::process::usage::{Usage, usage};
use crate::process::{interrupt, outfile};
use crate::render::Details;
use crate::stats::Outcomes;
use anyhow::Context;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

/// The time limit for resolving the target's name.
const NAME: Duration = Duration::from_secs(5);

/// Runs the command.
pub fn run(args: &Proxy, global: &Global) -> anyhow::Result<u8> {
    // Messages nest, and reading them recurses.
    deeply(|| relay(args, global)).context("cannot start a thread")?
}

fn relay(args: &Proxy, global: &Global) -> anyhow::Result<u8> {
    let dissect = Dissect::of(args.proto.as_ref(), &args.protocol_file, &args.set, &args.schema);
    let mut options = options(&dissect)?;
    ports(&args.port, &mut options)?;
    limits(&args.limit, &mut options)?;
    let details = details(args, &options)?;
    let read = inputs(args.like.iter().chain(&args.profile).chain(&args.rules), &dissect)?;
    let file = outfile::check("--pcap", args.pcap.as_deref(), &read, args.force)?;
    if let (Some(file), Some(_)) = (&file, args.pcap_size) {
        file.divides(&read)?;
    }
    let profile = profile(args)?;
    let directions = impairments(args, &options, global)?;
    let all: Vec<Impairments> =
        profile.iter().flat_map(|profile| profile.all(&directions)).flatten().chain(directions.clone()).collect();
    let (udp, tcp) = transports(args, &all, global)?;
    let stop = interrupt::stop();
    let target = &args.target;
    let port = target.port.ok_or_else(|| Usage(format!("{}: no port given: expected HOST:PORT", target.text)))?;
    let found = resolve(&target.host, port, NAME, stop);
    if stop.is_set() {
        return Ok(interrupt::status(true).unwrap_or(0));
    }
    let found = found.map_err(|what| anyhow::anyhow!("{}: {what}", target.text))?;
    let target = *found.first().with_context(|| format!("{}: the name has no addresses", args.target.text))?;
    options.server = Some(Server { addr: target.ip(), port: Some(target.port()) });
    let (rules, file_of_rules) = rules(args, &options)?;
    // Each client needs one or two files, and some are already open.
    let files = u64::from(args.most_clients) * (u64::from(udp) + 2 * u64::from(tcp)) + 32;
    if let Some(most) = crate::platform::raise_files().filter(|most| *most < files) {
        notify(global, format_args!("the system allows {most} open files: fewer than --most-clients may need"));
    }
    let asked = if profile.is_none() { directions.clone().map(Some) } else { [None, None] };
    let config = Config {
        listen: args.listen,
        target,
        udp,
        tcp,
        impairments: directions,
        profile,
        seed: args.seed,
        clients: args.most_clients as usize,
        queue: options.limits.live.queue_bytes,
        idle: args.idle,
    };
    let changes = file_of_rules.is_some();
    if !args.fail_on.is_empty() && rules.is_empty() && !changes {
        return usage("--fail-on counts what rules did, and there are none: add --on or --rules");
    }
    let reads = args.view || args.printed() != Format::None || !rules.is_empty() || changes;
    if is_itself(args.listen, target) {
        return usage(format!("{target} is LISTEN itself: packets would loop for ever"));
    }
    let mut relay = Relay::bind(config).with_context(|| args.listen.to_string())?;
    let local = relay.local();
    // The recording has both legs, and the proxy is the server of one.
    let both = || {
        let listen = Server { addr: local.ip(), port: Some(local.port()) };
        let mut options = Options { servers: vec![listen], ..options.clone() };
        // Clients that are gone take no memory: those that are there have a conversation on each leg.
        let (caps, most) = (&mut options.limits.flow, 2 * args.most_clients as usize);
        (caps.conversations, caps.returning) = (caps.conversations.min(most), caps.returning.min(most));
        options
    };
    // A file that cannot be written is reported before any client is relayed.
    let new_rules = file_of_rules.map(RulesFile::follow).transpose()?;
    let viewing = Viewing::new(args, &options)?;
    let notes =
        Notes::new(global.quiet, viewing.as_ref().map_or_else(|| Box::new(std::io::stderr()) as _, Viewing::notes))?;
    let mut printer = Printer::new(args, file, new_rules, notes, options.limits.live.pcap_bytes, both)?;
    let render = match &viewing {
        Some(viewing) => Some(viewing.render()?),
        None => printer.render(&details, global)?,
    };
    let over = match (udp, tcp) {
        (true, true) => "udp and tcp",
        (true, false) => "udp",
        _ => "tcp",
    };
    notify(global, format_args!("relaying {over} {local} to {target}"));
    // Only messages that are read can be followed.
    let ports = (udp && tcp && reads).then(|| DatagramPorts::new(args.listen.ip()));
    let collector =
        Collector::new(Arc::new(rules), changes, render).datagram_ports(ports).outcomes(Outcomes::new(&options));
    let mut collector = collector.holds(viewing.as_ref().map(Viewing::holds));
    let mut watch = reads.then(|| Watch::new(&options, &mut collector));
    let ran = match viewing {
        Some(viewing) => {
            let about = format!("{local} to {target}");
            viewing.run(about, global, || relay.run(stop, watch.as_mut(), &mut printer))?
        }
        None => relay.run(stop, watch.as_mut(), &mut printer),
    };
    let rest = watch.map(Watch::finish).unwrap_or_default();
    let counts = ran?;
    let mut lines = summary::summary(&counts, reads.then(|| collector.messages()));
    lines.extend(summary::waiting(relay.waiting()));
    lines.extend(collector.ends().map(|ends| ends.lines("proxy")).unwrap_or_default());
    lines.extend(summary::rules(collector.tallies()));
    lines.extend(summary::asked_and_got(&asked, &counts, relay.measured()));
    let broken = summary::broken(&args.fail_on, collector.tallies().map(|(_, tally)| tally));
    let holds = broken.is_empty();
    lines.extend(broken);
    drop(relay);
    printer.rest(rest);
    collector.ends().into_iter().for_each(|ends| printer.ends(ends));
    let whole = printer.end(lines)?;
    let status = match (whole, holds) {
        (false, _) => 3,
        (true, holds) => u8::from(!holds),
    };
    Ok(interrupt::status(true).unwrap_or(status))
}

/// Returns the rules of `--on` and `--rules`, and the file that may change them.
fn rules(args: &Proxy, options: &Options) -> anyhow::Result<(RuleSet, Option<RulesFile>)> {
    let Some(path) = &args.rules else {
        return Ok((file::parse(&args.on, None, options, args.seed).map_err(Usage)?, None));
    };
    interrupt::keep_on_hangup();
    let file = RulesFile::new(path.clone(), args.on.clone(), options.clone(), args.seed, interrupt::hung_up);
    let text = file.text().map_err(anyhow::Error::msg)?;
    Ok((file.parse(&text).map_err(Usage)?, Some(file)))
}

/// Whether the target is the proxy's own address.
fn is_itself(listen: SocketAddr, target: SocketAddr) -> bool {
    // An address on which a socket can listen is this machine's.
    let ours = || UdpSocket::bind((target.ip(), 0)).is_ok();
    listen.port() == target.port() && (listen.ip() == target.ip() || listen.ip().is_unspecified() && ours())
}

/// Returns whether datagrams and streams are relayed. The requested impairments must be possible for them.
fn transports(args: &Proxy, all: &[Impairments], global: &Global) -> anyhow::Result<(bool, bool)> {
    let datagrams = all.iter().find_map(|direction| direction.only_for_datagrams()).map(|name| format!("--{name}"));
    let streams = all.iter().find_map(|direction| direction.only_for_streams()).map(|name| format!("--{name}"));
    let of_streams = "all bytes of a stream arrive, once and in order";
    let of_datagrams = "a datagram is independent, and has no connection";
    match (datagrams, streams, args.transport) {
        (Some(udp), Some(tcp), _) => {
            usage(format!("{udp} is for datagrams, {tcp} for streams: relay one of them, with --transport"))
        }
        (_, Some(tcp), Some(ProxyTransport::Udp)) => usage(format!("{tcp} with --transport udp: {of_datagrams}")),
        (Some(udp), _, Some(ProxyTransport::Tcp)) => usage(format!("{udp} with --transport tcp: {of_streams}")),
        (_, Some(tcp), None) => {
            notify(global, format_args!("{tcp}: tcp alone is relayed: {of_datagrams}"));
            Ok((false, true))
        }
        (Some(udp), _, None) => {
            notify(global, format_args!("{udp}: udp alone is relayed: {of_streams}"));
            Ok((true, false))
        }
        (.., transport) => Ok((transport != Some(ProxyTransport::Tcp), transport != Some(ProxyTransport::Udp))),
    }
}

/// Returns the details of the messages' format.
///
/// # Errors
/// Fails if the format is not available for a proxy, or if `--columns` is wrong.
fn details(args: &Proxy, options: &Options) -> anyhow::Result<Details> {
    let instead = match args.printed() {
        Format::Parquet => {
            "parquet completes its files at the end of its input, and a proxy has none: record with --pcap FILE, then \
             decode FILE -f parquet -o DIR"
        }
        Format::Pcapng => "--pcap FILE writes both legs, with what was done to each packet as its comment",
        _ => "",
    };
    if !instead.is_empty() {
        return usage(format!("-f {}: {instead}", args.printed().name()));
    }
    if let Some(name) = args.columns.iter().find(|name| ADDED.contains(&name.as_str())) {
        return usage(format!("--columns: {name} is always among the last columns: leave it out"));
    }
    Ok(Details { columns: chosen(&args.columns, args.printed(), options)?, ..Details::default() })
}
