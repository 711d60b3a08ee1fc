//! Numbers with an offset, and numbers of which some values announce a longer form: lengths of CoAP and WebSocket,
//! counts of n - 1.

use crate::codec::bits::BitBuf;
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Kind, Name, Order};
use crate::codec::node::Value;
use crate::codec::writer::WriteStop;
use crate::codec::{Reader, Sampler, Writer, bits};

/// The beginning of the number.
#[derive(Clone, Copy, Debug)]
pub enum Head {
    /// A [`Kind::UInt`] in the number's own place.
    Word(&'static Field),
    /// An earlier field.
    Field(Name),
}

/// A longer form that a value of the head announces.
#[derive(Debug)]
pub struct Longer {
    /// The value of the head.
    pub head: u64,
    /// The [`Kind::UInt`] that follows the head.
    pub word: &'static Field,
    /// The offset that is added to the word.
    pub plus: i64,
}

/// A number in several sizes.
#[derive(Debug)]
pub struct Extended {
    /// The beginning.
    pub head: Head,
    /// The longer forms, in the order in which encoding tries them.
    pub longer: &'static [Longer],
    /// The offset: the value on the wire minus the number.
    pub plus: i64,
    /// The largest head that is the number itself.
    pub most: u64,
}

fn width(word: &Field) -> (u32, Order) {
    word.kind.width().unwrap_or((8, Order::Little))
}

/// Whether the number fits into a word of this width.
fn fits(word: &Field, number: i128) -> bool {
    (0..=bits::mask(width(word).0) as i128).contains(&number)
}

impl Extended {
    fn longer(&self, head: u64) -> Option<&'static Longer> {
        self.longer.iter().find(|longer| longer.head == head)
    }

    /// Returns the head that encoding writes for a number, and the word after it with its value. `most` is the largest
    /// head.
    fn encoded(&self, number: i128, most: u64) -> Option<(u64, Option<(&'static Field, u64)>)> {
        let counted = number + self.plus as i128;
        let head =
            u64::try_from(counted).ok().filter(|head| *head <= most.min(self.most) && self.longer(*head).is_none());
        // A number that a longer form covers has no short form.
        let begins = |longer: &Longer| longer.plus > 0 && counted >= longer.plus as i128;
        if let Some(head) = head.filter(|_| !self.longer.iter().any(begins)) {
            return Some((head, None));
        }
        self.longer.iter().find_map(|longer| {
            let rest = counted - longer.plus as i128;
            fits(longer.word, rest).then_some((longer.head, Some((longer.word, rest as u64))))
        })
    }

    /// Returns the word that follows a given head; `None` if the number cannot have this head.
    fn after(&self, head: u64, number: i128) -> Option<Option<(&'static Field, u64)>> {
        let counted = number + self.plus as i128;
        match self.longer(head) {
            Some(longer) => {
                let rest = counted - longer.plus as i128;
                fits(longer.word, rest).then_some(Some((longer.word, rest as u64)))
            }
            None => (counted == head as i128).then_some(None),
        }
    }

    /// Reads the number. The flag is false if encoding would write another form.
    pub(in crate::codec) fn number(
        &self,
        field: &'static Field,
        reader: &mut Reader<'_>,
        start: u32,
    ) -> Result<(u64, bool), Stop> {
        let take = |reader: &mut Reader<'_>, word: &Field| {
            let (bits, order) = width(word);
            let at = reader.position();
            reader.need(field, start, (at - start) as u64 + bits as u64)?;
            Ok(reader.take(bits, order))
        };
        let (head, most) = match self.head {
            Head::Word(word) => (take(reader, word)?, bits::mask(width(word).0)),
            Head::Field(ref name) => {
                let most = reader.tree().scope.entry(name).map_or(u64::MAX, |entry| entry.most());
                (reader.known(name).unwrap_or(0), most)
            }
        };
        let longer = self.longer(head);
        let read = match longer {
            Some(longer) => take(reader, longer.word)? as i128 + longer.plus as i128,
            None => head as i128,
        };
        let number = read - self.plus as i128;
        let Ok(value) = u64::try_from(number) else {
            let have = reader.left() as u64;
            let reason = Reason::Undefined("less than the bytes that it counts in addition");
            return Err(reader.broken(field, Fault::new(reason, start, 0, have)));
        };
        let exact = self.encoded(number, most).is_some_and(|(written, _)| written == head);
        if let (false, Head::Field(name)) = (exact, &self.head) {
            reader.tree().reveal_named(name);
            return Ok((value, true));
        }
        Ok((value, exact))
    }

    pub(in crate::codec) fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(Value, u64), Stop> {
        let start = reader.position();
        let (number, mut exact) = self.number(field, reader, start)?;
        if exact && !field.survives(number.into()) {
            exact = false;
            if let Head::Field(name) = &self.head {
                reader.tree().reveal_named(name);
            }
        }
        let bits = reader.position() - start;
        Ok((if exact { Value::UInt(number) } else { Value::Raw { bit: start, bits } }, number))
    }

    /// Writes the number.
    pub(in crate::codec) fn write(&self, number: i128, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let beyond = |writer: &Writer<'_>| writer.fail(format!("{number} is out of range: no form has room for it"));
        let rest = match self.head {
            Head::Word(word) => {
                let (bits, order) = width(word);
                let Some((head, rest)) = self.encoded(number, bits::mask(bits)) else { return Err(beyond(writer)) };
                writer.put(head, bits, order);
                rest
            }
            Head::Field(ref name) => {
                let (given, most) = match writer.scope.entry(name) {
                    Some(entry) => (entry.given.then_some(entry.value), entry.most()),
                    None => (writer.known(name), u64::MAX),
                };
                match given {
                    Some(head) => match self.after(head, number) {
                        Some(rest) => rest,
                        None => return Err(writer.fail(format!("{number} does not go with {head} in {name}"))),
                    },
                    None => {
                        let Some((head, rest)) = self.encoded(number, most) else { return Err(beyond(writer)) };
                        writer.counted(name, head)?;
                        rest
                    }
                }
            }
        };
        if let Some((word, rest)) = rest {
            let (bits, order) = width(word);
            writer.put(rest, bits, order);
        }
        Ok(())
    }

    /// Writes a small number in its short form.
    pub(in crate::codec) fn sample(&self, number: u64, sampler: &mut Sampler<'_>) {
        let head = number.saturating_add_signed(self.plus);
        match self.head {
            Head::Word(word) => {
                let (bits, order) = width(word);
                sampler.put(head, bits, order);
            }
            Head::Field(ref name) => sampler.complete_with(name, head),
        }
    }

    /// Returns the number's length in bits in these bytes, and the number itself.
    pub(in crate::codec) fn at(&self, out: &BitBuf, at: usize, head: Option<u64>) -> (usize, u64) {
        let (own, head) = match self.head {
            Head::Word(word) => {
                let (bits, order) = width(word);
                (bits as usize, out.number_at(at, bits, order))
            }
            Head::Field(_) => (0, head.unwrap_or(0)),
        };
        let (more, read) = match self.longer(head) {
            Some(longer) => {
                let (bits, order) = width(longer.word);
                (bits as usize, out.number_at(at + own, bits, order) as i128 + longer.plus as i128)
            }
            None => (0, head as i128),
        };
        (own + more, u64::try_from(read - self.plus as i128).unwrap_or(0))
    }

    /// Returns the length in bits, if it is always the same.
    pub(in crate::codec) fn bits(&self) -> Option<u32> {
        match (self.head, self.longer) {
            (Head::Word(word), []) => word.kind.bits(),
            (Head::Field(_), []) => Some(0),
            _ => None,
        }
    }

    /// The largest number.
    pub(crate) fn most(&self) -> u64 {
        let of = |word: &Field, plus: i64| bits::mask(width(word).0).saturating_add_signed(plus);
        let head = match self.head {
            Head::Word(word) => of(word, 0),
            Head::Field(_) => u64::MAX,
        };
        let longer = self.longer.iter().map(|longer| of(longer.word, longer.plus));
        longer.chain([head]).max().unwrap_or(0).saturating_add_signed(-self.plus)
    }
}

/// Returns the field's kind, if it is [`Kind::Extended`].
pub(in crate::codec) fn extended(field: &Field) -> Option<&'static Extended> {
    if let Kind::Extended(extended) = field.kind { Some(extended) } else { None }
}
