"""Results as a chat model may read them that we do not call ourselves, such as an editor's or an agent's.

Whoever runs such a model may read no more than any endpoint: private passages are withheld, secrets redacted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from lens_lsp.judge.redaction import HIDDEN, Fragments, Redacted, redacted, within
from lens_lsp.judge.secret_shapes import cut_ends
from lens_lsp.model.answer import AnswerDelta, Answered, Event, EvidenceFound
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import Evidence, Secret
from lens_lsp.model.text import Span
from lens_lsp.schema.protocol_params import Beside

_WITHHELD = "This answer rests on private notes (`lens: private`), which a model is not given."
_WORDS = frozenset(
    {
        *("answer", "expression", "heading", "quote", "sentence", "shortAnswer", "text", "title", "unsupported"),
        *("value", "warnings", "words"),
    }
)
"""Keys of what may say what documents say."""


def for_model(
    result: dict[str, object], evidence: Sequence[Evidence], citations: Mapping[int, Citation]
) -> dict[str, object]:
    """The result of ``lens/find`` or ``lens/ask`` for the same ``evidence`` as a model may read it.

    Nothing is left of documents marked ``lens: private``, which a warning says; an answer that rests on one is
    withheld. A secret is replaced by the same mark wherever it stands; ``quote`` and the texts of its context are then
    no longer those of their spans, which ``cleaned`` says. ``citations`` say what stands beside a quote, by its number.
    """
    numbers: dict[str, int] = {}
    clean = _cleaner(numbers, evidence)
    items = [
        item
        | _passage(item, source, numbers)
        | {
            "heading": [clean(part) for part in source.heading],
            "beside": beside(citations.get(source.n), source.secrets).model_dump(by_alias=True),
        }
        for item, source in zip(_listed(result, "evidence"), evidence, strict=True)
        if not source.private
    ]
    private = {(source.root, source.path) for source in evidence if source.private}
    documents = [each for each in _listed(result, "documents") if (each["root"], each["path"]) not in private]
    warnings: list[object] = [*_listed(result, "warnings")]
    if private:
        warnings.append(f"private passages that a model is not given: {len(evidence) - len(items)}")
        result = _withheld(result, {source.n for source in evidence if source.private})
    rest = cast("dict[str, object]", clean_words({**result, "warnings": warnings, "evidence": []}, clean))
    return rest | {"evidence": items, "documents": documents}


def event_for_model(event: Event, shape: dict[str, object]) -> dict[str, object] | None:
    """An event of a question that a model asks, in the shape that it has for others; None for what would say more than
    the answer: words as they come, and what is private."""
    if isinstance(event, AnswerDelta | Answered) or (isinstance(event, EvidenceFound) and event.evidence.private):
        return None
    if not isinstance(event, EvidenceFound):
        return shape
    numbers: dict[str, int] = {}
    item = cast("dict[str, object]", shape["evidence"])
    passage = _passage(item, event.evidence, numbers)
    rest = cast("dict[str, object]", clean_words(item, _cleaner(numbers, [event.evidence])))
    return shape | {"evidence": rest | {key: passage[key] for key in ("quote", "context")}}


def cut(whole: Redacted, span: Span) -> str:
    """A stretch of a source as it may leave: what is a secret is known from all of the text."""
    source, at = whole.source, span.start
    marks = iter(whole.placeholders)
    parts: list[str] = []
    for found in whole.found:
        mark = None if found.kind == HIDDEN else next(marks)
        if not found.span.overlaps(span) or found.span.end <= at:
            continue
        parts.append(source[at : max(at, found.span.start)])
        if mark is not None:
            parts.append(whole.text[mark.start : mark.end])
        at = found.span.end
    return "".join([*parts, source[at : max(at, span.end)]])


def _passage(item: Mapping[str, object], source: Evidence, numbers: dict[str, int]) -> dict[str, object]:
    """The quote and context of ``item``, which is made of ``source``, as they may leave. What is a secret is known from
    all of their document."""
    parts = sorted([(source.span, source.quote), *((part.span, part.text) for part in source.context)])
    text, ends = "", 0
    spans: dict[Span, Span] = {}
    held: list[Secret] = []
    for span, said in parts:
        if text and span.start > ends:
            text += " " if span.start == ends + 1 else "\n"
        spans[span] = Span(len(text), len(text) + len(said))
        held += within(source.secrets, span, len(text))
        text, ends = text + said, span.end
    whole = redacted(text, numbers, known=held)
    quote = cut(whole, spans[source.span])
    context = [
        part | {"text": cut(whole, spans[each.span])}
        for part, each in zip(cast("Sequence[dict[str, object]]", item["context"]), source.context, strict=True)
    ]
    same = quote == source.quote and all(
        part["text"] == each.text for part, each in zip(context, source.context, strict=True)
    )
    return {"quote": quote, "context": context, "cleaned": not same}


def _cleaner(numbers: dict[str, int], evidence: Sequence[Evidence] = ()) -> Callable[[str], str]:
    """Takes secrets out, and what a text says of those in documents of evidence; the same one gets the same mark."""
    known = Fragments()
    for item in evidence:
        known.add(item.secrets)
    return lambda text: redacted(text, numbers, also=known).text


def _withheld(result: dict[str, object], private: set[int]) -> dict[str, object]:
    """An answer without its words, and without the values that private evidence, by its numbers, proves."""
    if "answer" not in result:
        return result
    requirements = [
        each
        | {
            "evidence": [n for n in cast("Sequence[int]", each["evidence"]) if n not in private],
            "value": None if private & {*cast("Sequence[int]", each["evidence"])} else each["value"],
        }
        for each in _listed(result, "requirements")
    ]
    words: dict[str, object] = {
        "answer": _WITHHELD,
        "shortAnswer": None,
        "computation": None,
        "unsupported": [],
        "doubts": [],
    }
    return result | words | {"requirements": requirements}


def beside(citation: Citation | None, secrets: Sequence[Secret] | None = None) -> Beside:
    """What tells a quote from others like it; nothing where it could not be looked up or holds what may not leave: the
    quote holds while its document does then. ``secrets`` are those of the document, where they are known."""
    if citation is None or any(_tells(side, secrets) for side in (citation.left, citation.right)):
        return Beside(before=None, after=None)
    start = citation.span.start - len(citation.left or "")
    around = Span(start, citation.span.end + len(citation.right or ""))
    if any(
        not citation.span.contains(_overlap(one.span, around)) for one in secrets or () if one.span.overlaps(around)
    ):
        return Beside(before=None, after=None)
    return Beside(before=citation.left, after=citation.right, count=citation.count)


def _tells(side: str | None, secrets: Sequence[Secret] | None) -> bool:
    """Whether a text beside a quote holds what may not leave."""
    if not side:
        return False
    return bool(redacted(side).found) or (secrets is None and any(cut_ends(side)))


def _overlap(span: Span, other: Span) -> Span:
    return Span(max(span.start, other.start), min(span.end, other.end))


def clean_words(value: object, clean: Callable[[str], str], *, words: bool = False) -> object:
    """The same value, the texts in it that are words of documents cleaned."""
    if isinstance(value, dict):
        return {key: clean_words(each, clean, words=key in _WORDS) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [clean_words(each, clean, words=words) for each in value]
    return clean(value) if words and isinstance(value, str) else value


def _listed(result: dict[str, object], key: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", result[key])
