//! Deliveries listed individually as JSON: every numbered message with its transmissions and acknowledgement.

use super::Stats;
use super::copies::Row;
use super::delivery::{Connection, Direction};
use super::directions::directions;
use super::sides::end_text;
use super::table::Cell;
use crate::flow::Side;
use serde_json::{Value as Json, json};
use std::io::Write as _;

/// Appends an object without its closing brace, so that members on further lines can follow.
fn open(object: &Json, out: &mut Vec<u8>) {
    // Writing to memory cannot fail, here and below.
    let _ = write!(out, "{object}");
    out.pop();
}

/// Appends the object of one connection: its endpoints, and under `from` the messages of each side.
pub fn connection(stats: &Stats, connection: &Connection, out: &mut Vec<u8>) {
    let mut about = json!({"flow": connection.flow, "connection": connection.ordinal});
    if let Some(flow) = stats.flow(connection.flow) {
        about["proto"] = connection.proto(Some(flow)).into();
        if let Some(version) = flow.version {
            about["version"] = version.into();
        }
        let client = flow.server.map_or(Side::A, Side::other);
        let keys = if flow.server.is_some() { ["client", "server"] } else { ["first", "second"] };
        for (key, side) in keys.into_iter().zip([client, client.other()]) {
            if let Cell::Text(end) = end_text(flow, side) {
                about[key] = end.into();
            }
        }
    }
    open(&about, out);
    out.extend_from_slice(b",\"from\":{");
    let all = directions(stats).filter(|(c, ..)| std::ptr::eq(*c, connection));
    for (k, (_, role, d)) in all.enumerate() {
        let _ = write!(out, "{}\"{role}\":", if k == 0 { "" } else { "," });
        direction(d, out);
    }
    out.extend_from_slice(b"}}");
}

fn direction(d: &Direction, out: &mut Vec<u8>) {
    let rows = &d.rows.messages;
    let numbers = |given_up: bool| -> Json {
        let rows = rows.iter().filter(|_| d.never_acked().is_some());
        rows.filter(|r| r.awaits && r.acked.is_none() && (d.gave_up(r.extended) || !given_up))
            .map(|r| r.number)
            .collect()
    };
    let gap = |(frame, missing): &(u64, u32)| json!({"frame": frame, "missing": missing});
    let twice = |r: &Row| json!({"number": r.number, "frames": r.handled().collect::<Vec<_>>()});
    let never = |r: &Row| json!({"number": r.number, "frames": r.copies.iter().map(|c| c.frame).collect::<Vec<_>>()});
    let sums = json!({
        "messages": d.tally.messages,
        "copies": d.tally.sent,
        "never_acked": numbers(false),
        "given_up": numbers(true),
        "gaps": d.rows.gaps.iter().map(gap).collect::<Vec<_>>(),
        "late_frames": d.rows.late,
        "handled_twice": rows.iter().filter(|r| r.handled().count() > 1).map(twice).collect::<Vec<_>>(),
        "never_handled": rows.iter().filter(|r| r.never_handled()).map(never).collect::<Vec<_>>(),
    });
    open(&sums, out);
    out.extend_from_slice(b",\"reliable\":[");
    for (k, row) in rows.iter().enumerate() {
        let mut one = json!({"number": row.number, "message": row.message});
        if let Some(id) = row.message_id {
            one["message_id"] = id.into();
        }
        let again = |duplicate: bool| -> Json {
            let copies = row.copies.iter().skip(1).filter(|c| c.duplicate == duplicate);
            copies.map(|c| c.frame).collect()
        };
        one["first_frame"] = row.copies.first().map_or(0, |copy| copy.frame).into();
        one["copies"] = row.copies.len().into();
        one["frames"] = row.copies.iter().map(|copy| copy.frame).collect();
        one["acked_frame"] = row.acked.into();
        one["resent_frames"] = again(false);
        one["duplicate_frames"] = again(true);
        let _ = write!(out, "{}\n  {one}", if k == 0 { "" } else { "," });
    }
    out.extend_from_slice(b"]}");
}
