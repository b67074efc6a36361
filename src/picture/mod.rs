//! Exported images: canvas, letters, colours and encoders.

mod canvas;
mod drawing;
mod encode;
pub mod icon;
mod letters;
pub(crate) mod look;

pub(crate) use canvas::Canvas;
pub(crate) use drawing::{Drawing, Shape, escaped};
pub use encode::PictureError;
pub(crate) use encode::encoded;
