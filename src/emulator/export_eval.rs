//! A very small x86-64 evaluator: what a pure function would return, worked out without running it.
//!
//! It follows one path through the code with the values that stand in the process's memory now. Registers and
//! flags may be unknown; a result, a branch or an address that depends on something unknown stops it, and so does
//! every instruction that is not listed here. Nothing is written but a stack of its own. A call that leads out of
//! the module, or into code that cannot be evaluated (a log line), is stepped over: what it may have changed (registers, and
//! local variables whose address it was given) is unknown from then on. Instruction semantics: Intel's Software Developer's Manual, volume 2.

use super::export_flags::{Action, Flags, add, conditional, extend, logic_flags, mask, negative, subtract};
use super::image::Abi;
use crate::console::Memory;
use crate::process::HostAddr;
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, MemorySize, Mnemonic, OpKind, Register};
use std::ops::Range;

/// Instructions followed before giving up. Real cores need some 20.
const STEPS_MOST: usize = 512;
/// Calls inside calls before they are stepped over.
const DEPTH_MOST: u64 = 4;
/// The evaluator's own stack, at an address that no process can have (the kernel's half).
const STACK: u64 = 0xFFFF_F000_0000_0000;
const STACK_LEN: u64 = 4096;
/// The return address of the outermost function; those of inner ones follow.
const RETURN: u64 = 0xFFFF_F100_0000_0000;

/// Why an evaluation stopped.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Stuck {
    #[error("the instruction {code} at {at} is not one that can be evaluated")]
    Instruction { code: String, at: HostAddr },
    #[error("{what} at {at} is not known{because}")]
    Unknown { what: &'static str, at: HostAddr, because: String },
    #[error("the code at {at} cannot be read")]
    Code { at: HostAddr },
    #[error("{addr}, which the code at {at} reads, cannot be read")]
    Load { addr: HostAddr, at: HostAddr },
    #[error("the code at {at} writes to {addr}")]
    Store { addr: HostAddr, at: HostAddr },
    #[error("the code leaves its module at {at}")]
    Leaves { at: HostAddr },
    #[error("the code takes more than {STEPS_MOST} instructions")]
    TooLong,
}

/// What the function at `entry` would return for `argument`, following calls inside `module` only.
pub(super) fn evaluate(
    memory: &dyn Memory,
    entry: HostAddr,
    module: Range<u64>,
    abi: Abi,
    argument: u64,
) -> Result<u64, Stuck> {
    let mut machine = Machine {
        memory,
        module,
        abi,
        registers: [Known::default(); 16],
        flags: Flags::default(),
        stack: vec![None; usize::try_from(STACK_LEN).unwrap_or(0)],
        pushed: Vec::new(),
        passed: Vec::new(),
        steps: 0,
        doubt: None,
    };
    let first = if abi == Abi::SysV { RDI } else { RCX };
    machine.registers[first] = Known::of(Some(argument));
    // Room above for what a Win64 function may write into its caller's frame.
    machine.registers[RSP] = Known::of(Some(STACK + STACK_LEN - 128));
    machine.function(entry.0, 0)?;
    machine.registers[RAX].whole().ok_or_else(|| machine.unknown("the result", entry.0))
}

// The processor's own numbering.
const RAX: usize = 0;
const RCX: usize = 1;
const RDX: usize = 2;
const RSP: usize = 4;
const RBP: usize = 5;
const RDI: usize = 7;

/// A register's value, as far as it is known: a byte may be while the rest is not.
#[derive(Clone, Copy, Default)]
struct Known {
    value: u64,
    /// The bits that are known.
    bits: u64,
}

impl Known {
    fn of(value: Option<u64>) -> Self {
        value.map_or_else(Self::default, |value| Self { value, bits: u64::MAX })
    }

    fn whole(self) -> Option<u64> {
        (self.bits == u64::MAX).then_some(self.value)
    }
}

struct Machine<'a> {
    memory: &'a dyn Memory,
    module: Range<u64>,
    abi: Abi,
    registers: [Known; 16],
    flags: Flags,
    stack: Vec<Option<u8>>,
    /// Addresses of what was pushed and still is on the stack: no local variable reaches over one of them.
    pushed: Vec<u64>,
    /// Addresses on the stack that code which was stepped over has been given, and may have stored.
    passed: Vec<u64>,
    steps: usize,
    /// The last call that was stepped over, and why.
    doubt: Option<String>,
}

/// Where a register's value stands in its 64 bits.
struct Part {
    index: usize,
    bits: u32,
    shift: u32,
}

fn part(register: Register) -> Option<Part> {
    let number = register as usize;
    let within = |first: Register, last: Register| {
        (register >= first && register <= last).then(|| number - first as usize)
    };
    let part = |index, bits, shift| Some(Part { index, bits, shift });
    if let Some(index) = within(Register::RAX, Register::R15) {
        part(index, 64, 0)
    } else if let Some(index) = within(Register::EAX, Register::R15D) {
        part(index, 32, 0)
    } else if let Some(index) = within(Register::AX, Register::R15W) {
        part(index, 16, 0)
    } else if let Some(index) = within(Register::AL, Register::BL) {
        part(index, 8, 0)
    } else if let Some(index) = within(Register::AH, Register::BH) {
        part(index, 8, 8)
    } else if let Some(index) = within(Register::SPL, Register::R15L) {
        part(index + 4, 8, 0)
    } else {
        None
    }
}

/// What an instruction leads to.
enum Next {
    Go(u64),
    Return,
}

impl Machine<'_> {
    fn unknown(&self, what: &'static str, at: u64) -> Stuck {
        let because = self.doubt.as_ref().map_or_else(String::new, |doubt| format!(": {doubt}"));
        Stuck::Unknown { what, at: HostAddr(at), because }
    }

    /// Follows a function to its return.
    fn function(&mut self, entry: u64, depth: u64) -> Result<(), Stuck> {
        let back = RETURN + depth;
        self.push(Some(back), entry)?;
        let mut at = entry;
        loop {
            self.steps += 1;
            if self.steps > STEPS_MOST {
                return Err(Stuck::TooLong);
            }
            if !self.module.contains(&at) {
                return Err(Stuck::Leaves { at: HostAddr(at) });
            }
            let instruction = self.fetch(at)?;
            let next = self.step(&instruction, at, depth)?;
            if let Some(top) = self.registers[RSP].whole() {
                self.pushed.retain(|slot| *slot >= top);
                self.passed.retain(|address| *address >= top);
            }
            match next {
                Next::Go(next) => at = next,
                Next::Return => {
                    let popped = self.pop(at)?;
                    return match popped {
                        Some(address) if address == back => Ok(()),
                        _ => Err(self.unknown("the return address", at)),
                    };
                }
            }
        }
    }

    fn fetch(&self, at: u64) -> Result<Instruction, Stuck> {
        /// The longest instruction of the architecture.
        const LONGEST: usize = 15;
        let mut bytes = [0; LONGEST];
        // The last instruction of a mapping may have nothing readable behind it.
        let read =
            (1..=LONGEST).rev().find(|len| self.memory.read_exact(HostAddr(at), &mut bytes[..*len]).is_ok());
        let code = Stuck::Code { at: HostAddr(at) };
        let Some(len) = read else { return Err(code) };
        let instruction = Decoder::with_ip(64, &bytes[..len], at, DecoderOptions::NONE).decode();
        if instruction.is_invalid() { Err(code) } else { Ok(instruction) }
    }

    fn load(&self, addr: u64, bits: u32, at: u64) -> Result<Option<u64>, Stuck> {
        let len = bits as usize / 8;
        if let Some(start) = own_stack(addr, len) {
            let bytes = &self.stack[start..start + len];
            let value = |sum: u64, byte: &Option<u8>| Some(sum << 8 | u64::from((*byte)?));
            return Ok(bytes.iter().rev().try_fold(0, value));
        }
        let mut bytes = [0; 8];
        self.memory
            .read_exact(HostAddr(addr), &mut bytes[..len])
            .map_err(|_| Stuck::Load { addr: HostAddr(addr), at: HostAddr(at) })?;
        Ok(Some(u64::from_le_bytes(bytes)))
    }

    fn store(&mut self, addr: u64, bits: u32, value: Option<u64>, at: u64) -> Result<(), Stuck> {
        let len = bits as usize / 8;
        let Some(start) = own_stack(addr, len) else {
            return Err(Stuck::Store { addr: HostAddr(addr), at: HostAddr(at) });
        };
        for (index, byte) in self.stack[start..start + len].iter_mut().enumerate() {
            *byte = value.map(|value| value.to_le_bytes()[index]);
        }
        Ok(())
    }

    fn push(&mut self, value: Option<u64>, at: u64) -> Result<(), Stuck> {
        let top =
            self.registers[RSP].whole().ok_or_else(|| self.unknown("the stack pointer", at))?.wrapping_sub(8);
        self.registers[RSP] = Known::of(Some(top));
        self.pushed.push(top);
        self.store(top, 64, value, at)
    }

    fn pop(&mut self, at: u64) -> Result<Option<u64>, Stuck> {
        let top = self.registers[RSP].whole().ok_or_else(|| self.unknown("the stack pointer", at))?;
        if own_stack(top, 8).is_none() {
            return Err(self.unknown("the top of the stack", at));
        }
        self.registers[RSP] = Known::of(Some(top.wrapping_add(8)));
        self.load(top, 64, at)
    }

    fn register(&self, register: Register) -> Option<Option<u64>> {
        let part = part(register)?;
        let (held, wanted) = (self.registers[part.index], mask(part.bits) << part.shift);
        Some((held.bits & wanted == wanted).then_some((held.value & wanted) >> part.shift))
    }

    fn set_register(&mut self, register: Register, value: Option<u64>) -> Option<()> {
        let part = part(register)?;
        let held = &mut self.registers[part.index];
        let written = mask(part.bits) << part.shift;
        // Writing 32 bits clears the upper half; writing 8 or 16 leaves the rest.
        let (kept_value, kept_bits) = match part.bits {
            32 => (0, !written),
            _ => (held.value & !written, held.bits & !written),
        };
        let (value, bits) = value.map_or((0, 0), |value| ((value << part.shift) & written, written));
        *held = Known { value: kept_value | value, bits: kept_bits | bits };
        Some(())
    }

    /// The address of a memory operand.
    fn address(&self, instruction: &Instruction, at: u64) -> Result<u64, Stuck> {
        if !matches!(instruction.segment_prefix(), Register::None | Register::CS | Register::DS) {
            return Err(self.unknown("thread-local memory", at));
        }
        let displacement = instruction.memory_displacement64();
        if instruction.is_ip_rel_memory_operand() {
            return Ok(displacement); // the decoder has added the instruction pointer
        }
        let known = |register: Register| match register {
            Register::None => Some(0),
            register => self.register(register).flatten(),
        };
        let (Some(base), Some(index)) = (known(instruction.memory_base()), known(instruction.memory_index()))
        else {
            return Err(self.unknown("an address", at));
        };
        let scaled = index.wrapping_mul(instruction.memory_index_scale().into());
        Ok(base.wrapping_add(scaled).wrapping_add(displacement))
    }

    fn bits(instruction: &Instruction, operand: u32) -> Option<u32> {
        match instruction.op_kind(operand) {
            OpKind::Register => part(instruction.op_register(operand)).map(|part| part.bits),
            OpKind::Memory => match instruction.memory_size() {
                MemorySize::UInt8 | MemorySize::Int8 => Some(8),
                MemorySize::UInt16 | MemorySize::Int16 => Some(16),
                MemorySize::UInt32 | MemorySize::Int32 => Some(32),
                MemorySize::UInt64 | MemorySize::Int64 | MemorySize::QwordOffset => Some(64),
                _ => None,
            },
            _ => None,
        }
    }

    fn get(&self, instruction: &Instruction, operand: u32, at: u64) -> Result<Option<u64>, Stuck> {
        match instruction.op_kind(operand) {
            OpKind::Register => {
                self.register(instruction.op_register(operand)).ok_or_else(|| refuse(instruction, at))
            }
            OpKind::Memory => {
                let bits = Self::bits(instruction, operand).ok_or_else(|| refuse(instruction, at))?;
                self.load(self.address(instruction, at)?, bits, at)
            }
            _ => instruction.try_immediate(operand).map(Some).map_err(|_| refuse(instruction, at)),
        }
    }

    fn set(&mut self, instruction: &Instruction, value: Option<u64>, at: u64) -> Result<(), Stuck> {
        let bits = Self::bits(instruction, 0).ok_or_else(|| refuse(instruction, at))?;
        match instruction.op_kind(0) {
            OpKind::Register => {
                self.set_register(instruction.op_register(0), value).ok_or_else(|| refuse(instruction, at))
            }
            OpKind::Memory => self.store(self.address(instruction, at)?, bits, value, at),
            _ => Err(refuse(instruction, at)),
        }
    }

    fn step(&mut self, instruction: &Instruction, at: u64, depth: u64) -> Result<Next, Stuck> {
        let next = Next::Go(instruction.next_ip());
        if let Some((condition, action)) = conditional(instruction.mnemonic()) {
            return self.conditional(instruction, at, condition, action);
        }
        if instruction.has_rep_prefix() || instruction.has_repne_prefix() || instruction.has_lock_prefix() {
            // `rep ret` and `bnd` prefixes on branches mean nothing.
            let branch = matches!(instruction.mnemonic(), Mnemonic::Ret | Mnemonic::Jmp | Mnemonic::Call);
            if !branch {
                return Err(refuse(instruction, at));
            }
        }
        match instruction.mnemonic() {
            Mnemonic::Nop | Mnemonic::Endbr64 => {}
            Mnemonic::Ret if instruction.op_count() == 0 => return Ok(Next::Return),
            Mnemonic::Jmp => return self.target(instruction, at).map(Next::Go),
            Mnemonic::Call => self.call(instruction, at, depth)?,
            Mnemonic::Push => {
                let value = self.get(instruction, 0, at)?;
                if instruction.op_kind(0) != OpKind::Register && Self::bits(instruction, 0) == Some(16) {
                    return Err(refuse(instruction, at));
                }
                self.push(value, at)?;
            }
            Mnemonic::Pop if Self::bits(instruction, 0) == Some(64) => {
                let value = self.pop(at)?;
                self.set(instruction, value, at)?;
            }
            Mnemonic::Leave => {
                self.registers[RSP] = self.registers[RBP];
                self.registers[RBP] = Known::of(self.pop(at)?);
            }
            Mnemonic::Mov | Mnemonic::Movzx => {
                let value = self.get(instruction, 1, at)?;
                self.set(instruction, value, at)?;
            }
            Mnemonic::Movsx | Mnemonic::Movsxd => {
                let bits = Self::bits(instruction, 1).ok_or_else(|| refuse(instruction, at))?;
                let value = self.get(instruction, 1, at)?.map(|value| extend(value, bits));
                self.set(instruction, value, at)?;
            }
            Mnemonic::Lea => {
                let value = self.address(instruction, at).ok();
                self.set(instruction, value, at)?;
            }
            Mnemonic::Xchg => self.exchange(instruction, at)?,
            Mnemonic::Cwde => self.spread(Register::AX, Register::EAX),
            Mnemonic::Cdqe => self.spread(Register::EAX, Register::RAX),
            Mnemonic::Cdq => self.signs(Register::EAX, Register::EDX),
            Mnemonic::Cqo => self.signs(Register::RAX, Register::RDX),
            _ => self.arithmetic(instruction, at)?,
        }
        Ok(next)
    }

    /// Copies a register, sign-extended, into a wider one.
    fn spread(&mut self, from: Register, to: Register) {
        let bits = part(from).map_or(64, |part| part.bits);
        let value = self.register(from).flatten().map(|value| extend(value, bits));
        self.set_register(to, value);
    }

    /// Fills a register with the sign of another.
    fn signs(&mut self, from: Register, to: Register) {
        let bits = part(from).map_or(64, |part| part.bits);
        let value = self.register(from).flatten();
        self.set_register(to, value.map(|value| if negative(value, bits) { u64::MAX } else { 0 }));
    }

    fn exchange(&mut self, instruction: &Instruction, at: u64) -> Result<(), Stuck> {
        let (OpKind::Register, OpKind::Register) = (instruction.op_kind(0), instruction.op_kind(1)) else {
            return Err(refuse(instruction, at));
        };
        let (one, other) = (self.get(instruction, 0, at)?, self.get(instruction, 1, at)?);
        self.set(instruction, other, at)?;
        self.set_register(instruction.op_register(1), one).ok_or_else(|| refuse(instruction, at))
    }

    /// Instructions that compute one result, and perhaps flags, from their operands.
    fn arithmetic(&mut self, instruction: &Instruction, at: u64) -> Result<(), Stuck> {
        use Mnemonic as M;
        let mnemonic = instruction.mnemonic();
        let known = matches!(
            mnemonic,
            M::Add
                | M::Adc
                | M::Sub
                | M::Sbb
                | M::Cmp
                | M::And
                | M::Or
                | M::Xor
                | M::Test
                | M::Inc
                | M::Dec
                | M::Neg
                | M::Not
                | M::Shl
                | M::Sal
                | M::Shr
                | M::Sar
                | M::Bt
                | M::Imul
        );
        let Some(bits) = Self::bits(instruction, 0).filter(|_| known) else {
            return Err(refuse(instruction, at));
        };
        let operands = instruction.op_count();
        if mnemonic == M::Imul && operands < 2 {
            return Err(refuse(instruction, at));
        }
        let same = operands == 2
            && instruction.op_kind(0) == OpKind::Register
            && instruction.op_kind(1) == OpKind::Register
            && instruction.op_register(0) == instruction.op_register(1);
        let first = if mnemonic == M::Imul && operands == 3 { 1 } else { 0 };
        let mut one = self.get(instruction, first, at)?;
        let mut other = if operands > 1 { self.get(instruction, first + 1, at)? } else { Some(1) };
        if same && one.is_none() && matches!(mnemonic, M::Xor | M::Sub | M::Sbb) {
            (one, other) = (Some(0), Some(0)); // the result does not depend on the value
        }
        let carry = self.flags.carry;
        let (Some(one), Some(other)) = (one, other.map(|other| other & mask(bits))) else {
            if mnemonic != M::Not {
                self.flags = Flags::default();
            }
            return if matches!(mnemonic, M::Cmp | M::Test | M::Bt) {
                Ok(())
            } else {
                self.set(instruction, None, at)
            };
        };
        let keep_carry = |(result, flags): (u64, Flags)| (result, Flags { carry, ..flags });
        let logic = |result: u64| (result & mask(bits), logic_flags(result, bits));
        let (result, flags) = match mnemonic {
            M::Add => add(one, other, false, bits),
            M::Sub | M::Cmp => subtract(one, other, false, bits),
            M::Adc | M::Sbb => {
                let Some(carry) = carry else { return Err(self.unknown("the carry flag", at)) };
                let of = if mnemonic == M::Adc { add } else { subtract };
                of(one, other, carry, bits)
            }
            M::And | M::Test => logic(one & other),
            M::Or => logic(one | other),
            M::Xor => logic(one ^ other),
            M::Inc => keep_carry(add(one, 1, false, bits)),
            M::Dec => keep_carry(subtract(one, 1, false, bits)),
            M::Neg => subtract(0, one, false, bits),
            M::Not => (!one & mask(bits), self.flags),
            M::Imul => (one.wrapping_mul(other) & mask(bits), Flags::default()),
            M::Bt if instruction.op_kind(0) == OpKind::Register => {
                let bit = one >> (other & u64::from(bits - 1)) & 1 == 1;
                (one, Flags { carry: Some(bit), ..self.flags })
            }
            M::Shl | M::Sal | M::Shr | M::Sar => return self.shift(instruction, one, other, bits, at),
            _ => return Err(refuse(instruction, at)),
        };
        self.flags = flags;
        if matches!(mnemonic, M::Cmp | M::Test | M::Bt) {
            Ok(())
        } else {
            self.set(instruction, Some(result), at)
        }
    }

    fn shift(
        &mut self,
        instruction: &Instruction,
        one: u64,
        by: u64,
        bits: u32,
        at: u64,
    ) -> Result<(), Stuck> {
        // The processor looks at 5 bits of the count, 6 for a 64-bit operand.
        let by = by & if bits == 64 { 63 } else { 31 };
        if by == 0 {
            return self.set(instruction, Some(one), at); // flags stay
        }
        let result = match instruction.mnemonic() {
            Mnemonic::Shr => one >> by,
            Mnemonic::Sar => (extend(one, bits).cast_signed() >> by).cast_unsigned(),
            _ => one << by,
        } & mask(bits);
        let carry = match instruction.mnemonic() {
            Mnemonic::Shr => one >> (by - 1) & 1 == 1,
            Mnemonic::Sar => extend(one, bits) >> (by - 1) & 1 == 1,
            _ => u64::from(bits) >= by && one >> (u64::from(bits) - by) & 1 == 1,
        };
        // The overflow flag is defined for shifts by one only.
        self.flags = Flags { carry: Some(carry), overflow: None, ..logic_flags(result, bits) };
        self.set(instruction, Some(result), at)
    }

    fn conditional(
        &mut self,
        instruction: &Instruction,
        at: u64,
        condition: usize,
        action: Action,
    ) -> Result<Next, Stuck> {
        let next = instruction.next_ip();
        let holds = self.flags.hold(condition);
        match action {
            Action::Jump => match holds {
                Some(true) => Ok(Next::Go(instruction.near_branch_target())),
                Some(false) => Ok(Next::Go(next)),
                None => Err(self.unknown("a condition", at)),
            },
            Action::Set => {
                self.set(instruction, holds.map(u64::from), at)?;
                Ok(Next::Go(next))
            }
            Action::Move => {
                let value = match holds {
                    Some(true) => self.get(instruction, 1, at)?,
                    Some(false) => self.get(instruction, 0, at)?,
                    None => None,
                };
                self.set(instruction, value, at)?; // clears the upper half even when nothing is moved
                Ok(Next::Go(next))
            }
        }
    }

    /// Where a jump or call leads.
    fn target(&self, instruction: &Instruction, at: u64) -> Result<u64, Stuck> {
        match instruction.op_kind(0) {
            OpKind::NearBranch64 => Ok(instruction.near_branch_target()),
            OpKind::Register | OpKind::Memory if Self::bits(instruction, 0) == Some(64) => {
                self.get(instruction, 0, at)?.ok_or_else(|| self.unknown("where the code goes on", at))
            }
            _ => Err(refuse(instruction, at)),
        }
    }

    /// Follows a call inside the module; steps over one that leads out of it or cannot be evaluated.
    fn call(&mut self, instruction: &Instruction, at: u64, depth: u64) -> Result<(), Stuck> {
        let before = (self.registers, self.flags, self.stack.clone());
        let (pushed, passed) = (self.pushed.clone(), self.passed.clone());
        let outcome = match self.target(instruction, at) {
            Ok(target) if depth < DEPTH_MOST => self.function(target, depth + 1),
            Ok(target) => Err(Stuck::Leaves { at: HostAddr(target) }),
            Err(stuck) => Err(stuck),
        };
        match outcome {
            Err(Stuck::TooLong) => Err(Stuck::TooLong),
            Ok(()) => Ok(()),
            Err(stuck) => {
                (self.registers, self.flags, self.stack) = before;
                (self.pushed, self.passed) = (pushed, passed);
                self.forget_passed();
                self.flags = Flags::default();
                let spoiled: &[usize] = match self.abi {
                    Abi::SysV => &[RAX, RCX, RDX, 6, RDI, 8, 9, 10, 11],
                    Abi::Win64 => &[RAX, RCX, RDX, 8, 9, 10, 11],
                };
                for register in spoiled {
                    self.registers[*register] = Known::default();
                }
                self.doubt = Some(format!("it depends on the call at {}; in it, {stuck}", HostAddr(at)));
                Ok(())
            }
        }
    }
}

impl Machine<'_> {
    /// Forgets what a call that was stepped over may have written to the stack: whatever is below its top, and each local variable
    /// whose address it was given, in a register or inside another such variable.
    fn forget_passed(&mut self) {
        /// Most variables that are followed from one to the next.
        const MOST: usize = 64;
        let Some(top) = self.registers[RSP].whole() else { return };
        let (arguments, home): (&[usize], u64) = match self.abi {
            Abi::SysV => (&[RDI, 6, RDX, RCX, 8, 9], 0),
            Abi::Win64 => (&[RCX, RDX, 8, 9], 32), // the callee may write into the 32 bytes at the top
        };
        let in_registers = arguments.iter().filter_map(|register| self.registers[*register].whole());
        let on_stack = (0..8).filter_map(|nth| self.load(top + home + 8 * nth, 64, 0).ok().flatten());
        // A frame pointer that was saved is not passed: it leads to what was pushed.
        let on_stack = on_stack.filter(|address| !self.pushed.contains(address));
        let given: Vec<u64> = in_registers.chain(on_stack).collect();
        let live = |address: &u64| *address >= top && own_stack(*address, 1).is_some();
        let mut variables: Vec<u64> = self.passed.iter().copied().chain(given).filter(live).collect();
        let mut done = 0;
        while let Some(&from) = variables.get(done).filter(|_| done < MOST) {
            done += 1;
            let end = self.pushed.iter().copied().filter(|slot| *slot > from).min();
            let end = end.unwrap_or(STACK + STACK_LEN);
            let inside = (from.next_multiple_of(8)..end).step_by(8);
            let inner = inside.filter_map(|slot| self.load(slot, 64, 0).ok().flatten()).filter(live);
            let inner: Vec<u64> = inner.filter(|address| !variables.contains(address)).collect();
            variables.extend(inner);
            self.forget(from..end);
        }
        self.passed = variables;
        self.forget(STACK..top + home);
    }

    fn forget(&mut self, addresses: Range<u64>) {
        let index = |address: u64| usize::try_from(address.saturating_sub(STACK)).unwrap_or(usize::MAX);
        let (from, end) = (index(addresses.start), index(addresses.end).min(self.stack.len()));
        if let Some(bytes) = self.stack.get_mut(from..end) {
            bytes.fill(None);
        }
    }
}

/// The index into the own stack, when the span lies in it.
fn own_stack(addr: u64, len: usize) -> Option<usize> {
    let start = usize::try_from(addr.checked_sub(STACK)?).ok()?;
    (start.checked_add(len)? <= usize::try_from(STACK_LEN).ok()?).then_some(start)
}

fn refuse(instruction: &Instruction, at: u64) -> Stuck {
    let code: Code = instruction.code();
    Stuck::Instruction { code: format!("{code:?}"), at: HostAddr(at) }
}

#[cfg(test)]
#[path = "export_eval_tests.rs"]
mod tests;
