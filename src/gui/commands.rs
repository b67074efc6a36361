//! Every action of the window, once: its words, its usual keys, its tooltip. Menus, the palette and the list of keys are
//! made from this.

use super::layout::Pane;
use eframe::egui::{self, Key, KeyboardShortcut, Modifiers, ThemePreference};

/// An action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// Find and run any action.
    OpenPalette,
    /// Start the embedded console.
    StartDemo,
    /// Start an emulator, so that it may be read.
    StartEmulator,
    /// Attach to the only emulator with a known game.
    AttachAutomatically,
    /// Let go of the emulator.
    Detach,
    /// Record what is sampled, or end the recording.
    Record,
    /// Choose a recording to look at.
    OpenRecording,
    /// Go from a recording back to the emulators.
    BackToLive,
    /// Let the recording go on, or stand still.
    PlayRecording,
    /// One sample on in the recording.
    NextSample,
    /// One sample back in it.
    PreviousSample,
    /// The next sample at which a mismatch is noticed.
    NextMismatch,
    /// The one before.
    PreviousMismatch,
    /// The next sample at which a round begins.
    NextRound,
    /// The one before.
    PreviousRound,
    /// Bring a panel to the front.
    Show(Pane),
    /// Type an address for the memory panel.
    GoToAddress,
    /// One more search beside those there are.
    NewSearch,
    /// Take the last step of the search, or of the field of the ignition panel, back.
    UndoStep,
    /// Make it again.
    RedoStep,
    /// Type the address of a new watch.
    AddWatch,
    /// Type the path of a watch list.
    OpenWatches,
    /// Write the watch list into its file.
    SaveWatches,
    /// Plan what the route panel asks, or end planning.
    PlanRoute,
    /// Lead the player through the route that was planned.
    FollowRoute,
    /// Choose the theme.
    Theme(ThemePreference),
    /// Game colours or those of Okabe and Ito.
    TogglePalette,
    /// Letters on puyos.
    ToggleLetters,
    /// Nothing flashes.
    ToggleReducedMotion,
    /// Larger.
    ZoomIn,
    /// Smaller.
    ZoomOut,
    /// 100 %.
    ZoomReset,
    /// The small window above others.
    ToggleOverlay,
    /// Clicks go through the overlay.
    ToggleClickThrough,
    /// Serve the state to overlays and bots, or see where it is served.
    ServeOverlays,
    /// Panels back to where they stood at first.
    ResetLayout,
    /// All settings.
    OpenSettings,
    /// All mismatches, as text.
    CopyMismatches,
    /// All fields of the profile and their values, as a table.
    CopyValues,
    /// The log, as text.
    CopyLog,
    /// What a bug report needs.
    CopyDiagnostics,
    /// Go where the newest message leads.
    FollowMessage,
    /// Take all messages away.
    DismissMessages,
    /// The list of shortcuts.
    OpenShortcuts,
    /// What this program is.
    OpenAbout,
    /// Close the window.
    Quit,
}

/// A menu: its name, and its commands; None is a line between groups.
pub type Menu = (&'static str, &'static [Option<Command>]);

const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

const fn key(modifiers: Modifiers, key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(modifiers, key)
}

impl Command {
    /// The menus, in order.
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
        ("Help", &[Some(Self::OpenShortcuts), Some(Self::CopyDiagnostics), Some(Self::OpenAbout)]),
    ];

    /// Every command, in the order of the menus.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::MENUS.iter().flat_map(|(_, commands)| commands.iter().copied().flatten())
    }

    /// The name under which its keys are saved. It never changes, whatever becomes of the variant or the words.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::OpenPalette => "open-palette",
            Self::StartDemo => "start-demo",
            Self::StartEmulator => "start-emulator",
            Self::AttachAutomatically => "attach-automatically",
            Self::Detach => "detach",
            Self::Record => "record",
            Self::OpenRecording => "open-recording",
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
            Self::GoToAddress => "go-to-address",
            Self::NewSearch => "new-search",
            Self::UndoStep => "undo-step",
            Self::RedoStep => "redo-step",
            Self::AddWatch => "add-watch",
            Self::OpenWatches => "open-watches",
            Self::SaveWatches => "save-watches",
            Self::PlanRoute => "plan-route",
            Self::FollowRoute => "follow-route",
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
            Self::OpenAbout => "open-about",
            Self::Quit => "quit",
        }
    }

    /// The words on the menu. An ellipsis where more is asked before anything is done.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::OpenPalette => "Do anything…",
            Self::StartDemo => "Start the demo",
            Self::StartEmulator => "Start an emulator…",
            Self::AttachAutomatically => "Attach automatically",
            Self::Detach => "Detach",
            Self::Record => "Record, or end the recording",
            Self::OpenRecording => "Open recording…",
            Self::BackToLive => "Back to live",
            Self::PlayRecording => "Play or pause the recording",
            Self::NextSample => "Next sample",
            Self::PreviousSample => "Previous sample",
            Self::NextMismatch => "Next mismatch",
            Self::PreviousMismatch => "Previous mismatch",
            Self::NextRound => "Next round",
            Self::PreviousRound => "Previous round",
            Self::Show(Pane::Emulators) => "Show emulators",
            Self::Show(Pane::Predict) => "Show prediction",
            Self::Show(Pane::Verify) => "Show verification",
            Self::Show(Pane::Memory) => "Show memory",
            Self::Show(Pane::Values) => "Show values",
            Self::Show(Pane::Log) => "Show log",
            Self::Show(Pane::Seeds) => "Find seeds from pairs",
            Self::Show(Pane::Lab) => "Measure randomizers",
            Self::Show(Pane::Research) => "Find addresses",
            Self::NewSearch => "New search",
            Self::UndoStep => "Undo the last step",
            Self::RedoStep => "Redo the step",
            Self::Show(Pane::Watches) => "Show watches",
            Self::Show(Pane::Route) => "Plan a route",
            Self::Show(Pane::Ignition) => "Reckon an ignition",
            Self::PlanRoute => "Plan now",
            Self::FollowRoute => "Follow the route",
            Self::GoToAddress => "Go to address…",
            Self::AddWatch => "Add watch…",
            Self::OpenWatches => "Open watch list…",
            Self::SaveWatches => "Save watch list",
            Self::Theme(ThemePreference::System) => "Theme of the system",
            Self::Theme(ThemePreference::Light) => "Light theme",
            Self::Theme(ThemePreference::Dark) => "Dark theme",
            Self::TogglePalette => "Colour-blind palette (Wong)",
            Self::ToggleLetters => "Letters on puyos",
            Self::ToggleReducedMotion => "Reduced motion",
            Self::ZoomIn => "Zoom in",
            Self::ZoomOut => "Zoom out",
            Self::ZoomReset => "Zoom to 100 %",
            Self::ToggleOverlay => "Overlay window",
            Self::ToggleClickThrough => "Clicks go through the overlay",
            Self::ServeOverlays => "Serve to overlays…",
            Self::ResetLayout => "Reset layout",
            Self::OpenSettings => "Settings…",
            Self::CopyMismatches => "Copy mismatches",
            Self::CopyValues => "Copy values as a table",
            Self::CopyLog => "Copy log",
            Self::CopyDiagnostics => "Copy diagnostics",
            Self::FollowMessage => "Go to the newest message",
            Self::DismissMessages => "Dismiss all messages",
            Self::OpenShortcuts => "Keyboard shortcuts…",
            Self::OpenAbout => "About Nextscope…",
            Self::Quit => "Quit",
        }
    }

    /// One sentence more.
    #[must_use]
    pub fn tooltip(self) -> &'static str {
        match self {
            Self::OpenPalette => "Type a few letters of any action and press Enter",
            Self::StartDemo => "Runs the embedded console with our own test cartridge and predicts its pairs",
            Self::StartEmulator => {
                "A program may read what it has started, also where reading others is restricted; the command is remembered"
            }
            Self::AttachAutomatically => {
                "Attaches by itself as soon as exactly one emulator runs a known game"
            }
            Self::Detach => "Lets go of the emulator until told otherwise",
            Self::Record => "Everything that is sampled from now on, in a new file; once more ends it",
            Self::OpenRecording => {
                "Looks at a recording as at a running game; dropping the file does the same"
            }
            Self::BackToLive => "Closes the recording and looks for emulators again",
            Self::PlayRecording => "Keys that are signs do it only where nothing else has the keyboard",
            Self::NextSample | Self::PreviousSample => {
                "A frame of the game, where none was missed; for the recording that is shown"
            }
            Self::NextMismatch | Self::PreviousMismatch => {
                "Where the model and the emulator parted, in the recording that is shown"
            }
            Self::NextRound => "To where the next round of the recording that is shown begins",
            Self::PreviousRound => "To where this round began, and from there to the one before",
            Self::Show(Pane::Seeds) => {
                "Enter the pairs that were dealt; the games that deal them shrink to one, and what comes is certain"
            }
            Self::Show(Pane::Lab) => {
                "Droughts, floods and how well the next piece can be foretold, side by side"
            }
            Self::Show(Pane::Research) => {
                "Narrow the memory down to the address of what you see, step by step or by how it looks"
            }
            Self::Show(Pane::Route) => {
                "Where to put the pairs that come: the longest chain, the most points, all clear, and more"
            }
            Self::Show(Pane::Ignition) => {
                "Paint a field of Pochi & Nyaa; its value under the MVS and the PS2 rules, and why"
            }
            Self::PlanRoute => "What the route panel asks; once more ends it with the best route so far",
            Self::FollowRoute => {
                "Shows where the pair in play belongs, and plans again when it was put elsewhere"
            }
            Self::NewSearch => "One more search beside those there are, with steps of its own",
            Self::UndoStep | Self::RedoStep => {
                "Of the field in the ignition panel when that is in front, else of the search in the research panel"
            }
            Self::Show(_) => "Brings the panel to the front",
            Self::AddWatch => "Type an address; its value is read at every frame, and its changes counted",
            Self::OpenWatches => {
                "BizHawk's .wch, Cheat Engine's .CT, or .csv; dropping the file does the same"
            }
            Self::SaveWatches => "Into the file whose path stands in the panel: .wch or .csv",
            Self::GoToAddress => "An address such as 0xFFAD00, or the name of a field",
            Self::Theme(_) => "Colours of the whole window",
            Self::TogglePalette => {
                "Puyos in the colours of Okabe and Ito, which colour-blind people can tell apart"
            }
            Self::ToggleLetters => "R red, Y yellow, G green, P purple, B blue, O ojama",
            Self::ToggleReducedMotion => {
                "Nothing lights up, slides or fades, and waves and chains are not played step by step"
            }
            Self::ZoomIn | Self::ZoomOut | Self::ZoomReset => "Size of everything in the window",
            Self::ToggleOverlay => {
                "A small window above all others with the next pairs, for playing and recording"
            }
            Self::ToggleClickThrough => {
                "The game below gets the clicks; switch it off here or by the shortcut"
            }
            Self::ServeOverlays => {
                "A page with the coming pairs for OBS, and JSON for bots, for this machine only; off until it is started there"
            }
            Self::ResetLayout => "Panels go back to where they stood at first",
            Self::OpenSettings => "Everything that can be chosen, and where it is kept",
            Self::CopyMismatches => "All disagreements between emulator and model, as text",
            Self::CopyValues => "Name, value, type and address of every field, separated by tabs",
            Self::CopyLog => "The lines that the log shows",
            Self::CopyDiagnostics => "Versions, what is attached and how it was found, for a bug report",
            Self::FollowMessage => "Shows the panel that tells more of it, and takes it away",
            Self::DismissMessages => "They stay in the log; Escape takes only the newest away",
            Self::OpenShortcuts => "Every action and its keys, and other keys for any of them",
            Self::OpenAbout => "What this program is and does not do",
            Self::Quit => "Closes the window",
        }
    }

    /// The keys that it has until the user chooses others.
    #[must_use]
    pub fn usual_keys(self) -> Option<KeyboardShortcut> {
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

    /// Whether it makes everything larger or smaller.
    #[must_use]
    pub fn zooms(self) -> bool {
        matches!(self, Self::ZoomIn | Self::ZoomOut | Self::ZoomReset)
    }

    /// Whether it moves about in a recording, and so does nothing without one.
    #[must_use]
    pub fn is_of_replay(self) -> bool {
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

/// How well `query` fits `text`: None when its letters do not occur in order, else higher is better. Letters that
/// begin a word or follow one another count more.
#[must_use]
pub fn fuzzy(query: &str, text: &str) -> Option<i32> {
    let mut score = 0;
    let mut letters = text.chars().flat_map(char::to_lowercase);
    let mut before = ' ';
    let mut adjacent = false;
    for wanted in query.chars().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace()) {
        loop {
            let letter = letters.next()?;
            let begins_word = !before.is_alphanumeric();
            before = letter;
            if letter == wanted {
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
            if let Some(shortcut) = command.usual_keys() {
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
