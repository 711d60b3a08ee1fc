//! Evidence for Acknex. Port 2300 is weak evidence: other libraries use it too. Three quarters of all bytes begin one
//! of a server's updates. So messages are judged by their content, at any port.
//!
//! | observed | bits | because |
//! |---|---|---|
//! | port 2300 | 11 | two endpoints, in the 4,000 ports from which older systems choose |
//! | each of the first two commands with which a client's datagrams begin | 4 | 10 of 256 |
//! | a datagram can be read to its end, each of the first six of different sender, command and size; one in all where each side has only one | 3 | its last message has one size of 8; of random ones 1 in 6 to 1 in 140 |
//! | .. and is a join with a name of three or more characters of ASCII; each of the first six | 4, 1 | a zero at the end, none before; 95 of 256 |
//! | the mark of A5's info | 40 | five bytes |
//! | a datagram that cannot be read to its end; a join without a name to print, or with another than the one before | -6 | |
//!
//! One constant command in datagrams of one size, by each side, is 11 + 4 + 3 = 18 at most, and not enough.

use super::reading::Asked;
use super::whole::Datagram;
use super::{PORT, commands::Version, session};
use crate::codec::Tree;
use crate::dissect::{Evidence, FlowInfo, Observation, Role};

/// The first byte of a client's join.
const JOIN: u8 = 0x02;

/// Evidence from the first datagrams of a conversation.
pub(super) fn datagrams(observation: &Observation<'_>) -> Evidence {
    let port = if observation.ends.iter().any(|end| end.port() == PORT) { 11 } else { 0 };
    let asked = Asked::of(observation.options);
    let flow_info = observation.flow_info();
    let server = session::server_named(&flow_info);
    let version = asked.version.unwrap_or(Version::A6);
    let mut tree = Tree::default();
    let mut shapes: Vec<(bool, u8, usize)> = Vec::new();
    let (mut broken, mut joins, mut joined) = (0, 0, None);
    for (side, bytes, length) in observation.payloads.iter().filter(|(.., length)| *length > asked.skip) {
        let role = FlowInfo::role(server, *side);
        let datagram = Datagram::new(&asked, version, bytes, *length);
        if asked.version != Some(Version::A6) && role != Role::Client && datagram.marks_a5() {
            return Evidence::Bits(40, "the mark of A5's info");
        }
        let roles = [Role::Client, Role::Server];
        let whole = roles.into_iter().find(|r| (role == *r || role == Role::Unknown) && datagram.whole(*r, &mut tree));
        let (Some(role), Some((&command, rest))) = (whole, datagram.bytes.split_first()) else {
            broken += 1;
            continue;
        };
        let shape = (role == Role::Client, command, *length);
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
        if role == Role::Client && command == JOIN {
            broken += joined.is_some_and(|name| name != rest) as usize;
            joined = Some(rest);
            let named = matches!(rest, [name @ .., 0] if !name.is_empty() && name.iter().all(|b| *b >= b' '));
            broken += usize::from(!named);
            let printed = rest.iter().filter(|b| matches!(b, b' '..=b'~')).count();
            if named && printed >= 3 && printed + 1 == rest.len() {
                joins = joins.max(4 + printed.min(6));
            }
        }
    }
    let mut commands: Vec<u8> = shapes.iter().filter(|(client, ..)| *client).map(|(_, command, _)| *command).collect();
    commands.sort_unstable();
    commands.dedup();
    // Sides whose datagrams are all alike are weak evidence.
    let sides = [true, false].into_iter().filter(|client| shapes.iter().any(|(by, ..)| by == client)).count();
    let varied = if shapes.len() == sides { sides.min(1) } else { shapes.len() };
    let sum = port + 4 * commands.len().min(2) + 3 * varied.min(6) + joins;
    match sum.checked_sub(6 * broken) {
        // No datagram fits this protocol.
        _ if shapes.is_empty() && broken > 0 => Evidence::No,
        left => Evidence::Bits(observation.early(left.unwrap_or(0) as u32), "datagrams that can be read to their end"),
    }
}
