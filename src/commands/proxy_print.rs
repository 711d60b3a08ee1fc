//! What a proxy prints and records: messages with what was done to each, both legs as a capture. The
//! relay waits for none of it: a screen or a disk that is too slow loses lines, which are counted.

use super::annotated::{self, Recorded};
use super::outfile::OutFile;
use super::output::style;
use super::proxy_fate::{ADDED, Fate, Told};
use super::proxy_notes::Notes;
use super::proxy_rules::Changed;
use crate::cli::{Format, Global, Proxy};
use netkit::dissect::Options;
use netkit::live::Background;
use netkit::live::net::now;
use netkit::live::proxy::relay::{Ended, Output, Passed, Sent, Topic};
use netkit::live::proxy::{Legs, Render, Seen};
use netkit::live::rules::RuleSet;
use netkit::plural::Plural;
use netkit::printable::{Lines, Printable};
use netkit::render::pcapng::Annotator;
use netkit::render::{self, Details, Renderer, add_columns};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// So many frames whose protocol is not known yet are remembered.
const PENDING: usize = 4096;
/// So many columns of a terminal are left for what was done.
const FATE: usize = 20;

/// The most bytes of lines that wait for stdout.
const LINES: usize = 1 << 20;
/// The most bytes that wait for the disk.
const PACKETS: usize = 64 << 20;
/// How long the end of the program waits for a stdout that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long for a disk.
const DISK: Duration = Duration::from_secs(10);
/// What a capture has before its first packet: its header, and two interfaces.
const HEADER: u64 = 3;

/// The capture of both legs.
struct Recording {
    legs: Legs<Background>,
    out: Background,
    file: OutFile,
    /// What writes the messages' comments.
    comments: Option<Annotator>,
    /// Why nothing more is written.
    stopped: bool,
}

/// Prints what passes.
pub struct Printer {
    format: Format,
    out: Background,
    /// It was said that lines are missing.
    warned: bool,
    /// The table, which is drawn at the end.
    table: Option<Renderer>,
    recording: Option<Recording>,
    /// Frames of which no message was read when they came, and whether one is a datagram of which
    /// none was read since.
    pending: BTreeMap<u64, (Fate, bool)>,
    /// Datagrams in which no message was read.
    unread: u64,
    /// Something was printed.
    begun: bool,
    rules: Option<Receiver<Changed>>,
    notes: Notes,
    /// An output has failed.
    failed: bool,
}

impl Printer {
    /// Begins.
    ///
    /// # Errors
    /// Those of the files.
    pub fn new(
        args: &Proxy,
        global: &Global,
        file: Option<OutFile>,
        rules: Option<Receiver<Changed>>,
        most: usize,
        options: impl FnOnce() -> Options,
    ) -> io::Result<Printer> {
        let begin = |mut file: OutFile| {
            let Recorded { out, bound, comments } = annotated::begin(file.open_growing()?, most, options)?;
            let out = Background::start("recording", out, PACKETS)?;
            let legs = Legs::new(out.clone()).map_err(|error| file.named(error))?.bounded(bound);
            // A disk without room is an error before anybody is relayed.
            if let Some((kind, why)) = out.settle(DISK).failed {
                return Err(file.named(io::Error::new(kind, why)));
            }
            Ok::<_, io::Error>(Recording { legs, out, file, comments, stopped: false })
        };
        let recording = file.map(begin).transpose()?;
        Ok(Printer {
            format: args.format,
            out: Background::start("lines", Box::new(io::stdout()), LINES)?,
            warned: false,
            table: None,
            recording,
            pending: BTreeMap::new(),
            unread: 0,
            begun: false,
            rules,
            notes: Notes::new(global.quiet)?,
            failed: false,
        })
    }

    /// Writes one message's text.
    ///
    /// # Errors
    /// Those of the output.
    pub fn render(&mut self, details: &Details, global: &Global) -> io::Result<Option<Render<'static>>> {
        let mut style = style(global, false);
        let Format::Printed(format) = self.format else { return Ok(None) };
        if format == render::Format::DIALOGUE {
            style.width = style.width.map(|width| width.saturating_sub(FATE));
        }
        if format == render::Format::TABLE {
            // Drawn at the end, when the width of all columns is known.
            let table = Renderer::with(format, style, details, Box::new(io::stdout()));
            let part = table.part();
            self.table = Some(table);
            return Ok(
                part.map(|mut rows| -> Render<'static> { Box::new(move |message, out| rows.message(message, out)) })
            );
        }
        let (mut form, mut head) = ((format.form)(style, details), Vec::new());
        form.begin(&mut head);
        if let Some(separator) = self.separator() {
            let names = String::from_utf8_lossy(&head);
            let added = ADDED.map(str::to_string).join(separator);
            self.out.push(format!("{}{separator}{added}\n", names.trim_end()).into_bytes());
        }
        Ok(Some(Box::new(move |message, out| {
            form.message(message, out);
            form.pause(out);
        })))
    }

    /// What stands between values.
    fn separator(&self) -> Option<&'static str> {
        match self.format.name() {
            "csv" => Some(","),
            "tsv" => Some("\t"),
            _ => None,
        }
    }

    fn show(&mut self, seen: &Seen, fate: &Fate) {
        let told = Told::new(seen, fate);
        if let Some(table) = &mut self.table {
            let mut row = seen.text.clone();
            add_columns(&mut row, ADDED.into_iter().zip(told.cells()));
            return table.rendered(&row);
        }
        let text = String::from_utf8_lossy(&seen.text);
        let line = text.trim_end_matches('\n');
        if line.is_empty() {
            return;
        }
        let Told { words, keys, .. } = &told;
        let words = Lines(words.join(", "));
        let piece = match self.format.name() {
            "csv" | "tsv" => {
                let separator = self.separator().unwrap_or_default();
                format!("{line}{separator}{}\n", told.cells().join(separator))
            }
            format @ ("ndjson" | "json") => {
                let more = serde_json::Value::Object(keys.clone()).to_string();
                let line = line.trim_start_matches(['[', ',', '\n']);
                let open = line.strip_suffix('}').unwrap_or(line);
                let (before, after) = match (format, self.begun) {
                    ("ndjson", _) => ("", "\n"),
                    (_, false) => ("[\n", ""),
                    (_, true) => (",\n", ""),
                };
                format!("{before}{open},{}{after}", more.get(1..).unwrap_or_default())
            }
            "tree" if told.words.is_empty() => format!("{line}\n\n"),
            "tree" => format!("{line}\n  proxy: {words}\n\n"),
            _ if told.words.is_empty() => format!("{line}\n"),
            _ => format!("{line}  [{words}]\n"),
        };
        match self.out.push(piece.into_bytes()) {
            true => self.begun = true,
            false if self.warned => {}
            false => {
                self.warned = true;
                match self.out.state().failed {
                    Some((ErrorKind::BrokenPipe, _)) => self.notes.line("stdout is closed: the relay goes on"),
                    Some((_, why)) => {
                        self.failed = true;
                        self.notes.always(format_args!("stdout: {why}: nothing more is printed, the relay goes on"));
                    }
                    None => self.notes.always("stdout is slower than the traffic: lines are not printed"),
                }
            }
        }
    }

    /// Does something with the recording, and reports why it ends.
    fn record(&mut self, add: impl FnOnce(&mut Legs<Background>) -> io::Result<()>) {
        let Some(recording) = self.recording.as_mut().filter(|recording| !recording.stopped) else { return };
        let before = recording.legs.missing();
        let name = Printable(recording.file.name());
        if let Err(error) = add(&mut recording.legs) {
            recording.stopped = true;
            let packets = Plural(recording.out.state().written.saturating_sub(HEADER), "packet");
            self.notes.always(format_args!("{name}: recording stopped: {error} after {packets}, the relay goes on"));
            self.failed = true;
        } else if before == 0 && recording.legs.missing() > 0 {
            self.notes.always(format_args!("{name}: full (--limit pcap_bytes): from now on nothing is added"));
        }
    }

    /// What became of a frame whose messages are read only now.
    fn earlier(&mut self, frame: u64) -> Option<Fate> {
        let (fate, unread) = self.pending.get_mut(&frame)?;
        self.unread -= u64::from(std::mem::take(unread)).min(self.unread);
        Some(fate.clone())
    }

    /// Prints what was held back until the end.
    pub fn rest(&mut self, seen: Vec<Seen>) {
        for one in &seen {
            let fate = self.earlier(one.frame).unwrap_or_default();
            self.show(one, &fate);
        }
    }

    /// Completes output and capture, prints the lines of the end, and returns whether all was written.
    ///
    /// # Errors
    /// Those of the table and of the recording.
    pub fn end(mut self, lines: Vec<String>, global: &Global) -> io::Result<bool> {
        if self.format.is(&[render::Format::JSON]) {
            self.out.push(if self.begun { b"\n]\n".to_vec() } else { b"[]\n".to_vec() });
        }
        if let Some(table) = &mut self.table {
            table.finish()?;
            if let Some(warning) = table.warning() {
                self.notes.line(warning);
            }
        }
        let printed = self.out.finish(PATIENCE);
        let closed = matches!(&printed.failed, Some((ErrorKind::BrokenPipe, _)));
        if printed.missing() > 0 && !closed {
            self.notes.always(format_args!("{} not printed", Plural(printed.missing(), "line")));
        }
        if self.unread > 0 {
            let count = Plural(self.unread, "datagram");
            self.notes.line(format_args!("{count} that no protocol explains: -p names one"));
        }
        lines.into_iter().for_each(|line| self.notes.line(line));
        let recorded = self.recording.take().map(|recording| recording.end(&mut self.notes, global)).transpose();
        let whole = !self.failed && matches!(recorded, Ok(None | Some(true)));
        self.notes.finish();
        recorded.map(|_| whole)
    }
}

impl Recording {
    /// Completes the file. Returns whether it is whole.
    fn end(mut self, notes: &mut Notes, global: &Global) -> io::Result<bool> {
        let name = Printable(self.file.name());
        if self.stopped {
            return Ok(false);
        }
        self.legs.finish(now())?;
        let out = self.out.finish(DISK);
        if out.missing() > 0 {
            let why = out.failed.map_or_else(|| "the disk takes nothing".into(), |(_, why)| why);
            let packets = Plural(out.written.saturating_sub(HEADER), "packet");
            notes.always(format_args!("{name}: recording stopped: {why} after {packets}"));
            return Ok(false);
        }
        annotated::end(self.comments, self.file.path(), global).map_err(|error| self.file.named(error))?;
        if self.legs.missing() > 0 {
            let packets = Plural(self.legs.missing(), "packet");
            notes.always(format_args!("{name}: full (--limit pcap_bytes): the last {packets} are not in it"));
        }
        Ok(true)
    }
}

impl Output for Printer {
    fn records(&self) -> bool {
        self.recording.is_some()
    }

    fn passed(&mut self, passed: Passed<'_>) {
        self.record(|legs| legs.passed(&passed));
        if self.format == Format::None {
            return;
        }
        let Passed { lost, delayed, copies, behind, corrupted, .. } = passed;
        let fate = Fate { lost, delayed, copies, behind, corrupted };
        for one in &passed.seen {
            // Messages of frames that came before the protocol was known.
            let earlier = self.earlier(one.frame);
            self.show(one, &earlier.unwrap_or_else(|| fate.clone()));
        }
        if !passed.seen.iter().any(|one| one.frame == passed.frame) {
            self.pending.insert(passed.frame, (fate, passed.datagram));
            self.unread += u64::from(passed.datagram);
            if self.pending.len() > PENDING {
                self.pending.pop_first();
            }
        }
    }

    fn sent(&mut self, sent: &Sent<'_>) {
        self.record(|legs| legs.sent(sent));
    }

    fn held(&mut self, seen: Vec<Seen>) {
        self.rest(seen);
    }

    fn ended(&mut self, ended: &Ended) {
        self.record(|legs| legs.ended(ended));
    }

    fn note(&mut self, topic: Topic, text: String) {
        self.notes.note(topic, &text, Instant::now());
    }

    fn rules(&mut self) -> Option<Arc<RuleSet>> {
        self.notes.left_out(Instant::now());
        let (new, texts) = self.rules.as_ref()?.try_recv().ok()?;
        texts.iter().for_each(|text| self.notes.line(text));
        new.map(Arc::new)
    }
}
