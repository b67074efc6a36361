//! The window: one file per panel. It draws the newest view that the sampler published and never waits for it.

mod app;
mod attach;
mod background;
mod board;
mod commands;
mod diagnostics;
mod dialogs;
mod docks;
mod feeds;
mod ignition;
mod keys;
mod keys_dialog;
mod lab;
mod layout;
pub mod log;
mod marks;
mod memory;
mod menus;
mod overlay;
mod pace;
mod piece;
mod predict;
mod predict_pieces;
mod puyo;
mod raw;
mod recordings;
mod replay;
mod research;
mod route;
mod saving;
mod scene;
mod seeds;
mod serving;
mod settings;
mod start;
mod status;
mod theme;
mod toasts;
mod verify;
mod watches;
mod widgets;
mod window;

pub use app::{App, Sampled, StartDemo};
pub use feeds::{Feeds, Listeners};
pub use ignition::{IgnitionSettings, Overlay, Part};
pub use lab::{LabSettings, Plots};
pub use layout::Pane;
pub use route::{Ground, RouteSettings, Source, Wanted};
pub use serving::Serving;
pub use settings::{OverlayGround, OverlaySettings, PaletteChoice, Settings};
pub use watches::WatchSettings;
pub use window::{NoWindow, Options, run};

/// The name under which the system knows the window, and of the folder in which settings are kept.
pub const APP_ID: &str = "nextscope";
