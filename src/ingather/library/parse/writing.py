"""Puts the characters that can be seen together: the text of a page, and the boxes of its characters."""

import sys
from array import array

from ingather.library.parse.columns import column_pieces_of, pieces_by_column
from ingather.library.parse.glyphs import Glyphs
from ingather.library.parse.sight import Seen
from ingather.library.parse.view import Box, packed_view_box


def written_page(glyphs: Glyphs, seen: Seen, page_width: float) -> tuple[str, bytes]:
    """The text that can be seen, in reading order, and the boxes of its characters."""
    kept = [index for index, reason in enumerate(seen.reasons) if reason is None]
    chars, spots = [glyphs.chars[index] for index in kept], [glyphs.spots[index] for index in kept]
    pieces = column_pieces_of(chars, spots)
    ordered = pieces_by_column(pieces, page_width)
    text: list[str] = []
    boxes = array("H")

    def write(char: str, spot: Box | None) -> None:
        if char == "\n":
            spot = None
            while text and text[-1] == " ":
                text.pop()
                del boxes[-4:]
        if char.isspace() and (not text or text[-1] == "\n" or (text[-1] == " " and char == " ")):
            return
        text.append(char)
        boxes.extend(packed_view_box(spot))

    if ordered is None:
        for char, spot in zip(chars, spots, strict=True):
            write(char, spot)
    else:
        last = None
        for piece in ordered:
            if last is not None:
                write(" " if piece.is_beside(last) and piece.left >= last.right else "\n", None)
            for index in range(piece.start, piece.end):
                write(chars[index], spots[index])
            last = piece
    while text and text[-1].isspace():
        text.pop()
        del boxes[-4:]
    return "".join(text), _written_boxes_as_bytes(boxes)


def _written_boxes_as_bytes(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
