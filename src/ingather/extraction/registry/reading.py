"""A file of registry records, whatever registry it is from, as its content says. Pure."""

from ingather.extraction.registry import clinicaltrials
from ingather.extraction.registry.trial import RegisteredTrial


def read_registry(data: bytes) -> list[RegisteredTrial] | None:
    """The records of a file; None where it is no file of a registry that is known here."""
    return clinicaltrials.read(data) if data[:200].lstrip().startswith((b"{", b"[")) else None
