//! Writes the messages of one conversation that rules have changed.

use crate::dissect::{Encoder, Rewriter};
use crate::live::rules::Put;
use crate::message::OwnedMessage;
use serde_json::Value as Json;

/// At most this many numbers of a message are tried.
const NUMBERS: usize = 64;

/// What writes the messages of one conversation.
pub(super) struct Writing {
    pub encoder: Box<dyn Encoder>,
    pub rewriter: Option<Box<dyn Rewriter>>,
}

impl Writing {
    /// Whether the values that stand in the place of the payload's bytes would be written as these: what a
    /// rule does not change has to stay as it is.
    pub fn reads_back(
        &mut self,
        said: &OwnedMessage,
        edited: &OwnedMessage,
        flow: u64,
        bytes: &[u8],
    ) -> Result<(), String> {
        let payload = |fields: &Json| fields.get("payload").cloned();
        let (Some((_, values)), Some(Json::String(hex))) = (said.opened(), payload(said.to_json())) else {
            return Ok(());
        };
        // JSON may be spaced and escaped otherwise.
        let json = || Some(serde_json::from_slice::<Json>(&hex::decode(&hex).ok()?).ok()? == *values);
        if payload(edited.to_json()).is_none_or(|payload| payload.is_string()) || json() == Some(true) {
            return Ok(());
        }
        let mut fields = said.to_json().clone();
        fields["payload"] = values.clone();
        match self.encoder.encode(&said.clone().with_fields(fields).line(flow)) {
            Ok(same) if same == bytes => Ok(()),
            Ok(_) => Err("its payload, written again, has other bytes".into()),
            Err(error) => Err(format!("its payload cannot be written: {error}")),
        }
    }

    /// The edited message without the lengths, counts and checksums that were shown: the encoder derives them. They
    /// are the numbers without which the message, before it was edited, has the same bytes.
    pub fn follows(
        &mut self,
        said: &OwnedMessage,
        edited: OwnedMessage,
        puts: &[Put],
        flow: u64,
        bytes: &[u8],
    ) -> OwnedMessage {
        let (mut fields, mut packet) = (edited.to_json().clone(), edited.packet_json().clone());
        for header in [false, true] {
            let (whole, changed) = match header {
                true => (said.packet_json(), &mut packet),
                false => (said.to_json(), &mut fields),
            };
            let mut found = Vec::new();
            numbers(whole, "", &mut found);
            for pointer in
                found.iter().filter(|p| !puts.iter().any(|put| put.in_header() == header && put.at(p))).take(NUMBERS)
            {
                let mut without = whole.clone();
                take(&mut without, pointer);
                let without = match header {
                    true => said.clone().with_packet(without),
                    false => said.clone().with_fields(without),
                };
                if self.encoder.encode(&without.line(flow)).is_ok_and(|same| same == bytes) {
                    take(changed, pointer);
                }
            }
        }
        if edited.packet_json().is_null() {
            edited.with_fields(fields)
        } else {
            edited.with_fields(fields).with_packet(packet)
        }
    }
}

/// The pointers to all numbers that are not in lists.
fn numbers(value: &Json, path: &str, out: &mut Vec<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let own = format!("{path}/{name}");
        match value {
            Json::Number(_) => out.push(own),
            other => numbers(other, &own, out),
        }
    }
}

/// Takes a value out of its object.
fn take(root: &mut Json, pointer: &str) {
    let Some((around, name)) = pointer.rsplit_once('/') else { return };
    root.pointer_mut(around).and_then(Json::as_object_mut).map(|map| map.shift_remove(name));
}
