"""What a store keeps, finds, replaces and forgets."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import StoreConnection, connect
from lens_lsp.memory.store_rows import VERSION, Changes, StoreView
from lens_lsp.model.cluster import Cluster, ClusterLink, DocumentSummary, Turn
from tests.memory.history import Model, drawn, found_in, scratch
from tests.memory.kept import fact_key, kept, kept_summary, kept_turn, question, question_key

COPIES = [f"knowledge.{name}.db" for name in ("backup-v0", "before-rollback", "corrupt-20260101T000000Z", "new")]
"""Names of files with an earlier state; two of them were made by earlier versions alone."""
TEXTS = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=30)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store") as store:
        yield store


def test_what_was_saved_is_read_again_by_the_next_program(tmp_path: Path) -> None:
    clusters = tuple(kept(n) for n in range(24))
    with Store.open(tmp_path) as store:
        store.save(Changes(clusters=clusters))
        assert store.notices == ()
    with Store.open(tmp_path) as store:
        assert store.clusters() == tuple(sorted(clusters, key=lambda cluster: cluster.id))
        assert [store.cluster(cluster.id) for cluster in clusters] == list(clusters)
        assert store.cluster("k99") is None


def test_a_history_of_changes_ends_where_its_model_does(store: Store) -> None:
    model = Model()
    for number in range(40):
        store.save(drawn(7, number))
        model = model.after(drawn(7, number))
    assert found_in(store) == model
    assert store.health().problems == ()


def test_a_cluster_that_is_saved_again_has_only_its_new_parts(store: Store) -> None:
    store.save(Changes(clusters=(kept(1, parts=8),)))
    store.save(Changes(clusters=(kept(1, revision=2, parts=1),)))
    assert store.clusters() == (kept(1, revision=2, parts=1),)
    assert store.by_fact(fact_key(1, 7)) == ()


def test_removed_clusters_are_gone_and_unknown_ones_no_error(store: Store) -> None:
    store.save(Changes(clusters=(kept(1), kept(2))))
    store.save(Changes(removed=("k1", "k77")))
    assert store.clusters() == (kept(2),)
    assert store.by_question(question_key(1)) == ()


def test_clusters_are_found_by_question_fact_and_citation(store: Store) -> None:
    twin = replace(kept(3), id="another")
    store.save(Changes(clusters=(kept(2), kept(3), twin)))
    assert store.by_question(question_key(3)) == ("another", "k3")
    assert store.by_fact(fact_key(2, 1)) == ("k2",)
    assert store.by_citation("c3-0") == ("another", "k3")
    assert store.by_question("never asked") == store.by_fact("") == store.by_citation("c9") == ()


def test_a_document_has_one_summary_and_a_thread_its_turns_in_order(store: Store) -> None:
    later = replace(kept_summary(1), sha256="f" * 64, text="Other words.")
    store.save(Changes(summaries=(kept_summary(1), kept_summary(2)), turns=(kept_turn(10), kept_turn(2))))
    store.save(Changes(summaries=(later,), turns=(kept_turn(3), kept_turn(1, "aside"))))
    assert store.summaries() == tuple(sorted((later, kept_summary(2))))
    assert [turn.n for turn in store.turns("main")] == [2, 3, 10]
    assert store.turns("aside") == (kept_turn(1, "aside"),)
    assert store.turns("no such thread") == ()


def test_an_update_decides_on_what_is_there_and_returns_what_was_kept(store: Store) -> None:
    store.save(Changes(clusters=(kept(1),)))

    def used_again(view: StoreView) -> Changes:
        return Changes(clusters=tuple(replace(cluster, hits=cluster.hits + 1) for cluster in view.clusters()))

    kept_now = store.update(used_again)
    assert [cluster.hits for cluster in kept_now.clusters] == [1]
    assert store.clusters() == kept_now.clusters


def test_a_change_that_fails_leaves_everything_as_it_was(store: Store) -> None:
    store.save(Changes(clusters=(kept(1),)))

    def fails(view: StoreView) -> Changes:
        raise LookupError("on purpose")

    with pytest.raises(LookupError, match="on purpose"):
        store.update(fails)
    store.save(Changes(clusters=(kept(2),)))
    assert store.clusters() == (kept(1), kept(2))


@pytest.mark.parametrize(
    "changes",
    [
        Changes(clusters=(kept(1), kept(1, revision=1))),
        Changes(clusters=(kept(1),), removed=("k1",)),
        Changes(clusters=(kept(2), replace(kept(1), facts=(*kept(1).facts, kept(1).facts[0])))),
        Changes(clusters=(kept(2), replace(kept(1), used=float("nan")))),
    ],
    ids=["twice", "kept and removed", "two facts of one id", "no time"],
)
def test_changes_that_make_no_sense_are_refused_as_a_whole(store: Store, changes: Changes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        store.save(changes)
    assert store.clusters() == ()


def test_threads_of_one_process_do_not_lose_each_other(store: Store) -> None:
    def add(name: str) -> None:
        for n in range(15):
            store.update(lambda view, n=n: with_link(view, f"{name}{n}"))

    def with_link(view: StoreView, target: str) -> Changes:
        cluster = view.cluster("k1") or replace(kept(1), links=())
        return Changes(clusters=(replace(cluster, links=(*cluster.links, ClusterLink(target, 0.5))),))

    threads = [threading.Thread(target=add, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (cluster,) = store.clusters()
    assert len(cluster.links) == 45


def test_two_stores_on_one_folder_see_each_other(tmp_path: Path) -> None:
    with Store.open(tmp_path) as one, Store.open(tmp_path) as other:
        one.save(Changes(clusters=(kept(1),)))
        assert other.clusters() == (kept(1),)
        other.save(Changes(removed=("k1",)))
        assert one.clusters() == ()


@pytest.mark.skipif(os.name == "nt", reason="no such modes")
def test_nobody_else_may_look(tmp_path: Path) -> None:
    folder = tmp_path / "user" / "data" / "store"
    with Store.open(folder) as store:
        store.save(Changes(clusters=(kept(1),)))
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


def test_every_connection_has_the_settings_that_make_it_safe(tmp_path: Path) -> None:
    opened: list[StoreConnection] = []

    def remembered(path: str) -> StoreConnection:
        opened.append(connect(path))
        return opened[-1]

    with Store.open(tmp_path, connect=remembered):
        names = "trusted_schema cell_size_check mmap_size temp_store secure_delete fullfsync synchronous"
        found = {name: opened[-1].execute(f"PRAGMA {name}").fetchone()[0] for name in names.split()}
        assert opened[-1].execute("PRAGMA journal_mode").fetchone()[0] == "truncate"
        assert opened[-1].execute("PRAGMA busy_timeout").fetchone()[0] == 10_000
    assert found == {
        "trusted_schema": 0,
        "cell_size_check": 1,
        "mmap_size": 0,
        "temp_store": 2,
        "secure_delete": 1,
        "fullfsync": 1,
        "synchronous": 3,
    }


@given(TEXTS, TEXTS, st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**63), 2**63 - 1))
def test_any_text_and_number_comes_back_as_it_was(wording: str, name: str, number: float, whole: int) -> None:
    turn = Turn(name, whole, wording, wording, name, number)
    summary = DocumentSummary(name, wording, name, wording)
    cluster = Cluster(name, wording, (), (), (), (ClusterLink(wording, number),), whole, number, number, number)
    with scratch() as folder:
        with Store.open(folder) as store:
            store.save(Changes(clusters=(cluster,), summaries=(summary,), turns=(turn,)))
        with Store.open(folder) as store:
            assert store.clusters() == (cluster,)
            assert store.summaries() == (summary,)
            assert store.turns(name) == (turn,)


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_forgetting_leaves_no_byte_anywhere_in_the_folder(tmp_path: Path) -> None:
    canary = "Quillfeather"
    with Store.open(tmp_path) as store:
        store.save(Changes(clusters=tuple(kept(n, parts=5) for n in range(30))))
        secret = _about(kept(3, parts=40), canary)
        store.save(
            Changes(
                clusters=(secret, replace(kept(4), links=(ClusterLink(secret.id, 1.0), ClusterLink("k5", 0.5)))),
                summaries=(DocumentSummary(secret.citations[0][1].root, secret.citations[0][1].path, "", canary),),
                turns=(Turn("main", 1, f"who is {canary}", "x", secret.id, 1.0), kept_turn(2)),
            )
        )
        answers = tmp_path / "answers"
        answers.mkdir()
        (answers / "one.md").write_text(f'---\nlens: answer/1\nquestion: "who is {canary}?"\n---\nShe.\n')
        (answers / "two.md").write_text(f"---\nlens: answer/1\nquestion: {json.dumps(question(4))}\n---\nIt.\n")
        (answers / ".one.md.0a1b2c3d.part").write_text(f"half of what a killed process wrote of {canary}")
        for name in COPIES:
            (tmp_path / name).write_bytes(store.path.read_bytes())
        assert canary.encode() in bytes_of(tmp_path)
        gone = store.forget([secret.id, "no such"])
        assert gone.clusters == (secret.id,)
        assert sorted(gone.files) == [
            "answers/.one.md.0a1b2c3d.part",
            "answers/one.md",
            *COPIES,
        ]
        assert canary.encode() not in bytes_of(tmp_path)
        assert (answers / "two.md").exists()
        assert store.cluster(secret.id) is None
        assert store.cluster("k4") == replace(kept(4), links=(ClusterLink("k5", 0.5),))
        assert store.summaries() == ()
        assert store.turns("main") == (kept_turn(2),)
        assert store.health().problems == ()


def _about(cluster: Cluster, canary: str) -> Cluster:
    asked = tuple(
        replace(each, question=f"Who is {canary}?", key=canary, text=f"{canary} is.") for each in cluster.asked
    )
    citations = tuple((id_, replace(each, quote=f"{canary} " * 300)) for id_, each in cluster.citations)
    return replace(cluster, title=f"Who is {canary}?", asked=asked, citations=citations)


def test_health_counts_what_is_there(store: Store) -> None:
    store.save(Changes(clusters=(kept(1), replace(kept(2), archived=True)), summaries=(kept_summary(1),)))
    health = store.health()
    assert (health.clusters, health.archived, health.facts, health.citations, health.summaries) == (2, 1, 6, 8, 1)
    assert (health.version, health.path, health.size) == (VERSION, store.path, store.path.stat().st_size)
    assert health.writable
    assert (health.problems, health.notices, health.corrupt, health.backups) == ((), (), (), ())


@pytest.mark.long
def test_opening_and_looking_up_takes_ten_milliseconds_at_most_among_two_thousand_clusters() -> None:
    with scratch() as folder:
        with Store.open(folder) as store:
            store.save(Changes(clusters=tuple(kept(n) for n in range(2_000))))
        times = []
        for n in range(10):
            started = time.perf_counter()
            with Store.open(folder) as store:
                assert store.by_question(question_key(n)) == (f"k{n}",)
                times.append(time.perf_counter() - started)
    assert min(times) <= 0.010


def test_pure_modules_load_no_database() -> None:
    code = "import sys, lens_lsp.memory.clusters, lens_lsp.memory.matching; print('sqlite3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"
