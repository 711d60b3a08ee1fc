//! The records that the readers of both formats return.

use super::error::CaptureError;
use super::input::Input;
use super::{LinkType, Time};

/// The longest record or block that is accepted, in bytes. Snap lengths are at most 256 KiB; USB captures have records
/// of some MiB.
pub const LONGEST: u32 = 16 * 1024 * 1024;

/// A record found by a format's reader. Its bytes are those just consumed, less `tail`.
pub(super) struct Record {
    pub time: Time,
    pub link: LinkType,
    pub interface: u32,
    pub captured: usize,
    pub length: usize,
    pub tail: usize,
}

/// The result for a file that ends before `need` bytes of `what`: a proper end if `may_end` is set and no byte of it is
/// there, else a cut.
#[cold]
pub(super) fn ended(
    input: &Input,
    what: &'static str,
    need: usize,
    frames: u64,
    may_end: bool,
) -> Result<Option<Record>, CaptureError> {
    let have = input.data().len();
    let at = input.place(have);
    match (have == 0 && may_end, input.cut()) {
        (true, false) => Ok(None),
        (true, true) => Err(CaptureError::CutPacked { at, frames }),
        _ => {
            let start = input.position();
            let (need, have) = (need as u64, have as u64);
            Err(CaptureError::Cut { at, what, start, need, have, frames })
        }
    }
}
