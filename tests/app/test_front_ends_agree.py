"""The same settings and question come to the same judge, mode, budget, consent, prices and meter at every front end.

What each of them does is seen from outside: by an endpoint on loopback that is really asked, and by `usage.json`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.app.configuration import searched
from lens_lsp.app.consent import folders_of, missing
from lens_lsp.app.settings import Request, Settings
from lens_lsp.memory.userdata import Consents, consent_file
from tests.app.front_ends import BARE, LIBRARY, Agent, CommandLine, Editor, FrontEnd, Page, Told, asked
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.judge.llm.chat_session import QUESTION, notes, served

KEY = "sk-canary-Quillfeather-0123456789"
FAR = "https://models.invalid/v1"
PRICES = "prices = { in = 1.0, out = 2.0 }\n"


@dataclass(frozen=True)
class Case:
    """What the user's file and the project say, the mode that comes with the question, and what that comes to."""

    user: str = ""
    """After the model, whose key belongs to it."""
    project: str = ""
    mode: str | None = None
    comes_to: Mapping[str, Any] = field(default_factory=dict)
    calls: int = 1
    warning: str = ""
    key: str = 'keyOrigin = "{url}"\n'
    model: str = ""
    """More of it."""


CASES = {
    "a model": Case(comes_to={"mode": "fast", "stopped": "covered"}),
    "prices": Case(model=PRICES, comes_to={"mode": "fast"}),
    "a mode that was chosen": Case(mode="deep", comes_to={"mode": "deep"}, calls=4),
    "the user's mode": Case('mode = "evidence"\n', comes_to={"mode": "evidence"}, calls=0),
    "the user's tokens": Case(
        "[budget]\ntokens = 500\n",
        comes_to={"stopped": "budget-tokens"},
        calls=0,
        warning="Set budget.tokens above 500 in your own file of settings",
    ),
    "a project above the folder": Case(project="[budget]\ncalls = 0\n", comes_to={"stopped": "budget-calls"}, calls=0),
    "a project that would raise": Case(
        "[budget]\ncalls = 0\n", "[budget]\ncalls = 9\n", comes_to={"stopped": "budget-calls"}, calls=0
    ),
    "the tokens of a day": Case(
        "[budget]\ndailyTokens = 400\n",
        comes_to={"stopped": "budget-tokens"},
        calls=0,
        warning="Of the 400 tokens a day of budget.dailyTokens",
    ),
    "a key of another origin": Case(
        key=f'keyOrigin = "{FAR}"\n', comes_to={"mode": "fast"}, warning="LENS_API_KEY belongs to another origin"
    ),
    "a limit of cost without prices": Case("[budget]\ncost = 1.0\n", comes_to={"mode": "refused"}, calls=0),
}


class House:
    """A folder below its workspace, settings of its user, an endpoint, and all front ends about them."""

    def __init__(self, place: Path, endpoint: ChatServer, stack: ExitStack) -> None:
        self.endpoint = endpoint
        self.workspace = place / "work"
        folder = notes(_made(self.workspace / "notes"), more=2)
        (self.workspace / ".git").mkdir()
        self._config = place / "config.toml"
        self._config.write_text("")
        env = {"LENS_CONFIG": str(self._config), "LENS_API_KEY": KEY}
        homes = iter([_made(place / f"home-{number}") for number in range(6)])
        self.front_ends: dict[str, FrontEnd] = {
            "command line": CommandLine(next(homes), folder, env),
            "library": CommandLine(next(homes), folder, env, LIBRARY),
            "language server": Editor(next(homes), folder, env, stack),
            "agent": Agent(next(homes), folder, env, stack),
            "page": Page(next(homes), folder, env, stack),
        }
        self.bare = CommandLine(next(homes), folder, env | {"LENS_TEST_ENDPOINT": endpoint.base_url}, BARE)

    def settle(self, case: Case, url: str | None = None) -> None:
        url = url or self.endpoint.base_url
        key = case.key.format(url=url)
        self._config.write_text(
            f'{case.user if case.user.startswith("mode") else ""}[model]\nbaseUrl = "{url}"\nname = "any"\n{key}'
            f"{case.model}{'' if case.user.startswith('mode') else case.user}"
        )
        (self.workspace / ".lens.toml").write_text(case.project)

    def all(self, question: str, mode: str | None = None) -> dict[str, Told]:
        return {name: asked(front, self.endpoint, question, mode) for name, front in self.front_ends.items()}


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with in_thread(ChatServer(served())) as endpoint, ExitStack() as stack:
        yield House(tmp_path_factory.mktemp("house"), endpoint, stack)


def differing(told: Mapping[str, Told]) -> dict[str, dict[str, object]]:
    """What front ends do not agree on."""
    names = [each.name for each in fields(Told) if each.compare]
    found = {name: {who: getattr(each, name) for who, each in told.items()} for name in names}
    return {name: values for name, values in found.items() if len({repr(value) for value in values.values()}) > 1}


@pytest.mark.parametrize("name", CASES)
def test_front_ends_agree(house: House, name: str) -> None:
    case = CASES[name]
    house.settle(case)
    told = house.all(f"{QUESTION} Case: {name}.", case.mode)
    assert differing(told) == {}
    one = told["library"]
    assert {each: getattr(one, each) for each in case.comes_to} == dict(case.comes_to), one
    assert len(one.requests) == case.calls
    assert any(case.warning in each for each in one.warnings) or not case.warning
    assert (KEY in "".join(one.requests)) == (case.calls > 0 and "{url}" in case.key)
    if case.calls:
        assert one.used is not None
        assert (one.used["calls"], one.used["cost"] is not None) == (case.calls, bool(case.model))


def test_a_program_that_puts_a_question_together_itself_does_not_agree(house: House) -> None:
    """The control."""
    found: dict[str, set[str]] = {}
    for name in ("a model", "the user's mode", "the user's tokens", "the tokens of a day", "prices"):
        house.settle(CASES[name])
        question = f"{QUESTION} Control: {name}."
        library = asked(house.front_ends["library"], house.endpoint, question)
        found[name] = set(differing({"library": library, "bare": asked(house.bare, house.endpoint, question)}))
    assert "used" in found["a model"]
    assert "used" in found["prices"]
    assert "mode" in found["the user's mode"]
    assert "requests" in found["the user's tokens"]
    assert "requests" in found["the tokens of a day"]


def test_without_consent_nothing_is_sent_by_any(house: House) -> None:
    house.settle(Case(), FAR)
    told = house.all(f"{QUESTION} Without consent.")
    assert {who: each.mode for who, each in told.items()} == {
        "command line": "refused",
        "library": "refused",
        "language server": "refused",
        "agent": "evidence",  # which says so: an agent goes on with what it gets
        "page": "refused",
    }
    assert all("consent" in each.why or "may not be sent" in each.why for who, each in told.items() if who != "agent")
    assert any("has not consented" in warning for warning in told["agent"].warnings)
    assert {repr(each.used) for each in told.values()} == {"None"}


def test_consent_of_the_command_line_is_known_to_all(house: House) -> None:
    """Given for the workspace by `lens ask --yes`, which the folder that the others have open is a part of."""
    house.settle(Case(), FAR)
    first, *others = house.front_ends.values()
    assert isinstance(first, CommandLine)
    first.consent(QUESTION)
    [kept] = first.home.rglob("consent.json")
    for other in others:
        place = other.home / kept.relative_to(first.home)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(kept, place)
    told = house.all(f"{QUESTION} With consent.")
    assert differing(told) == {}
    assert {(each.mode, each.stopped) for each in told.values()} == {("fast", "model-failed")}


def test_a_limit_that_is_not_understood_keeps_everything_here(house: House) -> None:
    house.settle(Case('[budget]\ntokens = "many"\n'), FAR)
    told = house.all(f"{QUESTION} A broken limit.")
    assert differing(told) == {}
    assert {each.mode for each in told.values()} == {"refused"}
    assert all("a limit may be missing" in each.why for each in told.values())


def test_consent_covers_its_folder_and_what_lies_in_the_same_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    work, notes_, other = (tmp_path / "work", tmp_path / "work" / "notes", tmp_path / "work" / "other")
    for folder in (notes_, other / ".git"):
        folder.mkdir(parents=True)
    (work / ".git").mkdir()
    origin = "https://models.invalid"
    folders = [str(each.resolve()) for each in (work, notes_, other)]
    assert missing(origin, folders) == tuple(folders)
    Consents(consent_file()).record(str(notes_.resolve()), origin)
    assert missing(origin, folders) == (str(work.resolve()), str(other.resolve()))
    Consents(consent_file()).record(str(work.resolve()), origin)
    assert missing(origin, folders) == (str(other.resolve()),), "a workspace of its own"
    assert missing("https://other.invalid", folders) == tuple(folders)


def test_what_is_always_searched_needs_consent_too(tmp_path: Path) -> None:
    settings = Settings(extra_roots=(str(tmp_path / "always"),))
    (tmp_path / "always").mkdir()
    assert str((tmp_path / "always").resolve()) in folders_of(searched(Request("?"), settings)[0])
    assert folders_of(searched(Request("?", (str(tmp_path),)), settings)[0]) == (str(tmp_path.resolve()),)


def test_consent_is_needed_for_the_innermost_open_folder_else_for_the_folder_itself(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    inner, beside = top / "work" / "inner", top / "work-2"
    for folder in (inner, beside):
        folder.mkdir(parents=True)
        (folder / "note.md").write_text("A note.\n")
    (top / "link").symlink_to(top / "work")
    (inner / "away.md").symlink_to(beside / "note.md")
    opened = [str(top / "link"), str(inner)]
    asked = {
        top / "work": top / "work",
        top / "link" / "inner" / "note.md": inner,
        inner: inner,
        beside / "note.md": beside,
        inner / "away.md": beside,
        beside / "not-saved.md": beside,
    }
    assert {path: folders_of([str(path)], opened) for path in asked} == {
        path: (str(folder),) for path, folder in asked.items()
    }
    assert folders_of(map(str, asked), opened) == tuple(map(str, (top / "work", inner, beside)))
    assert folders_of([str(inner / "note.md")]) == (str(inner),)
