"""A university: students, courses, lecturers and their heads, and enrolments with grades."""

from __future__ import annotations

import numpy as np
import pandas as pd

from business.unseen_sets.form import (
    DECLINE,
    Frames,
    Made,
    Question,
    asks,
    one,
    parts,
    rows,
    scattered,
    several,
    write_sqlite,
)

VIEWS = """
create view students as select cast(student_id as int) sid, first_name || ' ' || last_name who,
  programme, cast(start_year as int) began, coalesce(nullif(country, '?'), null) country
  from raw_students;
create view lecturers as select cast(lecturer_id as int) lid, name, department,
  try_cast(reports_to as double)::int boss from raw_lecturers;
create view courses as select code, title, cast(ects as int) ects, cast(lecturer_id as int) lid
  from raw_courses;
create view enrolments as select cast(student_id as int) sid, code, term,
  try_cast(grade as double) grade, lower(attended) = 'yes' there from raw_enrolments;
"""
PROGRAMMES = ("Biology", "Economics", "Informatics", "Law")
TERMS = ("2022 Autumn", "2023 Spring", "2023 Autumn", "2024 Spring", "2024 Autumn")
TITLES = (
    "Genetics",
    "Statistics I",
    "Statistics II",
    "Microeconomics",
    "Databases",
    "Algorithms",
    "Contract Law",
    "Ethics",
    "Ecology",
    "Game Theory",
    "Robotics",
    "Medieval Latin",
)


def make() -> Made:
    dice = np.random.default_rng(906)
    lecturers = pd.DataFrame({
        "lecturer_id": range(1, 10),
        "name": ["H. Weiss", "I. Ortega", "J. Blom", "K. Sato", "L. Hall", "M. Nagy", "N. Kurz",
                 "O. Diaz", "P. Lang"],
        "department": ["Life Sciences", "Business", "Computing", "Computing", "Law", "Business",
                       "Life Sciences", "Computing", "Law"],
        "reports_to": [np.nan, 1, 1, 3, 1, 2, 1, 3, 5],
    })  # fmt: skip
    courses = pd.DataFrame({
        "code": [f"K{n}" for n in range(110, 230, 10)], "title": TITLES,
        "ects": dice.choice([3, 5, 6, 9], 12),
        "lecturer_id": [1, 2, 2, 6, 3, 4, 5, 5, 7, 6, 4, 7],
    })  # fmt: skip
    students = pd.DataFrame(
        {
            "student_id": range(230_001, 230_161),
            "first_name": dice.choice(["Ada", "Bert", "Cara", "Dino", "Ewa", "Fritz", "Gina"], 160),
            "last_name": [
                f"{n}{at}" for at, n in enumerate(dice.choice(["Kim", "Roth", "Sala"], 160))
            ],
            "programme": dice.choice(PROGRAMMES, 160, p=[0.2, 0.3, 0.35, 0.15]),
            "start_year": dice.choice([2021, 2022, 2023], 160),
            "country": dice.choice(
                ["Germany", "Poland", "Spain", "India"], 160, p=[0.5, 0.2, 0.2, 0.1]
            ),
        }
    )
    students.loc[scattered(dice, 160, 6), "country"] = np.nan
    chosen = dice.choice(students["student_id"][:151], 1100)
    enrolments = pd.DataFrame({
        "student_id": chosen, "code": dice.choice(courses["code"][:11], 1100,
                                                  p=dice.dirichlet(np.full(11, 4.0))),
        "term": dice.choice(TERMS, 1100, p=[0.15, 0.18, 0.2, 0.22, 0.25]),
    }).drop_duplicates().reset_index(drop=True)  # fmt: skip
    size = len(enrolments)
    hard = {code: dice.uniform(-0.4, 0.5) for code in courses["code"]}
    there = dice.random(size) < 0.75
    grade = 2.6 + enrolments["code"].map(hard) - 0.3 * there + dice.normal(0, 0.8, size)
    enrolments["grade"] = grade.clip(1, 5).round(1)
    enrolments["attended"] = np.where(there, "yes", "no")
    enrolments.loc[scattered(dice, size, 70), "grade"] = np.nan
    kept: Frames = {"students": students, "lecturers": lecturers, "courses": courses,
                    "enrolments": enrolments}  # fmt: skip
    loud = enrolments["attended"].where(dice.random(size) > 0.2, enrolments["attended"].str.upper())
    raw = {
        **kept, "students": students.fillna({"country": "?"}),
        "enrolments": enrolments.assign(attended=loud),
    }  # fmt: skip
    return Made(raw, questions(kept), VIEWS, write_sqlite)


def questions(t: Frames) -> list[Question]:
    students, lecturers, courses = t["students"], t["lecturers"], t["courses"]
    took = t["enrolments"].merge(students, on="student_id").merge(courses, on="code")
    took = took.merge(lecturers, on="lecturer_id")
    took["who"] = took["first_name"] + " " + took["last_name"]
    size = took["title"].value_counts()
    marks = took.groupby("title")["grade"].mean()
    passed = took["grade"] <= 4.0
    graded = took["grade"].notna()
    earned = took[passed].groupby("who")["ects"].sum().sort_values(ascending=False)
    terms = took["term"].value_counts()
    rate = (took["grade"] > 4.0).groupby(took["title"]).sum() / graded.groupby(took["title"]).sum()
    boss = lecturers.set_index("lecturer_id")["name"]
    busy = took["name"].value_counts()
    autumn = terms["2024 Autumn"] / terms["2023 Autumn"] - 1
    bands = pd.cut(took["grade"], [0, 1.55, 2.55, 3.55, 4.05, 6], labels=list("abcde"))
    per = took.groupby("who").size()
    programmes = students["programme"].value_counts()
    ordered = terms.reindex(TERMS)
    easiest = marks.idxmin()
    return [
        Question("lookup", "who teaches Databases?", one("J. Blom"),
                 "select name from courses join lecturers using (lid) where title='Databases'"),
        Question("lookup", "how many credits is Game Theory worth",
                 one(courses.set_index("title")["ects"]["Game Theory"]),
                 "select ects from courses where title='Game Theory'"),
        Question("lookup", "who does K. Sato report to?", one(boss[3]),
                 """select b.name from lecturers a join lecturers b on a.boss=b.lid
                 where a.name='K. Sato'"""),
        Question("filter_count", "how many students from Spain are doing law",
                 one(((students["country"] == "Spain") & (students["programme"] == "Law")).sum()),
                 "select count(*) from students where country='Spain' and programme='Law'"),
        Question("filter_count", "how many exams were failed, i.e. grade worse than 4.0?",
                 one((took["grade"] > 4).sum()), "select count(*) from enrolments where grade > 4"),
        Question("aggregate", "average grade per course title", rows(marks),
                 "select title, avg(grade) from enrolments join courses using (code) group by 1"),
        Question("aggregate", "how many students do we have in each programme?", rows(programmes),
                 "select programme, count(*) from students group by 1"),
        Question("topn", "3 most popular courses", rows(size.head(3)),
                 """select title, count(*) from enrolments join courses using (code) group by 1
                 order by 2 desc limit 3""", [several(size.head(3).index)], ordered=True),
        Question("topn", "best average grade of all courses (1 is best) - which one", one(easiest),
                 """select title from enrolments join courses using (code) group by 1
                 order by avg(grade) limit 1"""),
        Question("share", "what share of our students comes from Germany?",
                 one((students["country"] == "Germany").mean()),
                 "select count(*) filter (country='Germany') / count(*) from students",
                 [one((students["country"] == "Germany").sum() / students["country"].count())],
                 unit="share"),
        Question("growth", "enrolments Autumn 2024 vs Autumn 2023, change in percent", one(autumn),
                 """select count(*) filter (term='2024 Autumn') / count(*)
                 filter (term='2023 Autumn') - 1 from enrolments""", unit="share,abs"),
        Question("compare", "do those who attended get better grades than those who did not",
                 rows(took.groupby("attended")["grade"].mean()),
                 "select case when there then 'yes' else 'no' end, avg(grade) from enrolments "
                 "group by 1"),
        Question("join", "number of enrolments per department of the lecturer",
                 rows(took["department"].value_counts()),
                 """select department, count(*) from enrolments join courses using (code)
                 join lecturers using (lid) group by 1"""),
        Question("join", "which lecturer has the most students sitting in his courses",
                 one(busy.idxmax()), """select name from enrolments join courses using (code)
                 join lecturers using (lid) group by 1 order by count(*) desc limit 1""",
                 [one(took.groupby("name")["student_id"].nunique().idxmax())]),
        Question("anti_join", "lecturers without a course",
                 several(sorted(lecturers.loc[~lecturers["lecturer_id"].isin(
                     courses["lecturer_id"]), "name"])),
                 "select name from lecturers where lid not in (select lid from courses)"),
        Question("anti_join", "how many students aren't signed up for anything?",
                 one((~students["student_id"].isin(took["student_id"])).sum()),
                 "select count(*) from students where sid not in (select sid from enrolments)"),
        Question("derived", "failure rate by course (grade over 4.0 out of all graded)", rows(rate),
                 """select title, count(*) filter (grade > 4) / count(grade) from enrolments
                 join courses using (code) group by 1""", unit="share"),
        Question("derived", "how many courses does a student take on average?", one(per.mean()),
                 "select count(*) / count(distinct sid) from enrolments",
                 [one(len(took) / len(students)),
                  one(took.groupby("who")["code"].nunique().mean())]),
        Question("percentile", "median grade in Algorithms",
                 one(took.loc[took["title"] == "Algorithms", "grade"].median()),
                 """select median(grade) from enrolments join courses using (code)
                 where title='Algorithms'"""),
        Question("distribution", "grades: how many up to 1.5, up to 2.5, up to 3.5, up to 4.0, "
                 "worse",
                 rows(bands.value_counts()), """select case when grade <= 1.5 then 'a'
                 when grade <= 2.5 then 'b' when grade <= 3.5 then 'c' when grade <= 4 then 'd'
                 else 'e' end, count(*) from enrolments where grade is not null group by 1""",
                 unit="labels_free"),
        Question("correlation", "do courses with more ECTS have worse grades? correlation",
                 one(took["ects"].corr(took["grade"])),
                 "select corr(ects, grade) from enrolments join courses using (code)",
                 [one(courses["ects"].corr(courses["title"].map(marks)))], tolerance=0.01),
        Question("quality", "how many enrolments still lack a grade", one((~graded).sum()),
                 "select count(*) from enrolments where grade is null"),
        Question("running", "cumulative enrolments by term", rows(ordered.cumsum()),
                 f"""select term, sum(count(*)) over (order by list_position({list(TERMS)}, term))
                 from enrolments group by 1"""),
        Question("multi", "who has collected the most credits in passed courses, and how many?",
                 parts(one(earned.index[0]), one(earned.iloc[0])),
                 ["""select who from enrolments join courses using (code) join students using (sid)
                  where grade <= 4 group by who order by sum(ects) desc limit 1""",
                  """select sum(ects) from enrolments join courses using (code) where grade <= 4
                  group by sid order by 1 desc limit 1"""]),
        Question("wording", "howmany ppl in informatcs",
                 one(programmes["Informatics"]),
                 "select count(*) from students where programme='Informatics'"),
        Question("rounding", "overall mean grade to two decimals",
                 one(round(took["grade"].mean(), 2)),
                 "select round(avg(grade), 2) from enrolments", tolerance=0.0001),
        Question("ambiguous", "what's our toughest course?",
                 asks(by_grade=("grade|mark", one(marks.idxmax())),
                      by_credits=("ects|credit", several(
                          courses.loc[courses["ects"] == courses["ects"].max(), "title"])),
                      by_size=("enrol|number|count|how many", one(size.idxmin())))),
        Question("unanswerable", "which students are behind with their tuition fees?", DECLINE),
        Question("calendar", "how many enrolments were there in the spring terms altogether",
                 one(terms["2023 Spring"] + terms["2024 Spring"]),
                 "select count(*) from enrolments where term like '%Spring'"),
    ]  # fmt: skip
