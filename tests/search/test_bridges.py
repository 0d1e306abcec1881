"""Where new terms lead: to documents with a rare new name that say what the question still asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from small_workspace import FILLER, Workspace

from lens_lsp.judge.analysis import analyse
from lens_lsp.search.localisation import Candidates

Make = Callable[[Mapping[str, str]], Workspace]

QUESTION = "Which harbour did the painter of the copper kettle sail from?"
FILES = {
    "kettle.md": "The copper kettle was painted by Anselm Brock.\n",
    "harbour.md": "Anselm Brock lived long and had to sail from the harbour of Vell.\n",
    "garden.md": "Anselm Brock had a garden with pears and beans, and he liked both.\n",
    "other harbour.md": "They sail from the harbour of Orm in spring.\n",
} | FILLER


def led(space: Workspace, *terms: str, admitted: tuple[str, ...] = ("kettle.md",)) -> list[str]:
    candidates = Candidates(space.corpus, analyse(QUESTION))
    slots = {space.slot(path) for path in admitted}
    found = candidates.extend({"f1": terms}, admitted=slots, proven={space.slot("kettle.md")})
    return [space.path(slot) for slot in found]


def test_of_those_with_the_name_the_one_that_tells_more_of_the_question_comes_first(workspace: Make) -> None:
    assert led(workspace(FILES), "Anselm Brock")[:2] == ["harbour.md", "garden.md"]


def test_what_is_admitted_takes_no_place(workspace: Make) -> None:
    assert "harbour.md" not in led(workspace(FILES), "Anselm Brock", admitted=("kettle.md", "harbour.md"))


def test_what_a_proof_says_already_counts_for_nothing(workspace: Make) -> None:
    files = FILES | {
        "again.md": "Anselm Brock is the painter of the copper kettle, the copper kettle is his.\n",
        "sail.md": "Anselm Brock may sail.\n",
        "kettle.md": "The painter of the copper kettle was Anselm Brock.\n",
    }
    found = led(workspace(files), "Anselm Brock")
    assert found.index("sail.md") < found.index("again.md")


def test_a_rare_name_leads_further_than_a_common_one(workspace: Make) -> None:
    everywhere = {f"orm {number}.md": "Orm is here as well.\n" for number in range(12)}
    found = led(workspace(FILES | everywhere), "Orm", "Anselm Brock")
    assert {"harbour.md", "garden.md"} & set(found[:2])
    assert found.index("garden.md") < found.index("orm 3.md")


def test_words_of_a_name_lead_where_the_name_itself_is_nowhere(workspace: Make) -> None:
    assert "harbour.md" in led(workspace(FILES), "Johann Anselm Brock")


def test_known_terms_lead_nowhere(workspace: Make) -> None:
    assert led(workspace(FILES), "kettle") == []
