"""A published table of times until an event, of which some are censored."""

from __future__ import annotations

import numpy as np
import pandas as pd

# Weeks of remission of leukemia patients (Freireich and others, 1963); below nought: censored.
TREATED = (6, 6, 6, -6, 7, -9, 10, -10, -11, 13, 16, -17, -19, -20, 22, 23, -25, -32, -32, -34, -35)
CONTROL = (1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23)


def leukemia() -> pd.DataFrame:
    weeks = np.array([*TREATED, *CONTROL])
    arm = ["treated"] * len(TREATED) + ["control"] * len(CONTROL)
    return pd.DataFrame({"arm": arm, "weeks": np.abs(weeks), "relapsed": (weeks > 0).astype(int)})
