"""Cues: the words by which a text speaks of a field, or carries one of its choices. Pure.

A template may give them; those of the built-in fields come with the program
(`templates/cues.yaml`); any other field is known by the words of its label.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

import yaml

from ingather.extraction.ground.folding import UNSPACED, fold_text
from ingather.extraction.template.builtin import SAFE_LOADER
from ingather.extraction.template.model import Field, Option


def _cue_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# How far apart the two sides of `..` may stand: within a clause, this many words, or characters of Chinese.
_GAP: Final = rf"(?:[^.;:\u3002\uff1b]{{0,6}}?|(?:[ ,/()-]+[^\s.;\u3002]+){{0,6}}?[ ,/()-]+|[{UNSPACED}]{{0,12}}?)"
_HAN: Final = re.compile(f"[{UNSPACED}]")

_NEGATED_BEFORE: Final = re.compile(
    r"(?:(?<![a-z])(?:no|not|never|neither|nor|without|cannot|[a-z]+n't|unable to|failed to|lack of|lacked|absence of"
    r"|instead of|rather than|non)(?:[ -][a-z]+){0,3}[ -]?|(?:未|不|无|非|没有|并未|没)[^,\uff0c。\uff1b;]{0,3})$"
)
_NEGATED_BEHIND: Final = re.compile(
    r"[^.;,\u3002]{0,40}?(?<![a-z])(?:was|were|is|are|could|did|had|has|have|been|be)(?: [a-z]+)? (?:not|im)[ -]?"
    r"(?:be )?(?:possible|feasible|done|performed|used|applied|blinded|masked|concealed|described|reported|stated"
    r"|attempted|carried|implemented|specified|available|undertaken|made|assessed|included|practicable|practical)"
    r"|(?:未|无法|不能)"
)
_NEGATOR_IN_CUE: Final = re.compile(
    r"(?<![a-z])(?:no|not|non|never|without|un(?:blind|mask|adjust|plann|fund|expos|treat|controll|clear)[a-z*]*"
    r"|impossible|neither|post|did|open)(?![a-z])|[未不无非没]"
)
_INNER: Final = re.compile(r"(?<![a-z])(?:not|never|neither|nor|no)(?![a-z])|[未不没]")

# Words of labels that say nothing of what a field asks.
_GENERIC: Final = _cue_set(
    "a an and as at by for from in is it of on or the to with number total type method methods status name "
    "class detail details value values date percent other main study trial reported report description "
    "described if any n no yes mean median sd se used this that which who how what where when was were per "
    "total"
)
_GENERIC_HAN: Final = frozenset("人数 类型 方法 情况 日期 名称 数量 总数 分类 是否 说明 描述 比例 时间 研究".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Where a cue stands in a folded text, and whether a negation beside it turns it around."""

    start: int
    end: int
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Cue:
    """One cue as a pattern. One with a negation of its own, such as `open label` or `not blinded`, is never turned."""

    pattern: re.Pattern[str]
    is_negative: bool

    def mentions(self, text: str) -> Iterator[Mention]:
        for found in self.pattern.finditer(text):
            yield Mention(start=found.start(), end=found.end(), is_negated=self._is_negated(text, found))

    def _is_negated(self, text: str, found: re.Match[str]) -> bool:
        if self.is_negative:
            return False
        clause = re.split(r"[.;:,()\u3002\uff1b\uff0c]", text[max(0, found.start() - 60) : found.start()])[-1]
        return (
            _NEGATED_BEFORE.search(clause) is not None
            or _INNER.search(found[0]) is not None
            or _NEGATED_BEHIND.match(text, found.end()) is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """All that is known of the words of one field. `place` is where it is printed; empty where words decide."""

    speaks: tuple[Cue, ...] = ()
    rivals: tuple[Cue, ...] = ()
    options: dict[str, tuple[Cue, ...]] = field(default_factory=dict, hash=False)
    place: str = ""
    is_derived: bool = False


@lru_cache(maxsize=2_000)
def cues_of(question: Field) -> Cues:
    """The cues of a field: its own, those that come with the program for its id, or the words of its label."""
    known = _shipped_cues().get(question.id, {})
    is_known = question.id in _shipped_cues()
    speaks = question.cues or tuple(known.get("cues") or ())
    derived = () if question.cues or is_known else _cues_from_label(question)
    return Cues(
        speaks=tuple(map(cue, speaks)) or derived,
        rivals=tuple(map(cue, question.rivals or known.get("rivals") or ())),
        options={
            option.id: tuple(map(cue, option.cues or (known.get("options") or {}).get(option.id, ())))
            or (() if is_known and option.id in (known.get("options") or {}) else _cues_from_option(option))
            for option in question.options
        },
        place=known.get("place", ""),
        is_derived=not (question.cues or is_known),
    )


@cache
def _shipped_cues() -> dict[str, dict[str, Any]]:
    text = files("ingather.extraction").joinpath("templates", "cues.yaml").read_text(encoding="utf-8")
    loaded: dict[str, dict[str, Any]] = yaml.load(text, Loader=SAFE_LOADER)  # noqa: S506  it is the safe one
    return loaded


@cache
def cue(text: str) -> Cue:
    """A cue as a pattern: `*` is any ending, `|` is `or` within a word, `..` leaves out a few words."""
    parts: list[str] = []
    for term in fold_text(str(text)).text.replace("...", "..").split():
        if term == "..":
            parts.append("..")
        else:
            parts.append("(?:" + "|".join(map(_cue_pattern, term.split("|"))) + ")")
    pattern = ""
    for n, part in enumerate(parts):
        is_next_to_gap = n == 0 or part == ".." or parts[n - 1] == ".."
        pattern += _GAP if part == ".." else part if is_next_to_gap else r"[ -]?" + part
    return Cue(re.compile(pattern), _NEGATOR_IN_CUE.search(text) is not None)


def _cue_pattern(term: str) -> str:
    escaped = re.escape(term).replace(r"\*", "[a-z]*").replace(r"\#", "[0-9]+")
    head = r"(?<![a-z0-9])" if re.match(r"[a-z0-9*]", term) else ""
    tail = r"(?![a-z0-9])" if re.search(r"[a-z0-9]$", term) else ""
    return head + escaped + tail


def cue_mentions(cues: Iterable[Cue], text: str) -> list[Mention]:
    """Where any of the cues stands, in the order of the text."""
    return sorted((found for one in cues for found in one.mentions(text)), key=lambda found: (found.start, -found.end))


def _cues_from_label(question: Field) -> tuple[Cue, ...]:
    terms = [term for term in cue_terms(f"{question.label.en} {question.id.replace('_', ' ')}") if len(term) > 1]
    stems = [f"{cue_stem(term)}*" if len(term) > 3 else term for term in terms]
    return tuple(map(cue, [*dict.fromkeys(stems), *_han_cue_pieces(question.label.zh)]))


def _cues_from_option(option: Option) -> tuple[Cue, ...]:
    """All the words of a choice's label, in their order. `Yes` and `No` have none: see how choices are bound."""
    found = [
        " .. ".join(f"{cue_stem(term)}*" if len(term) > 3 else term for term in terms)
        for label in re.split(r"[/;]", option.label.en)
        if (terms := cue_terms(label))
    ]
    if _HAN.search(option.label.zh):
        found += [part for part in re.split(r"[/;\uff1b、\uff08\uff09()]", option.label.zh) if len(part.strip()) > 1]
    return tuple(map(cue, found))


def _han_cue_pieces(label: str) -> list[str]:
    runs = re.findall(f"[{UNSPACED}]{{2,}}", label)
    pieces = [run[n : n + 2] for run in runs for n in range(len(run) - 1)]
    return [piece for piece in pieces if piece not in _GENERIC_HAN]


def cue_terms(text: str) -> list[str]:
    """The words of a text that say something, folded."""
    return [term for term in re.findall(r"[a-z0-9]+", fold_text(text).text) if term not in _GENERIC]


_ENDINGS: Final = re.findall(
    r"[a-z]+",
    "ications ication ations ation ings ing ities ity ments ment ions ion ised ized ies ied ary ers er ed es al ly "
    "s y e",
)


def cue_stem(term: str) -> str:
    """What most forms of a word begin with: `smok` of smoking, `diet` of dietary."""
    for ending in _ENDINGS:
        if term.endswith(ending) and len(term) - len(ending) >= 4:
            return term[: -len(ending)]
    return term
