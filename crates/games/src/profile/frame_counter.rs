//! The field in which a game counts its frames.

use super::Profile;
use nextscope_memory::ReadError;
use nextscope_memory::console::{ConsoleAddr, Endian, Ram, ReadPlan, Snapshot};

const FIELD: &str = "frame_counter";

/// The profile's field `frame_counter`.
#[derive(Clone, Copy, Debug)]
pub struct FrameCounter {
    address: ConsoleAddr,
    /// Its length in bytes: 1, 2 or 4.
    bytes: usize,
    /// Whether each frame takes from it, as the profile's liveness says.
    descends: bool,
    endian: Endian,
}

impl FrameCounter {
    /// None when the profile has none.
    pub fn of(profile: &Profile) -> Option<Self> {
        let field = profile.field(FIELD)?;
        let bytes = match field.len() {
            0 | 1 => 1,
            2 | 3 => 2,
            _ => 4,
        };
        let mut liveness = profile.liveness.iter().filter(|liveness| liveness.field == FIELD);
        let descends = liveness.any(|liveness| liveness.per_frame < 0);
        Some(Self { address: field.address, bytes, descends, endian: profile.console.domain().endian })
    }

    fn number(self, bytes: &[u8]) -> u32 {
        u32::try_from(self.endian.number(bytes)).unwrap_or(0) // four bytes at most
    }

    /// Its value now.
    pub fn now(self, ram: &Ram) -> Result<u32, ReadError> {
        let mut bytes = [0; 4];
        let bytes = &mut bytes[..self.bytes];
        ram.read(self.address, bytes)?;
        Ok(self.number(bytes))
    }

    /// Its values right before and right after a sample, and the sample, all read in one call; None as for [`Ram::sample_between`].
    pub fn around_sample(self, ram: &Ram, plan: &ReadPlan) -> Option<(u32, Snapshot, u32)> {
        let (mut before, mut after) = ([0; 4], [0; 4]);
        let (before, after) = (&mut before[..self.bytes], &mut after[..self.bytes]);
        let snapshot = ram.sample_between(plan, self.address, before, after)?;
        Some((self.number(before), snapshot, self.number(after)))
    }

    /// Its value in a snapshot; None when that does not contain it.
    pub fn value_in(self, snapshot: &Snapshot) -> Option<u32> {
        Some(self.number(snapshot.bytes(self.address, self.bytes).ok()?))
    }

    /// Frames from one value to the other.
    pub fn elapsed(self, from: u32, to: u32) -> u64 {
        let frames = if self.descends { from.wrapping_sub(to) } else { to.wrapping_sub(from) };
        u64::from(match self.bytes {
            1 => frames & 0xFF,
            2 => frames & 0xFFFF,
            _ => frames,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::parse;

    #[test]
    fn frames_are_counted_up_or_down() {
        let counter = |per_frame: &str, kind: &str| {
            let text = format!(
                "id = \"x\"\nname = \"x\"\nconsole = \"nes\"\nstatus = \"learned\"\n{per_frame}\n\
                 [fields]\nframe_counter = {{ address = 0x10, type = \"{kind}\", source = \"a test\" }}\n\
                 next = {{ address = 0x20, type = \"u8\", source = \"a test\" }}\n\
                 [piece_codes]\nkinds = [\"I\", \"J\"]\ncodes = [0, 1]\n"
            );
            let (profile, found) = parse(&text, "x.toml");
            FrameCounter::of(&profile.unwrap_or_else(|| panic!("{found:?}"))).unwrap()
        };
        let liveness =
            |per_frame: i8| format!("[[liveness]]\nfield = \"frame_counter\"\nper_frame = {per_frame}\n");
        for per_frame in [String::new(), liveness(1)] {
            assert_eq!(counter(&per_frame, "u8").elapsed(0xFE, 1), 3);
            assert_eq!(counter(&per_frame, "u16").elapsed(0xFFFE, 1), 3);
        }
        assert_eq!(counter(&liveness(-1), "u8").elapsed(1, 0xFE), 3);
        assert_eq!(counter(&liveness(-1), "u32").elapsed(1, 0xFFFF_FFFE), 3);
    }
}
