//! The result as a table, JSON and comma-separated values, the same text in every interface.

use crate::games::puyo_tsu::seeds::check::Impossible;
use crate::games::puyo_tsu::seeds::classes::{Answer, RoundDifference};
use crate::games::puyo_tsu::seeds::observations::Observations;
use crate::games::puyo_tsu::seeds::query::Query;
use crate::games::puyo_tsu::seeds::search::{Effort, FoundStates, MAX_STATES};
use crate::games::puyo_tsu::{Color, Dealer, POOL_LEN, Pair, Shuffle, State, generate};
use crate::json::{self, Coding, ColorOrder, Envelope, FoundState, Kind, Searched, codes};
use serde::Serialize;

/// The most states whose rounds are generated and compared; with more, the observations say too little.
pub const MAX_COMPARED: usize = 100_000;

/// Coming pairs that are listed.
const NEXT: u32 = 16;

/// How states were found.
#[derive(Debug, Clone, Copy)]
pub enum Method {
    /// Walked back from the state just after the round.
    WalkedBack,
    /// All states were tried.
    Searched(Effort),
}

#[derive(Debug, Clone, Serialize)]
struct QueryReport {
    /// Letters, `?` for an unknown puyo.
    pairs: Vec<String>,
    at: u32,
    unordered: bool,
    mode: &'static str,
    rank: u8,
    pop_count: u8,
    level: u8,
    dealing: &'static str,
    shuffle: Shuffle,
    color_sets: usize,
    known_bytes: usize,
}

/// The query and its result.
#[derive(Debug)]
pub struct Report {
    query: Option<QueryReport>,
    /// Why no game can match, if none can.
    impossible: Option<String>,
    method: &'static str,
    /// The listed states, with the round that each generates.
    listed: Vec<FoundState>,
    count: usize,
    /// Whether all matching states were found.
    complete: bool,
    /// Whether the search was stopped before all states were tried.
    cancelled: bool,
    /// States per round, if there are few enough to compare.
    classes: Option<Vec<usize>>,
    same_game: Option<bool>,
    differs_at: Option<String>,
    differ_at: Option<u64>,
    color_set: Option<String>,
    /// The number in the round of the first of the next pairs.
    next_at: u32,
    next_pairs: Vec<String>,
    /// Whether certainty is unknown: there are too many states to compare.
    unknown: bool,
    seconds: f64,
    simd: Option<&'static str>,
    threads: usize,
    /// The listed states with the numbers of their rounds.
    numbered: Vec<(State, Option<usize>)>,
}

impl Report {
    /// The report of a search, with at most `limit` states. `answer` is None if there are too many states to compare.
    pub fn new(
        observed: &Observations,
        query: &Query,
        found: &FoundStates,
        answer: Option<&Answer>,
        method: Method,
        limit: usize,
        seconds: f64,
    ) -> Self {
        let next_at = first_unobserved(observed);
        let next = answer.map(|answer| certain(answer, query.dealer(), next_at, NEXT)).unwrap_or_default();
        let same = |answer: &Answer| !answer.classes.is_empty() && answer.differs_at.is_none();
        let set = answer.filter(|answer| same(answer)).and_then(|answer| answer.classes.first());
        let (method, simd, threads) = match method {
            Method::WalkedBack => ("walked-back", None, 1),
            Method::Searched(effort) => ("all-states", Some(effort.vectors.name()), effort.threads.get()),
        };
        let mut numbered = numbered(found, answer);
        numbered.truncate(limit);
        let pair = |pair: &super::ObservedPair| {
            let letter = |color: Option<Color>| color.map_or('?', Color::letter);
            [letter(pair.axis), letter(pair.child)].into_iter().collect()
        };
        let listed = numbered.iter().map(|&(state, game)| listed(state, game, query, next_at)).collect();
        Self {
            query: Some(QueryReport {
                pairs: observed.pairs.iter().map(pair).collect(),
                at: observed.pairs.first().map_or(0, |pair| pair.deal_index) + 1,
                unordered: observed.unordered,
                rank: observed.setup.rank,
                pop_count: observed.setup.pop_count,
                mode: if observed.setup.is_versus() { "versus" } else { "story" },
                level: observed.level.0 + 1,
                dealing: observed.dealing.id(),
                shuffle: observed.setup.shuffle,
                color_sets: query.color_sets().len(),
                known_bytes: query.known_bytes(),
            }),
            impossible: None,
            method,
            listed,
            count: found.states.len(),
            complete: found.complete,
            cancelled: found.stopped,
            classes: answer.map(|answer| answer.classes.iter().map(|class| class.states.len()).collect()),
            same_game: answer.filter(|answer| !answer.classes.is_empty()).map(same),
            differs_at: answer.and_then(|answer| answer.differs_at).map(describe_difference),
            differ_at: answer.and_then(|answer| match answer.differs_at {
                Some(RoundDifference::Pair { deal_index }) => Some(u64::from(deal_index) + 1),
                _ => None,
            }),
            unknown: answer.is_none(),
            color_set: set
                .map(|class| class.round.color_set.iter().map(|byte| format!("{byte:02X}")).collect()),
            next_at: next_at + 1,
            next_pairs: next.iter().map(|pair| pair.letters()).collect(),
            seconds,
            simd,
            threads,
            numbered,
        }
    }

    /// The report that no game can match the observations; `at` is the number of the first given pair, from 1.
    pub fn impossible(at: u32, why: &Impossible) -> Self {
        Self {
            query: None,
            impossible: Some(why.to_string()),
            method: "none",
            listed: Vec::new(),
            count: 0,
            complete: true,
            cancelled: false,
            classes: None,
            same_game: None,
            differs_at: None,
            differ_at: None,
            unknown: false,
            color_set: None,
            next_at: at,
            next_pairs: Vec::new(),
            seconds: 0.0,
            simd: None,
            threads: 0,
            numbered: Vec::new(),
        }
    }

    /// The object that `find puyo-tsu --json` prints.
    pub fn object(&self) -> Envelope<json::Found<impl Serialize + use<>>> {
        let body = json::Found {
            game: crate::games::puyo_tsu::ID.id(),
            variant: None,
            query: self.query.clone(),
            starts: 1 << u32::BITS,
            count: self.count as u64,
            complete: self.complete,
            stopped: self.cancelled,
            impossible: self.impossible.clone(),
            first_failure: None,
            games: self.classes.as_ref().map(|classes| classes.len() as u64),
            differ_at: self.differ_at,
            seeds_each: 1,
            states: self.listed.clone(),
            next_at: Some(self.next_at.into()),
            certain: (!self.unknown).then(|| self.next_pairs.clone()),
            chances: None,
            search: Searched {
                method: self.method,
                simd: self.simd,
                threads: Some(self.threads).filter(|&threads| threads > 0),
                elapsed_seconds: self.seconds,
            },
        };
        Envelope::new(Kind::Find, body)
    }

    /// The object on one line.
    pub fn json(&self) -> String {
        self.object().text() + "\n"
    }

    /// One line per state, after a header line.
    pub fn csv(&self) -> String {
        let game = |game: Option<usize>| game.map(|n| n.to_string()).unwrap_or_default();
        let lines = self.numbered.iter().map(|(state, number)| format!("{state},{}\n", game(*number)));
        std::iter::once("state,game\n".to_owned()).chain(lines).collect()
    }

    /// A summary, the states, and the coming pairs that are certain.
    pub fn table(&self) -> String {
        let mut all = self.sentence() + "\n";
        if self.impossible.is_some() {
            return all;
        }
        let games = self.classes.as_ref().map_or(0, Vec::len);
        for (state, game) in &self.numbered {
            let game = game.filter(|_| games > 1).map(|n| format!("  game {n}")).unwrap_or_default();
            all += &format!("{state}{game}\n");
        }
        if self.count > self.numbered.len() {
            all += &format!("... and {} more (--limit)\n", self.count - self.numbered.len());
        }
        if let Some(set) = &self.color_set {
            all += &format!("colour set   {set}\n");
        }
        if !self.next_pairs.is_empty() {
            all += &format!("pairs {} on  {}\n", self.next_at, self.next_pairs.join(" "));
        }
        all + &match self.simd {
            Some(simd) if self.cancelled => {
                format!("stopped after {:.1} s, {simd} on {} threads\n", self.seconds, self.threads)
            }
            Some(simd) => {
                format!("all 2^32 states in {:.1} s, {simd} on {} threads\n", self.seconds, self.threads)
            }
            None => format!("walked back in {:.1} ms\n", self.seconds * 1000.0),
        }
    }

    /// A one-sentence summary.
    pub fn sentence(&self) -> String {
        if let Some(why) = &self.impossible {
            return format!("no seed produces this: {why}");
        }
        let count = self.count;
        let states = if count == 1 { "1 state".into() } else { format!("{count} states") };
        if self.cancelled {
            return format!("{states} found before the search was stopped; there may be more");
        }
        match (self.complete, count, self.same_game) {
            (false, ..) => format!("more than {MAX_STATES} states match: enter more pairs"),
            (true, 0, _) if self.method == "walked-back" => {
                "no seed produces this: no state leads to the given one, so it is not the state right after the generation of this round"
                    .into()
            }
            (true, 0, _) => "no seed produces this: all 4294967296 states were tried".into(),
            (true, _, None) => format!("{states} match, too many to compare: enter more pairs"),
            (true, 1, Some(_)) => "1 state matches".into(),
            (true, _, Some(true)) => format!("{states} match, all with the same round"),
            (true, _, Some(false)) => format!(
                "{states} match, with {} different rounds that first differ at {}",
                self.classes.as_ref().map_or(0, Vec::len),
                self.differs_at.as_deref().unwrap_or_default()
            ),
        }
    }
}

/// The first pair after all observed ones, from 0.
pub fn first_unobserved(observed: &Observations) -> u32 {
    observed.pairs.iter().map(|pair| pair.deal_index.saturating_add(1)).max().unwrap_or(0)
}

/// The coming pairs from pair `first` (from 0) on, at most `count`, on which all found rounds agree.
pub fn certain(answer: &Answer, dealer: Dealer, first: u32, count: u32) -> Vec<Pair> {
    let Some(class) = answer.classes.first() else { return Vec::new() };
    let pools = class.round.pools.map(|pool| pool.unwrap_or([0; POOL_LEN]));
    let certain_until = match answer.differs_at {
        Some(RoundDifference::Pair { deal_index }) => deal_index,
        _ => u32::MAX,
    };
    let coming = (first..first.saturating_add(count)).take_while(|&index| index < certain_until);
    coming.filter_map(|index| dealer.pair(&pools, index)).collect()
}

/// Where rounds first differ, as it follows "differ at".
pub fn describe_difference(parting: RoundDifference) -> String {
    match parting {
        RoundDifference::Pair { deal_index } => format!("pair {}", u64::from(deal_index) + 1),
        RoundDifference::Pool { pool, index } => {
            format!("{pool}, byte {index}, which is never dealt to this player")
        }
        RoundDifference::ColorSet => "the order of the colours, which is not visible".into(),
    }
}

/// A state with the first pairs that it deals from `next_at` (from 0) on.
fn listed(state: State, game: Option<usize>, query: &Query, next_at: u32) -> FoundState {
    let round = generate(state, query.setup());
    let pools = round.pools.map(|pool| pool.unwrap_or([0; POOL_LEN]));
    let coming = next_at..next_at.saturating_add(NEXT);
    let next: Vec<Pair> = coming.filter_map(|index| query.dealer().pair(&pools, index)).collect();
    FoundState {
        state: state.to_string(),
        state_after: Some(round.after.to_string()),
        game,
        color_order: Some(ColorOrder::of_set(&round.color_set)),
        next_codes: codes(&next, Some(Coding::Colors)),
        next: next.into_iter().map(Pair::letters).collect(),
        ..FoundState::default()
    }
}

/// Each state with the number of its round.
fn numbered(found: &FoundStates, answer: Option<&Answer>) -> Vec<(State, Option<usize>)> {
    let Some(answer) = answer else { return found.states.iter().map(|&state| (state, None)).collect() };
    let classes = answer.classes.iter().enumerate();
    let mut all: Vec<_> =
        classes.flat_map(|(n, class)| class.states.iter().map(move |&state| (state, Some(n + 1)))).collect();
    all.sort_unstable();
    all
}
