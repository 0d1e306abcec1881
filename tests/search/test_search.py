"""Whole questions of an oracle that observes: rounds, stopping, self-correction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from scripted_oracle import ScriptedOracle, ask, events_of, quoting
from small_workspace import Workspace

from lens_lsp.app.settings import ModelSettings, Settings
from lens_lsp.judge.ledger import Budget, CallStage
from lens_lsp.model.answer import (
    Admitted,
    Answered,
    Covered,
    Event,
    Mode,
    Observed,
    Planned,
    Proposed,
    RequirementStatus,
    Scanned,
    Status,
    Stopped,
    StopReason,
)
from lens_lsp.model.observation import CoverageReply, Judgement, Region, Verdict
from lens_lsp.model.plan import Anchor, Plan, Requirement

NEEDLE = "The copper kettle was made by Anselm Brock in Oslo."
QUESTION = "Who made the copper kettle?"
BY_TWO = {"request_tokens": 900, "direct_tokens": 900}
"""Two regions a request, so that a few files are not read whole at once."""
ONE_BY_ONE = {"request_tokens": 450, "direct_tokens": 450}
SMALL = Budget(rounds=3, calls=10, **BY_TWO)
Make = Callable[[Mapping[str, str]], Workspace]
TEXT = "The kestrel package needs a resolver and a registry of kestrel versions.\n"
FILES = {
    "poetry.lock": 3 * TEXT,
    "vendor/kestrel/guide.md": 3 * TEXT,
    "notes/kestrel.md": "The kestrel package needs a resolver.\n",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for number in range(30):
        text = f"# Page {number}\n\n" + "A kettle was seen here, of iron and not of copper. Nothing else. " * 12
        (tmp_path / f"{number:02}.md").write_text(text, "utf-8")
    (tmp_path / "needle.md").write_text(f"# Needle\n\n{NEEDLE}\n", "utf-8")
    return tmp_path


def nothing(requirement: Requirement, region: Region) -> Judgement:
    return Judgement(requirement.id, Verdict.NONE)


def test_a_proven_fact_stops_the_search(notes: Path) -> None:
    answer = ask(notes, QUESTION, oracle=ScriptedOracle(quoting(NEEDLE)), budget=SMALL)
    assert answer.stopped is StopReason.COVERED
    assert answer.status is Status.ANSWERED
    assert [item.quote for item in answer.evidence] == [NEEDLE]
    assert answer.requirements[0].status is RequirementStatus.COVERED


def test_when_the_rounds_are_used_up_the_search_stops(notes: Path) -> None:
    budget = Budget(rounds=2, calls=10, **ONE_BY_ONE)
    answer = ask(notes, QUESTION, oracle=ScriptedOracle(nothing), budget=budget)
    assert answer.stopped is StopReason.ROUNDS
    assert answer.status is Status.PARTIAL
    assert answer.evidence, "the nearest passages are shown"


def test_what_was_read_in_vain_everywhere_is_nowhere(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.md").write_text(f"The kettle of house {number} is of iron. " * 20, "utf-8")
    budget = Budget(rounds=3, calls=10, **BY_TWO)
    answer = ask(tmp_path, QUESTION, oracle=ScriptedOracle(nothing), budget=budget)
    assert answer.stopped is StopReason.NOWHERE


def test_a_scope_that_fits_one_request_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text(f"# Needle\n\nNothing.\n\n{NEEDLE}\n", "utf-8")
    oracle = ScriptedOracle(quoting(NEEDLE))
    answer = ask(tmp_path, "Anything at all?", oracle=oracle)
    assert answer.stopped is StopReason.DIRECT
    assert len(oracle.seen) == 1
    assert "Nothing." in oracle.seen[0][0].text


def test_no_call_beyond_the_budget_is_made(notes: Path) -> None:
    (notes / "needle.md").unlink()  # all pages are alike then, and any is worth a call
    budget = Budget(rounds=3, calls=3, **ONE_BY_ONE)
    answer = ask(notes, QUESTION, oracle=ScriptedOracle(quoting("A kettle was", Verdict.PARTIAL)), budget=budget)
    assert answer.stopped is StopReason.BUDGET_CALLS
    assert sum(answer.account.calls.values()) == 3
    assert answer.account.calls["synthesise"] == 1, "one call is kept for the answer"
    answer = ask(notes, QUESTION, oracle=ScriptedOracle(nothing), budget=budget)
    assert answer.stopped is StopReason.BUDGET_CALLS
    assert answer.account.calls == {"analyse": 1, "observe": 1}, "what it did not prove it does not word"


def test_no_tokens_beyond_the_budget_are_used(notes: Path) -> None:
    budget = Budget(rounds=3, calls=10, tokens=50, **ONE_BY_ONE)
    answer = ask(notes, QUESTION, oracle=ScriptedOracle(nothing), budget=budget)
    assert answer.stopped is StopReason.BUDGET_TOKENS
    assert answer.account.tokens_in + answer.account.tokens_out <= 50
    assert answer.text, "the rules word what was found"


def test_the_search_ends_when_its_time_is_over(notes: Path) -> None:
    ticks = iter(range(0, 10_000, 40))
    answer = ask(notes, QUESTION, oracle=ScriptedOracle(nothing), budget=SMALL, clock=lambda: float(next(ticks)))
    assert answer.stopped is StopReason.BUDGET_SECONDS


def test_no_money_beyond_the_budget_is_spent(notes: Path) -> None:
    budget = Budget(rounds=3, calls=10, cost=5e-5, **ONE_BY_ONE)
    priced = Settings(model=ModelSettings(prices=(1.0, 1.0)))
    answer = ask(notes, QUESTION, oracle=ScriptedOracle(nothing), budget=budget, settings=priced)
    assert answer.stopped is StopReason.BUDGET_COST
    assert answer.account.cost is not None
    assert answer.account.cost <= 5e-5


@pytest.mark.parametrize("stage", [CallStage.ANALYSE, CallStage.OBSERVE, CallStage.COVER, CallStage.SYNTHESISE])
def test_a_model_that_fails_leaves_what_was_found(notes: Path, stage: CallStage) -> None:
    oracle = ScriptedOracle(quoting(NEEDLE, Verdict.PARTIAL), fails=frozenset({stage}))
    answer = ask(notes, QUESTION, oracle=oracle, budget=SMALL)
    assert answer.stopped is StopReason.MODEL_FAILED
    assert any("start it" in warning for warning in answer.warnings)
    assert answer.evidence
    assert answer.text


def test_a_cancelled_search_keeps_what_was_found(notes: Path) -> None:
    oracle = ScriptedOracle(quoting(NEEDLE, Verdict.PARTIAL))
    answer = ask(notes, QUESTION, oracle=oracle, budget=SMALL, cancelled=lambda: bool(oracle.seen))
    assert answer.stopped is StopReason.CANCELLED
    assert len(oracle.seen) == 1
    assert answer.evidence


def test_the_events_come_in_order_and_end_with_the_reason(notes: Path) -> None:
    events = events_of(notes, QUESTION, oracle=ScriptedOracle(quoting(NEEDLE)), mode=Mode.DEEP, budget=SMALL)
    kinds = [type(event) for event in events]
    assert kinds[:4] == [Planned, Scanned, Admitted, Proposed]
    assert kinds.index(Proposed) < kinds.index(Observed) < kinds.index(Covered) < kinds.index(Answered)
    assert kinds[-2:] == [Answered, Stopped]


@pytest.mark.parametrize(("mode", "bound"), [(Mode.DEEP, 10), (Mode.FAST, 4)])
@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_calls_stay_within_the_bound_of_the_mode(notes: Path, mode: Mode, bound: int, verdict: Verdict) -> None:
    oracle = ScriptedOracle(quoting("kettle was seen here, of iron", verdict), unmet=[("f1",)])
    answer = ask(notes, QUESTION, oracle=oracle, mode=mode)
    assert sum(answer.account.calls.values()) <= bound


def test_self_correction_admits_the_reserve_once_before_the_last_round(notes: Path) -> None:
    (notes / "needle.md").unlink()
    budget = Budget(rounds=3, calls=10, **ONE_BY_ONE)
    events = events_of(notes, QUESTION, oracle=ScriptedOracle(nothing), mode=Mode.DEEP, budget=budget)
    admitted = [event for event in events if isinstance(event, Admitted)]
    assert [(event.round, len(event.joined)) for event in admitted] == [(0, 10), (2, 10)]
    thresholds = {event.round: event.beliefs[0].threshold for event in events if isinstance(event, Covered)}
    assert thresholds[3] < thresholds[2], "the threshold is relaxed"


def test_nothing_is_shown_twice_and_nothing_from_outside_what_was_admitted(notes: Path) -> None:
    budget = Budget(rounds=3, calls=10, **BY_TWO)
    events = events_of(notes, QUESTION, oracle=ScriptedOracle(nothing), mode=Mode.DEEP, budget=budget)
    lengths: dict[int, int] = {}
    shown: dict[int, set[int]] = {}
    for event in events:
        if isinstance(event, Admitted):
            for document in event.joined:
                lengths[len(lengths)] = document.length
        if isinstance(event, Proposed):
            assert event.regions
            for region in event.regions:
                places = set(range(region.span.start, region.span.end))
                assert region.document in lengths
                assert region.span.end <= lengths[region.document]
                assert not places & shown.setdefault(region.document, set())
                shown[region.document] |= places


def test_an_invented_quote_counts_as_nothing_and_is_counted(notes: Path) -> None:
    def invents(requirement: Requirement, region: Region) -> Judgement:
        return Judgement(requirement.id, Verdict.FULL, "The copper kettle was made by Nobody in Paris.")

    answer = ask(notes, QUESTION, oracle=ScriptedOracle(invents), budget=SMALL)
    assert answer.rejected_quotes > 0
    assert answer.status is not Status.ANSWERED


def test_an_objection_keeps_a_requirement_open(notes: Path) -> None:
    oracle = ScriptedOracle(quoting(NEEDLE, Verdict.PARTIAL), coverage=CoverageReply(vetoed=("f1",)))
    answer = ask(notes, QUESTION, oracle=oracle, budget=SMALL)
    assert answer.status is Status.PARTIAL


def test_a_new_term_brings_up_a_document_that_the_question_does_not_name(notes: Path) -> None:
    (notes / "other.md").write_text("Zebulon lived in a house by the sea.\n", "utf-8")
    oracle = ScriptedOracle(nothing, terms={"f1": ("Zebulon",)})
    ask(notes, QUESTION, oracle=oracle, budget=Budget(rounds=3, calls=10, **BY_TWO))
    assert any("Zebulon" in region.text for regions in oracle.seen for region in regions)


def test_an_answer_that_fails_a_fact_is_worded_once_more_after_further_rounds(notes: Path) -> None:
    oracle = ScriptedOracle(quoting(NEEDLE), unmet=[("f1",), ()])
    answer = ask(notes, QUESTION, oracle=oracle, budget=Budget(rounds=3, calls=10, **BY_TWO))
    assert answer.account.calls["synthesise"] == 1
    assert answer.account.calls["calibrate"] == 1


def test_one_observation_judges_every_requirement(notes: Path) -> None:
    facts = (Requirement("f1", "who made the kettle"), Requirement("f2", "where it was made"))
    plan = Plan(QUESTION, facts, (Anchor("kettle", requirements=("f1", "f2")), Anchor("oslo", requirements=("f2",))))
    oracle = ScriptedOracle(quoting(NEEDLE), plan=plan)
    answer = ask(notes, QUESTION, oracle=oracle, budget=SMALL)
    assert [result.status for result in answer.requirements] == [RequirementStatus.COVERED] * 2
    assert answer.evidence[0].requirements == ("f1", "f2")
    assert answer.account.calls["observe"] == len(oracle.seen)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_same_seed_repeats_the_run(notes: Path, seed: int) -> None:
    def run() -> list[Event]:
        events = events_of(notes, QUESTION, oracle=ScriptedOracle(nothing), mode=Mode.DEEP, budget=SMALL, seed=seed)
        return [event for event in events if isinstance(event, Proposed | Observed | Covered)]

    assert run() == run()


def test_files_of_rare_kinds_come_last(workspace: Make) -> None:
    space = workspace(FILES)
    found = [space.path(one.slot) for one in space.localise("kestrel resolver registry").passages]
    assert found[0] == "notes/kestrel.md"
    assert set(found) == set(FILES)


def test_a_rare_file_that_is_named_counts_in_full(workspace: Make) -> None:
    space = workspace(FILES)
    found = [space.path(one.slot) for one in space.localise("kestrel resolver registry in poetry.lock").passages]
    assert found[0] == "poetry.lock"


def test_what_holds_the_question_word_for_word_comes_first(workspace: Make) -> None:
    space = workspace(
        {
            "a.md": "# Runs\n\nA run of questions takes time; time runs, and questions run and run at any time.\n",
            "b.md": "# Server\n\nFour questions run at a time and 64 wait.\n",
        }
    )
    found = [space.path(one.slot) for one in space.localise("questions run at a time").passages]
    assert found[0] == "b.md"
