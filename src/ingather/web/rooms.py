"""What the routes work with, given to the app when it is made."""

from dataclasses import dataclass

from ingather.engine.engine import Engine
from ingather.extraction.extraction import Extraction
from ingather.library.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    engine: Engine
    library: Library
    extraction: Extraction
