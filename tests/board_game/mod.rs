//! A game of Puyo Puyo Tsu in a RAM image: puyos fall, pop and score cell by cell, written independently from the documented rules, so
//! that the verifier is not compared with itself.

use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::games::puyo_tsu::live::PlayerPrediction;
use nextscope::games::puyo_tsu::{
    BOOT_STATE, Dealer, Dealing, Level, Pair, PoolId, Setup, generate, pool_index,
};
use nextscope::live::{
    CheckId, Connection, Data, Mismatch, Observation, SampleContext, Status, Totals, Tracker, View,
};
use nextscope::profile::{Library, Profile};
use std::sync::Arc;
use std::time::Instant;

const ROWS: usize = 14;
const COLUMNS: usize = 6;
/// Chain power, colour bonus (Puyo Nexus wiki, "Scoring").
const POWER: [u32; 19] =
    [0, 8, 16, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512];
const COLORS: [u32; 6] = [0, 0, 3, 6, 12, 24];

const GARBAGE: u8 = 0xE0;
const HARD: u8 = 0xF0;

/// How the game writes what happens, and how well it is watched.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Frames in a thousand that are not seen.
    pub missed: u64,
    /// A step's points are counted when its groups go, and not when all has fallen.
    pub points_first: bool,
    /// Cells that go stay empty for some frames before the others fall.
    pub slow: bool,
    /// Groups pop at all.
    pub pops: bool,
    /// Garbage falls now and then.
    pub garbage: bool,
    /// Pairs may land in the pass after their deal, and be dealt in the pass in which the one before landed.
    pub hasty: bool,
}

pub const PLAIN: Manner =
    Manner { missed: 0, points_first: false, slow: false, pops: true, garbage: false, hasty: false };

/// A generator of numbers for the play (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % most
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

pub struct Game {
    profile: Arc<Profile>,
    pub ram: Vec<u8>,
    tracker: Tracker,
    pub totals: Totals,
    pub found: Vec<Mismatch>,
    pub data: Option<Data>,
    pub manner: Manner,
    pub dice: Dice,
    frame: u64,
    sampled: bool,
    dealt: [u16; 2],
    /// Steps of chains that have popped.
    pub steps: u32,
    /// Chains that were played to the end.
    pub chains: u64,
    /// Chains that left nothing.
    pub all_clears: u64,
    /// Pairs that came down.
    pub landings: u64,
}

impl Game {
    pub fn new(pop_count: u8, manner: Manner, seed: u64) -> Self {
        let profile = Arc::clone(Library::built_in().by_id("puyo-tsu-genesis").unwrap());
        let mut game = Self {
            ram: vec![0; ConsoleId::Genesis.domain().len as usize],
            profile,
            tracker: Tracker::new(nextscope::games::puyo_tsu::ID),
            totals: Totals::default(),
            found: Vec::new(),
            data: None,
            manner,
            dice: Dice(seed),
            frame: 0,
            sampled: false,
            dealt: [0; 2],
            steps: 0,
            chains: 0,
            all_clears: 0,
            landings: 0,
        };
        game.set("mode", &[1]);
        game.set("pop_count", &[pop_count]);
        game.set("rng_state", &BOOT_STATE.stirred(u32::try_from(seed).unwrap(), 7).0.to_be_bytes());
        game.round();
        game
    }

    pub fn at(&self, field: &str) -> usize {
        let at = self.profile.field(field).unwrap_or_else(|| panic!("no field {field}")).address;
        ConsoleId::Genesis.domain().offset_of(at).unwrap()
    }

    pub fn set(&mut self, field: &str, bytes: &[u8]) {
        let at = self.at(field);
        self.ram[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn u32(&self, field: &str) -> u32 {
        let at = self.at(field);
        u32::from_be_bytes(self.ram[at..at + 4].try_into().unwrap())
    }

    fn pop_count(&self) -> u32 {
        self.ram[self.at("pop_count")].into()
    }

    /// A new round: pools, then boards, scores and queues.
    pub fn round(&mut self) {
        self.wait(3);
        let setup = Setup { pop_count: self.ram[self.at("pop_count")], ..Setup::VERSUS };
        let round = generate(nextscope::games::puyo_tsu::State(self.u32("rng_state")), setup);
        self.set("color_set", &round.color_set);
        for pool in PoolId::ALL {
            self.set(pool.field(), round.pool(pool).unwrap());
        }
        self.set("rng_state", &round.after.0.to_be_bytes());
        self.wait(3);
        for player in 0..2 {
            self.empty(player);
            self.set(&name(player, "score"), &[0; 4]);
            self.set(&name(player, "level"), &[0]);
            self.dealt[player] = 0;
            self.write_queue(player);
        }
        self.wait(3);
        self.set("p1_level", &[2]);
        self.set("p2_level", &[1]);
        self.wait(3);
    }

    pub fn pair(&self, player: usize, number: u16) -> Pair {
        let level = Level(self.ram[self.at(&name(player, "level"))]);
        let dealer = Dealer { mode: 1, level, dealing: Dealing::default() };
        let pools = PoolId::ALL.map(|pool| {
            let at = self.at(pool.field());
            <[u8; 256]>::try_from(&self.ram[at..at + 256]).unwrap()
        });
        dealer.pair(&pools, number.into()).unwrap()
    }

    fn write_queue(&mut self, player: usize) {
        let dealt = self.dealt[player];
        let pairs = [0, 1, 2].map(|ahead| self.pair(player, dealt + ahead));
        let queue: Vec<u8> = pairs.iter().flat_map(|pair| [pair.axis.0, pair.child.0]).collect();
        self.set(&name(player, "queue"), &queue);
        self.maybe_seen();
        self.set(&name(player, "pairs_dealt"), &dealt.to_be_bytes());
        self.set(&name(player, "pool_index"), &[pool_index(dealt)]);
    }

    // ---- time ----------------------------------------------------------------------------------

    /// One pass of the main loop: it is seen once or not at all, in the middle of what it writes or afterwards.
    pub fn pass(&mut self, write: impl FnOnce(&mut Self)) {
        self.count(1);
        self.sampled = self.dice.below(1000) < self.manner.missed;
        self.maybe_seen();
        write(self);
        if !self.sampled {
            self.sample();
        }
    }

    pub fn wait(&mut self, passes: u64) {
        (0..passes).for_each(|_| self.pass(|_| ()));
    }

    /// Frames that nobody sees.
    pub fn unseen(&mut self, passes: u64) {
        self.count(passes);
    }

    fn count(&mut self, passes: u64) {
        self.frame += passes;
        let at = self.at("frame_counter");
        self.ram[at] = self.ram[at].wrapping_add(passes.to_le_bytes()[0]);
    }

    /// A state is loaded, its count of passes with it.
    pub fn load(&mut self, saved: &[u8]) {
        self.ram = saved.to_vec();
        for player in 0..2 {
            let at = self.at(&name(player, "pairs_dealt"));
            self.dealt[player] = u16::from_be_bytes(self.ram[at..at + 2].try_into().unwrap());
        }
        self.frame += 1;
        self.sample();
    }

    /// A sampler that is attached now knows nothing of what was before.
    pub fn forget(&mut self) {
        self.tracker = Tracker::new(nextscope::games::puyo_tsu::ID);
    }

    fn maybe_seen(&mut self) {
        if !self.sampled && self.dice.one_in(4) {
            self.sample();
        }
    }

    fn sample(&mut self) {
        self.sampled = true;
        let domain = ConsoleId::Genesis.domain();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, self.ram.clone()).unwrap();
        let look = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let nextscope::live::Update { observation, prediction, mismatches: found } =
            self.tracker.update(&look, &mut self.totals);
        self.found.extend(found);
        self.data = Some(Data {
            snapshot,
            taken: Instant::now(),
            frame: self.frame,
            frames_per_second: 60.0,
            observation,
            prediction,
            verdict: Arc::new(self.tracker.verdict()),
        });
    }

    // ---- what is seen --------------------------------------------------------------------------

    pub fn status(&self, player: usize) -> Status {
        self.tracker.verdict().status([CheckId::BOARD_P1, CheckId::BOARD_P2][player])
    }

    pub fn detail(&self, player: usize) -> String {
        let id = [CheckId::BOARD_P1, CheckId::BOARD_P2][player];
        let verdict = self.tracker.verdict();
        verdict.checks.iter().find(|check| check.id == id).unwrap().detail.clone()
    }

    pub fn forecast(&self, player: usize) -> PlayerPrediction {
        let prediction = self.data.as_ref().unwrap().prediction.as_ref().expect("a round has begun");
        prediction.get::<nextscope::games::puyo_tsu::live::Prediction>().unwrap().players[player].clone()
    }

    pub fn observation(&self) -> &Observation {
        self.data.as_ref().unwrap().observation.as_ref().unwrap()
    }

    pub fn view(&self) -> View {
        View { connection: Connection::Live, data: self.data.clone(), totals: self.totals, ..View::default() }
    }

    // ---- the board -----------------------------------------------------------------------------

    /// The content of a cell; rows count from the top, as in RAM.
    pub fn cell(&self, player: usize, row: usize, column: usize) -> u8 {
        self.ram[self.at(&name(player, "board")) + 12 * row + 2 * column]
    }

    /// Writes a cell, joined to something or not.
    pub fn put(&mut self, player: usize, row: usize, column: usize, cell: u8) {
        let at = self.at(&name(player, "board")) + 12 * row + 2 * column;
        let links = if cell == 0 { 0 } else { u8::try_from(self.dice.below(16)).unwrap() };
        self.ram[at] = cell | links;
        self.ram[at + 1] = if cell == 0 { 0xFF } else { cell };
        self.maybe_seen();
    }

    pub fn empty(&mut self, player: usize) {
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                self.put(player, row, column, 0);
            }
        }
    }

    pub fn height(&self, player: usize, column: usize) -> usize {
        (0..ROWS).filter(|row| self.cell(player, *row, column) != 0).count()
    }

    fn drop(&mut self, player: usize, column: usize, cell: u8) {
        let height = self.height(player, column);
        if height < ROWS {
            self.put(player, ROWS - 1 - height, column, cell);
        }
    }

    fn fall(&mut self, player: usize) {
        for column in 0..COLUMNS {
            let settled: Vec<u8> =
                (0..ROWS).rev().map(|row| self.cell(player, row, column)).filter(|cell| *cell != 0).collect();
            for row in 0..ROWS {
                let cell = settled.get(row).map_or(0, |cell| cell & 0xF0);
                if self.cell(player, ROWS - 1 - row, column) & 0xF0 != cell {
                    self.put(player, ROWS - 1 - row, column, cell);
                }
            }
        }
    }

    /// The groups that pop: colour, and places as (row, column).
    fn groups(&self, player: usize) -> Vec<(u8, Vec<(usize, usize)>)> {
        let mut seen = vec![];
        let mut groups = vec![];
        let color = |(row, column): (usize, usize)| self.cell(player, row, column) & 0xF0;
        for start in (2..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column))) {
            if !(0x80..GARBAGE).contains(&color(start)) || seen.contains(&start) {
                continue;
            }
            let (mut group, mut open) = (vec![], vec![start]);
            while let Some(at) = open.pop() {
                if seen.contains(&at) {
                    continue;
                }
                seen.push(at);
                group.push(at);
                open.extend(beside(at).filter(|next| color(*next) == color(start)));
            }
            if group.len() >= self.pop_count() as usize {
                groups.push((color(start), group));
            }
        }
        groups
    }

    /// Points of one step.
    fn points(&self, groups: &[(u8, Vec<(usize, usize)>)], step: usize) -> u32 {
        let puyos: usize = groups.iter().map(|(_, group)| group.len()).sum();
        let mut colors: Vec<u8> = groups.iter().map(|(color, _)| *color).collect();
        colors.sort_unstable();
        colors.dedup();
        let least = self.pop_count().min(4) as usize;
        let bonus = |size: usize| [0, 2, 3, 4, 5, 6, 7].get(size - least).copied().unwrap_or(10);
        let bonuses: u32 = groups.iter().map(|(_, group)| bonus(group.len())).sum();
        let all = POWER[step] + COLORS[colors.len()] + bonuses;
        10 * u32::try_from(puyos).unwrap() * all.clamp(1, 999)
    }

    pub fn score(&mut self, player: usize, more: u32) {
        let score = self.u32(&name(player, "score")).wrapping_add(more);
        self.set(&name(player, "score"), &score.to_be_bytes());
        self.maybe_seen();
    }

    // ---- a turn --------------------------------------------------------------------------------

    pub fn deal(&mut self, player: usize) {
        self.pass(|game| {
            game.dealt[player] += 1;
            game.write_queue(player);
        });
    }

    /// The pair in play comes down with its axis in a column, the child above (0), right (1), below (2) or left (3) of it.
    pub fn land(&mut self, player: usize, column: usize, rotation: usize) {
        let rows = self.dice.below(11);
        for _ in 0..rows {
            let down = self.dice.one_in(2);
            self.pass(|game| game.score(player, down.into()));
        }
        self.wait(2);
        let pair = self.pair(player, self.dealt[player] - 1);
        let cell = |color: nextscope::games::puyo_tsu::Color| 0x80 | color.0 << 4;
        let child = child_column(column, rotation);
        let mut puyos = [(column, cell(pair.axis)), (child, cell(pair.child))];
        if rotation == 2 {
            puyos.reverse();
        }
        let bonus = self.dice.below(2);
        if self.dice.one_in(2) {
            self.pass(|game| {
                puyos.iter().for_each(|(column, cell)| game.drop(player, *column, *cell));
                game.score(player, u32::try_from(bonus).unwrap());
            });
        } else {
            self.pass(|game| game.drop(player, puyos[0].0, puyos[0].1));
            self.wait(4);
            self.pass(|game| game.drop(player, puyos[1].0, puyos[1].1));
        }
        self.landings += 1;
        self.wait(3);
    }

    /// Everything that pops pops; the number of steps.
    pub fn chain(&mut self, player: usize) -> usize {
        let mut steps = 0;
        while self.manner.pops {
            let groups = self.groups(player);
            if groups.is_empty() {
                break;
            }
            let points = self.points(&groups, steps);
            let Manner { points_first, slow, .. } = self.manner;
            self.pass(|game| {
                if points_first {
                    game.score(player, points);
                }
                let gone: Vec<(usize, usize)> = groups.iter().flat_map(|(_, group)| group).copied().collect();
                let mut near: Vec<(usize, usize)> = gone.iter().flat_map(|at| beside(*at)).collect();
                near.sort_unstable();
                near.dedup();
                gone.iter().for_each(|(row, column)| game.put(player, *row, *column, 0));
                for (row, column) in near {
                    match game.cell(player, row, column) & 0xF0 {
                        GARBAGE => game.put(player, row, column, 0),
                        HARD => game.put(player, row, column, GARBAGE),
                        _ => {}
                    }
                }
                if !slow {
                    game.fall(player);
                }
            });
            if slow {
                self.wait(3);
                self.pass(|game| game.fall(player));
            }
            self.wait(2);
            if !points_first {
                self.pass(|game| game.score(player, points));
            }
            self.wait(2);
            steps += 1;
            self.steps += 1;
        }
        self.chains += u64::from(steps > 0);
        let nothing = (0..COLUMNS).all(|column| self.height(player, column) == 0);
        self.all_clears += u64::from(steps > 0 && nothing);
        steps
    }

    /// Some garbage falls, column after column.
    pub fn garbage(&mut self, player: usize) {
        for column in 0..COLUMNS {
            if self.dice.one_in(3) && self.height(player, column) < 9 {
                let cell = if self.dice.one_in(5) { HARD } else { GARBAGE };
                self.pass(|game| game.drop(player, column, cell));
            }
        }
        self.wait(3);
    }

    /// Somewhere low on the board; None when it is nearly full.
    fn place(&mut self, player: usize) -> Option<(usize, usize)> {
        let low = |column: usize| column < COLUMNS && self.height(player, column) < 10;
        let choices: Vec<(usize, usize)> = (0..COLUMNS)
            .flat_map(|column| (0..4).map(move |rotation| (column, rotation)))
            .filter(|(column, rotation)| low(*column) && low(child_column(*column, *rotation)))
            .collect();
        let nth = self.dice.below(choices.len().max(1) as u64);
        choices.get(usize::try_from(nth).unwrap()).copied()
    }

    /// A pair from its deal to the end of its chain; the chain's steps. A board that is full is emptied.
    pub fn turn(&mut self, player: usize) -> usize {
        self.deal(player);
        if self.manner.hasty && self.dice.one_in(2) {
            return self.hasty(player);
        }
        self.wait(2);
        let Some((column, rotation)) = self.place(player) else {
            self.pass(|game| game.empty(player));
            self.wait(3);
            return 0;
        };
        self.land(player, column, rotation);
        let steps = self.chain(player);
        if self.manner.garbage && self.dice.one_in(4) {
            self.garbage(player);
        }
        self.wait(3);
        steps
    }

    /// The pair is down in the pass after its deal, for a row's points, and when nothing pops the next one comes at once.
    fn hasty(&mut self, player: usize) -> usize {
        let Some((column, _)) = self.place(player) else {
            self.pass(|game| game.empty(player));
            return 0;
        };
        let pair = self.pair(player, self.dealt[player] - 1);
        self.pass(|game| {
            game.score(player, 1);
            game.drop(player, column, 0x80 | pair.axis.0 << 4);
            game.drop(player, column, 0x80 | pair.child.0 << 4);
        });
        self.landings += 1;
        if self.groups(player).is_empty() {
            return 0;
        }
        self.wait(3);
        self.chain(player)
    }

    /// A deal that lets the last pair be judged.
    pub fn judge(&mut self, player: usize) {
        self.deal(player);
        self.wait(3);
    }
}

fn child_column(column: usize, rotation: usize) -> usize {
    [column, column + 1, column, column.wrapping_sub(1)][rotation]
}

/// The cells beside one, among those that are seen.
fn beside((row, column): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    let all =
        [(row.wrapping_sub(1), column), (row + 1, column), (row, column.wrapping_sub(1)), (row, column + 1)];
    all.into_iter().filter(|(row, column)| (2..ROWS).contains(row) && *column < COLUMNS)
}

fn name(player: usize, field: &str) -> String {
    format!("p{}_{field}", player + 1)
}
