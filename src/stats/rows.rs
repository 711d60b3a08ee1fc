//! Deliveries listed individually as JSON: every numbered message with its copies and
//! acknowledgement.

use super::Stats;
use super::delivery::{Connection, Direction};
use super::directions::directions;
use super::sides::end_text;
use super::table::Cell;
use crate::codec::json::text::string;
use crate::flow::Side;
use std::fmt::{Display, Write as _};
use std::io::Write as _;

fn list<T: Display>(items: impl Iterator<Item = T>) -> String {
    let mut text = String::from("[");
    for (k, item) in items.enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{item}", if k == 0 { "" } else { "," });
    }
    text + "]"
}

/// The object of one connection: its ends, and under `from` the messages of each side.
pub fn connection(stats: &Stats, connection: &Connection, out: &mut Vec<u8>) {
    let flow = stats.flow(connection.flow);
    // Writing to memory cannot fail, here and below.
    let _ = write!(out, "{{\"flow\":{},\"connection\":{}", connection.flow, connection.ordinal);
    if let Some(flow) = flow {
        let _ = write!(out, ",\"proto\":\"{}\"", flow.proto);
        if let Some(version) = flow.version {
            let _ = write!(out, ",\"version\":\"{version}\"");
        }
        let client = flow.server.map_or(Side::A, Side::other);
        let keys = if flow.server.is_some() { ["client", "server"] } else { ["first", "second"] };
        for (key, side) in keys.into_iter().zip([client, client.other()]) {
            if let Cell::Text(end) = end_text(flow, side) {
                let _ = write!(out, ",\"{key}\":\"{end}\"");
            }
        }
    }
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
    let numbers = |given_up: bool| {
        list(rows.iter().filter(|r| r.acked.is_none() && (d.gave_up(r.extended) || !given_up)).map(|r| r.number))
    };
    let gaps = list(d.rows.gaps.iter().map(|(frame, n)| format!("{{\"frame\":{frame},\"missing\":{n}}}")));
    let late = list(d.rows.late.iter());
    let message = |number: u64, frames: String| format!("{{\"number\":{number},\"frames\":{frames}}}");
    let twice = rows.iter().filter(|r| r.handled().count() > 1).map(|r| message(r.number, list(r.handled())));
    let never = rows.iter().filter(|r| r.never_handled());
    let never = never.map(|r| message(r.number, list(r.copies.iter().map(|c| c.frame))));
    let _ = write!(
        out,
        "{{\"messages\":{},\"copies\":{},\"never_acked\":{},\"given_up\":{},\"gaps\":{gaps},\"late_frames\":{late},\
         \"handled_twice\":{},\"never_handled\":{},\"reliable\":[",
        d.messages,
        d.sent,
        numbers(false),
        numbers(true),
        list(twice),
        list(never)
    );
    for (k, row) in rows.iter().enumerate() {
        let _ = write!(out, "{}\n  {{\"number\":{},\"message\":", if k == 0 { "" } else { "," }, row.number);
        string(row.message.as_bytes(), out);
        if let Some(id) = row.message_id {
            let _ = write!(out, ",\"message_id\":{id}");
        }
        let first = row.copies.first().map_or(0, |copy| copy.frame);
        let frames = list(row.copies.iter().map(|copy| copy.frame));
        let acked = row.acked.map_or("null".into(), |frame| frame.to_string());
        let again = |acked: bool| list(row.copies.iter().skip(1).filter(|c| c.acked == acked).map(|c| c.frame));
        let _ = write!(
            out,
            ",\"first_frame\":{first},\"copies\":{},\"frames\":{frames},\"acked_frame\":{acked},\
             \"resent_frames\":{},\"duplicate_frames\":{}}}",
            row.copies.len(),
            again(false),
            again(true)
        );
    }
    out.extend_from_slice(b"]}");
}
