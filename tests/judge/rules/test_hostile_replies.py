"""A model that is the attacker, and the checker that watches it: the fast share of `tests.soak.hostile_replies`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.model.answer import Answer, Mode, Sent
from lens_lsp.model.text import Position, Span
from tests.judge.rules.chat_session import PROOF, ask, scripted
from tests.judge.rules.grammar import workspace
from tests.judge.rules.independent import Said, held, live, violations
from tests.soak.hostile_replies import MODES, Tally, run, session

REPLIES = 250


def test_no_reply_breaks_an_invariant(tmp_path: Path) -> None:
    tally = run(workspace(tmp_path), REPLIES)
    assert tally.wrong == []
    assert tally.most == {"deep": 10, "fast": 4}
    assert tally.evidence > 5
    assert tally.rejected > 5


def test_an_oracle_that_takes_what_is_only_like_a_quote_is_caught(tmp_path: Path) -> None:
    tally = run(workspace(tmp_path), REPLIES, believing=True)
    assert held(wrong.split(": ", 1)[1] for wrong in tally.wrong) == {"I5"}


def test_the_same_seed_says_the_same(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    for mode in MODES:
        one, other = (session(folder, mode, 6, Tally()) for _ in range(2))
        assert (one.text, one.evidence, one.requirements) == (other.text, other.evidence, other.requirements)


@pytest.fixture
def answered(tmp_path: Path) -> tuple[Path, Answer]:
    folder = workspace(tmp_path)
    return folder, ask(folder, scripted(), Mode.FAST, limits={"request_tokens": 4_000})


def broken(folder: Path, answer: Answer, *, quote: str = PROOF, more: int = 0) -> set[str]:
    """The rules that an answer breaks, of a model that said one quote and took ``more`` calls than the ledger says."""
    said = Said([quote], sum(answer.account.calls.values()) + more)
    return held(violations(folder, answer, answer.evidence, said, bound=4, tokens=128_000))


def test_the_checker_lets_an_honest_answer_pass(answered: tuple[Path, Answer]) -> None:
    assert broken(*answered) == set()


def test_the_checker_sees_a_quote_that_is_not_there_and_a_place_that_is_not_its_own(
    answered: tuple[Path, Answer],
) -> None:
    folder, answer = answered
    first = answer.evidence[0]

    def with_first(**changes: object) -> Answer:
        return replace(answer, evidence=(replace(first, **changes), *answer.evidence[1:]))  # type: ignore[arg-type]

    moved = Span(first.span.start + 1, first.span.end + 1)
    assert broken(folder, with_first(quote=first.quote + " not")) == {"I1"}
    assert "I1" in broken(folder, with_first(span=moved))
    assert broken(folder, with_first(start=Position(first.start.line, first.start.column + 1))) == {"I4"}
    assert broken(folder, answer, quote=PROOF.replace("4 May", "5 May")) == {"I5"}
    outside = replace(answer, account=replace(answer.account, sent=(Sent("../x.md", Span(0, 1)),)))
    assert broken(folder, outside) == {"I6"}
    assert broken(folder, replace(answer, text="![x](https://evil.example/a)")) == {"I7"}
    assert broken(folder, answer, more=1) == {"I8"}
    (folder / first.path).write_text("changed", "utf-8")
    assert broken(folder, answer) == {"I3"}


@pytest.mark.parametrize("text", ["[a](b)", "![a](b)", "<b>x</b>", "<https://a.example>", "[a]\n\n[a]: b"])
def test_the_checker_knows_what_is_live(text: str) -> None:
    assert live(text)
    assert not live("a [1] (b) < c: d")
