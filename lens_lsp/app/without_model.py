"""Who judges a question without a language model: the reader.

Without a reader nothing but exact counts, lists and extracts is answered; all else is shown as near.

A reader that the user's settings name, or the one of the package, is loaded from its folder when a question first needs
it, and kept. Loading takes a moment: call this on another thread than the event loop's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from lens_lsp.app.asking import WithoutModel
from lens_lsp.app.settings.settings import OFF, SHIPPED, Settings
from lens_lsp.judge.reader.cross_encoder import SHIPPED as SHIPPED_FOLDER
from lens_lsp.judge.reader.cross_encoder import ReaderModel, ReaderUnavailable, load
from lens_lsp.judge.reader.reader_oracle import ReaderOracle
from lens_lsp.judge.rules.offline_oracle import OfflineOracle


def judge(settings: Settings, cancelled: Callable[[], bool] = lambda: False) -> WithoutModel:
    """The oracle of one question. It stops reading where ``cancelled`` turns true, which is asked on any thread."""
    folder = _folder(settings)
    if folder is None:
        return WithoutModel(OfflineOracle())
    try:
        model = load(folder)
    except ReaderUnavailable as why:
        return WithoutModel(OfflineOracle(), f"{why}: no passage is called a proof without it")
    name = "the shipped reader" if settings.reader == SHIPPED else "a reader of your own"
    return WithoutModel(ReaderOracle(model, cancelled=cancelled, name=name))


def reader(settings: Settings) -> ReaderModel:
    """The reader of the settings. Raises `ReaderUnavailable` where they turn it off and where it cannot be had."""
    folder = _folder(settings)
    if folder is None:
        why = "`reader` in your settings says so" if settings.reader == OFF else "this package has none"
        raise ReaderUnavailable(f"the reader is off: {why}")
    return load(folder)


def _folder(settings: Settings) -> Path | None:
    """Where the reader of the settings is; None where there is to be none."""
    if settings.reader == OFF:
        return None
    if settings.reader == SHIPPED:
        return SHIPPED_FOLDER if SHIPPED_FOLDER.is_dir() else None  # a package without weights has no reader to miss
    return Path(settings.reader)


def name(settings: Settings) -> str:
    """Who judges, as a measurement is bound to it."""
    folder = _folder(settings)
    if folder is None:
        return "no reader"
    return "the shipped reader" if settings.reader == SHIPPED else f"the reader in {folder}"


def reader_in_words(settings: Settings) -> str:
    """Whether the reader is on: its folder, its size and how long it took to load; else why not, and what helps."""
    folder, began = _folder(settings), time.perf_counter()
    if folder is None:
        if settings.reader == OFF:
            return (
                "off: `reader` says so, only counts and lists are answered; take it out of your settings to turn it on"
            )
        return "off: this package has none, only counts and lists are answered"
    try:
        load(folder)
    except ReaderUnavailable as why:
        helps = "install lens-lsp anew" if settings.reader == SHIPPED else "correct `reader` in your settings"
        return f"{str(why).removeprefix('the reader is ')}; {helps}, or set it to off"
    took = time.perf_counter() - began
    size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
    return f"on: {folder}, {size / 1e6:.1f} MB, loaded in {1000 * took:.0f} ms"
