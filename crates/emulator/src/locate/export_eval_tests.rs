use super::*;
use crate::process::ByteArray;
use proptest::prelude::*;

/// Where the code begins; the module is everything from here to the end of the memory.
const CODE: u64 = 0x10_0000;

/// A module with `code` at its beginning and these words at these offsets.
fn module(code: &[u8], words: &[(u64, u64)]) -> ByteArray {
    let mut bytes = vec![0; 0x4000];
    bytes[..code.len()].copy_from_slice(code);
    for (at, word) in words {
        let at = usize::try_from(*at).unwrap();
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
    ByteArray { base: HostAddr(CODE), bytes }
}

fn run(memory: &ByteArray, abi: Abi, argument: u64) -> Result<u64, EvalError> {
    let span = CODE..CODE + memory.bytes.len() as u64;
    evaluate(memory, HostAddr(CODE), span, abi, argument)
}

fn evaluate_for_2(code: &[u8], words: &[(u64, u64)]) -> Result<u64, EvalError> {
    run(&module(code, words), Abi::SysV, 2)
}

/// test edi,edi; je 1f; cmp edi,2; je 2f; xor eax,eax; ret; 1: xor eax,eax; ret; 2: lea rax,[rip+0x100000]; ret
const STATIC_ARRAY: &[u8] = &[
    0x85, 0xFF, 0x74, 0x08, 0x83, 0xFF, 0x02, 0x74, 0x06, 0x31, 0xC0, 0xC3, 0x31, 0xC0, 0xC3, 0x48, 0x8D,
    0x05, 0x00, 0x00, 0x10, 0x00, 0xC3,
];

#[test]
fn a_static_array_as_in_genesis_plus_gx_and_fceumm() {
    assert_eq!(evaluate_for_2(STATIC_ARRAY, &[]), Ok(CODE + 22 + 0x10_0000));
    assert_eq!(run(&module(STATIC_ARRAY, &[]), Abi::SysV, 0), Ok(0));
    assert_eq!(run(&module(STATIC_ARRAY, &[]), Abi::SysV, 7), Ok(0));
}

/// A log line before the answer: ..., cmp byte [system_hw],0x84; je 2f; ...; call rcx; lea rax,[work_ram]; ...
const LOG_FIRST: &[u8] = &[
    0x85, 0xFF, 0x74, 0x38, 0x83, 0xFF, 0x02, 0x75, 0x33, 0x48, 0x83, 0xEC, 0x08, 0x48, 0x8D, 0x05, 0x00,
    0x10, 0x00, 0x00, 0x48, 0x8B, 0x0D, 0x00, 0x20, 0x00, 0x00, 0x80, 0x38, 0x84, 0x74, 0x1F, 0x31, 0xC0,
    0x48, 0x8D, 0x35, 0x00, 0x01, 0x00, 0x00, 0xBF, 0x01, 0x00, 0x00, 0x00, 0xFF, 0xD1, 0x48, 0x8D, 0x05,
    0x00, 0x00, 0x10, 0x00, 0x48, 0x83, 0xC4, 0x08, 0xC3, 0x31, 0xC0, 0xC3, 0x48, 0x8D, 0x05, 0x00, 0x30,
    0x00, 0x00, 0x48, 0x83, 0xC4, 0x08, 0x48, 0x05, 0x88, 0x00, 0x86, 0x00, 0xC3,
];

#[test]
fn a_log_line_is_stepped_over_when_the_answer_does_not_depend_on_it() {
    let log = (27 + 0x2000, 0x7000_0000);
    assert_eq!(evaluate_for_2(LOG_FIRST, &[(20 + 0x1000, 0x80), log]), Ok(CODE + 55 + 0x10_0000));
    assert_eq!(evaluate_for_2(LOG_FIRST, &[(20 + 0x1000, 0x84), log]), Ok(CODE + 70 + 0x3000 + 0x86_0088));
    // The same with a log function inside the module that cannot be evaluated (cpuid is at 0x3800).
    let mut inside = module(LOG_FIRST, &[(20 + 0x1000, 0x80), (27 + 0x2000, CODE + 0x3800)]);
    inside.bytes[0x3800..0x3802].copy_from_slice(&[0x0F, 0xA2]);
    assert_eq!(run(&inside, Abi::SysV, 2), Ok(CODE + 55 + 0x10_0000));
}

/// mov rax,[rip+..]; test byte [rax+0x14],0x10; mov rax,[rip+..]; je 3f; add rax,0x20000; ret; 3: ret
const GOT_STRUCT: &[u8] = &[
    0x85, 0xFF, 0x74, 0x05, 0x83, 0xFF, 0x02, 0x74, 0x03, 0x31, 0xC0, 0xC3, 0x48, 0x8B, 0x05, 0x00, 0x10,
    0x00, 0x00, 0xF6, 0x40, 0x14, 0x10, 0x48, 0x8B, 0x05, 0x00, 0x20, 0x00, 0x00, 0x74, 0x07, 0x48, 0x05,
    0x00, 0x00, 0x02, 0x00, 0xC3, 0xC3,
];

#[test]
fn a_structure_behind_the_offset_table_as_in_picodrive() {
    let tables = [(19 + 0x1000, CODE + 0x3000), (30 + 0x2000, 0x5555_0000)];
    let with_flags = |flags| evaluate_for_2(GOT_STRUCT, &[tables[0], tables[1], (0x3014, flags)]);
    assert_eq!(with_flags(0x01), Ok(0x5555_0000));
    assert_eq!(with_flags(0x10), Ok(0x5557_0000));
}

#[test]
fn sizes_by_sbb_sete_shl_and_bt() {
    // mov rax,[rip]; movzx eax,word [rax+0x14]; and eax,0x10; cmp ax,1; sbb rdx,rdx; and edx,0xe000; add rdx,0x2000; ...
    let picodrive = [
        0x48, 0x8B, 0x05, 0x00, 0x10, 0x00, 0x00, 0x0F, 0xB7, 0x40, 0x14, 0x83, 0xE0, 0x10, 0x66, 0x83, 0xF8,
        0x01, 0x48, 0x19, 0xD2, 0x81, 0xE2, 0x00, 0xE0, 0x00, 0x00, 0x48, 0x81, 0xC2, 0x00, 0x20, 0x00, 0x00,
        0x48, 0x89, 0xD0, 0xC3,
    ];
    let structure = (7 + 0x1000, CODE + 0x3000);
    assert_eq!(evaluate_for_2(&picodrive, &[structure, (0x3014, 0x01)]), Ok(0x1_0000));
    assert_eq!(evaluate_for_2(&picodrive, &[structure, (0x3014, 0x11)]), Ok(0x2000));
    // xor eax,eax; cmp edi,2; sete al; shl rax,11; ret
    let fceumm = [0x31, 0xC0, 0x83, 0xFF, 0x02, 0x0F, 0x94, 0xC0, 0x48, 0xC1, 0xE0, 0x0B, 0xC3];
    assert_eq!(evaluate_for_2(&fceumm, &[]), Ok(0x800));
    assert_eq!(run(&module(&fceumm, &[]), Abi::SysV, 3), Ok(0));
    // lea rax,[rip]; movzx eax,byte [rax]; movabs rdx,0x6000000060000001; sub eax,3; bt rdx,rax; jnc 1f; ...
    let gpgx = [
        0x48, 0x8D, 0x05, 0x00, 0x10, 0x00, 0x00, 0x0F, 0xB6, 0x00, 0x48, 0xBA, 0x01, 0x00, 0x00, 0x60, 0x00,
        0x00, 0x00, 0x60, 0x83, 0xE8, 0x03, 0x48, 0x0F, 0xA3, 0xC2, 0x73, 0x06, 0xB8, 0x00, 0x20, 0x00, 0x00,
        0xC3, 0xB8, 0x00, 0x00, 0x01, 0x00, 0xC3,
    ];
    assert_eq!(evaluate_for_2(&gpgx, &[(7 + 0x1000, 0x20)]), Ok(0x2000)); // bit 29
    assert_eq!(evaluate_for_2(&gpgx, &[(7 + 0x1000, 0x10)]), Ok(0x1_0000));
}

#[test]
fn pointers_as_in_nestopia_blastem_and_final_burn() {
    // cmp edi,2; jne 1f; mov rax,[rip]; mov rax,[rax+0x10]; sub rax,-128; ret; 1: ...
    let nestopia = [
        0x83, 0xFF, 0x02, 0x75, 0x10, 0x48, 0x8B, 0x05, 0x00, 0x10, 0x00, 0x00, 0x48, 0x8B, 0x40, 0x10, 0x48,
        0x83, 0xE8, 0x80, 0xC3, 0x31, 0xC0, 0xC3,
    ];
    let words = [(12 + 0x1000, CODE + 0x3000), (0x3010, 0x7000_0000)];
    assert_eq!(evaluate_for_2(&nestopia, &words), Ok(0x7000_0080));
    // Without optimisation: push rbp; mov rbp,rsp; mov [rbp-4],edi; cmp dword [rbp-4],2; ...; three loads; leave; ret
    let blastem = [
        0x55, 0x48, 0x89, 0xE5, 0x89, 0x7D, 0xFC, 0x83, 0x7D, 0xFC, 0x02, 0x75, 0x10, 0x48, 0x8B, 0x05, 0x00,
        0x10, 0x00, 0x00, 0x48, 0x8B, 0x00, 0x48, 0x8B, 0x40, 0x48, 0xC9, 0xC3, 0xB8, 0x00, 0x00, 0x00, 0x00,
        0x5D, 0xC3,
    ];
    let words = [(20 + 0x1000, CODE + 0x3000), (0x3000, CODE + 0x3100), (0x3148, 0x7FFF_1230)];
    assert_eq!(evaluate_for_2(&blastem, &words), Ok(0x7FFF_1230));
    assert_eq!(run(&module(&blastem, &words), Abi::SysV, 0), Ok(0));
    // xor eax,eax; cmp edi,2; cmove rax,[rip]; ret
    let final_burn = [0x31, 0xC0, 0x83, 0xFF, 0x02, 0x48, 0x0F, 0x44, 0x05, 0x00, 0x10, 0x00, 0x00, 0xC3];
    assert_eq!(evaluate_for_2(&final_burn, &[(13 + 0x1000, 0xABCD_0000)]), Ok(0xABCD_0000));
    assert_eq!(run(&module(&final_burn, &[(13 + 0x1000, 5)]), Abi::SysV, 1), Ok(0));
}

#[test]
fn a_jump_table_and_a_call_inside_the_module_are_followed() {
    // endbr64; cmp edi,3; ja 1f; lea rdx,[rip]; mov edi,edi; movsxd rax,[rdx+rdi*4]; add rax,rdx; notrack jmp rax; 1: ...
    let table = [
        0xF3, 0x0F, 0x1E, 0xFA, 0x83, 0xFF, 0x03, 0x77, 0x13, 0x48, 0x8D, 0x15, 0x00, 0x10, 0x00, 0x00, 0x89,
        0xFF, 0x48, 0x63, 0x04, 0xBA, 0x48, 0x01, 0xD0, 0x3E, 0xFF, 0xE0, 0x31, 0xC0, 0xC3,
    ];
    let back = u64::from(28_u32.wrapping_sub(16 + 0x1000));
    assert_eq!(evaluate_for_2(&table, &[(16 + 0x1000 + 8, back)]), Ok(0));
    // cmp edi,2; jne 1f; push rbx; mov ebx,0x40; call 2f; add rax,rbx; pop rbx; ret; ...; 2: mov rax,[rip]; ret
    let inner = [
        0x83, 0xFF, 0x02, 0x75, 0x10, 0x53, 0xBB, 0x40, 0x00, 0x00, 0x00, 0xE8, 0x08, 0x00, 0x00, 0x00, 0x48,
        0x01, 0xD8, 0x5B, 0xC3, 0x31, 0xC0, 0xC3, 0x48, 0x8B, 0x05, 0x00, 0x10, 0x00, 0x00, 0xC3,
    ];
    assert_eq!(evaluate_for_2(&inner, &[(31 + 0x1000, 0x6000_0000)]), Ok(0x6000_0040));
}

#[test]
fn windows_passes_the_argument_in_rcx() {
    // cmp ecx,2; jne 1f; mov rax,[rip]; ret; 1: xor eax,eax; ret
    let code =
        [0x83, 0xF9, 0x02, 0x75, 0x08, 0x48, 0x8B, 0x05, 0x00, 0x10, 0x00, 0x00, 0xC3, 0x31, 0xC0, 0xC3];
    let memory = module(&code, &[(12 + 0x1000, 0x1234_5678)]);
    assert_eq!(run(&memory, Abi::Win64, 2), Ok(0x1234_5678));
    assert!(matches!(run(&memory, Abi::SysV, 2), Err(EvalError::Unknown { what: "a condition", .. })));
}

fn run_32(code: &[u8], words: &[(u64, u64)], argument: u64) -> Result<u64, EvalError> {
    run(&module(code, words), Abi::Cdecl, argument)
}

#[test]
fn windows_passes_arguments_of_32_bit_functions_on_the_stack() {
    // mov eax,[esp+4]; test eax,eax; je 1f; cmp eax,2; mov edx,0; mov eax,imm32; cmovne eax,edx; ret; 1: cmp byte [addr],0;
    // cmovne eax,[addr]; ret: as GCC compiles Genesis Plus GX for i686.
    let data = [
        0x8B, 0x44, 0x24, 0x04, 0x85, 0xC0, 0x74, 0x11, 0x83, 0xF8, 0x02, 0xBA, 0x00, 0x00, 0x00, 0x00, 0xB8,
        0x40, 0x58, 0x1D, 0xF0, 0x0F, 0x45, 0xC2, 0xC3, 0x80, 0x3D, 0x00, 0x10, 0x10, 0x00, 0x00, 0x0F, 0x45,
        0x05, 0x08, 0x10, 0x10, 0x00, 0xC3,
    ];
    let words = [(0x1000, 1), (0x1008, 0xAAAA_AAAA_7000_0000)];
    assert_eq!(run_32(&data, &words, 2), Ok(0xF01D_5840));
    assert_eq!(run_32(&data, &words, 3), Ok(0));
    assert_eq!(run_32(&data, &words, 0), Ok(0x7000_0000));
    // mov eax,[esp+4]; cmp eax,2; sete al; movzx eax,al; shl eax,16; ret
    let size = [
        0x8B, 0x44, 0x24, 0x04, 0x83, 0xF8, 0x02, 0x0F, 0x94, 0xC0, 0x0F, 0xB6, 0xC0, 0xC1, 0xE0, 0x10, 0xC3,
    ];
    assert_eq!(run_32(&size, &[], 2), Ok(0x1_0000));
    // Without optimisation: push ebp; mov ebp,esp; mov eax,[ebp+8]; push eax; dec eax; pop edx; lea eax,[edx+eax*4-1]; leave; ret
    let frame = [0x55, 0x89, 0xE5, 0x8B, 0x45, 0x08, 0x50, 0x48, 0x5A, 0x8D, 0x44, 0x82, 0xFF, 0xC9, 0xC3];
    assert_eq!(run_32(&frame, &[], 2), Ok(2 + 4 - 1));
    assert_eq!(run_32(&frame, &[], 0), Ok(0xFFFF_FFFB), "addresses wrap at 4 GiB");
}

#[test]
fn a_32_bit_jump_table_and_calls_are_followed() {
    // mov eax,[esp+4]; jmp [eax*4+0x101000]
    let table = [0x8B, 0x44, 0x24, 0x04, 0xFF, 0x24, 0x85, 0x00, 0x10, 0x10, 0x00];
    let with = |code: &[u8], words: &[(u64, u64)]| run_32(&[&table, code].concat(), words, 2);
    // push 7; call 1f; add eax,[esp+4]; ret; 1: mov eax,[esp+4]; ret 4
    let removes_its_argument = [
        0x6A, 0x07, 0xE8, 0x05, 0x00, 0x00, 0x00, 0x03, 0x44, 0x24, 0x04, 0xC3, 0x8B, 0x44, 0x24, 0x04, 0xC2,
        0x04, 0x00,
    ];
    assert_eq!(with(&removes_its_argument, &[(0x1008, CODE + 11)]), Ok(7 + 2));
    // push 7; call out of the module; add esp,4; mov eax,0x1234; ret
    let mut logs =
        vec![0x6A, 0x07, 0xE8, 0xFF, 0xFF, 0xFF, 0x7F, 0x83, 0xC4, 0x04, 0xB8, 0x34, 0x12, 0x00, 0x00, 0xC3];
    assert_eq!(with(&logs, &[(0x1008, CODE + 11)]), Ok(0x1234));
    // The same as if the function took its argument from the stack: it was not followed, so where the stack ends is not known.
    logs.drain(7..10);
    let error = with(&logs, &[(0x1008, CODE + 11)]).unwrap_err().to_string();
    assert!(error.contains("the return address") && error.contains("depends on the call"), "{error}");
}

#[test]
fn whatever_is_not_known_stops_it_and_is_named() {
    let error = |code: &[u8]| evaluate_for_2(code, &[]).unwrap_err().to_string();
    assert_eq!(error(&[0x0F, 0xA2, 0xC3]), "the instruction Cpuid at 0x100000 is not supported");
    let movaps = [0x0F, 0x28, 0x05, 0x00, 0x01, 0x00, 0x00, 0xC3];
    assert!(error(&movaps).starts_with("the instruction Movaps_xmm_xmmm128 at 0x100000"));
    let thread_local = [0x64, 0x48, 0x8B, 0x04, 0x25, 0, 0, 0, 0, 0xC3];
    assert_eq!(error(&thread_local), "thread-local memory at 0x100000 is unknown");
    let writes = [0xC7, 0x05, 0x00, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0xC3];
    assert_eq!(error(&writes), "the code at 0x100000 writes to 0x10010a");
    assert_eq!(error(&[0xEB, 0xFE]), "the code runs more than 512 instructions");
    assert_eq!(error(&[0x48, 0x89, 0xD8, 0xC3]), "the result at 0x100000 is unknown"); // mov rax,rbx
    assert_eq!(error(&[0xE9, 0x00, 0x00, 0x00, 0x70]), "the code leaves its module at 0x70100005");
    assert_eq!(error(&[0x0F, 0x0B]), "the instruction Ud2 at 0x100000 is not supported");
    assert_eq!(error(&[0x06]), "the code at 0x100000 cannot be read"); // no instruction in 64-bit mode
    // mov rax,[0x10]; ret
    let null = [0x48, 0x8B, 0x04, 0x25, 0x10, 0, 0, 0, 0xC3];
    assert_eq!(error(&null), "the code at 0x100000 reads 0x10, which cannot be read");
}

/// sub rsp,0x18; mov qword [rsp],9; mov qword [rsp+8],5; `prepare`; call out of the module; mov rax,[rsp+`from`]; add rsp,0x18; ret
fn with_locals(prepare: &[u8], from: u8) -> Result<u64, EvalError> {
    let mut code = vec![0x48, 0x83, 0xEC, 0x18];
    code.extend([0x48, 0xC7, 0x04, 0x24, 9, 0, 0, 0]);
    code.extend([0x48, 0xC7, 0x44, 0x24, 0x08, 5, 0, 0, 0]);
    code.extend(prepare);
    code.extend([0xE8, 0xFF, 0xFF, 0xFF, 0x7F]);
    code.extend([0x48, 0x8B, 0x44, 0x24, from, 0x48, 0x83, 0xC4, 0x18, 0xC3]);
    evaluate_for_2(&code, &[])
}

#[test]
fn a_local_variable_whose_address_a_skipped_call_was_given_is_unknown() {
    // lea rdi,[rsp+8]
    let passes_second = [0x48, 0x8D, 0x7C, 0x24, 0x08];
    assert_eq!(with_locals(&[], 8), Ok(5), "no address is passed");
    assert_eq!(with_locals(&passes_second, 0), Ok(9), "the other variable is below the one that is passed");
    let stuck = with_locals(&passes_second, 8).unwrap_err().to_string();
    assert!(stuck.contains("the result") && stuck.contains("depends on the call"), "{stuck}");
    // lea rax,[rsp]; mov [rsp+8],rax: the argument contains the address of the other variable.
    let holds_first = [0x48, 0x8D, 0x04, 0x24, 0x48, 0x89, 0x44, 0x24, 0x08];
    assert!(with_locals(&[&holds_first[..], &passes_second].concat(), 0).is_err());
}

#[test]
fn a_result_that_depends_on_a_call_is_refused_and_the_call_named() {
    // sub rsp,8; call [rip]; mov rax,[rax+8]; add rsp,8; ret
    let code = [
        0x48, 0x83, 0xEC, 0x08, 0xFF, 0x15, 0x00, 0x10, 0x00, 0x00, 0x48, 0x8B, 0x40, 0x08, 0x48, 0x83, 0xC4,
        0x08, 0xC3,
    ];
    let error = evaluate_for_2(&code, &[(10 + 0x1000, 0x7000_0000)]).unwrap_err().to_string();
    assert_eq!(
        error,
        "an address at 0x10000a is unknown: it depends on the call at 0x100004; in it, the code leaves its module at 0x70000000"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_or_run_on(code in prop::collection::vec(any::<u8>(), 0..64), argument: u64) {
        let memory = module(&code, &[]);
        let _ = run(&memory, Abi::SysV, argument);
        let _ = run(&memory, Abi::Win64, argument);
        let _ = run(&memory, Abi::Cdecl, argument);
    }

    /// Against the language's own arithmetic: mov rax,rdi is not enough of a test for flags.
    #[test]
    fn comparisons_agree_with_the_language(left: u32, right: u32) {
        // cmp edi,imm32; setX al; movzx eax,al; ret
        let with = |set: u8| {
            let mut code = vec![0x81, 0xFF];
            code.extend(right.to_le_bytes());
            code.extend([0x0F, set, 0xC0, 0x0F, 0xB6, 0xC0, 0xC3]);
            run(&module(&code, &[]), Abi::SysV, left.into()).unwrap() == 1
        };
        let (signed_left, signed_right) = (left.cast_signed(), right.cast_signed());
        prop_assert_eq!(with(0x92), left < right); // setb
        prop_assert_eq!(with(0x93), left >= right);
        prop_assert_eq!(with(0x94), left == right);
        prop_assert_eq!(with(0x96), left <= right);
        prop_assert_eq!(with(0x97), left > right);
        prop_assert_eq!(with(0x9C), signed_left < signed_right);
        prop_assert_eq!(with(0x9D), signed_left >= signed_right);
        prop_assert_eq!(with(0x9E), signed_left <= signed_right);
        prop_assert_eq!(with(0x9F), signed_left > signed_right);
        prop_assert_eq!(with(0x90), signed_left.overflowing_sub(signed_right).1);
        prop_assert_eq!(with(0x98), signed_left.wrapping_sub(signed_right) < 0);
    }

    #[test]
    fn shifts_and_sums_agree_with_the_language(value: u32, by in 0_u8..32) {
        let with = |code: &[u8]| run(&module(code, &[]), Abi::SysV, value.into());
        // mov eax,edi; shl/shr/sar eax,imm8; ret
        prop_assert_eq!(with(&[0x89, 0xF8, 0xC1, 0xE0, by, 0xC3]), Ok((value << by).into()));
        prop_assert_eq!(with(&[0x89, 0xF8, 0xC1, 0xE8, by, 0xC3]), Ok((value >> by).into()));
        let sar = (value.cast_signed() >> by).cast_unsigned();
        prop_assert_eq!(with(&[0x89, 0xF8, 0xC1, 0xF8, by, 0xC3]), Ok(sar.into()));
        // movsx rax,dil; ret
        let extended = i64::from(value.to_le_bytes()[0].cast_signed()).cast_unsigned();
        prop_assert_eq!(with(&[0x48, 0x0F, 0xBE, 0xC7, 0xC3]), Ok(extended));
        // lea rax,[rdi+rdi*4+7]; ret
        prop_assert_eq!(with(&[0x48, 0x8D, 0x44, 0xBF, 0x07, 0xC3]), Ok(u64::from(value) * 5 + 7));
    }
}
