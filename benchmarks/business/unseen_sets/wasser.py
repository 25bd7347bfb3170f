"""A water utility in one wide table, as an office far in the south keeps it: German heads, comma
for the decimals, a column for each year, and questions in both languages."""

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
create macro number(x) as
  try_cast(replace(replace(replace(x, ' bar', ''), '.', ''), ',', '.') as double);
create view pipes as select distinct "Anschluss-Nr" no, "Kunde" kunde, "Kundengruppe" gruppe,
  case when trim("Zone") ilike 'alt%' then 'Altstadt' else trim("Zone") end zone,
  "Zählertyp" typ, strptime("Einbau", '%d.%m.%Y') einbau, "Leitungsmaterial" material,
  cast("Baujahr Leitung" as int) baujahr, number("Verbrauch 2022 (m³)") v22,
  number("Verbrauch 2023 (m³)") v23, number("Verbrauch 2024 (m³)") v24, number("Druck") druck,
  number("Preis je m³") preis, number("Rechnung 2024 (€)") betrag,
  try_strptime("Bezahlt am", '%d.%m.%Y') bezahlt, cast("Störungen 2024" as int) faults,
  lower("Fernauslesung") = 'ja' fern from raw_anschluesse;
"""
GROUPS = {"Haushalt": 2.15, "Gewerbe": 1.98, "Industrie": 1.62, "Öffentlich": 1.9}
SIZES = {"Haushalt": 1.0, "Gewerbe": 4.0, "Industrie": 35.0, "Öffentlich": 7.0}
V22, V23, V24 = (f"Verbrauch {year} (m³)" for year in (2022, 2023, 2024))
BILL, PAID, FAULTS = "Rechnung 2024 (€)", "Bezahlt am", "Störungen 2024"


def make() -> Made:
    dice = np.random.default_rng(916)
    size = 260
    group = dice.choice(list(GROUPS), size, p=[0.66, 0.2, 0.05, 0.09])
    used = dice.gamma(5, 26, size) * np.array([SIZES[each] for each in group])
    table = pd.DataFrame({
        "Anschluss-Nr": [f"A-{n}" for n in range(4001, 4001 + size)],
        "Kunde": [f"{first} {last}{n}" for n, (first, last) in enumerate(zip(
            dice.choice(["Huber", "Maier", "Gruber", "Bauer", "Steiner"], size),
            dice.choice(["A", "B", "C", "D"], size), strict=True), 1)],
        "Kundengruppe": group,
        "Zone": dice.choice(["Altstadt", "Nord", "Hafen", "Bergdorf", "Süd"], size,
                            p=[0.3, 0.25, 0.2, 0.1, 0.15]),
        "Zählertyp": dice.choice(["Flügelrad", "Ringkolben", "Ultraschall"], size,
                                 p=[0.5, 0.2, 0.3]),
        "Einbau": moments(dice, "2012-03-01", "2024-09-30", size).sample(
            frac=1, random_state=5, ignore_index=True),
        "Leitungsmaterial": dice.choice(["PE", "Guss", "Stahl"], size, p=[0.5, 0.35, 0.15]),
        "Baujahr Leitung": dice.integers(1931, 2021, size),
        V22: (used * dice.uniform(0.9, 1.15, size)).round(1),
        V23: (used * dice.uniform(0.88, 1.12, size)).round(1),
        V24: (used * dice.uniform(0.85, 1.08, size)).round(1),
        "Druck": dice.normal(4.6, 0.7, size).round(2),
    })  # fmt: skip
    table["Preis je m³"] = table["Kundengruppe"].map(GROUPS)
    table[BILL] = (table[V24] * table["Preis je m³"] + 38.5).round(2)
    table[PAID] = pd.Timestamp("2025-01-15") + pd.to_timedelta(dice.gamma(2, 16, size).round(), "D")
    ages = (2025 - table["Baujahr Leitung"]) / 55
    table[FAULTS] = dice.poisson(0.35 * ages * (table["Zone"] != "Süd"))
    table["Fernauslesung"] = np.where(table["Zählertyp"] == "Ultraschall", "ja", "nein")
    table.loc[scattered(dice, size, 17), PAID] = pd.NaT
    table.loc[scattered(dice, size, 12), "Druck"] = np.nan
    twice = pd.concat([table, table.iloc[120:126]], ignore_index=True)
    told = twice.copy()
    for each in (V22, V23, V24):
        told[each] = [german(value, 1) for value in told[each]]
    for each in ("Preis je m³", BILL):
        told[each] = [german(value, 2) for value in told[each]]
    told["Druck"] = [f"{german(e, 2)} bar" if e == e else "k. A." for e in told["Druck"]]
    for each in ("Einbau", PAID):
        told[each] = told[each].dt.strftime("%d.%m.%Y").fillna("")
    low = (told.index % 13 == 0) & (told["Zone"] == "Altstadt") & ~told.duplicated(keep=False)
    told["Zone"] = told["Zone"].mask(low, "altstadt")
    return Made({"anschluesse": told}, merged(questions(table), questions(twice)), VIEWS, write)


def german(value: float, places: int) -> str:
    return f"{value:,.{places}f}".translate(str.maketrans(",.", ".,"))


def write(folder: Path, name: str, tables: Frames) -> list[Path]:
    del name
    path = folder / "anschluesse.csv"
    tables["anschluesse"].to_csv(path, index=False, sep=";", encoding="utf-8-sig")
    return [path]


def questions(t: pd.DataFrame) -> list[Question]:
    zones, groups = t.groupby("Zone"), t.groupby("Kundengruppe")
    years = pd.Series({"2022": t[V22].sum(), "2023": t[V23].sum(), "2024": t[V24].sum()})
    thirsty = t.set_index("Kunde")[V24].drop_duplicates().sort_values(ascending=False)
    unpaid = t[PAID].isna()
    homes = t[t["Kundengruppe"] == "Haushalt"]
    quiet = sorted(set(t["Zone"]) - set(t.loc[t[FAULTS] > 0, "Zone"]))
    paid = t.groupby(t[PAID].dt.strftime("%Y-%m"))[BILL].sum()
    old = pd.cut(t["Baujahr Leitung"], [0, 1959, 1990, 2100], labels=["a", "b", "c"])
    worst = zones[FAULTS].sum().idxmax()
    biggest = t.loc[t[BILL].idxmax()]
    built = t["Einbau"].dt.year
    month = t["Einbau"].dt.month
    per_group = groups[BILL].sum() / groups[V24].sum()
    late = t[PAID] > "2025-02-28"
    zone_growth = zones[V24].sum() / zones[V23].sum() - 1
    return [
        Question("lookup", "Aus welchem Material ist die Leitung bei Anschluss A-4057?",
                 one(t["Leitungsmaterial"][56]), "select material from pipes where no='A-4057'"),
        Question("lookup", "what meter type (Zählertyp) does A-4110 have?",
                 one(t["Zählertyp"][109]), "select typ from pipes where no='A-4110'"),
        Question("filter_count", "Wie viele Anschlüsse haben noch nicht bezahlt?",
                 one(unpaid.sum()),
                 "select count(*) from pipes where bezahlt is null"),
        Question("filter_count", "Number of connections in zone Nord with pressure under 4 bar",
                 one(((t["Zone"] == "Nord") & (t["Druck"] < 4)).sum()),
                 "select count(*) from pipes where zone='Nord' and druck < 4"),
        Question("filter_count", "Anzahl der Haushalte mit Fernauslesung",
                 one((homes["Fernauslesung"] == "ja").sum()),
                 "select count(*) from pipes where gruppe='Haushalt' and fern"),
        Question("aggregate", "Gesamtverbrauch 2024 je Zone", rows(zones[V24].sum()),
                 "select zone, sum(v24) from pipes group by 1"),
        Question("aggregate", "What is the sum of all 2024 bills?", one(t[BILL].sum()),
                 "select sum(betrag) from pipes"),
        Question("aggregate", "durchschnittlicher Druck pro Leitungsmaterial",
                 rows(t.groupby("Leitungsmaterial")["Druck"].mean()),
                 "select material, avg(druck) from pipes group by 1"),
        Question("topn", "Die fünf Kunden mit dem höchsten Verbrauch 2024",
                 rows(thirsty.head(5)), "select kunde, v24 from pipes order by 2 desc limit 5",
                 [several(thirsty.head(5).index)], ordered=True),
        Question("topn", "In welcher Zone gab es 2024 die meisten Störungen?", one(worst),
                 "select zone from pipes group by 1 order by sum(faults) desc limit 1"),
        Question("share", "Welchen Anteil am Verbrauch 2024 hat die Industrie?",
                 one(groups[V24].sum()["Industrie"] / t[V24].sum()),
                 "select sum(v24) filter (gruppe='Industrie') / sum(v24) from pipes",
                 unit="share"),
        Question("share", "percentage of meters that can be read remotely (Fernauslesung ja)",
                 one((t["Fernauslesung"] == "ja").mean()), "select avg(fern::int) from pipes",
                 unit="share"),
        Question("growth", "Um wie viel Prozent ist der Verbrauch von 2023 auf 2024 gesunken?",
                 one(years["2024"] / years["2023"] - 1),
                 "select sum(v24) / sum(v23) - 1 from pipes", unit="share,abs"),
        Question("growth", "consumption 2024 vs 2023 in each zone, change in %",
                 rows(zone_growth), "select zone, sum(v24) / sum(v23) - 1 from pipes group by 1",
                 unit="share"),
        Question("compare", "Haushalt gegen Gewerbe: mittlere Rechnung 2024",
                 rows(groups[BILL].mean()[["Gewerbe", "Haushalt"]]),
                 """select gruppe, avg(betrag) from pipes where gruppe in ('Haushalt', 'Gewerbe')
                 group by 1"""),
        Question("compare", "total consumption in 2022, 2023 and 2024 side by side", rows(years),
                 """select '2022', sum(v22) from pipes union all select '2023', sum(v23) from pipes
                 union all select '2024', sum(v24) from pipes""", unit="labels_free"),
        Question("join", "Wie hoch war 2024 der Verbrauch der Gewerbekunden im Hafen?",
                 one(t.loc[(t["Kundengruppe"] == "Gewerbe") & (t["Zone"] == "Hafen"), V24].sum()),
                 "select sum(v24) from pipes where gruppe='Gewerbe' and zone='Hafen'"),
        Question("anti_join", "Welche Zone hatte 2024 überhaupt keine Störung?", several(quiet),
                 """select distinct zone from pipes where zone not in
                 (select zone from pipes where faults > 0)"""),
        Question("derived", "Störungen je 100 Anschlüsse, nach Material",
                 rows(t.groupby("Leitungsmaterial")[FAULTS].mean() * 100),
                 "select material, 100 * sum(faults) / count(*) from pipes group by 1"),
        Question("derived", "what does a cubic metre cost in effect? bill divided by consumption "
                 "2024, per customer group", rows(per_group),
                 "select gruppe, sum(betrag) / sum(v24) from pipes group by 1",
                 [rows((t[BILL] / t[V24]).groupby(t["Kundengruppe"]).mean())]),
        Question("percentile", "Median des Verbrauchs 2024 der Haushalte", one(homes[V24].median()),
                 "select median(v24) from pipes where gruppe='Haushalt'", tolerance=0.002),
        Question("percentile", "the 90 % quantile of the pressure", one(t["Druck"].quantile(0.9)),
                 "select quantile_cont(druck, 0.9) from pipes", tolerance=0.01),
        Question("distribution", "Leitungen nach Baujahr: vor 1960, 1960 bis 1990, nach 1990",
                 rows(old.value_counts()), """select case when baujahr < 1960 then 'a'
                 when baujahr <= 1990 then 'b' else 'c' end, count(*) from pipes group by 1""",
                 unit="labels_free"),
        Question("correlation", "Do older pipes have more faults? Correlation of Baujahr and "
                 "Störungen please", one(t["Baujahr Leitung"].corr(t[FAULTS])),
                 "select corr(baujahr, faults) from pipes", tolerance=0.01),
        Question("quality", "Bei wie vielen Anschlüssen fehlt der Druck (k. A.)?",
                 one(t["Druck"].isna().sum()), "select count(*) from pipes where druck is null"),
        Question("running", "bezahlte Beträge je Monat, fortlaufend aufsummiert",
                 rows(paid.cumsum()),
                 """select strftime(bezahlt, '%Y-%m') x, sum(sum(betrag)) over (order by x)
                 from pipes where bezahlt is not null group by 1"""),
        Question("multi", "Wer hat die höchste Rechnung 2024, wie hoch ist sie und in welcher Zone "
                 "liegt der Anschluss?",
                 parts(one(biggest["Kunde"]), one(biggest[BILL]), one(biggest["Zone"])),
                 ["select kunde from pipes order by betrag desc limit 1",
                  "select max(betrag) from pipes",
                  "select zone from pipes order by betrag desc limit 1"]),
        Question("wording", "wieviel anschlüse sind in bergdof",
                 one((t["Zone"] == "Bergdorf").sum()),
                 "select count(*) from pipes where zone='Bergdorf'"),
        Question("wording", "which Kundengruppe uses least water in 2024?",
                 one(groups[V24].sum().idxmin()),
                 "select gruppe from pipes group by 1 order by sum(v24) limit 1",
                 [one(groups[V24].mean().idxmin())]),
        Question("rounding", "Gesamtverbrauch 2023 in Tausend m³, eine Nachkommastelle",
                 one(round(years["2023"] / 1000, 1)), "select round(sum(v23) / 1000, 1) from pipes",
                 tolerance=0.0001),
        Question("ambiguous", "Welche Zone ist das größte Problem?",
                 asks(by_faults=("störung|stoerung|fault", one(worst)),
                      by_pressure=("druck|pressure", one(zones["Druck"].mean().idxmin())),
                      by_use=("verbrauch|consum", one(zones[V24].sum().idxmax())),
                      by_age=("baujahr|year", one(zones["Baujahr Leitung"].mean().idxmin())))),
        Question("unanswerable", "Wie hart ist das Wasser in der Altstadt?", DECLINE),
        Question("unanswerable", "how much water is lost through leaks?", DECLINE),
        Question("calendar", "Wie viele Zähler wurden 2023 eingebaut?", one((built == 2023).sum()),
                 "select count(*) from pipes where year(einbau)=2023"),
        Question("calendar", "Zählereinbau pro Quartal im Jahr 2022", rows(
            t[built == 2022].groupby(t["Einbau"].dt.quarter).size()),
                 "select quarter(einbau), count(*) from pipes where year(einbau)=2022 group by 1",
                 unit="labels_free"),
        Question("calendar", "bills paid up to the end of February 2025 and bills paid later: "
                 "count",
                 pairs({"in time": (~late & ~unpaid).sum(), "later": late.sum()}),
                 """select bezahlt > '2025-02-28', count(*) from pipes where bezahlt is not null
                 group by 1""", unit="labels_free"),
        Question("calendar", "in which month of the year are most meters installed",
                 one(month.value_counts().idxmax()),
                 "select month(einbau) from pipes group by 1 order by count(*) desc limit 1",
                 [one(t["Einbau"].dt.month_name().value_counts().idxmax())]),
    ]  # fmt: skip
