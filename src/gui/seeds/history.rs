//! Recent searches.

use super::pair_request::PairRequest;
use super::piece_request::PieceRequest;
use serde::{Deserialize, Serialize};

/// Maximum number of entries.
pub const MAX_ENTRIES: usize = 20;

/// A search and its result. The saved names are those of 0.1.0.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// The request for a game of pairs.
    #[serde(rename = "asked")]
    pub request: PairRequest,
    /// The request for a single-piece game, instead of that.
    pub single: Option<PieceRequest>,
    /// A short result.
    #[serde(rename = "said")]
    pub result: String,
}

impl Entry {
    pub fn pieces(&self) -> &str {
        self.single.as_ref().map_or(self.request.pieces(), |single| &single.pieces)
    }

    /// The game and its options as text.
    pub fn summary(&self) -> String {
        self.single.as_ref().map_or_else(|| self.request.summary(), PieceRequest::summary)
    }

    fn same_question(&self, other: &Self) -> bool {
        (&self.request, &self.single) == (&other.request, &other.single)
    }

    fn same_but_pieces(&self, other: &Self) -> bool {
        match (&self.single, &other.single) {
            (None, None) => self.request.same_but_pieces(&other.request),
            (Some(mine), Some(theirs)) => mine.same_but_pieces(theirs),
            _ => false,
        }
    }

    fn narrows(&self, wider: &Self) -> bool {
        match (&self.single, &wider.single) {
            (None, None) => self.request.narrows(&wider.request),
            (Some(mine), Some(theirs)) => mine.narrows(theirs),
            _ => false,
        }
    }

    fn repaired(self) -> Option<Self> {
        let Self { request, single, result } = self;
        match single {
            Some(single) => {
                Some(Self { request: PairRequest::default(), single: Some(single.repaired()?), result })
            }
            None => {
                let request = request.repaired();
                (request.game.is_some() && !request.pieces().is_empty()).then_some(Self {
                    request,
                    single: None,
                    result,
                })
            }
        }
    }
}

/// Recent searches, newest first; saved with the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    entries: Vec<Entry>,
}

impl History {
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds a pair search. Typing more pairs updates the entry.
    pub fn add_pairs(&mut self, request: &PairRequest, result: String) {
        self.add_entry(Entry { request: request.clone(), single: None, result });
    }

    /// Adds a single-piece search, likewise.
    pub fn add_pieces(&mut self, request: PieceRequest, result: String) {
        self.add_entry(Entry { request: PairRequest::default(), single: Some(request), result });
    }

    fn add_entry(&mut self, entry: Entry) {
        if let Some(newest) = self.entries.first_mut() {
            let taken_back = newest.pieces().starts_with(entry.pieces()) && newest.pieces() != entry.pieces();
            if newest.same_but_pieces(&entry) && taken_back {
                return; // pieces were removed: the longer entry has more information
            }
            if entry.narrows(newest) {
                *newest = entry;
                return;
            }
        }
        self.entries.retain(|known| !known.same_question(&entry));
        self.entries.insert(0, entry);
        self.entries.truncate(MAX_ENTRIES);
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Drops invalid saved entries.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        self.entries = self.entries.into_iter().filter_map(Entry::repaired).take(MAX_ENTRIES).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::seeds::pair_request::SavedValue;
    use crate::pairs::interactive::UNORDERED;

    fn request(text: &str) -> PairRequest {
        let mut request = PairRequest::default();
        request.read(text).unwrap();
        request
    }

    fn pieces(history: &History) -> Vec<&str> {
        history.entries().iter().map(Entry::pieces).collect()
    }

    #[test]
    fn a_search_that_is_typed_is_one_entry_and_another_is_another() {
        let mut history = History::default();
        for text in ["B", "BG", "BG G", "BG GG", "BG G", "BG"] {
            history.add_pairs(&request(text), String::new());
        }
        assert_eq!(pieces(&history), ["BG GG"]);
        history.add_pairs(&request("BG R"), String::new());
        history.add_pairs(&request("BG RR"), "1 game".into());
        assert_eq!(pieces(&history), ["BG RR", "BG GG"]);
        history.add_pairs(&request("BG GG"), String::new());
        assert_eq!(pieces(&history), ["BG GG", "BG RR"], "one that is request again comes first");
        let mut unordered = request("BG");
        unordered.set(&UNORDERED.option, SavedValue::Flag(true));
        history.add_pairs(&unordered, String::new());
        assert_eq!(history.entries().len(), 3);
    }

    #[test]
    fn the_number_of_entries_is_limited_and_they_survive_being_saved() {
        let mut history = History::default();
        let letters = ["R", "G", "B", "Y", "P"];
        for (a, b) in letters.iter().flat_map(|a| letters.map(|b| (a, b))) {
            history.add_pairs(&request(&format!("{a}{b}")), "result".into());
        }
        assert_eq!(history.entries().len(), MAX_ENTRIES);
        let text = serde_json::to_string(&history).unwrap();
        let back: History = serde_json::from_str(&text).unwrap();
        assert_eq!(back.repaired(), history);
    }

    #[test]
    fn single_pieces_are_listed_beside_pairs_and_unknown_games_are_left_out() {
        let single = |game: &str, pieces: &str| PieceRequest {
            game: game.into(),
            pieces: pieces.into(),
            ..Default::default()
        };
        let mut history = History::default();
        history.add_pairs(&request("BG"), "1 game".into());
        for text in ["J", "JT", "JTO", "JT"] {
            history.add_pieces(single("tgm2", text), text.into());
        }
        history.add_pieces(single("tgm1", "JTO"), String::new());
        assert_eq!(pieces(&history), ["JTO", "JTO", "BG"]);
        assert_eq!(history.entries()[1].result, "JTO");
        assert_eq!(history.entries()[1].summary(), "TGM2 PLUS (TAP)");
        history.add_pieces(single("no such game", "J"), String::new());
        let text = serde_json::to_string(&history).unwrap();
        let back: History = serde_json::from_str(&text).unwrap();
        assert_eq!(back.repaired().entries(), &history.entries()[1..]);
        // The format before there were single pieces.
        let old = r#"{"entries":[{"asked":{"game":"Tsu","pieces":"RG"},"said":"7 states"}]}"#;
        let old = serde_json::from_str::<History>(old).unwrap().repaired();
        assert_eq!((pieces(&old), old.entries()[0].single.as_ref()), (vec!["RG"], None));
    }
}
