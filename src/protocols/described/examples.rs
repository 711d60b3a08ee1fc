//! The built-in files that describe protocols.

use super::described;

/// The names and texts of the files.
pub(crate) const FILES: [(&str, &str); 25] = [
    ("a2s", include_str!("../../../fixtures/protocols/a2s.toml")),
    ("coap", include_str!("../../../fixtures/protocols/coap.toml")),
    ("dht", include_str!("../../../fixtures/protocols/dht.toml")),
    ("dns", include_str!("../../../fixtures/protocols/dns.toml")),
    ("dtls", include_str!("../../../fixtures/protocols/dtls.toml")),
    ("enet", include_str!("../../../fixtures/protocols/enet.toml")),
    ("enet-game", include_str!("../../../fixtures/protocols/enet-game.toml")),
    ("io", include_str!("../../../fixtures/protocols/io.toml")),
    ("irc", include_str!("../../../fixtures/protocols/irc.toml")),
    ("kcp", include_str!("../../../fixtures/protocols/kcp.toml")),
    ("laminar", include_str!("../../../fixtures/protocols/laminar.toml")),
    ("luanti", include_str!("../../../fixtures/protocols/luanti.toml")),
    ("minecraft", include_str!("../../../fixtures/protocols/minecraft.toml")),
    ("mqtt", include_str!("../../../fixtures/protocols/mqtt.toml")),
    ("msgpack-rpc", include_str!("../../../fixtures/protocols/msgpack-rpc.toml")),
    ("nbt", include_str!("../../../fixtures/protocols/nbt.toml")),
    ("ntp", include_str!("../../../fixtures/protocols/ntp.toml")),
    ("protobuf-game", include_str!("../../../fixtures/protocols/protobuf-game.toml")),
    ("quake3", include_str!("../../../fixtures/protocols/quake3.toml")),
    ("raknet", include_str!("../../../fixtures/protocols/raknet.toml")),
    ("resp", include_str!("../../../fixtures/protocols/resp.toml")),
    ("riptide-game", include_str!("../../../fixtures/protocols/riptide-game.toml")),
    ("rtcp", include_str!("../../../fixtures/protocols/rtcp.toml")),
    ("rtp", include_str!("../../../fixtures/protocols/rtp.toml")),
    ("stun", include_str!("../../../fixtures/protocols/stun.toml")),
];

/// The files of the page `your-protocol`, by their places.
pub(crate) const TUTORIAL: [(&str, &[u8]); 5] = [
    ("fixtures/described/tutorial/1.toml", include_bytes!("../../../fixtures/described/tutorial/1.toml")),
    ("fixtures/described/tutorial/2.toml", include_bytes!("../../../fixtures/described/tutorial/2.toml")),
    ("fixtures/described/tutorial/3.toml", include_bytes!("../../../fixtures/described/tutorial/3.toml")),
    ("fixtures/described/tutorial/mygame.pcap", include_bytes!("../../../fixtures/described/tutorial/mygame.pcap")),
    ("fixtures/described/kcp.pcap", include_bytes!("../../../fixtures/described/kcp.pcap")),
];

/// The file that describes a protocol: its name and its text.
pub(crate) fn describing(protocol: &str) -> Option<(&'static str, &'static str)> {
    FILES.into_iter().find(|(_, text)| described(text).as_deref() == Some(protocol))
}

/// Returns the description of a file: its `doc`, or the comment at its beginning.
pub(crate) fn about(text: &str) -> &str {
    let doc = text.lines().find_map(|line| line.strip_prefix("doc")?.trim_start().strip_prefix('='));
    let comment = || text.lines().next().map(|line| line.trim_start_matches('#'));
    doc.or_else(comment).unwrap_or("").trim().trim_matches('"')
}
