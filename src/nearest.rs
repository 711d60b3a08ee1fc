//! "Did you mean": suggests the nearest known name.

/// The name nearest to `given`, if it is near enough: few letters differ, or it starts with `given`.
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let begun = |n: &str| given.len() >= 3 && n.starts_with(given);
    let lower = given.to_lowercase();
    let differ = |n: &str| strsim::osa_distance(given, n).min(strsim::osa_distance(&lower, n));
    // Of equally near names, one that begins with the same letter and is as long.
    let rank = |n: &str| (n.chars().next() != lower.chars().next(), n.len().abs_diff(given.len()));
    let all = names.into_iter().map(|n| (if begun(n) { 1 } else { differ(n) }, rank(n), n));
    let (distance, _, best) = all.min()?;
    let longest = given.len().max(best.len());
    (distance <= (1 + longest / 3).min(longest / 2)).then_some(best)
}

/// The text `, did you mean "x"?`, or empty.
pub fn hint(near: Option<&str>) -> String {
    near.map(|n| format!(", did you mean {n:?}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["heartbeat", "reliable", "unreliable"];
        assert_eq!(nearest("hartbeat", names), Some("heartbeat"));
        assert_eq!(nearest("relaible", names), Some("reliable"));
        assert_eq!(nearest("rel", names), Some("reliable"));
        assert_eq!(nearest("xyz", names), None);
        assert_eq!(nearest("kcp", ["dnp", "gne"]), None);
        assert_eq!(nearest("UDP", ["udp"]), Some("udp"));
        assert_eq!(nearest("uint16", ["i16", "u16"]), Some("u16"));
        assert_eq!(nearest("open", ["opened", "opens"]), Some("opens"));
    }
}
