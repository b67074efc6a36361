//! What is asked: where the pairs come from, the board, the goal, and how long to think.

use super::asked::{
    Ground, MOST_CHAIN, MOST_PAIRS, MOST_POINTS, MOST_SECONDS, RouteSettings, Source, Wanted,
};
use super::live::LiveStart;
use crate::gui::scene::Scene;
use crate::gui::widgets::{colors_of_game, mode_and_level};
use eframe::egui::{ComboBox, DragValue, FontId, TextEdit, Ui};
use std::ops::RangeInclusive;

/// Draws where the pairs and the board come from.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, asked: &mut RouteSettings, live: Option<&LiveStart>) {
    ui.horizontal_wrapped(|ui| {
        ui.label("Pairs");
        for source in Source::ALL {
            ui.selectable_value(&mut asked.source, source, source.name());
        }
    });
    ui.horizontal_wrapped(|ui| pairs(ui, scene, asked, live));
    ui.horizontal_wrapped(|ui| ground(ui, asked, live));
    if asked.ground == Ground::Typed {
        board(ui, scene, asked, live);
    }
}

fn number(ui: &mut Ui, name: &str, value: &mut u32, range: RangeInclusive<u32>, meaning: &str) {
    let label = ui.label(name);
    ui.add(DragValue::new(value).range(range).speed(0.2)).labelled_by(label.id).on_hover_text(meaning);
}

/// What belongs to the source, and what is wrong with it.
fn pairs(ui: &mut Ui, scene: &Scene<'_>, asked: &mut RouteSettings, live: Option<&LiveStart>) {
    match asked.source {
        Source::Player1 | Source::Player2 => {
            if let Some(live) = live.filter(|live| !live.pairs.is_empty()) {
                let coming: Vec<String> = live.pairs.iter().take(8).map(|pair| pair.letters()).collect();
                ui.weak(format!("Pair {} is in play: {} …", live.number + 1, coming.join(" ")));
            }
        }
        Source::Tsu => {
            text(ui, "State", &mut asked.state, 100.0, "The generator's state before the round");
            mode_and_level(ui, &mut asked.story, &mut asked.level);
        }
        Source::Anniversary => {
            text(ui, "Seed", &mut asked.seed, 70.0, "0x0000 to 0xFFFF");
            colors_of_game(ui, &mut asked.colors);
        }
        Source::Typed => {
            let width = (ui.available_width() - 180.0).clamp(120.0, 380.0);
            text(ui, "Letters", &mut asked.letters, width, "RR RG BY: the axis of each pair first");
            ui.selectable_value(&mut asked.twentieth, false, "Tsu's board")
                .on_hover_text("14 rows hold puyos, of which 12 are seen");
            ui.selectable_value(&mut asked.twentieth, true, "20th's board")
                .on_hover_text("13 rows hold puyos, of which 12 are seen");
        }
    }
    if matches!(asked.source, Source::Tsu | Source::Anniversary) {
        number(ui, "from pair", &mut asked.first, 1..=u32::from(u16::MAX), "Its number in the round");
    }
    if let Err(why) = asked.dealt(live) {
        ui.colored_label(scene.look.tokens.bad, why);
    }
}

fn text(ui: &mut Ui, name: &str, value: &mut String, width: f32, hint: &str) {
    let label = ui.label(name);
    ui.add(TextEdit::singleline(value).hint_text(hint).desired_width(width))
        .labelled_by(label.id)
        .on_hover_text(hint);
}

/// The board, and by which rules it is played.
fn ground(ui: &mut Ui, asked: &mut RouteSettings, live: Option<&LiveStart>) {
    let follows = asked.source.player().is_some();
    ui.label("Board");
    for ground in Ground::ALL.into_iter().filter(|ground| follows || *ground != Ground::AsItStands) {
        // Only a player has a board that stands.
        let chosen = asked.ground == ground
            || !follows && ground == Ground::Empty && asked.ground == Ground::AsItStands;
        if ui.selectable_label(chosen, ground.name()).clicked() && !chosen {
            asked.ground = ground;
        }
    }
    if follows {
        if asked.ground == Ground::AsItStands && live.is_some_and(|live| live.board.is_none()) {
            ui.weak("Nobody knows where this game keeps its board: an empty one");
        }
    } else {
        number(
            ui,
            "Group of",
            &mut asked.group,
            2..=6,
            "Puyos that pop together, 4 unless an option says otherwise",
        );
    }
}

/// The board that is typed.
fn board(ui: &mut Ui, scene: &Scene<'_>, asked: &mut RouteSettings, live: Option<&LiveStart>) {
    let wrong = asked.field(live).err();
    ui.horizontal_top(|ui| {
        let label = ui.label("Rows or code");
        let field = TextEdit::multiline(&mut asked.board)
            .font(FontId::monospace(12.0))
            .hint_text("rows of 6 letters, the top one first: R G B Y P, O garbage, . nothing; or a puyop code or link")
            .desired_width(300.0)
            .desired_rows(3);
        ui.add(field).labelled_by(label.id);
        if let Some(why) = wrong {
            ui.colored_label(scene.look.tokens.bad, why);
        }
    });
}

/// How many pairs, the goal, and how long to think.
pub fn goal(ui: &mut Ui, asked: &mut RouteSettings) {
    number(ui, "Pairs to use", &mut asked.pairs, 1..=MOST_PAIRS, "At most so many");
    let label = ui.label("Goal");
    let chosen = ComboBox::from_id_salt("goal").selected_text(asked.wanted.name());
    let chosen = chosen.show_ui(ui, |ui| {
        for wanted in Wanted::ALL {
            ui.selectable_value(&mut asked.wanted, wanted, wanted.name());
        }
    });
    chosen.response.labelled_by(label.id);
    match asked.wanted {
        Wanted::Points => number(ui, "at least", &mut asked.points, 1..=MOST_POINTS, "Points in all"),
        Wanted::Garbage => {
            number(ui, "at least", &mut asked.garbage, 1..=MOST_POINTS, "Garbage in all");
            let meaning = "Points that cost one garbage: 70 unless an option says otherwise";
            number(ui, "points each", &mut asked.target_points, 1..=9999, meaning);
        }
        Wanted::ExactChain => number(ui, "steps", &mut asked.chain, 1..=MOST_CHAIN, "No more, no fewer"),
        Wanted::Chain | Wanted::Score | Wanted::AllClear => {}
    }
    number(ui, "Seconds", &mut asked.seconds, 1..=MOST_SECONDS, "How long to think at most");
    number(ui, "Threads", &mut asked.threads, 0..=1024, "0 is as many as the machine has");
}
