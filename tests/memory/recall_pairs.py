"""What a loop remembers, beside what is asked later: pairs that belong together, and all others."""

from __future__ import annotations

import json
from typing import Final

_SITES: Final = json.dumps(
    [[f"Site {n}", f"2019-{n % 12 + 1:02d}-01", n * 7919 % 997 / 100] for n in range(30)]
)
# Each document with the questions that it helps with. The first is as long as they get in the loop.
PAIRS: Final[dict[str, tuple[str, ...]]] = {
    "goal: What drives the yield of the warehouses?\ncommand: python\narguments: "
    '{"task": "Calculate the correlation between yield_rate and all other features"}\n'
    "observation: 30 rows with 3 columns: site, month, dwell.\n"
    f'columns: ["site", "month", "dwell"]\nrows: {_SITES}': (
        "What drives yield_rate?",
        "Is dwell related to the yield of a warehouse?",
        "correlation of features with yield",
        "Which features matter for the yield rate?",
    ),
    "goal: Which region sold most in 2019?\ncommand: sql\narguments: "
    '{"question": "Which region sold most in 2019?"}\n'
    "observation: region south has the most sales: 20,120.5\n"
    'columns: ["region", "total"]\nrows: [["south", 20120.5], ["north", 1201.0]]': (
        "Which region sold least?",
        "sales by region and year",
        "How much did the south sell in 2019?",
        "Compare the sales of regions",
        "What was sold in the north?",
    ),
    "goal: How many penguins live on each island?\ncommand: sql\narguments: "
    '{"question": "How many penguins live on each island?"}\nobservation: 3 rows.\n'
    'columns: ["island", "count"]\nrows: [["Biscoe", 168], ["Dream", 124], ["Torgersen", 52]]': (
        "How many penguins are there on Dream?",
        "Which island has the most penguins?",
        "Count the penguins by island and species",
    ),
    "goal: Plot the median price of diamonds by cut\ncommand: plotly\narguments: "
    '{"task": "Draw a bar chart of the median price by cut"}\n'
    "observation: A figure was drawn: Median price by cut.\nfeedback: horizontal bars, please": (
        "What do diamonds cost by cut?",
        "Draw the price of diamonds by colour",
        "median price of each cut",
    ),
    'goal: Who won the cup in 1998?\ncommand: wiki_search\narguments: {"query": "1998 World Cup"}\n'
    "observation: The 1998 World Cup was won by France, who beat Brazil 3-0 in the final.": (
        "Who won the world cup in 1994?",
        "Which team beat Brazil in 1998?",
        "World Cup winners",
    ),
    "goal: Average arrival delay of flights by carrier\ncommand: sql\narguments: "
    '{"question": "average arrival delay by carrier"}\n'
    "observation: F9 has the greatest mean arrival delay, 21.9 minutes.\n"
    'columns: ["carrier", "mean_arr_delay"]\nrows: [["F9", 21.9], ["FL", 20.1]]': (
        "Which carrier is delayed most?",
        "arrival delay of flights in winter",
        "Average delay by airport and carrier",
    ),
    "The barley harvest of 2019 was 412 tonnes, most of it in August.": (
        "How large was the barley harvest?",
        "What was harvested in August 2019?",
    ),
    "The user wants every chart as horizontal bars.": (
        "Draw a chart of sales as bars",
        "Which charts does the user want?",
    ),
    "The query failed: there is no column called pricing_tier.": (
        "Which pricing_tier is used most?",
        "Why did the query fail?",
    ),
}
