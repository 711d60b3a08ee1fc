//! Data that a peer chooses and repeats: neither memory nor output grows out of proportion to the input, in any format
//! of any command.

use super::program::{Measured, measured, netkit};
use super::traffic;
use netkit::dissect::PeerCaps;

/// The memory of the program itself and its buffers, in bytes.
const OWN: usize = 64 << 20;
/// Memory for each byte of input.
const MEMORY: usize = 64;
/// Output around each message, and for small inputs.
const FEW: usize = 1 << 20;
/// Output for each byte of input: a value of one byte becomes a line of a tree, or an object of annotated JSON.
const OUTPUT: usize = 256;

/// Runs a command, which must succeed, and checks the bounds.
fn held_to(name: &str, args: &[&str], input: &[u8], most: usize) {
    assert!(run(name, args, input, most), "{name}: {args:?} failed");
}

/// Runs a command, which may fail, and checks the bounds.
fn tried(name: &str, args: &[&str], input: &[u8]) {
    run(name, args, input, FEW + OUTPUT * input.len());
}

/// Runs a command with at most `most` bytes of output. Returns whether it succeeded.
fn run(name: &str, args: &[&str], input: &[u8], most: usize) -> bool {
    let Measured { peak, output, error, code } = measured(args, input, most);
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
        return true;
    }
    assert!(code.is_some_and(|code| code <= 3), "{name}: {args:?}: {error}");
    assert!(error.len() <= most, "{name}: {args:?}: {} bytes of errors", error.len());
    assert!(output <= most, "{name}: {args:?}: more than {output} bytes of {}", input.len());
    assert!(peak <= memory, "{name}: {args:?}: {} KiB of {}", peak >> 10, input.len());
    code == Some(0)
}

/// Prints and counts a capture in every way. `output`: the most bytes for each byte of input.
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

/// Compressed data has a limit of its own; the result is printed in hex, and maybe as text.
#[test]
fn packed() {
    let ratio = PeerCaps::default().inflate_ratio;
    for (name, capture) in
        [("packed_payloads", traffic::packed_payloads()), ("packed_messages", traffic::packed_messages())]
    {
        shown(name, "nano", &capture, 4 * ratio);
    }
    // The user can raise the limit, and the output names it when it is reached.
    let capture = traffic::packed_payloads();
    let run = |limits: &[&str]| {
        let args = [&["decode", "-q", "-p", "nano", "-f", "ndjson", "-"], limits].concat();
        String::from_utf8(netkit(&args, &capture).stdout).expect("UTF-8")
    };
    assert_eq!(run(&[]).matches("nano.inflates_too_far").count(), 8);
    assert!(run(&[]).contains("--limit inflate_ratio"));
    assert!(!run(&["--limit", "inflate_ratio=2000"]).contains("nano.inflates_too_far"));
}

/// Cut names are noted once and stay distinct; a message with a cut name still encodes to the same bytes.
#[test]
fn cut_names_are_reported() {
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

/// Lines for `encode`: small values, long ones, numbers that ask for room.
#[test]
fn lines_to_encode() {
    let line = |proto: &str, message: &str, fields: &str| {
        format!("{{\"proto\":\"{proto}\",\"message\":\"{message}\",\"fields\":{fields}}}\n")
    };
    let many = |item: &str| format!("[{}{item}]", format!("{item},").repeat(20_000));
    for (name, text) in [
        ("ones", line("dnp", "connection_request", &format!("{{\"protocols\":{}}}", many("1")))),
        ("empty objects", line("dnp", "link_update", &format!("{{\"links\":{}}}", many("{}")))),
        ("small objects", line("dnp", "link_update", &format!("{{\"links\":{}}}", many("{\"\":0}")))),
        ("empty lists", line("dnp", "link_update", &format!("{{\"links\":{}}}", many("[]")))),
        ("unknown fields", line("dnp", "link_up", &format!("{{\"link_id\":1,\"x\":{}}}", many("{\"a\":0}")))),
        ("bits", line("dnp", "unreliable_message", "{\"data\":{\"raw\":\"00\",\"bits\":4294967295}}")),
        ("a long name", line("dnp", "link_up", &format!("{{\"{}\":1}}", "n".repeat(1 << 20)))),
        ("a long message", line("dnp", &"m".repeat(1 << 20), "{}")),
        ("counts", line("dnp", "link_update", "{\"link_count\":255,\"links\":[]}").repeat(10_000)),
        (
            "lengths",
            "{\"frame\":1,\"length\":4294967295,\"time\":1,\"proto\":\"dnp\",\"message\":\"link_up\",\
            \"src\":\"10.0.0.1:1\",\"dst\":\"10.0.0.2:3413\",\"fields\":{\"link_id\":4}}\n"
                .into(),
        ),
        (
            "frames",
            format!(
                "{{\"frame\":18446744073709551615,\"frames\":{},\"time\":1e300,\"proto\":\"dnp\",\
            \"message\":\"link_up\",\"src\":\"10.0.0.1:1\",\"dst\":\"10.0.0.2:3413\",\"fields\":{{\"link_id\":4}}}}\n",
                many("1")
            ),
        ),
        ("depth", line("nano", "push", &format!("{{\"route\":\"r\",\"payload\":{}}}", "[".repeat(200_000)))),
        ("text", "x".repeat(4 << 20)),
    ] {
        for to in [&["--to", "hex"][..], &["--to", "pcap"], &["--to", "raw", "--keep-going"]] {
            tried(name, &[&["encode", "--json", "-"], to].concat(), text.as_bytes());
        }
    }
}

/// Hex text, and the payloads of other captures, as single messages.
#[test]
fn hex_texts() {
    for (name, text) in [
        ("zeros", "00".repeat(1 << 20)),
        ("lines", "00\n".repeat(1 << 16)),
        ("offsets", "00000000  00\n".repeat(1 << 14)),
        ("comments", "# comment\n".repeat(1 << 16)),
        ("spaces", " ".repeat(4 << 20)),
        ("nested", "05".repeat(60_000)),
    ] {
        for proto in ["riptide", "dnp", "nano", "gne", "acknex"] {
            for format in ["tree", "ndjson", "json"] {
                tried(name, &["dump", "-q", "-p", proto, "-f", format, "-"], text.as_bytes());
            }
        }
    }
}

/// Two captures compared: `diff` stores the fields of both.
#[test]
fn captures_compared() {
    let folder = std::env::temp_dir().join(format!("netkit-amplify-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let files = [
        ("nano", traffic::nested_values(), traffic::names_of_protos()),
        ("gne", traffic::nested_packets(), traffic::datagrams(&[7; 500])),
        ("dnp", traffic::links_with_many_values(), traffic::names_of_links()),
    ];
    for (proto, first, second) in files {
        let [a, b] = ["a.pcap", "b.pcap"].map(|name| folder.join(name).to_string_lossy().into_owned());
        std::fs::write(&a, &first).expect("written");
        std::fs::write(&b, &second).expect("written");
        let both = first.len() + second.len();
        for format in ["text", "json"] {
            held_to(proto, &["diff", "-q", "-p", proto, "-f", format, &a, &b], &[], FEW + OUTPUT * both);
        }
        // Each thread has its own memory.
        for format in ["ndjson", "summary"] {
            held_to(
                proto,
                &["decode", "-q", "-p", proto, "--threads", "4", "-f", format, &a],
                &[],
                FEW + OUTPUT * both,
            );
        }
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

/// Blocks of pcapng: interfaces, options, comments, and empty ones.
#[test]
fn blocks_of_pcapng() {
    let block = |kind: u32, body: &[u8]| {
        let length = (12 + body.len().next_multiple_of(4)) as u32;
        let mut block = [kind.to_le_bytes(), length.to_le_bytes()].concat();
        block.extend(body);
        block.resize(block.len().next_multiple_of(4), 0);
        block.extend(length.to_le_bytes());
        block
    };
    let section = block(0x0a0d_0d0a, &[[0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0].as_slice(), &[0xff; 8]].concat());
    let interface = block(1, &[1, 0, 0, 0, 0, 0, 4, 0]);
    let comment = |length: usize| {
        let text = vec![b'c'; length.next_multiple_of(4)];
        [&1u16.to_le_bytes()[..], &(text.len() as u16).to_le_bytes(), &text].concat()
    };
    let packet = |options: &[u8]| {
        let fixed = [[0u8; 16].as_slice(), &[4, 0, 0, 0], &[1, 2, 3, 4]].concat();
        block(6, &[&fixed[..12], &4u32.to_le_bytes(), &4u32.to_le_bytes(), &[1, 2, 3, 4], options].concat())
    };
    for (name, file) in [
        ("interfaces", [section.clone(), interface.repeat(200_000)].concat()),
        ("sections", section.repeat(100_000)),
        ("empty blocks", [section.clone(), block(0x4000_0000, &[]).repeat(300_000)].concat()),
        ("comments", [section.clone(), interface.clone(), packet(&comment(60_000)).repeat(60)].concat()),
        ("options", [section.clone(), interface.clone(), packet(&[1, 0, 0, 0].repeat(100_000)).repeat(10)].concat()),
        ("a large block", [section, block(0x4000_0000, &vec![0; 4 << 20])].concat()),
    ] {
        for args in [&["decode", "-q", "-f", "ndjson", "-"][..], &["stats", "-q", "-"], &["decode", "-v", "-"]] {
            tried(name, args, &file);
        }
    }
}
