"""Starting, joining and leaving the server of a home."""

import atexit
import contextlib
import logging
import os
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from ingather.embedded import binaries as programs
from ingather.embedded import identity as identities
from ingather.embedded import locks, postmaster, roles, watch
from ingather.embedded.binaries import Binaries
from ingather.embedded.errors import EmbeddedError, in_sentences
from ingather.embedded.identity import Identity
from ingather.embedded.places import SUPERUSER, Places

log = logging.getLogger(__name__)

# Where the data goes when root's own folders are closed to the user that the server has to run as.
OPEN_PLACE = Path("/var/lib/ingather")


def start(home: Path, *, settings: Mapping[str, str] = {}, keep: bool = False, chosen: Path | None = None) -> "Server":
    """Starts the server of this home, or joins it if it runs already; then `settings` have no effect.

    With `keep` the server runs on until `stop`, whoever leaves. `chosen` is
    the folder of the programs to start; without it the first that are found.
    """
    places = Places.of(home)
    with in_sentences(home):
        # Root's server may run as somebody else, who has to pass through.
        places.root.parent.mkdir(parents=True, exist_ok=True, mode=0o711 if os.geteuid() == 0 else 0o700)
        places.root.mkdir(exist_ok=True, mode=0o700)
        with locks.starting(places.start_lock):
            places = Places.of(home)  # the first start may have moved the data elsewhere meanwhile
            hold = locks.hold(places.holders_lock)
            try:
                if not postmaster.wait_for_remains(places):
                    places = _launch(places, settings, chosen)
                roles.create_database(places)
                if keep:
                    places.kept.touch()
                return Server(places, programs.find(places.version(), chosen), hold, settings, chosen)
            except BaseException as error:
                locks.release(hold)
                # One that does not answer yet may be recovering a big database: stopped, it would begin again. But
                # whoever interrupts us wants nothing left behind.
                with contextlib.suppress(EmbeddedError):
                    if postmaster.is_ready(places) or not isinstance(error, Exception):
                        _stop_if_unused(places)
                raise


def stop(home: Path) -> bool:
    """Stops the server of this home now, whoever uses it; False if none runs."""
    places = Places.of(home)
    with in_sentences(home):
        if not places.start_lock.exists():
            return False
        with locks.starting(places.start_lock):
            places.kept.unlink(missing_ok=True)
            places.stopped.touch()
            return postmaster.halt(places)


def url_if_running(home: Path) -> str | None:
    """The server's URL if it answers now. Holds nothing: it may be gone at the next moment."""
    places = Places.of(home)
    return places.url() if postmaster.is_ready(places) else None


class Server:
    """A hold on the running server of a home; it runs at least until `close`.

    A process that ends closes what it forgot. Children made with fork share their parent's hold and cannot close it.
    """

    def __init__(
        self, places: Places, found: Binaries, hold: int, settings: Mapping[str, str], chosen: Path | None
    ) -> None:
        self.url = places.url()
        self.superuser_url = places.url(SUPERUSER)
        self.data = places.data
        self.log = places.log
        self.binaries = found.folder
        self._places = places
        self._hold: int | None = hold
        self._settings = settings
        self._chosen = chosen
        self._process = os.getpid()
        self._is_closed = threading.Event()
        atexit.register(self._close_at_exit)

    def watch(self) -> None:
        """Starts the server again whenever it dies, until `close`."""
        threading.Thread(target=watch.keep_alive, args=(self.revive, self._is_closed), daemon=True).start()

    def revive(self) -> bool:
        """Starts the server again if it died. False if it runs, was stopped on purpose, or is not held any more."""
        # Also true for a moment when another process looks at the same time: then the next look finds out.
        if locks.is_held(self._places.server_lock):
            return False
        with in_sentences(self._places.root), locks.starting(self._places.start_lock):
            if self._is_closed.is_set() or self._places.stopped.exists() or locks.is_held(self._places.server_lock):
                return False
            was_kept = self._places.kept.exists()
            _launch(self._places, self._settings, self._chosen)
            if was_kept:
                self._places.kept.touch()
            return True

    def close(self) -> None:
        """Lets go of the server, and stops it if nobody else holds it."""
        # A lock belongs to all copies of its descriptor: released in a forked child, its parent would lose it too.
        if os.getpid() != self._process:
            return
        hold, self._hold = self._hold, None
        if hold is None:
            return
        atexit.unregister(self._close_at_exit)
        self._is_closed.set()
        with in_sentences(self._places.root), locks.starting(self._places.start_lock):
            locks.release(hold)
            _stop_if_unused(self._places)

    def _close_at_exit(self) -> None:
        try:
            self.close()
        except EmbeddedError as error:
            log.warning("the embedded database was left running: %s", error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _stop_if_unused(places: Places) -> None:
    if not places.kept.exists() and not locks.is_held(places.holders_lock):
        postmaster.halt(places)


def _launch(places: Places, settings: Mapping[str, str], chosen: Path | None) -> Places:
    """Starts the server that nobody runs, and says where its data is now."""
    if not places.beside.exists():
        raise EmbeddedError(
            f"{places.root / 'data'} leads to {places.beside}, which is gone: bring it back, or remove the link to "
            "begin with an empty database."
        )
    found = programs.find(places.version(), chosen)
    identity = identities.choose(places)
    if identity.way == "user":
        places = _make_reachable(places, identity)
    if identity.way != "self" and not identity.can_enter(found.folder):
        found = programs.copy(found, places.beside)
    if places.version() is None:
        with contextlib.suppress(FileNotFoundError):
            places.data.rmdir()  # an empty one is as good as none; one with other people's files is not ours
        postmaster.make_data(places, found, identity)
    postmaster.launch(places, found, identity, settings)
    # Root may have made them in somebody's home, who will want to open them later.
    for lock in (places.start_lock, places.holders_lock, places.server_lock):
        identity.give(lock)
    return places


def _make_reachable(places: Places, identity: Identity) -> Places:
    places.root.chmod(0o711)
    if identity.can_enter(places.beside) or places.version() is not None:
        return places
    OPEN_PLACE.mkdir(parents=True, exist_ok=True)
    OPEN_PLACE.chmod(0o711)
    elsewhere = Path(tempfile.mkdtemp(dir=OPEN_PLACE))
    elsewhere.chmod(0o711)
    (places.root / "data").symlink_to(elsewhere / "data")
    log.info("the data is in %s, because its user cannot reach %s", elsewhere, places.root)
    return Places(root=places.root, beside=elsewhere)
