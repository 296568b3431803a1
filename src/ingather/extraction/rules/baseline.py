"""Age and sex by arm, from the rows of a table whose header names the arms."""

import re
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.arms import Arm
from ingather.extraction.rules.hits import Hit, agreed, rx
from ingather.extraction.rules.printed_numbers import printed_decimal
from ingather.extraction.rules.sentences import Document, Sentence

FIELDS: Final = frozenset({"age_mean", "age_sd", "age_median", "age_spread", "female_n", "female_pct"})

_AGE: Final = rx(r"^(?:(?:mean|median) )?(?:\(?SD\)? )?age\b|^年龄")
_FEMALE: Final = rx(r"^(?:female|women|girls)\b|^女(?:性)?(?![\u4e00-\u9fff])")
_SD: Final = rx(r"\bSD\b|standard deviation|标准差|x ?± ?s|\u0304x?±s")
_MEAN: Final = rx(r"\bmean\b|均数|平均|±")
_MEDIAN: Final = rx(r"\bmedian\b|中位")
_PAIR: Final = re.compile(r"(\d{1,3}(?:\.\d{1,2})?) ?(?:\( ?(\d{1,3}(?:\.\d{1,2})?) ?\)|± ?(\d{1,3}(?:\.\d{1,2})?))")
_SPREAD: Final = re.compile(
    r"(\d{1,3}(?:\.\d{1,2})?) ?[(\[] ?(\d{1,3}(?:\.\d{1,2})? ?(?:-|to|,|~) ?\d{1,3}(?:\.\d{1,2})?) ?[)\]]"
)
_SHARE: Final = re.compile(r"(?<![\d.])(\d{1,6}) ?\((\d{1,3}(?:\.\d{1,2})?) ?%?\)")
_ONLY: Final = re.compile(r"(?<![\d.(])(\d{1,3}(?:\.\d{1,2})?) ?%?(?![\d.]|\))")


def baseline_answers(arms: list[Arm], document: Document) -> list[dict[str, Answer]]:
    """For each arm, its age and sex. A row counts only if it has a value for every arm and no more."""
    found: list[dict[str, list[Hit]]] = [{name: [] for name in sorted(FIELDS)} for _ in arms]
    header = arms[0].hit.sentence if arms else None
    if header is not None and header.is_row:
        for row in document.sentences:
            if row.is_row and row.table == header.table:
                _age_of_row(row, found)
                _female_of_row(row, found)
    return [
        {name: agreed(name, hits, f"arm/{n}") for name, hits in fields.items()} for n, fields in enumerate(found, 1)
    ]


def _age_of_row(row: Sentence, found: list[dict[str, list[Hit]]]) -> None:
    label = _AGE.match(row.text)
    if label is None:
        return
    named = re.split(r"(?<![\w.])\d", row.text)[0]
    if _MEDIAN.search(named):
        spreads = list(_SPREAD.finditer(row.text))
        if len(spreads) == len(found):
            name = "IQR " if re.search(r"IQR|interquartile|四分位", named, re.IGNORECASE) else ""
            for fields, one in zip(found, spreads, strict=True):
                fields["age_median"].append(_baseline_hit(printed_decimal(one[1]), row, one))
                if name:
                    fields["age_spread"].append(_baseline_hit(name + one[2], row, one))
        return
    pairs = list(_PAIR.finditer(row.text))
    if len(pairs) != len(found) or not (_MEAN.search(named) or "±" in row.text):
        return
    for fields, one in zip(found, pairs, strict=True):
        fields["age_mean"].append(_baseline_hit(printed_decimal(one[1]), row, one))
        if _SD.search(named):
            fields["age_sd"].append(_baseline_hit(printed_decimal(one[2] or one[3]), row, one))


def _female_of_row(row: Sentence, found: list[dict[str, list[Hit]]]) -> None:
    label = _FEMALE.match(row.text)
    if label is None:
        return
    shares = list(_SHARE.finditer(row.text))
    if len(shares) == len(found):
        for fields, one in zip(found, shares, strict=True):
            fields["female_n"].append(_baseline_hit(int(one[1]), row, one))
            fields["female_pct"].append(_baseline_hit(printed_decimal(one[2]), row, one))
    elif "%" in row.text and not shares:
        only = list(_ONLY.finditer(row.text, label.end()))
        if len(only) == len(found):
            for fields, one in zip(found, only, strict=True):
                fields["female_pct"].append(_baseline_hit(printed_decimal(one[1]), row, one))


def _baseline_hit(value: float | str | None, row: Sentence, one: re.Match[str]) -> Hit:
    return Hit(value=value, sentence=row, start=one.start(), end=one.end())
