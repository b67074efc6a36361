//! Checks that failed in the round under way: they stay failed until it ends, whatever later samples of it show.

use super::{CheckId, Mismatch, Status, Verdict};
use std::collections::BTreeMap;

/// The mismatches of one check in one round.
#[derive(Debug, Clone)]
struct Failure {
    round: u64,
    count: u64,
    /// What the last of them disagreed about, in a sentence.
    what: String,
}

/// The checks that failed, each with the newest round in which it did.
#[derive(Debug, Clone, Default)]
pub(super) struct Failures(BTreeMap<CheckId, Failure>);

impl Failures {
    /// Takes mismatches as they are noticed. Those of a round that is over, noticed late, change nothing for a later one.
    pub fn note(&mut self, mismatches: &[Mismatch]) {
        for mismatch in mismatches {
            let what = mismatch.what.clone();
            match self.0.get_mut(&mismatch.check) {
                Some(failure) if failure.round > mismatch.round => {}
                Some(failure) if failure.round == mismatch.round => {
                    failure.count += 1;
                    failure.what = what;
                }
                _ => {
                    let failure = Failure { round: mismatch.round, count: 1, what };
                    self.0.insert(mismatch.check, failure);
                }
            }
        }
    }

    /// Marks the checks that failed in this round. A check that has nothing to check now (the round is over, or cannot be read) is
    /// left as it is.
    pub fn mark(&self, round: u64, verdict: &mut Verdict) {
        for check in &mut verdict.checks {
            let Some(failure) = self.0.get(&check.id).filter(|failure| failure.round == round) else {
                continue;
            };
            if check.status == Status::Nothing {
                continue;
            }
            let mismatches = if failure.count == 1 { "mismatch" } else { "mismatches" };
            let mut detail = format!("{} {mismatches} in this round: {}", failure.count, failure.what);
            // What the game says of it may tell what follows from it.
            if check.status == Status::Mismatch && check.detail != failure.what {
                detail = format!("{detail}; {}", check.detail);
            }
            check.detail = detail;
            check.status = Status::Mismatch;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::Check;

    fn mismatch(check: CheckId, round: u64, what: &str) -> Mismatch {
        Mismatch {
            check,
            what: what.into(),
            expected: String::new(),
            actual: String::new(),
            field: String::new(),
            index: None,
            frame: 0,
            round,
            evidence: None,
            one_of: false,
        }
    }

    fn marked(failures: &Failures, round: u64, status: Status) -> (Status, String) {
        let check = |id| Check { id, status, detail: "as it is now".into() };
        let mut verdict = Verdict { checks: [CheckId::QueueP1, CheckId::QueueP2].map(check).to_vec() };
        failures.mark(round, &mut verdict);
        assert_eq!(verdict.checks[1], check(CheckId::QueueP2), "the other check did not fail");
        (verdict.checks[0].status, verdict.checks[0].detail.clone())
    }

    #[test]
    fn a_failed_check_stays_failed_until_its_round_is_over() {
        let mut failures = Failures::default();
        failures.note(&[mismatch(CheckId::QueueP1, 3, "pair 5")]);
        assert_eq!(
            marked(&failures, 3, Status::Holds),
            (Status::Mismatch, "1 mismatch in this round: pair 5".into())
        );
        failures.note(&[mismatch(CheckId::QueueP1, 3, "pair 9")]);
        assert_eq!(
            marked(&failures, 3, Status::NotVerified),
            (Status::Mismatch, "2 mismatches in this round: pair 9".into())
        );
        assert_eq!(
            marked(&failures, 3, Status::Mismatch),
            (Status::Mismatch, "2 mismatches in this round: pair 9; as it is now".into())
        );
        let as_it_is = |status| (status, "as it is now".to_owned());
        assert_eq!(marked(&failures, 3, Status::Nothing), as_it_is(Status::Nothing));
        assert_eq!(marked(&failures, 4, Status::Holds), as_it_is(Status::Holds));
        // What is found out about the round before comes late.
        failures.note(&[mismatch(CheckId::QueueP1, 4, "pair 1"), mismatch(CheckId::QueueP1, 3, "pair 2")]);
        assert_eq!(
            marked(&failures, 4, Status::Holds),
            (Status::Mismatch, "1 mismatch in this round: pair 1".into())
        );
    }
}
