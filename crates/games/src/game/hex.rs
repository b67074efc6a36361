//! States are written as 0x and all their digits.

/// `Display` and `Debug` for a newtype around a number, with a fixed count of hexadecimal digits.
macro_rules! written_in_hex {
    ($name:ident, $digits:literal) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!("0x{:0", $digits, "X}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

pub(in crate::game) use written_in_hex;
