//! Cases that fail where a busy machine makes a peer later than the program waits for it.

use std::time::{Duration, Instant};

/// Tries a case until one try holds; each gets an item of `tries`. The program gives up a peer that is later than `wait`:
/// a try that fails sooner has another cause, and fails the test at once.
#[track_caller]
pub fn unless_late<T>(
    wait: Duration,
    tries: impl IntoIterator<Item = T>,
    mut case: impl FnMut(T) -> Result<(), String>,
) {
    let mut failed = Vec::new();
    for one in tries {
        let begun = Instant::now();
        let Err(why) = case(one) else { return };
        failed.push(why);
        assert!(begun.elapsed() >= wait, "{failed:#?}");
    }
    panic!("{failed:#?}");
}

/// Returns an error with this text unless the condition holds.
pub fn ensure(holds: bool, why: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why.into()) }
}
