"""Speaks to the server of a layout parser: which one it is, and what it reads in a file."""

import json
import logging
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ingather.library.layout import docling, mineru
from ingather.library.layout.agreement import agrees, overlaps, placed
from ingather.library.layout.grid import ParsedTable, as_table
from ingather.library.reading import Reading

log = logging.getLogger(__name__)

# A server that does not say who it is within this time is left alone; it is asked again with the next file.
KNOCK_S: Final = 5.0
# Such parsers take seconds a page without a graphics card. A longer wait holds a slot of the worker.
PARSE_S: Final = 1_800.0
# The largest answer, in bytes. Pictures are not requested, so what is larger is the answer to something else.
MOST_BYTES: Final = 200_000_000


class LayoutFailed(Exception):
    """The server gave nothing that can be used. The sentence says why; our own tables stand."""


@dataclass(frozen=True, slots=True)
class LayoutServer:
    """A server at an address: `mineru-api` or docling-serve."""

    address: str

    def name(self) -> str:
        """Which parser and which version, as its readings are kept: `mineru-2.5` or `docling-1.9`."""
        health = self._get("/health")
        if "version" in health:
            return f"mineru-{_plain_version(health['version'])}"
        try:
            versions = self._get("/version")
        except LayoutFailed:
            versions = {}  # the server keeps it to itself
        return f"docling-{_plain_version(versions.get('docling-serve', 'unknown'))}"

    def reading(self, path: Path, own: Reading, name: str) -> Reading:
        """Our own reading with the server's tables, where their numbers stand in the file's text."""
        try:
            grids = list(self._grids(path, own, is_mineru=name.startswith("mineru")))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise LayoutFailed(f"The layout parser's answer is of another form ({type(error).__name__}).") from error
        sound = [grid for grid in grids if agrees(grid, own.pages)]
        refused = len(grids) - len(sound)
        tables = [
            as_table(replace(grid, cells=placed(grid, own.pages[grid.page])), grid.caption.partition(".")[0][:40])
            for grid in sound
        ]
        kept = [table for table in own.tables if not any(overlaps(table, grid.box, grid.page) for grid in sound)]
        notes = (f"{refused} tables of the layout parser have numbers that the file does not have.",) if refused else ()
        return replace(
            own,
            parser=f"{own.parser}+{name}",
            tables=tuple(sorted([*tables, *kept], key=lambda table: table.page)),
            notes=(*own.notes, *notes),
        )

    def _grids(self, path: Path, own: Reading, *, is_mineru: bool) -> Iterator[ParsedTable]:
        if is_mineru:
            options = {"return_md": "false", "return_content_list": "true", "return_images": "false"}
            answer = self._post("/file_parse", path, options)
            return mineru.grids_of(answer, [(page.width, page.height) for page in own.pages])
        options = {"from_formats": "pdf", "to_formats": "json", "do_ocr": "false", "image_export_mode": "placeholder"}
        return docling.grids_of(self._post("/v1/convert/file", path, options))

    def _get(self, path: str) -> Mapping[str, Any]:
        return self._open(urllib.request.Request(self.address.rstrip("/") + path), KNOCK_S)  # noqa: S310  checked

    def _post(self, path: str, file: Path, options: Mapping[str, str]) -> Mapping[str, Any]:
        border = secrets.token_hex(16)
        parts = [
            f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in options.items()
        ]
        head = f'--{border}\r\nContent-Disposition: form-data; name="files"; filename="paper.pdf"\r\n'
        parts += [head.encode(), b"Content-Type: application/pdf\r\n\r\n", file.read_bytes()]
        parts.append(f"\r\n--{border}--\r\n".encode())
        request = urllib.request.Request(  # noqa: S310  checked
            self.address.rstrip("/") + path,
            data=b"".join(parts),
            headers={"Content-Type": f"multipart/form-data; boundary={border}", "Accept": "application/json"},
        )
        return self._open(request, PARSE_S)

    def _open(self, request: urllib.request.Request, timeout_s: float) -> Mapping[str, Any]:
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as answer:  # noqa: S310  the operator's address
                body = answer.read(MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            raise LayoutFailed(f"The layout parser answered with {error.code}.") from error
        except (OSError, ValueError) as error:
            raise LayoutFailed(f"The layout parser cannot be reached ({type(error).__name__}).") from error
        if len(body) > MOST_BYTES:
            raise LayoutFailed("The layout parser's answer is larger than can be read.")
        try:
            found = json.loads(body)
        except ValueError as error:
            raise LayoutFailed("The layout parser's answer is no JSON.") from error
        if not isinstance(found, dict):
            raise LayoutFailed("The layout parser's answer is no JSON object.")
        return found


def _plain_version(version: object) -> str:
    """A version as a part of a name: letters, digits, dots and dashes of the first forty."""
    return (
        "".join(char for char in str(version)[:40] if char.isascii() and (char.isalnum() or char in ".-")) or "unknown"
    )
