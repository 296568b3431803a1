"""The language and the shape of the source: names say the thing, numbers have a reason, and nothing is long."""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.sources import parsed

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "ingather"

# Everything else that is ours and in Python: tests, benchmarks, scores, tools, examples.
BESIDE = ("tests", "bench", "scores", "tools", "examples", "ui")

# A name made of one of these says that somebody spoke, and not what the value is.
VAGUE = {"told", "asked", "said", "heard", "wish", "wishes", "word", "words"}
LONGEST_MODULE = 350
LONGEST_FUNCTION = 45


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package, by its path below it."""
    paths = (path for path in sorted(SOURCE.rglob("*.py")) if "pages" not in path.parts)
    return {path.relative_to(SOURCE).as_posix(): parsed(path) for path in paths}


def held() -> list[str]:
    return list(modules())


@cache
def beside() -> dict[str, ast.Module]:
    """Every module that is not in the package, by its path in the repository."""
    found = [ROOT / "dev.py", ROOT / "hatch_build.py"]
    found += [path for folder in BESIDE for path in sorted((ROOT / folder).rglob("*.py"))]
    ours = (path for path in found if "node_modules" not in path.parts)
    return {path.relative_to(ROOT).as_posix(): parsed(path) for path in ours}


# The name of a group in a regular expression is read by name, too.
GROUP = re.compile(r"\(\?P<(\w+)>")


def names_made_in(tree: ast.Module) -> Iterator[str]:
    """The names that a module makes: of functions, classes, parameters, variables, fields, captures and groups."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.Constant(value=str(text)):
                yield from GROUP.findall(text)


def parts(name: str) -> list[str]:
    """The words of a name in any of its spellings: `has_word`, `HasWord`, `HAS_WORD`."""
    return [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


@pytest.mark.parametrize("module", held())
def test_a_name_says_the_thing_and_not_that_somebody_spoke(module: str) -> None:
    assert sorted({name for name in names_made_in(modules()[module]) if VAGUE & set(parts(name))}) == []


@pytest.mark.parametrize("module", sorted(beside()))
def test_a_name_in_tests_and_tools_says_the_thing_too(module: str) -> None:
    """Names of tests are sentences, and sentences have words of every kind."""
    names = {name for name in names_made_in(beside()[module]) if not name.startswith("test_")}
    assert sorted(name for name in names if VAGUE & set(parts(name))) == []


@pytest.mark.parametrize(
    "source",
    [
        "told = 1",
        "def a(asked_twice): ...",
        "class HasHeard: ...",
        "for x, (said, y) in z: ...",
        "with a as wish: ...",
        "try: ...\nexcept E as told: ...",
        "match a:\n    case {**words}: ...",
        "match a:\n    case [1, *said]: ...",
        "match a:\n    case B() as heard: ...",
        "if (word := 1): ...",
        "import a as words",
        "a.told = 1",
        "[word for word in a]",
        "lambda asked: 1",
        "p = r'(?P" + "<word>x)'",
        "p = rf'{a}(?P" + "<last_word>x)'",
    ],
)
def test_a_vague_name_is_found_wherever_it_is_made(source: str) -> None:
    assert [name for name in names_made_in(ast.parse(source)) if VAGUE & set(parts(name))]


def test_no_file_is_named_after_somebody_who_spoke() -> None:
    paths = [*modules(), *beside()]
    named = {path for path in paths if not path.startswith("tests/") or not Path(path).stem.startswith("test_")}
    assert sorted(path for path in named if any(VAGUE & set(parts(part)) for part in Path(path).parts)) == []


# A comment that begins with one of these is half a sentence: "Of threads." says something only to its writer.
HALF_SENTENCE = re.compile(r"(?:Of|By|What|Whoever|Whose)\b")


def comments_of(text: str) -> Iterator[str]:
    """The comments of a module, one for lines below each other."""
    last = -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                yield token.string.lstrip("# ")
            last = token.start[0]


@pytest.mark.parametrize("path", [*held(), *sorted(beside())])
def test_a_comment_is_a_sentence_with_a_subject(path: str) -> None:
    text = (SOURCE / path if path in modules() else ROOT / path).read_text("utf-8")
    assert [comment for comment in comments_of(text) if HALF_SENTENCE.match(comment)] == []


def test_a_class_name_has_one_meaning() -> None:
    places = defaultdict(list)
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert twice == {}


def is_number(node: ast.expr | None) -> bool:
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.Tuple(elts=elements):
            return bool(elements) and all(map(is_number, elements))
        case ast.Call(func=ast.Name(id="timedelta" | "Decimal")):
            return True
    return False


def unexplained_numbers(module: str) -> list[str]:
    """The numeric constants without a comment: beside them, or above the lines that they stand in without a gap."""
    lines = (SOURCE / module).read_text("utf-8").splitlines()
    found = []
    for node in modules()[module].body:
        if not (isinstance(node, ast.Assign | ast.AnnAssign) and is_number(node.value)):
            continue
        above = node.lineno - 2
        while above >= 0 and lines[above].strip() and not lines[above].startswith("#"):
            above -= 1
        if "  # " not in lines[node.lineno - 1] and not (above >= 0 and lines[above].startswith("#")):
            found.append(lines[node.lineno - 1])
    return found


@pytest.mark.parametrize("module", held())
def test_every_number_has_its_reason_beside_it(module: str) -> None:
    assert unexplained_numbers(module) == []


@pytest.mark.parametrize("module", held())
def test_a_module_fits_on_a_few_screens(module: str) -> None:
    assert len((SOURCE / module).read_text("utf-8").splitlines()) < LONGEST_MODULE


@pytest.mark.parametrize("module", held())
def test_a_function_fits_in_one_glance(module: str) -> None:
    functions = (
        node for node in ast.walk(modules()[module]) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    long = {node.name: node.end_lineno - node.lineno + 1 for node in functions if node.end_lineno}
    assert {name: lines for name, lines in long.items() if lines >= LONGEST_FUNCTION} == {}
