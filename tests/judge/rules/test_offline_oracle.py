"""The oracle without a model: what it answers exactly, what it shows, and how it words both."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from lens_lsp.judge.answer_markdown import not_read
from lens_lsp.judge.ledger import Budget, Ledger
from lens_lsp.judge.oracle import Fact, Synthesis, SynthesisRequest
from lens_lsp.judge.rules.offline_oracle import MOST, OFFLINE, WITHOUT_MODEL, OfflineOracle, is_statement, summarise
from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.answer import Mode, RequirementStatus
from lens_lsp.model.documents import Evidence, Origin
from lens_lsp.model.observation import Region, Verdict
from lens_lsp.model.plan import Combination, Intent, Plan, Requirement, Transformation
from lens_lsp.model.text import Position, Span

COVERED, MISSING, CONTESTED = RequirementStatus.COVERED, RequirementStatus.MISSING, RequirementStatus.CONTESTED
MARKER = re.compile(r"(?<!\\)\[(\d+)\]")


def evidence(
    n: int,
    quote: str,
    *,
    path: str = "notes/log.md",
    heading: Sequence[str] = (),
    requirements: Sequence[str] = ("f1",),
) -> Evidence:
    return Evidence(
        n=n,
        root=0,
        path=path,
        start=Position(1, 1),
        end=Position(1, len(quote) + 1),
        span=Span(0, len(quote)),
        quote=quote,
        origin=Origin("0" * 64, "utf-8"),
        reader="plain/1",
        locator=None,
        heading=tuple(heading),
        score=1.0,
        requirements=tuple(requirements),
    )


def fact(plan: Plan, index: int, status: RequirementStatus, value: str | None, *numbers: int, **more: object) -> Fact:
    given: dict[str, object] = {"matching": len(numbers), "read": len(numbers), **more}
    return Fact(plan.requirements[index], status, value, numbers, **given)  # type: ignore[arg-type]


def synthesise(request: SynthesisRequest, endpoint: str | None = None) -> tuple[str, Synthesis]:
    async def run() -> tuple[str, Synthesis]:
        result = Synthesis()
        stream = OfflineOracle().synthesise(request, result, Ledger(Budget.of(Mode.EVIDENCE), endpoint=endpoint))
        pieces = [piece async for piece in stream]
        assert len(pieces) > 1, "an answer comes in pieces"
        return "".join(pieces), result

    return asyncio.run(run())


def lookup(status: RequirementStatus = COVERED) -> SynthesisRequest:
    plan = offline_plan("When was the Old Mill built?")
    items = (evidence(1, "The Old Mill was built in 1702."), evidence(2, "The Old Mill stands by the river."))
    value = "1702" if status is COVERED else None
    return SynthesisRequest(plan, items, (fact(plan, 0, status, value, 1, 2),))


def contested() -> SynthesisRequest:
    plan = offline_plan("When was the Old Mill built?")
    items = (evidence(1, "The Old Mill was built in 1702."), evidence(2, "Built in 1709, the Old Mill is red."))
    sides = (("1702", 1), ("1709", 2))
    return SynthesisRequest(plan, items, (fact(plan, 0, CONTESTED, "1702", 1, 2, sides=sides),))


def computation() -> SynthesisRequest:
    plan = offline_plan("How much do the tent and the stove weigh together?")
    items = (evidence(1, "The tent weighs 2.3 kg."), evidence(2, "The stove weighs 400 g.", requirements=("f2",)))
    facts = (fact(plan, 0, COVERED, "2.3 kg", 1), fact(plan, 1, COVERED, "400 g", 2))
    return SynthesisRequest(plan, items, facts, computed="2.7 kg", derivation="2.3 kg [1] + 400 g [2] = 2.7 kg")


def comparison(computed: str | None = "the Nile") -> SynthesisRequest:
    plan = offline_plan("Which river is longer, the Nile or the Amazon?")
    items = (evidence(1, "The Nile is 6,650 km long."), evidence(2, "The Amazon: 6,400 km.", requirements=("f2",)))
    facts = (fact(plan, 0, COVERED, "6,650 km", 1), fact(plan, 1, COVERED, "6,400 km", 2))
    derivation = None if computed is None else "the Nile: 6,650 km [1], the Amazon: 6,400 km [2]"
    return SynthesisRequest(plan, items, facts, computed=computed, derivation=derivation)


def counting() -> SynthesisRequest:
    plan = offline_plan("How many notes mention garlic?")
    items = tuple(evidence(n, f"soup {n} with garlic", path=f"soup/{n}.md") for n in (1, 2))
    return SynthesisRequest(
        plan, items, (fact(plan, 0, COVERED, "5", 1, 2, matching=5, read=5, files=5),), computed="5"
    )


def listing(status: RequirementStatus = COVERED) -> SynthesisRequest:
    fact_ = Requirement("f1", "trips with Anna", many=True)
    rule = Transformation(Combination.LIST)
    plan = Plan("What are all the trips with Anna?", (fact_,), (), intent=Intent.AGGREGATION, transformation=rule)
    items = (evidence(1, "- trip to Kiel with Anna"), evidence(2, "- trip to Lyon with Anna"))
    return SynthesisRequest(plan, items, (fact(plan, 0, status, None, 1, 2, matching=7, read=2),))


def summary(status: RequirementStatus = COVERED) -> SynthesisRequest:
    plan = offline_plan("Summarize pruning.md")
    items = (
        evidence(1, "Apple trees are pruned in winter.", path="pruning.md", heading=("Pruning", "Apples")),
        evidence(2, "Plums are pruned in summer.", path="pruning.md", heading=("Pruning", "Plums")),
        evidence(3, "A sharp saw is enough.", path="pruning.md"),
    )
    return SynthesisRequest(plan, items, (fact(plan, 0, status, None, 1, 2, 3),), unread=("Pears", "Cherries"))


def halves() -> SynthesisRequest:
    request = comparison(None)
    missing = replace(request.facts[1], status=MISSING, value=None)
    return replace(request, facts=(request.facts[0], missing))


REQUESTS = [
    lookup(),
    lookup(MISSING),
    contested(),
    computation(),
    comparison(),
    comparison(None),
    counting(),
    listing(),
    listing(MISSING),
    summary(),
    summary(MISSING),
    halves(),
    replace(lookup(MISSING), evidence=(), facts=(replace(lookup(MISSING).facts[0], evidence=()),)),
]
OURS = (
    r"no passage (?:was found|states).*",
    r"found for “[^”]*”:",
    r"(?:nothing is computed, because )?the sources differ:",
    r"side by side, not combined:",
    r"not everything that was asked for was found; what was read says:",
    r"not read: .*",
    r"[\d,]+ of [\d,]+ matching passages read\.?",
    r"\*\*\d+\*\* matching passages?:",
    r"\*\*\d+\*\* files? with “[^”]*”:",
    r"\*\*",
)
WORDS_OF_OURS = re.compile("|".join(OURS), re.IGNORECASE)


@pytest.mark.parametrize("request_", REQUESTS)
def test_every_claim_ends_in_a_marker_and_comes_from_the_evidence(request_: SynthesisRequest) -> None:
    text, _ = synthesise(request_)
    numbers = {item.n for item in request_.evidence}
    assert {int(n) for n in MARKER.findall(text)} <= numbers
    given = " ".join(item.quote for item in request_.evidence)
    given += " ".join(title for item in request_.evidence for title in (*item.heading, item.path))
    given += f" {request_.computed} {request_.derivation}" + " ".join(f.requirement.text for f in request_.facts)
    if request_.plan.transformation is not None:
        given += " ".join(request_.plan.transformation.labels)
    for line in text.removesuffix(OFFLINE).splitlines():
        said = MARKER.sub("", WORDS_OF_OURS.sub("", line)).strip(" >-–—*:=+.,")
        assert all(word in given for word in re.findall(r"[\w.]+", said)), line
        assert not said or MARKER.search(line) or line.lstrip().startswith("- **"), line


@pytest.mark.parametrize("request_", REQUESTS)
def test_every_answer_says_last_that_no_model_was_used(request_: SynthesisRequest) -> None:
    text, _ = synthesise(request_)
    assert text.endswith(OFFLINE)
    assert text.count(OFFLINE) == 1


@pytest.mark.parametrize("request_", REQUESTS)
def test_where_a_model_is_configured_none_is_said_to_be_missing(request_: SynthesisRequest) -> None:
    with_model, _ = synthesise(request_, "http://localhost:11434")
    without, _ = synthesise(request_)
    assert with_model == without.removesuffix(OFFLINE) + WITHOUT_MODEL


@pytest.mark.parametrize("request_", REQUESTS)
def test_the_same_request_is_worded_the_same(request_: SynthesisRequest) -> None:
    assert synthesise(request_) == synthesise(request_)


def test_a_found_fact_is_answered_by_its_quote_and_its_only_value() -> None:
    text, result = synthesise(lookup())
    assert text.startswith("> The Old Mill was built in 1702. [1]\n")
    assert result.short == "1702"


def test_what_one_fact_is_proven_to_be_is_the_short_answer_on_one_line() -> None:
    plan = offline_plan("Who built the Old Mill?")
    items = (evidence(1, "The Old Mill was built by Ida\nHolm."),)
    _, result = synthesise(SynthesisRequest(plan, items, (fact(plan, 0, COVERED, "Ida\nHolm", 1),)))
    assert result.short == "Ida Holm"
    _, result = synthesise(SynthesisRequest(plan, items, (fact(plan, 0, COVERED, None, 1),)))
    assert result.short is None


def test_what_is_missing_is_said_first_in_plain_words() -> None:
    text, result = synthesise(lookup(MISSING))
    assert text.startswith("No passage states this. Closest passages:\n\n- ")
    assert "- The Old Mill was built in 1702. [1]\n" in text
    assert result.short is None


def test_a_half_found_comparison_says_which_half_is_missing_and_shows_the_other() -> None:
    text, _ = synthesise(halves())
    assert text.startswith("No passage states “Which river is longer, the Amazon?”.")
    assert "Found for “Which river is longer, the Nile?”:\n\n> The Nile is 6,650 km long. [1]\n" in text


def test_a_computation_shows_result_derivation_and_operands() -> None:
    text, result = synthesise(computation())
    assert text.startswith("**2.7 kg** — 2.3 kg [1] + 400 g [2] = 2.7 kg\n")
    assert "- **the tent**: The tent weighs 2.3 kg. [1]\n" in text
    assert result.short == "2.7 kg"


def test_a_comparison_names_the_winner_or_lays_both_side_by_side() -> None:
    text, result = synthesise(comparison())
    assert text.startswith("**the Nile** — the Nile: 6,650 km [1], the Amazon: 6,400 km [2]\n")
    assert result.short == "the Nile"
    text, result = synthesise(comparison(None))
    assert text.startswith("Side by side, not combined:\n")
    assert "[1]" in text
    assert "[2]" in text
    assert result.short is None


def test_contested_facts_show_both_sides_and_no_short_answer() -> None:
    text, result = synthesise(contested())
    assert text.startswith("The sources differ: 1702 [1]; 1709 [2]\n")
    assert "> Built in 1709, the Old Mill is red. [2]\n" in text
    assert result.short is None


def test_a_count_is_exact_and_says_how_much_was_read() -> None:
    text, result = synthesise(counting())
    assert text.startswith("**5** files with “garlic”: [1][2]\n")
    assert "5 of 5 matching passages read" in text
    assert result.short == "5"


def test_a_counted_passage_is_cut_around_the_phrase_as_it_writes_it() -> None:
    request = counting()
    long = "Rain fell for days and nobody went out. " * 10 + "Chop the Garlic finely. " + "Then the sun came. " * 20
    text, _ = synthesise(replace(request, evidence=(replace(request.evidence[0], quote=long), *request.evidence[1:])))
    assert "\n- … Chop the Garlic finely. Then the sun came. " in text


@pytest.mark.parametrize("status", [COVERED, MISSING])
def test_a_list_cites_each_item_and_says_how_much_was_read(status: RequirementStatus) -> None:
    text, result = synthesise(listing(status))
    assert "- trip to Kiel with Anna [1]\n- trip to Lyon with Anna [2]\n" in text
    assert "2 of 7 matching passages read" in text
    assert result.short is None


def test_a_summary_is_an_outline_that_names_what_was_not_read() -> None:
    text, result = synthesise(summary())
    assert "- **Pruning**\n  - **Apples** — Apple trees are pruned in winter. [1]\n  - **Plums**" in text
    assert "Not read: Pears; Cherries.\n" in text
    assert result.short is None


def test_sections_that_were_not_read_are_told_alike_whoever_words_the_summary() -> None:
    sections = tuple(f"Pears, part {n}" for n in range(22))
    text, _ = synthesise(replace(summary(), unread=sections))
    assert f"\n{not_read(sections)}\n" in text
    assert "; Pears, part 19 and 2 more.\n" in text


def test_markers_and_structure_inside_a_quote_cannot_pass_for_ours() -> None:
    request = lookup()
    tricky = replace(request.evidence[0], quote="- The Old Mill[2] was built\n> in 1702. [7]")
    text, _ = synthesise(replace(request, evidence=(tricky,), facts=(replace(request.facts[0], evidence=(1,)),)))
    assert MARKER.findall(text) == ["1"]
    assert text.startswith("> The Old Mill\\[2] was built · in 1702. \\[7] [1]\n")


def test_a_long_quote_is_cut_at_sentences_around_its_value() -> None:
    quote = "Rain fell for days. " * 20 + "The Old Mill was built in 1702. " + "Then the sun came. " * 20
    request = lookup()
    items = (replace(request.evidence[0], quote=quote.strip()),)
    text, _ = synthesise(replace(request, evidence=items, facts=(replace(request.facts[0], evidence=(1,)),)))
    first = text.splitlines()[0]
    assert "… The Old Mill was built in 1702." in first
    assert first.endswith("… [1]")
    assert len(first) < 400


def test_calibration_gives_the_short_answer_of_the_synthesis() -> None:
    request = computation()
    ledger = Ledger(Budget.of(Mode.EVIDENCE))
    assert asyncio.run(OfflineOracle().calibrate(request, "", ledger)) == synthesise(request)[1].short
    assert ledger.calls == 0


def test_coverage_vetoes_what_no_single_passage_proves() -> None:
    plan = offline_plan("When was the Old Mill built?")
    ledger = Ledger(Budget.of(Mode.EVIDENCE))
    oracle = OfflineOracle()
    halves_ = tuple(
        replace(evidence(n, quote), verdict=Verdict.PARTIAL)
        for n, quote in enumerate(("The Old Mill is old.", "It was built by brothers."), 1)
    )
    whole = (replace(evidence(1, "The Old Mill was built in 1702."), verdict=Verdict.FULL),)
    assert asyncio.run(oracle.cover(plan, plan.requirements, halves_, ledger)).vetoed == ("f1",)
    assert asyncio.run(oracle.cover(plan, plan.requirements, whole, ledger)).vetoed == ()


def region(number: int, text: str, *headings: str, path: str = "notes/heat-pumps.md") -> Region:
    return Region(number, path, "Heat pumps", tuple(headings), None, text)


def quotes(question: str, *regions: Region) -> dict[int, str]:
    plan = offline_plan(question)
    seen = summarise(plan, plan.requirements[0], regions)
    assert [observation.region for observation in seen] == [one.number for one in regions]
    given = {observation.region: observation.judgements[0] for observation in seen}
    assert all((judged.quote is None) == (judged.verdict is not Verdict.FULL) for judged in given.values())
    return {number: judged.quote for number, judged in given.items() if judged.quote is not None}


def test_the_first_statement_of_a_section_stands_for_it_not_code_links_tags_or_fields() -> None:
    text = (
        '- Status: draft\n- Start Date: 1999-04-01\n\n[pumps]: https://example.org/pumps\n\n<div class="x">\n\n'
        "```\nrun pump --now and then some more words\n```\n\n"
        "A heat pump moves heat from a cold place to a warm one.\n\nIt needs power."
    )
    assert quotes("Summarize heat pumps", region(1, text))[1].startswith("A heat pump moves heat")


def test_a_sentence_that_only_leads_on_is_no_opening() -> None:
    text = "For example, look at the following house. Heat pumps warm a house with heat from outside air."
    assert "Heat pumps warm" in quotes("Summarize heat pumps", region(1, text, "Use"))[1]


def test_a_long_document_is_summed_up_in_a_dozen_statements_its_opening_among_them() -> None:
    regions = [region(n, f"Section {n} says how the heat of pump {n} is moved.", f"Part {n}") for n in range(1, 60)]
    found = quotes("Summarize heat pumps", *regions)
    assert 10 <= len(found) <= MOST
    assert 1 in found


def test_of_a_named_section_only_what_stands_under_its_heading_is_summed_up() -> None:
    regions = (
        region(1, "Heat pumps need some care to keep on running well.", "Care"),
        region(2, "Heat pumps make some noise when the fan turns fast.", "Noise"),
    )
    assert list(quotes('Summarize the section "Noise" of heat pumps', *regions)) == [2]


def test_another_document_is_not_summed_up() -> None:
    other = region(1, "Kettles boil water much faster than any pan would do.", path="notes/kettles.md")
    assert quotes("Summarize RFC 77", Region(1, other.path, "Kettles", (), None, other.text)) == {}


def test_a_number_of_the_name_must_be_that_of_the_document() -> None:
    text = "This proposal lets the owner of a parcel delete it again."
    right = Region(1, "text/3660-parcel-deletions.md", "Parcel deletions", (), None, text)
    wrong = Region(1, "text/3661-parcel-deletions.md", "Parcel deletions", (), None, text)
    assert quotes("Summarize RFC 3660 on deleting parcels", right)
    assert not quotes("Summarize RFC 3660 on deleting parcels", wrong)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Heat pumps move heat from cold places to warm ones.", True),
        ("- Warm a house with heat from the air outside:", True),
        ("水泵把热量从寒冷的地方搬到温暖的地方。", True),
        ("```\nheat pump code that goes on and on\n```", False),
        ("[heat pumps]: https://example.org/heat-pumps-and-more", False),
        ("- [A page about heat pumps](pages/heat-pumps.md)", False),
        ('<img src="heat-pumps-in-winter.png" alt="x" />', False),
        ("More information: <https://example.org/heat-pumps>.", False),
        ("- Start Date: 1999-04-01 and nothing", False),
        ("Short.", False),
    ],
)
def test_what_says_something(text: str, says: bool) -> None:
    assert is_statement(text) is says


def test_statements_are_verbatim() -> None:
    regions: Sequence[Region] = [region(1, "Heat pumps move heat.\nThey do so day and night.\n\n* one")]
    assert all(quote in regions[0].text for quote in quotes("Summarize heat pumps", *regions).values())
