"""Which of several groups a figure belongs to, where a sentence or a row of a table names more than one. Pure.

A small parsing problem. The figures of one kind and the names of the groups stand in a sentence in one of few ways:
as two lists in the same order (`A and B … 5 % and 7 %`), in turn (`5 % in A and 7 % in B`, `A, 5 %; B, 7 %`), or as
a comparison of which one side is named. Where the sentence fits none of them, nobody owns the figure.
"""

import re
from collections.abc import Sequence
from typing import Final

from ingather.extraction.proof.arm_labels import OTHER, Labels, NamedRow
from ingather.extraction.proof.figure_in_sentence import MOST_FROM_NAME, PAIR, FigureInSentence
from ingather.extraction.proof.figures import PrintedFigure
from ingather.extraction.proof.sentence_tokens import PieceKind, sentence_tokens_of

K = PieceKind
# A size of a group stands nearer to its name than a result does.
_MOST_FROM_NAME_TO_SIZE: Final = 5


def figure_owner(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], named: Sequence[NamedRow],
    sentence: tuple[int, int],
    keys: Sequence[str] = (), *, is_beside_enough: bool = True,
) -> NamedRow | None:  # fmt: skip
    """The group that a figure belongs to; None where the sentence does not say.

    `peers` are figures of its kind, `keys` the groups there are: of two, what is not the one is the other.
    Without `is_beside_enough` a name must stand close by: a total stands near names, too.
    """
    here = [
        one for one in named
        if sentence[0] <= one.start < sentence[1] and not (one.start < figure.end and figure.start < one.end)
    ]  # fmt: skip
    peers = [
        one for one in peers
        if sentence[0] <= one.start < sentence[1]
        and not any(name.start < one.end and one.start < name.end for name in here)
    ]  # fmt: skip
    if not here:
        return None
    names = _OwnerOfFigure(sentence_tokens_of(text, sentence, peers, here), figure, tuple(dict.fromkeys(keys)), peers)
    key = _owner_before_brackets(text, figure, peers, here) or names.owner(is_size=not is_beside_enough)
    if key is None:
        return None
    key = _other_owner_of_two(key, here, keys)
    return next((one for one in here if one.key == key), NamedRow(start=here[0].start, end=here[0].end, key=key))


_DOSE: Final = re.compile(r"[^()\[\].;]{0,60}")
_OF_A_DOSE: Final = re.compile(
    r"(?<![a-z])(?:patients|women|groups?|arms?|alone|per|days?|daily|micro[a-z]*|mcg|units?|every|each|weeks?|weekly"
    r"|months?|monthly|hours?|cycles?|times|once|twice|three|four|orally|oral|intravenous\w*|treatment|therapy)(?![a-z])"
)
_JOINS: Final = re.compile(r"(?<![a-z])(?:and|or|vs\.?|versus|than|compared)(?![a-z])|,")


def _owner_before_brackets(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], here: Sequence[NamedRow]
) -> str | None:
    """`A 100 mg (orally, once a day; n = 313)`: what brackets hold alone belongs to the name right before them."""
    for found in re.finditer(r"[(\[{]([^()\[\]{}]|\([^()]*\)|\[[^\[\]]*\])*[)\]}]", text):
        start, end = found.span()
        if not start < figure.start < end:
            continue
        inside = [one for one in peers if start < one.start < end]
        if len(inside) > 1 or any(start < one.start < end for one in here):
            return None
        name = next((one for one in reversed(here) if one.end <= start), None)
        if name is None or any(name.end <= one.start < start for one in peers):
            return None
        between = text[name.end : start]
        is_near = _DOSE.fullmatch(between) and not _JOINS.search(between)
        is_plain = len(re.findall(r"[a-z]{3,}", _OF_A_DOSE.sub("", between))) <= 1
        return name.key if is_near and is_plain and not _is_compared_owner(text, name, here) else None
    return None


def _is_compared_owner(text: str, name: NamedRow, here: Sequence[NamedRow]) -> bool:
    """`lower in A than in B (5 %)`, with one figure: it may be a difference."""
    other = next((one for one in reversed(here) if one.end <= name.start and one.key != name.key), None)
    return other is not None and not re.search(r"[0-9]", text[other.end : name.start]) and (
        re.search(r"(?<![a-z])(?:vs\.?|versus|than|compared with|compared to)(?![a-z])", text[other.end : name.start])
        is not None
    )  # fmt: skip


def _other_owner_of_two(key: str, here: Sequence[NamedRow], keys: Sequence[str]) -> str:
    """Where a sentence names two groups and only one is known, the other one of two arms is the unknown."""
    named = {one.key for one in here}
    known = [one for one in named if one in keys]
    if key.startswith(OTHER) and len(set(keys)) == PAIR and len(named) == PAIR and len(known) == 1:
        return next(one for one in keys if one != known[0])
    return key


def owner_by_custom(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], labels: Labels, sentence: tuple[int, int],
    before: str,
) -> str | None:  # fmt: skip
    """Of a pair in a sentence that names no group, the group in its place in the sentence before that names both.

    Papers keep the order of their groups: `… 24 % with A and 31 % with B. Overall survival was 51 versus 47 months.`
    """
    peers = [one for one in peers if sentence[0] <= one.start < sentence[1]]
    run = FigureInSentence(sentence_tokens_of(text, sentence, peers, ()), figure, ()).run
    keys = labels.keys
    if len(run) != PAIR or len(keys) != PAIR or _SUBGROUPS.search(text, *sentence):
        return None
    for found in reversed(re.split(r"(?<=[.;]) ", before)):
        named = labels.mentions(found)
        order = list(dict.fromkeys(one.key for one in named))
        if any(one.startswith(OTHER) for one in order):
            return None
        if len(order) == PAIR and re.search(r"[0-9]", found):
            if re.search(r"(?:than|compared (?:with|to)|versus|vs\.?|over)(?: [a-z]+){0,2} $", found[: named[0].start]):
                return None
            return order[[one.start for one in run].index(figure.start)]
    return None


# A sentence that speaks of groups which we do not know by name has an order of its own.
_SUBGROUPS: Final = re.compile(
    r"(?<![a-z])(?:subgroups?|aged|years old|men|males?|tumou?rs?|stage|baseline|before)(?![a-z])"
)


class _OwnerOfFigure(FigureInSentence):
    """The names that may claim a figure, and the one that has it."""

    def owner(self, *, is_size: bool) -> str | None:
        if len(self._run) > 1:
            return self._of_list()
        if is_size:
            return self._of_size()
        return self._of_single(MOST_FROM_NAME) or self._only_name()

    def _of_size(self) -> str | None:
        """A number of people: `A (n = 50)`, `50 patients received A`."""
        behind, before = self._name_given_behind(self._at), self._name_before(self._at)
        names = {one.key for one in self._tokens if one.kind is K.NAME}
        has_several = any(one.term in {"arms", "groups"} for one in self._tokens)
        if len(self._figures) == 1 and (len(names) > 1 or has_several):
            return None  # one number of people for several groups
        if before is not None:
            between = self._tokens[before + 1 : self._at]
            is_called_n = [one.term for one in between[-2:]] in (["n", "="], ["n", ":"], ["=", "n"])
            farthest = _MOST_FROM_NAME_TO_SIZE if is_called_n else 0
            is_free = all(one.kind in {K.OPEN, K.LIGHT, K.AND, K.TERM} for one in between)
            is_listed = any(one.kind is K.AND and one.term != "," for one in between)
            terms = sum(one.kind is K.TERM for one in between)
            if is_free and not is_listed and terms <= farthest:
                return self._tokens[before].key
        return self._tokens[behind].key if behind is not None else None

    def _of_single(self, farthest: int) -> str | None:
        """The name given right behind a figure, or the last one before it that has no figure yet."""
        behind, before = self._name_given_behind(self._at), self._name_before(self._at)
        if behind is not None and before is not None:
            to_behind, to_before = self._cost(self._at, behind), self._cost(before, self._at)
            if self._tokens[behind].key == self._tokens[before].key:
                return self._tokens[before].key
            if to_before == 0 and not self._opens(before, self._at):
                return self._tokens[before].key
            return self._tokens[behind].key if to_behind <= to_before else None
        if behind is not None:
            return self._tokens[behind].key
        if before is not None and self._cost(before, self._at) <= farthest:
            return self._tokens[before].key
        return None

    def _opens(self, one: int, other: int) -> bool:
        """Whether a bracket with several figures opens between two tokens."""
        return any(token.kind is K.OPEN for token in self._tokens[one + 1 : other])

    def _name_before(self, at: int) -> int | None:
        """The last name before a figure, with no other figure between and none that it was given to already."""
        for n in range(at - 1, -1, -1):
            kind = self._tokens[n].kind
            if kind in {K.FIGURE, K.BREAK}:
                return None
            if kind is K.NAME:
                between = self._tokens[n + 1 : at]
                opening = next((m for m, one in enumerate(between) if one.kind is K.OPEN), None)
                if opening is not None and any(one.kind is K.TERM for one in between[opening:]):
                    return None  # `A had less (X 5 %, …`: a name that we do not know
                return None if self._is_taken(n) or self._is_among_several(n) else n
        return None

    def _is_taken(self, n: int) -> bool:
        """`5 % in A and 7 %`: the figure before it was given to the name."""
        figure = next((m for m in range(n - 1, -1, -1) if self._tokens[m].kind is K.FIGURE), None)
        return figure is not None and self._name_given_behind(figure) == n and self._cost(n, self._at) > 0

    def _is_among_several(self, n: int) -> bool:
        """`A was better than B (41 %)`, `A and B: 41 %`: the figure is of both, or of the first."""
        for m in range(n - 1, -1, -1):
            one = self._tokens[m]
            if one.kind in {K.FIGURE, K.BREAK}:
                return False
            if one.kind is K.NAME and one.key != self._tokens[n].key:
                return self._cost(n, self._at) > 0
        return False

    def _only_name(self) -> str | None:
        """The one group of a sentence that compares nothing."""
        names = [n for n, one in enumerate(self._tokens) if one.kind is K.NAME]
        if len({self._tokens[n].key for n in names}) != 1 or any(
            one.kind in {K.AGAINST, K.RESPECTIVELY} or one.term in {"group", "groups", "arm", "arms", "both", "other"}
            for one in self._tokens
        ):
            return None
        return self._tokens[names[0]].key if len(self._figures) == 1 or names[0] < self._figures[0] else None
