"""A port in one database: ships, their calls at the quays, and the containers of each call."""

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
    parts,
    rows,
    scattered,
    several,
    write_sqlite,
)

VIEWS = """
create view ships as select imo, ship_name ship, flag, shipping_line line,
  cast(length_m as double) length, cast(year_built as double)::int built from raw_ships;
create view calls as select cast(call_id as int) call, imo, quay, cast(arrival as timestamp) a,
  cast(departure as timestamp) b, date_diff('minute', cast(arrival as timestamp),
  cast(departure as timestamp)) / 60 stay,
  try_cast(nullif(draught_m, 'unknown') as double) draught,
  cast(port_fee_eur as double) fee from raw_port_calls;
create view boxes as select distinct container_no, cast(call_id as int) call,
  upper(direction) direction, cast(size_ft as int) feet,
  cast(gross_t as double) t, lower(cargo) cargo, dangerous = 'Y' danger from raw_containers;
create view moved as select * from boxes join calls using (call) join ships using (imo);
"""
NAMES = ("Aurora Bay", "Baltic Star", "Cape Lyra", "Delta Queen", "Ever North", "Fjord Trader",
         "Gulf Pearl", "Hanse Spirit", "Iberia Sun", "Jade Wind", "Kattegat", "Lagos Carrier",
         "Maren", "Nordic Ivy", "Orient Dawn", "Pacific Elk", "Quito", "Rio Verde")  # fmt: skip


def make() -> Made:
    dice = np.random.default_rng(914)
    count = len(NAMES)
    ships = pd.DataFrame({
        "imo": [f"IMO{n}" for n in dice.choice(np.arange(9_100_000, 9_900_000), count,
                                               replace=False)],
        "ship_name": NAMES,
        "flag": dice.choice(["Panama", "Liberia", "Denmark", "Malta"], count,
                            p=[0.4, 0.3, 0.2, 0.1]),
        "shipping_line": dice.choice(["Norsea", "Blue Anchor", "TransMar"], count),
        "length_m": dice.integers(120, 370, count), "year_built": dice.integers(1998, 2023, count),
    })  # fmt: skip
    ships["year_built"] = ships["year_built"].astype(float)
    ships.loc[[3, 11], "year_built"] = np.nan
    size = 260
    arrival = moments(dice, "2023-01-02", "2024-12-22", size) + pd.to_timedelta(
        dice.integers(0, 1440, size), "min"
    )
    calls = pd.DataFrame({
        "call_id": range(3001, 3001 + size), "imo": dice.choice(ships["imo"][:16], size),
        "quay": dice.choice(["North Quay", "East Quay", "Container Terminal", "Old Pier"], size,
                            p=[0.25, 0.2, 0.45, 0.1]),
        "arrival": arrival,
        "departure": arrival + pd.to_timedelta((dice.gamma(3, 420, size) + 180).round(), "min"),
        "draught_m": dice.normal(10, 2, size).round(1).clip(4),
    })  # fmt: skip
    long = dict(zip(ships["imo"], ships["length_m"], strict=True))
    calls["port_fee_eur"] = (calls["imo"].map(long) * 14.2 + dice.gamma(2, 700, size)).round(2)
    calls.loc[scattered(dice, size, 11), "draught_m"] = np.nan
    many = 1400
    boxes = pd.DataFrame({
        "container_no": [f"MSKU{n}" for n in dice.choice(np.arange(10**6, 10**7), many,
                                                         replace=False)],
        "call_id": np.sort(dice.choice(calls["call_id"][:251], many)),
        "direction": dice.choice(["IMPORT", "EXPORT"], many, p=[0.58, 0.42]),
        "size_ft": dice.choice([20, 40, 45], many, p=[0.4, 0.52, 0.08]),
        "gross_t": dice.gamma(6, 3, many).round(2) + 2.2,
        "cargo": dice.choice(["Furniture", "Fruit", "Machinery", "Textiles", "Chemicals"], many,
                             p=[0.25, 0.2, 0.25, 0.2, 0.1]),
    })  # fmt: skip
    boxes["gross_t"] = (boxes["gross_t"] + (boxes["cargo"] == "Machinery") * 4.5).round(2)
    boxes["dangerous"] = np.where(
        (boxes["cargo"] == "Chemicals") & (dice.random(many) < 0.6), "Y", "N"
    )
    kept: Frames = {"ships": ships, "port_calls": calls, "containers": boxes}
    twice = pd.concat([boxes, boxes.iloc[500:513]], ignore_index=True)
    told = twice.copy()
    low = (told.index % 11 == 0) & ~told["container_no"].isin(boxes["container_no"][500:513])
    told["direction"] = told["direction"].mask(low, told["direction"].str.title())
    visits = calls.copy()
    for each in ("arrival", "departure"):
        visits[each] = visits[each].dt.strftime("%Y-%m-%d %H:%M:%S")
    visits["draught_m"] = [f"{each}" if each == each else "unknown" for each in visits["draught_m"]]
    return Made(
        {"ships": ships, "port_calls": visits, "containers": told},
        merged(questions(kept), questions({**kept, "containers": twice})), VIEWS, write_sqlite,
    )  # fmt: skip


def questions(t: Frames) -> list[Question]:
    ships, calls, boxes = t["ships"], t["port_calls"], t["containers"]
    visits = calls.merge(ships, on="imo")
    moved = boxes.merge(calls, on="call_id").merge(ships, on="imo")
    stay = (calls["departure"] - calls["arrival"]).dt.total_seconds() / 3600
    at_quay = stay.groupby(calls["quay"])
    weight = boxes.groupby("cargo")["gross_t"].sum()
    fees = visits.groupby("shipping_line")["port_fee_eur"].sum()
    paid = visits.groupby("ship_name")["port_fee_eur"].sum().sort_values(ascending=False)
    year, month = calls["arrival"].dt.year, calls["arrival"].dt.month
    both = boxes["direction"].value_counts()
    longest = calls.loc[stay.idxmax()]
    late = visits.loc[visits["call_id"] == longest["call_id"]].iloc[0]
    months = calls[year == 2024].groupby(calls["arrival"].dt.strftime("%Y-%m")).size()
    span = pd.cut(stay, [0, 11.9999, 24, 10**4], labels=["a", "b", "c"])
    hours = calls["arrival"].dt.hour
    quarters = moved.loc[moved["arrival"].dt.year == 2024].groupby(
        moved["arrival"].dt.quarter)["gross_t"].sum()  # fmt: skip
    imports = moved[moved["direction"] == "IMPORT"]
    lines = moved.groupby("shipping_line").agg(t=("gross_t", "sum"), n=("call_id", "nunique"))
    teu = moved["size_ft"].map({20: 1, 40: 2, 45: 2.25})
    return [
        Question("lookup", "Under which flag does the Cape Lyra sail?",
                 one(ships.set_index("ship_name")["flag"]["Cape Lyra"]),
                 "select flag from ships where ship='Cape Lyra'"),
        Question("lookup", "pls tell me length of the Maren in meter",
                 one(ships.set_index("ship_name")["length_m"]["Maren"]),
                 "select length from ships where ship='Maren'"),
        Question("filter_count", "how many dangerous boxes were imported?",
                 one(((boxes["dangerous"] == "Y") & (boxes["direction"] == "IMPORT")).sum()),
                 "select count(*) from boxes where danger and direction='IMPORT'"),
        Question("filter_count", "Count the calls with a draught deeper than 12 m.",
                 one((calls["draught_m"] > 12).sum()),
                 "select count(*) from calls where draught > 12"),
        Question("aggregate", "tons per kind of cargo", rows(weight),
                 "select cargo, sum(t) from boxes group by 1"),
        Question("aggregate", "port fees 2024, grand total",
                 one(calls.loc[year == 2024, "port_fee_eur"].sum()),
                 "select sum(fee) from calls where year(a)=2024"),
        Question("topn", "Which 3 vessels paid us the most fees? amounts too", rows(paid.head(3)),
                 """select ship, sum(fee) from calls join ships using (imo) group by 1
                 order by 2 desc limit 3""", ordered=True),
        Question("topn", "heaviest container we ever handled (number)",
                 one(boxes.loc[boxes["gross_t"].idxmax(), "container_no"]),
                 "select container_no from boxes order by t desc limit 1"),
        Question("share", "what per cent of the containers go out (export)?",
                 one(both["EXPORT"] / len(boxes)),
                 "select avg((direction='EXPORT')::int) from boxes", unit="share"),
        Question("share", "Distribution of port fees over shipping lines, in percent of the total",
                 rows(fees / fees.sum()),
                 """select line, sum(fee) / (select sum(fee) from calls) from calls
                 join ships using (imo) group by 1""", unit="share"),
        Question("growth", "number of calls: growth 2023 to 2024 in percent",
                 one((year == 2024).sum() / (year == 2023).sum() - 1),
                 """select count(*) filter (year(a)=2024) / count(*) filter (year(a)=2023) - 1
                 from calls""", unit="share,abs"),
        Question("compare", "import or export - which side is heavier per box on average?",
                 rows(boxes.groupby("direction")["gross_t"].mean()),
                 "select direction, avg(t) from boxes group by 1",
                 [one(boxes.groupby("direction")["gross_t"].mean().idxmax())]),
        Question("compare", "North Quay versus Old Pier, mean time alongside in hours",
                 rows(at_quay.mean()[["North Quay", "Old Pier"]]),
                 """select quay, avg(stay) from calls where quay in ('North Quay', 'Old Pier')
                 group by 1"""),
        Question("join", "containers handled per flag", rows(moved["flag"].value_counts()),
                 "select flag, count(*) from moved group by 1"),
        Question("join", "How many tonnes of fruit did Norsea ships bring in (imports only)?",
                 one(imports.loc[(imports["cargo"] == "Fruit")
                                 & (imports["shipping_line"] == "Norsea"), "gross_t"].sum()),
                 """select sum(t) from moved where direction='IMPORT' and cargo='fruit'
                 and line='Norsea'"""),
        Question("anti_join", "ships in the register which have not called here",
                 several(ships.loc[~ships["imo"].isin(calls["imo"]), "ship_name"]),
                 "select ship from ships where imo not in (select imo from calls)"),
        Question("anti_join", "how many calls were there without a single container?",
                 one((~calls["call_id"].isin(boxes["call_id"])).sum()),
                 "select count(*) from calls where call not in (select call from boxes)"),
        Question("derived", "average number of containers per call for every line",
                 rows(moved.groupby("shipping_line").size()
                      / visits["shipping_line"].value_counts()),
                 """select line, count(container_no) / count(distinct call) from calls
                 join ships using (imo) left join boxes using (call) group by 1""",
                 [rows(moved.groupby("shipping_line").size() / lines["n"])]),
        Question("derived", "volume in TEU by quay - a 20 ft box is 1, 40 ft is 2, 45 ft is 2.25",
                 rows(teu.groupby(moved["quay"]).sum()),
                 """select quay, sum(case feet when 20 then 1 when 40 then 2 else 2.25 end)
                 from moved group by 1"""),
        Question("percentile", "What is the 80th percentile of the time in port, in hours?",
                 one(stay.quantile(0.8)), "select quantile_cont(stay, 0.8) from calls",
                 tolerance=0.01),
        Question("distribution", "split calls by stay: less than 12 hours / 12-24 hours / more",
                 rows(span.value_counts()), """select case when stay < 12 then 'a'
                 when stay <= 24 then 'b' else 'c' end, count(*) from calls group by 1""",
                 unit="labels_free"),
        Question("distribution", "How many containers of each size do we have?",
                 rows(boxes["size_ft"].value_counts()),
                 "select feet, count(*) from boxes group by 1"),
        Question("correlation", "length of ship vs fee: is there correlation",
                 one(visits["length_m"].corr(visits["port_fee_eur"])),
                 "select corr(length, fee) from calls join ships using (imo)", tolerance=0.01),
        Question("quality", "Calls where the draught is unknown, how many please?",
                 one(calls["draught_m"].isna().sum()),
                 "select count(*) from calls where draught is null"),
        Question("quality", "which vessels have no build year recorded",
                 several(ships.loc[ships["year_built"].isna(), "ship_name"]),
                 "select ship from ships where built is null"),
        Question("running", "Show calls by month of 2024 and the total so far",
                 rows(months.cumsum()),
                 """select strftime(a, '%Y-%m') x, sum(count(*)) over (order by x) from calls
                 where year(a)=2024 group by 1"""),
        Question("multi", "for the longest stay in port: what ship was it, which quay, and what "
                 "fee?",
                 parts(one(late["ship_name"]), one(late["quay"]), one(late["port_fee_eur"])),
                 ["select ship from calls join ships using (imo) order by stay desc limit 1",
                  "select quay from calls order by stay desc limit 1",
                  "select fee from calls order by stay desc limit 1"]),
        Question("wording", "contaners with mashinery, how meny", one(
            (boxes["cargo"] == "Machinery").sum()),
                 "select count(*) from boxes where cargo='machinery'"),
        Question("wording", "blue anchor: # of ships on our books",
                 one((ships["shipping_line"] == "Blue Anchor").sum()),
                 "select count(*) from ships where line='Blue Anchor'"),
        Question("rounding", "average weight per container in t, one digit after the point",
                 one(round(boxes["gross_t"].mean(), 1)), "select round(avg(t), 1) from boxes",
                 tolerance=0.0001),
        Question("ambiguous", "what's our most important shipping line?",
                 asks(by_fees=("fee", one(fees.idxmax())),
                      by_calls=("call|number|count|visit", one(
                          visits["shipping_line"].value_counts().idxmax())),
                      by_weight=("gross|weight|ton|_t\\b", one(lines["t"].idxmax())),
                      by_containers=("container", one(
                          moved["shipping_line"].value_counts().idxmax())))),
        Question("unanswerable", "how much fuel did the Kattegat bunker here?", DECLINE),
        Question("unanswerable", "Who was the pilot on call 3017", DECLINE),
        Question("calendar", "between which hours is it busiest? give the arrival hour with most "
                 "calls", one(hours.value_counts().idxmax()),
                 "select hour(a) from calls group by 1 order by count(*) desc limit 1"),
        Question("calendar", "Tonnage per quarter for 2024", rows(quarters),
                 "select quarter(a), sum(t) from moved where year(a)=2024 group by 1",
                 unit="labels_free"),
        Question("calendar", "how many ships came in over the summer months June, July and August "
                 "2024?", one(((year == 2024) & month.isin([6, 7, 8])).sum()),
                 "select count(*) from calls where year(a)=2024 and month(a) in (6, 7, 8)",
                 [one(calls.loc[(year == 2024) & month.isin([6, 7, 8]), "imo"].nunique())]),
    ]  # fmt: skip
