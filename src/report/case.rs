//! One mismatch with its context.

use super::PieceRow;
use crate::console::Snapshot;
use crate::games::GameId;
use crate::games::PoolNotation;
use crate::live::{
    CheckId, DetectedAt, Evidence, FoundField, Mismatch, PredictionView, ReplaySource, SampleContext, Totals,
    Tracker,
};
use crate::profile::{Field, FieldKind, Profile};
use crate::recording::Recording;
use nextscope_boards::{Pair, PoolId};
use serde::Serialize;
use std::path::Path;

/// Bytes of a field that are listed.
const MAX_BYTES: usize = 16;
/// Samples before a mismatch that are searched for the last change of its field.
const SHORTLY: u64 = 120;
/// Identical samples after which a tracker accepts RAM as settled.
const SETTLED_AFTER: u64 = 3;
/// Upcoming pairs or pieces that are listed, as many as evidence contains.
const COMING: usize = 12;

/// One mismatch with its context.
#[derive(Debug, Clone)]
pub struct Case {
    /// The mismatch.
    pub mismatch: Mismatch,
    /// Expected and actual in letters, if they are pairs.
    pub drawn: Option<[String; 2]>,
    /// Expected and actual as pieces, if they are pieces.
    pub row: Option<PieceRow>,
    /// The pools in RAM, with differences marked.
    pub pools: Vec<DrawnPool>,
    /// The prediction one sample before.
    pub before: Vec<PredictedPieces>,
    /// The prediction at the mismatch.
    pub at: Vec<PredictedPieces>,
    /// Fields of the profile that changed at the sample [`Self::changed`].
    pub differences: Vec<Difference>,
    /// The sample at which the field of the mismatch last changed before it was detected: a change is checked only once it
    /// lasts two samples. The sample of the mismatch itself when there was no recent change.
    pub changed: Option<u64>,
    /// The address of its field; None when unknown.
    pub place: Option<String>,
    /// The evidence file, or why there is none.
    pub evidence: String,
    /// The command that verifies the evidence again.
    pub reproduce: Option<String>,
}

/// The prediction for a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredictedPieces {
    /// "Player 1".
    pub title: String,
    /// The pair or piece in play, in letters.
    pub current: Option<String>,
    /// The upcoming ones, in letters.
    pub items: Vec<String>,
}

/// A pool of 128 pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnPool {
    /// Which one.
    pub name: String,
    /// Its pairs.
    pub pairs: Vec<Pair>,
    /// The numbers of the pairs that differ from the model, ascending, with the model's pair if known.
    pub marked: Vec<(usize, Option<Pair>)>,
}

/// A field that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its name in the profile, or a text for bytes outside of all fields.
    pub field: String,
    /// Its address.
    pub address: String,
    /// Bytes of it that changed.
    pub changed: usize,
    /// The offset of the first of them in the field.
    pub first: usize,
    /// The bytes from there on, in hex.
    #[serde(serialize_with = "crate::json::text_or_null")]
    pub before: String,
    /// The same afterwards.
    #[serde(serialize_with = "crate::json::text_or_null")]
    pub after: String,
}

impl Case {
    /// A mismatch, with the content of its evidence file if there is one.
    pub fn of(mismatch: &Mismatch, profile: Option<&Profile>) -> Self {
        let Some(path) = &mismatch.evidence else {
            return Self { evidence: "not saved".to_owned(), ..Self::bare(mismatch) };
        };
        let name = path.display().to_string();
        let read = Recording::open(path).ok().and_then(|recording| {
            let evidence = Evidence::of(&recording)?;
            Some((recording, evidence))
        });
        match (read, profile) {
            (Some((recording, evidence)), Some(profile)) => {
                let mut case = Self::of_recording(&recording, &evidence, profile, &name);
                // The round number counts from attaching, not from the start of the file.
                case.mismatch = mismatch.clone();
                case
            }
            (Some(_), None) => Self { evidence: name, ..Self::bare(mismatch) },
            (None, _) => Self { evidence: format!("{name} cannot be read"), ..Self::bare(mismatch) },
        }
    }

    /// The heading of the differences.
    pub fn ram_title(&self) -> String {
        let sample = self.changed.map_or_else(String::new, |sample| format!(" (sample {sample})"));
        format!("RAM before and after the last change of the field{sample}")
    }

    fn bare(mismatch: &Mismatch) -> Self {
        Self {
            mismatch: mismatch.clone(),
            drawn: drawn(mismatch),
            row: PieceRow::of(mismatch),
            pools: Vec::new(),
            before: Vec::new(),
            at: Vec::new(),
            differences: Vec::new(),
            changed: None,
            place: None,
            evidence: String::new(),
            reproduce: None,
        }
    }

    /// A mismatch from its file.
    pub fn of_recording(recording: &Recording, evidence: &Evidence, profile: &Profile, name: &str) -> Self {
        let path =
            Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy().into_owned());
        let case = Self {
            before: predicted_pieces(&evidence.before),
            at: predicted_pieces(&evidence.at),
            evidence: format!(
                "{name}, {}",
                if evidence.reproduced {
                    "reproduced when it was written"
                } else {
                    "not reproduced when it was written"
                }
            ),
            reproduce: Some(format!("nextscope evidence {}", quoted(&path))),
            ..Self::bare(&evidence.mismatch)
        };
        case.with_ram(recording, evidence.sample, profile, &evidence.found)
    }

    /// A mismatch of a replayed recording.
    pub fn replayed(mismatch: &Mismatch, replayed: &ReplaySource, detected_at: &DetectedAt) -> Self {
        let name = replayed.recording.name();
        let all = |shown: &Option<PredictionView>| shown.as_ref().map_or_else(Vec::new, PredictedPieces::all);
        let case = Self {
            before: all(&detected_at.before),
            at: all(&detected_at.at),
            evidence: format!("{name}, sample {}", detected_at.sample),
            reproduce: Some(format!("nextscope verify --replay {}", quoted(name))),
            ..Self::bare(mismatch)
        };
        case.with_ram(&replayed.recording, detected_at.sample, &detected_at.profile, &detected_at.found)
    }

    /// Adds the context from the samples of a recording.
    fn with_ram(self, recording: &Recording, sample: u64, profile: &Profile, found: &[FoundField]) -> Self {
        let snapshot = |index: u64| recording.sample(index).ok().map(|sample| sample.snapshot);
        let known = with_found(profile, found);
        let at = snapshot(sample);
        let place = at.as_ref().and_then(|at| {
            let field = known.field(&self.mismatch.field)?;
            let by_content = if profile.field(&field.name).is_none() { ", found by content" } else { "" };
            Some(format!("{}{by_content}", field.address_in(at).ok()?))
        });
        let changed = last_change(recording, sample, &self.mismatch.field, &known);
        let (before, after) = (changed.checked_sub(1).and_then(snapshot), snapshot(changed));
        let differences = before.zip(after).map(|(before, after)| Difference::all(&before, &after, &known));
        let shown = at.and_then(|at| with_pools(&at, profile));
        let pools = shown.map(|shown| DrawnPool::marked(&shown, &self.mismatch, profile.game));
        let draws_ahead = self.mismatch.check == CheckId::PIECES && self.mismatch.field == "next";
        let row = self.row.map(|row| if draws_ahead { row.among(&self.before) } else { row });
        Self {
            pools: pools.unwrap_or_default(),
            differences: differences.unwrap_or_default(),
            changed: Some(changed),
            place,
            row,
            ..self
        }
    }
}

/// The profile plus the fields that were found by content.
fn with_found(profile: &Profile, found: &[FoundField]) -> Profile {
    let mut known = profile.clone();
    for FoundField { field, address, bytes } in found {
        known.fields.entry(field.clone()).or_insert_with(|| Field {
            name: field.clone(),
            address: *address,
            through: None,
            kind: FieldKind::Bytes { length: *bytes },
            confirmed: false,
            source: "found by content".into(),
            note: None,
        });
    }
    known
}

/// The sample at which a field last changed, up to that of the mismatch.
fn last_change(recording: &Recording, detected: u64, field: &str, profile: &Profile) -> u64 {
    let Some(field) = profile.field(field) else { return detected };
    let bytes = |index: u64| {
        let sample = recording.sample(index).ok()?;
        let at = field.address_in(&sample.snapshot).ok()?;
        sample.snapshot.bytes(at, field.len()).ok().map(<[u8]>::to_vec)
    };
    // Forwards, because reading samples in order is fastest.
    let from = detected.saturating_sub(SHORTLY);
    let (mut previous, mut changed) = (bytes(from), detected);
    for index in from + 1..=detected {
        let now = bytes(index);
        if std::mem::replace(&mut previous, now) != previous {
            changed = index;
        }
    }
    changed
}

/// Quotes a name for a shell if necessary.
fn quoted(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}

/// The prediction for a game with pools from a single snapshot. Trackers of other games are not started, because some start a search
/// over all states at once.
fn with_pools(snapshot: &Snapshot, profile: &Profile) -> Option<PredictionView> {
    PoolId::ALL.iter().find(|pool| profile.field(pool.field()).is_some())?;
    let mut tracker = Tracker::new(profile.game);
    let mut totals = Totals::default();
    let mut last = None;
    for frame in 0..SETTLED_AFTER {
        last = tracker.update(&SampleContext { snapshot, profile, frame }, &mut totals).prediction;
    }
    last.map(|prediction| prediction.view().clone())
}

impl PredictedPieces {
    fn all(shown: &PredictionView) -> Vec<Self> {
        let pairs = shown.players.iter().map(|player| Self {
            title: player.title.clone(),
            current: player.current.map(Pair::letters),
            items: player.pairs.iter().take(COMING).map(|pair| pair.letters()).collect(),
        });
        let pieces = shown.pieces.iter().map(|player| Self {
            title: player.title.clone(),
            current: player.current.map(|piece| piece.to_string()),
            items: player.pieces.iter().take(COMING).map(ToString::to_string).collect(),
        });
        pairs.chain(pieces).collect()
    }
}

/// The predictions for all players from an object of `watch --json`.
fn predicted_pieces(state: &serde_json::Value) -> Vec<PredictedPieces> {
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let player = |player: &serde_json::Value| {
        Some(PredictedPieces {
            title: text(&player["title"])?,
            current: text(&player["current"]),
            items: player
                .get("next")
                .or_else(|| player.get("items"))?
                .as_array()?
                .iter()
                .filter_map(text)
                .collect(),
        })
    };
    // Evidence by version 0.1.0 has other keys.
    let players = state["coming"].as_array().or_else(|| state["players"].as_array());
    players.map_or_else(Vec::new, |players| players.iter().filter_map(player).collect())
}

/// Expected and actual in letters, where both are a pair.
fn drawn(mismatch: &Mismatch) -> Option<[String; 2]> {
    let letters = |value: &str| Pair::from_text(value).map(Pair::letters);
    let [expected, actual] = [letters(&mismatch.expected)?, letters(&mismatch.actual)?];
    mismatch.field.ends_with("_queue").then_some([expected, actual])
}

impl DrawnPool {
    /// The pools without marks.
    pub fn plain(shown: &PredictionView) -> Vec<Self> {
        let pool = |pool: &crate::live::Pool| Self {
            name: pool.id.to_string(),
            pairs: pool.pairs.clone(),
            marked: Vec::new(),
        };
        shown.pools.iter().map(pool).collect()
    }

    /// The pools, with the pairs of a mismatch marked. A mismatch contains a pool's bytes in hex (Tsu) or as one digit
    /// each (20th Anniversary), two per pair.
    fn marked(shown: &PredictionView, mismatch: &Mismatch, game: GameId) -> Vec<Self> {
        let mut pools = Self::plain(shown);
        let of = shown.pools.iter().position(|pool| pool.id.field() == mismatch.field);
        let (Some(pool), Some(index)) = (of, mismatch.index) else { return pools };
        let Some(PoolNotation { digits, color }) = game.pool_notation() else { return pools };
        let byte = |text: &str, number: usize| {
            u8::from_str_radix(text.get(number * digits..(number + 1) * digits)?, 16).ok()
        };
        let first = index as usize;
        let length = mismatch.actual.len() / digits;
        let pairs = &pools[pool];
        let mut numbers: Vec<usize> = (0..length)
            .filter(|number| byte(&mismatch.expected, *number) != byte(&mismatch.actual, *number))
            .map(|number| (first + number) / 2)
            .filter(|pair| *pair < pairs.pairs.len())
            .collect();
        if numbers.is_empty() {
            numbers.push(first / 2);
        }
        numbers.dedup();
        let ram = |at: usize| {
            let pair = pairs.pairs.get(at / 2)?;
            Some(if at.is_multiple_of(2) { pair.axis } else { pair.child })
        };
        // Map a digit to a colour by the place in RAM with the same digit.
        let color = |value: u8| match color {
            Some(color) => Some(color(value)),
            None => (0..length).find_map(|number| {
                ram(first + number).filter(|_| byte(&mismatch.actual, number) == Some(value))
            }),
        };
        let models = |pair: usize| {
            // A pair by the model; a half that the mismatch does not contain is taken from RAM.
            let half =
                |at: usize| match at.checked_sub(first).and_then(|number| byte(&mismatch.expected, number)) {
                    Some(value) => color(value),
                    None => ram(at),
                };
            let complete = mismatch.expected.len() == mismatch.actual.len();
            let (axis, child) = (half(2 * pair)?, half(2 * pair + 1)?);
            complete.then_some(Pair { axis, child })
        };
        let marked = numbers.into_iter().map(|pair| (pair, models(pair))).collect();
        pools[pool].marked = marked;
        pools
    }
}

impl Difference {
    /// The changes from one sample to the next: each field, and bytes outside of all fields.
    pub fn all(before: &Snapshot, after: &Snapshot, profile: &Profile) -> Vec<Self> {
        let mut spans: Vec<(usize, usize)> = Vec::new();
        let domain = after.domain();
        let mut differences: Vec<Self> = Vec::new();
        for field in profile.fields_by_address() {
            let Ok(at) = field.address_in(after) else { continue };
            let bytes = |snapshot: &Snapshot| snapshot.bytes(at, field.len()).map(<[u8]>::to_vec).ok();
            let Some((old, new)) = bytes(before).zip(bytes(after)) else { continue };
            if let Some(span) = domain.span(at, field.len()) {
                spans.push((span.start, span.end));
            }
            differences.extend(Self::of(&field.name, at.to_string(), &old, &new));
        }
        let of_field = |offset: usize| spans.iter().any(|(start, end)| (*start..*end).contains(&offset));
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
            field: "outside of all fields".to_owned(),
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
            let text: String =
                bytes[first..].iter().take(MAX_BYTES).map(|byte| format!("{byte:02X}")).collect();
            if bytes.len() - first > MAX_BYTES { text + "…" } else { text }
        };
        Some(Self { field: field.to_owned(), address, changed, first, before: hex(old), after: hex(new) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::piece::Piece;
    use crate::live::Pool;

    fn mismatch(field: &str, index: Option<u32>, expected: &str, actual: &str) -> Mismatch {
        Mismatch {
            check: CheckId::GENERATION,
            what: String::new(),
            expected: expected.into(),
            actual: actual.into(),
            field: field.into(),
            index,
            frame: 0,
            round: 1,
            evidence: None,
            one_of: false,
        }
    }

    #[test]
    fn only_pairs_of_a_queue_are_shown_in_letters() {
        let letters = |field, expected, actual| drawn(&mismatch(field, Some(0), expected, actual));
        assert_eq!(letters("p1_queue", "04", "51"), Some(["RP".into(), "BY".into()]));
        assert_eq!(letters("p2_queue", "BB", "GB"), Some(["BB".into(), "GB".into()]), "letters, not hex");
        assert_eq!(letters("next_piece", "T", "S"), None);
        assert_eq!(letters("pool_4", "04", "51"), None, "bytes of a pool are no pair");
        assert_eq!(letters("p1_board", "R...../GG....", "R...../GB...."), None);
        assert_eq!(letters("p1_queue", "04", "0x51"), None, "both or none");
    }

    #[test]
    fn a_row_of_pieces_marks_the_wrong_ones() {
        let row = |index, expected: &str, actual: &str| {
            PieceRow::of(&mismatch("sequence", index, expected, actual))
        };
        let one = row(Some(17), "TOLS", "TJL?").expect("pieces");
        assert_eq!((one.first, one.expected.len()), (Some(18), 4));
        assert_eq!((0..5).filter(|at| one.differs(*at)).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(row(None, "T", "code 0xAA"), None);
        assert_eq!(row(None, "", ""), None);
        assert_eq!(row(None, "S and the three before it", "SZSO"), None);
        let coming = |items: &str| {
            let items = items.chars().map(String::from).collect();
            vec![PredictedPieces { title: String::new(), current: None, items }]
        };
        let row = row(Some(3), "T", "S").expect("a piece");
        let on = row.clone().among(&coming("OTL"));
        assert_eq!((on.first, on.expected.as_slice()), (Some(3), [Piece::O, Piece::T, Piece::L].as_slice()));
        assert_eq!([0, 1, 2].map(|at| on.differs(at)), [false, true, false], "later pieces are unknown");
        assert_eq!(row.clone().among(&coming("TOL")), row, "another place");
    }

    #[test]
    fn differing_pairs_are_marked_in_both_notations() {
        let pairs = vec![Pair::from_bytes(4, 5); 128];
        let shown =
            PredictionView { pools: vec![Pool { id: PoolId::Four, pairs }], ..PredictionView::default() };
        let marked = |index, expected: &str, actual: &str, game| {
            DrawnPool::marked(&shown, &mismatch("pool_4", index, expected, actual), game)[0].marked.clone()
        };
        // Two digits a byte; byte 247 is the child of pair 123, byte 249 that of pair 124.
        let tsu = marked(Some(247), "010301", "050300", crate::games::puyo_tsu::ID);
        let model = |axis, child| Some(Pair::from_bytes(axis, child));
        assert_eq!(tsu, [(123, model(4, 1)), (124, model(3, 1))]);
        // One digit a byte.
        assert_eq!(marked(Some(10), "1234", "1244", crate::games::puyo_20th::ID), [(6, None)]);
        // Byte 10, an axis, shows the colour of digit 1.
        assert_eq!(marked(Some(10), "1214", "1224", crate::games::puyo_20th::ID), [(6, model(4, 5))]);
        // A count has no position; a differing copy has one.
        assert_eq!(marked(None, "31 to 33", "34", crate::games::puyo_tsu::ID), []);
        assert_eq!(marked(Some(3), "00", "04", crate::games::puyo_tsu::ID), [(1, model(4, 0))]);
        assert_eq!(marked(Some(3), "a colour of the pool", "07", crate::games::puyo_tsu::ID), [(1, None)]);
    }

    #[test]
    fn any_file_name_is_one_word_for_a_shell() {
        assert_eq!(quoted("001.nsrec"), "001.nsrec");
        assert_eq!(quoted("it's $HOME.nsrec"), "'it'\\''s $HOME.nsrec'");
    }

    #[test]
    fn no_tracker_is_started_for_a_game_without_pools() {
        let library = crate::profile::Library::built_in();
        let profile = library.by_id("tgm2p").unwrap();
        let domain = profile.console.domain();
        let mut ram = vec![0; domain.len as usize];
        for (field, value) in [("state", 2), ("current", 3), ("next", 4)] {
            let field = profile.field(field).unwrap();
            let at = domain.span(field.address, field.len()).unwrap();
            ram[at.end - 1] = value;
        }
        let snapshot = Snapshot::from_stored(domain, crate::console::StorageOrder::AsOnBus, ram).unwrap();
        let mut tracker = Tracker::new(profile.game);
        for frame in 0..SETTLED_AFTER {
            let _ = tracker
                .update(&SampleContext { snapshot: &snapshot, profile, frame }, &mut Totals::default());
        }
        assert!(tracker.prediction().is_some(), "its tracker would predict");
        assert_eq!(with_pools(&snapshot, profile), None);
    }
}
