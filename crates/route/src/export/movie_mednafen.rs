//! Mednafen's movie (.mcm): a save state, and for each frame a byte of commands and the data of the input ports.
//!
//! Source: Mednafen 1.32, movie.cpp, state.cpp, md/system.cpp and md/input/gamepad.cpp; played with 1.29.

use super::movie_files::{pad_byte, require_genesis};
use super::{ExportError, Movie};
use nextscope_games::profile::Profile;

/// Sections without which no state of the module md is loaded. What a section lacks stays as it is, and the first frame switches the console
/// off and on: all of them are empty. The last one belongs to boards with a mapper.
const SECTIONS: [&str; 7] = ["MAIN", "Z80", "IO", "VDP", "SND", "M68K", "CARTBOARD"];
const SECTION_NAME: usize = 32;
const HEADER: usize = 32;
/// The version that wrote the state: 1.29.0. From 0.9.39 on, a state has the section M68K.
const VERSION: u32 = 0x0010_2900;
/// The command that switches the console off and on, and the end of a frame's commands.
const POWER: u8 = 2;
const END_OF_COMMANDS: u8 = 0;
/// The module md has eight ports. The pad of three buttons, which is plugged into all of them by default, has a byte.
const OTHER_PORTS: [u8; 6] = [0; 6];

impl Movie {
    /// Mednafen's movie (.mcm) for the module md with pads of three buttons, from power on.
    ///
    /// # Errors
    /// For any console other than the Mega Drive.
    pub fn mcm(&self, profile: &Profile) -> Result<Vec<u8>, ExportError> {
        require_genesis(profile)?;
        let mut bytes = empty_state();
        let mut commands = vec![POWER];
        for pads in self.pads() {
            bytes.append(&mut commands);
            bytes.push(END_OF_COMMANDS);
            bytes.extend(pads.map(pad_byte));
            bytes.extend(OTHER_PORTS);
        }
        Ok(bytes)
    }
}

fn empty_state() -> Vec<u8> {
    let mut state = b"MDFNSVST".to_vec();
    state.extend([0; 8]); // when it was saved
    state.extend(VERSION.to_le_bytes());
    let section = SECTION_NAME + size_of::<u32>();
    let length = u32::try_from(HEADER + SECTIONS.len() * section).unwrap_or_default();
    state.extend(length.to_le_bytes());
    state.resize(HEADER, 0); // no preview
    for name in SECTIONS {
        let end = state.len() + section;
        state.extend(name.bytes());
        state.resize(end, 0); // and no variables
    }
    state
}
