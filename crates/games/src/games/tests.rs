//! Checks of every game for parts that are easily forgotten when a game is added.

use super::*;
use crate::games::piece::{Dealer, Piece, letters};
use crate::games::pieces::PieceOptions;
use crate::live::CheckId;
use crate::options::{OptionKind, OptionSpec, OptionValue, OptionValues};
use crate::pairs::interactive::{SearchField, SearchInput};
use crate::pairs::{FindError, Format, PairGame};
use crate::profile::{built_in_profiles, parse, template};
use crate::seeds::pieces::PieceGame;
use nextscope_memory::console::{ConsoleId, Snapshot, StorageOrder};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_game_has_an_id_and_a_name_of_its_own() {
    let ids: BTreeSet<&str> = GAMES.iter().map(|game| game.id.id()).collect();
    let names: BTreeSet<&str> = GAMES.iter().map(|game| game.name).collect();
    assert_eq!((ids.len(), names.len()), (GAMES.len(), GAMES.len()));
    for game in GAMES {
        let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        assert!(game.id.id().chars().all(plain), "{}", game.id);
        assert!(
            game.live.is_some() || game.pairs.is_some() || game.pieces.is_some(),
            "{} can be used for nothing",
            game.id
        );
        assert_eq!(game.id.definition().name, game.name);
    }
    assert_eq!(GameId::from_id("puyo-tsu").map(GameId::name), Some("Puyo Puyo Tsu"));
    assert_eq!(GameId::from_id("no-such-game"), None);
    assert_eq!(PieceGame::from_id("puyo-tsu"), None);
}

#[test]
fn every_live_game_has_profiles_that_its_model_can_use() {
    let library = built_in_profiles();
    for &game in GameId::ALL {
        let profiles: Vec<_> = library.iter().filter(|profile| profile.game == game).collect();
        // Profiles that declare their randomizer are the user's.
        assert_eq!(profiles.is_empty(), game.definition().declared.is_some(), "{game}");
        for profile in profiles {
            assert!(!profile.anchors.is_empty(), "{} has no anchor", profile.id);
            for field in game.fields().iter().filter(|field| field.required) {
                assert!(profile.field(field.name).is_some(), "{} lacks {}", profile.id, field.name);
            }
            // A tracker of the game reads RAM of zeros without a prediction, and without a mismatch.
            let domain = profile.console.domain();
            let ram = vec![0; domain.len as usize];
            let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, ram).unwrap();
            let (mut tracker, mut totals) = (crate::live::Tracker::new(game), crate::live::Totals::default());
            for frame in 0..3 {
                let sample = crate::live::SampleContext { snapshot: &snapshot, profile, frame };
                let update = tracker.update(&sample, &mut totals);
                assert_eq!((update.prediction, update.mismatches), (None, Vec::new()), "{}", profile.id);
                if let Ok(observation) = update.observation {
                    assert!(!observation.without_prediction().is_empty());
                    assert!(observation.details(None).is_object(), "{}: details are no object", profile.id);
                    assert!(observation.same_pools(&observation) && observation == observation.clone());
                }
            }
            let checks = tracker.verdict().checks;
            assert_eq!(checks.is_empty(), !game.has_predictor(), "{}", profile.id);
            assert!(
                checks.iter().all(|check| game.checks().contains(&check.id)),
                "{}: {checks:?}",
                profile.id
            );
        }
        for check in game.checks() {
            assert_eq!(CheckId::from_id(check.id()), Some(*check), "two checks have the id {}", check.id());
            assert!(!check.name().is_empty() && check.meaning().ends_with('.'));
        }
        for field in game.fields() {
            let has_length = field.bytes > 0 || game.definition().declared.is_some();
            assert!(!field.meaning.is_empty() && has_length, "{game}: {}", field.name);
        }
        for variant in game.variants() {
            assert!(variant.choices.iter().all(|(name, meaning)| !name.is_empty() && !meaning.is_empty()));
        }
    }
}

#[test]
fn the_template_of_every_live_game_has_anchors_that_its_profiles_can_have() {
    for &game in GameId::ALL {
        let anchors = game.anchors().template;
        assert!(anchors.contains("[[anchors]]") || anchors.is_empty(), "{game}");
        let (_, diagnostics) = parse(&template(game, ConsoleId::Genesis, "new"), "new.toml");
        // What is still to be filled in is reported, and nothing about anchors that the game does not have.
        let impossible_anchor = format!("{} has no ", game.name());
        assert!(!diagnostics.is_empty(), "{game}: the template must be filled in");
        assert!(
            diagnostics.iter().all(|problem| !problem.message.starts_with(&impossible_anchor)),
            "{game}: {diagnostics:?}"
        );
    }
}

#[test]
fn every_game_and_variant_deals_and_is_found_by_its_name() {
    for &game in PieceGame::ALL {
        assert_eq!(PieceGame::from_id(game.id()), Some(game));
        assert_eq!(game.variant(""), Some(game.variants()[0].0));
        assert!(!game.rules().about.is_empty() && [16, 32].contains(&game.rules().seed_bits));
        for (variant, meaning) in game.variants() {
            assert!(!meaning.is_empty());
            let mut dealer = game.dealer(variant, 1, PieceOptions::default()).unwrap();
            let mut again = dealer.clone();
            let pieces = dealer.deal_many(100);
            assert_eq!(letters(&pieces), letters(&again.deal_many(100)), "{game} {variant}");
            assert_eq!(dealer, again);
            assert!(dealer.state_after().starts_with("0x"));
            assert!(Piece::ALL.iter().all(|piece| pieces.contains(piece)), "{game} {variant}");
            if let Some(chances) = dealer.chances() {
                assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{game} {variant}: {chances:?}");
            }
        }
        assert!(game.dealer("no such variant", 0, PieceOptions::default()).is_none());
    }
}

#[test]
fn generators_for_the_ram_search_have_names_of_their_own_and_linear_ones_the_full_period() {
    let all: Vec<KnownGenerator> = GAMES.iter().filter_map(|game| game.generator).collect();
    let names: BTreeSet<&str> = all.iter().map(|generator| generator.name).collect();
    assert_eq!(names.len(), all.len());
    for generator in all {
        if let Movement::Linear(step) = generator.movement {
            assert!(step.factor % 4 == 1 && step.term % 2 == 1, "{}", generator.name);
        }
    }
}

#[test]
fn every_game_of_pairs_deals_and_its_options_agree() {
    let (mut planned, mut searched): (Vec<&OptionSpec>, Vec<&OptionSpec>) = Default::default();
    for game in PairGame::all() {
        let rules = game.rules();
        assert_eq!(PairGame::from_id(game.id()), Some(game));
        assert_eq!(PairGame::from_saved_name(rules.saved_name), Some(game));
        assert!((1..=32).contains(&rules.seed_bits) && rules.first_seed <= game.largest_seed());
        assert_eq!((rules.parse_seed)(&(rules.seed_text)(rules.first_seed)), Ok(rules.first_seed));
        assert!((rules.parse_seed)("no seed").is_err());
        for options in [rules.generate.options, rules.find.options, rules.deal_options] {
            let names: BTreeSet<&str> = options.iter().map(|option| option.name).collect();
            assert_eq!(names.len(), options.len(), "{game:?} has an option twice");
            for option in options {
                assert!(!option.help.is_empty());
                assert_eq!(
                    option.value_name.is_empty(),
                    option.kind == OptionKind::Flag,
                    "--{}",
                    option.name
                );
                let others =
                    option.conflicts_with.iter().chain(option.required_unless).chain(&option.requires);
                for other in others.filter(|other| **other != "json") {
                    assert!(names.contains(other), "{game:?}: --{} names --{other}", option.name);
                }
                assert!(
                    option.default.is_none_or(|value| option.parse(value).is_some()),
                    "--{}",
                    option.name
                );
            }
        }
        for option in rules.deal_options {
            // `route` has one option for all games.
            let known = planned.iter().find(|known| known.name == option.name);
            assert!(known.is_none_or(|known| (known.kind, known.default) == (option.kind, option.default)));
            planned.push(option);
        }
        for control in rules.controls {
            let option = rules.deal_options.iter().find(|option| option.name == control.option).unwrap();
            let values: Vec<&str> = control.choices.iter().map(|(value, _)| *value).collect();
            assert!(values.contains(&control.first), "{game:?}: {}", control.option);
            assert!(values.iter().all(|value| value.is_empty() || option.parse(value).is_some()));
        }
        let fields = rules.interactive.iter().flat_map(|search| search.fields).copied().flatten();
        for SearchField { option, applies, .. } in fields {
            let known = searched.iter().find(|known| known.name == option.name);
            assert!(known.is_none_or(|known| (known.kind, known.default) == (option.kind, option.default)));
            applies.applies(|flag| {
                searched.iter().any(|other| other.name == flag) || panic!("{flag} comes before it")
            });
            let number = matches!(option.kind, OptionKind::Number(..));
            assert!(number || matches!(option.kind, OptionKind::Flag | OptionKind::Text), "{}", option.name);
            assert_eq!(number, option.default.is_some_and(|value| option.parse(value).is_some()));
            searched.push(option);
        }
        if let Some(search) = &rules.interactive {
            assert!((search.prepare)(&SearchInput::default()).is_ok(), "{game:?}");
        }
        let deal = (rules.dealer)(&rules.chosen(&BTreeMap::new()), None);
        let usual = (rules.dealer)(&OptionValues::new(rules.deal_options, 0), None);
        let pairs = deal(rules.first_seed, 0..100);
        assert_eq!((pairs.len(), &pairs), (100, &usual(rules.first_seed, 0..100)), "{game:?}");
        assert_eq!(deal(rules.first_seed, 90..100), pairs[90..]);
        let mut values = OptionValues::new(rules.generate.options, 1);
        for format in [Format::Text, Format::Json] {
            let parts: Vec<String> = (rules.generate.run)(&values, format).unwrap().collect();
            assert!(!parts.is_empty() && parts.iter().all(|part| part.ends_with('\n')), "{game:?}");
        }
        values.set("seed", OptionValue::Text("no seed".into()));
        assert!((rules.generate.run)(&values, Format::Text).is_err());
        let nothing = OptionValues::new(rules.find.options, 0);
        assert!(matches!((rules.find.prepare)(&nothing, Format::Text), Err(FindError::BadInput(_))));
    }
}
