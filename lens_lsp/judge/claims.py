"""Which words of a sentence the passages it cites do not support.

No model judges: numbers, dates, units (`claim_text`) and names must stand in the passages, negations and opposites must
agree with them, and what limits a quote must not be lost: a sentence may not say "all", "always", "only", "exactly" or
"must" where its quote does not, nor leave off the condition or the "only" of what it repeats. Negations, limits and
capitalised names are read in English only; the rest holds in every language."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import islice, pairwise, product

from lens_lsp.arithmetic.notation import MONTHS, ORDINAL_WORDS, STARTS
from lens_lsp.arithmetic.units import FUNCTION_WORDS
from lens_lsp.judge.claim_text import (
    IRREGULAR,
    UNITLESS,
    CitedPassage,
    ClaimToken,
    Ground,
    Sentence,
    aligned,
    alike,
    capitals_of,
    exchanged,
    ground_of,
    overlaps_any,
    sentence_of,
    tokens_of,
    unheld,
)
from lens_lsp.judge.rules.question_plan import NO_NAMES, OPENERS
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import STOP_WORDS, fold, stem

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
modern ancient | guilty innocent | increase decline | rise sink | begin cease | male female | north south east west
south east west | east west | northern southern eastern western | southern eastern western | eastern western
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
_SHORTEST_PREFIXED = 3
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
_ONLY_WORDS = frozenset({"only", "solely", "alone"})
_RESTRICTIVE = _ONLY_WORDS | {"else", "other", "apart"}
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
_CODE = regex(r"`+([^`\n]+)`+|<kbd>([^<\n]+)</kbd>")
_IDENTIFIER = regex(
    r"(?<![\w@$/.-])(?:[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # addresses
    r"|--?[a-zA-Z][\w-]*|[@$][A-Za-z]\w*|[\w.-]*\w/[\w./-]*\w"  # options, variables, paths
    r"|\w*[a-z][A-Z]\w*|\w+_\w+|[A-Za-z]\w*\.[a-z]{2,4}|\.[a-z][a-z0-9]{1,5})(?![\w])"
)
_KEYS = regex(r"(?<![\w+])[A-Za-z]+(?:\+[A-Za-z0-9]+)+(?![\w+])")
_CAPITAL = regex(r"[A-Z][^\W_]*(?:['’][^\W_]+)*")
_OPENING = regex(r"(?:\A|[.!?:]\s|\n)[\s\"'“‘(\[*_>-]*\Z")
_SPACES = regex(r"\s+")
_PARTS = regex(r"[^\s,;+=()]+")
_WORDS = regex(r"[^\W_]+")
_SMALL = frozenset({"of", "the", "and", "for"})
_OPENING_WORDS = """
outside inside throughout unlike concerning regarding
"""
_COMMON = OPENERS | FUNCTION_WORDS | STARTS | frozenset(ORDINAL_WORDS) | frozenset(_OPENING_WORDS.split())
"""Words that open a sentence and name nothing, whatever follows."""
_VERBS = """
is was has had will would did does wrote said chose made can may must proposes became provides requires supports uses
offers contains includes allows says shows needs gets gives makes takes
"""
_FINITE = frozenset(_VERBS.split())
"""Verbs that show the single capitalised word before them to be a subject without an article."""
_COMMON_ENDINGS = """
s ing ed ly tion sion ment ness ity ance ence ship age al one body thing ware time work ry ure ism th
"""
_NO_NAME_ENDINGS = tuple(_COMMON_ENDINGS.split())
"""Ends of nouns that need no article."""
_COUNTED_OFF = """
chapter section step table figure part appendix article page line version note item row column day week
"""
_NO_NAMES = NO_NAMES | STOP_WORDS | frozenset(MONTHS) | frozenset(_COUNTED_OFF.split())
_SHORTEST = 4
"""The fewest letters of a stem that another may continue."""
_LONGEST_ENDING = 3
_LONGEST_INITIALS = 6
_NUMBERS = r"two|three|four|five|six|seven|eight|nine|ten"
_ALWAYS = regex(
    r"\b(?:always|inevitably|definitively|definitely|whatsoever|whatever|whichever|whoever|whenever|wherever"
    r"|(?:under|in) (?:any|all|every|each) (?:circumstances?|cases?|situations?|contexts?)|at all times|regardless"
    r"|irrespective|no matter|whether or not|without exceptions?|every single|universally|invariably|unconditionally"
    r"|in full|entirely|completely|fully|full set)\b",
    re.IGNORECASE,
)
_ALWAYS_HELD = regex(
    r"\b(?:always|whatever|whichever|whoever|whenever|wherever"
    r"|(?:any|all|every|each) (?:\w+ )?(?:circumstances?|cases?|situations?|contexts?|times?)"
    r"|regardless|irrespective|no matter|whether|without exceptions?|universally|invariably|never|absolutely|totally"
    r"|wholly|entire(?:ly)?|complete(?:ly)?|fully|full|whole|all|every|must|anytime|forever|guarantee[ds]?)\b",
    re.IGNORECASE,
)
_EVERY = regex(r"\b(?:all|every|any)\b|\b(every|any)(?:one|body|thing|where)\b", re.IGNORECASE)
_EVERY_HELD = regex(
    r"\b(?:all|every|any|each|no|both|whole|entire)\b|\b(every|any|no)(?:one|body|thing|where)\b", re.IGNORECASE
)
_FREE = regex(
    r"(?:\b(?:not|no|without|if|unless|cannot|hardly|than|before|nor|prevents?|avoids?|whether|when|where|once)\b"
    r"|n['’]t\b)[^.;:]*\Z|\b(?:at|in|after|above)\s\Z",
    re.IGNORECASE,
)
"""What stands before an "any" that does not mean "every"."""
_FREE_HELD = regex(
    r"(?:\b(?:not|no|without|if|unless|cannot|hardly|nor|prevents?|avoids?)\b|n['’]t\b)[^.;:,]*\Z", re.IGNORECASE
)
_DENIED = regex(r"(?:\b(?:not|never|cannot|hardly)\b|n['’]t\b)(?:\s\w+){0,4}\s\Z", re.IGNORECASE)
_FLOATING = regex(r"\b(?:are|were|is|was|be|been|they|we|you|them|us|these|those)\s\Z", re.IGNORECASE)
_WHO = regex(r"\s(?:who|that|whose|else)\b", re.IGNORECASE)
_NUMBERED = regex(rf"\s(?:of the )?(?:the )?(?:[0-9]+|{_NUMBERS})\b", re.IGNORECASE)
_NUMERAL = regex(rf"[0-9].*|{_NUMBERS}")
_ONLY = regex(
    r"\b(?:only|solely|exclusively|nowhere else|nobody else|nothing else|no one else|no other|alone)\b", re.IGNORECASE
)
_ONLY_HELD = regex(
    r"\b(?:only|solely|exclusively|alone|else|other|must|just|single|sole|limited|except|unless|require[sd]?|needs?"
    r"|nobody|cannot|can['’]t|not|no|restricted|reserved|mere|merely|first|specific|specifically)\b",
    re.IGNORECASE,
)
_ONLY_WHEN = regex(r"\s(after|when|if|once|until|before)\b", re.IGNORECASE)
_ONLY_SO_MANY = regex(rf"\s(?:once|twice|about|around|some|[0-9~]|one|{_NUMBERS})\b", re.IGNORECASE)
_EXACT = regex(r"\b(?:exactly|precisely)\b", re.IGNORECASE)
_BINDING = regex(
    r"\b(?:must|ha(?:s|ve) to|is required|are required|mandatory|obliged|obligatory|required to|needs? to)\b",
    re.IGNORECASE,
)
_BINDING_HELD = regex(
    r"\b(?:must|ha(?:s|ve) to|require\w*|mandatory|oblig\w*|needs?|needed|shall|only|always|never|not|no|cannot"
    r"|necessary|ensure|make sure|will|are to|is to|please|invalid|don['’]t)\b",
    re.IGNORECASE,
)
_LOOSE = regex(
    r"\b(?:may|might|optional(?:ly)?|free to|should|recommend\w*|prefer\w*|suggest\w*|encourage\w*)\b[^.;:]*\Z",
    re.IGNORECASE,
)
_NEAR = 40
"""How far before a word its "may" or "must" is looked for, in code points."""
_ALONE = regex(r"\b(?:only|solely|exclusively|alone)\b", re.IGNORECASE)
_ALONE_SAID = regex(
    r"\b(?:only|solely|exclusively|alone|just|single|sole|limited|except|unless|nobody|nothing|none|no|not|cannot|other"
    r"|else|need(?:s|ed)?|necessary|merely|restricted|reserved|never|without|must|require[sd]?|apart|whether|opt)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_CONDITION = regex(
    r"\b(?:only if|only when|if|unless|provided(?: that)?|providing|except(?: for| when| if| that)?|as long as"
    r"|so long as|in case|excluding|apart from|other than|only (?:for|in|on|with|after|by))\b",
    re.IGNORECASE,
)
_CONDITION_END = regex(r"[,;:.()](?=\s|\Z)|\n\s*\n|\Z")
_CONDITION_SAID = regex(rf"{_CONDITION.pattern}|\b(?:when|where|while|without|who|whose|which)\b", re.IGNORECASE)
_GOES_ON = regex(r"[,;]?\s?(?:but|unless|except|only|if|provided|as long as)\b[^.!?]*", re.IGNORECASE)
"""A limit right behind a quote that ends within its sentence."""
_SENTENCE_END = regex(r"[.!?](?=\s|\Z)|\n\s*\n")
_CORE = 3
"""The first words of a condition: where none of them is said, the condition is left off."""
_LIMITS = """
all always every any each only must should may might some sometimes usually often most mostly generally typically least
exactly unless except if entirely fully alone
"""
_LIMITING = frozenset(_LIMITS.split())
"""Words that say of how much something holds."""


def _forms(word: str) -> frozenset[str]:
    """The stems of a word's forms."""
    root = word.removesuffix("e")
    forms = {word, f"{word}s", f"{root}ed", f"{root}ing"}
    if word.endswith("y"):
        forms |= {f"{word[:-1]}ied", f"{word[:-1]}ies"}
    return frozenset({*map(stem, forms), *IRREGULAR.get(stem(word), ())})


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
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
    if len(shorter) < _SHORTEST_PREFIXED:
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
        if other.word in _ONLY_WORDS and other.word in own and not strict:
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


def unnamed(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    """The names of a sentence that its passages do not hold."""
    figures = sentence.figures.values
    taken = [value.span for value in figures if value.span is not None and value.unit.dimension not in UNITLESS]
    yield from _codes(sentence.text, taken, ground.everything)
    for match in _IDENTIFIER.finditer(sentence.text):
        span = Span(*match.span())
        if not overlaps_any(span, taken):
            taken.append(span)
            if not _identified(fold(match.group()), ground):
                yield span
    for match in _KEYS.finditer(sentence.text):
        span = Span(*match.span())
        if not overlaps_any(span, taken):
            taken.append(span)
            if not all(_stands(fold(key), ground.everything) for key in match.group().split("+")):
                yield span
    if sentence.english:
        yield from _capitals(sentence, taken, ground)


def _codes(text: str, taken: list[Span], everything: str) -> Iterator[Span]:
    squeezed = _SPACES.sub("", everything)
    for match in _CODE.finditer(text):
        taken.append(Span(*match.span()))
        at = match.start(1) if match[1] is not None else match.start(2)
        whole = fold(match[1] or match[2])
        if _stands(whole, everything) or _SPACES.sub("", whole) in squeezed:
            continue
        for part in _PARTS.finditer(match[1] or match[2]):
            if not _stands(fold(part.group()).strip(".:'\""), everything):
                yield Span(at + part.start(), at + part.end())


def _identified(written: str, ground: Ground) -> bool:
    if _stands(written, ground.everything):
        return True
    return "@" not in written and all(_known(part, ground.stems) for part in _WORDS.findall(written))


def _capitals(sentence: Sentence, taken: Sequence[Span], ground: Ground) -> Iterator[Span]:
    """Capitalised words; the first one of a sentence only where another or a verb shows that it is a name."""
    tokens = sentence.tokens
    for at, token in enumerate(tokens):
        if _CAPITAL.fullmatch(token.text) is None or token.word in _NO_NAMES or len(token.word) < 2:
            continue
        if overlaps_any(token.span, taken) or (
            _OPENING.search(sentence.text[: token.span.start]) is not None and not _opens_as_name(tokens, at, taken)
        ):
            continue
        if not _held(tokens, at, ground):
            yield token.span


def _opens_as_name(tokens: Sequence[ClaimToken], at: int, taken: Sequence[Span]) -> bool:
    if tokens[at].word in _COMMON or at + 1 == len(tokens):
        return False
    follows = tokens[at + 1]
    if _CAPITAL.fullmatch(follows.text) and follows.word not in MONTHS and not overlaps_any(follows.span, taken):
        return True
    if len(capitals_of(tokens[at].text)) > 2:
        return True
    return follows.word in _FINITE and not tokens[at].word.endswith(_NO_NAME_ENDINGS)


def _held(tokens: Sequence[ClaimToken], at: int, ground: Ground) -> bool:
    """Whether the passages hold a capitalised word, its initials or what its capitals stand for."""
    token = tokens[at]
    if _known(token.word, ground.stems) or _stands(token.word, ground.everything):
        return True
    capitals = capitals_of(token.text)
    if len(capitals) > 1 and (capitals in ground.capitals or _stands(capitals.lower(), ground.everything)):
        return True
    return _abbreviated(tokens, at, ground.capitals) or _spelled(token.word, token.text, ground.everything)


def _known(word: str, stems: Collection[str]) -> bool:
    own = stem(word)
    if own in stems or len(own) < _SHORTEST:
        return own in stems
    for other in stems:
        short, long = sorted((len(own), len(other)))
        near = short > _SHORTEST and long - short <= _LONGEST_ENDING
        near = near or (short == _SHORTEST and long - short < _LONGEST_ENDING)
        if near and (other.startswith(own) or own.startswith(other)):
            return True
    return False


def _stands(written: str, text: str) -> bool:
    """Whether a name stands in a text and is no part of a longer one."""
    at = text.find(written) if written else -1
    while at >= 0:
        end = at + len(written)
        before, after, beyond = text[at - 1 : at], text[end : end + 1], text[end + 1 : end + 2]
        inside = before.isalnum() and written[0].isalnum() and not (before.isdigit() and written[0].isalpha())
        begins = not inside and not (before == "-" and written[0] == "-")
        goes_on = after.isalnum() or after == "_" or (after == "-" and beyond.isalnum() and written[0] in "-$")
        if begins and not goes_on:
            return True
        at = text.find(written, at + 1)
    return False


def _abbreviated(tokens: Sequence[ClaimToken], at: int, capitals: Collection[str]) -> bool:
    """Whether a word is part of a name whose initials stand in the passages."""
    for size in range(2, _LONGEST_INITIALS + 1):
        for first in range(max(0, at - size + 1), min(at, len(tokens) - size) + 1):
            run = tokens[first : first + size]
            letters = "".join(token.text[0] for token in run if token.word not in _SMALL)
            all_letters = "".join(token.text[0].upper() for token in run)
            if (letters.isupper() and letters in capitals) or (size > 2 and all_letters in capitals):
                return True
    return False


def _spelled(word: str, text: str, everything: str) -> bool:
    """Whether a word in capitals abbreviates words that stand together in the passages."""
    if not text[: len(word)].isupper() or not 2 <= len(word) <= _LONGEST_INITIALS:
        return False
    pattern = r"\b" + r"\w*[\s-]+(?:of |the |and |for )?".join(re.escape(letter) for letter in word)
    return re.search(pattern, everything) is not None


def unlimited(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    """The words of a sentence that go further than the quote."""
    yield from _always(sentence.text, ground.quote)
    yield from _every(sentence, ground)
    yield from _only(sentence.text, ground.quote)
    yield from _binding(sentence, ground)
    if _ALONE_SAID.search(sentence.text) is None:
        yield from islice(_alone(sentence.tokens, ground), 1)
    if _CONDITION_SAID.search(sentence.text) is None:
        yield from islice(_unconditional(sentence.tokens, ground), 1)


def _always(text: str, quote: str) -> Iterator[Span]:
    if any(_FREE_HELD.search(quote[: match.start()]) is None for match in _ALWAYS_HELD.finditer(quote)):
        return
    for match in _ALWAYS.finditer(text):
        if _DENIED.search(text[: match.start()]) is None:
            yield Span(*match.span())


def _every(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    for match in _EVERY.finditer(sentence.text):
        before = sentence.text[: match.start()]
        known = _NUMBERED.match(sentence.text, match.end()) or _FLOATING.search(before) or _DENIED.search(before)
        anybody = match[1] is not None and _WHO.match(sentence.text, match.end())
        free = match.group().lower().startswith("any") and _FREE.search(before)
        if not (known or anybody or free or _every_held(match, sentence.tokens, ground)):
            yield Span(*match.span())


def _every_held(match: re.Match[str], said: Sequence[ClaimToken], ground: Ground) -> bool:
    """Whether the quote says "all" of what the sentence does."""
    own = [token for token in _subjects(match, said) if any(alike(token, other) for other in ground.tokens)]
    for other in _EVERY_HELD.finditer(ground.quote):
        if own and other.group().lower().startswith("any") and _FREE_HELD.search(ground.quote[: other.start()]):
            continue
        theirs = _subjects(other, ground.tokens)
        if not own or not theirs or any(alike(one, two) for one in own for two in theirs):
            return True
    return False


def _subjects(match: re.Match[str], tokens: Sequence[ClaimToken]) -> list[ClaimToken]:
    """What a word such as "all" may speak of; nothing where it speaks of persons or things at large."""
    if match[1] is not None:
        return []
    content = [token for token in tokens if token.content and not _NUMERAL.fullmatch(token.word)]
    behind = [token for token in content if token.span.start >= match.end()]
    before = [token for token in content if token.span.end <= match.start()]
    return [*behind[:2], *before[-1:]]


def _only(text: str, quote: str) -> Iterator[Span]:
    """ "Only" and "exactly" that the quote does not say."""
    if _ONLY_HELD.search(quote) is None:
        for match in _ONLY.finditer(text):
            when = _ONLY_WHEN.match(text, match.end())
            held = when is not None and when[1].lower() in quote.lower()
            if not held and _ONLY_SO_MANY.match(text, match.end()) is None:
                yield Span(*match.span())
    if _EXACT.search(quote) is None:
        yield from (Span(*match.span()) for match in _EXACT.finditer(text))


def _binding(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    """Where the sentence demands what the quote only allows or recommends."""
    for match in _BINDING.finditer(sentence.text):
        head = _next(match.end(), sentence.tokens)
        if head is None or _DENIED.search(sentence.text[: match.start()]):
            continue
        starts = [token.span.start for token in ground.tokens if alike(head, token)]
        before = [ground.quote[max(0, start - _NEAR) : start] for start in starts]
        if before and all(_LOOSE.search(part) and _BINDING_HELD.search(part) is None for part in before):
            yield Span(*match.span())


def _alone(said: Sequence[ClaimToken], ground: Ground) -> Iterator[Span]:
    """What the quote says of one thing only."""
    for match in _ALONE.finditer(ground.quote):
        head = _next(match.end(), ground.tokens)
        if head is not None and not head.word[0].isdigit():
            yield from (token.span for token in said if alike(head, token))


def _unconditional(said: Sequence[ClaimToken], ground: Ground) -> Iterator[Span]:
    """What the quote makes depend on something that the sentence leaves off."""
    goes_on = _GOES_ON.match(ground.behind)
    quote = ground.quote if goes_on is None else f"{ground.quote.rstrip()} {goes_on.group()}"
    tokens = ground.tokens if goes_on is None else tokens_of(quote)
    pairs = aligned(tokens, said)
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(quote)), len(quote) + 1]
    found = []
    for match in _CONDITION.finditer(quote):
        stop = next(_CONDITION_END.finditer(quote, match.end())).start()
        first, last = max(end for end in ends if end <= match.start()), min(end for end in ends if end > match.start())
        inside = [at for at, token in enumerate(tokens) if match.end() <= token.span.start < stop and token.content]
        main = [
            at
            for at, token in enumerate(tokens)
            if first <= token.span.start < last and token.content and at not in inside
        ]
        if any(at in pairs for at in inside[:_CORE]):
            return
        spans = [said[place].span for at in main for place in pairs.get(at, ())]
        if inside and spans and 2 * sum(at in pairs for at in main) >= len(main):
            found.append(Span(min(spans).start, max(span.end for span in spans)))
    yield from found


def _next(end: int, tokens: Sequence[ClaimToken]) -> ClaimToken | None:
    return next((token for token in tokens if token.span.start >= end and token.content), None)


class Reason(StrEnum):
    """What is wrong with words that no passage supports."""

    NUMBER = "number"
    UNIT = "unit"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"
    """The passages say the opposite."""
    LIMIT = "limit"
    """The passages say less: of some, sometimes, or on a condition."""
    MEANING = "meaning"
    """The passages do not say so. No rule sees this."""


LITERAL = frozenset({Reason.NUMBER, Reason.UNIT, Reason.DATE})
"""What is compared letter by letter: no judge overrules the rules there."""


@dataclass(frozen=True, slots=True, order=True)
class Mismatch:
    """Words of a sentence that its passages do not support: their place in it, and what is wrong with them."""

    span: Span
    reason: Reason


def check(text: str, passages: Sequence[CitedPassage]) -> tuple[Mismatch, ...]:
    """The words of a sentence that the passages it cites do not support, in order; none where all are supported.

    Markers of citations are no part of the sentence.
    """
    if _is_quoted(text, passages):
        return ()
    doubts = set(_doubts(sentence_of(text), ground_of(passages)))
    return tuple(sorted(doubts))


def is_arguable(text: str, passages: Sequence[CitedPassage]) -> bool:
    """Whether rules tell too little of a sentence: it or what it cites denies something, or it generalises or limits
    what it cites by a word that does not stand there. A sentence that is quoted is beyond doubt."""
    if _is_quoted(text, passages):
        return False
    quotes = "\n".join(passage.quote for passage in passages)
    said, cited = _words(text), _words(quotes)
    unspaced = any(negation in text or negation in quotes for negation in UNSPACED_NEGATIONS)
    return unspaced or any(map(_negates, said | cited)) or bool((said - cited) & _LIMITING)


def check_short(text: str, passages: Sequence[CitedPassage]) -> tuple[Mismatch, ...]:
    """The numbers, dates, units and names of a short answer that no passage holds, in order. It is no sentence: what it
    says of them stands in the question."""
    return tuple(sorted(set(_beyond(sentence_of(text), ground_of(passages)))))


def _beyond(sentence: Sentence, ground: Ground) -> Iterator[Mismatch]:
    """What stands in no passage at all."""
    yield from (Mismatch(span, Reason(kind)) for span, kind in unheld(sentence, ground))
    yield from (Mismatch(span, Reason.NAME) for span in unnamed(sentence, ground))


def _doubts(sentence: Sentence, ground: Ground) -> Iterator[Mismatch]:
    yield from _beyond(sentence, ground)
    yield from (Mismatch(span, Reason.NUMBER) for span in exchanged(sentence, ground))
    if sentence.english:
        yield from (Mismatch(span, Reason.NEGATION) for span in contrary(sentence, ground))
        yield from (Mismatch(span, Reason.LIMIT) for span in unlimited(sentence, ground))


def _words(text: str) -> set[str]:
    return {token.word.replace("’", "'") for token in tokens_of(text)}


def _negates(word: str) -> bool:
    return word in NEGATORS or word.endswith("n't")


def _is_quoted(text: str, passages: Sequence[CitedPassage]) -> bool:
    """Whether a sentence is a whole quote or a whole sentence of one, but for white space."""
    own = " ".join(text.split())
    for passage in passages:
        spans = (Span(0, len(passage.quote)), *sentences(passage.quote, Span(0, len(passage.quote))))
        if any(own == " ".join(passage.quote[span.start : span.end].split()) for span in spans):
            return True
    return False
