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
