//! permessage-deflate (RFC 7692): one inflate state a direction, which earlier messages feed.

use flate2::{Decompress, FlushDecompress, Status};

/// No message grows larger.
pub const LARGEST: usize = 16 << 20;

/// About what an inflate state takes: its window of 32 KiB, and its tables.
pub const INFLATE_STATE: usize = 44 << 10;

/// What every message lacks at its end: the empty block of a sync flush.
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];

/// What an answer's Sec-WebSocket-Extensions agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Messages may be compressed.
    pub deflate: bool,
    /// The server begins anew with each message.
    pub server_anew: bool,
    /// The client begins anew with each message.
    pub client_anew: bool,
}

impl Agreed {
    /// By the header's value.
    pub fn read(extensions: &[u8]) -> Agreed {
        let mut agreed = Agreed::default();
        for extension in extensions.split(|b| *b == b',') {
            let mut words = extension.split(|b| *b == b';').map(<[u8]>::trim_ascii);
            if words.next().is_some_and(|name| name.eq_ignore_ascii_case(b"permessage-deflate")) {
                agreed.deflate = true;
                words.for_each(|word| {
                    agreed.server_anew |= word.eq_ignore_ascii_case(b"server_no_context_takeover");
                    agreed.client_anew |= word.eq_ignore_ascii_case(b"client_no_context_takeover");
                });
                break;
            }
        }
        agreed
    }
}

/// One direction's inflate state, made when the first compressed message comes.
#[derive(Debug, Default)]
pub struct Inflater(Option<Box<Decompress>>);

impl Inflater {
    /// How many bytes it holds.
    pub fn memory(&self) -> usize {
        if self.0.is_some() { INFLATE_STATE } else { 0 }
    }

    /// Replaces what `out` holds by the inflated message. False: it does not inflate, or would be
    /// too large; the state begins anew then.
    pub fn inflate(&mut self, message: &[u8], anew: bool, out: &mut Vec<u8>) -> bool {
        let state = self.0.get_or_insert_with(|| Box::new(Decompress::new(false)));
        if anew {
            state.reset(false);
        }
        out.clear();
        let whole = feed(state, message, out) && feed(state, &TAIL, out);
        if !whole {
            state.reset(false);
        }
        whole
    }
}

/// Inflates all of `input`, behind what `out` holds.
fn feed(state: &mut Decompress, mut input: &[u8], out: &mut Vec<u8>) -> bool {
    loop {
        if out.len() == out.capacity() {
            if out.len() >= LARGEST {
                return false;
            }
            out.reserve((out.len().max(4096)).min(LARGEST - out.len()));
        }
        let (read, written) = (state.total_in(), out.len());
        let Ok(status) = state.decompress_vec(input, out, FlushDecompress::Sync) else { return false };
        input = input.get((state.total_in() - read) as usize..).unwrap_or_default();
        let full = out.len() == out.capacity();
        match status {
            // A last block: what follows begins anew.
            Status::StreamEnd => {
                state.reset(false);
                if input.is_empty() || input == TAIL {
                    return true;
                }
            }
            _ if input.is_empty() && !full => return true,
            _ if !full && out.len() == written && state.total_in() == read => return false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreements() {
        let agreed =
            Agreed::read(b"x-other, permessage-deflate; server_no_context_takeover; client_max_window_bits=15");
        assert_eq!(agreed, Agreed { deflate: true, server_anew: true, client_anew: false });
        assert_eq!(Agreed::read(b""), Agreed::default());
    }

    #[test]
    fn a_message_that_needs_the_one_before() {
        let (mut inflater, mut out) = (Inflater::default(), Vec::new());
        let mut press = flate2::Compress::new(flate2::Compression::default(), false);
        for _ in 0..3 {
            let text = b"the same words again and again, the same words again and again".repeat(300);
            let mut packed = Vec::with_capacity(4096);
            press.compress_vec(&text, &mut packed, flate2::FlushCompress::Sync).unwrap();
            packed.truncate(packed.len() - 4);
            assert!(inflater.inflate(&packed, false, &mut out));
            assert_eq!(out, text);
        }
        assert!(!inflater.inflate(&[0xff; 4], false, &mut out));
        assert!(inflater.inflate(&[0], false, &mut out) && out.is_empty());
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let mut press = flate2::Compress::new(flate2::Compression::best(), false);
        let mut packed = Vec::with_capacity(1 << 20);
        press.compress_vec(&vec![0; LARGEST + 1], &mut packed, flate2::FlushCompress::Sync).unwrap();
        let (mut inflater, mut out) = (Inflater::default(), Vec::new());
        assert!(!inflater.inflate(&packed, false, &mut out));
        assert!(out.len() <= LARGEST);
    }
}
