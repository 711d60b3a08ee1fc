//! The places of protocol files: the environment and the configuration folder.

use crate::common::{self, Scratch};
use crate::described::cases::{lines, pcap, toml};
use crate::described::run;
use std::process::Output;

/// Runs `netkit decode` with this environment alone.
fn decode(capture: &str, env: &[(&str, &str)], more: &[&str]) -> Output {
    let capture = pcap(capture);
    let mut command = common::netkit(&[&["decode", &capture, "-f", "ndjson"], more].concat());
    for name in ["NETKIT_PROTOCOLS", "XDG_CONFIG_HOME", "HOME"] {
        command.env_remove(name);
    }
    command.envs(env.iter().copied()).output().expect("the program")
}

/// The protocols of all lines.
fn protos(done: &Output) -> Vec<String> {
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let mut all: Vec<String> = lines(&String::from_utf8_lossy(&done.stdout))
        .iter()
        .map(|line| line["proto"].as_str().unwrap_or_default().to_owned())
        .collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn files_of_the_configuration_folder_are_loaded_by_themselves() {
    let folder = Scratch::new("described-config");
    for place in ["config/netkit/protocols", "home/.config/netkit/protocols"] {
        let place = folder.path().join(place);
        std::fs::create_dir_all(&place).unwrap();
        std::fs::copy(toml("enet"), place.join("enet.toml")).unwrap();
        std::fs::write(place.join("notes.txt"), "no protocol").unwrap();
    }
    let (config, home) = (folder.file("config"), folder.file("home"));
    for env in [("XDG_CONFIG_HOME", config.as_str()), ("HOME", home.as_str())] {
        assert_eq!(protos(&decode("enet", &[env], &[])), ["enet"], "{env:?}");
        // Also by its name, and together with a file on the command line.
        assert_eq!(protos(&decode("enet", &[env], &["-p", "enet"])), ["enet"], "{env:?}");
        assert_eq!(protos(&decode("kcp", &[env], &["-p", &toml("kcp")])), ["kcp"], "{env:?}");
        // An empty list means no files.
        assert_eq!(protos(&decode("enet", &[env, ("NETKIT_PROTOCOLS", "")], &[])), [""; 0], "{env:?}");
    }
    // An empty XDG_CONFIG_HOME counts as unset.
    assert_eq!(protos(&decode("enet", &[("XDG_CONFIG_HOME", ""), ("HOME", &home)], &[])), ["enet"]);
    // A wrong file is reported with its place, also with -q, and skipped: everything else works.
    let wrong = folder.path().join("config/netkit/protocols/wrong.toml");
    std::fs::write(&wrong, "protocol = \"wrong\"\nprotcol = 1\n").unwrap();
    for more in [&[][..], &["-q"]] {
        let done = decode("enet", &[("XDG_CONFIG_HOME", &config)], more);
        let why = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(why.contains("wrong.toml: line 2: ") && why.contains("the file is left out"), "{why}");
        assert_eq!(why.matches("wrong.toml").count(), 1, "{why}");
        assert_eq!(protos(&done), ["enet"]);
    }
    // `-p` with its name fails, because the protocol does not exist.
    let done = decode("enet", &[("XDG_CONFIG_HOME", &config)], &["-p", "wrong"]);
    assert_eq!(done.status.code(), Some(2));
    // Files that are not read are not reported.
    let done = decode("enet", &[("XDG_CONFIG_HOME", &config), ("NETKIT_PROTOCOLS", "")], &["-v"]);
    assert!(!String::from_utf8_lossy(&done.stderr).contains(".toml"));
}

#[test]
fn files_of_the_configuration_folder_are_named_under_v() {
    let folder = Scratch::new("described-named");
    let place = folder.path().join("netkit/protocols");
    std::fs::create_dir_all(&place).unwrap();
    for name in ["enet", "kcp"] {
        std::fs::copy(toml(name), place.join(format!("{name}.toml"))).unwrap();
    }
    // A second file of the same protocol is skipped.
    std::fs::copy(toml("kcp"), place.join("other.toml")).unwrap();
    let config = folder.path().display().to_string();
    let report = |more: &[&str]| {
        let done = decode("enet", &[("XDG_CONFIG_HOME", &config)], more);
        assert_eq!(done.status.code(), Some(0));
        let err = String::from_utf8(done.stderr).unwrap();
        err.lines().filter(|line| line.contains(".toml")).map(String::from).collect::<Vec<_>>()
    };
    let line = |file: &str, what: &str| format!("netkit: {}: {what}", place.join(file).display());
    assert_eq!(
        report(&["-v"]),
        [
            line("enet.toml", "loaded for enet"),
            line("kcp.toml", "loaded for kcp"),
            line("other.toml", "left out: another file describes kcp"),
        ]
    );
    assert_eq!(report(&[]), [""; 0]);
    // A file on the command line takes precedence.
    let given = toml("enet");
    let lines = report(&["-v", "--protocol-file", &given]);
    assert_eq!(lines[0], line("enet.toml", "left out: another file describes enet"));
    // A command that reads the capture twice reports them once.
    assert_eq!(report(&["-v", "--link"]).len(), 3);
}

#[test]
fn the_examples_are_built_in() {
    let print = |args: &[&str]| crate::described::run(&[&["fields", "--examples"], args].concat());
    let list = String::from_utf8(print(&[]).stdout).unwrap();
    let files = common::entries(&common::fixture("protocols"));
    assert!(files.len() >= 8);
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let line = list.lines().find(|line| line.split_whitespace().next() == Some(name));
        assert!(line.is_some_and(|line| line.split_whitespace().count() > 2), "{name}: {list}");
        // The file's text, byte for byte, by either name.
        for name in [name, &format!("{name}.toml")] {
            let done = print(&[name]);
            assert_eq!((done.status.code(), &done.stdout), (Some(0), &std::fs::read(&file).unwrap()), "{name}");
        }
    }
    let done = print(&["ent"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("did you mean \"enet\"?"));
    assert_eq!(print(&["-f", "json"]).status.code(), Some(2));
}

/// An empty variable, or an empty place in its list, names no file.
#[test]
fn empty_places_of_lists_name_no_file() {
    let commands = [
        &["decode", "fixtures/riptide/riptide20-udp.pcap", "-c", "1"][..],
        &["wireshark", "print"],
        &["fields", "riptide"],
    ];
    for args in commands {
        for (name, value) in
            [("NETKIT_SCHEMA", ""), ("NETKIT_SCHEMA", ":"), ("NETKIT_PROTOCOLS", ""), ("NETKIT_PROTOCOLS", ":")]
        {
            let done = crate::common::netkit(args).env(name, value).output().unwrap();
            let err = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.code(), Some(0), "{name}={value} {args:?}: {err}");
        }
    }
}

#[test]
fn the_environment_names_files() {
    let both = std::env::join_paths([toml("enet"), toml("kcp")]).unwrap();
    let both = both.to_str().unwrap();
    for (case, proto) in [("enet", "enet"), ("kcp", "kcp")] {
        assert_eq!(protos(&decode(case, &[("NETKIT_PROTOCOLS", both)], &[])), [proto]);
        assert_eq!(protos(&decode(case, &[("NETKIT_PROTOCOLS", both)], &["-p", proto])), [proto]);
    }
    // Two files of one protocol: the name is ambiguous.
    let folder = Scratch::new("described-twice");
    let other = folder.write("other.toml", std::fs::read(toml("enet")).unwrap());
    let done =
        decode("enet", &[("NETKIT_PROTOCOLS", both)], &["--protocol-file", &toml("enet"), "--protocol-file", &other]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("another file describes enet"));
}

#[test]
fn fields_shows_how_well_a_file_is_recognised() {
    let folder = Scratch::new("described-recognised");
    let poor = "protocol = \"poor\"\n[[message]]\nname = \"any\"\nany = true\n[message.fields]\nrest = \"bytes\"\n";
    let poor = folder.write("poor.toml", poor);
    for (file, name, few) in [(&poor[..], "poor", true), ("fixtures/protocols/enet.toml", "enet", false)] {
        let report = run(&["fields", name, "--protocol-file", file]);
        let text = String::from_utf8(report.stdout).expect("text");
        assert!(text.contains("Recognition\n  a packet rules out at most "), "{text}");
        assert_eq!(text.contains("these are few"), few, "{text}");
    }
}
