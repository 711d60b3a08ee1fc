//! Every time that a file can hold is unchanged after decode, JSON, encode and decode.

use super::files::*;
use netkit::capture::Time;

fn netkit(args: &[&str], input: &[u8]) -> (Vec<u8>, String, Option<i32>) {
    let done = crate::common::run(args, input);
    (done.out, done.err, done.status)
}

const DECODE: [&str; 6] = ["decode", "-", "-p", "riptide", "-f", "ndjson"];

/// A pcapng file with one message for each time.
fn file(resolution: u8, offset: i64, units: &[u64]) -> Vec<u8> {
    let frame = udp("10.0.0.1:5000", "10.0.0.2:7777", b"\x04\x07\x00");
    let mut file = Bytes::new(false);
    file.section(false).interface(1, 0, &[(9, &[resolution]), (14, &offset.to_le_bytes())]);
    for units in units {
        let mut body = Bytes::new(false);
        body.u32(0).u32((units >> 32) as u32).u32(*units as u32).u32(frame.len() as u32).u32(frame.len() as u32);
        body.out.extend(&frame);
        file.block(6, &body.out);
    }
    file.out
}

/// The times of the lines, as written.
fn times(lines: &[u8]) -> Vec<String> {
    let of = |line: &str| line.split("\"time\":").nth(1).unwrap().split(',').next().unwrap().to_string();
    std::str::from_utf8(lines).unwrap().lines().map(of).collect()
}

fn times_of(file: &[u8]) -> Vec<Time> {
    let (frames, error) = read(file);
    assert!(error.is_none(), "{error:?}");
    frames.into_iter().map(|(_, time, ..)| time).collect()
}

/// Pseudo-random numbers from a fixed seed: the same in every run.
fn numbers(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

#[test]
fn every_time_that_a_pcap_file_holds_comes_back() {
    let mut random = numbers(0x1234_5678_9abc_def1);
    for (resolution, offset) in [
        (6u8, 0i64),
        (9, 0),
        (0, 0),
        (3, 0),
        (7, 0),
        (6, -1),
        (9, -1_000_000_000),
        (6, 1),
        (0x80, 0),
        (0x89, 0),
        (0x80 | 20, 5),
        (6, 4_000_000_000),
    ] {
        let second: u64 = match resolution {
            n @ 0..=127 => 10u64.pow(n.into()),
            n => 1 << (n & 127),
        };
        let (first, last) = (offset.min(0).unsigned_abs(), (u64::from(u32::MAX) as i64 - offset) as u64);
        let mut units: Vec<u64> = (1..=9).map(|small| first * second + small).collect();
        units.extend([first * second, last * second, last * second + second - 1]);
        units.extend((0..40).map(|_| (first + random() % (last - first)) * second + random() % second));
        let file = file(resolution, offset, &units);

        let (lines, error, status) = netkit(&DECODE, &file);
        assert_eq!((status, times(&lines).len()), (Some(0), units.len()), "{error}");
        let (again, error, status) = netkit(&["encode", "--json", "-", "--to", "pcap"], &lines);
        assert_eq!(status, Some(0), "{resolution:#x}, {offset}: {error}");
        let (before, after) = (times_of(&file), times_of(&again));
        assert!(!error.contains("truncated"), "{error}");
        let nanos = |times: &[Time]| times.iter().map(|time| time.nanos()).collect::<Vec<_>>();
        assert_eq!(nanos(&before), nanos(&after), "{resolution:#x}, {offset}");
        // The second text equals the first, except for zeros that complete the resolution.
        let (lines, ..) = netkit(&DECODE, &again);
        let zeros = |text: String| Time::decimal(&text).unwrap().nanos();
        assert_eq!(times(&lines).into_iter().map(zeros).collect::<Vec<_>>(), nanos(&before));
    }
}

#[test]
fn digits_that_a_pcap_file_has_no_room_for_are_reported() {
    let (lines, ..) = netkit(&DECODE, &file(12, 0, &[7_000_000_000_000, 7_000_000_001_000, 7_000_000_000_001]));
    assert_eq!(times(&lines), ["7.000000000000", "7.000000001000", "7.000000000001"]);
    let (_, error, status) = netkit(&["encode", "--json", "-", "--to", "pcap"], &lines);
    assert!(status == Some(0) && error.contains("1 timestamp truncated to the resolution"), "{error}");
}

#[test]
fn times_before_the_epoch_and_beyond_what_pcap_holds_are_printed_and_refused() {
    for (offset, units, text) in [
        (-1, 999_999, "-0.000001"),
        (-2, 1, "-1.999999"),
        (-5, 0, "-5.000000"),
        (1 << 32, 7, "4294967296.000007"),
        (1 << 40, 7, "1099511627776.000007"),
    ] {
        let (lines, error, status) = netkit(&DECODE, &file(6, offset, &[units]));
        assert_eq!((times(&lines), status), (vec![text.to_string()], Some(0)), "{error}");
        let (_, error, status) = netkit(&["encode", "--json", "-", "--to", "pcap"], &lines);
        assert_ne!(status, Some(0));
        assert!(error.contains(&format!("time: {text}: a capture holds 0 to 4294967295 seconds")), "{error}");
    }
}
