//! A file of rules, which is read again when it changes.

use super::{Rule, RuleSet};
use crate::dissect::Options;
use crate::filter::Names;
use crate::plural::Plural;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, thread};

/// The interval in which the file is checked for changes.
const LOOK: Duration = Duration::from_millis(200);
/// The maximum size of a file of rules, or of a timetable.
const LARGEST: u64 = 1 << 20;

/// A file of rules.
pub(crate) struct RulesFile {
    path: PathBuf,
    options: Options,
    /// The rules of `--on`, before those of the file.
    on: Vec<String>,
    seed: u64,
    /// The state of the file at the last check, and when it was last read.
    seen: Option<(SystemTime, u64)>,
    read: Option<(SystemTime, u64)>,
    next: Instant,
    /// Whether it was reported that the file is gone.
    gone: bool,
    /// Whether the user asks for another reading.
    asked: fn() -> bool,
}

/// Parses the rules of `--on`, then the lines of a file.
///
/// # Errors
/// Returns their first error, with the place.
pub(crate) fn parse(
    on: &[String],
    file: Option<(&Path, &str)>,
    options: &Options,
    seed: u64,
) -> Result<RuleSet, String> {
    let names = Names::new(options);
    let mut rules = RuleSet::new(Vec::new(), seed);
    let rule = |text: &str| {
        let rule = Rule::parse(text, &names).map_err(|why| why.to_string())?;
        match rule.by_client() {
            true => Err("{client} is the number of a replay's client, and a proxy has none".to_string()),
            false => Ok(rule),
        }
    };
    for text in on {
        rules.push(rule(text).map_err(|why| format!("--on: {why}"))?);
    }
    let lines = file.iter().flat_map(|(path, text)| text.lines().enumerate().map(move |line| (path, line)));
    for (path, (n, line)) in lines {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            let wrong = |why| format!("--rules: {}:{}: {why}", path.display(), n + 1);
            rules.push(rule(line).map_err(wrong)?);
        }
    }
    Ok(rules)
}

fn state(path: &Path) -> Option<(SystemTime, u64)> {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Reads a file of lines.
///
/// # Errors
/// Returns the reason why it cannot be read.
pub(crate) fn text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err("larger than 1 MiB: expected lines of rules".into());
    }
    String::from_utf8(bytes).map_err(|_| "no UTF-8 text".into())
}

/// The new rules of a file, and notes for the user.
pub(crate) type Changed = (Option<RuleSet>, Vec<String>);

impl RulesFile {
    /// Creates it with the rules of `--on`; `asked` returns whether the user asks for another reading.
    pub(crate) fn new(path: PathBuf, on: Vec<String>, options: Options, seed: u64, asked: fn() -> bool) -> RulesFile {
        let state = state(&path);
        let next = Instant::now() + LOOK;
        RulesFile { path, options, on, seed, seen: state, read: state, next, gone: false, asked }
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// Returns the reason why it cannot be read, with the place.
    pub(crate) fn text(&self) -> Result<String, String> {
        text(&self.path).map_err(|why| format!("--rules: {}: {why}", self.path.display()))
    }

    /// Parses all rules, those of the file from its text.
    ///
    /// # Errors
    /// Returns their first error, with the place.
    pub(crate) fn parse(&self, text: &str) -> Result<RuleSet, String> {
        parse(&self.on, Some((&self.path, text)), &self.options, self.seed)
    }

    /// Reads the file on a thread of its own, which ends when the receiver is gone.
    ///
    /// # Errors
    /// Fails if the thread cannot be started.
    pub(crate) fn follow(mut self) -> io::Result<Receiver<Changed>> {
        let (send, changes) = channel();
        let follow = move || loop {
            let changed = self.changed();
            if (changed.0.is_some() || !changed.1.is_empty()) && send.send(changed).is_err() {
                return;
            }
            thread::sleep(LOOK / 4);
        };
        thread::Builder::new().name("rules".into()).spawn(follow)?;
        Ok(changes)
    }

    /// Returns the new rules if the file has changed or SIGHUP has arrived, and notes.
    fn changed(&mut self) -> Changed {
        let asked = (self.asked)();
        if !asked && Instant::now() < self.next {
            return (None, Vec::new());
        }
        self.next = Instant::now() + LOOK;
        let state = state(&self.path);
        // The file may still be written, so it must look the same twice.
        let settled = std::mem::replace(&mut self.seen, state) == state;
        if state.is_none() && !asked {
            let report = !std::mem::replace(&mut self.gone, true) && settled;
            self.gone = report || self.gone && settled;
            let text = format!("{}: the file was removed: its rules stay in force", self.path.display());
            return (None, if report { vec![text] } else { Vec::new() });
        }
        if !asked && (!settled || state == self.read) {
            return (None, Vec::new());
        }
        (self.read, self.gone) = (state, false);
        let rules = self.text().and_then(|text| self.parse(&text));
        match rules {
            Ok(rules) => {
                let count = Plural(rules.iter().count(), "rule");
                (Some(rules), vec![format!("{}: read again: {count}", self.path.display())])
            }
            Err(why) => (None, vec![format!("{why}\nthe previous rules stay in force")]),
        }
    }
}
