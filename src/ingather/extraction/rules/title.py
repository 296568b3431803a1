"""The title of a paper: what is set largest on its first page, or the lines between masthead and authors."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ingather.extraction.rules.headings import heading
from ingather.extraction.rules.hits import Hit, rx
from ingather.extraction.rules.plain_text import plain_text
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.library.port import PrintedLine

# Type this much larger than the text of the page may be a title's. Less takes headings of sections for titles.
_LARGER: Final = 1.12
# The second line of a title may be smaller; it is larger than what follows it by this share at least.
_SUBTITLE: Final = 1.05
# Lines are of one size within this share: boxes of letters differ a little from line to line.
_ONE_SIZE: Final = 0.05
_LONGEST: Final = 350  # characters of a title; what is longer is an abstract in large type
_MOST_LINES: Final = 8
_FEWEST_TERMS: Final = 3  # terms of a title; what is shorter is a masthead or a heading
# A line of so few terms that all have a capital, without a small term between them, is a name and no title.
_LONGEST_NAME: Final = 4

_MASTHEAD: Final = rx(
    r"\b(?:journal|annals|archives|proceedings|transactions|bulletin|gazette|press|publisher|university|library|lancet"
    r"|circulation|medicine|surgery|reviews?|communications|reports?|letters|plos|bmc|bmj|jama|elsevier|springer|wiley"
    r"|nature|science|cochrane|frontiers|hindawi|mdpi|department|hospital|institute|contents|kit)$"
    r"|\bjournal of\b|\bannals of\b|\barchives of\b|\bproceedings of\b|\buniversity of\b|\bpublic access\b"
    r"|\bopen access\b|\bauthor manuscript\b|\bresearch portal\b|\boriginal (?:article|research|investigation)\b"
    r"|\bresearch article\b|\bclinical (?:research|investigations?|trial|studies)$|\bvol(?:ume|\.)? ?\d|\bissn\b"
)
# No list of authors begins so.
_OF_SUBTITLE: Final = rx(r"(?:the|an?|results|rationale|design|protocol) ")
# The rank of a title behind which print follows that may still belong to it.
DOUBTFUL_END: Final = 1
_SHORT_MASTHEAD: Final = 7  # terms; a masthead has no more, and a longer title may hold such a term
_NEVER: Final = rx(
    r"https?:|www\.|@|©|\bdoi\b|\bdownloaded\b|\b(?:received|accepted|published|revised):? \w+ \d"
    r"|\bresearch portal\b|\breview (?:began|ended)\b|\bplease\b|\bpermissions?\b|\breuses?\b|\ball rights\b"
)
# A publisher's sheet before a paper has the first of these, and only the paper's own first page has the second.
_OF_USE: Final = rx(
    r"\bpermissions?\b|\breus(?:e|es|ed|ing)\b|\bRightsLink\b|\bfinal (?:\S+ )?manuscript\b|\bnon-?commercial\b"
    r"|\bterms (?:of use|and conditions)\b|\blicen[cs]e[ds]?\b|\brequests?\b|\bcopyright (?:holder|owner|clearance)\b"
    r"|\bcover (?:sheet|page)\b|\brepository\b|\bpublished version\b|\bguidelines\b|\beligible\b"
)
_MOST_OF_USE: Final = 4  # different terms; a footer of a first page has fewer
_SURELY_OF_USE: Final = 9  # different terms; a first page has not so many, whatever stands in its margin
_OWN_PAGE: Final = re.compile(
    r"(?im)^\W{0,3}(?:abstract|summary|background|introduction|objectives?|aims?|methods)\b|\b(?:patients|participants)\b"
)
LABEL: Final = rx(
    r"(?:original (?:article|research|paper|investigation|contribution)|research(?: article| paper)?|articles?"
    r"|open access|review|correspondence|short report|brief (?:report|communication)|clinical (?:trial|research|study)"
    r"|abstract|title|letter|editorial|study protocol|论著|临床研究|原著|fictional sample.{0,80})[.:]?"
)
_KIND: Final = rx(r"^(?:letter|research letter|original article|clinical trial|correspondence|title|research) ?: ?")
_NAME: Final = r"(?:[A-Z][\w'\u2019-]*\.?|van|von|de|der|den|la|le|di|da|el|al|bin)"
_AUTHORS: Final = re.compile(
    rf"(?:{_NAME}[ .]{{0,2}}){{1,4}}(?:\(?[\d*,a-d]{{1,5}}\)?)?(?:(?:,| and| &"
    rf"|, and) (?:{_NAME}[ .]{{0,2}}){{1,4}}(?:\(?[\d*,a-d]{{1,5}}\)?)?){{0,30}}"
    r"(?:,? (?:and|for|on behalf of) the [\w -]{3,60})?[.,]?"
)
_CHINESE_AUTHORS: Final = re.compile(
    r"[\u4e00-\u9fff]{2,4}(?:\d|\*)?(?:[, 、]{1,2}[\u4e00-\u9fff]{2,4}(?:\d|\*)?){0,15}"
)
_ADDRESS: Final = rx(
    r"\b(?:department|university|hospital|institute|school|faculty|clinic|college)\b|@|^\(?\d\)|医院|大学|科室|研究所"
)
_SMALL: Final = re.compile(r"\b(?:of|for|in|with|and|versus|vs|after|on|to|a|an|the|among|by|from|against)\b")
_MARK: Final = re.compile(r"[\s†‡*§¶#\d]{0,4}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """Lines of one size that follow each other."""

    start: int
    end: int
    size: float
    lines: int


def title_hits(document: Document, printed: Sequence[PrintedLine]) -> list[Hit]:
    """The title, by the size of its type where that is known; else by its place between masthead and authors."""
    if document.pages and is_cover_sheet(document.pages[0]):
        return []
    return list(_largest_print(document, printed)) if printed else _between_masthead_and_authors(list(document.front))


def is_cover_sheet(page: str) -> bool:
    """Whether a page tells what may be done with a paper, and is not the paper's own first page."""
    on_use = {found[0].casefold() for found in _OF_USE.finditer(page)}
    return len(on_use) >= _SURELY_OF_USE or (len(on_use) >= _MOST_OF_USE and _OWN_PAGE.search(page) is None)


def _largest_print(document: Document, printed: Sequence[PrintedLine]) -> Iterator[Hit]:
    page = document.pages[0]
    text_size = _text_size(printed)
    blocks = list(_print_blocks(printed))
    for block in sorted(blocks, key=lambda one: (-one.size, one.start)):
        if block.size < _LARGER * text_size:
            return
        start = _title_start(page, block)
        if block.lines > _MOST_LINES or not _is_title(plain_text(page, start, block.end).text):
            continue
        end = _title_end(page, blocks, block, text_size)
        made = plain_text(page, start, end)
        if _is_title(made.text):
            sentence = Sentence(
                page=0, page_text=page, text=made.text, places=made.places, part="front", topic="", in_abstract=False
            )
            goes_on = end == block.end and _may_go_on(page, blocks, block, text_size)
            yield replace(_title_hit(sentence), rank=DOUBTFUL_END if goes_on else 0)
            return


def _title_start(page: str, block: _Block) -> int:
    """Where a title begins: behind the name of the journal, where that is set in the same size above it."""
    end = page.find("\n", block.start, block.end)
    line = page[block.start : end].strip() if end > 0 else ""
    is_name = len(re.findall(r"[^\W\d_]{2,}", line)) <= 2 and line[:1].isupper()
    return end + 1 if is_name and (line.endswith(("\u00ae", "\u2122")) or _MASTHEAD.search(line)) else block.start


def _title_end(page: str, blocks: Sequence[_Block], block: _Block, text_size: float) -> int:
    """Where a title ends: behind the smaller line that follows it, where that goes on with it and names nobody."""
    following = blocks[blocks.index(block) + 1 : blocks.index(block) + 3]
    if not following or following[0].lines + block.lines > _MOST_LINES or following[0].size < _LARGER * text_size:
        return block.end
    size = following[1].size if len(following) > 1 else text_size
    line = plain_text(page, following[0].start, following[0].end).text
    is_named = _OF_SUBTITLE.match(line) is not None
    is_phrase = (is_named or _SMALL.search(line)) and len(re.findall(r"[^\W\d_]{2,}", line)) >= _FEWEST_TERMS
    is_names = is_authors(line) and not is_named
    is_other = is_names or is_masthead(line) or _ADDRESS.search(line) or LABEL.fullmatch(line)
    return following[0].end if is_phrase and not is_other and following[0].size >= _SUBTITLE * size else block.end


def _may_go_on(page: str, blocks: Sequence[_Block], block: _Block, text_size: float) -> bool:
    """Whether larger print that is no list of names, no label and no address follows a title: it may belong to it."""
    following = blocks[blocks.index(block) + 1 : blocks.index(block) + 2]
    if not following or following[0].size < _LARGER * text_size:
        return False
    line = plain_text(page, following[0].start, following[0].end).text
    is_other = is_authors(line) or is_masthead(line) or _ADDRESS.search(line) or LABEL.fullmatch(line)
    has_names = line.count(",") > 1 or re.search(r"[a-z]\d|[*\u2020\u2021]|\b(?:MD|PhD|MSc|RN)\b", line) is not None
    return not is_other and not has_names and len(re.findall(r"[^\W\d_]{2,}", line)) >= 2


def _text_size(printed: Sequence[PrintedLine]) -> float:
    """The size in which most characters of the page are set."""
    by_size = sorted(printed, key=lambda line: line.size)
    half = sum(line.end - line.start for line in printed) / 2
    for line in by_size:
        half -= line.end - line.start
        if half <= 0:
            return line.size
    return 0.0


def _print_blocks(printed: Sequence[PrintedLine]) -> Iterator[_Block]:
    open_block: _Block | None = None
    for line in printed:
        if open_block is not None and abs(line.size - open_block.size) <= _ONE_SIZE * open_block.size:
            open_block = _Block(start=open_block.start, end=line.end, size=open_block.size, lines=open_block.lines + 1)
            continue
        if open_block is not None:
            yield open_block
        open_block = _Block(start=line.start, end=line.end, size=line.size, lines=1)
    if open_block is not None:
        yield open_block


def _is_title(text: str) -> bool:
    terms = re.findall(r"[^\W\d_]{2,}", text)
    is_chinese = len(re.findall(r"[\u4e00-\u9fff]", text)) >= 6
    if not (is_chinese or len(terms) >= _FEWEST_TERMS) or len(text) > _LONGEST or _NEVER.search(text):
        return False
    if LABEL.fullmatch(text) or heading(text, in_abstract=False) is not None:
        return False
    if len(terms) <= _LONGEST_NAME and all(term[0].isupper() for term in terms) and not is_chinese:
        return False
    # The names of journals and publishers are short, and every term of them has a capital.
    is_name = len(terms) <= _SHORT_MASTHEAD and all(term[0].isupper() or _SMALL.fullmatch(term) for term in terms)
    return not (is_name and _MASTHEAD.search(text))


def _title_hit(sentence: Sentence) -> Hit:
    """The whole sentence, without the label before it and marks of footnotes behind it."""
    kind = _KIND.match(sentence.text)
    start = kind.end() if kind else 0
    mark = _MARK.search(sentence.text)
    end = mark.start() if mark and re.search(r"[†‡*§¶#]", mark[0]) else len(sentence.text.rstrip())
    return Hit(value=sentence.text[start:end].strip(), sentence=sentence, start=start, end=end)


def is_masthead(text: str) -> bool:
    """Whether a line holds a DOI, an address of the web, or year and volume of a journal."""
    has_issue = re.search(r"\b(?:19|20)\d\d\b", text) and re.search(r"\bvol|\bissue\b|[;:(] ?\d|\d:|第 ?\d|年", text)
    return bool(has_issue) or _NEVER.search(text) is not None or re.search(r"\b10\.\d{4}|ISSN", text) is not None


def is_authors(text: str) -> bool:
    """Whether a line is a list of names."""
    if _CHINESE_AUTHORS.fullmatch(text):
        return len(text) < 60
    return len(text) < 400 and _AUTHORS.fullmatch(text) is not None and not _SMALL.search(text.split(",", 1)[0])


def _is_dated_line(text: str) -> bool:
    """A short line with a year, such as a journal's name, year and page."""
    return re.search(r"\b(?:19|20)\d\d\b", text) is not None and len(text) < 90 and not re.search(r"[?:]", text)


def _between_masthead_and_authors(head: list[Sentence]) -> list[Hit]:
    """The lines between the masthead and the authors; nothing where no line of authors or of an address follows."""
    lines: list[Sentence] = []
    is_closed = False
    for line in head:
        text = line.text
        is_other = is_masthead(text) or LABEL.fullmatch(text) is not None
        if not lines and (is_other or _is_dated_line(text) or len(text) < 4):
            continue
        if lines and (is_authors(text) or _ADDRESS.search(text) or is_other or line.page != lines[0].page):
            is_closed = True
            break
        if not lines and is_authors(text) and "," in text:
            return []
        lines.append(line)
        if text.startswith("#"):  # a heading of Markdown is one line
            is_closed = True
            break
        if len(lines) > _MOST_LINES:
            return []
    if not lines or not (is_closed or len(lines) <= 3):
        return []
    whole = _joined_title_lines(lines)
    return [_title_hit(whole)] if _is_title(whole.text.lstrip("# ")) else []


def _joined_title_lines(lines: list[Sentence]) -> Sentence:
    """Lines that follow each other on one page, as one; without the marks of a heading in Markdown."""
    first, last = lines[0], lines[-1]
    start = first.places[len(first.text) - len(first.text.lstrip("# "))]
    made = plain_text(first.page_text, start, last.places[-1] + 1)
    return Sentence(
        page=first.page, page_text=first.page_text, text=made.text, places=made.places, part=first.part,
        topic=first.topic, in_abstract=first.in_abstract,
    )  # fmt: skip
