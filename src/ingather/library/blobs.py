"""Files by their content: the same bytes are kept once, under their sha256, in a folder or in a bucket."""

import hashlib
import io
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import IO, Protocol

from ingather.library.errors import FileMissing, FileTooBig, StoreUnavailable, UnknownFile
from ingather.notice import notice

# The largest file that can be uploaded. Papers have 1 to 20 MB; a larger limit lets one upload fill memory and disk.
MAX_BYTES = 50_000_000
# Files are copied in pieces of this size: larger ones hold more memory per upload, smaller ones cost more calls.
CHUNK = 64 * 1024

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Readable(Protocol):
    """Anything with `read(size)`: an open file, a part of a form."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Bytes that are safe now, and whether they were not there before."""

    sha256: str
    size: int
    was_new: bool


class Blobs(Protocol):
    """Where files live. A file that can be seen is whole."""

    def put(self, stream: Readable, *, max_bytes: int = MAX_BYTES) -> Stored:
        """Keep the bytes. `FileTooBig` as soon as there are more than `max_bytes`, and nothing is left behind."""

    def path(self, sha256: str) -> AbstractContextManager[Path]:
        """The file as a local one, for as long as the block lasts. Not to be written to."""

    def exists(self, sha256: str) -> bool: ...

    def delete(self, sha256: str) -> bool:
        """Forget the bytes. False when there were none."""

    def sweep(self, keep: timedelta) -> int:
        """Remove what broken uploads left behind, longer ago than `keep`. Returns how many."""


def blobs_from(place: str | Path) -> Blobs:
    """The store a setting names: a folder, or a bucket as `s3://bucket/prefix`."""
    text = str(place)
    if text.startswith("s3://"):
        from ingather.library.bucket import S3Blobs  # noqa: PLC0415  # obstore is an extra

        return S3Blobs.from_url(text)
    if "://" in text:
        scheme = text.partition("://")[0]
        raise StoreUnavailable(f"Files are kept in a folder or at s3://bucket/prefix; {scheme}:// is not known.")
    return FolderBlobs(Path(text).expanduser())


class FolderBlobs:
    """Files in a folder: `ab/cd/abcd…`, named by their content alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __repr__(self) -> str:
        return f"FolderBlobs({str(self.folder)!r})"

    def put(self, stream: Readable, *, max_bytes: int = MAX_BYTES) -> Stored:
        try:
            return self._put(stream, max_bytes)
        except ConnectionError:
            raise  # of whoever sends: a folder has none
        except OSError as error:
            raise unwritable(error.strerror or str(error)) from error

    def _put(self, stream: Readable, max_bytes: int) -> Stored:
        # Nobody else reads them: the folder is private where we make it, and so is every file in it.
        if not self.folder.exists():
            self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o711 if os.geteuid() == 0 else 0o700)
            self.folder.mkdir(exist_ok=True, mode=0o700)
        self._incoming.mkdir(exist_ok=True, mode=0o700)
        number, name = tempfile.mkstemp(dir=self._incoming)
        try:
            with os.fdopen(number, "wb") as file:
                sha256, size = drain(stream, file, max_bytes)
                file.flush()
                os.fsync(file.fileno())
            target = self._target(sha256)
            if _size_of_blob(target) == size:
                return Stored(sha256=sha256, size=size, was_new=False)
            target.parent.mkdir(parents=True, exist_ok=True)
            # Two who put the same bytes both rename; the second replaces a file with its equal.
            Path(name).rename(target)
            _sync(target.parent)
            return Stored(sha256=sha256, size=size, was_new=True)
        finally:
            Path(name).unlink(missing_ok=True)

    @contextmanager
    def path(self, sha256: str) -> Iterator[Path]:
        target = self._target(sha256)
        if _size_of_blob(target) is None:
            raise missing(sha256)
        yield target

    def exists(self, sha256: str) -> bool:
        return _size_of_blob(self._target(sha256)) is not None

    def delete(self, sha256: str) -> bool:
        with suppress(FileNotFoundError):
            self._target(sha256).unlink()
            return True
        return False

    def sweep(self, keep: timedelta) -> int:
        """Remove what uploads left behind whose process was killed. An upload that is under way writes to its file."""
        oldest = time.time() - keep.total_seconds()
        swept = 0
        for file in self._incoming.glob("*"):
            with suppress(FileNotFoundError):
                if file.stat().st_mtime < oldest:
                    file.unlink()
                    swept += 1
        return swept

    @property
    def _incoming(self) -> Path:
        return self.folder / "incoming"

    def _target(self, sha256: str) -> Path:
        checked = checked_sha256(sha256)
        return self.folder / checked[:2] / checked[2:4] / checked


def check(blobs: Blobs) -> None:
    """Fail now rather than at the first upload: puts an empty file, and takes it away again."""
    probe = blobs.put(io.BytesIO())
    if probe.was_new:
        blobs.delete(probe.sha256)


def unwritable(why: str) -> StoreUnavailable:
    return StoreUnavailable(
        notice(
            "library.files_cannot_kept_where_ingather",
            "Files cannot be kept where INGATHER_BLOBS says: {why}. Mend it and try again.",
            why=why.rstrip("."),
        )
    )


def checked_sha256(sha256: str) -> str:
    """The only names that become part of a path: 64 hexadecimal digits."""
    if not _SHA256.fullmatch(sha256):
        raise UnknownFile(f"A file is named by the 64 hexadecimal digits of its sha256, not {sha256[:80]!r}.")
    return sha256


def drain(stream: Readable, into: IO[bytes], max_bytes: int) -> tuple[str, int]:
    """Copy a stream in small pieces; its sha256 and size."""
    digest = hashlib.sha256()
    size = 0
    while chunk := stream.read(CHUNK):
        size += len(chunk)
        if size > max_bytes:
            raise FileTooBig(
                notice(
                    "library.file_mb_split_make_images",
                    "A file may have {most} MB and this one has more. Split it, or make its images smaller.",
                    most=f"{max_bytes / 1e6:,.10g}",
                )
            )
        digest.update(chunk)
        into.write(chunk)
    return digest.hexdigest(), size


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def missing(sha256: str) -> FileMissing:
    return FileMissing(
        notice(
            "library.file_gone_from_store",
            "The file {sha256} is gone from the store. Upload it again, or bring the store back from a backup.",
            sha256=f"{sha256[:12]}…",
        )
    )


def _size_of_blob(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _sync(folder: Path) -> None:
    """A rename is safe once its folder is."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
