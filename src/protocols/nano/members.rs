//! JSON payloads by the user's schema: maps members to fields, checks that all of them are present with their types,
//! and writes such a payload from values.

use crate::codec::describe::member;
use crate::codec::layout::{Count, Field, Kind, Show, flag};
use crate::codec::{EncodeError, Writer};
use crate::plural::Plural;
use serde_json::Value as Json;

/// A token of a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// An object.
    Object,
    /// An array.
    List,
    /// A string.
    Text,
    /// A number; true: without fraction and exponent.
    Number(bool),
    /// True or false.
    Truth,
    /// Null.
    Null,
}

/// The first place that does not fit the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// `.items[2].name`; empty for the payload itself.
    pub path: String,
    /// Its first byte in the text.
    pub at: usize,
    /// The expected and the actual value.
    pub what: String,
}

/// Follows a text through the schema's fields.
#[derive(Debug)]
pub struct Shape {
    root: &'static [Field],
    open: Vec<OpenGroup>,
    /// The first place that does not fit.
    pub misfit: Option<Misfit>,
    /// The first member that the schema lacks.
    pub strange: Option<String>,
}

/// An open object or array.
#[derive(Debug)]
struct OpenGroup {
    /// Its step in a path.
    step: String,
    at: usize,
    within: Within,
    /// The number of elements so far.
    elements: usize,
}

#[derive(Debug)]
enum Within {
    /// A value that the schema does not describe.
    Anything,
    Object(&'static [Field], Box<[bool]>),
    List(&'static Field, Option<u32>),
}

impl Shape {
    /// The state for a payload that is an object with these members.
    pub fn new(root: &'static [Field]) -> Shape {
        Shape { root, open: Vec::new(), misfit: None, strange: None }
    }

    fn misfit(&mut self, step: &str, at: usize, what: String) {
        if self.misfit.is_none() {
            let path = self.open.iter().map(|o| o.step.as_str()).chain([step]).collect();
            self.misfit = Some(Misfit { path, at, what });
        }
    }

    /// Finds the field of a value by its member's name, and enters an object or array.
    pub fn take(&mut self, name: &str, token: Token, at: usize) -> Option<&'static Field> {
        let (mut field, mut step, mut members) = (None, String::new(), None);
        match self.open.last_mut() {
            None => members = Some(self.root),
            Some(OpenGroup { within: Within::Object(fields, seen), .. }) => {
                step = format!(".{name}");
                match fields.iter().position(|f| f.name == name) {
                    Some(k) => {
                        field = fields.get(k);
                        seen.get_mut(k).into_iter().for_each(|seen| *seen = true);
                    }
                    None if self.strange.is_none() => self.strange = Some(name.into()),
                    None => {}
                }
            }
            Some(OpenGroup { within: Within::List(of, _), elements, .. }) => {
                step = format!("[{elements}]");
                *elements += 1;
                field = Some(*of);
            }
            Some(OpenGroup { within: Within::Anything, .. }) => {}
        }
        let expected = match (field, members) {
            (Some(field), _) if !fits(field, token) => Some(member(field)),
            (None, Some(members)) if token != Token::Object && !members.is_empty() => Some("object".into()),
            _ => None,
        };
        if let Some(expected) = expected {
            self.misfit(&step, at, format!("expected {expected}, got {}", shown(token)));
            field = None;
        }
        if let Token::Object | Token::List = token {
            let members = if let Some(Kind::Struct(fields)) = field.map(|f| &f.kind) { Some(*fields) } else { members };
            let within = match (field.map(|f| &f.kind), members) {
                (_, Some(fields)) if token == Token::Object => Within::Object(fields, vec![false; fields.len()].into()),
                (Some(Kind::Array { count, of }), _) => {
                    Within::List(of, if let Count::Const(n) = count { Some(*n) } else { None })
                }
                _ => Within::Anything,
            };
            self.open.push(OpenGroup { step, at, within, elements: 0 });
        }
        field
    }

    /// Closes the innermost object or array.
    pub fn close(&mut self) {
        let Some(OpenGroup { step, at, within, elements }) = self.open.pop() else { return };
        match within {
            Within::Object(fields, seen) => {
                let missing = fields.iter().zip(&seen).find(|(f, seen)| !**seen && !f.is(flag::OMIT_EMPTY));
                if let Some((field, _)) = missing {
                    self.misfit(&format!("{step}.{}", field.name), at, "the member is missing".into());
                }
            }
            Within::List(_, Some(n)) if n as usize != elements => {
                self.misfit(&step, at, format!("expected {}, got {elements}", Plural(n, "element")));
            }
            _ => {}
        }
    }
}

fn fits(field: &Field, token: Token) -> bool {
    match (&field.kind, token) {
        (_, Token::Null) => field.is(flag::OMIT_EMPTY) || matches!(field.kind, Kind::Bytes { .. }),
        (Kind::Bytes { .. }, _)
        | (Kind::Text { .. }, Token::Text)
        | (Kind::Float { .. }, Token::Number(_))
        | (Kind::Int { .. }, Token::Number(true))
        | (Kind::Bool { .. }, Token::Truth)
        | (Kind::Struct(_), Token::Object)
        | (Kind::Array { .. }, Token::List) => true,
        _ => false,
    }
}

fn shown(token: Token) -> &'static str {
    match token {
        Token::Object => "object",
        Token::List => "list",
        Token::Text => "string",
        Token::Number(true) => "integer",
        Token::Number(false) => "number",
        Token::Truth => "true or false",
        Token::Null => "null",
    }
}

/// Writes a payload: the schema's members in its order, then the others.
///
/// # Errors
/// The first member that is missing or of another type.
pub fn write(given: &Json, fields: &'static [Field]) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::new();
    match (given, fields) {
        (Json::Object(_), _) => object(given, fields, "payload", &mut out)?,
        (_, []) => out = given.to_string().into_bytes(),
        _ => return Err(wrong("payload", "object", given)),
    }
    Ok(out)
}

fn wrong(path: &str, expected: &str, got: &Json) -> EncodeError {
    let shown: String = got.to_string().chars().take(60).collect();
    EncodeError::new(path, format!("expected {expected}, got {shown}"))
}

fn object(given: &Json, fields: &'static [Field], path: &str, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let Some(members) = given.as_object() else { return Err(wrong(path, "object", given)) };
    out.push(b'{');
    let comma = |out: &mut Vec<u8>, name: &str| {
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        out.extend_from_slice(Json::from(name).to_string().as_bytes());
        out.push(b':');
    };
    for field in fields {
        let own = format!("{path}.{}", field.name);
        match members.get(field.name) {
            Some(given) => {
                comma(out, field.name);
                value(given, field, &own, out)?;
            }
            None if field.is(flag::OMIT_EMPTY) => {}
            None => return Err(EncodeError::new(own, format!("required, but not given ({})", member(field)))),
        }
    }
    for (name, given) in members.iter().filter(|(name, _)| !fields.iter().any(|f| f.name == *name)) {
        comma(out, name);
        out.extend_from_slice(given.to_string().as_bytes());
    }
    out.push(b'}');
    Ok(())
}

fn value(given: &Json, field: &'static Field, path: &str, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    if given.is_null() && fits(field, Token::Null) {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    let text = match (&field.kind, given) {
        (Kind::Struct(fields), _) => return object(given, fields, path, out),
        (Kind::Array { count, of }, Json::Array(items)) => {
            if let Count::Const(n) = count
                && items.len() != *n as usize
            {
                let what = format!("expected {}, got {}", Plural(*n, "element"), items.len());
                return Err(EncodeError::new(path, what));
            }
            out.push(b'[');
            for (k, item) in items.iter().enumerate() {
                if k > 0 {
                    out.push(b',');
                }
                value(item, of, &format!("{path}[{k}]"), out)?;
            }
            out.push(b']');
            return Ok(());
        }
        (Kind::Text { .. }, Json::String(_)) | (Kind::Float { .. }, Json::Number(_)) | (Kind::Bytes { .. }, _) => {
            given.to_string()
        }
        // Above the signed numbers.
        (Kind::Int { .. }, Json::Number(n)) if n.is_u64() && matches!(field.show, Show::Plain) => given.to_string(),
        // The forms that the tables accept: names, lists of flags, and all of them as text.
        (Kind::Int { .. } | Kind::Float { .. } | Kind::Bool { .. }, _) => {
            let one = serde_json::json!({ (field.name): given });
            let place = |error: EncodeError| EncodeError { path: path.into(), ..error };
            let bytes = Writer::new(&one).write(std::slice::from_ref(field)).map_err(place)?;
            let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
            match (&field.kind, number(&bytes)) {
                (Kind::Float { .. }, Some(n)) => Json::from(f64::from_bits(n)).to_string(),
                (_, Some(n)) => (n as i64).to_string(),
                _ => (bytes.first() == Some(&1)).to_string(),
            }
        }
        _ => return Err(wrong(path, &member(field), given)),
    };
    out.extend_from_slice(text.as_bytes());
    Ok(())
}
