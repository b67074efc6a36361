//! Reads the numbers that deals drew, one after the other, and notices when there are more or fewer than a rule draws.

use super::super::windows::Group;
use super::draws::below;
use nextscope_games::games::declared::{Draw, Method};

/// A reader of draws.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    numbers: &'a [u64],
    groups: &'a [Group],
    group: usize,
    at: usize,
}

/// The deals have more or fewer draws than a rule makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mismatch;

impl<'a> Reader<'a> {
    pub fn new(numbers: &'a [u64], groups: &'a [Group]) -> Self {
        Self { numbers, groups, group: 0, at: groups.first().map_or(0, |group| group.drawn.start) }
    }

    /// Goes to the draws of a deal; false if they are not known.
    pub fn begin(&mut self, deal: usize) -> bool {
        while let Some(group) = self.groups.get(self.group) {
            if group.deals.contains(&deal) {
                if group.deals.start == deal {
                    self.at = group.drawn.start;
                }
                return true;
            }
            if group.deals.start > deal {
                return false;
            }
            self.group += 1;
        }
        false
    }

    /// The draws that are left for this deal and those of its group.
    pub fn left(&self) -> usize {
        self.groups.get(self.group).map_or(0, |group| group.drawn.end.saturating_sub(self.at))
    }

    /// Ends a deal: the last one of a group has no draws left.
    pub fn end(&self, deal: usize) -> Result<(), Mismatch> {
        match self.groups.get(self.group) {
            Some(group) if group.deals.end == deal + 1 && self.at != group.drawn.end => Err(Mismatch),
            _ => Ok(()),
        }
    }

    /// Skips numbers.
    pub const fn skip(&mut self, numbers: usize) {
        self.at += numbers;
    }

    /// The next number.
    pub fn number(&mut self) -> Result<u64, Mismatch> {
        if self.left() == 0 {
            return Err(Mismatch);
        }
        let number = self.numbers.get(self.at).copied().ok_or(Mismatch)?;
        self.at += 1;
        Ok(number)
    }

    /// A draw below a limit; None if the number counts as rejected.
    pub fn draw(&mut self, draw: &Draw, added: u64, limit: usize) -> Result<Option<usize>, Mismatch> {
        loop {
            let drawn = below(draw, self.number()?, added, limit);
            if drawn.is_some() || draw.method != Method::Rejection {
                return Ok(drawn);
            }
        }
    }

    /// A place below a limit.
    pub fn place(&mut self, draw: &Draw, limit: usize) -> Result<usize, Mismatch> {
        self.draw(draw, 0, limit)?.ok_or(Mismatch)
    }
}
