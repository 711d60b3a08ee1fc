//! Output files: never an input, never an existing one without `--force`, whole or not at all.
#![cfg(unix)]

use crate::common;
use crate::common::{Done, Scratch, ended, feed, fixture, signal, until};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

const LINE: &str = "{\"message\":\"riptide.heartbeat\",\"fields\":{\"ping_id\":3,\"rtt\":20}}\n";
const HEX: &str = "05031400\n";
/// A folder with `in.json`, `old` and a capture.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Scratch::new(&format!("outfile-{name}"));
        folder.write("in.json", LINE);
        folder.write("old", "old");
        std::fs::copy(fixture("riptide/riptide22-udp.pcap"), folder.file("in.pcap")).expect("copied");
        Folder(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn netkit(&self, args: &[&str]) -> Command {
        let mut command = common::netkit(args);
        command.current_dir(self.path());
        command
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        reported(feed(&mut self.netkit(args), b""))
    }

    fn shell(&self, line: &str) -> (Option<i32>, String, String) {
        let line = line.replace("netkit ", &format!("{} ", common::NETKIT));
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(self.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        reported(feed(&mut shell, b""))
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}")))
            .into_owned()
    }

    fn names(&self) -> Vec<String> {
        let all = std::fs::read_dir(self.path()).expect("a folder");
        let mut names: Vec<String> =
            all.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn reported(done: Done) -> (Option<i32>, String, String) {
    (done.status, done.text().into(), done.err)
}

#[test]
fn an_older_file_is_replaced_with_force_only() {
    let folder = Folder::new("force");
    let before = folder.names();
    let (status, _, err) = folder.run(&["encode", "--json", "in.json", "-o", "old"]);
    assert_eq!((status, err.as_str()), (Some(2), "netkit: -o old: exists: --force replaces it\n"));
    assert_eq!(folder.read("old"), "old");
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "old", "--force"]), (Some(0), "".into(), "".into()));
    assert_eq!(folder.read("old"), HEX);
    assert_eq!(folder.names(), before, "no litter");
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "new"]).0, Some(0));
    assert_eq!(folder.read("new"), HEX);
    // The file is refused before anything is played, probed or recorded: no server listens there, and no time is lost.
    for args in [
        &["replay", "in.pcap", "--flow", "2", "--to", "127.0.0.1:9", "--pcap", "old"][..],
        &["probe", "127.0.0.1:9", "-p", "riptide", "--pcap", "old"],
    ] {
        let (status, out, err) = folder.run(args);
        assert_eq!(
            (status, out.as_str(), err.as_str()),
            (Some(2), "", "netkit: --pcap old: exists: --force replaces it\n")
        );
        assert_eq!(folder.read("old"), HEX);
    }
    let (status, ..) = folder.run(&["probe", "127.0.0.1:9", "-p", "riptide", "-W", "0.1", "--pcap", "old", "--force"]);
    assert_eq!(status, Some(1));
    assert!(folder.read("old").len() > HEX.len());
    // A dry run records nothing.
    assert_eq!(folder.run(&["replay", "in.pcap", "--flow", "2", "--dry-run", "--pcap", "dry"]).0, Some(0));
    assert!(!folder.names().contains(&"dry".to_string()));
}

/// A folder that does not exist is reported before the input is read.
#[test]
fn the_folder_of_an_output_exists() {
    let folder = Folder::new("nowhere");
    for args in [
        &["report", "none.pcap", "-o", "nowhere/page.html"][..],
        &["decode", "none.pcap", "-w", "nowhere/cut.pcap"],
        &["encode", "--json", "none.json", "-o", "nowhere/hex"],
    ] {
        let (status, out, err) = folder.run(args);
        assert_eq!((status, out.as_str()), (Some(3), ""), "{err}");
        assert!(err.contains("there is no folder ") && err.ends_with("nowhere\n"), "{err}");
    }
}

/// The URL of a store is not a folder: nothing is read or made under it.
#[test]
fn urls_are_no_files() {
    let folder = Folder::new("url");
    let before = folder.names();
    let upload = "write a local file, and upload it";
    let pipe = "download it, or pipe it: aws s3 cp URL - | netkit decode -";
    for (line, shown, what) in [
        ("decode in.pcap -f pcapng -o s3://bucket/out", "-o s3://bucket/out", upload),
        ("stats in.pcap -f parquet -o gs://bucket/out", "-o gs://bucket/out", upload),
        ("decode in.pcap -w s3a://bucket/out", "-w s3a://bucket/out", upload),
        ("report in.pcap -o https://host/page", "-o https://host/page", upload),
        ("encode --json in.json -o s3://bucket/out", "-o s3://bucket/out", upload),
        ("replay in.pcap --listen 127.0.0.1:0 --pcap s3://a", "--pcap s3://a", upload),
        ("probe 127.0.0.1:9 --textfile s3://a", "--textfile s3://a", upload),
        ("decode s3://bucket/in.pcap", "s3://bucket/in.pcap", pipe),
        ("https://host/in.pcap", "https://host/in.pcap", pipe),
        ("diff in.pcap hdfs://host/in.pcap", "hdfs://host/in.pcap", pipe),
        ("encode --json s3://bucket/in.json", "--json s3://bucket/in.json", pipe),
        ("decode in.pcap --schema http://host/s.toml", "--schema http://host/s.toml", pipe),
    ] {
        let (status, out, err) = folder.run(&line.split(' ').collect::<Vec<_>>());
        let expected = format!("netkit: {shown}: is a URL, expected a local file: {what}\n");
        assert_eq!((status, out.as_str(), err.as_str()), (Some(2), "", expected.as_str()), "{line}");
        assert_eq!(folder.names(), before, "{line}");
    }
    // Names that only look similar are files.
    for name in ["3://x", "a b://x", "./s3://x"] {
        assert_eq!(folder.run(&["decode", name]).0, Some(3), "{name}");
    }
}

#[test]
fn an_input_is_never_the_output() {
    let folder = Folder::new("input");
    symlink("in.json", folder.path().join("link.json")).expect("a link");
    std::fs::hard_link(folder.path().join("in.json"), folder.path().join("hard.json")).expect("a link");
    symlink("in.pcap", folder.path().join("link.pcap")).expect("a link");
    let (json, pcap) = (folder.read("in.json"), folder.read("in.pcap"));
    let refused = |args: &[&str]| {
        for force in [&[][..], &["--force"]] {
            let (status, out, err) = folder.run(&[args, force].concat());
            assert_eq!((status, out.as_str()), (Some(2), ""), "{args:?}: {err}");
            assert!(err.contains(": is also the input ") && err.lines().count() == 1, "{err}");
        }
    };
    for (input, output) in [
        ("in.json", "in.json"),
        ("in.json", "./in.json"),
        ("in.json", "link.json"),
        ("link.json", "in.json"),
        ("in.json", "hard.json"),
        ("hard.json", "link.json"),
    ] {
        refused(&["encode", "--json", input, "-o", output]);
    }
    for output in ["in.pcap", "link.pcap"] {
        refused(&["replay", "in.pcap", "--flow", "2", "--to", "127.0.0.1:9", "--pcap", output]);
    }
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schemas/riptide.toml");
    std::fs::copy(schema, folder.path().join("game.toml")).expect("copied");
    refused(&["encode", "--json", "in.json", "--schema", "game.toml", "-o", "game.toml"]);
    // Files of protocols, and those that a pattern names.
    std::fs::copy(fixture("protocols/a2s.toml"), folder.path().join("a2s.toml")).expect("copied");
    for option in ["-p", "--protocol-file"] {
        refused(&["report", "in.pcap", option, "a2s.toml", "-o", "a2s.toml"]);
    }
    for name in ["ring_0.pcap", "ring_1.pcap"] {
        std::fs::copy(fixture("riptide/riptide22-udp.pcap"), folder.path().join(name)).expect("copied");
    }
    refused(&["report", "--join", "ring_*.pcap", "-o", "ring_1.pcap"]);
    std::fs::write(folder.path().join("servers"), "127.0.0.1:9\n").expect("written");
    refused(&["probe", "--targets", "servers", "-p", "riptide", "--pcap", "servers"]);
    // stdin may be a file, too, by the shell; and so may stdout, which would grow without end.
    for line in [
        "netkit encode --json - -o hard.json --force < in.json",
        "netkit encode --json in.json >> hard.json",
        "netkit encode --json - >> hard.json < in.json",
        "netkit decode in.pcap >> link.pcap",
        "netkit stats in.pcap >> in.pcap",
    ] {
        let (status, _, err) = folder.shell(line);
        assert_eq!(status, Some(2), "{line}: {err}");
    }
    assert_eq!((folder.read("in.json"), folder.read("in.pcap")), (json, pcap));
    assert_eq!(folder.shell("netkit encode --json - < in.json > new; cat new").1, HEX);
}

#[test]
fn links_lead_to_what_is_written() {
    let folder = Folder::new("links");
    std::fs::create_dir(folder.path().join("far")).expect("a folder");
    symlink("far/new", folder.path().join("to-new")).expect("a link");
    symlink("to-old-2", folder.path().join("to-old")).expect("a link");
    symlink("old", folder.path().join("to-old-2")).expect("a link");
    symlink("circle", folder.path().join("circle")).expect("a link");
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "to-new"]).0, Some(0));
    assert_eq!(folder.read("far/new"), HEX);
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "to-old"]).0, Some(2));
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "to-old", "--force"]).0, Some(0));
    assert_eq!(folder.read("old"), HEX);
    for link in ["to-new", "to-old", "to-old-2"] {
        assert!(folder.path().join(link).is_symlink(), "{link}");
    }
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "circle"]).0, Some(3));
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "far"]).0, Some(2));
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "nowhere/at"]).0, Some(3));
}

#[test]
fn pipes_and_devices_are_written_to() {
    let folder = Folder::new("pipes");
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "/dev/null"]), (Some(0), "".into(), "".into()));
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "/dev/stdout"]), (Some(0), HEX.into(), "".into()));
    assert_eq!(folder.run(&["encode", "--json", "in.json", "-o", "-"]), (Some(0), HEX.into(), "".into()));
    let (status, out, _) = folder.shell("netkit decode in.pcap -w - | cmp - in.pcap");
    assert_eq!((status, out.as_str()), (Some(0), ""));
    assert!(!folder.names().contains(&"-".to_owned()));
    // The report and the recording would be mixed.
    let (status, out, err) = folder.run(&["probe", "127.0.0.1:1", "--pcap", "-"]);
    assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
    let (status, out, err) = folder.run(&["decode", "-i", "lo", "-w", "-"]);
    assert_eq!((status, out.as_str(), err.contains("stdout has the messages")), (Some(2), "", true), "{err}");
    let (status, out, _) =
        folder.shell("mkfifo pipe; cat pipe & netkit encode --json in.json -o pipe; wait; test -p pipe");
    assert_eq!((status, out.as_str()), (Some(0), HEX));
    let (status, out, _) = folder.shell("netkit encode --json in.json -o /dev/stdout > made; cat made");
    assert_eq!((status, out.as_str()), (Some(0), HEX));
}

/// The error of a full disk has the name of what is written, once.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let folder = Folder::new("full");
    for (line, place) in [
        ("netkit stats in.pcap > /dev/full", "stdout"),
        ("netkit decode in.pcap -f ndjson > /dev/full", "stdout"),
        ("netkit encode --json in.json > /dev/full", "stdout"),
        ("netkit decode in.pcap -q -w /dev/full", "/dev/full"),
        ("netkit encode --json in.json --as pcap -o /dev/full", "/dev/full"),
    ] {
        let (status, _, err) = folder.shell(line);
        assert_eq!(status, Some(3), "{line}: {err}");
        assert!(err.starts_with(&format!("netkit: {place}: No space left")), "{line}: {err}");
    }
}

#[test]
fn permissions_are_the_users_own() {
    let folder = Folder::new("mode");
    std::fs::set_permissions(folder.path().join("old"), PermissionsExt::from_mode(0o600)).expect("a mode");
    assert_eq!(folder.shell("umask 027; netkit encode --json in.json -o new").0, Some(0));
    assert_eq!(folder.shell("umask 002; netkit encode --json in.json -o old --force").0, Some(0));
    let mode = |name: &str| std::fs::metadata(folder.path().join(name)).expect("it").mode() & 0o777;
    assert_eq!((mode("new"), mode("old")), (0o640, 0o664));
}

/// An error in the middle, a signal, a second signal: the old file stays, and no other file is left.
#[test]
fn what_stops_leaves_the_old_file() {
    let folder = Folder::new("stop");
    std::fs::write(folder.path().join("bad.json"), format!("{}{{\"message\":\"nosuch\"}}\n", LINE.repeat(9000)))
        .expect("written");
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("mkfifo").success());
    let before = folder.names();
    for to in ["hex", "pcap"] {
        let (status, _, err) = folder.run(&["encode", "--json", "bad.json", "-o", "old", "--to", to, "--force"]);
        assert!(status == Some(3) && err.contains("line 9001"), "{err}");
        assert_eq!((folder.read("old").as_str(), folder.names()), ("old", before.clone()));
    }
    for (names, want) in [(&["-INT"][..], 130), (&["-TERM"], 143), (&["-HUP"], 129)] {
        for output in ["old", "new"] {
            let mut child =
                folder.netkit(&["encode", "--json", "pipe", "-o", output, "--force"]).spawn().expect("netkit");
            let mut pipe = std::fs::OpenOptions::new().write(true).open(folder.path().join("pipe")).expect("a pipe");
            pipe.write_all(LINE.repeat(9000).as_bytes()).expect("written");
            until("the output is begun", || folder.names().len() > before.len());
            names.iter().for_each(|name| signal(&child, name));
            let status = ended(&mut child);
            let (_, _, err) = reported(common::finish(child));
            assert_eq!(status.code(), Some(want), "{names:?}: {err}");
            assert!(err.contains("netkit: stopped after "), "{err}");
            assert_eq!((folder.read("old").as_str(), folder.names()), ("old", before.clone()), "{names:?} {output}");
        }
    }
}

/// A recording that is stopped is complete; the file that it would replace with `--force` stays.
#[test]
fn recordings_that_are_stopped() {
    let folder = Folder::new("record");
    let before = folder.names();
    for (output, force) in [("new", &[][..]), ("old", &["--force"])] {
        let args = ["replay", "in.pcap", "--flow", "2", "--listen", "127.0.0.1:0", "--pcap", output];
        let mut child = folder.netkit(&[&args[..], force].concat()).spawn().expect("netkit");
        // The file is created before a client connects.
        let mut reported = String::new();
        let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
        err.read_line(&mut reported).expect("a line");
        assert!(reported.contains("listening"), "{reported}");
        assert_eq!(folder.names().len(), before.len() + 1 + (force.len()), "it is written beside");
        signal(&child, "-TERM");
        assert_eq!(ended(&mut child).code(), Some(143));
    }
    assert_eq!(folder.read("old"), "old");
    assert_eq!(folder.names().len(), before.len() + 1);
    assert!(std::fs::read(folder.path().join("new")).expect("it").len() >= 24);
}
