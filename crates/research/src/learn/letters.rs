//! Deals as a user writes them: letters of pieces and colours.

use super::notes::{Noted, Notes};
use crate::source::Address;
use nextscope_games::games::declared::{Deals, Symbol};

/// Deals in order, each with its letters and the frame or the sample in which it was in play, if that is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WrittenDeals(Vec<(Vec<Symbol>, Option<u64>)>);

/// What else a user knows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hints {
    /// The kinds that the game has; else all pieces, or the colours that were written.
    pub kinds: Option<Vec<Symbol>>,
    /// A cell that has the codes of the deals, and the code of each kind.
    pub cell: Option<(Address, Vec<u8>)>,
    /// Whether the first deal is the first of a game.
    pub from_start: bool,
}

/// Why deals cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LettersError {
    #[error("{0:?} is no piece: expected I J L O S T Z for pieces, or R G B Y P for colours")]
    Letter(char),
    #[error("a pair has two colours, and their number is odd")]
    OddColors,
    #[error("letters of pieces and of colours do not go together")]
    Mixed,
    #[error("{0:?} is no frame")]
    Frame(String),
    #[error("expected one piece or one pair")]
    NotOne,
    #[error("line {line}: {error}")]
    Line { line: usize, error: Box<Self> },
    #[error("the kinds and the deals do not go together: pieces and colours")]
    OtherKinds,
    #[error("{codes} codes for {kinds} kinds")]
    Codes { codes: usize, kinds: usize },
    #[error("{0} was dealt, and is not one of the kinds")]
    NoSuchKind(char),
}

/// Letters as symbols; spaces and commas between them say nothing.
///
/// # Errors
/// [`LettersError::Letter`].
pub fn symbols(text: &str) -> Result<Vec<Symbol>, LettersError> {
    let letters = text.chars().filter(|c| !c.is_whitespace() && *c != ',');
    letters.map(|letter| Symbol::from_letter(letter).ok_or(LettersError::Letter(letter))).collect()
}

/// Whether it is the colour of half a pair.
fn is_color(symbol: Symbol) -> bool {
    Symbol::ALL.iter().position(|known| *known == symbol) >= Some(Symbol::PIECES)
}

/// Letters in deals: one for a piece, two for a pair of colours.
fn grouped(symbols: &[Symbol]) -> Result<Vec<Vec<Symbol>>, LettersError> {
    let colors = symbols.iter().filter(|symbol| is_color(**symbol)).count();
    match colors {
        0 => Ok(symbols.iter().map(|symbol| vec![*symbol]).collect()),
        all if all == symbols.len() && all.is_multiple_of(2) => {
            Ok(symbols.chunks(2).map(<[Symbol]>::to_vec).collect())
        }
        all if all == symbols.len() => Err(LettersError::OddColors),
        _ => Err(LettersError::Mixed),
    }
}

impl WrittenDeals {
    /// Letters without times.
    ///
    /// # Errors
    /// [`LettersError`].
    pub fn from_letters(text: &str) -> Result<Self, LettersError> {
        Ok(Self(grouped(&symbols(text)?)?.into_iter().map(|deal| (deal, None)).collect()))
    }

    /// Lines of a frame and letters; empty lines and those that start with # say nothing, nor does a first line without a number.
    ///
    /// # Errors
    /// [`LettersError::Line`].
    pub fn from_lines(text: &str) -> Result<Self, LettersError> {
        let mut all = Vec::new();
        for (nth, line) in text.lines().enumerate() {
            let line = line.trim();
            let mut parts =
                line.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty());
            let Some(frame) = parts.next().filter(|_| !line.starts_with('#')) else { continue };
            let in_line = |error| LettersError::Line { line: nth + 1, error: Box::new(error) };
            let Ok(frame) = frame.parse::<u64>() else {
                if nth == 0 {
                    continue;
                }
                return Err(in_line(LettersError::Frame(frame.to_owned())));
            };
            let letters: String = parts.collect();
            let mut deals = grouped(&symbols(&letters).map_err(in_line)?).map_err(in_line)?;
            match (deals.pop(), deals.is_empty()) {
                (Some(deal), true) => all.push((deal, Some(frame))),
                _ => return Err(in_line(LettersError::NotOne)),
            }
        }
        Ok(Self(all))
    }

    /// Adds what a player wrote while a sample was the newest one. Several deals on one line, or at one sample, were in play at different
    /// times: they have none.
    ///
    /// # Errors
    /// [`LettersError`]; nothing is added.
    pub fn write(&mut self, text: &str, sample: usize) -> Result<(), LettersError> {
        let deals = grouped(&symbols(text)?)?;
        let sample = sample as u64;
        let is_later = self.0.iter().all(|(_, before)| before.is_none_or(|before| before < sample));
        let sample = (deals.len() == 1 && is_later).then_some(sample);
        self.0.extend(deals.into_iter().map(|deal| (deal, sample)));
        Ok(())
    }

    /// Takes the last deal back.
    pub fn undo(&mut self) {
        self.0.pop();
    }

    /// The letters of each deal.
    pub fn letters(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(deal, _)| deal.iter().map(|symbol| symbol.letter()).collect())
    }

    /// How many they are.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same with other numbers; a deal whose number becomes none has no time.
    #[must_use]
    pub fn in_samples(self, sample: impl Fn(u64) -> Option<usize>) -> Self {
        let other = |number: u64| sample(number).map(|sample| sample as u64);
        Self(self.0.into_iter().map(|(deal, number)| (deal, number.and_then(other))).collect())
    }

    /// What the search needs. The numbers are samples.
    pub(super) fn notes(&self, hints: &Hints) -> Result<Notes, LettersError> {
        let written: Vec<Symbol> = self.0.iter().flat_map(|(deal, _)| deal.clone()).collect();
        let is_pairs = hints.kinds.as_ref().unwrap_or(&written).iter().copied().any(is_color);
        if self.0.iter().any(|(deal, _)| (deal.len() == 2) != is_pairs) {
            return Err(LettersError::OtherKinds);
        }
        let kinds: Vec<Symbol> = match &hints.kinds {
            Some(kinds) => kinds.clone(),
            None if is_pairs => Symbol::ALL.into_iter().filter(|symbol| written.contains(symbol)).collect(),
            None => Symbol::ALL[..Symbol::PIECES].to_vec(),
        };
        if let Some((_, codes)) = &hints.cell
            && codes.len() != kinds.len()
        {
            return Err(LettersError::Codes { codes: codes.len(), kinds: kinds.len() });
        }
        let number = |symbol: Symbol| {
            let at = (0..).zip(&kinds).find(|(_, kind)| **kind == symbol).map(|(at, _)| at);
            at.ok_or(LettersError::NoSuchKind(symbol.letter()))
        };
        let mut all = Vec::new();
        for (deal, sample) in &self.0 {
            let child = deal.get(1).map_or(Ok(0), |child| number(*child))?;
            let sample = sample.and_then(|sample| usize::try_from(sample).ok());
            all.push(Noted { kind: number(deal[0])?, child, sample });
        }
        let deals = if is_pairs { Deals::Pairs } else { Deals::Pieces };
        Ok(Notes { deals, kinds, noted: all, cell: hints.cell.clone(), from_start: hints.from_start })
    }
}
