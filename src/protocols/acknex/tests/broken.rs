//! Broken bytes: no panic, no endless loop, every byte in one line, and each line encodes to its bytes. Cuts and
//! flipped bits of the vectors are in `tests/damage.rs`, for all protocols.

use super::{dumped, encoder};
use crate::dissect::Options;
use crate::protocols::tests::options;

fn check(id: &str, bytes: &[u8], options: &Options) {
    let rows = dumped(bytes, options);
    let all: Vec<u8> = rows.iter().flat_map(|row| row.bytes.iter().copied()).collect();
    assert_eq!(all, bytes, "{id}: {rows:?}");
    for row in &rows {
        row.check(&mut *encoder());
    }
}

#[test]
fn every_reading_of_broken_updates() {
    let settings = [
        "acknex.version=a5",
        "acknex.angle=le",
        "acknex.position=fixed",
        "acknex.skin=bit",
        "acknex.color=bgr",
        "acknex.color=rgb",
        "acknex.no_z=yes",
    ];
    let body =
        hex::decode("0700610001020304050607080910111213141516171819202122232425262728293031323334").expect("hex");
    for (k, setting) in settings.iter().enumerate() {
        for other in settings.iter().skip(k).step_by(2) {
            let options = options(&["--from", "server", "-s", setting, "-s", other]);
            for command in 0x40..=0xff {
                for n in 0..body.len() {
                    let bytes = [&[command], &body[..n]].concat();
                    check(setting, &bytes, &options);
                }
            }
        }
    }
}

#[test]
fn random_bytes() {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u8
    };
    let lists: [&[&str]; 4] = [&[], &["--from", "client"], &["--from", "server"], &["-s", "acknex.version=a5"]];
    for round in 0..4000 {
        let bytes: Vec<u8> = (0..round % 60).map(|_| if random() < 100 { random() & 15 } else { random() }).collect();
        check("random", &bytes, &options(lists[round % 4]));
    }
}
