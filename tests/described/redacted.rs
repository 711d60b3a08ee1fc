//! `--redact` with protocols of files: which text is replaced, and checksums.

use crate::common::Scratch;
use crate::described::cases::lines;
use crate::described::run;

/// Text fields with the names of netkit's own, and a checksum.
const FILE: &str = r#"
protocol = "toy"
encoding = "be"
[packet.fields]
magic = { type = "u16", value = 0x5055 }
kind = "u8"
message = { type = "message", by = "kind" }
sum = { type = "crc32", over = "before" }
[[message]]
id = 1
name = "chat"
fields = { header = "string8", mask = "string8", memory = "string8" }
"#;

fn ok(args: &[&str]) -> String {
    let done = run(args);
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("text")
}

/// The names of netkit's own fields are ordinary names in a file. A checksum of the original would confirm what was
/// replaced, and would be wrong in the new capture.
#[test]
fn nothing_is_left_of_text_and_checksums() {
    let folder = Scratch::new("redacted");
    let file = folder.write("toy.toml", FILE);
    let [plain, wrong, new] = ["plain.pcap", "wrong.pcap", "new.pcap"].map(|name| folder.path().join(name));
    let [plain, wrong, new] = [&plain, &wrong, &new].map(|path| path.to_str().expect("a path"));
    let message = ["chat", "header=Alice", "mask=Bob", "memory=Carol"];
    let encode = ["encode", "-p", &file, "--as", "pcap", "-o"];
    ok(&[&encode[..], &[plain], &message].concat());
    ok(&[&encode[..], &[wrong], &message, &["packet.sum=5"]].concat());
    for (capture, is_right) in [(plain, true), (wrong, false)] {
        let text = ok(&["decode", capture, "-p", &file, "--redact", "-f", "ndjson"]);
        assert!(["Alice", "Bob", "Carol"].iter().all(|word| !text.contains(word)), "{text}");
        let line = &lines(&text)[0];
        let sum = &line["packet"]["sum"];
        assert!(if is_right { sum.is_null() } else { sum.is_u64() && *sum != 5 }, "{line}");
        let notes = ok(&["decode", capture, "-p", &file, "-f", "ndjson"]);
        let original = lines(&notes)[0]["notes"][0]["text"].as_str().map(String::from);
        assert!(original.is_none_or(|original| !text.contains(&original)), "{text}");
    }
    ok(&["decode", plain, "-p", &file, "--redact", "-w", new, "-q"]);
    let checked = ok(&["check", &file, new]);
    assert!(checked.contains("1 of 1 packet (100.0%)"), "{checked}");
}
