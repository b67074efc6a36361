//! One mismatch, and what is known of it.

use crate::console::Snapshot;
use crate::game::GameId;
use crate::game::puyo::Pair;
use crate::live::{Data, Evidence, Look, Mismatch, Shown, Totals, Tracker};
use crate::profile::Profile;
use crate::recording::Recording;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Bytes of a field that are told.
const MOST_TOLD: usize = 16;
/// Samples before a mismatch in which its field is looked for to have changed.
const SHORTLY: u64 = 120;
/// Samples of one RAM that a tracker takes for it to stand.
const STANDS: u64 = 3;

/// One mismatch.
#[derive(Debug, Clone)]
pub struct Case {
    /// What disagrees.
    pub mismatch: Mismatch,
    /// Expected and actual as drawn pairs or pieces, in letters, where they are that.
    pub drawn: Option<[String; 2]>,
    /// The pools in RAM, with what differs marked.
    pub pools: Vec<DrawnPool>,
    /// What was foretold one sample before.
    pub before: Vec<Coming>,
    /// The same at the mismatch.
    pub at: Vec<Coming>,
    /// Fields of the profile that changed with the sample [`Self::changed`].
    pub differences: Vec<Difference>,
    /// The number of the sample with which the field of the mismatch changed last before it was noticed: what is judged must stand in
    /// two samples first. That of the mismatch itself when nothing changed shortly before.
    pub changed: Option<u64>,
    /// Where its evidence is; or why there is none.
    pub evidence: String,
    /// The command that judges the evidence again.
    pub reproduce: Option<String>,
}

/// What a player was to get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coming {
    /// "Player 1".
    pub title: String,
    /// The pair or piece in play, and the coming ones, in letters.
    pub current: Option<String>,
    /// The coming ones.
    pub items: Vec<String>,
}

/// A pool of 128 pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnPool {
    /// Which one.
    pub name: String,
    /// Its pairs.
    pub pairs: Vec<Pair>,
    /// The numbers of the pairs that differ from the model's, ascending, with the model's pair where it is known.
    pub marked: Vec<(usize, Option<Pair>)>,
}

/// A field that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its name in the profile, or "no field".
    pub field: String,
    /// Where it stands.
    pub address: String,
    /// Bytes of it that changed.
    pub changed: usize,
    /// The first of them, counted from the field's beginning.
    pub first: usize,
    /// The bytes from there on, in hex.
    pub before: String,
    /// The same afterwards.
    pub after: String,
}

impl Case {
    /// A mismatch, with what its evidence shows when there is any.
    #[must_use]
    pub fn of(mismatch: &Mismatch, profile: Option<&Profile>) -> Self {
        let Some(path) = &mismatch.evidence else {
            return Self { evidence: "none was saved".to_owned(), ..Self::bare(mismatch) };
        };
        let name = path.display().to_string();
        let read = Recording::open(path).ok().and_then(|recording| {
            let evidence = Evidence::of(&recording)?;
            Some((recording, evidence))
        });
        match (read, profile) {
            (Some((recording, evidence)), Some(profile)) => {
                let mut case = Self::of_recording(&recording, &evidence, profile, &name);
                // The number of the round counts from attaching, not from where the file begins.
                case.mismatch = mismatch.clone();
                case
            }
            (Some(_), None) => Self { evidence: name, ..Self::bare(mismatch) },
            (None, _) => Self { evidence: format!("{name} cannot be read"), ..Self::bare(mismatch) },
        }
    }

    /// What stands over the differences.
    #[must_use]
    pub fn ram_title(&self) -> String {
        let sample = self.changed.map_or_else(String::new, |sample| format!(" (sample {sample})"));
        format!("RAM before and after the field changed last{sample}")
    }

    fn bare(mismatch: &Mismatch) -> Self {
        Self {
            mismatch: mismatch.clone(),
            drawn: drawn(mismatch),
            pools: Vec::new(),
            before: Vec::new(),
            at: Vec::new(),
            differences: Vec::new(),
            changed: None,
            evidence: String::new(),
            reproduce: None,
        }
    }

    /// A mismatch from its file.
    #[must_use]
    pub fn of_recording(recording: &Recording, evidence: &Evidence, profile: &Profile, name: &str) -> Self {
        let snapshot = |index: u64| recording.sample(index).ok().map(|sample| sample.snapshot);
        let at = snapshot(evidence.sample);
        let changed = last_change(recording, evidence, profile);
        let (before, after) = (changed.checked_sub(1).and_then(snapshot), snapshot(changed));
        let shown = at.as_ref().and_then(|at| Shown::of(&stands(at, profile)?));
        let differences = before.zip(after).map(|(before, after)| Difference::all(&before, &after, profile));
        let path =
            Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy().into_owned());
        Self {
            pools: shown
                .map_or_else(Vec::new, |shown| DrawnPool::marked(&shown, &evidence.mismatch, profile.game)),
            before: coming(&evidence.before),
            at: coming(&evidence.at),
            differences: differences.unwrap_or_default(),
            changed: Some(changed),
            evidence: format!(
                "{name}, {}",
                if evidence.reproduced {
                    "judged again and found the same when it was written"
                } else {
                    "the mismatch did not come again when it was written"
                }
            ),
            reproduce: Some(format!("nextscope evidence {}", quoted(&path))),
            ..Self::bare(&evidence.mismatch)
        }
    }
}

/// The sample with which the field of a mismatch changed last, up to that of the mismatch.
fn last_change(recording: &Recording, evidence: &Evidence, profile: &Profile) -> u64 {
    let bytes = |index: u64| {
        let sample = recording.sample(index).ok()?;
        let field = profile.field(&evidence.mismatch.field)?;
        let at = field.place(&sample.snapshot).ok()?;
        sample.snapshot.bytes(at, field.len()).ok().map(<[u8]>::to_vec)
    };
    let from = evidence.sample.saturating_sub(SHORTLY);
    let held: Vec<Option<Vec<u8>>> = (from..=evidence.sample).map(bytes).collect();
    let change = held.windows(2).rposition(|pair| pair[0] != pair[1]);
    change.map_or(evidence.sample, |at| from + 1 + at as u64)
}

/// For a shell, when it needs that.
fn quoted(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}

/// RAM of one moment, as a game that stands still.
fn stands(snapshot: &Snapshot, profile: &Profile) -> Option<Data> {
    let mut tracker = Tracker::new(profile.game);
    let mut totals = Totals::default();
    let mut last = None;
    for frame in 0..STANDS {
        let (observation, forecast, _) = tracker.look(&Look { snapshot, profile, frame }, &mut totals);
        last = Some((observation, forecast));
    }
    let (observation, forecast) = last?;
    Some(Data {
        snapshot: snapshot.clone(),
        taken: Instant::now(),
        frame: 0,
        frames_per_second: 0.0,
        observation,
        forecast,
        verdict: Arc::new(tracker.verdict()),
    })
}

/// What the object of `watch --json` tells of each player.
fn coming(state: &serde_json::Value) -> Vec<Coming> {
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let player = |player: &serde_json::Value| {
        Some(Coming {
            title: text(&player["title"])?,
            current: text(&player["current"]),
            items: player["items"].as_array()?.iter().filter_map(text).collect(),
        })
    };
    state["coming"].as_array().map_or_else(Vec::new, |players| players.iter().filter_map(player).collect())
}

/// Expected and actual in letters, where both are a pair by its two codes or a piece by its letter.
fn drawn(mismatch: &Mismatch) -> Option<[String; 2]> {
    let letters = |value: &str| {
        let digits: Option<Vec<u8>> =
            value.chars().map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect();
        match digits.as_deref() {
            Some([axis, child]) if mismatch.field.ends_with("_queue") => {
                Some(Pair::from_bytes(*axis, *child).letters())
            }
            _ => Some(value.to_owned())
                .filter(|value| matches!(value.as_bytes(), [b'I' | b'J' | b'L' | b'O' | b'S' | b'T' | b'Z'])),
        }
    };
    Some([letters(&mismatch.expected)?, letters(&mismatch.actual)?])
}

impl DrawnPool {
    /// The pools as they are.
    #[must_use]
    pub fn plain(shown: &Shown) -> Vec<Self> {
        let pool = |pool: &crate::live::Pool| Self {
            name: pool.id.to_string(),
            pairs: pool.pairs.clone(),
            marked: Vec::new(),
        };
        shown.pools.iter().map(pool).collect()
    }

    /// The pools, with those pairs marked that a mismatch is about. A pool's bytes stand in a mismatch in hex (Tsu) or as one digit
    /// each (20th Anniversary), two to a pair.
    fn marked(shown: &Shown, mismatch: &Mismatch, game: GameId) -> Vec<Self> {
        let mut pools = Self::plain(shown);
        let of = shown.pools.iter().position(|pool| pool.id.field() == mismatch.field);
        let (Some(pool), Some(index)) = (of, mismatch.index) else { return pools };
        let digits = if game == GameId::PuyoTsu { 2 } else { 1 };
        let byte = |text: &str, number: usize| {
            u8::from_str_radix(text.get(number * digits..(number + 1) * digits)?, 16).ok()
        };
        let first = index as usize;
        let told = mismatch.actual.len() / digits;
        let pairs = &mut pools[pool];
        let mut numbers: Vec<usize> = (0..told)
            .filter(|number| byte(&mismatch.expected, *number) != byte(&mismatch.actual, *number))
            .map(|number| (first + number) / 2)
            .filter(|pair| *pair < pairs.pairs.len())
            .collect();
        if numbers.is_empty() {
            numbers.push(first / 2);
        }
        numbers.dedup();
        let models = |pair: usize| {
            // Whole pairs of the model's; the half that was not told is as in RAM.
            let ram = pairs.pairs.get(pair)?;
            let half = |at: usize| at.checked_sub(first).and_then(|number| byte(&mismatch.expected, number));
            let tsu = game == GameId::PuyoTsu && mismatch.expected.len() == mismatch.actual.len();
            let (axis, child) = (half(2 * pair), half(2 * pair + 1));
            tsu.then(|| Pair::from_bytes(axis.unwrap_or(ram.axis.0), child.unwrap_or(ram.child.0)))
        };
        let marked = numbers.into_iter().map(|pair| (pair, models(pair))).collect();
        pairs.marked = marked;
        pools
    }
}

impl Difference {
    /// What changed from one sample to the next, field by field, and what is no field's.
    #[must_use]
    pub fn all(before: &Snapshot, after: &Snapshot, profile: &Profile) -> Vec<Self> {
        let mut told: Vec<(usize, usize)> = Vec::new();
        let domain = after.domain();
        let mut differences: Vec<Self> = Vec::new();
        for field in profile.fields_by_address() {
            let Ok(at) = field.place(after) else { continue };
            let bytes = |snapshot: &Snapshot| snapshot.bytes(at, field.len()).map(<[u8]>::to_vec).ok();
            let Some((old, new)) = bytes(before).zip(bytes(after)) else { continue };
            if let Some(span) = domain.span(at, field.len()) {
                told.push((span.start, span.end));
            }
            differences.extend(Self::of(&field.name, at.to_string(), &old, &new));
        }
        let of_field = |offset: usize| told.iter().any(|(start, end)| (*start..*end).contains(&offset));
        let mut others = 0;
        let mut first = None;
        for (offset, bytes) in after.parts() {
            let Some(old) = before.at(offset..offset + bytes.len()) else { continue };
            for (number, _) in bytes.iter().zip(old).enumerate().filter(|(_, (new, old))| new != old) {
                if !of_field(offset + number) {
                    others += 1;
                    first.get_or_insert(offset + number);
                }
            }
        }
        differences.extend(first.map(|first| Self {
            field: "no field of the profile".to_owned(),
            address: domain.address_at(first).to_string(),
            changed: others,
            first: 0,
            before: String::new(),
            after: String::new(),
        }));
        differences
    }

    fn of(field: &str, address: String, old: &[u8], new: &[u8]) -> Option<Self> {
        let first = old.iter().zip(new).position(|(old, new)| old != new)?;
        let changed = old.iter().zip(new).filter(|(old, new)| old != new).count();
        let hex = |bytes: &[u8]| {
            let told: String =
                bytes[first..].iter().take(MOST_TOLD).map(|byte| format!("{byte:02X}")).collect();
            if bytes.len() - first > MOST_TOLD { told + "…" } else { told }
        };
        Some(Self { field: field.to_owned(), address, changed, first, before: hex(old), after: hex(new) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::puyo::PoolId;
    use crate::live::{CheckId, Pool};

    fn mismatch(field: &str, index: Option<u32>, expected: &str, actual: &str) -> Mismatch {
        Mismatch {
            check: CheckId::Generation,
            what: String::new(),
            expected: expected.into(),
            actual: actual.into(),
            field: field.into(),
            index,
            frame: 0,
            round: 1,
            evidence: None,
        }
    }

    #[test]
    fn pairs_and_pieces_are_told_in_letters_and_nothing_else_is() {
        let told = |field, expected, actual| drawn(&mismatch(field, Some(0), expected, actual));
        assert_eq!(told("p1_queue", "04", "51"), Some(["RP".into(), "BY".into()]));
        assert_eq!(told("next_piece", "T", "S"), Some(["T".into(), "S".into()]));
        assert_eq!(told("pool_4", "04", "51"), None, "bytes of a pool are no pair");
        assert_eq!(told("p1_board", "R...../GG....", "R...../GB...."), None);
        assert_eq!(told("rng_state", "0x1234", "T"), None, "both or none");
    }

    #[test]
    fn the_pairs_that_differ_are_marked_whatever_the_game_stores() {
        let pairs = vec![Pair::from_bytes(4, 5); 128];
        let shown = Shown { pools: vec![Pool { id: PoolId::Four, pairs }], ..Shown::default() };
        let marked = |index, expected: &str, actual: &str, game| {
            DrawnPool::marked(&shown, &mismatch("pool_4", index, expected, actual), game)[0].marked.clone()
        };
        // Two digits a byte; byte 247 is the child of pair 123, byte 249 that of pair 124.
        let tsu = marked(Some(247), "010301", "050300", GameId::PuyoTsu);
        let model = |axis, child| Some(Pair::from_bytes(axis, child));
        assert_eq!(tsu, [(123, model(4, 1)), (124, model(3, 1))]);
        // One digit a byte.
        assert_eq!(marked(Some(10), "1234", "1244", GameId::Puyo20th), [(6, None)]);
        // A count says nothing of where; a copy that differs does.
        assert_eq!(marked(None, "31 to 33", "34", GameId::PuyoTsu), []);
        assert_eq!(marked(Some(3), "00", "04", GameId::PuyoTsu), [(1, model(4, 0))]);
        assert_eq!(marked(Some(3), "a colour of the pool", "07", GameId::PuyoTsu), [(1, None)]);
    }

    #[test]
    fn a_name_with_anything_in_it_is_one_word_for_a_shell() {
        assert_eq!(quoted("001.nsrec"), "001.nsrec");
        assert_eq!(quoted("it's $HOME.nsrec"), "'it'\\''s $HOME.nsrec'");
    }
}
