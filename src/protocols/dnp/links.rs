//! Links: the state of each link id, with the types of its values. Only the link_state contains the types; every
//! link_update is read with them.
//!
//! Both sides choose link ids from the same numbers. A link_state is an offer until the other side answers with
//! link_up. An offer that is refused or never answered must not affect a link in force.

use super::layout::{self, INDEX, LINK_ID, OUT_OF_RANGE, TYPE, UPDATE_LAYOUT};
use super::types::Types;
use crate::codec::layout::Field;
use crate::codec::{Context, Recalled, Scope, Tree};
use crate::dissect::Target;
use crate::flow::Side;
use rustc_hash::FxHashMap;

/// The most value types that a connection remembers. Above it offers are dropped, then links. Real states have about
/// ten values.
const VALUES: usize = 1 << 20;

/// The content of a link_state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The types of the values.
    pub types: Box<[u8]>,
    /// Only the side that offered it may change values.
    pub read_only: bool,
    /// The link_state.
    pub target: Target,
    /// The time of the offer, in nanoseconds since the epoch.
    pub offered: i64,
    /// The time of the acceptance, in nanoseconds since the epoch; 0 in an offer.
    pub since: i64,
}

/// The effect of a link_up, with its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered<'a> {
    /// The offer is in force now.
    Accepted(&'a State),
    /// There is no offer, but a link in force.
    Already,
    /// There is neither an offer nor a link.
    Unknown,
}

/// The effect of a link_down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The offer was refused.
    Refused(State),
    /// The link was ended.
    Down(State),
    /// There was neither an offer nor a link.
    Unknown,
}

/// All links of a connection.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Offers without an answer, by offering side and link id.
    offers: [FxHashMap<u16, State>; 2],
    /// Links in force, each with the side that offered it.
    links: FxHashMap<u16, (Side, State)>,
    /// The number of types that all of them hold.
    held: usize,
}

impl Links {
    /// The number of bytes that they hold.
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

    /// Adds the offer of a whole link_state.
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

    /// Handles a link_up.
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

    /// Handles a link_down.
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

    /// This side's unanswered offer for this id.
    pub fn offered(&self, by: Side, id: u16) -> Option<&State> {
        self.offers[by.index()].get(&id)
    }

    /// The link in force, and the side that offered it.
    pub fn in_force(&self, id: u16) -> Option<&(Side, State)> {
        self.links.get(&id)
    }
}

/// The index of the node of that field, directly below `parent` or on the top level.
pub fn index_of(tree: &Tree, parent: Option<usize>, field: &Field) -> Option<usize> {
    tree.children(parent).find(|i| tree.nodes().get(*i).is_some_and(|node| node.field.is_named_as(field)))
}

/// The types of a list of values in a tree.
pub fn types(tree: &Tree) -> Option<Box<[u8]>> {
    let list = index_of(tree, None, &layout::VALUES)?;
    let kind = |i: usize| tree.child(Some(i), &TYPE)?.number().map(|n| n as u8);
    tree.children(Some(list)).map(kind).collect()
}

/// The state that reading a link_update needs, and the findings of the reading.
#[derive(Debug)]
pub struct Recall<'a> {
    links: &'a Links,
    set: &'a Types,
    specification: bool,
    /// The last link that was looked up.
    last: Option<(u16, &'a [u8])>,
    /// A link whose offer was used without an acceptance, and the offer.
    pub not_in_force: Option<(u16, Target)>,
    /// The link whose types are unknown.
    pub unknown: Option<u16>,
    /// Link, index, and the number of the link's values.
    pub out_of_range: Option<(u16, u16, usize)>,
}

impl<'a> Recall<'a> {
    /// Uses a connection's links, else the setting.
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
        let (Some(id), Some(index)) = (scope.of(&LINK_ID), scope.of(&INDEX)) else { return Recalled::Unknown };
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
