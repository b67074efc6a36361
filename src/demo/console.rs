//! The console: processor, bus and timing.

use super::bus::Bus;
use super::pads::Buttons;
use super::vdp::{CLOCKS_PER_LINE, LINES};
use crate::console::StorageOrder;
use m68k::core::exceptions::vector;
use m68k::{CpuCore, CpuType, NoOpHleHandler, StepResult};
use std::fmt;

/// Master clocks per second of an NTSC console (Sega, "Genesis Technical Overview" 1.00: 53.693175 MHz).
pub const MASTER_CLOCK_HZ: u32 = 53_693_175;

/// Master clocks of a frame: 262 lines of 3420 (128,005 5/7 processor cycles).
pub const CLOCKS_PER_FRAME: u32 = CLOCKS_PER_LINE * LINES;

/// Master clocks of a processor cycle: the 68000 runs at a seventh, 7.67 MHz.
const CLOCKS_PER_CYCLE: u32 = 7;

/// Processor cycles of an address error (M68000 User's Manual, table 8-14).
const ADDRESS_ERROR_CYCLES: u32 = 50;

/// The fewest processor cycles an instruction takes: one word fetched (M68000 User's Manual, section 8).
const FEWEST_CYCLES: u32 = 4;

/// The length of vectors and header, the shortest valid cartridge.
const HEADER_BYTES: usize = 0x200;

/// The longest cartridge without bank switching.
const MAX_ROM_BYTES: usize = 0x40_0000;

/// Why a ROM was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ConsoleError {
    #[error("a ROM of {bytes} bytes is too short: vectors and header alone take {HEADER_BYTES}")]
    TooShort { bytes: usize },
    #[error(
        "a ROM of {bytes} bytes is too long: cartridges have at most {MAX_ROM_BYTES} (bank switching is not modelled)"
    )]
    TooLong { bytes: usize },
    #[error("not a Mega Drive ROM: no `SEGA` at 0x100 (convert an .smd file to .bin first)")]
    NoHeader,
}

/// The processor halted: an address error during the exception of an address error or during reset (M68000 User's Manual, 6.3.9). Only a
/// reset restarts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halt {
    /// The program counter.
    pub at: u32,
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the 68000 halted near 0x{:06X} after a double address error; only a reset restarts it",
            self.at
        )
    }
}

/// A Mega Drive without picture and sound.
pub struct Console {
    cpu: Box<CpuCore>,
    bus: Bus,
    frames: u64,
    halt: Option<Halt>,
    idle_loop: IdleLoop,
}

/// The processor's state at its last backward jump, to detect idle loops.
///
/// If it jumps back with the same registers, and nothing was written and no device read in between, every further iteration is the same
/// until an interrupt. Such iterations are added to the clock instead of being run.
#[derive(Default, PartialEq)]
struct IdleLoop {
    pc: u32,
    registers: [u32; 16],
    user_stack: u32,
    status: u16,
    clock: u32,
}

impl Console {
    /// A console with this ROM after power-on. RAM is stored as swapped 16-bit words.
    pub fn new(rom: Vec<u8>) -> Result<Self, ConsoleError> {
        Self::with_order(rom, StorageOrder::SwappedWords)
    }

    /// As [`Console::new`], with RAM stored in `order`.
    pub fn with_order(rom: Vec<u8>, order: StorageOrder) -> Result<Self, ConsoleError> {
        let bytes = rom.len();
        if bytes < HEADER_BYTES {
            return Err(ConsoleError::TooShort { bytes });
        }
        if bytes > MAX_ROM_BYTES {
            return Err(ConsoleError::TooLong { bytes });
        }
        // Some cartridges have a space before it, which consoles accept.
        if !rom[0x100..0x105].windows(4).any(|name| name == b"SEGA") {
            return Err(ConsoleError::NoHeader);
        }
        let mut console = Self {
            cpu: Box::default(),
            bus: Bus::new(rom, order),
            frames: 0,
            halt: None,
            idle_loop: IdleLoop::default(),
        };
        console.start();
        Ok(console)
    }

    /// Runs one frame, from the vertical interrupt at line 224 to the next one, so that the interrupt handler has finished when this
    /// returns, unless it takes longer than a frame.
    pub fn run_frame(&mut self) {
        self.bus.vdp.vertical_blank();
        self.idle_loop = IdleLoop::default();
        while self.bus.clock < CLOCKS_PER_FRAME {
            self.step();
        }
        // The last instruction exceeds the frame; the excess is subtracted from the next one.
        self.bus.clock -= CLOCKS_PER_FRAME;
        self.frames += 1;
    }

    /// Presses these buttons of the first controller and releases all others.
    pub fn press(&mut self, buttons: Buttons) {
        self.bus.pads.set(buttons);
    }

    /// Presses the reset button; RAM is not changed.
    pub fn reset(&mut self) {
        self.bus.reset(false);
        self.start();
    }

    /// Switches it off and on again: RAM is cleared and stays at its address, as in most emulators.
    pub fn power_cycle(&mut self) {
        self.bus.reset(true);
        self.bus.clock = 0;
        self.frames = 0;
        self.start();
    }

    /// The 64 KiB of work RAM, in storage order.
    pub fn ram(&self) -> &[u8] {
        self.bus.ram()
    }

    /// A word of work RAM for the 68000, at an even address from 0xFF0000 to 0xFFFFFE.
    pub fn word(&self, address: u32) -> u16 {
        self.bus.ram_word(address & !1)
    }

    /// Two words of work RAM, the higher one first.
    pub fn long(&self, address: u32) -> u32 {
        u32::from(self.word(address)) << 16 | u32::from(self.word(address.wrapping_add(2)))
    }

    /// The number of frames since power-on.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The 64 colours that the program has set, each 0000 BBB0 GGG0 RRR0.
    pub fn colors(&self) -> &[u16; 64] {
        &self.bus.vdp.cram
    }

    /// Whether and where the processor halted.
    pub fn halted(&self) -> Option<Halt> {
        self.halt
    }

    fn start(&mut self) {
        *self.cpu = CpuCore::new();
        self.cpu.set_cpu_type(CpuType::M68000);
        self.cpu.reset(&mut self.bus);
        self.halt = (self.cpu.pc & 1 == 1).then_some(Halt { at: self.cpu.pc });
    }

    /// Runs one instruction with the exception or interrupt that follows it, or waits for an interrupt.
    fn step(&mut self) {
        if self.halt.is_some() {
            self.bus.clock = CLOCKS_PER_FRAME;
            return;
        }
        let cpu = &mut *self.cpu;
        cpu.set_irq(self.bus.vdp.interrupt_level());
        cpu.last_exception_vector = None;
        // The core subtracts the cycles of an interrupt's entry here and returns those of the instruction.
        cpu.cycles_remaining = 0;
        let own = if cpu.is_stopped() && cpu.check_interrupts() {
            // A single step would not leave the stopped state.
            cpu.run_for_cycles(&mut self.bus, 1);
            cpu.cycles_remaining -= 1;
            0
        } else {
            match cpu.step_with_hle_handler(&mut self.bus, &mut NoOpHleHandler) {
                StepResult::Ok { cycles } => cycles,
                // STOP, until the next frame's interrupt.
                _ => {
                    self.bus.clock = CLOCKS_PER_FRAME;
                    return;
                }
            }
        };
        let address_error = cpu.last_exception_vector == Some(vector::ADDRESS_ERROR);
        let mut cycles =
            u32::try_from(own.saturating_sub(cpu.cycles_remaining)).unwrap_or(0).max(FEWEST_CYCLES);
        if address_error {
            cycles = cycles.max(ADDRESS_ERROR_CYCLES);
        }
        self.bus.clock += cycles * CLOCKS_PER_CYCLE;
        // The core would handle address errors forever where the processor halts: if the frame cannot be pushed, or if the vector is odd.
        if cpu.is_halted() || self.bus.odd_stack || address_error && cpu.pc & 1 == 1 {
            self.halt = Some(Halt { at: cpu.ppc });
        } else if cpu.pc <= cpu.ppc {
            self.skip_idle_loop();
        }
    }

    /// Called after each backward jump; see [`IdleLoop`].
    fn skip_idle_loop(&mut self) {
        let (cpu, last) = (&self.cpu, &mut self.idle_loop);
        let mut now = IdleLoop {
            pc: cpu.pc,
            registers: cpu.dar,
            user_stack: cpu.get_usp(),
            status: cpu.get_sr(),
            clock: last.clock,
        };
        let iteration = self.bus.clock.saturating_sub(last.clock);
        if !self.bus.disturbed && now == *last && iteration > 0 {
            self.bus.clock += CLOCKS_PER_FRAME.saturating_sub(self.bus.clock) / iteration * iteration;
        }
        now.clock = self.bus.clock;
        *last = now;
        self.bus.disturbed = false;
    }
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Console at frame {}, pc 0x{:06X}", self.frames, self.cpu.pc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::ROM;

    /// [`Console::run_frame`] without skipping idle loops.
    fn run_frame_in_full(console: &mut Console) {
        console.bus.vdp.vertical_blank();
        while console.bus.clock < CLOCKS_PER_FRAME {
            console.bus.disturbed = true;
            console.step();
        }
        console.bus.clock -= CLOCKS_PER_FRAME;
        console.frames += 1;
    }

    #[test]
    fn skipping_idle_loops_changes_nothing() {
        let mut rom = ROM.to_vec();
        "deal1=3,deal2=4,pairs=20,menu=5"
            .parse::<crate::demo::CartridgeConfig>()
            .unwrap()
            .apply(&mut rom)
            .unwrap();
        let [mut quick, mut full] = [(); 2].map(|()| Console::new(rom.clone()).unwrap());
        for frame in 0..600 {
            quick.run_frame();
            run_frame_in_full(&mut full);
            assert_eq!(quick.bus.clock, full.bus.clock, "frame {frame}");
            assert_eq!((quick.cpu.pc, quick.cpu.dar), (full.cpu.pc, full.cpu.dar), "frame {frame}");
            assert!(quick.ram() == full.ram(), "frame {frame}");
        }
    }

    /// A cartridge of a few instructions at 0x200, with the stack at the end of RAM.
    fn program(words: &[u16]) -> Vec<u8> {
        let mut rom = vec![0; 0x400];
        rom[0x100..0x104].copy_from_slice(b"SEGA");
        for vector in rom[8..0x100].chunks_exact_mut(4) {
            vector.copy_from_slice(&0x300_u32.to_be_bytes());
        }
        rom[0x300..0x302].copy_from_slice(&[0x60, 0xFE]); // an exception: bra *
        rom[..8].copy_from_slice(&[0x00, 0xFF, 0xFF, 0xFE, 0x00, 0x00, 0x02, 0x00]);
        for (at, word) in (0x200..).step_by(2).zip(words) {
            rom[at..at + 2].copy_from_slice(&word.to_be_bytes());
        }
        rom
    }

    fn run(rom: Vec<u8>, frames: u32) -> Console {
        let mut console = Console::with_order(rom, StorageOrder::AsOnBus).unwrap();
        (0..frames).for_each(|_| console.run_frame());
        console
    }

    #[test]
    fn instructions_take_the_cycles_of_the_manual() {
        // M68000 User's Manual, section 8. Round and round: addq.l #1,d7 (8), the instruction, bra back (10).
        for (cycles, words) in [
            (0.0, &[][..]),
            (4.0, &[0x4E71]),                  // nop
            (14.0, &[0x1230, 0x0000]),         // move.b (a0,d0.w),d1
            (18.0, &[0x1190, 0x0000]),         // move.b (a0),(a0,d0.w)
            (22.0, &[0xD0B9, 0x00FF, 0x1000]), // add.l (FF1000).l,d0
            (34.0, &[0x6100, 0x0104]),         // bsr to an rts, and back
            (58.0, &[0xC0FC, 0xAAAA]),         // mulu #AAAA,d0: 42 + 2 a set bit
        ] {
            let back = 0x60FE - 2 * u16::try_from(words.len() + 1).unwrap();
            let mut rom = program(&[&[0x41F9, 0x00FF, 0x0000, 0x5287][..], words, &[back]].concat());
            rom[0x30E..0x310].copy_from_slice(&[0x4E, 0x75]);
            let mut console = run(rom, 1);
            let before = console.cpu.d(7);
            (0..70).for_each(|_| console.run_frame());
            let turns = f64::from(console.cpu.d(7) - before);
            let took = f64::from(CLOCKS_PER_FRAME) * 10.0 / turns - 18.0;
            assert!((took - cycles).abs() < 0.01, "{words:04X?} took {took} cycles");
        }
    }

    #[test]
    fn an_address_error_an_illegal_opcode_and_a_trap_jump_to_their_vectors() {
        for (words, pc, frame) in [
            (&[0x3038_u16, 0xFF01][..], 0x300, 14), // move.w (FFFF01).w,d0
            (&[0x4AFC], 0x300, 6),                  // illegal
            (&[0xA123], 0x300, 6),                  // line A
            (&[0x4E4F], 0x300, 6),                  // trap #15
            (&[0x4EF8, 0x0201], 0x300, 14),         // jmp to an odd address
        ] {
            let console = run(program(words), 2);
            assert_eq!(console.halted(), None, "{words:04X?}");
            assert_eq!((console.cpu.pc, console.cpu.sp()), (pc, 0xFF_FFFE - frame), "{words:04X?}");
        }
    }

    #[test]
    fn a_second_address_error_halts_until_reset() {
        let odd_vector = {
            let mut rom = program(&[0x3038, 0xFF01]);
            rom[0x0C..0x10].copy_from_slice(&0x301_u32.to_be_bytes());
            rom
        };
        // movea.l #FFFF01,sp; illegal
        for rom in [odd_vector, program(&[0x2E7C, 0x00FF, 0xFF01, 0x4AFC])] {
            let mut console = run(rom, 3);
            let halt = console.halted().expect("halted");
            assert!(halt.to_string().contains("only a reset"), "{halt}");
            let ram = console.ram().to_vec();
            (0..10).for_each(|_| console.run_frame());
            assert!(console.ram() == ram && console.halted() == Some(halt) && console.frames() == 13);
            console.reset();
            assert_eq!(console.halted(), None);
        }
        let mut rom = program(&[]);
        rom[7] = 1;
        assert!(run(rom, 1).halted().is_some(), "a reset to an odd address");
    }

    #[test]
    fn stop_waits_for_the_vertical_interrupt() {
        // vertical interrupt on; 1: stop #2300; addq.w #1,(FF0000).l; bra 1; vertical interrupt: rte
        let mut rom =
            program(&[0x33FC, 0x8164, 0x00C0, 0x0004, 0x4E72, 0x2300, 0x5279, 0x00FF, 0x0000, 0x60F4]);
        rom[0x78..0x7C].copy_from_slice(&0x302_u32.to_be_bytes());
        rom[0x302..0x304].copy_from_slice(&[0x4E, 0x73]);
        let mut console = run(rom, 5);
        let count = |console: &Console| u16::from_be_bytes([console.ram()[0], console.ram()[1]]);
        let before = count(&console);
        (0..100).for_each(|_| console.run_frame());
        assert_eq!(count(&console) - before, 100);
    }

    #[test]
    fn ram_is_mirrored_and_stored_in_the_order_asked_for() {
        // move.l #12345678,(E00002).l; move.b #9A,(FF0003).l; bra *
        let words = [0x23FC, 0x1234, 0x5678, 0x00E0, 0x0002, 0x13FC, 0x009A, 0x00FF, 0x0003, 0x60FE];
        let console = run(program(&words), 1);
        assert_eq!(console.ram()[..8], [0, 0, 0x12, 0x9A, 0x56, 0x78, 0, 0]);
        let mut console = Console::new(program(&words)).unwrap();
        console.run_frame();
        assert_eq!(console.ram()[..8], [0, 0, 0x9A, 0x12, 0x78, 0x56, 0, 0]);
    }

    #[test]
    fn power_on_clears_ram_in_place_and_reset_does_not_change_it() {
        let mut console = Console::new(ROM.to_vec()).unwrap();
        (0..30).for_each(|_| console.run_frame());
        let address = console.ram().as_ptr();
        let boot = console.ram().to_vec();
        assert!(boot.iter().any(|byte| *byte != 0));
        console.reset();
        assert!(console.ram() == boot);
        console.power_cycle();
        assert!(console.ram().iter().all(|byte| *byte == 0) && console.ram().as_ptr() == address);
        assert_eq!(console.frames(), 0);
    }
}
