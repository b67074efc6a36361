//! The options that commands share, and their meaning.

use super::{Clock, DeclaredDealer, Program};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::profile::Profile;
use std::sync::Arc;

pub(super) const PROFILE: OptionSpec = OptionSpec::new(
    "profile",
    OptionKind::Profile,
    "Profile with the [randomizer]: the id of a known one, or a .toml file",
)
.value_name("PROFILE");

pub(super) const STEPS: OptionSpec = OptionSpec::new(
    "steps",
    OptionKind::Number(0, 1_000_000),
    "Generator steps before each deal besides its draws: frames, or other calls [default: 1 for a generator that frames step, \
     otherwise 0]",
)
.value_name("K");

/// A randomizer as the commands use it.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub program: Arc<Program>,
    /// The id of the profile.
    pub profile: String,
    /// Steps before each deal; None if the declaration has none.
    pub steps: Option<u32>,
}

impl Chosen {
    pub fn new(values: &OptionValues) -> Result<Self, String> {
        Self::of_profile(values.profile("profile").map(AsRef::as_ref), values.number("steps"))
    }

    pub fn of_profile(profile: Option<&Profile>, given: Option<u32>) -> Result<Self, String> {
        let profile = profile.ok_or(
            "give --profile with the id of a profile that has a [randomizer], or with its .toml file",
        )?;
        let id = &profile.id;
        if profile.piece_codes.is_some() {
            return Err(format!(
                "profile {id} has no [randomizer]: its [piece_codes] say only where RAM has the pieces to come, so that nothing follows from a seed; \
                 `nextscope watch` and `nextscope verify` follow the game"
            ));
        }
        let randomizer = profile.randomizer.clone().ok_or_else(|| {
            let game = profile.game;
            format!("profile {id} declares no [randomizer]: its game is {game}, so give {game} in place of declared")
        })?;
        // A profile with a problem is refused when it is read.
        let program = Program::new(randomizer).map_err(|problems| {
            problems.first().map_or_else(String::new, |problem| format!("profile {id}: {}", problem.message))
        })?;
        let description = program.description();
        let steps = match description.clock {
            Clock::Frames | Clock::Both => Some(given.unwrap_or(1)),
            Clock::Deals => {
                let most = u32::from(description.other_calls);
                if let Some(steps) = given.filter(|steps| *steps > most) {
                    return Err(if most == 0 {
                        format!(
                            "--steps: only deals step the generator of profile {id}; its [randomizer] has no `other_calls`"
                        )
                    } else {
                        format!(
                            "--steps {steps}: profile {id} declares at most {most} other calls before a deal"
                        )
                    });
                }
                (most > 0).then_some(given.unwrap_or(0))
            }
        };
        Ok(Self { program: Arc::new(program), profile: id.clone(), steps })
    }

    /// The dealer of a seed before its first deal.
    pub fn dealer(&self, seed: u64) -> DeclaredDealer {
        let mut dealer = DeclaredDealer::new(Arc::clone(&self.program), seed);
        dealer.set_gap(self.steps.unwrap_or(0));
        dealer
    }

    /// A seed with all its digits.
    pub fn seed_text(&self, seed: u64) -> String {
        format!("0x{seed:0digits$X}", digits = usize::from(self.program.description().seed.bits).div_ceil(4))
    }

    /// The generator's state with all its digits.
    pub fn state_text(&self, dealer: &DeclaredDealer) -> String {
        let digits = usize::from(self.program.description().generator.width()).div_ceil(4);
        format!("{:digits$}", dealer.state())
    }

    /// A seed from the text of a user: decimal, or hexadecimal with 0x or $.
    pub fn parse_seed(&self, text: &str) -> Result<u64, String> {
        let trimmed = text.trim();
        let digits = trimmed.strip_prefix("0x").or_else(|| trimmed.strip_prefix("0X"));
        let number = match digits.or_else(|| trimmed.strip_prefix('$')) {
            // `from_str_radix` alone would allow a sign.
            Some(digits) if digits.starts_with('+') => None,
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => trimmed.parse().ok(),
        };
        let most = self.program.largest_seed();
        number
            .filter(|seed| *seed <= most)
            .ok_or_else(|| format!("invalid seed {text:?}: expected 0x0 to {most:#X}, or 0 to {most}"))
    }
}
