"""``lens doctor``: the facts of a bug report in one paste, with nothing secret in it and no note's content.

Of addresses, keys, names and patterns only whether they are set, or how many; the home folder is ``~``.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import sqlite3
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from lens_lsp import __version__
from lens_lsp.app.configuration import PROJECT_FILE, read_settings, user_file, workspace_of
from lens_lsp.app.oracle_factory import reader_status
from lens_lsp.app.settings import OFF, SHIPPED, Settings, SettingSource
from lens_lsp.cli import FOUND
from lens_lsp.cli.arguments import doctor_parser, parse_mixed
from lens_lsp.cli.renderers import Style
from lens_lsp.cli.summary import heaviest, some
from lens_lsp.cli.terminal import coloured, open_output, printable_path, put, put_json
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.document_store import kept
from lens_lsp.corpus.encoding import decode
from lens_lsp.corpus.extraction import OCR_OFF, OCR_ON, cache_folder, recognition_state
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.scan import fast_matcher_available
from lens_lsp.corpus.text_marks import privacy_of_file
from lens_lsp.corpus.walk import FileEntry, discover
from lens_lsp.documents.kinds import INSTALL, KINDS, DocumentKind, kind_for, missing, reader_version
from lens_lsp.judge.ledger import Budget
from lens_lsp.memory.userdata import Consents, Usage, consent_file, usage_file
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.errors import LensError, UsageError
from lens_lsp.model.marks import Privacy

if TYPE_CHECKING:
    from lens_lsp.memory.store import Health


_REQUIRED = (
    "ahocorasick_rs", "numpy", "onnxruntime", "openai", "platformdirs", "pydantic", "pygls", "watchdog"
)  # fmt: skip
_OPTIONAL = ("bm25s", "PyStemmer", "tantivy")
_VARIABLES = (
    "LENS_API_KEY", "LENS_BASE_URL", "LENS_CONFIG", "LENS_CONTEXT_TOKENS", "LENS_DEBUG", "LENS_DOCUMENT_PASSWORDS",
    "LENS_MODEL", "LENS_READER", "LENS_STORE"
)  # fmt: skip
_LARGE = 16 << 20
"""Bytes from which a file is counted without looking into it."""
_CENSUS_SECONDS = 10.0
_WATCH_LIMIT = "/proc/sys/fs/inotify/max_user_watches"
Facts = dict[str, Mapping[str, object]]
"""Sections of facts: what is printed, as it is printed."""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options after ``doctor``; raises `UsageError`."""
    options = parse_mixed(doctor_parser(), argv)
    options.paths = options.paths or (".",)
    return options


def run(argv: Sequence[str]) -> int:
    """Gather, redact, print."""
    options = parse(argv)
    open_output(machine=options.json)
    workspace = workspace_of(options.paths[0])
    facts = _facts(options.paths, workspace, os.environ)
    if options.probe:
        facts["probe"] = _probed(read_settings((workspace,), os.environ))
    facts = redacted(facts)
    if options.json:
        put_json({"schema": "lens.doctor/1", **facts})
    else:
        put(_as_text(facts, Style(coloured(sys.stdout, os.environ))))
    return FOUND


def _probed(settings: Settings) -> dict[str, object]:
    """Whether the configured model can judge, by ten questions over passages of ours: nothing of the user's is sent.

    Its calls are counted as those of any question. Raises `UsageError` where no model is configured, the settings do
    not let text go to it, or the day's tokens do not reach.
    """
    import asyncio

    from lens_lsp.app.consent import unconsented
    from lens_lsp.app.oracle_factory import of_endpoint
    from lens_lsp.judge.llm.fitness import FIT, TrialOutcome, self_test
    from lens_lsp.model.answer import Mode

    if settings.model.unset or settings.model.of_editor:
        raise UsageError("--probe needs a model: set LENS_BASE_URL and LENS_MODEL")
    settings.require_prices(calling=True)
    factory = of_endpoint(Mode.FAST, settings).metered()
    unconsented(factory.destination, ())  # no text of a folder is sent, but a limit may be missing

    async def asked() -> list[TrialOutcome]:
        try:
            await factory.open()
            return await self_test(factory.chat(), factory.ledger)
        finally:
            await factory.aclose()

    outcomes = asyncio.run(asked())
    right = sum(outcome.why is None for outcome in outcomes)
    verdict = "fit to judge" if right >= FIT else "not fit to judge: name a larger model, or ask with --mode evidence"
    wrong = {each.question: each.why for each in outcomes if each.why is not None}
    problem = None if factory.meter is None else factory.meter.problem
    uncounted = {} if problem is None else {"uncounted": problem}
    return {"right": f"{right} of {len(outcomes)}", "verdict": verdict, **wrong, **uncounted}


def redacted(facts: Facts) -> Facts:
    """The facts with the home folder as ``~``, so that a paste names no user."""
    home = os.path.expanduser("~")
    homes = sorted({home, os.path.realpath(home)} - {os.sep, "~", ""}, key=len, reverse=True)

    def plain(value: object) -> object:
        if not isinstance(value, str):
            return value
        for home in homes:
            if value == home:
                return "~"
            value = value.replace(home + os.sep, "~" + os.sep)
        return value

    return {section: {name: plain(value) for name, value in rows.items()} for section, rows in facts.items()}


def _facts(paths: Sequence[str], workspace: str, environment: Mapping[str, str]) -> Facts:
    settings = read_settings((workspace,), environment)
    scanner = "fast (ahocorasick_rs)" if fast_matcher_available() else "fallback (equal results, slower)"
    return {
        "versions": _versions(),
        "libraries": {name: _installed(name) for name in (*_REQUIRED, *_OPTIONAL)},
        "search": {"scanner": scanner, "model": model_in_words(settings), "reader": reader_status(settings)},
        "documents": {kind.name: _document_reader(kind) for kind in KINDS},
        "settings": settings_in_words(settings),
        "environment": {
            name: "set" if environment.get(name) else "not set"
            for name in sorted({*_VARIABLES, *(name for name in environment if name.startswith("LENS_"))})
        },
        "paths": _paths(settings, workspace, environment),
        "store": _store(workspace, environment),
        "workspace": {
            "folder": workspace,
            "projectSettings": _present(os.path.join(workspace, PROJECT_FILE)),
            **({"note": f"the first of {len(paths)} paths"} if len(paths) > 1 else {}),
        },
        **corpus_facts(workspace, settings.rules),
    }


def _versions() -> dict[str, object]:
    return {
        "lens": __version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()}, {sys.executable})",
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "fileNames": f"{sys.getfilesystemencoding()}, {sys.getfilesystemencodeerrors()}",
        "output": f"{getattr(sys.stdout, 'encoding', None)}, TERM {os.environ.get('TERM', 'not set')}",
    }


def _installed(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed" + (" (optional, for `lens eval`)" if name in _OPTIONAL else "")


def _document_reader(kind: DocumentKind) -> str | None:
    """Who reads a kind of document, and what is to be installed where nobody does."""
    lacking = missing(kind)
    return f"not read, without {', '.join(lacking)}: {INSTALL}" if lacking else reader_version(kind)


def _paths(settings: Settings, workspace: str, environment: Mapping[str, str]) -> dict[str, object]:
    """Where the user's settings are, texts of documents are kept, who recognises scans, and how to switch that."""
    roots = (workspace, *settings.extra_roots)
    recognition = recognition_state(settings.documents, environment.get("PATH", ""), roots)
    on, ocr = recognition.on, recognition.words
    other = OCR_OFF if on else OCR_ON
    if on or settings.documents.ocr == OCR_OFF:
        ocr += f'; documents.ocr = "{other}" in your file of settings turns it {other}, --ocr {other} for one command'
    return {"userConfiguration": _present(user_file(environment)), "extractions": _extractions(settings), "ocr": ocr}


def _extractions(settings: Settings) -> str:
    """Whether texts of documents are kept on disk, and what is there."""
    folder = cache_folder()
    state = f"{'kept' if settings.documents.stored else 'not kept'} in {folder}"
    try:
        count, size = kept(folder)
    except (OSError, sqlite3.Error) as error:
        return f"{state}, which cannot be used: {error}"
    return f"{state}: {some(count, 'text')}, {size / 1e6:.1f} MB"


def _store(workspace: str, environment: Mapping[str, str]) -> dict[str, object]:
    """How the store of the workspace is; one that is not there is not made, one that cannot be used is a finding."""
    from lens_lsp.memory.store import Store
    from lens_lsp.memory.store_file import StoreError, store_folder

    folder: object = "none"
    try:
        folder = store_folder(workspace, None, environment)
        store = Store.existing(folder)
        if store is None:
            return {"folder": str(folder), "state": "absent: nothing was asked here yet, or nothing kept"}
        with store:
            return {"folder": str(folder), **_health(store.health())}
    except StoreError as error:
        return {"folder": str(folder), "problem": str(error)}


def _health(health: Health) -> dict[str, object]:
    rows: dict[str, object] = {
        "state": "sound" if not health.problems else "damaged: what is broken is left out of every answer",
        "layout": f"{health.version}, SQLite {health.sqlite}",
        "megabytes": round(health.size / 1e6, 1),
        "clusters": f"{health.clusters} ({health.archived} archived)",
        "facts": health.facts,
        "citations": health.citations,
        "summaries": health.summaries,
        "writable": "yes" if health.writable else "no: nothing new is kept",
    }
    rows |= {f"problem {number}": problem for number, problem in enumerate(health.problems, 1)}
    rows |= {f"notice {number}": notice for number, notice in enumerate(health.notices, 1)}
    if health.corrupt or health.backups:
        rows["putAside"] = ", ".join((*health.corrupt, *health.backups))
    return rows


def model_in_words(settings: Settings) -> str:
    """Whether a model is configured, and by whom."""
    if settings.model.missing:
        return "no model configured: offline"
    where = "environment" if settings.source("model.baseUrl") is SettingSource.ENVIRONMENT else "user file"
    return f"set in the {where}: `lens ask` calls it"


def settings_in_words(settings: Settings) -> dict[str, object]:
    """Every setting with its source, what was used today, and what is wrong with what was said."""
    model, limits, rules = settings.model, settings.limits, settings.rules
    own = "the mode's own"
    memory = None if settings.memory is None else settings.memory >> 20
    prices = "unknown" if model.prices is None else f"in {model.prices[0]:g}, out {model.prices[1]:g}"
    values = {
        "mode": settings.mode,
        "model.baseUrl": "set" if model.base_url else "not set",
        "model.name": "set" if model.name else "not set",
        "model.contextTokens": _number(model.context_tokens, "what the endpoint says"),
        "model.callSeconds": _number(settings.call_seconds, f"{Budget().call_seconds:g}"),
        "model.prices": prices,
        "budget.calls": _number(limits.calls, own),
        "budget.tokens": _number(limits.tokens, own),
        "budget.seconds": _number(limits.seconds, own),
        "budget.cost": _number(limits.cost, "no limit"),
        "budget.dailyTokens": _number(settings.daily_tokens, "no limit"),
        "extraRoots": some(len(settings.extra_roots), "folder"),
        "respectIgnoreFiles": str(rules.respect_ignore_files).lower(),
        "cacheMegabytes": _number(memory, "a part of the machine's"),
        "documents.store": str(settings.documents.stored).lower(),
        "reader": settings.reader if settings.reader in (SHIPPED, OFF) else "a folder of your own",
        "documents.passwords": some(len(settings.documents.passwords), "password"),
        "documents.ocr": settings.documents.ocr or "on where lens-lsp[ocr] is installed",
    }
    excluded, scoped = (sum(len(getattr(each, name)) for each in rules.projects) for name in ("exclude", "scopes"))
    rows: dict[str, object] = {key: f"{value} ({settings.source(key).value})" for key, value in values.items()}
    rows |= {
        "model.key": _key(settings),
        "exclude": f"{some(len(rules.exclude), 'pattern')} of your own, {excluded} of the project",
        "scopes": f"{some(scoped, 'pattern')} of the project",
        "fallbackEncoding": rules.fallback_encoding,
        "usedToday": _used(),
        "consents": len(Consents.read(consent_file()).given),
    }
    return rows | {f"problem {n}": notice.text for n, notice in enumerate(settings.notices, 1)}


def _number(value: float | None, otherwise: str) -> str:
    return otherwise if value is None else f"{value:,}"


def _key(settings: Settings) -> str:
    if settings.model.key_in_keyring:
        return "in the system's keyring, sent to the model's origin"
    if settings.model.key is None:
        return "not set"
    if settings.model.missing:
        return "set, no model is configured"
    withheld = settings.model.key_withheld
    return f"set, not sent: {withheld}" if withheld else "set, sent to the model's origin"


def _used() -> str:
    try:
        spent = Usage.read(usage_file()).on(date.today())
    except (OSError, ValueError):
        return "cannot be read"
    cost = "" if spent.cost is None else f", cost {spent.cost:g}"
    return f"{some(spent.calls, 'call')}, {some(spent.tokens, 'token')}{cost}"


def corpus_facts(folder: str, rules: CorpusRules, *, limit: float = _CENSUS_SECONDS) -> Facts:
    """What a search would read: files, their encodings, what is left out and why, whether changes can be watched.

    Counts for about ``limit`` seconds at most. A folder that cannot be looked at is a finding, not a failure.
    """
    started = monotonic()

    def late() -> bool:
        return monotonic() - started > limit

    encodings: Counter[str] = Counter()
    unread: Counter[str] = Counter()
    private: list[Privacy] = []
    try:
        with Root(folder) as root:
            found = discover(root, rules, cancelled=late)
            complete = found.complete
            for entry in found.files:
                if late():
                    complete = False
                    break
                try:
                    encodings[_encoding(root, entry, rules.fallback_encoding, private)] += 1
                except Skipped as reason:
                    unread[reason.reason.value] += 1
    except LensError as error:
        return {"corpus": {"problem": str(error)}}
    folders = {entry.path[:at] for entry in found.files for at, char in enumerate(entry.path) if char == "/"} | {""}
    figures: dict[str, object] = {
        "files": len(found.files) - unread.total(),
        "folders": len(folders),
        "megabytes": round(sum(entry.size for entry in found.files) / 1e6, 1),
        "seconds": round(monotonic() - started, 3),
        "complete": "yes" if complete else "no: the time was up, the figures are a part",
    }
    if private:
        misspelled = sum(not mark.exact for mark in private)
        own = f", {misspelled} in a spelling of its own: `lens check` names them" if misspelled else ""
        figures["private"] = f"{some(len(private), 'text file')}{own}"
    return {
        "corpus": figures,
        "skipped": _by_count(unread + Counter(skip.reason.value for skip in found.skips)),
        "encodings": _by_count(encodings),
        "watcher": _watcher(len(folders)),
    }


def _encoding(root: Root, entry: FileEntry, fallback: str, private: list[Privacy]) -> str:
    """How a file is read; how it says ``lens: private``, if it does, is added to ``private``. Raises `Skipped`."""
    kind = kind_for(entry.path)
    if kind is not None:
        if missing(kind):
            raise Skipped(SkipReason.NO_READER)
        return f"{kind.name} (a document)"
    if reader_for(entry.path) is None:
        raise Skipped(SkipReason.UNSUPPORTED)
    if entry.size > _LARGE:
        return "not looked at (large)"
    decoded = decode(root.read(entry.path), fallback)
    mark = privacy_of_file(entry.path, decoded.text)
    private += [] if mark is None else [mark]
    how = " (guessed)" if decoded.guessed else " (byte order mark)" if decoded.bom else ""
    return f"{decoded.encoding}{how}"


def _by_count(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=heaviest))


def _watcher(folders: int) -> dict[str, object]:
    try:
        limit = int(Path(_WATCH_LIMIT).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return {"limit": "none known on this platform"}
    verdict = "enough" if folders < limit else "too few: changes are noticed late, answers stay right"
    return {"limit": limit, "needed": folders, "verdict": verdict}


def _present(path: str) -> str:
    """A path, and whether it is there."""
    return f"{path} ({'present' if os.path.exists(path) else 'absent'})"


def _as_text(facts: Facts, style: Style) -> str:
    parts: list[str] = []
    for section, rows in facts.items():
        width = max((len(name) for name in rows), default=0)
        shown = {name: f"{value:,}" if isinstance(value, int) else str(value) for name, value in rows.items()}
        lines = [f"  {name:{width}}  {printable_path(value)}" for name, value in shown.items()]
        parts.append("\n".join([style.bold(section), *(lines or ["  none"])]) + "\n")
    return "\n".join(parts)
