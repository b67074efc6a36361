//! A pixel buffer with basic drawing operations.

use super::font::{HEIGHT, WIDTH, rows_of};
use super::palette::Rgb;

/// Pixels per point of a letter.
const POINT: u32 = 2;
/// Pixels from one letter to the next.
const STEP: u32 = (WIDTH + 1) * POINT;
/// Half the width of a ring's line, in pixels.
const HALF_LINE: f32 = 1.5;
/// Number of gaps in a dashed ring.
const GAPS: f32 = 8.0;

/// An image being drawn. Anything outside it is clipped.
pub struct Canvas {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Canvas {
    /// A canvas filled with one colour; sizes in points.
    pub fn new(width: u32, height: u32, color: Rgb) -> Self {
        let pixels = width as usize * height as usize;
        Self { width, height, bytes: color.repeat(pixels) }
    }

    /// In points.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// In points.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Red, green and blue of each pixel, row by row.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Blends a colour over a pixel with opacity `part`, 0 to 1.
    fn mix(&mut self, (x, y): (u32, u32), color: Rgb, part: f32) {
        if x >= self.width || y >= self.height || part <= 0.0 {
            return;
        }
        let at = 3 * (y as usize * self.width as usize + x as usize);
        for (below, above) in self.bytes[at..at + 3].iter_mut().zip(color) {
            let mixed = f32::from(*below) + (f32::from(above) - f32::from(*below)) * part.min(1.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
            let mixed = mixed.round() as u8;
            *below = mixed;
        }
    }

    /// Fills a rectangle.
    pub fn fill(&mut self, (left, top): (u32, u32), (width, height): (u32, u32), color: Rgb) {
        for y in top..top + height {
            for x in left..left + width {
                self.mix((x, y), color, 1.0);
            }
        }
    }

    /// Visits every pixel around a centre with its horizontal and vertical distance.
    fn around(&mut self, (x, y): (u32, u32), radius: u32, color: Rgb, part: impl Fn(f32, f32) -> f32) {
        for top in y.saturating_sub(radius)..y + radius {
            for left in x.saturating_sub(radius)..x + radius {
                let away = |pixel: u32, middle: u32| {
                    f32::from(u16::try_from(pixel.abs_diff(middle)).unwrap_or(u16::MAX))
                };
                // The centre of a pixel is half a pixel further right and down.
                let right = if left >= x { away(left, x) + 0.5 } else { 0.5 - away(left, x) };
                let below = if top >= y { away(top, y) + 0.5 } else { 0.5 - away(top, y) };
                self.mix((left, top), color, part(right, below));
            }
        }
    }

    /// Fills a circle.
    pub fn disc(&mut self, middle: (u32, u32), radius: u32, color: Rgb) {
        let edge = f32::from(u8::try_from(radius).unwrap_or(u8::MAX));
        self.around(middle, radius + 1, color, |right, below| edge + 0.5 - right.hypot(below));
    }

    /// Draws a circle's outline; `gaps` draws it dashed.
    pub fn ring(&mut self, middle: (u32, u32), radius: u32, gaps: bool, color: Rgb) {
        let edge = f32::from(u8::try_from(radius).unwrap_or(u8::MAX));
        self.around(middle, radius + 3, color, |right, below| {
            let turn = below.atan2(right) / std::f32::consts::TAU + 0.5;
            let gap = gaps && (turn * GAPS).fract() >= 0.5;
            let off_line = (right.hypot(below) - edge).abs();
            if gap { 0.0 } else { HALF_LINE + 0.5 - off_line }
        });
    }

    /// A square standing on a corner.
    pub fn diamond(&mut self, middle: (u32, u32), radius: u32, color: Rgb) {
        let edge = f32::from(u8::try_from(radius).unwrap_or(u8::MAX));
        self.around(middle, radius + 1, color, |right, below| {
            HALF_LINE - (right.abs() + below.abs() - edge).abs() / std::f32::consts::SQRT_2
        });
    }

    /// A line of text centred on a point, drawn as capitals, digits and signs.
    pub fn text(&mut self, (x, y): (u32, u32), text: &str, color: Rgb) {
        let letters = u32::try_from(text.chars().count()).unwrap_or(0);
        let left = (x + POINT / 2).saturating_sub(letters * STEP / 2);
        let top = y.saturating_sub(HEIGHT * POINT / 2);
        for (nth, letter) in (0..letters).zip(text.chars()) {
            for (row, points) in (0..HEIGHT).zip(rows_of(letter.to_ascii_uppercase())) {
                for column in (0..WIDTH).filter(|column| points >> (WIDTH - 1 - column) & 1 == 1) {
                    let corner = (left + nth * STEP + column * POINT, top + row * POINT);
                    self.fill(corner, (POINT, POINT), color);
                }
            }
        }
    }
}
