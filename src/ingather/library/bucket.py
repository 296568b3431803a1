"""Files in a bucket: the blob store for S3 and what speaks like it."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from ingather.library.blobs import CHUNK, MAX_BYTES, Readable, Stored, checked_sha256, drain, missing, unwritable
from ingather.library.errors import StoreUnavailable

try:
    import obstore
    from obstore.exceptions import BaseError
    from obstore.store import S3Store
except ImportError:  # pragma: no cover  # the extra `s3`
    raise StoreUnavailable("Files in S3 need the extra `s3`: pip install 'ingather[s3]'.") from None

if TYPE_CHECKING:
    from obstore.store import ObjectStore


class S3Blobs:
    """Files in a bucket, below its prefix. A put is one atomic request, or one multipart upload for large files.

    Keys, region and endpoint are taken from the environment as every S3
    program takes them (`AWS_ACCESS_KEY_ID`, `AWS_REGION`, `AWS_ENDPOINT_URL`).
    """

    def __init__(self, store: "ObjectStore") -> None:
        self._store = store

    @classmethod
    def from_url(cls, url: str) -> "S3Blobs":
        try:
            return cls(S3Store.from_url(url))
        except (BaseError, ValueError) as error:
            raise StoreUnavailable(f"The bucket {url} cannot be used: {error}") from error

    def put(self, stream: Readable, *, max_bytes: int = MAX_BYTES) -> Stored:
        # The name is known once all bytes have passed, so they pass through a file here first.
        with tempfile.TemporaryFile() as file:
            sha256, size = drain(stream, file, max_bytes)
            file.seek(0)
            try:
                was_new = not self.exists(sha256)
                if was_new:
                    obstore.put(self._store, _bucket_key(sha256), file)
            except (BaseError, OSError) as error:
                # The answer of a bucket is long; its first line says it.
                raise unwritable(str(error).strip().splitlines()[0][:200]) from error
        return Stored(sha256=sha256, size=size, was_new=was_new)

    @contextmanager
    def path(self, sha256: str) -> Iterator[Path]:
        key = _bucket_key(sha256)
        folder = Path(tempfile.mkdtemp(prefix="ingather-"))
        try:
            path = folder / sha256
            try:
                with path.open("wb") as file:
                    for chunk in obstore.get(self._store, key).stream(min_chunk_size=16 * CHUNK):
                        file.write(chunk)
            except FileNotFoundError:
                raise missing(sha256) from None
            yield path
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def exists(self, sha256: str) -> bool:
        try:
            obstore.head(self._store, _bucket_key(sha256))
        except FileNotFoundError:
            return False
        return True

    def delete(self, sha256: str) -> bool:
        was_there = self.exists(sha256)
        if was_there:
            obstore.delete(self._store, _bucket_key(sha256))
        return was_there

    def sweep(self, keep: timedelta) -> int:
        """Nothing: a put is one request, and what a broken one left is the bucket's to remove (a lifecycle rule)."""
        del keep
        return 0


def _bucket_key(sha256: str) -> str:
    checked = checked_sha256(sha256)
    return f"{checked[:2]}/{checked[2:4]}/{checked}"
