"""Words of English that say the opposite of others: by a table, or by a prefix that denies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from lens_lsp.judge.tokens import IRREGULAR, Token
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


def opposite(a: Token, b: Token) -> bool:
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
