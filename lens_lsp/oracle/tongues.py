"""Basic question forms of German, French, Spanish, Russian, Chinese, Japanese and Korean.

How many, when, who, how much, which is larger, the time between, sums, how many files mention, list all, summarise.
One table of patterns a language; what they do not know is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lens_lsp.domain.plan import AnswerType, Combination, Intent, Unit
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.oracle.calculating import operands, span_of_time
from lens_lsp.oracle.choosing import choice, members
from lens_lsp.oracle.collecting import aggregation, rule_for
from lens_lsp.oracle.overviews import document_name
from lens_lsp.oracle.reading import Reading, chained

_NUMBER, _DATE, _PERSON, _ANY = AnswerType.NUMBER, AnswerType.DATE, AnswerType.PERSON, AnswerType.ANY

_TYPES = (
    (
        _NUMBER,
        (
            r"\b(?:wie ?viele?|wie (?:lange?|hoch|gross|weit|alt|teuer|oft|schwer)|combien"
            r"|quel (?:age|prix|montant|nombre)"
            r"|cuant[oa]s?|que (?:edad|precio)|сколько)\b|多少|几[个个本人次天页章年]|多[大高长重远久]|いくつ"
            r"|いくら|何[個人本冊回枚件歳]|どのくらい"
            r"|몇|얼마"
        ),
    ),
    (
        _DATE,
        (
            r"\b(?:wann|in welchem jahr|seit wann|quand|(?:en )?quelle (?:annee|date)|cuando|en que (?:ano|fecha)"
            r"|когда|в каком году)\b"
            r"|什么时候|什麼時候|何时|何時|哪一?年|几[月号]|いつ|何年|何月|何日|언제|몇 ?[년월일]"
        ),
    ),
    (_PERSON, r"\b(?:wer|wem|wen|wessen|qui|quien(?:es)?|кто|кому|кем)\b|谁|誰|だれ|누가|누구"),
)
# What asks for a date is looked for first: 何年 is not a count.
_TYPE_PATTERNS = tuple((kind, regex(pattern)) for kind, pattern in sorted(_TYPES, key=lambda t: t[0] is not _DATE))


def foreign_type(folded: str) -> AnswerType:
    """The expected type of answer of a folded question that is not English."""
    for kind, pattern in _TYPE_PATTERNS:
        if pattern.search(folded):
            return kind
    return _ANY


@dataclass(frozen=True, slots=True)
class _Form:
    """A pattern and what it makes of its groups."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Reading | None]


def _counts(match: re.Match[str]) -> Reading:
    return aggregation(Combination.COUNT, rule_for(match["what"], Unit.FILE))


def _times(match: re.Match[str]) -> Reading:
    return aggregation(Combination.COUNT, rule_for(match["what"], Unit.MATCH))


def _lists(match: re.Match[str]) -> Reading:
    what = match.groupdict().get("what")
    return aggregation(Combination.LIST, rule_for(what, Unit.FILE) if what else None)


def _summary(match: re.Match[str]) -> Reading:
    groups = match.groupdict()
    return Reading(Intent.SUMMARIZE, many=True, document=document_name(groups.get("what") or groups.get("topic") or ""))


def _elapsed(match: re.Match[str]) -> Reading | None:
    subjects = members(match["list"])
    return operands(subjects, "", _DATE, span_of_time(match["unit"])) if len(subjects) == 2 else None


def _difference(match: re.Match[str]) -> Reading | None:
    subjects = members(match["list"])
    return (
        operands(subjects, match.groupdict().get("noun") or "", _NUMBER, "abs(f1 - f2)") if len(subjects) == 2 else None
    )


def _sum(match: re.Match[str]) -> Reading | None:
    subjects = members(match["list"])
    return operands(subjects, match.groupdict().get("noun") or "", _NUMBER, chained("+", len(subjects)))


def _more(match: re.Match[str]) -> Reading | None:
    noun = match.groupdict().get("noun") or ""
    return operands((match["a"], match["b"]), noun, _NUMBER, "f1 - f2", aspect=match.groupdict().get("verb") or "")


_TABLE: tuple[tuple[Callable[[re.Match[str]], Reading | None], str], ...] = (
    (
        _counts,
        (
            r"^(?:in )?wie ?viele[n]? (?:dateien|notizen|seiten|dokumente[n]?|kapitel[n]?) (?:erwähnen|enthalten"
            r"|nennen|wird|steht|handeln von|über) ?(?P<what>.+?)(?: erwähnt)?$"
        ),
    ),
    (
        _counts,
        (
            r"^(?:dans )?combien de (?:fichiers|notes|pages|documents|chapitres) (?:mentionnent|contiennent"
            r"|parlent de|citent) (?P<what>.+)$"
        ),
    ),
    (
        _counts,
        (
            r"^¿?(?:en )?cuánt[oa]s (?:archivos|notas|páginas|documentos|capítulos) (?:mencionan|contienen"
            r"|hablan de|citan) (?P<what>.+)$"
        ),
    ),
    (
        _counts,
        (
            r"^(?:в )?сколько (?:файлов|заметок|страниц|документов|глав) (?:упоминают|содержат|говорят о) "
            r"(?P<what>.+)$"
        ),
    ),
    (
        _counts,
        (
            r"^(?:有)?多少(?:个|篇|份)?(?:文件|笔记|筆記|文档|文檔|页面|章节)(?:中|里)?(?:提到|包含|提及|含有)了?"
            r"(?P<what>.+)$"
        ),
    ),
    (
        _counts,
        (
            r"^(?P<what>.+?)(?:に(?:言及|触れ)(?:している|する|ている)|を含む)(?:ファイル|ノート|ページ|文書"
            r"|メモ)は(?:いくつ|何個|何件|何枚).*$"
        ),
    ),
    (
        _counts,
        r"^(?P<what>.+?)[을를] (?:언급|포함)(?:하는|한) (?:파일|노트|문서|페이지|메모)[은는이가]? ?(?:몇|얼마).*$",
    ),
    (_times, r"^wie oft (?:wird|kommt|erscheint|steht) (?P<what>.+?)(?: vor| erwähnt| genannt)?$"),
    (
        _times,
        (
            r"^combien de fois (?P<what>.+?) (?:apparaît|est[- ](?:il |elle )?mentionné|figure)e?(?:-t-(?:il"
            r"|elle))?$"
        ),
    ),
    (_times, r"^¿?cuántas veces (?:aparece|se menciona) (?P<what>.+)$"),
    (_times, r"^сколько раз (?:упоминается|встречается) (?P<what>.+)$"),
    (
        _elapsed,
        (
            r"^wie ?viele (?P<unit>stunden|tage|wochen|monate|jahre|jahrzehnte) (?:liegen |lagen |sind |vergingen )?"
            r"zwischen (?P<list>.+)$"
        ),
    ),
    (
        _elapsed,
        r"^combien (?:de |d')(?P<unit>heures|jours|semaines|mois|ans|années|temps)\b.*? entre (?P<list>.+)$",
    ),
    (_elapsed, r"^¿?cuánt[oa]s (?P<unit>horas|días|semanas|meses|años)\b.*? entre (?P<list>.+)$"),
    (_elapsed, r"^сколько (?P<unit>часов|дней|недель|месяцев|лет)\b.*? между (?P<list>.+)$"),
    (
        _elapsed,
        (
            r"^(?P<list>.+?[和与與到].+?)(?:之间|之間|相隔|相差)(?:有|了)?"
            r"多少(?:[个個](?!月))?(?P<unit>小时|小時|天|周|[个個]月|年)$"
        ),
    ),
    (_elapsed, r"^(?P<list>.+?と.+?)の(?:間|あいだ)は?何(?P<unit>時間|日|週間|か月|ヶ月|年).*$"),
    (
        _difference,
        (
            r"^(?:was|wie groß|wie hoch) ist (?:der|die) (?P<noun>[\wäöüß]*)(?:unterschied|differenz) zwischen "
            r"(?P<list>.+)$"
        ),
    ),
    (_difference, r"^quelle est la différence (?:de|d') ?(?P<noun>\w+) entre (?P<list>.+)$"),
    (_difference, r"^¿?cuál es la diferencia (?:de|en) (?P<noun>\w+) entre (?P<list>.+)$"),
    (_sum, r"^(?:was|wie hoch|wie groß) ist die summe (?:von|aus|der|des) (?P<list>.+ und .+)$"),
    (_sum, r"^(?:was|wie ?viel) kosten (?P<list>.+? und .+?) (?:zusammen|insgesamt)$"),
    (_sum, r"^quelle est la somme (?:de |des |du |d')(?P<list>.+ et .+)$"),
    (_sum, r"^combien coûtent (?P<list>.+? et .+?) (?:ensemble|au total)$"),
    (_sum, r"^¿?cuál es la suma de (?P<list>.+ y .+)$"),
    (_sum, r"^(?:какова|чему равна) сумма (?P<list>.+ и .+)$"),
    (_sum, r"^(?P<list>.+?[和与與].+?)(?:的总和|的總和|一共|总共|加起来)是?多少.*$"),
    (_more, r"^¿?cuánt[oa]s (?P<noun>\w+) más (?P<verb>.+?) (?:en|tiene|para) (?P<a>.+?) que (?:en |para )?(?P<b>.+)$"),
    (_more, r"^(?P<a>.+?)比(?P<b>.+?)[多大高长重快贵]了?(?:多少|几)(?P<noun>.*)$"),
    (_more, r"^(?P<a>.+)[은는이가] (?P<b>.+?)보다 (?:몇|얼마나) ?(?P<noun>\S+)? ?더 .+$"),
    (_more, r"^(?:um )?wie ?viele? (?P<noun>\w+ )?mehr (?:hat|haben|kostet|braucht|wiegt) (?P<a>.+?) als (?P<b>.+)$"),
    (_more, r"^combien de (?P<noun>\w+) (?:de )?plus (?:a|ont|compte|coûte) (?P<a>.+?) que (?P<b>.+)$"),
    (_more, r"^на сколько (?P<noun>\w+ )?(?:больше|выше|дороже|длиннее) (?P<a>.+?),? чем (?P<b>.+)$"),
    (_more, r"^(?P<a>.+?)は(?P<b>.+?)より(?:何|いくつ|どれだけ)(?P<noun>\S*?)(?:多い|大きい|長い|高い)(?:です)?か?$"),
    (
        _lists,
        (
            r"^in welche[nr]? (?:abschnitt|kapitel|datei|notiz|seite|dokument)\w* (?:kommt|wird|steht|erscheint) "
            r"(?P<what>.+?)(?: vor| erwähnt| genannt)?$"
        ),
    ),
    (
        _lists,
        (
            r"^dans quel(?:le)?s (?:fichiers|notes|pages|documents|chapitres|sections) (?:apparaît|figure"
            r"|est mentionnée?|parle-t-on de|trouve-t-on) (?P<what>.+)$"
        ),
    ),
    (
        _lists,
        (
            r"^¿?en qué (?:archivos|notas|páginas|documentos|secciones|capítulos) (?:aparece|se menciona"
            r"|se habla de|figura) (?P<what>.+)$"
        ),
    ),
    (
        _lists,
        (
            r"^(?:enumera|lista|nombra|dame|muestra) (?:tod[oa]s )?l[oa]s (?:notas|archivos|páginas|documentos"
            r"|secciones|capítulos) que (?:mencionan|contienen|hablan de|citan) (?P<what>.+)$"
        ),
    ),
    (
        _lists,
        (
            r"^(?:liste[rz]?|énumère[rz]?|cite[rz]?|donne[rz]?(?:[- ]moi)?) (?:tou(?:te)?s )?les (?:fichiers|notes"
            r"|pages|documents|chapitres|sections) qui (?:mentionnent|contiennent|parlent de|citent) (?P<what>.+)$"
        ),
    ),
    (_lists, r"^в каких (?:файлах|заметках|разделах|главах|документах) (?:упоминается|встречается) (?P<what>.+)$"),
    (
        _lists,
        (
            r"^(?:перечисли|назови|покажи)(?:те)? (?:все )?(?:файлы|заметки|разделы|главы|документы),? "
            r"(?:в которых|где) (?:упоминается|встречается) (?P<what>.+)$"
        ),
    ),
    (
        _lists,
        (
            r"^(?:请)?列出(?:所有|全部)?(?:提到|包含|提及|含有)了?(?P<what>.+?)的(?:所有)?(?:文件|笔记|文档|页面|章节"
            r"|小节|部分)$"
        ),
    ),
    (
        _lists,
        (
            r"^(?P<what>.+?)(?:に(?:言及|触れ)(?:している|ている)|を含む|が出てくる)(?:すべての|全ての)?(?:ファイル"
            r"|ノート|ページ|文書|メモ|章|節).*(?:挙げ|列挙|一覧|教え|どれ).*$"
        ),
    ),
    (
        _lists,
        (
            r"^(?P<what>.+?)[을를] (?:언급|포함)\S* (?:모든 )?(?:파일|노트|문서|페이지|메모)[을를은는]? ?(?:모두 )?"
            r"(?:나열|알려|보여|찾아|무엇).*$"
        ),
    ),
    (
        _lists,
        (
            r"^(?:welche|in welchen) (?:dateien|notizen|seiten|dokumente[n]?|kapitel[n]?) (?:erwähnen|enthalten"
            r"|nennen) (?P<what>.+)$"
        ),
    ),
    (
        _lists,
        (
            r"^quel(?:le)?s (?:fichiers|notes|pages|documents|chapitres) (?:mentionnent|contiennent|citent) "
            r"(?P<what>.+)$"
        ),
    ),
    (_lists, r"^¿?qué (?:archivos|notas|páginas|documentos) (?:mencionan|contienen) (?P<what>.+)$"),
    (_lists, r"^какие (?:файлы|заметки|страницы|документы) (?:упоминают|содержат) (?P<what>.+)$"),
    (_lists, r"^哪些(?:文件|笔记|文档|页面)(?:中|里)?(?:提到|包含|提及)了?(?P<what>.+)$"),
    (_lists, r"^(?:liste|nenne|zeige|zähle)(?: mir)? (?:alle|jede|sämtliche)\b.+$|^(?:welche|was) sind alle\b.+$"),
    (
        _lists,
        (
            r"^(?:liste[rz]?|énumère[rz]?|donne[rz]?)(?:[- ]moi)? (?:tou(?:s|tes)) .+$|^quel(?:le)?s sont tou(?:s"
            r"|tes) .+$"
        ),
    ),
    (_lists, r"^(?:lista|enumera|dame|nombra)r? (?:tod[oa]s) .+$|^¿?cuáles son tod[oa]s .+$"),
    (_lists, r"^(?:перечисли(?:те)?|назови(?:те)?|покажи(?:те)?)(?: все[хм]?)? .+$"),
    (
        _lists,
        (
            r"^(?:请)?(?:列出|列举|列舉).+$|^.+(?:すべて|全て|全部)(?:列挙|リスト|教えて|挙げて).*$|^모든 .+"
            r"(?:나열|목록|알려).*$"
        ),
    ),
    (
        _summary,
        (
            r"^(?:fasse|fass) (?P<what>.+?) zusammen$|^(?:gib|zeige?)(?: mir)? (?:einen überblick"
            r"|eine zusammenfassung|eine übersicht)(?: über| von)? "
        ),
    ),
    (_summary, r"^(?:zusammenfassung|überblick|übersicht)(?: von| über| zu)? (?P<what>.+)$"),
    (
        _summary,
        (
            r"^(?:résume[rz]?|résumé (?:de|du|des)|donne[rz]?(?:[- ]moi)? un (?:résumé|aperçu) (?:de|du|des)) "
            r"(?P<what>.+)$"
        ),
    ),
    (_summary, r"^(?:resume|resumen de|resumir|haz un resumen de) (?P<what>.+)$"),
    (_summary, r"^(?:кратко изложи|резюмируй|сделай резюме|подведи итог(?:и)?|перескажи)(?:те)? ?(?P<what>.+)$"),
    (_summary, r"^(?:请)?(?:总结|總結|概括|概述|摘要)(?:一下)?(?P<what>.*)$"),
    (
        _summary,
        (
            r"^(?P<what>.*?)(?:を|の)(?:要約|まとめ|概要)(?:して|を|は)?.*$|^(?P<topic>.*?)[을를의] ?(?:요약"
            r"|개요).*$"
        ),
    ),
)


_FORMS: list[_Form] = []


def foreign(question: str) -> Reading | None:
    """The reading of a question in one of these languages, or None. ``question`` has no punctuation at its ends."""
    if not _FORMS:  # compiled when the first question comes that English does not know
        _FORMS.extend(_Form(re.compile(pattern, re.IGNORECASE), read) for read, pattern in _TABLE)
    for form in _FORMS:
        match = form.pattern.match(question)
        if match is not None:
            reading = form.read(match)
            if reading is not None:
                return reading
    return choice(question)
