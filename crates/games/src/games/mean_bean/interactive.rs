//! The search of the Seeds panel: over all states when the user starts it, then among those that it found.

use crate::games::GameId;
use crate::games::mean_bean::options::level;
use crate::games::mean_bean::seeds::{FoundStates, MAX_STATES, Observations, Query, Report, find};
use crate::games::mean_bean::{
    Dealer, MEAN_BEAN, PUYO_PUYO, REACHABLE, Round, Setup, State, generate, live, pool_pair,
};
use crate::live::{ComputedRound, Observation, Player, Prediction};
use crate::options::{OptionKind, OptionSpec, OptionValue, OptionValues};
use crate::pairs::interactive::{
    AnswerRow, AnswerView, Applies, CERTAIN, Estimate, FIRST_PAIR, InteractiveSearch, LEVEL, Preparation,
    RELABEL, REPORTED, ROW_PAIRS, STORY, SearchAnswer, SearchField, SearchInput, UNORDERED, computed_round,
};
use crate::pairs::{Format, PartialPair};
use crate::seeds::text::grouped;
use nextscope_boards::Vectors;
use nextscope_boards::{POOL_PAIRS, Pair};
use nextscope_task::Progress;
use std::sync::Arc;
use std::time::Instant;

const PAIRS: &[SearchField] = &[FIRST_PAIR, UNORDERED, RELABEL];

/// The first three stages of Puyo Puyo's story.
const LESSON: SearchField = SearchField {
    applies: Applies::With(STORY.option.name),
    ..SearchField::new(
        OptionSpec::new(
            "lesson",
            OptionKind::Flag,
            "The first three stages of the story are lessons, whose pool has four colours",
        ),
        "Lesson (stages 1 to 3)",
    )
};

pub(super) const MEAN_BEAN_SEARCH: InteractiveSearch = InteractiveSearch {
    fields: &[&[STORY, LEVEL], PAIRS],
    summary,
    prepare: |input| prepare(MEAN_BEAN, input),
    dealt: |observation, prediction| {
        dealt(observation, prediction).filter(|input| !is_lesson(&input.options))
    },
};

pub(super) const PUYO_PUYO_SEARCH: InteractiveSearch = InteractiveSearch {
    fields: &[&[STORY, LEVEL, LESSON], PAIRS],
    summary,
    prepare: |input| prepare(PUYO_PUYO, input),
    dealt,
};

fn is_lesson(values: &OptionValues) -> bool {
    values.has(STORY.option.name) && values.has(LESSON.option.name)
}

fn setup(values: &OptionValues) -> Setup {
    match values.has(STORY.option.name) {
        false => Setup::VERSUS,
        true if is_lesson(values) => Setup::LESSON,
        true => Setup::STORY,
    }
}

fn summary(values: &OptionValues) -> String {
    let setup = setup(values);
    if setup.is_versus() { format!("level {}", level(values).0 + 1) } else { story_name(setup).into() }
}

/// A mode of the story.
fn story_name(setup: Setup) -> &'static str {
    if setup.colors() == Setup::LESSON.colors() { "lesson" } else { "story" }
}

fn dealt(observation: &Observation, prediction: &Prediction) -> Option<SearchInput> {
    let observed = observation.get::<live::Observation>()?;
    let prediction = prediction.get::<live::Prediction>()?;
    let usable = |player: &&live::PlayerPrediction| {
        player.pairs_dealt > 0 && player.pool.is_some() && !player.own_pairs
    };
    let player = prediction.players.iter().find(usable)?;
    let dealer = Dealer { mode: observed.setup.mode, player: player.player, level: player.level };
    let level = u32::from(player.level.0).saturating_add(1).clamp(1, 5);
    let story = !observed.setup.is_versus();
    let lesson = story && observed.setup.colors() == Setup::LESSON.colors();
    let flags = [(STORY, story), (LESSON, lesson)].into_iter().filter(|(_, given)| *given);
    let options = flags.map(|(flag, _)| (flag.option.name, OptionValue::Flag));
    let options = options.chain([(LEVEL.option.name, OptionValue::Number(level))]);
    let pairs = (0..player.pairs_dealt.into()).filter_map(|number| dealer.pair(&observed.pools, number));
    Some(SearchInput::dealt(options, pairs))
}

fn prepare(game: GameId, input: &SearchInput) -> Result<Preparation, String> {
    let mut observed = Observations::empty(setup(&input.options), level(&input.options));
    observed.unordered = input.unordered();
    observed.relabel = input.options.has(RELABEL.option.name);
    observed.pairs = (input.first()..).zip(input.pairs.iter().copied()).collect();
    let query = Query::new(&observed).map_err(|why| why.to_string())?;
    if query.known_bytes() == 0 {
        return Ok(Preparation::Incomplete(
            "Enter the dealt pairs. Eight or more are enough to search all 268,435,456 states",
        ));
    }
    let estimate = estimate(&query);
    let run = move |among: Option<Vec<u32>>, progress: &Progress| {
        let began = Instant::now();
        let found = match among {
            None => find(&query, Vectors::widest(), progress, None)?,
            Some(among) => {
                let fits =
                    |state: &State| !progress.is_cancelled() && query.fits(&generate(*state, query.setup()));
                let states = among.into_iter().map(State).filter(fits).collect();
                FoundStates { states, complete: true, stopped: false }
            }
        };
        (!progress.is_cancelled())
            .then(|| Arc::new(Answer::of(game, observed, &query, found, began)) as Arc<dyn SearchAnswer>)
    };
    Ok(Preparation::Long(Box::new(run), estimate))
}

/// As if every byte were drawn independently from as many colours as the pool has.
fn estimate(query: &Query) -> Estimate {
    let [first, rest] = query.known_by_pool().map(|known| i32::try_from(known).unwrap_or(i32::MAX));
    let [of_first, of_rest] =
        query.setup().colors().map(|colors| f64::from(u8::try_from(colors).unwrap_or(5)));
    let expected = f64::from(REACHABLE) / of_first.powi(first) / of_rest.powi(rest);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^28, rounded")]
    let about = expected.round() as u64;
    let count = if about < 2 { "A few".to_owned() } else { format!("About {}", grouped(about)) };
    let advice = if about > MAX_STATES as u64 {
        "Too many to list. Enter more pairs first"
    } else {
        "Search to list them. More pairs narrow the result immediately"
    };
    let of_what = format!("of {} states expected (estimate)", grouped(REACHABLE.into()));
    Estimate { count, of_what, advice: advice.into() }
}

/// The matching states of all 2^28.
struct Answer {
    game: GameId,
    observed: Observations,
    found: FoundStates,
    /// The rounds of the states; None if there are too many to compare.
    rounds: Option<Vec<Round>>,
    report: Report,
    view: AnswerView,
}

impl Answer {
    fn of(game: GameId, observed: Observations, query: &Query, found: FoundStates, began: Instant) -> Self {
        let comparable = found.is_comparable();
        let rounds =
            comparable.then(|| found.states.iter().map(|state| generate(*state, observed.setup)).collect());
        let seconds = began.elapsed().as_secs_f64();
        let report = Report::new(game, &observed, query.known_bytes(), &found, REPORTED, seconds);
        let view = AnswerView::default();
        let mut answer = Self { game, observed, found, rounds, report, view };
        answer.view = answer.to_view();
        answer
    }

    fn to_view(&self) -> AnswerView {
        let count = self.found.states.len();
        let states = grouped(REACHABLE.into());
        let matching = if count == 1 { "matches" } else { "match" };
        let view = AnswerView {
            count,
            of_what: format!("of {states} states {matching}"),
            complete: self.found.complete,
            no_match: (count == 0).then(|| {
                format!(
                    "all {states} states were searched, without a vertical interrupt inside the generation. \
                     `nextscope find {} --dump` also tries generations with interrupts",
                    self.game.id()
                )
            }),
            next: self.observed.next_pair(),
            heading: "Matching states",
            rows: count,
            row_name: "state",
            summary: self.report.sentence(),
            ..AnswerView::default()
        };
        let Some(rounds) = &self.rounds else {
            return AnswerView { remark: "Too many states to compare. Enter more pairs".into(), ..view };
        };
        let dealer = self.observed.dealer();
        let agreed = |number: u32| -> Option<Pair> {
            let first = dealer.pair(&rounds.first()?.pools, number)?;
            rounds.iter().all(|round| dealer.pair(&round.pools, number) == Some(first)).then_some(first)
        };
        let coming = view.next..view.next.saturating_add(CERTAIN);
        let certain: Vec<PartialPair> = coming.map_while(agreed).map(PartialPair::from).collect();
        #[expect(clippy::cast_possible_truncation, reason = "128")]
        let differ_at = (0..POOL_PAIRS as u32).find(|number| count > 0 && agreed(*number).is_none());
        let differ = differ_at.map(|number| format!("They first differ at pair {}", number + 1));
        AnswerView {
            remark: match &differ {
                Some(differ) if certain.is_empty() => format!("{differ}. Enter the next pair"),
                _ => String::new(),
            },
            certain_why: match (count, &differ) {
                (1, _) => "the only state".into(),
                (_, None) => "all these states deal the same pairs".into(),
                _ => format!("all {} states agree", grouped(count as u64)),
            },
            certain_until: differ.unwrap_or_default(),
            certain,
            ..view
        }
    }
}

impl SearchAnswer for Answer {
    fn view(&self) -> &AnswerView {
        &self.view
    }

    fn row(&self, number: usize) -> Option<AnswerRow> {
        let state = *self.found.states.get(number)?;
        let round = generate(state, self.observed.setup);
        let coming = self.view.next..self.view.next.saturating_add(ROW_PAIRS);
        let pairs = coming.filter_map(|number| self.observed.dealer().pair(&round.pools, number));
        Some(AnswerRow { text: vec![state.to_string()], pairs: pairs.map(PartialPair::from).collect() })
    }

    fn round(&self, number: usize) -> Option<ComputedRound> {
        let state = *self.found.states.get(number)?;
        let (setup, dealer) = (self.observed.setup, self.observed.dealer());
        let round = generate(state, setup);
        let mode = if setup.is_versus() {
            format!("versus, level {}", self.observed.level.0 + 1)
        } else {
            story_name(setup).into()
        };
        let pool = dealer.pool();
        let player = Player {
            title: format!("State {state}"),
            captions: vec![mode.clone()],
            pool,
            ..Player::default()
        };
        Some(computed_round(
            format!("state {state} before a round of {}, {mode}", self.game.name()),
            live::pool_views(setup, &round.pools),
            player,
            self.view.next,
            |number| dealer.pair(&round.pools, number),
            |number| (pool.unwrap_or(0), pool_pair(number)),
        ))
    }

    fn report(&self, format: Format) -> String {
        match format {
            Format::Text => self.report.table(),
            Format::Json => self.report.json(),
            Format::Csv => self.report.csv(),
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

    const RIGHT: State = State(0x7FE7_B46A);

    fn input(setup: Setup, pairs: u32, options: &[&'static str]) -> SearchInput {
        let round = generate(RIGHT, setup);
        let dealer = Observations::empty(setup, level(&OptionValues::default())).dealer();
        let flags = options.iter().map(|name| (*name, OptionValue::Flag));
        SearchInput::dealt(flags, (0..pairs).map(|number| dealer.pair(&round.pools, number).unwrap()))
    }

    fn run(input: &SearchInput, among: Option<Vec<u32>>) -> Arc<dyn SearchAnswer> {
        let Ok(Preparation::Long(run, _)) = prepare(PUYO_PUYO, input) else { panic!("it is ready") };
        run(among, &Progress::default()).unwrap()
    }

    #[test]
    fn the_state_is_found_in_every_mode_and_shown() {
        let lesson = (Setup::LESSON, &["story", "lesson"][..]);
        for (setup, options) in [(Setup::VERSUS, &[][..]), (Setup::STORY, &["story"]), lesson] {
            let found = run(&input(setup, 14, options), None);
            assert!(found.seeds().contains(&RIGHT.0), "{setup:?}");
            let view = found.view();
            let row = (0..view.rows).find(|row| found.seeds()[*row] == RIGHT.0).unwrap();
            assert_eq!((view.next, view.complete), (14, true));
            assert_eq!(view.certain[..], found.row(row).unwrap().pairs[..view.certain.len()]);
            let shown = found.round(row).unwrap().shown;
            let player = &shown.players[0];
            let (pool, at) = player.pool_position.unwrap();
            assert_eq!(
                Some(shown.pools[pool].pairs[at]),
                player.current,
                "the mark is on the pair dealt last"
            );
            let text: serde_json::Value = serde_json::from_str(&found.report(Format::Json)).unwrap();
            assert_eq!(text["states"][row]["state"], RIGHT.to_string());
        }
    }

    #[test]
    fn states_found_before_are_narrowed_down_by_more_pairs() {
        let among: Vec<u32> = (0..4000).map(|step| RIGHT.jump(step).0).collect();
        let few = run(&input(Setup::VERSUS, 1, &[]), Some(among));
        assert!(few.view().rows > 10, "one pair leaves many states");
        assert!(few.view().remark.contains("differ at pair 2"), "{:?}", few.view());
        let found = run(&input(Setup::VERSUS, 14, &[]), Some(few.seeds()));
        assert_eq!(found.seeds(), [RIGHT.0]);
        assert_eq!((found.view().certain.len(), found.view().certain_why.as_str()), (24, "the only state"));
    }

    #[test]
    fn what_no_round_deals_is_reported() {
        let with = |pairs: &str, level: u32| {
            let level = [(LEVEL.option.name, OptionValue::Number(level))];
            let input = SearchInput::dealt(level, [].into_iter());
            prepare(MEAN_BEAN, &SearchInput { pairs: parse_pieces(pairs).unwrap(), ..input })
        };
        assert!(matches!(with("", 3), Ok(Preparation::Incomplete(_))));
        assert!(matches!(with("RG", 3), Ok(Preparation::Long(..))));
        let letters = |level| with("RG YP BB RR", level);
        assert!(letters(1).err().unwrap().contains("fails at"), "level 1 has four colours");
    }
}
