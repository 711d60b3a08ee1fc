//! Parses tokens to an expression with all names resolved.

use super::ends::{self, Ends};
use super::lexer::{Token, TokenKind as Word};
use super::literal::{fits, number};
use super::names::{Deepest, NamedFields, Names};
use super::path::{Index, Part, Path, PathStep, component};
use super::related::{self, Condition, RelatedField};
use super::{Comparison, Envelope, Expression, FilterError, Literal, Test, possible};
use crate::capture::Time;
use crate::codec::Level;
use crate::codec::layout::{Kind, flag};
use crate::nearest::{hint, nearest};

/// The cap on nesting of parentheses.
const DEPTH: usize = 64;

/// Parses an expression.
pub fn parse(text: &str, tokens: &[Token], names: &Names<'_>) -> Result<Expression, FilterError> {
    let mut parser = Parser { text, tokens, next: 0, names, depth: 0 };
    let expression = parser.or()?;
    match parser.tokens.get(parser.next) {
        None => Ok(expression),
        Some(token) => Err(parser.fail(token, "expected and, or, or the end".into())),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    next: usize,
    names: &'a Names<'a>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn fail(&self, token: &Token, what: String) -> FilterError {
        FilterError { what, text: self.text.into(), at: token.at, len: token.len }
    }

    fn end(&self, what: &str) -> FilterError {
        let at = self.text.chars().count();
        FilterError { what: what.into(), text: self.text.into(), at, len: 1 }
    }

    /// Consumes the next token if it is one of these words or signs.
    fn take(&mut self, wanted: &[&str]) -> Option<&'a Token> {
        let token = self.tokens.get(self.next)?;
        let is = match &token.kind {
            Word::Word(w) => wanted.contains(&w.as_str()),
            Word::Sign(s) => wanted.contains(s),
            Word::Quoted(_) => false,
        };
        self.next += is as usize;
        is.then_some(token)
    }

    fn or(&mut self) -> Result<Expression, FilterError> {
        let mut left = self.and()?;
        while self.take(&["or", "||", "|"]).is_some() {
            left = Expression::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expression, FilterError> {
        let mut left = self.not()?;
        while self.take(&["and", "&&", "&"]).is_some() {
            left = related::both(left, self.not()?);
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expression, FilterError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.end("nested too deeply"));
        }
        let result = match self.take(&["not", "!"]) {
            Some(_) => self.not().map(|e| Expression::Not(Box::new(e))),
            None => self.primary(),
        };
        self.depth -= 1;
        result
    }

    fn primary(&mut self) -> Result<Expression, FilterError> {
        if self.take(&["("]).is_some() {
            let inner = self.or()?;
            return match self.take(&[")"]) {
                Some(_) => Ok(inner),
                None => Err(self.end("expected )")),
            };
        }
        if self.take(&["has"]).is_some() {
            return self.has();
        }
        let Some(token) = self.tokens.get(self.next) else { return Err(self.end("expected a field or a condition")) };
        let Word::Word(name) = &token.kind else { return Err(self.fail(token, "expected a field's name".into())) };
        self.next += 1;
        if name == "fault" {
            return Ok(Expression::Fault);
        }
        if let Some((_, envelope, _)) = Envelope::ALL.iter().find(|(n, ..)| n == name) {
            return self.envelope(*envelope, token);
        }
        if name.split('.').next() == Some("related") {
            return self.related(name, token);
        }
        self.field(name, token)
    }

    fn related(&mut self, name: &str, token: &Token) -> Result<Expression, FilterError> {
        let Some(field) = RelatedField::by_name(name) else {
            let near = hint(nearest(name, RelatedField::ALL.iter().map(|(n, ..)| *n)));
            return Err(self.fail(token, format!("no field {name:?} here{near}")));
        };
        let before = self.next;
        let test = self.test(false)?;
        if field != RelatedField::Kind && matches!(test, Test::Contains(_) | Test::Matches(_)) {
            let what = match field {
                RelatedField::Any => RelatedField::NO_VALUE.to_owned(),
                _ => possible::number_not_text(name),
            };
            return Err(self.fail(token, what));
        }
        for (literal, token) in self.literals(&test, before) {
            if let Some(what) = field.wrong(&test, literal) {
                return Err(self.fail(token, what));
            }
        }
        Ok(Expression::Related(vec![Condition { field, test }]))
    }

    fn has(&mut self) -> Result<Expression, FilterError> {
        let Some(token) = self.tokens.get(self.next) else {
            return Err(self.end("expected fault, note, warning, error, unanswered, never_acked or a field"));
        };
        let Word::Word(name) = &token.kind else {
            return Err(
                self.fail(token, "expected fault, note, warning, error, unanswered, never_acked or a field".into())
            );
        };
        match name.as_str() {
            "fault" => self.next += 1,
            "unanswered" | "never_acked" => {
                self.next += 1;
                let answer = name == "unanswered";
                return Ok(if answer { Expression::Unanswered } else { Expression::NeverAcked });
            }
            "note" | "warning" | "error" => {
                self.next += 1;
                let level = Level::named(name);
                return Ok(Expression::Level(level.unwrap_or(Level::Note)));
            }
            _ => return self.primary(),
        }
        Ok(Expression::Fault)
    }

    fn envelope(&mut self, envelope: Envelope, name: &Token) -> Result<Expression, FilterError> {
        let before = self.next;
        let test = self.test(envelope.is_end())?;
        if matches!(test, Test::Exists) && !envelope.is_optional() {
            return Err(self.fail(name, "expected a comparison after it, such as == VALUE".into()));
        }
        let literals: Vec<(&Literal, &Token)> = self.literals(&test, before);
        for (literal, token) in literals {
            if matches!(test, Test::Compare(..) | Test::In(_))
                && let Some(what) = ends::wrong(envelope, literal)
            {
                return Err(self.fail(token, what));
            }
            if envelope.is_number() && literal.number.is_none() && !matches!(test, Test::Matches(_)) {
                let what = match envelope {
                    Envelope::Time => "expected seconds since 1970 (--since 5s counts from the first frame)",
                    _ => "expected a number",
                };
                return Err(self.fail(token, format!("{what}, got {:?}", literal.text)));
            }
            if let (Test::In(_), Some(range)) = (&test, envelope.range())
                && let (least, most) = range
                && !possible::within(literal, least, most)
            {
                return Err(self.fail(token, possible::out_of_range(&self.word(name), least, most)));
            }
            let Some(known) = self.names.of_envelope(envelope) else { continue };
            if matches!(test, Test::Compare(..) | Test::In(_)) && !known.contains(&literal.text.as_str()) {
                let near = hint(nearest(&literal.text, known.iter().copied()));
                return Err(self.fail(token, format!("{} has no value {:?}{near}", self.word(name), literal.text)));
            }
        }
        if let Some(what) = possible::wrong_around(envelope, &test, &self.word(name)) {
            return Err(self.fail(self.tokens.get(self.next.saturating_sub(1)).unwrap_or(name), what));
        }
        Ok(Expression::Envelope(envelope, test))
    }

    fn word(&self, token: &Token) -> String {
        self.text.chars().skip(token.at).take(token.len).collect()
    }

    /// The test's literals with their tokens.
    fn literals<'t>(&self, test: &'t Test, from: usize) -> Vec<(&'t Literal, &'a Token)> {
        let tokens: Vec<&Token> =
            self.tokens[from..self.next].iter().filter(|t| !matches!(t.kind, Word::Sign(_))).collect();
        let list: Vec<&Literal> = match test {
            Test::Compare(_, literal) | Test::Contains(literal) => vec![literal],
            Test::In(list) => list.iter().collect(),
            Test::Exists | Test::Matches(_) => vec![],
        };
        // The operands of `in` and `contains` are the last tokens.
        let skip = tokens.len().saturating_sub(list.len());
        list.into_iter().zip(tokens.into_iter().skip(skip)).collect()
    }

    fn field(&mut self, name: &str, token: &Token) -> Result<Expression, FilterError> {
        let mut steps = Vec::new();
        let mut inside = false;
        let dots = |c: char| {
            inside = (inside || c == '[') && c != ']';
            c == '.' && !inside
        };
        for part in name.split(dots) {
            let (name, index) = match part.split_once('[') {
                None => (part, None),
                Some((name, rest)) => match rest.strip_suffix(']').and_then(Index::parse) {
                    Some(index) => (name, Some(index)),
                    None => return Err(self.fail(token, format!("{part:?}: expected [NUMBER] or [FROM..TO]"))),
                },
            };
            if name.is_empty() {
                return Err(self.fail(token, "a field's name is missing".into()));
            }
            steps.push(PathStep { name: name.into(), index });
        }
        let mut path = Path { proto: None, message: None, part: Part::Either, steps };
        let mut at = token.at;
        let mut drop_first = |path: &mut Path| {
            let first = path.steps.remove(0);
            at += first.name.chars().count() + 1;
        };
        if let Some((proto, dissector)) = self.names.proto(&path.steps[0].name) {
            drop_first(&mut path);
            path.proto = Some(proto);
            if let Some(message) = path.steps.first().and_then(|s| self.names.message(dissector, &s.name)) {
                // A field may have the same name as its message: `gne.packets`, `gne.packets.id`.
                let names: Vec<&str> = path.steps.iter().map(|s| s.name.as_str()).collect();
                let inside = names.get(1..).map(|rest| rest.strip_prefix(&["fields"]).unwrap_or(rest));
                let inside = inside.map(|rest| rest.strip_prefix(&["derived"]).unwrap_or(rest));
                let of_message = inside
                    .is_some_and(|rest| !rest.is_empty() && self.names.find(Some(proto), Some(message), rest).is_ok());
                if of_message || self.names.find(Some(proto), None, &names).is_err() {
                    drop_first(&mut path);
                    path.message = Some(message);
                }
                if of_message && message == "packet" && self.names.packet(Some(proto), &path.names()).is_ok() {
                    path.part = Part::Packet;
                }
            }
            if path.steps.is_empty() {
                return Ok(Expression::Kind(proto, path.message));
            }
        }
        match path.steps[0].name.as_str() {
            "fields" if path.steps.len() > 1 => {
                drop_first(&mut path);
                path.part = Part::Fields;
            }
            "packet" if path.steps.len() > 1 && (self.is_in_packet(&path) || self.find(&path).is_err()) => {
                drop_first(&mut path);
                path.part = Part::Packet;
            }
            "derived" if path.steps.len() > 1 => {
                drop_first(&mut path);
                path.part = Part::Derived;
            }
            _ => {}
        }
        let names = path.names();
        let found = self.find(&path).map_err(|Deepest { step, names: known }| {
            // The envelope's fields have no parts.
            let envelope = || super::envelope().map(|(n, _)| n.to_owned()).find(|n| step == 0 && *n == names[0]);
            if let Some(meant) = self.names.elsewhere(name).or_else(envelope) {
                return self.fail(token, format!("no field {name:?} here{}", hint(Some(&meant))));
            }
            let wrong = names.get(step).copied().unwrap_or("");
            let at = at + names[..step].iter().map(|n| n.chars().count() + 1).sum::<usize>();
            let envelope =
                super::envelope().chain(super::related()).map(|(n, _)| n).filter(|_| step == 0 && path.proto.is_none());
            let inside = self.names.inside(path.proto, path.message, wrong, &known).filter(|_| step == 0);
            let near = hint(inside.as_deref().or_else(|| nearest(wrong, known.into_iter().chain(envelope))));
            let messages = self.names.called(wrong).filter(|_| step == 0 && path.message.is_none());
            let near = match messages.collect::<Vec<_>>() {
                list if list.is_empty() => near,
                list => format!(", it is a message: {}", list.join(", ")),
            };
            let what = match path.proto {
                Some(proto) => format!("{proto} has no field {wrong:?} here{near}"),
                None => format!("no field {wrong:?} here{near}"),
            };
            let what = match names.first() {
                Some(&"payload") if step == 1 && self.names.schemas.is_empty() => {
                    format!("{what}; --schema FILE describes payloads")
                }
                _ => what,
            };
            FilterError { what, text: self.text.into(), at, len: wrong.chars().count() }
        })?;
        let on_the_wire = matches!(path.part, Part::Fields | Part::Packet);
        if on_the_wire && !found.open && found.fields.iter().all(|field| field.is(flag::DERIVED)) {
            let what = format!("{0} is a derived value: write derived.{0}", names.join("."));
            return Err(self.fail(token, what));
        }
        // `x` alone is not helpful: suggest `position.x`.
        let vector = names.last().is_some_and(|last| component(last).is_some());
        let mut name = names.get(names.len().saturating_sub(1 + vector as usize)..).unwrap_or(&[]).join(".");
        let picked;
        let found = match path.steps.last().and_then(|step| step.index) {
            Some(index) if !found.open && !found.listed => {
                if found.fields.iter().any(|field| !matches!(field.kind, Kind::Bytes { .. })) {
                    return Err(self.fail(token, format!("{name} is one value: lists and bytes have an index")));
                }
                picked = index.field();
                let word = self.word(token);
                name.push_str(word.rfind('[').map_or("", |at| &word[at..]));
                NamedFields { fields: vec![&picked], ..NamedFields::default() }
            }
            _ => found,
        };
        let before = self.next;
        let test = self.test(false)?;
        for (literal, token) in self.literals(&test, before) {
            if matches!(test, Test::Compare(..) | Test::In(_)) {
                fits(&found, &name, literal).map_err(|what| self.fail(token, what))?;
            }
            let equal = || Test::Compare(Comparison::Equal, literal.clone());
            if let (Test::In(_), Some(what)) = (&test, possible::wrong(&found, &name, &equal())) {
                return Err(self.fail(token, what));
            }
        }
        if let Some(what) = possible::wrong(&found, &name, &test) {
            let last = self.tokens.get(self.next.saturating_sub(1)).unwrap_or(token);
            return Err(self.fail(last, what));
        }
        Ok(Expression::Field(path, test))
    }

    /// The fields that the path can denote.
    fn find(&self, path: &Path) -> Result<NamedFields<'static>, Deepest> {
        match path.part {
            Part::Packet if path.message.is_none() => self.names.packet(path.proto, &path.names()),
            _ => self.names.find(path.proto, path.message, &path.names()),
        }
    }

    /// Whether the path is `packet.` and a field of a header.
    fn is_in_packet(&self, path: &Path) -> bool {
        let names = path.names();
        let inner = names.split_first().filter(|(first, rest)| **first == "packet" && !rest.is_empty());
        inner.is_some_and(|(_, rest)| self.names.packet(path.proto, rest).is_ok())
    }

    /// Parses the operator and operands after a name. `bare`: `in` accepts one value without braces, as for prefixes.
    fn test(&mut self, bare: bool) -> Result<Test, FilterError> {
        let Some(token) = self.take(&["==", "=", "!=", "<", "<=", ">", ">=", "~", "in", "contains"]) else {
            return Ok(Test::Exists);
        };
        let sign = match &token.kind {
            Word::Word(w) => w.as_str(),
            Word::Sign(s) => s,
            Word::Quoted(_) => "",
        };
        let comparison = match sign {
            "==" | "=" => Comparison::Equal,
            "!=" => Comparison::Unequal,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            "contains" => return Ok(Test::Contains(self.literal()?)),
            "~" => {
                let place = self.tokens.get(self.next).cloned();
                let pattern = self.literal()?;
                return match (regex_lite::Regex::new(&pattern.text), place) {
                    (Ok(regex), _) => Ok(Test::Matches(regex)),
                    (Err(why), Some(token)) => Err(self.fail(&token, format!("invalid regular expression: {why}"))),
                    (Err(why), None) => Err(self.end(&why.to_string())),
                };
            }
            _ => {
                let braces = self.take(&["{"]).is_some();
                if !braces && bare {
                    return Ok(Test::In(vec![self.literal()?]));
                }
                if !braces {
                    return Err(self.end("expected { after in, as in {1, 2}"));
                }
                let mut list = vec![self.literal()?];
                while self.take(&[","]).is_some() {
                    list.push(self.literal()?);
                }
                return match self.take(&["}"]) {
                    Some(_) => Ok(Test::In(list)),
                    None => Err(self.end("expected , or }")),
                };
            }
        };
        Ok(Test::Compare(comparison, self.literal()?))
    }

    fn literal(&mut self) -> Result<Literal, FilterError> {
        let Some(token) = self.tokens.get(self.next) else { return Err(self.end("expected a value")) };
        self.next += 1;
        match &token.kind {
            Word::Quoted(text) => {
                Ok(Literal { text: text.clone(), number: None, attos: None, ends: Ends::parse(text) })
            }
            Word::Word(text) => {
                let attos = Time::decimal(text).map(Time::attos);
                Ok(Literal { text: text.clone(), number: number(text), attos, ends: Ends::parse(text) })
            }
            Word::Sign(_) => Err(self.fail(token, "expected a value".into())),
        }
    }
}
