"""The flow of studies through a review, as PRISMA 2020 draws it: the counts that exist, and a box for each. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ingather.extraction.analysis.cells import Cells, study_key
from ingather.extraction.analysis.comparisons import Comparison
from ingather.extraction.analysis.picture_labels import ENGLISH, PictureLabels
from ingather.extraction.analysis.svg import drawing, text_at
from ingather.extraction.findings import DocumentResult

# Sizes in pixels: a box, the room between two, and the two columns of boxes.
BOX_WIDTH, BOX_HEIGHT, ROOM, LEFT, RIGHT = 300, 56, 28, 12, 372
# A line of a box with reasons, and how many reasons are drawn; more of them stand in one line.
LINE, MOST_REASONS = 17, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowCounts:
    """How many records, reports and studies there were at each step; nothing where nobody has recorded it."""

    identified: int | None = None
    duplicates: int | None = None
    screened: int | None = None
    excluded: int | None = None
    sought: int | None = None
    not_retrieved: int | None = None
    assessed: int | None = None
    excluded_reports: int | None = None
    reasons: Mapping[str, int] = field(default_factory=dict)
    included: int | None = None
    reports: int | None = None
    analysed: int | None = None


class FlowTally:
    """What the documents of a task alone say of the flow: nothing of the search, and all of the reading."""

    def __init__(self) -> None:
        self._documents = 0
        self._read = 0
        self._studies: set[str] = set()

    def add(self, document: DocumentResult) -> None:
        self._documents += 1
        if document.state == "completed":
            self._read += 1
            self._studies.add(study_key(document, Cells(document)))

    def counts(self, comparisons: Iterable[Comparison]) -> FlowCounts:
        return FlowCounts(
            sought=self._documents,
            not_retrieved=self._documents - self._read,
            assessed=self._read,
            included=len(self._studies),
            reports=self._read,
            analysed=len({one.study_key for one in comparisons}),
        )


def counted_flow(recorded: FlowCounts | None, of_task: FlowCounts) -> FlowCounts:
    """The flow that the project has recorded, with what the task's comparisons add to it; else that of the task."""
    return of_task if recorded is None else replace(recorded, analysed=of_task.analysed)


def draw_flow(counts: FlowCounts, labels: PictureLabels = ENGLISH) -> str:
    """Boxes from the search to the analysis. A count that nobody has recorded is said to be none."""
    reasons = _reason_lines(counts)
    steps: list[tuple[list[str], list[str]]] = [
        ([_line("identified", counts.identified, labels)], [_line("duplicates", counts.duplicates, labels)]),
        ([_line("screened", counts.screened, labels)], [_line("excluded", counts.excluded, labels)]),
        ([_line("sought", counts.sought, labels)], [_line("not_retrieved", counts.not_retrieved, labels)]),
        (
            [_line("assessed", counts.assessed, labels)],
            [_line("excluded_reports", counts.excluded_reports, labels), *reasons],
        ),
        ([_line("included", counts.included, labels), _line("reports", counts.reports, labels)], []),
        ([_line("analysed", counts.analysed, labels)], []),
    ]
    parts: list[str] = []
    y = 40.0
    for place, (left, right) in enumerate(steps):
        height = max(BOX_HEIGHT, 22 + LINE * max(len(left), len(right)))
        parts += _flow_box(LEFT, y, height, left)
        if right:
            parts += _flow_box(RIGHT, y, height, right)
            parts.append(_arrow(LEFT + BOX_WIDTH, y + height / 2, RIGHT, y + height / 2))
        if place < len(steps) - 1:
            middle = LEFT + BOX_WIDTH / 2
            parts.append(_arrow(middle, y + height, middle, y + height + ROOM))
        y += height + ROOM
    parts.insert(0, text_at(LEFT, 24, labels["flow"], weight="bold", size=15))
    return drawing(RIGHT + BOX_WIDTH + LEFT, int(y), labels["flow"], "".join(parts))


def _line(key: str, count: int | None, labels: PictureLabels) -> str:
    return f"{labels[key]}: {labels['not_recorded'] if count is None else f'n = {count:,}'}"


def _reason_lines(counts: FlowCounts) -> list[str]:
    found = sorted(counts.reasons.items(), key=lambda one: -one[1])
    lines = [f"{reason[:38]}: n = {count:,}" for reason, count in found[:MOST_REASONS]]
    if rest := sum(count for _, count in found[MOST_REASONS:]):
        lines.append(f"…: n = {rest:,}")
    return lines


def _flow_box(x: float, y: float, height: float, lines: list[str]) -> Iterator[str]:
    yield (f'<rect x="{x}" y="{y:.1f}" width="{BOX_WIDTH}" height="{height:.1f}" fill="white" stroke="#333" rx="3"/>')
    top = y + height / 2 - LINE * (len(lines) - 1) / 2 + 5
    for place, text in enumerate(lines):
        yield text_at(x + 12, top + place * LINE, text)


# The tip of an arrow, in pixels.
_TIP: Final = 6


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    is_down = x1 == x2
    back = (
        (x2 - _TIP / 1.5, y2 - _TIP, x2 + _TIP / 1.5, y2 - _TIP) if is_down else (x2 - _TIP, y2 - 4, x2 - _TIP, y2 + 4)
    )
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#333"/>'
        f'<polygon points="{x2:.1f},{y2:.1f} {back[0]:.1f},{back[1]:.1f} {back[2]:.1f},{back[3]:.1f}" fill="#333"/>'
    )
