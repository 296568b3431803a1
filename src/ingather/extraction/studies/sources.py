"""Files of references in the database, as scripts: every record becomes a report with a study of its own."""

from collections.abc import Sequence

import orjson

from ingather.engine.script import Row, Script, Statement
from ingather.extraction.references import ReferenceFile, UnreadableReference
from ingather.extraction.registry.trial import RegisteredTrial
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.studies import statements as sql
from ingather.extraction.studies.clues import clues_of_trial
from ingather.extraction.studies.flow import ReferenceSource, SourceKind
from ingather.extraction.studies.studies import hold_project
from ingather.notice import notice_from_json, notice_to_json


def add_source(
    project_id: int, found: ReferenceFile, *, name: str, kind: SourceKind, file_name: str, by: Reviewer
) -> Script[int]:
    """Keep a file of references with all its records, in one commit. Its number is returned."""
    yield from hold_project(project_id)
    source_id = yield from _add_source(
        project_id,
        name=name,
        kind=kind,
        file_name=file_name,
        by=by,
        format=found.format,
        records=len(found.references),
        unreadable=found.unreadable,
    )
    records = [orjson.dumps(one.to_dict()).decode() for one in found.references]
    yield from add_records(project_id, source_id, records, [None] * len(records))
    return source_id


def _add_source(
    project_id: int,
    *,
    name: str,
    kind: SourceKind,
    file_name: str,
    by: Reviewer,
    format: str,
    records: int,
    unreadable: Sequence[UnreadableReference],
) -> Script[int]:
    listed = [{"line": one.line, "text": one.text, "notice": notice_to_json(one.sentence)} for one in unreadable]
    params = {"project_id": project_id, "name": name, "kind": kind.value, "file_name": file_name, "by": by.name}
    params |= {"format": format, "records": records, "unreadable": orjson.dumps(listed).decode()}
    [(source_id,)] = yield Statement(sql.ADD_SOURCE, params)
    return int(source_id)


def add_trials(
    project_id: int, trials: Sequence[RegisteredTrial], *, name: str, kind: SourceKind, file_name: str, by: Reviewer
) -> Script[int]:
    """Keep records of a registry: each is a report, whose clues find the papers of the same trial."""
    yield from hold_project(project_id)
    source_id = yield from _add_source(
        project_id,
        name=name,
        kind=kind,
        file_name=file_name,
        by=by,
        format="registry",
        records=len(trials),
        unreadable=(),
    )
    records = [orjson.dumps(clues_of_trial(one).to_dict()).decode() for one in trials]
    registry_records = [orjson.dumps(one.to_dict()).decode() for one in trials]
    yield from add_records(project_id, source_id, records, registry_records)
    return source_id


def registry_records(project_id: int, study_id: int) -> Script[list[RegisteredTrial]]:
    """The records of registries among the reports of a study."""
    rows = yield Statement(sql.REGISTRY_RECORDS, {"project_id": project_id, "study_id": study_id})
    return [RegisteredTrial.from_dict(orjson.loads(record)) for (record,) in rows]


def add_records(
    project_id: int, source_id: int | None, records: Sequence[str | None], registry_records: Sequence[str | None]
) -> Script[list[int]]:
    """Reports without files, each with what a database or a registry says of it; their numbers."""
    params = {"project_id": project_id, "source_id": source_id}
    rows = yield Statement(
        sql.ADD_RECORDS, params | {"records": list(records), "registry_records": list(registry_records)}
    )
    return [report_id for (report_id,) in rows]


def all_sources(project_id: int) -> Script[list[ReferenceSource]]:
    return [_source_of_row(row) for row in (yield Statement(sql.SOURCES, {"project_id": project_id}))]


def _source_of_row(row: Row) -> ReferenceSource:
    unreadable = tuple(
        UnreadableReference(line=one["line"], text=one["text"], sentence=notice_from_json(one["notice"]))
        for one in orjson.loads(row[6])
    )
    return ReferenceSource(
        id=row[0],
        name=row[1],
        kind=SourceKind(row[2]),
        file_name=row[3],
        format=row[4],
        records=row[5],
        unreadable=unreadable,
        imported_by=row[7],
        imported_at=row[8],
    )
