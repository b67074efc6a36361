//! What each randomizer itself says of its next piece, were the bits of its generator ideal: the chances of a player who knows
//! the rule and the pieces dealt so far, but not the state.

use super::tally::Chances;
use crate::game::arika::History;
use crate::game::piece::Piece;
use crate::game::pieces::AnyDealer;
use crate::game::sega_tetris;
use crate::game::tetris_nes::{Pick, Randomizer, TABLE};
use crate::game::tgm1::Reading;
use crate::game::tgm3::Tgm3;

/// What the chances are given by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// The pieces dealt so far: the figure is exact.
    Pieces,
    /// The pool as well, which a player can see only in part: the true figure is this or more.
    Pool,
}

/// Whether the chances of a dealer are known, and from what.
#[must_use]
pub fn known(dealer: &AnyDealer) -> Option<Known> {
    match dealer {
        AnyDealer::Tgm3(_) => Some(Known::Pool),
        _ => chances(dealer).map(|_| Known::Pieces),
    }
}

/// The chances of the next piece; None where they are not modelled.
#[must_use]
pub fn chances(dealer: &AnyDealer) -> Option<Chances> {
    Some(match dealer {
        AnyDealer::Tetris1985(_) => [1.0 / 7.0; 7],
        AnyDealer::Tgm1(dealer) => by_history(
            dealer.history,
            match dealer.reading {
                Reading::FourPasses => 4,
                // Four single draws, of which the last counts whatever it is: three that are looked at and one more.
                Reading::ThreePasses | Reading::Document => 3,
            },
        ),
        AnyDealer::Tgm2(dealer) => by_history(dealer.history, 6),
        AnyDealer::Tgm3(dealer) => by_pool(dealer),
        AnyDealer::TetrisWorlds(dealer) => match dealer.bag() {
            [] => [1.0 / 7.0; 7],
            left => shares(left),
        },
        AnyDealer::Bag(dealer) => {
            let left = dealer.left().map(f64::from);
            let all: f64 = left.iter().sum();
            left.map(|left| left / all)
        }
        AnyDealer::Bounded(dealer) => dealer.standing.chances(),
        AnyDealer::TetrisNes(dealer) => nes(dealer),
        // Six bits of a result, and seven, by their remainder of 7. (That the 1000 pieces of Sega Tetris come round again is left
        // out: nobody remembers them.)
        AnyDealer::Sega(_) => {
            of_results(64, |result| sega_tetris::piece(sega_tetris::code_of_result(result)))
        }
        AnyDealer::Bloxeed(dealer) => of_results(128, |result| Some(dealer.table().piece(result))),
        AnyDealer::Tgm3Document(_) => return None,
    })
}

fn of_results(count: u32, piece: impl Fn(u32) -> Option<Piece>) -> Chances {
    let mut chances = [0.0; 7];
    for piece in (0..count).filter_map(piece) {
        chances[piece.index()] += 1.0 / f64::from(count);
    }
    chances
}

/// The NES game, whose spawn count a player can know. The first roll shows three bits of the state, of which two are in the
/// second roll again (reference 3.2): four bits make both. Of the document's way the dice count as ideal.
pub(super) fn nes(dealer: &Randomizer) -> Chances {
    let mut chances = [0.0; 7];
    let last = dealer.spawner.last;
    if dealer.how == Pick::Document {
        for (piece, orientation) in TABLE {
            chances[piece.index()] = if last == 0 {
                1.0 / 7.0
            } else if orientation == last {
                1.0 / 49.0
            } else {
                8.0 / 49.0
            };
        }
        return chances;
    }
    let count = dealer.spawner.count.wrapping_add(1);
    for bits in 0..16u8 {
        let first = TABLE.get(usize::from(bits.wrapping_add(count) & 7)).filter(|(_, other)| *other != last);
        let second = || &TABLE[usize::from(((bits >> 1) + last) % 7)];
        chances[first.unwrap_or_else(second).0.index()] += 1.0 / 16.0;
    }
    chances
}

#[expect(clippy::cast_precision_loss, reason = "a few pieces")]
fn shares(pieces: &[Piece]) -> Chances {
    let mut chances = [0.0; 7];
    for piece in pieces {
        chances[piece.index()] += 1.0 / pieces.len() as f64;
    }
    chances
}

/// Up to `passes` draws of seven that are looked at, then one that counts whatever it is (reference 3.4).
fn by_history(history: History, passes: i32) -> Chances {
    let held = Piece::ALL.map(|piece| history.holds(piece));
    let fails = held.iter().filter(|&&held| held).count() as f64 / 7.0;
    let forced = fails.powi(passes) / 7.0;
    // 1/7 in the first pass, and in each later one that is reached.
    let chosen = (0..passes).map(|pass| fails.powi(pass)).sum::<f64>() / 7.0;
    held.map(|held| if held { forced } else { chosen + forced })
}

/// Six passes over the pool; a slot whose piece is in the history is refilled with the longest absent piece before the next
/// (reference 3.6). Which of the slots fails does not matter: each is as likely, so those of each piece lose their share.
fn by_pool(dealer: &Tgm3) -> Chances {
    let mut slots = shares(&dealer.pool()).map(|share| share * 35.0);
    let held = Piece::ALL.map(|piece| dealer.history.holds(piece));
    let longest = dealer.longest().index();
    let (mut chances, mut reached) = ([0.0; 7], 1.0);
    let add = |chances: &mut Chances, slots: &Chances, reached: f64, all: bool| {
        for ((chance, slots), held) in chances.iter_mut().zip(slots).zip(held) {
            *chance += if all || !held { reached * slots / 35.0 } else { 0.0 };
        }
    };
    for _ in 0..6 {
        add(&mut chances, &slots, reached, false);
        let failing: f64 = slots.iter().zip(held).filter(|(_, held)| *held).map(|(slots, _)| slots).sum();
        reached *= failing / 35.0;
        if failing < 1.0 {
            return chances; // no slot fails
        }
        for (slots, held) in slots.iter_mut().zip(held) {
            if held {
                *slots *= (failing - 1.0) / failing; // each of them alike
            }
        }
        slots[longest] += 1.0;
    }
    add(&mut chances, &slots, reached, true);
    chances
}
