"""Questions that the heads of mail answer: who wrote to whom, when, about what, how many, and what is attached.

People are those of the heads, by their names or addresses; what a mail is about is its subject, and its words where no
subject says it. As with tables, every telling word must be accounted for, and one answer must win. A person that is
asked about and wrote nothing here makes no answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from datetime import date
from email.utils import getaddresses, parsedate_to_datetime

from lens_lsp.judge.rules.question_plan import quoted
from lens_lsp.model.documents import Document
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span
from lens_lsp.model.words import key
from lens_lsp.search.query_parser import Operation
from lens_lsp.search.record_query import TableAnswer
from lens_lsp.search.record_values import listed
from lens_lsp.search.record_words import Question, root
from lens_lsp.search.records import ATTACHMENTS, CC, DATE, FROM, MAIL_COLUMNS, SUBJECT, TO, Message, Record, Table

_MAIL = regex(r"\b(?:e ?-?mails?|mails?|messages?|letters?|thread|posts?|patch(?:es)? mail)\b")
_VERB_WORDS = """
send sends sent sending write writes wrote written writing mail mails mailed email emails emailed receive receives
received get gets got reply replies replied answer answers answered forward forwarded attach attaches attached address
addressed copy copied cc ask asks asked post posts posted announce announced report reported say said tell told suggest
suggested propose proposed request requested want wanted thank thanked contain contains carry carries come comes came
"""
_VERBS = frozenset(_VERB_WORDS.split())
_NOUN_WORDS = """
mail mails email emails e message messages letter letters thread threads post posts subject subjects sender senders
recipient recipients receiver author addressee date day time attachment attachments file files document documents
attached cc copy list mailbox inbox archive_ person people total altogether name names topic title address please
give show many number count header headers line first last earliest latest newest oldest recent most mailing_
"""
_NOUNS = frozenset(_NOUN_WORDS.split())
_OF_MAIL = frozenset(["mail", "mails", "email", "emails", "message", "addressed", "sent", "attached"])
_SENDS = r"(?:send|sends|sent|write|writes|wrote|written|mail|mailed|email|emailed|e-mail|e-mailed|reply|replied|post"
_SENDS += r"|posted|ask|asked|attach|attached|announce|announced|report|reported|forward|forwarded|answer|answered)"
_GETS = r"(?:receive|receives|received|get|gets|got)"
_BEFORE_NAME = regex(r"\b(?:from|to|by|did|does|has|have|of|mailed|emailed|with|and|for) (?:dr |mr |mrs |ms |prof )?\Z")
_REPLY = regex(r"(?:re|aw|sv|antw?|fwd?|wg)(?:\[\d+\])?: ?", re.IGNORECASE)
_ABOUT = regex(r"\b(?:about|regarding|concerning|on|titled|called|subject|with the subject|entitled|named)\b")
_HOW_MANY = -1
_TARGETS = (
    (_HOW_MANY, regex(r"(?!.*\b(?:attachments?|files?)\b).*\b(?:how many|number of|count)\b")),
    (ATTACHMENTS, regex(r"(?=what|which|show|list|name|give).*(?:\battach|\bfiles?\b|\battachments?\b)")),
    (CC, regex(r"(?=(?:who|whom|which|what)\b).*\b(?:cc|carbon copy|copied|in copy)\b")),
    (TO, regex(rf"(?:to whom|whom)\b|who .*\b(?:{_GETS}|addressed|recipients?)\b")),
    (TO, regex(r".*\b(?:recipients?|addressee)\b|.*\bwho(?:m)?\b.*\bto[?. ]*$")),
    (DATE, regex(r"(?:when|(?:on )?(?:what|which) (?:day|date))\b|.*\bdate of\b")),
    (FROM, regex(r"(?:who|from whom|whose|by whom)\b|.*\b(?:sender|author) of\b")),
    (SUBJECT, regex(r".*(?:\bsubjects?\b|\btitle of\b)|(?:which|what|list|show)\b.*\b(?:e?-?mails?|messages?)\b")),
)
"""What is asked of a mail, the first that fits: one of its fields, or how many there are."""
_EXTREME = regex(r"\b(?:(?P<first>first|earliest|oldest)|last|latest|newest|most recent)\b")
_PLURAL = regex(r"\b(?:mails|emails|messages|subjects|attachments|files|people|recipients|senders)\b")
_REPLIES = regex(r"\b(?:repl(?:y|ies|ied)|answer(?:s|ed)?|respon(?:d|ds|ded|se))\b")


@dataclass(frozen=True, slots=True)
class _Person:
    """Somebody that a head names, by the words of the name and of the address."""

    name: str
    words: frozenset[str]


@dataclass(slots=True)
class _Letter:
    """A message with what its head says, taken apart."""

    message: Message
    document: Document
    day: date | None
    people: dict[int, tuple[_Person, ...]] = field(default_factory=dict)
    """By column, from `FROM` to `CC`."""

    @property
    def cells(self) -> tuple[str, ...]:
        return self.message.head.cells


class MailQuery:
    """One question put to the heads of all mail."""

    def __init__(self, question: Question, letters: Sequence[tuple[Message, Document]]) -> None:
        self.question = question
        self.words = question.words
        self.taken: set[int] = set()
        self.letters = list(_apart(_Letter(m, d, _day(m.head.cells[DATE]), _people(m.head)) for m, d in letters))

    def answer(self) -> TableAnswer | None:
        """What the heads say; None where the words do not all fit or the mail does not agree."""
        folded = self.question.folded
        names_mail = _MAIL.search(folded) is not None
        if self.question.is_refused or not self.letters:
            return None
        if not names_mail and re.search(rf"\b(?:who|whom|when|what|which)\b.*\b{_SENDS}\b", folded) is None:
            return None
        target = next((target for target, pattern in _TARGETS if pattern.match(folded)), None)
        if target is None:
            return None
        people = self._named_people()
        if people is None:
            return None
        found = [one for one in self.letters if all(self._has(one, role, names) for role, names in people)]
        told = [f"{MAIL_COLUMNS[role].lower()} {said}" for (role, _), said in zip(people, self._said, strict=True)]
        if self.question.periods:
            options = [period for period, _ in self.question.periods]
            for _, span in self.question.periods:
                self.taken |= self.question.at(span)
            found = [one for one in found if one.day is not None and any(p.first <= one.day <= p.last for p in options)]
            first = self.question.periods[0][1]
            told.append(f"date {self.question.text[first.start : first.end]}")
        topic = self._topic()
        if topic is None or not (people or topic or self.question.periods):
            return None
        if topic:
            found = self._about(found, topic, names_mail=names_mail)
            told.append("about " + " ".join(self.words[at].text for at in topic))
        if _REPLIES.search(folded):
            found = [one for one in found if _REPLY.match(_bare(one.cells[SUBJECT]))]
        if not found:
            return None
        score = 2.0 * len(people) + len(topic) + len(self.question.periods[:1]) + names_mail
        return self._evaluate(found, target, ", ".join(told), score)

    # -- people -----------------------------------------------------------------------------------------------------

    def _named_people(self) -> list[tuple[int, frozenset[str]]] | None:
        """Who is named and in which part, as the names that are meant; None where somebody named is nobody here."""
        everyone = {person.name: person for one in self.letters for people in one.people.values() for person in people}
        found: list[tuple[int, frozenset[str]]] = []
        self._said: list[str] = []
        at = 0
        while at < len(self.words):
            place = self._person_at(at, everyone.values())
            if place is None:
                at += 1
                continue
            last, meant = place
            found.append((self._role(at, last), meant))
            self._said.append(self.question.written(at, last))
            self.taken |= set(range(at, last + 1))
            at = last + 1
        return found if self._all_known() else None

    def _person_at(self, at: int, everyone: Collection[_Person]) -> tuple[int, frozenset[str]] | None:
        """The longest run of words from here that names people, and these."""
        if not self._is_capital(at):
            return None
        end = at
        while end + 1 < len(self.words) and end - at < 4 and (self._is_capital(end + 1) or "-" in self._between(end)):
            end += 1
        for last in range(end, at - 1, -1):
            said = {self.words[n].text for n in range(at, last + 1)}
            meant = frozenset(person.name for person in everyone if said <= person.words)
            if meant and (last > at or self._is_alone(at)):
                return last, meant
        return None

    def _is_alone(self, at: int) -> bool:
        """Whether a single name stands where a person does: "from Anna", "did Anna write", "Anna's mail"."""
        before = self.question.folded[: self.words[at].span.start]
        after = self.question.folded[self.words[at].span.end :]
        behind = re.match(rf"  |,? {_SENDS}\b|,? {_GETS}\b", after)
        return behind is not None or _BEFORE_NAME.search(before) is not None

    def _between(self, at: int) -> str:
        return self.question.folded[self.words[at].span.end : self.words[at + 1].span.start]

    def _is_capital(self, at: int) -> bool:
        asks = at == 0 and self.words[0].text in ("who", "when", "what", "which", "how", "to")
        return self.question.letter(at).isupper() and not asks

    def _role(self, first: int, last: int) -> int:
        before = self.question.folded[: self.words[first].span.start]
        after = self.question.folded[self.words[last].span.end :]
        if re.search(r"\b(?:cc|copied|copy(?: to)?)(?: was| were)? \Z", before):
            return CC
        if re.search(r"\b(?:to|addressed to|emailed|mailed|e-mailed) \Z", before):
            return TO
        if re.search(r"\b(?:did|does|has|have) \Z", before) and re.match(rf"[^,]*?\b{_GETS}\b", after):
            return FROM if re.match(rf"[^,]*?\b{_SENDS}\b", after) else TO
        if re.match(rf" {_GETS}\b", after):
            return TO
        return FROM

    def _all_known(self) -> bool:
        """Whether nobody else is named where a person stands."""
        for at, word in enumerate(self.words):
            if at in self.taken or not self._is_capital(at) or not word.telling or word.text.isdigit():
                continue
            before = self.question.folded[: word.span.start]
            after = self.question.folded[word.span.end :]
            person = re.search(r"\b(?:from|by|did|does) \Z", before) or re.match(rf"  | {_SENDS}\b", after)
            if person and not any(span.overlaps(word.span) for _, span in self.question.periods):
                return False
        return True

    def _has(self, one: _Letter, role: int, meant: frozenset[str]) -> bool:
        columns = (TO, CC) if role == TO else (role,)
        return any(person.name in meant for column in columns for person in one.people.get(column, ()))

    # -- what it is about -------------------------------------------------------------------------------------------

    def _topic(self) -> list[int] | None:
        """The words that say what the mail is about; all that are left."""
        inside: set[int] = set()
        for name in quoted(self.question.text):
            inside |= self.question.at(Span(name.start, name.start + len(name.text)))
        about = _ABOUT.search(self.question.folded)
        behind = about.end() if about is not None else len(self.question.folded)
        found = []
        for at, word in enumerate(self.words):
            named = at > 0 and len(word.text) > 1 and self._is_capital(at)  # "May" of "the May meeting"
            if at in self.taken or (not word.telling and at not in inside and not named):
                continue
            about_mail = _OF_MAIL if word.span.start >= behind else _VERBS | _NOUNS
            if at not in inside and word.text in about_mail:
                continue
            if about is None or word.span.start != about.start():
                found.append(at)
        return found

    def _about(self, letters: Sequence[_Letter], topic: Sequence[int], *, names_mail: bool) -> list[_Letter]:
        """The mail with all words of a topic in its subject, else in its subject and words."""
        wanted = {root(self.words[at].text) for at in topic}

        def held(text: str) -> bool:
            return wanted <= {root(word) for word in key(text).split()}

        found = [one for one in letters if held(f"{one.cells[SUBJECT]} {one.cells[ATTACHMENTS]}")]
        if found or not names_mail or any(self._is_capital(at) for at in topic):
            return found
        bodies = ((one, one.message.body) for one in letters)
        return [one for one, body in bodies if held(f"{one.cells[SUBJECT]} {one.document.text[body.start : body.end]}")]

    # -- the answer -------------------------------------------------------------------------------------------------

    def _evaluate(self, found: list[_Letter], target: int, told: str, score: float) -> TableAnswer | None:
        found.sort(key=lambda one: (one.day or date.min, one.document.path, one.message.head.span))
        extreme = _EXTREME.search(self.question.folded)
        if target == _HOW_MANY:
            return self._result(Operation.COUNT, f"{len(found):,}", f"mails: {told}", found, None, score)
        if extreme is not None:
            days = [one.day for one in found if one.day is not None]
            if len(days) < len(found):
                return None
            day = min(days) if extreme["first"] else max(days)
            found = [one for one in found if one.day == day]
        values = list(dict.fromkeys(one.cells[target] for one in found))
        if len(values) > 1 and target in (FROM, TO, CC, DATE, SUBJECT) and not self._several(target):
            # The mail that begins a thread is meant, unless its answers are.
            first = [one for one in found if not _REPLY.match(_bare(one.cells[SUBJECT]))]
            values = list(dict.fromkeys(one.cells[target] for one in first))
            found = first
        several = len(values) > 1
        if several and not self._several(target):
            return None
        if not values or not all(values):
            values = [value for value in values if value]
            if not values or target != ATTACHMENTS:
                return None
            found = [one for one in found if one.cells[target]]
        operation = Operation.LIST if several else Operation.LOOKUP
        said = f"{MAIL_COLUMNS[target]} of the mail: {told}"
        return self._result(operation, listed(values, "; "), said, found, target, score)

    def _several(self, target: int) -> bool:
        folded = self.question.folded
        return (
            _PLURAL.search(folded) is not None and re.match(r"(?:which|what|list|show|who|name)\b", folded) is not None
        )

    def _result(
        self, operation: Operation, short: str, told: str, found: Sequence[_Letter], target: int | None, score: float
    ) -> TableAnswer:
        rows: list[Record] = []
        for one in found:
            rows.append(one.message.head)
            if target == ATTACHMENTS and one.message.attached is not None:
                rows.append(Record(one.message.head.slot, one.message.attached, one.message.head.cells))
        table = Table(found[0].document, None, MAIL_COLUMNS, (), records=rows, mail=True)
        return TableAnswer(operation, short, told, table, tuple(rows), target, score)


def _day(written: str) -> date | None:
    """The day by the sender's clock."""
    try:
        return parsedate_to_datetime(written).date()
    except (TypeError, ValueError, OverflowError):
        return None


def _people(head: Record) -> dict[int, tuple[_Person, ...]]:
    return {column: tuple(_persons(head.cells[column])) for column in (FROM, TO, CC)}


def _persons(written: str) -> Iterator[_Person]:
    for name, address in getaddresses([written]):
        words = key(f"{name} {address}").split()
        if words:
            yield _Person(key(name) or key(address), frozenset(words))


def _bare(subject: str) -> str:
    """A subject without the name of the list before it."""
    return re.sub(r"\A(?:\[[^\]]*\] ?)+", "", subject)


def _apart(letters: Iterator[_Letter]) -> Iterator[_Letter]:
    """Each message once, where a mailbox and a folder hold copies of it."""
    seen: set[tuple[str, ...]] = set()
    for one in letters:
        head = one.cells[:ATTACHMENTS]
        if head not in seen:
            seen.add(head)
            yield one
