//! Analysis of packages beyond their fields: the sender, facts from earlier packages, anomalies, and the state for
//! later ones.

use super::layout::Message::{self, *};
use super::layout::{BODY, CODE, COMPRESSED, ERROR, FLAGS, ID, PAYLOAD, RESERVED, ROUTE, package as kinds};
use super::line_context::LineContext;
use super::memory::{Known, Memory, PendingRequest};
use super::package::{HEADER, LIMIT};
use super::payload::{Payloaded, Payloads};
use crate::codec::layout::{Field, Len, text, u24be, u64le};
use crate::codec::{Layout, Level, Node, Reader, Value};
use crate::dissect::delivery::{Event, Step};
use crate::dissect::{Dissection, FlowInfo, Out, Provenance, RelationKind, Role, Roles};
use crate::duration::Millis;
use crate::flow::Side;
use std::sync::Arc;

/// Derived, see its documentation.
pub static DERIVED_ID: Field = u64le("id").doc("the id that servers use: the low 64 bits");
/// Derived, see its documentation.
pub static DERIVED_ROUTE: Field = text("route", Len::Rest).doc("by the dictionary, or of the request");
/// Derived, see its documentation.
pub static DERIVED_LENGTH: Field =
    u24be("length").doc("the body's length by the header, where the end of the stream cut it; null: the header is cut");

/// The derived fields.
pub static DERIVED: [&Field; 3] = [&DERIVED_ID, &DERIVED_ROUTE, &DERIVED_LENGTH];

impl Memory {
    /// Reads a package, whole or cut, into the draft.
    pub fn package(
        &mut self,
        layout: &'static Layout,
        place: &Provenance<'_>,
        roles: &mut Roles,
        how: &LineContext,
        out: &mut Out<'_>,
    ) {
        let flow_info = out.flow_info;
        let dissection = out.begin(super::NAME);
        let message = Message::of(layout);
        dissection.message = layout.name;
        let outcome = Reader::new(place.bytes, &mut dissection.tree)
            .named(super::NAME, layout.name)
            .wire_length(place.length)
            .read(layout.fields);
        dissection.ended(outcome);
        how.note(dissection);
        roles.learn(
            place.side,
            match message {
                HandshakeAck | Request | Notify => Role::Client,
                Response | Push | Kick => Role::Server,
                _ => Role::Unknown,
            },
        );
        // What the bytes before it may contain.
        self.report(place.side, dissection);
        if dissection.fault.is_some() {
            dissection.from = roles.of(place.side);
            announce(place, dissection);
            match (message, dissection.tree.find(&ID)) {
                (Response, Some(id)) => self.hide(place.side, Some(id_value(id, place.bytes))),
                (Response | Data, _) => self.hide(place.side, None),
                _ => {}
            }
            self.report(place.side, dissection);
        } else if matches!(message, Handshake | Kick) {
            self.body(message, place, roles, dissection);
        } else {
            dissection.from = roles.of(place.side);
            if place.bytes.first() == Some(&kinds::DATA) {
                self.message(message, place, flow_info, dissection);
            } else {
                if message == HandshakeAck {
                    self.progress(place.side).ack = true;
                    // If the answer itself is not in the capture, its acknowledgement shows that there was one.
                    if dissection.from == Role::Client && (!begun(flow_info) || self.forgot()) {
                        dissection.delivery.push(Event::Step(Step::Accepted));
                    }
                }
                if dissection.tree.find(&BODY).is_some() {
                    let text = format_args!("nobody sends a body here");
                    dissection.notes.warn("nano.unexpected_body", text);
                }
            }
        }
        self.direction(message, place, dissection);
        let beats = matches!(message, Handshake | HandshakeAck | Heartbeat);
        if message != Kick {
            self.alive(beats, dissection);
        }
        if beats {
            self.heartbeat(message, place, dissection);
        }
    }

    /// Reports that a line keeps its sender's session alive at the other side. `beats`: its message does so at every
    /// server. Clients take any package for it. So do nano, pitaya and cherry, while pomelo and pinus wait for
    /// heartbeats; but one may be in bytes that cannot be read.
    pub fn alive(&self, beats: bool, dissection: &mut Dissection) {
        let counts = beats || !self.heartbeats_alone || dissection.from != Role::Client || dissection.fault.is_some();
        // Both sides close after twice the interval.
        if let Some(due) = self.heartbeat.filter(|_| counts) {
            dissection.delivery.push(Event::Step(Step::Alive(due.saturating_mul(2))));
        }
    }

    /// Handles a line of bytes that cannot be read: any package may be among them.
    pub fn unread(&mut self, side: Side, dissection: &mut Dissection) {
        self.hide(side, None);
        self.report(side, dissection);
        self.alive(false, dissection);
    }

    /// Notes a late heartbeat.
    fn heartbeat(&mut self, message: Message, place: &Provenance<'_>, dissection: &mut Dissection) {
        // A heartbeat does not refer to another one, so none is an answer.
        if message == Heartbeat && dissection.fault.is_none() {
            dissection.delivery.push(Event::Ping);
        }
        let due = self.heartbeat;
        let before = self.progress(place.side).there.replace(place.time);
        let (Some(due), Some(before), Heartbeat) = (due, before, message) else { return };
        let after = place.time.since(before);
        if after > 2 * due as i128 {
            let (after, due) = (Millis::of(after), Millis::of(due as i128));
            let text = format_args!("{after} after the one before it; the handshake says every {due}");
            dissection.notes.note("nano.heartbeat_late", text);
        }
    }

    fn progress(&mut self, side: Side) -> &mut super::memory::Progress {
        match (&mut self.progress, side) {
            ([a, _], Side::A) => a,
            ([_, b], Side::B) => b,
        }
    }

    /// Notes a package that only the other side sends, or that the other side does not accept.
    fn direction(&self, message: Message, place: &Provenance<'_>, dissection: &mut Dissection) {
        let of = |(_, names): &&(Role, &[&str])| names.contains(&message.name());
        if let Some((by, _)) = super::SENDERS.iter().find(of).filter(|(by, _)| dissection.from == by.other()) {
            let other = by.name();
            dissection.notes.warn("nano.wrong_direction", format_args!("only a {other} sends a {}", message.name()));
        }
        let body = place.length.saturating_sub(HEADER);
        if dissection.from == Role::Client && body > LIMIT {
            let text = format_args!("a body of {body} bytes: a nano server takes at most {LIMIT} bytes");
            dissection.notes.note("nano.over_limit", text);
        }
    }

    /// Handles a handshake or a kick.
    fn body(&mut self, message: Message, place: &Provenance<'_>, roles: &mut Roles, dissection: &mut Dissection) {
        let body = place.bytes.get(HEADER..).unwrap_or_default();
        let mut payloads = dissection.scratch.take::<Payloads>();
        let json = payloads.body(body, HEADER, &self.caps, dissection);
        dissection.scratch.give(payloads);
        let code = json.as_ref().and_then(|json| json.get("code"));
        let handshake = message == Handshake;
        if handshake && code.is_some() {
            roles.learn(place.side, Role::Server);
        } else if handshake && json.as_ref().is_some_and(|json| json.get("sys").is_some()) {
            roles.learn(place.side, Role::Client);
        }
        dissection.from = roles.of(place.side);
        if !handshake {
            // Servers ignore a client's kick.
            if dissection.from != Role::Client {
                dissection.delivery.push(Event::Step(Step::Kicked("kick")));
            }
            let reason = json.as_ref().and_then(|json| json.get("reason"));
            dissection.farewell = reason.and_then(|reason| reason.as_str()).map(|words| Box::new(words.into()));
            return;
        }
        match dissection.from {
            Role::Client => dissection.delivery.push(Event::Step(Step::Asked)),
            Role::Server => dissection.delivery.push(Event::Step(match code.map(|code| code.as_f64()) {
                None | Some(Some(200.0)) => Step::Accepted,
                Some(Some(400.0)) => Step::Refused("code_400"),
                Some(Some(500.0)) => Step::Refused("code_500"),
                Some(Some(501.0)) => Step::Refused("code_501"),
                Some(_) => Step::Refused("code"),
            })),
            Role::Unknown => {}
        }
        if std::mem::replace(&mut self.progress(place.side).handshake, true) {
            dissection.notes.note("nano.handshake_again", format_args!("another handshake from this side"));
        }
        let Some(json) = json.filter(|_| dissection.from == Role::Server) else { return };
        if let Some(code) = json.get("code").filter(|code| code.as_f64() != Some(200.0)) {
            let text = format_args!("the server refuses the client: code {code}");
            dissection.notes.warn("nano.handshake_failed", text);
        }
        let has = |key| json.get("sys").is_some_and(|sys| sys.get(key).is_some());
        // Older versions of nano have the same keys as pomelo without a dictionary.
        let (server, heartbeats_alone) = match () {
            _ if has("serializer") => ("pitaya or cherry (sys.serializer)", false),
            _ if has("servertime") => ("nano 0.5.1 or later (sys.servertime)", false),
            _ if has("routeToCode") => ("pomelo (sys.routeToCode)", true),
            _ if has("useDict") || has("useProto") => ("pinus, or pomelo with what the client had cached", true),
            _ => ("", false),
        };
        self.heartbeats_alone = heartbeats_alone;
        if !server.is_empty() {
            dissection.notes.note("nano.server_kind", format_args!("the server is {server}"));
        }
        let mut known = dissection.scratch.take::<Known>();
        let cut = self.learn(&json, &mut known);
        dissection.scratch.give(known);
        if cut {
            let most = self.caps.name_bytes;
            let text = format_args!("names of more than {most} bytes are cut in later messages (--limit name_bytes)");
            dissection.notes.note("nano.name_cut", text);
        }
    }

    /// Handles a request, notify, response or push.
    fn message(
        &mut self,
        message: Message,
        place: &Provenance<'_>,
        flow_info: &FlowInfo<'_>,
        dissection: &mut Dissection,
    ) {
        let flags = dissection.tree.number(&FLAGS).unwrap_or(0);
        let begun = begun(flow_info);
        let progress = *self.progress(place.side);
        let early = match dissection.from {
            Role::Client if !progress.ack => "before the client's handshake_ack",
            Role::Server if !progress.handshake => "before the server's handshake",
            _ => "",
        };
        // The missing bytes may contain it.
        if begun && !early.is_empty() && !self.forgot() {
            dissection.notes.warn("nano.before_ack", format_args!("data {early}"));
        }
        if flags & RESERVED != 0 {
            let text = format_args!("flags {:#04x}, which nobody uses", flags & RESERVED);
            dissection.notes.warn("nano.reserved_flags", text);
        }
        let id = self.id(message, place, dissection);
        let route = self.read_route(message, place, id, begun, dissection);
        let payload = dissection.tree.find(&PAYLOAD).map_or(place.bytes.len(), |node| node.bit as usize / 8);
        let at = Payloaded {
            message,
            package: place.bytes,
            start: payload,
            compressed: flags & COMPRESSED != 0,
            error: flags & ERROR != 0,
            route: route.as_deref(),
            schemas: &flow_info.options.schemas,
        };
        let mut payloads = dissection.scratch.take::<Payloads>();
        payloads.message(&at, self, dissection);
        dissection.scratch.give(payloads);
    }

    /// The id's value.
    fn id(&mut self, message: Message, place: &Provenance<'_>, dissection: &mut Dissection) -> Option<u64> {
        let node = dissection.tree.find(&ID)?;
        let id = id_value(node, place.bytes);
        if matches!(node.value, Value::Raw { .. }) {
            dissection.derived.push(&DERIVED_ID, Value::UInt(id), 0, 0);
            dissection.notes.warn("nano.id_overlong", format_args!("not the shortest form of {id}"));
        }
        if dissection.from == Role::Client && (1 << 31..1 << 32).contains(&id) {
            let text = format_args!("an id from 2^31 to 2^32-1 hangs pomelo and pinus servers");
            dissection.notes.warn("nano.id_danger", text);
        }
        if id == 0 && message == Request {
            dissection.notes.note("nano.id_zero", format_args!("servers do not answer the id 0"));
        }
        Some(id)
    }

    /// Finds the route, and the request that a response answers.
    fn read_route(
        &mut self,
        message: Message,
        place: &Provenance<'_>,
        id: Option<u64>,
        begun: bool,
        dissection: &mut Dissection,
    ) -> Option<Arc<[u8]>> {
        let mut derived = true;
        let route = if let Some(code) = dissection.tree.number(&CODE) {
            let route = self.route(code as u16);
            if route.is_none() {
                let (level, why) = match self.dictionary.is_some() {
                    true => (Level::Warning, "the dictionary has no"),
                    false => (Level::Note, "no dictionary was seen for the"),
                };
                dissection.notes.add(level, "nano.unknown_code", format_args!("{why} code {code}"));
            }
            route
        } else if let Some(node) = dissection.tree.find(&ROUTE) {
            derived = false;
            if matches!(node.value, Value::Raw { .. }) {
                dissection.notes.warn("nano.route_not_utf8", format_args!("the route is not UTF-8"));
            }
            dissection.tree.find(&ROUTE).and_then(|n| n.bytes(dissection.sources(place.bytes))).map(|r| self.keep(r))
        } else {
            if message != Response {
                return None;
            }
            self.answered(place, id?, begun, dissection)
        };
        if let Some(route) = route.as_deref().filter(|_| derived) {
            let (source, buffer) = dissection.source();
            let text = std::str::from_utf8(route);
            // The dictionary has it once, but the peer may use it any number of times, so its length is limited.
            match text.map(|text| self.caps.name(text, "a route")) {
                Ok(shown) => buffer.extend_from_slice(shown.as_bytes()),
                Err(_) => buffer.extend_from_slice(route),
            }
            let bits = buffer.len() as u32 * 8;
            dissection.derived.set_source(source);
            let value = match text {
                Ok(_) => Value::Text { bit: 0, bits },
                Err(_) => Value::Raw { bit: 0, bits },
            };
            dissection.derived.push(&DERIVED_ROUTE, value, 0, 0);
        }
        if let (Some(id), Request) = (id, message) {
            let open = PendingRequest { route: route.clone(), target: dissection.target(place), time: place.time };
            if let Some(response) = self.take_early(id) {
                dissection.delivery.push(Event::AnsweredBefore);
                // The capture has the two in reverse order: the request is answered.
                let Millis(before) = Millis::of(place.time.since(response.time));
                dissection.relate(Level::Note, "nano.answered_before", |note| {
                    note.to(RelationKind::Answers, response.target, before);
                    note.text("the response is in frame ").frame().text(", captured ").after().text(" before it");
                });
                return route;
            }
            dissection.delivery.push(Event::Request);
            if let Some(before) = self.ask(id, place.side, open) {
                let notes = &mut dissection.notes;
                match before.target.frame {
                    0 => notes.warn("nano.id_reused", format_args!("the request {id} above is still open")),
                    frame => notes.warn(
                        "nano.id_reused",
                        format_args!("the request of frame {frame} has the same id and is still open"),
                    ),
                }
            }
        }
        route
    }

    /// The route of the request that a response answers.
    fn answered(
        &mut self,
        place: &Provenance<'_>,
        id: u64,
        begun: bool,
        dissection: &mut Dissection,
    ) -> Option<Arc<[u8]>> {
        match self.answer(id) {
            Some((open, _)) if open.target.frame == 0 => {
                dissection.notes.note("nano.answers", format_args!("answers the request {id} above"));
                open.route
            }
            Some((open, hidden)) => {
                dissection.delivery.push(Event::Answer(place.time.since(open.time) as i64));
                if hidden {
                    dissection.delivery.push(Event::ShownAnswer);
                }
                let Millis(after) = Millis::of(place.time.since(open.time));
                dissection.relate(Level::Note, "nano.answers", |note| {
                    note.to(RelationKind::Answers, open.target, after);
                    note.text("answers the request of frame ").frame().text(", after ").after();
                });
                open.route
            }
            None if self.is_ahead(id) && place.frame > 0 => {
                self.put_early(id, PendingRequest { route: None, target: dissection.target(place), time: place.time });
                let text = format_args!("no request had the id {id} yet: it is captured later, or not at all");
                dissection.notes.note("nano.unmatched_response", text);
                None
            }
            None => {
                if (begun || self.first.is_some_and(|first| id >= first)) && !self.forgot() {
                    dissection.delivery.push(Event::Unmatched);
                    let text = format_args!("no open request has the id {id}");
                    dissection.notes.warn("nano.unmatched_response", text);
                }
                None
            }
        }
    }
}

/// Whether the capture has both directions from their first byte.
fn begun(flow_info: &FlowInfo<'_>) -> bool {
    flow_info.ends.is_some() && flow_info.begun == [true; 2]
}

/// Derives the announced length of a cut package from its header.
fn announce(place: &Provenance<'_>, dissection: &mut Dissection) {
    if place.bytes.len() < HEADER {
        dissection.derived.push(&DERIVED_LENGTH, Value::Null, 0, 0);
    } else if place.length > place.bytes.len() {
        let length = (place.length - HEADER) as u64;
        dissection.derived.push(&DERIVED_LENGTH, Value::UInt(length), 0, 0);
    }
}

/// An id's value, also for forms that are shown raw: the low 64 bits.
fn id_value(node: &Node, bytes: &[u8]) -> u64 {
    match node.value {
        Value::Raw { bit, bits } => {
            let groups = bytes.get(bit as usize / 8..(bit + bits) as usize / 8).unwrap_or_default();
            let shifts = groups.iter().take(10).zip((0..).step_by(7));
            shifts.fold(0, |id, (group, shift)| id | ((group & 0x7f) as u64) << shift)
        }
        _ => node.number().unwrap_or(0),
    }
}
