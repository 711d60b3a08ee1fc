//! The terminal: events in, pages out. It waits for events, and draws only where something has changed.

use super::draw::draw;
use super::held::{TerminalWriter, restore, restore_on_panic, take};
use super::save::Saving;
use super::state::{Effect, State};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ratatui_core::backend::Backend;
use ratatui_core::layout::Size;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event, KeyEventKind};
use ratatui_crossterm::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use ratatui_crossterm::crossterm::{cursor, execute, terminal};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// An event that wakes the screen.
#[derive(Debug)]
pub enum Input {
    /// Something from the terminal.
    Terminal(Event),
    /// There are more messages, or the reading has ended.
    Messages,
    /// A task has finished, with this result in words.
    Finished(String),
    /// The program is to end.
    End,
}

/// New messages are drawn no more often than this.
const AGAIN: Duration = Duration::from_millis(100);
/// The time that is left to held messages is drawn this often.
const TICK: Duration = Duration::from_secs(1);
/// More than most terminals take into the clipboard.
const CLIPBOARD: usize = 64 << 10;

/// The terminal while the inspector has it; dropped, it is as it was.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<CrosstermBackend<TerminalWriter>>,
    events: Receiver<Input>,
    wake: Sender<Input>,
    suspend: fn(),
}

impl Screen {
    /// Takes the terminal. `suspend` stops the program until the shell continues it.
    ///
    /// # Errors
    /// The terminal cannot be used.
    pub fn begin(events: Receiver<Input>, wake: Sender<Input>, suspend: fn()) -> io::Result<Screen> {
        let end = wake.clone();
        restore_on_panic(move || _ = end.send(Input::End));
        let terminal = Terminal::new(CrosstermBackend::new(TerminalWriter::default()))?;
        let screen = Screen { terminal, events, wake, suspend };
        enter()?;
        let keys = screen.wake.clone();
        // It waits for the terminal's events; the process ends without it.
        std::thread::spawn(move || {
            while let Ok(event) = event::read() {
                if keys.send(Input::Terminal(event)).is_err() {
                    return;
                }
            }
            let _ = keys.send(Input::End);
        });
        Ok(screen)
    }

    /// The terminal's size.
    ///
    /// # Errors
    /// It has none.
    pub fn size(&self) -> io::Result<Size> {
        self.terminal.backend().size()
    }

    /// Shows the state and lets keys change it, until the user ends it.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn run(&mut self, state: &mut State) -> io::Result<()> {
        let mut drawn = self.draw(state)?;
        let (mut changed, mut more) = (false, false);
        loop {
            let wait = match (more, changed) {
                (true, _) => Duration::ZERO,
                (false, true) => AGAIN.saturating_sub(drawn.elapsed()),
                // The time that is left to held messages is shown.
                (false, false) if state.subject.holds.as_ref().is_some_and(|holds| holds.any()) => TICK,
                (false, false) => Duration::MAX,
            };
            let input = match wait {
                Duration::MAX => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                wait => self.events.recv_timeout(wait),
            };
            let mut at_once = false;
            match input {
                Ok(Input::Terminal(event)) => {
                    at_once = true;
                    if self.event(event, state)? {
                        return Ok(());
                    }
                }
                Ok(Input::Messages) => (changed, more) = (true, state.looks()),
                Ok(Input::Finished(text)) => {
                    at_once = true;
                    state.status = text;
                }
                Ok(Input::End) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => changed = true,
            }
            if more || at_once && state.looks() {
                (more, changed) = (state.look_on(), true);
            }
            if at_once || changed && drawn.elapsed() >= AGAIN {
                changed = false;
                drawn = self.draw(state)?;
            }
        }
    }

    fn draw(&mut self, state: &mut State) -> io::Result<Instant> {
        state.store.look();
        self.terminal.draw(|frame| {
            // The size may have changed after its last event.
            let area = frame.area();
            state.size = area.as_size();
            state.refresh();
            if let Some(cursor) = draw(state, area, frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        })?;
        Ok(Instant::now())
    }

    /// Does what an event asks for. Returns whether the program is to end.
    fn event(&mut self, event: Event, state: &mut State) -> io::Result<bool> {
        let effect = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => state.key(key),
            Event::Mouse(mouse) => {
                state.mouse(mouse);
                None
            }
            // The next drawing has the size.
            _ => None,
        };
        match effect {
            Some(Effect::Quit) => return Ok(true),
            Some(Effect::Suspend) => {
                restore();
                (self.suspend)();
                enter()?;
                // A new one draws every cell. Clearing would ask for the cursor's position, whose answer the thread that
                // waits for events takes.
                self.terminal = Terminal::new(CrosstermBackend::new(TerminalWriter::default()))?;
            }
            Some(Effect::Copy(text)) if text.len() > CLIPBOARD => {
                state.show_status("too long for the clipboard: s writes a file")
            }
            Some(Effect::Copy(text)) => {
                let mut out = TerminalWriter::default();
                write!(out, "\x1b]52;c;{}\x07", STANDARD.encode(text))?;
                out.flush()?;
            }
            Some(Effect::Write(name)) => {
                let (saving, wake) = (Saving::of(state), self.wake.clone());
                state.show_status("writing");
                std::thread::spawn(move || wake.send(Input::Finished(saving.write(&name))));
            }
            None => {}
        }
        Ok(false)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn enter() -> io::Result<()> {
    let begin = || {
        terminal::enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, cursor::Hide)
    };
    take(begin, || {
        // A terminal that is gone needs nothing.
        let _ = terminal::disable_raw_mode();
        let _ = execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, cursor::Show);
    })
}
