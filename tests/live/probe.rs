//! Probes of real servers.
//!
//! tests/probe covers, with bytes of real captures, the outcomes that real servers cannot produce:
//!
//! | outcome | Riptide | nano |
//! |---|---|---|
//! | accepted | pytide, UDP and TCP | pinus, TCP and WebSocket; found without --proto too |
//! | full | pytide, but under the number of `rejected`: it sends 2.0's numbers in 2.2's form | pinus: what its connector component does beyond max-connections |
//! | rejected | pytide, under the number of `custom` | pinus: 500 by its handshake handler, kicked after it |
//! | custom data | pytide loses it on the way, for its own client, too | pinus: `user` of the handshake |
//! | wrong version | 2.0 requested of a 2.2 server; servers of 2.0 and 2.1 exist in C# only | pinus: 501 by its checkClient |
//! | silent, closed port | a socket that nobody reads, a port without a server | the same |
//! | no route | a network of its own without any | - |
//!
//! No package registry has a server of DNP or Acknex, and GNE's library needs a compiler of its time: their peers are
//! scripted.

use super::server::Server;
use serde_json::Value;
use std::net::{TcpListener, UdpSocket};
use std::process::Command;

/// Runs netkit's probe: its summary, and its exit status.
fn probe(target: &str, args: &[&str]) -> (Value, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_netkit"))
        .args(["probe", target, "-n", "3", "-i", "0.05", "-W", "2", "-f", "json"])
        .args(args)
        .output()
        .expect("netkit runs");
    let mut all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    println!("{target} {args:?}: {}", all[0]);
    (all[0].take(), output.status.code())
}

fn ok(target: &str, args: &[&str]) -> Value {
    let (summary, status) = probe(target, args);
    assert_eq!((&summary["outcome"], status), (&"ok".into(), Some(0)), "{summary}");
    assert_eq!(summary["rtt"]["received"], 3, "{summary}");
    summary
}

fn fails(target: &str, args: &[&str], outcome: &str) -> Value {
    let (summary, status) = probe(target, args);
    assert_eq!((&summary["outcome"], status), (&outcome.into(), Some(1)), "{summary}");
    summary
}

const UDP: [&str; 4] = ["-p", "riptide", "--transport", "udp"];
const TCP: [&str; 4] = ["-p", "riptide", "--transport", "tcp"];
/// With its version set, no socket stays open at pytide.
const TCP_22: [&str; 6] = ["-p", "riptide", "--transport", "tcp", "-s", "riptide.version=2.2"];

#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_accepts() {
    for (transport, args) in [("udp", &UDP[..]), ("tcp", &TCP_22)] {
        let server = Server::riptide(transport, "open");
        // Repeated: each probe has left, or all places would be taken.
        for _ in 0..6 {
            let summary = ok(&server.target(), args);
            assert_eq!((&summary["version"], &summary["family"]), (&"2.2".into(), &"pytide".into()));
            server.is_left();
        }
    }
    // The protocol is recognised if it is not named.
    for transport in ["udp", "tcp"] {
        let server = Server::riptide(transport, "open");
        let summary = ok(&server.target(), &[]);
        assert_eq!((&summary["proto"], &summary["transport"]), (&"riptide".into(), &transport.into()));
        match transport {
            "udp" => server.is_left(),
            // pytide cannot read a length in 2.0's form: the probe reports that pytide keeps the socket.
            _ => {
                assert!(summary["notes"].to_string().contains("CLOSE_WAIT"), "{summary}");
                server.awaits(0);
            }
        }
    }
}

#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_refuses() {
    for (transport, args) in [("udp", &UDP[..]), ("tcp", &TCP_22)] {
        // pytide sends the numbers of 2.0 in the form of 2.2: its "full" is 2.2's "rejected", its "rejected" is 2.2's
        // "custom". The bytes do not show the difference.
        let full = Server::riptide(transport, "full");
        let summary = fails(&full.target(), args, "rejected");
        assert_eq!(summary["details"]["reason"], "rejected");
        assert!(summary["advice"].as_str().is_some_and(|text| text.contains("pytide")));
        let reject = Server::riptide(transport, "reject");
        assert_eq!(fails(&reject.target(), args, "rejected")["details"]["reason"], "custom");
        // Its message is lost on the way, for its own client, too.
        let data = Server::riptide(transport, "data");
        assert_eq!(fails(&data.target(), args, "rejected")["details"]["reason"], "custom");
        let pending = Server::riptide(transport, "pending");
        fails(&pending.target(), args, "pending");
        [full, reject, data, pending].iter().for_each(Server::is_left);
    }
}

#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_of_another_version() {
    let server = Server::riptide("udp", "open");
    let args = [&UDP[..], &["-s", "riptide.version=2.0"]].concat();
    assert_eq!(fails(&server.target(), &args, "other_version")["details"]["version"], "2.2");
}

#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn nano_accepts() {
    let server = Server::nano("dict");
    let target = server.target();
    for target in [target.clone(), format!("ws://{target}/")] {
        let summary = ok(&target, &["-p", "nano"]);
        assert!(summary["family"].as_str().is_some_and(|family| family.starts_with("pinus")), "{summary}");
        let facts = &summary["facts"];
        assert_eq!((&facts["heartbeat"], &facts["dictionary"]), (&3.into(), &2.into()));
        assert_eq!(facts["user"]["motd"], "hello", "custom data");
    }
    assert_eq!(ok(&target, &[])["proto"], "nano", "found where it is not named");
    server.is_left();
    let bare = Server::nano("open");
    let summary = ok(&bare.target(), &["-p", "nano", "--transport", "tcp"]);
    assert!(summary["family"].as_str().is_some_and(|family| family.contains("pinus")), "{summary}");
}

#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn nano_refuses() {
    for (mode, outcome, code) in [("reject", "rejected", 500), ("version", "other_version", 501)] {
        let server = Server::nano(mode);
        for target in [server.target(), format!("ws://{}/", server.target())] {
            let summary = fails(&target, &["-p", "nano"], outcome);
            assert_eq!(summary["details"]["code"], code);
        }
        server.is_left();
    }
    let server = Server::nano("full");
    for target in [server.target(), format!("ws://{}/", server.target())] {
        for proto in [&["-p", "nano"][..], &[]] {
            let summary = fails(&target, proto, "closed");
            assert!(summary["advice"].as_str().is_some_and(|advice| advice.starts_with("it is full")), "{summary}");
        }
    }
    server.is_left();
    let server = Server::nano("kick");
    for target in [server.target(), format!("ws://{}/", server.target())] {
        let summary = fails(&target, &["-p", "nano"], "rejected");
        assert!(
            summary["details"]["reason"].as_str().is_some_and(|reason| reason.contains("maintenance")),
            "{summary}"
        );
    }
}

#[test]
#[ignore = "needs pytide-networking and pinus: .ci/run installs them"]
fn the_wrong_server() {
    let pinus = Server::nano("open");
    let summary = fails(&pinus.target(), &TCP, "other_protocol");
    assert_eq!(summary["details"]["other"], "nano");
    // A Riptide server over UDP does not answer DNP.
    let pytide = Server::riptide("udp", "open");
    fails(&pytide.target(), &["-p", "dnp"], "silent");
    [pinus, pytide].iter().for_each(Server::is_left);
}

#[test]
#[ignore = "with the other live tests"]
fn silent_and_closed_ports() {
    let quiet_udp = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let quiet_tcp = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let (udp, tcp) = (quiet_udp.local_addr().expect("its address"), quiet_tcp.local_addr().expect("its address"));
    fails(&udp.to_string(), &UDP, "silent");
    fails(&tcp.to_string(), &TCP, "silent");
    fails(&tcp.to_string(), &["-p", "nano", "--transport", "tcp"], "silent");
    drop((quiet_udp, quiet_tcp));
    fails(&udp.to_string(), &UDP, "refused");
    fails(&tcp.to_string(), &TCP, "refused");
    fails(&tcp.to_string(), &["-p", "nano"], "refused");
}

/// In a network namespace without any interface nothing can be sent.
#[test]
#[ignore = "needs user namespaces: .ci/run looks whether there are any"]
fn no_route_without_a_network() {
    for (target, args) in
        [("192.0.2.1:7777", &UDP[..]), ("192.0.2.1:7777", &["-p", "gne"]), ("[2001:db8::1]:7777", &UDP)]
    {
        let output = Command::new("unshare")
            .args(["--map-root-user", "--net", env!("CARGO_BIN_EXE_netkit")])
            .args(["probe", target, "-W", "1", "-f", "json"])
            .args(args)
            .output()
            .expect("unshare runs");
        let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((&all[0]["outcome"], output.status.code()), (&"no_route".into(), Some(1)), "{}", all[0]);
        assert_eq!(all[0]["samples"], serde_json::json!([]), "nothing was sent");
        assert!(all[0]["advice"].as_str().is_some_and(|advice| advice.contains("routes")), "{}", all[0]);
    }
}

/// A probe does not answer itself where nothing listens, though the system may give its socket the port. With eight
/// ports one of the sockets of 30 probes has the server's in 98 of 100 runs.
#[test]
#[ignore = "needs user namespaces: .ci/run looks whether there are any"]
fn a_probe_does_not_answer_itself() {
    let script = "ip link set lo up && echo 40000 40007 > /proc/sys/net/ipv4/ip_local_port_range && \
                  for i in 1 2 3 4 5 6 7 8 9 10; do for proto in dnp riptide nano; do \
                  \"$0\" probe 127.0.0.1:40000 -p $proto -W 1 -f json || true; done; done";
    let output = Command::new("unshare")
        .args(["--map-root-user", "--net", "sh", "-c", script, env!("CARGO_BIN_EXE_netkit")])
        .output()
        .expect("unshare runs");
    let reports = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let outcomes: Vec<_> = reports.map(|all| all.expect("JSON")[0]["outcome"].clone()).collect();
    assert_eq!(outcomes, ["refused"; 30], "{}", String::from_utf8_lossy(&output.stderr));
}
