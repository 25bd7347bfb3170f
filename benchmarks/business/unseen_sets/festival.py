"""A film festival: films, the venues, the screenings, and each ticket sold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from business.unseen_sets.form import (
    DECLINE,
    Frames,
    Made,
    Question,
    asks,
    merged,
    one,
    pairs,
    parts,
    rows,
    scattered,
    several,
)

VIEWS = """
create view films as select film_id, title, director, country, section,
  nullif(cast(replace(runtime, ' min', '') as int), 0) runtime from raw_films;
create view venues as select venue, part_of_town, cast(seats as int) seats,
  lower(wheelchair) = 'yes' wheels from raw_venues;
create view screenings as select cast(screening_id as int) s, film_id, venue,
  cast(starts_at as timestamp) starts, lower(sold_out) in ('true', '1') full_house
  from raw_screenings;
create view tickets as select distinct cast(ticket_no as int) n, cast(screening_id as int) s,
  cast(sold_at as timestamp) sold, category, cast(price as double) price,
  try_cast(rating as double) rating from raw_tickets;
create view seen as select * from tickets join screenings using (s) join films using (film_id)
  join venues using (venue);
"""
ONE = ("Blue", "Silent", "Broken", "Distant", "Golden")
TWO = ("Tide", "Mirror", "Summer", "Border", "Voices")


def make() -> Made:
    dice = np.random.default_rng(915)
    films = pd.DataFrame({
        "film_id": [f"F{n:02d}" for n in range(1, 26)],
        "title": [f"{one} {two}" for one in ONE for two in TWO],
        "director": dice.choice(["Ana Ruiz", "Lars Holm", "Mina Cho", "Olu Ade", "Petra Vogl",
                                 "Ravi Nair"], 25),
        "country": dice.choice(["France", "Korea", "Chile", "Norway", "India"], 25),
        "section": dice.choice(["Competition", "Documentary", "Midnight", "Family"], 25,
                               p=[0.4, 0.3, 0.15, 0.15]),
        "runtime": dice.integers(71, 184, 25).astype(float),
    })  # fmt: skip
    films.loc[[6, 17], "runtime"] = np.nan
    venues = pd.DataFrame({
        "venue": ["Odeon", "Rex", "Lumen 1", "Lumen 2", "Old Brewery", "Open Air"],
        "part_of_town": ["Centre", "Centre", "Riverside", "Riverside", "Northside", "Riverside"],
        "seats": [120, 80, 95, 60, 45, 200],
        "wheelchair": ["yes", "no", "yes", "yes", "no", "yes"],
    })  # fmt: skip
    size = 74
    starts = pd.Timestamp("2024-10-10") + pd.to_timedelta(
        np.sort(dice.integers(0, 11, size)) * 24 + dice.choice([11, 14, 17, 20, 22], size), "h"
    )
    shows = pd.DataFrame({
        "screening_id": range(101, 101 + size), "film_id": dice.choice(films["film_id"][:23], size),
        "venue": dice.choice(venues["venue"][:5], size, p=[0.3, 0.2, 0.2, 0.15, 0.15]),
        "starts_at": starts,
    })  # fmt: skip
    space = shows["venue"].map(dict(zip(venues["venue"], venues["seats"], strict=True)))
    filled = np.minimum(space, (space * dice.beta(4, 2.6, size) * 1.15).round()).astype(int)
    filled[[8, 50]] = 0
    shows["sold_out"] = filled == space
    number = int(filled.sum())
    at = np.repeat(np.arange(size), filled)
    kind = dice.choice(["Full", "Student", "Pass", "Press"], number, p=[0.5, 0.25, 0.17, 0.08])
    liking = dict(zip(films["film_id"], dice.normal(3.6, 0.5, 25), strict=True))
    tickets = pd.DataFrame({
        "ticket_no": np.arange(200_001, 200_001 + number),
        "screening_id": shows["screening_id"].to_numpy()[at],
        "sold_at": (shows["starts_at"].to_numpy()[at]
                    - pd.to_timedelta(dice.gamma(1.2, 4000, number).round(), "min").to_numpy()),
        "category": kind,
        "price": pd.Series(kind).map({"Full": 12.5, "Student": 8.0, "Pass": 0.0, "Press": 0.0}),
        "rating": (shows["film_id"].map(liking).to_numpy()[at]
                   + dice.normal(0, 0.9, number)).round().clip(1, 5),
    })  # fmt: skip
    tickets.loc[dice.random(number) < 0.55, "rating"] = np.nan
    tickets = tickets.iloc[dice.permutation(number)].reset_index(drop=True)
    kept: Frames = {"films": films, "venues": venues, "screenings": shows, "tickets": tickets}
    twice = pd.concat([tickets, tickets.iloc[scattered(dice, number, 16)]], ignore_index=True)
    known = films["runtime"].fillna(0).astype(int)
    raw = {
        "films": films.assign(runtime=[f"{each} min" for each in known]), "venues": venues,
        "screenings": shows.assign(starts_at=shows["starts_at"].dt.strftime("%Y-%m-%d %H:%M")),
        "tickets": twice,
    }  # fmt: skip
    return Made(raw, merged(questions(kept), questions({**kept, "tickets": twice})), VIEWS, write)


def write(folder: Path, name: str, tables: Frames) -> list[Path]:
    del name
    made = []
    for table, frame in tables.items():
        path = folder / f"{table}.{'parquet' if table == 'tickets' else 'csv'}"
        if path.suffix == ".csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path, index=False)
        made.append(path)
    return made


def questions(t: Frames) -> list[Question]:
    films, venues, shows, tickets = t["films"], t["venues"], t["screenings"], t["tickets"]
    seen = tickets.merge(shows, on="screening_id").merge(films, on="film_id")
    seen = seen.merge(venues, on="venue")
    put_on = shows.merge(films, on="film_id").merge(venues, on="venue")
    crowd = seen["title"].value_counts()
    box = seen.groupby("title")["price"].sum().sort_values(ascending=False)
    liked = seen.groupby("title")["rating"].mean().sort_values(ascending=False)
    sections = seen["section"].value_counts()
    day, hour = shows["starts_at"].dt.strftime("%Y-%m-%d"), shows["starts_at"].dt.hour
    visitors = seen.groupby(seen["starts_at"].dt.strftime("%Y-%m-%d")).size()
    taken = seen["starts_at"].dt.strftime("%Y-%m-%d")
    money = seen.groupby(taken)["price"].sum()
    offered = put_on.groupby("venue")["seats"].sum()
    week = seen["starts_at"] < "2024-10-17"
    ahead = (seen["starts_at"] - seen["sold_at"]).dt.total_seconds() / 86_400
    span = pd.cut(films["runtime"], [0, 89, 120, 999], labels=["a", "b", "c"])
    weekend = seen["starts_at"].dt.dayofweek > 4
    empty = shows.loc[~shows["screening_id"].isin(tickets["screening_id"]), "screening_id"]
    best = crowd.idxmax()
    facts = films.set_index("title")
    mean = seen.groupby("title").agg(m=("rating", "mean"), r=("runtime", "first")).dropna()
    return [
        Question("lookup", "who directed Golden Border", one(facts["director"]["Golden Border"]),
                 "select director from films where title='Golden Border'"),
        Question("lookup", "How many people fit into the Old Brewery?", one(45),
                 "select seats from venues where venue='Old Brewery'"),
        Question("filter_count", "how many screenings were sold out?", one(shows["sold_out"].sum()),
                 "select count(*) from screenings where full_house"),
        Question("filter_count", "Please count the tickets that a film-goer rated with 5",
                 one((tickets["rating"] == 5).sum()),
                 "select count(*) from tickets where rating=5"),
        Question("aggregate", "box office per venue (sum of prices)",
                 rows(seen.groupby("venue")["price"].sum()),
                 "select venue, sum(price) from seen group by 1",
                 [rows(seen.groupby("venue")["price"].sum().reindex(venues["venue"])),
                  rows(seen.groupby("venue")["price"].sum().reindex(venues["venue"]).fillna(0))]),
        Question("aggregate", "what was the average rating for documentaries",
                 one(seen.loc[seen["section"] == "Documentary", "rating"].mean()),
                 "select avg(rating) from seen where section='Documentary'"),
        Question("topn", "the five films with the biggest audience", rows(crowd.head(5)),
                 "select title, count(*) from seen group by 1 order by 2 desc limit 5",
                 [several(crowd.head(5).index)], ordered=True),
        Question("topn", "Worst rated film?", one(liked.idxmin()),
                 "select title from seen group by 1 order by avg(rating) nulls last limit 1"),
        Question("share", "what is the part of students in all tickets, in %",
                 one((tickets["category"] == "Student").mean()),
                 "select avg((category='Student')::int) from tickets", unit="share"),
        Question("share", "give the ticket split over the sections as percentages",
                 rows(sections / len(seen)), """select section, count(*) / (select count(*)
                 from seen) from seen group by 1""", unit="share"),
        Question("growth", "by how much per cent did takings differ between 12 October and 19 "
                 "October 2024?", one(money["2024-10-19"] / money["2024-10-12"] - 1),
                 """select sum(price) filter (starts::date='2024-10-19')
                 / sum(price) filter (starts::date='2024-10-12') - 1 from seen""",
                 [one(_sold(tickets, 19) / _sold(tickets, 12) - 1)], unit="share,abs"),
        Question("compare", "Odeon or Rex, who had more visitors?",
                 rows(seen["venue"].value_counts()[["Odeon", "Rex"]]),
                 "select venue, count(*) from seen where venue in ('Odeon', 'Rex') group by 1",
                 [one(seen["venue"].value_counts()[["Odeon", "Rex"]].idxmax())]),
        Question("compare", "average rating: french films vs korean films", rows(
            seen.groupby("country")["rating"].mean()[["France", "Korea"]]),
                 """select country, avg(rating) from seen where country in ('France', 'Korea')
                 group by 1"""),
        Question("join", "takings by country of the film",
                 rows(seen.groupby("country")["price"].sum()),
                 "select country, sum(price) from seen group by 1"),
        Question("join", "In which part of town were most tickets sold?",
                 one(seen["part_of_town"].value_counts().idxmax()),
                 "select part_of_town from seen group by 1 order by count(*) desc limit 1"),
        Question("anti_join", "films in the catalogue that never got shown",
                 several(films.loc[~films["film_id"].isin(shows["film_id"]), "title"]),
                 "select title from films where film_id not in (select film_id from screenings)"),
        Question("anti_join", "which screenings sold no tickets at all", several(empty),
                 "select s from screenings where s not in (select s from tickets)"),
        Question("derived", "How full were the houses? tickets divided by seats offered, per venue",
                 rows(seen["venue"].value_counts() / offered),
                 """select venue, sum(n) / sum(seats) from (select venue, s, count(n) n,
                 max(seats) seats from screenings join venues using (venue)
                 left join tickets using (s) group by 1, 2) group by 1""", unit="share"),
        Question("derived", "how many days before the show is a ticket bought, on average?",
                 one(ahead.mean()),
                 "select avg(date_diff('second', sold, starts)) / 86400 from seen",
                 [one(int(ahead.mean()))], tolerance=0.005),
        Question("percentile", "the median runtime of our films", one(films["runtime"].median()),
                 "select median(runtime) from films", [one(films["runtime"].fillna(0).median())]),
        Question("distribution", "films under 90 minutes, 90 to 120, longer than 120: how many "
                 "each",
                 rows(span.value_counts()), """select case when runtime < 90 then 'a'
                 when runtime <= 120 then 'b' else 'c' end, count(*) from films
                 where runtime is not null group by 1""",
                 [rows(span.fillna("a").value_counts())], unit="labels_free"),
        Question("distribution", "number of ratings for each star from 1 to 5",
                 rows(tickets["rating"].value_counts()),
                 "select rating, count(*) from tickets where rating is not null group by 1"),
        Question("correlation", "Do long films get worse ratings? correlation of runtime and "
                 "rating",
                 one(seen["runtime"].corr(seen["rating"])),
                 "select corr(runtime, rating) from seen",
                 [one(mean["m"].corr(mean["r"]))], tolerance=0.01),
        Question("quality", "on how many tickets is the rating blank?",
                 one(tickets["rating"].isna().sum()),
                 "select count(*) from tickets where rating is null"),
        Question("running", "visitors per festival day and how they add up",
                 rows(visitors.cumsum()), """select starts::date::varchar x, sum(count(*)) over
                 (order by x) from seen group by 1"""),
        Question("multi", "What film drew most people, who made it and from what country is it?",
                 parts(one(best), one(facts["director"][best]), one(facts["country"][best])),
                 ["select title from seen group by 1 order by count(*) desc limit 1",
                  "select director from seen group by title, 1 order by count(*) desc limit 1",
                  "select country from seen group by title, 1 order by count(*) desc limit 1"]),
        Question("multi", "number of films, of screenings and of venues?",
                 parts(one(len(films)), one(len(shows)), one(len(venues))),
                 ["select count(*) from films", "select count(*) from screenings",
                  "select count(*) from venues"]),
        Question("wording", "tix sold 4 midnite section?", one(sections["Midnight"]),
                 "select count(*) from seen where section='Midnight'"),
        Question("rounding", "average price of a full ticket and a student ticket together, two "
                 "decimals", one(round(tickets.loc[tickets["category"].isin(
                     ["Full", "Student"]), "price"].mean(), 2)),
                 "select round(avg(price), 2) from tickets where category in ('Full', 'Student')",
                 tolerance=0.0001),
        Question("ambiguous", "so which film won the festival, the best one i mean?",
                 asks(by_rating=("rating", one(liked.idxmax())),
                      by_tickets=("ticket|visitor|number|count|audience", one(best)),
                      by_takings=("price|taking|money|revenue|box", one(box.idxmax())))),
        Question("unanswerable", "which of the films had its world premiere here?", DECLINE),
        Question("unanswerable", "How many visitors came from abroad?", DECLINE),
        Question("calendar", "screenings per day", rows(day.value_counts()),
                 "select starts::date::varchar, count(*) from screenings group by 1"),
        Question("calendar", "how many shows start at 8 pm or later?", one((hour >= 20).sum()),
                 "select count(*) from screenings where hour(starts) >= 20"),
        Question("calendar", "visitors on weekends and on weekdays",
                 pairs({"weekend": weekend.sum(), "weekdays": (~weekend).sum()}),
                 "select isodow(starts) > 5, count(*) from seen group by 1", unit="labels_free"),
        Question("compare", "were there more guests before October 17 or from then on?",
                 pairs({"before": week.sum(), "after": (~week).sum()}),
                 "select starts < '2024-10-17', count(*) from seen group by 1", unit="labels_free"),
    ]  # fmt: skip


def _sold(tickets: pd.DataFrame, day: int) -> float:
    """What was sold on a day of October, for whatever screening."""
    sold = tickets["sold_at"].dt.strftime("%Y-%m-%d") == f"2024-10-{day}"
    return float(tickets.loc[sold, "price"].sum())
