//! The search of the Seeds panel: over all states when the user starts it, then among those that it found.

use super::find_command::color_set_bytes;
use super::options::level;
use crate::games::puyo_tsu::seeds::{
    self, Effort, FoundStates, MAX_COMPARED, MAX_STATES, Method, Observations, ObservedPair, Query, Report,
    RoundDifference, certain, classes, color_set_of, describe_difference, find, first_unobserved,
};
use crate::games::puyo_tsu::{Dealer, ID, POOL_LEN, Pair, PoolId, Setup, State, generate, live, pool_pair};
use crate::live::{ComputedRound, Observation, Player, Pool, Prediction};
use crate::options::{OptionKind, OptionSpec, OptionValue, OptionValues};
use crate::pairs::interactive::{
    AnswerRow, AnswerView, CERTAIN, Estimate, FIRST_PAIR, InteractiveSearch, LEVEL, Preparation, REPORTED,
    ROW_PAIRS, STORY, SearchAnswer, SearchField, SearchInput, UNORDERED, computed_round,
};
use crate::pairs::{Format, PartialPair};
use crate::seeds::text::grouped;
use nextscope_task::Progress;
use std::sync::Arc;
use std::time::Instant;

const COLOR_SET: SearchField = SearchField::new(
    OptionSpec::new(
        "color-set",
        OptionKind::Text,
        "Colour set in RAM: 5 or 8 bytes in hexadecimal, such as 0400050301",
    ),
    "Colour set",
);

/// Below this number the states that produce the same round dominate: five on average.
const FEW: u64 = 20;
/// From this expected number of states a search is not worthwhile yet.
const SEARCH_LIMIT: f64 = 1000.0;

pub(super) const SEARCH: InteractiveSearch = InteractiveSearch {
    fields: &[&[STORY, LEVEL, COLOR_SET], &[FIRST_PAIR, UNORDERED]],
    summary,
    prepare,
    dealt,
};

fn summary(values: &OptionValues) -> String {
    match values.number("level") {
        Some(level) if !values.has("story") => format!("level {level}"),
        _ => "story".into(),
    }
}

fn dealt(observation: &Observation, prediction: &Prediction) -> Option<SearchInput> {
    let observed = observation.get::<live::Observation>()?;
    let prediction = prediction.get::<live::Prediction>()?;
    let players = observed.players.iter().zip(&prediction.players);
    let (player, coming) = players.into_iter().find(|(player, _)| player.pairs_dealt > 0)?;
    coming.pool?;
    let dealer = Dealer { mode: observed.setup.mode, level: player.level, dealing: observed.dealing };
    let level = u32::from(player.level.0).saturating_add(1).clamp(1, 5);
    let color_set = observed.color_set.iter().map(|byte| format!("{byte:02X}")).collect();
    let options = [
        (LEVEL.option.name, OptionValue::Number(level)),
        (COLOR_SET.option.name, OptionValue::Text(color_set)),
    ];
    let story = (!observed.setup.is_versus()).then_some((STORY.option.name, OptionValue::Flag));
    let pairs = (0..player.pairs_dealt.into()).filter_map(|n| dealer.pair(&observed.pools, n));
    Some(SearchInput::dealt(options.into_iter().chain(story), pairs))
}

fn observed(input: &SearchInput) -> Result<Observations, String> {
    let options = &input.options;
    let setup = Setup { mode: u8::from(!options.has("story")), ..Setup::VERSUS };
    let mut observed = Observations::empty(setup);
    observed.level = level(options).unwrap_or(observed.level);
    observed.unordered = input.unordered();
    observed.pairs = (input.first()..)
        .zip(&input.pairs)
        .map(|(deal_index, pair)| ObservedPair { deal_index, axis: pair.axis, child: pair.child })
        .collect();
    if let Some(text) = options.text("color-set") {
        let bytes = color_set_bytes(text).ok_or_else(|| {
            format!("Invalid colour set {text:?}: expected 5 or 8 bytes in hexadecimal, such as 0400050301")
        })?;
        observed.color_set = Some(color_set_of(&bytes).map_err(|why| why.to_string())?);
    }
    Ok(observed)
}

fn prepare(input: &SearchInput) -> Result<Preparation, String> {
    let observed = observed(input)?;
    let query = Query::new(&observed).map_err(|why| why.to_string())?;
    if query.known_bytes() == 0 {
        let enter = "Enter the dealt pairs. Six or more are enough to search all 4,294,967,296 states";
        return Ok(Preparation::Incomplete(enter));
    }
    let estimate = estimate(query.expected_states());
    let run = move |among: Option<Vec<u32>>, progress: &Progress| {
        let (began, effort) = (Instant::now(), Effort::default());
        let found = match among {
            None => find(&query, effort, progress)?,
            Some(among) => {
                let fits =
                    |state: &State| !progress.is_cancelled() && query.fits(&generate(*state, query.setup()));
                let states = among.into_iter().map(State).filter(fits).collect();
                FoundStates { states, complete: true, stopped: false }
            }
        };
        (!progress.is_cancelled())
            .then(|| Arc::new(Answer::of(observed, query, found, effort, began)) as Arc<dyn SearchAnswer>)
    };
    Ok(Preparation::Long(Box::new(run), estimate))
}

fn estimate(expected: f64) -> Estimate {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^32, rounded")]
    let about = expected.round() as u64;
    // Hardly any other state matches by chance, but those of the actual round do.
    let (count, of_what) = if about < FEW {
        ("A few".to_owned(), "of 4,294,967,296 states expected, most of them of one round (estimate)")
    } else {
        (format!("About {}", grouped(about)), "of 4,294,967,296 states expected (estimate)")
    };
    #[expect(clippy::cast_precision_loss, reason = "2^24")]
    let advice = if expected > MAX_STATES as f64 {
        format!("Too many to list: a search stops at {}. Enter more pairs first", grouped(MAX_STATES as u64))
    } else if expected > SEARCH_LIMIT {
        "Each pair leaves about a tenth of them. A few more pairs identify the game".into()
    } else {
        "Search to list them. More pairs narrow the result immediately".into()
    };
    Estimate { count, of_what: of_what.into(), advice }
}

/// The matching states of all 2^32.
struct Answer {
    observed: Observations,
    query: Query,
    found: FoundStates,
    /// The games that the states produce; None if there are too many to compare.
    games: Option<seeds::Answer>,
    effort: Effort,
    seconds: f64,
    view: AnswerView,
}

impl Answer {
    fn of(observed: Observations, query: Query, found: FoundStates, effort: Effort, began: Instant) -> Self {
        let comparable = found.complete && found.states.len() <= MAX_COMPARED;
        let games = comparable.then(|| classes(&found.states, query.setup(), query.dealer()));
        let seconds = began.elapsed().as_secs_f64();
        let view = AnswerView::default();
        let mut answer = Self { observed, query, found, games, effort, seconds, view };
        answer.view = answer.to_view();
        answer
    }

    fn to_view(&self) -> AnswerView {
        let count = self.found.states.len();
        let matching = if count == 1 { "matches" } else { "match" };
        let view = AnswerView {
            count,
            of_what: format!("of 4,294,967,296 states {matching}"),
            complete: self.found.complete,
            no_match: (count == 0).then(|| "all 4,294,967,296 states were searched".into()),
            next: self.next(),
            rows: count,
            row_name: "state",
            summary: self.to_report(0).sentence(),
            ..AnswerView::default()
        };
        let Some(games) = &self.games else {
            return AnswerView { remark: "Too many states to compare. Enter more pairs".into(), ..view };
        };
        let number = grouped(games.classes.len() as u64);
        let certain = certain(games, self.query.dealer(), view.next, CERTAIN);
        let difference = games.differs_at.map(describe_difference).unwrap_or_default();
        AnswerView {
            remark: if certain.is_empty() {
                format!(
                    "They produce {number} games, which first differ at {difference}. Enter the next pair"
                )
            } else {
                String::new()
            },
            certain: certain.into_iter().map(PartialPair::from).collect(),
            certain_why: match games.classes.len() {
                1 if count == 1 => "the only state".into(),
                1 => "all these states produce the same game".into(),
                _ => format!("all {number} games agree"),
            },
            certain_until: match games.differs_at {
                Some(RoundDifference::Pair { .. }) => format!("They first differ at {difference}"),
                Some(_) => format!("They differ only in {difference}"),
                None => String::new(),
            },
            heading: if games.classes.len() == 1 { "States of this game" } else { "Matching games" },
            rows: if games.classes.len() == 1 { count } else { games.classes.len() },
            ..view
        }
    }

    fn to_report(&self, limit: usize) -> Report {
        let (games, method) = (self.games.as_ref(), Method::Searched(self.effort));
        Report::new(&self.observed, &self.query, &self.found, games, method, limit, self.seconds)
    }

    /// The first unknown pair, from 0.
    fn next(&self) -> u32 {
        first_unobserved(&self.observed)
    }

    /// The state of a row, and the number of others that produce the same game: a row is a game if there are several.
    fn state(&self, row: usize) -> Option<(State, usize)> {
        match self.games.as_ref().map(|games| games.classes.as_slice()) {
            Some(classes @ [_, _, ..]) => {
                let states = &classes.get(row)?.states;
                Some((*states.first()?, states.len() - 1))
            }
            _ => Some((*self.found.states.get(row)?, 0)),
        }
    }
}

impl SearchAnswer for Answer {
    fn view(&self) -> &AnswerView {
        &self.view
    }

    fn row(&self, number: usize) -> Option<AnswerRow> {
        let (state, others) = self.state(number)?;
        let pools = generate(state, self.query.setup()).pools.map(|pool| pool.unwrap_or([0; POOL_LEN]));
        let coming = self.next()..self.next().saturating_add(ROW_PAIRS);
        let pairs = coming.filter_map(|n| self.query.dealer().pair(&pools, n));
        let others = (others > 0).then(|| format!("and {others} more"));
        Some(AnswerRow {
            text: [state.to_string()].into_iter().chain(others).collect(),
            pairs: pairs.map(PartialPair::from).collect(),
        })
    }

    fn round(&self, number: usize) -> Option<ComputedRound> {
        let (state, _) = self.state(number)?;
        let (setup, dealer) = (self.query.setup(), self.query.dealer());
        let round = generate(state, setup);
        let bytes = round.pools.map(|pool| pool.unwrap_or([0; POOL_LEN]));
        let mode = if setup.is_versus() {
            format!("versus, level {}", self.observed.level.0 + 1)
        } else {
            "story".into()
        };
        let pools = PoolId::ALL.into_iter().filter_map(|id| {
            let pairs = round.pool(id)?.chunks_exact(2).map(|pair| Pair::from_bytes(pair[0], pair[1]));
            Some(Pool { id, pairs: pairs.collect() })
        });
        let pool = dealer.pool(self.next().max(3));
        let player = Player {
            title: format!("State {state}"),
            captions: pool.iter().map(ToString::to_string).collect(),
            pool: pool.map(PoolId::index),
            ..Player::default()
        };
        Some(computed_round(
            format!("state {state} before a round of {}, {mode}", ID.name()),
            pools.collect(),
            player,
            self.next(),
            |number| dealer.pair(&bytes, number),
            |number| (dealer.pool(number).map_or(0, PoolId::index), pool_pair(number)),
        ))
    }

    fn report(&self, format: Format) -> String {
        let report = self.to_report(REPORTED);
        match format {
            Format::Text => report.table(),
            Format::Json => report.json(),
            Format::Csv => report.csv(),
        }
    }

    fn seeds(&self) -> Vec<u32> {
        self.found.states.iter().map(|state| state.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::parse_pieces;

    fn input(state: State, pairs: u32) -> SearchInput {
        let round = generate(state, Setup::VERSUS);
        let dealer = Observations::empty(Setup::VERSUS).dealer();
        let pools = round.pools.map(|pool| pool.unwrap());
        SearchInput::dealt([], (0..pairs).map(|n| dealer.pair(&pools, n).unwrap()))
    }

    fn narrowed(input: &SearchInput, states: Vec<u32>) -> Arc<dyn SearchAnswer> {
        let Ok(Preparation::Long(run, _)) = prepare(input) else { panic!("it is ready") };
        run(Some(states), &Progress::default()).unwrap()
    }

    #[test]
    fn states_found_before_are_narrowed_down_by_more_pairs() {
        let right = 0x1234_5678;
        let found = narrowed(&input(State(right), 12), (0..200).chain([right]).collect());
        assert_eq!(found.seeds(), [right]);
        let view = found.view();
        assert_eq!((view.next, view.certain.len()), (12, CERTAIN as usize));
        assert_eq!(view.certain, found.row(0).unwrap().pairs);
        let shown = found.round(0).unwrap().shown;
        let player = &shown.players[0];
        let coming = player.pairs.iter().copied().map(PartialPair::from);
        assert_eq!(coming.take(CERTAIN as usize).collect::<Vec<_>>(), view.certain);
        let (pool, at) = player.pool_position.unwrap();
        assert_eq!(Some(shown.pools[pool].pairs[at]), player.current, "the mark is on the pair dealt last");
        let text: serde_json::Value = serde_json::from_str(&found.report(Format::Json)).unwrap();
        assert_eq!(text["states"][0]["state"], "0x12345678");
    }

    #[test]
    fn games_that_agree_are_certain_up_to_where_they_part() {
        let found = narrowed(&input(State(0x1234_5678), 1), (0..4000).collect());
        let view = found.view();
        assert!(view.rows > 10, "one pair leaves many games");
        let differ = format!("differ at pair {}", view.certain.len() + 2);
        assert!(view.certain_until.contains(&differ) || view.remark.contains(&differ), "{view:?}");
    }

    #[test]
    fn impossible_pairs_and_invalid_colour_sets_are_reported() {
        let with = |pairs: &str, color_set: Option<&str>| {
            let set = color_set.map(|set| ("color-set", OptionValue::Text(set.into())));
            let input = SearchInput::dealt(set, [].into_iter());
            prepare(&SearchInput { pairs: parse_pieces(pairs).unwrap(), ..input })
        };
        assert!(with("RG BY", None).err().unwrap().contains("pair 2"));
        assert!(with("RG", Some("04000")).err().unwrap().contains("Invalid colour set"));
        // Level 1 deals from the first three of the set: here no green.
        assert!(with("RG", Some("0400050301")).err().unwrap().contains("fails at pair 1"));
        assert!(matches!(with("RG", Some("0403000501")), Ok(Preparation::Long(..))));
        assert!(matches!(with("", None), Ok(Preparation::Incomplete(_))));
    }
}
