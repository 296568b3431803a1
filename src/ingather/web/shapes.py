"""Nouns of the rooms, as they go over the wire."""

from dataclasses import asdict
from urllib.parse import urlsplit

from ingather.engine.model import Progress, Queue, ScheduleRecord, WorkerRecord
from ingather.extraction.cell_marks import Attention, FlaggedCells, attention_of_cell, mark_of_cell
from ingather.extraction.conversation.estimate import Estimate, EstimateRange
from ingather.extraction.exports import EMBEDDED_NAME
from ingather.extraction.findings import DocumentResult, Finding, Review
from ingather.extraction.provider import CHARACTERS_A_TOKEN, Endpoint, Price, price_of
from ingather.extraction.reviewing.deciding import decide_on_verified
from ingather.extraction.reviewing.standing import checked_cells
from ingather.extraction.task import Status, UnderWay, Wait
from ingather.extraction.tasks.differences import DocumentDifferences
from ingather.extraction.template import Template, Tier
from ingather.library.port import DocumentRecord, KnowledgeBase, Sort, Table
from ingather.notice import notice_to_json
from ingather.web.finding_shapes import finding_shape
from ingather.web.schemas.engine import BatchView, QueueView, ScheduleView, WorkerView
from ingather.web.schemas.forms import NoticeView
from ingather.web.schemas.library import DocumentView, KnowledgeBaseView
from ingather.web.schemas.projects import LabelView, TemplateSummary
from ingather.web.schemas.results import ReviewView
from ingather.web.schemas.tables import DocumentTable
from ingather.web.schemas.tasks import (
    ComparedAnswer,
    ComparedCell,
    ComparedDocument,
    CountsView,
    EstimateView,
    ModelView,
    Money,
    PriceView,
    RangeView,
    SpentView,
    TaskView,
    WaitView,
    WritingView,
)


def sentence_shape(text: str) -> NoticeView:
    return NoticeView.model_validate(notice_to_json(text) or {"id": "", "params": {}, "message": ""})


def optional_sentence_shape(text: str) -> NoticeView | None:
    return sentence_shape(text) if text else None


def counts_shape(progress: Progress) -> CountsView:
    return CountsView(
        pending=progress.pending,
        running=progress.running,
        completed=progress.completed,
        error=progress.error,
        cancelled=progress.cancelled,
    )


def template_shape(found: Template) -> TemplateSummary:
    return TemplateSummary(
        template_id=found.id,
        version=found.version,
        label=LabelView(en=found.label.en, zh=found.label.zh),
        description=found.description.to_dict(),
        is_builtin=found.builtin,
        based_on=found.based_on,
        fields=len(found.fields),
        core_fields=sum(field.tier is Tier.CORE for field in found.fields),
    )


def knowledge_base_shape(found: KnowledgeBase) -> KnowledgeBaseView:
    return KnowledgeBaseView(
        knowledge_base_id=found.id,
        project_id=found.project_id,
        name=found.name,
        documents=found.documents,
        created_at=found.created_at,
    )


def document_shape(found: DocumentRecord) -> DocumentView:
    return DocumentView(
        document_id=found.id,
        knowledge_base_id=found.knowledge_base_id,
        file_name=found.file_name,
        sha256=found.sha256,
        size=found.size,
        added_at=found.added_at,
        job_id=found.job_id,
        state=found.state.value,
        problem=found.problem.value if found.problem else None,
        sentence=optional_sentence_shape(found.sentence),
        page_count=found.page_count,
        hidden_characters=found.hidden_characters,
        notes=[sentence_shape(note) for note in found.notes],
    )


def mark_shape(last: DocumentRecord, sort: Sort) -> str:
    """Where a page of documents ended."""
    return f"{last.id} {last.file_name}" if sort is Sort.NAME else str(last.id)


def estimate_shape(found: Estimate, *, unread: int, unreadable: int) -> EstimateView:
    cost = found.cost
    return EstimateView(
        documents=found.documents,
        unread=unread,
        unreadable=unreadable,
        calls=_range_shape(found.calls),
        tokens_in=_range_shape(found.tokens_in),
        tokens_out=_range_shape(found.tokens_out),
        cost=Money(low=float(cost.low), high=float(cost.high), currency=cost.currency) if cost else None,
        seconds=_range_shape(found.seconds),
    )


def _range_shape(found: EstimateRange) -> RangeView:
    return RangeView(low=round(found.low, 3), high=round(found.high, 3))


def model_shape(endpoint: Endpoint | None, at_once: int) -> ModelView:
    if endpoint is None:
        return ModelView(model=None, host=None, at_once=None, price=None)
    return ModelView(
        model=endpoint.model,
        host=urlsplit(endpoint.base_url).hostname or "",
        at_once=at_once,
        price=_price_shape(price_of(endpoint.model)),
    )


def _price_shape(found: Price | None) -> PriceView | None:
    if found is None:
        return None
    return PriceView(
        input=float(found.input),
        cached=None if found.cached is None else float(found.cached),
        output=float(found.output),
        currency=found.currency,
        as_of=found.as_of,
    )


def task_shape(status: Status) -> TaskView:
    found, progress, spent = status.task, status.progress, status.spent
    return TaskView(
        task_id=found.id,
        project_id=found.project_id,
        batch_id=found.batch_id,
        template_id=found.template_id,
        template_version=found.template_version,
        extractor=found.model or EMBEDDED_NAME,
        context=found.context,
        is_embedded=found.model is None,
        state=progress.state,
        paused=progress.paused,
        pause_reason=optional_sentence_shape(found.pause_reason or ""),
        wait=_wait_shape(status.wait),
        writing=_writing_shape(status.under_way),
        total=progress.total,
        counts=counts_shape(progress),
        percent=round(100 * (progress.completed + progress.error) / progress.total, 2),  # not what was cancelled
        spent=SpentView(
            calls=spent.calls,
            prompt_tokens=spent.prompt_tokens,
            cached_tokens=spent.cached_tokens,
            completion_tokens=spent.completion_tokens,
            cost=None if spent.cost is None else float(spent.cost),
            currency=spent.currency,
            unpriced=spent.unpriced,
        ),
        spend_cap=None if found.spend_cap is None else float(found.spend_cap),
        follows=found.follows_id,
        name=found.name,
        archived_at=found.archived_at,
        created_at=found.created_at,
        closed_at=progress.closed_at,
    )


def compared_shape(found: DocumentDifferences) -> ComparedDocument:
    """One document of a follow-up beside what the earlier task said of it."""
    cells = [
        ComparedCell(
            row=one.row, field=one.field, before=_compared_cell_shape(one.before), after=_compared_cell_shape(one.after)
        )
        for one in found.cells
    ]
    return ComparedDocument(
        ordinal=found.ordinal,
        document_id=found.document_id,
        file_name=found.file_name,
        is_new=found.is_new,
        cells=cells,
    )


def _compared_cell_shape(found: Finding | None) -> ComparedAnswer | None:
    if found is None:
        return None
    return ComparedAnswer(
        state=found.state,
        value=found.value,
        verdict=found.verdict,
        source=found.source,
        quote=found.quote,
        mark=mark_of_cell(found),
    )


def _writing_shape(found: UnderWay | None) -> WritingView | None:
    if found is None:
        return None
    tokens = found.characters // CHARACTERS_A_TOKEN
    return WritingView(answers=found.answers, tokens=tokens, seconds=round(found.longest_s, 1))


def _wait_shape(found: Wait | None) -> WaitView | None:
    return (
        WaitView(why=found.why.value, until=found.until, sentence=optional_sentence_shape(found.sentence))
        if found
        else None
    )


def result_shape(found: DocumentResult) -> dict[str, object]:
    """As `ResultView`, which describes it but is not built: a page of results has some ten thousand findings, and to
    make and check an object of each took more time than all the rest."""
    acceptable = {(one.row, one.field) for one in decide_on_verified(found)[0]} if found.state == "completed" else set()
    flagged, checked = FlaggedCells(found), checked_cells(found.reviews)
    return {
        "ordinal": found.ordinal,
        "document_id": found.document_id,
        "file_name": found.file_name,
        "sha256": found.sha256,
        "study": found.study,
        "study_id": found.study_id,
        "state": found.state,
        "problem": notice_to_json(found.problem),
        "rows": [{"scope": row.scope, "key": row.key, "label": row.label, "parts": row.parts} for row in found.rows],
        "findings": [
            finding_shape(
                one,
                attention=Attention.DISAGREED
                if (one.row, one.field) in found.conflicts
                else attention_of_cell(one, is_flagged=(one.row, one.field) in flagged),
                is_acceptable=(one.row, one.field) in acceptable,
                is_checked=(one.row, one.field) in checked,
            )
            for one in found.findings
        ],
        "flags": [
            {"rule": flag.rule, "row": flag.row, "fields": flag.fields, "message": notice_to_json(flag.message)}
            for flag in found.flags
        ],
        "arms": [
            {"name": arm.name, "other_names": arm.other_names, "role": arm.role, "n": arm.n} for arm in found.arms
        ],
        "checks_version": found.checks_version,
    }


def table_shape(found: Table) -> DocumentTable:
    return DocumentTable.model_validate(asdict(found))


def review_shape(found: Review) -> ReviewView:
    return ReviewView(
        row=found.row,
        field=found.field,
        revision=found.revision,
        action=found.action.value,
        value=found.value,
        note=found.note,
        by=found.reviewer,
        at=found.reviewed_at,
    )


def batch_shape(progress: Progress) -> BatchView:
    return BatchView(
        batch_id=progress.batch_id,
        kind=progress.kind,
        queue=progress.queue,
        state=progress.state,
        paused=progress.paused,
        total=progress.total,
        counts=counts_shape(progress),
        percent=round(progress.percent, 2),
        created_at=progress.created_at,
        closed_at=progress.closed_at,
    )


def worker_shape(found: WorkerRecord, *, is_named: bool) -> WorkerView:
    return WorkerView(
        worker_id=found.id,
        host=found.host if is_named else "",
        pid=found.pid if is_named else 0,
        kinds=found.kinds,
        started_at=found.started_at,
        beat_at=found.beat_at,
        lease_s=found.lease_s,
        running=found.running,
    )


def schedule_shape(found: ScheduleRecord) -> ScheduleView:
    return ScheduleView(
        name=found.name,
        kind=found.kind,
        cron=found.cron.expression,
        timezone=found.cron.tz,
        paused=found.paused,
        next_at=found.next_at,
        last_at=found.last_at,
    )


def queue_shape(found: Queue) -> QueueView:
    return QueueView(
        name=found.name,
        max_running=found.max_running,
        rate_items=found.rate_items,
        rate_window_s=found.rate_window_s,
        paused=found.paused,
        blocked_until=found.blocked_until,
        running=found.running,
        pending=found.pending,
    )
