"""Which labels of a table are the two arms of a question: by words, by roles, and by what the text says. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import fsum
from types import MappingProxyType
from typing import Final

from ingather.extraction.findings import ArmRole, DocumentArm
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.numbers.terms import ShortForms, term_weight, terms_of, weight_of_terms

_CONTROL: Final = re.compile(
    r"(?<![a-z])(?:controls?|ctrl|cg|placebo|vehicle|sham|dummy|comparison|comparator|usual|tau|routine|conventional"
    r"|untreated|(?:standard|normal|regular)(?: of)? (?:care|treatment|therapy|management|practice|medical)"
    r"|no (?:treatment|intervention|supplement\w*|prophylaxis|therapy|training|exercise)|without"
    r"|wait(?:ing)?[- ]?list"
    r"|non-?(?:intervention|treatment|treated|exercise|supplemented))(?![a-z])|对照|安慰剂|常规|空白"
)
# A comparator that is the absence of something: `no text message`.
_NOTHING: Final = re.compile(r"(?:no|not|nothing|none)\b(?![.-])")
_ACTIVE: Final = re.compile(
    r"(?:the )?(?:interventions?|treatments?|treated|experimental|active|study|trial|case|test|ig|intervention \(i\)"
    r"|intervention arm|index|exposed)(?: ?(?:group|arm|subjects|patients|sites?|villages|schools|clusters))?"
    r"|(?:治疗|观察|试验|干预|实验|研究)组?"
)
_PLAIN_CONTROL: Final = re.compile(
    r"(?:the )?(?:no |non-?)?(?:controls?|ctrl|cg|comparison|comparator|standard|usual care|intervention"
    r"|treatment)(?: \(c\))?(?: ?(?:group|arm|subjects|patients|sites?|villages|schools|clusters))?|对照组?"
)
# Words that name no arm by themselves.
_GENERIC: Final = frozenset(
    terms_of(
        "group arm patients participants subjects treatment intervention control study received receiving therapy "
        "program programme versus alone plus only"
    )
)
# The margin by which an assignment of labels to arms must be better than any other. Less would swap arms on a hint.
_MARGIN: Final = 0.35
# The same where what the text says beside the names had to be looked at.
_MARGIN_OF_TEXT: Final = 0.4
# A role that a person gave adds this. Words give at most 3 for a label and take at most as much away.
_CONFIRMED: Final = 10.0
# The least that both labels together must have in favour of them.
_LEAST: Final = 0.5
# A label loses this much that has numbers, such as a dose, and none of those of the arm.
_OTHER_DOSE: Final = 0.6
# Labels whose names are kept: those of a paper, which all its questions look at.
_KEPT: Final = 4_096
# More labels than this on one level are rows of outcomes; their mentions in the text are not looked up.
_MOST_ARMS: Final = 8


@dataclass(frozen=True, slots=True)
class ArmQuery:
    """One arm of a question: its terms, those that the other arm has not, and whether its text names a control.

    `parts` are the words of its name in their order, without those that name no arm.
    """

    terms: frozenset[str]
    own: frozenset[str]
    is_control: bool
    is_comparator: bool
    parts: tuple[str, ...] = ()


def arm_queries_of(intervention: str, comparator: str, short: ShortForms) -> tuple[ArmQuery, ArmQuery]:
    """Both arms of a question. Short forms are written out, so that `TAU` and `treatment as usual` meet."""
    texts = (intervention, comparator)
    terms = [frozenset(short.written_out(terms_of(text))) for text in texts]
    control = [names_control_arm(text) or _NOTHING.match(fold_text(text).text) is not None for text in texts]
    return tuple(  # type: ignore[return-value]
        ArmQuery(
            terms=terms[at],
            own=terms[at] - terms[1 - at],
            is_control=control[at] and not (control[1 - at] and at == 0),
            is_comparator=at == 1,
            parts=arm_name_parts(texts[at]),
        )
        for at in (0, 1)
    )  # fmt: skip


def arm_name_parts(text: str) -> tuple[str, ...]:
    """The words of a name in their order: without filler, numbers, and words that name no arm."""
    return tuple(
        one for one in _NAME_PART.findall(fold_text(text).text) if terms_of(one) and not _GENERIC & {*terms_of(one)}
    )


_NAME_PART: Final = re.compile(r"[a-z][a-z0-9]*")


def names_control_arm(text: str) -> bool:
    """Whether a name is one that control groups have."""
    return _CONTROL.search(fold_text(text).text) is not None


@dataclass(frozen=True, slots=True)
class ArmLabel:
    """A label that may name an arm: its text and its terms, without numbers of people and ways of counting."""

    text: str
    core: tuple[str, ...]


Mentions = Callable[[Sequence[ArmLabel]], Mapping[ArmLabel, Counter[str]]]
"""What the running text says beside each of some labels, as counts of terms."""


def match_arms(
    labels: Sequence[ArmLabel],
    arms: tuple[ArmQuery, ArmQuery],
    short: ShortForms,
    mentions: Mentions,
    known: Mapping[tuple[str, ...], DocumentArm] = MappingProxyType({}),
) -> tuple[ArmLabel, ArmLabel] | None:
    """The label of the intervention and the label of the comparator; none where two assignments are about as good.

    `known` are arms that a person has confirmed, by the terms of their names.
    """
    if len(labels) < 2:
        return None
    roles = {label: known[label.core].role for label in labels if label.core in known}
    labels = [label for label in labels if label in roles or _can_match_arm(label, arms)]
    labels = [label for label in labels if roles.get(label) is not ArmRole.OTHER]
    if len(labels) < 2:
        return None
    coded = arm_codes_of([label.text for label in labels])
    base = {
        (label, at): _arm_match_score(label, arms[at], arms[1 - at], short)
        + _match_as_arm_code(coded[label.text], arms[at], arms[1 - at])
        + _match_by_person(roles.get(label), at)
        for label in labels
        for at in (0, 1)
    }
    best = _best_arm_pair(labels, base)
    if best is not None and min(base[best[0], 0], base[best[1], 1]) <= 0:
        # One of the two is there by elimination only: it may as well be a dose or an arm that was not asked for.
        return None
    if best is None and len(labels) <= _MOST_ARMS:
        beside = mentions(labels)
        scores = {key: score + _match_by_terms_beside(key[0], arms[key[1]], beside) for key, score in base.items()}
        best = _best_arm_pair(labels, scores, margin=_MARGIN_OF_TEXT)
    return best


def _match_by_person(role: ArmRole | None, at: int) -> float:
    """What a person said of an arm counts more than all its words."""
    if role is ArmRole.INTERVENTION:
        return _CONFIRMED if at == 0 else -_CONFIRMED
    if role is ArmRole.COMPARATOR:
        return _CONFIRMED if at == 1 else -_CONFIRMED
    return 0.0


# The letters of a table's footnotes and of its groups: `A` and `B` abbreviate nothing.
_SERIAL: Final = frozenset("abcd")
_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,6}")
_NOT_IN_CODE: Final = re.compile(
    r"\b(?:group|arm|cohort|patients|participants|subjects|treatment|condition)s?\b|\(?\b[nN] ?[=:].*$|[(\[]\d+[)\]]",
    re.IGNORECASE,
)


def arm_codes_of(texts: Sequence[str]) -> Mapping[str, str]:
    """The short names that labels consist of, such as `HIT` or `Asp`, or nothing where a label is no short name."""
    bare = {text: _NOT_IN_CODE.sub(" ", text).strip(" -,;:()") for text in texts}
    codes = {text: name.casefold() if _CODE.fullmatch(name) else "" for text, name in bare.items()}
    if all(code in _SERIAL for code in codes.values()):
        return dict.fromkeys(texts, "")
    return codes


def _match_as_arm_code(code: str, arm: ArmQuery, other: ArmQuery) -> float:
    """How much speaks for a short name being that of one arm and not of the other, from -0.8 to 0.8."""
    return _abbreviates_arm(code, arm.parts) - _abbreviates_arm(code, other.parts) if code else 0.0


def _abbreviates_arm(code: str, parts: Sequence[str]) -> float:
    if not code or not parts or code in parts:
        return 0.0
    initials = "".join(part[0] for part in parts)
    if len(code) == 1:
        return 0.45 if code in initials else 0.0
    if code == initials:
        return 0.8
    if any(part.startswith(code) for part in parts):
        return 0.7
    if _letters_match_in_order(code, initials):
        return 0.6
    run = "".join(parts)
    return (
        0.5
        if len(code) > 2 and code[0] == run[0] and _letters_match_in_order(code, run) and not code.isdigit()
        else 0.0
    )


def _letters_match_in_order(letters: str, text: str) -> bool:
    """Whether all letters stand in a text in this order."""
    rest = iter(text)
    return all(letter in rest for letter in letters)


_SEVERAL: Final = re.compile(r"(?<![\d.])\d ?(?:\+|&|and) ?\d(?![\d.])")


def _can_match_arm(label: ArmLabel, arms: tuple[ArmQuery, ArmQuery]) -> bool:
    """A number alone, such as a week, names an arm only where the question has it; `1 + 2` names neither of the two."""
    if _SEVERAL.search(label.text) and any(char.isdigit() for arm in arms for term in arm.own for char in term):
        return False
    if all(term.isdigit() for term in label.core):
        return any(set(label.core) & arm.terms for arm in arms)
    return True


def _best_arm_pair(
    labels: Sequence[ArmLabel], scores: Mapping[tuple[ArmLabel, int], float], margin: float = _MARGIN
) -> tuple[ArmLabel, ArmLabel] | None:
    ranked = sorted(
        ((scores[one, 0] + scores[other, 1], one, other) for one, other in permutations(labels, 2)),
        key=lambda found: -found[0],
    )
    first = ranked[0]
    runner_up = ranked[1][0] if len(ranked) > 1 else -1.0
    if first[0] < _LEAST or first[0] - runner_up < margin:
        return None
    if min(scores[first[1], 0], scores[first[2], 1]) < -_MARGIN:
        return None
    if any(scores[label, at] < scores[label, 1 - at] for at, label in enumerate(first[1:])):
        return None  # a label names the other arm better
    return first[1], first[2]


def _arm_match_score(label: ArmLabel, arm: ArmQuery, other: ArmQuery, short: ShortForms) -> float:
    """How well a label fits one arm and not the other, from about -1 to 3."""
    own = set(label.core)
    letters = [term.removeprefix("group0") for term in label.core if term.startswith("group0")]
    terms = short.written_out(label.core) | (short.written_out(letters) - set(letters))
    telling = {term for term in terms if term not in _GENERIC} or terms
    total = weight_of_terms(own & telling) or weight_of_terms(telling) or 1.0
    score = min(1.0, weight_of_terms(telling & arm.terms) / total)
    score += min(1.0, weight_of_terms((telling & arm.own) - _GENERIC))
    # The label that names more of an arm is its label: `DKP/TRAM` and not `TRAM`.
    score += weight_of_terms((telling & arm.own) - _GENERIC) / (weight_of_terms(arm.own - _GENERIC) or 1.0)
    score -= min(1.0, weight_of_terms((telling & other.own) - _GENERIC))
    doses = [{term for term in of if term[0].isdigit()} for of in (own, arm.terms)]
    if all(doses) and doses[0] - doses[1]:
        score -= _OTHER_DOSE
    return score + _match_by_arm_role(label, arm, other)


# A name must have this much in favour of one arm, and more than for the other arm, to be its name without a table.
_FITS: Final = 0.9
# The same for another name of a control, such as `placebo` for `control`.
_FITS_AS_CONTROL: Final = 0.5


def matches_only_arm(label: ArmLabel, arm: ArmQuery, other: ArmQuery, short: ShortForms) -> bool:
    """Whether a name is that of one arm and clearly not of the other."""
    if not label.core:
        return False
    score, against = _arm_match_score(label, arm, other, short), _arm_match_score(label, other, arm, short)
    least = _FITS_AS_CONTROL if arm.is_control and not other.is_control and names_control_arm(label.text) else _FITS
    return score >= least and score - against >= _FITS


@lru_cache(maxsize=_KEPT)
def _match_without_n(text: str) -> str:
    return re.sub(r" ?\(?n ?[=:].*$", "", fold_text(text).text).strip(" ,;:()")


_INERT: Final = re.compile(r"(?<![a-z])(?:placebo|sham|vehicle|dummy)(?![a-z])|安慰剂")
# A label of an inert treatment loses more than all that the text says beside it can give.
_NOT_INERT: Final = -2.0


def _match_by_arm_role(label: ArmLabel, arm: ArmQuery, other: ArmQuery) -> float:
    plain = _match_without_n(label.text)
    if _PLAIN_CONTROL.fullmatch(plain) and (plain.startswith(("no", "non")) or not _ACTIVE.fullmatch(plain)):
        is_control = True
    elif _ACTIVE.fullmatch(plain):
        is_control = False
    elif _INERT.search(plain) and not (arm.is_control or other.is_control) and arm.terms & other.terms - _GENERIC:
        return _NOT_INERT  # a treatment of two kinds of people: neither of the two is its placebo
    elif _CONTROL.search(plain):
        return 0.5 * ((1 if arm.is_control else 0) - (1 if other.is_control else 0))
    else:
        return 0.0
    if arm.is_control != other.is_control:
        return 1.0 if arm.is_control == is_control else -1.0
    # Neither arm of the question is called a control: the comparator is the likelier one.
    return 0.4 if arm.is_comparator == is_control else -0.4


def _match_by_terms_beside(label: ArmLabel, arm: ArmQuery, beside: Mapping[ArmLabel, Counter[str]]) -> float:
    """The share of an arm's own terms that the text says beside this label rather than beside the others."""
    own = arm.own - _GENERIC
    total = weight_of_terms(own)
    if not total:
        return 0.0
    everywhere = {term: sum(counts[term] for counts in beside.values()) for term in own}
    share = fsum(term_weight(term) * beside[label][term] / everywhere[term] for term in own if everywhere[term])
    return 1.5 * share / total
