//! `netkit proxy --view`: the inspector on the messages that pass. The relay writes them to a queue, and never waits for
//! the screen.

use super::output::{draws, style};
use super::view::{STACK, show};
use crate::cli::{Global, Proxy};
use crate::dissect::Options;
use crate::filter::{Filter, Names};
use crate::live::Background;
use crate::live::proxy::{Holds, Render};
use crate::printable::Printable;
use crate::process::interrupt::{self, stop};
use crate::process::notify;
use crate::process::usage::{Usage, usage};
use crate::read::{Producer, Receiver as _};
use crate::view::{Input, Progress, Receiving, Store, Subject};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// The most bytes of messages that wait for the screen.
const WAITING: usize = 64 << 20;

/// The screen of a relay, and the messages that it shows.
pub struct Viewing {
    store: Arc<Store>,
    holds: Arc<Holds>,
    wake: Sender<Input>,
    events: Receiver<Input>,
}

/// Keeps records until memory is full.
struct Kept(Receiving, bool);

impl Write for Kept {
    fn write(&mut self, records: &[u8]) -> io::Result<usize> {
        if !self.1 {
            self.0.receive(records);
            self.1 = self.0.done();
            if self.1 {
                self.0.0.end(false, Progress::Full);
            }
        }
        Ok(records.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Shows notes on the screen; after it, on stderr.
struct Notes(Sender<Input>);

impl Write for Notes {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line).trim_end().trim_start_matches("netkit: ").to_string();
        match self.0.send(Input::Finished(text)) {
            Ok(()) => Ok(line.len()),
            Err(_) => io::stderr().write(line),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Ends the relay with its screen, whatever ends that.
struct Ends;

impl Drop for Ends {
    fn drop(&mut self) {
        stop().set();
    }
}

impl Viewing {
    /// Prepares the screen, if one is wanted.
    ///
    /// # Errors
    /// There is no terminal, or the expression of `--hold` has a mistake.
    pub fn new(args: &Proxy, options: &Options) -> anyhow::Result<Option<Viewing>> {
        if !args.view {
            return Ok(None);
        }
        if !draws() {
            return usage("--view needs a terminal: without it messages are printed");
        }
        let (wake, events) = channel();
        let (signal, messages, held) = (wake.clone(), wake.clone(), wake.clone());
        let store = Arc::new(Store::new(options, move || _ = messages.send(Input::Messages)));
        let holds = Holds::new(args.most_held as usize, args.hold_for, move || _ = held.send(Input::Messages));
        if let Some(text) = &args.hold {
            let filter = Filter::parse_unlinked(text, &Names::new(options));
            holds.hold(Some((text.clone(), filter.map_err(|why| Usage(format!("--hold: {why}")))?)));
        }
        interrupt::at_first(move || _ = signal.send(Input::End));
        Ok(Some(Viewing { store, holds: Arc::new(holds), wake, events }))
    }

    /// The messages that wait for the user.
    pub fn holds(&self) -> Arc<Holds> {
        Arc::clone(&self.holds)
    }

    /// A writer of notes.
    pub fn notes(&self) -> Box<dyn Write + Send> {
        Box::new(Notes(self.wake.clone()))
    }

    /// Keeps each message for the screen.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn render(&self) -> io::Result<Render<'static>> {
        let (store, mut recorder) = (Arc::clone(&self.store), self.store.recorder());
        let out = Background::start("messages", Box::new(Kept(Receiving(Arc::clone(&store)), false)), WAITING)?;
        Ok(Box::new(move |message, _| {
            let mut records = Vec::new();
            recorder.first(message.place.time);
            recorder.message(message, &mut records);
            if !out.push(records) {
                store.miss();
            }
        }))
    }

    /// Relays while the screen is shown, and until it ends.
    ///
    /// # Errors
    /// The terminal cannot be used.
    pub fn run<T>(self, about: String, global: &Global, relay: impl FnOnce() -> T) -> anyhow::Result<T> {
        let Viewing { store, holds, wake, events } = self;
        let colour = style(global, false).colour;
        let name = Printable(&about).to_string();
        let subject = Subject { name, live: true, colour, holds: Some(holds), ..Subject::default() };
        notify::hold();
        let (shown, ran) = thread::scope(|scope| {
            let again = wake.clone();
            let screen = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
                let _ends = Ends;
                show(&store, subject, events, again)
            })?;
            let ran = relay();
            // The relay has failed, or a signal has ended it.
            let _ = wake.send(Input::End);
            let shown = screen.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            io::Result::Ok((shown, ran))
        })?;
        notify::release();
        shown?;
        Ok(ran)
    }
}
