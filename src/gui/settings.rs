//! The user's settings, saved between sessions.

use super::file_dialog::RecentFiles;
use super::ignition::IgnitionSettings;
use super::keys::Keys;
use super::lab::LabSettings;
use super::layout::Layouts;
use super::route::RouteSettings;
use super::seeds::History;
use super::theme::{Look, PaletteChoice};
use super::watches::WatchSettings;
use eframe::egui::{Pos2, Theme, ThemePreference};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The background of the overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum OverlayBackground {
    /// The theme's colour with the chosen opacity.
    #[default]
    Panel,
    /// Black.
    Black,
    /// Green, for a chroma key.
    Green,
}

impl OverlayBackground {
    /// All variants in display order.
    pub const ALL: [Self; 3] = [Self::Panel, Self::Black, Self::Green];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Panel => "Theme",
            Self::Black => "Black",
            Self::Green => "Chroma green",
        }
    }

    /// How to key it out, in a sentence.
    pub fn hint(self) -> Option<&'static str> {
        match self {
            Self::Panel => None,
            Self::Black => Some("Keying out black also removes the letters on puyos; chroma green does not"),
            Self::Green => Some(
                "In OBS, use the filter Color Key with custom colour #00B140. Chroma Key also removes green and blue puyos",
            ),
        }
    }
}

/// Settings of the overlay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverlaySettings {
    /// Whether the overlay is open.
    pub shown: bool,
    /// Opacity of the background, 0.1 to 1.
    pub opacity: f32,
    /// Whether clicks pass through to the window below.
    pub click_through: bool,
    /// The background.
    #[serde(rename = "ground")]
    pub background: OverlayBackground,
    /// Upcoming pairs per player, 1 to 8.
    pub pairs: usize,
    /// Last position, where the system reports it.
    pub position: Option<Pos2>,
}

impl Default for OverlaySettings {
    fn default() -> Self {
        Self {
            shown: false,
            opacity: 0.85,
            click_through: false,
            background: OverlayBackground::Panel,
            pairs: 3,
            position: None,
        }
    }
}

/// All saved settings. The names of the fields are the keys in the saved file: rename one only with a serde alias.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Light, dark or system theme.
    pub theme: ThemePreference,
    /// 1 is 100 %.
    pub zoom: f32,
    /// Colours of puyos.
    pub palette: PaletteChoice,
    /// Whether puyos show letters.
    pub letters: bool,
    /// Whether animations are off.
    pub reduced_motion: bool,
    /// Changed shortcuts.
    pub keys: Keys,
    /// The overlay.
    pub overlay: OverlaySettings,
    /// Arrangement of the panels.
    pub layouts: Layouts,
    /// Recent searches of the seeds panel.
    pub searches: History,
    /// Settings of the lab panel.
    pub lab: LabSettings,
    /// The watch list.
    pub watches: WatchSettings,
    /// Settings of the route panel.
    pub route: RouteSettings,
    /// Settings of the ignition panel.
    pub ignition: IgnitionSettings,
    /// The files opened or saved last.
    pub recent_files: RecentFiles,
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
            recent_files: RecentFiles::default(),
        }
    }
}

impl Settings {
    /// The appearance in this theme.
    pub(super) fn look(&self, theme: Theme) -> Look {
        Look::new(theme, self.palette, self.letters, !self.reduced_motion)
    }

    /// Serializes the settings.
    ///
    /// # Errors
    /// When a value cannot be serialized, such as a number that is not finite.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Parses saved settings. Parts that cannot be read keep their defaults; None if `text` is not a JSON object.
    pub fn from_text(text: &str) -> Option<Self> {
        let read: Value = serde_json::from_str(text).ok().filter(Value::is_object)?;
        if let Ok(settings) = serde_json::from_str(text) {
            return Some(settings);
        }
        let mut settings = serde_json::to_value(Self::default()).ok()?;
        merge(&mut settings, &mut Vec::new(), &read);
        serde_json::from_value(settings).ok()
    }

    /// Clamps values to valid ranges: a file of another version or one edited by hand must not make the window unusable.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        let sane = |value: f32, low: f32, high: f32, otherwise: f32| {
            if value.is_finite() { value.clamp(low, high) } else { otherwise }
        };
        self.zoom = sane(self.zoom, 0.5, 4.0, 1.0);
        self.overlay.opacity = sane(self.overlay.opacity, 0.1, 1.0, 0.85);
        self.overlay.pairs = self.overlay.pairs.clamp(1, 8);
        // An overlay that is click-through from the start could not be moved or closed with the mouse.
        self.overlay.click_through = false;
        self.keys = self.keys.repaired();
        self.layouts.repair();
        self.searches = self.searches.repaired();
        self.lab = self.lab.repaired();
        self.route = self.route.repaired();
        self.ignition = self.ignition.repaired();
        self.recent_files = self.recent_files.repaired();
        self
    }
}

/// Puts `read` at `path` in `settings`, or those parts of it that are valid.
fn merge(settings: &mut Value, path: &mut Vec<String>, read: &Value) {
    let mut tried = settings.clone();
    set_at(&mut tried, path, read.clone());
    if serde_json::from_value::<Settings>(tried.clone()).is_ok() {
        *settings = tried;
    } else if let Value::Object(parts) = read {
        for (name, part) in parts {
            path.push(name.clone());
            merge(settings, path, part);
            path.pop();
        }
    }
}

/// Sets the value at `path`, unless a value that is not an object is in the way.
fn set_at(settings: &mut Value, path: &[String], value: Value) {
    match (path, settings) {
        ([], settings) => *settings = value,
        ([name, rest @ ..], Value::Object(parts)) => {
            set_at(parts.entry(name.clone()).or_insert(Value::Null), rest, value);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings that 0.1.0 saved. Never change this text: users have such files.
    const SAVED_BY_0_1_0: &str = r#"{
        "theme": "Dark", "zoom": 1.5, "palette": "Wong", "letters": false, "reduced_motion": true,
        "overlay": {"shown": true, "opacity": 0.5, "click_through": false, "ground": "Green", "pairs": 4, "position": null},
        "searches": {"entries": [{"asked": {"pieces": "BG RR"}, "single": null, "said": "3 games"}]},
        "route": {"ground": "Empty", "wanted": "AllClear", "pairs": 7},
        "ignition": {"kept": "saved", "overlay": "OneMore", "part": "Files"}
    }"#;

    #[test]
    fn settings_saved_by_0_1_0_keep_their_values() {
        let settings = Settings::from_text(SAVED_BY_0_1_0).unwrap();
        assert_eq!(settings.palette, PaletteChoice::Wong);
        assert_eq!(settings.overlay.background, OverlayBackground::Green);
        let saved = serde_json::to_value(&settings).unwrap();
        let read: Value = serde_json::from_str(SAVED_BY_0_1_0).unwrap();
        for path in [
            "/overlay/ground",
            "/searches/entries/0/asked/pieces",
            "/searches/entries/0/said",
            "/route/ground",
            "/route/wanted",
            "/route/pairs",
            "/ignition/kept",
            "/ignition/overlay",
            "/ignition/part",
        ] {
            assert!(read.pointer(path).is_some(), "{path}");
            assert_eq!(saved.pointer(path), read.pointer(path), "{path}");
        }
    }
}
