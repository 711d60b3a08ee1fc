//! tshark shows every value of `-f json` at its place, and no other value.

use crate::common::*;
use crate::wireshark::annotated;
use crate::wireshark::pdml::{self, Item};
use netkit::capture::Capture;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The items of a message that are not fields, for filters.
const ABOUT: [&str; 20] = [
    "netkit.proto",
    "netkit.version",
    "netkit.message",
    "netkit.from",
    "netkit.flow",
    "netkit.frame",
    "netkit.length",
    "netkit.part",
    "netkit.parts",
    "netkit.note",
    "netkit.fault",
    "netkit.unanswered",
    "netkit.never_acked",
    "netkit.summary",
    "_ws.expert",
    "netkit.related.acknowledges",
    "netkit.related.copy_of",
    "netkit.related.answers",
    "netkit.related.joined_from",
    "netkit.related.opened_by",
];
/// A folder of other captures to compare instead of the fixtures.
const CAPTURES: &str = "NETKIT_WIRESHARK_CAPTURES";
const RELATED: &str = "netkit.related.";
/// tshark takes longer to start than to read a capture, so it reads several at once, up to this many bytes.
const BATCH: usize = 8 << 20;

#[derive(Default)]
struct Count {
    messages: usize,
    values: usize,
    notes: usize,
}

#[test]
fn tshark_has_every_value() {
    if !pdml::tshark() {
        return;
    }
    let others = std::env::var_os(CAPTURES).map(std::path::PathBuf::from);
    let captures = match &others {
        Some(folder) => below(folder),
        None => all_fixtures(),
    };
    let wanted = |path: &Path| {
        (ends_in(path, "pcap") || ends_in(path, "pcapng")) && !path.to_string_lossy().contains("/foreign/")
    };
    let captures: Vec<_> = captures.into_iter().filter(|path| wanted(path)).collect();
    assert!(!captures.is_empty(), "{others:?}: no captures");
    let (mut all, mut wrong) = (Count::default(), Vec::new());
    // tshark and netkit wait for each other, so two batches run at once.
    let halves = captures.chunks(captures.len().div_ceil(2));
    std::thread::scope(|scope| {
        let running: Vec<_> = halves
            .enumerate()
            .map(|(k, list)| {
                let folder = Scratch::new(&format!("wireshark-values-{k}"));
                scope.spawn(move || compare_all(&folder, list))
            })
            .collect();
        for half in running {
            let (count, more) = half.join().expect("a half");
            wrong.extend(more);
            all.messages += count.messages;
            all.values += count.values;
            all.notes += count.notes;
        }
    });
    let Count { messages, values, notes } = all;
    eprintln!("{} captures, {messages} messages, {values} values, {notes} notes", captures.len());
    assert!(wrong.is_empty(), "{wrong:?}");
    if others.is_some() {
        return assert!(messages > 0 && values > 0);
    }
    assert!(all.messages > 5_000 && all.values > 20_000 && all.notes > 1_000, "{} {}", all.messages, all.values);
}

/// All files below a folder.
fn below(folder: &Path) -> Vec<std::path::PathBuf> {
    let (folders, mut files): (Vec<_>, Vec<_>) = entries(folder).into_iter().partition(|path| path.is_dir());
    files.extend(folders.iter().flat_map(|folder| below(folder)));
    files
}

/// Compares captures; returns the names of those that differ.
fn compare_all(folder: &Scratch, captures: &[PathBuf]) -> (Count, Vec<String>) {
    let mut scripts: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
    for capture in captures {
        scripts.entry(annotated::script_text(&args_of(capture))).or_default().push(capture);
    }
    let (mut count, mut wrong) = (Count::default(), Vec::new());
    for (text, mut captures) in scripts {
        let script = folder.write("netkit.lua", text);
        while !captures.is_empty() {
            let mut batch = Batch::default();
            while !captures.is_empty() && batch.bytes.len() < BATCH {
                batch.add(folder, captures.remove(0));
            }
            batch.compare(folder, Path::new(&script), &mut count, &mut wrong);
        }
    }
    (count, wrong)
}

/// Annotated captures, concatenated in one file: pcapng may have several sections.
#[derive(Default)]
struct Batch<'a> {
    bytes: Vec<u8>,
    /// Each capture, and its number of frames.
    captures: Vec<(&'a Path, usize)>,
}

impl<'a> Batch<'a> {
    fn add(&mut self, folder: &Scratch, capture: &'a Path) {
        let out = folder.path().join("annotated.pcapng");
        annotated::write(capture, &args_of(capture), &out);
        let mut frames = 0;
        let mut read = Capture::open(Box::new(std::fs::File::open(&out).expect("a file"))).expect("a capture");
        while read.next().expect("a frame").is_some() {
            frames += 1;
        }
        self.bytes.extend(std::fs::read(&out).expect("a file"));
        self.captures.push((capture, frames));
    }

    fn compare(self, folder: &Scratch, script: &Path, count: &mut Count, wrong: &mut Vec<String>) {
        let joined = folder.write("joined.pcapng", self.bytes);
        let shown = pdml::frames(script, Path::new(&joined));
        assert_eq!(shown.len(), self.captures.iter().map(|(_, frames)| frames).sum::<usize>(), "frames");
        let mut rest = &shown[..];
        for (capture, frames) in self.captures {
            let (own, after) = rest.split_at(frames);
            rest = after;
            if catch_unwind(AssertUnwindSafe(|| compare(capture, &args_of(capture), own, count))).is_err() {
                wrong.push(capture.display().to_string());
            }
        }
    }
}

/// Compares one capture; returns the numbers of messages and values.
pub fn compared(folder: &Scratch, capture: &Path, args: &[String]) -> (usize, usize) {
    let (script, out) = (annotated::script(folder, args), folder.path().join("annotated.pcapng"));
    annotated::write(capture, args, &out);
    let mut count = Count::default();
    compare(capture, args, &pdml::frames(&script, &out), &mut count);
    (count.messages, count.values)
}

/// Compares netkit's JSON of a capture with the items that tshark shows for its frames.
fn compare(capture: &Path, args: &[String], frames: &[Option<Item>], count: &mut Count) {
    let name = capture.file_stem().expect("a name").to_string_lossy();
    let json = annotated::decoded(capture, args, "json");
    let json = String::from_utf8(json).expect("text");
    let mut shown = frames.iter().map(|frame| frame.as_ref().map_or(&[][..], |frame| &frame.items)).collect::<Vec<_>>();
    // One message a line.
    for line in json.lines().map(|line| line.trim_end_matches(',')).filter(|line| line.starts_with('{')) {
        let frame = line.split([':', ',']).nth(1).and_then(|number| number.parse::<usize>().ok()).expect("a frame");
        let place = || {
            format!(
                "{name}, frame {frame}, {}",
                line.split("\"message\":").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or("")
            )
        };
        let (first, rest) = shown[frame - 1].split_first().unwrap_or_else(|| panic!("{}: nothing shown", place()));
        shown[frame - 1] = rest;
        count.messages += 1;
        let Ok(message) = serde_json::from_str::<Json>(line) else {
            // Nested deeper than serde_json and items allow: the number of values must be equal.
            assert_eq!(line.matches(",\"value\":").count(), leaves(first), "{}", place());
            continue;
        };
        let mut compared = Compared { place: place(), main: 0, values: 0 };
        compared.message(&message, first);
        count.values += compared.values;
        count.notes += message["notes"].as_array().map_or(0, Vec::len);
    }
    for (k, rest) in shown.iter().enumerate() {
        assert!(rest.is_empty(), "{name}, frame {}: shown, but in no JSON: {rest:?}", k + 1);
    }
}

/// The number of values in an item.
fn leaves(item: &Item) -> usize {
    let own = |item: &&Item| !item.hidden && !ABOUT.contains(&item.name.as_str()) && !item.name.starts_with(RELATED);
    item.items.iter().filter(own).map(|item| usize::from(item.label.contains(": ")) + leaves(item)).sum()
}

struct Compared {
    place: String,
    /// The position of the message's own bytes in their data source.
    main: i64,
    values: usize,
}

impl Compared {
    fn message(&mut self, message: &Json, item: &Item) {
        self.main = item.pos;
        self.about(message, item);
        let mut items = item
            .items
            .iter()
            .filter(|i| !i.hidden && !ABOUT.contains(&i.name.as_str()) && !i.name.starts_with(RELATED));
        let fields = message["fields"].as_array().expect("fields");
        self.fields(fields, &mut items, item.pos, false);
        let packet = items.next_if_label("packet");
        match packet {
            Some(packet) => self.members(&message["packet"], packet),
            None => assert!(message["packet"].is_null(), "{}", self.place),
        }
        let mut derived = message["derived"].as_object().cloned().unwrap_or_default();
        if let Some(next) = items.next_if_label("derived") {
            for item in &next.items {
                let (key, _) = item.label.split_once(": ").unwrap_or((&item.label, ""));
                let value = derived.remove(key).unwrap_or_else(|| panic!("{}: derived {key}", self.place));
                self.same(&value, item);
            }
        }
        // Other derived values are among the fields, and in the headers.
        let text = message["fields"].to_string();
        for (key, value) in &derived {
            let among = text.contains("\"derived\":true") && text.contains(&format!("\"{key}\""));
            let header = packet.and_then(|packet| packet.items.iter().find(|item| item.label.starts_with(key)));
            assert!(among || header.is_some(), "{}: {key}", self.place);
            if let (false, Some(header)) = (among, header) {
                self.same(value, header);
            }
        }
        assert!(items.next().is_none(), "{}: more than JSON has", self.place);
    }

    fn about(&self, message: &Json, item: &Item) {
        let one = |name: &'static str| item.named(name).next().map(|item| item.show.as_str());
        let text = |key: &str| message[key].as_str().filter(|text| *text != "unknown");
        assert_eq!(one("netkit.proto"), text("proto"), "{}", self.place);
        assert_eq!(one("netkit.message"), message["message"].as_str(), "{}", self.place);
        assert_eq!(one("netkit.version"), text("version"), "{}", self.place);
        assert_eq!(one("netkit.from"), text("from"), "{}", self.place);
        assert_eq!(one("netkit.flow"), Some(message["flow"].to_string().as_str()), "{}", self.place);
        assert_eq!(one("netkit.length"), Some(message["length"].to_string().as_str()), "{}", self.place);
        let part = message["part"].as_array().map(|part| part[0].to_string());
        assert_eq!(one("netkit.part").map(String::from), part, "{}", self.place);
        let empty = Vec::new();
        let notes = message["notes"].as_array().unwrap_or(&empty);
        assert_eq!(notes.len(), item.named("netkit.note").count(), "{}", self.place);
        for (note, shown) in notes.iter().zip(item.named("netkit.note")) {
            assert_eq!(note["code"], shown.show, "{}", self.place);
            assert_eq!(
                Some(&*note["level"].to_string().replace('"', "")),
                shown.named("netkit.note.level").next().map(|l| l.show.as_str())
            );
            let reported = note["text"].as_str().expect("a text");
            if reported.chars().all(|c| !c.is_control() && !netkit::printable::tricky(c)) {
                assert_eq!(
                    Some(reported),
                    shown.named("netkit.note.text").next().map(|l| l.show.as_str()),
                    "{}",
                    self.place
                );
            }
        }
        assert_eq!(message["fault"].is_object(), item.named("netkit.fault").count() == 1, "{}", self.place);
        let related = message["related"].as_array().unwrap_or(&empty);
        let shown: Vec<&Item> = item.items.iter().filter(|item| item.name.starts_with(RELATED)).collect();
        assert_eq!(related.len(), shown.len(), "{}", self.place);
        for (relation, shown) in related.iter().zip(shown) {
            assert_eq!(relation["kind"], shown.name[RELATED.len()..], "{}", self.place);
            assert_eq!(relation["frame"].to_string(), shown.show, "{}", self.place);
            let index = format!("(message {})", relation["index"]);
            assert_eq!(relation["index"].is_u64(), shown.label.contains(&index), "{}: {}", self.place, shown.label);
        }
    }

    /// Compares the fields of a group in JSON with the items of its tree.
    fn fields(&mut self, fields: &[Json], items: &mut dyn Iterator<Item = &Item>, parent: i64, list: bool) {
        for (k, field) in fields.iter().enumerate() {
            let name = field["name"].as_str().expect("a name");
            let item = items.next().unwrap_or_else(|| panic!("{}: {name} is not shown", self.place));
            let before = self.place.clone();
            self.place += &format!(" {name}");
            if list {
                assert_eq!(name, format!("[{k}]"));
            }
            let label = item.label.split_once(": ").map_or(item.label.as_str(), |(label, _)| label);
            if name.len() < 40 {
                assert_eq!(labelled(name), label, "{}", self.place);
            }
            let start = self.range(field, item, parent);
            match field["fields"].as_array() {
                Some(inner) => {
                    let mut own = item.items.iter().filter(|item| !item.hidden);
                    self.fields(inner, &mut own, start, field["type"] == "list");
                    assert!(own.next().is_none(), "{}: more than JSON has", self.place);
                }
                None => self.same(&field["value"], item),
            }
            self.place = before;
        }
    }

    /// Checks that the item is at the field's place; returns the position of its bytes.
    fn range(&self, field: &Json, item: &Item, parent: i64) -> i64 {
        let Some(offset) = field["offset"].as_i64() else { return parent };
        let (bit, bits) = (field["bit"].as_i64().unwrap_or(0), field["bits"].as_i64().expect("bits"));
        let start = if field["source"].is_u64() { None } else { Some(self.main + offset) };
        let size = if bits == 0 { 0 } else { (bit + bits + 7) / 8 };
        let value = field["value"].as_str().or(field["value"]["raw"].as_str()).map_or(0, |hex| hex.len() as i64 / 2);
        if value > size && (field["type"] == "bytes" || field["value"].is_object()) {
            // The value is longer than its source, for example inflated: the item marks the inflated bytes.
            assert_eq!(value, item.size, "{}: {item:?}", self.place);
            return item.pos;
        }
        assert_eq!(size, item.size, "{}: {item:?}", self.place);
        // PDML adds the parent's position if an item seems to begin before it.
        let Some(start) = start else { return item.pos };
        let printed = if start < parent { parent + start } else { start };
        assert_eq!(printed, item.pos, "{}: {item:?}", self.place);
        start
    }

    fn members(&mut self, object: &Json, group: &Item) {
        for (key, value) in object.as_object().into_iter().flatten() {
            let same = |item: &&Item| item.label == *key || item.label.starts_with(&format!("{key}: "));
            let item = group.items.iter().find(same).unwrap_or_else(|| panic!("{}: {key}", self.place));
            self.same(value, item);
        }
    }

    /// Checks that the item has this value.
    fn same(&mut self, value: &Json, item: &Item) {
        let place = || format!("{}: {value} is shown as {item:?}", self.place);
        let shown = item.show.as_str();
        let flags: Vec<&str> = item.named("netkit.flag").map(|flag| flag.show.as_str()).collect();
        match (value, item.name.as_str()) {
            (Json::Object(raw), "netkit.raw") => {
                assert_eq!(raw["raw"].as_str(), Some(&*shown.replace(':', "")), "{}", place());
                assert!(item.label.contains(&format!("({} bits)", raw["bits"])), "{}", place());
            }
            (Json::Object(_), _) => return self.members(value, item),
            (Json::Array(list), _) if item.items.len() == list.len() && flags.is_empty() => {
                for (value, item) in list.iter().zip(&item.items) {
                    self.same(value, item);
                }
                return;
            }
            (Json::Array(list), _) => {
                let text = |value: &Json| value.as_str().map_or(value.to_string(), String::from);
                assert_eq!(list.iter().map(text).collect::<Vec<_>>(), flags, "{}", place());
            }
            (_, "netkit.member") => {
                let text = value.as_str().map_or(value.to_string(), String::from);
                let (_, shown) = shown.split_once('=').unwrap_or_else(|| panic!("{}", place()));
                let numbers = text.parse::<f64>().ok().zip(shown.parse::<f64>().ok());
                assert!(shown == escaped(&text) || numbers.is_some_and(|(a, b)| a == b), "{}", place());
            }
            (Json::Bool(value), _) => assert_eq!(if *value { "1" } else { "0" }, shown, "{}", place()),
            (Json::Number(number), _) => {
                let same = number.to_string() == shown || number.as_f64() == shown.parse().ok();
                // PDML has 15 digits of a double, the label all of them.
                let label = item.label.split_once(": ").and_then(|(_, label)| label.split(' ').next()?.parse().ok());
                let rounded = number.as_f64().map(|number| format!("{number:.14e}").parse::<f64>());
                let rounded = rounded.is_some_and(|rounded| rounded.ok() == shown.parse().ok());
                assert!(same || rounded && number.as_f64() == label, "{}", place());
            }
            (Json::String(text), _) => {
                let named = item
                    .label
                    .split_once(": ")
                    .is_some_and(|(_, label)| label.starts_with(&format!("{text} ({shown})")));
                let bytes = shown.replace(':', "") == *text;
                assert!(escaped(text) == shown || named || bytes, "{}", place());
            }
            (Json::Null, _) => assert_eq!(shown, "null", "{}", place()),
        }
        self.values += 1;
    }
}

/// Escapes like PDML, for characters that XML does not have.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\0' => out.push_str("\\u0000"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c < ' ' || c == '\x7f' => out += &format!("\\x{:x}", c as u32),
            c => out.push(c),
        }
    }
    out
}

/// Escapes like the labels of items.
fn labelled(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            c if c < ' ' || c == '\x7f' => out += &format!("\\x{:02x}", c as u32),
            c => out.push(c),
        }
    }
    out
}

trait NextIf<'a> {
    fn next_if_label(&mut self, label: &str) -> Option<&'a Item>;
}

impl<'a, I: Iterator<Item = &'a Item> + Clone> NextIf<'a> for I {
    fn next_if_label(&mut self, label: &str) -> Option<&'a Item> {
        let next = self.clone().next().filter(|item| item.label == label)?;
        self.next();
        Some(next)
    }
}
