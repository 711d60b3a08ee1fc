//! One JSON object per line and message, for pipelines and as the input of `encode`.

use super::envelope;
use super::envelope_cache::EnvelopeCache;
use super::files::{FileNames, Files};
use super::form::Form;
use crate::codec::json::fields::Walks;
use crate::codec::json::line::Stage;
use crate::dissect::{Message, Wants};

/// Writes ndjson lines. Its only state is reusable memory.
#[derive(Debug, Default)]
pub struct Ndjson {
    /// Adds the message's bytes.
    pub bytes: bool,
    envelope_cache: EnvelopeCache,
    walks: Walks,
    stage: Stage,
}

impl Ndjson {
    /// Creates a writer of lines with or without the messages' `bytes`.
    pub fn new(bytes: bool) -> Ndjson {
        Ndjson { bytes, ..Ndjson::default() }
    }

    /// Adds the file of each message.
    pub(super) fn files(mut self, files: Option<&Files>) -> Ndjson {
        self.envelope_cache.files = files.map(FileNames::new);
        self
    }

    /// Appends one line.
    #[inline]
    pub fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        let Ndjson { bytes, envelope_cache, walks, stage } = self;
        stage.line(out, |line| {
            envelope::head(message, envelope_cache, walks, envelope::OBJECT, line);
            walks.fields(&message.dissection.tree, message.sources(), line);
            envelope::tail(message, *bytes, walks, line);
            line.constant(b"}\n");
        });
    }
}

impl Form for Ndjson {
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        Ndjson::message(self, message, out);
    }

    fn reads(&self) -> Wants {
        Wants { tags: false, ..Wants::PRINTED }
    }

    fn account(&mut self, account: &[u8], out: &mut Vec<u8>) {
        [b"{\"account\":", account, b"}\n"].iter().for_each(|part| out.extend_from_slice(part));
    }

    fn divide(&mut self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture::{LINKS, PACKED, PLAIN, annotate, with, with_annotated};
    use super::*;
    use crate::codec::layout::*;
    use crate::codec::{Reader, Sampler, Sources, Tree, Writer};
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    fn line(message: &Message<'_>) -> Json {
        let mut out = Vec::new();
        Ndjson::default().message(message, &mut out);
        assert_eq!(out.pop(), Some(b'\n'));
        assert!(!out.iter().any(|b| *b < b' '));
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn a_line_to_the_letter() {
        with_annotated(&LINKS, &[4, 1, 1, 0, 2, 0, 0, 5, 1, 0, 6], annotate, |message| {
            let mut out = Vec::new();
            Ndjson::new(true).message(message, &mut out);
            let expected = concat!(
                r#"{"frame":14,"time":1795229852.841544,"flow":2,"proto":"test","version":"2.0","#,
                r#""from":"server","transport":"udp","src":"127.0.0.1:3413","dst":"127.0.0.1:58817","#,
                r#""message":"ping","length":11,"fields":{"links":[{"link_id":1,"values":[{"index":0,"#,
                r#""value":5},{"index":1,"value":6}]}]},"derived":{"links":[{"values":[{"type":"uint8"},"#,
                r#"{"type":"uint8"}]}],"route":9},"notes":[{"level":"note","code":"test.accepted","#,
                r#""text":"as \"asked\""},{"level":"warning","code":"test.odd","text":"\u001b[31mred"}],"#,
                r#""bytes":"0401010002000005010006"}"#,
                "\n"
            );
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        });
    }

    #[test]
    fn a_fault_has_its_five_facts() {
        with(&LINKS, &[4, 1, 1, 0, 2, 0, 0, 5, 1], |message| {
            let line = line(message);
            assert_eq!(
                line["fields"],
                json!({"link_count": 1, "links": [{"link_id": 1, "value_count": 2, "values": [{"index": 0, "value": 5}]}], "unparsed": "01"})
            );
            assert_eq!(line["derived"], json!({"links": [{"values": [{"type": "uint8"}]}]}));
            assert_eq!(line["fault"]["bit"], 64);
            assert_eq!(line["fault"]["need"], 16);
            assert_eq!(line["fault"]["have"], 8);
            let text = line["fault"]["text"].as_str().unwrap();
            assert!(
                text.starts_with("test.ping.links[0].values[") && text.ends_with("needs 16 bits at bit 64, 8 left")
            );
        });
    }

    #[test]
    fn dump_knows_no_frames_and_no_addresses() {
        with(&PLAIN, &[], |message| {
            let place = crate::dissect::Provenance { frame: 0, ..*message.place };
            let flow_info = crate::dissect::FlowInfo { ends: None, flow: 0, ..*message.flow_info };
            let line = line(&Message { place: &place, flow_info: &flow_info, ..*message });
            let keys: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, ["proto", "version", "from", "message", "length", "fields", "fault"]);
        });
    }

    #[test]
    fn frames_and_times() {
        with(&PLAIN, &[1], |message| {
            for (digits, frac, text) in [(0, 0, "7"), (1, 5, "7.5"), (9, 1, "7.000000001"), (3, 20, "7.020")] {
                let time = crate::capture::Time { secs: 7, frac, digits };
                let mut out = Vec::new();
                super::super::times::seconds(time, &mut out);
                assert_eq!(String::from_utf8(out).unwrap(), text);
                assert_eq!(time.to_string(), text);
            }
            let place = crate::dissect::Provenance { frames: &[12, 14], ..*message.place };
            assert_eq!(line(&Message { place: &place, ..*message })["frames"], json!([12, 14]));
        });
    }

    #[test]
    fn values_by_how_they_are_shown() {
        let bytes = [9, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0x80, 0, b'a', 0xe9, 0x9b, 0, b'\n', b'"', 0, 0, 7];
        with(&PLAIN, &bytes, |message| {
            assert_eq!(
                line(message)["fields"],
                json!({"id": 9, "rtt": -1, "clock": {"raw": "000000000000f87f", "bits": 64},
                    "length": {"raw": "8000", "bits": 16}, "motd": "a\u{e9}\u{9b}", "user": "\n\"", "rest": "07"})
            );
        });
    }

    #[test]
    fn hundreds_of_levels() {
        static NEST: [Field; 2] = [u8("n"), group("nest", &NEST)];
        let mut tree = Tree::default();
        // Without optimisation, 600 levels need a larger stack than a test's thread has.
        let out = crate::encode::deeply(|| {
            let outcome = Reader::new(&[1; 700], &mut tree).max_depth(600).read(&NEST);
            assert!(outcome.stop.is_some());
            let mut out = Vec::new();
            crate::codec::json::fields_json(&tree, Sources { main: &[1; 700], more: &[] }, &mut out);
            out
        });
        let out = out.expect("a thread");
        assert!(out.windows(7).filter(|w| w == b"\"nest\":").count() >= 599);
    }

    /// Encodes the rendered line again and compares. Derived values are not in `fields`; the writer
    /// gets them from `derived`.
    fn back(table: &'static [Field], bytes: &[u8]) {
        let mut dissection = crate::dissect::Dissection::default();
        let outcome =
            Reader::new(bytes, &mut dissection.tree).context(&mut super::super::tests::fixture::Types(1)).read(table);
        // Bytes after a table's last field are not part of the message.
        let bytes = if outcome.stop.is_none() { &bytes[..outcome.bits.div_ceil(8) as usize] } else { bytes };
        let sources = Sources { main: bytes, more: &[] };
        let (mut fields, mut derived) = (Vec::new(), Vec::new());
        crate::codec::json::fields_json(&dissection.tree, sources, &mut fields);
        let some = crate::codec::json::derived_json(&dissection.tree, &dissection.derived, sources, &mut derived);
        let fields: Json = serde_json::from_slice(&fields).unwrap();
        let derived: Option<Json> = some.then(|| serde_json::from_slice(&derived).unwrap());
        let written = Writer::new(&fields).derived(derived.as_ref()).broken(outcome.stop.is_some()).write(table);
        assert_eq!(written.as_deref(), Ok(bytes), "{fields} {derived:?}");
    }

    proptest! {
        #[test]
        fn random_bytes_come_back(mut bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            back(&PLAIN, &bytes);
            // Tags are encoded from the table.
            if let Some(first) = bytes.first_mut() {
                *first = *first & !7 | 5;
                back(&PACKED, &bytes);
                bytes[0] = 4;
                back(&LINKS, &bytes);
            }
        }

        #[test]
        fn samples_come_back(seed in any::<u64>()) {
            for table in [&PLAIN as &'static [Field], &PACKED, &LINKS] {
                let mut types = super::super::tests::fixture::Types(1);
                back(table, &Sampler::new(seed).context(&mut types).sample(table).unwrap());
            }
        }
    }
}
