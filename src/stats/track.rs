//! One field over time: a row for each value, or a sparkline for each key.

use super::aligned;
use super::figure::{Figure, figures};
use super::table::{Cell, Shape, Table};
use super::timeline::blocks;
use crate::dissect::{Message, Sink};
use crate::filter::{FieldMatch, FieldPath};
use crate::read::CaptureSink;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// The cap on keys with a sparkline.
pub const KEYS: usize = 1000;
/// The number of points of a sparkline: above it, neighbours are merged.
const POINTS: usize = 48;

/// The minimum width of a sparkline on any terminal.
const MIN_WIDTH: usize = 12;

const TRACK: Shape = Shape { kind: "track", title: "", keys: 2 };
const COLUMNS: [&Figure; 7] = figures(["key", "part", "values", "min", "max", "last", "course"]);

/// Finds a field's values with their keys. The key is searched as near to the value as possible: in the same element of
/// a list first, then in the message.
#[derive(Debug)]
pub struct Track {
    field: FieldPath,
    by: Option<FieldPath>,
    keys: Vec<FieldMatch>,
    values: Vec<FieldMatch>,
}

impl Track {
    /// Tracks `field`, grouped by `by`.
    pub fn new(field: FieldPath, by: Option<FieldPath>) -> Track {
        Track { field, by, keys: Vec::new(), values: Vec::new() }
    }

    /// Calls `each` with every value and its key as JSON texts; the key is empty if there is none.
    pub fn each(&mut self, message: &Message<'_>, mut each: impl FnMut(&[u8], &[u8])) {
        self.values.clear();
        self.keys.clear();
        self.field.each(message, |found| self.values.push(found));
        if self.values.is_empty() {
            return;
        }
        if let Some(by) = &self.by {
            by.each(message, |found| self.keys.push(found));
        }
        let (mut key, mut value) = (Vec::new(), Vec::new());
        for found in &self.values {
            key.clear();
            value.clear();
            if let (Some(by), Some(near)) = (&self.by, nearest(*found, &self.keys, message)) {
                by.json(near, message, &mut key);
            }
            self.field.json(*found, message, &mut value);
            each(&key, &value);
        }
    }
}

/// The key in the innermost group that it shares with the value.
fn nearest(value: FieldMatch, keys: &[FieldMatch], message: &Message<'_>) -> Option<FieldMatch> {
    let FieldMatch::Node(place, at) = value else { return keys.first().copied() };
    let nodes = place.of(message).nodes();
    let around = nodes.iter().enumerate().take(at).rev().filter(|(_, n)| n.end as usize > at);
    for (group, node) in around {
        let inside = |found: &&FieldMatch| match found {
            FieldMatch::Node(b, k) => *b == place && (group..node.end as usize).contains(k),
            FieldMatch::Envelope => false,
        };
        if let Some(found) = keys.iter().find(inside) {
            return Some(*found);
        }
    }
    keys.first().copied()
}

/// Series for text output: for each key the number of values, minimum, maximum, and a sparkline.
#[derive(Debug)]
pub struct Sparklines {
    track: Track,
    places: FxHashMap<(Vec<u8>, usize), usize>,
    series: Vec<Series>,
    /// Values that are not numbers, or whose key is above the cap.
    pub others: u64,
}

#[derive(Debug)]
struct Series {
    key: Vec<u8>,
    /// The index of the element, for a list.
    part: Option<usize>,
    count: u64,
    min: f64,
    max: f64,
    last: f64,
    points: Vec<(f64, u32)>,
    /// The number of values per point.
    per_point: u32,
}

impl Series {
    fn add(&mut self, x: f64) {
        self.count += 1;
        (self.min, self.max, self.last) = (self.min.min(x), self.max.max(x), x);
        match self.points.last_mut() {
            Some((sum, n)) if *n < self.per_point => (*sum, *n) = (*sum + x, *n + 1),
            _ => self.points.push((x, 1)),
        }
        if self.points.len() > POINTS {
            let pairs = self.points.chunks(2).map(|p| p.iter().fold((0.0, 0), |(s, n), (x, m)| (s + x, n + m)));
            self.points = pairs.collect();
            self.per_point = self.per_point.saturating_mul(2);
        }
    }
}

impl Sparklines {
    /// Sparklines of the tracked field.
    pub fn new(track: Track) -> Sparklines {
        Sparklines { track, places: FxHashMap::default(), series: Vec::new(), others: 0 }
    }

    /// Appends the table, with keys in order of appearance. `width` is the terminal's; sparklines take the room that
    /// the figures leave.
    pub fn text(&self, width: Option<usize>, out: &mut String) {
        let mut table = Table::new(TRACK, &COLUMNS);
        for s in &self.series {
            let key = String::from_utf8_lossy(&s.key).trim_matches('"').to_string();
            let number = |x: f64| Cell::Text(format!("{}", (x * 1e6).round() / 1e6));
            table.rows.push(vec![
                if key.is_empty() { Cell::Null } else { Cell::Text(key) },
                s.part.map_or(Cell::Null, |p| Cell::Int(p as u64)),
                s.count.into(),
                number(s.min),
                number(s.max),
                number(s.last),
            ]);
        }
        let room = width.map_or(POINTS, |w| w.saturating_sub(aligned::width(&table) + 2).clamp(MIN_WIDTH, POINTS));
        for (row, s) in table.rows.iter_mut().zip(&self.series) {
            let points = s.points.chunks(s.points.len().div_ceil(room).max(1));
            let sums = points.map(|part| part.iter().fold((0.0, 0), |(sum, n), (x, m)| (sum + x, n + m)));
            let means: Vec<f64> = sums.map(|(sum, n)| sum / n as f64).collect();
            row.push(Cell::Text(blocks(&means, s.min)));
        }
        aligned::text(&table, width, false, out);
        if self.series.is_empty() && self.others == 0 {
            out.push_str("no message has this field\n");
        }
        if self.others > 0 {
            let _ = writeln!(out, "values not shown: {} (not numbers, or of keys after the first {KEYS})", self.others);
        }
    }
}

impl CaptureSink for Sparklines {}

impl Sink for Sparklines {
    fn message(&mut self, message: &Message<'_>) {
        let (places, series, others) = (&mut self.places, &mut self.series, &mut self.others);
        self.track.each(message, |key, value| {
            let numbers = match serde_json::from_slice::<serde_json::Value>(value) {
                Ok(serde_json::Value::Array(list)) => {
                    list.iter().enumerate().map(|(k, v)| (Some(k), v.as_f64())).collect()
                }
                Ok(one) => vec![(None, one.as_f64().or(one.as_bool().map(|b| b as u8 as f64)))],
                Err(_) => vec![(None, None)],
            };
            for (part, number) in numbers {
                let Some(x) = number else {
                    *others += 1;
                    continue;
                };
                let name = (key.to_vec(), part.map_or(0, |p| p + 1));
                let place = match places.get(&name) {
                    Some(place) => *place,
                    None if series.len() >= KEYS => {
                        *others += 1;
                        continue;
                    }
                    None => {
                        series.push(Series {
                            key: key.to_vec(),
                            part,
                            count: 0,
                            min: f64::INFINITY,
                            max: f64::NEG_INFINITY,
                            last: 0.0,
                            points: Vec::new(),
                            per_point: 1,
                        });
                        places.insert(name, series.len() - 1);
                        series.len() - 1
                    }
                };
                if let Some(one) = series.get_mut(place) {
                    one.add(x);
                }
            }
        });
    }
}
