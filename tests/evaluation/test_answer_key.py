"""The answer key in place of a judge: what it judges, what it may get wrong, what it costs, and who sees its gold."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_datasets import BODIES, QUESTIONS, write_dataset

from evaluation.answer_key import AnswerKeyFactory, AnswerKeyOracle, Key, KeyedDocument, key_of, table_of
from evaluation.arms.making import make_arms
from evaluation.data.datasets import Gold, GoldSpan, open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.runner import Judging, run
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.judge.ledger import Budget, CallStage, Ledger
from lens_lsp.judge.oracle import ObserveRequest
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.answer import Admitted, Answer, Answered, Event, Mode, Planned, Proposed, Scanned
from lens_lsp.model.observation import ConfidenceMap, Region, Verdict
from lens_lsp.model.text import Span

QUESTION = "Which engine did the colleague of the first programmer design?"
KEY = (
    KeyedDocument("Ada_Lovelace", ("She worked with Charles Babbage.",)),
    KeyedDocument("Charles_Babbage", ("Charles Babbage designed the Analytical Engine in 1837.",)),
)
CALLING = [Mode.FAST, Mode.DEEP]


def oracle(mode: Mode = Mode.FAST, error: float = 0.0, key: Key = KEY, seed: int = 0) -> AnswerKeyOracle:
    return AnswerKeyOracle(key, mode, error, random.Random(seed))


def region(number: int, path: str, text: str) -> Region:
    return Region(number, path, path.replace("_", " "), (), None, text)


async def observed(judge: AnswerKeyOracle, regions: Iterable[Region]) -> tuple[dict[int, tuple[str, str]], Ledger]:
    ledger = Ledger(Budget.of(judge.mode))
    plan = await judge.analyse(QUESTION, ledger)
    reply = await judge.observe(ObserveRequest(plan, plan.requirements, tuple(regions)), ledger)
    full = {
        one.region: (judgement.requirement, judgement.quote or "")
        for one in reply.observations
        for judgement in one.judgements
        if judgement.verdict is Verdict.FULL
    }
    return full, ledger


@pytest.fixture
def corpus_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, body in BODIES.items():
        (folder / name).write_text(body, "utf-8")
    for number in range(40):
        (folder / f"page {number:02}").write_text(f"Page {number}\n\nThe engine of page {number} is quiet.\n", "utf-8")
    return folder


def asked(folder: Path, judge: AnswerKeyOracle, question: str = QUESTION) -> list[Event]:
    async def collect() -> list[Event]:
        return [event async for event in Lens([folder]).ask(question, Terms(mode=judge.mode, oracle=judge))]

    return asyncio.run(collect())


def answer_in(events: list[Event]) -> Answer:
    return next(event.answer for event in events if isinstance(event, Answered))


def test_the_key_of_a_document_runs_from_its_first_gold_span_to_its_last() -> None:
    text = "Title\n\nOne. Two. Three. Four.\n"
    spans = tuple(GoldSpan("a", text.index(part), text.index(part) + len(part)) for part in ("Three.", "One."))
    assert key_of(Gold(("a", "b"), support=spans), {"a": text}.__getitem__) == (
        KeyedDocument("a", ("One. Two. Three.",)),
        KeyedDocument("b", ()),
    )


def test_a_gold_paragraph_ends_at_the_next_blank_line_or_with_the_text() -> None:
    text = "Title\n\nFirst line\nsecond line.\n\nLast paragraph.\n"
    gold = Gold(("a", "b"), paragraphs=(("a", text.index("First")), ("b", text.index("Last"))))
    assert key_of(gold, lambda path: text) == (
        KeyedDocument("a", ("First line\nsecond line.",)),
        KeyedDocument("b", ("Last paragraph.",)),
    )


def test_where_gold_is_the_place_of_an_answer_the_sentence_around_it_proves() -> None:
    text = "Title\n\nIt began in 1837. It ended in 1840.\n\nAnother 1837.\n"
    gold = Gold(("a",), answer_spans=(GoldSpan("a", text.index("1837"), text.index("1837") + 4),))
    assert key_of(gold, lambda path: text) == (KeyedDocument("a", ("It began in 1837.",)),)


@pytest.mark.parametrize("mode", CALLING)
def test_the_plan_is_the_question_once_for_each_gold_document(mode: Mode) -> None:
    plan = asyncio.run(oracle(mode).analyse(QUESTION, Ledger(Budget.of(mode))))
    assert [(one.id, one.text) for one in plan.requirements] == [("f1", QUESTION), ("f2", QUESTION)]
    assert [anchor.text for anchor in plan.anchors] == [anchor.text for anchor in analyse(QUESTION).anchors]
    assert {anchor.requirements for anchor in plan.anchors} == {("f1", "f2")}


def test_full_is_said_of_a_region_with_all_the_gold_and_of_no_other() -> None:
    whole = BODIES["Charles_Babbage"]
    regions = [
        region(1, "Charles_Babbage", whole),
        region(2, "Charles_Babbage", whole[: whole.index("1837")]),
        region(3, "Grace_Hopper", whole),
        region(4, "Ada_Lovelace", BODIES["Ada_Lovelace"]),
    ]
    full, _ = asyncio.run(observed(oracle(), regions))
    assert full == {1: ("f2", KEY[1].passages[0]), 4: ("f1", KEY[0].passages[0])}


def test_new_terms_are_the_names_in_its_quotes_for_what_is_still_open() -> None:
    judge = oracle()

    async def reply(regions: tuple[Region, ...]) -> dict[str, tuple[str, ...]]:
        ledger = Ledger(Budget.of(Mode.FAST))
        plan = await judge.analyse(QUESTION, ledger)
        return dict((await judge.observe(ObserveRequest(plan, plan.requirements, regions), ledger)).terms)

    assert asyncio.run(reply((region(1, "Ada_Lovelace", BODIES["Ada_Lovelace"]),))) == {"f2": ("Charles Babbage",)}
    assert asyncio.run(reply((region(1, "Grace_Hopper", BODIES["Grace_Hopper"]),))) == {}


def test_every_error_turns_gold_into_none_and_something_else_into_full() -> None:
    regions = [region(1, "Ada_Lovelace", BODIES["Ada_Lovelace"]), region(2, "Grace_Hopper", BODIES["Grace_Hopper"])]
    full, _ = asyncio.run(observed(oracle(error=1.0), regions))
    assert list(full) == [2]
    assert full[2][1] == "Grace Hopper wrote the A-0 compiler.", "its first sentence, not its title"


def test_errors_come_at_their_rate() -> None:
    regions = [region(1, "Ada_Lovelace", BODIES["Ada_Lovelace"]), region(2, "Grace_Hopper", BODIES["Grace_Hopper"])]
    found = [asyncio.run(observed(oracle(error=0.2, seed=seed), regions))[0] for seed in range(400)]
    assert 0.74 < sum(1 in full for full in found) / 400 < 0.86
    assert 0.14 < sum(2 in full for full in found) / 400 < 0.26


def test_equal_seeds_are_wrong_alike() -> None:
    regions = [region(number, "Grace_Hopper", BODIES["Grace_Hopper"]) for number in range(1, 9)]
    one, two = (asyncio.run(observed(oracle(error=0.5, seed=3), regions))[0] for _ in range(2))
    assert one == two


@given(st.floats(0, 1))
def test_the_table_speaks_for_full_and_against_none_as_far_as_the_key_is_right(error: float) -> None:
    table = table_of(error)
    assert table.none <= 0.0
    assert table.full > 0.0 or error > 0.9
    assert (table.partial, table.related) == (0.0, 0.0)
    assert table_of(0.0).full >= table.full
    assert oracle(error=error).confidence == ConfidenceMap(), "nobody reads these answers"


@pytest.mark.parametrize(
    ("mode", "calls"),
    [
        (Mode.FAST, {"analyse": 1, "observe": 1, "synthesise": 1}),
        (Mode.DEEP, {"analyse": 1, "decompose": 1, "observe": 1, "synthesise": 1}),
    ],
)
def test_a_question_answered_at_once_costs_what_a_model_would(
    corpus_dir: Path, mode: Mode, calls: dict[str, int]
) -> None:
    answer = answer_in(asked(corpus_dir, oracle(mode)))
    assert dict(answer.account.calls) == calls
    assert answer.account.tokens_in > 1_000
    assert answer.account.endpoint is None
    assert answer.account.sent == ()


@pytest.mark.parametrize("mode", CALLING)
def test_a_question_that_cannot_be_answered_stays_within_the_bound(corpus_dir: Path, mode: Mode) -> None:
    answer = answer_in(asked(corpus_dir, oracle(mode, key=(KeyedDocument("Nowhere", ("Nothing of this.",)),))))
    assert 1 < sum(answer.account.calls.values()) <= Budget.of(mode).calls
    if mode is Mode.DEEP:
        assert CallStage.COVER.value not in answer.account.calls, "there is nothing to judge"


@pytest.mark.parametrize("mode", CALLING)
def test_every_verified_full_is_cited(corpus_dir: Path, mode: Mode) -> None:
    answer = answer_in(asked(corpus_dir, oracle(mode)))
    proofs = [item for item in answer.evidence if item.verdict == Verdict.FULL]
    assert {item.path for item in proofs} == {"Ada_Lovelace", "Charles_Babbage"}
    assert all(f"[{item.n}]" in answer.text for item in proofs)
    assert all(
        item.quote == (corpus_dir / item.path).read_text("utf-8")[item.span.start : item.span.end] for item in proofs
    )


@pytest.mark.parametrize("mode", CALLING)
def test_the_search_begins_alike_whatever_the_gold_is(corpus_dir: Path, mode: Mode) -> None:
    other = (KeyedDocument("page 07", ("The engine of page 7 is quiet.",)), KeyedDocument("Unlisted", ("x",)))

    def beginning(key: Key) -> list[Event]:
        events = asked(corpus_dir, oracle(mode, key=key))
        first = next(place for place, event in enumerate(events) if isinstance(event, Proposed))
        assert [type(event) for event in events[: first + 1]] == [Planned, Scanned, Admitted, Proposed]
        return events[: first + 1]

    assert beginning(KEY) == beginning(other)


@pytest.mark.parametrize("mode", CALLING)
def test_gold_that_is_never_shown_changes_nothing_but_how_many_facts_are_asked_for(
    corpus_dir: Path, mode: Mode
) -> None:
    """Two keys that no document holds: every event, to the last, is the same."""
    keys = [tuple(KeyedDocument(f"{name} {n}", (f"{name} passage",)) for n in range(2)) for name in ("one", "two")]

    def told(key: Key) -> list[Event]:
        events = asked(corpus_dir, oracle(mode, key=key))
        return [event for event in events if not isinstance(event, Answered)]

    assert told(keys[0]) == told(keys[1])


def test_an_oracle_of_a_factory_holds_the_key_of_its_question_alone(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    factory = AnswerKeyFactory.of(Mode.FAST, questions(dataset), corpus)
    judge = factory.oracle("q0003")
    assert isinstance(judge, AnswerKeyOracle)
    assert judge.key == (KeyedDocument("Grace_Hopper", ("Grace Hopper wrote the A-0 compiler.",)),)


@pytest.mark.parametrize("mode", CALLING)
def test_what_the_questions_are_called_changes_nothing_but_the_ids_of_rows(tmp_path: Path, mode: Mode) -> None:
    found = []
    for name in ("one", "two"):
        renamed = [{**row, "id": f"{name} {row['id']}"} for row in QUESTIONS]
        folder = write_dataset(tmp_path / name, renamed)
        dataset, corpus = open_dataset(folder, "3"), prepare(folder, "3", tmp_path / f"{name} corpus")
        asked = questions(dataset)
        arms = make_arms(["lens"], factory=AnswerKeyFactory.of(mode, asked, corpus))
        run(dataset, corpus, asked, arms, tmp_path / f"{name} run", judging=Judging(mode.value, "answer-key", 0.0))
        rows = (tmp_path / f"{name} run" / "lens.rows.jsonl").read_text()
        found.append(re.sub(r'"seconds": [0-9.e-]+', "", rows))
        assert [json.loads(line)["scores"]["allGoldProven"] for line in rows.splitlines()] == [1.0] * 3
    assert found[0] != found[1]
    assert found[0].replace('"id": "one ', '"id": "two ') == found[1]


def test_titles_that_are_hidden_are_hidden_from_the_key(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "hidden", hide_titles=True)
    (document,) = AnswerKeyFactory.of(Mode.FAST, questions(dataset), corpus).keys["q0003"].key
    assert document.path != "Grace_Hopper"
    assert corpus.text(document.path)[: len(document.passages[0])] == document.passages[0]


PARAGRAPHS = (
    {
        "id": "m1",
        "question": QUESTION,
        "smallest_snapshot": 2,
        "supporting_paths": ["Ada_Lovelace", "Charles_Babbage"],
        "supporting_titles": ["Ada Lovelace", "Charles Babbage"],
        "gold_paras": [{"title": "Charles Babbage", "start": 17}, {"title": "Ada Lovelace", "start": 14}],
    },
)


def test_gold_paragraphs_are_read_from_a_data_set(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "paragraphs", PARAGRAPHS)
    dataset = open_dataset(folder, "2")
    corpus = prepare(folder, "2", tmp_path / "corpus")
    first, second = AnswerKeyFactory.of(Mode.DEEP, questions(dataset), corpus).keys["q0001"].key
    assert first.passages == ("Ada Lovelace wrote the first program. She worked with Charles Babbage.",)
    assert second.passages == ("Charles Babbage designed the Analytical Engine in 1837.",)


def test_regions_as_the_search_shows_them_hold_whole_gold(corpus_dir: Path) -> None:
    shown = [event for event in asked(corpus_dir, oracle()) if isinstance(event, Proposed)]
    spans = {item.path: item.span for event in shown for item in event.regions}
    assert spans["Ada_Lovelace"] == Span(0, len(BODIES["Ada_Lovelace"]))
