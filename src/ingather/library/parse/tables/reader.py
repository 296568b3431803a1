"""The tables of a page: what PDFium gives, sorted by how its text is turned, made upright, read, and turned back."""

import ctypes
import re
from collections.abc import Sequence
from dataclasses import replace

import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

from ingather.library.parse.glyphs import Glyphs
from ingather.library.parse.picture import Scene
from ingather.library.parse.sight import Seen
from ingather.library.parse.tables.cell_grid import CellGrid, build_cell_grid
from ingather.library.parse.tables.found_regions import find_regions
from ingather.library.parse.tables.ink import drawn_ink, merged_ink, typed_rules_as_ink
from ingather.library.parse.tables.marks import Rule, Shade, Sheet
from ingather.library.parse.tables.tokens import tokens_of
from ingather.library.parse.view import View
from ingather.library.table import Box

# A page without one of these and without lines has no table that could be told from its text.
_SPEAKS_OF_TABLE = re.compile(r"(?i)tab(?:le|\.|elle|leau|la|ela)|\u8868")

# Fewer characters turned alike are a mark at the edge of the page, not a table.
_LEAST_TURNED = 60

# A page with more characters than this is a drawing made of letters; a dense page of a journal has 10,000.
_MOST_CHARACTERS = 60_000


def read_grids_of_page(
    glyphs: Glyphs, seen: Seen, view: View, scene: Scene, number: int, before: Sequence[CellGrid] = ()
) -> list[CellGrid]:
    """The tables of one page, from the top, in the page's own place. `before` are those of the page before."""
    kept = [index for index, reason in enumerate(seen.reasons) if reason is None]
    is_awaited = any(grid.region.is_open for grid in before)
    if len(kept) > _MOST_CHARACTERS:
        return []
    text = "".join([glyphs.chars[index] for index in kept])
    if not scene.paths and not is_awaited and not _SPEAKS_OF_TABLE.search(text):
        return []
    across, down, shades = drawn_ink(scene.paths, view)
    fonts = _fonts_for_reader(glyphs)
    found: list[CellGrid] = []
    for turns, own in _characters_by_turn_for_reader(glyphs, kept, view).items():
        upright = [_turned_box(box, turns, view) for box in glyphs.inks] if turns else glyphs.inks
        loose = [_turned_box(box, turns, view) for box in glyphs.spots] if turns else glyphs.spots
        tokens = tokens_of(glyphs, own, upright, loose, _text_bases_for_reader(glyphs, turns, view), fonts)
        tokens, typed = typed_rules_as_ink(tokens)
        is_flat = turns % 2 == 0
        drawn = [_turned_rule(rule, turns, view, is_across=is_flat) for rule in (across if is_flat else down)]
        sheet = Sheet(
            page=number,
            width=view.width if is_flat else view.height,
            height=view.height if is_flat else view.width,
            tokens=tokens,
            across=merged_ink([*drawn, *typed]) if typed else drawn,
            down=[_turned_rule(rule, turns, view, is_across=not is_flat) for rule in (down if is_flat else across)],
            pictures=[_turned_box(image.box, turns, view) or image.box for image in scene.images],
            shades=[Shade(_turned_box(shade.box, turns, view) or shade.box, shade.colour) for shade in shades],
        )
        own_grids = read_grids_of_sheet(sheet, [grid for grid in before if grid.turns == turns])
        for grid in own_grids if turns else ():
            grid.turns = turns
            for part in grid.parts:
                part.box = _turned_box(part.box, -turns % 4, replace(view, width=sheet.width, height=sheet.height))
        found += own_grids
    return found


def read_grids_of_sheet(sheet: Sheet, before: Sequence[CellGrid]) -> list[CellGrid]:
    """The tables of what is turned alike on a page. `before` are those of the page before."""
    regions = find_regions(sheet, [grid.region for grid in before])
    owners = {id(grid.region): grid for grid in before}
    found = []
    for region in regions:
        grid = build_cell_grid(region, owners.get(id(region.goes_on)))
        if grid is not None:
            owners[id(region)] = grid
            found.append(grid)
    return found


def _fonts_for_reader(glyphs: Glyphs) -> dict[int, str]:
    """The name of the font of each run of text. Asked once for each font."""
    names: dict[int, str] = {}
    return {
        key: names.get(paint.font) or _font_name_for_reader(names, paint.font, paint.handle)
        for key, paint in glyphs.paints.items()
    }


def _font_name_for_reader(names: dict[int, str], font: int, handle: object) -> str:
    room = ctypes.create_string_buffer(200)
    length = pdfium.FPDFFont_GetBaseFontName(pdfium.FPDFTextObj_GetFont(handle), room, len(room))
    names[font] = room.value.decode("utf-8", "replace") if 0 < length <= len(room) else "?"
    return names[font]


def _text_bases_for_reader(glyphs: Glyphs, turns: int, view: View) -> dict[int, float]:
    """The height that each run of text stands on, where the page is turned upright."""
    found = {}
    for key, paint in glyphs.paints.items():
        if paint.origin is not None:
            box = _turned_box((*paint.origin, *paint.origin), turns, view)
            assert box is not None
            found[key] = box[3]
    return found


def _characters_by_turn_for_reader(glyphs: Glyphs, kept: list[int], view: View) -> dict[int, list[int]]:
    """Characters by how many quarter turns against the clock their line is turned as a reader sees it."""
    if all(paint.turns == view.turns for paint in glyphs.paints.values()):
        return {0: kept}
    groups: dict[int, list[int]] = {}
    for index in kept:
        paint = glyphs.paints.get(glyphs.owners[index])
        if paint is not None:
            groups.setdefault((paint.turns - view.turns) % 4, []).append(index)
    return {turns: own for turns, own in groups.items() if turns == 0 or len(own) >= _LEAST_TURNED}


def _turned_box(box: Box | None, turns: int, view: View) -> Box | None:
    """A box after `turns` quarter turns with the clock of a page of the view's size."""
    if box is None:
        return None
    left, top, right, bottom = box
    match turns:
        case 1:
            return view.height - bottom, left, view.height - top, right
        case 2:
            return view.width - right, view.height - bottom, view.width - left, view.height - top
        case 3:
            return top, view.width - right, bottom, view.width - left
    return box


def _turned_rule(rule: Rule, turns: int, view: View, *, is_across: bool) -> Rule:
    if not turns:
        return rule
    box = (rule.start, rule.at, rule.end, rule.at) if is_across else (rule.at, rule.start, rule.at, rule.end)
    turned = _turned_box(box, turns, view)
    assert turned is not None
    left, top, right, bottom = turned
    return Rule(top, left, right) if right - left >= bottom - top else Rule(left, top, bottom)
