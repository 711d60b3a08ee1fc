//! Helpers of the integration tests: running the program as a user does, fixtures, scratch folders, JSON lines,
//! captures made of messages, and seeded random numbers.
//!
//! No test asserts how long something takes. [`HANG`] is a guard: whatever has not ended by then hangs, on any machine.

// The smaller test programs use a part of this.
#![allow(dead_code)]

mod files;
pub mod late;
mod sockets;
#[cfg(unix)]
pub mod terminal;

pub use files::*;
use netkit::capture::{Body, Decoded, LinkType, Packets, PcapWriter, Segment, Time, ethernet};
use netkit::dissect::{Counters, Inspector, Options, Sink};
use netkit::flow::{Caps, Table};
use serde_json::Value as Json;
pub use sockets::*;
use std::collections::BTreeSet;
use std::io::{Cursor, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The program.
pub const NETKIT: &str = env!("CARGO_BIN_EXE_netkit");

/// The folder of captures beside the project, if there is one.
pub fn external_captures() -> Option<PathBuf> {
    root().ancestors().skip(1).map(|folder| folder.join("shared/captures")).find(|folder| folder.is_dir())
}

/// The arguments that a capture needs: `NAME.args` beside `NAME.pcap`.
pub fn args_of(capture: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(capture.with_extension("args")).unwrap_or_default();
    text.split_whitespace().map(String::from).collect()
}

/// The program, with the default action for every signal: whoever runs the tests may ignore some (`nohup`, a background
/// job of a script), and a program inherits that.
pub fn program() -> Command {
    // Linux lists the ignored signals; `env` is part of coreutils.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    let names = [("HUP", 1), ("INT", 2), ("TERM", 15)];
    let names: Vec<&str> = names.iter().filter(|(_, n)| ignored >> (n - 1) & 1 == 1).map(|(name, _)| *name).collect();
    if names.is_empty() {
        return Command::new(NETKIT);
    }
    // `env` by its full path: a test may give the program a search path of its own.
    let mut command = Command::new("/usr/bin/env");
    command.arg(format!("--default-signal={}", names.join(","))).arg(NETKIT);
    command
}

/// The program with these arguments at the project's root; all three streams are pipes, and its environment has nothing
/// of the person who runs the tests.
pub fn netkit(args: &[&str]) -> Command {
    let mut command = program();
    command.args(args).current_dir(root());
    command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("NETKIT_SCHEMA");
    command.env_remove("NETKIT_PROTOCOLS");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The peak memory of a netkit process so far, in bytes; 0 if the system does not report it. Until the process has that
/// name, its memory may be that of the test program: a new process shares it until it runs netkit.
pub fn peak_of(process: u32) -> usize {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    if !text.starts_with("Name:\tnetkit\n") {
        return 0;
    }
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0) << 10
}

/// The result of a run.
#[derive(Debug, PartialEq)]
pub struct Done {
    /// The exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    pub out: Vec<u8>,
    pub err: String,
}

impl Done {
    /// Its stdout as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.out).expect("UTF-8")
    }

    /// Its stdout as JSON lines.
    pub fn lines(&self) -> Vec<Json> {
        self.text().lines().map(json).collect()
    }

    /// Fails unless its status is 0.
    #[track_caller]
    pub fn ok(self) -> Done {
        assert_eq!(self.status, Some(0), "{}", self.err);
        self
    }
}

/// Runs the program with this input.
pub fn run(args: &[&str], input: &[u8]) -> Done {
    feed(&mut netkit(args), input)
}

/// Runs a command with this input, which it need not read to the end.
pub fn feed(command: &mut Command, input: &[u8]) -> Done {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input)));
        finish(child)
    })
}

/// Waits for the end of a child, reading its output meanwhile.
pub fn finish(mut child: Child) -> Done {
    fn all(pipe: Option<impl Read>) -> Vec<u8> {
        let mut bytes = Vec::new();
        pipe.map(|mut pipe| pipe.read_to_end(&mut bytes).expect("bytes"));
        bytes
    }
    let (out, err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let (out, err) = (scope.spawn(move || all(out)), scope.spawn(move || all(err)));
        let status = ended(&mut child).code();
        let err = String::from_utf8(err.join().expect("stderr")).expect("UTF-8");
        Done { status, out: out.join().expect("stdout"), err }
    })
}

/// Waits for the end of a child whose output fits into a pipe or is read elsewhere.
pub fn ended(child: &mut Child) -> ExitStatus {
    let mut status = None;
    until("it ends", || {
        status = child.try_wait().expect("a child");
        status.is_some()
    });
    status.expect("it has ended")
}

/// Waits until a condition holds.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < HANG, "not yet: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until everything written to a pipe is read.
#[cfg(unix)]
pub fn drained(pipe: &impl std::os::fd::AsFd) {
    until("it is read", || rustix::io::ioctl_fionread(pipe).expect("a pipe") == 0);
}

/// Waits until a program has read `length` bytes of a file that it follows, and has processed them.
pub fn reads_to(child: &Child, path: &str, length: u64) {
    let folder = PathBuf::from(format!("/proc/{}", child.id()));
    let path = Path::new(path).canonicalize().expect("the file");
    let at = |number: &std::ffi::OsStr| {
        let text = std::fs::read_to_string(folder.join("fdinfo").join(number)).ok()?;
        text.lines().find_map(|line| line.strip_prefix("pos:")?.trim().parse::<u64>().ok())
    };
    let read = || {
        let list = std::fs::read_dir(folder.join("fd")).ok()?;
        let own = list.flatten().find(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == path))?;
        at(&own.file_name())
    };
    if folder.exists() {
        until("it is read", || read() == Some(length));
    }
    rests(child);
}

/// Waits until a program has processed all its input and is waiting itself: none of its threads runs, and none has run
/// between two looks. Only Linux shows that; elsewhere a fixed delay must do.
pub fn rests(child: &Child) {
    let tasks = PathBuf::from(format!("/proc/{}/task", child.id()));
    if !tasks.exists() {
        return std::thread::sleep(Duration::from_millis(500));
    }
    // The name of each thread, and how often it has given up the processor; `None` if one runs.
    let look = || -> Option<Vec<(String, String)>> {
        let mut list = Vec::new();
        for task in entries(&tasks) {
            let status = std::fs::read_to_string(task.join("status")).ok()?;
            let lines = |names: &[&str]| -> Vec<&str> {
                status.lines().filter(|line| names.iter().any(|name| line.starts_with(name))).collect()
            };
            lines(&["State:"]).iter().any(|line| line.contains("S (")).then_some(())?;
            list.push((task.display().to_string(), lines(&["voluntary_ctxt", "nonvoluntary_ctxt"]).concat()));
        }
        Some(list)
    };
    until("it rests", || look().is_some_and(|first| look() == Some(first)));
}

/// Sends a signal, `-INT`.
pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill").success());
}

/// A folder for the files of a test, removed with it. `name` is the test's.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        // The path is short, because it also holds sockets and pipes. The numbers make it unique, also among tests that
        // chose the same name.
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("netkit-{}-{number}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Scratch(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it, which may not exist.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").into()
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), bytes).expect("written");
        self.file(name)
    }

    /// Makes a named pipe.
    pub fn pipe(&self, name: &str) -> String {
        let path = self.file(name);
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The folder for temporary files contains it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Parses JSON of any depth: packets nest deeper than the parser's own limit.
pub fn json(text: &str) -> Json {
    netkit::encode::json(text.as_bytes()).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// The JSON lines of a file; none if it does not exist.
pub fn json_lines(path: &Path) -> Vec<Json> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter(|line| !line.trim().is_empty()).map(json).collect()
}

/// Reads a capture into a sink.
pub fn dissect(file: Vec<u8>, options: &Options, sink: &mut impl Sink) -> Counters {
    let mut inspector = Inspector::new(options, sink);
    let mut table = Table::new(Caps::default());
    let mut packets = Packets::open(Box::new(Cursor::new(file))).expect("a capture");
    while let Some(item) = packets.next().expect("a whole capture") {
        if let Decoded::Packet(packet) = item.decoded {
            table.packet(&packet, &mut inspector);
        }
    }
    table.finish(&mut inspector);
    std::mem::take(&mut inspector.counters)
}

/// The records of a classic capture, with their headers.
pub fn records(file: &[u8]) -> Vec<Vec<u8>> {
    let (mut rest, mut list) = (&file[24..], Vec::new());
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[8..12].try_into().expect("four bytes")) as usize;
        let (record, following) = rest.split_at(16 + length);
        list.push(record.to_vec());
        rest = following;
    }
    list
}

/// The frames of a capture in file form that one side sent: the servers, or the others.
pub fn direction(capture: &[u8], servers: &BTreeSet<SocketAddr>, by_server: bool) -> Vec<u8> {
    let mut sent = BTreeSet::new();
    let mut packets = Packets::open(Box::new(Cursor::new(capture.to_vec()))).expect("a capture");
    while let Some(item) = packets.next().expect("a whole capture") {
        if let Decoded::Packet(packet) = item.decoded
            && servers.contains(&packet.src) == by_server
        {
            sent.insert(packet.frame);
            sent.extend(packet.frames);
        }
    }
    let numbered = (1..).zip(records(capture)).filter(|(number, _)| sent.contains(number));
    let mut half = capture[..24].to_vec();
    half.extend(numbered.flat_map(|(_, record)| record));
    half
}

/// A capture being made: Ethernet frames with their times in milliseconds, 1,000 s apart unless others are given.
#[derive(Default)]
pub struct Wire {
    frames: Vec<(u64, Vec<u8>)>,
    next: u64,
}

impl Wire {
    /// A datagram between client and server.
    pub fn datagram(&mut self, ends: [SocketAddr; 2], by_client: bool, payload: &[u8]) {
        self.packet(ends, by_client, &Body::Udp { payload, length: payload.len() });
    }

    pub fn packet(&mut self, [client, server]: [SocketAddr; 2], by_client: bool, body: &Body<'_>) {
        let (src, dst) = if by_client { (client, server) } else { (server, client) };
        let mut frame = Vec::new();
        ethernet(src, dst, body, &mut frame).expect("a frame");
        self.frames.push((self.next, frame));
        self.next += 1_000_000;
    }

    /// The next frame is captured this many milliseconds after the beginning.
    pub fn at(&mut self, millis: u64) -> &mut Wire {
        self.next = millis;
        self
    }

    /// A connection: the data that its client and its server send, in the given order.
    pub fn stream(&mut self, ends: [SocketAddr; 2], message: &[(bool, Vec<u8>)]) {
        let segment = Segment { has_ack: true, ..Segment::default() };
        self.packet(ends, true, &Body::Tcp(Segment { syn: true, has_ack: false, ..segment }));
        self.packet(ends, false, &Body::Tcp(Segment { syn: true, ack: 1, ..segment }));
        self.stream_on(ends, message);
    }

    /// The same connection from its middle: its beginning is not in the capture.
    pub fn stream_on(&mut self, ends: [SocketAddr; 2], message: &[(bool, Vec<u8>)]) {
        let segment = Segment { has_ack: true, ..Segment::default() };
        let mut sent = [1u32; 2];
        for (by_client, payload) in message {
            let [seq, ack] = if *by_client { sent } else { [sent[1], sent[0]] };
            let body = Segment { payload, length: payload.len(), seq, ack, ..segment };
            self.packet(ends, *by_client, &Body::Tcp(body));
            sent[if *by_client { 0 } else { 1 }] += payload.len() as u32;
        }
    }

    /// Takes out a frame, by its number from 1: the capture does not have it.
    pub fn lose(&mut self, frame: usize) {
        self.frames.remove(frame - 1);
    }

    /// The capture file.
    pub fn file(&self) -> Vec<u8> {
        self.cut(usize::MAX)
    }

    /// The capture file with this many bytes of each frame at most.
    pub fn cut(&self, snap: usize) -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = PcapWriter::new(&mut file, LinkType::ETHERNET, 6).expect("a header");
        for (millis, frame) in &self.frames {
            let time = Time::micros((millis / 1000) as i64, (millis % 1000) as u32 * 1000);
            writer.record(time, frame.get(..snap).unwrap_or(frame), frame.len()).expect("written");
        }
        writer.flush().expect("written");
        file
    }
}

/// Small random numbers, the same for the same seed on every machine (xorshift64*).
pub struct Random(pub u64);

impl Random {
    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }

    pub fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Runs cases that mostly wait for a peer of their own, eight at a time.
pub fn side_by_side<T>(cases: impl IntoIterator<Item = T, IntoIter: Send>, run: impl Fn(T) + Sync) {
    let cases = Mutex::new(cases.into_iter());
    let next = || cases.lock().expect("no panic").next();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(case) = next() {
                    run(case);
                }
            });
        }
    });
}

/// Two described protocols with numbers and acknowledgements.
const NUMBERED: &str = r#"
protocol = "NAME"
encoding = "be"
BESIDE

[udp]
ports = [7777]

[packet.fields]
mark = { type = "u16", value = MARK }
body = { type = "message", by = "u8" }

[numbers.data]
number = "number"
ack    = "acked"

[[message]]
name   = "data"
id     = 1
fields = { number = "u16" }

[[message]]
name   = "ack"
id     = 2
fields = { acked = "u16" }
"#;

/// Writes a capture at a server, and returns the arguments with which it is read. Both sides number 600 messages of the
/// protocol `mine`; three of every 50 of the client's are lost before, and come later. With `other`, the client also
/// sends twice as many messages of another protocol between the same ports, numbered on their own.
pub fn numbered_files(folder: &Scratch, other: bool) -> Vec<String> {
    let file = |name: &str, beside: &str, mark: &str| {
        let text = NUMBERED.replace("NAME", name).replace("BESIDE", beside).replace("MARK", mark);
        folder.write(&format!("{name}.toml"), text)
    };
    let (mine, second) = (file("mine", "beside = [\"other\"]", "0x6d69"), file("other", "", "0x6f74"));
    let message = |mark: &[u8; 2], kind: u8, number: u16| [&mark[..], &[kind], &number.to_be_bytes()].concat();
    let mut sent = Vec::new();
    for n in 0..600u16 {
        let at = i64::from(n) * 2000;
        let late = if matches!(n % 50, 7..10) { 60_000 } else { 0 };
        sent.extend([(at + late, true, message(b"mi", 1, n)), (at + late + 10_000, false, message(b"mi", 2, n))]);
        sent.extend([(at + 700, false, message(b"mi", 1, n)), (at + 900, true, message(b"mi", 2, n))]);
        if other {
            sent.extend([300, 1300].map(|after| (at + after, true, message(b"ot", 1, 2 * n + after as u16))));
        }
    }
    sent.sort();
    let [client, server] = ["10.1.2.3:50000", "10.9.8.7:7777"].map(|end| end.parse().expect("an end"));
    let mut bytes = Vec::new();
    let mut writer = PcapWriter::new(&mut bytes, LinkType::ETHERNET, 6).expect("a header");
    for (at, by_client, payload) in sent {
        let (src, dst) = if by_client { (client, server) } else { (server, client) };
        let mut frame = Vec::new();
        ethernet(src, dst, &Body::Udp { payload: &payload, length: payload.len() }, &mut frame).expect("a frame");
        writer.frame(Time::micros(at, 0), &frame).expect("written");
    }
    writer.flush().expect("written");
    let name = if other { "both.pcap" } else { "one.pcap" };
    [folder.write(name, bytes), "-p".into(), mine, "--protocol-file".into(), second].into()
}

/// Reads an HTTP head, up to the empty line that ends it.
pub fn read_head(stream: &mut impl Read) -> Vec<u8> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    head
}

/// The answer that grants the upgrade which this head asks for.
pub fn granted(head: &[u8]) -> Vec<u8> {
    let answer =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ";
    format!("{answer}{}\r\n\r\n", answer_to(head)).into_bytes()
}

/// The answer to a client's key: SHA-1 of the key and a fixed text, in base64 (RFC 6455, 4.2.2).
pub fn answer_to(head: &[u8]) -> String {
    let head = String::from_utf8_lossy(head).into_owned();
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    let hash = sha1_smol::Sha1::from(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11")).digest().bytes();
    let bits: String = hash.iter().map(|byte| format!("{byte:08b}")).collect();
    let letters: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    let six = |bits: &[u8]| usize::from_str_radix(&format!("{:0<6}", String::from_utf8_lossy(bits)), 2).unwrap();
    bits.as_bytes().chunks(6).map(|bits| letters[six(bits)]).chain(['=']).collect()
}
