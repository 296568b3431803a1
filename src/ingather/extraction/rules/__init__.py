"""The embedded extractor: rules over a document's own text, no model, each answer with the words that prove it."""

from ingather.extraction.rules.extract import NO_TEXT, OTHER_LANGUAGE, AskableField, extract_by_rules
from ingather.extraction.rules.hits import NOT_LOOKED_FOR

__all__ = ["NOT_LOOKED_FOR", "NO_TEXT", "OTHER_LANGUAGE", "AskableField", "extract_by_rules"]
