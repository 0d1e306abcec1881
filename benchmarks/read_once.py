"""Whether everything in a folder of PDFs is found once it was read, by every door, and what is said before.

    python -m benchmarks.read_once --data DATA --work FOLDER [--files 300] [--words 25] [--real FOLDER] [--out FILE]

Writes PDFs of 1 to 60 pages out of the articles of a data set (``DATA/squad``, CC BY-SA; seed 30), and draws words
that stand once in all of them and are like no other. Each word is a question:

* fresh: `lens find` in a home where nothing was read. How many words are found, and in how many runs the unread
  documents are told. `lens ask` three times: are the answers equal, and if not, is it said that documents are unread?
* read: after one `lens read`, each word by `lens find`, `lens ask`, the language server, the server for agents and the
  desktop; it is found when one of the first three passages has it. Seconds of `lens find` by the clock and of the
  processor. `lens ask` three times again.

* as text: the same articles as text files, by `lens ask`, right after each question of the PDFs: what of its seconds is
  the documents'.
* real: with ``--real``, the PDFs of a folder as well, such as a public suite of tests has them, in a folder of their
  own: words that stand once in what pypdf reads of all of them, by `lens find` after one `lens read`. No gate: what one
  program reads of a damaged or drawn text is not what another reads.

The control is a checkout from before the store: this program, copied into it, fails. Ends with 1 if a gate fails.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import logging
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measuring import machine
from tests.desktop.desktop_process import Desktop
from tests.documents.pdf_files import PageMaking, PdfMaking, lines
from tests.lsp.lsp_client import LspProcess, environment
from tests.mcp.mcp_agent import agent, call

SEED = 30
FIRST = 3
SECONDS = 1.5
"""That a one-shot question may take, of the processor and on an idle machine by the clock."""
_COLUMNS, _LINES = 86, 50
_WORD = re.compile(r"[^\W\d_]+")
_LEAST, _ALIKE = 8, 5
"""Letters of a word that is asked for, and of its beginning that no other word has."""
_PATIENCE = 600.0
_REAL_PAGES = 50


@dataclass
class Door:
    """What one way in found."""

    name: str
    found: int = 0
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    unread_told: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, word: str, quotes: Sequence[str]) -> None:
        if any(word in quote.lower() for quote in quotes[:FIRST]):
            self.found += 1
        else:
            self.missed.append(word)


def write_pdfs(data: Path, folder: Path, count: int) -> list[str]:
    """The PDFs, unless they are there, and the text of each."""
    chance = random.Random(SEED)
    with gzip.open(data / "squad" / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        bodies = sorted(json.loads(line)["body"] for line in file)
    folder.mkdir(parents=True, exist_ok=True)
    texts = []
    for number in range(count):
        draw = chance.random()
        pages = chance.randint(1, 8) if draw < 0.5 else chance.randint(9, 39) if draw < 0.9 else chance.randint(40, 60)
        body = bodies[number % len(bodies)].partition("\n")[2].encode("cp1252", "ignore").decode("cp1252")
        wrapped = [
            line for part in body.split("\n") for line in [*textwrap.wrap(part, _COLUMNS, break_on_hyphens=False), ""]
        ]
        made = [wrapped[at : at + _LINES] for at in range(0, len(wrapped), _LINES)][:pages]
        texts.append("\n".join(line for page in made for line in page))
        path = folder / f"paper-{number:03}.pdf"
        if not path.exists():
            path.write_bytes(PdfMaking([PageMaking(lines(page, 50, 60)) for page in made]).written())
    return texts


def rare_words(texts: Sequence[str], count: int) -> list[str]:
    """Words that stand once in all texts, drawn by chance; no other word begins as they do, for what is related is
    found, too."""
    words = Counter(word for text in texts for word in _WORD.findall(text))
    begun = Counter(word[:_ALIKE].lower() for word in words)
    rare = [word for word, often in words.items() if often == 1 and word.islower() and len(word) >= _LEAST]
    alone = sorted(word for word in rare if word.isascii() and begun[word[:_ALIKE]] == 1)
    return sorted(random.Random(SEED).sample(alone, count))


def lens(home: Path, *arguments: str) -> tuple[Any, float, float]:
    """The JSON of a command, and its seconds by the clock and of the processor."""
    env = environment(home)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "lens_lsp", *arguments, "--json"]
    done = subprocess.run(command, env=env, cwd=home, capture_output=True, timeout=3 * _PATIENCE, check=False)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if not done.stdout:
        raise RuntimeError(f"lens {arguments[0]}: {done.stderr.decode()}")
    return json.loads(done.stdout), seconds, spent


def _quotes(evidence: Sequence[Mapping[str, Any]]) -> list[str]:
    return [str(item["quote"]) for item in evidence]


def _question(word: str) -> str:
    return f"Where is {word} mentioned?"


def _ask(home: Path, question: str, folder: Path) -> Any:
    return lens(home, "ask", question, str(folder), "--mode", "evidence", "--no-store")[0]


def by_commands(home: Callable[[], Path], folder: Path, words: Sequence[str], name: str) -> Door:
    """`lens find` for each word, each in the home that it is given."""
    door = Door(f"lens find, {name}")
    for word in words:
        found, seconds, spent = lens(home(), "find", word, str(folder), "-n", str(FIRST))
        door.add(word, _quotes(found["evidence"]))
        door.seconds.append(seconds)
        door.processor.append(spent)
        told = " ".join(found["warnings"])
        door.unread_told += found["coverage"].get("unread", 0) > 0 or "not read" in told
    return door


def by_asking(home: Path, folder: Path, texts: Path, words: Sequence[str]) -> list[Door]:
    """`lens ask` for each word, among the PDFs and among the same texts, in turn: both meet the same machine."""
    doors = [Door("lens ask, read"), Door("lens ask, the same as text files")]
    for word in words:
        for door, place in zip(doors, (folder, texts), strict=True):
            answer, seconds, spent = lens(home, "ask", _question(word), str(place), "--mode", "evidence", "--no-store")
            door.add(word, _quotes(answer["evidence"]))
            door.seconds.append(seconds)
            door.processor.append(spent)
    ratios = [pdf / text for pdf, text in zip(doors[0].seconds, doors[1].seconds, strict=True)]
    print(f"lens ask among PDFs takes {median(ratios):.2f} times what it takes among text files", flush=True)
    return doors


def copied_pdfs(source: Path, folder: Path) -> list[str]:
    """Real PDFs under plain names, and the text of each as pypdf reads it; those that it cannot open are left out."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    folder.mkdir(parents=True, exist_ok=True)
    texts = []
    for path in sorted(source.rglob("*.pdf")):
        try:
            texts.append("\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages[:_REAL_PAGES]))
        except Exception:  # noqa: BLE001 - suites hold damaged files
            continue
        shutil.copyfile(path, folder / f"real-{len(texts):03}.pdf")
    return texts


def by_real(source: Path, folder: Path, home: Path, count: int) -> Door:
    """`lens find` for words of real PDFs, after they were read."""
    words = rare_words(copied_pdfs(source, folder), count)
    lens(home, "read", str(folder), "--ocr", "off")
    return by_commands(lambda: home, folder, words, f"{len(list(folder.iterdir()))} real PDFs, read")


def by_server(home: Path, folder: Path, words: Sequence[str]) -> Door:
    door = Door("language server, read")
    with LspProcess(environment(home), cwd=home) as server:
        server.begin(folder)
        for word in words:
            started = time.perf_counter()
            door.add(word, _quotes(server.result("lens/find", {"query": word, "limit": FIRST})["evidence"]))
            door.seconds.append(time.perf_counter() - started)
    return door


async def _by_agent(home: Path, folder: Path, words: Sequence[str]) -> Door:
    door = Door("server for agents, read")
    async with agent(home, folder) as client:
        for word in words:
            started = time.perf_counter()
            found = await call(client, "find_evidence", query=word)
            door.add(word, _quotes(found["citations"]))
            door.seconds.append(time.perf_counter() - started)
    return door


def by_desktop(home: Path, folder: Path, words: Sequence[str]) -> Door:
    door = Door("desktop, read")
    with Desktop(environment(home), str(folder)).enter() as desktop:
        for word in words:
            started = time.perf_counter()
            result = desktop.heard(desktop.ask(_question(word), mode="evidence"))[-1].data["result"]
            door.add(word, _quotes(result["evidence"]))
            door.seconds.append(time.perf_counter() - started)
    return door


def equal_runs(homes: Callable[[], Path], folder: Path, word: str) -> tuple[bool, bool]:
    """Whether three runs of a question give equal answers, and whether each says that documents are unread."""
    answers = [_ask(homes(), _question(word), folder) for _ in range(3)]
    shown = [json.dumps([one["answer"], one["status"], _quotes(one["evidence"])]) for one in answers]
    return len(set(shown)) == 1, all(one["coverage"].get("unread", 0) for one in answers)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="where the PDFs are, or are written")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--words", type=int, default=25)
    parser.add_argument("--real", type=Path, help="a folder of other PDFs; needs pypdf")
    parser.add_argument("--out", type=Path, help="the JSON file to write")
    options = parser.parse_args(arguments)
    folder: Path = options.work.resolve() / f"papers-{options.files}"
    texts = write_pdfs(options.data, folder, options.files)
    words = rare_words(texts, options.words)
    plain = folder.with_name(f"texts-{options.files}")
    plain.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (plain / f"paper-{number:03}.txt").write_text(text, "utf-8")
    with tempfile.TemporaryDirectory() as made:
        homes = (Path(made) / str(number) for number in range(10_000))

        def fresh() -> Path:
            home = next(homes)
            home.mkdir()
            return home

        doors = [by_commands(fresh, folder, words, "fresh")]
        _show(doors[-1], len(words))
        same_fresh, told_fresh = equal_runs(fresh, folder, words[0])
        print(f"three fresh answers equal: {same_fresh}; each says that documents are unread: {told_fresh}", flush=True)
        home = fresh()
        reading = None
        try:
            reading = lens(home, "read", str(folder))
            told = {name: value for name, value in reading[0].items() if name != "skipped"}
            print(f"lens read: {told}, {reading[1]:.0f} s, {reading[2]:.0f} s of the processor", flush=True)
        except RuntimeError as error:
            print(error, flush=True)
        ways: list[Callable[[], Door]] = [
            lambda: by_commands(lambda: home, folder, words, "read"),
            lambda: by_server(home, folder, words),
            lambda: asyncio.run(_by_agent(home, folder, words)),
            lambda: by_desktop(home, folder, words),
        ]
        for way in ways:
            doors.append(way())
            _show(doors[-1], len(words))
        for door in by_asking(home, folder, plain, words):
            doors.append(door)
            _show(door, len(words))
        same, told = equal_runs(lambda: home, folder, words[0])
        print(f"three answers equal: {same}; documents unread: {told}", flush=True)
        real = None if options.real is None else by_real(options.real, Path(made) / "real", fresh(), len(words))
        if real is not None:
            _show(real, len(words))
    whole = all(door.found == len(words) for door in doors[1:])
    first = doors[0].unread_told == len(words) and (same_fresh or told_fresh)
    passed = whole and first and same and not told and median(doors[1].processor) <= SECONDS
    if options.out:
        said = {"schema": "lens.read-once/1", "machine": machine(), "passed": passed, "files": options.files}
        said |= {"words": words, "doors": [asdict(door) for door in doors], "reading": reading}
        said |= {} if real is None else {"real": asdict(real)}
        options.out.write_text(json.dumps(said, indent=1) + "\n", "utf-8")
    print("passed" if passed else "failed")
    return 0 if passed else 1


def _show(door: Door, words: int) -> None:
    told = (
        f"| {door.name} | {door.found} of {words} | median {median(door.seconds):.2f} s, most {max(door.seconds):.2f} s"
    )
    spent = f" | processor {median(door.processor):.2f} s, most {max(door.processor):.2f} s" if door.processor else ""
    missed = f" | missed {', '.join(door.missed[:5])}" if door.missed else ""
    print(f"{told}{spent} | unread told {door.unread_told}{missed}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
