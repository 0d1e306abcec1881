"""What makes a passage a proof beyond holding the question's words, and what keeps it from being one."""

from __future__ import annotations

import asyncio

import pytest

from lens_lsp.domain.answer import Mode
from lens_lsp.domain.observation import Judgement, Region, Verdict
from lens_lsp.oracle.base import ObserveRequest
from lens_lsp.oracle.decompose import decompose
from lens_lsp.oracle.enumerations import count_items
from lens_lsp.oracle.labels import fields, under_label
from lens_lsp.oracle.ledger import Budget, Ledger
from lens_lsp.oracle.offline import OfflineOracle
from lens_lsp.oracle.settings import OfflineSettings


def judged(question: str, text: str, title: str = "log") -> list[Judgement]:
    plan = decompose(question)
    request = ObserveRequest(plan, plan.requirements, (Region(1, f"notes/{title}.md", title, (), None, text),), {})
    reply = asyncio.run(OfflineOracle(OfflineSettings()).observe(request, Ledger(Budget.of(Mode.EVIDENCE))))
    return list(reply.observations[0].judgements)


@pytest.mark.parametrize(
    ("question", "proof", "none"),
    [
        (
            "Why did the demand for boats increase?",
            "The demand for boats did increase because of the ferry strike.",
            "The demand for boats did decrease because of the ferry strike.",
        ),
        (
            "What is the largest load the crane lifts, in tons?",
            "The largest load the crane lifts is 40 tons.",
            "The crane lifts a load of size 40 tons.",
        ),
        (
            "Which bridge has three arches?",
            "The bridge of Orm has three arches.",
            "The bridge of Orm has six arches.",
        ),
        (
            "How many stops does the tram make if no signal is given?",
            "If no signal is given, the tram makes 4 stops.",
            "The tram never makes stops: 4 signals are out of order.",
        ),
    ],
)
def test_opposites_missing_superlatives_and_other_numbers_prove_nothing(question: str, proof: str, none: str) -> None:
    assert judged(question, proof)[0].verdict is Verdict.FULL
    assert judged(question, none)[0].verdict is not Verdict.FULL


@pytest.mark.parametrize(
    ("proof", "verdict"),
    [
        ("The tram makes 4 stops by default.", Verdict.FULL),
        ("The tram makes 4 stops unless told otherwise.", Verdict.FULL),
        ("The tram makes 4 stops on a Monday.", Verdict.PARTIAL),
    ],
)
def test_what_holds_if_nothing_is_given_holds_by_default(proof: str, verdict: Verdict) -> None:
    assert judged("How many stops does the tram make if no count is given?", proof)[0].verdict is verdict


@pytest.mark.parametrize("aside", ["still", "usually", "already"])
def test_a_proof_need_not_say_how_usual_something_is(aside: str) -> None:
    found = judged(f"Which crane {aside} lifts barrels?", "The north crane lifts barrels.")
    assert found[0].verdict is Verdict.FULL


def test_another_word_for_it_is_a_proof() -> None:
    assert judged("Which note was replaced by the weir plan?", "The mill note was superseded by the weir plan.")[
        0
    ].verdict is (Verdict.FULL)


def test_who_has_more_of_a_thing_is_told_by_its_count() -> None:
    text = "The Owls scored 48 goals and the Larks 39 goals. Attendance was 18,000 in the first game."
    assert [one.value for one in judged("Who scored more goals, the Owls or the Larks?", text)] == [
        "48 goals",
        "39 goals",
    ]


def test_the_price_in_a_list_beats_the_head_of_its_document() -> None:
    text = "title: Leek soup\nserves: 4\n\n# Leek soup\n\nAn old one.\n\n- Salt: 6 g\n- Cost: 8 €\n\nIt keeps."
    found = judged("Which is cheaper, the leek soup or the onion tart?", text, title="Leek soup")
    assert (found[0].verdict, found[0].value) == (Verdict.FULL, "8 €")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The first frost came on 28 October 2016; the harvest began on 2 September 2016.", Verdict.FULL),
        ("The harvest was good; the first frost came on 28 October 2016.", Verdict.PARTIAL),
    ],
)
def test_a_fact_of_one_word_is_dated_in_its_own_clause(text: str, verdict: Verdict) -> None:
    harvest, _ = judged("How many days before the first frost was the harvest?", text)
    assert harvest.verdict is verdict
    assert harvest.value == ("2 September 2016" if verdict is Verdict.FULL else harvest.value)


def test_a_value_under_its_label_beats_figures_elsewhere() -> None:
    text = "- Name: weir [of 1911](https://example.org/2018/weir)\n- Opening Date: 1925-05-31\n- Seen: 1999-01-01"
    plan_values = [one.value for one in judged("How many days after the mill was the weir opened?", text, title="weir")]
    assert plan_values[0] == "1925-05-31"


def test_two_operands_of_one_sentence_are_told_apart_by_what_they_stand_beside() -> None:
    found = judged("How many more bytes does s2 need than s1?", "They differ: `s1` needs 12 bytes and `s2` needs 15.")
    assert [one.value for one in found] == ["15", "12 bytes"]


def test_the_lines_of_a_head_are_said_of_what_stands_beside_them() -> None:
    head = "- Code: kx\n- Start Date: 1925-05-31\n\nThe long tunnel under the bay, and how to dig it."
    found = judged("Which started earlier, the bay tunnel or the hill road?", head, title="0017-kx")
    assert found[0].value == "1925-05-31"


def test_a_flag_is_known_by_its_looks() -> None:
    (found,) = judged("Which option of pump starts it quietly?", "Start the pump quietly:\n\n`pump {{[-q|--quiet]}}`")
    assert found.value == "-q"


def test_a_list_is_quoted_whole_with_what_leads_into_it() -> None:
    text = "The house has these rules:\n\n- be quiet\n- be kind\n- wash up\n\nGuests are welcome."
    (found,) = judged("Name the rules of the house, all of them.", text)
    assert found.verdict is Verdict.FULL
    assert found.quote is not None
    assert count_items(found.quote) == 3
    assert "Guests" not in found.quote


@pytest.mark.parametrize("text", ["one line", "- a single item", "no\nlist\nat all", ""])
def test_what_is_no_list_has_no_items(text: str) -> None:
    assert count_items(text) == 0


def test_labels_and_addresses() -> None:
    text = "See https://example.org/2018 and 2019.\nHeight: 330 m"
    asked = frozenset({"height"})
    places = [text.index("2018"), text.index("2019"), text.index("330")]
    assert under_label(text, places, asked) == [2]
    assert under_label(text, places[:2], asked) == [1]


def test_a_head_is_several_fields_near_the_beginning() -> None:
    assert fields(["- Status: draft", "- Owner: Ida", "Text follows here."]) == [True, True, False]
    assert fields(["Status: draft", "Text follows here."]) == [False, False]
