//! Keeps the beginning of the received data, unchanged. A verdict on a stranger is based on it.

/// The number of bytes kept of a datagram or stream.
const KEPT: usize = 4096;
/// The number of datagrams kept.
const KEPT_DATAGRAMS: usize = 8;

/// Datagrams, or one entry with the beginning of the stream.
#[derive(Debug, Default)]
pub struct Raw(Vec<Vec<u8>>);

impl Raw {
    /// Keeps the bytes for which there is room.
    pub fn keep(&mut self, bytes: &[u8], datagrams: bool) {
        let kept = bytes.get(..bytes.len().min(KEPT)).unwrap_or_default();
        if datagrams && self.0.len() < KEPT_DATAGRAMS || self.0.is_empty() {
            self.0.push(kept.to_vec());
        } else if let Some(stream) = self.0.first_mut().filter(|_| !datagrams) {
            let room = KEPT.saturating_sub(stream.len()).min(kept.len());
            stream.extend_from_slice(kept.get(..room).unwrap_or_default());
        }
    }

    /// Whether each entry is a copy of data that was `sent`. With `all`: also of the last data sent.
    pub fn returns(&self, sent: &Raw, datagrams: bool, all: bool) -> bool {
        let mut some = self.0.iter().filter(|bytes| !bytes.is_empty()).peekable();
        let received = some.peek().is_some();
        received
            && match (datagrams, sent.0.first()) {
                (true, _) => {
                    let last = sent.0.last().is_none_or(|last| !all || self.0.contains(last));
                    last && some.all(|bytes| sent.0.contains(bytes))
                }
                (false, Some(stream)) => some.all(|bytes| stream.starts_with(bytes) && (!all || bytes == stream)),
                (false, None) => false,
            }
    }

    /// Returns the kept data.
    pub fn list(&self) -> &[Vec<u8>] {
        &self.0
    }
}
