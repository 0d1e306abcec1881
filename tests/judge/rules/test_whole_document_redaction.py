"""Secrets are found in a whole document, and known wherever a part of it goes."""

from __future__ import annotations

import base64
import json
import random
import time
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.judge.redaction import Fragments, moved, redacted, redacted_whole, rests, secrets_of, within
from lens_lsp.judge.secret_shapes import secrets
from lens_lsp.model.documents import Secret
from lens_lsp.model.text import Span
from tests.soak.secret_kinds import LONG, drawn, made
from tests.soak.secret_leaks import made_line, masked, planted, told, whole, windows


def test_nearly_all_kinds_in_all_formats_are_masked_and_all_long_ones() -> None:
    documents = list(planted(11))
    missed = whole(documents)
    assert len(documents) >= 800
    assert len(missed) <= 0.03 * len(documents), [(each.secret.kind, each.format) for each in missed]
    assert not [each for each in missed if each.secret.long]


def test_no_region_says_anything_of_a_long_secret_and_looked_at_alone_many_do() -> None:
    long = [each for each in planted(12) if each.secret.long]
    leaked, tried, alone = windows(long, 300, random.Random(12))
    assert tried == 300
    assert not [(each.secret.kind, each.format) for each in leaked]
    assert alone > 100


@pytest.mark.long
def test_no_kind_of_long_secret_leaks_at_any_cut() -> None:
    long = [each for seed in range(20, 26) for each in planted(seed) if each.secret.long]
    leaked, tried, _ = windows(long, 10_000, random.Random(3))
    assert tried == 10_000
    assert not leaked


def test_ordinary_lines_stay_as_they_are() -> None:
    rng = random.Random(5)
    lines = [made_line(rng) for _ in range(3_000)]
    found = masked([("a.md", lines)])[1]
    assert len(found) <= 15, found[:5]


def test_what_a_stretch_holds_of_a_secret_has_the_number_of_all_of_it() -> None:
    token = base64.b64encode(b"{" + b"x" * 30).decode().rstrip("=")
    jwt = f"eyJ{token}.eyJ{token}{'a1B2' * 300}.{'c3D4' * 80}"
    text = f"# A\n\nThe token is {jwt}, says the list.\n"
    known = secrets_of(text, "a.md")
    assert [(one.kind, one.value) for one in known] == [("jwt", jwt)]
    numbers: dict[str, int] = {}
    middle = Span(text.index(jwt) + 700, text.index(jwt) + 900)
    piece = text[middle.start : middle.end]
    assert piece in redacted(piece, {}, known=()).text
    assert redacted(piece, numbers, known=within(known, middle)).text == "[[SECRET:jwt:1]]"
    assert redacted_whole(text, "a.md", numbers).text.count("[[SECRET:jwt:1]]") == 1


def test_a_secret_that_markup_divides_is_found_where_the_markup_is_gone() -> None:
    token = "ghp_" + "a1B2" * 9
    assert redacted(f"use {token}", known=()).text == "use [[SECRET:github:1]]"


def test_spans_of_a_piece_count_from_its_file() -> None:
    one = Secret(Span(3, 9), "github", "abcdef")
    assert moved((one,), 100) == (Secret(Span(103, 109), "github", "abcdef"),)
    assert moved((one,), 0) == (one,)
    assert within((one,), Span(0, 5), 10) == [Secret(Span(13, 15), "github", "abcdef")]
    assert within((one,), Span(9, 20)) == []


def test_the_lines_of_a_key_whose_first_ones_are_in_another_piece_are_found() -> None:
    rng = random.Random(2)
    lines = [drawn(rng, "B", 64) for _ in range(20)]
    text = "\n".join([*lines, "-----END RSA PRIVATE KEY-----", "", "Then the gate opens."])
    shown = redacted_whole(text, "a.txt").text
    assert not any(line[:8] in shown for line in lines)
    assert "Then the gate opens." in shown


def test_words_about_a_key_do_not_hide_what_stands_behind_them() -> None:
    text = "Such files begin with -----BEGIN RSA PRIVATE KEY----- in their first line.\n\nThe gate opens at nine.\n"
    assert redacted_whole(text, "a.md").text == text


@pytest.mark.parametrize("escape", ["\\n", "\\t", "%3D", "\\u003d", "=", "_", '"'])
def test_a_key_behind_an_escape_is_one(escape: str) -> None:
    token = "ghp_" + "a1B2" * 9
    assert token not in redacted_whole(f'{{"log": "first line{escape}{token}"}}', "a.json").text


def test_parts_of_known_secrets_are_found_in_other_words() -> None:
    value = "sk-proj-" + drawn(random.Random(4), "W", 60)
    known = Fragments()
    known.add((Secret(Span(0, len(value)), "openai", value), Secret(Span(0, 9), "password", "Sesame1x!")))
    for said in (
        f"Use …{value[20:44]}… for it.",
        f"> {value[12:30]}\n> {value[30:50]}",
        value.replace("-", "\\-"),
        "It is Sesame1x!.",
    ):
        shown = redacted(said, {}, known=(), also=known).text
        assert "[[SECRET:" in shown
        assert not any(value[at : at + 12] in shown for at in range(8, len(value) - 12))
        assert "Sesame1x!" not in shown
    assert redacted("Use the project key of the workshop.", {}, known=(), also=known).text.startswith("Use the project")


def test_the_rest_of_a_secret_at_the_end_of_a_cut_text_is_told() -> None:
    rest = drawn(random.Random(9), "W", 40)
    assert [one.value for one in rests(f"{rest}, says the list")] == [rest]
    assert [one.value for one in rests(f"says the list {rest}")] == [rest]
    assert not list(rests("The lease of the workshop ends on 30 June 2031."))


def test_only_files_of_settings_are_looked_at_for_what_seems_drawn_by_lot() -> None:
    value = drawn(random.Random(3), "W", 40)
    line = f"blob = {value}\nsha512 = {value}\n"
    assert [one.kind for one in secrets_of(line, "a/b.ini")] == ["entropy"]
    assert not secrets_of(line, "a/b.md")
    assert not secrets_of(line, "poetry.lock.toml")


def test_a_region_of_a_search_knows_the_secrets_of_its_document(tmp_path: Path) -> None:
    account = next(secret for secret in made(3) if secret.kind == "service account")
    text = json.dumps({"key": account.value, "note": "The lease ends."})
    (tmp_path / "a.json").write_text(text, "utf-8")
    with Root(str(tmp_path)) as root:
        document = Snapshot([root], {}, CorpusRules()).document(0, "a.json")
    for start in range(0, len(document.text) - 100, 97):
        span = Span(start, start + 100)
        known = within(secrets_of(document.text, document.path), span)
        assert not told(account, redacted(document.text[start : start + 100], known=known).text)


def test_there_are_two_hundred_kinds_and_long_ones_among_them() -> None:
    assert len({secret.kind for secret in made(1)}) >= 200
    assert sum(secret.long for secret in made(1)) == len(LONG)


@pytest.mark.parametrize(
    "hostile",
    [
        *("-----BEGIN PRIVATE KEY-----\n", "AAAAAAAA\n-----END PRIVATE KEY-----\n", "password=", "password=a1", "key="),
        *("ghp_", "eyJ-", "eyJaaaaaaaa.", "sk-", "sk-a1", "a://b:", "q~a1", "A" * 21, "b3BlbnNzaC1rZXktdj"),
    ],
)
def test_looking_through_a_document_takes_linear_time(hostile: str) -> None:
    def spent(size: int) -> float:
        text = hostile * (size // len(hostile))
        started = time.process_time()
        list(secrets(text, config=True))
        return time.process_time() - started

    spent(2_000)
    assert min(spent(20_000) for _ in range(2)) < 2.0


@pytest.mark.parametrize("said", ["The key is {}.", "api_key={}", "{}", 'token: "{}"'])
def test_a_secret_has_the_same_mark_whatever_announces_it(said: str) -> None:
    assert "[[SECRET:github:1]]" in redacted(said.format("ghp_" + "a1B2c3D4e5F6" * 3)).text
