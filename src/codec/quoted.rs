//! Names as JSON writes them, made when the tables are.

/// `"name":` in a fixed number of bytes, so that it is copied in two moves instead of a call; none
/// where the name is too long for that, or has characters that need an escape or are not ASCII.
#[derive(Clone, Copy, Debug)]
pub struct Quoted {
    text: [u8; Quoted::ROOM],
    len: u8,
}

impl Quoted {
    /// How many bytes there are.
    const ROOM: usize = 32;

    /// Makes it of a name.
    pub const fn new(name: &str) -> Quoted {
        let (name, mut text) = (name.as_bytes(), [0; Quoted::ROOM]);
        if name.len() + 3 > Quoted::ROOM {
            return Quoted { text, len: 0 };
        }
        text[0] = b'"';
        let mut at = 0;
        while at < name.len() {
            if !matches!(name[at], b' '..=b'~') || matches!(name[at], b'"' | b'\\') {
                return Quoted { text, len: 0 };
            }
            text[at + 1] = name[at];
            at += 1;
        }
        text[at + 1] = b'"';
        text[at + 2] = b':';
        Quoted { text, len: at as u8 + 3 }
    }

    /// Is there one, so that the name is known to be short and printable ASCII?
    #[inline(always)]
    pub const fn is_there(&self) -> bool {
        self.len > 0
    }

    /// Appends it; false, and nothing, where there is none.
    #[inline(always)]
    pub fn append(&self, out: &mut Vec<u8>) -> bool {
        let end = out.len() + self.len as usize;
        out.extend_from_slice(&self.text);
        out.truncate(end);
        self.len > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_quoted_and_long_ones_left_to_others() {
        let written = |name: &str| {
            let mut out = b"{".to_vec();
            Quoted::new(name).append(&mut out).then(|| String::from_utf8(out).unwrap())
        };
        assert_eq!(written("").as_deref(), Some("{\"\":"));
        assert_eq!(written("last_received_seq_id").as_deref(), Some("{\"last_received_seq_id\":"));
        assert_eq!(written(&"x".repeat(29)), Some(format!("{{\"{}\":", "x".repeat(29))));
        assert_eq!(written(&"x".repeat(30)), None);
        for odd in ["a\"b", "a\\b", "a\nb", "\u{7f}", "é"] {
            assert_eq!(written(odd), None, "{odd:?}");
        }
    }
}
