//! Hostile input: no capture, text, schema or filter makes the program panic, grow without bound or send control
//! characters to the terminal.
//!
//! The functions that read the input are those of the fuzz targets (`tests/fuzz`). Here they run on the stable
//! toolchain, on every fixture cut, flipped and spliced, and on named cases.

mod amplify;
mod mutations;
mod named;
mod program;
mod traffic;

use crate::seeds;

/// Writes the corpus for `cargo fuzz`: `cargo test --test behaviour hostile::corpus -- --ignored`.
#[test]
#[ignore = "writes tests/fuzz/corpus"]
fn corpus() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    for target in [
        "capture",
        "hex_text",
        "schema",
        "described",
        "protocol_file",
        "encode",
        "filter",
        "riptide_udp",
        "riptide_tcp",
        "dnp",
        "nano",
        "gne_udp",
        "gne_tcp",
        "acknex",
    ] {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder).expect("a folder");
        for (k, seed) in seeds::of(target).into_iter().enumerate() {
            std::fs::write(folder.join(format!("fixture-{k:04}")), seed).expect("written");
        }
    }
}
