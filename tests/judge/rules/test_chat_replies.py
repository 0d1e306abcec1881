"""What a model wrote, read once: tolerant of form, strict about what was asked, one typed error."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from lens_lsp.judge.llm import chat_prompts, replies
from lens_lsp.judge.llm.replies import (
    MOST_ANCHORS,
    MalformedReply,
    parse_anchors,
    parse_coverage,
    parse_decomposition,
    parse_observation,
    parse_short,
    parse_trailer,
    plan_of,
)
from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import AnswerType, Combination, Intent
from tests.judge.rules.adversary import garbage
from tests.judge.rules.chat_session import PLAN

FOUND = {"region": 1, "fact": "f1", "verdict": "full", "quote": "It is so.", "value": "so"}
FACTS = ("f1", "f2")


def observed(*found: Any, **more: Any) -> Any:
    return parse_observation(json.dumps({"found": list(found), **more}), {1, 2}, FACTS)


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "```json\n{}\n```",
        "Here it is:\n```\n{}\n```\nDone.",
        "<think>maybe {{1}}</think>{}",
        "{} and more",
        "[1] first: {}",
    ],
)
def test_text_around_the_json_is_overlooked(frame: str) -> None:
    reply = parse_observation(frame.format(json.dumps({"found": [FOUND], "extra": {"a": 1}})), {1}, FACTS)
    assert reply.observations[0].judgements[0].quote == "It is so."


@pytest.mark.parametrize("region", [1, "1", 1.0, "region 1", "#1", "[1]"])
@pytest.mark.parametrize("fact", ["f1", "F1", 1, "1", "fact 1", "f01"])
def test_numbers_may_be_strings_and_the_other_way_round(region: object, fact: object) -> None:
    reply = observed({**FOUND, "region": region, "fact": fact, "confidence": 0.9, "line": 12})
    assert [(o.region, o.judgements[0].requirement) for o in reply.observations] == [(1, "f1")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"region": 3},
        {"region": 0},
        {"region": -1},
        {"region": None},
        {"region": True},
        {"region": 10**30},
        {"fact": "f9"},
        {"fact": "f1; f2"},
        {"fact": None},
        {"fact": ["f1"]},
        {"verdict": "certain"},
        {"verdict": None},
        {"verdict": 4},
    ],
)
def test_what_was_not_shown_or_not_asked_is_dropped_alone(wrong: dict[str, object]) -> None:
    reply = observed({**FOUND, **wrong}, "nonsense", 7, None, [FOUND], {**FOUND, "region": 2})
    assert [observation.region for observation in reply.observations] == [2]


def test_a_bare_list_or_object_stands_for_what_was_asked() -> None:
    assert parse_observation(json.dumps([FOUND]), {1}, FACTS).observations
    assert parse_observation(json.dumps({"found": FOUND}), {1}, FACTS).observations
    assert parse_observation("{}", {1}, FACTS).observations == ()


def test_the_strongest_of_several_verdicts_counts() -> None:
    reply = observed({**FOUND, "verdict": "none"}, FOUND, {**FOUND, "verdict": "partial", "quote": "It"})
    assert [j.verdict for j in reply.observations[0].judgements] == [Verdict.FULL]


def test_none_and_related_carry_no_quote() -> None:
    judgement = observed({**FOUND, "verdict": "related"}).observations[0].judgements[0]
    assert (judgement.quote, judgement.value) == (None, None)


def test_strings_are_bounded_and_can_be_encoded() -> None:
    quote = observed({**FOUND, "quote": "\ud800 it", "value": "v\x1b[2J\u202e" * 99}).observations[0].judgements[0]
    assert quote.quote == "\ufffd it"
    assert quote.value is not None
    assert len(quote.value) <= replies.LONGEST_LINE
    assert "\x1b" not in quote.value
    assert observed({**FOUND, "quote": "x" * 5_000}).observations[0].judgements[0].quote is None


def test_terms_are_few_short_and_say_something() -> None:
    words = ["the", "of a", "", "\ud800", 1931, None, {"a": 1}, "x" * 900, *(f"word{n}" for n in range(50))]
    terms = observed(terms=[{"fact": "f1", "words": words}, {"fact": "f7", "words": ["no"]}]).terms
    assert list(terms) == ["f1"]
    assert terms["f1"][0] == "1931"
    assert len(terms["f1"]) <= 6
    assert max(map(len, terms["f1"])) <= 64
    assert observed(terms={"f2": ["mill"], "f9": ["no"]}).terms == {"f2": ("mill",)}


def test_coverage_names_known_facts_only() -> None:
    reply = parse_coverage('{"unproven": ["f2", "F1", 2, "f9", null, {}], "terms": []}', FACTS)
    assert reply.vetoed == ("f2", "f1")
    assert parse_coverage('{"unproven": "f1"}', FACTS).vetoed == ("f1",)


def test_a_plan_is_read_with_defaults_for_what_it_lacks() -> None:
    said = parse_decomposition('{"facts": ["how long it is", {"text": 7, "type": "length", "many": "yes"}, {"no": 1}]}')
    assert (said.intent, said.combine, said.anchors) == (Intent.LOOKUP, None, ())
    assert [(f.text, f.type, f.many) for f in said.facts] == [
        ("how long it is", AnswerType.ANY, False),
        ("7", AnswerType.ANY, True),
    ]


def test_a_plan_has_eight_facts_and_twelve_anchors_at_most() -> None:
    facts = [{"text": f"fact {n}"} for n in range(30)]
    said = parse_decomposition(json.dumps({"facts": facts, "anchors": [f"word{n}" for n in range(99)]}))
    assert (len(said.facts), len(said.anchors)) == (8, MOST_ANCHORS)


@pytest.mark.parametrize("text", ["{}", '{"facts": []}', '{"facts": [{"text": " "}]}', '{"facts": 7}', "no"])
def test_a_plan_without_facts_is_malformed(text: str) -> None:
    with pytest.raises(MalformedReply):
        parse_decomposition(text)


@pytest.mark.parametrize(
    ("text", "short"),
    [('{"short": "1931"}', "1931"), ('{"short": null}', None), ('{"short": 7}', "7"), ("4 May 1931", "4 May 1931")],
)
def test_a_short_answer_may_be_a_bare_line(text: str, short: str | None) -> None:
    assert parse_short(text) == short


def test_a_broken_trailer_says_nothing() -> None:
    assert parse_trailer(' {"short": "x", "unmet": ["f1", "f9"]}\n```', FACTS) == ("x", ("f1",))
    assert parse_trailer('{"short": "x", "un', FACTS) == (None, ())
    assert parse_trailer("", FACTS) == (None, ())


PARSERS: list[Callable[[str], object]] = [
    parse_anchors,
    parse_decomposition,
    lambda text: parse_observation(text, {1, 2}, FACTS, covering=True),
    lambda text: parse_coverage(text, FACTS),
    parse_short,
    lambda text: parse_trailer(text, FACTS),
]
_JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.sampled_from(["f1", "full"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                ["found", "terms", "facts", "fact", "words", "region", "quote", "verdict", "unproven", "short", "text"]
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=20,
)


@given(st.one_of(_JSON.map(json.dumps), st.text(max_size=40), st.integers(0, 999).map(random.Random).map(garbage)))
def test_nothing_but_the_typed_error_is_ever_raised(text: str) -> None:
    for parse in PARSERS:
        try:
            said = parse(text)
        except MalformedReply:
            continue
        repr(said).encode("utf-8")


def test_deep_and_endless_replies_are_malformed() -> None:
    for text in (
        "[" * 100_000,
        '{"found":' * 50_000,
        '{"found": "' + "x" * 300_000 + '"}',
        '{"found": 1' + "0" * 9_999,
    ):
        with pytest.raises(MalformedReply):
            parse_observation(text, {1}, FACTS)


def test_every_schema_is_strict_and_its_properties_are_those_that_are_read() -> None:
    for name in ("ANCHORS", "DECOMPOSITION", "ANALYSIS", "OBSERVATION", "OBSERVATION_AND_COVERAGE", "COVERAGE"):
        _is_strict(getattr(chat_prompts, f"{name}_SCHEMA"))
    parts: dict[type[BaseModel], Any] = {
        replies.FoundPart: chat_prompts.OBSERVATION_SCHEMA["properties"]["found"]["items"],
        replies.TermsPart: chat_prompts.COVERAGE_SCHEMA["properties"]["terms"]["items"],
        replies.FactPart: chat_prompts.ANALYSIS_SCHEMA["properties"]["facts"]["items"],
    }
    for model, schema in parts.items():
        assert set(model.model_fields) == set(schema["properties"])


def _is_strict(schema: Any) -> None:
    if schema.get("type") == "object":
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        for inner in schema["properties"].values():
            _is_strict(inner)
    if schema.get("type") == "array":
        _is_strict(schema["items"])


def planned(question: str, **changes: Any) -> Any:
    said = parse_decomposition(json.dumps({**PLAN, **changes}))
    return plan_of(question, said, ("mill race", "opening"))


def test_the_questions_own_words_stay_and_the_models_come_behind_them() -> None:
    plan = planned("When was the bridge at Arlen opened?")
    texts = [anchor.text for anchor in plan.anchors]
    assert texts.index("arlen") < texts.index("mill race")
    assert "opening" in texts


@pytest.mark.parametrize("text", ["...", "the capital of another country", "?"])
def test_a_plan_of_another_question_is_dropped_for_that_of_the_rules(text: str) -> None:
    question = "When was the bridge at Arlen opened?"
    facts = [{"text": text}, {"text": f"{text} again"}]
    assert planned(question, facts=facts, intent="comparison", combine="greatest") == offline_plan(question)
    assert planned(question, facts=[*facts, {"text": "opening of the bridge"}]).requirements[2].text.startswith("open")


def test_anchors_serve_the_facts_that_name_them() -> None:
    facts = [{"text": "length of the mill race"}, {"text": "height of the bridge"}]
    plan = planned("Is the bridge higher than the race is long?", facts=facts, intent="comparison", combine="greatest")
    serves = {anchor.text: anchor.requirements for anchor in plan.anchors}
    assert (serves["mill race"], serves["bridge"], serves["opening"]) == (("f1",), ("f2",), ("f1", "f2"))
    assert plan.transformation.kind is Combination.GREATEST


@pytest.mark.parametrize("expression", [None, "", "f1 - f9", "2 + 2", "f1 + " * 300 + "f1", "__import__('os')"])
def test_an_expression_over_other_facts_is_no_rule(expression: str | None) -> None:
    plan = planned("How much?", intent="computation", combine="expression", expression=expression)
    assert plan.transformation is None


def test_counting_every_match_stays_with_the_scan() -> None:
    plan = planned('How many files mention "mill race"?', intent="aggregation", combine="count")
    assert plan.requirements[0].rule is not None
