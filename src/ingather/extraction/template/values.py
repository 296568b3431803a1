"""From what a model or a person gave to the value of a field, or to a sentence that says why it is none."""

import re
import unicodedata
from typing import Any, Final

from ingather.extraction.findings import State, Value
from ingather.extraction.template.dates import read_date
from ingather.extraction.template.errors import ValueProblem
from ingather.extraction.template.model import Field, FieldType, Option
from ingather.extraction.template.number_values import (
    is_unit_of_number_value,
    number_value,
    plain_number_value,
    split_number_value,
    whole_number_value,
)
from ingather.notice import notice

# In characters. A text is a sentence or a few, a long text a section of a paper; what is longer was copied by mistake.
LONGEST_TEXT: Final = 2_000
LONGEST_LONGTEXT: Final = 20_000
LONGEST_ID: Final = 200
# An entry of a list is a phrase. A list with more entries is a table.
LONGEST_ITEM: Final = 500
MOST_ITEMS: Final = 200
BETWEEN_TEXTS: Final = "[;\uff1b\n]"
BETWEEN_OPTIONS: Final = "[;\uff1b,\uff0c\u3001\n]"

_NOT_REPORTED: Final = frozenset(
    {
        "", "-", "--", "\u2014", "null", "nil", "nr", "n/r", "not reported", "not stated", "not specified", "not given",
        "not mentioned", "not provided", "not described", "not available", "not found", "no data", "none reported",
        "not reported in the text", "not reported in the paper",
        "未报告", "未提及", "未说明", "未描述", "未提供", "没有报告", "未见报告",
    }
)  # fmt: skip
_NOT_APPLICABLE: Final = frozenset({"not applicable", "inapplicable", "不适用"})
_UNCLEAR: Final = frozenset(
    {"unclear", "unknown", "not clear", "n/a", "na", "n.a.", "?", "不清楚", "不详", "不明", "未知"}
)
_DOI: Final = re.compile(r"10\.[0-9]{4,9}/[^\s\"<>]+")


def coerce_value(field: Field, raw: object) -> Value:
    """The value of the field that `raw` stands for; None where it says that the value is not reported.

    Raises ValueProblem for all else that is no value. Never guesses: a range
    is no whole number, a percentage is no float, and a date that two
    countries read differently is none.
    """
    try:
        return _value_of_field(field, raw)
    except ValueProblem as problem:
        if problem.state is State.NOT_REPORTED:
            return None
        raise


def _value_of_field(field: Field, raw: object) -> Value:  # noqa: PLR0912  one case per type
    if isinstance(raw, str) and field.type in {FieldType.ENUM, FieldType.MULTI_ENUM}:
        option = _option_meant_by_value(field, raw)
        if option is not None:
            return option.id if field.type == FieldType.ENUM else [option.id]
    _refuse_states_as_value(raw)
    match field.type:
        case FieldType.INT:
            return whole_number_value(number_value(raw, _units_of_value(field)))
        case FieldType.FLOAT:
            return float(number_value(raw, _units_of_value(field)))
        case FieldType.PERCENT:
            return float(number_value(raw, ("%", "percent", "per cent")))
        case FieldType.QUANTITY:
            return _quantity_value(field, raw)
        case FieldType.DATE:
            return read_date(raw)
        case FieldType.ENUM:
            return _option_value_chosen(field, raw)
        case FieldType.MULTI_ENUM:
            return _unique_items_of_value(
                [_option_value_chosen(field, item) for item in _items_of_list_value(raw, BETWEEN_OPTIONS)]
            )
        case FieldType.MULTI_TEXT:
            return _unique_items_of_value(
                [_line_value(item, LONGEST_ITEM) for item in _items_of_list_value(raw, BETWEEN_TEXTS)]
            )
        case FieldType.ID:
            return _id_value(field, raw)
        case FieldType.LONGTEXT:
            return _text_value(raw, LONGEST_LONGTEXT)
        case FieldType.TEXT:
            return _line_value(raw, LONGEST_TEXT)


def _refuse_states_as_value(raw: object) -> None:
    """Raise where the words say that there is no value, rather than give one."""
    if isinstance(raw, list) and len(raw) == 1:
        raw = raw[0]
    if raw is None or (isinstance(raw, list | dict) and not raw):
        raise ValueProblem(notice("value.no_value_given", "No value was given."), State.NOT_REPORTED)
    if not isinstance(raw, str):
        return
    bare = (
        re.sub(r"[\s_]+", " ", plain_number_value(raw).casefold())
        .strip()
        .rstrip(".。")
        .removeprefix("(")
        .removesuffix(")")
    )
    if bare in _NOT_REPORTED:
        raise ValueProblem(
            notice("value.answer_says_not_reported", "The answer says that it is not reported."), State.NOT_REPORTED
        )
    if bare in _NOT_APPLICABLE:
        raise ValueProblem(
            notice("value.answer_says_not_apply", "The answer says that it does not apply."), State.NOT_APPLICABLE
        )
    if bare in _UNCLEAR or bare + "." in _UNCLEAR:
        raise ValueProblem(notice("value.answer_says_unclear", "The answer says that it is unclear."), State.UNCLEAR)


def _units_of_value(field: Field) -> tuple[str, ...]:
    match field.unit:
        case str() as unit:
            return (unit,)
        case tuple() as units:
            return units
    return ()


def _quantity_value(field: Field, raw: object) -> str:
    """A number and its unit in one text, such as `12 weeks`. Where the field lists units, it is one of them."""
    if isinstance(raw, dict):
        raw = _value_from_parts(raw)
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        raise ValueProblem(
            notice("value.quantity_number_unit_such_12", "A quantity is a number and its unit, such as 12 weeks.")
        )
    value, given = split_number_value(plain_number_value(raw)) if isinstance(raw, str) else (number_value(raw), "")
    shown = f"{whole_number_value(value) if float(value).is_integer() else value}"
    given = re.sub(r"^-(?=[a-z])", "", given, flags=re.IGNORECASE)
    if isinstance(field.unit, tuple):
        for unit in field.unit:
            if is_unit_of_number_value(given, unit):
                return f"{shown} {unit}"
        raise ValueProblem(
            notice(
                "value.no_unit",
                "{value} has no unit of {units}.",
                value=f"{_line_value(raw, LONGEST_ITEM)!r}",
                units=", ".join(field.unit),
            )
        )
    if not given or len(given) > 100 or re.match(r"[-~±(<>/,;:]|to\b|or\b|and\b", given):
        raise ValueProblem(
            notice(
                "value.no_number_unit", "{value} is no number with a unit.", value=f"{_line_value(raw, LONGEST_ITEM)!r}"
            )
        )
    return f"{shown} {_line_value(given, 100)}"


def _value_from_parts(parts: dict[Any, Any]) -> str:
    value, unit = parts.get("value"), parts.get("unit")
    if set(parts) != {"value", "unit"} or not isinstance(unit, str):
        raise ValueProblem(
            notice("value.quantity_two_parts_value_unit", "A quantity in two parts has a value and a unit.")
        )
    return f"{number_value(value)} {unit}"


def _option_value_compared(text: str) -> str:
    return re.sub(r"[\s_/-]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip().rstrip(".")


def _option_meant_by_value(field: Field, raw: str) -> Option | None:
    """The option that is meant: its id, or its label in either language, in any case. None where two could be."""
    given = raw.strip()
    for option in field.options:
        if given == option.id:
            return option
    given = _option_value_compared(raw)
    by_id = [
        option
        for option in field.options
        if given in {_option_value_compared(option.id), _option_value_compared(option.id.rstrip("*"))}
    ]
    by_label = [
        option
        for option in field.options
        if given in {_option_value_compared(option.label.en), _option_value_compared(option.label.zh)}
    ]
    found = by_id or by_label
    return found[0] if len(found) == 1 else None


def _option_value_chosen(field: Field, raw: object) -> str:
    option = _option_meant_by_value(field, raw) if isinstance(raw, str) else None
    if option is None:
        known = ", ".join(option.id for option in field.options[:12])
        given = _line_value(raw, LONGEST_TEXT)[:60] if isinstance(raw, str) else type(raw).__name__
        raise ValueProblem(
            notice(
                "value.none_of_the_options",
                "{value} is none of the options {options}.",
                value=f"{given!r}",
                options=known + (" …" if len(field.options) > 12 else ""),
            )
        )
    return option.id


def _items_of_list_value(raw: object, separators: str) -> list[object]:
    if isinstance(raw, str):
        raw = [item for item in re.split(separators, raw) if item.strip()]
    if not isinstance(raw, list | tuple):
        raise ValueProblem(notice("value.list_texts_needed", "A list of texts is needed."))
    if len(raw) > MOST_ITEMS:
        raise ValueProblem(
            notice(
                "value.list_entries_most",
                "The list has {count} entries; {most} is the most it may have.",
                count=f"{len(raw):,}",
                most=MOST_ITEMS,
            )
        )
    if not raw:
        raise ValueProblem(notice("value.list_empty", "The list is empty."), State.NOT_REPORTED)
    return list(raw)


def _unique_items_of_value(items: list[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _id_value(field: Field, raw: object) -> str:
    text = _line_value(raw, LONGEST_ID)
    if field.unit == "doi":
        text = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:?\s*)", "", text, flags=re.IGNORECASE).rstrip(".,;")
        if not _DOI.fullmatch(text):
            raise ValueProblem(
                notice(
                    "value.no_doi_starts_10_slash",
                    "{value} is no DOI; one starts with 10. and has a slash.",
                    value=f"{text!r}",
                )
            )
    if field.unit == "pmid":
        text = re.sub(r"^pmid:?\s*", "", text, flags=re.IGNORECASE)
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise ValueProblem(
                notice(
                    "value.no_pmid_made_up_nine",
                    "{value} is no PMID; one is made of up to nine digits.",
                    value=f"{text!r}",
                )
            )
    return text


def _line_value(raw: object, longest: int) -> str:
    return re.sub(r"\s+", " ", _text_value(raw, longest))


def _text_value(raw: object, longest: int) -> str:
    """The text without what cannot be stored or shown; numbers are taken as they would be written."""
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        raw = str(number_value(raw))
    if not isinstance(raw, str):
        raise ValueProblem(notice("value.text_needed_not", "A text is needed, not {what}.", what=type(raw).__name__))
    if len(raw) > longest:
        raise ValueProblem(
            notice(
                "value.text_characters_most",
                "The text has {count} characters; {most} is the most it may have.",
                count=f"{len(raw):,}",
                most=f"{longest:,}",
            )
        )
    text = "".join(" " if unicodedata.category(c) in {"Cc", "Cs"} and c != "\n" else c for c in raw).strip()
    if not text:
        raise ValueProblem(notice("value.text_empty", "The text is empty."), State.NOT_REPORTED)
    return text
