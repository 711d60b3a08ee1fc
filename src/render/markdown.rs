//! Markdown pages as text for a terminal: wrapped, with tables in columns.

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

/// The style of a part of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Face {
    Plain,
    Bold,
    Code,
}

impl Face {
    const fn codes(self) -> (&'static str, &'static str) {
        match self {
            Face::Plain => ("", ""),
            Face::Bold => ("\x1b[1m", "\x1b[0m"),
            Face::Code => ("\x1b[36m", "\x1b[0m"),
        }
    }
}

/// Returns the page as text, with no line longer than `width` if its words and code blocks allow that.
pub fn plain(markdown: &str, width: usize, colour: bool) -> String {
    let mut page = Page { width, colour, ..Page::default() };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.event(event);
    }
    format!("{}\n", page.out.trim_matches('\n'))
}

#[derive(Default)]
struct Page {
    out: String,
    width: usize,
    colour: bool,
    /// The words of the current paragraph, heading or cell; each consists of parts.
    words: Vec<Vec<(String, Face)>>,
    /// Whether the next part continues the last word.
    joined: bool,
    strong: bool,
    heading: bool,
    code: bool,
    /// The open lists; for numbered ones, the next number.
    lists: Vec<Option<u64>>,
    /// The text before the current item's first line, until it is written.
    mark: Option<String>,
    rows: Vec<Vec<String>>,
}

impl Page {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code => {
                for line in text.lines() {
                    self.out.push_str(format!("{:1$}{line}", "", self.indent() + 4).trim_end());
                    self.out.push('\n');
                }
            }
            Event::Text(text) => self.text(&text, if self.strong { Face::Bold } else { Face::Plain }),
            Event::Code(text) => self.text(&text, Face::Code),
            Event::SoftBreak | Event::HardBreak => self.joined = false,
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.blank();
                self.heading = true;
            }
            Tag::Paragraph if self.mark.is_none() => self.blank(),
            Tag::CodeBlock(_) => {
                self.blank();
                self.code = true;
            }
            Tag::List(first) => {
                self.paragraph();
                if self.lists.is_empty() {
                    self.blank();
                }
                self.lists.push(*first);
            }
            Tag::Item => {
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".into(),
                };
                self.mark = Some(mark);
            }
            Tag::Table(_) => self.blank(),
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            Tag::Strong => self.strong = true,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.words.iter_mut().flatten().for_each(|part| part.1 = Face::Bold);
                self.paragraph();
                self.heading = false;
            }
            TagEnd::Paragraph => self.paragraph(),
            TagEnd::Item => {
                self.paragraph();
                self.mark = None;
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::CodeBlock => self.code = false,
            TagEnd::TableCell => {
                let words = std::mem::take(&mut self.words);
                let words: Vec<String> =
                    words.into_iter().map(|word| word.into_iter().map(|part| part.0).collect()).collect();
                if let Some(row) = self.rows.last_mut() {
                    row.push(words.join(" "));
                }
                self.joined = false;
            }
            TagEnd::Table => self.table(),
            TagEnd::Strong => self.strong = false,
            _ => {}
        }
    }

    /// Splits a text into words at spaces, whatever the style.
    fn text(&mut self, text: &str, face: Face) {
        for (k, part) in text.split(' ').enumerate() {
            if k > 0 {
                self.joined = false;
            }
            if part.is_empty() {
                continue;
            }
            match self.words.last_mut().filter(|_| self.joined) {
                Some(word) => word.push((part.into(), face)),
                None => self.words.push(vec![(part.into(), face)]),
            }
            self.joined = true;
        }
    }

    /// Returns the width of the open lists' marks.
    fn indent(&self) -> usize {
        self.lists.iter().map(|list| if list.is_some() { 3 } else { 2 }).sum()
    }

    /// Adds an empty line, unless there is one.
    fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Writes the collected words, wrapped.
    fn paragraph(&mut self) {
        self.joined = false;
        let words = std::mem::take(&mut self.words);
        if words.is_empty() {
            return;
        }
        let indent = self.indent();
        let mark = self.mark.take().unwrap_or_default();
        self.out.extend(std::iter::repeat_n(' ', indent - mark.len().min(indent)));
        self.out.push_str(&mark);
        let mut column = indent;
        for (k, word) in words.iter().enumerate() {
            let long: usize = word.iter().map(|part| part.0.width()).sum();
            if k > 0 && column + 1 + long > self.width {
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            } else if k > 0 {
                self.out.push(' ');
                column += 1;
            }
            for (text, face) in word {
                let (on, off) = if self.colour { face.codes() } else { ("", "") };
                self.out.extend([on, text, off]);
            }
            column += long;
        }
        self.out.push('\n');
    }

    fn table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows).into_iter();
        let mut table = Table::new();
        // A line below the header and no other borders.
        table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(self.width.min(u16::MAX.into()) as u16);
        if let Some(head) = rows.next().filter(|head| head.iter().any(|cell| !cell.is_empty())) {
            table.set_header(head);
        }
        table.add_rows(rows);
        for line in table.lines() {
            self.out.push_str(line.trim_end());
            self.out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A *head*\n\nSome words, `code here`, and **more** of them\nthan a line has.\n\n- first\n  goes on and on and on\n- second\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| `x y` | long words in a cell |\n\n```text\nas   it is, however long the line may be\n```\n";

    #[test]
    fn is_wrapped_at_the_width() {
        let text = plain(PAGE, 24, false);
        assert!(text.starts_with("A head\n\nSome words, code here,\nand more of them than a\nline has.\n\n- first goes on and on\n  and on\n- second\n\n1. one\n2. two\n\n"), "{text}");
        assert!(text.ends_with("\n\n    as   it is, however long the line may be\n"), "{text}");
        assert!(text.lines().all(|line| line.width() <= 24 || line.starts_with("    as")), "{text}");
        assert!(!text.contains('\x1b'));
    }

    #[test]
    fn colours_change_no_character() {
        let colour = plain(PAGE, 60, true);
        assert!(colour.contains("\x1b[1mA\x1b[0m \x1b[1mhead\x1b[0m\n"), "{colour}");
        let bare = ["\x1b[0m", "\x1b[1m", "\x1b[36m"].iter().fold(colour, |text, code| text.replace(code, ""));
        assert_eq!(bare, plain(PAGE, 60, false));
    }

    #[test]
    fn any_width_will_do() {
        for width in 0..30 {
            assert!(plain(PAGE, width, false).contains("second"));
        }
    }
}
