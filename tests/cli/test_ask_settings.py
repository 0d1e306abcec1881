"""``lens ask`` by its settings: a real process and a real endpoint on loopback, with files of settings around them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lens_process import Command, assert_one_sentence
from scripted_endpoint import FAR, KEY, assert_no_key, following, settings, stages

from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.judge.llm.chat_session import PROOF, QUESTION, notes

PRICES = "prices = { in = 1_000_000, out = 2_000_000 }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bridges").mkdir()
    return notes(tmp_path / "bridges", more=2)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with in_thread(ChatServer(following())) as running:
        yield running


@pytest.fixture
def config(environment: dict[str, str]) -> Path:
    """The user's own file, where it is looked for."""
    path = Path(environment["HOME"]) / "lens.toml"
    environment["LENS_CONFIG"] = str(path)
    path.write_text("")
    return path


def of_model(base_url: str, more: str = "") -> str:
    return f'[model]\nbaseUrl = "{base_url}"\nname = "any"\n{more}'


def asked(lens: Command, *arguments: str, **options: Any) -> dict[str, Any]:
    outcome = lens("ask", QUESTION, "bridges", "--no-store", "--json", *arguments, **options)
    assert outcome.status in (0, 1), outcome.complaint
    found: dict[str, Any] = json.loads(outcome.out)
    return found


def used(environment: dict[str, str]) -> dict[str, Any]:
    """What one origin was used on the one day that is kept."""
    (kept,) = Path(environment["HOME"]).rglob("usage.json")
    ((origins),) = json.loads(kept.read_text())["days"].values()
    (spent,) = origins.values()
    return dict(spent)


def test_the_users_file_configures_a_model(lens_here: Command, folder: Path, server: ChatServer, config: Path) -> None:
    config.write_text(of_model(server.base_url, "contextTokens = 9000\n"))
    answer = asked(lens_here)
    assert (answer["mode"], answer["status"], answer["ledger"]["endpoint"]) == ("fast", "answered", server.origin)
    assert {request.path for request in server.requests} == {"/v1/chat/completions"}, "the context was told by hand"
    config.write_text('mode = "deep"\n' + of_model(server.base_url))
    assert asked(lens_here)["mode"] == "deep"
    assert asked(lens_here, "--mode", "auto")["mode"] == "fast"


def test_the_users_file_can_switch_a_model_off(
    lens_here: Command, folder: Path, server: ChatServer, config: Path
) -> None:
    config.write_text('mode = "evidence"\n')
    assert asked(lens_here, env=settings(server.base_url))["mode"] == "evidence"
    assert server.connections == 0


OTHERS = {
    ".vscode/settings.json": '{{"lens.model.baseUrl": "{url}", "lens.model.name": "any", "lens.mode": "fast"}}',
    "bridges.code-workspace": '{{"settings": {{"lens.model.baseUrl": "{url}", "lens.model.name": "any"}}}}',
    ".lens.toml": 'mode = "fast"\n[model]\nbaseUrl = "{url}"\nname = "any"\nkeyOrigin = "{url}"\n',
    "pyproject.toml": '[tool.lens.model]\nbaseUrl = "{url}"\nname = "any"\n',
    ".env": "LENS_BASE_URL={url}\nLENS_MODEL=any\nLENS_API_KEY=sk\n",
    ".envrc": "export LENS_BASE_URL={url}\nexport LENS_MODEL=any\n",
    "config.toml": '[model]\nbaseUrl = "{url}"\nname = "any"\n',
}


def test_no_file_of_a_workspace_and_no_variable_of_others_names_an_endpoint(
    lens: Command, lens_here: Command, folder: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S01: a canary on loopback is never connected to."""
    for name, text in OTHERS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text.format(url=server.base_url))
    hostile = {
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": KEY,
        "OPENAI_MODEL": "any",
        "OPENAI_ORG_ID": KEY,
        "OPENAI_PROJECT_ID": KEY,
        "HTTP_PROXY": server.origin,
        "HTTPS_PROXY": server.origin,
        "ALL_PROXY": server.origin,
        "LENS_API_KEY": KEY,
    }
    outcome = lens("ask", QUESTION, "--json", cwd=folder, env=hostile)
    assert json.loads(outcome.out)["mode"] == "evidence"
    assert "model.baseUrl (only the user's own file says that)" in outcome.complaint
    assert_no_key(outcome)
    monkeypatch.chdir(folder)
    for arguments in (["find", "bridge"], ["doctor"], ["ask", QUESTION, "--dry-run"]):
        assert lens_here(*arguments, env=hostile).status == 0
    assert lens_here("ask", QUESTION, "--mode", "fast", env=hostile).status == 2
    assert server.connections == 0
    assert lens("ask", QUESTION, cwd=folder, env=hostile | settings(server.base_url)).status == 0
    assert server.connections > 0, "the canary would have noticed a connection"
    sent = len(server.requests)
    ours = {name: value for name, value in hostile.items() if name != "LENS_API_KEY"}
    ours |= {"LENS_BASE_URL": server.base_url, "LENS_MODEL": "any"}
    assert lens("ask", QUESTION, "--no-store", cwd=folder, env=ours).status == 0
    assert stages(server)[-1] == "read"
    assert "Quillfeather" not in "".join(map(repr, server.requests[sent:])), "no key of others"


def test_a_key_is_not_sent_to_another_origin(
    lens_here: Command, folder: Path, server: ChatServer, config: Path
) -> None:
    """S02: the base URL moves, the key stays."""
    key = {"LENS_API_KEY": KEY}
    for origin in ("", 'keyOrigin = "https://models.invalid"\n', 'keyOrigin = "http://127.0.0.1:9"\n'):
        config.write_text(of_model(server.base_url, origin))
        outcome = lens_here("ask", QUESTION, "bridges", "--no-store", env=key)
        assert outcome.status == 0
        assert "model.keyOrigin" in outcome.complaint
        assert_no_key(outcome)
    assert stages(server)
    assert "Quillfeather" not in "".join(map(repr, server.requests))
    config.write_text(of_model(server.base_url, f'keyOrigin = "{server.origin}"\n'))
    outcome = lens_here("ask", QUESTION, "bridges", "--no-store", env=key)
    assert (outcome.status, outcome.complaint) == (0, "")
    assert "Quillfeather" in repr(server.requests[-1])


def test_a_key_is_in_nothing_that_is_printed_or_kept(
    lens: Command, lens_here: Command, folder: Path, server: ChatServer, config: Path, environment: dict[str, str]
) -> None:
    """S13."""
    config.write_text(of_model(FAR, f'keyOrigin = "{FAR}"\n{PRICES}') + "[budget]\ndailyTokens = 1_000_000\n")
    local = settings(server.base_url)
    for arguments in (
        ["ask", QUESTION, "bridges", "--explain"],
        ["ask", QUESTION, "bridges", "--json"],
        ["ask", QUESTION, "bridges", "--events", "--explain"],
        ["ask", QUESTION, "bridges", "--dry-run", "--json"],
        ["doctor", "bridges"],
        ["doctor", "bridges", "--json"],
        ["consent", "list"],
    ):
        assert_no_key(lens_here(*arguments, env=local))
    other = "When were the carts of mill 1 counted?"
    remote = lens("ask", other, "bridges", "--yes", "--max-calls", "0", env={"LENS_API_KEY": KEY, "LENS_DEBUG": "1"})
    assert remote.status == 1
    assert_no_key(remote)
    assert "Quillfeather" in "".join(map(repr, server.requests)), "it was in use"
    kept = [path for path in Path(environment["HOME"]).rglob("*") if path.is_file()]
    assert {"usage.json", "consent.json"} <= {path.name for path in kept}
    assert not [path for path in [*kept, *folder.rglob("*.md")] if b"Quillfeather" in path.read_bytes()]


def test_prices_make_costs_and_a_limit_of_cost(
    lens_here: Command, folder: Path, server: ChatServer, config: Path, environment: dict[str, str]
) -> None:
    config.write_text(of_model(server.base_url, PRICES))
    ledger = asked(lens_here, "--max-cost", "1000000")["ledger"]
    assert ledger["cost"] == ledger["tokens"]["in"] + 2 * ledger["tokens"]["out"] > 0
    assert used(environment)["cost"] == pytest.approx(ledger["cost"])
    before = len(stages(server))
    stopped = asked(lens_here, "--max-cost", "1")
    assert (stopped["stopped"], stopped["ledger"]["cost"]) == ("budget-cost", 0)
    assert len(stages(server)) == before


@pytest.mark.parametrize(
    ("more", "arguments"),
    [("", ["--max-cost", "1"]), ("[budget]\ncost = 1\n", []), ("", ["--max-cost", "1", "--quiet"])],
)
def test_a_limit_of_cost_without_prices_is_an_error(
    lens_here: Command, folder: Path, server: ChatServer, config: Path, more: str, arguments: list[str]
) -> None:
    config.write_text(of_model(server.base_url) + more)
    outcome = lens_here("ask", QUESTION, "bridges", "--no-store", *arguments)
    assert_one_sentence(outcome, 2)
    assert "model.prices" in outcome.complaint
    assert server.connections == 0


def test_prices_of_another_model_are_none(lens_here: Command, folder: Path, server: ChatServer, config: Path) -> None:
    config.write_text(of_model(server.base_url, PRICES))
    assert (
        lens_here("ask", QUESTION, "bridges", "--no-store", "--max-cost", "1", env={"LENS_MODEL": "dearer"}).status == 2
    )
    assert asked(lens_here, env={"LENS_MODEL": "dearer"})["ledger"]["cost"] is None


def test_a_days_tokens_end_every_further_call(
    lens_here: Command, folder: Path, server: ChatServer, config: Path, environment: dict[str, str]
) -> None:
    """S17."""
    config.write_text(of_model(server.base_url) + "[budget]\ndailyTokens = 100_000\n")
    ledger = asked(lens_here)["ledger"]
    spent = used(environment)
    assert spent == {"calls": ledger["calls"]["total"], "tokens": ledger["tokens"], "cost": None}
    total = sum(ledger["tokens"].values())
    config.write_text(of_model(server.base_url) + f"[budget]\ndailyTokens = {total}\n")
    connections = server.connections
    answer = asked(lens_here)
    assert (answer["status"], answer["stopped"]) == ("answered", "budget-tokens")
    assert PROOF in "".join(item["quote"] for item in answer["evidence"])
    assert answer["ledger"]["calls"]["total"] == 0
    assert f"Of the {total:,} tokens a day of budget.dailyTokens, 0 were left for this question." in answer["warnings"]
    assert server.connections == connections
    assert used(environment) == spent
    assert "budget.dailyTokens" in lens_here("ask", QUESTION, "bridges", "--no-store").complaint
    config.write_text(of_model(server.base_url) + f"[budget]\ndailyTokens = {total + 10}\n")
    answer = asked(lens_here)
    assert (answer["stopped"], answer["ledger"]["calls"]["total"]) == ("budget-tokens", 0)
    assert any(", 10 were left" in warning for warning in answer["warnings"])


def test_a_daily_limit_that_cannot_be_counted_calls_nobody(
    lens_here: Command, folder: Path, server: ChatServer, config: Path, environment: dict[str, str]
) -> None:
    config.write_text(of_model(server.base_url) + "[budget]\ndailyTokens = 100_000\n")
    asked(lens_here)
    (kept,) = Path(environment["HOME"]).rglob("usage.json")
    kept.write_text("{")
    connections = server.connections
    outcome = lens_here("ask", QUESTION, "bridges", "--no-store")
    assert_one_sentence(outcome, 2)
    assert "usage.json" in outcome.complaint
    assert server.connections == connections
    config.write_text(of_model(server.base_url))
    assert asked(lens_here)["status"] == "answered"
    assert used(environment)["calls"] > 0


def test_usage_that_cannot_be_kept_is_told(
    lens_here: Command, folder: Path, server: ChatServer, environment: dict[str, str]
) -> None:
    environment["XDG_DATA_HOME"] = str(folder / "bridges.md")
    outcome = lens_here("ask", QUESTION, "bridges", "--no-store", env=settings(server.base_url))
    assert outcome.status == 0
    assert outcome.complaint.count("usage.json") == 1
    assert lens_here("ask", QUESTION, "bridges", "--no-store", "--quiet", env=settings(server.base_url)).complaint == ""


@pytest.mark.parametrize("limit", [["--max-calls", "0"], []])
def test_where_no_call_is_allowed_the_endpoint_is_not_even_asked_for_its_context(
    lens_here: Command, folder: Path, server: ChatServer, limit: list[str]
) -> None:
    if not limit:
        (folder / ".lens.toml").write_text("budget.calls = 0\n")
    answer = asked(lens_here, *limit, env=settings(server.base_url))
    assert (answer["stopped"], answer["status"]) == ("budget-calls", "answered")
    assert server.connections == 0


def test_a_project_leaves_out_more_and_spends_less(
    lens_here: Command, folder: Path, server: ChatServer, config: Path
) -> None:
    config.write_text("budget.calls = 3\n")
    (folder / ".lens.toml").write_text('exclude = ["bridges.md"]\nbudget.calls = 1\n')
    answer = asked(lens_here, "--max-calls", "2", env=settings(server.base_url))
    assert answer["ledger"]["calls"]["total"] == 1
    assert "bridges.md" not in {document["path"] for document in answer["documents"]}
    assert PROOF not in "".join(map(repr, server.requests))


def test_a_limit_that_cannot_be_understood_keeps_text_on_this_machine(
    lens_here: Command, folder: Path, server: ChatServer
) -> None:
    (folder / ".lens.toml").write_text('exclude = "bridges.md"\n')
    near = lens_here("ask", QUESTION, "bridges", "--no-store", env=settings(server.base_url))
    assert near.status == 0, "on this machine it is only told"
    assert near.complaint.count("exclude is not a list of patterns") == 1
    far = lens_here("ask", QUESTION, "bridges", "--no-store", "--yes", "--quiet", env=settings(FAR))
    assert_one_sentence(far, 2)
    assert "exclude is not a list of patterns" in far.complaint
    assert (
        lens_here("ask", QUESTION, "bridges", "--no-store", "--mode", "evidence", "--quiet", env=settings(FAR)).status
        == 0
    )


def test_notices_come_once_on_standard_error_and_not_with_quiet(lens_here: Command, folder: Path, config: Path) -> None:
    config.write_text("zzz = 1\ncacheMegabytes = 0\n")
    outcome = lens_here("ask", QUESTION, "bridges", "--no-store", "--json")
    assert outcome.complaint.count("zzz") == outcome.complaint.count("cacheMegabytes = 512") == 1
    assert "zzz" not in outcome.text
    assert lens_here("ask", QUESTION, "bridges", "--no-store", "--json", "--quiet").complaint == ""


def test_extra_roots_are_searched_where_no_path_is_named(lens: Command, folder: Path, config: Path) -> None:
    empty = folder.parent / "empty"
    empty.mkdir()
    config.write_text(f'extraRoots = ["{folder}"]\n')
    here = json.loads(lens("ask", QUESTION, "--json", cwd=empty).out)
    assert [Path(root).name for root in here["roots"]] == ["empty", "bridges"]
    assert here["status"] == "answered"
    named = json.loads(lens("ask", QUESTION, ".", "--json", cwd=empty).out)
    assert [Path(root).name for root in named["roots"]] == ["empty"]
