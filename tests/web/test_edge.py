"""The edge against requests that should not be there: wrong hosts, other pages, odd JSON, forced faults."""

import json
import logging
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from ingather.web.accounts import TokenScope
from ingather.web.app import PAGES, PAGES_BEGIN
from ingather.web.bodies import LARGEST_JSON, check_json_body
from ingather.web.edge import SESSION_COOKIE
from tests.extraction.desk import paper
from tests.web.site import API, Site

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = {"/healthz", "/readyz"}
INJECTIONS = (
    "' OR 1=1--",
    "x'; drop table ingather.account; --",
    '"; select pg_sleep(9); --',
    "%s",
    "{0}",
    "${7*7}",
    "\\",
)


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            yield method.upper(), path


def filled(path: str) -> str:
    """An address with something in its braces."""
    return re.sub(r"\{(\w+)\}", lambda name: {"verb": "pause", "template_id": "rct"}.get(name[1], "1"), path)


def raw(site: Site, request: bytes) -> bytes:
    """What the server says to bytes that no client library would send."""
    host, port = site.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall(request)
        line.settimeout(5)
        answer = b""
        while b"\r\n\r\n" not in answer and (part := line.recv(65536)):
            answer += part
        return answer


# --- who is asking ---------------------------------------------------------------------------------------------------


def test_every_route_is_closed_to_those_who_are_not_signed_in(shared: Site) -> None:
    walked = 0
    with httpx.Client(base_url=shared.address) as nobody:
        for method, path in routes(shared.app):
            guess = {"secret": "guess"} if path.endswith(("/session", "/look", "/accept")) else None
            answer = nobody.request(method, filled(path), json=guess)
            if path in PUBLIC:
                assert answer.status_code == 200, path
                continue
            assert answer.status_code == 401, f"{method} {path} answers {answer.status_code}"
            assert answer.headers["content-type"] == "application/problem+json"
            walked += 1
        assert nobody.get(f"{API}/openapi.json").status_code == 401
        assert nobody.get(f"{API}/no/such/thing").status_code == 401
    assert walked > 40


def test_bodies_are_not_looked_at_before_the_caller(shared: Site) -> None:
    with shared.anybody() as nobody:
        assert nobody.post("/projects", json={"name": 5, "more": []}).status_code in {401, 422}
        assert nobody.post("/extraction/tasks", json={"project_id": shared.office.bench.project}).status_code in {
            401,
            422,
        }
        assert (
            nobody.post(
                f"/knowledge-bases/{shared.office.bench.knowledge_base}/documents", files={"files": b"x"}
            ).status_code
            == 401
        )


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json", "/docs/oauth2-redirect"])
def test_the_machine_readable_description_is_closed(shared: Site, path: str) -> None:
    answer = httpx.get(shared.address + path)
    assert answer.status_code == 404 or "swagger" not in answer.text.lower()
    assert "openapi" not in answer.text.lower()


@pytest.mark.parametrize(
    "credentials",
    ["Bearer", "Bearer wrong", "Basic b3duZXI6b3duZXI=", "bearer ing_" + "x" * 43, "Token x", "x" * 5000],
)
def test_a_wrong_token_is_not_mended_by_a_cookie(shared: Site, credentials: str) -> None:
    with shared.browser("owner") as browser:
        assert browser.get("/me").status_code == 200
        assert browser.get("/me", headers={"authorization": credentials}).status_code == 401


# --- which host ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example@127.0.0.1",
        "localhost.evil",
        "",
        "127.1",
        "[::2]",
        "0.0.0.0",
    ],
)
def test_another_name_for_this_machine_gets_nothing(shared: Site, host: str) -> None:
    for path in ("/healthz", f"{API}/me", "/"):
        assert httpx.get(shared.address + path, headers={"host": host}).status_code == 421


def test_the_host_is_read_from_its_header_and_no_other(shared: Site) -> None:
    with shared.browser("owner") as browser:
        for header in ("x-forwarded-host", "forwarded", "x-host", "x-original-url"):
            assert browser.get("/me", headers={header: "evil.example"}).status_code == 200
    port = shared.address.rpartition(":")[2].encode()
    twice = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + port + b"\r\nHost: evil.example\r\n\r\n"
    assert raw(shared, twice).startswith((b"HTTP/1.1 421", b"HTTP/1.1 400"))
    absolute = b"GET http://evil.example/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    assert raw(shared, absolute).startswith((b"HTTP/1.1 421", b"HTTP/1.1 400", b"HTTP/1.1 404"))


# --- other pages -----------------------------------------------------------------------------------------------------

ELSEWHERE: list[dict[str, str]] = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:1"},
    {"origin": "http://localhost.evil"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {},
]


@pytest.mark.parametrize("headers", ELSEWHERE)
def test_another_page_cannot_use_the_cookie_of_a_browser(shared: Site, headers: dict[str, str]) -> None:
    office = shared.office
    document = office.add([paper(1)])[0]
    knowledge_base = f"/knowledge-bases/{office.bench.knowledge_base}/documents"
    with shared.anybody(**headers) as page:
        page.cookies.set(SESSION_COOKIE, office.session("owner"), domain="127.0.0.1")
        forged = json.dumps({"name": "Stolen"})
        plain, form = {"content-type": "text/plain"}, {"content-type": "application/x-www-form-urlencoded"}
        for kind in (plain, form, {"content-type": "application/json"}, {}):
            assert page.post("/projects", content=forged, headers=kind).status_code == 403
        assert page.post(knowledge_base, files={"files": ("x.pdf", b"%PDF-1.4 x")}).status_code == 403
        assert page.delete(f"/documents/{document}").status_code == 403
        assert page.delete("/session").status_code == 403
        assert page.put(f"/projects/{office.bench.project}/members", content=forged).status_code == 403
    with shared.browser("owner") as browser:
        assert "Stolen" not in {project["name"] for project in browser.get("/projects").json()["projects"]}
        assert browser.get(f"/documents/{document}").status_code == 200


def test_another_page_cannot_sign_a_browser_in(shared: Site) -> None:
    secret = shared.office.link_secret("outsider")
    with shared.anybody(origin="https://evil.example") as page:
        assert page.post("/session", json={"secret": secret}).status_code == 403


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil", "http://127.0.0.1:1"])
def test_no_other_origin_is_ever_allowed_to_read(shared: Site, origin: str) -> None:
    with shared.script("owner") as client:
        headers = {"origin": origin, "access-control-request-method": "POST"}
        for answer in (client.get("/me", headers=headers), client.options("/projects", headers=headers)):
            assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_every_answer_carries_the_headers_that_tie_a_browser_down(shared: Site) -> None:
    with shared.browser("owner") as browser:
        answers = [browser.get("/me"), browser.get("/nowhere"), browser.post("/projects", content=b"{"),
                   browser.get("/me", headers={"host": "evil.example"}),
                   browser.put("/me"), browser.get("/tokens/x"), browser.get("/me", headers={"authorization": "x"}),
                   browser.post("/projects", content=b" " * (LARGEST_JSON + 1)),
                   httpx.get(shared.address + "/healthz"), httpx.get(shared.address + "/"),
                   httpx.get(shared.address + "/sign-in"), httpx.get(shared.address + "/../etc/passwd")]  # fmt: skip
        assert {answer.status_code for answer in answers} >= {200, 401, 404, 405, 413, 415, 421}
        for answer in answers:
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            assert "'unsafe" not in answer.headers["content-security-policy"]
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cache-control"] == "no-store"
            assert "server" not in answer.headers or "uvicorn" in answer.headers["server"]


# --- bodies ----------------------------------------------------------------------------------------------------------

ODD = {
    "NaN": b'{"name": NaN}',
    "infinity": b'{"name": -Infinity}',
    "1e400": b'{"name": 1e400}',
    "a key twice": b'{"name": "a", "name": "b"}',
    "a key twice, spelled differently": b'{"name": "a", "n\\u0061me": "b"}',
    "NUL": b'{"name": "a\\u0000b"}',
    "half a character": b'{"name": "\\ud800"}',
    "half a character as a key": b'{"\\udfff": 1}',
    "UTF-16": '{"name": "a"}'.encode("utf-16"),
    "not UTF-8": b'{"name": "\xff"}',
    "a byte order mark": b'\xef\xbb\xbf{"name": "a"}',
    "depth 65": b'{"name": ' + b"[" * 65 + b"]" * 65 + b"}",
    "depth 900": b"[" * 900 + b"]" * 900,
    "depth 100,000": b"[" * 100_000 + b"]" * 100_000,
    "never closed": b"[" * 100_000,
    "quotes without end": b'\\"' * 200_000,
    "5,000 digits": b'{"name": ' + b"9" * 5000 + b"}",
    "two values": b"{} {}",
    "a comment": b'{"name": "a" /* b */}',
    "a comma too many": b'{"name": "a",}',
    "single quotes": b"{'name': 'a'}",
    "nothing but space": b"   ",
}


@pytest.fixture
def client(shared: Site) -> Iterator[httpx.Client]:
    with shared.script("owner") as client:
        yield client


def test_json_that_could_mean_two_things_is_refused(client: httpx.Client) -> None:
    for what, body in ODD.items():
        answer = client.post("/projects", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400, f"{what}: {answer.text}"
        assert answer.json()["status"] == 400
        assert len(answer.json()["detail"]) < 300, what


def test_deep_brackets_within_a_text_are_no_depth(client: httpx.Client) -> None:
    assert client.post("/projects", json={"name": "[" * 150}).status_code == 201
    check_json_body(json.dumps({"name": '"' * 70 + "[{" * 70 + "\\"}).encode())
    check_json_body(("[" + "[]," * 100 + "[]]").encode())


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                                  "application/xml", "application/json-patch+json", ""])  # fmt: skip
def test_a_body_that_is_not_called_json_is_not_read_as_such(client: httpx.Client, kind: str) -> None:
    answer = client.post("/projects", content=b'{"name": "a"}', headers={"content-type": kind} if kind else {})
    assert answer.status_code == 415


@pytest.mark.parametrize("value", [2**64, -1, 0, 1.5, True, "1", "1_000", "٣", None, [], {}])
def test_an_id_in_a_body_is_a_whole_number_and_nothing_else(client: httpx.Client, value: object) -> None:
    answer = client.post("/knowledge-bases", json={"project_id": value, "name": "x"})
    assert answer.status_code == 422
    assert "project_id" in answer.json()["detail"]


@pytest.mark.parametrize(
    "value", [str(2**64), str(2**63), "-1", "0", "1.0", "1_000", "٣", "1e3", "0x1", "+1", "a", "'"]
)
def test_an_id_in_an_address_is_plain_digits(client: httpx.Client, value: str) -> None:
    for path in ("/extraction/tasks/{}", "/documents/{}", "/jobs/{}", "/knowledge-bases/{}/documents"):
        assert client.get(path.format(value)).status_code in {422, 404}
    assert client.get("/extraction/tasks/1/results", params={"after": value, "limit": 1}).status_code in {422, 404}
    if value not in {"-1", "0"}:
        assert client.get("/engine/batches", params={"limit": value}).status_code == 422


def test_what_the_wire_does_not_name_is_refused(shared: Site, client: httpx.Client) -> None:
    assert client.post("/projects", json={"name": "a", "is_admin": True}).status_code == 422
    task = {
        "project_id": shared.office.bench.project,
        "template_id": "rct",
        "document_ids": [1],
        "base_url": "http://x",
    }
    assert client.post("/extraction/tasks", json=task).status_code == 422
    for cap in ("NaN", "Infinity", -1, 1e9, "0.00001", True):
        assert client.post("/extraction/tasks", json={**task, "base_url": None, "spend_cap": cap}).status_code == 422


@pytest.mark.parametrize("declared", [str(LARGEST_JSON + 1), "9" * 30])
def test_a_body_that_says_it_is_too_big_is_refused_before_it_is_read(shared: Site, declared: str) -> None:
    head = f"POST {API}/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    answer = raw(shared, head.encode() + f"Content-Length: {declared}\r\n\r\n".encode() + b"{")
    assert answer.startswith((b"HTTP/1.1 413", b"HTTP/1.1 400"))


def test_a_body_that_does_not_say_how_big_it_is_is_read_no_further_than_allowed(shared: Site) -> None:
    drawn = 0

    def chunks() -> Iterator[bytes]:
        nonlocal drawn
        for _ in range(1000):
            drawn += 1
            yield b" " * 65536

    for kind in ("application/json", "multipart/form-data; boundary=x"):
        for client, refusal in ((shared.anybody(), 401), (shared.script("owner"), 413)):
            with client:
                try:
                    answer = client.post("/session", content=chunks(), headers={"content-type": kind})
                except httpx.WriteError:
                    continue  # the server has hung up on us
                assert answer.status_code == refusal
    assert drawn < 1000, "the server let us go on"


# --- words that are code elsewhere -----------------------------------------------------------------------------------


def test_sql_in_any_text_is_text(shared: Site, client: httpx.Client) -> None:
    office = shared.office
    document = office.add([paper(1)])[0]
    for text in INJECTIONS:
        made = client.post("/projects", json={"name": text})
        assert made.status_code == 201
        assert made.json()["name"] == text
        knowledge_base = client.post("/knowledge-bases", json={"project_id": office.bench.project, "name": text})
        assert knowledge_base.json()["name"] == text
        found = client.get(f"/knowledge-bases/{office.bench.knowledge_base}/documents", params={"search": text})
        assert found.json()["documents"] == []
        assert client.post("/tokens", json={"name": text, "scope": "read"}).status_code == 201
        member = {"account": text, "role": "reader"}
        assert client.put(f"/projects/{office.bench.project}/members", json=member).status_code == 422
        assert client.get("/extraction/templates/" + text.replace("/", "")).status_code in {404, 422}
        task = {"project_id": office.bench.project, "template_id": "rct", "document_ids": [document]}
        started = client.post("/extraction/tasks", json=task | {"context": text, "idempotency_key": text})
        assert started.status_code == 201
        task["template_id"] = text
        assert client.post("/extraction/tasks", json=task).status_code == 422
    with shared.script("operator", TokenScope.OPERATE) as operator:
        for text in (*INJECTIONS, "a" * 70, "名"):
            assert operator.post(f"/engine/queues/{text.replace('/', '')}/pause").status_code in {404, 422}
            assert operator.post(f"/engine/schedules/{text.replace('/', '')}/pause").status_code in {404, 422}
    assert {project["name"] for project in client.get("/projects").json()["projects"]} >= {"Review", *INJECTIONS}


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/engine/batches", {"state": "open' or 'a'='a"}),
        ("/engine/batches", {"limit": "501"}),
        ("/engine/batches", {"limit": "0"}),
        ("/extraction/tasks", {"project_id": "1", "limit": "100000"}),
        ("/extraction/tasks/1/export", {"format": "pdf"}),
        ("/extraction/tasks/1/export", {"format": "../../etc/passwd"}),
        ("/extraction/tasks/1/export", {"language": "en; drop"}),
        ("/engine/batches/1/drop", {}),
    ],
)
def test_choices_are_those_on_the_list(client: httpx.Client, path: str, params: dict[str, str]) -> None:
    assert client.get(path, params=params).status_code in {404, 422}


def test_names_are_what_people_can_see(shared: Site, client: httpx.Client) -> None:
    made = client.post("/projects", json={"name": " a\u202eb\u200b c \u2028 d "})
    assert made.json()["name"] == "ab c d"
    assert client.post("/projects", json={"name": "\u200b\u202e"}).status_code == 422
    markup = "<img src=x onerror=alert(1)>"
    answer = client.post("/projects", json={"name": markup})
    assert answer.json()["name"] == markup
    assert answer.headers["content-type"] == "application/json"


# --- faults ----------------------------------------------------------------------------------------------------------


def test_a_fault_is_told_by_a_number_and_the_log_has_the_rest(
    shared: Site, client: httpx.Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret-of-the-house at /srv/inside.py")

    monkeypatch.setattr(shared.office.bench.extraction, "list_templates", broken)
    with caplog.at_level(logging.ERROR, "ingather.web"):
        answer = client.get("/extraction/templates")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    number = re.fullmatch(r"This is a fault of ours, written down as ([0-9a-f]{8})\.", answer.json()["detail"])
    assert number is not None
    assert "secret-of-the-house" not in answer.text
    assert "Traceback" not in answer.text
    assert number[1] in caplog.text
    assert "secret-of-the-house" in caplog.text


@pytest.mark.parametrize("path", ["/ingather/api/v1/me", "/api/v2/me", "/api", "/api/v1/nothing", "/tasks/api/v1"])
def test_an_address_of_the_api_that_is_wrong_is_no_page(shared: Site, path: str) -> None:
    with shared.script("owner") as client:
        answer = client.get(shared.address + path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_page_that_is_not_there_is_not_found(shared: Site) -> None:
    if not PAGES.exists():
        pytest.skip("The pages are not built.")
    router = (ROOT / "ui" / "src" / "router.tsx").read_text()
    known = {path.split("/")[1] for path in re.findall(r'path: "(/[^"]*)"', router)}
    assert known == PAGES_BEGIN
    for path, status in (("/", 200), ("/tasks/7", 200), ("/wp-login.php", 404), ("/index.php/tasks", 404)):
        answer = httpx.get(shared.address + path)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")


def test_a_database_that_is_gone_is_not_described_to_everybody(
    shared: Site, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ingather.engine.errors import DatabaseUnavailable

    def gone(*_: object, **__: object) -> None:
        raise DatabaseUnavailable("No PostgreSQL could be reached at db.internal:5432/ingather")

    async def agone(*_: object, **__: object) -> None:
        gone()

    monkeypatch.setattr(type(shared.office.engine.database), "run", gone)
    monkeypatch.setattr(type(shared.office.engine.database), "aplay", agone)
    for answer in (client.get("/me"), httpx.get(shared.address + "/readyz")):
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0
        assert "db.internal" not in answer.text
    assert httpx.get(shared.address + "/healthz").status_code == 200


def test_sign_in_has_a_limit_for_those_who_guess(site: Site) -> None:
    secret = site.office.link_secret("owner")
    with site.anybody() as nobody:
        answers = [nobody.post("/session", json={"secret": f"guess {n}"}) for n in range(12)]
        assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2
        assert 0 < int(answers[-1].headers["retry-after"]) <= 60
    # Behind a proxy everybody has the same address. Whoever has a link is let in all the same.
    with site.anybody(origin=site.address) as owner:
        assert owner.post("/session", json={"secret": secret}).status_code == 204
        assert owner.post("/session", json={"secret": secret}).status_code == 429
