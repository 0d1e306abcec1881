"""English questions for a summary, and what it is that they want summed up."""

from __future__ import annotations

import re

from lens_lsp.domain.plan import Intent
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import key
from lens_lsp.oracle.reading import Reading, trimmed

_ARTICLES = r"(?:the|a|an|my|our|this|these|der|die|das|den|le|la|les|el|los|las)"
_DOCUMENT = (
    r"(?:(?:document|file|note|page|chapter|section|article|rfc|book|paper|post|folder|dokument|datei|notiz"
    r"|seite|kapitel|fichier"
    r"|chapitre|archivo|capítulo|nota|файл|глав[ау]|заметк[ау])s?\b)"
)
_SUMMARIZE = regex(
    r"^(?:please |can you |could you )*(?:(?:summari[sz]e|outline|recap|sum up|condense|digest)\b|tl;?dr(?:\s+"
    r"(?:of|for))?"
    r"|(?:(?:give|write|show)(?: me| us)? |what(?:'s| is) )?(?:an?|the)? ?(?:short |brief |quick |high-level "
    r"|general )*"
    r"(?:summary|overview|outline|synopsis|recap|gist|rundown)(?:(?: of| for| on| about)\b|$)"
    r"|(?:what (?:are|were) |list |give me )?(?:the )?(?:key|main|central|most important|core) (?:points|ideas"
    r"|takeaways|arguments|topics|messages?)"
    r"(?: of| in| from)\b)\s*(?P<what>.*)$"
    r"|^what (?:is|are|was|were|does|do) (?P<about>.+?) (?:all )?(?:about|cover|say|deal with|talk about|discuss)$",
    re.IGNORECASE,
)
# "What can the parser do? A short summary, please."
_IN_SHORT = regex(
    r"^(?!(?:who|whose|when|where|which|why)\b)"
    r"(?:in (?:short|brief|a nutshell|a few words|one sentence)[,:]? )?(?P<topic>.+?)(?:[?.!,;:]+| [-–—])? "
    r"(?:(?:give (?:me )?)?(?:an? )?(?:(?:short|brief|quick|concise) )*(?:summary|overview|outline|recap|rundown)"
    r"|in (?:short|brief|a nutshell|summary))(?:,? please)?$",
    re.IGNORECASE,
)
_LAST = regex(r"(?<=[.?!])\s+(?P<last>[^.?!]+)[.?!\s]*\Z")
"""The last of several sentences."""
_LENGTH = regex(
    r"[,;]?\s+(?:(?:in|within|using) (?:(?:a |just |only |about |at most )*(?:few|couple of|handful of|two|three|four"
    r"|five|one|\d+) )?(?:short |brief |simple |plain )*(?:lines?|sentences?|words?|bullets?(?: points)?|paragraphs?"
    r"|points)|briefly|in (?:short|brief)|please|for me)$",
    re.IGNORECASE,
)
_AND_ITS = regex(r"\s+and (?:its|their|the) (?:\w+ )?\w+$", re.IGNORECASE)
_ASKED = regex(
    r"^(?:what (?:can|does|do|is|are|was) |how )?(?P<name>.+?)(?: (?:can |does |do )?(?:is|are|was|does|do|works?|cover"
    r"s?|says?|says about)(?: (?:all )?(?:about|for|do))?| (?:about|for|do))$",
    re.IGNORECASE,
)
_VAGUE_WORDS = """
this these it that those everything all my our notes note file files the folder document documents workspace here
"""
VAGUE = frozenset(_VAGUE_WORDS.split())
"""Words that name no document: "this", "my notes"."""


def overview(question: str) -> Reading | None:
    """The reading of a question for a summary; None for any other."""
    match = _SUMMARIZE.match(question) or _IN_SHORT.match(question)
    if match is None:
        return asked_at_end(question)
    groups = match.groupdict()
    what = trimmed(next((groups[name] for name in ("what", "about", "topic") if groups.get(name) is not None), ""))
    return Reading(Intent.SUMMARIZE, many=True, document=document_name(what))


def asked_at_end(question: str) -> Reading | None:
    """The reading of several sentences of which the last asks for a summary: "How is it decided? Sum it up." """
    last = _LAST.search(question)
    asks = last is not None and _SUMMARIZE.match(last["last"]) is not None
    return Reading(Intent.SUMMARIZE, many=True) if asks else None


def document_name(what: str) -> str | None:
    """The folded name of what is to be summarised; None for "this note" and the like."""
    while (shorter := _LENGTH.sub("", what)) != what:
        what = shorter
    asked = _ASKED.match(_AND_ITS.sub("", what))
    if asked is not None and re.match(r"(?:what|how)\b", what, re.IGNORECASE):
        what = asked["name"]
        what = re.sub(r"^(?:what|how) ", "", what, flags=re.IGNORECASE)
    what = re.sub(r"^(?:what|how|everything|all) .*? (?:in|of|about|on) ", "", what, flags=re.IGNORECASE)
    what = re.sub(rf"^(?:{_ARTICLES} )*", "", what, flags=re.IGNORECASE)
    bare = re.sub(
        rf"^{_DOCUMENT}s?(?: (?:called|named|titled|about|on|for|of|über|von|sobre|de|du|о))? ?(?:{_ARTICLES} )?",
        "",
        what,
        flags=re.IGNORECASE,
    )
    bare = re.sub(rf"\s+{_DOCUMENT}$", "", bare, flags=re.IGNORECASE)
    # "RFC 2094" and "chapter 4" are names with their number.
    if re.fullmatch(r"[\d.]*", bare) or re.match(r"^[A-Z]{2,} \d", what):
        bare = what
    folded = key(bare)
    return None if not folded or all(word in VAGUE for word in folded.split()) else folded
