"""`ingather extract`: papers and a template in, a table out; interrupted, it goes on where it was."""

import asyncio
import hashlib
import time
from argparse import Namespace
from contextlib import closing
from pathlib import Path

from ingather.cli.output import output_console, output_hint, output_json, output_sentence, output_table
from ingather.cli.papers import ending_for_paper_output, out_path_for_paper, path_of_paper, write_paper_output_whole
from ingather.cli.watching import WatchingBar, WatchingLines, WatchingScreen
from ingather.engine.errors import IngatherError, UsageError
from ingather.engine.model import Progress
from ingather.extraction.export import FORMATS
from ingather.extraction.exports import EMBEDDED_NAME
from ingather.extraction.provider import CHARACTERS_A_TOKEN
from ingather.extraction.task import Task, UnderWay, Wait, WaitReason
from ingather.extraction.tasks.request import fingerprint
from ingather.extraction.template import Template, Tier, fields_of_sections, template_with_fields_selected
from ingather.library import ingest
from ingather.settings import Settings
from ingather.workbench import Workbench

# The name of the project, and of its knowledge base, that this command makes for itself.
OWN_NAME = "Command line"
# How often progress is read and shown. Shorter costs more queries; longer makes the bar jerk.
POLL_S = 0.2
# How often it is looked up how far answers are. They are written down once a second.
LOOK_S = 1.0
# How long the command's own worker may finish items after the task has ended. Nothing of this task is left by then.
GRACE_S = 2.0


def extract_command(arguments: Namespace) -> int:
    papers = papers_to_extract(arguments.papers)
    out, kind = table_to_extract_to(arguments.out)
    settings = Settings.from_environment()
    bench = Workbench(settings)
    try:
        return _extract_papers(bench, arguments, papers, out, kind, settings.model_at_once)
    finally:
        bench.engine.close()


def _extract_papers(
    bench: Workbench, arguments: Namespace, papers: list[Path], out: Path, kind: str, at_once: int
) -> int:
    template = bench.extraction.template(arguments.template)
    fields = _fields_of_extract(template, arguments)
    project_id, knowledge_base_id = project_of_extract(bench)
    file_names = upload_to_extract(bench, knowledge_base_id, papers)
    task = _start_extract(
        bench, project_id, arguments, template_with_fields_selected(template, fields), sorted(file_names)
    )
    count = "1 document" if len(file_names) == 1 else f"{len(file_names):,} documents"
    output_hint(f"{count}, template {task.template_id}, {task.model or EMBEDDED_NAME}.")
    return finish_extract(bench, task, arguments, out, kind, at_once)


def finish_extract(bench: Workbench, task: Task, arguments: Namespace, out: Path, kind: str, at_once: int) -> int:
    """Work until the task has ended, write its table, and say what failed."""
    # On stderr: a program may read the answer on stdout.
    screen: WatchingScreen = (
        WatchingBar(stderr=True) if output_console(stderr=True).is_terminal else WatchingLines(output_hint)
    )
    try:
        seen = asyncio.run(work_on_extract(bench, task, screen, at_once))
    except KeyboardInterrupt:
        output_hint("Interrupted. Run the same command again to go on; what is done is kept.")
        raise
    write_extracted_table(bench, task, out, kind, arguments.language)
    failures = bench.engine.batch(task.batch_id).items("error")
    shown = [
        (bench.extraction.result(task.id, item.ordinal).file_name, _why_extract_failed(item.error)) for item in failures
    ]
    if arguments.json:
        counts = {"completed": seen.completed, "error": seen.error, "cancelled": seen.cancelled}
        failed = [{"file": name, "problem": why} for name, why in shown]
        output_json({"task_id": task.id, "out": str(out), "total": seen.total, **counts, "failures": failed})
    else:
        output_sentence(f"Wrote {out}: {seen.completed:,} of {seen.total:,} documents of task {task.id}.")
        if shown:
            output_table(["document", "why it failed"], shown, empty="")
    return 0 if seen.completed == seen.total else 1


def _fields_of_extract(template: Template, arguments: Namespace) -> list[str]:
    """The chosen fields; without a choice the core ones, or all."""
    chosen = fields_chosen_to_extract(template, arguments)
    return chosen or [field.id for field in template.fields if arguments.all_fields or field.tier is Tier.CORE]


def fields_chosen_to_extract(template: Template, arguments: Namespace) -> list[str]:
    """The fields that `--field` and `--section` name."""
    return list(dict.fromkeys([*arguments.field, *fields_of_sections(template, arguments.section)]))


def papers_to_extract(given: list[str]) -> list[Path]:
    papers = list(dict.fromkeys(path_of_paper(name) for name in given))
    for paper in papers:
        if not paper.exists():
            raise UsageError(f"There is no file {str(paper)!r}.")
        if paper.is_dir():
            raise UsageError(f"{str(paper)!r} is a folder. Name the files in it: {paper / '*.pdf'}.")
        if not paper.is_file():
            raise UsageError(f"{str(paper)!r} is no file.")
    return papers


def table_to_extract_to(name: str) -> tuple[Path, str]:
    """Where the table goes, and what kind of table the ending asks for; found out before any work is done."""
    kinds = {known.suffix: key for key, known in FORMATS.items()}
    out = out_path_for_paper(name, list(kinds))
    return out, kinds[ending_for_paper_output(out, kinds) or out.suffix]


def project_of_extract(bench: Workbench) -> tuple[int, int]:
    """The project of the command line and its knowledge base, made by whichever command comes first."""
    try:
        return _find_or_create_project_of_extract(bench)
    except UsageError:  # another command made one of them this moment
        return _find_or_create_project_of_extract(bench)


def _find_or_create_project_of_extract(bench: Workbench) -> tuple[int, int]:
    # Found by its purpose and not by its name: a person may have given a project of theirs the same name.
    project_id = bench.extraction.own_project("command_line", OWN_NAME).id
    knowledge_bases = bench.library.list_knowledge_bases(project_ids=[project_id])
    if knowledge_bases:
        return project_id, knowledge_bases[0].id
    return project_id, bench.library.create_knowledge_base(OWN_NAME, project_id=project_id).id


def upload_to_extract(bench: Workbench, knowledge_base_id: int, papers: list[Path]) -> dict[int, str]:
    """The papers as documents: their ids, each with the name of its file."""
    names: dict[int, str] = {}
    for paper in papers:
        try:
            with paper.open("rb") as stream:
                document = bench.library.upload(knowledge_base_id, stream, paper.name).document
        except OSError as error:
            raise UsageError(f"{str(paper)!r} cannot be read: {error.strerror}.") from error
        if document.id in names:
            output_hint(f"{paper.name} is the same file as {names[document.id]}, and is read once.")
        names.setdefault(document.id, paper.name)
    return names


def _start_extract(
    bench: Workbench, project_id: int, arguments: Namespace, template: Template, document_ids: list[int]
) -> Task:
    """The task for this template and these papers: the existing one unless it was cancelled, else a new one.

    The order of the papers does not matter: the same request finds the same task tomorrow.
    """
    endpoint = bench.extraction.endpoint
    model = endpoint and (endpoint.base_url, endpoint.model)
    request = [fingerprint(template), arguments.context, model, document_ids]
    key = hashlib.sha256(repr(request).encode()).hexdigest()
    number = 0
    while True:
        number += 1
        task, is_new = bench.extraction.start_task(
            project_id,
            arguments.template,
            document_ids,
            field_ids=[field.id for field in template.fields],
            context=arguments.context,
            idempotency_key=f"{key}/{number}",
            checks_model=True,
        )
        if is_new or _extract_goes_on(bench, task):
            return task


def _extract_goes_on(bench: Workbench, task: Task) -> bool:
    """Resume a task of an earlier run, and retry its failures. False if it was cancelled."""
    batch = bench.engine.batch(task.batch_id)
    seen = batch.progress()
    if seen.is_closed and seen.cancelled:
        return False
    if seen.paused:
        bench.extraction.resume(task.id)
    if seen.is_closed and seen.error:
        batch.retry_failed()
    output_hint(f"Going on with task {task.id}: {seen.completed:,} of {seen.total:,} documents were done.")
    return True


async def work_on_extract(bench: Workbench, task: Task, screen: WatchingScreen, at_once: int) -> Progress:
    """Run a worker for the task and show its progress, until the task is done or has paused itself."""
    batch = bench.engine.batch(task.batch_id)
    # On a shared database there may be work of others, which is not for this command to take.
    queues = [(await batch.aprogress()).queue, ingest.QUEUE]
    worker = bench.engine.worker(concurrency=max(at_once, 4), queues=queues)
    shown_why: WaitReason | None = None
    look_at, now_written = 0.0, None
    await worker.start()
    try:
        with closing(screen):
            while True:
                seen = await batch.aprogress()
                if time.monotonic() >= look_at:
                    now_written = (await bench.extraction.astatus(task.id)).under_way if seen.running else None
                    look_at = time.monotonic() + LOOK_S
                screen.show(seen, _answers_written_in_extract(now_written))
                if seen.pending and not seen.running and not seen.paused:
                    wait = (await asyncio.to_thread(bench.extraction.status, task.id)).wait
                    if wait and wait.why is not shown_why:
                        shown_why = wait.why
                        output_hint(_what_extract_waits_for(wait))
                if seen.is_closed:
                    return seen
                if seen.paused and not seen.running:
                    now = await asyncio.to_thread(bench.extraction.task, task.id)
                    why = now.pause_reason or "The task was paused."
                    raise IngatherError(f"{why} What is done is kept: run the same command again to go on.")
                await asyncio.sleep(POLL_S)
    finally:
        await worker.stop(GRACE_S)
        await bench.extraction.aclose()
        await bench.engine.aclose()


def _answers_written_in_extract(found: UnderWay | None) -> str:
    """How far answers are that have been waited for: a slow model is at work, and not dead."""
    if found is None:
        return ""
    tokens = found.characters // CHARACTERS_A_TOKEN
    what = "an answer" if found.answers == 1 else f"{found.answers} answers"
    written = f"about {tokens:,} tokens" if tokens else "the paper is being read"
    return f"{what} under way for {found.longest_s:.0f} s: {written}"


def _what_extract_waits_for(wait: Wait) -> str:
    """A sentence that says what a task waits for. It is never a worker: this command runs its own."""
    until = f" until {wait.until.astimezone():%H:%M:%S}" if wait.until else ""
    match wait.why:
        case WaitReason.SILENCE:
            return f"Waiting{until}: the provider asked for silence."
        case WaitReason.QUEUE_PAUSED:
            return "Waiting: somebody paused the queue. `ingather queue ls` shows it, `ingather queue resume` goes on."
        case _:
            return f"Waiting{until}. {wait.sentence}".rstrip()


def write_extracted_table(bench: Workbench, task: Task, out: Path, kind: str, language: str) -> None:
    kept = " What is done is kept: run the same command again."
    write_paper_output_whole(
        out, lambda file: bench.extraction.export(task.id, kind, file, language=language), kept=kept
    )


def _why_extract_failed(error: dict[str, object] | None) -> str:
    return str((error or {}).get("message", ""))
