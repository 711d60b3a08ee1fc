//! What the readers of both formats give the capture.

use super::error::CaptureError;
use super::input::Input;
use super::{LinkType, Time};

/// The longest record or block that is accepted, in bytes. Snap lengths end at 256 KiB; USB
/// captures have records of some MiB.
pub const LONGEST: u32 = 16 * 1024 * 1024;

/// What a format's reader found; the bytes are those just consumed, less `tail`.
pub(super) struct Record {
    pub time: Time,
    pub link: LinkType,
    pub interface: u32,
    pub captured: usize,
    pub length: usize,
    pub tail: usize,
}

/// Answers for a file that has ended before `need` bytes of `what` were there: that is the proper
/// end where `may_end` and nothing of it is there, and a cut elsewhere.
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
