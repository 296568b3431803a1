"""Turns a file into pages: text in reading order, with the place of every character, or a sentence that says why not.

A file from outside is read by a child process with little memory, little time
and nothing to steal; whatever it does to that child, the caller gets a
Reading. Formats are chosen by content, one module each (`pdf`, `plain`), in
`formats`. Text in the pictures of a scan is recognised on request (`scan`).
"""

from ingather.library.parse.failure import RecogniserDied
from ingather.library.parse.jail import (
    can_recognise_in_jail,
    parse_in_jail,
    protections_missing_in_jail,
    recognise_in_jail,
    stop,
)
from ingather.library.parse.limits import PARSER, RECOGNISED, Limits

__all__ = [
    "PARSER",
    "RECOGNISED",
    "Limits",
    "RecogniserDied",
    "can_recognise_in_jail",
    "parse_in_jail",
    "protections_missing_in_jail",
    "recognise_in_jail",
    "stop",
]
