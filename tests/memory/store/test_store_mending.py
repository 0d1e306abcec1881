"""Broken, foreign, newer and half-exchanged files: what is saved from them, what is said, what is left alone."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_rows import LAYOUT, PAGE_SIZE, SUMMARIES, TOTALS, Changes, row_sum
from tests.memory.store.corruption import another_application, foreign_journal, hostile_schema, made_up_journal
from tests.memory.store.kept import fact_key, kept, kept_summary, kept_turn, question_key

CLUSTERS = tuple(kept(n) for n in range(8))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with some clusters, closed."""
    with Store.open(tmp_path / "store") as store:
        store.save(Changes(CLUSTERS, (), (kept_summary(1),), (kept_turn(1),)))
    return tmp_path / "store"


def file_of(folder: Path) -> Path:
    return folder / "knowledge.db"


def run(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def put_aside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("knowledge.corrupt-*.db"))


def flip(path: Path, text: bytes) -> None:
    """Change one letter of a text that stands in a file."""
    content = path.read_bytes()
    assert text in content
    path.write_bytes(content.replace(text, text[:-1] + bytes([text[-1] ^ 1]), 1))


def test_a_damaged_row_is_never_returned_and_the_rest_is_saved_into_a_new_file(folder: Path) -> None:
    flip(file_of(folder), kept(3).citations[3][1].sha256.encode())
    with Store.open(folder, clock=lambda: 1_800_000_000.0) as store:
        assert store.notices == ()  # nothing was looked at yet
        found = {cluster.id: cluster for cluster in store.clusters()}
        assert put_aside(folder) == ["knowledge.corrupt-20270115T080000Z.db"]
        (told,) = store.notices
        assert "8 clusters were saved, 1 of them in part, 0 were lost" in told
        assert "knowledge.corrupt-20270115T080000Z.db" in told
        assert {(each.table, each.name) for each in store.damage} == {("citations", "k3"), ("clusters", "k3")}
        assert found["k3"].facts == kept(3).facts[:2]
        assert [found[cluster.id] for cluster in CLUSTERS if cluster.id != "k3"] == [
            cluster for cluster in CLUSTERS if cluster.id != "k3"
        ]
        assert store.health().problems == ()
        assert store.health().corrupt == ("knowledge.corrupt-20270115T080000Z.db",)
    with Store.open(folder) as store:
        assert store.notices == ()


def test_what_rests_on_a_lost_citation_goes_with_it(folder: Path) -> None:
    flip(file_of(folder), kept(2).citations[0][1].sha256.encode())
    with Store.open(folder) as store:
        cluster = store.cluster("k2")
    assert cluster is not None
    assert [id_ for id_, _ in cluster.citations] == ["c2-1", "c2-2", "c2-3"]
    assert cluster.facts == kept(2).facts[1:]
    assert cluster.asked == ()


def test_a_cluster_whose_own_row_is_lost_lives_on_by_its_parts(folder: Path) -> None:
    run(file_of(folder), "UPDATE clusters SET hits = 77 WHERE id = 'k5'")
    with Store.open(folder) as store:
        cluster = store.cluster("k5")
    assert cluster is not None
    assert (cluster.facts, cluster.citations, cluster.asked) == (kept(5).facts, kept(5).citations, kept(5).asked)
    assert cluster.hits == 0


@pytest.mark.parametrize("table", ["clusters", "asked", "facts", "citations", "links", "summaries", "turns", "totals"])
def test_a_row_that_vanished_is_missed(folder: Path, table: str) -> None:
    run(file_of(folder), f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
    with Store.open(folder) as store:
        store.clusters(), store.summaries(), store.turns("main")
        assert store.notices
        assert store.damage


def test_a_damaged_lookup_finds_nothing_rather_than_something_else(folder: Path) -> None:
    run(file_of(folder), f"UPDATE asked SET key = '{question_key(1)}' WHERE cluster = 'k2'")
    run(file_of(folder), f"UPDATE facts SET cluster = 'k1' || cluster WHERE key = '{fact_key(4)}'")
    with Store.open(folder) as store:
        assert store.by_question(question_key(1)) == ("k1",)
        assert store.by_question(question_key(2)) == ()
        assert store.by_fact(fact_key(4)) == ()
        assert store.notices


def test_damage_that_is_met_while_saving_is_mended_and_the_save_done(folder: Path) -> None:
    flip(file_of(folder), kept(3).citations[3][1].sha256.encode())
    with Store.open(folder) as store:
        store.update(lambda knowledge: Changes(clusters=(replace(kept(1), hits=len(knowledge.clusters())),)))
        assert store.notices
        assert [cluster.hits for cluster in store.clusters() if cluster.id == "k1"] == [8]


@pytest.mark.parametrize(
    "content",
    [b"", bytes(8 * PAGE_SIZE), b"This is no database.\n" * 1_000, b"SQLite format 3\0" + os.urandom(PAGE_SIZE * 3)],
    ids=["empty", "zeros", "text", "noise"],
)
def test_what_is_no_store_is_put_aside_unchanged_and_a_new_one_begun(folder: Path, content: bytes) -> None:
    file_of(folder).write_bytes(content)
    with Store.open(folder) as store:
        assert store.clusters() == ()
        assert "an unknown number were lost" in store.notices[0]
        store.save(Changes(CLUSTERS))
    (name,) = put_aside(folder)
    assert (folder / name).read_bytes() == content


@pytest.mark.parametrize("seed", range(12))
def test_triggers_and_views_never_run(folder: Path, seed: int) -> None:
    hostile_schema(file_of(folder), b"", random.Random(seed))
    with Store.open(folder) as store:
        assert store.notices
        store.save(Changes((kept(1, revision=1),)))
        assert store.cluster("k1") == kept(1, revision=1)
        assert store.cluster("k0") == kept(0)
        assert store.health().problems == ()
    assert len(put_aside(folder)) == 1


def test_a_file_of_another_application_is_put_aside_with_all_it_holds(folder: Path) -> None:
    another_application(file_of(folder), b"", random.Random(1))
    content = file_of(folder).read_bytes()
    with Store.open(folder) as store:
        assert store.clusters() == CLUSTERS
    assert [(folder / name).read_bytes() for name in put_aside(folder)] == [content]


@pytest.mark.parametrize("journal", [foreign_journal, made_up_journal])
def test_the_journal_of_another_file_costs_nothing(folder: Path, tmp_path: Path, journal: Callable[..., None]) -> None:
    with Store.open(tmp_path / "another") as store:
        store.save(Changes(tuple(kept(n, revision=5, parts=9) for n in range(20))))
        other = store.path.read_bytes()
    journal(file_of(folder), other, random.Random(3))
    assert os.stat(f"{file_of(folder)}-journal").st_size > 0
    with Store.open(folder) as store:
        assert store.clusters() == CLUSTERS
        assert store.health().problems == ()
        told = bool(store.notices)
    assert told == bool(put_aside(folder))
    assert sorted(path.name for path in folder.iterdir() if "before-rollback" in path.name) == []


def test_a_header_that_forbids_to_write_is_mended_when_something_is_saved(folder: Path) -> None:
    content = bytearray(file_of(folder).read_bytes())
    content[18] = 77
    file_of(folder).write_bytes(content)
    with Store.open(folder) as store:
        assert store.clusters() == CLUSTERS
        store.save(Changes((kept(9),)))
        assert store.clusters() == (*CLUSTERS, kept(9))
        assert "8 clusters were saved, 0 of them in part, 0 were lost" in store.notices[0]


def test_a_newer_file_is_not_touched_and_one_beside_it_is_used(folder: Path) -> None:
    run(file_of(folder), "CREATE TABLE new_things(x); PRAGMA user_version = 9")
    content = file_of(folder).read_bytes()
    with Store.open(folder) as store:
        assert "newer version" in store.notices[0]
        assert store.clusters() == ()
        store.save(Changes((kept(1),)))
        assert store.path.name == f"knowledge.v{LAYOUT.version}.db"
        assert store.forget(["k1"]).clusters == ("k1",)
        assert any("was left alone" in told for told in store.notices)
        store.save(Changes((kept(2),)))
    with Store.open(folder) as store:
        assert store.clusters() == (kept(2),)
    assert file_of(folder).read_bytes() == content


def test_a_file_that_becomes_newer_while_it_is_open_is_let_go(folder: Path) -> None:
    with Store.open(folder) as store:
        assert len(store.clusters()) == 8
        run(file_of(folder), "PRAGMA user_version = 9")
        content = file_of(folder).read_bytes()
        store.save(Changes((kept(20),)))
        assert store.clusters() == (kept(20),)
        assert "newer version" in store.notices[0]
    assert file_of(folder).read_bytes() == content


def test_a_value_of_a_newer_program_is_left_out_and_the_file_left_alone(folder: Path) -> None:
    strange = (b"", b"strange.md", b"\xff no text", b"x")
    with closing(sqlite3.connect(file_of(folder), isolation_level=None)) as connection:
        connection.execute(SUMMARIES.insert, (*strange, row_sum(SUMMARIES, strange)))
        old = connection.execute("SELECT rows, digest FROM totals WHERE name = 'summaries'").fetchone()
        digest = bytes(a ^ b for a, b in zip(old[1], row_sum(SUMMARIES, strange), strict=True))
        total = (b"summaries", old[0] + 1, digest)
        connection.execute("DELETE FROM totals WHERE name = 'summaries'")
        connection.execute(TOTALS.insert, (*total, row_sum(TOTALS, total)))
    with Store.open(folder) as store:
        assert store.summaries() == (kept_summary(1),)
        assert [(each.table, each.corrupt) for each in store.damage] == [("summaries", False)]
        assert store.notices == ()
    assert put_aside(folder) == []


def test_another_program_that_mends_the_file_is_followed(folder: Path) -> None:
    with Store.open(folder) as one:
        assert len(one.clusters()) == 8
        flip(file_of(folder), kept(3).citations[3][1].sha256.encode())
        with Store.open(folder) as other:
            assert len(other.clusters()) == 8
            assert other.notices
        one.save(Changes((kept(30),)))
        assert one.notices == ()
        assert len(one.clusters()) == 9
    with Store.open(folder) as store:
        assert len(store.clusters()) == 9
    assert len(put_aside(folder)) == 1


def test_an_exchange_that_was_interrupted_is_finished(folder: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "new") as store:
        store.save(Changes((kept(40),)))
    old = file_of(folder).read_bytes()
    os.replace(tmp_path / "new" / "knowledge.db", folder / "knowledge.new.db")
    with Store.open(folder) as store:
        assert store.clusters() == (kept(40),)
    assert [(folder / name).read_bytes() for name in put_aside(folder)] == [old]
    assert not (folder / "knowledge.new.db").exists()


def test_a_file_that_is_deleted_under_an_open_store_begins_anew(folder: Path) -> None:
    with Store.open(folder) as store:
        assert len(store.clusters()) == 8
        file_of(folder).unlink()
        assert store.clusters() == ()
        store.save(Changes((kept(1),)))
        assert store.clusters() == (kept(1),)


def test_only_the_newest_broken_files_are_kept(folder: Path) -> None:
    for n in range(6):
        file_of(folder).write_bytes(b"broken %d" % n)
        Store.open(folder, clock=lambda n=n: 1e9 + 86_400 * n).close()
    assert [(folder / name).read_bytes() for name in put_aside(folder)] == [b"broken 3", b"broken 4", b"broken 5"]


def test_a_version_that_no_step_leads_from_is_a_broken_file(folder: Path) -> None:
    run(file_of(folder), f"PRAGMA user_version = {LAYOUT.version - len(LAYOUT.steps) - 1}")
    with Store.open(folder) as store:
        assert store.clusters() == CLUSTERS
        assert store.turns("main") == (kept_turn(1),)
    assert len(put_aside(folder)) == 1
