//! The searchers of the panel. Long searches run on their own threads.

use super::pair_request::{Game, PairRequest};
use crate::games::puyo_20th::seeds::{self as anniversary, Narrowing, Table};
use crate::games::puyo_20th::{self, Seed};
use crate::games::puyo_tsu::seeds::{
    self as tsu, Effort, FoundStates, MAX_COMPARED, Method, ObservedPair, color_set_of,
};
use crate::games::puyo_tsu::{self, Level, Setup, State, pool_pair};
use crate::gui::computed_round::ComputedRound;
use crate::gui::repaint;
use crate::live::{Data, Player, Pool, PredictionView};
use crate::task::{Task, TaskError};
use eframe::egui;
use nextscope_boards::{Color, Pair, PoolId};
use std::time::{Duration, Instant};

/// The message for a search without a result.
pub fn failed(error: &TaskError) -> String {
    format!("The search {error}. Edit the input to retry")
}

/// Maximum number of certain pairs.
pub const CERTAIN: u32 = 24;
/// Pairs after the queue for the Predict panel.
const AHEAD: u32 = 64;
/// Maximum number of copied games.
const MAX_COPIED: usize = 1000;

/// The result among the 65,536 games of Puyo Puyo!! 20th Anniversary.
pub struct Anniversary {
    pub request: PairRequest,
    /// The query made from the request.
    pub query: anniversary::Query,
    pub result: Result<anniversary::Answer, anniversary::Impossible>,
    /// Pairs on which all games agree, in the colour names of the request.
    pub certain: Vec<anniversary::PartialPair>,
    /// The pair (from 0) at which they first differ.
    pub differs_at: Option<u32>,
    seconds: f64,
}

impl Anniversary {
    fn of(request: PairRequest, narrowing: &mut Option<Narrowing<'static>>) -> Self {
        let began = Instant::now();
        let pool = PoolId::of_colors(usize::from(request.colors)).unwrap_or(PoolId::Four);
        let query = anniversary::Query {
            relabel: request.relabel,
            unordered: request.unordered,
            ..anniversary::Query::sequence(pool, request.first(), &request.seen())
        };
        match narrowing {
            Some(ready) if ready.query().pool == pool => ready.change(|old| old.clone_from(&query)),
            _ => *narrowing = Some(Narrowing::new(Table::shared(), query.clone())),
        }
        let answer = narrowing.as_ref().map(Narrowing::answer);
        let result = answer.map_or_else(
            || Ok(anniversary::Answer::default()),
            |answer| answer.cloned().map_err(Clone::clone),
        );
        let (certain, differs_at) = match &result {
            Ok(answer) => anniversary::certain(&query, answer, CERTAIN),
            Err(_) => Default::default(),
        };
        Self { request, query, result, certain, differs_at, seconds: began.elapsed().as_secs_f64() }
    }

    /// The text that the command line prints.
    pub fn report(&self) -> anniversary::Report {
        anniversary::Report::new(&self.query, self.result.as_ref(), MAX_COPIED, 12, self.seconds)
    }

    /// Why no game matches.
    pub fn no_match_reason(&self) -> Option<String> {
        let nothing = !self.result.as_ref().is_ok_and(|answer| !answer.seeds.is_empty());
        let report = || anniversary::Report::new(&self.query, self.result.as_ref(), 0, 0, 0.0);
        nothing.then(|| report().no_match_reason()).flatten()
    }

    /// A game for the Predict panel.
    pub fn shown(&self, seed: Seed) -> ComputedRound {
        let (pool, next) = (self.query.pool, self.query.next_pair());
        let round = puyo_20th::generate(seed);
        let pairs = |id, from: u32, count: u32| -> Vec<Pair> {
            (0..count).filter_map(|n| round.pair(id, from.wrapping_add(n))).collect()
        };
        let title = format!("Seed 0x{seed:04X}");
        let what = format!("seed 0x{seed:04X} of {}, {} colours", Game::Anniversary.name(), pool.colors());
        let player = Player {
            captions: vec![pool.to_string(), format!("colour map {}", round.color_map.letters())],
            ..player(
                title,
                next,
                |number| round.pair(pool, number),
                |last| (pool.index(), last as usize % 128),
            )
        };
        let player = Player { pool: Some(pool.index()), ..player };
        let pools = PoolId::ALL.map(|id| Pool { id, pairs: pairs(id, 0, 128) }).to_vec();
        ComputedRound {
            what,
            shown: PredictionView { players: vec![player], pools, ..PredictionView::default() },
        }
    }
}

/// The pairs of a game from pair `next` (from 0).
fn player(
    title: String,
    next: u32,
    pair: impl Fn(u32) -> Option<Pair>,
    pool_position: impl Fn(u32) -> (usize, usize),
) -> Player {
    let last = next.checked_sub(1);
    Player {
        title,
        captions: Vec::new(),
        current: last.and_then(&pair),
        pairs: (next..next.saturating_add(AHEAD)).filter_map(&pair).collect(),
        names: &["next", "second"],
        dealt: u16::try_from(next).ok(),
        position: match last {
            None => "Start of the round".into(),
            Some(last) => {
                format!(
                    "Last entered: pair {next} of the round, position {} of 128",
                    pool_position(last).1 + 1
                )
            }
        },
        pool: None,
        pool_position: last.map(pool_position),
        score: None,
        board: None,
        boards: Vec::new(),
        lying: false,
    }
}

/// A search among the 65,536 games, which takes milliseconds the first time and microseconds later. It returns its narrowing for the
/// next request.
pub type AnniversarySearch = Task<(Box<Anniversary>, Option<Narrowing<'static>>)>;

/// How long a frame waits for its result, which is nearly always ready by then.
pub const MAX_WAIT: Duration = Duration::from_millis(2);

/// Starts it; requests a repaint of `ctx` at the end.
pub fn search_anniversary(
    request: PairRequest,
    mut narrowing: Option<Narrowing<'static>>,
    ctx: &egui::Context,
) -> AnniversarySearch {
    Task::start("seeds", repaint::waker(ctx), move |_| {
        (Box::new(Anniversary::of(request, &mut narrowing)), narrowing)
    })
}

/// A valid query for Puyo Puyo Tsu.
#[derive(Clone)]
pub struct Ready {
    seen: tsu::Observations,
    query: tsu::Query,
    /// Expected number of matching states.
    pub expected: f64,
}

impl Ready {
    /// Converts the request; None if it does not restrict the states.
    ///
    /// # Errors
    /// Why no game can match, in a sentence.
    pub fn of(request: &PairRequest) -> Result<Option<Self>, String> {
        let setup = Setup { mode: u8::from(!request.story), ..Setup::VERSUS };
        let mut seen = tsu::Observations::empty(setup);
        seen.level = Level(request.level.saturating_sub(1));
        seen.unordered = request.unordered;
        let pairs = (request.first()..).zip(request.seen());
        seen.pairs = pairs
            .map(|(deal_index, pair)| ObservedPair { deal_index, axis: pair.axis, child: pair.child })
            .collect();
        if !request.color_set.trim().is_empty() {
            let bytes = hexadecimal(&request.color_set).ok_or_else(|| {
                format!(
                    "Invalid colour set {:?}: expected 5 or 8 bytes in hexadecimal, such as 0400050301",
                    request.color_set
                )
            })?;
            seen.color_set = Some(color_set_of(&bytes).map_err(|why| why.to_string())?);
        }
        let query = tsu::Query::new(&seen).map_err(|why| why.to_string())?;
        if query.known_bytes() == 0 {
            return Ok(None);
        }
        let expected = query.expected_states();
        Ok(Some(Self { seen, query, expected }))
    }
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    let byte = |&[high, low]: &[char; 2]| u8::try_from(high.to_digit(16)? * 16 + low.to_digit(16)?).ok();
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    bytes.filter(|bytes| matches!(bytes.len(), 5 | 8))
}

/// The result among all states of Puyo Puyo Tsu.
pub struct Tsu {
    pub request: PairRequest,
    seen: tsu::Observations,
    query: tsu::Query,
    pub found: FoundStates,
    /// The games that the states produce; None if there are too many to compare.
    pub answer: Option<tsu::Answer>,
    /// Pairs on which all games agree.
    pub certain: Vec<Pair>,
    effort: Effort,
    seconds: f64,
}

impl Tsu {
    fn of(request: PairRequest, ready: Ready, found: FoundStates, effort: Effort, began: Instant) -> Self {
        let Ready { seen, query, .. } = ready;
        let comparable = found.complete && found.states.len() <= MAX_COMPARED;
        let answer = comparable.then(|| tsu::classes(&found.states, query.setup(), query.dealer()));
        let next = tsu::first_unobserved(&seen);
        let certain = answer.as_ref().map(|answer| tsu::certain(answer, query.dealer(), next, CERTAIN));
        let certain = certain.unwrap_or_default();
        Self { request, seen, query, found, answer, certain, effort, seconds: began.elapsed().as_secs_f64() }
    }

    /// The text that the command line prints.
    pub fn report(&self) -> tsu::Report {
        let method = Method::Searched(self.effort);
        let (answer, found) = (self.answer.as_ref(), &self.found);
        tsu::Report::new(&self.seen, &self.query, found, answer, method, MAX_COPIED, self.seconds)
    }

    /// The first unknown pair, from 0.
    pub fn next(&self) -> u32 {
        tsu::first_unobserved(&self.seen)
    }

    /// The next pairs of a state's game.
    pub fn coming(&self, state: State, count: u32) -> Vec<Pair> {
        let round = puyo_tsu::generate(state, self.query.setup());
        let pools = round.pools.map(|pool| pool.unwrap_or([0; 256]));
        let next = self.next();
        (next..next.saturating_add(count)).filter_map(|n| self.query.dealer().pair(&pools, n)).collect()
    }

    /// A game for the Predict panel.
    pub fn shown(&self, state: State) -> ComputedRound {
        let round = puyo_tsu::generate(state, self.query.setup());
        let dealer = self.query.dealer();
        let bytes = round.pools.map(|pool| pool.unwrap_or([0; 256]));
        let mode =
            if self.request.story { "story".into() } else { format!("versus, level {}", self.request.level) };
        let what = format!("state {state} before a round of {}, {mode}", Game::Tsu.name());
        let pool_position = |last| (dealer.pool(last).map_or(0, PoolId::index), pool_pair(last));
        let pool = dealer.pool(self.next().max(3));
        let player = Player {
            captions: pool.iter().map(ToString::to_string).collect(),
            pool: pool.map(PoolId::index),
            ..player(format!("State {state}"), self.next(), |n| dealer.pair(&bytes, n), pool_position)
        };
        let pools = PoolId::ALL.into_iter().filter_map(|id| {
            let pairs = round.pool(id)?.chunks_exact(2).map(|pair| Pair::from_bytes(pair[0], pair[1]));
            Some(Pool { id, pairs: pairs.collect() })
        });
        let pools = pools.collect();
        ComputedRound {
            what,
            shown: PredictionView { players: vec![player], pools, ..PredictionView::default() },
        }
    }
}

/// A background search over all states, or over those of a wider search. Dropping it cancels it.
pub struct Search {
    pub request: PairRequest,
    /// Whether it searches all states.
    pub full: bool,
    pub task: Task<Option<Box<Tsu>>>,
}

impl Search {
    /// Starts it; requests a repaint of `ctx` at the end.
    pub fn start(
        request: &PairRequest,
        ready: Ready,
        among: Option<&FoundStates>,
        ctx: &egui::Context,
    ) -> Self {
        let (question, full) = (request.clone(), among.is_none());
        let (among, effort) = (among.cloned(), Effort::default());
        let task = Task::start("seeds", repaint::waker(ctx), move |task| {
            let (began, progress) = (Instant::now(), task.progress());
            let found = match among {
                None => tsu::find(&ready.query, effort, progress)?,
                Some(mut found) => {
                    let setup = ready.query.setup();
                    found.states.retain(|state| {
                        !progress.is_cancelled() && ready.query.fits(&puyo_tsu::generate(*state, setup))
                    });
                    found
                }
            };
            (!progress.is_cancelled()).then(|| Box::new(Tsu::of(question, ready, found, effort, began)))
        });
        Self { request: request.clone(), full, task }
    }
}

/// What the emulator that is attached has dealt to the first player whose place is known; None when there is no such round.
pub fn from_emulator(data: &Data) -> Option<PairRequest> {
    let shown = data.view()?;
    let player = shown.players.iter().find(|player| player.dealt.is_some_and(|dealt| dealt > 0))?;
    let dealt = u32::from(player.dealt?);
    let pool = shown.pools.get(player.pool?)?;
    let puyos = |pairs: Vec<Pair>| -> Vec<Option<Color>> {
        pairs.into_iter().flat_map(|pair| [Some(pair.axis), Some(pair.child)]).collect()
    };
    let mut request = PairRequest::default();
    let observation = data.observation.as_ref().ok()?;
    if let Some(seen) = observation.get::<puyo_tsu::live::Observation>() {
        let player = seen.players.iter().find(|player| player.pairs_dealt > 0)?;
        let dealer = puyo_tsu::Dealer { mode: seen.setup.mode, level: player.level, dealing: seen.dealing };
        request.game = Game::Tsu;
        request.level = player.level.0.saturating_add(1).clamp(1, 5);
        request.story = !seen.setup.is_versus();
        request.color_set = seen.color_set.iter().map(|byte| format!("{byte:02X}")).collect();
        request.set_puyos(&puyos((0..dealt).filter_map(|n| dealer.pair(&seen.pools, n)).collect()));
    } else {
        request.colors = u8::try_from(pool.id.colors()).ok()?;
        let pairs = (0..dealt as usize).filter_map(|n| pool.pairs.get(n % 128).copied());
        request.set_puyos(&puyos(pairs.collect()));
    }
    Some(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(state: State, pairs: u32) -> PairRequest {
        let round = puyo_tsu::generate(state, Setup::VERSUS);
        let dealer = tsu::Observations::empty(Setup::VERSUS).dealer();
        let pools = round.pools.map(|pool| pool.unwrap());
        let dealt = (0..pairs).map(|n| dealer.pair(&pools, n).unwrap());
        let mut request = PairRequest { game: Game::Tsu, ..PairRequest::default() };
        request.set_puyos(&dealt.flat_map(|pair| [Some(pair.axis), Some(pair.child)]).collect::<Vec<_>>());
        request
    }

    fn narrowed(request: &PairRequest, states: Vec<State>) -> Box<Tsu> {
        let ready = Ready::of(request).unwrap().unwrap();
        let among = FoundStates { states, complete: true, stopped: false };
        let search = Search::start(request, ready, Some(&among), &egui::Context::default());
        assert!(!search.full);
        search.task.wait(Duration::from_secs(20)).unwrap().unwrap().unwrap()
    }

    #[test]
    fn states_found_before_are_narrowed_down_by_more_pairs() {
        let right = State(0x1234_5678);
        let others = (0..200).map(State).chain([right]);
        let found = narrowed(&request(right, 12), others.collect());
        assert_eq!(found.found.states, [right]);
        assert_eq!((found.next(), found.certain.len()), (12, CERTAIN as usize));
        assert_eq!(found.certain, found.coming(right, CERTAIN));
        let shown = found.shown(right).shown;
        let player = &shown.players[0];
        assert_eq!(player.pairs[..CERTAIN as usize], found.certain);
        let (pool, at) = player.pool_position.unwrap();
        assert_eq!(Some(shown.pools[pool].pairs[at]), player.current, "the mark is on the pair dealt last");
        let text: serde_json::Value = serde_json::from_str(&found.report().json()).unwrap();
        assert_eq!(text["states"][0]["state"], "0x12345678");
    }

    #[test]
    fn games_that_agree_are_certain_up_to_where_they_part() {
        let found = narrowed(&request(State(0x1234_5678), 1), (0..4000).map(State).collect());
        let answer = found.answer.as_ref().unwrap();
        assert!(answer.classes.len() > 10, "one pair leaves many games");
        let Some(tsu::RoundDifference::Pair { deal_index }) = answer.differs_at else {
            panic!("they part in a pair")
        };
        assert_eq!(u32::try_from(found.certain.len()).unwrap(), deal_index - 1);
    }

    #[test]
    fn what_no_game_shows_and_what_is_no_colour_set_is_told() {
        let mut question = request(State(1), 0);
        question.read("RG BY").unwrap();
        assert!(Ready::of(&question).err().unwrap().contains("pair 2"));
        question.read("RG").unwrap();
        question.color_set = "04000".into();
        assert!(Ready::of(&question).err().unwrap().contains("Invalid colour set"));
        // Level 1 deals from the first three of the set: here no green.
        question.color_set = "0400050301".into();
        assert!(Ready::of(&question).err().unwrap().contains("fails at pair 1"));
        question.color_set = "0403000501".into();
        assert!(Ready::of(&question).unwrap().is_some());
        assert!(Ready::of(&request(State(1), 0)).unwrap().is_none());
    }
}
