"""Which modules must not be wrong, and the tests that have to notice when they are. Tests without processes, so that
each mutant costs little."""

from __future__ import annotations

MODULES = {
    "model/text.py": ("model/test_text.py",),
    "model/sanitize.py": ("model/test_sanitize.py", "cli/test_terminal.py"),
    "lsp/locations.py": ("lsp/test_lsp_open_documents.py", "lsp/test_lsp_locations.py"),
    "lsp/open_documents.py": ("lsp/test_lsp_open_documents.py",),
    "lsp/transport.py": ("lsp/test_lsp_transport.py",),
    "memory/citations.py": ("memory/test_citations.py", "memory/test_citation_outcomes.py"),
    "search/resolution.py": ("search/test_resolution.py",),
    "judge/ledger.py": ("judge/test_ledger.py",),
    "judge/answer_markdown.py": ("judge/test_answer_markdown.py",),
    "corpus/safe_open.py": ("corpus/test_safe_open.py",),
}
"""By the module below ``lens_lsp``: files below ``tests``."""

LEFT_OUT = {
    "model/text.py": (),
    "lsp/open_documents.py": ("test_every_character_is_found_by_its_column",),
    "lsp/locations.py": (
        "test_every_character_is_found_by_its_column",
        "test_as_many_lines_and_code_points_as_may_be_are_followed_and_one_more_is_not",
    ),
    "search/resolution.py": ("encyclopedia", "linear_time", "copied_carelessly"),
    "corpus/safe_open.py": ("nothing_escapes_while_a_parent_is_swapped",),
    "judge/answer_markdown.py": ("linear_time", "a_word_without_end"),
}
"""Parts of names of tests that take long and need not run for every mutant."""
