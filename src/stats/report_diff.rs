//! Differences as a table, and for build servers and their readers: Markdown and JUnit XML.

use super::diff::{Change, Comparison, Difference, Verdict};
use super::figure::{Figure, Measure, figures};
use super::table::{Cell, Shape, Table};
use crate::plural::Plural;
use crate::printable::{Json, Lines, Printable};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;

const DIFFERENCES: Shape = Shape { kind: "difference", title: "", keys: 2 };
const COLUMNS: [&Figure; 11] =
    figures(["of", "what", "a", "b", "change", "unit", "worse", "a_samples", "b_samples", "notable", "broken"]);

/// The value of a figure in one capture.
fn number(figure: &Figure, x: f64) -> Cell {
    match figure.measure {
        Measure::Share => Cell::Share(x),
        Measure::Count => Cell::Int(x as u64),
        _ => Cell::Real((x * 1e3).round() / 1e3, 3),
    }
}

/// The kind of difference, in a word.
fn what(change: &Change) -> &'static str {
    match change {
        Change::Appeared => "appeared",
        Change::Vanished => "vanished",
        Change::Fields(..) => "fields",
        Change::Ended(name, ..) => name,
        Change::Figure(figure, ..) => figure.name,
    }
}

/// The change as `+12.5%`, `3.5x`, or `-1.2 pp` for shares.
fn change_text(change: &Change) -> String {
    match change {
        Change::Figure(figure, ..) if figure.is_share() => format!("{:+.1} pp", change.part() * 100.0),
        Change::Figure(_, a, b) if *a > 0.0 && *b > 2.0 * a => format!("{:.1}x", b / a),
        Change::Figure(..) if change.part().is_finite() => format!("{:+.1}%", change.part() * 100.0),
        Change::Figure(..) => "from 0".into(),
        _ => String::new(),
    }
}

/// Returns `worse`, `better`, or nothing.
fn effect(change: &Change) -> &'static str {
    match change.is_worse() {
        Some(true) => "worse",
        Some(false) => "better",
        None => "",
    }
}

/// The change and its effect: `+12.5% worse`.
fn judged(change: &Change) -> String {
    format!("{} {}", change_text(change), effect(change)).trim().into()
}

/// A figure as text.
fn text_of(figure: &Figure, x: f64) -> String {
    match figure.measure {
        Measure::Share => format!("{:.1}%", x * 100.0),
        Measure::Millis => format!("{x:.3} ms"),
        Measure::Count => format!("{x}"),
        _ => format!("{x:.3}"),
    }
}

/// A difference in one line.
fn line(d: &Difference) -> String {
    match &d.change {
        Change::Appeared => format!("{} appeared", d.of),
        Change::Vanished => format!("{} vanished", d.of),
        Change::Fields(new, gone) => {
            let list = |word: &str, list: &[String]| match list.is_empty() {
                true => String::new(),
                false => format!(" {word} {}", list.join(" ")),
            };
            format!("{} fields:{}{}", d.of, list("new", new), list("gone", gone))
        }
        Change::Ended(name, a, b) => format!("{} {name}: {a}, then {b}, {}", d.of, effect(&d.change)),
        Change::Figure(figure, a, b) => {
            let (a, b) = (text_of(figure, *a), text_of(figure, *b));
            let effect = Some(effect(&d.change)).filter(|effect| !effect.is_empty());
            let effect = effect.map_or(String::new(), |effect| format!(", {effect}"));
            format!("{} {}: {a}, then {b} ({}){effect}", d.of, figure.name, change_text(&d.change))
        }
    }
}

impl Verdict {
    /// Whether the limit holds. A limit without data to compare fails, unless that is allowed.
    pub fn holds(&self, allow_empty: bool) -> bool {
        self.broken == 0 && (self.compared > 0 || allow_empty)
    }

    fn words(&self, allow_empty: bool) -> String {
        match (self.broken, self.compared) {
            (0, 0) if allow_empty => "no data (allowed)".into(),
            (0, 0) if self.beyond.is_some() => "can never be exceeded".into(),
            (0, 0) => "no data".into(),
            (0, _) => "holds".into(),
            (n, _) => format!("exceeded by {n}"),
        }
    }
}

/// The text of a cell in a Markdown table, with special characters escaped.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in Printable(text).to_string().chars() {
        if matches!(c, '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '&' | '#' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text in XML. Control characters, which XML does not allow, are escaped as on the terminal.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in Printable(text).to_string().chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

impl Comparison {
    /// The differences that are larger than the variation within each capture.
    pub fn notable(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|d| d.notable)
    }

    /// All differences as a table for programs; `broken` names the limit that each exceeds.
    pub fn table(&self) -> Table {
        let mut table = Table::new(DIFFERENCES, &COLUMNS);
        for d in &self.differences {
            let words = |list: &[String]| if list.is_empty() { Cell::Null } else { Cell::Text(list.join(" ")) };
            let (a, b, unit) = match &d.change {
                Change::Appeared | Change::Vanished => (Cell::Null, Cell::Null, Cell::Null),
                Change::Fields(new, gone) => (words(gone), words(new), Cell::Null),
                Change::Ended(_, a, b) => ((*a).into(), (*b).into(), Cell::Null),
                Change::Figure(figure, a, b) => {
                    (number(figure, *a), number(figure, *b), if figure.is_share() { "pp" } else { "%" }.into())
                }
            };
            let part = Some(d.change.part()).filter(|part| matches!(d.change, Change::Figure(..)) && part.is_finite());
            let broken =
                d.broken.and_then(|k| self.limits.get(k)).map_or(Cell::Null, |limit| Cell::Text(limit.limit.clone()));
            let [of_a, of_b] = [0, 1].map(|k| d.samples.map_or(Cell::Null, |samples| samples[k].into()));
            table.rows.push(vec![
                Cell::Text(d.of.clone()),
                what(&d.change).into(),
                a,
                b,
                part.map_or(Cell::Null, Cell::Share),
                unit,
                d.change.is_worse().map_or(Cell::Null, Cell::Flag),
                of_a,
                of_b,
                Cell::Flag(d.notable),
                broken,
            ]);
        }
        table
    }

    /// The notable differences as a table for people, with units and a separate row for fields that only one capture
    /// has.
    pub fn shown(&self) -> Table {
        let mut table = Table::new(DIFFERENCES, &COLUMNS[..5]);
        for d in self.notable() {
            let mut row = |what: &str, a: Cell, b: Cell| {
                let change = Some(judged(&d.change)).filter(|text| !text.is_empty());
                table.rows.push(vec![
                    Cell::Text(d.of.clone()),
                    what.into(),
                    a,
                    b,
                    change.map_or(Cell::Null, Cell::Text),
                ]);
            };
            let sampled = |k: usize, figure: &Figure, x: f64| match d.samples {
                Some(samples) => Cell::Text(format!("{x:.3} n={}", samples[k])),
                None => number(figure, x),
            };
            match &d.change {
                Change::Appeared | Change::Vanished => row(what(&d.change), Cell::Null, Cell::Null),
                Change::Fields(new, gone) => {
                    gone.iter().for_each(|path| row("field", Cell::Text(path.clone()), Cell::Null));
                    new.iter().for_each(|path| row("field", Cell::Null, Cell::Text(path.clone())));
                }
                Change::Ended(name, a, b) => row(name, (*a).into(), (*b).into()),
                Change::Figure(figure, a, b) => row(figure.name, sampled(0, figure, *a), sampled(1, figure, *b)),
            }
        }
        table
    }

    /// The number of differences that [`Comparison::shown`] omits, in a line; empty if there is none.
    pub fn folded(&self) -> String {
        match self.differences.len() - self.notable().count() {
            0 => String::new(),
            n => format!(
                "{} within the variation inside one capture, or shown by another figure (-f json has all)\n",
                Plural(n, "further difference")
            ),
        }
    }

    /// The limits as text: a line for each, and one for each difference that exceeds it.
    pub fn limits_text(&self, allow_empty: bool) -> String {
        let mut text = String::new();
        for (k, verdict) in self.limits.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "limit {}: {}", Lines(&verdict.limit), verdict.words(allow_empty));
            for d in self.differences.iter().filter(|d| d.broken == Some(k)) {
                let _ = writeln!(text, "  {}", Printable(&line(d)));
            }
        }
        text
    }

    /// The limits as a JSON array.
    pub fn limits_json(&self, allow_empty: bool, out: &mut Vec<u8>) {
        out.push(b'[');
        for (k, verdict) in self.limits.iter().enumerate() {
            let holds = verdict.holds(allow_empty);
            let (compared, broken) = (verdict.compared, verdict.broken);
            let one = json!({"limit": verdict.limit, "compared": compared, "broken": broken, "holds": holds});
            // Writing to memory cannot fail.
            let _ = write!(out, "{}{}", if k == 0 { "\n  " } else { ",\n  " }, Json(one));
        }
        out.push(b']');
    }

    /// Markdown for a comment or a summary of a build: the captures with their sums, the limits, the differences.
    pub fn markdown(&self, captures: &[(String, String)], allow_empty: bool) -> String {
        let mut text = String::from("### netkit diff");
        let broken = self.limits.iter().filter(|verdict| !verdict.holds(allow_empty)).count();
        // Writing to a string cannot fail, here and below.
        let _ = match (self.limits.len(), broken) {
            (0, _) => write!(text, ": {}", Plural(self.notable().count(), "difference")),
            (n, 0) => write!(text, ": {} held", Plural(n, "limit")),
            (n, broken) => write!(text, ": {broken} of {} not held", Plural(n, "limit")),
        };
        text.push_str("\n\n");
        for (name, (capture, sums)) in ["a", "b"].iter().zip(captures) {
            let _ = writeln!(text, "- {name}: {}: {}", cell(capture), cell(sums));
        }
        if !self.limits.is_empty() {
            text.push_str("\n| limit | compared | result |\n| --- | ---: | --- |\n");
            for verdict in &self.limits {
                let mark = if verdict.holds(allow_empty) { "" } else { "**" };
                let words = verdict.words(allow_empty);
                let _ = writeln!(text, "| {} | {} | {mark}{words}{mark} |", cell(&verdict.limit), verdict.compared);
            }
        }
        text.push_str(match self.notable().next().is_some() {
            false => "\nNo notable difference.\n",
            true => "\n| of | what | a | b | change |\n| --- | --- | ---: | ---: | ---: |\n",
        });
        for d in self.notable() {
            let (what, a, b, change) = match &d.change {
                Change::Appeared => ("appeared", String::new(), String::new(), String::new()),
                Change::Vanished => ("vanished", String::new(), String::new(), String::new()),
                Change::Fields(new, gone) => ("fields", gone.join(" "), new.join(" "), String::new()),
                Change::Ended(name, a, b) => (*name, a.to_string(), b.to_string(), judged(&d.change)),
                Change::Figure(figure, a, b) => {
                    (figure.name, text_of(figure, *a), text_of(figure, *b), judged(&d.change))
                }
            };
            let mark = if d.broken.is_some() { "**" } else { "" };
            let _ = writeln!(text, "| {mark}{}{mark} | {what} | {} | {} | {change} |", cell(&d.of), cell(&a), cell(&b));
        }
        let folded = self.folded();
        if !folded.is_empty() {
            let _ = write!(text, "\n{folded}");
        }
        text
    }

    /// JUnit XML for build servers: a case for each limit; without limits, one case that holds.
    pub fn junit(&self, captures: &[(String, String)], allow_empty: bool) -> String {
        let failures = self.limits.iter().filter(|verdict| !verdict.holds(allow_empty)).count();
        let sums = format!("tests=\"{}\" failures=\"{failures}\"", self.limits.len().max(1));
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {sums}>\n  <testsuite name=\"netkit diff\" {sums} errors=\"0\" skipped=\"0\">\n"
        );
        if self.limits.is_empty() {
            text.push_str("    <testcase classname=\"netkit diff\" name=\"both captures are read\"/>\n");
        }
        for (k, verdict) in self.limits.iter().enumerate() {
            let _ = write!(text, "    <testcase classname=\"netkit diff\" name=\"{}\"", xml(&verdict.limit));
            if verdict.holds(allow_empty) {
                text.push_str("/>\n");
                continue;
            }
            let _ = writeln!(text, ">\n      <failure message=\"{}\">", xml(&verdict.words(allow_empty)));
            for d in self.differences.iter().filter(|d| d.broken == Some(k)) {
                let _ = writeln!(text, "{}", xml(&line(d)));
            }
            text.push_str("</failure>\n    </testcase>\n");
        }
        text.push_str("    <system-out>\n");
        for (name, (capture, sums)) in ["a", "b"].iter().zip(captures) {
            let _ = writeln!(text, "{name}: {}", xml(&format!("{capture}: {sums}")));
        }
        for d in self.notable() {
            let _ = writeln!(text, "{}", xml(&line(d)));
        }
        text.push_str(&self.folded());
        text.push_str("    </system-out>\n  </testsuite>\n</testsuites>\n");
        text
    }
}
