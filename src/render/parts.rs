//! Rendering of one capture by several threads: each renders some conversations, and their output
//! is merged in order.

use super::renderer::Form;
use super::times::TimeForm;
use super::{Details, Format, Json, Renderer, Style};
use crate::capture::Time;
use crate::dissect::{Message, Sink};

/// Memory of longer text is freed.
const RETAINED: usize = 1 << 20;

/// Renders some of a capture's conversations; [`Merge`] merges them in order.
#[derive(Debug)]
pub struct Part {
    form: Form,
    sequence: u64,
    chunk: Chunk,
}

/// A piece of a [`Part`]'s output, with the sequence number of each run of text.
#[derive(Debug, Default)]
pub struct Chunk {
    bytes: Vec<u8>,
    runs: Vec<Run>,
    /// The part will deliver nothing with a sequence number below this one.
    before: u64,
}

impl Chunk {
    /// True when it has no messages.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Text with a single sequence number.
#[derive(Clone, Copy, Debug)]
struct Run {
    sequence: u64,
    /// Its end in the chunk.
    end: usize,
}

impl Part {
    /// A part of what a renderer of this format writes; `None` for formats that need to see all
    /// messages.
    pub fn new(format: Format, style: Style) -> Option<Part> {
        Part::with(format, style, &Details::default())
    }

    /// As [`Renderer::with`].
    pub fn with(format: Format, style: Style, details: &Details) -> Option<Part> {
        // Times relative to the previous message need that message, whichever thread renders it.
        let counted = style.time == Some(TimeForm::Delta);
        let form = match format {
            Format::Json => Form::Json(Json::new(style.bytes, style.verbose).files(details.files.as_ref()).continued()),
            Format::Summary | Format::Tree | Format::Csv | Format::Tsv if counted => return None,
            Format::Ndjson | Format::Summary | Format::Tree | Format::Csv | Format::Tsv => {
                Form::new(format, style, details)
            }
            #[cfg(feature = "cli")]
            Format::Table => return None,
        };
        Some(Part { form, sequence: 0, chunk: Chunk::default() })
    }

    /// As [`Renderer::origin`].
    pub fn origin(&mut self, time: Time) {
        self.form.origin(time);
    }

    /// The bytes rendered since the last [`Part::take`].
    #[inline]
    pub fn len(&self) -> usize {
        self.chunk.bytes.len()
    }

    /// True when nothing has been rendered since then.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The output since the last call. `used` is a merged chunk owner memory is reused.
    pub fn take(&mut self, mut used: Chunk) -> Chunk {
        used.bytes.clear();
        used.bytes.shrink_to(RETAINED);
        used.runs.clear();
        self.chunk.before = self.sequence;
        std::mem::replace(&mut self.chunk, used)
    }
}

impl Sink for Part {
    #[inline]
    fn message(&mut self, message: &Message<'_>) {
        self.form.message(message, &mut self.chunk.bytes);
        let (sequence, end) = (self.sequence, self.chunk.bytes.len());
        match self.chunk.runs.last_mut() {
            Some(run) if run.sequence == sequence => run.end = end,
            _ => self.chunk.runs.push(Run { sequence, end }),
        }
    }

    #[inline]
    fn sequence(&mut self, sequence: u64) {
        self.sequence = sequence;
    }
}

/// Merges what several [`Part`]s of one capture have rendered, however much each delivers at a
/// time.
#[derive(Debug)]
pub struct Merge {
    parts: Vec<Position>,
}

/// How much of a part's last chunk has been written.
#[derive(Debug, Default)]
struct Position {
    chunk: Chunk,
    run: usize,
    start: usize,
}

impl Position {
    /// The next sequence number with text; else the first for which text may still follow.
    #[inline]
    fn next(&self) -> Next {
        match self.chunk.runs.get(self.run) {
            Some(run) => Next { sequence: run.sequence, waits: false },
            None => Next { sequence: self.chunk.before, waits: true },
        }
    }
}

/// The next part to write: of equal sequence numbers, parts that have to be waited for come first.
#[derive(Clone, Copy, Debug)]
struct Next {
    sequence: u64,
    /// It is not known yet whether the part has text with that number.
    waits: bool,
}

/// The sequence number of parts that have ended.
const NEVER: u64 = u64::MAX;

impl Merge {
    /// For this many parts, none of which has delivered anything yet.
    pub fn new(parts: usize) -> Merge {
        Merge { parts: std::iter::repeat_with(Position::default).take(parts).collect() }
    }

    /// Writes all text that is next in order; returns the part that has to
    /// [deliver](Merge::deliver) more before it can continue, `None` if all have ended.
    pub fn write(&mut self, to: &mut Renderer) -> Option<usize> {
        loop {
            // The part with the lowest number, and the number at which the next part's begins.
            let (mut first, mut k, mut end) = (Next { sequence: NEVER, waits: true }, 0, NEVER);
            for (n, position) in self.parts.iter().enumerate() {
                let next = position.next();
                if (next.sequence, !next.waits) < (first.sequence, !first.waits) {
                    (end, first, k) = (first.sequence, next, n);
                } else {
                    end = end.min(next.sequence);
                }
            }
            if first.waits {
                return (first.sequence < NEVER).then_some(k);
            }
            let Position { chunk, run, start } = self.parts.get_mut(k)?;
            let from = *start;
            while let Some(next) = chunk.runs.get(*run)
                && (next.sequence < end || next.sequence == first.sequence)
            {
                (*run, *start) = (*run + 1, next.end);
            }
            to.rendered(chunk.bytes.get(from..*start).unwrap_or_default());
        }
    }

    /// Stores a part's next chunk, `None` at its end; returns the previous one, for reuse of its
    /// memory.
    pub fn deliver(&mut self, part: usize, chunk: Option<Chunk>) -> Chunk {
        let chunk = chunk.unwrap_or(Chunk { before: NEVER, ..Chunk::default() });
        let next = Position { chunk, ..Position::default() };
        self.parts.get_mut(part).map_or_else(Chunk::default, |position| std::mem::replace(position, next).chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn chunk(texts: &[(u64, String)], seen: u64) -> Chunk {
        let mut chunk = Chunk { before: seen, ..Chunk::default() };
        for (sequence, text) in texts {
            chunk.bytes.extend_from_slice(text.as_bytes());
            chunk.runs.push(Run { sequence: *sequence, end: chunk.bytes.len() });
        }
        chunk
    }

    proptest! {
        /// However the parts' output is cut into chunks, it is written in order. (After a cut
        /// within a sequence number, the rest of it is in the next chunk.)
        #[test]
        fn chunks_are_merged_in_order(
            sequences in prop::collection::vec((0..3usize, 0..3u8), 0..60),
            cuts in prop::collection::vec(prop::collection::vec(any::<bool>(), 61), 3),
        ) {
            let mut expected = String::new();
            let mut parts: Vec<Vec<Chunk>> = Vec::new();
            for (part, cuts) in cuts.iter().enumerate() {
                let (mut texts, mut chunks) = (Vec::new(), Vec::new());
                for (sequence, (owner, pieces)) in sequences.iter().enumerate() {
                    let sequence = sequence as u64;
                    for piece in 0..*pieces {
                        if *owner == part {
                            texts.push((sequence, format!("{sequence}.{piece} ")));
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
            for (sequence, (_, pieces)) in sequences.iter().enumerate() {
                (0..*pieces).for_each(|piece| expected += &format!("{sequence}.{piece} "));
            }
            let shared = Shared::default();
            let mut renderer = Renderer::new(Format::Ndjson, Style::default(), Box::new(shared.clone()));
            let mut merge = Merge::new(parts.len());
            let mut requests = 0;
            while let Some(part) = merge.write(&mut renderer) {
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
