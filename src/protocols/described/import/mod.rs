//! `netkit fields --from FILE`: writes a protocol file from a description in another language. What cannot be carried over
//! becomes a comment with its line.

mod ksy;
mod proto;
mod tokens;
mod yaml;

pub(crate) use ksy::Others;

use crate::codec::schema::reading::LONGEST;
use std::fmt::Write as _;

/// The longest comment, in characters.
const COMMENT: usize = 240;

/// A description that was carried over.
#[derive(Debug)]
pub struct Imported {
    /// The protocol file.
    pub text: String,
    /// The statements that were carried over.
    pub carried: usize,
    /// All statements.
    pub all: usize,
}

/// Carries a description over. `name`: the file's name, whose ending decides its language, and from whose beginning the
/// protocol gets its name. `others`: the files that it imports.
///
/// # Errors
/// The line, and what is wrong there; line 0: the language is not known.
pub fn import(name: &str, text: &str, others: Others<'_>) -> Result<Imported, (usize, String)> {
    if text.len() > LONGEST {
        return Err((1, format!("a description of more than {LONGEST} bytes")));
    }
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let mut protocol: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).take(32).collect();
    if super::load::is_taken(&protocol) || protocol.is_empty() {
        protocol.insert_str(0, "my_");
    }
    let draft = match ending {
        "proto" => proto::draft(text)?,
        "ksy" => ksy::draft(name, text, others)?,
        _ => return Err((0, format!("{file}: expected a file.proto or file.ksy"))),
    };
    let mut out = format!("# From {file}: {} of {} statements.\nprotocol = {protocol:?}\n", draft.carried, draft.all);
    for (line, why) in &draft.left_out {
        let why: String = why.chars().map(|c| if c.is_control() { ' ' } else { c }).take(COMMENT).collect();
        let _ = writeln!(out, "# {file}:{line}: {why}");
    }
    let _ = write!(out, "\n{}", draft.text);
    if out.len() > LONGEST {
        return Err((1, format!("the protocol file would have more than {LONGEST} bytes")));
    }
    Ok(Imported { text: out, carried: draft.carried, all: draft.all })
}

/// The body of a file, and what was left out of it.
#[derive(Debug, Default)]
struct Draft {
    text: String,
    carried: usize,
    all: usize,
    left_out: Vec<(usize, String)>,
}

impl Draft {
    /// Counts a statement that was carried over.
    fn keep(&mut self) {
        self.carried += 1;
        self.all += 1;
    }

    /// Counts a statement that was not.
    fn leave(&mut self, line: usize, why: impl Into<String>) {
        self.all += 1;
        self.left_out.push((line, why.into()));
    }
}
