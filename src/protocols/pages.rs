//! The page of each protocol and carrier: its wire format and the sources.

use crate::docs::Page;

/// All pages: the dissectors' in the order of [`ALL`](super::ALL), then the carriers'.
pub static PAGES: [Page; 7] = [
    Page {
        name: "riptide",
        about: "Riptide Networking: wire format, sources",
        text: include_str!("riptide/README.md"),
    },
    Page { name: "dnp", about: "DNP of the Drag[en]gine: wire format, sources", text: include_str!("dnp/README.md") },
    Page {
        name: "nano",
        about: "nano, pomelo, pinus, pitaya: wire format, sources",
        text: include_str!("nano/README.md"),
    },
    Page { name: "gne", about: "GNE over HawkNL: wire format, sources", text: include_str!("gne/README.md") },
    Page {
        name: "acknex",
        about: "Acknex, 3D Gamestudio: wire format, sources",
        text: include_str!("acknex/README.md"),
    },
    Page { name: "hawknl", about: "the frames that carry GNE", text: include_str!("hawknl/README.md") },
    Page { name: "websocket", about: "the carrier of the nano family", text: include_str!("websocket/README.md") },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::layout::Kind;
    use crate::protocols::ALL;

    fn page(name: &str) -> &'static str {
        PAGES.iter().find(|page| page.name == name).unwrap_or_else(|| panic!("{name} has no page")).text
    }

    #[test]
    fn every_protocol_and_carrier_has_one() {
        for dissector in ALL {
            let text = page(dissector.name());
            for heading in
                ["## Sources", "## How a conversation is recognised", "## What harms servers", "## Probe and replay"]
            {
                assert!(text.contains(heading), "{}: {heading}", dissector.name());
            }
            dissector.carriers().iter().for_each(|carrier| assert!(page(carrier).starts_with("# ")));
        }
    }

    /// Checks that a name in backquotes that looks like a note's code or a setting's key is one.
    #[test]
    fn what_they_name_is_there() {
        for dissector in ALL {
            let notes: Vec<&str> = dissector.notes().iter().map(|note| note.code).collect();
            let settings: Vec<&str> = dissector.settings().iter().map(|setting| setting.key).collect();
            for page in std::iter::once(dissector.name()).chain(dissector.carriers().iter().copied()) {
                let prefix = format!("{page}.");
                for quoted in page_words(page).filter(|word| word.starts_with(&prefix)) {
                    let known = notes.contains(&quoted) || settings.contains(&quoted);
                    assert!(known, "{page}/README.md: {quoted:?} is neither a note nor a setting");
                }
            }
        }
    }

    /// The text in backquotes, outside of code blocks, without a value after `=`.
    fn page_words(name: &str) -> impl Iterator<Item = &'static str> {
        let quoted = page(name).split('`').skip(1).step_by(2);
        quoted.map(|text| text.trim_start_matches("-s ").split('=').next().unwrap_or(""))
    }

    /// Checks that the numbers beside messages' names in tables are those of the layouts.
    #[test]
    fn their_numbers_are_those_of_the_tables() {
        let mut checked = 0;
        for dissector in ALL {
            let rows: Vec<Vec<&str>> = page(dissector.name())
                .lines()
                .filter(|line| line.starts_with('|'))
                .map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_').collect())
                .collect();
            for layout in dissector.tables().iter().flat_map(|table| table.layouts) {
                let Some(Kind::Tag { value, .. }) = layout.fields.first().map(|field| &field.kind) else { continue };
                if *value > 0xff {
                    continue;
                }
                let (decimal, hex) = (value.to_string(), format!("{value:02x}"));
                let has_row = |row: &Vec<&str>| {
                    row.contains(&layout.name) && row.iter().any(|word| *word == decimal || *word == hex)
                };
                assert!(rows.iter().any(has_row), "{}: no row has {} and {value}", dissector.name(), layout.name);
                checked += 1;
            }
        }
        assert!(checked > 60, "{checked}");
    }

    /// Checks that the protocol's page names every message of its tables.
    #[test]
    fn every_message_is_on_its_page() {
        for dissector in ALL {
            let carriers = dissector.carriers().iter().map(|carrier| page(carrier));
            let text: String = std::iter::once(page(dissector.name())).chain(carriers).collect();
            let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            for layout in dissector.tables().iter().flat_map(|table| table.layouts) {
                assert!(words.contains(&layout.name), "{}: nothing of {}", dissector.name(), layout.name);
            }
        }
    }
}
