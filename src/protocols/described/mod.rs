//! Protocols that a file describes: `--protocol-file game.toml`.
//!
//! [`load`] compiles a file to tables of the same kind as those of the built-in protocols, and to
//! what a conversation does between messages: put parts together, remember, count. The result is a
//! [`Dissector`] like any other.

mod compile;
mod encode;
mod evidence;
mod frames;
mod join;
mod known;
mod lines;
mod names;
mod parse;
mod reader;
mod recognise;
mod session;
mod text;
mod traffic;
mod types;

use crate::codec::Tree;
use crate::codec::kinds::Choice;
use crate::codec::layout::{Field, Layout, Len, When, bytes, text as text_field, uint};
use crate::codec::node::Node;
use crate::codec::schema::SchemaError;
use crate::codec::schema::named::{identifier, leak};
use crate::dissect::{
    Dissector, Encoder, Evidence, FlowInfo, NoteDoc, Observation, Options, Role, Session, Setting, Table,
};
use crate::flow::Transport;
use crate::nearest::{hint, nearest};
use compile::{Compiler, Hook, lasting, statics};
use frames::Frame;
use rustc_hash::FxHashMap;
use text::{File, First};

/// A protocol that a file describes: a dissector like any other.
#[derive(Debug)]
pub struct Described(&'static Description);

/// What a file says.
#[derive(Debug)]
pub struct Description {
    /// Its name.
    name: &'static str,
    about: &'static str,
    packet: &'static [Field],
    /// The fields of the headers around messages: for documentation and filters.
    headers: &'static [Field],
    /// The messages by their carrier; "" are those of the packet.
    carried: Vec<(&'static str, &'static [Choice])>,
    tables: &'static [Table],
    derived: &'static [&'static Field],
    settings: &'static [Setting],
    notes: &'static [NoteDoc],
    codes: Codes,
    memory: Vec<(&'static str, u64)>,
    /// The names of `[settings]`, and their defaults.
    values: Vec<Value>,
    hooks: Vec<Hook>,
    defaults: Vec<(&'static str, &'static str, serde_json::Value)>,
    udp: Option<&'static [u16]>,
    tcp: Option<(&'static [u16], Frame)>,
    websocket: Option<&'static [u16]>,
    /// Who sends what this holds for is the server.
    server: Option<When>,
    packets: usize,
    traffic: traffic::Rules,
    /// The bits that a packet rules out at best, and why.
    bits: u32,
    has_joins: bool,
    /// The packet's fields, and what is left behind them, for writing.
    written: &'static [Field],
    /// A field of each name.
    by_name: FxHashMap<&'static str, &'static Field>,
    id_bits: FxHashMap<usize, u32>,
    memory_fields: &'static [Field],
    path: &'static str,
    /// What the author may want to know.
    pub advice: Vec<(usize, String)>,
}

/// A setting: its name, its default, the names of its values.
type Value = (&'static str, u64, Vec<(u64, &'static str)>);

/// The codes of its notes.
#[derive(Clone, Copy, Debug)]
struct Codes {
    trailing: &'static str,
    checksum: &'static str,
    unknown_id: &'static str,
    resent: &'static str,
    duplicate: &'static str,
    gap: &'static str,
    late: &'static str,
    nack: &'static str,
}

static FRAMES: Field = crate::codec::layout::array("frames", crate::codec::layout::Count::Rest, &FRAME);
static FRAME: Field = uint("frame", 64);
static JOINED_LENGTH: Field = uint("length", 32).doc("bytes of the whole");
static JOINED_NAME: Field = text_field("message", Len::Rest).doc("the message that the whole is");
static JOINED_BYTES: Field = bytes("bytes", Len::Rest).doc("the whole");
static JOINED_BULK: Field = {
    let mut field = bytes("bytes", Len::Rest).doc("the whole");
    field.flags |= crate::codec::layout::flag::BULK;
    field
};
static JOINED_PACKET: Field = crate::codec::layout::group("packet", &[]);
static JOINED_FIELDS: Field = crate::codec::layout::group("fields", &[]).keep_empty();
static JOINED: Field =
    crate::codec::layout::group("joined", &JOINED_FIELDS_ALL).doc("the whole that this part completed");
static JOINED_FIELDS_ALL: [Field; 6] = [
    crate::codec::layout::array("frames", crate::codec::layout::Count::Rest, &FRAME),
    uint("length", 32).doc("bytes of the whole"),
    text_field("message", Len::Rest).doc("the message that the whole is"),
    crate::codec::layout::group("packet", &[]),
    crate::codec::layout::group("fields", &[]),
    bytes("bytes", Len::Rest).doc("the whole"),
];
static MEMORY: Field =
    crate::codec::layout::group("memory", &[]).doc("what earlier messages told, and this reading used");

/// Compiles a protocol file. What it returns lives as long as the program: its size is bounded by
/// the file's.
///
/// # Errors
/// The first mistake, with its line.
pub fn load(file: &str, text: &str) -> Result<&'static Described, SchemaError> {
    let parsed = parse::parse(file, text)?;
    build(&parsed).map_err(|(line, reason)| SchemaError { file: file.into(), line, reason })
}

/// The first values of what is remembered, or of settings.
fn first(compiler: &Compiler<'_>, first: &First) -> compile::Compiled<(&'static str, u64)> {
    identifier(&first.name, &["from", "left", "not", "and", "in", "client", "server"])
        .map_err(|why| (first.line, why))?;
    let names = compiler.enum_names(&first.name);
    let value = compiler.word(&first.value, &names);
    let value = value.ok_or_else(|| {
        let why = format!("{}: expected a number, true, false, or a name of [enum.{}]", first.name, first.name);
        (first.line, why)
    })?;
    Ok((leak(&first.name), value))
}

fn build(file: &File) -> compile::Compiled<&'static Described> {
    let name_line = file.protocol_line;
    let good = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)) && name.len() <= 32;
    if !good(&file.protocol) {
        return Err((name_line, format!("protocol: {:?} is no name: letters, digits, _ and -", file.protocol)));
    }
    let taken = crate::protocols::registry();
    if taken.names().any(|name| name == file.protocol) || ["auto", "udp", "tcp", "ws"].contains(&&*file.protocol) {
        return Err((name_line, format!("protocol: {:?} is the name of a built-in one", file.protocol)));
    }
    let mut compiler = Compiler::new(file);
    let (mut memory, mut values) = (Vec::new(), Vec::new());
    for one in &file.memory {
        memory.push(first(&compiler, one)?);
    }
    for one in &file.settings {
        if memory.iter().any(|(name, _)| *name == one.name) {
            return Err((one.line, format!("{}: [memory] has the name, too", one.name)));
        }
        let (name, value) = first(&compiler, one)?;
        values.push((name, value, compiler.enum_names(name)));
    }
    if memory.len() > 64 {
        return Err((1, "memory: more than 64 names".into()));
    }
    let packet = compiler.packet()?;
    let server = match &file.recognise.server {
        Some((line, text)) => Some(recognise::server(&mut compiler, *line, text)?),
        None => None,
    };
    let name = leak(&file.protocol);
    if let Some(probe) = &file.probe {
        for message in std::iter::once(&probe.send).chain(&probe.answer) {
            if file.messages.iter().all(|m| m.name != *message) {
                let near = hint(nearest(message, file.messages.iter().map(|m| m.name.as_str())));
                return Err((probe.line, format!("probe: no message {message:?}{near}")));
            }
        }
        let why = "[probe] is checked, but `netkit probe` does not read protocol files yet";
        compiler.advice.push((probe.line, why.into()));
    }
    let carried: Vec<(&'static str, &'static [Choice])> = {
        let mut all: Vec<_> = compiler.all_choices().map(|(carrier, list)| (leak(carrier), list)).collect();
        all.sort_by_key(|(carrier, _)| *carrier);
        all
    };
    let headers = lines::headers(packet, &carried);
    let udp = file.udp.as_ref().map(|ports| statics(ports.ports.clone()));
    let tcp = match &file.tcp {
        Some(ports) => Some((statics(ports.ports.clone()), frames::compile(&compiler, ports)?)),
        None => None,
    };
    let websocket = file.websocket.as_ref().map(|ports| statics(ports.ports.clone()));
    // A file that says nothing is of datagrams.
    let udp = if udp.is_none() && tcp.is_none() && websocket.is_none() { Some(statics(Vec::new())) } else { udp };
    let traffic = traffic::compile(file, &compiler, packet, &carried)?;
    let code = |what: &str| leak(&format!("{name}.{what}"));
    let codes = Codes {
        trailing: code("trailing"),
        checksum: code("checksum"),
        unknown_id: code("unknown_id"),
        resent: code("resent"),
        duplicate: code("duplicate"),
        gap: code("gap"),
        late: code("late"),
        nack: code("nack"),
    };
    let tables = tables(&carried, packet);
    let settings: Vec<Setting> =
        file.settings.iter().zip(&values).map(|(text, value)| setting(name, text, value)).collect();
    let bits = recognise::most(packet, &carried);
    let memory_field = |(name, _): &(&'static str, u64)| {
        let names = compiler.enum_names(name);
        let field = uint(name, 64);
        if names.is_empty() { field } else { field.names(statics(names)) }
    };
    let memory_fields = statics(memory.iter().map(memory_field).collect());
    let described = Description {
        name,
        about: leak(if file.doc.is_empty() { "described by a file" } else { &file.doc }),
        packet,
        headers,
        tables,
        derived: statics(vec![&JOINED, &MEMORY]),
        settings: statics(settings),
        notes: statics(notes(codes, &traffic)),
        codes,
        memory,
        values,
        written: statics(packet.iter().cloned().chain([crate::codec::reader::TRAILING.clone()]).collect()),
        by_name: by_name(packet, &carried),
        has_joins: compiler.hooks.iter().any(|hook| hook.join.is_some()),
        id_bits: std::mem::take(&mut compiler.id_bits),
        memory_fields,
        carried,
        path: leak(file.websocket.as_ref().map_or("", |ports| &ports.path)),
        hooks: std::mem::take(&mut compiler.hooks),
        defaults: std::mem::take(&mut compiler.defaults),
        udp,
        tcp,
        websocket,
        server,
        packets: file.recognise.packets.unwrap_or(3) as usize,
        traffic,
        bits,
        advice: std::mem::take(&mut compiler.advice),
    };
    Ok(lasting(Described(lasting(described))))
}

/// Values that any text may stand for are checked by this: a setting's list is closed.
fn setting(name: &str, text: &First, (_, value, names): &Value) -> Setting {
    let truth = matches!(text.value, text::Word::Number(0 | 1)) && names.is_empty();
    let shown = names.iter().find(|(n, _)| n == value).map(|(_, name)| *name);
    let default = match (shown, truth) {
        (Some(name), _) => name,
        (None, true) => {
            if *value == 1 {
                "true"
            } else {
                "false"
            }
        }
        (None, false) => leak(&value.to_string()),
    };
    let values: &'static [&'static str] = match names.is_empty() {
        false => statics(names.iter().map(|(_, name)| *name).collect()),
        true => &[],
    };
    Setting {
        key: leak(&format!("{name}.{}", text.name)),
        default,
        values,
        parse: |text| match text == "true" || text == "false" || crate::codec::digits::whole(text).is_some() {
            true => Ok(()),
            false => Err(format!("{text:?}: expected a number, true or false")),
        },
        doc: leak(&text.doc),
    }
}

fn notes(codes: Codes, traffic: &traffic::Rules) -> Vec<NoteDoc> {
    let note = |code, level, doc| NoteDoc { code, level, doc };
    let mut all = vec![
        note(codes.trailing, "note", "bytes are left behind what the file describes"),
        note(codes.checksum, "warning", "a checksum is not that of the bytes"),
        note(codes.unknown_id, "note", "no message of the file has this number"),
    ];
    if traffic.has_numbers() {
        all.push(note(codes.resent, "note", "a further copy of a message that was not acknowledged yet"));
        all.push(note(codes.duplicate, "note", "a further copy of a message that was acknowledged"));
        all.push(note(codes.gap, "note", "numbers before this one are missing"));
        all.push(note(codes.late, "note", "a number below the newest"));
        all.push(note(codes.nack, "note", "the other side says that it lacks messages"));
    }
    all
}

/// The messages, by who sends them.
fn tables(carried: &[(&'static str, &'static [Choice])], packet: &'static [Field]) -> &'static [Table] {
    let mut tables = Vec::new();
    for (from, role) in [(0, Role::Unknown), (1, Role::Client), (2, Role::Server)] {
        let choices = carried.iter().flat_map(|(_, list)| list.iter()).filter(|choice| choice.from == from);
        let mut layouts: Vec<Layout> = choices
            .map(|choice| Layout { name: choice.layout.name, doc: choice.layout.doc, fields: choice.layout.fields })
            .collect();
        if from == 0 {
            layouts.push(Layout { name: "packet", doc: "a packet without a message", fields: packet });
            layouts.push(Layout { name: "unknown", doc: "a number that no message has", fields: lines::unknown() });
            layouts.push(Layout { name: "fragment", doc: "a part of a longer message", fields: lines::fragment() });
        }
        if !layouts.is_empty() {
            tables.push(Table { version: "", from: role, layouts: statics(layouts) });
        }
    }
    statics(tables)
}

/// A field of each name: for the numbers by which messages are found.
fn by_name(
    packet: &'static [Field],
    carried: &[(&'static str, &'static [Choice])],
) -> FxHashMap<&'static str, &'static Field> {
    let mut all = FxHashMap::default();
    let mut each = |field: &'static Field| _ = all.entry(field.name).or_insert(field);
    crate::codec::names::everywhere(packet, &mut each);
    for choice in carried.iter().flat_map(|(_, list)| list.iter()) {
        crate::codec::names::everywhere(choice.layout.fields, &mut each);
    }
    all
}

impl Described {
    /// What the file says.
    pub fn description(&self) -> &'static Description {
        self.0
    }
}

impl Description {
    /// How many bits a packet of it can rule out.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The ports of a transport.
    fn ports(&self, transport: Transport) -> impl Iterator<Item = u16> + '_ {
        let lists = match transport {
            Transport::Udp => [self.udp, None],
            Transport::Tcp => [self.tcp.as_ref().map(|(ports, _)| *ports), self.websocket],
        };
        lists.into_iter().flatten().flatten().copied()
    }

    /// What the session does at a node's field.
    fn hook(&self, node: &Node) -> Option<&Hook> {
        match node.field.hook {
            0 | u16::MAX => None,
            place => self.hooks.get(place as usize),
        }
    }

    /// Who sends the message of a node: 1 the client, 2 the server; 0: both, or it is none.
    fn from(&self, node: &Node) -> Option<u64> {
        let choices = self.carried.iter().flat_map(|(_, list)| list.iter());
        choices.into_iter().find(|choice| std::ptr::eq(choice.field, node.field)).map(|choice| choice.from)
    }

    /// What a packet changes of what is remembered, from the next one on.
    fn remember(&self, tree: &Tree, memory: &mut [[u64; 2]]) {
        if memory.is_empty() {
            return;
        }
        for node in tree.nodes().iter().filter(|node| node.field.hook > 0) {
            for set in self.hook(node).map_or(&[][..], |hook| &hook.sets) {
                let Some(value) = set.value.or(node.number()) else { continue };
                let Some(sides) = memory.get_mut(set.memory) else { continue };
                match set.side.and_then(|side| sides.get_mut(side)) {
                    Some(one) => *one = value,
                    None => *sides = [value; 2],
                }
            }
        }
    }

    /// A field of that name.
    fn named(&self, name: &str) -> Option<&'static Field> {
        self.by_name.get(name).copied()
    }

    /// Are parts put together?
    fn joins(&self) -> bool {
        self.has_joins
    }

    /// A value that is remembered, or a setting's.
    fn remembered(&self, name: &str, memory: &[[u64; 2]], values: &[u64]) -> Option<u64> {
        let place = self.memory.iter().position(|(known, _)| *known == name);
        if let Some([client, _]) = place.and_then(|place| memory.get(place)) {
            return Some(*client);
        }
        let place = self.values.iter().position(|(known, ..)| *known == name)?;
        values.get(place).copied()
    }

    /// The bits that the number of a message rules out.
    fn id_bits(&self, node: &Node) -> u32 {
        self.id_bits.get(&(std::ptr::from_ref(node.field) as usize)).copied().unwrap_or(0)
    }

    /// The value of a setting, as the user or the file has it.
    fn setting(&self, place: usize, options: &Options) -> u64 {
        let Some((name, default, names)) = self.values.get(place) else { return 0 };
        let Some(text) = options.settings.get(&format!("{}.{name}", self.name)) else { return *default };
        let named = names.iter().find(|(_, name)| *name == text).map(|(value, _)| *value);
        let whole = || {
            crate::codec::digits::whole(text)
                .and_then(|n| u64::try_from(n).ok().or(i64::try_from(n).ok().map(|n| n as u64)))
        };
        named.or_else(whole).unwrap_or((text == "true") as u64)
    }
}

impl Dissector for Described {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn about(&self) -> &'static str {
        self.0.about
    }

    fn carriers(&self) -> &'static [&'static str] {
        if self.0.websocket.is_some() { &[crate::protocols::websocket::NAME] } else { &[] }
    }

    fn tables(&self) -> &'static [Table] {
        self.0.tables
    }

    fn headers(&self) -> &'static [Field] {
        self.0.headers
    }

    fn derived(&self) -> &'static [&'static Field] {
        self.0.derived
    }

    fn settings(&self) -> &'static [Setting] {
        self.0.settings
    }

    fn notes(&self) -> &'static [NoteDoc] {
        self.0.notes
    }

    fn takes(&self, transport: Transport, _named: bool) -> bool {
        match transport {
            Transport::Udp => self.0.udp.is_some(),
            Transport::Tcp => self.0.tcp.is_some() || self.0.websocket.is_some(),
        }
    }

    fn identify(&self, observation: &Observation<'_>) -> Evidence {
        evidence::identify(self.0, observation)
    }

    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
        Box::new(session::DescribedSession::new(self.0, flow_info))
    }

    fn yields(&self) -> bool {
        true
    }

    fn port(&self) -> Option<u16> {
        self.0.ports(Transport::Udp).chain(self.0.ports(Transport::Tcp)).next()
    }

    fn dump_transport(&self, _options: &Options) -> Transport {
        if self.0.udp.is_some() { Transport::Udp } else { Transport::Tcp }
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        Box::new(encode::Writing::new(self.0, options))
    }
}
