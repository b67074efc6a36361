//! An image as a list of shapes, rendered to SVG and PNG.

use super::canvas::Canvas;
use super::encode::{PictureError, encoded};
use super::palette::{Rgb, hex};
use std::fmt::Write as _;

/// Pixels from the left and from the top.
pub type Point = (u32, u32);

/// A shape of a drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A filled rectangle: upper left corner, width and height.
    Fill(Point, (u32, u32), Rgb),
    /// A filled circle: centre and radius.
    Disc(Point, u32, Rgb),
    /// The outline of a circle.
    Ring(Point, u32, Rgb),
    /// The outline of a square standing on a corner.
    Diamond(Point, u32, Rgb),
    /// A line of text around its centre.
    Text(Point, String, Rgb),
}

/// Font size of SVG text, in pixels.
const FONT: u32 = 15;

/// Shapes on a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drawing {
    /// In points.
    pub width: u32,
    /// In points.
    pub height: u32,
    /// Colour of the background.
    pub page: Rgb,
    /// In drawing order.
    pub shapes: Vec<Shape>,
}

impl Drawing {
    /// The drawing as SVG, with a title for screen readers.
    pub fn svg(&self, title: &str) -> String {
        let mut svg = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut svg, title);
        svg
    }

    fn write(&self, svg: &mut String, title: &str) -> std::fmt::Result {
        let Self { width, height, page, .. } = self;
        writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" font-family=\"sans-serif\" font-size=\"{FONT}\" text-anchor=\"middle\">"
        )?;
        writeln!(svg, "<title>{}</title>", escaped(title))?;
        writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>", hex(*page))?;
        for shape in &self.shapes {
            match shape {
                Shape::Fill((x, y), (width, height), color) => writeln!(
                    svg,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
                    hex(*color)
                ),
                Shape::Disc((x, y), radius, color) => {
                    writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\"/>", hex(*color))
                }
                Shape::Ring((x, y), radius, color) => writeln!(
                    svg,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\" stroke=\"{}\" stroke-width=\"3\"/>",
                    hex(*color)
                ),
                Shape::Diamond((x, y), radius, color) => writeln!(
                    svg,
                    "<path transform=\"translate({x} {y})\" d=\"M0 -{radius}L{radius} 0L0 {radius}L-{radius} 0Z\" fill=\"none\" \
                     stroke=\"{}\" stroke-width=\"3\"/>",
                    hex(*color)
                ),
                Shape::Text((x, y), text, color) => {
                    let y = y + FONT / 3;
                    writeln!(
                        svg,
                        "<text x=\"{x}\" y=\"{y}\" fill=\"{}\">{}</text>",
                        hex(*color),
                        escaped(text)
                    )
                }
            }?;
        }
        svg.push_str("</svg>\n");
        Ok(())
    }

    /// The drawing as PNG.
    pub fn png(&self) -> Result<Vec<u8>, PictureError> {
        let mut canvas = Canvas::new(self.width, self.height, self.page);
        for shape in &self.shapes {
            match shape {
                Shape::Fill(corner, size, color) => canvas.fill(*corner, *size, *color),
                Shape::Disc(middle, radius, color) => canvas.disc(*middle, *radius, *color),
                Shape::Ring(middle, radius, color) => canvas.ring(*middle, *radius, false, *color),
                Shape::Diamond(middle, radius, color) => canvas.diamond(*middle, *radius, *color),
                Shape::Text(middle, text, color) => canvas.text(*middle, text, *color),
            }
        }
        encoded(&[canvas], &[])
    }
}

/// Removes control characters, which XML cannot represent.
pub fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
