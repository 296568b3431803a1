"""A sentence with one of its figures: the lists that figures and names of groups stand in. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from ingather.extraction.proof.arm_labels import OTHER
from ingather.extraction.proof.figures import PrintedFigure
from ingather.extraction.proof.sentence_tokens import PieceKind, SentencePiece, sentence_tokens_of

K = PieceKind
# Between two sides of a comparison may stand this many words: `5.2 cm after a week compared with 6.1 cm`.
_MOST_COMPARED: Final = 7
# Between a figure and the name behind it. More is another statement.
MOST_TO_NAME: Final = 6
# Between a list of figures and its names, and between a name and the figure behind it.
MOST_FROM_NAME: Final = 24
# A word that parts costs as much as so many words: a comma or `and`, and `versus`.
_PARTS: Final = 4
PAIR: Final = 2
# Words this near to one another are of one phrase.
NEAR: Final = 4
_LESS: Final = re.compile(r"fewer|less|lower(?:ed|s)?|shorter|smaller|reduc\w+|decreas\w+|inferior")
_MORE: Final = re.compile(r"more|higher|greater|longer|larger|increas\w+|raised")
_SEVERAL: Final = re.compile(r"either|between|both|each|one|compar\w+")


class FigureInSentence:
    """One sentence as tokens, with the figure that is asked about."""

    def __init__(
        self,
        tokens: list[SentencePiece],
        figure: PrintedFigure,
        keys: Sequence[str],
        peers: Sequence[PrintedFigure] = (),
    ) -> None:
        values = {one.start: one.value for one in peers}
        self._tokens = tokens
        self._keys = keys
        self._at = next(n for n, one in enumerate(tokens) if one.kind is K.FIGURE and one.start == figure.start)
        self._values = {
            n: value for n, one in enumerate(tokens) if (value := values.get(one.start)) is not None
        }  # fmt: skip
        self._figures = [n for n, one in enumerate(tokens) if one.kind is K.FIGURE]
        self._run = self._list_of(self._at)

    @property
    def run(self) -> list[SentencePiece]:
        return [self._tokens[n] for n in self._run]

    # Lists of figures.

    def _list_of(self, at: int) -> list[int]:
        """The figures that stand in one list with one of them; of mixed links only what is compared."""
        place = self._figures.index(at)
        first = last = place
        while first > 0 and self._link(first - 1):
            first -= 1
        while last + 1 < len(self._figures) and self._link(last):
            last += 1
        links = [self._link(n) for n in range(first, last)]
        if K.AGAINST in links and K.AND in links:
            first, last = place, place
            while first > 0 and self._link(first - 1) is K.AGAINST:
                first -= 1
            while last + 1 < len(self._figures) and self._link(last) is K.AGAINST:
                last += 1
        return self._figures[first : last + 1]

    def _link(self, n: int) -> PieceKind | None:
        """What joins a figure to the next one in a list: `and`, or a comparison, if anything does."""
        between = self._tokens[self._figures[n] + 1 : self._figures[n + 1]]
        kinds = [one.kind for one in between]
        terms = kinds.count(K.TERM) + kinds.count(K.GIVES)
        if any(kind in {K.NAME, K.BREAK, K.OPEN, K.CLOSE, K.RESPECTIVELY} for kind in kinds):
            return None
        if K.AGAINST in kinds:
            return K.AGAINST if terms <= _MOST_COMPARED else None
        is_only_comma = all(one.term == "," for one in between if one.kind is K.AND)
        if is_only_comma and K.LIGHT in kinds:
            return None  # `Of 81 patients, 41 received …`
        return K.AND if K.AND in kinds and not terms else None

    def _of_list(self) -> str | None:
        """The name in the same place of a list of names behind or before, or the named side of a comparison."""
        place, count = self._run.index(self._at), len(self._run)
        for names in (self._names_behind(count), self._names_before(count), self._names_around()):
            if len(names) == count:
                return names[place]
        return self._of_compared(place) if count == PAIR else None

    def _names_around(self) -> list[str]:
        """`A had a lower rate (5 % v 7 %) and a shorter stay (3 v 4 days) than B`: one before all, one behind all."""
        names = [n for n, one in enumerate(self._tokens) if one.kind is K.NAME]
        keys = list(dict.fromkeys(self._tokens[n].key for n in names))
        if len(keys) != PAIR or self._link(self._figures.index(self._run[0])) is not K.AGAINST:
            return []
        firsts = [n for n in names if self._tokens[n].key == keys[0]]
        seconds = [n for n in names if self._tokens[n].key == keys[1]]
        is_around = firsts[-1] < self._figures[0] and seconds[0] > self._figures[-1]
        return keys if is_around and self._is_second(seconds[0]) else []

    def _names_behind(self, count: int) -> list[str]:
        """`5 and 7 % in A and B`: names in a list behind the last figure, past other lists like it."""
        names: list[str] = []
        terms, is_joined = 0, True
        for n, token in enumerate(self._tokens[self._run[-1] + 1 :], start=self._run[-1] + 1):
            if token.kind is K.BREAK or (token.kind is K.FIGURE and (names or len(self._list_of(n)) != count)):
                break
            is_joined = is_joined or token.kind in {K.AND, K.AGAINST}
            if token.kind is K.NAME and token.key not in names:
                if not is_joined:
                    break
                names.append(token.key)
                terms, is_joined = 0, False
            elif token.kind is K.TERM:
                terms += 1
                if terms > (MOST_TO_NAME if names else MOST_FROM_NAME):
                    break
            if len(names) == count:
                return names
        return []

    def _names_before(self, count: int) -> list[str]:
        """`A and B … 5 and 7 %`: the last names before the list, past other lists like it."""
        window: list[SentencePiece] = []
        for n in range(self._run[0] - 1, -1, -1):
            token = self._tokens[n]
            if token.kind is K.FIGURE and not self._is_passed(n, count):
                break
            if token.kind is not K.NAME:
                continue
            if any(one.key == token.key for one in window):
                window = [one for one in window if one.key != token.key] if len(window) < count else window
                if len(window) == count:
                    break
            elif len(window) == count:
                # More groups than figures: the nearest names are those meant only if they stand in a list of their own.
                return [] if self._is_joined(token, window[-1]) else self._in_order(window)
            window.append(token)
        return self._in_order(window) if len(window) == count else []

    def _is_passed(self, n: int, count: int) -> bool:
        """Whether a figure is of a list of the same length, or the list asked about compares or says its order."""
        is_compared = count == PAIR and self._link(self._figures.index(self._run[0])) is K.AGAINST
        return len(self._list_of(n)) == count or is_compared or self._says_respectively()

    def _says_respectively(self) -> bool:
        behind = self._tokens[self._run[-1] + 1 :]
        stop = next((n for n, one in enumerate(behind) if one.kind in {K.FIGURE, K.BREAK}), len(behind))
        return any(one.kind is K.RESPECTIVELY for one in behind[:stop])

    def _is_joined(self, one: SentencePiece, other: SentencePiece) -> bool:
        """Whether two names stand in one list of names."""
        a, b = self._tokens.index(one), self._tokens.index(other)
        return all(token.kind in {K.AND, K.AGAINST, K.LIGHT, K.GIVES} for token in self._tokens[a + 1 : b])

    def _in_order(self, window: Sequence[SentencePiece]) -> list[str]:
        """The names in the order of their figures: that of the text, or turned behind `Compared with A, B …`."""
        names = sorted(window, key=lambda one: one.start)
        first = self._tokens.index(names[0])
        if len(names) == PAIR and self._is_second(first):
            return self._by_direction(names)
        return [one.key for one in names]

    def _by_direction(self, names: Sequence[SentencePiece]) -> list[str]:
        """`Compared with B, A had fewer (39 % v 13 %)`: papers write these in either order, so the size decides."""
        between = self._tokens[self._tokens.index(names[1]) : self._run[0]]
        is_less = any(_LESS.fullmatch(one.term) for one in between)
        is_more = any(_MORE.fullmatch(one.term) for one in between)
        first, second = self._values[self._run[0]], self._values[self._run[1]]
        if is_less == is_more or first == second:
            return []
        keys = [names[1].key, names[0].key]
        return keys if (first < second) == is_less else keys[::-1]

    def _is_second(self, n: int) -> bool:
        """Whether a name is what something is compared with: `than in A`, `compared with A`."""
        before = list(self._tokens[max(0, n - 5) : n])
        while before and before[-1].kind in {K.LIGHT, K.GIVES}:
            before.pop()
        return bool(before) and before[-1].kind is K.AGAINST

    def _of_compared(self, place: int) -> str | None:
        """A comparison of two figures, of which one side is named, or one before it and one behind it."""
        is_against = self._link(self._figures.index(self._run[0])) is K.AGAINST
        before = self._last_name_before()
        behind = self._name_given_behind(self._run[-1])
        if before is not None and behind is not None and self._tokens[before].key != self._tokens[behind].key:
            return self._tokens[(before, behind)[place]].key if is_against else None
        if not is_against or len({one.key for one in self._tokens if one.kind is K.NAME}) != 1:
            return None
        at = before if before is not None else next(n for n, one in enumerate(self._tokens) if one.kind is K.NAME)
        key = self._tokens[at].key
        others = [one for one in self._keys if one != key]
        if key.startswith(OTHER) or len(others) != 1:
            return None
        between = self._tokens[self._run[0] + 1 : self._run[1]]
        if self._tokens[self._run[1] + 1 : self._run[1] + 2] == [self._tokens[at]]:
            return key if place == 1 else others[0]  # `5 % with X versus 7 % A`
        if any(one.kind in {K.TERM, K.OPEN} for one in between):
            return None  # `5 % (X) versus 7 %`: the other side has a name that we do not know
        if behind is not None and before is None:
            # `5 % versus 7 % in A`: whether both or the last are of A is not said.
            is_in_brackets = any(one.kind is K.CLOSE for one in self._tokens[self._run[-1] : at])
            if not is_in_brackets:
                return None
        if self._says_respectively() or (self._is_second(at) and at < self._run[0] and self._is_at_start(at)):
            return None
        if before is None and not any(_LESS.fullmatch(one.term) or _MORE.fullmatch(one.term) for one in self._tokens):
            return None
        is_mine = (place == 1) == self._is_second(at)
        return key if is_mine else others[0]

    def _is_at_start(self, at: int) -> bool:
        """`Compared with A, the other …`: papers write these in either order."""
        return any(one.term == "," for one in self._tokens[at + 1 : at + 3])

    def _last_name_before(self) -> int | None:
        for n in range(self._run[0] - 1, -1, -1):
            kind = self._tokens[n].kind
            if kind is K.NAME:
                return n
            if kind is K.FIGURE and len(self._list_of(n)) != len(self._run):
                return None
        return None

    def _name_given_behind(self, at: int) -> int | None:
        """`41 patients received A`, `5 % with A`: a name behind with a word that gives the figure to it."""
        terms, is_given = 0, False
        for n in range(at + 1, len(self._tokens)):
            kind = self._tokens[n].kind
            if kind is K.NAME:
                if not (is_given or (terms == 0 and (n == at + 1 or self._closes(n)))):
                    return None
                return None if self._is_one_of_several(n) else n
            if kind is K.GIVES or self._tokens[n].term == "of":
                is_given = True
            elif kind is K.TERM:
                terms += 1
                if terms > MOST_TO_NAME or _SEVERAL.fullmatch(self._tokens[n].term):
                    return None
            elif kind is K.AND and self._tokens[n].term == "to":
                is_given = True  # `randomised to A`
            elif self._tokens[n].term == "," and n == at + 1 and self._is_closing_name(n + 1):
                return n + 1  # `2.0 %, A; 1.4 %, B`
            elif kind not in {K.LIGHT, K.CLOSE}:
                return None
        return None

    def _is_closing_name(self, n: int) -> bool:
        return n < len(self._tokens) and self._tokens[n].kind is K.NAME and self._closes(n)

    def _closes(self, n: int) -> bool:
        """`53 % [1386/2620] A; 50 % …`: nothing of the statement follows behind a name."""
        return n + 1 == len(self._tokens) or self._tokens[n + 1].kind in {K.BREAK, K.CLOSE, K.AGAINST}

    def _is_one_of_several(self, n: int) -> bool:
        """`5408 women were assigned to A or B`: another name follows, no figure between."""
        behind = self._tokens[n + 1 :]
        stop = next((m for m, one in enumerate(behind) if one.kind in {K.FIGURE, K.BREAK}), len(behind))
        if any(one.term == "either" for one in behind[:NEAR]):
            return True
        join = next((m for m, one in enumerate(behind[:stop]) if one.term in {"or", "versus", "vs", "vs."}), None)
        if join is None:
            join = next((m for m, one in enumerate(behind[:stop]) if one.kind not in {K.LIGHT, K.CLOSE}), None)
            if join is None or behind[join].term not in {"and", "/"}:
                return False
        name = next((m for m in range(join, stop) if behind[m].kind is K.NAME), None)
        if name is None:
            return behind[join].term == "or" and stop == len(behind)
        return stop == len(behind) or behind[stop].kind is not K.FIGURE or stop > name + NEAR

    def _cost(self, one: int, other: int) -> int:
        """How much stands between two tokens, in words."""
        kinds = [token.kind for token in self._tokens[one + 1 : other]]
        parting = sum(kind in {K.AND, K.AGAINST, K.BREAK} for kind in kinds)
        return kinds.count(K.TERM) + _PARTS * parting


def figures_in_list_of_sentence(
    text: str, figure: PrintedFigure, peers: Sequence[PrintedFigure], sentence: tuple[int, int]
) -> list[PrintedFigure]:
    """The figures of a sentence that stand in one list with this one."""
    peers = [one for one in peers if sentence[0] <= one.start < sentence[1]]
    run = FigureInSentence(sentence_tokens_of(text, sentence, peers, ()), figure, ()).run
    starts = {token.start for token in run}
    return [one for one in peers if one.start in starts]
