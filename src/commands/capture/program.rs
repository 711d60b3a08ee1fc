//! The programs that capture for netkit. They have the right to, or can be given it alone, so that
//! netkit, which reads what strangers send, needs none.
//!
//! tcpdump gives each frame out at once where that is wanted (`-U --immediate-mode`: 0.2 ms). dumpcap, of all versions up to
//! 4.4, hands frames on in blocks, up to 250 ms after the first of them. So tcpdump is asked first, and
//! dumpcap where there is no tcpdump, or one that may not capture.

use crate::commands::usage::Usage;
use crate::platform;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Names a program instead of those that are found.
const VARIABLE: &str = "NETKIT_CAPTURE";

/// The most bytes of a frame that are captured: the largest IP packet, in any link's headers. tcpdump's
/// buffer has room for fewer frames, the longer they may be.
const SNAP: &str = "65600";

/// Which command line it has.
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
    /// Where it is.
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

    /// What it is called in messages.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Tcpdump => "tcpdump",
            Kind::Dumpcap => "dumpcap",
        }
    }

    /// How long it may hold a frame back, and drops it when it is told to end.
    pub fn holds_back(&self) -> Duration {
        match self.kind {
            Kind::Tcpdump => Duration::ZERO,
            Kind::Dumpcap => Duration::from_millis(300),
        }
    }

    /// Captures an interface to its standard output.
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

    /// Lists the interfaces.
    pub fn listing(&self) -> Command {
        let mut command = self.command();
        command.arg("-D");
        command
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        // Its words are read.
        command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        platform::apart(&mut command);
        command
    }
}

/// The programs to be tried, in order.
///
/// # Errors
/// There is none, or another one is named than netkit can drive.
pub fn all() -> anyhow::Result<Vec<Program>> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        let path = Path::new(&named);
        let found = if path.components().count() > 1 { Some(path.into()) } else { find(path.as_os_str()) };
        let shown = path.display();
        let Some(found) = found else { anyhow::bail!("{VARIABLE}: {shown}: there is no such program") };
        return match Program::new(found) {
            Some(program) => Ok(vec![program]),
            None => Err(Usage(format!("{VARIABLE}: {shown}: expected tcpdump or dumpcap, by their names")).into()),
        };
    }
    let found: Vec<Program> =
        ["tcpdump", "dumpcap"].into_iter().filter_map(|name| find(OsStr::new(name))).filter_map(Program::new).collect();
    match found.is_empty() {
        true => anyhow::bail!("no program that captures: neither tcpdump nor dumpcap is there: {}", platform::INSTALL),
        false => Ok(found),
    }
}

/// Looks for a program in `PATH`, and where such programs are that have no place in it.
pub fn find(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(platform::PROGRAMS.iter().map(PathBuf::from));
    let mut files = folders.map(|folder| folder.join(name).with_extension(std::env::consts::EXE_EXTENSION));
    files.find(|file| platform::executable(file))
}
