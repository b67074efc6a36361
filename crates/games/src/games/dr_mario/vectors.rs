//! The model against `vectors.json`, which the disassembled routines produced.

use super::{
    BOOT_STATE, Bottle, CELLS, Capsule, Levels, PERIOD, Reserve, Round, State, Viruses, option_frames,
    virus_count,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

fn vectors() -> Value {
    serde_json::from_str(include_str!("vectors.json")).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn state(value: &Value) -> State {
    State(u16::from_str_radix(text(value).trim_start_matches("0x"), 16).unwrap())
}

fn level(value: &Value) -> u8 {
    u8::try_from(value.as_u64().unwrap()).unwrap()
}

fn digits(cells: impl IntoIterator<Item = u8>) -> String {
    cells.into_iter().map(|cell| char::from(b'0' + cell)).collect()
}

fn letters(bottle: &Bottle) -> String {
    bottle.rows().concat()
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_generator_steps_as_the_routine() {
    let vectors = vectors();
    let power_on = &vectors["power_on"];
    assert_eq!((state(&power_on["state"]), power_on["period"].as_u64()), (BOOT_STATE, Some(PERIOD.into())));
    let mut next = BOOT_STATE;
    for expected in rows(&power_on["next_states"]) {
        next = next.step();
        assert_eq!(next, state(expected));
    }
    for pair in rows(&vectors["step"]) {
        assert_eq!(state(&pair[0]).step(), state(&pair[1]));
    }
    assert_eq!(option_frames(BOOT_STATE), Some(PERIOD));
    assert_eq!(option_frames(BOOT_STATE.step()), Some(1));
    assert_eq!(option_frames(State(0)), None);
}

#[test]
fn the_reserves_and_their_order_are_those_of_the_routines() {
    let vectors = vectors();
    for row in rows(&vectors["reserves"]) {
        let (reserve, after) = Reserve::new(state(&row["state"]));
        assert_eq!((digits(reserve.0).as_str(), after), (text(&row["reserve"]), state(&row["after"])));
    }
    for row in rows(&vectors["played_order"]) {
        let (reserve, _) = Reserve::new(state(&row["state"]));
        let expected = text(&row["first_130_pills_that_fall"]);
        assert_eq!(digits((0..130).map(|number| reserve.capsule(number).0)), expected);
        assert_eq!(digits(reserve.falling().map(|capsule| capsule.0)), expected[..128]);
    }
}

#[test]
fn all_reserves_have_the_published_digests() {
    let all = &vectors()["all_reserves"];
    let (mut reserves, mut states, mut reachable) = (Sha256::new(), Sha256::new(), Sha256::new());
    let mut distinct = BTreeSet::new();
    for number in 0..=u16::MAX {
        let (reserve, after) = Reserve::new(State(number));
        reserves.update(reserve.0);
        states.update(after.0.to_be_bytes());
        distinct.insert(reserve.0);
    }
    for state in BOOT_STATE.orbit() {
        reachable.update(Reserve::new(state).0.0);
    }
    assert_eq!(hex(reserves), text(&all["sha256_of_65536_reserves"]));
    assert_eq!(hex(states), text(&all["sha256_of_65536_states_after"]));
    assert_eq!(hex(reachable), text(&all["sha256_of_32767_reachable"]));
    assert_eq!(Some(distinct.len() as u64), all["distinct_reserves"].as_u64());
}

#[test]
fn the_first_capsules_identify_a_reserve_as_often_as_published() {
    for (length, expected) in vectors()["identification"].as_object().unwrap() {
        let length: u32 = length.parse().unwrap();
        let mut groups: BTreeMap<Vec<Capsule>, u64> = BTreeMap::new();
        for state in BOOT_STATE.orbit() {
            let (reserve, _) = Reserve::new(state);
            *groups.entry((0..length).map(|number| reserve.capsule(number)).collect()).or_default() += 1;
        }
        let found = (groups.len() as u64, groups.values().copied().max());
        let expected =
            (expected["distinct_beginnings"].as_u64().unwrap(), expected["largest_group"].as_u64());
        assert_eq!(found, expected, "{length} capsules");
    }
}

#[test]
fn the_bottles_of_every_level_are_those_of_the_routine() {
    for row in rows(&vectors()["bottles"]) {
        let round = Round::new(state(&row["state_before_reserve"]), Levels::One(level(&row["level"])));
        let viruses = &round.viruses;
        assert_eq!(Viruses::new(state(&row["state_before_viruses"]), viruses.levels), *viruses);
        assert_eq!(letters(&viruses.bottles[0]), text(&row["bottle"]), "{row}");
        assert_eq!(viruses.bottles[0], viruses.bottles[1]);
        let numbers = (u64::from(viruses.bottles[0].count()), u64::from(viruses.frames), viruses.after);
        let expected = (row["viruses"].as_u64().unwrap(), row["frames"].as_u64().unwrap());
        assert_eq!(numbers, (expected.0, expected.1, state(&row["after"])), "{row}");
        assert_eq!(numbers.0, u64::from(virus_count(level(&row["level"]))));
    }
}

#[test]
fn two_players_on_different_levels_draw_in_turn() {
    for row in rows(&vectors()["two_players_different_levels"]) {
        let levels = Levels::Two(level(&row["level1"]), level(&row["level2"]));
        let viruses = Viruses::new(state(&row["state_before_viruses"]), levels);
        assert_eq!(viruses.bottles.each_ref().map(letters), [text(&row["bottle1"]), text(&row["bottle2"])]);
        assert_eq!(
            (u64::from(viruses.frames), viruses.after),
            (row["frames"].as_u64().unwrap(), state(&row["after"]))
        );
    }
}

#[test]
fn one_player_goes_through_all_levels() {
    for run in rows(&vectors()["one_player_run"]) {
        let mut round = Round::new(state(&run["start"]), Levels::One(0));
        for row in rows(&run["levels"]) {
            assert_eq!(round.state, state(&row["state"]), "{row}");
            assert_eq!(round.viruses.levels, Levels::One(level(&row["level"])));
            let first = digits((0..16).map(|number| round.reserve.capsule(number).0));
            assert_eq!(first, text(&row["first_16_pills"]));
            let hash = Sha256::new_with_prefix(letters(&round.viruses.bottles[0]));
            let in_ram = Sha256::new_with_prefix(ram(&round.viruses.bottles[0]));
            let expected = text(&row["bottle_sha256"]);
            assert!([hex(hash), hex(in_ram)].contains(&expected.to_owned()), "{row}");
            round = round.next();
        }
    }
}

fn ram(bottle: &Bottle) -> [u8; CELLS] {
    std::array::from_fn(|at| bottle.byte(at))
}

#[test]
fn all_bottles_of_the_first_and_the_last_level_have_the_published_digests() {
    for (number, expected) in vectors()["all_bottles"].as_object().unwrap() {
        let Ok(level) = number.parse() else { continue };
        let mut hash = Sha256::new();
        for number in 2..=u16::MAX {
            let viruses = Viruses::new(State(number), Levels::One(level));
            hash.update(ram(&viruses.bottles[0]));
            hash.update(viruses.after.0.to_be_bytes());
        }
        assert_eq!(hex(hash), text(expected), "level {level}");
    }
}

#[test]
fn every_start_fills_its_bottle_in_few_frames() {
    let slowest = BOOT_STATE.orbit().map(|state| Viruses::new(state, Levels::One(20)).frames).max();
    assert_eq!(slowest, Some(145)); // reference B.4
    for (number, bottle) in [(0, 0), (1, 0)] {
        let viruses = Viruses::new(State(number), Levels::One(0));
        assert!(viruses.bottles[0].count() >= bottle, "a state that no game has ends as well");
    }
}

#[test]
fn cells_in_ram_are_read_back() {
    let viruses = Viruses::new(BOOT_STATE, Levels::One(20));
    let field = ram(&viruses.bottles[0]);
    assert_eq!(Bottle::of_field(&field), viruses.bottles[0]);
}
