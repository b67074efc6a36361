//! The search of the Seeds panel: every change of the input is searched for at once.

use super::options::{COLORS, pool};
use crate::games::puyo_20th::seeds::{
    self, GAMES, Impossible, Narrowing, Query, Report, Table, certain, color_names, search, upcoming,
};
use crate::games::puyo_20th::{ID, POOL_PAIRS, PoolId, Seed, generate, live};
use crate::live::{ComputedRound, Observation, Player, Pool, Prediction};
use crate::options::{OptionSpec, OptionValue, OptionValues};
use crate::pairs::interactive::{
    AnswerRow, AnswerView, CERTAIN, FIRST_PAIR, InteractiveSearch, Preparation, RELABEL, REPORTED, ROW_PAIRS,
    SearchAnswer, SearchField, SearchInput, UNORDERED, computed_round,
};
use crate::pairs::{Format, PartialPair};
use crate::seeds::text::grouped;
use std::sync::{Arc, Once};
use std::time::Instant;

/// Next pairs of each game in a report.
const REPORTED_PAIRS: u32 = 12;

pub(super) const SEARCH: InteractiveSearch = InteractiveSearch {
    fields: &[&[
        SearchField::new(OptionSpec { help: "Number of colours selects the pool", ..COLORS }, "Colours"),
        FIRST_PAIR,
        RELABEL,
        UNORDERED,
    ]],
    summary,
    prepare: |input| {
        let query = Query {
            relabel: input.options.has("relabel"),
            unordered: input.unordered(),
            ..Query::sequence(pool(&input.options), input.first(), &input.pairs)
        };
        Ok(Preparation::Quick(Box::new(|_, _| Some(Arc::new(Answer::of(query))))))
    },
    dealt,
};

fn summary(values: &OptionValues) -> String {
    let relabelled = if values.has("relabel") { ", relabelled" } else { "" };
    format!("{} colours{relabelled}", pool(values).colors())
}

fn dealt(_: &Observation, prediction: &Prediction) -> Option<SearchInput> {
    let prediction = prediction.get::<live::Prediction>()?;
    let player = prediction.players.iter().flatten().find(|player| player.pairs_dealt > 0)?;
    let pool = player.pool?;
    let colors = OptionValue::Number(u32::try_from(pool.colors()).ok()?);
    let pairs = &prediction.pools[pool.index()];
    let pairs = (0..usize::from(player.pairs_dealt)).filter_map(|n| pairs.get(n % POOL_PAIRS).copied());
    Some(SearchInput::dealt([(COLORS.name, colors)], pairs))
}

/// The matching games of the 65,536.
struct Answer {
    query: Query,
    result: Result<seeds::Answer, Impossible>,
    seconds: f64,
    view: AnswerView,
}

impl Answer {
    fn of(query: Query) -> Self {
        static WARM: [Once; 3] = [const { Once::new() }; 3];
        let began = Instant::now();
        let table = Table::shared();
        WARM[query.pool.index()].call_once(|| drop(Narrowing::new(table, query.clone())));
        let result = search(table, &query);
        let seconds = began.elapsed().as_secs_f64();
        let view = view(&query, result.as_ref());
        Self { query, result, seconds, view }
    }

    fn seed(&self, number: usize) -> Option<Seed> {
        self.result.as_ref().ok()?.seeds.get(number).copied()
    }
}

fn view(query: &Query, result: Result<&seeds::Answer, &Impossible>) -> AnswerView {
    let seeds = result.map_or(&[][..], |answer| &answer.seeds);
    let matching = if seeds.len() == 1 { "matches" } else { "match" };
    let mut view = AnswerView {
        count: seeds.len(),
        of_what: format!("of {} games {matching}", grouped(GAMES as u64)),
        complete: true,
        next: query.next_pair(),
        heading: "Matching games",
        rows: seeds.len(),
        row_name: "seed",
        ..AnswerView::default()
    };
    if !query.pairs.is_empty() {
        view.summary = match seeds {
            [] => "no match".into(),
            [seed] => format!("seed 0x{seed:04X}"),
            seeds => format!("{} games", grouped(seeds.len() as u64)),
        };
    }
    if seeds.is_empty() {
        view.no_match = Report::new(query, result, 0, 0, 0.0).no_match_reason();
    }
    let Ok(answer) = result else { return view };
    let (certain, differs_at) = certain(query, answer, CERTAIN);
    if certain.is_empty() && seeds.len() > 1 {
        view.chances = answer.next.iter().map(|chance| (chance.pair, chance.count)).collect();
        view.chances_note = if query.relabel { ", with your colour names" } else { "" };
    }
    view.certain = certain;
    view.certain_why = match seeds {
        [seed] => format!("seed 0x{seed:04X}"),
        seeds => format!("all {} games agree", seeds.len()),
    };
    view.certain_until = match differs_at {
        Some(pair) => format!("They first differ at pair {}", u64::from(pair) + 1),
        None if query.relabel => "With your colour names; ? is a colour that you have not entered yet".into(),
        None => String::new(),
    };
    view
}

impl SearchAnswer for Answer {
    fn view(&self) -> &AnswerView {
        &self.view
    }

    fn row(&self, number: usize) -> Option<AnswerRow> {
        let (seed, query) = (self.seed(number)?, &self.query);
        let (map, pairs) = upcoming(seed, query.pool, query.next_pair(), ROW_PAIRS);
        let mut text = vec![format!("0x{seed:04X}"), map.letters()];
        if query.relabel {
            text.push(color_names(query, seed));
        }
        Some(AnswerRow { text, pairs: pairs.into_iter().map(PartialPair::from).collect() })
    }

    fn round(&self, number: usize) -> Option<ComputedRound> {
        let (seed, pool) = (self.seed(number)?, self.query.pool);
        let round = generate(seed);
        let pools = PoolId::ALL
            .map(|id| Pool { id, pairs: (0..).take(POOL_PAIRS).filter_map(|n| round.pair(id, n)).collect() });
        let player = Player {
            title: format!("Seed 0x{seed:04X}"),
            captions: vec![pool.to_string(), format!("colour map {}", round.color_map.letters())],
            pool: Some(pool.index()),
            ..Player::default()
        };
        Some(computed_round(
            format!("seed 0x{seed:04X} of {}, {} colours", ID.name(), pool.colors()),
            pools.to_vec(),
            player,
            self.query.next_pair(),
            |number| round.pair(pool, number),
            |number| (pool.index(), number as usize % POOL_PAIRS),
        ))
    }

    fn report(&self, format: Format) -> String {
        let report = Report::new(&self.query, self.result.as_ref(), REPORTED, REPORTED_PAIRS, self.seconds);
        match format {
            Format::Text => report.table(),
            Format::Json => report.json(),
            Format::Csv => report.csv(),
        }
    }

    fn seeds(&self) -> Vec<u32> {
        self.result.iter().flat_map(|answer| &answer.seeds).map(|seed| (*seed).into()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::puyo_20th::RoundSeed;
    use crate::games::puyo_20th::live::{Block, PlayerObservation, predict};
    use nextscope_memory::console::ConsoleAddr;
    use nextscope_task::Progress;

    #[test]
    fn the_pairs_of_a_running_round_lead_to_its_seed() {
        let round = generate(0x6119);
        let block = Block {
            state: round.after,
            alternate_shuffle: 0,
            map_cells: round.color_map.cells(),
            pools: round.pools,
        };
        let player = PlayerObservation { queue: [0; 4], pairs_dealt: 130, pool: Some(PoolId::Five) };
        let observation = live::Observation {
            base: ConsoleAddr(0),
            frame_counter: 0,
            block: Ok(block),
            players: [None, Some(player)],
            round_seed: RoundSeed::default(),
        };
        let prediction = Arc::new(predict(&observation, None).unwrap());
        let observation = Arc::new(observation);
        let prediction = Prediction::new(Arc::clone(&observation), prediction);
        let input = dealt(&Observation::new(observation), &prediction).unwrap();
        assert_eq!((input.pairs.len(), summary(&input.options).as_str()), (130, "5 colours"));
        let Ok(Preparation::Quick(run)) = (SEARCH.prepare)(&input) else { panic!("it is quick") };
        let found = run(None, &Progress::default()).unwrap();
        assert_eq!((found.seeds(), found.view().next), (vec![0x6119], 130));
        let shown = found.round(0).unwrap().shown;
        let coming = shown.players[0].pairs.iter().copied().map(PartialPair::from);
        assert_eq!(coming.take(CERTAIN as usize).collect::<Vec<_>>(), found.view().certain);
        assert_eq!(shown.players[0].pool_position, Some((PoolId::Five.index(), 1)));
    }
}
