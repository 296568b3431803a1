"""What the authors say of their study in sentences: aim, conclusions, limitations."""

from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.hits import ANYWHERE, STUDY, Hit, first, prose, rx
from ingather.extraction.rules.sentences import Document

FIELDS: Final = frozenset({"aim", "conclusions", "limitations"})

_WORK: Final = r"(?:study|trial|analysis|work|research|investigation|paper|project|experiment)"
_AIM: Final = rx(
    rf"\b(?:we|this {_WORK}) (?:aimed|sought|set out|wanted|wished) to\b"
    rf"|\b(?:aims?|objectives?|purpose|goal) of (?:this|the|our|the present|the current) {_WORK} (?:was|were|is) to\b"
    r"|\bour (?:\w+ )?(?:aims?|objectives?|purpose|goal) (?:was|were|is) to\b"
    r"|\bwe (?:investigated|examined|assessed|tested|evaluated) (?:whether|the effect)"
    rf"|\bwe (?:conducted|did|performed|carried out|undertook) [^.]{{0,80}}{_WORK} to (?:test|determine|assess"
    rf"|examine|find out) whether\b"
    r"|旨在|本研究(?:的)?目的"
)
# Under a heading such as `Aims` the background may stand first. An aim says what was to be found out.
_PURPOSE: Final = rx(
    r"\b(?:aims?|aimed|objectives?|purpose|goal|hypothes\w+|sought|whether)\b|^to \w+"
    r"|\bwe (?:\w+ )?(?:investigated|examined|assessed|tested|evaluated|compared|studied|determined)\b"
    r"|\bto (?:\w+ly )?(?:determine|assess|compare|evaluate|examine|investigate|test|study|establish|explore|estimate"
    r"|identify|describe|find out)\b|旨在|探讨|评价|目的|观察|比较|研究"
)
_CONCLUDE: Final = rx(r"\bin conclusion\b|综上")
_LIMITATION: Final = rx(
    r"\b(?:our|this|these|the|present|main|several|some|important|potential|study|a|key|major|has"
    r"|have)\b[^.]{0,40}\blimitations?\b"
    r"|\blimitations? (?:include|are|is|of (?:this|our|the))|\blimits how\b|局限"
)

# A sentence that announces limitations and names none; the next one does.
_ANNOUNCED: Final = rx(
    r"\blimitations(?: (?:to|of|in) (?:this|our|the)(?: present| current)? (?:study|trial|work|research|analysis))?"
    r"(?:,? (?:that|which) .{0,60}| to consider| should be \w+| (?:need|deserve|merit)\b.{0,40})?[.:]?$"
)
_OF_PEOPLE: Final = rx(
    r"\b(?:exercise|activity|functional|airflow|movement|physical|mobility|work|flow|joint"
    r"|walking)[- ]limitation"
)


def answers(document: Document) -> dict[str, Answer]:
    """The answers to the fields of this family."""
    return {
        "aim": first("aim", _aims(document)),
        "conclusions": first("conclusions", _conclusions(document)),
        "limitations": first("limitations", _limitations(document)),
    }


def _aims(document: Document) -> list[Hit]:
    hits = []
    for sentence in prose(document, ANYWHERE - {"discussion", "results", "end"}):
        if sentence.topic == "aim" and sentence.part == "aim" and _PURPOSE.search(sentence.text):
            hits.append(Hit(value=sentence.text.rstrip(".。"), sentence=sentence))
        elif found := _AIM.search(sentence.text):
            hits.append(
                Hit(value=sentence.text.rstrip(".。"), sentence=sentence, start=found.start(), end=found.end(), rank=1)
            )
    return hits


def _conclusions(document: Document) -> list[Hit]:
    hits = []
    for sentence in prose(document, STUDY | {"discussion"}):
        if sentence.part == "conclusions":
            hits.append(Hit(value=sentence.text, sentence=sentence, rank=0 if sentence.in_abstract else 1))
        elif found := _CONCLUDE.search(sentence.text):
            hits.append(Hit(value=sentence.text, sentence=sentence, start=found.start(), end=found.end(), rank=2))
    return hits


def _limitations(document: Document) -> list[Hit]:
    """The sentence that names a limitation, or the one after it where it only announces them."""
    sentences = list(prose(document, frozenset({"discussion", "conclusions", "end"})))
    hits = []
    for sentence, following in zip(sentences, [*sentences[1:], None], strict=False):
        if sentence.topic == "limitations":
            hits.append(Hit(value=sentence.text, sentence=sentence))
        elif (found := _LIMITATION.search(sentence.text)) and not _OF_PEOPLE.search(sentence.text):
            is_bare = _ANNOUNCED.search(sentence.text) and following is not None
            told = following if is_bare and following is not None else sentence
            start, end = (0, None) if told is not sentence else found.span()
            hits.append(Hit(value=told.text, sentence=told, start=start, end=end, rank=1))
    return hits
