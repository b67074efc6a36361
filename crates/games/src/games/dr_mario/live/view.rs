//! The display format of the game.

use crate::games::dr_mario::live::{Mode, Observation, Prediction};
use crate::games::dr_mario::options::parse_state;
use crate::games::dr_mario::starts::frames_between;
use crate::games::dr_mario::{BOOT_STATE, COLUMNS, Cell, Levels, RESERVE, Round, generate_command};
use crate::live::prediction_view::PREVIEW;
use crate::live::{FollowUpRound, GameObservation, GamePrediction, Grid, Player, PredictionView};
use nextscope_boards::Pair;
use serde::Serialize;

/// Rounds of the options screen that are shown with their bottles.
const WITH_BOTTLE: usize = 4;

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        prediction_view(self, prediction)
    }

    fn without_prediction(&self) -> String {
        format!("Generator state: {}", self.state)
    }

    fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details {
            state: String,
            /// Steps from power-on.
            steps: Option<u16>,
            /// The state from which the round was made.
            round_state: Option<String>,
            /// The next rounds of the game, or the rounds for each of the coming frames on the options screen.
            following: Vec<Following>,
        }
        #[derive(Serialize)]
        struct Following {
            state: String,
            levels: Vec<u8>,
            next: Vec<Pair>,
            boards: Vec<Grid>,
        }
        let following = |round: &Round| Following {
            state: round.state.to_string(),
            levels: (0..round.viruses.levels.players())
                .map(|player| round.viruses.levels.of(player))
                .collect(),
            next: first_capsules(round),
            boards: generate_command::bottles(round),
        };
        let rounds = prediction.map_or(&[][..], |prediction| &prediction.following);
        crate::json::value(&Details {
            state: self.state.to_string(),
            steps: BOOT_STATE.distance(self.state),
            round_state: prediction
                .and_then(|prediction| prediction.round.as_ref())
                .map(|round| round.state.to_string()),
            following: rounds.iter().map(|round| following(round)).collect(),
        })
    }

    fn same_pools(&self, other: &Self) -> bool {
        self.reserve == other.reserve
    }

    fn round_key(&self) -> Vec<u8> {
        self.reserve.0.to_vec()
    }

    fn frames_until(&self, state: &str) -> Option<Result<u64, String>> {
        let frames = |chosen| {
            frames_between(self.state, chosen)
                .map(u64::from)
                .ok_or_else(|| format!("the generator never comes from {} to {chosen}", self.state))
        };
        (self.mode == Mode::Options).then(|| parse_state(state).and_then(frames))
    }
}

impl GamePrediction for Prediction {
    fn same_items(&self, other: &Self) -> bool {
        (&self.round, self.thrown) == (&other.round, other.thrown)
    }
}

fn first_capsules(round: &Round) -> Vec<Pair> {
    round.reserve.falling().take(PREVIEW).map(super::super::capsule::Capsule::pair).collect()
}

fn prediction_view(observation: &Observation, prediction: &Prediction) -> PredictionView {
    let follow_up = |(number, round): (usize, &std::sync::Arc<Round>)| {
        let caption = match prediction.round {
            Some(_) => format!("Then, {} ({})", levels_text(round.viruses.levels), round.state),
            None => {
                let frames = crate::text::counted(number as u64 + 1, "frame");
                format!("Start in {frames} ({})", round.state)
            }
        };
        let with_bottle = prediction.round.is_some() || number < WITH_BOTTLE;
        let boards = if with_bottle { generate_command::bottles(round) } else { Vec::new() };
        FollowUpRound { caption, pairs: first_capsules(round), lying: true, boards }
    };
    let follow_ups = prediction.following.iter().enumerate().map(follow_up).collect();
    let players = prediction.round.iter().flat_map(|round| {
        observation.playing().map(|(number, player)| {
            let thrown = prediction.thrown[number];
            let first = thrown.unwrap_or(0);
            let count = u16::try_from(RESERVE).unwrap_or(0);
            let capsule = |number: u16| round.reserve.capsule(number.into()).pair();
            let falls = observation.mode == Mode::Play;
            let viruses =
                player.field.iter().filter(|byte| matches!(Cell::from_byte(**byte), Cell::Virus(_)));
            let viruses = crate::text::counted(viruses.count() as u64, "virus");
            Player {
                title: format!("Player {}", number + 1),
                captions: vec![format!("level {}", round.viruses.levels.of(number)), viruses.clone()],
                current: first.checked_sub(1).filter(|_| falls).map(capsule),
                pairs: (first..first.saturating_add(count)).map(capsule).collect(),
                names: &["next", "second"],
                dealt: Some(first),
                position: match first {
                    0 => "Before the first capsule of the round".into(),
                    first => format!("Capsule {first} of the round"),
                },
                pool: None,
                pool_position: None,
                score: None,
                board: None,
                boards: vec![Grid {
                    caption: format!("Bottle, {viruses}"),
                    columns: COLUMNS,
                    cells: player.field.iter().map(|byte| Cell::from_byte(*byte).item()).collect(),
                }],
                lying: true,
            }
        })
    });
    let note = prediction.round.is_none().then(|| {
        format!(
            "Options screen, state {}: the round depends on the frame in which Start is pressed. `nextscope stats dr-mario --rank top \
            --now {0}` and `nextscope find dr-mario --now {0}` count the frames to wait for a round of your choice",
            observation.state
        )
    });
    PredictionView { players: players.collect(), follow_ups, note, ..PredictionView::default() }
}

fn levels_text(levels: Levels) -> String {
    match levels {
        Levels::One(level) => format!("level {level}"),
        Levels::Two(one, other) => format!("levels {one} and {other}"),
    }
}
