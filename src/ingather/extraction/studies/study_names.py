"""The names of studies: surname of the first author and year, with letters where two would clash. Pure."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Final

from ingather.extraction.studies.report import ReportType, Study, StudyReport, open_reports

_ORDER: Final = {one: number for number, one in enumerate(ReportType)}
# Initials, and marks that printers put behind names.
_INITIALS: Final = re.compile(r"(?:[A-Z]\.?[ -]?){1,4}")
_FOOTNOTES: Final = re.compile(r"[\d*†‡§¶#]+(?:,[\d*†‡§¶#]+)*,?")
_SUFFIX: Final = re.compile(r"(?:Jr|Sr|II|III|IV|MD|PhD|MSc|MPH)\.?", re.IGNORECASE)
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]{2,4}")
# Parts of a surname that stand before it.
_PARTICLES: Final = frozenset(
    {"van", "von", "der", "den", "de", "la", "le", "di", "da", "del", "el", "al", "bin", "ter"}
)
# Letters behind a year: what comes after z has two of them.
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def surname(author: str) -> str:
    """The surname of a printed name: `Smith, John`, `Smith JA`, `John A. Smith` and `van der Berg H` have one each."""
    name = _FOOTNOTES.sub("", author).strip()
    if "," in name:
        return name.split(",", 1)[0].strip()
    if _CHINESE.fullmatch(name):
        return name
    parts = [part for part in name.split() if not _SUFFIX.fullmatch(part)]
    if not parts:
        return name
    if len(parts) > 1 and _INITIALS.fullmatch(parts[-1]) and not _INITIALS.fullmatch(parts[0]):
        return " ".join(part for part in parts if not _INITIALS.fullmatch(part))
    start = len(parts) - 1
    while start > 0 and parts[start - 1].lower() in _PARTICLES:
        start -= 1
    return " ".join(parts[start:])


def surname_first(author: str) -> str:
    """A printed name as reference managers want it: `John A. Smith` is `Smith, John A.`."""
    name = _FOOTNOTES.sub("", author).strip()
    last = surname(author)
    if "," in name or last == name or not name.endswith(last):
        given = name.removeprefix(last).strip() if name.startswith(last) and "," not in name else ""
        return f"{last}, {given}" if given else name
    return f"{last}, {name.removesuffix(last).strip()}"


def first_report(reports: Sequence[StudyReport]) -> StudyReport:
    """The report that stands for a study: the earliest full one."""
    return min(
        open_reports(reports) or reports,
        key=lambda one: (_ORDER[one.clues.type], one.clues.year or 9999, one.id),
    )


def own_name(reports: Sequence[StudyReport]) -> str:
    """The name that its reports give a study; where none names an author, its registration or the name of a file."""
    first = first_report(reports)
    known = [first, *(one for one in open_reports(reports) if one is not first)]
    author = next((one.clues.authors[0] for one in known if one.clues.authors), "")
    year = next((one.clues.year for one in known if one.clues.year), None)
    if author and surname(author):
        return f"{surname(author)} {year}" if year else surname(author)
    registration = next((one.clues.registrations[0] for one in known if one.clues.registrations), "")
    return registration or PurePath(first.file_name).stem or first.label[:80]


def named(studies: Iterable[tuple[int, str | None, Sequence[StudyReport]]]) -> list[Study]:
    """Studies with their names. Letters go by the order of the studies' ids, and never to a name that a person gave."""
    given = [(study_id, name, tuple(reports), name or own_name(reports)) for study_id, name, reports in sorted(studies)]
    groups: dict[str, list[int]] = {}
    for study_id, name, _, shown in given:
        if name is None:
            groups.setdefault(shown.casefold(), []).append(study_id)
    kept = {shown.casefold() for _, name, _, shown in given if name is not None}
    letters: dict[int, str] = {}
    for group, ids in groups.items():
        if len(ids) > 1 or group in kept:
            letters |= _lettered(group, ids, kept)
    return [
        Study(id=study_id, name=shown + letters.get(study_id, ""), is_named=name is not None, reports=reports)
        for study_id, name, reports, shown in given
    ]


def _lettered(group: str, ids: Sequence[int], kept: set[str]) -> dict[int, str]:
    found: dict[int, str] = {}
    number = 0
    # A letter follows a year at once; behind other names it would look like a part of them.
    gap = "" if group[-1:].isdigit() else " "
    for study_id in ids:
        while (group + gap + _letter(number)) in kept:
            number += 1
        found[study_id] = gap + _letter(number)
        number += 1
    return found


def _letter(number: int) -> str:
    before, last = divmod(number, len(_LETTERS))
    return (_letter(before - 1) if before else "") + _LETTERS[last]
