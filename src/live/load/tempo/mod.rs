//! The tempo of a server: the rate that it reached, whether it keeps to a fixed one, and its stalls.
//!
//! Each answer has two facts: its arrival, and the time since its message was sent. From these follow
//!
//! - the answers per second, also in the busiest second;
//! - a fixed rate: the waiting messages become more, the waits longer, and the answers per second stay the same;
//! - stalls: for much longer than usual no answer arrived, although a message waited.
//!
//! The memory is constant. Times are nanoseconds since the beginning of the run.

#[cfg(test)]
mod tests;

use crate::flow::Transport;
use crate::traffic::histogram::Delays;

const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1000 * MILLISECOND;

/// The steps into which the busiest second is divided.
const STEPS: usize = 100;
/// The width of a window at first.
const WIDTH: i64 = 100 * MILLISECOND;
/// The number of windows. When there are more, two neighbours become one.
const WINDOWS: usize = 4096;
/// The answers per window that a comparison of windows needs.
const COUNTED: f64 = 10.0;
/// The windows that a comparison needs.
const COMPARED: usize = 6;
/// A server has more to do than it can while each answer takes this many times the shortest wait of all.
const SATURATED: i64 = 2;
/// The most waiting messages are at least this many times the fewest, else their number shows nothing.
const VARIED: f64 = 3.0;
/// The difference between two rates that are the same.
const SAME: f64 = 0.1;

/// The shortest stall.
const STALL: i64 = 20 * MILLISECOND;
/// The shortest one over a stream. The server's system keeps a small answer until the one before is acknowledged, which
/// the client's system does 40 ms later, or somewhat more (Nagle's algorithm with delayed acknowledgements).
const STREAM_STALL: i64 = 60 * MILLISECOND;
/// A stall is this many times longer than the time without an answer that three of four messages do not exceed. Answers
/// that are independent of each other leave such a gap once in a million.
const UNUSUAL: i64 = 10;
/// The share of the time above which the pauses are the rule: a server that answers in slow ticks.
const RULE: f64 = 0.75;
/// The number of pauses that are kept.
const PAUSES: usize = 4096;

/// The messages of a part of the run. Offsets are from an event to the end of the window.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    sent: u64,
    answered: u64,
    sent_offsets: f64,
    answered_offsets: f64,
    /// The shortest wait of an answer.
    wait: Option<i64>,
}

impl Window {
    /// Returns this window and the next one of the same width as one.
    fn with(self, next: Window, width: i64) -> Window {
        let later = width as f64;
        Window {
            sent: self.sent + next.sent,
            answered: self.answered + next.answered,
            sent_offsets: self.sent_offsets + self.sent as f64 * later + next.sent_offsets,
            answered_offsets: self.answered_offsets + self.answered as f64 * later + next.answered_offsets,
            wait: [self.wait, next.wait].into_iter().flatten().min(),
        }
    }
}

/// A time without answers, whose end is not over: the answers to all messages that waited may still arrive.
#[derive(Clone, Copy, Debug)]
struct Pause {
    /// The last answer before.
    begin: i64,
    /// The first answer after.
    end: i64,
    /// The time at which the first answer at the end was due: after the shortest wait of a message of its kind.
    due: i64,
}

/// The answers of a server over time.
#[derive(Clone, Debug)]
pub(crate) struct Tempo {
    answers: u64,
    first: i64,
    last: i64,
    waits: Delays,
    /// The answers in the steps of the last second.
    steps: [u64; STEPS],
    step: i64,
    second: u64,
    busiest: u64,
    windows: Vec<Window>,
    width: i64,
    /// For each answer, the time in which its message waited and no other answer arrived.
    quiet: Delays,
    pause: Option<Pause>,
    /// The ends and lengths of pauses that may be stalls.
    pauses: Vec<(i64, i64)>,
    /// The last time at which this side was late itself.
    late: i64,
    /// The shortest stall.
    shortest: i64,
}

/// The stalls of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Stalls {
    /// Their number.
    pub count: u64,
    /// The median length in nanoseconds.
    pub median: Option<i64>,
    /// The longest.
    pub longest: Option<i64>,
    /// The median time from the end of one to the end of the next.
    pub every: Option<i64>,
}

impl Default for Tempo {
    fn default() -> Tempo {
        Tempo {
            answers: 0,
            first: 0,
            last: 0,
            waits: Delays::default(),
            steps: [0; STEPS],
            step: 0,
            second: 0,
            busiest: 0,
            windows: Vec::new(),
            width: WIDTH,
            quiet: Delays::default(),
            pause: None,
            pauses: Vec::new(),
            late: i64::MIN,
            shortest: STALL,
        }
    }
}

impl Tempo {
    /// The tempo of a server that answers over this transport.
    pub fn over(transport: Transport) -> Tempo {
        let shortest = if transport == Transport::Tcp { STREAM_STALL } else { STALL };
        Tempo { shortest, ..Tempo::default() }
    }

    /// Counts an answer that arrived at `at`, `took` after its message. Messages of its kind wait for `least` or longer.
    pub fn answered(&mut self, at: i64, took: i64, least: i64) {
        let at = at.max(self.last).max(0);
        let took = took.clamp(0, at);
        if self.answers == 0 {
            (self.first, self.last) = (at, at);
        }
        self.answers += 1;
        self.waits.add(took);
        self.count_second(at);
        self.count_window(at, took);
        self.count_quiet(at, took, at - took + least.clamp(0, took));
        self.last = at;
    }

    /// Notes that this side was late itself, up to `at`: a pause at this time is not the server's.
    pub fn late(&mut self, at: i64) {
        self.late = at;
    }

    fn count_second(&mut self, at: i64) {
        let step = at / (SECOND / STEPS as i64);
        // The places of the steps since the last answer have the counts of a second ago.
        for passed in (self.step + 1).max(step - STEPS as i64 + 1)..=step {
            if let Some(count) = self.steps.get_mut((passed % STEPS as i64) as usize) {
                self.second -= std::mem::take(count);
            }
        }
        self.step = step;
        if let Some(count) = self.steps.get_mut((step % STEPS as i64) as usize) {
            *count += 1;
            self.second += 1;
        }
        self.busiest = self.busiest.max(self.second);
    }

    fn count_window(&mut self, at: i64, took: i64) {
        while at / self.width >= WINDOWS as i64 {
            let width = self.width;
            self.windows = pairs(&self.windows, width);
            self.width *= 2;
        }
        let width = self.width;
        let place = |at: i64| ((at / width) as usize, (width - at % width) as f64);
        let ((answered, offset), (sent, before)) = (place(at), place(at - took));
        if self.windows.len() <= answered {
            self.windows.resize(answered + 1, Window::default());
        }
        if let Some(window) = self.windows.get_mut(sent) {
            window.sent += 1;
            window.sent_offsets += before;
        }
        if let Some(window) = self.windows.get_mut(answered) {
            window.answered += 1;
            window.answered_offsets += offset;
            window.wait = Some(window.wait.map_or(took, |wait| wait.min(took)));
        }
    }

    fn count_quiet(&mut self, at: i64, took: i64, due: i64) {
        let gap = at - self.last;
        self.quiet.add(gap.min(took));
        if let Some(pause) = &mut self.pause {
            // Messages that waited are answered together, after the pause.
            if gap < STALL && at - pause.end <= (pause.end - pause.begin) / 10 {
                pause.due = pause.due.min(due);
                return;
            }
            self.end_pause();
        }
        if gap >= STALL {
            self.pause = Some(Pause { begin: self.last, end: at, due });
        }
    }

    fn end_pause(&mut self) {
        let Some(pause) = self.pause.take() else { return };
        // The first answer that was waited for was due after the pause began, or before.
        let length = pause.end - pause.due.max(pause.begin);
        if length < self.shortest || (pause.end - length..=pause.end + STALL).contains(&self.late) {
            return;
        }
        if self.pauses.len() >= PAUSES {
            let unusual = self.unusual();
            self.pauses.retain(|(_, length)| *length >= unusual);
        }
        if self.pauses.len() < PAUSES {
            self.pauses.push((pause.end, length));
        }
    }

    /// The shortest pause that is a stall.
    fn unusual(&self) -> i64 {
        self.shortest.max(self.quiet.percentile(75.0).unwrap_or(0).saturating_mul(UNUSUAL))
    }

    /// The answers per second, from the first to the last.
    pub fn rate(&self) -> Option<f64> {
        let time = (self.last - self.first) as f64 / SECOND as f64;
        (self.answers > 1 && time > 0.0).then(|| (self.answers - 1) as f64 / time)
    }

    /// The answers in the busiest second.
    pub fn busiest_second(&self) -> u64 {
        self.busiest
    }

    /// The stalls of the server.
    pub fn stalls(&self) -> Stalls {
        let mut own = self.clone();
        own.end_pause();
        let unusual = own.unusual();
        own.pauses.retain(|(_, length)| *length >= unusual);
        let (time, all) = (own.last - own.first, own.pauses.iter().map(|(_, length)| *length).sum::<i64>());
        if all as f64 > time as f64 * RULE {
            return Stalls::default();
        }
        let mut lengths: Vec<i64> = own.pauses.iter().map(|(_, length)| *length).collect();
        lengths.sort_unstable();
        let next = own.pauses.iter().skip(1);
        let mut between: Vec<i64> = own.pauses.iter().zip(next).map(|((one, _), (next, _))| next - one).collect();
        between.sort_unstable();
        let middle = |all: &[i64]| all.get(all.len() / 2).copied();
        Stalls {
            count: lengths.len() as u64,
            median: middle(&lengths),
            longest: lengths.last().copied(),
            every: middle(&between),
        }
    }

    /// Whether the server answers at a fixed rate, however many messages wait.
    pub fn rate_limit(&self) -> bool {
        let (mut windows, mut width) = (self.windows.clone(), self.width);
        loop {
            let busy = saturated(&windows, width, self.waits.min().unwrap_or(0), self.known_until());
            let answers = |some: &[(f64, f64)]| some.iter().map(|(_, answers)| *answers).sum::<f64>();
            if busy.len() < COMPARED {
                return false;
            }
            let mean = answers(&busy) / busy.len() as f64;
            if mean < COUNTED {
                windows = pairs(&windows, width);
                width *= 2;
                continue;
            }
            let fewest = busy.iter().map(|(waiting, _)| *waiting).fold(f64::INFINITY, f64::min);
            let most = busy.iter().map(|(waiting, _)| *waiting).fold(0.0, f64::max);
            let (few, many): (Vec<_>, Vec<_>) =
                busy.iter().copied().partition(|(waiting, _)| *waiting <= (fewest + most) / 2.0);
            if most < fewest * VARIED || few.len() < 2 || many.len() < 2 {
                return false;
            }
            let [few, many] = [few, many].map(|some| answers(&some) / some.len() as f64);
            let variance = busy.iter().map(|(_, n)| (n - mean).powi(2)).sum::<f64>() / busy.len() as f64;
            // Independent answers have a variance as large as their mean.
            return (few / many - 1.0).abs() <= SAME && variance <= mean / 4.0 + (mean / 20.0).powi(2) + 1.0;
        }
    }

    /// Messages that are never answered are not counted as waiting. Up to this time, few are missing.
    fn known_until(&self) -> i64 {
        self.last - self.waits.percentile(99.0).unwrap_or(0)
    }
}

/// Returns the windows of twice the width.
fn pairs(windows: &[Window], width: i64) -> Vec<Window> {
    let pair = |two: &[Window]| {
        let [first, second] = [0, 1].map(|at| two.get(at).copied().unwrap_or_default());
        first.with(second, width)
    };
    windows.chunks(2).map(pair).collect()
}

/// Returns the mean number of waiting messages and the answers of each whole window before `until` in which messages
/// waited for longer than the server takes.
fn saturated(windows: &[Window], width: i64, shortest: i64, until: i64) -> Vec<(f64, f64)> {
    let (mut waiting, mut found) = (0.0, Vec::new());
    for (at, window) in windows.iter().enumerate() {
        let mean = waiting + (window.sent_offsets - window.answered_offsets) / width as f64;
        if (at as i64 + 1) * width <= until
            && mean >= 1.0
            && window.wait.is_some_and(|wait| wait >= shortest.saturating_mul(SATURATED))
        {
            found.push((mean, window.answered as f64));
        }
        waiting += window.sent as f64 - window.answered as f64;
    }
    found
}
