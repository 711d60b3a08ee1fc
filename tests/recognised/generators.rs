//! Random protocols that are not ours: each conversation belongs to another protocol of its kind, with its own numbers,
//! sizes and constants.

use crate::common::Random;
use netkit::flow::Transport;

/// The sent bytes, and whether the client sends them.
pub type Exchange = Vec<(bool, Vec<u8>)>;

pub struct Generator {
    pub name: &'static str,
    pub transport: Transport,
    pub make: fn(&mut Random) -> Exchange,
}

const fn udp(name: &'static str, make: fn(&mut Random) -> Exchange) -> Generator {
    Generator { name, transport: Transport::Udp, make }
}

const fn tcp(name: &'static str, make: fn(&mut Random) -> Exchange) -> Generator {
    Generator { name, transport: Transport::Tcp, make }
}

pub static GENERATORS: [Generator; 34] = [
    udp("opcodes", opcodes),
    udp("opcodes of one size each", sized_opcodes),
    udp("opcodes and numbers", numbered_opcodes),
    udp("numbers and acknowledgements", acknowledged),
    udp("acknowledgements with bits", ack_bits),
    udp("counters", counters),
    udp("nibbles that count", nibbles),
    udp("random walks", walks),
    udp("echoes", echoes),
    udp("heartbeats", heartbeats),
    udp("structures", structures),
    udp("tags, lengths, values", tags),
    udp("protobuf", protobuf),
    udp("text", text),
    udp("RTP", rtp),
    udp("KCP", kcp),
    udp("ENet", enet),
    udp("RakNet", raknet),
    udp("Quake", quake),
    udp("DNS", dns),
    udp("TFTP", tftp),
    udp("CoAP", coap),
    udp("noise", noise),
    udp("small bytes", small),
    tcp("lengths", lengths),
    tcp("lengths behind a hello of one byte", hello),
    tcp("types and lengths", types),
    tcp("types and lengths of JSON", json_types),
    tcp("lines", lines),
    tcp("varints before protobuf", delimited),
    tcp("JSON in a WebSocket", websocket_json),
    tcp("socket.io", socket_io),
    tcp("types and lengths in a WebSocket", websocket_types),
    tcp("two letters and a length", letters),
];

/// A number of `width` bytes.
fn number(value: u64, width: usize, low_first: bool) -> Vec<u8> {
    let mut bytes = value.to_le_bytes()[..width].to_vec();
    if !low_first {
        bytes.reverse();
    }
    bytes
}

fn bytes(r: &mut Random, count: usize) -> Vec<u8> {
    (0..count).map(|_| r.below(256) as u8).collect()
}

/// Content as in real applications: random, zeros, small numbers, text.
fn body(r: &mut Random, count: usize) -> Vec<u8> {
    match r.below(5) {
        0 => vec![0; count],
        1 => (0..count).map(|_| r.below(4) as u8).collect(),
        2 => (0..count).map(|_| b'a' + r.below(26) as u8).collect(),
        3 => (0..count).map(|k| if k % 4 == 0 { r.below(256) as u8 } else { 0 }).collect(),
        _ => bytes(r, count),
    }
}

/// The senders of `count` messages, as in real traffic: mostly alternating, or one side far more often.
fn sides(r: &mut Random, count: usize) -> Vec<bool> {
    let (share, one) = (1 + r.below(9), r.below(6) == 0);
    (0..count).map(|k| k == 0 || !one && r.below(10) < share).collect()
}

fn turns(r: &mut Random) -> Vec<bool> {
    let count = 4 + r.below(12);
    sides(r, count)
}

fn opcodes(r: &mut Random) -> Exchange {
    let (most, long) = (3 + r.below(12), 4 + r.below(40));
    let turns = turns(r);
    turns
        .into_iter()
        .map(|who| {
            (who, {
                let n = r.below(long);
                [vec![r.below(most) as u8], bytes(r, n)].concat()
            })
        })
        .collect()
}

fn sized_opcodes(r: &mut Random) -> Exchange {
    let sizes: Vec<usize> = (0..12).map(|_| r.below(12)).collect();
    let most = 3 + r.below(9);
    let turns = turns(r);
    turns
        .into_iter()
        .map(|who| {
            (who, {
                let k = r.below(most);
                [vec![k as u8], body(r, sizes[k])].concat()
            })
        })
        .collect()
}

/// Each side numbers its messages; some opcodes have no number.
fn numbered_opcodes(r: &mut Random) -> Exchange {
    let (most, width, low_first) = (2 + r.below(10), 1 + r.below(4), r.below(2) == 0);
    let (mut next, step) = ([r.below(300) as u64, r.below(300) as u64], 1 + r.below(2) as u64);
    let numbered = r.below(1 << 12);
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        let op = r.below(most);
        let mut one = vec![op as u8];
        if numbered >> op & 1 == 1 {
            one.extend(number(next[who as usize], width, low_first));
            next[who as usize] += step;
        }
        let n = r.below(20);
        one.extend(body(r, n));
        messages.push((who, one));
    }
    messages
}

/// Numbered messages, each acknowledged by its number, with random opcodes, widths and byte orders.
fn acknowledged(r: &mut Random) -> Exchange {
    let ops: Vec<u8> = (0..3).map(|_| if r.below(2) == 0 { r.below(16) as u8 } else { r.below(256) as u8 }).collect();
    let (width, low_first, place) = ([1, 2, 2, 2, 4][r.below(5)], r.below(2) == 0, r.below(3));
    let (mut next, tail) = ([r.below(1000) as u64; 2], r.below(4));
    let echo = r.below(2) == 0;
    // Exactly DNP's own acknowledgement is no near miss.
    let ops = if [place, width, tail] == [0, 2, 1] && !echo { vec![ops[0], ops[1] & 0xf0 | 3, ops[2]] } else { ops };
    let mut messages = Exchange::new();
    for _ in 0..3 + r.below(8) {
        let who = r.below(3) > 0;
        let count = number(next[who as usize], width, low_first);
        next[who as usize] += 1;
        let n = r.below(24);
        messages.push((who, [vec![ops[0]; 1 + place], count.clone(), body(r, n)].concat()));
        let ack =
            [vec![ops[if echo { 0 } else { 1 }]; 1 + place], count, vec![r.below(2) as u8 * ops[2]; tail]].concat();
        if r.below(8) > 0 {
            messages.push((!who, ack));
        }
    }
    messages
}

/// Sequence, acknowledgement and bits for earlier messages in each datagram, as in many games.
fn ack_bits(r: &mut Random) -> Exchange {
    let (width, bits, low_first) = (1 + r.below(2), [1, 2, 4][r.below(3)], r.below(2) == 0);
    let (head, mut next, mut got) = (r.below(4), [r.below(100) as u64; 2], [0u64; 2]);
    // Nothing is lost, so all bits are set, or one more with each message.
    let (full, mut count) = (r.below(2) == 0, [0u32; 2]);
    let first = r.below(256) as u8;
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        let side = who as usize;
        next[side] += 1;
        got[1 - side] = next[side];
        let n = r.below(30);
        let parts = [number(next[side], width, low_first), number(got[side], width, low_first)];
        let seen = if full { u64::MAX } else { (1 << count[1 - side].min(40)) - 1 };
        count[side] += 1;
        messages.push((who, [vec![first; head], parts.concat(), number(seen, bits, low_first), body(r, n)].concat()));
    }
    messages
}

fn counters(r: &mut Random) -> Exchange {
    let (at, width, low_first) = (r.below(4), 1 + r.below(4), r.below(2) == 0);
    let (first, step) = (r.below(256) as u8, [1, 1, 1, 2, 160, 960][r.below(6)]);
    let (size, varies) = ([4, 5, 7, 8, 12, 20, 32][r.below(7)], r.below(2) == 0);
    let mut next = [r.below(70_000) as u64, r.below(70_000) as u64];
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        let n = if varies { r.below(40) } else { size };
        messages.push((who, [vec![first; at], number(next[who as usize], width, low_first), body(r, n)].concat()));
        next[who as usize] += step;
    }
    messages
}

/// A type in one half of the first byte, a counter in the other, more bytes after it.
fn nibbles(r: &mut Random) -> Exchange {
    let (high, kinds) = (r.below(2) == 0, 1 + r.below(6));
    let (carries, size) = (r.below(2) == 0, r.below(8));
    let mut next = [0usize; 2];
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        let (kind, count) = (r.below(kinds) as u8, next[who as usize]);
        next[who as usize] += 1;
        let low = (count & 15) as u8;
        let mut one = vec![if high { low << 4 | kind } else { kind << 4 | low }];
        if carries {
            one.push((count >> 4) as u8);
        }
        one.extend(body(r, size));
        messages.push((who, one));
    }
    messages
}

/// Positions that move a little, after a first byte.
fn walks(r: &mut Random) -> Exchange {
    let (mut at, count) = (bytes(r, 12), 2 + r.below(10));
    let first = if r.below(2) == 0 { vec![r.below(8) as u8] } else { Vec::new() };
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        at.iter_mut().for_each(|byte| *byte = byte.wrapping_add(r.below(5) as u8).wrapping_sub(2));
        messages.push((who, [&first[..], &at[..count]].concat()));
    }
    messages
}

fn echoes(r: &mut Random) -> Exchange {
    let (first, other) = (r.below(16) as u8, r.below(16) as u8);
    let (keep, n) = (1 + r.below(8), 1 + r.below(20));
    // Exactly DNP's own acknowledgement and Riptide's own heartbeat are no near misses.
    let other = match (other, keep.min(2 + n)) {
        (6, 4) => 7,
        (4 | 5, 2) if other == first && n == 2 => 6,
        _ => other,
    };
    let mut messages = Exchange::new();
    for k in 0..3 + r.below(8) as u8 {
        let one = [vec![first, k], body(r, n)].concat();
        let mut back = one[..keep.min(one.len())].to_vec();
        back[0] = other;
        messages.extend([(true, one), (false, back)]);
    }
    messages
}

fn heartbeats(r: &mut Random) -> Exchange {
    let (ask, answer, width) = (r.below(16) as u8, r.below(16) as u8, 1 + r.below(3));
    let (mut next, trips, tail) = (r.below(256) as u64, r.below(2) == 0, r.below(3));
    // Exactly DNP's own acknowledgement and Riptide's own heartbeat are no near misses.
    let trips = trips && !(width + tail == 1 && ask == answer && matches!(ask, 4 | 5));
    let answer = if answer == 6 && width + tail == 3 { 7 } else { answer };
    let mut messages = Exchange::new();
    for _ in 0..3 + r.below(8) {
        let mut one = [vec![ask], number(next, width, true)].concat();
        let back = [vec![answer], number(next, width, true), vec![0; tail]].concat();
        if trips {
            one.extend([r.below(60) as u8, 0]);
        }
        next += 1;
        messages.extend([(true, one), (false, back)]);
    }
    messages
}

/// Fields of four bytes with small numbers.
fn structures(r: &mut Random) -> Exchange {
    let (fields, most, low_first) = (1 + r.below(6), 1 + r.below(300), r.below(2) == 0);
    let width = [1, 2, 4][r.below(3)];
    let turns = turns(r);
    let mut each = || (0..fields).flat_map(|_| number(r.below(most) as u64, width, low_first)).collect();
    turns.into_iter().map(|who| (who, each())).collect()
}

fn tags(r: &mut Random) -> Exchange {
    let (kinds, wide) = (1 + r.below(12), r.below(2) == 0);
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        let mut one = Vec::new();
        for _ in 0..1 + r.below(4) {
            let n = r.below(9);
            one.push(r.below(kinds) as u8);
            one.extend(number(n as u64, if wide { 2 } else { 1 }, true));
            one.extend(body(r, n));
        }
        messages.push((who, one));
    }
    messages
}

fn message(r: &mut Random) -> Vec<u8> {
    let mut one = Vec::new();
    for field in 1..2 + r.below(5) as u8 {
        match r.below(3) {
            0 => one.extend([field << 3, r.below(128) as u8]),
            1 => one.extend([field << 3, 0x80 | r.below(128) as u8, 1 + r.below(100) as u8]),
            _ => {
                let n = r.below(20);
                one.extend([field << 3 | 2, n as u8]);
                one.extend((0..n).map(|_| b'a' + r.below(26) as u8));
            }
        }
    }
    one
}

fn protobuf(r: &mut Random) -> Exchange {
    let turns = turns(r);
    turns.into_iter().map(|who| (who, message(r))).collect()
}

fn line(r: &mut Random) -> Vec<u8> {
    // No code of 200 or 500: after a type and a length it would be nano's own handshake.
    let words = ["join", "move", "user", "code", "sys", "route", "id", "data", "ok", "tick"];
    match r.below(3) {
        0 => format!(
            "{{\"{}\":{},\"{}\":\"{}\"}}",
            words[r.below(10)],
            r.below(199),
            words[r.below(10)],
            words[r.below(10)]
        ),
        1 => format!("{} {} {}", words[r.below(10)], words[r.below(10)], r.below(100)),
        _ => format!("[\"{}\",{{\"{}\":{}}}]", words[r.below(10)], words[r.below(10)], r.below(100)),
    }
    .into_bytes()
}

fn text(r: &mut Random) -> Exchange {
    let turns = turns(r);
    turns.into_iter().map(|who| (who, line(r))).collect()
}

fn rtp(r: &mut Random) -> Exchange {
    let (kind, mut count, mut time) = (r.below(128) as u8, r.below(65536) as u64, r.below(1 << 30) as u64);
    let (source, n, step) = (bytes(r, 4), 8 + r.below(30), [160, 320, 960][r.below(3)]);
    let mut messages = Exchange::new();
    for _ in 0..6 + r.below(10) {
        let head = [vec![0x80, kind], number(count & 0xffff, 2, false), number(time, 4, false), source.clone()];
        messages.push((true, [head.concat(), bytes(r, n)].concat()));
        (count, time) = (count + 1, time + step);
    }
    messages
}

fn kcp(r: &mut Random) -> Exchange {
    let wide = if r.below(2) == 0 { 8 } else { 30 };
    let (conv, mut time) = (r.below(1 << wide) as u64, r.below(100_000) as u64);
    let (mut sent, front) = ([0u64; 2], r.below(3));
    let first = r.below(6) as u8;
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        let push = r.below(2) == 0;
        let n = if push { r.below(30) } else { 0 };
        let head = [
            vec![first; front],
            number(conv, 4, true),
            vec![if push { 81 } else { 82 }, 0, 128, 0],
            number(time, 4, true),
            number(sent[who as usize], 4, true),
            number(sent[1 - who as usize], 4, true),
            number(n as u64, 4, true),
        ];
        sent[who as usize] += push as u64;
        time += r.below(40) as u64;
        messages.push((who, [head.concat(), body(r, n)].concat()));
    }
    messages
}

fn enet(r: &mut Random) -> Exchange {
    let (mut count, mut time) = ([1u64; 2], r.below(65536) as u64);
    let (peer, turns) = ([r.below(8) as u64, r.below(8) as u64], turns(r));
    let mut messages = Exchange::new();
    for who in turns {
        let n = r.below(20);
        let ack = r.below(3) == 0;
        let flags = if ack { 0 } else { 0x80 };
        let head = [number(peer[who as usize] | flags << 8, 2, false), number(time & 0xffff, 2, false)];
        let own = count[who as usize];
        let rest = match ack {
            true => {
                [vec![1, 0], number(own, 2, false), number(own, 2, false), number(time & 0xffff, 2, false)].concat()
            }
            false => [vec![0x86, 0], number(own, 2, false), number(n as u64, 2, false), body(r, n)].concat(),
        };
        count[who as usize] += 1;
        time += r.below(50) as u64;
        messages.push((who, [head.concat(), rest].concat()));
    }
    messages
}

fn raknet(r: &mut Random) -> Exchange {
    let (mut count, turns) = ([0u64; 2], turns(r));
    let mut messages = Exchange::new();
    for who in turns {
        let own = count[who as usize];
        messages.push(match r.below(3) {
            0 => (!who, [vec![0xc0, 0, 1, 1], number(own, 3, true)].concat()),
            _ => {
                count[who as usize] += 1;
                let n = r.below(30);
                let head = [vec![0x84], number(own, 3, true), vec![0x60], number(n as u64 * 8, 2, false)];
                (who, [head.concat(), number(own, 3, true), body(r, n)].concat())
            }
        });
    }
    messages
}

fn quake(r: &mut Random) -> Exchange {
    let (mut count, mut got, port) = ([1u64; 2], [0u64; 2], r.below(65536) as u64);
    let mut messages = Exchange::new();
    if r.below(2) == 0 {
        messages.push((true, b"\xff\xff\xff\xffconnect 11".to_vec()));
    }
    let turns = turns(r);
    for who in turns {
        let n = r.below(30);
        let high = (r.below(2) as u64) << 31;
        let head = [number(count[who as usize] | high, 4, true), number(got[who as usize] | high, 4, true)];
        let port = if who { number(port, 2, true) } else { Vec::new() };
        got[1 - who as usize] = count[who as usize];
        count[who as usize] += 1;
        messages.push((who, [head.concat(), port, body(r, n)].concat()));
    }
    messages
}

fn dns(r: &mut Random) -> Exchange {
    let mut messages = Exchange::new();
    for _ in 0..3 + r.below(6) {
        let id = bytes(r, 2);
        let n = 1 + r.below(10);
        let name =
            [vec![n as u8], vec![b'a' + r.below(26) as u8; n], vec![3, b'c', b'o', b'm', 0, 0, 1, 0, 1]].concat();
        messages.push((true, [id.clone(), vec![1, 0, 0, 1, 0, 0, 0, 0, 0, 0], name.clone()].concat()));
        messages.push((
            false,
            [
                id,
                vec![0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0],
                name,
                vec![0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4],
                bytes(r, 4),
            ]
            .concat(),
        ));
    }
    messages
}

/// Blocks and their acknowledgements, in either byte order.
fn tftp(r: &mut Random) -> Exchange {
    let (low_first, n) = (r.below(2) == 0, 4 + r.below(30));
    let [data, ack] = [r.below(12) as u64, r.below(12) as u64];
    let mut messages = Exchange::new();
    if r.below(2) == 0 {
        messages.push((true, [number(1, 2, low_first), b"file\0octet\0".to_vec()].concat()));
    }
    for block in 1..4 + r.below(8) as u64 {
        let count = number(block, 2, low_first);
        messages.push((false, [number(data, 2, low_first), count.clone(), body(r, n)].concat()));
        messages.push((true, [number(ack, 2, low_first), count].concat()));
    }
    messages
}

fn coap(r: &mut Random) -> Exchange {
    let mut id = r.below(65536) as u64;
    let token = bytes(r, 2);
    let mut messages = Exchange::new();
    for _ in 0..3 + r.below(6) {
        let (n, path) = (r.below(20), r.below(10));
        let option = [vec![0xb0 | path as u8], vec![b'a'; path]].concat();
        messages.push((true, [vec![0x42, 1 + r.below(4) as u8], number(id, 2, false), token.clone(), option].concat()));
        messages
            .push((false, [vec![0x62, 0x45], number(id, 2, false), token.clone(), vec![0xff], body(r, n)].concat()));
        id = (id + 1) & 0xffff;
    }
    messages
}

fn noise(r: &mut Random) -> Exchange {
    let turns = turns(r);
    turns
        .into_iter()
        .map(|who| {
            (who, {
                let n = 1 + r.below(40);
                bytes(r, n)
            })
        })
        .collect()
}

fn small(r: &mut Random) -> Exchange {
    let (most, long) = (2 + r.below(6), 2 + r.below(12));
    let turns = turns(r);
    turns.into_iter().map(|who| (who, (0..1 + r.below(long)).map(|_| r.below(most) as u8).collect())).collect()
}

/// The content of a stream's message, which may begin with a small type.
fn content(r: &mut Random, typed: Option<usize>) -> Vec<u8> {
    let n = r.below(40);
    match typed {
        Some(most) => [vec![r.below(most) as u8], body(r, n)].concat(),
        None if r.below(2) == 0 => line(r),
        None => {
            let n = n + 1;
            body(r, n)
        }
    }
}

/// The form of a stream's lengths: width, byte order, and the bytes they count in addition to the content.
fn length_form(r: &mut Random) -> (usize, bool, usize) {
    let width = [1, 2, 2, 3, 4, 4][r.below(6)];
    (width, r.below(2) == 0, if r.below(3) == 0 { width } else { 0 })
}

fn lengths(r: &mut Random) -> Exchange {
    let (width, low_first, own) = length_form(r);
    let typed = (r.below(3) > 0).then(|| 2 + r.below(12));
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        let content = content(r, typed);
        messages.push((who, [number((content.len() + own) as u64, width, low_first), content].concat()));
    }
    messages
}

/// The same; the first message has one byte, and so may its answer.
fn hello(r: &mut Random) -> Exchange {
    let width = [2, 4, 4][r.below(3)];
    let frame = |content: &[u8]| [&number(content.len() as u64, width, true)[..], content].concat();
    let (first, typed) = (1 + r.below(5) as u8, (r.below(2) == 0).then(|| 2 + r.below(12)));
    let mut messages = vec![(true, frame(&[first]))];
    if r.below(3) == 0 {
        messages.push((false, frame(&[first])));
    }
    let turns = turns(r);
    for who in turns {
        let content = content(r, typed);
        messages.push((who, frame(&content)));
    }
    messages
}

fn types(r: &mut Random) -> Exchange {
    let (width, low_first, own) = length_form(r);
    let kinds = 1 + r.below(8);
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        let content = content(r, None);
        let kind = 1 + r.below(kinds) as u8;
        messages.push((who, [vec![kind], number((content.len() + own) as u64, width, low_first), content].concat()));
    }
    messages
}

/// The same with JSON only, with lengths of 24 bits or others.
fn json_types(r: &mut Random) -> Exchange {
    let (width, first) = ([2, 3, 3, 4][r.below(4)], 1 + r.below(5) as u8);
    let kinds = 1 + r.below(5);
    let turns = turns(r);
    let mut messages = Exchange::new();
    for (k, who) in turns.into_iter().enumerate() {
        let content = format!("{{\"op\":{},\"data\":{}}}", r.below(40), r.below(1000)).into_bytes();
        let kind = if k == 0 { first } else { 1 + r.below(kinds) as u8 };
        messages.push((who, [vec![kind], number(content.len() as u64, width, false), content].concat()));
    }
    messages
}

fn lines(r: &mut Random) -> Exchange {
    let turns = turns(r);
    turns.into_iter().map(|who| (who, [line(r), b"\r\n".to_vec()].concat())).collect()
}

fn delimited(r: &mut Random) -> Exchange {
    let turns = turns(r);
    let mut each = || {
        let content = message(r);
        let mut one = Vec::new();
        let mut left = content.len();
        while left >= 128 {
            one.push(left as u8 | 128);
            left >>= 7;
        }
        [one, vec![left as u8], content].concat()
    };
    turns.into_iter().map(|who| (who, each())).collect()
}

/// A frame of a WebSocket, the client's masked.
fn frame(r: &mut Random, first: u8, by_client: bool, content: &[u8]) -> Vec<u8> {
    let mask = if by_client { 0x80 } else { 0 };
    let mut frame = vec![first];
    match content.len() {
        n @ ..126 => frame.push(mask | n as u8),
        n => frame.extend([mask | 126, (n >> 8) as u8, n as u8]),
    }
    if by_client {
        let key = bytes(r, 4);
        frame.extend(&key);
        frame.extend(content.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
    } else {
        frame.extend(content);
    }
    frame
}

/// A WebSocket with these messages; half of them begin in the middle, the others with the upgrade.
fn websocket(r: &mut Random, first: u8, content: &mut dyn FnMut(&mut Random) -> Vec<u8>) -> Exchange {
    let mut messages = Exchange::new();
    if r.below(2) == 0 {
        let request = b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        let answer = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
        messages.extend([(true, request.to_vec()), (false, answer.to_vec())]);
    }
    let turns = turns(r);
    for who in turns {
        let content = content(r);
        let one = frame(r, first, who, &content);
        messages.push((who, one));
    }
    messages
}

fn websocket_json(r: &mut Random) -> Exchange {
    websocket(r, 0x81, &mut line)
}

fn socket_io(r: &mut Random) -> Exchange {
    websocket(r, 0x81, &mut |r| match r.below(4) {
        0 => b"2".to_vec(),
        1 => b"3".to_vec(),
        2 => [b"42".to_vec(), line(r)].concat(),
        _ => [format!("43{}", r.below(100)).into_bytes(), line(r)].concat(),
    })
}

/// A type below 6 and a length of 24 bits, as in many applications.
fn websocket_types(r: &mut Random) -> Exchange {
    let (width, kinds) = ([2, 3, 3, 3, 4][r.below(5)], 1 + r.below(8));
    let kind_of = r.below(4);
    websocket(r, 0x82, &mut |r| {
        let content = match kind_of {
            0 => line(r),
            1 => message(r),
            2 => {
                let n = r.below(30);
                body(r, n)
            }
            _ => {
                let n = r.below(30);
                bytes(r, n)
            }
        };
        [vec![1 + r.below(kinds) as u8], number(content.len() as u64, width, false), content].concat()
    })
}

/// Two letters, a length of two bytes, and a content that may begin with text.
fn letters(r: &mut Random) -> Exchange {
    let magic = [[b'N', b'L'], [b'G', b'N'], [b'A' + r.below(26) as u8, b'A' + r.below(26) as u8]][r.below(4).min(2)];
    let low_first = r.below(2) == 0;
    let magic = if magic == [b'N', b'L'] { [b'N', b'M'] } else { magic };
    let turns = turns(r);
    let mut messages = Exchange::new();
    for who in turns {
        let content = content(r, None);
        messages.push((who, [magic.to_vec(), number(content.len() as u64, 2, low_first), content].concat()));
    }
    messages
}
