//! SVG images and animations (SMIL).

use super::super::Route;
use super::animation::{Scene, boards, scenes};
use super::draw::{CELL, LOSING, MARGIN, Mark, RADIUS, Size, pixels};
use nextscope_boards::Color;
use nextscope_boards::picture::escaped;
use nextscope_boards::picture::palette::{self, hex};
use nextscope_boards::puyo::{COLUMNS, Cell, Field, ROWS, Rules};
use std::fmt::Write as _;

/// Every cell that is drawn.
const CELLS: [Cell; 7] = [
    Cell::Puyo(Color::RED),
    Cell::Puyo(Color::GREEN),
    Cell::Puyo(Color::BLUE),
    Cell::Puyo(Color::YELLOW),
    Cell::Puyo(Color::PURPLE),
    Cell::Ojama,
    Cell::Hard,
];

/// A board with a line of text below it.
pub fn board_svg(field: &Field, rules: Rules, title: &str) -> String {
    let size = Size::of(rules);
    let scene = Scene::still(field, title);
    document(size, (size.width, size.height), title, |svg| drawn(svg, size, (0, 0), &scene))
}

/// All boards of a route side by side: each pair as it lands, marked and numbered, with the chain it triggers, and the end.
pub fn route_svg(route: &Route) -> String {
    let size = Size::of(route.rules);
    let scenes = boards(route);
    let (places, total) = size.grid(scenes.len());
    document(size, total, &name(route), |svg| {
        places.iter().zip(&scenes).try_for_each(|(place, scene)| drawn(svg, size, *place, scene))
    })
}

/// An animation of a route that repeats: each pair as it lands, each step of its chains.
pub fn route_svg_animated(route: &Route) -> String {
    let size = Size::of(route.rules);
    let scenes = scenes(route);
    let total: u32 = scenes.iter().map(|scene| u32::from(scene.hundredths)).sum();
    document(size, (size.width, size.height), &name(route), |svg| {
        let mut from = 0;
        for scene in &scenes {
            let to = from + u32::from(scene.hundredths);
            // The first scene is visible in viewers without animation.
            let visibility = if from == 0 { "visible" } else { "hidden" };
            write!(svg, "<g visibility=\"{visibility}\">")?;
            shown(svg, from, to, total)?;
            drawn(svg, size, (0, 0), scene)?;
            svg.push_str("</g>\n");
            from = to;
        }
        Ok(())
    })
}

/// Visible from one time to another, in hundredths of a second of the total, in every repetition.
fn shown(svg: &mut String, from: u32, to: u32, total: u32) -> std::fmt::Result {
    let mut times = vec![(from, "visible"), (to, "hidden")];
    if from > 0 {
        times.insert(0, (0, "hidden"));
    }
    times.retain(|(time, _)| *time < total);
    let values: Vec<&str> = times.iter().map(|(_, value)| *value).collect();
    let part = |time: u32| format!("{:.6}", f64::from(time) / f64::from(total));
    let parts: Vec<String> = times.iter().map(|(time, _)| part(*time)).collect();
    write!(
        svg,
        "<animate attributeName=\"visibility\" calcMode=\"discrete\" repeatCount=\"indefinite\" dur=\"{}.{:02}s\" \
         values=\"{}\" keyTimes=\"{}\"/>",
        total / 100,
        total % 100,
        values.join(";"),
        parts.join(";")
    )
}

fn name(route: &Route) -> String {
    format!("{} pairs, chain {}, {} points", route.steps.len(), route.chain, route.score)
}

fn document(
    size: Size,
    (width, height): (u32, u32),
    title: &str,
    draw: impl FnOnce(&mut String) -> std::fmt::Result,
) -> String {
    let mut svg = String::new();
    // Writing to a String cannot fail.
    let _ = begin(&mut svg, size, (width, height), title).and_then(|()| draw(&mut svg));
    svg.push_str("</svg>\n");
    svg
}

fn begin(svg: &mut String, size: Size, (width, height): (u32, u32), title: &str) -> std::fmt::Result {
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"sans-serif\">"
    )?;
    writeln!(svg, "<title>{}</title>", escaped(title))?;
    writeln!(svg, "<defs>")?;
    for cell in CELLS {
        let Some(body) = palette::body(cell) else { continue };
        let (letter, fill, ink) = (cell.letter(), hex(body), hex(palette::ink(body)));
        write!(svg, "<g id=\"{letter}\">")?;
        if cell == Cell::Hard {
            let side = 2 * RADIUS;
            write!(
                svg,
                "<rect x=\"-{RADIUS}\" y=\"-{RADIUS}\" width=\"{side}\" height=\"{side}\" fill=\"{fill}\"/>"
            )?;
        } else {
            write!(svg, "<circle r=\"{RADIUS}\" fill=\"{fill}\"/>")?;
        }
        writeln!(
            svg,
            "<text y=\"5\" font-size=\"15\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"{ink}\">{letter}</text></g>"
        )?;
    }
    let mark = hex(palette::MARK);
    writeln!(svg, "<circle id=\"axis\" r=\"{RADIUS}\" fill=\"none\" stroke=\"{mark}\" stroke-width=\"3\"/>")?;
    writeln!(
        svg,
        "<circle id=\"child\" r=\"{RADIUS}\" fill=\"none\" stroke=\"{mark}\" stroke-width=\"3\" stroke-dasharray=\"5 4\"/>"
    )?;
    let half = CELL / 2 - 1;
    writeln!(
        svg,
        "<path id=\"pop\" d=\"M0 -{half}L{half} 0L0 {half}L-{half} 0Z\" fill=\"none\" stroke=\"{mark}\" stroke-width=\"2\"/>"
    )?;
    let (left, visible, wide) = (MARGIN, size.visible(), pixels(COLUMNS) * CELL);
    let (hidden, tall) = (visible - MARGIN, size.rows * CELL + MARGIN - visible);
    let (board, above, line) = (hex(palette::BOARD), hex(palette::HIDDEN), hex(palette::LINE));
    let (x, y) = size.middle(LOSING);
    writeln!(
        svg,
        "<g id=\"board\"><rect x=\"{left}\" y=\"{MARGIN}\" width=\"{wide}\" height=\"{hidden}\" fill=\"{above}\"/>\
         <rect x=\"{left}\" y=\"{visible}\" width=\"{wide}\" height=\"{tall}\" fill=\"{board}\"/>\
         <path d=\"M{left} {visible}h{wide}\" stroke=\"{line}\" stroke-width=\"2\"/>\
         <path d=\"M{} {}l12 12m0 -12l-12 12\" stroke=\"{}\" stroke-width=\"2\"/></g>",
        x - 6,
        y - 6,
        hex(palette::CROSS)
    )?;
    writeln!(svg, "</defs>")?;
    writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>", hex(palette::PAGE))
}

fn drawn(svg: &mut String, size: Size, (left, top): (u32, u32), scene: &Scene) -> std::fmt::Result {
    writeln!(svg, "<g transform=\"translate({left} {top})\"><use href=\"#board\"/>")?;
    for row in 0..ROWS.min(size.rows as usize) {
        for column in 0..COLUMNS {
            let cell = scene.field.get(column, row);
            if cell != Cell::Empty {
                let (x, y) = size.middle((column, row));
                write!(svg, "<use href=\"#{}\" x=\"{x}\" y=\"{y}\"/>", cell.letter())?;
            }
        }
    }
    for (at, mark) in &scene.marks {
        let id = match mark {
            Mark::Axis => "axis",
            Mark::Child | Mark::Drawn => "child",
            Mark::Pop => "pop",
        };
        let (x, y) = size.middle(*at);
        write!(svg, "<use href=\"#{id}\" x=\"{x}\" y=\"{y}\"/>")?;
    }
    for (nth, line) in (0..).zip(scene.lines()) {
        if !line.is_empty() {
            let (x, y, fill) = (size.width / 2, size.text(nth) + 12, hex(palette::TEXT));
            write!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"15\" text-anchor=\"middle\" fill=\"{fill}\">{}</text>",
                escaped(line)
            )?;
        }
    }
    writeln!(svg, "</g>")
}
