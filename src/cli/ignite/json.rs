//! The answer for programs.

use super::{Answer, Arguments, Asked};
use crate::pochi::{Evaluation, NeedleRule, Place};
use serde_json::{Value, json};

/// A place as column and row.
pub fn place(at: Place) -> Value {
    json!([at.x, at.y])
}

impl Answer {
    pub fn json(&self, asked: &Asked, arguments: &Arguments) -> Value {
        let mut object = asked.besides.clone();
        object.insert("grid".into(), asked.field.to_text().lines().collect());
        if asked.rules.needle() != NeedleRule::All {
            object.insert("needle_rule".into(), asked.rules.needle().id().into());
        }
        if let Some([mvs, ps2]) = &self.evaluations {
            let starts = mvs.waves.first().into_iter().flatten();
            let color = starts.clone().find_map(|block| asked.field.get(block.at));
            let named = match asked.ignition {
                Some(crate::pochi::Ignition::Needle { color, .. }) => color,
                _ => None,
            };
            let letter = color.or(named).map(|color| color.letter().to_string());
            object.insert("color".into(), letter.into());
            object.insert("starts".into(), starts.map(|block| place(block.at)).collect());
            object.insert("mvs".into(), evaluation(mvs, arguments.waves));
            object.insert("ps2".into(), evaluation(ps2, arguments.waves));
            let open = [mvs, ps2].into_iter().flat_map(|told| {
                told.openings.iter().map(|open| {
                    json!({
                        "rules": told.ruleset.name().to_ascii_lowercase(), "question": open.question.id(),
                        "answer": asked.rules.answer(open.question), "other_value": open.other_value,
                        "mattered": open.mattered,
                    })
                })
            });
            object.insert("open".into(), open.collect());
        }
        if let Some(more) = &self.more {
            let more = more
                .iter()
                .map(|(at, values)| json!({ "x": at.x, "y": at.y, "mvs": values.mvs, "ps2": values.ps2 }));
            object.insert("one_more".into(), more.collect());
        }
        if let Some([code, link]) = &self.codes {
            object.insert("code".into(), code.as_str().into());
            object.insert("link".into(), link.as_str().into());
        }
        Value::Object(object)
    }
}

fn evaluation(told: &Evaluation, waves: bool) -> Value {
    let tails: Vec<Vec<u32>> = told
        .structures
        .iter()
        .map(|structure| structure.tails.iter().map(|tail| tail.value).collect())
        .collect();
    let ends: Vec<Vec<Value>> = told
        .structures
        .iter()
        .map(|structure| structure.tails.iter().map(|tail| place(tail.at)).collect())
        .collect();
    let mut object = json!({
        "value": told.value, "base": told.base, "bonus": told.bonus, "counted": told.counted,
        "max_tails": told.max_tails, "tails": tails, "ends": ends,
    });
    if told.openings.iter().any(|open| open.mattered) {
        object["between"] = json!([told.lowest, told.highest]);
    }
    if waves {
        let block = |block: &crate::pochi::Reached| {
            let from: Vec<Value> = block.from.iter().map(|from| place(*from)).collect();
            json!({ "at": place(block.at), "structure": block.structure, "from": from })
        };
        object["waves"] = told.waves.iter().map(|wave| wave.iter().map(block).collect::<Value>()).collect();
    }
    object
}
