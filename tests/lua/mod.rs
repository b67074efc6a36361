//! The Lua interpreter of the tests (Debian package lua5.4).

#[path = "../programs/mod.rs"]
mod programs;

pub const LUA: &str = "lua5.4";

pub fn is_installed() -> bool {
    programs::is_installed(LUA, LUA)
}
