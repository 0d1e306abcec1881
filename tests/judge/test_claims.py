"""The checker of an answer's sentences, on pairs of a quote and a sentence that were written for it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.judge.claim_text import CitedPassage
from lens_lsp.judge.claims import Reason, check

SUPPORTED = [
    ("Do not run the installer as root.", "You should avoid running the installer as root."),
    ("The export button is not available on tablets.", "On tablets the export button is unavailable."),
    ("Changing the port requires a restart.", "Without a restart, a changed port does not take effect."),
    ("You must be a member to vote.", "Non-members cannot vote."),
    ("You must be a member to vote.", "Only members may vote."),
    ("Meetings are public unless they are marked private.", "Meetings that are not marked private are public."),
    ("The `tags` field is optional.", "The `tags` field is not required."),
    ("Telemetry is disabled by default.", "By default, telemetry is not enabled."),
    ("Leave the second field empty.", "Nothing is entered in the second field."),
    ("The parser ignores unknown keys.", "Unknown keys are not processed by the parser."),
    ("A title cannot exceed 72 characters.", "A title has at most 72 characters."),
    ("A title must not be longer than 72 characters.", "Titles are limited to 72 characters."),
    ("Nobody but the chair may close a vote.", "Only the chair may close a vote."),
    ("If no branch is set, the main branch is used.", "When the branch is unset, the main branch is used."),
    ("Version 2 does not support proxies.", "Proxies are unsupported in version 2."),
    ("The file remains unchanged.", "The file does not change."),
    ("Keep the summary short.", "The summary should not be long."),
    ("Use a token rather than a password.", "A token is to be used, not a password."),
    ("Absent: Mira, Tomas", "Mira and Tomas did not attend."),
    ("Admission is free of charge.", "Admission costs nothing."),
    ("- [ ] Update the changelog", "The changelog has not been updated yet."),
    ("The new flag only affects the client.", "The new flag does not affect the server."),
    ("Skip this step if you use Linux.", "You do not need this step if you use Linux."),
    ("Interns are exempt from the fee.", "Interns do not have to pay the fee."),
    ("The budget was approved unanimously.", "Nobody voted against the budget."),
    ("Backups happen before the nightly import.", "The nightly import runs after the backups."),
    ("The cache is faster than the disk.", "The disk is slower than the cache."),
    ("Alice sent the report to Bob.", "Bob received the report from Alice."),
    ("Set `LEVEL` to `debug` to see more output.", "`LEVEL` must be set to `debug` for more output."),
    ("The only difference is the colour.", "The only difference between them is the colour."),
    ("All four tests passed.", "The four tests all passed."),
    ("The trial ends after 14 days.", "After two weeks, the trial ends."),
    ("The limit is 1024 MB.", "The limit is 1 GB."),
    ("Set the ratio to 0.5.", "The ratio is set to one half."),
    ("Half of the seats are reserved.", "50% of the seats are reserved."),
    ("Of 40 pages, 10 are drafts.", "10 of the 40 pages are drafts."),
    ("The deadline is 2024-03-05.", "The deadline is March 5, 2024."),
    ("The deadline is 5 March.", "The deadline is the 5th of March."),
    ("Released on 3 June 2021 as version 4.2.", "Version 4.2 came out in June 2021."),
    ("The office opens at 9:30 am.", "The office opens at 9:30."),
    ("Two reviewers are needed.", "You need two reviewers."),
    ("The Python Software Foundation owns the mark.", "The PSF owns the mark."),
    ("The RFC process is described below.", "The Request for Comments process is described below."),
    ("Runs on macOS and Windows.", "It runs on a Mac and on Windows."),
    ("Pass `--dry-run` to see the plan.", "With `--dry-run` you see the plan."),
    ("The file is `/etc/app/config.yml`.", "The settings stand in `config.yml`."),
    ("Use `git pull --rebase`.", "`git pull` is used with `--rebase`."),
    ("The server must be restarted once a week.", "A weekly restart of the server is necessary."),
    ("Dues are 30 euros per month.", "Members pay €30 a month."),
    ("The lamp uses 12 W.", "The lamp needs 12 watts."),
    ("More than 3,000 people came.", "Over 3000 people came."),
    ("Up to five files can be attached.", "At most 5 files can be attached."),
    ("Use at least three replicas.", "A minimum of three replicas is needed."),
    ("The default branch is `main`.", "`main` is the branch used by default."),
    ("If you are on call, answer within 15 minutes.", "People on call answer within 15 minutes."),
    ("The vote failed.", "The vote was not successful."),
    ("The proposal was rejected.", "The proposal was not accepted."),
    ("The proposal was withdrawn by its author.", "Its author withdrew the proposal."),
    ("It isn't possible to undo this step.", "This step cannot be undone."),
    ("It is impossible to undo this step.", "It is not possible to undo this step."),
    ("Avoid global variables.", "Global variables should not be used."),
    ("Passwords are never stored in plain text.", "No password is stored in plain text."),
    ("Neither Chrome nor Firefox is supported.", "Chrome and Firefox are not supported."),
    ("There are no known bugs.", "No bugs are known."),
    ("The service lacks a health check.", "The service has no health check."),
    ("He was unable to attend.", "He could not attend."),
    ("Nothing is logged.", "It does not log anything."),
    ("The lock is released when the process ends.", "When the process ends, it frees the lock."),
    ("The API is stable since 1.4.", "From 1.4 on the API has been stable."),
    ("Sales rose by 12 percent in 2020.", "In 2020, sales grew by 12%."),
    ("Contact the Registrar before 1 May.", "You have to contact the Registrar before May 1."),
    ("The second stage compiles the templates.", "Templates are compiled in the second stage."),
    ("We should probably rename it.", "It should probably be renamed."),
    ("Most users never change the theme.", "The theme is never changed by most users."),
    ("Typically a build takes 10 minutes.", "A build usually takes ten minutes."),
    ("Please don't merge on Fridays.", "Merging on a Friday is not wanted."),
    ("The path is relative to the root.", "The path is not absolute but relative to the root."),
    ("The table lists 3 columns: name, size and date.", "Name, size and date are the three columns."),
    ("A build without tests is not accepted.", "Builds need tests to be accepted."),
    (
        "The feature is experimental; do not use it in production.",
        "The feature is experimental and not meant for production.",
    ),
    ("It is not necessary to sign the form.", "The form need not be signed."),
    ("Only admins can delete a page.", "A page can be deleted by admins only."),
    ("Only admins can delete a page.", "Nobody except admins can delete a page."),
    ("Every request needs a token.", "A request without a token is refused."),
]
NOT_SUPPORTED = [
    ("Do not run the installer as root.", "Run the installer as root.", "Run", Reason.NEGATION),
    ("Changing the port requires a restart.", "The port can be changed without a restart.", "without", Reason.NEGATION),
    ("You must be a member to vote.", "You do not have to be a member to vote.", "not", Reason.NEGATION),
    ("The `tags` field is optional.", "The `tags` field is required.", "required", Reason.NEGATION),
    ("Telemetry is disabled by default.", "Telemetry is enabled by default.", "enabled", Reason.NEGATION),
    ("Telemetry is disabled by default.", "Telemetry is always disabled.", "always", Reason.LIMIT),
    ("A title cannot exceed 72 characters.", "A title has at least 72 characters.", "72 characters", Reason.NUMBER),
    ("Version 2 does not support proxies.", "Version 2 supports proxies.", "supports", Reason.NEGATION),
    ("Version 2 supports proxies.", "Version 2 does not support proxies.", "not", Reason.NEGATION),
    ("The file remains unchanged.", "The file is changed.", "changed", Reason.NEGATION),
    ("Keep the summary short.", "Keep the summary long.", "long", Reason.NEGATION),
    (
        "Use a token rather than a password.",
        "Use a password rather than a token for every account.",
        "every",
        Reason.LIMIT,
    ),
    ("The new flag only affects the client.", "The new flag affects every component.", "affects", Reason.LIMIT),
    ("Interns are exempt from the fee.", "Everybody is exempt from the fee.", "Everybody", Reason.LIMIT),
    ("The budget was approved.", "The budget was not approved.", "not", Reason.NEGATION),
    ("Backups happen before the nightly import.", "Backups happen after the nightly import.", "after", Reason.NEGATION),
    ("The cache is faster than the disk.", "The cache is slower than the disk.", "slower", Reason.NEGATION),
    (
        "Members can propose a change.",
        "Whatever their role, all people can propose a change.",
        "Whatever",
        Reason.LIMIT,
    ),
    ("The trial ends after 14 days.", "The trial ends after 14 weeks.", "14 weeks", Reason.UNIT),
    ("The trial ends after 14 days.", "The trial ends after 15 days.", "15 days", Reason.NUMBER),
    ("The limit is 1024 MB.", "The limit is 1024 GB.", "1024 GB", Reason.UNIT),
    ("The deadline is 2024-03-05.", "The deadline is March 6, 2024.", "March 6, 2024", Reason.DATE),
    ("The deadline is 5 March.", "The deadline is 5 April.", "5 April", Reason.DATE),
    ("Released on 3 June 2021 as version 4.2.", "Version 4.3 came out in June 2021.", "4.3", Reason.NUMBER),
    ("The office opens at 9:30 am.", "The office opens at 8:30 am.", "8:30 am.", Reason.NUMBER),
    ("The Python Software Foundation owns the mark.", "The Apache Foundation owns the mark.", "Apache", Reason.NAME),
    ("Runs on macOS and Windows.", "It runs on Linux.", "Linux", Reason.NAME),
    ("Pass `--dry-run` to see the plan.", "Pass `--verbose` to see the plan.", "--verbose", Reason.NAME),
    ("The file is `/etc/app/config.yml`.", "The settings stand in `config.json`.", "config.json", Reason.NAME),
    ("The server must be restarted once a week.", "The server must be restarted once a month.", "a month", Reason.UNIT),
    ("Dues are 30 euros per month.", "Dues are 30 euros per year.", "30 euros per year", Reason.UNIT),
    ("Dues are 30 euros per month.", "Dues are 30 dollars per month.", "30 dollars per month", Reason.UNIT),
    ("More than 3,000 people came.", "Fewer than 3,000 people came.", "Fewer", Reason.NEGATION),
    ("Up to five files can be attached.", "At least five files can be attached.", "five files", Reason.NUMBER),
    (
        "If you are on call, answer within 15 minutes.",
        "An answer always comes within 15 minutes.",
        "answer always comes within 15 minutes",
        Reason.LIMIT,
    ),
    ("The vote failed.", "The vote succeeded.", "succeeded", Reason.NEGATION),
    ("The proposal was rejected.", "The proposal was accepted.", "accepted", Reason.NEGATION),
    ("It isn't possible to undo this step.", "It is possible to undo this step.", "possible", Reason.NEGATION),
    ("Passwords are never stored in plain text.", "Passwords are stored in plain text.", "stored", Reason.NEGATION),
    ("There are no known bugs.", "There are known bugs.", "known", Reason.NEGATION),
    ("The service lacks a health check.", "The service has a health check.", "health", Reason.NEGATION),
    ("Typically a build takes 10 minutes.", "A build takes exactly 10 minutes.", "exactly", Reason.LIMIT),
    ("We should probably rename it.", "It must be renamed.", "must", Reason.LIMIT),
    ("Only admins can delete a page.", "Every user can delete a page.", "Every", Reason.LIMIT),
    ("Only admins can delete a page.", "Admins cannot delete a page.", "cannot", Reason.NEGATION),
    (
        "Meetings are public unless they are marked private.",
        "Meetings are always public.",
        "Meetings are always public",
        Reason.LIMIT,
    ),
    ("Meetings are public unless they are marked private.", "All meetings are public.", "All", Reason.LIMIT),
    (
        "Meetings are public unless they are marked private.",
        "The meetings are public.",
        "meetings are public",
        Reason.LIMIT,
    ),
    (
        "Refunds are granted if the ticket was not used.",
        "Refunds are granted, whether or not the ticket was used.",
        "whether or not",
        Reason.LIMIT,
    ),
    ("The service is stable.", "The service is unstable.", "unstable", Reason.NEGATION),
    ("Alice reviewed the patch.", "The patch was reviewed by Carol.", "Carol", Reason.NAME),
    ("Please send it on Monday.", "Please send it on Tuesday.", "Tuesday", Reason.DATE),
    ("Sales rose by 12 percent in 2020.", "Sales fell by 12 percent in 2020.", "fell", Reason.NEGATION),
    ("Sales rose by 12 percent in 2020.", "Sales rose by 12 percent in 2021.", "2021", Reason.DATE),
    ("Every request needs a token.", "A request does not need a token.", "not", Reason.NEGATION),
    ("The key must be kept secret.", "The key need not be kept secret.", "not", Reason.NEGATION),
    ("The index is rebuilt manually.", "The index is rebuilt automatically.", "automatically", Reason.NEGATION),
    ("The door is open.", "The door is closed.", "closed", Reason.NEGATION),
    ("The first draft is due in May.", "The final draft is due in May.", "final", Reason.NEGATION),
    ("Comments are allowed.", "Comments are forbidden.", "forbidden", Reason.NEGATION),
    (
        "The cap is 20 requests per minute.",
        "The cap is 20 requests per second.",
        "20 requests per second",
        Reason.NUMBER,
    ),
    ("The bridge is 40 m long.", "The bridge is 40 km long.", "40 km", Reason.UNIT),
    ("Sessions expire after one hour.", "Sessions never expire.", "never", Reason.NEGATION),
    ("The tool works with Python 3.11 or newer.", "The tool works with any version of Python.", "any", Reason.LIMIT),
]
QUOTES = [quote for quote, _ in SUPPORTED] + [quote for quote, *_ in NOT_SUPPORTED]
GERMAN = "Der Antrag wurde am 12. März 2024 mit 18 Stimmen angenommen, sofern `quorum.py` keinen Fehler meldet."


@pytest.mark.parametrize(("quote", "sentence"), SUPPORTED)
def test_what_the_quote_says_in_other_words_is_supported(quote: str, sentence: str) -> None:
    assert check(sentence, [CitedPassage(quote)]) == ()


@pytest.mark.parametrize(("quote", "sentence", "words", "reason"), NOT_SUPPORTED)
def test_what_the_quote_does_not_say_is_marked(quote: str, sentence: str, words: str, reason: Reason) -> None:
    found = [
        (sentence[doubt.span.start : doubt.span.end], doubt.reason) for doubt in check(sentence, [CitedPassage(quote)])
    ]
    assert (words, reason) in found


@pytest.mark.parametrize("quote", QUOTES)
@pytest.mark.parametrize("opening", ["It says: {}", "According to the page, {}", "**{}**", "- {}\n"])
def test_a_quote_in_a_sentence_supports_itself(quote: str, opening: str) -> None:
    assert check(opening.format(quote), [CitedPassage(quote)]) == ()


@given(st.text(min_size=1, max_size=300))
def test_any_text_supports_itself(text: str) -> None:
    assert check(text, [CitedPassage(text)]) == ()


@settings(max_examples=200)
@given(st.sampled_from(QUOTES), st.sampled_from(QUOTES), st.text(max_size=60), st.text(max_size=60))
def test_doubts_lie_in_the_sentence_in_order_and_apart_from_others_text(a: str, b: str, x: str, y: str) -> None:
    sentence = f"{x} {a} {y}"
    found = check(sentence, [CitedPassage(b, before=y, after=x, headings=(x,), title=y, path=x)])
    assert list(found) == sorted(set(found))
    assert all(0 <= doubt.span.start < doubt.span.end <= len(sentence) for doubt in found)


def test_a_name_may_stand_around_or_above_the_quote() -> None:
    quote = "It is released every two weeks."
    sentence = "Lighthouse is released by the Harbour team every two weeks, says `docs/release.md`."
    assert {doubt.reason for doubt in check(sentence, [CitedPassage(quote)])} == {Reason.NAME}
    above = CitedPassage(
        quote, before="The Harbour team decides.", headings=("Lighthouse",), path="notes/docs/release.md"
    )
    assert check(sentence, [above]) == ()


def test_the_date_of_the_path_completes_a_day_of_the_quote() -> None:
    sentence = "The vote closed on 4 March 2019."
    assert check(sentence, [CitedPassage("The vote closed on March 4.")]) != ()
    assert check(sentence, [CitedPassage("The vote closed on March 4.", path="minutes/2019-03-04.md")]) == ()


def test_a_number_around_the_quote_does_not_replace_the_one_in_it() -> None:
    quote, around = "Bills are due within 30 days.", "Reminders are sent after 45 days."
    assert check("Reminders are sent after 45 days.", [CitedPassage("Reminders follow.", after=around)]) == ()
    doubts = check("Bills are due within 45 days.", [CitedPassage(quote, after=around)])
    assert [doubt.reason for doubt in doubts] == [Reason.NUMBER]


def test_a_limit_right_behind_the_quote_counts() -> None:
    sentence = "Guests can use the pool."
    assert check(sentence, [CitedPassage("Guests can use the pool", after=" until it closes.")]) == ()
    doubts = check(sentence, [CitedPassage("Guests can use the pool", after=", but only if a member comes along.")])
    assert [doubt.reason for doubt in doubts] == [Reason.LIMIT]


def test_several_passages_support_a_sentence_together() -> None:
    first, second = CitedPassage("The north dock holds 12 boats."), CitedPassage("The south dock holds 30 boats.")
    sentence = "The docks hold 12 and 30 boats."
    assert check(sentence, [first, second]) == ()
    assert check(sentence, [first]) != ()


def test_a_sentence_without_passages_has_no_ground_for_its_figures_and_names() -> None:
    assert {doubt.reason for doubt in check("In 2021, Carla bought 12 boats.", [])} == {
        Reason.DATE,
        Reason.NAME,
        Reason.NUMBER,
    }


@pytest.mark.parametrize(
    "sentence",
    [
        "Mit 18 Stimmen wurde der Antrag am 12.03.2024 angenommen.",
        "Die Annahme des Antrags war nicht ohne Bedingung: `quorum.py` darf keinen Fehler melden.",
        "Alle Mitglieder der Versammlung stimmten immer zu.",
    ],
)
def test_in_another_language_only_figures_and_codes_are_checked(sentence: str) -> None:
    assert check(sentence, [CitedPassage(GERMAN)]) == ()


@pytest.mark.parametrize(
    ("sentence", "words", "reason"),
    [
        ("Mit 81 Stimmen wurde der Antrag angenommen.", "81", Reason.NUMBER),
        ("Der Antrag wurde am 13. März 2024 angenommen.", "13. März 2024", Reason.DATE),
        ("Das Skript `quorum.sh` meldet keinen Fehler.", "quorum.sh", Reason.NAME),
    ],
)
def test_figures_and_codes_are_checked_in_every_language(sentence: str, words: str, reason: Reason) -> None:
    found = [(sentence[d.span.start : d.span.end], d.reason) for d in check(sentence, [CitedPassage(GERMAN)])]
    assert len(found) == 1
    assert found[0][0].startswith(words)
    assert found[0][1] is reason
