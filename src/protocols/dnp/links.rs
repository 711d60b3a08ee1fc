//! Links: which state belongs to which id, and of what types its values are. The wire says that
//! once, in the link_state; every link_update is read with it.
//!
//! Both sides choose link ids from the same numbers. A link_state is an offer until the other side
//! answers with link_up; one that is refused or never answered must not change what a link in
//! force means.

use super::layout::{self, INDEX, LINK_ID, TYPE};
use super::layout::{OUT_OF_RANGE, UPDATE_LAYOUT};
use super::types::Types;
use crate::codec::layout::Field;
use crate::codec::{Context, Recalled, Scope, Tree};
use crate::dissect::Target;
use crate::flow::Side;
use rustc_hash::FxHashMap;

/// How many values' types one connection remembers; beyond it offers are dropped, then links.
/// Real states have some ten values.
const VALUES: usize = 1 << 20;

/// What a link_state says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The types of the values.
    pub types: Box<[u8]>,
    /// Only the side that offered it may change values.
    pub read_only: bool,
    /// The link_state.
    pub target: Target,
    /// When it was offered, in nanoseconds since the epoch.
    pub offered: i64,
    /// When it was accepted, in nanoseconds since the epoch; 0 in an offer.
    pub since: i64,
}

/// What an answer meant, and the state it was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered<'a> {
    /// The offer is in force now.
    Accepted(&'a State),
    /// There is no offer, but a link.
    Already,
    /// There is neither.
    Unknown,
}

/// What a link_down has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The offer.
    Refused(State),
    /// The link.
    Down(State),
    /// There was neither.
    Unknown,
}

/// All links of a connection.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Offers without an answer, by the side that made them and link id.
    offers: [FxHashMap<u16, State>; 2],
    /// Links in force, and who offered them.
    links: FxHashMap<u16, (Side, State)>,
    /// How many types all of them hold.
    held: usize,
}

impl Links {
    /// How many bytes they hold.
    pub fn memory(&self) -> usize {
        let states = self.offers.iter().map(FxHashMap::len).sum::<usize>() + self.links.len();
        self.held + states * 2 * size_of::<(u16, State)>()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.offers.iter_mut().for_each(FxHashMap::clear);
        self.links.clear();
        self.held = 0;
    }

    /// A whole link_state.
    pub fn offer(&mut self, by: Side, id: u16, state: State) {
        self.held += state.types.len();
        if self.held > VALUES {
            self.offers.iter_mut().for_each(FxHashMap::clear);
            let referenced: usize = self.links.values().map(|(_, state)| state.types.len()).sum();
            if referenced + state.types.len() > VALUES {
                self.links.clear();
            }
            self.held = self.links.values().map(|(_, state)| state.types.len()).sum::<usize>() + state.types.len();
        }
        let old = self.offers[by.index()].insert(id, state);
        self.release(old.as_ref());
    }

    fn release(&mut self, state: Option<&State>) {
        self.held = self.held.saturating_sub(state.map_or(0, |s| s.types.len()));
    }

    /// A link_up.
    pub fn up(&mut self, from: Side, id: u16, now: i64) -> Answered<'_> {
        let by = from.other();
        let Some(mut state) = self.offers[by.index()].remove(&id) else {
            return if self.links.contains_key(&id) { Answered::Already } else { Answered::Unknown };
        };
        state.since = now;
        let old = self.links.remove(&id);
        self.release(old.as_ref().map(|(_, state)| state));
        Answered::Accepted(&self.links.entry(id).or_insert((by, state)).1)
    }

    /// A link_down.
    pub fn down(&mut self, from: Side, id: u16) -> Ended {
        if let Some(state) = self.offers[from.other().index()].remove(&id) {
            self.release(Some(&state));
            return Ended::Refused(state);
        }
        match self.links.remove(&id) {
            Some((_, state)) => {
                self.release(Some(&state));
                Ended::Down(state)
            }
            None => Ended::Unknown,
        }
    }

    /// Has this side an offer for this id without an answer?
    pub fn offered(&self, by: Side, id: u16) -> Option<&State> {
        self.offers[by.index()].get(&id)
    }

    /// The link in force, and who offered it.
    pub fn in_force(&self, id: u16) -> Option<&(Side, State)> {
        self.links.get(&id)
    }
}

/// Where the list of that field is right below `parent`, or on the top level.
pub fn index_of(tree: &Tree, parent: Option<usize>, field: &Field) -> Option<usize> {
    tree.children(parent).find(|i| tree.nodes().get(*i).is_some_and(|node| node.field.is_named_as(field)))
}

/// The types of a list of values that was read into a tree.
pub fn types(tree: &Tree) -> Option<Box<[u8]>> {
    let list = index_of(tree, None, &layout::VALUES)?;
    let kind = |i: usize| tree.child(Some(i), &TYPE)?.number().map(|n| n as u8);
    tree.children(Some(list)).map(kind).collect()
}

/// What a link_update needs to know of earlier messages, and what it found.
#[derive(Debug)]
pub struct Recall<'a> {
    links: &'a Links,
    set: &'a Types,
    specification: bool,
    /// The link looked up last.
    last: Option<(u16, &'a [u8])>,
    /// A link whose offer was used though nobody had accepted it, and the offer.
    pub not_in_force: Option<(u16, Target)>,
    /// The link whose types nobody knows.
    pub unknown: Option<u16>,
    /// Link, index, and how many values the link has.
    pub out_of_range: Option<(u16, u16, usize)>,
}

impl<'a> Recall<'a> {
    /// By a connection's links, else by the setting.
    pub fn new(links: &'a Links, set: &'a Types, specification: bool) -> Recall<'a> {
        Recall { links, set, specification, last: None, not_in_force: None, unknown: None, out_of_range: None }
    }

    fn types(&mut self, id: u16) -> Option<&'a [u8]> {
        if let Some((last, types)) = self.last
            && last == id
        {
            return Some(types);
        }
        let offers = (self.links.offered(Side::A, id), self.links.offered(Side::B, id));
        let types = match (self.links.in_force(id), offers) {
            (Some((_, state)), _) => &state.types[..],
            (None, (Some(state), None) | (None, Some(state))) => {
                self.not_in_force.get_or_insert((id, state.target));
                &state.types[..]
            }
            _ => self.set.get(id)?,
        };
        self.last = Some((id, types));
        Some(types)
    }
}

impl Context for Recall<'_> {
    fn setting(&self, name: &str) -> u64 {
        (name == UPDATE_LAYOUT && self.specification) as u64
    }

    fn recall(&mut self, _field: &'static Field, scope: &Scope) -> Recalled {
        let (Some(id), Some(index)) = (scope.of(&LINK_ID), scope.of(&INDEX)) else {
            return Recalled::Unknown;
        };
        let (id, index) = (id as u16, index as u16);
        let Some(types) = self.types(id) else {
            self.unknown = Some(id);
            return Recalled::Unknown;
        };
        match types.get(index as usize) {
            Some(kind) => Recalled::Value(*kind as u64),
            None => {
                self.out_of_range = Some((id, index, types.len()));
                Recalled::Fault(OUT_OF_RANGE)
            }
        }
    }
}
