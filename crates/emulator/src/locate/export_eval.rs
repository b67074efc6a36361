//! A minimal evaluator of x86-64 and x86 code: computes what a pure function would return, without running it.
//!
//! It follows one path through the code with the current values of the process's memory. Registers and flags may be unknown; a result, a
//! branch or an address that depends on an unknown value stops the evaluation, as does every unsupported instruction. Only the
//! evaluator's own stack is written. A call that leaves the module, or enters code that cannot be evaluated (a log line), is stepped
//! over: what it may have changed (registers, and local variables whose address it received) is unknown from then on. Instruction semantics: Intel's Software Developer's Manual, volume 2.

use super::export_convention::{Convention, RAX, RBP, RSP, STACK_LEN};
use super::export_flags::{Action, Flags, add, conditional, extend, logic_flags, mask, negative, subtract};
use super::module_image::Abi;
use crate::process::{HostAddr, Memory};
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, MemorySize, Mnemonic, OpKind, Register};
use std::ops::Range;

/// The most instructions evaluated. Real cores need some 20.
const MAX_STEPS: usize = 512;
/// The deepest nesting of calls that is followed.
const MAX_DEPTH: u64 = 4;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum EvalError {
    #[error("the instruction {code} at {at} is not supported")]
    Instruction { code: String, at: HostAddr },
    #[error("{what} at {at} is unknown{because}")]
    Unknown { what: &'static str, at: HostAddr, because: String },
    #[error("the code at {at} cannot be read")]
    Code { at: HostAddr },
    #[error("the code at {at} reads {addr}, which cannot be read")]
    Load { addr: HostAddr, at: HostAddr },
    #[error("the code at {at} writes to {addr}")]
    Store { addr: HostAddr, at: HostAddr },
    #[error("the code leaves its module at {at}")]
    Leaves { at: HostAddr },
    #[error("the code runs more than {MAX_STEPS} instructions")]
    TooLong,
}

/// The result of the function at `entry` for `argument`, following calls inside `module` only.
pub(super) fn evaluate(
    memory: &dyn Memory,
    entry: HostAddr,
    module: Range<u64>,
    abi: Abi,
    argument: u64,
) -> Result<u64, EvalError> {
    let mut machine = Machine {
        memory,
        module,
        convention: Convention::of(abi),
        registers: [PartialValue::default(); 16],
        flags: Flags::default(),
        stack: vec![None; usize::try_from(STACK_LEN).unwrap_or(0)],
        pushed: Vec::new(),
        passed: Vec::new(),
        steps: 0,
        skipped_call: None,
    };
    // Room above the stack pointer for arguments, and for what a Win64 function may write into its caller's frame.
    let top = machine.convention.stack + STACK_LEN - 128;
    machine.registers[RSP] = PartialValue::of(Some(top));
    match machine.convention.first {
        Some(register) => machine.registers[register] = PartialValue::of(Some(argument)),
        None => machine.store(top, machine.convention.bits, Some(argument), entry.0)?,
    }
    machine.function(entry.0, 0)?;
    machine.registers[RAX].complete().ok_or_else(|| machine.unknown("the result", entry.0))
}

/// A register's value, some bits of which may be unknown.
#[derive(Clone, Copy, Default)]
struct PartialValue {
    value: u64,
    /// A mask of the known bits.
    bits: u64,
}

impl PartialValue {
    fn of(value: Option<u64>) -> Self {
        value.map_or_else(Self::default, |value| Self { value, bits: u64::MAX })
    }

    fn complete(self) -> Option<u64> {
        (self.bits == u64::MAX).then_some(self.value)
    }
}

struct Machine<'a> {
    memory: &'a dyn Memory,
    module: Range<u64>,
    convention: &'static Convention,
    registers: [PartialValue; 16],
    flags: Flags,
    stack: Vec<Option<u8>>,
    /// The addresses of pushed values on the stack: no local variable extends over one of them.
    pushed: Vec<u64>,
    /// Stack addresses that were passed to code that was stepped over, which may have stored them.
    passed: Vec<u64>,
    steps: usize,
    /// The last call that was stepped over, and why.
    skipped_call: Option<String>,
}

/// The bits of a 64-bit register that a register name refers to.
struct RegisterPart {
    index: usize,
    bits: u32,
    shift: u32,
}

fn part(register: Register) -> Option<RegisterPart> {
    let number = register as usize;
    let within = |first: Register, last: Register| {
        (register >= first && register <= last).then(|| number - first as usize)
    };
    let part = |index, bits, shift| Some(RegisterPart { index, bits, shift });
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

/// What follows an instruction.
enum Next {
    Go(u64),
    /// Back to the caller, after this many bytes of arguments are taken from the stack.
    Return(u64),
}

impl Machine<'_> {
    fn unknown(&self, what: &'static str, at: u64) -> EvalError {
        let because = self.skipped_call.as_ref().map_or_else(String::new, |call| format!(": {call}"));
        EvalError::Unknown { what, at: HostAddr(at), because }
    }

    /// Evaluates a function up to its return.
    fn function(&mut self, entry: u64, depth: u64) -> Result<(), EvalError> {
        let back = self.convention.back + depth;
        self.push(Some(back), entry)?;
        let mut at = entry;
        loop {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(EvalError::TooLong);
            }
            if !self.module.contains(&at) {
                return Err(EvalError::Leaves { at: HostAddr(at) });
            }
            let instruction = self.fetch(at)?;
            let next = self.step(&instruction, at, depth)?;
            if let Some(top) = self.registers[RSP].complete() {
                self.pushed.retain(|slot| *slot >= top);
                self.passed.retain(|address| *address >= top);
            }
            match next {
                Next::Go(next) => at = next,
                Next::Return(arguments) => {
                    if self.pop(at)? != Some(back) {
                        return Err(self.unknown("the return address", at));
                    }
                    self.move_stack(arguments, at)?;
                    return Ok(());
                }
            }
        }
    }

    fn fetch(&self, at: u64) -> Result<Instruction, EvalError> {
        /// The longest instruction of the architecture.
        const LONGEST: usize = 15;
        let mut bytes = [0; LONGEST];
        // There may be no readable memory after the last instruction of a mapping.
        let read =
            (1..=LONGEST).rev().find(|len| self.memory.read_exact(HostAddr(at), &mut bytes[..*len]).is_ok());
        let code = EvalError::Code { at: HostAddr(at) };
        let Some(len) = read else { return Err(code) };
        let instruction =
            Decoder::with_ip(self.convention.bits, &bytes[..len], at, DecoderOptions::NONE).decode();
        if instruction.is_invalid() { Err(code) } else { Ok(instruction) }
    }

    fn load(&self, addr: u64, bits: u32, at: u64) -> Result<Option<u64>, EvalError> {
        let len = bits as usize / 8;
        if let Some(start) = self.convention.stack_index(addr, len as u64) {
            let bytes = &self.stack[start..start + len];
            let value = |sum: u64, byte: &Option<u8>| Some(sum << 8 | u64::from((*byte)?));
            return Ok(bytes.iter().rev().try_fold(0, value));
        }
        let mut bytes = [0; 8];
        self.memory
            .read_exact(HostAddr(addr), &mut bytes[..len])
            .map_err(|_| EvalError::Load { addr: HostAddr(addr), at: HostAddr(at) })?;
        Ok(Some(u64::from_le_bytes(bytes)))
    }

    fn store(&mut self, addr: u64, bits: u32, value: Option<u64>, at: u64) -> Result<(), EvalError> {
        let len = bits as usize / 8;
        let Some(start) = self.convention.stack_index(addr, len as u64) else {
            return Err(EvalError::Store { addr: HostAddr(addr), at: HostAddr(at) });
        };
        for (index, byte) in self.stack[start..start + len].iter_mut().enumerate() {
            *byte = value.map(|value| value.to_le_bytes()[index]);
        }
        Ok(())
    }

    /// Moves the stack pointer up by so many bytes; returns where it was.
    fn move_stack(&mut self, by: u64, at: u64) -> Result<u64, EvalError> {
        let top = self.registers[RSP].complete().ok_or_else(|| self.unknown("the stack pointer", at))?;
        let moved = top.wrapping_add(by) & mask(self.convention.bits);
        self.registers[RSP] = PartialValue::of(Some(moved));
        Ok(top)
    }

    fn push(&mut self, value: Option<u64>, at: u64) -> Result<(), EvalError> {
        let word = self.convention.word();
        let top = self.move_stack(word.wrapping_neg(), at)?.wrapping_sub(word);
        self.pushed.push(top);
        self.store(top, self.convention.bits, value, at)
    }

    fn pop(&mut self, at: u64) -> Result<Option<u64>, EvalError> {
        let word = self.convention.word();
        let top = self.move_stack(word, at)?;
        if self.convention.stack_index(top, word).is_none() {
            return Err(self.unknown("the top of the stack", at));
        }
        self.load(top, self.convention.bits, at)
    }

    fn register(&self, register: Register) -> Option<Option<u64>> {
        let part = part(register)?;
        let (full, mask) = (self.registers[part.index], mask(part.bits) << part.shift);
        Some((full.bits & mask == mask).then_some((full.value & mask) >> part.shift))
    }

    fn set_register(&mut self, register: Register, value: Option<u64>) -> Option<()> {
        let part = part(register)?;
        let target = &mut self.registers[part.index];
        let written = mask(part.bits) << part.shift;
        // Writing 32 bits clears the upper half; writing 8 or 16 bits leaves the rest unchanged.
        let (old_value, old_bits) = match part.bits {
            32 => (0, !written),
            _ => (target.value & !written, target.bits & !written),
        };
        let (value, bits) = value.map_or((0, 0), |value| ((value << part.shift) & written, written));
        *target = PartialValue { value: old_value | value, bits: old_bits | bits };
        Some(())
    }

    fn address(&self, instruction: &Instruction, at: u64) -> Result<u64, EvalError> {
        if !matches!(instruction.segment_prefix(), Register::None | Register::CS | Register::DS) {
            return Err(self.unknown("thread-local memory", at));
        }
        let displacement = instruction.memory_displacement64();
        if instruction.is_ip_rel_memory_operand() {
            return Ok(displacement); // the decoder added the instruction pointer
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
        Ok(base.wrapping_add(scaled).wrapping_add(displacement) & mask(self.convention.bits))
    }

    fn bits(instruction: &Instruction, operand: u32) -> Option<u32> {
        match instruction.op_kind(operand) {
            OpKind::Register => part(instruction.op_register(operand)).map(|part| part.bits),
            OpKind::Memory => match instruction.memory_size() {
                MemorySize::UInt8 | MemorySize::Int8 => Some(8),
                MemorySize::UInt16 | MemorySize::Int16 => Some(16),
                MemorySize::UInt32 | MemorySize::Int32 | MemorySize::DwordOffset => Some(32),
                MemorySize::UInt64 | MemorySize::Int64 | MemorySize::QwordOffset => Some(64),
                _ => None,
            },
            _ => None,
        }
    }

    fn get(&self, instruction: &Instruction, operand: u32, at: u64) -> Result<Option<u64>, EvalError> {
        match instruction.op_kind(operand) {
            OpKind::Register => {
                self.register(instruction.op_register(operand)).ok_or_else(|| unsupported(instruction, at))
            }
            OpKind::Memory => {
                let bits = Self::bits(instruction, operand).ok_or_else(|| unsupported(instruction, at))?;
                self.load(self.address(instruction, at)?, bits, at)
            }
            _ => instruction.try_immediate(operand).map(Some).map_err(|_| unsupported(instruction, at)),
        }
    }

    fn set(&mut self, instruction: &Instruction, value: Option<u64>, at: u64) -> Result<(), EvalError> {
        let bits = Self::bits(instruction, 0).ok_or_else(|| unsupported(instruction, at))?;
        match instruction.op_kind(0) {
            OpKind::Register => self
                .set_register(instruction.op_register(0), value)
                .ok_or_else(|| unsupported(instruction, at)),
            OpKind::Memory => self.store(self.address(instruction, at)?, bits, value, at),
            _ => Err(unsupported(instruction, at)),
        }
    }

    fn step(&mut self, instruction: &Instruction, at: u64, depth: u64) -> Result<Next, EvalError> {
        let next = Next::Go(instruction.next_ip());
        if let Some((condition, action)) = conditional(instruction.mnemonic()) {
            return self.conditional(instruction, at, condition, action);
        }
        if instruction.has_rep_prefix() || instruction.has_repne_prefix() || instruction.has_lock_prefix() {
            // `rep ret` and `bnd` prefixes on branches have no effect.
            let branch = matches!(instruction.mnemonic(), Mnemonic::Ret | Mnemonic::Jmp | Mnemonic::Call);
            if !branch {
                return Err(unsupported(instruction, at));
            }
        }
        match instruction.mnemonic() {
            Mnemonic::Nop | Mnemonic::Endbr64 | Mnemonic::Endbr32 => {}
            Mnemonic::Ret => return Ok(Next::Return(instruction.try_immediate(0).unwrap_or(0))),
            Mnemonic::Jmp => return self.target(instruction, at).map(Next::Go),
            Mnemonic::Call => self.call(instruction, at, depth)?,
            Mnemonic::Push => {
                let value = self.get(instruction, 0, at)?;
                if instruction.op_kind(0) != OpKind::Register && Self::bits(instruction, 0) == Some(16) {
                    return Err(unsupported(instruction, at));
                }
                self.push(value, at)?;
            }
            Mnemonic::Pop if Self::bits(instruction, 0) == Some(self.convention.bits) => {
                let value = self.pop(at)?;
                self.set(instruction, value, at)?;
            }
            Mnemonic::Leave => {
                self.registers[RSP] = self.registers[RBP];
                self.registers[RBP] = PartialValue::of(self.pop(at)?);
            }
            Mnemonic::Mov | Mnemonic::Movzx => {
                let value = self.get(instruction, 1, at)?;
                self.set(instruction, value, at)?;
            }
            Mnemonic::Movsx | Mnemonic::Movsxd => {
                let bits = Self::bits(instruction, 1).ok_or_else(|| unsupported(instruction, at))?;
                let value = self.get(instruction, 1, at)?.map(|value| extend(value, bits));
                self.set(instruction, value, at)?;
            }
            Mnemonic::Lea => {
                let value = self.address(instruction, at).ok();
                self.set(instruction, value, at)?;
            }
            Mnemonic::Xchg => self.exchange(instruction, at)?,
            Mnemonic::Cwde => self.sign_extend(Register::AX, Register::EAX),
            Mnemonic::Cdqe => self.sign_extend(Register::EAX, Register::RAX),
            Mnemonic::Cdq => self.fill_with_sign(Register::EAX, Register::EDX),
            Mnemonic::Cqo => self.fill_with_sign(Register::RAX, Register::RDX),
            _ => self.arithmetic(instruction, at)?,
        }
        Ok(next)
    }

    /// Copies a register, sign-extended, into a wider one.
    fn sign_extend(&mut self, from: Register, to: Register) {
        let bits = part(from).map_or(64, |part| part.bits);
        let value = self.register(from).flatten().map(|value| extend(value, bits));
        self.set_register(to, value);
    }

    fn fill_with_sign(&mut self, from: Register, to: Register) {
        let bits = part(from).map_or(64, |part| part.bits);
        let value = self.register(from).flatten();
        self.set_register(to, value.map(|value| if negative(value, bits) { u64::MAX } else { 0 }));
    }

    fn exchange(&mut self, instruction: &Instruction, at: u64) -> Result<(), EvalError> {
        let (OpKind::Register, OpKind::Register) = (instruction.op_kind(0), instruction.op_kind(1)) else {
            return Err(unsupported(instruction, at));
        };
        let (one, other) = (self.get(instruction, 0, at)?, self.get(instruction, 1, at)?);
        self.set(instruction, other, at)?;
        self.set_register(instruction.op_register(1), one).ok_or_else(|| unsupported(instruction, at))
    }

    /// Instructions that compute a result, and possibly flags, from their operands.
    fn arithmetic(&mut self, instruction: &Instruction, at: u64) -> Result<(), EvalError> {
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
            return Err(unsupported(instruction, at));
        };
        let operands = instruction.op_count();
        if mnemonic == M::Imul && operands < 2 {
            return Err(unsupported(instruction, at));
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
            _ => return Err(unsupported(instruction, at)),
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
    ) -> Result<(), EvalError> {
        // The processor uses 5 bits of the count, 6 for a 64-bit operand.
        let by = by & if bits == 64 { 63 } else { 31 };
        if by == 0 {
            return self.set(instruction, Some(one), at); // flags do not change
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
    ) -> Result<Next, EvalError> {
        let next = instruction.next_ip();
        let met = self.flags.condition(condition);
        match action {
            Action::Jump => match met {
                Some(true) => Ok(Next::Go(instruction.near_branch_target())),
                Some(false) => Ok(Next::Go(next)),
                None => Err(self.unknown("a condition", at)),
            },
            Action::Set => {
                self.set(instruction, met.map(u64::from), at)?;
                Ok(Next::Go(next))
            }
            Action::Move => {
                let value = match met {
                    Some(true) => self.get(instruction, 1, at)?,
                    Some(false) => self.get(instruction, 0, at)?,
                    None => None,
                };
                self.set(instruction, value, at)?; // clears the upper half even when nothing is moved
                Ok(Next::Go(next))
            }
        }
    }

    fn target(&self, instruction: &Instruction, at: u64) -> Result<u64, EvalError> {
        match instruction.op_kind(0) {
            OpKind::NearBranch64 | OpKind::NearBranch32 => Ok(instruction.near_branch_target()),
            OpKind::Register | OpKind::Memory if Self::bits(instruction, 0) == Some(self.convention.bits) => {
                self.get(instruction, 0, at)?.ok_or_else(|| self.unknown("the target of a jump", at))
            }
            _ => Err(unsupported(instruction, at)),
        }
    }

    /// Follows a call inside the module; steps over one that leads out of it or cannot be evaluated. A 32-bit function that takes its
    /// arguments from the stack itself then leaves the stack pointer wrong, which the return address reveals.
    fn call(&mut self, instruction: &Instruction, at: u64, depth: u64) -> Result<(), EvalError> {
        let before = (self.registers, self.flags, self.stack.clone());
        let (pushed, passed) = (self.pushed.clone(), self.passed.clone());
        let outcome = match self.target(instruction, at) {
            Ok(target) if depth < MAX_DEPTH => self.function(target, depth + 1),
            Ok(target) => Err(EvalError::Leaves { at: HostAddr(target) }),
            Err(error) => Err(error),
        };
        match outcome {
            Err(EvalError::TooLong) => Err(EvalError::TooLong),
            Ok(()) => Ok(()),
            Err(error) => {
                (self.registers, self.flags, self.stack) = before;
                (self.pushed, self.passed) = (pushed, passed);
                self.invalidate_passed();
                self.flags = Flags::default();
                for register in self.convention.clobbered {
                    self.registers[*register] = PartialValue::default();
                }
                self.skipped_call =
                    Some(format!("it depends on the call at {}; in it, {error}", HostAddr(at)));
                Ok(())
            }
        }
    }
}

impl Machine<'_> {
    /// Marks as unknown what a call that was stepped over may have written to the stack: everything below its top, and each local variable
    /// whose address it received, in a register or inside another such variable.
    fn invalidate_passed(&mut self) {
        /// The most variables that are followed.
        const MAX_VARIABLES: usize = 64;
        let Some(top) = self.registers[RSP].complete() else { return };
        let Convention { arguments, home, stack, .. } = *self.convention;
        let word = self.convention.word();
        let in_registers = arguments.iter().filter_map(|register| self.registers[*register].complete());
        let on_stack = (0..8).filter_map(|nth| self.value_at(top + home + word * nth));
        // A saved frame pointer is not an argument: it points to pushed values.
        let on_stack = on_stack.filter(|address| !self.pushed.contains(address));
        let given: Vec<u64> = in_registers.chain(on_stack).collect();
        let live = |address: &u64| *address >= top && self.convention.stack_index(*address, 1).is_some();
        let mut variables: Vec<u64> = self.passed.iter().copied().chain(given).filter(live).collect();
        let mut done = 0;
        while let Some(&from) = variables.get(done).filter(|_| done < MAX_VARIABLES) {
            done += 1;
            let end = self.pushed.iter().copied().filter(|slot| *slot > from).min();
            let end = end.unwrap_or(stack + STACK_LEN);
            let inside = (from.next_multiple_of(word)..end).step_by(usize::try_from(word).unwrap_or(1));
            let inner = inside.filter_map(|slot| self.value_at(slot)).filter(live);
            let inner: Vec<u64> = inner.filter(|address| !variables.contains(address)).collect();
            variables.extend(inner);
            self.invalidate(from..end);
        }
        self.passed = variables;
        self.invalidate(stack..top + home);
    }

    /// The value in a place on the stack.
    fn value_at(&self, slot: u64) -> Option<u64> {
        self.load(slot, self.convention.bits, 0).ok().flatten()
    }

    fn invalidate(&mut self, addresses: Range<u64>) {
        let base = self.convention.stack;
        let index = |address: u64| usize::try_from(address.saturating_sub(base)).unwrap_or(usize::MAX);
        let (from, end) = (index(addresses.start), index(addresses.end).min(self.stack.len()));
        if let Some(bytes) = self.stack.get_mut(from..end) {
            bytes.fill(None);
        }
    }
}

fn unsupported(instruction: &Instruction, at: u64) -> EvalError {
    let code: Code = instruction.code();
    EvalError::Instruction { code: format!("{code:?}"), at: HostAddr(at) }
}

#[cfg(test)]
#[path = "export_eval_tests.rs"]
mod tests;
