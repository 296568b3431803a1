"""Files of references read: RIS, BibTeX, EndNote XML, PubMed nbib, CSV, and lists of DOIs and PubMed numbers."""

from ingather.extraction.references.reading import read_references
from ingather.extraction.references.reference import Reference, ReferenceFile, UnreadableReference

__all__ = ["Reference", "ReferenceFile", "UnreadableReference", "read_references"]
