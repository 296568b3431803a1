"""The pieces that drawings are made of, with every text written as text. Pure."""

from typing import Final
from xml.sax.saxutils import escape

# The usual size of letters, in pixels; what has it need not say so.
LETTERS: Final = 13


def drawing(width: int, height: int, title: str, body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{attribute(title)}" font-family="sans-serif" font-size="{LETTERS}">'
        f'<rect width="100%" height="100%" fill="white"/>{body}</svg>\n'
    )


def text_at(
    x: float, y: float, text: str, *, weight: str = "", anchor: str = "", size: int = LETTERS, colour: str = ""
) -> str:
    looks = {"font-weight": weight, "text-anchor": anchor, "fill": colour}
    looks["font-size"] = "" if size == LETTERS else str(size)
    given = "".join(f' {name}="{value}"' for name, value in looks.items() if value)
    return f'<text x="{x:.2f}" y="{y:.2f}"{given}>{content(text)}</text>'


def content(text: str) -> str:
    """A text between tags, without the characters that XML has no way to write."""
    return escape("".join(char for char in text if char.isprintable()))


def attribute(text: str) -> str:
    return content(text).replace('"', "&quot;")
