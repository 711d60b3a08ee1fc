//! Captures that begin in the middle: the rest is read as in the whole, except for information that only the removed
//! part has. Each exception is counted, and none is silent.

use super::captured::{Kept, Line, file, options, packets, read, read_file};
use super::cuts::{captures, captures_in_part};
use crate::common;
use netkit::capture::Segment;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// The notes about information that only the removed part has.
const MISSING: [&str; 3] = ["dnp.unknown_types", "acknex.angle_other_reading", "gne.order_unknown"];

/// Captures of which at least a tenth does not show its version: protocol and version.
const VERSIONS: [(&str, &str); 3] = [("acknex", "a5"), ("gne", "be"), ("gne", "le")];

/// Cuts whose first messages can also be read as something else: the rest of a frame that contains a valid frame
/// length, a datagram that is valid with coordinates of either width.
const AMBIGUOUS: [(&str, usize); 3] = [("edge22-tcp", 60), ("edge22-tcp", 70), ("acknex-sim-fixed", 40)];

/// The differences between the lines of a part and those of the whole.
#[derive(Debug, Default)]
struct Differences {
    /// The side of a line is unknown, and that of all lines of its conversation.
    sides: usize,
    /// A note reports the missing information.
    noted: usize,
    /// The version is unknown.
    versions: usize,
    /// Messages that began before the cut, or before the direction is in step.
    rests: usize,
    /// Messages of conversations that no protocol claims.
    unclaimed: usize,
    /// All other differences.
    other: Vec<String>,
}

impl std::ops::AddAssign for Differences {
    fn add_assign(&mut self, more: Differences) {
        self.sides += more.sides;
        self.noted += more.noted;
        self.versions += more.versions;
        self.rests += more.rests;
        self.unclaimed += more.unclaimed;
        self.other.extend(more.other);
    }
}

/// The lines of each frame and kind.
type Lines<'a> = BTreeMap<(u64, SocketAddr, &'static str, &'static str), Vec<&'a Line>>;

fn by_kind<'a>(lines: impl Iterator<Item = &'a Line>) -> Lines<'a> {
    let mut all = Lines::new();
    for line in lines {
        all.entry((line.frame, line.src, line.proto, line.message)).or_default().push(line);
    }
    all
}

/// Whether the position of these bytes in a message is unknown.
fn is_rest(line: &Line) -> bool {
    line.message == "unknown" || (line.proto, line.message) == ("hawknl", "frame")
}

/// Compares the lines of a part that begins with frame `first`.
fn compare(whole: &[Line], part: &[Line], first: u64) -> Differences {
    let mut found = Differences::default();
    let there: BTreeSet<_> = part.iter().map(|line| line.ends).collect();
    let sided: BTreeSet<_> = part.iter().filter(|line| line.from != "unknown").map(|line| line.ends).collect();
    // The frame from which on each direction is in step.
    let mut in_step: BTreeMap<_, u64> = BTreeMap::new();
    for line in part.iter().filter(|line| !is_rest(line)) {
        in_step.entry((line.ends, line.src)).or_insert(line.frame);
    }
    let begun = |line: &Line| {
        line.begins < first || in_step.get(&(line.ends, line.src)).is_none_or(|frame| line.frame <= *frame)
    };
    // GNE's port message has no mark: only the beginning of the stream identifies it.
    let port =
        |line: &Line| whole.iter().any(|w| (w.frame, w.ends, w.message) == (line.frame, line.ends, "client_port"));
    let ends_later = |line: &Line| {
        whole.iter().any(|w| (w.ends, w.src) == (line.ends, line.src) && w.begins < first && w.frame >= line.frame)
    };
    let versions: BTreeMap<_, _> = whole
        .iter()
        .filter(|line| line.version.is_some())
        .map(|line| (line.ends, (line.proto, line.version)))
        .collect();
    let other_version = |line: &Line, read: &[Line]| {
        let (proto, version) = versions.get(&line.ends).copied().unwrap_or_default();
        VERSIONS.iter().any(|open| (proto, version) == (open.0, Some(open.1)))
            && read.iter().any(|of| of.ends == line.ends && of.version != version)
    };
    let mut left = by_kind(whole.iter().filter(|line| line.frame >= first));
    for (kind, lines) in by_kind(part.iter()) {
        let old = left.entry(kind).or_default();
        for line in lines {
            let equal = |old: &&Line| (old.from, old.fields) == (line.from, line.fields);
            let at = old.iter().position(equal).or_else(|| old.iter().position(|o| o.fields == line.fields));
            let Some(old) = at.or((!old.is_empty()).then_some(0)).map(|at| old.remove(at)) else {
                match is_rest(line) {
                    true if ends_later(line) || begun(line) || port(line) => found.rests += 1,
                    _ if other_version(line, part) => found.versions += 1,
                    _ => found.other.push(format!("new: {line:?}")),
                }
                continue;
            };
            if (old.from, old.fields) == (line.from, line.fields) {
                continue;
            }
            let sides = old.from == line.from || line.from == "unknown" && !sided.contains(&line.ends);
            match (old.fields == line.fields, line.notes.iter().any(|note| MISSING.contains(note))) {
                (true, _) if sides => found.sides += 1,
                (false, true) if sides => found.noted += 1,
                _ if other_version(line, part) => found.versions += 1,
                _ => found.other.push(format!("{line:?}, not {old:?}")),
            }
        }
    }
    for line in left.into_values().flatten() {
        match there.contains(&line.ends) {
            _ if line.begins < first => found.rests += 1,
            true if begun(line) || port(line) => found.rests += 1,
            false => found.unclaimed += 1,
            true if other_version(line, part) => found.versions += 1,
            true => found.other.push(format!("lost: {line:?}")),
        }
    }
    found
}

/// Cuts a capture at each tenth, and sums up the differences of the remaining parts.
fn tenths(path: &Path, all: &mut Differences) {
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let (plain, capture) = (options(path), packets(path));
    let (whole, _) = read_file(&capture, &plain);
    for share in (10..100).step_by(10) {
        let rest: &[Kept] = &capture[capture.len() * share / 100..];
        let Some(first) = rest.first() else { continue };
        let (lines, _) = read_file(rest, &plain);
        let mut found = compare(&whole, &lines, first.frame);
        if found.unclaimed > 0 {
            let done = common::run(&["decode", "-"], &file(rest));
            if done.err.is_empty() {
                found.other.push(format!("{} lost in silence", found.unclaimed));
            }
        }
        if AMBIGUOUS.contains(&(&name, share)) {
            found.rests += std::mem::take(&mut found.other).len();
        }
        found.other.iter_mut().for_each(|text| text.insert_str(0, &format!("{name} from {share} %: ")));
        *all += found;
    }
}

/// Checks every capture of a protocol; `most`: the most lines of each kind of difference.
fn same(protocol: &str, most: [usize; 5]) {
    same_of(protocol, &captures(protocol), most);
}

fn same_of(protocol: &str, captures: &[PathBuf], most: [usize; 5]) {
    let mut all = Differences::default();
    captures.iter().for_each(|path| tenths(path, &mut all));
    let Differences { sides, noted, versions, rests, unclaimed, other } = all;
    println!("{protocol}: {sides} sides, {noted} noted, {versions} versions, {rests} rests, {unclaimed} unclaimed");
    assert!(other.is_empty(), "{protocol}: {other:#?}");
    let counts = [sides, noted, versions, rests, unclaimed];
    assert!(counts.iter().zip(&most).all(|(count, most)| count <= most), "{protocol}: {counts:?}, at most {most:?}");
}

#[test]
fn riptide() {
    same("riptide", [23, 0, 0, 8, 1654]);
}

#[test]
fn dnp() {
    same("dnp", [4407, 406, 0, 0, 247]);
}

#[test]
fn dnp_in_part() {
    same_of("dnp", &captures_in_part("dnp"), [0, 163, 0, 0, 0]);
}

#[test]
fn gne_in_part() {
    same_of("gne", &captures_in_part("gne"), [113, 0, 0, 14, 46]);
}

#[test]
fn nano() {
    same("nano", [0, 0, 0, 659, 624]);
}

#[test]
fn acknex() {
    same("acknex", [0, 177, 47, 22, 360]);
}

#[test]
fn gne() {
    same("gne", [1076, 0, 31, 181, 118]);
}

/// If two conversations share an endpoint, that is the server, even if no message of either shows it.
#[test]
fn shared_endpoints_are_servers() {
    for name in ["dnp/dnp-types", "gne/gne-le-tcponly"] {
        let path = common::fixture(&format!("{name}.pcap"));
        let (plain, capture) = (options(&path), packets(&path));
        let (whole, _) = read_file(&capture, &plain);
        let server = whole.iter().find(|line| line.from == "server").expect("a message of the server").src;
        let rest = &capture[capture.len() * 30 / 100..];
        let alone = read_file(rest, &plain).0;
        assert!(!alone.is_empty() && alone.iter().all(|line| line.from == "unknown"), "{name}");
        let other = |end: SocketAddr| if end == server { end } else { SocketAddr::from(([10, 99, 0, 1], end.port())) };
        let mut both: Vec<Kept> = rest.to_vec();
        both.extend(rest.iter().cloned().map(|kept| Kept { src: other(kept.src), dst: other(kept.dst), ..kept }));
        for (kept, frame) in both.iter_mut().zip(1..) {
            kept.frame = frame;
        }
        let (lines, summary) = read_file(&both, &plain);
        assert_eq!(lines.len(), 2 * alone.len(), "{name}");
        for line in &lines {
            assert_eq!(line.from, if line.src == server { "server" } else { "client" }, "{name}: {line:?}");
        }
        assert_eq!(summary.counters.account.sides_unknown, 0);
    }
}

/// Packets that are read as they arrive: as soon as the second of two conversations with one endpoint is claimed, both
/// know their server. Any number of threads prints the same.
#[test]
fn shared_endpoints_are_servers_from_then_on() {
    const AWAY: [u8; 4] = [10, 99, 0, 1];
    for name in ["dnp/dnp-types", "gne/gne-le-tcponly"] {
        let path = common::fixture(&format!("{name}.pcap"));
        let (plain, capture) = (options(&path), packets(&path));
        let (whole, _) = read_file(&capture, &plain);
        let server = whole.iter().find(|line| line.from == "server").expect("a message of the server").src;
        let rest = &capture[capture.len() * 30 / 100..];
        let other = |end: SocketAddr| if end == server { end } else { SocketAddr::from((AWAY, end.port())) };
        // They take turns, and the second one begins later.
        let late = rest.len() / 2;
        let mut both: Vec<Kept> = Vec::new();
        for k in 0..rest.len() + late {
            both.extend(rest.get(k).cloned());
            let second = k.checked_sub(late).and_then(|k| rest.get(k));
            both.extend(second.cloned().map(|kept| Kept { src: other(kept.src), dst: other(kept.dst), ..kept }));
        }
        for (kept, frame) in both.iter_mut().zip(1..) {
            kept.frame = frame;
        }
        let lines = read(&both, &plain).0.lines;
        let away = |end: &SocketAddr| end.ip() == IpAddr::from(AWAY);
        let began = both.iter().find(|kept| away(&kept.src) || away(&kept.dst)).expect("the second one").frame;
        let last = lines.iter().filter(|line| line.from == "unknown").map(|line| line.frame).max().expect("unknown");
        assert!(
            began <= last + 1 && last < began + 48,
            "{name}: the second begins in frame {began}, known from {last} on"
        );
        for line in &lines {
            let right = if line.src == server { "server" } else { "client" };
            let known = line.frame > last || line.ends.iter().any(away);
            assert_eq!(line.from, if known { right } else { "unknown" }, "{name}: {line:?}");
        }
        let input = file(&both);
        let [one, four] =
            ["1", "4"].map(|threads| common::run(&["decode", "-", "-f", "ndjson", "--threads", threads], &input).ok());
        assert_eq!(one.lines().len(), lines.len(), "{name}");
        assert_eq!(one.text(), four.text(), "{name}");
    }
}

/// The segments of a long message, and the sequence number after them.
fn long_message(like: &Kept, from: u32, segments: u32) -> (Vec<Kept>, u32) {
    let at = |k: u32| {
        let segment = Segment { seq: from.wrapping_add(1400 * k), ..like.segment.clone().expect("a segment") };
        Kept { segment: Some(segment), payload: vec![b'Z'; 1400], length: 1400, ..like.clone() }
    };
    ((0..segments).map(at).collect(), from.wrapping_add(1400 * segments))
}

/// A conversation is not given up before the end of a long message, of which the capture has only the rest: its beginning
/// is before the capture, or in a gap.
#[test]
fn the_rest_of_a_long_message_comes_first() {
    const SEGMENTS: u32 = 200;
    let path = common::fixture("nano/nano-tcp.pcap");
    let (plain, capture) = (options(&path), packets(&path));
    let mut counts = BTreeMap::<_, usize>::new();
    capture.iter().for_each(|kept| *counts.entry(kept.ends()).or_default() += 1);
    let (ends, _) = counts.into_iter().max_by_key(|(_, count)| *count).expect("a conversation");
    let conversation: Vec<Kept> = capture.into_iter().filter(|kept| kept.ends() == ends).collect();
    let third = conversation.len() / 3;
    let next = third + conversation[third..].iter().position(|kept| kept.length > 0).expect("a segment with data");
    let first = &conversation[next];
    let seq = first.segment.as_ref().expect("a segment").seq;
    let lines = |mut packets: Vec<Kept>| {
        packets.iter_mut().zip(1..).for_each(|(kept, frame)| kept.frame = frame);
        let whole = read_file(&packets, &plain).0.into_iter().filter(|line| line.message != "unknown");
        whole.map(|line| (line.src, line.message, line.fields)).collect::<Vec<_>>()
    };
    let alone = lines(conversation[next..].to_vec());
    assert!(alone.len() > 20, "{}", alone.len());
    let (mut from_its_middle, _) = long_message(first, seq.wrapping_sub(1400 * SEGMENTS), SEGMENTS);
    from_its_middle.extend_from_slice(&conversation[next..]);
    assert_eq!(lines(from_its_middle), alone);
    // Its first segment is missing.
    let (long, after) = long_message(first, seq.wrapping_add(1400), SEGMENTS);
    let longer = after.wrapping_sub(seq);
    let later = conversation[next..].iter().cloned().map(|mut kept| {
        let segment = kept.segment.as_mut().expect("a segment");
        let number = if kept.src == first.src { &mut segment.seq } else { &mut segment.ack };
        *number = number.wrapping_add(longer);
        kept
    });
    let with_gap = conversation[..next].iter().cloned().chain(long).chain(later);
    // The message that was under way before the gap has other bytes.
    let (read, whole) = (lines(with_gap.collect()), lines(conversation.clone()));
    let others = read.iter().zip(&whole).filter(|(a, b)| a != b).count();
    assert!((read.len(), others) == (whole.len(), 1), "{} of {}, {others} others", read.len(), whole.len());
}
