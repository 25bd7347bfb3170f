"""A parcel service: depots, couriers, and parcels with moments in local time with their zone."""

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
)

VIEWS = """
create view depots as select code, city, country, cast(docks as int) docks from raw_depots;
create view couriers as select courier_id, name, depot, vehicle from raw_couriers;
create view parcels as select distinct tracking,
  strptime(left(picked_up, 19), '%Y-%m-%dT%H:%M:%S') p,
  try_strptime(left(delivered, 19), '%Y-%m-%dT%H:%M:%S') d,
  lower(trim(service)) service, from_depot, to_depot, nullif(courier_id, '') courier,
  cast(replace(weight, ' kg', '') as double) kg,
  cast(replace(replace(price, '€', ''), ',', '.') as double) eur, lower(status) status
  from raw_parcels;
"""
DEPOTS = (
    ("HAM", "Hamburg", "DE", 12),
    ("ROT", "Rotterdam", "NL", 30),
    ("LYO", "Lyon", "FR", 14),
    ("GRZ", "Graz", "AT", 6),
    ("GDN", "Gdansk", "PL", 9),
    ("BGO", "Bergen", "NO", 4),
)
SERVICES = ("Express", "Standard", "Economy")


def make() -> Made:
    dice = np.random.default_rng(907)
    depots = pd.DataFrame(DEPOTS, columns=["code", "city", "country", "docks"])
    couriers = pd.DataFrame({
        "courier_id": [f"D{n}" for n in range(31, 51)],
        "name": ["Abel", "Bibi", "Cato", "Dina", "Egon", "Fred", "Greta", "Hugo", "Inga", "Jana",
                 "Karl", "Lena", "Mats", "Nele", "Otis", "Pia", "Quin", "Rosa", "Sven", "Tess"],
        "depot": dice.choice([e[0] for e in DEPOTS[:5]], 20),
        "vehicle": dice.choice(["van", "bike", "truck"], 20, p=[0.6, 0.2, 0.2]),
    })  # fmt: skip
    size = 1300
    picked = moments(dice, "2024-01-02", "2024-12-23", size)
    picked = picked + pd.to_timedelta(dice.integers(6 * 3600, 20 * 3600, size), "s")
    service = dice.choice(SERVICES, size, p=[0.25, 0.55, 0.2])
    took = dice.gamma(3, pd.Series(service).map({"Express": 7, "Standard": 15, "Economy": 26}))
    weight = dice.gamma(1.6, 2.6, size).round(2) + 0.1
    fee = pd.Series(service).map({"Express": 9.9, "Standard": 4.9, "Economy": 3.5})
    parcels = pd.DataFrame({
        "tracking": [f"PX{n}" for n in dice.choice(np.arange(10**7, 10**8), size, replace=False)],
        "picked_up": picked,
        "delivered": (picked + pd.to_timedelta(took * 3600, "s")).dt.floor("s"),
        "service": service,
        "from_depot": dice.choice([e[0] for e in DEPOTS[:5]], size, p=[0.3, 0.25, 0.2, 0.1, 0.15]),
        "to_depot": dice.choice([e[0] for e in DEPOTS[:5]], size, p=[0.15, 0.3, 0.25, 0.2, 0.1]),
        "courier_id": dice.choice(couriers["courier_id"][:17], size),
        "weight": weight, "price": (fee + 0.8 * weight).round(2),
        "status": "Delivered",
    })  # fmt: skip
    gone = scattered(dice, size, 60)
    parcels.loc[gone[:22], "status"] = "Lost"
    parcels.loc[gone[22:], "status"] = "In transit"
    parcels.loc[gone, "delivered"] = pd.NaT
    parcels.loc[gone[40:], "courier_id"] = np.nan
    kept: Frames = {"depots": depots, "couriers": couriers, "parcels": parcels}
    twice = pd.concat([parcels, parcels.iloc[400:416]], ignore_index=True)
    told = twice.copy()
    for each in ("picked_up", "delivered"):
        told[each] = twice[each].dt.strftime("%Y-%m-%dT%H:%M:%S+01:00")
    loud = dice.random(len(told)) < 0.1
    loud[400:416] = loud[-16:] = False
    told["service"] = told["service"].where(~loud, told["service"].str.upper())
    told["status"] = told["status"].where(~loud, told["status"].str.lower())
    told["weight"] = [f"{e:.2f} kg" for e in twice["weight"]]
    told["price"] = [f"€{e:.2f}".replace(".", ",") for e in twice["price"]]
    raw = {"depots": depots, "couriers": couriers, "parcels": told}
    return Made(raw, merged(questions(kept), questions({**kept, "parcels": twice})), VIEWS)


def questions(t: Frames) -> list[Question]:
    depots, couriers, parcels = t["depots"], t["couriers"], t["parcels"]
    city = depots.set_index("code")["city"]
    hours = (parcels["delivered"] - parcels["picked_up"]).dt.total_seconds() / 3600
    month = parcels["picked_up"].dt.strftime("%Y-%m")
    number = parcels["picked_up"].dt.month
    lost = parcels["status"] == "Lost"
    by = parcels.groupby("service")
    with_man = parcels.merge(couriers, on="courier_id")
    carried = with_man["name"].value_counts()
    start, end = parcels["from_depot"].map(city), parcels["to_depot"].map(city)
    lane = (start + " " + end).value_counts()
    bands = pd.cut(parcels["weight"], [0, 0.9999, 5, 999], labels=["a", "b", "c"])
    quarter = parcels.groupby(parcels["picked_up"].dt.quarter)["price"].sum()
    monthly = parcels.groupby(month)["price"].sum()
    busiest = parcels["picked_up"].dt.day_name().value_counts()
    swift = hours.groupby(parcels["service"]).mean()
    into = end.value_counts()
    day = hours < 24
    return [
        Question("lookup", "which depot does Hugo drive for?",
                 one(couriers.set_index("name")["depot"]["Hugo"]),
                 "select depot from couriers where name='Hugo'",
                 [one(city[couriers.set_index("name")["depot"]["Hugo"]])]),
        Question("lookup", "what's the heaviest parcel we ever moved? tracking number",
                 one(parcels.loc[parcels["weight"].idxmax(), "tracking"]),
                 "select tracking from parcels order by kg desc limit 1"),
        Question("filter_count", "how many parcels got lost?", one(lost.sum()),
                 "select count(*) from parcels where status='lost'"),
        Question("filter_count", "express parcels heavier than 10 kilos (count)",
                 one(((parcels["service"] == "Express") & (parcels["weight"] > 10)).sum()),
                 "select count(*) from parcels where service='express' and kg > 10"),
        Question("aggregate", "revenue by service", rows(by["price"].sum()),
                 "select service, sum(eur) from parcels group by 1"),
        Question("aggregate", "avg weight of parcels going to Graz",
                 one(parcels.loc[end == "Graz", "weight"].mean()),
                 "select avg(kg) from parcels join depots on to_depot=code where city='Graz'"),
        Question("topn", "top 3 couriers by parcels", rows(carried.head(3)),
                 """select name, count(*) from parcels join couriers on courier=courier_id
                 group by 1 order by 2 desc limit 3""", [several(carried.head(3).index)],
                 ordered=True),
        Question("topn", "which route from city to city is used most?",
                 one(lane.index[0]), """select a.city || ' ' || b.city from parcels
                 join depots a on from_depot=a.code join depots b on to_depot=b.code group by 1
                 order by count(*) desc limit 1"""),
        Question("share", "share of express in all shipments",
                 one((parcels["service"] == "Express").mean()),
                 "select avg((service='express')::int) from parcels",
                 [one(by["price"].sum()["Express"] / parcels["price"].sum())], unit="share"),
        Question("growth", "how much did turnover grow from Q1 to Q4 (percent)?",
                 one(quarter[4] / quarter[1] - 1), """select sum(eur) filter (quarter(p)=4)
                 / sum(eur) filter (quarter(p)=1) - 1 from parcels""", unit="share,abs"),
        Question("growth", "month over month change in number of parcels",
                 rows(month.value_counts().sort_index().diff().dropna()),
                 """select * from (select strftime(p, '%Y-%m') x, count(*) - lag(count(*))
                 over (order by strftime(p, '%Y-%m')) c from parcels group by 1)
                 where c is not null""",
                 [rows(month.value_counts().sort_index().diff()),
                  rows(month.value_counts().sort_index().pct_change()),
                  rows(month.value_counts().sort_index().pct_change().dropna())], unit="share"),
        Question("compare", "is Express really faster than Standard? mean hours from pick up to "
                 "delivery", rows(swift[["Express", "Standard"]]),
                 """select service, avg(date_diff('second', p, d) / 3600) from parcels
                 where service in ('express', 'standard') group by 1""",
                 [rows(swift[["Express", "Standard"]] / 24)], tolerance=0.01),
        Question("join", "number of parcels sent per country of the sending depot",
                 rows(parcels["from_depot"].map(depots.set_index("code")["country"])
                      .value_counts()),
                 """select country, count(*) from parcels join depots on from_depot=code
                 group by 1"""),
        Question("join", "incoming parcels by city", rows(into),
                 "select city, count(*) from parcels join depots on to_depot=code group by 1"),
        Question("anti_join", "which couriers did not carry a single parcel?",
                 several(sorted(set(couriers["name"]) - set(with_man["name"]))),
                 """select name from couriers where courier_id not in
                 (select courier from parcels where courier is not null)"""),
        Question("anti_join", "a depot that never ships anything out", several(["Bergen"]),
                 "select city from depots where code not in (select from_depot from parcels)",
                 [several(["BGO"])]),
        Question("derived", "price per kilo by service class",
                 rows(by["price"].sum() / by["weight"].sum()),
                 "select service, sum(eur) / sum(kg) from parcels group by 1",
                 [rows((parcels["price"] / parcels["weight"]).groupby(parcels["service"]).mean())]),
        Question("derived", "What's our loss rate?", one(lost.mean()),
                 "select avg((status='lost')::int) from parcels",
                 [one(lost.sum() / (lost | (parcels["status"] == "Delivered")).sum())],
                 unit="share"),
        Question("percentile", "95th percentile of weight", one(parcels["weight"].quantile(0.95)),
                 "select quantile_cont(kg, 0.95) from parcels", tolerance=0.01),
        Question("distribution", "parcels under 1 kg / 1 to 5 kg / over 5 kg, how many of each",
                 rows(bands.value_counts()), """select case when kg < 1 then 'a' when kg <= 5
                 then 'b' else 'c' end, count(*) from parcels group by 1""", unit="labels_free"),
        Question("correlation", "how strongly is price tied to weight",
                 one(parcels["price"].corr(parcels["weight"])), "select corr(eur, kg) from parcels",
                 tolerance=0.01),
        Question("quality", "any parcels with no courier on record? how many",
                 one(parcels["courier_id"].isna().sum()),
                 "select count(*) from parcels where courier is null"),
        Question("running", "revenue accumulating over the months", rows(monthly.cumsum()),
                 """select strftime(p, '%Y-%m') x, sum(sum(eur)) over (order by x) from parcels
                 group by 1"""),
        Question("running", "3-month moving average of monthly revenue",
                 rows(monthly.rolling(3).mean().dropna()), """select * from
                 (select x, case when count(*) over w = 3 then avg(s) over w end a from
                 (select strftime(p, '%Y-%m') x, sum(eur) s from parcels group by 1)
                 window w as (order by x rows 2 preceding)) where a is not null""",
                 [rows(monthly.rolling(3).mean()),
                  rows(monthly.rolling(3, min_periods=1).mean())]),
        Question("multi", "how many parcels were there in 2024, what did they bring in, and "
                 "what did they weigh in total?",
                 parts(one(len(parcels)), one(parcels["price"].sum()),
                       one(parcels["weight"].sum())),
                 ["select count(*) from parcels", "select sum(eur) from parcels",
                  "select sum(kg) from parcels"]),
        Question("wording", "hw many pkgs in transit still", one((parcels["status"] == "In transit")
                                                                 .sum()),
                 "select count(*) from parcels where status='in transit'"),
        Question("rounding", "total weight in tonnes, 2 decimals",
                 one(round(parcels["weight"].sum() / 1000, 2)),
                 "select round(sum(kg) / 1000, 2) from parcels", tolerance=0.0001),
        Question("ambiguous", "which depot is the busiest",
                 asks(sending=("from", one(parcels["from_depot"].value_counts().idxmax())),
                      receiving=("to[ _]?depot|into|incoming|receiv", one(
                          parcels["to_depot"].value_counts().idxmax())),
                      docks=("dock", one("ROT")))),
        Question("unanswerable", "how happy were recipients with delivery?", DECLINE),
        Question("unanswerable", "What did fuel for the vans cost us in March?", DECLINE),
        Question("calendar", "how many parcels did we pick up in november and december?",
                 one(number.isin([11, 12]).sum()),
                 "select count(*) from parcels where month(p) in (11, 12)"),
        Question("calendar", "busiest weekday for pickups", one(busiest.idxmax()),
                 "select dayname(p) from parcels group by 1 order by count(*) desc limit 1"),
        Question("share", "what % of delivered parcels arrived within 24 hours",
                 one(day.sum() / hours.notna().sum()), """select avg((date_diff('second', p, d)
                 < 86400)::int) from parcels where d is not null""", unit="share"),
    ]  # fmt: skip
