//! The vector instruction sets of the machine.

use fearless_simd::Level;
#[cfg(target_arch = "x86_64")]
use fearless_simd::Simd;

/// The vector instruction set that something runs with.
#[derive(Debug, Clone, Copy)]
pub struct Vectors(Level);

impl Vectors {
    /// The widest available on this machine.
    pub fn widest() -> Self {
        Self(Level::new())
    }

    /// All available on this machine, the widest first.
    pub fn all() -> Vec<Self> {
        let level = Level::new();
        #[cfg(target_arch = "x86_64")]
        {
            let levels = [
                level.as_avx512().map(Simd::level),
                level.as_avx2().map(Simd::level),
                level.as_sse4_2().map(Simd::level),
                level.as_sse2().map(Simd::level),
            ];
            levels.into_iter().flatten().map(Self).collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            vec![Self(level)]
        }
    }

    /// For `dispatch!`.
    pub fn level(self) -> Level {
        self.0
    }

    /// The display name.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Level::Sse4_2(_) => "SSE4.2",
            #[cfg(target_arch = "x86_64")]
            Level::Sse2(_) => "SSE2",
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => "NEON",
            _ => "plain",
        }
    }
}
