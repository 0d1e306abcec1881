"""EML and MBOX, by programs that send or keep mail; the message's number and date are the sources'."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path

from tests.documents.making.stories import Item, Workshop, run

_HEATING = """Guten Tag,

die Heizung im großen Saal fällt seit Dienstag zweimal täglich aus. Der Monteur vermutet
ein verstopftes Überströmventil; das Ersatzteil trifft am Donnerstag ein. Bitte lüften Sie
bis dahin nur kurz und schließen Sie die Türen zum Flur.

Mit freundlichen Grüßen
Hausverwaltung
"""
_BIKES = """The bicycle cellar is being repainted from Monday to Wednesday. Bicycles that are still there on
Sunday evening will be moved to the courtyard, locked or not. The new racks hold cargo bikes too;
their keys are handed out by the porter between four and six."""
_NOTICE = "親愛的住戶:本週六上午九點至十一點停水,請提前儲水。電梯維修延至下月初。"
_QUOTED = """We could do without the printer at the front desk.

On Monday the office wrote:
> The toner of the front desk printer costs more than the printer did.
> Shall we take the one from the reading room instead?
>
> > The reading room printer jams whenever it is humid.
"""
_NEWS = """The observatory opens its dome on the last Friday of the month. Clouds do not matter: then the
lecture on variable stars is given in the library."""


def write_all(shop: Workshop) -> None:
    _mime_lite(shop)
    _email_mime(shop)
    _nodemailer(shop)
    _patches(shop)
    _mutt(shop)
    _procmail(shop)


def _mail(shop: Workshop, file: str, writer: str, date: str, *items: Item, message: int | None = None) -> None:
    for item in items:
        shop.gold.add(file, item, {"date": date} if message is None else {"message": message, "date": date})
    shop.gold.wrote(file, writer)


def _given(shop: Workshop, text: str) -> str:
    body = shop.scratch("mail") / "body.txt"
    body.write_text(text, "utf-8")
    return str(body)


_READ = "sub slurp { open(my $in, $_[1], $_[0]) or die; local $/; return scalar <$in>; }\n"

_MIME_LITE = """use MIME::Lite; use Encode;
my $mail = MIME::Lite->new(From => 'Hausverwaltung <verwaltung@example.org>', To => 'mieter@example.org',
  Subject => encode('MIME-Header', "Störung der Heizung im großen Saal"), Date => 'Tue, 16 Jan 2024 08:15:00 +0100',
  Type => 'multipart/mixed');
$mail->attach(Type => 'text/plain; charset=iso-8859-1', Encoding => 'quoted-printable',
  Data => encode('iso-8859-1', slurp($ARGV[0], '<:encoding(UTF-8)')));
$mail->attach(Type => 'text/csv', Filename => 'termine.csv', Disposition => 'attachment', Data => "Tag;Uhrzeit\\n");
open(my $out, '>:raw', $ARGV[1]) or die; $mail->print($out); close $out;
"""


def _mime_lite(shop: Workshop) -> None:
    """Quoted-printable in Latin 1, with an attachment."""
    target = shop.target("eml", "heizung.eml")
    shop.perl(_READ + _MIME_LITE, _given(shop, _HEATING), str(target))
    items = (
        Item("Warum fällt die Heizung im Saal aus? Überströmventil", "verstopftes Überströmventil"),
        Item("Wann kommt das Ersatzteil für die Heizung?", "Ersatzteil trifft am Donnerstag ein"),
    )
    _mail(shop, "eml/heizung.eml", "Perl MIME::Lite", "2024-01-16", *items)


_EMAIL_MIME = """use Email::MIME;
my $mail = Email::MIME->create(header_str => [From => 'office@example.org', To => 'tenants@example.org',
  Subject => '停水通知', Date => 'Wed, 20 Mar 2024 10:00:00 +0800'],
  attributes => { content_type => 'text/plain', charset => 'UTF-8', encoding => 'base64' },
  body_str => slurp($ARGV[0], '<:encoding(UTF-8)'));
open(my $out, '>:raw', $ARGV[1]) or die; print $out $mail->as_string; close $out;
"""


def _email_mime(shop: Workshop) -> None:
    """Base64 in UTF-8, and a Chinese subject."""
    target = shop.target("eml", "water-notice.eml")
    shop.perl(_READ + _EMAIL_MIME, _given(shop, _NOTICE), str(target))
    items = (Item("週六 停水 幾點", "上午九點至十一點停水"), Item("電梯維修 什麼時候", "電梯維修延至下月初"))
    _mail(shop, "eml/water-notice.eml", "Perl Email::MIME", "2024-03-20", *items)


_NODEMAILER = """
const Composer = require("nodemailer/lib/mail-composer"), fs = require("fs");
const [source, target] = process.argv.slice(2);
const text = fs.readFileSync(source, "utf8");
const html = "<html><style>p{color:red}</style><body><p>" + text.replace(/\\n/g, "<br>") + "</p></body></html>";
new Composer({ from: "porter@example.org", to: "tenants@example.org", subject: "Bicycle cellar closed for painting",
  date: new Date("2024-05-03T09:30:00Z"), text, html,
}).compile().build((error, bytes) => fs.writeFileSync(target, bytes));
"""


def _nodemailer(shop: Workshop) -> None:
    """The same words as text and as a web page."""
    target = shop.target("eml", "bicycle-cellar.eml")
    shop.javascript(_NODEMAILER, _given(shop, _BIKES), str(target))
    items = (
        Item(
            "when does the porter hand out the keys of the new racks", "handed out by the porter between four and six"
        ),
        Item("what happens to bicycles left in the cellar on Sunday", "will be moved to the courtyard"),
    )
    _mail(shop, "eml/bicycle-cellar.eml", "npm nodemailer", "2024-05-03", *items)


_COMMITS = (
    (
        "2024-02-05",
        "Add a table of conversion factors",
        "A furlong is 220 yards, so the racetrack numbers were off by a tenth.",
    ),
    ("2024-02-11", "Round half to even in the ledger", "Cents no longer drift upwards when many small sums are added."),
    ("2024-03-01", "Refuse negative quantities", "A negative quantity once ordered minus three pallets of bricks."),
)


def _patches(shop: Workshop) -> None:
    """A mailbox of three patches, and one of them as a message."""
    folder = shop.scratch("git")
    git = ["git", "-c", "user.name=Ledger", "-c", "user.email=ledger@example.org"]
    run([*git, "init", "-q", "-b", "main"], cwd=folder)
    for number, (day, subject, body) in enumerate(_COMMITS):
        (folder / "ledger.txt").write_text(f"{number}\n{subject}\n", "utf-8")
        run([*git, "add", "ledger.txt"], cwd=folder)
        when = f"{day}T12:00:00+0000"
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        run([*git, "commit", "-q", "-m", subject, "-m", textwrap.fill(body, 60)], cwd=folder, environment=dates)
    series = run([*git, "format-patch", "--root", "--stdout", "main"], cwd=folder)
    shop.target("mbox", "patches.mbox").write_text(series, "utf-8")
    writer = run(["git", "--version"]).strip()
    asked = (
        Item("how many yards in a furlong, racetrack numbers wrong", "furlong is 220 yards"),
        Item("why do cents drift upwards when sums are added", "Cents no longer drift upwards"),
        Item("order of minus three pallets of bricks", "minus three pallets of bricks"),
    )
    for number, (item, (day, _, _)) in enumerate(zip(asked, _COMMITS, strict=True), 1):
        _mail(shop, "mbox/patches.mbox", writer, day, item, message=number)


_LETTERS = (
    ("2024-04-02", "Printer at the front desk", _QUOTED),
    ("2024-04-09", "Open dome night", _NEWS),
    (
        "2024-04-16",
        "Lost property",
        "A green umbrella and one roller skate were left in the cloakroom after the concert.",
    ),
)


def _mutt(shop: Workshop) -> None:
    """What mutt keeps of three sent messages; a false clock dates them."""
    folder = shop.scratch("mutt")
    kept = folder / "sent"
    settings = (
        "set sendmail=/bin/true",
        f"set record={kept}",
        "set from=desk@example.org",
        "set realname=Desk",
        "set hostname=example.org",
        "set copy=yes",
        "set charset=utf-8",
    )
    for day, subject, body in _LETTERS:
        options = [part for line in settings for part in ("-e", line)]
        command = ["faketime", f"{day} 12:00:00", "mutt", "-F", "/dev/null", "-n", *options, "-s", subject]
        run(
            [*command, "--", "office@example.org"],
            environment={"HOME": str(folder), "TZ": "UTC", "LANG": "C.UTF-8"},
            given=body,
        )
    shutil.copy(kept, shop.target("mbox", "sent-by-mutt.mbox"))
    asked = (
        (Item("toner costs more than the front desk printer", "costs more than the printer did"), 1),
        (Item("what happens at the observatory when there are clouds", "variable stars is given in the library"), 2),
        (Item("lost umbrella in the cloakroom", "green umbrella and one roller skate"), 3),
    )
    for item, number in asked:
        writer = run(["mutt", "-v"]).split("\n")[0]
        _mail(shop, "mbox/sent-by-mutt.mbox", writer, _LETTERS[number - 1][0], item, message=number)


_FERRY = """From Saturday on the ferry to the island leaves at 6:40; the last boat back is at 22:15.
From the pier it is a walk of ten minutes to the lighthouse, whose keeper sells honey.
"""
_RAW: tuple[tuple[str, str, str, str, str], ...] = (
    ("Fri, 07 Jun 2024 07:00:00 +0000", "Ferry timetable", "utf-8", "8bit",
     _FERRY),
    ("Sat, 15 Jun 2024 18:20:00 +0000", "Re: Ferry timetable", "iso-8859-15", "quoted-printable",
     "A day ticket costs 18 =A4 for adults. Dogs travel free on deck.\n> the last boat back is at 22:15.\n"),
)  # fmt: skip


def _procmail(shop: Workshop) -> None:
    """formail makes the separators and escapes lines that begin with ``From``."""
    target = shop.target("mbox", "ferry.mbox")
    target.unlink(missing_ok=True)
    for number, (date, subject, charset, encoding, body) in enumerate(_RAW, 1):
        raw = (
            f"From: harbour@example.org\nTo: islanders@example.org\nSubject: {subject}\nDate: {date}\n"
            f"Message-ID: <ferry{number}@example.org>\nMIME-Version: 1.0\nContent-Type: text/plain; charset={charset}\n"
            f"Content-Transfer-Encoding: {encoding}\n\n{body}\n"
        )
        _append(target, run(["faketime", date, "formail"], given=raw))
    asked = (
        ("2024-06-07", Item("last boat back from the island", "last boat back is at 22:15"), 1),
        ("2024-06-07", Item("lighthouse keeper honey", "whose keeper sells honey"), 1),
        ("2024-06-15", Item("price of a day ticket for the ferry in euro", "costs 18 € for adults"), 2),
    )
    for day, item, number in asked:
        _mail(shop, "mbox/ferry.mbox", "formail (procmail)", day, item, message=number)


def _append(target: Path, text: str) -> None:
    with target.open("a", encoding="utf-8") as lines:
        lines.write(text if text.endswith("\n\n") else text.rstrip("\n") + "\n\n")
