//! Scripted input for the first controller on our own cartridge, by passes and pairs.

use super::console::Console;
use super::pads::Buttons;
use std::str::FromStr;

/// The number of passes of the main loop since power-on, in our own cartridge (its README, "RAM map").
const PASSES: u32 = 0xFF_1018;
/// The number of pairs dealt to player 1 in this round (reference 1.3).
const DEALT: u32 = 0xFF_85A6;

/// Input for the first controller, parsed from lines of text:
///
/// - `12 -`: no button for 12 passes of the cartridge's main loop, one pass per frame.
/// - `1 L`, `3 D+A`: only these buttons for this many passes. The buttons are U, D, L, R, A, B, C and S (Start).
/// - `pair`: the following lines are for the next pair of player 1.
/// - Empty lines and comments from `#` on are ignored.
///
/// The first line applies to the first pass after player 1's first pair appears, which is the first pass that moves it; the line after
/// `pair` applies to the first pass after that pair appears. No button is pressed in between. When a pair appears, the remaining lines of
/// the previous pair are skipped: `99 D` presses Down until the pair lands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Script {
    /// For each pair: passes and buttons.
    pairs: Vec<Vec<(u32, Buttons)>>,
}

impl Script {
    /// A script of passes and buttons for each pair.
    pub fn new(pairs: Vec<Vec<(u32, Buttons)>>) -> Self {
        Self { pairs }
    }
}

impl FromStr for Script {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut pairs, mut lines) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line == "pair" {
                pairs.push(std::mem::take(&mut lines));
            } else if !line.is_empty() {
                lines.push(step(line).map_err(|what| format!("line {number}: {what}"))?);
            }
        }
        pairs.push(lines);
        Ok(Self { pairs })
    }
}

fn step(line: &str) -> Result<(u32, Buttons), String> {
    let mut words = line.split_whitespace();
    let (Some(passes), Some(buttons), None) = (words.next(), words.next(), words.next()) else {
        return Err(format!("`{line}` is neither `pair` nor passes and buttons, as in `3 D+A` or `12 -`"));
    };
    let passes = passes.parse().ok().filter(|passes| *passes > 0);
    let passes = passes.ok_or_else(|| format!("`{line}` does not begin with passes, 1 or more"))?;
    if buttons == "-" {
        return Ok((passes, Buttons::NONE));
    }
    let pressed = buttons.split('+').try_fold(Buttons::NONE, |pressed, letter| {
        let button = match letter {
            "U" => Buttons::UP,
            "D" => Buttons::DOWN,
            "L" => Buttons::LEFT,
            "R" => Buttons::RIGHT,
            "A" => Buttons::A,
            "B" => Buttons::B,
            "C" => Buttons::C,
            "S" => Buttons::START,
            _ => return Err(format!("`{letter}` is not a button; use U D L R A B C S")),
        };
        Ok(pressed | button)
    })?;
    Ok((passes, pressed))
}

/// A script in progress.
#[derive(Debug)]
pub struct Playback<'a> {
    script: &'a Script,
    /// The number of player 1's pairs that appeared since the start.
    appeared: usize,
    /// The current line of this pair, and the passes of it that are done.
    line: usize,
    done: u32,
    dealt: u16,
    passes: u32,
}

impl<'a> Playback<'a> {
    /// A script that waits for the first pair.
    pub fn new(script: &'a Script) -> Self {
        Self { script, appeared: 0, line: 0, done: 0, dealt: 0, passes: 0 }
    }

    /// Sets the buttons for the next pass; call this before each frame.
    pub fn frame(&mut self, console: &mut Console) {
        let (dealt, passes) = (console.word(DEALT), console.long(PASSES));
        if dealt != self.dealt && dealt != 0 {
            (self.appeared, self.line, self.done) = (self.appeared + 1, 0, 0);
        } else if passes != self.passes && self.current().is_some() {
            self.done += 1;
            if self.current().is_some_and(|(passes, _)| self.done >= passes) {
                (self.line, self.done) = (self.line + 1, 0);
            }
        }
        (self.dealt, self.passes) = (dealt, passes);
        console.press(self.current().map_or(Buttons::NONE, |(_, pressed)| pressed));
    }

    /// Whether the last line of the last pair is done.
    pub fn is_done(&self) -> bool {
        self.appeared >= self.script.pairs.len() && self.current().is_none()
    }

    /// The number of player 1's pairs that appeared since the start.
    pub fn appeared(&self) -> usize {
        self.appeared
    }

    fn current(&self) -> Option<(u32, Buttons)> {
        self.script.pairs.get(self.appeared.checked_sub(1)?)?.get(self.line).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_parsed_line_by_line() {
        let text = "12 -  # waits\n\n1 L\n3 D+A\r\npair\npair # nothing for the second\n99 S+U+R+B+C\n";
        let third = Buttons::START | Buttons::UP | Buttons::RIGHT | Buttons::B | Buttons::C;
        let first = vec![(12, Buttons::NONE), (1, Buttons::LEFT), (3, Buttons::DOWN | Buttons::A)];
        assert_eq!(text.parse(), Ok(Script::new(vec![first, vec![], vec![(99, third)]])));
        assert_eq!("".parse(), Ok(Script::new(vec![vec![]])));
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (text, message) in [
            ("1 L\n\n0 L", "line 3: `0 L` does not begin with passes"),
            ("-1 L", "passes, 1 or more"),
            ("L", "neither `pair` nor passes and buttons"),
            ("1 L R", "neither"),
            ("1 L+X", "`X` is not a button"),
            ("1 l", "`l` is not a button"),
            ("pairs", "neither"),
        ] {
            let error = text.parse::<Script>().expect_err(text);
            assert!(error.contains(message), "{error}");
        }
    }
}
