"""Which paper this is: title, journal, year, DOI and registration."""

import re
from typing import Final

from ingather.extraction.findings import Answer, State
from ingather.extraction.rules.hits import STUDY_AND_END, Hit, agreed, first, not_reported, prose, rx
from ingather.extraction.rules.sentences import Document, Sentence
from ingather.extraction.rules.text import plain

FIELDS: Final = frozenset({"title", "publication_year", "journal", "doi", "registration_id"})

_DOI: Final = rx(r"\b10\.\d{4,9}/[^\s\"<>,;|]{2,80}")
_YEAR: Final = re.compile(r"(?<![\d./-])(?:19[5-9]\d|20[0-4]\d)(?![\d/-]|\.\d)")
_ISSUE: Final = rx(
    r"\bvol(?:ume|\.)?\b|\bissue\b|\bpp?\.|\bpublished\b|\breceived\b|\baccepted\b|[;:(] ?\d|\d:|第 ?\d|\bpage\b|年"
)
_LABEL: Final = rx(
    r"(?:original (?:article|research|paper|investigation)|research(?: article| paper)?|article|open access|review"
    r"|correspondence|short report|brief report|clinical trial|论著|临床研究|原著|fictional sample.{0,80})[.:]?"
)
_NAME: Final = r"(?:[A-Z][\w'-]*\.?|van|von|de|der|den|la|le|di|da|el|al|bin)"
_AUTHORS: Final = re.compile(
    rf"(?:{_NAME}[ .]{{0,2}}){{1,4}}(?:\(?[\d*,a-d]{{1,5}}\)?)?(?:(?:,| and| &"
    rf"|, and) (?:{_NAME}[ .]{{0,2}}){{1,4}}(?:\(?[\d*,a-d]{{1,5}}\)?)?){{0,30}}"
    r"(?:,? (?:and|for|on behalf of) the [\w -]{3,60})?[.,]?"
)
_CHINESE_AUTHORS: Final = re.compile(
    r"[\u4e00-\u9fff]{2,4}(?:\d|\*)?(?:[, 、]{1,2}[\u4e00-\u9fff]{2,4}(?:\d|\*)?){0,15}"
)
_ADDRESS: Final = rx(
    r"\b(?:department|university|hospital|institute|school|faculty|centre|center|clinic|college)\b|@|^\(?\d\)|医院"
    r"|大学|科室|研究所"
)
_SMALL_WORD: Final = re.compile(r"\b(?:of|for|in|with|and|versus|vs|after|on|to|a|an|the|among|by|from|against)\b")
_KIND: Final = rx(r"^(?:letter|research letter|original article|clinical trial|correspondence) ?: ?")

_REGISTRIES: Final = rx(
    r"\bNCT ?\d{8}\b|\bISRCTN ?\d{8}\b|\bChiCTR[-A-Z]{0,6}[- ]?\d{8,10}\b|\bACTRN ?\d{14}\b|\bPACTR ?\d{15,16}\b"
    r"|\bDRKS ?\d{8}\b|\bCTRI/\d{4}/\d{2,3}/\d{5,6}\b|\bUMIN ?\d{9}\b|\bjRCTs?\d{9,10}\b|\bIRCT ?[\dN]{12,20}\b"
    r"|\bNTR ?\d{3,5}\b"
    r"|\bKCT ?\d{7}\b|\bTCTR ?\d{11}\b|\bRBR-[0-9a-z]{6,8}\b|(?<=EudraCT )\d{4}-\d{6}-\d{2}\b"
    r"|(?<=EudraCT number )\d{4}-\d{6}-\d{2}\b|(?<=EudraCT: )\d{4}-\d{6}-\d{2}\b"
)


def answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    head = list(document.front)
    return {
        "title": first("title", _title(head)),
        "publication_year": agreed("publication_year", _years(head)),
        "journal": first("journal", _journal(head)),
        "doi": agreed("doi", _dois(head)),
        "registration_id": _registrations(document),
    }


def _is_masthead(text: str) -> bool:
    return bool(_DOI.search(text) or (_YEAR.search(text) and _ISSUE.search(text)) or re.search(r"https?://|ISSN", text))


def _is_authors(text: str) -> bool:
    if _CHINESE_AUTHORS.fullmatch(text):
        return len(text) < 60
    return len(text) < 400 and _AUTHORS.fullmatch(text) is not None and not _SMALL_WORD.search(text.split(",", 1)[0])


def _is_dated_line(text: str) -> bool:
    """A short line with a year and a comma, such as a journal's name, year and page."""
    return _YEAR.search(text) is not None and len(text) < 90 and not re.search(r"[?:]", text)


def _title(head: list[Sentence]) -> list[Hit]:
    """The lines between the masthead and the authors."""
    lines: list[Sentence] = []
    for line in head:
        text = line.text
        if not lines and (_is_masthead(text) or _LABEL.fullmatch(text) or _is_dated_line(text) or len(text) < 4):
            continue
        if lines and (_is_authors(text) or _ADDRESS.search(text) or _is_masthead(text) or _LABEL.fullmatch(text)):
            break
        if not lines and (_is_authors(text) and "," in text):
            return []
        if lines and line.page != lines[0].page:
            break
        lines.append(line)
        if len(lines) > 6:
            return []
    if not lines:
        return []
    whole = _between(lines[0], lines[-1])
    title = _KIND.sub("", whole.text).strip()
    return [Hit(value=title, sentence=whole)] if 8 <= len(title) <= 300 else []


def _between(start: Sentence, end: Sentence) -> Sentence:
    """Lines that follow each other on one page, as one."""
    made = plain(start.page_text, start.places[0], end.places[-1] + 1)
    return Sentence(
        page=start.page, page_text=start.page_text, text=made.text, places=made.places, part=start.part,
        topic=start.topic, in_abstract=start.in_abstract,
    )  # fmt: skip


def _years(head: list[Sentence]) -> list[Hit]:
    """The year of the masthead; where several dates are printed, that of publication or acceptance."""
    hits = []
    for line in head[:6]:
        if not (_is_masthead(line.text) or _is_dated_line(line.text)):
            continue
        text = _DOI.sub(lambda found: " " * len(found[0]), line.text)
        found = list(_YEAR.finditer(text))
        if not found:
            continue
        marked = [
            one for one in found if re.search(r"(?:accepted|published)[^;.]{0,24}$", text[: one.start()], re.IGNORECASE)
        ]
        chosen = marked[-1:] or found
        hits += [Hit(value=int(one[0]), sentence=line, start=one.start(), end=one.end()) for one in chosen]
    return hits


def _journal(head: list[Sentence]) -> list[Hit]:
    """The words before the year or the volume in the masthead."""
    for line in head[:3]:
        if not (_is_masthead(line.text) or _is_dated_line(line.text)):
            continue
        found = re.match(r"[^\d|;(.]{3,90}", line.text)
        if found is None:
            continue
        name = re.sub(
            r"[,\s]{0,3}\b(?:vol|volume|issue|no|doi|https?|published|received)?[:,\s]{0,3}$",
            "",
            found[0],
            flags=re.IGNORECASE,
        )
        if 3 <= len(name) <= 90 and not _LABEL.fullmatch(name) and name[0].isalpha():
            return [Hit(value=name.strip(), sentence=line)]
    return []


def _dois(head: list[Sentence]) -> list[Hit]:
    return [
        Hit(value=found[0].rstrip(".)]"), sentence=line, start=found.start(), end=found.end())
        for line in head
        for found in _DOI.finditer(line.text)
    ]


def _registrations(document: Document) -> Answer:
    """Every registry number that the paper gives outside its introduction, discussion and references."""
    hits = [
        Hit(
            value=re.sub(r"(?<=[A-Za-z]) (?=\d)", "", found[0]), sentence=sentence, start=found.start(), end=found.end()
        )
        for sentence in (*document.front, *prose(document, STUDY_AND_END))
        for found in _REGISTRIES.finditer(sentence.text)
    ]
    if not hits:
        return not_reported("registration_id")
    numbers = list(dict.fromkeys(str(hit.value) for hit in hits))
    quote = hits[0].quote
    if not all(number in quote for number in numbers):
        numbers = [number for number in numbers if number in quote] or numbers[:1]
    return Answer(field="registration_id", state=State.REPORTED, value=numbers, quote=quote, page=hits[0].sentence.page)
