"""Reads files when they are needed: each file once, and one scan at a time."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg.errors import ForeignKeyViolation

from ingather.engine.engine import Engine
from ingather.engine.errors import RetryLater
from ingather.library import readings
from ingather.library.blobs import Blobs, checked_sha256, sha256_of
from ingather.library.errors import FileDamaged
from ingather.library.layout.parser import LayoutParser
from ingather.library.port import ReadingSummary
from ingather.library.reading import OCR, Problem, Reading
from ingather.notice import notice

log = logging.getLogger(__name__)

# Files are spread over this many locks, so that two readers of one file take turns. Fewer make strangers wait.
TURNS = 256
# How long a reader waits for another that reads the same file. It is longer than reading most files takes.
TURN_S = 60.0
# A job that found the reader of scans busy is tried again after this time. A scan takes minutes.
BUSY_S = 5.0

Parse = Callable[[Path, str], Reading]


class FileReader:
    """The readings of a library. `parse`, `parser` and `recognise` replace the real parser, its version, and OCR."""

    def __init__(
        self,
        engine: Engine,
        blobs: Blobs,
        *,
        parse: Parse | None,
        parser: str | None,
        recognise: Parse | None,
        layout: LayoutParser | None,
    ) -> None:
        self._engine = engine
        self._blobs = blobs
        self._parse = parse or _parse_file
        self._parser = parser
        self._recognise = recognise if parse else recognise or _recognise_file
        self._layout = layout
        self._recognising = threading.Lock()
        self._turns = [threading.Lock() for _ in range(TURNS)]

    @property
    def parser(self) -> str:
        """The version of the parser that files are read with now."""
        if self._parser is None:
            from ingather.library.parse import PARSER  # noqa: PLC0415  # an extra that lists do not need

            self._parser = PARSER
        return self._parser

    @property
    def parsers(self) -> list[str]:
        """The parsers of the current version, the preferred one first.

        Recognised text comes before that of the file, and a layout parser's tables before our own.
        """
        layout = self._layout.name() if self._layout else ""
        return [f"{self.parser}+{OCR}", *([f"{self.parser}+{layout}"] if layout else []), self.parser]

    def read(self, sha256: str, name: str = "") -> ReadingSummary:
        """The reading by the current parser. What was not read yet is read now, and kept.

        `name` helps to recognise the kind of the file; the default is the name
        that the file first came with. For a scan the recognised text is
        given. If that is still to do and this process is busy with another
        scan, `RetryLater` is raised.
        """
        found, own = self._find(sha256, self.parser), None
        if found is None:
            with self._turn(sha256):
                found = self._find(sha256, self.parser)
                if found is None:
                    own = self._parse_now(self._parse, sha256, name)
                    found = self._store(sha256, own)
        if found.problem is Problem.NO_TEXT_LAYER:
            return self._find(sha256, self.parsers[0]) or self._read_scan(sha256, name) or found
        return found if found.problem else self._with_layout(sha256, name, own) or found

    def _with_layout(self, sha256: str, name: str, own: Reading | None) -> ReadingSummary | None:
        """The reading with the tables of a layout parser, made now if need be. None where there is none.

        `own` is our reading of the file if it was made just now, so that nothing is read twice.
        """
        parser = self._layout.name() if self._layout else ""
        if not parser or self._layout is None:
            return None
        found = self._find(sha256, f"{self.parser}+{parser}")
        if found is not None or not self._layout.may_read(sha256, parser):
            return found
        layout = self._layout
        with self._turn(sha256), self._blobs.path(sha256) as path:
            # Another thread may have asked it meanwhile.
            found = self._find(sha256, f"{self.parser}+{parser}")
            if found is not None or not layout.may_read(sha256, parser):
                return found
            reading = layout.read(path, own or self._parse_now(self._parse, sha256, name), sha256, parser)
            return None if reading is None else self._store(sha256, reading)

    def read_uploaded(self, sha256: str, job_id: int) -> ReadingSummary:
        """`read`, and it takes as long where the file had been read before its upload.

        Another project has it then. A job that ended at once would tell so.
        Only the recognised text of scans, which takes minutes, is taken as it is.
        """
        if self._engine.database.run(readings.was_read_before(checked_sha256(sha256), self.parser, job_id)):
            self._parse_now(self._parse, sha256, "")
        return self.read(sha256)

    def _find(self, sha256: str, parser: str) -> ReadingSummary | None:
        return self._engine.database.run(readings.find(checked_sha256(sha256), parser))

    def _read_scan(self, sha256: str, name: str) -> ReadingSummary | None:
        """Recognise the text of a scan now. None if this machine cannot.

        One at a time: each takes all cores and a gigabyte, for minutes, and
        waiting ones would hold the threads that all other work needs.
        """
        from ingather.library.parse import RecogniserDied, can_recognise_in_jail  # noqa: PLC0415  # see `parser`

        if self._recognise is None or (self._recognise is _recognise_file and not can_recognise_in_jail()):
            return None
        if not self._recognising.acquire(blocking=False):
            raise RetryLater(
                BUSY_S,
                notice("library.another_scan_being_read_comes", "Another scan is being read. This one comes later."),
            )
        try:
            return self._find(sha256, self.parsers[0]) or self._read_now(self._recognise, sha256, name)
        except RecogniserDied as death:
            # The file has no fault: it stays a scan, and may be tried again.
            log.warning("a scan was not read: the recogniser of text in pictures died (%s)", death)
            return None
        finally:
            self._recognising.release()

    def _read_now(self, parse: Parse, sha256: str, name: str) -> ReadingSummary:
        return self._store(sha256, self._parse_now(parse, sha256, name))

    def _store(self, sha256: str, reading: Reading) -> ReadingSummary:
        try:
            return self._engine.database.run(readings.store(sha256, reading))
        except ForeignKeyViolation:
            raise readings.no_file(sha256) from None

    def _parse_now(self, parse: Parse, sha256: str, name: str) -> Reading:
        known_as = self._engine.database.run(readings.name_of(sha256))
        with self._blobs.path(sha256) as path:
            if sha256_of(path) != sha256:
                raise FileDamaged(
                    notice(
                        "library.file_not_what_was_uploaded",
                        "The file {sha256} is not what was uploaded. Upload it again, or restore it from a backup.",
                        sha256=f"{sha256[:12]}…",
                    )
                )
            return parse(path, name or known_as)

    @contextmanager
    def _turn(self, sha256: str) -> Iterator[None]:
        """Threads that read the same file take turns, and all but the first find its reading.

        A thread that waited too long reads the file as well; the database
        keeps the first reading.
        """
        lock = self._turns[int(sha256[:2], 16) % TURNS]
        is_mine = lock.acquire(timeout=TURN_S)
        try:
            yield
        finally:
            if is_mine:
                lock.release()


def _parse_file(path: Path, name: str) -> Reading:
    from ingather.library.parse import parse_in_jail  # noqa: PLC0415  # see `parser`

    return parse_in_jail(path, name=name)


def _recognise_file(path: Path, name: str) -> Reading:
    from ingather.library.parse import recognise_in_jail  # noqa: PLC0415  # see `parser`

    return recognise_in_jail(path, name=name)
