"""Looks in a file for what tells which study it is of, once for each project that has it."""

from ingather.engine.database import Database
from ingather.engine.script import Script, Statement
from ingather.extraction.studies import statements as sql
from ingather.extraction.studies import studies
from ingather.extraction.studies.clues import clues_of_pages
from ingather.extraction.studies.report import Clues
from ingather.library.port import LibraryPort


def identify(database: Database, library: LibraryPort, project_id: int, sha256: str, file_name: str) -> bool:
    """Keep the clues of a file, and a report of it where there is none. False: they were there already.

    The file is read first if nobody has done so yet. One without text has no
    clues, and that is kept too.
    """
    if not database.run(_lacks_clues(project_id, sha256)):
        return False
    reading = library.read(sha256, file_name)
    pages = library.pages(sha256, parser=reading.parser)
    printed = library.printed_lines(sha256, 0, parser=reading.parser)
    clues = clues_of_pages(pages, printed, file_name)
    database.run(_keep(project_id, sha256, file_name, clues))
    return True


def _lacks_clues(project_id: int, sha256: str) -> Script[bool]:
    return not (yield Statement(sql.HAS_CLUES, {"project_id": project_id, "sha256": sha256}))


def _keep(project_id: int, sha256: str, file_name: str, clues: Clues) -> Script[None]:
    yield from studies.add_files(project_id, {sha256: file_name})
    yield from studies.set_clues(project_id, sha256, clues)
