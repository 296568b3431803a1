"""What a cell of a table holds, and what the number behind a mean is."""

import pytest

from ingather.extraction.numbers.cell import Form, cell_content_of
from ingather.extraction.numbers.checks import check_percent_of_count, events_checked_by_percent
from ingather.extraction.numbers.spread import Spread, spread_of_second_number


@pytest.mark.parametrize(
    ("text", "form", "numbers"),
    [
        ("12", Form.NUMBER, ("12", "", "")),
        ("1,525", Form.NUMBER, ("1,525", "", "")),
        ("−0.15", Form.NUMBER, ("-0.15", "", "")),  # noqa: RUF001
        (".35", Form.NUMBER, ("0.35", "", "")),
        ("12/45", Form.FRACTION, ("12", "45", "")),
        ("12/45 (27%)", Form.FRACTION, ("12", "45", "27")),
        ("27% (12/45)", Form.FRACTION, ("12", "45", "27")),
        ("12 of 45 (26.7)", Form.FRACTION, ("12", "45", "26.7")),
        ("247 (4.1%)a", Form.COUNT_PERCENT, ("247", "", "4.1")),
        ("247 a (4.1%)", Form.COUNT_PERCENT, ("247", "", "4.1")),
        ("238(73%)", Form.COUNT_PERCENT, ("238", "", "73")),
        ("30% (8)", Form.COUNT_PERCENT, ("8", "", "30")),
        ("27%", Form.PERCENT, ("", "", "27")),
        ("8.2 ± 3.1*", Form.PLUS_MINUS, ("8.2", "3.1", "")),
        ("8.2 +/- 3.1", Form.PLUS_MINUS, ("8.2", "3.1", "")),
        ("16.7 ± 2.1 kg", Form.PLUS_MINUS, ("16.7", "2.1", "")),
        ("25.0 (37.2)b", Form.BRACKET, ("25.0", "37.2", "")),
        ("2. 54 (2.337)", Form.BRACKET, ("2.54", "2.337", "")),
        ("74.18/10.88", Form.PAIR, ("74.18", "10.88", "")),
        ("8 [3, 12]", Form.INTERVAL, ("8", "", "")),
        ("8 (3–12)", Form.INTERVAL, ("8", "", "")),  # noqa: RUF001
        ("<0.001", Form.P, ("", "", "")),
        ("P = .03", Form.P, ("", "", "")),
        ("NS", Form.P, ("", "", "")),
        ("—", Form.EMPTY, ("", "", "")),
        ("NA", Form.EMPTY, ("", "", "")),
        ("Likely", Form.TEXT, ("", "", "")),
    ],
)
def test_a_cell_is_read_by_its_shape(text: str, form: Form, numbers: tuple[str, str, str]) -> None:
    content = cell_content_of(text)
    assert (content.form, (content.first, content.second, content.percent)) == (form, numbers)


def test_a_cell_may_hold_its_own_number_of_people_and_name_its_own_spread() -> None:
    content = cell_content_of("8.2 (SD 3.1) (n = 45)")
    assert (content.first, content.second, content.n, content.spread) == ("8.2", "3.1", "45", Spread.SD)
    assert cell_content_of("8.2 (SE 0.3)").spread is Spread.SE


@pytest.mark.parametrize(
    ("labels", "notes", "spread"),
    [
        (["Mean (SD)"], [], Spread.SD),
        (["Mean ± S.E.M."], [], Spread.SE),
        (["Pain"], ["Values are mean ± SD."], Spread.SD),
        (["Pain"], ["Data are means and standard errors."], Spread.SE),
        (["Pain", "Mean (SE)"], ["Values are mean ± SD unless stated otherwise."], Spread.SE),
        (["Pain"], ["SD, standard deviation; SE, standard error."], None),
        (["Pain"], ["Values are mean ± SD or mean ± SE."], None),
        (["Mean (95% CI)"], ["Values are mean ± SD."], None),
        (["Pain"], [], None),
    ],
)
def test_the_nearest_label_says_what_stands_behind_a_mean_and_silence_says_nothing(
    labels: list[str], notes: list[str], spread: Spread | None
) -> None:
    assert spread_of_second_number(labels, notes)[0] is spread


def test_a_percentage_is_held_against_its_count_and_its_total() -> None:
    assert check_percent_of_count("12", "45", "26.7")
    assert check_percent_of_count("12", "45", "27")
    assert not check_percent_of_count("12", "54", "26.7")
    assert not check_percent_of_count("46", "45", "102")


def test_a_count_is_worked_out_of_a_percentage_only_where_one_fits() -> None:
    assert events_checked_by_percent("26.7", "45") == "12"
    assert events_checked_by_percent("27", "450") is None
    assert events_checked_by_percent("26.9", "45") is None
