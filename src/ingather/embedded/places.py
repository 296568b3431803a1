"""Where the files of one home are."""

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import quote

from ingather.embedded.errors import EmbeddedError

DATABASE = "ingather"
# As whom processes use the database; it owns it and has no right beyond it.
ROLE = "ingather"
# As whom the cluster is made, and its role and database. Tests and operators may take it, too.
SUPERUSER = "postgres"
# Only part of the socket's file name: the server listens on no network.
PORT = 5432
# The kernel's limit for a socket's path is 108 bytes on Linux and 104 on macOS, its final zero included.
LONGEST_SOCKET = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folder `postgres` of a home and what is in it.

    `data` may be a link: the socket and copied programs then live beside the folder it names, where the server's user
    can reach them. Locks and log stay, since the launcher opens them before it becomes that user.
    """

    root: Path
    beside: Path

    @classmethod
    def of(cls, home: Path) -> Self:
        try:
            root = home.expanduser().resolve() / "postgres"
        except (RuntimeError, OSError) as unknown:
            raise EmbeddedError(f"{home} cannot be found ({unknown}): set INGATHER_HOME to a whole path.") from unknown
        return cls(root=root, beside=(root / "data").resolve().parent)

    @property
    def data(self) -> Path:
        return self.beside / "data"

    @property
    def log(self) -> Path:
        return self.root / "server.log"

    @property
    def start_lock(self) -> Path:
        return self.root / "start.lock"

    @property
    def holders_lock(self) -> Path:
        return self.root / "holders.lock"

    @property
    def server_lock(self) -> Path:
        return self.root / "server.lock"

    @property
    def kept(self) -> Path:
        """Exists while the server is to outlive its holders. Every launch removes it, so a crash ends that too."""
        return self.root / "kept"

    @property
    def stopped(self) -> Path:
        """Exists after `stop`, until the next start: whoever watches the server then leaves it stopped."""
        return self.root / "stopped"

    @property
    def sockets(self) -> Path:
        """The folder of the server's socket: beside the data, or a short one in /tmp where that path is too long."""
        near = self.beside / "run"
        # A comma would make two hosts of it in a connection URL.
        if len(os.fsencode(self._socket_in(near))) <= LONGEST_SOCKET and "," not in str(near):
            return near
        # Not tempfile.gettempdir(): it depends on TMPDIR, and every process must find the same folder.
        return Path("/tmp") / f"ingather-{hashlib.sha256(os.fsencode(near)).hexdigest()[:16]}"  # noqa: S108

    @property
    def socket(self) -> Path:
        return self._socket_in(self.sockets)

    @staticmethod
    def _socket_in(folder: Path) -> Path:
        return folder / f".s.PGSQL.{PORT}"

    def has_own_sockets(self) -> bool:
        """Whether the socket's folder belongs to us or to the data's owner: in /tmp anybody could have made it."""
        try:
            found = self.sockets.lstat()
            return stat.S_ISDIR(found.st_mode) and found.st_uid in {os.geteuid(), self.data.stat().st_uid}
        except OSError:
            return False

    def url(self, role: str = ROLE, database: str = DATABASE) -> str:
        # The port is given because libpq would otherwise take it from a stray PGPORT.
        return f"postgresql://{role}@/{database}?host={quote(os.fsencode(self.sockets))}&port={PORT}"

    def version(self) -> int | None:
        """The major version that wrote the data, None while there is none."""
        try:
            return int((self.data / "PG_VERSION").read_text())
        except FileNotFoundError:
            return None
        except ValueError:
            raise EmbeddedError(
                f"{self.data} is damaged, its PG_VERSION cannot be read: restore it, or move it away."
            ) from None


@contextlib.contextmanager
def made_whole(target: Path) -> Iterator[Path]:
    """A folder to fill under another name; it gets its own name only once it is whole. One process at a time."""
    prefix = f"new-{target.name}-"
    for unfinished in target.parent.glob(f"{prefix}*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
    try:
        yield new
        new.rename(target)
    finally:
        shutil.rmtree(new, ignore_errors=True)
