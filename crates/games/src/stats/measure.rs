//! Measures many pieces of many seeds on all cores. The results do not depend on the number of threads.

use super::figures::{DroughtsOver, Figures};
use super::source::{NotMeasured, PieceSource, Rating, SourceFacts};
use super::tally::Tally;
use crate::games::piece::{AnyDealer, Piece};
use crate::games::pieces::{Limits, PieceOptions};
use crate::seeds::pieces::PieceGame;
use nextscope_task::Progress;
use rayon::prelude::*;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The most parts that the seeds of a randomizer are divided into. Each part has its own counts.
const PARTS: u64 = 16;
/// Pieces between two checks of the stop flags.
const CHECK_INTERVAL: u32 = 1 << 16;
/// The most pieces per seed.
pub const MAX_PIECES: u32 = 1_000_000_000;

/// Options besides game and variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// Steps of the generator before each pick of `tetris-nes`, with the state as its seed; None for random waits.
    pub steps: Option<u32>,
    /// The limits of a game that has them; None for those of the variant.
    pub limits: Option<Limits>,
}

/// A randomizer to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The game.
    pub game: PieceGame,
    /// Its variant.
    pub variant: &'static str,
    /// The other options.
    pub choices: Choices,
}

impl Subject {
    /// Parses a game or one of its variants: "tgm1", "tgm1:3-passes"; "bag:14" is "tetris-worlds:bag-14".
    ///
    /// # Errors
    /// The unknown name, and the known ones.
    pub fn parse(text: &str, choices: Choices) -> Result<Self, UnknownSubject> {
        // A variant that is not listed may be given without its game: "bag:14".
        let alone = |game: &&PieceGame| (game.rules().more_variants)(text).is_some();
        let (game, variant) = match (text.split_once(':'), PieceGame::ALL.iter().find(alone)) {
            (Some(_), Some(game)) => (game.id(), text),
            (both, _) => both.unwrap_or((text, "")),
        };
        let names = |names: &mut dyn Iterator<Item = &'static str>| names.collect::<Vec<_>>().join(", ");
        let Some(known) = PieceGame::from_id(game) else {
            let games = names(&mut PieceGame::ALL.iter().map(|game| game.id()));
            return Err(UnknownSubject::Game(game.to_owned(), games));
        };
        let Some(found) = known.variant(variant) else {
            let variants = names(&mut known.variants().iter().map(|&(name, _)| name));
            return Err(UnknownSubject::Variant(game.to_owned(), variant.to_owned(), variants));
        };
        Ok(Self { game: known, variant: found, choices })
    }

    /// Whether the time of each pick is random.
    fn is_human_timed(&self) -> bool {
        self.game.rules().human_timed.is_some() && self.choices.steps.is_none()
    }

    /// The largest valid seed.
    fn largest_seed(&self) -> u32 {
        if self.is_human_timed() { u32::MAX } else { u32::MAX >> (32 - self.game.rules().seed_bits) }
    }

    /// "tgm1", or "tgm1:3-passes" when the variant is not the default.
    pub fn label(&self) -> String {
        let usual = self.game.variants().first().is_none_or(|(name, _)| *name == self.variant);
        if usual { self.game.id().to_owned() } else { format!("{}:{}", self.game.id(), self.variant) }
    }
}

impl PieceSource for Subject {
    fn facts(&self) -> SourceFacts {
        SourceFacts {
            game: self.game.id(),
            variant: Some(self.variant),
            profile: None,
            label: self.label(),
            largest_seed: self.largest_seed(),
            kinds: Piece::ALL.to_vec(),
            rating: rating(self),
        }
    }

    fn dealer(&self, seed: u32) -> Option<AnyDealer> {
        if let Some(human_timed) = self.game.rules().human_timed.filter(|_| self.is_human_timed()) {
            return human_timed(self.variant, seed);
        }
        let usual = PieceOptions::default();
        let options =
            PieceOptions { steps: self.choices.steps.unwrap_or(usual.steps), limits: self.choices.limits };
        self.game.dealer(self.variant, seed, options)
    }
}

/// An unknown randomizer name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownSubject {
    /// No such game.
    #[error("unknown randomizer {0:?}; available: {1}")]
    Game(String, String),
    /// No such variant.
    #[error("{0} has no variant {1:?}; available: {2}")]
    Variant(String, String, String),
}

/// The seeds, and the number of pieces from each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SampleSize {
    /// The seeds, inclusive.
    pub seeds: RangeInclusive<u32>,
    /// Pieces per seed.
    pub pieces: u32,
}

impl SampleSize {
    fn seeds(&self) -> u64 {
        (u64::from(*self.seeds.end()) + 1).saturating_sub(u64::from(*self.seeds.start()))
    }

    /// Total pieces.
    pub fn total(&self) -> u64 {
        self.seeds() * u64::from(self.pieces)
    }
}

/// Feeds pieces of one stream in parts, so that a request to end takes effect promptly.
pub(super) fn feed(tally: &mut Tally, dealer: &mut AnyDealer, pieces: u32, progress: &Progress) {
    let mut left = pieces;
    while left > 0 && !progress.is_over() {
        let now = left.min(CHECK_INTERVAL);
        tally.feed(dealer, now, AnyDealer::chances);
        left -= now;
        progress.add(now.into());
    }
    tally.end();
}

/// The rating of a game; None for games that the document does not rate, and for other variants.
fn rating(subject: &Subject) -> Option<Rating> {
    let rules = subject.game.rules();
    let [puzzle, flood_prevention, drought_prevention] =
        rules.rating.filter(|_| (rules.more_variants)(subject.variant).is_none())?;
    Some(Rating { puzzle, flood_prevention, drought_prevention })
}

/// The measurement of one randomizer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measured {
    /// The game.
    pub game: &'static str,
    /// The variant; None for a game without variants.
    pub variant: Option<&'static str>,
    /// The id of the profile that declares the randomizer; None for one in the program.
    pub profile: Option<String>,
    /// The name in a table.
    #[serde(skip)]
    pub label: String,
    /// The first seed.
    pub first_seed: String,
    /// The last seed.
    pub last_seed: String,
    /// Pieces per seed.
    pub pieces_per_seed: u32,
    /// Whether all pieces were dealt; otherwise the measurement was stopped, and the figures cover the pieces until then.
    pub complete: bool,
    /// The document's rating.
    pub rating: Option<Rating>,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// Droughts over the requested limit; None without a limit.
    pub droughts_over: Option<DroughtsOver>,
}

/// Measures randomizers on the same seeds. If stopped, returns those with any pieces dealt.
///
/// # Errors
/// It was cancelled, a seed is larger than one of them has, or a seed deals nothing.
pub fn measure<S: PieceSource>(
    sources: &[S],
    sample: &SampleSize,
    progress: &Progress,
) -> Result<Vec<Measured>, NotMeasured> {
    progress.begin(sample.total().saturating_mul(sources.len() as u64));
    let facts: Vec<SourceFacts> = sources.iter().map(PieceSource::facts).collect();
    let parts = sample.seeds().clamp(1, PARTS);
    let tasks: Vec<(usize, u64)> =
        (0..sources.len()).flat_map(|source| (0..parts).map(move |part| (source, part))).collect();
    let tallies: Result<Vec<Tally>, NotMeasured> = tasks
        .into_par_iter()
        .map(|(source, part)| {
            let first = u64::from(*sample.seeds.start());
            let cut = |part: u64| first + sample.seeds() * part / parts;
            let seeds = cut(part)..cut(part + 1);
            tally(&sources[source], &facts[source], seeds, sample.pieces, progress)
        })
        .collect();
    let tallies = tallies?;
    let merged = |parts: &[Tally]| {
        let (first, rest) = parts.split_first()?;
        let mut merged = first.clone();
        rest.iter().for_each(|part| merged.merge(part));
        Some(merged)
    };
    let tallies = tallies.chunks(parts as usize).filter_map(merged);
    let of_each = sources.iter().zip(facts).zip(tallies);
    // A randomizer stopped before its first piece has no figures.
    let dealt = of_each.filter(|(_, tally)| tally.pieces != [0; 7]);
    Ok(dealt.map(|((source, facts), tally)| measured(source, facts, sample, &tally)).collect())
}

fn measured(source: &impl PieceSource, facts: SourceFacts, sample: &SampleSize, tally: &Tally) -> Measured {
    let SourceFacts { game, variant, profile, label, rating, .. } = facts;
    Measured {
        game,
        variant,
        profile,
        label,
        first_seed: format!("0x{:08X}", sample.seeds.start()),
        last_seed: format!("0x{:08X}", sample.seeds.end()),
        pieces_per_seed: sample.pieces,
        complete: tally.pieces.iter().sum::<u64>() == sample.total(),
        rating,
        figures: Figures::of(tally, source.dealer(0).and_then(|dealer| dealer.chance_basis())),
        droughts_over: None,
    }
}

fn tally(
    source: &impl PieceSource,
    facts: &SourceFacts,
    seeds: std::ops::Range<u64>,
    pieces: u32,
    progress: &Progress,
) -> Result<Tally, NotMeasured> {
    let mut tally = Tally::of_kinds(&facts.kinds, pieces);
    for seed in seeds {
        if progress.is_over() {
            break;
        }
        let seed = u32::try_from(seed).unwrap_or(u32::MAX);
        let label = || facts.label.clone();
        let Some(mut dealer) = source.dealer(seed) else {
            return Err(NotMeasured::NoSeed { label: label(), seed });
        };
        feed(&mut tally, &mut dealer, pieces, progress);
        if let Some(why) = dealer.trouble() {
            return Err(NotMeasured::Stuck { label: label(), seed, why });
        }
    }
    if progress.is_cancelled() { Err(NotMeasured::Cancelled) } else { Ok(tally) }
}
