//! The planner's input as entered; saved with the settings.

use super::live::LiveStart;
use crate::game::puyo_tsu::{self, Dealer, Dealing, Level, Setup};
use crate::puyo::{Field, Rules, field_from_text};
use crate::route::{Deal, Goal, Start, pairs_from_letters};
use crate::seeds::text::parse_number;
use nextscope_boards::{Pair, PoolId};
use serde::{Deserialize, Serialize};

/// The maximum number of pairs: a full pool.
pub const MAX_PAIRS: u32 = 128;
/// The maximum planning time in seconds.
pub const MAX_SECONDS: u32 = 3600;
/// The maximum points and garbage of a goal.
pub const MAX_POINTS: u32 = 9_999_999;
/// The longest chain of a goal: no board of 13 rows fits a longer one.
pub const MAX_CHAIN: u32 = 19;

/// Where the pairs come from. The names of the variants are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PairSource {
    /// Player 1 of the running game.
    Player1,
    /// Player 2.
    Player2,
    /// A generator state of Puyo Puyo Tsu.
    Tsu,
    /// A seed of Puyo Puyo!! 20th Anniversary.
    #[default]
    Anniversary,
    /// Pairs as letters.
    Typed,
}

impl PairSource {
    /// All variants in display order.
    pub const ALL: [Self; 5] = [Self::Player1, Self::Player2, Self::Tsu, Self::Anniversary, Self::Typed];

    /// The label.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Player1 => "Player 1, live",
            Self::Player2 => "Player 2, live",
            Self::Tsu => "Tsu state",
            Self::Anniversary => "20th Anniversary seed",
            Self::Typed => "Typed pairs",
        }
    }

    /// The player (0 or 1) of the running game.
    #[must_use]
    pub fn player(self) -> Option<usize> {
        match self {
            Self::Player1 => Some(0),
            Self::Player2 => Some(1),
            _ => None,
        }
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
    #[must_use]
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

    /// The label.
    #[must_use]
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

/// Settings of the route panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouteSettings {
    /// The source of the pairs.
    pub source: PairSource,
    /// The state before the round (Tsu).
    pub state: String,
    /// Story instead of versus (Tsu).
    pub story: bool,
    /// The level, 1 to 5 (Tsu).
    pub level: u8,
    /// The seed (20th).
    pub seed: String,
    /// Colours, 3 to 5 (20th).
    pub colors: u8,
    /// Number of the first pair, from 1 (Tsu and 20th).
    pub first: u32,
    /// Pairs as letters.
    pub letters: String,
    /// Whether typed pairs use the rules of 20th Anniversary instead of Tsu.
    pub twentieth: bool,
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
            state: puyo_tsu::BOOT_STATE.to_string(),
            story: false,
            level: 3,
            seed: "0x0000".into(),
            colors: 4,
            first: 1,
            letters: String::new(),
            twentieth: false,
            group: 4,
            start_board: StartBoard::default(),
            board: String::new(),
            pairs: 24,
            goal_kind: GoalKind::default(),
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
    pub goal: Goal,
    /// Number of the first pair in its round, from 0.
    pub first: u32,
    /// The player (0 or 1) of the running game.
    pub player: Option<usize>,
}

impl RouteSettings {
    /// Clamps saved values to their valid ranges.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        self.level = self.level.clamp(1, 5);
        self.colors = self.colors.clamp(3, 5);
        self.first = self.first.clamp(1, u32::from(u16::MAX));
        self.group = self.group.clamp(2, 6);
        self.pairs = self.pairs.clamp(1, MAX_PAIRS);
        self.points = self.points.clamp(1, MAX_POINTS);
        self.garbage = self.garbage.clamp(1, MAX_POINTS);
        self.target_points = self.target_points.clamp(1, 9999);
        self.chain = self.chain.clamp(1, MAX_CHAIN);
        self.seconds = self.seconds.clamp(1, MAX_SECONDS);
        self.threads = self.threads.min(1024);
        self
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self, live: Option<&LiveStart>) -> Rules {
        let twentieth = match self.source {
            PairSource::Player1 | PairSource::Player2 => return live.map_or(Rules::TSU, |live| live.rules),
            PairSource::Tsu => false,
            PairSource::Anniversary => true,
            PairSource::Typed => self.twentieth,
        };
        let rules = if twentieth { Rules::TWENTIETH } else { Rules::TSU };
        Rules { group: self.group, ..rules }
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
            PairSource::Tsu => Ok((first, self.of_tsu(numbers)?)),
            PairSource::Anniversary => {
                let seed = parse_number(self.seed.trim()).and_then(|seed| u16::try_from(seed).ok());
                let seed = seed.ok_or_else(|| {
                    format!("Invalid seed {:?}: expected 0x0000 to 0xFFFF, or a decimal number", self.seed)
                })?;
                let pool = PoolId::of_colors(usize::from(self.colors)).unwrap_or(PoolId::Four);
                Ok((first, Deal::Anniversary(pool).pairs(seed.into(), numbers)))
            }
            PairSource::Typed => {
                let mut pairs = pairs_from_letters(&self.letters).map_err(|why| why.to_string())?;
                pairs.truncate(self.pairs as usize);
                Ok((0, pairs))
            }
        }
    }

    fn of_tsu(&self, numbers: std::ops::Range<u32>) -> Result<Vec<Pair>, String> {
        let state = parse_number(self.state.trim()).ok_or_else(|| {
            format!("Invalid state {:?}: expected 0x0 to 0xFFFFFFFF, or a decimal number", self.state)
        })?;
        let setup = Setup { mode: u8::from(!self.story), ..Setup::VERSUS };
        let level = Level(self.level.saturating_sub(1));
        let dealer = Dealer { mode: setup.mode, level, dealing: Dealing::default() };
        Ok(Deal::Tsu(setup, dealer).pairs(state, numbers))
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

    /// The goal.
    #[must_use]
    pub fn goal(&self) -> Goal {
        match self.goal_kind {
            GoalKind::Chain => Goal::Chain,
            GoalKind::Score => Goal::Score,
            GoalKind::Points => Goal::Points(self.points),
            GoalKind::Garbage => Goal::Garbage(self.garbage),
            GoalKind::AllClear => Goal::AllClear,
            GoalKind::ExactChain => Goal::ExactChain(self.chain),
        }
    }

    /// The request; None if an input is invalid, which the form shows beside its field.
    #[must_use]
    pub fn request(&self, live: Option<&LiveStart>) -> Option<PlanRequest> {
        let (first, pairs) = self.dealt(live).ok()?;
        let field = self.field(live).ok()?;
        let start = Start { field, pairs, rules: self.rules(live), target_points: self.target_points };
        Some(PlanRequest { start, goal: self.goal(), first, player: self.source.player() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_boards::Color;

    fn letters(pairs: &[Pair]) -> String {
        pairs.iter().map(|pair| pair.letters()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pairs_come_from_where_they_are_asked_for() {
        let mut settings = RouteSettings { seed: "0x6119".into(), pairs: 9, ..RouteSettings::default() };
        // The publisher's sequence of that seed (reference 2.5), in this game's own names of the colours.
        let (first, pairs) = settings.dealt(None).unwrap();
        assert_eq!((first, letters(&pairs)), (0, "GY YY YB GG GG RG RB GB RR".into()));
        settings.first = 3;
        let (first, later) = settings.dealt(None).unwrap();
        assert_eq!((first, &later[..7]), (2, &pairs[2..]));

        settings = RouteSettings { source: PairSource::Tsu, pairs: 5, ..RouteSettings::default() };
        let (_, versus) = settings.dealt(None).unwrap();
        settings.level = 5;
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
        let seed = |text: &str| RouteSettings { seed: text.into(), ..RouteSettings::default() };
        assert!(error(seed("0x10000")).contains("Invalid seed"));
        assert!(error(seed("")).contains("Invalid seed"));
        let state =
            RouteSettings { source: PairSource::Tsu, state: "0x1G".into(), ..RouteSettings::default() };
        assert!(error(state).contains("Invalid state"));
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
        let odd =
            RouteSettings { level: 9, colors: 0, pairs: 0, chain: 99, group: 1, ..RouteSettings::default() };
        let odd = odd.repaired();
        assert_eq!((odd.level, odd.colors, odd.pairs, odd.chain, odd.group), (5, 3, 1, 19, 2));
        assert_eq!(RouteSettings::default().repaired(), RouteSettings::default());
    }
}
