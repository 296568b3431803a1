"""Projects and their templates: the part of `Extraction` that needs no library and no model."""

import re
from collections.abc import Callable, Collection

from ingather.engine.engine import Engine
from ingather.engine.errors import UsageError
from ingather.extraction.arguments import known_id_argument
from ingather.extraction.errors import NotFound, Outrun
from ingather.extraction.task import Project
from ingather.extraction.tasks import projects
from ingather.extraction.template import (
    BUILTIN_IDS,
    Label,
    ReviewQuestions,
    Template,
    builtin_templates,
    cloned_template,
    load_builtin_template,
)
from ingather.names import NAME, visible
from ingather.notice import notice


class ExtractionProjects:
    """The projects of a database, each with its own templates."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def create_project(self, name: str) -> Project:
        """Make a project. Several may have one name: callers decide who may see which, and which names clash."""
        name = visible(name)
        if not 1 <= len(name) <= 200:
            raise UsageError(
                notice("extraction.project_name_1_200_characters", "A project has a name of 1 to 200 characters.")
            )
        return self.engine.database.run(projects.create_project(name))

    def own_project(self, made_for: str, name: str) -> Project:
        """The project that a program has for itself, made at the first call."""
        return self.engine.database.run(projects.own_project(made_for, name))

    def list_projects(
        self, ids: Collection[int] | None = None, *, after: int = 0, limit: int | None = None
    ) -> list[Project]:
        """All projects, or those with these ids; `after` takes the last id of the page before."""
        return self.engine.database.run(
            projects.list_projects(None if ids is None else list(ids), after=after, limit=limit)
        )

    def project(self, project_id: int) -> Project:
        return self.engine.database.run(projects.find_project(known_id_argument(project_id, "project")))

    # --- questions about numbers -----------------------------------------------------------------------------------

    def questions(self, project_id: int) -> tuple[ReviewQuestions, int]:
        """The review's questions as they stand now, and their revision: 0 where nobody has written any."""
        return self.engine.database.run(projects.find_questions(known_id_argument(project_id, "project")))

    def change_questions(self, project_id: int, questions: ReviewQuestions, *, seen: int) -> int:
        """Put these in the place of those of revision `seen`; the new revision. Tasks keep what they started with."""
        self.project(project_id)
        revision = self.engine.database.run(projects.change_questions(project_id, questions, seen=seen))
        if revision is None:
            raise Outrun(
                notice(
                    "questions.changed_meanwhile",
                    "Somebody else has changed the questions meanwhile. Look at them again, then repeat the change.",
                )
            )
        return revision

    # --- templates -------------------------------------------------------------------------------------------------

    def list_templates(
        self, project_id: int | None = None, *, after: str = "", limit: int | None = None
    ) -> list[Template]:
        """The built-in ones, then the project's own; `after` takes the last id of the page before."""
        seen = BUILTIN_IDS.index(after) + 1 if after in BUILTIN_IDS else len(BUILTIN_IDS) if after else 0
        found = builtin_templates()[seen:]
        if project_id is not None:
            last = "" if after in BUILTIN_IDS else after
            found += self.engine.database.run(
                projects.list_templates(known_id_argument(project_id, "project"), after=last, limit=limit)
            )
        return found[:limit]

    def template(self, template_id: str, project_id: int | None = None) -> Template:
        """A template as it stands now; one of another project is not there."""
        found, owner = self.template_and_project(template_id)
        if owner and project_id not in {None, owner}:
            raise _no_template_in_project(template_id)
        return found

    def template_and_project(self, template_id: str) -> tuple[Template, int]:
        """A template and the project it belongs to; 0 for a built-in one, which belongs to all."""
        if template_id in BUILTIN_IDS:
            return load_builtin_template(template_id), 0
        found = (
            self.engine.database.run(projects.find_template(template_id)) if NAME.fullmatch(str(template_id)) else None
        )
        if found is None:
            raise _no_template_in_project(template_id)
        return found

    def clone_template(self, project_id: int, template_id: str, label: Label) -> Template:
        """A copy of a template for a project to change."""
        base = self.template(template_id, project_id)
        stem = re.sub(r"_\d+$", "", template_id)[:50]
        number = 1
        while True:
            number += 1
            if f"{stem}_{number}" == template_id:
                continue
            copy = cloned_template(base, f"{stem}_{number}", label)
            if self.engine.database.run(projects.add_template(project_id, copy)):
                return copy

    def change_template(self, project_id: int, template_id: str, change: Callable[[Template], Template]) -> Template:
        """Store what `change` makes of a template as its next version. Tasks keep the version they started with."""
        before = self.template(template_id, project_id)
        after = change(before).with_version(before.version + 1)
        if not self.engine.database.run(projects.change_template(before, after)):
            raise UsageError(
                notice(
                    "extraction.somebody_else_changed_template_meanwhile",
                    "Somebody else has changed this template meanwhile. Look at it again, then repeat the change.",
                )
            )
        return after

    def remove_template(self, project_id: int, template_id: str) -> None:
        """Remove a project's template. Tasks that used it keep their version."""
        self.template(template_id, project_id)
        if template_id in BUILTIN_IDS:
            raise UsageError(f"The template {template_id!r} comes with the program and stays.")
        self.engine.database.run(projects.remove_template(template_id))


def _no_template_in_project(template_id: str) -> NotFound:
    return NotFound(
        notice(
            "extraction.no_template_those_come_program",
            "There is no template {id}. Those that come with the program: {ids}.",
            id=f"{template_id!r}",
            ids=", ".join(BUILTIN_IDS),
        )
    )
