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
        "leaving_reason": np.where(
            gone, dice.choice(["price", "network", "moved"], size, p=[0.6, 0.3, 0.1]), None
        ),
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


MAKERS: Final[tuple[tuple[Half, Callable[[], Made]], ...]] = (
    ("tuning", hospital), ("tuning", freight), ("tuning", school), ("tuning", energy),
    ("tuning", telecom),
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
