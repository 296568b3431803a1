"""Grounding: finds the words a model quotes in the document's own text, or says why they are not there."""

from ingather.extraction.ground.grounding import Grounding, ground
from ingather.extraction.ground.index import Index
from ingather.extraction.ground.places import Method

__all__ = ["Grounding", "Index", "Method", "ground"]
