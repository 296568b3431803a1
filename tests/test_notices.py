"""Notices: every sentence for people has an id and parameters, and a text in every language of the pages."""

import ast
import copy
import json
import pickle
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import orjson
import pytest

from ingather.engine.errors import Reject, UsageError
from ingather.engine.verdict import describe_raised
from ingather.notice import Notice, edited, error_notice, joined, notice, notice_from_json, notice_to_json
from tests.sources import parsed

ROOT = Path(__file__).resolve().parents[1]
SERVER = ROOT / "src" / "ingather"
CHINESE = ROOT / "ui" / "src" / "texts" / "notices.ts"

PLACE = re.compile(r"\{(\w+)\}")
ENTRY = re.compile(r'^  ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),$', re.MULTILINE)
# Written by a statement: PostgreSQL stores the error of a cancelled item without a round trip.
IN_SQL = {"engine.cancelled": "cancelled before it ended"}

SOMETHING = "\0"
# Modules whose sentences reach the readers of the pages: each sentence in them is a notice.
FOR_READERS = (
    "extraction/analysis/comparisons.py",
    "extraction/analysis/conversions.py",
    "extraction/analysis/effects.py",
    "extraction/analysis/groups.py",
    "extraction/conversation/answers.py",
    "extraction/conversation/desk.py",
    "extraction/conversation/interview.py",
    "extraction/conversation/merging.py",
    "extraction/judgements/checks.py",
    "extraction/judgements/judgements.py",
    "extraction/arguments.py",
    "extraction/proof/assess.py",
    "extraction/provider/classify.py",
    "extraction/reviewing/deciding.py",
    "extraction/rules/declarations.py",
    "extraction/rules/extract.py",
    "extraction/rules/hits.py",
    "extraction/rules/quality.py",
    "extraction/tasks/pipeline.py",
    "extraction/tasks/stored_result.py",
    "extraction/template/dates.py",
    "extraction/template/number_values.py",
    "extraction/template/values.py",
    "library/documents.py",
    "library/parse/formats.py",
    "library/parse/jail.py",
    "library/parse/streams.py",
    "web/access.py",
    "web/routes/models.py",
)
# Read by a model, or by programs that call with wrong arguments.
NOT_FOR_READERS = (
    "extraction/analysis/comparisons.py",
    "extraction/analysis/conversions.py",
    "extraction/analysis/effects.py",
    "extraction/analysis/groups.py",
    "It was cut off before its end. Keep every quote short.",
    f"`{SOMETHING}` must be a list.",
    "Every entry of ",
    "There is no question ",
    f"There is no {SOMETHING} ",
    "A value goes with `edited` only.",
    "A page holds 1 to ",
    "`after` takes ",
    "An idempotency key is ",
)


@cache
def calls() -> list[ast.Call]:
    return [
        node
        for path in sorted(SERVER.rglob("*.py"))
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "notice"
    ]


@cache
def notices() -> dict[str, str]:
    return IN_SQL | {ast.literal_eval(call.args[0]): ast.literal_eval(call.args[1]) for call in calls()}


@cache
def chinese() -> dict[str, str]:
    source = CHINESE.read_text("utf-8")
    found = {json.loads(key): json.loads(text) for key, text in ENTRY.findall(source)}
    assert len(found) == source.count('":'), "an entry is written in another way than the others, or twice"
    return found


def test_a_notice_is_written_out_where_it_is_made_and_an_id_has_one_text() -> None:
    texts: dict[str, set[str]] = {}
    for call in calls():
        key, english = map(ast.literal_eval, call.args)
        texts.setdefault(key, set()).add(english)
        assert {keyword.arg for keyword in call.keywords} == set(PLACE.findall(english)), key
    assert {key: text for key, text in texts.items() if len(text) > 1} == {}


def test_every_notice_has_a_text_in_chinese_and_every_text_its_notice() -> None:
    assert set(chinese()) == set(notices())


def test_a_notice_and_its_chinese_have_the_same_places() -> None:
    english = {key: set(PLACE.findall(text)) for key, text in notices().items()}
    assert {key: set(PLACE.findall(text)) for key, text in chinese().items()} == english


def texts(path: Path) -> Iterator[str]:
    """The texts of a module without its docstrings, with a sign for each place."""
    tree = parsed(path)
    inside = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and node not in inside - {node}:
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else SOMETHING for part in node.values)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside | prose:
            yield node.value


@pytest.mark.parametrize("module", FOR_READERS)
def test_every_sentence_that_readers_meet_is_a_notice(module: str) -> None:
    sentences = [text for text in texts(SERVER / module) if re.search(r"\w \w.*[.?]$", text)]
    known = set(notices().values())
    assert [text for text in sentences if text not in known and not text.startswith(NOT_FOR_READERS)] == []


SAMPLE = notice(
    "sample.scope", "{name} has {count} rows.", name=notice("sample.field", "The field {id}", id="'n'"), count=3
)


def test_a_notice_is_its_english_sentence() -> None:
    assert SAMPLE == "The field 'n' has 3 rows."
    assert orjson.dumps({"message": SAMPLE}) == b'{"message":"The field \'n\' has 3 rows."}'


def test_a_notice_survives_json_a_pickle_a_copy_and_an_exception() -> None:
    stored = orjson.loads(orjson.dumps(notice_to_json(SAMPLE)))
    for back in (
        notice_from_json(stored),
        pickle.loads(pickle.dumps(SAMPLE)),
        copy.deepcopy(SAMPLE),
        str(UsageError(SAMPLE)),
    ):
        assert isinstance(back, Notice)
        assert notice_to_json(back) == notice_to_json(SAMPLE)


def test_a_sentence_of_somebody_else_has_an_empty_id_and_no_sentence_is_nothing() -> None:
    assert notice_to_json("Quota exceeded.") == {"id": "", "params": {}, "message": "Quota exceeded."}
    assert notice_from_json(notice_to_json("Quota exceeded.")) == "Quota exceeded."
    assert notice_to_json("") is None
    assert notice_from_json(None) == ""


def test_two_notices_are_one_with_both_inside() -> None:
    both = joined(SAMPLE, SAMPLE)
    assert both == f"{SAMPLE} {SAMPLE}"
    assert notice_to_json(both) == {
        "id": "joined",
        "params": {"first": notice_to_json(SAMPLE), "rest": notice_to_json(SAMPLE)},
        "message": both,
    }
    assert joined("", SAMPLE) is SAMPLE
    assert joined(SAMPLE, "") is SAMPLE


def test_the_stored_error_of_an_item_gives_its_notice_back() -> None:
    error = orjson.loads(orjson.dumps(describe_raised(Reject(SAMPLE), "rejected")))
    assert error["message"] == SAMPLE
    assert notice_to_json(error_notice(error)) == notice_to_json(SAMPLE)


def test_an_error_that_must_be_cut_is_no_longer_that_of_its_id() -> None:
    long = notice("sample.long", "{text}", text="x" * 5_000)
    assert "notice" not in describe_raised(Reject(long), "rejected")


def test_what_is_edited_is_edited_in_its_parameters_too() -> None:
    after = edited(SAMPLE, lambda text: text.replace("'", ""))
    assert after == "The field n has 3 rows."
    assert isinstance(after, Notice)
    assert notice_to_json(after.params["name"])["params"] == {"id": "n"}  # type: ignore[index,arg-type]
