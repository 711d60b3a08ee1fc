//! The codes of notes: `NAME.gap`.

use crate::codec::schema::named::leak;
use crate::dissect::numbered::NumberedCodes;

/// The codes of a protocol's notes.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    pub trailing: &'static str,
    pub checksum: &'static str,
    pub unknown_id: &'static str,
    pub numbered: NumberedCodes,
    pub nack: &'static str,
    pub answers: &'static str,
    pub asked_again: &'static str,
}

impl Codes {
    /// The codes of a protocol.
    pub fn of(name: &str) -> Codes {
        let code = |what: &str| leak(&format!("{name}.{what}"));
        Codes {
            trailing: code("trailing"),
            checksum: code("checksum"),
            unknown_id: code("unknown_id"),
            numbered: NumberedCodes {
                late: code("late"),
                gap: code("gap"),
                resent: code("resent"),
                duplicate: code("duplicate"),
                acked_by: code("acked_by"),
                acked_unseen: code("acked_unseen"),
            },
            nack: code("nack"),
            answers: code("answers"),
            asked_again: code("asked_again"),
        }
    }
}
