//! The messages of a capture, kept as blocks of records with a row each. The oldest blocks of a long capture are
//! compressed.
//!
//! A worker appends while the screen reads: both hold the lock for as long as it takes to append or to open a
//! few records. Memory is bounded: when it is used up, reading ends, and the screen says so.

use super::kept::{Block, Kept};
pub use super::kept::{Progress, Sums};
use super::record::{About, Conversation, Opened, Recorder, Row, records};
use crate::capture::Time;
use crate::codec::packed::Known;
use crate::dissect::{Account, Links, Options, Target};
use crate::flow::Closing;
use crate::read::Receiver;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A block of more bytes is ended. The captures of the tests are small.
const BLOCK: usize = if cfg!(test) { 16 << 10 } else { 256 << 10 };
/// Blocks are compressed, the oldest first, when all take more memory than this: compressing takes a quarter of the time
/// of reading. Tests have compressed and other blocks of one capture.
const PLAIN: usize = if cfg!(test) { 4 * BLOCK } else { 144 << 20 };
/// The memory that blocks and rows may take.
const MOST: usize = 1 << 30;

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
    /// Messages that were not kept, because too many arrived at once.
    missed: AtomicU64,
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
            missed: AtomicU64::new(0),
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

    /// A message was not kept, because too many arrived at once.
    pub fn miss(&self) {
        self.missed.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of messages that were not kept.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
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

    /// The numbers of compressed and of other ended blocks.
    #[cfg(test)]
    pub(super) fn blocks(&self) -> [usize; 2] {
        let kept = self.kept();
        [kept.packed(), kept.blocks.len() - kept.packed()]
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

    /// The message that a relation leads to. Messages of a conversation that is recognised late are after those of
    /// later frames.
    pub fn find(&self, target: Target) -> Option<usize> {
        let kept = self.kept();
        let own = |row: &Row| (row.frame, row.index) == (target.frame, target.index.max(1));
        let has = |block: &&Block| (block.frames.0..=block.frames.1).contains(&target.frame);
        let mut blocks = kept.blocks.iter().filter(has);
        let found = blocks.find_map(|block| Some(block.first + block.rows.iter().position(own)?));
        found.or_else(|| Some(kept.sealed() + kept.rows.iter().position(own)?))
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

    /// Adds the relations that later messages show, once the input has been read.
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

    /// Keeps the counts of what was read and left out.
    pub fn account(&self, account: &Account) {
        self.about().account = account.clone();
    }

    /// The counts of what was read and left out, once the input has been read.
    pub fn accounted(&self) -> Account {
        self.about().account.clone()
    }

    /// The ends of conversations so far.
    pub fn ended(&self) -> Vec<(u64, Closing)> {
        self.about().ended.iter().map(|(flow, how)| (*flow, *how)).collect()
    }

    /// Opens some messages from number `from` on; returns the number after them.
    pub fn each(&self, from: usize, mut look: impl FnMut(usize, Opened)) -> usize {
        let kept = self.kept();
        let at = kept.block(from);
        let (first, rows, bytes) = match at.and_then(|at| kept.blocks.get(at)) {
            Some(block) => (block.first, Arc::clone(&block.rows), block.records.open()),
            None => (kept.sealed(), Arc::new(kept.rows.clone()), Arc::new(kept.tail.clone())),
        };
        drop(kept);
        for at in from.saturating_sub(first)..rows.len() {
            if let Some(opened) = self.opened(&rows, at, &bytes) {
                look(first + at, opened);
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
        records(items, |row, record| {
            if kept.tail.len() + record.len() > BLOCK && !kept.rows.is_empty() {
                kept.seal();
            }
            let (number, start) = (kept.len(), kept.tail.len() as u32);
            kept.sums.add(&row, number);
            kept.conversations.entry(u64::from(row.flow)).or_default().add(&row, number);
            kept.tail.extend_from_slice(record);
            kept.rows.push(Row { start, ..row });
        });
        while kept.memory > PLAIN
            && let Some(bytes) = kept.plain()
        {
            drop(kept);
            let packed = lz4_flex::block::compress_prepend_size(&bytes);
            kept = store.kept();
            kept.pack(&bytes, packed);
        }
        drop(kept);
        store.wake();
    }

    fn done(&self) -> bool {
        self.0.kept().memory > MOST
    }
}
