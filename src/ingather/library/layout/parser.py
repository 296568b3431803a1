"""Which layout parser answers just now, and which files it failed on, remembered so that nobody waits for it twice."""

import logging
import threading
import time
from pathlib import Path
from typing import Final

from ingather.library.layout.server import LayoutFailed, LayoutServer
from ingather.library.reading import Reading

log = logging.getLogger(__name__)

# A server is asked for its version this often. Longer keeps a stopped one in use for longer, or a new one unused.
KNOWN_FOR_S: Final = 60.0
# The first bytes of a file that these parsers read.
PDF: Final = b"%PDF-"


class LayoutParser:
    """One server, shared by the threads of a process."""

    def __init__(self, server: LayoutServer) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._name = ""
        self._known_until = 0.0
        self._failed: set[tuple[str, str]] = set()

    def name(self) -> str:
        """The parser and its version; empty while it cannot be reached."""
        with self._lock:
            if time.monotonic() >= self._known_until:
                try:
                    self._name = self._server.name()
                except LayoutFailed as error:
                    log.warning("%s Our own tables stand.", error)
                    self._name = ""
                self._known_until = time.monotonic() + KNOWN_FOR_S
            return self._name

    def read(self, path: Path, own: Reading, sha256: str, name: str) -> Reading | None:
        """Our reading with its tables; None for what is no PDF, and for what it fails on."""
        with path.open("rb") as file:
            is_pdf = file.read(len(PDF)) == PDF
        try:
            if is_pdf and own.pages:
                return self._server.reading(path, own, name)
        except LayoutFailed as error:
            log.warning("the layout parser did not read the file %s…: %s Our own tables stand.", sha256[:12], error)
        self._failed.add((sha256, name))
        return None

    def may_read(self, sha256: str, name: str) -> bool:
        """Whether asking it for this file is of any use."""
        return bool(name) and (sha256, name) not in self._failed
