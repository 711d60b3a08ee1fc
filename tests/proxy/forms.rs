//! The output formats, with the outcome of each message.

use super::command::{GUARD, Proxy, command};
use crate::common::Receive;
use std::net::UdpSocket;

/// Three DNP messages through a delay: the second is dropped, the third edited.
fn shown(format: &str) -> (String, String) {
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    server.set_read_timeout(Some(GUARD)).unwrap();
    let rules = ["--on", "data == bb: drop", "--on", "data == cc: data=dd"];
    let proxy = Proxy::start(&server, &[&["-p", "dnp", "-f", format, "--up", "--delay", "20ms"], &rules[..]].concat());
    client.connect(&proxy.at).unwrap();
    for byte in [0xaa, 0xbb, 0xcc] {
        client.send(&[3, byte]).unwrap();
    }
    let mut buffer = [0; 8];
    for want in [0xaa, 0xdd] {
        assert_eq!(server.receive(&mut buffer).unwrap(), 2);
        assert_eq!(buffer[1], want);
    }
    proxy.end()
}

#[test]
fn a_table_has_the_columns_of_what_was_done() {
    let (out, _) = shown("table");
    let cells = |line: &str| line.split('┆').map(|cell| cell.trim_matches([' ', '│']).to_string()).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = out.lines().filter(|line| line.contains('┆')).map(cells).collect();
    let last: Vec<&[String]> = rows.iter().map(|row| &row[row.len() - 3..]).collect();
    assert_eq!(last[0], ["outcome", "delayed_ms", "edited"], "{out}");
    let late = |cell: &str| cell.parse::<f64>().is_ok_and(|ms| ms >= 20.0);
    assert!(last[1][0] == "passed" && late(&last[1][1]) && last[1][2].is_empty(), "{out}");
    assert_eq!(last[2], ["dropped", "", ""], "{out}");
    assert!(last[3][0] == "passed" && late(&last[3][1]) && last[3][2] == "data", "{out}");
    assert_eq!(rows.len(), 4, "{out}");
}

#[test]
fn a_dialogue_has_the_outcome_after_each_message() {
    let (out, _) = shown("dialogue");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4, "{out}");
    assert!(lines[0].starts_with("conversation 1: dnp, client 127.0.0.1:"), "{out}");
    assert!(lines[1].contains("unreliable_message") && lines[1].ends_with("[+20.0 ms]"), "{out}");
    assert!(lines[2].ends_with("[dropped]"), "{out}");
    assert!(lines[3].ends_with("[+20.0 ms, edited data]"), "{out}");
}

#[test]
fn forms_that_end_with_their_input_are_refused_before_anything_listens() {
    for (format, instead) in [("parquet", "record with --pcap FILE"), ("pcapng", "--pcap FILE writes both legs")] {
        let output = command(&["127.0.0.1:0", "127.0.0.1:9", "-f", format]).output().unwrap();
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{reported}");
        assert!(reported.starts_with(&format!("netkit: -f {format}: ")) && reported.contains(instead), "{reported}");
        assert!(!reported.contains("relaying"), "{reported}");
    }
    let output = command(&["127.0.0.1:0", "127.0.0.1:9", "-f", "table", "--columns", "message"]).output().unwrap();
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{reported}");
    assert!(reported.contains("--columns: only with") && !reported.contains("relaying"), "{reported}");
}
