"""Whether the words quoted for a value have its figures in them."""
# ruff: noqa: RUF001

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingather.extraction.findings import Value
from ingather.extraction.proof.support import text_supports_value


@pytest.mark.parametrize(
    ("value", "text", "type"),
    [
        (124, "n = 124", "int"),
        (1248, "We enrolled 1,248 patients", "int"),
        (1248, "1\u202f248 patients", "int"),
        (1234567, "1 234 567 inhabitants", "int"),
        (12.4, "12.4% of patients", "percent"),
        (12.4, "12.40 (SD 3.1)", "float"),
        (12.4, "12,4 Prozent", "float"),
        (0.001, "p<0·001", "float"),
        (0.05, "P = .05", "float"),
        (-5.2, "a change of −5.2 mmHg", "float"),
        (-5.2, "a change of - 5.2 mmHg", "float"),
        (-5.2, "收缩压变化为−5.2 mmHg", "float"),
        (6, "IL-6 levels", "int"),
        (12, "in both groups – 12 patients", "int"),
        (15, "12–15 days", "int"),
        (2.5, "95% CI 1.1-2.5", "float"),
        (300000, "3×10⁵ copies", "float"),
        (12000, "1.2万人", "int"),
        (2000000, "2 million", "int"),
        (12, "twelve centres", "int"),
        (24, "twenty-four patients", "int"),
        (2, "twice daily", "int"),
        (3, "分为三组", "int"),
        (12, "共十二例", "int"),
        (120, "一百二十例", "int"),
        (2, "两组", "int"),
        (1248, "共纳入１２４８例", "int"),
        (92.5, "有效率为９２．５％", "percent"),
        ("NCT01234567", "registered (NCT 01234567)", "id"),
        ("12 weeks", "for 12 weeks", "text"),
        ("12 weeks", "疗程12周", "text"),
        ("<0.001", "P < 0.001", "quantity"),
        ("10.5 mg", "10.5mg daily", "quantity"),
        ("metformin", "anything at all", "text"),
        ("low", "no figure here", "enum"),
        (True, "no figure here", "text"),
        (None, "", "int"),
        (["12 weeks", "24 weeks"], "at 12 and 24 weeks", "multi_text"),
        ("2019-03", "in March 2019", "date"),
        ("2019-03", "2019年3月", "date"),
        ("2019-05", "2019年3月至5月", "date"),
        ("2019-03", "from March to May 2019", "date"),
        ("2019-05", "March–May 2019", "date"),
        ("2019-03-15", "on 15 March 2019", "date"),
        ("2019-03-15", "on March 15th, 2019", "date"),
        ("2019-03-15", "15/03/2019", "date"),
        ("2019-03-15", "3/15/2019", "date"),
        ("2019-03", "二〇一九年三月", "date"),
        ("2019", "between 2019 and 2021", "date"),
        (2019, "published in 2019", "date"),
    ],
)
def test_figures_in_any_usual_form_are_found(value: Value, text: str, type: str) -> None:
    assert text_supports_value(value, text, type=type)


@pytest.mark.parametrize(
    ("value", "text", "type"),
    [
        (12, "n = 124", "int"),
        (24, "n = 124", "int"),
        (12.4, "1.24", "float"),
        (124, "12.4", "float"),
        (5.2, "a change of −5.2 mmHg", "float"),
        (-5.2, "a change of 5.2 mmHg", "float"),
        (-15, "12–15 days", "int"),
        (0.124, "12.4%", "percent"),
        (248, "1,248 patients", "int"),
        (1.248, "1,248 patients", "float"),
        (105, "10⁵ copies", "int"),
        (13, "twelve centres", "int"),
        (1, "no figure here", "int"),
        (7, "", "int"),
        (5, "10.5 mg", "float"),
        ("12 weeks", "for 24 weeks", "text"),
        ("NCT01234567", "NCT012345678", "id"),
        (">0.001", "P < 0.001", "quantity"),
        (["12 weeks", "36 weeks"], "at 12 and 24 weeks", "multi_text"),
        ("2019-05", "between March 2019 and May 2021", "date"),
        ("2019-03", "2019年4月", "date"),
        ("2019-03", "in 2019", "date"),
        ("2019-03-16", "on 15 March 2019", "date"),
        ("2018", "in March 2019", "date"),
    ],
)
def test_other_figures_do_not_support_a_value(value: Value, text: str, type: str) -> None:
    assert not text_supports_value(value, text, type=type)


def test_a_field_with_choices_needs_no_figures() -> None:
    assert text_supports_value("phase_3", "a late-stage trial", type="text", enum=("phase_2", "phase_3"))


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(st.text(), st.integers(), st.floats(), st.none(), st.lists(st.text(), max_size=3)),
    st.text(),
    st.sampled_from(["int", "float", "percent", "date", "text", "id", "quantity"]),
)
def test_no_value_and_no_text_makes_it_fail(value: Value, text: str, type: str) -> None:
    assert text_supports_value(value, text, type=type) in {True, False}


@settings(max_examples=200, deadline=None)
@given(st.integers(min_value=0, max_value=10**9))
def test_a_number_supports_itself_and_not_its_neighbour(number: int) -> None:
    assert text_supports_value(number, f"there were {number:,} of them", type="int")
    assert not text_supports_value(number + 1, f"there were {number:,} of them", type="int")
