//! Messages taken away: as text for the clipboard, and into files.

use super::record::Opened;
use super::state::State;
use super::store::Store;
use crate::dissect::{Options, Sink};
use crate::plural::Plural;
use crate::render::{Details, Format, Renderer, Style};
use std::fs::File;
use std::io;
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

/// The form of a file with this name.
fn form(name: &str) -> Result<Format, String> {
    let forms = [("ndjson", Format::NDJSON), ("json", Format::JSON), ("csv", Format::CSV), ("tsv", Format::TSV)];
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if ending == "txt" {
        return Ok(Format::TREE);
    }
    let found = forms.into_iter().find(|(own, _)| *own == ending).map(|(_, form)| form);
    found.ok_or_else(|| {
        "expected a name that ends in .ndjson, .json, .csv, .tsv or .txt; decode -w writes captures".into()
    })
}

/// The messages that are shown, to be written elsewhere than on the screen's thread.
#[derive(Debug)]
pub struct Saving {
    store: Arc<Store>,
    /// `None`: all of the first `len`.
    numbers: Option<Vec<u32>>,
    len: usize,
}

impl Saving {
    /// The messages that the screen shows now.
    pub fn of(state: &State) -> Saving {
        let len = state.shown();
        let numbers = state.hiding().map(|fits| fits.found.iter().take(len).copied().collect());
        Saving { store: Arc::clone(&state.store), numbers, len }
    }

    /// Writes them into a new file: what to tell the user.
    pub fn write(&self, name: &str) -> String {
        match self.written(name) {
            Ok(count) => format!("{} written to {name}", Plural(count, "message")),
            Err(why) => format!("{name}: {why}"),
        }
    }

    fn written(&self, name: &str) -> Result<usize, String> {
        let format = form(name)?;
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => "there is such a file, which is not replaced".into(),
            _ => error.to_string(),
        };
        let file = File::create_new(name).map_err(failed)?;
        let mut out = Renderer::new(format, Style::default(), Box::new(file));
        self.store.origin().into_iter().for_each(|time| out.origin(time));
        for at in 0..self.len {
            let number = self.numbers.as_ref().map_or(Some(at), |all| all.get(at).map(|number| *number as usize));
            if let Some(opened) = number.and_then(|number| self.store.open(number)) {
                opened.with(self.store.options(), |message| out.message(message));
            }
        }
        out.finish().map_err(failed)?;
        Ok(self.len)
    }
}
