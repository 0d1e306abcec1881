"""Where an agent may look: roots, folders of the command line, both, neither; and no way out of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPDeprecationWarning

from lens_lsp.mcp.calls import bounds_of
from lens_lsp.model.errors import PathRefused
from tests.mcp.mcp_agent import ERAS, Roots, agent, call, failure

QUERY = "the well and the lease"


def paths_of(found: dict[str, list[dict[str, str]]]) -> set[str]:
    return {f"{each['folder']}/{each['path']}" for each in found["citations"]}


def test_roots_and_folders_come_to_what_both_allow(tmp_path: Path) -> None:
    for name in ("a/inner", "b"):
        (tmp_path / name).mkdir(parents=True)
    a, inner, b = tmp_path / "a", tmp_path / "a" / "inner", tmp_path / "b"

    def met(named: list[Path], roots: list[Path] | None) -> set[str]:
        uris = None if roots is None else [each.as_uri() for each in roots]
        return set(bounds_of([str(each) for each in named], uris).paths)

    assert met([a], None) == {str(a)}
    assert met([], [a, b]) == {str(a), str(b)}
    assert met([a], [a, b]) == {str(a)}
    assert met([a], [inner]) == {str(inner)}
    assert met([inner], [a]) == {str(inner)}
    assert met([a, inner], None) == {str(a)}
    assert met([a], [b]) == set()
    assert met([], []) == set()
    assert met([], [tmp_path / "gone"]) == set()
    (tmp_path / "link").symlink_to(b)
    assert met([a], [tmp_path / "link"]) == set()
    assert met([b], [tmp_path / "link"]) == {str(tmp_path / "link")} or met([b], [tmp_path / "link"]) == {str(b)}


def test_no_name_leads_out(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (inside / "note.md").write_text("note")
    (inside / "link").symlink_to(outside)
    (inside / "file.md").symlink_to(outside / "secret.md")
    bounds = bounds_of([str(inside)], None)
    assert bounds.resolved("note.md") == str(inside / "note.md")
    assert bounds.resolved((inside / "note.md").as_uri()) == str(inside / "note.md")
    assert bounds.resolved("note.md", str(inside)) == str(inside / "note.md")
    for name in (
        "../out/secret.md",
        "x/../../out/secret.md",
        "link/secret.md",
        "file.md",
        str(outside / "secret.md"),
        f"{inside}/../out/secret.md",
        (outside / "secret.md").as_uri(),
        f"{inside.as_uri()}/%2e%2e/out/secret.md",
        f"{inside}elsewhere",
        "file://host/note.md",
        "note.md\0",
        "..\\out",
    ):
        with pytest.raises(PathRefused):
            bounds.resolved(name)
    with pytest.raises(PathRefused):
        bounds.resolved("secret.md", str(outside))


@pytest.mark.parametrize("mode", ERAS)
def test_only_roots_are_searched_and_their_changes_are_followed(home: Path, notes: Path, mode: str) -> None:
    async def run() -> None:
        roots = Roots(notes / "deep")
        async with agent(home, notes, mode=mode, list_roots_callback=roots) as client:
            assert paths_of(await call(client, "find_evidence", query=QUERY)) == {str(notes / "deep" / "well.md")}
            outside = str(notes / "contract.md")
            assert "outside" in await failure(client, "read_evidence", path=outside)
            assert "outside" in await failure(client, "find_evidence", query=QUERY, paths=[outside])
            checked = await call(client, "check_citations", citations=[{"path": outside, "quote": "Monthly."}])
            assert checked["citations"][0]["state"] == "broken"
            roots.folders = [notes]
            if mode == "legacy":
                with pytest.warns(MCPDeprecationWarning, match="roots"):
                    await client.send_roots_list_changed()
            found = paths_of(await call(client, "find_evidence", query=QUERY))
            assert {str(notes / "contract.md"), str(notes / "deep" / "well.md")} <= found
            read = await call(client, "read_evidence", path=outside)
            assert read["path"] == "contract.md"
            roots.folders = [home]
            if mode == "legacy":
                with pytest.warns(MCPDeprecationWarning, match="roots"):
                    await client.send_roots_list_changed()
            assert "no folder to search" in await failure(client, "find_evidence", query=QUERY)

    asyncio.run(run())


def test_without_roots_and_folders_it_is_the_current_one(home: Path, notes: Path) -> None:
    async def run() -> None:
        async with agent(home, cwd=notes / "deep") as client:
            assert paths_of(await call(client, "find_evidence", query=QUERY)) == {str(notes / "deep" / "well.md")}

    asyncio.run(run())


def test_links_and_settings_widen_nothing(home: Path, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "well.md").write_text("# Well\n\nThe well of the other yard is 99 m deep.\n")
    (notes / "link").symlink_to(tmp_path / "elsewhere")
    config = tmp_path / "config.toml"
    config.write_text(f'extraRoots = ["{tmp_path / "elsewhere"}"]\n')

    async def run() -> None:
        async with agent(home, notes, env={"LENS_CONFIG": str(config)}) as client:
            found = await call(client, "find_evidence", query="how deep is the well of the other yard", limit=50)
            assert str(notes / "deep" / "well.md") in paths_of(found)
            assert "99 m" not in str(found)
            answer = await call(client, "ask", question="How deep is the well of the other yard?", mode="evidence")
            assert "99 m" not in str(answer)
            for path in ("link/well.md", "link"):
                assert "link is on the way" in await failure(client, "find_evidence", query=QUERY, paths=[path])
            assert "link is on the way" in await failure(client, "read_evidence", path="link/well.md")

    asyncio.run(run())


def test_what_is_known_of_other_folders_is_not_told(home: Path, notes: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "z-elsewhere"
    elsewhere.mkdir()
    (elsewhere / "tower.md").write_text("# Tower\n\nThe tower of the harbour is 41 m high.\n")

    async def known(*folders: Path) -> tuple[str, list[str]]:
        async with agent(home, *folders) as client:
            if len(folders) > 1:
                await call(client, "ask", question="How many files mention the tower?", mode="evidence")
            clusters = await call(client, "list_clusters")
            return str(clusters), [each.uri for each in (await client.list_resources()).resources]

    assert "tower" in asyncio.run(known(notes, elsewhere))[0]  # the control: it is kept with the first folder
    told, resources = asyncio.run(known(notes))
    assert ("tower" in told, resources) == (False, [])
