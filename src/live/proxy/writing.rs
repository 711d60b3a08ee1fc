//! Writes the messages of one conversation that rules have changed.

use crate::codec::EncodeError;
use crate::dissect::{Encoder, Line, Rewriter};
use crate::live::rules::Put;
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The maximum number of numbers in a message that are tried.
const NUMBERS: usize = 64;
/// The maximum number of messages that are encoded for this in a packet: the relay waits for it.
const ENCODED: usize = 4096;

/// The writers of the messages of one conversation.
pub(super) struct Writing {
    pub encoder: Box<dyn Encoder>,
    pub rewriter: Option<Box<dyn Rewriter>>,
}

impl Writing {
    /// Returns the bytes of a packet with these messages. They are encoded together, since they share headers.
    fn encode(&mut self, messages: &[OwnedMessage], flow: u64) -> Result<Vec<u8>, EncodeError> {
        let of = messages.len() as u64;
        for (message, number) in messages.iter().zip(1..) {
            let part = Some((number, of)).filter(|_| of > 1);
            match self.encoder.part(&Line { part, ..message.line(flow) }) {
                Ok(Some(bytes)) => return Ok(bytes),
                Ok(None) => {}
                Err(error) => {
                    // The next packet does not continue this one.
                    let _ = self.encoder.unfinished();
                    return Err(error);
                }
            }
        }
        Ok(Vec::new())
    }

    /// Whether the encoder writes the values that replace the payload's bytes as these same bytes, since a rule must
    /// not change anything else.
    fn reads_back(
        &mut self,
        old: &[OwnedMessage],
        which: usize,
        edited: &OwnedMessage,
        flow: u64,
        bytes: &[u8],
    ) -> Result<(), String> {
        let payload = |fields: &Json| fields.get("payload").cloned();
        let Some((_, values)) = old[which].opened() else { return Ok(()) };
        // Another compressor gives other bytes for the same content.
        let plain = self.encoder.uncompressed(&old[which].line(flow));
        let mut again = old.to_vec();
        let mut wanted = Ok(bytes.to_vec());
        if let Some(fields) = &plain {
            again[which] = old[which].clone().with_fields(fields.clone());
            wanted = self.encode(&again, flow);
        }
        let mut fields = plain.unwrap_or_else(|| old[which].to_json().clone());
        let hex = match payload(&fields) {
            Some(Json::String(hex)) => hex,
            Some(_) => return Ok(()),
            // Its bytes have another name.
            None => String::new(),
        };
        // JSON may be spaced and escaped otherwise.
        let json = || Some(serde_json::from_slice::<Json>(&hex::decode(&hex).ok()?).ok()? == *values);
        if payload(edited.to_json()).is_none_or(|payload| payload.is_string()) || json() == Some(true) {
            return Ok(());
        }
        fields["payload"] = values.clone();
        again[which] = old[which].clone().with_fields(fields);
        match (self.encode(&again, flow), wanted) {
            (Ok(same), Ok(wanted)) if same == wanted => Ok(()),
            (Ok(_), Ok(_)) => Err("its payload, encoded again, differs from the original".into()),
            (Err(error), _) | (_, Err(error)) => Err(format!("its payload cannot be written: {error}")),
        }
    }

    /// Returns the bytes of a packet after its changes. The derived lengths, counts and checksums are written anew: a
    /// number is derived if the original packet without it has the same bytes.
    ///
    /// # Errors
    /// The reason why the packet cannot be changed.
    pub fn changed(
        &mut self,
        old: &[OwnedMessage],
        changes: &[Change],
        flow: u64,
        bytes: &[u8],
    ) -> Result<Vec<u8>, String> {
        match self.encode(old, flow) {
            Ok(same) if same == bytes => {}
            Ok(_) => return Err("the message, encoded again, differs from the original".into()),
            Err(error) => return Err(format!("it cannot be written: {error}")),
        }
        let put = |header: bool, pointer: &str| {
            let mut puts = changes.iter().filter_map(Change::edited).flat_map(|(puts, _)| puts);
            puts.any(|put| put.in_header() == header && put.at(pointer))
        };
        let mut left = ENCODED;
        let mut spend = || {
            left = left.checked_sub(old.len()).ok_or("its datagram has too many messages")?;
            Ok::<(), String>(())
        };
        let mut new: Vec<Option<OwnedMessage>> = Vec::new();
        for (which, change) in changes.iter().enumerate() {
            let Some((_, edited)) = change.edited() else {
                new.push(old.get(which).cloned().filter(|_| !change.is_drop()));
                continue;
            };
            spend()?;
            self.reads_back(old, which, edited, flow, bytes)?;
            let mut fields = edited.to_json().clone();
            for pointer in places(old[which].to_json()).filter(|pointer| !put(false, pointer)) {
                spend()?;
                let mut without = old.to_vec();
                without[which] = without_field(&old[which], &pointer);
                if self.encode(&without, flow).is_ok_and(|same| same == bytes) {
                    take(&mut fields, &pointer);
                }
            }
            new.push(Some(edited.clone().with_fields(fields)));
        }
        // The messages of a packet share headers.
        let headers: BTreeSet<String> = old.iter().flat_map(|message| places(message.packet_json())).collect();
        for pointer in headers.iter().filter(|pointer| !put(true, pointer)).take(NUMBERS) {
            spend()?;
            let without: Vec<_> = old.iter().map(|message| without_header(message, pointer)).collect();
            if self.encode(&without, flow).is_ok_and(|same| same == bytes) {
                new.iter_mut().flatten().for_each(|message| *message = without_header(message, pointer));
            }
        }
        let mut new: Vec<OwnedMessage> = new.into_iter().flatten().collect();
        let alone = self.encode(&new, flow);
        if alone.is_ok() || new.len() < 2 {
            return alone.map_err(|error| error.to_string());
        }
        // A changed field of a shared header is changed for all.
        for put in changes.iter().filter_map(Change::edited).flat_map(|(puts, _)| puts).filter(|put| put.in_header()) {
            for message in &mut new {
                if message.packet_json().pointer(&put.pointer).is_some() {
                    *message = put.put_into(message.clone());
                }
            }
        }
        self.encode(&new, flow).map_err(|error| error.to_string())
    }
}

/// The outcome of the rules for one message of a packet.
#[derive(Default)]
pub(super) enum Change {
    /// It stays as it is.
    #[default]
    Kept,
    /// It is removed.
    Dropped,
    /// Values are put into it: the message with them.
    Edited(Vec<Put>, Box<OwnedMessage>),
}

impl Change {
    fn edited(&self) -> Option<(&[Put], &OwnedMessage)> {
        if let Change::Edited(puts, message) = self { Some((puts, message)) } else { None }
    }

    fn is_drop(&self) -> bool {
        matches!(self, Change::Dropped)
    }
}

/// Returns the pointers to the numbers that are tried.
fn places(value: &Json) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    numbers(value, "", &mut found);
    found.into_iter().take(NUMBERS)
}

fn without_field(message: &OwnedMessage, pointer: &str) -> OwnedMessage {
    let mut fields = message.to_json().clone();
    take(&mut fields, pointer);
    message.clone().with_fields(fields)
}

fn without_header(message: &OwnedMessage, pointer: &str) -> OwnedMessage {
    let mut packet = message.packet_json().clone();
    take(&mut packet, pointer);
    message.clone().with_packet(packet)
}

/// Collects the pointers to all numbers that are not in lists.
fn numbers(value: &Json, path: &str, out: &mut Vec<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let own = format!("{path}/{name}");
        match value {
            Json::Number(_) => out.push(own),
            other => numbers(other, &own, out),
        }
    }
}

/// Removes a value from its object.
fn take(root: &mut Json, pointer: &str) {
    let Some((around, name)) = pointer.rsplit_once('/') else { return };
    root.pointer_mut(around).and_then(Json::as_object_mut).map(|map| map.shift_remove(name));
}
