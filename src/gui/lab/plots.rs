//! The plots: frequency of each drought, and of droughts of at least a length.

use crate::gui::theme::Tokens;
use crate::stats::Measured;
use eframe::egui::{Color32, Response, Role, Ui, WidgetInfo};
use egui_plot::{Bar, BarChart, Corner, HoverPosition, Legend, Line, LineStyle, Plot};

/// Height of a plot in points.
const HEIGHT: f32 = 210.0;
/// The longest drought in the histogram; the other plot shows rarer ones.
const MAX_DROUGHT: u32 = 30;

pub fn color(tokens: &Tokens, number: usize) -> Color32 {
    tokens.series[number % tokens.series.len()]
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
fn set_label(response: &Response, what: &str, measured: &[Measured], each: impl Fn(&Measured) -> String) {
    let parts: Vec<String> = measured.iter().map(|one| format!("{}: {}", one.label, each(one))).collect();
    let label = format!("{what}. {}", parts.join("; "));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
}

fn plot<'a>(id: &str) -> Plot<'a> {
    Plot::new(id.to_owned())
        .height(HEIGHT)
        .allow_scroll(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_boxed_zoom(false)
        .legend(Legend::default().position(Corner::RightTop).follow_insertion_order(true))
}

/// Droughts as a share of all, as bars side by side.
pub fn histogram(ui: &mut Ui, tokens: &Tokens, measured: &[Measured]) {
    ui.strong("Frequency of each drought length");
    ui.weak("number of other pieces between two equal pieces, as a share of all droughts");
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let width = 0.85 / measured.len().max(1) as f64;
    let shown = plot("droughts")
        .x_axis_label("pieces")
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
            for (number, one) in measured.iter().enumerate() {
                let color = color(tokens, number);
                #[expect(clippy::cast_precision_loss, reason = "a handful")]
                let offset = (number as f64 + 0.5) * width - 0.425;
                let survival = &one.figures.drought.survival;
                let bars = (0..=MAX_DROUGHT).zip(survival).map(|(gap, at_least)| {
                    let longer = survival.get(gap as usize + 1).copied().unwrap_or(0.0);
                    let (name, share) = (format!("{}, {gap} pieces", one.label), at_least - longer);
                    Bar::new(f64::from(gap) + offset, share).width(width).fill(color).name(name)
                });
                let format = |bar: &Bar, _: &BarChart| format!("{}\n{}", bar.name, percent(bar.value));
                let bars = BarChart::new(&one.label, bars.collect()).color(color);
                plot.bar_chart(bars.element_formatter(Box::new(format)));
            }
        });
    set_label(&shown.response, "Histogram of droughts", measured, |one| {
        format!("most common {}, longest {}", one.figures.drought.peakdrought, one.figures.drought.longest)
    });
}

/// Share of droughts of at least a length, on a logarithmic scale.
pub fn survival(ui: &mut Ui, tokens: &Tokens, measured: &[Measured]) {
    ui.strong("Frequency of droughts of at least this length");
    ui.weak("share of all droughts, logarithmic scale");
    let shown = plot("survival")
        .x_axis_label("pieces")
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
            for (number, one) in measured.iter().enumerate() {
                let points = (0u32..).zip(&one.figures.drought.survival).filter(|(_, share)| **share > 0.0);
                let points: Vec<[f64; 2]> =
                    points.map(|(gap, share)| [f64::from(gap), share.log10()]).collect();
                let line = Line::new(&one.label, points).color(color(tokens, number)).width(2.0);
                plot.line(line.style(style(tokens, number)));
            }
        });
    set_label(&shown.response, "Survival function of droughts", measured, |one| {
        let share = one.figures.drought.share_13_or_more.map_or(0.0, |share| share.value);
        format!("{} are 13 or longer, longest {}", percent(share), one.figures.drought.longest)
    });
}
