"""The analysis over HTTP: what people decide in cells becomes comparisons, pools and drawings."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.site import Site

TRIAL = """Early feeding after bowel surgery: a randomised trial

Abstract
Methods: Patients having elective bowel resection were randomised to early feeding or usual care.
Results: A total of 240 patients were randomised. Wound infection occurred in {one} of 120 patients ({one_pct}%) in \
the early feeding group and {two} of 120 patients ({two_pct}%) in the usual care group (relative risk {ratio}, 95% CI \
0.34 to 1.82; P = 0.24).

Methods
Randomisation used a computer-generated list. The primary outcome was wound infection within 30 days.

Results
Of the 290 patients assessed for eligibility, 240 patients were randomised: 120 to early feeding and 120 to usual care.
"""
TRIALS = (
    TRIAL.format(one=12, one_pct="10.0", two=18, two_pct="15.0", ratio="0.67"),
    TRIAL.format(one=9, one_pct="7.5", two=12, two_pct="10.0", ratio="0.75"),
)
# The events of both groups of each trial, as a person types them.
EVENTS = ((12, 18), (9, 12))


class Review:
    """A finished task of two trials, and a reviewer who fills what the rules left open."""

    def __init__(self, site: Site) -> None:
        documents = site.office.add(TRIALS)
        self.task_id = site.office.start(documents)
        site.office.work()
        self.person = site.browser("reviewer")

    def results(self) -> list[dict[str, Any]]:
        return list(self.person.get(f"/extraction/tasks/{self.task_id}/results").json()["results"])

    def edit(self, ordinal: int, row: str, field: str, value: object) -> None:
        body = {"row": row, "field": field, "action": "edited", "value": value}
        answer = self.person.post(f"/extraction/tasks/{self.task_id}/results/{ordinal}/reviews", json=body)
        assert answer.status_code == 201, answer.text

    def analysis(self, **query: str) -> dict[str, Any]:
        answer = self.person.get(f"/extraction/tasks/{self.task_id}/analysis", params=query)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def fill(self) -> None:
        """Time, roles and numbers of both groups of each trial, typed by a person."""
        for ordinal, result in enumerate(self.results()):
            events = iter(EVENTS[ordinal])
            for row in result["rows"]:
                if row["scope"] == "arm":
                    self.edit(
                        ordinal, row["key"], "arm_role", "experimental" if "early" in row["label"] else "usual_care"
                    )
                if row["scope"] == "arm_result":
                    self.edit(ordinal, row["key"], "r_events", next(events))
                    self.edit(ordinal, row["key"], "r_n", 120)
                    self.edit(ordinal, row["key"], "r_timepoint", "30 days")


@pytest.fixture
def review(site: Site) -> Iterator[Review]:
    made = Review(site)
    yield made
    made.person.close()


def test_nothing_is_pooled_before_a_person_has_said_when_and_who(review: Review) -> None:
    found = review.analysis()
    assert found["pools"] == []
    assert {one["why"]["id"] for one in found["refused"]} <= {
        "analysis.no_time",
        "analysis.no_outcome",
        "analysis.no_role",
    }
    assert found["refused"]


def test_two_trials_that_a_person_has_completed_are_pooled_and_drawn(review: Review) -> None:
    review.fill()
    found = review.analysis(only_reviewed="true")
    pools = {pool["measure"]: pool for pool in found["pools"]}
    assert set(pools) == {"RR", "OR", "RD"}
    ratio = pools["RR"]
    assert (ratio["studies"], ratio["unreviewed"], ratio["timepoint"]) == (2, 0, "30 days")
    assert ratio["common"]["estimate"] == pytest.approx(0.699, abs=0.001)
    assert ratio["plot"].count("<g data-cell=") == 2
    assert 'data-cell="0~arm_result/1~r_events"' in ratio["plot"]
