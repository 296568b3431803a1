"""The figures of a text: where each number stands, what it is worth, and what belongs to it. Pure.

Works on folded text (`ground.folding`). A figure is read whole: `16 000` is
no 16 and no 0, `One thousand two hundred` is one number, and the 6 of `IL-6`
is a figure that is part of a name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Final

from ingather.extraction.proof.number_terms import HAN_RUN, han_number_term, spelt_number_terms

_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "千": 10**3, "万": 10**4, "亿": 10**8}
_NUMBER: Final = re.compile(
    r"(?P<number>[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])"
    r"|[1-9][0-9]{0,2}(?: [0-9]{3})+(?:\.[0-9]+)?(?![0-9.,]*[0-9])"
    r"|[0-9]+(?:\.[0-9]+)?|(?<![\w)\]])\.[0-9]+)"
    r"(?: ?x ?10 ?\^ ?(?P<power>-?[0-9]{1,2}))?"
    r"(?P<scale> ?(?:thousand|million|billion)\b| ?[万亿](?!能))?"
)
_PERCENT: Final = re.compile(r" ?(?:%|\u2030|per ?cent\b|percent\b)")
_DECIMAL_COMMA: Final = re.compile(r"(?<![0-9.,])[0-9]+,[0-9]{1,2}(?![0-9.,]*[0-9])")
_RUN_OF_NUMBERS: Final = re.compile(r"[0-9.,]*[0-9][%)]? [(\[]?[0-9.,]*[0-9][%)\]]? [(\[]?[0-9.,]*[0-9]")
_COMPARATOR: Final = re.compile(r"([<>\u2264\u2265]) ?$")
_TIME_UNITS: Final = (
    r"seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|d|nights?|weeks?|wks?|months?|mos?|years?|yrs?|y|周岁|岁"
    r"|秒钟?|分钟|小时|天|日|周|个?星期|个月|月龄|月|年"
)
_UNIT_CHARACTERS: Final = r"[a-zμ°%'/.^0-9·-]"
_TIME: Final = re.compile(rf"[- ]?(?P<unit>{_TIME_UNITS})(?![a-z])")
_MEASURE_UNIT: Final = re.compile(
    r" ?(?P<unit>(?:mg|g|kg|ug|μg|mcg|micrograms?|microg|milligrams?|ng|pg|ml|l|dl|μl|ul|cl|mmol|mol"
    r"|μmol|umol|nmol|pmol|iu|u|meq|mci|gy|cgy|mm ?hg"
    r"|kpa|mm|cm|m|km|kcal|kj|hz|db|dpt|cells|copies|beats|bpm|ppm|kda|bp|j|w|watts?|mj|cfu|pfu|drops|euros?|dollars?|usd|pounds|puffs?|tablets?"
    r"|capsules?|units?|毫克|克|千克|毫升|升|微克|毫米|厘米|毫摩尔|单位|片|粒|次)"
    r"(?:[/·^.*-]? ?(?:mg|g|kg|ml|l|dl|min|h|hr|d|day|days|week|m|s|[23]|mm|cm|1\.73|天|日|次|周)\^?[23]?){0,3})"
    r"(?![a-z0-9])"
)
_TIME_BEFORE: Final = re.compile(
    r"(?<![a-z])(?P<unit>days?|weeks?|months?|years?|hours?|minutes?) ?(?:[0-9]+(?: ?,| ?and| ?or| ?to|-|/)? ?)*$"
)

# A word before a figure that makes a label of both: `phase 3`, `group 1`, `Table 2`, `SPSS 16`.
_LABELLED: Final = re.compile(
    r"(?<![a-z])(?:phases?|grades?|stages?|types?|class|levels?|tables?|fig(?:ure)?s?\.?|version|v\.|ver\.|chapters?"
    r"|sections?|box|appendix|panels?|steps?|visits?|cycles?|part|protocol|no\.|nr\.?|ref(?:erence)?s?\.?|items?"
    r"|questions?|category|equation|aim|criteri(?:on|a)|quartile|quintile|tertile|strat(?:um|a)"
    r"|zone|gene|exon|codon|chromosome|line|genotype|subtype|serotype|score of|tier|schedule|regimen|factor|vitamin"
    r"|spss|stata|sas|release|windows|r|icd|iso|dsm|pages?|pp?\.|volume|vol\.?|issue|question|wave|period|session"
    r"|strain|diabetes(?: mellitus)? type|nyha"
    r"|nyha class|ecog|asa|figo|gleason|kellgren[- ]lawrence|criteria of|version of)[ -]?(?:[0-9.]+[,/&-] ?"
    r"|[0-9.]+ (?:and|or|to) |no\. ?|number |[ivx]+ ?)?$"
)
_LABELS_BEFORE: Final = re.compile(r"(?<![a-z])(?:grades?|stages?|phases?|types?|class)[ a-z]{0,10}[0-9, /and]{0,12}$")
# Words that number their things up to a few dozen; a figure behind them is often no number of theirs.
_NUMBERED: Final = re.compile(
    r"(?<![a-z])(?:groups?|arms?|cohort|model|hospital|center|centre|site|study|trial|patient|case|subject|center)"
    r"(?: [0-9](?:,| and| or))? $"
)
_ENUMERATED: Final = re.compile(r"(?:^|[ (:;,])$")
_HAN_LABELLED: Final = re.compile(r"(?:第|图|表|版本?|组别|编号|批号|类型)[ ]?$")
_HAN_LABEL_AFTER: Final = re.compile(r" ?(?:型|期(?!间)|级|号|版|组患者间)")
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th)(?![a-z])")
# The name in an address has 64 characters at most; without a bound a long run of dotted figures is read from each
# of its places.
_CODE: Final = re.compile(
    r"(?:https?://|www\.|doi:? ?)\S+|10\.[0-9]{4,9}/\S+|\b[\w.]{1,64}@[\w.]+"
    r"|(?<![a-z0-9])(?:nct|isrctn|chictr|actrn|eudract|ctri|umin|jprn|drks|irct|ntr|tctr|kct|rbr|pactr|nl|crd|slctr)"
    r"(?:[- ]?(?:[a-z]{2,6}[- ]?)?[0-9][0-9-]{3,})"
)
_BRACKETED: Final = re.compile(r"\[ ?[0-9]{1,3}(?: ?[,;-] ?[0-9]{1,3})* ?\]")
_GREEK_OR_LATIN: Final = re.compile(r"[a-z\u0370-\u03ff_]")
# Words that are joined to a figure by a hyphen without making a name of it.
_JOINING: Final = frozenset("to from and of with between by at in mean median score".split())  # noqa: SIM905
_RANGE_BETWEEN: Final = re.compile(r" ?(?:%|years?|months?|weeks?|days?)? ?(?:-|~|to|through|至|到)+ ?[-]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedFigure:
    """A number as it stands in a folded text, from `start` to `end`, with its sign and its percent sign.

    `unit` is a time unit or another unit beside it. `is_name`: it is part of a
    name, a label, a code or a citation. `edge` is `low` or `high` where it is
    one end of a range.
    """

    start: int
    end: int
    value: Decimal
    is_percent: bool = False
    comparator: str = ""
    unit: str = ""
    is_time: bool = False
    is_spelt: bool = False
    is_name: bool = False
    edge: str = ""


def printed_figures(text: str) -> tuple[PrintedFigure, ...]:
    """All figures of a folded text, in order; each character belongs to one at most."""
    found = sorted(
        [*_figures_in_digits(text), *_spelt_figures(text), *_han_figures(text)], key=lambda one: (one.start, -one.end)
    )
    kept: list[PrintedFigure] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(_figures_with_ranges(text, [*_figures_in_labelled_lists(text, kept)]))


_LABEL_LIST: Final = re.compile(r", (?:and |or )?| and | or |/|, ?")
# Labels are numbered up to a few.
_HIGHEST_LABEL: Final = 9


def _figures_in_labelled_lists(text: str, found: list[PrintedFigure]) -> Iterator[PrintedFigure]:
    """`grade 3, 2, and 1`: what follows a label in its list is one, too."""
    last: PrintedFigure | None = None
    for one in found:
        is_small = not (one.unit or one.is_percent or one.is_spelt) and 0 < one.value <= _HIGHEST_LABEL
        if (
            last is not None
            and last.is_name
            and is_small
            and _LABELS_BEFORE.search(text, max(0, last.start - 40), last.start)
            and _LABEL_LIST.fullmatch(text, last.end, one.start)
            and not re.match(r" ?[(%/]| (?:of|patients|women|cases)", text[one.end : one.end + 10])
        ):
            last = replace(one, is_name=True)
        else:
            last = one
        yield last


def _figures_in_digits(text: str) -> Iterator[PrintedFigure]:
    codes = [found.span() for found in _CODE.finditer(text)]
    codes += [found.span() for found in _BRACKETED.finditer(text) if _is_citation_and_no_figure(text, found)]
    for found in _NUMBER.finditer(text):
        is_code = any(start <= found.start() < end for start, end in codes)
        if " " in found["number"] and _RUN_OF_NUMBERS.search(text, max(0, found.start() - 14), found.end() + 14):
            # A row of a table: the groups are numbers of their own.
            for part in re.finditer(r"[0-9.]+", found["number"]):
                start = found.start() + part.start()
                yield _printed_figure(text, start, start + len(part[0]), Decimal(part[0]), is_code=is_code)
            continue
        end = found.end()
        if (
            (comma := _DECIMAL_COMMA.match(text, found.start()))
            and comma.end() > end
            and _is_decimal_comma_of_figure(text, comma)
        ):
            value, end = Decimal(comma[0].replace(",", ".")), comma.end()
        else:
            value = Decimal(found["number"].replace(",", "").replace(" ", ""))
        if found["power"]:
            value = value.scaleb(int(found["power"]))
        if found["scale"]:
            value *= _SCALES[found["scale"].strip()]
        yield _printed_figure(text, found.start(), end, value, is_code=is_code)


def _is_decimal_comma_of_figure(text: str, comma: re.Match[str]) -> bool:
    """`12,4` is 12.4 where no list of whole numbers stands around it: `3,4` behind a word is two citations."""
    return text[comma.start() - 1 : comma.start()] not in {"^", "["} and not text[comma.end() :].startswith("]")


def _is_citation_and_no_figure(text: str, found: re.Match[str]) -> bool:
    """Brackets that hold whole numbers only, behind a word or a full stop and not behind another number."""
    before = text[: found.start()].rstrip()[-1:]
    return bool(before) and not before.isdigit() and before not in "%)=:,"


def _printed_figure(text: str, start: int, end: int, value: Decimal, *, is_code: bool) -> PrintedFigure:
    percent = _PERCENT.match(text, end)
    sign = _sign_of_figure(text, start)
    compared = _COMPARATOR.search(text, max(0, start - 3), start)
    stop = percent.end() if percent else end
    unit, is_time = _unit_behind_figure(text, start, stop) if not percent else ("", False)
    return PrintedFigure(
        start=start - len(sign),
        end=stop,
        value=-value if sign.startswith("-") else value,
        is_percent=percent is not None,
        comparator=compared[1] if compared else "",
        unit=unit,
        is_time=is_time,
        is_name=is_code
        or _figure_is_part_of_name(text, start, end, is_time=is_time, has_unit=bool(unit) or percent is not None),
    )


def _sign_of_figure(text: str, start: int) -> str:
    """The minus before a figure, unless it is the dash of a range or the hyphen of a word."""
    for sign in ("-", "- "):
        if text.endswith(sign, 0, start):
            before = text[: start - len(sign)]
            behind = before.rstrip()[-1:] if len(sign) == 1 or before.endswith(" ") else before[-1:]
            is_loose = before.endswith(" ") or not before or before[-1] in "(=:[,;<>~"
            if len(sign) == 2:
                return sign if before.endswith((" by ", " of ", "= ", "(", " was ", " to ", ": ")) else ""
            if is_loose and not (behind.isdigit() or behind in {"%", ")"}):
                return sign
            return "-" if (behind > "\u2e80" and behind not in "\uff09】") else ""
    return ""


def _unit_behind_figure(text: str, start: int, end: int) -> tuple[str, bool]:
    if found := _TIME.match(text, end):
        return found["unit"], True
    if found := _MEASURE_UNIT.match(text, end):
        return found["unit"].strip(), False
    if found := _TIME_BEFORE.search(text, max(0, start - 30), start):
        return found["unit"], True
    return "", False


def _figure_is_part_of_name(text: str, start: int, end: int, *, is_time: bool, has_unit: bool) -> bool:
    before, after = text[:start], text[end : end + 1]
    last = before[-1:]
    if last in {"^", "_"} or _GREEK_OR_LATIN.match(last):
        return not (last in {"n", "x"} and not before[-2:-1].isalpha()) or last in {"^", "_"}
    if last == "-" and _GREEK_OR_LATIN.match(before[-2:-1]):
        term = re.search(r"[a-z]+-$", before)
        return term is None or term[0][:-1] not in _JOINING
    if last in {".", ","} and before[-2:-1].isalpha() and before[-2:-1].isascii():
        return True  # a citation behind a word, `as shown.12`
    if last == "/" and _GREEK_OR_LATIN.match(before[-2:-1]):
        return not has_unit
    if _ORDINAL.match(text, end):
        return True
    if after and _GREEK_OR_LATIN.match(after) and not (is_time or has_unit):
        return True
    if after == "-" and not has_unit and re.match(r"-[a-z]", text[end : end + 2]):
        return not re.match(
            r"-(?:year|month|week|day|hour|min|point|fold|arm|item|to-|patient|centre|center)", text[end:]
        )
    if re.match(r" ?: ?[0-9](?![0-9])", text[end : end + 4]) or re.search(r"[0-9] ?: ?$", before[-4:]):
        return True  # a ratio, 1:1
    if has_unit or (is_time and _TIME.match(text, end)):
        return False
    is_labelled = _figure_is_labelled(text, start, end, before[-40:])
    return is_labelled or (_HAN_LABEL_AFTER.match(text, end) is not None and not is_time)


_DESIGN: Final = re.compile(r" ?(?:x ?[0-9] ?)?(?:factorial|between|design|cross)")
_BY: Final = re.compile(r" ?x ?[0-9](?![0-9.])")


def _figure_is_labelled(text: str, start: int, end: int, tail: str) -> bool:
    """Whether a word before it makes a label of the figure, or it numbers a list, a design or at least one thing."""
    if _LABELLED.search(tail) or _HAN_LABELLED.search(tail):
        return True
    is_digit = re.fullmatch(r"[0-9]", text[start:end]) is not None
    if _NUMBERED.search(tail) and re.fullmatch(r"[0-9]{1,2}", text[start:end]) and not re.match(r" ?\(", text[end:]):
        return True
    if text[end : end + 1] == ")" and _ENUMERATED.search(tail) and is_digit and not re.search(r"\([^()]+$", tail):
        return True
    is_by = _BY.match(text, end) is not None or re.search(r"[0-9] ?x ?$", tail) is not None
    return (is_by and _DESIGN.match(text, end) is not None) or (text[start:end] == "1" and tail.endswith("at least "))


def _spelt_figures(text: str) -> Iterator[PrintedFigure]:
    for found, value in spelt_number_terms(text):
        percent = _PERCENT.match(text, found.end())
        stop = percent.end() if percent else found.end()
        unit, is_time = _unit_behind_figure(text, found.start(), stop)
        yield PrintedFigure(
            start=found.start(), end=stop, value=Decimal(value), is_percent=percent is not None,
            unit=unit, is_time=is_time, is_spelt=True,
            is_name=_LABELLED.search(text[max(0, found.start() - 40) : found.start()]) is not None
            or (value == 1 and text[: found.start()].endswith("at least "))
            or text[found.start() - 1 : found.start()] == "-" or (re.match(r"-[a-z]", text[stop : stop + 2]) is not None
            and not is_time),
        )  # fmt: skip


def _han_figures(text: str) -> Iterator[PrintedFigure]:
    for found in HAN_RUN.finditer(text):
        value = han_number_term(found[0])
        if value is None:
            continue
        unit, is_time = _unit_behind_figure(text, found.start(), found.end())
        is_label = _HAN_LABEL_AFTER.match(text, found.end()) or text[: found.start()].endswith("第")
        yield PrintedFigure(
            start=found.start(), end=found.end(), value=Decimal(value), unit=unit, is_time=is_time, is_spelt=True,
            is_name=bool(is_label) or _han_figure_is_part_of_term(text, found),
        )  # fmt: skip


def _han_figure_is_part_of_term(text: str, found: re.Match[str]) -> bool:
    """`一般`, `统一`, `十分`: a numeral that is part of a Chinese word; none with a measure word behind."""
    if len(found[0]) > 1:
        return False
    after = text[found.end() : found.end() + 1]
    return after not in set("例人名个组家中名种项次周天年月岁所院医臂万千百份只眼位")


def _figures_with_ranges(text: str, found: list[PrintedFigure]) -> Iterator[PrintedFigure]:
    """Figures whose partner stands behind `-`, `to` or the like are the ends of a range."""
    edges: dict[int, str] = {}
    for n, (low, high) in enumerate(pairwise(found)):
        between = text[low.end : high.start] + ("-" if high.value < 0 and text[high.start] == "-" else "")
        if low.is_name and high.is_name:
            continue
        if _RANGE_BETWEEN.fullmatch(between) and (low.value < high.value or high.value < 0) and n not in edges:
            edges[n], edges[n + 1] = "low", "high"
    for n, one in enumerate(found):
        yield replace(one, edge=edges[n], is_name=one.is_name and n not in edges) if n in edges else one
