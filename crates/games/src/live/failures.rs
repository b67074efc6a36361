//! Keeps a failed check failed until the end of its round, whatever later samples show.

use crate::live::{CheckId, Mismatch, Status, Verdict};
use std::collections::BTreeMap;

/// The mismatches of one check in one round.
#[derive(Debug, Clone)]
struct Failure {
    round: u64,
    count: u64,
    /// The text of the last one.
    what: String,
}

/// The failed checks, each with the last round in which it failed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failures(BTreeMap<CheckId, Failure>);

impl Failures {
    /// Adds mismatches. Late mismatches of a past round do not affect a later round.
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

    /// Marks the checks that failed in this round. A check with nothing to check (the round is over, or cannot be read) is not
    /// changed.
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
            // The game's own text may explain the consequence of the mismatch.
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
        let check = |id| Check { id, status, detail: "current detail".into() };
        let mut verdict = Verdict { checks: [CheckId::QUEUE_P1, CheckId::QUEUE_P2].map(check).to_vec() };
        failures.mark(round, &mut verdict);
        assert_eq!(verdict.checks[1], check(CheckId::QUEUE_P2), "the other check did not fail");
        (verdict.checks[0].status, verdict.checks[0].detail.clone())
    }

    #[test]
    fn a_failed_check_stays_failed_until_its_round_is_over() {
        let mut failures = Failures::default();
        failures.note(&[mismatch(CheckId::QUEUE_P1, 3, "pair 5")]);
        assert_eq!(
            marked(&failures, 3, Status::Verified),
            (Status::Mismatch, "1 mismatch in this round: pair 5".into())
        );
        failures.note(&[mismatch(CheckId::QUEUE_P1, 3, "pair 9")]);
        assert_eq!(
            marked(&failures, 3, Status::NotVerified),
            (Status::Mismatch, "2 mismatches in this round: pair 9".into())
        );
        assert_eq!(
            marked(&failures, 3, Status::Mismatch),
            (Status::Mismatch, "2 mismatches in this round: pair 9; current detail".into())
        );
        let unchanged = |status| (status, "current detail".to_owned());
        assert_eq!(marked(&failures, 3, Status::Nothing), unchanged(Status::Nothing));
        assert_eq!(marked(&failures, 4, Status::Verified), unchanged(Status::Verified));
        // A mismatch of the previous round arrives late.
        failures.note(&[mismatch(CheckId::QUEUE_P1, 4, "pair 1"), mismatch(CheckId::QUEUE_P1, 3, "pair 2")]);
        assert_eq!(
            marked(&failures, 4, Status::Verified),
            (Status::Mismatch, "1 mismatch in this round: pair 1".into())
        );
    }
}
