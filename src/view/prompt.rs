//! The line in which a filter, a place or a file's name is typed.

use crate::dissect::Options;
use crate::filter::{Filter, FilterError, Names};
use crate::live::rules::assignments;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The kind of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Messages to go to.
    Search,
    /// Messages to show, without the others.
    Filter,
    /// A frame or a time.
    Place,
    /// A file to write.
    File,
    /// Messages that a proxy holds.
    Hold,
    /// The changes of a held message of this kind: its protocol and name.
    Edit((&'static str, &'static str)),
}

impl Asked {
    /// The sign at the beginning of the line.
    pub fn sign(self) -> &'static str {
        match self {
            Asked::Search => "find: ",
            Asked::Filter => "filter: ",
            Asked::Place => "frame or time: ",
            Asked::File => "write to: ",
            Asked::Hold => "hold: ",
            Asked::Edit(_) => "edit: ",
        }
    }

    /// Whether the text is checked as it is typed.
    pub fn is_checked(self) -> bool {
        !matches!(self, Asked::Place | Asked::File)
    }
}

/// A line that is being typed.
#[derive(Debug)]
pub struct Prompt {
    /// The kind.
    pub asked: Asked,
    /// The text so far.
    pub text: String,
    /// The character that the cursor is on.
    pub cursor: usize,
    /// The error in the filter so far.
    pub error: Option<FilterError>,
    /// Names, or values of the name before it, that the word before the cursor may become.
    pub offered: Vec<String>,
    names: Vec<String>,
}

/// The most names that are offered.
const OFFERED: usize = 50;

impl Prompt {
    /// Asks, with a text to begin with.
    pub fn new(asked: Asked, text: &str, options: &Options) -> Prompt {
        let names = if asked.is_checked() { Names::new(options).all() } else { Vec::new() };
        let cursor = text.chars().count();
        let mut prompt = Prompt { asked, text: text.into(), cursor, error: None, offered: Vec::new(), names };
        prompt.changed(options);
        prompt
    }

    /// The filter as typed; an empty one is none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn filter(&self, options: &Options) -> Result<Option<Filter>, FilterError> {
        let blank = self.text.trim().is_empty();
        let parse = if self.asked == Asked::Hold { Filter::parse_unlinked } else { Filter::parse };
        if blank { Ok(None) } else { parse(&self.text, &Names::new(options)).map(Some) }
    }

    fn changed(&mut self, options: &Options) {
        self.error = match self.asked {
            Asked::Edit(_) if self.text.trim().is_empty() => None,
            Asked::Edit(kind) => assignments(&self.text, &[kind], &Names::new(options)).err(),
            asked if asked.is_checked() => self.filter(options).err(),
            _ => None,
        };
        let word = self.word();
        let fits = |name: &str| name.starts_with(&*word) && name != word;
        self.offered = match self.compared() {
            Some(name) if self.asked.is_checked() => {
                let values = Names::new(options).values(name).into_iter();
                values.filter(|value| fits(value)).take(OFFERED).map(String::from).collect()
            }
            _ if word.is_empty() => Vec::new(),
            _ => self.names.iter().filter(|name| fits(name)).take(OFFERED).cloned().collect(),
        };
    }

    /// The name whose value is being typed: that before `==`, `!=`, `=` or `in {`.
    fn compared(&self) -> Option<&str> {
        let before = self.text.get(..self.place(self.cursor))?;
        let before = before.get(..before.len() - self.word().len())?.trim_end();
        let listed = || {
            let (before, values) = before.rsplit_once('{').filter(|(_, values)| !values.contains('}'))?;
            (values.is_empty() || values.ends_with(',')).then(|| before.trim_end().strip_suffix("in"))?
        };
        let name = before.strip_suffix('=').map(|rest| rest.trim_end_matches(['=', '!'])).or_else(listed)?.trim_end();
        name.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).next().filter(|name| !name.is_empty())
    }

    /// The place of a character in the text.
    fn place(&self, character: usize) -> usize {
        self.text.char_indices().nth(character).map_or(self.text.len(), |(at, _)| at)
    }

    /// The name that ends at the cursor.
    fn word(&self) -> String {
        let before = self.text.get(..self.place(self.cursor)).unwrap_or_default();
        let begin = before
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
            .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
        before.get(begin..).unwrap_or_default().into()
    }

    /// Completes the word as far as all offered names agree; where they do not, by the first of them.
    fn complete(&mut self) {
        let Some(first) = self.offered.first() else { return };
        let word = self.word();
        let same = |name: &String| first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        let common = self.offered.iter().map(same).min().unwrap_or(0);
        let to = if common > word.len() { first.get(..common).unwrap_or(first) } else { first };
        let added: String = to.get(word.len()..).unwrap_or_default().into();
        let at = self.place(self.cursor);
        self.text.insert_str(at, &added);
        self.cursor += added.chars().count();
    }

    /// Edits the text.
    pub fn key(&mut self, key: KeyEvent, options: &Options) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('u') if control => {
                self.text.drain(..self.place(self.cursor));
                self.cursor = 0;
            }
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.text.chars().count(),
            KeyCode::Char(c) if !control && !c.is_control() => {
                self.text.insert(self.place(self.cursor), c);
                self.cursor += 1;
            }
            KeyCode::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.text.remove(self.place(self.cursor));
            }
            KeyCode::Delete if self.cursor < self.text.chars().count() => _ = self.text.remove(self.place(self.cursor)),
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.text.chars().count()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.chars().count(),
            KeyCode::Tab => self.complete(),
            _ => return,
        }
        self.changed(options);
    }
}
