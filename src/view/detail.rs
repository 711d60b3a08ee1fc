//! The selected message: its tree's lines, and the bytes that the selected field was read from.

use super::ansi;
use super::frames::Frames;
use super::layout::Areas;
use super::record::Opened;
use super::store::Store;
use crate::codec::{Node, Tree};
use crate::dissect::Message;
use crate::live::proxy::Holds;
use crate::message::OwnedMessage;
use crate::render::leaf;
use crate::render::tree::{Place, Places};
use crate::render::{Form, Style, TimeForm, Trees};
use ratatui_core::text::Line;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::Arc;

/// The input of the screen.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// The input's name.
    pub name: String,
    /// The input goes on: the list is shown at its end.
    pub live: bool,
    /// Only selected messages are read.
    pub selected: bool,
    /// Access to its frames, if it can be read again.
    pub frames: Option<Frames>,
    /// Use colours.
    pub colour: bool,
    /// The form of times; `None`: the longest for which there is room.
    pub time: Option<TimeForm>,
    /// The messages that wait, at a proxy.
    pub holds: Option<Arc<Holds>>,
}

/// A line of the tree, and the node that it shows.
#[derive(Debug)]
pub struct TreeLine {
    /// The text.
    pub line: Line<'static>,
    /// The node; none for notes and faults.
    pub place: Option<Place>,
}

/// The selected message as it is shown.
#[derive(Debug)]
pub struct Detail {
    number: usize,
    width: u16,
    linked: bool,
    /// The message.
    pub opened: Opened,
    /// Its header.
    pub header: Line<'static>,
    /// The lines of its tree.
    pub lines: Vec<TreeLine>,
    /// The selected line, and the first on the screen.
    pub cursor: usize,
    /// See `cursor`.
    pub top: usize,
    /// The selected byte, and the first row on the screen.
    pub byte: usize,
    /// See `byte`.
    pub row: usize,
    /// Groups and lists whose nodes are left out.
    pub folded: FxHashSet<Place>,
}

/// The tree's width where there is no pane for it.
const WIDTH: u16 = 80;

impl Detail {
    /// Opens a message, or keeps what is there already.
    pub fn of(
        store: &Store,
        subject: &Subject,
        number: usize,
        width: Option<u16>,
        linked: bool,
        before: Option<Detail>,
    ) -> Option<Detail> {
        let width = width.or(before.as_ref().map(|detail| detail.width)).unwrap_or(WIDTH);
        let name = before.as_ref().and_then(|detail| Some(detail.node()?.field.name));
        match before {
            Some(mut same) if same.number == number && same.linked == linked => {
                if same.width != width {
                    same.width = width;
                    same.draw(store, subject);
                }
                Some(same)
            }
            _ => {
                let mut opened = store.open(number)?;
                store.link(&mut opened);
                let mut detail = Detail {
                    number,
                    width,
                    linked,
                    opened,
                    header: Line::default(),
                    lines: Vec::new(),
                    cursor: 0,
                    top: 0,
                    byte: 0,
                    row: 0,
                    folded: FxHashSet::default(),
                };
                detail.draw(store, subject);
                // The same field as in the message before.
                let same = detail.lines.iter().position(|line| {
                    line.place.and_then(|place| detail.node_at(place)).is_some_and(|node| Some(node.field.name) == name)
                });
                detail.cursor = same.unwrap_or(0);
                detail.mark();
                Some(detail)
            }
        }
    }

    /// Writes the tree's lines again.
    pub fn draw(&mut self, store: &Store, subject: &Subject) {
        let style = Style { width: Some(self.width.max(40).into()), colour: subject.colour, ..Style::default() };
        let mut trees = Trees::new(Style { time: subject.time, ..style });
        store.origin().into_iter().for_each(|time| trees.origin(time));
        trees.places = Places { screen: true, folded: std::mem::take(&mut self.folded), lines: Vec::new() };
        let mut out = Vec::new();
        self.opened.with(store.options(), |message: &Message<'_>| trees.message(message, &mut out));
        let Places { folded, lines: places, .. } = trees.places;
        let mut places = places.into_iter().peekable();
        let mut at = 0;
        let texts = out.split_inclusive(|byte| *byte == b'\n').map(|text| {
            let place = places.next_if(|(start, _)| (at..at + text.len()).contains(start)).map(|(_, place)| place);
            at += text.len();
            place
        });
        let places: Vec<Option<Place>> = texts.collect();
        let mut lines = ansi::lines(&out).into_iter().zip(places).map(|(line, place)| TreeLine { line, place });
        self.header = lines.next().map(|header| header.line).unwrap_or_default();
        self.lines = lines.collect();
        while self.lines.pop_if(|last| last.line.spans.is_empty()).is_some() {}
        self.folded = folded;
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
    }

    /// The frame that completed it.
    pub fn frame(&self) -> u64 {
        self.opened.frame()
    }

    fn tree(&self, which: u8) -> &Tree {
        let dissection = self.opened.dissection();
        match which {
            0 => &dissection.packet,
            1 => &dissection.tree,
            _ => &dissection.derived,
        }
    }

    fn node_at(&self, (which, at): Place) -> Option<&Node> {
        self.tree(which).nodes().get(at as usize)
    }

    /// The place of the selected line.
    pub fn place(&self) -> Option<Place> {
        self.lines.get(self.cursor)?.place
    }

    /// The path of a field as rules name it; `None`: it is not on the wire.
    pub fn path(&self, (which, at): Place, message: &OwnedMessage) -> Option<String> {
        let (tree, mut out) = (self.tree(which), Vec::new());
        tree.nodes().get(at as usize)?;
        let dissection = self.opened.dissection();
        leaf::path("", tree, dissection.sources(self.opened.source(0)), at as usize, &mut out);
        let path = String::from_utf8(out).ok()?;
        let path = path.strip_prefix('.')?;
        match which {
            0 => Some(format!("packet.{path}")),
            1 => Some(path.into()),
            // The values that are shown beside a payload of bytes.
            _ => Some(format!("payload.{}", path.strip_prefix(message.opened()?.0)?.strip_prefix('.')?)),
        }
    }

    /// The selected node.
    pub fn node(&self) -> Option<&Node> {
        self.node_at(self.place()?)
    }

    /// The source that is shown, and the bits of it that the selected field was read from.
    pub fn range(&self) -> (u8, Range<usize>) {
        match (self.node(), self.place()) {
            (Some(node), Some((0 | 1, _))) if !node.derived() => {
                let start = node.bit as usize;
                (node.source, start..start + node.bits as usize)
            }
            _ => (0, 0..0),
        }
    }

    /// The bytes that are shown.
    pub fn bytes(&self) -> &[u8] {
        self.opened.source(self.range().0)
    }

    /// Moves to another line.
    pub fn move_by(&mut self, by: isize) {
        self.cursor = self.cursor.saturating_add_signed(by).min(self.lines.len().saturating_sub(1));
        self.mark();
    }

    /// Selects the first byte of the selected field.
    fn mark(&mut self) {
        self.byte = self.range().1.start / 8;
    }

    /// Moves to another byte, and selects the innermost field that has it.
    pub fn move_byte(&mut self, by: isize) {
        let source = self.range().0;
        self.byte = self.byte.saturating_add_signed(by).min(self.opened.source(source).len().saturating_sub(1));
        let bits = self.byte * 8..self.byte * 8 + 8;
        let has = |line: &TreeLine| {
            let node = line.place.filter(|(which, _)| *which < 2).and_then(|place| self.node_at(place));
            node.filter(|node| {
                let (start, end) = (node.bit as usize, node.bit as usize + node.bits as usize);
                node.source == source && !node.derived() && start < bits.end && end > bits.start
            })
            .map(|node| (node.nests(), node.bits))
        };
        let lines = self.lines.iter().enumerate().filter_map(|(at, line)| Some((has(line)?, at)));
        if let Some((_, at)) = lines.min() {
            self.cursor = at;
        }
    }

    /// Folds a group, or unfolds it; of a field, the group around it.
    pub fn fold(&mut self, store: &Store, subject: &Subject) {
        let Some((which, at)) = self.place() else { return };
        let nodes = self.tree(which).nodes();
        let around = |at: &usize| nodes.get(*at).is_some_and(Node::nests);
        let holds = |k: &usize| nodes.get(*k).is_some_and(|node| node.nests() && node.end > at);
        let at = at as usize;
        let lines = |k: &usize| self.lines.iter().any(|line| line.place == Some((which, *k as u32)));
        let Some(group) = Some(at).filter(around).or_else(|| (0..at).rev().filter(holds).find(lines)) else { return };
        let place = (which, group as u32);
        if !self.folded.remove(&place) {
            self.folded.insert(place);
        }
        self.draw(store, subject);
        self.cursor = self.lines.iter().position(|line| line.place == Some(place)).unwrap_or(self.cursor);
        self.mark();
    }

    /// Keeps the selected line and byte on the screen.
    pub fn scroll(&mut self, areas: &Areas) {
        let rows = |area: Option<ratatui_core::layout::Rect>| {
            area.map_or(1, |area| usize::from(area.height.saturating_sub(1)).max(1))
        };
        let lines = rows(areas.tree);
        self.top = self.top.clamp((self.cursor + 1).saturating_sub(lines), self.cursor);
        let row = self.byte / areas.bytes.map_or(8, |area| per_row(area.width));
        self.row = self.row.clamp((row + 1).saturating_sub(rows(areas.bytes)), row);
    }
}

/// The number of bytes in a row of this width.
pub fn per_row(width: u16) -> usize {
    if width >= 75 {
        16
    } else if width >= 39 {
        8
    } else {
        4
    }
}
