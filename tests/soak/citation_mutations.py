"""Random changes of cited files, and what the citations say afterwards, against a judge who shares no code with them.

``python -m tests.soak.citation_mutations --n 10000 --corpus DIR …`` prints one JSON line. It exits with 1 if a citation
stands where its quote does not, if one is kept whose quote was changed, if fewer than 99 of 100 are kept by changes
outside the quote, or if two matchers that guess (the first occurrence, the most similar one) pass in the same harness.

The judge knows the old text, the new bytes and what was done to them. A change is *inside* when the quote does not
stand in the new text as it stood, *outside* when it does; the same change may be either: line ends are inside for a
quote over two lines, and a new encoding is outside while the text stays the same.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from lens_lsp.corpus.corpus_rules import ANYWHERE, CorpusRules
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.memory.citations import record
from lens_lsp.memory.sources import Sources
from lens_lsp.model.cluster import Citation, CitationState
from lens_lsp.model.text import Span, shift
from tests.soak.changed_sources import KINDS, Changed, Source, real_texts, sources
from tests.soak.harness import Options, Verdict, harness

STANDING = (CitationState.VERIFIED, CitationState.MOVED)
LEAST_KEPT = 0.99

Matcher = Callable[[Citation, str], Span | None]


@dataclass
class Tally:
    """What came of the trials."""

    trials: int = 0
    false: list[str] = field(default_factory=list)
    """Citations that stand where their quote does not."""
    outside: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    inside: Counter[str] = field(default_factory=Counter)
    withdrawn: Counter[str] = field(default_factory=Counter)
    unknowable: int = 0
    """Changes outside of quotes that nothing recorded can tell from others with the same words, or in texts made so."""
    rebuilt: int = 0
    """Changes that put a quote and its surroundings together again at another place, or in other lines."""
    retold: Counter[str] = field(default_factory=Counter)
    """Citations that stand because another account of what was done leaves the quote alone."""
    encodings: Counter[str] = field(default_factory=Counter)

    def take(self, source: Source, changed: Changed, stands: int | None, *, knowable: bool) -> None:
        """Count one trial; ``stands`` is where the citation is said to stand."""
        self.trials += 1
        self.encodings[f"{source.encoding.codec}{'+bom' if source.encoding.mark else ''}"] += 1
        places = source.places(changed)
        if stands is not None and stands not in places:
            if not changed.lost and source.rebuilt(changed.text, stands):
                self.rebuilt += 1
                return
            self.false.append(f"{changed.kind}: {source.quote[:60]!r} {source.span} is said to stand at {stands}")
        if not places:
            self.inside[changed.kind] += 1
            self.withdrawn[changed.kind] += stands is None
        elif stands is None and (not knowable or not source.real):
            self.unknowable += 1
        else:
            self.outside[changed.kind] += 1
            self.kept[changed.kind] += stands is not None
            self.retold[changed.kind] += changed.image is None and stands is not None

    def share_kept(self) -> float:
        """Of the changes outside, how many kept their citation; a copy of the quote is a doubt on purpose."""
        counted = [kind for kind in self.outside if kind != "duplicate"]
        total = sum(self.outside[kind] for kind in counted)
        return sum(self.kept[kind] for kind in counted) / total if total else 1.0

    def passes(self) -> bool:
        return not self.false and self.withdrawn == self.inside and self.share_kept() >= LEAST_KEPT

    def summary(self) -> dict[str, object]:
        return {
            "trials": self.trials,
            "false": len(self.false),
            "examples": self.false[:5],
            "outside": {kind: [self.kept[kind], count] for kind, count in sorted(self.outside.items())},
            "kept": round(self.share_kept(), 5),
            "inside": {kind: [self.withdrawn[kind], count] for kind, count in sorted(self.inside.items())},
            "unknowable": self.unknowable,
            "rebuilt": self.rebuilt,
            "retold": dict(sorted((+self.retold).items())),
            "encodings": dict(sorted(self.encodings.items())),
        }


def trial(base: Path, source: Source, changed: Changed, tally: Tally, matcher: Matcher | None = None) -> bool:
    """Write, cite, change, look; False when the file is not read as the text that was meant."""
    root = base / "root"
    root.mkdir()
    path = root / "source.txt"
    path.write_bytes(source.encoding.write(source.text))
    rules = CorpusRules(fallback_encoding=source.encoding.fallback)
    with Root(str(root)) as opened:
        try:
            document = Snapshot([opened], {}, rules).document(0, "source.txt")
        except Skipped:
            return False
    if document.text != source.text:
        return False
    citation = record(document, source.span, root=".")
    buffers = {}
    if changed.buffer:
        assert changed.text is not None
        buffers[str(path)] = Buffer(str(path), changed.text)
    else:
        path.unlink()
        _write(root, source, changed)
    with Sources(ANYWHERE, rules=rules, buffers=buffers) as looking:
        checked, _ = looking.check(citation, str(root))
    stands = checked.span.start if checked.state in STANDING and checked.span is not None else None
    if matcher is not None:
        found = None if changed.text is None else matcher(citation, changed.text)
        stands = None if found is None else found.start
    knowable = citation.left is not None or citation.right is not None
    tally.take(source, changed, stands, knowable=knowable)
    if changed.edits and matcher is None:
        _shifted(source, changed, tally)
    return True


def _write(root: Path, source: Source, changed: Changed) -> None:
    if changed.path is None or (changed.text is None and not changed.data):
        return
    data = changed.data or source.encoding.write(changed.text or "")
    for name in (changed.path, "copy.txt")[: 1 + changed.copies]:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)


def _shifted(source: Source, changed: Changed, tally: Tally) -> None:
    """The same changes followed one by one, as an editor tells them."""
    span: Span | None = source.span
    for edit in changed.edits:
        span = None if span is None else shift(span, edit)
    follow = Changed("overlay shift", changed.text, changed.image)
    tally.take(source, follow, None if span is None else span.start, knowable=True)


def first_occurrence(citation: Citation, text: str) -> Span | None:
    """A control: whatever comes first is it."""
    at = text.find(citation.quote)
    return None if at < 0 else Span(at, at + len(citation.quote))


def most_similar(citation: Citation, text: str) -> Span | None:
    """A control: where the quote stood, if it is still much like it; else its first occurrence."""
    there = text[citation.span.start : citation.span.end]
    if SequenceMatcher(None, citation.quote, there, autojunk=False).ratio() > 0.8:
        return citation.span
    return first_occurrence(citation, text)


def run(n: int, texts: Sequence[str], seed: int, matcher: Matcher | None = None) -> Tally:
    """``n`` random changes."""
    rng = random.Random(seed)
    tally = Tally()
    supply = sources(rng, texts)
    done = 0
    while done < n:
        source = next(supply)
        kind = KINDS[done % len(KINDS)]
        try:
            changed = kind(rng, source)
            if not changed.data and changed.text is not None and not changed.buffer:
                source.encoding.write(changed.text)
        except UnicodeEncodeError:  # the foreign characters are none of this encoding's
            continue
        with tempfile.TemporaryDirectory() as folder:
            done += trial(Path(folder).resolve(), source, changed, tally, matcher)
    return tally


@harness(n=10_000, seed=1, corpus=[Path])
def main(options: Options) -> Verdict:
    texts = real_texts(options.corpus)
    tally = run(options.n, texts, options.seed)
    controls = {
        matcher.__name__: run(max(200, options.n // 20), texts, options.seed, matcher)
        for matcher in (first_occurrence, most_similar)
    }
    passes = tally.passes() and all(control.false and not control.passes() for control in controls.values())
    caught = {name: len(control.false) for name, control in controls.items()}
    return {"texts": len(texts), **tally.summary(), "controls": caught, "passes": passes}, passes


if __name__ == "__main__":
    sys.exit(main())
