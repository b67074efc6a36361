//! The program's icon: a pair under a lens, before it is dealt. One list of shapes, rendered to SVG and pixels.

use super::encode::{PictureError, encoded_transparent};
use super::palette::{BOARD, PAGE, Rgb, body, hex};
use crate::Color;
use crate::puyo::Cell;
use std::fmt::Write as _;

/// The side of the square that the shapes are laid out in.
const SIDE: f32 = 128.0;
const CORNER: f32 = 28.0;
/// Samples per pixel in each direction.
const SAMPLES: u16 = 4;

/// A part of the icon, in drawing order.
enum Part {
    /// A filled circle: centre, radius.
    Disc((f32, f32), f32, Rgb),
    /// A line with round ends: from, to, half the width.
    Line((f32, f32), (f32, f32), f32, Rgb),
}

fn parts() -> Vec<Part> {
    let puyo = |color| body(Cell::Puyo(color)).unwrap_or(PAGE);
    let lens = [0xDA, 0xDD, 0xE3];
    let mut parts = vec![
        Part::Line((82.0, 82.0), (110.0, 110.0), 8.0, lens),
        Part::Disc((54.0, 54.0), 42.0, lens),
        Part::Disc((54.0, 54.0), 34.0, BOARD),
    ];
    for (middle, color) in [((54.0, 38.0), Color::RED), ((54.0, 70.0), Color::BLUE)] {
        parts.push(Part::Disc(middle, 14.0, puyo(color)));
        let (x, y) = middle;
        for eye in [x - 5.0, x + 5.0] {
            parts.push(Part::Disc((eye, y - 1.0), 3.5, [0xFF; 3]));
            parts.push(Part::Disc((eye, y - 1.0), 1.75, [0; 3]));
        }
    }
    parts
}

/// The icon as SVG.
pub fn svg() -> String {
    let page = hex(PAGE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SIDE}\" height=\"{SIDE}\" viewBox=\"0 0 {SIDE} {SIDE}\">\n\
         <title>Nextscope</title>\n<rect width=\"{SIDE}\" height=\"{SIDE}\" rx=\"{CORNER}\" fill=\"{page}\"/>\n"
    );
    for part in parts() {
        // Writing to a String cannot fail.
        let _ = match part {
            Part::Disc((x, y), radius, color) => {
                writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\"/>", hex(color))
            }
            Part::Line((x, y), (to_x, to_y), half, color) => writeln!(
                svg,
                "<path d=\"M{x} {y}L{to_x} {to_y}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\"/>",
                hex(color),
                2.0 * half
            ),
        };
    }
    svg + "</svg>\n"
}

/// The icon as `side` by `side` pixels, row by row from the top, each with red, green, blue and alpha.
pub fn points(side: u16) -> Vec<u8> {
    let parts = parts();
    let fine = f32::from(side) * f32::from(SAMPLES);
    let mut points = Vec::with_capacity(4 * usize::from(side) * usize::from(side));
    for row in 0..side {
        for column in 0..side {
            let mut sum = [0_u32; 3];
            let mut inside = 0_u32;
            for sample in 0..SAMPLES * SAMPLES {
                let along = |cell: u16, sample: u16| {
                    (f32::from(cell) * f32::from(SAMPLES) + f32::from(sample) + 0.5) * SIDE / fine
                };
                let at = (along(column, sample % SAMPLES), along(row, sample / SAMPLES));
                if let Some(color) = color_at(&parts, at) {
                    inside += 1;
                    sum.iter_mut().zip(color).for_each(|(sum, part)| *sum += u32::from(part));
                }
            }
            let mean = |sum: u32, of: u32| u8::try_from(sum / of.max(1)).unwrap_or(u8::MAX);
            points.extend(sum.map(|sum| mean(sum, inside)));
            points.push(mean(inside * 255, u32::from(SAMPLES * SAMPLES)));
        }
    }
    points
}

/// The colour at a point; None outside the rounded square.
fn color_at(parts: &[Part], (x, y): (f32, f32)) -> Option<Rgb> {
    let over = |at: f32| (CORNER - at).max(at - (SIDE - CORNER)).max(0.0);
    if over(x).hypot(over(y)) > CORNER {
        return None;
    }
    let covers = |part: &&Part| match **part {
        Part::Disc((to_x, to_y), radius, _) => (x - to_x).hypot(y - to_y) <= radius,
        Part::Line((from_x, from_y), (to_x, to_y), half, _) => {
            let (right, down) = (to_x - from_x, to_y - from_y);
            let along = ((x - from_x) * right + (y - from_y) * down) / (right * right + down * down);
            let along = along.clamp(0.0, 1.0);
            (x - from_x - along * right).hypot(y - from_y - along * down) <= half
        }
    };
    let color = |part: &Part| match *part {
        Part::Disc(_, _, color) | Part::Line(_, _, _, color) => color,
    };
    Some(parts.iter().rev().find(covers).map_or(PAGE, color))
}

/// The icon as a PNG file of `side` by `side` pixels.
pub fn png(side: u16) -> Result<Vec<u8>, PictureError> {
    encoded_transparent(side.into(), &points(side))
}

/// The icon as an ICO file of PNG images, as Windows shows it at these sizes (Microsoft, Icons: the ICO format).
pub fn ico(sides: &[u16]) -> Result<Vec<u8>, PictureError> {
    const HEADER: usize = 6;
    const ENTRY: usize = 16;
    let images: Vec<Vec<u8>> = sides.iter().map(|side| png(*side)).collect::<Result<_, _>>()?;
    let count = u16::try_from(images.len()).unwrap_or(u16::MAX);
    let mut file = [0, 1, count].map(u16::to_le_bytes).concat();
    let mut offset = HEADER + ENTRY * images.len();
    for (side, image) in sides.iter().zip(&images) {
        // 256 is written as 0; no palette; one plane of 32 bits a pixel.
        let side = u8::try_from(*side).unwrap_or(0);
        file.extend([side, side, 0, 0, 1, 0, 32, 0]);
        for number in [image.len(), offset] {
            file.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        offset += image.len();
    }
    file.extend(images.concat());
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_icon_has_transparent_corners_and_shows_both_puyos() {
        let side = 64_u16;
        let points = points(side);
        let at = |x: usize, y: usize| &points[4 * (y * 64 + x)..][..4];
        assert_eq!(at(0, 0)[3], 0, "nothing is in the corner");
        assert_eq!(at(27, 14), [0xD5, 0x5E, 0x00, 0xFF], "a red puyo above");
        assert_eq!(at(27, 38), [0x00, 0x72, 0xB2, 0xFF], "a blue one below");
        let image = png(side).unwrap();
        let mut reader = ::png::Decoder::new(std::io::Cursor::new(image)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        assert_eq!(bytes, points);
    }

    #[test]
    fn the_svg_has_every_part() {
        let svg = svg();
        assert_eq!(svg.matches("<circle").count() + svg.matches("<path").count(), parts().len());
        assert!(roxmltree::Document::parse(&svg).is_ok());
    }
}
