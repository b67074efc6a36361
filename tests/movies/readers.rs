//! Strict readers of movie files for the Mega Drive. They refuse what the emulator refuses, and what it would play differently from what the
//! file says. No program here plays the .bk2 of BizHawk and the .gmv of Gens; the others are also played by Mednafen and MAME (tests/real).
//!
//! Sources: tasvideos.org, Bizhawk/BK2Format and EmulatorResources/Gens/GMV; how BizHawk (BasicMovieInfo, Bk2Controller, ZipStateLoader),
//! Gens rerecording (movie.cpp), Mednafen (movie.cpp, state.cpp) and MAME (ioport.cpp) read them.

use flate2::read::{DeflateDecoder, ZlibDecoder};
use nextscope::demo::Buttons;
use std::collections::BTreeMap;
use std::io::Read;

/// The buttons of two pads in one frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PadFrame {
    pub pads: [Buttons; 2],
}

/// Names in both formats, and the order of Gens.
const BUTTONS: [(&str, Buttons); 8] = [
    ("Up", Buttons::UP),
    ("Down", Buttons::DOWN),
    ("Left", Buttons::LEFT),
    ("Right", Buttons::RIGHT),
    ("A", Buttons::A),
    ("B", Buttons::B),
    ("C", Buttons::C),
    ("Start", Buttons::START),
];

/// The entries of a zip by its own directory (APPNOTE 4.3), unpacked and checked.
///
/// # Errors
/// Says what is wrong with the archive.
pub fn unzip(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let slice = |at: usize, len: usize| bytes.get(at..at + len).ok_or("the archive is cut off");
    let u16_at =
        |at: usize| Ok::<_, &str>(usize::from(u16::from_le_bytes(slice(at, 2)?.try_into().unwrap())));
    let u32_at = |at: usize| Ok::<_, &str>(u32::from_le_bytes(slice(at, 4)?.try_into().unwrap()));
    if !bytes.starts_with(b"PK\x03\x04") {
        return Err("not an archive".into());
    }
    let end = (0..bytes.len().saturating_sub(21)).rev().find(|at| bytes[*at..].starts_with(b"PK\x05\x06"));
    let end = end.ok_or("the archive has no directory")?;
    let (count, mut at) = (u16_at(end + 10)?, u32_at(end + 16)? as usize);
    let mut entries = BTreeMap::new();
    for _ in 0..count {
        if slice(at, 4)? != b"PK\x01\x02" || u16_at(at + 10)? != 8 {
            return Err("an entry is damaged or not deflated".into());
        }
        let (packed, local) = (u32_at(at + 20)? as usize, u32_at(at + 42)? as usize);
        let name = String::from_utf8_lossy(slice(at + 46, u16_at(at + 28)?)?).into_owned();
        let data = local + 30 + u16_at(local + 26)? + u16_at(local + 28)?;
        let mut unpacked = Vec::new();
        DeflateDecoder::new(slice(data, packed)?)
            .read_to_end(&mut unpacked)
            .map_err(|error| format!("{name}: {error}"))?;
        let mut crc = flate2::Crc::new();
        crc.update(&unpacked);
        if crc.sum() != u32_at(at + 16)? {
            return Err(format!("{name}: wrong checksum"));
        }
        if entries.insert(name.clone(), unpacked).is_some() {
            return Err(format!("{name} is in it twice"));
        }
        at += 46 + u16_at(at + 28)? + u16_at(at + 30)? + u16_at(at + 32)?;
    }
    Ok(entries)
}

/// The frames of a .bk2 for the core Genplus-gx with two pads of three buttons, from power on.
///
/// # Errors
/// Says what BizHawk would refuse, or play in another way.
pub fn read_bk2(bytes: &[u8]) -> Result<Vec<PadFrame>, String> {
    read_bk2_entries(&unzip(bytes)?)
}

/// The same from the entries of the archive.
///
/// # Errors
/// As [`read_bk2`].
pub fn read_bk2_entries(entries: &BTreeMap<String, Vec<u8>>) -> Result<Vec<PadFrame>, String> {
    // BizHawk looks entries up without their extension.
    let mut texts = BTreeMap::new();
    for (name, content) in entries {
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let text = std::str::from_utf8(content).map_err(|_| format!("{name} is not UTF-8"))?;
        if texts.insert(stem, text).is_some() {
            return Err(format!("two entries are called {stem}"));
        }
    }
    let text = |name: &str| texts.get(name).copied().ok_or(format!("the entry {name} is missing"));
    if let Some(state) = ["Core", "CoreText", "MovieSaveRam"].iter().find(|name| texts.contains_key(*name)) {
        return Err(format!("it starts from a state: {state}"));
    }
    check_bk2_header(text("Header")?)?;
    check_bk2_settings(text("SyncSettings")?)?;
    read_bk2_log(text("Input Log")?)
}

fn check_bk2_header(text: &str) -> Result<(), String> {
    let mut header = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (key, value) = line.split_once(' ').ok_or(format!("header line without a value: {line:?}"))?;
        // Only the first one counts.
        header.entry(key).or_insert(value);
    }
    for (key, expected) in [
        ("MovieVersion", "BizHawk v2.0.0"),
        ("Platform", "GEN"),
        ("Core", "Genplus-gx"),
        ("StartsFromSavestate", "False"),
    ] {
        if header.get(key) != Some(&expected) {
            return Err(format!("header: {key} is {:?}, expected {expected:?}", header.get(key)));
        }
    }
    let rerecords = header.get("rerecordCount").and_then(|count| count.parse::<u64>().ok());
    rerecords.map(|_| ()).ok_or("header: rerecordCount is not a number".into())
}

fn check_bk2_settings(text: &str) -> Result<(), String> {
    // The last line that is not empty counts, so that all of it must be in one.
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let [line] = lines[..] else { return Err("the sync settings are not one line".into()) };
    let json: serde_json::Value =
        serde_json::from_str(line).map_err(|error| format!("sync settings: {error}"))?;
    let class = "BizHawk.Emulation.Cores.Consoles.Sega.gpgx.GPGX+GPGXSyncSettings, BizHawk.Emulation.Cores";
    let settings = &json["o"];
    let three_button_pads = settings["UseSixButton"] == false
        && settings["ControlTypeLeft"] == 1
        && settings["ControlTypeRight"] == 1;
    if settings["$type"] != class || !three_button_pads {
        return Err(format!("the sync settings are not those of two pads of three buttons: {settings}"));
    }
    Ok(())
}

/// The input log of a .bk2, which is also what a .log contains.
///
/// # Errors
/// Says what BizHawk would refuse, or play in another way.
pub fn read_bk2_log(text: &str) -> Result<Vec<PadFrame>, String> {
    let (mut key, mut frames) = (None, Vec::new());
    // An empty line ends the log.
    let lines: Vec<&str> = text.lines().collect();
    if lines.iter().any(|line| line.is_empty()) {
        return Err("an empty line ends the log".into());
    }
    if lines.first() != Some(&"[Input]") || lines.last() != Some(&"[/Input]") {
        return Err("the log is not between [Input] and [/Input]".into());
    }
    for line in &lines[1..lines.len() - 1] {
        if let Some(names) = line.strip_prefix("LogKey:") {
            key = Some(parse_log_key(names)?);
        } else if line.starts_with('|') {
            let key = key.as_ref().ok_or("a frame precedes the log key")?;
            frames.push(parse_log_line(line, key)?);
        } else {
            return Err(format!("unknown line: {line:?}"));
        }
    }
    Ok(frames)
}

/// Which button each character of a line is: None for Power and Reset, otherwise the pad and its button.
type LogKey = Vec<Option<(usize, Buttons)>>;

/// A name that the core's controllers do not have takes no character of a line, and what follows is read in a wrong place.
fn parse_log_key(names: &str) -> Result<LogKey, String> {
    let mut key = LogKey::new();
    let names: Vec<&str> = names.split(['#', '|']).filter(|name| !name.is_empty()).collect();
    for name in &names {
        let pad = ["P1 ", "P2 "].iter().position(|pad| name.starts_with(pad));
        key.push(match (pad, *name) {
            (None, "Power" | "Reset") => None,
            (Some(pad), _) => {
                let button = BUTTONS.iter().find(|(button, _)| *button == &name[3..]);
                Some((pad, button.ok_or(format!("the pad has no button {name:?}"))?.1))
            }
            _ => return Err(format!("the core has no button {name:?}")),
        });
    }
    let distinct: std::collections::BTreeSet<&&str> = names.iter().collect();
    if names.len() != 2 + 2 * BUTTONS.len() || distinct.len() != names.len() {
        return Err(format!("the log key does not name every button once: {names:?}"));
    }
    Ok(key)
}

fn parse_log_line(line: &str, key: &LogKey) -> Result<PadFrame, String> {
    let marks: Vec<char> = line.chars().filter(|mark| *mark != '|').collect();
    if marks.len() != key.len() {
        return Err(format!("{} buttons in {line:?}, {} in the log key", marks.len(), key.len()));
    }
    let mut pads = [Buttons::NONE; 2];
    for (mark, button) in marks.iter().zip(key).filter(|(mark, _)| **mark != '.') {
        let (pad, button) = button.ok_or(format!("{mark} presses Power or Reset: {line:?}"))?;
        pads[pad] = pads[pad] | button;
    }
    Ok(PadFrame { pads })
}

/// The frames of a .gmv for two pads of three buttons, from power on.
///
/// # Errors
/// Says what Gens would refuse, or play in another way.
pub fn read_gmv(bytes: &[u8]) -> Result<Vec<PadFrame>, String> {
    let (header, frames) = bytes.split_at_checked(64).ok_or("shorter than its header")?;
    if &header[..10] != b"Gens Movie" {
        return Err("not a movie of Gens".into());
    }
    // The flags are read from version A on, and there the type of the pads.
    if header[15] != b'A' {
        return Err(format!("version {:?}", header[15] as char));
    }
    if header[20..22] != *b"33" {
        return Err("not two pads of three buttons".into());
    }
    if header[22] != 0 {
        return Err("50 frames a second, a save state, or three players".into());
    }
    // After the name come tracks of a CD to load.
    let name = &header[24..];
    let end = name.iter().position(|byte| *byte == 0).ok_or("the name does not end")?;
    if name[end..].iter().any(|byte| *byte != 0) {
        return Err("there is something after the name".into());
    }
    if frames.len() % 3 != 0 {
        return Err("the last frame is cut off".into());
    }
    let pressed = |byte: u8| {
        let buttons = (0..8).filter(|bit| byte >> bit & 1 == 0).map(|bit| BUTTONS[bit].1);
        buttons.fold(Buttons::NONE, |held, button| held | button)
    };
    let frame = |bytes: &[u8]| match *bytes {
        [first, second, 0xFF] => Ok(PadFrame { pads: [pressed(first), pressed(second)] }),
        _ => Err("a button that pads of three buttons do not have".to_owned()),
    };
    frames.chunks_exact(3).map(frame).collect()
}

/// The buttons of a pad as Mednafen and MAME number them.
fn port_buttons(byte: u8) -> Buttons {
    let order = ["Up", "Down", "Left", "Right", "B", "C", "A", "Start"];
    let pressed = order.iter().enumerate().filter(|(bit, _)| byte >> bit & 1 == 1);
    pressed.fold(Buttons::NONE, |held, (_, name)| {
        held | BUTTONS.iter().find(|(other, _)| other == name).unwrap().1
    })
}

/// The frames of an .mcm for Mednafen's module md with pads of three buttons, from power on.
///
/// # Errors
/// Says what Mednafen would refuse, or play in another way.
pub fn read_mcm(bytes: &[u8]) -> Result<Vec<PadFrame>, String> {
    let u32_at = |at: usize| {
        let bytes = bytes.get(at..at + 4).ok_or("the state is cut off")?;
        Ok::<_, String>(u32::from_le_bytes(bytes.try_into().unwrap()))
    };
    if !bytes.starts_with(b"MDFNSVST") {
        return Err("it does not begin with a state".into());
    }
    if u32_at(16)? < 0x939 || u32_at(24)? != 0 || u32_at(28)? != 0 {
        return Err("a state of an old version, or with a preview".into());
    }
    let end = u32_at(20)? as usize;
    let mut sections = Vec::new();
    let mut at = 32;
    while at < end {
        let name = bytes.get(at..at + 32).ok_or("the state is cut off")?;
        sections.push(String::from_utf8_lossy(name).trim_end_matches('\0').to_owned());
        at += 36 + u32_at(at + 32)? as usize;
    }
    let required = ["MAIN", "Z80", "IO", "VDP", "SND", "M68K"];
    if at != end || !required.iter().all(|name| sections.iter().any(|section| section == name)) {
        return Err(format!("the state has the sections {sections:?}"));
    }
    // Only the first frame has a command: power.
    let frames = bytes[end..].strip_prefix(&[2]).ok_or("it does not switch the console off and on")?;
    if frames.len() % 9 != 0 {
        return Err("the last frame is cut off".into());
    }
    let frame = |bytes: &[u8]| match *bytes {
        [0, first, second, 0, 0, 0, 0, 0, 0] => Ok(PadFrame { pads: [first, second].map(port_buttons) }),
        _ => Err(format!("a command, or a button of other ports: {bytes:?}")),
    };
    frames.chunks_exact(9).map(frame).collect()
}

/// The frames of an .inp for MAME's system genesis with the ports of MAME 0.251.
///
/// # Errors
/// Says what MAME would refuse, or play in another way.
pub fn read_inp(bytes: &[u8]) -> Result<Vec<PadFrame>, String> {
    let (header, packed) = bytes.split_at_checked(64).ok_or("shorter than its header")?;
    if &header[..8] != b"MAMEINP\0" || header[16] != 3 || &header[20..32] != b"genesis\0\0\0\0\0" {
        return Err("not a recording of version 3 for genesis".into());
    }
    let mut frames = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut frames).map_err(|error| error.to_string())?;
    if frames.len() % 40 != 0 {
        return Err("the last frame is cut off".into());
    }
    // Master clocks of a frame, and in a second; MAME 0.251 rounds up.
    let attoseconds = (10_u128.pow(18) * 3420 * 262).div_ceil(53_693_175);
    let frame = |(number, bytes): (u128, &[u8])| {
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let time = u128::from(u32_at(0)) * 10_u128.pow(18)
            + u128::from(u64::from_le_bytes(bytes[4..12].try_into().unwrap()));
        if time != number * attoseconds {
            return Err(format!("out of sync at frame {number}"));
        }
        let ports: Vec<(u32, u32)> = (16..40).step_by(8).map(|at| (u32_at(at), u32_at(at + 4))).collect();
        match ports[..] {
            [(0, 0), (0xFF, first), (0xFF, second)] if first <= 0xFF && second <= 0xFF => {
                Ok(PadFrame { pads: [first, second].map(|pad| port_buttons(pad.to_le_bytes()[0])) })
            }
            _ => Err(format!("other ports: {ports:?}")),
        }
    };
    (0..).zip(frames.chunks_exact(40)).map(frame).collect()
}
