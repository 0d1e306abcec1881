"""Proposals: which documents join the search, where to look next, and the regions of a request to the oracle.

(Paper, equations 9 and 10.) The best choice over all windows cannot be computed. As in the paper, it is approximated:
cells are drawn from lexical, local and global arms, whose weights λ follow how useful each arm's regions were
(`Mixture`). Each drawn cell becomes a region of a `RegionRequest`: widened to whole sentences, items or rows, without
overlap, within the tokens of the request.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from lens_lsp.corpus.text_marks import joined
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.redaction import secrets_of, shown_secrets
from lens_lsp.model.answer import Arm
from lens_lsp.model.documents import Block, BlockKind, Document
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.observation import MOST_CONTEXT, Region, RegionView, Verdict, tokens
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import CELL, AdmittedCells, Space
from lens_lsp.search.boundaries import REACH, REGION_TOKENS, context_of, fits, overlapping, region, shown
from lens_lsp.search.cells import cells
from lens_lsp.search.corpus_view import Floats
from lens_lsp.search.localisation import ADMITTED, Candidates
from lens_lsp.search.passages import ScoredPassage

START: Mapping[Arm, float] = MappingProxyType({Arm.LEXICAL: 0.60, Arm.LOCAL: 0.25, Arm.GLOBAL: 0.15})
"""The weights λ of the arms at the beginning of a question."""
FLOOR = 0.05
"""The least weight of an arm."""
_NEAR = 6
"""How many cells on either side count as next to a cell: about 300 code points."""
_SECTION_SHARE = 0.3
_LINKED_SHARE = 0.2
_BETWEEN = r"(?:\W|&#?\w{1,10};){1,40}"
LEAST_JOINING = 5
"""The least number of documents that may join per round because of new terms."""
_WIDTH = 500
"""Code points of the window around a drawn cell, before it is widened to whole sentences."""
_OPENING = 300
"""Code points that are shown of the beginning of a document, before they are widened to whole sentences."""
_FLAT = 0.8
"""A ranking of passages is flat as long as each scores at least this share of the third one's score."""
_COMPARED = 3
_SERIAL = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW})
_ENOUGH = 0.9
"""The share of the outstanding belief that is enough for one request."""


@dataclass(slots=True)
class Mixture:
    """The weights λ of the arms, and how they learn. With ``adaptive`` False they stay as they are (an ablation)."""

    weights: dict[Arm, float] = field(default_factory=lambda: dict(START))
    adaptive: bool = True

    def without(self, arms: set[Arm]) -> None:
        """Remove arms (an ablation) and renormalise the weights of the others."""
        kept = {arm: weight for arm, weight in self.weights.items() if arm not in arms}
        total = sum(kept.values())
        self.weights = {arm: weight / total for arm, weight in kept.items()}

    def learn(self, utility: Mapping[Arm, float]) -> None:
        """Set λ_a to λ_a · exp(u_a / max u), renormalised, and at least `FLOOR`.

        ``utility`` is in nats per thousand tokens.
        """
        most = max(utility.values(), default=0.0)
        if not self.adaptive or most <= 0 or len(self.weights) < 2:
            return
        for arm in self.weights:
            self.weights[arm] *= float(np.exp(utility.get(arm, 0.0) / most))
        total = sum(self.weights.values())
        self.weights = {arm: weight / total for arm, weight in self.weights.items()}
        low = {arm for arm, weight in self.weights.items() if weight < FLOOR}
        rest = sum(weight for arm, weight in self.weights.items() if arm not in low)
        for arm, weight in self.weights.items():
            self.weights[arm] = FLOOR if arm in low else weight / rest * (1 - FLOOR * len(low))


def lexical(mass: Floats) -> Floats:
    """π_lex: the share of each cell in the mass of the anchors. ``mass`` has a row for each open requirement.

    Each requirement counts alike.
    """
    total = mass.sum(axis=1, keepdims=True)
    share = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
    return _normalised(np.asarray(share.sum(axis=0), np.float64))


def local(space: Space, posterior: Floats, seen: Floats, links: Mapping[int, tuple[int, ...]]) -> Floats:
    """π_local: the share of each cell that is next to, in the section of, or linked from likely cells.

    Likely cells are the shown ones that the beliefs favour; of all cells, before anything was shown. ``posterior`` has
    a row for each open requirement. ``seen`` is 1 for shown cells. ``links`` lead from a document to others, all by
    order of admission.
    """
    believed = np.asarray(posterior.sum(axis=0), np.float64)
    favoured = believed * seen if seen.any() else believed
    if favoured.sum() <= 0:
        return favoured
    sums = np.concatenate([[0.0], np.cumsum(favoured)])
    cells = np.arange(space.cells)
    first = space.spread(np.array([a.first for a in space.admitted]))
    end = space.spread(np.array([a.end for a in space.admitted]))
    near = sums[np.minimum(cells + _NEAR + 1, end)] - sums[np.maximum(cells - _NEAR, first)]
    return _normalised(
        _normalised(near)
        + _SECTION_SHARE * _normalised(_by_section(space, sums))
        + _LINKED_SHARE * _normalised(_by_link(space, sums, links))
    )


def _by_section(space: Space, sums: Floats) -> Floats:
    shares = np.zeros(space.cells)
    for start, end in (section for admission in space.admitted for section in pairwise(admission.bounds)):
        shares[start:end] = (sums[end] - sums[start]) / (end - start)
    return shares


def _by_link(space: Space, sums: Floats, links: Mapping[int, tuple[int, ...]]) -> Floats:
    shares = np.zeros(len(space.admitted))
    for source, targets in links.items():
        admission = space.admitted[source]
        belief = sums[admission.end] - sums[admission.first]
        for target in targets:
            shares[target] += belief / space.admitted[target].cells
    return space.spread(shares)


def stratified(space: Space, unread: Floats) -> Floats:
    """π_global: documents share alike; in each, its sections with unread cells; in each of those, these cells."""
    shares = np.zeros(space.cells)
    for admission in space.admitted:
        sections = [slice(a, b) for a, b in pairwise(admission.bounds) if unread[a:b].any()]
        for section in sections:
            inside = unread[section]
            shares[section] = inside / inside.sum() / len(sections)
    return _normalised(shares)


def draws(
    arms: Mapping[Arm, Floats], weights: Mapping[Arm, float], rng: np.random.Generator
) -> Iterator[tuple[Arm, int]]:
    """Draw cells without replacement from the mixture: an arm by λ, then a cell by what is left of that arm.

    It ends when no arm has a cell left. The order of the cells of each arm is drawn beforehand, by Gumbel noise on its
    log-weights, which is the same as drawing without replacement. So a draw is cheap however many cells there are.
    """
    orders = {arm: iter(_order(arms[arm], rng)) for arm in weights if arm in arms}
    taken: set[int] = set()
    names, edges = _odds(orders, weights)
    while names:
        arm = names[bisect_right(edges, rng.random())]
        cell = next((cell for cell in orders[arm] if cell not in taken), None)
        if cell is None:
            del orders[arm]
            names, edges = _odds(orders, weights)
            continue
        taken.add(cell)
        yield arm, cell


def _odds(arms: Collection[Arm], weights: Mapping[Arm, float]) -> tuple[list[Arm], list[float]]:
    """The arms, and where the part of each ends between 0 and 1. `Generator.choice` works this out at each draw."""
    names = list(arms)
    odds = np.array([weights[arm] for arm in names])
    sums = np.cumsum(odds / odds.sum())
    return names, (sums / sums[-1:]).tolist()


def _order(weights: Floats, rng: np.random.Generator) -> list[int]:
    cells = np.flatnonzero(weights > 0)
    noisy = np.log(weights[cells]) + rng.gumbel(size=len(cells))
    return [int(cell) for cell in cells[np.argsort(-noisy, kind="stable")]]


def _normalised(weights: Floats) -> Floats:
    total = float(weights.sum())
    return np.asarray(weights / total, np.float64) if total > 0 else weights


def disclosed(document: Document, title: str, view: RegionView, before: int = 0) -> tuple[Span, ...]:
    """The spans of a region, its title, its headings and its table headers, in order and without overlap.

    They count code points of the file, of which ``before`` lie before the document's text. A title that is only the
    file name has no span.
    """
    structure = document.structure
    spans = [view.span]
    spans += [h.span for h in structure.headings if h.span.start < view.span.end and h.text in view.headings]
    spans += [block.header for block in overlapping(structure.blocks, view.span) if block.header is not None]
    spans += _title(document, title)
    return tuple(Span(before + span.start, before + span.end) for span in joined(spans))


def _title(document: Document, title: str) -> list[Span]:
    """Where the title stands: verbatim, as a heading, or as its words with quotes, escapes and markup between them.

    A title that the document gives itself in yet another way stands somewhere at its beginning.
    """
    place = document.text.find(title) if title else -1
    if place >= 0:
        return [Span(place, place + len(title))]
    heading = next((h.span for h in document.structure.headings if h.text == title), None)
    if heading is not None:
        return [heading]
    words = re.findall(r"\w+", title)
    found = re.search(_BETWEEN.join(map(re.escape, words)), document.text[:REACH]) if words else None
    if found is not None:
        return [Span(*found.span())]
    return [Span(0, min(len(document.text), REACH))] if title == document.structure.head.title else []


@dataclass(frozen=True, slots=True)
class Proposal:
    """A region that goes to the oracle, and where it came from. ``cells`` are numbers in the whole `Space`."""

    number: int
    admission: AdmittedCells
    span: Span
    cells: Span
    arm: Arm
    tokens: int
    view: RegionView

    def region(self, before: int = 0) -> Region:
        """The region as the oracle gets it; ``before`` code points of the file lie before the document's text."""
        document = self.admission.document
        secrets = secrets_of(document.text, document.path)
        return Region(
            number=self.number,
            path=document.path,
            title=self.admission.title,
            headings=self.view.headings,
            header="\n".join(self.view.headers) or None,
            text=self.view.text,
            units=tuple(unit.span for unit in self.view.units),
            cells=tuple(self._cells(unit) for unit in self.view.units),
            private=document.structure.private,
            root=document.root,
            sources=disclosed(document, self.admission.title, self.view, before),
            continued=_goes_on(document, self.span.end),
            secrets=shown_secrets(secrets, self.view),
            of_document=secrets,
        )

    def _cells(self, unit: Block) -> int:
        source = self.view.source(unit.span) if unit.kind is BlockKind.TABLE_ROW else None
        return 0 if source is None else len({cell.span for cell in cells(self.admission.document, source)})


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote found in its source: the index of the requirement it is for, its span, and how it was found."""

    requirement: int
    verdict: Verdict
    proposal: Proposal
    span: Span
    """The quote's place, in code points of the document."""
    cells: Span
    match: str
    value: str | None
    round: int

    @property
    def text(self) -> str:
        """The quote's words, as they stand in the document."""
        return self.proposal.admission.text[self.span.start : self.span.end]


class RegionRequest:
    """The regions of one observation, up to ``most`` tokens.

    ``fence`` is how many tokens the text around a region takes. If it is not 0, the context of each region counts too.
    """

    def __init__(self, most: int, fence: int = 0) -> None:
        self.most = self._left = most
        self._fence = fence
        self._cut = False
        self.proposals: list[Proposal] = []
        self.kept = 0
        """How many of the proposals were shown before."""

    @property
    def full(self) -> bool:
        """Whether another region of the usual size may not fit; the first region always may."""
        return bool(self.proposals) and self._left < REGION_TOKENS

    @property
    def complete(self) -> bool:
        """Whether everything that was to be shown fitted in, and every region was shown."""
        return not self._cut and all(item.admission.unread(item.span) is None for item in self.proposals)

    @property
    def used(self) -> int:
        """How many tokens it holds."""
        return self.most - self._left

    def arrange(self) -> None:
        """Number the regions by document, in the order of each document's first region, and by place within it."""
        first: dict[int, int] = {}
        for item in self.proposals:
            first.setdefault(item.admission.slot, item.number)
        ordered = sorted(self.proposals, key=lambda item: (first[item.admission.slot], item.span.start))
        self.proposals = [replace(item, number=number) for number, item in enumerate(ordered, 1)]

    @property
    def half(self) -> bool:
        """Whether more than half of it is filled."""
        return 2 * self._left < self.most

    def cut(self) -> None:
        """Note that something did not fit."""
        self._cut = True

    def add(self, admission: AdmittedCells, span: Span, arm: Arm) -> Proposal | None:
        """Add a span, widened to whole sentences, items or rows, without what was shown before.

        Returns None if nothing of it is left or it does not fit.
        """
        unread = admission.unread(region(admission.document, span))
        if unread is None:
            return None
        view = shown(admission.document, unread)
        size = tokens(view.text)
        cost = size + self._overhead(admission, view)
        if not view.text.strip():
            return None
        if cost > self._left and self.proposals:
            self.cut()
            return None
        self._left -= cost
        admission.mark(unread)
        number = len(self.proposals) + 1
        proposal = Proposal(number, admission, unread, admission.cells_of(unread), arm, size, view)
        self.proposals.append(proposal)
        return proposal

    def again(self, proposal: Proposal, span: Span | None = None) -> None:
        """Add a proposal that was shown before, or only a ``span`` of it."""
        if span is not None:
            admission, view = proposal.admission, shown(proposal.admission.document, span)
            cells = admission.cells_of(span)
            proposal = replace(proposal, span=span, cells=cells, tokens=tokens(view.text), view=view)
        self._left -= proposal.tokens + self._overhead(proposal.admission, proposal.view)
        self.proposals.append(replace(proposal, number=len(self.proposals) + 1))
        self.kept += 1

    def _overhead(self, admission: AdmittedCells, view: RegionView) -> int:
        """The tokens of a region that are not its text."""
        if not self._fence:
            return 0
        lines = (admission.document.path, admission.title, " > ".join(view.headings), "\n".join(view.headers))
        return self._fence + sum(tokens(line[:MOST_CONTEXT]) for line in lines)


def _goes_on(document: Document, at: int) -> bool:
    """Whether text follows after an offset before the next heading."""
    headings = document.structure.headings
    following = bisect_left(headings, at, key=lambda heading: heading.span.start)
    end = headings[following].span.start if following < len(headings) else len(document.text)
    return bool(document.text[at:end].strip())


def fill(request: RegionRequest, space: Space, drawn: Iterable[tuple[Arm, int]], outstanding: Floats) -> None:
    """Add the regions of drawn cells until the request is full or holds `_ENOUGH` of the outstanding belief.

    ``outstanding`` is the belief of each unread cell, summed over the open requirements.
    """
    needed = _ENOUGH * float(outstanding.sum())
    held = 0.0
    taken = np.zeros(space.cells, bool)
    for arm, cell in drawn:
        if request.full or held >= needed:
            return
        if taken[cell]:
            continue
        admission = space.of(cell)
        proposal = _around(request, admission, cell, arm)
        if proposal is not None:
            taken[proposal.cells.start : proposal.cells.end] = True
            held += float(outstanding[proposal.cells.start : proposal.cells.end].sum())


def best(
    request: RegionRequest,
    space: Space,
    passages: Sequence[ScoredPassage],
    enough: int,
    *,
    bare: Collection[ScoredPassage] = (),
) -> None:
    """Add the regions of passages, which are in order of score, the best first.

    The regions are about ``enough`` tokens; if the ranking is flat (`_FLAT`), more of them are added. ``bare`` passages
    come without their context.
    """
    admitted = space.by_slot
    flat = _FLAT * passages[min(_COMPARED, len(passages)) - 1].score if passages else 0.0
    for passage in passages:
        if request.full or (request.used >= enough and passage.score < flat):
            return
        admission = admitted.get(passage.slot)
        if admission is not None and admission.unread(passage.span) is not None:
            span = passage.span if passage in bare else _with_context(admission.document, passage.span)
            request.add(admission, span, Arm.LEXICAL)


def first(request: RegionRequest, space: Space, passages: Sequence[ScoredPassage]) -> dict[int, ScoredPassage]:
    """Add a region for each passage of admitted documents that fits. Returns the passages by region number."""
    admitted = space.by_slot
    shown: dict[int, ScoredPassage] = {}
    for passage in passages:
        admission = admitted.get(passage.slot)
        proposal = None if admission is None else request.add(admission, passage.span, Arm.LEXICAL)
        if proposal is not None:
            shown[proposal.number] = passage
    return shown


def _with_context(document: Document, span: Span) -> Span:
    """A passage with its context and with the whole list or table that it is in or leads into, if a region can hold it.

    A document that fits in a region is taken as a whole.
    """
    whole = Span(0, len(document.text))
    if fits(document.text, whole):
        return whole
    for part in (*(part.span for part in context_of(document, span)), _series(document, span)):
        wider = Span(min(span.start, part.start), max(span.end, part.end))
        if fits(document.text, wider):
            span = wider
    return span


def _series(document: Document, span: Span) -> Span:
    """The items or rows without a break where a span ends, or right after a paragraph there."""
    blocks = document.structure.blocks
    at = bisect_right(blocks, max(span.start, span.end - 1), key=lambda block: block.span.start) - 1
    if 0 <= at < len(blocks) - 1 and blocks[at].kind is BlockKind.PARAGRAPH:
        at += 1  # a sentence that leads in
    if not (0 <= at < len(blocks)) or blocks[at].kind not in _SERIAL:
        return span
    first = last = at
    while first > 0 and blocks[first - 1].kind is blocks[at].kind:
        first -= 1
    while last < len(blocks) - 1 and blocks[last + 1].kind is blocks[at].kind:
        last += 1
    return Span(blocks[first].span.start, blocks[last].span.end)


def certain(request: RegionRequest, space: Space, outstanding: Floats, *, first: bool) -> None:
    """Add what is shown before cells are drawn.

    These are the likeliest places, and then the beginnings of documents (``first``) or the documents that joined. A
    beginning says what a document is and of when, whatever words it uses. ``outstanding`` is the belief of each unread
    cell, a row for each open requirement.
    """
    for row in outstanding:  # drawing may miss the likeliest place, as a small model has room for few cells
        if row.any():
            cell = int(row.argmax())
            _around(request, space.of(cell), cell, Arm.LEXICAL)
    if first:
        openings(request, space)
    else:
        newcomers(request, space, outstanding.sum(axis=0))


def openings(request: RegionRequest, space: Space) -> None:
    """Add the beginning of each admitted document, until half of the request is filled."""
    for admission in space.admitted:
        if request.half:
            return
        opening = Span(0, min(len(admission.text), _OPENING))
        request.add(admission, _rounded(admission, opening, admission.first), Arm.GLOBAL)


def newcomers(request: RegionRequest, space: Space, likely: Floats) -> None:
    """Add the likeliest place of each document that nothing was read of, likeliest first, until there is no room."""
    unread = [admission for admission in space.admitted if not admission.read and not admission.withheld]
    places = [one.first + int(likely[one.first : one.end].argmax()) for one in unread]
    for cell, admission in sorted(zip(places, unread, strict=True), key=lambda place: -likely[place[0]]):
        if request.full or not likely[cell]:
            return
        _around(request, admission, cell, Arm.LEXICAL)


def _around(request: RegionRequest, admission: AdmittedCells, cell: int, arm: Arm) -> Proposal | None:
    """Add what is around a cell. Returns what `RegionRequest.add` returns."""
    if admission.unread(Span(0, len(admission.text))) is None:  # nothing is left to add, so save the search
        return None
    return request.add(admission, _rounded(admission, admission.window(cell, _WIDTH), cell), arm)


def _rounded(admission: AdmittedCells, window: Span, cell: int) -> Span:
    """A window around a cell, widened to text that says one thing; what proves a fact has to stand in one region.

    That is the whole document if a region can hold it, else the paragraph or item around the cell with those beside
    it up to the width of the window. If no region can hold that either, the window stays as it is.
    """
    document, text = admission.document, admission.text
    if fits(text, Span(0, len(text))):
        return Span(0, len(text))
    middle = (cell - admission.first) * CELL + CELL // 2
    touched = [block.span for block in overlapping(document.structure.blocks, window)]
    grown = next((span for span in touched if span.start <= middle < span.end), None)
    if grown is None or not fits(text, grown):
        return window
    for span in sorted(touched, key=lambda span: abs(span.start - middle)):
        if len(grown) >= len(window):
            break
        wider = Span(min(grown.start, span.start), max(grown.end, span.end))
        grown = wider if fits(text, wider) else grown
    return grown


def whole(request: RegionRequest, admission: AdmittedCells, within: Span | None = None) -> None:
    """Add all of a document, or the part ``within``, region by region until the request is full."""
    at, end = (0, len(admission.text)) if within is None else (within.start, within.end)
    while at < end:
        if request.full:
            request.cut()
            return
        proposal = request.add(admission, Span(at, min(end, at + _WIDTH)), Arm.DIRECT)
        at = at + _WIDTH if proposal is None else max(proposal.span.end, at + 1)


def stored(number: int, admission: AdmittedCells, span: Span) -> Proposal:
    """The proposal for a span that an earlier answer cites; it counts as shown, so the oracle need not see it again."""
    unread = admission.unread(span)
    if unread is not None:
        admission.mark(unread)
    view = shown(admission.document, span)
    return Proposal(number, admission, span, admission.cells_of(span), Arm.STORE, tokens(view.text), view)


def outline(request: RegionRequest, space: Space) -> None:
    """Add what a summary needs of each admitted document: first the beginning of each section, then the rest."""
    for admission in space.admitted:
        sections = list(_sections(admission))
        for _, span in sections:
            if not request.full:
                request.add(admission, Span(span.start, min(span.end, span.start + _WIDTH)), Arm.DIRECT)
        for _, span in sections:
            whole(request, admission, span)


def unread_sections(space: Space, *, whole: bool = False) -> tuple[str, ...]:
    """The headings of sections that nothing was read of; with ``whole``, of all that have an unread part."""
    return tuple(
        name or admission.title
        for admission in space.admitted
        for name, span in _sections(admission)
        if (admission.unread(span) is not None if whole else not any(span.overlaps(read) for read in admission.read))
    )


def _sections(admission: AdmittedCells) -> Iterator[tuple[str, Span]]:
    """The heading and span of each section that has text; the heading is empty before the first one."""
    headings = admission.document.structure.headings
    starts = [0, *(heading.span.start for heading in headings)]
    names = ["", *(heading.text for heading in headings)]
    for name, start, end in zip(names, starts, [*starts[1:], len(admission.text)], strict=True):
        if admission.text[start:end].strip():
            yield name, Span(start, end)


class AdmissionQueue:
    """The documents that may join the search later: those that new terms lead to, and the reserve of the ranking.

    Each round admits a few documents, and as many more as one request can show: each round costs a call, whatever it
    holds.
    """

    def __init__(self, candidates: Candidates, space: Space, budget: Budget) -> None:
        self._candidates = candidates
        self._space = space
        self._room = budget.request_tokens
        self._overhead = 2 * budget.fence_tokens
        self._brought: list[int] = []

    def add(self, slots: Iterable[int]) -> None:
        """Put the slots that new terms lead to, the best first, before those of earlier terms."""
        self._brought = list(dict.fromkeys((*slots, *self._brought)))

    @property
    def pending(self) -> bool:
        """Whether terms lead to a document that has not joined yet."""
        return any(slot not in self._space for slot in self._brought)

    def next_slots(self, *, correcting: bool) -> list[int]:
        """The slots that join now: the best that terms lead to. If ``correcting``, they share room with the reserve."""
        if not correcting:
            return self._first(self._brought, LEAST_JOINING, self._room)
        brought = self._first(self._brought, ADMITTED, self._room // 2)
        left = self._room - sum(map(self._size, brought))
        return [*brought, *self._first(self._ranked(), ADMITTED, left, beside=brought)]

    def reserve(self) -> list[int]:
        """The next documents of the ranking that have not joined."""
        return self._first(self._ranked(), ADMITTED, self._room)

    def _ranked(self) -> list[int]:
        return [int(slot) for slot in self._candidates.ranked]

    def _first(self, slots: Iterable[int], least: int, room: int, beside: Sequence[int] = ()) -> list[int]:
        """The first of some slots that have not joined: at least ``least``, and more while they fit ``room`` tokens."""
        chosen: list[int] = []
        for slot in slots:
            if slot in self._space or slot in beside:
                continue
            room -= self._size(slot)
            if len(chosen) >= least and room < 0:
                break
            chosen.append(slot)
        return chosen

    def _size(self, slot: int) -> int:
        """The approximate number of tokens of a whole document, shown with what stands around it."""
        return int(self._candidates.lengths[slot]) // 3 + self._overhead
