//! Exported images: canvas, letters, colours and encoders.

mod canvas;
mod drawing;
mod encode;
mod font;
pub mod icon;
pub(crate) mod palette;

pub(crate) use canvas::Canvas;
pub(crate) use drawing::{Drawing, Shape, escaped};
pub use encode::PictureError;
pub(crate) use encode::encoded;
