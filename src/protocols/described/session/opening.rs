//! Distinguishes messages that open another session from resent ones, by the file's `[session]`.

use crate::flow::Side;

/// The time, in nanoseconds, after an opening in which another one of its side is the same one, resent or delayed, even
/// if the session is in use.
const SAME: i64 = 5_000_000_000;

/// The state of a conversation's session, as its messages show it. Arrays are indexed by [`Side`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening {
    /// The time of the last opening.
    last: [Option<i64>; 2],
    /// Whether the other side has sent anything since.
    answered: [bool; 2],
    /// Whether the side has sent other messages after that. Until then, the answer may not have reached it.
    used: [bool; 2],
    /// Whether a side has closed the session.
    closed: bool,
}

impl Opening {
    /// Handles a message. True: it opens another session than the one so far. `opens`, `closes`: the messages that do.
    pub fn begins(&mut self, opens: &[&str], closes: &[&str], message: &str, side: Side, now: i64) -> bool {
        if opens.is_empty() {
            return false;
        }
        let (own, other) = (side.index(), side.other().index());
        let opening = opens.contains(&message);
        let same = self.last[own].is_some_and(|last| now - last < SAME);
        let begins = opening && (self.closed || self.used[own] && !same);
        if begins {
            *self = Opening::default();
        }
        if opening {
            self.last[own] = Some(now);
        } else {
            self.closed |= closes.contains(&message);
            self.used[own] |= self.answered[own];
        }
        self.answered[other] = true;
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{A, B};

    /// The places of the messages that open another session. Times are in milliseconds.
    fn begun(messages: &[(i64, Side, &str)]) -> Vec<usize> {
        let mut opening = Opening::default();
        let mut begins = |at: i64, side, message| opening.begins(&["hello"], &["bye"], message, side, at * 1_000_000);
        let all = messages.iter().map(|(at, side, message)| begins(*at, *side, message)).collect::<Vec<_>>();
        (0..all.len()).filter(|k| all[*k]).collect()
    }

    #[test]
    fn another_session_opens_after_one_that_was_used() {
        let first = [(0, A, "hello"), (20, B, "welcome"), (40, A, "move"), (60, B, "state")];
        let with = |more: &[(i64, Side, &'static str)]| begun(&[&first, more].concat());
        assert_eq!(with(&[]), [0; 0]);
        assert_eq!(with(&[(60_000, A, "hello"), (60_020, B, "welcome"), (60_040, A, "move")]), [4]);
        // It is resent, too.
        assert_eq!(with(&[(60_000, A, "hello"), (61_000, A, "hello"), (80_000, A, "hello")]), [4]);
        // A goodbye of either side ends it.
        assert_eq!(with(&[(100, A, "bye"), (200, A, "hello"), (300, A, "hello")]), [5]);
        assert_eq!(with(&[(100, B, "bye"), (200, A, "hello"), (220, B, "welcome")]), [5]);
        // The capture begins in the middle of a session.
        assert_eq!(begun(&[(0, A, "move"), (1, B, "state"), (40, A, "move"), (60, A, "hello")]), [3]);
    }

    #[test]
    fn resent_openings_open_no_other_session() {
        // Nobody answers for a long time, although the client sends more than its opening.
        let alone = (0..9).flat_map(|k| [(k * 10_000, A, "hello"), (k * 10_000 + 1, A, "move")]);
        let mut alone = alone.collect::<Vec<_>>();
        alone.extend([(90_000, B, "welcome"), (90_020, A, "move")]);
        assert_eq!(begun(&alone), [0; 0]);
        // The answers are lost on their way to the client.
        let deaf = (0..9).flat_map(|k| [(k * 10_000, A, "hello"), (k * 10_000 + 20, B, "welcome")]);
        assert_eq!(begun(&deaf.collect::<Vec<_>>()), [0; 0]);
        // One of them arrives late, after others that its sender had sent later.
        let late = [(0, A, "hello"), (20, B, "welcome"), (900, A, "move"), (1000, A, "hello"), (1500, A, "move")];
        assert_eq!(begun(&late), [0; 0]);
        // Both sides send one.
        let both = [(0, A, "hello"), (20, B, "hello"), (40, A, "move"), (60, B, "move")];
        assert_eq!(begun(&both), [0; 0]);
        let again = both.map(|(at, side, message)| (at + 60_000, side, message));
        assert_eq!(begun(&[both, again].concat()), [4]);
        // The other side alone has sent something before.
        assert_eq!(begun(&[(0, B, "state"), (1, B, "state"), (90_000, A, "hello")]), [0; 0]);
    }
}
