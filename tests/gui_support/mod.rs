//! Views for tests of the window and for its gallery: a game that plays itself in a RAM image. Nothing in it is
//! made up past the RAM: fields, forecast and verdict come from the same functions as in the sampler.
#![allow(clippy::expect_used, clippy::unwrap_used, dead_code, missing_docs)]

pub mod arcade;

use crate::waiting::{PATIENCE, within};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, OutputCommand, Theme, Ui, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::console::{ConsoleId, Ram, Snapshot, StorageOrder};
use nextscope::emulator::{
    DetectedGame, DetectionAttempt, DetectionEvidence, DetectionMethod, DetectionOutcome, DetectionReport,
    EmulatorInfo,
};
use nextscope::games::puyo_tsu::live::Prediction;
use nextscope::games::puyo_tsu::{
    BOOT_STATE, Color, Dealer, Dealing, Level, PoolId, Setup, generate, pool_index,
};
use nextscope::gui::{App, Settings};
use nextscope::live::{
    Connection, Data, EmulatorRow, Mismatch, ReplayState, RoundMark, RowState, SampleContext, Target, Totals,
    Tracker, View,
};
use nextscope::log::Log;
use nextscope::process::{ByteArray, HostAddr, Pid, Process, ReadError, Remedy, diagnose};
use nextscope::profile::{Library, Profile};
use nextscope::recording::{Header, ProfileText, Recording, Sample, Writer};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A running game: a RAM image, and what the sampler knows after having seen it.
pub struct Game {
    pub profile: Arc<Profile>,
    ram: Vec<u8>,
    levels: [u8; 2],
    dealt: [u16; 2],
    frame: u64,
    tracker: Tracker,
    totals: Totals,
    mismatches: Vec<Mismatch>,
    data: Option<Data>,
}

impl Game {
    /// Just booted: no round yet.
    pub fn booted() -> Self {
        let profile = Arc::clone(Library::built_in().by_id("puyo-tsu-genesis").unwrap());
        let mut game = Self {
            ram: vec![0; ConsoleId::Genesis.domain().len as usize],
            profile,
            levels: [0; 2],
            dealt: [0; 2],
            frame: 0,
            tracker: Tracker::new(nextscope::games::puyo_tsu::ID),
            totals: Totals { attachments: 1, ..Totals::default() },
            mismatches: Vec::new(),
            data: None,
        };
        game.set("mode", &[1]);
        game.set("pop_count", &[4]);
        game.set("rng_state", &BOOT_STATE.0.to_be_bytes());
        game.frames(2);
        game
    }

    /// In the middle of a versus round: player 1 at level 3 with 23 pairs dealt, player 2 at level 5 with 19.
    pub fn playing() -> Self {
        let mut game = Self::booted();
        game.begin_round();
        game.set_levels([2, 4]);
        for _ in 0..19 {
            game.deal(0);
            game.frames(1);
            game.deal(1);
            game.frames(1);
        }
        for _ in 0..4 {
            game.deal(0);
            game.frames(2);
        }
        game.set_board(0, &["R.....", "RYY..B", "GGPPRB", "BBYRRP", "OGGYPO"]);
        game.set_board(1, &["H....O", "YYY.OO", "GRRYBB"]);
        game.frames(2);
        game
    }

    /// Writes a player's board, the lowest row last.
    pub fn set_board(&mut self, player: usize, rows: &[&str]) {
        let mut bytes = [0, 0xFF].repeat(84);
        for (row, text) in (14 - rows.len()..).zip(rows) {
            for (column, letter) in text.chars().enumerate() {
                let code = match letter {
                    '.' => continue,
                    'O' => 6,
                    'H' => 7,
                    letter => Color::from_letter(letter).unwrap().0,
                };
                bytes[12 * row + 2 * column..][..2].fill(0x80 | code << 4);
            }
        }
        self.set(&format!("p{}_board", player + 1), &bytes);
    }

    /// Writes a field.
    pub fn set(&mut self, field: &str, bytes: &[u8]) {
        let at = self.profile.field(field).unwrap_or_else(|| panic!("no field {field}")).address;
        let span = ConsoleId::Genesis.domain().span(at, bytes.len()).unwrap();
        self.ram[span].copy_from_slice(bytes);
    }

    pub fn begin_round(&mut self) {
        let round = generate(self.state(), Setup::VERSUS);
        self.set("color_set", &round.color_set);
        for pool in PoolId::ALL {
            let bytes = *round.pool(pool).unwrap();
            self.set(pool.field(), &bytes);
        }
        self.set("rng_state", &round.after.0.to_be_bytes());
        self.frames(3);
        self.dealt = [0; 2];
        self.set_levels([0; 2]);
        for player in 0..2 {
            self.write_queue(player);
        }
        self.frames(3);
    }

    fn state(&self) -> nextscope::games::puyo_tsu::State {
        let at = self.profile.field("rng_state").unwrap().address;
        let span = ConsoleId::Genesis.domain().span(at, 4).unwrap();
        nextscope::games::puyo_tsu::State(u32::from_be_bytes(self.ram[span].try_into().unwrap()))
    }

    pub fn set_levels(&mut self, levels: [u8; 2]) {
        self.levels = levels;
        self.set("p1_level", &levels[..1]);
        self.set("p2_level", &levels[1..]);
    }

    fn write_queue(&mut self, player: usize) {
        let name = |field: &str| format!("p{}_{field}", player + 1);
        let dealer = Dealer { mode: 1, level: Level(self.levels[player]), dealing: Dealing::default() };
        let pools = PoolId::ALL.map(|pool| {
            let at = self.profile.field(pool.field()).unwrap().address;
            let span = ConsoleId::Genesis.domain().span(at, 256).unwrap();
            <[u8; 256]>::try_from(&self.ram[span]).unwrap()
        });
        let dealt = self.dealt[player];
        let pairs = [0, 1, 2].map(|ahead| dealer.pair(&pools, u32::from(dealt) + ahead).unwrap());
        let queue: Vec<u8> = pairs.iter().flat_map(|pair| [pair.axis.0, pair.child.0]).collect();
        self.set(&name("queue"), &queue);
        self.set(&name("pairs_dealt"), &dealt.to_be_bytes());
        self.set(&name("pool_index"), &[pool_index(dealt)]);
    }

    /// Deals a pair to a player (0 or 1).
    pub fn deal(&mut self, player: usize) {
        self.dealt[player] += 1;
        self.write_queue(player);
    }

    /// A fault: the pair that player 1 gets next is not the one that was forecast.
    pub fn corrupt_queue(&mut self) {
        let at = self.profile.field("p1_queue").unwrap().address;
        let start = ConsoleId::Genesis.domain().offset_of(at).unwrap();
        self.ram[start] = (self.ram[start] + 1) % 2;
        self.frames(3);
    }

    /// Passes of the main loop.
    pub fn frames(&mut self, count: u64) {
        for _ in 0..count {
            self.frame += 1;
            self.set("frame_counter", &self.frame.to_be_bytes()[7..]);
            self.sample();
        }
    }

    fn sample(&mut self) {
        let snapshot =
            Snapshot::from_stored(ConsoleId::Genesis.domain(), StorageOrder::AsOnBus, self.ram.clone())
                .unwrap();
        let look = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let nextscope::live::Update { observation, prediction, mismatches: found } =
            self.tracker.update(&look, &mut self.totals);
        self.mismatches.extend(found);
        self.totals.samples += 1;
        self.totals.frames += 1;
        self.data = Some(Data {
            snapshot,
            taken: Instant::now(),
            frame: self.frame,
            frames_per_second: 59.9,
            observation,
            prediction,
            verdict: Arc::new(self.tracker.verdict()),
        });
    }

    pub fn forecast(&self) -> Prediction {
        let prediction = self.data.as_ref().and_then(|data| data.prediction.as_ref());
        prediction.and_then(|prediction| prediction.get::<Prediction>()).expect("a round has begun").clone()
    }

    fn target(&self) -> Target {
        Target {
            pid: Pid(4711),
            identity: blastem(),
            profile: Arc::clone(&self.profile),
            method: DetectionMethod::KnownBuild,
            proof: DetectionEvidence {
                anchors: self.profile.anchors.iter().map(ToString::to_string).collect(),
                liveness: "frame_counter moved by 2".into(),
            },
            ram: "68K RAM at 0x55d0c0a41f20, swapped in 16-bit words".into(),
            elapsed: Duration::from_millis(7),
        }
    }

    /// As the sampler would publish it while the game runs; the data are `age` old.
    pub fn live(&self, age: Duration) -> View {
        let mut data = self.data.clone();
        if let Some(data) = &mut data {
            data.taken = Instant::now() - age;
        }
        View {
            sequence: 1,
            connection: Connection::Live,
            target: Some(Arc::new(self.target())),
            data,
            emulators: Arc::new(vec![
                EmulatorRow { state: RowState::Attached, ..row(4711, blastem(), RowState::New) },
                row(
                    812,
                    EmulatorInfo { name: "DeSmuME".into(), known: true, ..EmulatorInfo::default() },
                    RowState::NoGame,
                ),
            ]),
            mismatches: Arc::new(self.mismatches.clone()),
            totals: self.totals,
            ..View::default()
        }
    }

    pub fn paused(&self, since: Duration) -> View {
        let connection = Connection::Paused { since: Instant::now() - since };
        View { connection, ..self.live(since) }
    }

    pub fn lost(&self, since: Duration) -> View {
        let why = "process 4711 has ended".into();
        let connection = Connection::Lost { why, since: Instant::now() - since };
        View { connection, emulators: Arc::default(), ..self.live(since) }
    }
}

pub fn blastem() -> EmulatorInfo {
    EmulatorInfo {
        name: "BlastEm".into(),
        known: true,
        content: Some("puyo2.md".into()),
        ..EmulatorInfo::default()
    }
}

fn row(pid: u32, identity: EmulatorInfo, state: RowState) -> EmulatorRow {
    let program = format!("/usr/bin/{}", identity.name.to_lowercase());
    EmulatorRow { pid: Pid(pid), identity, program, state, report: None }
}

fn report(pid: u32, identity: &EmulatorInfo, outcome: DetectionOutcome) -> Option<Arc<DetectionReport>> {
    let attempts = vec![
        DetectionAttempt {
            method: DetectionMethod::LibretroExport,
            message: "no libretro core is loaded".into(),
        },
        DetectionAttempt {
            method: DetectionMethod::KnownBuild,
            message: "Build-ID 6f1d… is not in the list".into(),
        },
        DetectionAttempt {
            method: DetectionMethod::ContentAnchor,
            message: "no anchor found in 24.1 MB of touched memory".into(),
        },
    ];
    let elapsed = Duration::from_millis(31);
    Some(Arc::new(DetectionReport { pid: Pid(pid), identity: identity.clone(), attempts, outcome, elapsed }))
}

/// Nothing runs but a few programs that are no emulators.
pub fn nothing_runs() -> View {
    let other = |pid, name: &str| {
        let identity = EmulatorInfo { name: name.into(), ..EmulatorInfo::default() };
        let report = report(pid, &identity, DetectionOutcome::NotFound);
        EmulatorRow { report, ..row(pid, identity, RowState::NotFound("nothing found".into())) }
    };
    View { emulators: Arc::new(vec![other(301, "firefox"), other(512, "gimp")]), ..View::default() }
}

/// A recording of a round: the pairs of both players, and optionally the pair at which the queue differs from the model.
/// It is in memory and was read back.
pub fn recording(mismatch: bool) -> Arc<Recording> {
    Arc::new(Recording::from_bytes(recorded(mismatch), "round.nsrec").unwrap())
}

/// The bytes of that file.
pub fn recorded(mismatch: bool) -> Vec<u8> {
    let mut game = Game::booted();
    let target = game.target();
    let header = Header {
        nextscope: "0.1.0".into(),
        started: 1_764_000_000,
        emulator: target.identity.clone(),
        pid: target.pid,
        found_by: target.method,
        evidence: target.proof.clone(),
        ram: target.ram.clone(),
        console: ConsoleId::Genesis,
        order: StorageOrder::AsOnBus,
        profile: ProfileText::of(&game.profile),
    };
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    let mut taken = 0;
    let mut take = |game: &Game, writer: &mut Writer<Vec<u8>>| {
        let snapshot = game.data.as_ref().unwrap().snapshot.clone();
        let elapsed = Duration::from_micros(16_667 * taken);
        taken += 1;
        let counter = u32::from(u8::try_from(game.frame & 0xFF).unwrap());
        writer.sample(&Sample { snapshot, frame: game.frame, counter, elapsed }).unwrap();
    };
    for _ in 0..10 {
        game.frames(1);
        take(&game, &mut writer);
    }
    game.begin_round();
    take(&game, &mut writer);
    for number in 0..20 {
        game.deal(number % 2);
        for _ in 0..6 {
            game.frames(1);
            take(&game, &mut writer);
        }
        if mismatch && number == 11 {
            game.corrupt_queue();
            for _ in 0..6 {
                game.frames(1);
                take(&game, &mut writer);
            }
        }
    }
    writer.finish().unwrap()
}

/// A recording is open, at its 43rd sample of 131; nothing of the numbers is judged here.
pub fn replayed(playing: bool) -> View {
    let game = Game::playing();
    let live = game.live(Duration::from_millis(3));
    let replay = ReplayState {
        index: 42,
        samples: 131,
        frame: live.data.as_ref().unwrap().frame,
        elapsed: Duration::from_millis(700),
        length: Duration::from_millis(2_167),
        speed: 1.0,
        mismatches: Arc::new([12, 80]),
        rounds: Arc::new([10, 70].map(|sample| RoundMark { sample, number: 1 + sample / 70 })),
        verified: 131,
        complete: true,
        searching: None,
        name: "round.nsrec".into(),
        damage: Some("12 samples are missing between 0:31 and 0:32".into()),
    };
    let connection = Connection::Replaying { playing };
    View { connection, emulators: Arc::default(), replay: Some(replay), ..live }
}

/// Two emulators run a known game.
pub fn two_candidates() -> View {
    let game = Game::playing();
    let found = |identity: &EmulatorInfo| {
        let memory = ByteArray { base: HostAddr(0), bytes: game.ram.clone() };
        DetectionOutcome::Found(Box::new(DetectedGame {
            process: Arc::new(Process::open(Pid(std::process::id())).unwrap()),
            identity: identity.clone(),
            ram: Ram {
                memory: Arc::new(memory),
                domain: ConsoleId::Genesis.domain(),
                base: HostAddr(0),
                order: StorageOrder::AsOnBus,
            },
            profile: Arc::clone(&game.profile),
            method: DetectionMethod::KnownBuild,
            evidence: DetectionEvidence { anchors: Vec::new(), liveness: String::new() },
        }))
    };
    let retroarch = EmulatorInfo {
        name: "RetroArch".into(),
        core: Some("genesis_plus_gx_libretro.so".into()),
        known: true,
        ..EmulatorInfo::default()
    };
    let candidate = |pid, identity: EmulatorInfo| {
        let report = report(pid, &identity, found(&identity));
        EmulatorRow { report, ..row(pid, identity, RowState::Candidate) }
    };
    let emulators = Arc::new(vec![candidate(4711, blastem()), candidate(5012, retroarch)]);
    View { connection: Connection::Choosing, emulators, ..View::default() }
}

/// An emulator runs, and the system refuses to let it be read.
pub fn refused() -> View {
    let mut refusal = diagnose(Pid(4711));
    refusal.evidence = "kernel.yama.ptrace_scope is 1, so a program may read only those it started".into();
    refusal.remedies = vec![
        Remedy {
            text: "Allow it until the next boot".into(),
            command: Some("sudo sysctl kernel.yama.ptrace_scope=0".into()),
        },
        Remedy {
            text: "If it is RetroArch, turn on Settings > Network > Network Commands".into(),
            command: None,
        },
    ];
    let state = RowState::Refused(refusal.to_string());
    let report =
        report(4711, &blastem(), DetectionOutcome::Unreadable(ReadError::Refused(Box::new(refusal))));
    let row = EmulatorRow { report, ..row(4711, blastem(), state) };
    View { emulators: Arc::new(vec![row]), ..View::default() }
}

/// A round with three mismatches, one of them long.
pub fn mismatched() -> View {
    let mut game = Game::playing();
    game.corrupt_queue();
    let mut view = game.live(Duration::from_millis(3));
    let long = Mismatch {
        check: nextscope::live::CheckId::GENERATION,
        what: "the 4-colour pool differs from what its state generates".into(),
        expected: "05040301".repeat(40),
        one_of: false,
        actual: "05040300".repeat(40),
        field: "pool_4".into(),
        index: Some(131),
        frame: 911,
        round: 1,
        evidence: Some("/home/user/.local/share/nextscope/evidence/1764000000-77/001".into()),
    };
    let mut all = vec![long];
    all.extend(game.mismatches.iter().cloned());
    view.totals.mismatches = all.len() as u64;
    view.mismatches = Arc::new(all);
    view
}

/// A window without a display.
pub type Window = Harness<'static, (App, View)>;

/// A window on a view that never changes and counts as new in every frame.
pub fn window_on(view: View, settings: Settings, size: Vec2) -> Window {
    let app = App::new(settings, Log::default(), Vec::new(), None);
    let show = |ui: &mut Ui, (app, view): &mut (App, View)| {
        if let Some(data) = &mut view.data {
            data.taken = Instant::now();
        }
        app.show(ui, view);
    };
    let mut window =
        Harness::builder().with_size(size).with_theme(Theme::Dark).build_ui_state(show, (app, view));
    window.run_steps(3);
    window
}

/// Presses a key, and lets the window draw.
pub fn press<S>(window: &mut Harness<'_, S>, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(2);
}

/// Clicks what is labelled so, and lets the window draw.
pub fn click<S>(window: &mut Harness<'_, S>, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(3);
}

/// Whether something is labelled with that.
pub fn sees<S>(window: &Harness<'_, S>, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

/// Draws until `text` is there: what takes longer is done on threads.
#[track_caller]
pub fn waits_for<S>(window: &mut Harness<'_, S>, text: &str) {
    draws_until(window, text, |window| sees(window, text));
}

/// Draws until it holds; fails with `what` and with what is in sight when it never does.
#[track_caller]
pub fn draws_until<'w, S>(
    window: &mut Harness<'w, S>,
    what: &str,
    mut holds: impl FnMut(&mut Harness<'w, S>) -> bool,
) {
    draws_until_some(window, what, |window| holds(window).then_some(()));
}

/// The same, with what there was at last.
#[track_caller]
pub fn draws_until_some<'w, S, T>(
    window: &mut Harness<'w, S>,
    what: &str,
    mut poll: impl FnMut(&mut Harness<'w, S>) -> Option<T>,
) -> T {
    let found = within(PATIENCE, || {
        let found = poll(window);
        if found.is_none() {
            window.step();
        }
        found
    });
    found.unwrap_or_else(|| panic!("{what:?} never came; in sight is\n{}", labels(window, "").join("\n")))
}

/// Replaces the text of a field, and presses Enter.
pub fn types_into<S>(window: &mut Harness<'_, S>, role: Role, field: &str, text: &str) {
    window.get_by_role_and_label(role, field).focus();
    window.run_steps(2);
    window.get_by_role_and_label(role, field).click();
    window.run_steps(2);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.into()));
    press(window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
}

/// Everything that is said in which `part` occurs.
pub fn labels<S>(window: &Harness<'_, S>, part: &str) -> Vec<String> {
    let nodes = window.query_all_by_label_contains(part);
    nodes.filter_map(|node| node.accesskit_node().label().or_else(|| node.accesskit_node().value())).collect()
}

/// The first of them.
pub fn label<S>(window: &Harness<'_, S>, part: &str) -> String {
    labels(window, part).into_iter().next().unwrap_or_else(|| panic!("nothing says {part:?}"))
}

/// What a button puts on the clipboard.
pub fn copied<S>(window: &mut Harness<'_, S>, button: &str) -> String {
    window.get_by_label(button).click();
    for _ in 0..4 {
        window.step();
        for command in &window.output().platform_output.commands {
            if let OutputCommand::CopyText(text) = command {
                return text.clone();
            }
        }
    }
    panic!("{button} copied nothing")
}
