//! The one list of figures. Text, CSV, JSON, Parquet, reports, comparisons, their limits and `top` take names and units
//! from it; the page `figures` explains each.
//!
//! A [`Column`](super::table::Column) computes a figure for a row and refers to it by name; a name that is not in the
//! list does not compile.

/// The quantity that a figure measures; it determines the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A word, or a number that is a name.
    Word,
    /// A frame, a flow, an index.
    Place,
    /// Yes or no.
    Flag,
    /// A count.
    Count,
    /// Bytes.
    Bytes,
    /// Bytes that need not be whole: a mean.
    Mean,
    /// A fraction; printed as a percentage in text.
    Share,
    /// Messages a second.
    MessageRate,
    /// Bytes a second.
    ByteRate,
    /// Milliseconds.
    Millis,
    /// Seconds.
    Seconds,
}

/// A figure and its name in every output format.
#[derive(Debug)]
pub struct Figure {
    /// The name.
    pub name: &'static str,
    /// The quantity that it measures.
    pub measure: Measure,
    /// Older names that options and limits still accept.
    pub was: &'static [&'static str],
    /// Text omits the column if all rows have this value.
    pub usual: &'static str,
    /// Whether it is for programs only: text omits it.
    pub detail: bool,
}

impl Figure {
    /// A figure that is always shown.
    pub const fn new(name: &'static str, measure: Measure) -> Figure {
        Figure { name, measure, was: &[], usual: "-", detail: false }
    }

    const fn was(self, was: &'static [&'static str]) -> Figure {
        Figure { was, ..self }
    }

    const fn usual(self, usual: &'static str) -> Figure {
        Figure { usual, ..self }
    }

    const fn detail(self) -> Figure {
        Figure { detail: true, ..self }
    }

    /// The figure of this name.
    pub fn by_name(name: &str) -> Option<&'static Figure> {
        FIGURES.iter().find(|figure| figure.name == name)
    }

    /// The heading in text: the figure's words. A field by which rows are grouped keeps its name.
    pub fn heading(&self) -> String {
        if Figure::by_name(self.name).is_some() { self.name.replace('_', " ") } else { self.name.into() }
    }

    /// Whether this is its name or one of its older names.
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.was.contains(&name)
    }
}

impl PartialEq for Figure {
    fn eq(&self, other: &Figure) -> bool {
        self.name == other.name
    }
}

const fn word(name: &'static str) -> Figure {
    Figure::new(name, Measure::Word)
}

const fn place(name: &'static str) -> Figure {
    Figure::new(name, Measure::Place)
}

const fn count(name: &'static str) -> Figure {
    Figure::new(name, Measure::Count)
}

const fn millis(name: &'static str) -> Figure {
    Figure::new(name, Measure::Millis)
}

const fn seconds(name: &'static str) -> Figure {
    Figure::new(name, Measure::Seconds)
}

/// All figures, and the words that identify rows.
pub const FIGURES: &[Figure] = &[
    // The subject of a row.
    word("capture"),
    word("proto"),
    word("message"),
    word("schema"),
    word("version"),
    word("transport"),
    place("flow"),
    place("connection").usual("1"),
    word("client"),
    word("server"),
    word("roles").usual("known"),
    word("peer"),
    word("from"),
    word("route"),
    word("waits_for"),
    word("end"),
    word("end_by"),
    word("end_reason"),
    word("end_data"),
    millis("end_silence"),
    word("transport_end").usual("capture"),
    word("last_message"),
    place("frame"),
    place("index"),
    place("by_frame"),
    seconds("time"),
    seconds("second"),
    // Figures of all messages.
    count("messages").was(&["count"]),
    Figure::new("message_share", Measure::Share).was(&["share"]),
    Figure::new("message_rate", Measure::MessageRate).was(&["rate"]),
    Figure::new("bytes", Measure::Bytes),
    Figure::new("byte_share", Measure::Share).was(&["bytes_share"]),
    Figure::new("byte_rate", Measure::ByteRate).was(&["bytes_rate", "bandwidth"]),
    Figure::new("size_mean", Measure::Mean).was(&["mean", "size"]),
    Figure::new("size_max", Measure::Bytes).was(&["largest"]),
    Figure::new("reliable", Measure::Flag),
    count("faults").usual("0"),
    count("warnings").usual("0"),
    // Figures of conversations and peers.
    count("flows"),
    count("client_messages"),
    count("server_messages"),
    Figure::new("client_bytes", Measure::Bytes),
    Figure::new("server_bytes", Measure::Bytes),
    count("messages_sent"),
    count("messages_received"),
    Figure::new("bytes_sent", Measure::Bytes),
    Figure::new("bytes_received", Measure::Bytes),
    Figure::new("byte_rate_sent", Measure::ByteRate).was(&["bytes_rate_sent"]),
    seconds("start"),
    seconds("duration"),
    seconds("idle"),
    // Figures of numbered messages.
    count("sent").was(&["copies"]),
    count("resent").was(&["resends"]),
    Figure::new("resent_share", Measure::Share).was(&["resent"]),
    count("duplicates").was(&["copies"]),
    count("acked").detail(),
    count("given_up").usual("0"),
    count("never_acked"),
    count("gaps"),
    count("missing").detail(),
    Figure::new("resent_bytes", Measure::Bytes),
    Figure::new("filled_bytes", Measure::Bytes),
    Figure::new("missing_bytes", Measure::Bytes),
    count("late"),
    count("lost"),
    Figure::new("lost_share", Measure::Share).was(&["lost"]).detail(),
    count("handled_twice").usual("0"),
    count("never_handled").usual("0"),
    millis("ack_p50").was(&["ack", "ack.p50"]),
    millis("ack_p90").was(&["ack.p90"]),
    millis("ack_p99").was(&["ack.p99"]).detail(),
    millis("ack_max"),
    millis("ack_jitter").detail(),
    millis("rtt_p50"),
    millis("client_rtt_p50"),
    millis("server_rtt_p50"),
    millis("rtt_p90"),
    millis("rtt_p99").detail(),
    millis("rtt_max"),
    millis("rtt_jitter"),
    // Figures of requests.
    count("requests"),
    count("responses").was(&["answers"]),
    count("unanswered"),
    count("unmatched").usual("0"),
    millis("response_p50").was(&["p50", "answer", "answer.p50"]),
    millis("response_p90").was(&["p90", "answer.p90"]),
    millis("response_p99").was(&["p99", "answer.p99"]),
    millis("response_max").was(&["max"]),
    millis("response_jitter").was(&["jitter"]),
    // Figures of pings.
    count("pings"),
    count("pongs"),
    millis("ping_p50"),
    millis("ping_p90"),
    millis("ping_p99"),
    millis("ping_max"),
    millis("ping_jitter").detail(),
    // Figures of paths, estimated.
    Figure::new("loss", Measure::Share),
    Figure::new("loss_low", Measure::Share),
    Figure::new("loss_high", Measure::Share),
    Figure::new("burst", Measure::Mean),
    millis("delay_p50"),
    // Figures of losses and silences over time.
    count("worst_losses"),
    seconds("worst_from"),
    seconds("worst_to"),
    seconds("silence"),
    seconds("silence_from"),
    // Figures of links.
    count("offered"),
    count("accepted"),
    count("refused").usual("0"),
    count("ended"),
    millis("life_p50"),
    millis("life_p90").detail(),
    millis("life_p99").detail(),
    millis("life_max"),
    // Figures of single messages that wait, and of their kinds.
    millis("after"),
    count("answered").was(&["count"]),
    millis("answered_p50").was(&["p50"]),
    millis("answered_p90").was(&["p90"]),
    millis("answered_p99").was(&["p99"]),
    millis("answered_max").was(&["max"]),
    count("waiting"),
    // Figures of a tracked field.
    word("key"),
    place("part"),
    count("values").was(&["count"]),
    word("min"),
    word("max"),
    word("last"),
    word("course"),
    // Figures of delays in a report, and of differences.
    word("delay"),
    count("delays").was(&["count"]),
    millis("p50"),
    millis("p90"),
    millis("p99"),
    millis("longest"),
    millis("jitter"),
    word("of"),
    word("what"),
    word("a"),
    word("b"),
    word("change"),
    word("unit"),
    Figure::new("worse", Measure::Flag),
    count("a_samples"),
    count("b_samples"),
    Figure::new("notable", Measure::Flag),
    word("broken"),
];

/// The figure of this name, found at compile time.
pub const fn named(name: &str) -> &'static Figure {
    let mut k = 0;
    while k < FIGURES.len() {
        if same(FIGURES[k].name, name) {
            return &FIGURES[k];
        }
        k += 1;
    }
    panic!("not in the list of figures")
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut k = 0;
    while k < a.len() && k < b.len() && a[k] == b[k] {
        k += 1;
    }
    k == a.len() && k == b.len()
}

/// The figures of these names, for constants.
pub const fn figures<const N: usize>(names: [&str; N]) -> [&'static Figure; N] {
    let mut all = [&FIGURES[0]; N];
    let mut k = 0;
    while k < N {
        all[k] = named(names[k]);
        k += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_each() {
        let mut names: Vec<&str> = FIGURES.iter().map(|figure| figure.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        let shape = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(names.iter().all(|name| name.chars().all(shape)), "{names:?}");
        // The page explains all of them, and nothing else.
        let page = include_str!("../docs/figures.md");
        let firsts = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" |"));
        let mut all_names: Vec<&str> =
            firsts.flat_map(|(cell, _)| cell.split(", ").map(|name| name.trim_matches('`'))).collect();
        all_names.sort_unstable();
        assert_eq!(all_names, names);
        // An older name never hides a current figure in a limit: limits are for figures with a unit.
        assert_eq!(Figure::by_name("sent").map(|figure| figure.measure), Some(Measure::Count));
    }
}
