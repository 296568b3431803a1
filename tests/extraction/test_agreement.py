"""Agreement of two reviewers: published examples, calculations by hand, and what has no number says so."""

import math
import random

import pytest

from ingather.extraction.analysis.agreement import (
    Rating,
    kappa,
    observed_and_expected,
    pooled_kappa,
    wilson_interval,
)
from ingather.extraction.findings import State
from ingather.extraction.reviewing.assignments import Assignment, ReviewerShare, shared_out
from ingather.extraction.reviewing.same_answer import is_same_answer


def ratings(table: list[list[int]]) -> list[Rating]:
    """Every cell that a table of counts stands for: rows are side 1, columns side 2."""
    return [(one, other) for one, line in enumerate(table) for other, times in enumerate(line) for _ in range(times)]


def test_kappa_is_that_of_a_published_example_with_its_interval() -> None:
    """The table and the numbers stand in the reference of R's `statpsych::ci.kappa`, after Fleiss and Paik (2003)."""
    found = kappa(ratings([[31, 12], [4, 58]]))
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert (round(found.value, 7), round(found.low, 7), round(found.high, 7)) == (0.6756757, 0.5317210, 0.8196303)


def test_kappa_is_that_of_a_calculation_by_hand() -> None:
    # 3 x 3, 50 cells: on the diagonal 20 + 10 + 8 = 38, so 0.76 observed. Margins 25, 15, 10 and 24, 14, 12, so
    # (25 x 24 + 15 x 14 + 10 x 12) / 2500 = 930 / 2500 = 0.372 expected; (0.76 - 0.372) / (1 - 0.372) = 0.617834...
    table = [[20, 3, 2], [3, 10, 2], [1, 1, 8]]
    assert observed_and_expected(ratings(table)) == pytest.approx((0.76, 0.372))
    found = kappa(ratings(table))
    assert found is not None
    assert found.value == pytest.approx(0.388 / 0.628)


def test_kappa_of_what_chance_alone_would_give_is_none_and_not_one() -> None:
    assert kappa([("yes", "yes")] * 10) is None
    assert kappa([]) is None


def test_the_interval_of_kappa_holds_it_as_often_as_it_says() -> None:
    """A thousand samples of 150 cells from a known table: about 95 of 100 intervals hold its kappa."""
    draw = random.Random(21)
    table = [[30, 6], [4, 60]]
    truth = kappa(ratings(table))
    assert truth is not None
    holds = 0
    for _ in range(1_000):
        found = kappa(draw.choices(ratings(table), k=150))
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        holds += found.low <= truth.value <= found.high
    assert 920 <= holds <= 975


def test_pooled_kappa_takes_shares_together_before_the_quotient() -> None:
    # De Vries and others (2008): means of observed and expected agreement, here of fields with equal numbers of cells.
    one, two = ratings([[8, 1], [1, 2]]), ratings([[6, 2], [0, 4]])
    shares = [observed_and_expected(field) for field in (one, two)]
    observed, expected = (sum(part) / 2 for part in zip(*shares, strict=True))
    assert pooled_kappa([one, two]) == pytest.approx((observed - expected) / (1 - expected))
    assert pooled_kappa([]) is None


def test_a_share_has_wilson_s_interval() -> None:
    # Newcombe (1998), table I: 81 of 263 is 0.2553 to 0.3662.
    found = wilson_interval(81, 263)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert (round(found.low, 4), round(found.high, 4)) == (0.2553, 0.3662)
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (102, 102.0, True),
        (102, 120, False),
        ("Usual  care.", "usual care", True),
        ("\uff11\uff10\uff12", "102", True),
        (["Norway", "Sweden"], ["sweden", "Norway"], True),
        (["Norway"], ["Norway", "Sweden"], False),
        ("102", 102, False),
    ],
)
def test_answers_are_the_same_whatever_their_spaces_case_and_order(one: object, other: object, is_same: bool) -> None:
    assert is_same_answer((State.REPORTED, one), (State.REPORTED, other)) is is_same  # type: ignore[arg-type]


def test_what_is_not_reported_is_no_value_and_not_what_is_unclear() -> None:
    assert is_same_answer((State.NOT_REPORTED, None), (State.NOT_REPORTED, 3))
    assert not is_same_answer((State.NOT_REPORTED, None), (State.UNCLEAR, None))


# --- sharing out ----------------------------------------------------------------------------------------------------


def people(*shares: int) -> list[ReviewerShare]:
    return [ReviewerShare(account_id=n, name=f"person {n}", share=share) for n, share in enumerate(shares, start=1)]


def counts(given: list[Assignment]) -> list[int]:
    everybody = sorted({one.account_id for one in given})
    return [sum(one.account_id == who for one in given) for who in everybody]


def test_documents_are_shared_out_as_near_to_the_shares_as_whole_documents_allow() -> None:
    assert counts(shared_out(range(100), people(60, 40), 1, [])) == [60, 40]
    assert counts(shared_out(range(7), people(1, 1), 1, [])) == [4, 3]
    assert counts(shared_out(range(10), people(1, 1, 2), 2, [])) == [5, 5, 10]


def test_nobody_takes_both_sides_of_a_document() -> None:
    given = shared_out(range(40), people(5, 1), 2, [])
    assert all(len({one.account_id for one in given if one.ordinal == at}) == 2 for at in range(40))
    assert shared_out([0], people(1), 2, [])[0].side == 1
    assert len(shared_out([0], people(1), 2, [])) == 1


def test_whoever_knows_one_side_is_never_given_the_other() -> None:
    given = shared_out([0, 1], people(1, 1), 1, [], barred={(0, 1, 1), (1, 1, 1)})
    assert [one.account_id for one in given] == [2, 2]


def test_reports_of_one_study_go_to_the_same_people() -> None:
    given = shared_out(range(6), people(1, 1, 1), 2, [], groups={0: 9, 2: 9, 5: 9})
    of = {at: [one.account_id for one in given if one.ordinal == at] for at in range(6)}
    assert of[0] == of[2] == of[5]


def test_only_what_is_free_is_shared_out() -> None:
    held = [Assignment(ordinal=0, side=1, account_id=1, name="person 1")]
    given = shared_out([0, 1], people(1, 1), 1, held)
    assert [(one.ordinal, one.account_id) for one in given] == [(1, 2)]


def test_a_kappa_is_never_beyond_one_and_its_interval_has_ends_that_are_numbers() -> None:
    found = kappa(ratings([[1, 0], [0, 1]]))
    assert found is not None
    assert found.value == 1
    assert found.high == 1
    assert found.low is not None
    assert not math.isnan(found.low)
