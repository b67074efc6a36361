//! The tracker on RAM images that are made from the model.

use super::*;
use crate::games::mean_bean::{
    Dealer, Level, MEAN_BEAN, OPTIONS_LEN, Round, Setup, State, generate_interrupted, options_checksum,
    pool_index,
};
use crate::live::{Status, Tracker as AnyTracker};
use crate::profile::{Profile, built_in_profiles};
use nextscope_boards::Pair;
use nextscope_memory::console::{Snapshot, StorageOrder};

const OBJECT: usize = 64;
/// Where the test puts the players and their queues: not in the first objects.
const PLAYERS: [usize; 2] = [3 * OBJECT, 5 * OBJECT];
const QUEUES: [usize; 2] = [9 * OBJECT, 12 * OBJECT];

struct Game<'a> {
    profile: &'a Profile,
    ram: Vec<u8>,
    frame: u64,
    tracker: AnyTracker,
    totals: Totals,
    found: Vec<Mismatch>,
}

impl<'a> Game<'a> {
    fn new(profile: &'a Profile) -> Self {
        let ram = vec![0; profile.console.domain().len as usize];
        let tracker = AnyTracker::new(profile.game);
        let mut game = Self { profile, ram, frame: 0, tracker, totals: Totals::default(), found: Vec::new() };
        let mut options = [7; OPTIONS_LEN];
        let sum = options_checksum(&options[2..]).to_be_bytes();
        options[..2].copy_from_slice(&sum);
        game.put("options", 0, &options);
        game.put("options_copy", 0, &options);
        game
    }

    fn put(&mut self, field: &str, offset: usize, bytes: &[u8]) {
        let address = self.profile.field(field).unwrap().address;
        let at = self.profile.console.domain().offset_of(address).unwrap() + offset;
        self.ram[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn setup(&mut self, setup: Setup) {
        self.put("mode", 0, &[setup.mode]);
        self.put("stage", 0, &[setup.stage]);
    }

    fn round(&mut self, round: &Round, later: i64) {
        self.put("pool_4", 0, &round.pools[0]);
        self.put("pool_5", 0, &round.pools[1]);
        self.put("rng_state", 0, &round.after.jump(later).0.to_be_bytes());
    }

    fn players(&mut self, setup: Setup, round: &Round, dealt: u16, levels: [u8; 2]) {
        let [.., high, low] = self.profile.field("objects").unwrap().address.0.to_be_bytes();
        let base = u16::from_be_bytes([high, low]);
        let pointer = |at: usize| (0xFFFF_0000 | u32::from(base + u16::try_from(at).unwrap())).to_be_bytes();
        for player in 0..2 {
            let (object, queue) = (PLAYERS[player], QUEUES[player]);
            let number = u8::try_from(player).unwrap();
            self.put("objects", object, &[0xF1 + number]);
            self.put("objects", object + 0x2A, &[number, levels[player]]);
            self.put("objects", object + 0x2E, &pointer(PLAYERS[1 - player]));
            self.put("objects", object + 0x32, &pointer(queue));
            let dealer = Dealer { mode: setup.mode, player, level: Level(levels[player]) };
            let pairs = (u32::from(dealt)..).take(3).map(|n| dealer.pair(&round.pools, n).unwrap());
            let bytes: Vec<u8> = pairs.flat_map(|pair| [pair.axis.0, pair.child.0]).collect();
            self.put("objects", queue + 0x1E, &dealt.to_be_bytes());
            self.put("objects", queue + 0x20, &[pool_index(dealt)]);
            self.put("objects", queue + 0x26, &bytes);
        }
    }

    /// Samples some frames.
    fn run(&mut self, frames: u64) {
        for _ in 0..frames {
            self.frame += 1;
            let counter = u16::try_from(self.frame & 0xFFFF).unwrap();
            self.put("frame_counter", 0, &counter.to_be_bytes());
            let domain = self.profile.console.domain();
            let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, self.ram.clone()).unwrap();
            let sample = SampleContext { snapshot: &snapshot, profile: self.profile, frame: self.frame };
            self.found.extend(self.tracker.update(&sample, &mut self.totals).mismatches);
        }
    }

    fn detail(&self, id: CheckId) -> String {
        self.tracker.verdict().checks.into_iter().find(|check| check.id == id).unwrap().detail
    }
}

#[test]
fn rounds_of_both_games_are_verified_with_their_interrupts() {
    let profiles = built_in_profiles();
    let rows: [(Setup, &[u16], [u8; 2]); 5] = [
        (Setup::STORY, &[], [0, 0]),
        (Setup::STORY, &[200], [0, 0]),
        (Setup::VERSUS, &[], [0, 4]),
        (Setup::VERSUS, &[300], [2, 0]),
        (Setup::VERSUS, &[40, 390], [3, 3]),
    ];
    for profile in
        profiles.iter().filter(|one| one.id.contains("mean-bean") || one.id.contains("puyo-puyo-1"))
    {
        let mut game = Game::new(profile);
        game.run(3);
        for ((setup, extra, levels), number) in rows.into_iter().zip(1..) {
            let round = generate_interrupted(State(0x3DC9_3DDA).jump(number * 1000), setup, extra);
            game.setup(setup);
            game.round(&round, 3);
            for dealt in [0, 1, 2, 3, 40, 127, 128, 129] {
                game.players(setup, &round, dealt, levels);
                game.run(3);
            }
            assert_eq!(game.found, [], "{} {extra:?}", profile.id);
            let verdict = game.tracker.verdict();
            assert!(verdict.checks.iter().all(|check| check.status == Status::Verified), "{verdict:?}");
            let detail = game.detail(CheckId::GENERATION);
            assert!(detail.contains(&round.before.to_string()), "{detail}");
            let seen = if extra.is_empty() { "no vertical interrupt" } else { "the vertical interrupt" };
            assert!(detail.contains(seen), "{extra:?}: {detail}");
        }
        assert_eq!((game.totals.rounds, game.totals.rounds_verified), (5, 5));
        assert!(game.totals.pairs_verified > 0);
    }
}

#[test]
fn faults_are_reported_and_an_opponents_own_pairs_are_not() {
    let profiles = built_in_profiles();
    let profile = profiles.iter().find(|one| one.game == MEAN_BEAN).unwrap();
    let seed = State(0x97B5_F53A);
    let own = Setup { stage: 7, ..Setup::STORY };
    // Setup, a wrong byte of the second pool, a wrong queue, mismatches, what the check says.
    let rows = [
        (Setup::VERSUS, Some(77), false, 1, "see the mismatch"),
        (Setup::STORY, None, true, 1, "generates the pools"),
        (own, None, true, 0, "generates the pools"),
    ];
    for row in rows {
        let (setup, wrong, own_pairs, mismatches, detail) = row;
        let mut game = Game::new(profile);
        game.run(2);
        let mut round = generate_interrupted(seed, setup, &[]);
        if let Some(at) = wrong {
            round.pools[1][at] = if round.pools[1][at] == 3 { 4 } else { 3 };
        }
        game.setup(setup);
        game.round(&round, 1);
        game.players(setup, &round, 4, [1, 0]);
        game.run(4);
        if own_pairs {
            let dealer = Dealer { mode: setup.mode, player: 1, level: Level(0) };
            let Pair { axis, .. } = dealer.pair(&round.pools, 5).unwrap();
            let other = if axis.0 == 0 { 1 } else { 0 };
            game.put("objects", QUEUES[1] + 0x28, &[other]);
            game.run(4);
        }
        assert_eq!(game.found.len(), mismatches, "{row:?}: {:?}", game.found);
        assert!(game.detail(CheckId::GENERATION).contains(detail), "{row:?}");
        let note = game
            .tracker
            .verdict()
            .checks
            .into_iter()
            .any(|check| check.detail == "opponent set its own pairs");
        assert_eq!(note, own_pairs && mismatches == 0, "{row:?}");
        if let Some(at) = wrong {
            assert_eq!(
                (game.found[0].index, game.found[0].field.as_str()),
                (u32::try_from(at).ok(), "pool_5")
            );
        }
    }
}

#[test]
fn what_an_opponent_wrote_before_the_pools_were_sampled_is_no_mismatch() {
    let profiles = built_in_profiles();
    let profile = profiles.iter().find(|one| one.game == MEAN_BEAN).unwrap();
    // Stage, pool and byte that is overwritten, mismatches.
    for (stage, pool, at, mismatches) in [(7, 1, 1, 0), (8, 1, 1, 1), (7, 1, 64, 1), (7, 0, 1, 1)] {
        let setup = Setup { stage, ..Setup::STORY };
        let mut round = generate_interrupted(State(0x97B5_F53A), setup, &[]);
        let mut game = Game::new(profile);
        game.run(2);
        round.pools[pool][at] = if round.pools[pool][at] == 3 { 4 } else { 3 };
        game.setup(setup);
        game.round(&round, 1);
        game.players(setup, &round, 9, [1, 0]);
        game.run(4);
        assert_eq!(game.found.len(), mismatches, "stage {stage}, pool {pool}, byte {at}: {:?}", game.found);
        assert_eq!(game.totals.rounds_verified, u64::from(mismatches == 0));
        let verdict = game.tracker.verdict();
        let noted = verdict.checks.iter().any(|check| check.detail == "opponent set its own pairs");
        assert_eq!(noted, mismatches == 0, "stage {stage}, pool {pool}, byte {at}");
    }
}

#[test]
fn pools_sampled_shortly_before_and_after_an_interrupt_are_not_taken_for_complete() {
    let profiles = built_in_profiles();
    let profile = profiles.iter().find(|one| one.game == MEAN_BEAN).unwrap();
    let round = generate_interrupted(State(0x97B5_F53A), Setup::VERSUS, &[300]);
    let mut unfinished = round.clone();
    let other = (0..).find(|&at| round.pools[1][at] != round.pools[1][77]).unwrap();
    unfinished.pools[1].swap(77, other);
    let mut game = Game::new(profile);
    game.run(2);
    game.setup(Setup::VERSUS);
    game.round(&unfinished, 0);
    game.run(2);
    assert_eq!(game.totals.rounds, 0);
    game.round(&round, 1);
    game.players(Setup::VERSUS, &round, 0, [0, 4]);
    game.run(3);
    assert_eq!((game.found, game.totals.rounds, game.totals.rounds_verified), (vec![], 1, 1));
}
