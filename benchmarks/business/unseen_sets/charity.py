"""A charity: donors, its campaigns, and what was given to them."""

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
create view donors as select cast("Donor No" as int) no, "Donor Name" name, "Type" kind,
  case when trim("City") in ('-', '') then null else trim("City") end city,
  strptime("First Gift", '%d-%b-%Y') since, lower("Newsletter") in ('y', 'yes') news
  from raw_donors;
create view campaigns as select "Campaign Code" code, "Campaign" campaign, "Cause" cause,
  cast(replace("Target", ' GBP', '') as double) target, cast("Cost" as double) cost
  from raw_campaigns;
create view gifts as select distinct cast("Gift No" as int) g, cast("Donor No" as int) no,
  "Campaign Code" code, strptime("Received", '%d/%m/%y') d,
  cast(replace(replace("Amount", '£', ''), ',', '') as double) amount, lower("Channel") channel,
  lower("Gift Aid") in ('y', 'yes') aid from raw_gifts;
create view given as select * from gifts join donors using (no) join campaigns using (code);
"""
CAMPAIGNS = ("Winter Coats", "Clean Wells", "School Meals", "Flood Relief", "Plant a Tree",
             "Guide Dogs", "Christmas Appeal", "Rescue Boats")  # fmt: skip


def make() -> Made:
    dice = np.random.default_rng(913)
    count = 130
    donors = pd.DataFrame({
        "Donor No": range(5001, 5001 + count),
        "Donor Name": [f"{one}{n} {two}" for n, (one, two) in enumerate(zip(
            dice.choice(["Ann", "Ben", "Cara", "Dev", "Elsie", "Finn"], count),
            dice.choice(["Moore", "Patel", "Quinn", "Reid", "Shaw"], count), strict=True))],
        "Type": dice.choice(["Private", "Company", "Foundation"], count, p=[0.75, 0.17, 0.08]),
        "City": dice.choice(["Leeds", "Bristol", "Cardiff", "York"], count, p=[0.4, 0.3, 0.2, 0.1]),
        "First Gift": moments(dice, "2016-01-10", "2023-11-30", count),
        "Newsletter": dice.choice(["yes", "no"], count, p=[0.6, 0.4]),
    })  # fmt: skip
    donors.loc[scattered(dice, count, 9), "City"] = None
    campaigns = pd.DataFrame({
        "Campaign Code": [f"CA{n:02d}" for n in range(1, 9)], "Campaign": CAMPAIGNS,
        "Cause": ["Poverty", "Water", "Children", "Emergency", "Nature", "Health", "Poverty",
                  "Emergency"],
        "Target": [30_000, 45_000, 60_000, 80_000, 20_000, 25_000, 50_000, 40_000],
        "Cost": [2100.0, 4800.0, 3900.0, 6200.0, 2500.0, 1900.0, 7400.0, 900.0],
    })  # fmt: skip
    size = 950
    gifts = pd.DataFrame({
        "Gift No": range(1, size + 1),
        "Donor No": dice.choice(donors["Donor No"][:119], size,
                                p=dice.dirichlet(np.full(119, 1.5))),
        "Campaign Code": dice.choice(campaigns["Campaign Code"][:7], size,
                                     p=[0.15, 0.15, 0.2, 0.2, 0.08, 0.07, 0.15]),
        "Received": moments(dice, "2023-01-02", "2024-12-30", size),
        "Channel": dice.choice(["Online", "Direct debit", "Cheque", "Cash"], size,
                               p=[0.5, 0.3, 0.12, 0.08]),
        "Gift Aid": dice.choice(["yes", "no"], size, p=[0.55, 0.45]),
    })  # fmt: skip
    kind = gifts["Donor No"].map(dict(zip(donors["Donor No"], donors["Type"], strict=True)))
    much = kind.map({"Private": 1.0, "Company": 6.0, "Foundation": 15.0})
    gifts["Amount"] = (dice.gamma(1.4, 45, size) * much + 5).round(2)
    gifts = gifts[["Gift No", "Donor No", "Campaign Code", "Received", "Amount", "Channel",
                   "Gift Aid"]]  # fmt: skip
    kept: Frames = {"donors": donors, "campaigns": campaigns, "gifts": gifts}
    twice = pd.concat([gifts, gifts.iloc[400:411]], ignore_index=True)
    told = twice.copy()
    told["Received"] = told["Received"].dt.strftime("%d/%m/%y")
    told["Amount"] = [f"£{each:,.2f}" for each in told["Amount"]]
    told["Gift Aid"] = told["Gift Aid"].str[0].str.upper()
    loud = told["Gift No"] % 9 == 0
    told["Channel"] = told["Channel"].mask(loud, told["Channel"].str.upper())
    people = donors.assign(City=donors["City"].fillna("-"))
    people["First Gift"] = people["First Gift"].dt.strftime("%d-%b-%Y")
    people.loc[people.index % 6 == 0, "Newsletter"] = people["Newsletter"].str[0].str.upper()
    raw = {
        "donors": people, "gifts": told,
        "campaigns": campaigns.assign(Target=[f"{each} GBP" for each in campaigns["Target"]]),
    }  # fmt: skip
    return Made(raw, merged(questions(kept), questions({**kept, "gifts": twice})), VIEWS, write)


def write(folder: Path, name: str, tables: Frames) -> list[Path]:
    del name
    paths = [folder / f"{table}.csv" for table in tables]
    for path, frame in zip(paths, tables.values(), strict=True):
        frame.to_csv(path, index=False, sep=";", encoding="cp1252")
    return paths


def questions(t: Frames) -> list[Question]:
    donors, campaigns, gifts = t["donors"], t["campaigns"], t["gifts"]
    given = gifts.merge(donors, on="Donor No").merge(campaigns, on="Campaign Code")
    year, month = gifts["Received"].dt.year, gifts["Received"].dt.month
    raised = given.groupby("Campaign")["Amount"].sum().sort_values(ascending=False)
    generous = given.groupby("Donor Name")["Amount"].sum().sort_values(ascending=False)
    channels = gifts.groupby("Channel")["Amount"].agg(["sum", "mean", "count"])
    sums = gifts.groupby(year)["Amount"].sum()
    facts = campaigns.set_index("Campaign")
    months = gifts[year == 2024].groupby(gifts["Received"].dt.strftime("%Y-%m"))["Amount"].sum()
    biggest = given.loc[given["Amount"].idxmax()]
    size = pd.cut(gifts["Amount"], [0, 49.999, 500, 10**7], labels=["a", "b", "c"])
    times = given.groupby("Donor No").agg(n=("Amount", "size"), total=("Amount", "sum"))
    quarters = gifts.groupby(gifts["Received"].dt.to_period("Q").astype(str))["Amount"].sum()
    silent = donors.loc[~donors["Donor No"].isin(gifts["Donor No"]), "Donor Name"]
    reached = raised / facts["Target"].reindex(raised.index)
    return [
        Question("lookup", "what's the target for Flood Relief?", one(80_000),
                 "select target from campaigns where campaign='Flood Relief'", [one("80000 GBP")]),
        Question("lookup", "From which city comes donor 5044?",
                 one(donors.set_index("Donor No")["City"][5044]),
                 "select city from donors where no=5044"),
        Question("filter_count", "donations of at least £500: number?",
                 one((gifts["Amount"] >= 500).sum()),
                 "select count(*) from gifts where amount >= 500"),
        Question("filter_count", "how many of the corporate donors (type Company) take the "
                 "newsletter?",
                 one(((donors["Type"] == "Company") & (donors["Newsletter"] == "yes")).sum()),
                 "select count(*) from donors where kind='Company' and news"),
        Question("aggregate", "How much money has come in through each channel?",
                 rows(channels["sum"]), "select channel, sum(amount) from gifts group by 1"),
        Question("aggregate", "what does a donor give on average per gift?",
                 one(gifts["Amount"].mean()), "select avg(amount) from gifts"),
        Question("topn", "ten most generous donors, please with totals", rows(generous.head(10)),
                 """select name, sum(amount) from gifts join donors using (no) group by 1
                 order by 2 desc limit 10""", ordered=True),
        Question("topn", "Which campaign raised the least money (of those that raised any)?",
                 one(raised.idxmin()),
                 "select campaign from given group by 1 order by sum(amount) limit 1"),
        Question("share", "share of the online channel in all money given",
                 one(channels["sum"]["Online"] / channels["sum"].sum()),
                 "select sum(amount) filter (channel='online') / sum(amount) from gifts",
                 unit="share"),
        Question("share", "what proportion of gifts has gift aid on it?",
                 one((gifts["Gift Aid"] == "yes").mean()), "select avg(aid::int) from gifts",
                 [one(gifts.loc[gifts["Gift Aid"] == "yes", "Amount"].sum()
                      / gifts["Amount"].sum())], unit="share"),
        Question("growth", "Percentage change in total donations, 2024 over 2023",
                 one(sums[2024] / sums[2023] - 1),
                 """select sum(amount) filter (year(d)=2024) / sum(amount) filter (year(d)=2023)
                 - 1 from gifts""", [one((year == 2024).sum() / (year == 2023).sum() - 1)],
                 unit="share,abs"),
        Question("growth", "quarter over quarter growth of donations in pounds",
                 rows(quarters.diff().dropna()),
                 """with q as (select year(d) || 'Q' || quarter(d) x, sum(amount) n from gifts
                 group by 1) select * from (select x, n - lag(n) over (order by x) c from q)
                 where c is not null order by x""",
                 [rows(quarters.diff()), rows(quarters.pct_change()),
                  rows(quarters.pct_change().dropna())], unit="share,labels_free"),
        Question("compare", "cheque vs cash: typical (mean) amount",
                 rows(channels["mean"][["Cheque", "Cash"]]),
                 """select channel, avg(amount) from gifts where channel in ('cheque', 'cash')
                 group by 1"""),
        Question("compare", "Do people who get the newsletter give more in all than those who do "
                 "not get it?", rows(given.groupby("Newsletter")["Amount"].sum()),
                 """select case when news then 'yes' else 'no' end, sum(amount) from given
                 group by 1""",
                 [rows(given.groupby("Newsletter")["Amount"].mean())], unit="labels_free"),
        Question("join", "total given per cause", rows(given.groupby("Cause")["Amount"].sum()),
                 "select cause, sum(amount) from given group by 1"),
        Question("join", "money from foundations for School Meals",
                 one(given.loc[(given["Type"] == "Foundation")
                               & (given["Campaign"] == "School Meals"), "Amount"].sum()),
                 """select sum(amount) from given where kind='Foundation'
                 and campaign='School Meals'"""),
        Question("anti_join", "donors on file with no gift in the list", several(sorted(silent)),
                 "select name from donors where no not in (select no from gifts)",
                 [several(sorted(donors.loc[donors["Donor Name"].isin(silent), "Donor No"]))]),
        Question("anti_join", "which campaign did not receive a penny?", several(["Rescue Boats"]),
                 "select campaign from campaigns where code not in (select code from gifts)"),
        Question("derived", "What percentage of its target has each campaign reached?",
                 rows(reached),
                 "select campaign, sum(amount) / max(target) from given group by 1",
                 [rows(reached.reindex(facts.index)), rows(reached.reindex(facts.index).fillna(0))],
                 unit="share"),
        Question("derived", "pounds raised per pound of campaign cost, by campaign",
                 rows(raised / facts["Cost"].reindex(raised.index)),
                 "select campaign, sum(amount) / max(cost) from given group by 1",
                 [rows((raised / facts["Cost"]).reindex(facts.index))]),
        Question("percentile", "the median gift of private donors",
                 one(given.loc[given["Type"] == "Private", "Amount"].median()),
                 "select median(amount) from given where kind='Private'", tolerance=0.01),
        Question("distribution", "Break the gifts down by size: below £50, £50 to £500, above £500",
                 rows(size.value_counts()), """select case when amount < 50 then 'a'
                 when amount <= 500 then 'b' else 'c' end, count(*) from gifts group by 1""",
                 unit="labels_free"),
        Question("correlation", "do those who give often also give much? correlation between "
                 "number of gifts and total per donor", one(times["n"].corr(times["total"])),
                 """select corr(n, s) from (select count(*) n, sum(amount) s from gifts
                 group by no)""", tolerance=0.01),
        Question("quality", "For how many donors is the city unknown?",
                 one(donors["City"].isna().sum()),
                 "select count(*) from donors where city is null"),
        Question("running", "cumulated donations over the year 2024, monthly",
                 rows(months.cumsum()),
                 """select strftime(d, '%Y-%m') x, sum(sum(amount)) over (order by x) from gifts
                 where year(d)=2024 group by 1"""),
        Question("multi", "Who made the biggest single donation, how large was it and to which "
                 "campaign did it go?",
                 parts(one(biggest["Donor Name"]), one(biggest["Amount"]),
                       one(biggest["Campaign"])),
                 ["select name from given order by amount desc limit 1",
                  "select max(amount) from gifts",
                  "select campaign from given order by amount desc limit 1"]),
        Question("wording", "donatons for plant a tre, total??", one(raised["Plant a Tree"]),
                 "select sum(amount) from given where campaign='Plant a Tree'",
                 [one((given["Campaign"] == "Plant a Tree").sum())]),
        Question("wording", "the donors of Leeds, how many they are",
                 one((donors["City"] == "Leeds").sum()),
                 "select count(*) from donors where city='Leeds'"),
        Question("rounding", "total donations 2023, to the nearest thousand pounds",
                 one(round(sums[2023], -3)),
                 "select round(sum(amount), -3) from gifts where year(d)=2023",
                 [one(round(sums[2023] / 1000))], tolerance=0.0001),
        Question("ambiguous", "what was our most successful campaign?",
                 asks(by_amount=("amount|raised|money|given|sum", one(raised.idxmax())),
                      by_number=("number|count|how many|rows", one(
                          given["Campaign"].value_counts().idxmax())),
                      by_target=("target", one(reached.idxmax())),
                      by_cost=("cost", one((raised / facts["Cost"]).idxmax())))),
        Question("unanswerable", "how old is our average donor?", DECLINE),
        Question("calendar", "what was donated in December in 2023 and in 2024",
                 pairs({"2023": gifts.loc[(year == 2023) & (month == 12), "Amount"].sum(),
                        "2024": gifts.loc[(year == 2024) & (month == 12), "Amount"].sum()}),
                 "select year(d), sum(amount) from gifts where month(d)=12 group by 1",
                 unit="labels_free"),
        Question("calendar", "How many donations arrived at weekends?",
                 one((gifts["Received"].dt.dayofweek > 4).sum()),
                 "select count(*) from gifts where isodow(d) > 5"),
    ]  # fmt: skip
