"""Units of measure, the words people write for them, and exact conversion between them.

Every factor is a `Fraction`: converting there and back gives the same number. Months and years are a dimension of
their own (a month is no fixed number of days), every currency and every counted noun adds only to itself, and
temperatures are affine: they convert and compare, and only their differences add. Radians are absent: they need an
inexact pi.
"""

from __future__ import annotations

import re
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from lens_lsp.model.errors import ComputationError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

_IRREGULAR = {
    "people": "person", "persons": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse",
    "teeth": "tooth", "geese": "goose", "feet": "foot", "lives": "life", "leaves": "leaf", "halves": "half",
    "wolves": "wolf", "knives": "knife", "wives": "wife", "shelves": "shelf", "indices": "index", "matrices": "matrix",
    "vertices": "vertex", "criteria": "criterion", "phenomena": "phenomenon", "analyses": "analysis",
    "bases": "basis", "crises": "crisis", "hypotheses": "hypothesis", "theses": "thesis", "caches": "cache",
    "headaches": "headache", "heroes": "hero", "potatoes": "potato", "tomatoes": "tomato", "echoes": "echo",
    "gases": "gas", "buses": "bus", "aliases": "alias", "shoes": "shoe", "movies": "movie", "cookies": "cookie",
    "ties": "tie", "series": "series", "species": "species",
}  # fmt: skip
_PLURALS = {one: many for many, one in _IRREGULAR.items() if many != "persons"}
_NEVER_PLURAL = ("ss", "us", "is")
_FUNCTION_WORDS = """
a about above across after against ago all also although always am among an and another any are as at away b.c. be
because been before behind being below between both but by can cannot could did do does doing done down during each
either else enough even ever every few for from further gets gives had has have having he her here hers him his how
however if in into is it its itself just less like made makes many may me might more most much must my needs
neither never no nor not now of off often on once one only onto or other others our out over own per perhaps plus
rather same seems shall she should since so some still such takes than that the their theirs them then there these
they this those though through thus till times to too towards under unless until up upon us versus very via vs was
we were what when where whereas whether which while who whom whose why will with within without would x yes yet you
your besides sometimes afterwards overseas contains shows includes describes explains covers says requires uses works
means begins starts ends appears exists follows becomes remains stands lies runs comes goes allows provides
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words after a number that are not what it counts."""
_PER = " per "
_ZERO = {"°C": Fraction("273.15"), "°F": Fraction("459.67") * 5 / 9}
_POINTS = {"percentage point": "points", "basis point": "points"}
_CODES = (
    "USD EUR GBP JPY CNY CHF AUD CAD NZD HKD SGD SEK NOK DKK PLN CZK HUF RON BGN RUB UAH TRY INR KRW THB IDR MYR PHP "
    "VND TWD BRL MXN ARS CLP COP PEN ZAR EGP NGN KES ILS AED SAR BTC"
)
_SIGNS = {
    "$": "USD", "US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "NZ$": "NZD", "HK$": "HKD",
    "S$": "SGD", "R$": "BRL", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW", "₿": "BTC",
    "₺": "TRY", "₪": "ILS", "₴": "UAH", "₫": "VND", "zł": "PLN",
}  # fmt: skip
_MONEY_NAMES = {
    "dollar": "USD", "US dollar": "USD", "Australian dollar": "AUD", "Canadian dollar": "CAD", "euro": "EUR",
    "pound sterling": "GBP", "pounds sterling": "GBP", "British pound": "GBP", "yen": "JPY", "yuan": "CNY",
    "renminbi": "CNY", "Swiss franc": "CHF", "Swedish krona": "SEK", "rupee": "INR", "ruble": "RUB", "rouble": "RUB",
    "won": "KRW", "bitcoin": "BTC",
}  # fmt: skip
_MONEY_FORMS = {
    "Franken": "CHF", "рубль": "RUB", "рублей": "RUB", "рубля": "RUB", "евро": "EUR", "долларов": "USD",
    "元": "CNY", "人民币": "CNY", "美元": "USD", "欧元": "EUR", "円": "JPY", "日元": "JPY", "원": "KRW", "ドル": "USD",
    "ユーロ": "EUR",
}  # fmt: skip
_COUNTERS = "人 个 個 页 頁 ページ 本 冊 册 章 回 次 台 名 位 件 种 種 家 匹 枚 명 개 권 장"
# Read as units only where no word follows: "12 in." is a length, "5 in the box" is not.
_CAREFUL = {"in", "A", "won", "d"}
_exact: dict[str, MeasureUnit] = {}
_names: dict[str, MeasureUnit] = {}
SIGN_OF = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
"""The sign written before an amount, for the currencies that are usually shown with one."""
_MONEY_BEFORE = regex(
    rf"(?:(?<![^\W_])(?:{'|'.join(_CODES.split())}) ?|(?<![^\W_])(?:US|AU?|CA?|NZ|HK|S|R)\$ ?|[$€£¥₹₽₩₿₺₪₴₫] ?)\Z"
)
_LAST_OF_MONEY = frozenset("$€£¥₹₽₩₿₺₪₴₫" + "".join(code[-1] for code in _CODES.split()))
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
"""Scripts that write units against the number and the next word against the unit, as a regex class body."""
_SIGN = regex(r"[%‰$€£¥₹₽₩₿₺₪₴₫℃℉]|° ?[CFcf](?: of difference)?(?![^\W_])|°(?! ?[^\W\d_])|(?:US|AU?|CA?|NZ|HK|S|R)\$")
_JOINED = regex(rf"[{UNSPACED}]{{1,6}}")
_WORD = r"[^\W\d_]{1,24}(?:[²³]|\^[23]|[23](?!\w))?"
_RUN = regex(rf"{_WORD}(?:[ \n/-]{_WORD}){{0,3}}")
_PIECE_END = regex(r"(?<=[^ \n/-])(?=[ \n/-]|\Z)")
_POWERS = str.maketrans({"2": "²", "3": "³", "^": None, "\n": " ", "-": " "})


def singular(noun: str) -> str:
    """The form all numbers of one noun share, in lower case: ``chapters`` and ``Chapter`` give ``chapter``."""
    noun = noun.lower()
    known = _IRREGULAR.get(noun)
    if known is not None:
        return known
    if not looks_plural(noun):
        return noun
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return noun[:-2]
    if noun.endswith("uses") and not noun.endswith(("ouses", "auses")) and len(noun) > 5:
        return noun[:-2]
    return noun[:-1]


def plural(noun: str) -> str:
    """How more than one of a singular noun are written; ``singular`` undoes it."""
    known = _PLURALS.get(noun)
    if known is not None:
        return known
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou") and len(noun) > 2:
        return noun[:-1] + "ies"
    if noun.endswith(("ss", "x", "ch", "sh", "zz", "us", "is")):
        return noun + "es"
    return noun if noun.endswith("s") or not noun.isascii() else noun + "s"


def looks_plural(word: str) -> bool:
    """Whether a word in lower case may be a noun in the plural."""
    if word in _IRREGULAR:
        return True
    return len(word) > 2 and word.endswith("s") and not word.endswith(_NEVER_PLURAL)


class Dimension(StrEnum):
    """What a unit measures; the value is how a message names it."""

    NUMBER = "plain number"
    COUNT = "count"
    ORDINAL = "place in a row"
    SHARE = "percentage"
    MONEY = "money"
    LENGTH = "length"
    AREA = "area"
    VOLUME = "volume"
    MASS = "mass"
    TIME = "time"
    CALENDAR = "months and years"
    SPEED = "speed"
    DATA = "data"
    DATA_RATE = "data rate"
    TEMPERATURE = "temperature"
    TEMPERATURE_STEP = "temperature difference"
    ENERGY = "energy"
    POWER = "power"
    PRESSURE = "pressure"
    FORCE = "force"
    VOLTAGE = "voltage"
    CURRENT = "current"
    ANGLE = "angle"
    FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """A unit; ``symbol`` is what is shown after a number."""

    symbol: str
    dimension: Dimension
    factor: Fraction = Fraction(1)
    """How many of the dimension's base unit one of these is."""
    offset: Fraction = Fraction(0)
    """Where its zero lies on the base scale; other than 0 for temperatures only."""
    of: str = ""
    """The currency code, or the noun that is counted, in the singular."""
    also: tuple[Fraction, ...] = ()
    """Other factors that people mean by the same writing (KB as 1024 bytes, the imperial gallon)."""
    spelled: bool = False
    """The symbol is a word with a plural."""


ONE = MeasureUnit("", Dimension.NUMBER)
"""The unit of a plain number."""


@lru_cache(maxsize=4096)
def counted(noun: str) -> MeasureUnit:
    """The unit of things counted by a noun; singular and plural give the same unit."""
    one = singular(noun)
    return MeasureUnit(one, Dimension.COUNT, of=one, spelled=True)


@lru_cache(maxsize=4096)
def ordinal(noun: str = "") -> MeasureUnit:
    """The unit of places in a row: chapter 12 and the 12th chapter; without a noun just "12th"."""
    one = singular(noun)
    return MeasureUnit(one, Dimension.ORDINAL, of=one)


@lru_cache(maxsize=256)
def currency(code: str) -> MeasureUnit:
    """The unit of money in one currency; never converted into another."""
    return MeasureUnit(code, Dimension.MONEY, of=code)


def rate(unit: MeasureUnit, per: MeasureUnit) -> MeasureUnit:
    """The unit of an amount for each of something ("km per day"); it adds only to itself."""
    written = f"{unit.symbol}{_PER}{per.symbol}"
    return MeasureUnit(written, Dimension.COUNT, of=written)


def is_rate(unit: MeasureUnit) -> bool:
    """Whether it was made by :func:`rate`."""
    return unit.dimension is Dimension.COUNT and _PER in unit.of


def rate_parts(unit: MeasureUnit) -> tuple[str, str]:
    """The symbols of the two units of a rate."""
    amount, _, per = unit.of.partition(_PER)
    return amount, per


def compatible(a: MeasureUnit, b: MeasureUnit) -> bool:
    """Whether amounts in the two convert into each other exactly."""
    return a.dimension is b.dimension and (a.of == b.of or a.dimension is Dimension.SHARE)


def to_base(amount: Fraction, unit: MeasureUnit) -> Fraction:
    """An amount in the base unit of its dimension."""
    return amount * unit.factor + unit.offset


def from_base(amount: Fraction, unit: MeasureUnit) -> Fraction:
    """An amount of base units in ``unit``."""
    return (amount - unit.offset) / unit.factor


def convert(amount: Fraction, unit: MeasureUnit, target: MeasureUnit) -> Fraction:
    """The same amount in another unit, exactly; raises ComputationError when the two measure different things."""
    if not compatible(unit, target):
        raise ComputationError(f"Cannot convert {described(unit)} to {described(target)}{reason(unit, target)}.")
    return from_base(to_base(amount, unit), target)


def described(unit: MeasureUnit) -> str:
    """A unit as a message names it: ``km (length)``."""
    if unit.dimension is Dimension.NUMBER:
        return "a plain number"
    if unit.dimension is Dimension.ORDINAL:
        return f"a place in a row of {unit.of or 'things'}"
    return f"{unit.symbol} ({unit.dimension.value})"


def reason(a: MeasureUnit, b: MeasureUnit) -> str:
    """Why two units that seem to belong together do not, to end a sentence with; often empty."""
    dimensions = {a.dimension, b.dimension}
    if dimensions == {Dimension.TIME, Dimension.CALENDAR}:
        return ": a month or year is no fixed number of days"
    if dimensions == {Dimension.MONEY}:
        return ": exchange rates are not known here"
    return ""


_TABLE = {
    Dimension.LENGTH: """
        m 1 metre meter | Meter mètre mètres metros метр метра метров 米 公尺 メートル 미터
        km 1000 =Km =KM kilometre kilometer | Kilometern kilomètre kilomètres kilómetro kilómetros километр
        + километра километров 公里 千米 キロメートル 킬로미터
        dm 1/10 decimetre decimeter
        cm 1/100 centimetre centimeter | Zentimeter centimètres centímetros сантиметр сантиметров 厘米 センチ
        mm 1/1000 millimetre millimeter | Millimeter millimètres milímetros миллиметр миллиметров 毫米 ミリ
        µm 1/1000000 =μm =um micrometre micrometer micron
        nm 1/1000000000 nanometre nanometer
        in 0.0254 inch
        ft 0.3048 foot feet
        yd 0.9144 yard
        mi 1609.344 mile | Meile Meilen millas 英里 マイル
        nmi 1852 nautical_mile
        AU 149597870700 astronomical_unit
        ly 9460730472580800 light_year lightyear
    """,
    Dimension.AREA: """
        m² 1 =sqm square_metre square_meter sq_m | Quadratmeter 平方米 平方メートル
        km² 1000000 square_kilometre square_kilometer sq_km | Quadratkilometer 平方公里
        cm² 1/10000 square_centimetre square_centimeter sq_cm
        mm² 1/1000000 square_millimetre square_millimeter
        ha 10000 hectare | Hektar hectáreas гектар гектаров 公顷
        acre* 4046.8564224 acre
        ft² 0.09290304 =sqft square_foot square_feet sq_ft
        in² 0.00064516 square_inch sq_in
        yd² 0.83612736 square_yard
        mi² 2589988.110336 square_mile sq_mi
    """,
    Dimension.VOLUME: """
        m³ 1 cubic_metre cubic_meter | Kubikmeter 立方米
        km³ 1000000000 cubic_kilometre cubic_kilometer
        cm³ 1/1000000 =cc cubic_centimetre cubic_centimeter
        L 1/1000 =l litre liter | Liter litros литр литра литров 升 公升 リットル 리터
        dL 1/10000 =dl decilitre deciliter
        cL 1/100000 =cl centilitre centiliter
        mL 1/1000000 =ml millilitre milliliter | Milliliter 毫升
        µL 1/1000000000 =µl =μL =μl microlitre microliter
        hL 1/10 =hl hectolitre hectoliter
        ft³ 0.028316846592 cubic_foot cubic_feet
        in³ 0.000016387064 cubic_inch
        gallon* 0.003785411784 ~0.00454609 =gal gallon US_gallon
        quart* 0.000946352946 ~0.0011365225 quart
        pint* 0.000473176473 ~0.00056826125 pint
        cup* 0.0002365882365 ~0.00025 cup
        fl_oz 0.0000295735295625 ~0.0000284130625 fluid_ounce
        tablespoon* 0.00001478676478125 ~0.000015 =tbsp tablespoon
        teaspoon* 0.00000492892159375 ~0.000005 =tsp teaspoon
        barrel* 0.158987294928 =bbl barrel
    """,
    Dimension.MASS: """
        g 1 gram gramme | Gramm gramos грамм граммов 克 グラム
        kg 1000 =Kg =KG kilogram kilogramme kilo | Kilogramm kilogramos килограмм килограммов
        + 公斤 千克 キログラム キロ 킬로그램
        mg 1/1000 milligram milligramme | Milligramm 毫克
        µg 1/1000000 =μg =mcg microgram
        t 1000000 tonne metric_ton | Tonne Tonnen тонн тонны 吨 噸 トン
        ton* 1000000 ~907184.74 ~1016046.9088 ton
        long_ton* 1016046.9088 long_ton
        short_ton* 907184.74 short_ton
        Mt 1000000000000 megatonne megaton
        lb 453.59237 =lbs pound
        oz 28.349523125 ounce
        stone 6350.29318
    """,
    Dimension.TIME: """
        s 1 =sec =secs second | Sekunde Sekunden secondes segundos секунда секунды секунд 秒 초
        ms 1/1000 millisecond | Millisekunde Millisekunden 毫秒 ミリ秒
        µs 1/1000000 =μs =us microsecond
        ns 1/1000000000 nanosecond
        min 60 =mins minute | Minute Minuten minutos минута минуты минут 分钟 分鐘 分間 분
        h 3600 =hr =hrs hour | Stunde Stunden heure heures hora horas час часа часов 小时 小時 時間 시간
        day* 86400 =d day | Tag Tage Tagen jour jours día días день дня дней 天 日間
        week* 604800 =wk =wks week | Woche Wochen semaine semaines semana semanas неделя недели недель 周 週間
        fortnight* 1209600 fortnight
    """,
    Dimension.CALENDAR: """
        month* 1 month | Monat Monate Monaten mois mes meses месяц месяца месяцев 个月 個月 か月 ヶ月 개월
        year* 12 =yr =yrs year | Jahr Jahre Jahren ans année années año años год года лет 年 年間 년
        decade* 120 decade | Jahrzehnt Jahrzehnte
        century* 1200 century | Jahrhundert Jahrhunderte 世纪
        millennium* 12000 millennium millennia
    """,
    Dimension.SPEED: """
        m/s 1 metre_per_second metres_per_second meter_per_second meters_per_second
        km/h 5/18 =kph =kmh =km/hr kilometre_per_hour kilometres_per_hour kilometer_per_hour kilometers_per_hour
        km/s 1000 kilometres_per_second kilometers_per_second
        mph 0.44704 =mi/h mile_per_hour miles_per_hour
        ft/s 0.3048 feet_per_second
        kn 463/900 =kt =kts knot
    """,
    Dimension.DATA: """
        bit* 1 =b bit
        B 8 byte octet | Byte Bytes 字节 バイト
        kbit 1000 =kb =Kb =Kbit kilobit
        Mbit 1000000 =Mb megabit
        Gbit 1000000000 =Gb gigabit
        Tbit 1000000000000 =Tb terabit
        kB 8000 ~8192 =KB kilobyte
        MB 8000000 ~8388608 megabyte
        GB 8000000000 ~8589934592 gigabyte
        TB 8000000000000 ~8796093022208 terabyte
        PB 8000000000000000 petabyte
        EB 8000000000000000000 exabyte
        KiB 8192 =kiB kibibyte
        MiB 8388608 mebibyte
        GiB 8589934592 gibibyte
        TiB 8796093022208 tebibyte
        PiB 9007199254740992 pebibyte
        Kibit 1024 kibibit
        Mibit 1048576 mebibit
    """,
    Dimension.DATA_RATE: """
        bit/s 1 =bps =b/s bits_per_second
        kbit/s 1000 =kbps =Kbps =kb/s kilobits_per_second
        Mbit/s 1000000 =Mbps =Mb/s megabits_per_second
        Gbit/s 1000000000 =Gbps =Gb/s gigabits_per_second
        Tbit/s 1000000000000 =Tbps =Tb/s
        B/s 8 bytes_per_second
        kB/s 8000 ~8192 =KB/s kilobytes_per_second
        MB/s 8000000 ~8388608 megabytes_per_second
        GB/s 8000000000 ~8589934592 gigabytes_per_second
        KiB/s 8192
        MiB/s 8388608
        GiB/s 8589934592
    """,
    Dimension.TEMPERATURE: """
        K 1 kelvin
        °C 1 =℃ =°c degree_Celsius degrees_Celsius degree_C degrees_C degree_centigrade degrees_centigrade celsius
        + | Grad_Celsius 摄氏度
        °F 5/9 =℉ =°f degree_Fahrenheit degrees_Fahrenheit degree_F degrees_F fahrenheit | 华氏度
    """,
    Dimension.TEMPERATURE_STEP: """
        K_of_difference 1 kelvin_of_difference
        °C_of_difference 1 degrees_Celsius_of_difference
        °F_of_difference 5/9 degrees_Fahrenheit_of_difference
    """,
    Dimension.ENERGY: """
        J 1 joule
        kJ 1000 kilojoule
        MJ 1000000 megajoule
        GJ 1000000000 gigajoule
        cal 4.184 ~4184 calorie
        kcal 4184 =Calorie =Calories kilocalorie
        Wh 3600 watt_hour
        kWh 3600000 =KWh =kwh kilowatt_hour
        MWh 3600000000 megawatt_hour
        GWh 3600000000000 gigawatt_hour
        TWh 3600000000000000 terawatt_hour
        eV 1.602176634e-19 electronvolt
        BTU 1055.05585262
    """,
    Dimension.POWER: """
        W 1 watt
        mW 1/1000 milliwatt
        kW 1000 =KW kilowatt
        MW 1000000 megawatt
        GW 1000000000 gigawatt
        TW 1000000000000 terawatt
        hp 745.69987158227022 ~735.49875 =bhp horsepower
    """,
    Dimension.PRESSURE: """
        Pa 1 pascal
        hPa 100 hectopascal
        kPa 1000 kilopascal
        MPa 1000000 megapascal
        mbar 100 millibar
        bar 100000
        atm 101325
        psi 6894.757293168
    """,
    Dimension.FORCE: "N 1 newton\nkN 1000 kilonewton",
    Dimension.VOLTAGE: "V 1 volt\nmV 1/1000 millivolt\nkV 1000 kilovolt",
    Dimension.CURRENT: "A 1 ampere amp\nmA 1/1000 milliampere milliamp",
    Dimension.ANGLE: """
        ° 1 degree | grados градус градусов
        arcmin 1/60 arcminute
        arcsec 1/3600 arcsecond
    """,
    Dimension.FREQUENCY: """
        Hz 1 hertz | 赫兹
        kHz 1000 =KHz kilohertz
        MHz 1000000 megahertz
        GHz 1000000000 gigahertz
        rpm 1/60 =RPM revolutions_per_minute
    """,
    Dimension.SHARE: """
        % 1/100 percent per_cent pct | Prozent pourcent por_ciento процент процента процентов パーセント
        ‰ 1/1000 permille per_mille per_mil | Promille
        percentage_point* 1/100 =pp percentage_point | Prozentpunkt Prozentpunkte
        basis_point* 1/10000 basis_point
    """,
}


def _define(dimension: Dimension, fields: list[str]) -> None:
    symbol = fields[0].removesuffix("*").replace("_", " ")
    also = tuple(Fraction(field[1:]) for field in fields if field.startswith("~"))
    zero = _ZERO.get(symbol, Fraction(0))
    of = _POINTS.get(symbol, "")
    unit = MeasureUnit(symbol, dimension, Fraction(fields[1]), zero, of, also, spelled=fields[0].endswith("*"))
    _exact[symbol] = unit
    exact = False
    for field in fields[2:]:
        name = field.replace("_", " ")
        if field == "|":
            exact = True
        elif field.startswith("="):
            _exact[name[1:]] = unit
        elif exact:
            _exact[name] = unit
        elif not field.startswith("~"):
            _names[name.lower()] = _names[plural(name.lower())] = unit


def _fill() -> None:
    for dimension, block in _TABLE.items():
        for line in re.sub(r"\n *\+", "", block).strip().split("\n"):
            _define(dimension, line.split())
    _exact.update({code: currency(code) for code in _CODES.split()})
    _exact.update({written: currency(code) for written, code in (_SIGNS | _MONEY_FORMS).items()})
    _exact.update({counter: counted(counter) for counter in _COUNTERS.split()})
    for name, code in _MONEY_NAMES.items():
        _names[name.lower()] = _names[plural(name.lower())] = currency(code)


_fill()
KNOWN_UNITS = tuple(dict.fromkeys(unit for unit in _exact.values() if unit.dimension is not Dimension.COUNT))
"""Every unit of the tables once."""


def find_unit(name: str) -> MeasureUnit | None:
    """The unit a symbol or name stands for, or None: symbols exactly as written, names in any case."""
    name = " ".join(name.translate(_POWERS).split())
    return _exact.get(name) or _names.get(name.lower())


def known_unit(name: str) -> MeasureUnit:
    """The unit a name stands for; only for names that the tables hold."""
    unit = find_unit(name)
    assert unit is not None, name
    return unit


def unit_named(symbol: str) -> MeasureUnit:
    """The unit a symbol stands for, else that of things counted by it."""
    return find_unit(symbol) or counted(symbol)


def money_before(before: str) -> tuple[MeasureUnit, int] | None:
    """The currency that ends what stands before an amount, and how many code points it takes; or None."""
    last = before[-1:] if before[-1:] != " " else before[-2:-1]
    match = _MONEY_BEFORE.search(before) if last in _LAST_OF_MONEY and last else None
    return None if match is None else (_exact[match.group().strip()], len(match.group()))


def match_unit(text: str, start: int) -> tuple[MeasureUnit, int] | None:
    """The longest unit that begins at ``start`` and where it ends, or None."""
    sign = _SIGN.match(text, start)
    if sign is not None:
        return _exact[sign.group().replace("° ", "°")], sign.end()
    joined = _JOINED.match(text, start)
    if joined is not None:
        run = joined.group()
        return next(((_exact[run[:n]], start + n) for n in range(len(run), 0, -1) if run[:n] in _exact), None)
    words = _RUN.match(text, start)
    if words is None:
        return None
    for end in reversed([match.start() for match in _PIECE_END.finditer(words.group())]):
        written = words.group()[:end]
        unit = find_unit(written)
        if unit is not None and _ends_well(text, start, start + end):
            return unit, start + end
    return None


def _ends_well(text: str, start: int, end: int) -> bool:
    """Whether a unit may end here: no letter or digit goes on, and no word after one that is a common word too."""
    following = text[end : end + 2]
    if (
        following[:1].isalnum()
        or following[:1] in ("_", "'", "’")
        or (following[:1] == "." and following[1:].isalpha())
    ):
        return False
    return text[start:end] not in _CAREFUL or not (following[:1] == " " and following[1:].isalnum())
