"""A school on the net: pupils, the lessons they booked, and the quizzes they sat."""

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
create view pupils as select pupil_id, full_name, cast(grade as int) grade,
  case trim(upper(country)) when 'DE' then 'Germany' when 'GERMANY' then 'Germany'
  else trim(country) end country, strptime(signed_up, '%d/%m/%Y') since, plan from raw_pupils;
create view lessons as select lesson_no, pupil_id, tutor, subject,
  cast(held_on as timestamp) h, cast(minutes as int) mins,
  cast(replace(price, ' EUR', '') as double) price, lower(status) status from raw_lessons;
create view quizzes as select distinct pupil_id, subject, strptime(taken, '%Y-%m-%d') taken,
  try_cast(nullif(score, 'absent') as double) score, cast(max_score as int) most from raw_quizzes;
"""
SUBJECTS = ("Maths", "English", "Physics", "Chemistry", "Music")
FIRST = ("Lena", "Omar", "Yuki", "Piotr", "Ines", "Kofi", "Marta", "Jonas", "Aisha", "Tom")
LAST = ("Adler", "Baros", "Costa", "Dietz", "Eriksen", "Fofana", "Gruber", "Hale")


def make() -> Made:
    dice = np.random.default_rng(911)
    names = [f"{one} {two}" for one in FIRST for two in LAST]
    count = len(names)
    pupils = pd.DataFrame({
        "pupil_id": [f"P{n}" for n in range(301, 301 + count)],
        "full_name": dice.permutation(names), "grade": dice.integers(5, 13, count),
        "country": dice.choice(["Germany", "Poland", "Spain", "Austria"], count,
                               p=[0.45, 0.25, 0.2, 0.1]),
        "signed_up": moments(dice, "2022-08-01", "2024-09-30", count),
        "plan": dice.choice(["Free", "Plus", "Family"], count, p=[0.3, 0.5, 0.2]),
    })  # fmt: skip
    size = 1100
    lessons = pd.DataFrame({
        "lesson_no": range(70001, 70001 + size),
        "pupil_id": dice.choice(pupils["pupil_id"][:73], size, p=dice.dirichlet(np.full(73, 2.0))),
        "tutor": dice.choice(["Ms Khan", "Mr Ortiz", "Dr Weber", "Ms Lindgren", "Mr Boateng"],
                             size, p=[0.3, 0.25, 0.2, 0.15, 0.1]),
        "subject": dice.choice(SUBJECTS[:4], size, p=[0.4, 0.3, 0.2, 0.1]),
        "held_on": moments(dice, "2023-01-09", "2024-12-19", size)
        + pd.to_timedelta(dice.integers(14, 20, size), "h"),
        "minutes": dice.choice([30, 45, 60, 90], size, p=[0.2, 0.4, 0.3, 0.1]),
        "status": dice.choice(["held", "cancelled", "no-show"], size, p=[0.84, 0.1, 0.06]),
    })  # fmt: skip
    rate = lessons["subject"].map(
        {"Maths": 0.5, "English": 0.42, "Physics": 0.58, "Chemistry": 0.6}
    )
    lessons["price"] = (rate * lessons["minutes"]).round(2)
    taken = 620
    level = dict(zip(pupils["pupil_id"], dice.normal(0, 9, count), strict=True))
    quizzes = pd.DataFrame({
        "pupil_id": dice.choice(pupils["pupil_id"][:66], taken),
        "subject": dice.choice(SUBJECTS[:4], taken, p=[0.35, 0.35, 0.2, 0.1]),
        "taken": moments(dice, "2023-01-15", "2024-12-15", taken),
    })  # fmt: skip
    base = quizzes["pupil_id"].map(level) + quizzes["subject"].map(
        {"Maths": 58, "English": 71, "Physics": 61, "Chemistry": 66}
    )
    quizzes["score"] = (base + dice.normal(0, 10, taken)).round(1).clip(0, 100)
    quizzes["max_score"] = 100
    quizzes.loc[scattered(dice, taken, 23), "score"] = np.nan
    quizzes = quizzes.drop_duplicates().reset_index(drop=True)
    kept: Frames = {"pupils": pupils, "lessons": lessons, "quizzes": quizzes}
    twice = pd.concat([quizzes, quizzes.iloc[200:207]], ignore_index=True)
    return Made(
        raw(dice, kept, twice),
        merged(questions(kept), questions({**kept, "quizzes": twice})),
        VIEWS,
    )


def raw(dice: np.random.Generator, kept: Frames, twice: pd.DataFrame) -> Frames:
    pupils, lessons = kept["pupils"].copy(), kept["lessons"].copy()
    pupils["signed_up"] = pupils["signed_up"].dt.strftime("%d/%m/%Y")
    short = (pupils["country"] == "Germany") & (dice.random(len(pupils)) < 0.2)
    pupils["country"] = pupils["country"].mask(short, "DE")
    lessons["held_on"] = lessons["held_on"].dt.strftime("%Y-%m-%d %H:%M")
    lessons["price"] = [f"{each:.2f} EUR" for each in lessons["price"]]
    loud = dice.random(len(lessons)) < 0.08
    lessons["status"] = lessons["status"].mask(loud, lessons["status"].str.capitalize())
    quizzes = twice.copy()
    quizzes["taken"] = quizzes["taken"].dt.strftime("%Y-%m-%d")
    quizzes["score"] = quizzes["score"].astype("object").where(quizzes["score"].notna(), "absent")
    return {"pupils": pupils, "lessons": lessons, "quizzes": quizzes}


def questions(t: Frames) -> list[Question]:
    pupils, lessons, quizzes = t["pupils"], t["lessons"], t["quizzes"]
    held = lessons[lessons["status"] == "held"]
    booked, sat = lessons.merge(pupils, on="pupil_id"), quizzes.merge(pupils, on="pupil_id")
    marks = quizzes.groupby("subject")["score"]
    tutors, year = lessons["tutor"].value_counts(), lessons["held_on"].dt.year
    lost = lessons["status"] != "held"
    spent = booked.groupby("full_name")["price"].sum().sort_values(ascending=False)
    hours = lessons.groupby("tutor")["minutes"].sum() / 60
    months = lessons[year == 2024].groupby(lessons["held_on"].dt.strftime("%Y-%m"))["price"].sum()
    top = sat.groupby("full_name")["score"].mean()
    p350 = pupils.set_index("pupil_id").loc["P350"]
    bands = pd.cut(quizzes["score"], [-1, 49.999, 75, 100], labels=["a", "b", "c"])
    days = lessons["held_on"].dt.day_name().value_counts()
    quarter = lessons["held_on"].dt.to_period("Q").astype(str)
    per_minute = lessons.groupby("subject")[["price", "minutes"]].sum()
    return [
        Question("lookup", "In what country does pupil P350 live?", one(p350["country"]),
                 "select country from pupils where pupil_id='P350'"),
        Question("lookup", "i need the plan and the grade of P322",
                 parts(one(pupils["plan"][21]), one(pupils["grade"][21])),
                 ["select plan from pupils where pupil_id='P322'",
                  "select grade from pupils where pupil_id='P322'"]),
        Question("filter_count", "No-shows in maths - how often did that happen?",
                 one(((lessons["status"] == "no-show") & (lessons["subject"] == "Maths")).sum()),
                 "select count(*) from lessons where status='no-show' and subject='Maths'"),
        Question("filter_count", "how much pupils are in grade 10 or above",
                 one((pupils["grade"] >= 10).sum()), "select count(*) from pupils where grade>=10"),
        Question("aggregate", "Please state the mean quiz score for each subject.",
                 rows(marks.mean()), "select subject, avg(score) from quizzes group by 1"),
        Question("aggregate", "turnover from lessons last year i.e. 2024, cancelled ones left out",
                 one(lessons.loc[(year == 2024) & (lessons["status"] != "cancelled"),
                                 "price"].sum()),
                 """select sum(price) from lessons where year(h)=2024
                 and status <> 'cancelled'""",
                 [one(held.loc[held["held_on"].dt.year == 2024, "price"].sum())]),
        Question("topn", "give me the 4 pupils who spend most on lessons", rows(spent.head(4)),
                 """select full_name, sum(price) from lessons join pupils using (pupil_id)
                 group by 1 order by 2 desc limit 4""", [several(spent.head(4).index)],
                 ordered=True),
        Question("topn", "which subject is worst in the quizzes on average?",
                 one(marks.mean().idxmin()),
                 "select subject from quizzes group by 1 order by avg(score) limit 1"),
        Question("share", "What fraction of lessons did not take place (cancelled or no-show)?",
                 one(lost.mean()), "select avg((status <> 'held')::int) from lessons",
                 unit="share"),
        Question("growth", "lessons 2023 to 2024 up or down, % pls",
                 one((year == 2024).sum() / (year == 2023).sum() - 1),
                 """select count(*) filter (year(h)=2024) / count(*) filter (year(h)=2023) - 1
                 from lessons""", unit="share,abs"),
        Question("compare", "Who gave more lessons, Ms Khan or Dr Weber?",
                 rows(tutors[["Ms Khan", "Dr Weber"]]),
                 """select tutor, count(*) from lessons where tutor in ('Ms Khan', 'Dr Weber')
                 group by 1""", [one("Ms Khan")]),
        Question("join", "lesson minutes by country of the pupil",
                 rows(booked.groupby("country")["minutes"].sum()),
                 """select country, sum(mins) from lessons join pupils using (pupil_id)
                 group by 1"""),
        Question("join", "which mean score have the children with Family plan in English",
                 one(sat.loc[(sat["plan"] == "Family") & (sat["subject"] == "English"),
                             "score"].mean()),
                 """select avg(score) from quizzes join pupils using (pupil_id)
                 where plan='Family' and subject='English'"""),
        Question("anti_join", "Which kids signed up but never booked a lesson?",
                 several(sorted(pupils.loc[~pupils["pupil_id"].isin(lessons["pupil_id"]),
                                           "full_name"])),
                 """select full_name from pupils where pupil_id not in
                 (select pupil_id from lessons)""",
                 [several(sorted(set(pupils["pupil_id"]) - set(lessons["pupil_id"])))]),
        Question("anti_join", "number of pupils without any quiz",
                 one((~pupils["pupil_id"].isin(quizzes["pupil_id"])).sum()),
                 """select count(*) from pupils where pupil_id not in
                 (select pupil_id from quizzes)"""),
        Question("derived", "price per minute in each subject",
                 rows(per_minute["price"] / per_minute["minutes"]),
                 "select subject, sum(price) / sum(mins) from lessons group by 1",
                 [rows((lessons["price"] / lessons["minutes"]).groupby(
                     lessons["subject"]).mean())]),
        Question("derived", "How many hours of teaching has every tutor been booked for?",
                 rows(hours), "select tutor, sum(mins) / 60 from lessons group by 1"),
        Question("percentile", "lower quartile of the quiz scores",
                 one(quizzes["score"].quantile(0.25)),
                 "select quantile_cont(score, 0.25) from quizzes", tolerance=0.01),
        Question("distribution", "how do quiz scores spread: less than 50, from 50 to 75, better "
                 "than 75", rows(bands.value_counts()), """select case when score < 50 then 'a'
                 when score <= 75 then 'b' else 'c' end, count(*) from quizzes
                 where score is not null group by 1""", unit="labels_free"),
        Question("correlation", "do older pupils score higher? (grade vs. score, correlation)",
                 one(sat["grade"].corr(sat["score"])),
                 "select corr(grade, score) from quizzes join pupils using (pupil_id)",
                 tolerance=0.01),
        Question("quality", "How many quiz entries show 'absent' instead of a score?",
                 one(quizzes["score"].isna().sum()),
                 "select count(*) from quizzes where score is null"),
        Question("quality", "are some quizzes in the list twice? how many extra rows", one(7),
                 "select (select count(*) from raw_quizzes) - (select count(*) from quizzes)"),
        Question("running", "2024 lesson revenue per month plus year-to-date",
                 rows(months.cumsum()),
                 """select strftime(h, '%Y-%m') x, sum(sum(price)) over (order by x) from lessons
                 where year(h)=2024 group by 1"""),
        Question("multi", "Name the busiest tutor, their number of lessons and the subject they "
                 "teach most.",
                 parts(one(tutors.idxmax()), one(tutors.max()),
                       one(lessons.loc[lessons["tutor"] == tutors.idxmax(),
                                       "subject"].value_counts().idxmax())),
                 ["select tutor from lessons group by 1 order by count(*) desc limit 1",
                  "select count(*) from lessons group by tutor order by 1 desc limit 1",
                  """select subject from lessons where tutor='Ms Khan' group by 1
                  order by count(*) desc limit 1"""]),
        Question("wording", "hw many pupls r on teh plus plan",
                 one((pupils["plan"] == "Plus").sum()),
                 "select count(*) from pupils where plan='Plus'"),
        Question("rounding", "average lesson price rounded to full euros",
                 one(round(lessons["price"].mean())), "select round(avg(price)) from lessons",
                 tolerance=0.0001),
        Question("ambiguous", "who is the strongest pupil?",
                 asks(by_score=("score|mark|quiz", one(top.idxmax())),
                      by_lessons=("lesson|number|count|minute", one(
                          booked["full_name"].value_counts().idxmax())),
                      by_price=("price|spen|paid|revenue", one(spent.idxmax())),
                      by_grade=("grade", one(pupils.loc[pupils["grade"].idxmax(), "full_name"])))),
        Question("unanswerable", "how satisfied are parents with Mr Ortiz?", DECLINE),
        Question("calendar", "what day of the week is the fullest with lessons",
                 one(days.idxmax()), """select dayname(h) from lessons group by 1
                 order by count(*) desc limit 1"""),
        Question("calendar", "Compare Q4 2023 to Q4 2024: number of lessons held on those "
                 "quarters",
                 pairs({each: (quarter == each).sum() for each in ("2023Q4", "2024Q4")}),
                 """select year(h) || 'Q4', count(*) from lessons where quarter(h)=4 group by 1""",
                 [pairs({each: (held["held_on"].dt.to_period("Q").astype(str) == each).sum()
                         for each in ("2023Q4", "2024Q4")})], unit="labels_free"),
    ]  # fmt: skip
