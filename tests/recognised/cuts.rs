//! Every capture is cut in typical ways: the messages that are recognised in a part without `-p`, compared with those
//! that `-p` finds.

use super::captured::{CUTS, Cut, Kept, Line, Unclaimed, options, other_ports, packets, read, read_file};
use crate::common::{ends_in, entries, external_captures, fixture};
use netkit::dissect::Evidence;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The captures of real programs, by protocol. Those of [`IN_PART`] have limits of their own.
const REAL: [(&str, &[&str]); 5] = [
    (
        "riptide",
        &[
            "asap-first-notify",
            "end-poor-connection-22",
            "end-timed-out-22",
            "given-up-quality-off-22",
            "like-client-side",
            "listen-kick-not-played",
            "probe-tcp-22",
            "riptide-22-session",
            "riptide-replay-welcome-late",
            "rt-mid",
        ],
    ),
    ("dnp", &["dnp-replay-no-updates", "dnp-session"]),
    (
        "nano",
        &[
            "cached",
            "chk",
            "mid",
            "nano-edit",
            "pinus-from30",
            "pinus-tcp-basic",
            "pinus-tcp-plain",
            "x-drop-hs",
            "x-swap",
        ],
    ),
    ("acknex", &[]),
    ("gne", &["gne-070", "gne-trunk", "st-hello-trunk"]),
];

/// Captures that hold a part of a session only, or its packets in another order, by protocol.
const IN_PART: [(&str, &[&str]); 2] =
    [("dnp", &["dnp-from30", "dnp-other-port-mid", "dnp-swap"]), ("gne", &["x-g-16", "x-g-18"])];

/// The folders with captures of real programs.
fn folders() -> impl Iterator<Item = PathBuf> {
    std::iter::once(fixture("")).chain(external_captures())
}

/// A file's name without its ending.
fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Every capture of a real program is cut: each is in exactly one of the lists.
#[test]
fn none_is_left_out() {
    let mut checked = 0;
    for folder in folders().map(|folder| folder.join("real")).filter(|folder| folder.is_dir()) {
        for path in entries(&folder).iter().filter(|path| ends_in(path, "pcap")) {
            let lists = REAL.iter().chain(&IN_PART).filter(|(_, names)| names.contains(&stem(path))).count();
            assert_eq!(lists, 1, "{}", path.display());
            checked += 1;
        }
    }
    assert!(checked >= 20, "{checked}");
    for (protocol, names) in REAL {
        let all = captures(protocol);
        let held = all.iter().filter(|path| names.contains(&stem(path))).count();
        assert!(held >= usize::from(!names.is_empty()) && all.len() > held, "{protocol}: {held} of {}", all.len());
    }
}

/// The captures of a protocol: the fixtures, and those beside the project, if there are any.
pub fn captures(protocol: &str) -> Vec<PathBuf> {
    listed(&REAL, protocol, Some(protocol))
}

/// The captures of a protocol that hold a part of a session.
pub fn captures_in_part(protocol: &str) -> Vec<PathBuf> {
    listed(&IN_PART, protocol, None)
}

/// The captures of this list, and those of a folder with other captures.
fn listed(real: &[(&str, &[&str])], protocol: &str, folder_name: Option<&str>) -> Vec<PathBuf> {
    let real = real.iter().find(|(name, _)| *name == protocol).expect("a protocol").1;
    let (mut seen, mut list) = (BTreeSet::new(), Vec::new());
    for folder in folders() {
        let own = folder_name.map(|name| folder.join(name)).filter(|own| own.is_dir());
        let own = own.map(|own| entries(&own)).unwrap_or_default();
        let more = folder.join("real");
        let more = if more.is_dir() { entries(&more) } else { Vec::new() };
        let of_it = |path: &PathBuf| real.contains(&stem(path));
        for path in own.into_iter().chain(more.into_iter().filter(of_it)) {
            if ends_in(&path, "pcap") && seen.insert(path.file_name().map(std::ffi::OsStr::to_owned)) {
                list.push(path);
            }
        }
    }
    list
}

/// The messages of each conversation: frame, sender, protocol and name, and their number.
type Messages = BTreeMap<[SocketAddr; 2], BTreeMap<(u64, SocketAddr, &'static str, &'static str), usize>>;

fn messages(lines: &[Line]) -> Messages {
    let mut all = Messages::new();
    // Bytes without a recognised message do not count.
    for line in lines.iter().filter(|line| line.message != "unknown") {
        let named = (line.frame, line.src, line.proto, line.message);
        *all.entry(line.ends).or_default().entry(named).or_default() += 1;
    }
    all
}

/// The number of messages that are in both.
fn both(wanted: &Messages, got: &Messages) -> usize {
    let of = |(ends, wanted): (_, &BTreeMap<_, usize>)| {
        let got = got.get(ends);
        wanted.iter().map(|(line, count)| got.and_then(|got| got.get(line)).map_or(0, |n| *n.min(count))).sum::<usize>()
    };
    wanted.iter().map(of).sum()
}

/// A conversation whose messages are not all found.
struct Lacking {
    capture: String,
    ends: [SocketAddr; 2],
    found: usize,
    wanted: usize,
    /// The bits of evidence, and the reason, if no protocol claimed it; 0: it does not fit.
    unclaimed: Option<(u32, &'static str)>,
}

impl std::fmt::Display for Lacking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Lacking { capture, ends: [one, other], found, wanted, unclaimed } = self;
        write!(f, "    {capture}, {one} - {other}: {found} of {wanted}, ")?;
        match unclaimed {
            Some((bits, why)) => writeln!(f, "unclaimed: {bits} bits, {why}"),
            None => writeln!(f, "although it is claimed"),
        }
    }
}

/// One cell of the table.
#[derive(Default)]
struct Cell {
    wanted: usize,
    found: usize,
    /// Messages found when the packets are read as they arrive, without a scan of the whole before.
    live: usize,
    lacking: Vec<Lacking>,
}

impl Cell {
    fn share(&self, found: usize) -> f64 {
        100.0 * found as f64 / self.wanted.max(1) as f64
    }

    /// Adds the messages found in a part of a capture: those that `-p` finds in the part, or in the whole.
    fn add(&mut self, capture: &str, protocol: &str, [wanted, whole, got]: [&Messages; 3], unclaimed: &[Unclaimed]) {
        let none = BTreeMap::new();
        for (ends, wanted) in wanted {
            let [whole, got] = [whole, got].map(|of| of.get(ends).unwrap_or(&none));
            let right = |(line, count): (&_, &usize)| {
                let most = wanted.get(line).max(whole.get(line));
                most.map_or(0, |most| (*count).min(*most))
            };
            let wanted = wanted.values().sum::<usize>();
            let found = got.iter().map(right).sum::<usize>().min(wanted);
            self.wanted += wanted;
            self.found += found;
            if found < wanted {
                let of = |one: &&Unclaimed| one.ends == *ends || [one.ends[1], one.ends[0]] == *ends;
                let unclaimed = unclaimed.iter().find(of).filter(|_| found == 0);
                let bits = unclaimed.map(|one| one.bits.get(protocol).copied().unwrap_or((0, "does not fit")));
                self.lacking.push(Lacking { capture: capture.into(), ends: *ends, found, wanted, unclaimed: bits });
            }
        }
    }
}

/// The table of a protocol, by cut, and with or without its ports.
fn table(protocol: &'static str, captures: Vec<PathBuf>) -> BTreeMap<(Cut, bool), Cell> {
    let mut table: BTreeMap<(Cut, bool), Cell> = BTreeMap::new();
    for path in captures {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let plain = options(&path);
        let mut forced = options(&path);
        forced.proto = Some(protocol.into());
        let all = packets(&path);
        // The servers, by the whole capture.
        let mut by_server: BTreeMap<_, i32> = BTreeMap::new();
        for line in read(&all, &forced).0.lines {
            let vote = match line.from {
                "server" => 1,
                "client" => -1,
                _ => 0,
            };
            *by_server.entry(line.src).or_default() += vote;
        }
        let servers = |kept: &Kept| {
            by_server.get(&kept.src).copied().unwrap_or(0) > by_server.get(&kept.dst).copied().unwrap_or(0)
        };
        for ports in [false, true] {
            let at = |list: Vec<Kept>| if ports { other_ports(&list) } else { list };
            let whole = messages(&read(&at(all.clone()), &forced).0.lines);
            for cut in CUTS {
                let rest = at(cut.of(&all, &servers));
                let wanted = messages(&read(&rest, &forced).0.lines);
                let got = messages(&read_file(&rest, &plain).0);
                let (live, _) = read(&rest, &plain);
                let cell = table.entry((cut, ports)).or_default();
                cell.add(&name, protocol, [&wanted, &whole, &got], &live.unclaimed);
                cell.live += both(&wanted, &messages(&live.lines));
            }
        }
    }
    table
}

/// Checks that a protocol's cells reach 95 %. A cell may be lower if no protocol claims the conversations that lack
/// messages, because they hold fewer bits than a claim needs; but not lower than `least`, the present value. The same
/// limits apply to packets that are read as they arrive.
fn holds(protocol: &'static str, least: &[(Cut, bool, f64)]) {
    holds_of(protocol, captures(protocol), least);
}

fn holds_of(protocol: &'static str, captures: Vec<PathBuf>, least: &[(Cut, bool, f64)]) {
    let (mut failures, mut text) = (Vec::new(), String::new());
    for ((cut, ports), cell) in table(protocol, captures) {
        let (share, live) = (cell.share(cell.found), cell.share(cell.live));
        let place = if ports { "other ports" } else { "" };
        text += &format!("{protocol} {cut:?} {place}: {share:.1} % of {}, live {live:.1} %\n", cell.wanted);
        let known = least.iter().find(|(c, p, _)| (*c, *p) == (cut, ports)).map_or(95.0, |(.., share)| *share);
        if share.min(live) < known {
            failures.push(format!("{cut:?} {place}: {share:.1} %, live {live:.1} % < {known}"));
        }
        if share >= 95.0 {
            continue;
        }
        text.extend(cell.lacking.iter().map(ToString::to_string));
        let silent = |one: &&Lacking| one.unclaimed.is_none_or(|(bits, _)| bits >= Evidence::CLAIM);
        failures.extend(cell.lacking.iter().filter(silent).map(|one| format!("{cut:?} {place}: {one}")));
    }
    println!("{text}");
    assert!(failures.is_empty(), "{protocol}: {failures:#?}");
}

#[test]
fn riptide() {
    holds(
        "riptide",
        &[
            (Cut::Client, false, 90.0),
            (Cut::Client, true, 90.0),
            (Cut::From(30), false, 94.0),
            (Cut::From(30), true, 94.0),
            (Cut::Middle(20), false, 74.0),
            (Cut::Middle(20), true, 74.0),
            (Cut::Server, false, 87.0),
            (Cut::Server, true, 87.0),
        ],
    );
}

#[test]
fn dnp_in_part() {
    holds_of(
        "dnp",
        captures_in_part("dnp"),
        &[
            (Cut::Middle(20), false, 33.0),
            (Cut::Middle(20), true, 33.0),
            (Cut::Snapped(96), false, 91.0),
            (Cut::Snapped(96), true, 91.0),
        ],
    );
}

#[test]
fn gne_in_part() {
    holds_of("gne", captures_in_part("gne"), &[]);
}

#[test]
fn dnp() {
    holds(
        "dnp",
        &[
            (Cut::Middle(20), false, 81.0),
            (Cut::Middle(20), true, 75.0),
            (Cut::Server, false, 77.0),
            (Cut::Server, true, 77.0),
        ],
    );
}

#[test]
fn nano() {
    holds(
        "nano",
        &[
            // Compressed bytes cannot be read after a gap.
            (Cut::Snapped(96), false, 87.0),
            (Cut::Snapped(96), true, 87.0),
        ],
    );
}

#[test]
fn acknex() {
    holds(
        "acknex",
        &[
            (Cut::Busiest, false, 93.0),
            (Cut::Busiest, true, 82.0),
            (Cut::Client, false, 91.0),
            (Cut::Client, true, 88.0),
            (Cut::Exchanged, true, 87.0),
            (Cut::From(30), true, 87.0),
            (Cut::From(50), true, 88.0),
            (Cut::Middle(100), true, 60.0),
            (Cut::Middle(20), false, 88.0),
            (Cut::Middle(20), true, 52.0),
            (Cut::Server, true, 85.0),
            (Cut::Snapped(96), true, 87.0),
            (Cut::Whole, true, 87.0),
        ],
    );
}

#[test]
fn gne() {
    holds("gne", &[(Cut::Busiest, false, 82.0), (Cut::Busiest, true, 82.0)]);
}
