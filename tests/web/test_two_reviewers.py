"""Two people review independently of each other: the server gives nothing away until both have decided."""

import io
import json
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest

from ingather.web import accounts
from ingather.web.accounts import Role
from tests.extraction.desk import paper
from tests.web.site import ROLES, Office, Site
from tests.web.test_reviews import cell

# Ben alone knows this: no answer to anybody else may hold it before they have decided, too.
SECRET_VALUE, SECRET_NOTE = 987654, "Bens-own-reason-4711"


@pytest.fixture
def office(office: Office) -> Office:
    """With Ann and Ben, who review, and Cora, who settles."""
    for name, role in {"Ann": Role.REVIEWER, "Ben": Role.REVIEWER, "Cora": Role.ADJUDICATOR}.items():
        office.people[name] = office.engine.database.run(accounts.add_account(name))
        office.engine.database.run(accounts.set_role_of_account(office.bench.project, office.people[name].id, role))
    return office


class Room:
    """A finished task of two papers in a project that two people review independently."""

    def __init__(self, site: Site, *, shows_extractor: bool = True) -> None:
        self.site = site
        self.office = site.office
        self.project = site.office.bench.project
        documents = site.office.add([paper(1), paper(2)])
        self.task = site.office.start(documents, field_ids=["title", "n_randomised", "countries"])
        site.office.work()
        self.people = {name: site.browser(name) for name in ("Ann", "Ben", "Cora", *ROLES)}
        assert self.mode("independent", shows_extractor=shows_extractor).status_code == 200

    def mode(self, mode: str, *, shows_extractor: bool = True, by: str = "owner") -> httpx.Response:
        body = {"mode": mode, "shows_extractor": shows_extractor}
        return self.people[by].put(f"/projects/{self.project}/review-mode", json=body)

    def say(self, by: str, field: str, action: str, *, ordinal: int = 0, **more: Any) -> httpx.Response:
        body = {"field": field, "action": action, **more}
        return self.people[by].post(f"/extraction/tasks/{self.task}/results/{ordinal}/reviews", json=body)

    def judge(self, by: str, field: str, action: str, **more: Any) -> dict[str, Any]:
        answer = self.say(by, field, action, **more)
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def get(self, by: str, path: str, **params: Any) -> Any:
        answer = self.people[by].get(f"/extraction/tasks/{self.task}{path}", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def cell(self, by: str, field: str, ordinal: int = 0) -> dict[str, Any]:
        return cell(self.get(by, f"/results/{ordinal}"), field)

    def settle(self, by: str, field: str, action: str, note: str = "As printed.", **more: Any) -> httpx.Response:
        body = {"field": field, "action": action, "note": note, **more}
        return self.people[by].post(f"/extraction/tasks/{self.task}/results/0/settlements", json=body)

    def everything(self, by: str) -> str:
        """All that a member can have of the task, in one text."""
        base, client = f"/extraction/tasks/{self.task}", self.people[by]
        paths = ["", "/results", "/results/0", "/results/0/reviews", "/conflicts", "/conflicts?settled=true",
                 "/agreement", "/assignments", "/analysis", "/template", "/results/0/tables"]  # fmt: skip
        texts = [client.get(base + path).text for path in paths]
        for form in ("xlsx", "csv", "csv-tables", "json", "analysis", "html"):
            for reviewed in (False, True):
                file = client.get(f"{base}/export?format={form}&only_reviewed={str(reviewed).lower()}").content
                texts.append(unpacked(file))
        batch = client.get(base).json()["batch_id"]
        texts += [client.get(f"/engine/batches/{batch}/items").text, client.get(f"/jobs/{batch}").text]
        texts += [client.get(path).text for path in ("/me", "/projects", f"/projects/{self.project}/members")]
        return "\n".join(texts)


def unpacked(file: bytes) -> str:
    """A file as text, with what is packed in it."""
    if not file.startswith(b"PK"):
        return file.decode("utf-8", "replace")
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        return "\n".join(unpacked(archive.read(name)) for name in archive.namelist())


@pytest.fixture
def room(site: Site) -> Iterator[Room]:
    made = Room(site)
    yield made
    for person in made.people.values():
        person.close()


# --- nothing is given away -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("viewer", ["Ann", "Cora", "owner", "reader"])
def test_nothing_that_anybody_else_can_have_tells_what_one_has_decided(room: Room, viewer: str) -> None:
    before = room.everything(viewer)
    room.judge("Ben", "n_randomised", "edited", value=SECRET_VALUE, note=SECRET_NOTE)
    room.judge("Ben", "title", "rejected", note=SECRET_NOTE)
    after = room.everything(viewer)
    assert str(SECRET_VALUE) not in after
    assert SECRET_NOTE not in after
    assert room.cell(viewer, "n_randomised")["review"] is None
    assert room.cell(viewer, "title") == cell(json.loads(before.split("\n")[2]), "title")
    # Ben himself sees what he has decided.
    assert room.cell("Ben", "n_randomised")["value"] == SECRET_VALUE
    assert SECRET_NOTE in room.everything("Ben")


def test_a_follow_up_gives_nothing_away_and_each_goes_on_with_their_own(room: Room) -> None:
    room.judge("Ben", "n_randomised", "edited", value=SECRET_VALUE, note=SECRET_NOTE)
    started = room.people["Ann"].post(f"/extraction/tasks/{room.task}/follow-up", json={"field_ids": ["countries"]})
    assert started.status_code == 201, started.text
    room.office.work()
    room.task = started.json()["task_id"]
    assert str(SECRET_VALUE) not in room.everything("Ann")
    assert room.cell("Ben", "n_randomised")["value"] == SECRET_VALUE
    room.judge("Ann", "n_randomised", "accepted")
    assert [one["field"] for one in room.get("Ann", "/conflicts")["conflicts"]] == ["n_randomised"]


def test_a_refusal_tells_the_same_whether_the_other_has_decided_or_not(room: Room) -> None:
    def refusals(ordinal: int) -> list[tuple[int, str]]:
        tries: list[dict[str, Any]] = [
            {"action": "edited", "value": "a few"},
            {"action": "withdrawn"},
            {"action": "accepted", "seen": 1},
            {"action": "accepted", "seen_value": 7},
        ]
        return [
            (answer.status_code, answer.json()["detail"])
            for one in tries
            for answer in [room.say("Ann", "n_randomised", ordinal=ordinal, **one)]
        ]

    room.judge("Ben", "n_randomised", "unclear", ordinal=0)
    assert refusals(0) == refusals(1)


def test_a_live_view_is_silent_about_one_vote_and_tells_of_two(site: Site, room: Room) -> None:
    with watching_reviews(room, "Ann") as events:
        room.judge("Ben", "title", "rejected", ordinal=0)
        # A cell that both judge comes after it: had there been an event about the first, it would come before.
        room.judge("Ben", "title", "accepted", ordinal=1)
        room.judge("Ann", "title", "accepted", ordinal=1)
        assert next(events) == [1]
        room.judge("Ann", "title", "unclear", ordinal=0)
        assert next(events) == [0]


def watching_reviews(room: Room, name: str) -> Any:
    return ReviewEvents(room.people[name], room.task)


class ReviewEvents:
    """The documents that a live view names, one event after the other."""

    def __init__(self, client: httpx.Client, task: int) -> None:
        self._stream = client.stream("GET", f"/extraction/tasks/{task}/reviews/events")

    def __enter__(self) -> Iterator[list[int]]:
        return self._ordinals(self._stream.__enter__())

    def __exit__(self, *_: object) -> None:
        self._stream.__exit__(None, None, None)

    @staticmethod
    def _ordinals(answer: httpx.Response) -> Iterator[list[int]]:
        name = ""
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name == "reviewed":
                yield json.loads(line.removeprefix("data: "))["ordinals"]


def test_the_mode_cannot_be_changed_to_see_what_the_other_has_decided(room: Room) -> None:
    room.judge("Ben", "title", "rejected")
    for mode in ("single", "checked"):
        refused = room.mode(mode)
        assert (refused.status_code, refused.json()["notice"]["id"]) == (409, "review.votes_wait")
    assert room.mode("independent", shows_extractor=False).status_code == 409
    room.judge("Ben", "title", "withdrawn", seen=1)
    assert room.mode("single").status_code == 200


def test_nobody_takes_the_other_side_after_having_been_on_one(room: Room) -> None:
    ann, ben = room.office.people["Ann"].id, room.office.people["Ben"].id
    room.judge("Ben", "title", "rejected", note=SECRET_NOTE)
    path = f"/extraction/tasks/{room.task}/assignments"
    owner = room.people["owner"]

    def assign(side: int, who: int | None) -> httpx.Response:
        return owner.put(path, json={"ordinals": [0], "side": side, "account_id": who})

    assert assign(2, ann).status_code == 204
    # Ann on Ben's side knows his votes; she is never on her own side again, and Ben not on hers.
    assert assign(1, ann).status_code == 422
    assert assign(2, ben).status_code == 422
    assert assign(2, None).status_code == 204
    assert assign(1, ann).json()["notice"]["id"] == "review.knows_other_side"
    assert SECRET_NOTE not in room.everything("Ann")


def test_who_takes_a_side_over_goes_on_with_its_votes_and_the_other_side_sees_none(room: Room) -> None:
    room.judge("Ben", "title", "rejected", note=SECRET_NOTE)
    cora = room.office.people["Cora"].id
    path = f"/extraction/tasks/{room.task}/assignments"
    assert room.people["owner"].put(path, json={"ordinals": [0], "side": 1, "account_id": cora}).status_code == 204
    assert room.cell("Cora", "title")["review"]["note"] == SECRET_NOTE
    assert room.cell("Ben", "title")["review"] is None
    assert SECRET_NOTE not in room.everything("Ann")


def test_arms_are_not_mended_by_one_of_two(room: Room) -> None:
    path = f"/extraction/tasks/{room.task}/results/0/arms"
    refused = room.people["Ann"].put(path, json={"arms": [{"name": "A"}]})
    assert refused.json()["notice"]["id"] == "review.arms_independent"


# --- two decisions ---------------------------------------------------------------------------------------------------


def test_where_both_say_the_same_it_stands_with_both_names_and_for_everybody(room: Room) -> None:
    room.judge("Ben", "n_randomised", "edited", value="1,020", note="Table 1")
    room.judge("Ann", "n_randomised", "edited", value=1020, note="Figure 1")
    for viewer in ("Ann", "Ben", "reader"):
        assert room.cell(viewer, "n_randomised")["value"] == 1020
    history = room.get("reader", "/results/0/reviews", field="n_randomised", row="")["reviews"]
    assert [(one["revision"], one["by"], one["note"]) for one in history] == [
        (1, "Ben", "Table 1"),
        (2, "Ann", "Figure 1"),
    ]
    assert room.get("Ann", "/conflicts") == {"conflicts": [], "open": 0, "next": None}


def test_where_they_differ_nothing_stands_and_both_votes_are_shown(room: Room) -> None:
    room.judge("Ben", "n_randomised", "edited", value=61, note="Table 1")
    room.judge("Ann", "n_randomised", "accepted")
    [conflict] = room.get("reader", "/conflicts")["conflicts"]
    votes = [(conflict[one]["by"], conflict[one]["answer"], conflict[one]["note"]) for one in ("first", "second")]
    assert votes == [("Ben", 61, "Table 1"), ("Ann", 102, "")]
    shown = room.cell("reader", "n_randomised")
    assert (shown["review"], shown["value"], shown["attention"]) == (None, 102, "disagreed")
    # Neither can change their mind now: the first decisions are what agreement is measured on.
    for who in ("Ann", "Ben"):
        for action in ("withdrawn", "unclear"):
            refused = room.say(who, "n_randomised", action, seen=1, note="I looked again.")
            assert (refused.status_code, refused.json()["notice"]["id"]) == (409, "review.both_decided")


def test_an_adjudicator_settles_with_a_reason_and_all_three_stay_in_the_history(room: Room) -> None:
    room.judge("Ben", "n_randomised", "edited", value=61)
    room.judge("Ann", "n_randomised", "accepted")
    assert room.settle("reviewer", "n_randomised", "accepted").json()["notice"]["id"] == "review.settle_who"
    assert room.settle("Cora", "n_randomised", "accepted", note="").json()["notice"]["id"] == "review.settle_reason"
    settled = room.settle("Cora", "n_randomised", "edited", note="Figure 1 has 104.", value=104)
    assert settled.status_code == 201, settled.text
    assert room.cell("reader", "n_randomised")["value"] == 104
    history = room.get("reader", "/results/0/reviews", field="n_randomised", row="")["reviews"]
    assert [(one["by"], one["action"], one["value"]) for one in history] == [
        ("Ben", "edited", 61), ("Ann", "accepted", None), ("Cora", "edited", 104)
    ]  # fmt: skip
    assert room.settle("Cora", "n_randomised", "accepted").status_code == 404
    [conflict] = room.get("reader", "/conflicts", settled="true")["conflicts"]
    assert conflict["settled_by"] == "Cora"


def test_one_of_the_two_may_agree_with_the_other_and_not_put_their_own_through(room: Room) -> None:
    room.judge("Ben", "n_randomised", "edited", value=61)
    room.judge("Ann", "n_randomised", "accepted")
    assert room.settle("Ann", "n_randomised", "accepted").json()["notice"]["id"] == "review.settle_own"
    assert room.settle("Ann", "n_randomised", "edited", value=77).json()["notice"]["id"] == "review.settle_own"
    assert room.settle("Ann", "n_randomised", "edited", value=61, note="Ben is right.").status_code == 201
    assert room.cell("reader", "n_randomised")["value"] == 61


def test_an_owner_who_is_one_of_the_two_settles_no_conflict_of_their_own(room: Room) -> None:
    room.judge("owner", "n_randomised", "edited", value=61)
    room.judge("Ann", "n_randomised", "accepted")
    assert room.settle("owner", "n_randomised", "edited", value=61).json()["notice"]["id"] == "review.settle_own"


def test_what_two_have_settled_is_changed_by_an_adjudicator_alone_and_with_a_reason(room: Room) -> None:
    for who in ("Ann", "Ben"):
        room.judge(who, "title", "accepted")
    refused = room.say("Ann", "title", "unclear", seen=2, note="Hm.")
    assert (refused.status_code, refused.json()["notice"]["id"]) == (409, "review.settled")
    assert room.say("Cora", "title", "unclear", seen=2).json()["notice"]["id"] == "review.reason_needed"
    assert room.say("Cora", "title", "unclear", seen=2, note="Two titles.").status_code == 201


def test_a_third_person_has_no_vote(room: Room) -> None:
    room.judge("Ann", "title", "accepted")
    room.judge("Ben", "countries", "not_reported")
    refused = room.say("reviewer", "title", "accepted")
    assert (refused.status_code, refused.json()["notice"]["id"]) == (409, "review.two_others")


def test_one_may_change_one_s_own_mind_until_the_other_has_decided(room: Room) -> None:
    room.judge("Ann", "title", "accepted")
    room.judge("Ann", "title", "unclear", seen=1)
    assert room.say("Ann", "title", "rejected", seen=1).status_code == 409
    room.judge("Ann", "title", "withdrawn", seen=2)
    assert room.cell("Ann", "title")["review"]["action"] == "accepted"
    room.judge("Ben", "title", "accepted")
    assert room.cell("reader", "title")["review"]["action"] == "accepted"


def test_two_who_decide_at_the_same_moment_are_paired_once(room: Room) -> None:
    fields = ("title", "n_randomised", "countries")
    with ThreadPoolExecutor(8) as pool:
        jobs = [
            pool.submit(room.say, who, field, "unclear", ordinal=ordinal)
            for ordinal in (0, 1)
            for field in fields
            for who in ("Ann", "Ben")
        ]
        assert [job.result().status_code for job in jobs] == [201] * 12
    assert room.get("Ann", "/agreement")["whole"]["cells"] == 6
    for ordinal in (0, 1):
        for field in fields:
            assert len(room.get("Ann", f"/results/{ordinal}/reviews", field=field, row="")["reviews"]) == 2


def test_verified_values_are_accepted_together_in_one_s_own_documents_and_on_one_s_own_side(room: Room) -> None:
    path = f"/extraction/tasks/{room.task}/reviews/accept-verified"
    assert room.people["Ann"].post(path, json={"ordinals": [0, 1]}).json()["accepted"] == 0
    people = [{"account_id": room.office.people[name].id, "share": 1} for name in ("Ann", "Ben")]
    shared = room.people["owner"].post(f"/extraction/tasks/{room.task}/assignments/share", json={"people": people})
    assert shared.json() == {"changed": 4}
    assert room.people["Ann"].post(path, json={"ordinals": [0, 1]}).json()["accepted"] >= 2
    assert room.cell("Ben", "title")["review"] is None
    cast = {(one["ordinal"], one["name"]): one["cells"] for one in room.get("Ben", "/assignments")["assignments"]}
    assert cast[0, "Ann"] >= 1
    assert cast[0, "Ben"] == 0


# --- cells that start empty ------------------------------------------------------------------------------------------


@pytest.fixture
def empty(site: Site) -> Iterator[Room]:
    made = Room(site, shows_extractor=False)
    yield made
    for person in made.people.values():
        person.close()


@pytest.mark.parametrize("viewer", ["Ann", "Cora", "owner", "reader"])
def test_cells_that_start_empty_are_empty_wherever_results_are_had(empty: Room, viewer: str) -> None:
    found = empty.everything(viewer)
    assert empty.get(viewer, "/results/0")["findings"] == []
    assert "randomised 102 adults" not in found
    assert empty.people[viewer].get(f"/extraction/tasks/{empty.task}/differences").status_code == 422


def test_what_one_gives_in_an_empty_cell_is_all_that_one_sees(empty: Room) -> None:
    assert empty.say("Ann", "n_randomised", "accepted").json()["notice"]["id"] == "review.nothing_shown"
    shown = cell(empty.judge("Ann", "n_randomised", "edited", value=102), "n_randomised")
    assert (shown["value"], shown["quote"], shown["mark"], shown["extracted"]) == (102, "", "given", None)
    assert empty.cell("Ann", "n_randomised") == shown
    empty.judge("Ben", "n_randomised", "edited", value=102)
    # Now the extractor's answer is shown, as a third voice.
    assert "102" in empty.cell("reader", "n_randomised")["quote"]


# --- agreement -------------------------------------------------------------------------------------------------------


def test_agreement_is_counted_on_first_decisions_whatever_is_settled_later(room: Room) -> None:
    for ordinal in (0, 1):
        room.judge("Ann", "title", "accepted", ordinal=ordinal)
        room.judge("Ben", "title", "accepted", ordinal=ordinal)
        room.judge("Ann", "countries", "not_reported", ordinal=ordinal)
    room.judge("Ben", "countries", "not_reported", ordinal=0)
    room.judge("Ben", "countries", "unclear", ordinal=1)
    before = room.get("Ann", "/agreement")
    exported = room.get("Ann", "/export", format="json")["summary"]["settings"]
    assert exported["agreement of two reviewers"].startswith("3 of 4 cells, 75.0 % (95 % CI 30.1 to 95.4); kappa ")
    assert exported["agreement, field countries"].startswith("1 of 2 cells, 50.0 %")
    assert "kappa" in unpacked(room.people["Ann"].get(f"/extraction/tasks/{room.task}/export?format=xlsx").content)
    by_name = {one["name"]: one for one in before["fields"]}
    assert (by_name["countries"]["cells"], by_name["countries"]["agreed"]) == (2, 1)
    assert (before["whole"]["cells"], before["whole"]["agreed"]) == (4, 3)
    body = {"field": "countries", "action": "unclear", "note": "Not clear."}
    settled = room.people["Cora"].post(f"/extraction/tasks/{room.task}/results/1/settlements", json=body)
    assert settled.status_code == 201
    assert room.get("Ann", "/agreement") == before


def test_the_database_holds_a_pair_to_two_different_people(room: Room, db: psycopg.Connection) -> None:
    room.judge("Ann", "title", "accepted")
    room.judge("Ben", "title", "accepted")
    rows = db.execute(
        "select one.account_id <> two.account_id from ingather.vote_pair p"
        " join ingather.vote one on one.id = p.first_id join ingather.vote two on two.id = p.second_id"
    ).fetchall()
    assert rows == [(True,)]
