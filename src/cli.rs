//! The command line: every option and its help, once. Help, man page and completions come from here.

use clap::{Args, Parser, Subcommand, ValueEnum};
use netkit::capture::Moment;
use netkit::protocols::{Role, Server};
use std::path::PathBuf;

/// Decode, encode, replay and probe game-networking protocols
///
/// Riptide, DNP (Drag[en]gine), nano/pomelo, GNE over HawkNL and Acknex/Gamestudio, from captures,
/// hex text and live servers.
#[derive(Debug, Parser)]
#[command(name = "netkit", version, max_term_width = 100, after_help = EXIT, arg_required_else_help = true)]
pub struct Cli {
    /// Options of all commands.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT: &str = "\
Exit status:
  0  done (also when the reader of a pipe went away)
  1  done, but something that was asked about is not so: a fault under --fail-on
  2  wrong usage
  3  input or output failed: no such file, a cut capture (what could be read was printed)

Environment:
  NO_COLOR       no colours, as with --color never
  NETKIT_SCHEMA  schemas, as with --schema; several with : between them";

/// Options of all commands.
#[derive(Args, Debug)]
pub struct Global {
    /// Colours and highlights
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// No progress, no summaries on stderr
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more: whole hex, why a protocol was recognised, what the other frames were
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Dissect captures (pcap, pcapng, either gzipped) or hex text into annotated field trees
    Decode(Decode),
    /// Dissect hex text: plain, 0x lists, C arrays, xxd, hexdump -C, tcpdump -x, Wireshark
    Dump(Dump),
    /// Write messages: from FIELD=VALUE, or from the JSON lines that decode prints
    Encode(Encode),
    /// Count a capture's messages: conversations, bandwidth, delivery, round trips, series of a field
    Stats(Stats),
    /// Compare two captures: messages that appeared or vanished, rates, sizes, fields, delivery
    Diff(Diff),
    /// Ask live servers: is it there, what is it, how far away, and if not, why not
    Probe(Probe),
    /// Play one side of a captured conversation to a live peer
    Replay(Replay),
    /// Document the messages, fields, settings and notes of the protocols
    Fields(Fields),
    /// Print the completions for a shell
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    #[command(after_help = "Examples:\n  netkit man | man -l -")]
    Man,
}

const COMPLETIONS: &str = "\
Examples:
  netkit completions bash > ~/.local/share/bash-completion/completions/netkit
  netkit completions zsh > ~/.zfunc/_netkit
  netkit completions fish > ~/.config/fish/completions/netkit.fish";

/// Options that concern dissection.
#[derive(Args, Debug, Default)]
pub struct Dissect {
    /// The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it
    #[arg(short, long, value_name = "P")]
    pub proto: Option<String>,
    /// The layouts of your game's payloads (TOML); may be given several times
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_delimiter = ':', value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
    /// A setting of a protocol, as `netkit fields PROTO` lists them
    #[arg(short, long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Who sent the bytes, or the first packet of a conversation, where nothing else tells
    #[arg(long, value_name = "client|server", value_parser = role)]
    pub from: Option<Role>,
}

fn role(text: &str) -> Result<Role, String> {
    match Role::by_name(text) {
        Some(role @ (Role::Client | Role::Server)) => Ok(role),
        _ => Err("expected client or server".into()),
    }
}

/// How messages are printed.
#[derive(Args, Debug)]
pub struct Output {
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = Format::Tree, value_name = "F")]
    pub format: Format,
    /// ndjson and json: add the whole message as hex, `"bytes":".."`
    #[arg(long)]
    pub bytes: bool,
    /// Exit with status 1 when a message has a fault, or a warning
    #[arg(long, value_enum, value_name = "fault|warning")]
    pub fail_on: Option<FailOn>,
    /// Stop after N messages
    #[arg(short, long, value_name = "N")]
    pub count: Option<u64>,
}

/// Form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Annotated trees: each field with its bytes.
    Tree,
    /// A line a message.
    Summary,
    /// A table, for a few messages.
    Table,
    /// A JSON object a line: values.
    Ndjson,
    /// One JSON array of annotated trees.
    Json,
}

/// What makes the exit status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum FailOn {
    /// A warning, an error or a fault.
    Warning,
    /// A fault.
    Fault,
}

/// Options that concern captures.
#[derive(Args, Debug)]
pub struct Traffic {
    /// Which protocol a port carries, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port)]
    pub port: Vec<(u16, String)>,
    /// The server's address, where ports cannot tell
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub server: Option<Server>,
    /// Only the conversation of that number
    #[arg(long, value_name = "N")]
    pub flow: Option<u64>,
    /// Only messages that fit: "riptide.message_id == 7 and not has fault"
    #[arg(short = 'F', long, value_name = "EXPR")]
    pub filter: Option<String>,
    /// Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z
    #[arg(long, value_name = "TIME")]
    pub since: Option<Moment>,
    /// Only messages before then: as --since
    #[arg(long, value_name = "TIME")]
    pub until: Option<Moment>,
}

/// `netkit decode`.
#[derive(Args, Debug)]
#[command(after_help = DECODE)]
pub struct Decode {
    /// Captures or hex text; `-` is stdin
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options that concern captures.
    #[command(flatten)]
    pub traffic: Traffic,
    /// Dissect a file with N threads; default: as many as there are processors (ndjson, json, summary)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// How messages are printed.
    #[command(flatten)]
    pub output: Output,
    /// Go on when the end is reached: a file that grows, a named pipe; until Ctrl-C
    #[arg(long)]
    pub follow: bool,
    /// How tree, summary and table show times
    #[arg(long, value_enum, value_name = "relative|delta|utc|epoch", hide_possible_values = true)]
    pub time: Option<TimeForm>,
    /// Instead of printing: write every message again from its JSON line, and compare the bytes
    #[arg(long, conflicts_with_all = ["format", "bytes"])]
    pub check: bool,
}

const DECODE: &str = "\
Examples:
  netkit decode capture.pcap                         trees, each field with its bytes
  netkit decode capture.pcap -f summary              a line a message
  netkit decode capture.pcap -f ndjson | jq .fields  values, for scripts
  tcpdump -i eth0 -U -w - udp | netkit decode -      live
  netkit decode game.pcap -p riptide --port 7000=riptide -s riptide.version=2.2
  netkit decode capture.pcap -F 'message in {reliable, ack} and from == server'
  netkit decode capture.pcap -q -f ndjson --fail-on fault > /dev/null   for a build pipeline

Filters compare fields (message_id, payload.position.x, riptide.heartbeat.rtt, derived.route) and the
envelope (frame time flow proto version from transport src dst message length note) with
== != < <= > >= in {..} contains ~ (regular expression), and join with and, or, not, ( ).
`has fault`, `has warning` and a field alone test that it is there.";

fn port(text: &str) -> Result<(u16, String), String> {
    let (port, name) = text.split_once('=').ok_or("expected PORT=PROTOCOL, as 7000=riptide")?;
    let port = port.parse().map_err(|_| format!("{port:?} is no port: expected 0 to 65535"))?;
    Ok((port, known_proto(name)?))
}

/// The name of a protocol there is.
pub fn known_proto(name: &str) -> Result<String, String> {
    let names = || netkit::protocols::ALL.iter().map(|d| d.name());
    match netkit::protocols::by_name(name) {
        Some(dissector) => Ok(dissector.name().into()),
        None => {
            let near = netkit::nearest::nearest(name, names());
            let list = names().collect::<Vec<_>>().join(", ");
            Err(format!("no protocol {name:?}{}; there are {list}", netkit::nearest::hint(near)))
        }
    }
}

/// `netkit dump`.
#[derive(Args, Debug)]
#[command(after_help = DUMP)]
pub struct Dump {
    /// Hex text; `-` or nothing is stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Each line of plain hex is a message of its own (default: up to a blank line)
    #[arg(long)]
    pub lines: bool,
    /// How messages are printed.
    #[command(flatten)]
    pub output: Output,
}

const DUMP: &str = "\
Examples:
  echo 0801000100 | netkit dump                      recognise the protocol
  echo '18 00 10 00 00' | netkit dump -p riptide
  xxd message.bin | netkit dump -p dnp
  netkit dump -p nano -f ndjson < pasted.txt
Messages are separated by blank lines. A form that cannot be told for sure is refused with line and
column: nothing is guessed.";

/// `netkit encode`.
#[derive(Args, Debug)]
#[command(after_help = ENCODE, arg_required_else_help = true)]
pub struct Encode {
    /// The message: PROTO.MESSAGE, or MESSAGE with -p
    #[arg(required_unless_present = "json", conflicts_with = "json")]
    pub message: Option<String>,
    /// Its fields, as `netkit fields PROTO.MESSAGE` names them
    #[arg(value_name = "FIELD=VALUE", conflicts_with = "json")]
    pub fields: Vec<String>,
    /// Messages as JSON objects: lines of decode -f ndjson, the array of -f json, or written by
    /// hand; `-` is stdin
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub json: Option<PathBuf>,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Form of the bytes [default: hex; pcap where the output's name ends so]
    #[arg(long, value_enum, value_name = "FORM")]
    pub to: Option<To>,
    /// Where to write; default: stdout
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Add what stands around each message in a stream: a length, a header, a WebSocket frame
    /// [default: none; for pcap as the line says]
    #[arg(long, value_enum, value_name = "udp|tcp|ws", hide_possible_values = true)]
    pub transport: Option<Carried>,
    /// Report messages that cannot be written, and go on with the next
    #[arg(long)]
    pub keep_going: bool,
}

/// Form of the written bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum To {
    /// A line a message.
    Hex,
    /// The bytes and nothing else.
    Raw,
    /// A capture file: Ethernet, IP, UDP or TCP around each message.
    Pcap,
}

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Carried {
    /// UDP: nothing around them.
    Udp,
    /// TCP: the protocol's own framing.
    Tcp,
    /// WebSocket: a binary message each.
    Ws,
}

const ENCODE: &str = "\
Examples:
  netkit encode riptide.heartbeat ping_id=3 rtt=20
  netkit encode -p riptide -s riptide.version=2.2 reject reason=server_full
  netkit encode riptide.heartbeat ping_id=3 --transport tcp        with its length in front
  netkit decode a.pcap -f ndjson | netkit encode --json - --to pcap -o b.pcap
  netkit decode a.pcap -f ndjson | jq -c '.fields.payload=\"00\"' | netkit encode --json -
Fields:
  a=5  a=0x1f  a=server_full     numbers, also in hex; names of enumerations, lists of flags: x|y
  data=0801ff                    bytes are hex
  t2.sec=5  links[0].link_id=4   nested fields, elements of lists
  values='[{\"type\":\"uint8\",\"value\":7}]'   or as JSON; FIELD:=JSON is always JSON
  derived.links='[..]'           what earlier messages would tell
  a='{\"raw\":\"ff\",\"bits\":8}'    bits as they stand, for any field
Lengths, counts and masks are computed. Those that are given are written as given, right or wrong.
Nothing is written for a message that is not right: exit status 3.";

/// How times are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimeForm {
    /// Since the first message that is printed.
    Relative,
    /// Since the message before.
    Delta,
    /// Day and time of day, UTC.
    Utc,
    /// Seconds since 1970.
    Epoch,
}

/// `netkit replay`.
#[derive(Args, Debug)]
#[command(after_help = REPLAY)]
pub struct Replay {
    /// A capture; `-` is stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,
    /// Go to this peer: HOST:PORT, [IPV6]:PORT, ws://HOST:PORT/PATH
    #[arg(long, value_name = "HOST:PORT", required_unless_present_any = ["listen", "list", "dry_run"], conflicts_with = "listen")]
    pub to: Option<netkit::net::Target>,
    /// Wait for a peer here; port 0: any
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<std::net::SocketAddr>,
    /// List the conversations that can be played, and do nothing else
    #[arg(long, conflicts_with_all = ["to", "listen"])]
    pub list: bool,
    /// Play the conversation of that number; default: the only one
    #[arg(long, value_name = "N")]
    pub flow: Option<u64>,
    /// Whose side is played [default: client with --to, server with --listen]
    #[arg(long, value_name = "client|server", value_parser = role)]
    pub from: Option<Role>,
    /// So many times as fast as captured
    #[arg(long, value_name = "X", default_value = "1", value_parser = speed, conflicts_with = "asap")]
    pub speed: f64,
    /// As fast as the peer allows
    #[arg(long)]
    pub asap: bool,
    /// No pause is longer, as 1s or 200ms
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_gap: Option<std::time::Duration>,
    /// So many sessions, one after the other
    #[arg(long = "loop", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub times: u32,
    /// Leave out everything behind this frame
    #[arg(long, value_name = "FRAME")]
    pub until: Option<u64>,
    /// How long the peer may take where the protocol needs its answer
    #[arg(short = 'W', long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub timeout: std::time::Duration,
    /// Change a message on its way; may be given several times
    #[arg(long, value_name = "EXPR: FIELD=VALUE")]
    pub edit: Vec<String>,
    /// Leave out messages that fit; may be given several times
    #[arg(long, value_name = "EXPR")]
    pub drop: Vec<String>,
    /// Print what would be said, and say nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Say also what may harm the peer: broken and empty messages
    #[arg(long)]
    pub allow_dangerous: bool,
    /// Exit with status 1 when the peer diverges from the capture
    #[arg(long)]
    pub expect: bool,
    /// Form of the report
    #[arg(short, long, value_enum, default_value_t = ReplayFormat::Text, value_name = "F")]
    pub format: ReplayFormat,
    /// Record the exchange as a capture
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub pcap: Option<PathBuf>,
    /// The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it
    #[arg(short, long, value_name = "P")]
    pub proto: Option<String>,
    /// A setting of a protocol, as `netkit fields PROTO` lists them
    #[arg(short, long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The layouts of your game's payloads (TOML), for --edit
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_delimiter = ':', value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
    /// Which protocol a port carries, as 7000=riptide
    #[arg(long, value_name = "PORT=P", value_parser = port)]
    pub port: Vec<(u16, String)>,
    /// The captured server's address, where ports cannot tell
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub server: Option<Server>,
}

/// Form of a replay's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayFormat {
    /// For people.
    Text,
    /// A JSON object a line: each refusal and divergence, then the session.
    Ndjson,
}

const REPLAY: &str = "\
Examples:
  netkit replay game.pcap --list
  netkit replay game.pcap --flow 2 --to 127.0.0.1:7777         the client's side, as captured
  netkit replay game.pcap --to 127.0.0.1:7777 --asap --expect   for a build pipeline
  netkit replay game.pcap --listen 127.0.0.1:7777               the server's side, for a live client
  netkit replay game.pcap --to ws://127.0.0.1:3010/ --speed 2 --max-gap 1s
  netkit replay game.pcap --to 127.0.0.1:7777 --schema game.toml \\
      --edit 'riptide.message_id == 7: position.x=10' --drop 'message == notify'
  netkit replay game.pcap --dry-run
Ids, numbers, ports and byte orders that the peer decides are taken from its answers;
acknowledgements and heartbeats are made live; recorded resends are not repeated. Messages that may
harm a server (broken, cut, empty) are refused. The session is left politely, also after Ctrl-C.";

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.001..=1e6).contains(&x) => Ok(x),
        _ => Err("expected a number from 0.001 to 1000000".into()),
    }
}

/// `1s`, `200ms`, `0.5`.
fn duration(text: &str) -> Result<std::time::Duration, String> {
    let (number, unit) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(ms), _) => (ms, 1e-3),
        (None, Some(s)) => (s, 1.0),
        _ => (text, 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(x) if (0.0..=86_400.0).contains(&(x * unit)) => Ok(std::time::Duration::from_secs_f64(x * unit)),
        _ => Err("expected a time, as 1s, 200ms or 0.5".into()),
    }
}

/// `netkit stats`.
#[derive(Args, Debug)]
#[command(after_help = STATS)]
pub struct Stats {
    /// A capture; `-` is stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options that concern captures.
    #[command(flatten)]
    pub traffic: Traffic,
    /// One table: by message, flow, peer or second; with --track: the field that tells series apart
    #[arg(long, value_name = "message|flow|peer|second|FIELD")]
    pub by: Option<String>,
    /// What became of numbered messages, requests and links
    #[arg(long, conflicts_with = "by")]
    pub delivery: bool,
    /// Follow a field: a line each time it occurs; in text a sparkline
    #[arg(long, value_name = "FIELD", conflicts_with = "delivery")]
    pub track: Option<String>,
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = StatsFormat::Text, value_name = "F")]
    pub format: StatsFormat,
}

/// Form of the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// For people.
    Text,
    /// A JSON object a row.
    Ndjson,
    /// One JSON object.
    Json,
    /// Comma-separated, with a line of names.
    Csv,
}

const STATS: &str = "\
Examples:
  netkit stats capture.pcap                          all of it
  netkit stats capture.pcap --by second -f csv       messages and bytes a second
  netkit stats capture.pcap --by flow -f ndjson      a line a conversation
  netkit stats capture.pcap --delivery               losses, copies, delays, round trips
  netkit stats capture.pcap --delivery -f json       every numbered message with its copies and acknowledgement
  netkit stats game.pcap -p acknex --track acknex.update2.position --by entity
  netkit stats game.pcap --schema game.toml --track payload.position.x --by flow -f csv
Rates are a second of the capture, sizes bytes, delays milliseconds. Resent copies came before an
acknowledgement, duplicates after one; missing numbers were passed over, lost ones never came.";

/// `netkit diff`.
#[derive(Args, Debug)]
#[command(after_help = DIFF)]
pub struct Diff {
    /// The first capture
    #[arg(value_name = "A", value_hint = clap::ValueHint::FilePath)]
    pub a: PathBuf,
    /// The second capture
    #[arg(value_name = "B", value_hint = clap::ValueHint::FilePath)]
    pub b: PathBuf,
    /// Options that concern dissection.
    #[command(flatten)]
    pub dissect: Dissect,
    /// Options that concern captures.
    #[command(flatten)]
    pub traffic: Traffic,
    /// Exit with status 1 when there is a difference like that; may be given several times
    #[arg(long, value_name = "METRIC>PERCENT|appeared|vanished|fields")]
    pub fail_on: Vec<netkit::stats::diff::Limit>,
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = DiffFormat::Text, value_name = "F")]
    pub format: DiffFormat,
}

/// Form of the differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

const DIFF: &str = "\
Examples:
  netkit diff before.pcap after.pcap
  netkit diff before.pcap after.pcap -f json
  netkit diff before.pcap after.pcap --fail-on 'rate>10%' --fail-on vanished    for a build pipeline
Metrics: rate, bandwidth (a second), size (mean), count of each message; resent, lost (shares, compared
by their difference), ack, answer (median milliseconds) of each side. A change counts up and down.";

/// `netkit fields`.
#[derive(Args, Debug)]
#[command(after_help = FIELDS)]
pub struct Fields {
    /// A protocol, or one of its messages; nothing: all protocols
    #[arg(value_name = "PROTO[.MESSAGE]")]
    pub what: Option<String>,
    /// Document the messages of these schemas too (TOML)
    #[arg(long, value_name = "FILE", env = "NETKIT_SCHEMA", value_delimiter = ':', value_hint = clap::ValueHint::FilePath)]
    pub schema: Vec<PathBuf>,
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = FieldsFormat::Text, value_name = "F")]
    pub format: FieldsFormat,
}

/// Form of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FieldsFormat {
    /// For people.
    Text,
    /// For tools.
    Json,
}

const FIELDS: &str = "\
Examples:
  netkit fields                      the protocols
  netkit fields riptide              messages, settings, notes
  netkit fields riptide.heartbeat    one message's fields, in wire order
  netkit fields dnp -f json          for tools";

/// `netkit probe`.
#[derive(Args, Debug)]
#[command(after_help = PROBE)]
pub struct Probe {
    /// Servers: HOST:PORT, [IPV6]:PORT, ws://HOST:PORT/PATH; HOST alone with --proto
    #[arg(value_name = "HOST:PORT", required_unless_present = "targets")]
    pub target: Vec<String>,
    /// More servers, one a line; `#` begins a comment; `-` is stdin
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub targets: Option<PathBuf>,
    /// The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: try all of them, in
    /// an order that harms none
    #[arg(short, long, value_name = "P")]
    pub proto: Option<String>,
    /// Only over this transport; default: what the protocol has, one after the other
    #[arg(long, value_enum, value_name = "T")]
    pub transport: Option<ProbeTransport>,
    /// A setting of a protocol, as `netkit fields PROTO` lists them: riptide.version=2.0
    #[arg(short, long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How many round trips to measure
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub samples: u32,
    /// Seconds from one to the next
    #[arg(short, long, value_name = "S", default_value = "0.2", value_parser = interval)]
    pub interval: std::time::Duration,
    /// Seconds to wait for an answer; default: the protocol's own
    #[arg(short = 'W', long, value_name = "S", value_parser = timeout)]
    pub timeout: Option<std::time::Duration>,
    /// dnp, gne: complete the handshake, which makes a player for a moment
    #[arg(long)]
    pub connect: bool,
    /// acknex: create an entity of this model for exact round trips, and remove it. Changes the
    /// running game
    #[arg(long, value_name = "MODEL")]
    pub create: Option<String>,
    /// acknex: the player's name to join with
    #[arg(long, value_name = "NAME", default_value = "netkit", value_parser = player)]
    pub name: String,
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t = ProbeFormat::Text, value_name = "F")]
    pub format: ProbeFormat,
    /// Record the exchange as a capture
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub pcap: Option<PathBuf>,
    /// So many servers at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: u16,
}

fn secs(text: &str, least: f64, most: f64) -> Result<std::time::Duration, String> {
    match text.parse::<f64>() {
        Ok(s) if (least..=most).contains(&s) => Ok(std::time::Duration::from_secs_f64(s)),
        _ => Err(format!("expected seconds from {least} to {most}")),
    }
}

fn interval(text: &str) -> Result<std::time::Duration, String> {
    secs(text, 0.02, 60.0)
}

fn timeout(text: &str) -> Result<std::time::Duration, String> {
    secs(text, 0.01, 600.0)
}

/// A player's name as engines take it.
fn player(text: &str) -> Result<String, String> {
    match text.is_ascii() && (1..=16).contains(&text.len()) && !text.chars().any(|c| c.is_ascii_control()) {
        true => Ok(text.into()),
        false => Err("expected 1 to 16 ASCII characters".into()),
    }
}

/// What a probe goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbeTransport {
    /// UDP.
    Udp,
    /// TCP.
    Tcp,
    /// WebSocket.
    Ws,
}

/// Form of a probe's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProbeFormat {
    /// For people.
    Text,
    /// A JSON object a line: each round trip, then a summary for each server.
    Ndjson,
    /// One JSON array with an object a server.
    Json,
}

const PROBE: &str = "\
Examples:
  netkit probe game.example:7777                     which protocol, which version, how far
  netkit probe game.example:7777 -p riptide -n 20 -i 0.5
  netkit probe [2001:db8::1]:7777 -p riptide --transport tcp
  netkit probe ws://game.example:3250/nano -p nano -v   every message as a tree
  netkit probe game.example -p dnp --connect --pcap exchange.pcap
  netkit probe --targets servers.txt -p riptide -f ndjson | jq -r 'select(.outcome)|[.target,.outcome]|@tsv'

A server is asked as its own client would ask, a few times, and left properly, also on Ctrl-C. riptide's
and nano's handshakes are completed; dnp and gne make no player without --connect. Outcomes: ok,
resolve_failed, no_route, refused, silent, other_protocol, other_version, rejected, full, pending,
closed, broken, interrupted, failed. Exit status 0 when all servers answered, 1 otherwise, 130 after
Ctrl-C. Jitter is the mean difference between one round trip and the next.";
