//! Limits of a reader, whatever a table allows.

use super::*;
use crate::codec::Scope;
use crate::codec::layout::{Count, array, eq, group, payload, u8, u16le, u32le};

fn reason(stop: Stop) -> Reason {
    match stop {
        Stop::Fault(fault) => fault.reason,
        Stop::Unknown { bit } => panic!("unknown at bit {bit}"),
    }
}

/// Five bytes announce more elements than any message may have. The elements are not made.
#[test]
fn elements_without_bits_are_refused() {
    static NONE: Field = group("element", &[u8("never").when(eq("mark", 1))]).keep_empty();
    static COUNT: Field = u32le("count");
    static FIELDS: [Field; 2] = [u8("mark").referenced(), array("list", Count::Prefix(&COUNT), &NONE)];
    let read = |bytes: &[u8]| {
        let mut tree = Tree::default();
        let stop = Reader::new(bytes, &mut tree).read(&FIELDS).stop;
        let elements = tree.nodes().iter().filter(|node| std::ptr::eq(node.field, &NONE)).count();
        (elements, stop.map(reason))
    };
    let (elements, stop) = read(&[0, 0xff, 0xff, 0xff, 0xff]);
    assert!(elements <= 1, "{elements}");
    assert_eq!(stop, Some(Reason::Count));
    // One such element does not amplify anything, and elements with bits are read.
    assert_eq!(read(&[0, 1, 0, 0, 0]), (1, None));
    assert_eq!(read(&[1, 2, 0, 0, 0, 7, 8]), (2, None));
}

/// A checked count is compared with the message's length on the wire: the capture may hold less of it.
#[test]
fn checked_counts_of_cut_messages() {
    static COUNT: Field = u8("count");
    static FIELDS: [Field; 1] = [array("list", Count::Prefix(&COUNT), &u32le("element")).checked()];
    // An element and a half are captured.
    for (count, wire, fault) in [
        (2, 9, "p.m.list: needs 72 bits at bit 0, 56 captured (count 2 from count)"),
        (2, 8, "p.m.list: impossible count at bit 0, 56 bits left (count 2 from count)"),
        (3, 9, "p.m.list: impossible count at bit 0, 56 bits left (count 3 from count)"),
    ] {
        let (mut tree, bytes) = (Tree::default(), [count, 1, 0, 0, 0, 2, 0]);
        let reader = Reader::new(&bytes, &mut tree).named("p", "m").wire_length(wire);
        let stop = reader.read(&FIELDS).stop;
        assert!(matches!(&stop, Some(Stop::Fault(f)) if f.to_string() == fault), "{wire}: {stop:?}");
    }
}

/// Nested groups end at the reader's limit, in the message's bytes and on the stack.
#[test]
fn groups_are_nested_to_the_limit() {
    static NEST: [Field; 2] = [u8("more").referenced(), group("inner", &NEST).when(eq("more", 1))];
    let read = |bytes: &[u8], most: Option<usize>| {
        let mut tree = Tree::default();
        let reader = Reader::new(bytes, &mut tree);
        let outcome = match most {
            Some(most) => reader.max_depth(most).read(&NEST),
            None => reader.read(&NEST),
        };
        let groups = tree.nodes().iter().filter(|node| std::ptr::eq(node.field, &NEST[1])).count();
        (groups, outcome.stop.map(reason))
    };
    let nested = |levels: usize| [vec![1; levels], vec![0]].concat();
    let compare = || {
        assert_eq!(read(&nested(3), Some(3)), (3, None));
        assert_eq!(read(&nested(MAX_DEPTH), None), (MAX_DEPTH, None));
        for (levels, most) in [(4, Some(3)), (MAX_DEPTH + 1, None), (2 * MAX_DEPTH, None)] {
            let (groups, stop) = read(&nested(levels), most);
            assert_eq!((groups, stop), (most.unwrap_or(MAX_DEPTH), Some(Reason::Depth)), "{levels}");
        }
    };
    // Without optimisation, all levels together take more stack than a test's thread has.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, compare);
        thread.expect("a thread").join().expect("the limit holds");
    });
}

/// A context whose payloads have these fields.
struct Fixed(&'static [Field]);

impl Context for Fixed {
    fn layout(&mut self, _field: &'static Field, _value: Option<u64>, _scope: &Scope) -> Option<&'static [Field]> {
        Some(self.0)
    }
}

/// A payload that the capture cut after its fields has these fields.
#[test]
fn cut_payloads_have_their_fields() {
    static FIELDS: [Field; 1] = [u16le("hp")];
    static PAYLOAD: [Field; 1] = [payload("payload")];
    let (mut tree, mut context) = (Tree::default(), Fixed(&FIELDS));
    let outcome = Reader::new(&[1, 2], &mut tree).wire_length(4).context(&mut context).read(&PAYLOAD);
    assert_eq!(outcome.stop.map(reason), Some(Reason::Cut));
    // The payload ends after its field.
    assert_eq!((tree.nodes().len(), tree.nodes()[0].end), (2, 2));
}
