"""Pictures of the risk of bias: traffic lights, a dot for each judgement, and the share of each in a bar. Pure SVG."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from ingather.extraction.analysis.bias import COLUMNS, NO_JUDGEMENT, BiasRow
from ingather.extraction.analysis.cells import CellState
from ingather.extraction.analysis.picture_labels import ENGLISH, PictureLabels
from ingather.extraction.analysis.svg import attribute, content, drawing, text_at

# The colour and the sign of each judgement: colour alone does not reach everybody.
LOOKS: Final = {
    "Low": ("#2b8a3e", "+"),
    "Some concerns": ("#e0a800", "-"),
    "High": ("#c92a2a", "x"),
    NO_JUDGEMENT: ("#868e96", "?"),
}
# Sizes in pixels: a line of the picture, the names of studies, a column of dots, a dot, and the longest bar.
LINE_HEIGHT, NAMES, COLUMN, RADIUS, BAR = 30, 300, 72, 11, 420


def draw_bias(rows: Sequence[BiasRow], labels: PictureLabels = ENGLISH) -> str:
    """Traffic lights: a line for each result, a dot for each domain; dots that nobody has reviewed have a ring."""
    width, height = NAMES + COLUMN * len(COLUMNS) + 12, 40 + LINE_HEIGHT * len(rows) + 34
    parts = [
        text_at(NAMES + COLUMN * (place + 0.5), 24, _heading(column, labels), anchor="middle", weight="bold")
        for place, column in enumerate(COLUMNS)
    ]
    for line, row in enumerate(rows):
        y = 40 + LINE_HEIGHT * (line + 0.5)
        name = f"{row.study}: {row.about}"
        parts.append(text_at(12, y + 4, name if len(name) <= 40 else f"{name[:39]}…"))
        for place, column in enumerate(COLUMNS):
            parts += _judgement_dot(NAMES + COLUMN * (place + 0.5), y, row, column, labels)
    parts.append(text_at(12, height - 12, f"{_legend(labels)}; {labels['ring']}"))
    return drawing(width, height, labels["bias"], "".join(parts))


def draw_bias_summary(rows: Sequence[BiasRow], labels: PictureLabels = ENGLISH) -> str:
    """A bar for each domain: which part of the results has which judgement. Every result counts the same."""
    height = 40 + LINE_HEIGHT * len(COLUMNS) + 34
    parts = [text_at(12, 22, labels["bias_summary"], weight="bold", size=15)]
    for line, column in enumerate(COLUMNS):
        y = 40 + LINE_HEIGHT * line
        parts.append(text_at(12, y + 19, labels[column]))
        parts += _bar(y, Counter(row.judgements[column] for row in rows), labels)
    parts.append(text_at(12, height - 12, _legend(labels)))
    return drawing(NAMES + BAR + 24, height, labels["bias_summary"], "".join(parts))


def _bar(y: float, counts: Counter[str], labels: PictureLabels) -> Iterator[str]:
    left, total = float(NAMES), counts.total()
    for judgement, (colour, sign) in LOOKS.items():
        if not (count := counts[judgement]):
            continue
        width = BAR * count / total
        title = content(f"{labels[judgement]}: {count} / {total}")
        yield (
            f'<g><rect x="{left:.2f}" y="{y + 3}" width="{width:.2f}" height="{LINE_HEIGHT - 6}" fill="{colour}">'
            f"<title>{title}</title></rect>"
        )
        yield text_at(left + width / 2, y + 20, f"{sign} {count}", anchor="middle", colour="white", weight="bold")
        yield "</g>"
        left += width


def _heading(column: str, labels: PictureLabels) -> str:
    return labels[column] if column == "Overall" else column


def _legend(labels: PictureLabels) -> str:
    return ", ".join(f"{sign} {labels[name]}" for name, (_, sign) in LOOKS.items())


def _judgement_dot(x: float, y: float, row: BiasRow, column: str, labels: PictureLabels) -> Iterator[str]:
    judgement = row.judgements[column]
    colour, sign = LOOKS[judgement]
    ring = "" if row.states[column] is CellState.REVIEWED else ' stroke="#333" stroke-dasharray="3 2"'
    title = content(f"{row.study}, {row.about}, {labels[column]}: {labels[judgement]}")
    cell = attribute(f"{row.ordinal}~{row.row}~{COLUMNS[column]}")
    circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{colour}"{ring}><title>{title}</title></circle>'
    yield f'<g data-cell="{cell}">{circle}'
    yield text_at(x, y + 5, sign, anchor="middle", weight="bold", colour="white")
    yield "</g>"
