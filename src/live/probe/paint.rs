//! Colours for a probe's lines, which are formatted as plain text.

use crate::printable::Lines;
use crate::render::palette::Palette;
use std::fmt::Display;

/// The kind of a probe's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A server that was found, and its own text.
    Found,
    /// A round trip; `false`: it was lost.
    Sample(bool),
    /// The end; `false`: the server did not answer.
    End(bool),
}

/// Returns the text, escaped and coloured: targets as titles, names before a colon, and errors.
pub fn probe(text: impl Display, about: About, palette: &Palette) -> String {
    let text = Lines(text).to_string();
    if palette.reset.is_empty() {
        return text;
    }
    let mut out = String::new();
    for line in text.lines() {
        let reset = palette.reset;
        let own = line.trim_start();
        let indent = &line[..line.len() - own.len()];
        let (name, rest) = own.split_once(": ").map_or((own, None), |(name, rest)| (name, Some(rest)));
        let colour = match (about, indent.is_empty(), name) {
            (About::Sample(true), ..) => "",
            (About::Sample(false), ..) => palette.warning,
            (_, true, _) => palette.title,
            (_, false, "note" | "advice") => palette.note,
            (About::Found, ..) => palette.name,
            // Figures.
            (About::End(_), false, _) if rest.is_none() => "",
            (About::End(_), false, _) => palette.name,
        };
        let rest = match (rest, about, indent.is_empty()) {
            (Some(rest), About::End(false), true) => format!(": {}{rest}{reset}", palette.error),
            (Some(rest), ..) => format!(": {rest}"),
            (None, ..) => String::new(),
        };
        out += &match colour {
            "" => format!("{indent}{name}{rest}\n"),
            _ => format!("{indent}{colour}{name}{reset}{rest}\n"),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_server_becomes_a_colour() {
        let palette = Palette::of(true);
        let text = probe("[::1]:7: riptide 2.2\n  name: \x1b[31mred\n", About::Found, palette);
        assert_eq!(text, "\x1b[1m[::1]:7\x1b[0m: riptide 2.2\n  \x1b[94mname\x1b[0m: \\u{1b}[31mred\n");
        let text = probe("h:7: refused: closed\n  advice: open it\n", About::End(false), palette);
        assert_eq!(text, "\x1b[1mh:7\x1b[0m: \x1b[1;31mrefused: closed\x1b[0m\n  \x1b[36madvice\x1b[0m: open it\n");
        assert_eq!(
            probe("    1       lost     ping\n", About::Sample(false), Palette::of(false)),
            "    1       lost     ping\n"
        );
    }
}
