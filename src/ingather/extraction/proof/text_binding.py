"""Texts bound to their quotes: whether a text is made of its quote's words. Pure."""

import re
from dataclasses import dataclass
from typing import Final

from ingather.extraction.findings import Reason, State
from ingather.extraction.ground import terms
from ingather.extraction.ground.folding import UNSPACED, fold_text
from ingather.extraction.proof.bound import Stretch
from ingather.extraction.proof.cues import cue_stem
from ingather.extraction.template.model import Field, FieldType


def _text_term_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TERM: Final = re.compile(rf"[a-z]+(?:'[a-z]+)?|[0-9]+(?:[.,][0-9]+)*%?|[{UNSPACED}]")
_SMALL: Final = _text_term_set(
    "a an and as at be been by for from had has have in into is it its of on or our that the their these this "
    "those to was were which who will with we were using used e g i"
)
# How much of a text must be words of its quote. Measured on real answers (docs/grounding.md): lower lets made-up texts
# pass that share a topic with their quote, higher refuses texts that leave out or inflect a word.
_SHARES: Final = {FieldType.LONGTEXT: 0.80, FieldType.TEXT: 0.80, FieldType.MULTI_TEXT: 0.80, FieldType.ID: 1.0}
# Texts of so few words must be the quote's to the last one.
_FEW: Final = 3
# A letter where a figure must stand (`> I8 years`, `l0 mg`), a term that a sign was lost behind (`lasting12 weeks`).
_MISREAD: Final = re.compile(
    r"[<>\u2264\u2265=] ?[IlO|] ?[0-9]|(?<![\w.-])[lI|][0-9]{1,2} (?:years|weeks|days|months|hours|mg|ml|kg)\b"
    r"|(?<![A-Za-z-])[a-z]{5,}[0-9]{1,3} ?(?:years|weeks|days|months|hours|minutes|mg|ml|kg|%)(?![a-z])"
    r"|\ufffd|[0-9] 6 [0-9]+(?:\.[0-9]+)? (?:years|kg|mg)"
)
_SIGN_BESIDE_FIGURE: Final = re.compile(r"[<>\u2264\u2265\u00b1=] ?[0-9]")
_STATES: Final = frozenset(
    {state.value.replace("_", " ") for state in State}
    | {
        f"not {term}"
        for term in _text_term_set("reported stated described mentioned specified given available provided found")
    }
    | {
        f"{one} {other}"
        for one in ("see", "as")
        for other in _text_term_set("text paper quote reported stated described above")
    }
    | {"n a", "none reported", "not applicable", "no information", "reported in text"}
    | _text_term_set("na nr ni nil null none unclear unknown yes no true false missing tbd string")
    | _text_term_set("未报告 不适用 不清楚 未说明 未提及 无 是 否 不详 未知")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """How much of a text its quote's words make up, and from where to where they stand."""

    share: float
    count: int
    stretch: Stretch | None
    is_whole: bool = False  # it stands there letter by letter
    is_turned: bool = False  # the one has a negation that the other has not


def text_made_of(value: str, text: str, start: int, end: int) -> Made:
    """How a text is made of the words of a quote: `text[start:end]`, folded."""
    wanted = fold_text(value).text
    quoted = text[start:end]
    if (at := _literal_place_of_text(wanted, quoted)) is not None:
        first, last = at
        is_turned = terms.negation_term_before(quoted, first) < first and not terms.negation_term_before(wanted, 0) < 0
        return Made(
            share=1.0, count=len(_text_content_terms(wanted)), stretch=(start + first, start + last), is_whole=True,
            is_turned=is_turned,
        )  # fmt: skip
    mine = _text_content_terms(wanted)
    theirs = [(found[0], found.start(), found.end()) for found in _TERM.finditer(quoted)]
    places: dict[str, list[Stretch]] = {}
    for term, a, b in theirs:
        places.setdefault(_comparable_text_term(term), []).append((a, b))
    hits: list[Stretch] = []
    found = 0
    at_last = 0
    for term in mine:
        if where := places.get(_comparable_text_term(term)):
            found += 1
            following = [one for one in where if one[0] >= at_last]
            hits.append(following[0] if following else where[0])
            at_last = hits[-1][1] if following else at_last
    share = found / len(mine) if mine else 0.0
    if not hits:
        return Made(share=share, count=len(mine), stretch=None)
    first, last = min(hits)[0], max(hits)[1]
    return Made(
        share=share, count=len(mine), stretch=(start + first, start + last),
        is_turned=_negations_in_text(wanted) != _negations_in_text(quoted[first:last])
        and _negations_in_text(wanted) + 1 != _negations_in_text(quoted),
    )  # fmt: skip


def _literal_place_of_text(wanted: str, quoted: str) -> Stretch | None:
    """Where a text stands in a quote letter by letter, but for spaces and punctuation, cutting no word."""
    terms = _TERM.findall(wanted)
    if not terms:
        return None
    pattern = r"[^a-z0-9]*".join(map(re.escape, terms))
    found = re.search(rf"(?<![a-z0-9])(?<![0-9][.,]){pattern}(?![a-z]|[0-9]|[.,][0-9])", quoted)
    return found.span() if found else None


def _text_content_terms(folded: str) -> list[str]:
    return [term for term in _TERM.findall(folded) if term not in _SMALL]


def _comparable_text_term(term: str) -> str:
    if term[0].isdigit():
        return term.replace(",", "").rstrip("%")
    return terms.NUMBERS.get(term) or cue_stem(
        term.replace("isation", "ization").replace("ise", "ize").replace("'s", "")
    )


def _negations_in_text(folded: str) -> int:
    return sum(terms.negation_terms_in(term) for term in _TERM.findall(folded))


def text_is_of_quote(field: Field, made: Made) -> bool:
    """Whether a text is the quote's own, by the measure for its type."""
    if made.is_turned:
        return False
    least = 1.0 if made.count <= _FEW else _SHARES.get(field.type, 0.8)
    return made.count > 0 and made.share >= least


def text_is_no_answer(field: Field, value: str) -> Reason | None:
    """Whether a text is no answer at all: a state, or the question or a part of it."""
    folded = re.sub(r"[\s_/.]+", " ", fold_text(value).text).strip(" .*'\"()[]<>{}")
    if folded in _STATES:
        return Reason.STATE
    names = [field.label.en, field.label.zh, field.id.replace("_", " ")]
    if folded in {fold_text(one).text.strip(" .") for one in names}:
        return Reason.ECHO
    mine, given = _TERM.findall(folded), _TERM.findall(fold_text(field.instruction).text)
    if not mine or not given:
        return None
    joined, source = f" {' '.join(mine)} ", f" {' '.join(given)} "
    # So many words in a row are the instruction's and not the paper's.
    return Reason.ECHO if len(mine) >= 4 and joined in source else None


def text_is_from_question(field: Field, value: str) -> bool:
    """Whether a text that is not the quote's is the question's: most of its words are the instruction's."""
    mine = {_comparable_text_term(term) for term in _text_content_terms(fold_text(value).text)}
    given = {
        _comparable_text_term(term)
        for term in _text_content_terms(fold_text(f"{field.label.en} {field.label.zh} {field.instruction}").text)
    }
    return bool(mine) and len(mine & given) >= 0.75 * len(mine)


def text_has_misread_signs(text: str, *, trusts_symbols: bool) -> bool:
    """Whether a text has figures that were misread where it was scanned, or hangs on signs that could not be read."""
    return _MISREAD.search(text) is not None or (not trusts_symbols and _SIGN_BESIDE_FIGURE.search(text) is not None)
