//! `.proto` files: messages become structs whose fields have tags.

use super::Draft;
use super::tokens::{Token, number, tokens, within};
use crate::codec::protobuf;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The deepest messages in messages.
const DEPTH: usize = 16;
/// The most messages of a file: finding those that contain themselves takes the square of their number.
const MESSAGES: usize = 1024;

/// A field as the file has it.
struct FieldOf {
    line: usize,
    name: String,
    kind: String,
    tag: u64,
    list: bool,
    packed: Option<bool>,
}

#[derive(Default)]
struct MessageOf {
    line: usize,
    fields: Vec<FieldOf>,
}

type Done<T> = Result<T, (usize, String)>;

/// Reads a file.
pub fn draft(text: &str) -> Done<Draft> {
    let all = tokens(text);
    let mut file = Proto { tokens: &all, ..Proto::default() };
    file.body("", 0)?;
    Ok(file.written())
}

#[derive(Default)]
struct Proto<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    /// Lists of numbers are packed unless the file says otherwise.
    third: bool,
    package: String,
    messages: BTreeMap<String, MessageOf>,
    enums: BTreeMap<String, Vec<(String, i64)>>,
    draft: Draft,
}

impl<'a> Proto<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |token| token.text)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    fn next(&mut self) -> &'a str {
        let text = self.peek();
        self.at += 1;
        text
    }

    fn expect(&mut self, text: &str) -> Done<()> {
        let line = self.line();
        match self.next() {
            found if found == text => Ok(()),
            "" => Err((line, format!("expected {text:?}, and the file ends"))),
            found => Err((line, format!("expected {text:?}, got {found:?}"))),
        }
    }

    fn word(&mut self) -> Done<String> {
        let line = self.line();
        let found = self.next();
        match found.starts_with(|c: char| c.is_ascii_alphabetic() || "_.".contains(c)) {
            true => Ok(found.into()),
            false => Err((line, format!("expected a name, got {found:?}"))),
        }
    }

    /// Skips a statement: up to its semicolon, or over its brackets.
    fn skip(&mut self) {
        let mut open = 0usize;
        while self.at < self.tokens.len() {
            match self.next() {
                "{" | "[" => open += 1,
                "]" => open = open.saturating_sub(1),
                "}" => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return;
                    }
                }
                ";" if open == 0 => return,
                _ => {}
            }
        }
    }

    /// Reads the statements of the file, or of a message.
    fn body(&mut self, scope: &str, depth: usize) -> Done<()> {
        if depth > DEPTH {
            return Err((self.line(), format!("messages in messages, more than {DEPTH} deep")));
        }
        while self.at < self.tokens.len() {
            let line = self.line();
            match self.peek() {
                "}" if depth > 0 => {
                    self.at += 1;
                    return Ok(());
                }
                ";" => self.at += 1,
                "syntax" | "edition" => {
                    self.third = !self.tokens.get(self.at + 2).is_some_and(|token| token.text.contains("proto2"));
                    self.skip();
                }
                "package" => {
                    self.at += 1;
                    self.package = self.word()?;
                    self.skip();
                }
                "message" => {
                    self.at += 1;
                    let name = within(scope, &self.word()?);
                    self.expect("{")?;
                    if self.messages.len() >= MESSAGES {
                        return Err((line, format!("more than {MESSAGES} messages")));
                    }
                    self.messages.insert(name.clone(), MessageOf { line, ..MessageOf::default() });
                    self.draft.keep();
                    self.body(&name, depth + 1)?;
                }
                "enum" => {
                    self.at += 1;
                    let name = within(scope, &self.word()?);
                    self.enumeration(name)?;
                }
                "oneof" if depth > 0 => {
                    self.at += 1;
                    let name = self.word()?;
                    self.expect("{")?;
                    self.draft.leave(
                        line,
                        format!("oneof {name}: its fields are there, that only one is given is not checked"),
                    );
                    self.body(scope, depth + 1)?;
                }
                "reserved" | "option" => self.skip(),
                what @ ("import" | "service" | "extend" | "extensions") => {
                    let name = self.tokens.get(self.at + 1).map_or("", |token| token.text);
                    self.draft.leave(line, format!("{what} {name}"));
                    self.skip();
                }
                _ if depth > 0 => self.field(scope)?,
                other => return Err((line, format!("expected message or enum, got {other:?}"))),
            }
        }
        match depth {
            0 => Ok(()),
            _ => Err((self.line(), format!("{scope}: the closing }} is missing"))),
        }
    }

    fn enumeration(&mut self, name: String) -> Done<()> {
        self.expect("{")?;
        let mut values: Vec<(String, i64)> = Vec::new();
        loop {
            let line = self.line();
            match self.peek() {
                "}" => break,
                ";" => self.at += 1,
                "option" | "reserved" => self.skip(),
                _ => {
                    let value_name = self.word()?;
                    self.expect("=")?;
                    let number = number(self.next()).ok_or((line, format!("{value_name}: expected a number")))?;
                    self.skip();
                    if let Some((first, _)) = values.iter().find(|(_, other)| *other == number) {
                        let why = format!("{value_name}: the same number as {first}");
                        self.draft.leave(line, why);
                    } else {
                        values.push((value_name, number));
                        self.draft.keep();
                    }
                }
            }
        }
        self.at += 1;
        self.enums.insert(name, values);
        Ok(())
    }

    fn field(&mut self, scope: &str) -> Done<()> {
        let line = self.line();
        let label = match self.peek() {
            label @ ("repeated" | "optional" | "required") => {
                self.at += 1;
                label
            }
            _ => "",
        };
        let mut kind = self.word()?;
        let map = kind == "map" && self.peek() == "<";
        let pair = if map {
            self.at += 1;
            let key = self.word()?;
            self.expect(",")?;
            let value = self.word()?;
            self.expect(">")?;
            Some((key, value))
        } else {
            None
        };
        let name = self.word()?;
        self.expect("=")?;
        let tag = number(self.next()).and_then(|n| u64::try_from(n).ok());
        let tag = tag
            .filter(|n| (1..=protobuf::LARGEST).contains(n))
            .ok_or((line, format!("{name}: expected its number")))?;
        if kind == "group" {
            self.draft.leave(line, format!("group {name}"));
            self.skip();
            return Ok(());
        }
        let mut packed = None;
        while !["", ";"].contains(&self.peek()) {
            match self.next() {
                "packed" => packed = Some(self.tokens.get(self.at + 1).is_some_and(|token| token.text == "true")),
                "default" => self.draft.leave(line, format!("{name}: its default")),
                _ => {}
            }
        }
        self.expect(";")?;
        if let Some((key, value)) = pair {
            kind = format!("{scope}.{name}Entry");
            let field = |name: &str, kind: String, tag| FieldOf {
                line: 0,
                name: name.into(),
                kind,
                tag,
                list: false,
                packed: None,
            };
            let fields = vec![field("key", key, 1), field("value", value, 2)];
            self.messages.insert(kind.clone(), MessageOf { line, fields });
        }
        let field = FieldOf { line, name, kind, tag, list: map || label == "repeated", packed };
        if let Some(message) = self.messages.get_mut(scope) {
            message.fields.push(field);
        }
        Ok(())
    }

    /// The message or enumeration that a type names, from the inside out.
    fn resolve(&self, kind: &str, scope: &str) -> Option<String> {
        let bare = kind.trim_start_matches('.');
        let bare = bare.strip_prefix(&format!("{}.", self.package)).unwrap_or(bare);
        let known = |name: &String| self.messages.contains_key(name) || self.enums.contains_key(name);
        let mut scope = Some(scope);
        while let Some(around) = scope {
            let name = within(around, bare);
            if known(&name) {
                return Some(name);
            }
            scope = if around.is_empty() { None } else { Some(around.rsplit_once('.').map_or("", |(outer, _)| outer)) };
        }
        None
    }

    /// Whether a message leads back to `to`.
    fn leads(&self, from: &str, to: &str) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(name) = open.pop() {
            let fields = self.messages.get(&name).into_iter().flat_map(|message| &message.fields);
            for inner in fields.filter_map(|field| self.resolve(&field.kind, &name)) {
                if inner == to {
                    return true;
                }
                if seen.insert(inner.clone()) {
                    open.push(inner);
                }
            }
        }
        false
    }

    /// The file: a struct for each message that another one or the packet has.
    fn written(mut self) -> Draft {
        let scalar = |kind: &str| protobuf::WORDS.iter().any(|(word, _)| *word == kind);
        let (mut text, mut used) = (String::new(), BTreeSet::new());
        let mut notes = Vec::new();
        for (name, message) in self.messages.iter().filter(|(_, message)| !message.fields.is_empty()) {
            let _ = writeln!(text, "[struct.{}]", name.replace('.', "_"));
            for field in &message.fields {
                let many = if field.list { "[]" } else { "" };
                let (mut more, noted) = (String::new(), notes.len());
                let target = self.resolve(&field.kind, name).filter(|_| !scalar(&field.kind));
                let kind = match &target {
                    None if scalar(&field.kind) => field.kind.clone(),
                    Some(of) if self.enums.contains_key(of) => {
                        let _ = write!(more, ", enum = {:?}", of.replace('.', "_"));
                        used.insert(of.clone());
                        "int32".into()
                    }
                    Some(of) if self.messages.get(of).is_some_and(|inner| inner.fields.is_empty()) => "bytes".into(),
                    Some(of) if *of == *name || self.leads(of, name) => {
                        notes.push((field.line, format!("{}: {of} contains itself: shown as bytes", field.name)));
                        "bytes".into()
                    }
                    Some(of) => {
                        used.insert(of.clone());
                        of.replace('.', "_")
                    }
                    None => {
                        notes.push((
                            field.line,
                            format!("{}: {} is in another file: shown as bytes", field.name, field.kind),
                        ));
                        "bytes".into()
                    }
                };
                let number = !["string", "bytes"].contains(&kind.as_str())
                    && !used.contains(&kind)
                    && target.as_ref().is_none_or(|of| self.enums.contains_key(of));
                if field.list && number && !field.packed.unwrap_or(self.third) {
                    more += ", packed = false";
                }
                let shown = if protobuf::TAKEN.contains(&field.name.as_str()) {
                    format!("{}_", field.name)
                } else {
                    field.name.clone()
                };
                let _ = writeln!(text, "{shown} = {{ type = \"{kind}{many}\", tag = {}{more} }}", field.tag);
                // The fields of a map's pairs are not statements.
                if field.line > 0 {
                    self.draft.carried += usize::from(notes.len() == noted);
                    self.draft.all += 1;
                }
            }
            text += "\n";
        }
        for (name, values) in self.enums.iter().filter(|(name, _)| used.contains(*name)) {
            let _ = writeln!(text, "[enum.{}]", name.replace('.', "_"));
            values.iter().for_each(|(name, number)| _ = writeln!(text, "{name} = {number}"));
            text += "\n";
        }
        self.draft.left_out.extend(notes);
        self.draft.left_out.sort();
        // The last message that no other one has.
        let root = self.messages.iter().filter(|(name, message)| !used.contains(*name) && !message.fields.is_empty());
        let root = root.max_by_key(|(_, message)| message.line).map(|(name, _)| name.replace('.', "_"));
        let head = "# Nothing in the file says what a packet is, and how its message is known: this reads each as one message.\n[packet.fields]\n";
        let packet = root.map_or("data = \"bytes\"".into(), |root| format!("message = {root:?}"));
        self.draft.text = format!("{head}{packet}\n\n{text}");
        self.draft
    }
}
