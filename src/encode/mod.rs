//! Encodes JSON or `FIELD=VALUE` to bytes: the library side of `netkit encode`.
//!
//! - [`Values`]: a stream of JSON objects, one at a time: lines, pretty-printed objects, one array;
//! - [`Entry`]: one such object as a message: any line of `decode -f ndjson`, an element of `-f json`, or hand-written;
//! - [`Encoders`]: the protocols' encoders, with the state that later messages need;
//! - `Assignments`: `FIELD=VALUE` of a command line;
//! - `Frames`: messages as a capture file, with all headers.
//!
//! ```
//! use netkit::encode::{Encoders, Entry, Source, Values};
//! use netkit::protocols;
//!
//! let text = br#"{"proto":"riptide","message":"heartbeat","fields":{"ping_id":3,"rtt":20}}"#;
//! let options = protocols::options();
//! let source = Source::new(options.registry.clone());
//! let (mut values, mut encoders) = (Values::new(&text[..]), Encoders::new(&options));
//! while let Some(text) = values.next().unwrap() {
//!     let entry = Entry::new(text.json().unwrap(), &source).unwrap();
//!     assert_eq!(encoders.encode(&entry).unwrap(), [5, 3, 20, 0]);
//! }
//! ```
//!
//! Messages nest (GNE: 512 levels), and reading and writing them recurses: use [`deeply`].

mod annotated;
mod assign;
mod encoders;
mod entry;
#[cfg(feature = "cli")]
mod frames;
mod values;

#[cfg(feature = "cli")]
pub(crate) use self::{
    assign::Assignments,
    frames::{FrameError, Frames},
};
pub use crate::codec::json::parsed as json;
pub(crate) use assign::{PathStep, steps, words};
pub use encoders::Encoders;
#[doc(hidden)]
pub use encoders::Framing;
pub use entry::{Entry, Source};
pub(crate) use values::MAX_NESTING;
pub use values::{TextError, Values};

/// The stack for the deepest JSON that [`Values`] accepts: a level costs a few kilobytes in a
/// program that is not optimised.
pub(crate) const STACK: usize = 64 << 20;

/// Runs `work` on a thread whose stack is large enough for the deepest message.
///
/// # Errors
/// The thread cannot be started.
pub fn deeply<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("deep".into()).stack_size(STACK);
        match thread.spawn_scoped(scope, work)?.join() {
            Ok(done) => Ok(done),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Parses JSON of a command line; its nesting is checked before anything recurses.
fn bounded(text: &str) -> Result<serde_json::Value, String> {
    let mut depth = 0usize;
    // Brackets inside strings count, too: nobody writes two thousand of them.
    for byte in text.bytes() {
        depth += matches!(byte, b'[' | b'{') as usize;
        if depth > MAX_NESTING {
            return Err(format!("nested more than {MAX_NESTING} levels deep"));
        }
    }
    json(text.as_bytes()).map_err(|error| format!("invalid JSON: {error}"))
}
