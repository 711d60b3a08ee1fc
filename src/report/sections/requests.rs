//! Requests and their answers: first those without one, then the slowest.

use super::super::figures::{Count, Shown, table};
use super::super::{Context, Html, section};
use super::nothing;
use crate::dissect::Expected;
use crate::plural::Plural;
use crate::stats::{connections, directions};

/// The most messages without an answer, and the most kinds, that are listed.
const LISTED: usize = 40;

const LATENCY: &str = "proto,message,route,answered,waiting,answered_p50,answered_p90,answered_max";
const WAITING: &str = "frame,flow,from,peer,proto,message,route,sent,index";
const SLOW: &str = "frame,after,by_frame,flow,from,peer,proto,message,route,sent";
const COLUMNS: &str = "flow,connection,proto,from,requests,responses,unanswered,unmatched,response_p50,response_p90,\
    response_max,response_jitter";
const PINGS: &str = "flow,connection,proto,from,pings,pongs,unmatched,ping_p50,ping_p90,ping_max,ping_jitter";

/// Writes the section.
pub fn section_of(context: &Context<'_>, html: &mut Html) {
    section("requests", "Requests", html, |html| {
        let senders = directions::senders(context.stats);
        let (rows, pings) = (connections::requests(&senders), connections::pings(&senders));
        if rows.rows.is_empty() && pings.rows.is_empty() {
            return nothing("The capture has no requests and no pings.", html);
        }
        waiting(context, Expected::Answer, html);
        let more = "netkit stats --delivery lists all";
        let caption = "Requests by connection (times to their responses in ms)";
        table(&rows, &Shown { id: "request-rows", caption, columns: COLUMNS, most: 60, more }, html);
        let caption = "Pings and heartbeats by connection (round trips in ms)";
        table(&pings, &Shown { id: "ping-rows", caption, columns: PINGS, most: 60, more }, html);
    });
}

/// Writes the messages that nothing answered or acknowledged, the slowest ones, and the delays of each kind.
pub fn waiting(context: &Context<'_>, expected: Expected, html: &mut Html) {
    let answers = expected == Expected::Answer;
    let tables = context.waiting.tables(None, true);
    let find = |kind: &str| tables.iter().find(|table| table.shape.kind == kind);
    let kind = if answers { "unanswered" } else { "never_acked" };
    if let Some(list) = find(kind).filter(|list| !list.rows.is_empty()) {
        let (what, option, id) = match answers {
            true => ("Without a response in the capture", "--unanswered", "unanswered"),
            false => ("Without an acknowledgement in the capture", "--never-acked", "never-acked"),
        };
        let caption = format!("{what}: {}", Plural(list.rows.len() as u64, "message"));
        let more = format!("netkit stats {option} lists all");
        table(list, &Shown { id, caption: &caption, columns: WAITING, most: LISTED, more: &more }, html);
    }
    let slow = context.waiting.slowest(expected);
    if !slow.rows.is_empty() {
        let (caption, id, option) = match answers {
            true => ("Slowest responses", "slow-answers", "--slow"),
            false => ("Slowest acknowledgements", "slow-acks", "--slow"),
        };
        let more = format!("netkit stats {option} 1ms lists all");
        table(&slow, &Shown { id, caption, columns: SLOW, most: LISTED, more: &more }, html);
    }
    if let Some(kinds) = find("latency") {
        let own = if answers { "answer" } else { "ack" };
        let mut kinds = kinds.clone();
        kinds.rows.retain(|row| row.get(3).is_some_and(|cell| *cell == own.into()));
        if !kinds.rows.is_empty() {
            let (caption, id) = match answers {
                true => ("Time to the response (ms), by kind", "answer-kinds"),
                false => ("Time to the acknowledgement (ms), by kind", "ack-kinds"),
            };
            let more = "netkit stats --latency lists all";
            table(&kinds, &Shown { id, caption, columns: LATENCY, most: LISTED, more }, html);
        }
    }
    if answers && context.waiting.lost > 0 {
        let lost = Count(context.waiting.lost);
        html.el("p").class("more").text(format_args!(
            "messages not followed to their responses, because too many waited at once: {lost} (--limit waiting=N \
             raises the limit)"
        ));
    }
}
