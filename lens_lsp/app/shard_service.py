"""``lens shard``: a folder of this machine for somebody who came by ``ssh`` (`corpus.ssh`).

It reads the one folder that it is told first, as this machine's own settings and rules say. What the other side says
can only leave more out, but for what its user typed: that ignore files do not count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from lens_lsp import __version__
from lens_lsp.app.configuration import load_settings
from lens_lsp.app.settings import CommandLine
from lens_lsp.corpus.corpus_rules import CorpusRules, ProjectRules
from lens_lsp.corpus.pipes import PROTOCOL, put_message, serve, take_message
from lens_lsp.corpus.ssh import FileServer
from lens_lsp.model.errors import LensError, PathRefused
from lens_lsp.search.shards import LocalShard, ShardServer


def serve_shard(requests: BinaryIO, replies: BinaryIO, environment: Mapping[str, str]) -> None:
    """Answer requests until there are no more. The first says versions, the folder and what is left out of it."""
    refused = None
    try:
        hello = json.loads(take_message(requests))
        if (hello["lens"], hello["protocol"]) != (__version__, PROTOCOL):
            refused = "another version"
        else:
            path, rules, memory = _asked(hello, environment)
            number, of = map(int, hello.get("part", (0, 1)))
            shard = LocalShard([path], rules, memory, part=(number, of) if 0 <= number < of > 1 else None)
    except LensError as error:
        refused = str(error)
    except (ValueError, KeyError, TypeError):
        refused = "what was asked first is not understood"
    except (EOFError, OSError):
        return
    put_message(replies, json.dumps({"lens": __version__, "protocol": PROTOCOL, "refused": refused}).encode())
    if refused is None:
        files, searches = FileServer(path, rules, shard.knows), ShardServer(shard)
        serve(lambda data: (files if data.startswith(b'{"files"') else searches).handle(data), requests, replies)


def _asked(hello: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, CorpusRules, int | None]:
    """The folder, what of it is looked at, and bytes of memory. Raises `LensError`, ValueError, KeyError, TypeError."""
    said, scopes, exclude = str(hello["path"]), _lines(hello["scopes"]), _lines(hello["exclude"])
    path = os.path.expanduser(said)
    if not os.path.isabs(path):
        raise PathRefused(f"{said} is no absolute path and no home folder")
    if not os.path.isdir(path):
        raise PathRefused(f"{said} is no folder there")
    options = CommandLine(scopes=scopes, no_ignore=hello["noIgnore"] is True)
    settings = load_settings((path,), environment, options=options)
    others = ProjectRules(os.path.realpath(path), exclude)  # patterns of a project bring nothing back
    rules = replace(settings.rules, projects=(*settings.rules.projects, others))
    return path, replace(rules, scopes=scopes) if scopes else rules, settings.memory


def _lines(said: object) -> tuple[str, ...]:
    if not isinstance(said, list) or not all(isinstance(line, str) for line in said):
        raise TypeError("no patterns")
    return tuple(said)
