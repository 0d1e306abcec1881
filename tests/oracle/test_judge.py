from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.domain.answer import Mode
from lens_lsp.domain.observation import Judgement, ObservationReply, Region, Verdict
from lens_lsp.domain.plan import Anchor, AnchorKind
from lens_lsp.domain.text import Span
from lens_lsp.oracle.base import ObserveRequest
from lens_lsp.oracle.decompose import decompose
from lens_lsp.oracle.judge import assess
from lens_lsp.oracle.ledger import Budget, Ledger
from lens_lsp.oracle.offline import MOST_TERMS, OfflineOracle
from lens_lsp.oracle.settings import OfflineSettings, Thresholds
from lens_lsp.oracle.verdicts import Features, verdict
from lens_lsp.oracle.weights import compile_needs

ORACLE = OfflineOracle(OfflineSettings())
"""With the thresholds it starts from, whatever was fitted since."""


def region(text: str, *, path: str = "notes/log.md", headings: Sequence[str] = (), number: int = 1) -> Region:
    return Region(number, path, path.rsplit("/", 1)[-1].removesuffix(".md"), tuple(headings), None, text)


def ask(question: str, *regions: Region, idf: Mapping[str, float] | None = None) -> ObserveRequest:
    plan = decompose(question)
    return ObserveRequest(plan, plan.requirements, regions, idf or {})


def observe(request: ObserveRequest) -> ObservationReply:
    return asyncio.run(ORACLE.observe(request, Ledger(Budget.of(Mode.EVIDENCE))))


def judge(question: str, text: str, **place: object) -> Judgement:
    reply = observe(ask(question, region(text, **place)))  # type: ignore[arg-type]
    return reply.observations[0].judgements[0]


FULL = [
    ("When was the Old Mill built?", "The Old Mill was built in 1702 by two brothers.", "1702"),
    ("When was the Old Mill built?", "The Old Mill stands by the river. It was built in 1702.", "1702"),
    ("How many rooms does the Old Mill have?", "In 2015 the Old Mill had 12 rooms on 3 floors.", "12 rooms"),
    ("How much does the tent weigh?", "The tent weighs 2.3 kg and costs 300 euros.", "2.3 kg"),
    ("How much does the tent weigh?", "| tent | 2.3 kg |", "2.3 kg"),
    ("Who wrote the Garden Diary?", "The Garden Diary was written by Ida Holm.", "Ida Holm"),
    ("What did we buy in March 2015?", "2015-03-14: bought a tent", None),
    ("Where does the app keep its cache?", "The app keeps its cache in ~/.cache/app.", None),
    ("埃菲尔铁塔是什么时候建成的？", "埃菲尔铁塔于1889年建成。", "1889年"),
    ("東京タワーはいつ建てられましたか？", "東京タワーは1958年に建てられた。", "1958年"),
    ("에펠탑은 언제 지어졌습니까?", "에펠탑은 1889년에 지어졌다.", "1889년"),
    ("Wann wurde die Mühle gebaut?", "Die Mühle wurde 1702 gebaut.", "1702"),
    ("Когда построили мост?", "Мост был построен в 1566 году.", "1566"),
]


@pytest.mark.parametrize(("question", "text", "value"), FULL)
def test_a_window_with_names_type_and_mass_is_full_and_gives_its_value(
    question: str, text: str, value: str | None
) -> None:
    found = judge(question, text)
    assert found.verdict is Verdict.FULL
    assert found.value == value


LESSER = [
    ("When was the Old Mill built?", "The Old Mill was built by two brothers.", Verdict.PARTIAL),
    ("When was the Old Mill built?", "The Old Barn was built in 1702.", Verdict.RELATED),
    ("When was the Old Mill built?", "The Old Mill is a quiet place.", Verdict.PARTIAL),
    ("When was the Old Mill built?", "We sat at the Old Mill. The barn was built in 1702.", Verdict.PARTIAL),
    ("When was the Old Mill built?", "Rain again, and soup for dinner.", Verdict.NONE),
    ("How many rooms does the Old Mill have?", "The Old Mill has rooms with a view.", Verdict.PARTIAL),
    ("How much does the tent weigh?", "The tent is green and does not weigh 2.3 kg.", Verdict.PARTIAL),
    ("Which drivers did Ida not pass?", "Ida passed all drivers in the last lap.", Verdict.PARTIAL),
    ("How many rooms does the Old Mill have?", "How many rooms does the Old Mill have, 12?", Verdict.RELATED),
    ("东京塔是什么时候建成的？", "埃菲尔铁塔于1889年竣工。", Verdict.NONE),
]


@pytest.mark.parametrize(("question", "text", "expected"), LESSER)
def test_what_lacks_a_name_a_value_or_the_right_subject_is_not_full(
    question: str, text: str, expected: Verdict
) -> None:
    assert judge(question, text).verdict is expected


def test_names_alone_prove_nothing_however_rare_they_are() -> None:
    question, text = "When was the Nordlys Institute founded?", "In 2015 the Nordlys Institute took 12 students."
    idf = {"nordlys": 9.0, "institute": 4.0, "founded": 0.2}
    assert observe(ask(question, region(text), idf=idf)).observations[0].judgements[0].verdict is Verdict.PARTIAL


def test_a_name_in_the_title_or_a_heading_counts_as_said() -> None:
    question, text = "When was the Old Mill built?", "It was built in 1702."
    assert judge(question, text).verdict is not Verdict.FULL
    assert judge(question, text, headings=("Old Mill",)).verdict is Verdict.FULL
    assert judge(question, text, path="places/old mill.md").verdict is Verdict.FULL


def test_a_date_in_the_name_of_the_file_counts_as_the_date_of_its_lines() -> None:
    assert judge("What did we buy in March 2015?", "- Bought a tent", path="2015-03-14.md").verdict is Verdict.FULL
    assert judge("What did we buy in March 2015?", "- Bought a tent", path="2015-04-01.md").verdict is Verdict.RELATED


def test_a_name_that_stands_everywhere_need_not_stand_in_the_proof() -> None:
    text = "A struct is declared with the struct keyword."
    question = "Which keyword declares a struct in Rust?"
    common = {"rust": 0.05, "keyword": 3.0, "declares": 4.0, "struct": 2.0}
    plain = observe(ask(question, region(text)))
    waived = observe(ask(question, region(text), idf=common))
    assert plain.observations[0].judgements[0].verdict is Verdict.PARTIAL
    assert waived.observations[0].judgements[0].verdict is Verdict.FULL


def test_a_term_that_stands_nowhere_in_the_workspace_is_still_missed() -> None:
    idf = {"paint": 2.0, "old": 1.0, "mill": 1.0, "blue": 0.0}
    found = observe(ask("Who did paint the Old Mill blue?", region("Ida Holm did paint the Old Mill."), idf=idf))
    assert found.observations[0].judgements[0].verdict is Verdict.PARTIAL


def test_the_quote_is_the_shortest_window_that_says_it_and_stands_in_the_region() -> None:
    text = "We walked for hours. The Old Mill was built in 1702. Then it rained."
    found = judge("When was the Old Mill built?", text)
    assert found.quote == "The Old Mill was built in 1702."


def test_units_as_the_engine_gives_them_are_what_is_quoted() -> None:
    text = "## Mill\n- The Old Mill was built in 1702\n- closed"
    start = text.index("- The")
    units = (Span(0, 7), Span(start, text.index("\n- closed")), Span(text.index("- closed"), len(text)))
    request = ask("When was the Old Mill built?", replace(region(text), units=units))
    assert observe(request).observations[0].judgements[0].quote == "- The Old Mill was built in 1702"


def test_each_region_is_judged_for_every_outstanding_requirement() -> None:
    request = ask(
        "Which river is longer, the Nile or the Amazon?",
        region("The Nile is 6,650 km long.", number=1),
        region("The Amazon has a length of 6,400 km.", number=2),
    )
    verdicts = {
        (seen.region, judged.requirement): (judged.verdict, judged.value)
        for seen in observe(request).observations
        for judged in seen.judgements
    }
    assert verdicts[1, "f1"] == (Verdict.FULL, "6,650 km")
    assert verdicts[2, "f2"] == (Verdict.FULL, "6,400 km")
    assert verdicts[1, "f2"][0] is not Verdict.FULL
    assert verdicts[2, "f1"][0] is not Verdict.FULL


def test_the_questions_own_numbers_are_no_answers() -> None:
    found = judge("How many rooms had the Old Mill in 2015?", "In 2015 the Old Mill had many rooms.")
    assert found.verdict is Verdict.PARTIAL
    assert found.value is None


def test_lines_are_judged_by_an_exact_rule_where_there_is_one() -> None:
    question = "How many meetings were in March 2015?"
    assert judge(question, "- 2015-03-02 meeting with Ida").verdict is Verdict.FULL
    assert judge(question, "- 2015-04-02 meeting with Ida").verdict is not Verdict.FULL
    assert judge(question, "- meeting with Ida", path="2015-03-02.md").verdict is Verdict.FULL
    assert judge("List all expenses over 100 euros", "- expense: 120 euros for the stove").verdict is Verdict.FULL
    assert judge("List all expenses over 100 euros", "- expense: 20 euros for gas").verdict is not Verdict.FULL


TABLE = "| item | count | price |\n|---|---|---|\n| tent | 3 | 300 |\n| stove | 4 | 45 |\n| rope | 2.5 kg | 12 € |"


@pytest.mark.parametrize(
    ("question", "quote", "value"),
    [
        ("What is the price of the stove?", "| stove | 4 | 45 |", "45"),
        ("What is the count of the tent?", "| tent | 3 | 300 |", "3"),
        ("What is the price of the rope?", "| rope | 2.5 kg | 12 € |", "12 €"),
        ("How much does the rope weigh?", "| rope | 2.5 kg | 12 € |", "2.5 kg"),
    ],
)
def test_a_table_row_is_read_alone_under_its_header(question: str, quote: str, value: str) -> None:
    found = judge(question, TABLE)
    assert (found.verdict, found.quote, found.value) == (Verdict.FULL, quote, value)


def test_a_summary_takes_a_telling_sentence_of_each_region_of_the_document() -> None:
    text = "# Pruning\n\nShort.\n\nApple trees are pruned in late winter before the buds swell. More follows."
    found = judge("Summarize pruning.md", text, path="garden/pruning.md")
    assert found.verdict is Verdict.FULL
    assert found.quote == "Apple trees are pruned in late winter before the buds swell."
    assert judge("Summarize pruning.md", text, path="garden/soil.md").verdict is not Verdict.FULL


def test_names_of_good_partial_passages_become_search_terms() -> None:
    text = "Winter Harbour is a film directed by Ida Holm, produced by Nordlys, Kim Berg and Alva Lund."
    reply = observe(ask("What nationality is the director of Winter Harbour?", region(text)))
    assert reply.terms["f1"][:2] == ("Ida Holm", "Kim Berg")
    assert len(reply.terms["f1"]) == MOST_TERMS


def test_a_passage_about_a_name_that_was_brought_is_partial() -> None:
    request = ask("What nationality is the director of Winter Harbour?", region("Ida Holm is a Danish director."))
    brought = Anchor("ida holm", AnchorKind.PHRASE, requirements=("f1",))
    wider = replace(request, plan=replace(request.plan, anchors=(*request.plan.anchors, brought)))
    assert observe(request).observations[0].judgements[0].verdict is Verdict.NONE
    assert observe(wider).observations[0].judgements[0].verdict is Verdict.PARTIAL


def test_new_anchors_do_not_dilute_what_the_question_asked_for() -> None:
    request = ask("When was the Old Mill built?", region("The Old Mill was built in 1702."))
    more = tuple(Anchor(word, requirements=("f1",)) for word in ("holm", "weir", "wheel", "miller"))
    wider = replace(request, plan=replace(request.plan, anchors=(*request.plan.anchors, *more)))
    assert observe(wider) == observe(request)


def test_verdicts_follow_the_thresholds() -> None:
    strong = Features(
        mass=0.9,
        context=0.9,
        relation=0.9,
        names=1.0,
        named=True,
        fit=1.0,
        link=1.0,
        reach=12,
        spread=40,
        terms=3,
        defined=False,
        units=1,
        negated=False,
        bridged=False,
    )
    limits = Thresholds()
    assert verdict(strong, limits) is Verdict.FULL
    assert verdict(strong, replace(limits, full_mass=0.95)) is Verdict.PARTIAL
    assert verdict(replace(strong, fit=0.3), limits) is Verdict.PARTIAL
    assert verdict(replace(strong, link=0.3), limits) is Verdict.PARTIAL
    assert verdict(replace(strong, negated=True), limits) is Verdict.PARTIAL
    assert verdict(replace(strong, names=0.5), limits) is Verdict.PARTIAL
    assert verdict(replace(strong, spread=500), limits) is Verdict.PARTIAL
    assert verdict(replace(strong, reach=300), limits) is Verdict.PARTIAL
    assert verdict(replace(strong, relation=0.4), limits) is Verdict.PARTIAL
    assert verdict(replace(strong, terms=1), limits) is Verdict.PARTIAL
    assert verdict(replace(strong, mass=0.4, context=0.4), limits) is Verdict.RELATED
    assert verdict(replace(strong, mass=0.1, context=0.1, named=False, names=0.0), limits) is Verdict.NONE
    assert verdict(replace(strong, mass=0.1, context=0.1, exact=True), limits) is Verdict.FULL
    assert verdict(replace(strong, mass=0.9, context=0.9, exact=False), limits) is Verdict.RELATED


@pytest.mark.parametrize(("question", "text", "value"), FULL)
def test_features_can_be_had_without_thresholds(question: str, text: str, value: str | None) -> None:
    request = ask(question, region(text))
    (assessment,) = assess(compile_needs(request.plan, request.outstanding, request.idf), request.regions[0])
    found = assessment.features
    assert found.mass >= Thresholds().full_mass
    assert found.names == 1.0
    assert verdict(found, Thresholds()) is Verdict.FULL


WORDS = [
    "Old",
    "Mill",
    "built",
    "1702",
    "was",
    "it",
    "The",
    "not",
    "Ida Holm",
    ".",
    "\n",
    "# ",
    "ﬁ",
    "İ",
    "東京",
    "?",
    "- ",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=30), st.text(max_size=80))
def test_quotes_are_verbatim_values_stand_in_them_and_equal_requests_give_equal_replies(
    parts: list[str], noise: str
) -> None:
    text = " ".join(parts) + noise
    request = ask("When was the Old Mill built?", region(text))
    reply = observe(request)
    for judged in reply.observations[0].judgements:
        assert (judged.quote is None) == (judged.verdict in (Verdict.NONE, Verdict.RELATED))
        assert judged.quote is None or judged.quote in text
        assert judged.value is None or (judged.quote is not None and judged.value in judged.quote)
    assert observe(request) == reply
