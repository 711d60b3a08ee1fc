//! The report of a run, as text.

use super::client::LATE;
use super::counts::Count::*;
use super::figures::{BUSY, Figures, millis, times};
use crate::plural::Plural;
use crate::traffic::histogram::Delays;
use std::fmt;

/// The number of kinds of messages that are listed, the most frequent first.
const LISTED: usize = 16;

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.all.counts;
        let sessions = Plural(counts[Started], "session");
        writeln!(
            f,
            "clients       {} wanted, {} at once, {sessions} in {:.3} s",
            self.clients,
            self.most,
            self.took.as_secs_f64()
        )?;
        write!(f, "sessions      {} connected, {} finished", counts[Connected], counts[Finished])?;
        writeln!(f, "{}", counts.list(&[Left, Refused, Silent, Dropped, Own, Incomplete]))?;
        for (why, count) in &self.reasons {
            writeln!(f, "  {count:>6} x  {why}")?;
        }
        if self.not_begun > 0 {
            let missing = Plural(self.not_begun, "session");
            writeln!(f, "not begun     {missing}: all clients (--clients {}) were in use", self.clients)?;
        }
        let line = |delays: &Delays| {
            let line = times(delays).map(|(name, time)| time.map(|nanos| format!("{name} {:.3}", millis(nanos))));
            let [Some(p50), Some(p90), Some(p99), Some(max)] = line else { return None };
            Some(format!("{p50}, {p90}, {p99}, {max} ms ({})", delays.count()))
        };
        if counts[Unanswered] > 0 {
            writeln!(f, "unanswered    {}", Plural(counts[Unanswered], "request"))?;
        }
        for (title, delays) in [("connected in", &self.all.connects), ("answered in", &self.all.requests)] {
            if let Some(line) = line(delays) {
                writeln!(f, "{title:<13} {line}")?;
            }
        }
        let mut kinds: Vec<(&String, &Delays)> = self.kinds.iter().collect();
        // A single kind is the line above.
        kinds.retain(|_| self.kinds.len() > 1);
        kinds.sort_by_key(|(_, delays)| std::cmp::Reverse(delays.count()));
        for (subject, line) in kinds.iter().take(LISTED).filter_map(|(subject, delays)| Some((subject, line(delays)?)))
        {
            writeln!(f, "  {line}  {subject}")?;
        }
        if kinds.len() > LISTED {
            writeln!(f, "  {} more kinds of messages: -f ndjson", kinds.len() - LISTED)?;
        }
        self.tempo(f)?;
        writeln!(f, "resent        {}", counts[Resent])?;
        let late = self.lateness.percentile(99.0).unwrap_or(0);
        let own = format!("this side was {:.0} % busy and {:.3} ms late (p99)", self.busy() * 100.0, millis(late));
        // This side had little to do and was late: other programs used the processor, such as the server if it runs
        // here.
        let others = match self.busy() < BUSY && self.is_late(LATE) {
            true => "; other programs used this machine's processors, so the measured times include its delays",
            false => "",
        };
        match self.limit() {
            Some("client") if counts[Own] > 0 => writeln!(
                f,
                "limit         this side: no descriptor, port or memory for {}; their failures are not the server's",
                Plural(counts[Own], "session")
            ),
            Some("client") if others.is_empty() => writeln!(
                f,
                "limit         this side: {own}, so the measured times include its own delays; use fewer clients"
            ),
            Some("client") => writeln!(f, "limit         this side: {own}{others}"),
            // A server on this machine may be silent because it lacks processor time, too. It does not refuse for that.
            Some(_) if counts[Refused] == 0 && !others.is_empty() => writeln!(
                f,
                "limit         the server, or this machine if the server runs here: {} ended without an answer, \
                 and {own}{others}",
                Plural(counts[Silent] + counts[Dropped], "session")
            ),
            Some(_) => {
                // One session alone may fail for the same reason, such as its version.
                let all_failed = match counts[Refused] + counts[Dropped] == counts[Started] {
                    true => "; every session failed: try one alone, without --clients",
                    false => "",
                };
                writeln!(f, "limit         the server: {own}{others}{all_failed}")
            }
            None if self.not_begun > 0 => writeln!(f, "limit         --clients {}: {own}", self.clients),
            None => writeln!(f, "limit         none reached: {own}"),
        }
    }
}

impl Figures {
    /// Writes the tempo of the server, if it answered.
    fn tempo(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(rate) = self.tempo.rate() else { return Ok(()) };
        let fixed = if self.tempo.rate_limit() { ": the server answers at a fixed rate" } else { "" };
        writeln!(f, "answers       {rate:.1}/s, {} in the busiest second{fixed}", self.tempo.busiest_second())?;
        let stalls = self.tempo.stalls();
        let (Some(median), Some(longest)) = (stalls.median, stalls.longest) else { return Ok(()) };
        write!(f, "stalls        {}: p50 {:.3}, max {:.3} ms", stalls.count, millis(median), millis(longest))?;
        match stalls.every {
            Some(every) => writeln!(f, ", every {:.3} ms", millis(every)),
            None => writeln!(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Transport;
    use std::time::{Duration, Instant};

    /// A run of ten seconds: the time it was idle in seconds, its delay in milliseconds, the sessions without an
    /// answer.
    fn run(idle: u64, late: u64, silent: u64) -> Figures {
        let begin = Instant::now();
        let mut figures = Figures::new(10, Transport::Udp, begin).finished(begin + Duration::from_secs(10));
        figures.idle = Duration::from_secs(idle);
        figures.late(Duration::from_millis(late));
        figures.all.counts[Silent] = silent;
        figures
    }

    /// If this side is late and sessions get no answer, the server or the machine of both was too slow. A refusal is the
    /// server's decision.
    #[test]
    fn a_late_side_does_not_know_why_others_are_silent() {
        let line = |figures: &Figures| figures.to_string().lines().last().unwrap().to_string();
        let silent = line(&run(9, 80, 3));
        let known = "this machine if the server runs here: 3 sessions ended without an answer, and this side was 10 %";
        assert!(silent.contains(known), "{silent}");
        let mut refused = run(9, 80, 3);
        refused.all.counts[Refused] = 1;
        for figures in [refused, run(9, 1, 3)] {
            let line = line(&figures);
            assert!(line.starts_with("limit         the server: this side was 10 %"), "{line}");
        }
    }

    /// If the server refuses each session, their number need not be the cause.
    #[test]
    fn the_number_of_clients_need_not_be_the_cause() {
        let last = |started, refused, dropped| {
            let mut figures = run(9, 1, 0);
            figures.all.counts[Started] = started;
            figures.all.counts[Refused] = refused;
            figures.all.counts[Dropped] = dropped;
            figures.to_string().lines().last().unwrap().to_string()
        };
        let all = "; every session failed: try one alone, without --clients";
        for (refused, dropped) in [(10, 0), (0, 10), (4, 6)] {
            assert!(last(10, refused, dropped).ends_with(all), "{}", last(10, refused, dropped));
        }
        // Others were complete, or were stopped.
        assert!(last(11, 10, 0).ends_with("1.000 ms late (p99)"), "{}", last(11, 10, 0));
    }

    #[test]
    fn whose_the_limit_was() {
        let cases = [
            (run(9, 1, 0), None, "none reached"),
            (run(9, 1, 3), Some("server"), "the server: "),
            (run(0, 1, 3), Some("client"), "use fewer clients"),
            (run(9, 80, 0), Some("client"), "other programs used this machine's processors"),
            // A tenth of a second does not explain a silence of whole seconds.
            (run(9, 80, 3), Some("server"), "other programs used this machine's processors"),
            (run(9, 3000, 3), Some("client"), "other programs used this machine's processors"),
        ];
        for (figures, limit, text) in cases {
            assert_eq!(figures.limit(), limit, "{figures}");
            let page = figures.to_string();
            let line = page.lines().last().unwrap();
            assert!(line.starts_with("limit") && line.contains(text), "{line}");
        }
    }
}
