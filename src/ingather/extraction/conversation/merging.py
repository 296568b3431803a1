"""The answers about the parts of a document, merged. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ingather.extraction.conversation.answers import LONGEST_QUOTE
from ingather.extraction.conversation.questions import Listed
from ingather.extraction.findings import Answer, State, Value
from ingather.notice import notice

# The state with the lowest rank wins. A failed part ranks above silence: it may hold what the others lack.
_RANK = {
    State.REPORTED: 0,
    State.UNCLEAR: 1,
    State.FAILED: 2,
    State.NOT_APPLICABLE: 3,
    State.NOT_REPORTED: 4,
}


def merged_answers(answers_by_part: Sequence[Sequence[Answer]], prose_fields: Collection[str] = ()) -> list[Answer]:
    """One answer per question from those about each part of a document.

    A value of one part wins over the silence of the others. Lists are joined.
    `prose_fields` are the fields whose values are sentences: if two parts
    differ in their wording, the first stands, with a note. Two different
    values of any other field make it unclear.
    """
    by_cell: dict[tuple[str, str], list[Answer]] = {}
    for answer in (answer for part in answers_by_part for answer in part):
        by_cell.setdefault((answer.row, answer.field), []).append(answer)
    return [_merged_by_joining(answers, is_prose=field in prose_fields) for (_, field), answers in by_cell.items()]


def _merged_by_joining(answers: list[Answer], *, is_prose: bool) -> Answer:
    best = min(answers, key=lambda answer: _RANK[answer.state])
    if best.state is not State.REPORTED:
        return best
    reported = [answer for answer in answers if answer.state is State.REPORTED]
    others = [answer for answer in reported if _form_of_merged_value(answer.value) != _form_of_merged_value(best.value)]
    if not others:
        return best
    lists = [answer.value for answer in reported if isinstance(answer.value, list)]
    if len(lists) == len(reported):
        values = list(dict.fromkeys(value for values in lists for value in values))
        quotes = dict.fromkeys(answer.quote for answer in reported if answer.quote)
        return replace(best, value=values, quote=" … ".join(quotes)[:LONGEST_QUOTE])
    other_values = "; ".join(dict.fromkeys(f"{answer.value!r:.200}" for answer in others))
    if is_prose:
        return replace(
            best, note=notice("model.elsewhere_paper_says", "Elsewhere the paper says {others}.", others=other_values)
        )
    return replace(
        best,
        state=State.UNCLEAR,
        value=None,
        note=notice(
            "model.place_says_another",
            "One place says {one}, another {others}.",
            one=f"{best.value!r:.200}",
            others=other_values,
        ),
    )


def _form_of_merged_value(value: Value) -> object:
    """What makes two values the same: neither case nor blanks do."""
    return " ".join(value.casefold().split()) if isinstance(value, str) else value


def distinct_when_merged(listed: Iterable[Listed]) -> list[Listed]:
    """Each row once: several parts of a paper name the same arms."""
    found: dict[tuple[str, str], Listed] = {}
    for entry in listed:
        place = entry.scope, entry.label.casefold()
        known = found.setdefault(place, entry)
        times: dict[str, str] = {}
        for time in (*known.timepoints, *entry.timepoints):
            times.setdefault(time.casefold(), time)
        is_reference = known.is_reference or entry.is_reference
        found[place] = replace(known, timepoints=tuple(times.values()), is_reference=is_reference)
    return list(found.values())
