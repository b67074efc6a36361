//! `route --states-from --out`: movies from power on that wait, press the button that starts the round, and play the route.

use super::arguments::Arguments;
use super::waiting::{PressFrames, RecordedState, Starts};
use super::{file_options, write};
use crate::cli::exit::{Failure, bail_input};
use crate::cli::output;
use crate::profile::Profile;
use crate::round_starts::opening;
use crate::route::Route;
use crate::route::export::{LeadIn, is_movie};
use crate::text::frames_text;
use std::path::PathBuf;

pub struct TimedMovies<'a> {
    arguments: &'a Arguments,
    profile: Option<&'a Profile>,
    starts: Option<&'a Starts>,
}

impl<'a> TimedMovies<'a> {
    /// Checks what movies need, before the search.
    pub fn of(
        arguments: &'a Arguments,
        profile: Option<&'a Profile>,
        starts: Option<&'a Starts>,
    ) -> anyhow::Result<Self> {
        let movies: Vec<&PathBuf> = arguments.out.iter().filter(|file| is_movie(file)).collect();
        if let Some(movie) = movies.first() {
            let is_offered =
                starts.is_some_and(|starts| starts.waits.iter().any(|wait| !wait.offers.is_empty()));
            if !is_offered {
                let why = starts.map_or_else(|| "there is no clock".into(), Starts::why_none);
                bail_input!("--out {}: no press can be timed: {why}", movie.display());
            }
            if arguments.many.clock_offset.is_none() {
                let what = format!(
                    "--out {}: a movie needs --clock-offset, the number of its frames before the first that the game's clock counts",
                    movie.display()
                );
                let hint = "docs/routes.md, Seeds by time, says how to find it for your emulator";
                return Err(Failure::BadInput(what).with_hint(hint).into());
            }
        }
        Ok(Self { arguments, profile, starts })
    }

    /// Writes all files for the route of this state.
    pub fn write(&self, route: &Route, state: Option<&RecordedState>) -> anyhow::Result<()> {
        let press = state.and_then(|state| state.press.as_ref());
        for file in &self.arguments.out {
            let lead_in = match press {
                Some(press) if is_movie(file) => self.lead_in(press)?,
                _ => LeadIn::default(),
            };
            let press = lead_in.press();
            let options = file_options(self.arguments, self.profile, lead_in);
            write(file, route, options, self.arguments.force)?;
            if let Some(press) = press {
                output::note(format_args!("the round is started in frame {press} of the movie"));
            }
        }
        Ok(())
    }

    /// The frames of a movie before the first pair.
    fn lead_in(&self, press: &PressFrames) -> anyhow::Result<LeadIn> {
        let found = self.starts.and_then(|starts| Some((starts, starts.waits.get(press.wait)?)));
        let Some((starts, wait)) = found else { bail_input!("no press can be timed") };
        let opening = opening(&starts.runs, wait, press.first)
            .map_err(|error| Failure::BadInput(format!("no movie: {error}")))?;
        for frames in &opening.assumed {
            output::note(format_args!(
                "{} since power on: not sampled; the movie holds the buttons that were held before and after",
                frames_text(*frames.start(), *frames.end())
            ));
        }
        if let Some((least, most)) = wait.first_pair_delay().filter(|(least, most)| least > most) {
            output::warning(format_args!(
                "from the press to the first pair it took {most} and {least} frames: the movie waits for the longer time"
            ));
        }
        Ok(LeadIn::recorded(self.arguments.many.clock_offset.unwrap_or(0), &opening))
    }
}
