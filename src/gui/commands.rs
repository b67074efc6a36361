//! Every action of the window: its label, default shortcut and tooltip. The menus, the command palette and the list of
//! shortcuts are generated from this table.

use super::layout::Pane;
use eframe::egui::{self, Key, KeyboardShortcut, Modifiers, ThemePreference};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    OpenPalette,
    StartDemo,
    StartEmulator,
    AttachAutomatically,
    Detach,
    Record,
    OpenRecording,
    OpenSample,
    BackToLive,
    PlayRecording,
    NextSample,
    PreviousSample,
    NextMismatch,
    PreviousMismatch,
    /// The next sample at which a round starts.
    NextRound,
    PreviousRound,
    Show(Pane),
    GoToAddress,
    NewSearch,
    /// Undoes a step of the search, of the field in the ignition panel, or of the deals in the learn panel.
    UndoStep,
    RedoStep,
    AddWatch,
    OpenWatches,
    SaveWatches,
    PlanRoute,
    FollowRoute,
    MeasureDurations,
    Theme(ThemePreference),
    TogglePalette,
    ToggleLetters,
    ToggleReducedMotion,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    ToggleOverlay,
    ToggleClickThrough,
    ServeOverlays,
    ResetLayout,
    OpenSettings,
    CopyMismatches,
    CopyValues,
    CopyLog,
    CopyDiagnostics,
    FollowMessage,
    DismissMessages,
    OpenShortcuts,
    OpenDocuments,
    OpenAbout,
    Quit,
}

/// A menu: its name and its commands; None is a separator.
pub type Menu = (&'static str, &'static [Option<Command>]);

const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

const fn key(modifiers: Modifiers, key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(modifiers, key)
}

impl Command {
    pub const MENUS: [Menu; 5] = [
        (
            "File",
            &[
                Some(Self::StartEmulator),
                Some(Self::StartDemo),
                Some(Self::AttachAutomatically),
                Some(Self::Detach),
                None,
                Some(Self::Record),
                Some(Self::OpenRecording),
                Some(Self::OpenSample),
                Some(Self::BackToLive),
                None,
                Some(Self::OpenSettings),
                None,
                Some(Self::Quit),
            ],
        ),
        (
            "View",
            &[
                Some(Self::Show(Pane::Emulators)),
                Some(Self::Show(Pane::Predict)),
                Some(Self::Show(Pane::Verify)),
                Some(Self::Show(Pane::Memory)),
                Some(Self::Show(Pane::Values)),
                Some(Self::Show(Pane::Log)),
                Some(Self::Show(Pane::Seeds)),
                Some(Self::Show(Pane::Lab)),
                Some(Self::Show(Pane::Research)),
                Some(Self::Show(Pane::Watches)),
                Some(Self::Show(Pane::Route)),
                Some(Self::Show(Pane::Ignition)),
                Some(Self::Show(Pane::Learn)),
                Some(Self::ResetLayout),
                None,
                Some(Self::FollowMessage),
                Some(Self::DismissMessages),
                None,
                Some(Self::Theme(ThemePreference::System)),
                Some(Self::Theme(ThemePreference::Light)),
                Some(Self::Theme(ThemePreference::Dark)),
                None,
                Some(Self::TogglePalette),
                Some(Self::ToggleLetters),
                Some(Self::ToggleReducedMotion),
                None,
                Some(Self::ZoomIn),
                Some(Self::ZoomOut),
                Some(Self::ZoomReset),
            ],
        ),
        (
            "Tools",
            &[
                Some(Self::OpenPalette),
                Some(Self::GoToAddress),
                None,
                Some(Self::AddWatch),
                Some(Self::OpenWatches),
                Some(Self::SaveWatches),
                None,
                Some(Self::PlanRoute),
                Some(Self::FollowRoute),
                Some(Self::MeasureDurations),
                None,
                Some(Self::PlayRecording),
                Some(Self::NextSample),
                Some(Self::PreviousSample),
                Some(Self::NextMismatch),
                Some(Self::PreviousMismatch),
                Some(Self::NextRound),
                Some(Self::PreviousRound),
                None,
                Some(Self::ToggleOverlay),
                Some(Self::ToggleClickThrough),
                Some(Self::ServeOverlays),
                None,
                Some(Self::CopyMismatches),
                Some(Self::CopyValues),
                Some(Self::CopyLog),
            ],
        ),
        ("Research", &[Some(Self::NewSearch), None, Some(Self::UndoStep), Some(Self::RedoStep)]),
        (
            "Help",
            &[
                Some(Self::OpenShortcuts),
                Some(Self::OpenDocuments),
                Some(Self::CopyDiagnostics),
                Some(Self::OpenAbout),
            ],
        ),
    ];

    pub fn all() -> impl Iterator<Item = Self> {
        Self::MENUS.iter().flat_map(|(_, commands)| commands.iter().copied().flatten())
    }

    /// The name under which its shortcut is saved. It never changes, even when the variant or the label does.
    pub fn id(self) -> &'static str {
        match self {
            Self::OpenPalette => "open-palette",
            Self::StartDemo => "start-demo",
            Self::StartEmulator => "start-emulator",
            Self::AttachAutomatically => "attach-automatically",
            Self::Detach => "detach",
            Self::Record => "record",
            Self::OpenRecording => "open-recording",
            Self::OpenSample => "open-sample",
            Self::BackToLive => "back-to-live",
            Self::PlayRecording => "play-recording",
            Self::NextSample => "next-sample",
            Self::PreviousSample => "previous-sample",
            Self::NextMismatch => "next-mismatch",
            Self::PreviousMismatch => "previous-mismatch",
            Self::NextRound => "next-round",
            Self::PreviousRound => "previous-round",
            Self::Show(Pane::Emulators) => "show-emulators",
            Self::Show(Pane::Predict) => "show-predict",
            Self::Show(Pane::Verify) => "show-verify",
            Self::Show(Pane::Memory) => "show-memory",
            Self::Show(Pane::Values) => "show-values",
            Self::Show(Pane::Log) => "show-log",
            Self::Show(Pane::Seeds) => "show-seeds",
            Self::Show(Pane::Lab) => "show-lab",
            Self::Show(Pane::Research) => "show-research",
            Self::Show(Pane::Watches) => "show-watches",
            Self::Show(Pane::Route) => "show-route",
            Self::Show(Pane::Ignition) => "show-ignition",
            Self::Show(Pane::Learn) => "show-learn",
            Self::GoToAddress => "go-to-address",
            Self::NewSearch => "new-search",
            Self::UndoStep => "undo-step",
            Self::RedoStep => "redo-step",
            Self::AddWatch => "add-watch",
            Self::OpenWatches => "open-watches",
            Self::SaveWatches => "save-watches",
            Self::PlanRoute => "plan-route",
            Self::FollowRoute => "follow-route",
            Self::MeasureDurations => "measure-durations",
            Self::Theme(ThemePreference::System) => "theme-system",
            Self::Theme(ThemePreference::Light) => "theme-light",
            Self::Theme(ThemePreference::Dark) => "theme-dark",
            Self::TogglePalette => "toggle-palette",
            Self::ToggleLetters => "toggle-letters",
            Self::ToggleReducedMotion => "toggle-reduced-motion",
            Self::ZoomIn => "zoom-in",
            Self::ZoomOut => "zoom-out",
            Self::ZoomReset => "zoom-reset",
            Self::ToggleOverlay => "toggle-overlay",
            Self::ToggleClickThrough => "toggle-click-through",
            Self::ServeOverlays => "serve-overlays",
            Self::ResetLayout => "reset-layout",
            Self::OpenSettings => "open-settings",
            Self::CopyMismatches => "copy-mismatches",
            Self::CopyValues => "copy-values",
            Self::CopyLog => "copy-log",
            Self::CopyDiagnostics => "copy-diagnostics",
            Self::FollowMessage => "follow-message",
            Self::DismissMessages => "dismiss-messages",
            Self::OpenShortcuts => "open-shortcuts",
            Self::OpenDocuments => "open-documents",
            Self::OpenAbout => "open-about",
            Self::Quit => "quit",
        }
    }

    /// The label. It ends with an ellipsis where the user must enter something first.
    pub fn text(self) -> &'static str {
        match self {
            Self::OpenPalette => "Command palette…",
            Self::StartDemo => "Start the demo",
            Self::StartEmulator => "Start emulator…",
            Self::AttachAutomatically => "Attach automatically",
            Self::Detach => "Detach",
            Self::Record => "Start or stop recording",
            Self::OpenRecording => "Open recording…",
            Self::OpenSample => "Open the sample recording",
            Self::BackToLive => "Back to live",
            Self::PlayRecording => "Play or pause the recording",
            Self::NextSample => "Next sample",
            Self::PreviousSample => "Previous sample",
            Self::NextMismatch => "Next mismatch",
            Self::PreviousMismatch => "Previous mismatch",
            Self::NextRound => "Next round",
            Self::PreviousRound => "Previous round",
            Self::Show(pane) => pane.title(),
            Self::NewSearch => "New search",
            Self::UndoStep => "Undo step",
            Self::RedoStep => "Redo step",
            Self::PlanRoute => "Start or stop planning",
            Self::FollowRoute => "Follow route",
            Self::MeasureDurations => "Start or stop measuring frame times",
            Self::GoToAddress => "Go to address…",
            Self::AddWatch => "Add watch…",
            Self::OpenWatches => "Open watch list…",
            Self::SaveWatches => "Save watch list",
            Self::Theme(ThemePreference::System) => "System theme",
            Self::Theme(ThemePreference::Light) => "Light theme",
            Self::Theme(ThemePreference::Dark) => "Dark theme",
            Self::TogglePalette => "Colour-blind palette (Wong)",
            Self::ToggleLetters => "Letters on puyos",
            Self::ToggleReducedMotion => "Reduced motion",
            Self::ZoomIn => "Zoom in",
            Self::ZoomOut => "Zoom out",
            Self::ZoomReset => "Reset zoom to 100 %",
            Self::ToggleOverlay => "Overlay window",
            Self::ToggleClickThrough => "Click-through overlay",
            Self::ServeOverlays => "Serve to overlays and bots…",
            Self::ResetLayout => "Reset layout",
            Self::OpenSettings => "Settings…",
            Self::CopyMismatches => "Copy mismatches",
            Self::CopyValues => "Copy values as table",
            Self::CopyLog => "Copy log",
            Self::CopyDiagnostics => "Copy diagnostics",
            Self::FollowMessage => "Go to the newest message",
            Self::DismissMessages => "Dismiss all messages",
            Self::OpenShortcuts => "Keyboard shortcuts…",
            Self::OpenDocuments => "Documentation",
            Self::OpenAbout => "About Nextscope…",
            Self::Quit => "Quit",
        }
    }

    pub fn tooltip(self) -> &'static str {
        match self {
            Self::OpenPalette => "Type a few letters of an action and press Enter",
            Self::StartDemo => "Run a test cartridge in the built-in console and predict its pairs",
            Self::StartEmulator => {
                "Nextscope may read emulators that it launches, even if ptrace is restricted. The command is saved"
            }
            Self::AttachAutomatically => "Attach as soon as exactly one emulator runs a known game",
            Self::Detach => "Detach and stay detached",
            Self::Record => "Record all samples to a new file; press again to stop",
            Self::OpenRecording => {
                "Replay a recording in all panels; you can also drop the file on the window"
            }
            Self::OpenSample => {
                "A round of our test cartridge, recorded: try every panel without an emulator"
            }
            Self::BackToLive => "Close the recording and return to the live session",
            Self::PlayRecording => "Character keys work only when no text field has focus",
            Self::NextSample | Self::PreviousSample => {
                "One sample in this recording; one game frame if none was missed"
            }
            Self::NextMismatch | Self::PreviousMismatch => {
                "Jump to the next or previous mismatch in this recording"
            }
            Self::NextRound => "Jump to the start of the next round in this recording",
            Self::PreviousRound => "Jump to the start of this round, then of the round before",
            Self::Show(Pane::Seeds) => "Enter the pairs you saw to find the seed and predict the rest",
            Self::Show(Pane::Lab) => "Compare droughts, floods and predictability of randomizers",
            Self::Show(Pane::Research) => {
                "Find the address of a value step by step, by comparing or by structure"
            }
            Self::Show(Pane::Route) => {
                "Find placements for the next pairs: longest chain, most points, all clear and more"
            }
            Self::Show(Pane::Ignition) => {
                "Draw a Pochi & Nyaa field and see its value under the MVS and PS2 rules"
            }
            Self::Show(Pane::Learn) => {
                "Note the pieces of an unknown game while you play, and find the rule by which it deals"
            }
            Self::PlanRoute => {
                "Plan with the settings of the route panel; press again to stop and use the best route so far"
            }
            Self::FollowRoute => {
                "Show where to place the current pair, and replan after a different placement"
            }
            Self::MeasureDurations => {
                "Learn from your play how long each part of a pair takes: the times that routes are planned with"
            }
            Self::NewSearch => "Open another search with its own steps",
            Self::UndoStep | Self::RedoStep => {
                "In the ignition panel: field edits. In the learn panel: noted deals. Otherwise: steps of the RAM search"
            }
            Self::Show(_) => "Bring the panel to the front",
            Self::AddWatch => "Watch an address: its value is read every frame and its changes are counted",
            Self::OpenWatches => {
                "BizHawk .wch, Cheat Engine .CT or .csv; you can also drop the file on the window"
            }
            Self::SaveWatches => "Save to the path in the panel: .wch or .csv",
            Self::GoToAddress => "Enter an address such as 0xFFAD00, or a field name",
            Self::Theme(_) => "Colours of the window",
            Self::TogglePalette => {
                "Draw puyos in the Okabe-Ito colours, which are distinguishable with colour blindness"
            }
            Self::ToggleLetters => "R red, Y yellow, G green, P purple, B blue, O ojama (garbage)",
            Self::ToggleReducedMotion => "Disable animations and step-by-step playback",
            Self::ZoomIn | Self::ZoomOut | Self::ZoomReset => "Scale of the window",
            Self::ToggleOverlay => "A small always-on-top window with the next pairs",
            Self::ToggleClickThrough => {
                "Clicks on the overlay go to the window below it; turn this off here or with the shortcut"
            }
            Self::ServeOverlays => {
                "A page with the next pairs for OBS and JSON for bots, on this machine only. Off by default"
            }
            Self::ResetLayout => "Move all panels back to their default places",
            Self::OpenSettings => "All settings, and where they are saved",
            Self::CopyMismatches => "Copy all mismatches as text",
            Self::CopyValues => "Copy name, value, type and address of every field, tab-separated",
            Self::CopyLog => "Copy the lines shown in the log",
            Self::CopyDiagnostics => "Copy version, connection and detection details for a bug report",
            Self::FollowMessage => "Open the related panel and dismiss the message",
            Self::DismissMessages => "Messages stay in the log. Escape dismisses only the newest",
            Self::OpenShortcuts => "Search and change the shortcut of every action",
            Self::OpenDocuments => {
                "Open the pages that came with this program: first steps, panels, commands"
            }
            Self::OpenAbout => "Version and licence",
            Self::Quit => "Close the window",
        }
    }

    pub fn default_keys(self) -> Option<KeyboardShortcut> {
        Some(match self {
            Self::OpenPalette => key(CTRL, Key::P),
            Self::StartDemo => key(CTRL, Key::D),
            Self::StartEmulator => key(CTRL, Key::N),
            Self::AttachAutomatically => key(CTRL, Key::R),
            Self::Detach => key(CTRL_SHIFT, Key::D),
            Self::Record => key(Modifiers::NONE, Key::F9),
            Self::OpenRecording => key(CTRL, Key::F9),
            Self::BackToLive => key(CTRL_SHIFT, Key::F9),
            Self::PlayRecording => key(Modifiers::NONE, Key::Space),
            Self::NextSample => key(Modifiers::NONE, Key::Period),
            Self::PreviousSample => key(Modifiers::NONE, Key::Comma),
            Self::NextMismatch => key(Modifiers::NONE, Key::F8),
            Self::PreviousMismatch => key(Modifiers::SHIFT, Key::F8),
            Self::NextRound => key(Modifiers::NONE, Key::F7),
            Self::PreviousRound => key(Modifiers::SHIFT, Key::F7),
            Self::Show(pane) => key(CTRL, pane.key()),
            Self::GoToAddress => key(CTRL, Key::G),
            Self::NewSearch => key(CTRL_SHIFT, Key::N),
            Self::UndoStep => key(CTRL, Key::Z),
            Self::RedoStep => key(CTRL_SHIFT, Key::Z),
            Self::AddWatch => key(CTRL_SHIFT, Key::A),
            Self::OpenWatches => key(CTRL_SHIFT, Key::F),
            Self::SaveWatches => key(CTRL, Key::S),
            Self::PlanRoute => key(CTRL_SHIFT, Key::E),
            Self::FollowRoute => key(CTRL_SHIFT, Key::L),
            Self::TogglePalette => key(CTRL_SHIFT, Key::W),
            Self::ToggleLetters => key(CTRL, Key::L),
            Self::ZoomIn => egui::gui_zoom::kb_shortcuts::ZOOM_IN,
            Self::ZoomOut => egui::gui_zoom::kb_shortcuts::ZOOM_OUT,
            Self::ZoomReset => egui::gui_zoom::kb_shortcuts::ZOOM_RESET,
            Self::ToggleOverlay => key(CTRL, Key::O),
            Self::ToggleClickThrough => key(CTRL_SHIFT, Key::O),
            Self::ResetLayout => key(CTRL_SHIFT, Key::R),
            Self::OpenSettings => key(CTRL, Key::Comma),
            Self::FollowMessage => key(CTRL, Key::M),
            Self::DismissMessages => key(CTRL_SHIFT, Key::M),
            Self::OpenShortcuts => key(Modifiers::NONE, Key::F1),
            Self::Quit => key(CTRL, Key::Q),
            _ => return None,
        })
    }

    pub fn zooms(self) -> bool {
        matches!(self, Self::ZoomIn | Self::ZoomOut | Self::ZoomReset)
    }

    pub fn needs_recording(self) -> bool {
        matches!(
            self,
            Self::BackToLive
                | Self::PlayRecording
                | Self::NextSample
                | Self::PreviousSample
                | Self::NextMismatch
                | Self::PreviousMismatch
                | Self::NextRound
                | Self::PreviousRound
        )
    }
}

/// How well `query` matches `text`: None unless its letters occur in order; higher is better. Letters that
/// start a word or follow one another score more.
pub fn fuzzy(query: &str, text: &str) -> Option<i32> {
    let mut score = 0;
    let mut letters = text.chars().flat_map(char::to_lowercase);
    let mut before = ' ';
    let mut adjacent = false;
    for letter_of_query in query.chars().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace()) {
        loop {
            let letter = letters.next()?;
            let begins_word = !before.is_alphanumeric();
            before = letter;
            if letter == letter_of_query {
                score += 1 + i32::from(adjacent) * 3 + i32::from(begins_word) * 4;
                adjacent = true;
                break;
            }
            adjacent = false;
        }
    }
    Some(score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn no_two_commands_share_their_keys() {
        let mut keys = BTreeMap::new();
        for command in Command::all() {
            if let Some(shortcut) = command.default_keys() {
                let other = keys.insert(format!("{shortcut:?}"), command);
                assert_eq!(other, None, "{command:?} has the keys of another command");
            }
        }
        assert!(keys.len() > 15);
    }

    #[test]
    fn every_command_has_words_and_is_in_one_menu() {
        let mut seen = std::collections::HashSet::new();
        for command in Command::all() {
            assert!(seen.insert(command), "{command:?} is in two menus");
            assert!(!command.text().trim().is_empty(), "{command:?} has no words");
            assert!(command.tooltip().len() > 10, "{command:?} has no tooltip");
            assert!(!command.tooltip().ends_with('.'), "{command:?}");
        }
        let mut words: Vec<&str> = seen.iter().map(|command| command.text()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), seen.len(), "two commands have the same words");
        // A command that is declared and in no menu would be in no palette either.
        let declared = include_str!("commands.rs").split("pub enum Command {").nth(1).unwrap_or_default();
        let declared = declared.split("\n}").next().unwrap_or_default();
        let names =
            declared.lines().map(str::trim).filter(|line| line.ends_with(',') && !line.starts_with("//"));
        for name in names.map(|line| line.trim_end_matches(',').split('(').next().unwrap_or_default()) {
            let found = seen.iter().any(|command| {
                let debug = format!("{command:?}");
                debug == name || debug.starts_with(&format!("{name}("))
            });
            assert!(found, "{name} is in no menu");
        }
    }

    /// The ids of 0.1.0's commands and what its settings called them. A line is never changed or removed: saved keys go by them.
    const SAVED: &str = "
        open-palette OpenPalette
        start-demo StartDemo
        start-emulator StartEmulator
        attach-automatically AttachAutomatically
        detach Detach
        record Record
        open-recording OpenRecording
        back-to-live BackToLive
        play-recording PlayRecording
        next-sample NextSample
        previous-sample PreviousSample
        next-mismatch NextMismatch
        previous-mismatch PreviousMismatch
        next-round NextRound
        previous-round PreviousRound
        show-emulators Show(Emulators)
        show-predict Show(Predict)
        show-verify Show(Verify)
        show-memory Show(Memory)
        show-values Show(Values)
        show-log Show(Log)
        show-seeds Show(Seeds)
        show-lab Show(Lab)
        show-research Show(Research)
        show-watches Show(Watches)
        show-route Show(Route)
        show-ignition Show(Ignition)
        go-to-address GoToAddress
        new-search NewSearch
        undo-step UndoStep
        redo-step RedoStep
        add-watch AddWatch
        open-watches OpenWatches
        save-watches SaveWatches
        plan-route PlanRoute
        follow-route FollowRoute
        theme-system Theme(System)
        theme-light Theme(Light)
        theme-dark Theme(Dark)
        toggle-palette TogglePalette
        toggle-letters ToggleLetters
        toggle-reduced-motion ToggleReducedMotion
        zoom-in ZoomIn
        zoom-out ZoomOut
        zoom-reset ZoomReset
        toggle-overlay ToggleOverlay
        toggle-click-through ToggleClickThrough
        serve-overlays ServeOverlays
        reset-layout ResetLayout
        open-settings OpenSettings
        copy-mismatches CopyMismatches
        copy-values CopyValues
        copy-log CopyLog
        copy-diagnostics CopyDiagnostics
        follow-message FollowMessage
        dismiss-messages DismissMessages
        open-shortcuts OpenShortcuts
        open-about OpenAbout
        quit Quit";

    #[test]
    fn ids_are_unique_and_those_of_saved_keys_do_not_change() {
        let mut ids: Vec<&str> = Command::all().map(Command::id).collect();
        for line in SAVED.lines().filter(|line| !line.trim().is_empty()) {
            let (id, name) = line.trim().split_once(' ').unwrap();
            assert!(ids.contains(&id), "saved keys of {id} would be lost");
            assert_eq!(crate::gui::keys::id_of_saved(name), id);
            assert_eq!(crate::gui::keys::id_of_saved(id), id);
        }
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "two commands have the same id");
    }

    #[test]
    fn every_panel_can_be_shown_by_a_command() {
        for pane in Pane::ALL {
            assert!(Command::all().any(|command| command == Command::Show(pane)), "{pane:?}");
        }
    }

    #[test]
    fn fuzzy_wants_the_letters_in_order_and_prefers_word_starts() {
        assert_eq!(fuzzy("xyz", "Start the demo"), None);
        assert_eq!(fuzzy("od", "do"), None);
        assert!(fuzzy("", "anything").is_some());
        assert!(fuzzy("demo", "Start the demo") > fuzzy("demo", "Dark theme on"));
        assert!(fuzzy("rl", "Reset layout") > fuzzy("rl", "Verify all rules later"));
        assert!(fuzzy("ZOOM IN", "Zoom in").is_some());
    }
}
