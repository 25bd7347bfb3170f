"""A town library: titles, readers, and loans that come back late or never."""

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
create view titles as select isbn, title, author, genre, try_cast(nullif(pages, '0') as int) pages,
  cast(copies as int) copies from raw_titles;
create view readers as select card_no, name, try_cast(birth_year as int) born, joined::date joined,
  case when lower(trim(branch)) like 'old%' then 'Old Town' else trim(branch) end branch
  from raw_readers;
create view loans as select distinct cast(loan_id as int) id, card_no, isbn,
  strptime(out_date, '%d.%m.%Y') o, try_strptime(due_date, '%d.%m.%Y') due,
  try_strptime(nullif(back_date, ''), '%d.%m.%Y') b,
  try_cast(replace(replace(nullif(fine, ''), ' EUR', ''), ',', '.') as double) fine
  from raw_loans;
"""
GENRES = ("Crime", "Fantasy", "Biography", "Children", "Cooking", "History")
AUTHORS = ("Nora Feld", "Iain Crewe", "Mei Tan", "Paul Ostrow", "Gisela Brandt", "Ada Okoro",
           "Luis Vega", "Tove Lund")  # fmt: skip
FIRST = ("The Silent", "A Winter", "My Second", "The Last", "Seven", "Under the")
SECOND = ("Harbour", "Garden", "Kingdom", "Recipe", "Letters", "Orchard", "Witness", "Map")


def make() -> Made:
    dice = np.random.default_rng(903)
    names = [f"{one} {two}" for one in FIRST for two in SECOND]
    titles = pd.DataFrame({
        "isbn": [f"978-0-{n:05d}" for n in dice.choice(99_999, 48, replace=False)],
        "title": names, "author": dice.choice(AUTHORS, 48),
        "genre": dice.choice(GENRES, 48, p=[0.3, 0.2, 0.1, 0.2, 0.1, 0.1]),
        "pages": dice.integers(60, 720, 48).astype(float), "copies": dice.integers(1, 6, 48),
    })  # fmt: skip
    titles.loc[[4, 20, 33], "pages"] = np.nan
    readers = pd.DataFrame({
        "card_no": [f"R{n}" for n in range(2001, 2121)],
        "name": [f"{dice.choice(['Ann', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn'])} {last}{n:02d}"
                 for n, last in enumerate(dice.choice(["Hart", "Moss", "Reed", "Voss"], 120))],
        "birth_year": dice.integers(1938, 2016, 120).astype(float),
        "joined": moments(dice, "2018-01-01", "2024-11-30", 120),
        "branch": dice.choice(["Old Town", "Riverside", "North"], 120, p=[0.5, 0.3, 0.2]),
    })  # fmt: skip
    readers.loc[scattered(dice, 120, 7), "birth_year"] = np.nan
    size = 900
    out = moments(dice, "2023-01-02", "2024-12-14", size)
    kept_for = dice.gamma(4, 6, size).round().astype(int) + 1
    loans = pd.DataFrame({
        "loan_id": range(50001, 50001 + size),
        "card_no": dice.choice(readers["card_no"][:108], size),
        "isbn": dice.choice(titles["isbn"][:45], size, p=dice.dirichlet(np.full(45, 1.5))),
        "out_date": out, "due_date": out + pd.Timedelta(days=28),
        "back_date": out + pd.to_timedelta(kept_for, "D"),
    })  # fmt: skip
    loans.loc[scattered(dice, size, 36), "back_date"] = pd.NaT
    late = (loans["back_date"] - loans["due_date"]).dt.days.clip(lower=0)
    loans["fine"] = (late * 0.25).where(late > 0)
    twice = pd.concat([loans, loans.iloc[300:309]], ignore_index=True)
    kept: Frames = {"titles": titles, "readers": readers, "loans": loans}
    told = twice.copy()
    for each in ("out_date", "due_date", "back_date"):
        told[each] = told[each].dt.strftime("%d.%m.%Y").fillna("")
    told["fine"] = [f"{e:.2f} EUR".replace(".", ",") if e == e else "" for e in told["fine"]]
    people = readers.copy()
    people["joined"] = people["joined"].dt.strftime("%Y-%m-%d")
    people["birth_year"] = people["birth_year"].astype("Int64")
    people.loc[3:11, "branch"] = people.loc[3:11, "branch"].replace("Old Town", "old town")
    books = titles.assign(pages=titles["pages"].fillna(0).astype(int))
    raw = {"titles": books, "readers": people, "loans": told}
    return Made(raw, merged(questions(kept), questions({**kept, "loans": twice})), VIEWS, write)


def write(folder: Path, name: str, tables: Frames) -> list[Path]:
    del name
    paths = [folder / f"{table}.csv" for table in tables]
    for path, frame in zip(paths, tables.values(), strict=True):
        frame.to_csv(path, index=False, sep=";")
    return paths


def questions(t: Frames) -> list[Question]:
    titles, readers, loans = t["titles"], t["readers"], t["loans"]
    lent = loans.merge(titles, on="isbn").merge(readers, on="card_no")
    days = (loans["back_date"] - loans["out_date"]).dt.days
    late = loans["back_date"] > loans["due_date"]
    back = loans["back_date"].notna()
    year = loans["out_date"].dt.year
    genres = lent["genre"].value_counts()
    month24 = loans[year == 2024].groupby(loans["out_date"].dt.strftime("%Y-%m")).size()
    quarter = loans["out_date"].dt.to_period("Q").value_counts()
    change, relative = quarter.sort_index().diff(), quarter.sort_index().pct_change()
    busiest = lent["title"].value_counts()
    fines = lent.groupby("name")["fine"].sum().sort_values(ascending=False)
    people = readers["branch"].value_counts()
    per_head = lent["branch"].value_counts() / people
    bands = pd.cut(titles["pages"], [0, 199, 400, 9999], labels=["a", "b", "c"])
    return [
        Question("lookup", "who wrote The Last Orchard?",
                 one(titles.set_index("title")["author"]["The Last Orchard"]),
                 "select author from titles where title='The Last Orchard'"),
        Question("lookup", "when did reader R2050 join and at which branch",
                 parts(one(readers["joined"][49]), one(readers["branch"][49])),
                 ["select joined from readers where card_no='R2050'",
                  "select branch from readers where card_no='R2050'"]),
        Question("filter_count", "how many books are still out?", one((~back).sum()),
                 "select count(*) from loans where b is null"),
        Question("filter_count", "number of loans returned late", one(late.sum()),
                 "select count(*) from loans where b > due"),
        Question("aggregate", "average number of pages per genre",
                 rows(titles.groupby("genre")["pages"].mean()),
                 "select genre, avg(pages) from titles group by 1",
                 [rows(titles.fillna({"pages": 0}).groupby("genre")["pages"].mean())]),
        Question("aggregate", "total fines collected in 2024",
                 one(loans.loc[year == 2024, "fine"].sum()),
                 "select sum(fine) from loans where year(o) = 2024",
                 [one(loans.loc[loans["back_date"].dt.year == 2024, "fine"].sum())]),
        Question("topn", "the 3 most borrowed books", rows(busiest.head(3)),
                 """select title, count(*) from loans join titles using (isbn) group by 1
                 order by 2 desc limit 3""", [several(busiest.head(3).index)], ordered=True),
        Question("topn", "five readers who paid the most in fines", rows(fines.head(5)),
                 """select name, sum(fine) from loans join readers using (card_no) group by 1
                 order by 2 desc nulls last limit 5""", [several(fines.head(5).index)],
                 ordered=True),
        Question("share", "what share of loans is crime?", one(genres["Crime"] / len(lent)),
                 "select avg((genre='Crime')::int) from loans join titles using (isbn)",
                 unit="share"),
        Question("growth", "did lending go up from 2023 to 2024? give me the percentage",
                 one((year == 2024).sum() / (year == 2023).sum() - 1),
                 """select count(*) filter (year(o)=2024) / count(*) filter (year(o)=2023) - 1
                 from loans""", unit="share,abs"),
        Question("growth", "loans per quarter and the change to the quarter before",
                 rows(change.dropna()),
                 """with q as (select year(o) || 'Q' || quarter(o) x, count(*) n from loans
                 group by 1) select * from (select x, n - lag(n) over (order by x) c from q)
                 where c is not null order by x""",
                 [rows(change), rows(relative), rows(relative.dropna())],
                 unit="share,labels_free"),
        Question("compare", "do children's books come back faster than crime novels?",
                 rows(lent.assign(d=days_of(lent)).groupby("genre")["d"].mean()[["Children",
                                                                                 "Crime"]]),
                 """select genre, avg(date_diff('day', o, b)) from loans join titles using (isbn)
                 where genre in ('Children', 'Crime') group by 1"""),
        Question("join", "loans by branch of the reader", rows(lent["branch"].value_counts()),
                 "select branch, count(*) from loans join readers using (card_no) group by 1"),
        Question("join", "Which author is borrowed most at Riverside?",
                 one(lent.loc[lent["branch"] == "Riverside", "author"].value_counts().idxmax()),
                 """select author from loans join titles using (isbn) join readers using (card_no)
                 where branch='Riverside' group by 1 order by count(*) desc limit 1"""),
        Question("anti_join", "books nobody has ever borrowed",
                 several(sorted(titles.loc[~titles["isbn"].isin(loans["isbn"]), "title"])),
                 "select title from titles where isbn not in (select isbn from loans)"),
        Question("anti_join", "how many members never took out anything?",
                 one((~readers["card_no"].isin(loans["card_no"])).sum()),
                 """select count(*) from readers where card_no not in
                 (select card_no from loans)"""),
        Question("derived", "on average, how many days does a reader keep a book", one(days.mean()),
                 "select avg(date_diff('day', o, b)) from loans"),
        Question("derived", "loans per registered reader in each branch", rows(per_head),
                 """select branch, count(id) / count(distinct r.card_no) from readers r
                 left join loans using (card_no) group by 1""",
                 [rows(lent["branch"].value_counts()
                       / lent.groupby("branch")["card_no"].nunique())]),
        Question("percentile", "median days a book is out", one(days.median()),
                 "select median(date_diff('day', o, b)) from loans"),
        Question("distribution", "how many titles have under 200 pages, 200 to 400, over 400?",
                 rows(bands.value_counts()), """select case when pages < 200 then 'a'
                 when pages <= 400 then 'b' else 'c' end, count(*) from titles
                 where pages is not null group by 1""",
                 [rows(pd.Series({"a": (bands == "a").sum() + titles["pages"].isna().sum(),
                                  "b": (bands == "b").sum(), "c": (bands == "c").sum()}))],
                 unit="labels_free"),
        Question("correlation", "do thick books get lent for longer? correlation of pages and days",
                 one(lent["pages"].corr(days_of(lent))),
                 """select corr(pages, date_diff('day', o, b)) from loans
                 join titles using (isbn)""", tolerance=0.01),
        Question("quality", "how many readers have no year of birth",
                 one(readers["birth_year"].isna().sum()),
                 "select count(*) from readers where born is null"),
        Question("quality", "are there any duplicate loan records? how many rows too many?", one(9),
                 "select (select count(*) from raw_loans) - (select count(*) from loans)"),
        Question("running", "cumulative loans by month in 2024", rows(month24.cumsum()),
                 """select strftime(o, '%Y-%m') x, sum(count(*)) over (order by x) from loans
                 where year(o) = 2024 group by 1"""),
        Question("multi", "how many titles do we own, how many copies in total, and how many "
                 "members are there?",
                 parts(one(len(titles)), one(titles["copies"].sum()), one(len(readers))),
                 ["select count(*) from titles", "select sum(copies) from titles",
                  "select count(*) from readers"]),
        Question("wording", "wich book is hot rn, most loans since july 2024",
                 one(lent.loc[lent["out_date"] >= "2024-07-01", "title"].value_counts().idxmax()),
                 """select title from loans join titles using (isbn) where o >= date '2024-07-01'
                 group by 1 order by count(*) desc limit 1"""),
        Question("rounding", "average fine, two decimals please",
                 one(round(loans["fine"].mean(), 2)), "select round(avg(fine), 2) from loans",
                 [one(round(loans["fine"].fillna(0).mean(), 2))], tolerance=0.0001),
        Question("ambiguous", "who are our best readers?",
                 asks(by_loans=("loan|number|borrow|count|how many", one(
                          lent["name"].value_counts().idxmax())),
                      by_fines=("fine", one(fines.idxmax())),
                      by_time=("day|time|long|date|join", one(
                          lent.assign(d=days_of(lent)).groupby("name")["d"].sum().idxmax())))),
        Question("unanswerable", "what did we spend on new books in 2024?", DECLINE),
        Question("calendar", "which month of the year sees the most loans",
                 one(loans["out_date"].dt.month.value_counts().idxmax()),
                 "select month(o) from loans group by 1 order by count(*) desc limit 1",
                 [one(loans["out_date"].dt.strftime("%Y-%m").value_counts().idxmax()),
                  one(loans["out_date"].dt.month_name().value_counts().idxmax())]),
        Question("calendar", "Loans in the first half of 2024 vs the second half",
                 pairs({"first": ((year == 2024) & (loans["out_date"].dt.month < 7)).sum(),
                        "second": ((year == 2024) & (loans["out_date"].dt.month > 6)).sum()}),
                 """select month(o) > 6, count(*) from loans where year(o) = 2024 group by 1""",
                 unit="labels_free"),
    ]  # fmt: skip


def days_of(lent: pd.DataFrame) -> pd.Series:
    return (lent["back_date"] - lent["out_date"]).dt.days
