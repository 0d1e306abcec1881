"""Forged answer files that name what lies outside the workspace: nothing of it is read, shown or told by a decision.

``python -m tests.soak.outside_reads --n 500 --seed 1`` prints one JSON line. Whoever forged the files guesses what
stands in files of others: their words, what stands beside them, their hashes, their names. Every front end looks at
the files four times: where the guess is right, where it is wrong, where the file is gone and where it was renamed. It
exits with 1 if an output differs between these, or holds a word of a file outside, or if a front end does not see an
honest answer change, or if the control, a check that reads wherever it is told to, is not caught.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lens_lsp.corpus.corpus_rules import ANYWHERE
from lens_lsp.memory.answer_files import one_line
from lens_lsp.memory.answer_parser import source_json
from lens_lsp.memory.check import Report, check
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import TextSource
from lens_lsp.model.text import Span
from lens_lsp.schema.memory_shapes import check_json
from tests.desktop.desktop_process import Desktop
from tests.lsp.lsp_client import environment
from tests.lsp.lsp_editor import CAPABILITIES, Editor
from tests.mcp.mcp_agent import agent
from tests.memory.old_blocks import footnote
from tests.soak.harness import Options, Verdict, harness

WORLDS = ("guessed", "otherwise", "gone", "renamed")
SECRET = "secret.md"
GUESS = "The vault of the harbour office opens with"
LEFT, RIGHT = "Kestrel Umbra 41 notes that. ", " the number Zephyr-7741-Quillon and no other."
TEXT = f"# Ledger\n\nMirador Oswin keeps it.\n\n{LEFT}{GUESS}{RIGHT}\n\nTallow Brigid signs.\n"
WORDS = ("Kestrel", "Umbra", "Zephyr", "Quillon", "Mirador", "Oswin", "Tallow", "Brigid", "renamed.md")
"""They stand in no forged file."""
HONEST = "The ferry to the island leaves twice a day in winter."
ORACLES = ("span", "hash", "contexts", "short", "renamed", "reader", "elsewhere")
"""What the forger would learn by: the quote at its place, the file's hash, what stands beside the quote, ..."""

_PULLING = CAPABILITIES | {
    "textDocument": CAPABILITIES["textDocument"] | {"diagnostic": {}},
    "workspace": CAPABILITIES["workspace"] | {"diagnostics": {"refreshSupport": True}},
}
"""Of an editor that asks for diagnostics itself."""

Seen = dict[tuple[str, str], str]
"""What a front end said, by its name and that of the file that it was about."""


class Place:
    """A home with a workspace in it, and what lies around."""

    def __init__(self, base: Path) -> None:
        self.home = base / "home"
        self.ws = self.home / "ws"
        self.outside = base / "outside"
        self.holders = [self.outside, self.home / "notes", self.home / "ws-evil", self.home / "other", self.home, base]
        for folder in (*self.holders, self.ws / "deep" / "er", self.home / "other" / ".git", self.ws / ".ssh"):
            folder.mkdir(parents=True, exist_ok=True)
        self.holders.append(self.ws / ".ssh")
        (self.ws / "link").symlink_to(self.outside)
        (self.ws / "chain").symlink_to("link")
        (self.ws / "deep" / "out").symlink_to("../../../outside")
        (self.ws / "deep" / "er" / "up").symlink_to("../..")
        (self.ws / SECRET).symlink_to(self.outside / SECRET)
        (self.ws / "whole").symlink_to("/")

    def become(self, world: str) -> None:
        """Make the files of others what this world has; the workspace's own changes, too."""
        for folder in self.holders:
            for name in (SECRET, "renamed.md"):
                (folder / name).unlink(missing_ok=True)
            if world != "gone":
                text = TEXT if world != "otherwise" else TEXT.replace("opens", "never").replace("that. ", "this. ")
                (folder / ("renamed.md" if world == "renamed" else SECRET)).write_text(text)
        told = HONEST.replace("winter", "summer") if world != "guessed" else HONEST
        (self.ws / "inner.md").write_text(f"# Ferry\n\n{told}\n")

    def roots(self) -> list[tuple[str, str]]:
        """Roots and paths that would lead outside if anybody followed them."""
        out, home, base = str(self.outside), str(self.home), str(self.outside.parent)
        ups = "../" * 20
        encoded = out.replace("o", "%6f")
        return [
            *((root, SECRET) for root in (out, home, base, f"{home}/notes", f"{home}/ws-evil", f"{home}/other")),
            (f"{out}/", SECRET),
            (f"{out}/.", SECRET),
            (f"{home}/ws/../../outside", SECRET),
            (f"{home}/ws/link", SECRET),
            *((root, SECRET) for root in ("..", "../..", "../../outside", "../notes", "../other", "../ws-evil")),
            (f"{ups}{out[1:]}", SECRET),
            ("./././../../outside", SECRET),
            ("deep/../../../outside", SECRET),
            ("link/../../outside", SECRET),
            *((root, SECRET) for root in ("link", "chain", "deep/out", "deep/er/up/link", "deep/er/up", ".ssh")),
            *((".", f"{way}/{SECRET}") for way in ("link", "chain", "deep/out", "deep/er/up/link", "..", ".ssh")),
            (".", SECRET),
            (".", f"../../outside/{SECRET}"),
            (".", f"{out}/{SECRET}"),
            (".", f"..\\..\\outside\\{SECRET}"),
            (".", f"%2e%2e/%2e%2e/outside/{SECRET}"),
            (".", f"file://{out}/{SECRET}"),
            (".", f"deep/er/../../../../outside/{SECRET}"),
            *((root, SECRET) for root in ("~", "~/notes", "$HOME/notes", "~root", "%HOME%")),
            *((root, SECRET) for root in (f"file://{out}", f"file://localhost{out}", f"FILE:{out}", "file:///")),
            *((root, SECRET) for root in (encoded, "%2e%2e/%2e%2e/outside", f"file://{encoded}", f"{out}\0", "deep\0")),
            *((root, SECRET) for root in (f"//host{out}", f"\\\\host\\share{out}", f"smb://host{out}")),
            *((root, SECRET) for root in ("C:\\Users\\notes", "C:/outside", "D:", f"\\\\?\\C:{out}", f"/mnt/c{out}")),
            *((root, SECRET) for root in (out.upper(), str(self.ws).upper() + "/../../outside", "LINK", "../NOTES")),
            ("/", f"{out[1:]}/{SECRET}"),
            ("/", f"{home[1:]}/notes/{SECRET}"),
            ("whole", f"{out[1:]}/{SECRET}"),
            (".", f"whole{out}/{SECRET}"),
            (home, f"notes/{SECRET}"),
            (home, f"ws/link/{SECRET}"),
            (base, f"outside/{SECRET}"),
            ("/proc/self/root" + out, SECRET),
            ("/proc/self/cwd", SECRET),
        ]


def forged(place: Place, n: int, rng: random.Random) -> Iterator[tuple[str, str, str, Citation]]:
    """Names, texts and citations of forged files: every place with every guess, as an answer or as a block."""
    start = TEXT.index(GUESS)
    kinds = [(root, path, oracle) for root, path in place.roots() for oracle in ORACLES]
    rng.shuffle(kinds)
    for number in range(n):
        root, path, oracle = kinds[number % len(kinds)]
        first = rng.randrange(0, 8) if number >= len(kinds) else 0
        quote = GUESS[first:] if oracle != "short" else GUESS[first : first + 12]
        at = 3 if oracle == "elsewhere" else start + first
        true = hashlib.sha256(TEXT.encode()).hexdigest()
        citation = Citation(
            root=root,
            path=f"lost-{path}" if oracle == "renamed" and "/" not in path else path,
            source=TextSource.DISK,
            sha256=true if oracle in ("hash", "renamed") else "0" * 64,
            encoding="utf-8",
            reader="plain/0" if oracle == "reader" else "markdown/1",
            span=Span(at, at + len(quote)),
            quote=quote,
            left=LEFT[-16:] if oracle in ("contexts", "short") else "",
            right=RIGHT[:16] if oracle == "contexts" else "",
            count=1,
        )
        name = f"forged-{number}.md"
        yield name, (answer_of(citation) if number % 3 else _block(citation)), oracle, citation


def answer_of(cited: Citation) -> str:
    """An answer file that cites one source."""
    return (
        f'---\nlens: answer/1\nquestion: "What opens it?"\nstatus: answered\nroots: {one_line([cited.root])}\n'
        f"sources:\n- {one_line(source_json(1, 0, cited))}\n---\n# What opens it?\n\nIt opens. [^1]\n\n"
        f"{footnote('1', cited, 5, 'x')}\n"
    )


def _block(cited: Citation) -> str:
    head = {"lens": "answer/1", "question": "What opens it?", "status": "answered"}
    head |= {"roots": [cited.root], "sources": [source_json(1, 0, cited)]}
    return (
        f"# A note\n\n?? What opens it?\n\n<!-- lens:begin a1 {one_line(head)} -->\nIt opens. [^a1-1]\n\n"
        f"{footnote('a1-1', cited, 5, 'x')}\n<!-- lens:end a1 -->\n"
    )


def grouped(front: str, rows: Sequence[tuple[str, object]]) -> Seen:
    """Rows by the file that they are about."""
    found: dict[tuple[str, str], list[object]] = {}
    for name, row in rows:
        found.setdefault((front, os.path.basename(name)), []).append(row)
    return {key: json.dumps(each, sort_keys=True) for key, each in found.items()}


def by_command_line(place: Place) -> Seen:
    """``lens check`` in each of its shapes."""
    seen: Seen = {}
    for shape in ("json", "sarif", "github", "text"):
        shaped = ["--json"] if shape == "json" else ["--format", shape]
        command = [sys.executable, "-m", "lens_lsp", "check", *shaped, "--no-store", "."]
        done = subprocess.run(
            command, cwd=place.ws, env=environment(place.home), capture_output=True, text=True, check=False
        )
        front = f"check {shape}"
        if shape == "json":
            seen |= grouped(front, [(each["file"], each) for each in json.loads(done.stdout)["citations"]])
        elif shape == "sarif":
            results = json.loads(done.stdout)["runs"][0]["results"]
            where = [each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results]
            seen |= grouped(front, list(zip(where, results, strict=True)))
        else:
            lines = [line for line in done.stdout.splitlines() if ".md" in line]
            names = [line.partition("file=")[2] or line for line in lines]
            seen |= grouped(
                front, [(each.partition(".md")[0] + ".md", line) for each, line in zip(names, lines, strict=True)]
            )
        seen[front, "errors"] = done.stderr
    return seen


@contextmanager
def editing(place: Place, folder: Path, options: Mapping[str, object]) -> Iterator[Editor]:
    """An editor in a folder."""
    with Editor(environment(place.home)) as editor:
        editor.begin(folder, capabilities=_PULLING, options=options)
        yield editor


def by_editor(front: str, editor: Editor, place: Place, names: Sequence[str]) -> Seen:
    """All that an editor asks about open texts."""
    seen: Seen = {}
    for name in names:
        path = place.ws / name
        uri = editor.show(path)
        text = editor.texts[uri]
        label = next(each for each in ("[^1]", "[^a1-1]") if each in text)
        here, over = editor.at(uri, label), editor.over(uri, label)
        document = {"textDocument": {"uri": uri}}
        told = len(editor.messages())
        said: dict[str, object] = {
            "hover": editor.result("textDocument/hover", here),
            "definition": editor.result("textDocument/definition", here),
            "references": editor.result("textDocument/references", here | {"context": {"includeDeclaration": False}}),
            "actions": editor.actions(uri, over),
            "lenses": editor.result("textDocument/codeLens", document),
            "diagnostics": editor.result("textDocument/diagnostic", document)["items"],
            "recheck": [
                each["citations"] for each in [editor.result("lens/recheck", {"uri": uri})] if each["citations"]
            ],
        }
        links = editor.result("textDocument/documentLink", document) or []
        said["links"] = [editor.result("documentLink/resolve", each) for each in links]
        said["told"] = editor.messages()[told:]
        seen[front, name] = json.dumps(said, sort_keys=True)
        editor.notify("textDocument/didClose", document)
    return seen


def by_page(desktop: Desktop, place: Place, names: Sequence[str]) -> Seen:
    """What the page asks about answers."""
    seen: Seen = {}
    for name in names:
        uri = (place.ws / name).as_uri()
        said: list[object] = [desktop.rpc("lens/recheck", uri=uri)]
        for method, params in (("lens/answer", {"answer": uri}),):
            reply = desktop.send("POST", "/api/rpc", {"method": method, "params": params})
            said.append([reply.status, reply.body.decode()])
        seen["page", name] = json.dumps(said, sort_keys=True)
    return seen


async def by_agent(place: Place, files: Mapping[str, Citation]) -> Seen:
    """What an agent is told about the same citations."""
    seen: Seen = {}
    async with agent(place.home, place.ws) as client:
        for name, cited in files.items():
            root = os.path.join(place.ws, cited.root)
            for given in ({"path": os.path.join(root, cited.path)}, {"path": cited.path, "folder": cited.root}):
                beside = {"before": cited.left, "after": cited.right, "count": cited.count}
                span = [cited.span.start, cited.span.end]
                one = {**given, "quote": cited.quote, "sha256": cited.sha256, "span": span, "beside": beside}
                result = await client.call_tool("check_citations", {"citations": [one]})
                said = [json.dumps(each.model_dump(mode="json"), sort_keys=True) for each in result.content]
                key = ("agent folder" if "folder" in given else "agent", name)
                seen[key] = json.dumps([said, result.structured_content], sort_keys=True)
    return seen


def by_anybody(place: Place) -> Seen:
    """The control: a check that reads wherever it is told to."""
    report = Report()
    check((place.ws,), report, allowed=ANYWHERE)
    return grouped("control", [(each["file"], each) for each in _citations(report)])


def _citations(report: Report) -> list[dict[str, Any]]:
    found: Any = check_json(report, str)["citations"]
    return list(found)


def differing(worlds: Sequence[Seen]) -> list[tuple[str, str]]:
    """What is not the same in all worlds."""
    keys = {key for world in worlds for key in world}
    return sorted(key for key in keys if len({world.get(key) for world in worlds}) > 1)


@harness(n=500, seed=1)
def main(options: Options) -> Verdict:
    place = Place(options.place)
    files: dict[str, Citation] = {}
    for name, text, _, citation in forged(place, options.n, random.Random(options.seed)):
        (place.ws / name).write_text(text)
        files[name] = citation
    place.become("guessed")
    honest = "honest.md"
    (place.ws / honest).write_text(answer_of(_honest()))
    names = [*files, honest]
    some = [*list(files)[:: max(1, len(files) // 60)], honest]
    worlds: list[Seen] = []
    controls: list[Seen] = []
    trusted: Mapping[str, object] = {"texts": True}
    with (
        editing(place, place.ws, trusted) as editor,
        editing(place, place.home, trusted) as at_home,
        editing(place, Path("/"), trusted) as at_root,
        editing(place, place.ws, {"texts": True, "trusted": False}) as unsure,
        Desktop(environment(place.home), str(place.ws)) as desktop,
    ):
        desktop.enter()
        for world in WORLDS:
            place.become(world)
            seen = by_command_line(place)
            seen |= by_editor("editor", editor, place, names)
            seen |= by_editor("editor at home", at_home, place, some)
            seen |= by_editor("editor at /", at_root, place, some)
            seen |= by_editor("editor untrusted", unsure, place, some)
            seen |= by_page(desktop, place, names)
            seen |= asyncio.run(by_agent(place, files))
            worlds.append(seen)
            controls.append(by_anybody(place))
    sees = {"check json", "check sarif", "check github", "check text", "editor", "page"}
    different = differing(worlds)
    bad = [key for key in different if key[1] != honest or key[0] not in sees]
    blind = sorted(sees - {front for front, name in different if name == honest})
    leaks = sorted({(key, word) for world in worlds for key, text in world.items() for word in WORDS if word in text})
    control = [key for key in differing(controls) if key[1] != honest]
    return {
        "n": len(files),
        "outputs": sum(map(len, worlds)),
        "bad": len(bad) + len(leaks) + len(blind),
        "differ": len(bad),
        "words": len(leaks),
        "fronts": sorted({front for world in worlds for front, _ in world}),
        "blind": blind,
        "wrong": [*map(list, bad[:5]), *(list(key) for key, _ in leaks[:5])],
        "controlBad": len(control),
    }, control


def _honest() -> Citation:
    text = f"# Ferry\n\n{HONEST}\n"
    at = text.index(HONEST)
    digest = hashlib.sha256(text.encode()).hexdigest()
    span = Span(at, at + len(HONEST))
    return Citation(".", "inner.md", TextSource.DISK, digest, "utf-8", "markdown/1", span, HONEST, count=1)


if __name__ == "__main__":
    sys.exit(main())
