//! Runs the program itself, to test memory, time or the terminal.

use crate::common::peak_of;
use netkit::capture::{Body, LinkType, PcapWriter, Segment, ethernet};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Builds a capture.
pub struct File {
    bytes: Vec<u8>,
    frames: i64,
}

impl File {
    pub fn new() -> File {
        let mut bytes = Vec::new();
        PcapWriter::new(&mut bytes, LinkType::ETHERNET, 6).expect("written");
        File { bytes, frames: 0 }
    }

    /// Adds an Ethernet frame, a microsecond after the one before.
    pub fn raw(&mut self, frame: &[u8]) {
        self.frames += 1;
        let seconds = (1_700_000_000 + self.frames / 1_000_000) as u32;
        for word in [seconds, (self.frames % 1_000_000) as u32, frame.len() as u32, frame.len() as u32] {
            self.bytes.extend(word.to_le_bytes());
        }
        self.bytes.extend(frame);
    }

    pub fn packet(&mut self, src: SocketAddr, dst: SocketAddr, body: &Body<'_>) {
        let mut frame = Vec::new();
        ethernet(src, dst, body, &mut frame).expect("a frame");
        self.raw(&frame);
    }

    pub fn udp(&mut self, src: SocketAddr, dst: SocketAddr, payload: &[u8]) {
        self.packet(src, dst, &Body::Udp { payload, length: payload.len() });
    }

    /// Adds TCP bytes at a sequence number.
    pub fn tcp(&mut self, src: SocketAddr, dst: SocketAddr, seq: u32, payload: &[u8]) {
        let segment = Segment { seq, payload, length: payload.len(), ..Segment::default() };
        self.packet(src, dst, &Body::Tcp(segment));
    }

    pub fn syn(&mut self, src: SocketAddr, dst: SocketAddr, seq: u32) {
        self.packet(src, dst, &Body::Tcp(Segment { seq, syn: true, ..Segment::default() }));
    }

    pub fn done(self) -> Vec<u8> {
        self.bytes
    }
}

pub fn client(k: u32) -> SocketAddr {
    SocketAddr::from(([10, 1 + (k >> 24) as u8, (k >> 16) as u8, (k >> 8) as u8], 20_000 + (k & 0xff) as u16))
}

pub fn server() -> SocketAddr {
    SocketAddr::from(([10, 0, 0, 2], 7777))
}

/// Changes the last time stamp of a classic capture made by `File`.
pub fn set_seconds(file: &mut [u8], at: usize, seconds: u32) {
    file[at..at + 4].copy_from_slice(&seconds.to_le_bytes());
}

/// Runs netkit with these arguments and this input.
pub fn netkit(args: &[&str], input: &[u8]) -> Output {
    run(&mut crate::common::netkit(args), input)
}

/// The same, with an address space of `mib` MiB.
pub fn netkit_in(mib: usize, args: &[&str], input: &[u8]) -> Output {
    let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", mib * 1024);
    let mut command = Command::new("sh");
    // Else glibc reserves 64 MiB of addresses for each thread, and gives them back if they are at the wrong place: what
    // another thread asks for meanwhile is refused.
    command.env("MALLOC_ARENA_MAX", "1");
    run(command.args(["-c", &script, env!("CARGO_BIN_EXE_netkit")]).args(args), input)
}

fn run(command: &mut Command, input: &[u8]) -> Output {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("netkit runs");
    let mut stdin = child.stdin.take().expect("stdin");
    std::thread::scope(|scope| {
        // The reader may close the pipe when it has read enough.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("netkit ends")
    })
}

/// The result of a measured run.
pub struct Measured {
    /// The peak memory in bytes; 0 if the system does not report it.
    pub peak: usize,
    /// The size of the output; the run is stopped if it is too much.
    pub output: usize,
    /// Its stderr, and its exit status.
    pub error: String,
    pub code: Option<i32>,
}

/// Runs netkit with these arguments and this input, and stops it after `most` bytes of output. A short run that does not
/// wait for its input may end before its memory was read: then it runs again.
pub fn measured(args: &[&str], input: &[u8], most: usize) -> Measured {
    const TRIES: usize = 50;
    let measures = std::fs::exists("/proc/self/status").unwrap_or(false);
    let mut runs = std::iter::repeat_with(|| measured_once(args, input, most, measures)).take(TRIES);
    let first = runs.next().expect("a run");
    if first.peak > 0 || !measures || first.code != Some(0) {
        return first;
    }
    runs.find(|run| run.peak > 0).expect("its memory is read in one of many runs")
}

/// One run. It has at most 3 GiB of memory, so that a failing test harms nobody.
fn measured_once(args: &[&str], input: &[u8], most: usize, measures: bool) -> Measured {
    let script = "ulimit -v 3145728; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_netkit")]).args(args);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("netkit runs");
    let (mut stdin, mut stdout) = (child.stdin.take().expect("stdin"), child.stdout.take().expect("stdout"));
    let mut stderr = child.stderr.take().expect("stderr");
    let process = child.id();
    let (over, peak) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _ = stdin.write_all(input);
            // Its memory is read at least once before its input ends.
            while measures && peak.load(Ordering::Relaxed) == 0 && !over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(stdin);
        });
        let errors = scope.spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).map(|_| text).unwrap_or_default()
        });
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                peak.fetch_max(peak_of(process), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let (mut output, mut buffer) = (0, vec![0; 1 << 16]);
        while output <= most {
            match stdout.read(&mut buffer) {
                Ok(count) if count > 0 => output += count,
                _ => break,
            }
        }
        drop(stdout);
        let ended = child.wait().expect("netkit ends");
        over.store(true, Ordering::Relaxed);
        let error = format!("{ended}: {}", errors.join().expect("its errors").trim_end());
        Measured { peak: peak.load(Ordering::Relaxed), output, error, code: ended.code() }
    })
}
