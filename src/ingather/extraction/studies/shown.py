"""The names of studies beside results: worked out anew only when something about the project's studies has changed."""

import threading
from collections.abc import Collection

from ingather.engine.database import Database
from ingather.engine.script import Script, Statement
from ingather.extraction.studies import statements as sql
from ingather.extraction.studies import studies
from ingather.extraction.studies.report import StudyName

# Projects whose names are kept. A process shows a few at a time; ten thousand names have some megabytes.
MOST_PROJECTS = 20

Names = dict[int, StudyName]
Stamp = tuple[int, ...]


class StudyNames:
    """What studies are called, by project. A letter behind a name depends on all other studies of the project, so
    names are worked out together; a page of results asks a hundred times for the same ones."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[int, tuple[Stamp, Names]] = {}
        self._lock = threading.Lock()

    def of_files(self, project_id: int, sha256s: Collection[str]) -> dict[str, StudyName]:
        """The study of each file that is a report of one, by the file's content."""
        stamp, found = self._database.run(_stamp_and_studies(project_id, sha256s))
        if not found:
            return {}
        names = self._names(project_id, stamp)
        return {sha256: names[study_id] for sha256, study_id in found.items() if study_id in names}

    def _names(self, project_id: int, stamp: Stamp) -> Names:
        with self._lock:
            kept = self._known.get(project_id)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        names = {
            one.id: StudyName(id=one.id, name=one.name, reports=len(one.reports))
            for one in self._database.run(studies.all_studies(project_id))
        }
        with self._lock:
            self._known.pop(project_id, None)
            self._known[project_id] = stamp, names
            while len(self._known) > MOST_PROJECTS:
                del self._known[next(iter(self._known))]
        return names


def _stamp_and_studies(project_id: int, sha256s: Collection[str]) -> Script[tuple[Stamp, dict[str, int]]]:
    """What changes whenever a study gets another name, read before the names are; and the studies of the files."""
    [row] = yield Statement(sql.STAMP, {"project_id": project_id})
    found = yield from studies.studies_of_files(project_id, sha256s)
    return tuple(row), found
