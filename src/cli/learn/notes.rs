//! The deals as a user writes them.

use crate::cli::exit::{Failure, bail_input};
use crate::games::declared::{Deals, Symbol};
use crate::research::Address;
use crate::research::learn::{Noted, Notes};
use std::io::BufRead;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// A deal: its letters, and the frame or sample in which it was in play.
type Line = (Vec<Symbol>, Option<u64>);

/// Deals in order.
#[derive(Debug, Clone, Default)]
pub struct TypedDeals(Vec<Line>);

/// Standard input, a line at a time.
pub struct Typed(Receiver<String>);

fn symbols(text: &str) -> Result<Vec<Symbol>, Failure> {
    let letters = text.chars().filter(|c| !c.is_whitespace() && *c != ',');
    letters
        .map(|letter| {
            Symbol::from_letter(letter).ok_or_else(|| {
                let what = "expected I J L O S T Z for pieces, or R G B Y P for colours";
                Failure::BadInput(format!("{letter:?} is no piece: {what}"))
            })
        })
        .collect()
}

fn is_color(symbol: Symbol) -> bool {
    Symbol::ALL.iter().position(|known| *known == symbol) >= Some(Symbol::PIECES)
}

/// Letters in deals: one for a piece, two for a pair of colours.
fn deals(symbols: &[Symbol]) -> Result<Vec<Vec<Symbol>>, Failure> {
    let colors = symbols.iter().filter(|symbol| is_color(**symbol)).count();
    match colors {
        0 => Ok(symbols.iter().map(|symbol| vec![*symbol]).collect()),
        all if all == symbols.len() && all.is_multiple_of(2) => {
            Ok(symbols.chunks(2).map(<[Symbol]>::to_vec).collect())
        }
        all if all == symbols.len() => {
            Err(Failure::BadInput("a pair has two colours, and their number is odd".into()))
        }
        _ => Err(Failure::BadInput("letters of pieces and of colours do not go together".into())),
    }
}

impl TypedDeals {
    pub fn from_letters(text: &str) -> Result<Self, Failure> {
        Ok(Self(deals(&symbols(text)?)?.into_iter().map(|deal| (deal, None)).collect()))
    }

    /// Lines of a frame and letters; empty lines and those that start with # say nothing, nor does a first line without a number.
    pub fn from_lines(text: &str) -> Result<Self, Failure> {
        let mut all = Vec::new();
        for (nth, line) in text.lines().enumerate() {
            let line = line.trim();
            let mut parts =
                line.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty());
            let Some(frame) = parts.next().filter(|_| !line.starts_with('#')) else { continue };
            let Ok(frame) = frame.parse::<u64>() else {
                if nth == 0 {
                    continue;
                }
                return Err(Failure::BadInput(format!("line {}: {frame:?} is no frame", nth + 1)));
            };
            let letters: String = parts.collect();
            let wrong = |failure: Failure| Failure::BadInput(format!("line {}: {failure}", nth + 1));
            let deal = deals(&symbols(&letters).map_err(wrong)?).map_err(wrong)?;
            let [deal] = &deal[..] else {
                return Err(Failure::BadInput(format!("line {}: expected one piece or one pair", nth + 1)));
            };
            all.push((deal.clone(), Some(frame)));
        }
        Ok(Self(all))
    }

    pub const fn len(&self) -> usize {
        self.0.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same with other numbers; a deal whose number becomes none has no time.
    pub fn in_samples(self, sample: impl Fn(u64) -> Option<usize>) -> Self {
        let other = |number: u64| sample(number).map(|sample| sample as u64);
        Self(self.0.into_iter().map(|(deal, number)| (deal, number.and_then(other))).collect())
    }

    /// What the search needs. The numbers are samples.
    pub fn notes(
        &self,
        kinds: Option<&str>,
        cell: Option<(Address, Vec<u8>)>,
        from_start: bool,
    ) -> Result<Notes, Failure> {
        let given = kinds.map(symbols).transpose()?;
        let noted: Vec<Symbol> = self.0.iter().flat_map(|(deal, _)| deal.clone()).collect();
        let is_pairs = given.as_ref().unwrap_or(&noted).iter().copied().any(is_color);
        if self.0.iter().any(|(deal, _)| (deal.len() == 2) != is_pairs) {
            bail_input!("--kinds and the deals do not go together: pieces and colours");
        }
        let kinds: Vec<Symbol> = match given {
            Some(kinds) => kinds,
            None if is_pairs => Symbol::ALL.into_iter().filter(|symbol| noted.contains(symbol)).collect(),
            None => Symbol::ALL[..Symbol::PIECES].to_vec(),
        };
        if let Some((_, codes)) = &cell
            && codes.len() != kinds.len()
        {
            bail_input!("--codes: {} codes for {} kinds", codes.len(), kinds.len());
        }
        let number = |symbol: Symbol| {
            let at = (0..).zip(&kinds).find(|(_, kind)| **kind == symbol).map(|(at, _)| at);
            at.ok_or_else(|| Failure::BadInput(format!("{} is not in --kinds", symbol.letter())))
        };
        let mut all = Vec::new();
        for (deal, sample) in &self.0 {
            let child = deal.get(1).map_or(Ok(0), |child| number(*child))?;
            let sample = sample.and_then(|sample| usize::try_from(sample).ok());
            all.push(Noted { kind: number(deal[0])?, child, sample });
        }
        let deals = if is_pairs { Deals::Pairs } else { Deals::Pieces };
        Ok(Notes { deals, kinds, noted: all, cell, from_start })
    }
}

impl Typed {
    /// Begins to read standard input.
    pub fn read() -> Self {
        let (send, receive) = channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self(receive)
    }

    /// Takes what was typed until now; false at the end.
    pub fn next(&self, newest: usize, noted: &mut TypedDeals) -> Result<bool, Failure> {
        loop {
            match self.0.try_recv() {
                Ok(line) if line.trim().is_empty() => return Ok(false),
                Ok(line) => {
                    let deals = deals(&symbols(&line)?)?;
                    // Several on one line were in play at different times.
                    let sample = (deals.len() == 1).then_some(newest as u64);
                    noted.0.extend(deals.into_iter().map(|deal| (deal, sample)));
                }
                Err(TryRecvError::Empty) => return Ok(true),
                Err(TryRecvError::Disconnected) => return Ok(false),
            }
        }
    }
}

/// A console address in hexadecimal digits.
pub fn address(text: &str) -> Result<Address, Failure> {
    Address::from_hex(text).ok_or_else(|| {
        Failure::BadInput(format!("invalid address {text:?}: expected hexadecimal digits, such as 0xFF1000"))
    })
}
