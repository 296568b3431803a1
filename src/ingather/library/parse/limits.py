"""The parser's name, and how much a file may cost."""

from dataclasses import dataclass
from enum import StrEnum

from ingather.library.reading import OCR

# Pages are kept under this name, so it is raised when the same bytes would give other pages. The version of
# pypdfium2 is not part of it: most of its releases change no text, and each would have every file read again.
PARSER = "pdfium-6"

# Text recognised in the pictures of a scan is another text, under a name of its own. The version of the
# recogniser is not part of it, for the same reason.
RECOGNISED = f"{PARSER}+{OCR}"

# Limits count in binary megabytes, as the kernel does.
MEGABYTE = 1 << 20

# The exit code of a child that caught MemoryError: neither Python nor PDFium ends with it otherwise.
EXIT_OUT_OF_MEMORY = 3


class Manner(StrEnum):
    """How a PDF is read."""

    DRAWN = "drawn"  # its text, as far as a drawing of the page shows it
    UNDRAWN = "undrawn"  # its text, judged without a drawing
    RECOGNISED = "recognised"  # what can be read in its pictures


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one file may cost. A file beyond a limit gets a Problem and no pages.

    `memory_bytes` counts beyond what the reading process needs for itself.
    `stream_bytes` is how long one compressed part of a PDF, images aside, may
    be once it is unpacked. A long paper has 100,000 characters, a book of
    1,000 pages about 3,000,000. `threads` work at the same time, each for that
    long.
    """

    file_bytes: int = 50 * MEGABYTE
    pages: int = 2_000
    seconds: float = 60.0
    memory_bytes: int = 512 * MEGABYTE
    stream_bytes: int = 128 * MEGABYTE
    characters: int = 5_000_000
    threads: int = 1

    @property
    def answer_bytes(self) -> int:
        """More than the longest answer that keeps to the limits: 4 bytes of text and 8 of place for each character."""
        return 12 * self.characters + 64 * self.pages + 4 * MEGABYTE


# Recognising text takes about six seconds a page on one core, and a gigabyte.
TO_RECOGNISE = Limits(pages=300, seconds=1_800.0, memory_bytes=4_096 * MEGABYTE, threads=2)
