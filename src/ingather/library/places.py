"""Where characters stand on a page: packed for keeping, and joined line by line for showing. Pure."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ingather.library.port import PageArea, Passage, PrintedLine, Rect

BOX = 8  # bytes of one character: left, top, right, bottom, two each
# Boxes are stored in quarter points: fine enough for a mark on the screen, and a page fits in 16 bits.
UNITS_PER_POINT = 4
# The usual height of letters is measured over so many characters before and after. Fewer let one comma decide; more
# mix in headings and footnotes of another size.
NEIGHBOURS = 200

Box = tuple[int, int, int, int]


def pack(boxes: bytes) -> bytes:
    """Boxes for keeping. Byte by byte of all characters, neighbours are alike, and zlib makes far less of them."""
    whole = boxes[: len(boxes) // BOX * BOX]
    return zlib.compress(b"".join(whole[place::BOX] for place in range(BOX)), 6)


def unpack(packed: bytes) -> bytes:
    planes = zlib.decompress(packed)
    boxes = bytearray(len(planes))
    count = len(planes) // BOX
    for place in range(BOX):
        boxes[place::BOX] = planes[place * count : (place + 1) * count]
    return bytes(boxes)


@dataclass(slots=True)
class _Line:
    """The characters of one line so far, and where the last of them began."""

    left: int
    top: int
    right: int
    bottom: int
    last_left: int

    def holds(self, box: Box, height: int) -> bool:
        """Whether a character goes on with this line: about as high on the page, and no leap back.

        Boxes are tight, so a comma hangs low and an index stands high: the
        middles of one line differ, yet by less than those of two.
        """
        distance = abs((box[1] + box[3]) - (self.top + self.bottom)) / 2
        return distance <= 0.8 * height and box[0] > self.last_left - 2 * height

    def add(self, box: Box) -> None:
        self.left, self.top = min(self.left, box[0]), min(self.top, box[1])
        self.right, self.bottom = max(self.right, box[2]), max(self.bottom, box[3])
        self.last_left = box[0]


def lines(text: str, boxes: bytes, start: int, end: int, *, width: float, height: float) -> list[Rect]:
    """The places of characters `start` to `end`, one rectangle for each line they touch."""
    usual = _usual_height(boxes, start, end)
    found: list[_Line] = []
    is_new = True
    for char, box in zip(text[start:end], _boxes_of_characters(boxes, start, end), strict=False):
        if char == "\n":
            is_new = True
        if not any(box):
            continue
        if is_new or not found[-1].holds(box, usual):
            found.append(_Line(*box, last_left=box[0]))
        else:
            found[-1].add(box)
        is_new = False
    return [
        Rect(
            left=line.left / UNITS_PER_POINT,
            top=line.top / UNITS_PER_POINT,
            right=line.right / UNITS_PER_POINT,
            bottom=line.bottom / UNITS_PER_POINT,
            page_width=width,
            page_height=height,
        )
        for line in found
    ]


def passage(text: str, boxes: bytes, area: PageArea) -> Passage | None:
    """The characters whose middles stand in an area; spaces and ends of lines between two of them come along."""
    left, top, right, bottom = (UNITS_PER_POINT * edge for edge in (area.left, area.top, area.right, area.bottom))
    inside = [
        at
        for at, box in enumerate(_boxes_of_characters(boxes, 0, len(text)))
        if any(box) and left <= (box[0] + box[2]) / 2 <= right and top <= (box[1] + box[3]) / 2 <= bottom
    ]
    if not inside:
        return None
    # Characters between two of the area, and not in it themselves, are a gap of the line or another column.
    parts = [text[inside[0]]]
    for before, at in pairwise(inside):
        parts.append(text[at] if at == before + 1 else f" {text[at]}")
    return Passage(page=area.page, start=inside[0], end=inside[-1] + 1, text=" ".join("".join(parts).split()))


def printed_lines(text: str, boxes: bytes) -> list[PrintedLine]:
    """The lines of a page with the size of their type; lines without a letter that has a place are left out."""
    found: list[PrintedLine] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        boxed = zip(line, _boxes_of_characters(boxes, start, end), strict=False)
        heights = sorted(box[3] - box[1] for char, box in boxed if char.isalpha() and any(box))
        if heights:
            # Nine in ten letters are no higher: marks set high or large initials do not count.
            found.append(PrintedLine(start=start, end=end, size=heights[len(heights) * 9 // 10] / UNITS_PER_POINT))
        start = end + 1
    return found


def _boxes_of_characters(boxes: bytes, start: int, end: int) -> Iterator[Box]:
    part = boxes[start * BOX : end * BOX]
    return struct.iter_unpack("<4H", part[: len(part) // BOX * BOX])


def _usual_height(boxes: bytes, start: int, end: int) -> int:
    """How high letters are hereabouts: higher than three in four, so that dots and commas do not count."""
    near = _boxes_of_characters(boxes, max(start - NEIGHBOURS, 0), end + NEIGHBOURS)
    heights = sorted(box[3] - box[1] for box in near if any(box))
    return heights[len(heights) * 3 // 4] if heights else 0
