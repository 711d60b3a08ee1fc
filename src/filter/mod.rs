//! Filters: expressions over messages and their fields.
//!
//! ```text
//! riptide.message_id == 7 && payload.position.x > 100
//! message in {reliable, ack} and not has fault
//! proto == dnp and from == server or note == duplicate
//! fields.route contains "chat" or route ~ "^area\\."
//! frame >= 100 and flow == 3
//! related.kind == answers and related.after_ms > 200
//! host == 10.0.0.5 and port in {7777, 7778} or !(ip in 2001:db8::/32)
//! ```
//!
//! Names are those of the protocols' tables, the envelope and the users' schemas; a wrong name or type is
//! rejected before the first message, with its position and the nearest name. Filters are evaluated on the tree,
//! without building JSON. Rules: a comparison with an absent field is false for every operator. If a path leads to
//! several values, `==`, `<` and similar ones hold if one of them fits, `!=` if none is equal. A path alone tests
//! whether the field is present. `position[0]` and `position.x` are a vector's first component. An address without a
//! port matches any port; `host` (`ip`) and `port` mean either endpoint. A comparison that no value of any field with
//! that name can satisfy (`u8 == 300`) is rejected, like a wrong name. Conditions on `related` joined by `and` are
//! about one relation of the message. `has unanswered`, `has never_acked` and the kinds that later messages reveal need
//! a second pass: [`Filter::later`].

mod ends;
mod eval;
mod field;
mod lexer;
mod literal;
mod names;
mod parser;
mod path;
mod plain;
mod possible;
mod related;
mod scope;

use crate::dissect::{Message, Wants};
use crate::printable::{Printable, tricky};
#[cfg(feature = "cli")]
pub(crate) use field::FieldMatch;
pub(crate) use field::FieldPath;
pub use names::Names;
pub(crate) use names::{Deepest, NamedFields};
use path::Path;
pub(crate) use possible::range;
use related::Condition;
pub(crate) use related::RelatedField;
use thiserror::Error;

/// An invalid filter: the mistake, and its position in the text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}\n  {}\n  {}", Printable(.what), one_each(.text), caret(.text, *.at, *.len))]
#[non_exhaustive]
pub struct FilterError {
    /// The mistake, and the expected form.
    pub what: String,
    /// The whole filter.
    pub text: String,
    /// The position of the first character, from 0.
    pub at: usize,
    /// The number of characters.
    pub len: usize,
}

/// Replaces each character by one printable character, so that the caret is aligned.
fn one_each(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || tricky(c) { '\u{fffd}' } else { c }).collect()
}

fn caret(text: &str, at: usize, len: usize) -> String {
    let at = at.min(text.chars().count());
    " ".repeat(at) + &"^".repeat(len.max(1))
}

/// A filter with resolved names.
#[derive(Debug)]
pub struct Filter {
    expression: Expression,
}

impl Filter {
    /// Parses a filter.
    ///
    /// # Errors
    /// The mistake and its position.
    pub fn parse(text: &str, names: &Names<'_>) -> Result<Filter, FilterError> {
        let tokens = lexer::tokens(text)?;
        Ok(Filter { expression: parser::parse(text, &tokens, names)? })
    }

    /// Parses a filter for messages without [relations from later ones](Filter::later).
    ///
    /// # Errors
    /// Those of [`Filter::parse`]; a condition on facts that only later messages reveal.
    pub fn parse_unlinked(text: &str, names: &Names<'_>) -> Result<Filter, FilterError> {
        let filter = Filter::parse(text, names)?;
        let Some(name) = filter.later() else { return Ok(filter) };
        let at = text.find(name).map_or(0, |at| text.get(..at).map_or(0, |before| before.chars().count()));
        let what = format!("{name} depends on later messages: decode --link reads them first");
        Err(FilterError { what, text: text.into(), at, len: name.len() })
    }

    /// The part of it that only later messages reveal, so that it needs linked messages.
    pub fn later(&self) -> Option<&'static str> {
        related::later(&self.expression)
    }

    /// The parts of messages that it reads.
    pub fn reads(&self) -> Wants {
        self.expression.reads()
    }

    /// Whether the filter matches this message.
    pub fn matches(&self, message: &Message<'_>) -> bool {
        eval::holds(&self.expression, message)
    }
}

/// A parsed expression.
#[derive(Debug)]
enum Expression {
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Not(Box<Expression>),
    /// A test of an envelope field.
    Envelope(Envelope, Test),
    /// A field of the message.
    Field(Path, Test),
    /// The message is of this protocol (and has this name).
    Kind(&'static str, Option<&'static str>),
    /// One relation of the message fits all of these conditions.
    Related(Vec<Condition>),
    /// Nothing in the capture answers the message.
    Unanswered,
    /// Nothing in the capture acknowledges the message.
    NeverAcked,
    /// The message has a fault.
    Fault,
    /// The message has a note of at least this level.
    Level(crate::codec::Level),
}

impl Expression {
    fn reads(&self) -> Wants {
        match self {
            Expression::And(a, b) | Expression::Or(a, b) => a.reads() | b.reads(),
            Expression::Not(a) => a.reads(),
            Expression::Field(path, _) => path.reads(),
            Expression::Related(_) | Expression::Unanswered | Expression::NeverAcked => Wants::RELATIONS,
            Expression::Envelope(envelope, _) => envelope.reads(),
            Expression::Kind(..) | Expression::Fault | Expression::Level(_) => Wants::FIELDS,
        }
    }
}

/// The envelope: the facts about a message besides its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Envelope {
    Frame,
    Time,
    Flow,
    Length,
    Proto,
    Version,
    From,
    Transport,
    Src,
    Dst,
    Host,
    Port,
    Message,
    Note,
    Copy,
    Leg,
}

impl Envelope {
    const ALL: [(&'static str, Envelope, &'static str); 17] = [
        ("frame", Envelope::Frame, "the frame that completed the message, from 1"),
        ("time", Envelope::Time, "seconds since 1970"),
        ("flow", Envelope::Flow, "the conversation's number, from 1"),
        ("length", Envelope::Length, "the message's bytes"),
        ("proto", Envelope::Proto, "the protocol of the line, or what carries it"),
        ("version", Envelope::Version, "the protocol's version"),
        ("from", Envelope::From, "client, server or unknown"),
        ("transport", Envelope::Transport, "udp or tcp"),
        ("src", Envelope::Src, "the sender: ADDR, ADDR:PORT or NET/BITS"),
        ("dst", Envelope::Dst, "the receiver, as src"),
        ("host", Envelope::Host, "either endpoint, as src"),
        ("ip", Envelope::Host, "the same: ip in 10.0.0.0/8"),
        ("port", Envelope::Port, "the port of either endpoint"),
        ("message", Envelope::Message, "the message's name"),
        ("note", Envelope::Note, "a note's code, as dnp.link_accepted or link_accepted"),
        ("copy", Envelope::Copy, "which transmission of a numbered message it is, if not the first: 2, 3, .."),
        ("leg", Envelope::Leg, "client or server, in a proxy's recording of both legs"),
    ];

    /// The parts of a message that it reads.
    const fn reads(self) -> Wants {
        if matches!(self, Envelope::Copy) { Wants::DELIVERY } else { Wants::FIELDS }
    }

    const fn is_number(self) -> bool {
        matches!(self, Envelope::Frame | Envelope::Time | Envelope::Flow | Envelope::Length | Envelope::Copy)
    }

    /// Whether it is an address, with or without a port.
    const fn is_end(self) -> bool {
        matches!(self, Envelope::Src | Envelope::Dst | Envelope::Host)
    }

    /// Whether there are messages without it, so that its name alone is a condition.
    const fn is_optional(self) -> bool {
        matches!(self, Envelope::Version | Envelope::Copy | Envelope::Leg)
    }

    /// The range of its whole numbers, if it has one.
    const fn range(self) -> Option<(i128, i128)> {
        match self {
            Envelope::Frame | Envelope::Flow | Envelope::Length => Some((0, u64::MAX as i128)),
            Envelope::Port => Some((0, u16::MAX as i128)),
            Envelope::Copy => Some((2, u32::MAX as i128)),
            _ => None,
        }
    }
}

/// The names of the envelope that filters accept, with a description.
pub(crate) fn envelope() -> impl Iterator<Item = (&'static str, &'static str)> {
    Envelope::ALL.into_iter().map(|(name, _, doc)| (name, doc))
}

/// The names of a relation's parts, with a description.
pub(crate) fn related() -> impl Iterator<Item = (&'static str, &'static str)> {
    RelatedField::ALL.into_iter().map(|(name, _, doc)| (name, doc))
}

/// The test of a value.
#[derive(Debug)]
enum Test {
    /// The value is present.
    Exists,
    Compare(Comparison, Literal),
    In(Vec<Literal>),
    Contains(Literal),
    Matches(regex_lite::Regex),
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

crate::named!(Comparison:
    Equal = "==", Unequal = "!=", Less = "<", LessOrEqual = "<=", Greater = ">", GreaterOrEqual = ">=",
);

impl Comparison {
    /// Splits a bound, as `NAME > AMOUNT`, at its order comparison.
    pub(crate) fn bound(text: &str) -> Option<(&str, Comparison, &str)> {
        let (name, rest) = text.split_at(text.find(['<', '>'])?);
        let (sign, amount) = rest.split_at(if rest[1..].starts_with('=') { 2 } else { 1 });
        Some((name.trim(), Comparison::named(sign)?, amount.trim()))
    }

    /// Whether it holds for operands in that order.
    pub(crate) fn is(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::Unequal => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }

    /// Whether it is an order comparison.
    fn orders(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::Unequal)
    }
}

/// A literal as written, and as a number, time or address if it is one.
#[derive(Clone, Debug)]
struct Literal {
    text: String,
    number: Option<Number>,
    /// Every digit of a number of seconds, in units of 10^-18 s: two microseconds of this century may be one float.
    attos: Option<i128>,
    ends: Option<ends::Ends>,
}

/// A number; whole numbers are compared exactly.
#[derive(Clone, Copy, Debug)]
enum Number {
    Whole(i128),
    Real(f64),
}

impl Number {
    fn compare(self, other: Number) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Number::Whole(a), Number::Whole(b)) => Some(a.cmp(&b)),
            (a, b) => a.real().partial_cmp(&b.real()),
        }
    }

    fn real(self) -> f64 {
        match self {
            Number::Whole(n) => n as f64,
            Number::Real(x) => x,
        }
    }
}
