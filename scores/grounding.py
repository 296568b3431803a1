"""Quotes of real articles, true and false: how many of each kind grounding accepts, and what a quote costs.

The sentences of every article of FOLDER (JATS XML), in the text of their pages. A true quote is copied as careful and
careless hands copy; a false one differs in one thing that changes what is said.
"""

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingather.extraction.findings import Verdict
from ingather.extraction.ground import Index, ground
from ingather.extraction.ground.lexicon import is_real_in_lexicon
from scores.articles import Article, articles
from scores.report import Report, Share

_ACCEPTED: Final = frozenset((Verdict.VERIFIED, Verdict.VERIFIED_FUZZY))
# Sentences of one article; more would let long articles decide.
_OF_AN_ARTICLE: Final = 25
# Misses listed of one kind; the first tell what is wrong.
_LISTED: Final = 20

# Terms that are easily taken for one another, in groups; each is exchanged for another one of its group.
_EXCHANGED: Final = tuple(
    line.split("|")
    for line in """mean|median
SD|SE|SEM
standard deviation|standard error
OR|RR|HR
odds ratio|risk ratio|hazard ratio|rate ratio
prednisone|prednisolone|methylprednisolone
systolic|diastolic
weeks|months|days|years
week|month|day|year
intervention|control
primary|secondary
baseline|follow-up
higher|lower
increased|decreased|improved
sensitivity|specificity
LDL|HDL|VLDL
nitrate|nitrite
proximal|distal
oral|intravenous
incidence|prevalence
efficacy|safety
minimum|maximum
per-protocol|intention-to-treat
metformin|metoprolol
simvastatin|atorvastatin|rosuvastatin|pravastatin
hypertension|hypotension""".splitlines()
)
_CITATION: Final = re.compile(
    r" ?\[\d{1,3}(?:[,\u2013-] ?\d{1,3})*\]|(?<=[a-z][.,])\d{1,3}(?:[,\u2013-]\d{1,3})*(?= |$)"
)
_NEGATED: Final = (
    (" did not ", " did "), (" was not ", " was "), (" were not ", " were "), (" no ", " a "), (" was ", " was not "),
    (" were ", " were not "), (" without ", " with "), (" had ", " had no "),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A quote of one article under the name of its kind."""

    kind: str
    text: str


Change = Callable[[random.Random, str, Article], str | None]


def score(folder: Path) -> Report:
    """Shares accepted, kind by kind; kinds in capitals are false and should have none."""
    counts: dict[str, list[int]] = {}
    misses: dict[str, list[str]] = {}
    seconds, quotes, indexes = 0.0, 0, 0.0
    before: Article | None = None
    for article in articles(folder):
        started = time.process_time()
        index = Index(article.pages)
        indexes += time.process_time() - started
        for quote in _quotes(article, before):
            started = time.process_time()
            found = ground(quote.text, index)
            seconds += time.process_time() - started
            quotes += 1
            is_accepted = found.verdict in _ACCEPTED
            right, of = counts.setdefault(quote.kind, [0, 0])
            counts[quote.kind] = [right + is_accepted, of + 1]
            if is_accepted is quote.kind.isupper():
                misses.setdefault(quote.kind, []).append(f"{article.name} {quote.kind} [{found.verdict}] {quote.text}")
        before = article
    shares = [
        Share(name=kind, right=right, of=of, target=0.0 if kind.isupper() else None, at_most=True)
        for kind, (right, of) in sorted(counts.items(), key=lambda one: (one[0].isupper(), one[0]))
    ]
    notes = [f"{quotes:,} quotes, {1000 * seconds / max(1, quotes):.2f} ms each; indexes took {indexes:.1f} s"]
    listed = [line for lines in misses.values() for line in lines[:_LISTED]]
    return Report(board="grounding", shares=shares, misses=listed, notes=notes)


def _quotes(article: Article, before: Article | None) -> Iterator[Quote]:
    """The same quotes in every run: the dice are those of the article's name."""
    dice = random.Random(article.name)
    sentences = article.sentences()
    everything = _bare(" ".join(article.pages))
    for sentence in dice.sample(sentences, min(_OF_AN_ARTICLE, len(sentences))):
        for kind, change in (*_TRUE.items(), *_FALSE.items()):
            text = change(dice, sentence, article)
            if text is not None and text != sentence and not (kind.isupper() and _bare(text) in everything):
                yield Quote(kind=kind, text=text)
        yield Quote(kind="as printed", text=sentence)
    others = before.sentences() if before is not None else []
    for sentence in dice.sample(others, min(_OF_AN_ARTICLE, len(others))):
        if _bare(sentence) not in everything:
            yield Quote(kind="A SENTENCE OF ANOTHER ARTICLE", text=sentence)


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text).casefold()


def _dashes(_: random.Random, text: str, __: Article) -> str:
    return text.translate(str.maketrans("\u2013\u2212\u2019\u201c\u201d\u00b7", '--\'"".'))


def _spaces(_: random.Random, text: str, __: Article) -> str:
    return re.sub(r" ?([=<>(\u00b1]) ?", r"\1", text)


def _typo(dice: random.Random, text: str, article: Article) -> str | None:
    """Two letters of a long word exchanged, which makes no other word."""
    long = list(re.finditer(r"(?<![\w-])[a-z]{8,}(?![\w-])", text))
    if not long:
        return None
    one = dice.choice(long)
    at = dice.randint(2, len(one[0]) - 4)
    slip = one[0][:at] + one[0][at + 1] + one[0][at] + one[0][at + 2 :]
    makes_another = is_real_in_lexicon(slip) or any(slip in page for page in article.pages)
    return None if makes_another else text[: one.start()] + slip + text[one.end() :]


# A third of a sentence has so many words at least, or its parts stand anywhere.
_SHORTEST_THIRD: Final = 4
_TURNS: Final = re.compile(
    r"\b(?:no|not|nor|neither|without|fail\w*|un\w+|non\w*|lack\w*|in\w+|never|\w+n't|except|only|free|contrary"
    r"|despite|dis\w+|absen\w+|im\w+|unless|cannot|independent\w*)\b",
    re.IGNORECASE,
)


def _left_out(dice: random.Random, text: str, _: Article) -> str | None:
    """A piece in the middle of a sentence replaced by dots, without a negation in it."""
    terms = text.split(" ")
    third = len(terms) // 3
    gap = " ".join(terms[third:-third])
    if third < _SHORTEST_THIRD or _TURNS.search(gap):
        return None
    return " ".join(terms[:third]) + dice.choice([" ... ", " \u2026 ", " [...] "]) + " ".join(terms[-third:])


def _without_citation(_: random.Random, text: str, __: Article) -> str | None:
    return _CITATION.sub("", text) if _CITATION.search(text) else None


def _digit(dice: random.Random, text: str, _: Article) -> str | None:
    found = [one for one in re.finditer(r"(?<![\w.,])\d+(?:\.\d+)?", text) if not _is_cited(text, one)]
    if not found:
        return None
    one = dice.choice(found)
    at = dice.choice([n for n in range(one.start(), one.end()) if text[n].isdigit()])
    return text[:at] + dice.choice([d for d in "0123456789" if d != text[at]]) + text[at + 1 :]


def _is_cited(text: str, one: re.Match[str]) -> bool:
    return any(found.start() <= one.start() < found.end() for found in _CITATION.finditer(text))


def _point(dice: random.Random, text: str, _: Article) -> str | None:
    found = [*re.finditer(r"(?<![\d.])(\d+)\.(\d)(\d*)(?![\d.])", text)]
    if not found:
        return None
    one = dice.choice(found)
    return text[: one.start()] + f"{one[1]}{one[2]}.{one[3] or '0'}" + text[one.end() :]


def _number_gone(dice: random.Random, text: str, _: Article) -> str | None:
    found = [one for one in re.finditer(r"(?<![\w.,])\d+(?:\.\d+)?%? (?=[a-z(])", text) if not _is_cited(text, one)]
    if not found:
        return None
    one = dice.choice(found)
    return text[: one.start()] + text[one.end() :]


def _sign(dice: random.Random, text: str, _: Article) -> str | None:
    swaps = {"<": ">", ">": "<", "\u2264": "\u2265", "\u2265": "\u2264", "\u2212": "", "%": ""}
    found = [n for n, c in enumerate(text) if c in swaps and re.search(r"\d", text[max(0, n - 3) : n + 3])]
    if not found:
        return None
    at = dice.choice(found)
    return text[:at] + swaps[text[at]] + text[at + 1 :]


def _negation(dice: random.Random, text: str, _: Article) -> str | None:
    here = [pair for pair in _NEGATED if pair[0] in text]
    if not here:
        return None
    old, new = dice.choice(here)
    return text.replace(old, new, 1)


def _exchange(dice: random.Random, text: str, _: Article) -> str | None:
    here = [(old, new) for group in _EXCHANGED for old in group for new in group if old != new and _has(text, old)]
    if not here:
        return None
    old, new = dice.choice(here)
    return re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", new, text, count=1)


def _has(text: str, term: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(term)}(?![\w-])", text) is not None


def _other_term(dice: random.Random, text: str, article: Article) -> str | None:
    """A word exchanged for another word of the article that begins alike."""
    long = list(re.finditer(r"(?<![\w-])[a-z]{5,}(?![\w-])", text))
    dice.shuffle(long)
    known = sorted({term for page in article.pages for term in re.findall(r"(?<![\w-])[a-z]{5,}(?![\w-])", page)})
    for one in long[:3]:
        alike = [term for term in known if term[:4] == one[0][:4] and not _is_form(term, one[0])]
        if alike:
            return f"{text[: one.start()]}{dice.choice(alike)}{text[one.end() :]}"
    return None


def _is_form(term: str, other: str) -> bool:
    """Whether two words are forms or spellings of one: mobilisation and mobilization, prolonged and prolongation."""
    one, two = (spelling.replace("z", "s").replace("ae", "e") for spelling in (term, other))
    return one == two or one[:-3] in two or two[:-3] in one


def _two_sentences(dice: random.Random, text: str, article: Article) -> str | None:
    others: Sequence[str] = [one for one in article.sentences() if one != text]
    if not others:
        return None
    other = dice.choice(others)
    first, last = text[: len(text) // 2].rpartition(" ")[0], other[len(other) // 2 :].partition(" ")[2]
    return f"{first} \u2026 {last}" if min(len(first), len(last)) > 15 else None


_TRUE: Final[Mapping[str, Change]] = {
    "other dashes and quotes": _dashes, "other spaces": _spaces, "a typing error": _typo,
    "a piece left out": _left_out, "a citation left out": _without_citation,
}  # fmt: skip
_FALSE: Final[Mapping[str, Change]] = {
    "ONE DIGIT CHANGED": _digit, "DECIMAL POINT MOVED": _point, "NUMBER LEFT OUT": _number_gone,
    "SIGN, COMPARATOR OR PERCENT CHANGED": _sign, "NEGATION TURNED": _negation, "ONE TERM FOR ANOTHER": _exchange,
    "ONE WORD FOR ANOTHER OF THE ARTICLE": _other_term, "PARTS OF TWO SENTENCES": _two_sentences,
}  # fmt: skip
