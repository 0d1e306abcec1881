"""What is asked again: reused while its sources hold, searched anew where they do not, never stale unseen."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from benchmarks.scripted_model import ScriptedModel
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.app.question_memory import Memory
from lens_lsp.app.settings import Request
from lens_lsp.corpus.intake import Buffer
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.llm.chat_model import ChatRequest, ModelError
from lens_lsp.judge.llm.chat_oracle import ChatOracle
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import StoreConnection, connect
from lens_lsp.memory.store_rows import Changes
from lens_lsp.model.answer import Answer, Mode, RequirementStatus, Status, StopReason, answer_of
from lens_lsp.model.errors import UsageError
from lens_lsp.model.observation import CoverageReply, Judgement, Region, Verdict
from lens_lsp.model.plan import Plan, Requirement
from tests.judge.llm.chat_session import PLAN, PROOF, oracle_of, reading, regions_of, scripted
from tests.lens_by_name import by_name
from tests.search.scripted_oracle import ScriptedOracle, quoting
from tests.word_judge import WordJudge


class Filling:
    """A connection on a disk that may be full."""

    def __init__(self, connection: StoreConnection, full: threading.Event) -> None:
        self._connection = connection
        self._full = full

    def execute(self, sql: str, *parameters: Any) -> Any:
        if self._full.is_set() and sql.startswith(("INSERT", "DELETE", "UPDATE", "REPLACE")):
            raise sqlite3.OperationalError("database or disk is full")
        return self._connection.execute(sql, *parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


QUESTION = "What is the default port of the server?"


class Desk:
    """A folder of notes, and questions about it over one store."""

    def __init__(self, folder: Path) -> None:
        self.notes = folder / "notes"
        self.notes.mkdir()
        self.store_folder = folder / "store"
        self.lens = Lens([self.notes])
        self.write("server.md", "# Server\n\nThe default port of the server is 8080. It listens everywhere.\n")
        self.write("client.md", "# Client\n\nThe client waits at most 30 seconds.\n")

    def write(self, name: str, text: str) -> None:
        (self.notes / name).write_text(text, "utf-8")

    def ask(self, question: str = QUESTION, **options: Any) -> Answer:
        options.setdefault("oracle", WordJudge())
        with Store.open(self.store_folder) as store:
            memory = Memory(store, str(self.notes))
            return asyncio.run(answer_of(by_name(self.lens, question, memory=memory, **options)))

    def clusters(self) -> list[str]:
        with Store.open(self.store_folder) as store:
            return [cluster.title for cluster in store.clusters()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    return Desk(tmp_path)


def test_the_same_question_is_answered_from_what_is_known(desk: Desk) -> None:
    first, again = desk.ask(), desk.ask("what's the default port of the server")
    assert again.stopped is StopReason.REUSED
    assert again.status is Status.ANSWERED
    assert again.question == "what's the default port of the server"
    assert (again.text, again.short) == (first.text, first.short)
    assert [item.quote for item in again.evidence] == [item.quote for item in first.evidence]
    assert [one.requirements for one in again.reused] == [("f1",)]
    assert again.account.calls == {}


def test_an_answer_whose_quote_was_edited_is_searched_again(desk: Desk) -> None:
    desk.ask()
    desk.write("server.md", "# Server\n\nThe default port of the server is 9090. It listens everywhere.\n")
    again = desk.ask()
    assert again.reused == ()
    assert ["9090" in item.quote for item in again.evidence] == [True]
    assert any("server.md" in warning and "no longer" in warning for warning in again.warnings)


def test_an_answer_whose_file_is_gone_is_not_repeated(desk: Desk) -> None:
    desk.ask()
    (desk.notes / "server.md").unlink()
    again = desk.ask()
    assert again.reused == ()
    assert "8080" not in again.text


def test_an_edit_in_an_open_buffer_counts_like_one_on_disk(desk: Desk) -> None:
    desk.ask()
    path = str(desk.notes / "server.md")
    again = desk.ask(buffers={path: Buffer(path, "# Server\n\nThe default port of the server is 7070.\n", 3)})
    assert again.reused == ()
    assert "7070" in again.text


def test_what_moved_within_its_file_is_cited_where_it_stands_now(desk: Desk) -> None:
    desk.ask()
    desk.write(
        "server.md",
        "# Server\n\nA line came before.\n\nThe default port of the server is 8080. It listens everywhere.\n",
    )
    again = desk.ask()
    assert [item.start.line for item in again.evidence if "8080" in item.quote] == [5]
    third = desk.ask()
    assert third.stopped is StopReason.REUSED
    assert [item.start.line for item in third.evidence] == [5]


def test_a_newer_note_about_the_same_fact_is_cited_or_named(desk: Desk) -> None:
    desk.ask()
    desk.write("news.md", "# News\n\nSince May the default port of the server is 9090.\n")
    again = desk.ask()
    assert "news.md" in {item.path for item in again.evidence} | set(again.newer)


def test_a_newer_note_that_rules_cannot_judge_stays_named(desk: Desk) -> None:
    desk.ask()
    desk.write("news.md", "# News\n\nServers were moved to Oslo.\n")
    for _ in range(2):
        again = desk.ask()
        assert again.newer == ("news.md",)
        assert again.text.startswith("Newer, not in this answer: news.md")
        assert [one.requirements for one in again.reused] == [("f1",)]


def test_a_question_that_only_looks_alike_is_searched(desk: Desk) -> None:
    desk.ask()
    for other in (
        "What is the default port of the client?",
        "What is not the default port of the server?",
        "What was the default port of the server?",
    ):
        assert desk.ask(other).reused == ()


def test_what_is_known_of_near_questions_raises_their_documents(desk: Desk) -> None:
    desk.ask()
    near = desk.ask("Which default port does the server have?")
    fresh = asyncio.run(answer_of(desk.lens.ask("Which default port does the server have?", Terms(oracle=WordJudge()))))
    assert [document.signals["history"] > 0 for document in near.documents if document.path == "server.md"] == [True]
    assert [document.signals["history"] for document in fresh.documents if document.path == "server.md"] == [0]


def test_nothing_that_rests_on_a_private_note_is_kept(desk: Desk) -> None:
    desk.write("server.md", "---\nlens: private\n---\n\nThe default port of the server is 8080.\n")
    assert desk.ask().status is Status.ANSWERED
    assert desk.clusters() == []
    assert all(b"8080" not in path.read_bytes() for path in desk.store_folder.rglob("*") if path.is_file())


def test_a_question_over_another_folder_does_not_reuse_what_lies_outside(desk: Desk, tmp_path: Path) -> None:
    desk.ask()
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# A\n\nThe server has a port.\n", "utf-8")
    desk.lens = Lens([other])
    again = desk.ask()
    assert again.reused == ()
    assert "8080" not in again.text


def test_asking_a_part_of_the_workspace_reuses_what_lies_in_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.ask()
    with Store.open(desk.store_folder) as store:
        lens = Lens([desk.notes / "server.md"])
        memory = Memory(store, str(desk.notes))
        again = asyncio.run(answer_of(lens.ask(QUESTION, Terms(oracle=WordJudge()), memory=memory)))
    assert again.stopped is StopReason.REUSED


def test_a_follow_up_is_searched_with_what_it_refers_to(desk: Desk) -> None:
    desk.write("history.md", "# History\n\nAda Lovelace wrote the server. She was born in 1815 in London.\n")
    desk.ask("Who wrote the server?", thread="talk")
    second = desk.ask("What about the client?", thread="talk")
    assert second.question == "Who wrote the client?"
    assert second.typed == "What about the client?"
    with Store.open(desk.store_folder) as store:
        assert [(turn.typed, turn.question) for turn in store.turns("talk")] == [
            ("Who wrote the server?", "Who wrote the server?"),
            ("What about the client?", "Who wrote the client?"),
        ]


def test_a_thread_needs_a_memory(desk: Desk) -> None:
    with pytest.raises(UsageError, match="store"):
        asyncio.run(answer_of(desk.lens.ask(Request(QUESTION, thread="talk"))))


def test_a_store_that_cannot_be_written_costs_no_answer(desk: Desk) -> None:
    full = threading.Event()
    with Store.open(
        desk.store_folder, connect=lambda path: cast("StoreConnection", Filling(connect(path), full))
    ) as store:
        full.set()
        memory = Memory(store, str(desk.notes))
        answer = asyncio.run(answer_of(desk.lens.ask(QUESTION, Terms(oracle=WordJudge()), memory=memory)))
        assert answer.status is Status.ANSWERED
        assert any("not saved" in warning for warning in answer.warnings)
        full.clear()
        asyncio.run(answer_of(desk.lens.ask(QUESTION, Terms(oracle=WordJudge()), memory=memory)))
    assert desk.clusters() == [QUESTION]


def test_an_exact_count_is_made_anew(desk: Desk) -> None:
    for n in range(3):
        desk.write(f"n{n}.md", "This note is about copper wire.\n")
    question = "How many files mention copper wire?"
    assert desk.ask(question).requirements[0].value == "3"
    assert desk.ask(question).requirements[0].value == "3"
    desk.write("n9.md", "This note is about copper wire too.\n")
    again = desk.ask(question)
    assert (again.requirements[0].value, again.requirements[0].status) == ("4", RequirementStatus.COVERED)


def test_a_contested_fact_is_repeated_with_both_sides(desk: Desk) -> None:
    desk.write("offer.md", "The big pump costs 4,000 euros.\n")
    desk.write("invoice.md", "The big pump costs 5,500 euros.\n")
    first, again = (desk.ask("How much does the big pump cost?") for _ in range(2))
    assert first.requirements[0].status is RequirementStatus.CONTESTED
    assert again.stopped is StopReason.REUSED
    assert again.requirements == first.requirements
    assert again.text == first.text


def test_a_model_that_repeats_a_known_fact_need_not_find_it_again(desk: Desk) -> None:
    """What like questions looked up is shown to a model; in the same words it is the same fact, and is looked up."""
    plans: list[Sequence[str]] = []

    class Repeating(ScriptedOracle):
        endpoint = "http://127.0.0.1:9"

        async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
            plans.append(known)
            plan = await super().analyse(question, ledger)
            fact = Requirement("f1", known[0] if known else "the default port of the server")
            return replace(plan, requirements=(fact,))

    for question in (QUESTION, "Which default port has the server?"):
        oracle = Repeating(quoting("The default port of the server is 8080."))
        answer = desk.ask(question, oracle=oracle, mode=Mode.FAST)
        assert answer.status is Status.ANSWERED
    assert plans == [(), ("the default port of the server",)]
    assert [one.requirements for one in answer.reused] == [("f1",)]
    assert "observe" not in answer.account.calls


def test_a_stored_answer_is_made_inert_like_any_other(desk: Desk) -> None:
    desk.ask()
    with Store.open(desk.store_folder) as store:
        (cluster,) = store.clusters()
        hostile = replace(
            cluster.asked[0], text="See [this](https://e.example/?q) \x1b[31m ![x](https://e.example/a.png) [1]"
        )
        store.save(Changes(clusters=(replace(cluster, asked=(hostile,)),)))
    again = desk.ask()
    assert again.stopped is StopReason.REUSED
    assert "](" not in again.text
    assert "\x1b" not in again.text


def test_what_the_rules_prove_in_the_place_of_a_model_that_fails_is_kept_as_theirs(desk: Desk) -> None:
    model = ScriptedModel(lambda _: ModelError("it is gone"), endpoint="https://models.example")
    answer = desk.ask(mode=Mode.FAST, oracle=ChatOracle(model, Mode.FAST))
    assert (answer.status, answer.stopped) == (Status.ANSWERED, StopReason.MODEL_FAILED)
    again = desk.ask()
    assert (again.stopped, again.text) == (StopReason.REUSED, answer.text)
    asked = len(model.requests)
    desk.ask(mode=Mode.FAST, oracle=ChatOracle(model, Mode.FAST))
    assert len(model.requests) > asked, "the model has not said it"


def test_a_plan_of_several_facts_is_none_for_a_model_that_reads_first(desk: Desk) -> None:
    """What it says in short answers the whole question, and would be kept as the value of the first fact."""
    question = "When was the bridge at Arlen opened and what did it cost?"
    facts = ["when the bridge at Arlen was opened", "what the bridge at Arlen cost"]
    texts = [f"{PROOF}.", "The bridge at Arlen cost 340 crowns."]

    def observed(request: ChatRequest) -> str:
        shown = regions_of(request).items()
        found = [
            {"region": n, "fact": f"f{j}", "verdict": "full", "quote": said, "value": value}
            for n, text in shown
            for j, (said, value) in enumerate(zip(texts, ("4 May 1931", "340 crowns"), strict=True), 1)
            if said in text
        ]
        return json.dumps({"found": found, "terms": []})

    def read(request: ChatRequest) -> str:
        places = {said: n for n, text in regions_of(request).items() for said in texts if said in text}
        answer = "It was opened on 4 May 1931 [1] and cost 340 crowns [2]."
        return reading("yes", [(places[said], said) for said in texts], answer, short="4 May 1931 for 340 crowns")

    plan = {**PLAN, "facts": [{**PLAN["facts"][0], "text": text} for text in facts]}
    stages = {"decompose": json.dumps(plan), "observe": observed, "read": read}
    model = scripted(stages, endpoint="https://models.example")
    for n, said in enumerate(texts):
        desk.write(f"bridge-{n}.md", f"# The bridge at Arlen\n\n{said}\n")
    deep = desk.ask(question, mode=Mode.DEEP, oracle=oracle_of(model, Mode.DEEP))
    assert [need.text for need in deep.requirements] == facts
    for n, said in enumerate(texts):
        desk.write(f"bridge-{n}.md", f"# The bridge\n\nIt is at Arlen. {said} It is old.\n")
    fast = desk.ask(question, mode=Mode.FAST, oracle=oracle_of(model, Mode.FAST))
    assert [need.text for need in fast.requirements] == [question]
    with Store.open(desk.store_folder) as store:
        known = {(fact.requirement.text, fact.value) for cluster in store.clusters() for fact in cluster.facts}
    assert known == {
        (facts[0], "4 May 1931"),
        (facts[1], "340 crowns"),
        (question, None),
    }
    again = desk.ask(question, mode=Mode.FAST, oracle=oracle_of(model, Mode.FAST))
    assert again.stopped is StopReason.REUSED


class Staff(ScriptedOracle):
    """Reads who wrote the handbook, and who the manager of the one that is meant is."""

    endpoint = "http://127.0.0.1:9"
    question = "Who is the manager of the author of the handbook?"
    author = Requirement("f1", "the author of the handbook")
    manager = Requirement("f2", "the manager of the author of the handbook", template="the manager of {f1}")

    def __init__(self, coverage: CoverageReply | None = None, **parts: Requirement) -> None:
        requirements = (self.author, *(parts.values() or (self.manager,)))
        plan = replace(analyse(self.question), requirements=requirements)
        super().__init__(self._judge, plan=plan, coverage=coverage or CoverageReply())
        self.texts: set[tuple[str, str]] = set()
        """What was looked for, by the ids of the facts."""

    def _judge(self, fact: Requirement, region: Region) -> Judgement:
        self.texts.add((fact.id, fact.text))
        read = " ".join(shown.text for shown in self.seen[-1])
        for one in ("Anna", "Bob"):
            if fact.id == "f1" and f"handbook is {one}." in region.text:
                return Judgement("f1", Verdict.FULL, f"The author of the handbook is {one}.", one)
            meant = fact.text.endswith(one) or (fact.text == self.manager.text and f"handbook is {one}." in read)
            found = re.search(rf"The manager of {one} is (\w+)\.", region.text)
            if fact.id == "f2" and meant and found is not None:
                return Judgement("f2", Verdict.FULL, found[0], found[1])
        return Judgement(fact.id, Verdict.NONE)


@pytest.fixture
def staff(desk: Desk) -> Desk:
    desk.write("handbook.md", "# Handbook\n\nThe author of the handbook is Anna.\n")
    desk.write("anna.md", "# Anna\n\nThe manager of Anna is Carl.\n")
    desk.write("bob.md", "# Bob\n\nThe manager of Bob is Dora.\n")
    return desk


def values_of(answer: Answer) -> list[tuple[str, str | None]]:
    return [(need.text, need.value) for need in answer.requirements]


def test_a_fact_that_builds_on_another_is_searched_with_what_that_one_says_now(staff: Desk) -> None:
    first = staff.ask(Staff.question, mode=Mode.DEEP, oracle=Staff())
    assert values_of(first) == [("the author of the handbook", "Anna"), ("the manager of Anna", "Carl")]
    staff.write("handbook.md", "# Handbook\n\nThe author of the handbook is Bob.\n")
    oracle = Staff()
    second = staff.ask(Staff.question, mode=Mode.DEEP, oracle=oracle)
    assert values_of(second) == [("the author of the handbook", "Bob"), ("the manager of Bob", "Dora")]
    assert "analyse" not in second.account.calls
    assert ("f2", "the manager of Anna") not in oracle.texts
    assert second.reused == ()


def test_of_facts_that_build_on_one_another_only_the_first_is_taken_up(staff: Desk) -> None:
    staff.ask(Staff.question, mode=Mode.DEEP, oracle=Staff())
    again = staff.ask(Staff.question, mode=Mode.DEEP, oracle=Staff())
    assert values_of(again) == [("the author of the handbook", "Anna"), ("the manager of Anna", "Carl")]
    assert [one.requirements for one in again.reused] == [("f1",)]
    for other in ("Who manages the author of the handbook?", "Which manager does the handbook's author have?"):
        plain = Requirement("f2", "the manager of Anna")
        alike = staff.ask(other, mode=Mode.DEEP, oracle=Staff(plain=plain if "Which" in other else Staff.manager))
        assert [one.requirements for one in alike.reused] == [("f1",)]


def test_a_value_that_has_to_be_looked_at_again_is_not_searched_with(staff: Desk) -> None:
    staff.ask(Staff.question, mode=Mode.DEEP, oracle=Staff())
    staff.write("news.md", "# News\n\nSince May the author of the handbook is somebody else.\n")
    oracle = Staff()
    staff.ask(Staff.question, mode=Mode.DEEP, oracle=oracle)
    assert {text for id_, text in oracle.texts if id_ == "f2"} == {Staff.manager.text}


def test_a_plan_is_kept_as_it_was_made_whatever_the_model_makes_of_it(staff: Desk) -> None:
    """Facts that it puts into other words, and those that it does not need, are searched again."""
    boss, spare = Requirement("f2", "who leads Anna"), Requirement("f3", "the handbook's colour")
    said = CoverageReply(answerable=True, rewritten={"f2": "the manager of Anna"})
    first = staff.ask(Staff.question, mode=Mode.DEEP, oracle=Staff(said, boss=boss, spare=spare))
    with Store.open(staff.store_folder) as store:
        ((asked,),) = (cluster.asked for cluster in store.clusters())
    assert asked.plan.requirements == (Staff.author, boss, spare)
    assert [id_ is not None for id_ in asked.facts] == [True, False, False]
    assert values_of(first)[0] == ("the author of the handbook", "Anna")
