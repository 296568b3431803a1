"""A small picture of a soak: one curve under the other, over the same minutes."""

from typing import NamedTuple
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP = 760, 250, 90, 34
HEIGHT, GAP = 44, 14
LINE, INK, FAINT = "#0f766e", "#334155", "#e2e8f0"


class Curve(NamedTuple):
    title: str
    values: list[float]
    unit: str


def draw(title: str, minutes: list[float], curves: list[Curve]) -> str:
    """Every curve has a scale of its own, from nought to its highest value, which is written beside it."""
    height = TOP + len(curves) * (HEIGHT + GAP) + 20
    marks = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
            f'font-size="12" role="img" aria-label="{escape(title)}">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="20" font-size="15" font-weight="bold">{escape(title)}</text>',
    ]
    for n, curve in enumerate(curves):
        marks += _marks(curve, minutes, TOP + n * (HEIGHT + GAP))
    y = TOP + len(curves) * (HEIGHT + GAP) + 6
    marks.append(f'<text x="{LEFT}" y="{y}" fill="{INK}">minute {minutes[0]:.0f}</text>')
    marks.append(f'<text x="{WIDTH - RIGHT}" y="{y}" text-anchor="end" fill="{INK}">{minutes[-1]:.0f}</text>')
    return "\n".join([*marks, "</svg>"]) + "\n"


def _marks(curve: Curve, minutes: list[float], top: int) -> list[str]:
    highest = max(curve.values) or 1.0
    span = (minutes[-1] - minutes[0]) or 1.0
    right, floor = WIDTH - RIGHT, top + HEIGHT
    width, middle = right - LEFT, floor - HEIGHT / 2 + 4
    points = " ".join(
        f"{LEFT + width * (minute - minutes[0]) / span:.1f},{floor - HEIGHT * value / highest:.1f}"
        for minute, value in zip(minutes, curve.values, strict=True)
    )
    return [
        f'<line x1="{LEFT}" y1="{floor}" x2="{right}" y2="{floor}" stroke="{FAINT}"/>',
        f'<polyline points="{points}" fill="none" stroke="{LINE}" stroke-width="1.5"/>',
        f'<text x="{LEFT - 10}" y="{middle}" text-anchor="end" fill="{INK}">{escape(curve.title)}</text>',
        f'<text x="{right + 8}" y="{top + 10}" fill="{INK}">{highest:,.4g} {escape(curve.unit)}</text>',
    ]
