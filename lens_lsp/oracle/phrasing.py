"""Ways of asking brought into one order of words, so that few rules know many of them.

"From May to June, by how much did it rise?" asks what "By how much did it rise from May to June?" asks. Each rewriting
is tried in turn; a question that none knows stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

_TIME = r"(?:second|minute|hour|day|night|week|month|quarter|year|decade)s?"
_COUNT = (
    r"(?:\d[\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty"
    r"|sixty|ninety)"
)
DURATION = rf"(?:{_COUNT} {_TIME})"
"""A stretch of time that a question names."""

_ASKS = r"(?:by |at |in |on )?(?:how|what|which|who)\b"
_FOUND = (
    r"(?:mentioned|named|cited|referenced|referred to|discussed|found|used|contained|included|mention|appear"
    r"|occur|come up|show up|turn up|feature|figure|stand)s?"
)
_BE = r"(?:is|are|was|were|does|do|did|can|has|have)"
_GROUP = r"(?P<n>(?:of )?(?:the |all |our |my )*[\w.-]+(?: [\w.-]+)?)"

_OPENING = r"(?:please |can you |could you )?(?:tell me|give me|show me|let me know|say|i want to know) "
# Each: a cue that the text must hold, the pattern, what it becomes.
_REWRITINGS: tuple[tuple[str, str, str], ...] = (
    # What opens the question and says nothing.
    ("me|know|say", rf"^{_OPENING}(?P<q>(?:by |in |at |on )?(?:how|what|which|who)\b.+)$", r"\g<q>"),
    ("me", r"^(?:please )?give me (?:a |the )?(?P<q>(?:count|number|list) of .+)$", r"\g<q>"),
    ("who or what", r"^who or what (?P<q>.+)$", r"which \g<q>"),
    ("work", r"^work out (?P<q>.+)$", r"calculate \g<q>"),
    ("must", r"^how old must (?P<a>.+?) have been (?P<w>when|at) (?P<e>.+)$", r"how old was \g<a> \g<w> \g<e>"),
    # What stands before the question and belongs behind it.
    ("if", r"^if (?P<c>.+? than .+?), (?P<q>by how (?:much|many)(?: [\w-]+)?)$", r"\g<q> \g<c>"),
    (
        "than|compar|versus|relative",
        (
            rf"^(?P<c>(?:than|compared (?:to|with)|in comparison (?:to|with)|versus|relative to) [^,]+),"
            rf" (?P<q>{_ASKS}.+)$"
        ),
        r"\g<q> \g<c>",
    ),
    ("than", r"^than (?P<b>[^,]+), (?P<a>.+?) (?P<q>by how (?:much|many)(?: [\w-]+)?)$", r"\g<q> \g<a> than \g<b>"),
    (
        "from|between",
        (
            rf"^(?P<c>(?:from .+? (?:to|until)|between .+? and) [^,]+), (?P<q>{_ASKS}.+?(?:how much|how"
            r" many"
            r"|what per|how far|did|has|have).*)$"
        ),
        r"\g<q> \g<c>",
    ),
    ("after|once|when", rf"^(?P<c>(?:after|once|when) [^,]+), (?P<q>{_ASKS}.+)$", r"\g<q> \g<c>"),
    (
        "if",
        r"^if (?:i|we|you) (?:subtract|take|deduct) (?P<b>.+?) (?:from|off) (?P<a>.+?), (?:how much|what).*$",
        r"how much of \g<a> is left after \g<b>",
    ),
    ("if", r"^if (?P<a>.+?) is (?P<o>multiplied by|divided by) (?P<b>.+?), (?:how much|what).*$", r"\g<a> \g<o> \g<b>"),
    (
        "if",
        (
            r"^if (?P<a>.+?) (?:runs?|works?|goes on|lasts?|stays?|is used|is on) (?P<d>for"
            rf" {DURATION}), "
            r"(?P<q>how .+? (?:does|will|would|can) )(?:it|he|she|they) (?P<v>.+)$"
        ),
        r"\g<q>\g<a> \g<v> \g<d>",
    ),
    (
        "if",
        (
            r"^if (?:i|we|you) (?:add|take|buy|combine|put)(?: together| up)?(?: both)? (?P<l>.+? and"
            r" .+?), "
            r"(?P<q>how (?:much|many)(?: [\w -]+?)?) (?:is|are|does|do|would|will) (?:that|it|this"
            r"|they)\b.*$"
        ),
        r"\g<q> are \g<l> together",
    ),
    (
        "in|over|during|within|for",
        rf"^(?P<c>(?:in|over|during|within|for) {DURATION}), (?P<q>{_ASKS}.+)$",
        r"\g<q> \g<c>",
    ),
    (
        "rate|speed|pace|price",
        (
            r"^(?:at|given|with) (?:that|this|its|the|his|her|their)(?: [\w]+)? (?:rate|speed|pace"
            rf"|price), (?P<q>{_ASKS}.+)$"
        ),
        r"\g<q>",
    ),
    ("in", r"^in (?P<u>[a-z]+), (?P<q>(?:how|what)\b.+)$", r"\g<q> in \g<u>"),
    (
        "in|during",
        (
            r"^(?P<c>(?:in|during) (?:[a-z]+ )?\d{4}), (?P<q>how many [\w -]+?s (?:were|are|was|took"
            r"|did|do|"
            r"happened).*)$"
        ),
        r"\g<q> \g<c>",
    ),
    ("comparing", rf"^comparing (?P<l>.+? (?:and|with|to) [^,]+), (?P<q>{_ASKS}.+)$", r"between \g<l>, \g<q>"),
    (",", r"^(?P<l>[^:?]+,[^:?]+ (?:or|and) [^:?]+): (?P<q>(?:which|who|what)\b.+)$", r"\g<q>: \g<l>"),
    # What is asked at the end.
    ("by how", r"^(?P<c>.+?) (?P<q>by how (?:much|many)(?: [\w-]+)?)$", r"\g<q> \g<c>"),
    # Choices.
    ("one", r"^the (?P<c>[\w ]+?) one(?P<l>[:,] .+ or .+)$", r"which is \g<c>\g<l>"),
    (
        "name|tell|find|pick|the",
        (
            r"^(?:(?:name|tell me|find|pick|give me) )?the (?P<c>(?:most |least )[a-z]+|[a-z]+est) "
            r"(?P<l>(?:of|among|between) .+ (?:and|or) .+)$"
        ),
        r"which is the \g<c> \g<l>",
    ),
    # Places: counts and lists.
    ("in how many", rf"^in how many {_GROUP} {_BE} (?P<x>.+?) {_FOUND}$", r"how many \g<n> mention \g<x>"),
    ("in how many", rf"^(?P<x>.+?) (?:{_BE} )?{_FOUND} in how many {_GROUP}$", r"how many \g<n> mention \g<x>"),
    ("how many", rf"^how many {_GROUP} {_BE} (?P<x>.+?) {_FOUND} in$", r"how many \g<n> mention \g<x>"),
    (
        "mention of",
        rf"^how many {_GROUP} (?:have|contain|hold) (?:a|any) mentions? of (?P<x>.+)$",
        r"how many \g<n> mention \g<x>",
    ),
    (
        ("count|number"),
        (
            r"^(?:please )?(?:count(?: up)?(?: how many)?|(?:what is |what's |what was |calculate "
            r"|find )?(?:the )?"
            r"(?:number|count|total number) of)(?= (?:all |the |of the |of )*(?!occurrence|mention"
            r"|instance|appearance|times)"
            r"[\w-]+(?: [\w-]+)? (?:that|which|mentioning|containing|with|about|including|referring|in"
            r" \d{4}|in [a-z]+ \d{4}"
            r"|from \d{4})\b)"
        ),
        "how many",
    ),
    (
        ("with"),
        (
            r"^how many (?P<n>(?:of )?(?:all |the )*(?:lines|rows|records|entries|items|bullets"
            r"|paragraphs))(?: are there)?"
            r" with (?P<x>.+)$"
        ),
        r"how many \g<n> contain \g<x>",
    ),
    (
        ("often|times|frequently"),
        (
            r"^(?:count|give me|what is)? ?(?:how (?:often|frequently|many times)|the number of times"
            r"|number"
            r" of times|how many times) (?P<x>(?!is|are|was|were|do|does|did|has|have|can)\S.*?) "
            r"(?:appears?|occurs?|is mentioned|comes"
            r" up|shows up|is used)$"
        ),
        r"how often does \g<x> appear",
    ),
    ("frequently", r"^how frequently (?P<q>.+)$", r"how often \g<q>"),
    (
        ("can be found"),
        (
            r"^(?P<q>how many (?:occurrences|mentions|instances|uses) of .+?) can be (?:found|seen)"
            r"(?P<w> in .+)?$"
        ),
        r"\g<q> are there\g<w>",
    ),
    (
        ("count|number"),
        (
            r"^(?:count the|(?:what is )?(?:the )?number of) (?P<q>(?:occurrences|mentions|instances"
            r"|appearances|uses)"
            r" of .+)$"
        ),
        r"how many \g<q>",
    ),
    (
        "in which|in what",
        rf"^(?:in )?(?:which|what) (?:of )?{_GROUP} {_BE} (?P<x>.+?) {_FOUND}(?: in)?$",
        r"which \g<n> mention \g<x>",
    ),
    (
        ("in which|where"),
        (
            r"^(?:(?:name|list|show(?: me)?|find|give me) )?(?P<n>(?:all|every|each|the) .*?[\w.-]+?) "
            r"(?:in which|"
            rf"where) (?P<x>.+?) {_BE} {_FOUND}$"
        ),
        r"list \g<n> that mention \g<x>",
    ),
    (
        ("where"),
        (
            rf"^where {_BE} (?P<x>.+?) {_FOUND}[?.:;,]* (?:list|name|show|give)(?: me)? (?:all )?(?P<n>"
            r"(?:the )?[\w.-]+)$"
        ),
        r"which \g<n> mention \g<x>",
    ),
    ("list of", r"^(?:(?:give|show|make)(?: me)? )?(?:a |the )?list of (?:all )?(?P<q>.+)$", r"list all \g<q>"),
    (
        ("every one|each one"),
        (r"^(?:give me|show(?: me)?|find|list|name) (?:every|each) one of (?P<q>.+)$"),
        (r"list all \g<q>"),
    ),
    (
        "what are|which are",
        r"^(?:what|which) are the (?P<q>[\w-]+s (?:that|which|mentioning|containing)\b.+)$",
        r"which \g<q>",
    ),
    (
        ("that|mentioning|containing|which"),
        (
            r"^(?:(?:show|find|give|get)(?: me)? )?(?P<q>(?:all|the|every) (?:the )?[\w.-]+ (?:that|"
            r"which|mentioning|containing|referring|discussing)\b.+)$"
        ),
        r"list \g<q>",
    ),
    # Years.
    (
        ("dated|fell|fall|held|from|happen|took|occur"),
        (
            r"^(?P<q>how many (?:of the )?[\w -]*?s )(?:(?:are|were|do we have|did we"
            r" have|is|was) ?)?(?:dated|fell|fall|held|from|happened|happening|took place|occurred)(?:"
            r" in| during| from| on)? "
            r"(?P<y>\d{4}|[A-Z][a-z]+ \d{4})$"
        ),
        r"\g<q>were in \g<y>",
    ),
    ("how many", r"^(?P<q>how many [\w -]*?s) (?P<y>(?:in|during) (?:\d{4}|[A-Z][a-z]+ \d{4}))$", r"\g<q> were \g<y>"),
    ("of the", r"^how many of the (?P<q>[\w -]+?s) were in (?P<y>.+)$", r"how many \g<q> were in \g<y>"),
)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern in any case, compiled when a question first needs it."""
    return re.compile(pattern, re.IGNORECASE)


def rewritten(question: str) -> str:
    """The question in the order of words that the rules know; itself where nothing is to be moved."""
    for cues, pattern, becomes in _REWRITINGS:
        lowered = question.lower()
        if any(cue in lowered for cue in cues.split("|")):
            question = compiled(pattern).sub(becomes, question, count=1)
    return re.sub(r"\s+", " ", question).strip()
