//! The figures of the statistics as tables that are entered: a row leads to its messages.

use super::ansi;
use super::paint::{DIM, SELECTED, put, title};
use super::store::Store;
use crate::dissect::delivery::Event;
use crate::dissect::{Options, Sink};
use crate::render::palette::{COLOURS, PLAIN};
use crate::stats::connections::{delivery, requests};
use crate::stats::directions::senders;
use crate::stats::noted::rules;
use crate::stats::sides::side_named;
use crate::stats::tables::messages;
use crate::stats::{Cell, Stats, Table, Verdict, Wanted, aligned, verdicts};
use crate::traffic::sequence::Seen;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::Line;
use rustc_hash::FxHashMap;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// The tables, in the order of Tab.
const TABLES: [&str; 4] = ["verdicts", "messages", "delivery", "requests"];

/// The messages that a row is about, of those of its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// All of them.
    All,
    /// Every transmission of a numbered message.
    Numbered,
    /// Requests.
    Requests,
    /// The evidence for a verdict of this rule.
    Rule(&'static str),
}

/// A part of a conversation's messages that an expression cannot select: of one connection, by delivery events.
#[derive(Clone, Debug)]
pub struct Part {
    kind: Kind,
    connection: u32,
    messages: Range<usize>,
}

impl Part {
    /// Whether this message belongs to it: its number, and its events.
    pub fn has(&self, number: usize, events: &[Event]) -> bool {
        let has = |event: &Event| match self.kind {
            Kind::All => true,
            Kind::Numbered => matches!(event, Event::Sent { seen, .. } if *seen != Seen::Forgotten),
            Kind::Requests => matches!(event, Event::Request | Event::AnsweredBefore),
            Kind::Rule(rule) => rules(event).contains(&Some(rule)),
        };
        self.messages.contains(&number) && (self.kind == Kind::All || events.iter().any(has))
    }
}

impl Display for Part {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::All => "",
            Kind::Numbered => ", numbered",
            Kind::Requests => ", requests",
            Kind::Rule(_) => ", ",
        })?;
        if let Kind::Rule(rule) = self.kind {
            f.write_str(&rule.replace('_', " "))?;
        }
        if self.connection > 1 { write!(f, ", connection {}", self.connection) } else { Ok(()) }
    }
}

/// The messages that a row leads to.
#[derive(Clone, Debug)]
pub struct Aim {
    /// An expression.
    pub filter: String,
    /// The part of those that fit it.
    pub part: Option<Part>,
    /// The last of them is selected, not the first.
    pub last: bool,
}

/// The lines of a row, and what it leads to.
type Row = (Vec<Line<'static>>, Option<Aim>);

/// The figures of the messages so far, and the table that is shown.
#[derive(Debug)]
pub struct Figures {
    /// The counts.
    pub stats: Stats,
    counted: usize,
    /// The first message of each connection after the first one of its conversation, by protocol.
    begun: FxHashMap<(u64, &'static str, u32), usize>,
    table: usize,
    /// The selected row, and the first on the screen.
    pub at: usize,
    top: usize,
    /// The first figure that is shown beside the names of a row.
    column: usize,
    heading: Vec<Line<'static>>,
    /// The lines of each row.
    rows: Vec<Row>,
}

impl Figures {
    /// Figures of no message yet.
    pub fn new(options: &Options, selected: bool) -> Figures {
        let mut stats = Stats::new(options, Wanted::default());
        stats.selected = selected;
        let (begun, heading, rows) = Default::default();
        Figures { stats, counted: 0, begun, table: 0, at: 0, top: 0, column: 0, heading, rows }
    }

    /// Counts some more messages. Returns whether there are still more.
    pub fn count_on(&mut self, store: &Store) -> bool {
        if self.counted < store.len() {
            let Figures { stats, begun, .. } = self;
            self.counted = store.each(self.counted, |number, opened| {
                opened.with(store.options(), |message| stats.message(message));
                let (dissection, flow) = (opened.dissection(), opened.flow());
                if dissection.delivery.contains(&Event::Begin) {
                    begun.entry((flow, dissection.proto, stats.connection(flow))).or_insert(number);
                }
            });
        }
        let more = self.counted < store.len();
        if !more {
            store.ended().into_iter().for_each(|(flow, how)| self.stats.ended(flow, how));
        }
        more
    }

    /// Writes the lines again.
    pub fn draw(&mut self, width: u16, height: u16, colour: bool) {
        let width = usize::from(width);
        (self.heading, self.rows) = match self.table {
            0 => (Vec::new(), self.verdicts(width, colour)),
            1 => self.rows_of(&messages(&self.stats), None, width, colour),
            2 => self.rows_of(&delivery(&senders(&self.stats)), Some(Kind::Numbered), width, colour),
            _ => self.rows_of(&requests(&senders(&self.stats)), Some(Kind::Requests), width, colour),
        };
        self.at = self.at.min(self.rows.len().saturating_sub(1));
        let mut room = usize::from(height).saturating_sub(self.heading.len());
        let fits = |(lines, _): &&(Vec<_>, _)| room.checked_sub(lines.len()).map(|left| room = left).is_some();
        let fit = self.rows.iter().take(self.at + 1).rev().take_while(fits).count();
        self.top = self.top.clamp((self.at + 1).saturating_sub(fit.max(1)), self.at);
    }

    fn verdicts(&self, width: usize, colour: bool) -> Vec<Row> {
        let palette = if colour { &COLOURS } else { &PLAIN };
        let row = |verdict: &Verdict| {
            let mut text = String::new();
            verdict.lines(Some(width), palette, &mut text);
            (ansi::lines(text.as_bytes()), self.evidence(verdict))
        };
        verdicts(&self.stats).iter().map(row).collect()
    }

    /// The messages that a verdict is about.
    fn evidence(&self, verdict: &Verdict) -> Option<Aim> {
        let Verdict { rule, flow, connection, proto, from, .. } = *verdict;
        let (filter, kind) = match rule {
            "end" | "one_direction" => (format!("flow == {flow}"), Kind::All),
            "never_acked" | "unanswered" => (format!("{} and has {rule}", self.side(flow, proto, from)?), Kind::All),
            rule => (self.side(flow, proto, from)?, Kind::Rule(rule)),
        };
        Some(Aim { filter, part: Some(self.part(kind, flow, proto, connection)), last: rule == "end" })
    }

    /// Messages of a connection.
    fn part(&self, kind: Kind, flow: u64, proto: &str, connection: u32) -> Part {
        let begin = |connection: u32| self.begun.get(&(flow, proto, connection)).copied();
        let (first, next) = (begin(connection), begin(connection.saturating_add(1)));
        Part { kind, connection, messages: first.filter(|_| connection > 1).unwrap_or(0)..next.unwrap_or(usize::MAX) }
    }

    /// One side of a protocol in a conversation as an expression.
    fn side(&self, flow: u64, proto: &str, from: &str) -> Option<String> {
        let about = self.stats.flow(flow)?;
        let end = about.ends?[side_named(about.server, from).index()];
        let own = if about.is_shared() { format!(" and proto == {proto:?}") } else { String::new() };
        Some(format!("flow == {flow} and src == {end}{own}"))
    }

    fn rows_of(
        &mut self,
        table: &Table,
        kind: Option<Kind>,
        width: usize,
        colour: bool,
    ) -> (Vec<Line<'static>>, Vec<Row>) {
        let mut text = format!("{}\n", table.shape.title);
        let columns = aligned::scrolled(table, width, self.column, colour, &mut text);
        self.column = self.column.min(columns.saturating_sub(1));
        let mut lines = ansi::lines(text.as_bytes());
        let rows = lines.split_off(lines.len().saturating_sub(table.rows.len()));
        let aims = table.rows.iter().map(|row| self.messages_of(table, row, kind));
        (lines, rows.into_iter().map(|line| vec![line]).zip(aims).collect())
    }

    /// The messages that a row counts.
    fn messages_of(&self, table: &Table, row: &[Cell], kind: Option<Kind>) -> Option<Aim> {
        let cell = |name: &str| table.place(name).and_then(|place| row.get(place));
        let text = |name: &str| if let Some(Cell::Text(text)) = cell(name) { Some(text.as_str()) } else { None };
        let number = |name: &str| if let Some(Cell::Int(number)) = cell(name) { Some(*number) } else { None };
        let (filter, part) = match kind {
            None => (format!("proto == {:?} and message == {:?}", text("proto")?, text("message")?), None),
            Some(kind) => {
                let (flow, proto) = (number("flow")?, text("proto")?);
                let connection = u32::try_from(number("connection")?).ok()?;
                (self.side(flow, proto, text("from")?)?, Some(self.part(kind, flow, proto, connection)))
            }
        };
        Some(Aim { filter, part, last: false })
    }

    /// Moves among the rows, or the columns.
    pub fn move_by(&mut self, by: isize, along: bool) {
        let place = if along { &mut self.column } else { &mut self.at };
        *place = place.saturating_add_signed(by);
    }

    /// Turns to the next table, or the one before.
    pub fn turn(&mut self, forward: bool) {
        let step = if forward { 1 } else { TABLES.len() - 1 };
        self.table = (self.table + step) % TABLES.len();
        (self.at, self.top, self.column) = (0, 0, 0);
    }

    /// The selected row's messages; the inner `None`: they are those of several conversations.
    pub fn aim(&self) -> Option<Option<Aim>> {
        self.rows.get(self.at).map(|(_, aim)| aim.clone())
    }

    /// Draws the page. `all`: the number of messages that there are.
    pub fn page(&self, all: usize, area: Rect, to: &mut Buffer) {
        let name = |(at, name)| if at == self.table { format!("[{name}] ") } else { format!("{name} ") };
        let names: String = TABLES.into_iter().enumerate().map(name).collect();
        title(names.trim_end(), true, area, to);
        let mut body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        if self.counted < all {
            body.height = body.height.saturating_sub(1);
            let below = Rect { y: body.y + body.height, height: 1, ..body };
            put(&Line::styled(format!("counted {} of {all} messages", self.counted), DIM), below, 0, to);
        }
        if self.rows.is_empty() {
            let text = if self.table == 0 { "no verdicts" } else { "none in these messages" };
            return put(&Line::styled(text, DIM), body, 0, to);
        }
        let heading = self.heading.iter().map(|line| (line, false));
        let rows = self.rows.iter().enumerate().skip(self.top);
        let rows = rows.flat_map(|(at, (lines, _))| lines.iter().map(move |line| (line, at == self.at)));
        for (row, (line, selected)) in (0..body.height).zip(heading.chain(rows)) {
            put(line, body, row, to);
            if selected {
                to.set_style(Rect { y: body.y + row, height: 1, ..body }, SELECTED);
            }
        }
    }
}
