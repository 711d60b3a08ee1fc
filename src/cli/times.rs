//! Times as values of options.

use crate::duration::{self, between};
use std::time::Duration;

/// The units of the bounds of times.
pub const MILLISECOND: Duration = Duration::from_millis(1);
pub const SECOND: Duration = Duration::from_secs(1);
pub const DAY: Duration = Duration::from_secs(86_400);

/// Reads a time from `least` to `most`, with its unit.
pub fn time(least: Duration, most: Duration) -> impl Fn(&str) -> Result<Duration, String> + Clone {
    move |text| between(text, least, most)
}

/// Reads the same; a number without a unit is in seconds.
pub fn seconds(least: Duration, most: Duration) -> impl Fn(&str) -> Result<Duration, String> + Clone {
    move |text| duration::seconds(text, least, most)
}
