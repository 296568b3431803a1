"""People on a project: invited by a link that works once, handed over, present, and talking about cells."""

from collections.abc import Iterator
from typing import Any

import httpx
import psycopg
import pytest

from ingather.web import accounts
from ingather.web.accounts import Role
from tests.extraction.desk import paper
from tests.web.site import Site


@pytest.fixture
def owner(site: Site) -> Iterator[httpx.Client]:
    with site.browser("owner") as client:
        yield client


def invited(site: Site, owner: httpx.Client, role: str = "reviewer") -> str:
    answer = owner.post(f"/projects/{site.office.bench.project}/invitations", json={"role": role})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["secret"])


def newcomer(site: Site) -> httpx.Client:
    """Somebody in a browser on our page, without an account."""
    return site.anybody(origin=site.address, **{"sec-fetch-site": "same-origin"})


def test_a_link_makes_a_newcomer_a_member_with_an_account_and_a_session(site: Site, owner: httpx.Client) -> None:
    secret = invited(site, owner)
    with newcomer(site) as new:
        shown = new.post("/invitations/look", json={"secret": secret}).json()
        assert (shown["project"], shown["role"], shown["made_by"]) == ("Review", "reviewer", "owner")
        assert new.post("/invitations/accept", json={"secret": secret}).status_code == 422
        joined = new.post("/invitations/accept", json={"secret": secret, "name": "Dana"})
        assert joined.status_code == 200, joined.text
        project = str(joined.json()["project_id"])
        assert new.get("/me").json()["roles"] == {project: "reviewer"}
        assert new.get("/me").json()["is_operator"] is False
    with newcomer(site) as late:
        assert late.post("/invitations/accept", json={"secret": secret, "name": "Eve"}).status_code == 401
    members = owner.get(f"/projects/{project}/members").json()["members"]
    assert {"name": "Dana", "role": "reviewer"}.items() <= next(one for one in members if one["name"] == "Dana").items()
    assert owner.get(f"/projects/{project}/invitations").json() == {"invitations": []}


def test_a_link_makes_somebody_who_is_signed_in_a_member(site: Site, owner: httpx.Client) -> None:
    secret = invited(site, owner, "adjudicator")
    with site.browser("outsider") as outsider:
        assert outsider.post("/invitations/accept", json={"secret": secret}).status_code == 200
        assert outsider.get("/me").json()["roles"][str(site.office.bench.project)] == "adjudicator"


def test_a_member_who_opens_a_link_keeps_their_role_and_the_link(site: Site, owner: httpx.Client) -> None:
    secret = invited(site, owner, "reader")
    refused = owner.post("/invitations/accept", json={"secret": secret})
    assert refused.json()["notice"]["id"] == "web.member_already"
    with newcomer(site) as new:
        assert new.post("/invitations/accept", json={"secret": secret, "name": "Dana"}).status_code == 200


@pytest.mark.parametrize("name", ["reviewer", "Reviewer", " OWNER "])
def test_nobody_takes_the_name_of_another_person(site: Site, owner: httpx.Client, name: str) -> None:
    with newcomer(site) as new:
        refused = new.post("/invitations/accept", json={"secret": invited(site, owner), "name": name})
        assert (refused.status_code, refused.json()["notice"]["id"]) == (422, "web.name_taken")


def test_a_link_that_was_taken_back_or_is_over_opens_nothing(
    site: Site, owner: httpx.Client, db: psycopg.Connection
) -> None:
    project = site.office.bench.project
    revoked, over = invited(site, owner), invited(site, owner)
    number = owner.get(f"/projects/{project}/invitations").json()["invitations"][0]["invitation_id"]
    assert owner.delete(f"/projects/{project}/invitations/{number}").status_code == 204
    db.execute(
        "update ingather.invitation set expires_at = clock_timestamp() - interval '1 second' where id <> %s", [number]
    )
    db.commit()
    with newcomer(site) as new:
        for secret in (revoked, over, "guess"):
            assert new.post("/invitations/look", json={"secret": secret}).status_code == 401
            assert new.post("/invitations/accept", json={"secret": secret, "name": "Dana"}).status_code == 401


def test_only_the_hash_of_an_invitation_is_kept(site: Site, owner: httpx.Client, db: psycopg.Connection) -> None:
    secret = invited(site, owner)
    stored = db.execute("select row_to_json(i)::text from ingather.invitation i").fetchall()
    assert stored
    assert secret not in str(stored)


def test_a_leaked_token_invites_nobody_and_makes_no_session(site: Site) -> None:
    project = site.office.bench.project
    with site.script("owner", project_id=project) as script:
        assert script.post(f"/projects/{project}/invitations", json={}).status_code == 403
    with site.script("owner") as script:
        assert script.post("/session/links").status_code == 403


def test_a_link_for_another_browser_signs_the_same_person_in(site: Site, owner: httpx.Client) -> None:
    secret = owner.post("/session/links").json()["secret"]
    with newcomer(site) as other:
        assert other.post("/session", json={"secret": secret}).status_code == 204
        assert other.get("/me").json()["name"] == "owner"


def test_a_project_is_handed_over_and_is_never_without_an_owner(site: Site, owner: httpx.Client) -> None:
    project, people = site.office.bench.project, site.office.people
    stranger = owner.post(f"/projects/{project}/hand-over", json={"account_id": people["outsider"].id})
    assert (stranger.status_code, stranger.json()["notice"]["id"]) == (422, "web.hand_over_member")
    done = owner.post(f"/projects/{project}/hand-over", json={"account_id": people["reviewer"].id})
    assert done.status_code == 204, done.text
    roles = {one["name"]: one["role"] for one in owner.get(f"/projects/{project}/members").json()["members"]}
    assert (roles["owner"], roles["reviewer"]) == ("reviewer", "owner")
    assert owner.post(f"/projects/{project}/hand-over", json={"account_id": people["owner"].id}).status_code == 403


# --- presence and comments --------------------------------------------------------------------------------------------


@pytest.fixture
def task(site: Site) -> int:
    task = site.office.start(site.office.add([paper(1)]), field_ids=["title", "n_randomised"])
    site.office.work()
    return task


def test_who_has_the_page_open_is_shown_where_they_are_until_they_leave(
    site: Site, owner: httpx.Client, task: int, db: psycopg.Connection
) -> None:
    path = f"/extraction/tasks/{task}/presence"
    with site.browser("reviewer") as other:
        assert other.put(path, json={"place": "0~~title"}).status_code == 204
        there = owner.get(path).json()["present"]
        assert [(one["name"], one["place"]) for one in there] == [("reviewer", "0~~title")]
        assert other.delete(path).status_code == 204
        assert owner.get(path).json() == {"present": []}
        other.put(path, json={"place": ""})
    db.execute("update ingather.presence set seen_at = seen_at - interval '31 seconds'")
    db.commit()
    assert owner.get(path).json() == {"present": []}


def say(client: httpx.Client, task: int, text: str, **more: Any) -> httpx.Response:
    return client.post(f"/extraction/tasks/{task}/results/0/comments", json={"field": "title", "text": text, **more})


def texts(client: httpx.Client, path: str) -> list[str]:
    return [one["text"] for one in client.get(path).json()["comments"]]


def test_a_comment_waits_on_the_list_of_whom_it_mentions_until_it_is_resolved(
    site: Site, owner: httpx.Client, task: int
) -> None:
    reviewer = site.office.people["reviewer"].id
    answer = say(owner, task, "Is this the <b>title</b>?", mentions=[reviewer])
    assert answer.status_code == 201, answer.text
    number = answer.json()["comments"][0]["comment_id"]
    with site.browser("reviewer") as other, site.browser("reader") as reader:
        assert texts(other, "/comments/mentions") == ["Is this the <b>title</b>?"]
        assert texts(reader, "/comments/mentions") == []
        assert reader.put(f"/extraction/tasks/{task}/comments/{number}", json={"is_resolved": True}).status_code == 403
        assert other.put(f"/extraction/tasks/{task}/comments/{number}", json={"is_resolved": True}).status_code == 204
        assert texts(other, "/comments/mentions") == []
        [kept] = owner.get(f"/extraction/tasks/{task}/comments").json()["comments"]
        assert kept["resolved_by"] == "reviewer"
        other.put(f"/extraction/tasks/{task}/comments/{number}", json={"is_resolved": False})
        assert texts(other, "/comments/mentions") != []
    with site.browser("outsider") as outsider:
        assert texts(outsider, "/comments/mentions") == []
        stranger = site.office.people["outsider"].id
        assert say(owner, task, "You?", mentions=[stranger]).json()["notice"]["id"] == "web.mention_members"


def test_a_remark_of_one_of_two_reviewers_is_their_own_until_both_have_decided(site: Site, owner: httpx.Client) -> None:
    office = site.office
    for name, role in {"Ann": Role.REVIEWER, "Ben": Role.REVIEWER, "Cora": Role.ADJUDICATOR}.items():
        office.people[name] = office.engine.database.run(accounts.add_account(name))
        office.engine.database.run(accounts.set_role_of_account(office.bench.project, office.people[name].id, role))
    task = office.start(office.add([paper(1)]), field_ids=["title", "n_randomised"])
    office.work()
    owner.put(f"/projects/{office.bench.project}/review-mode", json={"mode": "independent"})
    ann, ben, cora = (site.browser(name) for name in ("Ann", "Ben", "Cora"))
    say(ben, task, "It is 61.", mentions=[office.people["Ann"].id])
    path = f"/extraction/tasks/{task}/comments"
    number = ben.get(path).json()["comments"][0]["comment_id"]
    assert texts(ann, path) == texts(ann, "/comments/mentions") == []
    assert ann.put(f"{path}/{number}", json={"is_resolved": True}).status_code == 404
    assert texts(cora, path) == ["It is 61."]
    for who in (ann, ben):
        judged = who.post(f"/extraction/tasks/{task}/results/0/reviews", json={"field": "title", "action": "accepted"})
        assert judged.status_code == 201
    assert texts(ann, path) == texts(ann, "/comments/mentions") == ["It is 61."]
    for who in (ann, ben, cora):
        who.close()
