"""Projects and their templates: the verbs as scripts, so that each is one transaction."""

from collections.abc import Sequence
from typing import Any

import orjson

from ingather.engine.script import Script, Statement
from ingather.extraction.errors import NotFound
from ingather.extraction.task import Project
from ingather.extraction.tasks import statements as sql
from ingather.extraction.tasks.request import fingerprint
from ingather.extraction.template import ReviewQuestions, Template
from ingather.notice import notice


def create_project(name: str) -> Script[Project]:
    [row] = yield Statement(sql.CREATE_PROJECT, {"name": name})
    return _project_of_row(row)


def own_project(made_for: str, name: str) -> Script[Project]:
    """The project that a program has for itself, made at the first call."""
    if not (rows := (yield Statement(sql.FIND_OWN_PROJECT, {"made_for": made_for}))):
        yield Statement(sql.ADD_OWN_PROJECT, {"made_for": made_for, "name": name})
        rows = yield Statement(sql.FIND_OWN_PROJECT, {"made_for": made_for})
    return _project_of_row(rows[0])


def list_projects(ids: list[int] | None, *, after: int, limit: int | None) -> Script[list[Project]]:
    rows = yield Statement(sql.LIST_PROJECTS, {"ids": ids, "after": after, "limit": limit})
    return [_project_of_row(row) for row in rows]


def find_project(project_id: int) -> Script[Project]:
    rows = yield Statement(sql.FIND_PROJECT, {"project_id": project_id})
    if not rows:
        raise NotFound(notice("task.no_project", "There is no project {id}.", id=project_id))
    return _project_of_row(rows[0])


def _project_of_row(row: Sequence[Any]) -> Project:
    return Project(id=row[0], name=row[1], created_at=row[2])


# --- questions about numbers ------------------------------------------------------------------------------------------


def find_questions(project_id: int) -> Script[tuple[ReviewQuestions, int]]:
    """The questions of a project and their revision; none of revision 0 where nobody has written any."""
    yield from find_project(project_id)
    rows = yield Statement(sql.FIND_QUESTIONS, {"project_id": project_id})
    return (ReviewQuestions.from_dict(orjson.loads(rows[0][0])), rows[0][1]) if rows else (ReviewQuestions(), 0)


def change_questions(project_id: int, questions: ReviewQuestions, *, seen: int) -> Script[int | None]:
    """The new revision; None where another one than `seen` stands."""
    body = orjson.dumps(questions.to_dict()).decode()
    statement = sql.CHANGE_QUESTIONS if seen else sql.ADD_QUESTIONS
    rows = yield Statement(statement, {"project_id": project_id, "body": body, "seen": seen})
    return rows[0][0] if rows else None


# --- templates -------------------------------------------------------------------------------------------------------


def keep_version(template: Template) -> Script[str]:
    sha256 = fingerprint(template)
    body = orjson.dumps(template.to_dict()).decode()
    kept = {"sha256": sha256, "template_id": template.id, "version": template.version, "body": body}
    yield Statement(sql.KEEP_TEMPLATE_VERSION, kept)
    return sha256


def add_template(project_id: int, template: Template) -> Script[bool]:
    """False where the id is taken."""
    yield from find_project(project_id)
    if (yield from find_template(template.id)) is not None:
        return False
    sha256 = yield from keep_version(template)
    added = {"template_id": template.id, "project_id": project_id, "sha256": sha256}
    return bool((yield Statement(sql.ADD_TEMPLATE, added)))


def change_template(before: Template, after: Template) -> Script[bool]:
    """False where somebody else has changed it meanwhile."""
    sha256 = yield from keep_version(after)
    changed = {"template_id": after.id, "sha256": sha256, "was": fingerprint(before)}
    return bool((yield Statement(sql.CHANGE_TEMPLATE, changed)))


def remove_template(template_id: str) -> Script[bool]:
    return bool((yield Statement(sql.REMOVE_TEMPLATE, {"template_id": template_id})))


def find_template(template_id: str) -> Script[tuple[Template, int] | None]:
    """A project's template and the project."""
    rows = yield Statement(sql.FIND_TEMPLATE, {"template_id": template_id})
    return (Template.from_dict(orjson.loads(rows[0][0])), rows[0][1]) if rows else None


def list_templates(project_id: int, *, after: str, limit: int | None) -> Script[list[Template]]:
    rows = yield Statement(sql.LIST_TEMPLATES, {"project_id": project_id, "after": after, "limit": limit})
    return [Template.from_dict(orjson.loads(body)) for body, _ in rows]
