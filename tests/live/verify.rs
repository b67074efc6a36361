//! The verifier on a simulated game, sample by sample, with and without faults.

use nextscope::games::puyo_tsu::live::{Observation, PlayerObservation, Prediction, Verifier, predict};
use nextscope::games::puyo_tsu::{
    Dealer, Dealing, Level, Pair, Pool, PoolId, Setup, State, Step, generate, pool_index,
};
use nextscope::live::{CheckId, Mismatch, Status, Totals};
use std::sync::Arc;

/// A game as the specification describes it, one main-loop pass at a time.
struct Game {
    now: Observation,
    frame: u64,
    verifier: Verifier,
    before: Option<Prediction>,
    totals: Totals,
    found: Vec<Mismatch>,
}

impl Game {
    fn new() -> Self {
        let player = PlayerObservation {
            queue: [Pair::from_bytes(0, 0); 3],
            pairs_dealt: 0,
            pool_index: 0,
            level: Level(0),
            board: None,
            score: None,
        };
        let now = Observation {
            frame_counter: 0,
            state: State(0x3587_9DE2),
            setup: Setup::VERSUS,
            dealing: Dealing::default(),
            color_set: [0; 8],
            pools: [[0; 256]; 3],
            players: [player.clone(), player],
        };
        Self {
            now,
            frame: 0,
            verifier: Verifier::default(),
            before: None,
            totals: Totals::default(),
            found: Vec::new(),
        }
    }

    fn sample(&mut self) {
        let observation = Arc::new(self.now.clone());
        self.found.extend(self.verifier.step(
            &observation,
            self.frame,
            self.before.as_ref(),
            &mut self.totals,
        ));
        self.before = Some(predict(&observation, self.verifier.pools_setup(), self.before.as_ref()));
    }

    fn pass(&mut self) {
        self.frame += 1;
        self.now.frame_counter = self.now.frame_counter.wrapping_add(1);
        self.sample();
    }

    fn pools(&self) -> &[Pool; 3] {
        &self.now.pools
    }

    /// The generator runs: samples fall into the middle of it, while the frame counter does not advance.
    fn generate(&mut self) {
        let round = generate(self.now.state, self.now.setup);
        self.sample();
        self.now.color_set = round.color_set;
        self.now.state = self.now.state.advance(Step::COLOR);
        self.sample();
        self.now.pools[1] = [round.color_set[0]; 256];
        self.sample();
        for id in PoolId::ALL {
            if let Some(pool) = round.pool(id) {
                self.now.pools[id.index()] = *pool;
            }
        }
        self.now.state = round.after;
        self.sample();
    }

    fn fill(&mut self) {
        for player in &mut self.now.players {
            player.level = Level(0);
            let dealer = Dealer { mode: self.now.setup.mode, level: player.level, dealing: self.now.dealing };
            player.queue = [0, 1, 2].map(|n| dealer.pair(&self.now.pools, n).unwrap());
            player.pairs_dealt = 0;
            player.pool_index = pool_index(0);
        }
    }

    fn deal(&mut self, player: usize) {
        let pools = *self.pools();
        let state = &mut self.now.players[player];
        let dealer = Dealer { mode: self.now.setup.mode, level: state.level, dealing: self.now.dealing };
        state.queue[0] = state.queue[1];
        self.found.extend(self.verifier.step(
            &Arc::new(self.now.clone()),
            self.frame,
            self.before.as_ref(),
            &mut self.totals,
        ));
        let state = &mut self.now.players[player];
        state.queue[1] = state.queue[2];
        state.pairs_dealt += 1;
        state.pool_index = pool_index(state.pairs_dealt);
        state.queue[2] = dealer.pair(&pools, u32::from(state.pairs_dealt) + 2).unwrap();
    }

    fn round(&mut self, levels: [u8; 2], deals: usize) {
        self.generate();
        self.pass();
        self.pass();
        self.fill();
        self.pass();
        self.pass();
        for (player, level) in self.now.players.iter_mut().zip(levels) {
            player.level = Level(level);
        }
        self.pass();
        for n in 0..deals {
            self.deal(0);
            if n % 2 == 0 {
                self.deal(1);
            }
            self.pass();
            self.pass();
        }
    }

    fn status(&self, id: CheckId) -> Status {
        self.verifier.verdict().status(id)
    }
}

#[test]
fn before_the_first_round_nothing_is_reported_as_matching() {
    let mut game = Game::new();
    game.pass();
    game.pass();
    assert!(game.verifier.verdict().checks.iter().all(|check| check.status == Status::Nothing));
}

#[test]
fn a_clean_game_of_many_rounds_has_no_mismatch_and_every_pair_was_forecast() {
    let mut game = Game::new();
    for round in 0..12u8 {
        let setup = match round % 4 {
            0 | 1 => Setup::VERSUS,
            2 => Setup { pop_count: 6, ..Setup::VERSUS },
            _ => Setup { mode: 0, rank: round, ..Setup::VERSUS },
        };
        game.now.setup = setup;
        game.round([round % 5, (round + 2) % 5], 140);
        game.now.state = game.now.state.stirred(u32::from(round), 0x00FF_7FD0);
        assert_eq!(game.found, [], "round {round}");
        assert_eq!(game.status(CheckId::GENERATION), Status::Verified, "round {round}");
        assert_eq!(game.status(CheckId::QUEUE_P1), Status::Verified);
        assert_eq!(game.status(CheckId::QUEUE_P2), Status::Verified);
    }
    assert_eq!(game.totals.rounds, 12);
    assert_eq!(game.totals.rounds_verified, 12);
    assert_eq!(game.totals.pairs_verified, 12 * (140 + 70), "each drawn pair was forecast before");
    assert_eq!(game.totals.pairs_missed, 0);
}

#[test]
fn the_code_interpretation_of_the_first_three_pairs_is_distinguished_from_the_document() {
    for (dealing, expected) in
        [(Dealing::FirstThreeFromPool3, Status::Verified), (Dealing::AllFromLevelPool, Status::Mismatch)]
    {
        // The third pairs of this state's pools differ, so that the interpretations can be distinguished.
        let mut game = Game::new();
        game.generate();
        game.pass();
        game.pass();
        for player in &mut game.now.players {
            player.level = Level(4);
            let dealer = Dealer { mode: 1, level: player.level, dealing };
            player.queue = [0, 1, 2].map(|n| dealer.pair(&game.now.pools, n).unwrap());
            player.pool_index = pool_index(0);
        }
        game.pass();
        game.pass();
        game.pass();
        assert_eq!(game.status(CheckId::DEALING), expected, "{dealing:?}");
        assert_eq!(game.status(CheckId::QUEUE_P1), Status::Verified, "{dealing:?}");
        assert_eq!(game.found, []);
    }
}

#[test]
fn every_changed_pool_byte_is_flagged_at_its_index() {
    for (id, step) in [(PoolId::Three, 7), (PoolId::Four, 11), (PoolId::Five, 13)] {
        for index in (0..256).step_by(step) {
            let mut game = Game::new();
            game.generate();
            let colors = game.now.setup.colors()[id.index()].unwrap();
            let byte = game.now.pools[id.index()][index];
            let at = game.now.color_set[..colors].iter().position(|&color| color == byte).unwrap();
            game.now.pools[id.index()][index] = game.now.color_set[(at + 1) % colors];
            game.pass();
            game.pass();
            let [mismatch] = game.found.as_slice() else { panic!("{id} {index}: {:?}", game.found) };
            assert_eq!(mismatch.index, Some(u32::try_from(index).unwrap()));
            assert_eq!(mismatch.field, id.field());
            assert_eq!(game.status(CheckId::GENERATION), Status::Mismatch);
        }
    }
}

#[test]
fn a_byte_changed_in_the_middle_of_a_round_is_flagged_too() {
    let mut game = Game::new();
    game.round([2, 4], 20);
    assert_eq!(game.found, []);
    let pool = &mut game.now.pools[1];
    pool[200] =
        if pool[200] == game.now.color_set[0] { game.now.color_set[1] } else { game.now.color_set[0] };
    game.pass();
    game.pass();
    assert_eq!(game.found.len(), 1, "{:?}", game.found);
    assert_eq!((game.found[0].field.as_str(), game.found[0].index), ("pool_4", Some(200)));
}

#[test]
fn every_wrong_pair_is_flagged_once_at_its_number() {
    let mut game = Game::new();
    game.round([3, 1], 5);
    let mut expected = Vec::new();
    for n in 0..40 {
        game.deal(0);
        if n % 4 == 0 {
            let player = &mut game.now.players[0];
            let axis = player.queue[2].axis.0;
            player.queue[2] = Pair::from_bytes(axis, if player.queue[2].child.0 == 3 { 5 } else { 3 });
            let right = Dealer { mode: 1, level: player.level, dealing: Dealing::default() };
            let deal_index = u32::from(player.pairs_dealt) + 2;
            if right.pair(game.pools(), deal_index) != Some(game.now.players[0].queue[2]) {
                expected.push(deal_index);
            }
        }
        game.pass();
        game.pass();
    }
    let flagged: Vec<u32> = game.found.iter().map(|mismatch| mismatch.index.unwrap()).collect();
    assert!(!expected.is_empty());
    assert_eq!(flagged, expected);
    assert!(game.found.iter().all(|mismatch| mismatch.check == CheckId::QUEUE_P1));
}

#[test]
fn attaching_in_the_middle_of_a_round_is_not_verified_but_no_mismatch() {
    let mut game = Game::new();
    game.round([2, 3], 30);
    game.now.state = State(0xDEAD_BEEF); // far away from its former value
    game.verifier = Verifier::default();
    game.before = None;
    game.pass();
    game.pass();
    assert_eq!(game.found, []);
    assert_eq!(game.status(CheckId::GENERATION), Status::NotVerified);
    assert_eq!(game.status(CheckId::POOL_COUNTS), Status::Verified);
    assert_eq!(game.status(CheckId::QUEUE_P1), Status::Verified);
    let search = game.verifier.pending_search().expect("a search over all states is requested");
    assert_eq!(search.pools, game.now.pools);
}

#[test]
fn attaching_right_after_a_generation_walks_back_to_its_state() {
    let mut game = Game::new();
    game.now.state = State(0x1234_5678);
    game.generate();
    game.verifier = Verifier::default();
    game.before = None;
    game.pass();
    game.pass();
    assert_eq!(game.status(CheckId::GENERATION), Status::Verified, "{:?}", game.verifier.verdict());
}

#[test]
fn cells_that_already_describe_the_next_round_cause_no_mismatch() {
    let mut game = Game::new();
    for (next, levels) in [(0, [2, 4]), (1, [3, 1]), (0, [4, 4]), (1, [2, 2])] {
        game.round(levels, 20);
        game.now.setup.mode = next;
        game.now.setup.rank = 3;
        for _ in 0..60 {
            game.pass();
        }
        let coming = game.before.as_ref().unwrap().players[0].pairs[0];
        assert_eq!(coming, game.now.players[0].queue[0], "the forecast continues with the old pools");
    }
    assert_eq!(game.found, []);
}

#[test]
fn a_fault_first_sampled_between_two_rounds_counts_for_the_round_that_it_is_in() {
    let mut game = Game::new();
    game.round([2, 4], 20);
    // The cells already describe a story mode round with five colours, and the verifier has just been
    // attached.
    game.now.setup.mode = 0;
    game.now.setup.rank = 3;
    let pool = &mut game.now.pools[2];
    pool[100] =
        if pool[100] == game.now.color_set[0] { game.now.color_set[1] } else { game.now.color_set[0] };
    game.verifier = Verifier::default();
    game.before = None;
    game.pass();
    game.pass();
    assert!(game.found.iter().all(|mismatch| mismatch.field == "pool_5"), "{:#?}", game.found);
    assert_eq!(game.status(CheckId::QUEUE_P1), Status::Verified);
}

#[test]
fn a_loaded_state_of_the_same_round_is_no_mismatch() {
    let mut game = Game::new();
    game.round([2, 3], 30);
    let saved = game.now.clone();
    for _ in 0..40 {
        game.deal(0);
        game.pass();
    }
    game.now = saved;
    game.pass();
    game.pass();
    game.deal(0);
    game.pass();
    game.pass();
    assert_eq!(game.found, []);
}
