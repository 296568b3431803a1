"""Sets of ids that grow together pair by pair. Pure."""


class DisjointSets:
    """Ids in sets; each set is known by the lowest of its ids."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def _lowest_of(self, one: int) -> int:
        while (parent := self._parents.get(one, one)) != one:
            one = parent
        return one

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self._lowest_of(one), self._lowest_of(other)))
        if low != high:
            self._parents[high] = low

    def lowest(self) -> dict[int, int]:
        """Every id that is not the lowest of its set, with the one that is."""
        return {one: self._lowest_of(one) for one in sorted(self._parents)}
