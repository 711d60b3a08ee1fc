//! Pages made of fixtures: the messages they hold, their data and their drawings.

use super::{About, Kept, Run, page};
use crate::capture::{Decoded, Packets};
use crate::codec::Level;
use crate::dissect::{Inspector, Message, Options, RelationKind, Sink, Target};
use crate::flow::{Caps, Table};
use base64::Engine;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::Read;

/// The messages of a fixture, and the run that was fed with them.
struct RunSink {
    run: Run,
    /// Frame, index, conversation, length, and whether it has a warning.
    all: Vec<(u64, u32, u64, usize, bool)>,
    /// The bytes of each message.
    bytes: Vec<Vec<u8>>,
}

impl Sink for RunSink {
    fn message(&mut self, message: &Message<'_>) {
        let (dissection, place) = (message.dissection, message.place);
        let warned = dissection.fault.is_some() || dissection.notes.worst() >= Some(Level::Warning);
        self.all.push((place.frame, dissection.index, message.flow_info.flow, place.length, warned));
        self.bytes.push(place.bytes.to_vec());
        self.run.message(message, true);
    }
}

fn read(fixture: &str, messages: usize) -> RunSink {
    repeated(fixture, messages, 1, crate::protocols::options())
}

/// Reads the fixture this many times in a row.
fn repeated(fixture: &str, messages: usize, times: usize, options: Options) -> RunSink {
    let run = Run::new(&options, Kept { messages: Some(messages), fields: false });
    let mut reading = RunSink { run, all: Vec::new(), bytes: Vec::new() };
    for _ in 0..times {
        let file = std::fs::File::open(format!("fixtures/{fixture}")).unwrap();
        let (mut packets, mut table) = (Packets::open(Box::new(file)).unwrap(), Table::new(Caps::default()));
        let mut inspector = Inspector::new(&options, &mut reading);
        while let Some(item) = packets.next().unwrap() {
            if let Decoded::Packet(packet) = item.decoded {
                table.packet(&packet, &mut inspector);
            }
        }
        table.finish(&mut inspector);
    }
    reading
}

fn single(reading: &RunSink) -> String {
    page::single(&reading.run, &About { name: "test".into(), ..About::default() })
}

fn embedded(page: &str, id: &str) -> Vec<u8> {
    let start = page.find(&format!("id=\"{id}\">")).unwrap_or_else(|| panic!("{id}")) + id.len() + 6;
    let text = &page[start..start + page[start..].find('<').unwrap()];
    let packed = base64::prelude::BASE64_STANDARD.decode(text).unwrap();
    let mut out = Vec::new();
    flate2::read::DeflateDecoder::new(&packed[..]).read_to_end(&mut out).unwrap();
    out
}

/// The columns of the page.
fn columns(page: &str) -> Json {
    serde_json::from_slice(&embedded(page, "messages-columns")).unwrap()
}

fn numbers(columns: &Json, name: &str) -> Vec<i64> {
    columns[name].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect()
}

/// The running sums of a column of differences.
fn sums(columns: &Json, name: &str) -> Vec<i64> {
    let mut sum = 0;
    numbers(columns, name).into_iter().map(|step| (sum += step, sum).1).collect()
}

#[test]
fn every_message_is_there_with_its_fields_and_bytes() {
    for fixture in ["dnp/dnp-lossy.pcap", "riptide/riptide20-udp.pcap", "nano/pomelo-ws.pcap", "gne/gne-edge.pcap"] {
        let reading = read(fixture, 100_000);
        let page = single(&reading);
        let (columns, bytes) = (columns(&page), embedded(&page, "messages-bytes"));
        let want = |of: fn(&(u64, u32, u64, usize, bool)) -> i64| reading.all.iter().map(of).collect::<Vec<_>>();
        assert!(reading.all.len() > 100, "{fixture}");
        assert_eq!(sums(&columns, "frame"), want(|one| one.0 as i64), "{fixture}");
        assert_eq!(numbers(&columns, "index"), want(|one| one.1.into()), "{fixture}");
        assert_eq!(numbers(&columns, "length"), want(|one| one.3 as i64), "{fixture}");
        let flows = columns["flows"].as_array().unwrap();
        let flow = numbers(&columns, "flow").into_iter().map(|at| flows[at as usize][0].as_i64().unwrap());
        assert_eq!(flow.collect::<Vec<_>>(), want(|one| one.2 as i64), "{fixture}");
        let warned = numbers(&columns, "worst").into_iter().map(|worst| i64::from(worst >= 2));
        assert_eq!(warned.collect::<Vec<_>>(), want(|one| one.4.into()), "{fixture}");
        let mut at = 0;
        for (k, own) in reading.bytes.iter().enumerate() {
            let captured = Json::from(own.len());
            let parts = columns["parts"][k].as_array().map_or(std::slice::from_ref(&captured), |parts| parts);
            let first = parts[0].as_u64().unwrap() as usize;
            assert_eq!(&bytes[at..at + first], &own[..own.len().min(4096)], "{fixture} {k}");
            at += parts.iter().map(|part| part.as_u64().unwrap() as usize).sum::<usize>();
            let shape = columns["shapes"][columns["shape"][k].as_u64().unwrap() as usize].as_str().unwrap();
            let values = columns["values"][k].as_str().unwrap();
            assert_eq!(shape.lines().count(), values.lines().count(), "{fixture} {k}: a value for each field");
            for field in shape.lines() {
                let field: Vec<&str> = field.split('\t').collect();
                let [bit, bits, flags, source] = [3, 4, 5, 6].map(|n: usize| field[n].parse::<usize>().unwrap());
                let inside = parts.get(source).and_then(Json::as_u64).unwrap() as usize;
                assert!(flags & 2 > 0 || (bit + bits).div_ceil(8) <= inside.max(own.len()), "{fixture} {k}: {field:?}");
            }
        }
        assert_eq!(at, bytes.len(), "{fixture}");
        assert!(!page.contains("class=\"omission\">This page holds"), "nothing is left out");
    }
}

#[test]
fn relations_are_shown_from_both_sides() {
    let page = single(&read("riptide/riptide20-udp.pcap", 100_000));
    let columns = columns(&page);
    let names: Vec<&str> = columns["relations"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let frames = sums(&columns, "frame");
    let related = |k: usize| {
        let list = columns["related"][k].as_array().unwrap().iter();
        list.map(|one| (names[one[0].as_u64().unwrap() as usize], one[1].as_i64().unwrap())).collect::<Vec<_>>()
    };
    let mut count = 0;
    for (k, frame) in frames.iter().enumerate() {
        for (_, other) in related(k).into_iter().filter(|(kind, _)| *kind == "acknowledges") {
            let there = frames.iter().position(|one| *one == other).unwrap();
            let back = related(there).into_iter().find(|(kind, _)| *kind == "acked_by");
            assert!(back.is_some_and(|(_, first)| first <= *frame), "{frame} acknowledges {other}: {back:?}");
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn of_many_messages_those_around_warnings_are_held() {
    let fixture = "gne/gne-edge.pcap";
    let all = read(fixture, 100_000).all;
    let warned: Vec<i64> = all.iter().filter(|one| one.4).map(|one| one.0 as i64).collect();
    let most = warned.len() + 30;
    assert!(warned.len() > 20 && most < all.len());
    let page = single(&read(fixture, most));
    let columns = columns(&page);
    let frames = sums(&columns, "frame");
    assert_eq!(frames.len(), most);
    assert!(warned.iter().all(|frame| frames.contains(frame)), "all with warnings");
    let found = format!("This page holds {most} of {} messages: the {} with a warning", all.len(), warned.len());
    assert!(page.contains(&found), "{found}");
    // If not even all warnings fit, the page says so.
    let page = single(&read(fixture, 5));
    assert!(page.contains(&format!("This page holds 5 of {} messages: 5 of the {} with", all.len(), warned.len())));
    let page = single(&read(fixture, 0));
    assert!(page.contains("None of the 317 messages") && !page.contains("id=\"messages-columns\""));
}

/// Repeated reductions while reading give the same result as one reduction at the end.
#[test]
fn reductions_keep_what_counts() {
    let fixture = "gne/gne-edge.pcap";
    for limit in [1, 64, 400] {
        let whole = repeated(fixture, 100_000, 20, crate::protocols::options());
        assert!(whole.all.len() > 2 * 1024 + 2 * limit, "it is reduced");
        let entries = whole.run.messages.entries();
        let mut ranks: Vec<_> = entries.iter().map(|one| (!one.warned(), !one.near, one.order)).collect();
        ranks.sort_unstable();
        ranks.truncate(limit);
        let mut orders: Vec<u64> = ranks.into_iter().map(|(.., order)| order).collect();
        orders.sort_unstable();
        let reading = repeated(fixture, limit, 20, crate::protocols::options());
        let held: Vec<u64> = reading.run.messages.held().entries.iter().map(|one| one.order).collect();
        assert_eq!(held, orders, "{limit}");
        assert!(reading.run.messages.entries().len() < limit + limit / 4 + 2048);
    }
}

#[test]
fn relations_are_bounded() {
    let mut options = crate::protocols::options();
    options.limits.lists.links = 40;
    let reading = repeated("dnp/dnp-lossy.pcap", 100_000, 2, options);
    assert!(reading.run.messages.held().later.len() <= 40);
    assert!(read("dnp/dnp-lossy.pcap", 100_000).run.messages.held().later.len() > 100);
}

#[test]
fn diagrams_account_for_every_message() {
    for fixture in ["dnp/dnp-lossy.pcap", "dnp/dnp-frag.pcap", "gne/gne-edge.pcap", "riptide/riptide20-udp.pcap"] {
        let reading = read(fixture, 100_000);
        let page = single(&reading);
        let mut of: BTreeMap<u64, u64> = BTreeMap::new();
        reading.all.iter().for_each(|one| *of.entry(one.2).or_default() += 1);
        let drawings: Vec<&str> = page.split("<details class=\"conversation\"").skip(1).collect();
        assert_eq!(drawings.len(), of.len().min(8), "{fixture}");
        for drawing in drawings {
            let drawing = &drawing[..drawing.find("</svg>").unwrap()];
            let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u64>();
            let flow = number(&drawing[drawing.find("<b>Conversation ").unwrap() + 16..]).unwrap();
            let arrows = drawing.matches("class=\"arrow ").count() as u64;
            let left = drawing.split("class=\"between\"").skip(1).filter_map(|text| {
                let text = &text[text.find('>').unwrap() + 1..text.find('<').unwrap()];
                text.ends_with("not drawn").then(|| number(text).unwrap())
            });
            // A joined message: its earlier parts have no arrow of their own.
            let parts = drawing
                .split("of ")
                .skip(1)
                .filter(|text| text.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(" part"));
            let parts: u64 = parts.map(|text| number(text).unwrap() - 1).sum();
            assert!(arrows <= 200 && arrows > 0, "{fixture} {flow}");
            assert_eq!(arrows + left.sum::<u64>() + parts, of[&flow], "{fixture} {flow}");
        }
    }
}

/// The notes of a message that has this many more notes and relations than a page shows.
struct Noted(usize, Option<String>);

impl Sink for Noted {
    fn message(&mut self, message: &Message<'_>) {
        let mut dissection = message.dissection.clone();
        let (own, frame) = (dissection.notes.iter().count(), 1);
        for _ in own..64 + self.0 {
            dissection.notes.add(Level::Note, "test.many", format_args!("again"));
        }
        let related = dissection.related.iter().count();
        for index in related..256 + self.0 {
            dissection.related.add(RelationKind::JoinedFrom, Target { frame, index: index as u32 }, None);
        }
        let message = Message { dissection: &dissection, ..*message };
        let notes = super::entry::Builder::default().texts(&message).notes.to_vec();
        self.1.get_or_insert(String::from_utf8(notes).unwrap());
    }
}

#[test]
fn what_a_message_has_too_much_of_is_marked() {
    let notes = |more: usize| {
        let (options, mut sink) = (crate::protocols::options(), Noted(more, None));
        let file = std::fs::File::open("fixtures/dnp/dnp-basic.pcap").unwrap();
        let (mut packets, mut table) = (Packets::open(Box::new(file)).unwrap(), Table::new(Caps::default()));
        let mut inspector = Inspector::new(&options, &mut sink);
        while let Some(item) = packets.next().unwrap() {
            if let Decoded::Packet(packet) = item.decoded {
                table.packet(&packet, &mut inspector);
            }
        }
        table.finish(&mut inspector);
        sink.1.unwrap()
    };
    assert!(!notes(0).contains("report.cut"));
    let cut = notes(2);
    assert!(
        cut.contains("2 notes left out of this page") && cut.contains("2 relations left out of this page"),
        "{cut}"
    );
    assert_eq!(cut.matches("report.cut").count(), 2);
}
