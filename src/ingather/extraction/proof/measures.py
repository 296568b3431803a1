"""What kind of quantity a figure is, as far as the text around it says: a P value, an SD, a denominator. Pure.

A figure may be one of several: behind `±` stands an SD or an SE. Where the
text says nothing, the figure is `PLAIN` and may be any number at all.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from ingather.extraction.proof.figures import Figure


class Measure(StrEnum):
    """The kinds of quantity that papers print. `PLAIN` is a number of which the text says nothing more."""

    P = "p"
    CI_LEVEL = "ci_level"
    CI_LOW = "ci_low"
    CI_HIGH = "ci_high"
    Q1 = "q1"
    Q3 = "q3"
    MIN = "min"
    MAX = "max"
    MEAN = "mean"
    SD = "sd"
    SE = "se"
    MEDIAN = "median"
    ESTIMATE = "estimate"  # of a comparison: an odds ratio, a difference
    PERCENT = "percent"
    EVENTS = "events"  # the numerator of a fraction, or a count with its percentage
    TOTAL = "total"  # the denominator of a fraction, or what follows `n =`
    COUNT = "count"  # of people
    THINGS = "things"  # a count of something else: centres, weeks of treatment, items
    TIME = "time"
    AGE = "age"
    DATE = "date"
    AMOUNT = "amount"  # with a unit such as mmHg
    DOSE = "dose"  # with a unit in which drugs are given
    STATISTIC = "statistic"  # a test statistic, its degrees of freedom, a power, an error rate
    PLAIN = "plain"


_CI: Final = (
    r"(?:c\.?i\.?s?|cri|ci95|confidence (?:intervals?|limits?|bounds?)|credible intervals?"
    r"|可信区间|置信区间)"
)
_EFFECT: Final = (
    r"(?:odds ratios?|risk ratios?|relative risks?|hazards? ratios?|rate ratios?|risk differences?|mean differences?"
    r"|absolute differences?|differences?|effect sizes?|regression coefficients?|coefficients?|cohen'?s? d"
    r"|比值比|风险比|相对危险度|危险比|均差|差值|差异)"
)
_SHORT_EFFECT: Final = r"(?:a?or|a?hr|a?rr|irr|arr|ard|smd|wmd|md|beta|β)"
_P_BEFORE: Final = re.compile(
    r"(?<![a-z])(?:p|p[- ]?values?|p for (?:trend|interaction)|p\w?(?:_\w+)?|significance|sig\.?)"
    r" ?(?:was|of|is|were)? ?(?:[=<>\u2264\u2265:,~] ?){1,2}$"
)
_LEVEL_AFTER: Final = re.compile(rf" ?[( ]?{_CI}(?![a-z])")
_CI_BEFORE: Final = re.compile(rf"(?<![a-z]){_CI}(?:[)\]]| of| was| is|[:=,;]|\(|\[| )*$")
_IQR_BEFORE: Final = re.compile(
    r"(?:iqr|inter-?quartile(?: range)?|quartiles?|25th|q1|p25|四分位(?:数)?(?:间距|范围)?)[^0-9.;]{0,20}$"
)
_SPREAD_RANGE_BEFORE: Final = re.compile(r"(?<![a-z])(?:range[ds]?|min(?:imum)?|from|between|范围)[^0-9.;]{0,12}$")
_SD: Final = r"(?:s\.?d\.?|standard deviations?|std\.? ?dev\.?|标准差)"
_SE: Final = r"(?:s\.?e\.?m?\.?|standard errors?(?: of the mean)?|标准误差?)"
_SD_BEFORE: Final = re.compile(rf"(?<![a-z]){_SD}(?: of| was| were|[:=,;)\]\[(]| |±)*$")
_SE_BEFORE: Final = re.compile(rf"(?<![a-z]){_SE}(?: of| was| were|[:=,;)\]\[(]| |±)*$")
_SD_AFTER: Final = re.compile(rf" ?[(\[]?{_SD}(?![a-z])")
_SE_AFTER: Final = re.compile(rf" ?[(\[]?{_SE}(?![a-z])")
_MEAN: Final = re.compile(r"(?<![a-z])(?:means?|averag\w+|mean\(|±)(?![a-z])|均数|平均|均值")
_MEDIAN: Final = re.compile(r"(?<![a-z])medians?(?![a-z])|中位")
_OUT_OF: Final = re.compile(r"(?:(?<![a-z])(?:of|among|out of|in)|/)(?: the| a total of| these| all)? ?$")
_EFFECT_BEFORE: Final = re.compile(
    rf"(?<![a-z])(?:{_EFFECT}(?:[^0-9.;]{{0,40}}?(?: of| was| were| is|[=:,(\[])| ?[\[(][a-z]{{1,4}}[\])])?"
    rf"|{_SHORT_EFFECT}(?: of| was| is|[=:,;(\[])?|[\[(]{_SHORT_EFFECT}[\])](?: of| was| is|[=:,])?) ?(?:[=:,(\[] ?)?$"
)
_OR: Final = re.compile(r"(?<![a-z])or ?$")
_STATISTIC_BEFORE: Final = re.compile(
    r"(?:(?<![a-z])(?:t|f|z|r|χ2|x2|chi-?square[d]?|h|u|d\.?f\.?|κ|kappa|icc|auc|r2|q|i2|ω|η2?|\u03b1|alpha|chi2|x\^2"
    r"|χ\^2)"
    r" ?(?:\([0-9., ]+\) ?)?(?:of|was)? ?[=<>:] ?|\^2 ?= ?|(?:power|beta|alpha|type i|error|significance)"
    r"[^0-9.;]{0,24}|检验效能[^0-9]{0,6})$"
)
_POWER_AFTER: Final = re.compile(r" ?(?:statistical )?power\b|[- ]?(?:sided|tailed)\b| ?level of significance")
_N_BEFORE: Final = re.compile(r"(?<![a-z])n\w? ?[=:] ?$|(?<![a-z])n ?\($|例数[^0-9]{0,3}$")
_OF: Final = re.compile(
    r" ?(?:/| of (?:the |a total of |all )?| out of (?:the |a total of )?)(?:[a-z]{1,12} ){0,1}"
    r"|[ a-z]{0,22} of (?:the |all )?"
)
_DOSE_UNIT: Final = re.compile(
    r"(?:mg|g|ug|μg|mcg|iu|u|gy|cgy|ml|meq|毫克|克|片|粒|units?|tablets?|capsules?|puffs?)"
    r"(?:[ /·^.]?(?:m\^?2?|kg|day|d|h|日|天|次|week))*"
)
_AGE_BEFORE: Final = re.compile(r"(?<![a-z])(?:age[ds]?|年龄)(?![a-z])[^.;]{0,45}$")
_AGE_AFTER: Final = re.compile(r"[- ]?(?:years?|yrs?|months?|y)?[- ](?:old|of age)\b|岁")
_YEAR: Final = re.compile(r"(?:1[89]|20)[0-9]{2}")
_YEAR_CONTEXT: Final = re.compile(
    r"(?:(?<![a-z])(?:in|since|from|to|and|between|until|through|by|during|before|after|of|early|late|mid|january"
    r"|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?"
    r"|oct|nov|dec)\.?,? |[(/-]|\b[0-9]{1,2}(?:st|nd|rd|th)?,? |[;,.] ?|^)$"
)
_MONTH_BESIDE: Final = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul"
    r"|aug|sept?|oct|nov|dec)\.?"
)
_PEOPLE: Final = (
    r"patients?|participants?|subjects?|women|men|woman|man|children|child|infants?|neonates?|newborns?|adults?"
    r"|adolescents?|people|persons?|individuals?|volunteers?|students?|males?|females?|boys?|girls?|cases?|controls?"
    r"|mothers?|families|couples|residents?|workers?|users?|smokers?|babies|toddlers?|survivors?|athletes?|nurses?"
    r"|physicians?|respondents?|enrollees|inpatients?|outpatients?|completers?|responders?|deaths?|events?|eyes|teeth"
    r"|knees|hips|limbs|lesions|pregnancies|pairs|twins|dyads|veterans|recipients?|carriers?|caregivers?"
    r"|members|elderly|households?|cancers|relapses|recurrences|infections|fractures|例|人|名|位|患者|病人|受试者|儿童"
    r"|孕妇|眼"
)
_PEOPLE_AFTER: Final = re.compile(
    rf" ?(?:\([^()]{{0,30}}\) ?)?(?:(?![0-9]+[ ]|,|(?:we|and|in|were|was"
    rf"|or)[ ])[a-z0-9,/'+-]+ ){{0,6}}?(?:{_PEOPLE})(?![a-z])"
    rf"|(?:{_PEOPLE})"
)
_THING: Final = (
    r"cent(?:er|re)s?|hospitals?|clinics?|sites?|countries|practices|schools|villages|clusters|units?|wards|items?"
    r"|questions?|points?|scales?|times|doses?|sessions?|visits?|weeks?|days?|months?|years?|hours?|minutes?|groups?"
    r"|arms?|treatments?|cycles?|courses?|studies|trials|reports|articles|injections?|tablets?|capsules?|occasions"
    r"|measurements|stud(?:y|ies)|parallel|different|regimens|interventions|domains|components|categories|factors"
    r"|variables|models|tests|samples|specimens|reviewers|investigators|observers|assessors|radiologists|authors"
    r"|surgeons|pathologists|fold|folds|steps|stages|strata|blocks|consecutive days|ml|mg|kg|cm|mm|中心|家|所|组|次"
    r"|项|分|种|个"
)
_THINGS_AFTER: Final = re.compile(
    rf"[ -]?(?:(?!(?:in|of|on|for|to|with|the|from|at|by|who|were|was|and|or"
    rf"|had)[ ])[a-z-]+ ){{0,3}}?(?:{_THING})(?![a-z])|(?:{_THING})| (?:[a-z-]+ ){{0,6}}?(?:trials|studies)(?![a-z])"
)


def measures(text: str, found: Sequence[Figure]) -> tuple[frozenset[Measure], ...]:
    """For each figure of a folded text what it may be. Never empty."""
    kinds = []
    before_it: Figure | None = None
    for figure in found:
        kinds.append(_alone(text, figure, before_it))
        before_it = before_it if figure.is_name else figure
    for n in range(len(found)):
        _in_company(text, found, kinds, n)
    _under_headers(text, found, kinds)
    for n in range(1, len(found)):
        _in_a_list(text, found, kinds, n)
    for n in range(len(found) - 1, 0, -1):
        _in_a_list_of_shares(text, found, kinds, n)
    return tuple(frozenset(kind) for kind in kinds)


# So far before a figure the words stand that say what it is: `The median time to progression was longer in the A group
# than in the B group (7.5 v 3.8 months)`. A figure, a semicolon or a full stop between ends it sooner.
_NEAR: Final = 160


def _alone(text: str, figure: Figure, before_it: Figure | None) -> set[Measure]:
    """What the characters right before and right behind a figure make of it."""
    floor = before_it.end if before_it else 0
    before, after = text[max(0, figure.start - _NEAR) : figure.start], text[figure.end : figure.end + 60]
    near = text[max(floor, figure.start - _NEAR) : figure.start]
    near = re.split(r"[.;] |[。\uff1b]", near)[-1]
    if marked := _marked(figure, before, near, after):
        return marked
    if _is_year(text, figure):
        return {Measure.DATE}
    if figure.is_time and (_AGE_AFTER.match(text, figure.end) or _AGE_BEFORE.search(near)):
        return {Measure.AGE, Measure.TIME, *_averages(near)}
    if figure.is_time:
        return {Measure.TIME, *_averages(near)}
    if figure.edge:
        return _of_range(figure, before)
    if _EFFECT_BEFORE.search(near) and not (_OR.search(near) and figure.value == int(figure.value)):
        return {Measure.ESTIMATE}
    if figure.is_percent:
        return {Measure.PERCENT, *_averages(near)}
    if _N_BEFORE.search(before):
        is_share = re.match(r" ?[,;(] ?[0-9.]+ ?%", after) or re.search(r"% ?[(\[] ?n ?[=:] ?$", before)
        return {Measure.EVENTS, Measure.COUNT} if is_share else {Measure.TOTAL, Measure.COUNT}
    return _of_number(text, figure, near)


def _marked(figure: Figure, before: str, near: str, after: str) -> set[Measure]:
    """What signs and words that stand at the figure itself make of it: `P =`, `95 % CI`, `SD`, `±`."""
    if _P_BEFORE.search(before):
        return {Measure.P}
    if not figure.edge and _CI_BEFORE.search(near):
        return {Measure.CI_LOW, Measure.CI_HIGH}
    if figure.is_percent and _LEVEL_AFTER.match(after):
        return {Measure.CI_LEVEL}
    if _STATISTIC_BEFORE.search(near) or _POWER_AFTER.match(after):
        return {Measure.STATISTIC}
    if _SD_BEFORE.search(near):
        return {Measure.SD}
    if _SE_BEFORE.search(near):
        return {Measure.SE}
    if _SD_AFTER.match(after):
        return {Measure.SD, Measure.PLAIN}
    return {Measure.SD, Measure.SE} if before.rstrip().endswith("\u00b1") else set()


def _of_number(text: str, figure: Figure, near: str) -> set[Measure]:
    after = text[figure.end : figure.end + 90]
    if figure.unit and not figure.is_time:
        averages = _averages(near)
        is_dose = _DOSE_UNIT.fullmatch(figure.unit) is not None and not averages
        return {Measure.DOSE} if is_dose else {Measure.AMOUNT, *averages}
    if averages := _averages(near):
        return averages | ({Measure.AGE} if _AGE_BEFORE.search(near) else set())
    is_whole = figure.value == int(figure.value) and figure.value >= 0 and "." not in text[figure.start : figure.end]
    if is_whole:
        people, things = _PEOPLE_AFTER.match(after), _THINGS_AFTER.match(after)
        if figure.value == 1 and _ONE_OF.match(after):
            return {Measure.THINGS}
        if people and (not things or people.end() <= things.end()):
            return {Measure.TOTAL, Measure.COUNT} if _OUT_OF.search(near) else {Measure.COUNT}
        if things:
            return {Measure.THINGS}
    if _AGE_BEFORE.search(near):
        return {Measure.AGE, Measure.PLAIN}
    return {Measure.PLAIN, Measure.COUNT} if is_whole else {Measure.PLAIN}


# `one of the three arms` counts nobody.
_ONE_OF: Final = re.compile(r" of (?:the |these |our )?(?:two|three|four|five|six|[2-9]|several|following)(?![a-z0-9])")


def _averages(near: str) -> set[Measure]:
    """Mean or median, whichever was named last before the figure."""
    means, medians = [*_MEAN.finditer(near)], [*_MEDIAN.finditer(near)]
    if means and (not medians or means[-1].start() > medians[-1].start()):
        return {Measure.MEAN}
    return {Measure.MEDIAN} if medians else set()


def _is_year(text: str, figure: Figure) -> bool:
    if figure.is_percent or figure.is_spelt or not _YEAR.fullmatch(text[figure.start : figure.end]):
        return _is_day(text, figure)
    if text[figure.end :].startswith(("年", "/", "-")):
        return True
    after = text[figure.end : figure.end + 40]
    is_counted = _PEOPLE_AFTER.match(after) is not None
    return _YEAR_CONTEXT.search(text, max(0, figure.start - 16), figure.start) is not None and not is_counted


def _is_day(text: str, figure: Figure) -> bool:
    """The day of a date: a number up to 31 beside the name of a month, or in a date of figures."""
    if not 1 <= figure.value <= 31 or figure.is_percent:
        return False
    if re.match(r" ?[月日号]", text[figure.end : figure.end + 2]) and figure.unit != "日":
        return text[figure.end : figure.end + 2] != "月龄"
    if _MONTH_BESIDE.match(text, figure.end + 1) and text[figure.end : figure.end + 1] in {" ", "-"}:
        return True
    return (
        re.search(rf"(?<![a-z]){_MONTH_BESIDE.pattern} ?$", text[max(0, figure.start - 12) : figure.start]) is not None
    )


def _of_range(figure: Figure, before: str) -> set[Measure]:
    """An end of a range. Brackets may open between what it is a range of and its lower end."""
    is_low = figure.edge == "low"
    if not is_low:
        return set()  # as its partner, see `_in_company`
    if _CI_BEFORE.search(before):
        return {Measure.CI_LOW}
    if _IQR_BEFORE.search(before):
        return {Measure.Q1}
    if _SPREAD_RANGE_BEFORE.search(before):
        return {Measure.MIN, Measure.PLAIN}
    if before.rstrip().endswith(("(", "[")):
        return {Measure.CI_LOW, Measure.Q1, Measure.MIN}
    return {Measure.MIN, Measure.PLAIN}


_HIGH: Final = {Measure.CI_LOW: Measure.CI_HIGH, Measure.Q1: Measure.Q3, Measure.MIN: Measure.MAX}
_PLUS_MINUS: Final = re.compile(r" ?\u00b1 ?")
_OPENS: Final = re.compile(r" ?[%a-z/]{0,8} ?[(\[] ?(?:sd|se|sem|s\.d\.|=|:|,|±| )*")
_COMMA: Final = re.compile(r" ?[%a-z/]{0,8}[,;] ?(?:and )?| and ")


def _in_company(text: str, found: Sequence[Figure], kinds: list[set[Measure]], n: int) -> None:
    """What a figure is because of the figure before it or behind it."""
    figure = found[n]
    after = text[figure.end : found[n + 1].start] if n + 1 < len(found) else ""
    before = text[found[n - 1].end : figure.start] if n else ""
    if figure.edge == "high" and not kinds[n]:
        low = kinds[n - 1]
        kinds[n] = {_HIGH.get(kind, kind) for kind in low} or {Measure.PLAIN}
        return
    if n + 1 < len(found) and _PLUS_MINUS.fullmatch(after):
        kinds[n] = {Measure.MEAN} | (kinds[n] & {Measure.AGE})
        return
    if kinds[n] == {Measure.CI_LEVEL} or figure.is_name:
        return
    counted = {Measure.COUNT, Measure.PLAIN, Measure.TOTAL}
    if n + 1 < len(found) and _is_whole(text, figure) and _is_whole(text, found[n + 1]) and kinds[n + 1] & counted:
        _fraction(found, kinds, n, after)
    if n and not figure.edge and kinds[n - 1] == {Measure.CI_LOW, Measure.CI_HIGH} and _COMMA.fullmatch(before):
        kinds[n] = {Measure.CI_HIGH}
        kinds[n - 1] = {Measure.CI_LOW}
        return
    if n and _OPENS.fullmatch(before) and text[found[n - 1].end : figure.start].count("(") <= 1:
        _in_brackets(text, found, kinds, n)


def _is_whole(text: str, figure: Figure) -> bool:
    return (
        not (figure.is_percent or figure.is_name or figure.edge)
        and figure.value >= 0
        and "." not in text[figure.start : figure.end]
    )


def _fraction(found: Sequence[Figure], kinds: list[set[Measure]], n: int, between: str) -> None:
    """`45 of 120`, `45/120`, `45 of the 120`."""
    if found[n].value <= found[n + 1].value and _OF.fullmatch(between) and not found[n].is_time:
        kinds[n] = {Measure.EVENTS, Measure.COUNT}
        if not found[n + 1].is_time:
            kinds[n + 1] = {Measure.TOTAL, Measure.COUNT}


def _in_brackets(text: str, found: Sequence[Figure], kinds: list[set[Measure]], n: int) -> None:
    """`45 (37.5%)` is a count with its share, `54.3 (10.1)` an average with its spread, `37% (45)` a share first."""
    one, other = found[n - 1], found[n]
    if other.is_percent and not one.is_percent and _is_whole(text, one) and not one.is_time:
        if Measure.TOTAL not in kinds[n - 1]:
            kinds[n - 1] = {Measure.EVENTS, Measure.COUNT}
        return
    if one.is_percent and _is_whole(text, other) and Measure.EVENTS not in kinds[n]:
        kinds[n] = {Measure.EVENTS, Measure.COUNT}
        return
    closes = text[other.end : other.end + 2].lstrip()[:1] in {")", "]"}
    if Measure.SD in kinds[n] or Measure.SE in kinds[n]:
        if Measure.MEDIAN not in kinds[n - 1] and not kinds[n - 1] & {Measure.P, Measure.ESTIMATE}:
            kinds[n - 1] = {Measure.MEAN} | (kinds[n - 1] & {Measure.AGE})
    elif closes and kinds[n] & {Measure.PLAIN, Measure.COUNT} and Measure.MEAN in kinds[n - 1] and not other.is_percent:
        kinds[n] = {Measure.SD, Measure.SE}


_SPREADS: Final = {"s": Measure.SD, "e": Measure.SE}
# `mean (SD)`, `median (IQR)`, `n (%)`: what the pairs of figures behind it are, until another such header.
_HEADER: Final = re.compile(
    rf"(?<![a-z])(?:means?[(\[\u00b1,; ]*(?P<spread>{_SD}|{_SE})|(?P<median>medians?)[,;]? ?[(\[,]? ?"
    r"(?:iqr|inter-?quartile|q1|25th|range)|(?P<count>n\w?|no\.?|number) ?(?:[(\[,;] ?%|/n))|均数\u00b1标准差"
)
_PAIR: Final = re.compile(r" ?[%a-z/]{0,8} ?(?:[(\[]|\u00b1) ?")


def _under_headers(text: str, found: Sequence[Figure], kinds: list[set[Measure]]) -> None:
    headers = [*_HEADER.finditer(text)]
    for n, one in enumerate(found[:-1]):
        header = next((header for header in reversed(headers) if header.end() <= one.start), None)
        between = text[one.end : found[n + 1].start]
        if header is None or not _PAIR.fullmatch(between) or re.search(r"[.;] [a-z]", text[header.end() : one.start]):
            continue
        if kinds[n] & {Measure.P, Measure.CI_LEVEL, Measure.ESTIMATE}:
            continue
        if header["median"]:
            kinds[n] = {Measure.MEDIAN} | kinds[n] & {Measure.AGE}
            if found[n + 1].edge == "low" and n + 2 < len(found):
                is_range = header[0].endswith("range") and "inter" not in header[0]
                kinds[n + 1] = {Measure.MIN} if is_range else {Measure.Q1}
                kinds[n + 2] = {Measure.MAX} if is_range else {Measure.Q3}
        elif header["count"]:
            if not (one.is_percent or "." in text[one.start : one.end]):
                kinds[n], kinds[n + 1] = {Measure.EVENTS, Measure.COUNT}, {Measure.PERCENT}
        else:
            spread = re.sub(r"[^a-z]", "", header["spread"] or "sd")
            is_error = spread.startswith(("se", "标准误")) or "error" in spread
            kinds[n] = {Measure.MEAN} | kinds[n] & {Measure.AGE}
            kinds[n + 1] = {Measure.SE if is_error else Measure.SD}


_BRACKET: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def _before_brackets(text: str, found: Sequence[Figure], n: int) -> int:
    """The figure before another one, leaving out those in brackets that close between the two."""
    closed = [one.span() for one in _BRACKET.finditer(text) if one.end() <= found[n].start]
    return next((m for m in range(n - 1, -1, -1) if not any(a < found[m].start < b for a, b in closed)), n - 1)


_WITH_UNIT: Final = frozenset((Measure.DOSE, Measure.AMOUNT, Measure.TIME, Measure.AGE))


def _in_a_list_of_shares(text: str, found: Sequence[Figure], kinds: list[set[Measure]], n: int) -> None:
    """`40, 42 and 46 %`: the sign at the end is of all of them."""
    one, other = found[n - 1], found[n]
    is_share = other.is_percent or (Measure.PERCENT in kinds[n] and Measure.PLAIN in kinds[n])
    if Measure.PLAIN not in kinds[n - 1] or not _SHORT_AND.fullmatch(text[one.end : other.start]):
        return
    if is_share:
        kinds[n - 1] = kinds[n - 1] | {Measure.PERCENT}
    elif kinds[n] == {Measure.COUNT} and Measure.COUNT in kinds[n - 1]:
        kinds[n - 1] = {Measure.COUNT}  # `85 v 165 cases`
    elif kinds[n] & _WITH_UNIT and not one.is_percent:
        # `20 or 30 mg`, `between 55 and 80 years`: the unit at the end is of both.
        kinds[n - 1] = kinds[n] | (kinds[n - 1] - {Measure.PLAIN, Measure.COUNT})


_AND: Final = re.compile(
    r"[^0-9.;]{0,60}?(?:(?<![a-z])(?:and|or|vs\.?|versus|v|compared (?:with|to)|than|for)(?![a-z])|[,/]|与|和"
    r"|比)[^0-9.;]{0,40}"
)
_SHORT_AND: Final = re.compile(r" ?(?:,? ?and|or|vs\.?|versus|v|,|to|-|/)(?: and)? ?")
_COUNTED: Final = frozenset((Measure.COUNT, Measure.EVENTS))
_HANDED_ON: Final = frozenset(
    (Measure.MEAN, Measure.MEDIAN, Measure.P, Measure.SD, Measure.SE, Measure.ESTIMATE, Measure.AGE)
)


def _in_a_list(text: str, found: Sequence[Figure], kinds: list[set[Measure]], n: int) -> None:
    """`a median of 12.3 v 10.1 months`, `37 and 25 %`: what is said of one figure of a list holds for all of them."""
    other = found[n]
    first = _before_brackets(text, found, n)
    one = found[first]
    between = _BRACKET.sub(" ", text[one.end : other.start])
    if kinds[first] <= _COUNTED and kinds[n] == {Measure.PLAIN, Measure.COUNT} and _AND.fullmatch(between):
        kinds[n] = {Measure.COUNT}  # `93 deaths in the one group and 106 in the other`
        return
    handed = kinds[first] & _HANDED_ON
    is_open = Measure.PLAIN in kinds[n] or kinds[n] in ({Measure.TIME}, {Measure.AMOUNT}, {Measure.PERCENT})
    if handed and is_open and not other.is_name and not other.edge and _AND.fullmatch(between):
        is_alike = one.is_percent == other.is_percent
        if is_alike and not (Measure.P in handed and other.value >= 1):
            kinds[n] = handed | (kinds[n] & {Measure.TIME, Measure.AMOUNT, Measure.PERCENT})
