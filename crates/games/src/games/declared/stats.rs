//! A declared randomizer as it is measured.

use super::language::Deals;
use super::options::Chosen;
use super::{DeclaredDealer, ID};
use crate::games::piece::{AnyDealer, Chances, Dealer, GameDealer, Piece};
use crate::profile::Profile;
use crate::stats::{PieceSource, PoolFacts, PoolSource, Source, SourceFacts, declared_name};
use nextscope_boards::{POOL_LEN, Pool};
use std::sync::Arc;

/// The randomizer of a profile, with so many generator steps before each deal.
pub(super) fn source(profile: Option<&Profile>, steps: Option<u32>) -> Result<Source, String> {
    let chosen = Chosen::of_profile(profile, steps)?;
    Ok(match chosen.program.deals() {
        Deals::Pieces => {
            let symbols = chosen.program.symbols().iter();
            let pieces = symbols.filter_map(|symbol| symbol.piece()).collect();
            Source::Pieces(Box::new(DeclaredPieces { chosen, pieces }))
        }
        Deals::Pairs => Source::Pairs(Box::new(DeclaredPairs(chosen))),
    })
}

/// The largest of the seeds of 32 bits. A longer seed has zeros above them.
fn largest_seed(chosen: &Chosen) -> u32 {
    u32::try_from(chosen.program.largest_seed()).unwrap_or(u32::MAX)
}

struct DeclaredPieces {
    chosen: Chosen,
    pieces: Arc<[Piece]>,
}

impl PieceSource for DeclaredPieces {
    fn facts(&self) -> SourceFacts {
        let profile = &self.chosen.profile;
        SourceFacts {
            game: ID.id(),
            variant: None,
            profile: Some(profile.clone()),
            label: declared_name(ID.id(), profile),
            largest_seed: largest_seed(&self.chosen),
            kinds: self.pieces.to_vec(),
            rating: None,
        }
    }

    fn dealer(&self, seed: u32) -> Option<AnyDealer> {
        let pieces = Arc::clone(&self.pieces);
        let is_seed = seed <= largest_seed(&self.chosen);
        is_seed.then(|| PieceDealer { dealer: self.chosen.dealer(seed.into()), pieces }.into())
    }
}

/// A dealer of pieces, with the piece of each kind.
#[derive(Clone, PartialEq, Debug)]
struct PieceDealer {
    dealer: DeclaredDealer,
    pieces: Arc<[Piece]>,
}

impl Dealer for PieceDealer {
    fn deal(&mut self) -> Piece {
        self.pieces[usize::from(self.dealer.deal_number())]
    }
}

impl GameDealer for PieceDealer {
    fn state_after(&self) -> String {
        self.dealer.state().to_string()
    }

    fn chances(&self) -> Option<Chances> {
        None
    }

    fn trouble(&self) -> Option<String> {
        self.dealer.trouble()
    }
}

/// The first pairs of a seed, in the form of a pool.
struct DeclaredPairs(Chosen);

impl PoolSource for DeclaredPairs {
    fn facts(&self) -> PoolFacts {
        PoolFacts {
            game: ID.id(),
            profile: Some(self.0.profile.clone()),
            largest_seed: largest_seed(&self.0),
            colors: vec![self.0.program.kinds_of_a_game()],
        }
    }

    fn pools(&self, seed: u32) -> Result<Vec<Pool>, String> {
        let mut dealer = self.0.dealer(seed.into());
        let mut pool = [0; POOL_LEN];
        for pair in pool.as_chunks_mut().0 {
            let deal = dealer.deal_number();
            *pair = [deal >> 4, deal & 0xF];
        }
        dealer.trouble().map_or_else(|| Ok(vec![pool]), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::PairGame;
    use crate::profile::parse;
    use crate::stats::{
        Choices, Measured, NotMeasured, PoolFigures, SampleSize, Subject, measure, measure_pools,
    };
    use nextscope_task::Progress;

    const FOUR_KINDS: &str = r#"
        [randomizer]
        deals = "pieces"
        kinds = ["I", "J", "O", "T"]
        seed = { bits = 32 }
        deal = { kind = "direct" }

        [randomizer.generator]
        kind = "linear"
        width = 32
        multiplier = 0x41C64E6D
        increment = 12345

        [randomizer.draw]
        shift = 16
        bits = 15
        method = "modulo"
    "#;

    fn profile(section: &str) -> Profile {
        let start = "id = \"mine\"\nname = \"X\"\nconsole = \"nes\"\nstatus = \"unconfirmed\"";
        parse(&format!("{start}\n{section}"), "x.toml").0.unwrap()
    }

    fn measured(section: &str, steps: Option<u32>, sample: &SampleSize) -> Result<Measured, NotMeasured> {
        let Source::Pieces(source) = source(Some(&profile(section)), steps).unwrap() else {
            panic!("pieces");
        };
        measure(&[source], sample, &Progress::default()).map(|mut all| all.remove(0))
    }

    #[test]
    fn declared_models_have_the_figures_of_the_built_in_ones() {
        let sample = SampleSize { seeds: 5..=24, pieces: 500 };
        for (name, steps, section) in [
            ("tgm1", None, include_str!("models/tgm1.toml")),
            ("tgm2", None, include_str!("models/tgm2.toml")),
            ("tgm3", None, include_str!("models/tgm3.toml")),
            ("tetris-nes", Some(44), include_str!("models/tetris-nes.toml")),
        ] {
            let subject = Subject::parse(name, Choices { steps, limits: None }).unwrap();
            let mut built_in = measure(&[subject], &sample, &Progress::default()).unwrap().remove(0);
            // Only built-in models give the chances of each piece.
            built_in.figures.predictability.bits = None;
            built_in.figures.predictability.known = None;
            built_in.figures.predictability.surprise = None;
            let declared = measured(section, steps, &sample).unwrap();
            assert_eq!(declared.figures, built_in.figures, "{name}");
            assert_eq!((declared.game, declared.variant, declared.rating), ("declared", None, None));
            assert_eq!((declared.profile.as_deref(), &*declared.label), (Some("mine"), "declared:mine"));
            assert!(declared.complete);
        }
    }

    #[test]
    fn declared_pairs_have_the_figures_of_the_built_in_pools() {
        let section = include_str!("models/puyo-20th.toml");
        let built_in = PairGame::from_id("puyo-20th").unwrap();
        let built_in = measure_pools(&[built_in], &(3..=202), &Progress::default()).unwrap();
        for (dealt, colors) in [("dealt = 1", 3), ("dealt = 2", 4), ("dealt = 3", 5)] {
            let declared = profile(&section.replace("dealt = 3", dealt));
            let Source::Pairs(source) = source(Some(&declared), None).unwrap() else { panic!("pairs") };
            let measured = measure_pools(&[source], &(3..=202), &Progress::default()).unwrap();
            // Beside it the even shuffle with as many colours.
            assert_eq!(measured.iter().map(|one| one.colors).collect::<Vec<_>>(), [colors; 2]);
            let known = built_in.iter().find(|one| one.colors == colors).unwrap();
            assert!((measured[0].window_variance - known.window_variance).abs() < 1e-9);
            let expected = PoolFigures {
                game: "declared",
                profile: Some("mine".into()),
                // The colours are added up in another order.
                window_variance: measured[0].window_variance,
                ..known.clone()
            };
            assert_eq!(measured[0], expected);
        }
    }

    #[test]
    fn kinds_that_are_not_dealt_have_no_droughts() {
        let sample = SampleSize { seeds: 1..=4, pieces: 1000 };
        let four = measured(FOUR_KINDS, None, &sample).unwrap().figures;
        let by_piece = |piece: char| four.drought.longest_by_piece[&piece];
        assert_eq!(['S', 'Z', 'L'].map(by_piece), [0; 3]);
        let longest = ['I', 'J', 'O', 'T'].map(by_piece);
        assert_eq!(Some(&four.drought.longest), longest.iter().max());
        assert!(four.drought.longest < 100, "{}", four.drought.longest);
        // Four equal chances: three other pieces between two of a kind.
        assert!(four.drought.mean.unwrap().agrees(3.0, 1, 4.0), "{:?}", four.drought.mean);
    }

    #[test]
    fn a_seed_that_deals_nothing_is_an_error() {
        // A generator that stays where it is, of which a draw accepts only numbers below 3.
        let section = FOUR_KINDS
            .replace("multiplier = 0x41C64E6D", "multiplier = 1")
            .replace("increment = 12345", "increment = 0")
            .replace("bits = 15", "bits = 2")
            .replace("\"O\", \"T\"", "\"O\"")
            .replace("\"modulo\"", "\"rejection\"");
        let measured = |seeds| measured(&section, None, &SampleSize { seeds, pieces: 10 });
        assert!(measured(0x0002_FFF0..=0x0002_FFFF).is_ok());
        let why = measured(0x0002_FFFF..=0x0003_0000).unwrap_err().to_string();
        assert!(why.starts_with("declared:mine: from seed 0x30000 the generator never gives"), "{why}");
    }
}
