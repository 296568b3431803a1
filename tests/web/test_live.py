"""Live views: events in order, none lost and none twice, and nobody looks on who may no longer."""

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest

from ingather.engine.engine import Engine
from ingather.extraction.tasks.journal import Journal, JournalLine
from ingather.notice import notice, notice_fields, notice_to_json
from ingather.web.accounts import TokenScope
from ingather.web.app import create_app
from ingather.web.limits import RequestLimits
from tests.engine.workshop import until
from tests.extraction.desk import Bench, paper
from tests.web.site import Office, Site, rooms_of, served, working

QUICK = RequestLimits(poll_s=0.02, recheck_rights_s=0.1, keep_alive_s=0.1, live_views=3)


class Event(NamedTuple):
    name: str
    id: str
    data: Any


@pytest.fixture
def site(office: Office) -> Iterator[Site]:
    app = create_app(rooms_of(office.bench), version="0", limits=QUICK)
    with served(app) as address:
        yield Site(office, app, address)


def events(answer: httpx.Response) -> Iterator[Event]:
    """The events of a stream, until it ends."""
    name = event_id = ""
    for line in answer.iter_lines():
        key, _, value = line.partition(": ")
        match key:
            case "event":
                name = value
            case "id":
                event_id = value
            case "data":
                yield Event(name, event_id, json.loads(value))
                name = event_id = ""


@contextmanager
def watching(client: httpx.Client, task_id: int, after: str = "") -> Iterator[Iterator[Event]]:
    headers = {"last-event-id": after} if after else {}
    with client.stream("GET", f"/extraction/tasks/{task_id}/events", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        yield events(answer)


def seated(site: Site, name: str) -> int:
    return int(site.app.state.limiters.live_views.held(site.office.people[name].id))


def test_a_task_is_followed_to_its_end(site: Site, url: str, tmp_path: Path) -> None:
    office = site.office
    documents = office.add([*(paper(n) for n in range(8)), "bad"])
    task_id = office.start(documents)
    with site.browser("reader") as client, watching(client, task_id) as stream:
        first = next(stream)
        assert (first.name, first.data["counts"]["pending"], first.data["state"]) == ("status", 9, "open")
        with working(url, tmp_path / "files"):
            rest = list(stream)
        assert [event.name for event in rest[-2:]] == ["status", "end"]
        assert rest[-1].data == {"task_id": task_id}
        counts = [event.data["counts"] for event in rest if event.name == "status"]
        assert all(sum(count.values()) == 9 for count in counts)
        ended = [count["completed"] + count["error"] for count in counts]
        assert ended == sorted(ended)
        lines = [event for event in rest if event.name == "line"]
        assert sorted(line.data["ordinal"] for line in lines) == list(range(9))
        assert len({line.id for line in lines}) == 9
        [failed] = [line.data for line in lines if line.data["what"] == "error"]
        assert (failed["ordinal"], failed["detail"]["message"]) == (8, "This file is locked with a password.")
        polled = client.get(f"/extraction/tasks/{task_id}").json()
        assert polled == next(event.data for event in reversed(rest) if event.name == "status")
    until(lambda: seated(site, "reader") == 0)


def test_a_view_that_broke_off_goes_on_behind_the_last_line_it_saw(site: Site) -> None:
    office = site.office
    task_id = office.start(office.add(paper(n) for n in range(6)))
    office.work()
    with site.browser("reader") as client:
        with watching(client, task_id) as stream:
            whole = [event for event in stream if event.name == "line"]
        assert len(whole) == 6
        for seen in range(6):
            with watching(client, task_id, whole[seen].id) as stream:
                rest = [event for event in stream if event.name == "line"]
            assert rest == whole[seen + 1 :]


@pytest.mark.parametrize("forged", ["x", "1-2", "-1-2-3", "9" * 19 + "-1-1", "٣-٣-٣", "1-1-1; drop table", "0-0-0"])
def test_a_forged_place_shows_nothing_of_others(site: Site, forged: str) -> None:
    office = site.office
    theirs, _ = office.bench.extraction.start_task(
        office.theirs, "rct", office.add([paper(7)], knowledge_base=office.their_knowledge_base)
    )
    mine = office.start(office.add([paper(1)]))
    office.work()
    with site.browser("reader") as client:
        headers = {"last-event-id": forged.encode()}
        with client.stream("GET", f"/extraction/tasks/{mine}/events", headers=headers) as answer:  # type: ignore[arg-type]
            assert answer.status_code == 200
            seen = list(events(answer))
        assert [event.name for event in seen][-1] == "end"
        assert len([event for event in seen if event.name == "line"]) <= 1
        assert all(event.data.get("task_id") != theirs.id for event in seen)
        long = {"last-event-id": "1" * 101}
        assert client.get(f"/extraction/tasks/{mine}/events", headers=long).status_code == 422


def test_more_lines_than_fit_one_look_all_come_before_the_end(site: Site, db: psycopg.Connection) -> None:
    office = site.office
    task_id = office.start(office.add([paper(1)]))
    note_calls(db, task_id, 1203)
    office.work()
    with site.browser("reader") as client, watching(client, task_id) as stream:
        names = [event.name for event in stream]
    assert names.count("line") == 1204
    assert names[-1] == "end"


# --- who may look ----------------------------------------------------------------------------------------------------


def closes(stream: Iterator[Event], change: Callable[[], object], seconds: float = 5) -> bool:
    """Whether the stream ends after the change, and soon."""
    next(stream)
    change()
    began = time.monotonic()
    return "end" not in [event.name for event in stream] and time.monotonic() - began < seconds


def test_a_token_that_is_revoked_closes_what_it_opened(site: Site) -> None:
    office = site.office
    task_id = office.start(office.add([paper(1)]))
    with site.browser("reader") as browser:
        made = browser.post("/tokens", json={"name": "x", "scope": "read"}).json()
        with site.anybody(authorization=f"Bearer {made['token']}") as client, watching(client, task_id) as stream:
            assert closes(stream, lambda: browser.delete(f"/tokens/{made['token_id']}"))
    until(lambda: seated(site, "reader") == 0)


def test_signing_out_or_leaving_the_project_closes_a_view(site: Site, db: psycopg.Connection) -> None:
    task_id = site.office.start(site.office.add([paper(1)]))
    with site.browser("reader") as browser, watching(browser, task_id) as stream:
        assert closes(stream, lambda: db.execute("delete from ingather.session"))
    with site.browser("reader") as browser, watching(browser, task_id) as stream:
        assert closes(stream, lambda: db.execute("delete from ingather.membership where role = 'reader'"))


def test_without_a_right_there_is_no_view(site: Site) -> None:
    task_id = site.office.start(site.office.add([paper(1)]))
    at = f"/extraction/tasks/{task_id}/events"
    token = site.office.token("reader", TokenScope.READ)
    with site.anybody() as nobody, site.browser("outsider") as outsider:
        assert nobody.get(at).status_code == 401
        assert nobody.get(at, params={"token": token, "access_token": token}).status_code == 401
        assert outsider.get(at).status_code == 404


def test_one_account_has_so_many_views_and_gets_them_back(site: Site) -> None:
    task_id = site.office.start(site.office.add([paper(1)]))
    at = f"/extraction/tasks/{task_id}/events"
    with site.browser("reader") as client, site.browser("owner") as other:
        with watching(client, task_id), watching(client, task_id), watching(client, task_id):
            refused = client.get(at)
            assert refused.status_code == 429
            assert int(refused.headers["retry-after"]) > 0
            with watching(other, task_id) as stream:
                assert next(stream).name == "status"
        until(lambda: seated(site, "reader") == 0)
        with watching(client, task_id) as stream:
            assert next(stream).name == "status"


def test_two_hundred_at_once_get_their_share_and_nobody_else_notices(site: Site) -> None:
    task_id = site.office.start(site.office.add([paper(1)]))
    at = f"/extraction/tasks/{task_id}/events"
    lines: list[socket.socket] = []
    host, port = site.address.removeprefix("http://").split(":")
    token = site.office.token("reader", TokenScope.READ)
    try:
        for _ in range(200):
            line = socket.create_connection((host, int(port)), timeout=30)
            lines.append(line)
            line.sendall(f"GET /api/v1{at} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        # Nobody reads on behind the first line; the others are served meanwhile.
        answers = Counter(line.recv(12)[9:] for line in lines)
        assert answers == {b"200": QUICK.live_views, b"429": 200 - QUICK.live_views}
        with site.browser("owner") as other, watching(other, task_id) as stream:
            assert next(stream).name == "status"
            assert other.get(f"/extraction/tasks/{task_id}").status_code == 200
    finally:
        for line in lines:
            line.close()
    until(lambda: seated(site, "reader") == 0)


def test_a_place_in_the_future_waits_for_what_comes_and_ends_with_the_task(site: Site) -> None:
    office = site.office
    task_id = office.start(office.add([paper(1)]))
    office.work()
    with site.browser("reader") as client, watching(client, task_id, f"{2**62}-{2**40}-{2**40}") as stream:
        assert [event.name for event in stream] == ["status", "end"]


def test_a_quiet_view_says_that_it_is_still_there(site: Site) -> None:
    task_id = site.office.start(site.office.add([paper(1)]))
    with site.browser("reader") as client, client.stream("GET", f"/extraction/tasks/{task_id}/events") as answer:
        assert ": still there" in (line for line in answer.iter_lines())


def test_a_task_that_is_gone_ends_its_view_and_gives_the_seat_back(site: Site, db: psycopg.Connection) -> None:
    task_id = site.office.start(site.office.add([paper(1)]))

    def remove() -> None:
        db.execute("delete from ingather.task_document")
        db.execute("delete from ingather.task")

    with site.browser("reader") as client, watching(client, task_id) as stream:
        assert closes(stream, remove)
    until(lambda: seated(site, "reader") == 0)


# --- the journal -----------------------------------------------------------------------------------------------------


def note_calls(conn: psycopg.Connection, task_id: int, count: int = 1) -> None:
    conn.execute(
        """insert into ingather.model_call (task_id, ordinal, step, request_sha256, outcome, sentence, took_ms)
           select %s, 0, 'step', 'x', 'error', 'call ' || n, 1 from generate_series(1, %s) n""",
        [task_id, count],
    )


def collected(journal: Journal, count: int) -> list[JournalLine]:
    """So many lines: other databases of the same server may hold them back for a moment."""
    lines: list[JournalLine] = []

    def enough() -> bool:
        lines.extend(journal.read())
        return len(lines) >= count

    until(enough)
    assert len(lines) == count
    return lines


def test_a_line_that_is_committed_late_comes_late_and_is_not_lost(office: Office, url: str) -> None:
    task_id = office.start(office.add([paper(1)]))
    journal = Journal(office.engine, task_id)
    with psycopg.connect(url) as slow, psycopg.connect(url, autocommit=True) as quick:
        note_calls(slow, task_id)
        note_calls(quick, task_id)
        assert journal.read() == [], "one before it is still under way"
        slow.commit()
        note_calls(quick, task_id)
    lines = collected(journal, 3)
    assert journal.read() == []
    again = Journal(office.engine, task_id, after=lines[0].id)
    assert collected(again, 2) == lines[1:]


def test_a_line_of_a_call_keeps_the_notice_of_what_went_wrong(office: Office, url: str) -> None:
    task_id = office.start(office.add([paper(1)]))
    why = notice("provider.model_answer_blank_call_tried", "The model's answer was blank. The call is tried again.")
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(
            "insert into ingather.model_call"
            " (task_id, ordinal, step, request_sha256, outcome, sentence, notice, took_ms)"
            " values (%s, 0, 'study/1, again', repeat('0', 64), 'blank', %s, %s, 1)",
            (task_id, why, json.dumps(notice_fields(why))),
        )
    [line] = collected(Journal(office.engine, task_id), 1)
    assert line.detail == f"study/1, again: {why}"
    assert notice_to_json(line.detail)["params"]["sentence"] == notice_to_json(why)  # type: ignore[index]


def test_a_review_is_reported_to_whoever_watches_the_task_and_to_nobody_else(site: Site) -> None:
    office = site.office
    mine, other = office.start(office.add([paper(1), paper(2)])), office.start(office.add([paper(3)]))
    office.work()

    def judge(task_id: int, ordinal: int, field: str) -> None:
        with site.browser("reviewer") as client:
            body = {"field": field, "action": "unclear"}
            client.post(f"/extraction/tasks/{task_id}/results/{ordinal}/reviews", json=body).raise_for_status()

    judge(mine, 0, "title")
    judge(other, 0, "title")
    with (
        site.browser("reader") as client,
        client.stream("GET", f"/extraction/tasks/{mine}/reviews/events") as answer,
    ):
        stream = events(answer)
        assert next(stream) == Event("reviewed", "", {"ordinals": [0]}), "what was judged just before, too"
        judge(other, 0, "doi")
        judge(mine, 1, "title")
        assert next(stream) == Event("reviewed", "", {"ordinals": [1]})
    until(lambda: seated(site, "reader") == 0)


def test_many_writers_and_a_reader_who_resumes_all_the_time_agree(office: Office, url: str) -> None:
    task_id = office.start(office.add([paper(1)]))

    def write() -> None:
        with psycopg.connect(url, autocommit=True) as conn:
            for _ in range(60):
                with conn.transaction():
                    note_calls(conn, task_id)
                    conn.execute("select pg_sleep(random() * 0.003)")

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    seen: list[JournalLine] = []
    while any(writer.is_alive() for writer in writers) or len(seen) < 240:
        seen += Journal(office.engine, task_id, after=seen[-1].id if seen else "").read()
        assert len(seen) <= 240
    assert len({line.id for line in seen}) == 240


def test_a_document_that_is_tried_again_has_a_line_for_each_end(url: str, tmp_path: Path) -> None:
    engine = Engine(url, lease=1)
    bench = Bench(engine, tmp_path).open()
    task, _ = bench.extraction.start_task(bench.project, "rct", bench.add(["bad"]))
    engine.worker().drain()
    journal = Journal(engine, task.id)
    assert [line.what for line in collected(journal, 1)] == ["error"]
    assert bench.extraction.retry(task.id) == 1
    engine.worker().drain()
    assert [line.what for line in journal.read(is_last=True)] == ["error"]
    engine.close()
