//! Routes in the forms that people pass on: links, tables, pictures, movies.

mod animation;
mod chainsim;
mod draw;
mod listing;
mod movie;
mod movie_files;
mod picture;
mod puyop;
mod svg;

pub use animation::{Scene, scenes};
pub use chainsim::{chainsim_digits, chainsim_link};
pub use draw::Mark;
pub use listing::{Listed, ListedBoard, Listing};
pub use movie::Movie;
pub use picture::{board_png, route_apng, route_png};
pub use puyop::{LinkError, LinkSteps, puyop_link, puyop_steps};
pub use svg::{board_svg, route_svg, route_svg_animated};

use super::OutOfReach;
use crate::picture::PictureError;
use crate::puyo::FieldError;

/// Why a route cannot be written in some form.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The board has something that the form cannot hold.
    #[error(transparent)]
    Board(#[from] FieldError),
    /// No buttons bring a pair to its place.
    #[error(transparent)]
    OutOfReach(#[from] OutOfReach),
    /// The form does not suit the console or the rules.
    #[error("{0}")]
    Unsuited(&'static str),
    /// No picture came of it.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// What packs the form said no.
    #[error("{what} could not be written: {why}")]
    Packing {
        /// The form.
        what: &'static str,
        /// What was said.
        why: String,
    },
}
