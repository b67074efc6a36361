//! Watch lists, and the files that other programs keep theirs in.

mod cheat_table;
mod convert;
mod file;
mod list;
mod table;
pub mod wch;

pub use cheat_table::{CheatTable, CheatTableError, read_cheat_table};
pub use convert::{LeftOut, from_wch, to_wch};
pub use file::{ListKind, OpenedList, Whose, read_list, write_list};
pub use list::{Display, Entry, HISTORY_MOST, Seen, Watch, WatchList};
pub use table::{TableError, name_of_type, read_csv, to_csv, type_of_name};
