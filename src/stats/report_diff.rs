//! Differences as a table, and for those who read what a build says: Markdown and JUnit's XML.

use super::diff::{Change, Difference, Limit, Verdict};
use super::figure::{Figure, Measure, figures};
use super::table::{Cell, Shape, Table};
use crate::codec::json::text::string;
use crate::plural::Plural;
use crate::printable::Printable;
use std::fmt::Write as _;

const DIFFERENCES: Shape = Shape { kind: "difference", title: "", keys: 2 };
const COLUMNS: [&Figure; 7] = figures(["of", "what", "a", "b", "change", "broken", "unit"]);

/// The differences as a table; `broken` names the limit that each exceeds. `shown`: for people, with
/// a row for each field that only one capture has, and units.
pub fn table(differences: &[Difference], limits: &[Limit], shown: bool) -> Table {
    // The unit is a column for programs; people see it beside the change.
    let mut table = Table::new(DIFFERENCES, if shown { &COLUMNS[..6] } else { &COLUMNS });
    let number = |figure: &Figure, x: f64| match figure.measure {
        Measure::Share => Cell::Share(x),
        Measure::Count => Cell::Int(x as u64),
        _ => Cell::Real((x * 1e3).round() / 1e3, 3),
    };
    for d in differences {
        let broken = d.broken.and_then(|k| limits.get(k)).map_or(Cell::Null, |limit| Cell::Text(limit.to_string()));
        let mut row = |what: &str, a: Cell, b: Cell, change: Cell, unit: Cell| {
            let mut row = vec![Cell::Text(d.of.clone()), what.into(), a, b, change, broken.clone()];
            row.extend((!shown).then_some(unit));
            table.rows.push(row);
        };
        match &d.change {
            Change::Appeared => row("appeared", Cell::Null, Cell::Null, Cell::Null, Cell::Null),
            Change::Vanished => row("vanished", Cell::Null, Cell::Null, Cell::Null, Cell::Null),
            Change::Fields(new, gone) if shown => {
                gone.iter().for_each(|path| row("field", Cell::Text(path.clone()), Cell::Null, Cell::Null, Cell::Null));
                new.iter().for_each(|path| row("field", Cell::Null, Cell::Text(path.clone()), Cell::Null, Cell::Null));
            }
            Change::Fields(new, gone) => {
                let cell = |list: &[String]| if list.is_empty() { Cell::Null } else { Cell::Text(list.join(" ")) };
                row("fields", cell(gone), cell(new), Cell::Null, Cell::Null);
            }
            Change::Figure(measured, a, b) => {
                let change = match shown {
                    true => Cell::Text(change_text(&d.change)),
                    false => {
                        let part = Some(d.change.part()).filter(|part| part.is_finite());
                        part.map_or(Cell::Null, Cell::Share)
                    }
                };
                let unit = if measured.is_share() { "pp" } else { "%" };
                row(measured.name, number(measured, *a), number(measured, *b), change, unit.into());
            }
        }
    }
    table
}

/// `+12.5%`, or of shares `+1.2 pp`.
fn change_text(change: &Change) -> String {
    match change {
        Change::Figure(figure, ..) if figure.is_share() => format!("{:+.1} pp", change.part() * 100.0),
        Change::Figure(..) if change.part().is_finite() => format!("{:+.1}%", change.part() * 100.0),
        Change::Figure(..) => "from 0".into(),
        _ => String::new(),
    }
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
        Change::Figure(figure, a, b) => {
            let (a, b) = (text_of(figure, *a), text_of(figure, *b));
            format!("{} {}: {a}, then {b} ({})", d.of, figure.name, change_text(&d.change))
        }
    }
}

impl Verdict {
    /// Does the limit hold? Not if there was nothing to hold it against, unless that is well.
    pub fn holds(&self, allow_empty: bool) -> bool {
        self.broken == 0 && (self.compared > 0 || allow_empty)
    }

    fn words(&self, allow_empty: bool) -> String {
        match (self.broken, self.compared) {
            (0, 0) if allow_empty => "nothing to compare, as allowed".into(),
            (0, 0) => "nothing to compare".into(),
            (0, _) => "holds".into(),
            (n, _) => format!("exceeded by {n}"),
        }
    }
}

/// The limits as a JSON array.
pub fn limits_json(verdicts: &[Verdict], allow_empty: bool, out: &mut Vec<u8>) {
    out.push(b'[');
    for (k, verdict) in verdicts.iter().enumerate() {
        out.extend_from_slice(if k == 0 { b"\n  {\"limit\":" } else { b",\n  {\"limit\":" });
        string(verdict.limit.as_bytes(), out);
        let holds = verdict.holds(allow_empty);
        let rest = format!(",\"compared\":{},\"broken\":{},\"holds\":{holds}}}", verdict.compared, verdict.broken);
        out.extend_from_slice(rest.as_bytes());
    }
    out.push(b']');
}

/// A cell of a Markdown table: what would end it, or be formatted, is escaped.
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

/// For a comment or a summary of a build: the captures with their sums, the limits, the differences.
pub fn markdown(
    captures: &[(String, String)],
    differences: &[Difference],
    verdicts: &[Verdict],
    allow_empty: bool,
) -> String {
    let mut text = String::from("### netkit diff");
    let broken = verdicts.iter().filter(|verdict| !verdict.holds(allow_empty)).count();
    // Writing to a string cannot fail, here and below.
    let _ = match (verdicts.len(), broken) {
        (0, _) => write!(text, ": {}", Plural(differences.len(), "difference")),
        (n, 0) => write!(text, ": {} held", Plural(n, "limit")),
        (n, broken) => write!(text, ": {broken} of {} not held", Plural(n, "limit")),
    };
    text.push_str("\n\n");
    for (name, (capture, sums)) in ["a", "b"].iter().zip(captures) {
        let _ = writeln!(text, "- {name}: {}: {}", cell(capture), cell(sums));
    }
    if !verdicts.is_empty() {
        text.push_str("\n| limit | compared | result |\n| --- | ---: | --- |\n");
        for verdict in verdicts {
            let mark = if verdict.holds(allow_empty) { "" } else { "**" };
            let words = verdict.words(allow_empty);
            let _ = writeln!(text, "| {} | {} | {mark}{words}{mark} |", cell(&verdict.limit), verdict.compared);
        }
    }
    text.push_str(match differences.is_empty() {
        true => "\nNo difference.\n",
        false => "\n| of | what | a | b | change |\n| --- | --- | ---: | ---: | ---: |\n",
    });
    for d in differences {
        let (what, a, b, change) = match &d.change {
            Change::Appeared => ("appeared", String::new(), String::new(), String::new()),
            Change::Vanished => ("vanished", String::new(), String::new(), String::new()),
            Change::Fields(new, gone) => ("fields", gone.join(" "), new.join(" "), String::new()),
            Change::Figure(figure, a, b) => {
                (figure.name, text_of(figure, *a), text_of(figure, *b), change_text(&d.change))
            }
        };
        let mark = if d.broken.is_some() { "**" } else { "" };
        let _ = writeln!(text, "| {mark}{}{mark} | {what} | {} | {} | {change} |", cell(&d.of), cell(&a), cell(&b));
    }
    text
}

/// Text in XML: control characters are escaped as on the terminal, since XML has none.
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

/// JUnit's XML, as build servers read it: a case for each limit; without limits one that holds.
pub fn junit(
    captures: &[(String, String)],
    differences: &[Difference],
    verdicts: &[Verdict],
    allow_empty: bool,
) -> String {
    let failures = verdicts.iter().filter(|verdict| !verdict.holds(allow_empty)).count();
    let sums = format!("tests=\"{}\" failures=\"{failures}\"", verdicts.len().max(1));
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {sums}>\n  <testsuite name=\"netkit diff\" {sums} errors=\"0\" skipped=\"0\">\n"
    );
    if verdicts.is_empty() {
        text.push_str("    <testcase classname=\"netkit diff\" name=\"both captures are read\"/>\n");
    }
    for (k, verdict) in verdicts.iter().enumerate() {
        let _ = write!(text, "    <testcase classname=\"netkit diff\" name=\"{}\"", xml(&verdict.limit));
        if verdict.holds(allow_empty) {
            text.push_str("/>\n");
            continue;
        }
        let _ = writeln!(text, ">\n      <failure message=\"{}\">", xml(&verdict.words(allow_empty)));
        for d in differences.iter().filter(|d| d.broken == Some(k)) {
            let _ = writeln!(text, "{}", xml(&line(d)));
        }
        text.push_str("</failure>\n    </testcase>\n");
    }
    text.push_str("    <system-out>\n");
    for (name, (capture, sums)) in ["a", "b"].iter().zip(captures) {
        let _ = writeln!(text, "{name}: {}", xml(&format!("{capture}: {sums}")));
    }
    for d in differences {
        let _ = writeln!(text, "{}", xml(&line(d)));
    }
    text.push_str("    </system-out>\n  </testsuite>\n</testsuites>\n");
    text
}
