"""A summary takes the statements that open a document and its sections, and little else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lens_lsp.judge.rules.offline_oracle import MOST, is_statement, summarise
from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.observation import Region, Verdict


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
