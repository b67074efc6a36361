//! The planner's input as entered; saved with the settings.

use super::live::LiveStart;
use crate::pairs::PairGame;
use crate::puyo::{Field, Rules, field_from_text};
use crate::route::{ChoiceOrder, Goal, Start, pairs_from_letters};
use crate::text::capitalized;
use nextscope_boards::Pair;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::Range;

/// The maximum number of pairs: a full pool.
pub const MAX_PAIRS: u32 = 128;
/// The maximum planning time in seconds.
pub const MAX_SECONDS: u32 = 3600;
/// The maximum points and garbage of a goal.
pub const MAX_POINTS: u32 = 9_999_999;
/// The longest chain of a goal: no board of 13 rows fits a longer one.
pub const MAX_CHAIN: u32 = 19;
/// The most routes to choose from.
pub const MAX_ROUTES: u32 = 50;

/// Where the pairs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairSource {
    /// Player 1 of the running game.
    Player1,
    /// Player 2.
    Player2,
    /// A seed of a game.
    Seed(PairGame),
    /// Pairs as letters.
    Typed,
}

impl Default for PairSource {
    /// The game whose seeds are the easiest to find.
    fn default() -> Self {
        let games = PairGame::with_boards().map(|(game, _)| game);
        games.min_by_key(|game| game.rules().seed_bits).map_or(Self::Typed, Self::Seed)
    }
}

impl PairSource {
    /// All in display order.
    pub fn all() -> impl Iterator<Item = Self> {
        let seeds = PairGame::with_boards().map(|(game, _)| Self::Seed(game));
        [Self::Player1, Self::Player2].into_iter().chain(seeds).chain([Self::Typed])
    }

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Player1 => "Player 1, live",
            Self::Player2 => "Player 2, live",
            Self::Seed(game) => game.rules().source_name,
            Self::Typed => "Typed pairs",
        }
    }

    fn saved_name(self) -> &'static str {
        match self {
            Self::Player1 => "Player1",
            Self::Player2 => "Player2",
            Self::Seed(game) => game.rules().saved_name,
            Self::Typed => "Typed",
        }
    }

    /// The player (0 or 1) of the running game.
    pub fn player(self) -> Option<usize> {
        match self {
            Self::Player1 => Some(0),
            Self::Player2 => Some(1),
            Self::Seed(_) | Self::Typed => None,
        }
    }
}

impl Serialize for PairSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.saved_name())
    }
}

impl<'de> Deserialize<'de> for PairSource {
    /// The default for a game that this version does not have.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Self::all().find(|source| source.saved_name() == name).unwrap_or_default())
    }
}

/// The input for a seed of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SeedInput {
    /// The seed; None for the one that the game suggests.
    pub seed: Option<String>,
    /// The values of the game's controls.
    pub choices: BTreeMap<String, String>,
}

impl SeedInput {
    /// The seed as text.
    pub fn seed_of(&self, game: PairGame) -> String {
        let rules = game.rules();
        self.seed.clone().unwrap_or_else(|| (rules.seed_text)(rules.first_seed))
    }
}

/// The board at the start of the route. The names of the variants are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StartBoard {
    /// The player's current board.
    #[default]
    #[serde(rename = "AsItStands")]
    Current,
    /// An empty board.
    Empty,
    /// A typed board.
    Typed,
}

impl StartBoard {
    /// All variants in display order.
    pub const ALL: [Self; 3] = [Self::Current, Self::Empty, Self::Typed];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "Current board",
            Self::Empty => "Empty",
            Self::Typed => "Typed",
        }
    }
}

/// The goal. The names of the variants are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum GoalKind {
    /// The longest chain.
    #[default]
    Chain,
    /// The most points.
    Score,
    /// A number of points as soon as possible.
    Points,
    /// An amount of garbage as soon as possible.
    Garbage,
    /// An empty board as soon as possible.
    AllClear,
    /// A chain of an exact length as soon as possible.
    ExactChain,
}

impl GoalKind {
    /// All variants in display order.
    pub const ALL: [Self; 6] =
        [Self::Chain, Self::Score, Self::Points, Self::Garbage, Self::AllClear, Self::ExactChain];

    /// The goals that may follow another one: those without a number.
    pub const NEXT: [Self; 3] = [Self::Chain, Self::Score, Self::AllClear];

    /// Whether another goal may follow. The most points are never reached for good.
    pub fn can_be_followed(self) -> bool {
        self != Self::Score
    }

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chain => "Longest chain",
            Self::Score => "Highest score",
            Self::Points => "Points, as soon as possible",
            Self::Garbage => "Garbage, as soon as possible",
            Self::AllClear => "All clear, as soon as possible",
            Self::ExactChain => "Exact chain",
        }
    }
}

impl GoalKind {
    /// What the planner looks for, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Chain => "The longest chain that these pairs allow; among equals, the one with more points",
            Self::Score => "The most points in total, from all chains",
            Self::Points => "As few pairs as possible until the chains have scored this many points in total",
            Self::Garbage => "As few pairs as possible until the chains have sent this much garbage in total",
            Self::AllClear => "As few pairs as possible until the board is empty",
            Self::ExactChain => "As few pairs as possible until a chain of exactly this many steps",
        }
    }
}

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
    /// The goal after it, one of [`GoalKind::NEXT`].
    pub next_goal: Option<GoalKind>,
    /// Routes to choose from.
    pub routes: u32,
    /// Their order.
    pub order: ChoiceOrder,
    /// Points to reach.
    pub points: u32,
    /// Garbage to send.
    pub garbage: u32,
    /// Points per garbage.
    pub target_points: u32,
    /// Length of the chain.
    pub chain: u32,
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
            next_goal: None,
            routes: 10,
            order: ChoiceOrder::default(),
            points: 10_000,
            garbage: 30,
            target_points: 70,
            chain: 5,
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
        self.points = self.points.clamp(1, MAX_POINTS);
        self.garbage = self.garbage.clamp(1, MAX_POINTS);
        self.target_points = self.target_points.clamp(1, 9999);
        self.chain = self.chain.clamp(1, MAX_CHAIN);
        self.routes = self.routes.clamp(1, MAX_ROUTES);
        self.next_goal = self.next_goal.filter(|goal| GoalKind::NEXT.contains(goal));
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

    /// The goals.
    pub fn goals(&self) -> Vec<Goal> {
        let next = self.next_goal.filter(|_| self.goal_kind.can_be_followed());
        [self.goal_kind].into_iter().chain(next).map(|kind| self.goal(kind)).collect()
    }

    fn goal(&self, kind: GoalKind) -> Goal {
        match kind {
            GoalKind::Chain => Goal::Chain,
            GoalKind::Score => Goal::Score,
            GoalKind::Points => Goal::Points(self.points),
            GoalKind::Garbage => Goal::Garbage(self.garbage),
            GoalKind::AllClear => Goal::AllClear,
            GoalKind::ExactChain => Goal::ExactChain(self.chain),
        }
    }

    /// The request; None if an input is invalid, which the form shows beside its field.
    pub fn request(&self, live: Option<&LiveStart>) -> Option<PlanRequest> {
        let (first, pairs) = self.dealt(live).ok()?;
        let field = self.field(live).ok()?;
        let start = Start { field, pairs, rules: self.rules(live), target_points: self.target_points };
        Some(PlanRequest { start, goals: self.goals(), first, player: self.source.player() })
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
        assert_eq!(board.request(None), None);
    }

    #[test]
    fn the_board_is_that_of_the_player_or_the_one_typed() {
        let mut stands = Field::default();
        stands.set(2, 0, crate::puyo::Cell::Puyo(Color::RED));
        let live = LiveStart {
            board: Some(stands),
            settled: true,
            pairs: vec![Pair { axis: Color::RED, child: Color::BLUE }; 40],
            number: 7,
            rules: Rules { group: 3, ..Rules::TSU },
        };
        let mut settings =
            RouteSettings { source: PairSource::Player1, pairs: 10, ..RouteSettings::default() };
        let request = settings.request(Some(&live)).unwrap();
        assert_eq!((request.start.field, request.start.pairs.len(), request.first), (stands, 10, 7));
        assert_eq!((request.start.rules, request.player), (live.rules, Some(0)));
        settings.start_board = StartBoard::Empty;
        assert_eq!(settings.request(Some(&live)).unwrap().start.field, Field::default());
        // What floats falls.
        settings =
            RouteSettings { start_board: StartBoard::Typed, board: "G.....\n......".into(), ..settings };
        let field = settings.field(Some(&live)).unwrap();
        assert_eq!((field.get(0, 0), field.count()), (crate::puyo::Cell::Puyo(Color::GREEN), 1));
    }

    #[test]
    fn what_another_version_kept_is_put_right() {
        let odd = RouteSettings { pairs: 0, chain: 99, group: 1, ..RouteSettings::default() };
        let odd = odd.repaired();
        assert_eq!((odd.pairs, odd.chain, odd.group), (1, 19, 2));
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
}
