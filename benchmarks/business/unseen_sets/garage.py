"""A car workshop: who works there, the jobs on customers' cars, and the parts that went in."""

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
create view mechanics as select mech, name, level, cast(hourly_rate as double) rate,
  cast(hired as date) hired from raw_mechanics;
create view jobs as select distinct cast(job_id as int) id, plate,
  case lower(trim(make)) when 'volkswagen' then 'Volkswagen' else trim(make) end make,
  cast(replace(replace(mileage, ' km', ''), ',', '') as int) km, mech, job_type,
  strptime(date_in, '%m/%d/%Y') i, try_strptime(nullif(date_out, '-'), '%m/%d/%Y') o,
  cast(labour_h as double) lab, cast(replace(replace(invoice, '$', ''), ',', '') as double) bill,
  lower(warranty) in ('true', '1') warranty from raw_jobs;
create view parts as select part_no, part, supplier, cast(unit_price as double) price,
  cast(stock as int) stock, cast(min_stock as int) least from raw_parts;
create view used as select cast(job_id as int) id, part_no, cast(qty as int) qty
  from raw_parts_used;
"""
MAKES = ("Volkswagen", "Toyota", "Ford", "Skoda", "Volvo")
TYPES = ("Inspection", "Brakes", "Tyre change", "Exhaust", "Electrics")
PARTS = (
    "Brake pad",
    "Brake disc",
    "Oil filter",
    "Air filter",
    "Spark plug",
    "Battery",
    "Wiper blade",
    "Headlamp bulb",
    "Timing belt",
    "Clutch kit",
    "Exhaust pipe",
    "Shock absorber",
)


def make() -> Made:
    dice = np.random.default_rng(912)
    mechanics = pd.DataFrame({
        "mech": ["K1", "K2", "K3", "K4", "K5", "K6", "K7"],
        "name": ["Rosa Lind", "Bert Hanke", "Ali Demir", "Jo Park", "Sven Moe", "Eva Novak",
                 "Max Ott"],
        "level": ["Master", "Senior", "Senior", "Junior", "Junior", "Junior", "Apprentice"],
        "hourly_rate": [118.0, 96.0, 94.5, 79.0, 77.5, 78.0, 52.0],
        "hired": ["2009-04-01", "2013-09-15", "2016-02-01", "2019-07-01", "2021-03-01",
                  "2022-10-15", "2024-08-01"],
    })  # fmt: skip
    goods = pd.DataFrame({
        "part_no": [f"PN-{n}" for n in range(110, 122)], "part": PARTS,
        "supplier": dice.choice(["Bolten", "Autozeug", "Hexa Parts"], 12, p=[0.4, 0.35, 0.25]),
        "unit_price": [34.5, 61.0, 9.9, 14.2, 7.8, 129.0, 11.5, 6.4, 88.0, 310.0, 145.0, 97.5],
        "stock": dice.integers(0, 40, 12), "min_stock": dice.integers(5, 15, 12),
    })  # fmt: skip
    size = 760
    first = moments(dice, "2023-01-03", "2024-12-16", size)
    kind = dice.choice(TYPES, size, p=[0.35, 0.2, 0.25, 0.08, 0.12])
    jobs = pd.DataFrame({
        "job_id": range(8001, 8001 + size),
        "plate": [f"KX-{n}" for n in dice.integers(100, 390, size)],
        "make": dice.choice(MAKES, size, p=[0.35, 0.2, 0.2, 0.15, 0.1]),
        "mileage": dice.gamma(4, 24_000, size).round().astype(int) + 900,
        "mech": dice.choice(mechanics["mech"][:6], size, p=[0.1, 0.24, 0.2, 0.16, 0.18, 0.12]),
        "job_type": kind, "date_in": first,
        "date_out": first + pd.to_timedelta(dice.poisson(1.6, size), "D"),
        "labour_h": dice.gamma(3, 0.8, size).round(1).clip(0.3),
    })  # fmt: skip
    jobs.loc[scattered(dice, size, 14), "date_out"] = pd.NaT
    wage = jobs["mech"].map(dict(zip(mechanics["mech"], mechanics["hourly_rate"], strict=True)))
    jobs["invoice"] = (jobs["labour_h"] * wage + dice.gamma(1.5, 130, size)).round(2)
    jobs["warranty"] = dice.random(size) < 0.09
    used = pd.DataFrame({
        "job_id": np.sort(dice.choice(jobs["job_id"], 900)),
        "part_no": dice.choice(goods["part_no"][:11], 900), "qty": dice.integers(1, 5, 900),
    }).drop_duplicates(["job_id", "part_no"]).reset_index(drop=True)  # fmt: skip
    kept: Frames = {"mechanics": mechanics, "jobs": jobs, "parts": goods, "parts_used": used}
    twice = pd.concat([jobs, jobs.iloc[90:98]], ignore_index=True)
    told = twice.copy()
    loud = dice.random(size) < 0.2
    short = told["job_id"].isin(jobs.loc[loud, "job_id"]) & (told["make"] == "Volkswagen")
    told["make"] = told["make"].mask(short, "volkswagen ")
    told["mileage"] = [f"{each:,} km" for each in told["mileage"]]
    told["invoice"] = [f"${each:,.2f}" for each in told["invoice"]]
    told["date_in"] = told["date_in"].dt.strftime("%m/%d/%Y")
    told["date_out"] = told["date_out"].dt.strftime("%m/%d/%Y").fillna("-")
    return Made(
        {**kept, "jobs": told}, merged(questions(kept), questions({**kept, "jobs": twice})), VIEWS
    )


def questions(t: Frames) -> list[Question]:
    mechanics, jobs, goods, used = t["mechanics"], t["jobs"], t["parts"], t["parts_used"]
    done = jobs.merge(mechanics, on="mech")
    fitted = used.merge(goods, on="part_no").merge(jobs, on="job_id")
    cost = fitted["qty"] * fitted["unit_price"]
    year, kinds = jobs["date_in"].dt.year, jobs.groupby("job_type")
    stay = (jobs["date_out"] - jobs["date_in"]).dt.days
    open_jobs = jobs["date_out"].isna()
    earned = done.groupby("name")["invoice"].sum().sort_values(ascending=False)
    pieces = fitted.groupby("part")["qty"].sum().sort_values(ascending=False)
    makes = jobs["make"].value_counts()
    hours = done.groupby("name")["labour_h"].sum()
    sums = jobs.groupby(year)["invoice"].sum()
    months = jobs[year == 2023].groupby(jobs["date_in"].dt.strftime("%Y-%m"))["invoice"].sum()
    dearest = jobs.loc[jobs["invoice"].idxmax()]
    age = pd.cut(jobs["mileage"], [0, 49_999, 100_000, 10**7], labels=["a", "b", "c"])
    quarter = jobs.loc[year == 2024].groupby(jobs["date_in"].dt.quarter)["invoice"].sum()
    in_month = jobs["date_in"].dt.month
    idle = goods.loc[~goods["part_no"].isin(used["part_no"])]
    per_hour = kinds[["invoice", "labour_h"]].sum()
    return [
        Question("lookup", "Who's our supplier for clutch kits?",
                 one(goods.set_index("part")["supplier"]["Clutch kit"]),
                 "select supplier from parts where part='Clutch kit'"),
        Question("lookup", "what do we charge per hour for Ali Demir", one(94.5),
                 "select rate from mechanics where name='Ali Demir'"),
        Question("filter_count", "count of jobs above 1,000 dollars",
                 one((jobs["invoice"] > 1000).sum()),
                 "select count(*) from jobs where bill > 1000"),
        Question("filter_count", "how many cars are still with us? (no date out)",
                 one(open_jobs.sum()), "select count(*) from jobs where o is null"),
        Question("aggregate", "Invoice total by job type", rows(kinds["invoice"].sum()),
                 "select job_type, sum(bill) from jobs group by 1"),
        Question("aggregate", "whats the mean mileage of Toyotas coming in?",
                 one(jobs.loc[jobs["make"] == "Toyota", "mileage"].mean()),
                 "select avg(km) from jobs where make='Toyota'"),
        Question("topn", "best 3 mechanics by invoiced money", rows(earned.head(3)),
                 """select name, sum(bill) from jobs join mechanics using (mech) group by 1
                 order by 2 desc limit 3""", [several(earned.head(3).index)], ordered=True),
        Question("topn", "Which five parts do we go through fastest (pieces used)?",
                 rows(pieces.head(5)), """select part, sum(qty) from used join parts using (part_no)
                 join jobs using (id) group by 1 order by 2 desc limit 5""",
                 [several(pieces.head(5).index)], ordered=True),
        Question("share", "warranty jobs as a percentage of all jobs",
                 one(jobs["warranty"].mean()), "select avg(warranty::int) from jobs",
                 unit="share"),
        Question("share", "How does the number of jobs divide among the car makes, in per cent?",
                 rows(makes / len(jobs)),
                 "select make, count(*) / (select count(*) from jobs) from jobs group by 1",
                 unit="share"),
        Question("growth", "did we invoice more in 2024 than the year before? by what %?",
                 one(sums[2024] / sums[2023] - 1),
                 """select sum(bill) filter (year(i)=2024) / sum(bill) filter (year(i)=2023) - 1
                 from jobs""", unit="share,abs"),
        Question("compare", "Ford against Skoda: average bill",
                 rows(jobs.groupby("make")["invoice"].mean()[["Ford", "Skoda"]]),
                 "select make, avg(bill) from jobs where make in ('Ford', 'Skoda') group by 1"),
        Question("compare", "do juniors take longer per job than seniors?",
                 rows(done.groupby("level")["labour_h"].mean()[["Junior", "Senior"]]),
                 """select level, avg(lab) from jobs join mechanics using (mech)
                 where level in ('Junior', 'Senior') group by 1"""),
        Question("join", "labour hours per mechanic, with their names please", rows(hours),
                 "select name, sum(lab) from jobs join mechanics using (mech) group by 1"),
        Question("join", "Which supplier delivers most of the pieces we fit?",
                 one(fitted.groupby("supplier")["qty"].sum().idxmax()),
                 """select supplier from used join parts using (part_no) join jobs using (id)
                 group by 1 order by sum(qty) desc limit 1"""),
        Question("anti_join", "is there a part which was not used in any job?",
                 several(idle["part"]),
                 "select part from parts where part_no not in (select part_no from used)"),
        Question("anti_join", "Mechanics with no job yet", several(["Max Ott"]),
                 "select name from mechanics where mech not in (select mech from jobs)"),
        Question("derived", "how much do we spend on parts per make (qty x unit price)?",
                 rows(cost.groupby(fitted["make"]).sum()),
                 """select make, sum(qty * price) from used join parts using (part_no)
                 join jobs using (id) group by 1"""),
        Question("derived", "invoice amount per labour hour for every job type",
                 rows(per_hour["invoice"] / per_hour["labour_h"]),
                 "select job_type, sum(bill) / sum(lab) from jobs group by 1",
                 [rows((jobs["invoice"] / jobs["labour_h"]).groupby(jobs["job_type"]).mean())]),
        Question("derived", "How many days is a car in the shop on average?", one(stay.mean()),
                 "select avg(date_diff('day', i, o)) from jobs"),
        Question("percentile", "95th percentile for labour hours",
                 one(jobs["labour_h"].quantile(0.95)),
                 "select quantile_cont(lab, 0.95) from jobs", tolerance=0.01),
        Question("distribution", "jobs by mileage class: up to 50k, 50k-100k, over 100k",
                 rows(age.value_counts()), """select case when km < 50000 then 'a'
                 when km <= 100000 then 'b' else 'c' end, count(*) from jobs group by 1""",
                 unit="labels_free"),
        Question("correlation", "Does the bill climb with the mileage? I want the correlation.",
                 one(jobs["invoice"].corr(jobs["mileage"])), "select corr(bill, km) from jobs",
                 tolerance=0.01),
        Question("quality", "how many job lines do we have twice in the file?", one(8),
                 "select (select count(*) from raw_jobs) - (select count(*) from jobs)"),
        Question("running", "invoices 2023, month after month, added up as we go",
                 rows(months.cumsum()),
                 """select strftime(i, '%Y-%m') x, sum(sum(bill)) over (order by x) from jobs
                 where year(i)=2023 group by 1"""),
        Question("multi", "What was the most expensive job, on which plate, and who did it?",
                 parts(one(dearest["job_id"]), one(dearest["plate"]),
                       one(mechanics.set_index("mech")["name"][dearest["mech"]])),
                 ["select id from jobs order by bill desc limit 1",
                  "select plate from jobs order by bill desc limit 1",
                  """select name from jobs join mechanics using (mech)
                  order by bill desc limit 1"""]),
        Question("wording", "nr of brake jobs for volkswagens", one(
            ((jobs["make"] == "Volkswagen") & (jobs["job_type"] == "Brakes")).sum()),
                 "select count(*) from jobs where make='Volkswagen' and job_type='Brakes'"),
        Question("wording", "wich parts are beneath there minimum stok",
                 several(goods.loc[goods["stock"] < goods["min_stock"], "part"]),
                 "select part from parts where stock < least"),
        Question("rounding", "average invoice, rounded to the nearest ten dollars",
                 one(round(jobs["invoice"].mean(), -1)), "select round(avg(bill), -1) from jobs",
                 tolerance=0.0001),
        Question("ambiguous", "who is our top mechanic?",
                 asks(by_invoice=("invoice|revenue|money|bill", one(earned.idxmax())),
                      by_jobs=("job|number|count", one(done["name"].value_counts().idxmax())),
                      by_hours=("hour|labour", one(hours.idxmax())))),
        Question("unanswerable", "What rating did customers give Jo Park?", DECLINE),
        Question("calendar", "first quarter 2024 against fourth quarter 2024: what was invoiced?",
                 pairs({"Q1": quarter[1], "Q4": quarter[4]}),
                 """select quarter(i), sum(bill) from jobs where year(i)=2024
                 and quarter(i) in (1, 4) group by 1""", unit="labels_free"),
        Question("calendar", "how many tyre changes in October and November, both years together",
                 one(((jobs["job_type"] == "Tyre change") & in_month.isin([10, 11])).sum()),
                 """select count(*) from jobs where job_type='Tyre change'
                 and month(i) in (10, 11)"""),
    ]  # fmt: skip
