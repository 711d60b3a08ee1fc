#![no_main]

use netkit_fuzz as harness;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    harness::described(data);
});
