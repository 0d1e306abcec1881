"""What documents say about themselves in a line: descriptions and tags of their front matter, by word."""

from __future__ import annotations

from lens_lsp.model.documents import Head
from lens_lsp.model.words import STOP_WORDS, WORD, bigrams, fold, runs, stem


class SummaryIndex:
    """Stems to the slots whose description or tags hold them. No disk; changed with each file."""

    def __init__(self) -> None:
        self._slots: dict[str, set[int]] = {}
        self._words: dict[int, frozenset[str]] = {}

    def add(self, slot: int, head: Head) -> None:
        """Note what a document says about itself, if it says anything."""
        text = " ".join(((head.description or ""), *head.tags))
        if not text.strip():
            return
        folded = fold(text)
        if folded.isascii():
            words = set(WORD.findall(folded))
        else:
            words = {word for run in runs(folded) for word in ([run.text] if run.spaced else bigrams(run.text))}
        self._words[slot] = frozenset(stem(word) for word in words - STOP_WORDS)
        for word in self._words[slot]:
            self._slots.setdefault(word, set()).add(slot)

    def remove(self, slot: int) -> None:
        """Forget a slot."""
        for word in self._words.pop(slot, ()):
            self._slots[word].discard(slot)

    def holders(self, term: str) -> set[int]:
        """The slots whose summary holds a folded term or another form of it."""
        return self._slots.get(stem(term), set())
