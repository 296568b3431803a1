"""How a text names an arm: mentions of the labels that rows have. Pure; on folded text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from ingather.extraction.ground.folding import UNSPACED, fold_text
from ingather.extraction.ground.lexicon import is_real_in_lexicon
from ingather.extraction.proof.group_names import is_lettered_group_name, lettered_group_names_in


def _arm_label_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


OTHER: Final = "?"  # the key of a group that a text names and that no row stands for

_GENERIC: Final = _arm_label_set(
    "group groups arm arms treatment treatments therapy patients participants subjects women men children plus "
    "dose daily with and or the of in a an to for per day week mg g ml kg once twice versus vs only alone "
    "received receiving intervention control program programme regimen standard care usual mcg tablet tablets "
    "capsule oral"
)
_CONTROL: Final = re.compile(
    r"(?<![a-z])(?:placebo|controls?|sham|usual|standard care|standard of care|routine|no treatment|no intervention"
    r"|wait(?:ing)?[- ]?list|vehicle|comparator|untreated|conventional)(?![a-z])|对照|安慰剂|常规|空白"
)
# Where no arm is called a control, the one of two that is called by what it lacks, or by what is usual.
_LIKE_CONTROL: Final = re.compile(
    r"^(?:no|non|without|not)(?![a-z])|(?<![a-z])(?:comparison|observation|alone|standard|reference|delayed|saline"
    r"|unsupervised|deferred)(?![a-z])"
)
_PAIR: Final = 2
_NEXT_TERM: Final = r"[- ](?!(?:and|or|versus|vs|than|with|in|of|for|plus|groups?|arms?)(?![a-z]))[a-z]+"
_CONTROL_ALIASES: Final = (
    r"control(?= (?:and|or|versus|vs\.?) (?:the )?(?:intervention|treatment|experimental|study) (?:group|arm))",
    r"(?:controls?|ctrl)(?: group| arm| subjects| patients| women| children| participants)?",
    r"comparison (?:group|arm)",
    "对照组",
)
_ACTIVE_ALIASES: Final = (
    (
        r"(?:intervention|treatment|treated|active|experimental|study|index|drug)"
        r"[- ](?:group|arm|patients|subjects|participants|women|children|men)"
    ),
    "(?:治疗|观察|试验|干预|实验|研究)组",
    "treated patients",
    r"(?:intervention|treatment|experimental|study)(?= (?:and|or|versus|vs\.?) (?:the )?control)",
)
_ANONYMOUS: Final = re.compile(
    r"(?<![a-z])(?:placebo(?:[- ](?:group|arm|treated|patients))?|control (?:group|arm|subjects|patients|women"
    r"|participants)|controls"
    r"|comparison (?:group|arm)|(?:intervention|treatment|treated|experimental|active|study) (?:group|arm)"
    r"|(?:group|arm) (?:[a-d]|[1-4]|i{1,3}|iv|one|two|three)(?![a-z])|sham(?: group)?|usual[- ]care(?: group)?"
    r"|(?:the )?other (?:group|arm)"
    r"|(?:(?!(?:the|or|and|in|a|of|for|than|with|to|vs|versus|from|as)[ -])[a-z]+[- ])?"
    r"(?!(?:the|or|and|in|a|of|for|than|with|to|vs|versus|from|as)[ ])[a-z0-9/+]+ (?:group|arm)(?![a-z]))"
    r"|(?:对照|治疗|观察|试验|干预|实验|安慰剂|[甲乙丙丁]|[ab])组"
)
_NO_GROUP: Final = re.compile(
    r"(?<![a-z])(?:each|both|either|the|two|three|four|study|in|age|per|between|all|same|a|one|every|whole|this|that|by"
    r"|of|treatment|and|or|sub|parallel|other|to|into|randomi[sz]ed|random|second|first|third|respective|than"
    r"|over|across|within|any|no) (?:group|arm)$"
)
_ALL: Final = re.compile(r"(?<![a-z])(?:total|overall|all patients|all participants|whole|combined)(?![a-z])|合计|总计")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRow:
    """Where a text names a row: from `start` to `end`, and whom."""

    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The patterns by which rows of one scope are named. For arms, groups that no row stands for are found, too."""

    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    finds_others: bool = False
    lettered: tuple[tuple[str, str], ...] = ()  # the names of lettered groups, `group a`, and whose they are

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for key, _ in self.patterns))

    def _turned(self, text: str, one: NamedRow) -> NamedRow:
        """A name behind a negation is that of the other group, where there are two, and of none we know elsewhere."""
        if not _NEGATED.search(text, max(0, one.start - 20), one.start):
            return one
        others = [key for key in self.keys if key != one.key]
        return replace(one, key=others[0] if len(others) == 1 else f"{OTHER}{text[one.start : one.end]}")

    def _in_letters(self, text: str) -> list[NamedRow]:
        """`groups A and B`: each letter names its group, that of no row by its name."""
        if not self.finds_others:
            return []
        known = dict(self.lettered)
        return [
            NamedRow(start=start, end=end, key=known.get(name, OTHER + name))
            for name, start, end in lettered_group_names_in(text)
        ]

    def mentions(self, text: str) -> list[NamedRow]:
        """Who is named where, longest names first, none within another."""
        found = [
            NamedRow(start=one.start(), end=one.end(), key=key)
            for key, pattern in self.patterns
            for one in pattern.finditer(text)
        ]
        found = [self._turned(text, one) for one in found if not _DESIGN.match(text, one.end)]
        found += self._in_letters(text)
        found.sort(key=lambda one: one.start - one.end)
        if self.finds_others:
            found += [
                NamedRow(start=one.start(), end=one.end(), key=OTHER + one[0].strip())
                for one in _ANONYMOUS.finditer(text)
                if not _NO_GROUP.search(one[0]) and not _DESIGN.match(text, one.end())
            ]
        kept: list[NamedRow] = []
        for one in found:
            if all(one.end <= other.start or one.start >= other.end for other in kept):
                kept.append(one)
        return _arm_labels_with_appositions(text, _joined_arm_labels(text, sorted(kept, key=lambda one: one.start)))


# Two names are joined into one by nothing, or by the words of a combination with no more than a dose between.
_BESIDE: Final = re.compile(
    r"[ -]|[^,;.()a-z]{0,3}(?:[0-9.]+ ?[a-z/]{1,6}(?:\([0-9]\))? )?(?:plus|followed by|combined with"
    r"|in combination with|added to|\+)"
    r" ?(?:the )?(?:[0-9.]+ ?[a-z/]{1,6}(?:\([0-9]\))? )?"
)


# `placebo-controlled` names no group.
_DESIGN: Final = re.compile(r"[- ](?:controlled|blind|based trial)")
# `the no MRI group` is not the MRI group.
_NEGATED: Final = re.compile(r"(?<![a-z])(?:no|non|not|without|never)[ -](?:perceived |any |further )?$")


def _joined_arm_labels(text: str, named: Sequence[NamedRow]) -> list[NamedRow]:
    """Two known groups side by side are one name: `electronic survey` is no paper survey. A placebo stays one."""
    found: list[NamedRow] = []
    for one in named:
        last = found[-1] if found else None
        is_beside = last is not None and last.key != one.key and _BESIDE.fullmatch(text, last.end, one.start)
        if last is None or not is_beside or one.key.startswith(OTHER) or last.key.startswith(OTHER):
            found.append(one)
        elif _CONTROL.search(text[one.start : one.end]):
            found[-1] = replace(one, start=last.start)
        else:
            # `capecitabine` and `capecitabine plus trastuzumab`: what also stands alone is the part.
            is_part = any(other.key == last.key and other is not last for other in named if other.start != last.start)
            found[-1] = replace(last, end=one.end, key=one.key if is_part else last.key)
    return found


# These may stand between two names of one group: `paper survey (control group, n = 74)`, `vinorelbine/trastuzumab arm`.
_APPOSITION: Final = re.compile(r" ?(?:[(\[,]|=|:) ?(?:the )?(?:n ?= ?[0-9]+[,;] ?)?|[/+-]| plus | \+ |/ ")

# `denosumab 120 mg and intravenous placebo`: the placebo of the other drug belongs to the group.
_DUMMY: Final = re.compile(r" (?:[0-9.]+ ?[a-z/]+ )?(?:[a-z ]{0,20})?(?:and|plus|with) (?:an? )?(?:[a-z-]+ )?")


def _arm_labels_with_appositions(text: str, named: Sequence[NamedRow]) -> list[NamedRow]:
    """A group that no row stands for, named right beside a known one, is that one."""
    found = list(named)
    for n, (one, other) in enumerate(pairwise(named)):
        is_dummy = other.key == f"{OTHER}placebo" and _DUMMY.fullmatch(text, one.end, other.start)
        is_beside = _APPOSITION.fullmatch(text, one.end, other.start) or is_dummy
        if one.key.startswith(OTHER) == other.key.startswith(OTHER) or not is_beside:
            continue
        known, unknown = (n, n + 1) if other.key.startswith(OTHER) else (n + 1, n)
        if text[one.end : other.start].strip() != "," or re.match(r" ?[,(]? ?(?:n ?=|\()", text[other.end :]):
            found[unknown] = replace(found[unknown], key=named[known].key)
    return found


_CALLED: Final = (
    r"(?:[- ](?:groups?|arms?|alone|only|condition|participants|patients|women|treated|therapy group)(?![a-z])"
    r"|(?= ?[(\[](?:n ?= ?)?[0-9]))"
)


def own_arm_label_terms(arms: tuple[tuple[str, str], ...]) -> dict[str, tuple[str, ...]]:
    """For each arm the words of its label that no other label has."""
    folded = {key: _bare_arm_label(fold_text(label).text) for key, label in arms if label.strip()}
    found = {}
    for key, label in folded.items():
        others = {term for other, text in folded.items() if other != key for term in _arm_label_terms(text)}
        found[key] = tuple(
            term
            for term in _arm_label_terms(label)
            if term not in others and term not in _GENERIC and _is_telling_arm_label_term(term)
        )
    return found


def _control_arm_labels(folded: Sequence[tuple[str, str]]) -> list[str]:
    """The arms that a paper may call the control group."""
    found = [key for key, label in folded if _CONTROL.search(label)]
    return found or ([key for key, label in folded if _LIKE_CONTROL.search(label)] if len(folded) == _PAIR else [])


@lru_cache(maxsize=500)
def arm_labels(
    arms: tuple[tuple[str, str], ...], short: tuple[tuple[str, str], ...] = (), names: tuple[tuple[str, str], ...] = ()
) -> Labels:
    """The names of arms, given as key and label: whole labels, their own words, and what control groups are called.

    `short` are the abbreviations that the paper explains, as long form and short form; `names` what else it calls
    its arms, as key and name.
    """
    folded = [(key, _bare_arm_label(fold_text(label).text)) for key, label in arms if label.strip()]
    controls = _control_arm_labels(folded)
    actives = [key for key, _ in folded if key not in controls]
    all_own = own_arm_label_terms(arms)
    patterns: list[tuple[str, re.Pattern[str]]] = []
    for key, label in folded:
        own = all_own[key]
        sources = _arm_label_patterns(key, label, folded, own, short)
        sources += [
            _arm_label_phrase(name) for name_key, name in names if name_key == key and not is_lettered_group_name(name)
        ]
        if controls == [key]:
            sources += [rf"(?<![a-z]){alias}(?![a-z])" for alias in _CONTROL_ALIASES]
        if actives == [key] and (controls or len(folded) == 1):
            sources += [rf"(?<![a-z]){alias}(?![a-z])" for alias in _ACTIVE_ALIASES]
        patterns += [(key, re.compile(source)) for source in sources]
    patterns += _explained_arm_labels(patterns, short)
    lettered = tuple((name, key) for key, name in names if is_lettered_group_name(name))
    return Labels(patterns=tuple(patterns), finds_others=True, lettered=lettered)


def _explained_arm_labels(
    patterns: Sequence[tuple[str, re.Pattern[str]]], short: Sequence[tuple[str, str]]
) -> list[tuple[str, re.Pattern[str]]]:
    """`the intervention group (IG)`: what the paper abbreviates of a name that is one arm's."""
    found = []
    for long, brief in short:
        keys = {key for key, pattern in patterns if pattern.fullmatch(long) or pattern.fullmatch(f"{long} group")}
        if len(keys) == 1 and not brief.startswith(("group ", "arm ")):
            found.append((keys.pop(), re.compile(_arm_label_phrase(brief))))
    return found


def _arm_label_patterns(
    key: str, label: str, folded: Sequence[tuple[str, str]], own: Sequence[str], short: tuple[tuple[str, str], ...]
) -> list[str]:
    """Patterns by which an arm is named with its label's words."""
    label_terms = {term for term in _arm_label_terms(label) if term not in _GENERIC}
    names = [label, *re.findall(r"\(([^()]{2,})\)", label), re.sub(r" ?\([^()]*\)", "", label)]
    # `no pamidronate` has a word of its own that names the other group.
    is_negated = re.match(r"(?:no|non|not|without)(?![a-z])", label) is not None
    calling = () if is_negated else own
    names += [*_shortened_arm_labels(label, short, own), *(term for term in calling if not is_real_in_lexicon(term))]
    is_part = not own and any(other != key and label_terms <= {*_arm_label_terms(text)} for other, text in folded)
    sources = [_arm_label_phrase(name) for name in dict.fromkeys(names) if name.strip(" ()")]
    # An ordinary word of a label names the group only where it is called one: `the exercise group`.
    sources += [
        rf"(?<![a-z0-9-]){re.escape(term)}(?:{_NEXT_TERM}){{0,2}}{_CALLED}"
        for term in calling
        if is_real_in_lexicon(term)
    ]
    if is_part and label_terms:
        # `letrozole` beside `palbociclib plus letrozole`: the shorter name, where it is called a group.
        core = r"[ -]?".join(re.escape(term) for term in _arm_label_terms(label) if term in label_terms)
        sources = [rf"(?:{source})(?! ?(?:plus|\+|/|with|and) ?[a-z])" for source in sources]
        sources.append(
            rf"(?<![a-z0-9])(?<!plus )(?<!and )(?<!with ){core}[- ](?:groups?|arms?|alone|only"
            rf"|monotherapy)(?![a-z])"
        )
    return sources


def _shortened_arm_labels(label: str, short: tuple[tuple[str, str], ...], own: Sequence[str]) -> list[str]:
    """A label with what the paper abbreviates of it written short, or long."""
    found = []
    spaced = label.replace("-", " ")
    for long, brief in short:
        if brief.startswith(("group ", "arm ")):
            # `pertuzumab 420 mg (arm A)`: the letter names the arm whose own words stand right before it.
            if own and all(re.search(rf"(?<![a-z0-9]){re.escape(term)}(?![a-z0-9])", long) for term in own):
                found.append(brief)
        elif (plain := long.replace("-", " ")) in spaced and len(plain) > 3:
            found += [spaced.replace(plain, brief), *([brief] if len(plain) * 2 > len(spaced) else [])]
        elif long in label:
            found += [label.replace(long, brief), *([brief] if len(long) * 2 > len(label) else [])]
        elif re.search(rf"(?<![a-z0-9]){re.escape(brief)}(?![a-z0-9])", label):
            found.append(re.sub(rf"(?<![a-z0-9]){re.escape(brief)}(?![a-z0-9])", long, label))
    return found


def _bare_arm_label(label: str) -> str:
    return re.sub(r"(?: groups?| arms?|组)$", "", label).strip()


def _arm_label_phrase(name: str) -> str:
    spaced = r"[ -]?".join(re.escape(term) for term in re.split(r"[ -]+", name.strip(" ()")))
    return (
        rf"(?<![a-z0-9+-]){spaced}(?:[- ](?:group|arm|treated))?(?![a-z0-9]|[+-](?![a-z0-9]))"
        if name.isascii()
        else spaced
    )


def _arm_label_terms(label: str) -> list[str]:
    return re.findall(
        rf"[a-z]+[0-9]*|[0-9]+(?:\.[0-9]+)? ?(?:mg|g|ug|ml|iu|gy|weeks?|months?|days?|years?|hours?|sessions?"
        rf"|cycles?)|[{UNSPACED}]+",
        label,
    )


def _is_telling_arm_label_term(term: str) -> bool:
    return len(term) >= 3 or any(c.isdigit() for c in term) or not term.isascii()


def arm_labels_of_columns(header: str, labels: Labels) -> list[str]:
    """The groups that a header of a table names, in order; `all` for a column of totals."""
    named = [
        *labels.mentions(header),
        *(NamedRow(start=m.start(), end=m.end(), key="all") for m in _ALL.finditer(header)),
    ]
    keys = [one.key for one in sorted(named, key=lambda one: one.start)]
    return [key for n, key in enumerate(keys) if not n or key != keys[n - 1]]


def arm_labels_of_scope(scope: str, rows: Sequence[tuple[str, str, str]]) -> Mapping[str, str]:
    """The rows of a scope as key and label."""
    return {key: label for its_scope, key, label in rows if its_scope == scope}
