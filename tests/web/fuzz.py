"""Requests made up from the API's own description, right ones and wrong ones, signed in and not.

Whatever comes, the answer is one that the description names, in a form that
it names, and never a fault. `python -m tests.web.fuzz --minutes 10` goes on
for longer than the tests do.
"""

import argparse
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import hypothesis
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, strategies
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from ingather import embedded
from ingather.engine.engine import Engine
from ingather.engine.migrations import migrate
from ingather.extraction.template import Label
from ingather.web import accounts
from ingather.web.accounts import Role, TokenScope
from ingather.web.app import create_app
from ingather.web.limits import RequestLimits
from tests.extraction.desk import Bench, paper
from tests.web.site import Office, Site, rooms_of, served

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ENDLESS = "/events"
LIMITS = RequestLimits(failed_sign_ins=10**9, uploads=10**9, exports=10**9)


class Fuzz:
    """A site with something of everything, and a token that may do everything in it."""

    def __init__(self, site: Site) -> None:
        office = site.office
        operator = office.people["operator"]
        office.engine.database.run(accounts.set_role_of_account(office.bench.project, operator.id, Role.OWNER))
        self._documents = office.add([paper(1), paper(2), "bad"])
        self._done = office.start(self._documents, field_ids=["title"])
        office.work()
        self._site = site
        self._session = requests.Session()
        described = schemathesis.openapi.from_dict(site.app.openapi())
        self._operations: list[Any] = [found.ok() for found in described.get_all_operations()]  # type: ignore[union-attr]

    def _things(self, path: str) -> dict[str, Any]:
        """Something of everything; what a route may have removed is there again."""
        office = self._site.office
        bench = office.bench
        knowledge_base = bench.library.create_knowledge_base(secrets.token_hex(8), project_id=bench.project).id
        [document_id] = office.add([f"paper {secrets.token_hex(8)}"], knowledge_base=knowledge_base)
        template_id = "rct"
        if "{template_id}" in path:
            template_id = bench.extraction.clone_template(bench.project, "rct", Label(en="Ours", zh="我们的")).id
        return {
            "project_id": bench.project,
            "knowledge_base_id": knowledge_base,
            "document_id": document_id,
            "task_id": self._done,
            "batch_id": bench.extraction.task(self._done).batch_id,
            "job_id": bench.library.document(document_id).job_id,
            "ordinal": 0,
            "template_id": template_id,
            "name": "reading",
        }

    def _to_delete(self, operation: Any) -> dict[str, Any]:
        """What no other route needs."""
        office = self._site.office
        match operation.method.upper(), operation.path.rpartition("/")[2]:
            case "DELETE", "{task_id}":
                task_id = office.start(self._documents[:1], field_ids=["title"])
                office.work()
                return {"task_id": task_id}
            case "DELETE", "{project_id}":
                project_id = office.bench.extraction.create_project(secrets.token_hex(8)).id
                operator = office.people["operator"]
                office.engine.database.run(accounts.set_role_of_account(project_id, operator.id, Role.OWNER))
                return {"project_id": project_id}
        return {}

    def run(self, seed: int, *, examples: int, is_signed_in: bool) -> int:
        """So many requests of each kind to each route. Returns how many were made; raises at the first fault."""
        made = 0
        for operation in self._operations:
            if is_signed_in and operation.path.endswith(ENDLESS):
                continue
            self._known = self._things(operation.path) | self._to_delete(operation)
            # The last route may have revoked the token.
            self._token = {"Authorization": f"Bearer {self._site.office.token('operator', TokenScope.OPERATE)}"}
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                made += self._visit(operation.as_strategy(generation_mode=mode), seed, examples, is_signed_in)
        return made

    def _visit(self, cases: Any, seed: int, examples: int, is_signed_in: bool) -> int:
        made = 0

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=examples, deadline=None, database=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @hypothesis.given(case=cases, is_near=strategies.booleans())
        def visit(case: Case[Any], is_near: bool) -> None:
            nonlocal made
            # An id that is made up may be that of something all other routes need.
            if is_near or case.method.upper() == "DELETE":
                self._bring_near(case)
            made += 1
            # Credentials that the case brings are not ours.
            case.cookies.clear()
            case.headers.pop("Authorization", None)
            answer = case.call(
                base_url=self._site.address,
                session=self._session,
                headers=self._token if is_signed_in else {},
                timeout=30,
            )
            case.validate_response(answer, checks=CHECKS)
            assert b"Traceback" not in answer.content

        with suppress(hypothesis.errors.Unsatisfiable):  # nothing about this route can be wrong
            visit()
        return made

    def _bring_near(self, case: Case[Any]) -> None:
        """Ids that exist: with others, most requests end at the door."""
        for name, value in self._known.items():
            if name in case.path_parameters:
                case.path_parameters[name] = value
            if name in case.query:
                case.query[name] = value
            if isinstance(case.body, dict) and name in case.body:
                case.body[name] = value
        if isinstance(case.body, dict) and "document_ids" in case.body:
            case.body["document_ids"] = [self._known["document_id"]]


@contextmanager
def fuzzed(url: str, folder: Path) -> Iterator[Fuzz]:
    engine = Engine(url, lease=1)
    office = Office(Bench(engine, folder).open())
    app = create_app(rooms_of(office.bench), version="0", limits=LIMITS)
    with served(app) as address:
        yield Fuzz(Site(office, app, address))
    engine.close()


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.web.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=None, help="for the same requests again")
    arguments = parser.parse_args(argv)
    seed = random.randrange(2**32) if arguments.seed is None else arguments.seed
    end = time.monotonic() + 60 * arguments.minutes
    made = 0
    with tempfile.TemporaryDirectory() as folder, embedded.start(Path(folder) / "server") as running:
        migrate(running.url)
        with fuzzed(running.url, Path(folder) / "files") as fuzz:
            while time.monotonic() < end:
                print(f"seed {seed}: {made:,} requests so far", flush=True)
                for is_signed_in in (True, False):
                    made += fuzz.run(seed, examples=20 if is_signed_in else 3, is_signed_in=is_signed_in)
                seed += 1
    print(f"{made:,} requests, and every answer was one that the description names.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
