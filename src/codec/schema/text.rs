//! A protocol file's structure before names are looked up: [`parse`](super::parse) produces it, and
//! [`compile`](super::compile) interprets it.

use crate::codec::Clock;
use crate::codec::kinds::{Radix, Ratio};
use crate::codec::schema::reading::{Lines, Named, Names};
use serde_json::Value as Json;
use std::fmt::Display;
use std::time::Duration;

/// A protocol file.
#[derive(Debug, Default)]
pub struct File {
    /// The lines of its keys and tables.
    pub lines: Lines,
    pub protocol: String,
    pub protocol_line: usize,
    pub doc: String,
    /// `encoding`, and its line: a byte order, or an encoding of the carrier.
    pub encoding: (String, usize),
    /// The most significant byte comes first; `None`: not set.
    pub big: Option<bool>,
    /// The number before a `string` and a list `T[]`, and its line; empty: none.
    pub lengths: (String, usize),
    /// `[over]`, or `proto`: the protocol whose payloads these are.
    pub over: Option<OverText>,
    /// The protocols whose datagrams are among those of this one, with their lines.
    pub beside: Vec<(String, usize)>,
    /// The file of another protocol, over this one.
    pub payload: Option<PayloadText>,
    pub udp: Option<Ports>,
    pub tcp: Option<Ports>,
    pub websocket: Option<Ports>,
    pub packet: Option<(usize, Vec<FieldText>)>,
    pub messages: Vec<MessageText>,
    pub structs: Vec<(String, usize, Vec<FieldText>)>,
    pub enums: Vec<(String, Names)>,
    pub flags: Vec<(String, Names)>,
    pub memory: Vec<First>,
    pub settings: Vec<First>,
    pub numbers: Vec<NumbersText>,
    pub requests: Vec<RequestsText>,
    pub recognise: Recognise,
    pub probe: Option<ProbeText>,
    pub session: Option<SessionText>,
}

impl File {
    /// The fields of the packet, of each struct and of each message.
    pub fn lists(&self) -> impl Iterator<Item = &[FieldText]> {
        let packet = self.packet.iter().map(|(_, fields)| fields.as_slice());
        let structs = self.structs.iter().map(|(.., fields)| fields.as_slice());
        packet.chain(structs).chain(self.messages.iter().map(|m| m.fields.as_slice()))
    }

    /// All of these fields.
    pub fn fields(&self) -> impl Iterator<Item = &FieldText> {
        self.lists().flatten()
    }
}

/// `[over]`: what carries the messages.
#[derive(Debug, Default)]
pub struct OverText {
    pub line: usize,
    /// A protocol.
    pub protocol: String,
    /// Its message; empty: any that has a payload.
    pub message: String,
}

/// The payloads of a protocol that another file describes.
#[derive(Debug)]
pub struct PayloadText {
    /// The struct of their fields, and the carrier of their messages.
    pub name: String,
    /// The byte order of their types.
    pub big: Option<bool>,
}

/// One transport.
#[derive(Debug, Default)]
pub struct Ports {
    pub line: usize,
    pub ports: Vec<u16>,
    pub path: String,
    /// The first framing whose condition holds applies.
    pub frames: Vec<FrameText>,
}

/// `frame = {..}`.
#[derive(Debug, Default)]
pub struct FrameText {
    pub line: usize,
    pub length: String,
    pub plus: i64,
    pub header: String,
    pub most: Option<u64>,
    pub until: Option<String>,
    pub fields: bool,
    pub condition: Option<String>,
}

/// A name of `[memory]` or `[settings]` and its first value.
#[derive(Debug)]
pub struct First {
    pub name: String,
    pub line: usize,
    pub value: Word,
    pub doc: String,
}

/// A number, or the name of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    Number(i128),
    Name(String),
}

/// One `[[message]]`.
#[derive(Debug, Default)]
pub struct MessageText {
    pub lines: Lines,
    pub name: String,
    pub doc: String,
    /// The message that carries it.
    pub message: String,
    pub from: String,
    pub ids: Option<Vec<IdText>>,
    pub any: bool,
    pub route: Option<String>,
    pub encoding: String,
    pub condition: Option<String>,
    pub sets: Vec<(String, Word)>,
    pub fields: Vec<FieldText>,
}

/// One of a message's ids.
#[derive(Debug)]
pub enum IdText {
    One(Word),
    Range(u64, u64),
}

/// One field.
#[derive(Debug, Default)]
pub struct FieldText {
    pub line: usize,
    /// The keys that are given.
    pub keys: Vec<String>,
    pub name: String,
    pub kind: String,
    pub doc: String,
    pub unit: String,
    /// As numerator and denominator.
    pub scale: Option<Ratio>,
    pub names: Option<Named>,
    pub flags: Option<Named>,
    pub condition: Option<String>,
    /// Whether it may be absent.
    pub optional: bool,
    pub closed: bool,
    pub size: Option<SizeText>,
    pub until: Option<Vec<u8>>,
    /// `until` is a number: in a list, the mark at the place of the next element.
    pub until_number: bool,
    pub or_end: bool,
    /// `time`: the number is a point in time.
    pub time: Option<Clock>,
    /// `number`: the text is a number in these digits.
    pub number: Option<Radix>,
    /// `while`: in a list, the condition that each element but the last fulfils.
    pub repeats: Option<String>,
    pub bits: Vec<PartText>,
    pub of: Option<String>,
    pub value: Option<ValueText>,
    pub hidden: bool,
    pub hidden_id: bool,
    pub by: Option<String>,
    pub join: Option<JoinText>,
    pub compressed: Option<String>,
    pub inflated: Option<String>,
    pub most: Option<u64>,
    pub over: Option<String>,
    pub holds: Option<String>,
    pub holds_big: Option<bool>,
    pub holds_if: Option<String>,
    pub big: Option<bool>,
    pub sets: Vec<(String, Option<Word>)>,
    pub default: Option<Json>,
    pub charset: Option<String>,
    pub xor: Option<ValueText>,
    pub inline: bool,
    /// The field's number in protobuf.
    pub tag: Option<u64>,
    /// Whether a list of numbers follows a single number in protobuf.
    pub packed: Option<bool>,
    /// The character between texts that are shown as one.
    pub joined: Option<String>,
    /// The bits of two bytes that mark the rest as the place where the texts continue.
    pub back: Option<u16>,
    /// The count of a list, or the number, is larger by this much on the wire.
    pub plus: i32,
    /// The values of a number after which a longer one follows.
    pub cases: Vec<CaseText>,
    /// The multiple of bytes to which it is padded with zeros; 0: no padding.
    pub align: u32,
    pub padded: bool,
    pub rounded: bool,
    pub angle: bool,
    /// Whether `bits(n)`, or the part, is in two's complement.
    pub signed: bool,
    pub checked: bool,
    /// The name of the length or count before it.
    pub prefix: Option<String>,
}

impl FieldText {
    /// The first of these keys, separated by blanks, that is given.
    pub fn first_of<'k>(&self, keys: &'k str) -> Option<&'k str> {
        keys.split(' ').find(|key| self.keys.iter().any(|given| given == key))
    }

    /// A mistake of the field, as its line and what is wrong.
    pub fn fail<T>(&self, why: impl Display) -> Result<T, (usize, String)> {
        Err((self.line, format!("{}: {why}", self.name)))
    }
}

/// `size = ..`.
#[derive(Debug, Clone, Default)]
pub struct SizeText {
    pub word: String,
    pub scale: Option<Ratio>,
    /// The number is larger by this much.
    pub plus: i32,
    /// The values of the number after which a longer one follows.
    pub cases: Vec<CaseText>,
    /// The largest number without a longer form.
    pub most: Option<u64>,
}

/// `13 = { type = "u8", plus = 13 }`: the number that follows a value.
#[derive(Debug, Clone)]
pub struct CaseText {
    pub value: u64,
    pub word: String,
    /// The value that is added to it.
    pub plus: i32,
}

/// A part of a number.
#[derive(Debug, Default)]
pub struct PartText {
    /// Its name, and the keys that fields have, too.
    pub own: FieldText,
    pub high: u8,
    pub low: u8,
    /// The bits that are not flags, from the highest to the lowest.
    pub except: Option<(u8, u8)>,
}

/// A constant, or a mask.
#[derive(Debug)]
pub enum ValueText {
    Number(i128),
    Float(f64),
    Text(String),
}

/// `join = {..}`.
#[derive(Debug, Default)]
pub struct JoinText {
    pub condition: Option<String>,
    pub key: Vec<String>,
    pub index: Option<String>,
    pub offset: Option<String>,
    pub count: Option<String>,
    pub total: Option<String>,
    pub remaining: Option<String>,
    pub is: Option<String>,
    pub by: Option<String>,
}

/// A field that numbers or acknowledges, and its condition.
#[derive(Debug, Default)]
pub struct Place {
    pub line: usize,
    pub field: String,
    pub condition: Option<String>,
    pub from: String,
    pub to: String,
}

/// `[numbers.X]`.
#[derive(Debug, Default)]
pub struct NumbersText {
    pub line: usize,
    pub name: String,
    pub number: Option<Place>,
    pub condition: Option<String>,
    pub condition_line: usize,
    pub per: Vec<String>,
    pub per_line: usize,
    /// The fields that acknowledge, by their keys.
    pub acks: Vec<(String, Place)>,
    pub resent_as: Option<Place>,
}

impl NumbersText {
    /// The fields that number and those that acknowledge.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        [&self.number, &self.resent_as].into_iter().flatten().chain(self.acks.iter().map(|(_, place)| place))
    }
}

/// `[requests.X]`.
#[derive(Debug, Default)]
pub struct RequestsText {
    pub lines: Lines,
    pub name: String,
    pub asks: Vec<String>,
    pub answers: Vec<String>,
    pub by: Option<(String, String)>,
}

/// `[recognise]`.
#[derive(Debug, Default)]
pub struct Recognise {
    pub server: Option<(usize, String)>,
    pub packets: Option<u64>,
}

/// `[probe]`.
#[derive(Debug, Default)]
pub struct ProbeText {
    pub lines: Lines,
    pub send: String,
    pub fields: Json,
    pub answer: Vec<String>,
    pub expect: Json,
    pub again: Vec<(String, String)>,
    pub tell: Vec<String>,
    pub retries: Option<u64>,
}

/// `[session]`.
#[derive(Debug, Default)]
pub struct SessionText {
    pub lines: Lines,
    pub opens: Vec<String>,
    pub opened: Vec<String>,
    pub closes: String,
    pub fields: Json,
    pub keepalive: String,
    pub every: Option<Duration>,
    pub takes: Vec<(String, Vec<String>)>,
    pub echoes: Vec<(String, Vec<String>)>,
    pub differs: Vec<String>,
}
