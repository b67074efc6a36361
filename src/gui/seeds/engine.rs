//! The searchers, as the panel uses them; no other file of the window does. What may take longer than a moment runs on a
//! thread of its own.

use super::asked::Asked;
use crate::game::puyo::{Color, Pair, PoolId};
use crate::game::puyo_20th::{self, Seed};
use crate::game::puyo_tsu::{self, Level, Setup, State, pool_pair};
use crate::live::{Data, Player, Pool, Shown};
use crate::seeds::puyo_20th::{self as anniversary, Narrowing, Table};
use crate::seeds::puyo_tsu::{
    self as tsu, COMPARED, Effort, Found, Method, Progress, SeenPair, color_set_of,
};
use crate::seeds::{Crashed, poll};
use eframe::egui;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Coming pairs that are told to be certain at most.
pub const CERTAIN: u32 = 24;
/// Pairs that the prediction view gets to draw after those in the queue.
const AHEAD: u32 = 64;
/// Games that are copied at most.
const COPIED: usize = 1000;

/// What the 65,536 games of Puyo Puyo!! 20th Anniversary say.
pub struct Anniversary {
    /// What was asked.
    pub asked: Asked,
    /// The same for the searcher.
    pub query: anniversary::Query,
    /// What it said.
    pub result: Result<anniversary::Answer, anniversary::Impossible>,
    /// Coming pairs on which all games agree, named as in the question.
    pub certain: Vec<anniversary::Seen>,
    /// The pair (from 0) with which they part.
    pub parts_at: Option<u32>,
    seconds: f64,
}

impl Anniversary {
    fn of(asked: Asked, narrowing: &mut Option<Narrowing<'static>>) -> Self {
        let began = Instant::now();
        let pool = PoolId::of_colors(usize::from(asked.colors)).unwrap_or(PoolId::Four);
        let query = anniversary::Query {
            relabel: asked.relabel,
            unordered: asked.unordered,
            ..anniversary::Query::sequence(pool, asked.first(), &asked.seen())
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
        let (certain, parts_at) = match &result {
            Ok(answer) => anniversary::certain(&query, answer, CERTAIN),
            Err(_) => Default::default(),
        };
        Self { asked, query, result, certain, parts_at, seconds: began.elapsed().as_secs_f64() }
    }

    /// The same text as the command line prints.
    #[must_use]
    pub fn report(&self) -> anniversary::Report {
        anniversary::Report::new(&self.query, self.result.as_ref(), COPIED, 12, self.seconds)
    }

    /// Why no game does this; None when one does.
    #[must_use]
    pub fn nobody(&self) -> Option<String> {
        let nothing = !self.result.as_ref().is_ok_and(|answer| !answer.seeds.is_empty());
        let report = || anniversary::Report::new(&self.query, self.result.as_ref(), 0, 0, 0.0);
        nothing.then(|| report().nobody()).flatten()
    }

    /// Everything about one game for the prediction view.
    #[must_use]
    pub fn shown(&self, seed: Seed) -> FromSeed {
        let (pool, next) = (self.query.pool, self.query.next_pair());
        let round = puyo_20th::generate(seed);
        let pairs = |id, from: u32, count: u32| -> Vec<Pair> {
            (0..count).filter_map(|n| round.pair(id, from.wrapping_add(n))).collect()
        };
        let title = format!("Seed 0x{seed:04X}");
        let what =
            format!("seed 0x{seed:04X} of {}, {} colours", super::Game::Anniversary.name(), pool.colors());
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
        FromSeed { what, shown: Shown { players: vec![player], pools, ..Shown::default() } }
    }
}

/// The coming pairs of one game from pair `next` (from 0) on.
fn player(
    title: String,
    next: u32,
    pair: impl Fn(u32) -> Option<Pair>,
    stands: impl Fn(u32) -> (usize, usize),
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
            None => "Before the first pair of the round".into(),
            Some(last) => {
                format!("Pair {next} of the round was seen last, position {} of 128", stands(last).1 + 1)
            }
        },
        pool: None,
        stands: last.map(stands),
        score: None,
        board: None,
    }
}

/// A round that was computed, for the prediction view: nothing of it comes from an emulator.
#[derive(Debug, Clone, PartialEq)]
pub struct FromSeed {
    /// What it is: "seed 0x6119 of Puyo Puyo!! 20th Anniversary, 4 colours".
    pub what: String,
    /// What it deals.
    pub shown: Shown,
}

/// The thread that asks the 65,536 games: its first answer takes some milliseconds, later ones microseconds.
pub struct Worker {
    jobs: Sender<Asked>,
    answers: Receiver<Box<Anniversary>>,
}

/// How long a frame waits for an answer that is nearly always there by then.
const MOMENT: Duration = Duration::from_millis(2);

impl Worker {
    /// Starts it; `ctx` is asked for a frame whenever there is an answer.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(ctx: egui::Context) -> std::io::Result<Self> {
        let (jobs, asked) = channel::<Asked>();
        let (send, answers) = channel();
        let work = move || {
            let mut narrowing = None;
            while let Ok(mut job) = asked.recv() {
                while let Ok(newer) = asked.try_recv() {
                    job = newer;
                }
                if send.send(Box::new(Anniversary::of(job, &mut narrowing))).is_err() {
                    return;
                }
                ctx.request_repaint();
            }
        };
        std::thread::Builder::new().name("seeds".into()).spawn(work)?;
        Ok(Self { jobs, answers })
    }

    /// Asks; false when the thread has ended.
    pub fn ask(&self, asked: &Asked) -> bool {
        self.jobs.send(asked.clone()).is_ok()
    }

    /// The newest answer, waited for only for a moment.
    ///
    /// # Errors
    /// When the thread has ended, which it does only by a fault.
    pub fn answer(&self) -> Result<Option<Box<Anniversary>>, ()> {
        let mut newest = match self.answers.recv_timeout(MOMENT) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => return Err(()),
        };
        while let Ok(newer) = self.answers.try_recv() {
            newest = newer;
        }
        Ok(Some(newest))
    }
}

/// A question to Puyo Puyo Tsu that can be searched for.
#[derive(Clone)]
pub struct Ready {
    seen: tsu::Seen,
    query: tsu::Query,
    /// Roughly how many states show it.
    pub expected: f64,
}

impl Ready {
    /// From what was entered; None when there is nothing to search by.
    ///
    /// # Errors
    /// Why no game can show it, in a sentence.
    pub fn of(asked: &Asked) -> Result<Option<Self>, String> {
        let setup = Setup { mode: u8::from(!asked.story), ..Setup::VERSUS };
        let mut seen = tsu::Seen::nothing(setup);
        seen.level = Level(asked.level.saturating_sub(1));
        seen.unordered = asked.unordered;
        let pairs = (asked.first()..).zip(asked.seen());
        seen.pairs = pairs
            .map(|(deal_index, pair)| SeenPair { deal_index, axis: pair.axis, child: pair.child })
            .collect();
        if !asked.color_set.trim().is_empty() {
            let bytes = hexadecimal(&asked.color_set).ok_or_else(|| {
                format!(
                    "{:?} is no colour set: give 8 bytes or the first 5, such as 0400050301",
                    asked.color_set
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

/// What all states of Puyo Puyo Tsu say.
pub struct Tsu {
    /// What was asked.
    pub asked: Asked,
    seen: tsu::Seen,
    query: tsu::Query,
    /// The states.
    pub found: Found,
    /// The games that they make; None when there are too many to compare.
    pub answer: Option<tsu::Answer>,
    /// Coming pairs on which all games agree.
    pub certain: Vec<Pair>,
    effort: Effort,
    seconds: f64,
}

impl Tsu {
    fn of(asked: Asked, ready: Ready, found: Found, effort: Effort, began: Instant) -> Self {
        let Ready { seen, query, .. } = ready;
        let comparable = found.complete && found.states.len() <= COMPARED;
        let answer = comparable.then(|| tsu::classes(&found.states, query.setup(), query.dealer()));
        let next = tsu::first_unseen(&seen);
        let certain = answer.as_ref().map(|answer| tsu::certain(answer, query.dealer(), next, CERTAIN));
        let certain = certain.unwrap_or_default();
        Self { asked, seen, query, found, answer, certain, effort, seconds: began.elapsed().as_secs_f64() }
    }

    /// The same text as the command line prints.
    #[must_use]
    pub fn report(&self) -> tsu::Report {
        let method = Method::Searched(self.effort);
        let (answer, found) = (self.answer.as_ref(), &self.found);
        tsu::Report::new(&self.seen, &self.query, found, answer, method, COPIED, self.seconds)
    }

    /// The first pair that was not seen, from 0.
    #[must_use]
    pub fn next(&self) -> u32 {
        tsu::first_unseen(&self.seen)
    }

    /// Coming pairs of a state's game.
    #[must_use]
    pub fn coming(&self, state: State, count: u32) -> Vec<Pair> {
        let round = puyo_tsu::generate(state, self.query.setup());
        let pools = round.pools.map(|pool| pool.unwrap_or([0; 256]));
        let next = self.next();
        (next..next.saturating_add(count)).filter_map(|n| self.query.dealer().pair(&pools, n)).collect()
    }

    /// Everything about one game for the prediction view.
    #[must_use]
    pub fn shown(&self, state: State) -> FromSeed {
        let round = puyo_tsu::generate(state, self.query.setup());
        let dealer = self.query.dealer();
        let bytes = round.pools.map(|pool| pool.unwrap_or([0; 256]));
        let mode =
            if self.asked.story { "story".into() } else { format!("versus, level {}", self.asked.level) };
        let what = format!("state {state} before a round of {}, {mode}", super::Game::Tsu.name());
        let stands = |last| (dealer.pool(last).map_or(0, PoolId::index), pool_pair(last));
        let pool = dealer.pool(self.next().max(3));
        let player = Player {
            captions: pool.iter().map(ToString::to_string).collect(),
            pool: pool.map(PoolId::index),
            ..player(format!("State {state}"), self.next(), |n| dealer.pair(&bytes, n), stands)
        };
        let pools = PoolId::ALL.into_iter().filter_map(|id| {
            let pairs = round.pool(id)?.chunks_exact(2).map(|pair| Pair::from_bytes(pair[0], pair[1]));
            Some(Pool { id, pairs: pairs.collect() })
        });
        let pools = pools.collect();
        FromSeed { what, shown: Shown { players: vec![player], pools, ..Shown::default() } }
    }
}

/// A search over all states, or over those that a wider one found, on threads of its own. Dropping it cancels it.
pub struct Search {
    /// What is asked.
    pub asked: Asked,
    /// Whether all states are tried, not only those found before.
    pub whole: bool,
    began: Instant,
    progress: Arc<Progress>,
    result: Receiver<Box<Tsu>>,
}

impl Search {
    /// Starts it; `ctx` is asked for a frame at the end.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        asked: &Asked,
        ready: Ready,
        among: Option<&Found>,
        ctx: egui::Context,
    ) -> std::io::Result<Self> {
        let (send, result) = channel();
        let (began, progress) = (Instant::now(), Arc::new(Progress::default()));
        let (theirs, question) = (Arc::clone(&progress), asked.clone());
        let (among, effort) = (among.cloned(), Effort::default());
        let whole = among.is_none();
        std::thread::Builder::new().name("seeds".into()).spawn(move || {
            let found = match among {
                None => tsu::find(&ready.query, effort, &theirs),
                Some(mut found) => {
                    let setup = ready.query.setup();
                    found.states.retain(|state| {
                        !theirs.cancel.load(Ordering::Relaxed)
                            && ready.query.fits(&puyo_tsu::generate(*state, setup))
                    });
                    Some(found)
                }
            };
            if let Some(found) = found.filter(|_| !theirs.cancel.load(Ordering::Relaxed)) {
                let _ = send.send(Box::new(Tsu::of(question, ready, found, effort, began))); // cancelled meanwhile
                ctx.request_repaint();
            }
        })?;
        Ok(Self { asked: asked.clone(), whole, began, progress, result })
    }

    /// The share of the states that were tried, and about how long the rest will take, once that can be told.
    #[must_use]
    pub fn progress(&self) -> (f64, Option<Duration>) {
        let share = self.progress.share();
        let left = (share > 0.005).then(|| self.began.elapsed().mul_f64((1.0 - share).max(0.0) / share));
        (share, left)
    }

    /// Games found so far.
    #[must_use]
    pub fn found(&self) -> u64 {
        self.progress.found.load(Ordering::Relaxed)
    }

    /// What was found, at the end; None before that.
    ///
    /// # Errors
    /// [`Crashed`] when the thread ended without an answer.
    pub fn poll(&self) -> Result<Option<Box<Tsu>>, Crashed> {
        poll(&self.result)
    }
}

#[cfg(test)]
impl Search {
    /// One whose thread has ended without an answer.
    pub fn crashed(asked: &Asked) -> Self {
        let (asked, began) = (asked.clone(), Instant::now());
        Self { asked, whole: true, began, progress: Arc::default(), result: channel().1 }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }
}

/// What the emulator that is attached has dealt to the first player whose place is known; None when there is no such round.
#[must_use]
pub fn from_emulator(data: &Data) -> Option<Asked> {
    let shown = data.view()?;
    let player = shown.players.iter().find(|player| player.dealt.is_some_and(|dealt| dealt > 0))?;
    let dealt = u32::from(player.dealt?);
    let pool = shown.pools.get(player.pool?)?;
    let puyos = |pairs: Vec<Pair>| -> Vec<Option<Color>> {
        pairs.into_iter().flat_map(|pair| [Some(pair.axis), Some(pair.child)]).collect()
    };
    let mut asked = Asked::default();
    let observation = data.observation.as_ref().ok()?;
    if let Some(seen) = observation.get::<crate::live::puyo_tsu::Observation>() {
        let player = seen.players.iter().find(|player| player.pairs_dealt > 0)?;
        let dealer = puyo_tsu::Dealer { mode: seen.setup.mode, level: player.level, dealing: seen.dealing };
        asked.game = super::Game::Tsu;
        asked.level = player.level.0.saturating_add(1).clamp(1, 5);
        asked.story = !seen.setup.is_versus();
        asked.color_set = seen.color_set.iter().map(|byte| format!("{byte:02X}")).collect();
        asked.set_puyos(&puyos((0..dealt).filter_map(|n| dealer.pair(&seen.pools, n)).collect()));
    } else {
        asked.colors = u8::try_from(pool.id.colors()).ok()?;
        let pairs = (0..dealt as usize).filter_map(|n| pool.pairs.get(n % 128).copied());
        asked.set_puyos(&puyos(pairs.collect()));
    }
    Some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(state: State, pairs: u32) -> Asked {
        let round = puyo_tsu::generate(state, Setup::VERSUS);
        let dealer = tsu::Seen::nothing(Setup::VERSUS).dealer();
        let pools = round.pools.map(|pool| pool.unwrap());
        let dealt = (0..pairs).map(|n| dealer.pair(&pools, n).unwrap());
        let mut asked = Asked { game: super::super::Game::Tsu, ..Asked::default() };
        asked.set_puyos(&dealt.flat_map(|pair| [Some(pair.axis), Some(pair.child)]).collect::<Vec<_>>());
        asked
    }

    fn narrowed(asked: &Asked, states: Vec<State>) -> Box<Tsu> {
        let ready = Ready::of(asked).unwrap().unwrap();
        let among = Found { states, complete: true, stopped: false };
        let search = Search::start(asked, ready, Some(&among), egui::Context::default()).unwrap();
        assert!(!search.whole);
        search.result.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    #[test]
    fn states_found_before_are_narrowed_down_by_more_pairs() {
        let right = State(0x1234_5678);
        let others = (0..200).map(State).chain([right]);
        let found = narrowed(&asked(right, 12), others.collect());
        assert_eq!(found.found.states, [right]);
        assert_eq!((found.next(), found.certain.len()), (12, CERTAIN as usize));
        assert_eq!(found.certain, found.coming(right, CERTAIN));
        let shown = found.shown(right).shown;
        let player = &shown.players[0];
        assert_eq!(player.pairs[..CERTAIN as usize], found.certain);
        let (pool, at) = player.stands.unwrap();
        assert_eq!(
            Some(shown.pools[pool].pairs[at]),
            player.current,
            "the mark stands on the pair dealt last"
        );
        let text: serde_json::Value = serde_json::from_str(&found.report().json()).unwrap();
        assert_eq!(text["states"][0]["state"], "0x12345678");
    }

    #[test]
    fn games_that_agree_are_certain_up_to_where_they_part() {
        let found = narrowed(&asked(State(0x1234_5678), 1), (0..4000).map(State).collect());
        let answer = found.answer.as_ref().unwrap();
        assert!(answer.classes.len() > 10, "one pair leaves many games");
        let Some(tsu::Parting::Pair { deal_index }) = answer.parts_at else { panic!("they part in a pair") };
        assert_eq!(u32::try_from(found.certain.len()).unwrap(), deal_index - 1);
    }

    #[test]
    fn what_no_game_shows_and_what_is_no_colour_set_is_told() {
        let mut question = asked(State(1), 0);
        question.read("RG BY").unwrap();
        assert!(Ready::of(&question).err().unwrap().contains("pair 2"));
        question.read("RG").unwrap();
        question.color_set = "04000".into();
        assert!(Ready::of(&question).err().unwrap().contains("no colour set"));
        // Level 1 deals from the first three of the set: here no green.
        question.color_set = "0400050301".into();
        assert!(Ready::of(&question).err().unwrap().contains("fails at pair 1"));
        question.color_set = "0403000501".into();
        assert!(Ready::of(&question).unwrap().is_some());
        assert!(Ready::of(&asked(State(1), 0)).unwrap().is_none());
    }
}
