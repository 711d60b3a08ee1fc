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
/// The time for which an empty file must stay empty before it counts: many programs empty a file and then write it,
/// and on a busy machine the second step can be late.
const EMPTY: Duration = Duration::from_secs(2);
/// The maximum size of a file of rules, or of a timetable.
const LARGEST: u64 = 1 << 20;

/// A file of rules.
pub(crate) struct RulesFile {
    path: PathBuf,
    options: Options,
    /// The rules of `--on`, before those of the file.
    on: Vec<String>,
    seed: u64,
    /// The state of the file at the last check, the time since which it is so, and the state when it was last read.
    seen: Option<(SystemTime, u64)>,
    since: Instant,
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
    String::from_utf8(bytes).map_err(|_| "not UTF-8 text".into())
}

/// The new rules of a file, and notes for the user.
pub(crate) type Changed = (Option<RuleSet>, Vec<String>);

impl RulesFile {
    /// Creates it with the rules of `--on`; `asked` returns whether the user asks for another reading.
    pub(crate) fn new(path: PathBuf, on: Vec<String>, options: Options, seed: u64, asked: fn() -> bool) -> RulesFile {
        let state = state(&path);
        let since = Instant::now();
        RulesFile { path, options, on, seed, seen: state, since, read: state, next: since + LOOK, gone: false, asked }
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
            let changed = self.changed(Instant::now());
            if (changed.0.is_some() || !changed.1.is_empty()) && send.send(changed).is_err() {
                return;
            }
            thread::sleep(LOOK / 4);
        };
        thread::Builder::new().name("rules".into()).spawn(follow)?;
        Ok(changes)
    }

    /// Returns the new rules if the file has changed or SIGHUP has arrived, and notes.
    fn changed(&mut self, now: Instant) -> Changed {
        let asked = (self.asked)();
        if !asked && now < self.next {
            return (None, Vec::new());
        }
        self.next = now + LOOK;
        let state = state(&self.path);
        if std::mem::replace(&mut self.seen, state) != state {
            self.since = now;
        }
        // The file may still be written, so it must look the same for a time.
        let empty = state.is_some_and(|(_, length)| length == 0);
        let settled = now.duration_since(self.since) >= if empty { EMPTY } else { LOOK };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is emptied and then written is never without rules, unless it stays empty.
    #[test]
    fn an_empty_file_counts_later() {
        let path = std::env::temp_dir().join(format!("netkit-empty-rules-{}", std::process::id()));
        fs::write(&path, "message == ack: drop\n").unwrap();
        let mut now = Instant::now();
        let mut file = RulesFile::new(path.clone(), Vec::new(), crate::protocols::options(), 1, || false);
        // The number of rules after each check, if there are new ones.
        let mut checks = |text: Option<&str>, count: u32| -> Vec<Option<usize>> {
            text.into_iter().for_each(|text| fs::write(&path, text).unwrap());
            let mut check = || {
                now += LOOK;
                file.changed(now).0.map(|rules| rules.iter().count())
            };
            (0..count).map(|_| check()).collect()
        };
        assert_eq!(checks(None, 3), [None; 3]);
        assert_eq!(checks(Some(""), 9), [None; 9]);
        assert_eq!(checks(Some("message == ack: drop\nmessage == connect: drop\n"), 3), [None, Some(2), None]);
        let emptied = checks(Some(""), 12);
        assert_eq!((&emptied[..10], emptied[10], emptied[11]), (&[None; 10][..], Some(0), None));
        fs::remove_file(&path).unwrap();
    }
}
