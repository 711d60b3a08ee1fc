//! The programs that capture for netkit. They have the permission, or can get it alone. netkit, which reads data of
//! strangers, then needs none.
//!
//! If required, tcpdump passes on each frame at once (`-U --immediate-mode`: 0.2 ms). dumpcap, in all versions up to
//! 4.4, passes on frames in blocks, up to 250 ms after the first of them. Therefore tcpdump is tried first, and dumpcap
//! if there is no tcpdump, or if it has no permission.

use crate::platform;
use crate::process::usage::usage;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The environment variable that names a program to use instead.
const VARIABLE: &str = "NETKIT_CAPTURE";

/// The maximum number of captured bytes of a frame: the largest IP packet, with the headers of any link. The larger it
/// is, the fewer frames fit into tcpdump's buffer.
const SNAP: &str = "65600";

/// The kind of a program's command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// tcpdump, WinDump.
    Tcpdump,
    /// Wireshark's dumpcap.
    Dumpcap,
}

/// A program that captures.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its command line.
    pub kind: Kind,
    /// Its path.
    pub path: PathBuf,
}

impl Program {
    fn new(path: PathBuf) -> Option<Program> {
        let name = path.file_stem()?.to_string_lossy().to_ascii_lowercase();
        let kind = match () {
            () if name.contains("dumpcap") => Kind::Dumpcap,
            () if name.contains("tcpdump") || name.contains("windump") => Kind::Tcpdump,
            () => return None,
        };
        Some(Program { kind, path })
    }

    /// Returns its name in messages.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Tcpdump => "tcpdump",
            Kind::Dumpcap => "dumpcap",
        }
    }

    /// Returns the time for which it may hold a frame back. It drops such frames when it is asked to end.
    pub fn holds_back(&self) -> Duration {
        match self.kind {
            Kind::Tcpdump => Duration::ZERO,
            Kind::Dumpcap => Duration::from_millis(300),
        }
    }

    /// Returns the command that captures an interface to standard output.
    pub fn capturing(&self, interface: &str, filter: Option<&str>, buffer: u32, at_once: bool) -> Command {
        let mut command = self.command();
        match self.kind {
            Kind::Tcpdump => {
                command.args(["-i", interface, "-n", "-U"]);
                command.args(at_once.then_some("--immediate-mode"));
                let kib = (u64::from(buffer) << 10).to_string();
                command.args(["-s", SNAP, "-B", &kib, "-w", "-"]);
                command.args(filter.map(|filter| ["--", filter]).into_iter().flatten());
            }
            Kind::Dumpcap => {
                command.args(["-q", "-i", interface, "-B", &buffer.to_string(), "-w", "-"]);
                command.args(filter.map(|filter| ["-f", filter]).into_iter().flatten());
            }
        }
        command
    }

    /// Returns the command that lists the interfaces.
    pub fn listing(&self) -> Command {
        let mut command = self.command();
        command.arg("-D");
        command
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        // netkit reads its messages, which must be English.
        command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        platform::apart(&mut command);
        command
    }
}

/// Returns the programs to try, in order.
///
/// # Errors
/// Fails if there is none, or if the named one has an unknown command line.
pub fn all() -> anyhow::Result<Vec<Program>> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        let path = Path::new(&named);
        let found = if path.components().count() > 1 { Some(path.into()) } else { find(path.as_os_str()) };
        let shown = path.display();
        let Some(found) = found else { anyhow::bail!("{VARIABLE}: {shown}: there is no such program") };
        return match Program::new(found) {
            Some(program) => Ok(vec![program]),
            None => usage(format!("{VARIABLE}: {shown}: expected tcpdump or dumpcap, by their names")),
        };
    }
    let found: Vec<Program> =
        ["tcpdump", "dumpcap"].into_iter().filter_map(|name| find(OsStr::new(name))).filter_map(Program::new).collect();
    match found.is_empty() {
        true => anyhow::bail!("no capture program: neither tcpdump nor dumpcap was found: {}", platform::INSTALL),
        false => Ok(found),
    }
}

/// Searches for a program in `PATH`, and in the usual folders outside it.
pub fn find(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(platform::PROGRAMS.iter().map(PathBuf::from));
    let mut files = folders.map(|folder| folder.join(name).with_extension(std::env::consts::EXE_EXTENSION));
    files.find(|file| platform::executable(file))
}
