"""All kinds of phrases that a question may be made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flows.analysis.questions.parts import PlacedPart
from flows.analysis.questions.phrases.calendar import (
    read_base,
    read_grain,
    read_latest,
    read_periods,
    read_season,
    read_since,
)
from flows.analysis.questions.phrases.changes import read_change, read_course
from flows.analysis.questions.phrases.comparisons import read_comparative, read_rest
from flows.analysis.questions.phrases.denials import read_denial, read_repeats
from flows.analysis.questions.phrases.directions import read_direction
from flows.analysis.questions.phrases.distributions import read_bands, read_series, read_spread
from flows.analysis.questions.phrases.durations import (
    read_being_out,
    read_duration,
    read_lasting,
    read_length,
    read_stay,
    read_until,
)
from flows.analysis.questions.phrases.events import read_event, read_new
from flows.analysis.questions.phrases.everything import read_everything
from flows.analysis.questions.phrases.extremes import read_extreme
from flows.analysis.questions.phrases.figures import (
    read_amount,
    read_any_one,
    read_criterion,
    read_function,
    read_measure,
)
from flows.analysis.questions.phrases.forms import read_form
from flows.analysis.questions.phrases.formulas import (
    read_known_ratio,
    read_price,
    read_product,
    read_quotient,
    read_times,
)
from flows.analysis.questions.phrases.grouping import (
    read_group,
    read_more_groups,
    read_split,
    read_usual_period,
)
from flows.analysis.questions.phrases.idioms import read_idiom
from flows.analysis.questions.phrases.judgements import read_judgement
from flows.analysis.questions.phrases.keys import read_key
from flows.analysis.questions.phrases.lateness import read_lateness
from flows.analysis.questions.phrases.losses import read_loss
from flows.analysis.questions.phrases.names import read_name, read_question_word
from flows.analysis.questions.phrases.numbers import (
    read_against,
    read_bound,
    read_free,
    read_range,
    read_year,
)
from flows.analysis.questions.phrases.percentiles import read_edge
from flows.analysis.questions.phrases.plans import (
    read_intended,
    read_most_over,
    read_plan,
    read_variance,
)
from flows.analysis.questions.phrases.ranges import read_beyond, read_counts, read_stretch
from flows.analysis.questions.phrases.rates import read_rate
from flows.analysis.questions.phrases.ratios import (
    read_difference,
    read_per,
    read_weight,
)
from flows.analysis.questions.phrases.results import read_result
from flows.analysis.questions.phrases.roles import read_above, read_role
from flows.analysis.questions.phrases.shares import read_link, read_share, read_state_rate
from flows.analysis.questions.phrases.spans import read_span
from flows.analysis.questions.phrases.states import (
    read_flag,
    read_happening,
    read_known,
    read_state,
    read_undone,
)
from flows.analysis.questions.phrases.times import read_short_year, read_time
from flows.analysis.questions.phrases.values import read_containing, read_others, read_value
from flows.analysis.questions.phrases.worth import read_capacity, read_fitting, read_worth
from flows.analysis.questions.text import Text

Rule = Callable[[Text, int], Iterator[PlacedPart]]

# In no order: the cheapest reading of the whole question is taken.
RULES: tuple[Rule, ...] = (
    read_year, read_free, read_known_ratio, read_quotient, read_product, read_times, read_price,
    read_group, read_more_groups, read_split, read_usual_period, read_value, read_containing,
    read_others,
    read_time, read_bound, read_range, read_against, read_amount, read_criterion, read_any_one,
    read_function, read_extreme, read_measure, read_name,
    read_question_word, read_grain, read_latest, read_periods, read_since, read_change,
    read_course, read_share, read_state_rate, read_link, read_event,
    read_everything, read_new,
    read_per, read_difference, read_weight, read_form, read_duration, read_lasting,
    read_rate, read_idiom,
    read_plan, read_variance, read_most_over, read_intended, read_loss, read_judgement,
    read_worth, read_capacity, read_fitting,
    read_short_year, read_edge, read_length, read_stay, read_until,
    read_denial, read_repeats, read_key, read_role, read_above, read_known,
    read_state, read_undone, read_happening, read_comparative, read_bands, read_series,
    read_spread, read_direction, read_lateness, read_flag, read_span, read_result, read_beyond,
    read_stretch, read_counts, read_rest, read_season, read_base, read_being_out,
)  # fmt: skip
