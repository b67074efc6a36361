//! The request of the pair search, as entered; saved in the history.

use crate::live::Data;
use crate::options::{OptionKind, OptionSpec, OptionValue, OptionValues};
use crate::pairs::interactive::{
    FIRST_PAIR, InteractiveSearch, Preparation, SearchField, SearchInput, UNORDERED,
};
use crate::pairs::{PairGame, PartialPair, PieceError, parse_pieces};
use nextscope_boards::Color;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// The value of an option, as it is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SavedValue {
    Flag(bool),
    Number(u32),
    Text(String),
}

impl SavedValue {
    /// The saved value if it is valid, or else the default of the option.
    fn of(option: &OptionSpec, saved: Option<&Self>) -> Self {
        match (option.kind, saved) {
            (OptionKind::Flag, saved) => Self::Flag(saved == Some(&Self::Flag(true))),
            (OptionKind::Number(least, most), Some(Self::Number(number))) => {
                Self::Number(*number.clamp(&least, &most))
            }
            (OptionKind::Number(least, _), _) => {
                Self::Number(option.default.and_then(|number| number.parse().ok()).unwrap_or(least))
            }
            (_, Some(Self::Text(text))) => Self::Text(text.clone()),
            _ => Self::Text(option.default.unwrap_or_default().to_owned()),
        }
    }

    fn from_option(value: &OptionValue) -> Option<Self> {
        match value {
            OptionValue::Flag => Some(Self::Flag(true)),
            OptionValue::Number(number) => Some(Self::Number(*number)),
            OptionValue::Text(text) => Some(Self::Text(text.clone())),
            OptionValue::File(_) | OptionValue::Dump(_) | OptionValue::Profile(_) => None,
        }
    }

    /// The value that the game gets; None if the option is not given.
    fn into_option(self) -> Option<OptionValue> {
        match self {
            Self::Flag(given) => given.then_some(OptionValue::Flag),
            Self::Number(number) => Some(OptionValue::Number(number)),
            Self::Text(text) => (!text.trim().is_empty()).then_some(OptionValue::Text(text)),
        }
    }
}

/// The name under which the value of an option is saved.
fn key(option: &OptionSpec) -> String {
    option.name.replace('-', "_")
}

/// The fields of a game, row by row.
fn fields(game: PairGame) -> impl Iterator<Item = &'static SearchField> {
    game.rules().interactive.iter().flat_map(|search| search.fields).copied().flatten()
}

/// The input. The names of the fields and of the options are saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PairRequest {
    /// The searched game; None for one that this version does not have.
    #[serde(serialize_with = "save_game", deserialize_with = "saved_game")]
    pub game: Option<PairGame>,
    /// The puyos, "BG GG ?Y"; the last may lack its partner.
    pub(super) pieces: String,
    /// The values of the options of all games.
    #[serde(flatten)]
    options: BTreeMap<String, SavedValue>,
}

fn save_game<S: Serializer>(game: &Option<PairGame>, serializer: S) -> Result<S::Ok, S::Error> {
    game.map(|game| game.rules().saved_name).serialize(serializer)
}

fn saved_game<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PairGame>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    Ok(name.and_then(|name| PairGame::with_search().into_iter().find(|game| game.rules().saved_name == name)))
}

impl Default for PairRequest {
    fn default() -> Self {
        let game = PairGame::with_search().first().copied();
        Self { game, pieces: String::new(), options: BTreeMap::new() }.repaired()
    }
}

impl PairRequest {
    /// Clamps saved values to their valid ranges.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        let fields = PairGame::with_search().into_iter().flat_map(fields);
        self.options = fields.map(|field| (key(&field.option), self.value(&field.option))).collect();
        if read(&self.pieces).is_err() {
            self.pieces.clear();
        }
        self
    }

    /// What the running game has dealt in this round, if there is a search for it.
    pub fn from_emulator(data: &Data) -> Option<Self> {
        let (observation, prediction) = (data.observation.as_ref().ok()?, data.prediction.as_ref()?);
        PairGame::with_search().into_iter().find_map(|game| {
            let input = (game.rules().interactive.as_ref()?.dealt)(observation, prediction)?;
            Some(Self::of(game, &input))
        })
    }

    fn of(game: PairGame, input: &SearchInput) -> Self {
        let mut request = Self { game: Some(game), ..Self::default() };
        for SearchField { option, .. } in fields(game) {
            let value = input.options.get(option.name).and_then(SavedValue::from_option);
            request.set(option, SavedValue::of(option, value.as_ref()));
        }
        let puyos = input.pairs.iter().flat_map(|pair| [pair.axis, pair.child]);
        request.set_puyos(&puyos.collect::<Vec<_>>());
        request
    }

    pub fn search(&self) -> Option<&'static InteractiveSearch> {
        self.game?.rules().interactive.as_ref()
    }

    /// Checks the input.
    ///
    /// # Errors
    /// Why no seed can match, in a sentence.
    pub fn prepare(&self) -> Result<Preparation, String> {
        let input = SearchInput { options: self.values(), pairs: self.seen() };
        self.search().map_or(Ok(Preparation::Incomplete("")), |search| (search.prepare)(&input))
    }

    pub fn value(&self, option: &OptionSpec) -> SavedValue {
        SavedValue::of(option, self.options.get(&key(option)))
    }

    pub fn set(&mut self, option: &OptionSpec, value: SavedValue) {
        self.options.insert(key(option), value);
    }

    /// The options that are given.
    fn values(&self) -> OptionValues {
        let mut values = OptionValues::default();
        for SearchField { option, .. } in self.game.into_iter().flat_map(fields) {
            if let Some(value) = self.value(option).into_option() {
                values.set(option.name, value);
            }
        }
        values
    }

    /// Whether the flag of this name is given.
    pub fn has(&self, name: &str) -> bool {
        self.options.get(name) == Some(&SavedValue::Flag(true))
    }

    /// Number of the first entered pair, from 1.
    pub fn at(&self) -> u32 {
        match self.value(&FIRST_PAIR.option) {
            SavedValue::Number(number) => number,
            _ => 1,
        }
    }

    /// The puyos in order: axis, child, axis, child; None is unknown.
    pub fn puyos(&self) -> Vec<Option<Color>> {
        self.pieces.chars().filter(|c| !c.is_whitespace()).map(Color::from_letter).collect()
    }

    pub fn set_puyos(&mut self, puyos: &[Option<Color>]) {
        let letter = |puyo: &Option<Color>| puyo.map_or('?', Color::letter);
        let pairs = puyos.chunks(2).map(|pair| pair.iter().map(letter).collect::<String>());
        self.pieces = pairs.collect::<Vec<_>>().join(" ");
    }

    pub fn pieces(&self) -> &str {
        &self.pieces
    }

    /// Parses the puyos.
    ///
    /// # Errors
    /// The invalid letter, or the word with a single puyo before the end.
    pub fn read(&mut self, text: &str) -> Result<(), PieceError> {
        self.set_puyos(&read(text)?);
        Ok(())
    }

    /// The pairs; a missing last child is unknown.
    pub fn seen(&self) -> Vec<PartialPair> {
        let pair = |pair: &[Option<Color>]| PartialPair {
            axis: pair.first().copied().flatten(),
            child: pair.get(1).copied().flatten(),
        };
        self.puyos().chunks(2).map(pair).collect()
    }

    pub fn same_but_pieces(&self, other: &Self) -> bool {
        Self { pieces: String::new(), ..self.clone() } == Self { pieces: String::new(), ..other.clone() }
    }

    /// Whether every match of this request also matches `wider`: the same puyos and possibly more.
    pub fn narrows(&self, wider: &Self) -> bool {
        let (mine, theirs) = (self.puyos(), wider.puyos());
        let agrees = |(mine, theirs): (&Option<Color>, &Option<Color>)| theirs.is_none() || mine == theirs;
        self.same_but_pieces(wider) && mine.len() >= theirs.len() && mine.iter().zip(&theirs).all(agrees)
    }

    /// The game and its options as text.
    pub fn summary(&self) -> String {
        let Some((game, search)) = self.game.zip(self.search()) else { return String::new() };
        let mut text = format!("{}, {}", game.rules().short_name, (search.summary)(&self.values()));
        if self.has(UNORDERED.option.name) {
            text += ", any order";
        }
        if self.at() > 1 {
            text += &format!(", from pair {}", self.at());
        }
        text
    }
}

/// Parses puyos; the last may lack its partner.
fn read(text: &str) -> Result<Vec<Option<Color>>, PieceError> {
    let flat = |pairs: Vec<PartialPair>| pairs.into_iter().flat_map(|pair| [pair.axis, pair.child]);
    match parse_pieces(text) {
        Ok(pairs) => Ok(flat(pairs).collect()),
        Err(error @ PieceError::Sign { .. }) => Err(error),
        Err(error @ PieceError::Odd { .. }) => {
            // Add an unknown partner for the last puyo.
            let pairs = parse_pieces(&format!("{}?", text.trim_end())).map_err(|_| error)?;
            let mut puyos: Vec<_> = flat(pairs).collect();
            puyos.pop();
            Ok(puyos)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> PairRequest {
        let mut request = PairRequest::default();
        request.read(text).unwrap();
        request
    }

    /// A request as another version saved it.
    fn saved(text: &str) -> PairRequest {
        serde_json::from_str::<PairRequest>(text).unwrap().repaired()
    }

    #[test]
    fn text_and_puyos_are_the_same_thing() {
        for (text, pieces) in [("bg,GG ?y", "BG GG ?Y"), ("BGG", "BG G"), ("", ""), ("BG G ", "BG G")] {
            assert_eq!(request(text).pieces(), pieces);
            let mut again = PairRequest::default();
            again.set_puyos(&request(text).puyos());
            assert_eq!(again, request(text));
        }
        let half = request("BG G").seen();
        assert_eq!(half.iter().map(|seen| seen.letters()).collect::<Vec<_>>(), ["BG", "G?"]);
        let mut request = request("BG");
        assert!(request.read("BX").is_err() && request.read("B GG").is_err());
        assert_eq!(request.pieces(), "BG", "what could not be read changed nothing");
    }

    #[test]
    fn more_puyos_narrow_and_other_ones_do_not() {
        assert!(request("BG GR").narrows(&request("BG G")));
        assert!(request("BG GR").narrows(&request("B? GR")));
        assert!(!request("BG G").narrows(&request("BG GR")));
        assert!(!request("BG RG").narrows(&request("BG GR")));
        let level = saved(r#"{"level": 5, "pieces": "BG GR"}"#);
        assert!(!level.narrows(&request("BG")));
    }

    #[test]
    fn invalid_values_of_another_version_are_corrected() {
        let odd = saved(r#"{"colors": 9, "level": 0, "at": 0, "pieces": "B! G", "later": 7}"#);
        assert_eq!(odd, saved(r#"{"colors": 5, "level": 1}"#));
        assert_eq!(saved(r#"{"game": "Later", "pieces": "RG"}"#).game, None);
    }

    #[test]
    fn a_request_is_saved_as_it_always_was() {
        let all = [
            r#"{"game":"Anniversary","colors":3,"relabel":true,"unordered":true,"at":4,"level":3,"story":false,"#,
            r#""color_set":"","pieces":"RG"}"#,
        ];
        let anniversary = saved(&all.concat());
        assert_eq!(anniversary.summary(), "20th, 3 colours, relabelled, any order, from pair 4");
        let all = [
            r#"{"game":"Tsu","colors":4,"relabel":false,"unordered":false,"at":1,"level":5,"story":true,"#,
            r#""color_set":"0400050301","pieces":"RG B"}"#,
        ];
        let tsu = saved(&all.concat());
        assert_eq!(tsu.summary(), "Tsu, story");
        let level = saved(r#"{"game": "Tsu", "level": 5}"#);
        assert_eq!(level.summary(), "Tsu, level 5");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let mut expected = value(&all.concat());
        expected["lesson"] = false.into(); // an option that older versions did not save
        assert_eq!(serde_json::to_value(&tsu).unwrap(), expected);
    }
}
