//! `netkit fields --examples`: the built-in files that describe protocols.

use super::usage::usage;
use crate::nearest::{hint, nearest};
use crate::plural::Plural;
use crate::printable::Printable;
use crate::protocols::described::described;
use anyhow::Context;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// The names and texts of the files.
const FILES: [(&str, &str); 25] = [
    ("a2s", include_str!("../../fixtures/protocols/a2s.toml")),
    ("coap", include_str!("../../fixtures/protocols/coap.toml")),
    ("dht", include_str!("../../fixtures/protocols/dht.toml")),
    ("dns", include_str!("../../fixtures/protocols/dns.toml")),
    ("dtls", include_str!("../../fixtures/protocols/dtls.toml")),
    ("enet", include_str!("../../fixtures/protocols/enet.toml")),
    ("enet-game", include_str!("../../fixtures/protocols/enet-game.toml")),
    ("io", include_str!("../../fixtures/protocols/io.toml")),
    ("irc", include_str!("../../fixtures/protocols/irc.toml")),
    ("kcp", include_str!("../../fixtures/protocols/kcp.toml")),
    ("laminar", include_str!("../../fixtures/protocols/laminar.toml")),
    ("luanti", include_str!("../../fixtures/protocols/luanti.toml")),
    ("minecraft", include_str!("../../fixtures/protocols/minecraft.toml")),
    ("mqtt", include_str!("../../fixtures/protocols/mqtt.toml")),
    ("msgpack-rpc", include_str!("../../fixtures/protocols/msgpack-rpc.toml")),
    ("nbt", include_str!("../../fixtures/protocols/nbt.toml")),
    ("ntp", include_str!("../../fixtures/protocols/ntp.toml")),
    ("protobuf-game", include_str!("../../fixtures/protocols/protobuf-game.toml")),
    ("quake3", include_str!("../../fixtures/protocols/quake3.toml")),
    ("raknet", include_str!("../../fixtures/protocols/raknet.toml")),
    ("resp", include_str!("../../fixtures/protocols/resp.toml")),
    ("riptide-game", include_str!("../../fixtures/protocols/riptide-game.toml")),
    ("rtcp", include_str!("../../fixtures/protocols/rtcp.toml")),
    ("rtp", include_str!("../../fixtures/protocols/rtp.toml")),
    ("stun", include_str!("../../fixtures/protocols/stun.toml")),
];

/// The files of the page `your-protocol`, by their places.
const TUTORIAL: [(&str, &[u8]); 5] = [
    ("fixtures/described/tutorial/1.toml", include_bytes!("../../fixtures/described/tutorial/1.toml")),
    ("fixtures/described/tutorial/2.toml", include_bytes!("../../fixtures/described/tutorial/2.toml")),
    ("fixtures/described/tutorial/3.toml", include_bytes!("../../fixtures/described/tutorial/3.toml")),
    ("fixtures/described/tutorial/mygame.pcap", include_bytes!("../../fixtures/described/tutorial/mygame.pcap")),
    ("fixtures/described/kcp.pcap", include_bytes!("../../fixtures/described/kcp.pcap")),
];

/// Writes all files into a folder, in the places that the pages name. Files that are there are kept.
fn write(folder: &Path) -> anyhow::Result<u8> {
    let protocols = FILES.map(|(name, text)| (format!("fixtures/protocols/{name}.toml"), text.as_bytes()));
    let tutorial = TUTORIAL.map(|(name, bytes)| (name.to_owned(), bytes));
    let mut written = 0;
    for (name, bytes) in protocols.into_iter().chain(tutorial) {
        let path = folder.join(name);
        let failed = || path.display().to_string();
        fs::create_dir_all(path.parent().unwrap_or(folder)).with_context(failed)?;
        match fs::File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(bytes).with_context(failed)?;
                written += 1;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(failed),
        }
    }
    let folder = folder.display();
    let _ = writeln!(io::stderr(), "netkit: {} written to {}", Plural(written, "file"), Printable(folder));
    Ok(0)
}

/// Lists the files with a line each, prints one unchanged, or writes all into a folder.
pub fn run(name: Option<&str>) -> anyhow::Result<u8> {
    let Some(name) = name else {
        let mut page = String::new();
        for (name, text) in FILES {
            let _ = writeln!(page, "{name:10} {}", about(text));
        }
        page += "\n`netkit fields --examples NAME > NAME.toml` writes one; `netkit help protocol-files` has the language.\n";
        page += "`netkit fields --examples DIR/` writes all, and those of `netkit help your-protocol`.\n";
        io::stdout().write_all(page.as_bytes())?;
        return Ok(0);
    };
    if name.ends_with(['/', std::path::MAIN_SEPARATOR]) {
        return write(Path::new(name));
    }
    let wanted = name.strip_suffix(".toml").unwrap_or(name);
    let Some((_, text)) = FILES.iter().find(|(name, _)| *name == wanted) else {
        let names = FILES.map(|(name, _)| name);
        let near = hint(nearest(wanted, names));
        return usage(format!("no example {name:?}{near}; there are {}", names.join(", ")));
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

/// The file that describes a protocol: its name and its text.
pub fn describing(protocol: &str) -> Option<(&'static str, &'static str)> {
    FILES.into_iter().find(|(_, text)| described(text).as_deref() == Some(protocol))
}

/// Returns the description of a file: its `doc`, or the comment at its beginning.
fn about(text: &str) -> &str {
    let doc = text.lines().find_map(|line| line.strip_prefix("doc")?.trim_start().strip_prefix('='));
    let comment = || text.lines().next().map(|line| line.trim_start_matches('#'));
    doc.or_else(comment).unwrap_or("").trim().trim_matches('"')
}
