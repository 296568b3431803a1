"""The workbench, wired as the environment says. `ingather work ingather.workbench:app` works for it."""

import asyncio
import os
from collections.abc import Sequence
from typing import Any

from ingather.app import Ingather
from ingather.engine.errors import UsageError
from ingather.engine.migrations import ALL_ROOMS
from ingather.extraction.extraction import Extraction
from ingather.extraction.numbers.answer import NumbersAnswer
from ingather.extraction.numbers.answering import NumbersModel, answer_numbers
from ingather.extraction.numbers.by_model import ModelByCells
from ingather.extraction.numbers.paper import NumbersPaper
from ingather.extraction.numbers.question import NumbersQuestion
from ingather.extraction.provider import ChatClient, ChatReply, ChatRequest, Endpoint, check_base_url
from ingather.library import ingest
from ingather.library.blobs import blobs_from
from ingather.library.layout.parser import LayoutParser
from ingather.library.layout.server import LayoutServer
from ingather.library.library import Library
from ingather.library.paper import read_paper
from ingather.library.places import lines
from ingather.library.port import Box
from ingather.settings import Settings


class Workbench:
    """All rooms on one database."""

    def __init__(self, settings: Settings | None = None) -> None:
        settings = settings or Settings.from_environment()
        self.engine = Ingather(settings.database_url)
        self.engine.database.rooms |= ALL_ROOMS
        layout = LayoutParser(LayoutServer(settings.layout_url)) if settings.layout_url else None
        self.library = Library(self.engine, blobs_from(settings.files), layout=layout)
        ingest.register(self.library)
        self.extraction = Extraction(self.engine, self.library, endpoint_from(settings), at_once=settings.model_at_once)


def endpoint_from(settings: Settings) -> Endpoint | None:
    """The model that the environment names; None where it names none, and our own rules answer."""
    if settings.model_url is None and settings.model is None:
        return None
    if settings.model_url is None or settings.model is None:
        raise UsageError("A model needs both INGATHER_LLM_BASE_URL and INGATHER_LLM_MODEL. Set both or neither.")
    # The variables of this process may well name a model on this machine.
    base_url = check_base_url(settings.model_url, allow_local=True)
    return Endpoint.of(base_url, settings.model, settings.model_key, context_tokens=settings.model_context)


def numbers_model(endpoint: Endpoint | None) -> NumbersModel | None:
    """The model behind an endpoint as one that answers questions about numbers by naming cells."""
    if endpoint is None:
        return None

    async def complete(request: ChatRequest) -> ChatReply:
        async with ChatClient(endpoint) as client:
            return await client.complete(request)

    return ModelByCells(lambda request: asyncio.run(complete(request)).text, endpoint.context_tokens)


def answer_paper(
    path: str | os.PathLike[str], questions: Sequence[NumbersQuestion], model: NumbersModel | None = None
) -> list[NumbersAnswer]:
    """The numbers of one paper, asked for by a review's questions. A file, no database; rules, or a model and rules.

    Raises `UnknownPaper` where there is no such file, and `PaperUnreadable` where it gives no pages, such as a scan.
    """
    reading = read_paper(path)

    def place(page: int, start: int, end: int) -> tuple[Box, ...]:
        read = reading.pages[page]
        found = lines(read.text, read.boxes, start, end, width=read.width, height=read.height)
        return tuple((one.left, one.top, one.right, one.bottom) for one in found)

    paper = NumbersPaper([page.text for page in reading.pages], reading.tables, place)
    return answer_numbers(questions, paper, model)


def __getattr__(name: str) -> Any:
    if name == "app":
        return Workbench().engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
