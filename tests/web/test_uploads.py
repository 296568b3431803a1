"""Uploads against those who send too much, the wrong thing, or names that are traps; and files as they are served."""

import gc
import io
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from ingather.web import bodies
from ingather.web.limits import ConcurrencyLimit, RequestLimits
from ingather.web.problems import Refused
from tests.engine.workshop import until
from tests.extraction.desk import paper
from tests.web.site import Site

BOUNDARY = "x"
FORM = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
TRAPS = {
    "../../etc/passwd": "passwd",
    "..\\..\\boot.ini": "boot.ini",
    "a%0D%0ASet-Cookie: x=1.pdf": "a%0D%0ASet-Cookie: x=1.pdf",
    "\u202efdp.exe": "fdp.exe",
    "a\0b.pdf": "ab.pdf",
    "   ": "unnamed.pdf",
    "<img src=x onerror=alert(1)>.pdf": "<img src=x onerror=alert(1)>.pdf",
    "con": "con",
    "论文.pdf": "论文.pdf",
}


def part(name: bytes, content: bytes, *, is_file: bool = True) -> bytes:
    file_name = b'; filename="' + name + b'"' if is_file else b""
    field = b"files" if is_file else name
    return b'--x\r\nContent-Disposition: form-data; name="' + field + b'"' + file_name + b"\r\n\r\n" + content + b"\r\n"


END = b"--x--\r\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files would be left behind."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def client(shared: Site) -> Iterator[httpx.Client]:
    with shared.script("reviewer") as client:
        yield client


def knowledge_base(site: Site) -> str:
    return f"/knowledge-bases/{site.office.bench.knowledge_base}/documents"


def files_in(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file()]


def incoming(site: Site) -> list[str]:
    return files_in(Path(site.office.bench.library.blobs.folder) / "incoming")  # type: ignore[attr-defined]


def is_refused(client: httpx.Client, address: str, chunks: Iterator[bytes]) -> bool:
    """Told so, or hung up on."""
    with suppress(httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        answer = client.post(address, content=chunks, headers=FORM)
        assert answer.status_code == 413, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
    return True


def open_files() -> int:
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


# --- too much --------------------------------------------------------------------------------------------------------


def test_an_upload_that_says_it_is_too_big_is_not_read(shared: Site, client: httpx.Client) -> None:
    drawn = 0

    def chunks() -> Iterator[bytes]:
        nonlocal drawn
        for _ in range(1000):
            drawn += 1
            yield b"x" * 65536

    headers = FORM | {"content-length": str(bodies.LARGEST_UPLOAD + 1)}
    with suppress(httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        assert client.post(knowledge_base(shared), content=chunks(), headers=headers).status_code == 413
    assert drawn < 200


def test_an_upload_without_an_end_is_cut_off_and_nothing_is_left_of_it(
    shared: Site, client: httpx.Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "LARGEST_UPLOAD", 5_000_000)

    def endless() -> Iterator[bytes]:
        yield part(b"a.pdf", b"")[:-2]
        for _ in range(400):
            yield b"x" * 65536

    before = open_files()
    tracemalloc.start()
    try:
        assert is_refused(client, knowledge_base(shared), endless())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000, "a file is on the disk and not in memory"
    # A caller that was hung up on is gone before the server has tidied up.
    until(lambda: shared.app.state.limiters.uploads.held(shared.office.people["reviewer"].id) == 0)
    until(lambda: files_in(folder) == incoming(shared) == [] and open_files() <= before + 4)


@pytest.mark.parametrize(
    "body",
    [
        b"".join(part(b"%d.pdf" % n, b"x") for n in range(51)) + END,
        b"".join(part(b"f%d" % n, b"x", is_file=False) for n in range(10_000)) + END,
        part(b"text", b"x" * 2_000_000, is_file=False) + END,
    ],
    ids=["51 files", "10,000 fields", "one long field"],
)
def test_a_form_of_too_many_parts_is_refused(shared: Site, client: httpx.Client, body: bytes, folder: Path) -> None:
    assert is_refused(client, knowledge_base(shared), iter([body]))
    until(lambda: files_in(folder) == [])


def test_a_file_that_is_too_big_is_refused_and_the_others_are_kept(
    shared: Site, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared.office.bench.library, "max_bytes", 1000)
    big, small = ("files", ("big.pdf", b"x" * 1001)), ("files", ("small.pdf", b"small"))
    assert client.post(knowledge_base(shared), files=[big]).status_code == 413
    both = client.post(knowledge_base(shared), files=[big, small])
    assert both.status_code == 202
    assert [upload["document"]["file_name"] for upload in both.json()["uploads"]] == ["small.pdf"]
    assert both.json()["refused"][0]["file_name"] == "big.pdf"
    assert incoming(shared) == []


def test_one_person_has_so_many_seats_and_no_more() -> None:
    slots = ConcurrencyLimit(RequestLimits().uploads, "uploads")
    for _ in range(RequestLimits().uploads):
        slots.acquire("somebody")
    with pytest.raises(Refused) as refused:
        slots.acquire("somebody")
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "5"})
    slots.acquire("somebody else")
    slots.release("somebody")
    with slots.holding("somebody"), pytest.raises(Refused):
        slots.acquire("somebody")


# --- the wrong thing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("multipart/form-data", b"x", 400),
        ("multipart/form-data; boundary=", b"x", 400),
        ("multipart/form-data; boundary=x", b"", 400),
        ("multipart/form-data; boundary=x", b"--x\r\n\r\n\r\n--x--", 400),
        ("multipart/form-data; boundary=x", part(b"cut.pdf", b"x")[:-5], 400),
        ("multipart/form-data; boundary=x", part(b"files", b"text", is_file=False) + END, 422),
        ("multipart/form-data; boundary=x; charset=utf-7", part(b"+2AA-.pdf", b"x") + END, 415),
        ("multipart/form-data; boundary=x; charset=undefined", part(b"a.pdf", b"x") + END, 415),
        ("application/x-www-form-urlencoded", b"files=x", 415),
        ("application/json", b'{"files": "x"}', 422),
        ("application/pdf", b"%PDF-1.7", 415),
    ],
)  # fmt: skip
def test_what_is_no_form_with_files_is_refused(
    shared: Site, client: httpx.Client, kind: str, body: bytes, status: int
) -> None:
    answer = client.post(knowledge_base(shared), content=body, headers={"content-type": kind})
    assert answer.status_code in {status, 422} if status == 400 else answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_file_name_is_for_display_and_never_a_path(shared: Site, client: httpx.Client) -> None:
    for n, (sent, shown) in enumerate(TRAPS.items()):
        answer = client.post(knowledge_base(shared), content=part(sent.encode(), b"trap %d" % n) + END, headers=FORM)
        assert answer.status_code == 202, answer.text
        document = answer.json()["uploads"][0]["document"]
        assert document["file_name"] == shown
        served = client.get(f"/documents/{document['document_id']}/file")
        assert served.content == b"trap %d" % n
        assert "set-cookie" not in served.headers
        assert served.headers["content-disposition"].isascii()
    long = client.post(knowledge_base(shared), content=part(b"n" * 3000 + b".pdf", b"long") + END, headers=FORM)
    assert len(long.json()["uploads"][0]["document"]["file_name"].encode()) <= 255


def test_the_same_bytes_twice_are_told_and_the_same_name_twice_is_no_matter(shared: Site, client: httpx.Client) -> None:
    first = client.post(knowledge_base(shared), files={"files": ("same.pdf", b"one")}).json()["uploads"][0]
    again = client.post(knowledge_base(shared), files={"files": ("other.pdf", b"one")}).json()["uploads"][0]
    assert (first["is_duplicate"], again["is_duplicate"]) == (False, True)
    assert again["document"]["document_id"] == first["document"]["document_id"]
    other = client.post(knowledge_base(shared), files={"files": ("same.pdf", b"two")}).json()["uploads"][0]
    assert other["document"]["document_id"] != first["document"]["document_id"]


# --- how files are served --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("page.pdf", b"<script>alert(1)</script>\n%PDF-1.7 polyglot", "application/pdf"),
        ("page.html", b"<script>alert(1)</script>", "application/octet-stream"),
        ("picture.svg", b"<svg onload=alert(1)>", "application/octet-stream"),
        ("archive.pdf", b"PK\x03\x04%PDF-1.4", "application/pdf"),
        ("empty.pdf", b"", "application/pdf"),
    ],
)
def test_a_file_is_saved_by_a_browser_and_never_shown(
    shared: Site, client: httpx.Client, name: str, content: bytes, kind: str
) -> None:
    uploaded = client.post(knowledge_base(shared), files={"files": (name, content, "text/html")})
    document = uploaded.json()["uploads"][0]["document"]["document_id"]
    answer = client.get(f"/documents/{document}/file")
    assert answer.content == content
    assert answer.headers["content-type"] == kind
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert answer.headers["cache-control"] == "no-store"


@pytest.fixture(scope="module")
def lines_of_text(shared: Site) -> str:
    """The address of a file of a thousand bytes, all different from their neighbours."""
    with shared.script("reviewer") as client:
        uploaded = client.post(knowledge_base(shared), files={"files": ("r.pdf", bytes(n % 251 for n in range(1000)))})
        return f"/documents/{uploaded.json()['uploads'][0]['document']['document_id']}/file"


@pytest.mark.parametrize(
    ("range_header", "status", "first", "last"),
    [
        ("bytes=0-0", 206, 0, 0),
        ("bytes=10-19", 206, 10, 19),
        ("bytes=990-", 206, 990, 999),
        ("bytes=-10", 206, 990, 999),
        ("bytes=-5000", 206, 0, 999),
        ("bytes=999-5000", 206, 999, 999),
        ("bytes=1000-", 416, 0, 0),
        ("bytes=-0", 416, 0, 0),
        ("bytes=9999999999999999999-", 416, 0, 0),
        # Malformed, of another unit, or several: as if nothing had been asked.
        ("bytes=5-1", 200, 0, 0),
        ("bytes=-", 200, 0, 0),
        ("bytes=", 200, 0, 0),
        ("bytes=a-b", 200, 0, 0),
        ("bytes=1_0-2_0", 200, 0, 0),
        ("bytes=--1", 200, 0, 0),
        ("bytes=0x1-0x2", 200, 0, 0),
        ("bytes=99999999999999999999999-", 200, 0, 0),
        ("lines=1-2", 200, 0, 0),
        ("x", 200, 0, 0),
        ("", 200, 0, 0),
        ("bytes=0-1,5-6", 200, 0, 0),
        ("bytes=" + ",".join(f"{n}-{n}" for n in range(2000)), 200, 0, 0),
    ],
)
def test_one_plain_range_of_a_file_is_served_and_anything_else_is_ignored(
    client: httpx.Client, lines_of_text: str, range_header: str, status: int, first: int, last: int
) -> None:
    whole = bytes(n % 251 for n in range(1000))
    answer = client.get(lines_of_text, headers={"range": range_header})
    assert answer.status_code == status, answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    match status:
        case 206:
            assert answer.content == whole[first : last + 1]
            assert answer.headers["content-range"] == f"bytes {first}-{last}/1000"
            assert answer.headers["content-disposition"].startswith("attachment;")
            assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
        case 416:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["content-range"] == "bytes */1000"
            assert answer.json()["status"] == 416
        case _:
            assert answer.content == whole
            assert answer.headers["content-type"] == "application/pdf"


def test_two_ranges_in_two_headers_are_ignored_and_pages_have_no_parts(
    shared: Site, client: httpx.Client, lines_of_text: str
) -> None:
    twice = client.get(lines_of_text, headers=[("range", "bytes=0-1"), ("range", "bytes=2-3")])
    assert (twice.status_code, len(twice.content)) == (200, 1000)
    for range_header in ("bytes=0-1", "bytes=5-1", "bytes=99999999-", "x"):
        for path in ("/healthz", "/", "/assets/nothing.js"):
            answer = httpx.get(shared.address + path, headers={"range": range_header})
            assert answer.status_code in {200, 404}
            assert "text/plain" not in answer.headers["content-type"]


def test_a_file_and_an_export_give_back_what_they_hold(shared: Site, client: httpx.Client, folder: Path) -> None:
    office = shared.office
    task_id = office.start(office.add([paper(n) for n in range(3)]))
    office.work()
    client.get("/me")
    before = open_files()
    for kind in ("xlsx", "csv", "csv-tables", "json", "html"):
        answer = client.get(f"/extraction/tasks/{task_id}/export", params={"format": kind})
        assert answer.status_code == 200
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert answer.headers["content-disposition"].startswith(f'attachment; filename="ingather-task-{task_id}.')
        assert answer.headers["content-security-policy"].startswith("sandbox;")
        assert answer.headers["x-content-type-options"] == "nosniff"
        with client.stream("GET", f"/extraction/tasks/{task_id}/export", params={"format": kind}):
            pass  # and leaves
    # The server hears of that a moment later.
    until(lambda: shared.app.state.limiters.exports.held(office.people["reviewer"].id) == 0)
    until(lambda: files_in(folder) == [] and open_files() <= before + 4)


def test_an_upload_is_kept_by_its_content_alone(shared: Site, client: httpx.Client) -> None:
    client.post(knowledge_base(shared), files={"files": ("../../evil.pdf", io.BytesIO(b"evil"))})
    files = [path for path in Path(shared.office.bench.library.blobs.folder).rglob("*") if path.is_file()]  # type: ignore[attr-defined]
    assert files
    assert all(len(path.name) == 64 and set(path.name) <= set("0123456789abcdef") for path in files)
