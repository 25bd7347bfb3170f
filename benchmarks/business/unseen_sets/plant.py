"""A factory: machines, what they made in each shift, and when they stood still."""

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
create view machines as select machine_id, line, vendor, cast(built as int) built from raw_machines;
create view made as select distinct strptime(prod_date, '%d.%m.%Y') d, lower(shift) shift, machine,
  cast(good_qty as int) good, cast(scrap_qty as int) scrap,
  try_cast(nullif(kwh, 'n/a') as double) kwh from raw_production;
create view stops as select stop_no, machine, cast(started as timestamp) s,
  try_cast(ended as timestamp) e, lower(trim(reason)) reason,
  date_diff('minute', cast(started as timestamp), try_cast(ended as timestamp)) m,
  cast(replace(replace(repair_cost, '€', ''), ',', '') as double) cost from raw_stoppages;
"""
REASONS = ("Tool change", "Material missing", "Sensor fault", "Cleaning", "Power cut")


def make() -> Made:
    dice = np.random.default_rng(901)
    machines = pd.DataFrame({
        "machine_id": [f"M-{n:02d}" for n in range(1, 15)],
        "line": ["Bottling", "Bottling", "Bottling", "Capping", "Capping", "Labelling", "Labelling",
                 "Labelling", "Packing", "Packing", "Packing", "Packing", "Capping", "Packing"],
        "vendor": dice.choice(["Krones", "Sidel", "KHS"], 14, p=[0.4, 0.3, 0.3]),
        "built": dice.integers(2003, 2023, 14),
    })  # fmt: skip
    size = 1500
    good = dice.normal(820, 120, size).round().clip(200).astype(int)
    made = pd.DataFrame({
        "prod_date": moments(dice, "2024-01-02", "2024-12-30", size),
        "shift": dice.choice(["Early", "Late", "Night"], size, p=[0.4, 0.35, 0.25]),
        "machine": dice.choice(machines["machine_id"][:12], size), "good_qty": good,
        "scrap_qty": dice.poisson(22, size),
        "kwh": (good * 0.42 + dice.normal(60, 35, size)).round(1),
    })  # fmt: skip
    made.loc[made["shift"] == "Night", "scrap_qty"] += 9
    made.loc[made["machine"] == "M-05", "scrap_qty"] += 14
    made.loc[scattered(dice, size, 31), "kwh"] = np.nan
    made = made.drop_duplicates()
    stops = pd.DataFrame(
        {
            "stop_no": range(40001, 40241),
            "machine": dice.choice(machines["machine_id"][:11], 240, p=np.arange(1, 12) / 66),
            "started": moments(dice, "2024-01-03", "2024-12-20", 240)
            + pd.to_timedelta(dice.integers(0, 1440, 240), "min"),
            "length": dice.gamma(1.4, 60, 240).round().clip(3).astype(int),
            "reason": dice.choice(REASONS, 240, p=[0.35, 0.25, 0.2, 0.15, 0.05]),
            "repair_cost": dice.gamma(2, 450, 240).round(2),
        }
    )
    stops["minutes"] = stops["length"].astype(float)
    stops.loc[scattered(dice, 240, 5), "minutes"] = np.nan
    kept: Frames = {"machines": machines, "production": made, "stoppages": stops}
    twice = pd.concat([made, made.iloc[50:62]], ignore_index=True)
    return Made(
        raw(dice, kept, twice),
        merged(questions(kept), questions({**kept, "production": twice})),
        VIEWS,
    )


def raw(dice: np.random.Generator, kept: Frames, twice: pd.DataFrame) -> Frames:
    made, stops = twice.copy(), kept["stoppages"]
    loud = dice.random(len(made)) < 0.1
    loud[50:62] = loud[-12:] = False
    made["shift"] = made["shift"].where(~loud, made["shift"].str.upper())
    made["prod_date"] = made["prod_date"].dt.strftime("%d.%m.%Y")
    made["kwh"] = made["kwh"].astype("object").where(made["kwh"].notna(), "n/a")
    ended = stops["started"] + pd.to_timedelta(stops["minutes"], "min")
    told = pd.DataFrame({
        "stop_no": stops["stop_no"], "machine": stops["machine"],
        "started": stops["started"].dt.strftime("%Y-%m-%d %H:%M"),
        "ended": ended.dt.strftime("%Y-%m-%d %H:%M").fillna(""),
        "reason": stops["reason"].where(dice.random(240) > 0.12, stops["reason"].str.lower()),
        "repair_cost": [f"€{each:,.2f}" for each in stops["repair_cost"]],
    })  # fmt: skip
    return {"machines": kept["machines"], "production": made, "stoppages": told}


def questions(t: Frames) -> list[Question]:
    machines, made, stops = t["machines"], t["production"], t["stoppages"]
    per = made.merge(machines, left_on="machine", right_on="machine_id")
    stood = stops.merge(machines, left_on="machine", right_on="machine_id")
    lines = per.groupby("line")[["good_qty", "scrap_qty", "kwh"]].sum()
    month = made["prod_date"].dt.strftime("%Y-%m")
    quarter = made.groupby(made["prod_date"].dt.quarter)["good_qty"].sum()
    down = stops.groupby("machine")["minutes"].sum().sort_values(ascending=False)
    scrap = made.groupby("machine")["scrap_qty"].sum()
    shifts = made.groupby("shift")
    longest = stops.loc[stops["minutes"].idxmax()]
    weekday = stops["started"].dt.day_name().value_counts()
    metered = per[per["kwh"].notna()].groupby("line")[["kwh", "good_qty"]].sum()
    rate = lines["scrap_qty"] / (lines["good_qty"] + lines["scrap_qty"])
    stop_month = stops["started"].dt.month
    top = scrap.idxmax()
    return [
        Question("lookup", "which company built M-07?", one(machines["vendor"][6]),
                 "select vendor from machines where machine_id = 'M-07'"),
        Question("lookup", "when did the longest stoppage begin?", one(longest["started"]),
                 "select s from stops order by m desc nulls last limit 1"),
        Question("filter_count", "how many stoppages took more than 2 hours",
                 one((stops["minutes"] > 120).sum()), "select count(*) from stops where m > 120"),
        Question("filter_count", "number of sensor faults at M-09",
                 one(((stops["machine"] == "M-09") & (stops["reason"] == "Sensor fault")).sum()),
                 "select count(*) from stops where machine='M-09' and reason='sensor fault'"),
        Question("aggregate", "good pieces by production line", rows(lines["good_qty"]),
                 "select line, sum(good) from made join machines on machine=machine_id group by 1"),
        Question("aggregate", "what did repairs cost us in 2024 in total?",
                 one(stops["repair_cost"].sum()), "select sum(cost) from stops"),
        Question("topn", "Top 3 machines by total downtime",
                 rows(down.head(3)), """select machine, sum(m) from stops group by 1
                 order by 2 desc nulls last limit 3""",
                 [rows(down.head(3) / 60), several(down.head(3).index)], ordered=True),
        Question("share", "what portion of all stoppages is down to tool changes?",
                 one((stops["reason"] == "Tool change").mean()),
                 "select avg((reason='tool change')::int) from stops",
                 [one(stops.loc[stops["reason"] == "Tool change", "minutes"].sum()
                      / stops["minutes"].sum())], unit="share"),
        Question("growth", "by what percent did good output change from Q1 to Q4?",
                 one(quarter[4] / quarter[1] - 1),
                 """select sum(good) filter (quarter(d)=4) / sum(good) filter (quarter(d)=1) - 1
                 from made""", unit="share,abs"),
        Question("compare", "Night shift vs early shift: average scrap",
                 rows(shifts["scrap_qty"].mean()[["Early", "Night"]]),
                 """select shift, avg(scrap) from made where shift in ('early', 'night')
                 group by 1"""),
        Question("join", "average stoppage length in minutes for each vendor",
                 rows(stood.groupby("vendor")["minutes"].mean()),
                 "select vendor, avg(m) from stops join machines on machine=machine_id group by 1"),
        Question("join", "which line has the most stoppages?",
                 one(stood["line"].value_counts().idxmax()),
                 """select line from stops join machines on machine=machine_id group by 1
                 order by count(*) desc limit 1"""),
        Question("anti_join", "machines that never stood still",
                 several(sorted(set(machines["machine_id"]) - set(stops["machine"]))),
                 """select machine_id from machines where machine_id not in
                 (select machine from stops)"""),
        Question("derived", "scrap rate per line", rows(rate),
                 """select line, sum(scrap) / sum(good + scrap) from made
                 join machines on machine=machine_id group by 1""",
                 [rows(lines["scrap_qty"] / lines["good_qty"])], unit="share"),
        Question("derived", "how many kWh do we need per good piece on each line?",
                 rows(metered["kwh"] / metered["good_qty"]),
                 """select line, sum(kwh) / sum(good) from made join machines on machine=machine_id
                 where kwh is not null group by 1""",
                 [rows(lines["kwh"] / lines["good_qty"])], tolerance=0.002),
        Question("percentile", "90th percentile of repair costs",
                 one(stops["repair_cost"].quantile(0.9)),
                 "select quantile_cont(cost, 0.9) from stops", tolerance=0.01),
        Question("distribution", "stoppages by reason", rows(stops["reason"].value_counts()),
                 "select reason, count(*) from stops group by 1"),
        Question("correlation", "do more good pieces go along with more power used? corr please",
                 one(made["good_qty"].corr(made["kwh"])), "select corr(good, kwh) from made",
                 tolerance=0.01),
        Question("quality", "for how many production entries do we have no kwh reading",
                 one(made["kwh"].isna().sum()), "select count(*) from made where kwh is null"),
        Question("running", "running total of good pieces, month by month, 2024",
                 rows(made.groupby(month)["good_qty"].sum().cumsum()),
                 """select strftime(d, '%Y-%m') x, sum(sum(good)) over (order by x) from made
                 group by 1"""),
        Question("multi", "Which machine makes the most scrap, how many pieces is that and what "
                 "line does it belong to?",
                 parts(one(top), one(scrap[top]),
                       one(machines.set_index("machine_id")["line"][top])),
                 ["select machine from made group by 1 order by sum(scrap) desc limit 1",
                  "select sum(scrap) from made group by machine order by 1 desc limit 1",
                  """select line from made join machines on machine=machine_id
                  group by machine, 1 order by sum(scrap) desc limit 1"""]),
        Question("wording", "howmuch scrap did we hav on the nigth shift",
                 one(shifts["scrap_qty"].sum()["Night"]),
                 "select sum(scrap) from made where shift='night'"),
        Question("rounding", "total good output in thousands, one decimal",
                 one(round(made["good_qty"].sum() / 1000, 1)),
                 "select round(sum(good) / 1000, 1) from made", tolerance=0.0001),
        Question("ambiguous", "which machine is our worst?",
                 asks(by_scrap=("scrap", one(top)),
                      by_downtime=("stop|down|minute|stand|duration|ended", one(down.idxmax())),
                      by_output=("good|output|pieces", one(
                          made.groupby("machine")["good_qty"].sum().idxmin())),
                      by_cost=("cost|repair", one(
                          stops.groupby("machine")["repair_cost"].sum().idxmax())))),
        Question("unanswerable", "Which operator was on duty when M-03 broke down?", DECLINE),
        Question("calendar", "on which weekday do most stoppages start?",
                 one(weekday.idxmax()), """select dayname(s) from stops group by 1
                 order by count(*) desc limit 1"""),
        Question("calendar", "repair cost Q2 compared with Q3",
                 pairs({"Q2": stops.loc[stop_month.between(4, 6), "repair_cost"].sum(),
                        "Q3": stops.loc[stop_month.between(7, 9), "repair_cost"].sum()}),
                 """select 'Q' || quarter(s), sum(cost) from stops where quarter(s) in (2, 3)
                 group by 1""", unit="labels_free"),
    ]  # fmt: skip
