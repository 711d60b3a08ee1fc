//! The findings as one JSON object.

use super::tally::{Share, Tally};
use super::text::percent;
use super::{Capture, Findings};
use crate::dissect::Dissector;
use crate::protocols::described::MisfitKind;
use serde_json::{Value as Json, json};

/// Returns all findings. `holds`: there are no errors.
pub fn json(findings: &Findings, holds: bool) -> Json {
    let mistake = |mistake: &crate::codec::schema::SchemaError| json!({ "line": mistake.line, "text": mistake.reason });
    let mut all = json!({
        "file": findings.file,
        "protocol": findings.described.map(|described| described.facts().name),
        "holds": holds,
        "mistakes": findings.mistakes.iter().map(mistake).collect::<Vec<_>>(),
    });
    if let Some(described) = findings.described {
        let description = described.description();
        let advice = |(line, text): &(usize, String)| json!({ "line": line, "text": text });
        all["advice"] = description.advice.iter().map(advice).collect();
        all["messages"] = description.messages().into();
    }
    if let Some(unseen) = &findings.unseen {
        all["captures"] = findings.captures.iter().map(one).collect();
        all["never_seen"] = unseen.as_slice().into();
    }
    all
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
            "first": tally.rejected.iter().map(super::rejected::Rejected::json).collect::<Vec<_>>(),
        },
    });
    if let (Json::Object(all), Json::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    all
}

fn places(tally: &Tally) -> Json {
    let mut spots: Vec<_> = tally.spots.iter().collect();
    spots.sort_by_key(|(_, spot)| (std::cmp::Reverse(spot.packets), spot.frame));
    let one = |((kind, path), spot): (&(MisfitKind, String), &super::tally::Spot)| {
        let path = if *kind == MisfitKind::Unknown { "unknown" } else { path };
        json!({ "kind": kind.name(), "path": path, "packets": spot.packets, "first": spot.frame, "text": spot.what })
    };
    let mut list: Vec<Json> = spots.into_iter().map(one).collect();
    if tally.elsewhere > 0 {
        list.push(json!({ "kind": "others", "packets": tally.elsewhere }));
    }
    list.into()
}

fn misfit(shown: &super::tally::Shown) -> Json {
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
    if let (Json::Object(line), Json::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    line
}

fn round_trip(tally: &Tally) -> Json {
    let one = |difference: &super::tally::Difference| {
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
