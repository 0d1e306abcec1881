"""Word lists of the offline oracle: what words of a question ask rather than tell, and what else says the same.

Generic vocabulary only. Everything is folded (domain.words.fold) unless a comment says otherwise.
"""

from __future__ import annotations

from lens_lsp.domain.words import fold, stem

_OPENERS = """
what which who whom whose when where why how are is was were did do does has have had in on of the at for from by
to a an between both this that if can could should would will may during as with after before since until and or
but list name show give find count compare summarize summarise outline explain describe tell please enumerate
calculate compute add sum total average all every each number it its he she they we our my i there these those
then also however although while according although not no yes under over into about among
wann wer wie wo was warum welche welcher welches wieviel ist sind war hat haben liste nenne zeige fasse die der das
ein eine im in am quand qui que quoi quel quelle quels quelles combien ou est sont liste resume donne les le la un
une cuando quien quienes que cual cuales cuanto cuantos cuanta cuantas donde es son lista resume dame los las el
когда кто что где сколько какой какая какое какие перечисли назови подведи кратко
"""
OPENERS = frozenset(_OPENERS.split())
"""Words that open sentences and are capitalised for that reason alone."""

_NO_NAMES = """
i ok mr mrs ms dr monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm id todo note fixme
yes no true false und oder et ou y o и или
"""
NO_NAMES = frozenset(_NO_NAMES.split())
"""Capitalised words that name nothing by themselves."""

_FOREIGN_FUNCTION = """
der die das den dem des ein eine einen einem einer eines und oder ist sind war waren wurde wurden wird werden
hat haben
hatte wann wer wie wo was warum wem wen wessen welche welcher welches welchen viel viele wieviel wieviele von
vom zu zum
zur im in am an auf aus bei mit nach fur es er sie wir ihr ich nicht als auch es gibt gab alle liste nenne
zwischen dass
le la les l un une des du de d au aux et ou est sont etait etaient fut a ont ete qui que quoi quel quelle quels
quelles
quand combien pourquoi comment dans sur pour par avec il elle ils elles nous vous je ne pas se ce cette ces y tous
toutes liste entre qu s n
el los las lo uno una unos unas y o es son era eran fue fueron ha han sido quien quienes que cual cuales cuando donde
cuanto cuantos cuanta cuantas como por para con en del al se su sus no si este esta todos todas lista entre mi
и или в во на с со к у о об от до из за по для не что кто где когда как какой какая какое какие каком сколько был была
было были есть это этот эта все всех он она они его ее их между ли же бы перечисли назови
"""
_FUNCTION = frozenset(fold(word) for word in _FOREIGN_FUNCTION.split())
_SOFT_WORDS = """
kind type sort name call mean use used using happen thing way example find found say tell give get need make first
do go way purpose reason list currently possible able allow work again become happen put let want try suggest bring
"""
_ASIDE_WORDS = (
    "exactly actually really usually generally typically normally roughly approximately about ever still already"
)
_ASIDES = frozenset(_ASIDE_WORDS.split())
_SOFT = frozenset(map(stem, _SOFT_WORDS.split()))
_OF_TYPE = {
    "date": """
        year date day month time century decade when jahr datum tag monat annee date jour mois ano fecha dia mes
        год дата день месяц году
    """,
    "number": """
        number amount percentage percent total value quantity anzahl zahl nombre numero cantidad число количество
        many much
    """,
    "literal": "flag option switch short version another different same",
    "person": "person man woman people someone",
}
TYPE_WORDS = {kind: frozenset(stem(fold(word)) for word in words.split()) for kind, words in _OF_TYPE.items()}
"""Words that name the expected type of answer; a proof shows the thing itself instead."""

# Question words, particles and copulas of scripts without spaces, folded by NFKC already.
_UNSPACED = """
什么时候 什麼時候 多少 几个 幾個 什么 什麼 哪里 哪個 哪个 哪些 哪年 哪一年 为什么 怎么 是谁 谁 誰 何时 吗 呢 的
了 是 在 有 请
列出 所有 总结 一共 几
いつ どこ だれ 何年 何人 何個 何 いくつ いくら どの どれ どちら なぜ ですか ますか ましたか でしたか ました ます
です した され
して から まで は が を に の で と も か 教えて すべて 全て 要約
습니까 니까 나요 가요 언제 누가 누구 무엇 어디 얼마나 얼마 몇 왜 어떻게 입니까 인가요 인가 했나요 됩니까 있나요
있습니까 까요
은 는 을 를 의 에서 에 모든 요약
"""
UNSPACED_FUNCTION = tuple(_UNSPACED.split())
"""What to cut from a question in such a script before its words are weighed; longest first within a language."""

_SAME = """
long length lasted duration
tall height high
high height altitude elevation
deep depth
wide width
large size area population big
big size large
small size
heavy weight weigh mass
weigh weight heavy mass
light weight weigh mass
short length height long
low height
hot temperature warm degrees
cold temperature degrees
warm temperature degrees
fast speed quick
old age born founded established built aged
young born age
far distance away
expensive price cost
cheap price cost
cost price paid costs
often frequency times every
born birth birthday born
die died death dead
died death dead
wife married spouse husband
husband married spouse wife
author wrote written writer by
wrote written author writer
invent inventor invented
founded founder established
capital city
released begin began started start
start began begun begin started
end ended finished
buy bought purchased
bought buy purchased
pay paid
sell sold
send sent
build built constructed
built build constructed
write wrote written
win won winner
lose lost
meet met
take took taken
give gave given
make made
speak spoke spoken
teach taught
think thought
run ran
sing sang sung
know known knew
grow grew grown
draw drew drawn
break broke broken
choose chose chosen
hold held
keep kept
spend spent
stand stood
become became
bring brought
catch caught
eat ate eaten
fall fell fallen
fight fought
hear heard
say said
see saw seen
leave left
lead led
feel felt
get got
go went
come came
drink drank
drive drove driven
fly flew flown
forget forgot forgotten
rise rose risen
ride rode ridden
sleep slept
swim swam
wear wore worn
replace replaced superseded supersedes succeeded
supersede replaces replaced
remove deleted dropped
delete removed dropped
drop removed deleted
resume continue
continue resume
suggest recommended
recommend suggested
display show
show display
locate situated
situate located
permit allowed
allow permitted
forbid prohibited banned
prohibit forbidden banned
purchase bought
reside live
answer reply response
"""


_BASES = """
older old oldest old younger young youngest young larger large largest large bigger big biggest big longer long
longest long
taller tall tallest tall higher high highest high heavier heavy heaviest heavy lighter light lightest light
faster fast
fastest fast slower slow slowest slow wider wide widest wide deeper deep deepest deep smaller small smallest small
shorter short shortest short lower low lowest low cheaper cheap cheapest cheap warmer warm hotter hot colder cold
closer close closest close nearer near nearest near farther far farthest far further far richer rich poorer poor
stronger strong newer new newest new earlier early earliest early later late latest late
"""
BASES = dict(zip(_BASES.split()[::2], _BASES.split()[1::2], strict=True))
"""Comparatives and superlatives to the plain adjective."""

ORDERS = frozenset(
    [
        "sooner",
        "soonest",
        "quicker",
        "quickest",
        "recent",
        "recently",
        "exceed",
        "greater",
        "greatest",
        "combined",
        "altogether",
    ]
)
"""More words that say how things are set in order or put together."""

_ANAPHORS = """
it he she they this that these those its his her their there both one which who
er sie es dieser diese dieses sein seine ihr ihre il elle ils elles ce cette ces son sa ses ella ello ellos ellas
este esta estos estas su sus он она оно они это этот эта его ее их
"""
ANAPHORS = frozenset(_ANAPHORS.split())
"""Words that begin a sentence about what the sentence before it was about."""


def _same() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for line in _SAME.strip().splitlines():
        word, *others = line.split()
        table.setdefault(stem(word), []).extend(stem(other) for other in others)
    return {word: tuple(dict.fromkeys(others)) for word, others in table.items()}


SAME = _same()
"""Stem of a question's word to stems that a proof may use instead: irregular forms, attribute for adjective."""

_MEASURABLE = """
price cost height length weight population age salary budget score temperature number amount revenue distance size
area speed rate percentage total time duration depth width income profit expense rent fee value count mass volume
capacity power balance tax margin turnover attendance elevation altitude wage bill rainfall year date sales
"""
MEASURABLE = frozenset(map(stem, _MEASURABLE.split()))
"""Nouns of things that are told in numbers."""

_NEGATIONS = """
not no never none neither nor without cannot isn't wasn't aren't weren't doesn't don't didn't won't hasn't haven't
nicht kein keine keinen keiner nie ohne pas jamais aucun sans nunca ningun sin не нет никогда без
"""
NEGATIONS = frozenset(_NEGATIONS.split())
UNSPACED_NEGATIONS = ("没有", "沒有", "不是", "不", "未", "ない", "ません", "않", "아니")


def is_function(word: str) -> bool:
    """A folded word of German, French, Spanish or Russian that asks or joins; English ones are no terms at all."""
    return word in _FUNCTION


def is_aside(word: str) -> bool:
    """A word that says how sure or usual something is, and nothing that a proof must say."""
    return word in _ASIDES


def is_soft(word: str) -> bool:
    """A word that questions use and proofs often do not."""
    return stem(word) in _SOFT


_OPPOSITES = """
increase decrease reduce decline fall drop
rise fall drop decline sink
grow shrink decline
gain lose loss
high low
low high
highest lowest
lowest highest
more less fewer
less more
positive negative
negative positive
begin end cease stop
start end stop finish
end begin start
open close shut
close open
win lose lost
lose win won
add remove delete
remove add
enable disable
disable enable
allow forbid prohibit ban deny
forbid allow permit
legal illegal
illegal legal
north south east west
south north east west
east west north south
west east north south
northern southern eastern western
southern northern eastern western
eastern western northern southern
western eastern northern southern
male female
female male
best worst
worst best
minimum maximum
maximum minimum
above below
below above
before after
after before
early late
late early
strong weak
weak strong
internal external
external internal
import export
export import
agree disagree
accept reject
reject accept
support oppose
oppose support
create destroy
destroy create
arrive leave depart
cause prevent
prevent cause
include exclude
exclude include
large small
small large
long short
short long
old new
new old
hot cold
cold hot
left right
right left
public private
private public
"""
OPPOSITES = {stem(line.split()[0]): tuple(map(stem, line.split()[1:])) for line in _OPPOSITES.strip().splitlines()}
"""Stem of a word to the stems that say the opposite, or another of the same kind."""

_EXTREMES = (
    "most largest biggest greatest highest longest tallest heaviest maximum max top main up",
    "least smallest lowest shortest lightest fewest minimum min",
    "first earliest original originally initial initially oldest began",
    "last latest final finally newest recent",
    "only sole single solely exclusively alone",
    "best top",
    "worst",
    "fastest quickest",
    "slowest",
)
EXTREMES = {word: frozenset(line.split()) for line in reversed(_EXTREMES) for word in line.split()}
"""A word that singles one out among many to those that say so too."""
