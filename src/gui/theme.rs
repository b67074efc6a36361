//! All colours of the window, by name. A test ensures that no other file of the window creates a colour.

use crate::games::piece::Piece;
use crate::picture::palette;
use eframe::egui::style::Widgets;
use eframe::egui::{self, Color32, Stroke, Theme};
use nextscope_boards::Color;
use serde::{Deserialize, Serialize};

/// The colours of puyos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PaletteChoice {
    /// Close to the game's colours.
    #[default]
    Game,
    /// Distinguishable with colour blindness (Okabe and Ito, recommended by Wong).
    Wong,
}

const fn rgb(hex: u32) -> Color32 {
    let [_, r, g, b] = hex.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

/// The colours of a theme. Text colours have a contrast of at least 4.5 to 1 against `panel` and `card` (WCAG 2.2,
/// 1.4.3), which a test verifies.
#[derive(Debug, PartialEq)]
pub struct Tokens {
    /// Background of panels.
    pub panel: Color32,
    /// Background of groups and text fields.
    pub card: Color32,
    /// Background of buttons and other controls.
    pub control: Color32,
    pub text: Color32,
    /// Secondary text.
    pub muted: Color32,
    /// Verified; live.
    pub good: Color32,
    /// Mismatch; lost.
    pub bad: Color32,
    /// Attention; paused, not checked.
    pub caution: Color32,
    /// Links and selections.
    pub accent: Color32,
    /// Background of warning banners.
    pub caution_fill: Color32,
    /// Background of error banners.
    pub bad_fill: Color32,
    /// Background of a byte that just changed.
    pub flash: Color32,
    /// Underline of watched bytes.
    pub watch: Color32,
    /// Background of selected bytes.
    pub selected: Color32,
    /// Alternating backgrounds of profile fields.
    pub fields: [Color32; 6],
    /// Lines and bars of plots, in turn: hues of Okabe and Ito, adapted to the theme.
    pub series: [Color32; 5],
    /// Markers of the two players.
    pub players: [Color32; 2],
    /// Separators.
    pub line: Color32,
}

static DARK: Tokens = Tokens {
    panel: rgb(0x1B1D22),
    card: rgb(0x25282F),
    control: rgb(0x31353E),
    text: rgb(0xDADDE3),
    muted: rgb(0x9EA4AF),
    good: rgb(0x5FCF8A),
    bad: rgb(0xFF8A80),
    caution: rgb(0xF2C14E),
    accent: rgb(0x7FB4FF),
    caution_fill: rgb(0x3A3120),
    bad_fill: rgb(0x412424),
    flash: rgb(0x6E5410),
    watch: rgb(0xFF9F5A),
    selected: rgb(0x35557F),
    fields: [rgb(0x1F4A5C), rgb(0x4A2F5E), rgb(0x2C5238), rgb(0x5C3A2A), rgb(0x333F73), rgb(0x5A2B45)],
    series: [rgb(0x56B4E9), rgb(0xE69F00), rgb(0x2FC29A), rgb(0xE08FBF), rgb(0xF0E442)],
    players: [rgb(0xFFFFFF), rgb(0x7F_D4FF)],
    line: rgb(0x3C414B),
};

static LIGHT: Tokens = Tokens {
    panel: rgb(0xF6F7F9),
    card: rgb(0xFFFFFF),
    control: rgb(0xE3E7ED),
    text: rgb(0x23262D),
    muted: rgb(0x5C636F),
    good: rgb(0x0B6E38),
    bad: rgb(0xB21F1F),
    caution: rgb(0x7D5600),
    accent: rgb(0x0F56B3),
    caution_fill: rgb(0xFFF1CC),
    bad_fill: rgb(0xFFE0DD),
    flash: rgb(0xFFD04A),
    watch: rgb(0xB34700),
    selected: rgb(0xA9C8EF),
    fields: [rgb(0xC4E6F5), rgb(0xE4D2F5), rgb(0xCDEED6), rgb(0xF7DCC8), rgb(0xD3DBFA), rgb(0xF8D2E4)],
    series: [rgb(0x0067A3), rgb(0x9C5700), rgb(0x00704F), rgb(0x9B3F7F), rgb(0x6B6100)],
    players: [rgb(0x101010), rgb(0x00_5F9E)],
    line: rgb(0xCBD0D8),
};

#[derive(Debug, PartialEq)]
pub struct PuyoColors {
    red: Color32,
    yellow: Color32,
    green: Color32,
    purple: Color32,
    blue: Color32,
}

/// Close to the game's colours.
static GAME: PuyoColors = PuyoColors {
    red: rgb(0xE84A4A),
    yellow: rgb(0xF0CE35),
    green: rgb(0x4CB84A),
    purple: rgb(0xA55AD6),
    blue: rgb(0x4283EA),
};

/// Okabe and Ito's colours, which B. Wong recommends (Points of view: Color blindness, Nature Methods 8,
/// 2011, p. 441): vermillion, yellow, bluish green, reddish purple, blue.
static WONG: PuyoColors = PuyoColors {
    red: rgb(0xD55E00),
    yellow: rgb(0xF0E442),
    green: rgb(0x009E73),
    purple: rgb(0xCC79A7),
    blue: rgb(0x0072B2),
};

/// Pieces I J L O S T Z in their standard colours since 2001; the NES uses two colours a level, which do not identify pieces.
static PIECES: [Color32; 7] =
    [rgb(0x35C3E0), rgb(0x4C7DE0), rgb(0xF08A24), rgb(0xF0D035), rgb(0x4CB84A), rgb(0xB06AD6), rgb(0xE84A4A)];

/// The pieces in the colours of Okabe and Ito (see [`WONG`]), as in exported pictures.
static PIECES_WONG: [Color32; 7] = {
    let mut colors = [INK_DARK; 7];
    let mut at = 0;
    while at < colors.len() {
        let [red, green, blue] = palette::PIECES[at];
        colors[at] = Color32::from_rgb(red, green, blue);
        at += 1;
    }
    colors
};

/// Garbage, hard blocks and unknown codes.
const OJAMA: Color32 = rgb(0xB5BAC2);
const HARD: Color32 = rgb(0x6F757F);
/// Width of the frame around the control that has the focus.
const FOCUS_WIDTH: f32 = 2.0;
/// Letters and eyes.
pub const INK_DARK: Color32 = rgb(0x000000);
/// Letters and eyes on dark colours.
pub const INK_LIGHT: Color32 = rgb(0xFFFFFF);
/// Overlay backgrounds to be keyed out.
pub const KEY_GREEN: Color32 = rgb(0x00B140);
pub const KEY_BLACK: Color32 = rgb(0x000000);
pub const CLEAR: Color32 = Color32::TRANSPARENT;

/// How current the drawn data are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Live.
    Live,
    /// Recorded: coloured, and labelled as recorded.
    Recorded,
    /// Paused.
    Dim,
    /// Stale: grey.
    Grey,
}

impl Tone {
    /// The prefix of accessible labels.
    pub fn label_prefix(self) -> &'static str {
        match self {
            Self::Live | Self::Dim => "",
            Self::Recorded => "recorded, ",
            Self::Grey => "old, ",
        }
    }
}

/// The appearance for one frame, from the settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    pub tokens: &'static Tokens,
    puyos: &'static PuyoColors,
    pieces: &'static [Color32; 7],
    /// Whether puyos show letters.
    pub letters: bool,
    /// Whether animations are on.
    pub motion: bool,
}

impl Look {
    pub fn new(theme: Theme, palette: PaletteChoice, letters: bool, motion: bool) -> Self {
        Self {
            tokens: tokens(theme),
            puyos: match palette {
                PaletteChoice::Game => &GAME,
                PaletteChoice::Wong => &WONG,
            },
            pieces: match palette {
                PaletteChoice::Game => &PIECES,
                PaletteChoice::Wong => &PIECES_WONG,
            },
            letters,
            motion,
        }
    }

    pub fn puyo(&self, color: Color, tone: Tone) -> Color32 {
        let body = match color.0 {
            0 => self.puyos.red,
            1 => self.puyos.yellow,
            2 | 3 => self.puyos.green,
            4 => self.puyos.purple,
            5 => self.puyos.blue,
            6 => OJAMA,
            _ => HARD,
        };
        self.toned(body, tone)
    }

    pub fn piece(&self, piece: Piece, tone: Tone) -> Color32 {
        self.toned(self.pieces[piece.index()], tone)
    }

    fn toned(&self, body: Color32, tone: Tone) -> Color32 {
        match tone {
            Tone::Live | Tone::Recorded => body,
            Tone::Dim => mix(body, self.tokens.panel, 0.35),
            Tone::Grey => {
                let level = (luminance(body).sqrt() * 150.0 + 60.0).min(210.0);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "between 60 and 210"
                )]
                let level = level as u8;
                mix(Color32::from_gray(level), self.tokens.panel, 0.35)
            }
        }
    }

    /// Black or white, whichever is legible on `body`.
    pub fn ink_on(body: Color32) -> Color32 {
        // Black and white have equal contrast at 0.18 (WCAG: (L + 0.05)^2 = 0.05 * 1.05).
        if luminance(body) > 0.18 { INK_DARK } else { INK_LIGHT }
    }

    pub fn outline(&self, body: Color32) -> Stroke {
        Stroke::new(1.0, mix(body, INK_DARK, 0.55))
    }

    pub fn shine(body: Color32) -> Color32 {
        mix(body, INK_LIGHT, 0.35)
    }
}

pub fn tokens(theme: Theme) -> &'static Tokens {
    match theme {
        Theme::Dark => &DARK,
        Theme::Light => &LIGHT,
    }
}

/// Mixes `b` into `a` by `part` (0 to 1).
pub fn mix(a: Color32, b: Color32, part: f32) -> Color32 {
    a.lerp_to_gamma(b, part)
}

/// `color` with the opacity `alpha` (0 to 1).
pub fn faded(color: Color32, alpha: f32) -> Color32 {
    color.gamma_multiply(alpha)
}

/// Relative luminance, 0 to 1 (WCAG 2.2).
fn luminance(color: Color32) -> f32 {
    let linear = |channel: u8| {
        let c = f32::from(channel) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
}

/// Sets egui's styles, once.
pub fn install(ctx: &egui::Context) {
    for theme in [Theme::Dark, Theme::Light] {
        let tokens = tokens(theme);
        ctx.style_mut_of(theme, |style| {
            let visuals = &mut style.visuals;
            visuals.panel_fill = tokens.panel;
            visuals.window_fill = tokens.card;
            visuals.extreme_bg_color = tokens.card;
            visuals.faint_bg_color = mix(tokens.panel, tokens.card, 0.6);
            visuals.hyperlink_color = tokens.accent;
            visuals.warn_fg_color = tokens.caution;
            visuals.error_fg_color = tokens.bad;
            visuals.weak_text_color = Some(tokens.muted);
            install_widgets(&mut visuals.widgets, tokens);
            visuals.selection.stroke = Stroke::new(FOCUS_WIDTH, tokens.accent);
            visuals.selection.bg_fill = mix(tokens.panel, tokens.accent, 0.15);
            if let Some(small) = style.text_styles.get_mut(&egui::TextStyle::Small) {
                small.size = 11.5;
            }
            style.spacing.item_spacing = egui::vec2(8.0, 5.0);
            style.spacing.button_padding = egui::vec2(8.0, 3.0);
            // A floating scroll bar would cover the right end of lines.
            style.spacing.scroll.bar_width = 8.0;
            style.spacing.scroll.floating_allocated_width = 10.0;
            style.interaction.tooltip_delay = 0.3;
        });
    }
}

/// The colours of controls. The focused one, which egui draws like a pressed one, has a frame in the accent colour.
fn install_widgets(widgets: &mut Widgets, tokens: &Tokens) {
    let Tokens { control, text, line, muted, accent, .. } = *tokens;
    widgets.noninteractive.bg_stroke.color = line;
    let states = [
        (&mut widgets.inactive, control, Stroke::new(1.0, line)),
        (&mut widgets.hovered, mix(control, text, 0.03), Stroke::new(1.0, muted)),
        (&mut widgets.active, mix(control, accent, 0.03), Stroke::new(FOCUS_WIDTH, accent)),
        (&mut widgets.open, control, Stroke::new(1.0, muted)),
    ];
    for (state, fill, frame) in states {
        (state.weak_bg_fill, state.bg_fill, state.bg_stroke) = (fill, fill, frame);
    }
    for state in [
        &mut widgets.noninteractive,
        &mut widgets.inactive,
        &mut widgets.hovered,
        &mut widgets.active,
        &mut widgets.open,
    ] {
        state.fg_stroke.color = text;
    }
}

/// egui's style of menus, which takes the frame from the focused item as well.
pub fn menu_style(style: &mut egui::Style) {
    let focus = style.visuals.widgets.active.bg_stroke;
    egui::containers::menu::menu_style(style);
    style.visuals.widgets.active.bg_stroke = focus;
}

/// Marks a control that draws no frame of its own while it has the focus.
pub fn focus_frame(response: &egui::Response) {
    if response.has_focus() {
        let painter = response.ctx.layer_painter(response.layer_id);
        let frame = response.ctx.global_style().visuals.widgets.active.bg_stroke;
        painter.rect_stroke(response.rect, 2, frame, egui::StrokeKind::Inside);
    }
}

/// Enables or disables egui's animations.
pub fn set_motion(ctx: &egui::Context, motion: bool) {
    let usual = egui::Style::default();
    ctx.all_styles_mut(|style| {
        style.animation_time = if motion { usual.animation_time } else { 0.0 };
        style.scroll_animation =
            if motion { usual.scroll_animation } else { egui::style::ScrollAnimation::none() };
        style.visuals.text_cursor.blink = motion;
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contrast(a: Color32, b: Color32) -> f32 {
        let (one, other) = (luminance(a) + 0.05, luminance(b) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn text_colours_contrast_with_what_is_behind_them() {
        for theme in [Theme::Dark, Theme::Light] {
            let t = tokens(theme);
            for text in [t.text, t.muted, t.good, t.bad, t.caution, t.accent].into_iter().chain(t.series) {
                for background in [t.panel, t.card] {
                    let ratio = contrast(text, background);
                    assert!(ratio >= 4.5, "{theme:?}: {text:?} on {background:?} is {ratio:.1}");
                }
            }
            for background in t.fields.into_iter().chain([t.flash, t.selected, t.caution_fill, t.bad_fill]) {
                assert!(contrast(t.text, background) >= 4.5, "{theme:?}: text on {background:?}");
            }
            // A line that means something (WCAG 2.2, 1.4.11).
            for background in t.fields.into_iter().chain([t.panel, t.card]) {
                assert!(
                    contrast(t.watch, background) >= 3.0,
                    "{theme:?}: the mark of a watch on {background:?}"
                );
            }
        }
    }

    #[test]
    fn controls_can_be_read_and_the_focus_be_seen_in_every_state() {
        let ctx = egui::Context::default();
        install(&ctx);
        for theme in [Theme::Dark, Theme::Light] {
            let (t, style) = (tokens(theme), ctx.style_of(theme));
            let visuals = &style.visuals;
            let widgets = &visuals.widgets;
            for (name, state) in [
                ("inactive", widgets.inactive),
                ("hovered", widgets.hovered),
                ("focused", widgets.active),
                ("open", widgets.open),
            ] {
                // Muted: the shortcut of a menu item, a hint.
                for text in [state.fg_stroke.color, t.muted] {
                    for background in [state.weak_bg_fill, state.bg_fill] {
                        let ratio = contrast(text, background);
                        assert!(ratio >= 4.5, "{theme:?}, {name}: {text:?} on {background:?} is {ratio:.1}");
                    }
                }
            }
            let chosen = visuals.selection;
            for text in [t.text, chosen.stroke.color] {
                let ratio = contrast(text, chosen.bg_fill);
                assert!(ratio >= 4.5, "{theme:?}: selected {text:?} is {ratio:.1}");
            }
            // The frame of the focus (WCAG 2.2, 1.4.11 and 2.4.13), also where egui's menus take it away.
            let mut menu = egui::Style::clone(&style);
            menu_style(&mut menu);
            for frame in [widgets.active.bg_stroke, menu.visuals.widgets.active.bg_stroke, chosen.stroke] {
                assert!(frame.width >= 2.0, "{theme:?}: {frame:?}");
                for background in [
                    t.panel,
                    t.card,
                    t.control,
                    widgets.active.weak_bg_fill,
                    widgets.inactive.bg_stroke.color,
                ] {
                    assert!(
                        contrast(frame.color, background) >= 3.0,
                        "{theme:?}: {frame:?} on {background:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn letters_can_be_read_on_every_puyo() {
        for palette in [PaletteChoice::Game, PaletteChoice::Wong] {
            for theme in [Theme::Dark, Theme::Light] {
                let look = Look::new(theme, palette, true, true);
                for piece in Piece::ALL {
                    for tone in [Tone::Live, Tone::Dim, Tone::Grey] {
                        let body = look.piece(piece, tone);
                        assert!(contrast(Look::ink_on(body), body) >= 4.5, "{palette:?} {piece} {tone:?}");
                    }
                }
                for code in 0..8 {
                    for tone in [Tone::Live, Tone::Dim, Tone::Grey] {
                        let body = look.puyo(Color(code), tone);
                        assert!(contrast(Look::ink_on(body), body) >= 4.5, "{palette:?} {code} {tone:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_recorder_that_takes_the_key_green_out_leaves_puyos_pieces_and_ink() {
        // OBS's filter "Color Key": what is nearer to the colour than `similarity` is clear, what is farther by `smoothness` is not;
        // usually 0.08 and 0.05, of the distance in RGB from 0 to 1.
        let distance = |color: Color32| {
            let part = |at: usize| (f32::from(color[at]) - f32::from(KEY_GREEN[at])) / 255.0;
            (part(0).powi(2) + part(1).powi(2) + part(2).powi(2)).sqrt()
        };
        let mut colors = vec![OJAMA, HARD, INK_DARK, INK_LIGHT];
        for palette in [PaletteChoice::Game, PaletteChoice::Wong] {
            for theme in [Theme::Dark, Theme::Light] {
                let look = Look::new(theme, palette, true, true);
                for tone in [Tone::Live, Tone::Recorded, Tone::Dim, Tone::Grey] {
                    colors.extend(Color::PAIR_COLORS.map(|color| look.puyo(color, tone)));
                    colors.extend(Piece::ALL.map(|piece| look.piece(piece, tone)));
                }
            }
        }
        for color in colors {
            assert!(distance(color) > 0.08 + 0.05, "{color:?} is {} away", distance(color));
        }
    }

    #[test]
    fn no_other_file_of_the_window_makes_a_colour() {
        let mut files = 0;
        let mut paths = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/gui"))];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            if path.file_name().unwrap() == "theme.rs" {
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            let makers = ["Color32::from", "Color32::RED", "Color32::WHITE", "Color32::BLACK", "Rgba::from"];
            for maker in makers {
                assert!(!text.contains(maker), "{} makes a colour: {maker}", path.display());
            }
        }
        assert!(files > 5);
    }

    #[test]
    fn pictures_that_leave_the_program_look_like_the_window() {
        use crate::picture::palette;
        use crate::puyo::Cell;
        let same = |window: Color32, [red, green, blue]: palette::Rgb| {
            assert_eq!(window, Color32::from_rgb(red, green, blue));
        };
        let window = Look::new(Theme::Dark, PaletteChoice::Wong, true, true);
        for color in Color::PAIR_COLORS {
            same(window.puyo(color, Tone::Live), palette::body(Cell::Puyo(color)).expect("a body"));
        }
        same(OJAMA, palette::body(Cell::Ojama).expect("a body"));
        same(HARD, palette::body(Cell::Hard).expect("a body"));
        let tokens = window.tokens;
        for (token, color) in [
            (tokens.panel, palette::PAGE),
            (tokens.card, palette::BOARD),
            (tokens.line, palette::LINE),
            (tokens.text, palette::TEXT),
            (tokens.bad, palette::CROSS),
        ] {
            same(token, color);
        }
    }
}
