from __future__ import annotations

import asyncio
import json

import pytest

from lens_lsp.domain.answer import Mode, StopReason
from lens_lsp.domain.errors import BudgetSpent
from lens_lsp.domain.observation import ConfidenceMap, ObservationTable, Region, Verdict
from lens_lsp.oracle.base import ObserveRequest, Oracle
from lens_lsp.oracle.decompose import decompose
from lens_lsp.oracle.ledger import Budget, Ledger
from lens_lsp.oracle.offline import OfflineOracle
from lens_lsp.oracle.settings import OfflineSettings, Thresholds, fitted, settings_of


def test_the_committed_settings_are_read_and_complete() -> None:
    settings = fitted()
    assert settings_of(json.loads(settings.dumps())) == settings
    assert settings.table.full > settings.table.partial > settings.table.related > settings.table.none
    assert (
        0 < settings.thresholds.related_mass <= settings.thresholds.partial_mass <= settings.thresholds.full_mass <= 1
    )


def test_an_unknown_threshold_is_an_error() -> None:
    with pytest.raises(TypeError):
        settings_of({"thresholds": {"fullmass": 0.8}})


def test_what_the_settings_say_is_what_the_oracle_does() -> None:
    oracle: Oracle = OfflineOracle(
        OfflineSettings(Thresholds(full_mass=2.0), ObservationTable(full=9.0), ConfidenceMap(((0.0, 0.7),), 40, 0.03))
    )
    assert oracle.table.full == 9.0
    assert oracle.confidence(1.0) == 0.7
    plan = decompose("When was the Old Mill built?")
    region = Region(1, "a.md", "a", (), None, "The Old Mill was built in 1702.")
    ledger = Ledger(Budget.of(Mode.EVIDENCE))
    reply = asyncio.run(oracle.observe(ObserveRequest(plan, plan.requirements, (region,)), ledger))
    assert reply.observations[0].judgements[0].verdict is Verdict.PARTIAL


def test_no_stage_makes_a_call_and_an_observation_minds_the_clock() -> None:
    now = [0.0]
    ledger = Ledger(Budget(calls=0, seconds=5.0), clock=lambda: now[0])
    oracle = OfflineOracle()
    plan = asyncio.run(oracle.analyse("When was the Old Mill built?", ledger))
    request = ObserveRequest(plan, plan.requirements, ())
    assert asyncio.run(oracle.observe(request, ledger)).observations == ()
    now[0] = 6.0
    with pytest.raises(BudgetSpent) as spent:
        asyncio.run(oracle.observe(request, ledger))
    assert spent.value.reason is StopReason.BUDGET_SECONDS
    assert ledger.calls == 0
