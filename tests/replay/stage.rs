//! Both sides of a capture played against each other over loopback. (`simulated` has the bad network.)

use netkit::capture::{Capture, Input, Packets};
use netkit::codec::schema::Schemas;
use netkit::dissect::{Dissector, Options, Registry, Role};
use netkit::filter::Names;
use netkit::live::replay::{Changes, Choices, Conversation, Order, Pace, Recording, Report, Waiting};
use netkit::live::{CancelToken, Client, Clients};
use netkit::protocols::described::{Described, load};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The silence after which messages on which nothing depends are no longer awaited. A peer that is the test's own sends
/// none of them.
const LINGER: Duration = Duration::from_millis(300);

/// The setup of a session.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stage {
    /// The seed of a network that loses, duplicates and reorders.
    pub lossy: Option<u64>,
    /// The simulated network's latency in each direction.
    pub latency: Option<Duration>,
    pub allow_dangerous: bool,
    /// Settings: resend sooner if the protocol's own wait is long.
    pub set: &'static [&'static str],
    /// A protocol file, below fixtures.
    pub file: Option<&'static str>,
    /// A schema of the fixtures.
    pub schema: Option<&'static str>,
    pub until: Option<u64>,
    pub edit: Option<&'static str>,
    pub drop: Option<&'static str>,
}

pub fn options(stage: &Stage) -> Options {
    let mut options = netkit::protocols::options();
    stage.set.iter().for_each(|text| options.set(text).unwrap());
    if let Some(name) = stage.schema {
        let text = std::fs::read_to_string(format!("{}/fixtures/schemas/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut schemas = Schemas::default();
        schemas.add(name, &text, &|proto| Some(netkit::protocols::by_name(proto)?.encodings())).unwrap();
        options.schemas = schemas.into();
    }
    if let Some(described) = described(stage) {
        options.registry = Registry::new(options.registry.iter().chain([described as &'static dyn Dissector]));
        options.proto = Some(described.facts().name.into());
    }
    options
}

/// The protocol of the stage's file.
fn described(stage: &Stage) -> Option<&'static Described> {
    let path = format!("{}/fixtures/{}", env!("CARGO_MANIFEST_DIR"), stage.file?);
    Some(load(&path, &std::fs::read_to_string(&path).unwrap()).unwrap())
}

fn clients(stage: &Stage) -> Clients {
    let client = |described: &'static Described| Client { dissector: described, probe: None, replay: Some(described) };
    described(stage).map_or_else(netkit::protocols::clients, |described| Clients::new([client(described)]))
}

pub fn recording(path: &str, stage: &Stage) -> Recording {
    let path = format!("{}/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::File::open(path).unwrap();
    let packets = Packets::new(Capture::new(Input::new(Box::new(file)).unwrap()).unwrap());
    let options = options(stage);
    let names = Names::new(&options);
    let mut changes = Changes::default();
    stage.edit.into_iter().for_each(|text| changes.edit(text, &names).unwrap());
    stage.drop.into_iter().for_each(|text| changes.drop(text, &names).unwrap());
    Recording::read(packets, &options, &clients(stage), &changes).unwrap()
}

pub fn conversation(path: &str, flow: u64, stage: &Stage) -> Conversation {
    recording(path, stage).take(Some(flow)).unwrap()
}

fn order<'a>(conversation: &'a Conversation, role: Role, stage: &Stage, stop: &'a CancelToken) -> Order<'a> {
    Order {
        conversation,
        choices: Choices { role, allow_dangerous: stage.allow_dangerous, until: stage.until },
        pace: Pace { speed: None, max_gap: None },
        timeout: Duration::from_secs(8),
        // However slow the machine is.
        linger: Duration::from_secs(8),
        host: "127.0.0.1",
        path: None,
        recorder: None,
        observer: None,
        stop,
        max_time: None,
        flow: 1,
    }
}

/// The options of a session, including those that the recording implies.
pub fn reported(conversation: &Conversation, stage: &Stage) -> Options {
    order(conversation, Role::Client, stage, &CancelToken::default()).options(&options(stage))
}

/// Plays the client's side to a test's own server.
pub fn to(server: SocketAddr, conversation: &Conversation, stage: &Stage, timeout: Duration) -> Report {
    let stop = CancelToken::default();
    let order = Order { timeout, linger: LINGER.min(timeout), ..order(conversation, Role::Client, stage, &stop) };
    order.to(server, &order.options(&options(stage)), &mut |_| {}).unwrap()
}

/// Plays the server's side to a test's own client.
pub fn answer<T>(
    conversation: &Conversation,
    stage: &Stage,
    timeout: Duration,
    client: impl FnOnce(SocketAddr) -> T,
) -> (Report, T) {
    let waiting = Waiting::on(SocketAddr::from(([127, 0, 0, 1], 0)), conversation.transport).unwrap();
    let at = waiting.local().unwrap();
    let stop = CancelToken::default();
    std::thread::scope(|scope| {
        let answering = scope.spawn(|| {
            let order =
                Order { timeout, linger: LINGER.min(timeout), ..order(conversation, Role::Server, stage, &stop) };
            let options = order.options(&options(stage));
            order.answer(&waiting, &options, Some(Instant::now() + Duration::from_secs(120)), &mut |_| {}).unwrap()
        });
        let seen = client(at);
        (answering.join().unwrap(), seen)
    })
}

/// Plays both sides; returns the client's report, and the server's.
pub fn both(conversation: &Conversation, stage: &Stage) -> [Report; 2] {
    both_of([conversation, conversation], stage)
}

/// Plays the client's side of one conversation against the server's of another.
pub fn both_of(conversations: [&Conversation; 2], stage: &Stage) -> [Report; 2] {
    let transport = conversations[0].transport;
    let waiting = Waiting::on(SocketAddr::from(([127, 0, 0, 1], 0)), transport).unwrap();
    let at = waiting.local().unwrap();
    let stop = CancelToken::default();
    std::thread::scope(|scope| {
        let answering = scope.spawn(|| {
            let order = order(conversations[1], Role::Server, stage, &stop);
            let options = order.options(&options(stage));
            order.answer(&waiting, &options, Some(Instant::now() + Duration::from_secs(120)), &mut |_| {})
        });
        let order = order(conversations[0], Role::Client, stage, &stop);
        let options = order.options(&options(stage));
        let client = order.to(at, &options, &mut |_| {});
        [client.unwrap(), answering.join().unwrap().unwrap()]
    })
}
