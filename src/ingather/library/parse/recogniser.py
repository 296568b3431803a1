"""Text in pictures, by RapidOCR: an extra that carries its models and asks nobody. Put in order like any other text."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ingather.library.parse.clean import SHAPELESS, clean_character
from ingather.library.parse.glyphs import Glyphs
from ingather.library.parse.sight import Seen
from ingather.library.parse.view import Box
from ingather.library.parse.writing import written_page

# Scans are drawn with 250 dots per inch. With fewer, small print is misread; with more, a page takes longer.
PIXELS_PER_POINT = 250 / 72


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedLine:
    """A line as it was recognised, and its parts (mostly words) in their order, each with its place in pixels."""

    text: str
    parts: tuple[tuple[str, Box], ...]


class Recogniser:
    """Loads its models once: a second and some hundred megabytes."""

    def __init__(self, threads: int) -> None:
        from rapidocr import RapidOCR  # noqa: PLC0415  # an extra, loaded by the child that needs it

        threads_of = "EngineConfig.onnxruntime.intra_op_num_threads"
        self._engine = RapidOCR(params={"Global.log_level": "critical", threads_of: threads})

    def lines(self, pixels: bytes, width: int, height: int) -> list[RecognisedLine]:
        """The lines of a picture of four bytes a pixel: blue, green, red, none."""
        import numpy as np  # noqa: PLC0415  # comes with the extra

        picture = np.frombuffer(pixels, np.uint8).reshape(height, width, 4)[:, :, :3]
        found = self._engine(np.ascontiguousarray(picture), return_word_box=True)
        if not found.txts:
            return []
        parts = list(found.word_results or ()) or [()] * len(found.txts)
        return [_recognised_line(*line) for line in zip(found.txts, found.boxes, parts, strict=True)]


def _recognised_line(text: str, corners: Any, parts: Any) -> RecognisedLine:
    """Where words have no places of their own, the line's stands for them."""
    placed = tuple((str(part), _box_around_recognised_corners(place)) for part, _, place in parts)
    return RecognisedLine(text=text, parts=placed or ((text, _box_around_recognised_corners(corners)),))


def _box_around_recognised_corners(corners: Any) -> Box:
    across, down = zip(*((float(x), float(y)) for x, y in corners), strict=True)
    return min(across), min(down), max(across), max(down)


def page_of_recognised_lines(lines: Iterable[RecognisedLine], scale: float, page_width: float) -> tuple[str, bytes]:
    """Text in reading order and the boxes of its characters: each has an even share of its word's.

    `scale` is how many pixels a point has.
    """
    glyphs = Glyphs()
    for line in lines:
        at = 0
        for part, box in line.parts:
            start = line.text.find(part, at)
            if start < 0 or not part:
                continue
            _put_recognised_glyphs(glyphs, line.text[at:start])
            left, top, right, bottom = (edge / scale for edge in box)
            share = (right - left) / len(part)
            for place, char in enumerate(part):
                _put_recognised_glyphs(glyphs, char, (left + share * place, top, left + share * (place + 1), bottom))
            at = start + len(part)
        _put_recognised_glyphs(glyphs, line.text[at:])
        glyphs.add("\n")
    return written_page(glyphs, Seen(reasons=[None] * len(glyphs.chars), is_ocr=True), page_width)


def _put_recognised_glyphs(glyphs: Glyphs, text: str, spot: Box | None = None) -> None:
    for char in SHAPELESS.sub("", text):
        if kept := clean_character(ord(char)):
            glyphs.add(kept, None if kept.isspace() else spot)
