"""A few files that tell facts in many ways, with other figures around them, and questions with the right values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FILES = {
    "recipes/tomato-soup.md": """---
title: Tomato soup
date: 2014-05-02
serves: 4
---
# Tomato soup

Grandmother's version, found [in a book of 1978](https://example.org/1978/soup).

- Cooking time: 35 minutes
- Salt: 6 g
- Cost: 8 €

The soup keeps 3 days in the fridge.
""",
    "recipes/lentil-stew.md": """# Lentil stew

The lentil stew has a cooking time of 50 minutes, and the lentils soak for 8 hours before.
It costs 11 € and needs 9 g of salt.

Version of 2016, corrected in 2019.
""",
    "recipes/onion-tart.md": """# Onion tart

| Thing | Value |
| --- | --- |
| Cooking time | 65 minutes |
| Cost | 14 € |
| Salt | 4 g |
""",
    "invoices/2019.md": """# Invoices of 2019

| Invoice | Date | Customer | Amount |
| --- | --- | --- | --- |
| invoice 114 | 2019-02-11 | Harbour office | 480 € |
| invoice 208 | 2019-06-30 | Mill museum | 1,320 € |
| invoice 311 | 2019-11-05 | City library | 750 € |
""",
    "trips/lyon.md": """# The Lyon trip

Depart: 2015-03-14
Return: 2015-03-21
Cost: 640 €
Distance: 720 km

We met Anna in 2012, on another trip. The hotel bill was 210 €.
""",
    "trips/turin.md": """# The Turin trip

We left on 3 June 2015 and were back on 17 June 2015. The whole Turin trip cost 980 € and covered a distance of
1,150 km. A train ticket of 1998 hangs on the wall.
""",
    "minutes/kickoff.md": """# Minutes of the kickoff meeting

The kickoff meeting took place on 12 January 2015. Present were 14 people.

Next step: a first draft.
""",
    "minutes/launch.md": """# Launch

The product launch happened on 2 March 2015, a Monday. There were 120 guests. See also the log of 2014.
""",
    "minutes/project.md": """# Project

The project budget is 24,000 €. The travel cost of the project was 3,600 €.
The first draft was finished on 30 January 2015.

The contract signature was on 1 April 2016. It replaces the contract of 2009.
""",
    "logs/monday.log.md": """# Monday log

status: closed
errors: 42
warnings: 310
""",
    "logs/friday.log.md": """# Friday log

The Friday log contains 17 errors and 205 warnings. Its archive is from 2013.
""",
    "docs/servers.md": """# Servers

The server kx1 has 16 GB of memory and 4 cores. The server kx2 has 64 GB of memory and 12 cores.

Release 1.0 appeared on 2012-01-10. Release 2.0 appeared on 2013-07-04.

Limits: the upload limit is 20 MB; the download limit is 150 MB.
""",
    "sports/season.md": """# The season

The Lions scored 48 goals, the Tigers 61 and the Bears 39 goals. Attendance was 18,000 in the first game.

| Team | Wins | Points |
| --- | ---: | ---: |
| Lions | 12 | 40 |
| Tigers | 17 | 55 |
| Bears | 9 | 31 |
""",
    "garden/beds.md": """# Beds

The north bed is 12 m long and holds 36 plants. The south bed is 8 m long and holds 54 plants.

The first frost came on 28 October 2016; the harvest began on 2 September 2016.
""",
    "garden/sowing.md": """# Sowing

* Sowing of the beans: 2016-05-10
* Picking of the beans: 2016-07-24
* The pump delivers 30 litres per minute.
""",
    "city/towers.md": """# Towers

The north tower was built in 1874 and is 54 m high. The south tower, built in 1911, is 81 m high.

The bell tower: height 67 m, built in 1890. More [on towers](https://example.org/towers/1999).
""",
    "city/rent.md": """# Rent

The rent of the flat was 600 € in 2015. In 2019 it was 750 €. The rent in Bern rose from 900 € in 2015 to 990 € in 2019.
""",
    "city/parking.md": """# Parking

The parking garage costs 12 € per day. The ferry goes 18 km/h. The printer prints 25 pages per minute.
""",
    "people/anna.md": """# Anna

Anna was born on 3 May 1980 in Kiel. She moved to Bern in 2004. Her weight is 62 kg.
""",
    "people/bob.md": """# Bob

Born: 1975-08-21
Weight: 80 kg
Moved to Kiel: 2001-09-01
""",
    "household/budget.md": """# Budget

- Monthly budget: 2,400 €
- Rent: 720 €
- Electricity bill: 95 €
- Internet bill: 35 €
""",
    "household/bikes.md": """# Bikes

The price of the red bike is 450 €. For the blue bike we paid a price of 380 €. The cargo bike had a price of 1,900 €,
after a discount of 200 €. The red bike weighs 14 kg and the blue bike weighs 11 kg.
""",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what is right, and the files that hold its operands."""

    question: str
    right: tuple[str, ...]
    files: tuple[str, ...]


_QUESTIONS = """
How much longer is the cooking time of the lentil stew than that of the tomato soup?|15 min|lentil-stew tomato-soup
What is the difference in cooking time between the onion tart and the lentil stew?|15 min|onion-tart lentil-stew
What is the combined cost of the tomato soup and the lentil stew?|19 €|tomato-soup lentil-stew
What is the average cost of the tomato soup, the lentil stew and the onion tart?|11 €|tomato-soup lentil-stew onion-tart
How much more salt does the lentil stew need than the tomato soup?|3 g|lentil-stew tomato-soup
Which has the longer cooking time, the tomato soup or the onion tart?|onion tart|tomato-soup onion-tart
Which is cheaper, the tomato soup or the onion tart?|tomato soup|tomato-soup onion-tart
By how much does the amount of invoice 208 exceed the amount of invoice 114?|840 €|2019
What is the total amount of invoice 114 and invoice 311?|1230 €|2019
How many days are there between the date of invoice 114 and the date of invoice 208?|139 days|2019
Which of invoice 114, invoice 208 and invoice 311 has the highest amount?|invoice 208|2019
What percentage of the amount of invoice 208 is the amount of invoice 114?|36.4 %|2019
How much more did the Turin trip cost than the Lyon trip?|340 €|turin lyon
How much did the Lyon trip and the Turin trip cost together?|1620 €|turin lyon
What is the total distance of the Lyon trip and the Turin trip?|1870 km|turin lyon
Which trip covered the greater distance, the Lyon trip or the Turin trip?|Turin trip|turin lyon
What is the ratio of the cost of the Turin trip to the cost of the Lyon trip?|1.53|turin lyon
What is the distance of the Lyon trip in miles?|447 mi|lyon
How many days passed between the kickoff meeting and the product launch?|49 days|kickoff launch
How long after the kickoff meeting did the product launch happen?|49 days|kickoff launch
How many weeks lie between the kickoff meeting and the product launch?|7 weeks|kickoff launch
How many days apart are the kickoff meeting and the product launch?|49 days|kickoff launch
What percentage of the project budget is the travel cost?|15 %|project
How much of the project budget is left after the travel cost?|20400 €|project
What date is 3 weeks after the contract signature?|2016-04-22|project
When is 2 years after the contract signature?|2018-04-01|project
How many more errors does the Monday log contain than the Friday log?|25|monday friday
How many errors do the Monday log and the Friday log contain together?|59|monday friday
By how many warnings does the Monday log exceed the Friday log?|105|monday friday
Which contains more errors, the Monday log or the Friday log?|Monday log|monday friday
How much more memory does kx2 have than kx1?|48 GB|servers
How many cores do kx1 and kx2 have in total?|16|servers
How many times as much memory does kx2 have as kx1?|4|servers
Which has more memory, kx1 or kx2?|kx2|servers
How many days passed between release 1.0 and release 2.0?|541 days|servers
What is the difference between the upload limit and the download limit?|130 MB|servers
How many more goals did the Tigers score than the Lions?|13|season
How many goals did the Lions and the Bears score altogether?|87|season
How many more points do the Tigers have than the Bears?|24|season
What is the average number of points of the Lions, the Tigers and the Bears?|42|season
Who scored more goals, the Lions or the Bears?|Lions|season
How many more wins do the Tigers have than the Lions?|5|season
How much longer is the north bed than the south bed?|4 m|beds
How many plants do the north bed and the south bed hold in total?|90|beds
How many more plants does the south bed hold than the north bed?|18|beds
How many days before the first frost was the harvest?|56 days|beds
How many days are there between the sowing of the beans and the picking of the beans?|75 days|sowing
How much does the pump deliver in 20 minutes?|600 L;600 litres|sowing
How much higher is the south tower than the north tower?|27 m|towers
What is the sum of the height of the bell tower and the height of the north tower?|121 m|towers
How many years after the north tower was the south tower built?|37 years|towers
Which is the highest: the north tower, the south tower or the bell tower?|south tower|towers
Which was built first, the north tower or the bell tower?|north tower|towers
How tall is the south tower in feet?|266 ft|towers
Do the north tower and the south tower have the same height?|no|towers
By how much did the rent in Bern rise from 2015 to 2019?|90 €|rent
By what percentage did the rent of the flat rise from 2015 to 2019?|25 %|rent
How much does the parking garage cost for 5 days?|60 €|parking
How far does the ferry go in 3 hours?|54 km|parking
How many pages does the printer print in 4 minutes?|100 pages;100|parking
How much heavier is Bob than Anna?|18 kg|anna bob
What is the combined weight of Anna and Bob?|142 kg|anna bob
How old was Bob when he moved to Kiel?|26 years|bob
Who is older, Anna or Bob?|Bob|anna bob
What percentage of the monthly budget is the rent?|30 %|budget
What is the sum of the electricity bill and the internet bill?|130 €|budget
How much of the monthly budget is left after the rent?|1680 €|budget
How much more expensive is the red bike than the blue bike?|70 €|bikes
What is the price difference between the cargo bike and the red bike?|1450 €|bikes
How much do the red bike and the blue bike weigh together?|25 kg|bikes
Which is heavier, the red bike or the blue bike?|red bike|bikes
What is the average price of the red bike and the blue bike?|415 €|bikes
How much heavier is the red car than the blue car?||
How many days passed between the kickoff meeting and the summer party?||
What is the total cost of the Lyon trip and the Prague trip?||
How many more goals did the Wolves score than the Lions?||
"""


def asked() -> list[Asked]:
    """The questions; without a right value nothing may be answered."""
    rows = [line.split("|") for line in _QUESTIONS.strip().splitlines()]
    return [
        Asked(q, tuple(part for part in right.split(";") if part), tuple(files.split())) for q, right, files in rows
    ]


def write(folder: Path) -> None:
    """Lays the files out in a folder."""
    for path, text in FILES.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
