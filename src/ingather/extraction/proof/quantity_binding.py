"""Quantities with their units, and P values, bound to their quotes. Pure."""

import re
from decimal import Decimal, InvalidOperation
from typing import Final

from ingather.extraction.findings import Reason
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.proof.bound import Bound, Stretch, Subject, unbound
from ingather.extraction.proof.cues import Cues, cue_mentions
from ingather.extraction.proof.figure_binding import FigureReader
from ingather.extraction.proof.figure_kind import FigureKind
from ingather.extraction.proof.figure_outcome import outcome_of_figure
from ingather.extraction.proof.figure_time import figure_time_in_days
from ingather.extraction.proof.governing import governing_cue
from ingather.extraction.proof.owners import figure_owner
from ingather.extraction.template.model import Field, Scope

_QUANTITY: Final = re.compile(r"([-+]?[0-9][0-9.,]*)\s*(.*)")
_P: Final = re.compile(r"(?:p\w*\s*)?([=<>\u2264\u2265]?)\s*([0-9]*\.?[0-9]+)")
_PERSON_TIME: Final = {
    "person_years": r"(?:person|patient)[- ]?years?|人年",
    "person_months": r"(?:person|patient)[- ]?months?|人月",
    "person_days": r"(?:person|patient)[- ]?days?|人日",
}


def bind_quantity(field: Field, value: str, reader: FigureReader, cues: Cues, subject: Subject) -> Bound:
    """A number with its unit: the figure, the unit beside it, and the words that make it this field's."""
    found = _QUANTITY.fullmatch(fold_text(value).text)
    if found is None:
        return unbound(Reason.PARAPHRASE)
    try:
        number = Decimal(found[1].replace(",", ""))
    except InvalidOperation:
        return unbound(Reason.PARAPHRASE)
    candidates = reader.candidates(number)
    if not candidates:
        return unbound(Reason.PART_OF_NAME)
    fitting = [n for n in candidates if _quantity_has_unit(reader, n, number, found[2].strip())]
    if not fitting:
        figure = reader.figures[candidates[0]]
        return unbound(Reason.OTHER_MEASURE, (figure.start, figure.end))
    outcomes = [_bind_quantity(field, n, reader, cues, subject) for n in fitting]
    return next((one for one in outcomes if one.reason is None), outcomes[0])


def _quantity_has_unit(reader: FigureReader, n: int, number: Decimal, unit: str) -> bool:
    """Whether the unit stands behind the figure, in any of its forms."""
    figure, text = reader.figures[n], reader.passage.text
    if figure.is_name or FigureKind.AGE in reader.kinds[n]:
        return False
    if not unit:
        return True
    behind = text[figure.end : figure.end + 40]
    if pattern := _PERSON_TIME.get(unit):
        return re.match(rf" ?(?:{pattern})", behind) is not None
    mine = figure_time_in_days(f"{number} {unit}")
    if mine is not None and figure.is_time:
        theirs = figure_time_in_days(f"{number} {figure.unit}")
        return theirs is not None and theirs == mine
    squashed, wanted = re.sub(r"[\s.·/-]+", "", behind), re.sub(r"[\s.·/-]+", "", unit)
    return squashed.startswith(wanted[:12]) or (
        bool(figure.unit) and wanted.startswith(re.sub(r"[\s.·/-]+", "", figure.unit))
    )


def _bind_quantity(field: Field, n: int, reader: FigureReader, cues: Cues, subject: Subject) -> Bound:
    figure, text = reader.figures[n], reader.passage.text
    place: Stretch = (figure.start, figure.end)
    sentence = reader.passage.sentence(figure.start)
    peers = [
        one
        for one in reader.figures
        if not one.is_name and one.is_time == figure.is_time and bool(one.unit) == bool(figure.unit)
    ]
    own = [one for one in cue_mentions(cues.speaks, text) if sentence[0] <= one.start < sentence[1]]
    subjects: tuple[Stretch, ...] = ()
    if cues.speaks:
        rivals = cue_mentions(cues.rivals, text)
        others = [one for one in peers if one.start != figure.start]
        if field.scope is not Scope.STUDY:
            others = []
        reach = governing_cue(text, figure, others, own, rivals, sentence)
        if reach is None:
            return unbound(Reason.OTHER_MEASURE if own else Reason.NO_CUE, place)
        subjects = ((reach.cue.start, reach.cue.end),)
    named = subject.arm_labels.mentions(text) if subject.arm_labels else []
    if field.scope is Scope.ARM and subject.arms and named:
        whose = figure_owner(text, figure, peers, named, sentence)
        if whose is not None and whose.key not in subject.arms and not whose.key.startswith("?"):
            return unbound(Reason.OTHER_ARM, place)
    if subject.outcome and "person" in field.id:
        outcome = outcome_of_figure(text, figure, peers, subject.outcome, subject.outcomes, named, sentence)
        if isinstance(outcome, Reason):
            return unbound(outcome, place)
    return Bound(values=(place,), subjects=subjects)


def bind_p_quantity(value: str, reader: FigureReader, subject: Subject) -> Bound:
    """A P value, with its comparator as printed, of the row's outcome."""
    found = _P.search(fold_text(value).text)
    if found is None:
        return unbound(Reason.PARAPHRASE)
    candidates = reader.candidates(Decimal(found[2]))
    if not candidates:
        return unbound(Reason.PART_OF_NAME)
    outcomes = [_bind_p_quantity(n, found[1], reader, subject) for n in candidates]
    return next((one for one in outcomes if one.reason is None), outcomes[0])


def _bind_p_quantity(n: int, comparator: str, reader: FigureReader, subject: Subject) -> Bound:
    figure, text = reader.figures[n], reader.passage.text
    place: Stretch = (figure.start, figure.end)
    if not subject.trusts_symbols:
        return unbound(Reason.SIGNS, place)
    if FigureKind.P not in reader.kinds[n] or (comparator.strip("=") != figure.comparator):
        return unbound(Reason.OTHER_MEASURE, place)
    if not subject.outcome:
        return Bound(values=(place,))
    peers = [one for one, kinds in zip(reader.figures, reader.kinds, strict=True) if FigureKind.P in kinds]
    named = subject.arm_labels.mentions(text) if subject.arm_labels else []
    outcome = outcome_of_figure(
        text, figure, peers, subject.outcome, subject.outcomes, named, reader.passage.sentence(figure.start)
    )
    if isinstance(outcome, Reason):
        return unbound(outcome, place)
    return Bound(values=(place,), subjects=((outcome.start, outcome.end),))
