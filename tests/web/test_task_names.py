"""Tasks have names, are found by them, and are put away without losing anything."""

from typing import Any

import httpx

from tests.extraction.desk import paper
from tests.web.site import Site


def ids(client: httpx.Client, site: Site, **params: Any) -> list[int]:
    answer = client.get("/extraction/tasks", params={"project_id": site.office.bench.project, **params})
    assert answer.status_code == 200, answer.text
    return [task["task_id"] for task in answer.json()["tasks"]]


def test_a_task_is_named_found_and_put_away(site: Site) -> None:
    office = site.office
    [document] = office.add([paper(1)])
    first, second = (office.start([document], field_ids=[field]) for field in ("title", "doi"))
    office.work()
    with site.browser("reviewer") as client:
        named = client.patch(f"/extraction/tasks/{first}", json={"name": "  Pilot   of May "}).json()
        assert (named["name"], named["archived_at"]) == ("Pilot of May", None)
        assert ids(client, site, search="pilot") == [first]
        assert ids(client, site, search=str(second)) == [second]
        assert ids(client, site, search="rct") == [second, first]

        put_away = client.patch(f"/extraction/tasks/{first}", json={"is_archived": True}).json()
        assert (put_away["name"], put_away["archived_at"] is not None) == ("Pilot of May", True)
        assert ids(client, site, is_archived=False) == [second]
        assert ids(client, site, is_archived=True) == [first]
        assert ids(client, site) == [second, first]
        assert client.get(f"/extraction/tasks/{first}/results").json()["results"]

        again = client.patch(f"/extraction/tasks/{first}", json={"is_archived": False, "name": None}).json()
        assert (again["name"], again["archived_at"]) == (None, None)
