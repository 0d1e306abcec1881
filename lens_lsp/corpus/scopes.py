"""Scopes: the part of a root that is searched when not all of it is."""

from __future__ import annotations

from lens_lsp.corpus.globs import Patterns
from lens_lsp.corpus.rules import CorpusRules


class Scopes:
    """The user's scopes from the root; without any those of the projects around it, from their folders."""

    __slots__ = ("_sets", "hold_all")

    def __init__(self, root_path: str, rules: CorpusRules) -> None:
        sets = [(Patterns(rules.scopes), "")] if rules.scopes else _of_projects(root_path, rules)
        self._sets = [(patterns, above) for patterns, above in sets if patterns]
        self.hold_all = not self._sets or any(_holds_root(patterns, above) for patterns, above in self._sets)
        """Whether everything below the root is in scope."""

    def name(self, name: str, path: str, folder: bool) -> bool:
        """Whether a scope names an entry; ``path`` is from the root and ends in ``name``."""
        return any(patterns.verdict(name, path, folder, 0, above) is True for patterns, above in self._sets)


def _of_projects(root_path: str, rules: CorpusRules) -> list[tuple[Patterns, str]]:
    return [
        (Patterns(project.scopes), above)
        for project in rules.projects
        if project.scopes and (above := project.above(root_path)) is not None
    ]


def _holds_root(patterns: Patterns, above: str) -> bool:
    """Whether a folder on the way down to the root, or the root itself, is named."""
    steps = above.split("/")[:-1]
    return any(patterns.verdict(step, "/".join(steps[: at + 1]), True) is True for at, step in enumerate(steps))
