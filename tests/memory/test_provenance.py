"""A model's wording is never kept as a fact: kept, and shown without the model, are quotes and what they hold."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.question_memory import Memory
from lens_lsp.app.settings import Request
from lens_lsp.memory.answer_files import cluster_markdown
from lens_lsp.memory.clusters import NOT_KEPT, is_quoted, quoted
from lens_lsp.memory.store import Store
from lens_lsp.model.answer import Answer, Mode, answer_of
from lens_lsp.model.cluster import Cluster
from lens_lsp.schema.memory_shapes import clusters_json
from tests.judge.llm.chat_session import oracle_of, reading, regions_of, scripted
from tests.lens_by_name import by_name

LEASE = "The lease of the workshop ends on 30 June 2031."
QUESTION = "When does the lease of the workshop end?"
FALSE = "30 June 2099 for 5 million euros"


def asked(tmp_path: Path, answer: str, short: str | None) -> tuple[Answer, Path]:
    """A question to a model that quotes the lease and says what it likes."""
    notes = tmp_path / "notes"
    notes.mkdir(exist_ok=True)
    (notes / "lease.md").write_text(f"# Lease\n\n{LEASE}\n")

    def read(request: object) -> str:
        place = next((n for n, text in regions_of(request).items() if LEASE in text), 1)  # type: ignore[arg-type]
        return reading("yes", [(place, LEASE)], answer, short=short)

    model = scripted({"read": read}, endpoint="https://models.example")
    folder = tmp_path / "store"
    with Store.open(folder) as store:
        memory = Memory(store, str(notes))
        oracle = oracle_of(model, Mode.FAST)
        found = asyncio.run(answer_of(by_name(Lens([notes]), QUESTION, mode=Mode.FAST, oracle=oracle, memory=memory)))
    return found, folder


def clusters(folder: Path) -> list[Cluster]:
    with Store.open(folder) as store:
        return list(store.clusters())


def shown(known: list[Cluster]) -> str:
    """All that is shown of clusters."""
    pages = [cluster_markdown(cluster, {}) for cluster in known]
    return "\n".join([*pages, json.dumps(clusters_json(known), ensure_ascii=False)])


@pytest.mark.parametrize("short", [FALSE, "30 June 2099", None])
def test_what_no_quote_says_is_neither_kept_nor_shown(tmp_path: Path, short: str | None) -> None:
    answer, folder = asked(tmp_path, f"It ends on {FALSE} [1].", short)
    assert answer.doubts
    known = clusters(folder)
    assert known
    assert "2099" not in shown(known) + repr(known)
    assert "million" not in shown(known) + repr(known)
    assert LEASE.rstrip(".") in shown(known)


def test_words_that_rules_do_not_doubt_are_repeated_by_no_one_but_a_model(tmp_path: Path) -> None:
    answer, folder = asked(tmp_path, "It ends on 30 June 2031 and the landlord was told [1].", "30 June 2031")
    assert not answer.doubts, "then nothing is shown here"
    known = clusters(folder)
    assert "landlord" not in shown(known)
    notes = tmp_path / "notes"
    with Store.open(folder) as store:
        again = asyncio.run(answer_of(Lens([notes]).ask(Request(QUESTION), memory=Memory(store, str(notes)))))
    assert "landlord" not in again.text
    assert LEASE.rstrip(".") in again.text
    assert again.short in (None, "30 June 2031")


def test_a_value_that_a_quote_holds_is_kept(tmp_path: Path) -> None:
    _, folder = asked(tmp_path, "It ends on 30 June 2031 [1].", "30 June 2031")
    (cluster,) = clusters(folder)
    assert [fact.value for fact in cluster.facts] == ["30 June 2031"]
    assert [each.short for each in cluster.asked] == ["30 June 2031"]


@pytest.mark.parametrize(
    ("value", "held"),
    [
        ("2.5 million", True),
        ("5 million", False),
        ("2,5 million", False),
        ("THE RENT", True),
        ("rent was", False),
        ("ren", False),
        ("million euros, the rent", False),
    ],
)
def test_a_value_stands_in_a_quote_with_its_words_and_numbers_whole(value: str, held: bool) -> None:
    assert is_quoted(value, ["nothing", "The rent is 2.5 million euros."]) is held


def test_an_answer_in_quotes_has_no_mark_but_its_own() -> None:
    text = quoted(["rolling. [1]_", "a\nb [^2]"])
    assert text == f"> rolling. \\[1]_ [1]\n\n> a b \\[^2] [2]\n\n{NOT_KEPT}"
