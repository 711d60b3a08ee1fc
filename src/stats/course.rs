//! Delays over time: of acknowledgements and answers, by step of time and by the side that waited for them. The number
//! of steps is fixed for any duration.

use super::histogram::Delays;
use super::timeline::widening;
use crate::capture::Time;
use crate::dissect::delivery::Event;
use crate::dissect::{Message, Role, Sink};
use crate::traffic::sequence::Acked;
use std::collections::BTreeMap;

/// The largest number of steps; with a longer duration the steps widen.
const STEPS: usize = 256;
/// The largest number of delays that are kept individually; above it only the steps are kept.
const POINTS: usize = 2000;

/// The kind of message that was awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Awaited {
    /// The first acknowledgement of a numbered message.
    Ack,
    /// The answer to a request.
    Answer,
    /// The answer to a ping.
    Pong,
}

/// One delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The end of the delay, in nanoseconds since the start.
    pub at: i64,
    /// The length of the delay, in nanoseconds.
    pub delay: i64,
    /// The kind of message that was awaited.
    pub awaited: Awaited,
    /// The side that waited.
    pub waiting: Role,
    /// Whether the message was transmitted several times, so that the delay is not a round trip.
    pub again: bool,
}

/// The roles in the order of their index here.
pub const ROLES: [Role; 3] = [Role::Client, Role::Server, Role::Unknown];

/// Delays by step of time.
#[derive(Clone, Debug)]
pub struct Course {
    start: Option<i64>,
    step: i64,
    steps: BTreeMap<(Awaited, usize), Vec<Delays>>,
    points: Vec<Point>,
    more: bool,
}

impl Default for Course {
    fn default() -> Course {
        Course { start: None, step: 1_000_000, steps: BTreeMap::new(), points: Vec::new(), more: false }
    }
}

impl Course {
    /// Sets the start of the capture, from which times count.
    pub fn origin(&mut self, time: Time) {
        self.start.get_or_insert(time.near_nanos());
    }

    /// The length of a step, in nanoseconds.
    pub fn step(&self) -> i64 {
        self.step
    }

    /// The steps for this kind of message, and the side that waited.
    pub fn of(&self, awaited: Awaited, waiting: Role) -> &[Delays] {
        let at = ROLES.iter().position(|role| *role == waiting).unwrap_or(0);
        self.steps.get(&(awaited, at)).map_or(&[], Vec::as_slice)
    }

    /// All individual delays; `None` if there are too many.
    pub fn points(&self) -> Option<&[Point]> {
        (!self.more).then_some(self.points.as_slice())
    }

    fn add(&mut self, point: Point) {
        while point.at / self.step >= STEPS as i64 {
            let together = widening(self.step);
            self.step = self.step.saturating_mul(together as i64);
            for steps in self.steps.values_mut() {
                let wider = steps.chunks(together).map(|some| {
                    let mut sum = some.first().cloned().unwrap_or_default();
                    some.iter().skip(1).for_each(|delays| sum.merge(delays));
                    sum
                });
                *steps = wider.collect();
            }
        }
        let at = (point.at / self.step) as usize;
        let role = ROLES.iter().position(|role| *role == point.waiting).unwrap_or(0);
        let steps = self.steps.entry((point.awaited, role)).or_default();
        if steps.len() <= at {
            steps.resize(at + 1, Delays::default());
        }
        if let Some(delays) = steps.get_mut(at) {
            delays.add(point.delay);
        }
        match self.points.len() < POINTS && !self.more {
            true => self.points.push(point),
            false => {
                self.more = true;
                self.points = Vec::new();
            }
        }
    }
}

impl Sink for Course {
    fn message(&mut self, message: &Message<'_>) {
        if message.flow_info.ends.is_none() {
            return;
        }
        let now = message.place.time.near_nanos();
        let at = now.saturating_sub(*self.start.get_or_insert(now)).max(0);
        let waiting = message.dissection.from.other();
        for event in message.dissection.delivery.iter() {
            let (awaited, delay, again) = match *event {
                Event::Acked { acked: Acked::First(sent), .. } => (Awaited::Ack, now - sent.time, sent.copies > 1),
                Event::Answer(after) => (Awaited::Answer, after, false),
                Event::Pong(after) | Event::CrossFlowPong { after, .. } => (Awaited::Pong, after, false),
                _ => continue,
            };
            self.add(Point { at, delay, awaited, waiting, again });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_widen_and_no_delay_is_lost() {
        let mut course = Course::default();
        for k in 0..5000i64 {
            let waiting = ROLES[(k % 2) as usize];
            course.add(Point { at: k * 1_000_000, delay: k, awaited: Awaited::Ack, waiting, again: false });
            assert_eq!(course.points().is_some(), k < POINTS as i64, "{k}");
        }
        assert!(course.step() >= 5000 * 1_000_000 / STEPS as i64 && course.step() <= 100_000_000);
        for role in [Role::Client, Role::Server] {
            let steps = course.of(Awaited::Ack, role);
            assert!(steps.len() <= STEPS);
            assert_eq!(steps.iter().map(Delays::count).sum::<u64>(), 2500);
            assert_eq!(steps.last().and_then(Delays::max), Some(if role == Role::Client { 4998 } else { 4999 }));
        }
        assert!(course.of(Awaited::Answer, Role::Client).is_empty());
    }
}
