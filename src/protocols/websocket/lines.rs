//! The carrier's own lines.

use super::frame::{self, CONTROL_MOST, Head, opcode};
use super::layout::Message;
use super::{Carrier, Content, NAME, http, layout};
use crate::codec::layout::Field;
use crate::codec::reader::UNPARSED;
use crate::codec::{Fault, Reason, Tree, Value};
use crate::dissect::delivery::{Event, Step};
use crate::dissect::{Dissection, Farewell, Out, Provenance, Role, Roles, Unit, UnitKind};
use crate::flow::{Side, Stream};
use std::ops::Range;

/// A range of bytes as bits, up to the largest that fits.
fn bits(start: usize, length: usize) -> (u32, u32) {
    let bits = |bytes: usize| bytes.min((1 << 28) - 1) as u32 * 8;
    (bits(start), bits(length))
}

fn bytes_value(start: usize, length: usize) -> Value {
    let (bit, bits) = bits(start, length);
    Value::Bytes { bit, bits }
}

/// The bytes as text, or as raw bits if they are not text.
fn text_value(bytes: &[u8], start: usize) -> Value {
    let (bit, bits) = bits(start, bytes.len());
    if std::str::from_utf8(bytes).is_ok() { Value::Text { bit, bits } } else { Value::Raw { bit, bits } }
}

/// Appends the bytes of a field.
fn push(tree: &mut Tree, field: &'static Field, start: usize, length: usize) {
    let (bit, bits) = bits(start, length);
    tree.push(field, Value::Bytes { bit, bits }, bit, bits);
}

/// Appends the text of a field.
fn push_text(tree: &mut Tree, field: &'static Field, range: Range<usize>, bytes: &[u8]) {
    let (bit, bits) = bits(range.start, range.len());
    tree.push(field, text_value(bytes.get(range.clone()).unwrap_or_default(), range.start), bit, bits);
}

fn fault(dissection: &mut Dissection, path: &str, reason: Reason, start: usize, length: usize) {
    let (bit, have) = bits(start, length);
    let path = format!("{NAME}.{}{path}", dissection.message);
    dissection.fault = Some(Fault { path, ..Fault::new(reason, bit, 0, have as u64) });
}

impl Carrier {
    fn begin<'d>(&mut self, side: Side, message: Message, roles: &Roles, out: &'d mut Out<'_>) -> &'d mut Dissection {
        let dissection = out.begin(NAME);
        (dissection.message, dissection.from) = (message.name(), roles.of(side));
        self.stream.note_gap(side, dissection);
        dissection
    }

    fn emit(&mut self, side: Side, stream: &Stream, length: usize, content: &mut dyn Content, out: &mut Out<'_>) {
        content.line(side, out.dissection);
        let mut frames = std::mem::take(&mut self.stream.frames);
        let start = stream.offset();
        out.unit = Some(Unit { start, end: start + length as u64, kind: UnitKind::Carrier });
        out.emit(&Provenance::in_stream(side, stream, 0, length, &mut frames));
        self.stream.frames = frames;
    }

    /// Emits a complete HTTP head and its body.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn head_line(
        &mut self,
        side: Side,
        stream: &Stream,
        head: &http::Head,
        end: usize,
        body: usize,
        content: &mut dyn Content,
        out: &mut Out<'_>,
    ) {
        let bytes = stream.bytes();
        let name = if head.status.is_some() { Message::UpgradeResponse } else { Message::UpgradeRequest };
        let dissection = self.begin(side, name, content.roles(), out);
        push_text(&mut dissection.tree, &layout::HEAD, 0..end, bytes);
        if body > 0 {
            push_text(&mut dissection.tree, &layout::BODY, end..end + body, bytes);
        }
        if head.status.is_none() {
            push_text(&mut dissection.derived, &layout::TARGET, head.target.clone(), bytes);
        }
        if let Some(range) = head.extensions.clone() {
            push_text(&mut dissection.derived, &layout::EXTENSIONS, range, bytes);
        }
        if let Some(status) = head.status {
            dissection.derived.push(&layout::STATUS, Value::UInt(status as u64), 0, 0);
            if status != 101 {
                let text = format_args!("the upgrade was answered with status {status}");
                dissection.notes.warn("websocket.refused", text);
                dissection.delivery.push(Event::Step(Step::Refused("http")));
                dissection.farewell =
                    Some(Box::new(Farewell { code: format!("status {status}").into(), words: "".into() }));
            }
        }
        self.emit(side, stream, end + body, content, out);
    }

    /// Emits a head or body that is not complete: the next `length` bytes.
    pub(super) fn cut_head(
        &mut self,
        side: Side,
        length: usize,
        stream: &mut Stream,
        content: &mut dyn Content,
        out: &mut Out<'_>,
    ) {
        let bytes = stream.bytes().get(..length).unwrap_or_default();
        let answers = bytes.starts_with(b"HT") || content.roles().of(side) == Role::Server;
        let name = if answers { Message::UpgradeResponse } else { Message::UpgradeRequest };
        // Bytes that begin no head have none, even with an empty line in them.
        let end = if http::begins(bytes) == Some(false) { 0 } else { http::end(bytes, 0).unwrap_or(0) };
        let dissection = self.begin(side, name, content.roles(), out);
        if end > 0 {
            push_text(&mut dissection.tree, &layout::HEAD, 0..end, bytes);
        }
        let rest = bytes.len() - end;
        if rest > 0 {
            push(&mut dissection.tree, &UNPARSED, end, rest);
        }
        let (path, reason) = match end {
            0 => (".head", Reason::Unterminated),
            _ => (".body", Reason::Short),
        };
        fault(dissection, path, reason, end, rest);
        (self.at(side).searched, self.at(side).awaited) = (0, 0);
        self.emit(side, stream, length, content, out);
        stream.consume(length);
    }

    /// Emits an incomplete frame, or bytes in which none begins.
    pub(super) fn cut_frame(&mut self, side: Side, stream: &mut Stream, content: &mut dyn Content, out: &mut Out<'_>) {
        let bytes = stream.bytes();
        let direction = self.at(side);
        let unseen = direction.unseen.filter(|_| direction.lost);
        let dissection = self.begin(side, Message::Frame, content.roles(), out);
        push(&mut dissection.tree, &UNPARSED, 0, bytes.len());
        // Where the direction is out of step, the bytes begin no frame that could need more.
        match unseen {
            Some(unseen) => fault(dissection, "", Reason::Undefined(unseen.rest()), 0, bytes.len()),
            None => {
                let need = Head::read(bytes).map_or(0, |head| head.whole().saturating_mul(8));
                fault(dissection, "", Reason::Short, 0, bytes.len());
                dissection.fault.iter_mut().for_each(|fault| fault.need = need);
            }
        }
        self.emit(side, stream, bytes.len(), content, out);
        stream.consume(stream.bytes().len());
    }

    /// Begins the line of a frame: its mask, and its head if the fields do not determine it. Returns the source with
    /// the unmasked payload, where it has the same place.
    fn framed(&mut self, stream: &Stream, side: Side, head: &Head, roles: &Roles, dissection: &mut Dissection) -> u8 {
        let bytes = stream.bytes();
        let whole = bytes.get(..head.whole() as usize).unwrap_or(bytes);
        let mut source = 0;
        if let Some(key) = head.mask {
            push(&mut dissection.tree, &layout::MASK, head.size.saturating_sub(4), 4);
            let (number, plain) = dissection.source();
            plain.extend_from_slice(whole);
            if let Some(payload) = plain.get_mut(head.size..) {
                frame::mask(payload, key);
            }
            source = number;
        } else if roles.of(side) == Role::Client {
            dissection.notes.warn("websocket.unmasked", format_args!("a client's frame without mask"));
        }
        // The length is that of the captured bytes, except for a frame that is never complete.
        let there = whole.len().saturating_sub(head.size) as u64;
        if bytes.get(..head.size) != Some(&frame::head(head.opcode, head.mask, there)[..]) {
            push(&mut dissection.derived, &layout::HEADER, 0, head.size);
        }
        source
    }

    /// Emits a close, ping or pong.
    pub(super) fn control_line(
        &mut self,
        side: Side,
        stream: &Stream,
        head: &Head,
        content: &mut dyn Content,
        out: &mut Out<'_>,
    ) {
        let name = match head.opcode {
            opcode::CLOSE => Message::Close,
            opcode::PING => Message::Ping,
            _ => Message::Pong,
        };
        let dissection = self.begin(side, name, content.roles(), out);
        let source = self.framed(stream, side, head, content.roles(), dissection);
        let (start, length) = (head.size, head.length as usize);
        dissection.tree.set_source(source);
        if head.opcode == opcode::CLOSE {
            dissection.delivery.push(Event::Step(Step::Left("close")));
        }
        match (head.opcode, length) {
            (opcode::CLOSE, 0) => {}
            (opcode::CLOSE, 1) => {
                push(&mut dissection.tree, &UNPARSED, start, 1);
                fault(dissection, ".code", Reason::Short, start, 1);
                dissection.fault.iter_mut().for_each(|fault| fault.need = 16);
            }
            (opcode::CLOSE, _) => {
                let plain =
                    dissection.sources(stream.bytes()).get(source).get(start..start + length).unwrap_or_default();
                let code = plain.first_chunk().map_or(0, |two| u16::from_be_bytes(*two));
                let words = String::from_utf8_lossy(plain.get(2..).unwrap_or_default());
                let farewell = Farewell { code: code.to_string().into(), words: words.into() };
                let reason = text_value(plain.get(2..).unwrap_or_default(), start + 2);
                let (bit, count) = bits(start, length);
                dissection.tree.push(&layout::CODE, Value::UInt(code as u64), bit, 16);
                if length > 2 {
                    dissection.tree.push(&layout::REASON, reason, bit + 16, count - 16);
                }
                dissection.farewell = Some(Box::new(farewell));
            }
            _ => push(&mut dissection.tree, &layout::DATA, start, length),
        }
        let what = match head {
            Head { length, .. } if *length > CONTROL_MOST => Some("a control frame with more than 125 bytes"),
            Head { fin: false, .. } => Some("a fragmented control frame"),
            Head { rsv: 1.., .. } => Some("a control frame with reserved bits"),
            _ => None,
        };
        if let Some(what) = what {
            fault(dissection, "", Reason::Undefined(what), 0, head.whole() as usize);
        }
        self.emit(side, stream, head.whole() as usize, content, out);
    }

    /// Emits a frame that belongs to no message.
    pub(super) fn frame_line(
        &mut self,
        side: Side,
        stream: &Stream,
        head: &Head,
        what: &'static str,
        content: &mut dyn Content,
        out: &mut Out<'_>,
    ) {
        let there = stream.bytes().len().min(head.whole() as usize);
        let dissection = self.begin(side, Message::Frame, content.roles(), out);
        let source = self.framed(stream, side, head, content.roles(), dissection);
        dissection.tree.push(&layout::OPCODE, Value::UInt(head.opcode as u64), 0, 4);
        dissection.tree.set_source(source);
        let length = there.saturating_sub(head.size);
        if length > 0 {
            push(&mut dissection.tree, &UNPARSED, head.size, length);
        }
        fault(dissection, ".opcode", Reason::Undefined(what), 0, there);
        self.emit(side, stream, there, content, out);
    }

    /// Emits a message without bytes, or (`what`) a broken one with its bytes so far. The message is dropped.
    pub(super) fn data_line(
        &mut self,
        side: Side,
        what: Option<&'static str>,
        content: &mut dyn Content,
        out: &mut Out<'_>,
    ) {
        let gap = self.stream.take_gap(side);
        let direction = self.at(side);
        let begun = direction.begun;
        let heads = std::mem::take(&mut direction.heads);
        let message = self.take(side);
        self.stream.lose(side, gap.unwrap_or(0));
        let name = if begun.is_some_and(|b| b.opcode == opcode::TEXT) { Message::Text } else { Message::Binary };
        let dissection = self.begin(side, name, content.roles(), out);
        if message.unmasked {
            dissection.notes.warn("websocket.unmasked", format_args!("a client's frame without mask"));
        }
        let length = message.bytes.len();
        let (source, buffer) = dissection.source();
        buffer.extend_from_slice(&message.bytes);
        dissection.tree.set_source(source);
        dissection.derived.set_source(source);
        // A message that inflates to nothing has no bytes to show, but has wire bytes.
        let hollow = what.is_none() && length > 0;
        push(&mut dissection.tree, &layout::PAYLOAD, 0, if hollow { 0 } else { length });
        if hollow {
            dissection.derived.push(&layout::COMPRESSED, bytes_value(0, length), 0, 0);
        }
        let wire = frame::rebuild(&heads, &message.bytes);
        if heads != frame::head(begun.map_or(opcode::BINARY, |b| b.opcode), None, length as u64) {
            let (source, buffer) = dissection.source();
            buffer.extend_from_slice(&heads);
            dissection.derived.set_source(source);
            dissection.derived.push(&layout::HEADER, bytes_value(0, heads.len()), 0, 0);
        }
        if let Some(what) = what {
            fault(dissection, ".payload", Reason::Undefined(what), 0, wire.len());
        }
        content.line(side, dissection);
        out.emit(&Provenance {
            side,
            bytes: &wire,
            length: wire.len(),
            frame: message.origin.frame,
            frames: if message.frames.len() > 1 { &message.frames } else { &[] },
            time: message.origin.time,
        });
        self.give_back(side, message);
    }
}
