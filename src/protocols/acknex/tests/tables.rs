//! The tables are closed, and their samples can be read, shown and written again.

use super::super::commands::{TABLES, Version};
use super::super::reading::WireVariant;
use crate::codec::check::check;
use crate::codec::json::fields_json;
use crate::codec::{Reader, Sampler, Sources, Tree, Writer};
use crate::dissect::Role;
use serde_json::Value as Json;

/// Every combination of readings.
fn readings() -> impl Iterator<Item = WireVariant> {
    (0..32).map(|k| WireVariant {
        angle_le: k & 1 != 0,
        fixed: k & 2 != 0,
        no_z: k & 4 != 0,
        skin_by_bit: k & 8 != 0,
        other_color: k & 16 != 0,
    })
}

#[test]
fn tables_are_closed() {
    for layout in TABLES.iter().flat_map(|table| table.layouts) {
        assert_eq!(check(layout.fields), Ok(()), "{}", layout.name);
    }
}

#[test]
fn every_command_finds_its_layout() {
    let count = |version: Version, role| (0..=255).filter(|c| version.book().find(role, *c).is_some()).count();
    assert_eq!(count(Version::A6, Role::Client), 5 + 4);
    assert_eq!(count(Version::A6, Role::Server), 6 + 3 * 64 + 4);
    assert_eq!(count(Version::A6, Role::Unknown), 4);
    assert_eq!(count(Version::A5, Role::Client), 7 + 3);
    assert_eq!(count(Version::A5, Role::Server), 8 + 3 * 64 + 3);
    assert_eq!(count(Version::A5, Role::Unknown), 3);
    assert!(!Version::A6.book().defines(0x01) && Version::A5.book().defines(0x01));
}

#[test]
fn samples_come_back_from_json() {
    let all: Vec<WireVariant> = readings().collect();
    for layout in TABLES.iter().filter(|t| !t.version.is_empty()).flat_map(|t| t.layouts) {
        let mut tree = Tree::default();
        let mut json = Vec::new();
        for seed in 0..2000 {
            let mut reading = all[seed as usize % all.len()];
            let bytes = Sampler::new(seed + 1).context(&mut reading).sample(layout.fields).expect(layout.name);
            tree.clear();
            let outcome = Reader::new(&bytes, &mut tree).context(&mut reading).read(layout.fields);
            assert_eq!(outcome.stop, None, "{} {}", layout.name, hex::encode(&bytes));
            assert_eq!(outcome.bits as usize, bytes.len() * 8, "{} {}", layout.name, hex::encode(&bytes));
            json.clear();
            fields_json(&tree, Sources { main: &bytes, more: &[] }, &mut json);
            let fields: Json = serde_json::from_slice(&json).expect("JSON");
            let written = Writer::new(&fields).context(&mut reading).write(layout.fields);
            assert_eq!(written.as_ref(), Ok(&bytes), "{} {fields}", layout.name);
        }
    }
}

#[test]
fn samples_of_updates_have_all_parameters() {
    for layout in super::super::layout::SERVER.iter().filter(|l| l.name.starts_with("update")) {
        let mut bits = 0;
        for seed in 0..200 {
            let mut reading = WireVariant::default();
            let bytes = Sampler::new(seed).context(&mut reading).sample(layout.fields).expect(layout.name);
            bits |= bytes[0] & 0x3f;
        }
        let defined = match layout.name {
            "update1" => 0x1f,
            "update2" => 0x3f,
            _ => 0x0f,
        };
        assert_eq!(bits, defined, "{}", layout.name);
    }
}
