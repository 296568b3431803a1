"""What a figure may be by the characters right before it and right behind it: `P =`, `95 % CI`, `SD`, `n =`. Pure."""

import re
from typing import Final

from ingather.extraction.proof.figure_kind import FigureKind
from ingather.extraction.proof.figures import PrintedFigure

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
SD: Final = r"(?:s\.?d\.?|standard deviations?|std\.? ?dev\.?|标准差)"
SE: Final = r"(?:s\.?e\.?m?\.?|standard errors?(?: of the mean)?|标准误差?)"
_SD_BEFORE: Final = re.compile(rf"(?<![a-z]){SD}(?: of| was| were|[:=,;)\]\[(]| |±)*$")
_SE_BEFORE: Final = re.compile(rf"(?<![a-z]){SE}(?: of| was| were|[:=,;)\]\[(]| |±)*$")
_SD_AFTER: Final = re.compile(rf" ?[(\[]?{SD}(?![a-z])")
_SE_AFTER: Final = re.compile(rf" ?[(\[]?{SE}(?![a-z])")
_MEAN: Final = re.compile(r"(?<![a-z])(?:means?|averag\w+|mean\(|±)(?![a-z])|均数|平均|均值")
_MEDIAN: Final = re.compile(r"(?<![a-z])medians?(?![a-z])|中位")
_OUT_OF: Final = re.compile(r"(?:(?<![a-z])(?:of|among|out of|in)|/)(?: the| a total of| these| all)? ?$")
_HAPPENED_IN: Final = re.compile(
    r"(?<![a-z])(?:occurred|developed|seen|found|observed|diagnosed|reported|noted|recorded|detected|identified) in $"
)
_SHARE_BEHIND: Final = re.compile(r"[^.;()]{0,30}\( ?[0-9.]+ ?%")
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
_DOSE_UNIT: Final = re.compile(
    r"(?:mg|g|ug|μg|mcg|micrograms?|microg|milligrams?|iu|u|gy|cgy|ml|meq|毫克|克|片|粒|units?|tablets?|capsules?|puffs?)"
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
    rf"[ -]?(?:[0-9]+-(?:week|day|month)(?:ly)? )?(?:(?!(?:in|of|on|for|to|with|the|from|at|by|who|were|was|and|or"
    rf"|had)[ ])[a-z-]+ ){{0,3}}?(?:{_THING})(?![a-z])|(?:{_THING})| (?:[a-z-]+ ){{0,6}}?(?:trials|studies)(?![a-z])"
)


# So far before a figure the words stand that say what it is: `The median time to progression was longer in the A group
# than in the B group (7.5 v 3.8 months)`. A figure, a semicolon or a full stop between ends it sooner.
_NEAR: Final = 160


def lone_figure_kinds(text: str, figure: PrintedFigure, before_it: PrintedFigure | None) -> set[FigureKind]:
    """What the characters right before and right behind a figure make of it."""
    floor = before_it.end if before_it else 0
    before, after = text[max(0, figure.start - _NEAR) : figure.start], text[figure.end : figure.end + 60]
    near = text[max(floor, figure.start - _NEAR) : figure.start]
    near = re.split(r"[.;] |[。\uff1b]|, there (?:was|were) ", near)[-1]
    if marked := _lone_figure_kinds_by_mark(figure, before, near, after):
        return marked
    if _lone_figure_is_year(text, figure):
        return {FigureKind.DATE}
    if figure.is_time and (_AGE_AFTER.match(text, figure.end) or _AGE_BEFORE.search(near)):
        return {FigureKind.AGE, FigureKind.TIME, *_lone_figure_averages(near)}
    if figure.is_time:
        is_adjective = text[figure.end : figure.end + 1] == "-"  # `the 1-year survival rate`
        return {FigureKind.TIME} if is_adjective else {FigureKind.TIME, *_lone_figure_averages(near)}
    if figure.edge:
        return _lone_figure_kinds_of_range(figure, before)
    if _EFFECT_BEFORE.search(near) and not (_OR.search(near) and figure.value == int(figure.value)):
        return {FigureKind.ESTIMATE}
    if figure.is_percent:
        return {FigureKind.PERCENT, *_lone_figure_averages(near)}
    if _N_BEFORE.search(before):
        is_share = re.match(r" ?[,;(] ?[0-9.]+ ?%", after) or re.search(r"% ?[(\[] ?n ?[=:] ?$", before)
        return {FigureKind.EVENTS, FigureKind.COUNT} if is_share else {FigureKind.TOTAL, FigureKind.COUNT}
    return _lone_figure_kinds_of_number(text, figure, near)


def _lone_figure_kinds_by_mark(figure: PrintedFigure, before: str, near: str, after: str) -> set[FigureKind]:
    """What signs and words that stand at the figure itself make of it: `P =`, `95 % CI`, `SD`, `±`."""
    if _P_BEFORE.search(before):
        return {FigureKind.P}
    if not figure.edge and _CI_BEFORE.search(near):
        return {FigureKind.CI_LOW, FigureKind.CI_HIGH}
    if figure.is_percent and _LEVEL_AFTER.match(after):
        return {FigureKind.CI_LEVEL}
    if _STATISTIC_BEFORE.search(near) or _POWER_AFTER.match(after):
        return {FigureKind.STATISTIC}
    if _SD_BEFORE.search(near):
        return {FigureKind.SD}
    if _SE_BEFORE.search(near):
        return {FigureKind.SE}
    if _SD_AFTER.match(after):
        return {FigureKind.SD, FigureKind.PLAIN}
    return {FigureKind.SD, FigureKind.SE} if before.rstrip().endswith("\u00b1") else set()


def _lone_figure_kinds_of_number(text: str, figure: PrintedFigure, near: str) -> set[FigureKind]:
    after = text[figure.end : figure.end + 90]
    if figure.unit and not figure.is_time:
        averages = _lone_figure_averages(near)
        is_dose = _DOSE_UNIT.fullmatch(figure.unit) is not None and not averages
        return {FigureKind.DOSE} if is_dose else {FigureKind.AMOUNT, *averages}
    if averages := _lone_figure_averages(near):
        return averages | ({FigureKind.AGE} if _AGE_BEFORE.search(near) else set())
    is_whole = figure.value == int(figure.value) and figure.value >= 0 and "." not in text[figure.start : figure.end]
    if is_whole:
        people, things = _PEOPLE_AFTER.match(after), _THINGS_AFTER.match(after)
        if figure.value == 1 and _ONE_OF.match(after):
            return {FigureKind.THINGS}
        if people and (not things or people.end() <= things.end()):
            if near.endswith(" in ") and (_SHARE_BEHIND.match(after) or _HAPPENED_IN.search(near)):
                return {FigureKind.EVENTS, FigureKind.COUNT}  # `found in 57 (90 %) of the patients`
            return {FigureKind.TOTAL, FigureKind.COUNT} if _OUT_OF.search(near) else {FigureKind.COUNT}
        if re.match(r" (?:who|whom)(?![a-z])", after) and _OUT_OF.search(near):
            return {FigureKind.TOTAL, FigureKind.COUNT}
        if things:
            return {FigureKind.THINGS}
    if _AGE_BEFORE.search(near):
        return {FigureKind.AGE, FigureKind.PLAIN}
    return {FigureKind.PLAIN, FigureKind.COUNT} if is_whole else {FigureKind.PLAIN}


# `one of the three arms` counts nobody.
_ONE_OF: Final = re.compile(r" of (?:the |these |our )?(?:two|three|four|five|six|[2-9]|several|following)(?![a-z0-9])")


def _lone_figure_averages(near: str) -> set[FigureKind]:
    """Mean or median, whichever was named last before the figure."""
    means, medians = [*_MEAN.finditer(near)], [*_MEDIAN.finditer(near)]
    if means and (not medians or means[-1].start() > medians[-1].start()):
        return {FigureKind.MEAN}
    return {FigureKind.MEDIAN} if medians else set()


def _lone_figure_is_year(text: str, figure: PrintedFigure) -> bool:
    if figure.is_percent or figure.is_spelt or not _YEAR.fullmatch(text[figure.start : figure.end]):
        return _lone_figure_is_day(text, figure)
    if text[figure.end :].startswith(("年", "/", "-")):
        return True
    after = text[figure.end : figure.end + 40]
    is_counted = _PEOPLE_AFTER.match(after) is not None
    return _YEAR_CONTEXT.search(text, max(0, figure.start - 16), figure.start) is not None and not is_counted


def _lone_figure_is_day(text: str, figure: PrintedFigure) -> bool:
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


def _lone_figure_kinds_of_range(figure: PrintedFigure, before: str) -> set[FigureKind]:
    """An end of a range. Brackets may open between what it is a range of and its lower end."""
    is_low = figure.edge == "low"
    if not is_low:
        return set()  # as its partner, see `_in_company`
    if _CI_BEFORE.search(before):
        return {FigureKind.CI_LOW}
    if _IQR_BEFORE.search(before):
        return {FigureKind.Q1}
    if _SPREAD_RANGE_BEFORE.search(before):
        return {FigureKind.MIN, FigureKind.PLAIN}
    if before.rstrip().endswith(("(", "[")):
        return {FigureKind.CI_LOW, FigureKind.Q1, FigureKind.MIN}
    return {FigureKind.MIN, FigureKind.PLAIN}
