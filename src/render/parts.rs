//! One capture rendered by several threads: each its own conversations, put back into the order of
//! one.

use super::renderer::Form;
use super::times::TimeForm;
use super::{Format, Json, Renderer, Style};
use crate::capture::Time;
use crate::dissect::{Message, Sink};

/// Memory for longer text is given back.
const KEPT: usize = 1 << 20;

/// Renders some of a capture's conversations; [`Merge`] puts them back in order.
#[derive(Debug)]
pub struct Part {
    form: Form,
    sequence: u64,
    chunk: Chunk,
}

/// What a [`Part`] has rendered, and whose turn each piece of it was.
#[derive(Debug, Default)]
pub struct Chunk {
    bytes: Vec<u8>,
    runs: Vec<Run>,
    /// The part says nothing more of turns before this one.
    before: u64,
}

impl Chunk {
    /// Is there no message in it?
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Text that nothing of another part stands between.
#[derive(Clone, Copy, Debug)]
struct Run {
    sequence: u64,
    /// Where it ends in the chunk.
    end: usize,
}

impl Part {
    /// A part of what a renderer of this format writes; `None` for formats that have to see all
    /// messages.
    pub fn new(format: Format, style: Style) -> Option<Part> {
        // Times that count from the message before need that one, whoever prints it.
        let counted = style.time == Some(TimeForm::Delta);
        let form = match format {
            Format::Json => Form::Json(Json::new(style.bytes, style.verbose).continued()),
            Format::Summary | Format::Tree if counted => return None,
            Format::Ndjson | Format::Summary | Format::Tree => Form::new(format, style),
            Format::Table => return None,
        };
        Some(Part { form, sequence: 0, chunk: Chunk::default() })
    }

    /// As [`Renderer::origin`].
    pub fn origin(&mut self, time: Time) {
        self.form.origin(time);
    }

    /// How many bytes have been rendered since the last [`Part::take`].
    #[inline]
    pub fn len(&self) -> usize {
        self.chunk.bytes.len()
    }

    /// Has nothing been rendered since then?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was rendered since the last call. `used` is one that has been merged: its memory is
    /// used again.
    pub fn take(&mut self, mut used: Chunk) -> Chunk {
        used.bytes.clear();
        used.bytes.shrink_to(KEPT);
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

/// Puts together what several [`Part`]s of one capture have rendered, however much each delivers at
/// a time.
#[derive(Debug)]
pub struct Merge {
    parts: Vec<Position>,
}

/// How far a part's last chunk has been written.
#[derive(Debug, Default)]
struct Position {
    chunk: Chunk,
    run: usize,
    start: usize,
}

impl Position {
    /// The next turn of which there is text; else the first of which there may be some later.
    #[inline]
    fn next(&self) -> Next {
        match self.chunk.runs.get(self.run) {
            Some(run) => Next { sequence: run.sequence, waits: false },
            None => Next { sequence: self.chunk.before, waits: true },
        }
    }
}

/// Who is next: of the same turn, first who has to be waited for.
#[derive(Clone, Copy, Debug)]
struct Next {
    sequence: u64,
    /// What the part has to say of that turn, or that it says nothing of it, is not known yet.
    waits: bool,
}

/// The turn of those that say nothing more.
const NEVER: u64 = u64::MAX;

impl Merge {
    /// Of so many parts, which have delivered nothing so far.
    pub fn new(parts: usize) -> Merge {
        Merge { parts: std::iter::repeat_with(Position::default).take(parts).collect() }
    }

    /// Writes all text whose turn it is; returns which part has to [deliver](Merge::deliver) more
    /// before it can go on, `None` where all have ended.
    pub fn write(&mut self, to: &mut Renderer) -> Option<usize> {
        loop {
            // The first of all, and whose turn ends its own.
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

    /// A part's next chunk, `None` at its end; returns the one before, whose memory can be used
    /// again.
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
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What a part has said when it has seen the turns up to `seen`.
    fn chunk(said: &[(u64, String)], seen: u64) -> Chunk {
        let mut chunk = Chunk { before: seen, ..Chunk::default() };
        for (sequence, text) in said {
            chunk.bytes.extend_from_slice(text.as_bytes());
            chunk.runs.push(Run { sequence: *sequence, end: chunk.bytes.len() });
        }
        chunk
    }

    proptest! {
        /// However the parts' text is cut, it comes out by turns. (A cut within a turn leaves the
        /// rest of it for the next chunk.)
        #[test]
        fn turns_come_in_order(
            sequences in prop::collection::vec((0..3usize, 0..3u8), 0..60),
            cuts in prop::collection::vec(prop::collection::vec(any::<bool>(), 61), 3),
        ) {
            let mut expected = String::new();
            let mut parts: Vec<Vec<Chunk>> = Vec::new();
            for (part, cuts) in cuts.iter().enumerate() {
                let (mut said, mut chunks) = (Vec::new(), Vec::new());
                for (sequence, (whose, pieces)) in sequences.iter().enumerate() {
                    let sequence = sequence as u64;
                    for piece in 0..*pieces {
                        if *whose == part {
                            said.push((sequence, format!("{sequence}.{piece} ")));
                        }
                        if cuts[sequence as usize] {
                            chunks.push(chunk(&said, sequence));
                            said.clear();
                        }
                    }
                }
                chunks.push(chunk(&said, sequences.len() as u64));
                chunks.reverse();
                parts.push(chunks);
            }
            for (sequence, (_, pieces)) in sequences.iter().enumerate() {
                (0..*pieces).for_each(|piece| expected += &format!("{sequence}.{piece} "));
            }
            let kept = Kept::default();
            let mut renderer = Renderer::new(Format::Ndjson, Style::default(), Box::new(kept.clone()));
            let mut merge = Merge::new(parts.len());
            let mut asked = 0;
            while let Some(part) = merge.write(&mut renderer) {
                merge.deliver(part, parts[part].pop());
                asked += 1;
                prop_assert!(asked < 1000, "asks for ever");
            }
            renderer.finish().unwrap();
            prop_assert!(parts.iter().all(Vec::is_empty));
            prop_assert_eq!(String::from_utf8(kept.0.lock().unwrap().clone()).unwrap(), expected);
        }
    }
}
