"""What every harness of the soak shares: its arguments, a folder of its own, its JSON line and its exit status."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, wraps
from pathlib import Path
from typing import Any

Verdict = tuple[Mapping[str, Any], object] | None
"""Figures, and whether the control was caught and whatever else holds that is no figure; None for a process that only
helps another one."""


class LeftOut(Exception):
    """Why a harness cannot run here."""


class Options(argparse.Namespace):
    """The arguments of a harness."""

    def __init__(self, stack: ExitStack) -> None:
        super().__init__()
        self._stack = stack

    @cached_property
    def place(self) -> Path:
        """An empty folder, gone afterwards."""
        return Path(self._stack.enter_context(tempfile.TemporaryDirectory())).resolve()


Trial = Callable[[Options], Verdict]


def harness(**arguments: object) -> Callable[[Trial], Callable[..., int]]:
    """Make a program of a trial: it takes ``--name`` for each argument, prints one line of JSON and passes (0) or not.

    An argument is given by its default, by its type where it has none, by a list of its type where it may be repeated;
    ``data`` is a folder that comes first. Of the figures, ``figure`` is the name of the module, ``bad`` the number of
    what is ``wrong`` and ``seconds`` what it took, unless the trial says so itself; of what is wrong ten are shown.
    """

    def program(trial: Trial) -> Callable[..., int]:
        @wraps(trial)
        def main(words: Sequence[str] | None = None) -> int:
            module = sys.modules[trial.__module__]
            parser = argparse.ArgumentParser(
                description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
            )
            for name, default in arguments.items():
                if name == "data":
                    parser.add_argument(name, type=Path)
                elif default is False:
                    parser.add_argument("--" + name.replace("_", "-"), action="store_true")
                elif isinstance(default, list):
                    parser.add_argument(f"--{name}", action="append", type=default[0], default=[])
                elif isinstance(default, type):
                    parser.add_argument(f"--{name}", type=default)
                else:
                    parser.add_argument(f"--{name}", type=type(default), default=default)
            row: dict[str, Any] = {"figure": Path(module.__file__ or "").stem.replace("_", "-")}
            started = time.perf_counter()
            try:
                with ExitStack() as stack:
                    result = trial(parser.parse_args(words, Options(stack)))
            except LeftOut as error:
                print(json.dumps(row | {"leftOut": str(error)}))
                return 0
            if result is None:
                return 0
            figures, held = result
            row |= figures
            if "wrong" in row:
                row.setdefault("bad", len(row["wrong"]))
                row["wrong"] = row["wrong"][:10]
            row.setdefault("seconds", round(time.perf_counter() - started, 1))
            print(json.dumps(row, ensure_ascii=False))
            return 0 if held and not row.get("bad") else 1

        return main

    return program
