"""The blob store, in a folder and in a bucket: kept once, whole or not at all, under no name from outside."""

import hashlib
import io
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from obstore.store import LocalStore, MemoryStore

from ingather.library.blobs import Blobs, FolderBlobs, blobs_from, check
from ingather.library.bucket import S3Blobs
from ingather.library.errors import FileMissing, FileTooBig, StoreUnavailable, UnknownFile

PAPER = b"%PDF-1.7 a paper\n" * 10_000
SHA256 = hashlib.sha256(PAPER).hexdigest()
HOSTILE = ["", "../../etc/passwd", "a" * 63, SHA256.upper(), SHA256 + "\n", f"{SHA256[:60]}/../", "a\0b"]


class Bucket(BaseHTTPRequestHandler):
    """The few requests of S3 that single objects need, kept in memory; no signatures are checked."""

    objects: ClassVar[dict[str, bytes]] = {}

    def do_PUT(self) -> None:
        self.objects[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200)

    def do_GET(self) -> None:
        found = self.objects.get(self.path)
        self._answer(404 if found is None else 200, found or b"")

    do_HEAD = do_GET  # noqa: N815

    def do_DELETE(self) -> None:
        self.objects.pop(self.path, None)
        self._answer(204)

    def do_POST(self) -> None:
        # Deleting several keys at once, which is how obstore deletes one.
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        keys = [part.split("</Key>")[0] for part in body.split("<Key>")[1:]]
        for key in keys:
            self.objects.pop(f"/papers/{key}", None)
        deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        self._answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Mon, 16 Nov 2026 05:00:00 GMT")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """An S3 of our own on the loopback, and the environment that leads there. Gives its objects."""
    Bucket.objects.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    yield Bucket.objects
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(params=["folder", "memory", "local", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    """Every kind of store there is: one promise for all."""
    match request.param:
        case "folder":
            return FolderBlobs(tmp_path / "files")
        case "memory":
            return S3Blobs(MemoryStore())
        case "local":
            return S3Blobs(LocalStore(tmp_path))
        case _:
            request.getfixturevalue("bucket")
            return blobs_from("s3://papers/library")


class Torn:
    """A stream that breaks off, as when a browser is closed."""

    def __init__(self) -> None:
        self._rest = io.BytesIO(PAPER)

    def read(self, size: int, /) -> bytes:
        chunk = self._rest.read(size)
        if not chunk:
            raise ConnectionResetError("the client went away")
        return chunk


class Endless:
    """More bytes than anyone can keep; counts what was taken."""

    def __init__(self) -> None:
        self.taken = 0

    def read(self, size: int, /) -> bytes:
        self.taken += size
        return b"x" * size


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_what_was_put_comes_back_under_its_sha256(blobs: Blobs) -> None:
    stored = blobs.put(io.BytesIO(PAPER))
    assert (stored.sha256, stored.size, stored.was_new) == (SHA256, len(PAPER), True)
    assert blobs.exists(SHA256)
    with blobs.path(SHA256) as path:
        assert path.read_bytes() == PAPER


def test_the_same_bytes_are_kept_once(blobs: Blobs) -> None:
    assert [blobs.put(io.BytesIO(PAPER)).was_new for _ in range(2)] == [True, False]


def test_an_empty_file_is_a_file(blobs: Blobs) -> None:
    stored = blobs.put(io.BytesIO(b""))
    with blobs.path(stored.sha256) as path:
        assert path.read_bytes() == b""


def test_deleting_tells_whether_there_was_something(blobs: Blobs) -> None:
    blobs.put(io.BytesIO(PAPER))
    assert [blobs.delete(SHA256), blobs.delete(SHA256)] == [True, False]
    assert not blobs.exists(SHA256)
    with pytest.raises(FileMissing, match="Upload it again"), blobs.path(SHA256):
        pass


@pytest.mark.parametrize("name", HOSTILE)
def test_only_a_sha256_is_a_name(blobs: Blobs, name: str) -> None:
    for ask in (blobs.exists, blobs.delete, lambda hostile: blobs.path(hostile).__enter__()):
        with pytest.raises(UnknownFile, match="64 hexadecimal digits"):
            ask(name)


def test_an_endless_stream_is_refused_as_soon_as_it_is_too_long(blobs: Blobs) -> None:
    endless = Endless()
    with pytest.raises(FileTooBig, match=r"may have 1 MB"):
        blobs.put(endless, max_bytes=1_000_000)
    assert endless.taken < 1_200_000


def test_a_stream_of_exactly_the_limit_is_kept(blobs: Blobs) -> None:
    assert blobs.put(io.BytesIO(b"x" * 1000), max_bytes=1000).size == 1000
    with pytest.raises(FileTooBig):
        blobs.put(io.BytesIO(b"x" * 1001), max_bytes=1000)


def test_a_put_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    with pytest.raises(ConnectionResetError):
        blobs.put(Torn())
    with pytest.raises(FileTooBig):
        blobs.put(Endless(), max_bytes=100_000)
    assert files_in(tmp_path) == []


def test_a_file_shows_only_when_it_is_whole(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    seen: list[bool] = []

    class Watched(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            seen.append(blobs.exists(SHA256))
            return super().read(size)

    blobs.put(Watched(PAPER))
    assert len(seen) > 2
    assert not any(seen)
    assert files_in(tmp_path) == [f"{SHA256[:2]}/{SHA256[2:4]}/{SHA256}"]


def test_a_file_cut_short_by_a_fault_is_put_right_by_the_next_upload(tmp_path: Path) -> None:
    blobs = FolderBlobs(tmp_path)
    blobs.put(io.BytesIO(PAPER))
    with blobs.path(SHA256) as path:
        os.truncate(path, 100)
    blobs.put(io.BytesIO(PAPER))
    with blobs.path(SHA256) as path:
        assert path.read_bytes() == PAPER


def test_many_may_put_the_same_bytes_at_once(blobs: Blobs) -> None:
    together = threading.Barrier(4)

    def put(_: int) -> str:
        together.wait(10)
        return blobs.put(io.BytesIO(PAPER)).sha256

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(put, range(4))) == {SHA256}
    with blobs.path(SHA256) as path:
        assert path.read_bytes() == PAPER


def test_a_file_from_a_bucket_is_local_only_for_as_long_as_it_is_open() -> None:
    blobs = S3Blobs(MemoryStore())
    blobs.put(io.BytesIO(PAPER))
    with blobs.path(SHA256) as path:
        assert path.exists()
    assert not path.parent.exists()


def test_a_store_that_cannot_be_written_is_told_before_the_first_upload(tmp_path: Path, blobs: Blobs) -> None:
    check(blobs)
    assert not blobs.exists(hashlib.sha256().hexdigest())
    blobs.put(io.BytesIO())
    check(blobs)
    assert blobs.exists(hashlib.sha256().hexdigest())
    (tmp_path / "a file").touch()
    for place, why in ((tmp_path / "a file", "Not a directory"), (Path("/proc/none"), "No such file")):
        with pytest.raises(StoreUnavailable, match=f"INGATHER_BLOBS says: {why}"):
            check(FolderBlobs(place))


def test_a_setting_names_the_store(tmp_path: Path, bucket: dict[str, bytes]) -> None:
    assert isinstance(blobs_from(tmp_path), FolderBlobs)
    assert isinstance(blobs_from(str(tmp_path)), FolderBlobs)
    blobs_from("s3://papers/library").put(io.BytesIO(PAPER))
    assert bucket == {f"/papers/library/{SHA256[:2]}/{SHA256[2:4]}/{SHA256}": PAPER}
    with pytest.raises(StoreUnavailable, match="ftp:// is not known"):
        blobs_from("ftp://papers")
