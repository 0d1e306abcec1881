"""What files of before Unicode are written in, by the language of a project.

The encodings are those that browsers assume by locale (HTML standard, "encoding sniffing algorithm"), as Python names
them; what a language shares with western Europe is ``cp1252``.
"""

from __future__ import annotations

_WESTERN = "af ca da de en es eu fi fr ga gl id is it ms nb nl nn no pt sq sv sw"
_OTHERS = {
    "ar": "cp1256",
    "ba": "cp1251",
    "be": "cp1251",
    "bg": "cp1251",
    "cs": "cp1250",
    "el": "iso8859-7",
    "et": "cp1257",
    "fa": "cp1256",
    "he": "cp1255",
    "hr": "cp1250",
    "hu": "iso8859-2",
    "ja": "cp932",
    "kk": "cp1251",
    "ko": "cp949",
    "ku": "cp1254",
    "ky": "cp1251",
    "lt": "cp1257",
    "lv": "cp1257",
    "mk": "cp1251",
    "pl": "iso8859-2",
    "ru": "cp1251",
    "sah": "cp1251",
    "sk": "cp1250",
    "sl": "iso8859-2",
    "sr": "cp1251",
    "tg": "cp1251",
    "th": "cp874",
    "tr": "cp1254",
    "tt": "cp1251",
    "uk": "cp1251",
    "vi": "cp1258",
    "zh": "gb18030",
    "zh-tw": "big5hkscs",
}

LANGUAGES = dict(sorted({**dict.fromkeys(_WESTERN.split(), "cp1252"), **_OTHERS}.items()))
"""Encoding by language code."""
