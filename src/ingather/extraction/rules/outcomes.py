"""Outcomes: what the paper calls primary and secondary."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.hits import Hit, agreed, not_reported, prose, reported, rx
from ingather.extraction.rules.lists import items_of_list
from ingather.extraction.rules.sentences import Document

FIELDS: Final = frozenset({"outcome_name", "outcome_role", "outcome_definition", "outcome_ascertain"})
# Outcomes of one paper. A paper that names more lists measures in an appendix.
MOST_OUTCOMES: Final = 20
# The share of an outcome's terms that a sentence must have to speak of it. With less, `recurrence after conversion` is
# taken for `conversion`.
_NAMED_SHARE: Final = 0.66

_PRIMARY: Final = rx(
    r"\b(?:primary|main) (?:\w+ )?(?:outcomes?|end ?-?points?)(?: measures?| variables?)?(?: of (?:this"
    r"|the) (?:study|trial))? (?:was|were|is) (?:the )?(?P<name>[^.;]{3,300})"
    r"|主要(?:结局|疗效|终点|观察)(?:指标)?(?:为|是|:)(?P<zh>[^。;]{2,80})"
)
_SECONDARY: Final = rx(
    r"\b(?:secondary|other) (?:outcomes?|end ?-?points?)(?: measures?)? (?:were|was|included?|are"
    r"|comprised) (?P<name>[^.;]{3,400})"
    r"|次要(?:结局|疗效|终点|观察)(?:指标)?(?:为|是|包括|:)(?P<zh>[^。;]{2,120})"
)
_NO_NAME: Final = rx(
    r"(?:to |that |whether |when |if |in |at (?!least)|by |for |as |on |respectively|similar|not|also|no|lower|higher"
    r"|available|assessed|analy[sz]ed|recorded|including|compared|measured|based"
    r"|obtained|collected"
    r"|reported|calculated|evaluated|defined|adjusted|met|reached|reduced|increased|significantly|observed|used"
    r"|tested|summari[sz]ed"
    r"|prespecified|as follows|achieved|seen|found|considered|missing|still|\w+ed(?= (?:to|in|by|with|for|at|on|as|from"
    r"|using|between)\b|$)|chosen|made|examined|outcomes? of|composite of$|the following)\b"
)
_CUT: Final = rx(
    r",? (?:and|while|whereas) (?:the )?(?:key )?(?:secondary|primary|other|co-primary)\b|,? (?:defined"
    r"|measured|assessed|ascertained|recorded|evaluated|determined|calculated|obtained|estimated"
    r"|expressed|based)\b|:"
    r"|,? as (?:measured|assessed|defined)\b|, (?:which|and|with) "
    r"|,? (?:at|after|within|over|during|from baseline) (?:the )?(?:\d|one|two|three|six|twelve|week|month|day|year"
    r"|end|follow|to)"
)
# A list of outcomes says this once for all of them.
# A list within a composite, or one that answers two lists at once, names no outcomes of its own.
_OF_BOTH: Final = rx(r"\bcomposite of\b|\brespectively\b")
# `the incidence, severity and treatment of rejection`: none of them is an outcome without what it is of.
_HEAD_ALONE: Final = rx(
    r"(?:the |an? |mean )?(?:incidence|severity|treatment|outcome|rates?|numbers?|times?|types?|duration|frequency"
    r"|intensity|prevalence"
    r"|proportion|percentage|changes?|levels?|degree|extent|onset|location|size|dose)"
)
_SHARED: Final = rx(
    r"(?:the |an? )?(?:\w+ )?(?:changes?|incidences?|rates?|numbers?|proportions?|percentages?|differences?"
    r"|improvements?"
    r"|reductions?|levels?|effects?|occurrences?|frequency|risks?|time|duration|assessments?|measures?|scores?"
    r"|ratings?|experience|degrees?|extent|amounts?|lengths?|quality|patterns?|types?|need|costs?|utili[sz]ation|doses?"
    r"|concentrations?|prevalence|severity|components?|development|presence|use|evaluation|comparisons?)"
    r"\b(?: from baseline)? (?:in|of|to|on|from|until)\b"
)
_CUT_ZH: Final = re.compile(r"^(?:第? ?\d{1,3} ?(?:周|个月|天|年)(?:时|末)?的?)")
# A mark of citation behind a term.
_CITATION: Final = re.compile(r"(?<=[a-z]{4})\d{1,2}(?=[\s,]|$)")
# A name that breaks off, or that only points at another one.
_OPEN_END: Final = rx(
    r"\b(?:\w{4,}ly|of|the|to|in|and|or|by|with|for|a|an|at|on|any|changes?|differences?|numbers?|rates?|time|score"
    r"|respectively|years? \d|weeks? \d|months? \d|item|items)$|\bthis (?:end ?-?point|outcome)|\bcriteria$"
)
# A name that was cut within its brackets, such as `25(OH)D`, begins with the rest of them.
_REST_OF_NAME: Final = re.compile(r"\d+[A-Z]\b")
_DEFINED: Final = rx(r"\bdefined as (?P<how>[^.;]{5,250})")
_TWO_ENDS: Final = re.compile(r", [^,]*\band\b[^,]*\band\b[^,]*$", re.IGNORECASE)
_STOP: Final = frozenset(
    {
        "a", "an", "the", "of", "in", "on", "at", "to", "for", "and", "or", "with", "by", "from", "than", "as", "is",
        "was", "were", "be", "due", "because", "least", "per", "over", "any", "who", "those",
    }
)  # fmt: skip
_LEARNT: Final = (
    ("record_linkage", rx(r"\blinkage (?:to|with)\b|\blinked to\b|\bfrom the national\b[^.]{0,40}\bregist(?:er|ry)\b")),
    ("adjudication_committee", rx(r"\badjudicat\w+ (?:by|committee)|\bevents? committee\b")),
    ("self_report", rx(r"\bself-?report|\bquestionnaires?\b")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An outcome as the paper names it."""

    name: str
    role: str
    hit: Hit

    @property
    def terms(self) -> frozenset[str]:
        """The words by which a sentence can be known to speak of it."""
        return terms_of_outcome(self.name)


def terms_of_outcome(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, without their plural."""
    english = {term.rstrip("s") for term in re.findall(r"[a-z][a-z-]{2,}", text.lower()) if term not in _STOP}
    chinese = {run[i : i + 2] for run in re.findall(r"[\u4e00-\u9fff]{2,}", text) for i in range(len(run) - 1)}
    return frozenset(english | chinese)


def named_outcomes(document: Document) -> list[Outcome]:
    """Each outcome once, the primary one first. The methods name it better than the abstract."""
    found: list[Outcome] = []
    for outcome in sorted(_named_outcomes(document), key=lambda one: (one.role != "primary", one.hit.rank)):
        if any(_is_same_outcome(outcome, known) for known in found):
            continue
        found.append(outcome)
    return found[:MOST_OUTCOMES]


def _is_same_outcome(one: Outcome, other: Outcome) -> bool:
    a, b = one.terms, other.terms
    return one.name.lower() == other.name.lower() or (
        bool(a and b) and len(a & b) >= 0.75 * min(len(a), len(b)) and one.role == other.role
    )


def _named_outcomes(document: Document) -> Iterator[Outcome]:
    for sentence in prose(document, frozenset({"abstract", "methods", "body"})):
        rank = 1 if sentence.in_abstract else 0
        for role, pattern in (("primary", _PRIMARY), ("secondary", _SECONDARY)):
            found = pattern.search(sentence.text)
            if found is None:
                continue
            text = found["name"] or found["zh"]
            if _NO_NAME.match(text) or re.match(r"(?:initially|originally)\b", sentence.text, re.IGNORECASE):
                continue
            names = [text] if role == "primary" else _listed_outcomes(text)
            for name in names:
                short = _short_outcome_name(name)
                if _OPEN_END.search(short) or short.count(",") > 1 or _REST_OF_NAME.match(short):
                    continue
                if 2 <= len(short) <= 160 and re.search(r"[^\W\d]", short) and not _NO_NAME.match(short):
                    hit = Hit(value=short, sentence=sentence, start=found.start(), end=found.end(), rank=rank)
                    yield Outcome(name=short, role=role, hit=hit)


def _listed_outcomes(text: str) -> list[str]:
    """The names of a list. `Changes in weight, blood pressure and pulse` names one that can be quoted: the first."""
    if _OF_BOTH.search(text) or ":" in text:
        return []
    # The list behind `including` is what the entry before it is made of.
    text = re.split(r",? (?:including|such as|namely)\b", text)[0]
    bare = re.sub(r" ?\([^()]*\)", "", text)
    # `Bleeding, infection and oedema and stiffness`: which of the last entries belong together is not said.
    if _TWO_ENDS.search(bare):
        bare = bare[: bare.rfind(",")]
    names = items_of_list(bare)
    kept: list[str] = []
    for name in names:
        # `Organization for Research and Treatment of Cancer`: a name that was cut at its `and`.
        if kept and name[:1].isupper() and re.search(r"\b[A-Z]\w+$", kept[-1]):
            return kept[:-1]
        if _HEAD_ALONE.fullmatch(name):
            return []
        kept.append(name)
        if _SHARED.match(name):
            break
    return kept


def _short_outcome_name(name: str) -> str:
    """The name without how and when it was measured."""
    name = re.sub(r"^(?:the|an?|our) ", "", name.strip(), flags=re.IGNORECASE)
    cut = _CUT.search(name, 3)
    if cut is not None:
        name = name[: cut.start()]
    if name.count("(") > name.count(")"):
        name = name[: name.rfind("(")]
    return _CUT_ZH.sub("", _CITATION.sub("", name)).strip(" ,。.")


def outcome_answers(outcome: Outcome, key: str) -> dict[str, Answer]:
    """What is known of one outcome."""
    role = Hit(value=outcome.role, sentence=outcome.hit.sentence, start=outcome.hit.start, end=outcome.hit.end)
    text = outcome.hit.sentence.text
    defined = _DEFINED.search(text) if outcome.role == "primary" else None
    learnt = [
        Hit(value=value, sentence=outcome.hit.sentence, start=found.start(), end=found.end())
        for value, terms in _LEARNT
        if outcome.role == "primary" and (found := terms.search(text))
    ]
    return {
        "outcome_name": reported("outcome_name", outcome.hit, key),
        "outcome_role": reported("outcome_role", role, key),
        "outcome_definition": not_reported("outcome_definition", key) if defined is None else reported(
            "outcome_definition",
            Hit(value=defined["how"].strip(), sentence=outcome.hit.sentence, start=defined.start(), end=defined.end()),
            key,
        ),
        "outcome_ascertain": agreed("outcome_ascertain", learnt, key),
    }  # fmt: skip


def outcome_is_spoken_of(text: str, known: list[Outcome]) -> int | None:
    """Which outcome a sentence or a row speaks of: the one most of whose words it has; none if it is in doubt."""
    if re.search(r"\bprimary (?:outcome|end ?-?point)|主要结局", text, re.IGNORECASE):
        primary = [n for n, outcome in enumerate(known) if outcome.role == "primary"]
        return primary[0] if len(primary) == 1 else None
    terms = terms_of_outcome(text)
    shares = [(len(outcome.terms & terms) / len(outcome.terms), n) for n, outcome in enumerate(known) if outcome.terms]
    best = max(shares, default=(0.0, 0))
    tied = sum(share == best[0] for share, _ in shares)
    return best[1] if best[0] >= _NAMED_SHARE and tied == 1 else None
