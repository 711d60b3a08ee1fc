//! Joins fragments to messages: unmasks each, and inflates the message after the last one.

use super::frame::{self, Head};
use super::{Carrier, CarrierStep, Content, Direction, deflate};

/// The most bytes of the heads of one message's frames.
const MOST_HEADS: usize = 1 << 20;
use crate::dissect::{Out, Role, Unit, UnitKind};
use crate::flow::{Side, Stream};

impl Carrier {
    /// Reads one frame of a message.
    pub(super) fn fragment(
        &mut self,
        side: Side,
        stream: &mut Stream,
        head: &Head,
        content: &mut dyn Content,
        out: &mut Out<'_>,
    ) -> CarrierStep {
        let whole = head.whole() as usize;
        let payload = stream.bytes().get(head.size..whole).unwrap_or_default();
        let mut frames = std::mem::take(&mut self.stream.frames);
        let anew = self.agreed.is_some_and(|agreed| match content.roles().of(side) {
            Role::Client => agreed.client_anew,
            Role::Server => agreed.server_anew,
            Role::Unknown => false,
        });
        let deflates = self.agreed.is_none_or(|agreed| agreed.deflate);
        let direction = self.at(side);
        let message = &mut direction.message;
        if message.bytes.len() + payload.len() > deflate::LARGEST || direction.heads.len() > MOST_HEADS {
            self.stream.frames = frames;
            out.unit = None;
            self.data_line(side, Some("a message larger than 16 MiB"), content, out);
            self.frame_line(side, stream, head, "a message larger than 16 MiB", content, out);
            stream.consume(whole);
            return CarrierStep::Done;
        }
        let old = message.bytes.len();
        message.bytes.extend_from_slice(payload);
        if let (Some(key), Some(new)) = (head.mask, message.bytes.get_mut(old..)) {
            frame::mask(new, key);
        }
        direction.heads.extend_from_slice(stream.bytes().get(..head.size).unwrap_or_default());
        message.unmasked |= head.mask.is_none() && content.roles().of(side) == Role::Client;
        let end = stream.offset() + whole as u64;
        message.origin = stream.origin(end.saturating_sub(1)).unwrap_or_default();
        stream.frames_of(stream.offset()..end, &mut frames);
        for frame in frames.drain(..) {
            if message.frames.last() != Some(&frame) && message.frames.len() < super::MOST_FRAMES {
                message.frames.push(frame);
            }
        }
        self.stream.frames = frames;
        stream.consume(whole);
        let ratio = self.ratio;
        let direction = self.at(side);
        let Some(begun) = direction.begun.filter(|_| head.fin) else { return CarrierStep::Done };
        // A message without bytes, or a broken one, is shown with its frames.
        out.unit = Some(Unit { start: direction.start, end, kind: UnitKind::Carrier });
        match begun.rsv {
            0 => {}
            4 if deflates => {
                let Direction { message, inflater, inflated, .. } = direction;
                if let Err(what) = inflater.inflate(&message.bytes, anew, ratio, inflated) {
                    inflated.shrink_to(1 << 16);
                    self.data_line(side, Some(what), content, out);
                    return CarrierStep::Done;
                }
                if inflated.is_empty() {
                    self.data_line(side, None, content, out);
                    return CarrierStep::Done;
                }
                std::mem::swap(&mut message.bytes, inflated);
                inflated.shrink_to(1 << 16);
            }
            _ => {
                self.data_line(side, Some("reserved bits without a negotiated extension"), content, out);
                return CarrierStep::Done;
            }
        }
        if self.at(side).message.bytes.is_empty() {
            self.data_line(side, None, content, out);
            return CarrierStep::Done;
        }
        out.unit = out.unit.map(|unit| Unit { kind: UnitKind::Carried, ..unit });
        CarrierStep::Message
    }
}
