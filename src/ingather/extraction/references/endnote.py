"""EndNote XML, every record by itself, by expat without entities: what a document declares is never expanded. Pure."""

import re
from collections.abc import Iterable
from typing import Final
from xml.parsers import expat

from ingather.extraction.references.reference import Reference, UnreadableReference, reference_of
from ingather.notice import notice

_RECORD: Final = re.compile(r"<record\b[^>]*>")
_END: Final = "</record>"
# Elements inside each other. A record has five; more is an attack on the reader.
DEEPEST: Final = 50


def read(text: str) -> list[Reference | UnreadableReference]:
    starts = [match.start() for match in _RECORD.finditer(text)]
    found: list[Reference | UnreadableReference] = []
    line, last = 1, 0
    for start, following in zip(starts, [*starts[1:], len(text)], strict=True):
        line += text.count("\n", last, start)
        last = start
        end = text.find(_END, start, following)
        # A record is parsed alone, so nothing that the head of the file declares is known to it.
        found.append(_record(text[start : end + len(_END)] if end >= 0 else text[start:following], line))
    return found


def _record(chunk: str, line: int) -> Reference | UnreadableReference:
    try:
        texts = _texts(chunk)
    except (expat.ExpatError, ValueError) as error:
        return UnreadableReference(
            line=line,
            text=chunk[:120].strip(),
            sentence=notice("references.record_broken", "This record cannot be read: {why}", why=str(error)[:200]),
        )

    def first(*paths: str) -> str:
        return next((" ".join(texts[path]) for path in paths if texts.get(path)), "")

    accession = first("accession-num")
    database = first("remote-database-name", "remote-database-provider")
    return reference_of(
        line,
        title=first("titles/title"),
        authors=_people(texts),
        year=first("dates/year", "dates/pub-dates/date"),
        doi=first("electronic-resource-num") or first("urls/related-urls/url"),
        pmid=accession if re.search(r"pubmed|medline|nlm", database, re.IGNORECASE) or accession.isdigit() else "",
        journal=first("titles/secondary-title", "periodical/full-title", "alt-periodical/full-title"),
        abstract=first("abstract"),
        numbers=f"{accession} {first('notes', 'research-notes')}",
        kind=f"{first('ref-type')} {first('work-type')}",
    )


def _people(texts: dict[str, list[str]]) -> Iterable[str]:
    return texts.get("contributors/authors/author") or texts.get("contributors/secondary-authors/author") or ()


def _texts(chunk: str) -> dict[str, list[str]]:
    """The text of each path of elements, without those that only say how it is set."""
    texts: dict[str, list[str]] = {}
    path: list[str] = []
    current: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(path) >= DEEPEST:
            raise ValueError("elements inside elements without end")
        path.append(name)
        if name not in {"style", "record"}:
            current.clear()
            if name == "ref-type" and attributes.get("name"):
                texts.setdefault("ref-type", []).append(attributes["name"])

    def end(name: str) -> None:
        path.pop()
        if name not in {"style", "record"} and (text := "".join(current).strip()):
            place = "/".join(part for part in [*path[1:], name] if part != "style")
            texts.setdefault(place, []).append(text)
            current.clear()

    def refuse(*_: object) -> int:
        raise ValueError("it declares entities")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = current.append
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.Parse(chunk, True)  # noqa: FBT003  positional in the standard library
    return texts
