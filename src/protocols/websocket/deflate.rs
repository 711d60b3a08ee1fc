//! permessage-deflate (RFC 7692): one inflate state for each direction, which all of its messages share.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// The most bytes of an inflated message.
pub const LARGEST: usize = 16 << 20;

/// The bytes that a direction may always inflate to, however few bytes it has sent: messages that repeat earlier ones
/// are very small.
pub const FREE: u64 = 1 << 20;

/// The distance that references reach back.
const WINDOW: usize = 32 << 10;

/// The most inflated bytes that are kept before the older part is dropped.
const KEPT: usize = 3 * WINDOW;

/// The empty block of a sync flush, which every message lacks at its end.
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];

/// The agreement in an answer's Sec-WebSocket-Extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreed {
    /// Messages may be compressed.
    pub deflate: bool,
    /// The server resets its state for each message.
    pub server_anew: bool,
    /// The client resets its state for each message.
    pub client_anew: bool,
}

impl Agreed {
    /// Reads the header's value.
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

/// The inflate state of one direction.
#[derive(Default)]
pub struct Inflater {
    /// Created at the first compressed message.
    state: Option<Box<State>>,
    /// Bytes of earlier messages are missing, to which later ones may refer.
    after_gap: bool,
}

/// The state between messages.
struct State {
    core: DecompressorOxide,
    /// The inflated bytes: at least the last [`WINDOW`], or all since the state began. A reference before them is an
    /// error, so this is not a ring, which would be full of zeros at first.
    past: Vec<u8>,
    /// The offset in it where the stream began: a last block ends a stream, and another one follows.
    begin: usize,
    /// The bytes of all messages so far; `inflated`: the bytes that they inflated to.
    packed: u64,
    inflated: u64,
}

/// The reasons why a message is not inflated.
const BROKEN: &str = "compressed data that does not inflate";
const LACKING: &str = "compressed data that does not inflate (bytes of earlier messages are missing)";
const TOO_FAR: &str = "compressed data that would be too many times its size (--limit inflate_ratio)";
const TOO_LARGE: &str = "compressed data of a message larger than 16 MiB";

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Inflater").field(&self.state.as_ref().map(|state| state.past.len())).finish()
    }
}

impl Inflater {
    /// The state after missing bytes.
    pub fn after_gap() -> Inflater {
        Inflater { after_gap: true, ..Inflater::default() }
    }

    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        self.state.as_ref().map_or(0, |state| size_of::<State>() + state.past.capacity())
    }

    /// Replaces the content of `out` by the inflated message. The message may have `ratio` times its size and [`FREE`]
    /// bytes more, and so may all messages together.
    ///
    /// # Errors
    /// The reason why it does not inflate, or that it would be too large. The state is reset then.
    pub fn inflate(&mut self, message: &[u8], anew: bool, ratio: usize, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let (core, past) = (DecompressorOxide::new(), Vec::new());
        let new = || Box::new(State { core, past, begin: 0, packed: 0, inflated: 0 });
        let state = self.state.get_or_insert_with(new);
        out.clear();
        if anew {
            state.forget();
        }
        state.packed += message.len() as u64;
        let left = state.packed.saturating_mul(ratio as u64).saturating_add(FREE).saturating_sub(state.inflated);
        let own = message.len().saturating_mul(ratio).saturating_add(FREE as usize);
        let most = usize::try_from(left).unwrap_or(LARGEST).min(own).min(LARGEST);
        let start = state.past.len();
        let fed = state.feed(message, start, most).and_then(|()| state.feed(&TAIL, start, most));
        match fed {
            Ok(()) => {
                let new = state.past.get(start..).unwrap_or_default();
                out.extend_from_slice(new);
                state.inflated += new.len() as u64;
                state.keep();
            }
            Err(_) => state.forget(),
        }
        let lacks = self.after_gap && !anew;
        // What was not inflated is missing for later messages.
        self.after_gap |= fed == Err(TOO_FAR);
        fed.map_err(|what| match what {
            BROKEN if lacks => LACKING,
            TOO_FAR if most == LARGEST => TOO_LARGE,
            what => what,
        })
    }
}

impl State {
    fn forget(&mut self) {
        self.core.init();
        self.past.clear();
        self.past.shrink_to(KEPT);
        self.begin = 0;
    }

    /// Drops the bytes that references no longer reach, from time to time.
    fn keep(&mut self) {
        if self.past.len() > KEPT {
            let gone = self.past.len() - WINDOW;
            self.past.drain(..gone);
            self.past.shrink_to(KEPT);
            self.begin = self.begin.saturating_sub(gone);
        }
    }

    /// Inflates all of `input` after the earlier bytes. The message began at `start`, and may have `most` bytes.
    fn feed(&mut self, mut input: &[u8], start: usize, most: usize) -> Result<(), &'static str> {
        const FLAGS: u32 = TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let mut end = self.past.len();
        // Most messages are small. Unused room is freed afterwards.
        let mut room = input.len().saturating_mul(4).clamp(1 << 10, LARGEST);
        let whole = loop {
            if end - start > most {
                break false;
            }
            self.past.resize(end + room.min(most + 1 - (end - start)), 0);
            let Some(stream) = self.past.get_mut(self.begin..) else { break false };
            let (status, read, written) = decompress(&mut self.core, input, stream, end - self.begin, FLAGS);
            input = input.get(read..).unwrap_or_default();
            end += written;
            match status {
                TINFLStatus::HasMoreOutput => room = (end - start).clamp(1 << 10, LARGEST),
                // After a last block a new stream begins.
                TINFLStatus::Done => {
                    self.core.init();
                    self.begin = end;
                    if input.is_empty() || input == TAIL {
                        break true;
                    }
                }
                TINFLStatus::NeedsMoreInput if input.is_empty() => break true,
                _ => break false,
            }
        };
        self.past.truncate(end);
        match whole {
            _ if end - start > most => Err(TOO_FAR),
            true => Ok(()),
            false => Err(BROKEN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATIO: usize = 1 << 20;

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
            assert!(inflater.inflate(&packed, false, RATIO, &mut out).is_ok());
            assert_eq!(out, text);
        }
        assert_eq!(inflater.inflate(&[0xff; 4], false, RATIO, &mut out), Err(BROKEN));
        assert!(inflater.inflate(&[0], false, RATIO, &mut out).is_ok() && out.is_empty());
    }

    #[test]
    fn what_refers_to_bytes_that_are_not_there() {
        let mut press = flate2::Compress::new(flate2::Compression::default(), false);
        let mut message = || {
            let mut packed = Vec::with_capacity(4096);
            let text = b"the same words again, and others in between";
            press.compress_vec(text, &mut packed, flate2::FlushCompress::Sync).unwrap();
            packed.truncate(packed.len() - 4);
            packed
        };
        let (first, second) = (message(), message());
        let (mut inflater, mut out) = (Inflater::default(), Vec::new());
        // The first message was lost, or each message was to be independent.
        assert!(inflater.inflate(&second, false, RATIO, &mut out).is_err() && out.is_empty());
        assert!(inflater.inflate(&first, false, RATIO, &mut out).is_ok());
        assert!(inflater.inflate(&second, true, RATIO, &mut out).is_err());
        // A last block ends the stream. References after it do not reach across it.
        let mut ended = first.clone();
        ended.extend([0, 0, 0xff, 0xff, 1, 0, 0, 0xff, 0xff]);
        assert!(inflater.inflate(&ended, false, RATIO, &mut out).is_ok() && out.starts_with(b"the same"));
        assert!(inflater.inflate(&second, false, RATIO, &mut out).is_err());
    }

    #[test]
    fn references_over_the_whole_window() {
        let mut press = flate2::Compress::new(flate2::Compression::best(), false);
        let (mut inflater, mut out) = (Inflater::default(), Vec::new());
        let mut noise = 1u32;
        let block: Vec<u8> = (0..30_000)
            .map(|_| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (noise >> 24) as u8
            })
            .collect();
        for k in 0..40u8 {
            let text = [&block[..], &[k; 100]].concat();
            let mut packed = Vec::with_capacity(64 << 10);
            press.compress_vec(&text, &mut packed, flate2::FlushCompress::Sync).unwrap();
            packed.truncate(packed.len() - 4);
            assert!(k == 0 || packed.len() < 2000, "{}", packed.len());
            assert!(inflater.inflate(&packed, false, RATIO, &mut out).is_ok() && out == text, "{k}");
            assert!(inflater.memory() < 300 << 10, "{}", inflater.memory());
        }
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let mut press = flate2::Compress::new(flate2::Compression::best(), false);
        let mut packed = |text: &[u8]| {
            let mut packed = Vec::with_capacity(1 << 20);
            press.compress_vec(text, &mut packed, flate2::FlushCompress::Sync).unwrap();
            packed
        };
        let text = b"the same words again, and others in between";
        let (bomb, second) = (packed(&[&vec![0; LARGEST][..], text].concat()), packed(text));
        let (mut inflater, mut out) = (Inflater::default(), Vec::new());
        assert_eq!(inflater.inflate(&bomb, false, RATIO, &mut out), Err(TOO_LARGE));
        assert!(out.len() <= LARGEST);
        // The peer is not to blame for a message that refers to it.
        assert_eq!(inflater.inflate(&second, false, RATIO, &mut out), Err(LACKING));
    }

    /// Messages that repeat earlier ones are small. Messages that grow too much are stopped, even one by one.
    #[test]
    fn the_ratio_is_that_of_all_messages() {
        let mut press = flate2::Compress::new(flate2::Compression::best(), false);
        let mut inflate = |text: &[u8], inflater: &mut Inflater, ratio: usize| {
            let mut packed = Vec::with_capacity(1 << 16);
            press.compress_vec(text, &mut packed, flate2::FlushCompress::Sync).unwrap();
            packed.truncate(packed.len() - 4);
            let mut out = Vec::new();
            inflater.inflate(&packed, false, ratio, &mut out).map(|()| assert_eq!(out, text))
        };
        let (mut inflater, text) = (Inflater::default(), [7; 30_000]);
        let stopped = (0..40).find_map(|k| Some((k, inflate(&text, &mut inflater, 10).err()?)));
        let (at, why) = stopped.expect("an end");
        assert!(at >= FREE as usize / text.len() && why == TOO_FAR, "{at} {why}");
        // With a greater ratio they are inflated.
        let mut press = flate2::Compress::new(flate2::Compression::best(), false);
        let mut inflate = |inflater: &mut Inflater| {
            let mut packed = Vec::with_capacity(1 << 16);
            press.compress_vec(&text, &mut packed, flate2::FlushCompress::Sync).unwrap();
            packed.truncate(packed.len() - 4);
            inflater.inflate(&packed, false, 1032, &mut Vec::new())
        };
        let mut inflater = Inflater::default();
        assert!((0..100).all(|_| inflate(&mut inflater).is_ok()));
    }
}
