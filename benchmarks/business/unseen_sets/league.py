"""A football league: clubs, matches with a home and an away side, and who scored."""

from __future__ import annotations

import numpy as np
import pandas as pd

from business.unseen_sets.form import (
    DECLINE,
    Frames,
    Made,
    Question,
    asks,
    one,
    pairs,
    parts,
    rows,
    scattered,
    several,
)

VIEWS = """
create view clubs as select code, club, town, cast(founded as int) founded,
  cast(replace(capacity, '.', '') as int) capacity from raw_clubs;
create view matches as select cast(match_no as int) no, strptime(played, '%d/%m/%Y') d, home, away,
  try_cast(goals_home as int) h, try_cast(goals_away as int) a,
  try_cast(nullif(attendance, '-') as int) att, referee from raw_matches;
create view scorers as select cast(match_no as int) no, player, club, cast("minute" as int) mi,
  lower(kind) kind from raw_goals;
create view points as
  select home club, case when h > a then 3 when h = a then 1 else 0 end p from matches
  where h is not null union all
  select away, case when a > h then 3 when h = a then 1 else 0 end from matches where h is not null;
"""
CLUBS = (
    ("ALB", "Albion Harbour", "Portmere", 1899, 31200),
    ("BRI", "Bridge Rovers", "Stonebridge", 1911, 18450),
    ("CAS", "Castle United", "Easthold", 1904, 42100),
    ("DOV", "Dovefield Town", "Dovefield", 1926, 9800),
    ("ELM", "Elmwood FC", "Elmwood", 1951, 12600),
    ("FEN", "Fenland City", "Fenbury", 1888, 27350),
    ("GRA", "Granite Athletic", "Stonebridge", 1933, 15000),
    ("HOL", "Hollow Park", "Easthold", 1970, 7100),
    ("IVY", "Ivy Lane", "Fenbury", 1984, 5400),
    ("KIN", "Kingsgate", "Kingsgate", 1895, 38900),
)


def make() -> Made:
    dice = np.random.default_rng(902)
    clubs = pd.DataFrame(CLUBS, columns=["code", "club", "town", "founded", "capacity"])
    codes = list(clubs["code"])
    games = [(h, a) for h in codes[:9] for a in codes[:9] if h != a]
    dice.shuffle(games)
    size = len(games)
    force = dict(zip(codes, [1.5, 1.0, 2.1, 0.8, 1.1, 1.7, 1.2, 0.7, 0.6, 1.0], strict=True))
    matches = pd.DataFrame({
        "match_no": range(1, size + 1),
        "played": pd.date_range("2023-08-12", periods=size, freq="96h").normalize(),
        "home": [h for h, _ in games], "away": [a for _, a in games],
        "goals_home": [float(dice.poisson(force[h] + 0.4)) for h, _ in games],
        "goals_away": [float(dice.poisson(force[a])) for _, a in games],
        "referee": dice.choice(["Abara", "Lindqvist", "Moreau", "Petrov", "Quist"], size),
    })  # fmt: skip
    room = clubs.set_index("code")["capacity"]
    matches["attendance"] = [round(room[h] * dice.uniform(0.45, 0.99)) for h in matches["home"]]
    matches["attendance"] = matches["attendance"].astype(float)
    matches.loc[[11, 37, 58], "attendance"] = np.nan
    matches.loc[[70, 71], ["goals_home", "goals_away", "attendance"]] = np.nan  # still to be played
    goals = scorers(dice, matches, codes)
    kept: Frames = {"clubs": clubs, "matches": matches, "goals": goals}
    told = matches.copy()
    told["played"] = told["played"].dt.strftime("%d/%m/%Y")
    for each in ("goals_home", "goals_away"):
        told[each] = told[each].astype("Int64")
    told["attendance"] = [f"{e:.0f}" if e == e else "-" for e in told["attendance"]]
    written = goals.copy()
    loud = scattered(dice, len(goals), 20)
    written.loc[loud, "kind"] = written.loc[loud, "kind"].str.upper()
    seats = clubs.assign(capacity=[f"{e:,}".replace(",", ".") for e in clubs["capacity"]])
    return Made({"clubs": seats, "matches": told, "goals": written}, questions(kept), VIEWS)


def scorers(dice: np.random.Generator, matches: pd.DataFrame, codes: list[str]) -> pd.DataFrame:
    first = ["Ola", "Tim", "Ravi", "Jon", "Sam", "Leo"]
    names = {c: [f"{n} {c.title()}son" for n in first] for c in codes}
    found = [
        (game.match_no, dice.choice(names[c], p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05]), c,
         dice.integers(1, 93), dice.choice(["open play", "penalty", "free kick", "header"],
                                           p=[0.6, 0.12, 0.08, 0.2]))
        for game in matches.itertuples()
        for c, n in ((game.home, game.goals_home), (game.away, game.goals_away))
        for _ in range(int(n) if n == n else 0)
    ]  # fmt: skip
    return pd.DataFrame(found, columns=["match_no", "player", "club", "minute", "kind"])


def questions(t: Frames) -> list[Question]:
    clubs, games, goals = t["clubs"], t["matches"], t["goals"]
    name, town = clubs.set_index("code")["club"], clubs.set_index("code")["town"]
    over = games[games["goals_home"].notna()]
    margin = over["goals_home"] - over["goals_away"]
    points = pd.concat([
        pd.Series(np.select([margin > 0, margin == 0], [3, 1], 0), over["home"]),
        pd.Series(np.select([margin < 0, margin == 0], [3, 1], 0), over["away"]),
    ]).groupby(level=0).sum().sort_values(ascending=False)  # fmt: skip
    month = over["played"].dt.strftime("%Y-%m")
    both = over["goals_home"] + over["goals_away"]
    scored = goals["player"].value_counts()
    best = scored.index[0]
    filled = over.assign(full=over["attendance"] / over["home"].map(
        clubs.set_index("code")["capacity"]), hosts=over["home"].map(name)).dropna()  # fmt: skip
    kinds = goals["kind"].value_counts()
    half = np.where(goals["minute"] <= 45, "first", "second")
    crowd = over.groupby("home")["attendance"].mean()
    years = over.groupby(over["played"].dt.year)["attendance"].mean()
    sundays = over.loc[over["played"].dt.day_name() == "Sunday", "played"]
    lost_home = over.loc[margin < 0, "home"]
    per_game = goals["match_no"].nunique()
    return [
        Question("lookup", "what town does Granite Athletic play in?", one("Stonebridge"),
                 "select town from clubs where club='Granite Athletic'"),
        Question("lookup", "final score of match 17?",
                 parts(one(over["goals_home"][16]), one(over["goals_away"][16])),
                 ["select h from matches where no=17", "select a from matches where no=17"]),
        Question("filter_count", "How many games ended in a draw?", one((margin == 0).sum()),
                 "select count(*) from matches where h = a"),
        Question("filter_count", "matches with 5 goals or more, how many were there",
                 one((both >= 5).sum()), "select count(*) from matches where h + a >= 5"),
        Question("aggregate", "average crowd at home for each team", rows(crowd.rename(name)),
                 """select club, avg(att) from matches join clubs on home=code where h is not null
                 group by 1""", [rows(crowd)]),
        Question("aggregate", "total goals scored this season", one(len(goals)),
                 "select sum(h + a) from matches"),
        Question("topn", "top 5 scorers with their number of goals",
                 rows(scored.head(5)), """select player, count(*) from scorers group by 1
                 order by 2 desc limit 5""", [several(scored.head(5).index)]),
        Question("topn", "name the three clubs with most points (3 for a win, 1 for a draw)",
                 several(points.head(3).rename(name).index), """select c.club from points p
                 join clubs c on p.club=code group by 1 order by sum(p) desc limit 3""",
                 [several(points.head(3).index)], ordered=True),
        Question("share", "what percentage of goals were penalties?",
                 one(kinds["penalty"] / len(goals)),
                 "select avg((kind='penalty')::int) from scorers", unit="share"),
        Question("growth", "How has average attendance changed from 2023 to 2024, in %?",
                 one(years[2024] / years[2023] - 1), """select avg(att) filter (year(d)=2024)
                 / avg(att) filter (year(d)=2023) - 1 from matches""", unit="share,abs"),
        Question("compare", "do home sides score more than visitors? goals per game for both",
                 pairs({"home": over["goals_home"].mean(), "away": over["goals_away"].mean()}),
                 """select 'home', avg(h) from matches union all select 'away', avg(a)
                 from matches""", unit="labels_free"),
        Question("compare", "did Castle United or Fenland City score more goals",
                 rows(goals["club"].value_counts()[["CAS", "FEN"]].rename(name)),
                 """select c.club, count(*) from scorers s join clubs c on s.club=code
                 where c.club in ('Castle United', 'Fenland City') group by 1""",
                 [rows(goals["club"].value_counts()[["CAS", "FEN"]]), one("Castle United")
                  if (goals["club"] == "CAS").sum() > (goals["club"] == "FEN").sum()
                  else one("Fenland City")]),
        Question("join", "goals per town", rows(goals["club"].map(town).value_counts()),
                 "select town, count(*) from scorers s join clubs c on s.club=code group by 1"),
        Question("join", "how often did Albion Harbour win away from home?",
                 one(((over["away"] == "ALB") & (margin < 0)).sum()),
                 """select count(*) from matches join clubs on away=code
                 where club='Albion Harbour' and a > h"""),
        Question("anti_join", "which clubs have not played a single game?",
                 several(["Kingsgate"]), """select club from clubs where code not in
                 (select home from matches union select away from matches)""",
                 [several(["KIN"])]),
        Question("derived", "how full is the stadium on average, per home club? attendance as a "
                 "percentage of capacity", rows(filled.groupby("hosts")["full"].mean()),
                 """select club, avg(att / capacity) from matches join clubs on home=code
                 where h is not null group by 1""",
                 [rows(filled.groupby("home")["full"].mean())], unit="share", tolerance=0.005),
        Question("derived", "avg number of goals per match", one(both.mean()),
                 "select avg(h + a) from matches", [one(len(goals) / per_game),
                                                    one(len(goals) / len(games))]),
        Question("percentile", "median attendance", one(over["attendance"].median()),
                 "select median(att) from matches"),
        Question("distribution", "how many goals in the first 45 minutes and how many after?",
                 rows(pd.Series(half).value_counts()), """select case when mi <= 45
                 then 'first' else 'second' end, count(*) from scorers group by 1""",
                 unit="labels_free"),
        Question("correlation", "are older clubs bigger, i.e. how does founding year correlate "
                 "with capacity", one(clubs["founded"].corr(clubs["capacity"])),
                 "select corr(founded, capacity) from clubs", tolerance=0.01),
        Question("quality", "how many matches lack an attendance figure?",
                 one(games["attendance"].isna().sum()),
                 "select count(*) from matches where att is null",
                 [one(over["attendance"].isna().sum())]),
        Question("running", "goals by month and cumulated over the season",
                 rows(both.groupby(month).sum().cumsum()), """select strftime(d, '%Y-%m') x,
                 sum(sum(h + a)) over (order by x) from matches where h is not null group by 1"""),
        Question("multi", "who's our top scorer and which referee had the most games?",
                 parts(one(best), one(games["referee"].value_counts().idxmax())),
                 ["select player from scorers group by 1 order by count(*) desc limit 1",
                  "select referee from matches group by 1 order by count(*) desc limit 1"]),
        Question("wording", "whos lost most at home??",
                 one(name[lost_home.value_counts().idxmax()]),
                 """select club from matches join clubs on home=code where h < a group by 1
                 order by count(*) desc limit 1""", [one(lost_home.value_counts().idxmax())]),
        Question("rounding", "mean minute of a goal, rounded to a whole number",
                 one(round(goals["minute"].mean())), "select round(avg(mi)) from scorers",
                 tolerance=0),
        Question("ambiguous", "what's the best team?",
                 asks(points=("point|win", one(name[points.index[0]])),
                      goals=("goal|scor", one(name[goals["club"].value_counts().idxmax()])),
                      attendance=("attend|crowd|capacity", one(name[crowd.idxmax()])))),
        Question("unanswerable", "how many yellow cards did Ola Casson get?", DECLINE),
        Question("unanswerable", "What's the transfer value of our best striker", DECLINE),
        Question("calendar", "how many matches were played on a Sunday in 2023?",
                 one((sundays.dt.year == 2023).sum()),
                 "select count(*) from matches where dayofweek(d) = 0 and year(d) = 2023"),
    ]  # fmt: skip
