//! "Did you mean": suggests the nearest known name.

/// The name nearest to `given`, if it is near enough: few letters differ, or it starts with `given`.
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let begun = |n: &str| given.len() >= 3 && n.starts_with(given);
    let best = names.into_iter().map(|n| (if begun(n) { 1 } else { strsim::osa_distance(given, n) }, n)).min()?;
    (best.0 <= 1 + given.len().max(best.1.len()) / 3).then_some(best.1)
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
    }
}
