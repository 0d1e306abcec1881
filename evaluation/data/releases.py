"""Releases as users download them: HotpotQA and 2WikiMultihop (JSON), MuSiQue (JSON Lines), SQuAD 1.1 and 2.0 (JSON).

The paragraphs that come with the questions are the corpus: all that the file has under one title are one document. A
snapshot of N holds the first N questions in an order that is frozen by a seed, the documents that come with them, and
three times as many of the others as background; a snapshot is part of every larger one, to the byte.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from pydantic import TypeAdapter, ValidationError

from evaluation.data.records import ArticleRecord, ParagraphRecord, QuestionRecord
from evaluation.data.release_records import AliasRecord, ContextRecord, MusiqueRecord, SquadRecord
from lens_lsp.model.errors import EvaluationError

WHOLE = "all"
"""The snapshot that holds every question and document of a file."""
BACKGROUND = 3
"""Documents of a snapshot that no question of it came with, for each that one did."""
ALIASES = "id_aliases.json"
"""The file of 2WikiMultihop's aliases, as its authors call it; JSON Lines."""
_SEED = 42
_LONGEST = 200
"""Bytes of a file name."""

_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class Release:
    """What a file holds. ``contexts`` are the documents that came with each question, by its id."""

    file_sha256: str
    questions: tuple[QuestionRecord, ...]
    """In the frozen order."""
    articles: tuple[ArticleRecord, ...]
    """Sorted by path."""
    contexts: dict[str, tuple[str, ...]]
    aliases_sha256: str | None
    """Of the file of aliases that lay beside it."""
    left_out: int
    """Questions of which the file holds a gold document not at all, as the fullwiki setting of HotpotQA does."""

    def first(self, count: int) -> Release:
        """The snapshot of the first ``count`` questions."""
        chosen = self.questions[:count]
        linked = {path for question in chosen for path in self.contexts[question.id]}
        wanted, kept = BACKGROUND * len(linked), set(linked)
        # In one order for all snapshots and by how many are new: what is background in one is there in every larger.
        for path in sorted((article.path for article in self.articles), key=_shuffled):
            if len(kept) - len(linked) == wanted:
                break
            kept.add(path)
        return Release(
            self.file_sha256,
            chosen,
            tuple(article for article in self.articles if article.path in kept),
            {question.id: self.contexts[question.id] for question in chosen},
            self.aliases_sha256,
            self.left_out,
        )


def read_release(path: Path, *, elsewhere: bool = False) -> Release:
    """Everything in a file. ``elsewhere`` keeps the questions whose gold documents are not in it: they are asked over
    another corpus. Answers of 2WikiMultihop have their aliases where ``id_aliases.json`` lies beside the file. Raises
    EvaluationError when it is none of the releases, or damaged.
    """
    data = _read(path)
    digest = hashlib.sha256(data).hexdigest()
    start = data[:4096].lstrip()
    if start.startswith(b"["):
        rows = _parsed(path, data, list[ContextRecord])
        beside = path.with_name(ALIASES)
        if not (beside.is_file() and any(row.answer_id for row in rows)):
            return _multihop(rows, digest, {}, elsewhere=elsewhere)
        packed = _read(beside)
        named = {row.thing: row for row in _parsed(beside, _lines(packed), list[AliasRecord])}
        found = _multihop(rows, digest, named, elsewhere=elsewhere)
        return replace(found, aliases_sha256=hashlib.sha256(packed).hexdigest())
    if b'"paragraph_text"' in data[:1_000_000]:
        return _musique(_parsed(path, _lines(data), list[MusiqueRecord]), digest)
    return _squad(_parsed(path, data, SquadRecord), digest)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise EvaluationError(f"{path} cannot be read ({error})") from error


def _lines(data: bytes) -> bytes:
    """JSON Lines as one JSON list."""
    return b"[" + b",".join(line for line in data.split(b"\n") if line.strip()) + b"]"


def _parsed(path: Path, data: bytes, kind: type[_Read]) -> _Read:
    try:
        return TypeAdapter(kind).validate_json(data)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        where = ".".join(map(str, detail["loc"]))
        raise EvaluationError(
            f"{path} is no release of HotpotQA, 2WikiMultihop, MuSiQue or SQuAD: {where}: {detail['msg']}"
        ) from error


class _Documents:
    """One document a title: title line, blank line, its different paragraphs in the order of the file."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._starts: dict[tuple[str, str], int] = {}
        self._paths: dict[str, str] = {}
        self._taken: set[str] = set()

    def add(self, title: str, paragraph: str) -> tuple[str, int]:
        """The path of the document, and where in it the paragraph begins."""
        start = self._starts.get((title, paragraph))
        if start is None:
            text = self._texts.get(title, f"{title}\n")
            start = self._starts[title, paragraph] = len(text) + 1
            self._texts[title] = f"{text}\n{paragraph}\n"
        return self.path(title), start

    def path(self, title: str) -> str:
        """The file name of a title's document: the first title keeps a name that several come to."""
        if title not in self._paths:
            name = file_name(title)
            if name.casefold() in self._taken:
                name = f"{name}~{_sha256(title)[:8]}"
            self._taken.add(name.casefold())
            self._paths[title] = name
        return self._paths[title]

    def __contains__(self, title: str) -> bool:
        return title in self._texts

    def articles(self) -> tuple[ArticleRecord, ...]:
        """All of them, sorted by path."""
        made = [
            ArticleRecord(path=self._paths[title], title=title, body=text, sha256=_sha256(text))
            for title, text in self._texts.items()
        ]
        return tuple(sorted(made, key=lambda article: article.path))


def _multihop(
    rows: Sequence[ContextRecord], digest: str, named: Mapping[str, AliasRecord], *, elsewhere: bool
) -> Release:
    documents = _Documents()
    contexts: dict[str, tuple[str, ...]] = {}
    places: _Places = {}
    for row in rows:
        paths = []
        for title, sentences in row.context:
            paragraph, spans = _joined(sentences)
            path, start = documents.add(title, paragraph)
            places[row.id, title] = [(path, start + first, start + last) for first, last in spans]
            places.setdefault(("", title), places[row.id, title])
            paths.append(path)
        contexts[row.id] = tuple(dict.fromkeys(paths))
    found = []
    for row in rows:
        if not row.supporting_facts:
            raise EvaluationError(f"question {row.id} says nothing of its gold: is this the file of the test set?")
        titles = tuple(dict.fromkeys(title for title, _ in row.supporting_facts))
        if elsewhere or all(title in documents for title in titles):
            # Another corpus knows nothing of two titles of this file that come to one name.
            gold = tuple(map(file_name if elsewhere else documents.path, titles))
            contexts[row.id] = tuple(dict.fromkeys((*contexts[row.id], *gold)))
            found.append(
                QuestionRecord(
                    id=row.id,
                    question=row.question,
                    type=row.type,
                    answer=row.answer,
                    answer_aliases=_aliases(named.get(row.answer_id or "")),
                    supporting_titles=titles,
                    supporting_paths=gold,
                    supporting_spans=_support(row, places),
                )
            )
    facts = {row.id: len(row.supporting_facts) for row in rows}
    strata = [(row.type or "", facts[row.id]) for row in found]
    return _frozen(digest, found, strata, documents, contexts, len(rows) - len(found))


def _aliases(record: AliasRecord | None) -> tuple[str, ...]:
    """Everything that counts as the same answer, as the official script has it."""
    return () if record is None else (*record.aliases, *record.demonyms)


_Places = dict[tuple[str, str], list[tuple[str, int, int]]]
"""Where the sentences of a title stand, as they came with a question, by its id; with any question for the id ''."""


def _support(row: ContextRecord, places: _Places) -> tuple[tuple[str, int, int], ...]:
    """Some facts name a sentence that is not there; they have no place to be cited."""
    found = []
    for title, number in row.supporting_facts:
        spans = places.get((row.id, title)) or places.get(("", title), [])
        if number < len(spans) and spans[number][1] < spans[number][2]:
            found.append(spans[number])
    return tuple(dict.fromkeys(found))


def _musique(rows: Sequence[MusiqueRecord], digest: str) -> Release:
    documents = _Documents()
    found = []
    contexts: dict[str, tuple[str, ...]] = {}
    for row in rows:
        places = [(one, *documents.add(one.title, one.paragraph_text)) for one in row.paragraphs]
        contexts[row.id] = tuple(dict.fromkeys(path for _, path, _ in places))
        gold = [(one.title, path, start) for one, path, start in places if one.is_supporting]
        named = {title: path for title, path, _ in gold}
        found.append(
            QuestionRecord(
                id=row.id,
                question=row.question,
                type=row.id.split("__")[0],
                answer=row.answer,
                answer_aliases=row.answer_aliases,
                supporting_titles=tuple(named),
                supporting_paths=tuple(named.values()),
                gold_paras=tuple(ParagraphRecord(title=title, start=start) for title, _, start in gold),
                answerable=row.answerable,
            )
        )
    return _frozen(digest, found, [(row.type or "", 0) for row in found], documents, contexts, 0)


def _squad(release: SquadRecord, digest: str) -> Release:
    documents = _Documents()
    found = []
    contexts: dict[str, tuple[str, ...]] = {}
    for article in release.data:
        title = unquote(article.title).replace("_", " ")
        for paragraph in article.paragraphs:
            path, start = documents.add(title, paragraph.context)
            for row in paragraph.qas:
                spans = [(start + one.answer_start, start + one.answer_start + len(one.text)) for one in row.answers]
                contexts[row.id] = (path,)
                found.append(
                    QuestionRecord(
                        id=row.id,
                        question=row.question,
                        doc_path=path,
                        answers=tuple(one.text for one in row.answers),
                        answer_spans=tuple(dict.fromkeys(spans)),
                        answerable=not row.is_impossible,
                    )
                )
    return _frozen(digest, found, [(str(row.answerable), 0) for row in found], documents, contexts, 0)


def _frozen(
    digest: str,
    found: Sequence[QuestionRecord],
    strata: Sequence[tuple[str, int]],
    documents: _Documents,
    contexts: dict[str, tuple[str, ...]],
    left_out: int,
) -> Release:
    """Every prefix of the order holds each kind of question in about its share of the file."""
    kinds: dict[tuple[str, int], list[QuestionRecord]] = defaultdict(list)
    for row, kind in zip(found, strata, strict=True):
        kinds[kind].append(row)
    places = []
    for kind in sorted(kinds):
        rows = sorted(kinds[kind], key=lambda row: row.id)
        random.Random(f"{_SEED} {kind}").shuffle(rows)
        places += [((place + 0.5) / len(rows), kind, row) for place, row in enumerate(rows)]
    ordered = tuple(row for _, _, row in sorted(places, key=lambda place: place[:2]))
    if len({row.id for row in ordered}) < len(ordered):
        raise EvaluationError("two questions of the file have one id")
    return Release(digest, ordered, documents.articles(), contexts, None, left_out)


def _joined(sentences: Iterable[str]) -> tuple[str, list[tuple[int, int]]]:
    """The sentences of a paragraph as its text, and where each stands in it; some releases leave out the spaces."""
    text, spans = "", []
    for sentence in sentences:
        if text and not text[-1].isspace() and sentence and not sentence[0].isspace():
            text += " "
        kept = sentence.strip()
        start = len(text) + len(sentence) - len(sentence.lstrip())
        spans.append((start, start + len(kept)))
        text += sentence
    return text, spans


def file_name(title: str) -> str:
    """A title as a plain file name: no separators, nothing hidden, not longer than file systems take."""
    name = "".join("_" if one in " /\\\0\n\r\t" else one for one in title)
    if len(name.encode("utf-8", "replace")) > _LONGEST or name.startswith(".") or not name:
        return f"{name.lstrip('.')[:40]}~{_sha256(title)[:8]}"
    return name


def _shuffled(path: str) -> str:
    return _sha256(f"{_SEED} {path}")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
