"""Secrets are found in a whole document, and known wherever a part of it goes."""

from __future__ import annotations

import base64
import json
import random
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.judge.redaction import Fragments, moved, redacted, redacted_whole, rests, secrets_of, within
from lens_lsp.judge.secret_shapes import secrets
from lens_lsp.model.documents import Secret
from lens_lsp.model.text import Span
from tests.judge.secret_samples import KINDS, SAMPLES, pem, samples
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


def test_a_word_of_placeholders_that_comes_by_chance_in_a_long_key_hides_nothing() -> None:
    key = "pypi-AgEIcHlwaS5vcmcjQTLcuTEL07E5MPsNG-zEZgS8atOCKN7a59IpXw4HbkWuSlnL_a-QrmkBW0iVrtKpqRBRXKjCU4MkDxNn8"
    assert key not in redacted(f'{{"v": "{key}"}}').text
    assert redacted("pypi-your-token-goes-here-as-it-was-shown-to-you-once-by-pypi").text.startswith("pypi-your")


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


@pytest.mark.parametrize("kind", KINDS)
def test_secrets_of_every_kind_are_taken_out(kind: str) -> None:
    missed = [text for text, secret in samples(kind) if secret in redacted(text).text]
    assert len(missed) <= SAMPLES // 100, missed[:3]


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_characters_do_not_hide_a_secret(kind: str) -> None:
    for text, secret in list(samples(kind))[:20]:
        veiled = "\u200b".join(secret)
        assert redacted(text.replace(secret, veiled)).kinds, veiled


def test_the_middle_of_a_private_key_is_one_too() -> None:
    key = pem(random.Random(7)).split("\n")
    middle = "\n".join(key[1:4])
    assert middle not in redacted(f"before\n{middle}\nafter").text


def test_ordinary_documents_are_left_alone(data_dir: Path) -> None:
    lines = wrong = 0
    for corpus in ("cpp-docs", "rust-book", "rust-rfcs", "tldr-en"):
        for text in texts(data_dir, corpus):
            lines += text.count("\n") + 1
            wrong += sum(text.count("\n", span.start, span.end) + 1 for span, _ in secrets(text))
    assert lines > 20_000
    assert wrong <= lines / 1_000


def texts(data_dir: Path, workspace: str) -> Iterator[str]:
    """Documents of a workspace of the data, at most a few megabytes."""
    size = 0
    with tarfile.open(data_dir / "workspaces" / f"{workspace}.tar.xz", "r|xz") as archive:
        for member in archive:
            handle = archive.extractfile(member) if member.isfile() else None
            if handle is None:
                continue
            text = handle.read().decode("utf-8", "replace")
            size += len(text)
            yield text
            if size > 2_000_000:
                return


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed it",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "The password must have 8 characters.",
        "http://user:password@host/ is the form",
        "ask-me-anything-about-sk-learn-and-more",
        "secret: see the other page",
    ],
)
def test_what_only_looks_long_is_no_secret(text: str) -> None:
    assert redacted(text).text == text


def test_the_same_secret_has_the_same_number_everywhere() -> None:
    numbers: dict[str, int] = {}
    one, other = "ghp_" + "a1B2" * 9, "ghp_" + "c3D4" * 9
    assert redacted(f"{one} {other}", numbers).text == "[[SECRET:github:1]] [[SECRET:github:2]]"
    assert redacted(other, numbers).text == "[[SECRET:github:2]]"


def test_a_quote_comes_back_in_the_words_of_the_source() -> None:
    source = f"The ga\u200bte opens at ni\u202ene. Key: ghp_{'a1B2' * 9}. Then it closes."
    shown = redacted(source)
    assert shown.text == "The gate opens at nine. Key: [[SECRET:github:1]]. Then it closes."
    assert shown.unredacted("gate opens at nine") == "ga\u200bte opens at ni\u202ene"
    assert shown.unredacted("Then it closes.") == "Then it closes."
    for touching in ("Key: [[SECRET:github:1]]", "SECRET:github", "]]. Then", "key: [[secret:github:1]]"):
        assert shown.unredacted(touching) is None
    assert shown.unredacted("It never stood here") == "It never stood here"


_PARTS = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="\u200b\u200d\u202e\u2066\ufeff\U000e0041\ufe0f\x1b", max_size=3),
    st.sampled_from(["ghp_" + "a1B2" * 9, " AKIA" + "ABCD2345" * 2 + " ", "hf_" + "abcdeFGHIJ" * 4, " "]),
)


@given(st.lists(_PARTS, max_size=12), st.data())
def test_every_stretch_leads_back_to_itself(parts: list[str], data: st.DataObject) -> None:
    source = "".join(parts)
    shown = redacted(source)
    kept = "".join(source[piece.start : piece.end] for piece in shown.pieces)
    marks = "".join(shown.text[span.start : span.end] for span in shown.placeholders)
    assert len(kept) + len(marks) == len(shown.text)
    assert sum(len(piece) for piece in shown.pieces) <= len(source)
    if not shown.text:
        return
    start = data.draw(st.integers(0, len(shown.text) - 1))
    end = data.draw(st.integers(start + 1, len(shown.text)))
    span = shown.original(Span(start, end))
    if span is None:
        assert any(place.overlaps(Span(start, end)) for place in shown.placeholders)
    else:
        assert redacted(source[span.start : span.end]).text.startswith(shown.text[start]) or shown.placeholders
        visible = "".join(
            source[max(piece.start, span.start) : min(piece.end, span.end)]
            for piece in shown.pieces
            if piece.start < span.end and span.start < piece.end
        )
        assert visible == shown.text[start:end]


def test_redaction_takes_linear_time() -> None:
    for hostile in (
        "-----BEGIN PRIVATE KEY-----\n",
        "password=",
        "a://b:",
        "A" * 64 + "\n",
        "eyJaaaaaaaa.",
        "secret key ",
    ):
        started = time.process_time()
        redacted(hostile * (100_000 // len(hostile)))
        assert time.process_time() - started < 2.0, hostile


@pytest.mark.parametrize("text", ["A heart ❤️ and a family 👨‍👩‍👧", "می‌خواهم", "soft\u00adhyphen", "zero\u200bwidth"])
def test_what_scripts_and_emoji_need_is_no_hidden_text(text: str) -> None:
    assert not redacted(text).veiled


@pytest.mark.parametrize("text", ["a\u202eb\u202c", "a\U000e0069\U000e0067", "a" + "\u200b\u200c" * 8, "\u2066x\u2069"])
def test_tags_reordering_and_long_unseen_stretches_are_hidden_text(text: str) -> None:
    assert redacted(text).veiled
