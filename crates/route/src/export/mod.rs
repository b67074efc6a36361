//! Exports routes as links, tables, images and movies.

mod animation;
mod chainsim;
mod draw;
mod file;
mod listing;
mod movie;
mod movie_files;
mod movie_mame;
mod movie_mednafen;
mod picture;
mod puyop;
mod script;
mod svg;

pub use animation::{Scene, scenes};
pub use chainsim::{chainsim_digits, chainsim_link};
pub use draw::Mark;
pub use file::{FILE_FORMS, FileError, FileOptions, is_movie, route_file};
pub use listing::{ListedBoard, ListedPair, Listing};
pub use movie::{LeadIn, Movie};
pub use picture::{board_png, route_apng, route_png};
pub use puyop::{LinkError, LinkSteps, puyop_link, puyop_steps};
pub use script::lua_string;
pub use svg::{board_svg, route_svg, route_svg_animated};

use super::{Route, UnreachablePlacement};
use nextscope_boards::picture::PictureError;
use nextscope_boards::puyo::FieldError;

/// Why a route cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The format cannot represent the board.
    #[error(transparent)]
    Board(#[from] FieldError),
    /// No inputs bring a pair to its placement.
    #[error(transparent)]
    UnreachablePlacement(#[from] UnreachablePlacement),
    /// The format has no falling garbage.
    #[error(
        "garbage falls after pair {pair}, and {what} cannot contain that: use .json, .csv, .svg, .png or .apng, or a route on which everything is offset"
    )]
    Garbage {
        /// The number of the pair.
        pair: usize,
        /// The format.
        what: &'static str,
    },
    /// The format does not support the console or the rules.
    #[error("{0}")]
    Unsuited(&'static str),
    /// The profile lacks addresses that a script watches.
    #[error(
        "a script watches the game's RAM, and the profile {profile} lacks these fields: {missing}; add them to a profile of your own"
    )]
    NoAddresses {
        /// The profile.
        profile: String,
        /// The names of the fields, separated by commas.
        missing: String,
    },
    /// The image could not be encoded.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The data could not be packed.
    #[error("{what} could not be written: {why}")]
    Packing {
        /// The format.
        what: &'static str,
        /// The error of the packer.
        why: String,
    },
}

/// Refuses a route on which garbage falls.
fn refuse_garbage(route: &Route, what: &'static str) -> Result<(), ExportError> {
    match route.steps.iter().position(|step| step.garbage.fell > 0) {
        Some(step) => Err(ExportError::Garbage { pair: step + 1, what }),
        None => Ok(()),
    }
}
