"""What the server says is also said in Chinese, and what is put into Chinese is still said."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.test_notices import notices

ROOT = Path(__file__).resolve().parents[1]
SERVER = ROOT / "src" / "ingather"
WORDS = ROOT / "ui" / "src" / "words"

PAIR = re.compile(r'\ben: ("(?:[^"\\]|\\.)*"),\s*zh: ("(?:[^"\\]|\\.)*")')
PLACE = re.compile(r"\{(\w+)\}")
SOMETHING = "\0"

# Where whoever works with the pages meets every sentence.
MET = (
    "extraction/conversation/answers.py",
    "extraction/proof/assess.py",
    "extraction/judgements/checks.py",
    "extraction/conversation/desk.py",
    "extraction/conversation/interview.py",
    "extraction/judgements/judgements.py",
    "extraction/limits.py",
    "extraction/conversation/merging.py",
    "extraction/tasks/pipeline.py",
    "extraction/provider/classify.py",
    "extraction/tasks/results.py",
    "extraction/reviewing/reviewing.py",
    "extraction/rules/declarations.py",
    "extraction/rules/extract.py",
    "extraction/rules/hits.py",
    "extraction/rules/quality.py",
    "extraction/template/dates.py",
    "extraction/template/numbers.py",
    "extraction/template/values.py",
    "library/documents.py",
    "library/parse/formats.py",
    "library/parse/jail.py",
    "library/parse/streams.py",
    "web/access.py",
    "web/routes/models.py",
)
# What only a model is told, what only other programs meet, and what has a pair for each thing there may be none of.
NOT_SHOWN = (
    "It was cut off before its end. Keep every quote short.",
    f"`{SOMETHING}` must be a list.",
    "Every entry of ",
    "There is no question ",
    f"There is no {SOMETHING} ",
    "A value goes with `edited` only.",
    "A page holds 1 to ",
    "`after` takes ",
)


@cache
def pairs() -> list[tuple[str, str]]:
    source = (WORDS / "server.ts").read_text("utf-8")
    found = [(json.loads(en), json.loads(zh)) for en, zh in PAIR.findall(source)]
    assert len(found) == len(re.findall(r'\ben: "', source)), "a pair is written in another way than the others"
    return found


def strings(path: Path) -> Iterator[str]:
    """The texts of a module, with a sign for each place, docstrings left out."""
    tree = ast.parse(path.read_text("utf-8"))
    inside = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and node not in inside - {node}:
            yield "".join(map(told, node.values))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside | prose:
            yield node.value


def told(part: ast.expr) -> str:
    """A piece of an f-string. What is shown by `repr` stands in quotes."""
    if isinstance(part, ast.FormattedValue):
        return f"'{SOMETHING}'" if part.conversion == ord("r") else SOMETHING
    return str(ast.literal_eval(part))


@cache
def said() -> str:
    return "\n".join(text for path in sorted(SERVER.rglob("*.py")) for text in strings(path))


def test_every_sentence_that_is_put_into_chinese_is_still_said() -> None:
    parts = [part for en, _ in pairs() for part in PLACE.split(en)[::2]]
    assert [part for part in parts if part not in said()] == []


def test_both_languages_have_the_same_places() -> None:
    assert [en for en, zh in pairs() if set(PLACE.findall(en)) != set(PLACE.findall(zh))] == []


def test_nothing_is_put_into_chinese_twice() -> None:
    english = [en for en, _ in pairs()]
    assert [en for en in english if english.count(en) > 1] == []
    elsewhere = (WORDS / "zh.ts").read_text("utf-8")
    assert [zh for _, zh in pairs() if zh.endswith("。") and json.dumps(zh, ensure_ascii=False) in elsewhere] == []


@pytest.mark.parametrize("module", MET)
def test_every_sentence_that_readers_meet_is_put_into_chinese(module: str) -> None:
    sentences = [text for text in strings(SERVER / module) if re.search(r"\w \w.*[.?]$", text)]
    # What is a notice has its Chinese by its id, which `test_notices.py` sees to.
    ours = [text for text in sentences if text not in notices().values()]
    shown = [text.strip() for text in ours if not text.startswith(NOT_SHOWN)]
    # What begins with a place may follow another sentence, which is looked up by itself.
    assert [text for text in shown if not (is_known(text) or is_known(text.removeprefix(SOMETHING + " ")))] == []


def is_known(sentence: str) -> bool:
    """As the pages look it up: one pair, or one after the other."""
    ends = [end.start() + 1 for end in re.finditer(r"[.?)] ", sentence)]
    return any(pattern.fullmatch(sentence) for pattern in patterns()) or any(
        is_known(sentence[:end]) and is_known(sentence[end + 1 :]) for end in ends
    )


@cache
def patterns() -> list[re.Pattern[str]]:
    ours = (PLACE.split(en)[::2] for en, _ in pairs())
    # A pair that is all place would take everything.
    return [re.compile(".*?".join(map(re.escape, parts)), re.DOTALL) for parts in ours if len("".join(parts)) > 2]
