//! The lines of `proto` hawknl: frames that GNE cannot explain.

use super::framing::Wrong;
use super::{FRAME, HEADER, PROTO, UNFINISHED};
use crate::codec::layout::Field;
use crate::codec::reader::UNPARSED;
use crate::codec::{Fault, Notes, Reader, Reason, Value};
use crate::dissect::{Dissection, Out, Role};
use crate::plural::Plural;
use std::fmt::Display;

fn begin<'a>(out: &'a mut Out<'_>, from: Role) -> &'a mut Dissection {
    let dissection = out.begin(PROTO);
    dissection.message = FRAME[0].name;
    dissection.from = from;
    dissection
}

fn whole(field: &'static Field, bytes: &[u8], dissection: &mut Dissection) {
    let bits = (bytes.len() as u32).saturating_mul(8);
    dissection.tree.push(field, Value::Bytes { bit: 0, bits }, 0, bits);
}

/// Reads a whole frame whose content is not GNE's.
pub fn content<'a>(bytes: &[u8], from: Role, out: &'a mut Out<'_>) -> &'a mut Dissection {
    let dissection = begin(out, from);
    let outcome = Reader::new(bytes, &mut dissection.tree).named(PROTO, FRAME[0].name).read(FRAME[0].fields);
    dissection.ended(outcome);
    dissection
}

/// Notes how much of `all` is there.
fn cut(gap: bool, there: usize, all: &dyn Display, notes: &mut Notes) {
    if gap {
        let text = format_args!("the rest of the frame is in the missing bytes: {there} of {all} are there");
        notes.note("hawknl.unfinished", text);
    } else {
        notes.warn("hawknl.unfinished", format_args!("the frame was never finished: {there} of {all} arrived"));
    }
}

/// Reads a frame that was never finished, with its header. `gap`: the rest is missing in the capture.
pub fn unfinished<'a>(length: usize, bytes: &[u8], from: Role, gap: bool, out: &'a mut Out<'_>) -> &'a mut Dissection {
    let dissection = begin(out, from);
    let outcome = Reader::new(bytes, &mut dissection.tree).named(PROTO, FRAME[0].name).read(&UNFINISHED);
    dissection.ended(outcome);
    let (there, all) = (bytes.len().saturating_sub(HEADER), Plural(length, "byte"));
    if there == 0 && !gap {
        let text = format_args!("a lone header: what it announces, {all}, was never sent");
        dissection.notes.note("hawknl.unfinished", text);
    } else {
        cut(gap, there, &all, &mut dissection.notes);
    }
    dissection
}

/// Reads the beginning of a header that was never finished. `gap`: the rest is missing in the capture.
pub fn stub<'a>(bytes: &[u8], from: Role, gap: bool, out: &'a mut Out<'_>) -> &'a mut Dissection {
    let dissection = begin(out, from);
    whole(&UNPARSED, bytes, dissection);
    cut(gap, bytes.len(), &"the 4 bytes of its header", &mut dissection.notes);
    dissection
}

/// Reads bytes that belong to no frame. `gap`: they follow missing bytes, in which their frame may have begun.
pub fn noise<'a>(wrong: Wrong, bytes: &[u8], from: Role, gap: bool, out: &'a mut Out<'_>) -> &'a mut Dissection {
    let dissection = begin(out, from);
    whole(&UNPARSED, bytes, dissection);
    let count = Plural(bytes.len(), "byte");
    if gap {
        let text = format_args!("{count} of a frame that began in the missing bytes");
        dissection.notes.note("hawknl.out_of_sync", text);
        return dissection;
    }
    let (name, bit, what) = match wrong {
        Wrong::Magic => ("magic", 0, "not 4e 4c"),
        Wrong::Length => ("length", 16, "not a length of 1 to 16384"),
    };
    let have = (bytes.len() as u64 * 8).saturating_sub(bit);
    let path = format!("{PROTO}.{}.{name}", FRAME[0].name);
    dissection.fault = Some(Fault { path, ..Fault::new(Reason::Undefined(what), bit as u32, 0, have) });
    let text = format_args!("{count} of no frame: the library never recovers from this");
    dissection.notes.error("hawknl.out_of_sync", text);
    dissection
}
