"""The rows that say how the tables came about: the Dictionary of fields and the Settings of the task."""

from collections.abc import Iterator

from ingather.extraction.export.form import FieldLike, TemplateLike, label_of, unit_of
from ingather.extraction.export.tables import Cell, Line
from ingather.extraction.export.tally import Mark, Tally
from ingather.extraction.export.words import Words
from ingather.extraction.findings import Action, State, TaskSummary, Verdict


def closing_lines(summary: TaskSummary, template: TemplateLike, tally: Tally, words: Words) -> Iterator[Line]:
    """What is known once all documents have passed."""
    sections = {section.id: label_of(section, words.language) for section in template.sections}
    for field in template.fields:
        yield "dictionary", _explained(field, sections.get(field.section, field.section), words)
    for name, cell in settings(summary, template, tally, words):
        yield "settings", [Cell(name), cell]


def is_embedded(summary: TaskSummary) -> bool:
    """Whether our own rules answered, and no model."""
    return summary.extractor.strip().lower().startswith("embedded")


def extractor_of(summary: TaskSummary, words: Words) -> str:
    """Who answered, said plainly."""
    return words["embedded"] if is_embedded(summary) else summary.extractor


def _explained(field: FieldLike, section: str, words: Words) -> list[Cell]:
    options = (f"{option.id} = {label_of(option, words.language)}" for option in field.options)
    texts = (
        field.id,
        label_of(field, words.language),
        section,
        field.scope,
        field.type,
        field.tier,
        unit_of(field),
        "; ".join(options),
        field.instruction,
    )
    return [Cell(text) for text in texts]


def _warned(count: int) -> Cell:
    return Cell(count, Mark.ATTENTION if count else Mark.PLAIN)


def settings(summary: TaskSummary, template: TemplateLike, tally: Tally, words: Words) -> Iterator[tuple[str, Cell]]:
    """What a reader must know before believing a table."""
    yield words["project"], Cell(summary.project)
    yield words["task"], Cell(summary.task_id)
    yield words["template"], Cell(label_of(template, words.language))
    yield words["template_id"], Cell(summary.template_id)
    yield words["template_version"], Cell(summary.template_version)
    yield words["extractor"], Cell(extractor_of(summary, words), Mark.ATTENTION if is_embedded(summary) else Mark.PLAIN)
    for name, text in summary.settings.items():
        yield name, Cell(text)
    yield words["created_at"], Cell(summary.created_at)
    yield words["closed_at"], Cell(summary.closed_at) if summary.closed_at else Cell(words["not_closed"], Mark.ABSENT)
    for state, count in summary.counts.items():
        yield f"{words['documents_in']}: {words.of('item', state)}", Cell(count)
    yield words["documents"], Cell(tally.documents.total())
    yield words["findings"], Cell(tally.states.total())
    for answer in State:
        yield f"{words['answers_in']}: {words.of('state', answer)}", Cell(tally.states[answer])
    for source, count in tally.sources.most_common():
        yield f"{words['answers_from']}: {source}", Cell(count)
    for verdict in Verdict:
        yield f"{words['verdicts_in']}: {words.of('verdict', verdict)}", Cell(tally.verdicts[verdict])
    for version, count in sorted(tally.checks.items()):
        yield f"{words['checks_in']} {version}", Cell(count)
    yield words["computed_values"], Cell(tally.computed)
    yield words["not_verified"], _warned(tally.not_verified)
    yield words["answers_reviewed"], Cell(tally.reviewed)
    for action in (action for action in Action if action is not Action.WITHDRAWN):
        yield f"{words['reviews_in']}: {words.of('action', action)}", Cell(tally.actions[action])
    yield words["answers_unreviewed"], _warned(tally.answers - tally.reviewed)
    yield words["not_reviewed"], _warned(tally.not_reviewed)
    yield words["reviews_outdated"], _warned(tally.outdated)
    yield words["note"], Cell(words["not_reviewed_means"])
    yield words["note"], Cell(words["verdicts_mean"])
    yield words["note"], Cell(words["not_reported_means"])
    for verdict in Verdict:
        yield f"{words['verdict']}: {words.of('verdict', verdict)}", Cell(words[f"means.{verdict}"])
    for mark in (Mark.ATTENTION, Mark.FAILED, Mark.ABSENT):
        yield words["marks"], Cell(words[f"mark.{mark}"], mark)
