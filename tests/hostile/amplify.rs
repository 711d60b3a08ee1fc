//! What a peer chooses times how often a peer chooses it: neither memory nor output grows out of
//! proportion to the input, in any format of any command.

use super::program::{Measured, measured, netkit};
use super::traffic;
use netkit::limits::PeerCaps;

/// What the program itself and its buffers take, in bytes.
const OWN: usize = 64 << 20;
/// Memory for each byte of input.
const MEMORY: usize = 64;
/// What is printed around each message, and of small inputs.
const FEW: usize = 1 << 20;
/// Output for each byte of input: a value of one byte is a line of a tree, or an object of
/// annotated JSON.
const OUTPUT: usize = 256;

/// Runs a command and holds it to the bounds.
#[allow(dead_code)]
fn held(name: &str, args: &[&str], input: &[u8]) {
    held_to(name, args, input, FEW + OUTPUT * input.len());
}

/// The same with another bound for the output.
fn held_to(name: &str, args: &[&str], input: &[u8], most: usize) {
    let Measured { peak, output, error, success } = measured(args, input, most);
    let memory = OWN + MEMORY * input.len();
    if std::env::var_os("NETKIT_MEASURE").is_some() {
        eprintln!(
            "{name:24} {:9} in {:10} out {:7} KiB {:6.1}x {}",
            input.len(),
            output,
            peak >> 10,
            output as f64 / input.len() as f64,
            args.join(" ")
        );
        return;
    }
    assert!(success, "{name}: {args:?}: {error}");
    assert!(output <= most, "{name}: {args:?}: more than {output} bytes of {}", input.len());
    assert!(peak <= memory, "{name}: {args:?}: {} KiB of {}", peak >> 10, input.len());
}

/// Every way in which a capture is shown or counted. `output`: for each byte of input.
fn shown(name: &str, proto: &str, capture: &[u8], output: usize) {
    let most = FEW + output * capture.len();
    for format in ["tree", "summary", "table", "ndjson", "json"] {
        held_to(name, &["decode", "-q", "-p", proto, "-f", format, "-"], capture, most);
    }
    held_to(name, &["decode", "-q", "-v", "-p", proto, "-f", "tree", "-"], capture, most);
    held_to(name, &["decode", "-q", "--bytes", "-p", proto, "-f", "json", "-"], capture, most);
    held_to(name, &["stats", "-q", "-p", proto, "-f", "json", "-"], capture, most);
    held_to(name, &["stats", "-q", "-p", proto, "--delivery", "-f", "json", "-"], capture, most);
    held_to(name, &["stats", "-q", "-p", proto, "--by", "flow", "-f", "ndjson", "-"], capture, most);
    held_to(name, &["stats", "-q", "-p", proto, "-"], capture, most);
    held_to(name, &["stats", "-q", "-p", proto, "--track", "payload", "--by", "derived.route", "-"], capture, most);
}

macro_rules! captures {
    ($($name:ident: $proto:literal, $capture:expr;)*) => {$(
        #[test]
        fn $name() {
            shown(stringify!($name), $proto, &$capture, OUTPUT);
        }
    )*};
}

captures! {
    names_of_protos: "nano", traffic::names_of_protos();
    names_of_many_protos: "nano", traffic::names_of_many_protos();
    routes_of_a_dictionary: "nano", traffic::routes_of_a_dictionary();
    maps_in_a_handshake: "nano", traffic::maps_in_a_handshake();
    packages_of_many_frames: "nano", traffic::packages_of_many_frames();
    small_values: "nano", traffic::small_values();
    nested_values: "nano", traffic::nested_values();
    long_member_names: "nano", traffic::long_member_names();
    heads_of_http: "nano", traffic::heads_of_http();
    nested_packets: "gne", traffic::nested_packets();
    links_with_many_values: "dnp", traffic::links_with_many_values();
    names_of_links: "dnp", traffic::names_of_links();
    names_of_players: "acknex", traffic::names_of_players();
    zeros_to_riptide: "riptide", traffic::datagrams(&[0; 1400]);
    ones_to_riptide: "riptide", traffic::datagrams(&[0xff; 1400]);
    ones_to_dnp: "dnp", traffic::datagrams(&[0xff; 1400]);
    ones_to_acknex: "acknex", traffic::datagrams(&[0xff; 1400]);
    ones_to_gne: "gne", traffic::datagrams(&[0xff; 1400]);
}

/// What is compressed is bounded by a limit of its own, and then shown in hex, and perhaps as text.
#[test]
fn packed() {
    let ratio = PeerCaps::default().inflate_ratio;
    for (name, capture) in
        [("packed_payloads", traffic::packed_payloads()), ("packed_messages", traffic::packed_messages())]
    {
        shown(name, "nano", &capture, 4 * ratio);
    }
    // The limit is one that the user can raise, and is named where it is reached.
    let capture = traffic::packed_payloads();
    let run = |limits: &[&str]| {
        let args = [&["decode", "-q", "-p", "nano", "-f", "ndjson", "-"], limits].concat();
        String::from_utf8(netkit(&args, &capture).stdout).expect("UTF-8")
    };
    assert_eq!(run(&[]).matches("nano.inflates_too_far").count(), 8);
    assert!(run(&[]).contains("--limit inflate_ratio"));
    assert!(!run(&["--limit", "inflate_ratio=2000"]).contains("nano.inflates_too_far"));
}

/// What is cut is said to be, and told apart; what was cut round trips all the same.
#[test]
fn cut_names_are_told() {
    for capture in [traffic::names_of_many_protos(), traffic::routes_of_a_dictionary()] {
        let done = netkit(&["decode", "-q", "-p", "nano", "-f", "ndjson", "-c", "10", "-"], &capture);
        let text = String::from_utf8(done.stdout).expect("UTF-8");
        assert_eq!(text.matches("nano.name_cut").count(), 1);
        let last = text.lines().last().expect("a line");
        assert!(last.contains("... (") && last.contains(" bytes, ") && last.len() < 2000, "{last}");
        let encoded = netkit(&["encode", "--json", "-"], last.as_bytes());
        let hex = String::from_utf8(encoded.stdout).expect("hex");
        let bytes = netkit(&["decode", "-q", "-p", "nano", "-f", "ndjson", "--bytes", "-c", "10", "-"], &capture);
        let bytes = String::from_utf8(bytes.stdout).expect("UTF-8");
        assert!(bytes.ends_with(&format!("\"bytes\":\"{}\"}}\n", hex.trim())), "{hex}");
    }
}
