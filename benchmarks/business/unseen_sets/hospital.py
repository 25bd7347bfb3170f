"""A hospital: patients, wards, and stays with their bills."""

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
create view patients as select patient_no, upper(left(sex, 1)) sex, insurance,
  strptime(birth_date, '%m/%d/%Y') b from raw_patients;
create view wards as select ward, name, cast(beds as int) beds, head_physician head from raw_wards;
create view stays as select distinct cast(case_no as int) n, patient_no, ward,
  strptime(admitted, '%m/%d/%Y') a, try_strptime(nullif(discharged, 'NULL'), '%m/%d/%Y') d,
  lower(trim(reason)) reason, cast(replace(replace(bill, '$', ''), ',', '') as double) bill,
  try_cast(nullif(pain_score, '99') as int) pain, upper(left(readmitted, 1)) = 'Y' again
  from raw_stays;
"""
REASONS = ("Fracture", "Pneumonia", "Heart failure", "Appendicitis", "Observation")


def make() -> Made:
    dice = np.random.default_rng(909)
    wards = pd.DataFrame({
        "ward": ["W1", "W2", "W3", "W4", "W5", "W6"],
        "name": ["Cardiology", "Orthopedics", "General Surgery", "Pulmonary", "Emergency",
                 "Day Clinic"],
        "beds": [24, 30, 28, 18, 12, 10],
        "head_physician": ["Dr. Abend", "Dr. Boyle", "Dr. Cruz", "Dr. Boyle", "Dr. Dvorak",
                           "Dr. Ellis"],
    })  # fmt: skip
    patients = pd.DataFrame(
        {
            "patient_no": [f"P{n:05d}" for n in dice.choice(99_999, 300, replace=False)],
            "sex": dice.choice(["F", "M"], 300, p=[0.53, 0.47]),
            "birth_date": pd.Timestamp("1932-01-01")
            + pd.to_timedelta(dice.integers(0, 32_000, 300), "D"),
            "insurance": dice.choice(["Public", "Private", "Self-pay"], 300, p=[0.75, 0.2, 0.05]),
        }
    )
    size = 800
    come = moments(dice, "2023-01-01", "2024-12-20", size)
    ward = dice.choice(wards["ward"][:5], size, p=[0.25, 0.2, 0.2, 0.15, 0.2])
    nights = (
        dice.gamma(2, pd.Series(ward).map({"W1": 3.2, "W2": 3.8, "W3": 2.5, "W4": 3.4, "W5": 0.8}))
        .round()
        .astype(int)
    )
    stays = pd.DataFrame({
        "case_no": range(310_001, 310_001 + size),
        "patient_no": dice.choice(patients["patient_no"][:280], size), "ward": ward,
        "admitted": come, "discharged": come + pd.to_timedelta(nights, "D"),
        "reason": dice.choice(REASONS, size, p=[0.22, 0.2, 0.25, 0.13, 0.2]),
        "bill": (650 + 780 * nights + dice.gamma(2, 400, size)).round(2),
        "pain_score": dice.integers(0, 11, size).astype(float),
        "readmitted": dice.choice(["Yes", "No"], size, p=[0.14, 0.86]),
    })  # fmt: skip
    stays.loc[stays.index[-14:], "discharged"] = pd.NaT
    stays.loc[scattered(dice, size, 52), "pain_score"] = np.nan
    twice = pd.concat([stays, stays.iloc[222:235]], ignore_index=True)
    kept: Frames = {"patients": patients, "wards": wards, "stays": stays}
    told = twice.copy()
    told["admitted"] = told["admitted"].dt.strftime("%m/%d/%Y")
    told["discharged"] = told["discharged"].dt.strftime("%m/%d/%Y").fillna("NULL")
    told["bill"] = [f"${e:,.2f}" for e in twice["bill"]]
    told["pain_score"] = twice["pain_score"].fillna(99).astype(int)
    odd = told["case_no"] % 8 == 0
    told["reason"] = told["reason"].where(~odd, told["reason"].str.upper())
    told["readmitted"] = told["readmitted"].where(~odd, told["readmitted"].str[0])
    people = patients.assign(birth_date=patients["birth_date"].dt.strftime("%m/%d/%Y"))
    people.loc[people.index % 11 == 0, "sex"] = people["sex"].str.lower()
    raw = {"patients": people, "wards": wards, "stays": told}
    return Made(raw, merged(questions(kept), questions({**kept, "stays": twice})), VIEWS)


def questions(t: Frames) -> list[Question]:
    patients, wards, stays = t["patients"], t["wards"], t["stays"]
    full = stays.merge(patients, on="patient_no").merge(wards, on="ward")
    nights = (full["discharged"] - full["admitted"]).dt.days
    year = full["admitted"].dt.year
    month = full["admitted"].dt.strftime("%Y-%m")
    length = nights.groupby(full["name"]).mean()
    again = full["readmitted"] == "Yes"
    bills = full.groupby("name")["bill"].sum()
    reasons = full["reason"].value_counts()
    often = full["patient_no"].value_counts()
    by_year = year.value_counts()
    spread = pd.cut(nights, [-1, 1, 7, 999], labels=["a", "b", "c"])
    weekday = full["admitted"].dt.day_name().value_counts()
    dearest = full.loc[full["bill"].idxmax()]
    rate = again.groupby(full["name"]).mean()
    paid = full.groupby("insurance")["bill"].mean()
    summer = full["admitted"].dt.month.isin([6, 7, 8]) & (year == 2024)
    monthly = full[year == 2023].groupby(month)["bill"].sum()
    quarters = full[year == 2024].groupby(full["admitted"].dt.quarter).size()
    per_bed = full["name"].value_counts() / wards.set_index("name")["beds"]
    old = (pd.Timestamp("2000-01-01") > full["birth_date"]) & (full["sex"] == "F")
    return [
        Question("lookup", "who is in charge of Orthopedics?", one("Dr. Boyle"),
                 "select head from wards where name='Orthopedics'"),
        Question("lookup", "when was case 310044 discharged",
                 one(full.set_index("case_no")["discharged"][310_044]),
                 "select d from stays where n=310044"),
        Question("filter_count", "how many patients are still in hospital, no discharge date yet?",
                 one(full["discharged"].isna().sum()), "select count(*) from stays where d is null",
                 [one(full.loc[full["discharged"].isna(), "patient_no"].nunique())]),
        Question("filter_count", "count of pneumonia cases that cost more than $10,000",
                 one(((full["reason"] == "Pneumonia") & (full["bill"] > 10_000)).sum()),
                 "select count(*) from stays where reason='pneumonia' and bill > 10000"),
        Question("aggregate", "total billing per ward name", rows(bills),
                 "select name, sum(bill) from stays join wards using (ward) group by 1"),
        Question("aggregate", "mean pain score", one(full["pain_score"].mean()),
                 "select avg(pain) from stays"),
        Question("topn", "top two reasons for admission", rows(reasons.head(2)),
                 "select reason, count(*) from stays group by 1 order by 2 desc limit 2",
                 [several(reasons.head(2).index)], ordered=True),
        Question("topn", "which patient was admitted most often?", one(often.idxmax()),
                 "select patient_no from stays group by 1 order by count(*) desc limit 1",
                 [several(sorted(often[often == often.max()].index))]),
        Question("share", "what fraction of stays ended in a readmission", one(again.mean()),
                 "select avg(again::int) from stays", unit="share"),
        Question("share", "percentage of all beds that General Surgery has",
                 one(28 / wards["beds"].sum()),
                 "select sum(beds) filter (name='General Surgery') / sum(beds) from wards",
                 unit="share"),
        Question("growth", "did admissions rise in 2024 compared to 2023, and by how many percent?",
                 one(by_year[2024] / by_year[2023] - 1),
                 "select count(*) filter (year(a)=2024) / count(*) filter (year(a)=2023) - 1 "
                 "from stays", unit="share,abs"),
        Question("compare", "do privately insured patients cost more per stay than public ones?",
                 rows(paid[["Private", "Public"]]),
                 """select insurance, avg(bill) from stays join patients using (patient_no)
                 where insurance in ('Private', 'Public') group by 1""", [rows(paid)]),
        Question("compare", "men vs women: number of stays", rows(full["sex"].value_counts()),
                 "select sex, count(*) from stays join patients using (patient_no) group by 1"),
        Question("join", "average bill by head physician",
                 rows(full.groupby("head_physician")["bill"].mean()),
                 "select head, avg(bill) from stays join wards using (ward) group by 1"),
        Question("join", "how many stays of women born before 2000 on Cardiology?",
                 one((old & (full["name"] == "Cardiology")).sum()),
                 """select count(*) from stays join wards using (ward) join patients
                 using (patient_no) where name='Cardiology' and sex='F' and year(b) < 2000"""),
        Question("anti_join", "wards with no stay at all", several(["Day Clinic"]),
                 "select name from wards where ward not in (select ward from stays)",
                 [several(["W6"])]),
        Question("anti_join", "number of registered patients who have never been admitted",
                 one((~patients["patient_no"].isin(stays["patient_no"])).sum()),
                 """select count(*) from patients where patient_no not in
                 (select patient_no from stays)"""),
        Question("derived", "average length of stay in days for every ward", rows(length),
                 """select name, avg(date_diff('day', a, d)) from stays join wards using (ward)
                 group by 1""", [rows(nights.groupby(full["ward"]).mean())]),
        Question("derived", "admissions per bed by ward", rows(per_bed.dropna()),
                 "select name, count(*) / any_value(beds) from stays join wards using (ward) "
                 "group by 1", [rows(per_bed), rows(per_bed.fillna(0))]),
        Question("derived", "readmission rate per ward", rows(rate),
                 "select name, avg(again::int) from stays join wards using (ward) group by 1",
                 [rows(again.groupby(full["ward"]).mean())], unit="share"),
        Question("percentile", "what bill do the most expensive 10 percent of stays start at?",
                 one(full["bill"].quantile(0.9)), "select quantile_cont(bill, 0.9) from stays",
                 tolerance=0.01),
        Question("distribution", "stays of at most 1 night, of 2-7 nights and of more than a week, "
                 "how many each?", rows(spread.value_counts()),
                 """select case when date_diff('day', a, d) <= 1 then 'a'
                 when date_diff('day', a, d) <= 7 then 'b' else 'c' end, count(*) from stays
                 where d is not null group by 1""", unit="labels_free"),
        Question("correlation", "how does the bill correlate with the length of stay?",
                 one(full["bill"].corr(nights)),
                 "select corr(bill, date_diff('day', a, d)) from stays", tolerance=0.01),
        Question("quality", "how often was the pain score not recorded (99)?",
                 one(full["pain_score"].isna().sum()),
                 "select count(*) from stays where pain is null"),
        Question("running", "cumulative billing by month for 2023", rows(monthly.cumsum()),
                 """select strftime(a, '%Y-%m') x, sum(sum(bill)) over (order by x) from stays
                 where year(a)=2023 group by 1"""),
        Question("multi", "what was the most expensive stay, why was that patient here and on "
                 "which ward?", parts(one(dearest["case_no"]), one(dearest["reason"]),
                                one(dearest["name"])),
                 ["select n from stays order by bill desc limit 1",
                  "select reason from stays order by bill desc limit 1",
                  "select name from stays join wards using (ward) order by bill desc limit 1"],
                 [parts(one(dearest["bill"]), one(dearest["reason"]), one(dearest["name"])),
                  parts(one(dearest["bill"]), one(dearest["reason"]), one(dearest["ward"]))]),
        Question("wording", "avg bil for hart failure pls",
                 one(full.loc[full["reason"] == "Heart failure", "bill"].mean()),
                 "select avg(bill) from stays where reason='heart failure'"),
        Question("rounding", "billed in total, in millions of dollars with two decimals",
                 one(round(full["bill"].sum() / 1e6, 2)),
                 "select round(sum(bill) / 1000000, 2) from stays", tolerance=0.0001),
        Question("ambiguous", "which ward is the biggest?",
                 asks(by_beds=("bed", one("Orthopedics")),
                      by_stays=("stays|number|count|how many|rows", one(
                          full["name"].value_counts().idxmax())),
                      by_bills=("bill", one(bills.idxmax())))),
        Question("unanswerable", "how many nurses work on W3 at night?", DECLINE),
        Question("calendar", "how many admissions in summer 2024 (June to August)?",
                 one(summer.sum()),
                 "select count(*) from stays where year(a)=2024 and month(a) in (6, 7, 8)"),
        Question("calendar", "busiest day of the week for admissions", one(weekday.idxmax()),
                 "select dayname(a) from stays group by 1 order by count(*) desc limit 1"),
        Question("calendar", "stays by quarter in 2024", rows(quarters),
                 "select quarter(a), count(*) from stays where year(a)=2024 group by 1",
                 unit="labels_free"),
    ]  # fmt: skip
