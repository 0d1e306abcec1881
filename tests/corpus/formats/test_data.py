"""CSV, JSON, YAML, TOML, INI: entries, and the place each offset has."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import TextReader, locate
from lens_lsp.model.documents import BlockKind, Locator


def named(name: str) -> TextReader:
    reader = reader_for(name)
    assert reader is not None
    return reader


def at(name: str, text: str, needle: str) -> Locator | None:
    return locate(named(name).locators(text), text.index(needle))


def shown(name: str, text: str) -> list[str]:
    return [text[block.span.start : block.span.end] for block in named(name).structure(text).blocks]


CSV = 'name,note\n"Smith, J","two\nlines"\n\nLee,"says ""hi"""\n'


def test_a_quoted_line_break_stays_in_its_row() -> None:
    assert shown("a.csv", CSV) == ["name,note", '"Smith, J","two\nlines"', 'Lee,"says ""hi"""']
    rows = named("a.csv").structure(CSV).blocks
    assert all(row.kind is BlockKind.TABLE_ROW for row in rows)
    assert [row.header for row in rows] == [None, rows[0].span, rows[0].span]


def test_rows_are_numbered_as_a_spreadsheet_does() -> None:
    assert at("a.csv", CSV, "name") == {"row": 1}
    assert at("a.csv", CSV, "lines") == {"row": 2}
    assert at("a.csv", CSV, "Lee") == {"row": 4}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    text = "a#b, c\n1#2\n".replace("#", delimiter)
    assert named("a.csv").structure(text).blocks[1].header is not None


def test_numbers_are_no_header() -> None:
    assert named("a.csv").structure("1,2\n3,4\n").blocks[1].header is None


def test_a_stray_quote_does_not_swallow_the_file() -> None:
    text = 'a,b\n"5 inch,x\n' + "1,2\n" * 2000
    assert len(shown("a.csv", text)) == 2002


JSON = """{
  "name": "tea",
  "steps": [
    {"do": "boil", "minutes": 3},
    {"do": "steep"},
    "pour", 7
  ],
  "odd key": {"a.b": null},
  "numbers": [1, 2, [3, "x"]]
}
"""


@pytest.mark.parametrize(
    ("needle", "key"),
    [
        ('"tea"', "name"),
        ("boil", "steps[0].do"),
        ("3}", "steps[0].minutes"),
        ("steep", "steps[1].do"),
        ("pour", "steps[2]"),
        ("7", "steps"),
        ("null", '["odd key"]["a.b"]'),
        ('"x"', "numbers[2][1]"),
    ],
)
def test_json_places_are_key_paths(needle: str, key: str) -> None:
    if key.startswith("["):
        key = "odd key".join(['["', '"]["a.b"]'])
    assert at("a.json", JSON, needle) == {"key": key}


def test_a_small_document_is_one_block_for_each_top_entry() -> None:
    assert shown("a.json", JSON)[0] == '"name": "tea"'
    assert len(shown("a.json", JSON)) == 4


def test_a_long_entry_is_split_into_its_own() -> None:
    text = json.dumps({"rows": [{"id": n, "text": "word " * 30} for n in range(30)], "end": "x"})
    assert len(shown("a.json", text)) == 31
    assert at("a.json", text, '29, "text"') == {"key": "rows[29].id"}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=4)
        ),
        max_leaves=20,
    ).filter(lambda value: isinstance(value, dict))
)
def test_every_string_in_json_is_at_the_path_that_leads_to_it(value: dict[str, object]) -> None:
    reader = named("a.json")
    leaves: list[tuple[str, str]] = []

    def mark(inner: object, path: str) -> object:
        if isinstance(inner, dict):
            return {key: mark(item, f"{path}.{key}" if path else key) for key, item in inner.items()}
        if isinstance(inner, list):
            return [mark(item, f"{path}[{index}]") for index, item in enumerate(inner)]
        if isinstance(inner, str):
            leaves.append((path, f"«{len(leaves)}»"))
            return leaves[-1][1]
        return inner

    for indent in (None, 2):
        leaves.clear()
        text = json.dumps(mark(value, ""), ensure_ascii=False, indent=indent)
        for path, needle in leaves:
            assert locate(reader.locators(text), text.index(needle)) == {"key": path}


def test_json_lines_have_row_and_key() -> None:
    text = '{"q": "one"}\n\n{"q": {"r": "two"}}\nbroken {\n'
    assert at("a.jsonl", text, "one") == {"row": 1, "key": "q"}
    assert at("a.jsonl", text, "two") == {"row": 3, "key": "q.r"}
    assert at("a.jsonl", text, "broken") == {"row": 4}
    assert shown("a.jsonl", text) == ['{"q": "one"}', '{"q": {"r": "two"}}', "broken {"]


def test_broken_json_keeps_the_places_it_can_know() -> None:
    text = '{"a": "unclosed,\n "b": [1, {"c": "found"\n'
    assert at("a.json", text, "found") == {"key": "b[1].c"}


YAML = """# comment
services:
  web:
    image: "nginx"   # inline
    ports:
    - 80
    - name: tls
      port: 443
  db: {image: postgres}
notes: |
  key: not a key
  - not an item

last: end
---
other: doc
"""


@pytest.mark.parametrize(
    ("needle", "key"),
    [
        ("nginx", "services.web.image"),
        ("80", "services.web.ports[0]"),
        ("tls", "services.web.ports[1].name"),
        ("443", "services.web.ports[1].port"),
        ("postgres", "services.db"),
        ("not a key", "notes"),
        ("not an item", "notes"),
        ("end", "last"),
        ("doc", "other"),
    ],
)
def test_yaml_places_are_key_paths(needle: str, key: str) -> None:
    assert at("a.yml", YAML, needle) == {"key": key}


def test_yaml_entries_are_blocks() -> None:
    found = shown("a.yaml", YAML)
    assert [block.split(":")[0] for block in found] == ["services", "notes", "last", "other"]
    assert found[1].endswith("- not an item")


TOML = '''top = 1
[package]
name = "lens" # x
text = """
[not.a.table]
k = 2
"""
[[bin]]
name = "one"
[[bin]]
name = "two"
[a.b]
"quoted key" = [
  "x",
]
'''


def test_toml_places_are_key_paths() -> None:
    assert at("a.toml", TOML, "1") == {"key": "top"}
    assert at("a.toml", TOML, "lens") == {"key": "package.name"}
    assert at("a.toml", TOML, "k = 2") == {"key": "package.text"}
    assert at("a.toml", TOML, "two") == {"key": "bin[1].name"}
    assert at("a.toml", TOML, '"x"') == {"key": 'a.b["quoted key"]'}
    headings = named("a.toml").structure(TOML).headings
    assert [(heading.level, heading.text) for heading in headings] == [
        (1, "package"),
        (1, "bin"),
        (1, "bin"),
        (2, "a.b"),
    ]


def test_ini_places_are_section_and_key() -> None:
    text = "; note\n[Main]\nhost: example\nport=1\n  more\n"
    assert at("a.ini", text, "example") == {"key": "Main.host"}
    assert at("a.ini", text, "more") == {"key": "Main.port"}


def test_text_before_the_first_entry_has_no_place() -> None:
    assert at("a.yml", YAML, "comment") is None


def test_a_huge_file_is_cut_honestly() -> None:
    text = json.dumps({"rows": [{"k": n} for n in range(60_000)], "end": "needle"})
    reader = named("a.json")
    assert locate(reader.locators(text), text.index("needle")) is None
    assert at("a.json", text, '"k": 7') == {"key": "rows[7].k"}
