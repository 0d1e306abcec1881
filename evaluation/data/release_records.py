"""What the published files look like, as far as they are read; other fields are ignored."""

from __future__ import annotations

from pydantic import Field, NonNegativeInt

from evaluation.data.records import Record


class ContextRecord(Record):
    """A question of HotpotQA or 2WikiMultihop: ``context`` is titles with their sentences, facts name title and number
    of a sentence."""

    id: str = Field(validation_alias="_id")
    question: str
    context: tuple[tuple[str, tuple[str, ...]], ...]
    supporting_facts: tuple[tuple[str, NonNegativeInt], ...] = ()
    answer: str | None = None
    answer_id: str | None = None
    """What is answered with, as the file of aliases calls it; only 2WikiMultihop has it."""
    type: str | None = None


class AliasRecord(Record):
    """A line of the aliases that 2WikiMultihop is published with."""

    thing: str = Field(validation_alias="Q_id")
    aliases: tuple[str, ...] = ()
    demonyms: tuple[str, ...] = ()


class MusiqueParagraphRecord(Record):
    """A paragraph that comes with a question of MuSiQue."""

    title: str
    paragraph_text: str
    is_supporting: bool = False


class MusiqueRecord(Record):
    """A line of MuSiQue."""

    id: str
    question: str
    paragraphs: tuple[MusiqueParagraphRecord, ...]
    answer: str | None = None
    answer_aliases: tuple[str, ...] = ()
    answerable: bool = True


class SquadAnswerRecord(Record):
    """Where an answer stands in its paragraph, in code points."""

    text: str
    answer_start: NonNegativeInt


class SquadQuestionRecord(Record):
    """A question of SQuAD; only 2.0 has impossible ones."""

    id: str
    question: str
    answers: tuple[SquadAnswerRecord, ...] = ()
    is_impossible: bool = False


class SquadParagraphRecord(Record):
    """A paragraph and its questions."""

    context: str
    qas: tuple[SquadQuestionRecord, ...]


class SquadArticleRecord(Record):
    """An article."""

    title: str
    paragraphs: tuple[SquadParagraphRecord, ...]


class SquadRecord(Record):
    """A file of SQuAD."""

    data: tuple[SquadArticleRecord, ...]
