//! Conversion between watch lists and BizHawk files.

use super::list::{Display, Entry, Watch, whole};
use super::wch::{WchDisplay, WchEntry, WchSize, WchWatch};
use crate::{Address, Kind, NumberFormat, Part, ValueType};
use nextscope_memory::console::{ConsoleAddr, Domain, Endian};

/// An entry that the other format does not support.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct LeftOut {
    /// The watch's name or address.
    pub what: String,
    /// Why.
    #[serde(rename = "reason")]
    pub why: String,
}

/// The watches of a BizHawk file, by console addresses.
pub fn from_wch<'a>(
    entries: impl Iterator<Item = &'a WchEntry>,
    domain: &'static Domain,
) -> (Vec<Entry>, Vec<LeftOut>) {
    let (mut list, mut left_out) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry {
            WchEntry::Separator(title) => list.push(Entry::Separator(title.clone())),
            WchEntry::Watch(watch) => match from_wch_watch(watch, domain) {
                Ok(watch) => list.push(Entry::Watch(watch)),
                Err(why) => left_out.push(LeftOut { what: name(&watch.notes, watch.address), why }),
            },
        }
    }
    (list, left_out)
}

fn name(notes: &str, address: u64) -> String {
    if notes.is_empty() { format!("0x{address:X}") } else { notes.to_owned() }
}

fn from_wch_watch(watch: &WchWatch, domain: &'static Domain) -> Result<Watch, String> {
    // BizHawk's addresses are offsets in the domain; those of a bus domain, and of other emulators' files, are bus addresses.
    let on_bus = || u32::try_from(watch.address).ok().and_then(|at| domain.offset_of(ConsoleAddr(at)));
    let offset = if watch.domain == domain.name {
        usize::try_from(watch.address).ok().filter(|offset| *offset < domain.len as usize)
    } else if watch.domain.is_empty() {
        let short = usize::try_from(watch.address).ok().filter(|offset| *offset < domain.len as usize);
        on_bus().or(short)
    } else if watch.domain.ends_with("System Bus") || watch.domain == "M68K BUS" {
        on_bus()
    } else {
        return Err(format!("it is in {}, not in {}", watch.domain, domain.name));
    };
    let offset = offset.ok_or_else(|| format!("0x{:X} is outside {}", watch.address, domain.name))?;
    let order = if watch.big_endian { Endian::Big } else { Endian::Little };
    let signed = watch.display == WchDisplay::Signed
        || matches!(watch.display, WchDisplay::Fixed12_4 | WchDisplay::Fixed20_12 | WchDisplay::Fixed16_16);
    let ty = if watch.display == WchDisplay::Float {
        ValueType::new(Kind::F32, order).ok()
    } else {
        whole(watch.size.bytes(), signed, order)
    };
    let display = match watch.display {
        WchDisplay::Unsigned | WchDisplay::Signed | WchDisplay::Float => Display::As(NumberFormat::Decimal),
        WchDisplay::Hex => Display::As(NumberFormat::Hexadecimal),
        WchDisplay::Binary => Display::As(NumberFormat::Binary),
        WchDisplay::Fixed12_4 => Display::Fixed { fraction_bits: 4 },
        WchDisplay::Fixed20_12 => Display::Fixed { fraction_bits: 12 },
        WchDisplay::Fixed16_16 => Display::Fixed { fraction_bits: 16 },
    };
    let ty = ty.ok_or("it has no valid type")?;
    let address = Address(domain.address_at(offset).0.into());
    Ok(Watch { label: watch.notes.clone(), display, ..Watch::new(address, ty) })
}

/// The lines of a BizHawk file for this domain, and the entries that it does not support.
pub fn to_wch(entries: &[Entry], domain: &'static Domain) -> (Vec<WchEntry>, Vec<LeftOut>) {
    let (mut lines, mut left_out) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry {
            Entry::Separator(title) => lines.push(WchEntry::Separator(title.clone())),
            Entry::Watch(watch) => match to_wch_watch(watch, domain) {
                Ok(watch) => lines.push(WchEntry::Watch(watch)),
                Err(why) => left_out.push(LeftOut { what: name(&watch.label, watch.address.0), why }),
            },
        }
    }
    (lines, left_out)
}

fn to_wch_watch(watch: &Watch, domain: &'static Domain) -> Result<WchWatch, String> {
    let size = match watch.ty.width() {
        1 => WchSize::Byte,
        2 => WchSize::Word,
        4 => WchSize::Long,
        bytes => return Err(format!("a watch file has values of 1, 2 and 4 bytes, not of {bytes}")),
    };
    let kind = watch.ty.kind();
    let plain = kind.is_integer() && !matches!(kind, Kind::Bcd { .. } | Kind::Nibble | Kind::BitCount);
    let display = match (kind, watch.display) {
        (Kind::F32, _) => WchDisplay::Float,
        // The hexadecimal digits of a decimal are its digits.
        (Kind::Bcd { .. }, _) => WchDisplay::Hex,
        _ if !plain || watch.part != Part::Whole => {
            return Err(format!("a watch file has no {kind} values"));
        }
        (_, Display::As(NumberFormat::Hexadecimal)) => WchDisplay::Hex,
        (_, Display::As(NumberFormat::Binary)) => WchDisplay::Binary,
        (Kind::I16, Display::Fixed { fraction_bits: 4 }) => WchDisplay::Fixed12_4,
        (Kind::I32, Display::Fixed { fraction_bits: 12 }) => WchDisplay::Fixed20_12,
        (Kind::I32, Display::Fixed { fraction_bits: 16 }) => WchDisplay::Fixed16_16,
        (_, Display::Fixed { fraction_bits }) => {
            return Err(format!(
                "a watch file has no values of {} bytes with {fraction_bits} fraction bits",
                size.bytes()
            ));
        }
        (_, Display::As(NumberFormat::Decimal)) if kind.is_signed() => WchDisplay::Signed,
        (_, Display::As(NumberFormat::Decimal)) => WchDisplay::Unsigned,
    };
    let offset =
        u32::try_from(watch.address.0).ok().and_then(|at| domain.span(ConsoleAddr(at), watch.ty.width()));
    let offset = offset.ok_or_else(|| format!("{} is outside {}", watch.address, domain.name))?.start;
    let notes = match (watch.label.is_empty(), watch.notes.is_empty()) {
        (_, true) => watch.label.clone(),
        (true, false) => watch.notes.clone(),
        (false, false) => format!("{}: {}", watch.label, watch.notes),
    };
    Ok(WchWatch {
        address: offset as u64,
        size,
        display,
        big_endian: watch.ty.order() == Endian::Big,
        domain: domain.name.to_owned(),
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::wch::WchFile;
    use nextscope_memory::console::ConsoleId;

    #[test]
    fn a_bizhawk_list_becomes_watches_and_a_list_again() {
        let text = "SystemID GEN\nA134\td\th\t1\t68K RAM\tgenerator\n0\tS\t_\t1\t\tPieces\n\
            FF10\tw\ts\t1\t68K RAM\tspeed\n0012\tw\t1\t1\t68K RAM\tfraction\nFE00\tb\tb\t1\t68K RAM\t\n";
        let file = WchFile::parse(text.as_bytes()).unwrap();
        let domain = ConsoleId::Genesis.domain();
        let (list, left_out) = from_wch(file.entries(), domain);
        assert!(left_out.is_empty(), "{left_out:?}");
        let Entry::Watch(generator) = &list[0] else { panic!("{list:?}") };
        assert_eq!((generator.address, generator.ty.kind()), (Address(0xFF_A134), Kind::U32));
        assert_eq!(generator.display, Display::As(NumberFormat::Hexadecimal));
        let Entry::Watch(fraction) = &list[3] else { panic!("{list:?}") };
        assert_eq!(fraction.display, Display::Fixed { fraction_bits: 4 });
        let (lines, left_out) = to_wch(&list, domain);
        assert!(left_out.is_empty());
        assert!(lines.iter().eq(file.entries()), "{lines:?}");
        let mut same = file.clone();
        same.set_entries(lines);
        assert_eq!(same.to_bytes(), text.as_bytes());
    }

    #[test]
    fn entries_outside_the_console_are_listed() {
        let text = "SystemID GEN\n10\tb\th\t1\tZ80 RAM\tsound\n1FFFF\tb\th\t1\t68K RAM\t\n00FF0010\tb\th\t1\tM68K BUS\tbus\n";
        let file = WchFile::parse(text.as_bytes()).unwrap();
        let (list, left_out) = from_wch(file.entries(), ConsoleId::Genesis.domain());
        assert_eq!(list.len(), 1);
        let listed: Vec<String> =
            left_out.iter().map(|left| format!("{}: {}", left.what, left.why)).collect();
        assert_eq!(
            listed,
            ["sound: it is in Z80 RAM, not in 68K RAM", "0x1FFFF: 0x1FFFF is outside 68K RAM"]
        );

        let of =
            |kind| Entry::Watch(Watch::new(Address(0xFF_0000), ValueType::new(kind, Endian::Big).unwrap()));
        let (lines, left_out) = to_wch(
            &[of(Kind::U64), of(Kind::Nibble), of(Kind::Bcd { bytes: 2 })],
            ConsoleId::Genesis.domain(),
        );
        assert_eq!((lines.len(), left_out.len()), (1, 2));
        assert_eq!(left_out[0].why, "a watch file has values of 1, 2 and 4 bytes, not of 8");
    }
}
