"""Questions of every operation, by templates and subjects; some of both are held out from whoever edits the rules.

A template is a sentence with slots. What is expected of it: the intent, the combination or expression, and the
subjects whose facts it needs. Which templates and subjects are held out is marked here and nowhere else.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from lens_lsp.domain.plan import Intent

COMPUTE, COMPARE, COLLECT = Intent.COMPUTATION, Intent.COMPARISON, Intent.AGGREGATION


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A question and what its plan must be."""

    operation: str
    question: str
    intent: Intent
    rule: tuple[str, ...]
    """Expressions or combinations that are right."""
    subjects: tuple[str, ...]
    """What each requirement must name, in order."""
    held: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """Templates of one operation; ``held`` are not looked at while rules are written."""

    name: str
    intent: Intent
    rules: tuple[str, ...]
    fields: str
    subjects: str
    templates: tuple[str, ...]
    held: tuple[str, ...]


# a | b | c | attribute | adjective | comparative | superlative | verb | unit
_THINGS = """
the red bike|the blue bike|the cargo bike|price|expensive|more expensive|most expensive|cost|euros
the oak table|the pine table|the glass table|weight|heavy|heavier|heaviest|weigh|kilograms
Mill Lane|Harbour Street|Abbey Road|length|long|longer|longest|measure|metres
the tomato soup|the lentil stew|the onion tart|cooking time|long|longer|longest|take|minutes
the north tower|the south tower|the bell tower|height|high|higher|highest|measure|metres
invoice 114|invoice 208|invoice 311|amount|high|higher|highest|cost|euros
Anna|Bob|Carl|weight|heavy|heavier|heaviest|weigh|kilograms
"""
_HELD_THINGS = """
the birch canoe|the steel canoe|the racing canoe|weight|heavy|heavier|heaviest|weigh|pounds
the coastal trail|the forest trail|the ridge trail|length|long|longer|longest|measure|miles
plan Alpha|plan Beta|plan Gamma|monthly fee|expensive|more expensive|most expensive|cost|dollars
the Lyon trip|the Turin trip|the Basel trip|duration|long|longer|longest|last|days
"""
# event a | event b | verb of b in the past, in the infinitive
_EVENTS = """
the kickoff meeting|the product launch|happened|happen
the first frost|the harvest|began|begin
the order|the delivery|arrived|arrive
the fire|the reopening of the mill|took place|take place
release 1.0|release 2.0|appeared|appear
the wedding|the move to Kiel|happened|happen
"""
_HELD_EVENTS = """
the outage|the final fix|arrived|arrive
the semifinal|the final|began|begin
the sowing of the beans|the picking of the beans|started|start
"""
# counted things of two owners
_COUNTS = """
Dune|Emma|Walden|pages|have
the Lions|the Tigers|the Bears|goals|score
the north bed|the south bed|the herb bed|plants|hold
the Kiel office|the Bern office|the Graz office|employees|have
chapter 3|chapter 5|chapter 8|exercises|contain
"""
_HELD_COUNTS = """
the Monday log|the Friday log|the Sunday log|errors|contain
the walnut cake|the carrot cake|the plum cake|eggs|need
Team Red|Team Blue|Team Green|points|score
"""
# part | whole
_PARTS = """
the rent|the monthly budget
the travel cost|the project budget
the flour|the total weight of the dough
the vegetable patch|the garden
the marketing share|the 2020 revenue
"""
_HELD_PARTS = """
the hotel bill|the trip budget
the indexing time|the total build time
"""
# what changed | from | to | verb | noun of the change
_CHANGES = """
the rent|2015|2019|rise|increase
the membership of the club|2010|2020|grow|growth
the electricity bill|January|March|increase|increase
the price of bread|1990|2000|rise|increase
the number of visitors|May|June|grow|growth
"""
_HELD_CHANGES = """
the test coverage|version 1.2|version 2.0|increase|increase
the honey harvest|2017|2021|grow|growth
"""
_PEOPLE = """
Anna|the harbour opened
Bob|he moved to Kiel
Ida|the first book appeared
"""
_HELD_PEOPLE = """
Clara|the school closed
Otto|the ferry sank
"""
_STARTS = """
the kickoff|3 weeks
the sowing of the beans|60 days
the contract signature|2 years
the code freeze|10 days
"""
_HELD_STARTS = """
the last vaccination|6 months
the first rehearsal|45 days
"""
_MEASURED = """
the north tower|height|tall|feet|metres
the coastal trail|length|long|miles|kilometres
the oak table|weight|heavy|pounds|kilograms
the cooking of the stew|duration|long|minutes|hours
"""
_HELD_MEASURED = """
the racing canoe|weight|heavy|pounds|kilograms
the ski lift|length|long|yards|metres
"""
_RATES = """
the ferry|go|3 hours|distance
the parking garage|cost|5 days|cost
the printer|print|20 minutes|pages
the pump|deliver|2 hours|litres
"""
_HELD_RATES = """
the combine harvester|cut|6 hours|hectares
the camp site|cost|4 nights|cost
"""
_STOCKS = """
the flour|the bread
the travel budget|the flight
the paint|the fence
the paid leave|the trip to Lyon
"""
_HELD_STOCKS = """
the disk space|the backup
the firewood|the winter
"""
_MENTIONS = """
files|garlic
notes|Project Apollo
chapters|grafting
recipes|garlic
pages|the harbour
"""
_HELD_MENTIONS = """
documents|compost
letters|the lighthouse
"""
_LINES = """
lines|timeout
entries|rent
rows|refund
"""
_HELD_LINES = """
records|delay
lines|checksum
"""
_WORDS = """
panic
timeout
garlic
Ida
"""
_HELD_WORDS = """
compost
deadlock
"""
_YEARS = """
meetings|2015
invoices|2019
trips|2012
games|2020
"""
_HELD_YEARS = """
rehearsals|2016
outages|2021
"""

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "difference", COMPUTE, ("abs(f1 - f2)", "f1 - f2"), "a b c n adj more most v u", "things",
        (
            "What is the difference in {n} between {a} and {b}?",
            "What is the difference between the {n} of {a} and the {n} of {b}?",
            "What's the {n} difference between {a} and {b}?",
            "Calculate the difference between {a_s} {n} and {b_s} {n}.",
            "By how many {u} do the {n}s of {a} and {b} differ?",
            "{a} versus {b}: how big is the gap in {n}?",
            "How much {more} is {a} than {b}?",
            "How much {more} is {a} compared to {b}?",
            "Compared with {b}, how much {more} is {a}?",
            "How much more does {a} {v} than {b}?",
            "How many more {u} does {a} {v} than {b}?",
            "By how much does the {n} of {a} exceed the {n} of {b}?",
            "By how many {u} does {a} exceed {b} in {n}?",
            "What is the {n} of {a} minus the {n} of {b}?",
            "{n} gap between {a} and {b}",
            "{a} is how much {more} than {b}?",
            "How far apart are {a} and {b} in {n}?",
            "Subtract the {n} of {b} from the {n} of {a}.",
            "How large is the {n} gap between {a} and {b}?",
            "If {a} is {more} than {b}, by how much?",
        ),
        (
            "Work out how much {more} {a} is than {b}.",
            "How many {u} {more} is {a} relative to {b}?",
            "Difference of the {n}s of {a} and {b}",
            "Than {b}, {a} is {more} by how many {u}?",
            "Tell me by how much {a} is {more} than {b}.",
            "What is the gap between {a_s} {n} and that of {b}?",
            "How much of a difference in {n} is there between {a} and {b}?",
        ),
    ),
    Operation(
        "difference of counts", COMPUTE, ("f1 - f2", "abs(f1 - f2)"), "a b c n v", "counts",
        (
            "How many more {n} does {a} {v} than {b}?",
            "How many more {n} are there in {a} than in {b}?",
            "By how many {n} does {a} exceed {b}?",
            "What is the difference in the number of {n} between {a} and {b}?",
            "How many {n} more than {b} does {a} {v}?",
            "By how many {n} did {a} beat {b}?",
            "Number of {n} in {a} minus number of {n} in {b}",
            "How many additional {n} does {a} {v} compared to {b}?",
            "Difference between the {n} of {a} and {b}",
            "How many extra {n} does {a} have over {b}?",
            "What is the difference between the number of {n} in {a} and in {b}?",
            "Compared to {b}, how many more {n} does {a} {v}?",
        ),
        (
            "How many {n} separate {a} from {b}?",
            "{a} has how many more {n} than {b}?",
            "How many more {n} are in {a} versus {b}?",
            "By what number of {n} does {a} surpass {b}?",
        ),
    ),
    Operation(
        "sum", COMPUTE, ("f1 + f2",), "a b c n adj more most v u", "things",
        (
            "What is the sum of the {n} of {a} and the {n} of {b}?",
            "How much do {a} and {b} {v} together?",
            "How many {u} do {a} and {b} {v} in total?",
            "What is the combined {n} of {a} and {b}?",
            "What is the total {n} of {a} and {b}?",
            "{a} and {b} combined: what {n}?",
            "Add up the {n}s of {a} and {b}.",
            "What do {a} and {b} {v} altogether?",
            "What is {a_s} {n} plus {b_s} {n}?",
            "Taken together, how many {u} do {a} and {b} {v}?",
            "Total {n} of {a} plus {b}",
            "How much is the {n} of {a} and {b} together?",
            "Altogether, what do {a} and {b} {v}?",
            "If I take both {a} and {b}, how many {u} is that in total?",
            "What {n} do {a} and {b} have in total?",
            "Together, {a} and {b} {v} how many {u}?",
        ),
        (
            "Sum the {n} of {a} and that of {b}.",
            "What are the {n}s of {a} and {b} added together?",
            "In total, how much do {a} and {b} {v}?",
            "Give me the {n} of {a} and {b} combined.",
            "How much do {a} and {b} {v} between them?",
        ),
    ),
    Operation(
        "sum of counts", COMPUTE, ("f1 + f2",), "a b c n v", "counts",
        (
            "How many {n} do {a} and {b} {v} together?",
            "How many {n} do {a} and {b} {v} combined?",
            "How many {n} are there in {a} and {b} in total?",
            "What is the total number of {n} in {a} and {b}?",
            "Total {n} of {a} and {b}",
            "Altogether, how many {n} do {a} and {b} {v}?",
            "Add the {n} of {a} to the {n} of {b}.",
            "How many {n} are in {a} and {b} altogether?",
            "The {n} of {a} plus the {n} of {b}",
            "What is the combined number of {n} of {a} and {b}?",
            "How many {n} did {a} and {b} {v} in all?",
            "If you add {a} and {b}, how many {n} is that?",
        ),
        (
            "Between them, how many {n} do {a} and {b} {v}?",
            "Across {a} and {b}, how many {n} are there in total?",
            "Count the {n} of {a} and {b} together.",
        ),
    ),
    Operation(
        "product", COMPUTE, ("f1 * f2",), "a b c n adj more most v u", "things",
        (
            "What is the product of the {n} of {a} and the {n} of {b}?",
            "Multiply the {n} of {a} by the {n} of {b}.",
            "What is the {n} of {a} times the {n} of {b}?",
            "{a_s} {n} multiplied by {b_s} {n}",
            "What do you get when you multiply {a_s} {n} by {b_s} {n}?",
            "Compute the product of {a_s} {n} and {b_s} {n}.",
            "How much is the {n} of {a} times the {n} of {b}?",
            "product of the {n}s of {a} and {b}",
            "What is the {n} of {a} multiplied by that of {b}?",
            "Calculate the {n} of {a} times the {n} of {b}.",
            "Multiply {a_s} {n} with {b_s} {n}.",
            "What is the product of {a_s} and {b_s} {n}?",
        ),
        (
            "Find the product of the {n} of {a} and that of {b}.",
            "If the {n} of {a} is multiplied by the {n} of {b}, what is the result?",
        ),
    ),
    Operation(
        "ratio", COMPUTE, ("f1 / f2", "ratio(f1, f2)"), "a b c n adj more most v u", "things",
        (
            "What is the ratio of the {n} of {a} to the {n} of {b}?",
            "What is the ratio between the {n} of {a} and the {n} of {b}?",
            "How many times as {adj} as {b} is {a}?",
            "How many times as {adj} is {a} as {b}?",
            "How many times the {n} of {b} is the {n} of {a}?",
            "What is the {n} of {a} divided by the {n} of {b}?",
            "ratio of {a_s} {n} to {b_s} {n}",
            "Divide the {n} of {a} by the {n} of {b}.",
            "How many times {more} is {a} than {b}?",
            "By what factor is {a} {more} than {b}?",
            "By what factor does the {n} of {a} exceed the {n} of {b}?",
            "{a} to {b}: what is the ratio of their {n}s?",
            "How many times {more} than {b} is {a}?",
        ),
        (
            "What multiple of {b_s} {n} is {a_s} {n}?",
            "{n} ratio of {a} to {b}",
            "{a} is how many times as {adj} as {b}?",
            "What is the proportion of {a_s} {n} to {b_s} {n}?",
        ),
    ),
    Operation(
        "percentage of", COMPUTE, ("percent(f1, f2)",), "a b", "parts",
        (
            "What percentage of {b} is {a}?",
            "What percent of {b} does {a} make up?",
            "What share of {b} does {a} account for?",
            "{a} as a percentage of {b}",
            "What is {a} as a percentage of {b}?",
            "{a} is what percentage of {b}?",
            "What fraction of {b} is {a}?",
            "How many percent of {b} is {a}?",
            "Express {a} as a percentage of {b}.",
            "What proportion of {b} is taken up by {a}?",
            "What part of {b} does {a} represent?",
            "How much of {b} is {a}, in percent?",
            "What percentage of {b} goes to {a}?",
        ),
        (
            "Calculate {a} as a share of {b}.",
            "What per cent of {b} is represented by {a}?",
            "{a} makes up what share of {b}?",
        ),
    ),
    Operation(
        "change", COMPUTE, ("change(f1, f2)",), "w a b v n", "changes",
        (
            "By what percentage did {w} {v} from {a} to {b}?",
            "By how many percent did {w} {v} between {a} and {b}?",
            "What is the percentage change in {w} from {a} to {b}?",
            "What was the percentage {n} in {w} between {a} and {b}?",
            "percentage change of {w} from {a} to {b}",
            "What percentage did {w} {v} from {a} to {b}?",
            "How much did {w} {v} in percent from {a} to {b}?",
            "From {a} to {b}, by what percentage did {w} {v}?",
            "Between {a} and {b}, by how many percent did {w} {v}?",
            "Calculate the percentage {n} of {w} from {a} to {b}.",
            "What is the percent {n} in {w} from {a} to {b}?",
            "{w}: percentage {n} from {a} to {b}",
        ),
        (
            "How many percent did {w} {v} from {a} to {b}?",
            "By what percent has {w} changed between {a} and {b}?",
        ),
    ),
    Operation(
        "growth", COMPUTE, ("f2 - f1", "abs(f1 - f2)"), "w a b v n", "changes",
        (
            "By how much did {w} {v} from {a} to {b}?",
            "How much did {w} {v} between {a} and {b}?",
            "What was the {n} in {w} from {a} to {b}?",
            "What is the change in {w} between {a} and {b}?",
            "From {a} to {b}, how much did {w} {v}?",
            "Between {a} and {b}, by how much did {w} change?",
            "{n} in {w} from {a} to {b}",
            "How much has {w} changed from {a} to {b}?",
            "How big was the {n} in {w} between {a} and {b}?",
            "Calculate the {n} of {w} from {a} to {b}.",
            "By how much has {w} gone up from {a} to {b}?",
            "What is the difference in {w} between {a} and {b}?",
        ),
        (
            "How large is the {n} in {w} from {a} to {b}?",
            "How far did {w} go up between {a} and {b}?",
        ),
    ),
    Operation(
        "average", COMPUTE, ("mean(f1, f2)", "mean(f1, f2, f3)"), "a b c n adj more most v u", "things",
        (
            "What is the average {n} of {a} and {b}?",
            "What is the mean {n} of {a}, {b} and {c}?",
            "On average, how much do {a} and {b} {v}?",
            "What do {a} and {b} {v} on average?",
            "How many {u} do {a} and {b} {v} on average?",
            "Average of the {n}s of {a} and {b}",
            "average {n} of {a}, {b} and {c}",
            "Calculate the mean of the {n} of {a} and the {n} of {b}.",
            "What is the average of {a_s} {n} and {b_s} {n}?",
            "Compute the average {n} across {a}, {b} and {c}.",
            "How {adj} are {a} and {b} on average?",
            "On average, what is the {n} of {a} and {b}?",
        ),
        (
            "Averaged over {a} and {b}, what is the {n}?",
            "What {n} do {a}, {b} and {c} have on average?",
        ),
    ),
    Operation(
        "duration", COMPUTE,
        ("abs(days(f1, f2))", "abs(weeks(f1, f2))", "abs(months(f1, f2))", "abs(years(f1, f2))", "abs(f1 - f2)"),
        "a b did do", "events",
        (
            "How many days are there between {a} and {b}?",
            "How many days passed between {a} and {b}?",
            "How long was it from {a} to {b}?",
            "How much time elapsed between {a} and {b}?",
            "How long after {a} did {b} {do}?",
            "How many weeks after {a} was {b}?",
            "How many months lie between {a} and {b}?",
            "How far apart in time are {a} and {b}?",
            "How many days apart are {a} and {b}?",
            "What is the time between {a} and {b}?",
            "Days between {a} and {b}",
            "How many days before {b} was {a}?",
            "How many days went by from {a} until {b}?",
            "Time elapsed from {a} to {b}",
            "How much time passed after {a} until {b} {did}?",
            "How many weeks did it take from {a} to {b}?",
            "{b} {did} how many days after {a}?",
            "What is the gap in days between {a} and {b}?",
            "How long did it take between {a} and {b}?",
            "After {a}, how many days passed until {b}?",
        ),
        (
            "How many days elapsed before {b} {did} after {a}?",
            "How many days later than {a} was {b}?",
            "Number of days from {a} to {b}",
            "How long had it been since {a} when {b} {did}?",
            "By how many days did {a} precede {b}?",
            "What is the interval between {a} and {b}?",
        ),
    ),
    Operation(
        "age at", COMPUTE, ("years(f1, f2)", "abs(years(f1, f2))", "years(f2, f1)"), "a e", "people",
        (
            "How old was {a} when {e}?",
            "What age was {a} when {e}?",
            "At what age was {a} when {e}?",
            "What was {a_s} age when {e}?",
            "age of {a} when {e}",
            "When {e}, how old was {a}?",
            "How many years old was {a} when {e}?",
            "How old was {a} at the time {e}?",
            "Calculate {a_s} age when {e}.",
            "How old had {a} become when {e}?",
            "What was the age of {a} when {e}?",
            "How old was {a} the year {e}?",
        ),
        (
            "How old must {a} have been when {e}?",
            "Tell me how old {a} was when {e}.",
        ),
    ),
    Operation(
        "date plus duration", COMPUTE, ("f1 + {d}",), "a d", "starts",
        (
            "What date is {d} after {a}?",
            "When is {d} after {a}?",
            "Which day falls {d} after {a}?",
            "What is the date {d} after {a}?",
            "{d} after {a} is what date?",
            "On what date do {d} from {a} end?",
            "Date of {a} plus {d}",
            "What date is {a} plus {d}?",
            "Which date do we reach {d} after {a}?",
            "Add {d} to the date of {a}.",
            "When were {d} over, counted from {a}?",
            "What day was it {d} after {a}?",
        ),
        (
            "What will the date be {d} after {a}?",
            "Give me the date {d} after {a}.",
        ),
    ),
    Operation(
        "unit conversion", COMPUTE, ("convert(f1, {u})",), "a n adj u o", "measured",
        (
            "How {adj} is {a} in {u}?",
            "What is the {n} of {a} in {u}?",
            "What is {a_s} {n}, in {u}?",
            "Convert the {n} of {a} to {u}.",
            "Convert the {n} of {a} into {u}.",
            "How many {u} is the {n} of {a}?",
            "{n} of {a} in {u}",
            "Express the {n} of {a} in {u}.",
            "What is the {n} of {a} converted to {u}?",
            "Give me the {n} of {a} in {u}.",
            "How many {u} does the {n} of {a} correspond to?",
            "In {u}, how {adj} is {a}?",
        ),
        (
            "In {u}, what is the {n} of {a}?",
            "What is the {n} of {a} expressed in {u}?",
        ),
    ),
    Operation(
        "rate × time", COMPUTE, ("f1 * {d}",), "a v d n", "rates",
        (
            "How much does {a} {v} in {d}?",
            "How much would {a} {v} for {d}?",
            "How much will {a} {v} in {d}?",
            "At its usual rate, how much does {a} {v} in {d}?",
            "What does {a} {v} in {d}?",
            "In {d}, how much does {a} {v}?",
            "How many {n} does {a} {v} in {d}?",
            "At that rate, how much does {a} {v} over {d}?",
            "How much can {a} {v} within {d}?",
            "If {a} runs for {d}, how much does it {v}?",
            "How much does {a} {v} during {d}?",
            "What would {a} {v} in {d}?",
        ),
        (
            "Over {d}, how much would {a} {v}?",
            "Given its rate, what can {a} {v} in {d}?",
        ),
    ),
    Operation(
        "remaining", COMPUTE, ("f1 - f2",), "a b", "stocks",
        (
            "How much of {a} is left after {b}?",
            "How much of {a} remains after {b}?",
            "How much {an} is left after {b}?",
            "How much {an} remains after {b}?",
            "How much {an} will be left over after {b}?",
            "What is left of {a} after {b}?",
            "What remains of {a} once {b} is done?",
            "After {b}, how much {an} is left?",
            "After {b}, what is the rest of {a}?",
            "How much of {a} is still available after {b}?",
            "The rest of {a} after {b}",
            "If I subtract {b} from {a}, how much is left?",
            "How much {an} is left when {b} is taken off?",
        ),
        (
            "How much of {a} do we still have after {b}?",
            "{a} left over after {b}",
            "Once {b} is deducted from {a}, what remains?",
        ),
    ),
    Operation(
        "which of two", COMPARE, ("greatest",), "a b c n adj more most v u", "things",
        (
            "Which is {more}, {a} or {b}?",
            "Is {a} or {b} {more}?",
            "What is {more}: {a} or {b}?",
            "{a} or {b}: which is {more}?",
            "Of {a} and {b}, which is {more}?",
            "Which of {a} and {b} is {more}?",
            "Between {a} and {b}, which is {more}?",
            "Which has the greater {n}, {a} or {b}?",
            "Does {a} or {b} have the higher {n}?",
            "Is {a} {more} than {b}?",
            "Tell me which is {more}, {a} or {b}.",
            "Which one is {more}: {a} or {b}?",
            "{a} vs {b}: which one is {more}?",
            "Does {a} {v} more than {b}?",
            "Which {v}s more, {a} or {b}?",
        ),
        (
            "Out of {a} and {b}, which one is {more}?",
            "Comparing {a} and {b}, which is {more}?",
            "Who or what is {more}, {a} or {b}?",
            "The {more} one: {a} or {b}?",
        ),
    ),
    Operation(
        "most of a set", COMPARE, ("greatest",), "a b c n adj more most v u", "things",
        (
            "Which is the {most}: {a}, {b} or {c}?",
            "Which of {a}, {b} and {c} is the {most}?",
            "Of {a}, {b} and {c}, which is {most}?",
            "Among {a}, {b} and {c}, which is the {most}?",
            "Which of {a}, {b} and {c} has the highest {n}?",
            "What is the {most} of {a}, {b} and {c}?",
            "Which has the greatest {n}: {a}, {b} or {c}?",
            "{a}, {b} or {c}: which is the {most}?",
            "Between {a}, {b} and {c}, which one is the {most}?",
            "Which is {most}, {a}, {b}, or {c}?",
            "Out of {a}, {b} and {c}, which is the {most}?",
            "Name the {most} of {a}, {b} and {c}.",
        ),
        (
            "Who or what is the {most} among {a}, {b} and {c}?",
            "Tell me the {most} of {a}, {b} and {c}.",
        ),
    ),
    Operation(
        "same", COMPARE, ("same",), "a b c n adj more most v u", "things",
        (
            "Do {a} and {b} have the same {n}?",
            "Does {a} have the same {n} as {b}?",
            "Is the {n} of {a} the same as the {n} of {b}?",
            "Is {a} as {adj} as {b}?",
            "Are {a} and {b} equally {adj}?",
            "Are the {n}s of {a} and {b} the same?",
            "Is the {n} of {a} equal to the {n} of {b}?",
            "Do {a} and {b} differ in {n}?",
            "Are {a} and {b} of the same {n}?",
            "Is {a_s} {n} identical to {b_s} {n}?",
            "Is the {n} the same for {a} and {b}?",
            "Is the {n} of {a} different from the {n} of {b}?",
        ),
        (
            "Are the {n} of {a} and the {n} of {b} identical?",
            "Is there a difference between the {n} of {a} and the {n} of {b}?",
        ),
    ),
    Operation(
        "count of files", COLLECT, ("count",), "n x", "mentions",
        (
            "How many {n} mention {x}?",
            "How many of the {n} mention {x}?",
            "Number of {n} that mention {x}",
            "Count the {n} that contain {x}.",
            "What is the number of {n} mentioning {x}?",
            "In how many {n} is {x} mentioned?",
            "In how many {n} does {x} appear?",
            "How many {n} refer to {x}?",
            "How many different {n} talk about {x}?",
            "{x} is mentioned in how many {n}?",
            "How many {n} are there that mention {x}?",
            "Count how many {n} mention {x}.",
            "How many {n} have a mention of {x}?",
        ),
        (
            "How many {n} is {x} mentioned in?",
            "Tell me how many {n} mention {x}.",
            "Give me a count of the {n} that mention {x}.",
        ),
    ),
    Operation(
        "count of lines", COLLECT, ("count",), "n x", "lines",
        (
            "How many {n} contain {x}?",
            "How many {n} mention {x}?",
            "Count the {n} with {x}.",
            "Number of {n} containing {x}",
            "In how many {n} does {x} occur?",
            "How many {n} are there with {x}?",
            "What is the number of {n} with {x}?",
            "How many {n} include {x}?",
            "Count all {n} that mention {x}.",
            "How many of the {n} contain the word {x}?",
            "In how many {n} is {x} found?",
            "{x} occurs in how many {n}?",
        ),
        (
            "How many {n} does {x} show up in?",
            "Please count the {n} which contain {x}.",
        ),
    ),
    Operation(
        "occurrences", COLLECT, ("count",), "x", "words",
        (
            "How often is {x} mentioned?",
            "How many times is {x} mentioned?",
            "How many times does {x} occur?",
            "How often does the word {x} appear?",
            "Count the occurrences of {x}.",
            "Number of occurrences of {x}",
            "How many mentions of {x} are there?",
            "How many occurrences of {x} are there in the notes?",
            "How many times does the word {x} come up?",
            "What is the number of mentions of {x}?",
            "How frequently is {x} mentioned?",
            "How many times do we mention {x}?",
            "Count how often {x} appears.",
        ),
        (
            "How many instances of {x} can be found?",
            "Give me the number of times {x} appears.",
        ),
    ),
    Operation(
        "list with a condition", COLLECT, ("list",), "n x", "mentions",
        (
            "Which {n} mention {x}?",
            "List all {n} that mention {x}.",
            "List the {n} mentioning {x}.",
            "Show me all {n} about {x}.",
            "What {n} refer to {x}?",
            "Find all {n} that contain {x}.",
            "In which {n} is {x} mentioned?",
            "In which {n} does {x} appear?",
            "Give me every one of the {n} that mention {x}.",
            "Name all {n} in which {x} is mentioned.",
            "all {n} that mention {x}",
            "Show the {n} that contain {x}.",
            "Give me a list of the {n} that mention {x}.",
        ),
        (
            "Which of the {n} talk about {x}?",
            "What are the {n} that mention {x}?",
            "Where is {x} mentioned? List all {n}.",
        ),
    ),
    Operation(
        "counts of a year", COLLECT, ("count",), "n x", "years",
        (
            "How many {n} were there in {x}?",
            "How many {n} took place in {x}?",
            "How many {n} were dated {x}?",
            "Number of {n} in {x}",
            "Count the {n} in {x}.",
            "How many {n} did we have in {x}?",
            "In {x}, how many {n} were there?",
            "How many {n} happened during {x}?",
            "What is the number of {n} in {x}?",
            "How many {n} were held in {x}?",
            "How many of the {n} were in {x}?",
            "How many {n} do we have from {x}?",
        ),
        (
            "How many {n} fell in {x}?",
            "During {x}, how many {n} took place?",
        ),
    ),
)  # fmt: skip

_SUBJECTS = {
    "things": (_THINGS, _HELD_THINGS),
    "counts": (_COUNTS, _HELD_COUNTS),
    "events": (_EVENTS, _HELD_EVENTS),
    "parts": (_PARTS, _HELD_PARTS),
    "changes": (_CHANGES, _HELD_CHANGES),
    "people": (_PEOPLE, _HELD_PEOPLE),
    "starts": (_STARTS, _HELD_STARTS),
    "measured": (_MEASURED, _HELD_MEASURED),
    "rates": (_RATES, _HELD_RATES),
    "stocks": (_STOCKS, _HELD_STOCKS),
    "mentions": (_MENTIONS, _HELD_MENTIONS),
    "lines": (_LINES, _HELD_LINES),
    "words": (_WORDS, _HELD_WORDS),
    "years": (_YEARS, _HELD_YEARS),
}


def _rows(table: str) -> list[list[str]]:
    return [line.split("|") for line in table.strip().splitlines()]


def _filled(operation: Operation, template: str, row: list[str], *, held: bool) -> Paraphrase:
    slots = dict(zip(operation.fields.split(), row, strict=True))
    for name in ("a", "b"):
        if name in slots:
            slots[f"{name}_s"] = f"{slots[name]}'s"
    if "a" in slots:
        slots["an"] = slots["a"].removeprefix("the ")
    question = template.format(**slots).replace("the the ", "the ")
    question = question[0].upper() + question[1:]
    if operation.intent is COLLECT:
        needed: tuple[str, ...] = ()
    elif operation.name == "most of a set" or "{c}" in template:
        needed = tuple(slots[name] for name in "abc")
    elif "e" in slots:
        needed = (slots["a"], slots["e"].removeprefix("he "))
        if slots["e"].startswith("he "):  # the event names the person, too
            needed = ("born", needed[1])
    else:
        needed = tuple(slots[name] for name in "ab" if name in slots)
    rules = tuple(rule.format(**slots) for rule in operation.rules)
    return Paraphrase(operation.name, question, operation.intent, rules, needed, held)


def paraphrases(*, held: bool, seed: int = 7) -> list[Paraphrase]:
    """Every template once or more: the open ones with open subjects, or the held ones and held subjects."""
    return sorted(_generated(held=held, chance=random.Random(seed)), key=lambda case: case.operation)


def _generated(*, held: bool, chance: random.Random) -> Iterator[Paraphrase]:
    for operation in OPERATIONS:
        ours, theirs = map(_rows, _SUBJECTS[operation.subjects])
        if held:
            for template in operation.held:
                for row in theirs[:2]:
                    yield _filled(operation, template, row, held=True)
            for template in chance.sample(operation.templates, 4):
                yield _filled(operation, template, chance.choice(theirs), held=True)
            continue
        for template in operation.templates:
            for row in chance.sample(ours, min(3, len(ours))):
                yield _filled(operation, template, row, held=False)
