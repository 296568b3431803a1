"""What kind of quantity a figure is, as far as the text around it says: a P value, an SD, a denominator. Pure.

A figure may be one of several: behind `±` stands an SD or an SE. Where the
text says nothing, the figure is `PLAIN` and may be any number at all.
"""

import re
from collections.abc import Sequence
from typing import Final

from ingather.extraction.proof.figure_kind import FigureKind
from ingather.extraction.proof.figures import PrintedFigure
from ingather.extraction.proof.lone_figures import SD, SE, lone_figure_kinds

_OF: Final = re.compile(
    r" ?(?:/| of (?:the |a total of |all )?| out of (?:the |a total of )?)(?:[a-z]{1,12} ){0,1}"
    r"|[ a-z]{0,22} of (?:the |all )?"
)


def measures_of_figures(text: str, found: Sequence[PrintedFigure]) -> tuple[frozenset[FigureKind], ...]:
    """For each figure of a folded text what it may be. Never empty."""
    kinds = []
    before_it: PrintedFigure | None = None
    for figure in found:
        kinds.append(lone_figure_kinds(text, figure, before_it))
        is_aside = figure.is_name or kinds[-1] == {FigureKind.CI_LEVEL}  # `median PFS (95 % CI) was 2.8`
        before_it = before_it if is_aside else figure
    for n in range(len(found)):
        _measure_in_company(text, found, kinds, n)
    _measure_under_headers(text, found, kinds)
    for n in range(1, len(found)):
        _measure_list(text, found, kinds, n)
    for n in range(len(found) - 1, 0, -1):
        _measure_list_of_shares(text, found, kinds, n)
    return tuple(frozenset(kind) for kind in kinds)


_HIGH: Final = {FigureKind.CI_LOW: FigureKind.CI_HIGH, FigureKind.Q1: FigureKind.Q3, FigureKind.MIN: FigureKind.MAX}
_PLUS_MINUS: Final = re.compile(r" ?\u00b1 ?")
_OPENS: Final = re.compile(r" ?[%a-z/]{0,8} ?[(\[] ?(?:sd|se|sem|s\.d\.|=|:|,|±| )*")
_LISTED: Final = re.compile(r"[,;] ?")
_COMMA: Final = re.compile(r" ?[%a-z/]{0,8}[,;] ?(?:and )?| and ")


def _measure_in_company(text: str, found: Sequence[PrintedFigure], kinds: list[set[FigureKind]], n: int) -> None:
    """What a figure is because of the figure before it or behind it."""
    figure = found[n]
    after = text[figure.end : found[n + 1].start] if n + 1 < len(found) else ""
    before = text[found[n - 1].end : figure.start] if n else ""
    if figure.edge == "high" and not kinds[n]:
        low = kinds[n - 1]
        kinds[n] = {_HIGH.get(kind, kind) for kind in low} or {FigureKind.PLAIN}
        return
    if n + 1 < len(found) and _PLUS_MINUS.fullmatch(after):
        kinds[n] = {FigureKind.MEAN} | (kinds[n] & {FigureKind.AGE})
        return
    if kinds[n] == {FigureKind.CI_LEVEL} or figure.is_name:
        return
    counted = {FigureKind.COUNT, FigureKind.PLAIN, FigureKind.TOTAL}
    if (
        n + 1 < len(found)
        and _measure_is_whole(text, figure)
        and _measure_is_whole(text, found[n + 1])
        and kinds[n + 1] & counted
    ):
        _measure_fraction(found, kinds, n, after)
    if n and not figure.edge and kinds[n - 1] == {FigureKind.CI_LOW, FigureKind.CI_HIGH} and _COMMA.fullmatch(before):
        kinds[n] = {FigureKind.CI_HIGH}
        kinds[n - 1] = {FigureKind.CI_LOW}
        return
    if n and figure.is_percent and _LISTED.fullmatch(before) and _measure_is_whole(text, found[n - 1]):
        if text[: found[n - 1].start].endswith(("(", "[")) and kinds[n - 1] & counted and not found[n - 1].is_time:
            kinds[n - 1] = {FigureKind.EVENTS, FigureKind.COUNT}  # `(420, 15 %)`
        return
    if n and _OPENS.fullmatch(before) and text[found[n - 1].end : figure.start].count("(") <= 1:
        _measure_in_brackets(text, found, kinds, n)


def _measure_is_whole(text: str, figure: PrintedFigure) -> bool:
    return (
        not (figure.is_percent or figure.is_name or figure.edge)
        and figure.value >= 0
        and "." not in text[figure.start : figure.end]
    )


def _measure_fraction(found: Sequence[PrintedFigure], kinds: list[set[FigureKind]], n: int, between: str) -> None:
    """`45 of 120`, `45/120`, `45 of the 120`."""
    if found[n].value <= found[n + 1].value and _OF.fullmatch(between) and not found[n].is_time:
        kinds[n] = {FigureKind.EVENTS, FigureKind.COUNT}
        if not found[n + 1].is_time:
            kinds[n + 1] = {FigureKind.TOTAL, FigureKind.COUNT}


def _measure_in_brackets(text: str, found: Sequence[PrintedFigure], kinds: list[set[FigureKind]], n: int) -> None:
    """`45 (37.5%)` is a count with its share, `54.3 (10.1)` an average with its spread, `37% (45)` a share first."""
    one, other = found[n - 1], found[n]
    if other.is_percent and not one.is_percent and _measure_is_whole(text, one) and not one.is_time:
        if FigureKind.TOTAL not in kinds[n - 1]:
            kinds[n - 1] = {FigureKind.EVENTS, FigureKind.COUNT}
        return
    if one.is_percent and _measure_is_whole(text, other) and FigureKind.EVENTS not in kinds[n]:
        kinds[n] = {FigureKind.EVENTS, FigureKind.COUNT}
        return
    closes = text[other.end : other.end + 2].lstrip()[:1] in {")", "]"}
    if FigureKind.SD in kinds[n] or FigureKind.SE in kinds[n]:
        if FigureKind.MEDIAN not in kinds[n - 1] and not kinds[n - 1] & {FigureKind.P, FigureKind.ESTIMATE}:
            kinds[n - 1] = {FigureKind.MEAN} | (kinds[n - 1] & {FigureKind.AGE})
    elif (
        closes
        and kinds[n] & {FigureKind.PLAIN, FigureKind.COUNT}
        and FigureKind.MEAN in kinds[n - 1]
        and not other.is_percent
    ):
        kinds[n] = {FigureKind.SD, FigureKind.SE}


_SPREADS: Final = {"s": FigureKind.SD, "e": FigureKind.SE}
# `mean (SD)`, `median (IQR)`, `n (%)`: what the pairs of figures behind it are, until another such header.
_HEADER: Final = re.compile(
    rf"(?<![a-z])(?:means?[(\[\u00b1,; ]*(?P<spread>{SD}|{SE})|(?P<median>medians?)[,;]? ?[(\[,]? ?"
    r"(?:iqr|inter-?quartile|q1|25th|range)|(?P<count>n\w?|no\.?|number) ?(?:[(\[,;] ?%|/n))|均数\u00b1标准差"
)
_PAIR: Final = re.compile(r" ?[%a-z/]{0,8} ?(?:[(\[]|\u00b1) ?")


def _measure_under_headers(text: str, found: Sequence[PrintedFigure], kinds: list[set[FigureKind]]) -> None:
    headers = [*_HEADER.finditer(text)]
    for n, one in enumerate(found[:-1]):
        header = next((header for header in reversed(headers) if header.end() <= one.start), None)
        between = text[one.end : found[n + 1].start]
        if header is None or not _PAIR.fullmatch(between) or re.search(r"[.;] [a-z]", text[header.end() : one.start]):
            continue
        if kinds[n] & {FigureKind.P, FigureKind.CI_LEVEL, FigureKind.ESTIMATE}:
            continue
        if header["median"]:
            kinds[n] = {FigureKind.MEDIAN} | kinds[n] & {FigureKind.AGE}
            if found[n + 1].edge == "low" and n + 2 < len(found):
                is_range = header[0].endswith("range") and "inter" not in header[0]
                kinds[n + 1] = {FigureKind.MIN} if is_range else {FigureKind.Q1}
                kinds[n + 2] = {FigureKind.MAX} if is_range else {FigureKind.Q3}
        elif header["count"]:
            if not (one.is_percent or "." in text[one.start : one.end]):
                kinds[n], kinds[n + 1] = {FigureKind.EVENTS, FigureKind.COUNT}, {FigureKind.PERCENT}
        else:
            spread = re.sub(r"[^a-z]", "", header["spread"] or "sd")
            is_error = spread.startswith(("se", "标准误")) or "error" in spread
            kinds[n] = {FigureKind.MEAN} | kinds[n] & {FigureKind.AGE}
            kinds[n + 1] = {FigureKind.SE if is_error else FigureKind.SD}


_BRACKET: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def _measure_before_brackets(text: str, found: Sequence[PrintedFigure], n: int) -> int:
    """The figure before another one, leaving out those in brackets that close between the two."""
    closed = [one.span() for one in _BRACKET.finditer(text) if one.end() <= found[n].start]
    return next((m for m in range(n - 1, -1, -1) if not any(a < found[m].start < b for a, b in closed)), n - 1)


_WITH_UNIT: Final = frozenset((FigureKind.DOSE, FigureKind.AMOUNT, FigureKind.TIME, FigureKind.AGE))


def _measure_list_of_shares(text: str, found: Sequence[PrintedFigure], kinds: list[set[FigureKind]], n: int) -> None:
    """`40, 42 and 46 %`: the sign at the end is of all of them."""
    one, other = found[n - 1], found[n]
    is_share = other.is_percent or (FigureKind.PERCENT in kinds[n] and FigureKind.PLAIN in kinds[n])
    if FigureKind.PLAIN not in kinds[n - 1] or not _SHORT_AND.fullmatch(text[one.end : other.start]):
        return
    if is_share:
        kinds[n - 1] = kinds[n - 1] | {FigureKind.PERCENT}
    elif kinds[n] == {FigureKind.COUNT} and FigureKind.COUNT in kinds[n - 1]:
        kinds[n - 1] = {FigureKind.COUNT}  # `85 v 165 cases`
    elif kinds[n] & _WITH_UNIT and not one.is_percent:
        # `20 or 30 mg`, `between 55 and 80 years`: the unit at the end is of both.
        kinds[n - 1] = kinds[n] | (kinds[n - 1] - {FigureKind.PLAIN, FigureKind.COUNT})


_AND: Final = re.compile(
    r"[^0-9.;]{0,60}?(?:(?<![a-z])(?:and|or|vs\.?|versus|v|compared (?:with|to)|than|for)(?![a-z])|[,/]|与|和"
    r"|比)[^0-9.;]{0,40}"
)
_SHORT_AND: Final = re.compile(r" ?(?:,? ?and|or|vs\.?|versus|v|,|to|-|/)(?: and)? ?")
_COUNTED: Final = frozenset((FigureKind.COUNT, FigureKind.EVENTS))
_HANDED_ON: Final = frozenset(
    (
        FigureKind.MEAN,
        FigureKind.MEDIAN,
        FigureKind.P,
        FigureKind.SD,
        FigureKind.SE,
        FigureKind.ESTIMATE,
        FigureKind.AGE,
    )
)


def _measure_list(text: str, found: Sequence[PrintedFigure], kinds: list[set[FigureKind]], n: int) -> None:
    """`a median of 12.3 v 10.1 months`, `37 and 25 %`: what is said of one figure of a list holds for all of them."""
    other = found[n]
    first = _measure_before_brackets(text, found, n)
    one = found[first]
    between = _BRACKET.sub(" ", text[one.end : other.start])
    if kinds[first] <= _COUNTED and kinds[n] == {FigureKind.PLAIN, FigureKind.COUNT} and _AND.fullmatch(between):
        kinds[n] = {FigureKind.COUNT}  # `93 deaths in the one group and 106 in the other`
        return
    handed = kinds[first] & _HANDED_ON
    is_open = FigureKind.PLAIN in kinds[n] or kinds[n] in ({FigureKind.TIME}, {FigureKind.AMOUNT}, {FigureKind.PERCENT})
    if handed and is_open and not other.is_name and not other.edge and _AND.fullmatch(between):
        is_alike = one.is_percent == other.is_percent
        if is_alike and not (FigureKind.P in handed and other.value >= 1):
            kinds[n] = handed | (kinds[n] & {FigureKind.TIME, FigureKind.AMOUNT, FigureKind.PERCENT})
