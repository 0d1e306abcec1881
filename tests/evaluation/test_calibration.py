from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring.calibration import calibration_json, expected_calibration_error, reliability

CLAIMS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


def test_who_is_as_sure_as_right_has_no_error() -> None:
    bins = reliability([(0.75, True)] * 3 + [(0.75, False)])
    assert [(one.low, one.high, one.n, one.confidence, one.held) for one in bins] == [(0.7, 0.8, 4, 0.75, 0.75)]
    assert expected_calibration_error(bins) == 0.0


def test_the_error_is_weighted_by_claims() -> None:
    # three claims of 0.9 of which none holds, one of 0.1 that does: (3·0.9 + 1·0.9) / 4
    bins = reliability([(0.9, False)] * 3 + [(0.1, True)])
    assert expected_calibration_error(bins) == pytest.approx(0.9)


def test_certainty_is_in_the_last_bin_and_nothing_in_the_first() -> None:
    bins = reliability([(1.0, True), (0.0, False)])
    assert [(one.low, one.high) for one in bins] == [(0.0, 0.1), (0.9, 1.0)]


def test_without_claims_there_is_no_error_to_tell() -> None:
    with pytest.raises(ValueError, match="no claims"):
        calibration_json([])


@given(CLAIMS)
def test_every_claim_is_in_one_bin(claims: list[tuple[float, bool]]) -> None:
    bins = reliability(claims)
    assert sum(one.n for one in bins) == len(claims)
    assert 0.0 <= expected_calibration_error(bins) <= 1.0
