//! A protocol in one file, without a change to the library: proves "Add a protocol in one page" in `netkit::protocols`.
//!
//! "Toy" uses UDP port 4666; the first byte is the type. 1 is `say`: a length, a text; 2 is `move`: an entity and its
//! step in x and y. A client sends `hello` until the server sends `welcome`; `order` is numbered, and resent until an
//! `ack` has its number; a `ping` is answered at once; `bye` ends it. So the protocol has acknowledgements, a probe and
//! a replay.

mod common;

use common::Receive;
use common::{Wire, dissect};
use netkit::capture::{Packets, Time};
use netkit::codec::layout::{Field, Layout, Len, i16le, length, tag, text, u8, u16le};
use netkit::codec::{EncodeError, Reader, Writer};
use netkit::dissect::*;
use netkit::encode::{Encoders, Entry, Source};
use netkit::filter::{Filter, Names};
use netkit::live::probe::{self, Carrier, Engine, Failure, Method, Probe, Question, Questions, Series, Servers};
use netkit::live::replay::*;
use netkit::live::{CancelToken, Client, Clients, Clock, Exchange, Setup};
use netkit::message::OwnedMessage;
use netkit::render::Ndjson;
use netkit::stats::{Stats, Wanted};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

// 1. Tables.
static SAY: [Field; 3] =
    [tag("kind", 8, 1).hidden(), u8("length").referenced().doc("of the words"), text("words", length("length"))];
static MOVE: [Field; 4] = [tag("kind", 8, 2).hidden(), u16le("entity"), i16le("dx").unit("cm"), i16le("dy").unit("cm")];
static HELLO: [Field; 2] = [tag("kind", 8, 3).hidden(), text("name", Len::Prefix(&LENGTH))];
static WELCOME: [Field; 2] = [tag("kind", 8, 4).hidden(), ID];
static ORDER: [Field; 3] = [tag("kind", 8, 5).hidden(), NUMBER, text("words", Len::Prefix(&LENGTH))];
static ACK: [Field; 2] = [tag("kind", 8, 6).hidden(), NUMBER];
static PING: [Field; 2] = [tag("kind", 8, 7).hidden(), ID];
static PONG: [Field; 2] = [tag("kind", 8, 8).hidden(), ID];
static BYE: [Field; 1] = [tag("kind", 8, 9).hidden()];
static LENGTH: Field = u8("length");
const ID: Field = u8("id");
const NUMBER: Field = u16le("number");
netkit::messages! {
    /// Toy's messages.
    enum ToyMessage {
        Say = "say",
        Move = "move",
        Hello = "hello",
        Welcome = "welcome",
        Order = "order",
        Ack = "ack",
        Ping = "ping",
        Pong = "pong",
        Bye = "bye",
    }
}
static LAYOUTS: [Layout; 9] = [
    ToyMessage::Say.layout("words for everybody", &SAY),
    ToyMessage::Move.layout("an entity has moved", &MOVE),
    ToyMessage::Hello.layout("a client asks to join", &HELLO),
    ToyMessage::Welcome.layout("the server has a place", &WELCOME),
    ToyMessage::Order.layout("words that must arrive", &ORDER),
    ToyMessage::Ack.layout("an order has arrived", &ACK),
    ToyMessage::Ping.layout("to be answered at once", &PING),
    ToyMessage::Pong.layout("the answer to a ping", &PONG),
    ToyMessage::Bye.layout("the end", &BYE),
];
static TABLES: [Table; 1] = [Table { version: "", from: Role::Unknown, layouts: &LAYOUTS }];

// 2. Session: this one remembers nothing.
struct Reading;

impl Session for Reading {
    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        let flow_info = out.flow_info;
        let server = flow_info.server_by_option().or_else(|| flow_info.server_by_port(|port| port == PORT));
        let dissection = out.begin("toy");
        dissection.from = FlowInfo::role(server, place.side);
        let kind = place.bytes.first().map_or(0, |kind| usize::from(*kind));
        let layout = LAYOUTS.get(kind.wrapping_sub(1)).unwrap_or(&LAYOUTS[ToyMessage::Move as usize]);
        dissection.message = layout.name;
        let outcome = Reader::new(place.bytes, &mut dissection.tree).named("toy", layout.name).read(layout.fields);
        dissection.ended(outcome);
        out.emit(place);
    }
}

// 3. Encoder.
struct Writing;

impl Encoder for Writing {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        let layout = line.layout("toy", &LAYOUTS)?;
        Writer::new(line.fields).broken(line.broken).write(layout.fields)
    }
}

// 4. Description.
const PORT: u16 = 4666;

static TOY: Protocol = Protocol {
    facts: Facts {
        about: "a protocol for tests, over UDP",
        ports: &[PORT],
        tables: &TABLES,
        senders: &[(Role::Client, &[ToyMessage::Hello.name()]), (Role::Server, &[ToyMessage::Welcome.name()])],
        ..Facts::new("toy")
    },
    identify,
    session: |_flow_info| Box::new(Reading),
    encoder: |_options| Box::new(Writing),
};

fn identify(observation: &Observation<'_>) -> Evidence {
    match observation.payloads.first() {
        Some((_, [1 | 2, ..], _)) if observation.ends.iter().any(|end| end.port() == PORT) => {
            // A port of 2^16 at either endpoint, and 2 of 256 types.
            Evidence::Bits(15 + 7, "port 4666, and a kind that there is")
        }
        // A length of 2^8 fits as well.
        Some((_, [3, length, name @ ..], _)) if name.len() == usize::from(*length) => {
            Evidence::Bits(8 + 8 + 5, "a hello of the right length")
        }
        _ => Evidence::No,
    }
}

// 5. Registry.
fn options() -> Options {
    Options::new(netkit::protocols::registry().with(&TOY))
}

/// Collects each message's line and bytes.
#[derive(Default)]
struct Lines(Vec<(Json, Vec<u8>)>);

impl Sink for Lines {
    fn message(&mut self, message: &Message<'_>) {
        let mut line = Vec::new();
        Ndjson::new(false).message(message, &mut line);
        self.0.push((serde_json::from_slice(&line).expect("JSON"), message.place.bytes.to_vec()));
    }
}

const WORDS: [&[u8]; 3] = [b"\x01\x05hello", b"\x02\x07\x00\xff\xff\x10\x00", b"\x02\x07"];

/// The capture of a conversation with these datagrams.
fn capture(spoken: &[&[u8]]) -> Vec<u8> {
    let mut wire = Wire::default();
    let ends = ["10.0.0.1:50000", "10.0.0.2:4666"].map(|end| end.parse().unwrap());
    spoken.iter().for_each(|payload| wire.datagram(ends, true, payload));
    wire.file()
}

fn decode(options: &Options) -> Vec<(Json, Vec<u8>)> {
    let mut lines = Lines::default();
    dissect(capture(&WORDS), options, &mut lines);
    lines.0
}

#[test]
fn it_is_recognised_and_decoded() {
    let lines = decode(&options());
    let wanted =
        [json!({"length": 5, "words": "hello"}), json!({"entity": 7, "dx": -1, "dy": 16}), json!({"unparsed": "07"})];
    assert_eq!(lines.len(), 3);
    for (k, (line, bytes)) in lines.iter().enumerate() {
        assert_eq!((&line["proto"], &line["from"]), (&json!("toy"), &json!("client")), "{line}");
        assert_eq!(line["fields"], wanted[k], "{line}");
        assert_eq!(line.get("fault").is_some(), k == 2, "{line}");
        assert_eq!(bytes, WORDS[k]);
    }
    // Also by its name; without it in the registry, no protocol claims it.
    let named = Options { proto: Some("toy".into()), ..options() };
    assert_eq!(decode(&named).len(), 3);
    assert_eq!(decode(&netkit::protocols::options()).len(), 0);
}

#[test]
fn its_lines_are_encoded() {
    let options = options();
    let source = Source::new(options.registry.clone());
    let mut encoders = Encoders::new(&options);
    for (line, bytes) in decode(&options) {
        let entry = Entry::new(line, &source).unwrap();
        assert_eq!(encoders.encode(&entry).unwrap(), bytes);
    }
    // By the message's name alone, as on a command line; unknown if the registry lacks it.
    let object = json!({"message": "move", "fields": {"entity": 1, "dx": 2, "dy": 3}});
    let entry = Entry::new(object.clone(), &source).unwrap();
    assert_eq!(encoders.encode(&entry).unwrap(), b"\x02\x01\x00\x02\x00\x03\x00");
    assert!(Entry::new(object, &Source::new(netkit::protocols::registry())).is_err());
}

#[test]
fn filters_know_its_names() {
    struct Matching<'a>(&'a Filter, Vec<u64>, u64);
    impl Sink for Matching<'_> {
        fn message(&mut self, message: &Message<'_>) {
            self.2 += 1;
            if self.0.matches(message) {
                self.1.push(self.2);
            }
        }
    }
    let options = options();
    for (text, matching) in [("dx == -1", vec![2]), ("toy.say", vec![1]), ("proto == toy and fault", vec![3])] {
        let filter = Filter::parse(text, &Names::new(&options)).unwrap();
        let mut sink = Matching(&filter, Vec::new(), 0);
        dissect(capture(&WORDS), &options, &mut sink);
        assert_eq!(sink.1, matching, "{text}");
        assert!(Filter::parse(text, &Names::new(&netkit::protocols::options())).is_err(), "{text}");
    }
    let error = Filter::parse("toy.entitty == 7", &Names::new(&options)).unwrap_err().to_string();
    assert!(error.contains("entity"), "{error}");
}

#[test]
fn it_is_documented_and_counted() {
    let options = options();
    let toy = options.registry.by_name("toy").unwrap();
    let page = document(toy, Some("move"));
    assert_eq!(page["tables"][0]["messages"][0]["message"], "move");
    assert_eq!(page["tables"][0]["messages"][0]["fields"][2]["unit"], "cm");
    let mut stats = Stats::new(&options, Wanted { rows: false, fields: true });
    dissect(capture(&WORDS), &options, &mut stats);
    assert_eq!((stats.messages, stats.bytes, stats.faults), (3, 16, 1));
    assert!(stats.sums().starts_with("toy, 3 messages, 16 bytes"), "{}", stats.sums());
}

// 6. Client: the library resends; this table and actor match answers.
struct ToyClient;

static NUMBERING: Numbering = Numbering {
    field: &NUMBER,
    numbered: |name| name == ToyMessage::Order.name(),
    first: 0,
    modulus: 1 << 16,
    window: Window::Count(4),
    full: "an ack: four orders are on their way",
    patience: Duration::from_millis(800),
};

static RULES: Rules = Rules {
    empty: "an empty datagram",
    broken: "",
    live: &[("ack", "acks"), ("ping", "pings"), ("pong", "pongs")],
    opens: [&["hello"], &["welcome"]],
    closes: &["bye"],
    answers: &["welcome"],
    others: &[],
    volatile: &[(&[], &["number", "id"])],
    decided: &[(&[], &["number"])],
};

impl Replay for ToyClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        let sent = Unacknowledged::new(Duration::from_millis(50), context.timeout);
        Box::new(ToyActor {
            life: Life::new("toy", &RULES, context),
            numbers: Numbers::new(&NUMBERING, sent, Duration::from_millis(200), context.asap),
            has_hello: context.has(Role::Client, "hello"),
        })
    }
}

struct ToyActor {
    life: Life,
    numbers: Numbers,
    has_hello: bool,
}

impl ToyActor {
    fn hello(&mut self, spoken: OwnedMessage, now: Instant, out: &mut Outbox) {
        let repeats = Repeats { every: Duration::from_millis(100), patience: self.life.timeout, most: 20 };
        self.life.ask(spoken, repeats, now, out);
    }
}

impl Actor for ToyActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn numbers(&mut self) -> Option<&mut Numbers> {
        Some(&mut self.numbers)
    }

    fn begin(&mut self, now: Instant, out: &mut Outbox) {
        if self.life.role == Role::Client && !self.has_hello {
            let hello = self.life.message("hello", json!({"name": "netkit"}));
            self.hello(hello, now, out);
        }
    }

    fn waits(&mut self, message: &Recorded, now: Instant) -> Option<&'static str> {
        let (client, phase) = (self.life.role == Role::Client, self.life.phase);
        match ToyMessage::named(message.decoded.message) {
            Some(ToyMessage::Hello) => None,
            Some(ToyMessage::Welcome) => (phase < Phase::Asked).then_some("the hello"),
            _ if phase < Phase::Working => Some(if client { "the welcome" } else { "the hello" }),
            Some(ToyMessage::Order) => self.numbers.full(),
            Some(ToyMessage::Bye) => self.numbers.rests(now),
            _ => None,
        }
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let spoken = message.decoded.clone();
        match ToyMessage::named(spoken.message) {
            Some(ToyMessage::Hello) => self.hello(spoken, now, out),
            Some(ToyMessage::Order) => self.numbers.send(spoken, now, out),
            kind => {
                match kind {
                    Some(ToyMessage::Welcome) => self.life.reach(Phase::Working),
                    Some(ToyMessage::Bye) => self.life.phase = Phase::Over,
                    _ => {}
                }
                out.messages.push_back(spoken);
            }
        }
        Ok(())
    }

    fn recv(&mut self, spoken: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        let number = spoken.number(&NUMBER).unwrap_or_default() as u16;
        match ToyMessage::named(spoken.message) {
            Some(ToyMessage::Hello) if self.life.phase == Phase::Working => {
                // The welcome was lost.
                out.live(self.life.message("welcome", json!({"id": 1})));
                return Handling::Session;
            }
            Some(ToyMessage::Hello) => self.life.reach(Phase::Asked),
            Some(ToyMessage::Welcome) => {
                self.life.reach(Phase::Working);
                if !self.life.answered() {
                    return Handling::Session;
                }
            }
            Some(ToyMessage::Ack) => {
                let trip = self.numbers.sent.acknowledged(number, now, out);
                trip.into_iter().for_each(|(asked, took, resent)| out.counts.round_trip(asked.message, took, resent));
                return Handling::Session;
            }
            Some(ToyMessage::Order) => {
                let arrival = self.numbers.received(number.into(), now, out);
                if arrival != Arrival::Ignored {
                    out.live(self.life.message("ack", json!({ "number": number })));
                }
                return if arrival == Arrival::New { Handling::New } else { Handling::Session };
            }
            Some(ToyMessage::Ping) => {
                out.live(self.life.message("pong", spoken.to_json().clone()));
                return Handling::Session;
            }
            Some(ToyMessage::Bye) => self.life.end("bye"),
            _ => {}
        }
        Handling::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let asked = self.life.tick(|| "no answer to the hello".into(), now, out);
        let (sent, _) = self.numbers.sent.tick(now, out);
        asked.into_iter().chain(sent).min()
    }

    fn leave(&mut self, out: &mut Outbox) {
        if !matches!(self.life.phase, Phase::New | Phase::Over) {
            out.live(self.life.message("bye", json!({})));
        }
        self.life.phase = Phase::Over;
    }

    fn is_reliable(&self, spoken: &OwnedMessage) -> bool {
        (NUMBERING.numbered)(spoken.message)
    }
}

static SERVERS: Servers = Servers {
    port: Some(PORT),
    timeout: Duration::from_secs(1),
    answers: &["welcome"],
    methods: &[Method { name: "", carrier: Carrier::Udp, rank: 80, why: "for the others it is not a message" }],
};

impl Probe for ToyClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn questions(&self, _method: &Method) -> Box<dyn Questions + '_> {
        Box::new(Pings)
    }
}

struct Pings;

impl Questions for Pings {
    fn ask(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
        let ask = engine.ask;
        engine.open(Carrier::Udp, None)?.begin()?;
        let Some(welcome) = engine.wait(self, None, ask.until())? else {
            return Err(engine.silent("hello", "check the port"));
        };
        engine.findings.find("toy", Carrier::Udp, None);
        engine.findings.fields(&welcome, &[&ID]);
        let series = Series { wait: Duration::from_secs(30), ..Series::of(ask, "ping") };
        engine.series(self, &series).map(drop)
    }

    fn question(&mut self, number: u32) -> Question {
        Question::new("ping", json!({"id": number as u8}))
    }

    fn read(
        &mut self,
        got: &OwnedMessage,
        number: Option<u32>,
        _: &mut Engine<'_, '_>,
    ) -> Result<probe::Meaning, Failure> {
        let answers = match number {
            None => got.message == ToyMessage::Welcome,
            number => got.message == ToyMessage::Pong && got.number(&ID) == number.map(u64::from),
        };
        Ok(if answers { probe::Meaning::Answer } else { probe::Meaning::Session })
    }
}

fn clients() -> Clients {
    netkit::protocols::clients().with(Client { dissector: &TOY, probe: Some(&ToyClient), replay: Some(&ToyClient) })
}

#[test]
fn its_servers_are_asked() {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let target = server.local_addr().unwrap().to_string().parse().unwrap();
    let peer = std::thread::spawn(move || {
        let (mut got, mut buffer) = (Vec::new(), [0; 64]);
        while got.last() != Some(&vec![9]) {
            let (length, from) = server.receive_from(&mut buffer).unwrap();
            match buffer[0] {
                3 => server.send_to(&[4, 42], from).unwrap(),
                7 => server.send_to(&[8, buffer[1]], from).unwrap(),
                _ => 0,
            };
            got.push(buffer[..length].to_vec());
        }
        got
    });
    let request = probe::Request {
        clients: clients(),
        proto: Some(&TOY),
        carrier: None,
        options: options(),
        samples: 3,
        interval: Duration::from_millis(10),
        timeout: Some(Duration::from_secs(60)),
        connect: false,
        create: None,
        name: String::new(),
        data: None,
        max_time: None,
        rounds: false,
    };
    let shared = probe::Shared {
        recorder: None,
        stop: &CancelToken::default(),
        flows: &Default::default(),
        memory: &Default::default(),
    };
    let report = probe::run(&request, &target, &shared, None, &|_| ());
    assert_eq!((report.outcome, report.samples.len()), (probe::Outcome::Ok, 3), "{:?}", report.failure);
    assert!(report.samples.iter().all(|sample| sample.rtt.is_some()));
    assert_eq!(report.found.unwrap().facts["id"], 42);
    let mut got = peer.join().unwrap();
    // The hello is repeated if the welcome is late.
    got.dedup_by(|next, last| next == last && next[0] == 3);
    assert_eq!(got, [&b"\x03\x06netkit"[..], &[7, 0], &[7, 1], &[7, 2], &[9]]);
}

/// A client that joins and gives orders; the server gives some, too.
fn recorded() -> Conversation {
    let mut wire = Wire::default();
    let ends = ["10.0.0.1:50000", "10.0.0.2:4666"].map(|end| end.parse().unwrap());
    wire.datagram(ends, true, b"\x03\x03Ann");
    wire.datagram(ends, false, &[4, 7]);
    for number in 100..130u8 {
        wire.datagram(ends, number % 3 > 0, &[5, number, 0, 2, b'a' + number % 26, b'!']);
        wire.datagram(ends, number % 3 == 0, &[6, number, 0]);
    }
    wire.datagram(ends, true, &[9]);
    let packets = Packets::open(Box::new(std::io::Cursor::new(wire.file()))).unwrap();
    Recording::read(packets, &options(), &clients(), &Changes::new(0)).unwrap().take(None).unwrap()
}

#[test]
fn its_conversations_are_played_also_where_datagrams_are_lost() {
    let (conversation, stop, options, start) = (recorded(), CancelToken::default(), options(), Instant::now());
    let order = |role| Order {
        conversation: &conversation,
        choices: Choices { role, allow_dangerous: false, until: None },
        pace: Pace { speed: None, max_gap: None },
        timeout: Duration::from_secs(8),
        linger: LINGER,
        host: "",
        path: None,
        recorder: None,
        observer: None,
        stop: &stop,
        max_time: None,
        flow: 1,
    };
    let orders = [order(Role::Client), order(Role::Server)];
    let plans = orders.each_ref().map(|order| order.plan(&options));
    let plan = [&plans[0].0, &plans[1].0];
    assert_eq!((plan[0].steps.len(), plan[1].steps.len()), (22, 11), "hello, 20 orders, bye; welcome, 10 orders");
    let [client, server]: [SocketAddr; 2] = ["192.0.2.2:40000".parse().unwrap(), conversation.ends[1]];
    let clock = Clock { at: start, time: Time::default() };
    let actors = orders.each_ref().map(|order| order.plan(&options).1);
    let mut ends = [[client, server], [server, client]].into_iter();
    let mut each = orders.iter().zip(plan);
    let mut players = actors.map(|actor| {
        let ((order, plan), ends) = (each.next().unwrap(), ends.next().unwrap());
        let channels = Channels::new(Setup { clock, ..order.setup(ends) }, &options, ends[0] == client);
        Player::new(plan, actor, channels, &order.settings(&options, None), start)
    });
    // Each takes 5 ms; every eleventh is lost.
    let mut under_way: BTreeMap<(Instant, u32), (usize, Vec<u8>)> = BTreeMap::new();
    let (mut now, mut count) = (start, 0);
    while !players.iter().all(Player::is_done) {
        while let Some(first) = under_way.first_entry().filter(|first| first.key().0 <= now) {
            let (to, bytes) = first.remove();
            players[to].recv(netkit::message::Channel::Main, &bytes, now);
        }
        for (k, player) in players.iter_mut().enumerate() {
            if player.poll_timeout().is_some_and(|at| at <= now) {
                player.handle_timeout(now);
            }
            while let Some(action) = player.poll_action() {
                let Action::Send(_, bytes) = action else { continue };
                count += 1;
                if count % 11 > 0 {
                    under_way.insert((now + Duration::from_millis(5), count), (1 - k, bytes));
                }
            }
        }
        now += Duration::from_millis(1);
        assert!(now < start + Duration::from_secs(60), "it never ends");
    }
    for report in players.map(|player| player.report(now)) {
        assert!(report.complete() && report.divergences.is_empty(), "{report:#}");
        assert!(report.counts.resent > 0 && report.counts.unacknowledged == 0, "{report:#}");
    }
}

#[test]
fn a_client_does_not_say_what_a_server_says() {
    let conversation = recorded();
    let ends: [SocketAddr; 2] = ["192.0.2.2:40000".parse().unwrap(), conversation.ends[1]];
    let setup = Setup {
        dissector: &TOY,
        version: None,
        transport: netkit::flow::Transport::Udp,
        ends,
        flow: 1,
        role: Role::Client,
        websocket: false,
        observer: None,
        compared: None,
        clock: Clock { at: Instant::now(), time: Time::default() },
    };
    let mut exchange = Exchange::new(setup, &options());
    let refused = exchange.send_bytes(vec![4, 1], Instant::now()).unwrap_err().to_string();
    assert!(refused.contains("a client does not send welcome"), "{refused}");
    exchange.send_bytes(b"\x03\x01x".to_vec(), Instant::now()).unwrap();
}
