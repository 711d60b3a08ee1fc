//! Messages taken away: as text for the clipboard, and into files.

use super::detail::Subject;
use super::fits::Fits;
use super::frames::Frames;
use super::record::Opened;
use super::state::State;
use super::store::{Progress, Store};
use crate::dissect::{Options, Sink};
use crate::plural::Plural;
use crate::render::{Details, Format, Renderer, Style};
use crate::report::{self, About, Kept, Run};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

/// A message in a form of output.
pub fn text(opened: &Opened, options: &Options, format: Format) -> String {
    let (mut form, mut out) = ((format.form)(Style::default(), &Details::default()), Vec::new());
    opened.with(options, |message| form.message(message, &mut out));
    String::from_utf8_lossy(&out).trim_end().into()
}

/// The command that writes the message's bytes again.
pub fn command(opened: &Opened, options: &Options) -> String {
    let json = text(opened, options, Format::NDJSON).replace('\'', "'\\''");
    format!("printf '%s\\n' '{json}' | netkit encode --json -")
}

/// The form of a file.
enum Form {
    /// Messages, one after the other.
    Messages(Format),
    /// A page, as `netkit report` writes it.
    Report,
    /// A capture with their frames.
    Frames,
}

/// The form of a file with this name.
fn form(name: &str) -> Result<Form, String> {
    let forms = [("ndjson", Format::NDJSON), ("json", Format::JSON), ("csv", Format::CSV), ("tsv", Format::TSV)];
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "txt" => Ok(Form::Messages(Format::TREE)),
        "html" => Ok(Form::Report),
        "pcap" | "pcapng" => Ok(Form::Frames),
        ending => match forms.into_iter().find(|(own, _)| *own == ending) {
            Some((_, form)) => Ok(Form::Messages(form)),
            None => {
                Err("expected a name that ends in .ndjson, .json, .csv, .tsv, .txt, .html, .pcap or .pcapng".into())
            }
        },
    }
}

fn failed(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AlreadyExists => "the file exists, and is not replaced".into(),
        _ => error.to_string(),
    }
}

/// The messages that are shown, to be written elsewhere than on the screen's thread.
#[derive(Debug)]
pub struct Saving {
    store: Arc<Store>,
    subject: Subject,
    /// The filter, and the numbers of the messages that fit. `None`: all of the first `len`.
    chosen: Option<(String, Vec<u32>)>,
    len: usize,
}

impl Saving {
    /// The messages that the screen shows now.
    pub fn of(state: &State) -> Saving {
        let len = state.shown();
        let found = |fits: &Fits| fits.found.iter().take(len).copied().collect();
        let chosen = state.hiding().map(|fits| (fits.shown(), found(fits)));
        Saving { store: Arc::clone(&state.store), subject: state.subject.clone(), chosen, len }
    }

    /// Writes them into a new file, and returns a note for the user.
    pub fn write(&self, name: &str) -> String {
        let named = |why: String| format!("{name}: {why}");
        let written = form(name).map_err(named).and_then(|form| match form {
            Form::Messages(format) => self.messages(name, format).map_err(named),
            Form::Report => self.report(name).map_err(named),
            // Its errors name the file.
            Form::Frames => self.frames(name),
        });
        written.map_or_else(|why| why, |what| format!("{what} written to {name}"))
    }

    fn opened(&self) -> impl Iterator<Item = Opened> {
        let number = |at: usize| match &self.chosen {
            Some((_, numbers)) => numbers.get(at).map(|number| *number as usize),
            None => Some(at),
        };
        (0..self.len).filter_map(move |at| self.store.open(number(at)?))
    }

    fn messages(&self, name: &str, format: Format) -> Result<String, String> {
        let file = File::create_new(name).map_err(failed)?;
        let details = Details { columns: format.columns(self.store.options()), ..Details::default() };
        let mut out = Renderer::with(format, Style::default(), &details, Box::new(file));
        self.store.origin().into_iter().for_each(|time| out.origin(time));
        self.opened().for_each(|opened| opened.with(self.store.options(), |message| out.message(message)));
        out.finish().map_err(failed)?;
        Ok(Plural(self.len, "message").to_string())
    }

    /// Writes a page. All messages are read, because those that are hidden may answer others.
    fn report(&self, name: &str) -> Result<String, String> {
        let mut file = File::create_new(name).map_err(failed)?;
        let (store, options) = (&self.store, self.store.options());
        let ended = store.progress() != Progress::Reading;
        let mut run = Run::new(options, Kept { messages: None, fields: false });
        store.origin().into_iter().for_each(|time| run.origin(time));
        let selects = |number: usize| match &self.chosen {
            Some((_, numbers)) => numbers.binary_search(&(number as u32)).is_ok(),
            None => number < self.len,
        };
        let (mut at, len) = (0, store.len());
        while at < len {
            at = store.each(at, |number, opened| {
                opened.with(options, |message| run.message(message, selects(number)));
            });
        }
        store.ended().into_iter().for_each(|(flow, how)| run.ended(flow, how));
        let account = store.accounted();
        run.read(account.clone(), self.chosen.is_some() || self.subject.selected);
        let about = About {
            name: self.subject.name.clone(),
            cut: (!ended).then(|| "it was still being read".into()),
            selected: self.chosen.iter().map(|(filter, _)| format!("-F '{filter}'")).collect(),
            account,
            ..About::default()
        };
        file.write_all(report::single(&run, &about).as_bytes()).map_err(failed)?;
        Ok(format!("report of {}", Plural(self.len, "message")))
    }

    fn frames(&self, name: &str) -> Result<String, String> {
        let Some(Frames(write)) = &self.subject.frames else {
            return Err(
                "the frames of live input and of --redact are not kept: netkit decode -w writes a file's".into()
            );
        };
        let mut numbers: Vec<u64> = self.opened().flat_map(|opened| opened.frames().collect::<Vec<_>>()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let count = write(Path::new(name), &numbers)?;
        Ok(format!("{} of {}", Plural(count, "frame"), Plural(self.len, "message")))
    }
}
