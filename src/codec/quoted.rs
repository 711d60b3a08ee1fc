//! Short texts in fixed buffers: field names in their JSON form, built at compile time.

/// At most [`Short::ROOM`] bytes in a buffer of that size, which is copied in two moves instead of a call. Saves 41 of
/// 2,644 instructions per message as ndjson, 103 of 5,519 per message with a schema (see [`crate::render`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct Short {
    text: [u8; Short::ROOM],
    len: u8,
}

impl Short {
    /// The size of the buffer.
    pub const ROOM: usize = 32;

    /// Appends the text.
    #[inline(always)]
    pub fn append(&self, out: &mut Vec<u8>) {
        let end = out.len() + self.len as usize;
        out.extend_from_slice(&self.text);
        out.truncate(end);
    }

    /// Returns the buffer, which begins with the text, and the text's length.
    #[inline(always)]
    pub fn parts(&self) -> (&[u8; Short::ROOM], usize) {
        (&self.text, self.len as usize)
    }

    /// Sets the text, cut to the size of the buffer.
    pub fn set(&mut self, bytes: &[u8]) {
        let len = bytes.len().min(Short::ROOM);
        self.text.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        self.len = len as u8;
    }
}

/// `"name":`, or empty if the name is too long, needs an escape or is not ASCII. Also whether the name has only
/// letters, digits and `_`.
#[derive(Clone, Copy, Debug)]
pub struct Quoted(Short, bool);

impl Quoted {
    /// Returns the quoted form of a name.
    pub const fn new(name: &str) -> Quoted {
        let (name, mut text, mut word) = (name.as_bytes(), [0; Short::ROOM], true);
        if name.len() + 3 > Short::ROOM {
            return Quoted(Short { text, len: 0 }, false);
        }
        text[0] = b'"';
        let mut at = 0;
        while at < name.len() {
            if !matches!(name[at], b' '..=b'~') || matches!(name[at], b'"' | b'\\') {
                return Quoted(Short { text, len: 0 }, false);
            }
            word &= name[at].is_ascii_alphanumeric() || name[at] == b'_';
            text[at + 1] = name[at];
            at += 1;
        }
        text[at + 1] = b'"';
        text[at + 2] = b':';
        Quoted(Short { text, len: at as u8 + 3 }, word)
    }

    /// Whether there is a quoted form. The name is then short, printable ASCII.
    #[inline(always)]
    pub const fn is_there(&self) -> bool {
        self.0.len > 0
    }

    /// Returns the buffer from the name on, and the name's length; `None` if the name has other characters than
    /// letters, digits and `_`, or no quoted form.
    #[inline(always)]
    pub fn word(&self) -> Option<(&[u8; Short::ROOM - 1], usize)> {
        let (name, len) = (self.0.text.last_chunk()?, usize::from(self.0.len));
        self.1.then(|| (name, len.saturating_sub(3)))
    }

    /// Returns the quoted form, or an empty text.
    #[inline(always)]
    pub const fn short(&self) -> &Short {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_quoted_and_long_ones_left_to_others() {
        let written = |name: &str| {
            let (quoted, mut out) = (Quoted::new(name), b"{".to_vec());
            quoted.short().append(&mut out);
            quoted.is_there().then(|| String::from_utf8(out).unwrap())
        };
        assert_eq!(written("").as_deref(), Some("{\"\":"));
        assert_eq!(written("last_received_seq_id").as_deref(), Some("{\"last_received_seq_id\":"));
        assert_eq!(written(&"x".repeat(29)), Some(format!("{{\"{}\":", "x".repeat(29))));
        assert_eq!(written(&"x".repeat(30)), None);
        for odd in ["a\"b", "a\\b", "a\nb", "\u{7f}", "é"] {
            assert_eq!(written(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn names_of_letters_are_words() {
        let written = |name: &str| {
            let quoted = Quoted::new(name);
            quoted.word().map(|(text, len)| String::from_utf8(text[..len].to_vec()).unwrap())
        };
        let long = "x".repeat(29);
        for name in ["", "rtt", "Last_9", &long] {
            assert_eq!(written(name).as_deref(), Some(name));
        }
        for odd in ["a b", "a,b", "a-b", "a\"b", "\u{e9}", "a%", &"x".repeat(30)] {
            assert_eq!(written(odd), None, "{odd:?}");
        }
    }
}
