//! Lines of the renderers as lines of the screen.

use crate::printable::tricky;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

/// The lines of text that a renderer has written. What it colours are the palette's codes; nothing else that
/// controls a terminal comes through.
pub fn lines(text: &[u8]) -> Vec<Line<'static>> {
    let text = String::from_utf8_lossy(text);
    let mut style = Style::default();
    text.lines().map(|text| line(text, &mut style)).collect()
}

fn line(text: &str, style: &mut Style) -> Line<'static> {
    let mut spans = Vec::new();
    for (at, part) in text.split("\x1b[").enumerate() {
        let code =
            part.split_once('m').filter(|(code, _)| at > 0 && code.bytes().all(|b| b.is_ascii_digit() || b == b';'));
        let shown = match code {
            Some((code, rest)) => {
                code.split(';').for_each(|code| *style = painted(*style, code));
                rest
            }
            None => part,
        };
        if !shown.is_empty() {
            spans.push(Span::styled(plain(shown), *style));
        }
    }
    Line::from(spans)
}

/// Text for the screen: characters that control a terminal, or that hide, are replaced.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || tricky(c) { '\u{fffd}' } else { c }).collect()
}

fn painted(style: Style, code: &str) -> Style {
    const COLOURS: [Color; 8] =
        [Color::Black, Color::Red, Color::Green, Color::Yellow, Color::Blue, Color::Magenta, Color::Cyan, Color::Gray];
    let colour = |from: usize, number: usize| number.checked_sub(from).and_then(|k| COLOURS.get(k)).copied();
    match code.parse::<usize>().unwrap_or(0) {
        0 => Style::default(),
        1 => style.add_modifier(Modifier::BOLD),
        2 => style.add_modifier(Modifier::DIM),
        3 => style.add_modifier(Modifier::ITALIC),
        94 => style.fg(Color::LightBlue),
        number => colour(30, number).map_or(style, |colour| style.fg(colour)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::palette::COLOURS;

    #[test]
    fn only_colours_come_through() {
        let text = format!("{}a{} b\x1b[2Jc\u{9b}d\u{202e}\nnext", COLOURS.error, COLOURS.reset);
        let lines = lines(text.as_bytes());
        assert_eq!(lines.len(), 2);
        let first: String = lines[0].spans.iter().map(|span| &*span.content).collect();
        assert_eq!(first, "a b2Jc\u{fffd}d\u{fffd}");
        assert_eq!(lines[0].spans[0].style, Style::default().fg(Color::Red).add_modifier(Modifier::BOLD));
        assert_eq!(lines[0].spans[1].style, Style::default());
    }

    #[test]
    fn all_codes_of_the_palette_are_known() {
        for code in [COLOURS.dim, COLOURS.title, COLOURS.hex, COLOURS.name, COLOURS.word, COLOURS.text, COLOURS.derived]
        {
            let line = &lines(format!("{code}x").as_bytes())[0];
            assert!(line.spans[0].content == "x" && line.spans[0].style != Style::default(), "{code:?}");
        }
    }
}
