//! Exported images: canvas, letters, colours and encoders.

mod canvas;
mod drawing;
mod encode;
mod font;
pub mod icon;
pub mod palette;

pub use canvas::Canvas;
pub use drawing::{Drawing, Shape, escaped};
pub use encode::PictureError;
pub use encode::encoded;
