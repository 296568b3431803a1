"""How a text names an outcome: mentions of the label that its row has. Pure; on folded text."""

import re
from functools import lru_cache
from typing import Final

from ingather.extraction.ground.folding import UNSPACED, fold_text
from ingather.extraction.proof.arm_labels import NamedRow
from ingather.extraction.proof.cues import cue_stem


def _outcome_label_term_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words for one thing that outcomes are often called by. A label with one of a line is named by any other.
_SAME: Final = (
    "mortality death deaths died dying dead die fatal surviv*",
    "pain analges* painful",
    "adverse side toxicit* reactions complications",
    "bleed* hemorrhag* haemorrhag* blood",
    "infect* infections",
    "relapse* recur*",
    "weight bmi",
    "respons* respond* response",
    "nausea vomit* emesis",
    "depress* depression",
    "pregnan* conception conceiv*",
    "cost costs",
    "satisf* satisfaction",
    "fractur*",
    "hospitali* admission* admitted readmi*",
)


@lru_cache(maxsize=2_000)
def outcome_label_terms(label: str, *, with_synonyms: bool = True) -> tuple[re.Pattern[str], ...]:
    """The words of an outcome's label, each as a pattern for its forms and for other words of the same thing."""
    text = fold_text(label).text
    patterns = []
    for term in dict.fromkeys(re.findall(r"[a-z][a-z0-9]+|[0-9]+[a-z]+", text)):
        if term in _GLUE or len(term) < 2:
            continue
        forms = [rf"{re.escape(cue_stem(term))}[a-z]*" if len(term) > 4 else rf"{re.escape(term)}s?"]
        if with_synonyms:
            forms += [
                same for line in _SAME if _is_of_outcome_label(term, line) for same in _outcome_label_alternatives(line)
            ]
        patterns.append(re.compile(rf"(?<![a-z])(?:{'|'.join(forms)})(?![a-z])"))
    for run in re.findall(f"[{UNSPACED}]{{2,}}", text):
        pieces = [run] if len(run) <= 4 else [run[n : n + 2] for n in range(0, len(run) - 1, 2)]
        patterns += [re.compile(re.escape(piece)) for piece in pieces]
    if len(initials := _outcome_label_initials(text)) >= 2 and patterns:
        patterns[0] = re.compile(rf"{patterns[0].pattern}|(?<![a-z]){initials}s?(?![a-z])")
    return tuple(patterns)


# Words of an outcome that stand this near to each other name it together.
_TOGETHER: Final = 25
_GLUE: Final = _outcome_label_term_set(
    "the of and in a an at to for by with from or on as per after before within during change mean score rate "
    "number incidence proportion percentage level total patients patient time week weeks month months day days "
    "year years baseline primary secondary outcome measured using any all overall who had having is were was "
    "their scale index percent reduction increase decrease difference risk"
)


def _outcome_label_initials(text: str) -> str:
    terms = [term for term in re.findall(r"[a-z]+", text) if term not in {"of", "the", "and", "in", "for", "to", "a"}]
    return "".join(term[0] for term in terms) if 2 <= len(terms) <= 5 else ""


def _is_of_outcome_label(term: str, line: str) -> bool:
    return any(term.startswith(one[:-1]) if one.endswith("*") else term == one for one in line.split())


def _outcome_label_alternatives(line: str) -> list[str]:
    return [one.replace("*", "[a-z]*") for one in line.split()]


def outcome_label_mentions(label: str, key: str, text: str) -> list[NamedRow]:
    """Where a text names an outcome: the places with most of its words together. None unless half of them occur."""
    return _outcome_label_places(outcome_label_terms(label, with_synonyms=False), key, text) or _outcome_label_places(
        outcome_label_terms(label), key, text
    )


def share_of_outcome_label(label: str, text: str) -> float:
    """How much of a label's words a stretch of text has."""
    patterns = outcome_label_terms(label, with_synonyms=False)
    return sum(pattern.search(text) is not None for pattern in patterns) / len(patterns) if patterns else 0.0


def _outcome_label_places(patterns: tuple[re.Pattern[str], ...], key: str, text: str) -> list[NamedRow]:
    found = sorted((one.start(), one.end(), n) for n, pattern in enumerate(patterns) for one in pattern.finditer(text))
    named = len({n for _, _, n in found})
    if not found or named * 2 < min(len(patterns), 4):
        return []
    clusters: list[list[tuple[int, int, int]]] = []
    for one in found:
        if clusters and one[0] - clusters[-1][-1][1] <= _TOGETHER:
            clusters[-1].append(one)
        else:
            clusters.append([one])
    most = max(len({n for _, _, n in cluster}) for cluster in clusters)
    best = [cluster for cluster in clusters if len({n for _, _, n in cluster}) == most]
    return [NamedRow(start=one[0][0], end=max(end for _, end, _ in one), key=key) for one in best]
