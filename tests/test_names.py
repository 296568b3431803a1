"""What every room takes for an id, and which texts people can see."""

import pytest

from ingather.names import LARGEST_ID, is_id, is_visible, visible, visible_lines


@pytest.mark.parametrize("value", [1, LARGEST_ID])
def test_an_id_is_a_number_that_a_statement_can_take(value: int) -> None:
    assert is_id(value)


@pytest.mark.parametrize("value", [0, -1, LARGEST_ID + 1, True, "1", 1.0, None])
def test_everything_else_is_no_id(value: object) -> None:
    assert not is_id(value)


@pytest.mark.parametrize("hidden", ["\x00", "\x1b", "\u202e", "\u200b", "\u2028", "\ue000"])
def test_what_nobody_can_see_is_left_out(hidden: str) -> None:
    assert visible(f"knee{hidden}pain") == "kneepain"
    assert visible_lines(f"knee{hidden}pain") == "kneepain"
    assert not is_visible(f"knee{hidden}pain")


def test_what_joins_letters_stays() -> None:
    assert visible("क्\u200dष") == "क्\u200dष"
    assert is_visible("क्\u200dष")


def test_a_name_is_one_line_and_a_text_keeps_its_lines() -> None:
    assert visible(" knee\n pain\t") == "knee pain"
    assert visible_lines("knee\n\tpain\n") == "knee\n\tpain"
    assert is_visible("knee\npain", may_have_lines=True)
    assert not is_visible("knee\npain")


def test_half_a_character_is_left_out() -> None:
    assert visible("knee \ud800") == "knee"
