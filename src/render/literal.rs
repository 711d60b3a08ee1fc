//! Bytes as a constant in source code, with a comment for each field, for tests of a game's own code.

use super::leaf;
use super::line_writer::LineWriter;
use crate::codec::Value;
use crate::dissect::Message;
use std::ops::Range;

/// The language of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `static const unsigned char NAME[] = {..};`
    C,
    /// `pub const NAME: &[u8] = &[..];`
    Rust,
    /// `NAME = bytes([..])`
    Python,
}

/// The number of bytes in a line of source code.
const ROW: usize = 12;
/// The columns of a value in a comment.
const ROOM: usize = 60;

/// Writes messages as constants. The second and later names have a number.
#[derive(Debug)]
pub struct Literals {
    language: Language,
    count: usize,
}

impl Literals {
    /// Creates a writer for this language.
    pub fn new(language: Language) -> Literals {
        Literals { language, count: 0 }
    }

    /// Appends bytes. They end with those of the message in `read`; any bytes before are framing.
    pub fn append(&mut self, name: &str, bytes: &[u8], read: Option<&Message<'_>>, out: &mut Vec<u8>) {
        self.count += 1;
        let number = if self.count > 1 { format!("_{}", self.count) } else { String::new() };
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let (name, upper) = (name + &number, |name: &str| name.to_ascii_uppercase());
        let (open, comment, close) = match self.language {
            Language::C => (format!("static const unsigned char {name}[] = {{"), "//", "};"),
            Language::Rust => (format!("pub const {}: &[u8] = &[", upper(&name)), "//", "];"),
            Language::Python => (format!("{} = bytes([", upper(&name)), "#", "])"),
        };
        if bytes.is_empty() {
            // C has no empty arrays.
            return out.extend_from_slice(format!("{comment} {name}: no bytes\n\n").as_bytes());
        }
        let rows = rows(bytes.len(), read);
        let width = rows.iter().map(|(range, _)| range.len().min(ROW)).max().unwrap_or(0) * 6 - 1;
        let mut text = open + "\n";
        for (range, about) in rows {
            for (k, part) in bytes[range].chunks(ROW).enumerate() {
                let part: Vec<String> = part.iter().map(|byte| format!("{byte:#04x},")).collect();
                let about = if k == 0 && !about.is_empty() { format!("  {comment} {about}") } else { String::new() };
                text += format!("    {:width$}{about}", part.join(" ")).trim_end();
                text.push('\n');
            }
        }
        out.extend_from_slice((text + close + "\n\n").as_bytes());
    }
}

/// Returns the rows, each with its comment. Fields that share a byte share a row.
fn rows(length: usize, read: Option<&Message<'_>>) -> Vec<(Range<usize>, String)> {
    let mut rows: Vec<(Range<usize>, String)> = Vec::new();
    let end = |rows: &[(Range<usize>, String)]| rows.last().map_or(0, |(range, _)| range.end);
    let until = |rows: &mut Vec<_>, to: usize, about: &str| {
        if end(rows) < to {
            rows.push((end(rows)..to, about.into()));
        }
    };
    if let Some(message) = read {
        let sources = message.sources();
        let start = length.saturating_sub(message.place.bytes.len());
        until(&mut rows, start, "framing");
        let leaf = |node: &crate::codec::Node| {
            node.source == 0 && node.bits > 0 && !matches!(node.value, Value::Group | Value::List)
        };
        let trees = [&message.dissection.packet, &message.dissection.tree];
        let nodes =
            trees.into_iter().flat_map(|tree| tree.nodes().iter().enumerate().map(move |(at, node)| (tree, at, node)));
        let mut leaves: Vec<_> = nodes.filter(|(.., node)| leaf(node)).collect();
        leaves.sort_by_key(|(.., node)| node.bit);
        for (tree, at, node) in leaves {
            let from = (start + node.bit as usize / 8).min(length);
            let to = (start + (node.bit as usize + node.bits as usize).div_ceil(8)).min(length);
            let (mut path, mut about) = (Vec::new(), Vec::new());
            leaf::path("", tree, sources, at, &mut path);
            let mut line = LineWriter::new(&mut about, false);
            line.untrusted(String::from_utf8_lossy(&path).trim_start_matches('.')).put(" = ");
            leaf::short(node, sources, &mut line, ROOM);
            let about = String::from_utf8_lossy(&about).into_owned();
            until(&mut rows, from, "");
            match rows.last_mut() {
                Some((range, before)) if from < range.end => {
                    *before = format!("{before}, {about}");
                    range.end = range.end.max(to);
                }
                _ => until(&mut rows, to, &about),
            }
        }
    }
    until(&mut rows, length, "");
    rows
}
