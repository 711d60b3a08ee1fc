//! Messages as hex text with offsets, for `netkit dump` and Wireshark's text2pcap.

use super::form::Form;
use super::times::seconds;
use crate::dissect::{Message, Role, Wants};
use std::io::Write as _;

/// Writes a comment, the direction with the time (as `text2pcap -D -t %s.%f` reads them), and the bytes of
/// each message.
#[derive(Debug)]
pub struct Hexdump;

impl Form for Hexdump {
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        let place = message.place;
        // Writing to memory does not fail.
        let _ = writeln!(out, "# {}.{}", message.dissection.proto, message.dissection.message);
        match message.dissection.from {
            Role::Client => out.push(b'I'),
            Role::Server => out.push(b'O'),
            Role::Unknown => {}
        }
        if place.time.digits > 0 {
            out.push(b' ');
            seconds(place.time, out);
        }
        if out.last() != Some(&b'\n') {
            out.push(b'\n');
        }
        for (k, row) in place.bytes.chunks(16).enumerate() {
            // Two blanks: a single byte after one blank would be ambiguous.
            let _ = write!(out, "{:06x} ", k * 16);
            row.iter().for_each(|byte| {
                let _ = write!(out, " {byte:02x}");
            });
            out.push(b'\n');
        }
        out.push(b'\n');
    }

    fn reads(&self) -> Wants {
        Wants::FIELDS
    }

    fn divide(&mut self) -> bool {
        true
    }
}
