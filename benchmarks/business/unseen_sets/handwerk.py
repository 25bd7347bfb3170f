"""A German craft business: customers, jobs and fitters, as its office program writes them: cp1252,
semicolons, decimal commas, days first."""

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
    moments,
    one,
    pairs,
    parts,
    rows,
    scattered,
    several,
)

VIEWS = """
create view kunden as select "Kundennr" kn, "Name" wer, "Ort" ort, "Art" art from raw_kunden;
create view monteure as select "Kürzel" k, "Name" wer, cast("Stundensatz" as double) satz,
  "Meister" meister from raw_monteure;
create macro zahl(x) as try_cast(replace(replace(replace(replace(x, ' €', ''), '.', ''), ',', '.'),
  ' ', '') as double);
create view jobs as select distinct cast("Auftragsnr" as int) nr, "Kundennr" kn, "Gewerk" gewerk,
  "Monteur" k, strptime("Angenommen", '%d.%m.%Y') a, try_strptime("Fertig", '%d.%m.%Y') f,
  zahl("Stunden") std, zahl("Material") mat, zahl("Rechnung") eur,
  lower(trim("Bezahlt")) = 'ja' bezahlt from raw_auftraege;
"""
TOWNS = ("Köln", "Hürth", "Brühl", "Bonn", "Pulheim")


def make() -> Made:
    dice = np.random.default_rng(908)
    kunden = pd.DataFrame({
        "Kundennr": [f"K{n:04d}" for n in range(1, 71)],
        "Name": [f"{a} {n}" for n, a in enumerate(dice.choice(
            ["Müller", "Schäfer", "Bäckerei Groß", "Hausverwaltung Jung", "Weiß"], 70))],
        "Ort": dice.choice(TOWNS, 70, p=[0.4, 0.2, 0.15, 0.15, 0.1]),
        "Art": dice.choice(["privat", "Gewerbe"], 70, p=[0.65, 0.35]),
    })  # fmt: skip
    monteure = pd.DataFrame({
        "Kürzel": ["AB", "CD", "EF", "GH", "IJ", "KL"],
        "Name": ["Anton Berg", "Cem Demir", "Eva Fuchs", "Gerd Horn", "Ines Jäger", "Kai Lutz"],
        "Stundensatz": [62.0, 58.0, 65.0, 49.0, 55.0, 45.0],
        "Meister": ["ja", "nein", "ja", "nein", "nein", "nein"],
    })  # fmt: skip
    size = 420
    day = moments(dice, "2023-01-09", "2024-11-29", size)
    gewerk = dice.choice(["Heizung", "Sanitär", "Elektro", "Lüftung"], size, p=[0.4, 0.3, 0.2, 0.1])
    hours = (dice.gamma(2.2, 5, size) * 2).round() / 2 + 0.5
    material = dice.gamma(
        1.5, pd.Series(gewerk).map({"Heizung": 900, "Sanitär": 350, "Elektro": 240, "Lüftung": 600})
    ).round(2)
    jobs = pd.DataFrame({
        "Auftragsnr": range(23_001, 23_001 + size), "Kundennr": dice.choice(kunden["Kundennr"][:64],
                                                                            size),
        "Gewerk": gewerk, "Monteur": dice.choice(monteure["Kürzel"][:5], size),
        "Angenommen": day, "Fertig": day + pd.to_timedelta(dice.poisson(9, size) + 1, "D"),
        "Stunden": hours, "Material": material,
        "Rechnung": (hours * 78 + material * dice.uniform(1.0, 1.4, size)).round(2),
        "Bezahlt": dice.choice(["ja", "nein"], size, p=[0.85, 0.15]),
    })  # fmt: skip
    jobs.loc[scattered(dice, size, 19), "Fertig"] = pd.NaT
    jobs.loc[scattered(dice, size, 8), "Stunden"] = np.nan
    jobs.loc[jobs["Fertig"].isna(), "Bezahlt"] = "nein"
    twice = pd.concat([jobs, jobs.iloc[120:127]], ignore_index=True)
    kept: Frames = {"kunden": kunden, "monteure": monteure, "auftraege": jobs}
    told = twice.copy()
    for each in ("Angenommen", "Fertig"):
        told[each] = told[each].dt.strftime("%d.%m.%Y").fillna("")
    told["Stunden"] = [german(e, 1) for e in twice["Stunden"]]
    told["Material"] = [f"{german(e, 2)} €" for e in twice["Material"]]
    told["Rechnung"] = [f"{german(e, 2)} €" for e in twice["Rechnung"]]
    loud = told["Auftragsnr"] % 9 == 0
    told["Bezahlt"] = told["Bezahlt"].where(~loud, told["Bezahlt"].str.capitalize())
    raw = {"kunden": kunden, "monteure": monteure, "auftraege": told}
    return Made(raw, merged(questions(kept), questions({**kept, "auftraege": twice})), VIEWS, write)


def german(value: float, places: int) -> str:
    if value != value:
        return "k.A."
    return f"{value:,.{places}f}".translate(str.maketrans(",.", ".,"))


def write(folder: Path, name: str, tables: Frames) -> list[Path]:
    del name
    paths = [folder / f"{table}.csv" for table in tables]
    for path, frame in zip(paths, tables.values(), strict=True):
        frame.to_csv(path, index=False, sep=";", encoding="cp1252")
    return paths


def questions(t: Frames) -> list[Question]:
    kunden, monteure, jobs = t["kunden"], t["monteure"], t["auftraege"]
    full = jobs.merge(kunden, on="Kundennr")
    manned = jobs.merge(monteure, left_on="Monteur", right_on="Kürzel")
    year = jobs["Angenommen"].dt.year
    trade = jobs.groupby("Gewerk")["Rechnung"].sum()
    open_ = jobs["Bezahlt"] == "nein"
    took = (jobs["Fertig"] - jobs["Angenommen"]).dt.days
    spent = full.groupby("Name")["Rechnung"].sum().sort_values(ascending=False)
    sums = jobs.groupby(year)["Rechnung"].sum()
    monthly = jobs[year == 2024].groupby(jobs["Angenommen"].dt.strftime("%Y-%m"))["Rechnung"].sum()
    wages = (manned["Stunden"] * manned["Stundensatz"]).groupby(manned["Name"]).sum()
    left = jobs["Rechnung"] - jobs["Material"]
    bands = pd.cut(jobs["Rechnung"], [0, 499.999, 2000, 10**6], labels=["a", "b", "c"])
    towns = full.groupby("Ort")["Rechnung"].sum()
    done = manned["Name"].value_counts()
    kinds = full.groupby("Art")["Rechnung"].mean()
    best = towns.idxmax()
    quarter = jobs[year == 2024].groupby(jobs["Angenommen"].dt.quarter)["Rechnung"].sum()
    hours = jobs.groupby("Gewerk")["Stunden"].sum()
    timed = jobs[jobs["Stunden"].notna()].groupby("Gewerk")[["Rechnung", "Stunden"]].sum()
    return [
        Question("lookup", "Which fitter did job 23077?",
                 one(manned.set_index("Auftragsnr")["Name"][23_077]),
                 "select wer from jobs join monteure using (k) where nr=23077", [
                     one(jobs.set_index("Auftragsnr")["Monteur"][23_077])]),
        Question("lookup", "Stundensatz von Eva Fuchs", one(65),
                 "select satz from monteure where wer='Eva Fuchs'"),
        Question("filter_count", "how many jobs haven't been paid yet", one(open_.sum()),
                 "select count(*) from jobs where not bezahlt"),
        Question("filter_count", "Aufträge über 5.000 Euro - wie viele?",
                 one((jobs["Rechnung"] > 5000).sum()),
                 "select count(*) from jobs where eur > 5000"),
        Question("aggregate", "invoiced amount by trade (Gewerk)", rows(trade),
                 "select gewerk, sum(eur) from jobs group by 1"),
        Question("aggregate", "Umsatz 2024", one(sums[2024]),
                 "select sum(eur) from jobs where year(a)=2024",
                 [one(jobs.loc[jobs["Fertig"].dt.year == 2024, "Rechnung"].sum())]),
        Question("topn", "our 5 best customers by Rechnung total", rows(spent.head(5)),
                 """select wer, sum(eur) from jobs join kunden using (kn) group by 1
                 order by 2 desc limit 5""", [several(spent.head(5).index)], ordered=True),
        Question("topn", "who completed the most jobs? name of the Monteur", one(done.idxmax()),
                 """select wer from jobs join monteure using (k) group by 1
                 order by count(*) desc limit 1""",
                 [one(manned.loc[manned["Fertig"].notna(), "Name"].value_counts().idxmax())]),
        Question("share", "Heizung as a percentage of all invoices",
                 one(trade["Heizung"] / trade.sum()),
                 "select sum(eur) filter (gewerk='Heizung') / sum(eur) from jobs",
                 [one((jobs["Gewerk"] == "Heizung").mean())], unit="share"),
        Question("growth", "how did Sanitär invoices develop from 2023 to 2024, in percent",
                 one(jobs[jobs["Gewerk"] == "Sanitär"].groupby(year)["Rechnung"].sum()
                     .pct_change()[2024]),
                 """select sum(eur) filter (year(a)=2024) / sum(eur) filter (year(a)=2023) - 1
                 from jobs where gewerk='Sanitär'""",
                 [one(jobs[jobs["Gewerk"] == "Sanitär"].groupby(year).size().pct_change()[2024])],
                 unit="share,abs"),
        Question("compare", "private customers vs Gewerbe: average invoice", rows(kinds),
                 "select art, avg(eur) from jobs join kunden using (kn) group by 1"),
        Question("join", "Umsatz nach Ort", rows(towns),
                 "select ort, sum(eur) from jobs join kunden using (kn) group by 1"),
        Question("join", "How many jobs did we do in Brühl?", one((full["Ort"] == "Brühl").sum()),
                 "select count(*) from jobs join kunden using (kn) where ort='Brühl'"),
        Question("anti_join", "welche Monteure haben keinen Auftrag", several(["Kai Lutz"]),
                 "select wer from monteure where k not in (select k from jobs)"),
        Question("anti_join", "number of customers who never ordered anything",
                 one((~kunden["Kundennr"].isin(jobs["Kundennr"])).sum()),
                 "select count(*) from kunden where kn not in (select kn from jobs)"),
        Question("derived", "labour cost per fitter: hours times hourly rate", rows(wages),
                 "select wer, sum(std * satz) from jobs join monteure using (k) group by 1",
                 [rows(wages.reindex(monteure["Name"]).fillna(0))]),
        Question("derived", "what's left after material (invoice minus material), per Gewerk",
                 rows(left.groupby(jobs["Gewerk"]).sum()),
                 "select gewerk, sum(eur - mat) from jobs group by 1"),
        Question("derived", "invoice per hour worked by trade", rows(timed["Rechnung"]
                                                                    / timed["Stunden"]),
                 "select gewerk, sum(eur) / sum(std) from jobs where std is not null group by 1",
                 [rows(trade / hours)], tolerance=0.002),
        Question("percentile", "median Rechnung", one(jobs["Rechnung"].median()),
                 "select median(eur) from jobs"),
        Question("distribution", "how many invoices under 500, from 500 to 2000 and above "
                 "2000 euros",
                 rows(bands.value_counts()), """select case when eur < 500 then 'a'
                 when eur <= 2000 then 'b' else 'c' end, count(*) from jobs group by 1""",
                 unit="labels_free"),
        Question("correlation", "correlation between Stunden and Rechnung",
                 one(jobs["Stunden"].corr(jobs["Rechnung"])), "select corr(std, eur) from jobs",
                 tolerance=0.01),
        Question("quality", "bei wie vielen Aufträgen fehlen die Stunden?",
                 one(jobs["Stunden"].isna().sum()), "select count(*) from jobs where std is null"),
        Question("running", "monthly invoices in 2024 with a running total", rows(monthly.cumsum()),
                 """select strftime(a, '%Y-%m') x, sum(sum(eur)) over (order by x) from jobs
                 where year(a)=2024 group by 1"""),
        Question("multi", "in which town do we earn most, and how many customers live there?",
                 parts(one(best), one((kunden["Ort"] == best).sum())),
                 ["""select ort from jobs join kunden using (kn) group by 1
                  order by sum(eur) desc limit 1""",
                  """select count(distinct kunden.kn) from kunden where ort = (select ort from jobs
                  join kunden using (kn) group by 1 order by sum(eur) desc limit 1)"""]),
        Question("wording", "unpaid $$ by custmer type pls",
                 rows(full[full["Bezahlt"] == "nein"].groupby("Art")["Rechnung"].sum()),
                 "select art, sum(eur) from jobs join kunden using (kn) where not bezahlt "
                 "group by 1"),
        Question("rounding", "hours per job on average, one decimal",
                 one(round(jobs["Stunden"].mean(), 1)),
                 "select round(avg(std), 1) from jobs", tolerance=0.0001),
        Question("ambiguous", "who's our best fitter?",
                 asks(by_jobs=("number|count|auftr|rows|how many", one(done.idxmax())),
                      by_money=("rechnung|invoice", one(
                          manned.groupby("Name")["Rechnung"].sum().idxmax())),
                      by_hours=("stunden\\b|hours", one(
                          manned.groupby("Name")["Stunden"].sum().idxmax())))),
        Question("unanswerable", "Wie viele Urlaubstage hat Gerd Horn noch?", DECLINE),
        Question("calendar", "sum of the invoices for jobs taken on in Q1, Q2 and Q3 of 2024",
                 rows(quarter[[1, 2, 3]]),
                 """select quarter(a), sum(eur) from jobs where year(a)=2024 and quarter(a) < 4
                 group by 1""",
                 unit="labels_free"),
        Question("calendar", "how long does it take from Angenommen to Fertig on average, in days, "
                 "2023 and 2024", rows(took.groupby(year).mean()),
                 "select year(a), avg(date_diff('day', a, f)) from jobs group by 1",
                 [pairs({"all": took.mean()})]),
    ]  # fmt: skip
