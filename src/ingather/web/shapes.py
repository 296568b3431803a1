"""Nouns of the rooms, as they go over the wire."""

from ingather.engine.engine import Engine
from ingather.engine.model import Progress, WorkerRecord
from ingather.engine.verbs import ScheduleRecord
from ingather.extraction.extraction import EMBEDDED_NAME
from ingather.extraction.findings import DocumentResult
from ingather.extraction.tasks import Status
from ingather.extraction.template import Template, Tier
from ingather.library.port import DocumentRecord
from ingather.library.port import KnowledgeBase as Shelf
from ingather.web import schemas as wire


def counts(progress: Progress) -> wire.Counts:
    return wire.Counts(
        pending=progress.pending,
        running=progress.running,
        completed=progress.completed,
        error=progress.error,
        cancelled=progress.cancelled,
    )


def template(found: Template) -> wire.TemplateSummary:
    return wire.TemplateSummary(
        template_id=found.id,
        version=found.version,
        label=wire.Words(en=found.label.en, zh=found.label.zh),
        description=found.description.to_dict(),
        is_builtin=found.builtin,
        based_on=found.based_on,
        fields=len(found.fields),
        core_fields=sum(field.tier is Tier.CORE for field in found.fields),
    )


def knowledge_base(found: Shelf) -> wire.KnowledgeBase:
    return wire.KnowledgeBase(
        knowledge_base_id=found.id,
        project_id=found.space,
        name=found.name,
        documents=found.documents,
        created_at=found.created_at,
    )


def document(found: DocumentRecord) -> wire.Document:
    return wire.Document(
        document_id=found.id,
        knowledge_base_id=found.knowledge_base_id,
        file_name=found.file_name,
        sha256=found.sha256,
        size=found.size,
        added_at=found.added_at,
        job_id=found.job_id,
        state=found.state.value,
        problem=found.problem.value if found.problem else None,
        sentence=found.sentence,
        page_count=found.page_count,
        hidden_characters=found.hidden_characters,
        notes=list(found.notes),
    )


def task(status: Status) -> wire.Task:
    found, progress, spent = status.task, status.progress, status.spent
    return wire.Task(
        task_id=found.id,
        project_id=found.project_id,
        batch_id=found.batch_id,
        template_id=found.template_id,
        template_version=found.template_version,
        extractor=found.model or EMBEDDED_NAME,
        is_embedded=found.model is None,
        state=progress.state,
        paused=progress.paused,
        pause_reason=found.pause_reason,
        total=progress.total,
        counts=counts(progress),
        percent=round(progress.percent, 2),
        spent=wire.Spent(
            calls=spent.calls,
            prompt_tokens=spent.prompt_tokens,
            cached_tokens=spent.cached_tokens,
            completion_tokens=spent.completion_tokens,
            cost=None if spent.cost is None else float(spent.cost),
            currency=spent.currency,
            unpriced=spent.unpriced,
        ),
        spend_cap=None if found.spend_cap is None else float(found.spend_cap),
        created_at=found.created_at,
        closed_at=progress.closed_at,
    )


def result(found: DocumentResult) -> wire.Result:
    return wire.Result(
        ordinal=found.ordinal,
        document_id=found.document_id,
        file_name=found.file_name,
        sha256=found.sha256,
        state=found.state,
        problem=found.problem,
        rows=[wire.Row(scope=row.scope, key=row.key, label=row.label, parts=row.parts) for row in found.rows],
        findings=[
            wire.Finding(
                field=finding.field,
                row=finding.row,
                state=finding.state.value,
                value=finding.value,
                quote=finding.quote,
                verdict=finding.verdict.value,
                spans=[wire.Span(page=span.page, start=span.start, end=span.end) for span in finding.spans],
                source=finding.source,
                note=finding.note,
            )
            for finding in found.findings
        ],
        flags=[
            wire.Flag(rule=flag.rule, row=flag.row, fields=list(flag.fields), message=flag.message)
            for flag in found.flags
        ],
    )


def batch(progress: Progress) -> wire.Batch:
    return wire.Batch(
        batch_id=progress.batch_id,
        kind=progress.kind,
        queue=progress.queue,
        state=progress.state,
        paused=progress.paused,
        total=progress.total,
        counts=counts(progress),
        percent=round(progress.percent, 2),
        created_at=progress.created_at,
        closed_at=progress.closed_at,
    )


def worker(found: WorkerRecord, *, is_named: bool) -> wire.Worker:
    return wire.Worker(
        worker_id=found.id,
        host=found.host if is_named else "",
        pid=found.pid if is_named else 0,
        kinds=found.kinds,
        started_at=found.started_at,
        beat_at=found.beat_at,
        lease_s=found.lease_s,
        running=found.running,
    )


def schedule(found: ScheduleRecord) -> wire.Schedule:
    return wire.Schedule(
        name=found.name,
        kind=found.kind,
        cron=found.cron.expression,
        timezone=found.cron.tz,
        paused=found.paused,
        next_at=found.next_at,
        last_at=found.last_at,
    )


def queues(engine: Engine) -> list[wire.Queue]:
    return [
        wire.Queue(
            name=queue.name,
            max_running=queue.max_running,
            rate_items=queue.rate_items,
            rate_window_s=queue.rate_window_s,
            paused=queue.paused,
            blocked_until=queue.blocked_until,
            running=queue.running,
            pending=queue.pending,
        )
        for queue in engine.queues()
    ]
