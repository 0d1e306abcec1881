"""Folders of other machines: as if they lay here, nothing made up passes, nothing is lost without a word.

``ssh`` is here a program that starts what it is told on this machine; tests/app/test_ssh_server.py has a real one.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp import __version__
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Settings
from lens_lsp.app.sharded_lens import ShardedLens, sharded
from lens_lsp.corpus import object_store
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.encoding import LARGE
from lens_lsp.corpus.ssh import FileServer, SshPlace, allow, close_all, connection
from lens_lsp.model.answer import Answer, Answered
from lens_lsp.model.documents import Findings, SkipReason
from lens_lsp.model.errors import LensError, PathRefused, UsageError
from lens_lsp.search import corpus_view
from lens_lsp.search.executors import Machines
from tests.app.test_sharded_lens import QUERY, kettles
from tests.documents_made import mail

CONNECT = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift; shift\nexec "$@"\n'
HOSTILE = """
import os, sys
from lens_lsp.search import shards
from lens_lsp.cli.servers import run_shard
handle = shards.ShardServer.handle
def changed(self, data):
    {body}
shards.ShardServer.handle = changed
run_shard([])
"""
LYING = HOSTILE.format(body="return handle(self, data).replace({was!r}, {said!r})")
DYING = HOSTILE.format(body="os._exit(1) if b'\"PassageStep\"' in data and {when} else None; return handle(self, data)")


class Elsewhere:
    """Another machine: what ``ssh`` and ``lens`` are there."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        programs.mkdir()
        self.program("ssh", CONNECT)
        self.program("lens", f'#!/bin/sh\nexec "{sys.executable}" -P -m lens_lsp "$@"\n')

    def program(self, name: str, text: str) -> None:
        path = self._programs / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def python(self, text: str) -> None:
        """Have ``lens`` be a program of Python."""
        script = self._programs / "lens.py"
        script.write_text(text)
        self.program("lens", f'#!/bin/sh\nexec "{sys.executable}" -P "{script}"\n')


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Elsewhere]:
    programs = tmp_path / "programs"
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    object_store._CACHES.clear()
    yield Elsewhere(programs)
    close_all()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    notes = kettles(tmp_path / "notes", 6)
    (notes / ".env").write_text("KETTLE=copper\n")
    (notes / ".gitignore").write_text("drop.md\n")
    (notes / "drop.md").write_text("The copper kettle that is left out.\n")
    return notes


@pytest.fixture
def here(tmp_path: Path) -> Path:
    own = tmp_path / "here"
    own.mkdir()
    (own / "own.md").write_text("A copper kettle of my own.\n")
    return own


def url_of(folder: Path) -> str:
    return f"ssh://box{folder}"


def find(*paths: str | Path, seconds: float = 120.0) -> Findings:
    named = [str(path) for path in paths]
    allow(named, __version__, CorpusRules(), no_ignore=False)
    lens = ShardedLens(Machines(), named, seconds=seconds)
    try:
        return lens.find(QUERY)
    finally:
        lens.close()


def told(found: Findings) -> Findings:
    """All that is found, without who read it where."""
    evidence = tuple(replace(item, machine=None) for item in found.evidence)
    return replace(found, stages=(), roots=(), evidence=evidence, coverage=replace(found.coverage, shards=()))


def test_folder_elsewhere_is_searched_as_if_it_lay_here_beside_one_that_does(
    elsewhere: Elsewhere, folder: Path, here: Path
) -> None:
    found = find(here, url_of(folder))
    assert told(found) == told(Lens([here, folder]).find(QUERY))
    assert found.roots == (str(here), url_of(folder))
    assert {item.root: item.machine for item in found.evidence} == {0: None, 1: "box"}
    assert {skip.path for skip in found.coverage.skipped} == {".env", "drop.md"}
    assert [part.name.partition(" (")[0] for part in found.coverage.shards] == ["this machine", url_of(folder)]


def test_question_is_answered_from_what_is_sent(elsewhere: Elsewhere, folder: Path) -> None:
    question = "in which hall does the copper kettle number 3 stand?"

    async def answer(path: str) -> Answer:
        return [event.answer async for event in Lens([path]).ask(question) if isinstance(event, Answered)][-1]

    allow([url_of(folder)], __version__, CorpusRules(), no_ignore=False)
    there, local = asyncio.run(answer(url_of(folder))), asyncio.run(answer(str(folder)))
    assert [(e.path, e.quote, e.span, e.origin) for e in there.evidence] == [
        (e.path, e.quote, e.span, e.origin) for e in local.evidence
    ]
    assert there.evidence
    assert there.text == local.text
    assert there.coverage.skipped == local.coverage.skipped


@pytest.mark.parametrize("was", ['"quote":"# Note', '"sha256":"', '"path":"note ', '"root":0'])
def test_quote_that_a_machine_made_up_is_left_out(elsewhere: Elsewhere, folder: Path, here: Path, was: str) -> None:
    """The other tests are the control: a machine that says what stands there is believed."""
    elsewhere.python(LYING.format(was=was.encode(), said=was[:-1].encode() + b"x"))
    found = find(here, url_of(folder))
    assert [item.path for item in found.evidence] == ["own.md"]
    assert found.warnings


def find_all(url: str) -> Findings:
    """What is found once every document was read: a busy machine does not come to all at the first question."""
    allow([url], __version__, CorpusRules(), no_ignore=False)
    with closing(ShardedLens(Machines(), [url])) as lens:
        while (found := lens.find(QUERY)).coverage.unread:
            continue
        return found


def _mail(folder: Path) -> tuple[str, bytes]:
    said = "The copper kettle was sold to the mill."
    (folder / "sold.eml").write_bytes(mail("The copper kettle", "Fri, 01 Mar 2024 10:00:00 +0000", said))
    return "sold.eml", b"was sold to the mill"


def _large(folder: Path) -> tuple[str, bytes]:
    line = "Nothing of interest is said in this line, and nothing in the next one either.\n"
    lines = [line] * (LARGE // len(line) + 2)
    lines[len(lines) // 2] = "\nWhere is the copper kettle? It was sold to the mill.\n\n"
    (folder / "log.txt").write_text("".join(lines))
    return "log.txt", b"was sold to the mill"


@pytest.mark.parametrize("put", [_mail, _large])
def test_quote_of_a_document_or_large_text_that_a_machine_made_up_is_left_out(
    elsewhere: Elsewhere, folder: Path, put: Callable[[Path], tuple[str, bytes]]
) -> None:
    path, was = put(folder)
    honest = find_all(url_of(folder))
    assert told(honest) == told(Lens([folder], first=60.0).find(QUERY))
    assert [item.path for item in honest.evidence if was.decode() in item.quote] == [path]
    assert not honest.warnings
    elsewhere.python(LYING.format(was=was, said=b"was lent to the mill"))
    close_all()
    found = find_all(url_of(folder))
    assert not any("was lent" in item.quote for item in found.evidence)
    assert f"{path}: a quote that does not stand there was left out" in found.warnings
    assert found.evidence, "what was not made up stays"


@pytest.mark.parametrize("put", [_mail, _large])
def test_what_is_too_large_to_be_sent_is_said_to_be_compared_by_that_machine_alone(
    elsewhere: Elsewhere, folder: Path, put: Callable[[Path], tuple[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, was = put(folder)
    monkeypatch.setattr(corpus_view, "_MOST_SENT", 100)
    found = find_all(url_of(folder))
    assert [item.path for item in found.evidence if was.decode() in item.quote] == [path]
    assert found.warnings == (f"{path}: its quotes were compared on box alone: it has more than 0 MiB",)


def test_document_that_another_reader_read_there_is_said_to_be_compared_by_that_machine_alone(
    elsewhere: Elsewhere, folder: Path
) -> None:
    path, _ = _mail(folder)
    elsewhere.python(LYING.format(was=b'"reader":"eml/', said=b'"reader":"eml/another '))
    found = find_all(url_of(folder))
    assert path in {item.path for item in found.evidence}
    assert [warning.partition(": eml/another ")[0] for warning in found.warnings] == [
        f"{path}: its quotes were compared on box alone"
    ]


def test_machine_with_another_version_is_named_and_what_to_do(elsewhere: Elsewhere, folder: Path, here: Path) -> None:
    elsewhere.python(
        "import lens_lsp\nlens_lsp.__version__ = '0.0.9'\nfrom lens_lsp.cli.servers import run_shard\nrun_shard([])"
    )
    found = find(here, url_of(folder))
    assert [item.path for item in found.evidence] == ["own.md"]
    assert found.coverage.shards[1].name == url_of(folder)
    assert f"install lens-lsp {__version__} on box" in str(found.coverage.shards[1].lost)
    assert [s.path for s in found.coverage.skipped if s.reason is SkipReason.NO_ANSWER] == [url_of(folder)]
    with pytest.raises(LensError, match=r"0\.0\.9"):
        find(url_of(folder))


@pytest.mark.parametrize(
    ("program", "text", "said"),
    [
        ("lens", "#!/bin/sh\nexit 127\n", "there is no lens there; install lens-lsp"),
        ("lens", "#!/bin/sh\necho 'lens: there is no command shard' >&2\nexit 2\n", "there is no command shard"),
        ("lens", "#!/bin/sh\necho Welcome to box\nsleep 1000\n", "what is no message"),
        ("ssh", "#!/bin/sh\necho 'Permission denied (publickey).' >&2\nexit 255\n", "Permission denied"),
        ("ssh", "#!/bin/sh\nexec sleep 1000\n", "did not answer in time"),
    ],
)
def test_machine_that_cannot_be_reached_is_named_within_the_time(
    elsewhere: Elsewhere, folder: Path, here: Path, program: str, text: str, said: str
) -> None:
    elsewhere.program(program, text)
    begun = time.monotonic()
    found = find(here, url_of(folder), seconds=40.0)
    assert time.monotonic() - begun < 40
    assert [item.path for item in found.evidence] == ["own.md"]
    assert said in str(found.coverage.shards[1].lost)


@pytest.mark.parametrize("always", [True, False])
def test_machine_that_dies_in_the_middle_is_asked_again_once(
    elsewhere: Elsewhere, folder: Path, here: Path, tmp_path: Path, always: bool
) -> None:
    first = f"not os.path.exists({str(tmp_path / 'died')!r}) and not open({str(tmp_path / 'died')!r}, 'w').close()"
    elsewhere.python(DYING.format(when="True" if always else first))
    found = find(here, url_of(folder))
    if always:
        assert [item.path for item in found.evidence] == ["own.md"]
        assert "the connection to box ended" in str(found.coverage.shards[1].lost)
    else:
        assert told(found) == told(Lens([here, folder]).find(QUERY))


def test_machine_that_is_stopped_is_connected_to_again(elsewhere: Elsewhere, folder: Path, here: Path) -> None:
    paths = [str(here), url_of(folder)]
    allow(paths, __version__, CorpusRules(), no_ignore=False)
    lens = ShardedLens(Machines(), paths, seconds=60.0)
    lens.find(QUERY)
    process = connection(paths[1]).process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    begun = time.monotonic()
    found = lens.find(QUERY)
    lens.close()
    assert time.monotonic() - begun < 60
    assert told(found) == told(Lens([here, folder]).find(QUERY))


@pytest.mark.parametrize(
    "url",
    [
        "ssh://-oProxyCommand=touch/notes",
        "ssh://-l@box/notes",
        "ssh://box",
        "ssh://box/",
        "ssh://user:password@box/notes",
        "ssh://box:port/notes",
        "ssh://box/notes/../other",
        "ssh://b ox/notes",
        "ssh://box;ls/notes",
        "ssh://$(ls)/notes",
        "ssh://box/no\ntes",
    ],
)
def test_url_that_could_mean_something_else_is_refused(url: str) -> None:
    with pytest.raises(PathRefused):
        allow([url], __version__, CorpusRules(), no_ignore=False)


def test_parts_of_a_url_are_no_options(elsewhere: Elsewhere) -> None:
    place = SshPlace.of("ssh://anna@box.example:2222/~/notes")
    assert place.command[1:] == [
        "-T",
        "-o",
        "BatchMode=yes",
        "-p",
        "2222",
        "-l",
        "anna",
        "--",
        "box.example",
        "lens",
        "shard",
    ]
    assert place.path == "~/notes"
    assert SshPlace.of("ssh://[::1]/notes").host == "::1"


def test_nobody_but_the_command_line_names_a_machine(
    elsewhere: Elsewhere, folder: Path, here: Path, tmp_path: Path
) -> None:
    elsewhere.program("ssh", f"#!/bin/sh\ntouch {tmp_path}/connected\n")
    (here / ".lens.toml").write_text(f'extraRoots = ["{url_of(folder)}"]\n')
    (here / "more.md").write_text(f"See [note]({url_of(folder)}/note 1.md) for the copper kettle.\n")
    assert Lens([here]).find(QUERY).roots == (str(here),)
    with pytest.raises(PathRefused, match="where it is typed"):
        Lens([url_of(folder)])
    assert not (tmp_path / "connected").exists()


def test_no_variable_of_ours_is_for_the_other_machine(
    elsewhere: Elsewhere, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENS_API_KEY", "canary")
    monkeypatch.setenv("KETTLE", "copper")
    elsewhere.program("ssh", f"#!/bin/sh\nenv > {tmp_path}/variables\nexit 255\n")
    with pytest.raises(LensError):
        find(url_of(folder))
    said = (tmp_path / "variables").read_text()
    assert "canary" not in said
    assert "KETTLE=copper" in said


def test_only_what_the_rules_let_be_searched_is_sent(folder: Path) -> None:
    rules = CorpusRules(exclude=("note 5.md",))
    (folder.parent / "secret.md").write_text("outside")
    server = FileServer(str(folder), rules, lambda path: False)

    def ask(**request: object) -> dict[str, object]:
        reply: dict[str, object] = json.loads(server.handle(json.dumps(request).encode()))
        return reply

    refused = (".env", "drop.md", "note 5.md", "../secret.md", "/etc/passwd", "", ".")
    assert ask(files="look", path="note 1.md") == {"reason": "missing"}, "nothing was listed"
    listed = ask(files="list")
    entries = listed["entries"]
    assert isinstance(entries, list)
    assert [entry[0] for entry in entries] == [".gitignore", *(f"note {n}.md" for n in range(5))]
    for path in refused:
        assert ask(files="look", path=path) == {"reason": "missing"}
        assert ask(files="read", ranges=[[path, 0, 10]]) == {"parts": [{"reason": "missing"}]}
    assert "entry" in ask(files="look", path="note 1.md")
    (folder / "note 1.md").unlink()
    (folder / "note 1.md").symlink_to(folder.parent / "secret.md")
    assert ask(files="read", ranges=[["note 1.md", 0, 10]]) == {"parts": [{"reason": "link"}]}
    for wrong in ({"files": "eval"}, {"files": "look", "path": 1}, {"files": "read", "ranges": [[]]}):
        assert "reason" in ask(**wrong)


def test_rules_of_both_machines_leave_out(elsewhere: Elsewhere, folder: Path, tmp_path: Path) -> None:
    (folder / ".lens.toml").write_text('exclude = ["note 4.md"]\n')
    rules = CorpusRules(exclude=("note 5.md", "!note 4.md", "!.env"))
    allow([url_of(folder)], __version__, rules, no_ignore=True)
    lens = ShardedLens(Machines(), [url_of(folder)], rules=rules)
    skipped = {skip.path: skip.reason.value for skip in lens.find(QUERY).coverage.skipped}
    lens.close()
    assert skipped == {".env": "denied", "note 4.md": "ignored", "note 5.md": "ignored"}


def test_names_that_are_no_text_and_texts_that_are_no_unicode(elsewhere: Elsewhere, folder: Path) -> None:
    os.rename(os.fsencode(folder / "note 3.md"), os.fsencode(folder) + b"/gr\xf6sse.md")
    (folder / "note 4.md").write_bytes("The copper kettle of the Königin.\n".encode("latin-1"))
    found = find(url_of(folder))
    assert told(found) == told(Lens([folder]).find(QUERY))
    assert {"gr\ufffdsse.md", "note 4.md"} <= {item.path for item in found.evidence}
    assert [item.origin.guessed for item in found.evidence if item.path == "note 4.md"] == [True]


def test_parts_are_no_matter_of_other_machines(elsewhere: Elsewhere, folder: Path) -> None:
    with pytest.raises(UsageError, match="--parts is for folders of this machine"):
        sharded([url_of(folder)], CorpusRules(), Settings(), 2)


def test_a_file_and_a_missing_folder_are_refused_there(elsewhere: Elsewhere, folder: Path) -> None:
    for path in (folder / "note 1.md", folder / "gone"):
        with pytest.raises(LensError, match="is no folder there"):
            find(url_of(path))


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import os, sys; sys.stdin.buffer.read(9); os._exit(2)", f"install lens-lsp {__version__} on box"),
        (
            """
import os
from lens_lsp.cli.servers import run_shard
from lens_lsp.corpus import ssh
ssh.FileServer._part = lambda *_: os._exit(1)
run_shard([])
""",
            "",
        ),
    ],
)
def test_question_of_a_machine_that_dies_ends_and_says_so(
    elsewhere: Elsewhere, folder: Path, here: Path, program: str, said: str
) -> None:
    elsewhere.python(program)
    paths = [str(here), url_of(folder)]
    allow(paths, __version__, CorpusRules(), no_ignore=False)

    async def answer() -> Answer:
        events = Lens(paths).ask("what is said of a copper kettle of my own?")
        return [event.answer async for event in events if isinstance(event, Answered)][-1]

    found = asyncio.run(answer())
    assert {item.path for item in found.evidence} == {"own.md"}
    assert {(skip.root, skip.reason) for skip in found.coverage.skipped} >= {(1, SkipReason.NO_ANSWER)}
    assert said in " ".join(found.warnings)
