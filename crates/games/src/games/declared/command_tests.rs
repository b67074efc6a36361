//! The commands against built-in models.

use super::{find_command, generate_command};
use crate::games::piece::{Dealer, GameDealer, letters};
use crate::games::tgm::tgm2::Tgm2;
use crate::options::{OptionValue, OptionValues};
use crate::pairs::{FindError, Format};
use crate::profile::parse;
use serde_json::Value;
use std::sync::Arc;

const TGM2: &str = include_str!("models/tgm2.toml");
const MEAN_BEAN: &str = include_str!("models/mean-bean.toml");
const NES: &str = include_str!("models/tetris-nes.toml");

/// The options of a command, as text.
fn values(
    options: &'static [crate::options::OptionSpec],
    section: &str,
    given: &[(&'static str, &str)],
) -> OptionValues {
    let start = "id = \"mine\"\nname = \"X\"\nconsole = \"nes\"\nstatus = \"unconfirmed\"";
    let profile = parse(&format!("{start}\n{section}"), "x.toml").0.unwrap();
    let mut values = OptionValues::new(options, 0x1234_5678);
    values.set("profile", OptionValue::Profile(Arc::new(profile)));
    for (name, text) in given {
        let option = options.iter().find(|option| option.name == *name).unwrap();
        values.set(option.name, option.parse(text).unwrap());
    }
    values
}

fn generate(section: &str, given: &[(&'static str, &str)], format: Format) -> Result<String, String> {
    let values = values(generate_command::OPTIONS, section, given);
    generate_command::run(&values, format).map(Iterator::collect)
}

/// The output and the number of seeds.
fn find(section: &str, given: &[(&'static str, &str)], format: Format) -> Result<(String, usize), String> {
    let values = values(find_command::OPTIONS, section, given);
    match find_command::prepare(&values, format) {
        Ok(search) => {
            let outcome = search.run().unwrap();
            Ok((search.found().concat() + &outcome.output, outcome.count))
        }
        Err(FindError::BadInput(what)) => Err(what),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn generate_prints_what_the_built_in_model_deals() {
    let mut dealer = Tgm2::new(7);
    let pieces = letters(&dealer.deal_many(70));
    let text = generate(TGM2, &[("seed", "7")], Format::Text).unwrap();
    let dealt: String = text.lines().skip(3).flat_map(|line| line[11..].split_whitespace()).collect();
    assert!(text.starts_with("seed         0x00000007\nprofile      mine\nstate after  0x"), "{text}");
    assert_eq!(dealt, pieces);
    assert!(text.contains(&dealer.state_after()));
    let json: Value =
        serde_json::from_str(&generate(TGM2, &[("seed", "0x7"), ("count", "5")], Format::Json).unwrap())
            .unwrap();
    assert_eq!(
        (json["game"].as_str(), json["options"]["profile"].as_str()),
        (Some("declared"), Some("mine"))
    );
    assert_eq!(json["pieces"].as_array().unwrap().len(), 5);
    assert_eq!((&json["pairs"], &json["options"]["steps"]), (&Value::Null, &Value::Null));
    let pairs = generate(MEAN_BEAN, &[("seed", "7"), ("count", "40"), ("csv", "")], Format::Csv).unwrap();
    assert_eq!(pairs.lines().nth(1).unwrap().rsplit(',').next().unwrap().split(' ').count(), 40);
    let random = generate(TGM2, &[("random", "")], Format::Text).unwrap();
    assert!(random.starts_with("seed         0x12345678"), "{random}");
}

#[test]
fn seeds_and_steps_that_are_impossible_are_refused_with_the_reason() {
    let error = |section: &str, given| generate(section, given, Format::Text).unwrap_err();
    assert_eq!(
        error(NES, &[("seed", "65536")]),
        "invalid seed \"65536\": expected 0x0 to 0xFFFF, or 0 to 65535"
    );
    assert!(error(TGM2, &[("seed", "-1")]).starts_with("invalid seed"));
    assert!(error(TGM2, &[("seed", "0x+1")]).starts_with("invalid seed"));
    assert_eq!(
        error(TGM2, &[("seed", "1"), ("steps", "2")]),
        "--steps: only deals step the generator of profile mine; its [randomizer] has no `other_calls`"
    );
    let calls = TGM2.replace("[randomizer.generator]", "other_calls = 3\n[randomizer.generator]");
    assert!(error(&calls, &[("seed", "1"), ("steps", "4")]).contains("at most 3 other calls"));
    assert!(
        generate(&calls, &[("seed", "1"), ("steps", "3")], Format::Text)
            .unwrap()
            .contains("3 before each deal")
    );
    // A shift register that never leaves 0, of which a draw accepts only numbers below 7.
    let stuck = TGM2
        .replace(
            "kind = \"linear\"\nwidth = 32\nmultiplier = 0x41C64E6D\nincrement = 12345",
            "kind = \"linear\"\nwidth = 32\nmultiplier = 1\nincrement = 0",
        )
        .replace("\"modulo\"", "\"rejection\"");
    let what = error(&stuck, &[("seed", "0x1C00")]);
    assert!(what.starts_with("from seed 0x00001C00 the generator never gives"), "{what}");
    let lacks = OptionValues::new(generate_command::OPTIONS, 0);
    assert!(generate_command::run(&lacks, Format::Text).err().unwrap().starts_with("give --profile"));
}

#[test]
fn find_returns_exactly_the_seeds_whose_game_deals_the_pieces() {
    let small = TGM2.replace("bits = 32 }", "bits = 16 }");
    let game = |seed: u32| letters(&Tgm2::new(seed).deal_many(40));
    for (seed, from, count) in [(0x43B7_u32, 1, 12), (9, 5, 9)] {
        let pieces: String = game(seed).chars().skip(from - 1).take(count).collect();
        let known = pieces.replace('O', "?");
        let fits = |seed: &u32| {
            let dealt = game(*seed);
            let mut pairs = dealt[from - 1..].chars().zip(known.chars());
            pairs.all(|(dealt, known)| known == '?' || dealt == known)
        };
        let right: Vec<String> = (0..=0xFFFF).filter(fits).map(|seed| format!("0x{seed:04X}")).collect();
        let at = from.to_string();
        let given = [("pieces", known.as_str()), ("at", &at), ("limit", "1000")];
        let (csv, found) = find(&small, &given, Format::Csv).unwrap();
        let lines: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!((lines, found), (right.iter().map(String::as_str).collect(), right.len()));
        assert!(right.contains(&format!("0x{seed:04X}")));
        let (json, _) = find(&small, &given, Format::Json).unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        let first = &json["states"][0];
        let coming: String =
            first["next"].as_array().unwrap().iter().map(|next| next.as_str().unwrap()).collect();
        let first_seed = u32::from_str_radix(&first["state"].as_str().unwrap()[2..], 16).unwrap();
        let dealt = letters(&Tgm2::new(first_seed).deal_many(80));
        assert_eq!(coming, dealt[from - 1 + count..][..28]);
        assert_eq!((json["starts"].as_u64(), json["complete"].as_bool()), (Some(65536), Some(true)));
        assert_eq!(json["next_at"].as_u64(), Some((from + count) as u64));
        let (streamed, _) = find(&small, &[&given[..], &[("stream", "")]].concat(), Format::Text).unwrap();
        for seed in &right {
            assert!(streamed.lines().any(|line| line == seed), "{streamed}");
        }
    }
}

#[test]
fn find_takes_pairs_and_refuses_what_it_cannot_search() {
    let small = MEAN_BEAN.replace("seed = { bits = 32", "seed = { bits = 14");
    let dealt = generate(&small, &[("seed", "0x1ABC"), ("count", "10"), ("csv", "")], Format::Csv).unwrap();
    let dealt = dealt.lines().nth(1).unwrap().rsplit(',').next().unwrap().to_owned();
    let unknown = format!("?{}", &dealt[1..]);
    let (text, found) = find(&small, &[("pieces", &unknown)], Format::Text).unwrap();
    assert!(found >= 1 && text.contains("0x1ABC") && text.contains("certain: "), "{text}");
    let (text, found) = find(&small, &[("pieces", "RRRRRRRRRRRRRRRRRRRRRRRRRRRRRR")], Format::Text).unwrap();
    assert!(found == 0 && text.starts_with("no seed produces this sequence: it fails at pair "), "{text}");
    let error = |section: &str, pieces: &str| find(section, &[("pieces", pieces)], Format::Text).unwrap_err();
    assert!(error(&small, "RX").starts_with("--pieces: 'X' in"));
    assert!(error(&small, "??").starts_with("give at least one puyo"));
    assert!(error(TGM2, "??").starts_with("give at least one piece"));
    let six = TGM2.replace("\"O\", \"T\"]", "\"O\"]");
    assert_eq!(
        error(&six, "T"),
        "--pieces: T is never dealt: the kinds of this randomizer are I, Z, S, J, L, O"
    );
    let wide = TGM2.replace("bits = 32 }", "bits = 40 }").replace("width = 32", "width = 48");
    assert_eq!(
        error(&wide, "JTOLS"),
        "profile mine has seeds of 40 bits, which cannot all be tried: `find` tries up to 2^32. If the game sets fewer bits, \
         write their number as `seed.bits`"
    );
}

#[test]
fn a_search_can_be_cancelled_and_stopped() {
    let values = values(find_command::OPTIONS, TGM2, &[("pieces", "JTOLSJTZ")]);
    for with_result in [true, false] {
        let search = find_command::prepare(&values, Format::Json).unwrap();
        assert!(!search.is_quick());
        std::thread::scope(|scope| {
            let run = scope.spawn(|| search.run());
            while search.share() == 0.0 {
                std::thread::yield_now();
            }
            search.end(with_result);
            let outcome = run.join().unwrap();
            assert_eq!(outcome.is_some(), with_result);
            if let Some(outcome) = outcome {
                let json: Value = serde_json::from_str(&outcome.output).unwrap();
                assert!(outcome.stopped && json["stopped"] == true && json["complete"] == false);
            }
        });
    }
}
