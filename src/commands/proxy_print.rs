//! What a proxy prints: messages with what was done to each, notes, both legs as a capture.

use super::annotated::{self, Recorded};
use super::notify::notify;
use super::outfile::OutFile;
use super::output::style;
use super::proxy_fate::{ADDED, Fate, Told};
use super::proxy_form::Text;
use super::proxy_rules::RulesFile;
use crate::cli::{Global, Proxy, ProxyFormat};
use netkit::dissect::{Options, Sink as _};
use netkit::live::proxy::relay::{Output, Passed};
use netkit::live::proxy::{Legs, Render, Seen};
use netkit::live::rules::RuleSet;
use netkit::plural::Plural;
use netkit::printable::{Lines, Printable};
use netkit::render::pcapng::Annotator;
use netkit::render::{self, Details, Renderer, Row};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// So many frames whose protocol is not known yet are remembered.
const PENDING: usize = 4096;
/// So many columns of a terminal are left for what was done.
const FATE: usize = 20;

/// Rows whose fate is not known yet, by the number that stands for their text.
type Rows = Arc<Mutex<BTreeMap<u64, Row>>>;

/// The capture of both legs, its file, and what writes the messages' comments into it.
type Recording = (Legs<Box<dyn Write + Send>>, OutFile, Option<Annotator>);

/// Prints what passes.
pub struct Printer<'a> {
    format: ProxyFormat,
    quiet: bool,
    out: io::Stdout,
    /// The table, which is drawn at the end.
    table: Option<(Renderer, Rows)>,
    legs: Option<Recording>,
    /// Frames of which no message was read when they came, and whether one is a datagram of which
    /// none was read since.
    pending: BTreeMap<u64, (Fate, bool)>,
    /// Datagrams in which no message was read.
    unread: u64,
    /// Something was printed.
    begun: bool,
    rules: Option<RulesFile<'a>>,
}

impl<'a> Printer<'a> {
    /// Begins.
    pub fn new(
        args: &Proxy,
        global: &Global,
        file: Option<OutFile>,
        rules: Option<RulesFile<'a>>,
        most: usize,
        options: impl FnOnce() -> Options,
    ) -> io::Result<Printer<'a>> {
        let begin = |mut file: OutFile| {
            let Recorded { out, bound, comments } = annotated::begin(file.open_named()?, most, options)?;
            Ok::<_, io::Error>((Legs::new(out)?.bounded(bound), file, comments))
        };
        let legs = file.map(begin).transpose()?;
        let (format, quiet) = (args.format, global.quiet);
        let (pending, unread, begun) = (BTreeMap::new(), 0, false);
        Ok(Printer { format, quiet, out: io::stdout(), table: None, legs, pending, unread, begun, rules })
    }

    /// Writes one message's text.
    ///
    /// # Errors
    /// Those of the output.
    pub fn render(&mut self, details: &Details, global: &Global) -> io::Result<Option<Render<'static>>> {
        let mut style = style(global, false);
        let format = match self.format {
            ProxyFormat::Summary => render::Format::Summary,
            ProxyFormat::Tree => render::Format::Tree,
            ProxyFormat::Table => render::Format::Table,
            ProxyFormat::Dialogue => {
                style.width = style.width.map(|width| width.saturating_sub(FATE));
                render::Format::Dialogue
            }
            ProxyFormat::Ndjson => render::Format::Ndjson,
            ProxyFormat::Json => render::Format::Json,
            ProxyFormat::Csv => render::Format::Csv,
            ProxyFormat::Tsv => render::Format::Tsv,
            ProxyFormat::None | ProxyFormat::Parquet | ProxyFormat::Pcapng => return Ok(None),
        };
        if format == render::Format::Table {
            // Drawn at the end, when the width of all columns is known.
            let table = Renderer::with(format, style, details, Box::new(io::stdout()));
            let (maker, rows) = (table.row_maker(), Rows::default());
            self.table = Some((table, Arc::clone(&rows)));
            let mut number = 0u64;
            return Ok(maker.map(|mut maker| -> Render<'static> {
                Box::new(move |message, out| {
                    number += 1;
                    out.extend_from_slice(number.to_string().as_bytes());
                    let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
                    if rows.len() >= PENDING {
                        rows.pop_first();
                    }
                    rows.extend(maker.row(message).map(|row| (number, row)));
                })
            }));
        }
        let text = Text::default();
        let mut renderer = Renderer::with(format, style, details, Box::new(text.clone()));
        renderer.flush();
        let head = std::mem::take(&mut *text.lock());
        if let Some(separator) = self.separator() {
            let names = String::from_utf8_lossy(&head);
            let added = ADDED.map(str::to_string).join(separator);
            writeln!(self.out, "{}{separator}{added}", names.trim_end())?;
        }
        Ok(Some(Box::new(move |message, out| {
            renderer.message(message);
            renderer.flush();
            std::mem::swap(out, &mut text.lock());
            text.lock().clear();
        })))
    }

    /// What stands between values.
    fn separator(&self) -> Option<&'static str> {
        match self.format {
            ProxyFormat::Csv => Some(","),
            ProxyFormat::Tsv => Some("\t"),
            _ => None,
        }
    }

    fn show(&mut self, seen: &Seen, fate: &Fate) -> io::Result<()> {
        if self.format == ProxyFormat::None {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&seen.text);
        let line = text.trim_end_matches('\n');
        if line.is_empty() {
            return Ok(());
        }
        let told = Told::new(seen, fate);
        if let Some((table, rows)) = &mut self.table {
            let row = line.parse().ok().and_then(|number| rows.lock().ok()?.remove(&number));
            table.rows(&[row.map(|row| row.with(ADDED.into_iter().zip(told.cells())))]);
            return Ok(());
        }
        let Told { words, keys, .. } = &told;
        let (separator, begun) = (self.separator(), std::mem::replace(&mut self.begun, true));
        let mut out = self.out.lock();
        match self.format {
            ProxyFormat::Csv | ProxyFormat::Tsv => {
                let separator = separator.unwrap_or_default();
                writeln!(out, "{line}{separator}{}", told.cells().join(separator))?;
            }
            ProxyFormat::Ndjson | ProxyFormat::Json => {
                let more = serde_json::Value::Object(keys.clone()).to_string();
                let line = line.trim_start_matches(['[', ',', '\n']);
                let open = line.strip_suffix('}').unwrap_or(line);
                let (before, after) = match (self.format, begun) {
                    (ProxyFormat::Ndjson, _) => ("", "\n"),
                    (_, false) => ("[\n", ""),
                    (_, true) => (",\n", ""),
                };
                write!(out, "{before}{open},{}{after}", more.get(1..).unwrap_or_default())?;
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

    /// What was held back until the end.
    ///
    /// # Errors
    /// Those of the output.
    pub fn rest(&mut self, seen: Vec<Seen>) -> io::Result<()> {
        for one in &seen {
            let fate = self.earlier(one.frame).unwrap_or_default();
            self.show(one, &fate)?;
        }
        Ok(())
    }

    /// Completes output and capture.
    ///
    /// # Errors
    /// Theirs.
    pub fn end(mut self, global: &Global) -> io::Result<()> {
        if self.format == ProxyFormat::Json {
            writeln!(self.out, "{}", if self.begun { "\n]" } else { "[]" })?;
        }
        if let Some((table, _)) = &mut self.table {
            table.finish()?;
            if let Some(warning) = table.warning() {
                notify(global, format_args!("netkit: {warning}"));
            }
        }
        if self.unread > 0 {
            let count = Plural(self.unread, "datagram");
            notify(global, format_args!("netkit: {count} that no protocol explains: -p names one"));
        }
        if let Some((mut legs, file, comments)) = self.legs {
            legs.flush()?;
            annotated::end(comments, file.path(), global).map_err(|error| file.named(error))?;
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

impl Output for Printer<'_> {
    fn passed(&mut self, passed: Passed<'_>) -> io::Result<()> {
        if let Some((legs, file, _)) = &mut self.legs {
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

    fn rules(&mut self) -> Option<Arc<RuleSet>> {
        let (new, told) = self.rules.as_mut()?.changed();
        for text in told {
            self.note(text);
        }
        new.map(Arc::new)
    }
}
