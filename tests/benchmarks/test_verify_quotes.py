from __future__ import annotations

import ast
import codecs
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.model.documents import Context, ContextRole, Coverage, Evidence, Findings, Origin
from lens_lsp.model.text import SourceText, Span
from lens_lsp.schema.answer_shapes import evidence_json, findings_json

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "verify_quotes.py"
TEXT = "# Töne 😀\r\n\r\nEin Wort und\rnoch eines.\nForm\x0cfeed und\u2028Trenner: kein Zeilenende.\n" * 20
FILES = {
    "plain.md": (TEXT.encode(), "utf-8"),
    "marked.md": (codecs.BOM_UTF8 + TEXT.encode(), "utf-8"),
    "little.txt": (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16-le"),
    "big.txt": (TEXT.encode("utf-16-be"), "utf-16-be"),
    "old.txt": ("Größe\r\nund Gewicht\r\n".encode("cp1252") * 20, "cp1252"),
    "broken.txt": (b"good \xff\xfe bad\nend\n" * 20, "utf-8"),
}


def _text(name: str) -> str:
    data, encoding = FILES[name]
    return data.decode(encoding, "replace").removeprefix("\ufeff")


def _evidence(n: int, name: str, span: Span) -> Evidence:
    source = SourceText(_text(name))
    around = ((ContextRole.BEFORE, Span(0, span.start)), (ContextRole.AFTER, Span(span.end, span.end + 4)))
    return Evidence(
        n=n,
        root=0,
        path=name,
        start=source.position(span.start),
        end=source.position(span.end),
        span=span,
        quote=source.text[span.start : span.end],
        origin=Origin(hashlib.sha256(FILES[name][0]).hexdigest(), FILES[name][1]),
        reader="text/1",
        locator=None,
        heading=(),
        score=1.0,
        context=tuple(
            Context(role, place, source.text[place.start : place.end])
            for role, place in around
            if len(place) and place.end <= len(source.text)
        ),
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, (data, _) in FILES.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def items() -> list[dict[str, Any]]:
    spans = [Span(start, start + 17) for start in range(0, 60, 7)]
    return [evidence_json(_evidence(n, name, span)) for name in FILES for n, span in enumerate(spans, 1)]


def _write_rows(folder: Path, items: list[dict[str, Any]]) -> Path:
    path = folder / "lens.rows.jsonl"
    rows = [{"id": str(n), "evidence": items[n : n + 5]} for n in range(0, len(items), 5)]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def _verify(*arguments: object, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", check=False)


def test_true_quotes_of_every_encoding_and_line_end_are_confirmed(corpus: Path, items: list[dict[str, Any]]) -> None:
    done = _verify("--rows", _write_rows(corpus.parent, items), corpus, "--mutant", 20)
    assert done.stdout == "54 passages checked, 0 mismatches, 0 unchecked\n140 mutants, 140 caught\n"
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("quote", "another quote"),
        ("span", [1, 18]),
        ("span", [-3, 5]),
        ("span", [0, 99_999]),
        ("start", {"line": 1, "column": 2}),
        ("end", {"line": 9, "column": 1}),
        ("sha256", "0" * 64),
        ("context", [{"role": "after", "span": [17, 21], "text": "else", "cut": []}]),
        ("context", [{"role": "after", "span": [17, 99_999], "text": "else", "cut": []}]),
        ("encoding", "latin-1"),
        ("encoding", "klingon"),
        ("path", "missing.md"),
        ("path", "../corpus/plain.md"),
    ],
)
def test_one_wrong_thing_in_one_item_is_noticed(
    corpus: Path, items: list[dict[str, Any]], key: str, value: object
) -> None:
    items[0][key] = value
    done = _verify("--rows", _write_rows(corpus.parent, items), corpus)
    assert done.returncode == 1
    assert "54 passages checked, 1 mismatches" in done.stdout


def test_a_file_that_changed_since_is_noticed(corpus: Path, items: list[dict[str, Any]]) -> None:
    with open(corpus / "plain.md", "ab") as file:
        file.write(b"one more line\n")
    done = _verify("--rows", _write_rows(corpus.parent, items), corpus)
    assert done.returncode == 1
    assert "9 mismatches" in done.stdout


def test_a_find_document_carries_its_own_roots(corpus: Path) -> None:
    evidence = tuple(_evidence(n, name, Span(3, 30)) for n, name in enumerate(FILES, 1))
    findings = Findings("Wort", (str(corpus),), evidence, (), Coverage(6, 6), None)
    done = _verify("--find", "-", given=json.dumps(findings_json(findings), ensure_ascii=False))
    assert (done.returncode, done.stdout) == (0, "6 passages checked, 0 mismatches, 0 unchecked\n")


def test_a_find_document_of_version_1_is_read_and_of_another_is_not(corpus: Path) -> None:
    findings = Findings("Wort", (str(corpus),), (_evidence(1, "plain.md", Span(3, 30)),), (), Coverage(6, 6), None)
    document = findings_json(findings)
    (item,) = document["evidence"]
    del item["context"], item["cut"], document["missing"]
    for schema, status in (("lens.evidence/1", 0), ("lens.evidence/3", 2)):
        assert _verify("--find", "-", given=json.dumps(document | {"schema": schema})).returncode == status


def test_extracted_text_and_buffers_are_counted_as_unchecked(corpus: Path, items: list[dict[str, Any]]) -> None:
    items[0]["locator"] = {"cell": 2}
    items[1]["source"] = "buffer"
    items[2]["locator"] = {"row": 2}
    done = _verify("--rows", _write_rows(corpus.parent, items), corpus)
    assert (done.returncode, done.stdout) == (0, "52 passages checked, 0 mismatches, 2 unchecked\n")


def test_checking_nothing_proves_nothing(corpus: Path) -> None:
    assert _verify("--rows", _write_rows(corpus.parent, []), corpus).returncode == 1


@pytest.mark.parametrize("line", ['{"id": 1}', "[1]", '{"evidence": [{}]}', "no JSON"])
def test_input_that_is_no_rows_file_has_its_own_status(corpus: Path, line: str) -> None:
    path = corpus.parent / "other.jsonl"
    path.write_text(line + "\n")
    done = _verify("--rows", path, corpus)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("wrong input")
    assert _verify("--find", "-", given="{}").returncode == 2
    assert _verify().returncode == 2


def test_the_verifier_shares_no_code_with_the_package() -> None:
    modules = set()
    for node in ast.walk(ast.parse(SCRIPT.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add((node.module or "").split(".")[0])
    assert modules - {"__future__"} <= sys.stdlib_module_names
