"""Questions asked of a Lens: the events of the pipeline, their order, and the end that a budget makes."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lens_lsp import Answer, Answered, Buffer, Lens, Mode
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.model.answer import Event, Planned, Status, Stopped, StopReason
from lens_lsp.model.errors import UsageError
from lens_lsp.model.text import Span
from tests.lens_by_name import by_name
from tests.word_judge import WordJudge

FACT = "The lighthouse of Vell was built in 1874 by Ines Karr."
QUESTION = "When was the lighthouse of Vell built?"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for number in range(12):
        line = f"Ships of harbour {number} carry salt, wool and timber to the islands. "
        (tmp_path / f"{number:02}.md").write_text(f"# Harbour {number}\n\n{line * 60}\n", "utf-8")
    (tmp_path / "vell.md").write_text(f"# Vell\n\nA town.\n\n{FACT} It is red.\n", "utf-8")
    return tmp_path


def ask(folder: Path, question: str = QUESTION, **options: Any) -> Answer:
    options.setdefault("oracle", WordJudge())

    async def last() -> Answer:
        answers = [
            event.answer async for event in by_name(Lens([folder]), question, **options) if isinstance(event, Answered)
        ]
        return answers[0]

    return asyncio.run(last())


def test_a_fact_is_found_and_proven(notes: Path) -> None:
    answer = ask(notes)
    assert answer.status is Status.ANSWERED
    assert answer.short == "1874"
    assert any(FACT in item.quote for item in answer.evidence)
    assert answer.account.calls == {}
    assert "[1]" in answer.text


@pytest.mark.parametrize("question", [QUESTION, "Who painted the ferry of Vell?"])
def test_a_question_leaves_no_cycle_behind(notes: Path, question: str) -> None:
    """All it knew, a hundred megabytes in a large workspace, is gone when it ends, not when cycles are looked for."""
    ask(notes, question)  # what is kept for good is there
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        ask(notes, question)
        gc.collect()
        left = Counter(type(one).__qualname__ for one in gc.garbage if type(one).__module__.startswith("lens_lsp"))
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert left == {}


@pytest.mark.parametrize("question", [QUESTION, "Who painted the ferry of Vell?"])
def test_every_quote_is_the_source_at_its_span(notes: Path, question: str) -> None:
    answer = ask(notes, question)
    assert answer.evidence
    for item in answer.evidence:
        text = (notes / item.path).read_text("utf-8")
        assert text[item.span.start : item.span.end] == item.quote


def test_what_the_notes_do_not_say_is_said_to_be_missing(notes: Path) -> None:
    answer = ask(notes, "Who painted the ferry of Vell?")
    assert answer.status is Status.PARTIAL
    assert answer.short is None


def test_an_unsaved_edit_is_what_counts(notes: Path) -> None:
    path = str(notes / "vell.md")
    edited = Buffer(path, f"# Vell\n\n{FACT.replace('1874', '1911')}\n", 7)
    answer = ask(notes, buffers={path: edited})
    assert answer.short == "1911"
    assert (answer.evidence[0].origin.source.value, answer.evidence[0].origin.version) == ("buffer", 7)


def test_the_line_that_asks_is_never_evidence(notes: Path) -> None:
    asking = f"What year was it? I think that {FACT}"
    (notes / "ask.md").write_text(f"# Asking\n\n{asking}\n\nSome other line of the note.\n", "utf-8")
    start = len("# Asking\n\n")
    answer = ask(notes, exclude_spans={str(notes / "ask.md"): Span(start, start + len(asking))})
    assert not any(item.path == "ask.md" and FACT in item.quote for item in answer.evidence)
    assert any(item.path == "vell.md" for item in answer.evidence)


OURS = {
    "answer.md": f"---\nlens: answer/1\nquestion: {QUESTION}\n---\n\n{FACT}[^1]\n",
    "block.md": f"# Note\n\n<!-- lens:begin a1 {{}} -->\n{FACT}[^a1-1]\n<!-- lens:end a1 -->\n\nMore of the note.\n",
    "asks.md": f"# Note\n\n?? {QUESTION} Is it so that {FACT}\n\nMore of the note.\n",
    "asks.txt": f"- ?? {FACT}\nanother line\n",
    ".lens/answers/old.md": f"# Old\n\n{FACT}\n",
}


@pytest.mark.parametrize("path", sorted(OURS))
def test_what_is_ours_is_never_evidence(notes: Path, path: str) -> None:
    (notes / path).parent.mkdir(parents=True, exist_ok=True)
    (notes / path).write_text(OURS[path], "utf-8")
    cited = [*ask(notes).evidence, *Lens([notes]).find(QUESTION).evidence]
    assert any(item.path == "vell.md" for item in cited)
    assert not any(item.path == path and "1874" in item.quote for item in cited)


def test_the_same_words_outside_our_marks_are_evidence(notes: Path) -> None:
    (notes / "mine.md").write_text(f"# Mine\n\n{FACT}\n", "utf-8")
    assert any(item.path == "mine.md" for item in ask(notes).evidence)


def test_nothing_to_read_is_no_answer_and_no_error(tmp_path: Path) -> None:
    answer = ask(tmp_path)
    assert answer.status is Status.UNANSWERED
    assert not answer.evidence
    assert answer.text


@pytest.mark.parametrize("options", [{"question": " "}, {"ablate": {"nonsense"}}])
def test_a_request_without_sense_is_refused(notes: Path, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ask(notes, **options)


def test_leaving_in_the_middle_closes_everything(notes: Path) -> None:
    async def leave() -> list[Event]:
        events = Lens([notes]).ask(QUESTION)
        first = [await anext(events)]
        await events.aclose()
        return first

    before = threading.active_count()
    assert isinstance(asyncio.run(leave())[0], Planned)
    assert threading.active_count() <= before + 1


def test_a_cancelled_task_ends_at_once(notes: Path) -> None:
    async def cancelled() -> bool:
        started = asyncio.Event()

        async def consume() -> None:
            async for _ in Lens([notes]).ask(QUESTION):
                started.set()

        task = asyncio.create_task(consume())
        await started.wait()
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        return False

    assert asyncio.run(cancelled())


def test_asking_to_stop_gives_an_answer_that_says_so(notes: Path) -> None:
    async def events() -> list[Event]:
        return [event async for event in Lens([notes]).ask(QUESTION, cancelled=lambda: True)]

    *_, answered, stopped = asyncio.run(events())
    assert isinstance(answered, Answered)
    assert answered.answer.stopped is StopReason.CANCELLED
    assert stopped == Stopped(StopReason.CANCELLED)


def test_one_lens_answers_one_question_after_another_from_the_disk_as_it_is(notes: Path) -> None:
    lens = Lens([notes])

    async def both() -> list[str | None]:
        short = []
        for year in ("1874", "1902"):
            (notes / "vell.md").write_text(f"# Vell\n\n{FACT.replace('1874', year)}\n", "utf-8")
            short += [
                event.answer.short
                async for event in lens.ask(QUESTION, Terms(oracle=WordJudge()))
                if isinstance(event, Answered)
            ]
        return short

    assert asyncio.run(both()) == ["1874", "1902"]


def test_runs_with_one_seed_are_equal_but_for_seconds(notes: Path) -> None:
    one, two = ask(notes, mode=Mode.EVIDENCE, seed=3), ask(notes, mode=Mode.EVIDENCE, seed=3)
    assert one.evidence == two.evidence
    assert one.text == two.text
    assert one.documents == two.documents


DOCS = Path(__file__).parents[2] / "docs"
QUESTIONS = (
    "How is the language server told where the settings of a user are?",
    "Which environment variable names the folder of test data?",
    "What does a budget of 64 MiB mean for texts that do not fit into memory?",
    "Why is a citation that drifted shown as a diagnostic?",
)


@pytest.fixture(scope="module")
def kept() -> Lens:
    return Lens([DOCS])


@pytest.fixture(scope="module", params=[0, 200_000], ids=["none", "some"])
def passing(request: pytest.FixtureRequest) -> Lens:
    return Lens([DOCS], memory=request.param)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_passages_are_found(kept: Lens, passing: Lens, question: str) -> None:
    much, little = kept.find(question), passing.find(question)
    assert much.evidence
    assert [(one.path, one.span, one.quote) for one in little.evidence] == [
        (one.path, one.span, one.quote) for one in much.evidence
    ]
    assert [one.score for one in little.evidence] == pytest.approx([one.score for one in much.evidence])
    assert [(one.path, one.admitted) for one in little.documents] == [
        (one.path, one.admitted) for one in much.documents
    ]
    assert [one.prior for one in little.documents] == pytest.approx([one.prior for one in much.documents])
    assert little.coverage == much.coverage


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_answer_is_given(kept: Lens, passing: Lens, question: str) -> None:
    much, little = asked(kept, question), asked(passing, question)
    assert (little.status, little.short, little.text) == (much.status, much.short, much.text)
    assert [(one.path, one.span) for one in little.evidence] == [(one.path, one.span) for one in much.evidence]


def asked(lens: Lens, question: str) -> Answer:
    async def last() -> Answer:
        answers = [
            event.answer async for event in lens.ask(question, Terms(oracle=WordJudge())) if isinstance(event, Answered)
        ]
        return answers[0]

    return asyncio.run(last())
