//! Selects messages, and checks the conditions `--fail-on`, `--expect`, `--reject`. Without any
//! message, conditions fail unless the user allows that.

use crate::capture::Capture;
use crate::cli::{Gates, Global};
use crate::dissect::Options;
use crate::filter::Names;
use crate::printable::Lines;
use crate::process::join;
use crate::process::notify::{notify, subject, warn};
use crate::process::read::drive;
use crate::process::stopped::ReadResult;
use crate::process::usage::Usage;
use crate::read::{Expected, Pick, Producer, Receiver, Selected, Selection, Stopped, Summary};
use std::fmt::Arguments;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The answer to a capture of other protocols.
pub const UNKNOWN: &str = "no message of a known protocol; -v lists what there is, -p and --port name protocols, \
                           `netkit help your-protocol` describes one in a file";

impl Pick {
    /// Creates it from the command line. `check`: bytes are compared, which counts as a condition.
    ///
    /// # Errors
    /// Fails if an expression is invalid.
    pub fn new(selection: Selection, gates: &Gates, check: bool, options: &Options) -> anyhow::Result<Pick> {
        let names = Names::new(options);
        let parse = |option: &str, text: &String| {
            selection.parse(text, &names).map(Arc::new).map_err(|e| Usage(format!("{option}: {e}")))
        };
        let expected =
            |text: &String| parse("--expect", text).map(|filter| Expected { text: text.clone(), filter, met: false });
        let expect = gates.expect.iter().map(expected).collect::<Result<Vec<_>, _>>()?;
        let reject = gates.reject.iter().map(|text| parse("--reject", text)).collect::<Result<Vec<_>, _>>()?;
        let given = [
            ("--check", check),
            ("--fail-on", !gates.fail_on.is_empty()),
            ("--expect", !expect.is_empty()),
            ("--reject", !reject.is_empty()),
        ];
        let conditions = given.into_iter().filter(|(_, given)| *given).map(|(option, _)| option.into()).collect();
        let (allow_empty, fail_on) = (gates.allow_empty, gates.fail_on.clone());
        Ok(Pick { selection, conditions, fail_on, allow_empty, expect, reject, ..Pick::default() })
    }

    /// Ends the reading of some files as one, unless it was stopped or failed.
    pub fn ended(&mut self, files: &[PathBuf], done: &ReadResult) {
        if matches!(done, Ok(None)) {
            self.end(&join::name(files));
        }
    }

    /// Whether the capture, which was read to its end, lacks the requested conversation or time. Reports that, and that
    /// it has no conversation of a known protocol.
    pub fn is_outside(&self, name: &str, done: &ReadResult, global: &Global) -> bool {
        if !matches!(done, Ok(None)) {
            return false;
        }
        let why = self.outside();
        why.iter().for_each(|why| warn(format_args!("{name}: {why}")));
        self.report_unknown(format_args!("{name}: "), global);
        why.is_some()
    }

    /// Whether the capture has frames and no message of them was selected, and no condition reports that.
    pub fn is_empty(&self) -> bool {
        self.account.frames > 0 && !self.any() && !self.reports_none()
    }

    /// Reports that the capture has no conversation of a known protocol.
    fn report_unknown(&self, of: Arguments<'_>, global: &Global) {
        if self.is_empty() && self.account.claimed.conversations == 0 {
            notify(global, format_args!("{of}{UNKNOWN}"));
        }
    }

    /// Returns the exit status after the figures are printed: that of a signal, or of the conditions.
    pub fn status(&self, path: &Path, stopped: Option<Stopped>, global: &Global) -> u8 {
        stopped.and_then(|stopped| stopped.report(path)).unwrap_or_else(|| {
            self.report_unknown(format_args!("{}", subject()), global);
            !self.holds() as u8
        })
    }

    /// Returns the error of the output. That its reader is gone is an error of conditions, too: they were not tested to
    /// the end.
    pub fn unwritten(&self, error: io::Error) -> anyhow::Error {
        match error.kind() == io::ErrorKind::BrokenPipe && !self.conditions.is_empty() {
            true => {
                let conditions = self.conditions.join(", ");
                anyhow::anyhow!("{conditions}: not tested to the end of the input: the output was closed")
            }
            false => error.into(),
        }
    }

    /// Whether all conditions hold. Reports those that do not.
    pub fn holds(&self) -> bool {
        if self.conditions.is_empty() {
            let outside = self.outside();
            outside.iter().for_each(|why| warn(format_args!("{}{why}", subject())));
            return outside.is_none();
        }
        let wrong = self.broken();
        wrong.iter().for_each(|text| warn(format_args!("{}", Lines(text))));
        wrong.is_empty()
    }
}

/// Reads a capture with a thread for each producer except one. Each producer selects its own messages.
pub fn merged<T: Send, M: Producer<T>>(
    capture: Capture,
    options: &Options,
    producers: Vec<M>,
    pick: &mut Pick,
    receiver: &mut dyn Receiver<T>,
) -> Summary {
    let producers = producers.into_iter().map(|producer| Selected { pick: pick.part(), producer }).collect();
    let (summary, producers) = drive(options).divide(capture, producers, receiver);
    producers.into_iter().for_each(|selected| pick.merge(selected.pick));
    summary
}
