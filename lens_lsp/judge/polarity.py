"""Negations and opposites: where a sentence says the contrary of what it cites, by words that both share. English.

A negation denies the next words of its clause. What a sentence denies, the quote must deny, or say by a word that holds
a denial ("reject", "unless", "infeasible"), and the other way round; two that the quote does not know undo each other
("cannot … without"). Words are opposites by a table, or by a prefix that denies; where a word of the sentence is the
opposite of one of the quote, just one of the two is denied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product

from lens_lsp.judge.claim_text import IRREGULAR, ClaimToken, Ground, Sentence, aligned, alike
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span
from lens_lsp.model.words import stem

_OPPOSED = """
increase decrease reduce decline fall drop | rise fall drop decline sink | grow shrink decline | gain lose loss |
high low | low high | highest lowest | lowest highest | more less fewer | less more | positive negative | negative
positive | begin end cease stop | start end stop finish | end begin start | open close shut | close open | win
lose lost | lose win won | add remove delete | remove add | enable disable | disable enable | allow forbid
prohibit ban deny | forbid allow permit | legal illegal | illegal legal | north south east west | south north east
west | east west north south | west east north south | northern southern eastern western | southern northern
eastern western | eastern western northern southern | western eastern northern southern | male female | female
male | best worst | worst best | minimum maximum | maximum minimum | above below | below above | before after |
after before | early late | late early | strong weak | weak strong | internal external | external internal |
import export | export import | agree disagree | accept reject | reject accept | support oppose | oppose support |
create destroy | destroy create | arrive leave depart | cause prevent | prevent cause | include exclude | exclude
include | large small | small large | long short | short long | old new | new old | hot cold | cold hot | left
right | right left | public private | private public
"""
_OPPOSITES = """
accept reject refuse decline | approve reject veto oppose | adopt reject | confirm deny | admit deny
allow forbid forbidden prohibit ban deny disallow block | permit forbid forbidden prohibit ban deny
grant revoke deny | enable disable | before after following | prior after | precede follow | since until
ahead behind after | pre post after | ignore respect honor honour obey follow include | omit include contain
skip include | more less fewer | most least fewest | all none | everyone nobody | someone nobody | many few
much little | always never | often rarely seldom | usually rarely seldom | common rare unusual | likely unlikely
required optional | mandatory optional voluntary | compulsory optional voluntary | necessary unnecessary optional
needed optional unnecessary | possible impossible | true false | valid invalid | legal illegal | certain uncertain
include exclude | contain exclude | open close shut | start stop end finish | begin stop end finish
continue stop end cease | add remove delete drop | keep drop remove delete discard lose
retain delete discard remove | insert remove delete | create destroy delete | build destroy | install uninstall
load unload | pack unpack | lock unlock | show hide | expose hide | increase decrease reduce drop fall
grow shrink decline | raise lower | rise fall drop decline | gain lose | win lose | strengthen weaken
improve worsen | widen narrow | tighten loosen | expand shrink collapse | promote demote | upgrade downgrade
maximize minimize | maximise minimise | increment decrement | encrypt decrypt | encode decode
compress decompress expand | high low | higher lower | highest lowest | large small | larger smaller
largest smallest | big small tiny | huge tiny | long short | longer shorter | longest shortest | fast slow
faster slower | fastest slowest | quick slow | quickly slowly | good bad | better worse | best worst
easy hard difficult | easier harder | simple complex complicated | strong weak | stronger weaker | early late
earlier later | first last final | initial final | previous next | former latter | new old | newer older
newest oldest | young old | deep shallow | wide narrow | broad narrow | thick thin | heavy light | hot cold
warm cold cool | dark bright | dry wet | clean dirty | near far | rich poor | cheap expensive | hard soft
public private secret | internal external | manual automatic | manually automatically | paid unpaid free
open-source proprietary | succeed fail | success failure | successful failed unsuccessful | pass fail
reward penalize punish | encourage discourage | support oppose | agree disagree | join leave | arrive leave depart
enter leave exit | attend miss skip | hire fire dismiss | above below | over under | maximum minimum | max min
upper lower | top bottom | front back | left right | inside outside | within outside | vertical horizontal
ascending descending | incoming outgoing | inbound outbound | upstream downstream | similar different
same different differ difference
identical different | equal different unequal | singular plural | single multiple | present absent
presence absence | local remote global | import export | push pull | send receive | lend borrow | positive negative
love hate | like dislike | temporary permanent | temporarily permanently | static dynamic | mutable immutable
synchronous asynchronous | active inactive passive | visible hidden invisible | explicit implicit
absolute relative | direct indirect | abstract concrete | general specific | partial full complete | partially fully
safe dangerous risky | secure insecure | harmful harmless | useful useless | full empty | known unknown
stable unstable | sequential parallel | serial parallel | transparent opaque | strict lenient loose
physical virtual | natural artificial | official unofficial | normal abnormal | ordered unordered | even odd
senior junior | majority minority | major minor | advantage disadvantage drawback | benefit drawback
strength weakness | victory defeat | profit loss | gain loss | add subtract | plus minus | multiply divide
together separately | combine separate split | merge split | connect disconnect | appear disappear
remain change leave | online offline | awake asleep | alive dead | protect expose | cause prevent | remember forget
trust distrust | deprecated recommended | formal informal | voluntary involuntary | superior inferior
modern ancient | guilty innocent
"""
"""A word and its opposites; they need not be opposites of each other."""
_ADJECTIVE_PREFIXES = ("in", "im", "ir", "il")
_ADJECTIVES = """
able ible al ive ant ent ate ous ect ful ed id ic ble ite ure ular ance ence acy ity ency ancy ly ar ete ation
"""
_ADJECTIVE_ENDINGS = tuple(_ADJECTIVES.split())
"""How a word ends whose "in-" denies: "inactive", but not "inland"."""
_AFTER_DIS = """
able agree allow appear approve connect continue courage like honest qualify respect satisfied similar trust advantage
join organized proportionate obey
"""
_DENIED_BY_DIS = frozenset(map(stem, _AFTER_DIS.split()))
_PLAIN = """
unless until under united unit unique union universal uniform undergo understand inside into indeed inland
"""
_NO_PREFIX = frozenset(_PLAIN.split())
"""Words that only look as if a prefix denied them."""
_COMPARATIVES = """
older oldest younger youngest larger largest bigger biggest longer longest taller tallest higher highest
heavier heaviest lighter lightest faster fastest slower slowest wider widest deeper deepest smaller smallest
shorter shortest lower lowest cheaper cheapest warmer hotter colder closer closest nearer nearest farther
farthest further richer poorer stronger newer newest earlier earliest later latest
"""
_CONVERSES = "send sent receive received lend borrow win lose precede follow push pull import export"
COMPARED = frozenset(map(stem, [*_COMPARATIVES.split(), *_CONVERSES.split()]))
"""Stems of opposites that say the same once the two they speak of change places: "faster", "receive"."""
_SHORTEST = 3
_NEGATIONS = """
nobody nothing nowhere nor non hardly scarcely barely lack lacks lacking avoid avoids
not no never none neither nor without cannot isn't wasn't aren't weren't doesn't don't didn't won't hasn't haven't
nicht kein keine keinen keiner nie ohne pas jamais aucun sans nunca ningun sin не нет никогда без
"""
NEGATORS = frozenset(_NEGATIONS.split())
"""Words that deny what follows them."""
UNSPACED_NEGATIONS = ("没有", "沒有", "不是", "不", "未", "ない", "ません", "않", "아니")
_SOFT = """
unless except excluding other apart rather instead only solely alone else fail fails failed failing lack lacks
lacking refuse refuses refused avoid avoids prevent prevents prevented prohibit prohibits prohibited forbid forbids
forbidden reject rejects rejected deny denies denied decline declines declined ban bans banned disable disables
disabled off stop stops stopped false invalid missing absent absence lose loses lost exclude excludes excluded omit
omits omitted skip skips skipping skipped impossible unable unlikely rarely seldom free against remove removes
removed disallow disallowed anonymous 0 zero until unlike away ignore ignores ignored disregard disregarded discard
discarded exempt exempted waive waived refrain abstain cease ceases ceased abandon abandoned withdraw withdrawn
block blocks blocked suppress suppressed bypass bypassed empty blank unset null tbd pending postponed deferred
regrets secret limited restricted unanimously unanimous neglect forgo regardless independent cancel cancelled
canceled suspend suspended suspension optional voluntary less fewer moratorium halt halted outside elsewhere
insensitive inactive incomplete incorrect inconsistent incompatible indirect informal insecure insufficient
invisible infeasible inaccurate inadequate inappropriate inefficient infinite infrequent insignificant imperfect
improper immutable irregular irrelevant irreversible illegal involuntary inaccessible inability indefinite
indefinitely
"""
_HOLDING = frozenset(_SOFT.split())
"""Words that hold a denial: they may stand for a negation, and ask for none."""
_VERBAL = frozenset({"not", "never", "cannot"})
"""Negations that deny what stands before them in their clause, too."""
_STRICT = frozenset({"lack", "lacks", "lacking", "avoid", "avoids", "never"})
"""Negations for which "only" and "other" do not stand."""
_ONLY = frozenset({"only", "solely", "alone"})
_RESTRICTIVE = _ONLY | {"else", "other", "apart"}
_REFUSALS = """
refuse refused reject rejected deny denied forbid forbidden prohibited fail fails failed banned blocked invalid
impossible unable ignored excluded disabled useless error unless except
"""
_REFUSING = frozenset(map(stem, _REFUSALS.split()))
"""What undoes a negation in the same sentence: "without a key it is refused"."""
_CEASES = """
end ended ends stop stopped stops cease ceased drop dropped lack lacks lose lost fail failed remove removed refuse
reject
"""
_CEASING = frozenset(map(stem, _CEASES.split()))
"""What turns an opposite round: "support ended" for "unsupported"."""
_MARKED = regex(r"\[ \]|[❌✗✘✖]")
"""A mark that says no."""
_NO_NEGATION = regex(
    r"(?:\b(?:no|not|never|cannot)|n['’]t)(?: [a-z]+){0,3}"
    r" (?:(?:more|less|fewer|later|earlier|longer|greater|larger|higher|lower) than|exceed\w*|beyond)\b"
    r"|\b(?:nobody|no one|none|nothing|nowhere|no [a-z]+) (?:but|except|other than|besides|else)\b"
    r"|(?:\b(?:not|never)|n['’]t)(?: [a-z]+){0,4} until\b|\bnot (?:only|just|one|even|including)\b|\bno\. ?[0-9]"
    r"|\bother than\b|\bwhether or not\b|\bif not\b|\bor not\b|\Ano,"
)
"""Negations that set a bound or deny nothing."""
_TURNS = "turn turned switch switched opt opted set toggle log sign scale power"
_TURNED = frozenset(map(stem, _TURNS.split()))
_PARTICLES = {"in": "out", "out": "in", "on": "off", "off": "on", "up": "down", "down": "up"}
_LEADERS = """
pre post before after prior following since until above below over under inside outside within ahead behind
"""
_LEADING = frozenset(_LEADERS.split())
"""Opposites that speak of what follows them: "B after A" is "A before B"."""
_AMOUNTS = frozenset({"many", "few", "little", "much", "long", "short"})
_AROUND = 6
"""How many words away two opposites still speak of what is shared."""
_REACH = 4
"""How many content words behind a negation it may deny."""


def _forms(word: str) -> frozenset[str]:
    """The stems of a word's forms."""
    root = word.removesuffix("e")
    forms = {word, f"{word}s", f"{root}ed", f"{root}ing"}
    if word.endswith("y"):
        forms |= {f"{word[:-1]}ied", f"{word[:-1]}ies"}
    return frozenset({*map(stem, forms), *IRREGULAR.get(stem(word), ())})


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in _OPPOSED.replace("\n", " ").split(" | "):
        first, *others = map(stem, group.split())
        table[first] = set(others)
    for group in _OPPOSITES.replace("\n", "|").strip("|").split("|"):
        first, *others = group.split()
        for one, other in product(_forms(first), [form for word in others for form in _forms(word)]):
            table.setdefault(one, set()).add(other)
            table.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in table.items()}


_TABLE = _table()


def opposite(a: ClaimToken, b: ClaimToken) -> bool:
    """Whether two words are opposites."""
    if b.stem in _TABLE.get(a.stem, ()):
        return True
    shorter, longer = sorted((a.word, b.word), key=len)
    if len(shorter) < _SHORTEST:
        return False
    if longer not in _NO_PREFIX and any(_akin(root, shorter) for root in _roots(longer)):
        return True
    pairs = ((a.word, b.word), (b.word, a.word))
    return any(one.endswith("less") and other.endswith("ful") and one[:-4] == other[:-3] for one, other in pairs)


def _roots(word: str) -> Iterator[str]:
    """What a word denies by its prefix."""
    for prefix in ("un", "non"):
        if word.startswith(prefix):
            yield word[len(prefix) :]
    if word.startswith(_ADJECTIVE_PREFIXES) and word.endswith(_ADJECTIVE_ENDINGS):
        yield word[2:]
    if word.startswith("dis") and stem(word[3:]) in _DENIED_BY_DIS:
        yield word[3:]


def _akin(a: str, b: str) -> bool:
    """Whether two words are of one family: "responsive" and "respond"."""
    shared = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return (bool(a) and stem(a) == stem(b)) or shared >= max(5, 2 * min(len(a), len(b)) // 3)


@dataclass(frozen=True, slots=True)
class Side:
    """A text, its negations with the places of the words they deny, and where its words stand in the other text."""

    tokens: Sequence[ClaimToken]
    denials: Mapping[int, Sequence[int]]
    pairs: Mapping[int, Sequence[int]]
    twins: frozenset[int] = frozenset()
    """Negations that the other text has in the same word of the same thing."""


def contrary(sentence: Sentence, ground: Ground) -> tuple[Span, ...]:
    """The words of a sentence that the quote speaks against; none where it does not."""
    said = Side(sentence.tokens, _denials(sentence.text, sentence.tokens), aligned(sentence.tokens, ground.tokens))
    held = Side(ground.tokens, _denials(ground.quote, ground.tokens), aligned(ground.tokens, sentence.tokens))
    twins = _twins(said, held)
    said, held = replace(said, twins=frozenset(twins)), replace(held, twins=frozenset(twins.values()))
    opposites = tuple(_opposites(said, held))
    if opposites:
        return opposites
    lone = [
        at
        for at, scope in said.denials.items()
        if at not in said.twins and not _corrected(said, at) and not _denied_too(at, scope, said, held)
    ]
    if lone:
        return (said.tokens[lone[0]].span,) if len(lone) % 2 and not _undone(lone, said, held, ground.quote) else ()
    dropped = tuple(_dropped(said, held))
    return dropped[:1] if len(dropped) % 2 else ()


def _twins(said: Side, held: Side) -> dict[int, int]:
    """The negations of a sentence that the quote has in the same word, and where."""
    found: dict[int, int] = {}
    for at, scope in said.denials.items():
        places = {place for one in scope for place in said.pairs.get(one, ())}
        for other, reach in held.denials.items():
            same = said.tokens[at].word == held.tokens[other].word
            if same and other not in found.values() and places.intersection(reach):
                found[at] = other
                break
    return found


def _dropped(said: Side, held: Side) -> Iterator[Span]:
    """What the quote denies and the sentence does not, where the sentence speaks of that part of the quote."""
    for at, scope in held.denials.items():
        region = {*scope, *(_behind(held.tokens, at) if _is_verbal(held.tokens[at]) else ())}
        shared = [place for place in scope if place in held.pairs]
        alone = any(place in held.pairs and region.issuperset(said.pairs[held.pairs[place][0]]) for place in region)
        if not shared or not alone or 2 * len(shared) < len(scope):
            continue
        own = {held.tokens[place].sentence for place in scope}
        about = sum(any(held.tokens[place].sentence in own for place in places) for places in said.pairs.values())
        if at not in held.twins and 2 * about >= len(said.pairs) and not _denied_too(at, scope, held, said):
            yield said.tokens[held.pairs[shared[0]][0]].span


def _undone(lone: Sequence[int], said: Side, held: Side, quote: str) -> bool:
    if _MARKED.search(quote) is not None or all(said.tokens[at].word == "non" for at in lone):
        return True
    stems = {token.stem for token in held.tokens}
    return any(token.stem in _REFUSING and token.stem not in stems for token in said.tokens)


def _corrected(said: Side, at: int) -> bool:
    """Whether what is denied is put right: "not X but Y"."""
    tokens = said.tokens
    for place in range(at + 1, min(len(tokens) - 1, at + _AROUND)):
        if tokens[place].word == "but" and tokens[place].sentence == tokens[at].sentence:
            return any(after in said.pairs for after in range(place + 1, place + 1 + _REACH))
    return False


def _opposites(said: Side, held: Side) -> Iterator[Span]:
    present = {token.word for token in held.tokens}
    for at, word in enumerate(said.tokens):
        if word.code or at in said.pairs or word.word in present or _idiomatic(said.tokens, at):
            continue
        if word.word in _PARTICLES:
            if _turned(said.tokens, at, held.tokens):
                yield word.span
            continue
        against = _against(said, at, held)
        compared = word.stem in COMPARED and _swapped(said)
        times = _times(said, at) + _ceased(said.tokens, at, held.tokens)
        if (
            against
            and not compared
            and all(
                (times + _times(held, place) + _ceased(held.tokens, place, said.tokens)) % 2 == 0 for place in against
            )
        ):
            yield word.span


def _against(said: Side, at: int, held: Side) -> list[int]:
    """Where the quote has the opposite of a word, of the same thing, and the sentence has it not."""
    word = said.tokens[at]
    others = [token for token in said.tokens if token is not word and not token.code]
    close = _same_complement if word.word in _LEADING else _near
    return [
        place
        for place, other in enumerate(held.tokens)
        if not other.code
        and opposite(word, other)
        and close(at, place, said.pairs)
        and not any(alike(other, token) for token in others)
    ]


def _turned(said: Sequence[ClaimToken], at: int, held: Sequence[ClaimToken]) -> bool:
    """Whether one is "turn on" and the other "turn off"."""
    before = said[at - 1].stem if at else ""
    return before in _TURNED and any(
        token.stem == before and after.word == _PARTICLES[said[at].word] for token, after in pairwise(held)
    )


def _idiomatic(tokens: Sequence[ClaimToken], at: int) -> bool:
    """ "As many as", "ends up"."""
    if at and tokens[at - 1].word == "as" and tokens[at].word in _AMOUNTS:
        return True
    return tokens[at].stem in ("end", "start") and at + 1 < len(tokens) and tokens[at + 1].word == "up"


def _same_complement(at: int, place: int, pairs: Mapping[int, Sequence[int]]) -> bool:
    """Whether the two texts share a word right behind both places."""
    return any(
        at < one <= at + 4 and any(place < other <= place + 5 for other in places) for one, places in pairs.items()
    )


def _near(at: int, place: int, pairs: Mapping[int, Sequence[int]]) -> bool:
    """Whether the two texts share a word near both places."""
    return any(
        abs(one - at) <= _AROUND and any(abs(other - place) <= _AROUND for other in places)
        for one, places in pairs.items()
    )


def _swapped(said: Side) -> bool:
    """Whether words that both texts have stand in another order; "compared with" swaps them once more."""
    order = [places[0] for _, places in sorted(said.pairs.items()) if len(places) == 1]
    return (order != sorted(order)) != any(token.word == "compared" for token in said.tokens)


def _times(side: Side, at: int) -> int:
    """How many negations deny a word."""
    return sum(bool(scope) and negation < at <= scope[: _REACH - 1][-1] for negation, scope in side.denials.items())


def _ceased(tokens: Sequence[ClaimToken], at: int, others: Sequence[ClaimToken]) -> bool:
    """Whether a word near says that it is no longer so, and the other text has no such word."""
    stems = {other.stem for other in others}
    return any(
        token.stem in _CEASING and token.stem not in stems and token.clause == tokens[at].clause
        for token in (*tokens[max(0, at - _REACH) : at], *tokens[at + 1 : at + 1 + _REACH])
    )


def _denials(text: str, tokens: Sequence[ClaimToken]) -> dict[int, tuple[int, ...]]:
    """Each negation of a text with the words it denies."""
    bounds = [match.span() for match in _NO_NEGATION.finditer(text.lower())]
    found = {}
    for at, token in enumerate(tokens):
        word = token.word.replace("’", "'")
        negates = not token.code and (word in NEGATORS or word.endswith("n't"))
        if negates and not any(start < token.span.end and token.span.start < end for start, end in bounds):
            found[at] = _ahead(tokens, at)
    return found


def _denied_too(negation: int, scope: Sequence[int], here: Side, there: Side) -> bool:
    """Whether the other text denies too what a negation denies."""
    word = here.tokens[negation].word
    strict = word in _STRICT
    reached = here.tokens[negation + 1 : scope[-1] + 1] if scope else ()
    places = {place for at in scope for place in here.pairs.get(at, ())}
    heads = any(here.pairs.get(at) for at in scope[:2])
    own = {token.word for token in here.tokens}
    for at, other in enumerate(there.tokens):
        if at not in there.pairs and any(opposite(other, token) for token in reached):
            return True
        if other.word in _ONLY and other.word in own and not strict:
            return True
        taken = at in there.twins and other.word != word and not _is_verbal(other)
        if taken or not _holds_denial(there, at, own, strict=strict):
            continue
        if not places:
            return True
        if _reaches(here, there, at, places) if heads else _beside(there.tokens, at, places):
            return True
    return False


def _holds_denial(side: Side, at: int, own: set[str], *, strict: bool) -> bool:
    """Whether a word denies, or holds a denial and is not also in the text with the words ``own``."""
    word = side.tokens[at].word
    if word in ("less", "fewer") and at + 1 < len(side.tokens) and side.tokens[at + 1].word == "than":
        return False
    return at in side.denials or (word in _HOLDING and word not in own and not (strict and word in _RESTRICTIVE))


def _reaches(here: Side, there: Side, at: int, places: set[int]) -> bool:
    """Whether a denial reaches one of the places."""
    token = there.tokens[at]
    ahead = there.denials[at] if at in there.denials else _ahead(there.tokens, at)
    if not ahead:
        return True
    if token.word in _RESTRICTIVE and len(ahead) > 1:
        shared = {place for found in here.pairs.values() for place in found}
        if 3 * len(shared.intersection(ahead)) >= 2 * len(ahead):
            return False  # "only members may vote" does not say that members may not
    if places.intersection(ahead):
        return True
    return (at not in there.denials or _is_verbal(token)) and not places.isdisjoint(_behind(there.tokens, at))


def _is_verbal(token: ClaimToken) -> bool:
    return token.word in _VERBAL or token.word.endswith("n't")


def _ahead(tokens: Sequence[ClaimToken], at: int) -> tuple[int, ...]:
    """The next content words of the clause."""
    found: list[int] = []
    for place in range(at + 1, min(len(tokens), at + 1 + 3 * _REACH)):
        if tokens[place].clause != tokens[at].clause or len(found) == _REACH:
            break
        if tokens[place].content:
            found.append(place)
    return tuple(found)


def _behind(tokens: Sequence[ClaimToken], at: int) -> tuple[int, ...]:
    """The last content words before, within the clause."""
    places = range(max(0, at - _AROUND), at)
    return tuple(place for place in places if tokens[place].content and tokens[place].clause == tokens[at].clause)


def _beside(tokens: Sequence[ClaimToken], at: int, places: set[int]) -> bool:
    return any(tokens[at].clause == tokens[place].clause for place in places)
