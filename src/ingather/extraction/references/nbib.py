"""PubMed's own format (nbib, MEDLINE): tags of four characters, and lines that go on behind six spaces. Pure."""

import re
from typing import Final

from ingather.extraction.references.reference import Reference, UnreadableReference, reference_of
from ingather.notice import notice

_START: Final = re.compile(r"^PMID- ", re.MULTILINE)
_TAG: Final = re.compile(r"^([A-Z]{2,4}) *- (.*)$")


def read(text: str) -> list[Reference | UnreadableReference]:
    starts = [match.start() for match in _START.finditer(text)]
    found: list[Reference | UnreadableReference] = []
    line, last = 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        line += text.count("\n", last, start)
        last = start
        found.append(_record(text[start:end], line))
    return found


def _record(chunk: str, line: int) -> Reference | UnreadableReference:
    fields: dict[str, list[str]] = {}
    values: list[str] = []
    for each in chunk.splitlines():
        if match := _TAG.match(each):
            values = fields.setdefault(match[1], [])
            values.append(match[2].strip())
        elif each.startswith("      ") and values:
            values[-1] += f" {each.strip()}"
        elif each.strip():
            return UnreadableReference(
                line=line,
                text=each[:120].strip(),
                sentence=notice("references.no_tag", "A line of this record begins with no tag."),
            )

    def joined(name: str) -> str:
        return " ".join(fields.get(name, ()))

    doi = next((one for one in (*fields.get("LID", ()), *fields.get("AID", ())) if "[doi]" in one), "")
    return reference_of(
        line,
        title=joined("TI") or joined("TT") or joined("BTI"),
        authors=fields.get("FAU") or fields.get("AU") or fields.get("CN") or [],
        year=joined("DP") or joined("DEP"),
        doi=doi,
        pmid=joined("PMID"),
        journal=joined("JT") or joined("TA"),
        abstract=joined("AB"),
        numbers=joined("SI"),
        kind=joined("PT"),
    )
