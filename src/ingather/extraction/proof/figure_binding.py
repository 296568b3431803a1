"""Numbers bound to their quotes: read from their place, of the right kind, beside their words and subject. Pure."""

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from typing import Final

from ingather.extraction.findings import Reason
from ingather.extraction.proof.arm_labels import OTHER
from ingather.extraction.proof.bound import Bound, Stretch, Subject, unbound
from ingather.extraction.proof.cues import Cues, Mention, cue_mentions
from ingather.extraction.proof.figure_in_sentence import figures_in_list_of_sentence
from ingather.extraction.proof.figure_kind import FigureKind
from ingather.extraction.proof.figure_outcome import outcome_of_figure
from ingather.extraction.proof.figure_time import figure_is_of_time
from ingather.extraction.proof.figures import PrintedFigure, printed_figures
from ingather.extraction.proof.governing import governing_cue, nearest_governing_cue
from ingather.extraction.proof.measures import measures_of_figures
from ingather.extraction.proof.owners import figure_owner, owner_by_custom
from ingather.extraction.proof.passage import QuotedPassage
from ingather.extraction.proof.totals import is_total_of_others, total_is_of_one_arm
from ingather.extraction.proof.wanted import Wanted, kinds_wanted
from ingather.extraction.template.model import Field, Scope

M = FigureKind
_RANGES: Final = frozenset((M.CI_LOW, M.CI_HIGH, M.Q1, M.Q3, M.MIN, M.MAX))
# The order in which reasons say more: the further the code came, the later.
_DEPTH: Final = (
    Reason.PART_OF_NAME, Reason.OTHER_MEASURE, Reason.NO_CUE, Reason.NO_SUBJECT, Reason.OTHER_TIME,
    Reason.OTHER_OUTCOME, Reason.OTHER_ARM,
)  # fmt: skip


# Things that people did before they came into a study are no count of it: `women who completed treatment were
# randomised`.
_WHO: Final = re.compile(r"(?<![a-z])(?:who|that|whose)(?: (?:had|have|were|has|was))? ?$")


# Smaller numbers are the sum of others by chance.
_LEAST_SUM: Final = 10


class FigureReader:
    """The figures of a passage and their kinds; read once for all fields that quote it."""

    def __init__(self, passage: QuotedPassage) -> None:
        self.passage = passage
        self.figures = printed_figures(passage.text)
        self.kinds = measures_of_figures(passage.text, self.figures)

    def candidates(self, value: Decimal) -> list[int]:
        """The figures within the quote that are this number."""
        return [
            n
            for n, one in enumerate(self.figures)
            if one.value == value and self.passage.start <= one.start < self.passage.end
        ]


def bind_figure(field: Field, value: Decimal, reader: FigureReader, cues: Cues, subject: Subject) -> Bound:
    """The place of a number in its quote, or why no place of it is this value's."""
    found = reader.candidates(value)
    if not found:
        return unbound(Reason.PART_OF_NAME)
    want = kinds_wanted(field)
    outcomes = [_bind_one_figure(field, n, reader, cues, subject, want) for n in found]
    for one in outcomes:
        if one.reason is None:
            return one
    return max(outcomes, key=lambda one: _DEPTH.index(one.reason) if one.reason in _DEPTH else -1)


def _bind_one_figure(field: Field, n: int, reader: FigureReader, cues: Cues, subject: Subject, want: Wanted) -> Bound:
    figure, text = reader.figures[n], reader.passage.text
    place = (figure.start, figure.end)
    if figure.is_name:
        return unbound(Reason.PART_OF_NAME, place)
    if cues.place == "front" and _bound_figure_is_masthead(reader, figure, cues):
        return Bound(values=(place,))
    if not bound_figure_fits_field(reader, n, want, subject):
        return unbound(Reason.OTHER_MEASURE, place)
    sentence = reader.passage.sentence(figure.start)
    peers = [
        one
        for m, one in enumerate(reader.figures)
        if m == n or (not one.is_name and _is_peer_of_bound_figure(reader, m, n, want, subject))
    ]
    subjects: list[Stretch] = []
    if cues.speaks:
        cue = _cue_of_bound_figure(field, figure, peers, reader, cues, sentence)
        if isinstance(cue, Reason) and want.is_people and field.scope is Scope.STUDY:
            cue = _cue_of_bound_figure_parts(figure, peers, reader, cues, sentence) or cue
        if isinstance(cue, Reason):
            return unbound(cue, place)
        subjects.append((cue.start, cue.end))
    if field.scope is Scope.STUDY:
        named = subject.arm_labels.mentions(text) if subject.arm_labels else []
        if want.is_people and total_is_of_one_arm(text, figure, peers, named, sentence):
            return unbound(Reason.OTHER_ARM, place)
        return Bound(values=(place,), subjects=tuple(subjects))
    of_row = _bound_figure_is_of_row(figure, peers, reader, subject, sentence)
    if isinstance(of_row, Reason):
        return unbound(of_row, place)
    return Bound(values=(place,), subjects=(*subjects, *of_row))


# A masthead is printed in one line at the top of the first page.
_LONGEST_MASTHEAD: Final = 160
_MASTHEAD_WITHIN: Final = 700
_YEAR: Final = re.compile(r"(?:19[5-9]|20[0-9])[0-9]")


def _bound_figure_is_masthead(reader: FigureReader, figure: PrintedFigure, cues: Cues) -> bool:
    """Whether a year stands at the top of the first page in a line that says nothing else of it."""
    text = reader.passage
    page, at = text.places[figure.start]
    is_short = text.end - text.start <= _LONGEST_MASTHEAD and _YEAR.fullmatch(text.text, figure.start, figure.end)
    is_of_something_else = any(text.start <= one.start < text.end for one in cue_mentions(cues.rivals, text.text))
    return page == 0 and at < _MASTHEAD_WITHIN and bool(is_short) and not is_of_something_else


def bound_figure_fits_field(reader: FigureReader, n: int, want: Wanted, subject: Subject) -> bool:
    """Whether a figure is of a kind that the field takes."""
    figure, kinds = reader.figures[n], reader.kinds[n]
    printed = reader.passage.text[figure.start : figure.end]
    if want.is_whole and (figure.is_percent or M.PERCENT in kinds or re.search(r"[.][0-9]", printed)):
        return False
    if M.MEAN in want.measures and M.COUNT in kinds and M.MEAN not in kinds and M.AMOUNT not in kinds:
        return False
    if want.measures >= {M.MEAN, M.AMOUNT} and M.PERCENT in kinds and _bound_figure_is_mean_percent(reader, figure):
        return True
    if not kinds & want.measures or kinds & want.barred:
        return want.is_percent and _bound_figure_is_under_percent(reader, n, subject)
    if figure.edge and not kinds & want.measures & _RANGES and not _bound_figure_is_change(reader, n):
        return False
    if (
        M.MEAN in want.measures
        and M.COUNT in kinds
        and M.MEAN not in kinds
        and any(M.MEAN in one for one in reader.kinds)
    ):
        return False
    if kinds >= {M.SD, M.SE} and subject.spread not in {str(one) for one in want.measures}:
        return False  # `±`: what the paper does not call an SD is none
    if want.measures == {M.SE} and M.SD in kinds and subject.spread != "se":
        return False
    return subject.trusts_symbols or not figure.comparator


def _bound_figure_is_mean_percent(reader: FigureReader, figure: PrintedFigure) -> bool:
    """Whether the sentence gives its percentages as means: `the mean decrease was 69 % and 96 %`."""
    before = reader.passage.text[reader.passage.sentence(figure.start)[0] : figure.start]
    return re.search(r"(?<![a-z])(?:means?|average)(?![a-z])|平均|均", before) is not None and "median" not in before


def _bound_figure_is_under_percent(reader: FigureReader, n: int, subject: Subject) -> bool:
    """A plain figure of a table row whose label or header says that it holds percentages."""
    kinds = reader.kinds[n]
    is_printed = (
        re.search(r"%|per ?cent", f"{subject.header} {reader.passage.text[: reader.figures[n].start]}") is not None
    )
    return subject.is_row and is_printed and bool(kinds & {M.PLAIN, M.COUNT}) and not kinds & {M.EVENTS}


def _bound_figure_is_change(reader: FigureReader, n: int) -> bool:
    """`rose from 5.1 to 6.2` is no range."""
    first = reader.figures[n if reader.figures[n].edge == "low" else n - 1]
    before = reader.passage.text[max(0, first.start - 80) : first.start]
    return (
        re.search(
            r"(?:increas|decreas|reduc|improv|declin|fell|rose|chang|dropp|gain|grew|lower|went|rais)[a-z]*"
            r"[^.;]{0,60}from (?:a |an |the )?(?:mean |median )?(?:of )?$|从 ?$|由 ?$",
            before,
        )
        is not None
    )


def _is_peer_of_bound_figure(reader: FigureReader, m: int, n: int, want: Wanted, subject: Subject) -> bool:
    """Whether another figure is of the same kind, so that the two compete for the words around them."""
    one, mine = reader.figures[m], reader.figures[n]
    if want.measures & _RANGES:
        return bool(reader.kinds[m] & want.measures)
    # In `41 vs 73 %` both are percentages.
    is_share, is_mine = (
        one.is_percent or M.PERCENT in reader.kinds[m],
        mine.is_percent or M.PERCENT in reader.kinds[n],
    )
    is_average = bool(want.measures & {M.MEAN, M.MEDIAN, M.SD, M.SE})  # `7.5 v 3.8 months` are two of a kind
    if is_share != is_mine or (one.is_time != mine.is_time and not is_average):
        return False
    # A numerator and its denominator do not compete.
    if (M.EVENTS in reader.kinds[m]) != (M.EVENTS in reader.kinds[n]) and not want.measures & {M.TOTAL}:
        return False
    is_of_events = M.EVENTS in want.measures and M.TOTAL not in want.measures
    if is_of_events and (M.TOTAL in reader.kinds[m]) != (M.TOTAL in reader.kinds[n]):
        return False
    return bound_figure_fits_field(reader, m, want, subject)


def _cue_of_bound_figure(
    field: Field,
    figure: PrintedFigure,
    peers: Sequence[PrintedFigure],
    reader: FigureReader,
    cues: Cues,
    sentence: Stretch,
) -> Mention | Reason:
    """The word that makes the figure this field's, or why there is none."""
    text = reader.passage.text
    rivals = cue_mentions(cues.rivals, text)
    own = [one for one in cue_mentions(cues.speaks, text) if sentence[0] <= one.start < sentence[1]]
    own = [one for one in own if not any(_is_around_cue_of_bound_figure(rival, one) for rival in rivals)]
    others = [one for one in peers if one.start != figure.start]
    rivals = [one for one in rivals if not _WHO.search(text, max(0, one.start - 16), one.start)]
    if field.scope is Scope.STUDY:
        reach = governing_cue(text, figure, others, own, rivals, sentence)
    else:
        reach = nearest_governing_cue(text, figure, own, (), sentence)
        apart = [one for one in rivals if not any(one.start < mine.end and mine.start < one.end for mine in own)]
        rival = nearest_governing_cue(text, figure, apart, others, sentence)
        if reach and rival and rival.distance < reach.distance:
            reach = None
    if reach is not None:
        return reach.cue
    return Reason.OTHER_MEASURE if any(not one.is_negated for one in own) else Reason.NO_CUE


def _cue_of_bound_figure_parts(
    figure: PrintedFigure, peers: Sequence[PrintedFigure], reader: FigureReader, cues: Cues, sentence: Stretch
) -> Mention | None:
    """`Of 669 enrolled, 446 were randomised to A and 223 to B`: a total has the word of the parts that make it up."""
    text = reader.passage.text
    here = [one for one in peers if sentence[0] <= one.start < sentence[1] and 0 < one.value < figure.value]
    parts = next((some for count in (2, 3, 4) for some in combinations(here[:8], count)
                  if figure.value >= _LEAST_SUM and sum(one.value for one in some) == figure.value), ())  # fmt: skip
    rivals = [one for one in cue_mentions(cues.rivals, text) if sentence[0] <= one.start < sentence[1]]
    found = None
    for one in (figure, *parts):
        mine = nearest_governing_cue(text, one, cue_mentions(cues.speaks, text), (), sentence)
        others = [other for other in here if other.start != one.start]
        rival = nearest_governing_cue(text, one, rivals, others, sentence)
        if rival is not None and (mine is None or rival.distance < mine.distance):
            return None
        found = mine.cue if mine is not None and one is not figure and not found else found
    return found if parts else None


def _is_around_cue_of_bound_figure(rival: Mention, own: Mention) -> bool:
    """`randomised controlled trial` around `randomised`: the longer words say what it is."""
    return rival.start <= own.start and own.end <= rival.end and rival.end - rival.start > own.end - own.start


def _bound_figure_is_of_row(
    figure: PrintedFigure, peers: Sequence[PrintedFigure], reader: FigureReader, subject: Subject, sentence: Stretch
) -> list[Stretch] | Reason:
    """The words that name the row's arm, outcome and time, or which of them the figure is not shown to be of."""
    text = reader.passage.text
    named = subject.arm_labels.mentions(text) if subject.arm_labels else []
    found: list[Stretch] = []
    if subject.outcome:
        outcome = outcome_of_figure(text, figure, peers, subject.outcome, subject.outcomes, named, sentence)
        if isinstance(outcome, Reason):
            return outcome
        found.append((outcome.start, outcome.end))
    if subject.time is not None and not figure_is_of_time(text, figure, peers, subject.time, sentence):
        return Reason.OTHER_TIME
    if (
        subject.is_baseline is False
        and subject.time is None
        and not figure_is_of_time(text, figure, peers, 1.0, sentence)
    ):
        # The row names no time: a figure that the text gives for the beginning is still no result.
        pass
    if (
        subject.arms
        and figure.value >= _LEAST_SUM
        and is_total_of_others(figure, [one for one in peers if not one.is_percent])
    ):
        return Reason.OTHER_ARM
    if subject.arms:
        keys = subject.arm_labels.keys if subject.arm_labels else ()
        whose = figure_owner(text, figure, peers, named, sentence, keys, is_beside_enough=bool(subject.outcome))
        if whose is None and not subject.is_contrast:
            return _bound_figure_without_name(figure, peers, subject, reader, found)
        if whose is not None and whose.key not in subject.arms and not subject.is_contrast:
            return Reason.NO_SUBJECT if whose.key.startswith(OTHER) else Reason.OTHER_ARM
        if whose is not None and whose.key in subject.arms:
            found.append((whose.start, whose.end))
    return found


def _bound_figure_without_name(
    figure: PrintedFigure, peers: Sequence[PrintedFigure], subject: Subject, reader: FigureReader, found: list[Stretch]
) -> list[Stretch] | Reason:
    """Where no name in the sentence owns a figure: the only arm there is, the column, or the order kept so far."""
    text, sentence = reader.passage.text, reader.passage.sentence(figure.start)
    labels = subject.arm_labels
    if labels is None or subject.is_row:
        return _bound_figure_by_column(figure, peers, subject, reader)
    is_unnamed = not labels.mentions(text[slice(*sentence)])
    if (
        is_unnamed
        and found
        and labels.keys == subject.arms
        and len(figures_in_list_of_sentence(text, figure, peers, sentence)) == 1
    ):
        return found
    if is_unnamed and found:
        before = f"{reader.passage.before} {text[: sentence[0]]}"
        key = owner_by_custom(text, figure, peers, labels, sentence, before)
        if key is not None:
            return found if key in subject.arms else Reason.OTHER_ARM
    return Reason.NO_SUBJECT


def _bound_figure_by_column(
    figure: PrintedFigure, peers: Sequence[PrintedFigure], subject: Subject, reader: FigureReader
) -> list[Stretch] | Reason:
    """Where a row of a table names no group, its header does: the order says whose figure it is."""
    sentence = reader.passage.sentence(figure.start)
    here = [one for one in peers if sentence[0] <= one.start < sentence[1]]
    groups = subject.columns if subject.is_row else ()
    if not groups or len(here) != len(groups):
        return Reason.NO_SUBJECT
    place = next(n for n, one in enumerate(here) if one.start == figure.start)
    return [] if groups[place] in subject.arms else Reason.OTHER_ARM
