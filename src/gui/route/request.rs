//! The planner's input as entered; saved with the settings.

use super::goals::{AttackInput, GoalKind, GoalNumbers};
use super::limits::{MAX_ATTACKS, MAX_PAIRS, MAX_ROUTES, MAX_SECONDS};
use super::live::LiveStart;
use super::source::{PairSource, SeedInput, StartBoard};
use crate::games::GameId;
use crate::pairs::PairGame;
use crate::profile::Profile;
use crate::puyo::{Field, Rules, field_from_text};
use crate::route::{Attack, ChoiceOrder, FrameTable, Goal, Start, Timing, pairs_from_letters};
use crate::text::capitalized;
use nextscope_boards::Pair;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// Settings of the route panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouteSettings {
    /// The source of the pairs.
    pub source: PairSource,
    /// The seeds, by the saved names of the games.
    pub seeds: BTreeMap<String, SeedInput>,
    /// Number of the first pair of a seed, from 1.
    pub first: u32,
    /// Pairs as letters.
    pub letters: String,
    /// The game whose board typed pairs use, by its saved name; the first one if empty.
    pub board_game: String,
    /// Group size, if no emulator reports it.
    pub group: u32,
    /// The board at the start.
    #[serde(rename = "ground")]
    pub start_board: StartBoard,
    /// The typed board: rows, or a field code.
    pub board: String,
    /// Maximum number of pairs.
    pub pairs: u32,
    /// The goal.
    #[serde(rename = "wanted")]
    pub goal_kind: GoalKind,
    /// Its numbers.
    #[serde(flatten)]
    pub numbers: GoalNumbers,
    /// The goal after it.
    pub next_goal: Option<GoalKind>,
    /// The numbers of that goal.
    pub next_numbers: GoalNumbers,
    /// Known attacks of the opponent.
    pub attacks: Vec<AttackInput>,
    /// Routes to choose from.
    pub routes: u32,
    /// Their order.
    pub order: ChoiceOrder,
    /// Points per garbage.
    pub target_points: u32,
    /// Planning time in seconds.
    pub seconds: u32,
    /// Threads; 0 uses all.
    pub threads: u32,
    /// Path of exported files.
    pub file: String,
    /// Whether exported pictures are animated.
    pub moving: bool,
}

impl Default for RouteSettings {
    fn default() -> Self {
        Self {
            source: PairSource::default(),
            seeds: BTreeMap::new(),
            first: 1,
            letters: String::new(),
            board_game: String::new(),
            group: 4,
            start_board: StartBoard::default(),
            board: String::new(),
            pairs: 24,
            goal_kind: GoalKind::default(),
            numbers: GoalNumbers::default(),
            next_goal: None,
            next_numbers: GoalNumbers::default(),
            attacks: Vec::new(),
            routes: 10,
            order: ChoiceOrder::default(),
            target_points: 70,
            seconds: 5,
            threads: 0,
            file: String::new(),
            moving: false,
        }
    }
}

/// What to plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRequest {
    /// Board, pairs and rules.
    pub start: Start,
    /// One after another; at least one.
    pub goals: Vec<Goal>,
    /// Known attacks of the opponent.
    pub attacks: Vec<Attack>,
    /// How frames are counted, for goals that depend on them.
    pub timing: Option<Timing>,
    /// The game whose pairs they are; None for the running one.
    pub game: Option<GameId>,
    /// Number of the first pair in its round, from 0.
    pub first: u32,
    /// The player (0 or 1) of the running game.
    pub player: Option<usize>,
}

impl RouteSettings {
    /// Clamps saved values to their valid ranges.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        self.first = self.first.clamp(1, u32::from(u16::MAX));
        self.group = self.group.clamp(2, 6);
        self.pairs = self.pairs.clamp(1, MAX_PAIRS);
        self.numbers = self.numbers.repaired();
        self.next_numbers = self.next_numbers.repaired();
        self.attacks.truncate(MAX_ATTACKS);
        self.attacks.iter_mut().for_each(|attack| *attack = attack.repaired());
        self.target_points = self.target_points.clamp(1, 9999);
        self.routes = self.routes.clamp(1, MAX_ROUTES);
        self.seconds = self.seconds.clamp(1, MAX_SECONDS);
        self.threads = self.threads.min(1024);
        self
    }

    /// The rules.
    pub fn rules(&self, live: Option<&LiveStart>) -> Rules {
        let mut games = PairGame::with_boards();
        let rules = match self.source {
            PairSource::Player1 | PairSource::Player2 => {
                return live.map_or_else(Rules::default, |live| live.rules);
            }
            PairSource::Seed(game) => games.find(|(known, _)| *known == game),
            PairSource::Typed => games.find(|(game, _)| self.is_board_game(*game)),
        };
        let rules = rules.map_or_else(Rules::default, |(_, rules)| rules);
        Rules { group: self.group, ..rules }
    }

    /// Whether typed pairs use the board of this game.
    pub fn is_board_game(&self, game: PairGame) -> bool {
        let chosen = PairGame::from_saved_name(&self.board_game);
        chosen.or_else(|| PairGame::with_boards().map(|(game, _)| game).next()) == Some(game)
    }

    /// The input for a seed of this game.
    pub fn seed_input(&mut self, game: PairGame) -> &mut SeedInput {
        self.seeds.entry(game.rules().saved_name.to_owned()).or_default()
    }

    /// Removes the inputs that say no more than the defaults, so that they are not saved.
    pub fn forget_unchanged_seeds(&mut self) {
        self.seeds.retain(|_, input| *input != SeedInput::default());
    }

    /// The pairs, and the number of the first one in its round.
    ///
    /// # Errors
    /// What is wrong with the input, in a sentence.
    pub fn dealt(&self, live: Option<&LiveStart>) -> Result<(u32, Vec<Pair>), String> {
        let first = self.first.saturating_sub(1);
        let numbers = first..first.saturating_add(self.pairs);
        match self.source {
            PairSource::Player1 | PairSource::Player2 => {
                let live = live.ok_or("No emulator deals pairs to this player now")?;
                let pairs: Vec<Pair> = live.pairs.iter().copied().take(self.pairs as usize).collect();
                if pairs.is_empty() { Err("No known pair yet".into()) } else { Ok((live.number, pairs)) }
            }
            PairSource::Seed(game) => Ok((first, self.of_seed(game, numbers)?)),
            PairSource::Typed => {
                let mut pairs = pairs_from_letters(&self.letters).map_err(|why| why.to_string())?;
                pairs.truncate(self.pairs as usize);
                Ok((0, pairs))
            }
        }
    }

    fn of_seed(&self, game: PairGame, numbers: Range<u32>) -> Result<Vec<Pair>, String> {
        let rules = game.rules();
        let default = SeedInput::default();
        let input = self.seeds.get(rules.saved_name).unwrap_or(&default);
        let seed = (rules.parse_seed)(input.seed_of(game).trim()).map_err(|why| capitalized(&why))?;
        Ok((rules.dealer)(&rules.chosen(&input.choices), None)(seed, numbers))
    }

    /// The board at the start.
    ///
    /// # Errors
    /// What is wrong with the input, in a sentence.
    pub fn field(&self, live: Option<&LiveStart>) -> Result<Field, String> {
        match (self.start_board, self.source.player()) {
            (StartBoard::Typed, _) => {
                let mut field = field_from_text(&self.board).map_err(|why| why.to_string())?;
                field.settle();
                Ok(field)
            }
            (StartBoard::Current, Some(_)) => Ok(live.and_then(|live| live.board).unwrap_or_default()),
            _ => Ok(Field::default()),
        }
    }

    /// The game whose pairs are used; None for the running one.
    pub fn game(&self) -> Option<GameId> {
        match self.source {
            PairSource::Player1 | PairSource::Player2 => None,
            PairSource::Seed(game) => Some(game.game()),
            PairSource::Typed => {
                let mut games = PairGame::with_boards().map(|(game, _)| game);
                games.find(|game| self.is_board_game(*game)).map(PairGame::game)
            }
        }
    }

    /// The goals with their numbers.
    pub fn goals(&self) -> Vec<Goal> {
        let first = self.goal_kind.goal(self.numbers);
        let next = self.next_goal.filter(|_| self.goal_kind.can_be_followed());
        [first].into_iter().chain(next.map(|kind| kind.goal(self.next_numbers))).collect()
    }

    /// Adds an attack on the pair after that of the last one.
    pub fn add_attack(&mut self) {
        let after = |last: &AttackInput| AttackInput { pair: last.pair.saturating_add(1), ..*last };
        let attack = self.attacks.last().map(after).unwrap_or_default();
        self.attacks.push(AttackInput { pair: attack.pair.min(self.pairs), ..attack });
    }

    /// Whether the points per garbage matter.
    pub fn uses_target_points(&self) -> bool {
        !self.attacks.is_empty() || self.goals().iter().any(|goal| matches!(goal, Goal::Garbage(_)))
    }

    /// The attacks on these many pairs.
    ///
    /// # Errors
    /// If one comes after the last pair, in a sentence.
    pub fn attacks(&self, pairs: usize) -> Result<Vec<Attack>, String> {
        self.attacks.iter().map(|attack| attack.attack(pairs)).collect()
    }

    /// How frames are counted, with the profile's table; None for goals that do not depend on them.
    ///
    /// # Errors
    /// If a table is needed and missing, in a sentence.
    pub fn timing(&self, profile: Option<&Profile>) -> Result<Option<Timing>, String> {
        if !self.goals().contains(&Goal::PointsPerFrame) {
            return Ok(None);
        }
        let table = profile.and_then(FrameTable::of).ok_or(
            "Points per frame needs frame times, and no profile of this game has them: \
             measure them in Verify, Frame times, or choose another goal",
        )?;
        Ok(Some(Timing { table, max_frames: None, soonest: false }))
    }

    /// The request; None if an input is invalid, which the form shows beside its field.
    pub fn request(&self, live: Option<&LiveStart>, profile: Option<&Profile>) -> Option<PlanRequest> {
        let (first, pairs) = self.dealt(live).ok()?;
        let field = self.field(live).ok()?;
        let attacks = self.attacks(pairs.len()).ok()?;
        let timing = self.timing(profile).ok()?;
        let start = Start { field, pairs, rules: self.rules(live), target_points: self.target_points };
        let (goals, game, player) = (self.goals(), self.game(), self.source.player());
        Some(PlanRequest { start, goals, attacks, timing, game, first, player })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_boards::Color;

    fn with_seed(game: &str, seed: &str) -> RouteSettings {
        let game = PairGame::from_id(game).unwrap();
        let mut settings = RouteSettings { source: PairSource::Seed(game), ..RouteSettings::default() };
        settings.seed_input(game).seed = Some(seed.into());
        settings
    }

    fn letters(pairs: &[Pair]) -> String {
        pairs.iter().map(|pair| pair.letters()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pairs_come_from_where_they_are_asked_for() {
        let mut settings = with_seed("puyo-20th", "0x6119");
        settings.pairs = 9;
        // The publisher's sequence of that seed (reference 2.5), in this game's own names of the colours.
        let (first, pairs) = settings.dealt(None).unwrap();
        assert_eq!((first, letters(&pairs)), (0, "GY YY YB GG GG RG RB GB RR".into()));
        settings.first = 3;
        let (first, later) = settings.dealt(None).unwrap();
        assert_eq!((first, &later[..7]), (2, &pairs[2..]));

        let tsu = PairGame::from_id("puyo-tsu").unwrap();
        settings = RouteSettings { source: PairSource::Seed(tsu), pairs: 5, ..RouteSettings::default() };
        let (_, versus) = settings.dealt(None).unwrap();
        settings.seed_input(tsu).choices.insert("level".into(), "5".into());
        let (_, hard) = settings.dealt(None).unwrap();
        assert_eq!(versus[..3], hard[..3], "the first three come from the 3-colour pool");
        assert_ne!(versus[3..], hard[3..]);

        settings = RouteSettings { source: PairSource::Typed, letters: "rr RG,by".into(), ..settings };
        assert_eq!(letters(&settings.dealt(None).unwrap().1), "RR RG BY");
        settings.pairs = 2;
        assert_eq!(letters(&settings.dealt(None).unwrap().1), "RR RG");
    }

    #[test]
    fn invalid_input_is_reported() {
        let error = |settings: RouteSettings| settings.dealt(None).expect_err("it is wrong");
        let seed = |text: &str| with_seed("puyo-20th", text);
        assert!(error(seed("0x10000")).contains("Invalid seed"));
        assert!(error(seed("")).contains("Invalid seed"));
        assert!(error(with_seed("puyo-tsu", "0x1G")).contains("Invalid state"));
        let pairs = |text: &str| RouteSettings {
            source: PairSource::Typed,
            letters: text.into(),
            ..RouteSettings::default()
        };
        assert!(error(pairs("")).starts_with("no pairs given"));
        assert!(error(pairs("RR R?")).starts_with("pair 2 has an unknown colour"));
        assert!(error(pairs("RR X")).contains('X'));
        assert!(
            error(RouteSettings { source: PairSource::Player2, ..RouteSettings::default() })
                .contains("No emulator")
        );
        let board = RouteSettings {
            start_board: StartBoard::Typed,
            board: "RRR\nRRRRRR".into(),
            ..RouteSettings::default()
        };
        assert!(board.field(None).is_err());
        assert_eq!(board.request(None, None), None);
    }

    #[test]
    fn the_board_is_that_of_the_player_or_the_one_typed() {
        let mut board = Field::default();
        board.set(2, 0, crate::puyo::Cell::Puyo(Color::RED));
        let live = LiveStart {
            board: Some(board),
            settled: true,
            in_play: true,
            pairs: vec![Pair { axis: Color::RED, child: Color::BLUE }; 40],
            number: 7,
            rules: Rules { group: 3, ..Rules::TSU },
        };
        let mut settings =
            RouteSettings { source: PairSource::Player1, pairs: 10, ..RouteSettings::default() };
        let request = settings.request(Some(&live), None).unwrap();
        assert_eq!((request.start.field, request.start.pairs.len(), request.first), (board, 10, 7));
        assert_eq!((request.start.rules, request.player), (live.rules, Some(0)));
        settings.start_board = StartBoard::Empty;
        assert_eq!(settings.request(Some(&live), None).unwrap().start.field, Field::default());
        // What floats falls.
        settings =
            RouteSettings { start_board: StartBoard::Typed, board: "G.....\n......".into(), ..settings };
        let field = settings.field(Some(&live)).unwrap();
        assert_eq!((field.get(0, 0), field.count()), (crate::puyo::Cell::Puyo(Color::GREEN), 1));
    }

    #[test]
    fn invalid_values_of_another_version_are_corrected() {
        let numbers = GoalNumbers { chain: 99, ..GoalNumbers::default() };
        let attacks = vec![AttackInput { garbage: 0, pair: 1 }; 20];
        let odd = RouteSettings { pairs: 0, numbers, attacks, group: 1, ..RouteSettings::default() };
        let odd = odd.repaired();
        assert_eq!((odd.pairs, odd.numbers.chain, odd.group), (1, 19, 2));
        assert_eq!((odd.attacks.len(), odd.attacks[0].garbage), (MAX_ATTACKS, 1));
        // Choices that the game does not have are those at the start.
        let mut odd = with_seed("puyo-tsu", "0x1");
        let usual = odd.dealt(None).unwrap();
        let tsu = PairGame::from_id("puyo-tsu").unwrap();
        odd.seed_input(tsu).choices.insert("level".into(), "9".into());
        assert_eq!(odd.dealt(None).unwrap(), usual);
        let saved = r#"[{"source":"Tsu"},{"source":"Anniversary"},{"source":"no such game"}]"#;
        let saved: Vec<RouteSettings> = serde_json::from_str(saved).unwrap();
        let twentieth = PairSource::Seed(PairGame::from_id("puyo-20th").unwrap());
        let sources: Vec<PairSource> = saved.iter().map(|settings| settings.source).collect();
        assert_eq!(sources, [PairSource::Seed(tsu), twentieth, twentieth]);
        assert_eq!(RouteSettings::default().repaired(), RouteSettings::default());
    }
    #[test]
    fn goals_and_attacks_are_saved_and_those_of_older_versions_are_read() {
        let settings = RouteSettings {
            goal_kind: GoalKind::Points,
            numbers: GoalNumbers { points: 700, ..GoalNumbers::default() },
            next_goal: Some(GoalKind::ExactChain),
            next_numbers: GoalNumbers { chain: 3, ..GoalNumbers::default() },
            attacks: vec![AttackInput { garbage: 12, pair: 2 }],
            ..RouteSettings::default()
        };
        let saved = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<RouteSettings>(&saved).unwrap(), settings);
        assert_eq!(settings.goals(), [Goal::Points(700), Goal::ExactChain(3)]);
        // The number of a goal was beside the other settings, and the second goal had none.
        let older = r#"{"ground":"Empty","wanted":"Garbage","next_goal":"AllClear","routes":3,"points":500,
                        "garbage":42,"target_points":120,"chain":7,"seconds":9}"#;
        let older: RouteSettings = serde_json::from_str(older).unwrap();
        assert_eq!(older.goals(), [Goal::Garbage(42), Goal::AllClear]);
        assert_eq!(older.numbers, GoalNumbers { points: 500, garbage: 42, chain: 7 });
        assert_eq!((older.routes, older.target_points, older.seconds), (3, 120, 9));
        assert_eq!((older.attacks.len(), older.next_numbers), (0, GoalNumbers::default()));
        // What follows a goal that cannot be followed is remembered and not planned.
        let alone = RouteSettings { goal_kind: GoalKind::Survive, ..settings };
        assert_eq!(alone.goals(), [Goal::Survive]);
    }

    #[test]
    fn requests_have_the_frame_table_and_the_attacks_that_they_need() {
        let text = include_str!("../../../profiles/puyo-tsu-genesis.toml");
        let profile = crate::profile::parse(text, "x").0.unwrap();
        let typed = RouteSettings {
            source: PairSource::Typed,
            letters: "RR RR BB".into(),
            ..RouteSettings::default()
        };
        assert_eq!(typed.request(None, Some(&profile)).unwrap().timing, None);
        let fast = RouteSettings { goal_kind: GoalKind::PointsPerFrame, ..typed.clone() };
        assert!(fast.request(None, Some(&profile)).unwrap().timing.is_some());
        assert_eq!(fast.request(None, None), None);
        assert!(fast.timing(None).unwrap_err().starts_with("Points per frame needs frame times"));
        let attacks = vec![AttackInput { garbage: 6, pair: 3 }];
        let attacked = RouteSettings { attacks, ..typed };
        assert_eq!(attacked.request(None, None).unwrap().attacks.len(), 1);
        let late = RouteSettings { pairs: 2, ..attacked };
        assert_eq!(late.request(None, None), None);
        assert!(late.attacks(2).unwrap_err().starts_with("Pair 3 is after the last of the 2 pairs"));
    }
}
