"""Shares of a whole: of some of its rows, or of each of its groups."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.analysis.questions.harvests import Harvests, open_harvests


@pytest.fixture(scope="module", params=[8, 30])
def harvests(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Harvests]:
    with open_harvests(tmp_path_factory.mktemp("harvests"), request.param) as opened:
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "what part of the total weight comes from {0}?",
        "{0}'s share of the weight",
        "what percentage of weight is from {0}",
        "share of {0} in weight",
    ],
)
def test_the_share_of_a_sum(harvests: Harvests, question: str) -> None:
    grove = harvests.groves()[0]
    sums = harvests.crates.groupby("grove").weight.sum()
    found = harvests.numbers(question.format(grove))
    assert found == pytest.approx([100 * sums[grove] / sums.sum()])


def test_a_time_is_that_of_the_whole(harvests: Harvests) -> None:
    grove = harvests.groves()[1]
    sums = harvests.in_year(2023).groupby("grove").weight.sum()
    found = harvests.numbers(f"what share of the weight in 2023 came from {grove}?")
    assert found == pytest.approx([100 * sums[grove] / sums.sum()])


@pytest.mark.parametrize(
    "question", ["what percentage of crates are bruised?", "what part of the crates is bruised"]
)
def test_the_share_of_rows_that_say_yes(harvests: Harvests, question: str) -> None:
    bruised = (harvests.crates.bruised == "yes").mean()
    assert harvests.numbers(question) == pytest.approx([100 * bruised])


@pytest.mark.parametrize(
    "question", ["crates by grove in percent", "grove split of the crates as percentages"]
)
def test_the_shares_of_groups(harvests: Harvests, question: str) -> None:
    shares = harvests.crates.grove.value_counts(normalize=True) * 100
    assert dict(harvests.rows(question)) == pytest.approx(shares.to_dict())
