//! `delay TIME` of an edit moves a message in time: messages that depend on it wait, all others go on.

use crate::replay::simulated::{ASAP, CLOCK, Dice, Played, simulated};
use crate::replay::stage::{Stage, conversation};
use netkit::capture::Time;
use netkit::dissect::Role;
use netkit::live::replay::{Conversation, Pace};
use std::time::Duration;

/// No session waits longer than this, except for messages that never arrive: the shortest timeout is eight times it.
const SPARE: Duration = Duration::from_secs(1);
/// The simulated network's round trip.
const TRIP: Duration = Duration::from_millis(14);

const CAPTURES: [(&str, u64); 8] = [
    ("nano/nano-protobuf-tcp.pcap", 1),
    ("nano/pomelo-ws.pcap", 1),
    ("nano/pitaya-codec-tcp.pcap", 1),
    ("riptide/riptide22-udp.pcap", 1),
    ("riptide/riptide20-udp.pcap", 1),
    ("riptide/riptide22-tcp.pcap", 1),
    ("dnp/dnp-types.pcap", 1),
    ("gne/gne-le-udp-full.pcap", 1),
];

/// Varies a recording: other pauses, and later answers of the server.
fn varied(conversation: &mut Conversation, dice: &mut Dice) {
    let messages = &mut conversation.messages;
    for at in (0..messages.len()).rev().filter(|_| conversation.dissector.name() == "nano") {
        let mut place = at;
        // No answer moves past another one, or past the session's end.
        while messages[at].decoded.message == "response" && place + 1 < messages.len() && dice.percent() < 60 {
            let next = &messages[place + 1].decoded;
            if next.from != Role::Client || !["request", "notify"].contains(&next.message) {
                break;
            }
            place += 1;
        }
        messages[at..=place].rotate_left(1);
    }
    let mut micros = 0;
    for message in messages {
        micros += dice.percent() * dice.percent() * 10;
        message.time = Time { secs: 1_700_000_000 + (micros / 1_000_000) as i64, frac: micros % 1_000_000, digits: 6 };
    }
}

/// Delays some of the client's messages; returns the sum of the delays.
fn delayed(conversation: &mut Conversation, dice: &mut Dice) -> Duration {
    let mut sum = Duration::ZERO;
    let share = dice.percent();
    for message in conversation.messages.iter_mut().filter(|message| message.decoded.from == Role::Client) {
        if dice.percent() < share {
            message.changed.delay = Duration::from_millis(1 + 4 * dice.percent());
            sum += message.changed.delay;
        }
    }
    sum
}

fn is_whole(played: &Played, what: &str) {
    for report in &played.reports {
        // A session does not wait for messages that others cause: a client that has its answers may have left before.
        let pushes = !report.unsent.is_empty() && report.unsent.iter().all(|unsent| unsent.message == "nano.push");
        assert!(
            (report.complete() || pushes) && report.divergences.is_empty(),
            "{what}: {} {}",
            played.reports[0],
            played.reports[1]
        );
        assert!(!report.remarks.iter().any(|remark| remark.contains("did not arrive")), "{what}: {report}");
    }
}

/// Random delays in random recordings: all messages are sent and answered, and no wait times out.
#[test]
fn random_delays_of_random_recordings() {
    let stage = Stage::default();
    let recordings = CAPTURES.map(|(path, flow)| (path, conversation(path, flow, &stage)));
    for seed in 1..=6 {
        for (path, recording) in &recordings {
            let (mut dice, mut recording) = (Dice(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed)), recording.clone());
            varied(&mut recording, &mut dice);
            let delays = delayed(&mut recording, &mut dice);
            for pace in [CLOCK, ASAP] {
                let what = format!("{path} {seed} {pace:?}");
                let played = simulated(&recording, &stage, pace, 0);
                is_whole(&played, &what);
                let whole = pace.speed.map_or(Duration::ZERO, |_| recording.duration());
                let most = whole + delays + TRIP * recording.messages.len() as u32 + SPARE;
                assert!(played.took < most, "{what}: {:?}, {most:?} at most", played.took);
            }
        }
    }
}

/// A message that no other one depends on delays none: it is sent later by its delay, all others at their times.
#[test]
fn others_go_on() {
    let played = |edit| {
        let stage = Stage { edit, ..Stage::default() };
        let conversation = conversation("riptide/riptide22-udp.pcap", 2, &stage);
        let at = conversation.messages.iter().find(|m| !m.changed.delay.is_zero()).map(|m| m.decoded.bytes().to_vec());
        (simulated(&conversation, &stage, CLOCK, 0), at)
    };
    let delay = Duration::from_millis(2500);
    let ((plain, _), (late, bytes)) = (played(None), played(Some("message == unreliable: once delay 2500ms")));
    is_whole(&late, "riptide");
    let bytes = bytes.unwrap();
    // The times of such messages, from the session's beginning.
    let when = |played: &Played| -> Vec<(Duration, Vec<u8>)> {
        let first = played.log[0].at;
        let ours = played.log.iter().filter(|sent| sent.side == 0 && sent.bytes[0] & 0x0f == 0);
        ours.map(|sent| (sent.at - first, sent.bytes.clone())).collect()
    };
    let (mut plain, mut late) = (when(&plain), when(&late));
    let at = |list: &mut Vec<(Duration, Vec<u8>)>| {
        let at = list.iter().position(|(_, sent)| *sent == bytes).unwrap();
        list.remove(at).0
    };
    let (due, spoken) = (at(&mut plain), at(&mut late));
    let near = |a: Duration, b: Duration| a.abs_diff(b) < Duration::from_millis(15);
    assert!(near(spoken, due + delay), "{spoken:?}, {due:?}");
    assert_eq!(plain.len(), late.len());
    for ((before, _), (now, sent)) in plain.iter().zip(&late) {
        assert!(near(*before, *now), "{sent:02x?}: {now:?}, {before:?}");
    }
}

/// A request is delayed by real time at any speed, and messages recorded after its answer wait.
#[test]
fn a_delay_is_real_time() {
    for (pace, least) in [(ASAP, 400), (Pace { speed: Some(1000.0), max_gap: None }, 400)] {
        let stage = Stage { edit: Some("message == request: once delay 400ms"), ..Stage::default() };
        let recording = conversation("nano/nano-protobuf-tcp.pcap", 1, &stage);
        let played = simulated(&recording, &stage, pace, 0);
        is_whole(&played, "nano");
        assert!(played.took >= Duration::from_millis(least), "{:?}", played.took);
        assert!(played.took < Duration::from_millis(400) + TRIP * recording.messages.len() as u32 + SPARE);
    }
}
