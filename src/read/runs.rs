//! Output of several threads for one capture, each for some conversations, merged in order.

/// The size above which the memory of a chunk is freed.
const RETAINED: usize = 1 << 20;

/// The output of one thread in the order of its messages: text, or other items.
#[derive(Debug)]
pub struct Runs<T> {
    sequence: u64,
    chunk: Chunk<T>,
}

/// A part of that output, with the sequence number of each run of items.
#[derive(Debug)]
pub struct Chunk<T> {
    items: Vec<T>,
    runs: Vec<Run>,
    /// The thread delivers nothing more with a sequence number below this one.
    before: u64,
}

impl<T> Default for Chunk<T> {
    fn default() -> Self {
        Chunk { items: Vec::new(), runs: Vec::new(), before: 0 }
    }
}

impl<T> Chunk<T> {
    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }
}

/// Items with a single sequence number.
#[derive(Clone, Copy, Debug)]
struct Run {
    sequence: u64,
    /// The index after its last item in the chunk.
    end: usize,
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Runs { sequence: 0, chunk: Chunk::default() }
    }
}

impl<T> Runs<T> {
    /// The items since the last [`Runs::take`]. Those of a message have to be [completed](Runs::complete).
    #[inline]
    pub fn items(&mut self) -> &mut Vec<T> {
        &mut self.chunk.items
    }

    /// The number of items.
    #[inline]
    pub fn len(&self) -> usize {
        self.chunk.items.len()
    }

    /// Completes a message, all of whose items have been added.
    #[inline]
    pub fn complete(&mut self) {
        let (sequence, end) = (self.sequence, self.chunk.items.len());
        match self.chunk.runs.last_mut() {
            Some(run) if run.sequence == sequence => run.end = end,
            _ => self.chunk.runs.push(Run { sequence, end }),
        }
    }

    /// Sets the [sequence number](crate::dissect::Sink::sequence) of the next messages.
    #[inline]
    pub fn sequence(&mut self, sequence: u64) {
        self.sequence = sequence;
    }

    /// The items since the last call. `used` is a merged chunk whose memory is reused.
    pub fn take(&mut self, mut used: Chunk<T>) -> Chunk<T> {
        used.items.clear();
        used.items.shrink_to(RETAINED / size_of::<T>().max(1));
        used.runs.clear();
        self.chunk.before = self.sequence;
        std::mem::replace(&mut self.chunk, used)
    }
}

/// Merges the output of several threads for one capture, in portions of any size.
#[derive(Debug)]
pub struct Merge<T> {
    parts: Vec<Position<T>>,
    /// The next sequence number of each part.
    next: Vec<Next>,
}

/// The position up to which a part's last chunk has been passed on.
#[derive(Debug)]
struct Position<T> {
    chunk: Chunk<T>,
    run: usize,
    start: usize,
}

impl<T> Position<T> {
    fn new(chunk: Chunk<T>) -> Position<T> {
        Position { chunk, run: 0, start: 0 }
    }

    /// The next sequence number with items, or else the first one for which items may still follow.
    #[inline]
    fn next(&self) -> Next {
        match self.chunk.runs.get(self.run) {
            Some(run) => Next::of(run.sequence, false),
            None => Next::of(self.chunk.before, true),
        }
    }
}

/// The next sequence number of a part, in the order in which parts are passed on. If numbers are equal, parts that have
/// to be waited for come first, since they may still have items with that number. So this is twice the number, and one
/// more if there are items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Next(u64);

impl Next {
    /// The part has ended.
    const NEVER: Next = Next(u64::MAX);

    #[inline]
    fn of(sequence: u64, waits: bool) -> Next {
        if sequence == NEVER { Next::NEVER } else { Next(sequence << 1 | u64::from(!waits)) }
    }

    #[inline]
    fn waits(self) -> bool {
        self == Next::NEVER || self.0 & 1 == 0
    }

    #[inline]
    fn sequence(self) -> u64 {
        self.0 >> 1
    }
}

/// The sequence number of parts that have ended.
const NEVER: u64 = u64::MAX;

impl<T> Merge<T> {
    /// A merge of this many parts, none of which has delivered anything yet.
    pub fn new(parts: usize) -> Merge<T> {
        let none = std::iter::repeat_with(|| Position::new(Chunk::default()));
        Merge { parts: none.take(parts).collect(), next: vec![Next::of(0, true); parts] }
    }

    /// Passes on all items that are next in order. Returns the part that has to [deliver](Merge::deliver) more before
    /// this can continue; `None` if all have ended.
    pub fn write(&mut self, mut to: impl FnMut(&[T])) -> Option<usize> {
        loop {
            // The part with the lowest number, and the number at which another part continues.
            let (mut first, mut k, mut end) = (Next::NEVER, 0, Next::NEVER);
            for (n, next) in self.next.iter().enumerate() {
                if *next < first {
                    (end, first, k) = (first, *next, n);
                } else {
                    end = end.min(*next);
                }
            }
            if first.waits() {
                return (first < Next::NEVER).then_some(k);
            }
            let position = self.parts.get_mut(k)?;
            let Position { chunk, run, start } = position;
            let from = *start;
            while let Some(next) = chunk.runs.get(*run)
                && (next.sequence < end.sequence() || next.sequence == first.sequence())
            {
                (*run, *start) = (*run + 1, next.end);
            }
            to(chunk.items.get(from..*start).unwrap_or_default());
            *self.next.get_mut(k)? = position.next();
        }
    }

    /// Stores a part's next chunk, `None` at its end. Returns the previous chunk, whose memory can be reused.
    pub fn deliver(&mut self, part: usize, chunk: Option<Chunk<T>>) -> Chunk<T> {
        let position = Position::new(chunk.unwrap_or(Chunk { before: NEVER, ..Chunk::default() }));
        if let Some(next) = self.next.get_mut(part) {
            *next = position.next();
        }
        self.parts.get_mut(part).map_or_else(Chunk::default, |own| std::mem::replace(own, position).chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Format, Renderer, Style};
    use proptest::prelude::*;
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The chunk of a part that has processed everything up to `seen`.
    fn chunk(texts: &[(u64, String)], seen: u64) -> Chunk<u8> {
        let mut chunk = Chunk { before: seen, ..Chunk::default() };
        for (sequence, text) in texts {
            chunk.items.extend_from_slice(text.as_bytes());
            chunk.runs.push(Run { sequence: *sequence, end: chunk.items.len() });
        }
        chunk
    }

    proptest! {
        /// The output is written in order, however it is cut into chunks. (After a cut within a sequence number, the
        /// rest is in the next chunk.)
        #[test]
        fn chunks_are_merged_in_order(
            sequences in prop::collection::vec((0..3usize, 0..3u8), 0..60),
            cuts in prop::collection::vec(prop::collection::vec(any::<bool>(), 61), 3),
        ) {
            let mut expected = String::new();
            let mut parts: Vec<Vec<Chunk<u8>>> = Vec::new();
            for (part, cuts) in cuts.iter().enumerate() {
                let (mut texts, mut chunks) = (Vec::new(), Vec::new());
                for (sequence, (owner, count)) in sequences.iter().enumerate() {
                    let sequence = sequence as u64;
                    for k in 0..*count {
                        if *owner == part {
                            texts.push((sequence, format!("{sequence}.{k} ")));
                        }
                        if cuts[sequence as usize] {
                            chunks.push(chunk(&texts, sequence));
                            texts.clear();
                        }
                    }
                }
                chunks.push(chunk(&texts, sequences.len() as u64));
                chunks.reverse();
                parts.push(chunks);
            }
            for (sequence, (_, count)) in sequences.iter().enumerate() {
                (0..*count).for_each(|k| expected += &format!("{sequence}.{k} "));
            }
            let shared = Shared::default();
            let mut renderer = Renderer::new(Format::NDJSON, Style::default(), Box::new(shared.clone()));
            let mut merge = Merge::new(parts.len());
            let mut requests = 0;
            while let Some(part) = merge.write(|text| renderer.rendered(text)) {
                merge.deliver(part, parts[part].pop());
                requests += 1;
                prop_assert!(requests < 1000, "requests forever");
            }
            renderer.finish().unwrap();
            prop_assert!(parts.iter().all(Vec::is_empty));
            prop_assert_eq!(String::from_utf8(shared.0.lock().unwrap().clone()).unwrap(), expected);
        }
    }
}
