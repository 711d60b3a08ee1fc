//! Writes what was found as a protocol file.

use super::Node;
use super::frame::Framing;
use super::layout::{self, Field};
use super::sample::Sample;
use std::fmt::Write;

/// The file.
pub fn file(sample: &Sample, root: &Node<'_>, big: bool) -> String {
    let mut out = String::new();
    let packets = sample.packets.len();
    let flows = crate::plural::Plural(sample.flows as u64, "conversation");
    let _ = writeln!(out, "# A first description, made by netkit check --suggest: {packets} packets of {flows} with");
    let _ = writeln!(out, "# port {}. Each doc is the evidence. What is not known is bytes.", sample.port);
    let _ = writeln!(out, "protocol = \"unknown\"\nencoding = \"{}\"\n", if big { "be" } else { "le" });
    let _ = writeln!(out, "[{}]\nports = [{}]", if sample.tcp { "tcp" } else { "udp" }, sample.port);
    framing(sample.framing.as_ref(), &mut out);
    let frame = if let Some(Framing::Length { header: true, kind, .. }) = &sample.framing { Some(*kind) } else { None };
    let mut paths = Paths::default();
    let (fields, messages) = node(root, &Place { name: "packet", used: &[], frame }, &mut paths);
    let _ = write!(out, "\n[packet.fields]\n{fields}");
    if let (Some(seq), Some(ack)) = (&paths.seq, &paths.ack) {
        let _ = writeln!(out, "\n[numbers.counted]\nnumber = \"{seq}\"\nack    = \"{ack}\"");
    }
    out + &messages
}

fn framing(framing: Option<&Framing>, out: &mut String) {
    match framing {
        Some(Framing::Length { kind, header, plus, frames, .. }) => {
            let _ = write!(out, "frame = {{ length = \"{kind}\"");
            if *header {
                out.push_str(", header = \"u8\"");
            }
            if *plus > 0 {
                let _ = write!(out, ", plus = {plus}");
            }
            let _ = writeln!(out, " }} # leads through {frames} frames to the ends of the streams");
        }
        Some(Framing::Lines) => out.push_str("frame = { until = \"\\n\" }\n"),
        None => {}
    }
}

/// The paths of the first number that counts, and of the first that acknowledges.
#[derive(Default)]
struct Paths {
    seq: Option<String>,
    ack: Option<String>,
}

/// The place of a node: its message's name, the names of the fields around it, the type of the length after its first
/// byte.
struct Place<'a> {
    name: &'a str,
    used: &'a [String],
    frame: Option<&'a str>,
}

/// Returns the lines of a node's fields, and its kinds as messages.
fn node(node: &Node<'_>, place: &Place<'_>, paths: &mut Paths) -> (String, String) {
    let mut fields = match node.kind {
        Some(kind) => {
            let (left, right): (Vec<_>, Vec<_>) = node.numbers.iter().cloned().partition(|n| n.at < kind.at);
            let mut fields = layout::fields(&node.packets, node.from, kind.at, &left, false);
            fields.push(Field::kind(&kind));
            fields.extend(layout::fields(&node.packets, kind.at + 1, node.end, &right, false));
            fields
        }
        None => layout::fields(&node.packets, node.from, node.to, &node.numbers, true),
    };
    layout::unique(&mut fields, place.used);
    for (path, does) in [(&mut paths.seq, "seq"), (&mut paths.ack, "ack")] {
        if let (None, Some(field)) = (&path, fields.iter().find(|field| field.does == does)) {
            *path = Some(format!("{}.{}", place.name, field.name));
        }
    }
    let mut lines: Vec<String> = fields.iter().map(Field::line).collect();
    if let Some(kind) = place.frame {
        let hidden = if node.kind.is_some() { ", hidden = true" } else { "" };
        lines.insert(lines.len().min(1), format!("frame_length = {{ type = \"{kind}\"{hidden} }}\n"));
    }
    let mut messages = String::new();
    if let Some(by) = fields.iter().find_map(Field::selects) {
        let used: Vec<String> = place.used.iter().cloned().chain(fields.iter().flat_map(Field::names)).collect();
        let size = if place.frame.is_some() { ", size = \"frame_length\"" } else { "" };
        let body = layout::free("message", &used);
        lines.push(format!("{body} = {{ type = \"message\", by = \"{by}\"{size} }}\n"));
        let used = [used, vec![body]].concat();
        kinds(node, place.name, &used, paths, &mut messages);
    }
    (lines.concat(), messages)
}

/// Writes the messages that `by` selects, each followed by those within it.
fn kinds(parent: &Node<'_>, name: &str, used: &[String], paths: &mut Paths, out: &mut String) {
    let (carrier, stem) = match name {
        "packet" => (String::new(), "kind"),
        _ => (format!("message = \"{name}\"\n"), name),
    };
    for (id, inner) in &parent.kinds {
        let own = format!("{stem}_{id}");
        let (fields, messages) = node(inner, &Place { name: &own, used, frame: None }, paths);
        let from = inner.sender().map(|from| format!("from = \"{from}\"\n")).unwrap_or_default();
        let count = inner.packets.len();
        let _ =
            writeln!(out, "\n[[message]]\nid   = {id}\nname = \"{own}\"\n{carrier}{from}doc  = \"{count} packets\"");
        if !fields.is_empty() {
            let _ = write!(out, "[message.fields]\n{fields}");
        }
        out.push_str(&messages);
    }
    let rest = layout::free("rest", used);
    let _ = writeln!(
        out,
        "\n[[message]]\nany  = true\nname = \"{stem}_other\"\n{carrier}[message.fields]\n{rest} = \"bytes\""
    );
}
