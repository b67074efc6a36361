//! What was learned, in words.

use super::content::{ListForm, PieceCell, PieceList};
use super::lesson::Lesson;
use super::listed::Followed;
use super::notes::Event;
use super::opening::Opening;
use super::rules::Family;
use super::trace::StateCell;
use super::{Report, Verdict};
use nextscope_games::games::declared::Deal;
use nextscope_games::text::counted;
use nextscope_memory::console::Endian;
use std::fmt;

/// Generators, cells and lists that are described, at most.
const MOST: usize = 12;

/// One thing that was learned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// What it is about.
    pub subject: &'static str,
    /// What is known of it.
    pub text: String,
}

impl Family {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Table => "direct by a table",
            Self::History => "history",
            Self::Bag => "bag",
            Self::DroughtPool => "drought-pool",
            Self::List => "list made at the start",
            Self::Pool => "pool made at the start",
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changes => write!(f, "changes"),
            Self::Gets(value) => write!(f, "gets 0x{value:02X}"),
            Self::Leaves(value) => write!(f, "no longer has 0x{value:02X}"),
        }
    }
}

impl fmt::Display for StateCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match (self.width, self.order) {
            (1, _) => "",
            (_, Endian::Big) => ", highest first",
            (_, Endian::Little) => ", lowest first",
        };
        write!(f, "{}, {}{order}", self.address, counted(self.width.into(), "byte"))
    }
}

impl PieceCell {
    /// Which deal it has.
    pub fn place(&self) -> String {
        let half = if self.is_child { ", child" } else { "" };
        match self.ahead {
            0 => format!("in play{half}"),
            1 => format!("next{half}"),
            ahead => format!("{ahead} ahead{half}"),
        }
    }
}

impl PieceList {
    /// Its form, and how its pieces lie.
    pub fn shape(&self) -> String {
        let stride = if self.stride == 1 { String::new() } else { format!(", every {} bytes", self.stride) };
        let reversed = if self.is_reversed { ", dealt from its end" } else { "" };
        let form = match &self.form {
            ListForm::Bag { size, still: None, .. } => format!("bag of {size}"),
            ListForm::Bag { size, still: Some(still), .. } => {
                format!("bag of {size}; the one in play by {}", still.position.address)
            }
            ListForm::Queue { length, .. } => format!("queue of at least {length}"),
            ListForm::Fixed { deals, still: None } => format!("list of all {deals} deals"),
            ListForm::Fixed { deals, still: Some(still) } => {
                format!(
                    "list of all {deals} deals, of {} entries; the one in play by {}",
                    still.length, still.position.address
                )
            }
        };
        format!("{form}{stride}{reversed}")
    }
}

impl Report {
    /// Codes with the letters of their kinds.
    pub fn codes(&self, codes: &[(u8, u8)]) -> String {
        let letter = |kind: u8| self.kinds.get(usize::from(kind)).map_or('?', |kind| kind.letter());
        let codes: Vec<String> =
            codes.iter().map(|(kind, code)| format!("{}={code}", letter(*kind))).collect();
        codes.join(" ")
    }

    /// The best rule, as the section of a profile.
    pub fn rule(&self) -> Option<String> {
        self.best().map(|best| best.fit.randomizer.to_toml())
    }

    /// What is in RAM if no rule is known.
    fn in_ram(&self) -> &'static str {
        match self.listed() {
            _ if !self.is_list_only() => "",
            Some(listed) if listed.length == 1 => "; but the next piece is in RAM",
            _ => "; but the pieces to come are in RAM",
        }
    }

    /// How sure the rule is, and what would settle it.
    pub fn sureness(&self) -> String {
        let left = self.candidates.len();
        match self.verdict {
            Verdict::Certain { chance } => {
                format!("certain; the chance that a wrong one explains as much is {chance:.0e}")
            }
            Verdict::Several { more } => {
                format!(
                    "{left} explain every deal; about {} separate most of them",
                    counted(more as u64, "more deal")
                )
            }
            Verdict::Unsure { chance, more } => format!(
                "not sure; by chance a wrong one explains as much in {chance:.0e} of all cases; about {} settle it",
                counted(more as u64, "more deal")
            ),
            Verdict::None => {
                let but = match self.in_ram() {
                    "" => String::new(),
                    but => format!(", so that a seed cannot be found{but}"),
                };
                format!("none of those tried explains the deals{but}")
            }
            Verdict::ByChance { more } => {
                let but = self.in_ram();
                format!(
                    "none known; {left} of those tried explain the deals, as so many do by chance; about {} exclude or settle them{but}",
                    counted(more as u64, "more deal")
                )
            }
        }
    }
}

impl Lesson {
    /// What is known of the first deals of a game, for a rule that may treat them differently.
    pub fn start(&self) -> Option<&'static str> {
        let randomizer = &self.report.best()?.fit.randomizer;
        let has_memory = matches!(randomizer.deal, Deal::History { .. } | Deal::DroughtPool { .. });
        match self.report.opening {
            Opening::NotSeen if has_memory => Some("not seen; what it avoids at first is not known"),
            Opening::Explained if has_memory || randomizer.first.is_some() => {
                Some("as in the one game that was seen; it may avoid other pieces too at first")
            }
            Opening::Unexplained => Some("the rule does not explain its first deals; it holds after them"),
            _ => None,
        }
    }

    /// What a profile of it follows.
    pub fn follows(&self) -> String {
        match self.report.followed() {
            Some(Followed::Rule(_)) if self.report.is_certain() => "follows the rule".into(),
            Some(Followed::Rule(_)) => "follows the rule, which is not certain".into(),
            Some(Followed::List(listed)) => format!("reads the pieces to come: {}", listed.describe()),
            None => "nothing to follow yet".into(),
        }
    }

    /// All lines, and the rule at the end. A rule that is neither certain nor followed would be mistaken for the result.
    pub fn text(&self) -> String {
        let lines = self.lines().into_iter().map(|line| format!("{}: {}\n", line.subject, line.text));
        let rule = self.report.rule().filter(|_| !self.report.is_list_only());
        lines.chain(rule.map(|rule| format!("\n{}\n", rule.trim_end()))).collect()
    }

    /// All that was learned, a line for each thing, the rule and what a profile makes of it at the end.
    pub fn lines(&self) -> Vec<Line> {
        let Self { series, counter, timed, other_games, report } = self;
        let mut lines = Vec::new();
        let mut say = |subject, text| lines.push(Line { subject, text });
        let samples = counted(series.len() as u64, "sample");
        say("Samples", format!("{samples} of {}", counted(series.size() as u64, "byte")));
        let counter = counter.map_or_else(
            || "none found".into(),
            |cell| {
                let bytes = counted(cell.width.into(), "byte");
                format!(
                    "{}, {bytes}, {:+} per frame; moved in {} of {samples}",
                    cell.address, cell.per_frame, cell.moves
                )
            },
        );
        say("Frame counter", counter);
        let deals = counted(timed.observed.dealt.len() as u64, "deal");
        let left_out = match timed.left_out.0 + timed.left_out.1 {
            0 => String::new(),
            left_out => format!(" ({left_out} more at the ends, whose time is not known)"),
        };
        let other_games = match other_games {
            0 => String::new(),
            other => format!(" ({other} more before or after a pause, which are taken for another game)"),
        };
        say("Deals", format!("{deals}{left_out}{other_games}; the cell at {} has them", timed.cell));
        let signal = timed.signal;
        let agreeing = counted(signal.agreeing as u64, "cell");
        say("Time of a deal", format!("the cell at {} {}; {agreeing} with it", signal.address, signal.event));
        if report.generators.is_empty() {
            say("Generator", "none found that moves in RAM".into());
        }
        let mut shown: Vec<StateCell> = Vec::new();
        for trace in &report.generators {
            if shown.contains(&trace.cell) || shown.len() == MOST {
                continue;
            }
            shown.push(trace.cell);
            let alike = report.generators.iter().filter(|other| other.cell == trace.cell).count() - 1;
            let alike = if alike > 0 { format!(" ({alike} others fit as well)") } else { String::new() };
            let (kind, state, bits) = (trace.generator.summary(), trace.cell, trace.bits);
            say("Generator", format!("{kind}{alike}; state at {state}; improbability {bits:.0} bits"));
        }
        for cell in report.cells.iter().take(MOST) {
            let codes = report.codes(&cell.codes);
            say("Piece in RAM", format!("{} {}; {codes}", cell.address, cell.place()));
        }
        for list in report.lists.iter().take(MOST) {
            let codes = report.codes(&list.codes);
            say("List in RAM", format!("{}, {}; {codes}", list.address, list.shape()));
        }
        let tried: Vec<String> = report
            .tried
            .iter()
            .filter(|(_, tally)| tally.tried > 0)
            .map(|(of, tally)| format!("{} {}", tally.tried, of.name()))
            .collect();
        say("Rules tried", if tried.is_empty() { "none".to_owned() } else { tried.join(", ") });
        if report.was_stopped {
            say("Search", "stopped; it is not complete".into());
        }
        say("Rule", report.sureness());
        if let Some(start) = self.start() {
            say("Start of a game", start.into());
        }
        say("Profile", self.follows());
        lines
    }
}
