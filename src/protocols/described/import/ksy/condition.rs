//! Conditions: from expressions to the text of `if` and `while`.

use super::expr::Op;
use super::forms::{Bits, Linear};
use super::model::{Model, is_free};
use super::value::{Path, Val};

/// The most terms of a condition.
const TERMS: usize = 256;

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Always,
    Never,
    /// The text of a term, and that of its opposite.
    Term(String, String),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

use Condition::{All, Always, Any, Never, Term};

impl Condition {
    /// The opposite.
    pub fn not(self) -> Condition {
        match self {
            Always => Never,
            Never => Always,
            Term(text, opposite) => Term(opposite, text),
            All(list) => Any(list.into_iter().map(Condition::not).collect()),
            Any(list) => All(list.into_iter().map(Condition::not).collect()),
        }
    }

    /// All of these.
    pub fn all(list: impl IntoIterator<Item = Condition>) -> Condition {
        let mut flat = Vec::new();
        for one in list {
            match one {
                Always => {}
                Never => return Never,
                All(inner) => flat.extend(inner),
                one => flat.push(one),
            }
        }
        let mut unique: Vec<Condition> = Vec::new();
        for one in flat {
            if unique.iter().any(|other| other.excludes(&one)) {
                return Never;
            }
            if !unique.contains(&one) {
                unique.push(one);
            }
        }
        match unique.len() {
            0 => Always,
            1 => unique.remove(0),
            _ => All(unique),
        }
    }

    /// At least one of these.
    pub fn any(list: impl IntoIterator<Item = Condition>) -> Condition {
        Condition::all(list.into_iter().map(Condition::not)).not()
    }

    /// Whether it is the opposite of another one.
    fn excludes(&self, other: &Condition) -> bool {
        match (self, other) {
            (Term(text, opposite), Term(other, not_other)) => text == not_other && opposite == other,
            (All(_), Any(_)) | (Any(_), All(_)) => self.clone().not() == *other,
            _ => false,
        }
    }

    /// The number of terms in it.
    fn terms(&self) -> usize {
        if let All(list) | Any(list) = self { list.iter().map(Condition::terms).sum() } else { 1 }
    }

    fn term(text: String, opposite: String) -> Condition {
        Term(text, opposite)
    }

    /// The text of `if`; `None`: it always holds.
    pub fn text(&self) -> Option<String> {
        match self {
            Always => None,
            Never => Some("left 16777215 and not left 16777215".into()),
            Term(text, _) => Some(text.clone()),
            All(list) => Some(joined(list, " and ")),
            Any(list) => Some(joined(list, " or ")),
        }
    }

    /// The condition that a value is true.
    pub fn of(val: &Val, model: &Model<'_>) -> Result<Condition, String> {
        let done = match val {
            Val::Bool(true) => Always,
            Val::Bool(false) => Never,
            Val::Not(one) => Condition::of(one, model)?.not(),
            Val::Path(path) if path.bits > 0 => Condition::term(path.text.clone(), format!("not {}", path.text)),
            Val::Binary(Op::And, a, b) => Condition::all([Condition::of(a, model)?, Condition::of(b, model)?]),
            Val::Binary(Op::Or, a, b) => Condition::any([Condition::of(a, model)?, Condition::of(b, model)?]),
            Val::Choice(condition, a, b) => {
                let condition = Condition::of(condition, model)?;
                let (a, b) = (Condition::of(a, model)?, Condition::of(b, model)?);
                Condition::any([Condition::all([condition.clone(), a]), Condition::all([condition.not(), b])])
            }
            Val::Binary(op, a, b) => compared(*op, a, b, model)?,
            Val::Unknown(why) => return Err(why.clone()),
            _ => return Err("this is not a condition".into()),
        };
        match done.terms() {
            ..=TERMS => Ok(done),
            _ => Err(format!("a condition of more than {TERMS} terms")),
        }
    }
}

/// Conditions with a word between them. Comparisons of one field with several values are written as one.
fn joined(list: &[Condition], between: &str) -> String {
    let (sign, within) = if between == " or " { (" == ", "in") } else { (" != ", "not in") };
    let split = |one: &Condition| match one {
        Term(text, _) => text.split_once(sign).map(|(name, value)| (name.to_owned(), value.to_owned())),
        _ => None,
    };
    let mut parts: Vec<String> = Vec::new();
    let mut done: Vec<String> = Vec::new();
    for one in list {
        match (one, split(one)) {
            (_, Some((name, _))) if done.contains(&name) => {}
            (_, Some((name, value))) => {
                let same = list.iter().filter_map(split).filter(|(other, _)| *other == name);
                let values: Vec<String> = same.map(|(_, value)| value).collect();
                parts.push(match values.len() {
                    1 => format!("{name}{sign}{value}"),
                    _ => format!("{name} {within} {}", values.join(", ")),
                });
                done.push(name);
            }
            (All(_) | Any(_), _) => parts.push(format!("({})", one.text().unwrap_or_default())),
            _ => parts.push(one.text().unwrap_or_default()),
        }
    }
    parts.join(between)
}

/// A comparison of a field with what is always the same.
fn compared(op: Op, a: &Val, b: &Val, model: &Model<'_>) -> Result<Condition, String> {
    let turned = match op {
        Op::Equal | Op::Unequal => op,
        Op::Below => Op::Above,
        Op::AtMost => Op::AtLeast,
        Op::Above => Op::Below,
        Op::AtLeast => Op::AtMost,
        _ => return Err("this is not a condition".into()),
    };
    match (a, b) {
        (Val::Unknown(why), _) | (_, Val::Unknown(why)) => Err(why.clone()),
        (Val::Path(path), Val::Text(text)) | (Val::Text(text), Val::Path(path)) if path.is_text => {
            let quote = if text.contains('"') { '\'' } else { '"' };
            let is = |sign: &str| format!("{} {sign} {quote}{text}{quote}", path.text);
            let equal = Condition::term(is("=="), is("!="));
            match op {
                Op::Equal => Ok(equal),
                Op::Unequal => Ok(equal.not()),
                _ => Err("texts can only be compared with == or !=".into()),
            }
        }
        // A condition that is compared with true or false.
        (one, Val::Bool(set)) | (Val::Bool(set), one) if matches!(op, Op::Equal | Op::Unequal) => {
            let condition = Condition::of(one, model)?;
            Ok(if *set == (op == Op::Equal) { condition } else { condition.not() })
        }
        (of, Val::Int(_) | Val::Named(..)) => number(op, of, b, model),
        (Val::Int(_) | Val::Named(..), of) => number(turned, of, a, model),
        _ => Err("a field can only be compared with a constant".into()),
    }
}

fn number(op: Op, of: &Val, with: &Val, model: &Model<'_>) -> Result<Condition, String> {
    let (Val::Int(n) | Val::Named(n, ..)) = with else { return Err("this is not a number".into()) };
    if let Some(linear) = Linear::of(of) {
        let n = *n - linear.plus;
        if linear.is_rest() {
            return left(op, n);
        }
        if let Some(path) = linear.of_path().filter(|_| linear.den == 1) {
            let (floor, exact) = (n.div_euclid(linear.num), n % linear.num == 0);
            // The least number from which on it is at least n.
            let least = floor + i128::from(!exact);
            return Ok(match op {
                Op::Equal if !exact => Never,
                Op::Unequal if !exact => Always,
                Op::AtLeast | Op::Below => sign(op, path, least, &named(path, least, with, model)),
                _ => sign(op, path, floor, &named(path, floor, with, model)),
            });
        }
    }
    let Some(bits) = Bits::of(of) else { return Err("arithmetic is not supported".into()) };
    let whole = bits.path.bits.min(64);
    let full = u64::MAX >> (64 - whole);
    let (n, shift) = (u64::try_from(*n).map_err(|_| "comparison with a negative number")?, bits.shift);
    let place = |n: u64| n.checked_shl(shift).filter(|m| m >> shift == n && *m <= full);
    let compare = |op, n: u64| sign(op, &bits.path, n.into(), &n.to_string());
    let above = full.checked_shl(shift).unwrap_or(0) & full == bits.mask;
    match op {
        Op::Unequal | Op::Above if n == 0 => Ok(any_of(&bits.path, bits.mask)),
        Op::AtLeast if n == 1 => Ok(any_of(&bits.path, bits.mask)),
        Op::Equal if n == 0 => Ok(any_of(&bits.path, bits.mask).not()),
        Op::Equal | Op::Unequal => {
            let equal = match place(n) {
                Some(wanted) if wanted & !bits.mask == 0 => equal(&bits.path, bits.mask, wanted),
                _ => Never,
            };
            Ok(if op == Op::Equal { equal } else { equal.not() })
        }
        // Only the lowest bits are left out: the order is that of the whole number.
        Op::AtLeast | Op::Below if above => {
            place(n).map(|n| compare(op, n)).ok_or_else(|| "a number that these bits cannot hold".into())
        }
        Op::Above | Op::AtMost if above => {
            let op = if op == Op::Above { Op::AtLeast } else { Op::Below };
            n.checked_add(1)
                .and_then(place)
                .map(|n| compare(op, n))
                .ok_or_else(|| "a number that these bits cannot hold".into())
        }
        _ => Err("bits can only be compared with == or !=".into()),
    }
}

/// Any of these bits.
fn any_of(path: &Path, mask: u64) -> Condition {
    Condition::term(format!("{} & {mask:#x}", path.text), format!("not {} & {mask:#x}", path.text))
}

/// These bits of the mask, and no others of it.
fn equal(path: &Path, mask: u64, wanted: u64) -> Condition {
    let set = (0..64).map(|bit| 1u64 << bit).filter(|bit| wanted & bit != 0).map(|bit| any_of(path, bit));
    let clear = if mask & !wanted == 0 { Always } else { any_of(path, mask & !wanted).not() };
    Condition::all(set.chain([clear]))
}

/// The name of a number, if the field has it.
fn named(path: &Path, n: i128, with: &Val, model: &Model<'_>) -> String {
    match with {
        Val::Named(value, own, name)
            if path.names == Some(*own) && *value == n && is_plain(name, path, n, model, *own) =>
        {
            name.clone()
        }
        _ => n.to_string(),
    }
}

/// Whether the name can be a word of a condition, and the field has it.
fn is_plain(name: &str, path: &Path, n: i128, model: &Model<'_>, own: usize) -> bool {
    let word = name.starts_with(|c: char| c.is_ascii_alphabetic()) && is_free(name);
    let fits = !path.signed && n >= 0 && (path.bits >= 64 || n >> path.bits == 0);
    word && fits && model.enums.get(own).is_some()
}

fn sign(op: Op, path: &Path, n: i128, shown: &str) -> Condition {
    let is = |sign: &str| format!("{} {sign} {shown}", path.text);
    let (least, most) = match path.signed {
        true => (i64::MIN.into(), i64::MAX.into()),
        false => (0, (1i128 << path.bits.min(63)) - 1),
    };
    match op {
        // What a number always is, or never.
        Op::AtLeast if n <= least => Always,
        Op::Below if n <= least => Never,
        Op::AtMost if n >= most && path.bits < 64 => Always,
        Op::Above if n >= most && path.bits < 64 => Never,
        Op::Equal => Condition::term(is("=="), is("!=")),
        Op::Unequal => Condition::term(is("!="), is("==")),
        Op::Below => Condition::term(is("<"), is(">=")),
        Op::AtMost => Condition::term(is("<="), is(">")),
        Op::Above => Condition::term(is(">"), is("<=")),
        _ => Condition::term(is(">="), is("<")),
    }
}

/// A comparison of the bytes that are left.
fn left(op: Op, n: i128) -> Result<Condition, String> {
    let least = |n: i128| match n {
        ..=0 => Ok(Always),
        1..=0xff_fffe => Ok(Condition::term(format!("left {n}"), format!("not left {n}"))),
        _ => Err("a number of bytes that is too large".to_owned()),
    };
    Ok(match op {
        Op::AtLeast => least(n)?,
        Op::Above => least(n + 1)?,
        Op::Below => least(n)?.not(),
        Op::AtMost => least(n + 1)?.not(),
        Op::Equal => Condition::all([least(n)?, least(n + 1)?.not()]),
        _ => Condition::any([least(n)?.not(), least(n + 1)?]),
    })
}
