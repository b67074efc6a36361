//! Controls to select the console RAM of a game without a profile in a running emulator.

use super::status;
use super::ui_context::UiContext;
use super::widgets::{combo, hinted};
use crate::console::{ConsoleId, StorageOrder};
use crate::emulator::RamQuery;
use crate::live::Connection;
use crate::process::{HostAddr, Pid};
use eframe::egui::Ui;

/// The selected process and console, and where its RAM is if the user knows it.
#[derive(Debug, Clone)]
pub struct AnyGame {
    pub process: Option<Pid>,
    console: ConsoleId,
    order: Option<StorageOrder>,
    typed: String,
    at: Option<HostAddr>,
}

impl Default for AnyGame {
    fn default() -> Self {
        Self { process: None, console: ConsoleId::Genesis, order: None, typed: String::new(), at: None }
    }
}

impl AnyGame {
    /// Draws the controls.
    pub fn show(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        self.processes(ui, cx);
        let consoles = ConsoleId::ALL.iter().map(|console| (*console, console.name().to_owned()));
        combo(ui, "Console", &mut self.console, consoles, 120.0);
        let orders = self.console.domain().orders;
        if orders.len() > 1 {
            let known = orders.iter().map(|order| (Some(*order), order.to_string()));
            let choices = std::iter::once((None, "automatic".to_owned())).chain(known);
            combo(ui, "Bytes", &mut self.order, choices, 150.0);
        }
        if hinted(ui, &mut self.typed, "RAM address", "RAM at 0x…, if known", 150.0) {
            let digits = self.typed.trim().trim_start_matches("0x").trim_start_matches("0X");
            self.at = u64::from_str_radix(digits, 16).ok().map(HostAddr);
        }
        if !self.typed.trim().is_empty() && self.at.is_none() {
            ui.weak("enter a hexadecimal address and press Enter");
        }
    }

    /// Draws the selection of the process; at first it is the attached one.
    pub fn processes(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let rows = cx.view.emulators.iter();
        let rows =
            rows.map(|row| (Some(row.pid), format!("{} ({})", status::emulator(&row.identity), row.pid)));
        let mut process = self.process.or_else(|| attached(cx));
        combo(ui, "Process", &mut process, rows, 180.0);
        if process != self.process {
            self.process = process;
            self.guess_console(cx);
        }
    }

    /// Selects a process.
    pub fn select(&mut self, pid: Pid, cx: &UiContext<'_>) {
        self.process = Some(pid);
        self.guess_console(cx);
    }

    /// Selects the console of the game file of the process, if its name tells.
    fn guess_console(&mut self, cx: &UiContext<'_>) {
        let row = cx.view.emulators.iter().find(|row| Some(row.pid) == self.process);
        let game = row.and_then(|row| row.identity.content.as_deref());
        self.console = game.and_then(console_of).unwrap_or(self.console);
    }

    /// The selection as a query; a byte order that the console does not have is dropped. None without a process.
    pub fn query(&self) -> Option<(Pid, RamQuery)> {
        let orders = self.console.domain().orders;
        let order = self.order.filter(|order| orders.contains(order));
        Some((self.process?, RamQuery { console: self.console, base: self.at, order }))
    }
}

/// The console whose games are in files of such names.
fn console_of(game: &str) -> Option<ConsoleId> {
    let (_, extension) = game.rsplit_once('.')?;
    match extension.to_ascii_lowercase().as_str() {
        "nes" => Some(ConsoleId::Nes),
        "nds" => Some(ConsoleId::Nds),
        "md" | "smd" | "gen" => Some(ConsoleId::Genesis),
        _ => None,
    }
}

/// The attached process.
pub fn attached(cx: &UiContext<'_>) -> Option<Pid> {
    let connected = matches!(cx.view.connection, Connection::Live | Connection::Paused { .. });
    cx.view.target.as_ref().filter(|_| connected).map(|target| target.pid)
}
