//! Pochi & Nyaa (Neo Geo MVS): its boards are read; its randomizer is not known.

mod definition;
pub mod live;

pub(super) use definition::GAME;
