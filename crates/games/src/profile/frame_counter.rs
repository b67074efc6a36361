//! The field in which a game counts its frames.

use super::Profile;
use nextscope_memory::ReadError;
use nextscope_memory::console::{ConsoleAddr, Endian, Ram, Snapshot};

/// The profile's field `frame_counter`.
#[derive(Clone, Copy, Debug)]
pub struct FrameCounter {
    address: ConsoleAddr,
    /// Its length in bytes: 1, 2 or 4.
    bytes: usize,
    endian: Endian,
}

impl FrameCounter {
    /// None when the profile has none.
    pub fn of(profile: &Profile) -> Option<Self> {
        let field = profile.field("frame_counter")?;
        let bytes = match field.len() {
            0 | 1 => 1,
            2 | 3 => 2,
            _ => 4,
        };
        Some(Self { address: field.address, bytes, endian: profile.console.domain().endian })
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

    /// Its value in a snapshot; None when that does not contain it.
    pub fn value_in(self, snapshot: &Snapshot) -> Option<u32> {
        Some(self.number(snapshot.bytes(self.address, self.bytes).ok()?))
    }

    /// Frames from one value to the other.
    pub fn elapsed(self, from: u32, to: u32) -> u64 {
        let frames = to.wrapping_sub(from);
        u64::from(match self.bytes {
            1 => frames & 0xFF,
            2 => frames & 0xFFFF,
            _ => frames,
        })
    }
}
