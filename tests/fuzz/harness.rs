//! The functions that hostile input is passed to: one for each kind of input. The fuzz targets (`targets/`) and the
//! plain tests (`../hostile.rs`) share them.
//!
//! Every function takes any bytes. It panics if a check fails: text with control characters for a terminal, invalid
//! JSON, output or work out of proportion to the input; and of course if the library itself panics.

use netkit::capture::hextext::HexText;
use netkit::capture::{Body, Capture, Decoded, Input, Packet, Packets, Segment, Time};
use netkit::codec::schema::Schemas;
use netkit::dissect::{Dissection, Dissector, Inspector, Message, Options, Sink, inspector};
use netkit::encode::{Encoders, Entry, Framing, Source, Values, deeply};
use netkit::filter::{Filter, Names};
use netkit::flow::{Caps, Table};
use netkit::protocols;
use netkit::protocols::described::{Described, load};
use netkit::render::{Format, Renderer, Style};
use std::io::{Cursor, Write};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex};

/// The schemas of the fixtures: file name and text.
const SCHEMAS: [(&str, &str); 4] = [
    ("dnp.toml", include_str!("../../fixtures/schemas/dnp.toml")),
    ("gne.toml", include_str!("../../fixtures/schemas/gne.toml")),
    ("nano.toml", include_str!("../../fixtures/schemas/nano.toml")),
    ("riptide.toml", include_str!("../../fixtures/schemas/riptide.toml")),
];

/// The protocol files of the fixtures, and whether they are used over TCP.
pub const DESCRIBED: [(&str, bool, &str); 8] = [
    ("a2s", false, include_str!("../../fixtures/protocols/a2s.toml")),
    ("enet", false, include_str!("../../fixtures/protocols/enet.toml")),
    ("kcp", false, include_str!("../../fixtures/protocols/kcp.toml")),
    ("luanti", false, include_str!("../../fixtures/protocols/luanti.toml")),
    ("raknet", false, include_str!("../../fixtures/protocols/raknet.toml")),
    ("io", true, include_str!("../../fixtures/protocols/io.toml")),
    ("minecraft", true, include_str!("../../fixtures/protocols/minecraft.toml")),
    ("mqtt", true, include_str!("../../fixtures/protocols/mqtt.toml")),
];

/// Compiled once, because the memory of a compiled file is never freed.
static FILES: LazyLock<Vec<&'static Described>> = LazyLock::new(|| {
    let one = |(name, _, text): &(&str, bool, &str)| load(name, text).expect("a file of the fixtures");
    DESCRIBED.iter().map(one).collect()
});

/// Caps so small that a few packets reach them.
const SMALL: Caps = Caps {
    conversations: 4,
    returning: 2,
    held_bytes: 4096,
    held_segments: 8,
    unread_bytes: 1 << 16,
    buffered_bytes: 1 << 18,
};

/// JSON is for programs, but people look at it: control characters in it are always escaped.
pub fn no_controls(what: &str, text: &[u8]) {
    if plain(text) {
        return;
    }
    let text = std::str::from_utf8(text).unwrap_or_else(|e| panic!("{what}: no UTF-8: {e}"));
    if let Some(c) = text.chars().find(|&c| c.is_control() && c != '\n') {
        panic!("{what}: {c:?} stands raw in {text:?}");
    }
}

/// Whether this is printable ASCII and line feeds. Most output is, and this check is quick.
fn plain(text: &[u8]) -> bool {
    text.iter().all(|b| matches!(b, b'\n' | b' '..=b'~'))
}

/// Checks the output of this format.
fn look(format: Format, text: &[u8]) {
    match format.name {
        "json" | "ndjson" => no_controls("JSON", text),
        // Tabs separate its values.
        "tsv" => harmless("text", &text.iter().map(|b| if *b == b'\t' { b' ' } else { *b }).collect::<Vec<u8>>()),
        _ => harmless("text", text),
    }
}

/// Checks text for people: it has no control character but the line feed, and none that changes the direction of text,
/// so that no packet can control the terminal.
pub fn harmless(what: &str, text: &[u8]) {
    if plain(text) {
        return;
    }
    let text = std::str::from_utf8(text).unwrap_or_else(|e| panic!("{what}: no UTF-8: {e}"));
    let wild = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if let Some(c) = text.chars().find(|&c| wild(c)) {
        panic!("{what}: {c:?} reaches the terminal in {text:?}");
    }
}

/// A writer with several owners.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Prints each message in every format, checks the output, and encodes the message again.
pub struct Looker<'a> {
    renderers: Vec<(Format, Renderer, Shared)>,
    encoders: Encoders<'a>,
    filters: Vec<Filter>,
    /// The number of messages.
    pub messages: usize,
    /// The number of bytes they made in ndjson.
    pub printed: usize,
}

impl<'a> Looker<'a> {
    /// Starts without messages.
    pub fn new(options: &'a Options) -> Looker<'a> {
        let style = Style { width: Some(100), colour: false, verbose: true, ..Style::default() };
        let renderers = Format::ALL.iter().map(|&format| {
            let shared = Shared::default();
            (format, Renderer::new(format, style, Box::new(shared.clone())), shared)
        });
        Looker {
            renderers: renderers.collect(),
            encoders: Encoders::new(options),
            filters: Vec::new(),
            messages: 0,
            printed: 0,
        }
    }

    /// Checks the rest of the output.
    pub fn finish(mut self) -> (usize, usize) {
        for (format, renderer, shared) in &mut self.renderers {
            renderer.finish().expect("nothing fails in memory");
            let text = shared.0.lock().expect("no panic");
            look(*format, &text);
            if *format == Format::JSON && shallow(&text) {
                netkit::encode::json(&text).unwrap_or_else(|e| panic!("json: {e}"));
            }
        }
        (self.messages, self.printed)
    }
}

/// Whether this JSON is nested little. Reading and writing JSON recurses: deep messages need [`deeply`], which costs a
/// thread.
fn shallow(json: &[u8]) -> bool {
    let mut depth = 0usize;
    json.iter().all(|b| {
        match b {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth < 100
    })
}

impl Sink for Looker<'_> {
    fn message(&mut self, message: &Message<'_>) {
        self.messages += 1;
        for filter in &self.filters {
            filter.matches(message);
        }
        for (format, renderer, shared) in &mut self.renderers {
            renderer.message(message);
            // An array and a table are checked when they are complete.
            if [Format::JSON, Format::TABLE].contains(format) {
                continue;
            }
            renderer.flush();
            let mut text = shared.0.lock().expect("no panic");
            look(*format, &text);
            if *format == Format::NDJSON {
                self.printed += text.len();
                let mut again = || {
                    let json = netkit::encode::json(&text).unwrap_or_else(|e| panic!("ndjson: {e}"));
                    // Not every message can be encoded without its neighbours, but none panics.
                    if let Ok(entry) = Entry::new(json, &Source::new(netkit::protocols::registry())) {
                        let _ = self.encoders.encode(&entry);
                    }
                };
                if shallow(&text) {
                    again();
                }
            }
            text.clear();
        }
    }
}

/// The options that a first byte selects: none, a protocol's schema, or one of its settings.
fn options(proto: Option<&str>, choice: u8) -> Options {
    let mut options = Options { proto: proto.map(Into::into), ..netkit::protocols::options() };
    let Some(dissector) = proto.and_then(protocols::by_name) else { return options };
    let words = dissector.settings().iter().flat_map(|s| s.values.iter().map(move |v| format!("{}={v}", s.key)));
    let words: Vec<String> = words.collect();
    if choice & 0x80 != 0 {
        options.schemas = FIXED.clone();
    }
    if let Some(word) = (choice & 0x7f).checked_sub(1).and_then(|k| words.get(k as usize)) {
        options.set(word).expect("a word that the setting lists");
    }
    options
}

/// Compiled once, because the memory of a schema's tables is never freed.
static FIXED: LazyLock<Arc<Schemas>> = LazyLock::new(|| {
    let mut schemas = Schemas::default();
    for (name, text) in SCHEMAS {
        schemas.add(name, text, &encodings).expect("a schema of the fixtures");
    }
    Arc::new(schemas)
});

fn encodings(proto: &str) -> Option<&'static [netkit::codec::schema::Encoding]> {
    protocols::by_name(proto).map(|d| d.encodings()).filter(|e| !e.is_empty())
}

/// Checks that the output is in proportion to the input: no count in the input makes lines of its own.
fn in_proportion(read: usize, messages: usize, printed: usize) {
    assert!(messages <= 16 + 4 * read, "{messages} messages of {read} bytes");
    // Besides its fields' names, a message has an envelope and notes.
    assert!(printed <= 4096 * (messages + 1) + 512 * read, "{printed} bytes of JSON of {read} bytes read");
}

/// Reads a capture file, with recognised protocols or with `-p proto`.
pub fn capture(data: &[u8], proto: Option<&str>) -> (usize, usize) {
    let options = options(proto, 0);
    let mut looker = Looker::new(&options);
    let mut frames = 0;
    let mut read = || -> Result<(), netkit::capture::CaptureError> {
        let mut packets = Packets::new(Capture::new(Input::new(Box::new(Cursor::new(data.to_vec())))?)?);
        let mut table = Table::new(SMALL);
        let mut inspector = Inspector::new(&options, &mut looker);
        let end = loop {
            match packets.next() {
                Ok(Some(item)) => {
                    frames += 1;
                    match item.decoded {
                        Decoded::Packet(packet) => table.packet(&packet, &mut inspector),
                        Decoded::Other(why) => harmless("a frame's reason", why.to_string().as_bytes()),
                    }
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        table.finish(&mut inspector);
        end
    };
    if let Err(error) = read() {
        harmless("a capture's error", error.to_string().as_bytes());
    }
    // Compressed files hold more than their length.
    let (messages, printed) = looker.finish();
    if !data.starts_with(&[0x1f, 0x8b]) {
        in_proportion(data.len(), messages, printed);
    }
    (frames, messages)
}

/// Reads a conversation: a byte of options, then records of a byte of flags, two of length, the payload.
///
/// Flags: 1 from the server, 2 the stream begins again, 4 bytes are missing before it, 8 FIN, 16 a second port, 32 the
/// TCP bytes arrive one by one.
pub fn conversation(proto: &str, tcp: bool, data: &[u8]) -> usize {
    let Some((&choice, rest)) = data.split_first() else { return 0 };
    let mut options = options(Some(proto), choice);
    options.ports.push((7777, proto.into()));
    let (messages, printed) = converse(&options, tcp, rest);
    in_proportion(data.len(), messages, printed);
    messages
}

/// Reads a conversation with a protocol file of the fixtures, which the first byte selects.
pub fn described(data: &[u8]) -> usize {
    let Some((&choice, rest)) = data.split_first() else { return 0 };
    let place = usize::from(choice) % FILES.len();
    let (described, (_, tcp, _)) = (FILES[place], DESCRIBED[place]);
    let registry = protocols::registry().with(described);
    let mut options = Options { proto: Some(described.facts().name.into()), ..Options::new(registry) };
    options.ports.push((7777, described.facts().name.into()));
    let (messages, printed) = converse(&options, tcp, rest);
    assert!(messages <= 16 + 4 * data.len(), "{messages} messages of {} bytes", data.len());
    // Compressed bytes unpack to the file's limit, once a message: 1 MiB, and 4 characters a byte.
    assert!(printed <= (messages + 1) << 23, "{printed} bytes of JSON of {} bytes read", data.len());
    messages
}

/// Reads a protocol file and, after a zero byte, a packet. Returns whether the file is valid.
pub fn protocol_file(data: &[u8]) -> bool {
    let (text, bytes) = data.split_at(data.iter().position(|&b| b == 0).unwrap_or(data.len()));
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let described = match load("hostile.toml", text) {
        Ok(described) => described,
        Err(error) => {
            harmless("a protocol file's error", error.to_string().as_bytes());
            return false;
        }
    };
    let options = Options::new(protocols::registry().with(described));
    let mut looker = Looker::new(&options);
    inspector::dump(described, bytes.get(1..).unwrap_or_default(), &options, &mut Dissection::default(), &mut looker);
    looker.finish();
    true
}

/// Passes records through a flow table; returns the number of messages and the length of their JSON.
fn converse(options: &Options, tcp: bool, mut rest: &[u8]) -> (usize, usize) {
    let mut looker = Looker::new(options);
    let mut table = Table::new(SMALL);
    let mut inspector = Inspector::new(options, &mut looker);
    let mut seq = [1000u32, 0xffff_f000];
    let mut frame = 0;
    while let [flags, low, high, more @ ..] = rest {
        let length = (*low as usize | (*high as usize) << 8).min(more.len());
        let (payload, after) = more.split_at(length);
        rest = after;
        let client = SocketAddr::from(([10, 0, 0, 1], 50_000 + (flags >> 4 & 1) as u16));
        let server = SocketAddr::from(([10, 0, 0, 2], 7777));
        let side = (flags & 1) as usize;
        let (src, dst) = if side == 0 { (client, server) } else { (server, client) };
        let mut send = |body: Body<'_>| {
            frame += 1;
            let time = Time::micros(1_700_000_000 + frame as i64, 0);
            table.packet(&Packet { frame, frames: &[], time, src, dst, leg: None, body }, &mut inspector);
        };
        if !tcp {
            send(Body::Udp { payload, length: payload.len() + (flags & 4) as usize });
            continue;
        }
        if flags & 2 != 0 {
            seq[side] = seq[side].wrapping_add(0x1000_0000);
            send(Body::Tcp(Segment { seq: seq[side], syn: true, ..Segment::default() }));
            seq[side] = seq[side].wrapping_add(1);
        }
        if flags & 4 != 0 {
            seq[side] = seq[side].wrapping_add(7);
        }
        let step = if flags & 32 != 0 { 1 } else { payload.len().max(1) };
        let ack = seq[1 - side];
        for chunk in payload.chunks(step) {
            let segment = Segment {
                seq: seq[side],
                ack,
                has_ack: true,
                payload: chunk,
                length: chunk.len(),
                fin: flags & 8 != 0 && step > 1,
                ..Segment::default()
            };
            send(Body::Tcp(segment));
            seq[side] = seq[side].wrapping_add(chunk.len() as u32);
        }
    }
    table.finish(&mut inspector);
    looker.finish()
}

/// Reads the bytes of one message or stream, like `dump -p`; a live server's bytes reach `probe` in the same way.
pub fn dump(dissector: &dyn Dissector, choice: u8, bytes: &[u8]) -> usize {
    let options = options(Some(dissector.name()), choice);
    let mut looker = Looker::new(&options);
    inspector::dump(dissector, bytes, &options, &mut Dissection::default(), &mut looker);
    let (messages, printed) = looker.finish();
    in_proportion(bytes.len(), messages, printed);
    messages
}

/// Reads hex text in any form; a message is not longer than its text. Returns the number of messages.
pub fn hex_text(data: &[u8]) -> usize {
    let mut read = 0;
    for lines in [false, true] {
        let mut text = HexText::new(data).lines(lines);
        let mut bytes = 0;
        loop {
            match text.next() {
                Ok(Some(block)) => {
                    assert!(!block.bytes.is_empty());
                    bytes += block.bytes.len();
                    read += 1;
                }
                Ok(None) => break,
                Err(error) => {
                    harmless("a hex error", error.to_string().as_bytes());
                    break;
                }
            }
        }
        // A star in a dump repeats the line before it: only MAX_MESSAGE bounds it.
        assert!(bytes <= data.len() || data.contains(&b'*'), "{bytes} bytes of {} characters", data.len());
    }
    read
}

/// Reads a schema and, after a NUL, the bytes of a message for it. Returns whether the schema is valid.
///
/// The memory of a compiled schema is never freed, by design: leak detection has to be off.
pub fn schema(data: &[u8]) -> bool {
    let (text, bytes) = data.split_at(data.iter().position(|&b| b == 0).unwrap_or(data.len()));
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let mut schemas = Schemas::default();
    if let Err(error) = schemas.add("hostile.toml", text, &encodings) {
        harmless("a schema error", error.to_string().as_bytes());
        return false;
    }
    let schemas = Arc::new(schemas);
    for dissector in protocols::ALL.into_iter().filter(|d| !schemas.messages(d.name()).is_empty()) {
        let mut options = options(Some(dissector.name()), 0);
        options.schemas = schemas.clone();
        let mut looker = Looker::new(&options);
        inspector::dump(dissector, bytes, &options, &mut Dissection::default(), &mut looker);
        looker.finish();
    }
    true
}

/// Encodes JSON; everything written is read again. Returns the number of messages written.
pub fn encode(data: &[u8]) -> usize {
    let options = netkit::protocols::options();
    let mut encoders = Encoders::new(&options);
    let mut values = Values::new(data);
    let mut written = 0;
    // After an error the rest is still read, as with --keep-going.
    for _ in 0..=data.len() {
        let object = match values.next() {
            Ok(None) => break,
            Ok(Some(text)) => text.json(),
            Err(error) => Err(error),
        };
        let object = match object {
            Ok(object) => object,
            Err(error) => {
                harmless("a JSON error", error.to_string().as_bytes());
                continue;
            }
        };
        let bytes = Entry::new(object, &Source::new(netkit::protocols::registry())).and_then(|entry| {
            let bytes = encoders.encode(&entry)?;
            for framing in [Framing::Tcp, Framing::WebSocket] {
                let _ = encoders.framed(&entry, &bytes, framing);
            }
            Ok((entry.dissector, bytes))
        });
        match bytes {
            Ok((dissector, bytes)) => {
                written += 1;
                assert!(bytes.len() <= (1 << 16) + 16 * data.len(), "{} bytes of {}", bytes.len(), data.len());
                dump(dissector, 0, &bytes);
            }
            Err(error) => harmless("an encoding error", error.to_string().as_bytes()),
        }
    }
    written
}

/// [`encode`] on a stack for the deepest nesting.
pub fn encode_deeply(data: &[u8]) -> usize {
    deeply(|| encode(data)).expect("a thread")
}

/// Reads a filter and, after a NUL, a conversation to apply it to. Returns whether the filter is valid.
pub fn filter(data: &[u8]) -> bool {
    let (text, bytes) = data.split_at(data.iter().position(|&b| b == 0).unwrap_or(data.len()));
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let filter =
        match Filter::parse(text, &Names { registry: &netkit::protocols::registry(), schemas: &FIXED, proto: None }) {
            Ok(filter) => filter,
            Err(error) => {
                // The error quotes the filter, which the user typed: it is still one line on the terminal.
                harmless("a filter error", error.to_string().as_bytes());
                return false;
            }
        };
    let options = options(None, 0);
    let mut looker = Looker::new(&options);
    looker.filters.push(filter);
    for dissector in protocols::ALL {
        inspector::dump(dissector, bytes.get(1..).unwrap_or(&[]), &options, &mut Dissection::default(), &mut looker);
    }
    true
}
