//! The values of columns.

use super::{Source, Value};
use crate::capture::Time;
use crate::codec::json::fields::Walks;
use crate::codec::json::line::Stage;
use crate::codec::json::numbers::uint;
use crate::codec::json::text::hex;
use crate::codec::{Sources, Tree};
use crate::dissect::Message;
use crate::filter::FieldPath;
use crate::render::envelope;
use crate::render::files::FileNames;
use crate::render::times::{Clock, TimeForm};

/// Evaluates columns.
#[derive(Debug)]
pub(super) struct Values {
    clock: Clock,
    /// The form of times.
    pub time: TimeForm,
    walks: Walks,
    stage: Stage,
    files: Option<FileNames>,
}

impl Values {
    pub fn new(time: TimeForm, files: Option<FileNames>) -> Values {
        Values { clock: Clock::default(), time, walks: Walks::default(), stage: Stage::default(), files }
    }

    /// Starts a capture at this time.
    pub fn origin(&mut self, time: Time) {
        self.clock.origin(time);
    }

    /// Appends a tree as an object.
    fn object(&mut self, tree: &Tree, sources: Sources<'_>, out: &mut Vec<u8>) {
        self.stage.line(out, |line| {
            line.constant(b"{");
            self.walks.fields(tree, sources, line);
        });
    }

    /// Appends the value of a column, as JSON. Appends nothing, or `null`, if the message has no such value.
    pub fn append(&mut self, value: &Value, message: &Message<'_>, out: &mut Vec<u8>) {
        let place = message.place;
        let key = match value {
            Value::Path(path) => return path_value(path, message, out),
            Value::Key(key) => *key,
        };
        match key {
            Source::File | Source::FileFrame if place.frame > 0 => {
                if let Some(files) = &mut self.files {
                    let (name, own) = files.of(place.frame);
                    match key {
                        Source::File => out.extend_from_slice(name),
                        _ => uint(own, out),
                    }
                }
            }
            Source::Frame if place.frame > 0 => uint(place.frame, out),
            Source::Flow if message.flow_info.flow > 0 => uint(message.flow_info.flow, out),
            Source::Time if place.frame > 0 => {
                let quoted = matches!(self.time, TimeForm::Utc) || is_local(self.time);
                out.extend(quoted.then_some(b'"'));
                self.clock.plain(self.time, place.time, out);
                out.extend(quoted.then_some(b'"'));
            }
            Source::Frames if place.frame > 0 => {
                let own = [place.frame];
                let frames = if place.frames.is_empty() { &own } else { place.frames };
                self.stage.line(out, |line| envelope::frames(frames, line));
            }
            Source::Related if !message.dissection.related.is_empty() => {
                self.stage.line(out, |line| envelope::related(message, line));
            }
            Source::Notes if !message.dissection.notes.is_empty() => {
                self.stage.line(out, |line| envelope::notes(message, line));
            }
            Source::Fault if message.dissection.fault.is_some() => {
                envelope::fault(message, out);
            }
            Source::Part => {
                if let Some((part, of)) = message.dissection.part {
                    self.stage.line(out, |line| envelope::part(part, of, line));
                }
            }
            Source::Packet if !message.dissection.packet.is_empty() => {
                self.object(&message.dissection.packet, message.sources(), out);
            }
            Source::Fields => self.object(&message.dissection.tree, message.sources(), out),
            Source::Derived => {
                let (dissection, sources) = (message.dissection, message.sources());
                let trees = [&dissection.packet, &dissection.tree];
                let walks = &mut self.walks;
                self.stage.line(out, |line| walks.derived(trees, &dissection.derived, sources, false, line));
            }
            Source::Bytes => {
                out.push(b'"');
                hex(place.bytes, out);
                out.push(b'"');
            }
            _ => {}
        }
    }
}

#[cfg(feature = "cli")]
pub(super) fn is_local(form: TimeForm) -> bool {
    form == TimeForm::Local
}

#[cfg(not(feature = "cli"))]
pub(super) fn is_local(_: TimeForm) -> bool {
    false
}

/// Appends a field's value, or an array of values if its path leads through the elements of a list.
fn path_value(path: &FieldPath, message: &Message<'_>, out: &mut Vec<u8>) {
    let (start, mut count, mut list) = (out.len(), 0, false);
    path.each(message, |found| {
        match count {
            0 => {
                list = path.repeats(found, message);
                out.extend(list.then_some(b'['));
            }
            1 if !list => {
                // Several fields have the same name, for example the members of a choice.
                list = true;
                out.insert(start, b'[');
                out.push(b',');
            }
            _ => out.push(b','),
        }
        count += 1;
        path.json(found, message, out);
    });
    out.extend(list.then_some(b']'));
}
