//! The Verify panel: saving reports and opening evidence.

use crate::gui_support::{
    Window, click, draws_until_some, mismatched, recorded, sees, types_into, window_on,
};
use eframe::egui::accesskit::Role;
use eframe::egui::vec2;
use egui_kittest::kittest::Queryable;
use nextscope::gui::{DataSource, Outside, Settings};
use nextscope::live::{RoundHistory, Totals, View};
use std::path::Path;
use std::sync::Arc;

fn window(view: View) -> Window {
    window_on(view, Settings::default(), vec2(1280.0, 800.0))
}

fn save(window: &mut Window, path: &Path) {
    types_into(window, Role::TextInput, "File", &path.display().to_string());
}

#[test]
fn a_report_is_saved_and_a_file_is_overwritten_only_at_the_second_request() {
    let folder = tempfile::tempdir().unwrap();
    let view = mismatched();
    let newest = view.mismatches.last().unwrap().clone();
    let mut window = window(view);
    click(&mut window, "Save report…");
    let page = folder.path().join("report.html");
    save(&mut window, &page);
    let written = std::fs::read_to_string(&page).expect("the report");
    assert!(sees(&window, &format!("Saved {} bytes to {}", written.len(), page.display())));
    assert!(written.starts_with("<!") && written.contains("puyo-tsu-genesis"), "{written}");
    assert!(written.contains(&newest.what), "{written}");

    let issue = folder.path().join("report.md");
    save(&mut window, &issue);
    let written = std::fs::read_to_string(&issue).expect("the report");
    let plain = written.replace('\\', ""); // Markdown escapes parentheses
    assert!(written.starts_with('#') && plain.contains(&newest.what), "{written}");

    std::fs::write(&issue, "mine").unwrap();
    save(&mut window, &issue);
    assert!(sees(&window, "File exists. Save again to overwrite"));
    assert_eq!(std::fs::read_to_string(&issue).unwrap(), "mine");
    click(&mut window, "Save report");
    assert_ne!(std::fs::read_to_string(&issue).unwrap(), "mine");

    save(&mut window, &folder.path().join("report.txt"));
    assert!(sees(&window, "the file name must end in .html or .md"));
    click(&mut window, "Close");
    assert!(window.query_by_label("Close").is_none() && sees(&window, "Save report…"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else was left there");
}

#[test]
fn a_failed_save_is_reported_and_keeps_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let mut closed = vec![file.join("report.md"), folder.path().join("nowhere/report.md")];
    #[cfg(target_os = "linux")]
    closed.push("/proc/report.md".into()); // not even the administrator can write there
    let mut window = window(mismatched());
    click(&mut window, "Save report…");
    for path in closed {
        save(&mut window, &path);
        assert!(sees(&window, &format!("Could not write {}: ", path.display())), "{}", path.display());
        assert!(!path.exists());
        let typed = window.get_by_role_and_label(Role::TextInput, "File").value();
        assert_eq!(typed, Some(path.display().to_string()));
    }
    // The same field saves to a writable folder.
    let path = folder.path().join("report.md");
    save(&mut window, &path);
    assert!(path.exists() && !sees(&window, "Could not write"));
}

#[test]
fn nothing_is_cut_off_and_a_long_path_keeps_both_ends() {
    let window = window(mismatched());
    // The list is longer than its part of the panel: a scroll bar is at the right.
    for word in ["Verified", "Mismatch"] {
        let rect = window.get_all_by_label(word).next().expect("a status").rect();
        assert!(rect.right() <= 1280.0 - 4.0 - 6.0 - 10.0, "{word}: {rect} is below the bar");
    }
    // Both mismatches are visible.
    let mut window = window_on(mismatched(), Settings::default(), vec2(1280.0, 1400.0));
    let path = "/home/user/.local/share/nextscope/evidence/1764000000-77/001";
    let shown = crate::gui_support::label(&window, "77/001");
    let (head, tail) = shown.split_once('…').expect("shortened");
    assert!(path.starts_with(head) && head.len() > 4 && path.ends_with(tail), "{shown}");
    assert_eq!(crate::gui_support::copied(&mut window, "Copy path"), path);
}

#[test]
fn evidence_of_a_mismatch_is_opened_from_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("001.nsrec");
    std::fs::write(&path, recorded(true)).unwrap();
    let mut view = mismatched();
    for mismatch in Arc::make_mut(&mut view.mismatches) {
        mismatch.evidence = Some(path.clone());
    }
    let mut window = window(view);
    window.get_all_by_label("Open evidence").next().expect("a button").click();
    let opened =
        draws_until_some(&mut window, "the evidence", |window| match window.state_mut().0.take_source() {
            Some(DataSource::Recording(recording)) => Some(recording.len()),
            _ => None,
        });
    assert_eq!(opened, 137);
}

#[test]
fn the_rounds_are_listed_with_their_results_and_their_mismatches_summed_up() {
    let mut view = mismatched();
    let totals = |rounds, pairs_verified, mismatches| Totals {
        rounds,
        rounds_verified: rounds,
        pairs_verified,
        mismatches,
        ..Totals::default()
    };
    let mut history = RoundHistory::default();
    for (before, after) in [
        (totals(0, 0, 0), totals(1, 0, 0)),
        (totals(1, 0, 0), totals(1, 40, 2)),
        (totals(1, 40, 2), totals(2, 47, 2)),
    ] {
        history.update(&before, &after);
    }
    view.rounds = history;
    view.totals.rounds = 1;
    let window = window_on(view, Settings::default(), vec2(1280.0, 1600.0));
    assert!(sees(&window, "2 mismatches in this round"));
    assert!(sees(&window, "Round 1: Mismatch, 40 pairs, 2 mismatches"));
    assert!(sees(&window, "Round 2: Verified, 7 pairs"));
    let first = window.get_by_label_contains("Round 2: Verified").rect().top();
    assert!(first < window.get_by_label_contains("Round 1: Mismatch").rect().top(), "newest first");
}

#[test]
fn a_check_is_explained_where_the_pointer_is() {
    let mut window = window_on(mismatched(), Settings::default(), vec2(1280.0, 1600.0));
    let meaning = "Player 1's queue contains the predicted pairs.";
    assert!(!sees(&window, meaning));
    window.get_by_label_contains("Queue, player 1: Mismatch").hover();
    window.run_steps(6);
    assert!(sees(&window, meaning));
}

#[test]
fn bytes_of_a_pool_have_their_picture() {
    let window = window(mismatched());
    assert!(sees(&window, "Expected: blue") && sees(&window, "Actual: purple"));
}

#[test]
fn evidence_is_copied_and_shown_in_its_folder_where_the_mismatch_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("001.nsrec");
    std::fs::write(&path, recorded(true)).unwrap();
    let mut view = mismatched();
    let mismatch = view.mismatches[0].clone();
    view.mismatches = Arc::new(vec![nextscope::live::Mismatch { evidence: Some(path.clone()), ..mismatch }]);
    let mut window = window(view);
    let copy = folder.path().join("copy.nsrec");
    let chosen = copy.clone();
    window.state_mut().0.set_file_dialog(Arc::new(move |request| {
        assert_eq!(request.name.as_deref(), Some("001.nsrec"));
        Ok(vec![chosen.clone()])
    }));
    click(&mut window, "Save as… (recording)");
    crate::gui_support::waits_for(&mut window, &format!("to {}", copy.display()));
    assert_eq!(std::fs::read(&copy).unwrap(), recorded(true));

    let shown = Arc::new(std::sync::Mutex::new(Vec::new()));
    let record = Arc::clone(&shown);
    window.state_mut().0.set_outside(Arc::new(move |what| {
        record.lock().unwrap().push(what.clone());
        Ok(())
    }));
    // The first is that of the mismatch, the second that of the message about the copy.
    window.get_all_by_label("Show in folder").next().expect("a button").click();
    window.run_steps(2);
    crate::gui_support::draws_until(&mut window, "the folder", |_| !shown.lock().unwrap().is_empty());
    assert_eq!(shown.lock().unwrap().as_slice(), [Outside::Folder(path)]);
}
