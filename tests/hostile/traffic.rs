//! Captures in which a few bytes ask for much: text that a peer chooses, and uses as often as it likes.

use super::program::{File, client, server};
use flate2::{Compress, Compression, FlushCompress};
use std::io::Write;

/// The length of a name, longer than any real one.
const LONG: usize = 400_000;
/// The number of its uses.
const TIMES: usize = 20_000;
/// The payload of a segment.
const SEGMENT: usize = 1400;

/// Builds a TCP conversation.
struct FlowInfo {
    file: File,
    next: [u32; 2],
}

impl FlowInfo {
    fn new() -> FlowInfo {
        let mut flow_info = FlowInfo { file: File::new(), next: [1, 1] };
        flow_info.file.syn(client(0), server(), 0);
        flow_info.file.syn(server(), client(0), 0);
        flow_info
    }

    /// Adds bytes of one side, in segments of `size`.
    fn chunks(&mut self, by_server: bool, bytes: &[u8], size: usize) {
        let (from, to) = if by_server { (server(), client(0)) } else { (client(0), server()) };
        for chunk in bytes.chunks(size) {
            let seq = &mut self.next[by_server as usize];
            self.file.tcp(from, to, *seq, chunk);
            *seq += chunk.len() as u32;
        }
    }

    fn client(&mut self, bytes: &[u8]) {
        self.chunks(false, bytes, SEGMENT);
    }

    fn server(&mut self, bytes: &[u8]) {
        self.chunks(true, bytes, SEGMENT);
    }

    fn done(self) -> Vec<u8> {
        self.file.done()
    }
}

/// A package of nano.
pub fn package(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut package = vec![kind];
    package.extend(&(body.len() as u32).to_be_bytes()[1..]);
    package.extend(body);
    package
}

/// A nano conversation whose server has answered the handshake with this `sys`.
fn nano(sys: &str) -> FlowInfo {
    let mut flow_info = FlowInfo::new();
    flow_info.client(&package(1, b"{\"sys\":{\"type\":\"js\",\"version\":\"1\"}}"));
    flow_info.server(&package(1, format!("{{\"code\":200,\"sys\":{{{sys}}}}}").as_bytes()));
    flow_info.client(&package(2, b""));
    flow_info
}

/// A push with its route in full.
fn push(flags: u8, route: &str, payload: &[u8]) -> Vec<u8> {
    let mut body = vec![flags | 6, route.len() as u8];
    body.extend(route.as_bytes());
    body.extend(payload);
    package(4, &body)
}

fn varint(mut n: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while n > 0x7f {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
    bytes
}

/// A name of a field that a message uses again and again.
pub fn names_of_protos() -> Vec<u8> {
    let name = "n".repeat(LONG);
    let mut flow_info = nano(&format!(
        "\"protos\":{{\"server\":{{\"r\":{{\"list\":{{\"option\":\"repeated\",\"type\":\"m\",\"tag\":1}},\
         \"__tags\":{{\"1\":\"list\"}},\"__messages\":{{\"m\":{{\"{name}\":{{\"option\":\"optional\",\
         \"type\":\"uInt32\",\"tag\":1}},\"__tags\":{{\"1\":\"{name}\"}}}}}}}}}}}}"
    ));
    flow_info.server(&push(0, "r", &[10, 2, 8, 1].repeat(TIMES)));
    flow_info.done()
}

/// The same name in many messages.
pub fn names_of_many_protos() -> Vec<u8> {
    let name = "\u{1b}é".repeat(LONG / 2);
    let name = serde_json::to_string(&name).expect("a string");
    let mut flow_info = nano(&format!(
        "\"protos\":{{\"server\":{{\"r\":{{{name}:{{\"option\":\"optional\",\"type\":\"uInt32\",\"tag\":1}},\
         \"__tags\":{{\"1\":{name}}}}}}}}}"
    ));
    flow_info.server(&push(0, "r", &[8, 1]).repeat(TIMES));
    flow_info.done()
}

/// A route of the dictionary; each message has only its code.
pub fn routes_of_a_dictionary() -> Vec<u8> {
    let mut flow_info = nano(&format!("\"dict\":{{\"{}\":1}}", "r".repeat(LONG)));
    flow_info.server(&package(4, &[7, 0, 1]).repeat(TIMES));
    for id in 1..100u8 {
        flow_info.client(&package(4, &[1, id, 0, 1]));
        flow_info.server(&package(4, &[4, id]));
    }
    flow_info.done()
}

/// As many maps as fit into a handshake.
pub fn maps_in_a_handshake() -> Vec<u8> {
    nano(&format!("\"x\":[{}0]", "{\"\":0},".repeat(130_000))).done()
}

const UPGRADE: &[u8] = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
const PLAIN: &[u8] = b"HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
const PACKED: &[u8] = b"HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";

/// A server's frame.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        n @ ..126 => frame.push(n as u8),
        n @ ..0x10000 => {
            frame.push(126);
            frame.extend((n as u16).to_be_bytes());
        }
        n => {
            frame.push(127);
            frame.extend((n as u64).to_be_bytes());
        }
    }
    frame.extend(payload);
    frame
}

/// One WebSocket message in as many frames as possible, with as many packages as possible.
pub fn packages_of_many_frames() -> Vec<u8> {
    let mut flow_info = FlowInfo::new();
    flow_info.client(UPGRADE);
    flow_info.server(PLAIN);
    let heartbeats = package(3, b"").repeat(10_000);
    for (k, byte) in heartbeats.iter().enumerate() {
        let first = if k == 0 { 2 } else { 0 } | if k + 1 == heartbeats.len() { 0x80 } else { 0 };
        flow_info.chunks(true, &frame(first, &[*byte]), 3);
    }
    flow_info.done()
}

/// Compressed payloads of blanks.
pub fn packed_payloads() -> Vec<u8> {
    let mut flow_info = nano("\"serializer\":\"json\"");
    let mut out = flate2::write::ZlibEncoder::new(Vec::new(), Compression::best());
    let mut text = vec![b' '; 8 << 20];
    text[0] = b'[';
    text.push(b']');
    out.write_all(&text).expect("packed");
    let packed = push(0x10, "r", &out.finish().expect("packed"));
    for _ in 0..8 {
        flow_info.server(&packed);
    }
    flow_info.done()
}

/// The same, compressed by permessage-deflate.
pub fn packed_messages() -> Vec<u8> {
    let mut flow_info = FlowInfo::new();
    flow_info.client(UPGRADE);
    flow_info.server(PACKED);
    let mut press = Compress::new(Compression::best(), false);
    for _ in 0..8 {
        let payload = push(0, "r", &vec![b' '; 8 << 20]);
        let mut packed = Vec::with_capacity(1 << 20);
        press.compress_vec(&payload, &mut packed, FlushCompress::Sync).expect("packed");
        packed.truncate(packed.len() - 4);
        flow_info.server(&frame(0xc2, &packed));
    }
    flow_info.done()
}

/// Values of one byte each, in JSON and in protobuf.
pub fn small_values() -> Vec<u8> {
    let mut flow_info =
        nano("\"protos\":{\"server\":{\"r\":{\"v\":{\"option\":\"repeated\",\"type\":\"uInt32\",\"tag\":1}}}}");
    let count = 30_000;
    flow_info.server(&push(0, "r", &[vec![8], varint(count), vec![1; count]].concat()));
    flow_info.server(&push(0, "s", format!("[{}1]", "1,".repeat(count)).as_bytes()));
    flow_info.server(&push(0, "s", format!("[{}1]", "[],".repeat(count)).as_bytes()));
    flow_info.server(&push(0, "s", format!("[{}1]", "{},".repeat(count)).as_bytes()));
    flow_info.server(&push(0, "s", format!("[{}1]", "{\"\":0},".repeat(count)).as_bytes()));
    flow_info.done()
}

/// Nested values, as deep as allowed, again and again.
pub fn nested_values() -> Vec<u8> {
    let mut flow_info = nano("\"serializer\":\"json\"");
    let deep = |open: &str, close: &str| format!("{}0{}", open.repeat(511), close.repeat(511));
    for text in [deep("[", "]"), deep("{\"a\":", "}"), deep("{\"\":[", "]}").replacen('[', "[0,", 200)] {
        flow_info.server(&push(0, "r", text.as_bytes()).repeat(60));
    }
    flow_info.done()
}

/// Long names of JSON members, each used once.
pub fn long_member_names() -> Vec<u8> {
    let mut flow_info = nano("\"serializer\":\"json\"");
    for c in ["k", "\\u001b", "\u{202e}"] {
        let name = c.repeat(LONG / c.len());
        flow_info.server(&push(0, "r", format!("{{\"{name}\":{{\"{name}\":\"{name}\"}}}}").as_bytes()));
    }
    flow_info.done()
}

/// Long HTTP heads.
pub fn heads_of_http() -> Vec<u8> {
    let mut flow_info = FlowInfo::new();
    let line = format!("Sec-WebSocket-Extensions: {}\r\n", "e".repeat(50_000));
    for _ in 0..20 {
        flow_info.client(format!("GET /{} HTTP/1.1\r\n{line}\r\n", "t".repeat(10_000)).as_bytes());
        flow_info
            .server(format!("HTTP/1.1 400 No\r\n{line}Content-Length: 1000\r\n\r\n{}", "b".repeat(1000)).as_bytes());
    }
    flow_info.done()
}

/// Datagrams of these bytes.
pub fn datagrams(bytes: &[u8]) -> Vec<u8> {
    let mut file = File::new();
    for k in 0..100 {
        let (from, to) = if k % 2 == 0 { (client(0), server()) } else { (server(), client(0)) };
        file.udp(from, to, bytes);
    }
    file.done()
}

/// Nested packets of GNE, as deep as a frame allows.
pub fn nested_packets() -> Vec<u8> {
    let mut flow_info = FlowInfo::new();
    let mut deep = vec![5; 170];
    deep.push(255);
    deep.extend([0, 0].repeat(170));
    deep.push(255);
    for k in 0..300 {
        let body = match k % 3 {
            0 => vec![5; 500],
            1 => deep.clone(),
            _ => vec![7; 500],
        };
        let frame = [b"NL".as_slice(), &(body.len() as u16).to_be_bytes(), &body].concat();
        flow_info.client(&frame);
    }
    flow_info.done()
}

/// A link with as many values as possible, and updates of it.
pub fn links_with_many_values() -> Vec<u8> {
    let mut file = File::new();
    let (c, s) = (client(0), server());
    let mut state = vec![5, 0, 0, 1, 0, 0, 0, 0];
    state.extend(700u16.to_le_bytes());
    state.extend([1, 7].repeat(700));
    file.udp(s, c, &state);
    file.udp(c, s, &[7, 1, 0]);
    for _ in 0..100 {
        let mut update = vec![9, 1, 1, 0, 255];
        for index in 0..255u16 {
            update.extend(index.to_le_bytes());
            update.push(7);
        }
        file.udp(s, c, &update);
        // Links without values.
        file.udp(s, c, &[&[9, 255][..], &[1, 0, 0].repeat(255)].concat());
    }
    file.done()
}

/// A state in parts, whose last part is repeated.
pub fn names_of_links() -> Vec<u8> {
    let mut file = File::new();
    let (c, s) = (client(0), server());
    let part = |number: u16, flags: u8, message: &[u8]| {
        let mut part = vec![11];
        part.extend(number.to_le_bytes());
        part.extend([1, 0, flags]);
        part.extend((message.len() as u16).to_le_bytes());
        part.extend(message);
        part
    };
    for number in 0..100u16 {
        file.udp(s, c, &part(number, if number == 0 { 2 } else { 0 }, &[b'm'; 1200]));
        file.udp(c, s, &[[6].as_slice(), &number.to_le_bytes(), &[0]].concat());
    }
    for _ in 0..2000 {
        file.udp(s, c, &part(100, 4, b"."));
    }
    file.done()
}

/// Names of players and of files in Acknex.
pub fn names_of_players() -> Vec<u8> {
    let mut file = File::new();
    let port = std::net::SocketAddr::from(([10, 0, 0, 2], 2300));
    for k in 0..400u32 {
        let mut join = vec![2];
        join.extend([b'n'; 1300]);
        join.push(0);
        file.udp(client(k % 3), port, &join);
    }
    file.done()
}
