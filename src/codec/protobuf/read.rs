//! Converts a message's records to nodes, in the order of the table.

use super::records::{Broken, Record, Records};
use super::{Message, OTHER, OTHERS, UNKNOWN, WIRE, WireType, other};
use crate::codec::layout::{Count, Field, Kind};
use crate::codec::walk::{self, Wire};
use crate::codec::{Fault, Reader, Reason, Stop, Value};
use std::iter::Peekable;
use std::vec::IntoIter;

/// Reads everything up to the end as the message, in a group if the field has a name.
pub fn message(message: &Message, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
    if field.name.is_empty() {
        return body(message, field, reader);
    }
    let group = reader.enter(field)?;
    let done = body(message, field, reader);
    reader.leave(field, group, done.is_ok());
    done
}

/// The result of a first pass over all records.
struct Survey {
    /// The end of the last complete record.
    whole: u32,
    broken: Option<Broken>,
    /// Whether the records are in canonical order and form, so that encoding the fields gives these bytes.
    tidy: bool,
    /// Whether some record is not in the table.
    unknown: bool,
}

impl Message {
    fn place(&self, number: u64) -> Option<usize> {
        self.records.binary_search_by_key(&number, |r| r.number as u64).ok()
    }

    /// Whether a record belongs to the field at this index.
    fn takes(&self, place: usize, record: &Record) -> bool {
        let (Some(own), Some(field)) = (self.records.get(place), self.fields.get(place)) else { return false };
        let list = matches!(field.kind, Kind::Array { .. });
        record.wire == own.wire || list && own.wire != WireType::Bytes && record.wire == WireType::Bytes
    }

    fn survey(&self, mut records: Records<'_>) -> Survey {
        let mut found = Survey { whole: records.at, broken: None, tidy: true, unknown: false };
        // The previous number, and whether records with it were in the table, or not.
        let (mut last, mut taken, mut strange) = (0, false, false);
        loop {
            let record = match records.next() {
                Ok(Some(record)) => record,
                Ok(None) => return found,
                Err(broken) => return Survey { broken: Some(broken), ..found },
            };
            found.whole = record.end;
            found.tidy &= record.shortest && record.number >= last;
            if record.number != last {
                (taken, strange) = (false, false);
            }
            last = record.number;
            match self.place(record.number).filter(|place| self.takes(*place, &record)) {
                Some(place) => {
                    let list = self.fields.get(place).is_some_and(|f| matches!(f.kind, Kind::Array { .. }));
                    let packed = self.records.get(place).is_some_and(|r| r.packed);
                    found.tidy &= !strange && !(taken && (!list || packed));
                    if list {
                        let form = record.wire == WireType::Bytes && record.value.0 < record.value.1;
                        let own = self.records.get(place).is_some_and(|r| r.wire == record.wire);
                        found.tidy &= if packed { form } else { own };
                    }
                    taken = true;
                }
                None => (found.unknown, strange) = (true, true),
            }
        }
    }

    /// The places of fields, each with the first bit of a record of it, sorted.
    fn sorted(&self, mut records: Records<'_>) -> Vec<(usize, u32)> {
        let mut all = Vec::new();
        while let Ok(Some(record)) = records.next() {
            let place = self.place(record.number).filter(|place| self.takes(*place, &record));
            all.extend(place.map(|place| (place, record.start)));
        }
        all.sort_unstable();
        all
    }
}

pub(super) fn body(message: &Message, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
    let start = reader.position();
    let all = Records { data: reader.data(), at: start, end: reader.end() };
    let found = message.survey(all);
    let whole = Records { end: found.whole, ..all };
    let sorted = (!found.tidy).then(|| message.sorted(whole).into_iter().peekable());
    let mut scan = Scan { message, all: whole, sorted };
    for (place, field) in message.fields.iter().enumerate() {
        scan.field(place, field, reader)?;
    }
    if found.unknown {
        unknown(message, whole, reader)?;
    }
    if !found.tidy {
        let bits = found.whole - start;
        reader.tree().push(&WIRE, Value::Bytes { bit: start, bits }, start, bits);
    }
    reader.seek(found.whole);
    match found.broken {
        None if reader.is_cut() => Err(reader.short(field, found.whole, 8, String::new())),
        None => Ok(()),
        Some(Broken { reason, number, need, limit }) => {
            let have = (all.end - found.whole) as u64;
            let named = number.and_then(|n| message.fields.get(message.place(n)?)).unwrap_or(field);
            // The capture may lack what is missing.
            if reason == Reason::Short {
                return Err(reader.short(named, found.whole, need, limit.into()));
            }
            let fault = Fault { limit: limit.into(), ..Fault::new(reason, found.whole, need, have) };
            Err(reader.broken(named, fault))
        }
    }
}

/// Finds the records of one field after the other. Each is read once.
struct Scan<'a> {
    message: &'a Message,
    all: Records<'a>,
    /// If they are not in order: the places of their fields and their first bits, sorted.
    sorted: Option<Peekable<IntoIter<(usize, u32)>>>,
}

impl Scan<'_> {
    /// Calls `each` with the records of the field at this index.
    fn each(&mut self, place: usize, each: &mut dyn FnMut(Record) -> Result<(), Stop>) -> Result<(), Stop> {
        let Some(own) = self.message.records.get(place) else { return Ok(()) };
        loop {
            if let Some(sorted) = &mut self.sorted {
                let Some((_, at)) = sorted.next_if(|(of, _)| *of == place) else { return Ok(()) };
                self.all.at = at;
            }
            let mut records = self.all;
            // The survey has shown that they are complete.
            let Ok(Some(record)) = records.next() else { return Ok(()) };
            if record.number > own.number as u64 {
                return Ok(());
            }
            self.all.at = record.end;
            if record.number == own.number as u64 && self.message.takes(place, &record) {
                each(record)?;
            }
        }
    }

    fn field(&mut self, place: usize, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let Kind::Array { of, .. } = field.kind else {
            let mut last = None;
            self.each(place, &mut |record| {
                last = Some(record);
                Ok(())
            })?;
            return last.map_or(Ok(()), |record| value(field, &record, reader));
        };
        let mut list = None;
        let wire = WireType::of(&of.kind);
        let done = self.each(place, &mut |record| {
            if list.is_none() {
                reader.seek(record.start);
                list = Some(reader.begin(field, &Count::Rest, of)?);
            }
            reader.room(of)?;
            if record.wire == wire { value(of, &record, reader) } else { packed(of, &record, reader) }
        });
        match list {
            Some(list) => {
                let ended = reader.finish(field, list, done.is_ok());
                done.and(ended)
            }
            None => done,
        }
    }
}

/// Reads one value, which must take all of its record.
fn value(field: &'static Field, record: &Record, reader: &mut Reader<'_>) -> Result<(), Stop> {
    let node = reader.tree().nodes().len();
    let (from, to) = record.value;
    reader.within(from, to, |reader| walk::field(field, reader))?;
    if let (Kind::Bool { .. }, true) = (&field.kind, to - from != 8) {
        // One byte would have sufficed for a boolean.
        reader.tree().truncate(node);
        reader.tree().push(field, Value::Raw { bit: from, bits: to - from }, from, to - from);
    }
    reader.tree().cover(node, record.start, record.end);
    Ok(())
}

/// Reads packed values, one after the other.
fn packed(of: &'static Field, record: &Record, reader: &mut Reader<'_>) -> Result<(), Stop> {
    let (from, to) = record.value;
    reader.within(from, to, |reader| {
        while reader.left() > 0 {
            reader.room(of)?;
            walk::field(of, reader)?;
        }
        Ok(())
    })
}

/// Shows the records that the table does not have.
fn unknown(message: &Message, mut records: Records<'_>, reader: &mut Reader<'_>) -> Result<(), Stop> {
    let list = reader.tree().open(&UNKNOWN, Value::List, records.at);
    while let Ok(Some(record)) = records.next() {
        if message.place(record.number).is_some_and(|place| message.takes(place, &record)) {
            continue;
        }
        reader.room(&UNKNOWN)?;
        let (from, to) = record.value;
        let group = reader.tree().open(&OTHER, Value::Group, record.start);
        let bits = from - record.start;
        reader.tree().push(&OTHERS[0], Value::UInt(record.number), record.start, bits);
        match record.wire {
            WireType::Varint => reader.within(from, to, |reader| walk::field(other(record.wire), reader))?,
            wire => drop(reader.tree().push(other(wire), Value::Bytes { bit: from, bits: to - from }, from, to - from)),
        }
        reader.tree().close(group, record.end);
    }
    reader.tree().close(list, records.at);
    Ok(())
}
