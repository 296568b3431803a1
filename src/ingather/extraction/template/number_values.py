"""Numbers as papers print them. Strict: what could be read in two ways is not read at all."""

import math
import re
from collections.abc import Sequence
from typing import Final

from ingather.extraction.template.errors import ValueProblem
from ingather.notice import notice

LONGEST_NUMBER: Final = 60  # characters with its sign and its groups; no paper prints a longer one
BIGGEST_INT: Final = 2**53 - 1  # what JSON and spreadsheets keep exactly

# Full-width forms become plain ones. NFKC would do more than is wanted: it makes 102 of 10².
_PLAIN: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    ord(sign): "-" for sign in "\u2212\u2010\u2011\u2013\ufe63"
}
_DECIMAL_POINTS: Final = str.maketrans(dict.fromkeys("\u00b7\u2219\u22c5", "."))  # 12·4, as some journals print it
_GROUP_SPACES: Final = "\u00a0\u2007\u2008\u2009\u202f"  # never a plain space: that may stand between two numbers

_GROUPED: Final = re.compile(rf"[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+|[1-9][0-9]{{0,2}}(?:[{_GROUP_SPACES}][0-9]{{3}})+")
_PLAIN_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?|\.[0-9]+")
_DECIMAL_COMMA: Final = re.compile(r"0,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})")
_NUMBER_AND_REST: Final = re.compile(
    rf"([+-]?(?:[0-9]|\.[0-9])(?:[0-9.,{_GROUP_SPACES}]*[0-9])?(?:[eE][+-]?[0-9]{{1,3}})?)(.*)"
)

_UNITS: Final[dict[str, tuple[str, ...]]] = {
    "days": ("day", "d", "天", "日"),
    "weeks": ("week", "wk", "wks", "周", "星期"),
    "months": ("month", "mo", "mos", "月", "个月"),
    "years": ("year", "yr", "yrs", "y", "岁", "年"),
    "participants": ("participant", "patient", "patients", "persons", "people", "subjects", "例", "人", "名"),
    "person_years": ("person year", "patient years", "patient year", "py", "人年"),
    "person_months": ("person month", "patient months", "patient month", "人月"),
    "person_days": ("person day", "patient days", "patient day", "人日"),
}


def plain_number_value(text: str) -> str:
    """The text with ASCII signs and digits in the place of full-width ones, and one kind of minus."""
    return text.strip().translate(_PLAIN).translate(_DECIMAL_POINTS)


def number_value(raw: object, units: Sequence[str] = ()) -> float:
    """A finite number, or ValueProblem. After it may stand one of the units it is known to have."""
    if isinstance(raw, bool):
        raise ValueProblem(notice("value.true_false_no_numbers", "True and false are no numbers."))
    if isinstance(raw, int):
        return _bounded_int(raw)
    if isinstance(raw, float):
        return _bounded_int(int(raw)) if raw.is_integer() and abs(raw) <= BIGGEST_INT else _finite_value(raw)
    if not isinstance(raw, str):
        raise ValueProblem(
            notice("value.number_needed_not", "A number is needed, not {what}.", what=_type_named_of_number_value(raw))
        )
    text = re.sub(r"^n\s*=\s*(?=[0-9])", "", plain_number_value(raw), flags=re.IGNORECASE)
    value, rest = split_number_value(text)
    if rest and not any(is_unit_of_number_value(rest, unit) for unit in units):
        raise ValueProblem(notice("value.number", "{value} is more than a number.", value=_quoted_raw(raw)))
    return value


def split_number_value(text: str) -> tuple[float, str]:
    """A text's leading number and what stands after it. `text` is plain."""
    if len(text) > LONGEST_NUMBER:
        raise ValueProblem(
            notice("value.too_long_number", "{value} is too long for a number.", value=_quoted_raw(text))
        )
    found = _NUMBER_AND_REST.fullmatch(text)
    if not found:
        raise ValueProblem(notice("value.no_number", "{value} is no number.", value=_quoted_raw(text)))
    return _number_read(found[1], text), found[2].strip()


def _number_read(digits: str, text: str) -> float:
    sign = -1 if digits.startswith("-") else 1
    bare = digits.lstrip("+-")
    whole, _, fraction = bare.partition(".")
    if _GROUPED.fullmatch(whole) and (not fraction or fraction.isdigit()):
        bare = re.sub(rf"[,{_GROUP_SPACES}]", "", bare)
    elif _DECIMAL_COMMA.fullmatch(bare):
        bare = bare.replace(",", ".")
    if not _PLAIN_NUMBER.fullmatch(bare):
        raise ValueProblem(
            notice(
                "value.read_number_ways_none",
                "{value} can be read as a number in more ways than one, or in none.",
                value=_quoted_raw(text),
            )
        )
    value = _finite_value(sign * float(bare))
    if bare.isdigit():
        return _bounded_int(sign * int(bare))
    return value


def whole_number_value(value: float) -> int:
    """The number as a whole one, where it is: 120.0 is, 12.4 is not."""
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueProblem(notice("value.no_whole_number", "{value} is no whole number.", value=value))
        value = int(value)
    return _bounded_int(value)


def is_unit_of_number_value(text: str, unit: str) -> bool:
    """Whether the words mean the unit: `week`, `wks` and `周` mean weeks."""
    own, known = _unit_form_of_number_value(text), _unit_form_of_number_value(unit)
    return own == known or own in _UNITS.get(unit, ()) or (len(own) > 2 and own + "s" == known)


def _unit_form_of_number_value(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", plain_number_value(text).casefold()).strip().removesuffix(".")


def _bounded_int(value: int) -> int:
    if abs(value) > BIGGEST_INT:
        raise ValueProblem(notice("value.number_too_big_kept_exactly", "The number is too big to be kept exactly."))
    return value


def _finite_value(value: float) -> float:
    if not math.isfinite(value):
        raise ValueProblem(notice("value.number_not_finite", "The number is not finite."))
    return value


def _quoted_raw(raw: str) -> str:
    return repr(raw if len(raw) <= LONGEST_NUMBER else raw[: LONGEST_NUMBER - 1] + "…")


def _type_named_of_number_value(raw: object) -> str:
    return {list: "a list", dict: "a mapping", type(None): "nothing"}.get(type(raw), type(raw).__name__)
