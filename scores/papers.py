"""Papers without labels: what the embedded extractor says of them, held against what their own pages print.

FOLDER/papers holds PDFs. Three things need no label: the DOI where the first page prints exactly one, the registration
where the paper prints exactly one number of a register, and whether every quote of ours stands in the paper. Signs that
fonts name wrongly leave traces in the text, such as `n 5 189`: a paper with traces must at least say that its signs
could not all be read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ingather.extraction.findings import Finding, Verdict
from ingather.extraction.template import load_builtin_template
from ingather.library.errors import PaperUnreadable
from ingather.library.paper import read_paper
from ingather.library.reading import Reading
from scores.registry import MARKED, answers_of, is_marked
from scores.report import Report, Share

_DOI: Final = re.compile(r"\b10\.\d{4,9}/[^\s\"<>,;|]{3,80}", re.IGNORECASE)
_REGISTERED: Final = re.compile(
    r"\bNCT ?\d{8}\b|\bISRCTN ?\d{8}\b|\bACTRN ?\d{14}\b|\bChiCTR[-A-Z]*\d{8,10}\b|\bUMIN\d{9}\b"
    r"|\bDRKS ?\d{8}\b|\bIRCT\w{12,20}\b"
)
# A sign that was lost leaves this in the text: letters and digits where only a comparison or a plus or minus can stand.
_TRACES: Final = re.compile(
    r"\b[nN] 5 \d{2}|\b[Pp] ?\u00bc ?0?\.?\d|\b[nN] ?\u00bc ?\d|\b[Pp] , ?0?\.\d|\b[Pp]o0?\.\d|\b[Pp]40?\.\d"
    r"|\d\.\d \ufffd \d|[<>=] ?\ufffd|\b[Pp] ?\ufffd ?0?\.\d"
)


@dataclass(slots=True)
class _Counts:
    """Right and all, by what is counted."""

    right: dict[str, int] = field(default_factory=dict)
    of: dict[str, int] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)

    def add(self, name: str, miss: str, *, is_right: bool) -> None:
        self.of[name] = self.of.get(name, 0) + 1
        self.right[name] = self.right.get(name, 0) + is_right
        if not is_right:
            self.misses.append(miss)


_DOI_ON_PAGE_1, _REGISTRATION, _QUOTES, _SIGNS = (
    "DOI, where page 1 prints one", "registration, where one is printed", "own quotes that stand in the paper",
    "papers whose signs are read, or said not to be",
)  # fmt: skip
_TARGETS: Final = {_DOI_ON_PAGE_1: 0.95, _REGISTRATION: 0.95, _QUOTES: 1.0, _SIGNS: 0.98}


def score(folder: Path) -> Report:
    """What holds for each paper, as shares."""
    files = sorted((folder / "papers").glob("*.pdf"))
    if not files:
        raise FileNotFoundError("no .pdf files below papers")
    counts = _Counts()
    template = load_builtin_template("rct")
    read = 0
    for path in files:
        try:
            reading = read_paper(path)
        except PaperUnreadable:
            continue
        read += 1
        _rows, findings = answers_of(template, reading)
        _judge(path.stem, reading, findings, counts)
    shares = [
        Share(name=name, right=counts.right[name], of=counts.of[name], target=_TARGETS[name]) for name in counts.of
    ]
    return Report(board="papers", shares=shares, misses=counts.misses, notes=[f"{read} of {len(files)} files are read"])


def _judge(name: str, reading: Reading, findings: list[Finding], counts: _Counts) -> None:
    marked = {one.field: one.value for one in findings if not one.row and is_marked(one)}
    text = "\n".join(page.text for page in reading.pages)
    dois = set(_dois(reading.pages[0].text))
    if len(dois) == 1:
        given = str(marked.get("doi", "")).casefold()
        counts.add(_DOI_ON_PAGE_1, f"{name} doi: {given}, printed {dois}", is_right=given in dois)
    numbers = {re.sub(r"\s", "", found).upper() for found in _REGISTERED.findall(text)}
    if len(numbers) == 1:
        given_numbers = marked.get("registration_id")
        listed = given_numbers if isinstance(given_numbers, list) else []
        given_set = {re.sub(r"\s", "", one).upper() for one in listed}
        counts.add(_REGISTRATION, f"{name} registration: {given_set}, printed {numbers}", is_right=given_set >= numbers)
    for one in findings:
        if one.quote:
            is_there = bool(one.spans) and one.verdict in {*MARKED, Verdict.UNBOUND, Verdict.UNSUPPORTED_VALUE}
            counts.add(_QUOTES, f"{name} {one.field}: {one.verdict}", is_right=is_there)
    traces = [] if reading.has_unread_signs else _TRACES.findall(text)
    counts.add(_SIGNS, f"{name} signs: {traces[:4]}", is_right=not traces)


def _dois(page: str) -> Iterator[str]:
    for found in _DOI.finditer(page):
        doi = found[0].casefold().rstrip(".:'*\u2020-_/)(\u2019")
        yield doi.removesuffix(".full").removesuffix(".pdf")
