//! The README's picture of a terminal, drawn from the program's output in its colours.
//!
//! `NETKIT_BLESS=1 cargo test --test picture` redraws `fixtures/terminal.svg`.

mod common;

use common::{feed, fixture, netkit};
use std::fmt::Write;

/// The pictured command lines, and their arguments.
const SHOWN: [(&str, &[&str]); 2] = [
    (
        "netkit decode riptide20-udp.pcap -F 'frame in {3, 86, 91}'",
        &["decode", "fixtures/riptide/riptide20-udp.pcap", "-F", "frame in {3, 86, 91}"],
    ),
    (
        "netkit decode acknex-malformed.pcap -F 'has fault' -c 1",
        &["decode", "fixtures/acknex/acknex-malformed.pcap", "-F", "has fault", "-c", "1"],
    ),
];

const COLUMNS: usize = 92;
/// The size of a character and a line, in units of the drawing.
const CELL: (f32, f32) = (8.4, 18.0);
const EDGE: f32 = 14.0;

/// The style of a run of characters.
#[derive(Clone, Copy, Default, PartialEq)]
struct Face {
    bold: bool,
    dim: bool,
    italic: bool,
    colour: Option<u8>,
}

impl Face {
    /// Applies one `ESC [ .. m`.
    fn set(&mut self, codes: &str) {
        for code in codes.split(';') {
            match code.parse().expect("a number") {
                0 => *self = Face::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                code @ (30..=37 | 90..=97) => self.colour = Some(code),
                code => panic!("the picture does not know the code {code}"),
            }
        }
    }

    fn attributes(self) -> String {
        let fill = match (self.colour, self.dim) {
            (Some(31 | 91), _) => "#ff6b68",
            (Some(32 | 92), _) => "#8dc891",
            (Some(33 | 93), _) => "#e5c07b",
            (Some(34 | 94), _) => "#7aa2f7",
            (Some(35 | 95), _) => "#c792ea",
            (Some(36 | 96), _) => "#5fc3d0",
            (None, true) => "#7f848e",
            _ => "#d7dae0",
        };
        let weight = if self.bold { " font-weight=\"bold\"" } else { "" };
        let style = if self.italic { " font-style=\"italic\"" } else { "" };
        format!("fill=\"{fill}\"{weight}{style}")
    }
}

/// The runs of a line, each with its first column.
fn runs(line: &str, face: &mut Face) -> Vec<(usize, String, Face)> {
    let mut list: Vec<(usize, String, Face)> = Vec::new();
    let mut column = 0;
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if let Some(codes) = rest.strip_prefix("\x1b[") {
            let (codes, behind) = codes.split_once('m').expect("a colour");
            face.set(codes);
            rest = behind;
            continue;
        }
        match list.last_mut().filter(|(_, _, same)| *same == *face) {
            Some((_, text, _)) => text.push(first),
            None => list.push((column, first.into(), *face)),
        }
        column += 1;
        rest = &rest[first.len_utf8()..];
    }
    // Spaces at the ends of a run are part of its position.
    for (column, text, _) in &mut list {
        *column += text.chars().take_while(|c| *c == ' ').count();
        *text = text.trim_matches(' ').into();
    }
    list.retain(|(_, text, _)| !text.is_empty());
    list
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn draw(lines: &[String]) -> String {
    let (width, height) = (2.0 * EDGE + COLUMNS as f32 * CELL.0, 2.0 * EDGE + lines.len() as f32 * CELL.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <title>netkit in a terminal</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1e2127\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">\n"
    );
    let mut face = Face::default();
    for (k, line) in lines.iter().enumerate() {
        let y = EDGE + (k as f32 + 0.75) * CELL.1;
        for (column, text, face) in runs(line, &mut face) {
            let (x, length) = (EDGE + column as f32 * CELL.0, text.chars().count() as f32 * CELL.0);
            let (attributes, text) = (face.attributes(), escaped(&text));
            // The length keeps columns aligned with any font.
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" {attributes}>{text}</text>")
                .unwrap();
        }
    }
    svg + "</g>\n</svg>\n"
}

#[test]
fn is_what_the_program_prints() {
    let mut lines = Vec::new();
    for (command, args) in SHOWN {
        let mut coloured = netkit(args);
        let done = feed(coloured.args(["--color", "always"]).env("COLUMNS", COLUMNS.to_string()), b"").ok();
        let text = done.text();
        assert!(text.lines().count() > 3 && text.contains('\x1b'), "{text}");
        lines.push(format!("\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m"));
        lines.extend(text.trim_end().lines().map(String::from));
        lines.push(String::new());
    }
    lines.pop();
    let svg = draw(&lines);
    let file = fixture("terminal.svg");
    if std::env::var_os("NETKIT_BLESS").is_some() {
        std::fs::write(&file, &svg).expect("written");
    }
    let referenced = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        referenced == svg,
        "fixtures/terminal.svg is not what the program prints: NETKIT_BLESS=1 cargo test --test picture"
    );
}
