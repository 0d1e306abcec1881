"""The server as one program: a Python as far as the server starts itself, by `-m MODULE` and `-c CODE`."""

from __future__ import annotations

import runpy
import sys


def main() -> None:
    """Run what the arguments name; options of a Python before it are taken and change nothing."""
    arguments = sys.argv[1:]
    while arguments and arguments[0].startswith("-") and arguments[0] not in {"-m", "-c"}:
        arguments = arguments[2 if arguments[0] == "-X" else 1 :]
    match arguments:
        case ["-m", module, *rest]:
            sys.argv = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", code, *rest]:
            sys.argv = ["-c", *rest]
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        case _:
            sys.exit("this program runs -m MODULE or -c CODE")


if __name__ == "__main__":
    main()
