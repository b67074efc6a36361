//! The colours that a terminal has, and what is drawn in their place where it has fewer.

use ratatui::buffer::Buffer;
use ratatui::crossterm::style::available_color_count;
use ratatui::style::Color;

/// The colours that a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// None, or NO_COLOR is set: letters only.
    None,
    /// Eight.
    Basic,
    /// 256 or more.
    Full,
}

impl Palette {
    pub fn of_terminal() -> Self {
        if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            Self::None
        } else if available_color_count() < 256 {
            Self::Basic
        } else {
            Self::Full
        }
    }

    /// Replaces the colours that the terminal does not have.
    pub fn apply(self, buffer: &mut Buffer) {
        for cell in &mut buffer.content {
            match self {
                Self::Full => {}
                Self::Basic => (cell.fg, cell.bg) = (basic(cell.fg), basic(cell.bg)),
                Self::None => (cell.fg, cell.bg) = (Color::Reset, Color::Reset),
            }
        }
    }
}

/// The nearest of the eight colours.
fn basic(color: Color) -> Color {
    match color {
        Color::Indexed(16) => Color::Black,
        Color::Indexed(160 | 166) => Color::Red,
        Color::Indexed(34 | 36) => Color::Green,
        Color::Indexed(172 | 220 | 227) => Color::Yellow,
        Color::Indexed(25 | 27) => Color::Blue,
        Color::Indexed(91 | 175) => Color::Magenta,
        Color::Indexed(74) => Color::Cyan,
        // Grey is black with white letters.
        Color::Indexed(244) => Color::Black,
        Color::Indexed(_) => Color::Gray,
        other => other,
    }
}
