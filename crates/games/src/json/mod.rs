//! All JSON output: one envelope with a version, and the formats that all games share.
//!
//! `docs/json.md` documents every kind and key, and `tests/cli/json.rs` compares it with the output of every command. The rules:
//! keys are snake_case, in the order of the struct; an absent value is null, a list without entries `[]`; states
//! and addresses are strings with `0x`; a pair is two letters (axis first), a piece one.

mod found;
mod generated;
mod sequence;

pub use found::{FirstFailure, Found, FoundState, Name, Searched};
pub use generated::Generated;
pub use sequence::{Chance, Code, Coding, ColorOrder, Pool, codes, field_code, piece_chances};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the schema; it increases when a key is removed or changes its name, type or meaning.
pub const SCHEMA: u32 = 1;

/// The kind of an object, which determines its keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Why a command failed.
    Error,
    /// `list`.
    List,
    /// A line of `watch`, or a state that `serve` sends.
    Live,
    /// `serve`, when it is ready.
    Serve,
    /// `verify`.
    Verify,
    /// `record`.
    Record,
    /// `replay FILE`.
    Replay,
    /// `replay --cut`.
    ReplayCut,
    /// `replay --dump`.
    ReplayDump,
    /// `evidence`.
    Evidence,
    /// `generate`, one object for each seed or game.
    Generate,
    /// `find`.
    Find,
    /// A state that `find puyo-tsu --stream` found.
    FindState,
    /// `stats`.
    Stats,
    /// `stats` of the pools of Puyo games.
    StatsPools,
    /// `stats bounded --sweep`.
    StatsSweep,
    /// `stats dr-mario`: all starts of a game.
    StatsStarts,
    /// `scan`: the memory to search, when it is incomplete.
    ScanMemory,
    /// `scan`: the format of a save state.
    ScanSaveState,
    /// `scan`: a step.
    ScanStep,
    /// `scan`: an undone step.
    ScanUndo,
    /// `scan`: the remaining cells.
    ScanRows,
    /// `scan`: pools, sequences, boards or generators.
    ScanFound,
    /// `scan`: the watch list.
    ScanWatches,
    /// `scan`: pointer paths.
    ScanPaths,
    /// `scan`: a file that was written.
    ScanSaved,
    /// `learn`.
    Learn,
    /// `route`.
    Route,
    /// `route --seeds` and `route --states-from`.
    RouteSeeds,
    /// `route check`.
    RouteCheck,
    /// `route merge`.
    RouteMerge,
    /// `ignite`.
    Ignite,
    /// `ignite --rank`.
    IgniteRank,
    /// `ignite --gallery`.
    IgniteGallery,
    /// `simulate`.
    Simulate,
    /// `profile check`.
    ProfileCheck,
    /// `profile list`.
    ProfileList,
    /// `profile new`.
    ProfileNew,
    /// `profile add`.
    ProfileAdd,
    /// `profile locate`.
    ProfileLocate,
    /// `frames measure`.
    FramesMeasure,
    /// `start --list`.
    StartList,
    /// `start --suggest`.
    StartSuggest,
    /// `start --forget`.
    StartForget,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 44] = [
        Self::Error,
        Self::List,
        Self::Live,
        Self::Serve,
        Self::Verify,
        Self::Record,
        Self::Replay,
        Self::ReplayCut,
        Self::ReplayDump,
        Self::Evidence,
        Self::Generate,
        Self::Find,
        Self::FindState,
        Self::Stats,
        Self::StatsPools,
        Self::StatsSweep,
        Self::StatsStarts,
        Self::ScanMemory,
        Self::ScanSaveState,
        Self::ScanStep,
        Self::ScanUndo,
        Self::ScanRows,
        Self::ScanFound,
        Self::ScanWatches,
        Self::ScanPaths,
        Self::ScanSaved,
        Self::Learn,
        Self::Route,
        Self::RouteSeeds,
        Self::RouteCheck,
        Self::RouteMerge,
        Self::Ignite,
        Self::IgniteRank,
        Self::IgniteGallery,
        Self::Simulate,
        Self::ProfileCheck,
        Self::ProfileList,
        Self::ProfileNew,
        Self::ProfileAdd,
        Self::ProfileLocate,
        Self::FramesMeasure,
        Self::StartList,
        Self::StartSuggest,
        Self::StartForget,
    ];
}

/// An output object: version and kind first, then the keys of the body.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Envelope<T> {
    schema: u32,
    kind: Kind,
    #[serde(flatten)]
    body: T,
}

impl<T> Envelope<T> {
    /// The object of that kind.
    pub const fn new(kind: Kind, body: T) -> Self {
        Self { schema: SCHEMA, kind, body }
    }
}

impl<T: Serialize> Envelope<T> {
    /// The object on one line, without a line break.
    pub fn text(&self) -> String {
        // Bodies are structs of text and numbers, which JSON can always represent.
        serde_json::to_string(self).unwrap_or_else(|error| Failure::of(2, &error, None))
    }
}

/// The body of [`Kind::Error`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Failure {
    /// The exit status, 1 or more.
    pub status: u8,
    /// What went wrong, as a sentence.
    pub message: String,
    /// What to do about it; None without a known remedy.
    pub hint: Option<String>,
}

impl Failure {
    /// The error object on one line, without a line break.
    pub fn of(status: u8, message: &impl std::fmt::Display, hint: Option<String>) -> String {
        let failure = Self { status, message: message.to_string(), hint };
        serde_json::to_string(&Envelope::new(Kind::Error, failure)).unwrap_or_default()
    }
}

/// A value that only one kind or game has, as JSON.
pub fn value(details: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(details).unwrap_or_default()
}

/// For serde: writes empty text as null.
///
/// # Errors
/// Those of the serializer.
pub fn text_or_null<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    Some(text).filter(|text| !text.is_empty()).serialize(serializer)
}

/// For serde: reads what [`text_or_null`] writes.
///
/// # Errors
/// Those of the deserializer.
pub fn null_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::piece::Piece;
    use nextscope_boards::{Pair, PoolId};

    #[test]
    fn every_object_begins_with_schema_and_kind() {
        let text = Failure::of(3, &"no such process", None);
        assert_eq!(text, r#"{"schema":1,"kind":"error","status":3,"message":"no such process","hint":null}"#);
        assert_eq!(Envelope::new(Kind::ScanSaveState, ()).text(), r#"{"schema":1,"kind":"scan-save-state"}"#);
    }

    #[test]
    fn pairs_are_letters_with_codes_beside_them_and_pieces_are_letters() {
        let pairs = [Pair::from_bytes(0, 3), Pair::from_bytes(5, 5)];
        let pool = Pool::new(PoolId::Three, pairs, Some(Coding::Colors));
        let text = serde_json::to_string(&pool).unwrap();
        assert_eq!(text, r#"{"colors":3,"pairs":["RG","BB"],"codes":["03","55"]}"#);
        assert_eq!(serde_json::to_string(&Piece::ALL).unwrap(), r#"["I","J","L","O","S","T","Z"]"#);
    }
}
