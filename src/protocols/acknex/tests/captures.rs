//! The captures: every line is as expected, with its notes, and encodes to its bytes.

use super::{check_line, encoder};
use crate::capture::{Capture, Decoded, Input, Packets};
use crate::dissect::{Inspector, Options};
use crate::flow::{Caps, Table};
use crate::protocols::tests::{Rows, options};
use serde_json::Value as Json;
use std::collections::BTreeSet;

fn decoded(stem: &str, options: &Options) -> Rows {
    let file = std::fs::File::open(format!("{stem}.pcap")).expect("the capture");
    let input = Input::new(Box::new(file)).expect("a file");
    let mut packets = Packets::new(Capture::new(input).expect("a capture"));
    let mut table = Table::new(Caps::default());
    let mut rows = Rows::default();
    let mut inspector = Inspector::new(options, &mut rows);
    while let Some(item) = packets.next().expect("a frame") {
        if let Decoded::Packet(packet) = item.decoded {
            table.packet(&packet, &mut inspector);
        }
    }
    table.finish(&mut inspector);
    rows
}

fn lines(path: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn captures_decode_as_expected_and_encode_to_their_bytes() {
    let stems: Vec<String> = std::fs::read_dir("fixtures/acknex")
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path().display().to_string())
        .filter_map(|path| path.strip_suffix(".pcap").map(str::to_owned))
        .collect();
    assert!(stems.len() >= 10, "{stems:?}");
    let notes: Vec<Vec<Json>> = stems.iter().map(|stem| lines(&format!("{stem}.notes.ndjson"))).collect();
    let code = |note: &Json| note["code"].as_str().expect("a code").to_owned();
    let known: BTreeSet<String> = notes.iter().flatten().map(code).collect();
    for (stem, notes) in stems.iter().zip(&notes) {
        let args = std::fs::read_to_string(format!("{stem}.args")).unwrap_or_default();
        let args: Vec<&str> = args.split_whitespace().collect();
        let rows = decoded(stem, &options(&args)).0;
        let expected = lines(&format!("{stem}.expected.ndjson"));
        assert_eq!(rows.len(), expected.len(), "{stem}");
        let mut encoder = encoder();
        for (k, (want, got)) in expected.iter().zip(&rows).enumerate() {
            let name = format!("{stem} line {}", k + 1);
            check_line(&name, want, got);
            got.check(&mut *encoder);
            let here = notes.iter().filter(|n| n["line"].as_u64() == Some(k as u64 + 1)).map(code);
            let raised = got.notes.iter().map(|(code, _)| (*code).to_owned()).filter(|code| known.contains(code));
            assert_eq!(raised.collect::<BTreeSet<_>>(), here.collect::<BTreeSet<_>>(), "{name}: {got:?}");
        }
    }
}
