//! The file that a frame belongs to, if several files are read.

use crate::codec::json::text::string;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The files that are read, in order, with the number of frames before each. The reader adds them; any printer, in any
/// thread, looks them up.
#[derive(Clone, Debug, Default)]
pub struct Files(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    list: Mutex<Vec<(u64, String)>>,
    /// Changes with the list, so that lookups need no lock for each message.
    changes: AtomicU64,
}

impl Files {
    /// Starts the next file. `before` is the number of frames in all files before it.
    pub fn begin(&self, before: u64, name: &str) {
        self.0.list.lock().unwrap_or_else(PoisonError::into_inner).push((before, name.into()));
        self.0.changes.fetch_add(1, Ordering::Release);
    }

    /// Starts a file whose frames are counted from 1 again. All messages of the file before must have been printed.
    pub fn restart(&self, name: &str) {
        self.0.list.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.begin(0, name);
    }
}

/// One printer's view of the files.
#[derive(Debug)]
pub(super) struct FileNames {
    files: Files,
    changes: u64,
    /// The number of frames before the last message's file, and up to its end if that is known.
    range: (u64, u64),
    /// The file's name, as text and as JSON.
    text: String,
    name: Vec<u8>,
}

impl FileNames {
    pub(super) fn new(files: &Files) -> FileNames {
        FileNames { files: files.clone(), changes: 0, range: (0, 0), text: String::new(), name: b"null".to_vec() }
    }

    /// Returns the name of the frame's file as JSON, and the frame's number in that file.
    pub(super) fn of(&mut self, frame: u64) -> (&[u8], u64) {
        let inside = frame > self.range.0 && frame <= self.range.1;
        if !inside || self.files.0.changes.load(Ordering::Acquire) != self.changes {
            self.find(frame);
        }
        (&self.name, frame.saturating_sub(self.range.0))
    }

    /// Returns the name of the frame's file as plain text (empty if it is unknown), and the frame's number in that
    /// file.
    #[cfg(feature = "parquet")]
    pub(super) fn plain(&mut self, frame: u64) -> (&str, u64) {
        let own = self.of(frame).1;
        (&self.text, own)
    }

    #[cold]
    fn find(&mut self, frame: u64) {
        self.changes = self.files.0.changes.load(Ordering::Acquire);
        let list = self.files.0.list.lock().unwrap_or_else(PoisonError::into_inner);
        // Takes the last file that begins before the frame, which skips files without frames.
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
        // Messages of the first file may still arrive.
        for (frame, expected) in
            [(5, r#""a","file_frame":5"#), (6, r#""b\"","file_frame":1"#), (9, r#""b\"","file_frame":4"#)]
        {
            assert!(of(frame).ends_with(expected), "{frame}");
        }
        files.restart("c");
        assert_eq!(of(9), r#","file":"c","file_frame":9"#);
    }
}
