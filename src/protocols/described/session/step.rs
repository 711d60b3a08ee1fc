//! Finds the first whole message of a direction that is captured from its middle, or after a gap.

use super::super::frames::{Begins, Ends, Frame};
use crate::flow::Stream;

/// The cap on stored starts of segments.
const STARTS: usize = 16;
/// The cap on bytes that are held until a message is found.
const HELD: usize = 1 << 16;
/// The number of messages that fit and follow each other from which on a direction is in step.
const IN_STEP: usize = 3;
/// The number of bytes at which a message is searched inside of segments, and the cap on these bytes.
pub const SEARCHED: (usize, usize) = (64, 4096);

/// The bytes of a direction that is not in step.
#[derive(Clone, Debug, Default)]
pub struct Starts {
    /// The starts of segments, where messages may begin: the first one, and the last ones.
    segments: Vec<u64>,
    /// The number of bytes held at the last search.
    searched: usize,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A message begins after this many bytes.
    At(usize),
    /// More bytes may show it.
    Wait,
    /// No message begins in these bytes.
    Lost,
}

/// Asked of bytes at which a message may begin: whether the message fits, and where it ends.
type Questions<'a> = (Fits<'a>, Ends<'a>);
type Fits<'a> = &'a mut dyn FnMut(&[u8]) -> bool;

/// The messages from one place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chain {
    /// They fit: several, or all up to the last byte.
    InStep,
    /// The last one is incomplete; whether there are others, which fit.
    Open(bool),
    Broken,
}

fn chain(frame: &Frame, bytes: &[u8], (fits, ends): Questions<'_>) -> Chain {
    let (mut at, mut whole, mut fitting) = (0, 0, true);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        match frame.begins(rest, ends) {
            Begins::Message(header, length, following) if header + length + following > 0 => {
                fitting = fitting && (whole >= IN_STEP || rest.get(header..header + length).is_some_and(&mut *fits));
                at += header + length + following;
                whole += 1;
                if whole == IN_STEP && fitting {
                    return Chain::InStep;
                }
            }
            _ if at == bytes.len() && whole > 0 && fitting => return Chain::InStep,
            Begins::More(_) => return Chain::Open(whole > 0 && fitting),
            _ => return Chain::Broken,
        }
    }
}

/// The first place inside these bytes, and before this one, from which on messages fit and follow each other: several,
/// or two up to the last byte.
pub fn first(frame: &Frame, bytes: &[u8], before: usize, (fits, ends): Questions<'_>) -> Option<usize> {
    if let Frame::Until(_) = frame {
        return None;
    }
    (1..before.min(SEARCHED.1)).find(|at| {
        let (mut at, mut whole) = (*at, 0);
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let Begins::Message(header, length, _) = frame.begins(rest, ends) else {
                return rest.is_empty() && whole > 1;
            };
            if length == 0 || !rest.get(header..header + length).is_some_and(&mut *fits) {
                return false;
            }
            at += header + length;
            whole += 1;
            if whole == IN_STEP {
                return true;
            }
        }
    })
}

impl Starts {
    /// Adds the starts of segments in the stream's `new` last bytes.
    pub fn add(&mut self, stream: &Stream, new: usize, segments: &[usize]) {
        let end = stream.offset() + stream.bytes().len() as u64;
        let from = end.saturating_sub(new as u64);
        for start in std::iter::once(0).chain(segments.iter().copied().filter(|start| *start > 0 && *start < new)) {
            if self.segments.len() >= STARTS {
                self.segments.remove(1);
            }
            self.segments.push(from + start as u64);
        }
    }

    /// The same starts of segments, after a search that may have narrowed others.
    pub fn after(self, search: Starts) -> Starts {
        Starts { searched: search.searched, ..self }
    }

    /// Finds the first message. `more`: further bytes may follow; `most`: the cap on places inside of segments.
    pub fn find(
        &mut self,
        frame: &Frame,
        stream: &Stream,
        more: bool,
        most: usize,
        (fits, ends): Questions<'_>,
    ) -> Step {
        let (bytes, offset) = (stream.bytes(), stream.offset());
        if let Frame::Until(_) = frame {
            return Step::At(0);
        }
        let mut found = None;
        self.segments.retain(|start| {
            let at = start.checked_sub(offset).map(|at| at as usize);
            let Some((at, rest)) = at.and_then(|at| Some((at, bytes.get(at..)?))) else { return false };
            if found.is_some() {
                return true;
            }
            let chain = chain(frame, rest, (&mut *fits, &mut *ends));
            if chain == Chain::InStep || chain == Chain::Open(true) && !more {
                found = Some(at);
            }
            chain != Chain::Broken
        });
        if found.is_some() || bytes.len() >= SEARCHED.0.max(2 * self.searched) || !more {
            self.searched = bytes.len();
            found = first(frame, bytes, found.unwrap_or(bytes.len()).min(most), (fits, ends)).or(found);
        }
        let step = match found {
            Some(at) => Step::At(at),
            None if more && bytes.len() < HELD => return Step::Wait,
            None => Step::Lost,
        };
        *self = Starts::default();
        step
    }

    /// The memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.segments.capacity() * 8
    }
}
