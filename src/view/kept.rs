//! Kept messages: blocks of records, their rows and sums.

use super::record::Row;
use crate::dissect::Linked;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The number of opened blocks that are kept.
const OPENED: usize = 4;

/// Messages that follow one another.
#[derive(Debug, Default)]
pub struct Block {
    /// The number of its first message.
    pub first: usize,
    /// Its rows.
    pub rows: Arc<Vec<Row>>,
    /// The lowest and the highest frame of its rows.
    pub frames: (u64, u64),
    /// Its records.
    pub records: Records,
}

/// The records of a block.
#[derive(Debug)]
pub enum Records {
    /// As they are.
    Plain(Arc<Vec<u8>>),
    /// Compressed.
    Packed(Vec<u8>),
}

impl Default for Records {
    fn default() -> Records {
        Records::Plain(Arc::default())
    }
}

impl Records {
    /// The records, opened.
    pub fn open(&self) -> Arc<Vec<u8>> {
        match self {
            Records::Plain(bytes) => Arc::clone(bytes),
            // What cannot be opened is shown as no message.
            Records::Packed(bytes) => Arc::new(lz4_flex::block::decompress_size_prepended(bytes).unwrap_or_default()),
        }
    }
}

/// The sums of a conversation's messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// The number of messages.
    pub messages: u64,
    /// Their bytes; a message counts 65,535 at most.
    pub bytes: u64,
    /// The number of the first one.
    pub first: usize,
    /// The earliest and the latest time.
    pub span: (i64, i64),
    /// The number of messages of this severity or worse.
    pub bad: [u64; 5],
}

impl Sums {
    /// Adds a message.
    pub fn add(&mut self, row: &Row, number: usize) {
        if self.messages == 0 {
            (self.first, self.span) = (number, (row.nanos, row.nanos));
        }
        self.messages += 1;
        self.bytes += u64::from(row.length);
        // A conversation that is recognised late comes after later messages.
        self.span = (self.span.0.min(row.nanos), self.span.1.max(row.nanos));
        if let Some(count) = self.bad.get_mut(usize::from(row.severity)) {
            *count += 1;
        }
    }
}

/// The state of the reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// It goes on.
    #[default]
    Reading,
    /// It has ended with the input, or because the user stopped it.
    Ended,
    /// It has ended because this much memory is used.
    Full,
    /// It has ended for this reason.
    Failed(String),
}

/// Kept messages, and what is known of all of them.
#[derive(Debug, Default)]
pub struct Kept {
    /// Ended blocks.
    pub blocks: Vec<Block>,
    /// The rows and records after them.
    pub rows: Vec<Row>,
    /// See `rows`.
    pub tail: Vec<u8>,
    /// About how many bytes of memory the blocks take.
    pub memory: usize,
    /// The sums of all messages.
    pub sums: Sums,
    /// The sums by conversation.
    pub conversations: BTreeMap<u64, Sums>,
    /// Relations to later messages, once the input has been read.
    pub linked: Option<Linked>,
    /// The state of the reading.
    pub progress: Progress,
    /// Blocks that were opened last.
    pub opened: VecDeque<(usize, Arc<Vec<u8>>)>,
}

impl Kept {
    /// The number of messages in ended blocks.
    pub fn sealed(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.first + block.rows.len())
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.sealed() + self.rows.len()
    }

    /// The block of a message; `None`: it is in the tail.
    pub fn block(&self, number: usize) -> Option<usize> {
        (number < self.sealed()).then(|| self.blocks.partition_point(|block| block.first <= number) - 1)
    }

    /// A message's row.
    pub fn row(&self, number: usize) -> Option<Row> {
        match self.block(number).and_then(|at| self.blocks.get(at)) {
            Some(block) => block.rows.get(number - block.first).copied(),
            None => self.rows.get(number.checked_sub(self.sealed())?).copied(),
        }
    }

    /// The records of a block.
    pub fn records(&mut self, at: usize) -> Arc<Vec<u8>> {
        if let Some((_, bytes)) = self.opened.iter().find(|(own, _)| *own == at) {
            return Arc::clone(bytes);
        }
        let bytes = self.blocks.get(at).map(|block| block.records.open()).unwrap_or_default();
        self.opened.truncate(OPENED - 1);
        self.opened.push_front((at, Arc::clone(&bytes)));
        bytes
    }

    /// Ends the block that is being filled. The next one gets as much room at once: growing step by step, it would touch
    /// memory that is given back at once.
    pub fn seal(&mut self) {
        let first = self.sealed();
        let (tail, next) = (Vec::with_capacity(self.tail.len()), Vec::with_capacity(self.rows.len()));
        let (mut bytes, mut rows) = (std::mem::replace(&mut self.tail, tail), std::mem::replace(&mut self.rows, next));
        bytes.shrink_to_fit();
        rows.shrink_to_fit();
        self.memory += bytes.len() + rows.len() * size_of::<Row>();
        let frames = rows.iter().map(|row| row.frame);
        let frames = (frames.clone().min().unwrap_or(0), frames.max().unwrap_or(0));
        self.blocks.push(Block { first, rows: Arc::new(rows), frames, records: Records::Plain(Arc::new(bytes)) });
    }

    /// The number of compressed blocks, which come first.
    pub fn packed(&self) -> usize {
        self.blocks.partition_point(|block| matches!(block.records, Records::Packed(_)))
    }

    /// The records of the oldest block that is not compressed.
    pub fn plain(&self) -> Option<Arc<Vec<u8>>> {
        match &self.blocks.get(self.packed())?.records {
            Records::Plain(bytes) => Some(Arc::clone(bytes)),
            Records::Packed(_) => None,
        }
    }

    /// Replaces these records of the oldest block that is not compressed by compressed ones.
    pub fn pack(&mut self, records: &Arc<Vec<u8>>, packed: Vec<u8>) {
        let at = self.packed();
        if let Some(block) = self.blocks.get_mut(at)
            && let Records::Plain(own) = &block.records
            // The lock is not held while a block is compressed: somebody else may have compressed it meanwhile.
            && Arc::ptr_eq(own, records)
        {
            self.memory = self.memory + packed.len() - records.len();
            block.records = Records::Packed(packed);
        }
    }
}
