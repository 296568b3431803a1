"""What goes to stdout: tables and sentences for people, JSON for programs, never both."""

import dataclasses
import json
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

STYLES = {
    "completed": "green",
    "ok": "green",
    "error": "red",
    "wrong": "bold red",
    "cancelled": "yellow",
    "note": "yellow",
    "unknown": "yellow",
    "paused": "yellow",
    "blocked": "yellow",
    "silent": "red",
    "running": "cyan",
    "open": "cyan",
}

# An error message is cut here. Longer ones push the cause out of the terminal; shorter ones cut file names.
LONGEST_COMPLAINT = 1_000


def output_on_one_line(sentence: str) -> str:
    """An error message on one line: a wrong argument may be a whole file, or hold codes that move the cursor."""
    text = visible_output(sentence)
    return text if len(text) <= LONGEST_COMPLAINT else f"{text[:LONGEST_COMPLAINT]}…"


def visible_output(text: str) -> str:
    """Without line breaks, and with control characters and half characters spelled out as Python writes them."""
    joined = " ".join(text.split())
    return "".join(repr(one)[1:-1] if unicodedata.category(one) in {"Cc", "Cs"} else one for one in joined)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def output_console(*, stderr: bool = False) -> Console:
    """Text is printed as it is: a payload may hold anything, also what rich takes for markup.

    Outside a terminal lines are as long as they need to be, so that a pipe gets whole rows.
    """
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 10_000
    return _Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True, width=width)


def output_sentence(sentence: str) -> None:
    output_console().print(sentence)


def output_hint(sentence: str) -> None:
    """A remark for the person, on stderr, so that scripts do not read it."""
    output_console(stderr=True).print(sentence)


def output_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str, expendable: Sequence[str] = ()
) -> None:
    """Numbers stand to the right, known states have a colour.

    On a narrow terminal the expendable columns are left out, the first named first; then the last column folds.
    """
    cells = [[_output_cell(value) for value in row] for row in rows]
    if not cells:
        output_hint(empty)
        return
    screen = output_console()
    shown = _output_that_fits(columns, cells, expendable, screen.width)
    made = Table(box=box.SIMPLE_HEAD if screen.is_terminal else None, pad_edge=False, show_edge=False)
    for number in shown:
        is_number = all(row[number].justify == "right" for row in cells)
        made.add_column(
            columns[number],
            justify="right" if is_number else "left",
            no_wrap=number != len(columns) - 1,
            overflow="fold",
        )
    for row in cells:
        made.add_row(*(row[number] for number in shown))
    _output_table_lines(screen, made)
    if left_out := [name for number, name in enumerate(columns) if number not in shown]:
        output_hint(f"Too narrow here for: {', '.join(left_out)}. A wider terminal shows them, and so does --json.")


def _output_that_fits(
    columns: Sequence[str], cells: list[list[Text]], expendable: Sequence[str], width: int
) -> list[int]:
    """Which columns fit beside each other; the last one may fold, down to 30 characters."""
    widths = [max(len(name), *(row[number].cell_len for row in cells)) for number, name in enumerate(columns)]
    widths[-1] = min(widths[-1], 30)
    shown = list(range(len(columns)))
    for name in expendable:
        if sum(widths[number] + 3 for number in shown) <= width:
            break
        shown.remove(columns.index(name))
    return shown


def _output_table_lines(screen: Console, made: Table) -> None:
    if screen.is_terminal:
        screen.print(made, soft_wrap=False)
        return
    with screen.capture() as captured:
        screen.print(made, soft_wrap=False)
    # In a pipe nobody wants the spaces that fill a row up.
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def _output_cell(value: object) -> Text:
    if isinstance(value, int):
        return Text(f"{value:,}", justify="right")
    text = visible_output(str(value))
    return Text(text, style=STYLES.get(text, ""), justify="left" if text else "right")


def output_facts(pairs: Iterable[tuple[str, object]]) -> None:
    """One thing in full: a name and a value a line."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim")
    made.add_column(overflow="fold")
    for name, value in pairs:
        cell = _output_cell(value)
        cell.justify = "left"
        made.add_row(name, cell)
    _output_table_lines(output_console(), made)


def output_json(answer: object) -> None:
    """One answer, one line; flushed, since `batch watch` is read as it goes."""
    sys.stdout.write(json.dumps(plain_output(answer), ensure_ascii=False) + "\n")
    sys.stdout.flush()


def plain_output(value: Any) -> Any:
    """Dataclasses as objects, moments as ISO 8601, spans as seconds."""
    match value:
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case dict():
            return {name: plain_output(inner) for name, inner in value.items()}
        case list() | tuple():
            return [plain_output(inner) for inner in value]
        case _ if dataclasses.is_dataclass(value):
            return {field.name: plain_output(getattr(value, field.name)) for field in dataclasses.fields(value)}
        case _:
            return value
