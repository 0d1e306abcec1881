"""Fitting: ratios from counts, thresholds by what they gain, confidence that never falls and is checked elsewhere."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.domain.events import Answered
from lens_lsp.domain.observation import Verdict
from lens_lsp.evaluation.data.datasets import Gold, GoldSpan, Question
from lens_lsp.evaluation.fitting import (
    Observed,
    Sample,
    fit,
    fit_confidence,
    fit_table,
    fit_thresholds,
    record,
    worth,
)
from lens_lsp.oracle.offline import OfflineOracle
from lens_lsp.oracle.settings import OfflineSettings, Thresholds
from lens_lsp.oracle.verdicts import NOTHING, Features, verdict

START = Thresholds()


def measured(mass: float) -> Features:
    """Features that only the mass keeps from proving."""
    sure = {
        "names": 1.0, "named": True, "fit": 1.0, "link": 1.0, "relation": 1.0, "reach": 0, "terms": 5, "units": 1,
    }  # fmt: skip
    known = {name: value for name, value in sure.items() if name in Features.__slots__}
    return replace(NOTHING, mass=mass, context=mass, **known)


def asked(name: str, *samples: Sample, answerable: bool = True) -> Observed:
    return Observed(name, answerable, samples)


def test_the_made_up_features_prove_by_their_mass_alone() -> None:
    assert verdict(measured(1.0), START) is Verdict.FULL
    assert verdict(measured(0.0), START) is not Verdict.FULL


def test_answers_are_right_wrong_or_false() -> None:
    sure = measured(1.0)
    observed = [
        asked("right", Sample(sure, True, True)),
        asked("wrong", Sample(sure, False, False)),
        asked("false", Sample(sure, False, False), answerable=False),
        asked("silent", Sample(measured(0.1), True, True)),
    ]
    found = worth(observed, START)
    assert (found.right, found.wrong, found.false, found.questions) == (1, 1, 1, 4)


def test_the_threshold_that_tells_right_from_wrong_is_chosen() -> None:
    right = [asked(f"r{n}", Sample(measured(0.88), True, True)) for n in range(20)]
    wrong = [asked(f"w{n}", Sample(measured(0.82), False, False)) for n in range(20)]
    chosen = fit_thresholds([*right, *wrong], START)
    assert 0.82 < chosen.full_mass <= 0.88


def test_ratios_are_those_of_the_counts() -> None:
    sure, weak = measured(1.0), NOTHING
    observed = [asked("a", *[Sample(sure, True, True)] * 70, *[Sample(weak, True, False)] * 30)]
    observed += [asked("b", *[Sample(sure, False, False)] * 10, *[Sample(weak, False, False)] * 990)]
    table = fit_table(observed, START)
    assert table.full == pytest.approx(math.log(70.5 / 102 / (10.5 / 1002)), abs=1e-4)
    assert table.none == pytest.approx(math.log(30.5 / 102 / (990.5 / 1002)), abs=1e-4)
    assert table.full > 0 > table.none


@given(st.lists(st.tuples(st.floats(-5, 10), st.booleans()), min_size=1, max_size=60))
def test_confidence_never_falls_and_is_a_share(labelled: list[tuple[float, bool]]) -> None:
    fitted = fit_confidence(labelled, labelled)
    shares = [fitted(score) for score, _ in sorted(labelled)]
    assert all(share is not None and 0 < share < 1 for share in shares)
    assert shares == sorted(shares)
    assert fitted.n == len(labelled)


def test_the_error_is_that_of_the_questions_it_was_not_fitted_on() -> None:
    fitted = fit_confidence([(1.0, True)] * 98, [(1.0, False)] * 10)
    assert fitted.error == pytest.approx(0.99)
    assert fit_confidence([(1.0, True)], []).error is None


TEXT = "Harbour\n\nThe lighthouse of Vell was built in 1874 by Ines Karr. It is red.\n"


def question(text: str, answer: str | None) -> Question:
    spans = () if answer is None else (GoldSpan("Harbour", TEXT.index(answer), TEXT.index(answer) + len(answer)),)
    return Question(text, text, Gold(("Harbour",), answer_spans=spans, answerable=answer is not None), text)


def test_a_search_is_recorded_with_what_is_true_of_each_region(tmp_path: Path) -> None:
    (tmp_path / "Harbour").write_text(TEXT, "utf-8")
    (tmp_path / "Other").write_text("Nothing of it.\n", "utf-8")
    (one,) = record(tmp_path, [question("When was the lighthouse of Vell built?", "1874")], OfflineSettings())
    assert any(sample.holds and sample.proves for sample in one.samples)
    assert not all(sample.holds for sample in one.samples)


def test_fitted_settings_give_answers_a_confidence(tmp_path: Path) -> None:
    (tmp_path / "Harbour").write_text(TEXT, "utf-8")
    (tmp_path / "Other").write_text("Nothing of it.\n", "utf-8")
    questions = [
        question("When was the lighthouse of Vell built?", "1874"),
        question("Who sank the ferry of Vell?", None),
    ]
    fitted = fit(tmp_path, questions, questions, OfflineSettings())
    assert OfflineSettings().confidence(5.0) is None, "nothing is promised before it was fitted"

    async def ask() -> float | None:
        async for event in Lens([tmp_path]).ask(questions[0].text, Terms(oracle=OfflineOracle(fitted.settings))):
            if isinstance(event, Answered):
                return event.answer.requirements[0].confidence
        return None

    confidence = asyncio.run(ask())
    assert confidence is not None
    assert 0 < confidence < 1
