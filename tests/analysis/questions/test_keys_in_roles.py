"""Keys that refer to rows in roles, in both directions, and keys that refer to nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

from tests.analysis.questions.couriers import Couriers, open_couriers


@pytest.fixture(scope="module", params=[4, 19])
def post(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Couriers]:
    with open_couriers(tmp_path_factory.mktemp("post"), request.param, "post") as opened:
        yield opened


@pytest.fixture(scope="module", params=[4, 19])
def firm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Couriers]:
    with open_couriers(tmp_path_factory.mktemp("firm"), request.param, "firm") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("which people never sent a consignment?", "sender_id"),
        ("which people have never received a consignment?", "receiver_id"),
    ],
)
def test_who_never_did_it(post: Couriers, question: str, key: str) -> None:
    people, sent = post.frames["people"], post.frames["consignments"]
    idle = people[~people.person_id.isin(sent[key])]
    assert post.firsts(question) == sorted(idle.first_name)


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("how many consignments were received by people from Ulm?", "receiver_id"),
        ("how many consignments were sent by people in Ulm?", "sender_id"),
        ("how many consignments did people from Ulm send?", "sender_id"),
    ],
)
def test_values_of_those_who_did_it(post: Couriers, question: str, key: str) -> None:
    people, sent = post.frames["people"], post.frames["consignments"]
    ulm = people[people.town == "Ulm"].person_id
    assert post.rows(question) == [(sent[key].isin(ulm).sum(),)]


@pytest.mark.parametrize(
    ("question", "key"),
    [("who sent the most consignments?", "sender_id"),
     ("who received the most consignments?", "receiver_id")],
)  # fmt: skip
def test_who_did_it_most(post: Couriers, question: str, key: str) -> None:
    people, sent = post.frames["people"], post.frames["consignments"]
    counts = sent[key].value_counts()
    most = people[people.person_id.isin(counts[counts == counts.max()].index)]
    assert post.rows(question)[0][:2] in set(zip(most.first_name, most.last_name, strict=True))


@pytest.mark.parametrize(
    ("question", "key"),
    [("total kilos by zone of the departure hub", "from_hub"),
     ("total kilos by zone of the destination hub", "to_hub")],
)  # fmt: skip
def test_a_field_of_the_row_in_a_role(post: Couriers, question: str, key: str) -> None:
    joined = post.frames["consignments"].merge(
        post.frames["hubs"], left_on=key, right_on="hub_code"
    )
    assert dict(post.rows(question)) == joined.groupby("zone").kilos.sum().to_dict()


def unlisted(post: Couriers, key: str) -> pd.Series[bool]:
    return ~post.frames["consignments"][key].isin(post.frames["hubs"].hub_code)


@pytest.mark.parametrize(
    "question",
    ["which destination hubs are missing from the hubs table?",
     "which destination hubs are not in the hub list?"],
)  # fmt: skip
def test_keys_that_no_row_has(post: Couriers, question: str) -> None:
    keys = post.frames["consignments"].to_hub[unlisted(post, "to_hub")]
    assert post.firsts(question) == sorted(keys.unique())


def test_rows_whose_key_no_row_has(post: Couriers) -> None:
    asked = "how many consignments were sent to a hub that is not in the hub list?"
    assert post.rows(asked) == [(unlisted(post, "to_hub").sum(),)]


@pytest.mark.parametrize(
    ("question", "key"),
    [("which hubs were never used as a destination?", "to_hub"),
     ("which hubs were never used as an origin?", "from_hub")],
)  # fmt: skip
def test_rows_that_no_key_names(post: Couriers, question: str, key: str) -> None:
    hubs, sent = post.frames["hubs"], post.frames["consignments"]
    assert post.firsts(question) == sorted(hubs[~hubs.hub_code.isin(sent[key])].hub_name)


@pytest.mark.long("whole analyses over their data")
def test_who_stands_below(firm: Couriers) -> None:
    staff = firm.frames["staff"]
    boss = staff.iloc[1]
    below = staff[staff.boss_id == boss.staff_id]
    found = firm.firsts(f"who reports to {boss.first_name} {boss.last_name}?")
    assert found == sorted(below.first_name)


def test_who_stands_above_most(firm: Couriers) -> None:
    staff = firm.frames["staff"]
    counts = staff.boss_id.value_counts()
    most = staff[staff.staff_id.isin(counts[counts == counts.max()].index)]
    found = firm.rows("which staff member has the most reports?")
    assert found[0][0] in set(most.first_name)


def test_who_has_more_than_those_above(firm: Couriers) -> None:
    staff = firm.frames["staff"]
    both = staff.merge(staff, left_on="boss_id", right_on="staff_id", suffixes=("", "_of_boss"))
    expected = both[both.wage > both.wage_of_boss].first_name
    assert firm.firsts("which staff earn more than their boss?") == sorted(expected)


@pytest.mark.parametrize("question", ["who has no boss?", "who has no manager?"])
def test_who_stands_on_top(firm: Couriers, question: str) -> None:
    assert firm.firsts(question) == [firm.frames["staff"].first_name[0]]


def test_who_does_it_is_not_who_leads_it(firm: Couriers) -> None:
    staff, project = firm.frames["staff"], firm.frames["projects"].iloc[2]
    lead = staff[staff.staff_id == project.lead_id]
    assert firm.firsts(f"who leads {project.project}?") == list(lead.first_name)
    worked = firm.frames["assignments"]
    on_it = worked[worked.project_id == project.project_id].staff_id
    wages = staff[staff.staff_id.isin(on_it)].wage
    found = firm.rows(f"average wage of staff working on {project.project}")
    assert found[0][0] == pytest.approx(wages.mean())
    idle = (~staff.staff_id.isin(worked.staff_id)).sum()
    assert firm.rows("how many staff are not assigned to any project?") == [(idle,)]


def test_the_first_of_each_group_has_its_whole_name(firm: Couriers) -> None:
    joined = firm.frames["assignments"].merge(firm.frames["projects"], on="project_id")
    hours = joined.merge(firm.frames["staff"], on="staff_id")
    found = firm.rows("which staff member worked the most hours in each project?")
    assert len(found) == hours.project.nunique()
    best = hours.groupby("project").hours.max().to_dict()
    assert {row[0]: row[-1] for row in found} == best
