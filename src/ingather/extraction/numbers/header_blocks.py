"""Names of columns that come again below several headers: which header each is under. Pure."""

from collections.abc import Mapping, Sequence

from ingather.library.port import Table


def header_blocks_of(table: Table, stub: int) -> Mapping[int, tuple[str, ...]]:
    """The paths of columns whose names come again, `Pre | Post | Pre | Post`, below as many other headers.

    Each of those stands over one run of the names. A border that was read
    elsewhere, or a header set over the first of its columns only, is put
    right by that; nothing is given where there is nothing to put right.
    """
    paths = {
        cell.column: cell.column_path for cell in table.cells if not cell.is_header and cell.column > stub
    }  # fmt: skip
    columns = [column for column in sorted(paths) if paths[column]]
    names = [paths[column][-1] for column in columns]
    for size in range(2, len(names) // 2 + 1):
        times = _times_again(names, size)
        if times < 2:
            continue
        blocks = [columns[at * size : (at + 1) * size] for at in range(times)]
        above = list(dict.fromkeys(paths[column][:-1] for block in blocks for column in block if paths[column][:-1]))
        if len(above) != times or not all(_is_above(above[at], block, paths) for at, block in enumerate(blocks)):
            return {}
        return {column: (*above[at], paths[column][-1]) for at, block in enumerate(blocks) for column in block}
    return {}


def _times_again(names: Sequence[str], size: int) -> int:
    """How many times the first names follow each other from the beginning on."""
    block = names[:size]
    if len(set(block)) < size:
        return 0
    times = 1
    while names[times * size : (times + 1) * size] == block:
        times += 1
    return times


def _is_above(path: tuple[str, ...], block: Sequence[int], paths: Mapping[int, tuple[str, ...]]) -> bool:
    return any(paths[column][:-1] == path for column in block)
