//! The memory map of a Mega Drive for the 68000.
//!
//! Source: Sega, "Genesis Technical Overview" 1.00 (1991), section 1: memory map.

use super::pads::Pads;
use super::vdp::Vdp;
use crate::console::StorageOrder;
use m68k::AddressBus;

/// Bytes of work RAM, mirrored from E00000 to FFFFFF.
const RAM_BYTES: usize = 0x1_0000;

/// Bytes of the Z80's RAM, mirrored in A00000-A03FFF.
const SOUND_RAM_BYTES: usize = 0x2000;

/// Which bytes of a word an access drives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    High,
    Low,
    Both,
}

pub(super) struct Bus {
    /// The ROM, padded to an even length.
    rom: Vec<u8>,
    /// Stored in `order`, as a reader of the process finds it.
    ram: Vec<u8>,
    order: StorageOrder,
    sound_ram: Vec<u8>,
    pub(super) vdp: Vdp,
    pub(super) pads: Pads,
    z80_bus_taken: bool,
    /// Master clocks since line 224 of the frame began.
    pub(super) clock: u32,
    /// The last word on the bus, which is read where no device answers. The real bus keeps its charge in the same way; its last word is
    /// usually a prefetched instruction.
    floating: u16,
    /// Whether something was written, or a device was read, since this was last cleared.
    pub(super) disturbed: bool,
    /// Whether a word was written at an odd address. The processor core does that only if it pushes the frame of an address error onto an
    /// odd stack, where the real processor halts.
    pub(super) odd_stack: bool,
}

impl Bus {
    pub(super) fn new(mut rom: Vec<u8>, order: StorageOrder) -> Self {
        if rom.len() % 2 == 1 {
            rom.push(0xFF);
        }
        Self {
            rom,
            ram: vec![0; RAM_BYTES],
            order,
            sound_ram: vec![0; SOUND_RAM_BYTES],
            vdp: Vdp::new(),
            pads: Pads::default(),
            z80_bus_taken: false,
            clock: 0,
            floating: 0,
            disturbed: true,
            odd_stack: false,
        }
    }

    pub(super) fn ram(&self) -> &[u8] {
        &self.ram
    }

    /// Resets the devices; on power-on also clears RAM, which stays at its address.
    pub(super) fn reset(&mut self, power: bool) {
        self.vdp = Vdp::new();
        self.pads.reset();
        self.z80_bus_taken = false;
        self.disturbed = true;
        self.odd_stack = false;
        if power {
            self.ram.fill(0);
            self.sound_ram.fill(0);
        }
    }

    fn read(&mut self, address: u32) -> u16 {
        let even = address & 0xFF_FFFE;
        let word = match even {
            0..0x40_0000 => self.rom_word(even),
            0xE0_0000.. => Some(self.ram_word(even)),
            _ => {
                self.disturbed = true;
                self.read_device(even)
            }
        };
        self.floating = word.unwrap_or(self.floating);
        self.floating
    }

    fn rom_word(&self, even: u32) -> Option<u16> {
        let at = usize::try_from(even).ok()?;
        let bytes = self.rom.get(at..at + 2)?;
        Some(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    pub(super) fn ram_word(&self, even: u32) -> u16 {
        let at = ram_offset(even);
        let bytes = [self.ram[at], self.ram[at + 1]];
        match self.order {
            StorageOrder::AsOnBus => u16::from_be_bytes(bytes),
            _ => u16::from_le_bytes(bytes),
        }
    }

    fn read_device(&mut self, even: u32) -> Option<u16> {
        let twice = |byte: u8| u16::from_be_bytes([byte, byte]);
        match even {
            0xA0_0000..0xA0_4000 => {
                let at = sound_offset(even);
                Some(u16::from_be_bytes([self.sound_ram[at], self.sound_ram[at + 1]]))
            }
            // The FM chip is never busy, and nothing else in the Z80's space answers.
            0xA0_4000..0xA1_0000 => Some(0),
            0xA1_0000..0xA1_0020 => Some(twice(self.pads.read(io_index(even)))),
            // Bit 8 is 0 once the Z80 has released its bus, which takes no time here.
            0xA1_1100 => Some(self.floating & !0x0100 | u16::from(!self.z80_bus_taken) << 8),
            0xC0_0000..0xE0_0000 => self.vdp.read(even & 0x1F, self.clock),
            _ => None,
        }
    }

    fn write(&mut self, address: u32, value: u16, lanes: Lanes) {
        let even = address & 0xFF_FFFE;
        self.disturbed = true;
        self.odd_stack |= lanes == Lanes::Both && address & 1 == 1;
        self.floating = value;
        let [high, low] = value.to_be_bytes();
        match even {
            0xE0_0000.. => {
                let at = ram_offset(even);
                match lanes {
                    // One store of two bytes, so that a reader of the process never gets half a word.
                    Lanes::Both => {
                        let bytes = match self.order {
                            StorageOrder::AsOnBus => value.to_be_bytes(),
                            _ => value.to_le_bytes(),
                        };
                        self.ram[at..at + 2].copy_from_slice(&bytes);
                    }
                    Lanes::High => self.ram[self.order.host_offset(at)] = high,
                    Lanes::Low => self.ram[self.order.host_offset(at + 1)] = low,
                }
            }
            0xC0_0000..0xE0_0000 => self.vdp.write(even & 0x1F, value),
            // The Z80's bus is a byte wide: a word there is its upper byte.
            0xA0_0000..0xA0_4000 => {
                let (at, byte) = (sound_offset(even), if lanes == Lanes::Low { low } else { high });
                self.sound_ram[at + usize::from(lanes == Lanes::Low)] = byte;
            }
            0xA1_0000..0xA1_0020 if lanes != Lanes::High => self.pads.write(io_index(even), low),
            0xA1_1100 if lanes != Lanes::Low => self.z80_bus_taken = high & 1 != 0,
            // ROM, the Z80's reset, mappers, the TMSS register (the chip is never locked here) and unused addresses.
            _ => {}
        }
    }
}

fn ram_offset(even: u32) -> usize {
    (even & 0xFFFF) as usize
}

fn sound_offset(even: u32) -> usize {
    (even & 0x1FFF) as usize
}

fn io_index(even: u32) -> usize {
    (even >> 1 & 0x0F) as usize
}

impl AddressBus for Bus {
    fn read_byte(&mut self, address: u32) -> u8 {
        let [high, low] = self.read(address).to_be_bytes();
        if address & 1 == 0 { high } else { low }
    }

    fn read_word(&mut self, address: u32) -> u16 {
        self.read(address)
    }

    fn read_long(&mut self, address: u32) -> u32 {
        let high = self.read(address);
        u32::from(high) << 16 | u32::from(self.read(address.wrapping_add(2)))
    }

    fn write_byte(&mut self, address: u32, value: u8) {
        // The processor puts the byte on both halves of its bus.
        let lanes = if address & 1 == 0 { Lanes::High } else { Lanes::Low };
        self.write(address, u16::from_be_bytes([value, value]), lanes);
    }

    fn write_word(&mut self, address: u32, value: u16) {
        self.write(address, value, Lanes::Both);
    }

    fn write_long(&mut self, address: u32, value: u32) {
        let [a, b, c, d] = value.to_be_bytes();
        self.write(address, u16::from_be_bytes([a, b]), Lanes::Both);
        self.write(address.wrapping_add(2), u16::from_be_bytes([c, d]), Lanes::Both);
    }

    fn interrupt_acknowledge(&mut self, level: u8) -> u32 {
        self.disturbed = true;
        self.vdp.acknowledge(level);
        u32::MAX // autovector
    }
}
