//! What was learned, as a profile.

use super::Report;
use super::content::{self, PieceCell};
use super::counter::FrameCell;
use super::listed::{Followed, ListedPieces};
use super::observed::Observations;
use super::series::Series;
use super::trace::StateCell;
use super::verdict::Candidate;
use crate::source::Address;
use nextscope_games::games::declared::{Deals, Randomizer};
use nextscope_memory::console::{ConsoleId, Endian};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Bytes by which the game is recognised.
const ANCHOR: usize = 16;
/// Different values among them, at least: a row of zeros is in any memory.
const ANCHOR_VALUES: usize = 6;

/// What a profile is made of.
#[derive(Debug)]
pub struct LearnedProfile<'a> {
    /// Its id.
    pub id: &'a str,
    /// The name of the game.
    pub name: &'a str,
    /// The console.
    pub console: ConsoleId,
    /// The samples.
    pub series: &'a Series,
    /// The deals that were observed in them.
    pub observed: &'a Observations,
    /// What was learned from them.
    pub report: &'a Report,
    /// The counter of frames, if one was found.
    pub counter: Option<FrameCell>,
    /// How it was learned: from what, when, by which version.
    pub evidence: &'a str,
}

/// A profile as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProfileText {
    /// The text.
    pub toml: String,
    /// Whether it reads the pieces to come from RAM, and follows no rule.
    pub is_list: bool,
}

/// Why a profile cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ProfileGap {
    #[error(
        "no rule explains the deals, and neither a list nor cells of the next pieces with the code of each kind were found, so that there is nothing to write; go on playing"
    )]
    NoRule,
    #[error(
        "the state of the generator at {0} has an order of bytes that a profile cannot describe for this console"
    )]
    ByteOrder(Address),
    #[error(
        "no cell of RAM has the code of each piece that was dealt, or not each kind was dealt; go on playing"
    )]
    NoCell,
    #[error(
        "no {ANCHOR} bytes of RAM stay the same and differ from one another, by which the game could be recognised"
    )]
    NoAnchor,
}

/// The field of the pieces in RAM: the last of them is the last that was drawn.
struct PieceField {
    name: &'static str,
    address: Address,
    bytes: usize,
}

impl LearnedProfile<'_> {
    /// The text of the profile.
    ///
    /// # Errors
    /// [`ProfileGap`].
    pub fn text(&self) -> Result<ProfileText, ProfileGap> {
        let of_list = |listed| self.of_list(&listed).map(|toml| ProfileText { toml, is_list: true });
        match self.report.followed().ok_or(ProfileGap::NoRule)? {
            Followed::List(listed) => of_list(listed),
            Followed::Rule(best) => match (self.of_rule(best), self.report.listed()) {
                (Err(ProfileGap::ByteOrder(_) | ProfileGap::NoCell), Some(listed)) => of_list(listed),
                (toml, _) => Ok(ProfileText { toml: toml?, is_list: false }),
            },
        }
    }

    fn of_rule(&self, best: &Candidate) -> Result<String, ProfileGap> {
        let (pieces, codes) = self.pieces(best).ok_or(ProfileGap::NoCell)?;
        let state = self.report.generators[best.fit.generator].cell;
        let state_type = self.state_type(state).ok_or(ProfileGap::ByteOrder(state.address))?;
        let mut text = self.head("")?;
        let t = &mut text;
        let bits = self.report.generators[best.fit.generator].bits;
        let source = format!("learned: its values follow the generator (improbability {bits:.0} bits)");
        field(t, "rng_state", state.address, &state_type, &source);
        if let Some(count) = best.fit.count.and_then(|count| count.address) {
            count_field(t, count);
        }
        field(t, pieces.name, pieces.address, &bytes_type(pieces.bytes), PIECES_SOURCE);
        let declared = Randomizer { codes, ..best.fit.randomizer.clone() };
        text.push_str(&declared.to_toml());
        Ok(text)
    }

    fn of_list(&self, listed: &ListedPieces) -> Result<String, ProfileGap> {
        let why = if self.report.best().is_some() { "; the rule is left out" } else { "" };
        let note = format!(
            "Instead of by a rule the pieces to come are known from RAM: {}{why}.",
            listed.describe()
        );
        let mut text = self.head(&note)?;
        let t = &mut text;
        if let Some((position, others)) = &listed.position {
            self.position_field(t, listed, *position, others);
        } else if let Some(count) = self.count_with(listed) {
            count_field(t, count);
        }
        if let Some(current) = listed.current {
            let unit = listed.codes.deals.bytes() as usize;
            field(t, "current", current, &bytes_type(unit), PIECES_SOURCE);
        }
        let source = "learned: it has the codes of the pieces that came next";
        field(t, "next", listed.next, &bytes_type(listed.bytes), source);
        text.push_str(&listed.codes.to_toml());
        Ok(text)
    }

    /// A number of two bytes if the list is too long for one, and the byte above it is 0.
    fn position_field(&self, t: &mut String, listed: &ListedPieces, low: Address, others: &[Address]) {
        let step = listed.codes.position.map_or(1, |position| usize::from(position.step.max(1)));
        let is_long = listed.length * step > usize::from(u8::MAX);
        let order = self.console.domain().endian;
        let (above, first) = match order {
            Endian::Big => (low.0.checked_sub(1), low.0.checked_sub(1)),
            Endian::Little => (Some(low.0 + 1), Some(low.0)),
        };
        let offset = |address: u64| usize::try_from(address.checked_sub(self.series.address(0).0)?).ok();
        let is_zero = |at: usize| at < self.series.size() && self.series.byte(at, self.series.len() - 1) == 0;
        let is_above = above.and_then(offset).is_some_and(is_zero);
        let even = first.filter(|first| is_long && is_above && first.is_multiple_of(2));
        let (address, kind) = even.map_or((low, "type = \"u8\""), |first| (Address(first), "type = \"u16\""));
        let others: Vec<String> = others.iter().map(ToString::to_string).collect();
        let others = match others.join(", ") {
            none if none.is_empty() => none,
            others => format!("; {others} too: if the next game is not followed, try these"),
        };
        field(t, "position", address, kind, &format!("learned: it counts the pieces of the list{others}"));
    }

    /// The count of the deals with those of the list, if the first deal was the first of the game: else nobody knows what a byte counts.
    fn count_with(&self, listed: &ListedPieces) -> Option<Address> {
        let counters = content::deal_counters(self.series, self.observed);
        let drawn = u8::try_from(listed.length + 1).ok()?;
        let counter = counters.into_iter().find(|counter| counter.begins_with(drawn));
        counter.filter(|_| self.observed.from_start).map(|counter| counter.address)
    }

    /// What is the same in every profile.
    fn head(&self, note: &str) -> Result<String, ProfileGap> {
        let (anchor, hex) = self.anchor().ok_or(ProfileGap::NoAnchor)?;
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_head(&mut text, note, anchor, &hex);
        Ok(text)
    }

    fn write_head(&self, t: &mut String, note: &str, anchor: Address, hex: &str) -> std::fmt::Result {
        let text = |text: &str| serde_json::Value::String(text.to_owned()).to_string();
        let note = if note.is_empty() { String::new() } else { format!("\n{note}") };
        let notes = format!("{}\nRule: {}.{note}", self.evidence, self.report.sureness());
        writeln!(t, "id = {}", text(self.id))?;
        writeln!(t, "name = {}", text(self.name))?;
        writeln!(t, "console = {:?}", self.console.id())?;
        writeln!(t, "status = \"learned\"")?;
        writeln!(t, "notes = {}\n", text(&notes))?;
        writeln!(t, "[[anchors]]\nkind = \"bytes\"\naddress = {anchor}\nhex = \"{hex}\"")?;
        writeln!(t, "note = \"these bytes did not change while it was learned\"\n")?;
        if let Some(counter) = self.counter {
            writeln!(t, "[[liveness]]\nfield = \"frame_counter\"\nper_frame = {}\n", counter.per_frame)?;
            let source = format!("moved in {} of {} samples", counter.moves, self.series.len());
            let kind = format!("type = \"u{}\"", 8 * u16::from(counter.width));
            field(t, "frame_counter", counter.address, &kind, &source);
        }
        Ok(())
    }

    /// The type of the generator's state; None if no type has this order of bytes.
    fn state_type(&self, state: StateCell) -> Option<String> {
        let integer = match state.width {
            1 => Some("u8"),
            2 => Some("u16"),
            4 => Some("u32"),
            _ => None,
        };
        match integer {
            Some(kind) if state.width == 1 || state.order == self.console.domain().endian => {
                Some(format!("type = \"{kind}\""))
            }
            _ if state.order == Endian::Big => Some(format!("type = \"bytes\"\nlength = {}", state.width)),
            _ => None,
        }
    }

    /// The field of the pieces, and the code of each kind in the order of the randomizer.
    fn pieces(&self, best: &Candidate) -> Option<(PieceField, Vec<u8>)> {
        let (randomizer, ahead) = (&best.fit.randomizer, best.fit.alignment.ahead);
        let codes_of = |cell: &PieceCell| self.report.codes_of(&randomizer.kinds, &cell.codes);
        let is_pair = randomizer.deals == Deals::Pairs;
        let cells = |ahead: usize, is_child: bool| {
            self.report.cells.iter().filter(move |cell| cell.ahead == ahead && cell.is_child == is_child)
        };
        let name = if ahead == 0 { "current" } else { "next" };
        // All that are shown, if they are side by side; else the last one drawn.
        for first in [ahead.min(1), ahead] {
            for cell in cells(first, false) {
                let Some(codes) = codes_of(cell) else { continue };
                let unit = randomizer.deals.bytes() as usize;
                let has = |ahead: usize, is_child: bool, place: usize| {
                    let address = cell.address.offset(place as u64);
                    cells(ahead, is_child)
                        .any(|other| other.address == address && codes_of(other).as_ref() == Some(&codes))
                };
                let all = (first..=ahead).all(|ahead| {
                    let place = (ahead - first) * unit;
                    has(ahead, false, place) && (!is_pair || has(ahead, true, place + 1))
                });
                if all {
                    let bytes = (ahead + 1 - first) * unit;
                    return Some((PieceField { name, address: cell.address, bytes }, codes));
                }
            }
        }
        None
    }

    /// Bytes that never changed, with as many different values as possible. A list of all deals is another one in the next game.
    fn anchor(&self) -> Option<(Address, String)> {
        let memory = self.series.memory(0);
        let base = self.series.address(0).0;
        let lists = self.report.lists.iter().filter_map(|list| list.fixed_bytes(self.observed.group()));
        let in_lists = lists.flatten().filter_map(|address| usize::try_from(address.checked_sub(base)?).ok());
        let moving: BTreeSet<usize> = self.series.moving().chain(in_lists).collect();
        let values = |start: usize| memory[start..start + ANCHOR].iter().collect::<BTreeSet<_>>().len();
        let starts = (0..(memory.len() + 1).saturating_sub(ANCHOR))
            .filter(|start| moving.range(*start..start + ANCHOR).next().is_none());
        let best = starts.max_by_key(|start| (values(*start), usize::MAX - start))?;
        let hex: Vec<String> = memory[best..best + ANCHOR].iter().map(|byte| format!("{byte:02X}")).collect();
        (values(best) >= ANCHOR_VALUES).then(|| (self.series.address(best), hex.join(" ")))
    }
}

const PIECES_SOURCE: &str = "learned: it has the code of each piece dealt";

fn field(t: &mut String, name: &str, address: Address, kind: &str, source: &str) {
    let text =
        format!("[fields.{name}]\naddress = {address}\n{kind}\nsource = {source:?}\nconfirmed = false\n\n");
    t.push_str(&text);
}

fn count_field(t: &mut String, address: Address) {
    field(t, "deals", address, "type = \"u8\"", "learned: it counts the deals");
}

fn bytes_type(bytes: usize) -> String {
    if bytes == 1 { "type = \"u8\"".to_owned() } else { format!("type = \"bytes\"\nlength = {bytes}") }
}
