"""Secrets of 200 kinds in four formats: nothing of them leaves, by whatever way texts go to models and agents.

``python -m tests.soak.secret_leaks DATA --documents 2 --windows 20000 --lines 20000`` makes documents with secrets of
every kind in every format (`tests.soak.secret_kinds`, which shares nothing with the rules), so many times, and looks
for each character that was drawn by lot in what a document is as it may leave. Documents with long kinds are cut into
so many regions, as a question cuts them, and every stretch of eight characters counts. Then folders with them are asked
over real sockets and real processes: requests to a model, ``lens/*`` for models, the tools of ``lens mcp``, answers
that were kept with what stands beside their quotes. Last come ordinary lines out of ``DATA`` and made ones (hashes,
UUIDs, long addresses, pictures in base64): what is masked in them is wrong.

It prints one JSON line, and exits with 1 if more than 3 of 100 documents leaked, if a long kind leaked anywhere, if
anything of a masked kind leaked at a front end, if more than 5 of 1,000 ordinary lines were masked; and if the
controls were not caught: regions of which each is looked at by itself, and front ends over values without a shape.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.judge.redaction import redacted, redacted_whole, secrets_of, shown_secrets
from lens_lsp.model.text import Span
from lens_lsp.search.boundaries import region, shown
from tests.judge.llm.traced import replies
from tests.lsp.lsp_client import environment
from tests.lsp.lsp_editor import CAPABILITIES, Editor
from tests.mcp.mcp_agent import agent, text_of
from tests.soak.disclosure import asked
from tests.soak.harness import Options, Verdict, harness
from tests.soak.secret_kinds import FORMATS, Secret, drawn, escaped, made

STRETCH = 8
"""Characters in a row that count as told, where a text is cut or quoted."""
MASKED, FALSE = 0.97, 0.005
_WORKSPACES = ("cpp-docs", "rust-book", "rust-rfcs", "tldr-en")


@dataclass(frozen=True)
class Planted:
    """A document with a secret."""

    secret: Secret
    format: str
    name: str
    text: str


def planted(seed: int) -> Iterator[Planted]:
    """A document of each kind in each format."""
    rng = random.Random(seed)
    for number, secret in enumerate(made(seed)):
        for name, write in FORMATS.items():
            ending, text = write(secret, rng)
            yield Planted(secret, name, f"{number:03}-{name}{ending}", text)


def told(secret: Secret, text: str, stretch: int = STRETCH) -> bool:
    """Whether a text says so many characters in a row of what was drawn."""
    return any(
        spelled[at : at + stretch] in text
        for part in secret.drawn
        for spelled in {part, escaped(part)}
        for at in range(max(1, len(spelled) - stretch + 1))
    )


def whole(documents: Sequence[Planted]) -> list[Planted]:
    """Those of which something is left: four characters in a row of a short one, for a stray one may be by chance."""
    return [
        each
        for each in documents
        if told(each.secret, redacted_whole(each.text, each.name).text, STRETCH if each.secret.long else 4)
    ]


def windows(documents: Sequence[Planted], count: int, rng: random.Random) -> tuple[list[Planted], int, int]:
    """The documents of which a region says something, how many regions there were, and how many that said something
    when each was looked at by itself."""
    leaked: list[Planted] = []
    tried = alone = 0
    with tempfile.TemporaryDirectory() as base, Root(base) as root:
        read = []
        for each in documents:
            Path(base, each.name).write_text(each.text, "utf-8")
            read.append(Snapshot([root], {}, CorpusRules()).document(0, each.name))
        while tried < count:
            at = rng.randrange(len(documents))
            each, document = documents[at], read[at]
            start = rng.randrange(len(document.text))
            span = Span(start, min(len(document.text), start + rng.choice((40, 200, 500, 1_200))))
            cut = region(document, span) if rng.random() < 0.7 else span
            view = shown(document, cut)
            known = shown_secrets(secrets_of(document.text, document.path), view)
            tried += 1
            if told(each.secret, redacted(view.text, known=known).text):
                leaked.append(each)
            alone += told(each.secret, redacted(view.text, known=()).text)
    return leaked, tried, alone


def folder_of(base: Path, documents: Sequence[Planted]) -> Path:
    """A folder with documents; each says a word of its own beside its secret."""
    folder = base / "notes"
    folder.mkdir()
    for each in documents:
        (folder / each.name).write_text(each.text.replace("the lights on", f"the lights of {mark(each)} on"), "utf-8")
    return folder


def mark(each: Planted) -> str:
    """The word that a document says for all to read."""
    return "Quill" + re.sub("[^0-9a-z]", "", each.name)


def question(each: Planted) -> str:
    """What somebody asks who looks for a secret."""
    return f"What is the {each.secret.kind}?"


async def model(folder: Path, documents: Sequence[Planted], seed: int) -> list[str]:
    """What an endpoint got of questions for the secrets."""
    bodies: list[str] = []
    for number, each in enumerate(documents):
        _, got = await asked([folder], replies(seed + number), seed + number, question=question(each))
        bodies += got
    return bodies


def editor(folder: Path, home: Path, documents: Sequence[Planted], rng: random.Random) -> list[str]:
    """What ``lens/*`` give for a model, of documents, of answers that were kept and of what stands beside quotes."""
    said: list[Any] = []
    with Editor(environment(home)) as server:
        server.begin(folder, capabilities=CAPABILITIES)
        for each in documents:
            uri = (folder / each.name).as_uri()
            last = each.text.count("\n")
            first = rng.randint(1, max(1, last))
            parts = ({}, {"lines": [first, max(first, min(last, first + 3))]}, {"page": 1})
            said += [server.result("lens/passage", {"uri": uri, "forModel": True, **part}) for part in parts]
            found = server.result("lens/find", {"query": question(each), "forModel": True})
            answer = server.result("lens/ask", {"question": question(each), "forModel": True})
            server.result("lens/ask", {"question": question(each)})  # kept as a person's
            said += [found, answer]
            if answer["answerUri"] is not None:
                said.append(server.result("lens/answer", {"answer": answer["answerUri"], "forModel": True}))
        said.append(server.result("lens/clusters", {"forModel": True}))
    return [json.dumps(each, ensure_ascii=False) for each in said]


async def tools(folder: Path, home: Path, documents: Sequence[Planted]) -> list[str]:
    """What the tools of ``lens mcp`` give."""
    said: list[str] = []
    async with agent(home, folder) as client:
        for each in documents:
            for name, given in (
                ("find_evidence", {"query": question(each)}),
                ("ask", {"question": question(each)}),
                ("read_evidence", {"path": str(folder / each.name)}),
            ):
                result = await client.call_tool(name, given)
                said += [text_of(result), json.dumps(result.structured_content, ensure_ascii=False)]
        result = await client.call_tool("list_clusters", {})
        said += [text_of(result), json.dumps(result.structured_content, ensure_ascii=False)]
    return said


def front_ends(documents: Sequence[Planted], seed: int) -> dict[str, dict[str, int]]:
    """For each front end: texts that it gave, documents whose secret was in one, and those whose own word was."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as base:
        folder = folder_of(Path(base), documents)
        homes = [Path(base, name) for name in ("editor", "agent")]
        for home in homes:
            home.mkdir()
        given = {
            "model": asyncio.run(model(folder, documents, seed)),
            "lens": editor(folder, homes[0], documents, rng),
            "mcp": asyncio.run(tools(folder, homes[1], documents)),
        }
    return {
        name: {
            "texts": len(texts),
            "leaked": sum(any(told(each.secret, text) for text in texts) for each in documents),
            "seen": sum(any(mark(each) in text for text in texts) for each in documents),
        }
        for name, texts in given.items()
    }


def ordinary(data: Path, count: int, rng: random.Random) -> list[tuple[str, list[str]]]:
    """Documents that hold no secret, by the ending of their names: real ones, of which so many lines are taken, and as
    many tenths of made ones."""
    real: list[tuple[str, list[str]]] = []
    for name in _WORKSPACES:
        with tarfile.open(data / "workspaces" / f"{name}.tar.xz", "r|xz") as archive:
            left = count // 5
            for member in archive:
                handle = archive.extractfile(member) if member.isfile() else None
                if handle is None or rng.random() < 0.5:
                    continue
                lines = handle.read().decode("utf-8", "replace").splitlines()
                real.append((member.name, lines))
                left -= len(lines)
                if left < 0:
                    break
    repository = Path(__file__).resolve().parents[2]
    code = sorted((repository / "lens_lsp").rglob("*.py"))
    left = count // 5
    for path in rng.sample(code, len(code)):
        lines = path.read_text("utf-8").splitlines()
        real.append((path.name, lines))
        left -= len(lines)
        if left < 0:
            break
    return [*real, ("made.md", [made_line(rng) for _ in range(count // 5)])]


def made_line(rng: random.Random) -> str:
    """A line that looks drawn by lot and is no secret."""
    h40, h64, b = drawn(rng, "H", 40), drawn(rng, "H", 64), drawn(rng, "B", 64)
    uuid = f"{h40[:8]}-{h40[8:12]}-{h40[12:16]}-{h40[16:20]}-{h40[20:32]}"
    return rng.choice(
        (
            f"commit {h40}",
            f"See {h40[:12]} for the fix of the token parser.",
            f"sha256: {h64}",
            f'"integrity": "sha512-{b}{drawn(rng, "B", 22)}==",',
            f'checksum = "{h64}"',
            f"{h64}  lens-{rng.randint(1, 9)}.{rng.randint(0, 20)}.tar.gz",
            f"The order {uuid} was sent.",
            f'  id: "{uuid}"',
            f"![picture](data:image/png;base64,iVBORw0KGgo{b}{drawn(rng, 'B', 200)})",
            f"    {b}{drawn(rng, 'B', 12)}",
            f"https://example.org/a/{drawn(rng, 'L', 22)}/edit?usp=sharing&v={drawn(rng, 'd', 6)}#gid=0",
            f"https://www.youtube.com/watch?v={drawn(rng, 'L', 11)}",
            f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{drawn(rng, 'B', 43)} me@host",
            f"Fingerprint: SHA256:{drawn(rng, 'B', 43)}",
            f"| {drawn(rng, 'd', 8)} | {drawn(rng, 'U', 10)} | {rng.randint(1, 999)}.{rng.randint(10, 99)} EUR |",
            f"ISBN 978-3-{drawn(rng, 'd', 4)}-{drawn(rng, 'd', 4)}-1, IBAN DE{drawn(rng, 'd', 20)}",
            f"image: registry.example.org/app@sha256:{h64}",
            f"The primary key is order_{rng.randint(1, 99)}, the cache key page:{rng.randint(1, 9999)}:v2.",
            "The password must have 12 characters, a number and a sign.",
            'password = os.environ["DB_PASSWORD"]',
            "token = next(tokens)  # the token after the sign",
            "secret: see the other page",
            "Authorization: Bearer <your token>",
            f"key: page-{rng.randint(1, 99)}-title-{rng.randint(1, 99)}",
            "export API_KEY=your-api-key-here",
            f'etag: W/"{drawn(rng, "H", 32)}"',
            f"trace-id {drawn(rng, 'H', 32)} span {drawn(rng, 'H', 16)}",
        )
    )


def masked(documents: Sequence[tuple[str, list[str]]]) -> tuple[int, list[str]]:
    """How many lines there are, and those of which something was taken out."""
    wrong = []
    for name, lines in documents:
        text = "\n".join(lines)
        for one in secrets_of(text, name):
            first = text.count("\n", 0, one.span.start)
            wrong += lines[first : first + text.count("\n", one.span.start, one.span.end) + 1]
    return sum(len(lines) for _, lines in documents), wrong


def speed(documents: Sequence[tuple[str, list[str]]]) -> float:
    """Megabytes that are looked through in a second of processor time."""
    texts = ["\n".join(lines) for _, lines in documents]
    started = time.process_time()
    for number, text in enumerate(texts):
        secrets_of(f"{text}\n{number}", "a.md")
    return sum(map(len, texts)) / 1e6 / (time.process_time() - started)


@harness(data=Path, documents=2, windows=2_000, asked=12, lines=20_000, seed=1)
def main(options: Options) -> Verdict:
    rng = random.Random(options.seed)
    documents = [each for n in range(options.documents) for each in planted(options.seed + n)]
    missed = whole(documents)
    long = [each for each in documents if each.secret.long]
    cut, tried, alone = windows(long, options.windows, rng)
    first = [each for each in planted(options.seed) if not any(each == one for one in missed)]
    ends = front_ends(rng.sample(first, min(len(first), options.asked)), options.seed)
    plain = ordinary(options.data, options.lines, rng)
    lines, wrong = masked(plain)
    leaked = sum(end["leaked"] for end in ends.values())
    row = {
        "figure": "secrets",
        "documents": len(documents),
        "kinds": len({each.secret.kind for each in documents}),
        "missed": len(missed),
        "missedByFormat": dict(Counter(each.format for each in missed)),
        "masked": round(1 - len(missed) / len(documents), 4),
        "longMissed": sum(each.secret.long for each in missed),
        "windows": tried,
        "windowsLeaked": len(cut),
        "frontEnds": ends,
        "leaked": leaked,
        "lines": lines,
        "falseMasks": len(wrong),
        "falseShare": round(len(wrong) / lines, 5),
        "megabytesPerSecond": round(speed(plain[:-1]), 1),
        "controls": {"windowsAlone": alone, **{name: end["seen"] for name, end in ends.items()}},
        "first": [f"{each.secret.kind}: {each.format}" for each in [*missed, *cut]][:8],
        "wrong": wrong,
        "seed": options.seed,
    }
    row["bad"] = row["longMissed"] + len(cut) + leaked + (row["masked"] < MASKED) + (row["falseShare"] > FALSE)
    return row, all(row["controls"].values())


if __name__ == "__main__":
    sys.exit(main())
