//! What the user chose, kept from one start to the next.

use super::ignition::IgnitionSettings;
use super::keys::Keys;
use super::lab::LabSettings;
use super::layout::Layouts;
use super::route::RouteSettings;
use super::seeds::History;
use super::watches::WatchSettings;
use eframe::egui::{Pos2, ThemePreference};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How puyos are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PaletteChoice {
    /// Close to the game's own colours.
    #[default]
    Game,
    /// Colours that colour-blind people can tell apart (Okabe and Ito, recommended by Wong).
    Wong,
}

/// What stands behind the pairs of the overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum OverlayGround {
    /// The theme's colour, as opaque as the opacity says.
    #[default]
    Panel,
    /// Plain black.
    Black,
    /// Plain green, for a recorder's chroma key.
    Green,
}

impl OverlayGround {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Panel, Self::Black, Self::Green];

    /// The name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Panel => "Theme",
            Self::Black => "Black",
            Self::Green => "Chroma green",
        }
    }

    /// How a recorder takes it out, in a sentence.
    #[must_use]
    pub fn hint(self) -> Option<&'static str> {
        match self {
            Self::Panel => None,
            Self::Black => Some(
                "A recorder that takes black out takes the letters on puyos with it; chroma green does not",
            ),
            Self::Green => Some(
                "In OBS: the filter Color Key, custom colour #00B140. Chroma Key takes green and blue puyos with it",
            ),
        }
    }
}

/// The overlay's settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverlaySettings {
    /// Whether it is shown.
    pub shown: bool,
    /// How opaque the ground is, 0.1 to 1.
    pub opacity: f32,
    /// Whether clicks go through it to what lies below.
    pub click_through: bool,
    /// What stands behind the pairs.
    pub ground: OverlayGround,
    /// How many coming pairs of each player are shown, 1 to 8.
    pub pairs: usize,
    /// Where it stood last, where the system tells.
    pub position: Option<Pos2>,
}

impl Default for OverlaySettings {
    fn default() -> Self {
        Self {
            shown: false,
            opacity: 0.85,
            click_through: false,
            ground: OverlayGround::Panel,
            pairs: 3,
            position: None,
        }
    }
}

/// Everything that is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Light, dark, or as the system says.
    pub theme: ThemePreference,
    /// 1 is 100 %.
    pub zoom: f32,
    /// How puyos are coloured.
    pub palette: PaletteChoice,
    /// Whether a letter is drawn on each puyo.
    pub letters: bool,
    /// Whether nothing flashes and nothing slides.
    pub reduced_motion: bool,
    /// The keys of commands.
    pub keys: Keys,
    /// The overlay.
    pub overlay: OverlaySettings,
    /// Where the panels stand.
    pub layouts: Layouts,
    /// What was searched for lately in the seeds panel.
    pub searches: History,
    /// What is chosen in the lab.
    pub lab: LabSettings,
    /// The watch list.
    pub watches: WatchSettings,
    /// What is entered in the route panel.
    pub route: RouteSettings,
    /// What is chosen in the ignition panel.
    pub ignition: IgnitionSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemePreference::System,
            zoom: 1.0,
            palette: PaletteChoice::default(),
            letters: true,
            reduced_motion: false,
            keys: Keys::default(),
            overlay: OverlaySettings::default(),
            layouts: Layouts::default(),
            searches: History::default(),
            lab: LabSettings::default(),
            watches: WatchSettings::default(),
            route: RouteSettings::default(),
            ignition: IgnitionSettings::default(),
        }
    }
}

impl Settings {
    /// As text, to be kept.
    ///
    /// # Errors
    /// When there is no such text, for example for a number that is none.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// From such text. What in it is not understood is left out, and the rest holds; None when it is no such text at all.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let read: Value = serde_json::from_str(text).ok().filter(Value::is_object)?;
        if let Ok(settings) = serde_json::from_str(text) {
            return Some(settings);
        }
        let mut whole = serde_json::to_value(Self::default()).ok()?;
        take_over(&mut whole, &mut Vec::new(), &read);
        serde_json::from_value(whole).ok()
    }

    /// Settings that were read from disk, with what cannot be put right: a file of another version or one
    /// edited by hand must not make the window unusable.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        let sane = |value: f32, low: f32, high: f32, otherwise: f32| {
            if value.is_finite() { value.clamp(low, high) } else { otherwise }
        };
        self.zoom = sane(self.zoom, 0.5, 4.0, 1.0);
        self.overlay.opacity = sane(self.overlay.opacity, 0.1, 1.0, 0.85);
        self.overlay.pairs = self.overlay.pairs.clamp(1, 8);
        // An overlay that lets clicks through from the start could not be moved or closed with the mouse.
        self.overlay.click_through = false;
        self.keys = self.keys.repaired();
        self.layouts.repair();
        self.searches = self.searches.repaired();
        self.lab = self.lab.repaired();
        self.route = self.route.repaired();
        self.ignition = self.ignition.repaired();
        self
    }
}

/// Puts `read` in the place of what stands at `path` in `whole`, or as much of it as makes settings.
fn take_over(whole: &mut Value, path: &mut Vec<String>, read: &Value) {
    let mut tried = whole.clone();
    put(&mut tried, path, read.clone());
    if serde_json::from_value::<Settings>(tried.clone()).is_ok() {
        *whole = tried;
    } else if let Value::Object(parts) = read {
        for (name, part) in parts {
            path.push(name.clone());
            take_over(whole, path, part);
            path.pop();
        }
    }
}

/// Puts `value` there; nothing where something else than an object is in the way.
fn put(whole: &mut Value, path: &[String], value: Value) {
    match (path, whole) {
        ([], whole) => *whole = value,
        ([name, rest @ ..], Value::Object(parts)) => {
            put(parts.entry(name.clone()).or_insert(Value::Null), rest, value);
        }
        _ => {}
    }
}
