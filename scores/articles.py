"""Real articles as a board holds them: JATS XML read as pages of text, with what the XML itself says of the paper.

What the XML marks (title, journal, DOI, year, funding, interests, the headings of sections) is the authors' own label
of their words, so it can stand as an answer that nobody had to make up.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

# A page of a journal holds about this many characters. Only places depend on it, not what is found.
_PAGE: Final = 4_000
# The line below which a sentence is a heading or a fragment, and above which it is a table run into one line.
_SHORTEST, _LONGEST = 40, 600
_SENTENCE_END: Final = re.compile(
    r"(?<!\bvs)(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<!\bFig)(?<!\bca)(?<!\bNo)(?<=[\w)%\]])[.!?]\s+(?=[A-Z(])"
)
_BLOCKS: Final = frozenset({"p", "title", "list-item", "tr", "caption", "td", "th", "label"})
_SKIPPED: Final = frozenset({"xref-group", "tex-math", "alternatives", "object-id", "graphic", "media"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with its paragraphs. `path` is the headings above it and its own, outermost first."""

    path: tuple[str, ...]
    paragraphs: tuple[str, ...]
    in_abstract: bool = False

    @property
    def heading(self) -> str:
        return self.path[-1] if self.path else ""

    def sentences(self) -> list[str]:
        return [one for paragraph in self.paragraphs for one in sentences(paragraph)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article: its text in pages, and what its XML says of it. What the XML does not say is empty."""

    name: str
    pages: tuple[str, ...]
    title: str
    journal: str
    doi: str
    year: str
    sections: tuple[Section, ...]
    funding: tuple[str, ...] = ()
    interests: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """The sentences of abstract and body, as printed."""
        return [one for section in self.sections for one in section.sentences()]


def articles(folder: Path) -> Iterator[Article]:
    """Every article below a folder, one for each name, in the order of their names."""
    paths = {path.stem: path for pattern in ("*.xml", "*.nxml") for path in folder.rglob(pattern)}
    if not paths:
        raise FileNotFoundError("no articles as JATS XML below it")
    for _, path in sorted(paths.items()):
        if (article := read(path)) is not None:
            yield article


def read(path: Path) -> Article | None:
    """One article; None for one that cannot be read or has no body."""
    try:
        root = ElementTree.fromstring(path.read_bytes())  # noqa: S314  a board is of the measurer's own choosing
    except ElementTree.ParseError:
        return None
    article = root if _tag(root) == "article" else next((one for one in root.iter() if _tag(one) == "article"), None)
    body = _first(article, "body") if article is not None else None
    if article is None or body is None:
        return None
    abstract = _first(article, "abstract")
    sections = [*(_sections(abstract, (), in_abstract=True) if abstract is not None else ()), *_sections(body, ())]
    back = _first(article, "back")
    funding, interests = _statements(article)
    ends = [*_sections(back, ())] if back is not None else []
    title = _text(_first(article, "article-title"))
    journal, year = _text(_first(article, "journal-title")), _year(article)
    doi = next((_text(one) for one in article.iter("article-id") if one.get("pub-id-type") == "doi"), "")
    lines = [f"{journal} {year}", f"doi:{doi}" if doi else "", title, _authors(article), "Abstract"]
    printed = [line for line in lines if line] + [line for section in (*sections, *ends) for line in _printed(section)]
    printed += ["References", *(_text(one) for one in article.iter("ref"))]
    return Article(
        name=path.stem, pages=tuple(_pages(printed)), title=title, journal=journal, doi=doi, year=year,
        sections=tuple(sections), funding=tuple(funding), interests=tuple(interests),
    )  # fmt: skip


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph that are long enough to say something and short enough to be one."""
    found = []
    at = 0
    for end in [*(one.end() for one in _SENTENCE_END.finditer(paragraph)), len(paragraph)]:
        one = paragraph[at:end].strip()
        at = end
        if _SHORTEST <= len(one) <= _LONGEST:
            found.append(one)
    return found


def _tag(node: ElementTree.Element) -> str:
    return str(node.tag).rsplit("}", 1)[-1]


def _first(node: ElementTree.Element | None, tag: str) -> ElementTree.Element | None:
    return next((one for one in node.iter() if _tag(one) == tag), None) if node is not None else None


def _text(node: ElementTree.Element | None) -> str:
    """The characters of an element in one line; cells and paragraphs within it stay apart."""
    return re.sub(r"\s+", " ", "".join(_pieces(node))).strip() if node is not None else ""


def _pieces(node: ElementTree.Element) -> Iterator[str]:
    if _tag(node) in _SKIPPED:
        return
    yield node.text or ""
    for child in node:
        yield from _pieces(child)
        yield (" " if _tag(child) in _BLOCKS else "") + (child.tail or "")


def _sections(node: ElementTree.Element, above: tuple[str, ...], *, in_abstract: bool = False) -> Iterator[Section]:
    """An element's own paragraphs first, then the sections within it."""
    title = next((_text(one) for one in node if _tag(one) == "title"), "")
    path = (*above, title) if title else above
    own = tuple(text for one in node if _tag(one) in {"p", "list", "table-wrap"} for text in _paragraphs(one))
    if own:
        yield Section(path=path, paragraphs=own, in_abstract=in_abstract)
    for one in node:
        if _tag(one) in {"sec", "ack", "notes", "fn-group", "fn", "app-group", "app"}:
            yield from _sections(one, path, in_abstract=in_abstract)


def _paragraphs(node: ElementTree.Element) -> Iterator[str]:
    if _tag(node) == "p":
        yield _text(node)
    else:
        rows = [one for one in node.iter() if _tag(one) in {"tr", "list-item", "caption"}]
        yield from (text for one in rows if (text := _text(one)))


def _printed(section: Section) -> list[str]:
    return [*([section.heading] if section.heading else []), *section.paragraphs]


def _pages(lines: list[str]) -> Iterator[str]:
    page: list[str] = []
    for line in lines:
        if page and sum(map(len, page)) + len(line) > _PAGE:
            yield "\n".join(page)
            page = []
        page.append(line)
    yield "\n".join(page)


def _year(article: ElementTree.Element) -> str:
    dates = [one for one in article.iter() if _tag(one) == "pub-date"]
    return next((text for one in dates if (text := _text(_first(one, "year")))), "")


def _authors(article: ElementTree.Element) -> str:
    names = [one for one in article.iter() if _tag(one) == "contrib" and one.get("contrib-type") == "author"]
    return ", ".join(f"{_text(_first(one, 'given-names'))} {_text(_first(one, 'surname'))}".strip() for one in names)


def _statements(article: ElementTree.Element) -> tuple[list[str], list[str]]:
    """What is marked as a statement of funding, and of competing interests, as far as the pages print it."""
    funding: list[str] = []
    interests: list[str] = []
    for node in (one for tag in ("back", "front") if (part := _first(article, tag)) is not None for one in part.iter()):
        kind = f"{node.get('fn-type', '')} {node.get('sec-type', '')} {node.get('notes-type', '')}".casefold()
        title = _text(next((one for one in node if _tag(one) == "title"), None)).casefold()
        if _tag(node) not in {"fn", "sec", "notes", "ack"}:
            continue
        printed = [text for one in node if _tag(one) == "p" and (text := _text(one))]
        if re.search(r"conflict|coi", kind) or re.search(r"interest|conflict|disclosure", title):
            interests += printed
        elif re.search(r"financial-disclosure|supported-by|funding", kind) or re.search(r"fund|support", title):
            funding += printed
    return funding, interests
