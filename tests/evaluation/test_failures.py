"""The page of failures, over the worst that a corpus, a question and a model can say."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.scripted_model import scripted_model
from evaluation.arms.making import make_arms
from evaluation.data.datasets import Gold, GoldSpan, open_dataset, questions
from evaluation.data.records import TracedRowRecord
from evaluation.data.snapshots import prepare
from evaluation.reporting.failures import FALSE_ANSWER, UNPROVEN, Case, failure_of, failures_page
from evaluation.reporting.reading import Withheld
from evaluation.runner import Judging, run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.model.answer import Mode

PLAIN = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li", "a", "article", "dl", "dt",
    "dd", "blockquote", "pre", "mark", "span", "b", "br", "bdi", "strong", "details", "summary",
}  # fmt: skip
HARMLESS = {"lang", "charset", "http-equiv", "content", "name", "id", "href", "class", "dir"}
HOSTILE = (
    '</title></style></p><script>alert(1)</script><img src=x onerror=alert(1)><iframe src="//evil.example"></iframe>'
    '" onmouseover="alert(1)\' autofocus onfocus=alert(1) <svg/onload=alert(1)> <base href=//evil.example>'
    '<form action="https://evil.example"><input type=submit></form><a href="javascript:alert(1)">x</a>'
    "<meta http-equiv=refresh content='0;url=//evil.example'> --> ]]> &lt;script&gt; \x00\u202egpj.exe\u2066"
)


class _Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def active(self) -> list[object]:
        """Elements and attributes that could run, load, send or lead anywhere."""
        found: list[object] = []
        for tag, attributes in self.elements:
            bad = {name: value for name, value in attributes.items() if name not in HARMLESS}
            if tag not in PLAIN or bad:
                found.append((tag, bad))
            if not (attributes.get("href") or "#").startswith("#"):
                found.append((tag, attributes))
            if tag == "meta" and attributes.get("http-equiv", "Content-Security-Policy") != "Content-Security-Policy":
                found.append((tag, attributes))
        return found


def _row(text: str, **more: object) -> TracedRowRecord:
    row = {
        "id": text,
        "documents": [text, "a"],
        "windows": [],
        "evidence": [{"n": 1, "path": "a", "span": [10, 10 + len(text)], "quote": text}],
        "answer": {"status": text, "stopped": text, "short": text, "text": text},
        "ledger": {"calls": {text: 2, "total": 2}, "tokens": {"in": 5, "out": 1}, "seconds": 0.5},
        "scores": {"em": 0.0},
        "outcome": "answered-but-wrong",
        "trace": [text, text],
    }
    return TracedRowRecord.model_validate(row | more)


def _page(text: str) -> _Page:
    gold = Gold(("a", text), support=(GoldSpan("a", 11, 13), GoldSpan(text, 0, 3)), answers=(text,))
    case = Case(text, gold, (text, text), _row(text), "answered-but-wrong")
    return _Page(failures_page(text, [case], 3, text))


def test_hostile_text_brings_no_active_element_into_the_page() -> None:
    page = _page(HOSTILE)
    assert page.active == []
    assert "<script>alert(1)</script>" in page.text
    assert not re.search("[\x00\u202e\u2066]", page.text)


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("<>\"'&/=!-[]x \n\0\u202e"), max_size=40))
def test_no_text_brings_an_active_element_into_the_page(text: str) -> None:
    assert _page(text).active == []


def test_the_page_forbids_everything_but_its_own_style() -> None:
    page = failures_page("t", [], 0)
    policy = next(a["content"] for tag, a in _Page(page).elements if tag == "meta" and "http-equiv" in a)
    style = re.search("<style>(.*)</style>", page, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style[1]


def test_a_failure_is_shown_with_question_gold_evidence_and_trace() -> None:
    text = "Ada wrote the first program."
    gold = Gold(("a", "b"), support=(GoldSpan("a", 14, 19), GoldSpan("b", 0, 4)), answers=("Ada", "Lovelace"))
    row = _row(text, documents=["x", "a"], trace=["search Ada", "read a"])
    page = failures_page("Failures", [Case("Who?", gold, ("wrote", "Babb"), row, "answered-but-wrong")], 5)
    assert "1 of 5 questions failed." in page
    assert "<mark>wrote</mark>" in page
    assert page.count(">shown<") == page.count(">not shown<") == 1
    read = _Page(page).text
    for told in ("Who?", "Ada · Lovelace", "search Ada", "read a", "b nowhere", "calls 2", "tokens 6", "0.50 s"):
        assert told in read, told


def test_the_steps_of_an_agent_stand_in_its_row_and_on_the_page(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    arms = make_arms(["react"], factory=OracleFactory(Mode.DEEP, scripted_model()))
    run(dataset, corpus, questions(dataset)[:1], arms, tmp_path / "run", judging=Judging("deep", "chat"))
    row = TracedRowRecord.model_validate_json((tmp_path / "run" / "react.rows.jsonl").read_bytes())
    asked = questions(dataset)[0]
    read = _Page(failures_page("t", [Case(asked.text, asked.gold, ("", ""), row, "not-retrieved")], 1)).text
    wanted = ["thought: I have seen nothing.", f"action: search: {asked.text}", "observation: [1] "]
    wanted += ["thought: This is what I have seen.", "action: finish: "]
    assert [line[: len(start)] for line, start in zip(row.trace, wanted, strict=True)] == wanted
    assert all(line in read for line in row.trace)


def test_overlapping_gold_is_marked_once_and_nothing_is_lost() -> None:
    gold = Gold(("a",), support=(GoldSpan("a", 8, 14), GoldSpan("a", 12, 16), GoldSpan("a", 30, 40)))
    row = _row("0123456789")
    page = failures_page("t", [Case("?", gold, ("x", "y", "z"), row, UNPROVEN)], 1)
    assert '<mark>0123</mark><mark>45</mark><bdi dir="auto">6789</bdi>' in page


def test_what_a_question_was_failed_at() -> None:
    gold = Gold(("a",))
    assert failure_of(_row("x"), gold) == "answered-but-wrong"
    assert failure_of(_row("x", outcome="correct"), gold) is None
    assert failure_of(_row("x", outcome=None, scores={"evidenceRecall.strict": 0.5}), gold) == UNPROVEN
    assert failure_of(_row("x", outcome=None, scores={"allGold10": 1.0}), gold) is None
    hidden = Withheld("why", frozenset({"em"}))
    assert failure_of(_row("x", scores={"evidenceRecall.strict": 1.0}), gold, hidden) is None
    none = Gold(("a",), answerable=False)
    assert failure_of(_row("x", scores={"falseAnswers": 1.0}), none) == FALSE_ANSWER
    assert failure_of(_row("x", scores={"falseAnswers": 0.0}), none) is None
