//! Prints and records the messages of a proxy, each with its outcome, and both legs as a capture. The relay never waits
//! for this: if a screen or a disk is too slow, lines are lost and counted.

use super::output::style;
use crate::cli::{Format, Global, Proxy};
use crate::dissect::Options;
use crate::live::Background;
use crate::live::net::now;
use crate::live::proxy::notes::Notes;
use crate::live::proxy::outcome::{ADDED, FrameOutcome, OutcomeText};
use crate::live::proxy::relay::{Ended, Passed, RelayOutput, Sent, Status, Topic};
use crate::live::proxy::{LegWriter, Render, Seen, summary};
use crate::live::rules::RuleSet;
use crate::live::rules::file::Changed;
use crate::platform;
use crate::plural::Plural;
use crate::printable::{Json, Lines, Printable};
use crate::process::outfile::{Division, OutFile, Recorded, annotated, completed};
use crate::render::pcapng::Annotator;
use crate::render::{self, Details, Renderer, add_columns};
use crate::stats::Outcomes;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// The number of frames of an unknown protocol that are remembered.
const PENDING: usize = 1 << 16;
/// The columns of a terminal that are left for the outcome.
const OUTCOME: usize = 20;

/// The maximum number of bytes that wait for stdout.
const LINES: usize = 1 << 20;
/// The maximum number of bytes that wait for the disk.
const PACKETS: usize = 64 << 20;
/// The longest time that the end of the program waits for a blocked stdout.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest time that it waits for a disk.
const DISK: Duration = Duration::from_secs(10);
/// The number of blocks before the first packet of a capture: its header, and two interfaces.
const HEADER: u64 = 3;

/// The capture of both legs.
struct Recording {
    legs: LegWriter<Background>,
    out: Background,
    file: OutFile,
    /// Writes the messages' comments.
    comments: Option<Annotator>,
    /// Whether the recording has stopped after an error.
    stopped: bool,
}

/// Prints the relayed messages.
pub struct Printer {
    format: Format,
    out: Background,
    /// Whether a warning about missing lines was printed.
    warned: bool,
    /// The table, which is drawn at the end.
    table: Option<Renderer>,
    recording: Option<Recording>,
    /// Frames without a message when they arrived. The flag marks datagrams in which no message was read since.
    pending: BTreeMap<u64, (FrameOutcome, bool)>,
    /// Datagrams in which no message was read.
    unread: u64,
    /// Whether any output was printed.
    begun: bool,
    /// Whether an error of stdout was reported.
    reported: bool,
    rules: Option<Receiver<Changed>>,
    requests: Requests,
    notes: Notes,
    /// Whether an output has failed.
    failed: bool,
}

impl Printer {
    /// Starts the outputs.
    ///
    /// # Errors
    /// Returns the errors of the files.
    pub fn new(
        args: &Proxy,
        file: Option<OutFile>,
        rules: Option<Receiver<Changed>>,
        notes: Notes,
        most: usize,
        options: impl FnOnce() -> Options,
    ) -> io::Result<Printer> {
        let division =
            args.pcap_size.map(|size| Division { size: Some(size), count: args.pcap_files, ..Division::default() });
        // If the oldest files are removed, the recording has no size limit.
        let most = if args.pcap_files.is_some() { usize::MAX } else { most };
        let begin = |mut file: OutFile| {
            let Recorded { out, bound, comments } = annotated(file.open_growing(division)?, most, options)?;
            let out = Background::start("recording", out, PACKETS)?;
            let legs = LegWriter::new(out.clone()).map_err(|error| file.named(error))?.bounded(bound);
            // A disk without room is an error before any client is relayed.
            if let Some((kind, why)) = out.settle(DISK).failed {
                return Err(file.named(io::Error::new(kind, why)));
            }
            Ok::<_, io::Error>(Recording { legs, out, file, comments, stopped: false })
        };
        let recording = file.map(begin).transpose()?;
        Ok(Printer {
            format: args.printed(),
            out: Background::start("lines", Box::new(io::stdout()), LINES)?,
            warned: false,
            table: None,
            recording,
            pending: BTreeMap::new(),
            unread: 0,
            begun: false,
            reported: false,
            rules,
            requests: Requests::new(args.status)?,
            notes,
            failed: false,
        })
    }

    /// Returns a writer of one message's text.
    ///
    /// # Errors
    /// Returns the errors of the output.
    pub fn render(&mut self, details: &Details, global: &Global) -> io::Result<Option<Render<'static>>> {
        let mut style = style(global, false);
        let Format::Printed(format) = self.format else { return Ok(None) };
        if format == render::Format::DIALOGUE {
            style.width = style.width.map(|width| width.saturating_sub(OUTCOME));
        }
        if format == render::Format::TABLE {
            // The table is drawn at the end, when the width of all columns is known.
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

    /// Returns the separator between values.
    fn separator(&self) -> Option<&'static str> {
        match self.format.name() {
            "csv" => Some(","),
            "tsv" => Some("\t"),
            _ => None,
        }
    }

    fn show(&mut self, seen: &Seen, outcome: &FrameOutcome) {
        let outcome_text = OutcomeText::new(seen, outcome);
        if let Some(table) = &mut self.table {
            let mut row = seen.text.clone();
            add_columns(&mut row, ADDED.into_iter().zip(outcome_text.cells()));
            return table.rendered(&row);
        }
        let text = String::from_utf8_lossy(&seen.text);
        let line = text.trim_end_matches('\n');
        if line.is_empty() {
            return;
        }
        let OutcomeText { words, keys, .. } = &outcome_text;
        let words = Lines(words.join(", "));
        let chunk = match self.format.name() {
            "csv" | "tsv" => {
                let separator = self.separator().unwrap_or_default();
                format!("{line}{separator}{}\n", outcome_text.cells().join(separator))
            }
            format @ ("ndjson" | "json") => {
                let more = serde_json::Value::Object(keys.clone()).to_string();
                let line = line.trim_start_matches(['[', ',', '\n']);
                let open = line.strip_suffix('}').unwrap_or(line);
                let [before, after] = self.around(format);
                format!("{before}{open},{}{after}", more.get(1..).unwrap_or_default())
            }
            "tree" if outcome_text.words.is_empty() => format!("{line}\n\n"),
            "tree" => format!("{line}\n  proxy: {words}\n\n"),
            _ if outcome_text.words.is_empty() => format!("{line}\n"),
            _ => format!("{line}  [{words}]\n"),
        };
        self.print(chunk);
    }

    /// Returns the text before and after an object of JSON.
    fn around(&self, format: &str) -> [&'static str; 2] {
        match (format, self.begun) {
            ("ndjson", _) => ["", "\n"],
            (_, false) => ["[\n", ""],
            (_, true) => [",\n", ""],
        }
    }

    /// Prints how the connections ended, as JSON: the other formats have messages only.
    pub fn ends(&mut self, ends: &Outcomes) {
        let format = self.format.name();
        if !matches!(format, "ndjson" | "json") {
            return;
        }
        let (table, mut rows) = (ends.table(), Vec::new());
        for row in &table.rows {
            let mut text = Vec::new();
            table.row_json(row, false, &mut text);
            rows.push(String::from_utf8_lossy(&text).replacen('{', "{\"report\":\"end\",", 1));
        }
        rows.extend(ends.counts().map(|(end, by, connections)| {
            json!({"report": "ends", "end": end, "end_by": by, "connections": connections}).to_string()
        }));
        for row in rows {
            let [before, after] = self.around(format);
            self.print(format!("{before}{}{after}", Json(row)));
        }
    }

    /// Passes text to stdout, and reports once that it is not taken.
    fn print(&mut self, chunk: String) {
        match self.out.push(chunk.into_bytes()) {
            true => self.begun = true,
            false if self.warned => {}
            false => {
                self.warned = true;
                match self.out.state().failed {
                    Some((ErrorKind::BrokenPipe, _)) => self.notes.line("stdout is closed: the relay continues"),
                    Some((_, why)) => {
                        (self.failed, self.reported) = (true, true);
                        self.notes.always(format_args!("stdout: {why}: nothing more is printed, the relay continues"));
                    }
                    None => self.notes.always("stdout is slower than the traffic: lines are not printed"),
                }
            }
        }
    }

    /// Adds to the recording, and reports an error that ends it.
    fn record(&mut self, add: impl FnOnce(&mut LegWriter<Background>) -> io::Result<()>) {
        let Some(recording) = self.recording.as_mut().filter(|recording| !recording.stopped) else { return };
        let before = recording.legs.missing();
        let name = Printable(recording.file.name());
        if let Err(error) = add(&mut recording.legs) {
            recording.stopped = true;
            let packets = Plural(recording.out.state().written.saturating_sub(HEADER), "packet");
            self.notes.always(format_args!("{name}: recording stopped: {error} after {packets}, the relay continues"));
            self.failed = true;
        } else if before == 0 && recording.legs.missing() > 0 {
            self.notes.always(format_args!("{name}: full (--limit pcap_bytes): the recording ends here"));
        }
    }

    /// Returns the outcome of a frame whose messages are only read now.
    fn earlier(&mut self, frame: u64) -> Option<FrameOutcome> {
        let (outcome, unread) = self.pending.get_mut(&frame)?;
        self.unread -= u64::from(std::mem::take(unread)).min(self.unread);
        Some(outcome.clone())
    }

    /// Prints the messages that were held back until the end.
    pub fn rest(&mut self, seen: Vec<Seen>) {
        for one in &seen {
            let outcome = self.earlier(one.frame).unwrap_or_default();
            self.show(one, &outcome);
        }
    }

    /// Completes output and capture, and prints the final lines. Returns whether everything was written.
    ///
    /// # Errors
    /// Returns the errors of the recording.
    pub fn end(mut self, lines: Vec<String>) -> io::Result<bool> {
        if self.format.is(&[render::Format::JSON]) {
            self.out.push(if self.begun { b"\n]\n".to_vec() } else { b"[]\n".to_vec() });
        }
        let mut failed = None;
        if let Some(table) = &mut self.table {
            failed = table.finish().err().map(|error| (error.kind(), error.to_string()));
            if let Some(warning) = table.warning() {
                self.notes.line(warning);
            }
        }
        let printed = self.out.finish(PATIENCE);
        let failed = failed.as_ref().or(printed.failed.as_ref());
        let closed = matches!(failed, Some((ErrorKind::BrokenPipe, _)));
        if let Some((_, why)) = failed.filter(|_| !closed && !self.reported) {
            self.failed = true;
            self.notes.always(format_args!("stdout: {why}"));
        }
        if printed.missing() > 0 && !closed {
            self.notes.always(format_args!("{} not printed", Plural(printed.missing(), "line")));
        }
        if self.unread > 0 {
            let count = Plural(self.unread, "datagram");
            self.notes.line(format_args!("{count} of no known protocol: name one with -p"));
        }
        lines.into_iter().for_each(|line| self.notes.line(line));
        let recorded = self.recording.take().map(|recording| recording.end(&mut self.notes)).transpose();
        let whole = !self.failed && matches!(recorded, Ok(None | Some(true)));
        self.notes.finish();
        recorded.map(|_| whole)
    }
}

impl Recording {
    /// Completes the file. Returns whether it is complete.
    fn end(mut self, notes: &mut Notes) -> io::Result<bool> {
        let name = Printable(self.file.name());
        if self.stopped {
            return Ok(false);
        }
        self.legs.finish(now())?;
        let out = self.out.finish(DISK);
        if out.missing() > 0 {
            let slow = || format!("the disk did not take the data within {} s", DISK.as_secs());
            let why = out.failed.map_or_else(slow, |(_, why)| why);
            let packets = Plural(out.written.saturating_sub(HEADER), "packet");
            notes.always(format_args!("{name}: recording stopped: {why} after {packets}"));
            return Ok(false);
        }
        completed(self.comments, self.file.path()).map_err(|error| self.file.named(error))?;
        if self.legs.missing() > 0 {
            let packets = Plural(self.legs.missing(), "packet");
            notes.always(format_args!("{name}: full (--limit pcap_bytes), missing at its end: {packets}"));
        }
        Ok(true)
    }
}

impl RelayOutput for Printer {
    fn records(&self) -> bool {
        self.recording.is_some()
    }

    fn passed(&mut self, passed: Passed<'_>) {
        self.record(|legs| legs.passed(&passed));
        if self.format == Format::None {
            return;
        }
        let Passed { lost, delayed, copies, reordered, corrupted, .. } = passed;
        let outcome = FrameOutcome { lost, delayed, copies, reordered, corrupted };
        for one in &passed.seen {
            // Messages of frames that arrived before the protocol was known.
            let earlier = self.earlier(one.frame);
            let own = || if one.frame == passed.frame { outcome.clone() } else { FrameOutcome::default() };
            self.show(one, &earlier.unwrap_or_else(own));
        }
        if !passed.seen.iter().any(|one| one.frame == passed.frame) {
            self.pending.insert(passed.frame, (outcome, passed.datagram));
            self.unread += u64::from(passed.datagram);
            if self.pending.len() > PENDING {
                self.pending.pop_first();
            }
        }
    }

    fn sent(&mut self, sent: &Sent<'_>) {
        self.record(|legs| legs.sent(sent));
    }

    fn dropped(&mut self, arrival: u64) {
        self.record(|legs| {
            legs.dropped(arrival);
            Ok(())
        });
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

    fn asks_for_status(&mut self) -> bool {
        self.requests.are_due()
    }

    fn status(&mut self, status: &Status) {
        summary::status(status).iter().for_each(|line| self.notes.always(line));
        let refused = self.out.state().refused;
        if refused > 0 {
            self.notes.always(format_args!("{} not printed", Plural(refused, "line")));
        }
    }

    fn rules(&mut self) -> Option<Arc<RuleSet>> {
        self.notes.left_out(Instant::now());
        let (new, texts) = self.rules.as_ref()?.try_recv().ok()?;
        texts.iter().for_each(|text| self.notes.line(text));
        new.map(Arc::new)
    }
}

/// The requests of the user for the status: SIGUSR1 and `--status`.
struct Requests {
    signal: Arc<AtomicBool>,
    /// The interval, and the time of the next status.
    every: Option<(Duration, Instant)>,
}

impl Requests {
    /// Begins to listen for the signal.
    ///
    /// # Errors
    /// The system refuses to register a handler.
    fn new(every: Option<Duration>) -> io::Result<Requests> {
        let every = every.map(|every| (every, Instant::now() + every));
        Ok(Requests { signal: platform::status_signal()?, every })
    }

    /// Whether the status is to be printed now.
    fn are_due(&mut self) -> bool {
        // The usual answer needs neither a write nor a clock.
        if self.signal.load(Ordering::Relaxed) && self.signal.swap(false, Ordering::Relaxed) {
            return true;
        }
        match &mut self.every {
            Some((every, next)) if Instant::now() >= *next => {
                *next = Instant::now() + *every;
                true
            }
            _ => false,
        }
    }
}
