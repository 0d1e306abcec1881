"""What joins a search on the way: new terms, other words, documents that were read since."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.scripted_model import Broken, ScriptedModel
from lens_lsp.judge.llm.chat_model import ChatRequest, ModelError
from lens_lsp.judge.llm.chat_prompts import TRAILER
from lens_lsp.model.answer import Answer, Mode, RequirementStatus, Status, StopReason
from lens_lsp.search.exploration import DocumentFeed
from tests.judge.llm.chat_session import BOUNDS, PROOF, ask, asked, notes, regions_of, scripted, stage_of, total

DRAWN = "The dam of Corvin was drawn by Ilse Brandt"
STUDIED = "Brandt studied in Delft"
ASKED = "Where did the engineer of the Corvin dam study?"
_SAYS = st.fixed_dictionaries(
    {
        "quotes": st.lists(
            st.tuples(
                st.integers(0, 5),
                st.sampled_from(["f1", "f2", "f3"]),
                st.sampled_from(["full", "partial", "related"]),
                st.sampled_from(["true", "invented"]),
                st.sampled_from([None, "Arlen", "4 May 1931"]),
            ),
            max_size=4,
        ),
        "unproven": st.lists(st.sampled_from(["f1", "f2", "f3"]), max_size=3),
        "terms": st.lists(st.sampled_from(["carts", "mill", "repairs", "zzz"]), max_size=2),
        "rewritten": st.sampled_from(["who opened the bridge at Arlen", "carts of mill 3", "nothing of the kind"]),
        "answerable": st.sampled_from(["no", "no", "no", "yes"]),
        "unmet": st.lists(st.sampled_from(["f1", "f2"]), max_size=1),
        "short": st.sampled_from([None, "1931"]),
        "facts": st.lists(
            st.sampled_from(
                ["when the bridge at Arlen was opened", "who opened {f1}", "the bridge near {f1} and {f2}"]
            ),
            min_size=1,
            max_size=3,
        ),
        "broken": st.sampled_from([None] * 12 + ["not json", "refused", "cut"]),
    }
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Notes of which many are as telling as the proof."""
    for number in range(5):
        lines = " ".join(f"On day {day} the bridge at Arlen was opened to mill {number}." for day in range(8))
        (tmp_path / f"carts-{number}.md").write_text(f"# Carts {number}\n\n{lines}\n", "utf-8")
    return notes(tmp_path)


@pytest.fixture
def dams(tmp_path: Path) -> Path:
    """The engineer stands in one note, where she studied in another that does not name the dam."""
    (tmp_path / "corvin.md").write_text(f"# Corvin\n\n{DRAWN}.\n", "utf-8")
    (tmp_path / "people.md").write_text(f"# People\n\n{STUDIED} under her aunt.\n", "utf-8")
    for number in range(14):
        lines = f"The engineer of dam {number} did not study there. " * 20
        (tmp_path / f"dam-{number:02}.md").write_text(f"# Dam {number}\n\n{lines}\n", "utf-8")
    return tmp_path


def plan(*facts: str, **more: Any) -> str:
    """A plan as a model writes it."""
    parts = [{"text": text, "type": "any", "many": False, "label": text} for text in facts]
    return json.dumps({"intent": "lookup", "facts": parts, "combine": "none", "expression": None, **more})


def finding(*found: tuple[str, str, str, str | None], terms: Sequence[str] = ()) -> Callable[[ChatRequest], str]:
    """Quotes (fact, verdict, words, value) wherever the words are shown."""

    def says(request: ChatRequest) -> str:
        parts = [
            {"region": number, "fact": fact, "verdict": verdict, "quote": words, "value": value}
            for number, text in regions_of(request).items()
            for fact, verdict, words, value in found
            if words in text
        ]
        return json.dumps({"found": parts, "terms": [{"fact": "f1", "words": list(terms)}]})

    return says


def facts_of(request: ChatRequest) -> dict[str, str]:
    """The facts that a request asks for."""
    return dict(re.findall(r"^(f\d)(?: \(\w+\))?: (.+)$", asked(request), re.MULTILINE))


def requests(model: ScriptedModel, stage: str) -> list[ChatRequest]:
    """The requests of one stage."""
    return [request for request in model.requests if stage_of(request) == stage]


def without_nonce(request: ChatRequest) -> str:
    """What a request asks, which is the same for the same request."""
    return re.sub(r"\bn\d{6}", "", "\n".join(message.text for message in request.messages))


def coverage(answerable: str, unproven: Sequence[str] = (), **rewritten: str) -> str:
    """A reply to a coverage check."""
    new = [{"fact": fact, "text": text} for fact, text in rewritten.items()]
    return json.dumps({"unproven": list(unproven), "terms": [], "rewritten": new, "answerable": answerable})


def _reply(request: ChatRequest, said: dict[str, Any]) -> Any:
    stage, shown = stage_of(request), regions_of(request)
    if said["broken"] == "refused":
        return ModelError("busy", retryable=True)
    if said["broken"] == "cut":
        return Broken("{", ModelError("the line was cut"))
    if said["broken"] is not None:
        return said["broken"]
    if stage == "decompose":
        return plan(*said["facts"])
    if stage == "synthesise":
        return f"So [1].\n{TRAILER} {json.dumps({'short': said['short'], 'unmet': said['unmet']})}"
    numbers = sorted(shown)
    found = []
    for at, fact, verdict, kind, value in said["quotes"]:
        if at < len(numbers):
            quote = shown[numbers[at]].split(".")[0].split("\n")[-1] if kind == "true" else "Nobody ever wrote this."
            found.append({"region": numbers[at], "fact": fact, "verdict": verdict, "quote": quote, "value": value})
    return json.dumps(
        {
            "anchors": said["terms"],
            "found": found,
            "unproven": said["unproven"],
            "terms": [{"fact": "f1", "words": said["terms"]}],
            "rewritten": [{"fact": "f1", "text": said["rewritten"]}],
            "answerable": said["answerable"],
            "short": said["short"],
        }
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_SAYS, min_size=16, max_size=16))
def test_whatever_is_replied_no_request_is_made_twice_and_none_with_nothing_to_judge(
    folder: Path, replies: list[dict[str, Any]]
) -> None:
    said, refused = iter(replies), 0

    def tell(request: ChatRequest) -> Any:
        nonlocal refused
        reply = _reply(request, next(said))
        cut_at_once = isinstance(reply, Broken) and stage_of(request) != "synthesise"  # no stream: nothing came
        refused += isinstance(reply, ModelError) or cut_at_once
        return reply

    model = ScriptedModel(tell, context_tokens=32_000)
    answer = ask(folder, model, Mode.DEEP)
    assert len(model.requests) - refused == total(answer) <= BOUNDS[Mode.DEEP]
    texts = [without_nonce(request) for request in model.requests]
    assert len(texts) - refused <= len(set(texts))
    assert all(regions_of(request) for request in model.requests if stage_of(request) in ("observe", "cover"))
    assert answer.text
    if answer.status is Status.ANSWERED:
        assert all(need.status is not RequirementStatus.MISSING for need in answer.requirements)
        assert "{f1}" not in "".join(need.text for need in answer.requirements)


def test_evidence_that_answers_the_question_ends_the_search_whatever_facts_are_open(folder: Path) -> None:
    stages = {
        "decompose": plan("when the bridge at Arlen was opened", "who else was at the bridge"),
        "observe": finding(("f1", "partial", PROOF, "4 May 1931")),
        "cover": coverage("yes", ["f1", "f2"]),
    }
    model = scripted(stages)
    answer = ask(folder, model, Mode.DEEP)
    assert (answer.status, answer.stopped) == (Status.ANSWERED, StopReason.COVERED)
    assert [(need.id, need.status) for need in answer.requirements] == [("f1", RequirementStatus.COVERED)]
    assert len(requests(model, "observe")) == len(requests(model, "cover")) == 1
    assert "Not found" not in answer.text


def test_that_the_question_is_answerable_covers_no_operand_without_evidence(folder: Path) -> None:
    facts = ("when the bridge at Arlen was opened", "when the bridge at Arlen was closed")
    stages = {
        "decompose": plan(*facts, intent="computation", combine="expression", expression="f2 - f1"),
        "observe": finding(("f1", "partial", PROOF, "4 May 1931")),
        "cover": coverage("yes"),
    }
    answer = ask(folder, scripted(stages), Mode.DEEP)
    assert answer.status is Status.PARTIAL
    assert len(answer.requirements) == 2


def test_the_coverage_check_sees_all_facts_and_all_evidence(folder: Path) -> None:
    spans = "It spans 210 metres"
    stages = {
        "decompose": plan("when the bridge at Arlen was opened", "how long the bridge at Arlen is"),
        "observe": finding(("f1", "full", PROOF, "4 May 1931"), ("f2", "partial", spans, "210 metres")),
        "cover": coverage("no", ["f2"]),
    }
    model = scripted(stages)
    answer = ask(folder, model, Mode.DEEP)
    (check,) = requests(model, "cover")
    assert set(facts_of(check)) == {"f1", "f2"}
    assert "of f2, those that they do not prove" in asked(check)
    assert {PROOF in text or spans in text for text in regions_of(check).values()} == {True}
    assert any(PROOF in text for text in regions_of(check).values())
    assert answer.status is Status.PARTIAL


def test_no_evidence_is_no_coverage_check(folder: Path) -> None:
    model = scripted({"observe": finding()})
    ask(folder, model, Mode.DEEP)
    assert requests(model, "observe")
    assert not requests(model, "cover")


def test_an_objection_holds_until_there_is_something_new(folder: Path) -> None:
    stages = {
        "observe": [finding(("f1", "partial", "On day 0", None), terms=["mill"]), finding()],
        "cover": coverage("no", ["f1"]),
    }
    model = scripted(stages)
    answer = ask(folder, model, Mode.DEEP, limits={"request_tokens": 1_500, "direct_tokens": 50})
    assert len(requests(model, "observe")) > 1
    assert len(requests(model, "cover")) == 1
    assert answer.status is Status.PARTIAL


def test_a_fact_that_builds_on_another_is_searched_with_its_value(dams: Path) -> None:
    stages = {
        "decompose": plan("who drew the dam of Corvin", "where {f1} studied, the engineer of the Corvin dam"),
        "observe": finding(("f1", "full", DRAWN, "Ilse Brandt"), ("f2", "full", STUDIED, "Delft")),
        "synthesise": f'{STUDIED} [2].\n{TRAILER} {{"short": "Delft", "unmet": []}}',
    }
    model = scripted(stages)
    answer = ask(dams, model, Mode.DEEP, question=ASKED)
    first, *later = requests(model, "observe")
    assert facts_of(first)["f2"].startswith("where who drew the dam of Corvin studied")
    assert later
    assert facts_of(later[0]) == {"f2": "where Ilse Brandt studied, the engineer of the Corvin dam"}
    assert not any(STUDIED in text for text in regions_of(first).values())
    assert any(STUDIED in text for text in regions_of(later[0]).values())
    assert answer.status is Status.ANSWERED
    assert [item.path for item in answer.evidence] == ["corvin.md", "people.md"]
    assert answer.requirements[1].text.startswith("where Ilse Brandt studied")


@pytest.mark.parametrize(
    ("said", "searched"),
    [
        ("where Ilse Brandt studied", "where Ilse Brandt studied"),
        ("the weather on the moon", "where somebody studied, the engineer of the Corvin dam"),
    ],
)
def test_a_fact_may_be_put_into_other_words_about_the_question(dams: Path, said: str, searched: str) -> None:
    stages = {
        "decompose": plan("who drew the dam of Corvin", "where somebody studied, the engineer of the Corvin dam"),
        "observe": finding(("f1", "full", DRAWN, "Ilse Brandt"), ("f2", "full", STUDIED, "Delft"), terms=["Brandt"]),
        "cover": coverage("no", ["f2"], f2=said),
    }
    model = scripted(stages)
    ask(dams, model, Mode.DEEP, question=ASKED)
    _, later, *_ = requests(model, "observe")
    assert facts_of(later) == {"f2": searched}


def test_a_further_call_shows_what_is_relevant_and_does_not_fill_the_context(folder: Path) -> None:
    for number in range(30):
        (folder / f"day-{number:02}.md").write_text(f"# Day {number}\n\nThe mill was closed.\n" + "So. " * 90, "utf-8")
    stages = {"observe": finding(("f1", "partial", PROOF, None), terms=["mill"]), "cover": coverage("no", ["f1"])}
    model = scripted(stages)
    answer: Answer = ask(folder, model, Mode.DEEP, limits={"request_tokens": 8_000, "direct_tokens": 50})
    first, *later = requests(model, "observe")
    assert len(regions_of(first)) >= 10
    shown = [text for request in later for text in regions_of(request).values()]
    assert sum("The mill was closed" in text for text in shown) <= 5, "a few of those that a new term leads to"
    assert answer.status is Status.PARTIAL


class Shelf:
    """Documents that are read one at a time; true ones belong to the best."""

    def __init__(self, *documents: bool) -> None:
        self.waiting = list(documents)

    async def read(self, take_in: Callable[[], bool]) -> bool:
        return self.waiting.pop(0) and take_in()

    @property
    def further(self) -> DocumentFeed:
        return DocumentFeed(self.read, lambda: bool(self.waiting))


@pytest.mark.parametrize(
    ("documents", "some", "until", "left"),
    [
        ([False, True], (False, 1), (True, 0), False),
        ([False, False, True, False], (False, 3), (True, 1), True),
        ([False, False], (False, 1), (False, 0), False),
        ([], (False, 0), (False, 0), False),
    ],
)
def test_a_moment_reads_once_and_patience_until_a_document_belongs_to_the_best(
    documents: list[bool], some: tuple[bool, int], until: tuple[bool, int], left: bool
) -> None:
    shelf = Shelf(*documents)
    assert (asyncio.run(shelf.further.read_some(lambda: True)), len(shelf.waiting)) == some
    shelf = Shelf(*documents)
    assert (asyncio.run(shelf.further.read_until_promising(lambda: True)), len(shelf.waiting)) == until
    assert shelf.further.left is left
    assert asyncio.run(DocumentFeed().read_until_promising(lambda: True)) is False
