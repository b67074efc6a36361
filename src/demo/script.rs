//! Scripted input: what the first controller does on our own cartridge, pass by pass, pair by pair.

use super::console::Console;
use super::pads::Buttons;
use std::str::FromStr;

/// Passes of the main loop since power on, in our own cartridge (its README, "RAM map").
const PASSES: u32 = 0xFF_1018;
/// Pairs that player 1 has been dealt in this round (reference 1.3).
const DEALT: u32 = 0xFF_85A6;

/// Input for the first controller, read from a text of lines:
///
/// - `12 -`: nothing is held for 12 passes of the cartridge's main loop, one of which is a frame.
/// - `1 L`, `3 D+A`: these buttons, and no others, are held for so many passes. The buttons are U, D, L, R, A, B, C and S (Start).
/// - `pair`: the lines that follow are for the next pair of player 1.
/// - Empty lines, and what follows a `#`, are left out.
///
/// The first line is for the first pass after the one in which player 1's first pair appears, which is the first pass that
/// moves it; the line after a `pair` is for the first pass after the one in which that pair appears. In between nothing is held.
/// A pair that appears before the lines of the one before it are over ends them: `99 D` holds Down until the pair is down.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Script {
    /// For each pair: passes, and what is held in them.
    pairs: Vec<Vec<(u32, Buttons)>>,
}

impl Script {
    /// A script of so many passes with so many buttons, for each pair.
    #[must_use]
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

/// A line with passes and buttons.
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
    let held = buttons.split('+').try_fold(Buttons::NONE, |held, letter| {
        let button = match letter {
            "U" => Buttons::UP,
            "D" => Buttons::DOWN,
            "L" => Buttons::LEFT,
            "R" => Buttons::RIGHT,
            "A" => Buttons::A,
            "B" => Buttons::B,
            "C" => Buttons::C,
            "S" => Buttons::START,
            _ => return Err(format!("`{letter}` is no button; there are U D L R A B C S")),
        };
        Ok(held | button)
    })?;
    Ok((passes, held))
}

/// A script that is being played.
#[derive(Debug)]
pub struct Playback<'a> {
    script: &'a Script,
    /// Pairs of player 1 that have appeared since it began.
    appeared: usize,
    /// The line at hand of this pair's, and the passes of it that are over.
    line: usize,
    over: u32,
    dealt: u16,
    passes: u32,
}

impl<'a> Playback<'a> {
    /// A script that waits for the first pair.
    #[must_use]
    pub fn new(script: &'a Script) -> Self {
        Self { script, appeared: 0, line: 0, over: 0, dealt: 0, passes: 0 }
    }

    /// Before each frame: presses what the next pass is to see.
    pub fn frame(&mut self, console: &mut Console) {
        let (dealt, passes) = (console.word(DEALT), console.long(PASSES));
        if dealt != self.dealt && dealt != 0 {
            (self.appeared, self.line, self.over) = (self.appeared + 1, 0, 0);
        } else if passes != self.passes && self.now().is_some() {
            self.over += 1;
            if self.now().is_some_and(|(passes, _)| self.over >= passes) {
                (self.line, self.over) = (self.line + 1, 0);
            }
        }
        (self.dealt, self.passes) = (dealt, passes);
        console.press(self.now().map_or(Buttons::NONE, |(_, held)| held));
    }

    /// Whether the last line of the last pair is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.appeared >= self.script.pairs.len() && self.now().is_none()
    }

    /// Pairs of player 1 that have appeared since it began.
    #[must_use]
    pub fn appeared(&self) -> usize {
        self.appeared
    }

    fn now(&self) -> Option<(u32, Buttons)> {
        self.script.pairs.get(self.appeared.checked_sub(1)?)?.get(self.line).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_line_by_line() {
        let text = "12 -  # waits\n\n1 L\n3 D+A\r\npair\npair # the second is left alone\n99 S+U+R+B+C\n";
        let third = Buttons::START | Buttons::UP | Buttons::RIGHT | Buttons::B | Buttons::C;
        let first = vec![(12, Buttons::NONE), (1, Buttons::LEFT), (3, Buttons::DOWN | Buttons::A)];
        assert_eq!(text.parse(), Ok(Script::new(vec![first, vec![], vec![(99, third)]])));
        assert_eq!("".parse(), Ok(Script::new(vec![vec![]])));
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (text, says) in [
            ("1 L\n\n0 L", "line 3: `0 L` does not begin with passes"),
            ("-1 L", "passes, 1 or more"),
            ("L", "neither `pair` nor passes and buttons"),
            ("1 L R", "neither"),
            ("1 L+X", "`X` is no button"),
            ("1 l", "`l` is no button"),
            ("pairs", "neither"),
        ] {
            let error = text.parse::<Script>().expect_err(text);
            assert!(error.contains(says), "{error}");
        }
    }
}
