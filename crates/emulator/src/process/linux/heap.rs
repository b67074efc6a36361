//! The heap of this process itself.

/// Makes the heap give memory back that is not used any more.
///
/// The GNU C library has up to eight heaps per core, and threads of searches come and go. Each heap keeps what its largest user needed, and
/// a freed block of some megabytes lets it keep as much as that from then on. Measured in the window: 20 to 50 MB were in use, and the
/// process grew to 320 MB in half an hour. This allows two heaps, and takes blocks from 1 MiB on from the system directly.
/// To be called before threads are started. Other C libraries have no such settings and need none.
#[cfg(target_env = "gnu")]
#[expect(unsafe_code, reason = "no crate has a safe function for this")]
pub fn limit_own_heap() {
    const DIRECT_FROM: libc::c_int = 1 << 20;
    for (setting, value) in [
        (libc::M_ARENA_MAX, 2),
        (libc::M_MMAP_THRESHOLD, DIRECT_FROM),
        (libc::M_TRIM_THRESHOLD, 2 * DIRECT_FROM),
    ] {
        // SAFETY: changes how later blocks are allocated, nothing else; a setting that is not known is refused.
        unsafe { libc::mallopt(setting, value) };
    }
}

/// There is nothing to limit in this C library.
#[cfg(not(target_env = "gnu"))]
pub fn limit_own_heap() {}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::limit_own_heap;

    #[test]
    fn large_blocks_are_given_back() {
        limit_own_heap();
        let resident_mb = || {
            let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
            let pages: usize = statm.split_whitespace().nth(1).unwrap().parse().unwrap();
            (pages * 4096) >> 20
        };
        let before = resident_mb();
        // Other tests run beside this one: once is enough. Without the limits, the first freed block makes the heap keep the second one.
        let given_back = || {
            for len in [24 << 20, 20 << 20] {
                drop(std::hint::black_box(vec![1_u8; len]));
            }
            let after = resident_mb();
            std::thread::sleep(std::time::Duration::from_millis(50));
            after < before + 10
        };
        assert!((0..40).any(|_| given_back()), "{before} MB before, {} MB after", resident_mb());
    }
}
