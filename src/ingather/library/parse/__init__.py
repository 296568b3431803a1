"""Turns a file into pages: text in reading order, with the place of every character, or a sentence that says why not.

A file from outside is read by a child process with little memory, little time
and nothing to steal; whatever it does to that child, the caller gets a
Reading. Formats are chosen by content, one module each (`pdf`, `plain`), in
`formats`.
"""

from ingather.library.parse.jail import parse
from ingather.library.parse.limits import PARSER, Limits

__all__ = ["PARSER", "Limits", "parse"]
