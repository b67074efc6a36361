//! Movie files for emulators: BizHawk, Gens and DeSmuME.
//!
//! RetroArch movies are not written. Those up to 1.15 (.bsv) are the answers to each question that the core asks about a button, in order and
//! without the question: Genesis Plus GX asks 32 times a frame, PicoDrive four times. Those of later versions (.replay) begin with a state that
//! only RetroArch can make, except in a variant that was not played with any version.

use super::super::inputs::Input;
use super::{ExportError, Movie};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use nextscope_games::profile::Profile;
use nextscope_games::round_starts::PadButtons;
use nextscope_memory::console::ConsoleId;
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::fmt::Write as _;
use std::io::Write as _;

/// BizHawk's buttons of two three-button pads, in the order of its log (tasvideos.org, BizHawk/BK2Format; the core Genplus-gx).
const LOG_KEY: &str = "LogKey:#Power|Reset|\
    #P1 Up|P1 Down|P1 Left|P1 Right|P1 A|P1 B|P1 C|P1 Start|\
    #P2 Up|P2 Down|P2 Left|P2 Right|P2 A|P2 B|P2 C|P2 Start|";
/// The sync settings of that core for these pads, as BizHawk writes them.
const SYNC_SETTINGS: &str = r#"{"o":{"$type":"BizHawk.Emulation.Cores.Consoles.Sega.gpgx.GPGX+GPGXSyncSettings, BizHawk.Emulation.Cores","UseSixButton":false,"ControlTypeLeft":1,"ControlTypeRight":1}}"#;
/// The length of the header of a Gens movie, and of the name in it (tasvideos.org, EmulatorResources/Gens/GMV).
const GMV_HEADER: usize = 0x40;
const GMV_NAME: usize = 40;
/// DeSmuME's buttons in the order of its log (desmume, movie.cpp).
const DS_PAD: &str = "RLDUTSBAYXWEG";

const NOT_GENESIS: ExportError = ExportError::Unsuited(
    "movies for BizHawk, Gens, Mednafen and MAME are for the Mega Drive only: for the Nintendo DS write a .dsm",
);
const NOT_DS: ExportError = ExportError::Unsuited(
    "movies for DeSmuME are for the Nintendo DS only: for the Mega Drive write a .bk2, .gmv, .mcm or .inp",
);

const OTHER_BUTTONS: ExportError = ExportError::Unsuited(
    "movies for DeSmuME have no buttons before the first pair: a recorded wait is for the Mega Drive",
);

/// The buttons in the order of BizHawk and of Gens.
const PAD: [(PadButtons, char); 8] = [
    (PadButtons::UP, 'U'),
    (PadButtons::DOWN, 'D'),
    (PadButtons::LEFT, 'L'),
    (PadButtons::RIGHT, 'R'),
    (PadButtons::A, 'A'),
    (PadButtons::B, 'B'),
    (PadButtons::C, 'C'),
    (PadButtons::START, 'S'),
];

impl Movie {
    /// BizHawk's movie (.bk2): a zip of texts, for the core Genplus-gx with three-button pads, played by player 1.
    ///
    /// # Errors
    /// For any console other than the Mega Drive.
    pub fn bk2(&self, profile: &Profile) -> Result<Vec<u8>, ExportError> {
        let log = self.input_log(profile)?;
        let header = format!(
            "MovieVersion BizHawk v2.0.0\nAuthor Nextscope\nPlatform GEN\nGameName {}\nCore Genplus-gx\nrerecordCount 0\n\
             StartsFromSavestate False\n",
            profile.name
        );
        let comments = self.remarks().join("\n") + "\n";
        let mut archive = ZipArchiveWriter::new(Vec::new());
        for (name, text) in [
            ("Header.txt", header.as_str()),
            ("Comments.txt", &comments),
            ("SyncSettings.json", SYNC_SETTINGS),
            ("Input Log.txt", &log),
        ] {
            add(&mut archive, name, text).map_err(packing)?;
        }
        archive.finish().map_err(packing)
    }

    /// The input log of a BizHawk movie: one line per frame.
    ///
    /// # Errors
    /// For any console other than the Mega Drive.
    pub fn input_log(&self, profile: &Profile) -> Result<String, ExportError> {
        require_genesis(profile)?;
        let mut log = format!("[Input]\n{LOG_KEY}\n");
        for pads in self.pads() {
            let [one, two] = pads.map(log_pad);
            let _ = writeln!(log, "|..|{one}|{two}|"); // writing to a String cannot fail
        }
        log.push_str("[/Input]\n");
        Ok(log)
    }

    /// Gens movie (.gmv): a header of 64 bytes and three bytes per frame, with one bit for each button that is not pressed.
    ///
    /// # Errors
    /// For any console other than the Mega Drive.
    pub fn gmv(&self, profile: &Profile) -> Result<Vec<u8>, ExportError> {
        require_genesis(profile)?;
        let name = self.title("Nextscope route");
        let mut bytes = b"Gens Movie TESTA".to_vec();
        bytes.extend(0u32.to_le_bytes()); // no rerecords
        bytes.extend(*b"33\0\0"); // three-button pads; 60 frames a second, from power on, two players
        bytes.extend(name.bytes().take(GMV_NAME - 1));
        bytes.resize(GMV_HEADER, 0);
        for pads in self.pads() {
            let [one, two] = pads.map(gmv_pad);
            bytes.extend([!one, !two, 0xFF]);
        }
        Ok(bytes)
    }

    /// DeSmuME movie (.dsm) version 2, which 0.9.12 and later play: text with one line per frame.
    ///
    /// # Errors
    /// For any console other than the Nintendo DS.
    pub fn dsm(&self, profile: &Profile) -> Result<String, ExportError> {
        if profile.console != ConsoleId::Nds {
            return Err(NOT_DS);
        }
        if !self.lead_in.is_idle() {
            return Err(OTHER_BUTTONS);
        }
        let serial = profile.roms.iter().find_map(|rom| rom.serial.as_deref()).unwrap_or("UNKNOWN");
        let mut text = format!(
            "version 2\nemuVersion 0\nrerecordCount 0\nromFilename {}\nromChecksum 00000000\nromSerial NTR-{serial}\n\
             guid 00000000-0000-0000-0000-000000000000\n",
            profile.id
        );
        for remark in self.remarks() {
            let _ = writeln!(text, "comment {remark}");
        }
        text.push_str("savestate 0\n");
        for held in self.held() {
            // On this pad A is on the right: it rotates clockwise.
            let swapped = match held {
                Some(Input::Anticlockwise) => Some(Input::Clockwise),
                Some(Input::Clockwise) => Some(Input::Anticlockwise),
                other => other,
            };
            let pad: String = DS_PAD.chars().map(|button| shown(swapped, button)).collect();
            let _ = writeln!(text, "|0|{pad}000 000 0 000|");
        }
        Ok(text)
    }
}

pub(super) fn require_genesis(profile: &Profile) -> Result<(), ExportError> {
    if profile.console == ConsoleId::Genesis { Ok(()) } else { Err(NOT_GENESIS) }
}

fn log_pad(held: PadButtons) -> String {
    PAD.iter().map(|(button, letter)| if held.has(*button) { *letter } else { '.' }).collect()
}

fn gmv_pad(held: PadButtons) -> u8 {
    let bits = PAD.iter().enumerate().filter(|(_, (button, _))| held.has(*button));
    bits.fold(0, |byte, (bit, _)| byte | 1 << bit)
}

/// The pressed buttons of a Mega Drive pad, as Mednafen and MAME number them: up, down, left, right, B, C, A, Start from bit 0 on, which is how
/// games store them.
pub(super) fn pad_byte(held: PadButtons) -> u8 {
    held.0
}

/// The letter of the button if it is pressed, otherwise a dot.
fn shown(held: Option<Input>, button: char) -> char {
    if held.is_some_and(|held| held.letter() == button) { button } else { '.' }
}

pub(super) fn packing(error: impl std::fmt::Display) -> ExportError {
    ExportError::Packing { what: "the movie", why: error.to_string() }
}

fn add(archive: &mut ZipArchiveWriter<Vec<u8>>, name: &str, text: &str) -> Result<(), rawzip::Error> {
    let mut file = archive.new_file(name).compression_method(CompressionMethod::DEFLATE);
    // A fixed time, so that equal movies give equal files.
    if let Some(first_day) = UtcDateTime::from_components(1980, 1, 1, 0, 0, 0, 0) {
        file = file.last_modified(first_day);
    }
    let (mut entry, config) = file.start()?;
    let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
    writer.write_all(text.as_bytes())?;
    let (encoder, descriptor) = writer.finish()?;
    encoder.finish()?;
    entry.finish(descriptor)?;
    Ok(())
}
