//! The plots: frequency of each drought, and of droughts of at least a length.

use crate::gui::theme::Tokens;
use crate::stats::Measured;
use eframe::egui::{Color32, Label, Response, RichText, Role, Ui, WidgetInfo};
use egui_plot::{Bar, BarChart, HoverPosition, Line, LineStyle, Plot};

/// The longest drought in the histogram; the other plot shows rarer ones.
const MAX_DROUGHT: u32 = 30;

/// The measured randomizers, with their names and colours.
#[derive(Clone, Copy)]
pub struct Series<'a> {
    pub measured: &'a [Measured],
    pub names: &'a [String],
    pub tokens: &'a Tokens,
}

impl<'a> Series<'a> {
    pub fn color(&self, number: usize) -> Color32 {
        self.tokens.series[number % self.tokens.series.len()]
    }

    fn each(&self) -> impl Iterator<Item = (usize, &'a Measured, &'a str)> {
        let named = self.measured.iter().zip(self.names);
        named.enumerate().map(|(number, (one, name))| (number, one, name.as_str()))
    }
}

/// Lines of the same colour differ in style.
fn style(tokens: &Tokens, number: usize) -> LineStyle {
    match number / tokens.series.len() {
        0 => LineStyle::Solid,
        1 => LineStyle::dashed_loose(),
        _ => LineStyle::dotted_dense(),
    }
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 => "0 %".into(),
        1.0.. => format!("{percent:.1} %"),
        0.01.. => format!("{percent:.3} %"),
        _ => format!("{percent:.1e} %"),
    }
}

/// A power of ten in percent: "10 %", "0.01 %".
fn power(exponent: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few decimals")]
    let decimals = (-exponent - 2.0).clamp(0.0, 12.0) as usize;
    format!("{:.decimals$} %", 100.0 * 10f64.powf(exponent))
}

/// Sets the accessible label of a plot.
fn set_label(response: &Response, what: &str, series: &Series<'_>, each: impl Fn(&Measured) -> String) {
    let parts: Vec<String> = series.each().map(|(_, one, name)| format!("{name}: {}", each(one))).collect();
    let label = format!("{what}. {}", parts.join("; "));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
}

fn plot<'a>(id: &str, height: f32) -> Plot<'a> {
    Plot::new(id.to_owned())
        .height(height)
        .allow_scroll(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_boxed_zoom(false)
}

/// One line below the title of a plot.
fn remark(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).weak()).truncate()).on_hover_text(text);
}

/// Droughts as a share of all, as bars side by side.
pub fn histogram(ui: &mut Ui, series: &Series<'_>, height: f32) {
    ui.strong("Frequency of each drought length");
    remark(ui, "number of other pieces between two equal pieces, as a share of all droughts");
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let width = 0.85 / series.measured.len().max(1) as f64;
    let shown = plot("droughts", height)
        .x_axis_label("length of the drought in pieces")
        .include_x(-0.5)
        .include_x(f64::from(MAX_DROUGHT) + 0.5)
        .y_axis_formatter(|mark, _| format!("{:.0} %", mark.value * 100.0))
        .label_formatter(|hovered| match hovered {
            HoverPosition::NearDataPoint { plot_name, position, .. } => {
                Some(format!("{plot_name}\n{}", percent(position.y)))
            }
            HoverPosition::Elsewhere { .. } => None,
        })
        .show(ui, |plot| {
            for (number, one, randomizer) in series.each() {
                let color = series.color(number);
                #[expect(clippy::cast_precision_loss, reason = "a handful")]
                let offset = (number as f64 + 0.5) * width - 0.425;
                let survival = &one.figures.drought.survival;
                let bars = (0..=MAX_DROUGHT).zip(survival).map(|(gap, at_least)| {
                    let longer = survival.get(gap as usize + 1).copied().unwrap_or(0.0);
                    let (name, share) = (format!("{randomizer}, {gap} pieces"), at_least - longer);
                    Bar::new(f64::from(gap) + offset, share).width(width).fill(color).name(name)
                });
                let format = |bar: &Bar, _: &BarChart| format!("{}\n{}", bar.name, percent(bar.value));
                let bars = BarChart::new(randomizer, bars.collect()).color(color);
                plot.bar_chart(bars.element_formatter(Box::new(format)));
            }
        });
    set_label(&shown.response, "Histogram of droughts", series, |one| {
        format!("most common {}, longest {}", one.figures.drought.peakdrought, one.figures.drought.longest)
    });
}

/// Share of droughts of at least a length, on a logarithmic scale.
pub fn survival(ui: &mut Ui, series: &Series<'_>, height: f32) {
    ui.strong("Frequency of droughts of at least this length");
    remark(ui, "share of all droughts, logarithmic scale");
    let shown = plot("survival", height)
        .x_axis_label("length of the drought in pieces")
        .include_x(0.0)
        .include_y(0.0)
        .y_axis_formatter(|mark, _| {
            let is_power = (mark.value - mark.value.round()).abs() < 1e-6;
            if is_power { power(mark.value) } else { String::new() }
        })
        .y_grid_spacer(egui_plot::uniform_grid_spacer(|_| [1.0, 2.0, 10.0]))
        .label_formatter(|hovered| match hovered {
            HoverPosition::NearDataPoint { plot_name, position, .. } => Some(format!(
                "{plot_name}\n{} pieces or more: {}",
                position.x.round(),
                percent(10f64.powf(position.y))
            )),
            HoverPosition::Elsewhere { .. } => None,
        })
        .show(ui, |plot| {
            for (number, one, randomizer) in series.each() {
                let points = (0u32..).zip(&one.figures.drought.survival).filter(|(_, share)| **share > 0.0);
                let points: Vec<[f64; 2]> =
                    points.map(|(gap, share)| [f64::from(gap), share.log10()]).collect();
                let line = Line::new(randomizer, points).color(series.color(number)).width(2.0);
                plot.line(line.style(style(series.tokens, number)));
            }
        });
    set_label(&shown.response, "Survival function of droughts", series, |one| {
        let share = one.figures.drought.share_13_or_more.map_or(0.0, |share| share.value);
        format!("{} are 13 or longer, longest {}", percent(share), one.figures.drought.longest)
    });
}
