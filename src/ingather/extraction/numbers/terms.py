"""Words of questions and labels made comparable: folded, stemmed, without filler, short forms written out. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from math import fsum
from typing import Final

from ingather.extraction.ground.folding import UNSPACED, fold_text
from ingather.extraction.numbers.known_forms import KNOWN_FORMS
from ingather.extraction.proof.cues import cue_stem
from ingather.extraction.proof.short_forms import short_forms

_FILLER: Final = frozenset((
    "the", "of", "in", "a", "an", "at", "to", "for", "by", "with", "from", "or", "on", "as", "per", "and", "vs",
    "versus", "who", "had", "having", "is", "were", "was", "are", "be", "been", "their", "its", "this", "that",
    "these", "those", "using", "used", "measured", "assessed", "according", "defined", "based", "between", "among",
    "which", "whom", "than", "also", "only", "not",
))  # fmt: skip
# Words that say how an outcome was counted, and not which outcome it is.
_WEAK: Final = frozenset((
    "number", "numbers", "no", "mean", "means", "median", "average", "rate", "rates", "proportion", "percentage",
    "percent", "score", "scores", "level", "levels", "incidence",
    "treatment", "treatments", "occurrences", "occurrence", "adult", "adults",
    "prevalence", "frequency", "patients", "patient", "participants", "participant", "subjects", "people", "women",
    "men", "children", "individuals", "change", "changes", "value", "values", "total", "measure", "measures",
    "measurement", "outcome", "outcomes", "primary", "secondary", "reported", "index", "scale", "status", "time",
    "n", "of", "events", "event", "cases", "case", "group", "groups", "arm", "arms", "test", "results", "result",
    "during", "after", "treated", "performed", "made", "done", "received", "receiving",
    "before", "follow", "up", "followup", "end", "post", "intake", "use", "intensity",
    "subscale", "subscales", "subscore", "domain", "dimension", "questionnaire", "inventory", "component",
    "severity", "amount", "reduction", "increase", "decrease", "improvement", "improved", "difference", "i", "ii",
))  # fmt: skip
_SAME: Final = (
    "mortality death deaths died dead deceased fatality dying",
    "overall any all total",
    "maximum max maximal peak",
    "minimum min minimal",
    "repetition repetitions rep reps",
    "complication complications",
    "adverse side",
    "bleeding hemorrhage haemorrhage",
    "relapse recurrence",
    "hospitalisation hospitalization hospitalised hospitalized admission admissions admitted",
    "weight bodyweight",
    "latrine latrines toilet",
    "quit cessation abstinence abstinent",
    "caesarean cesarean",
    "preterm premature",
    "vomiting emesis",
    "females female women woman girls",
    "males male men man boys",
    "exercise training",
    "glucose glycemia glycaemia glycemic glycaemic sugar",
    "duration length",
    "stay hospitalization",
    "anemia anemic anaemia anaemic",
    "infection infections infected",
    "satisfaction satisfied",
    "pregnancy pregnant",
    "depression depressive depressed",
    "anxiety anxious",
    "fracture fractures fractured",
    "cure cured",
    "survival survived surviving",
    "response responder responders responded",
    "pain painful",
    "flexion flexor flexors",
    "extension extensor extensors",
    "lactate lactic",
    "need needs needed required requirement requirements",
    "birth baby babies newborn newborns neonate neonatal neonates",
    "kidney renal",
    "liver hepatic",
    "heart cardiac",
    "lung pulmonary",
    "consumption uptake",
    "walk walked walking",
    "discontinuation discontinued withdrawal withdrawn withdrew dropout dropouts",
    "vein venous",
    "muscle muscular",
    "frequency frequent",
    "day daily",
    "sex gender",
    "teeth tooth dental",
    "hospital inpatient",
    "1 one once first 1st",
    "2 two twice second 2nd",
    "3 three third 3rd",
    "4 four",
    "5 five",
    "6 six",
)
# British and American spellings of one word: `anaemia`, `oedema`, `tumour`, `hospitalisation`.
_SPELLINGS: Final = (
    (re.compile(r"(?<=[a-z])[ao]e(?=[a-z]{3})|(?<![a-z])[ao]e(?=[a-z]{4})|oe(?=al?s?(?![a-z]))"), "e"),
    (re.compile(r"(?<=[a-z]{3})our(?=(?:s|al|s?able|ed|ing)?(?![a-z]))"), "or"),
    (re.compile(r"(?<=[a-z]{3})is(?=(?:e|ed|es|ing|ations?)(?![a-z]))"), "iz"),
)


def terms_in_one_spelling(text: str) -> str:
    """A folded text in one of the spellings of English. It is for comparing only: rare words come out misspelt."""
    for pattern, letters in _SPELLINGS:
        text = pattern.sub(letters, text)
    return text


def _term_stem(term: str) -> str:
    return cue_stem(terms_in_one_spelling(term))


_ROOT: Final = {_term_stem(one): _term_stem(line.split()[0]) for line in _SAME for one in line.split()}
_TERM: Final = re.compile(
    rf"group0[a-z0-9]+|[a-z]+[0-9]+[a-z]{{1,2}}(?![a-z0-9])|[a-z]+[0-9]*(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?[a-z]*|[{UNSPACED}]+"
)
# A name split by a hyphen or a space is the same name: `GDM 1` and `GDM1`, `group A` and `group-A`.
_SPLIT_NAME: Final = re.compile(r"(?<![a-z0-9])([a-z]{1,5})[- ]([0-9]{1,2})(?![a-z0-9.,%])")
_LETTERED: Final = re.compile(r"\b(?:group|arm|cohort)[- ]([A-H1-9]|I{1,3}|IV)\b", re.IGNORECASE)


def term_weight(term: str) -> float:
    """How much a term says about which thing is meant."""
    if term in _WEAK_STEMS:
        return 0.25
    # A bare number is often a dose or a grade; it tells things apart, but less than a name.
    return 0.6 if term[0].isdigit() else 1.0


def weight_of_terms(terms: AbstractSet[str]) -> float:
    """The weight of a set of terms, rounded once: the order in which a process goes through a set does not matter."""
    return fsum(map(term_weight, terms))


_WEAK_STEMS: Final = frozenset(_ROOT.get(_term_stem(one), _term_stem(one)) for one in _WEAK) - {
    _ROOT[_term_stem("overall")]
}


_SPLIT_UNIT: Final = re.compile(
    r"(?<![a-z0-9.])([0-9]+(?:\.[0-9]+)?)[- ](h|hr|mg|g|ug|mcg|kg|ml|l|iu|gy|cm|mm|min)(?![a-z0-9])"
)


# A length of time that names an arm or an outcome is one term however it is written: `48 weeks`, `48-week`, `48W`.
_TIME: Final = re.compile(r"(?<![a-z0-9.])([0-9]+)[- ]?(?:(w)(?:eeks?|ks?)?|(mo)(?:nths?|s)?)(?![a-z0-9])")


# Words before a number that make no name with it: `the first 24 hours`, `over 12 weeks`.
_BEFORE_NUMBERS: Final = frozenset(("first", "last", "next", "past", "than", "over", "about", "least", "most", "under"))


# The peak of something under a short name: `LAmax`, `HRpeak`.
_PEAK_OF: Final = re.compile(r"(?<![a-z0-9])([a-z]{1,3})(?:max|peak)(?![a-z0-9])")


def _joined_name_term(found: re.Match[str]) -> str:
    """`GDM 1` as one name; `score 5` and `first 24` are none."""
    if found[1] in _WEAK or found[1] in _FILLER or found[1] in _BEFORE_NUMBERS:
        return found[0]
    return found[1] + found[2]


# Texts whose terms are kept: the sentences and labels of a paper and of the next, which all its questions look at.
_KEPT: Final = 8_192


@lru_cache(maxsize=_KEPT)
def terms_of(text: str) -> tuple[str, ...]:
    """The terms of a text, in order: stems of words, numbers, and pairs of characters of scripts without spaces."""
    folded = _SPLIT_NAME.sub(_joined_name_term, fold_text(_LETTERED.sub(r"group0\1", text)).text)
    folded = _PEAK_OF.sub(r"\1 max", folded)
    folded = _TIME.sub(lambda found: found[1] + (found[2] or found[3]), _SPLIT_UNIT.sub(r"\1\2", folded))
    found: list[str] = []
    for run in _TERM.findall(folded):
        if not run.isascii() and re.match(f"[{UNSPACED}]", run):
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        elif run not in _FILLER:
            root = _term_stem(run)
            found.append(_ROOT.get(root, root))
    return tuple(found)


# A short form may be made of this many terms, as `1RM_KE`; a form of a form is written out once more, as `HCMJ`.
_LONGEST_BRIEF: Final = 3
_DEPTH: Final = 2


@dataclass(frozen=True, slots=True)
class ShortForms:
    """The short forms that a paper explains, each with the terms of its long forms."""

    long: Mapping[tuple[str, ...], frozenset[str]] = field(default_factory=dict)

    def written_out(self, terms: Sequence[str]) -> set[str]:
        """Terms in the order of their text, and beside a short form, of one term or several, those of its long form."""
        found = set(terms)
        for size in range(1, _LONGEST_BRIEF + 1):
            for at in range(len(terms) - size + 1):
                found |= self.long.get(tuple(terms[at : at + size]), frozenset())
        for _ in range(_DEPTH - 1):
            found |= {long for term in found for long in self.long.get((term,), ())}
        return found

    def spelled_out(self, terms: Sequence[str]) -> list[str]:
        """Terms with the long form in place of each short form, the longest short forms first."""
        found: list[str] = []
        at = 0
        while at < len(terms):
            for size in range(_LONGEST_BRIEF, 0, -1):
                if long := self.long.get(tuple(terms[at : at + size])):
                    found += sorted(long)
                    at += size
                    break
            else:
                found.append(terms[at])
                at += 1
        return list(dict.fromkeys(found))


_LISTED: Final = re.compile(
    r"(?:^|[;,.:]\s|\(|\band\s)\s?([A-Za-z0-9][A-Za-z0-9_/+-]{0,11}(?: and [A-Z][A-Za-z0-9_/+-]{1,11})?)"
    r"\s?[:=,\u2013-]\s?([A-Za-z][^;.,:=()]{3,80})(?=[;.,()]|$)"
)


def terms_of_short_forms(texts: Iterable[str], notes: Iterable[str]) -> ShortForms:
    """From the text, `objective response rate (ORR)`, and from notes below tables, `ORR, objective response rate`."""
    found: dict[tuple[str, ...], set[str]] = {}
    for note in notes:
        for briefs, long in _LISTED.findall(note):
            for brief in re.split(r" and ", briefs):
                if any(c.isupper() for c in brief) and _term_could_stand_for(brief, long):
                    _add_short_form_terms(found, brief, long)
    listed = set(found)
    for text in texts:
        for long, brief in short_forms(text):
            # `… 75 mg of aspirin (group A)`: what a letter stands for is seen from all its mentions, and not from one.
            if tuple(terms_of(brief)) not in listed and not any(term.startswith("group0") for term in terms_of(brief)):
                _add_short_form_terms(found, brief, long)
    return ShortForms({brief: frozenset(terms) for brief, terms in found.items()})


def terms_with_known_forms(own: ShortForms) -> ShortForms:
    """The short forms of a paper, and those of outcomes that it uses without explaining them.

    They are for outcomes only: `ICU` names no arm, although the care of its long form may stand in one's name.
    """
    found: dict[tuple[str, ...], set[str]] = {}
    for brief, long in KNOWN_FORMS:
        _add_short_form_terms(found, brief, long)
    return ShortForms({**{brief: frozenset(terms) for brief, terms in found.items()}, **own.long})


def _add_short_form_terms(found: dict[tuple[str, ...], set[str]], brief: str, long: str) -> None:
    key = tuple(terms_of(brief))
    if 0 < len(key) <= _LONGEST_BRIEF:
        found.setdefault(key, set()).update(terms_of(long))


def _term_could_stand_for(brief: str, long: str) -> bool:
    """Whether most letters of a short form occur in the long one, in order."""
    at, missed, plain = 0, 0, fold_text(long).text
    letters = [c for c in brief.casefold() if c.isalpha()]
    for letter in letters:
        place = plain.find(letter, at)
        if place < 0:
            missed += 1
        else:
            at = place + 1
    # Plurals, hyphens and numbers in words leave a letter over: `1RM_KE` is the one-repetition maximum of something.
    return missed * 4 <= len(letters) and (" " in long.strip() or len(brief) <= 3)
