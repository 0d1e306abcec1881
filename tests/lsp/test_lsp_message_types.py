"""Message types that are made on first use are those of lsprotocol, and few of them are made."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import attrs

from lens_lsp.lsp import postponed
from tests.lsp.lsp_editor import CAPABILITIES

TYPES = """
import sys, attrs
order = sys.argv[1]
if order != "theirs":
    import lens_lsp.lsp
from lsprotocol import converters, types
from pygls.protocol import default_converter

converter = default_converter()
classes = [each for _, each in sorted(vars(types).items()) if isinstance(each, type) and attrs.has(each)]
if order == "backwards":
    assert "__slots__" not in vars(types.Location)
    classes.reverse()
shown = {}
for each in classes:
    fields = [(one.name, str(one.type), one.default, one.alias, one.kw_only) for one in attrs.fields(each)]
    shown[each.__name__] = (fields, each.__hash__ is None, each.__match_args__)
for name, one in sorted(shown.items()):
    print(name, one)

place = {"uri": "file:///a", "range": {"start": {"line": 1, "character": 2}, "end": {"line": 3, "character": 4}}}
once, again = (converter.structure(place, types.Location) for _ in range(2))
print(once == again, once, converter.unstructure(once))
try:
    once.uri = 5
except TypeError as error:
    print(error)
"""

STARTED = """
import json, sys, linecache
from lens_lsp.lsp.server import LensServer
from lsprotocol import types

server = LensServer({})
params = {"processId": None, "rootUri": None, "capabilities": json.loads(sys.argv[1])}
message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
assert server.protocol.structure_message(message).params.capabilities.text_document.hover
print(sum(name.startswith("<attrs generated") and "lsprotocol" in name for name in linecache.cache))
"""


def python(code: str, *arguments: str) -> str:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True).stdout


def test_types_are_those_of_lsprotocol_in_whatever_order_they_are_made() -> None:
    theirs = python(TYPES, "theirs")
    assert theirs.count("\n") > 554
    assert python(TYPES, "backwards") == theirs


def test_until_initialize_is_answered_at_most_a_fifth_of_the_types_are_made() -> None:
    assert 10 < int(python(STARTED, json.dumps(CAPABILITIES))) < 120


def test_threads_that_want_a_class_at_once_get_the_same_one() -> None:
    @postponed
    class Point:
        x: int = attrs.field()
        y: int = attrs.field(default=0)

    together = threading.Barrier(8)
    found: list[object] = []

    def want(number: int) -> None:
        together.wait()
        found.append(Point(number).x if number % 2 else attrs.fields(Point).x.type)  # type: ignore[call-arg, misc]

    threads = [threading.Thread(target=want, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, found)) == ["1", "3", "5", "7", *["<class 'int'>"] * 4]
    assert Point(3) == Point(3, y=0)  # type: ignore[call-arg]
    assert repr(Point(3)).endswith("Point(x=3, y=0)")  # type: ignore[call-arg]
