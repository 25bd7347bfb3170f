"""A hotel: one sheet of bookings, as the front desk exports it, and the types of rooms."""

from __future__ import annotations

import numpy as np
import pandas as pd

from business.unseen_sets.form import (
    DECLINE,
    Frames,
    Made,
    Question,
    asks,
    merged,
    moments,
    one,
    pairs,
    parts,
    rows,
    scattered,
    several,
)

VIEWS = """
create view rooms as select "Room type" kind, cast("Rooms" as int) n,
  cast("Max guests" as int) most, "View" sight from raw_rooms;
create view stays as select distinct "Booking" no, strptime("Booked on", '%Y-%m-%d') o,
  strptime("Check-in", '%d %B %Y') c, cast("Nights" as int) nights, "Room type" kind,
  cast("Guests" as int) guests, nullif("Country", 'unknown') country,
  lower("Channel") channel, cast(replace("Rate per night", ' USD', '') as double) rate,
  cast(replace("Discount", '%', '') as double) / 100 disc,
  lower(replace("Status", '-', ' ')) status, try_cast("Rating" as double) rating from raw_bookings;
create view held as select * from stays where status = 'checked out';
"""
STATES = ("Checked out", "Cancelled", "No show")


def make() -> Made:
    dice = np.random.default_rng(910)
    rooms = pd.DataFrame({
        "Room type": ["Single", "Double", "Suite", "Family", "Penthouse"],
        "Rooms": [20, 45, 8, 12, 1], "Max guests": [1, 2, 3, 5, 4],
        "View": ["street", "garden", "sea", "garden", "sea"],
    })  # fmt: skip
    size = 950
    come = moments(dice, "2023-01-03", "2024-12-28", size)
    kind = dice.choice(rooms["Room type"][:4], size, p=[0.3, 0.45, 0.1, 0.15])
    rate = pd.Series(kind).map({"Single": 89, "Double": 124, "Suite": 260, "Family": 155})
    rate = (rate * (1 + 0.2 * come.dt.month.isin([6, 7, 8])) * dice.uniform(0.9, 1.1, size)).round(
        2
    )
    channel = dice.choice(["Website", "Agency", "Phone"], size, p=[0.5, 0.35, 0.15])
    bookings = pd.DataFrame({
        "Booking": [f"B{n}" for n in range(88_001, 88_001 + size)],
        "Booked on": come - pd.to_timedelta(dice.gamma(2, 16, size).round(), "D"),
        "Check-in": come, "Nights": dice.geometric(0.35, size), "Room type": kind,
        "Guests": [int(dice.integers(1, {"Single": 1, "Double": 2, "Suite": 3, "Family": 5}[k] + 1))
                   for k in kind],
        "Country": dice.choice(["Italy", "France", "UK", "USA", "Japan"], size,
                               p=[0.3, 0.25, 0.2, 0.15, 0.1]),
        "Channel": channel, "Rate per night": rate,
        "Discount": dice.choice([0.0, 0.05, 0.1, 0.15], size, p=[0.6, 0.15, 0.15, 0.1]),
        "Status": [dice.choice(STATES, p=[0.72, 0.25, 0.03] if c == "Agency" else
                               [0.86, 0.12, 0.02]) for c in channel],
        "Rating": dice.integers(4, 11, size).astype(float),
    })  # fmt: skip
    bookings.loc[bookings["Status"] != "Checked out", "Rating"] = np.nan
    bookings.loc[scattered(dice, size, 240), "Rating"] = np.nan
    bookings.loc[scattered(dice, size, 33), "Country"] = np.nan
    twice = pd.concat([bookings, bookings.iloc[500:510]], ignore_index=True)
    kept: Frames = {"rooms": rooms, "bookings": bookings}
    told = twice.copy()
    odd = told["Booking"].str[-1] == "3"
    told["Booked on"] = told["Booked on"].dt.strftime("%Y-%m-%d")
    told["Check-in"] = told["Check-in"].dt.strftime("%d %B %Y")
    told["Country"] = told["Country"].fillna("unknown")
    told["Channel"] = told["Channel"].where(~odd, told["Channel"].str.lower())
    told["Status"] = told["Status"].where(~odd, told["Status"].str.upper())
    told["Rate per night"] = [f"{e:.2f} USD" for e in twice["Rate per night"]]
    told["Discount"] = [f"{100 * e:.0f}%" for e in twice["Discount"]]
    told["Rating"] = [f"{e:.0f}" if e == e else "-" for e in twice["Rating"]]
    raw = {"rooms": rooms, "bookings": told}
    return Made(raw, merged(questions(kept), questions({**kept, "bookings": twice})), VIEWS)


def questions(t: Frames) -> list[Question]:
    rooms, every = t["rooms"], t["bookings"]
    gross = every["Rate per night"] * every["Nights"]
    net = gross * (1 - every["Discount"])
    held = every["Status"] == "Checked out"
    off = every["Status"] == "Cancelled"
    year = every["Check-in"].dt.year
    month = every["Check-in"].dt.strftime("%Y-%m")
    lead = (every["Check-in"] - every["Booked on"]).dt.days
    joined = every.merge(rooms, on="Room type")
    rating = every.groupby("Country")["Rating"].mean().sort_values(ascending=False)
    nights = every.groupby("Country")["Nights"].sum().sort_values(ascending=False)
    by_year, slept = year.value_counts(), every[held].groupby(month)["Nights"].sum()
    ends = pd.cut(every["Nights"], [0, 1, 3, 7, 99], labels=list("abcd"))
    weekend = every["Check-in"].dt.day_name().isin(["Friday", "Saturday"])
    countries = every["Country"].value_counts()
    top = countries.idxmax()
    known = every["Country"].notna()
    rates = every.groupby("Room type")["Rate per night"].mean()
    summer = every["Check-in"].dt.month.isin([6, 7, 8])
    return [
        Question("lookup", "How many guests fit in a Suite?", one(3),
                 "select most from rooms where kind='Suite'"),
        Question("lookup", "what was the rate on booking B88123",
                 one(every.set_index("Booking")["Rate per night"]["B88123"]),
                 "select rate from stays where no='B88123'"),
        Question("filter_count", "number of bookings from japan with more than 3 nights",
                 one(((every["Country"] == "Japan") & (every["Nights"] > 3)).sum()),
                 "select count(*) from stays where country='Japan' and nights > 3"),
        Question("filter_count", "how many guests simply didn't show up? (bookings)",
                 one((every["Status"] == "No show").sum()),
                 "select count(*) from stays where status='no show'"),
        Question("aggregate", "average rate per night for each room type", rows(rates),
                 "select kind, avg(rate) from stays group by 1"),
        Question("aggregate", "total nights booked through agencies",
                 one(every.loc[every["Channel"] == "Agency", "Nights"].sum()),
                 "select sum(nights) from stays where channel='agency'"),
        Question("topn", "which country gives us the best ratings on average?",
                 one(rating.index[0]),
                 """select country from stays where country is not null group by 1
                 order by avg(rating) desc limit 1"""),
        Question("topn", "rank the countries by nights",
                 rows(nights), """select country, sum(nights) from stays where country is not null
                 group by 1 order by 2 desc""",
                 [rows(every.fillna({"Country": "unknown"}).groupby("Country")["Nights"].sum()
                       .sort_values(ascending=False))], ordered=True),
        Question("share", "cancellation rate by channel",
                 rows(off.groupby(every["Channel"]).mean()),
                 "select channel, avg((status='cancelled')::int) from stays group by 1",
                 unit="share"),
        Question("share", "what percentage of bookings come in over our website",
                 one((every["Channel"] == "Website").mean()),
                 "select avg((channel='website')::int) from stays", unit="share"),
        Question("growth", "growth in number of bookings 2023 to 2024 by check-in",
                 one(by_year[2024] / by_year[2023] - 1),
                 "select count(*) filter (year(c)=2024) / count(*) filter (year(c)=2023) - 1 "
                 "from stays", [one(by_year[2024] - by_year[2023])], unit="share,abs"),
        Question("compare", "Do people who book by phone stay longer than those from the website?",
                 rows(every.groupby("Channel")["Nights"].mean()[["Phone", "Website"]]),
                 """select channel, avg(nights) from stays where channel in ('phone', 'website')
                 group by 1""", [rows(every.groupby("Channel")["Nights"].mean())]),
        Question("compare", "rate in June-August against the other months, averages",
                 pairs({"summer": every.loc[summer, "Rate per night"].mean(),
                        "others": every.loc[~summer, "Rate per night"].mean()}),
                 "select month(c) in (6, 7, 8), avg(rate) from stays group by 1",
                 unit="labels_free"),
        Question("join", "nights booked per view", rows(joined.groupby("View")["Nights"].sum()),
                 "select sight, sum(nights) from stays join rooms using (kind) group by 1"),
        Question("anti_join", "is there a room type no one booked?", several(["Penthouse"]),
                 "select kind from rooms where kind not in (select kind from stays)"),
        Question("derived", "revenue before discount (rate x nights) by room type, only guests who "
                 "checked out", rows(gross[held].groupby(every["Room type"]).sum()),
                 "select kind, sum(rate * nights) from held group by 1"),
        Question("derived", "how much did the discounts cost us in total over all bookings?",
                 one((gross - net).sum()), "select sum(rate * nights * disc) from stays"),
        Question("derived", "average number of days between booking and check-in", one(lead.mean()),
                 "select avg(date_diff('day', o, c)) from stays"),
        Question("derived", "bookings per room for each type",
                 rows(every["Room type"].value_counts()
                      / rooms.set_index("Room type")["Rooms"][:4]),
                 "select kind, count(*) / any_value(n) from stays join rooms using (kind) "
                 "group by 1",
                 [rows(every["Room type"].value_counts().reindex(rooms["Room type"]).fillna(0)
                       / rooms.set_index("Room type")["Rooms"])]),
        Question("percentile", "median lead time (booked to check in) in days", one(lead.median()),
                 "select median(date_diff('day', o, c)) from stays"),
        Question("distribution", "bookings by length: 1 night, 2-3, 4-7, longer",
                 rows(ends.value_counts()), """select case when nights=1 then 'a' when nights <= 3
                 then 'b' when nights <= 7 then 'c' else 'd' end, count(*) from stays group by 1""",
                 unit="labels_free"),
        Question("correlation", "does a higher nightly rate go with a better rating? correlation",
                 one(every["Rate per night"].corr(every["Rating"])),
                 "select corr(rate, rating) from stays", tolerance=0.01),
        Question("quality", "for how many bookings is the country unknown", one((~known).sum()),
                 "select count(*) from stays where country is null"),
        Question("quality", "how many guests who checked out left no rating?",
                 one((held & every["Rating"].isna()).sum()),
                 "select count(*) from held where rating is null"),
        Question("running", "nights actually slept (checked out) per month, cumulative, 2024",
                 rows(slept[slept.index >= "2024"].cumsum()),
                 """select strftime(c, '%Y-%m') x, sum(sum(nights)) over (order by x) from held
                 where year(c)=2024 group by 1"""),
        Question("multi", "where do most of our bookings come from, how many are they and what's "
                 "their average rating",
                 parts(one(top), one(countries[top]), one(rating[top])),
                 ["""select country from stays where country is not null group by 1
                  order by count(*) desc limit 1""",
                  """select count(*) from stays where country is not null group by country
                  order by 1 desc limit 1""",
                  """select avg(rating) from stays where country is not null group by country
                  order by count(*) desc limit 1"""]),
        Question("wording", "canceled bookngs in 24?", one((off & (year == 2024)).sum()),
                 "select count(*) from stays where status='cancelled' and year(c)=2024",
                 [one((off & (every["Booked on"].dt.year == 2024)).sum())]),
        Question("rounding", "avg rate of a double, whole dollars", one(round(rates["Double"])),
                 "select round(avg(rate)) from stays where kind='Double'", tolerance=0),
        Question("ambiguous", "what's our best room type?",
                 asks(by_bookings=("number|count|booking|rows|how many", one(
                          every["Room type"].value_counts().idxmax())),
                      by_guests=("guests", one(
                          every.groupby("Room type")["Guests"].sum().idxmax())),
                      by_rating=("rating", one(
                          every.groupby("Room type")["Rating"].mean().idxmax())))),
        Question("unanswerable", "how much do guests spend at the bar", DECLINE),
        Question("unanswerable", "Which hotels nearby are cheaper than us?", DECLINE),
        Question("calendar", "how many check-ins fell on a Friday or Saturday?", one(weekend.sum()),
                 "select count(*) from stays where isodow(c) in (5, 6)"),
        Question("calendar", "bookings per month of check-in in the first half of 2024",
                 rows(month[(month >= "2024-01") & (month <= "2024-06")].value_counts()),
                 """select strftime(c, '%Y-%m'), count(*) from stays where year(c)=2024
                 and month(c) <= 6 group by 1"""),
    ]  # fmt: skip
