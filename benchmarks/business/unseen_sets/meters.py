"""An energy supplier: customers, tariffs, monthly meter readings, and outages told in UTC."""

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
create view customers as select account, customer, district, tariff, meter_no,
  strptime(contract_start, '%b %d, %Y') since,
  case when lower(solar) in ('y', 'yes') then 'yes' else 'no' end solar from raw_customers;
create view tariffs as select tariff, cast(ct_per_kwh as double) ct,
  cast(replace(base_fee, ' EUR/month', '') as double) fee from raw_tariffs;
create view readings as select distinct meter_no, strptime(month || '-01', '%Y-%m-%d') d,
  nullif(cast(kwh as double), -1) kwh, lower(estimated) = 'true' guess from raw_readings;
create view outages as select cast(outage_no as int) no, district,
  strptime(started, '%Y-%m-%dT%H:%M:%SZ') s, cast(minutes as int) mins, cause,
  try_cast(households as int) hh from raw_outages;
create view used as select * from readings join customers using (meter_no)
  join tariffs using (tariff);
"""


def make() -> Made:
    dice = np.random.default_rng(905)
    tariffs = pd.DataFrame({
        "tariff": ["Basic", "Green Plus", "Night Saver", "Heat Pump"],
        "ct_per_kwh": [31.5, 33.9, 27.2, 24.8], "base_fee": [9.9, 11.5, 12.9, 14.0],
    })  # fmt: skip
    count = 90
    customers = pd.DataFrame({
        "account": [f"C-{n}" for n in range(7001, 7001 + count)],
        "customer": [f"{a} {b}" for a, b in zip(
            dice.choice(["Amy", "Bob", "Cem", "Dot", "Eli", "Fay"], count),
            [f"{last}{n}" for n, last in enumerate(dice.choice(["Ash", "Birk", "Cole"], count))],
            strict=True)],
        "district": dice.choice(["Harbour", "Hillside", "Centre", "Airport"], count,
                                p=[0.3, 0.25, 0.35, 0.1]),
        "tariff": dice.choice(tariffs["tariff"][:3], count, p=[0.5, 0.3, 0.2]),
        "meter_no": dice.choice(np.arange(100_000, 999_999), count, replace=False),
        "contract_start": moments(dice, "2015-02-01", "2023-12-01", count),
        "solar": dice.choice(["yes", "no"], count, p=[0.3, 0.7]),
    })  # fmt: skip
    months = pd.date_range("2023-01-01", "2024-12-01", freq="MS")
    base = dict(zip(customers["meter_no"], dice.gamma(6, 45, count), strict=True))
    sun = dict(zip(customers["meter_no"], customers["solar"] == "yes", strict=True))
    readings = pd.DataFrame(
        [(meter, month, round(base[meter] * (1 + 0.35 * np.cos((month.month - 1) / 6 * np.pi))
          * (0.7 if sun[meter] else 1) * (0.94 if month.year == 2024 else 1)
          * dice.uniform(0.85, 1.15), 1), bool(dice.random() < 0.12))
         for meter in customers["meter_no"][:86] for month in months],
        columns=["meter_no", "month", "kwh", "estimated"],
    )  # fmt: skip
    readings.loc[scattered(dice, len(readings), 27), "kwh"] = np.nan
    outages = pd.DataFrame(
        {
            "outage_no": range(1, 64),
            "district": dice.choice(["Harbour", "Hillside", "Centre"], 63, p=[0.5, 0.3, 0.2]),
            "started": moments(dice, "2023-01-05", "2024-12-20", 63)
            + pd.to_timedelta(dice.integers(0, 86_400, 63), "s"),
            "minutes": dice.gamma(1.5, 50, 63).round().astype(int) + 2,
            "cause": dice.choice(
                ["storm", "digger", "overload", "animal"], 63, p=[0.4, 0.3, 0.2, 0.1]
            ),
            "households": dice.integers(12, 2400, 63).astype(float),
        }
    )
    outages.loc[[5, 19, 44], "households"] = np.nan
    kept: Frames = {"customers": customers, "tariffs": tariffs, "readings": readings,
                    "outages": outages}  # fmt: skip
    twice = pd.concat([readings, readings.iloc[700:711]], ignore_index=True)
    told = twice.assign(month=twice["month"].dt.strftime("%Y-%m"), kwh=twice["kwh"].fillna(-1))
    people = customers.copy()
    people["contract_start"] = people["contract_start"].dt.strftime("%b %d, %Y")
    people.loc[people.index % 5 == 0, "solar"] = people["solar"].str[0].str.upper()
    raw = {
        "customers": people, "readings": told,
        "tariffs": tariffs.assign(base_fee=[f"{e:.2f} EUR/month" for e in tariffs["base_fee"]]),
        "outages": outages.assign(started=outages["started"].dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
                                  households=outages["households"].astype("Int64")),
    }  # fmt: skip
    return Made(raw, merged(questions(kept), questions({**kept, "readings": twice})), VIEWS)


def questions(t: Frames) -> list[Question]:
    customers, tariffs, readings, out = t["customers"], t["tariffs"], t["readings"], t["outages"]
    used = readings.merge(customers, on="meter_no").merge(tariffs, on="tariff")
    year = used["month"].dt.year
    by_month = used[year == 2024].groupby(used["month"].dt.strftime("%Y-%m"))["kwh"].sum()
    energy = used["kwh"] * used["ct_per_kwh"] / 100
    heavy = used[year == 2024].groupby("customer")["kwh"].sum().sort_values(ascending=False)
    names = customers["tariff"].value_counts()
    worst = out.loc[out["minutes"].idxmax()]
    minutes = out.groupby("district")["minutes"].sum().sort_values(ascending=False)
    hours = out["started"].dt.hour
    solar = used.groupby("solar")["kwh"].mean()
    total = used.groupby(year)["kwh"].sum()
    lasting = pd.cut(out["minutes"], [0, 29, 60, 9999], labels=["a", "b", "c"])
    lost = (out["minutes"] * out["households"]).groupby(out["district"]).sum()
    winter = used["month"].dt.month.isin([12, 1, 2])
    per_meter = used[year == 2024].groupby("meter_no")["kwh"].sum()
    quarter = used[year == 2024].groupby(used["month"].dt.to_period("Q").astype(str))["kwh"].sum()
    return [
        Question("lookup", "which tariff is C-7033 on", one(customers["tariff"][32]),
                 "select tariff from customers where account='C-7033'"),
        Question("lookup", "What does a kWh cost with Night Saver, in cents?", one(27.2),
                 "select ct from tariffs where tariff='Night Saver'"),
        Question("filter_count", "power cuts caused by storms that lasted over an hour, how many?",
                 one(((out["cause"] == "storm") & (out["minutes"] > 60)).sum()),
                 "select count(*) from outages where cause='storm' and mins > 60"),
        Question("filter_count", "how many customers have solar panels?",
                 one((customers["solar"] == "yes").sum()),
                 "select count(*) from customers where solar='yes'"),
        Question("aggregate", "consumption by district in 2024",
                 rows(used[year == 2024].groupby("district")["kwh"].sum()),
                 "select district, sum(kwh) from used where year(d)=2024 group by 1"),
        Question("aggregate", "Average length of an outage?", one(out["minutes"].mean()),
                 "select avg(mins) from outages"),
        Question("topn", "our five biggest consumers in 2024", rows(heavy.head(5)),
                 """select customer, sum(kwh) from used where year(d)=2024 group by 1
                 order by 2 desc nulls last limit 5""", [several(heavy.head(5).index)],
                 ordered=True),
        Question("topn", "district with the second most outage minutes", one(minutes.index[1]),
                 """select district from outages group by 1 order by sum(mins) desc
                 limit 1 offset 1"""),
        Question("share", "how many percent of readings were estimated",
                 one(readings["estimated"].mean()), "select avg(guess::int) from readings",
                 unit="share"),
        Question("growth", "has total usage fallen from 2023 to 2024, and by what percentage?",
                 one(total[2024] / total[2023] - 1),
                 """select sum(kwh) filter (year(d)=2024) / sum(kwh) filter (year(d)=2023) - 1
                 from readings""", unit="share,abs"),
        Question("compare", "average monthly kWh: homes with solar and homes without",
                 rows(solar), "select solar, avg(kwh) from used group by 1", unit="labels_free"),
        Question("join", "kwh used per tariff", rows(used.groupby("tariff")["kwh"].sum()),
                 "select tariff, sum(kwh) from used group by 1"),
        Question("anti_join", "tariffs nobody has signed up for", several(["Heat Pump"]),
                 "select tariff from tariffs where tariff not in (select tariff from customers)"),
        Question("anti_join", "how many customers have never sent a reading",
                 one((~customers["meter_no"].isin(readings["meter_no"])).sum()),
                 """select count(*) from customers where meter_no not in
                 (select meter_no from readings)"""),
        Question("derived", "energy revenue (kWh times price) in euros, by tariff",
                 rows(energy.groupby(used["tariff"]).sum()),
                 "select tariff, sum(kwh * ct / 100) from used group by 1",
                 [rows((energy * 100).groupby(used["tariff"]).sum())]),
        Question("derived", "customer minutes lost per district (minutes x households)",
                 rows(lost), "select district, sum(mins * hh) from outages group by 1"),
        Question("percentile", "what's the 75th percentile of annual consumption per meter, 2024",
                 one(per_meter.quantile(0.75)), """select quantile_cont(s, 0.75) from
                 (select sum(kwh) s from used where year(d)=2024 group by meter_no)""",
                 tolerance=0.01),
        Question("distribution", "how many outages were shorter than half an hour, 30-60 min, "
                 "longer",
                 rows(lasting.value_counts()), """select case when mins < 30 then 'a'
                 when mins <= 60 then 'b' else 'c' end, count(*) from outages group by 1""",
                 unit="labels_free"),
        Question("correlation", "is there a link between how long an outage lasts and how many "
                 "households it hits?", one(out["minutes"].corr(out["households"])),
                 "select corr(mins, hh) from outages", tolerance=0.01),
        Question("quality", "how many meter readings are missing (-1)?",
                 one(readings["kwh"].isna().sum()),
                 "select count(*) from readings where kwh is null"),
        Question("running", "running total of kWh over the months of 2024", rows(by_month.cumsum()),
                 """select strftime(d, '%Y-%m') x, sum(sum(kwh)) over (order by x) from used
                 where year(d)=2024 group by 1"""),
        Question("multi", "When was our longest outage, where, and what caused it?",
                 parts(one(str(worst["started"])), one(worst["district"]), one(worst["cause"])),
                 ["select s from outages order by mins desc limit 1",
                  "select district from outages order by mins desc limit 1",
                  "select cause from outages order by mins desc limit 1"]),
        Question("wording", "cusotmers per tarif pls", rows(names),
                 "select tariff, count(*) from customers group by 1",
                 [rows(names.reindex(tariffs["tariff"]).fillna(0))]),
        Question("rounding", "2024 consumption in MWh, one decimal (1 MWh = 1000 kWh)",
                 one(round(total[2024] / 1000, 1)),
                 "select round(sum(kwh) / 1000, 1) from readings where year(d)=2024",
                 tolerance=0.0001),
        Question("ambiguous", "which district has the biggest outage problem?",
                 asks(by_number=("number|count|how many|rows", one(
                          out["district"].value_counts().idxmax())),
                      by_minutes=("minute|duration|long", one(minutes.index[0])),
                      by_households=("household", one(
                          out.groupby("district")["households"].sum().idxmax())))),
        Question("unanswerable", "how much CO2 did our customers save with solar", DECLINE),
        Question("unanswerable", "What's the phone number of the customer with the highest usage?",
                 DECLINE),
        Question("calendar", "winter (Dec, Jan, Feb) average kWh per reading against the rest",
                 pairs({"winter": used.loc[winter, "kwh"].mean(),
                        "rest": used.loc[~winter, "kwh"].mean()}),
                 "select month(d) in (12, 1, 2), avg(kwh) from used group by 1",
                 unit="labels_free"),
        Question("calendar", "At what hour do most outages begin?",
                 one(hours.value_counts().idxmax()),
                 "select hour(s) from outages group by 1 order by count(*) desc limit 1"),
        Question("calendar", "quarterly consumption 2024", rows(quarter),
                 """select year(d) || 'Q' || quarter(d), sum(kwh) from used where year(d)=2024
                 group by 1""", unit="labels_free"),
    ]  # fmt: skip
