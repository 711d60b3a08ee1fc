//! The actions of keys and the mouse.

use super::fits::Fits;
use super::layout::Pane;
use super::prompt::{Asked, Prompt};
use super::record::WARNING;
use super::save;
use super::state::{Effect, Sheet, State};
use crate::filter::{Filter, Names};
use crate::render::{Format, TimeForm};
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

/// All keys, as the page of help lists them.
pub const KEYS: [(&str, &str); 20] = [
    ("q", "quit"),
    ("j k, arrows, PgUp PgDn, g G", "move; G stays at the end of live input"),
    ("Tab, Shift-Tab", "next pane, previous pane; z shows it alone"),
    ("Enter", "to the fields; there: fold and unfold"),
    ("/", "find messages: an expression, as in -F"),
    ("n N", "next, previous message that matches"),
    ("F", "show only messages that match; \\ shows all"),
    ("w W", "next, previous warning or fault"),
    (":", "go to a frame (12) or a time (1.5s, a date)"),
    ("[ ]", "to the related message: earlier, later"),
    ("Backspace", "back to where [, ] or Enter was pressed"),
    ("c", "conversations; Enter shows one of them"),
    ("d", "sequence of the conversation, with both sides"),
    ("f", "figures: verdicts, tables; Enter shows a row's messages"),
    ("t", "times: relative, delta, UTC, local, epoch"),
    ("y x e", "copy: JSON, hex, netkit encode command"),
    ("s", "write what is shown: .pcap .html .ndjson .csv .txt"),
    ("p", "pause live input; Ctrl-Z suspends"),
    ("i H", "proxy: hold what matches; next held message"),
    ("E a X A", "held message: edit, pass, drop; pass all"),
];

impl State {
    /// Does what a key asks for.
    pub fn key(&mut self, key: KeyEvent) -> Option<Effect> {
        self.status.clear();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let effect = match key.code {
            KeyCode::Char('z') if control && self.subject.holds.is_some() => {
                self.show_status("not suspended: the relay would stop, too");
                None
            }
            KeyCode::Char('z') if control => Some(Effect::Suspend),
            KeyCode::Char('c') if control && self.prompt.is_none() => Some(Effect::Quit),
            _ if self.prompt.is_some() => self.typed(key),
            KeyCode::Char('q') if self.sheet == Sheet::Panes => Some(Effect::Quit),
            KeyCode::Char('q' | '?') | KeyCode::Esc if self.sheet != Sheet::Panes => {
                self.sheet = Sheet::Panes;
                None
            }
            KeyCode::Char(_) if control => self.moved(key.code, true),
            code => self.command(code),
        };
        self.refresh();
        effect
    }

    fn command(&mut self, code: KeyCode) -> Option<Effect> {
        let ask = |asked, text: &str, state: &State| Some(Prompt::new(asked, text, state.store.options()));
        match code {
            KeyCode::Char('/') => {
                let before = self.fits.as_ref().map(|fits| fits.text.clone()).unwrap_or_default();
                self.prompt = ask(Asked::Search, &before, self);
            }
            KeyCode::Char('F') => {
                let before = self.fits.as_ref().map(|fits| fits.text.clone()).unwrap_or_default();
                self.prompt = ask(Asked::Filter, &before, self);
            }
            KeyCode::Char(':') => self.prompt = ask(Asked::Place, "", self),
            KeyCode::Char('s') => self.prompt = ask(Asked::File, "", self),
            KeyCode::Char('\\') => self.show_all(),
            KeyCode::Char('?') => self.sheet = Sheet::Help,
            KeyCode::Char('c') => self.turn_to(Sheet::Conversations),
            KeyCode::Char('d') => self.turn_to(Sheet::Sequence),
            KeyCode::Char('f') => self.show_figures(),
            KeyCode::Char('n') => self.next_fit(true),
            KeyCode::Char('N') => self.next_fit(false),
            KeyCode::Char('w') => self.next_bad(WARNING, true),
            KeyCode::Char('W') => self.next_bad(WARNING, false),
            KeyCode::Char(']') => self.follow_link(true),
            KeyCode::Char('[') => self.follow_link(false),
            KeyCode::Backspace => self.go_back(),
            KeyCode::Char('t') => self.next_time(),
            KeyCode::Char('p') => self.paused = !self.paused,
            KeyCode::Char('i') => self.ask_hold(),
            KeyCode::Char('H') => self.next_held(),
            KeyCode::Char('E') => self.ask_edit(),
            KeyCode::Char('a') => self.pass(),
            KeyCode::Char('A') => self.pass_all(),
            KeyCode::Char('X') => self.drop_held(),
            KeyCode::Char('z') => self.zoom = !self.zoom,
            KeyCode::Char('y') => return self.copied(|opened, options| save::text(opened, options, Format::NDJSON)),
            KeyCode::Char('x') => return self.copied(|opened, _| hex::encode(opened.source(0))),
            KeyCode::Char('e') => return self.copied(save::command),
            KeyCode::Tab | KeyCode::BackTab if self.sheet == Sheet::Figures => {
                let forward = code == KeyCode::Tab;
                self.figures_shown().into_iter().for_each(|figures| figures.turn(forward));
            }
            KeyCode::Tab => self.focus = self.focus.next(true),
            KeyCode::BackTab => self.focus = self.focus.next(false),
            KeyCode::Enter => self.enter(),
            code => return self.moved(code, false),
        }
        None
    }

    /// Shows a page, or the panes again.
    pub fn turn_to(&mut self, sheet: Sheet) {
        self.sheet = if self.sheet == sheet { Sheet::Panes } else { sheet };
    }

    fn moved(&mut self, code: KeyCode, control: bool) -> Option<Effect> {
        let page = self.page() as isize;
        let by = match code {
            KeyCode::Down | KeyCode::Char('j') => 1,
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::Char('f') if control => page,
            KeyCode::Char('d') if control => page / 2,
            KeyCode::Char('u') if control => -(page / 2),
            KeyCode::PageDown | KeyCode::Char(' ') => page,
            KeyCode::PageUp | KeyCode::Char('b') => -page,
            KeyCode::Home | KeyCode::Char('g') => isize::MIN,
            KeyCode::End | KeyCode::Char('G') => isize::MAX,
            KeyCode::Left | KeyCode::Char('h') if self.moves_along() => -1,
            KeyCode::Right | KeyCode::Char('l') if self.moves_along() => 1,
            _ => return None,
        };
        let along = matches!(code, KeyCode::Left | KeyCode::Right | KeyCode::Char('h' | 'l'));
        self.move_in(self.focus, by, along);
        None
    }

    /// Whether there is something to the left and to the right.
    fn moves_along(&self) -> bool {
        self.focus == Pane::Bytes || self.sheet == Sheet::Figures
    }

    /// Moves in a pane. `along`: by bytes, not by rows.
    fn move_in(&mut self, pane: Pane, by: isize, along: bool) {
        let row = self.areas.bytes.map_or(8, |area| super::detail::per_row(area.width)) as isize;
        match (self.sheet, pane, &mut self.detail) {
            (Sheet::Conversations, ..) => {
                let last = self.store.conversations().len().saturating_sub(1);
                self.conversation.0 = self.conversation.0.saturating_add_signed(by).min(last);
            }
            (Sheet::Sequence, ..) => self.move_along(by),
            (Sheet::Figures, ..) => self.figures_shown().into_iter().for_each(|figures| figures.move_by(by, along)),
            (Sheet::Help, ..) => {}
            (_, Pane::Messages, _) => self.move_by(by),
            (_, Pane::Tree, Some(detail)) => detail.move_by(by),
            (_, Pane::Bytes, Some(detail)) => detail.move_byte(if along { by } else { by.saturating_mul(row) }),
            _ => {}
        }
    }

    fn enter(&mut self) {
        match (self.sheet, self.focus) {
            (Sheet::Conversations, _) => {
                let all = self.store.conversations();
                let Some((one, _)) = all.get(self.conversation.0) else { return };
                let text = format!("flow == {}", one.flow);
                if let Ok(filter) = Filter::parse(&text, &Names::new(self.store.options())) {
                    self.enter_from(Sheet::Conversations, Fits::new(&text, filter, true), false);
                }
            }
            (Sheet::Figures, _) => self.enter_figures(),
            (Sheet::Sequence, _) => (self.sheet, self.focus, self.at_end) = (Sheet::Panes, Pane::Messages, false),
            (Sheet::Panes, Pane::Messages) => self.focus = Pane::Tree,
            (Sheet::Panes, Pane::Tree) => {
                if let Some(mut detail) = self.detail.take() {
                    detail.fold(&self.store, &self.subject);
                    self.detail = Some(detail);
                }
            }
            _ => {}
        }
    }

    fn typed(&mut self, key: KeyEvent) -> Option<Effect> {
        let mut prompt = self.prompt.take()?;
        let cancel = key.code == KeyCode::Esc
            || key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
            || key.code == KeyCode::Backspace && prompt.text.is_empty();
        if cancel {
            return None;
        }
        if key.code != KeyCode::Enter {
            prompt.key(key, self.store.options());
            self.prompt = Some(prompt);
            return None;
        }
        let text = prompt.text.trim().to_owned();
        match prompt.asked {
            Asked::File if !text.is_empty() => return Some(Effect::Write(text)),
            Asked::Place if !text.is_empty() => {
                if let Err(why) = self.go_to_place(&text) {
                    self.show_status(&why);
                    self.prompt = Some(prompt);
                }
            }
            Asked::Search | Asked::Filter => match prompt.filter(self.store.options()) {
                Ok(Some(filter)) => self.apply(Fits::new(&text, filter, prompt.asked == Asked::Filter)),
                Ok(None) => self.show_all(),
                // The error is shown under the text.
                Err(_) => self.prompt = Some(prompt),
            },
            Asked::Hold => match prompt.filter(self.store.options()) {
                Ok(filter) => self.hold(&text, filter),
                Err(_) => self.prompt = Some(prompt),
            },
            Asked::Edit(_) => {
                if self.edit(&text).is_err() {
                    self.prompt = Some(prompt);
                }
            }
            Asked::File | Asked::Place => {}
        }
        None
    }

    fn next_time(&mut self) {
        const FORMS: [TimeForm; 5] =
            [TimeForm::Relative, TimeForm::Delta, TimeForm::Utc, TimeForm::Local, TimeForm::Epoch];
        let at = self.subject.time.and_then(|form| FORMS.iter().position(|own| *own == form));
        self.subject.time = FORMS.get(at.map_or(0, |at| (at + 1) % FORMS.len())).copied();
        if let Some(mut detail) = self.detail.take() {
            detail.draw(&self.store, &self.subject);
            self.detail = Some(detail);
        }
    }

    fn copied(
        &mut self,
        text: impl FnOnce(&super::record::Opened, &crate::dissect::Options) -> String,
    ) -> Option<Effect> {
        let text = text(&self.detail.as_ref()?.opened, self.store.options());
        self.status = format!("{} copied, where the terminal allows it", crate::plural::Plural(text.len(), "byte"));
        Some(Effect::Copy(text))
    }

    /// Does what the mouse asks for: the wheel moves, a click selects.
    pub fn mouse(&mut self, event: MouseEvent) {
        let Some((pane, row)) = self.areas.at(event.column, event.row).filter(|_| self.prompt.is_none()) else {
            return;
        };
        let row = usize::from(row);
        match (event.kind, self.sheet) {
            (MouseEventKind::ScrollDown, _) => self.move_in(pane, 3, false),
            (MouseEventKind::ScrollUp, _) => self.move_in(pane, -3, false),
            (MouseEventKind::Down(MouseButton::Left), Sheet::Panes) => {
                self.focus = pane;
                let to = match (pane, &self.detail) {
                    (Pane::Messages, _) => (self.top + row) as isize - self.selected as isize,
                    (Pane::Tree, Some(detail)) => (detail.top + row) as isize - detail.cursor as isize,
                    _ => 0,
                };
                self.move_in(pane, to, false);
            }
            _ => return,
        }
        self.refresh();
    }
}
