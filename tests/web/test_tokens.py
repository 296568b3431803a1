"""Tokens and sessions: what they reach, how they end, and that they are nowhere to be read."""

import hashlib
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest

from ingather.engine.errors import UsageError
from ingather.web import accounts
from ingather.web.accounts import Role, TokenScope
from ingather.web.edge import SESSION_COOKIE
from tests.web.site import Site


def made(client: httpx.Client, **body: Any) -> httpx.Response:
    return client.post("/tokens", json={"name": "made", **body})


def with_token(site: Site, token: str) -> httpx.Client:
    return site.anybody(authorization=f"Bearer {token}")


# --- tokens ----------------------------------------------------------------------------------------------------------


def test_only_the_hash_of_a_token_is_kept(site: Site, db: psycopg.Connection, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), site.browser("owner") as browser:
        token = made(browser, scope="write", days=1).json()["token"]
        session = browser.cookies[SESSION_COOKIE]
        with with_token(site, token) as client:
            assert client.get("/me").json()["scope"] == "write"
            client.get("/nowhere")
            client.post("/projects", content=b"{")
        listed = browser.get("/tokens").text
    assert token not in listed
    for secret in (token, session):
        assert secret not in caplog.text
        for table in ("api_token", "session", "sign_in_link"):
            assert (
                db.execute(f"select 1 from ingather.{table} x where x::text like %s", [f"%{secret}%"]).fetchall() == []
            )
    [(kept,)] = db.execute("select sha256 from ingather.api_token").fetchall()
    assert kept == hashlib.sha256(token.encode()).digest()
    assert len(token) >= 4 + 43


def test_a_token_that_was_revoked_or_is_over_opens_nothing(site: Site, db: psycopg.Connection) -> None:
    with site.browser("owner") as browser:
        first, second = (made(browser, scope="write", days=1).json() for _ in range(2))
        with with_token(site, first["token"]) as client:
            assert client.get("/me").status_code == 200
            assert browser.delete(f"/tokens/{first['token_id']}").status_code == 204
            assert client.get("/me").status_code == 401
        assert browser.delete(f"/tokens/{first['token_id']}").status_code == 404
        db.execute("update ingather.api_token set expires_at = clock_timestamp() where id = %s", [second["token_id"]])
        with with_token(site, second["token"]) as client:
            assert client.get("/me").status_code == 401


def test_a_token_cannot_make_one_that_reaches_further(site: Site) -> None:
    project = site.office.bench.project
    with site.script("owner", TokenScope.READ) as client:
        assert made(client, scope="read").status_code == 403
    with site.script("owner") as client:
        assert made(client, scope="operate").status_code == 403
        assert made(client, scope="write", project_id=site.office.theirs).status_code == 404
    with site.script("operator") as client:
        assert made(client, scope="operate").status_code == 403
    with site.script("owner", project_id=project) as client:
        assert made(client, scope="write").status_code == 403, "not one for all projects"
        assert made(client, scope="write", project_id=project).status_code == 201
    with site.script("operator", TokenScope.OPERATE, project_id=project) as client:
        assert made(client, scope="operate").status_code == 403


def test_a_token_cannot_make_one_that_outlives_it(site: Site) -> None:
    with site.script("owner") as client:
        assert made(client, scope="write", days=3650).status_code == 201
        lasts = [token["expires_at"] for token in client.get("/tokens").json()["tokens"]]
        assert lasts[1] <= lasts[0]


def test_a_token_for_one_project_knows_no_other(site: Site) -> None:
    office = site.office
    with site.browser("owner") as browser:
        second = browser.post("/projects", json={"name": "Second"}).json()["project_id"]
    other = office.bench.library.create_knowledge_base("Second's", project_id=second).id
    with site.script("owner", project_id=office.bench.project) as client:
        assert [project["project_id"] for project in client.get("/projects").json()["projects"]] == [
            office.bench.project
        ]
        assert client.get(f"/knowledge-bases/{other}/documents").status_code == 404
        assert client.post("/projects", json={"name": "Third"}).status_code == 403
        assert client.get(f"/projects/{second}/members").status_code == 404
    with site.browser("owner") as browser:
        wide = made(browser, scope="write").json()["token_id"]
    with site.script("owner", project_id=office.bench.project) as client:
        assert wide not in {token["token_id"] for token in client.get("/tokens").json()["tokens"]}
        assert client.delete(f"/tokens/{wide}").status_code == 404


def test_an_operators_token_for_one_project_does_not_operate(site: Site) -> None:
    office = site.office
    office.engine.database.run(
        accounts.set_role_of_account(office.bench.project, office.people["operator"].id, Role.READER)
    )
    with site.script("operator", TokenScope.OPERATE, project_id=office.bench.project) as client:
        assert client.post("/engine/queues/reading/pause").status_code == 403
        assert client.get("/me").json()["is_operator"] is False
        assert httpx.get(site.address + "/metrics", headers=client.headers).status_code == 403


def test_nobody_sees_or_revokes_the_tokens_of_others(site: Site) -> None:
    with site.browser("owner") as owner, site.browser("operator") as operator:
        token_id = made(owner, scope="read").json()["token_id"]
        assert operator.get("/tokens").json() == {"tokens": [], "next": None}
        assert operator.delete(f"/tokens/{token_id}").status_code == 404


def test_an_account_that_was_disabled_is_out_at_once_and_for_good(site: Site) -> None:
    run = site.office.engine.database.run
    with site.browser("owner") as browser, site.script("owner") as client:
        assert browser.get("/me").status_code == client.get("/me").status_code == 200
        secret = site.office.link_secret("owner")
        run(accounts.disable_account("owner"))
        assert browser.get("/me").status_code == client.get("/me").status_code == 401
        assert browser.post("/session", json={"secret": secret}).status_code == 401
        run(accounts.enable_account("owner"))
        assert browser.get("/me").status_code == client.get("/me").status_code == 401
        assert browser.post("/session", json={"secret": site.office.link_secret("owner")}).status_code == 204


def test_signing_an_account_out_ends_its_sessions_and_links_and_nobody_else_s(site: Site) -> None:
    with site.browser("owner") as one, site.browser("owner") as two, site.browser("reader") as other:
        secret = site.office.link_secret("owner")
        assert site.office.engine.database.run(accounts.end_sessions("owner")) == 2
        assert [client.get("/me").status_code for client in (one, two, other)] == [401, 401, 200]
        assert one.post("/session", json={"secret": secret}).status_code == 401


def test_an_account_is_deleted_once_each_project_has_another_owner(site: Site) -> None:
    office = site.office
    run = office.engine.database.run
    with site.browser("owner") as owner:
        with pytest.raises(UsageError, match="'owner' is the only owner of 'Review'"):
            run(accounts.delete_account("owner"))
        run(accounts.set_role_of_account(office.bench.project, office.people["reviewer"].id, Role.OWNER))
        run(accounts.delete_account("owner"))
        assert owner.get("/me").status_code == 401
    assert {name for _, name, _ in run(accounts.member_accounts(office.bench.project))} == {"reviewer", "reader"}
    with pytest.raises(UsageError, match="no account 'owner'"):
        run(accounts.delete_account("owner"))


# --- sessions --------------------------------------------------------------------------------------------------------


def test_signing_in_gives_a_new_session_and_ends_the_last(site: Site) -> None:
    with site.browser("owner") as browser:
        before = browser.cookies[SESSION_COOKIE]
        answer = browser.post("/session", json={"secret": site.office.link_secret("owner")})
        assert answer.status_code == 204
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "Secure" not in cookie
        assert before not in cookie
    with site.anybody() as thief:
        thief.cookies.set(SESSION_COOKIE, before, domain="127.0.0.1")
        assert thief.get("/me").status_code == 401


def test_a_session_that_somebody_planted_is_not_taken_over(site: Site) -> None:
    with site.anybody(origin=site.address) as browser:
        browser.cookies.set(SESSION_COOKIE, "planted", domain="127.0.0.1")
        answer = browser.post("/session", json={"secret": site.office.link_secret("owner")})
        assert "planted" not in answer.headers["set-cookie"]
    with site.anybody() as thief:
        thief.cookies.set(SESSION_COOKIE, "planted", domain="127.0.0.1")
        assert thief.get("/me").status_code == 401


def test_the_cookie_is_secure_where_the_browser_came_by_https(site: Site) -> None:
    with site.anybody(origin=site.address.replace("http://", "https://")) as browser:
        answer = browser.post("/session", json={"secret": site.office.link_secret("owner")})
        assert "Secure" in answer.headers["set-cookie"]


def test_signing_out_ends_the_session_on_the_server(site: Site) -> None:
    with site.browser("owner") as browser:
        session = browser.cookies[SESSION_COOKIE]
        assert browser.delete("/session").status_code == 204
        browser.cookies.set(SESSION_COOKIE, session, domain="127.0.0.1")
        assert browser.get("/me").status_code == 401


def test_a_session_that_is_over_opens_nothing(site: Site, db: psycopg.Connection) -> None:
    with site.browser("owner") as browser:
        db.execute("update ingather.session set expires_at = clock_timestamp()")
        assert browser.get("/me").status_code == 401


def test_one_link_signs_one_browser_in_also_when_two_come_at_once(site: Site) -> None:
    link_secret = site.office.link_secret("owner")
    gate = threading.Barrier(4)

    def sign_in(_: int) -> int:
        with site.anybody() as browser:
            gate.wait(10)
            return browser.post("/session", json={"secret": link_secret}).status_code

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(sign_in, range(4))) == [204, 401, 401, 401]


def test_a_link_ends_after_its_time(site: Site, db: psycopg.Connection) -> None:
    link_secret = site.office.link_secret("owner")
    db.execute("update ingather.sign_in_link set expires_at = clock_timestamp()")
    with site.anybody() as browser:
        assert browser.post("/session", json={"secret": link_secret}).status_code == 401


# --- members ---------------------------------------------------------------------------------------------------------


def test_two_owners_who_remove_each_other_leave_one(site: Site) -> None:
    office = site.office
    at = f"/projects/{office.bench.project}/members"
    owner, other = office.people["owner"].id, office.people["reviewer"].id
    for _ in range(5):
        for account in (owner, other):
            office.engine.database.run(accounts.set_role_of_account(office.bench.project, account, Role.OWNER))
        with site.script("owner") as one, site.script("reviewer") as two, ThreadPoolExecutor(2) as threads:
            gate = threading.Barrier(2)

            def remove(client: httpx.Client, account: int, gate: threading.Barrier = gate) -> int:
                client.get("/me")
                gate.wait(10)
                return client.delete(f"{at}/{account}").status_code

            list(threads.map(remove, (one, two), (other, owner)))
        members = office.engine.database.run(accounts.member_accounts(office.bench.project))
        assert sum(role is Role.OWNER for _, _, role in members) == 1


def test_an_owner_gives_and_takes_roles(site: Site) -> None:
    office = site.office
    at = f"/projects/{office.bench.project}/members"
    with site.browser("owner") as owner, site.browser("outsider") as outsider:
        assert owner.put(at, json={"account": "outsider", "role": "reader"}).status_code == 204
        assert outsider.get(f"/knowledge-bases/{office.bench.knowledge_base}/documents").status_code == 200
        assert outsider.put(at, json={"account": "outsider", "role": "owner"}).status_code == 403
        assert owner.put(at, json={"account": "owner", "role": "reader"}).status_code == 409
        assert owner.delete(f"{at}/{office.people['owner'].id}").status_code == 409
        assert owner.delete(f"{at}/{office.people['outsider'].id}").status_code == 204
        assert outsider.get(f"/knowledge-bases/{office.bench.knowledge_base}/documents").status_code == 404


def test_a_token_for_one_project_cannot_give_it_away(site: Site) -> None:
    at = f"/projects/{site.office.bench.project}/members"
    with site.script("owner", project_id=site.office.bench.project) as client:
        assert client.get(at).status_code == 200
        assert client.put(at, json={"account": "outsider", "role": "owner"}).status_code == 403
        assert client.delete(f"{at}/{site.office.people['reviewer'].id}").status_code == 403
    members = site.office.engine.database.run(accounts.member_accounts(site.office.bench.project))
    assert {name for _, name, _ in members} == {"owner", "reviewer", "reader"}


def test_a_project_is_never_without_its_owner(site: Site, db: psycopg.Connection) -> None:
    db.execute("create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$")
    db.execute("create trigger t before insert on ingather.membership for each row execute function refuse()")
    with site.browser("owner") as browser:
        assert browser.post("/projects", json={"name": "Half"}).status_code == 500
    assert db.execute("select 1 from ingather.project where name = 'Half'").fetchall() == []
