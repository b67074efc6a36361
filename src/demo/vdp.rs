//! The video chip as a program accesses it through its ports: registers, its three memories, status, counters and the vertical
//! interrupt. Nothing is drawn, and DMA completes at once without copying anything.
//!
//! Sources: Charles MacDonald, "Sega Genesis VDP documentation" (genvdp.txt), for ports, registers and status;
//! Nemesis, "VDP HV counter/Status register progression and timings" (gendev.spritesmind.net, topic 768, measured
//! on a Japanese console), for the counters.

/// Master clocks of one line: 59.92 Hz is 53,693,175 Hz / (3420 x 262).
pub(super) const CLOCKS_PER_LINE: u32 = 3420;

/// Lines of an NTSC frame.
pub(super) const LINES: u32 = 262;

/// The first line below the picture: here the vertical interrupt comes.
const FIRST_BLANK_LINE: u32 = 224;

/// Master clocks of the picture's part of a line: 320 dots of 8 clocks.
const PICTURE_CLOCKS: u32 = 2560;

/// Status bits: the value of a chip with an idle write queue (bit 9), with the upper six as on most consoles.
const STATUS_IDLE: u16 = 0x3600;

pub(super) struct Vdp {
    registers: [u8; 24],
    vram: Vec<u8>,
    /// The 64 colours, as 0000 BBB0 GGG0 RRR0.
    pub(super) cram: [u16; 64],
    vsram: [u16; 40],
    address: u16,
    /// The target of the data port, six bits.
    code: u8,
    /// Whether the first half of a command was written.
    half: bool,
    vertical_interrupt: bool,
}

impl Vdp {
    pub(super) fn new() -> Self {
        Self {
            registers: [0; 24],
            vram: vec![0; 0x1_0000],
            cram: [0; 64],
            vsram: [0; 40],
            address: 0,
            code: 0,
            half: false,
            vertical_interrupt: false,
        }
    }

    /// Signals the beginning of line 224.
    pub(super) fn vertical_blank(&mut self) {
        self.vertical_interrupt = true;
    }

    /// The processor took the interrupt of `level`.
    pub(super) fn acknowledge(&mut self, level: u8) {
        if level == 6 {
            self.vertical_interrupt = false;
        }
    }

    /// The requested level: 6 while a vertical interrupt is pending and enabled in register 1.
    pub(super) fn interrupt_level(&self) -> u8 {
        if self.vertical_interrupt && self.registers[1] & 0x20 != 0 { 6 } else { 0 }
    }

    /// Reads a port; `port` is the address within the chip's 32 bytes, `clock` master clocks since line 224 began.
    pub(super) fn read(&mut self, port: u32, clock: u32) -> Option<u16> {
        match port {
            0x00..0x04 => Some(self.read_data()),
            0x04..0x08 => Some(self.read_status(clock)),
            0x08..0x10 => Some(counters(clock)),
            _ => None,
        }
    }

    /// Writes a port. The sound generator at 11 is ignored.
    pub(super) fn write(&mut self, port: u32, value: u16) {
        match port {
            0x00..0x04 => self.write_data(value),
            0x04..0x08 => self.write_control(value),
            _ => {}
        }
    }

    fn read_status(&mut self, clock: u32) -> u16 {
        self.half = false;
        let (line, within) = position(clock);
        let display_off = self.registers[1] & 0x40 == 0;
        STATUS_IDLE
            | u16::from(self.vertical_interrupt) << 7
            | u16::from(line >= FIRST_BLANK_LINE || display_off) << 3
            | u16::from(within >= PICTURE_CLOCKS) << 2
    }

    fn write_control(&mut self, value: u16) {
        let [high, low] = value.to_be_bytes();
        if self.half {
            self.half = false;
            self.address = (self.address & 0x3FFF) | (value & 3) << 14;
            self.code = (self.code & 0x03) | (low >> 2 & 0x3C);
        } else if high & 0xC0 == 0x80 {
            if let Some(register) = self.registers.get_mut(usize::from(high & 0x1F)) {
                *register = low;
            }
        } else {
            self.half = true;
            self.address = (self.address & 0xC000) | (value & 0x3FFF);
            self.code = (self.code & 0x3C) | high >> 6;
        }
    }

    fn read_data(&mut self) -> u16 {
        self.half = false;
        let even = usize::from(self.address & !1);
        let index = usize::from(self.address >> 1 & 0x3F);
        let value = match self.code & 0x0F {
            0 => u16::from_be_bytes([self.vram[even], self.vram[even + 1]]),
            4 => self.vsram.get(index).copied().unwrap_or(0),
            8 => self.cram[index],
            _ => 0,
        };
        self.advance();
        value
    }

    fn write_data(&mut self, value: u16) {
        self.half = false;
        let even = usize::from(self.address & !1);
        let index = usize::from(self.address >> 1 & 0x3F);
        match self.code & 0x0F {
            1 => {
                // The chip's memory is byte-wide: an odd address swaps the bytes of the word.
                let bytes = if self.address & 1 == 0 { value.to_be_bytes() } else { value.to_le_bytes() };
                self.vram[even..even + 2].copy_from_slice(&bytes);
            }
            3 => self.cram[index] = value & 0x0EEE,
            5 => {
                if let Some(scroll) = self.vsram.get_mut(index) {
                    *scroll = value & 0x07FF;
                }
            }
            _ => {}
        }
        self.advance();
    }

    /// Register 15: what the address grows by after each access.
    fn advance(&mut self) {
        self.address = self.address.wrapping_add(u16::from(self.registers[15]));
    }
}

/// Line and master clocks within it, from master clocks since line 224 began.
fn position(clock: u32) -> (u32, u32) {
    ((clock / CLOCKS_PER_LINE + FIRST_BLANK_LINE) % LINES, clock % CLOCKS_PER_LINE)
}

/// The counters of a 320-dot NTSC picture: vertical 00-EA, then E5-FF; horizontal 00-B6, then E4-FF.
fn counters(clock: u32) -> u16 {
    const STEPS: u32 = 0xB7 + 0x1C;
    let (line, within) = position(clock);
    let vertical = if line <= 0xEA { line } else { line - 6 };
    let step = within * STEPS / CLOCKS_PER_LINE;
    let horizontal = if step <= 0xB6 { step } else { step + 0xE4 - 0xB7 };
    u16::try_from(vertical << 8 | horizontal).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_write_and_read_the_three_memories() {
        let mut vdp = Vdp::new();
        vdp.write(4, 0x8F02);
        for (write, read, value) in [
            (0x4000_0000_u32 | 0x1234 << 16, 0x1234_u32 << 16, 0xBEEF),
            (0xC000_0000 | 0x22 << 16, 0x0022_0020, 0x0EEE),
            (0x4000_0010 | 0x02 << 16, 0x0002_0010, 0x0123),
        ] {
            for (command, is_write) in [(write, true), (read, false)] {
                for half in [command >> 16, command & 0xFFFF] {
                    vdp.write(4, u16::try_from(half).unwrap());
                }
                if is_write {
                    vdp.write(0, value);
                } else {
                    assert_eq!(vdp.read(0, 0), Some(value), "{write:08X}");
                }
            }
        }
        assert_eq!(vdp.cram[0x11], 0x0EEE);
    }

    #[test]
    fn blanking_is_lines_224_to_261_and_the_ends_of_lines() {
        let mut vdp = Vdp::new();
        vdp.write(6, 0x8140);
        let mut status = |line: u32, within: u32| {
            let clock = (line + LINES - FIRST_BLANK_LINE) % LINES * CLOCKS_PER_LINE + within;
            vdp.read(4, clock).unwrap() & 0x0C
        };
        assert_eq!(status(223, 0), 0);
        assert_eq!(status(224, 0), 8);
        assert_eq!(status(261, 0), 8);
        assert_eq!(status(0, 0), 0);
        assert_eq!(status(100, PICTURE_CLOCKS), 4);
    }

    #[test]
    fn counters_jump_where_the_console_does() {
        let at = |line: u32| counters((line + LINES - FIRST_BLANK_LINE) % LINES * CLOCKS_PER_LINE) >> 8;
        assert_eq!([at(0), at(0xEA), at(0xEB), at(261)], [0, 0xEA, 0xE5, 0xFF]);
        let mut values: Vec<_> = (0..CLOCKS_PER_LINE).map(|within| counters(within) & 0xFF).collect();
        values.dedup();
        assert_eq!(values, (0..=0xB6).chain(0xE4..=0xFF).collect::<Vec<_>>());
    }

    #[test]
    fn the_interrupt_is_pending_until_it_is_enabled_and_acknowledged() {
        let mut vdp = Vdp::new();
        vdp.vertical_blank();
        assert_eq!(vdp.interrupt_level(), 0);
        vdp.write(4, 0x8120);
        assert_eq!(vdp.interrupt_level(), 6);
        vdp.acknowledge(4);
        assert_eq!(vdp.interrupt_level(), 6);
        vdp.acknowledge(6);
        assert_eq!(vdp.interrupt_level(), 0);
    }
}
