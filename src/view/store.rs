//! The messages of a capture, kept as compressed blocks of records with a row each.
//!
//! A worker appends while the screen reads: both hold the lock for as long as it takes to append or to open a
//! few records. Memory is bounded: when it is used up, reading ends, and the screen says so.

use super::record::{About, Conversation, Opened, Recorder, Row, records};
use crate::capture::Time;
use crate::codec::packed::Known;
use crate::dissect::{Linked, Links, Options, Target};
use crate::filter::Filter;
use crate::read::Receiver;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A block of more bytes is compressed.
const BLOCK: usize = 256 << 10;
/// The number of opened blocks that are kept.
const OPENED: usize = 4;
/// The memory that blocks and rows may take.
const MOST: usize = 1 << 30;

/// Messages that follow one another.
#[derive(Debug, Default)]
struct Block {
    /// The number of its first message.
    first: usize,
    rows: Arc<Vec<Row>>,
    records: Records,
}

#[derive(Debug)]
enum Records {
    Plain(Arc<Vec<u8>>),
    Packed(Vec<u8>),
}

impl Default for Records {
    fn default() -> Records {
        Records::Plain(Arc::default())
    }
}

impl Records {
    fn open(&self) -> Arc<Vec<u8>> {
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
    /// The time of the first and of the last one.
    pub span: (i64, i64),
    /// The number of messages of this severity or worse.
    pub bad: [u64; 5],
}

impl Sums {
    fn add(&mut self, row: &Row, number: usize) {
        if self.messages == 0 {
            (self.first, self.span) = (number, (row.nanos, row.nanos));
        }
        self.messages += 1;
        self.bytes += u64::from(row.length);
        self.span.1 = self.span.1.max(row.nanos);
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
struct Kept {
    blocks: Vec<Block>,
    rows: Vec<Row>,
    tail: Vec<u8>,
    memory: usize,
    sums: Sums,
    conversations: BTreeMap<u64, Sums>,
    linked: Option<Linked>,
    progress: Progress,
    opened: VecDeque<(usize, Arc<Vec<u8>>)>,
}

impl Kept {
    fn sealed(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.first + block.rows.len())
    }

    fn len(&self) -> usize {
        self.sealed() + self.rows.len()
    }

    /// The block of a message; `None`: it is in the tail.
    fn block(&self, number: usize) -> Option<usize> {
        (number < self.sealed()).then(|| self.blocks.partition_point(|block| block.first <= number) - 1)
    }

    fn row(&self, number: usize) -> Option<Row> {
        match self.block(number).and_then(|at| self.blocks.get(at)) {
            Some(block) => block.rows.get(number - block.first).copied(),
            None => self.rows.get(number.checked_sub(self.sealed())?).copied(),
        }
    }

    fn records(&mut self, at: usize) -> Arc<Vec<u8>> {
        if let Some((_, bytes)) = self.opened.iter().find(|(own, _)| *own == at) {
            return Arc::clone(bytes);
        }
        let bytes = self.blocks.get(at).map(|block| block.records.open()).unwrap_or_default();
        self.opened.truncate(OPENED - 1);
        self.opened.push_front((at, Arc::clone(&bytes)));
        bytes
    }

    /// Ends the block that is being filled; returns which one it is.
    fn seal(&mut self) -> (usize, Arc<Vec<u8>>) {
        let (first, bytes) = (self.sealed(), Arc::new(std::mem::take(&mut self.tail)));
        let mut rows = std::mem::take(&mut self.rows);
        rows.shrink_to_fit();
        self.blocks.push(Block { first, rows: Arc::new(rows), records: Records::Plain(Arc::clone(&bytes)) });
        (self.blocks.len() - 1, bytes)
    }
}

/// The record that a row begins.
fn record<'a>(rows: &[Row], at: usize, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let end = rows.get(at + 1).map_or(bytes.len(), |next| next.start as usize);
    bytes.get(rows.get(at)?.start as usize..end)
}

/// Called when there is something new.
type Wake = Box<dyn Fn() + Send + Sync>;

/// The messages of a capture.
pub struct Store {
    options: Options,
    known: Arc<Mutex<Known>>,
    about: Arc<Mutex<About>>,
    kept: Mutex<Kept>,
    wake: Wake,
    /// The screen has not yet looked at what it was woken for.
    woken: AtomicBool,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("messages", &self.len()).finish_non_exhaustive()
    }
}

impl Store {
    /// An empty one, for messages that are read with these options; `wake` is called when there are more.
    pub fn new(options: &Options, wake: impl Fn() + Send + Sync + 'static) -> Store {
        Store {
            options: options.clone(),
            known: Arc::default(),
            about: Arc::default(),
            kept: Mutex::default(),
            wake: Box::new(wake),
            woken: AtomicBool::new(false),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn about(&self) -> MutexGuard<'_, About> {
        self.about.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of the capture's first frame.
    pub fn origin(&self) -> Option<Time> {
        self.about().origin
    }

    fn wake(&self) {
        if !self.woken.swap(true, Ordering::AcqRel) {
            (self.wake)();
        }
    }

    /// The screen looks: from now on it is woken again.
    pub fn look(&self) {
        self.woken.store(false, Ordering::Release);
    }

    /// The options of its messages.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Makes records for it: one for each worker.
    pub fn recorder(&self) -> Recorder {
        Recorder::new(&self.known, &self.about, self.options.limits.lists.links)
    }

    /// The reading has ended so, and all recorders are done. `whole`: the input was read to its end, so that what
    /// was not seen is not there.
    pub fn end(&self, whole: bool, progress: Progress) {
        let links = std::mem::take(&mut self.about().links);
        let mut all = Links::new(0);
        links.into_iter().for_each(|more| all.merge(more));
        let mut kept = self.kept();
        let full = kept.memory > MOST;
        kept.linked = Some(all.finish(whole && !full));
        kept.progress = if full && progress == Progress::Ended { Progress::Full } else { progress };
        drop(kept);
        self.wake();
    }

    /// The state of the reading.
    pub fn progress(&self) -> Progress {
        self.kept().progress.clone()
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.kept().len()
    }

    /// Whether there is none so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how many bytes of memory the messages take.
    pub fn memory(&self) -> usize {
        self.kept().memory
    }

    /// The sums of all messages.
    pub fn sums(&self) -> Sums {
        self.kept().sums
    }

    /// The conversations in the order of their numbers.
    pub fn conversations(&self) -> Vec<(Arc<Conversation>, Sums)> {
        let (kept, about) = (self.kept(), self.about());
        let all = kept.conversations.iter();
        all.filter_map(|(flow, sums)| Some((Arc::clone(about.conversations.get(flow)?), *sums))).collect()
    }

    /// A message's row.
    pub fn row(&self, number: usize) -> Option<Row> {
        self.kept().row(number)
    }

    /// Calls this with the rows of all messages by their numbers.
    pub fn rows<R>(&self, look: impl FnOnce(&dyn Fn(usize) -> Option<Row>) -> R) -> R {
        let kept = self.kept();
        look(&|number| kept.row(number))
    }

    /// The first message from `from` on, going forward or back, whose row fits.
    pub fn next(&self, from: usize, forward: bool, fits: impl Fn(&Row) -> bool) -> Option<usize> {
        let kept = self.kept();
        let fits = |number: &usize| kept.row(*number).is_some_and(|row| fits(&row));
        if forward { (from..kept.len()).find(fits) } else { (0..=from.min(kept.len())).rev().find(fits) }
    }

    /// The number of the first message that is not `before`, where the messages are in this order.
    pub fn partition(&self, before: impl Fn(&Row) -> bool) -> usize {
        let kept = self.kept();
        let (mut low, mut high) = (0, kept.len());
        while low < high {
            let middle = low.midpoint(high);
            if kept.row(middle).is_some_and(|row| before(&row)) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The message that a relation leads to.
    pub fn find(&self, target: Target) -> Option<usize> {
        let first = self.partition(|row| row.frame < target.frame);
        let kept = self.kept();
        let mut of_frame = (first..).take_while(|n| kept.row(*n).is_some_and(|row| row.frame == target.frame));
        of_frame.find(|n| kept.row(*n).is_some_and(|row| row.index == target.index.max(1)))
    }

    /// Opens a message.
    pub fn open(&self, number: usize) -> Option<Opened> {
        let mut kept = self.kept();
        match kept.block(number) {
            Some(at) => {
                let bytes = kept.records(at);
                let block = kept.blocks.get(at)?;
                self.opened(&block.rows, number - block.first, &bytes)
            }
            None => self.opened(&kept.rows, number.checked_sub(kept.sealed())?, &kept.tail),
        }
    }

    /// Adds what later messages tell, once the input has been read.
    pub fn link(&self, opened: &mut Opened) {
        if let Some(linked) = &mut self.kept().linked {
            opened.link(linked, &self.options);
        }
    }

    fn opened(&self, rows: &[Row], at: usize, bytes: &[u8]) -> Option<Opened> {
        let (row, record) = (rows.get(at)?, record(rows, at, bytes)?);
        let conversation = Arc::clone(self.about().conversations.get(&u64::from(row.flow))?);
        Opened::of(row, record, &self.known.lock().unwrap_or_else(PoisonError::into_inner), conversation)
    }

    /// Appends the messages that fit, of some from number `from` on; returns the number after them.
    pub fn fitting(&self, filter: &Filter, from: usize, to: &mut Vec<u32>) -> usize {
        let kept = self.kept();
        let at = kept.block(from);
        let (first, rows, bytes) = match at.and_then(|at| kept.blocks.get(at)) {
            Some(block) => (block.first, Arc::clone(&block.rows), block.records.open()),
            None => (kept.sealed(), Arc::new(kept.rows.clone()), Arc::new(kept.tail.clone())),
        };
        drop(kept);
        for at in from.saturating_sub(first)..rows.len() {
            let Some(mut opened) = self.opened(&rows, at, &bytes) else { continue };
            if filter.later().is_some() {
                self.link(&mut opened);
            }
            if opened.with(&self.options, |message| filter.matches(message)) {
                to.push((first + at) as u32);
            }
        }
        first + rows.len()
    }
}

/// Takes the records of all workers.
#[derive(Debug)]
pub struct Receiving(pub Arc<Store>);

impl Receiver<u8> for Receiving {
    fn receive(&mut self, items: &[u8]) {
        let store = &self.0;
        let mut kept = store.kept();
        let mut sealed = Vec::new();
        records(items, |row, record| {
            if kept.tail.len() + record.len() > BLOCK && !kept.rows.is_empty() {
                sealed.push(kept.seal());
            }
            let (number, start) = (kept.len(), kept.tail.len() as u32);
            kept.sums.add(&row, number);
            kept.conversations.entry(u64::from(row.flow)).or_default().add(&row, number);
            kept.tail.extend_from_slice(record);
            kept.rows.push(Row { start, ..row });
        });
        drop(kept);
        for (at, bytes) in sealed {
            let packed = lz4_flex::block::compress_prepend_size(&bytes);
            let mut kept = store.kept();
            let rows = kept.blocks.get(at).map_or(0, |block| block.rows.len() * size_of::<Row>());
            kept.memory += packed.len() + rows;
            if let Some(block) = kept.blocks.get_mut(at) {
                block.records = Records::Packed(packed);
            }
        }
        store.wake();
    }

    fn done(&self) -> bool {
        self.0.kept().memory > MOST
    }
}
