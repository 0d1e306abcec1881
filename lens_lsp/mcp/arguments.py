"""What the tools take, as models that check it and say what they take; an unknown argument is refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lens_lsp.mcp.results import BesideQuote

_Words = Annotated[str, Field(min_length=1, max_length=10_000)]
_Path = Annotated[str, Field(min_length=1, max_length=4_096)]
_Paths = Annotated[list[_Path], Field(max_length=64)]
_Line = Annotated[int, Field(ge=1, le=2**31 - 1)]
_Offset = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Arguments(BaseModel):
    """Base of all arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Searched(Arguments):
    paths: _Paths | None = Field(None, description="Files or folders to search; all that may be searched without.")
    globs: Annotated[list[_Path], Field(max_length=64)] | None = Field(
        None, description="Search only files that match one of these, such as `docs/**` or `*.md`."
    )


class AskArguments(_Searched):
    """Of `ask`."""

    question: _Words = Field(description="What to find out, in whole sentences.")
    mode: Literal["auto", "evidence", "fast", "deep"] | None = Field(
        None,
        description="`evidence` needs no model; `fast` and `deep` use the one that the user configured, if text may be "
        "sent there. Left out: what the user's settings say.",
    )
    thread: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="Name of a conversation that the question continues."
    )
    max_seconds: Annotated[float, Field(gt=0, le=3_600)] | None = Field(None, description="Stop searching after this.")


class FindArguments(_Searched):
    """Of `find_evidence`."""

    query: _Words = Field(description="What to look for, in words that the files may use.")
    limit: Annotated[int, Field(ge=1, le=100)] = Field(10, description="How many passages at most.")


class ReadArguments(Arguments):
    """Of `read_evidence`."""

    path: _Path = Field(
        description="As a citation gives it: `notes/a.md`, `notes/a.md:12-14`, absolute, or a file: URI."
    )
    folder: _Path | None = Field(None, description="The citation's `folder`, where `path` is relative.")
    start_line: _Line | None = Field(None, description="The first line, from 1.")
    end_line: _Line | None = Field(None, description="The last line, itself included.")
    span: tuple[_Offset, _Offset] | None = Field(
        None, description="The citation's `span` instead of lines; the only way into documents such as PDF."
    )
    context: Annotated[int, Field(ge=0, le=200)] = Field(0, description="So many lines more on both sides.")
    page: Annotated[int, Field(ge=1, le=2**31 - 1)] = Field(
        1, description="Which page of these lines, from 1; a page is about 6,000 characters, cut at a line's end."
    )

    @model_validator(mode="after")
    def _in_order(self) -> ReadArguments:
        if self.start_line is not None and self.end_line is not None and self.start_line > self.end_line:
            raise ValueError("end_line is before start_line")
        if self.span is not None and (self.span[0] > self.span[1] or self.start_line or self.end_line):
            raise ValueError("span: give it in order, and no lines beside it")
        return self


class CitationArgument(BaseModel):
    """A citation as the tools give it; keys that a check does not need may stay in it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    path: _Path
    quote: Annotated[str, Field(min_length=1, max_length=100_000)]
    folder: _Path | None = None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    lines: tuple[_Line, _Line] | None = None
    span: tuple[_Offset, _Offset] | None = None
    reader: Annotated[str, Field(max_length=200)] | None = None
    beside: BesideQuote | None = None


class CheckArguments(Arguments):
    """Of `check_citations`."""

    citations: Annotated[list[CitationArgument], Field(min_length=1, max_length=200)] | None = Field(
        None, description="As `ask` and `find_evidence` give them; `path` and `quote` are enough for a look."
    )
    answer: _Words | None = Field(None, description="Instead: an answer's resource, `lens://answer/…`.")

    @model_validator(mode="after")
    def _one_of_both(self) -> CheckArguments:
        if (self.citations is None) == (self.answer is None):
            raise ValueError("give either citations or answer")
        return self


class ClustersArguments(Arguments):
    """Of `list_clusters`."""

    ids: Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=1_000)] | None = Field(
        None, description="Only these clusters."
    )
    fresh: bool = Field(False, description="Also look up, now, how many of their citations still stand.")
    limit: Annotated[int, Field(ge=1, le=500)] = Field(50, description="How many at most, the one used last first.")
