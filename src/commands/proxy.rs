//! `netkit proxy`: relays a conversation, shows it, impairs and edits it.

use super::notify::notify;
use super::outfile::{self, OutFile};
use super::output::style;
use super::selection::limits;
use super::{Usage, inputs, interrupt, options};
use crate::cli::{Dissect, Global, Proxy, ProxyFormat, ProxyTransport};
use anyhow::Context;
use netkit::dissect::{Options, Sink};
use netkit::encode::deeply;
use netkit::filter::Names;
use netkit::live::net::resolve;
use netkit::live::proxy::relay::{Config, Counts, Output, Passed, Relay};
use netkit::live::proxy::{Collector, Legs, Render, Seen, Watch, Way};
use netkit::live::rules::{Rule, RuleSet};
use netkit::plural::Plural;
use netkit::printable::{Lines, Printable};
use netkit::render::{self, Renderer};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the name of the target may take.
const NAME: Duration = Duration::from_secs(5);
/// So many frames whose protocol is not known yet are remembered.
const PENDING: usize = 4096;

/// Runs the command.
pub fn run(args: &Proxy, global: &Global) -> anyhow::Result<u8> {
    // Messages nest, and reading them recurses.
    deeply(|| relay(args, global)).context("no thread")?
}

fn relay(args: &Proxy, global: &Global) -> anyhow::Result<u8> {
    let dissect =
        Dissect { proto: args.proto.clone(), set: args.set.clone(), schema: args.schema.clone(), ..Dissect::default() };
    let mut options = options(&dissect)?;
    options.ports.clone_from(&args.port);
    limits(&args.limit, &mut options)?;
    let rules = rules(args, &options)?;
    let [file] = outfile::check([("--pcap", args.pcap.as_deref())], &inputs([], &args.schema), args.force)?;
    let (udp, tcp) = transports(args, &rules, global)?;
    let stop = interrupt::stop();
    let target = &args.target;
    let port = target.port.ok_or_else(|| Usage(format!("{}: no port given", target.text)))?;
    let found = resolve(&target.host, port, NAME, stop).map_err(|what| Usage(format!("{}: {what}", target.text)))?;
    let target = *found.first().ok_or_else(|| Usage(format!("{}: the name has no addresses", args.target.text)))?;
    options.server = Some(netkit::dissect::Server { addr: target.ip(), port: Some(target.port()) });
    // Each client needs a file or two, and some are open already.
    let files = u64::from(args.clients) * (u64::from(udp) + 2 * u64::from(tcp)) + 32;
    if let Some(most) = crate::platform::raise_files().filter(|most| *most < files) {
        notify(global, format_args!("netkit: the system allows {most} open files: fewer than --clients may need"));
    }
    let config = Config {
        listen: args.listen,
        target,
        udp,
        tcp,
        impairments: args.ways.0.clone(),
        seed: args.seed,
        clients: args.clients as usize,
        queue: options.limits.live.queue_bytes,
        idle: args.idle,
    };
    let mut relay = Relay::bind(config).with_context(|| args.listen.to_string())?;
    let over = match (udp, tcp) {
        (true, true) => "udp and tcp",
        (true, false) => "udp",
        _ => "tcp",
    };
    notify(global, format_args!("netkit: relaying {over} {} to {target}", relay.local()));
    let mut printer = Printer::new(args, global, file, options.limits.live.pcap_bytes)?;
    let reads = args.format != ProxyFormat::None || !rules.is_empty();
    let mut collector = Collector::new(&rules, printer.render(args, global));
    let mut watch = reads.then(|| Watch::new(&options, &mut collector));
    let ran = relay.run(stop, watch.as_mut(), &mut printer);
    let rest = watch.map(Watch::finish).unwrap_or_default();
    drop(relay);
    let counts = match ran {
        // Whoever read the output has enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(0),
        ran => ran?,
    };
    printer.rest(rest)?;
    printer.end(global)?;
    told(&counts, global);
    Ok(interrupt::status(true).unwrap_or(0))
}

fn rules(args: &Proxy, options: &Options) -> anyhow::Result<RuleSet> {
    let names = Names::new(options);
    let parsed = args.on.iter().map(|text| Rule::parse(text, &names).map_err(|why| Usage(format!("--on: {why}"))));
    Ok(RuleSet::new(parsed.collect::<Result<Vec<Rule>, Usage>>()?, args.seed))
}

/// Datagrams, streams: what was asked for has to be possible there.
fn transports(args: &Proxy, rules: &RuleSet, global: &Global) -> anyhow::Result<(bool, bool)> {
    let impossible = args.ways.0.iter().find_map(|way| way.only_for_datagrams()).map(|name| format!("--{name}"));
    let reason = "a stream's bytes come all, once and in order";
    let rule = (!rules.is_empty()).then(|| ("--on".to_string(), "rules are followed for datagrams"));
    let only_udp = impossible.map(|name| (name, reason)).or(rule);
    match (args.transport, only_udp) {
        (Some(ProxyTransport::Tcp), Some((name, why))) => {
            Err(Usage(format!("{name} with --transport tcp: {why}")).into())
        }
        (Some(ProxyTransport::Tcp), None) => Ok((false, true)),
        (Some(ProxyTransport::Udp), _) => Ok((true, false)),
        (None, Some((name, why))) => {
            notify(global, format_args!("netkit: {name}: udp alone is relayed: {why}"));
            Ok((true, false))
        }
        (None, None) => Ok((true, true)),
    }
}

/// The text of one message.
#[derive(Clone, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What became of a frame.
#[derive(Clone, Default)]
struct Fate {
    lost: Option<&'static str>,
    delayed: Duration,
    copies: u32,
    behind: bool,
}

struct Printer {
    format: ProxyFormat,
    quiet: bool,
    out: io::Stdout,
    legs: Option<(Legs<BufWriter<std::fs::File>>, OutFile)>,
    /// Frames of which no message was read when they came, and whether one is a datagram of which
    /// none was read since.
    pending: BTreeMap<u64, (Fate, bool)>,
    /// Datagrams in which no message was read.
    unread: u64,
}

impl Printer {
    fn new(args: &Proxy, global: &Global, file: Option<OutFile>, most: usize) -> io::Result<Printer> {
        let begin =
            |mut file: OutFile| Ok::<_, io::Error>((Legs::new(BufWriter::new(file.open()?))?.bounded(most), file));
        let legs = file.map(begin).transpose()?;
        let (format, quiet) = (args.format, global.quiet);
        Ok(Printer { format, quiet, out: io::stdout(), legs, pending: BTreeMap::new(), unread: 0 })
    }

    /// Writes one message's text.
    fn render(&self, args: &Proxy, global: &Global) -> Option<Render<'static>> {
        let format = match args.format {
            ProxyFormat::Summary => render::Format::Summary,
            ProxyFormat::Tree => render::Format::Tree,
            ProxyFormat::Ndjson => render::Format::Ndjson,
            ProxyFormat::None => return None,
        };
        let text = Text::default();
        let mut renderer = Renderer::new(format, style(global, false), Box::new(text.clone()));
        Some(Box::new(move |message, out| {
            renderer.message(message);
            renderer.flush();
            std::mem::swap(out, &mut text.lock());
            text.lock().clear();
        }))
    }

    fn show(&mut self, seen: &Seen, fate: &Fate) -> io::Result<()> {
        let text = String::from_utf8_lossy(&seen.text);
        let line = text.trim_end_matches('\n');
        if line.is_empty() {
            return Ok(());
        }
        let lost = if seen.dropped { Some("dropped") } else { fate.lost };
        let mut words: Vec<String> = Vec::new();
        let mut json = serde_json::Map::new();
        match lost {
            Some(why) => words.push(why.replace('_', " ")),
            None if fate.delayed > Duration::ZERO => words.push(format!("+{:.1} ms", fate.delayed.as_secs_f64() * 1e3)),
            None => {}
        }
        json.insert("fate".into(), lost.unwrap_or("passed").into());
        if lost.is_none() {
            json.insert("delayed_ms".into(), (fate.delayed.as_micros() as f64 / 1e3).into());
            if fate.copies > 0 {
                words.push(format!("{} times", fate.copies + 1));
                json.insert("copies".into(), fate.copies.into());
            }
            if fate.behind {
                words.push("behind the next".into());
                json.insert("reordered".into(), true.into());
            }
        }
        if let Some(edited) = &seen.edited {
            match &edited.not {
                Some(why) => {
                    words.push(format!("not edited: {why}"));
                    json.insert("not_edited".into(), why.as_str().into());
                }
                None => {
                    words.push(format!("edited {}", edited.fields.join(", ")));
                    json.insert("edited".into(), edited.fields.clone().into());
                }
            }
        }
        let mut out = self.out.lock();
        match self.format {
            ProxyFormat::Ndjson => {
                let more = serde_json::Value::Object(json).to_string();
                let open = line.strip_suffix('}').unwrap_or(line);
                writeln!(out, "{open},{}", more.get(1..).unwrap_or_default())?;
            }
            ProxyFormat::Tree => {
                writeln!(out, "{line}")?;
                if !words.is_empty() {
                    writeln!(out, "  proxy: {}", Lines(words.join(", ")))?;
                }
                writeln!(out)?;
            }
            _ if words.is_empty() => writeln!(out, "{line}")?,
            _ => writeln!(out, "{line}  [{}]", Lines(words.join(", ")))?,
        }
        out.flush()
    }

    /// What became of a frame whose messages are read only now.
    fn earlier(&mut self, frame: u64) -> Option<Fate> {
        let (fate, unread) = self.pending.get_mut(&frame)?;
        self.unread -= u64::from(std::mem::take(unread)).min(self.unread);
        Some(fate.clone())
    }

    fn rest(&mut self, seen: Vec<Seen>) -> io::Result<()> {
        for one in &seen {
            let fate = self.earlier(one.frame).unwrap_or_default();
            self.show(one, &fate)?;
        }
        Ok(())
    }

    fn end(self, global: &Global) -> io::Result<()> {
        if self.unread > 0 {
            let count = Plural(self.unread, "datagram");
            notify(global, format_args!("netkit: {count} that no protocol explains: -p names one"));
        }
        if let Some((mut legs, file)) = self.legs {
            legs.flush()?;
            if legs.missing() > 0 {
                let (name, packets) = (Printable(file.name()), Plural(legs.missing(), "packet"));
                notify(
                    global,
                    format_args!("netkit: {name}: full (--limit pcap_bytes): the last {packets} are not in it"),
                );
            }
            drop(legs);
            file.commit()?;
        }
        Ok(())
    }
}

impl Output for Printer {
    fn passed(&mut self, passed: Passed<'_>) -> io::Result<()> {
        if let Some((legs, file)) = &mut self.legs {
            let before = legs.missing();
            legs.passed(&passed)?;
            if before == 0 && legs.missing() > 0 {
                let text =
                    format!("{}: full (--limit pcap_bytes): from now on nothing is added", Printable(file.name()));
                self.note(text);
            }
        }
        if self.format == ProxyFormat::None {
            return Ok(());
        }
        let Passed { lost, delayed, copies, behind, .. } = passed;
        let fate = Fate { lost, delayed, copies, behind };
        for one in &passed.seen {
            // Messages of frames that came before the protocol was known.
            let earlier = self.earlier(one.frame);
            self.show(one, &earlier.unwrap_or_else(|| fate.clone()))?;
        }
        if !passed.seen.iter().any(|one| one.frame == passed.frame) {
            self.pending.insert(passed.frame, (fate, passed.datagram));
            self.unread += u64::from(passed.datagram);
            if self.pending.len() > PENDING {
                self.pending.pop_first();
            }
        }
        Ok(())
    }

    fn note(&mut self, text: String) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "netkit: {}", Lines(text));
        }
    }
}

/// The counts of both directions.
fn told(counts: &Counts, global: &Global) {
    let Counts { ways, clients, turned_away, refused, reset } = counts;
    let mut line = format!("netkit: {}", Plural(*clients, "client"));
    for (count, what) in [(turned_away, "turned away"), (refused, "refused by the server"), (reset, "reset")] {
        if *count > 0 {
            line.push_str(&format!(", {count} {what}"));
        }
    }
    notify(global, format_args!("{line}"));
    for way in Way::BOTH {
        let counts = &ways[way.index()];
        let mut line =
            format!("netkit: {:<4} {} came, {} went", way.name(), Plural(counts.came, "packet"), counts.passed);
        let list = [
            (counts.lost, "lost"),
            (counts.full, "lost in a full queue"),
            (counts.dropped, "dropped"),
            (counts.edited, "edited"),
            (counts.copies, "copies"),
            (counts.behind, "out of order"),
            (counts.unsent, "that the system did not take"),
        ];
        for (count, what) in list {
            if count > 0 {
                line.push_str(&format!(", {count} {what}"));
            }
        }
        notify(global, format_args!("{line}"));
    }
}
