//! The loss that Riptide's notify messages show, compared with the number of datagrams that the proxy dropped.
#![cfg(unix)]

use crate::common::{Receive, Scratch, rests, run};
use crate::proxy::command::{Proxy, sockets};
use std::net::UdpSocket;
use std::time::Duration;

/// A side that sends notify messages as Riptide 2.2 does, and takes only newer ones.
#[derive(Default)]
struct Peer {
    sent: u16,
    newest: u16,
    bits: u8,
}

impl Peer {
    /// The next message: type, newest number, bits for the eight before it, own number, without gaps between them.
    fn next(&mut self) -> [u8; 6] {
        self.sent += 1;
        let fields = 6 | u64::from(self.newest) << 4 | u64::from(self.bits) << 20 | u64::from(self.sent) << 28;
        fields.to_le_bytes()[..6].try_into().unwrap()
    }

    fn take(&mut self, bytes: &[u8]) {
        let number = (u64::from_le_bytes([bytes, &[0; 2]].concat().try_into().unwrap()) >> 28) as u16;
        let step = u32::from(number.saturating_sub(self.newest));
        if step > 0 {
            self.bits = ((1 | u32::from(self.bits) << 1).checked_shl(step - 1).unwrap_or(0)) as u8;
            self.newest = number;
        }
    }
}

fn takes(socket: &UdpSocket, peer: &mut Peer) -> Option<std::net::SocketAddr> {
    let mut buffer = [0; 64];
    let mut last = None;
    while let Ok((length, from)) = socket.receive_from(&mut buffer) {
        peer.take(&buffer[..length]);
        last = Some(from);
    }
    last
}

/// A capture on either leg shows the loss of both directions, before and after its place.
#[test]
fn notify_messages_show_the_loss_of_both_directions() {
    let (folder, [server, client]) = (Scratch::new("notify"), sockets());
    let pcap = folder.file("run.pcapng");
    let lossy = ["--up", "--loss", "12%", "--down", "--loss", "4%/2", "--seed", "5", "--pcap", &pcap];
    let proxy = Proxy::start(&server, &[&["-f", "none", "--transport", "udp"], &lossy[..]].concat());
    client.connect(&proxy.at).unwrap();
    for socket in [&client, &server] {
        socket.set_nonblocking(true).unwrap();
    }
    // What arrives is taken before the next message is sent: a message lists only the eight numbers before the newest.
    let relayed = || {
        if cfg!(target_os = "linux") { rests(&proxy.child) } else { std::thread::sleep(Duration::from_millis(1)) }
    };
    let (mut here, mut there, mut leg) = (Peer::default(), Peer::default(), None);
    for _ in 0..400 {
        client.send(&here.next()).unwrap();
        relayed();
        leg = takes(&server, &mut there).or(leg);
        if let Some(leg) = leg {
            server.send_to(&there.next(), leg).unwrap();
        }
        relayed();
        takes(&client, &mut here);
    }
    let (_, reported) = proxy.end();
    // `up   400 packets arrived, 352 sent, 48 lost`
    let count = |direction: &str, word: &str| {
        let line =
            reported.lines().find_map(|line| line.strip_prefix("netkit: ")?.strip_prefix(direction)).expect(&reported);
        let part = line.split(", ").find(|part| part.ends_with(word)).expect(&reported);
        part.split_whitespace().find_map(|word| word.parse::<f64>().ok()).expect(&reported)
    };
    for leg in ["client", "server"] {
        let read = ["stats", &pcap, "--leg", leg, "-p", "riptide", "--set", "riptide.version=2.2", "--delivery"];
        let stats = run(&[&read[..], &["-f", "json"]].concat(), b"").ok();
        let stats = crate::common::json(stats.text());
        for (direction, from) in [("up ", "first"), ("down ", "second")] {
            let truth = count(direction, "lost") / count(direction, "arrived");
            let rows = stats["path"].as_array().unwrap();
            let row = rows.iter().find(|row| row["from"] == from).unwrap_or_else(|| panic!("{rows:?}"));
            let [low, loss, high] = ["loss_low", "loss", "loss_high"].map(|name| row[name].as_f64().unwrap());
            // Each number is listed, but for those at the end.
            assert!((loss - truth).abs() < 0.01 && low < truth && truth < high, "{leg} {direction}: {truth} {row}");
            assert!(high - low < 0.15, "{row}");
        }
    }
}
