//! An output format from outside the library, by its public path alone: it is registered by name, prints a capture, and
//! divides the work like the library's formats.

use netkit::capture::{Decoded, Packets};
use netkit::dissect::{Inspector, Message, Sink};
use netkit::flow::{Caps, Table};
use netkit::render::{Form, Format, Renderer, Style};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Prints the numbered names of messages.
const NAMES: Format =
    Format { name: "names", about: "The names of messages", form: |_, _| Box::new(Names { worker: false, count: 0 }) };

#[derive(Debug)]
struct Names {
    worker: bool,
    count: usize,
}

impl Form for Names {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"names\n");
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        let name = format!("{}\n", message.dissection.message);
        match self.worker {
            true => out.extend_from_slice(name.as_bytes()),
            false => self.append(name.as_bytes(), out),
        }
    }

    fn divide(&mut self) -> bool {
        self.worker = true;
        true
    }

    fn append(&mut self, messages: &[u8], out: &mut Vec<u8>) {
        for name in String::from_utf8_lossy(messages).lines() {
            self.count += 1;
            out.extend_from_slice(format!("{} {name}\n", self.count).as_bytes());
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{} in all\n", self.count).as_bytes());
    }
}

#[derive(Clone, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Passes each message to a worker, and the worker's text to the renderer.
struct Divided<'a>(&'a mut Renderer, Box<dyn Form>);

impl Sink for Divided<'_> {
    fn message(&mut self, message: &Message<'_>) {
        let mut text = Vec::new();
        self.1.message(message, &mut text);
        self.0.rendered(&text);
    }
}

fn printed(format: Format, divided: bool) -> String {
    let text = Text::default();
    let mut renderer = Renderer::new(format, Style::default(), Box::new(text.clone()));
    let options = netkit::protocols::options();
    let read = |sink: &mut dyn Sink| {
        let file = std::fs::File::open("fixtures/riptide/riptide20-udp.pcap").expect("a capture");
        let mut packets = Packets::open(Box::new(file)).expect("a capture");
        let (mut table, mut sink) = (Table::new(Caps::default()), Passing(sink));
        let mut inspector = Inspector::new(&options, &mut sink);
        while let Some(item) = packets.next().expect("a whole capture") {
            if let Decoded::Packet(packet) = item.decoded {
                table.packet(&packet, &mut inspector);
            }
        }
        table.finish(&mut inspector);
    };
    match divided {
        true => {
            let part = renderer.part().expect("a form that divides");
            read(&mut Divided(&mut renderer, part));
        }
        false => read(&mut renderer),
    }
    renderer.finish().expect("memory takes all");
    let text = text.0.lock().expect("no panic").clone();
    String::from_utf8(text).expect("text")
}

struct Passing<'a>(&'a mut dyn Sink);

impl Sink for Passing<'_> {
    fn message(&mut self, message: &Message<'_>) {
        self.0.message(message);
    }
}

#[test]
fn a_form_of_ones_own() {
    let lines = printed(NAMES, false);
    let expected = printed(Format::NDJSON, false).lines().count();
    assert!(expected > 10, "{expected} messages");
    assert!(lines.starts_with("names\n1 "), "{lines}");
    assert!(lines.ends_with(&format!("\n{expected} in all\n")), "{lines}");
    assert_eq!(lines.lines().count(), expected + 2);
    assert_eq!(printed(NAMES, true), lines);
}

#[test]
fn workers_write_what_one_writes() {
    for format in Format::ALL {
        let divides = Renderer::new(*format, Style::default(), Box::new(io::sink())).part().is_some();
        assert_eq!(divides, *format != Format::DIALOGUE, "{format:?}");
        if divides {
            assert_eq!(printed(*format, true), printed(*format, false), "{format:?}");
        }
    }
}
