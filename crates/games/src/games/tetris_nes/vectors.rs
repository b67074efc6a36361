//! The randomizer of NES Tetris against vectors.json.

use crate::games::piece::{Dealer, letters};
use crate::games::tetris_nes::{BOOT_STATE, PERIOD, Pick, Randomizer, State};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    state: String,
    period: u16,
    next_states: Vec<String>,
    sequences: Vec<Sequence>,
}

#[derive(Deserialize)]
struct Sequence {
    steps_before_each_pick: u32,
    pieces: String,
    state_after: String,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("vectors.json")).expect("the file is valid")
}

fn state(text: &str) -> State {
    State(u16::from_str_radix(text.trim_start_matches("0x"), 16).unwrap())
}

#[test]
fn states_step_forward_and_backward_and_recur_after_the_period() {
    let vectors = vectors();
    assert_eq!((state(&vectors.state), vectors.period), (BOOT_STATE, PERIOD));
    let mut at = BOOT_STATE;
    for (steps, next) in (1..).zip(&vectors.next_states) {
        let next = state(next);
        assert_eq!(at.step(), next);
        assert_eq!(next.back(), Some(at));
        assert_eq!((BOOT_STATE.jump(steps), BOOT_STATE.distance(next).map(u64::from)), (next, Some(steps)));
        at = next;
    }
    let first_return = BOOT_STATE.orbit().skip(1).position(|state| state == BOOT_STATE);
    assert_eq!(first_return, None, "not before {PERIOD} steps");
    assert_eq!(BOOT_STATE.jump(u64::from(PERIOD) - 1).step(), BOOT_STATE);
}

#[test]
fn pieces_and_the_state_afterwards_match_the_vectors() {
    for sequence in vectors().sequences {
        let mut randomizer = Randomizer::new(BOOT_STATE, sequence.steps_before_each_pick, Pick::Code);
        let pieces = randomizer.deal_many(sequence.pieces.len());
        assert_eq!(letters(&pieces), sequence.pieces);
        assert_eq!(randomizer.spawner.state, state(&sequence.state_after));
    }
}
