//! PNG images and animations (APNG).

use super::super::Route;
use super::ExportError;
use super::animation::{Scene, boards, scenes};
use super::draw::{CELL, LOSING, MARGIN, Mark, RADIUS, Size, pixels};
use nextscope_boards::picture::{Canvas, encoded, palette};
use nextscope_boards::puyo::{COLUMNS, Cell, Field, ROWS, Rules};

/// A board with a line of text below it.
pub fn board_png(field: &Field, rules: Rules, title: &str) -> Result<Vec<u8>, ExportError> {
    let size = Size::of(rules);
    let mut canvas = Canvas::new(size.width, size.height, palette::PAGE);
    drawn(&mut canvas, size, (0, 0), &Scene::still(field, title));
    Ok(encoded(&[canvas], &[])?)
}

/// All boards of a route side by side, as in [`route_svg`](super::route_svg).
///
/// # Errors
/// If encoding fails, for example because of too many boards.
pub fn route_png(route: &Route) -> Result<Vec<u8>, ExportError> {
    let size = Size::of(route.rules);
    let scenes = boards(route);
    let (places, (width, height)) = size.grid(scenes.len());
    let mut canvas = Canvas::new(width, height, palette::PAGE);
    for (place, scene) in places.into_iter().zip(&scenes) {
        drawn(&mut canvas, size, place, scene);
    }
    Ok(encoded(&[canvas], &[])?)
}

/// An animation of a route that repeats, as in [`route_svg_animated`](super::route_svg_animated).
///
/// # Errors
/// If encoding fails, for example because of too many scenes.
pub fn route_apng(route: &Route) -> Result<Vec<u8>, ExportError> {
    let size = Size::of(route.rules);
    let scenes = scenes(route);
    let canvases: Vec<Canvas> = scenes
        .iter()
        .map(|scene| {
            let mut canvas = Canvas::new(size.width, size.height, palette::PAGE);
            drawn(&mut canvas, size, (0, 0), scene);
            canvas
        })
        .collect();
    let hundredths: Vec<u16> = scenes.iter().map(|scene| scene.hundredths).collect();
    Ok(encoded(&canvases, &hundredths)?)
}

fn drawn(canvas: &mut Canvas, size: Size, (left, top): (u32, u32), scene: &Scene) {
    let wide = pixels(COLUMNS) * CELL;
    let (visible, bottom) = (size.visible(), MARGIN + size.rows * CELL);
    canvas.fill((left + MARGIN, top + MARGIN), (wide, visible - MARGIN), palette::HIDDEN);
    canvas.fill((left + MARGIN, top + visible), (wide, bottom - visible), palette::BOARD);
    canvas.fill((left + MARGIN, top + visible - 1), (wide, 2), palette::LINE);
    let middle = |at| {
        let (x, y) = size.middle(at);
        (left + x, top + y)
    };
    canvas.text(middle(LOSING), "X", palette::CROSS);
    for row in 0..ROWS.min(size.rows as usize) {
        for column in 0..COLUMNS {
            let cell = scene.field.get(column, row);
            let Some(body) = palette::body(cell) else { continue };
            let at = middle((column, row));
            if cell == Cell::Hard {
                canvas.fill((at.0 - RADIUS, at.1 - RADIUS), (2 * RADIUS, 2 * RADIUS), body);
            } else {
                canvas.disc(at, RADIUS, body);
            }
            canvas.text(at, &cell.letter().to_string(), palette::ink(body));
        }
    }
    for (at, mark) in &scene.marks {
        let at = middle(*at);
        match mark {
            Mark::Axis => canvas.ring(at, RADIUS, false, palette::MARK),
            Mark::Child | Mark::Drawn => canvas.ring(at, RADIUS, true, palette::MARK),
            Mark::Pop => canvas.diamond(at, CELL / 2 - 1, palette::MARK),
        }
    }
    for (nth, line) in (0..).zip(scene.lines()) {
        canvas.text((left + size.width / 2, top + size.text(nth) + 7), line, palette::TEXT);
    }
}
