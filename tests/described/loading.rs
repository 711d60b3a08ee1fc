//! Where protocol files come from: the environment and the configuration folder.

use crate::cases::{lines, pcap, toml};
use crate::common::{self, Scratch};
use std::process::Output;

/// `netkit decode` with this environment alone.
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
        // By its name, too; and beside one that is given.
        assert_eq!(protos(&decode("enet", &[env], &["-p", "enet"])), ["enet"], "{env:?}");
        assert_eq!(protos(&decode("kcp", &[env], &["-p", &toml("kcp")])), ["kcp"], "{env:?}");
        // An empty list of files: none at all.
        assert_eq!(protos(&decode("enet", &[env, ("NETKIT_PROTOCOLS", "")], &[])), [""; 0], "{env:?}");
    }
    // An empty XDG_CONFIG_HOME is none.
    assert_eq!(protos(&decode("enet", &[("XDG_CONFIG_HOME", ""), ("HOME", &home)], &[])), ["enet"]);
    // One that is wrong is named, also where nobody asked for it.
    let wrong = folder.path().join("config/netkit/protocols/wrong.toml");
    std::fs::write(&wrong, "protocol = \"wrong\"\nprotcol = 1\n").unwrap();
    let done = decode("enet", &[("XDG_CONFIG_HOME", &config)], &[]);
    let why = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{why}");
    assert!(why.contains("wrong.toml: line 2: "), "{why}");
}

#[test]
fn the_environment_names_files() {
    let both = std::env::join_paths([toml("enet"), toml("kcp")]).unwrap();
    let both = both.to_str().unwrap();
    for (case, proto) in [("enet", "enet"), ("kcp", "kcp")] {
        assert_eq!(protos(&decode(case, &[("NETKIT_PROTOCOLS", both)], &[])), [proto]);
        assert_eq!(protos(&decode(case, &[("NETKIT_PROTOCOLS", both)], &["-p", proto])), [proto]);
    }
    // Two files of one protocol: which one is meant nobody knows.
    let folder = Scratch::new("described-twice");
    let other = folder.write("other.toml", std::fs::read(toml("enet")).unwrap());
    let done =
        decode("enet", &[("NETKIT_PROTOCOLS", both)], &["--protocol-file", &toml("enet"), "--protocol-file", &other]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("another file describes enet"));
}
