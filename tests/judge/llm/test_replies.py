"""What a model wrote, read once: tolerant of form, strict about what was asked, one typed error."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from lens_lsp.judge.llm import chat_prompts, replies
from lens_lsp.judge.llm.replies import (
    LONGEST_REPLY,
    MOST_ANCHORS,
    AnswerStream,
    Decomposition,
    FactPart,
    MalformedReply,
    parse_anchors,
    parse_coverage,
    parse_decomposition,
    parse_observation,
    parse_read,
    parse_short,
    parse_terms,
    parse_trailer,
    plan_of,
)
from lens_lsp.judge.oracle import Answerable, Operand, ReadReply, SaidItem, SaidQuote
from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.answer import Answer, Mode, Sent
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import AnswerType, Combination, Intent, Requirement, filled
from lens_lsp.model.text import Position, Span
from tests.judge.llm.adversary import garbage
from tests.judge.llm.chat_session import PLAN, PROOF, ask, reading, scripted
from tests.judge.llm.grammar import workspace
from tests.judge.llm.independent import Said, held, live, violations
from tests.soak.hostile_replies import MODES, Tally, run, session

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


REGIONS = {1, 2}
WHOLE = json.loads(
    reading(
        "partly",
        [(1, 'It says "no", twice'), (2, "Größe: 5 \U0001f309")],
        'Zwei Brücken \\ "so" [1]\n\U0001f309 and 5 [2].',
        missing=["who built it"],
        terms=["mason"],
        items=[{"name": "one", "quote": 1}],
    )
)


def parsed(said: object, regions: set[int] = REGIONS) -> ReadReply:
    reply = ReadReply()
    parse_read(said if isinstance(said, str) else json.dumps(said), reply, regions)
    return reply


def test_all_that_was_said_counts() -> None:
    computation = ("a - b", [("a", "Arlen", "210 m", 1), ("b", "Dorn", "180 m", 2)])
    reply = parsed(reading("yes", [(1, "x"), (2, "y")], "Yes [1].", computed=computation, unit="km", short="yes"))
    assert (reply.answerable, reply.answer, reply.short) == (Answerable.YES, "Yes [1].", "yes")
    assert reply.quotes == (SaidQuote(1, 1, "x"), SaidQuote(2, 2, "y"))
    assert reply.computation is not None
    assert reply.computation.operands == (Operand("a", "Arlen", "210 m", 1), Operand("b", "Dorn", "180 m", 2))
    assert (reply.computation.expression, reply.computation.unit) == ("a - b", "km")
    assert not reply.broken_off


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({"quotes": [{"n": 1, "region": 3, "quote": "x"}]}, {"quotes": ()}),
        ({"quotes": [{"region": 1, "quote": " "}, {"region": 2, "quote": "y"}]}, {"quotes": (SaidQuote(2, 2, "y"),)}),
        ({"quotes": {"n": "2", "region": "region 1", "quote": "x"}}, {"quotes": (SaidQuote(2, 1, "x"),)}),
        ({"quotes": "x"}, {"quotes": ()}),
        ({"items": [{"name": "", "quote": 1}, {"name": "b", "quote": 2}]}, {"items": (SaidItem("b", 2),)}),
        ({"computation": {"values": [], "expression": "1 + 1", "unit": None}}, {"computation": None}),
        ({"computation": "a - b"}, {"computation": None}),
        ({"missing": "the year", "terms": [7, "x", "x", None]}, {"missing": ("the year",), "terms": ("x",)}),
        ({"answer": 5, "short": True}, {"answer": "", "short": None}),
        ({"short": "unknown"}, {"short": None}),
        ({"short": 1931}, {"short": "1931"}),
        ({"answerable": True}, {"answerable": Answerable.YES}),
    ],
)
def test_parts_that_do_not_fit_are_left_out(change: dict[str, Any], left: dict[str, object]) -> None:
    reply = parsed({**WHOLE, **change})
    assert {name: getattr(reply, name) for name in left} == left


@pytest.mark.parametrize("said", ["", "I cannot.", "[]", '{"answer": "x"}', '{"answerable": "perhaps"}', "{" * 9_000])
def test_what_is_no_reply_at_all_is_malformed(said: str) -> None:
    with pytest.raises(MalformedReply):
        parsed(said)


def test_a_reply_without_end_is_malformed() -> None:
    with pytest.raises(MalformedReply):
        parsed(json.dumps({**WHOLE, "answer": "x" * LONGEST_REPLY}))


def test_thoughts_and_fences_are_no_part_of_it() -> None:
    text = f'<think>{{"answerable": "no"}}</think>Sure:\n```json\n{json.dumps(WHOLE)}\n```'
    assert parsed(text).answerable is Answerable.PARTLY


@given(st.integers(0, len(json.dumps(WHOLE)) - 1), st.booleans())
def test_wherever_it_breaks_off_what_came_before_stands(at: int, escaped: bool) -> None:
    text, whole = json.dumps(WHOLE, ensure_ascii=escaped), parsed(WHOLE)
    if at >= len(text):
        return
    try:
        reply = parsed(text[:at])
    except MalformedReply:
        assert '"answerable": "partly",' not in text[:at]
        return
    assert reply.broken_off
    assert whole.quotes[: len(reply.quotes)] == reply.quotes
    assert whole.answer.startswith(reply.answer)
    if '"answer": "Zwei Br' in text[:at]:
        assert len(reply.quotes) == 2
        assert reply.answer


@given(st.lists(st.integers(1, 400), max_size=20), st.booleans())
def test_the_answer_streams_alike_however_it_is_cut(cuts: list[int], escaped: bool) -> None:
    direct = {**WHOLE, "items": []}
    text, stream, at, words = json.dumps(direct, ensure_ascii=escaped), AnswerStream(), 0, ""
    for cut in [*cuts, len(text)]:
        words += stream.feed(text[at : at + cut])
        at += cut
    assert words == re.sub(r" \[\d\]", "", WHOLE["answer"])  # what markers point at is not known yet


def test_an_escaped_backslash_at_the_end_of_a_piece_is_whole() -> None:
    text, stream = json.dumps({**WHOLE, "items": []}), AnswerStream()
    at = text.index("\\\\") + 2
    words = stream.feed(text[:at])
    assert words.endswith("cken \\")
    assert words + stream.feed(text[at:]) == re.sub(r" \[\d\]", "", WHOLE["answer"])


@pytest.mark.parametrize(
    ("change", "streams"),
    [
        ({"items": []}, True),
        ({"items": [], "answerable": "yes"}, True),
        ({}, False),
        ({"items": [], "answerable": "no"}, False),
        ({"items": [], "computation": {"values": [], "expression": "a", "unit": None}}, False),
    ],
)
def test_nothing_streams_of_a_no_a_list_and_of_what_is_to_be_computed(change: dict[str, object], streams: bool) -> None:
    stream = AnswerStream()
    assert bool("".join(map(stream.feed, json.dumps({**WHOLE, **change})))) is streams


def test_other_words_are_terms_and_nothing_else() -> None:
    assert parse_terms('Sure: {"terms": ["ponts", "", 7, "viaduct"]}') == ("ponts", "viaduct")
    assert parse_terms('{"terms": null}') == ()
    with pytest.raises(MalformedReply):
        parse_terms("none")


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


QUESTION = "Where did the engineer of the Corvin dam study?"


def said(*facts: str, combine: Combination | None = None) -> Decomposition:
    """A plan as a model put it."""
    return Decomposition(facts=tuple(FactPart(text=text) for text in facts), combine=combine)


def test_a_fact_that_builds_on_another_describes_it_until_its_value_is_known() -> None:
    first, second, third = plan_of(
        QUESTION, said("who drew the Corvin dam", "where {f1} studied", "who taught {f1} at {f2}"), ()
    ).requirements
    assert (first.template, first.needs) == (None, ())
    assert (second.text, second.needs) == ("where who drew the Corvin dam studied", ("f1",))
    assert third.needs == ("f1", "f2")
    assert "{" not in third.text
    values = {"f1": "Ilse Brandt"}
    assert filled((first, second, third), values) == {"f2": "where Ilse Brandt studied"}
    assert filled((third,), values | {"f2": "Delft"}) == {"f3": "who taught Ilse Brandt at Delft"}


@pytest.mark.parametrize("text", ["the dam of {f1}", "the dam of {f2}", "the dam of {f9}", "the dam of {f10}"])
def test_a_fact_builds_only_on_what_stands_before_it(text: str) -> None:
    (fact,) = plan_of(QUESTION, said(text), ()).requirements
    assert fact.needs == ()
    assert "{f1}" not in fact.text


def test_a_fact_with_others_in_its_words_stays_short() -> None:
    facts = ["the Corvin dam " + "x" * 250, *("{f1}" * 60 for _ in range(7))]
    plan = plan_of(QUESTION, said(*facts), ())
    assert max(len(one.text) for one in plan.requirements) <= 600
    assert max(map(len, filled(plan.requirements, {"f1": "y" * 300}).values())) <= 600


def test_nothing_is_filled_in_without_all_values() -> None:
    fact = Requirement("f3", "…", template="from {f1} to {f2}")
    assert filled((fact,), {"f1": "Oslo"}) == {}
