"""The small language of checks on the answers of a row. `ast` parses an expression and never evaluates it.

An expression compares numbers, texts and dates that fields hold:

    r_events <= r_n
    abs(r_pct - 100 * r_events / r_n) <= 0.6
    sum(arm_n_randomised) == n_randomised
    c_measure in ('RR', 'OR') and c_ci_level == 95

It has no loops, no powers and no assignment, is at most 500 characters long,
and knows the functions in `FUNCTIONS` and no others. Numbers are floats, and
two that differ by a billionth are equal, so that 0.1 + 0.2 is 0.3.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

# Characters and nodes of an expression. They bound the work of a template that somebody uploads; the largest check of
# our own has 129 characters and 52 nodes.
LONGEST: Final = 500
MOST_NODES: Final = 120
CHARACTERS: Final = re.compile(r"[A-Za-z0-9_ .,()'<>=!+*/-]*")

GLUED: Final = re.compile(
    r"(?<![A-Za-z0-9_'])[0-9][0-9.]*[A-Za-z_]"
)  # 1and, 0x10: `ast` would warn, or read it its way


class ExpressionError(ValueError):
    """An expression that cannot be read. The message is a part of a sentence: `is longer than ...`."""


class ValueKind(StrEnum):
    """What an expression, or a part of it, stands for."""

    NUMBER = "a number"
    TEXT = "a text"
    DATE = "a date"
    TRUTH = "true or false"


class How(StrEnum):
    """Where the rows are found whose answer is meant."""

    HERE = "here"  # this row, or the arm, outcome or study it belongs to
    SUM = "sum"  # every row of the field's scope that belongs to this row
    ARM = "arm"  # the result of the first or second arm of this contrast
    OTHER = "other"  # another row of this scope and outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One field that an expression needs."""

    field: str
    how: How


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A text that was read and found harmless."""

    text: str
    tree: ast.expr
    uses: tuple[Use, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields it names, each once, in the order of the text."""
        return tuple(dict.fromkeys(use.field for use in self.uses))


# Each function with what it takes and gives. `None` means that it gives the same as its argument.
FUNCTIONS: Final[Mapping[str, tuple[tuple[ValueKind, ...], ValueKind | None]]] = {
    "abs": ((ValueKind.NUMBER,), ValueKind.NUMBER),
    "ln": ((ValueKind.NUMBER,), ValueKind.NUMBER),
    "sqrt": ((ValueKind.NUMBER,), ValueKind.NUMBER),
    "step": ((ValueKind.NUMBER,), ValueKind.NUMBER),  # the last decimal place of a number: 0.1 for 7.2
    "min": ((ValueKind.NUMBER, ValueKind.NUMBER), ValueKind.NUMBER),
    "max": ((ValueKind.NUMBER, ValueKind.NUMBER), ValueKind.NUMBER),
    "near": (
        (ValueKind.NUMBER, ValueKind.NUMBER, ValueKind.NUMBER),
        ValueKind.TRUTH,
    ),  # the first two differ by the third at most
    "year": ((ValueKind.DATE,), ValueKind.NUMBER),
    "earliest": ((ValueKind.DATE,), ValueKind.NUMBER),  # the first day that a date such as 2019-03 may mean
    "latest": ((ValueKind.DATE,), ValueKind.NUMBER),  # the last one
    "p_low": ((ValueKind.TEXT,), ValueKind.NUMBER),  # the least that a printed p value may mean: 0.045 for 0.05
    "p_high": ((ValueKind.TEXT,), ValueKind.NUMBER),  # the most
    "sum": ((ValueKind.NUMBER,), ValueKind.NUMBER),
    "first": ((), None),
    "second": ((), None),
    "any_other": ((ValueKind.TRUTH,), ValueKind.TRUTH),
}
OF_FIELDS: Final = {"sum": How.SUM, "first": How.ARM, "second": How.ARM}
READS_TEXT: Final = ("year", "earliest", "latest", "p_low", "p_high")


@lru_cache(maxsize=2048)
def parse_expression(text: str) -> Expression:
    """Read an expression. Raises ExpressionError; what it returns is bounded in size and made of known parts only."""
    if len(text) > LONGEST:
        raise ExpressionError(f"is longer than {LONGEST} characters")
    if not CHARACTERS.fullmatch(text) or GLUED.search(text):
        raise ExpressionError("holds a character or a number that expressions do not know")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise ExpressionError("cannot be read; see the examples in docs/templates.md") from problem
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise ExpressionError("is too long; split it into two checks")
    uses: list[Use] = []
    _collect_from_expression(tree, uses, inside_other=False)
    return Expression(text=text, tree=tree, uses=tuple(uses))


def _collect_from_expression(node: ast.expr, uses: list[Use], *, inside_other: bool) -> None:  # noqa: PLR0912  one case per part
    """Refuse every part that is not of the language, and note the fields."""
    match node:
        case ast.Constant(value=str()):
            pass
        case ast.Constant(value=bool()):
            raise ExpressionError("uses True or False; compare a field instead")
        case ast.Constant(value=int() | float() as number):
            if not -1e15 <= number <= 1e15:
                raise ExpressionError("holds a number that is too big")
        case ast.Name(id=name):
            uses.append(Use(field=name, how=How.HERE))
        case ast.Attribute(value=ast.Name(id="other"), attr=name) if inside_other:
            uses.append(Use(field=name, how=How.OTHER))
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            _collect_from_expression(operand, uses, inside_other=inside_other)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            _collect_from_expression(left, uses, inside_other=inside_other)
            _collect_from_expression(right, uses, inside_other=inside_other)
        case ast.BoolOp(values=values):
            for value in values:
                _collect_from_expression(value, uses, inside_other=inside_other)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            _collect_from_expression(left, uses, inside_other=inside_other)
            for op, comparator in zip(ops, comparators, strict=True):
                _collect_compared_in_expression(op, comparator, uses, inside_other=inside_other)
        case ast.Call(func=ast.Name(id=function), args=args, keywords=[]) if function in FUNCTIONS:
            _collect_call_in_expression(function, args, uses, inside_other=inside_other)
        case ast.Call():
            raise ExpressionError(f"calls a function that is none of {', '.join(FUNCTIONS)}")
        case _:
            raise ExpressionError("holds something other than fields, numbers, comparisons and known functions")


def _collect_compared_in_expression(
    op: ast.cmpop, comparator: ast.expr, uses: list[Use], *, inside_other: bool
) -> None:
    match op, comparator:
        case ast.In() | ast.NotIn(), ast.Tuple(elts=elements) if elements:
            if not all(isinstance(element, ast.Constant) and isinstance(element.value, str) for element in elements):
                raise ExpressionError("has a list after `in` that holds something other than texts in quotes")
        case ast.In() | ast.NotIn(), _:
            raise ExpressionError("needs a list such as ('RR', 'OR') after `in`")
        case ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() | ast.Eq() | ast.NotEq(), _:
            _collect_from_expression(comparator, uses, inside_other=inside_other)
        case _:
            raise ExpressionError("compares with something other than < <= == != >= > and in")


def _collect_call_in_expression(function: str, args: list[ast.expr], uses: list[Use], *, inside_other: bool) -> None:
    takes = max(1, len(FUNCTIONS[function][0]))
    if len(args) != takes:
        raise ExpressionError(f"gives {function} {len(args)} arguments; it takes {takes}")
    if how := OF_FIELDS.get(function):
        match args:
            case [ast.Name(id=name)]:
                uses.append(Use(field=name, how=how))
            case _:
                raise ExpressionError(f"gives {function} something other than the name of a field")
        return
    if function == "any_other" and inside_other:
        raise ExpressionError("has any_other within any_other")
    if function in READS_TEXT and not isinstance(args[0], ast.Name | ast.Attribute):
        raise ExpressionError(f"gives {function} something other than the name of a field")
    for arg in args:
        _collect_from_expression(arg, uses, inside_other=inside_other or function == "any_other")


def kind_of_expression(expression: Expression, fields: Mapping[str, ValueKind]) -> ValueKind:
    """What the expression stands for, given what its fields hold. Raises ExpressionError where kinds do not fit."""
    return _kind_of_expression_node(expression.tree, fields)


def _kind_of_expression_node(node: ast.expr, fields: Mapping[str, ValueKind]) -> ValueKind:
    match node:
        case ast.Constant(value=value):
            return ValueKind.TEXT if isinstance(value, str) else ValueKind.NUMBER
        case ast.Name(id=name) | ast.Attribute(attr=name):
            if name not in fields:
                raise ExpressionError(f"names {name}, which no check can use")
            return fields[name]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _need_kind_in_expression(operand, fields, ValueKind.TRUTH)
        case ast.UnaryOp(operand=operand):
            return _need_kind_in_expression(operand, fields, ValueKind.NUMBER)
        case ast.BinOp(left=left, right=right):
            _need_kind_in_expression(left, fields, ValueKind.NUMBER)
            return _need_kind_in_expression(right, fields, ValueKind.NUMBER)
        case ast.BoolOp(values=values):
            for part in values:
                _need_kind_in_expression(part, fields, ValueKind.TRUTH)
            return ValueKind.TRUTH
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            _kinds_compared_in_expression(left, ops, comparators, fields)
            return ValueKind.TRUTH
        case ast.Call(func=ast.Name(id=function), args=args):
            takes, gives = FUNCTIONS[function]
            for arg, wanted in zip(args, takes, strict=False):
                _need_kind_in_expression(arg, fields, wanted)
            return gives or _kind_of_expression_node(args[0], fields)
    raise ExpressionError("cannot be read")  # unreachable for what `parse_expression` returned


def _need_kind_in_expression(node: ast.expr, fields: Mapping[str, ValueKind], wanted: ValueKind) -> ValueKind:
    if (found := _kind_of_expression_node(node, fields)) != wanted:
        raise ExpressionError(f"has {found} in `{ast.unparse(node)}` where {wanted} is needed")
    return wanted


def _kinds_compared_in_expression(
    left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr], fields: Mapping[str, ValueKind]
) -> None:
    for op, right in zip(ops, comparators, strict=True):
        if isinstance(op, ast.In | ast.NotIn):
            _need_kind_in_expression(left, fields, ValueKind.TEXT)
        elif isinstance(op, ast.Eq | ast.NotEq) and _kind_of_expression_node(left, fields) == ValueKind.TEXT:
            _need_kind_in_expression(right, fields, ValueKind.TEXT)
        else:
            _need_kind_in_expression(left, fields, ValueKind.NUMBER)
            _need_kind_in_expression(right, fields, ValueKind.NUMBER)
        left = right
