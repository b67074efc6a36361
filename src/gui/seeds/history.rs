//! What was searched for lately.

use super::asked::Asked;
use super::single_asked::SingleAsked;
use serde::{Deserialize, Serialize};

/// Searches that are kept.
pub const KEPT: usize = 20;

/// A search and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// What was asked of a game of pairs.
    pub asked: Asked,
    /// What was asked of a game of single pieces, instead of that.
    pub single: Option<SingleAsked>,
    /// What was found, in few words.
    pub said: String,
}

impl Entry {
    /// The pairs or pieces that were given.
    #[must_use]
    pub fn pieces(&self) -> &str {
        self.single.as_ref().map_or(self.asked.pieces(), |single| &single.pieces)
    }

    /// The game and what was chosen for it, in few words.
    #[must_use]
    pub fn summary(&self) -> String {
        self.single.as_ref().map_or_else(|| self.asked.summary(), SingleAsked::summary)
    }

    fn same_question(&self, other: &Self) -> bool {
        (&self.asked, &self.single) == (&other.asked, &other.single)
    }

    fn same_but_pieces(&self, other: &Self) -> bool {
        match (&self.single, &other.single) {
            (None, None) => self.asked.same_but_pieces(&other.asked),
            (Some(mine), Some(theirs)) => mine.same_but_pieces(theirs),
            _ => false,
        }
    }

    fn narrows(&self, wider: &Self) -> bool {
        match (&self.single, &wider.single) {
            (None, None) => self.asked.narrows(&wider.asked),
            (Some(mine), Some(theirs)) => mine.narrows(theirs),
            _ => false,
        }
    }

    fn repaired(self) -> Option<Self> {
        let Self { asked, single, said } = self;
        match single {
            Some(single) => Some(Self { asked: Asked::default(), single: Some(single.repaired()?), said }),
            None => {
                let asked = asked.repaired();
                (!asked.pieces().is_empty()).then_some(Self { asked, single: None, said })
            }
        }
    }
}

/// Searches, the newest first; kept with the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    entries: Vec<Entry>,
}

impl History {
    /// The searches, the newest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Notes a search for pairs. One that grows while it is typed stays one entry.
    pub fn note(&mut self, asked: &Asked, said: String) {
        self.add(Entry { asked: asked.clone(), single: None, said });
    }

    /// Notes a search for single pieces, in the same way.
    pub fn note_single(&mut self, asked: SingleAsked, said: String) {
        self.add(Entry { asked: Asked::default(), single: Some(asked), said });
    }

    fn add(&mut self, entry: Entry) {
        if let Some(newest) = self.entries.first_mut() {
            let taken_back = newest.pieces().starts_with(entry.pieces()) && newest.pieces() != entry.pieces();
            if newest.same_but_pieces(&entry) && taken_back {
                return; // pieces are taken back: the longer one says more
            }
            if entry.narrows(newest) {
                *newest = entry;
                return;
            }
        }
        self.entries.retain(|known| !known.same_question(&entry));
        self.entries.insert(0, entry);
        self.entries.truncate(KEPT);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// What was kept, with what cannot be put right.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        self.entries = self.entries.into_iter().filter_map(Entry::repaired).take(KEPT).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Asked {
        let mut asked = Asked::default();
        asked.read(text).unwrap();
        asked
    }

    fn pieces(history: &History) -> Vec<&str> {
        history.entries().iter().map(Entry::pieces).collect()
    }

    #[test]
    fn a_search_that_is_typed_is_one_entry_and_another_is_another() {
        let mut history = History::default();
        for text in ["B", "BG", "BG G", "BG GG", "BG G", "BG"] {
            history.note(&asked(text), String::new());
        }
        assert_eq!(pieces(&history), ["BG GG"]);
        history.note(&asked("BG R"), String::new());
        history.note(&asked("BG RR"), "1 game".into());
        assert_eq!(pieces(&history), ["BG RR", "BG GG"]);
        history.note(&asked("BG GG"), String::new());
        assert_eq!(pieces(&history), ["BG GG", "BG RR"], "one that is asked again comes first");
        history.note(&Asked { unordered: true, ..asked("BG") }, String::new());
        assert_eq!(history.entries().len(), 3);
    }

    #[test]
    fn only_so_many_are_kept_and_they_survive_being_saved() {
        let mut history = History::default();
        let letters = ["R", "G", "B", "Y", "P"];
        for (a, b) in letters.iter().flat_map(|a| letters.map(|b| (a, b))) {
            history.note(&asked(&format!("{a}{b}")), "said".into());
        }
        assert_eq!(history.entries().len(), KEPT);
        let text = serde_json::to_string(&history).unwrap();
        let back: History = serde_json::from_str(&text).unwrap();
        assert_eq!(back.repaired(), history);
    }

    #[test]
    fn single_pieces_stand_beside_pairs_and_what_is_not_known_is_left_out() {
        let single = |game: &str, pieces: &str| SingleAsked {
            game: game.into(),
            pieces: pieces.into(),
            ..Default::default()
        };
        let mut history = History::default();
        history.note(&asked("BG"), "1 game".into());
        for text in ["J", "JT", "JTO", "JT"] {
            history.note_single(single("tgm2", text), text.into());
        }
        history.note_single(single("tgm1", "JTO"), String::new());
        assert_eq!(pieces(&history), ["JTO", "JTO", "BG"]);
        assert_eq!(history.entries()[1].said, "JTO");
        assert_eq!(history.entries()[1].summary(), "TGM2 PLUS (TAP)");
        history.note_single(single("no such game", "J"), String::new());
        let text = serde_json::to_string(&history).unwrap();
        let back: History = serde_json::from_str(&text).unwrap();
        assert_eq!(back.repaired().entries(), &history.entries()[1..]);
        // As it was kept before there were single pieces.
        let old = r#"{"entries":[{"asked":{"game":"Tsu","pieces":"RG"},"said":"7 states"}]}"#;
        let old = serde_json::from_str::<History>(old).unwrap().repaired();
        assert_eq!((pieces(&old), old.entries()[0].single.as_ref()), (vec!["RG"], None));
    }
}
