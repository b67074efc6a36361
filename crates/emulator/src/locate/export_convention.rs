//! Calling conventions for the export evaluator: System V's and Microsoft's x86-64 ABI, and cdecl on 32-bit Windows.

use super::module_image::Abi;

// The processor's register numbers.
pub(super) const RAX: usize = 0;
pub(super) const RCX: usize = 1;
pub(super) const RDX: usize = 2;
pub(super) const RSP: usize = 4;
pub(super) const RBP: usize = 5;
const RSI: usize = 6;
const RDI: usize = 7;

pub(super) const STACK_LEN: u64 = 4096;

/// How functions are called.
pub(super) struct Convention {
    /// The width in bits of an address, and of a value on the stack.
    pub bits: u32,
    /// The evaluator's stack, at an address that no process can have.
    pub stack: u64,
    /// The return address of the outermost function; those of nested calls follow.
    pub back: u64,
    /// The register with the first argument; None if it is on the stack, above the return address.
    pub first: Option<usize>,
    /// Registers in which a function may receive arguments.
    pub arguments: &'static [usize],
    /// Bytes at the top of its caller's stack into which a function may write.
    pub home: u64,
    /// Registers that a function may change.
    pub clobbered: &'static [usize],
}

// The 64-bit addresses are in the kernel's half.
const SYS_V: Convention = Convention {
    bits: 64,
    stack: 0xFFFF_F000_0000_0000,
    back: 0xFFFF_F100_0000_0000,
    first: Some(RDI),
    arguments: &[RDI, RSI, RDX, RCX, 8, 9],
    home: 0,
    clobbered: &[RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11],
};

const WIN_64: Convention = Convention {
    first: Some(RCX),
    arguments: &[RCX, RDX, 8, 9],
    home: 32,
    clobbered: &[RAX, RCX, RDX, 8, 9, 10, 11],
    ..SYS_V
};

const CDECL: Convention = Convention {
    bits: 32,
    // Windows maps nothing in the last 64 KiB of 4 GiB.
    stack: 0xFFFF_0000,
    back: 0xFFFF_8000,
    first: None,
    // Of methods of C++, and where the stack would be slower.
    arguments: &[RCX, RDX],
    home: 0,
    clobbered: &[RAX, RCX, RDX],
};

impl Convention {
    pub fn of(abi: Abi) -> &'static Self {
        match abi {
            Abi::SysV => &SYS_V,
            Abi::Win64 => &WIN_64,
            Abi::Cdecl => &CDECL,
        }
    }

    /// The width of an address in bytes.
    pub fn word(&self) -> u64 {
        u64::from(self.bits) / 8
    }

    /// The index into the evaluator's stack, if the span is inside it.
    pub fn stack_index(&self, addr: u64, len: u64) -> Option<usize> {
        let start = addr.checked_sub(self.stack)?;
        (start.checked_add(len)? <= STACK_LEN).then(|| usize::try_from(start).ok()).flatten()
    }
}
