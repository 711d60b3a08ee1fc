//! Tests of the exact text output.

#[cfg(feature = "cli")]
use super::super::Rows;
use super::super::form::Form;
use super::super::{Format, Renderer, Style, Trees, summary};
use super::fixture::{LINKS, PACKED, PLAIN, annotate, packed, with, with_annotated};
use crate::dissect::{Message, Sink};
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex};

fn at(width: usize) -> Style {
    Style { width: Some(width), ..Style::default() }
}

/// Compares, ignoring blank lines at both ends.
fn same(name: &str, got: Vec<u8>, expected: &str) {
    let got = String::from_utf8(got).unwrap();
    if expected.trim().is_empty() {
        eprintln!("<<<{name}\n{}>>>", got.trim_end());
        return;
    }
    assert_eq!(got.trim_end(), expected.trim_start_matches('\n').trim_end(), "{name}");
}

fn tree(style: Style, message: &Message<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    Trees::new(style).message(message, &mut out);
    out
}

/// A limit leaves out the end of a long dump, and text that fits is the same as without it.
#[test]
fn a_trees_text_is_limited() {
    let mut bytes = vec![7, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0];
    bytes.resize(1 << 20, b'A');
    with(&PLAIN, &bytes, |message| {
        let text = |most| tree(Style { verbose: true, most, ..at(100) }, message);
        let (whole, limited) = (text(None), text(Some(4096)));
        assert!((4096..4 * 4096).contains(&limited.len()), "{}", limited.len());
        assert_eq!(limited[..4096], whole[..4096]);
        assert_eq!(text(Some(whole.len() + 1)), whole);
    });
}

#[test]
fn trees_of_nested_lists() {
    with_annotated(&LINKS, &[4, 1, 1, 0, 2, 0, 0, 5, 1, 0, 6], annotate, |message| {
        same(
            "nested80",
            tree(at(80), message),
            r##"
#14  +0.000000  server → client  test 2.0 ping  11 bytes  flow 2
  0x00   04                 type        4
  0x01   01                 link_count  1
  0x02                      links       1 element
  0x02   01 00              └ [0] link_id      1
  0x04   02                       value_count  2
  0x05                            values       2 elements
  0x05   00 00                    ├ [0] index  0
         derived                  │     type   uint8 (1)
  0x07   05                       │     value  5
  0x08   01 00                    └ [1] index  1
         derived                        type   uint8 (1)
  0x0a   06                             value  6
         derived            route  9
  • test.accepted: as "asked"
  ! test.odd: \x1b[31mred
"##,
        );
        same(
            "nested160",
            tree(at(160), message),
            r##"
#14  +0.000000  server → client  test 2.0 ping  11 bytes  127.0.0.1:3413 → 127.0.0.1:58817  flow 2
  0x00   04                                   type        4
  0x01   01                                   link_count  1
  0x02                                        links       1 element
  0x02   01 00                                └ [0] link_id      1
  0x04   02                                         value_count  2
  0x05                                              values       2 elements
  0x05   00 00                                      ├ [0] index  0
         derived                                    │     type   uint8 (1)
  0x07   05                                         │     value  5
  0x08   01 00                                      └ [1] index  1
         derived                                          type   uint8 (1)
  0x0a   06                                               value  6
         derived                              route  9
  • test.accepted: as "asked"
  ! test.odd: \x1b[31mred
"##,
        );
    });
}

#[test]
fn trees_of_bits_and_hostile_text() {
    with(&PACKED, &packed(), |message| {
        same(
            "packed80",
            tree(at(80), message),
            r##"
#14  +0.000000  server → client  test 2.0 ping  26 bytes  flow 2
  0x00   .... .101          kind      5
  0x00.3 .... 1...          reliable  true
  0x00.4 0001 ....          state     uint8 (1)
  0x01   34 12              sequence  4660 ms
  0x03   ...1 0101          odd       one|four|0x80 (0x15)
  0x03.5 15 00 00 04 c8     speed     2.5 m/s
  0x07.5 c8 00 2d 4d 1c …   name      "hi\u{202e}\""
  0x0e.5 04 80 07 00 08 …   place     [1.0, 2.0, -3.0]
  0x14.5 18 63              angle     1.5 (raw 24)
  0x15.5 63 63 4b 46 09     rest      raw 1b5b324a00  35 bits
"##,
        );
    });
    let mut bytes = vec![7, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0x80, 0, 0x1b, b'[', 0x9b, b'J', 0];
    bytes.extend(b"\xff\x1b\0\0");
    bytes.extend(0..40);
    with(&PLAIN, &bytes, |message| {
        same(
            "plain80",
            tree(at(80), message),
            r##"
#14  +0.000000  server → client  test 2.0 ping  62 bytes  flow 2
  0x00   07                 id      7 (unknown)
  0x01   ff ff              rtt     -1 ms
  0x03   00 00 00 00 00 …   clock   NaN  raw 000000000000f87f
  0x0b   80 00              length  0 in 2 bytes  raw 8000
  0x0d   1b 5b 9b 4a 00     motd    "\x1b[\u{9b}J"
  0x12   ff 1b 00 00        user    not UTF-8  "\xff\x1b\x00\x00"
  0x16   00 01 02 03 04 …   rest    40 bytes  |...............................…|
"##,
        );
        same(
            "plain160",
            tree(Style { verbose: true, ..at(160) }, message),
            r##"
#14  +0.000000  server → client  test 2.0 ping  62 bytes  127.0.0.1:3413 → 127.0.0.1:58817  flow 2
  0x00   07                                   id      7 (unknown)
  0x01   ff ff                                rtt     -1 ms   there and back
  0x03   00 00 00 00 00 00 f8 7f              clock   NaN  raw 000000000000f87f
  0x0b   80 00                                length  0 in 2 bytes  raw 8000
  0x0d   1b 5b 9b 4a 00                       motd    "\x1b[\u{9b}J"
  0x12   ff 1b 00 00                          user    not UTF-8  "\xff\x1b\x00\x00"
  0x16   00 01 02 03 04 05 06 07 08 09 0a …   rest    40 bytes  |................................ !"#$%&'|
  0x16   00 01 02 03 04 05 06 07 08 09 0a 0b  |............|
  0x22   0c 0d 0e 0f 10 11 12 13 14 15 16 17  |............|
  0x2e   18 19 1a 1b 1c 1d 1e 1f 20 21 22 23  |........ !"#|
  0x3a   24 25 26 27                          |$%&'|
"##,
        );
    });
}

#[test]
fn a_fault_is_below_what_could_not_be_read() {
    with_annotated(&LINKS, &[4, 1, 1, 0, 1, 0], annotate, |message| {
        same(
            "fault60",
            tree(at(60), message),
            r##"
#14  +0.000000  server → client  test 2.0 ping  6 bytes  flow 2
  0x00   04           type        4
  0x01   01           link_count  1
  0x02                links       1 element
  0x02   01 00        └ [0] link_id      1
  0x04   01                 value_count  1
  0x05                      values       0 elements
  0x05   00           unparsed    1 byte  |.|
  ✗ test.ping.links[0].values[0].index: needs 16 bits at bit
    40, 8 left
         derived      route  9
  • test.accepted: as "asked"
  ! test.odd: \x1b[31mred
"##,
        );
    });
}

#[test]
fn summaries_are_cut_at_the_terminal_only() {
    let mut out = Vec::new();
    with_annotated(&LINKS, &[4, 1, 1, 0, 2, 0, 0, 5, 1, 0, 6], annotate, |message| {
        [None, Some(150), Some(120), Some(60)].into_iter().for_each(|width| {
            summary::line(message, Style { width, ..Style::default() }, &mut Default::default(), &mut out);
        });
        let start = out.len();
        summary::line(message, at(150), &mut Default::default(), &mut out);
        assert!(String::from_utf8_lossy(&out[start..]).trim_end().chars().count() <= 150);
        out.truncate(start);
    });
    with(&PACKED, &packed(), |message| summary::line(message, Style::default(), &mut Default::default(), &mut out));
    with(&PLAIN, &[9, 1], |message| summary::line(message, Style::default(), &mut Default::default(), &mut out));
    same(
        "summary",
        out,
        r##"
   14 2026-11-21T02:57:32.841544Z 127.0.0.1:3413 > 127.0.0.1:58817 test 2.0 ping links=[{link_id=1 values=[{index=0 type=uint8 value=5} {index=1 type=uint8 value=6}]}] route=9 [test.accepted] [test.odd]
   14 +0.000000 2 127.0.0.1:3413 > 127.0.0.1:58817 test 2.0 ping links=[{link_id=1 values=[{index=0 type=uint8…} {…}]}] … [test.accepted] [test.odd]
   14 +0.000000 2 server test 2.0 ping links=[{link_id=1 values=[{index=0 type=uint8…}…]}] … [test.accepted] [test.odd]
   14 +0.000000 2 server test 2.0 ping … [test.odd] •
   14 2026-11-21T02:57:32.841544Z 127.0.0.1:3413 > 127.0.0.1:58817 test 2.0 ping reliable=true state=uint8 sequence=4660 odd=one|four|0x80 speed=2.5 name="hi\u{202e}\"" place=[1.0 2.0 -3.0] angle=1.5 rest=1b5b324a00
   14 2026-11-21T02:57:32.841544Z 127.0.0.1:3413 > 127.0.0.1:58817 test 2.0 ping id=9 unparsed=01 ✗ test.ping.rtt
"##,
    );
}

#[cfg(feature = "cli")]
#[test]
fn a_table_of_one_kind_has_columns() {
    let mut out = Vec::new();
    let mut rows = Rows::new(at(100));
    for rtt in 1..3 {
        with_annotated(&PLAIN[..2], &[1, rtt, 0], annotate, |message| rows.message(message, &mut Vec::new()));
    }
    rows.finish(&mut out);
    same(
        "table",
        out,
        r##"
┌───────┬───────────┬────────┬───────────────┬────────┬───────┬─────┬───────┬───────────────┐
│ frame ┆ time      ┆ from   ┆ message       ┆ length ┆ id    ┆ rtt ┆ route ┆ notes         │
╞═══════╪═══════════╪════════╪═══════════════╪════════╪═══════╪═════╪═══════╪═══════════════╡
│    14 ┆ +0.000000 ┆ server ┆ test 2.0 ping ┆      3 ┆ uint8 ┆ 1   ┆ 9     ┆ test.accepted │
│       ┆           ┆        ┆               ┆        ┆       ┆     ┆       ┆ test.odd      │
│    14 ┆ +0.000000 ┆ server ┆ test 2.0 ping ┆      3 ┆ uint8 ┆ 2   ┆ 9     ┆ test.accepted │
│       ┆           ┆        ┆               ┆        ┆       ┆     ┆       ┆ test.odd      │
└───────┴───────────┴────────┴───────────────┴────────┴───────┴─────┴───────┴───────────────┘
"##,
    );
}

#[cfg(feature = "cli")]
#[test]
fn a_table_counts_what_it_leaves_out() {
    let mut renderer = Renderer::new(Format::TABLE, Style::default(), Box::new(io::sink()));
    with(&PLAIN[..1], &[1], |message| {
        (0..=super::super::table::ROWS).for_each(|_| renderer.message(message));
    });
    assert!(renderer.warning().unwrap().contains("1 more"));
}

#[test]
fn nothing_raw_reaches_the_terminal() {
    let mut bytes = vec![7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend((1..=255).chain([0]));
    bytes.extend("\u{202e}".bytes().chain([0]).chain(0..=255));
    with_annotated(&PLAIN, &bytes, annotate, |message| {
        for format in [
            Format::TREE,
            Format::SUMMARY,
            #[cfg(feature = "cli")]
            Format::TABLE,
        ] {
            let text = printed(format, Style { verbose: true, ..at(120) }, message);
            assert!(!text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{text:?}");
        }
    });
}

#[test]
fn colours_take_no_room() {
    with_annotated(&LINKS, &[4, 1, 1, 0, 2, 0, 0, 5, 1], annotate, |message| {
        for format in [Format::TREE, Format::SUMMARY] {
            let plain = printed(format, at(100), message);
            let coloured = printed(format, Style { colour: true, ..at(100) }, message);
            assert_ne!(plain, coloured);
            let mut stripped = String::new();
            for (k, part) in coloured.split('\x1b').enumerate() {
                stripped += if k == 0 { part } else { part.split_once('m').unwrap().1 };
            }
            let lines = |text: &str| text.lines().map(|l| l.trim_end().to_owned()).collect::<Vec<_>>();
            assert_eq!(lines(&stripped), lines(&plain));
        }
    });
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn printed(format: Format, style: Style, message: &Message<'_>) -> String {
    let shared = Shared::default();
    let mut renderer = Renderer::new(format, style, Box::new(shared.clone()));
    renderer.message(message);
    renderer.finish().unwrap();
    String::from_utf8(shared.0.lock().unwrap().clone()).unwrap()
}

#[test]
fn a_closed_pipe_is_no_failure_but_a_full_disk_is() {
    struct Broken(ErrorKind);
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for (kind, closed) in [(ErrorKind::BrokenPipe, true), (ErrorKind::StorageFull, false)] {
        let mut renderer = Renderer::new(Format::JSON, Style::default(), Box::new(Broken(kind)));
        with(&PLAIN, &[1], |message| renderer.message(message));
        assert!(renderer.failed().is_none());
        renderer.flush();
        assert_eq!(renderer.failed().unwrap().kind(), kind);
        assert_eq!(renderer.closed(), closed);
        assert_eq!(renderer.finish().unwrap_err().kind(), kind);
    }
}
