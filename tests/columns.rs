//! `decode -f parquet`: the folder appears whole or not at all; a build without the feature reports that. `tests/fleet`
//! checks the values: it reads the files with DuckDB, Polars and Spark.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Output};

mod common;

const CAPTURE: &str = "fixtures/riptide/riptide22-lossy.pcap";

fn decode(folder: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
    command.args(["decode", CAPTURE, "-f", "parquet", "-o"]).arg(folder).args(more).output().unwrap()
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_it_is_reported() {
    let output = decode(Path::new("nowhere"), &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("built without parquet") && text.contains("--features parquet"), "{text}");
}

#[cfg(feature = "parquet")]
mod with {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A folder for this test, which does not exist yet.
    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("netkit-columns-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_file_for_each_message() {
        let folder = folder("each").join("below");
        let output = decode(&folder, &[]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
        let names = names(&folder);
        assert!(names.contains(&"riptide.heartbeat.parquet".into()), "{names:?}");
        for name in &names {
            let bytes = fs::read(folder.join(name)).unwrap();
            assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name}");
        }
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }

    /// The columns of the headers around messages are those of the protocol file.
    #[test]
    fn headers_have_columns() {
        let folder = folder("headers");
        let more = ["-q", "-p", "fixtures/protocols/enet.toml", "-f", "parquet", "-o"];
        let mut command = common::netkit(&["decode", "fixtures/described/enet.pcap"]);
        assert_eq!(command.args(more).arg(&folder).status().unwrap().code(), Some(0));
        assert!(names(&folder).contains(&"enet.connect.parquet".into()));
        let file = fs::read(folder.join("enet.connect.parquet")).unwrap();
        for name in ["packet", "peer_id", "sent_time"] {
            assert!(file.windows(name.len()).any(|bytes| bytes == name.as_bytes()), "{name}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_there_is_replaced_only_by_force() {
        // In a folder that no other test uses.
        let parent = folder("force");
        let folder = parent.join("files");
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(decode(&folder, &[]).status.code(), Some(0), "an empty folder");
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        fs::write(folder.join("gone.parquet"), "of another run").unwrap();
        let before = names(&folder);
        let output = decode(&folder, &[]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("is not empty: --force"), "{output:?}");
        assert_eq!(names(&folder), before);
        assert_eq!(decode(&folder, &["--force", "-F", "message == heartbeat"]).status.code(), Some(0));
        assert_eq!(names(&folder), ["notes.txt", "riptide.heartbeat.parquet"]);
        assert_eq!(names(&parent), ["files"], "nothing is left beside it");
        fs::remove_dir_all(&parent).unwrap();
    }

    #[test]
    fn a_file_is_no_folder() {
        let output = decode(Path::new("Cargo.toml"), &["--force"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("is a file"), "{output:?}");
        let missing = Command::new(env!("CARGO_BIN_EXE_netkit")).args(["decode", CAPTURE, "-f", "parquet"]).output();
        assert_eq!(missing.unwrap().status.code(), Some(2));
    }

    #[test]
    fn what_only_later_messages_show_is_refused() {
        let folder = folder("link");
        for more in [&["--link"][..], &["--expect", "has unanswered"], &["--columns", "frame"]] {
            let output = decode(&folder, more);
            assert_eq!(output.status.code(), Some(2), "{more:?}: {output:?}");
            assert!(!folder.exists());
        }
        assert_ne!(decode(&folder, &["-F", "has unanswered"]).status.code(), Some(0));
        assert!(!folder.exists());
    }

    /// A stopped run leaves neither files nor a folder.
    #[cfg(unix)]
    #[test]
    fn a_stop_leaves_nothing() {
        let folder = folder("stop");
        let mut child = Command::new(env!("CARGO_BIN_EXE_netkit"))
            .args(["decode", "-", "-f", "parquet", "-o"])
            .arg(&folder)
            .stdin(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, &fs::read(CAPTURE).unwrap()).unwrap();
        let parent = folder.parent().unwrap();
        let ours = format!(".netkit-{}-", child.id());
        let begun = || names(parent).iter().any(|n| n.starts_with(&ours));
        while !begun() {
            std::thread::yield_now();
        }
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        let output = child.wait_with_output().unwrap();
        // Only now: the end of the input, read before the signal, would end the run as a whole one.
        drop(stdin);
        assert_eq!(output.status.code(), Some(143), "{output:?}");
        assert!(!folder.exists() && !begun(), "{output:?}");
    }
}
