"""Numbers written as words, in English and Chinese, of any size. Pure; on folded text."""

import re
from collections.abc import Iterator
from typing import Final

_UNITS: Final = {
    term: n
    for n, term in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS: Final = {
    term: 10 * n
    for n, term in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2)
}
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_ONE_TERM: Final = "|".join(sorted([*_UNITS, *_TENS, "hundred", *_SCALES, "fourty"], key=len, reverse=True))

# A run of number words. `and` and a comma belong to it only between its words: `one hundred and five`.
_RUN: Final = re.compile(
    rf"(?<![a-z])(?:a (?=hundred|thousand|million))?(?:{_ONE_TERM})(?:(?:[- ]| and |, )(?:{_ONE_TERM})(?![a-z]))*"
    r"(?![a-z])"
)
_TERM: Final = re.compile(rf"(?<![a-z])(?:{_ONE_TERM})(?:-(?:{_ONE_TERM}))*(?![a-z])")
_HAN_DIGITS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"\u3007": 0, "两": 2}
_HAN_SMALL: Final = {"十": 10, "百": 100, "千": 1000}
_HAN_BIG: Final = {"万": 10**4, "亿": 10**8}
# Longer runs than this are no numbers.
HAN_RUN: Final = re.compile("[\u3007零一二三四五六七八九十百千两万亿]{1,20}")


def spelt_number_terms(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The numbers of a text that are written as words, and where. `one, two and three` are three of them."""
    for run in _RUN.finditer(text):
        value = _value_of_number_terms(run[0])
        if value is not None:
            yield run, value
            continue
        for term in _TERM.finditer(text, run.start(), run.end()):
            if (value := _value_of_number_terms(term[0])) is not None:
                yield term, value


def _value_of_number_terms(text: str) -> int | None:
    """The number that a run of number words is; None where its words are two numbers, as in `one, two`."""
    total = part = 0
    last = 10**12  # the last word's worth: within one part, words become smaller
    terms = re.findall(r"[a-z]+", text)
    for term in terms:
        if term in {"and", "a"}:
            continue
        if term in _UNITS or term in _TENS or term == "fourty":
            worth = _UNITS.get(term, _TENS.get(term, 40))
            if (worth < 10 and last < 20) or (worth >= 10 and last < 100):
                return None
            part += worth
            last = worth
        elif term == "hundred":
            if part >= 100:
                return None
            part = (part or 1) * 100
            last = 100
        else:
            total += (part or 1) * _SCALES[term]
            part, last = 0, 1000
    return total + part


def han_number_term(run: str) -> int | None:
    """A Chinese numeral; one without units is read digit by digit, as in 二〇一九."""
    if not any(c in _HAN_SMALL or c in _HAN_BIG for c in run):
        return int("".join(str(_HAN_DIGITS[c]) for c in run))
    total = section = digit = 0
    for c in run:
        if c in _HAN_DIGITS:
            digit = _HAN_DIGITS[c]
        elif c in _HAN_SMALL:
            section += (digit or 1) * _HAN_SMALL[c]
            digit = 0
        else:
            total = (total + section + digit or 1) * _HAN_BIG[c]
            section = digit = 0
    return total + section + digit


def number_terms_in_digits(text: str) -> tuple[str, list[int]]:
    """A text with its Chinese numerals as digits, and for each of its characters the one it comes from."""
    parts: list[str] = []
    origin: list[int] = []
    at = 0
    for run in HAN_RUN.finditer(text):
        value = han_number_term(run[0])
        digits = run[0] if value is None else str(value)
        parts += [text[at : run.start()], digits]
        origin += [*range(at, run.start()), *[run.start()] * (len(digits) - 1), *[run.end() - 1] * min(1, len(digits))]
        at = run.end()
    return "".join([*parts, text[at:]]), [*origin, *range(at, len(text))]
