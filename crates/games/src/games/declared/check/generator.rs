//! The constants of generators.

use super::Checker;
use crate::games::declared::generator::low_bits;
use crate::games::declared::language::Generator;

/// The numbers of a table generator, at most.
const MAX_VALUES: u64 = 4096;

impl Checker<'_> {
    pub(super) fn generator(&mut self) {
        let generator = &self.randomizer.generator;
        let width = generator.width();
        if !self.range("generator.width", "the width of the generator", width.into(), 1, 64) {
            return;
        }
        let least = if matches!(generator, Generator::Table { .. }) { 1 } else { 2 };
        self.range("generator.width", "the width of the generator", width.into(), least, 64);
        match generator {
            Generator::Linear { multiplier, increment, modulus, .. } => {
                self.multiplier(*multiplier);
                self.fits("generator.increment", *increment);
                self.modulus(*multiplier, *increment, *modulus);
            }
            Generator::ShiftRegister { taps, shifts, .. } => {
                self.fits("generator.taps", *taps);
                self.range("generator.shifts", "the number of shifts", (*shifts).into(), 1, 64);
                if *taps == 0 {
                    let help = "set the bits that the routine combines";
                    self.problem("generator.taps", "no bit is tapped, so that only zeros enter", help);
                }
            }
            Generator::Xorshift { shifts, multiplier, .. } => {
                self.range("generator.shifts", "the number of shifts", shifts.len() as u64, 1, 4);
                for (index, shift) in shifts.iter().enumerate() {
                    let path = format!("generator.shifts.{index}");
                    self.range(
                        path,
                        "the distance of the shift",
                        shift.unsigned_abs().into(),
                        1,
                        u64::from(width) - 1,
                    );
                }
                if let Some(multiplier) = multiplier {
                    self.multiplier(*multiplier);
                }
            }
            Generator::AddRotate { addend, state_mask, rotate, increment, .. } => {
                self.fits("generator.addend", *addend);
                self.fits("generator.state_mask", *state_mask);
                self.fits("generator.increment", *increment);
                let most = u64::from(width) - 1;
                self.range("generator.rotate", "the distance of the rotation", (*rotate).into(), 1, most);
            }
            Generator::MultiplyAddHalves { multiplier, .. } => {
                self.multiplier(*multiplier);
                self.halves(width);
            }
            Generator::MultiplyWithCarry { multiplier, .. } => {
                self.multiplier(*multiplier);
                self.halves(width);
                let largest = low_bits(width.div_ceil(2));
                if *multiplier > largest {
                    let help = format!("with {width} bits it is at most {largest:#X}");
                    self.problem(
                        "generator.multiplier",
                        "the multiplier has more bits than half of the state",
                        help,
                    );
                }
            }
            Generator::Lagged { long, short, fill, .. } => {
                self.range("generator.long", "the longer lag", (*long).into(), 2, 127);
                self.range("generator.short", "the shorter lag", (*short).into(), 1, 126);
                if short >= long {
                    let message = format!("the shorter lag, {short}, is not below the longer one, {long}");
                    self.problem("generator.short", message, "exchange the two, or correct one");
                }
                if fill.modulus.is_some_and(|modulus| modulus < 2) {
                    self.problem("generator.fill.modulus", "a modulus is at least 2", "remove it for 2^64");
                }
            }
            Generator::Table { values, .. } => {
                self.range("generator.values", "the number of values", values.len() as u64, 2, MAX_VALUES);
                for (index, value) in values.iter().enumerate() {
                    self.fits(&format!("generator.values.{index}"), *value);
                }
            }
            Generator::SplitMix64 {} => {}
        }
        if self.randomizer.zero.is_some()
            && matches!(generator, Generator::Lagged { .. } | Generator::Table { .. })
        {
            let message = "this generator has no single state that could be zero";
            self.problem("zero", message, "remove [randomizer.zero]");
        }
    }

    fn multiplier(&mut self, multiplier: u64) {
        self.fits("generator.multiplier", multiplier);
        if multiplier == 0 {
            let help = "give the factor of the routine, or 1 for none";
            self.problem("generator.multiplier", "a multiplier of 0 forgets the state", help);
        }
    }

    fn halves(&mut self, width: u8) {
        if width % 2 == 1 {
            self.problem("generator.width", format!("{width} bits have no two halves"), "the width is even");
        }
    }

    fn modulus(&mut self, multiplier: u64, increment: u64, modulus: Option<u64>) {
        let Some(modulus) = modulus else { return };
        self.fits("generator.modulus", modulus - u64::from(modulus > 0));
        for (path, value) in [("generator.multiplier", multiplier), ("generator.increment", increment)] {
            if value >= modulus {
                let message = format!("{value:#X} is not below the modulus, {modulus:#X}");
                self.problem(path, message, "subtract the modulus until it is");
            }
        }
    }
}
