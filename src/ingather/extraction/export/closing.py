"""The rows that say how the tables came about: the Dictionary of fields and the Settings of the task."""

from collections.abc import Iterator

from ingather.extraction.export.form import FieldLike, TemplateLike, label_of, unit_of
from ingather.extraction.export.sheets import Entry, SheetLine
from ingather.extraction.export.tally import Emphasis, Tally
from ingather.extraction.export.wording import Wording
from ingather.extraction.findings import Action, State, TaskSummary, Verdict


def closing_lines(summary: TaskSummary, template: TemplateLike, tally: Tally, wording: Wording) -> Iterator[SheetLine]:
    """What is known once all documents have passed."""
    sections = {section.id: label_of(section, wording.language) for section in template.sections}
    for field in template.fields:
        yield "dictionary", _explained_field(field, sections.get(field.section, field.section), wording)
    for name, cell in settings(summary, template, tally, wording):
        yield "settings", [Entry(name), cell]


def is_embedded(summary: TaskSummary) -> bool:
    """Whether our own rules answered, and no model."""
    return summary.extractor.strip().lower().startswith("embedded")


def extractor_of(summary: TaskSummary, wording: Wording) -> str:
    """Who answered, said plainly."""
    return wording["embedded"] if is_embedded(summary) else summary.extractor


def _explained_field(field: FieldLike, section: str, wording: Wording) -> list[Entry]:
    options = (f"{option.id} = {label_of(option, wording.language)}" for option in field.options)
    texts = (
        field.id,
        label_of(field, wording.language),
        section,
        field.scope,
        field.type,
        field.tier,
        unit_of(field),
        "; ".join(options),
        field.instruction,
    )
    return [Entry(text) for text in texts]


def _warned_entry(count: int) -> Entry:
    return Entry(count, Emphasis.ATTENTION if count else Emphasis.PLAIN)


def settings(
    summary: TaskSummary, template: TemplateLike, tally: Tally, wording: Wording
) -> Iterator[tuple[str, Entry]]:
    """What a reader must know before believing a table."""
    yield wording["project"], Entry(summary.project)
    yield wording["task"], Entry(summary.task_id)
    yield wording["template"], Entry(label_of(template, wording.language))
    yield wording["template_id"], Entry(summary.template_id)
    yield wording["template_version"], Entry(summary.template_version)
    yield (
        wording["extractor"],
        Entry(extractor_of(summary, wording), Emphasis.ATTENTION if is_embedded(summary) else Emphasis.PLAIN),
    )
    for name, text in summary.settings.items():
        yield name, Entry(text)
    yield wording["created_at"], Entry(summary.created_at)
    yield (
        wording["closed_at"],
        Entry(summary.closed_at) if summary.closed_at else Entry(wording["not_closed"], Emphasis.ABSENT),
    )
    yield from _count_lines(summary, tally, wording)
    yield wording["note"], Entry(wording["not_reviewed_means"])
    yield wording["note"], Entry(wording["verdicts_mean"])
    yield wording["note"], Entry(wording["not_reported_means"])
    for verdict in Verdict:
        yield f"{wording['verdict']}: {wording.of('verdict', verdict)}", Entry(wording[f"means.{verdict}"])
    for mark in (Emphasis.ATTENTION, Emphasis.FAILED, Emphasis.ABSENT):
        yield wording["marks"], Entry(wording[f"mark.{mark}"], mark)


def _count_lines(summary: TaskSummary, tally: Tally, wording: Wording) -> Iterator[tuple[str, Entry]]:
    for state, count in summary.counts.items():
        yield f"{wording['documents_in']}: {wording.of('item', state)}", Entry(count)
    yield wording["documents"], Entry(tally.documents.total())
    yield wording["findings"], Entry(tally.states.total())
    for answer in State:
        yield f"{wording['answers_in']}: {wording.of('state', answer)}", Entry(tally.states[answer])
    for source, count in tally.sources.most_common():
        yield f"{wording['answers_from']}: {source}", Entry(count)
    for verdict in Verdict:
        yield f"{wording['verdicts_in']}: {wording.of('verdict', verdict)}", Entry(tally.verdicts[verdict])
    for version, count in sorted(tally.checks.items()):
        yield f"{wording['checks_in']} {version}", Entry(count)
    yield wording["computed_values"], Entry(tally.computed)
    yield wording["not_verified"], _warned_entry(tally.not_verified)
    yield wording["answers_reviewed"], Entry(tally.reviewed)
    for action in (action for action in Action if action is not Action.WITHDRAWN):
        yield f"{wording['reviews_in']}: {wording.of('action', action)}", Entry(tally.actions[action])
    yield wording["answers_unreviewed"], _warned_entry(tally.answers - tally.reviewed)
    yield wording["not_reviewed"], _warned_entry(tally.not_reviewed)
    yield wording["reviews_outdated"], _warned_entry(tally.outdated)
