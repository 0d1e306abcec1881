"""Options as they are sent: every key there is, what it takes, and from whom it is taken.

One type for each sender, so that what a sender must not say has no place to stand. A field that is None was not said.
This is where untrusted data enters, and with it pydantic: import it only when there is something to read.
"""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from lens_lsp.app.settings import LANGUAGES, OFF, SHIPPED
from lens_lsp.judge.ledger import MODEL_SECONDS, Budget
from lens_lsp.judge.llm.endpoint import Endpoint
from lens_lsp.model.errors import UsageError

_BUDGET = Budget()
_Pattern = Annotated[str, StringConstraints(min_length=1, max_length=1_000, pattern=r"^[^\r\n\x00]*$")]
_Patterns = Annotated[list[_Pattern], Field(max_length=1_000)]
_Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
_Count = Annotated[int, Field(ge=0, le=1_000_000_000_000)]
_Amount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
EDITOR_ONLY = frozenset(
    {
        "answersFolder",
        "decorations",
        "diagnostics.notes",
        "interpreter",
        "path",
        "showNotifications",
        "trace.server",
    }
)
"""Keys that concern an editor's own side; they are taken without a word and change nothing here."""


def _readable(base_url: str) -> str:
    try:
        Endpoint.of(base_url)
    except UsageError:
        # Its words name the host, which a pasted report must not.
        raise ValueError("a model is reached by https, or by http on this machine, at a plain address") from None
    return base_url


def _origin(address: str) -> str:
    return Endpoint.of(_readable(address)).origin


def _absolute(folder: str) -> str:
    expanded = os.path.expanduser(folder)
    if not os.path.isabs(expanded):
        raise ValueError("each folder begins with / or ~")
    return expanded


def _reader(said: str) -> str:
    if said in (SHIPPED, OFF):
        return said
    folder = os.path.expanduser(said)
    if not os.path.isabs(folder):
        raise ValueError("it is shipped, off, or a folder that begins with / or ~")
    return folder


def _adding(pattern: str) -> str:
    if pattern.startswith("!"):
        raise ValueError("it leaves out and brings nothing back, so no pattern begins with !")
    return pattern


def _language(code: str) -> str:
    if code.lower() not in LANGUAGES:
        raise ValueError("it is none of the codes in the reference")
    return code.lower()


_Folder = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00]*$"), AfterValidator(_absolute)]
_Reader = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00]*$"), AfterValidator(_reader)]


def _key(name: str, meaning: str, wanted: str, example: str, default: str = "no limit") -> Any:
    """A key: its name, what it means, the values it takes in words, one of them as TOML, and its default in words."""
    told: dict[str, Any] = {"wanted": wanted, "example": example, "default": default}
    return Field(default=None, alias=name, description=meaning, json_schema_extra=told)


class SenderOptions(BaseModel):
    """What a sender may say."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The keys, in their order."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def told(cls, name: str) -> dict[str, str]:
        """What is told of a key: ``meaning``, ``wanted``, ``example``, ``default``."""
        (field,) = (field for field in cls.model_fields.values() if field.alias == name)
        extra = field.json_schema_extra
        words = {key: str(value) for key, value in extra.items()} if isinstance(extra, dict) else {}
        return {"meaning": field.description or "", **words}

    @classmethod
    def lenient(cls, sent: dict[str, object]) -> tuple[Self, dict[str, str]]:
        """The options without those that cannot be meant, and of each of these why; empty for a wrong type or range."""
        try:
            return cls.model_validate(sent), {}
        except ValidationError as error:
            wrong = {
                str(each["loc"][0]): str(each["ctx"]["error"]) if each["type"] == "value_error" else ""
                for each in error.errors()
            }
        return cls.model_validate({name: value for name, value in sent.items() if name not in wrong}), wrong


class Prices(BaseModel):
    """Money for a million tokens."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    tokens_in: _Price = Field(alias="in")
    tokens_out: _Price = Field(alias="out")


class SharedOptions(SenderOptions):
    """What everybody may say: leave out more, spend less."""

    exclude: Annotated[list[Annotated[_Pattern, AfterValidator(_adding)]], Field(max_length=1_000)] | None = _key(
        "exclude",
        "files and folders left out of every search, beside those that ignore files name",
        "a list of patterns as in .gitignore",
        '["drafts/", "*.log"]',
        "nothing",
    )
    calls: _Count | None = _key(
        "budget.calls", "calls to a model for one question, at most", "a whole number from 0", "4", "the mode's own"
    )
    tokens: _Count | None = _key(
        "budget.tokens",
        "tokens of one question, in and out, at most; yours may be above the default",
        "a whole number from 0",
        "50000",
        f"{_BUDGET.tokens:,}",
    )
    seconds: _Amount | None = _key(
        "budget.seconds",
        "seconds that one question takes, at most; yours may be above the default",
        "a number above 0",
        "60",
        f"{_BUDGET.seconds:g}, and {MODEL_SECONDS:g} with a model",
    )
    cost: _Amount | None = _key(
        "budget.cost",
        "money that one question costs, at most, in the currency of `model.prices`, without which no model is called",
        "a number above 0",
        "0.05",
    )


class ProjectOptions(SharedOptions):
    """What a project's ``.lens.toml`` may say. It has no word for an endpoint, a key, a program or a place on disk."""

    scopes: _Patterns | None = _key(
        "scopes",
        "what is searched where no `--scope` is given: files that match, and folders with all they hold",
        "a list of patterns as in .gitignore",
        '["docs/", "*.md"]',
        "everything",
    )
    language: Annotated[str, AfterValidator(_language)] | None = _key(
        "language",
        "language of files from before Unicode: how bytes are read that are not UTF-8",
        "the code of a language",
        '"ja"',
        '"en"',
    )


class ClientOptions(SharedOptions):
    """What an editor may say, by its settings."""

    base_url: Annotated[str, AfterValidator(_readable)] | None = _key(
        "model.baseUrl",
        "where the model is: `https://…`, or `http://` on this machine",
        "an address of a model",
        '"http://localhost:11434/v1"',
        "none: no model is called",
    )
    name: _Name | None = _key(
        "model.name",
        "what the endpoint calls the model; without `model.baseUrl`, `editor` or `editor:FAMILY` is the model that an"
        " editor offers, used inside that editor only",
        "a name",
        '"qwen3:8b"',
        "none",
    )
    context_tokens: Annotated[int, Field(ge=256, le=100_000_000)] | None = _key(
        "model.contextTokens",
        "tokens that fit into the model, prompt and reply together",
        "a whole number from 256",
        "8192",
        "what the endpoint says",
    )
    call_seconds: _Amount | None = _key(
        "model.callSeconds",
        "seconds that one call to the model takes, at most, within those of the question; above the default it raises"
        " in proportion how long the first token of a reply may take (300) and each further one (60)",
        "a number above 0",
        "1200",
        f"{_BUDGET.call_seconds:g}",
    )
    prices: Prices | None = _key(
        "model.prices",
        "money for a million tokens, in and out",
        "a table of two numbers from 0, in and out",
        "{ in = 0.15, out = 0.6 }",
        "unknown",
    )
    extra_roots: Annotated[list[_Folder], Field(max_length=64)] | None = _key(
        "extraRoots",
        "folders that are searched, too, where no path is given",
        "a list of folders",
        '["~/notes"]',
        "none",
    )
    ocr: (
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z_]{1,19}(\+[A-Za-z][A-Za-z_]{1,19}){0,9}$")] | None
    ) = _key(
        "documents.ocr",
        "whether text on scanned pages is recognised (`on`, `off`), or the languages for the `tesseract` on your PATH"
        " to do it in; image files are read, too, where you write it; what is shown of it is marked as OCR; `--ocr on`"
        " or `off` says it for one command",
        "on, off, or languages as tesseract names them, with + in between",
        '"off"',
        "on where lens-lsp[ocr] is installed; else scans, and scanned pages in other PDFs, are named and not read",
    )
    mode: Literal["auto", "evidence", "fast", "deep"] | None = _key(
        "mode",
        "who judges and words: `evidence` needs no model, `fast` and `deep` do, `auto` is `fast` with one",
        "one of auto, evidence, fast and deep",
        '"fast"',
        '"auto"',
    )
    respect_ignore_files: bool | None = _key(
        "respectIgnoreFiles",
        "whether files are left out that .gitignore, .ignore and .lensignore name",
        "true or false",
        "true",
        "true",
    )
    cache_megabytes: Annotated[int, Field(ge=1, le=1_000_000)] | None = _key(
        "cacheMegabytes",
        "memory kept between questions: what is known of the files, and their texts as far as they fit beside it",
        "a whole number from 1",
        "512",
        "a quarter of the machine's, at most 2,048",
    )


class UserOptions(ClientOptions):
    """What the user's own file may say."""

    key_origin: Annotated[str, AfterValidator(_origin)] | None = _key(
        "model.keyOrigin",
        "the one origin that the key in LENS_API_KEY is sent to, where LENS_BASE_URL does not stand beside it",
        "the beginning of the model's address",
        '"https://models.example"',
        "none: the key goes to LENS_BASE_URL only",
    )
    store_documents: bool | None = _key(
        "documents.store",
        "whether the texts of PDF, Office, e-book and mail files are kept in your cache folder, so that each is read"
        " once; `lens forget --cache` removes them",
        "true or false",
        "false",
        "true",
    )
    cache_extractions: bool | None = _key(
        "documents.cacheExtractions",
        "the former name of `documents.store`",
        "true or false",
        "false",
        "true",
    )
    passwords: list[Annotated[str, StringConstraints(min_length=1, max_length=255)]] | None = _key(
        "documents.passwords",
        "what PDF and Office files are opened with that need a password, each tried in turn, beside the lines of"
        " `LENS_DOCUMENT_PASSWORDS`; their texts are not kept on disk",
        "a list of texts",
        '["a password"]',
        "none",
    )
    reader: _Reader | None = _key(
        "reader",
        "who judges without a language model: the `shipped` reader, nobody (`off`: only counts, lists and extracts are "
        "answered), or another reader of the same shape, by its folder",
        "shipped, off or a folder",
        '"off"',
        '"shipped"',
    )
    cluster: Annotated[str, StringConstraints(pattern=r"^(tcp|tls)://[^\s/@]{1,250}$")] | None = _key(
        "cluster.scheduler",
        "the scheduler of a Dask cluster whose workers search the files of `lens find`, each a part of them: they must"
        " see the same paths. It runs programs with your rights; needs the extra `lens-lsp[cluster]`",
        "an address that begins with tcp:// or tls://",
        '"tls://scheduler.example:8786"',
        "none: this machine searches",
    )
    daily_tokens: _Count | None = _key(
        "budget.dailyTokens",
        "tokens a day, of all questions and endpoints; a question that would begin above them calls no model",
        "a whole number from 0",
        "500000",
    )


LIMITING = frozenset({*SharedOptions.names(), "scopes", "mode", "budget.dailyTokens"})
"""Keys that limit what may be read, sent or spent."""
