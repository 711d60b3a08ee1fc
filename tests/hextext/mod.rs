//! The reader of hex text: every form it reads, the texts it refuses and the place it names, and that each written form
//! reads back.

mod fixtures;
mod forms;
mod refused;
mod written;

use netkit::capture::LinkType;
use netkit::capture::hextext::{Form, HexError, HexText};

/// A message as the tests compare it: form, link type, first line, bytes.
type Message = (Form, Option<LinkType>, usize, Vec<u8>);

/// Reads all messages of a text.
fn read(text: &[u8]) -> Result<Vec<Message>, HexError> {
    read_with(HexText::new(text))
}

fn read_with(mut reader: HexText<&[u8]>) -> Result<Vec<Message>, HexError> {
    let mut messages = Vec::new();
    while let Some(block) = reader.next()? {
        messages.push((block.form, block.link, block.line, block.bytes.to_vec()));
    }
    Ok(messages)
}
