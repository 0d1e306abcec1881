from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from lens_lsp.domain.answer import Mode
from lens_lsp.evaluation.command import add_parser, run
from lens_lsp.evaluation.data.snapshots import prepare
from lens_lsp.evaluation.estimate import estimate
from lens_lsp.models.base import ModelError
from lens_lsp.models.scripted import ScriptedModel
from lens_lsp.oracle.ledger import Budget


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

    async def probe() -> None: ...

    parser = argparse.ArgumentParser(prog="lens")
    add_parser(parser.add_subparsers(required=True))
    places = ("--corpus", tmp_path / "corpus", "--snapshot", "3", "--out", tmp_path / "run")
    more = ["--estimate"] if stopping else []
    asked = parser.parse_args(["eval", "run", str(dataset_dir), *map(str, places), "--mode", "fast", *more])
    assert run(asked, lambda args: (model, probe, (0.5, 2.0))) == 0
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
