"""Keys of exported rows: which task, document and answers a row was made of, so that it can be read back."""

import hashlib
import json
from collections.abc import Iterable

from ingather.extraction.findings import DocumentResult, Finding

# Characters of the hash: two rows of a task of a million rows meet by chance once in ten million tasks.
LENGTH = 16


def key_of_row(task_id: int, document: DocumentResult, row: str, findings: Iterable[Finding]) -> str:
    """Another key as soon as an answer of the row has another value, state or review."""
    content = [
        [one.field, one.state, one.value, one.source, one.review.revision if one.review else 0] for one in findings
    ]
    stored = json.dumps([document.ordinal, row, content]).encode()
    return f"{task_id}-{document.ordinal + 1}-{hashlib.sha256(stored).hexdigest()[:LENGTH]}"


def task_and_document(key: str) -> tuple[int, int] | None:
    """The task and the ordinal of the document that a key names, if it is one."""
    parts = key.split("-")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts[:2]):
        return None
    return int(parts[0]), int(parts[1]) - 1
