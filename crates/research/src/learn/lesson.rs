//! From samples and written deals to a report and a profile.

use super::counter::{FrameCell, find as frame_counters};
use super::letters::{Hints, LettersError, WrittenDeals};
use super::notes::{Notes, NotesError, Timed};
use super::observed::ObservationError;
use super::profile::{LearnedProfile, ProfileGap, ProfileText};
use super::series::Series;
use super::{Report, learn};
use nextscope_memory::console::{ConsoleId, Endian};
use nextscope_task::Progress;

/// The longest id of a profile.
const ID_MOST: usize = 64;

/// What was learned, and from what.
#[derive(Clone, PartialEq, Debug)]
pub struct Lesson {
    /// The samples; those of a running game by its counter of frames, if there is one.
    pub series: Series,
    /// The counter.
    pub counter: Option<FrameCell>,
    /// The deals, and when each was made.
    pub timed: Timed,
    /// Deals before and after a pause that are left out: all deals together are not explained, and those without a pause are.
    pub other_games: usize,
    /// What is known of how the game deals.
    pub report: Report,
}

/// Why nothing can be learned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LessonError {
    /// The deals are not written well.
    #[error(transparent)]
    Letters(#[from] LettersError),
    /// It is not known when they were made.
    #[error(transparent)]
    Notes(#[from] NotesError),
    /// They and the samples do not go together.
    #[error(transparent)]
    Observations(#[from] ObservationError),
}

impl Lesson {
    /// Learns from samples and the deals that a player wrote. A stopped search gives what it knows. `is_live` says that the samples are those of a
    /// running game, whose frames were counted by the clock of the computer; a recording has the frames of its game.
    ///
    /// # Errors
    /// [`LessonError`].
    pub fn search(
        series: Series,
        order: Endian,
        is_live: bool,
        mut deals: WrittenDeals,
        hints: &Hints,
        progress: &Progress,
    ) -> Result<Self, LessonError> {
        let counter = frame_counters(&series, order).into_iter().next();
        let series = match counter.filter(|_| is_live) {
            Some(counter) => {
                let (counted, became) = series.counted_by(counter);
                deals = deals.in_samples(|sample| became.get(usize::try_from(sample).ok()?).copied());
                counted
            }
            None => series,
        };
        let notes = deals.notes(hints)?;
        let of_all = learned(&series, &notes, progress);
        let is_enough =
            of_all.as_ref().is_ok_and(|(_, report)| report.is_certain() || !report.lists.is_empty());
        let run = notes.longest_run().filter(|_| !is_enough && !progress.is_over());
        let of_run = run.and_then(|run| {
            let other_games = notes.noted.len() - run.len();
            let (timed, report) = learned(&series, &notes.part(run), progress).ok()?;
            report.followed().is_some().then_some((timed, report, other_games))
        });
        let (timed, report, other_games) = match of_run {
            Some(of_run) => of_run,
            None => of_all.map(|(timed, report)| (timed, report, 0))?,
        };
        Ok(Self { series, counter, timed, other_games, report })
    }

    /// Whether the pieces to come are known: by a certain rule, or from RAM.
    pub fn is_answered(&self) -> bool {
        self.report.is_certain() || self.report.is_list_only()
    }

    /// The text of a profile. `name` becomes its name and its id; `from` says what was learned from, and `by` which program learned it.
    ///
    /// # Errors
    /// [`ProfileGap`].
    pub fn profile(
        &self,
        name: &str,
        console: ConsoleId,
        from: &str,
        by: &str,
    ) -> Result<ProfileText, ProfileGap> {
        let allowed = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
        let id: String = name.to_lowercase().chars().map(allowed).take(ID_MOST).collect();
        let deals = self.timed.observed.dealt.len();
        let start = self.start().map_or_else(String::new, |start| format!("\nStart of a game: {start}."));
        let evidence = format!("Learned by {by} from {deals} deals of {from}.{start}");
        let profile = LearnedProfile {
            id: if id.is_empty() { "learned" } else { &id },
            name,
            console,
            series: &self.series,
            observed: &self.timed.observed,
            report: &self.report,
            counter: self.counter,
            evidence: &evidence,
        };
        profile.text()
    }
}

fn learned(series: &Series, notes: &Notes, progress: &Progress) -> Result<(Timed, Report), LessonError> {
    let timed = notes.locate(series, progress)?;
    let report = learn(series, &timed.observed, progress)?;
    Ok((timed, report))
}
