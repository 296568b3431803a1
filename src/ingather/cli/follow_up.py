"""`ingather follow-up`: a finished task asked again, in part; what is different is shown cell by cell."""

import hashlib
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from ingather.cli.extract import (
    OWN_NAME,
    fields_chosen_to_extract,
    finish_extract,
    papers_to_extract,
    table_to_extract_to,
    upload_to_extract,
)
from ingather.cli.output import output_hint, output_table
from ingather.extraction.findings import Finding
from ingather.extraction.task import Task
from ingather.extraction.tasks.follow_up import FollowUp, OpenCells
from ingather.settings import Settings
from ingather.workbench import Workbench

# Cells that are shown; the table has them all.
MOST_SHOWN = 50
# Characters of a value in a line of the terminal.
LONGEST_SHOWN = 60


def follow_up_command(arguments: Namespace) -> int:
    papers = papers_to_extract(arguments.papers)
    out, kind = table_to_extract_to(arguments.out)
    settings = Settings.from_environment()
    bench = Workbench(settings)
    try:
        before = bench.extraction.task(arguments.task)
        task, is_new = bench.extraction.start_follow_up(
            _wanted_follow_up(bench, before, arguments, papers),
            idempotency_key=_key_of_follow_up_command(bench, arguments),
            checks_model=True,
        )
        output_hint(f"Task {task.id} {'follows' if is_new else 'goes on after'} task {before.id}.")
        code = finish_extract(bench, task, arguments, out, kind, settings.model_at_once)
        if not arguments.json:
            output_table(
                ["paper", "row", "field", "before", "now"],
                list(_differences_of_follow_up(bench, task)),
                empty="No cell differs.",
            )
        return code
    finally:
        bench.engine.close()


def _wanted_follow_up(bench: Workbench, before: Task, arguments: Namespace, papers: list[Path]) -> FollowUp:
    template = bench.extraction.template(before.template_id, before.project_id)
    asks = arguments.field or arguments.section or arguments.only or arguments.instruction
    joining = (
        tuple(sorted(upload_to_extract(bench, _knowledge_base_of_follow_up(bench, before.project_id), papers)))
        if papers
        else ()
    )
    # Papers alone only join; with a question, it is put to the papers that are there, too.
    known = tuple(one.document_id for one in bench.extraction.documents_of(before.id)) if asks else ()
    return FollowUp(
        task_id=before.id,
        field_ids=tuple(fields_chosen_to_extract(template, arguments)),
        only=None if arguments.only is None else OpenCells(arguments.only),
        instructions=tuple((field, text) for field, text in arguments.instruction),
        document_ids=(*known, *joining) if joining else None,
    )


def _knowledge_base_of_follow_up(bench: Workbench, project_id: int) -> int:
    found = bench.library.list_knowledge_bases(project_ids=[project_id])
    return found[0].id if found else bench.library.create_knowledge_base(OWN_NAME, project_id=project_id).id


def _key_of_follow_up_command(bench: Workbench, arguments: Namespace) -> str:
    """The same command finds its task again, to go on with it."""
    endpoint = bench.extraction.endpoint
    papers = [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in arguments.papers]
    request = [
        arguments.task,
        sorted(papers),
        arguments.field,
        arguments.section,
        arguments.only,
        arguments.instruction,
        endpoint and (endpoint.base_url, endpoint.model),
    ]
    return hashlib.sha256(repr(request).encode()).hexdigest()


def _differences_of_follow_up(bench: Workbench, task: Task) -> Iterator[tuple[str, str, str, str, str]]:
    page, _ = bench.extraction.differences(task.id)
    lines = (
        (
            one.file_name,
            cell.row,
            cell.field,
            _finding_shown_in_follow_up(cell.before),
            _finding_shown_in_follow_up(cell.after),
        )
        for one in page
        for cell in one.cells
    )
    for _, line in zip(range(MOST_SHOWN), lines, strict=False):
        yield line


def _finding_shown_in_follow_up(finding: Finding | None) -> str:
    if finding is None:
        return "nothing"
    text = finding.state.value if finding.value is None else str(finding.value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
