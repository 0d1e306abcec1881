"""Every prompt as it is sent, word for word: a change of wording is a change that somebody looked at.

``LENS_WRITE_SNAPSHOTS=1`` writes the files anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lens_lsp.judge.llm import chat_prompts
from lens_lsp.judge.llm.conversation import Conversation, Prompt, PromptComposer, fresh
from lens_lsp.judge.oracle import Fact, ObserveRequest, ReadRequest, SynthesisRequest
from lens_lsp.model.answer import RequirementStatus
from lens_lsp.model.documents import Evidence, Origin
from lens_lsp.model.observation import Region
from lens_lsp.model.plan import AnswerType, Plan, Requirement
from lens_lsp.model.text import Position, Span

STAGES = """
SYSTEM ANCHORS DECOMPOSE ANALYSE KNOWN OBSERVE OBSERVE_AND_COVER COVER SYNTHESISE TRAILER MISSING COMPUTED CONTESTED
NEWER CALIBRATE WRONG
"""
"""The templates of the stages; those of the read call, but what is said of wrong answers, are looked at where that is
tested."""
SNAPSHOTS = Path(__file__).with_name("prompts")
PLAN = Plan(
    "How much longer is the bridge than the dam?",
    (Requirement("f1", "length of the bridge", answer_type=AnswerType.NUMBER), Requirement("f2", "length of the dam")),
    (),
)
REGIONS = (
    Region(1, "a/bridge.md", "Bridges", ("Bridges", "Arlen"), None, "It is 210 m long.", sources=(Span(20, 37),)),
    Region(2, "dams.csv", "dams.csv", (), "name,length", "Upper,180 m\nKey,ghp_" + "a1B2" * 9, sources=(Span(0, 60),)),
    Region(3, "diary.md", "Mine", (), None, "Nobody may know.", private=True, sources=(Span(0, 16),)),
)
EVIDENCE = tuple(
    Evidence(
        n=n,
        root=0,
        path=path,
        start=Position(1, 1),
        end=Position(1, 1 + len(quote)),
        span=Span(5, 5 + len(quote)),
        quote=quote,
        origin=Origin("0" * 64, "utf-8"),
        reader="markdown/1",
        locator=None,
        heading=("Bridges", "Unseen"),
        score=1.0,
        requirements=("f1",),
    )
    for n, path, quote in ((1, "a/bridge.md", "It is 210 m long."), (2, "b.md", "It measures 212 m."))
)


def composed() -> dict[str, Prompt]:
    conversation = Conversation()
    composer = PromptComposer(lambda: "n0nce", False, conversation, 8_192)
    request = ObserveRequest(PLAN, PLAN.requirements, REGIONS)
    facts = (
        Fact(PLAN.requirements[0], RequirementStatus.CONTESTED, "210 m", (1, 2), (("210 m", 1), ("212 m", 2))),
        Fact(PLAN.requirements[1], RequirementStatus.MISSING, None, ()),
    )
    synthesis = SynthesisRequest(PLAN, EVIDENCE, facts, computed="30 m", derivation="210 m [1] - 180 m [2] = 30 m")
    return {
        "anchors": composer.of_question(chat_prompts.ANCHORS, PLAN.question, "anchors", chat_prompts.ANCHORS_SCHEMA),
        "decompose": composer.of_question(
            chat_prompts.DECOMPOSE, PLAN.question, "plan", chat_prompts.DECOMPOSITION_SCHEMA
        ),
        "analyse-known": composer.of_question(
            chat_prompts.ANALYSE,
            PLAN.question,
            "plan",
            chat_prompts.ANALYSIS_SCHEMA,
            ("the height of the tower", "who built the dam"),
        ),
        "observe": composer.observation(request, covering=False)[0],
        "observe-and-cover": composer.observation(request, covering=True)[0],
        "read-again": composer.read(ReadRequest(PLAN.question, REGIONS, wrong=("30 m",)))[0],
        "cover": composer.coverage(PLAN, PLAN.requirements[:1], EVIDENCE)[0],
        "synthesise": composer.synthesis(synthesis)[0],
        "calibrate": composer.calibration(PLAN.question, "It is 30 m longer [1]."),
    }


@pytest.mark.parametrize("name", list(composed()))
def test_a_prompt_is_what_was_agreed(name: str) -> None:
    prompt = composed()[name]
    written = "".join(f"--- {message.role.value}\n{message.text}\n" for message in prompt.messages)
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("LENS_WRITE_SNAPSHOTS"):
        path.write_text(written, "utf-8")
    assert written == path.read_text("utf-8")


def test_every_prompt_is_in_a_snapshot() -> None:
    assert {path.stem for path in SNAPSHOTS.glob("*.txt")} == set(composed())
    everything = "".join(path.read_text("utf-8") for path in SNAPSHOTS.glob("*.txt"))
    templates = [value for name, value in vars(chat_prompts).items() if name in STAGES.split()]
    assert len(templates) > 10
    for template in templates:
        pieces = [piece for piece in template.replace("{{", "{").replace("}}", "}").split("\n") if "{" not in piece]
        assert all(piece in everything for piece in pieces)


def test_instructions_stay_short_for_small_models() -> None:
    composer = PromptComposer(lambda: "n0nce", False, Conversation(), 8_192)
    bare = ObserveRequest(PLAN, PLAN.requirements, ())
    for covering in (False, True):
        assert composer.observation(bare, covering=covering)[0].tokens < 1_000


def test_private_regions_and_headings_nobody_showed_are_left_out() -> None:
    sent = composed()["observe"]
    assert "Nobody may know" not in sent.messages[1].text
    assert {one.path for one in sent.sent} == {"a/bridge.md", "dams.csv"}
    shown = composed()["synthesise"].messages[1].text
    assert "Bridges" in shown
    assert "Unseen" not in shown


def test_a_nonce_that_a_document_holds_is_not_used() -> None:
    codes = iter(("guessed", "-more", "x"))
    code = fresh(lambda: next(codes), ("a guessed one", "and guessed-more"))
    assert code == "guessed-morex"
