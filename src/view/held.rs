//! The terminal while the program has it. It is given back once, by whichever thread ends the program, and nothing is
//! drawn on it after that.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Gives the terminal back; `None` while the program does not have it. Held while the terminal is written.
static END: Mutex<Option<fn()>> = Mutex::new(None);

fn end() -> MutexGuard<'static, Option<fn()>> {
    END.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the terminal with `begin`. `give_back` undoes that, at once if `begin` fails in the middle.
///
/// # Errors
/// Returns the error of `begin`.
pub fn take(begin: impl FnOnce() -> io::Result<()>, give_back: fn()) -> io::Result<()> {
    let mut end = end();
    begin().inspect_err(|_| give_back())?;
    *end = Some(give_back);
    Ok(())
}

/// Gives the terminal back as it was, if the program has it.
pub fn restore() {
    if let Some(give_back) = end().take() {
        give_back();
    }
}

/// Gives the terminal back before the report of a panic of any thread, and then calls `then`.
pub fn restore_on_panic(then: impl Fn() + Send + Sync + 'static) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        restore();
        then();
        before(panic);
    }));
}

/// Collects what is written, and passes it to the terminal at once, if the program still has it.
#[derive(Debug, Default)]
pub struct TerminalWriter(Vec<u8>);

impl Write for TerminalWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let end = end();
        if end.is_some() {
            let mut out = io::stdout().lock();
            out.write_all(&self.0)?;
            out.flush()?;
        }
        self.0.clear();
        Ok(())
    }
}
