//! The grammar of rules: `EXPR: [after N] [once] ACTION, ...`.

use super::assignment::{Assignment, Kinds, Misfit};
use super::placeholder;
use super::rule::{Action, Rule};
use super::value::Given;
use crate::codec::digits;
use crate::duration::between;
use crate::encode::MAX_NESTING;
use crate::filter::{Filter, FilterError, Names};
use serde_json::Value as Json;
use std::time::Duration;

/// The longest delay of a rule. A session would not survive a longer one.
const LONGEST_DELAY: Duration = Duration::from_secs(3600);

/// The mistake in a rule, and its place.
pub(crate) type RuleError = FilterError;

impl Rule {
    /// Parses a rule.
    ///
    /// # Errors
    /// Returns the mistake and its place.
    pub fn parse(text: &str, names: &Names<'_>) -> Result<Rule, RuleError> {
        parse(text, names, None)
    }

    /// As [`Rule::parse`], but an expression alone means to drop.
    ///
    /// # Errors
    /// Returns the mistake and its place.
    pub fn parse_drop(text: &str, names: &Names<'_>) -> Result<Rule, RuleError> {
        parse(text, names, Some(Action::Drop(None)))
    }
}

/// Parses a rule. `bare` is the action of an expression alone.
fn parse(text: &str, names: &Names<'_>, bare: Option<Action>) -> Result<Rule, RuleError> {
    let chars: Vec<char> = text.chars().collect();
    let colon = colon(&chars);
    let end = colon.unwrap_or(chars.len());
    let expression: String = chars[..end].iter().collect();
    let blank = expression.chars().take_while(|c| c.is_whitespace()).count();
    let mut parser = Parser { text, chars: &chars, at: end + 1 };
    if colon.is_none() && bare.is_none() {
        return Err(parser.fail(chars.len(), 1, "expected 'EXPR: ACTION, ...', with a space after the colon".into()));
    }
    let filter = Filter::parse_unlinked(expression.trim(), names).map_err(|error| FilterError {
        text: text.into(),
        at: error.at + blank,
        ..error
    })?;
    let mut rule = Rule { text: text.into(), filter, after: 0, once: false, actions: Vec::new() };
    match colon {
        None => rule.actions.extend(bare),
        Some(_) => parser.actions(&mut rule, names)?,
    }
    Ok(rule)
}

/// Parses the changes of one message of these kinds: `FIELD=VALUE, ...`.
///
/// # Errors
/// Returns the mistake and its place.
#[cfg(feature = "cli")]
pub(crate) fn assignments(text: &str, kinds: Kinds<'_>, names: &Names<'_>) -> Result<Vec<Assignment>, RuleError> {
    let chars: Vec<char> = text.chars().collect();
    let mut parser = Parser { text, chars: &chars, at: 0 };
    let mut all = Vec::new();
    parser.skip();
    loop {
        all.push(parser.assignment(kinds, names, "expected FIELD=VALUE")?);
        if !parser.more()? {
            return Ok(all);
        }
    }
}

/// Returns the first `:` outside of quotes that is followed by a space, or by nothing.
fn colon(chars: &[char]) -> Option<usize> {
    let (mut quote, mut at) = (None, 0);
    while let Some(&c) = chars.get(at) {
        match (quote, c) {
            (Some(_), '\\') => at += 1,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ':') if chars.get(at + 1).is_none_or(|c| c.is_whitespace()) => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

struct Parser<'a> {
    text: &'a str,
    chars: &'a [char],
    at: usize,
}

impl Parser<'_> {
    fn fail(&self, at: usize, len: usize, what: String) -> RuleError {
        FilterError { what, text: self.text.into(), at, len: len.max(1) }
    }

    fn skip(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    /// Returns the next characters up to a space, comma or `=`.
    fn peek(&self) -> String {
        let stop = |c: &&char| !(c.is_whitespace() || **c == ',' || **c == '=');
        self.chars.get(self.at..).unwrap_or_default().iter().take_while(stop).collect()
    }

    /// Consumes a word if it is the next one, and not the name of a field.
    fn take(&mut self, word: &str) -> bool {
        let (found, end) = (self.peek() == word, self.at + word.chars().count());
        let is = found && self.chars.get(end) != Some(&'=');
        if is {
            self.at = end;
            self.skip();
        }
        is
    }

    fn actions(&mut self, rule: &mut Rule, names: &Names<'_>) -> Result<(), RuleError> {
        self.skip();
        loop {
            if rule.after == 0 && self.take("after") {
                let (word, at) = (self.peek(), self.at);
                let n = digits::unsigned(&word).filter(|n| *n > 0);
                rule.after = n.ok_or_else(|| {
                    let what = format!("after: expected the number of messages to skip, got {word:?}");
                    self.fail(at, word.chars().count(), what)
                })?;
                self.at += word.chars().count();
                self.skip();
            } else if !rule.once && self.take("once") {
                rule.once = true;
            } else {
                break;
            }
        }
        loop {
            let action = self.action(rule, names)?;
            rule.actions.push(action);
            if !self.more()? {
                break;
            }
        }
        let drops = rule.actions.iter().any(|action| matches!(action, Action::Drop(None)));
        match drops && rule.actions.len() > 1 {
            true => Err(self.fail(0, self.chars.len(), "a dropped message cannot be changed".into())),
            false => Ok(()),
        }
    }

    /// Consumes the comma before the next action. Returns whether there is one.
    fn more(&mut self) -> Result<bool, RuleError> {
        self.skip();
        match self.chars.get(self.at) {
            None => return Ok(false),
            Some(',') => self.at += 1,
            Some(_) => {
                let word = self.peek();
                let what = "expected a comma before the next action, or the end; quote text that has spaces";
                return Err(self.fail(self.at, word.chars().count(), what.into()));
            }
        }
        self.skip();
        Ok(true)
    }

    fn action(&mut self, rule: &Rule, names: &Names<'_>) -> Result<Action, RuleError> {
        if self.take("drop") {
            let (word, at) = (self.peek(), self.at);
            if word.is_empty() {
                return Ok(Action::Drop(None));
            }
            self.at += word.chars().count();
            let share = percent(&word)
                .map_err(|what| self.fail(at, word.chars().count(), format!("drop: {what}, got {word:?}")))?;
            return Ok(Action::Drop(Some(share)));
        }
        if self.take("duplicate") {
            return Ok(Action::Duplicate);
        }
        if self.take("delay") {
            let (word, at) = (self.peek(), self.at);
            self.at += word.chars().count();
            let wrong = |what: String| self.fail(at, word.chars().count(), format!("delay: {what}"));
            return between(&word, Duration::ZERO, LONGEST_DELAY).map(Action::Delay).map_err(wrong);
        }
        let expected = "expected an action: drop [P%], delay TIME, duplicate, or FIELD=VALUE";
        self.assignment(&rule.kinds(names), names, expected).map(Action::Set)
    }

    /// Parses `FIELD=VALUE` for messages of these kinds.
    fn assignment(&mut self, kinds: Kinds<'_>, names: &Names<'_>, expected: &str) -> Result<Assignment, RuleError> {
        let (path, at) = (self.peek(), self.at);
        self.at += path.chars().count();
        self.skip();
        if path.is_empty() || self.chars.get(self.at) != Some(&'=') {
            return Err(self.fail(at, path.chars().count(), expected.into()));
        }
        self.at += 1;
        let json = path.ends_with(':');
        let path = path.trim_end_matches(':').to_string();
        self.skip();
        let value_at = self.at;
        let assignment = Assignment { value: self.value(json)?, path };
        assignment.check(kinds, names).map_err(|misfit| match misfit {
            Misfit::Path(what) => self.fail(at, assignment.path.chars().count(), what),
            Misfit::Value(what) => self.fail(value_at, self.at - value_at, what),
        })?;
        Ok(assignment)
    }

    fn value(&mut self, json: bool) -> Result<Given, RuleError> {
        let start = self.at;
        let rest: String = self.chars.iter().skip(start).collect();
        let placeholder = placeholder::begins(&rest);
        match self.chars.get(start) {
            Some('[' | '{') if !placeholder => self.json(),
            _ if json => self.json(),
            Some(&quote @ ('"' | '\'')) => {
                let mut text = String::new();
                self.at += 1;
                loop {
                    match (self.chars.get(self.at), self.chars.get(self.at + 1)) {
                        (None, _) => return Err(self.fail(start, 1, "the closing quote is missing".into())),
                        (Some(c), _) if *c == quote => break,
                        (Some('\\'), Some(c @ ('\\' | '"' | '\''))) => {
                            text.push(*c);
                            self.at += 1;
                        }
                        (Some(c), _) => text.push(*c),
                    }
                    self.at += 1;
                }
                self.at += 1;
                Ok(Given::Quoted(text))
            }
            _ => {
                let bare = |c: &&char| !c.is_whitespace() && **c != ',';
                let word: String = self.chars.get(start..).unwrap_or_default().iter().take_while(bare).collect();
                self.at += word.chars().count();
                match word.is_empty() {
                    true => Err(self.fail(start, 1, "expected a value; an empty one is \"\"".into())),
                    false => Ok(Given::Word(word)),
                }
            }
        }
    }

    /// Parses a JSON value, as far as it goes.
    fn json(&mut self) -> Result<Given, RuleError> {
        let start = self.at;
        let rest: String = self.chars.get(start..).unwrap_or_default().iter().collect();
        let no = |what: String| self.fail(start, 1, format!("invalid JSON: {what}"));
        // Parsing recurses. Brackets inside strings count too: nobody writes thousands of them.
        if rest.bytes().filter(|b| matches!(b, b'[' | b'{')).count() > MAX_NESTING {
            return Err(no(format!("nested more than {MAX_NESTING} levels deep")));
        }
        let mut values = serde_json::Deserializer::from_str(&rest).into_iter::<Json>();
        match values.next() {
            Some(Ok(value)) => {
                let end = values.byte_offset();
                self.at += rest.get(..end).unwrap_or(&rest).chars().count();
                Ok(Given::Json(value))
            }
            Some(Err(error)) => Err(no(error.to_string())),
            None => Err(no("expected a value".into())),
        }
    }
}

/// Parses a share: `30%`.
///
/// # Errors
/// Returns the expected form.
pub fn percent(text: &str) -> Result<f64, String> {
    let share = text.strip_suffix('%').and_then(digits::real).map(|p| p / 100.0);
    share.filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| "expected a share from 0% to 100%".into())
}
