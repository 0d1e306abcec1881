"""Which of two, in German, French, Spanish, Russian, Chinese, Japanese and Korean."""

from __future__ import annotations

import re

from lens_lsp.domain.plan import AnswerType, Combination, Intent
from lens_lsp.domain.regexes import regex
from lens_lsp.oracle.reading import Reading, combined, items, over, trimmed

_NUMBER, _DATE, _ANY = AnswerType.NUMBER, AnswerType.DATE, AnswerType.ANY
_LEAST, _GREATEST = Combination.LEAST, Combination.GREATEST

_COMPARATIVES = (
    (
        _LEAST,
        _DATE,
        (
            r"älter|aelter|früher|zuerst|plus (?:vieux|vieille|ancien(?:ne)?|tôt)|en premier|d'abord|más (?:viejo"
            r"|vieja|antigu[oa]|temprano)"
            r"|primero|antes|avant|plus tôt|eher|старше|раньше|первым"
            r"|更早|早|先|より古い|古い|早い|早く|더 (?:오래|먼저|일찍|이른)|먼저"
        ),
    ),
    (
        _GREATEST,
        _DATE,
        (
            r"jünger|später|neuer|plus (?:jeune|récent(?:e)?|tard)|más (?:joven|reciente|tarde|nuev[oa])|моложе"
            r"|позже|новее|更晚|更新|晚"
            r"|新しい|遅い|若い|더 (?:늦|젊|최근)"
        ),
    ),
    (
        _GREATEST,
        _NUMBER,
        (
            r"größer|groesser|länger|höher|schwerer|schneller|teurer|mehr|breiter|tiefer|plus (?:grande?|long"
            r"(?:ue)?|haute?|lourde?|chère?|rapide)"
            r"|más (?:grande|larg[oa]|alt[oa]|pesad[oa]|car[oa]|rápid[oa])|mayor|больше|длиннее|выше"
            r"|тяжелее|быстрее|дороже"
            r"|更[大长長高重快贵貴多深宽]|比较大|[大长長高重快贵貴多]|大きい|長い|高い|重い|速い|多い|더 (?:큰|크"
            r"|긴|길|높|무거|빠|비싼|많)"
        ),
    ),
    (
        _LEAST,
        _NUMBER,
        (
            r"kleiner|kürzer|niedriger|leichter|langsamer|billiger|weniger|plus (?:petite?|court(?:e)?|bas(?:se)?"
            r"|légère?)|moins (?:chère?|long(?:ue)?)"
            r"|más (?:pequeñ[oa]|cort[oa]|baj[oa]|liger[oa]|barat[oa])|menor|меньше|короче|ниже|легче|дешевле"
            r"|更[小短低轻輕慢少]|[小短低轻輕慢少]|小さい|短い|低い|軽い|安い|少ない|더 (?:작|짧|낮|가벼|싼|적)"
        ),
    ),
)
_COMPARED = tuple((c, k, regex(pattern, re.IGNORECASE)) for c, k, pattern in _COMPARATIVES)
_WHICH = (
    regex(
        (
            r"^(?P<rest>(?:welche[rs]?|wer|was|quel(?:le)?|lequel|laquelle|qui|cuál|quién|qué|какой|какая|что"
            r"|кто)\b.*?)[,:]\s*"
            r"(?P<list>.+? (?:oder|ou|o|u|или) .+)$"
        ),
        re.IGNORECASE,
    ),
    regex(r"^(?P<list>.+?(?:和|与|與|跟|还是|還是).+?)(?:相比|之中|之间|当中)?[,，]?\s*(?P<rest>(?:哪|谁|誰).+)$"),
    regex(r"^(?P<rest>.*?(?:哪|谁|誰)[^,，]*)[,，:：]\s*(?P<list>.+?(?:还是|還是|或|和).+)$"),
    regex(r"^(?P<list>.+?と.+?)(?:と)?(?:では|で|の(?:うち|中で)は?|は|、)、?\s*(?P<rest>(?:どちら|どっち|どれ).+)$"),
    regex(
        r"^(?P<list>.+?(?:와|과|이랑|랑|하고) .+?) ?(?:중에?서?|중|가운데)"
        r"\s*(?P<rest>(?:어느|누가|무엇이|뭐가|어떤).+)$"
    ),
)
_FEW_WORDS = 4
_JOINED = regex(r"\s*(?:和|与|與|跟|还是|還是|或|、|と|(?<=\S)[와과] |이랑 |하고 )\s*")


def members(text: str) -> tuple[str, ...]:
    """The members of a list in any of the languages, as written."""
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]", text):
        return tuple(trimmed(part) for part in _JOINED.split(text) if trimmed(part))
    return items(text)


def choice(question: str) -> Reading | None:
    """The reading of "which is larger, A or B?"; None for any other question."""
    for pattern in _WHICH:
        match = pattern.match(question)
        if match is None:
            continue
        subjects = members(match["list"])
        for combination, kind, words in _COMPARED:
            if words.search(match["rest"]):
                return combined(Intent.COMPARISON, subjects, _aspect(match["rest"]), kind, over(combination, subjects))
        if all(len(subject.split()) <= _FEW_WORDS for subject in subjects):  # nothing that orders them
            return combined(Intent.COMPARISON, subjects, _aspect(match["rest"]), _ANY, None)
    return None


_ASKS = regex(
    (
        r"^(?:welche[rs]?|wer|was|quel(?:le)?|lequel|laquelle|qui|cuál|quién|qué|какой|какая|что|кто|ist|est|es)\b"
        r"|\b(?:ist|est|es|war)\b"
        r"|哪[一]?[个個座条條本年]?|谁|誰|更|どちら(?:の方|のほう)?(?:が)?|どっち(?:が)?|どれ(?:が)?|ですか|어느 "
        r"(?:쪽|것)[이가]?|더|[?？]"
    ),
    re.IGNORECASE,
)


def _aspect(rest: str) -> str:
    return trimmed(_ASKS.sub(" ", rest))
