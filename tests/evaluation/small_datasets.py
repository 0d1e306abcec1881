"""Small data sets of the published shape, written to a temporary folder."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path

from evaluation.command import add_parser, run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.judge.llm.chat_model import ChatModel
from lens_lsp.model.answer import Mode

ARTICLES = (
    (
        "Ada_Lovelace",
        2,
        "Ada Lovelace\n\nAda Lovelace wrote the first program. She worked with Charles Babbage.\n",
    ),
    ("Charles_Babbage", 2, "Charles Babbage\n\nCharles Babbage designed the Analytical Engine in 1837.\n"),
    ("Grace_Hopper", 3, "Grace Hopper\n\nGrace Hopper wrote the A-0 compiler.\n"),
    ("Jacquard_loom", 3, "Jacquard loom\n\nThe Jacquard loom was controlled by punched cards.\n"),
    ("Unlisted", None, "Unlisted\n\nThis article belongs to no snapshot.\n"),
)
BODIES = {path: body for path, _, body in ARTICLES}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def span(path: str, words: str) -> list[object]:
    start = BODIES[path].index(words)
    return [path, start, start + len(words)]


QUESTIONS = (
    {
        "id": "q1",
        "question": "Which engine did the colleague of the first programmer design?",
        "answer": "Analytical Engine",
        "smallest_snapshot": 2,
        "supporting_paths": ["Ada_Lovelace", "Charles_Babbage"],
        "supporting_spans": [
            span("Ada_Lovelace", "She worked with Charles Babbage."),
            span("Charles_Babbage", "Charles Babbage designed the Analytical Engine in 1837."),
        ],
    },
    {
        "id": "q2",
        "question": "When was the Analytical Engine designed?",
        "answer": "1837",
        "smallest_snapshot": 2,
        "supporting_paths": ["Charles_Babbage"],
        "supporting_spans": [span("Charles_Babbage", "in 1837")],
    },
    {
        "id": "q3",
        "question": "Who wrote the A-0 compiler?",
        "answer": "Grace Hopper",
        "smallest_snapshot": 3,
        "supporting_paths": ["Grace_Hopper"],
        "supporting_spans": [span("Grace_Hopper", "Grace Hopper wrote the A-0 compiler.")],
    },
)
ANSWERS = (
    {
        "id": "a1",
        "question": "When was the Analytical Engine designed?",
        "doc_path": "Charles_Babbage",
        "answers": ["1837", "in 1837", "1837"],
        "answer_spans": [span("Charles_Babbage", "1837")[1:], span("Charles_Babbage", "in 1837")[1:]],
        "answerable": True,
    },
    {
        "id": "a2",
        "question": "When was it sold?",
        "doc_path": "Jacquard_loom",
        "answers": [],
        "answerable": False,
    },
)
PAGES = {
    "docs/install.md": "# Setup\n\nUnpack the archive and run the setup program.\n",
    "docs/index.md": "# Welcome\n\nRead [run the setup program](install.md), then run the setup program.\n",
    "LICENSE": "Do as you like.\n",
}
ITEMS = ({"id": "k1", "question": "run the setup program", "gold": "docs/install.md", "citing": ["docs/index.md"]},)


def write_lines(path: Path, rows: object) -> None:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_bytes(gzip.compress(lines.encode(), mtime=0))


def corpus_sha256(bodies: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for path in sorted(bodies):
        digest.update(path.encode())
    for path in sorted(bodies):
        digest.update(sha256(bodies[path].encode()).encode())
    return digest.hexdigest()


def write_dataset(folder: Path, questions: tuple[dict[str, object], ...] = QUESTIONS) -> Path:
    """A data set with the snapshots 2 and 3 (``D_2``, ``D_3``)."""
    folder.mkdir()
    rows = [
        {
            "path": path,
            "title": path.replace("_", " "),
            "body": body,
            "sha256": sha256(body.encode()),
            "src": "test",
        }
        for path, _, body in ARTICLES
    ]
    write_lines(folder / "corpus.jsonl.gz", rows)
    listed = [{"path": path, "min_snapshot": size} for path, size, _ in ARTICLES if size]
    write_lines(folder / "snapshots.jsonl.gz", listed)
    write_lines(folder / "questions.jsonl.gz", questions)
    manifest: dict[str, object] = {}
    for size in (2, 3):
        bodies = {path: body for path, smallest, body in ARTICLES if smallest and smallest <= size}
        ids = [str(row["id"]) for row in questions if int(str(row.get("smallest_snapshot", 0))) <= size]
        manifest[f"D_{size}"] = {
            "questions": len(ids),
            "articles": len(bodies),
            "corpus_sha256": corpus_sha256(bodies),
            "sample_ids_sha256": sha256("\n".join(sorted(ids)).encode()),
            "order_sha256": sha256("\n".join(ids).encode()),
        }
    manifest["files"] = {path.name: sha256(path.read_bytes()) for path in sorted(folder.glob("*.gz"))}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def write_workspace(folder: Path, extra: tuple[tarfile.TarInfo, ...] = ()) -> Path:
    """A ``workspaces`` folder with the archive ``guide`` and its known-item questions."""
    folder.mkdir()
    archive = folder / "guide.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        for name, text in PAGES.items():
            member = tarfile.TarInfo(f"guide/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
        for member in extra:
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    write_lines(folder / "guide.known-item.jsonl.gz", ITEMS)
    entry = {"sha256": sha256(archive.read_bytes()), "md_files": 2}
    (folder / "manifest.json").write_text(json.dumps({"guide": entry}))
    return folder


def parsed(*words: object) -> argparse.Namespace:
    """What is typed after ``lens eval``, parsed."""
    parser = argparse.ArgumentParser(prog="lens")
    add_parser(parser.add_subparsers(required=True))
    return parser.parse_args(["eval", *map(str, words)])


def evaluate(*words: object, model: ChatModel | None = None) -> int:
    """``lens eval`` with these words, where a ``model`` is given with that; its exit status."""
    return run(parsed(*words), None if model is None else lambda _: OracleFactory(Mode.FAST, model))
