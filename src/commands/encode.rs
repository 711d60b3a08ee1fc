//! `netkit encode`: writes messages as bytes, hex or captures.

use super::options::{inputs, options};
use crate::cli::{Encode, Global, To};
use crate::codec::layout::flag;
use crate::dissect::Options;
use crate::encode::{Assignments, Encoders, Entry, Framing, Source, TextError, Values, deeply};
use crate::filter::Names;
use crate::flow::Transport;
use crate::live::probe::Carrier;
use crate::plural::Plural;
use crate::printable::Lines;
use crate::process::notify::notify;
use crate::process::outfile::{self, OutFile};
use crate::process::usage::{Usage, usage};
use crate::process::written::{ByteSink, Encoded, Written};
use crate::process::{input, interrupt};
use anyhow::Context;
use serde_json::{Value as Json, json};
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Runs the command.
pub fn run(args: &Encode, global: &Global) -> anyhow::Result<u8> {
    let options = options(&args.dissect)?;
    let ending = args.output.as_deref().and_then(Path::extension);
    let named = |name: &str| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(name));
    if named("pcapng") {
        return usage("-o: encode writes pcap: name the file .pcap");
    }
    let to = args.to.unwrap_or(if named("pcap") { To::Pcap } else { To::Hex });
    if matches!(to, To::Raw | To::Pcap) && args.output.is_none() && io::stdout().is_terminal() {
        let what = "bytes would garble the terminal: use -o FILE, a pipe, or --as hex";
        return usage(what);
    }
    let inputs = inputs(&args.json, &args.dissect)?;
    let file = outfile::check("-o", args.output.as_deref(), &inputs, args.force)?;
    if file.is_none() {
        outfile::stdout_is_no_input(&inputs)?;
    }
    if global.verbose == 0 && args.json.as_deref().is_some_and(|p| p.as_os_str() == "-") && io::stdin().is_terminal() {
        notify(global, format_args!("reading JSON from the terminal; end with Ctrl-D"));
    }
    deeply(|| Encoding::new(args, &options, to, file).run()).context("cannot start a thread")?
}

/// The state of one run.
struct Encoding<'a> {
    args: &'a Encode,
    source: Source,
    encoders: Encoders<'a>,
    out: Written<'a>,
    to: To,
    bad: u64,
    written: u64,
}

impl<'a> Encoding<'a> {
    fn new(args: &'a Encode, options: &'a Options, to: To, file: Option<OutFile>) -> Encoding<'a> {
        let out = Written::new(to, ByteSink::new(file), options);
        let source = Source { registry: options.registry.clone(), proto: options.proto.clone(), from: options.from };
        Encoding { args, source, encoders: Encoders::new(options), out, to, bad: 0, written: 0 }
    }

    fn run(mut self) -> anyhow::Result<u8> {
        let done = match (&self.args.json, &self.args.message) {
            (Some(path), _) => self.stream(path),
            (None, Some(message)) if message == "-" => usage("-: --json - reads JSON lines from stdin"),
            (None, Some(message)) => self.one(message),
            (None, None) => usage("expected a message, or --json FILE; --json - reads JSON lines from stdin"),
        };
        let endless = self.args.json.as_deref().is_some_and(|path| path.as_os_str() == "-");
        match (done, interrupt::status(endless)) {
            (Ok(()), None) => {
                self.out.stop()?;
                let cut = self.out.cut_times();
                self.out.finish()?;
                if cut > 0 {
                    let times = Plural(cut, "timestamp");
                    let what = "truncated to the resolution of the first message";
                    let _ = writeln!(io::stderr(), "netkit: {times} {what}");
                }
            }
            (Ok(()), Some(status)) => {
                self.out.stop()?;
                let left = if self.args.output.is_some() { ": nothing is left of the output file" } else { "" };
                let _ = writeln!(io::stderr(), "netkit: stopped after {}{left}", Plural(self.written, "message"));
                return Ok(status);
            }
            (Err(error), _) => {
                // Messages before the error have already been written.
                self.out.stop()?;
                return Err(error);
            }
        }
        Ok(if self.bad > 0 { 3 } else { 0 })
    }

    /// Encodes the message of the command line.
    fn one(&mut self, message: &str) -> anyhow::Result<()> {
        // The message is first, because its tables determine which fields are text.
        let bare = Entry::new(json!({ "message": message }), &self.source)?;
        let named = format!("{}.{}", bare.proto, bare.message);
        let tables = bare.dissector.tables();
        let layouts: Vec<_> = tables.iter().flat_map(|t| t.layouts).filter(|l| l.name == bare.message).collect();
        let names = Names::new(self.encoders.options());
        let in_payload = |path: &[&str]| names.in_payload(&bare.proto, &bare.message, path);
        let mut given = Assignments::new(&layouts).scoped(&in_payload);
        self.args.fields.iter().try_for_each(|text| given.add(text)).map_err(|why| Usage(why.to_string()))?;
        let (fields, derived, packet) = given.finish();
        if packet.is_some() && bare.dissector.headers().is_empty() {
            return usage("packet.NAME=VALUE: the protocol has no headers around its messages");
        }
        let shows = |name: &&String| bare.dissector.derived().iter().any(|f| f.name == **name && f.is(flag::OPENED));
        if let Some(name) = derived.as_ref().and_then(Json::as_object).and_then(|map| map.keys().find(shows)) {
            return usage(format!("derived.{name}: only shows what the payload has: payload.NAME=VALUE sets that"));
        }
        let entry = Entry { fields, derived, packet, ..bare };
        let bytes = self.bytes(&entry).with_context(|| named.clone())?;
        bytes.map_or(Ok(()), |bytes| self.write(&entry, bytes, &named))
    }

    /// Encodes the messages of a file.
    fn stream(&mut self, path: &Path) -> anyhow::Result<()> {
        let name = input::name(path);
        let stop = interrupt::stop();
        let mut values = Values::new(input::open(path).with_context(|| name.clone())?);
        loop {
            if stop.is_set() {
                return Ok(());
            }
            if values.waits() {
                self.out.flush()?;
            }
            let (object, line, time) = match values.next() {
                Ok(None) => {
                    return match self.encoders.finish() {
                        Ok(()) => Ok(()),
                        Err(why) => self.report(&name, format_args!("{why}")),
                    };
                }
                Ok(Some(text)) => match text.json() {
                    Ok(object) => (object, text.line, if self.to == To::Pcap { text.time() } else { None }),
                    Err(error) => {
                        self.report(&name, error)?;
                        continue;
                    }
                },
                // Input that was stopped may end inside an object.
                Err(_) if stop.is_set() => return Ok(()),
                Err(TextError::Input(error)) => return Err(error).context(name),
                Err(error) => {
                    self.report(&name, error)?;
                    continue;
                }
            };
            if Entry::is_account(&object) {
                continue;
            }
            let place = format!("line {line}");
            match self.message(object, time) {
                Ok((entry, Some(bytes))) => self.write(&entry, bytes, &format!("{name}: {place}"))?,
                // Its packet needs more messages.
                Ok((_, None)) => {}
                Err(why) => self.report(&name, format_args!("{place}: {why:#}"))?,
            }
        }
    }

    fn message(
        &mut self,
        object: serde_json::Value,
        time: Option<crate::capture::Time>,
    ) -> anyhow::Result<(Entry, Option<Encoded>)> {
        let mut entry = Entry::new(object, &self.source)?;
        entry.time = time.or(entry.time);
        let bytes = self.bytes(&entry).with_context(|| format!("{}.{}", entry.proto, entry.message))?;
        Ok((entry, bytes))
    }

    /// Reports an invalid message: as an error, or with `--keep-going` in a line on stderr.
    fn report(&mut self, name: &str, what: impl Display) -> anyhow::Result<()> {
        if !self.args.keep_going {
            anyhow::bail!("{name}: {what}");
        }
        self.bad += 1;
        // Flush first, so that output and errors are in order on a terminal.
        self.out.flush()?;
        let _ = writeln!(io::stderr(), "netkit: {}", Lines(format_args!("{name}: {what}")));
        Ok(())
    }

    fn bytes(&mut self, entry: &Entry) -> anyhow::Result<Option<Encoded>> {
        let Some(message) = self.encoders.part(entry)? else { return Ok(None) };
        let framing = match (self.args.transport, self.to, self.carried(entry)) {
            (Some(Carrier::Ws), ..) => Framing::WebSocket,
            (Some(Carrier::Tcp), ..) | (None, To::Pcap, Transport::Tcp) => Framing::Tcp,
            _ => return Ok(Some(Encoded { message, framed: None })),
        };
        let framed = Some(self.encoders.framed(entry, &message, framing)?);
        Ok(Some(Encoded { message, framed }))
    }

    /// Returns the transport of a message in a capture file.
    fn carried(&self, entry: &Entry) -> Transport {
        match self.args.transport {
            Some(carrier) => carrier.transport(),
            None => entry.transport.unwrap_or(match entry.dissector.takes(Transport::Udp, false) {
                true => Transport::Udp,
                false => Transport::Tcp,
            }),
        }
    }

    fn write(&mut self, entry: &Entry, bytes: Encoded, place: &str) -> anyhow::Result<()> {
        let transport = self.carried(entry);
        match self.out.message(entry, transport, &bytes)? {
            None => {
                self.written += 1;
                Ok(())
            }
            Some(why) => self.report(place, why),
        }
    }
}
