//! What is asked of the planner, as it was entered; kept with the settings.

use super::live::LiveStart;
use crate::game::puyo::{Pair, PoolId};
use crate::game::puyo_tsu::{self, Dealer, Dealing, Level, Setup};
use crate::puyo::{Field, Rules, field_from_text};
use crate::route::{Deal, Goal, Start, pairs_from_letters};
use crate::seeds::text::parse_number;
use serde::{Deserialize, Serialize};

/// The most pairs that are planned over, those of a whole pool.
pub const MOST_PAIRS: u32 = 128;
/// The longest that is thought, in seconds.
pub const MOST_SECONDS: u32 = 3600;
/// The most points and garbage that can be asked for.
pub const MOST_POINTS: u32 = 9_999_999;
/// The longest chain that can be asked for: no board of 13 rows holds a longer one.
pub const MOST_CHAIN: u32 = 19;

/// Where the pairs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Source {
    /// What the first player of the game that runs is dealt.
    Player1,
    /// What the second is.
    Player2,
    /// A state of Puyo Puyo Tsu's generator.
    Tsu,
    /// A seed of Puyo Puyo!! 20th Anniversary.
    #[default]
    Anniversary,
    /// Pairs as letters.
    Typed,
}

impl Source {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Player1, Self::Player2, Self::Tsu, Self::Anniversary, Self::Typed];

    /// The name on its button.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Player1 => "Player 1, live",
            Self::Player2 => "Player 2, live",
            Self::Tsu => "State of Tsu",
            Self::Anniversary => "Seed of 20th Anniversary",
            Self::Typed => "Pairs as letters",
        }
    }

    /// The player (0 or 1) whose game is followed.
    #[must_use]
    pub fn player(self) -> Option<usize> {
        match self {
            Self::Player1 => Some(0),
            Self::Player2 => Some(1),
            _ => None,
        }
    }
}

/// The board that the route begins on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Ground {
    /// The player's, as it stands.
    #[default]
    AsItStands,
    /// An empty one.
    Empty,
    /// One that is typed.
    Typed,
}

impl Ground {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::AsItStands, Self::Empty, Self::Typed];

    /// The name on its button.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AsItStands => "As it stands",
            Self::Empty => "Empty",
            Self::Typed => "Typed",
        }
    }
}

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Wanted {
    /// The longest chain.
    #[default]
    Chain,
    /// The most points.
    Score,
    /// So many points, as soon as can be.
    Points,
    /// So much garbage, as soon as can be.
    Garbage,
    /// An empty board, as soon as can be.
    AllClear,
    /// A chain of so many steps, as soon as can be.
    ExactChain,
}

impl Wanted {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Chain, Self::Score, Self::Points, Self::Garbage, Self::AllClear, Self::ExactChain];

    /// The name in the list.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chain => "Longest chain",
            Self::Score => "Highest score",
            Self::Points => "Points, soonest",
            Self::Garbage => "Garbage, soonest",
            Self::AllClear => "All clear, soonest",
            Self::ExactChain => "Chain of exactly",
        }
    }
}

/// Everything that is entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouteSettings {
    /// Where the pairs come from.
    pub source: Source,
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
    /// The number of the first pair, from 1 (Tsu and 20th).
    pub first: u32,
    /// Pairs as letters.
    pub letters: String,
    /// Whether what was typed is played by the rules of 20th Anniversary, and not of Tsu.
    pub twentieth: bool,
    /// Puyos that make a group, where no emulator tells.
    pub group: u32,
    /// The board that the route begins on.
    pub ground: Ground,
    /// The board that is typed: rows, or a field code.
    pub board: String,
    /// Pairs to use at most.
    pub pairs: u32,
    /// What is wanted.
    pub wanted: Wanted,
    /// How many points.
    pub points: u32,
    /// How much garbage.
    pub garbage: u32,
    /// Points that make one garbage.
    pub target_points: u32,
    /// A chain of how many steps.
    pub chain: u32,
    /// How long to think, in seconds.
    pub seconds: u32,
    /// On how many threads; 0 is all that there are.
    pub threads: u32,
    /// Where routes are written.
    pub file: String,
    /// Whether pictures are written moving.
    pub moving: bool,
}

impl Default for RouteSettings {
    fn default() -> Self {
        Self {
            source: Source::default(),
            state: puyo_tsu::BOOT_STATE.to_string(),
            story: false,
            level: 3,
            seed: "0x0000".into(),
            colors: 4,
            first: 1,
            letters: String::new(),
            twentieth: false,
            group: 4,
            ground: Ground::default(),
            board: String::new(),
            pairs: 24,
            wanted: Wanted::default(),
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

/// What is planned: the start, and which pair of the round is the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Board, pairs and rules.
    pub start: Start,
    /// What is wanted.
    pub goal: Goal,
    /// The number of the first pair in its round, from 0.
    pub first: u32,
    /// The player (0 or 1) whose game it is.
    pub player: Option<usize>,
}

impl RouteSettings {
    /// Settings that were read from disk, with what cannot be put right.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        self.level = self.level.clamp(1, 5);
        self.colors = self.colors.clamp(3, 5);
        self.first = self.first.clamp(1, u32::from(u16::MAX));
        self.group = self.group.clamp(2, 6);
        self.pairs = self.pairs.clamp(1, MOST_PAIRS);
        self.points = self.points.clamp(1, MOST_POINTS);
        self.garbage = self.garbage.clamp(1, MOST_POINTS);
        self.target_points = self.target_points.clamp(1, 9999);
        self.chain = self.chain.clamp(1, MOST_CHAIN);
        self.seconds = self.seconds.clamp(1, MOST_SECONDS);
        self.threads = self.threads.min(1024);
        self
    }

    /// The rules that hold.
    #[must_use]
    pub fn rules(&self, live: Option<&LiveStart>) -> Rules {
        let twentieth = match self.source {
            Source::Player1 | Source::Player2 => return live.map_or(Rules::TSU, |live| live.rules),
            Source::Tsu => false,
            Source::Anniversary => true,
            Source::Typed => self.twentieth,
        };
        let rules = if twentieth { Rules::TWENTIETH } else { Rules::TSU };
        Rules { group: self.group, ..rules }
    }

    /// The pairs, and the number of the first of them in its round.
    ///
    /// # Errors
    /// What is wrong with what was entered, in a sentence.
    pub fn dealt(&self, live: Option<&LiveStart>) -> Result<(u32, Vec<Pair>), String> {
        let first = self.first.saturating_sub(1);
        let numbers = first..first.saturating_add(self.pairs);
        match self.source {
            Source::Player1 | Source::Player2 => {
                let live = live.ok_or("No emulator deals this player pairs now")?;
                let pairs: Vec<Pair> = live.pairs.iter().copied().take(self.pairs as usize).collect();
                if pairs.is_empty() { Err("No pair is known yet".into()) } else { Ok((live.number, pairs)) }
            }
            Source::Tsu => Ok((first, self.of_tsu(numbers)?)),
            Source::Anniversary => {
                let seed = parse_number(self.seed.trim()).and_then(|seed| u16::try_from(seed).ok());
                let seed = seed.ok_or_else(|| {
                    format!("{:?} is no seed: give 0x0000 to 0xFFFF, or a decimal number", self.seed)
                })?;
                let pool = PoolId::of_colors(usize::from(self.colors)).unwrap_or(PoolId::Four);
                Ok((first, Deal::Anniversary(pool).pairs(seed.into(), numbers)))
            }
            Source::Typed => {
                let mut pairs = pairs_from_letters(&self.letters).map_err(|why| why.to_string())?;
                pairs.truncate(self.pairs as usize);
                Ok((0, pairs))
            }
        }
    }

    fn of_tsu(&self, numbers: std::ops::Range<u32>) -> Result<Vec<Pair>, String> {
        let state = parse_number(self.state.trim()).ok_or_else(|| {
            format!("{:?} is no state: give 0x0 to 0xFFFFFFFF, or a decimal number", self.state)
        })?;
        let setup = Setup { mode: u8::from(!self.story), ..Setup::VERSUS };
        let level = Level(self.level.saturating_sub(1));
        let dealer = Dealer { mode: setup.mode, level, dealing: Dealing::default() };
        Ok(Deal::Tsu(setup, dealer).pairs(state, numbers))
    }

    /// The board that the route begins on.
    ///
    /// # Errors
    /// What is wrong with what was entered, in a sentence.
    pub fn field(&self, live: Option<&LiveStart>) -> Result<Field, String> {
        match (self.ground, self.source.player()) {
            (Ground::Typed, _) => {
                let mut field = field_from_text(&self.board).map_err(|why| why.to_string())?;
                field.settle();
                Ok(field)
            }
            (Ground::AsItStands, Some(_)) => Ok(live.and_then(|live| live.board).unwrap_or_default()),
            _ => Ok(Field::default()),
        }
    }

    /// The goal.
    #[must_use]
    pub fn goal(&self) -> Goal {
        match self.wanted {
            Wanted::Chain => Goal::Chain,
            Wanted::Score => Goal::Score,
            Wanted::Points => Goal::Points(self.points),
            Wanted::Garbage => Goal::Garbage(self.garbage),
            Wanted::AllClear => Goal::AllClear,
            Wanted::ExactChain => Goal::ExactChain(self.chain),
        }
    }

    /// What is to be planned; None when something that was entered is wrong, which is told beside its field.
    #[must_use]
    pub fn question(&self, live: Option<&LiveStart>) -> Option<Question> {
        let (first, pairs) = self.dealt(live).ok()?;
        let field = self.field(live).ok()?;
        let start = Start { field, pairs, rules: self.rules(live), target_points: self.target_points };
        Some(Question { start, goal: self.goal(), first, player: self.source.player() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::puyo::Color;

    fn letters(pairs: &[Pair]) -> String {
        pairs.iter().map(|pair| pair.letters()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pairs_come_from_where_they_are_asked_for() {
        let mut asked = RouteSettings { seed: "0x6119".into(), pairs: 9, ..RouteSettings::default() };
        // The publisher's sequence of that seed (reference 2.5), in this game's own names of the colours.
        let (first, pairs) = asked.dealt(None).unwrap();
        assert_eq!((first, letters(&pairs)), (0, "GY YY YB GG GG RG RB GB RR".into()));
        asked.first = 3;
        let (first, later) = asked.dealt(None).unwrap();
        assert_eq!((first, &later[..7]), (2, &pairs[2..]));

        asked = RouteSettings { source: Source::Tsu, pairs: 5, ..RouteSettings::default() };
        let (_, versus) = asked.dealt(None).unwrap();
        asked.level = 5;
        let (_, hard) = asked.dealt(None).unwrap();
        assert_eq!(versus[..3], hard[..3], "the first three come from the 3-colour pool");
        assert_ne!(versus[3..], hard[3..]);

        asked = RouteSettings { source: Source::Typed, letters: "rr RG,by".into(), ..asked };
        assert_eq!(letters(&asked.dealt(None).unwrap().1), "RR RG BY");
        asked.pairs = 2;
        assert_eq!(letters(&asked.dealt(None).unwrap().1), "RR RG");
    }

    #[test]
    fn what_is_wrong_is_told_in_words() {
        let told = |asked: RouteSettings| asked.dealt(None).expect_err("it is wrong");
        let seed = |text: &str| RouteSettings { seed: text.into(), ..RouteSettings::default() };
        assert!(told(seed("0x10000")).contains("no seed"));
        assert!(told(seed("")).contains("no seed"));
        let state = RouteSettings { source: Source::Tsu, state: "0x1G".into(), ..RouteSettings::default() };
        assert!(told(state).contains("no state"));
        let pairs = |text: &str| RouteSettings {
            source: Source::Typed,
            letters: text.into(),
            ..RouteSettings::default()
        };
        assert!(told(pairs("")).starts_with("no pairs given"));
        assert!(told(pairs("RR R?")).starts_with("pair 2 has an unknown colour"));
        assert!(told(pairs("RR X")).contains('X'));
        assert!(
            told(RouteSettings { source: Source::Player2, ..RouteSettings::default() })
                .contains("No emulator")
        );
        let board =
            RouteSettings { ground: Ground::Typed, board: "RRR\nRRRRRR".into(), ..RouteSettings::default() };
        assert!(board.field(None).is_err());
        assert_eq!(board.question(None), None);
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
        let mut asked = RouteSettings { source: Source::Player1, pairs: 10, ..RouteSettings::default() };
        let question = asked.question(Some(&live)).unwrap();
        assert_eq!((question.start.field, question.start.pairs.len(), question.first), (stands, 10, 7));
        assert_eq!((question.start.rules, question.player), (live.rules, Some(0)));
        asked.ground = Ground::Empty;
        assert_eq!(asked.question(Some(&live)).unwrap().start.field, Field::default());
        // What floats falls.
        asked = RouteSettings { ground: Ground::Typed, board: "G.....\n......".into(), ..asked };
        let field = asked.field(Some(&live)).unwrap();
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
