//! The value of an ignition under both rules.

use super::request::Request;
use crate::cli::exit::{Exit, Failure, bail_input};
use crate::pochi::{
    Evaluation, GridCell, IgnitionError, Ruleset, Values, evaluate, one_more, to_code, to_link,
};

/// What to calculate and show besides the values.
pub struct Options {
    pub waves: bool,
    pub one_more: bool,
    pub code: bool,
    /// Whether a picture is written, for which a field without an ignition is enough.
    pub picture: bool,
}

pub struct Answer {
    pub evaluations: Option<[Evaluation; 2]>,
    /// The values with one more block, for each empty cell.
    pub more: Option<Vec<(GridCell, Values)>>,
    /// The code and the link.
    pub codes: Option<[String; 2]>,
}

impl Answer {
    pub fn of(request: &Request, options: &Options) -> anyhow::Result<Self> {
        let Request { field, ignition, rules, .. } = request;
        let failure = |error: IgnitionError| Failure::BadInput(error.to_string());
        let only_field = (options.picture || options.code) && !options.waves && !options.one_more;
        let (evaluations, more) = match ignition {
            Some(ignition) => {
                let [mvs, ps2] = Ruleset::ALL.map(|ruleset| evaluate(field, ignition, ruleset, *rules));
                let more = options.one_more.then(|| one_more(field, ignition, *rules)).transpose();
                (Some([mvs.map_err(failure)?, ps2.map_err(failure)?]), more.map_err(failure)?)
            }
            None if only_field => (None, None),
            None => {
                bail_input!(
                    "no ignition: give --needle x,y (column and row from 0 at the top left) or --ignited x,y;x,y, or list \
                            all needles with --rank"
                );
            }
        };
        let codes = if options.code {
            Some([to_code(field, ignition.as_ref())?, to_link(field, ignition.as_ref())?])
        } else {
            None
        };
        Ok(Self { evaluations, more, codes })
    }

    /// Negative if nothing ignites.
    pub fn exit(&self) -> Exit {
        match &self.evaluations {
            Some([mvs, _]) if mvs.structures.is_empty() => Exit::Negative,
            _ => Exit::Success,
        }
    }
}
