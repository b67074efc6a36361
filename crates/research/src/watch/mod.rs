//! Watch lists, and the files that other programs keep theirs in.

mod cheat_table;
mod convert;
mod csv_file;
mod file;
mod list;
pub mod wch;

pub use cheat_table::{CheatTable, CheatTableError, read_cheat_table};
pub use convert::LeftOut;
pub use csv_file::{CsvError, name_of_type, read_csv, to_csv, type_of_name};
pub use file::{ListContext, ListKind, OpenedList, read_list, write_list};
pub use list::{Display, Entry, HISTORY_MOST, Watch, WatchList, WatchState};
