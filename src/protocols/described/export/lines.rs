//! Lines of TOML.

/// One key with its value, and the comments before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub name: String,
    pub value: String,
    pub comments: Vec<String>,
}

impl Line {
    /// A line without a comment.
    pub fn plain(name: &str, value: String) -> Line {
        Line { name: name.into(), value, comments: Vec::new() }
    }

    /// A field with these keys, the type first. A type alone needs no table. If the name is taken, the key is another
    /// that ends in `hint`.
    pub fn unique(lines: &[Line], name: &str, keys: &[(&str, String)], hint: Option<&str>) -> Line {
        let taken = |name: &str| lines.iter().any(|line| line.name == name);
        if !taken(name) {
            return Line::field(name, keys);
        }
        let numbered = (2..).map(|k| format!("{name}_{k}"));
        let hinted = hint.map(|hint| format!("{name}_{hint}"));
        let own = hinted.into_iter().chain(numbered).find(|name| !taken(name)).unwrap_or_default();
        let keys = [&[("name", quoted(name))][..], keys].concat();
        Line::field(&own, &keys)
    }

    /// A field with these keys, the type first. A type alone needs no table.
    pub fn field(name: &str, keys: &[(&str, String)]) -> Line {
        match keys {
            [("type", kind)] => Line::plain(name, kind.clone()),
            keys => {
                let keys: Vec<String> = keys.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                Line::plain(name, format!("{{ {} }}", keys.join(", ")))
            }
        }
    }
}

/// A TOML string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A key, bare if possible.
pub fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.into() } else { quoted(name) }
}

/// The longest line of a comment.
const WIDTH: usize = 100;

/// Writes a comment on lines of its own.
pub fn comment(text: &str, out: &mut String) {
    let mut column = 0;
    for (k, word) in text.split(' ').enumerate() {
        if k == 0 || column + 1 + word.len() > WIDTH {
            *out += if k == 0 { "# " } else { "\n# " };
            column = 2;
        } else {
            out.push(' ');
            column += 1;
        }
        *out += word;
        column += word.len();
    }
    out.push('\n');
}

/// Writes a table with these lines, with aligned values.
pub fn section(name: &str, lines: &[Line], out: &mut String) {
    *out += &format!("\n[{name}]\n");
    body(lines, out);
}

/// Writes the lines of a table.
pub fn body(lines: &[Line], out: &mut String) {
    let keys: Vec<String> = lines.iter().map(|line| key(&line.name)).collect();
    let width = keys.iter().map(String::len).max().unwrap_or(0);
    for (line, key) in lines.iter().zip(keys) {
        line.comments.iter().for_each(|why| comment(why, out));
        *out += &format!("{key:width$} = {}\n", line.value);
    }
}
