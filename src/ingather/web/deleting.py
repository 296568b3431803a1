"""Deleting what several rooms know of: in one transaction, each room with statements of its own."""

from ingather.engine.script import Script
from ingather.extraction.tasks import tasks
from ingather.library import documents


def delete_project_in_every_room(project_id: int) -> Script[None]:
    """A project with its tasks, papers, templates, members and tokens. Refused as long as a task of it is open."""
    yield from documents.delete_knowledge_bases(project_id)
    yield from tasks.delete_project(project_id)
