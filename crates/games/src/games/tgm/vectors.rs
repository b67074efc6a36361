//! The models of Arika's games compared with recorded and computed games (vectors.json), forward
//! and backward.

use crate::games::piece::{Dealer, Piece, letters};
use crate::games::pieces::PieceOptions;
use crate::games::tgm::arika::{History, State};
use crate::games::tgm::tgm1::{Reading, Tgm1};
use crate::games::tgm::tgm2::Tgm2;
use crate::games::tgm::tgm3::Tgm3;
use crate::seeds::pieces::PieceGame;
use serde_json::Value;

fn rows(game: &str) -> Vec<Value> {
    let vectors: Value = serde_json::from_str(include_str!("vectors.json")).expect("JSON");
    vectors[game].as_array().expect("rows").clone()
}

fn number(text: &Value) -> u32 {
    u32::from_str_radix(&text.as_str().expect("text")[2..], 16).expect("a hexadecimal number")
}

#[test]
fn every_game_of_the_vectors_is_dealt() {
    let mut games = 0;
    for game in [
        PieceGame::from_id("tgm1").unwrap(),
        PieceGame::from_id("tgm2").unwrap(),
        PieceGame::from_id("tgm3").unwrap(),
    ] {
        for row in rows(game.id()) {
            let variant =
                row["passes"].as_u64().map_or_else(String::new, |passes| format!("{passes}-passes"));
            let pieces = row["pieces"].as_str().unwrap();
            let mut dealer = game.dealer(&variant, number(&row["seed"]), PieceOptions::default()).unwrap();
            assert_eq!(letters(&dealer.deal_many(pieces.len())), pieces, "{game} {row}");
            if let Some(published) = row["published_prefix"].as_str() {
                assert!(pieces.starts_with(published), "{row}");
            }
            games += 1;
        }
    }
    assert_eq!(games, 8);
}

#[test]
fn the_state_after_the_first_draw_is_the_published_one() {
    // Reference 3.4: seed 0x43B7, first state 0xEB48C724.
    let mut dealer = Tgm2::new(0x43B7);
    assert_eq!(dealer.deal(), Piece::T);
    assert_eq!(dealer.rng, State(0xEB48_C724));
    let behind_it = [Piece::T, Piece::Z, Piece::S, Piece::S];
    assert_eq!(dealer.history.pieces(), Some(behind_it));
}

/// Whether each dealer is among the predecessors listed for the next one, and every listed one deals to it.
fn walks_back<D: Dealer + Copy + PartialEq + std::fmt::Debug>(mut dealer: D, previous: fn(D) -> Vec<D>) {
    for _ in 0..60 {
        let before = dealer;
        let dealt = dealer.deal();
        let all = previous(dealer);
        assert!(all.contains(&before), "{before:?} among {all:?}");
        for mut other in all {
            assert_eq!(other.deal(), dealt);
            assert_eq!(other, dealer);
        }
    }
}

#[test]
fn games_with_a_history_walk_back() {
    for seed in (0..300u32).map(|n| n.wrapping_mul(0x9E37_79B9)) {
        walks_back(Tgm2::new(seed), Tgm2::previous);
        walks_back(Tgm1::new(seed, Reading::FourPasses), Tgm1::previous);
        walks_back(Tgm1::new(seed, Reading::ThreePasses), Tgm1::previous);
    }
    assert!(Tgm2 { rng: State(1), history: History::EMPTY }.previous().is_empty());
}

#[test]
fn the_pool_of_terror_instinct_starts_as_in_the_reference() {
    let mut dealer = Tgm3::new(0x1106);
    let pool = dealer.pool();
    assert_eq!(letters(&pool), "IIIIIZZZZZSSSSSJJJJJLLLLLOOOOOTTTTT");
    dealer.deal();
    assert_eq!(dealer.pool(), pool, "the first piece leaves it unchanged");
    dealer.deal();
    assert_ne!(dealer.pool(), pool);
}

#[test]
fn only_25_bits_of_a_seed_matter() {
    for game in [
        PieceGame::from_id("tgm1").unwrap(),
        PieceGame::from_id("tgm2").unwrap(),
        PieceGame::from_id("tgm3").unwrap(),
    ] {
        let deal = |seed| {
            let dealer = game.dealer("", seed, PieceOptions::default());
            letters(&dealer.unwrap().deal_many(300))
        };
        assert_eq!(deal(0x0123_4567), deal(0xFF23_4567), "{game}");
        assert_ne!(deal(0x0123_4567), deal(0x0023_4567), "{game}");
    }
}
