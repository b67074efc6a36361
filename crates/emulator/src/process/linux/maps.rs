//! `/proc/PID/maps` of Linux (proc(5)).
//!
//! The crate proc-maps, used on the other systems, fails if one file name in the list is not UTF-8, and collapses spaces in names. Here
//! names are taken byte for byte.

use super::{HostAddr, Pid, Region};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

pub(super) fn regions(pid: Pid) -> io::Result<Vec<Region>> {
    let list = std::fs::read(format!("/proc/{pid}/maps"))?;
    parse(&list)
}

fn parse(list: &[u8]) -> io::Result<Vec<Region>> {
    let lines = list.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let invalid = |line| io::Error::other(format!("unknown format: {}", String::from_utf8_lossy(line)));
    lines.map(|line| region(line).ok_or_else(|| invalid(line))).collect()
}

/// `7f0c1a000000-7f0c1a021000 rw-p 00000000 fd:01 59034409      /tmp/a file`
fn region(line: &[u8]) -> Option<Region> {
    let mut fields = line.splitn(6, |byte| *byte == b' ');
    let mut field = || std::str::from_utf8(fields.next()?).ok();
    let (start, end) = field()?.split_once('-')?;
    let start = u64::from_str_radix(start, 16).ok()?;
    let end = u64::from_str_radix(end, 16).ok()?;
    let [read, write, execute, _] = *field()?.as_bytes() else { return None };
    let file_offset = u64::from_str_radix(field()?, 16).ok()?;
    let device = field()?.to_owned();
    let inode = field()?.parse().ok()?;
    // The kernel pads with spaces before the name; a name begins with `/`, `[` or a word.
    let name = fields.next().unwrap_or_default().trim_ascii_start();
    Some(Region {
        start: HostAddr(start),
        len: end.checked_sub(start).filter(|len| *len > 0)?,
        readable: read == b'r',
        writable: write == b'w',
        executable: execute == b'x',
        path: (!name.is_empty()).then(|| PathBuf::from(OsString::from_vec(unescaped(name)))),
        file_offset,
        inode,
        device,
    })
}

/// The kernel escapes only a line feed in a name, as `\012`; a backslash is literal.
fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((first, after)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(br"\012") {
            out.push(b'\n');
            rest = after;
        } else {
            out.push(*first);
            rest = after;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    fn one(line: &[u8]) -> Region {
        parse(line).expect("it is a maps line").remove(0)
    }

    #[test]
    fn all_fields_of_a_line_are_parsed() {
        let found = one(
            b"7f438050-7f438060 rw-s 0000c000 fd:01 59034409                   /usr/lib/libx.so (deleted)\n",
        );
        assert_eq!((found.start, found.len), (HostAddr(0x7f43_8050), 0x10));
        assert_eq!((found.readable, found.writable, found.executable), (true, true, false));
        assert_eq!((found.file_offset, found.device.as_str(), found.inode), (0xc000, "fd:01", 59_034_409));
        assert_eq!(found.path.as_deref(), Some("/usr/lib/libx.so (deleted)".as_ref()));
        assert_eq!(found.file_name().as_deref(), Some("libx.so"));
    }

    #[test]
    fn names_are_read_byte_for_byte() {
        let name = |text: &[u8]| {
            let line = [b"1000-2000 r--p 00000000 00:00 0     ".as_slice(), text].concat();
            one(&line).path.map(|path| path.as_os_str().as_bytes().to_vec())
        };
        assert_eq!(name(b""), None);
        assert_eq!(name(b"[heap]").as_deref(), Some(b"[heap]".as_slice()));
        assert_eq!(name(b"/a  b   c ").as_deref(), Some(b"/a  b   c ".as_slice()));
        assert_eq!(name(b"/\xFF\xFE").as_deref(), Some(b"/\xFF\xFE".as_slice()));
        assert_eq!(name(br"/a\012b\0").as_deref(), Some(b"/a\nb\\0".as_slice()));
        assert_eq!(name("/\u{A0}x".as_bytes()).as_deref(), Some("/\u{A0}x".as_bytes()));
    }

    #[test]
    fn the_highest_region_and_one_without_a_name_are_parsed() {
        let found =
            one(b"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]");
        assert_eq!(found.end(), HostAddr(0xffff_ffff_ff60_1000));
        assert_eq!(one(b"1000-2000 ---p 00000000 00:00 0 ").path, None);
        assert_eq!(one(b"1000-2000 ---p 00000000 00:00 0").path, None);
    }

    #[test]
    fn an_invalid_line_is_an_error_that_quotes_it() {
        for line in [
            b"1000 r--p 00000000 00:00 0".as_slice(),
            b"2000-1000 r--p 00000000 00:00 0",
            b"1000-1000 r--p 00000000 00:00 0",
            b"1000-2000 r-- 00000000 00:00 0",
            b"1000-2000 r--p 0000000g 00:00 0",
            b"1000-2000 r--p 00000000 00:00",
            b"1000-2000 r--p 00000000 \xFF 0",
        ] {
            let error = parse(line).expect_err("it is no maps line");
            assert!(error.to_string().contains("unknown format: "), "{error}");
        }
    }
}
