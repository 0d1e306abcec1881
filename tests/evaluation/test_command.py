from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_datasets import evaluate, parsed

from benchmarks.scripted_arms import Trial
from benchmarks.scripted_model import ScriptedModel
from evaluation.command import run
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.estimate import estimate
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.app.settings import ModelSettings, Settings
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import ModelError
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import EvaluationError, UsageError


def test_prepare_run_and_report_follow_one_another(
    dataset_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, result, report = tmp_path / "corpus", tmp_path / "run", tmp_path / "report"
    assert evaluate("prepare", dataset_dir, "--snapshot", "3", "--out", corpus) == 0
    assert "4 files" in capsys.readouterr().out
    asked = ("--corpus", corpus, "--snapshot", "3", "--arm", "bm25s,tantivy", "--limit", "2", "--out", result)
    assert evaluate("run", dataset_dir, *asked) == 0
    printed = capsys.readouterr()
    assert "| run | find | – | bm25s | 2 |" in printed.out
    assert printed.err == ""
    assert evaluate("report", result, "--out", report) == 0
    assert (report / "report.md").read_text() == "<!-- made by lens eval -->\n" + capsys.readouterr().out


def test_a_run_that_asks_is_reported_with_what_only_answers_have(
    answers_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, result, report = tmp_path / "corpus", tmp_path / "run", tmp_path / "report"
    evaluate("prepare", answers_dir, "--snapshot", "3", "--out", corpus)
    places = ("--corpus", corpus, "--snapshot", "3", "--out", result)
    assert evaluate("run", answers_dir, *places, "--mode", "evidence", "--ablate", "arm-local+arm-global") == 0
    assert [line[:8] for line in (result / "lens.rows.jsonl").read_text().splitlines()] == ['{"id": "', '{"id": "']
    capsys.readouterr()
    assert evaluate("report", result, "--out", report) == 0
    printed = capsys.readouterr().out
    assert "| answered | answered with a quote | false answers |" in printed
    assert "| calls, mean | calls, most | questions beyond the bound |" in printed
    assert "| run | evidence | offline | lens | 1 |" in printed
    assert "| run | evidence | offline | lens-without-arm-global+arm-local | 1 |" in printed


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--mode", "deep"), "no model to judge"),
        (("--mode", "evidence", "--oracle", "answer-key"), "choose offline"),
        (("--mode", "fast", "--oracle", "offline"), "choose chat or answer-key"),
        (("--mode", "evidence", "--error", "0.1"), "--error is that of"),
        (("--ablate", "lambda"), "mode find, which has no loop"),
    ],
)
def test_what_a_mode_does_not_have_is_refused(
    dataset_dir: Path, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    evaluate("prepare", dataset_dir, "--snapshot", "3", "--out", tmp_path / "corpus")
    places = ("--corpus", tmp_path / "corpus", "--snapshot", "3", "--out", tmp_path / "run")
    with pytest.raises(UsageError, match=told):
        evaluate("run", dataset_dir, *places, *arguments)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("mode", ["fast", "deep"])
def test_the_answer_key_judges_a_run_from_the_command_line(
    dataset_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    evaluate("prepare", dataset_dir, "--snapshot", "3", "--out", tmp_path / "corpus")
    capsys.readouterr()
    places = ("--corpus", tmp_path / "corpus", "--snapshot", "3", "--out", tmp_path / "run")
    judged = ("--mode", mode, "--oracle", "answer-key", "--error", "0.05", "--seed", "3")
    assert evaluate("run", dataset_dir, *places, *judged, "--arm", "lens,bm25s") == 0
    printed = capsys.readouterr().out
    assert f"| run | {mode} | answer-key, ε 0.05 | lens | 3 |" in printed
    assert f"| run | {mode} | – | bm25s | 3 |" in printed
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["oracle"], summary["error"], summary["mode"]) == ("answer-key", 0.05, mode)
    assert summary["arms"]["lens"]["calls"]["total"] > 0
    calls = summary["arms"]["bm25s"]["calls"]
    assert (calls["total"], calls["mean"], calls["most"], calls["beyond"]) == (0, None, 0, 0)


def test_a_model_that_the_caller_brings_judges_a_run(dataset_dir: Path, tmp_path: Path) -> None:
    evaluate("prepare", dataset_dir, "--snapshot", "3", "--out", tmp_path / "corpus")
    model = ScriptedModel(lambda request: ModelError("too busy"))
    probed: list[str] = []

    async def probe() -> None:
        probed.append("once")

    places = ("--corpus", tmp_path / "corpus", "--snapshot", "3", "--out", tmp_path / "run")
    asked = parsed("run", dataset_dir, *places, "--mode", "fast")
    assert run(asked, lambda args: OracleFactory(Mode.FAST, model, probe=probe)) == 0
    assert probed == ["once"]
    assert len(model.requests) == 3, "one question, one request: the throwaway question asks no model"
    assert model.closed
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["oracle"] == "chat"


@pytest.mark.parametrize("rate", ["1.5", "-0.1", "much", "nan"])
def test_an_error_rate_is_a_share(rate: str) -> None:
    with pytest.raises(SystemExit):
        evaluate("run", "d", "--corpus", "c", "--snapshot", "3", "--out", "o", "--error", rate)


def test_titles_are_hidden_on_request(dataset_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "hidden"
    assert evaluate("prepare", dataset_dir, "--snapshot", "3", "--out", out, "--hide-titles") == 0
    assert not (out / "Ada_Lovelace").exists()


def test_a_run_needs_the_corpus_it_names(dataset_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="lens eval prepare"):
        evaluate("run", dataset_dir, "--corpus", tmp_path / "no", "--snapshot", "3", "--out", tmp_path / "run")


def test_a_failed_gate_has_exit_status_one(data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = ("--work", tmp_path / "work", "--out", tmp_path / "out")
    chosen = ("--rows", "squad-dev", "--arms", "bm25s", "--half", "first", "--limit", "3")
    assert evaluate("gate", data_dir, *places, *chosen) == 1
    assert "FAIL" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("run", "d"),
        ("prepare", "d"),
        ("gate", "d", "--work", "w", "--out", "o", "--limit", "0"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as refused:
        evaluate(*arguments)
    assert refused.value.code == 2


def test_a_corpus_is_that_of_a_snapshot(dataset_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--snapshot"):
        evaluate("prepare", dataset_dir, "--out", tmp_path / "corpus")


def test_wiring_the_command_loads_nothing_heavy() -> None:
    script = (
        "import sys, argparse, evaluation.command as command\n"
        "command.add_parser(argparse.ArgumentParser().add_subparsers())\n"
        "print(sorted({'numpy', 'pydantic', 'bm25s', 'tantivy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


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
    places = ("--corpus", tmp_path / "corpus", "--snapshot", "3", "--out", tmp_path / "run")
    more = ["--estimate"] if stopping else []
    asked = parsed("run", dataset_dir, *places, "--mode", "fast", *more)
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
    places = ("--corpus", tmp_path / "corpus", "--snapshot", "3", "--out", tmp_path / "run")
    assert run(parsed("run", dataset_dir, *places, "--estimate")) == 0
    assert capsys.readouterr().out == "no model is called: no cost\n"
    assert not (tmp_path / "run").exists()
