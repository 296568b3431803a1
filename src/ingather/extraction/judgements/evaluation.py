"""What an expression of the checks says of one row: true, false, or nothing where an answer is missing."""

import ast
import math
import re
from calendar import monthrange
from collections.abc import Iterable
from decimal import Decimal
from typing import Protocol

from ingather.extraction.template.expressions import Expression

Read = float | str | bool


class Missing(Exception):
    """An answer that the expression needs is not there, or is no number."""


class AnswerReader(Protocol):
    """The answers as one row sees them. Each raises Missing where there is none."""

    def here(self, field: str) -> float | str: ...

    def total(self, field: str) -> float: ...

    def of_arm(self, position: int, field: str) -> float | str: ...

    def other(self, field: str) -> float | str: ...

    def others(self) -> Iterable["AnswerReader"]: ...


def evaluate(expression: Expression, reader: AnswerReader) -> bool | None:
    """Whether the expression holds; None where an answer is missing or the arithmetic has no answer. Never raises."""
    try:
        return bool(_evaluate_node(expression.tree, reader))
    except (Missing, ArithmeticError, ValueError):
        return None


def _evaluate_node(node: ast.expr, reader: AnswerReader) -> Read:
    """Both sides of `and` and `or` are always read: a rule with a missing answer says nothing."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return reader.here(name)
        case ast.Attribute(attr=name):
            return reader.other(name)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _evaluate_node(operand, reader)
        case ast.UnaryOp(operand=operand):
            return -_evaluate_node_as_number(operand, reader)
        case ast.BinOp(left=left, op=op, right=right):
            return _evaluate_arithmetic(
                op, _evaluate_node_as_number(left, reader), _evaluate_node_as_number(right, reader)
            )
        case ast.BoolOp(op=op, values=values):
            truths = [bool(_evaluate_node(value, reader)) for value in values]
            return all(truths) if isinstance(op, ast.And) else any(truths)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            sides = [left, *comparators]
            return all([_evaluate_comparison(ops[i], sides[i], sides[i + 1], reader) for i in range(len(ops))])  # noqa: C419
        case ast.Call(func=ast.Name(id=function), args=args):
            return _evaluate_call(function, args, reader)
    raise Missing


def _evaluate_node_as_number(node: ast.expr, reader: AnswerReader) -> float:
    value = _evaluate_node(node, reader)
    if isinstance(value, str | bool) or not math.isfinite(value):
        raise Missing
    return value


def _evaluate_arithmetic(op: ast.operator, left: float, right: float) -> float:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
    return left / right


def _evaluates_to_same_number(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)


def _evaluate_comparison(op: ast.cmpop, left: ast.expr, right: ast.expr, reader: AnswerReader) -> bool:
    if isinstance(op, ast.In | ast.NotIn):
        listed = [e.value for e in right.elts if isinstance(e, ast.Constant)] if isinstance(right, ast.Tuple) else []
        return (_evaluate_node(left, reader) in listed) == isinstance(op, ast.In)
    if isinstance(op, ast.Eq | ast.NotEq):
        one, two = _evaluate_node(left, reader), _evaluate_node(right, reader)
        if isinstance(one, str) or isinstance(two, str):
            return (one == two) == isinstance(op, ast.Eq)
    one, two = _evaluate_node_as_number(left, reader), _evaluate_node_as_number(right, reader)
    match op:
        case ast.Eq():
            return _evaluates_to_same_number(one, two)
        case ast.NotEq():
            return not _evaluates_to_same_number(one, two)
        case ast.LtE():
            return one < two or _evaluates_to_same_number(one, two)
        case ast.GtE():
            return one > two or _evaluates_to_same_number(one, two)
        case ast.Lt():
            return one < two and not _evaluates_to_same_number(one, two)
    return one > two and not _evaluates_to_same_number(one, two)


def _evaluate_call(function: str, args: list[ast.expr], reader: AnswerReader) -> Read:
    match function, args:
        case "sum", [ast.Name(id=name)]:
            return reader.total(name)
        case "first" | "second", [ast.Name(id=name)]:
            return reader.of_arm(0 if function == "first" else 1, name)
        case "any_other", [condition]:
            return any(_evaluate_condition(condition, other) for other in reader.others())
        case (("year" | "earliest" | "latest" | "p_low" | "p_high"), [named]):
            text = _evaluate_node(named, reader)
            if not isinstance(text, str):
                raise Missing
            if function.startswith("p_"):
                return evaluated_p_bounds(text)[0 if function == "p_low" else 1]
            first, last = evaluated_days(text)
            return first // 10_000 if function == "year" else first if function == "earliest" else last
    return _evaluate_function(function, [_evaluate_node_as_number(arg, reader) for arg in args])


def _evaluate_function(function: str, numbers: list[float]) -> Read:
    match function, numbers:
        case "abs", [number]:
            return abs(number)
        case "ln", [number]:
            return math.log(number)
        case "sqrt", [number]:
            return math.sqrt(number)
        case "step", [number]:
            return evaluation_step(number)
        case "near", [one, two, tolerance]:
            apart = abs(one - two)
            return apart < tolerance or _evaluates_to_same_number(apart, tolerance)
        case "min", _:
            return min(numbers)
        case "max", _:
            return max(numbers)
    raise Missing


def _evaluate_condition(condition: ast.expr, reader: AnswerReader) -> bool:
    try:
        return bool(_evaluate_node(condition, reader))
    except (Missing, ArithmeticError, ValueError):
        return False


def evaluation_step(number: float) -> float:
    """The last decimal place a number is given to: 0.1 for 7.2, 1 for 7, and for 7.0, whose zero is lost."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return float(10.0 ** min(0, exponent)) if isinstance(exponent, int) else 1.0


_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


def evaluated_days(date: str) -> tuple[int, int]:
    """The first and the last day a date may mean, as numbers such as 20190301."""
    found = _DATE.fullmatch(date)
    if not found:
        raise Missing
    year, month, day = (int(part) if part else 0 for part in found.groups())
    if year < 1 or month > 12:
        raise Missing
    last_month = month or 12
    last_day = day or monthrange(year, last_month)[1]
    return year * 10_000 + (month or 1) * 100 + (day or 1), year * 10_000 + last_month * 100 + last_day


_P = re.compile(r"(?:p(?:[ -]?values?)?\s*)?([<>=≤≥]?)\s*([0-9]*[.·][0-9]+|[01])", re.IGNORECASE)
_NOT_SIGNIFICANT = ("ns", "n.s.", "not significant", "p=ns", "p = ns")


def evaluated_p_bounds(printed: str) -> tuple[float, float]:
    """The least and the most a printed p value may mean: 0.05 was rounded, so it is from 0.045 to 0.055."""
    text = printed.strip().casefold()
    if text in _NOT_SIGNIFICANT:
        return 0.05, 1.0
    found = _P.fullmatch(text)
    if not found:
        raise Missing
    sign, digits = found[1], found[2].replace("·", ".")
    value, decimals = float(digits), len(digits.partition(".")[2])
    if value > 1:
        raise Missing
    if sign in {"<", "≤"}:
        return 0.0, value
    if sign in {">", "≥"}:
        return value, 1.0
    half = 0.5 * 10.0**-decimals if decimals else 0.0
    return max(0.0, value - half), min(1.0, value + half)
