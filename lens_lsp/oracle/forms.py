"""The forms of English questions for a computed value, by operation: cues, what is made of them, patterns.

The slots of a pattern: ``a`` and ``b`` are operands, ``l`` a list of them, ``n`` and ``m`` words for what is measured,
``w`` what changed, ``v`` a verb, ``c`` a noun of change, ``d`` a stretch of time, ``u`` a unit, ``e`` an event.
"""

from __future__ import annotations

from lens_lsp.domain.records import dataclass
from lens_lsp.oracle.phrasing import DURATION

AUX = r"(?:is|was|are|were|does|do|did|has|have|had|will|would|can|could)"
_T = r"(?P<unit>days?|weeks?|months?|years?|hours?|minutes?|decades?|centur(?:y|ies))"
_GAP = r"(?:differences?|gaps?|discrepancy|disparity|margin|spread|distance)"
LIST = r"(?P<l>.+?(?: and | plus | & ).+?)"
START = (
    r"(?:(?:what(?:'s| is| was| are| were| will be)?|how (?:big|large|great|wide|long|much"
    r"|high|small)(?: of an?)? (?:is|was)?|calculate|compute|"
    r"find|determine|express|is there an?) )?(?:the )?"
)
VERB = (
    r"(?:weigh|cost|have|has|had|earn|make|take|contain|need|use|spend|measure|last|own|sell"
    r"|produce|hold|run|employ|score"
    r"|win|receive|publish|build|ship|consume|require|amount to|come to|add up to|get|store|carry|serve|yield"
    r"|cover|grow|burn)"
)
_CHANGE_VERB = (
    r"(?:grow|grown|rise|risen|increase|increased|change|changed|gain|gained|go up|gone up"
    r"|fall|fallen|drop|dropped|decrease"
    r"|decreased|decline|declined|shrink|go down|gone down|lose|climb|climbed|improve"
    r"|improved)"
)
_CHANGE_NOUN = r"(?P<c>increase|growth|change|rise|gain|drop|decrease|decline|fall|reduction|loss|improvement)"
_SPAN = r"(?:from (?P<a>.+?) (?:to|until|till) (?P<b>.+)|between (?P<a2>.+?) and (?P<b2>.+))"
PERCENT = r"(?:percentage|percent|per cent|%)"
_SHARE = rf"(?:{PERCENT}|share|fraction|proportion|portion|part)"
ADJECTIVE = r"(?:tall|long|high|wide|deep|heavy|far|fast|big|large|hot|cold|warm|thick)"
_LEFT = r"(?:left(?: over)?|left-over|remaining|still (?:available|there|left|free)|available)"
_BE_LEFT = (
    rf"(?:(?:is|are|was|were|will be|would be) (?:still )?{_LEFT}|remains?|will remain|do (?:i"
    r"|we|you) (?:still )?have(?: left)?)"
)
_SINCE = r"(?:after|once|when|without|minus)"
_DONE = (
    r"(?: (?:is|are|was|were|has been|have been) (?:done|over|paid|taken off|deducted"
    r"|subtracted|taken|finished|removed))?"
)


@dataclass(frozen=True, slots=True)
class Operation:
    """Words one of which a question must hold, what becomes of a match, and patterns in order."""

    cues: str
    becomes: str
    """The name of a reading of ``oracle.operations``, or an expression over two operands."""
    patterns: tuple[str, ...]


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "how old|years old|age",
        "age",
        (
            (
                r"how (?:many years )?old (?:was|is|were|had|will|would)(?: been)? (?P<a>.+?) (?:become "
                r"|be |turned )?(?:when|at the time(?: when)?"
                r"|(?:in )?the year(?: when)?|on the day(?: when)?) (?P<e>.+)"
            ),
            r"how old (?P<a>.+?) (?:was|is) (?:when|at the time(?: when)?|the year) (?P<e>.+)",
            r"(?:at )?what age (?:was|did|had) (?P<a>.+?) (?:when|at the time) (?P<e>.+)",
            rf"{START}age (?:of|was) (?P<a>.+?) (?:when|at the time) (?P<e>.+)",
            rf"{START}(?P<a>.+?)['’]s? age (?:when|at the time) (?P<e>.+)",
        ),
    ),
    Operation(
        "after|before|from|plus|add ",
        "dated",
        (
            (
                r"(?:(?:on )?(?:what|which)(?: is| was| will)?(?: the)? (?:date|day)|when)(?: (?:is|was"
                r"|were|will|falls?|fell|do|does|did"
                rf"|be|it|the date|we reach|would|come|comes|lies))* (?P<d>{DURATION}) (?:over, counted )?"
                r"(?P<side>after|from|before"
                r"|past) (?P<a>.+?)(?: (?:end|ends|ended|over|up|past))?"
            ),
            rf"(?:give me )?(?:the )?date (?P<d>{DURATION}) (?P<side>after|from|before) (?P<a>.+)",
            (
                rf"(?P<d>{DURATION}) (?P<side>after|from|before) (?P<a>.+?) (?:is|was|falls on) (?:what|which)"
                rf" (?:date|day)"
            ),
            rf"{START}(?:date|day)(?: is| was)? (?:of )?(?P<a>.+?) (?P<side>plus|minus) (?P<d>{DURATION})",
            rf"(?:which|what|when)(?: is| date is| day is) (?P<a>.+?) (?P<side>plus|minus) (?P<d>{DURATION})",
            rf"add (?P<d>{DURATION}) to (?P<a>.+)",
            rf"{START}date (?P<d>{DURATION}) (?P<side>after|before|from) (?P<a>.+)",
        ),
    ),
    Operation(
        "convert|express|how many|in |into ",
        "converted",
        (
            r"how (?P<m>\w+) (?:is|was|are|were) (?P<a>.+?),? (?:expressed |measured )?in (?P<u>[a-z]+)",
            (
                r"(?:(?:what(?:'s| is| was)|convert|express|give me|calculate|how much is) )?(?:the )?"
                r"(?P<n>[\w -]{3,30}?) of (?P<a>.+?),?"
                r" (?:expressed |converted |measured |given )?(?:in|to|into) (?P<u>[a-z]+)"
            ),
            (
                r"(?:(?:what(?:'s| is| was)|convert|express|give me) )?(?P<a>.+?)['’]s (?P<n>[\w"
                r" -]{3,30}?),? (?:expressed |converted "
                r")?(?:in|to|into) (?P<u>[a-z]+)"
            ),
            (
                r"how many (?P<u>[a-z]+) (?:is|was|does|are|do|make) (?!there\b|in\b|between\b)(?:the )?"
                r"(?P<n>[\w -]{3,30}?) of (?P<a>.+?)"
                r"(?: (?:correspond to|equal|amount to|come to|make))?"
            ),
        ),
    ),
    Operation(
        "%|percent|per cent|half|third|quarter|fifth|tenth",
        "part of",
        (
            (
                r"(?:what(?:'s| is| are| was| were)|how much (?:is|are|was|were)|calculate) "
                r"(?P<p>\d+(?:\.\d+)? ?(?:%|percent|per cent)|half|a (?:third|quarter|fifth|tenth)) of "
                r"(?P<a>.+?)(?<! of)"
            ),
        ),
    ),
    Operation(
        "percent|per cent|%|share|fraction|proportion|part",
        "part",
        (
            (
                rf"(?:what|which|how many) {_SHARE} of (?P<b>.+?) (?:is|are|was|were)(?: taken up by|"
                r" represented by| made up (?:by|of)"
                r"| due to| accounted for by)? (?P<a>.+?)"
            ),
            (
                rf"(?:what|which|how many) {_SHARE} of (?P<b>.+?) (?:does|do|did) (?P<a>.+?) (?:make up"
                r"|account for|represent|take up|take"
                r"|constitute|form|cover|use(?: up)?)"
            ),
            rf"(?:what|which) {_SHARE} of (?P<b>.+?) (?:goes to|went to|comes from|makes up) (?P<a>.+?)",
            rf"(?:(?:what is|express|calculate|compute|give) )?(?P<a>.+?) as an? {_SHARE} of (?P<b>.+?)",
            (
                rf"(?P<a>.+?) (?:is|are|makes? up|accounts? for|represents?) (?:what|which|how many) {_SHARE} of"
                rf" (?P<b>.+?)"
            ),
            rf"how much of (?P<b>.+?) (?:is|does|was) (?P<a>.+?),? (?:in|as a) {PERCENT}",
        ),
    ),
    Operation(
        "remain|left|rest|still|minus",
        "rest",
        (
            rf"(?:how (?:much|many)|what)(?: of)? (?P<a>.+?) {_BE_LEFT} {_SINCE} (?P<b>.+?){_DONE}",
            rf"(?:how (?:much|many)|what) {_BE_LEFT} (?:over )?(?:of|from) (?P<a>.+?) {_SINCE} (?P<b>.+?){_DONE}",
            rf"{START}(?:rest|remainder) of (?P<a>.+?) {_SINCE} (?P<b>.+?){_DONE}",
            (
                rf"(?:what|how much) {_BE_LEFT} (?:when|once|after|if) (?P<b>.+?) (?:is|are) (?:deducted"
                r"|subtracted|taken)(?: away)? from"
                r" (?P<a>.+?)"
            ),
            rf"(?P<a>.+?) {_LEFT} {_SINCE} (?P<b>.+?){_DONE}",
            (
                rf"(?:what|how much) {_BE_LEFT} {_SINCE} (?P<b>.+?) (?:is|are) (?:deducted|subtracted"
                r"|taken)(?: away)? from (?P<a>.+?)"
            ),
        ),
    ),
    Operation(
        (
            "grow|ris|increas|chang|gain|go up|gone up|fall|drop|decreas|declin|shrink|go down|gone"
            " down|climb|improv|reduc"
        ),
        ("changed"),
        (
            (
                rf"(?:by )?(?:how (?:much|far|many(?: [\w-]+)?)|what(?: {PERCENT})?)(?: {PERCENT})? (?:did"
                r"|do|does|has|have|had) "
                rf"(?P<w>.+?) (?P<v>{_CHANGE_VERB})(?: in {PERCENT})? {_SPAN}"
            ),
            rf"{START}(?:(?:relative|{PERCENT}) )?{_CHANGE_NOUN} (?:in|of) (?P<w>.+?) {_SPAN}",
            rf"(?P<w>[^:]+): (?:the )?(?:{PERCENT} )?{_CHANGE_NOUN} {_SPAN}",
        ),
    ),
    Operation(
        "days|weeks|months|years|hours|minutes|time|long|apart|interval|gap|decades|centur",
        "elapsed",
        (
            (
                rf"(?:how (?:many {_T}|much time|long)|number of {_T}|{START}(?:{_T}|time|interval|period"
                rf"|span|gap in {_T})(?: in {_T})?)"
            ).replace(("(?P<unit>"), ("(?:"))
            + (
                r"(?: (?:were|was|is|are|did|does|do|have|has|had|lie|lies|lay|it|there|take|passed|pass|elapsed"
                r"|elapse"
                r"|gone by|went by|be|been|separate))* between (?P<a>.+?) and (?P<b>.+?)"
            ),
            (rf"(?:how (?:many {_T}|much time|long)|(?:the )?number of {_T}|(?:the )?{_T}|(?:the )?time)").replace(
                ("(?P<unit>"), ("(?:")
            )
            + (
                r"(?: (?:were|was|is|are|did|does|do|have|has|had|it|there|take|passed|pass|elapsed|elapse"
                r"|gone by|went by))* from "
                r"(?P<a>.+?) (?:to|until|till) (?P<b>.+?)"
            ),
            (
                r"how (?:many (?P<unit>[a-z]+)|much time|long)(?: (?:passed|elapsed|went by|later|did it"
                r" take|was it|is it))? (?:after|from) "
                r"(?P<a>.+?),? (?:until|till) (?P<b>.+?)"
            ),
            (
                r"how (?:many (?P<unit>[a-z]+)|much time|long)(?: (?:passed|elapsed|went by))? until "
                r"(?P<b>.+?) after (?P<a>.+?)"
            ),
            (
                rf"how (?:many {_T}|much time|long) (?:passed|elapsed|went by)"
                r" (?:before|until) (?P<b>.+?) after "
                r"(?P<a>.+?)"
            ),
            (
                rf"how (?:many {_T}|long) (?:after|before|later than|earlier"
                rf" than) (?P<b>.+?),? {AUX} (?P<a>.+?)"
            ),
            rf"how (?:many {_T}|long) apart(?: in time)? {AUX} {LIST}",
            rf"how far apart in time {AUX} {LIST}",
            (
                r"(?P<b>.+?) (?:was|were|came|happened|began|arrived|appeared|started|opened|took place"
                rf"|is) how many {_T} (?:after|before)"
                r" (?P<a>.+?)"
            ),
            r"how long (?:had|has) it been since (?P<a>.+?) when (?P<b>.+?)",
            rf"by how many {_T} (?:did|does) (?P<a>.+?) (?:precede|follow|predate) (?P<b>.+?)",
        ),
    ),
    Operation(
        "ratio|proportion|quotient",
        "ratio(f1, f2)",
        (
            (
                rf"{START}(?P<n>[\w -]*?) ?(?:ratio|proportion|quotient) (?:of|between) (?P<a>.+?)"
                rf" (?:to|and|over) (?P<b>.+?)"
            ),
            r"(?P<a>.+?) to (?P<b>.+?)[:,] (?:what is )?(?:the )?ratio of their (?P<n>[\w ]+?)",
        ),
    ),
    Operation(
        "times as|times the|multiple|divide|factor",
        "f1 / f2",
        (
            rf"how many times (?:as|so) (?P<n>\w+) as (?P<b>.+?) {AUX} (?P<a>.+?)",
            rf"how many times (?:as|so) (?P<n>\w+(?: \w+)?) {AUX} (?P<a>.+?)(?: {VERB})? as (?P<b>.+?)",
            rf"(?P<a>.+?) {AUX} how many times as (?P<n>\w+) as (?P<b>.+?)",
            rf"how many times (?P<b>(?:the|that|as) .+?) {AUX} (?P<a>.+?)",
            rf"what multiple of (?P<b>.+?) {AUX} (?P<a>.+?)",
            r"by what factor (?:does|did|do) (?P<a>.+?) exceed (?P<b>.+?)",
            r"divide (?P<a>.+?) by (?P<b>.+?)",
        ),
    ),
    Operation(
        "multipl|product",
        "f1 * f2",
        (
            rf"(?:{START}|what do you get (?:when|if) you )?multiply (?P<a>.+?) (?:by|with|and) (?P<b>.+?)",
            rf"{START}product of {LIST}",
        ),
    ),
    Operation("subtract|less|deduct|take ", "f1 - f2", (r"(?:subtract|deduct|take) (?P<b>.+?) from (?P<a>.+?)",)),
    Operation(
        "exceed|surpass|outweigh|outnumber|beat|outscore|outlast|ahead of|separat",
        "f1 - f2",
        (
            (
                r"(?:by )?(?:how (?:much|many)|what (?:number|amount|margin) of) ?(?P<n>[\w ]*?) ?(?:does"
                r"|did|do|can|has) (?P<a>.+?) "
                r"(?:exceed|surpass|outweigh|outnumber|beat|outscore|outlast)(?:ed)? (?P<b>.+?)(?: in "
                r"(?P<m>[\w ]+))?"
            ),
            (
                r"(?:by )?how (?:much|many) ?(?P<n>[\w ]*?) (?P<a>(?:the|a|[A-Z]).+?) (?:exceed|surpasse"
                r"|outweigh|beat|outscore)s (?P<b>.+?)"
                r"(?: in (?P<m>[\w ]+))?"
            ),
            r"how many (?P<n>[\w ]+?) separates? (?P<a>.+?) (?:from|and) (?P<b>.+?)",
        ),
    ),
    Operation(
        "more|less|fewer|er |extra|additional|further",
        "more",
        (
            # "How many times heavier than B is A"
            (
                r"(?:by )?(?:how (?:much|many)|what factor|by what factor) ?(?P<n>[^,]*?) (?:than|compared"
                r" (?:to|with)) (?P<b>.+?) "
                rf"{AUX} (?P<a>.+?)(?: (?P<v>{VERB}))?"
            ),
            # "How much heavier is A compared to B"
            (
                rf"(?:by )?(?:how (?:much|many)|(?:by )?what (?:factor|{PERCENT})) ?(?P<n>[^,]*?) ?\b{AUX} "
                r"(?:there )?(?:in )?(?P<a>.+?)"
                rf"(?: (?P<v>{VERB}))?(?: (?P<m>(?:more|less|fewer)(?: [a-z]+)?|[a-z]+er))?,? (?:than"
                r"|compared (?:to|with)|in comparison (?:to"
                r"|with)|relative to|versus|vs\.?|over|as against)(?: in| that of| for)? (?P<b>.+?)"
            ),
            # "by how much A is heavier than B", "how much heavier A is than B"
            (
                r"(?:calculate |compute )?(?:by )?how (?:much|many) ?(?P<n>(?:more |less )?[a-z]*?) ?"
                r"(?P<a>(?:the|my|our|[A-Z]|plan|invoice"
                rf"|chapter).*?) {AUX} ?(?P<m>(?:more|less|fewer)(?: [a-z]+)?|[a-z]+er)? ?(?:than|compared "
                r"(?:to|with)|relative to) "
                r"(?P<b>.+?)"
            ),
            # "A is how much heavier than B"
            (
                r"(?P<a>.+?) (?:is|was|has|have|had|costs?|weighs?|contains?) how (?:much|many) (?P<n>.+?)"
                r" (?:than|compared to) (?P<b>.+?)"
            ),
            # "by how many grams A is heavier than B"
            (
                rf"by how (?:much|many(?: (?P<n>[a-z]+))?) (?P<a>.+?) {AUX} (?P<m>(?:more|less|fewer)(?:"
                r" [a-z]+)?|[a-z]+er) than (?P<b>.+?)"
            ),
        ),
    ),
    Operation(
        "differ|gap|discrepancy|disparity|margin|spread|apart",
        "gap",
        (
            (
                rf"{START}(?P<n>[\w -]*?) ?{_GAP}(?: (?:in|of) (?P<m>.+?))?(?: is there| there is)? between"
                rf" {LIST}(?: in [a-z]+)?"
            ),
            rf"{START}{_GAP} (?:of|in) (?:the )?(?P<n>[\w ]+?)s? of {LIST}",
            rf"(?:by )?(?:how (?:much|many)|what)(?: (?P<m>[\w ]+?))? {AUX} (?:the )?(?P<n>[\w ]+?) of {LIST} differ",
            rf"(?:by )?(?:how (?:much|many)|what)(?: (?P<m>[\w ]+?))? {AUX} {LIST} differ(?: in (?P<n>[\w ]+))?",
            rf"how far apart {AUX} {LIST}(?: in (?P<n>[\w ]+))?",
            (
                r"(?P<a>.+?) (?:versus|vs\.?|and|or|against) (?P<b>[^:]+?): (?:what is|how (?:big|large"
                rf"|great) is) the {_GAP} in (?P<n>.+?)"
            ),
        ),
    ),
    Operation(
        "per |in |over|during|within|for ",
        "rated",
        (
            (
                r"(?:how (?:much|many|far)|what)(?: (?P<n>[\w ]+?))? (?:does|would|will|can|do|could) "
                r"(?P<a>.+?) (?P<v>[a-z]+) (?:in|for|over"
                rf"|during|within) (?P<d>{DURATION})(?: at .+)?"
            ),
        ),
    ),
)
