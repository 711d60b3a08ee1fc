//! Two players against each other on a simulated clock: no port, no thread, no sleep. The network between them has
//! latency, and loses and duplicates datagrams, by a seed.

use crate::replay::stage::{Stage, conversation, options};
use netkit::capture::Time;
use netkit::dissect::Role;
use netkit::flow::Transport;
use netkit::live::replay::{Action, Channels, Choices, Conversation, LINGER, Order, Pace, Player, Report};
use netkit::live::{CancelToken, Clock, NetError};
use netkit::message::Channel;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Random numbers from a seed (xorshift64*).
pub struct Dice(pub u64);

impl Dice {
    pub fn percent(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % 100
    }
}

/// A packet under way to a side.
#[derive(Clone)]
enum Packet {
    /// A datagram, by its index in the log, or bytes of the stream.
    Bytes(Channel, Option<usize>, Vec<u8>),
    End,
}

/// A datagram and its outcome.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The side that sent it (0: the client).
    pub side: usize,
    /// The number of copies that arrived while the receiver was present.
    pub arrived: usize,
    pub at: Instant,
    pub bytes: Vec<u8>,
}

/// A network between two players.
struct Net {
    transport: Transport,
    loss: u64,
    dice: Dice,
    latency: Duration,
    /// Receiver and packet, by arrival time and number.
    under_way: BTreeMap<(Instant, u64), (usize, Packet)>,
    number: u64,
    lost: u64,
    /// Whether streams arrive in odd chunks, and as many datagrams are late as are lost.
    bad: bool,
    log: Vec<Sent>,
    /// Each side's socket for datagrams beside the stream: whether it is connected, and the datagrams that wait until
    /// then.
    datagrams: [(bool, Vec<Datagram>); 2],
}

/// A datagram beside the stream: its index in the log, and its bytes.
type Datagram = (Option<usize>, Vec<u8>);

impl Net {
    fn send(&mut self, from: usize, channel: Channel, bytes: Vec<u8>, now: Instant) {
        if channel == Channel::Main && self.transport == Transport::Tcp {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                // GNE's handshake needs its header in one chunk.
                let size = if self.bad { 4 + self.dice.percent() as usize } else { rest.len() };
                let (chunk, following) = rest.split_at(size.min(rest.len()));
                self.put(from, Packet::Bytes(channel, None, chunk.to_vec()), now);
                rest = following;
            }
            return;
        }
        let number = self.log.len();
        self.log.push(Sent { side: from, arrived: 0, at: now, bytes: bytes.clone() });
        let roll = self.dice.percent();
        if roll < self.loss {
            self.lost += 1;
            return;
        }
        let packet = Packet::Bytes(channel, Some(number), bytes);
        if roll < 2 * self.loss {
            self.put(from, packet.clone(), now);
        }
        let late = self.bad && (2 * self.loss..3 * self.loss).contains(&roll);
        self.put(from, packet, if late { now + self.latency } else { now });
    }

    fn put(&mut self, from: usize, packet: Packet, now: Instant) {
        self.number += 1;
        self.under_way.insert((now + self.latency, self.number), (1 - from, packet));
    }
}

/// The timeout for an answer.
const PATIENCE: Duration = Duration::from_secs(8);

/// The result of a simulated session.
pub struct Played {
    pub reports: [Report; 2],
    pub lost: u64,
    /// All datagrams, in order.
    pub log: Vec<Sent>,
    /// The duration by the simulated clock.
    pub took: Duration,
}

/// Plays both sides of a conversation. Of a hundred datagrams, `loss` are lost and as many duplicated; if the stage has
/// a seed, as many are late, and streams arrive in chunks.
pub fn simulated(conversation: &Conversation, stage: &Stage, pace: Pace, loss: u64) -> Played {
    cancelled([conversation; 2], stage, [pace; 2], loss, None)
}

/// Plays the client's side of one conversation against the server's of another, each at its own pace.
pub fn between(conversations: [&Conversation; 2], stage: &Stage, paces: [Pace; 2]) -> Played {
    cancelled(conversations, stage, paces, 0, None)
}

/// Plays through a bad network, as fast as possible.
pub fn lossy(conversation: &Conversation, stage: &Stage) -> Played {
    simulated(conversation, stage, ASAP, 10)
}

/// The same; the client's user cancels after some time.
fn cancelled(
    conversations: [&Conversation; 2],
    stage: &Stage,
    paces: [Pace; 2],
    loss: u64,
    cancel: Option<Duration>,
) -> Played {
    staged(conversations, stage, paces, loss, cancel, None, PATIENCE)
}

/// The server vanishes after some time.
pub fn vanishing(conversations: [&Conversation; 2], stage: &Stage, after: Duration) -> Played {
    staged(conversations, stage, [CLOCK; 2], 0, None, Some(after), PATIENCE)
}

/// The client waits at most this long for an answer.
pub fn hasty(conversations: [&Conversation; 2], stage: &Stage, patience: Duration) -> Played {
    staged(conversations, stage, [CLOCK; 2], 0, None, None, patience)
}

fn staged(
    conversations: [&Conversation; 2],
    stage: &Stage,
    paces: [Pace; 2],
    loss: u64,
    cancel: Option<Duration>,
    gone: Option<Duration>,
    patience: Duration,
) -> Played {
    let stop = CancelToken::default();
    let order = |role, conversation, pace| Order {
        conversation,
        choices: Choices { role, allow_dangerous: stage.allow_dangerous, until: stage.until },
        pace,
        timeout: if role == Role::Client { patience } else { PATIENCE },
        linger: LINGER,
        host: "192.0.2.1",
        path: None,
        recorder: None,
        observer: None,
        stop: &stop,
        max_time: None,
        flow: 1,
    };
    let orders = [order(Role::Client, conversations[0], paces[0]), order(Role::Server, conversations[1], paces[1])];
    let conversation = conversations[0];
    let start = Instant::now();
    let ends: [SocketAddr; 2] = ["192.0.2.2:40000".parse().unwrap(), conversation.ends[1]];
    let clock = Clock { at: start, time: Time { secs: 1_700_000_000, frac: 0, digits: 9 } };
    let reported = orders.each_ref().map(|order| order.options(&options(stage)));
    let planned = [orders[0].plan(&reported[0]), orders[1].plan(&reported[1])];
    let datagrams = [40001, 40002].map(|port| orders[0].wants_datagrams().then_some(port));
    let settings = [orders[0].settings(&reported[0], datagrams[0]), orders[1].settings(&reported[1], datagrams[1])];
    let setups = [orders[0].setup(ends), orders[1].setup([ends[1], ends[0]])];
    let [one, two] = planned;
    let channels = |k: usize| {
        let setup = netkit::live::Setup { clock, ..setups[k].clone() };
        Channels::new(setup, &reported[k], k == 0)
    };
    let mut players = [
        Player::new(&one.0, one.1, channels(0), &settings[0], start),
        Player::new(&two.0, two.1, channels(1), &settings[1], start),
    ];
    let mut net = Net {
        transport: conversation.transport,
        loss,
        dice: Dice(0x9E37_79B9_7F4A_7C15 ^ stage.lossy.unwrap_or_default().wrapping_mul(0xD1B5_4A32_D192_ED03)),
        latency: stage.latency.unwrap_or(Duration::from_millis(7)),
        under_way: BTreeMap::new(),
        number: 0,
        lost: 0,
        bad: stage.lossy.is_some(),
        log: Vec::new(),
        datagrams: Default::default(),
    };
    let mut now = start;
    loop {
        let vanished = gone.is_some_and(|after| now >= start + after);
        for (k, player) in players.iter_mut().enumerate().filter(|(k, _)| *k == 0 || !vanished) {
            if player.poll_timeout().is_some_and(|at| at <= now) {
                player.handle_timeout(now);
            }
            act(player, k, &mut net, now);
        }
        while let Some(first) = net.under_way.first_entry().filter(|first| first.key().0 <= now) {
            let (to, packet) = first.remove();
            if to == 1 && vanished {
                continue;
            }
            match packet {
                Packet::Bytes(Channel::Datagrams, number, bytes) if !net.datagrams[to].0 => {
                    net.datagrams[to].1.push((number, bytes));
                }
                Packet::Bytes(channel, number, bytes) => {
                    // A player that has left receives nothing.
                    number.filter(|_| !players[to].is_done()).into_iter().for_each(|k| net.log[k].arrived += 1);
                    players[to].recv(channel, &bytes, now);
                }
                Packet::End => players[to].closed(false, now),
            }
            act(&mut players[to], to, &mut net, now);
        }
        if cancel.is_some_and(|after| now >= start + after) {
            players[0].cancel(now);
            act(&mut players[0], 0, &mut net, now);
        }
        if players.iter().enumerate().all(|(k, player)| player.is_done() || k == 1 && vanished) {
            break;
        }
        let awake = players.iter().enumerate().filter(|(k, _)| *k == 0 || !vanished);
        let wakes = awake.filter_map(|(_, player)| player.poll_timeout());
        let next = wakes.chain(net.under_way.keys().next().map(|(at, _)| *at)).min();
        now = next.expect("somebody is to be woken").max(now + Duration::from_micros(100));
        assert!(now < start + Duration::from_secs(3600), "it never ends");
    }
    let reports = players.map(|player| player.report(now));
    Played { reports, lost: net.lost, log: net.log, took: now - start }
}

fn act(player: &mut Player<'_, '_>, k: usize, net: &mut Net, now: Instant) {
    while let Some(action) = player.poll_action() {
        match action {
            Action::Send(channel, bytes) => net.send(k, channel, bytes, now),
            Action::Finish => net.put(k, Packet::End, now),
            Action::ConnectDatagrams(_) => {
                let (connected, waiting) = &mut net.datagrams[k];
                *connected = true;
                for (number, bytes) in std::mem::take(waiting) {
                    number.into_iter().for_each(|k| net.log[k].arrived += 1);
                    player.recv(Channel::Datagrams, &bytes, now);
                }
            }
            Action::Reconnect => player.failed(NetError::Refused, now),
        }
    }
}

pub const ASAP: Pace = Pace { speed: None, max_gap: None };

/// By the recording's clock.
pub const CLOCK: Pace = Pace { speed: Some(1.0), max_gap: None };

/// One or more of each protocol.
const CAPTURES: [(&str, u64); 8] = [
    ("riptide/riptide20-udp.pcap", 1),
    ("riptide/riptide22-udp.pcap", 1),
    ("riptide/riptide22-tcp.pcap", 1),
    ("dnp/dnp-types.pcap", 1),
    ("nano/nano-protobuf-tcp.pcap", 1),
    ("nano/pomelo-ws.pcap", 1),
    ("gne/gne-le-udp-full.pcap", 1),
    ("acknex/acknex-sim-fixed.pcap", 1),
];

#[test]
fn everything_comes_through() {
    for (path, flow) in CAPTURES {
        let stage = Stage::default();
        let played = simulated(&conversation(path, flow, &stage), &stage, ASAP, 0);
        for (side, report) in ["client", "server"].iter().zip(&played.reports) {
            assert!(report.complete(), "{path} {side}: {report}");
            assert!(report.divergences.is_empty(), "{path} {side}: {report}");
            assert_eq!((report.sent, report.received), (report.steps, report.expected), "{path} {side}: {report}");
        }
        assert!(played.reports.iter().map(|r| r.sent).sum::<u64>() > 5, "{path}");
    }
}

/// Reliable messages arrive although a tenth of all datagrams is lost.
#[test]
fn losses_are_made_good() {
    let (mut lost, mut resent) = (0, 0);
    for (path, flow) in CAPTURES.into_iter().filter(|(path, _)| path.contains("riptide") || path.contains("dnp")) {
        let stage = Stage::default();
        let played = simulated(&conversation(path, flow, &stage), &stage, ASAP, 10);
        for report in &played.reports {
            assert!(report.complete(), "{path}: {report}");
        }
        lost += played.lost;
        resent += played.reports.iter().map(|r| r.counts.resent).sum::<u64>();
    }
    assert!(lost > 10 && resent > 10, "{lost} lost, {resent} resent");
}

/// The recording's time is kept by the simulated clock; the test itself takes no time.
#[test]
fn the_recordings_pauses() {
    let (stage, (path, flow)) = (Stage::default(), CAPTURES[0]);
    let conversation = conversation(path, flow, &stage);
    let real = simulated(&conversation, &stage, Pace { speed: Some(1.0), max_gap: None }, 0);
    let long = conversation.duration();
    assert!(long > Duration::from_millis(500), "{long:?}");
    assert!(real.took >= long.mul_f64(0.9), "{:?} of {long:?}", real.took);
    assert!(real.reports.iter().all(Report::complete));
}

/// A cancelled session sends its goodbye, and the other side receives it.
#[test]
fn a_cancelled_session_is_left() {
    let slow = Pace { speed: Some(0.02), max_gap: None };
    for (path, flow) in CAPTURES.into_iter().filter(|(path, _)| !path.contains("acknex")) {
        let stage = Stage::default();
        let conversation = conversation(path, flow, &stage);
        let played = cancelled([&conversation; 2], &stage, [slow; 2], 0, Some(Duration::from_millis(900)));
        let [client, server] = &played.reports;
        assert_eq!(client.trouble.as_deref(), Some("interrupted"), "{path}: {client}");
        assert!(client.sent > 0 && client.sent < client.steps, "{path}: {client}");
        let reported = server.ended.is_some() || server.trouble.as_deref().is_some_and(|why| why.contains("ended"));
        assert!(reported, "{path}: {server}");
        assert!(played.took < Duration::from_secs(15), "{path}: {:?}", played.took);
    }
}

/// Without an answer the session ends, and reports that.
#[test]
fn silence() {
    for (path, flow) in CAPTURES.into_iter().filter(|(path, _)| path.contains("-udp") || path.contains("dnp")) {
        let stage = Stage::default();
        let conversation = conversation(path, flow, &stage);
        if conversation.transport == Transport::Udp {
            let played = simulated(&conversation, &stage, ASAP, 100);
            let client = &played.reports[0];
            assert!(!client.complete() && client.received == 0, "{path}: {client}");
            assert!(client.trouble.as_deref().is_some_and(|why| why.contains("no answer")), "{path}: {client}");
            assert_eq!(client.ended, None, "{path}: nobody has ended it: {client}");
            assert!(played.took < Duration::from_secs(60), "{path}: {:?}", played.took);
        }
    }
}
