//! What was searched for lately.

use super::asked::Asked;
use serde::{Deserialize, Serialize};

/// Searches that are kept.
pub const KEPT: usize = 20;

/// A search and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// What was asked.
    pub asked: Asked,
    /// What was found, in few words.
    pub said: String,
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

    /// Notes a search. One that grows while it is typed stays one entry.
    pub fn note(&mut self, asked: &Asked, said: String) {
        if let Some(newest) = self.entries.first_mut() {
            let taken_back = newest.asked.pieces().starts_with(asked.pieces()) && newest.asked != *asked;
            if newest.asked.same_but_pieces(asked) && taken_back {
                return; // puyos are taken back: the longer one says more
            }
            if asked.narrows(&newest.asked) {
                *newest = Entry { asked: asked.clone(), said };
                return;
            }
        }
        self.entries.retain(|entry| entry.asked != *asked);
        self.entries.insert(0, Entry { asked: asked.clone(), said });
        self.entries.truncate(KEPT);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// What was kept, with what cannot be put right.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        self.entries.truncate(KEPT);
        for entry in &mut self.entries {
            entry.asked = std::mem::take(&mut entry.asked).repaired();
        }
        self.entries.retain(|entry| !entry.asked.pieces().is_empty());
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
        history.entries().iter().map(|entry| entry.asked.pieces()).collect()
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
}
