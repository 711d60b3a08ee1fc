//! Writes the messages of one conversation that rules have changed.

use crate::dissect::{Encoder, Rewriter};
use crate::live::rules::Put;
use crate::message::OwnedMessage;
use serde_json::Value as Json;

/// The maximum number of numbers in a message that are tried.
const NUMBERS: usize = 64;

/// The writers of the messages of one conversation.
pub(super) struct Writing {
    pub encoder: Box<dyn Encoder>,
    pub rewriter: Option<Box<dyn Rewriter>>,
}

impl Writing {
    /// Whether the encoder writes the values that replace the payload's bytes as these same bytes, since a rule must
    /// not change anything else.
    pub fn reads_back(
        &mut self,
        decoded: &OwnedMessage,
        edited: &OwnedMessage,
        flow: u64,
        bytes: &[u8],
    ) -> Result<(), String> {
        let payload = |fields: &Json| fields.get("payload").cloned();
        let (Some((_, values)), Some(Json::String(hex))) = (decoded.opened(), payload(decoded.to_json())) else {
            return Ok(());
        };
        // JSON may be spaced and escaped otherwise.
        let json = || Some(serde_json::from_slice::<Json>(&hex::decode(&hex).ok()?).ok()? == *values);
        if payload(edited.to_json()).is_none_or(|payload| payload.is_string()) || json() == Some(true) {
            return Ok(());
        }
        let mut fields = decoded.to_json().clone();
        fields["payload"] = values.clone();
        match self.encoder.encode(&decoded.clone().with_fields(fields).line(flow)) {
            Ok(same) if same == bytes => Ok(()),
            Ok(_) => Err("its payload, encoded again, has other bytes".into()),
            Err(error) => Err(format!("its payload cannot be written: {error}")),
        }
    }

    /// Returns the edited message without the derived lengths, counts and checksums, which the encoder writes itself. A
    /// number is derived if the original message without it has the same bytes.
    pub fn follows(
        &mut self,
        decoded: &OwnedMessage,
        edited: OwnedMessage,
        puts: &[Put],
        flow: u64,
        bytes: &[u8],
    ) -> OwnedMessage {
        let (mut fields, mut packet) = (edited.to_json().clone(), edited.packet_json().clone());
        for header in [false, true] {
            let (whole, changed) = match header {
                true => (decoded.packet_json(), &mut packet),
                false => (decoded.to_json(), &mut fields),
            };
            let mut found = Vec::new();
            numbers(whole, "", &mut found);
            for pointer in
                found.iter().filter(|p| !puts.iter().any(|put| put.in_header() == header && put.at(p))).take(NUMBERS)
            {
                let mut without = whole.clone();
                take(&mut without, pointer);
                let without = match header {
                    true => decoded.clone().with_packet(without),
                    false => decoded.clone().with_fields(without),
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
