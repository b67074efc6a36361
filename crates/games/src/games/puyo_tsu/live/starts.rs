//! What a sample shows while the game waits for a round.

use super::observe::observe;
use crate::games::puyo_tsu::{BOOT_STATE, State, generate};
use crate::live::reader::Reader;
use crate::profile::Profile;
use crate::round_starts::{PadButtons, PowerOnClock, StartReader, WaitMoment};
use nextscope_memory::console::{ConsoleId, Snapshot};
use std::hash::{DefaultHasher, Hash, Hasher};

pub const STARTS: StartReader = StartReader { read, missing, generates, power_on_state: BOOT_STATE.0 };

/// Grows by the same number with every vertical interrupt, unless the game holds it (reference 1.5).
const CLOCK: &str = "vint_counter";
const CLOCK_HOLD: &str = "vint_hold";
const PADS: [&str; 2] = ["p1_pad_held", "p2_pad_held"];

fn clock(profile: &Profile) -> Option<PowerOnClock> {
    PowerOnClock::of(profile.liveness.iter().find(|liveness| liveness.field == CLOCK)?)
}

fn missing(profile: &Profile) -> Vec<&'static str> {
    // What the bits of the pads mean on the arcade board, and which of them starts a round, was not studied.
    if profile.console != ConsoleId::Genesis {
        return vec!["the buttons of a Mega Drive pad"];
    }
    let fields = [CLOCK, CLOCK_HOLD].into_iter().chain(PADS);
    let mut missing: Vec<&str> = fields.filter(|field| profile.field(field).is_none()).collect();
    if missing.is_empty() && clock(profile).is_none() {
        missing.push("a [[liveness]] of vint_counter");
    }
    missing
}

fn read(snapshot: &Snapshot, profile: &Profile) -> Result<WaitMoment, String> {
    let observation = observe(snapshot, profile).map_err(|error| error.to_string())?;
    let reader = Reader { snapshot, profile };
    let text = |error: crate::live::ObserveError| error.to_string();
    let value = u32::from_be_bytes(reader.array(CLOCK).map_err(text)?);
    let clock = clock(profile).ok_or_else(|| format!("profile {} has no clock", profile.id))?;
    let mut pads = [PadButtons::NONE; 2];
    for (pad, field) in pads.iter_mut().zip(PADS) {
        *pad = PadButtons(reader.byte(field).map_err(text)?);
    }
    let mut pools = DefaultHasher::new();
    (observation.color_set, observation.pools).hash(&mut pools);
    Ok(WaitMoment {
        clock: clock.frame(value.into()),
        is_clock_held: reader.byte(CLOCK_HOLD).map_err(text)? != 0,
        pads,
        state: observation.state.0,
        pools: pools.finish(),
        dealt: observation.players[0].pairs_dealt,
    })
}

fn generates(snapshot: &Snapshot, profile: &Profile, state: u32) -> bool {
    let Ok(observation) = observe(snapshot, profile) else { return false };
    let round = generate(State(state), observation.setup);
    let is_same = |(generated, pool): (&Option<_>, _)| generated.as_ref().is_none_or(|made| made == pool);
    round.color_set == observation.color_set && round.pools.iter().zip(&observation.pools).all(is_same)
}
