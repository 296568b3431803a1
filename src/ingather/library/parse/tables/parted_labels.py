"""Labels of several rows that were put together: cells beside several of their lines tell them apart."""

from ingather.library.parse.tables.marks import Segment
from ingather.library.parse.tables.rows import LEVEL_OF_ROW, RowBlock

# In points: a label that begins further left by more is no longer the one above.
_OUTDENT = 2.0


def parted_labels_of(blocks: list[RowBlock]) -> list[RowBlock]:
    """Blocks whose labels are parted where several of their lines have cells of their own beside them.

    Cells stand beside the first line of their label in most tables, and beside its last in some: labels with
    cells beside one line tell which.
    """
    starts = [block.lines[0] for block in blocks if block.first > 0]
    beside = {
        id(line): _is_beside_parted_label(line, starts) for block in blocks if block.first == 0 for line in block.lines
    }
    single = [
        [beside[id(line)] for line in block.lines]
        for block in blocks
        if block.first == 0 and len(block.lines) > 1 and sum(beside[id(line)] for line in block.lines) == 1
    ]
    is_last = sum(marks[-1] for marks in single) > sum(marks[0] for marks in single)
    found: list[RowBlock] = []
    for block in blocks:
        # Beside one line stand the cells of its row; beside more stand those of more rows.
        if block.first or sum(beside[id(line)] for line in block.lines) < 2:
            found.append(block)
            continue
        parts: list[list[Segment]] = [[]]
        for line in block.lines:
            begins = (not is_last and beside[id(line)]) or _begins_parted_label(parts[-1], line)
            if parts[-1] and begins:
                parts.append([])
            parts[-1].append(line)
            if is_last and beside[id(line)]:
                parts.append([])
        found += [RowBlock(block.first, block.last, part) for part in parts if part]
    return found


def _begins_parted_label(above: list[Segment], line: Segment) -> bool:
    """Whether a line begins further left than the label above, so that it does not go on with it."""
    if not above or line.left > above[0].left - _OUTDENT:
        return False
    is_centred = abs(above[-1].middle - line.middle) < _OUTDENT
    is_right = abs(above[-1].right - line.right) < _OUTDENT
    return not is_centred and not is_right


def _is_beside_parted_label(line: Segment, others: list[Segment]) -> bool:
    return any(abs(other.base - line.base) <= LEVEL_OF_ROW * line.size for other in others)
