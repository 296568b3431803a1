"""The questions of a review about numbers: what it compares, and which outcomes it wants of each comparison. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from ingather.extraction.template.errors import TemplateError
from ingather.names import NAME, is_visible
from ingather.notice import notice

# Comparisons times outcomes. Each is a row of numbers in every document, and a document's findings have a megabyte.
MOST_QUESTIONS: Final = 200
MOST_NAMES: Final = 20  # other names of one thing; more of them would match everything
LONGEST_NAME: Final = 200  # characters; a longer text is no name of an outcome or an arm


class OutcomeKind(StrEnum):
    """What an outcome is counted in: events of people, or a mean with its SD."""

    BINARY = "binary"
    CONTINUOUS = "continuous"


class Direction(StrEnum):
    """Which of two results is the better one."""

    HIGHER = "higher_better"
    LOWER = "lower_better"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedArm:
    """A treatment that is compared, under the name of the review and others that papers use."""

    name: str
    other_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewComparison:
    """What the review compares with what. The id stays for ever: answers hang on it."""

    id: str
    intervention: NamedArm
    comparator: NamedArm


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOutcome:
    """An outcome that the review wants of each comparison, at the preferred time where there is one."""

    id: str
    name: str
    other_names: tuple[str, ...] = ()
    kind: OutcomeKind
    direction: Direction = Direction.NEUTRAL
    timepoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQuestions:
    """Every outcome is asked of every comparison. Without a comparison or without an outcome, nothing is asked."""

    comparisons: tuple[ReviewComparison, ...] = ()
    outcomes: tuple[ReviewOutcome, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.comparisons and self.outcomes)

    @property
    def pairs(self) -> Iterator[tuple[ReviewComparison, ReviewOutcome]]:
        """The questions, in the order in which they are shown."""
        return ((comparison, outcome) for comparison in self.comparisons for outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(data: object) -> "ReviewQuestions":
        """Read from plain data, looked at as a whole. Raises TemplateError with a sentence."""
        part = _mapping_of_review_questions(data, {"comparisons", "outcomes"})
        found = ReviewQuestions(
            comparisons=tuple(
                _comparison_of_review_questions(one) for one in _list_of_review_questions(part.get("comparisons", []))
            ),
            outcomes=tuple(
                _outcome_of_review_questions(one) for one in _list_of_review_questions(part.get("outcomes", []))
            ),
        )
        _once_in_review_questions([one.id for one in found.comparisons])
        _once_in_review_questions([one.id for one in found.outcomes])
        if len(found.comparisons) * len(found.outcomes) > MOST_QUESTIONS:
            raise TemplateError(
                notice(
                    "questions.too_many",
                    "{comparisons} comparisons of {outcomes} outcomes are too many: ask at most {most} questions.",
                    comparisons=len(found.comparisons),
                    outcomes=len(found.outcomes),
                    most=MOST_QUESTIONS,
                )
            )
        return found


def lines_of_review_questions(questions: ReviewQuestions) -> Iterator[tuple[str, str]]:
    """Each comparison and each outcome on a line, for the settings of an export."""
    for one in questions.comparisons:
        arms = (_review_question_with_names(arm.name, arm.other_names) for arm in (one.intervention, one.comparator))
        yield f"comparison {one.id}", " / ".join(arms)
    for outcome in questions.outcomes:
        parts = (
            _review_question_with_names(outcome.name, outcome.other_names),
            outcome.kind,
            outcome.direction,
            outcome.timepoint,
        )
        yield f"outcome {outcome.id}", "; ".join(filter(None, parts))


def _review_question_with_names(name: str, other_names: Sequence[str]) -> str:
    return f"{name} ({', '.join(other_names)})" if other_names else name


def _comparison_of_review_questions(data: object) -> ReviewComparison:
    part = _mapping_of_review_questions(data, {"id", "intervention", "comparator"})
    return ReviewComparison(
        id=_id_in_review_questions(part.get("id")),
        intervention=_arm_of_review_questions(part.get("intervention")),
        comparator=_arm_of_review_questions(part.get("comparator")),
    )


def _arm_of_review_questions(data: object) -> NamedArm:
    part = _mapping_of_review_questions(data, {"name", "other_names"})
    return NamedArm(
        name=_name_in_review_questions(part.get("name")),
        other_names=_names_in_review_questions(part.get("other_names", [])),
    )


def _outcome_of_review_questions(data: object) -> ReviewOutcome:
    part = _mapping_of_review_questions(data, {"id", "name", "other_names", "kind", "direction", "timepoint"})
    try:
        kind, direction = OutcomeKind(str(part.get("kind"))), Direction(str(part.get("direction", "neutral")))
    except ValueError as error:
        raise TemplateError(
            notice(
                "questions.unknown_choice",
                "An outcome is of the kind {kinds}; its direction is {directions}.",
                kinds=" / ".join(OutcomeKind),
                directions=" / ".join(Direction),
            )
        ) from error
    timepoint = part.get("timepoint", "")
    return ReviewOutcome(
        id=_id_in_review_questions(part.get("id")),
        name=_name_in_review_questions(part.get("name")),
        other_names=_names_in_review_questions(part.get("other_names", [])),
        kind=kind,
        direction=direction,
        timepoint=_name_in_review_questions(timepoint) if timepoint else "",
    )


def _mapping_of_review_questions(data: object, keys: set[str]) -> Mapping[str, Any]:
    if not isinstance(data, Mapping) or not keys.issuperset(data):
        raise TemplateError(
            notice(
                "questions.wrong_form",
                "Questions have another form: here {keys} are known.",
                keys=", ".join(sorted(keys)),
            )
        )
    return data


def _list_of_review_questions(data: object) -> Sequence[Any]:
    if not isinstance(data, list | tuple):
        raise TemplateError(notice("questions.no_list", "Comparisons, outcomes and other names are lists."))
    return data


def _id_in_review_questions(data: object) -> str:
    # Ids become parts of the keys of rows, which are parted by a slash.
    if not isinstance(data, str) or not NAME.fullmatch(data):
        raise TemplateError(
            notice(
                "questions.wrong_id",
                "The id {id} is none: an id starts with a small letter and holds small letters, digits and _.",
                id=f"{str(data)[:40]!r}",
            )
        )
    return data


def _once_in_review_questions(ids: Sequence[str]) -> None:
    for at, one in enumerate(ids):
        if one in ids[:at]:
            raise TemplateError(notice("questions.id_twice", "Two of the questions have the id {id}.", id=f"{one!r}"))


def _names_in_review_questions(data: object) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(_name_in_review_questions(one) for one in _list_of_review_questions(data)))
    if len(names) > MOST_NAMES:
        raise TemplateError(
            notice("questions.too_many_names", "A thing has at most {most} other names.", most=MOST_NAMES)
        )
    return names


def _name_in_review_questions(data: object) -> str:
    name = " ".join(data.split()) if isinstance(data, str) else ""
    if not 1 <= len(name) <= LONGEST_NAME or not is_visible(name):
        raise TemplateError(
            notice("questions.wrong_name", "A name has 1 to {most} characters on one line.", most=LONGEST_NAME)
        )
    return name
