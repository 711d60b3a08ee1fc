//! The findings as text.

use super::rejected::Rejected;
use super::tally::{Difference, Share, Shown, Tally};
use super::{Capture, Findings};
use crate::dissect::{Dissector, Role};
use crate::plural::Plural;
use crate::printable::Printable;
use crate::protocols::described::MisfitKind;
use crate::render::palette::Palette;
use std::fmt::Write as _;

/// Returns the share in percent, rounded down: never 100 if some are missing.
pub fn percent(share: Share) -> Option<f64> {
    (share.all > 0).then(|| (share.of as f64 / share.all as f64 * 1000.0).floor() / 10.0)
}

fn share(share: Share, noun: &str) -> String {
    let of = percent(share).map_or(String::new(), |percent| format!(" ({percent:.1}%)"));
    format!("{} of {}{of}", share.of, Plural(share.all, noun))
}

fn side(from: Role) -> &'static str {
    match from {
        Role::Client => "client, ",
        Role::Server => "server, ",
        Role::Unknown => "",
    }
}

impl Findings {
    /// Returns the whole report. `empty`: captures without the protocol's packets are accepted.
    pub(crate) fn text(&self, empty: bool, colour: bool) -> String {
        let palette = Palette::of(colour);
        let Palette { error, note, title, reset, .. } = palette;
        let file = Printable(&self.file).to_string();
        let mut out = String::new();
        for mistake in &self.mistakes {
            // It may be in the file of a carrier.
            let (own, reason) = (Printable(&mistake.file), Printable(&mistake.reason));
            let _ = writeln!(out, "{own}: {error}line {}{reset}: {reason}", mistake.line);
        }
        let Some(described) = self.described else {
            if self.mistakes.is_empty() {
                let _ = writeln!(out, "{file}: no mistake; it describes payloads, which decode --schema {file} reads");
            }
            return out;
        };
        let (name, description) = (described.facts().name, described.description());
        let messages: usize = description.messages();
        let _ = writeln!(out, "{file}: {name}: {} over {}", Plural(messages, "message"), description.spoken());
        for (line, advice) in &description.advice {
            let _ = writeln!(out, "{file}: line {line}: {note}advice{reset}: {}", Printable(advice));
        }
        for capture in &self.captures {
            out.push('\n');
            one(capture, name, palette, &mut out);
        }
        let read = self.captures.iter().any(|capture| capture.error.is_none());
        if let Some(unseen) = self.unseen.as_ref().filter(|_| messages > 0 && read) {
            let all = if unseen.is_empty() { "none".into() } else { unseen.join(", ") };
            let _ = writeln!(out, "\n{title}messages never seen{reset}: {}", Printable(all));
        }
        if self.unseen.is_some() && read && !self.tried() && !empty {
            let accepts = "--allow-empty accepts that there is none";
            let _ =
                writeln!(out, "no conversation was read as {name}: -p {name} reads every packet as {name} ({accepts})");
        }
        out
    }
}

fn one(capture: &Capture, name: &str, palette: &Palette, out: &mut String) {
    let (Palette { title, error, warning, reset, .. }, tally) = (palette, &capture.tally);
    let _ = write!(out, "{title}{}{reset}: {}", Printable(&capture.name), Plural(tally.frames, "frame"));
    if tally.conversations.all > 0 {
        let conversations = Plural(tally.conversations.all, "conversation");
        let packets = Plural(tally.packets.all, "packet");
        let bytes = Plural(tally.bytes.all, "byte");
        let _ = write!(out, ", {conversations} of UDP and TCP: {packets} with {bytes}");
    }
    out.push('\n');
    if let Some(stopped) = &capture.stopped {
        let _ = writeln!(out, "  {warning}{stopped}{reset}");
    }
    if let Some(why) = &capture.error {
        let _ = writeln!(out, "  {error}{}{reset}", Printable(why));
    }
    if tally.conversations.all > 0 {
        let all = [(tally.conversations, "conversation"), (tally.packets, "packet"), (tally.bytes, "byte")];
        let all: Vec<String> = all.into_iter().map(|(of, noun)| share(of, noun)).collect();
        let _ = writeln!(out, "  {name:11} {}", all.join(", "));
    }
    if tally.tried() + tally.cut > 0 {
        let colour = if tally.explained.of < tally.explained.all { error } else { "" };
        let packets = share(tally.explained, "packet");
        let bytes = share(tally.explained_bytes, "byte");
        let _ = writeln!(out, "  {:11} {colour}{packets}{reset}, {bytes}", "explained");
        let differ = match tally.different.of {
            0 => format!("{}, each encodes back to its bytes", Plural(tally.different.all, "packet")),
            n => format!("{error}{n} of {} differ{reset}", Plural(tally.different.all, "packet")),
        };
        let _ = writeln!(out, "  {:11} {differ}", "round trip");
    }
    if tally.cut > 0 {
        let _ =
            writeln!(out, "  {:11} {}: the capture has only a part, and that fits", "cut", Plural(tally.cut, "packet"));
    }
    if tally.skipped > 0 {
        let bytes = Plural(tally.skipped, "byte");
        let _ = writeln!(out, "  {:11} {bytes} of its streams belong to no packet", "skipped");
    }
    if tally.given_up.of > 0 {
        let conversations = Plural(tally.given_up.of, "conversation");
        let messages = Plural(tally.given_up.all, "message");
        let _ = writeln!(
            out,
            "  {:11} {conversations}, read as {name} for {messages}: later packets did not fit",
            "given up"
        );
    }
    misfits(tally, palette, out);
    differences(tally, palette, out);
    rejected(tally, palette, out);
}

fn misfits(tally: &Tally, palette: &Palette, out: &mut String) {
    let (Palette { title, error, reset, .. }, wrong) = (palette, tally.explained.all - tally.explained.of);
    if wrong == 0 {
        return;
    }
    let _ = writeln!(out, "\n  {title}does not fit{reset}: {}", Plural(wrong, "packet"));
    let spots = tally.spots();
    for ((kind, path), spot) in spots.iter().take(10) {
        let (path, what) = (Printable(path), Printable(&spot.what));
        let what = if *kind == MisfitKind::Unknown { String::new() } else { format!(": {what}") };
        let _ = writeln!(out, "  {:>6}  {path}, first in frame {}{what}", spot.packets, spot.frame);
    }
    let more = tally.elsewhere + spots.iter().skip(10).map(|(_, spot)| spot.packets).sum::<u64>();
    if more > 0 {
        let _ = writeln!(out, "  {more:>6}  at other places");
    }
    for Shown { frame, flow, from, src, dst, message, length, misfit, excerpt, .. } in &tally.misfits {
        let who = side(*from);
        let ends = if src.is_empty() { String::new() } else { format!("{who}{src} > {dst}, ") };
        let place = if *frame > 0 { format!("frame {frame}, flow {flow}, ") } else { String::new() };
        let _ = writeln!(out, "\n  {place}{ends}{}: {title}{message}{reset}", Plural(*length, "byte"));
        let at = misfit.bit.map_or("in unpacked bytes".into(), |bit| match bit % 8 {
            0 => format!("byte {}", bit / 8),
            odd => format!("byte {}, bit {odd}", bit / 8),
        });
        let _ = writeln!(out, "    {at}, {}: {error}{}{reset}", Printable(&misfit.path), Printable(&misfit.what));
        if !misfit.expected.is_empty() {
            let _ = writeln!(out, "    expected: {}", Printable(&misfit.expected));
        }
        excerpt.text("    ", palette, out);
    }
}

fn differences(tally: &Tally, palette: &Palette, out: &mut String) {
    let Palette { title, reset, .. } = palette;
    for Difference { frame, flow, message, at, was, gives } in &tally.differences {
        let _ = write!(out, "\n  {title}does not encode back{reset}: frame {frame}, flow {flow}: {message}");
        match gives {
            Ok(gives) => {
                let _ = writeln!(out, ": differs from byte {at} on; was, and is written as");
                was.text("    ", palette, out);
                gives.text("    ", palette, out);
            }
            Err(why) => {
                let _ = writeln!(out, ": {}", Printable(why));
            }
        }
    }
}

fn rejected(tally: &Tally, palette: &Palette, out: &mut String) {
    if tally.rejected_all == 0 {
        return;
    }
    let Palette { title, reset, .. } = palette;
    let _ = writeln!(out, "\n  {title}not claimed{reset}: {}", Plural(tally.rejected_all, "conversation"));
    let mut list: Vec<&Rejected> = tally.rejected.iter().collect();
    list.sort_by_key(|rejected| !rejected.port);
    for rejected in &list {
        let [a, b] = rejected.ends;
        let (packets, bytes) = (Plural(rejected.packets, "packet"), Plural(rejected.bytes, "byte"));
        let port = if rejected.port { ", a port of the file" } else { "" };
        let _ = writeln!(out, "  flow {}, {} {a} - {b}{port}: {packets}, {bytes}", rejected.flow, rejected.transport);
        let _ = writeln!(out, "    {}", Printable(&rejected.why));
        if !rejected.expected.is_empty() {
            let _ = writeln!(out, "    expected: {}", Printable(&rejected.expected));
        }
        if let Some((proto, why)) = rejected.taken {
            let _ = writeln!(out, "    {proto} has it: {why}");
        }
        if let Some(excerpt) = rejected.excerpt.as_ref().filter(|_| rejected.port || rejected.taken.is_none()) {
            excerpt.text("    ", palette, out);
        }
    }
    let more = tally.rejected_all - list.len() as u64;
    if more > 0 {
        let by: Vec<String> = tally.rejected_by.iter().map(|(by, n)| format!("{n} by {}", reason(by))).collect();
        let _ = writeln!(out, "  and {more} more; all together: {}", by.join(", "));
    }
}

/// Describes a reason.
fn reason(by: &str) -> &str {
    match by {
        "transport" => "their transport",
        "path" => "their WebSocket's path",
        "few" => "too few packets",
        "bits" => "too little evidence",
        "less" => "another protocol's evidence",
        "framing" => "the framing of the stream",
        _ => "a packet that does not fit",
    }
}
