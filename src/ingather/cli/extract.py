"""`ingather extract`: papers and a template in, a table out; interrupted, it goes on where it was."""

import asyncio
import hashlib
from argparse import Namespace
from contextlib import closing
from pathlib import Path

from ingather.cli.answers import as_json, console, hint, say, table
from ingather.cli.papers import out_of, path_of, write_whole
from ingather.cli.watching import Bar, Lines, Screen
from ingather.engine.errors import IngatherError, UsageError
from ingather.engine.model import Progress
from ingather.extraction.export import FORMATS
from ingather.extraction.extraction import EMBEDDED_NAME
from ingather.extraction.tasks.tasks import Task, Wait, Why, fingerprint
from ingather.extraction.template import Template, Tier, select
from ingather.library import ingest
from ingather.settings import Settings
from ingather.workbench import Workbench

SHELF = "Command line"
LOOK_S = 0.2
GRACE_S = 2.0


def extract(arguments: Namespace) -> int:
    papers = _papers(arguments.papers)
    out, kind = _out(arguments.out)
    settings = Settings.from_environment()
    bench = Workbench(settings)
    try:
        return _extract(bench, arguments, papers, out, kind, settings.model_at_once)
    finally:
        bench.engine.close()


def _extract(bench: Workbench, arguments: Namespace, papers: list[Path], out: Path, kind: str, at_once: int) -> int:
    whole = bench.extraction.template(arguments.template)
    fields = [field.id for field in whole.fields if arguments.all_fields or field.tier is Tier.CORE]
    project_id, shelf_id = _place(bench)
    file_names = _upload(bench, shelf_id, papers)
    task = _start(bench, project_id, arguments, select(whole, fields), sorted(file_names))
    papers_told = "1 document" if len(file_names) == 1 else f"{len(file_names):,} documents"
    hint(f"{papers_told}, template {task.template_id}, {task.model or EMBEDDED_NAME}.")
    # Beside the answer, which may be read by a program.
    screen: Screen = Bar(stderr=True) if console(stderr=True).is_terminal else Lines(hint)
    try:
        seen = asyncio.run(_work(bench, task, screen, at_once))
    except KeyboardInterrupt:
        hint("Interrupted. Run the same command again to go on; what is done is kept.")
        raise
    _write(bench, task, out, kind, arguments.language)
    failures = bench.engine.batch(task.batch_id).items("error")
    shown = [(file_names[item.payload["document_id"]], _why(item.error)) for item in failures]
    if arguments.json:
        counts = {"completed": seen.completed, "error": seen.error, "cancelled": seen.cancelled}
        failed = [{"file": name, "problem": why} for name, why in shown]
        as_json({"task_id": task.id, "out": str(out), "total": seen.total, **counts, "failures": failed})
    else:
        say(f"Wrote {out}: {seen.completed:,} of {seen.total:,} documents.")
        if shown:
            table(["document", "why it failed"], shown, empty="")
    return 0 if seen.completed == seen.total else 1


def _papers(given: list[str]) -> list[Path]:
    papers = list(dict.fromkeys(path_of(name) for name in given))
    for paper in papers:
        if not paper.exists():
            raise UsageError(f"There is no file {str(paper)!r}.")
        if paper.is_dir():
            raise UsageError(f"{str(paper)!r} is a folder. Name the files in it: {paper / '*.pdf'}.")
        if not paper.is_file():
            raise UsageError(f"{str(paper)!r} is no file.")
    return papers


def _out(name: str) -> tuple[Path, str]:
    """Where the table goes, and what kind of table the ending asks for; found out before any work is done."""
    kinds = {known.suffix: key for key, known in FORMATS.items()}
    out = out_of(name, list(kinds))
    return out, kinds[out.suffix.lower()]


def _place(bench: Workbench) -> tuple[int, int]:
    """The project of the command line and its knowledge base, made by whichever command comes first."""
    try:
        return _find_or_make(bench)
    except UsageError:  # another command made one of them this moment
        return _find_or_make(bench)


def _find_or_make(bench: Workbench) -> tuple[int, int]:
    # By what it is for: a project that somebody else has called so is not ours, and our papers are not theirs.
    project_id = bench.extraction.own_project("command_line", SHELF).id
    shelves = bench.library.list_knowledge_bases(spaces=[project_id])
    return project_id, (shelves[0] if shelves else bench.library.create_knowledge_base(SHELF, space=project_id)).id


def _upload(bench: Workbench, shelf_id: int, papers: list[Path]) -> dict[int, str]:
    """The papers as documents: their ids, each with the name of its file."""
    names: dict[int, str] = {}
    for paper in papers:
        try:
            with paper.open("rb") as stream:
                document = bench.library.upload(shelf_id, stream, paper.name).document
        except OSError as error:
            raise UsageError(f"{str(paper)!r} cannot be read: {error.strerror}.") from error
        if document.id in names:
            hint(f"{paper.name} is the same file as {names[document.id]}, and is read once.")
        names.setdefault(document.id, paper.name)
    return names


def _start(
    bench: Workbench, project_id: int, arguments: Namespace, template: Template, document_ids: list[int]
) -> Task:
    """The task that asks this of these papers: the one there is, unless somebody cancelled it, or a new one.

    The same question about the same papers is the same task, also tomorrow
    and in another order.
    """
    endpoint = bench.extraction.endpoint
    told = [fingerprint(template), arguments.context, endpoint and (endpoint.base_url, endpoint.model), document_ids]
    key = hashlib.sha256(repr(told).encode()).hexdigest()
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
        )
        if is_new or _goes_on(bench, task):
            return task


def _goes_on(bench: Workbench, task: Task) -> bool:
    """Go on with a task that was asked before, and give what failed another chance. False: it was cancelled."""
    batch = bench.engine.batch(task.batch_id)
    seen = batch.progress()
    if seen.is_closed and seen.cancelled:
        return False
    if seen.paused:
        bench.extraction.resume(task.id)
    if seen.is_closed and seen.error:
        batch.retry_failed()
    hint(f"Going on with task {task.id}: {seen.completed:,} of {seen.total:,} documents were done.")
    return True


async def _work(bench: Workbench, task: Task, screen: Screen, at_once: int) -> Progress:
    """Work on it, and show how it goes, until it is done or has paused itself."""
    batch = bench.engine.batch(task.batch_id)
    # On a shared database there may be work of others, which is not for this command to take.
    queues = [(await batch.aprogress()).queue, ingest.QUEUE]
    worker = bench.engine.worker(concurrency=max(at_once, 4), queues=queues)
    told: Why | None = None
    await worker.start()
    try:
        with closing(screen):
            while True:
                seen = await batch.aprogress()
                screen.show(seen)
                if seen.pending and not seen.running and not seen.paused:
                    wait = (await asyncio.to_thread(bench.extraction.status, task.id)).wait
                    if wait and wait.why is not told:
                        told = wait.why
                        hint(_waiting(wait))
                if seen.is_closed:
                    return seen
                if seen.paused and not seen.running:
                    now = await asyncio.to_thread(bench.extraction.task, task.id)
                    why = now.pause_reason or "The task was paused."
                    raise IngatherError(f"{why} What is done is kept: run the same command again to go on.")
                await asyncio.sleep(LOOK_S)
    finally:
        await worker.stop(GRACE_S)
        await bench.extraction.aclose()
        await bench.engine.aclose()


def _waiting(wait: Wait) -> str:
    """What a task waits for, in words. This command's own worker is there, so it is never that."""
    until = f" until {wait.until.astimezone():%H:%M:%S}" if wait.until else ""
    match wait.why:
        case Why.SILENCE:
            return f"Waiting{until}: the provider asked for silence."
        case Why.QUEUE_PAUSED:
            return "Waiting: somebody paused the queue. `ingather queue ls` shows it, `ingather queue resume` goes on."
        case _:
            return f"Waiting{until}. {wait.sentence}".rstrip()


def _write(bench: Workbench, task: Task, out: Path, kind: str, language: str) -> None:
    kept = " What is done is kept: run the same command again."
    write_whole(out, lambda file: bench.extraction.export(task.id, kind, file, language=language), kept=kept)


def _why(error: dict[str, object] | None) -> str:
    return str((error or {}).get("message", ""))
