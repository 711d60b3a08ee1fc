//! Prints the results of a probe, while it runs and at its end.

use crate::cli::Form;
use crate::live::probe::asked::Asked;
use crate::live::probe::monitor::{self, Result as Monitored};
use crate::live::probe::paint::{self, About};
use crate::live::probe::{Event, Found, Outcome, Report};
use crate::plural::Plural;
use crate::printable::Json;
use crate::render::palette::Palette;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::time::SystemTime;

/// An update from a worker.
pub enum Update {
    /// A finding.
    Event(Event),
    /// Messages as trees.
    Tree(Vec<u8>),
    /// The end of one target.
    Done(Box<Report>),
}

/// Prints updates, in the order of the targets.
pub struct Printer<'a> {
    format: Form,
    targets: &'a [Asked],
    introduced: Option<Found>,
    printed: usize,
    /// Servers that answered.
    pub answered: usize,
    /// The results, for the formats that need all of them.
    results: Vec<Monitored>,
    /// Failures that were already explained, and the target of the first.
    explained: HashMap<(&'static str, String), String>,
    outcomes: BTreeMap<&'static str, usize>,
    palette: &'static Palette,
}

impl<'a> Printer<'a> {
    /// Creates a printer for one round of these targets.
    pub fn new(format: Form, targets: &'a [Asked], colour: bool) -> Printer<'a> {
        Printer {
            format,
            targets,
            introduced: None,
            printed: 0,
            answered: 0,
            results: Vec::new(),
            explained: HashMap::new(),
            outcomes: BTreeMap::new(),
            palette: Palette::of(colour),
        }
    }

    /// Prints an update, if the format prints it before the end.
    ///
    /// # Errors
    /// Returns the errors of the output.
    pub fn update(&mut self, number: usize, update: Update) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let target = self.targets.get(number).map_or("", |asked| &asked.target.text);
        match (update, self.format) {
            (Update::Tree(text), Form::Text) => out.write_all(&text)?,
            // Stdout has only the chosen format, so trees go to stderr.
            (Update::Tree(text), _) => io::stderr().write_all(&text)?,
            (Update::Event(Event::Found(found)), format) => {
                if format == Form::Text {
                    out.write_all(paint::probe(found.text(target), About::Found, self.palette).as_bytes())?;
                }
                self.introduced = Some(found);
            }
            (Update::Event(Event::Sample(sample)), Form::Text) => {
                let about = About::Sample(sample.rtt.is_some());
                out.write_all(paint::probe(sample.text(), about, self.palette).as_bytes())?;
            }
            (Update::Event(Event::Sample(sample)), Form::Ndjson) => {
                writeln!(out, "{}", Json(sample.json(target)))?;
            }
            (Update::Event(Event::Sample(_)), _) => {}
            (Update::Done(result), _) => {
                self.answered += usize::from(result.outcome == Outcome::Ok);
                *self.outcomes.entry(result.outcome.name()).or_default() += 1;
                self.done(number, &result, &mut out)?;
                self.printed += 1;
            }
        }
        out.flush()
    }

    fn done(&mut self, number: usize, result: &Report, out: &mut impl Write) -> io::Result<()> {
        let introduced = self.introduced.take();
        let labels = self.targets.get(number).map_or(&[][..], |asked| &asked.labels);
        match self.format {
            Form::Text => {
                let about = About::End(result.outcome == Outcome::Ok);
                let text = self.text(result, introduced.as_ref());
                out.write_all(paint::probe(text, about, self.palette).as_bytes())
            }
            Form::Ndjson => {
                let mut summary = result.json(false);
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                // As in all lines, the time comes before what was found.
                if let Some(keys) = summary.as_object_mut() {
                    keys.shift_insert(1, "time".into(), (now.as_millis() as f64 / 1e3).into());
                }
                writeln!(out, "{}", Json(labelled(summary, labels)))
            }
            Form::Json => {
                let before = if self.printed == 0 { "[\n" } else { ",\n" };
                write!(out, "{before}{}", Json(labelled(result.json(true), labels)))
            }
            _ => {
                let summary = result.json(false);
                let one = Monitored { summary, labels: labels.into(), time: SystemTime::now() };
                match self.format {
                    Form::Influx => write!(out, "{}", monitor::influx(&one)),
                    _ => {
                        self.results.push(one);
                        Ok(())
                    }
                }
            }
        }
    }

    /// Returns the end of one target, for people. With many targets, an explanation is given only once.
    fn text(&mut self, result: &Report, introduced: Option<&Found>) -> String {
        let Some(failure) = result.failure.as_ref().filter(|_| self.targets.len() > 1 && result.found.is_none()) else {
            return result.text(introduced);
        };
        let same = (failure.outcome.name(), format!("{}\n{}", failure.text, failure.advice));
        match self.explained.get(&same) {
            Some(first) => format!("{}: {}, as {first}\n", result.target, failure.outcome.name()),
            None => {
                self.explained.insert(same, result.target.clone());
                result.text(introduced)
            }
        }
    }

    /// Prints the end of a round. Returns the exit status for Nagios.
    ///
    /// # Errors
    /// Returns the errors of the output.
    pub fn finish(&mut self) -> io::Result<Option<u8>> {
        let mut out = io::stdout().lock();
        let mut status = None;
        match self.format {
            Form::Json => out.write_all(if self.printed == 0 { b"[]\n" } else { b"\n]\n" })?,
            Form::Prometheus => out.write_all(self.prometheus().as_bytes())?,
            Form::Nagios => {
                let (text, own) = monitor::nagios(&self.results, self.targets.len());
                out.write_all(text.as_bytes())?;
                status = Some(own);
            }
            Form::Text if self.targets.len() > 1 => {
                let list: Vec<String> = self.outcomes.iter().map(|(name, n)| format!("{n} {name}")).collect();
                writeln!(out, "{}: {}", Plural(self.printed, "server"), list.join(", "))?;
            }
            _ => {}
        }
        out.flush()?;
        Ok(status)
    }

    /// Returns the results so far for Prometheus.
    pub fn prometheus(&self) -> String {
        monitor::prometheus(&self.results)
    }
}

/// Returns a summary with the labels of its target, if it has any.
fn labelled(mut summary: Value, labels: &[(String, String)]) -> Value {
    if !labels.is_empty() {
        summary["labels"] = labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    }
    summary
}
