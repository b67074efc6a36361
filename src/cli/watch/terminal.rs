//! The terminal that the live view is drawn on: its alternate screen, size, colours and keys. It is restored however the
//! program ends, but for a kill.

use super::palette::Palette;
use super::screen::{Choices, Pressed, Surroundings, draw, players};
use crate::cli::{interrupt, output};
use crate::live::View;
use crate::log::HeldErrors;
use ratatui::backend::{Backend, ClearType, CrosstermBackend};
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::io::{BufWriter, ErrorKind, IsTerminal};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// For terminals of unknown size.
const DEFAULT_SIZE: Size = Size::new(80, 24);
/// The shortest time between two views; keys and a new size are shown at once.
const DRAW_INTERVAL: Duration = Duration::from_millis(100);

/// Whether the alternate screen is in use.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Whether the view can be drawn: standard output is a terminal that knows escape sequences.
pub fn is_usable() -> bool {
    output::on_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// The view on the alternate screen of the terminal; dropping this leaves it.
pub struct TerminalView {
    /// Never dropped: it would print an error about a closed terminal to that terminal, which panics.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<output::TerminalOutput>>>>,
    size: Size,
    palette: Palette,
    choices: Choices,
    events: Option<Receiver<Event>>,
    /// What was drawn last, for keys and a new size.
    shown: Option<(View, String)>,
    drawn: Option<Instant>,
    pairs: usize,
    ended: bool,
    errors: HeldErrors,
}

impl TerminalView {
    /// Enters the alternate screen.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn enter(pairs: usize) -> anyhow::Result<Self> {
        let size = size().unwrap_or(DEFAULT_SIZE);
        let backend = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, output::TerminalOutput));
        let viewport = Viewport::Fixed(Rect::from(size));
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport })?;
        restore_on_panic();
        let errors = HeldErrors::start();
        ENTERED.store(true, Ordering::Relaxed);
        let events = std::io::stdin().is_terminal().then(read_keys).flatten();
        execute!(output::TerminalOutput, EnterAlternateScreen, DisableLineWrap, Hide)
            .inspect_err(|_| leave())?;
        Ok(Self {
            terminal: ManuallyDrop::new(terminal),
            size,
            palette: Palette::of_terminal(),
            choices: Choices::default(),
            events,
            shown: None,
            drawn: None,
            pairs,
            ended: false,
            errors,
        })
    }

    /// Draws a view, if enough time passed since the last one.
    pub fn show(&mut self, view: &View, waiting: &str) -> anyhow::Result<()> {
        if self.drawn.is_none_or(|drawn| drawn.elapsed() >= DRAW_INTERVAL) {
            self.shown = Some((view.clone(), waiting.to_owned()));
            self.draw()?;
        }
        Ok(())
    }

    /// Carries out keys, and fits a new size; whether the user ended the view.
    pub fn poll(&mut self) -> anyhow::Result<bool> {
        let mut redraw = false;
        let players = self.shown.as_ref().map_or(0, |(view, _)| players(view));
        for event in self.events.iter().flat_map(Receiver::try_iter) {
            // Only Windows reports releases.
            let Event::Key(key) = event else { continue };
            if key.kind == KeyEventKind::Release {
                continue;
            }
            match self.choices.press(key, players, self.size.height) {
                Pressed::End => self.ended = true,
                Pressed::Redraw => redraw = true,
                Pressed::Nothing => {}
            }
        }
        match size() {
            Some(size) if size != self.size => {
                self.size = size;
                // Not `Terminal::clear`, which asks the terminal for the place of the cursor.
                self.terminal.backend_mut().clear_region(ClearType::All)?;
                self.terminal.resize(Rect::from(size))?;
                redraw = true;
            }
            Some(_) => {}
            // It had a size before.
            None if self.size != DEFAULT_SIZE => self.ended = true,
            None => {}
        }
        if !ENTERED.load(Ordering::Relaxed) {
            self.ended = true; // another thread panicked
        }
        if redraw && !self.ended {
            self.draw()?;
        }
        Ok(self.ended)
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        self.drawn = Some(Instant::now());
        let Some((view, waiting)) = &self.shown else { return Ok(()) };
        let warning = self.errors.newest();
        let around = Surroundings {
            waiting,
            pairs: self.pairs,
            keys: self.events.is_some(),
            warning: warning.as_deref(),
        };
        let (choices, palette) = (&mut self.choices, self.palette);
        self.terminal.draw(|frame| {
            let area = frame.area();
            draw(view, &around, choices, palette, area, frame.buffer_mut());
        })?;
        Ok(())
    }
}

impl Drop for TerminalView {
    fn drop(&mut self) {
        leave();
    }
}

/// The size of the terminal. None for a closed one, and for one that does not know its size.
fn size() -> Option<Size> {
    let (columns, rows) = terminal_size::terminal_size_of(std::io::stdout())?;
    (columns.0 > 0 && rows.0 > 0).then(|| Size::new(columns.0, rows.0))
}

/// Leaves the alternate screen, once. A closed terminal needs no cleanup.
fn leave() {
    if ENTERED.swap(false, Ordering::Relaxed) {
        let _ = execute!(output::TerminalOutput, EnableLineWrap, Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

/// Keys are read on a thread of their own: reading from a closed terminal may not end.
fn read_keys() -> Option<Receiver<Event>> {
    enable_raw_mode().inspect_err(|error| tracing::debug!("no keys: {error}")).ok()?;
    let (send, events) = channel();
    let read = move || {
        loop {
            match event::read() {
                Ok(event) => {
                    if send.send(event).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    };
    std::thread::Builder::new().name("keys".into()).spawn(read).ok()?;
    Some(events)
}

/// The message of a panic would vanish with the alternate screen, and leave the terminal without line ends.
fn restore_on_panic() {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::Relaxed) {
        return;
    }
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        leave();
        interrupt::request();
        before(info);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_leaves_the_alternate_screen() {
        restore_on_panic();
        ENTERED.store(true, Ordering::Relaxed);
        let panicked = std::thread::spawn(|| panic!("expected by this test")).join();
        assert!(panicked.is_err() && !ENTERED.load(Ordering::Relaxed));
    }
}
