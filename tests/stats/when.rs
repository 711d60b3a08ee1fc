//! Silences, and the times of lists, compared with decode's output.

use super::{fixture, netkit, stats};
use crate::common;
use common::feed;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// A silence is the longest time between two messages of a side, or to the last message of its conversation.
#[test]
fn the_longest_silence_is_between_messages_of_a_side() {
    for (file, least) in [
        ("riptide/riptide20-lossy.pcap", 4),
        ("dnp/dnp-lossy.pcap", 2),
        ("gne/gne-be-udp-full.pcap", 1),
        ("nano/pomelo-ws.pcap", 1),
    ] {
        let capture = fixture(file);
        let lines = netkit("decode", &capture, &["-f", "ndjson", "-q"]);
        let (mut first, mut seen) = (None, BTreeMap::<u64, Vec<(String, f64)>>::new());
        for line in lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()) {
            let time = line["time"].as_f64().unwrap();
            first.get_or_insert(time);
            let of = seen.entry(line["flow"].as_u64().unwrap()).or_default();
            of.push((line["from"].as_str().unwrap().to_owned(), time));
        }
        let table = stats(&capture, &["--delivery"])["when"].clone();
        let rows: Vec<&Json> = table.as_array().unwrap().iter().filter(|row| !row["silence"].is_null()).collect();
        let mut compared = 0;
        for row in rows.iter().filter(|row| row["connection"] == 1) {
            let all = &seen[&row["flow"].as_u64().unwrap()];
            let mut own: Vec<f64> =
                all.iter().filter(|(from, _)| *from == row["from"]).map(|(_, time)| *time).collect();
            own.extend(all.last().map(|(_, time)| *time));
            let longest = own
                .windows(2)
                .map(|two| (two[1] - two[0], two[0]))
                .fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
            let (silence, from) = (row["silence"].as_f64().unwrap(), row["silence_from"].as_f64().unwrap());
            assert!((silence - longest.0).abs() < 2e-6, "{file}: {row}, {longest:?}");
            assert!((from - (longest.1 - first.unwrap())).abs() < 2e-6, "{file}: {row}, {longest:?}");
            compared += 1;
        }
        assert!(compared >= least, "{file}: {rows:?}");
    }
}

/// No 5 s of a side have more losses than those that the table names: resends before an ack, and skipped numbers, by
/// the frames in `connections`.
#[test]
fn the_worst_five_seconds_have_the_most_losses() {
    /// The steps in which losses are counted.
    const STEP: f64 = 5.0 / 64.0;
    for (file, least) in [
        ("riptide/riptide22-lossy.pcap", 4),
        ("riptide/riptide22-gap40.pcap", 1),
        ("real/like-client-side.pcap", 1),
        ("real/given-up-quality-off-22.pcap", 2),
        ("dnp/dnp-lossy.pcap", 1),
    ] {
        let capture = fixture(file);
        let lines = netkit("decode", &capture, &["-f", "ndjson", "-q"]);
        let times: BTreeMap<u64, f64> = lines
            .lines()
            .map(|line| serde_json::from_str::<Json>(line).unwrap())
            .map(|line| (line["frame"].as_u64().unwrap(), line["time"].as_f64().unwrap()))
            .collect();
        let first = times.values().copied().fold(f64::INFINITY, f64::min);
        let last = times.values().copied().fold(0.0, f64::max) - first;
        let all = stats(&capture, &["--delivery"]);
        let mut compared = 0;
        for row in all["when"].as_array().unwrap().iter().filter(|row| !row["worst_losses"].is_null()) {
            let of = all["connections"].as_array().unwrap();
            let of: Vec<_> = of.iter().filter(|of| of["flow"] == row["flow"]).collect();
            let [of] = of[..] else { continue };
            let of = &of["from"][row["from"].as_str().unwrap()];
            // Each loss with its time.
            let mut losses: Vec<(f64, u64)> = Vec::new();
            for message in ["reliable", "notify"].iter().flat_map(|kind| of[*kind].as_array().into_iter().flatten()) {
                let resent = message["resent_frames"].as_array().into_iter().flatten();
                losses.extend(resent.map(|frame| (times[&frame.as_u64().unwrap()] - first, 1)));
            }
            for gap in of["gaps"].as_array().into_iter().flatten() {
                losses.push((times[&gap["frame"].as_u64().unwrap()] - first, gap["missing"].as_u64().unwrap()));
            }
            let within = |from: f64, to: f64| -> u64 {
                losses.iter().filter(|(at, _)| (from..to).contains(at)).map(|(_, count)| count).sum()
            };
            let [count, from, to] = ["worst_losses", "worst_from", "worst_to"].map(|key| row[key].as_f64().unwrap());
            assert_eq!(within(from - 1e-6, to + 1e-6) as f64, count, "{file}: {row}");
            assert!((to - from - 5.0).abs() < 1e-6 || (to - last).abs() < 1e-6, "{file}: {row}, {last}");
            let most = losses.iter().map(|(at, _)| within(*at, at + 5.0 - STEP)).max().unwrap_or(0);
            assert!(most as f64 <= count, "{file}: {row}: {most} in another part");
            compared += 1;
        }
        assert!(compared >= least, "{file}: {compared} {}", all["when"]);
    }
}

/// Lists print times in decode's formats.
#[test]
fn lists_have_the_times_of_decode() {
    let capture = fixture("nano/nano-tcp-bad.pcap");
    let column = |text: &str, name: &str| -> Vec<String> {
        let place = text.lines().next().unwrap().split(',').position(|head| head == name).unwrap();
        text.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
    };
    for form in ["relative", "utc", "epoch"] {
        let list = netkit("stats", &capture, &["--slow", "1ms", "-f", "csv", "--time", form, "-q"]);
        let all = netkit("decode", &capture, &["-f", "csv", "--columns", "frame,time", "--time", form, "-q"]);
        let frames: BTreeMap<_, _> = column(&all, "frame").into_iter().zip(column(&all, "time")).collect();
        let (places, times) = (column(&list, "frame"), column(&list, "time"));
        assert!(times.len() > 2, "{list}");
        for (frame, time) in places.iter().zip(&times) {
            assert_eq!(*time, frames[frame], "{form}: frame {frame}");
        }
    }
    let done = feed(common::netkit(&["stats", "--time", "utc"]).arg(&capture), b"");
    assert_eq!(done.status, Some(2), "{}", done.err);
}

/// The axis of a plot begins at --since, its columns are round, and a value below half a cell is drawn smaller.
#[test]
fn a_plot_begins_where_it_is_cut() {
    let capture = fixture("riptide/riptide20-lossy.pcap");
    let whole = netkit("stats", &capture, &["--plot", "-q"]);
    let cut = netkit("stats", &capture, &["--plot", "-q", "--since", "10s"]);
    let axis = |text: &str| {
        text.lines()
            .find(|line| line.contains(" s ") && line.trim_end().ends_with(" s"))
            .unwrap()
            .trim_start()
            .to_owned()
    };
    assert!(axis(&whole).starts_with("0 s "), "{whole}");
    assert!(axis(&cut).starts_with("10 s "), "{cut}");
    assert!(whole.contains("a column is 500 ms;") && cut.contains("a column is 200 ms;"), "{whole}{cut}");
    assert!(cut.contains('▁'), "{cut}");
}

/// A capture's records may have any time, in any order.
#[test]
fn any_time_is_read() {
    let capture = std::fs::read(fixture("riptide/riptide20-lossy.pcap")).unwrap();
    let word = |at: usize| u32::from_le_bytes(capture[at..at + 4].try_into().unwrap());
    let times = [0, i64::MAX as u64, u64::MAX, 5, 1 << 62, 9_223_372_036, 9_223_372_037, 1 << 33];
    let folder = common::Scratch::new("any-time");
    let page = folder.file("page.html");
    for resolution in [0u32, 6, 9] {
        let section = [0x0a0d_0d0a, 28, 0x1a2b_3c4d, 1, u32::MAX, u32::MAX, 28];
        let interface = [1, 32, word(20), 0, 0x0001_0009, resolution, 0, 32];
        let mut file: Vec<u8> = section.iter().chain(&interface).flat_map(|word| word.to_le_bytes()).collect();
        let mut at = 24;
        for time in times.iter().cycle().take(400) {
            let (length, packet) = (word(at + 8), &capture[at + 16..at + 16 + word(at + 8) as usize]);
            at += 16 + length as usize;
            let size = 32 + length.next_multiple_of(4);
            let head = [6, size, 0, (time >> 32) as u32, *time as u32, length, length];
            head.iter().for_each(|word| file.extend_from_slice(&word.to_le_bytes()));
            file.extend_from_slice(packet);
            file.resize(file.len().next_multiple_of(4), 0);
            file.extend_from_slice(&size.to_le_bytes());
        }
        for args in [
            &["stats", "--delivery"][..],
            &["stats", "--delivery", "-f", "json"],
            &["stats", "--plot", "--since", "5s"],
            &["stats", "--slow", "1s", "--time", "relative"],
            &["stats", "--by", "message,second"],
            &["stats"],
            &["decode", "-f", "ndjson"],
            &["top", "--redraw", "1s"],
            &["report", "--force", "-o", &page],
        ] {
            feed(common::netkit(args).args(["-q", "-p", "riptide", "-"]), &file).ok();
        }
    }
}

/// The clock is set back by an hour between two halves of a session: neither side was silent for that long.
#[test]
fn a_clock_that_was_set_back_is_no_silence() {
    let ends = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    let mut wire = common::Wire::default();
    for second in (3_600..3_610).chain(0..10) {
        let millis = second * 1_000;
        for (by_client, bytes) in [(true, &[5, second as u8, 0xff, 0xff][..]), (false, &[5, second as u8])] {
            wire.at(millis).datagram(ends, by_client, bytes);
        }
    }
    let folder = common::Scratch::new("clock-set-back");
    let file = folder.write("back.pcap", wire.file());
    let table = stats(std::path::Path::new(&file), &["--delivery", "-p", "riptide", "-s", "riptide.version=2.0"]);
    let rows = table["when"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["silence"].as_f64().is_none_or(|silence| silence < 2.0)), "{rows:?}");
    assert_eq!(table["messages"], 40);
}
