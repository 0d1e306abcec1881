from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks.scripted_arms import Trial
from benchmarks.scripted_model import ScriptedModel
from evaluation.command import add_parser, run
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.estimate import estimate
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.app.settings import ModelSettings, Settings
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import ModelError
from lens_lsp.model.answer import Mode


def test_money_is_calls_times_what_they_take_and_never_above_the_bound() -> None:
    budget = Budget.of(Mode.FAST)
    found = estimate(["lens", "lens-without-prior", "react", "tantivy", "other"], 10, Mode.FAST, (1.0, 4.0))
    lens, ablated, react, other = found.arms
    assert lens.likely is not None
    assert (lens.likely, lens.most) == (ablated.likely, ablated.most)
    assert lens.most.calls == 10 * budget.calls
    assert lens.most.money((1.0, 4.0)) == 10 * budget.tokens * 4.0 / 1_000_000
    for one in (lens, react):
        assert one.likely is not None
        assert 0 < one.likely.money((1.0, 4.0)) < one.most.money((1.0, 4.0))
    assert other.likely is None
    assert "other: likely unknown" in found.text
    assert "tantivy" not in found.text


def test_what_is_likely_is_what_the_arms_send_and_what_is_the_papers_is_said_so(data_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(data_dir / "hotpotqa", "125")
    corpus = prepare(dataset.folder, "125", tmp_path / "hotpotqa-125")
    names = ("bm25-rag", "closed-book")
    rows = Trial(names, Mode.DEEP, tmp_path, tmp_path / "out").of(dataset, corpus, questions(dataset)[:5])
    for row, one in zip(rows, estimate(names, 5, Mode.DEEP).arms, strict=True):
        assert one.likely is not None
        assert one.likely.calls == row.calls
        assert one.likely.tokens_in == pytest.approx(row.tokens_in, rel=0.15), row.arm
    *measured, react = estimate(["lens", *names, "hybrid", "react"], 1, Mode.DEEP).text.splitlines()[1:6]
    assert "the paper's figures" in react
    assert "the paper's" not in "".join(measured)


def test_without_prices_money_is_not_made_up() -> None:
    text = estimate(["lens"], 3, Mode.DEEP).text
    assert "no prices are set" in text
    assert "in money" not in text


@pytest.mark.parametrize("stopping", [True, False])
def test_the_cost_is_said_before_the_first_call(
    dataset_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], stopping: bool
) -> None:
    prepare(dataset_dir, "3", tmp_path / "corpus")
    model = ScriptedModel(lambda request: ModelError("too busy"))
    settings = Settings(model=ModelSettings(prices=(0.5, 2.0)))
    parser = argparse.ArgumentParser(prog="lens")
    add_parser(parser.add_subparsers(required=True))
    places = ("--corpus", tmp_path / "corpus", "--snapshot", "3", "--out", tmp_path / "run")
    more = ["--estimate"] if stopping else []
    asked = parser.parse_args(["eval", "run", str(dataset_dir), *map(str, places), "--mode", "fast", *more])
    assert run(asked, lambda args: OracleFactory(Mode.FAST, model, settings)) == 0
    printed = capsys.readouterr()
    told = printed.out if stopping else printed.err
    assert told.startswith("3 questions\nlens: likely 10 calls")
    assert "in money" in told
    assert (tmp_path / "run").exists() is not stopping
    assert bool(model.requests) is not stopping


def test_a_run_without_a_model_costs_nothing(
    dataset_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare(dataset_dir, "3", tmp_path / "corpus")
    capsys.readouterr()
    parser = argparse.ArgumentParser(prog="lens")
    add_parser(parser.add_subparsers(required=True))
    places = ("--corpus", tmp_path / "corpus", "--snapshot", "3", "--out", tmp_path / "run")
    assert run(parser.parse_args(["eval", "run", str(dataset_dir), *map(str, places), "--estimate"])) == 0
    assert capsys.readouterr().out == "no model is called: no cost\n"
    assert not (tmp_path / "run").exists()
