//! Parses the rules for conversations: numbers, requests, the probe, the session.

use super::super::text::{NumbersText, Place, ProbeText, RequestsText, SessionText};
use super::{Done, Parser, keys};
use crate::codec::schema::reading::{Item, Lines};
use serde_json::Value as Json;
use std::time::Duration;

impl Parser<'_> {
    fn place(&self, key: &str, item: &Item<'_, '_>) -> Done<Place> {
        let (line, value) = (self.line(item), item.1);
        let mut place = Place { line, ..Place::default() };
        if let Some(field) = value.get_ref().as_str() {
            place.field = field.into();
            return Ok(place);
        }
        for inner in self.reader.table(key, value)? {
            let text = |key: &str| self.reader.text(key, inner.1);
            match inner.0.get_ref().as_ref() {
                "field" => place.field = text("field")?,
                "if" => place.condition = Some(text("if")?),
                "from" => place.from = text("from")?,
                "to" => place.to = text("to")?,
                _ => return Err(self.reader.unknown(inner, keys::PLACE)),
            }
        }
        if ["number", "resent_as"].contains(&key) && !(place.from.is_empty() && place.to.is_empty()) {
            return self.fail(item, format!("{key}: from and to are for acknowledgements: the ends of each range"));
        }
        if place.field.is_empty() { self.fail(item, format!("{key}: field is missing")) } else { Ok(place) }
    }

    pub(super) fn numbers(&self, item: Item<'_, '_>) -> Done<NumbersText> {
        let (line, name) = (self.line(&item), item.0.get_ref().to_string());
        let mut numbers = NumbersText { line, name, ..NumbersText::default() };
        for inner in self.reader.table(&format!("numbers.{}", numbers.name), item.1)? {
            let key = inner.0.get_ref().to_string();
            match key.as_str() {
                "number" => numbers.number = Some(self.place(&key, &inner)?),
                "if" => {
                    numbers.condition = Some(self.reader.text("if", inner.1)?);
                    numbers.condition_line = self.line(&inner);
                }
                "per" => {
                    numbers.per = self.texts("per", inner.1)?;
                    numbers.per_line = self.line(&inner);
                }
                "ack" | "ack_below" | "ack_bits" | "ack_ranges" | "nack" => {
                    let place = self.place(&key, &inner)?;
                    numbers.acks.push((key, place));
                }
                "resent_as" => numbers.resent_as = Some(self.place(&key, &inner)?),
                _ => return Err(self.reader.unknown(inner, keys::NUMBERS)),
            }
        }
        match numbers.number {
            None => self.fail(&item, format!("numbers.{}: number is missing: the field that counts", numbers.name)),
            Some(_) => Ok(numbers),
        }
    }

    pub(super) fn requests(&self, item: Item<'_, '_>) -> Done<RequestsText> {
        let (line, name) = (self.line(&item), item.0.get_ref().to_string());
        let mut requests = RequestsText { lines: Lines::of(line), name, ..RequestsText::default() };
        for inner in self.reader.table(&format!("requests.{}", requests.name), item.1)? {
            let (key, value) = inner;
            requests.lines.add(key.get_ref(), self.line(&inner));
            match key.get_ref().as_ref() {
                "asks" => requests.asks = self.texts("asks", value)?,
                "answers" => requests.answers = self.texts("answers", value)?,
                "by" => match value.get_ref().as_str() {
                    Some(field) => requests.by = Some((field.into(), field.into())),
                    None => {
                        let (mut ask, mut answer) = (String::new(), String::new());
                        for by in self.reader.table("by", value)? {
                            match by.0.get_ref().as_ref() {
                                "ask" => ask = self.reader.text("ask", by.1)?,
                                "answer" => answer = self.reader.text("answer", by.1)?,
                                _ => return Err(self.reader.unknown(by, keys::BY)),
                            }
                        }
                        for (key, field) in [("ask", &ask), ("answer", &answer)] {
                            if field.is_empty() {
                                return self.fail(&inner, format!("by: {key} is missing: the field of that message"));
                            }
                        }
                        requests.by = Some((ask, answer));
                    }
                },
                _ => return Err(self.reader.unknown(inner, keys::REQUESTS)),
            }
        }
        match requests.asks.is_empty() || requests.answers.is_empty() {
            true => self.fail(&item, format!("requests.{}: expected asks and answers: messages", requests.name)),
            false => Ok(requests),
        }
    }

    pub(super) fn probe(&self, item: Item<'_, '_>) -> Done<ProbeText> {
        let none = || Json::Object(Default::default());
        let mut probe =
            ProbeText { lines: Lines::of(self.line(&item)), fields: none(), expect: none(), ..Default::default() };
        for inner in self.reader.table("probe", item.1)? {
            let (key, value) = inner;
            probe.lines.add(key.get_ref(), self.line(&inner));
            match key.get_ref().as_ref() {
                "send" => probe.send = self.reader.text("send", value)?,
                "fields" => probe.fields = self.json("fields", value)?,
                "answer" => probe.answer = self.texts("answer", value)?,
                "expect" => probe.expect = self.json("expect", value)?,
                "tell" => probe.tell = self.texts("tell", value)?,
                "retries" => probe.retries = Some(self.reader.number("retries", value)?),
                "again" => {
                    for (name, value) in self.reader.table("again", value)? {
                        probe.again.push((name.get_ref().to_string(), self.reader.text("again", value)?));
                    }
                }
                _ => return Err(self.reader.unknown(inner, keys::PROBE)),
            }
        }
        match probe.send.is_empty() || probe.answer.is_empty() {
            true => self.fail(&item, "probe: expected send and answer: messages"),
            false => Ok(probe),
        }
    }

    pub(super) fn session(&self, item: Item<'_, '_>) -> Done<SessionText> {
        let lines = Lines::of(self.line(&item));
        let mut session = SessionText { lines, fields: Json::Object(Default::default()), ..SessionText::default() };
        for inner in self.reader.table("session", item.1)? {
            let (key, value) = inner;
            session.lines.add(key.get_ref(), self.line(&inner));
            match key.get_ref().as_ref() {
                "opens" => session.opens = self.texts("opens", value)?,
                "opened" => session.opened = self.texts("opened", value)?,
                "closes" => session.closes = self.reader.text("closes", value)?,
                "fields" => session.fields = self.json("fields", value)?,
                "keepalive" => session.keepalive = self.reader.text("keepalive", value)?,
                "every" => {
                    let every = crate::duration::with_unit(&self.reader.text("every", value)?);
                    let every = every.ok().and_then(|nanos| u64::try_from(nanos).ok()).filter(|nanos| *nanos > 0);
                    match every {
                        Some(nanos) => session.every = Some(Duration::from_nanos(nanos)),
                        None => return self.fail(&inner, "every: expected a time, such as \"500ms\""),
                    }
                }
                key @ ("takes" | "echoes") => {
                    let list = if key == "takes" { &mut session.takes } else { &mut session.echoes };
                    for (name, value) in self.reader.table(key, value)? {
                        list.push((name.get_ref().to_string(), self.texts(key, value)?));
                    }
                }
                "differs" => session.differs = self.texts("differs", value)?,
                _ => return Err(self.reader.unknown(inner, keys::SESSION)),
            }
        }
        if session.keepalive.is_empty() != session.every.is_none() {
            return self
                .fail(&item, "session: keepalive and every belong together: a message, and the time between two");
        }
        Ok(session)
    }
}
