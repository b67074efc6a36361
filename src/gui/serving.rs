//! The dialog that starts and stops the server and shows its address. Opening or closing the dialog does not change the
//! server.

use super::app_id::APP_ID;
use super::theme::Tokens;
use super::ui_context::UiAction;
use crate::live::{Subscriber, View};
use crate::serve::{Options, Route, Server, Token};
use eframe::egui::{Frame, Id, Label, Modal, RichText, Ui};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// How often the number of clients is updated while it is shown.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The server that the window controls, and its dialog. It is off by default.
#[derive(Default)]
pub struct Serving {
    views: Option<Subscriber<View>>,
    /// The file of the token, so that the address stays the same between sessions.
    token_file: Option<PathBuf>,
    /// None is the default port.
    port: Option<u16>,
    server: Option<Server>,
    failed: Option<String>,
    shown: bool,
}

impl Serving {
    /// Serves these views once started. The token is saved in the user's data folder.
    pub fn new(views: Subscriber<View>) -> Self {
        let folders = directories::ProjectDirs::from("", "", APP_ID);
        let token_file = folders.map(|folders| folders.data_dir().join("serve-token"));
        Self { views: Some(views), token_file, ..Self::default() }
    }

    /// The same on another port and with a temporary token.
    pub fn on_port(views: Subscriber<View>, port: u16) -> Self {
        Self { views: Some(views), port: Some(port), ..Self::default() }
    }

    /// Opens the dialog.
    pub fn open(&mut self) {
        self.shown = true;
    }

    /// Whether the dialog is open and receives key presses.
    pub fn is_open(&self) -> bool {
        self.shown
    }

    /// The address of the running server.
    pub fn address(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(Server::address)
    }

    fn start(&mut self) {
        let Some(views) = self.views.clone() else {
            self.failed = Some("this window has no data to serve".into());
            return;
        };
        let token = self.token_file.as_deref().map_or_else(Token::random, Token::load_or_create);
        let started = token.map_err(|error| error.to_string()).and_then(|token| {
            let usual = Options::new(token);
            let options = Options { port: self.port.unwrap_or(usual.port), ..usual };
            Server::start(&options, views).map_err(|error| error.to_string())
        });
        match started {
            Ok(server) => {
                tracing::info!("server started on {}", server.address());
                (self.server, self.failed) = (Some(server), None);
            }
            Err(why) => {
                tracing::warn!("cannot start the server: {why}");
                self.failed = Some(why);
            }
        }
    }

    /// Draws the dialog if it is open.
    pub fn show(&mut self, ui: &Ui, tokens: &Tokens, actions: &mut Vec<UiAction>) {
        if !self.shown {
            return;
        }
        let ctx = ui.ctx().clone();
        let frame = Frame::popup(ui.style()).inner_margin(14);
        let mut close = false;
        let response = Modal::new(Id::unique("serving")).frame(frame).show(&ctx, |ui| {
            ui.set_width((ui.ctx().content_rect().width() - 60.0).clamp(200.0, 560.0));
            ui.heading("Serve to overlays and bots");
            match &self.server {
                Some(server) => running(ui, server, actions),
                None => off(ui, self.failed.as_deref(), tokens),
            }
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let on_close = if self.server.is_some() {
                    if ui.button("Stop server").on_hover_text("Close the port").clicked() {
                        self.server = None;
                        tracing::info!("server stopped");
                    }
                    "The server keeps running, as the status bar shows"
                } else {
                    if ui.button("Start server").on_hover_text("Open a port on this machine only").clicked() {
                        self.start();
                    }
                    "The server is off"
                };
                close = ui.button("Close").on_hover_text(on_close).clicked();
            });
        });
        ctx.request_repaint_after(POLL_INTERVAL);
        if close || response.should_close() {
            self.shown = false;
        }
    }
}

fn off(ui: &mut Ui, failed: Option<&str>, tokens: &Tokens) {
    match failed {
        Some(why) => _ = ui.colored_label(tokens.bad, why),
        None => _ = ui.label("Off: no port is open"),
    }
    ui.weak("Serves a page with the next pairs for OBS and JSON for bots, on this machine only");
}

fn running(ui: &mut Ui, server: &Server, actions: &mut Vec<UiAction>) {
    let page = server.url(Route::Page);
    ui.label("Page for an OBS browser source or a browser on this machine:");
    ui.add(Label::new(RichText::new(&page).monospace()).wrap());
    ui.horizontal_wrapped(|ui| {
        for (button, route, what) in [
            ("Copy address", Route::Page, "page address"),
            ("Copy JSON address", Route::State, "JSON address"),
            ("Copy WebSocket address", Route::Events, "WebSocket address"),
        ] {
            if ui.button(button).clicked() {
                actions.push(UiAction::Copy(server.url(route), what));
            }
        }
    });
    let clients = match server.clients() {
        1 => "1 client listens".to_owned(),
        count => format!("{count} clients listen"),
    };
    ui.weak(clients);
    ui.weak("Any program on this machine that knows the address can read the shown data");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::theme::tokens;
    use crate::live::latest;
    use eframe::egui::Theme;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;
    use std::net::TcpStream;

    #[test]
    fn it_is_off_until_asked_for_and_its_address_is_copied() {
        let (_publisher, views) = latest(View::default());
        let state = (Serving::on_port(views, 0), Vec::new());
        let mut harness = Harness::builder().with_size([700.0, 400.0]).build_ui_state(
            |ui, (serving, actions): &mut (Serving, Vec<UiAction>)| {
                serving.show(ui, tokens(Theme::Dark), actions);
            },
            state,
        );
        harness.run_steps(2);
        assert!(harness.state().0.server.is_none() && harness.query_by_label("Stop server").is_none());
        harness.state_mut().0.open();
        harness.run_steps(2);
        assert_eq!(harness.state().0.address(), None, "the dialog alone opens no port");
        harness.get_by_label("Start server").click();
        harness.run_steps(6); // the dialog is larger now, and moves to the middle
        let address = harness.state().0.address().expect("it runs");
        harness.get_by_label("Copy address").click();
        harness.run_steps(2);
        let url = harness.state().0.server.as_ref().expect("it runs").url(Route::Page);
        assert_eq!(harness.state().1, [UiAction::Copy(url, "page address")]);
        harness.get_by_label("Stop server").click();
        harness.run_steps(6); // the dialog is smaller now, and moves to the middle
        TcpStream::connect(address).expect_err("nobody listens any more");
        harness.get_by_label("Close").click();
        harness.run_steps(4);
        assert!(harness.query_by_label("Start server").is_none(), "the dialog is closed");
    }
}
