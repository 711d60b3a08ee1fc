//! Writes the page: everything in it is written by this module.
//!
//! Elements and attributes are named in code and must be in the lists below. Every text and every attribute's value is
//! escaped and cut at a limit; invisible characters are made visible. No function takes markup, so that nobody can pass
//! any on by mistake: the content of a capture, a schema or a file's name stays text.

use crate::printable::Printable;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::fmt::{self, Display, Write};

/// The most bytes of a text that are shown. No text of the page itself is as long.
const LONGEST: usize = 4096;

/// The allowed elements. None of them loads or runs anything.
#[rustfmt::skip]
const ELEMENTS: &[&str] = &[
    "a", "abbr", "article", "aside", "b", "bdi", "body", "br", "button", "caption", "circle", "clipPath", "code",
    "col", "colgroup", "data", "dd", "defs", "desc", "details", "div", "dl", "dt", "ellipse", "em", "fieldset",
    "figcaption", "figure", "footer", "g", "h1", "h2", "h3", "h4", "header", "hr", "i", "input", "kbd", "label",
    "legend", "li", "line", "main", "mark", "marker", "nav", "noscript", "ol", "optgroup", "option", "output", "p",
    "path", "pattern", "polygon", "polyline", "pre", "rect", "s", "section", "select", "small", "span", "strong",
    "summary", "svg", "table", "tbody", "td", "text", "tfoot", "th", "thead", "time", "title", "tr", "tspan", "u",
    "ul", "use",
];
/// The elements without content and end tag.
const VOID: &[&str] = &["br", "col", "hr", "input"];
/// The allowed attributes, in addition to `aria-` and `data-`: none that runs or loads anything, and no `style`.
/// [`Element::to`] writes the target of a link.
#[rustfmt::skip]
const ATTRIBUTES: &[&str] = &[
    "abbr", "autocomplete", "checked", "class", "clip-path", "colspan", "cx", "cy", "d", "datetime", "dir", "disabled",
    "display", "dominant-baseline", "dx", "dy", "fill", "fill-opacity", "for", "headers", "height", "hidden", "id",
    "label", "lang", "list", "marker-end", "marker-mid", "marker-start", "markerHeight", "markerUnits", "markerWidth",
    "max", "maxlength", "min", "minlength", "multiple", "name", "opacity", "open", "orient", "overflow", "paint-order",
    "pathLength", "patternTransform", "patternUnits", "placeholder", "points", "preserveAspectRatio", "r", "readonly",
    "refX", "refY", "role", "rowspan", "rx", "ry", "scope", "selected", "size", "span", "spellcheck", "start", "step",
    "stroke", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-width", "tabindex", "text-anchor",
    "title", "transform", "translate", "type", "value", "vector-effect", "viewBox", "visibility", "width", "x", "x1",
    "x2", "y", "y1", "y2",
];

const STYLE: &str = concat!(include_str!("style.css"), "\n", include_str!("viewer.css"));
const SCRIPT: &str = include_str!("script.js");

/// A page, or a part of it, while it is written.
#[derive(Debug, Default)]
pub(crate) struct Html {
    out: String,
}

/// An element whose attributes are being written; dropping it ends the element.
#[derive(Debug)]
pub(crate) struct Element<'h> {
    html: &'h mut Html,
    tag: &'static str,
    begun: bool,
}

impl Html {
    /// Writes a whole page. Its policy allows only its one style and one script, by their hashes.
    pub fn document(title: impl Display, body: impl FnOnce(&mut Html)) -> String {
        let mut page = Html::default();
        let hash = |text: &str| BASE64_STANDARD.encode(hmac_sha256::Hash::hash(text.as_bytes()));
        let (style, script) = (hash(STYLE), hash(SCRIPT));
        page.out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        // Writing to a string cannot fail.
        let _ = writeln!(
            page.out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{style}'; \
             script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'\">"
        );
        page.out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        page.out.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
        page.out.push_str("<meta name=\"referrer\" content=\"no-referrer\">\n");
        page.out.push_str(concat!("<meta name=\"generator\" content=\"netkit ", env!("CARGO_PKG_VERSION"), "\">\n"));
        page.el("title").text(title);
        let _ = write!(page.out, "\n<style>{STYLE}</style>\n</head>\n");
        page.el("body").with(|page| {
            body(page);
            let _ = write!(page.out, "\n<script>{SCRIPT}</script>\n");
        });
        page.out.push_str("\n</html>\n");
        page.out
    }

    /// Begins an element.
    pub fn el(&mut self, tag: &'static str) -> Element<'_> {
        let known = ELEMENTS.contains(&tag);
        debug_assert!(known, "no element {tag}");
        let tag = if known { tag } else { "span" };
        self.out.push('<');
        self.out.push_str(tag);
        Element { html: self, tag, begun: false }
    }

    /// Appends text.
    pub fn text(&mut self, text: impl Display) -> &mut Html {
        escape(&mut self.out, LONGEST, text);
        self
    }

    /// Appends text, at most `longest` bytes of it.
    pub fn short(&mut self, longest: usize, text: impl Display) -> &mut Html {
        escape(&mut self.out, longest, text);
        self
    }

    /// Appends bytes for the script, as base64; the script finds them by the id.
    pub fn bytes(&mut self, id: &'static str, bytes: &[u8]) -> &mut Html {
        self.out.push_str("\n<script type=\"application/octet-stream\" id=\"");
        escape(&mut self.out, LONGEST, id);
        self.out.push_str("\">");
        BASE64_STANDARD.encode_string(bytes, &mut self.out);
        self.out.push_str("</script>\n");
        self
    }

    /// Appends a line end between elements; only readers of the source see it.
    pub fn line(&mut self) -> &mut Html {
        self.out.push('\n');
        self
    }
}

impl Element<'_> {
    /// Writes an attribute.
    pub fn attr(self, name: &'static str, value: impl Display) -> Self {
        let known = ATTRIBUTES.contains(&name)
            || (name.starts_with("aria-") || name.starts_with("data-"))
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        debug_assert!(known && !self.begun, "no attribute {name} of {}", self.tag);
        if known && !self.begun {
            self.html.out.push(' ');
            self.html.out.push_str(name);
            self.html.out.push_str("=\"");
            // Shapes are as long as a chart needs; every other value is short.
            let longest = if matches!(name, "d" | "points") { usize::MAX } else { LONGEST };
            escape(&mut self.html.out, longest, value);
            self.html.out.push('"');
        }
        self
    }

    /// Writes the `class` attribute.
    pub fn class(self, names: &'static str) -> Self {
        self.attr("class", names)
    }

    /// Links to an id of this page: no other target is possible.
    pub fn to(self, id: impl Display) -> Self {
        if matches!(self.tag, "a" | "use") {
            self.html.out.push_str(" href=\"#");
            escape(&mut self.html.out, LONGEST, id);
            self.html.out.push('"');
        }
        self
    }

    /// Ends the element with this text as its content.
    pub fn text(self, text: impl Display) {
        self.with(|html| _ = html.text(text));
    }

    /// Ends the element with at most `longest` bytes of this text as its content.
    pub fn short(self, longest: usize, text: impl Display) {
        self.with(|html| _ = html.short(longest, text));
    }

    /// Ends the element with this content.
    pub fn with(mut self, content: impl FnOnce(&mut Html)) {
        self.begun = true;
        self.html.out.push('>');
        content(self.html);
    }
}

impl Drop for Element<'_> {
    fn drop(&mut self) {
        if !self.begun {
            self.html.out.push('>');
        }
        if !VOID.contains(&self.tag) {
            self.html.out.push_str("</");
            self.html.out.push_str(self.tag);
            self.html.out.push('>');
        }
    }
}

/// Appends a text as HTML: at most `longest` bytes, and the total length if it is longer.
fn escape(out: &mut String, longest: usize, text: impl Display) {
    let mut cutting = Cutting { to: Escaping(out), left: longest, cut: 0 };
    // Writing to a string cannot fail.
    let _ = write!(cutting, "{text}");
    let cut = cutting.cut;
    if cut > 0 {
        let _ = write!(out, "… ({} bytes)", cut + longest);
    }
}

/// Cuts the text before it is escaped, and counts the bytes that are left out. Controls and bidi marks become visible.
struct Cutting<'a> {
    to: Escaping<'a>,
    left: usize,
    cut: usize,
}

impl Write for Cutting<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Nothing may follow once something is left out.
        let room = if self.cut > 0 { 0 } else { self.left };
        let whole = (0..=room.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let (shown, rest) = text.split_at(whole);
        self.left = room - whole;
        self.cut += rest.len();
        if !rest.is_empty() {
            // The number of cut bytes is counted from the last byte shown.
            self.cut -= self.left;
            self.left = 0;
        }
        write!(self.to, "{}", Printable(shown))
    }
}

/// Escapes the characters that have a meaning in HTML.
struct Escaping<'a>(&'a mut String);

impl Write for Escaping<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: impl Display) -> String {
        let mut html = Html::default();
        html.el("p").attr("title", &of).text(&of);
        html.out
    }

    #[test]
    fn nothing_gets_out_of_text_and_attributes() {
        let hostile = "</p></script><b onclick='x()'>\"&amp;\0\u{202e}\u{1b}é";
        let want = "&lt;/p&gt;&lt;/script&gt;&lt;b onclick=&#39;x()&#39;&gt;&quot;&amp;amp;\\u{0}\\u{202e}\\u{1b}é";
        assert_eq!(text(hostile), format!("<p title=\"{want}\">{want}</p>"));
    }

    #[test]
    fn endless_text_is_cut_and_says_so() {
        let long = "é".repeat(1 << 19);
        let cut = format!("{}… (1048576 bytes)", "é".repeat(LONGEST / 2));
        assert_eq!(text(&long), format!("<p title=\"{cut}\">{cut}</p>"));
        // A character is never cut.
        let mut html = Html::default();
        html.short(3, format_args!("{}{}", "éé", "more"));
        assert_eq!(html.out, "é… (8 bytes)");
        // With several writes, nothing follows the part that was left out.
        html.out.clear();
        html.short(4, format_args!("{}{}{}", "abc", "défg", "h"));
        assert_eq!(html.out, "abcd… (9 bytes)");
    }

    #[test]
    fn elements_end_where_they_are_dropped() {
        let mut html = Html::default();
        html.el("ul").class("a").with(|html| {
            html.el("li").text(1);
            html.el("li").with(|html| _ = html.el("br"));
            html.el("a").to("x\"y").text("z");
        });
        assert_eq!(html.out, "<ul class=\"a\"><li>1</li><li><br></li><a href=\"#x&quot;y\">z</a></ul>");
    }

    /// The style and the script must not contain an end tag.
    #[test]
    fn style_and_script_hold_no_end_tag() {
        for text in [STYLE, SCRIPT] {
            let text = text.to_lowercase();
            assert!(!text.contains("</") && !text.contains("<!--") && !text.contains("<script"), "{text}");
        }
    }
}
