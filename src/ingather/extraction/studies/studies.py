"""What can be done to studies and reports, as scripts: each is one transaction with a line in the history."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import orjson

from ingather.engine import verbs
from ingather.engine.errors import UsageError
from ingather.engine.item import Offspring
from ingather.engine.script import Row, Script, Statement
from ingather.extraction.errors import NotFound
from ingather.extraction.reviewing.reviews import Reviewer
from ingather.extraction.studies import statements as sql
from ingather.extraction.studies.disjoint import DisjointSets
from ingather.extraction.studies.report import (
    Clues,
    ReportType,
    ScreeningStage,
    Study,
    StudyAction,
    StudyEvent,
    StudyReport,
)
from ingather.extraction.studies.study_names import named
from ingather.notice import notice

# Reports that one verb may name: a list of duplicates that rest on one DOI may be long, and is one transaction.
MOST_REPORTS = 20_000

Event = tuple[int, StudyAction, Mapping[str, Any]]
"""A line of the history: of which study, what was done, and the details."""


def hold_project(project_id: int) -> Script[None]:
    """Let nobody else change the project's studies until the transaction ends."""
    if not (yield Statement(sql.HOLD_PROJECT, {"project_id": project_id})):
        raise NotFound(notice("task.no_project", "There is no project {id}.", id=project_id))


def add_files(project_id: int, files: Mapping[str, str]) -> Script[list[str]]:
    """A report, and a study of its own, for each file that the project has none of; the contents that are new."""
    yield from hold_project(project_id)
    params = {"project_id": project_id, "sha256s": list(files), "file_names": list(files.values())}
    return [sha256 for sha256, _ in (yield Statement(sql.ADD_FILES, params))]


def add_files_and_look(project_id: int, files: Mapping[str, str], job: Offspring) -> Script[list[str]]:
    """`add_files`, and the job that looks for their clues, in one commit."""
    new = yield from add_files(project_id, files)
    if new:
        assert job.request is not None
        yield from verbs.scatter(job.request, job.lines)
    return new


def files_of_tasks(project_id: int) -> Script[dict[str, str]]:
    """Files that tasks of the project have and that no report stands for yet."""
    return dict((yield Statement(sql.FILES_OF_TASKS, {"project_id": project_id})))


def set_clues(project_id: int, sha256: str, clues: Clues) -> Script[None]:
    found = {"project_id": project_id, "sha256": sha256, "clues": orjson.dumps(clues.to_dict()).decode()}
    yield Statement(sql.SET_CLUES, found)


def all_reports(project_id: int) -> Script[list[StudyReport]]:
    """All reports of a project. One that others are once more has their clues where its own say nothing."""
    rows = yield Statement(sql.REPORTS, {"project_id": project_id})
    found = {row[0]: _report_of_row(row) for row in rows}
    for one in found.values():
        if one.same_as is not None and (head := found.get(one.same_as)):
            # A database knows a paper better than a reader of its first page does.
            is_surer = one.source_id is not None and head.source_id is None
            clues = one.clues.beside(head.clues) if is_surer else head.clues.beside(one.clues)
            kind = clues.type if is_surer and not head.is_typed else head.clues.type
            found[head.id] = replace(head, clues=replace(clues, type=kind))
    return list(found.values())


def all_studies(project_id: int) -> Script[list[Study]]:
    """The studies of a project with their reports and names, in the order in which they came."""
    reports: dict[int, list[StudyReport]] = {}
    for one in (yield from all_reports(project_id)):
        reports.setdefault(one.study_id, []).append(one)
    rows = yield Statement(sql.STUDIES, {"project_id": project_id})
    return named((one, name, reports[one]) for one, name in rows if one in reports)


def apart(project_id: int) -> Script[list[tuple[int, int]]]:
    return [(one, other) for one, other in (yield Statement(sql.APART, {"project_id": project_id}))]


def studies_of_files(project_id: int, sha256s: Collection[str]) -> Script[dict[str, int]]:
    params = {"project_id": project_id, "sha256s": list(sha256s)}
    return dict((yield Statement(sql.STUDIES_OF_FILES, params)))


# --- what people decide ----------------------------------------------------------------------------------------------


def merge(project_id: int, study_ids: Sequence[int], by: Reviewer) -> Script[int]:
    """Put the reports of several studies under the first of them. Nothing of the others is lost; returns the first."""
    yield from hold_project(project_id)
    known = {one.id: one for one in (yield from all_studies(project_id))}
    wanted = sorted(set(study_ids))
    if len(wanted) < 2 or any(one not in known for one in wanted):
        raise _changed_meanwhile()
    events = yield from _merged(project_id, known, dict.fromkeys(wanted[1:], wanted[0]))
    yield Statement(sql.UNSET_APART, {"ids": [report.id for one in wanted for report in known[one].reports]})
    yield from _note_all(project_id, events, by)
    return wanted[0]


def _merged(project_id: int, known: Mapping[int, Study], into: Mapping[int, int]) -> Script[list[Event]]:
    """Studies put into others; the lines of the history, one for each that takes others in."""
    yield Statement(sql.MOVE_STUDIES, {"project_id": project_id, "study_ids": list(into), "into": list(into.values())})
    details: dict[int, list[dict[str, Any]]] = {}
    for study_id, target in into.items():
        study = known[study_id]
        reports = [one.id for one in study.reports]
        details.setdefault(target, []).append({"id": study_id, "name": study.name, "reports": reports})
        if study.is_named and not known[target].is_named:
            # A name that a person gave goes with its study.
            yield Statement(sql.NAME_STUDY, {"project_id": project_id, "study_id": target, "name": study.name})
    return [(target, StudyAction.MERGED, {"studies": studies}) for target, studies in details.items()]


def split(project_id: int, study_id: int, report_ids: Collection[int], by: Reviewer) -> Script[int]:
    """Take reports out of a study into one of their own, and keep them apart from the rest. Returns that one."""
    yield from hold_project(project_id)
    known = {one.id: one for one in (yield from all_studies(project_id))}
    if study_id not in known:
        raise _changed_meanwhile()
    inside = {one.id for one in known[study_id].reports}
    wanted = _with_duplicates(known[study_id].reports, set(report_ids))
    if not wanted or not wanted < inside:
        raise UsageError(
            notice("studies.split_some", "Choose some reports of the study, but not all, to split them off.")
        )
    [(made,)] = yield Statement(sql.ADD_STUDY, {"project_id": project_id})
    yield Statement(sql.MOVE_REPORTS, {"project_id": project_id, "study_id": made, "ids": sorted(wanted)})
    yield from _set_apart([(one, other) for one in wanted for other in inside - wanted])
    for mine, other in ((study_id, made), (made, study_id)):
        details = {"from" if mine == made else "into": other, "reports": sorted(wanted), "name": known[study_id].name}
        yield from _note(project_id, mine, StudyAction.SPLIT, details, by)
    return int(made)


def _with_duplicates(reports: Sequence[StudyReport], wanted: set[int]) -> set[int]:
    """The reports with those that are the same once more: they go where the one goes."""
    heads = {one.same_as or one.id for one in reports if one.id in wanted}
    return {one.id for one in reports if (one.same_as or one.id) in heads}


def keep_apart(project_id: int, report_ids: Sequence[int], by: Reviewer) -> Script[None]:
    """Say that these reports do not belong together: they are not suggested again."""
    yield from hold_project(project_id)
    reports = yield from reports_by_id(project_id, report_ids)
    yield from _set_apart(list(combinations([one.id for one in reports], 2)))
    for study_id in sorted({one.study_id for one in reports}):
        details = {"reports": [one.id for one in reports]}
        yield from _note(project_id, study_id, StudyAction.KEPT_APART, details, by)


def _set_apart(pairs: Sequence[tuple[int, int]]) -> Script[None]:
    ones, others = [min(pair) for pair in pairs], [max(pair) for pair in pairs]
    yield Statement(sql.SET_APART, {"ones": ones, "others": others})


def same_reports(project_id: int, groups: Sequence[Sequence[int]], by: Reviewer) -> Script[list[int]]:
    """Say of each group that its reports are one. The one with a file, or the oldest, stands for all; their studies
    become one. Returns those that stand."""
    yield from hold_project(project_id)
    studies = {one.id: one for one in (yield from all_studies(project_id))}
    known = {report.id: report for one in studies.values() for report in one.reports}
    same: dict[int, int] = {}
    joined = DisjointSets()
    events: list[Event] = []
    for group in groups:
        reports = [known[one] for one in sorted(set(group)) if one in known and known[one].same_as is None]
        if len(reports) < 2:
            raise _changed_meanwhile()
        head = min(reports, key=lambda one: (one.sha256 is None, one.id))
        others = [one.id for one in reports if one is not head]
        same |= dict.fromkeys(others, head.id)
        for one in reports:
            joined.join(head.study_id, one.study_id)
        events.append((head.study_id, StudyAction.SAME_REPORT, {"report": head.id, "reports": others}))
    yield Statement(sql.SET_SAME_AS, {"project_id": project_id, "ids": list(same), "heads": list(same.values())})
    into = joined.lowest()
    merged = (yield from _merged(project_id, studies, into)) if into else []
    noted = [(into.get(study_id, study_id), action, details) for study_id, action, details in events]
    yield from _note_all(project_id, [*merged, *noted], by)
    return sorted(set(same.values()))


def other_report(project_id: int, report_id: int, by: Reviewer) -> Script[None]:
    """Take back that a report is another one once more; it stays in its study."""
    yield from hold_project(project_id)
    [report] = yield from reports_by_id(project_id, [report_id])
    if report.same_as is None:
        raise _changed_meanwhile()
    yield Statement(sql.SET_SAME_AS, {"project_id": project_id, "ids": [report_id], "heads": [None]})
    yield from _set_apart([(report_id, report.same_as)])
    details = {"report": report.same_as, "reports": [report_id]}
    yield from _note(project_id, report.study_id, StudyAction.OTHER_REPORT, details, by)


def name_study(project_id: int, study_id: int, name: str | None, by: Reviewer) -> Script[None]:
    """Give a study a name of a person's own; None gives it back the one that its reports give it."""
    yield from hold_project(project_id)
    before = {one.id: one.name for one in (yield from all_studies(project_id))}
    params = {"project_id": project_id, "study_id": study_id, "name": name}
    if study_id not in before or not (yield Statement(sql.NAME_STUDY, params)):
        raise _changed_meanwhile()
    yield from _note(project_id, study_id, StudyAction.NAMED, {"before": before[study_id], "name": name}, by)


def set_type(project_id: int, report_id: int, type: ReportType, by: Reviewer) -> Script[None]:
    yield from hold_project(project_id)
    [report] = yield from reports_by_id(project_id, [report_id])
    yield Statement(sql.SET_TYPE, {"project_id": project_id, "report_id": report_id, "type": type.value})
    details = {"reports": [report_id], "before": report.clues.type.value, "type": type.value}
    yield from _note(project_id, report.study_id, StudyAction.TYPED, details, by)


def exclude(
    project_id: int, report_ids: Sequence[int], stage: ScreeningStage | None, reason: str, by: Reviewer
) -> Script[None]:
    """Exclude reports at a stage of the review, with the reason; without a stage, take them in again."""
    yield from hold_project(project_id)
    reports = yield from reports_by_id(project_id, report_ids)
    ids = [one.id for one in reports]
    params = {"project_id": project_id, "stage": stage, "reason": reason if stage else "", "ids": ids}
    yield Statement(sql.SET_EXCLUDED, params)
    action = StudyAction.EXCLUDED if stage else StudyAction.INCLUDED
    for study_id in sorted({one.study_id for one in reports}):
        mine = [one.id for one in reports if one.study_id == study_id]
        yield from _note(project_id, study_id, action, {"reports": mine, "stage": stage, "reason": reason}, by)


def history(
    project_id: int, *, study_id: int | None, before: int, limit: int
) -> Script[tuple[list[StudyEvent], int | None]]:
    """What people did, newest first, and what `before` takes for the next page."""
    params = {"project_id": project_id, "study_id": study_id, "before": before, "limit": limit}
    rows = yield Statement(sql.EVENTS, params)
    events = [
        StudyEvent(
            id=row[0], study_id=row[1], action=StudyAction(row[2]), by=row[3], at=row[4], details=orjson.loads(row[5])
        )
        for row in rows
    ]
    return events, rows[-1][0] if len(rows) == limit else None


def project_of_study(study_id: int) -> Script[int]:
    for (project_id,) in (yield Statement(sql.PROJECT_OF_STUDY, {"study_id": study_id})):
        return int(project_id)
    raise NotFound(notice("studies.no_study", "There is no study {id}.", id=study_id))


def reports_by_id(project_id: int, ids: Sequence[int]) -> Script[list[StudyReport]]:
    """The reports of these ids; an error where one is not in the project."""
    if len(ids) > MOST_REPORTS:
        raise UsageError(f"At most {MOST_REPORTS:,} reports at once.")
    rows = yield Statement(sql.REPORTS_BY_ID, {"project_id": project_id, "ids": list(ids)})
    if len(rows) != len(set(ids)):
        raise NotFound(notice("studies.no_report", "Not all of these reports are in the project."))
    return [_report_of_row(row) for row in rows]


def _note(
    project_id: int, study_id: int, action: StudyAction, details: Mapping[str, Any], by: Reviewer
) -> Script[None]:
    yield from _note_all(project_id, [(study_id, action, details)], by)


def _note_all(project_id: int, events: Sequence[Event], by: Reviewer) -> Script[None]:
    yield Statement(
        sql.ADD_EVENTS,
        {
            "project_id": project_id,
            "study_ids": [study_id for study_id, _, _ in events],
            "actions": [action.value for _, action, _ in events],
            "details": [orjson.dumps(details).decode() for _, _, details in events],
            "by": by.name,
            "account_id": by.account_id,
        },
    )


def _changed_meanwhile() -> NotFound:
    return NotFound(
        notice("studies.changed_meanwhile", "These studies have changed meanwhile. Look at them again, then repeat it.")
    )


def _report_of_row(row: Row) -> StudyReport:
    sha256, file_name, record, clues, given_type = row[2:7]
    of_file = Clues.from_dict(orjson.loads(clues)) if clues else Clues()
    found = Clues.from_dict(orjson.loads(record)).beside(of_file) if record else of_file
    if given_type:
        found = Clues.from_dict(found.to_dict() | {"type": given_type})
    source_id, same_as, excluded_at, reason, has_registry_record = row[7:]
    return StudyReport(
        id=row[0],
        study_id=row[1],
        sha256=sha256,
        file_name=file_name,
        clues=found,
        is_read=clues is not None or sha256 is None,
        is_typed=bool(given_type),
        source_id=source_id,
        same_as=same_as,
        excluded_at=ScreeningStage(excluded_at) if excluded_at else None,
        exclusion_reason=reason,
        has_registry_record=has_registry_record,
    )
