//! MAME's recording of inputs (.inp) for its system `genesis`.
//!
//! It contains no state and starts with power on. Each frame has its time and the raw values of all input ports, in MAME's order, so that a
//! recording fits the versions whose ports are the same. Another version says "Out of sync" and stops the playback.
//!
//! Source: MAME 0.251, emu/ioport.cpp, emu/inpttype.h; what it records itself.

use super::movie_files::{packing, pad_byte, require_genesis};
use super::{ExportError, Movie};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use nextscope_games::profile::Profile;
use std::io::Write as _;

const HEADER: usize = 0x40;
const SYSTEM: usize = 0x14;
const SYSTEM_NAME: &[u8] = b"genesis";
const APPLICATION: usize = 0x20;
const VERSION: u8 = 3;

/// A frame of an NTSC console: 262 lines of 3420 master clocks at 53.693175 MHz, rounded up as MAME does.
const FRAME_ATTOSECONDS: u64 = 16_688_154_500_083_112;
const SECOND_ATTOSECONDS: u64 = 1_000_000_000_000_000_000;
/// The speed of the emulation, for the average that is shown at the end: 100 %.
const SPEED: u32 = 1 << 20;
/// What a port reads without input; a pressed button inverts its bit.
const RESET_PORT: u32 = 0;
const PAD_PORT: u32 = 0xFF;

impl Movie {
    /// MAME's recording of inputs (.inp) for the system `genesis`, from power on: for MAME 0.251 and others with the same ports.
    ///
    /// # Errors
    /// For any console other than the Mega Drive.
    pub fn inp(&self, profile: &Profile) -> Result<Vec<u8>, ExportError> {
        require_genesis(profile)?;
        let mut header = b"MAMEINP\0".to_vec();
        header.resize(HEADER, 0);
        header[0x10] = VERSION;
        header[SYSTEM..][..SYSTEM_NAME.len()].copy_from_slice(SYSTEM_NAME);
        let application = self.title("Nextscope");
        header[APPLICATION..][..application.len()].copy_from_slice(application.as_bytes());
        let mut encoder = ZlibEncoder::new(header, Compression::default());
        // The time since power on, which may be longer than 64 bits of attoseconds are.
        let (mut seconds, mut attoseconds) = (0_u32, 0_u64);
        for [one, two] in self.pads() {
            let mut frame = seconds.to_le_bytes().to_vec();
            frame.extend(attoseconds.to_le_bytes());
            frame.extend(SPEED.to_le_bytes());
            let pads = [one, two].map(|pad| (PAD_PORT, u32::from(pad_byte(pad))));
            for (default, pressed) in [(RESET_PORT, 0)].into_iter().chain(pads) {
                frame.extend(default.to_le_bytes());
                frame.extend(pressed.to_le_bytes());
            }
            encoder.write_all(&frame).map_err(packing)?;
            attoseconds += FRAME_ATTOSECONDS;
            if attoseconds >= SECOND_ATTOSECONDS {
                (seconds, attoseconds) = (seconds + 1, attoseconds - SECOND_ATTOSECONDS);
            }
        }
        encoder.finish().map_err(packing)
    }
}
