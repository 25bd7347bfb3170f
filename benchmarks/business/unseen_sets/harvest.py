"""A farm's harvest sheet: fields, loads with their yields, and what buyers paid. The sheet has a
title above the header and a total below the rows, as such sheets do."""

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
    one,
    pairs,
    parts,
    rows,
    scattered,
)

VIEWS = """
create view fields as select field, soil, cast(hectares as double) ha, lower(irrigated) = 'yes' wet,
  farmer from raw_fields;
create view loads as select cast("Year" as int) y, "Field" field, lower("Crop") crop,
  cast("Tonnes" as double) t, try_cast(replace(nullif("Moisture", '-'), '%', '') as double) / 100 m,
  cast(replace(replace("Sold for", '$', ''), ',', '') as double) sold, "Buyer" buyer,
  strptime("Harvested", '%d %b %Y') d from raw_harvest where "Field" <> 'TOTAL';
"""
CROPS = ("Wheat", "Barley", "Rapeseed", "Maize")
PRICES = {"Wheat": 214.0, "Barley": 188.0, "Rapeseed": 431.0, "Maize": 176.0}
YIELDS = {"Wheat": 7.4, "Barley": 6.6, "Rapeseed": 3.5, "Maize": 9.1}


def make() -> Made:
    dice = np.random.default_rng(904)
    fields = pd.DataFrame({
        "field": ["Long Acre", "Mill Field", "Top End", "Brook", "Fox Hill", "Six Oaks", "Stony",
                  "Church Piece", "Far Meadow"],
        "soil": ["clay", "loam", "chalk", "loam", "chalk", "clay", "sand", "loam", "sand"],
        "hectares": [14.2, 22.5, 9.8, 17.0, 12.4, 20.1, 6.3, 11.7, 8.0],
        "irrigated": ["yes", "yes", "no", "yes", "no", "no", "no", "yes", "no"],
        "farmer": ["Pat", "Pat", "Joe", "Mary", "Joe", "Mary", "Joe", "Pat", "Mary"],
    })  # fmt: skip
    found = []
    for year in range(2020, 2025):
        for at, field in fields.iloc[:8].iterrows():
            crop = CROPS[(int(at) + year) % 4]
            full = field["hectares"] * YIELDS[crop] * (1.15 if field["irrigated"] == "yes" else 1)
            full *= {2022: 0.8, 2024: 1.08}.get(year, 1.0) * dice.uniform(0.88, 1.12)
            first = pd.Timestamp(year, 10 if crop == "Maize" else 7, int(dice.integers(5, 24)))
            for load in range(int(dice.integers(3, 6))):
                tonnes = round(full / 4 * dice.uniform(0.8, 1.2), 1)
                price = PRICES[crop] * (1 + 0.05 * (year - 2020)) * dice.uniform(0.95, 1.05)
                found.append(
                    (
                        year,
                        field["field"],
                        crop,
                        tonnes,
                        round(dice.uniform(0.11, 0.19), 3),
                        round(tonnes * price, 2),
                        dice.choice(["AgriCo", "Mill & Sons", "Coop East"], p=[0.5, 0.3, 0.2]),
                        first + pd.Timedelta(days=load),
                    )
                )
    heads = ["Year", "Field", "Crop", "Tonnes", "Moisture", "Sold for", "Buyer", "Harvested"]
    loads = pd.DataFrame(found, columns=heads)
    loads.loc[scattered(dice, len(loads), 8), "Moisture"] = np.nan
    told = loads.copy()
    loud = scattered(dice, len(loads), 15)
    told.loc[loud, "Crop"] = told.loc[loud, "Crop"].str.lower()
    told["Moisture"] = [f"{100 * e:.1f}%" if e == e else "-" for e in told["Moisture"]]
    told["Sold for"] = [f"${e:,.2f}" for e in told["Sold for"]]
    told["Harvested"] = told["Harvested"].dt.strftime("%d %b %Y")
    total = {"Field": "TOTAL", "Tonnes": round(loads["Tonnes"].sum(), 1),
             "Sold for": f"${loads['Sold for'].sum():,.2f}"}  # fmt: skip
    sheet = pd.concat([told, pd.DataFrame([total])], ignore_index=True)
    sheet["Year"] = sheet["Year"].astype("Int64")
    kept = {"fields": fields, "harvest": loads}
    return Made({"fields": fields, "harvest": sheet}, questions(kept), VIEWS, write)


def write(folder: Path, name: str, tables: Frames) -> list[Path]:
    del name
    first, second = folder / "fields.csv", folder / "harvest.csv"
    tables["fields"].to_csv(first, index=False)
    sheet = tables["harvest"].to_csv(index=False)
    second.write_text(f"Harvest book of Lower Barn Farm\n\n{sheet}", encoding="utf-8")
    return [first, second]


def questions(t: Frames) -> list[Question]:
    fields, loads = t["fields"], t["harvest"]
    per = loads.merge(fields, left_on="Field", right_on="field")
    crops = loads.groupby("Crop")[["Tonnes", "Sold for"]].sum()
    years = loads.groupby("Year")[["Tonnes", "Sold for"]].sum()
    last = per[per["Year"] == 2024]
    tonnes = last.groupby("Field")["Tonnes"].sum()
    yields = tonnes / fields.set_index("field")["hectares"][tonnes.index]
    wet = per.groupby("irrigated")["Tonnes"].sum()
    area = fields[fields["field"].isin(loads["Field"])].groupby("irrigated")["hectares"].sum()
    buyers = loads.groupby("Buyer")["Sold for"].sum()
    bands = pd.cut(loads["Moisture"], [0, 0.13999, 0.16, 1], labels=["a", "b", "c"])
    best = loads.groupby("Field")["Sold for"].sum()
    month = loads["Harvested"].dt.month_name().value_counts()
    grown = years["Tonnes"].pct_change()
    third = loads.groupby(["Year", "Crop"])["Tonnes"].sum().loc[2023]
    return [
        Question("lookup", "how big is Six Oaks?", one(20.1),
                 "select ha from fields where field='Six Oaks'"),
        Question("filter_count", "loads with more than 30 tonnes - how many?",
                 one((loads["Tonnes"] > 30).sum()), "select count(*) from loads where t > 30"),
        Question("filter_count", "how many of our fields are irrigated", one(4),
                 "select count(*) from fields where wet"),
        Question("aggregate", "tonnes by crop", rows(crops["Tonnes"]),
                 "select crop, sum(t) from loads group by 1"),
        Question("aggregate", "What did we earn altogether?", one(loads["Sold for"].sum()),
                 "select sum(sold) from loads"),
        Question("topn", "which field made the most money over all the years", one(best.idxmax()),
                 "select field from loads group by 1 order by sum(sold) desc limit 1"),
        Question("topn", "biggest crop by tonnage for each farmer",
                 rows(per.groupby(["farmer", "Crop"])["Tonnes"].sum().unstack().idxmax(axis=1)),
                 """select farmer, arg_max(crop, s) from (select farmer, crop, sum(t) s from loads
                 join fields using (field) group by 1, 2) group by 1"""),
        Question("share", "AgriCo's share of our sales", one(buyers["AgriCo"] / buyers.sum()),
                 "select sum(sold) filter (buyer='AgriCo') / sum(sold) from loads", unit="share"),
        Question("share", "how is the 2023 harvest split across crops, in percent of tonnes?",
                 rows(third / third.sum()), """select crop, sum(t) / sum(sum(t)) over () from loads
                 where y = 2023 group by 1""", unit="share"),
        Question("growth", "year on year change of total tonnes in %",
                 rows(grown.dropna()),
                 """select * from (select y, sum(t) / lag(sum(t)) over (order by y) - 1 c from loads
                 group by 1) where c is not null""", [rows(grown)], unit="share"),
        Question("growth", "how much more did we take in 2024 than in 2023, in dollars",
                 one(years["Sold for"][2024] - years["Sold for"][2023]),
                 "select sum(sold) filter (y=2024) - sum(sold) filter (y=2023) from loads",
                 [one(years["Tonnes"][2024] - years["Tonnes"][2023])], unit="abs"),
        Question("compare", "wheat against barley: what was the average price per tonne?",
                 rows((crops["Sold for"] / crops["Tonnes"])[["Barley", "Wheat"]]),
                 """select crop, sum(sold) / sum(t) from loads where crop in ('wheat', 'barley')
                 group by 1""",
                 [rows((loads["Sold for"] / loads["Tonnes"]).groupby(loads["Crop"]).mean()[
                     ["Barley", "Wheat"]])], tolerance=0.005),
        Question("join", "total tonnes per soil type",
                 rows(per.groupby("soil")["Tonnes"].sum()),
                 "select soil, sum(t) from loads join fields using (field) group by 1"),
        Question("join", "How much did Mary's fields bring in in 2024?",
                 one(last.loc[last["farmer"] == "Mary", "Sold for"].sum()),
                 """select sum(sold) from loads join fields using (field)
                 where farmer='Mary' and y=2024""",
                 [one(last.loc[last["farmer"] == "Mary", "Tonnes"].sum())]),
        Question("anti_join", "is there a field we never harvested?", one("Far Meadow"),
                 "select field from fields where field not in (select field from loads)"),
        Question("derived", "yield per hectare in 2024 by field", rows(yields),
                 """select field, sum(t) / any_value(ha) from loads join fields using (field)
                 where y=2024 group by 1"""),
        Question("derived", "tonnes per ha: irrigated fields and the others", rows(wet / area),
                 """select case when wet then 'yes' else 'no' end w, sum(s) / sum(ha) from
                 (select field, any_value(wet) wet, any_value(ha) ha, sum(t) s from loads
                 join fields using (field) group by 1) group by 1""",
                 [rows(wet / fields.groupby("irrigated")["hectares"].sum()),
                  rows(wet / area / 5)], unit="labels_free"),
        Question("percentile", "median weight of a load", one(loads["Tonnes"].median()),
                 "select median(t) from loads"),
        Question("distribution", "moisture of the loads: below 14%, 14 to 16%, above 16%. counts "
                 "pls",
                 rows(bands.value_counts()), """select case when m < 0.13999 then 'a'
                 when m <= 0.16 then 'b' else 'c' end, count(*) from loads where m is not null
                 group by 1""", unit="labels_free"),
        Question("correlation", "is a wetter load worth less? correlation between moisture and "
                 "what it was sold for", one(loads["Moisture"].corr(loads["Sold for"])),
                 "select corr(m, sold) from loads", tolerance=0.01),
        Question("quality", "how many loads have no moisture reading?",
                 one(loads["Moisture"].isna().sum()), "select count(*) from loads where m is null"),
        Question("running", "accumulated sales year by year", rows(years["Sold for"].cumsum()),
                 "select y, sum(sum(sold)) over (order by y) from loads group by 1"),
        Question("multi", "who buys the most from us and how many tonnes did they take?",
                 parts(one(buyers.idxmax()),
                       one(loads.groupby("Buyer")["Tonnes"].sum()[buyers.idxmax()])),
                 ["select buyer from loads group by 1 order by sum(sold) desc limit 1",
                  "select sum(t) from loads group by buyer order by sum(sold) desc limit 1"]),
        Question("wording", "how mcuh rapseed did we get off Brook",
                 one(loads.loc[(loads["Crop"] == "Rapeseed") & (loads["Field"] == "Brook"),
                               "Tonnes"].sum()),
                 "select sum(t) from loads where crop='rapeseed' and field='Brook'"),
        Question("wording", "maize $$$ by yr",
                 rows(loads[loads["Crop"] == "Maize"].groupby("Year")["Sold for"].sum()),
                 "select y, sum(sold) from loads where crop='maize' group by 1"),
        Question("rounding", "total sales in thousand dollars without decimals",
                 one(round(loads["Sold for"].sum() / 1000)),
                 "select round(sum(sold) / 1000) from loads", tolerance=0),
        Question("ambiguous", "what's our top crop?",
                 asks(by_tonnes=("tonne", one(crops["Tonnes"].idxmax())),
                      by_money=("sold|money|sales", one(crops["Sold for"].idxmax())),
                      by_loads=("load|rows|number|count|how many", one(
                          loads["Crop"].value_counts().idxmax())))),
        Question("unanswerable", "how much fertiliser went on Fox Hill?", DECLINE),
        Question("calendar", "number of loads brought in per month (July, October, ...)",
                 rows(month), "select monthname(d), count(*) from loads group by 1",
                 unit="labels_free"),
        Question("calendar", "sales in Q3 vs Q4 2024",
                 pairs({"Q3": last.loc[last["Harvested"].dt.quarter == 3, "Sold for"].sum(),
                        "Q4": last.loc[last["Harvested"].dt.quarter == 4, "Sold for"].sum()}),
                 "select quarter(d), sum(sold) from loads where y=2024 group by 1",
                 unit="labels_free"),
    ]  # fmt: skip
