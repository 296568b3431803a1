"""What tests of tasks share: a workbench on a test's database, and papers that cost nothing to parse."""

import io
from collections.abc import Iterable
from pathlib import Path

from ingather.engine.engine import Engine
from ingather.extraction.extraction import Extraction
from ingather.extraction.provider import Endpoint
from ingather.library import ingest
from ingather.library.blobs import blobs_from
from ingather.library.library import Library
from ingather.library.parse.tables.markup import tables_of_text
from ingather.library.reading import Page, Problem, Reading

PAPER = """\
Stretching for stiff necks {n}: a randomised controlled trial

Methods
We randomised {size} adults with neck pain to stretching (n = {half}) or to usual care (n = {half}) between March 2019
and May 2020 at three hospitals in Norway. The random sequence was computer generated. Outcome assessors were blinded.
The trial was registered at ClinicalTrials.gov (NCT0{n:07d}).

Results
Pain at 12 weeks was lower after stretching (mean difference -1.{n}, 95% CI -2.9 to -0.2, p = 0.02).

Funding
The trial was funded by the Fictional Research Council.
"""


def paper(n: int) -> str:
    return PAPER.format(n=n, size=2 * (50 + n), half=50 + n)


def parse_text(path: Path, name: str) -> Reading:
    """Text as it is: the parser has tests of its own. A file that begins with `bad` has a problem."""
    text = path.read_text("utf-8")
    if text.startswith("bad"):
        return Reading(parser="test", problem=Problem.ENCRYPTED, sentence="This file is locked with a password.")
    pages = tuple(Page(text=part, width=0, height=0, boxes=bytes(8 * len(part))) for part in text.split("\f"))
    return Reading(parser="test", pages=pages, tables=tables_of_text([page.text for page in pages]))


class Bench:
    """Engine, library and extraction of one test, with one knowledge base and one project."""

    def __init__(self, engine: Engine, folder: Path, endpoint: Endpoint | None = None, *, at_once: int = 10) -> None:
        self.engine = engine
        self.library = Library(engine, blobs_from(str(folder)), parse=parse_text, parser="test")
        ingest.register(self.library)
        self.extraction = Extraction(engine, self.library, endpoint, at_once=at_once)

    def open(self) -> "Bench":
        self.project = self.extraction.create_project("Review").id
        self.knowledge_base = self.library.create_knowledge_base("Papers", project_id=self.project).id
        return self

    def add(self, texts: Iterable[str]) -> list[int]:
        documents = []
        for n, text in enumerate(texts):
            document = self.library.upload(self.knowledge_base, io.BytesIO(text.encode()), f"paper {n}.txt").document
            documents.append(document.id)
        return documents
