"""Results bound to their group and outcome: sentences of trial abstracts in which people joined what belongs together.

FOLDER/relations holds JSON lines as in `jetsunwhitton/RCT-ART` (`datasets/3_gold_corpus/domains`): a sentence, its
spans (`INTV`, `OC`, `MEAS`), and relations from a measure to its group (`A1_RES`, `A2_RES`, …) and to its outcome
(`OC_RES`). A row is named in the words of the sentence, so that every sentence here names both subjects.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ingather.extraction.findings import Answer, Row, State
from ingather.extraction.ground.folding import fold_text
from ingather.extraction.proof.assess import assess_answers
from ingather.extraction.proof.figures import PrintedFigure, printed_figures
from ingather.extraction.template import load_builtin_template
from scores.pico import MARKED, Case, of_sentence
from scores.report import Report, Share

_ARM: Final = re.compile(r"A(\d)_RES")
_TARGETS: Final = {"honest": 0.90, "wrong": 0.01}


def score(folder: Path) -> Report:
    """How many honest numbers keep the mark, and how many wrong ones and numbers of the other arm get it."""
    files = sorted((folder / "relations").glob("*.jsonl"))
    if not files:
        raise FileNotFoundError("no .jsonl files below relations")
    template = load_builtin_template("rct")
    counts: dict[str, list[int]] = {}
    misses: list[str] = []
    for name, line in ((path.stem, line) for path in files for line in path.read_text(encoding="utf-8").splitlines()):
        data = json.loads(line)
        if data.get("answer") != "accept":
            continue
        text, rows, cases = cases_of(name, data)
        cases += [(f"swapped {side}", case) for side, case in _swapped(rows, cases)]
        answers = [
            Answer(field=case.field, row=case.row, state=State.REPORTED, value=case.value, quote=text)
            for _, case in cases
        ]
        for (kind, case), finding in zip(
            cases, assess_answers(template, [text], rows, answers, source="board"), strict=True
        ):
            is_marked = finding.verdict in MARKED
            for key in (kind, f"{kind}, {case.field}", f"{kind}, {name}"):
                right, of = counts.setdefault(key, [0, 0])
                counts[key] = [right + is_marked, of + 1]
            if is_marked is not case.is_honest:
                label = next(row.label for row in rows if row.key == case.row)
                misses.append(
                    f"{kind} {case.field} = {case.value} [{finding.verdict} {finding.reason}] {label}: {text}"
                )
    shares = [
        Share(name=key, right=right, of=of, target=_TARGETS.get(key, 0.0 if key.startswith("swapped") else None),
              at_most=not key.startswith("honest"))
        for key, (right, of) in sorted(counts.items())
    ]  # fmt: skip
    return Report(board="relations", shares=shares, misses=misses)


def cases_of(name: str, data: Mapping[str, Any]) -> tuple[str, list[Row], list[tuple[str, Case]]]:
    """The sentence as it was printed, its rows, and its numbers under their own question and under others'."""
    text, moved = _printed(data["text"])
    spans = {(one["start"], one["end"]): one["label"] for one in data["spans"]}
    arms: dict[str, str] = {}
    of_measure: dict[tuple[int, int], dict[str, str]] = {}
    for one in data["relations"]:
        head, child = one["head_span"], one["child_span"]
        measure, subject = (child, head) if child["label"] == "MEAS" else (head, child)
        if measure["label"] != "MEAS" or (measure["start"], measure["end"]) not in spans:
            continue
        label = text[moved[subject["start"]] : moved[subject["end"]]].strip()
        of_it = of_measure.setdefault((measure["start"], measure["end"]), {})
        if arm := _ARM.fullmatch(one["label"]):
            arms.setdefault(arm[1], label)
            of_it["arm"] = arm[1]
        elif one["label"] == "OC_RES":
            of_it["outcome"] = label
    rows = [Row(scope="arm", key=f"arm/{key}", label=label, parts={}) for key, label in arms.items()]
    outcomes = list(dict.fromkeys(one["outcome"] for one in of_measure.values() if "outcome" in one))
    rows += [Row(scope="outcome", key=f"outcome/{n}", label=label, parts={}) for n, label in enumerate(outcomes)]
    found = []
    for (start, end), of_it in of_measure.items():
        if set(of_it) != {"arm", "outcome"} or len(arms) < 2:
            continue
        key = f"result/{of_it['arm']}/{outcomes.index(of_it['outcome'])}"
        for field, value in _values(text, moved[start], moved[end]):
            found.append(Case(name=name, field=field, row=key, value=value, quote=text, is_honest=True,
                              names_both=True))  # fmt: skip
    rows += [
        Row(scope="arm_result", key=f"result/{arm}/{n}", label=f"{label}, {arms[arm]}",
            parts={"outcome": f"outcome/{n}", "arm": f"arm/{arm}"})
        for arm in arms for n, label in enumerate(outcomes)
    ]  # fmt: skip
    true = {(case.field, case.row, case.value) for case in found}
    cases = [one for case in found for one in of_sentence(case)]
    kept = [one for one in cases if one.is_honest or (one.field, one.row, one.value) not in true]
    return text, rows, [("honest" if one.is_honest else "wrong", one) for one in kept]


_NO_SPACE_BEFORE: Final = re.compile(r" (?=[.,;:)\]%](?:\s|$))|(?<=[(\[]) | (?=%)|(?<=\d) (?=/ \d)|(?<=\d /) (?=\d)")


def _printed(text: str) -> tuple[str, list[int]]:
    """The sentence without the spaces that cutting it into tokens left, and where each of its characters went."""
    dropped = {found.start() for found in _NO_SPACE_BEFORE.finditer(text)}
    moved: list[int] = []
    kept: list[str] = []
    for n, character in enumerate(text):
        moved.append(len(kept))
        if n not in dropped:
            kept.append(character)
    return "".join(kept), [*moved, len(kept)]


def _values(text: str, start: int, end: int) -> Iterator[tuple[str, float | int]]:
    """What a marked measure says, as far as its own characters or the words before it name the quantity."""
    folded = fold_text(text)
    before = folded.text[: next((n for n, at in enumerate(folded.origin) if at >= start), 0)]
    here = [one for one in printed_figures(folded.text) if not one.is_name and start <= folded.origin[one.start] < end]
    here = [one for one in here if not one.edge and not re.match(r" ?(?:ci|confidence)", folded.text[one.end :])]
    if not here:
        return
    share = next((one for one in here if one.is_percent), None)
    if share is not None and not re.search(r"(?<![a-z])(?:mean|median|reduction|increase|decrease)", before):
        yield "r_pct", float(share.value)
    first = here[0]
    if _is_whole(first, folded.text) and (share is not None and share is not first):
        yield "r_events", int(first.value)
    if share is None and re.search(r"\u00b1", text[start:end]):
        yield "r_mean", float(first.value)
    elif share is None and len(here) == 1:
        named_kinds = set(re.findall(r"(?<![a-z])(mean|median)s?(?![a-z])", before))
        if len(named_kinds) == 1:
            yield f"r_{named_kinds.pop()}", float(first.value)


def _is_whole(figure: PrintedFigure, text: str) -> bool:
    return not figure.is_percent and "." not in text[figure.start : figure.end] and figure.value == int(figure.value)


def _swapped(rows: list[Row], cases: list[tuple[str, Case]]) -> Iterator[tuple[str, Case]]:
    """Every honest number under the other arm, and under the other outcomes of the sentence."""
    honest = [case for kind, case in cases if kind == "honest"]
    true = {(case.field, case.row, case.value) for case in honest}
    for case in honest:
        _, arm, outcome = case.row.split("/")
        for row in rows:
            if row.scope != "arm_result" or (case.field, row.key, case.value) in true:
                continue
            _, other_arm, other_outcome = row.key.split("/")
            if (other_arm == arm) != (other_outcome == outcome):
                kind = "outcome" if other_arm == arm else "arms"
                yield kind, replace(case, row=row.key, is_honest=False)
