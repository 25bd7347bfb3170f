"""Small tables of many fields with effects that were planted in them, and open questions about
them: what was planted is what is to be told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from business.asked import Asked, Finding, Half, never_says, says

Frames = dict[str, pd.DataFrame]
Made = tuple[Frames, dict[str, tuple[Finding, ...]]]


def told(*patterns: str) -> Finding:
    """One line of what the reader is told fits all the patterns."""
    return says("(?im)^" + "".join(f"(?=.*(?:{each}))" for each in patterns) + ".*$")


def untold(*patterns: str) -> Finding:
    """No line of what the reader is told fits all the patterns."""
    return never_says("(?im)^" + "".join(f"(?=.*(?:{each}))" for each in patterns) + ".*$")


def days(dice: np.random.Generator, first: str, last: str, size: int) -> pd.Series:
    """Days between two, in order."""
    span = pd.date_range(first, last, freq="D")
    return pd.Series(np.sort(dice.choice(span, size)))


def figure(value: float) -> str:
    """The pattern of a number as people round it, with or without commas, or as a percentage."""
    whole = f"{abs(value):,.0f}".replace(",", ",?")
    shown = {whole, f"{abs(value):.1f}", f"{abs(value):.2f}"} if abs(value) < 1000 else {whole}
    if abs(value) < 1:
        shown = {f"{100 * abs(value):.1f}", f"{abs(value):.2f}"}
    return "|".join(rf"(?<![\d.]){each}(?!\d)" for each in sorted(shown))


def hospital() -> Made:
    """Stays: those who got no call come back; the surgery's stays are longer since May."""
    dice, size = np.random.default_rng(41), 1500
    admitted = days(dice, "2024-01-01", "2024-09-30", size)
    ward = dice.choice(["Cardiology", "Surgery", "Geriatrics", "Neurology"], size)
    call = dice.choice(["yes", "no"], size, p=[0.6, 0.4])
    length = dice.gamma(4, 1.3, size) + 4 * ((ward == "Surgery") & (admitted >= "2024-05-01"))
    back = dice.random(size) < np.where(call == "no", 0.32, 0.08)
    stays = pd.DataFrame({
        "stay_no": [f"H{n:05d}" for n in range(size)],
        "admitted_on": admitted.dt.date.astype("str"),
        "discharged_on": (admitted + pd.to_timedelta(length.round(), "D")).dt.date.astype("str"),
        "ward": ward, "insurance": dice.choice(["public", "private"], size, p=[0.8, 0.2]),
        "age": dice.integers(18, 95, size), "follow_up_call": call,
        "readmitted": np.where(back, "Yes", "No"),
    })  # fmt: skip
    bill = 400 * length.round() + dice.normal(900, 100, size)
    stays["bill"] = [f"€{each:,.2f}" for each in bill]
    stays.loc[dice.choice(size, 60, replace=False), "insurance"] = "PUBLIC"
    stays.loc[dice.choice(size, 37, replace=False), "age"] = -1
    rate = back.mean()
    nights = pd.Series(length.round())
    since = pd.Series(admitted >= "2024-05-01")
    doubled = pd.concat([stays, stays.iloc[100:112]], ignore_index=True)
    surgery = pd.Series(ward == "Surgery")
    return {"stays": doubled}, {
        "Why are patients being readmitted?": (
            told("readmi", figure(rate) + "|" + f"{100 * rate:.0f}"),
            told("follow.up.call", r"\bno\b", "highest|more|most"),
            told("ward|insurance|age", "hardly|little|not|no clear"),
            untold("insurance", "most|mainly"),
        ),
        "Why has the length of stay gone up since May?": (
            told("length|stay", figure(nights[~since].mean()), figure(nights[since].mean())),
            told("surgery", figure(nights[surgery & since].mean())),
            told("others|cardiology|neurology|geriatrics", "little|not|same|hardly|unchanged"),
        ),
        "Can we trust the stays data?": (
            told(r"\b12\b", "duplicat|twice|repeat"),
            told("age", "-1", rf"\b{(doubled['age'] == -1).sum()}\b"),
            told("insurance", "spell|written|case"),
        ),
    }


def freight() -> Made:
    """Shipments of carriers over lanes: one carrier is late, one depot costs more in the third
    quarter."""
    dice, size = np.random.default_rng(42), 2000
    carriers = pd.DataFrame({
        "carrier_id": range(1, 9),
        "carrier": ["Alba", "Borea", "Cargo7", "Delta", "Eon", "Fjord", "Gama", "Halo"],
        "fleet": ["own", "own", "partner", "partner", "own", "partner", "own", "partner"],
    })  # fmt: skip
    when = days(dice, "2024-01-01", "2024-12-31", size)
    carrier = dice.integers(1, 9, size)
    depot = dice.choice(["Lyon", "Graz", "Turin", "Ghent"], size, p=[0.4, 0.3, 0.2, 0.1])
    weight = dice.gamma(3, 200, size).round(1)
    third = when.dt.quarter == 3
    cost = 60 + 0.35 * weight + dice.normal(0, 25, size) + 90 * ((depot == "Ghent") & third)
    late = dice.random(size) < np.where(carrier == 3, 0.45, 0.12)
    frame = pd.DataFrame({
        "shipment": range(70001, 70001 + size), "shipped": when.dt.date.astype("str"),
        "carrier_id": carrier, "depot": depot, "weight_kg": weight,
        "freight_cost": cost.round(2), "late": late.astype(int),
    })  # fmt: skip
    second = when.dt.quarter == 2
    change = frame["freight_cost"][third].sum() - frame["freight_cost"][second].sum()
    by = frame["freight_cost"].groupby([depot, when.dt.quarter]).sum()
    named = frame["late"].groupby(carrier).mean()
    return {"shipments": frame, "carriers": carriers}, {
        "What drives late deliveries?": (
            told("late", figure(frame["late"].mean())),
            told("cargo7", figure(named[3])),
            told("carrier", "most|strong|explain"),
            told("weight|depot", "hardly|little|chance|no "),
        ),
        "Why did freight cost change in Q3 2024 compared with Q2 2024?": (
            told("cost", figure(change)),
            told("ghent", figure(by["Ghent", 3] - by["Ghent", 2])),
            told("rows|shipments|number", rf"\b{int(second.sum())}\b", rf"\b{int(third.sum())}\b"),
        ),
        "What drives the freight cost of a shipment?": (
            told("weight", figure(frame["freight_cost"].corr(frame["weight_kg"]))),
            told("carrier|fleet|late", "hardly|little|chance|no "),
        ),
    }


def school() -> Made:
    """Exam results: attendance counts, one class is behind, the lunch says nothing."""
    dice, size = np.random.default_rng(43), 640
    attendance = dice.beta(9, 2, size) * 100
    group = dice.choice(["7a", "7b", "7c", "8a", "8b"], size)
    tutor = dice.choice(["Y", "N"], size, p=[0.3, 0.7])
    score = (20 + 0.5 * attendance + 6 * (tutor == "Y") - 11 * (group == "8b")
             + dice.normal(0, 6, size)).clip(0, 100)  # fmt: skip
    frame = pd.DataFrame({
        "Pupil": [f"P-{n}" for n in range(size)], "Class": group, "Tutoring": tutor,
        "Attendance %": attendance.round(1), "Lunch": dice.choice(["canteen", "home"], size),
        "Distance km": dice.gamma(2, 2, size).round(1), "Exam score": score.round(1),
        "Score of 20": (score / 5).round(1),
    })  # fmt: skip
    frame.loc[dice.choice(size, 23, replace=False), "Exam score"] = np.nan
    known = frame.dropna()
    means = known.groupby("Class")["Exam score"].mean()
    return {"results": frame}, {
        "What determines the exam score?": (
            told("attendance", figure(known["Exam score"].corr(known["Attendance %"]))),
            told("8b", "lowest|least|behind", figure(means["8b"])),
            told("tutoring", figure(known[known["Tutoring"] == "Y"]["Exam score"].mean())),
            told("lunch", "hardly|little|chance|no "),
            told(r"\b23\b", "missing|no exam"),
            told("score of.{0,9}20", "part|copy|same|another measure|left out"),
        ),
        "Which class should we worry about?": (told("8b", figure(means["8b"])),),
    }


def energy() -> Made:
    """Daily readings of buildings: one uses more since it was rebuilt, and cold days cost."""
    dice = np.random.default_rng(44)
    rows = []
    for day in pd.date_range("2023-01-01", "2024-12-31", freq="D"):
        cold = 12 - 11 * np.cos(2 * np.pi * (day.dayofyear - 20) / 365) + dice.normal(0, 2)
        for name, use in (("Mill", 300), ("Office", 180), ("Depot", 90), ("Lab", 140)):
            more = 1.45 if name == "Lab" and day.year == 2024 else 1.0
            weekend = 0.6 if day.dayofweek > 4 else 1.0
            kwh = use * more * weekend * (1 + 0.02 * (20 - cold)) + dice.normal(0, 12)
            rows.append((day.date().isoformat(), name, round(cold, 1), round(kwh, 1),
                         day.day_name()))  # fmt: skip
    frame = pd.DataFrame(rows, columns=["date", "building", "outdoor_temp", "kwh", "weekday"])
    frame.loc[777, "kwh"] = 98_765.0
    year = frame["date"].str[:4]
    total = frame.groupby(year)["kwh"].sum()
    lab = frame[frame["building"] == "Lab"].groupby(year)["kwh"].sum()
    return {"readings": frame}, {
        "Why did our energy consumption in kwh rise in 2024 compared with 2023?": (
            told(figure(total["2023"]), figure(total["2024"])),
            told("lab", figure(lab["2024"] - lab["2023"])),
        ),
        "What drives the kwh of a building?": (
            told("building", "most|explain|highest"),
            told("temp", "correlation|goes with"),
            told("98,?765|one (?:single )?row|outlier"),
        ),
        "Is something wrong with the readings data?": (told("kwh", "98,?765"),),
    }


def telecom() -> Made:
    """Customers who left, and a budget: monthly contracts and many calls; one team overspends."""
    dice, size = np.random.default_rng(45), 1800
    contract = dice.choice(["monthly", "yearly", "two years"], size, p=[0.5, 0.3, 0.2])
    calls = dice.poisson(1.6, size)
    chance = 0.05 + 0.22 * (contract == "monthly") + 0.05 * calls
    gone = dice.random(size) < chance
    frame = pd.DataFrame({
        "customer": range(1, size + 1), "region": dice.choice(["N", "S", "E", "W"], size),
        "contract": contract, "support_calls": calls,
        "monthly_fee": dice.normal(39, 9, size).round(2), "paperless": dice.choice([0, 1], size),
        "churned": gone,
        "leaving_reason": pd.Series(
            dice.choice(["price", "network", "moved"], size, p=[0.6, 0.3, 0.1])
        ).where(gone),
    })  # fmt: skip
    teams = ["Network", "Care", "Stores", "Online"]
    quarters = ["Q1", "Q2", "Q3", "Q4"]
    costs = pd.DataFrame(
        [(t, q, 100 + 10 * n, 100 + 10 * n + (17 if t == "Stores" else -1))
         for n, t in enumerate(teams) for q in quarters],
        columns=["team", "quarter", "planned_cost", "actual_cost"],
    )  # fmt: skip
    rates = frame.groupby("contract")["churned"].mean()
    return {"subscribers": frame, "costs": costs}, {
        "Why do our customers churn?": (
            told("churn", figure(gone.mean())),
            told("monthly", figure(rates["monthly"])),
            told("contract", "most|explain|strong"),
            told("calls", "more|correlation"),
            told("price", "reason"),
            told("region|fee|paperless", "hardly|little|chance|no "),
            untold("leaving.reason", "explains most"),
        ),
        "Where are we over budget?": (
            told("stores", figure(68)),
            told(figure(costs["actual_cost"].sum())),
        ),
    }


def library() -> Made:
    """Loans and members: students bring books back late, one branch has lost loans since June."""
    dice, size = np.random.default_rng(51), 1700
    members = pd.DataFrame({
        "member_id": [f"M{n:03d}" for n in range(300)],
        "group": dice.choice(["student", "senior", "family"], 300, p=[0.4, 0.25, 0.35]),
        "town": dice.choice(["Elm", "Oak", "Ash"], 300),
    })  # fmt: skip
    member = dice.integers(0, 300, size)
    group = members["group"].to_numpy()[member]
    overdue = dice.random(size) < np.where(group == "student", 0.5, 0.15)
    when = days(dice, "2024-01-01", "2024-12-31", size)
    branch = dice.choice(["Central", "North", "Harbour"], size, p=[0.5, 0.3, 0.2])
    kept = ~((branch == "North") & (when >= "2024-07-01") & (dice.random(size) < 0.6))
    loans = pd.DataFrame({
        "loan": range(1, size + 1), "member_id": members["member_id"].to_numpy()[member],
        "branch": branch, "lent": when.dt.strftime("%d.%m.%Y"),
        "genre": dice.choice(["novel", "crime", "science", "children"], size),
        "pages": dice.integers(60, 900, size), "overdue": np.where(overdue, "y", "n"),
        "fine": np.where(overdue, dice.gamma(2, 2, size).round(2), 0.0),
    })[kept]  # fmt: skip
    loans.loc[loans.index[5], "pages"] = 98_000
    group = pd.Series(group)[kept]
    late = loans["overdue"] == "y"
    return {"loans": loans, "members": members}, {
        "Why are books overdue?": (
            told("overdue", figure(late.mean())),
            told("student", figure(late[group == "student"].mean())),
            told("group", "most|explain|strong"),
            told("genre|branch|town|pages", "hardly|little|chance|no "),
            untold("fine", "explains most"),
        ),
        "Is there anything odd in the loans table?": (told("pages", "98,?000"),),
    }


def farm() -> Made:
    """Yields of fields: rain and one variety count; a field's harvest fell after 2022."""
    dice = np.random.default_rng(52)
    rows = []
    for year in range(2018, 2025):
        for plot in range(1, 41):
            soil = ("clay", "loam", "sand")[plot % 3]
            variety = dice.choice(["Amber", "Bruno", "Carla"])
            rain = dice.normal(520, 90)
            yielded = (3 + 0.006 * rain + 0.9 * (variety == "Carla")
                       - 1.6 * (soil == "sand" and year >= 2023) + dice.normal(0, 0.5))  # fmt: skip
            rows.append((plot, year, soil, variety, round(rain), round(dice.uniform(2, 30), 1),
                         dice.choice(["Ivo", "Ana", "Ute"]), round(yielded, 2)))  # fmt: skip
    frame = pd.DataFrame(rows, columns=["plot_no", "harvest_year", "soil", "variety", "rain_mm",
                                        "hectares", "driver", "yield_t_per_ha"])  # fmt: skip
    frame.loc[dice.choice(len(frame), 9, replace=False), "rain_mm"] = -999
    known = frame[frame["rain_mm"] > 0]
    target = frame["yield_t_per_ha"]
    year, sand = frame["harvest_year"], frame["soil"] == "sand"
    return {"harvests": frame}, {
        "What drives the yield?": (
            told("rain", figure(known["rain_mm"].corr(known["yield_t_per_ha"]))),
            told("carla", "highest|most|best", figure(target[frame["variety"] == "Carla"].mean())),
            told("driver|hectares", "hardly|little|chance|no "),
        ),
        "Why did the yield fall in 2023 compared with 2022?": (
            told("yield", figure(target[year == 2022].mean()), figure(target[year == 2023].mean())),
            told("sand", figure(target[sand & (year == 2023)].mean())),
        ),
        "Which variety should we plant?": (told("carla", "highest|most|best"),),
        "Check the harvests data for errors": (told("rain", "-999"),),
    }


def cinema() -> Made:
    """Tickets of shows: one hall earns most, discounts eat the margin, a month was closed."""
    dice, size = np.random.default_rng(53), 2200
    start = days(dice, "2023-01-01", "2024-12-31", size)
    start = start[~((start >= "2024-02-01") & (start < "2024-03-01"))].reset_index(drop=True)
    size = len(start)
    hall = dice.choice(["Rex", "Lux", "Gala"], size, p=[0.2, 0.3, 0.5])
    genre = dice.choice(["drama", "comedy", "action"], size)
    seats = dice.poisson(np.where(genre == "action", 90, 55), size) + 30 * (hall == "Gala")
    price = np.where(hall == "Gala", 12.0, 9.0)
    frame = pd.DataFrame({
        "show_id": [f"S{n}" for n in range(size)], "show_date": start.dt.date.astype("str"),
        "hall": hall, "genre": genre, "language": dice.choice(["dubbed", "original"], size),
        "tickets_sold": seats, "ticket_price": price,
        "ticket_sales": [f"$ {each:,.2f}" for each in seats * price],
        "rating": (3.4 + 0.5 * (genre == "drama") + dice.normal(0, 0.4, size)).clip(1, 5).round(1),
    })  # fmt: skip
    sales = pd.Series(seats * price)
    frame.loc[dice.choice(size, 31, replace=False), "rating"] = np.nan
    year = start.dt.year
    by = sales.groupby(hall).sum()
    return {"shows": frame}, {
        "Which hall should we focus on?": (
            told("gala", figure(by["Gala"])),
            told("gala", figure(by["Gala"] / by.sum())),
        ),
        "Why did ticket sales fall in 2024 compared with 2023?": (
            told("sales", figure(sales[year == 2023].sum()), figure(sales[year == 2024].sum())),
            told(rf"\b{(year == 2023).sum():,}\b", rf"\b{(year == 2024).sum():,}\b"),
        ),
        "What explains the rating of a show?": (
            told("drama", figure(frame["rating"][genre == "drama"].mean()), "highest|best"),
            told("genre", "most|strong"),
            told("hall|language", "hardly|little|chance|no "),
            told(r"\b31\b", "missing"),
        ),
    }


def courier() -> Made:
    """Meal deliveries of riders: rain and one kitchen slow them down, tips follow the basket."""
    dice, size = np.random.default_rng(61), 2400
    kitchens = pd.DataFrame({
        "kitchen_id": [11, 12, 13, 14, 15],
        "kitchen": ["Mango", "Basil", "Cedar", "Fig", "Olive"],
        "city": ["Porto", "Porto", "Braga", "Braga", "Faro"],
    })  # fmt: skip
    when = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(
        np.sort(dice.integers(0, 366 * 24 * 60, size)), "min"))  # fmt: skip
    kitchen = dice.choice([11, 12, 13, 14, 15], size)
    rain = dice.choice(["dry", "rain"], size, p=[0.75, 0.25])
    minutes = (24 + 9 * (rain == "rain") + 8 * ((kitchen == 14) & (when >= "2024-09-01"))
               + dice.normal(0, 5, size)).clip(5).round(1)  # fmt: skip
    basket = dice.gamma(4, 7, size).round(2)
    frame = pd.DataFrame({
        "order_ref": [f"#{n}" for n in range(size)], "ordered_at": when.astype("str"),
        "kitchen_id": kitchen, "weather": rain, "basket_value": basket,
        "payment": dice.choice(["card", "cash", "app"], size),
        "delivery_minutes": minutes, "stars": dice.integers(1, 6, size),
    })  # fmt: skip
    frame.loc[777, "basket_value"] = 41_000.0
    since = when >= "2024-09-01"
    times = frame["delivery_minutes"]
    fig = frame["kitchen_id"] == 14
    return {"deliveries": frame, "kitchens": kitchens}, {
        "What is behind our delivery minutes?": (
            told("delivery", figure(times.mean())),
            told("rain", figure(times[rain == "rain"].mean()), "highest|most|more"),
            told("payment|stars|basket", "hardly|little|chance|no "),
        ),
        "Why have delivery minutes increased since September?": (
            told("delivery", figure(times[~since].mean()), figure(times[since].mean())),
            told("fig", figure(times[fig & since].mean())),
            told("weather|payment", "no group|evenly|same|little"),
        ),
        "Are there any errors in the deliveries data?": (told("basket", "41,?000"),),
    }


def hiring() -> Made:
    """Applications: referred people are hired, the written test counts, the shoe size does not."""
    dice, size = np.random.default_rng(62), 1300
    source = dice.choice(["referral", "board", "agency"], size, p=[0.2, 0.5, 0.3])
    test = dice.normal(60, 15, size).clip(0, 100).round()
    chance = 0.04 + 0.3 * (source == "referral") + 0.006 * (test - 40).clip(0)
    hired = dice.random(size) < chance
    frame = pd.DataFrame({
        "Application": range(5001, 5001 + size), "Source": source, "Test score": test,
        "Shoe size": dice.integers(36, 47, size),
        "Team": dice.choice(["Sales", "Tech", "Ops"], size),
        "Status": np.where(hired, "hired", "rejected"),
        "Starting bonus": np.where(hired, dice.integers(1, 9, size) * 500.0, np.nan),
    })  # fmt: skip
    frame.loc[dice.choice(size, 90, replace=False), "Source"] = "Referral "
    rate = hired[frame["Source"].str.strip().str.casefold() == "referral"].mean()
    return {"applications": frame}, {
        "Why do people get hired?": (
            told("hired", figure(hired.mean())),
            told("referral", figure(rate)),
            told("test score", "more|correlation"),
            told("shoe size|team", "hardly|little|chance|no "),
        ),
        "How reliable is the applications data?": (
            told("source", "spell|written|case"),
            told("starting bonus", "rejected"),
        ),
    }


def plant() -> Made:
    """Shifts of machines: scrap rose when a machine was overhauled; targets are missed there."""
    dice = np.random.default_rng(63)
    rows = []
    for day in pd.date_range("2024-01-01", "2024-06-30", freq="D"):
        for machine in ("M-1", "M-2", "M-3"):
            for shift in ("early", "late"):
                bad = 40 + 30 * (machine == "M-2" and day.month >= 4) + dice.normal(0, 6)
                rows.append((day.date().isoformat(), machine, shift, 1000,
                             round(1010 - 90 * (machine == "M-2") + dice.normal(0, 20)),
                             round(bad), round(dice.normal(21, 2), 1)))  # fmt: skip
    frame = pd.DataFrame(rows, columns=["day", "machine", "shift", "target_pieces",
                                        "actual_pieces", "scrap_pieces", "hall_temp"])  # fmt: skip
    quarter = pd.to_datetime(frame["day"]).dt.quarter
    scrap = frame.groupby(quarter)["scrap_pieces"].sum()
    second = frame[frame["machine"] == "M-2"].groupby(quarter)["scrap_pieces"].sum()
    short = frame["actual_pieces"].sum() - frame["target_pieces"].sum()
    of_second = frame[frame["machine"] == "M-2"]
    gap = of_second["actual_pieces"].sum() - of_second["target_pieces"].sum()
    return {"shifts": frame}, {
        "Why did scrap pieces go up in Q2 2024 compared with Q1 2024?": (
            told("scrap", figure(scrap[1]), figure(scrap[2])),
            told("M-2", figure(second[2] - second[1])),
            told("shift", "no group|evenly|same|little"),
        ),
        "Where do we miss our target?": (told(figure(short)), told("M-2", figure(gap))),
        "What drives scrap pieces?": (
            told("machine", "most|strong"),
            told("M-2", "highest|most"),
            told("temp|shift", "hardly|little|chance|no "),
        ),
    }


MAKERS: Final[tuple[tuple[Half, Callable[[], Made]], ...]] = (
    ("tuning", hospital), ("tuning", freight), ("tuning", school), ("tuning", energy),
    ("tuning", telecom), ("tuning", library), ("tuning", farm), ("tuning", cinema),
    ("held", courier), ("held", hiring), ("held", plant),
)  # fmt: skip


def planted_questions(folder: Path) -> list[Asked]:
    """Write the tables of each field; its questions with what was planted."""
    found = []
    for half, make in MAKERS:
        frames, asked = make()
        place = folder / "planted" / make.__name__
        place.mkdir(parents=True, exist_ok=True)
        for name, frame in frames.items():
            frame.to_csv(place / f"{name}.csv", index=False)
        data = tuple(f"planted/{make.__name__}/{name}.csv" for name in frames)
        for number, (question, findings) in enumerate(asked.items()):
            found.append(Asked(f"{make.__name__}-{number}", question, data, findings,
                               difficulty="planted", half=half))  # fmt: skip
    return found
