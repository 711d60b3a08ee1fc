//! Which file a frame is of, where several are read.

use crate::codec::json::text::string;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The files that are read, in order, with the number of frames before each: told by whoever reads
/// them, asked by whatever prints, in any thread.
#[derive(Clone, Debug, Default)]
pub struct Files(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    list: Mutex<Vec<(u64, String)>>,
    /// Changes with the list, so that nobody has to lock it for each message.
    changes: AtomicU64,
}

impl Files {
    /// The next file begins: `before` frames were read before it, in all files.
    pub fn begin(&self, before: u64, name: &str) {
        self.0.list.lock().unwrap_or_else(PoisonError::into_inner).push((before, name.into()));
        self.0.changes.fetch_add(1, Ordering::Release);
    }

    /// A file begins whose frames are counted from 1 again. Nothing of the one before may be left to
    /// print.
    pub fn restart(&self, name: &str) {
        self.0.list.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.begin(0, name);
    }
}

/// One printer's view of it.
#[derive(Debug)]
pub(super) struct FileNames {
    files: Files,
    changes: u64,
    /// The frames before the file of the last message, and up to its end if that is known.
    range: (u64, u64),
    /// Its name, and the same as JSON.
    text: String,
    name: Vec<u8>,
}

impl FileNames {
    pub(super) fn new(files: &Files) -> FileNames {
        FileNames { files: files.clone(), changes: 0, range: (0, 0), text: String::new(), name: b"null".to_vec() }
    }

    /// The file of a frame, as JSON, and the frame's number in it.
    pub(super) fn of(&mut self, frame: u64) -> (&[u8], u64) {
        let inside = frame > self.range.0 && frame <= self.range.1;
        if !inside || self.files.0.changes.load(Ordering::Acquire) != self.changes {
            self.find(frame);
        }
        (&self.name, frame.saturating_sub(self.range.0))
    }

    /// The file of a frame as plain text, empty where nobody has named it, and the frame's number in it.
    #[cfg(feature = "parquet")]
    pub(super) fn plain(&mut self, frame: u64) -> (&str, u64) {
        let own = self.of(frame).1;
        (&self.text, own)
    }

    #[cold]
    fn find(&mut self, frame: u64) {
        self.changes = self.files.0.changes.load(Ordering::Acquire);
        let list = self.files.0.list.lock().unwrap_or_else(PoisonError::into_inner);
        // Files without frames are passed over: the last one that begins before the frame.
        let after = list.partition_point(|(before, _)| *before < frame);
        self.name.clear();
        self.text.clear();
        match after.checked_sub(1).and_then(|k| list.get(k)) {
            Some((before, name)) => {
                self.range = (*before, list.get(after).map_or(u64::MAX, |(before, _)| *before));
                string(name.as_bytes(), &mut self.name);
                self.text.push_str(name);
            }
            None => self.name.extend_from_slice(b"null"),
        }
    }

    /// Appends the keys `file` and `file_frame`.
    pub(super) fn keys(&mut self, frame: u64, out: &mut Vec<u8>) {
        let (name, own) = self.of(frame);
        out.extend_from_slice(b",\"file\":");
        out.extend_from_slice(name);
        out.extend_from_slice(b",\"file_frame\":");
        crate::codec::json::numbers::uint(own, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_files() {
        let files = Files::default();
        let mut names = FileNames::new(&files);
        let mut of = |frame| {
            let mut out = Vec::new();
            names.keys(frame, &mut out);
            String::from_utf8(out).unwrap()
        };
        files.begin(0, "a");
        assert_eq!(of(3), r#","file":"a","file_frame":3"#);
        files.begin(5, "empty");
        files.begin(5, "b\"");
        // A message of the first file may still come.
        for (frame, expected) in
            [(5, r#""a","file_frame":5"#), (6, r#""b\"","file_frame":1"#), (9, r#""b\"","file_frame":4"#)]
        {
            assert!(of(frame).ends_with(expected), "{frame}");
        }
        files.restart("c");
        assert_eq!(of(9), r#","file":"c","file_frame":9"#);
    }
}
