"""A label of a table taken apart: what it names, how it counts, at which time, and for how many people. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from ingather.extraction.ground.folding import fold_text
from ingather.extraction.numbers.cell import plain_cell
from ingather.extraction.numbers.moment import Moment, When, is_change_not_moment, moment_in
from ingather.extraction.numbers.terms import terms_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLabel:
    """A row label or a column header. `core` is what remains without numbers of people, ways of counting and times."""

    text: str
    core: tuple[str, ...]
    n: str = ""
    moment: Moment | None = None
    is_count: bool = False
    is_percent: bool = False
    is_mean: bool = False
    is_median: bool = False
    is_spread: bool = False  # it names an SD, an SE or an interval
    is_total_n: bool = False  # it stands over numbers of people: `N`, `No. of patients`
    is_change: bool = False
    is_comparison: bool = False  # p, a difference between arms, an odds ratio
    is_everyone: bool = False  # all arms together


_HAS_N: Final = re.compile(
    r"[(\[,;]?\s?\bn ?[=:] ?(\d[\d,]*)(?: ?[/;,] ?\d[\d,]*%?)?\s?[)\]]?"
    r"|[(\[](\d[\d,]*) (?:patients|participants|subjects|women|children|men|infants|people)[)\]]"
    r"|n ?[=:] ?(\d[\d,]*)"
    r"|(?<![\w.<>\u2264\u2265-])(\d{1,5}) (?:patients|participants|subjects|women|children|infants)\b",
    re.IGNORECASE,
)
_TOTAL_N: Final = re.compile(
    r"(?:total |sample |group )?(?:n|size|no\.?|nos\.?|numbers?|sample size)(?: ?(?:of|\()? ?(?:the )?(?:patients"
    r"|participants|subjects|women|children|men"
    r"|infants|people|individuals|observations|households|evaluable|randomi[sz]ed|analy[sz]ed"
    r"|included)(?: (?:randomi[sz]ed|analy[sz]ed|included|evaluated|assessed|enrolled))?\)?)?"
    r"|(?:patients|participants|subjects|women|children|observations|denominator)(?: (?:randomi[sz]ed|analy[sz]ed"
    r"|included|evaluated|assessed|enrolled|recruited))?(?:,? \(?(?:n|no\.?)\)?)?|例数"
)
_COUNT: Final = re.compile(
    r"(?<![a-z])(?:n|no\.|no(?= of| ?[(,/]? ?%|$)|nos\.|numbers?|counts?|events?|frequency|cases"
    r"|patients with)(?![a-z])|例数|人数|例"
)
_PERCENT: Final = re.compile(r"%(?! ?c\.?i)|(?<![a-z])(?:per ?cent(?:age)?|proportion|prevalence|rate)(?![a-z])")
_MEAN: Final = re.compile(r"(?<![a-z])(?:means?|averages?|x̄|m(?= ?[(±]|$))(?![a-z])|\u00b1|均数|均值")
_MEDIAN: Final = re.compile(r"(?<![a-z])medians?(?![a-z])|中位")
_SPREAD: Final = re.compile(
    r"(?<![a-z])(?:s\.?d\.?|s\.?e\.?m?\.?|std\.? ?dev\.?|standard (?:deviation|error)s?|(?:9[059] ?% ?)?c\.?i\.?"
    r"|confidence interval|iqr|inter-?quartile range"
    r"|range)(?![a-z])|标准差|标准误"
)
_COMPARISON: Final = re.compile(
    r"(?<![a-z])(?:p ?-?values?|p for \w+|^p$|significance|sig\.?|odds ratios?|risk ratios?|relative risks?"
    r"|hazard ratios?|ratios? of|mean differences?"
    r"|difference|differences|between[- ]group\w*|effects?|effect sizes?|cohen'?s? ?d|chi-?square|χ2|t-?test"
    r"|interaction|or for \w+"
    r"|vs\.?|versus|compared (?:with|to)|adjusted|beta|coefficients?|regression|variance|ancova|anova)(?![a-z])|χ|p值"
)
# Short forms of comparisons are capitals, or a letter alone; as small letters they are words.
_SHORT_COMPARISON: Final = re.compile(
    r"\b(?:[ac]OR|[ac]RR|[ac]HR|SMD|WMD|NNT|ICC|ARR|IRR|ITT (?:un)?adjusted)\b|^\W*[pPtTFzZUdβ]\W*$"
    # These stand for heart rate, respiratory rate and others, too: alone, or with an interval, for a ratio.
    r"|^\W*(?:OR|RR|HR|MD|ES|RD)\W*$|\b(?:OR|RR|HR|MD|ES|RD)\b.{0,12}(?:\bCI\b|9[059] ?%)"
    r"|^\W*[pP]\b"
)
_EVERYONE: Final = re.compile(
    r"(?:the )?(?:total|overall|all|all (?:patients|participants|subjects|women|children|groups|arms)|both(?: groups"
    r"| arms)?|(?:whole|full|entire|overall|total) (?:sample|group|cohort|population|trial|study)"
    r"|combined|entire (?:sample|cohort)|total (?:sample|population|group|cohort)|合计|总计)"
)
_NO_NAME: Final = re.compile(
    r"\([^()]*\)|(?<![a-z])(?:n|no|sd|se|sem|ci|iqr|mean|means|median|range|value|values|score|scores|number|percent"
    r"|percentage|standard|deviation|error|confidence"
    r"|interval|interquartile|average|count|total|of|and|or|the|at|in|for|from|all|data|events?|m)(?![a-z])|[^a-z0-9]"
)


# A capital alone is the name of a group.
_LETTER_ALONE: Final = re.compile(r"[A-H]")
# The letter of a unit behind a number is no mark of a footnote: `24 h`.
_HOURS: Final = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?h(?![a-zA-Z])")


@lru_cache(maxsize=5_000)
def label_of(text: str) -> TableLabel:
    """A label taken apart. Brackets with a unit or a way of counting are no part of what it names."""
    plain = plain_cell(_HOURS.sub(r"\1 hours", text))
    folded = fold_text(plain).text
    found = _HAS_N.search(folded)
    n = next((one for one in found.groups() if one), "") if found else ""
    bare = re.sub(r"\s+", " ", _HAS_N.sub(" ", folded)).strip(" ,;:")
    moment, rest = moment_in(bare)
    if moment is not None and moment.when is When.BEFORE and is_change_not_moment(bare):
        moment = None  # `change from baseline` is no baseline
    rest = re.sub(r"\s+", " ", rest).strip(" ,;:")
    outside = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", rest)
    name = f"group {plain}" if _LETTER_ALONE.fullmatch(plain) else _label_without_footnote_letter(plain, rest)
    core = tuple(terms_of(name if _LETTER_ALONE.fullmatch(plain) else _name_in_label(name)))
    return TableLabel(
        text=text,
        core=core,
        n=n,
        moment=moment,
        is_count=_COUNT.search(rest) is not None,
        is_percent=_PERCENT.search(rest) is not None,
        is_mean=_MEAN.search(rest) is not None,
        is_median=_MEDIAN.search(rest) is not None,
        is_spread=_SPREAD.search(rest) is not None,
        is_total_n=_TOTAL_N.fullmatch(rest.strip()) is not None,
        is_change=is_change_not_moment(outside),
        is_comparison=_COMPARISON.search(outside) is not None or _SHORT_COMPARISON.search(plain) is not None,
        is_everyone=_EVERYONE.fullmatch(outside.strip()) is not None,
    )


_GROUP_LETTER: Final = re.compile(r"\b(?:group|arm|cohort)[- ](?:[A-H1-9]|I{1,3}|IV)\b", re.IGNORECASE)
_MARKED_GROUP: Final = re.compile(r"(?<![a-z])(groups?|arms?)[a-k](?![a-z])")


def _label_without_footnote_letter(plain: str, rest: str) -> str:
    """The rest of a label without the mark of a footnote behind `group`, as in `Control groupa`."""
    return rest if _GROUP_LETTER.search(plain) else _MARKED_GROUP.sub(r"\1", rest)


_COUNTING_BRACKET: Final = re.compile(r"[(\[][^()\[\]]*[)\]]")
_COUNTING: Final = re.compile(
    r"(?<![a-z])(?:means?|medians?|m(?= ?[(±]|$)|n|no(?=\.| ?[(,/]? ?%| of )\.?"
    r"|number of (?:patients|participants|subjects|events)|values?)"
    r" ?[(\[,;±+/-]* ?(?:%|s\.?d\.?|s\.?e\.?m?\.?|standard (?:deviation|error)|(?:95 ?% ?)?c\.?i\.?"
    r"|iqr"
    r"|interquartile range|range|percent)?(?![a-z])\s?[)\]]?|(?<![a-z])(?:s\.?d\.?|s\.?e\.?m?\.?|iqr"
    r"|(?:95 ?% ?)?c\.?i\.?|st(?:andar)?d\.? (?:deviation|error|dev\.?)s?)(?![a-z])|[%±]"
)


_UNIT: Final = (
    r"(?:[mck]?m|[dmc]?l|cc|[kmµμ]?g|mcg|[unp]g|iu|u|ml?u|[munpµμ]?mol|mosm|m?eq|hg|h2o|(?:mm|cm) ?(?:hg|h2o)|secs?"
    r"|seconds?|s|ms|mins?|minutes?|h|hrs?|hours?|d|days?|wks?|weeks?|mo|months?|y|yrs?|years?|kcal|k?cal|k?j|w|watts?|n"
    r"|nm|k?hz|bpm|beats|breaths|cells?|copies|points?|pts|pieces|units?|grams?|k?pa|db|°? ?[cf]|%|x|log|log10|si)"
)
_UNITS: Final = re.compile(
    r"(?:[a-zµμ°%]{1,5}\d?(?:[/·. ^-]+[a-zµμ]{1,5}-?\d?)+"
    rf"|(?:{_UNIT}|10|\d)(?:[-^]?\d{{0,3}}(?: per |[ /·.*^x]{{1,3}}){_UNIT})*(?:[-^]?\d{{1,2}})?|[0-9., -]+)"
)


_UNIT_BEHIND_COMMA: Final = re.compile(r",\s+([^,;()]{1,16})$")


def label_without_units(text: str) -> str:
    """A text without the brackets that hold nothing but a unit, and without the unit behind its last comma."""

    def kept(found: re.Match[str]) -> str:
        return " " if _UNITS.fullmatch(fold_text(found[0]).text[1:-1].strip()) else found[0]

    return _label_without_unit_at_end(_COUNTING_BRACKET.sub(kept, text))


def _label_without_unit_at_end(text: str) -> str:
    found = _UNIT_BEHIND_COMMA.search(text.strip())
    is_unit = found is not None and "/" in found[1] and _UNITS.fullmatch(fold_text(found[1]).text.strip(" *"))
    return text[: text.rindex(",")] if is_unit else text


def _name_in_label(rest: str) -> str:
    """What a label names: without brackets that hold a unit, and without the ways of counting."""

    def kept(found: re.Match[str]) -> str:
        inner = found[0][1:-1]
        return " " if _UNITS.fullmatch(inner) or len(inner) < 2 else f" {inner} "

    bare = _label_without_unit_at_end(_COUNTING.sub(" ", rest))
    return _COUNTING.sub(" ", _COUNTING_BRACKET.sub(kept, bare))


def unmarked_labels(labels: Sequence[TableLabel], vocabulary: frozenset[str]) -> tuple[TableLabel, ...]:
    """Labels without the letters of footnotes that stand right behind a word: `sourcea` where a text knows `source`."""
    return tuple(
        replace(label, core=tuple(unmarked_label_term(term, vocabulary) for term in label.core)) for label in labels
    )


def unmarked_label_term(term: str, vocabulary: frozenset[str]) -> str:
    if len(term) > 4 and term[-1] in "abcdefghijkxyz" and term not in vocabulary and term[:-1] in vocabulary:
        return term[:-1]
    return term


# A whole number alone in brackets behind a name: `Placebo (40)`.
_BARE_N: Final = re.compile(r"[^\W\d_].*[(\[] ?(\d{2,5}) ?[)\]]\s*[*\u2020\u2021a-c]?$")


def bare_n_of_label(text: str) -> str:
    """A whole number alone in brackets behind a name; nothing where there is none."""
    found = _BARE_N.fullmatch(text.strip())
    return found[1] if found else ""
