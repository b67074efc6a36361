//! Selection of a value type.

use crate::console::{Endian, Snapshot};
use crate::profile::{Field, FieldKind};
use crate::research::watch::{Watch, name_of_type};
use crate::research::{Address, Kind, ValueType};
use eframe::egui::{ComboBox, Id, Ui};

/// A choice from the list of types: each watch keeps the rest of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeChange {
    Kind(Kind),
    Order(Endian),
}

impl TypeChange {
    /// The changed type; the same one if there is no such type.
    pub fn apply(self, ty: ValueType) -> ValueType {
        match self {
            Self::Kind(kind) => ValueType::new(kind, ty.order()),
            Self::Order(order) => ValueType::new(ty.kind(), order),
        }
        .unwrap_or(ty)
    }
}

/// A combo box with all types for several watches, which may differ.
pub fn choose_for_all(ui: &mut Ui, name: &str, types: &[ValueType]) -> Option<TypeChange> {
    let first = *types.first()?;
    if types.iter().all(|ty| *ty == first) {
        let mut ty = first;
        return choose(ui, "several", name, &mut ty).then_some(if ty.kind() == first.kind() {
            TypeChange::Order(ty.order())
        } else {
            TypeChange::Kind(ty.kind())
        });
    }
    let mut chosen = None;
    let shown =
        ComboBox::from_id_salt("types of several").selected_text("Mixed").width(58.0).height(LIST_HEIGHT);
    let shown = shown.show_ui(ui, |ui| {
        for (order, text) in ORDERS {
            if ui.selectable_label(false, text).clicked() {
                chosen = Some(TypeChange::Order(order));
            }
        }
        ui.separator();
        for kind in Kind::NUMBERS {
            if ui.selectable_label(false, kind.to_string()).clicked() {
                chosen = Some(TypeChange::Kind(kind));
            }
        }
    });
    shown.response.accessible_name(name).on_hover_text(format!("{name}: they differ"));
    chosen
}

const LIST_HEIGHT: f32 = 460.0;
const ORDERS: [(Endian, &str); 2] = [(Endian::Big, "Big-endian"), (Endian::Little, "Little-endian")];

/// A combo box with all types; returns whether the selection changed. `name` is the accessible label.
pub fn choose(
    ui: &mut Ui,
    salt: impl std::hash::Hash + std::fmt::Debug,
    name: &str,
    ty: &mut ValueType,
) -> bool {
    let before = *ty;
    let shown = ComboBox::from_id_salt(Id::unique(("type", salt)))
        .selected_text(name_of_type(*ty))
        .width(58.0)
        .height(LIST_HEIGHT)
        .show_ui(ui, |ui| {
            // First, because the list may have to be scrolled.
            for (order, text) in ORDERS {
                if ui.selectable_label(before.order() == order, text).clicked() {
                    *ty = ValueType::new(before.kind(), order).unwrap_or(before);
                }
            }
            ui.separator();
            let len = u16::try_from(before.width()).unwrap_or(1);
            for kind in Kind::NUMBERS.into_iter().chain([Kind::Bytes { len }]) {
                let Ok(offered) = ValueType::new(kind, before.order()) else { continue };
                let text = format!("{}, {kind}", name_of_type(offered));
                if ui.selectable_label(before == offered, text).clicked() {
                    *ty = offered;
                }
            }
        });
    shown.response.accessible_name(name).on_hover_text(format!("{}: {}", name, before.kind()));
    *ty != before
}

/// The default type for a number of bytes.
pub fn of_bytes(len: usize, order: Endian) -> ValueType {
    let kind = match len {
        0 | 1 => Kind::U8,
        2 => Kind::U16,
        4 => Kind::U32,
        8 => Kind::U64,
        _ => Kind::Bytes { len: u16::try_from(len).unwrap_or(u16::MAX).min(MAX_BYTES) },
    };
    ValueType::new(kind, order).unwrap_or(ValueType::BYTE)
}

/// Maximum length of a watch in bytes.
const MAX_BYTES: u16 = 256;

/// The type to watch a profile field with.
pub fn of_field(field: &Field, order: Endian) -> ValueType {
    let kind = match field.kind {
        FieldKind::U8 => Kind::U8,
        FieldKind::U16 => Kind::U16,
        FieldKind::U32 => Kind::U32,
        FieldKind::I8 => Kind::I8,
        FieldKind::I16 => Kind::I16,
        FieldKind::I32 => Kind::I32,
        FieldKind::Bcd { length } => match u8::try_from(length) {
            Ok(bytes @ 1..=4) => Kind::Bcd { bytes },
            _ => return of_bytes(field.len(), order),
        },
        FieldKind::Bytes { .. } | FieldKind::Text { .. } => {
            Kind::Bytes { len: u16::try_from(field.len()).unwrap_or(u16::MAX).min(MAX_BYTES) }
        }
    };
    ValueType::new(kind, order).unwrap_or(ValueType::BYTE)
}

/// A watch of a profile field.
pub fn watch_of_field(field: &Field, snapshot: &Snapshot) -> Watch {
    let address = field.address_in(snapshot).unwrap_or(field.address);
    let ty = of_field(field, snapshot.domain().endian);
    Watch { label: field.name.clone(), ..Watch::new(Address(address.0.into()), ty) }
}

/// The profile's type for a watch, if its byte order is that of the console.
pub fn to_field(ty: ValueType, order: Endian) -> FieldKind {
    let length = u32::try_from(ty.width()).unwrap_or(1);
    if ty.width() > 1 && ty.order() != order {
        return FieldKind::Bytes { length };
    }
    match ty.kind() {
        Kind::U8 | Kind::Nibble | Kind::BitCount => FieldKind::U8,
        Kind::I8 => FieldKind::I8,
        Kind::U16 => FieldKind::U16,
        Kind::I16 => FieldKind::I16,
        Kind::U32 => FieldKind::U32,
        Kind::I32 => FieldKind::I32,
        Kind::Bcd { .. } => FieldKind::Bcd { length },
        Kind::U64 | Kind::I64 | Kind::F32 | Kind::F64 | Kind::Bytes { .. } => FieldKind::Bytes { length },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_reads_numbers_in_the_order_of_the_console_only() {
        let of = |kind, order| ValueType::new(kind, order).unwrap();
        let field = |kind, order| to_field(of(kind, order), Endian::Big);
        assert_eq!(field(Kind::U16, Endian::Big), FieldKind::U16);
        assert_eq!(field(Kind::U16, Endian::Little), FieldKind::Bytes { length: 2 });
        assert_eq!(field(Kind::I8, Endian::Little), FieldKind::I8);
        assert_eq!(field(Kind::Bcd { bytes: 3 }, Endian::Big), FieldKind::Bcd { length: 3 });
        assert_eq!(field(Kind::F64, Endian::Big), FieldKind::Bytes { length: 8 });
        assert_eq!(of_bytes(3, Endian::Big).kind(), Kind::Bytes { len: 3 });
        assert_eq!(of_bytes(2, Endian::Little), of(Kind::U16, Endian::Little));
    }
}
