//! The arithmetic of the export evaluator: numbers of 8 to 64 bits and the flags that result, each of which may be unknown.

use iced_x86::Mnemonic;

/// The flags that conditions test; None is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub carry: Option<bool>,
    pub zero: Option<bool>,
    pub sign: Option<bool>,
    pub overflow: Option<bool>,
    pub parity: Option<bool>,
}

pub(super) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Sign-extends a value of `bits` bits to 64 bits.
pub(super) fn extend(value: u64, bits: u32) -> u64 {
    let unused = 64 - bits;
    ((value << unused).cast_signed() >> unused).cast_unsigned()
}

pub(super) fn negative(value: u64, bits: u32) -> bool {
    value >> (bits - 1) & 1 == 1
}

pub(super) fn logic_flags(result: u64, bits: u32) -> Flags {
    Flags {
        carry: Some(false),
        zero: Some(result & mask(bits) == 0),
        sign: Some(negative(result, bits)),
        overflow: Some(false),
        parity: Some((result & 0xFF).count_ones().is_multiple_of(2)),
    }
}

pub(super) fn add(one: u64, other: u64, carry: bool, bits: u32) -> (u64, Flags) {
    let sum = u128::from(one) + u128::from(other) + u128::from(carry);
    let result = one.wrapping_add(other).wrapping_add(carry.into()) & mask(bits);
    let overflow = negative((one ^ result) & (other ^ result), bits);
    let carry = sum > u128::from(mask(bits));
    (result, Flags { carry: Some(carry), overflow: Some(overflow), ..logic_flags(result, bits) })
}

pub(super) fn subtract(one: u64, other: u64, borrow: bool, bits: u32) -> (u64, Flags) {
    let result = one.wrapping_sub(other).wrapping_sub(borrow.into()) & mask(bits);
    let carry = u128::from(one) < u128::from(other) + u128::from(borrow);
    let overflow = negative((one ^ other) & (one ^ result), bits);
    (result, Flags { carry: Some(carry), overflow: Some(overflow), ..logic_flags(result, bits) })
}

#[derive(Clone, Copy)]
pub(super) enum Action {
    Jump,
    Set,
    Move,
}

impl Flags {
    /// Whether the condition of that number (the processor's, as in the tables below) is met.
    pub fn condition(self, number: usize) -> Option<bool> {
        let less = || Some(self.sign? != self.overflow?);
        let either = |one: Option<bool>, other: Option<bool>| match (one, other) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        let met = match number / 2 {
            0 => self.overflow,
            1 => self.carry,
            2 => self.zero,
            3 => either(self.carry, self.zero),
            4 => self.sign,
            5 => self.parity,
            6 => less(),
            _ => either(less(), self.zero),
        };
        let negated = number % 2 == 1;
        met.map(|met| met != negated)
    }
}

/// The condition's number and the action of a conditional instruction.
pub(super) fn conditional(mnemonic: Mnemonic) -> Option<(usize, Action)> {
    use Mnemonic::{
        Cmova, Cmovae, Cmovb, Cmovbe, Cmove, Cmovg, Cmovge, Cmovl, Cmovle, Cmovne, Cmovno, Cmovnp, Cmovns,
        Cmovo, Cmovp, Cmovs, Ja, Jae, Jb, Jbe, Je, Jg, Jge, Jl, Jle, Jne, Jno, Jnp, Jns, Jo, Jp, Js, Seta,
        Setae, Setb, Setbe, Sete, Setg, Setge, Setl, Setle, Setne, Setno, Setnp, Setns, Seto, Setp, Sets,
    };
    const JUMPS: [Mnemonic; 16] = [Jo, Jno, Jb, Jae, Je, Jne, Jbe, Ja, Js, Jns, Jp, Jnp, Jl, Jge, Jle, Jg];
    const SETS: [Mnemonic; 16] = [
        Seto, Setno, Setb, Setae, Sete, Setne, Setbe, Seta, Sets, Setns, Setp, Setnp, Setl, Setge, Setle,
        Setg,
    ];
    const MOVES: [Mnemonic; 16] = [
        Cmovo, Cmovno, Cmovb, Cmovae, Cmove, Cmovne, Cmovbe, Cmova, Cmovs, Cmovns, Cmovp, Cmovnp, Cmovl,
        Cmovge, Cmovle, Cmovg,
    ];
    let number = |table: &[Mnemonic; 16]| table.iter().position(|listed| *listed == mnemonic);
    let jump = number(&JUMPS).map(|number| (number, Action::Jump));
    let set = || number(&SETS).map(|number| (number, Action::Set));
    let moved = || number(&MOVES).map(|number| (number, Action::Move));
    jump.or_else(set).or_else(moved)
}
