"""Regions that a model never saw: nothing is concluded from them, and those that may be read come up again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest

from lens_lsp.judge.ledger import Budget, Ledger
from lens_lsp.judge.llm.chat_oracle import budget_for
from lens_lsp.judge.llm.conversation import Conversation, Packet
from lens_lsp.judge.oracle import ObserveRequest
from lens_lsp.model.answer import Covered, Event, Mode, Observed, Proposed, Status, StopReason
from lens_lsp.model.observation import ObservationReply, Region
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span
from tests.judge.rules.chat_session import (
    PROOF,
    QUESTION,
    WITHOUT_RULES,
    ask,
    events_of,
    notes,
    oracle_of,
    quoting,
    regions_of,
    scripted,
    stage_of,
)

BOTH = pytest.mark.parametrize("mode", [Mode.DEEP, Mode.FAST])
REMOTE = "https://models.example"


def observed(regions: Iterable[Region]) -> ObservationReply:
    plan = Plan(QUESTION, (Requirement("f1", QUESTION),), ())
    model = scripted(endpoint=REMOTE)

    async def observe() -> ObservationReply:
        request = ObserveRequest(plan, plan.requirements, tuple(regions))
        return await oracle_of(model, Mode.FAST).observe(request, Ledger(Budget.of(Mode.FAST)))

    return asyncio.run(observe())


def region(number: int, text: str = PROOF, *, private: bool = False, path: str = "a.md") -> Region:
    return Region(number, path, "Bridges", (), None, text, private=private, sources=(Span(0, len(text)),))


def test_the_reply_names_the_regions_that_were_sent_and_those_that_may_not_be() -> None:
    reply = observed([region(1), region(2, private=True), region(3, path=".env"), region(4)])
    assert (reply.shown, reply.withheld) == ({1, 4}, {2, 3})


def test_without_anything_to_send_nothing_was_shown() -> None:
    reply = observed([region(1, private=True)])
    assert (reply.shown, reply.withheld) == (frozenset(), {1})


def test_a_region_that_does_not_fit_leaves_room_for_a_smaller_one() -> None:
    packet = Packet("n0", False, Conversation(), room=200)
    fitting = [packet.region(region(n, text)) is not None for n, text in ((1, "a " * 60), (2, "b " * 400), (3, "c"))]
    assert fitting == [True, False, True]
    assert packet.seen.keys() == {1, 3}
    assert packet.withheld == set()


def told(events: Iterable[Event]) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """The regions that were proposed and those that were judged, by round."""
    proposed: dict[int, set[int]] = {}
    judged: dict[int, set[int]] = {}
    for event in events:
        if isinstance(event, Proposed):
            proposed[event.round] = {item.number for item in event.regions}
        elif isinstance(event, Observed):
            judged[event.round] = {item.region for item in event.judgements}
    return proposed, judged


@BOTH
def test_private_notes_move_no_belief_and_do_not_come_up_again(tmp_path: Path, mode: Mode) -> None:
    for number in range(3):
        text = f"---\nlens: private\n---\n\nThe bridge at Arlen was opened on day {number}.\n"
        (tmp_path / f"diary-{number}.md").write_text(text, "utf-8")
    model = scripted(endpoint=REMOTE)
    events = events_of(tmp_path, model, mode, ablate=WITHOUT_RULES)
    proposed, judged = told(events)
    assert len(proposed[1]) == 3
    assert judged[1] == set()
    assert list(proposed) == [1]
    beliefs = next(event.beliefs for event in events if isinstance(event, Covered))
    assert beliefs[0].nowhere == pytest.approx(0.1)
    assert not any(stage_of(request) in ("observe", "cover", "read") for request in model.requests)


@BOTH
def test_what_private_notes_crowd_out_is_still_read(tmp_path: Path, mode: Mode) -> None:
    folder = notes(tmp_path, more=2)
    for number in range(4):
        text = (
            f"---\nlens: private\n---\n# Bridge at Arlen\n\nThe bridge at Arlen was opened, opened, opened {number}.\n"
        )
        (folder / f"diary-{number}.md").write_text(text, "utf-8")
    answer = ask(folder, scripted(endpoint=REMOTE), mode)
    assert (answer.status, answer.evidence[0].path) == (Status.ANSWERED, "bridges.md")


def test_a_folder_that_only_nearly_fits_one_request_is_read_in_two(tmp_path: Path) -> None:
    for number in range(90):
        (tmp_path / f"{number:02}.md").write_text(f"Note {number} on mills.\n", "utf-8")
    (tmp_path / "z.md").write_text(f"{PROOF}.\n", "utf-8")
    model = scripted({"read": quoting("nothing")}, context_tokens=4_096)
    events = events_of(tmp_path, model, Mode.FAST, budget=budget_for(Mode.FAST, 4_096))
    shown = [set(regions_of(request).values()) for request in model.requests if stage_of(request) == "read"]
    assert len(shown) == 2
    assert not shown[0] & shown[1]
    proposed, judged = told(events)
    assert proposed == judged


def test_a_request_counts_what_stands_around_its_regions(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number:02}.md").write_text(f"# On bridge {number}\n\nThe bridge at Arlen, {number}.\n", "utf-8")
    for context in (4_096, 8_192):
        model = scripted({"read": quoting("nothing")}, context_tokens=context)
        answer = ask(tmp_path, model, Mode.FAST, budget=budget_for(Mode.FAST, context))
        assert not any("did not fit" in warning for warning in answer.warnings)
        assert answer.stopped is not StopReason.MODEL_FAILED
