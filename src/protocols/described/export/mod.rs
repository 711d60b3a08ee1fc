//! Exports a protocol's tables in the language of protocol files: `netkit fields NAME --as-toml`.
//!
//! The protocol's [`Outline`] adds what the tables lack: the number that selects a message, and the carrier of
//! messages. Fields that the language cannot express become bytes, with a comment that gives the reason.

mod conditions;
mod fields;
mod keys;
mod lines;
mod messages;
mod pool;
mod types;

use crate::codec::layout::{Field, Order};
use crate::codec::names::everywhere;
use crate::dissect::{Dissector, Outline};
use conditions::Setting;
use lines::{Line, comment, section};
pub(super) use lines::{key, quoted};
use messages::Found;
use pool::Pool;

/// The state that all parts of the export share.
pub(super) struct Export<'a> {
    dissector: &'a dyn Dissector,
    outline: Outline,
    /// Words without an explicit order have their most significant byte first.
    big: bool,
    versions: Vec<&'static str>,
    pool: Pool,
    /// Settings that conditions refer to, in the order of their first use.
    asked: Vec<Setting>,
}

/// Writes the file's text.
///
/// # Errors
/// The reason why the language cannot express the protocol.
pub fn export(dissector: &dyn Dissector) -> Result<String, String> {
    let name = dissector.name();
    let outline = dissector.outline().map_err(|why| format!("{name} cannot be written as a protocol file: {why}"))?;
    let mut versions: Vec<&'static str> = Vec::new();
    for table in dissector.tables().iter().filter(|table| !table.version.is_empty()) {
        if !versions.contains(&table.version) {
            versions.push(table.version);
        }
    }
    let big = is_big(dissector);
    let mut export = Export { dissector, outline, big, versions, pool: Pool::default(), asked: Vec::new() };
    export.pool.take("version");
    let found = Found::of(&mut export)?;
    let text = export.text(&found);
    // A file that the loader refuses is of no use.
    match super::load(&format!("my_{name}.toml"), &text) {
        Ok(_) => Ok(text),
        Err(why) => Err(format!("{name} cannot be written as a protocol file: {why}")),
    }
}

/// Whether most of its words have their most significant byte first.
fn is_big(dissector: &dyn Dissector) -> bool {
    let (mut big, mut little) = (0usize, 0usize);
    let mut count = |field: &'static Field| match field.kind.width() {
        Some((9.., Order::Big)) => big += 1,
        Some((9.., Order::Little)) => little += 1,
        _ => {}
    };
    let layouts = dissector.tables().iter().flat_map(|table| table.layouts);
    layouts.for_each(|layout| everywhere(layout.fields, &mut count));
    big > little
}

impl Export<'_> {
    fn text(&self, found: &Found) -> String {
        let mut out = self.head(&found.notes);
        self.transports(&mut out);
        self.settings(&mut out);
        self.packet(found, &mut out);
        found.messages.iter().for_each(|message| message.print(&mut out));
        self.pool.print(&mut out);
        out
    }

    fn head(&self, notes: &[String]) -> String {
        let (name, outline) = (self.dissector.name(), self.outline);
        let mut out = String::new();
        comment(
            &format!(
                "The tables of {name}, written by `netkit fields {name} --as-toml`. The name of the protocol can be \
                 changed, but is none of the built-in ones."
            ),
            &mut out,
        );
        if !outline.left_out.is_empty() || !notes.is_empty() {
            comment("Left out:", &mut out);
        }
        outline.left_out.iter().for_each(|why| comment(&format!("- {why}"), &mut out));
        notes.iter().for_each(|why| comment(&format!("- {why}"), &mut out));
        out += &format!("protocol = {}\n", quoted(&format!("my_{name}")));
        out += &format!("doc      = {}\n", quoted(self.dissector.about()));
        out += &format!("encoding = \"{}\"\n", if self.big { "be" } else { "le" });
        out
    }

    fn transports(&self, out: &mut String) {
        if let Some(ports) = self.outline.udp {
            section("udp", &[Line::plain("ports", format!("{ports:?}"))], out);
        }
        let frames: Vec<String> = self.outline.tcp.iter().map(|frame| self.frame(frame)).collect();
        let port = self.dissector.port().filter(|_| self.outline.udp.is_none());
        let mut lines: Vec<Line> = port.map(|port| Line::plain("ports", format!("[{port}]"))).into_iter().collect();
        match &frames[..] {
            [] => return self.websocket(out),
            [one] => lines.push(Line::plain("frame", one.clone())),
            all => lines.push(Line::plain("frame", format!("[\n    {},\n]", all.join(",\n    ")))),
        }
        section("tcp", &lines, out);
        self.websocket(out);
    }

    fn websocket(&self, out: &mut String) {
        if self.outline.websocket {
            section("websocket", &[], out);
        }
    }

    fn frame(&self, frame: &crate::dissect::StreamFrame) -> String {
        let mut parts = Vec::new();
        if !frame.header.is_empty() {
            parts.push(format!("header = {}", quoted(frame.header)));
        }
        parts.push(format!("length = {}", quoted(frame.length)));
        let versions: Vec<&str> = frame.versions.to_vec();
        if let Some(when) = self.version_is(&versions).filter(|_| !versions.is_empty()) {
            parts.push(format!("if = {}", quoted(&when)));
        }
        format!("{{ {} }}", parts.join(", "))
    }

    /// The condition that the conversation has one of these versions; `None`: these are all.
    fn version_is(&self, versions: &[&str]) -> Option<String> {
        match versions {
            _ if versions.len() == self.versions.len() => None,
            [one] => Some(format!("version == {one}")),
            several => Some(format!("version in {}", several.join(", "))),
        }
    }

    fn settings(&self, out: &mut String) {
        let mut lines = Vec::new();
        if !self.versions.is_empty() {
            let doc = "which version is spoken";
            let value = quoted(self.outline.version);
            lines.push(Line::plain("version", format!("{{ default = {value}, doc = {} }}", quoted(doc))));
        }
        for setting in &self.asked {
            let (value, doc) = (quoted(setting.values[0]), quoted(setting.doc));
            lines.push(Line::plain(setting.name, format!("{{ default = {value}, doc = {doc} }}")));
        }
        if !self.outline.skip.is_empty() {
            let doc = quoted("bytes before the first message of a datagram");
            lines.push(Line::plain(self.outline.skip, format!("{{ default = 0, doc = {doc} }}")));
        }
        if !lines.is_empty() {
            section("settings", &lines, out);
        }
        let names = |names: &[&str]| -> Vec<Line> {
            names.iter().enumerate().map(|(k, name)| Line::plain(name, k.to_string())).collect()
        };
        if !self.versions.is_empty() {
            section("enum.version", &names(&self.versions), out);
        }
        for setting in &self.asked {
            section(&format!("enum.{}", setting.name), &names(setting.values), out);
        }
    }

    fn packet(&self, found: &Found, out: &mut String) {
        let mut lines = Vec::new();
        if !self.outline.skip.is_empty() {
            let size = quoted(self.outline.skip);
            lines.push(Line::plain("skipped", format!("{{ type = \"bytes\", size = {size}, optional = true }}")));
        }
        match self.outline.several {
            true => {
                lines.push(Line::plain("messages", quoted("one[*]")));
                section("packet.fields", &lines, out);
                section("struct.one", &found.head, out);
            }
            false => {
                lines.extend(found.head.iter().cloned());
                section("packet.fields", &lines, out);
            }
        }
    }
}
