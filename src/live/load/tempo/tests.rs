//! Servers on a simulated clock: each gets the same messages, and its tempo is compared with its rules.

use super::*;

/// Random numbers from 0 to 1, from a seed (xorshift64*).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Half the time between client and server.
const WAY: i64 = MILLISECOND;
const NANOS: f64 = SECOND as f64;

/// Messages at a rate that changes evenly, at irregular times.
fn load(rates: [f64; 2], seconds: f64) -> Vec<i64> {
    let (mut dice, mut at, mut all) = (Dice(7), 0.0, Vec::new());
    while at < seconds {
        let rate = rates[0] + (rates[1] - rates[0]) * at / seconds;
        at += (0.5 + dice.roll()) / rate;
        all.push((at * NANOS) as i64);
    }
    all
}

/// Sends these messages to a server, which returns the time of each answer.
fn tempo(sent: &[i64], mut server: impl FnMut(i64) -> i64) -> Tempo {
    let mut answers: Vec<(i64, i64)> = sent.iter().map(|at| (server(at + WAY) + WAY, *at)).collect();
    answers.sort_unstable();
    let mut tempo = Tempo::default();
    answers.into_iter().for_each(|(answered, at)| tempo.answered(answered, answered - at, 2 * WAY));
    tempo
}

/// A server that answers at most this many messages per second, one after the other.
fn limited(rate: f64) -> impl FnMut(i64) -> i64 {
    let (mut free, every) = (0, (NANOS / rate) as i64);
    move |at| {
        free = at.max(free) + every;
        free
    }
}

/// A server that answers nothing for this long at the end of each period, then everything.
fn stalling(period: i64, time: i64) -> impl FnMut(i64) -> i64 {
    move |at| {
        let end = (at / period + 1) * period;
        if at >= end - time { end } else { at + MILLISECOND / 10 }
    }
}

#[track_caller]
fn near(got: Option<f64>, wanted: f64, what: &str) {
    let got = got.unwrap_or_else(|| panic!("{what}: nothing"));
    assert!((got / wanted - 1.0).abs() <= 0.05, "{what}: {got}, not {wanted}");
}

const RATES: [f64; 6] = [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];

#[test]
fn the_rate_that_was_reached() {
    for rate in RATES {
        let tempo = tempo(&load([rate, rate], 60.0), |at| at + 5 * MILLISECOND);
        near(tempo.rate(), rate, "steady");
        assert!(!tempo.rate_limit() && tempo.stalls() == Stalls::default(), "{rate}: {:?}", tempo.stalls());
        let sent = load([rate, 2.0 * rate], 60.0);
        let growing = self::tempo(&sent, |at| at + 5 * MILLISECOND);
        near(growing.rate(), 1.5 * rate, "growing");
        // Each second that ends with a message; a step of the count is a hundredth of it.
        let second = |end: usize| sent[..=end].iter().rev().take_while(|at| **at > sent[end] - SECOND).count() as i64;
        let (busiest, most) = (growing.busiest_second() as i64, (0..sent.len()).map(second).max().unwrap());
        assert!((busiest - most).abs() <= 1 + most / 100, "{rate}: {busiest}, not {most}");
        assert!(!growing.rate_limit() && growing.stalls() == Stalls::default(), "{rate}");
    }
    let one = tempo(&[SECOND], |at| at);
    assert_eq!((one.rate(), one.busiest_second(), one.rate_limit()), (None, 1, false));
}

#[test]
fn a_fixed_rate() {
    for rate in RATES {
        let tempo = tempo(&load([0.5 * rate, 2.0 * rate], 60.0), limited(rate));
        assert!(tempo.rate_limit(), "{rate}");
        near(Some(tempo.busiest_second() as f64), rate, "busiest second");
        assert_eq!(tempo.stalls(), Stalls::default(), "{rate}");
    }
}

#[test]
fn stalls_have_their_length_and_period() {
    for rate in RATES {
        for millis in [40, 100, 300, 1000, 2000] {
            let (time, what) = (millis * MILLISECOND, format!("{rate}/s, {millis} ms"));
            // Not a multiple of the time between messages.
            let period = 10 * time + 7 * MILLISECOND;
            let seconds = (12.0 * period as f64 / NANOS).max(2000.0 / rate);
            let tempo = tempo(&load([rate, rate], seconds), stalling(period, time));
            let stalls = tempo.stalls();
            near(stalls.longest.map(|nanos| nanos as f64), time as f64, &what);
            // Rarer messages do not meet each stall, or not its beginning.
            if rate * millis as f64 >= 4000.0 {
                near(stalls.every.map(|nanos| nanos as f64), period as f64, &what);
                near(Some(stalls.count as f64), (seconds * NANOS / period as f64).floor(), &what);
                // The first message in a stall may be sent some time after its beginning.
                let (median, gap) = (stalls.median.unwrap(), (NANOS / rate) as i64);
                assert!((time - gap..=time + time / 20).contains(&median), "{what}: {median}");
            }
            assert!(!tempo.rate_limit(), "{what}");
        }
    }
}

/// Over a stream, some answers wait for an acknowledgement: these pauses are not the server's.
#[test]
fn delayed_acknowledgements_are_no_stalls() {
    let (period, time) = (SECOND, 200 * MILLISECOND);
    let sent = load([200.0, 200.0], 20.0);
    for stalls in [false, true] {
        let (mut dice, mut server, mut held) = (Dice(5), stalling(period, time), 0);
        let mut stream = Tempo::over(Transport::Tcp);
        let (mut answers, mut free) = (Vec::new(), 0);
        for at in &sent {
            let answered = if stalls { server(at + WAY) } else { at + WAY } + WAY;
            if answered > held && dice.roll() < 0.02 {
                held = answered + 40 * MILLISECOND + (dice.roll() * 5e6) as i64;
            }
            free = answered.max(held).max(free);
            answers.push((free, *at));
        }
        answers.into_iter().for_each(|(answered, at)| stream.answered(answered, answered - at, 2 * WAY));
        let found = stream.stalls();
        if stalls {
            near(Some(found.count as f64), 20.0, "count");
            near(found.median.map(|nanos| nanos as f64), time as f64, "length");
            near(found.every.map(|nanos| nanos as f64), period as f64, "every");
        } else {
            assert_eq!(found, Stalls::default());
        }
    }
}

/// Similar servers: answers in ticks, of any duration, longer ones under load, none without messages.
#[test]
fn what_is_neither() {
    let mut dice = Dice(3);
    let sent = load([100.0, 100.0], 60.0);
    let ticks = tempo(&sent, |at| (at / (100 * MILLISECOND) + 1) * 100 * MILLISECOND);
    let any = tempo(&sent, |at| at + (dice.roll() * 2e8) as i64);
    let mut free = 0;
    let independent = tempo(&load([50.0, 200.0], 60.0), |at| {
        free = at.max(free) + (-dice.roll().max(1e-9).ln() / 100.0 * NANOS) as i64;
        free
    });
    let rests: Vec<i64> = load([100.0, 100.0], 60.0).into_iter().filter(|at| at / SECOND % 4 < 2).collect();
    let rests = tempo(&rests, |at| at + 5 * MILLISECOND);
    for (what, tempo) in [("ticks", ticks), ("any", any), ("independent", independent), ("rests", rests)] {
        assert_eq!(tempo.stalls(), Stalls::default(), "{what}");
        assert!(!tempo.rate_limit(), "{what}");
    }
}

/// A pause of this side is not the server's.
#[test]
fn this_sides_own_pauses() {
    let sent = load([100.0, 100.0], 20.0);
    for own in [false, true] {
        let (mut tempo, pause) = (Tempo::default(), 10 * SECOND..10 * SECOND + 300 * MILLISECOND);
        for at in &sent {
            let answered = at + 2 * WAY;
            let read = if pause.contains(&answered) { pause.end } else { answered };
            if own && read == pause.end {
                tempo.late(read);
            }
            tempo.answered(read, read - at, 2 * WAY);
        }
        assert_eq!(tempo.stalls().count, u64::from(!own));
    }
}

/// The memory is bounded, whatever the duration, the rate and the clock.
#[test]
fn bounded() {
    let mut tempo = Tempo::default();
    for n in 0..200_000 {
        tempo.answered(n * 7 * SECOND, 40 * SECOND, 0);
    }
    tempo.answered(0, i64::MAX, 0);
    tempo.answered(i64::MAX / 4, -1, 0);
    assert!(tempo.windows.len() <= WINDOWS && tempo.pauses.len() <= PAUSES);
    assert_eq!((tempo.busiest_second(), tempo.rate_limit()), (2, false));
}

/// One kind of message takes longer than the others: that is no stall.
#[test]
fn a_slow_kind_is_no_stall() {
    let arrivals = load([100.0, 100.0], 20.0);
    let mut answers: Vec<[i64; 3]> = arrivals.iter().map(|at| [at + 2 * WAY, 2 * WAY, 2 * WAY]).collect();
    // After the others have ended, too.
    answers.extend((0..100).map(|n| [10 * SECOND + n * SECOND / 4, 300 * MILLISECOND, 300 * MILLISECOND]));
    answers.sort_unstable();
    let mut tempo = Tempo::default();
    answers.into_iter().for_each(|[at, took, least]| tempo.answered(at, took, least));
    assert_eq!(tempo.stalls(), Stalls::default());
}
