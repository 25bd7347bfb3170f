"""The phases of a pipeline, by the names that its configuration uses."""

from __future__ import annotations

from typing import Final, Literal

PhaseName = Literal[
    "understand_background",
    "preliminary_eda",
    "data_cleaning",
    "in_depth_eda",
    "feature_engineering",
    "model_building",
]
TITLES: Final[dict[str, str]] = {
    "understand_background": "Understand Background",
    "preliminary_eda": "Preliminary Exploratory Data Analysis",
    "data_cleaning": "Data Cleaning",
    "in_depth_eda": "In-depth Exploratory Data Analysis",
    "feature_engineering": "Feature Engineering",
    "model_building": "Model Building, Validation, and Prediction",
}
# What each phase is for, as its agents are told.
TASKS: Final[dict[str, str]] = {
    "understand_background": "Find out what is to be predicted, of which tables, how it is judged "
    "and what is to be handed in.",
    "preliminary_eda": "Look at every column: its values, what is missing, how the target is "
    "distributed, and how train and test differ. Change nothing.",
    "data_cleaning": "Repair what is wrong in the tables, the same way in train and test, without "
    "losing rows of test, and without learning anything from test.",
    "in_depth_eda": "Find what the target depends on, and which columns depend on each other. "
    "Change nothing.",
    "feature_engineering": "Make columns from which the target can be learned better, the same way "
    "in train and test, without leaking the target.",
    "model_building": "Choose a validation that fits the data, learn and compare models, predict "
    "the rows of test, and write the submission.",
}
# What the report of each phase answers.
QUESTIONS: Final[dict[str, tuple[str, ...]]] = {
    "understand_background": (
        "What is to be predicted, and how is it judged?",
        "What is to be handed in?",
    ),
    "preliminary_eda": (
        "How large are the tables, and what kinds of columns do they have?",
        "What is missing or looks wrong?",
        "How is the target distributed?",
        "How do train and test differ?",
    ),
    "data_cleaning": (
        "What was changed in which columns, and why?",
        "How many rows and columns were lost?",
        "What is still missing?",
    ),
    "in_depth_eda": (
        "Which columns tell most about the target?",
        "Which columns tell the same?",
    ),
    "feature_engineering": (
        "Which columns were made, of what, and why?",
        "Which were left out?",
    ),
    "model_building": (
        "How was it validated, and why so?",
        "Which models were tried, and how good are they beside the yardsticks?",
        "Which model or blend predicts, and what is its score?",
        "What was handed in?",
    ),
}
