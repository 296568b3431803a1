"""The arms of a trial or the groups of a cohort: their names, sizes and roles."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from ingather.extraction.findings import Answer
from ingather.extraction.rules.design import PEOPLE
from ingather.extraction.rules.hits import STUDY, Hit, agreed, not_reported, prose, reported, rx
from ingather.extraction.rules.printed_numbers import COUNT, printed_count
from ingather.extraction.rules.sentences import Document, Sentence

FIELDS: Final = frozenset({"arm_label", "arm_role", "arm_n_randomised", "dose", "frequency", "group_label", "group_n"})
# With more arms, one that is no placebo may be tried or may be what others are compared with.
TWO: Final = 2
# Arms of one trial. Rows with more sizes than this are those of other tables.
MOST_ARMS: Final = 8

_SIZED: Final = rx(
    rf"(?P<label>[A-Za-z\u4e00-\u9fff0-9][^()\[\];:]{{0,60}}?),? ?[(\[]?,? ?\bn ?= ?(?P<n>\d{{1,3}}(?:,\d{{3}})+"
    rf"|\d{{1,7}})\)?"
    rf"|(?P<label2>[A-Za-z][^()\[\];:]{{2,60}}?) \((?P<n2>{COUNT}) {PEOPLE}\)"
)
_TO: Final = rx(
    rf"(?P<n>{COUNT}) (?:{PEOPLE} )?(?:were |was )?(?:assigned |allocated |randomi[sz]ed )?to (?:receive "
    rf"|take )?(?:the |a )?"
    r"(?P<label>(?!each|either|one|the)[a-z][\w' -]{2,50}?)(?= group\b| arm\b| and \d|, | \(|[.;:]|$)"
)
_CHINESE: Final = re.compile(
    r"(?P<label>[\u4e00-\u9fff]{1,6}组) ?(?:\(n ?= ?(?P<n>\d{1,6})\)|\(?(?P<n2>\d{1,6}) ?例\)?)"
)
_CHINESE_EACH: Final = re.compile(
    r"分(?:为|成)(?P<a>[\u4e00-\u9fff]{1,6}组)(?:和|与"
    r"|、)(?P<b>[\u4e00-\u9fff]{1,6}组),?(?:每组)?各 ?(?P<n>\d{1,6}) ?例"
)
# The people of such sentences are those of a second step or of an analysis, and not those who were allocated.
_LATER: Final = rx(
    r"\bcross(?:ed|ing) over\b|\bre-?randomi[sz]|\bsecond (?:step|phase|stage|period)|\bavailable for\b"
    r"|\bcomplet(?:ed|ers)\b"
    r"|\b(?:included|excluded) (?:in|from) (?:the )?[^.]{0,30}analys|\bper[- ]protocol\b|\bevaluable\b"
    r"|\bpopulation\b.{0,40}\banalys"
)
# A table of the people at the start has the numbers that were allocated; others may have those that were analysed.
# The column of all people is no arm.
_EVERYBODY: Final = rx(r"\b(?:all|total|overall|whole)\b[ |(]*(?:\w+ )?$")
_AT_START: Final = rx(r"\bbaseline\b|\bcharacteristics?\b|\bdemographic|一般资料|基线|基本情况")
_DIVIDING: Final = rx(r"randomi[sz]|\brandom(?:ly)?\b|assign|allocat|分为|分成|随机|入组")
# A name that only a group to which people were put can have, and sentences that say what people were given.
_GROUP_NAME: Final = rx(
    r"\bcontrols?\b|\bplacebo\b|\bsham\b|\bintervention\b|\bexperimental\b|\btreatment\b|\busual care\b|\bwait|组"
)
_RECEIVED: Final = rx(r"\breceiv|\btreated with\b|\bgiven\b")
_LEAD: Final = rx(
    r"^.*?\b(?:randomi[sz]ed|assigned|allocated|divided)\b(?: in a [\d:]+ ratio)?(?: \(?[\d:]+\)?)?(?: to"
    r"| into)? ?(?:receive |either |the )?"
    r"|^(?:(?:baseline |patient )?characteristics?|variables?|outcomes?|measures?|groups?|parameters?|item|特征|项目"
    r"|指标)\b ?|^(?:项目"
    r"|特征|指标|变量) ?"
    r"|^(?:\d|two|three|four|five) (?:\w+ )?(?:groups?|arms?),? (?:to receive |receiving )?(?:either )?"
    r"|^(?:,|and|or|to|either|versus|vs\.?|和|与|或|、|分为|随机分为|其中) ?|^(?:to|receive|either|the|an?) "
)
# The columns of a table by sex or age are kinds of people, to which nobody was put.
_KIND_OF_PEOPLE: Final = rx(r"(?:fe)?males?|(?:wo)?men|boys|girls|adults|children|男(?:性)?|女(?:性)?")
# `69 patients with 74 tumours` counts two things.
_THINGS: Final = rx(
    rf"(?P<people>{COUNT}) (?:[\w-]+ ){{0,3}}?{PEOPLE},? (?:\(|with |and |had |having |who had |presenting )"
    rf"(?:a total of )?(?P<things>{COUNT}) (?!(?:[\w-]+ )?{PEOPLE}\b)[a-z]"
)
_NO_LABEL: Final = rx(
    r"\b(?:was|were|ratio|treated|received|receiving|with|who|which|had|undergoing|patients|participants|subjects"
    r"|using|p value|and in|total|overall|stud(?:y|ies)|trials?|visit|period)\b|[<>=%|]|\d\.\d"
)
# Borders of a table in Markdown, and the mark of a footnote of the cell before.
_MARK: Final = re.compile(r"^[| ]*(?:\d (?=[A-Z]))?")
_TAIL: Final = rx(r"[ ,]{0,2}(?:\bgroup|\barm)?(?: for \d+ (?:days|weeks|months|years))?[ ,]{0,2}$|[ ,]{0,2}$")
_AMOUNT: Final = r"\d{1,5}(?:\.\d{1,3})? ?(?:mg|g|\u00b5g|\u03bcg|mcg|ml|mL|IU|units)(?:/(?:kg|day|d|m2))?"
_OFTEN: Final = (
    r"(?:once|twice|three times|four times|\d times)(?:[ -](?:daily|weekly|a day|a week|per day|per week"
    r"|every day))|每(?:日|天|周) ?\d ?次"
)

_ROLES: Final = (
    ("placebo", rx(r"\bplacebo\b|安慰剂")),
    ("sham", rx(r"\bsham\b|假(?:针|手术|刺激)")),
    ("waitlist", rx(r"\bwait(?:ing)?[- ]?list\b|等待")),
    ("usual_care", rx(r"\b(?:usual|standard|routine) (?:care|treatment|management|medical care)\b|常规")),
    ("no_treatment", rx(r"\bno (?:treatment|intervention)\b|空白对照")),
)
_CONTROL: Final = rx(r"^(?:the )?controls?(?: group)?$|^对照组$")
_TRIED: Final = re.compile(r"^(?:治疗|试验|实验|干预|观察)组$")


@dataclass(slots=True, kw_only=True)
class Arm:
    """One arm as the paper names it, with every place that gives its size."""

    label: str
    hit: Hit
    sizes: list[Hit] = field(default_factory=list)

    def is_named(self, text: str) -> bool:
        """Whether a piece of text speaks of this arm."""
        return re.search(rf"(?<![\w-]){re.escape(self.label.lower())}(?![\w-])", text.lower()) is not None or (
            not self.label.isascii() and self.label in text
        )


def arms_by_rules(document: Document, *, is_trial: bool = True) -> list[Arm]:
    """The arms: those of the first table that gives the size of each, or else of the sentence that divides people."""
    lists = [*_arms_in_tables(document, is_trial=is_trial), *_arms_in_sentences(document)]
    if not lists:
        return []
    main = max(lists, key=len) if len(lists[0]) < 2 else lists[0]
    if not 2 <= len(main) <= MOST_ARMS:
        return []
    for other in lists:
        if other is main or len(other) != len(main):
            continue
        for arm in other:
            same = [known for known in main if _is_same_arm_name(known.label, arm.label)]
            if len(same) == 1:
                same[0].sizes += arm.sizes
    return main


def _add_up_to_things(groups: list[Arm], document: Document) -> bool:
    """Whether the sizes add up to the eyes, teeth or tumours that fewer people had between them."""
    total = sum(int(str(arm.sizes[0].value)) for arm in groups if arm.sizes)
    for sentence in prose(document, STUDY):
        for found in _THINGS.finditer(sentence.text):
            if (printed_count(found["people"]) or total) < total == printed_count(found["things"]):
                return True
    return False


def arms_without_wrong_sizes(groups: list[Arm], total: int | None, document: Document) -> None:
    """Take away sizes that do not add up to the number randomised, and those of a table where that is not known.

    A table of the people at the start may hold those who were analysed.
    """
    sizes = [{hit.value for hit in arm.sizes} for arm in groups]
    if _add_up_to_things(groups, document):
        for arm in groups:
            arm.sizes.clear()
        return
    if total is None and any(hit.sentence.is_row for arm in groups for hit in arm.sizes):
        for arm in groups:
            arm.sizes = [hit for hit in arm.sizes if not hit.sentence.is_row]
        return
    if not all(len(values) == 1 for values in sizes):
        # A table and a sentence that differ: the sentence divides people, the table may hold those who were analysed.
        for arm in groups:
            arm.sizes = [hit for hit in arm.sizes if not hit.sentence.is_row]
        return
    if total is None:
        return
    if sum(int(str(next(iter(values)))) for values in sizes) != total:
        for arm in groups:
            arm.sizes.clear()


def _is_same_arm_name(one: str, other: str) -> bool:
    a, b = one.lower(), other.lower()
    return a == b or a.rstrip("s") == b.rstrip("s")


def _clean_arm_label(label: str) -> str:
    before = ""
    while before != label:
        before, label = label, _LEAD.sub("", label.strip())
    label = re.sub(rf" {_AMOUNT}.*$", "", label)
    bare = _TAIL.sub("", _MARK.sub("", label)).strip(" ,;:|'\"\u2018\u2019")
    # One half of a pair of quotation marks was cut off with the other words.
    return bare.replace("'", "").replace("\u2018", "") if bare.count("'") == 1 and " '" in bare else bare


def _arms_made(parts: list[tuple[str, str, int, int]], sentence: Sentence, rank: int) -> list[Arm]:
    made = []
    for label, size, start, end in parts:
        name = _clean_arm_label(label)
        if (
            not 1 < len(name) <= 60
            or not re.search(r"[^\W\d]", name)
            or len(name.split()) > 6
            or _NO_LABEL.search(name)
            or _KIND_OF_PEOPLE.fullmatch(name)
        ):
            return []
        hit = Hit(value=name, sentence=sentence, start=start, end=end)
        arm = Arm(label=name, hit=hit)
        if (number := printed_count(size)) is not None:
            arm.sizes.append(Hit(value=number, sentence=sentence, start=start, end=end, rank=rank))
        made.append(arm)
    names = [arm.label.lower() for arm in made]
    return made if len(made) >= 2 and len(set(names)) == len(names) else []


def _arms_in_tables(document: Document, *, is_trial: bool) -> Iterator[list[Arm]]:
    """Header rows such as `Veratrol (n = 151) Placebo (n = 151)`."""
    starts = {row.table for row in document.sentences if row.is_row and _AT_START.search(row.text)}
    for row in document.sentences:
        if row.is_row and "=" in row.text and row.table in starts:
            found = [(m["label"], m["n"], m.start(), m.end()) for m in _SIZED.finditer(row.text) if m["n"]]
            found = [one for one in found if not _EVERYBODY.search(one[0])]
            made = _arms_made(found, row, 0) if len(found) >= 2 else []
            if made and (not is_trial or _arms_are_allocated(made, document)):
                yield made


def _arms_are_allocated(made: list[Arm], document: Document) -> bool:
    """Whether the columns are groups that people were put into, and not kinds of people, studies or events."""
    if all(_GROUP_NAME.search(arm.label) for arm in made):
        return True
    stated = [
        one.text.casefold()
        for one in (*document.front, *prose(document, STUDY))
        if one.part == "front" or _DIVIDING.search(one.text) or _RECEIVED.search(one.text)
    ]
    return all(
        _GROUP_NAME.search(arm.label) or any(_tells(arm.label.casefold(), text) for text in stated) for arm in made
    )


def _tells(label: str, text: str) -> bool:
    """Whether a sentence has the label, or all of its longer terms."""
    terms = re.findall(r"[^\W\d_][\w-]{2,}", label)
    return label in text or (bool(terms) and all(term in text for term in terms))


def _arms_in_sentences(document: Document) -> Iterator[list[Arm]]:
    """Sentences that divide people among arms."""
    for sentence in prose(document, STUDY - {"aim", "conclusions"}):
        if not _DIVIDING.search(sentence.text) or _LATER.search(sentence.text):
            continue
        each = _CHINESE_EACH.search(sentence.text)
        found = [(each[name], each["n"], each.start(), each.end()) for name in "ab"] if each else []
        for terms in (_CHINESE, _SIZED, _TO):
            if len(found) >= 2:
                break
            found = []
            for m in terms.finditer(sentence.text):
                groups = m.groupdict()
                found.append(
                    (
                        groups["label"] or groups.get("label2") or "",
                        m["n"] or groups.get("n2") or "",
                        m.start(),
                        m.end(),
                    )
                )
        # Words before the people are divided describe them: `patients after surgery (n = 32) were randomised`.
        is_behind = len(found) >= 2 and _DIVIDING.search(sentence.text[: found[0][3]]) is not None
        is_chinese = terms is _CHINESE
        if (is_behind or is_chinese) and (made := _arms_made(found, sentence, 0)):
            yield made


def arm_answers(arm: Arm, everyone: list[Arm], document: Document, key: str) -> dict[str, Answer]:
    """What is known of one arm."""
    size = agreed("arm_n_randomised", arm.sizes, key)
    label = reported("arm_label", arm.hit, key)
    dose, often = _dose_of_arm(arm, document)
    return {
        "arm_label": label,
        "group_label": replace(label, field="group_label"),
        "arm_n_randomised": size,
        "group_n": replace(size, field="group_n"),
        "arm_role": _role_of_arm(arm, everyone, document, key),
        "dose": agreed("dose", dose, key),
        "frequency": agreed("frequency", often, key),
    }


def _role_of_arm(arm: Arm, everyone: list[Arm], document: Document, key: str) -> Answer:
    """The role that a name tells, or what the control group is said to get; the rest is tried against a control."""
    own = _named_role(arm, document)
    if own is not None:
        return reported(
            "arm_role", Hit(value=own[0], sentence=own[1].sentence, start=own[1].start, end=own[1].end), key
        )
    is_control = _CONTROL.match(arm.label)
    others = [other for other in everyone if other is not arm]
    if (
        len(everyone) == TWO
        and not is_control
        and any(_named_role(other, document) or _CONTROL.match(other.label) for other in others)
    ):
        return reported(
            "arm_role", Hit(value="experimental", sentence=arm.hit.sentence, start=arm.hit.start, end=arm.hit.end), key
        )
    return not_reported("arm_role", key)


def _named_role(arm: Arm, document: Document) -> tuple[str, Hit] | None:
    for role, terms in _ROLES:
        if terms.search(arm.label):
            return role, arm.hit
    if _TRIED.match(arm.label):
        return "experimental", arm.hit
    if arm.label == "对照组":
        for sentence in prose(document, frozenset({"abstract", "methods"})):
            for role, terms in _ROLES:
                if found := re.search(rf"对照组[^。;,]{{0,12}}?(?:{terms.pattern})", sentence.text):
                    return role, Hit(value=role, sentence=sentence, start=found.start(), end=found.end())
    return None


def _dose_of_arm(arm: Arm, document: Document) -> tuple[list[Hit], list[Hit]]:
    """An amount that follows the arm's name at once, and how often it is taken."""
    name = re.escape(arm.label)
    terms = rx(
        rf"(?<![\w-]){name} (?P<dose>{_AMOUNT})(?:,? (?:\w+ ){{0,3}}?(?P<often>{_OFTEN}))?"
        if arm.label.isascii()
        else rf"{name}(?:口服|服用|给予|静脉滴注"
        rf"|外用)[^。,;\d]{{1,12}}(?P<dose>{_AMOUNT})(?:[,/] ?(?P<often>{_OFTEN}))?"
    )
    doses, often = [], []
    for sentence in prose(document, frozenset({"abstract", "methods", "aim"})):
        for found in terms.finditer(sentence.text):
            place = (sentence, found.start(), found.end())
            doses.append(_arm_hit(re.sub(r"(?<=\d)(?=[^\W\d])", " ", found["dose"]), *place))
            if found["often"]:
                often.append(_arm_hit(found["often"], *place))
    return doses, often


def _arm_hit(value: str, sentence: Sentence, start: int, end: int) -> Hit:
    return Hit(value=value, sentence=sentence, start=start, end=end)
