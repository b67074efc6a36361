//! The result as a table, JSON and comma-separated values, the same text in every interface.

use crate::games::puyo_20th::seeds::forecast::upcoming;
use crate::games::puyo_20th::seeds::query::{Impossible, Query};
use crate::games::puyo_20th::seeds::search::{Answer, FirstFailure, labels};
use crate::games::puyo_20th::seeds::{Chance, GAMES};
use crate::games::puyo_20th::{Color, ColorMap, Pair, Seed, generate};
use crate::json::{self, Envelope, Found, FoundState, Kind, Name, Searched, codes};
use crate::pairs::PartialPair;
use crate::seeds::text;
use serde::Serialize;
use std::collections::BTreeMap;

/// The query and its result.
#[derive(Debug)]
pub struct Report {
    colors: usize,
    query: QueryReport,
    count: usize,
    seeds: Vec<Game>,
    next: Vec<Next>,
    /// The number of the pair that `next` refers to, from 1.
    next_pair: u32,
    certain: Vec<String>,
    differ_at: Option<u64>,
    first_failure: Option<Failed>,
    impossible: Option<String>,
    seconds: f64,
}

#[derive(Debug, Clone, Serialize)]
struct QueryReport {
    /// Letters, `?` for an unknown puyo.
    pairs: Vec<String>,
    at: u32,
    colors: usize,
    relabel: bool,
    unordered: bool,
    state: Option<String>,
}

/// A game that matches.
#[derive(Debug)]
struct Game {
    seed: String,
    map: ColorMap,
    color_map: String,
    state_after: String,
    /// For each colour of the query, the real colours that it can represent in this game.
    relabel: Option<BTreeMap<char, String>>,
    pairs: Vec<Pair>,
    next: Vec<String>,
}

#[derive(Debug)]
struct Next {
    pair: String,
    count: u32,
    chance: f64,
}

#[derive(Debug)]
enum Failed {
    /// No generation ends in this state.
    State(String),
    Pair {
        /// The pair that no game matches after those before it, from 1.
        pair: u32,
        /// The number of games that match the pairs before it; None if no search was needed.
        games_before: Option<u32>,
    },
}

impl Report {
    /// The report of `result` for `query`, with at most `limit` games and `next` coming pairs of each.
    pub fn new(
        query: &Query,
        result: Result<&Answer, &Impossible>,
        limit: usize,
        next: u32,
        seconds: f64,
    ) -> Self {
        let nothing = Answer { next_pair: query.next_pair(), ..Answer::default() };
        let answer = result.unwrap_or(&nothing);
        let state = query.state.map(|state| state.to_string());
        let failed = |failure| match failure {
            FirstFailure::State => Failed::State(state.clone().unwrap_or_default()),
            FirstFailure::Pair { pair, games_before } => {
                Failed::Pair { pair: pair + 1, games_before: Some(games_before) }
            }
        };
        let at_once = result.err().map(|why| Failed::Pair { pair: why.pair() + 1, games_before: None });
        let pairs = query.in_order();
        let (agreed, differs_at) = certain(query, answer, next);
        Self {
            certain: agreed.into_iter().map(PartialPair::letters).collect(),
            differ_at: differs_at.map(|pair| u64::from(pair) + 1),
            colors: query.pool.colors(),
            query: QueryReport {
                pairs: pairs.iter().map(|(_, observed)| observed.letters()).collect(),
                colors: query.pool.colors(),
                at: pairs.first().map_or(0, |pair| pair.0) + 1,
                relabel: query.relabel,
                unordered: query.unordered,
                state: state.clone(),
            },
            count: answer.seeds.len(),
            seeds: answer.seeds.iter().take(limit).map(|&seed| Game::of(query, seed, next)).collect(),
            next: chances(answer),
            next_pair: answer.next_pair + 1,
            first_failure: answer.first_failure.map(failed).or(at_once),
            impossible: result.err().map(ToString::to_string),
            seconds,
        }
    }

    /// The object that `find puyo-20th --json` prints.
    pub fn object(&self) -> Envelope<Found<impl Serialize + use<>>> {
        let name = |(&name, colors): (&char, &String)| Name { name, colors: colors.chars().collect() };
        let state = |game: &Game| FoundState {
            state: game.seed.clone(),
            state_after: Some(game.state_after.clone()),
            color_order: Some(game.map.order()),
            names: game.relabel.as_ref().map(|names| names.iter().map(name).collect()),
            next_codes: codes(&game.pairs, Some(game.map.coding())),
            next: game.next.clone(),
            ..FoundState::default()
        };
        let chance = |next: &Next| json::Chance {
            next: next.pair.clone(),
            count: Some(next.count.into()),
            chance: next.chance,
        };
        let failure = |failed: &Failed| match failed {
            Failed::State(state) => {
                json::FirstFailure { index: None, given: state.clone(), left_before: None }
            }
            Failed::Pair { pair, games_before } => {
                let index = pair.saturating_sub(self.query.at) as usize;
                let given = self.query.pairs.get(index).cloned().unwrap_or_default();
                json::FirstFailure { index: Some(index + 1), given, left_before: games_before.map(u64::from) }
            }
        };
        let body = Found {
            game: crate::games::puyo_20th::ID.id(),
            variant: None,
            query: Some(self.query.clone()),
            starts: GAMES as u64,
            count: self.count as u64,
            complete: true,
            stopped: false,
            impossible: self.impossible.clone(),
            first_failure: self.first_failure.as_ref().map(failure),
            games: Some(self.count as u64),
            differ_at: self.differ_at,
            seeds_each: 1,
            states: self.seeds.iter().map(state).collect(),
            next_at: Some(self.next_pair.into()),
            certain: Some(self.certain.clone()),
            chances: Some(self.next.iter().map(chance).collect()),
            search: Searched {
                method: if self.impossible.is_some() { "none" } else { "all-states" },
                simd: None,
                threads: None,
                elapsed_seconds: self.seconds,
            },
        };
        Envelope::new(Kind::Find, body)
    }

    /// The object on one line.
    pub fn json(&self) -> String {
        self.object().text() + "\n"
    }

    /// One line per game, after a header line.
    pub fn csv(&self) -> String {
        let column = if self.query.relabel { ",relabel" } else { "" };
        let mut all = format!("seed,color_map{column},next\n");
        for game in &self.seeds {
            let relabel = game.relabel.as_ref().map(|relabel| format!(",{}", renaming(relabel)));
            let relabel = relabel.unwrap_or_default();
            all += &format!("{},{}{relabel},{}\n", game.seed, game.color_map, game.next.join(" "));
        }
        all
    }

    /// The games, their number, and the chances of the next pair; or why no game matches.
    pub fn table(&self) -> String {
        if let Some(reason) = self.no_match_reason() {
            return format!("no seed produces this sequence: {reason}\n");
        }
        let coming = format!("from pair {} on", self.next_pair);
        let mut head = vec!["seed", "colours", coming.as_str()];
        if self.query.relabel {
            head.insert(2, "relabelled");
        }
        let row = |game: &Game| {
            let renaming = game.relabel.as_ref().map(renaming);
            let cells =
                [Some(game.seed.clone()), Some(game.color_map.clone()), renaming, Some(game.next.join(" "))];
            cells.into_iter().flatten().collect()
        };
        let rows: Vec<Vec<String>> = self.seeds.iter().map(row).collect();
        let mut all = if rows.is_empty() { String::new() } else { text::table(&head, &rows) };
        let listed =
            if rows.len() < self.count { format!(", first {} shown", rows.len()) } else { String::new() };
        let remain = if self.count == 1 { "remains" } else { "remain" };
        all += &format!("{} of {GAMES} games {remain} ({} colours){listed}\n", self.count, self.colors);
        if self.count > 1 {
            let named = if self.query.relabel { " (colours as entered; ? was not entered yet)" } else { "" };
            all += &format!("chances of pair {}{named}:\n", self.next_pair);
            for next in &self.next {
                all += &format!("  {}  {:5.1} %  {}\n", next.pair, 100.0 * next.chance, next.count);
            }
        }
        all
    }

    /// Why no game matches, with the first pair that fails; None if one does.
    pub fn no_match_reason(&self) -> Option<String> {
        if let Some(why) = &self.impossible {
            return Some(why.clone());
        }
        Some(match self.first_failure.as_ref()? {
            Failed::State(state) => {
                format!(
                    "no generation ends in state {state}; read the state right after the pools are generated"
                )
            }
            Failed::Pair { pair, games_before } => {
                let before = u64::from(games_before.unwrap_or_default());
                let of =
                    if self.query.state.is_some() { "the state's game".into() } else { games_of(before) };
                format!("it fails at pair {pair} (matching before it: {of})")
            }
        })
    }
}

impl Game {
    fn of(query: &Query, seed: Seed, count: u32) -> Self {
        let (map, pairs) = upcoming(seed, query.pool, query.next_pair(), count);
        Self {
            seed: format!("0x{seed:04X}"),
            map,
            color_map: map.letters(),
            state_after: generate(seed).after.to_string(),
            relabel: query.relabel.then(|| names(query, seed)),
            next: pairs.iter().copied().map(Pair::letters).collect(),
            pairs,
        }
    }
}

/// For each colour of the query, the real colours that it can represent in this game.
fn names(query: &Query, seed: Seed) -> BTreeMap<char, String> {
    let (map, _) = upcoming(seed, query.pool, 0, 0);
    let readings = labels(query, seed);
    let stands_for = |label: Color| {
        let digits = readings.iter().filter_map(|labels| labels.digit(label));
        let mut letters: Vec<char> = digits.filter_map(|digit| map.color(digit)).map(Color::letter).collect();
        letters.sort_unstable();
        letters.dedup();
        (!letters.is_empty()).then(|| (label.letter(), letters.into_iter().collect()))
    };
    Color::PAIR_COLORS.into_iter().filter_map(stands_for).collect()
}

/// The real colours of a relabelled query in a game: "R=Y G=B", or "R=BY" if a name can represent several.
pub fn color_names(query: &Query, seed: Seed) -> String {
    renaming(&names(query, seed))
}

/// The coming pairs on which all matching games agree, at most `count`, with the colour names of the query; and the first pair (from 0)
/// at which they differ, None if they do not differ within these.
///
/// With names only, a puyo is None if the only matching game has a colour there without a name. Among several games such a
/// puyo is inconclusive, so it counts as a difference.
pub fn certain(query: &Query, answer: &Answer, count: u32) -> (Vec<PartialPair>, Option<u32>) {
    let first = answer.next_pair;
    let mut agreed: Option<Vec<PartialPair>> = None;
    let conclusive = |pair: &PartialPair| answer.seeds.len() == 1 || pair.known().count() == 2;
    if let [Chance { pair, .. }] = answer.next.as_slice()
        && conclusive(pair)
    {
        for &seed in &answer.seeds {
            let pairs = named(query, seed, first, count);
            let same = match &agreed {
                None => pairs.iter().take_while(|pair| conclusive(pair)).count(),
                Some(agreed) => agreed.iter().zip(&pairs).take_while(|(a, b)| a == b).count(),
            };
            agreed.get_or_insert(pairs).truncate(same);
            if same == 0 {
                break;
            }
        }
    }
    let agreed = agreed.unwrap_or_default();
    let length = u32::try_from(agreed.len()).unwrap_or(count);
    let differs_at = (answer.seeds.len() > 1 && length < count).then(|| first.saturating_add(length));
    (agreed, differs_at)
}

/// Coming pairs of a game, with the colour names of the query.
pub fn named(query: &Query, seed: Seed, from: u32, count: u32) -> Vec<PartialPair> {
    let (map, pairs) = upcoming(seed, query.pool, from, count);
    let readings = if query.relabel { labels(query, seed) } else { Vec::new() };
    let name = |color: Color| {
        if !query.relabel {
            return Some(color);
        }
        let digit = map.digit(color)?;
        let first = readings.first()?.label(digit);
        first.filter(|_| readings.iter().all(|labels| labels.label(digit) == first))
    };
    pairs.into_iter().map(|pair| PartialPair { axis: name(pair.axis), child: name(pair.child) }).collect()
}

fn chances(answer: &Answer) -> Vec<Next> {
    let games = answer.seeds.len() as f64;
    let next = |chance: &Chance| Next {
        pair: chance.pair.letters(),
        count: chance.count,
        chance: f64::from(chance.count) / games,
    };
    answer.next.iter().map(next).collect()
}

fn words(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

fn renaming(relabel: &BTreeMap<char, String>) -> String {
    words(relabel.iter().map(|(label, real)| format!("{label}={real}")))
}

fn games_of(count: u64) -> String {
    if count == 1 { "1 game".into() } else { format!("{count} games") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::puyo_20th::PoolId;
    use crate::games::puyo_20th::seeds::{Table, parse_pieces, search};

    /// Published as the 24,858th of all sequences (reference 2.5), with the publisher's own colour names.
    const PUBLISHED: &str = "BG GG GY BB BB RB RY BY RR BY GB YG RB YY";

    fn published(pairs: usize) -> Query {
        let observed = parse_pieces(PUBLISHED).unwrap();
        Query { relabel: true, ..Query::sequence(PoolId::Four, 0, &observed[..pairs]) }
    }

    #[test]
    fn certain_pairs_use_the_names_of_the_query() {
        let query = published(10);
        let answer = search(Table::shared(), &query).unwrap();
        assert_eq!(answer.seeds, [0x6119]);
        let (pairs, differs_at) = certain(&query, &answer, 4);
        let expected = parse_pieces(PUBLISHED).unwrap();
        assert_eq!((pairs.as_slice(), differs_at), (&expected[10..], None));
    }

    #[test]
    fn certain_pairs_are_those_on_which_all_games_agree() {
        for pairs in 1..9 {
            let query = published(pairs);
            let answer = search(Table::shared(), &query).unwrap();
            let (agreed, differs_at) = certain(&query, &answer, 6);
            let mut all = answer.seeds.iter().map(|&seed| named(&query, seed, query.next_pair(), 6));
            let first = all.next().unwrap();
            let named = |n: usize| first[n].known().count() == 2 || answer.seeds.len() == 1;
            let same =
                (0..6).take_while(|&n| named(n) && all.clone().all(|other| other[n] == first[n])).count();
            assert_eq!(agreed, first[..same], "{pairs} pairs");
            let parts = (same < 6).then(|| u32::try_from(pairs + same).unwrap());
            assert_eq!(differs_at, parts.filter(|_| answer.seeds.len() > 1), "{pairs} pairs");
        }
    }

    #[test]
    fn table_csv_and_json_agree() {
        let query = published(10);
        let answer = search(Table::shared(), &query).unwrap();
        let report = Report::new(&query, Ok(&answer), 20, 4, 0.5);
        let table = report.table();
        assert!(table.starts_with("seed    colours  relabelled"), "{table}");
        assert!(table.contains("1 of 65536 games remains (4 colours)"), "{table}");
        let csv = report.csv();
        assert!(csv.starts_with("seed,color_map,relabel,next\n0x6119,YRGBP,"), "{csv}");
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!((&json["count"], &json["states"][0]["state"]), (&1.into(), &"0x6119".into()));
        let asked: Vec<&str> = PUBLISHED[..29].split(' ').collect();
        assert_eq!(json["query"]["pairs"], serde_json::json!(asked));
    }

    #[test]
    fn a_failed_query_names_its_first_failure() {
        let pairs = parse_pieces("RG RG RG RG RG RG RG RG").unwrap();
        let query = Query::sequence(PoolId::Four, 0, &pairs);
        let answer = search(Table::shared(), &query).unwrap();
        let report = Report::new(&query, Ok(&answer), 20, 4, 0.0);
        let Some(FirstFailure::Pair { pair, games_before }) = answer.first_failure else { panic!() };
        let expected =
            format!("it fails at pair {} (matching before it: {})", pair + 1, games_of(games_before.into()));
        assert!(report.no_match_reason().unwrap().starts_with(&expected), "{:?}", report.no_match_reason());
        let pairs = parse_pieces("RG BY PP").unwrap();
        let query = Query::sequence(PoolId::Four, 0, &pairs);
        let error = search(Table::shared(), &query).unwrap_err();
        assert!(Report::new(&query, Err(&error), 20, 4, 0.0).table().contains(&error.to_string()));
    }
}
