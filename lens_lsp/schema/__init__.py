"""Every JSON shape that leaves the process: evidence and findings, answers, events, clusters, checks.

One place for all front ends, so that what a script reads, the rows of an evaluation and the checks that read them
agree. Key order is fixed and mappings are sorted: equal results give equal bytes, except for ``ledger.seconds``.
"""

from __future__ import annotations

from lens_lsp.schema.answer import answer_json, evidence_json, findings_json, ledger_json
from lens_lsp.schema.events import event_json

__all__ = ["answer_json", "event_json", "evidence_json", "findings_json", "ledger_json"]
