//! The playfield of `[board]`.

use super::fields::limits;
use crate::games::GameId;
use crate::profile::board::{BOARD_COLORS, BoardLayout, order_name};
use crate::profile::diagnostic::{Code, Diagnostics};
use crate::profile::format::{At, BoardTable};
use crate::profile::games::has_board;
use nextscope_memory::console::{ConsoleAddr, Domain};
use std::collections::BTreeMap;
use std::ops::Range;

pub(super) fn board(
    at: &At<BoardTable>,
    game: Option<GameId>,
    domain: Option<&Domain>,
    found: &mut Diagnostics<'_>,
) -> Option<BoardLayout> {
    let table = at.get()?;
    if let Some(game) = game.filter(|game| !has_board(*game)) {
        let text = format!("{} has no playfield that is read through [board]", game.name());
        found.error(Code::BadReference, at.span(), text);
    }
    for (key, stride) in [("column_stride", &table.column_stride), ("row_stride", &table.row_stride)] {
        if stride.copied() == Some(0) {
            let text = format!("`{key}` of [board] is 0: all cells would be one");
            found.error(Code::BadNumber, stride.span(), text);
        }
    }
    let mask = table.mask.copied().unwrap_or(0xFF);
    let colors = [&table.red, &table.green, &table.blue, &table.yellow];
    board_codes(
        mask,
        std::iter::once(("empty", &table.empty)).chain(BOARD_COLORS.into_iter().zip(colors)),
        found,
    );
    if let (Some(stored), Some(domain)) = (table.stored.copied(), domain)
        && !domain.orders.contains(&stored)
    {
        let text = format!("no emulator stores {} in this order", domain.name);
        let known = domain.orders.iter().map(|order| format!("`{}`", order_name(*order)));
        found
            .error(Code::UnknownName, table.stored.span(), text)
            .help(format!("known: {}", known.collect::<Vec<_>>().join(", ")));
    }
    let mut layout = BoardLayout {
        address: ConsoleAddr(table.address.copied()?),
        second: table.second.copied().map(ConsoleAddr),
        columns: table.columns.copied()?,
        rows: table.rows.copied()?,
        column_stride: table.column_stride.copied().filter(|stride| *stride != 0)?,
        row_stride: table.row_stride.copied().filter(|stride| *stride != 0)?,
        mask,
        empty: table.empty.copied()?,
        codes: colors.map(At::copied),
        stored: table.stored.copied(),
        source: table.source.get()?.clone(),
        confirmed: table.confirmed.copied().unwrap_or(true),
        note: table.note.get().cloned(),
    };
    board_cells(&mut layout, table, domain?, found);
    Some(layout)
}

/// The codes differ, and have no bits outside the mask.
fn board_codes<'a>(
    mask: u8,
    codes: impl Iterator<Item = (&'static str, &'a At<u8>)>,
    found: &mut Diagnostics<'_>,
) {
    let mut known: BTreeMap<u8, (&str, Range<usize>)> = BTreeMap::new();
    for (name, at) in codes {
        let Some(code) = at.copied() else { continue };
        if code & !mask != 0 {
            let text = format!("`{name}` is 0x{code:02X}, which has bits outside the mask 0x{mask:02X}");
            found.error(Code::BadNumber, at.span(), text);
        }
        if let Some((other, span)) = known.get(&code) {
            let text = format!("`{name}` and `{other}` have the same code");
            found.error(Code::Duplicate, at.span(), text).related(span.clone(), format!("`{other}` is here"));
        }
        known.entry(code).or_insert((name, at.span()));
    }
}

/// All cells are in the console's RAM, each on another byte.
fn board_cells(layout: &mut BoardLayout, table: &BoardTable, domain: &Domain, found: &mut Diagnostics<'_>) {
    let mut used: BTreeMap<usize, &'static str> = BTreeMap::new();
    let first = ("the playfield", Some(layout.address), &table.address);
    let second = ("the second playfield", layout.second, &table.second);
    for (what, address, at) in [first, second] {
        let Some(address) = address else { continue };
        let Some(cells) = layout.offsets(domain, address) else {
            let text = format!("{what} at {address} has cells outside {}", domain.name);
            found.error(Code::OutsideDomain, at.span(), text).help(limits(domain));
            continue;
        };
        if let Some(other) = cells.into_iter().find_map(|cell| used.insert(cell, what)) {
            let text = if other == what {
                format!("two cells of {what} are on the same byte")
            } else {
                format!("{what} and {other} share a byte")
            };
            found.error(Code::Overlap, at.span(), text).help("correct the address or the strides");
        }
    }
    for at in std::iter::once(&mut layout.address).chain(&mut layout.second) {
        *at = domain.offset_of(*at).map_or(*at, |offset| domain.address_at(offset)); // as documents write it
    }
}
