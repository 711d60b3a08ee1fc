//! Properties of every table of every protocol: a random valid message that is read, printed as JSON and encoded again
//! has the same bytes; and no JSON makes an encoder panic.

use netkit::codec::json::{derived_json, fields_json};
use netkit::codec::layout::{Field, Kind, Other, Show};
use netkit::codec::{
    Context, Reader, Recalled, Sampler, Scope, Sources, Writer,
    layout::{Layout, Order},
};
use netkit::dissect::Dissection;
use netkit::encode::{Encoders, Entry, Source, deeply, json};
use netkit::protocols;
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

/// A memory with a value for every field, the same at each request.
struct Memory {
    seed: u64,
    order: Order,
}

impl Memory {
    fn new(seed: u64) -> Memory {
        Memory { seed, order: if seed.is_multiple_of(2) { Order::Little } else { Order::Big } }
    }
}

impl Context for Memory {
    fn order(&self) -> Order {
        self.order
    }

    fn setting(&self, name: &str) -> u64 {
        (self.seed >> 3).wrapping_add(name.len() as u64) % 3
    }

    fn recall(&mut self, field: &'static Field, _scope: &Scope) -> Recalled {
        match field.show {
            Show::Enum(names) => Recalled::Value(names[(self.seed >> 5) as usize % names.len()].0),
            _ => Recalled::Value(self.seed >> 5 & 7),
        }
    }
}

/// Reads a sample and encodes it again; `None` if the table needs data that cannot be generated.
fn there_and_back(layout: &'static Layout, seed: u64) -> Option<()> {
    let bytes = Sampler::new(seed).context(&mut Memory::new(seed)).sample(layout.fields).ok()?;
    let mut dissection = Dissection::default();
    let outcome = Reader::new(&bytes, &mut dissection.tree).context(&mut Memory::new(seed)).read(layout.fields);
    let sources = Sources { main: &bytes, more: &[] };
    let (mut fields, mut derived) = (Vec::new(), Vec::new());
    fields_json(&dissection.tree, sources, &mut fields);
    let some = derived_json(&dissection.tree, &dissection.derived, sources, &mut derived);
    let fields = json(&fields).expect("fields are JSON");
    let derived = some.then(|| json(&derived).expect("derived is JSON"));
    let written = Writer::new(&fields)
        .derived(derived.as_ref())
        .broken(outcome.stop.is_some())
        .context(&mut Memory::new(seed))
        .write(layout.fields);
    let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
    match written {
        Ok(back) if back == bytes => Some(()),
        Ok(back) => panic!("{} seed {seed}: {} became {} by {fields}", layout.name, hex(&bytes), hex(&back)),
        Err(why) => panic!("{} seed {seed}: {} cannot be written by {fields}: {why}", layout.name, hex(&bytes)),
    }
}

/// Tests a number of samples of each layout of a protocol.
fn samples(proto: &str, each: u64) {
    let dissector = protocols::by_name(proto).expect("a protocol");
    deeply(|| {
        let layouts: Vec<_> = dissector.tables().iter().flat_map(|t| t.layouts).collect();
        assert!(!layouts.is_empty());
        for layout in layouts {
            let made = (1..=each).filter_map(|seed| there_and_back(layout, seed)).count() as u64;
            // Layouts without a defined end cannot be generated.
            assert!(
                made * 4 >= each || layout.name == "unknown",
                "{proto}.{}: only {made} of {each} samples could be made",
                layout.name
            );
        }
    })
    .expect("a thread");
}

#[test]
fn riptide_a_hundred_thousand() {
    // About 13 layouts in each of four families.
    let layouts: usize = protocols::by_name("riptide").expect("it").tables().iter().map(|t| t.layouts.len()).sum();
    samples("riptide", 100_000u64.div_ceil(layouts as u64));
}

#[test]
fn every_other_protocol() {
    for dissector in protocols::ALL.iter().filter(|d| d.name() != "riptide") {
        samples(dissector.name(), 500);
    }
}

/// Any JSON, with the tables' own names among its keys.
fn any_json(words: &'static [&'static str]) -> impl Strategy<Value = Json> {
    let word = prop::sample::select(words);
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        (0u64..300).prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        word.clone().prop_map(Json::from),
        "[0-9a-f]{0,12}".prop_map(Json::from),
        ".{0,6}".prop_map(Json::from),
        ("[0-9a-f]{0,8}", 0u64..70).prop_map(|(raw, bits)| json!({"raw": raw, "bits": bits})),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let key = prop_oneof![4 => word.clone().prop_map(String::from), 1 => ".{0,4}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::vec((key, inner), 0..8)
                .prop_map(|list| Json::Object(list.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The names of all fields of all protocols, and of the values of their enumerations.
fn words() -> &'static [&'static str] {
    static WORDS: std::sync::LazyLock<Vec<&'static str>> = std::sync::LazyLock::new(|| {
        let mut words = vec!["unparsed", "raw", "bits"];
        let layouts = protocols::ALL.iter().flat_map(|d| d.tables()).flat_map(|t| t.layouts);
        let mut open: Vec<&Field> = layouts.flat_map(|layout| layout.fields).collect();
        // A table may contain itself.
        let mut seen = std::collections::HashSet::new();
        while let Some(field) = open.pop() {
            if !seen.insert(std::ptr::from_ref(field)) {
                continue;
            }
            words.push(field.name);
            if let Show::Enum(list) = field.show {
                words.extend(list.iter().map(|(_, name)| *name));
            }
            match &field.kind {
                Kind::Array { of, .. } => open.push(of),
                Kind::Switch { cases, other, .. } => {
                    open.extend(cases.iter().flat_map(|case| case.fields));
                    if let Other::Fields(fields) = other {
                        open.extend(*fields);
                    }
                }
                kind => open.extend(kind.fields()),
            }
        }
        words.sort_unstable();
        words.dedup();
        words
    });
    &WORDS
}

/// All messages of all protocols.
fn messages() -> Vec<(&'static str, &'static str, &'static str)> {
    let mut all = Vec::new();
    for dissector in protocols::ALL.iter() {
        for table in dissector.tables() {
            all.extend(table.layouts.iter().map(|l| (dissector.name(), table.version, l.name)));
            all.extend(dissector.carriers().iter().map(|c| (*c, table.version, "frame")));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_json_panics(
        fields in any_json(words()),
        derived in prop::option::of(any_json(words())),
        pick in any::<prop::sample::Index>(),
        fault in any::<bool>(),
    ) {
        let messages = messages();
        let (proto, version, message) = messages[pick.index(messages.len())];
        let mut object = json!({"proto": proto, "message": message, "fields": fields, "derived": derived});
        if !version.is_empty() {
            object["version"] = version.into();
        }
        if fault {
            object["fault"] = json!({"path": "x"});
        }
        let options = netkit::protocols::options();
        let mut encoders = Encoders::new(&options);
        if let Ok(entry) = Entry::new(object, &Source::new(netkit::protocols::registry())) {
            let _ = encoders.encode(&entry);
        }
    }

    #[test]
    fn no_line_panics(object in any_json(&["proto", "message", "fields", "riptide", "connect", "from", "time", "src",
        "flow", "name", "value", "type", "list", "derived", "hidden", "fault", "transport", "dst", "version"])) {
        let _ = Entry::new(object, &Source::new(netkit::protocols::registry()));
    }
}
