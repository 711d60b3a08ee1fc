//! The codes of notes: `NAME.gap`.

/// The codes of a protocol's notes.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    pub trailing: &'static str,
    pub checksum: &'static str,
    pub unknown_id: &'static str,
    pub resent: &'static str,
    pub duplicate: &'static str,
    pub gap: &'static str,
    pub late: &'static str,
    pub nack: &'static str,
}
