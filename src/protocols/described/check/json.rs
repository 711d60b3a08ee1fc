//! The findings as one JSON object.

use super::rejected::Rejected;
use super::tally::{Difference, Share, Shown, Spot, Tally};
use super::text::percent;
use super::{Capture, Findings};
use crate::codec::schema::SchemaError;
use crate::dissect::Dissector;
use crate::protocols::described::MisfitKind;
use serde_json::{Value as Json, json};

impl Findings {
    /// Returns all findings. `empty`: captures without the protocol's packets are accepted.
    pub(crate) fn json(&self, empty: bool) -> Json {
        let mistake = |mistake: &SchemaError| {
            let mut all = json!({ "line": mistake.line, "text": mistake.reason });
            if mistake.file != self.file {
                all["file"] = mistake.file.clone().into();
            }
            all
        };
        let mut all = json!({
            "file": self.file,
            "protocol": self.described.map(|described| described.facts().name),
            "holds": self.hold(empty),
            "mistakes": self.mistakes.iter().map(mistake).collect::<Vec<_>>(),
        });
        if let Some(described) = self.described {
            let description = described.description();
            let advice = |(line, text): &(usize, String)| json!({ "line": line, "text": text });
            all["advice"] = description.advice.iter().map(advice).collect();
            all["messages"] = description.messages().into();
        }
        if let Some(unseen) = &self.unseen {
            all["captures"] = self.captures.iter().map(one).collect();
            all["never_seen"] = unseen.as_slice().into();
        }
        all
    }
}

fn share(share: Share) -> Json {
    json!({ "of": share.of, "all": share.all, "percent": percent(share) })
}

fn one(capture: &Capture) -> Json {
    let tally = &capture.tally;
    let mut all = json!({ "file": capture.name });
    if let Some(stopped) = &capture.stopped {
        all["stopped"] = true.into();
        all["read"] = stopped.read.into();
    }
    if let Some(error) = &capture.error {
        all["error"] = error.as_str().into();
    }
    let more = json!({
        "frames": tally.frames,
        "conversations": share(tally.conversations),
        "packets": share(tally.packets),
        "bytes": share(tally.bytes),
        "explained": { "packets": share(tally.explained), "bytes": share(tally.explained_bytes) },
        "cut": tally.cut,
        "skipped_bytes": tally.skipped,
        "given_up": tally.given_up.of,
        "places": places(tally),
        "misfits": tally.misfits.iter().map(misfit).collect::<Vec<_>>(),
        "round_trip": round_trip(tally),
        "rejected": {
            "all": tally.rejected_all,
            "by": tally.rejected_by,
            "taken_by": tally.taken,
            "first": tally.rejected.iter().map(Rejected::json).collect::<Vec<_>>(),
        },
    });
    extended(all, more)
}

/// Appends the members of one object to another.
fn extended(mut object: Json, more: Json) -> Json {
    if let (Json::Object(object), Json::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

fn places(tally: &Tally) -> Json {
    let one = |((kind, path), spot): (&(MisfitKind, String), &Spot)| {
        let path = if *kind == MisfitKind::Unknown { "unknown" } else { path };
        json!({ "kind": kind.name(), "path": path, "packets": spot.packets, "first": spot.frame, "text": spot.what })
    };
    let mut list: Vec<Json> = tally.spots().into_iter().map(one).collect();
    if tally.elsewhere > 0 {
        list.push(json!({ "kind": "others", "packets": tally.elsewhere }));
    }
    list.into()
}

fn misfit(shown: &Shown) -> Json {
    let misfit = &shown.misfit;
    let mut line = json!({ "frame": shown.frame });
    if shown.frames.len() > 1 {
        line["frames"] = shown.frames.as_slice().into();
    }
    let more = json!({
        "flow": shown.flow,
        "from": shown.from.name(),
        "src": shown.src,
        "dst": shown.dst,
        "message": shown.message,
        "length": shown.length,
        "kind": misfit.kind.name(),
        "path": misfit.path,
        "offset": misfit.bit.map(|bit| bit / 8),
        "bit": misfit.bit.map(|bit| bit % 8),
        "text": misfit.what,
        "expected": misfit.expected,
        "around": shown.excerpt.json(),
    });
    extended(line, more)
}

fn round_trip(tally: &Tally) -> Json {
    let one = |difference: &Difference| {
        let mut line = json!({
            "frame": difference.frame,
            "flow": difference.flow,
            "message": difference.message,
            "offset": difference.at,
            "was": difference.was.json(),
        });
        match &difference.gives {
            Ok(gives) => line["gives"] = gives.json(),
            Err(why) => line["error"] = why.as_str().into(),
        }
        line
    };
    json!({
        "messages": tally.messages,
        "packets": tally.different.all,
        "different": tally.different.of,
        "first": tally.differences.iter().map(one).collect::<Vec<_>>(),
    })
}
