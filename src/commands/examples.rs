//! `netkit fields --examples`: the built-in files that describe protocols.

use super::usage::usage;
use netkit::nearest::{hint, nearest};
use std::fmt::Write as _;
use std::io::{self, Write as _};

/// The names and texts of the files.
const FILES: [(&str, &str); 15] = [
    ("a2s", include_str!("../../fixtures/protocols/a2s.toml")),
    ("coap", include_str!("../../fixtures/protocols/coap.toml")),
    ("dht", include_str!("../../fixtures/protocols/dht.toml")),
    ("dns", include_str!("../../fixtures/protocols/dns.toml")),
    ("enet", include_str!("../../fixtures/protocols/enet.toml")),
    ("io", include_str!("../../fixtures/protocols/io.toml")),
    ("kcp", include_str!("../../fixtures/protocols/kcp.toml")),
    ("laminar", include_str!("../../fixtures/protocols/laminar.toml")),
    ("luanti", include_str!("../../fixtures/protocols/luanti.toml")),
    ("minecraft", include_str!("../../fixtures/protocols/minecraft.toml")),
    ("mqtt", include_str!("../../fixtures/protocols/mqtt.toml")),
    ("ntp", include_str!("../../fixtures/protocols/ntp.toml")),
    ("quake3", include_str!("../../fixtures/protocols/quake3.toml")),
    ("raknet", include_str!("../../fixtures/protocols/raknet.toml")),
    ("stun", include_str!("../../fixtures/protocols/stun.toml")),
];

/// Lists the files with a line each, or prints one unchanged.
pub fn run(name: Option<&str>) -> anyhow::Result<u8> {
    let Some(name) = name else {
        let mut page = String::new();
        for (name, text) in FILES {
            let _ = writeln!(page, "{name:10} {}", about(text));
        }
        page += "\n`netkit fields --examples NAME > NAME.toml` writes one; `netkit help protocol-files` has the language.\n";
        io::stdout().write_all(page.as_bytes())?;
        return Ok(0);
    };
    let wanted = name.strip_suffix(".toml").unwrap_or(name);
    let Some((_, text)) = FILES.iter().find(|(name, _)| *name == wanted) else {
        let names = FILES.map(|(name, _)| name);
        let near = hint(nearest(wanted, names));
        return usage(format!("no example {name:?}{near}; there are {}", names.join(", ")));
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

/// Returns the description of a file: its `doc`, or the comment at its beginning.
fn about(text: &str) -> &str {
    let doc = text.lines().find_map(|line| line.strip_prefix("doc")?.trim_start().strip_prefix('='));
    let comment = || text.lines().next().map(|line| line.trim_start_matches('#'));
    doc.or_else(comment).unwrap_or("").trim().trim_matches('"')
}
