"""What the bytes of a PDF show without a parser: how far its parts unpack, and whether it holds scripts or files."""

import re
import zlib
from dataclasses import dataclass

from ingather.library.parse.failure import Unread
from ingather.library.parse.limits import MEGABYTE
from ingather.library.reading import Problem
from ingather.notice import notice

_STREAM = re.compile(rb">>\s{0,16}stream\r?\n")
# The dictionary of a stream stands in so many bytes before it; real ones have a few hundred.
_DICTIONARY_WITHIN = 4_096
_FLATE = re.compile(rb"/(?:FlateDecode|Fl)\b")
_IMAGE = re.compile(rb"/Subtype\s*/Image\b")
_SCRIPT = re.compile(rb"/JavaScript\b|/JS\s*[(<\d]")
_LAUNCH = re.compile(rb"/S\s*/Launch\b")
_FILES = re.compile(rb"/EmbeddedFiles?\b")
# A stream may be packed several times over. Real files have two layers; each one multiplies what a bomb unpacks.
_LAYERS = 8
# Bytes that are unpacked at a time, so that a bomb is noticed before it fills the memory.
_STEP = 1 << 18
_KEPT = 8 * MEGABYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What a PDF would do in a reader that lets it. Nothing of it is ever done here."""

    has_script: bool
    has_launch: bool
    has_files: bool


def inspect_streams(data: bytes, stream_bytes: int) -> Features:
    """Unpacks every part but images, in small steps, and refuses a file with a part longer than it may be.

    Filters other than Flate, and encrypted parts, are passed over: for those
    the memory limit of the process stands.
    """
    outside = []
    at = 0
    while found := _STREAM.search(data, at):
        outside.append(data[at : found.end()])
        head = data[max(at, found.start() - _DICTIONARY_WITHIN) : found.end()]
        head = head[max(head.rfind(b"obj"), 0) :]
        end = data.find(b"endstream", found.end())
        end = len(data) if end < 0 else end
        depth = len(_FLATE.findall(head))
        if depth > _LAYERS:
            raise Unread(
                Problem.DECOMPRESSION_LIMIT,
                notice(
                    "file.part_pdf_packed_times_over",
                    "A part of this PDF is packed {depth} times over, which only a harmful file does. Find "
                    "another copy.",
                    depth=depth,
                ),
            )
        if depth and not _IMAGE.search(head):
            unpacked = _unpack_stream(memoryview(data)[found.end() : end], depth, stream_bytes)
            if b"/ObjStm" in head:
                outside.append(unpacked)
        at = end
    outside.append(data[at:])
    return Features(
        has_script=any(_SCRIPT.search(part) for part in outside),
        has_launch=any(_LAUNCH.search(part) for part in outside),
        has_files=any(_FILES.search(part) for part in outside),
    )


def _unpack_stream(packed: memoryview, depth: int, most: int) -> bytes:
    """The beginning of a part, unpacked `depth` times; raises Unread when a layer of it is too long."""
    layers = [zlib.decompressobj() for _ in range(depth)]
    lengths = [0] * depth
    kept = bytearray()

    def feed(level: int, piece: bytes | memoryview) -> None:
        if level == depth:
            if len(kept) < _KEPT:
                kept.extend(piece)
            return
        layer = layers[level]
        while piece and not layer.eof:
            out = layer.decompress(piece, _STEP)
            piece = layer.unconsumed_tail
            lengths[level] += len(out)
            if lengths[level] > most:
                raise Unread(
                    Problem.DECOMPRESSION_LIMIT,
                    notice(
                        "file.part_pdf_unpacks_mb_no",
                        "A part of this PDF unpacks to more than {most} MB, which no paper needs. Print it to "
                        "a new PDF and try again.",
                        most=f"{most / MEGABYTE:,.0f}",
                    ),
                )
            feed(level + 1, out)

    try:
        for start in range(0, len(packed), _STEP):
            feed(0, packed[start : start + _STEP])
    except zlib.error:
        pass
    return bytes(kept)
