//! Adds up the evidence of packets that fit a file.

use super::Description;
use super::fit::{Broken, of_packet};
use super::reader::{Work, end_of};
use super::recognise::weigh_packet;
use super::state::State;
use super::supposed::Supposed;
use super::times::Times;
use super::unended::Begins;
use crate::flow::Side;

/// The number of packets that are weighed, of streams and for constants: further ones add nothing.
pub const WEIGHED: usize = 8;
/// The most bits that the length of another shape adds, and the number of shapes from which on they count.
const SHAPE: (u32, usize) = (2, 6);

/// The evidence of packets under a supposition.
pub struct Weighing<'a> {
    /// The file.
    pub description: &'static Description,
    /// The supposition.
    pub supposed: &'a Supposed,
    /// The values of the settings.
    pub values: &'a [u64],
    memory: Vec<[u64; 2]>,
    work: Work,
    /// The number of packets that fit.
    pub packets: usize,
    /// The bits of single packets: of the best one, and a part of those of all.
    best: u32,
    some: u32,
    /// The lengths of packets with known messages, and what they add.
    shapes: Vec<usize>,
    shaped: u32,
    /// The points in time in them.
    pub times: Times,
    /// The first packet that does not fit, if it is asked for.
    pub broken: Option<Broken>,
    /// Whether it is.
    pub explain: bool,
}

impl<'a> Weighing<'a> {
    /// For no packets yet.
    pub fn new(
        description: &'static Description,
        supposed: &'a Supposed,
        values: &'a [u64],
        explain: bool,
    ) -> Weighing<'a> {
        Weighing {
            description,
            supposed,
            values,
            memory: supposed.memory.clone(),
            work: Work::default(),
            packets: 0,
            best: 0,
            some: 0,
            shapes: Vec::new(),
            shaped: 0,
            times: Times::default(),
            broken: None,
            explain,
        }
    }

    /// Weighs a packet. Returns whether it fits. `tried`: the bits by which chance matches are more likely, as its place
    /// is one of several.
    pub fn packet(&mut self, bytes: &[u8], length: usize, side: Side, tried: u32) -> bool {
        let Weighing { description, work, .. } = self;
        let from = self.supposed.from(side);
        let found = weigh_packet(description, bytes, length, work, &mut self.memory, self.values, from);
        if let Some(found) = found {
            let found = found.saturating_sub(tried);
            self.packets += 1;
            // Constants that are the same in every packet count once. Further packets count for the part that may
            // differ.
            self.best = self.best.max(found);
            if self.packets <= WEIGHED {
                self.some += (found / 4).min(8);
            }
            // A foreign packet of another length would end elsewhere: a third of its bits is independent of the others.
            if work.has_message() && !self.shapes.contains(&length) {
                self.shaped += if self.shapes.is_empty() { 0 } else { (found / 3).min(SHAPE.0) };
                self.shapes.push(length);
            }
            if tried == 0 {
                self.times.see(&work.tree);
            }
            // It did not fit before a message of the other side.
            self.broken.take_if(|broken| broken.side == side);
        } else if self.explain && self.broken.is_none() {
            let misfit = of_packet(description, &work.tree, work.fault.as_ref(), bytes.len());
            let number = self.packets + 1;
            self.broken = misfit.map(|misfit| Broken { number, side, bytes: bytes.to_vec(), misfit });
        }
        found.is_some()
    }

    /// Whether a packet fits, which is not weighed.
    pub fn fits(&self, bytes: &[u8], side: Side, work: &mut Work) -> bool {
        let (mut memory, from) = (self.memory.clone(), self.supposed.from(side));
        weigh_packet(self.description, bytes, bytes.len(), work, &mut memory, self.values, from).is_some()
    }

    /// Finds the end of the packet at the beginning of these bytes.
    pub fn end(&self, bytes: &[u8], side: Side, work: &mut Work) -> Begins {
        let from = self.supposed.from(side);
        let state = State { memory: &self.memory, values: self.values, from, likely: from };
        end_of(self.description, state, bytes, work)
    }

    /// Whether packets may depend on earlier ones.
    pub fn has_memory(&self) -> bool {
        !self.memory.is_empty()
    }

    /// The bits of evidence.
    pub fn bits(&self, misfit: bool) -> u32 {
        let same = self.some.saturating_sub(self.best / 4).min(self.best);
        let shaped = if misfit || self.shapes.len() < SHAPE.1 { 0 } else { self.shaped };
        self.best + same.max(shaped) + if misfit { 0 } else { self.times.bits() }
    }
}
