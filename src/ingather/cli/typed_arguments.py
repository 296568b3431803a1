"""Arguments as they are typed: ids, limits, kinds and names, each taken or refused with a sentence."""

import argparse

from ingather.cli.quantities import whole_quantity
from ingather.names import NAME, is_id


def whole_argument(text: str) -> int:
    number = whole_quantity(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def port_argument(text: str) -> int:
    number = whole_argument(text)
    if number > 65_535:
        raise argparse.ArgumentTypeError(f"{text} is not a port: they go from 1 to 65,535")
    return number


def limit_argument(text: str) -> int:
    number = whole_argument(text)
    if number > 10_000:
        raise argparse.ArgumentTypeError("a page has 10,000 rows at most")
    return number


def id_argument(text: str) -> int:
    number = whole_argument(text)
    if not is_id(number):
        raise argparse.ArgumentTypeError(f"{text} is too big for an id")
    return number


def printable_argument(text: str) -> str:
    if not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r} has characters in it that no name has")
    return text


def kind_argument(text: str) -> str:
    """A kind that no batch can have is a mistake, not an empty list."""
    if not NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a kind: lower-case letters, digits and underscores")
    return text


def grace_argument(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 86,400")
    return seconds
