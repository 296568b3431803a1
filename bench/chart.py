"""The chart of a run: how fast everybody inserts and drains."""

from typing import Any
from xml.sax.saxutils import escape

from bench.targets import by_speed, count

BAR, GAP, LEFT, TOP, WIDTH = 13, 16, 300, 70, 900
DRAIN, LIMIT, INSERT = "#0f766e", "#d6b656", "#94a3b8"


def chart(figures: dict[str, Any]) -> str:
    """Two bars per system: drain with one process, and bulk insert; jobs a second."""
    rows, machine = by_speed(figures), figures["machine"]
    most = max(max(of["drain_1_per_s"], of.get("enqueue_per_s", 0)) for _, of in rows)
    height = TOP + 24 + len(rows) * (2 * BAR + GAP)
    where = f"{machine['cores']} cores, {machine['processor']}, PostgreSQL {figures['versions']['postgresql']}"
    marks = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
            'font-size="12" role="img" aria-label="Jobs per second, side by side">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="22" font-size="15" font-weight="bold">Jobs per second, no-op handlers</text>',
        f'<text x="{LEFT}" y="{height - 14}" fill="#64748b">{escape(where)}, {figures["date"]}</text>',
        legend(LEFT, DRAIN, "drain, one process"),
        legend(LEFT + 160, INSERT, "bulk insert"),
        legend(LEFT + 270, LIMIT, "drain by our SQL alone, in a bare loop"),
    ]
    for n, (name, of) in enumerate(rows):
        y = TOP + n * (2 * BAR + GAP)
        weight = ' font-weight="bold"' if name == "ingather" else ""
        title = escape(of["title"])
        marks.append(f'<text x="{LEFT - 8}" y="{y + BAR + 4}" text-anchor="end"{weight}>{title}</text>')
        marks.append(bar(y, of["drain_1_per_s"], most, LIMIT if name == "limit" else DRAIN))
        if "enqueue_per_s" in of:
            marks.append(bar(y + BAR, of["enqueue_per_s"], most, INSERT))
    return "\n".join([*marks, "</svg>"]) + "\n"


def legend(x: int, colour: str, text: str) -> str:
    return f'<rect x="{x}" y="36" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="46">{text}</text>'


def bar(y: int, value: float, most: float, colour: str) -> str:
    width = max(1.0, (WIDTH - LEFT - 80) * value / most)
    label = f'<text x="{LEFT + width + 6:.0f}" y="{y + BAR - 3}" fill="#334155">{count(value)}</text>'
    return f'<rect x="{LEFT}" y="{y}" width="{width:.0f}" height="{BAR - 1}" fill="{colour}"/>{label}'
