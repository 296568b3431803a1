"""The arms of a document with their roles: those that tables name, and which of them a question means. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ingather.engine.errors import UsageError
from ingather.extraction.findings import ArmRole, DocumentArm
from ingather.extraction.numbers.arm_match import arm_queries_of, names_control_arm
from ingather.extraction.numbers.arms import arms_of
from ingather.extraction.numbers.label import TableLabel, label_of
from ingather.extraction.numbers.mentions import name_as_mentioned
from ingather.extraction.numbers.pairing import paired_cells
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersQuestion
from ingather.notice import notice

# More arms than this has no trial; the list is most likely another one.
_MOST_ARMS = 20
_MOST_NAMES = 20
# A longer text, in characters, is no name of an arm.
_LONGEST_NAME = 200
_N = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,7}")
_SIDES = (ArmRole.INTERVENTION, ArmRole.COMPARATOR)


def checked_inventory(arms: Sequence[DocumentArm]) -> tuple[DocumentArm, ...]:
    """A person's list of arms, or a sentence that says what is wrong with it. A name belongs to one arm."""
    if not 1 <= len(arms) <= _MOST_ARMS or any(len(arm.names) > _MOST_NAMES for arm in arms):
        raise UsageError(
            notice(
                "arms.how_many",
                "A document has 1 to {arms} arms, each with at most {names} names.",
                arms=_MOST_ARMS,
                names=_MOST_NAMES,
            )
        )
    seen: set[tuple[str, ...]] = set()
    for name in (name for arm in arms for name in arm.names):
        core = label_of(name).core
        if not name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME or not core:
            raise UsageError(notice("arms.no_name", "{name} cannot be the name of an arm.", name=f"{name[:40]!r}"))
        if core in seen:
            raise UsageError(
                notice(
                    "arms.name_twice", "The name {name} is there twice. A name belongs to one arm.", name=f"{name!r}"
                )
            )
        seen.add(core)
    for arm in arms:
        if arm.n and not _N.fullmatch(arm.n):
            raise UsageError(notice("arms.no_number", "{n} is no number of people.", n=f"{arm.n[:40]!r}"))
    return tuple(arms)


@dataclass(slots=True)
class _InventoryArm:
    """An arm while its names and its roles are gathered."""

    names: list[str]
    sizes: list[str]
    is_control: bool
    roles: set[ArmRole] = field(default_factory=set)

    def takes(self, label: TableLabel) -> None:
        name = name_as_mentioned(label.text) or label.text
        if label_of(name).core not in {label_of(one).core for one in self.names}:
            self.names.append(name)
        if label.n:
            self.sizes.append(label.n)

    def arm(self) -> DocumentArm:
        # In one comparison the intervention and in another the comparator: then each question goes by its words.
        role = next(iter(self.roles)) if len(self.roles) == 1 else ArmRole.OPEN if self.roles else ArmRole.OTHER
        return DocumentArm(
            name=self.names[0],
            other_names=tuple(self.names[1:]),
            role=role,
            n=self.sizes[0] if len(set(self.sizes)) == 1 else "",
        )


def inventory_of(questions: Iterable[NumbersQuestion], paper: NumbersPaper) -> tuple[DocumentArm, ...]:
    """The arms in the order of the headers, each under all the names that the questions found it by.

    What a person has confirmed stays as it is. An arm that no question meets
    is in no comparison.
    """
    if paper.known_arms:
        return tuple(paper.known_arms)
    found = [
        _InventoryArm(names=[arm.name], sizes=[arm.n] if arm.n else [], is_control=arm.is_control)
        for arm in arms_of(paper)
    ]
    for comparison in dict.fromkeys((one.intervention, one.comparator) for one in questions):
        _add_comparison_to_inventory(comparison, found, paper)
    if not any(one.roles for one in found):
        for one in found:
            one.roles.add(ArmRole.COMPARATOR if one.is_control else ArmRole.OPEN)
    return tuple(one.arm() for one in found)


def _add_comparison_to_inventory(comparison: tuple[str, str], found: list[_InventoryArm], paper: NumbersPaper) -> None:
    """Give the arms of one comparison their role, and the names that tables have for them."""
    mine: dict[ArmRole, _InventoryArm] = {}
    arms = arm_queries_of(*comparison, paper.short)
    for view in paper.views:
        for cells in paired_cells(view, arms, paper)[:1]:
            for role, side in zip(_SIDES, (cells.intervention, cells.comparator), strict=True):
                one = _named_in_inventory(side.label, found) or mine.get(role)
                if one is None:
                    one = _InventoryArm(names=[], sizes=[], is_control=names_control_arm(side.label.text))
                    found.append(one)
                mine.setdefault(role, one)
                one.takes(side.label)
                one.roles.add(role)


def _named_in_inventory(label: TableLabel, found: Sequence[_InventoryArm]) -> _InventoryArm | None:
    core = label_of(name_as_mentioned(label.text) or label.text).core
    return next((one for one in found if core in {label_of(name).core for name in one.names}), None)
