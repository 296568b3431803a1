"""Whatever comes in: payloads, results and names made up by a machine meet the codec and a real database."""

from contextlib import suppress
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingather.engine.codec import BadPayload, BadResult, decode, decode_payload, encode_payload, encode_result
from ingather.engine.errors import PayloadRefused
from ingather.names import NAME

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary(max_size=3)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()) | st.integers(), inner, max_size=4)
    ),
    max_leaves=12,
)
ON_A_DATABASE = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _stored(db: psycopg.Connection, line: bytes) -> str:
    return str(db.execute("select %s::jsonb::text", [line.decode()]).fetchone()[0])  # type: ignore[index]


def _as_numbers(value: Any) -> Any:
    """PostgreSQL writes a float of 17 digits out as a whole number: the same float, when read as one."""
    if isinstance(value, dict):
        return {key: _as_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_numbers(inner) for inner in value]
    return float(value) if isinstance(value, int) and abs(value) > 2**53 else value


@ON_A_DATABASE
@given(value=ANYTHING)
def test_a_payload_is_refused_or_comes_back_as_it_went_in(db: psycopg.Connection, value: Any) -> None:
    try:
        line = encode_payload(value, max_bytes=65_536)
    except PayloadRefused:
        return
    assert b"\n" not in line
    assert _as_numbers(decode_payload(_stored(db, line))) == _as_numbers(decode(line))


@ON_A_DATABASE
@given(value=ANYTHING)
def test_a_result_is_stored_or_rejected_for_good(db: psycopg.Connection, value: Any) -> None:
    try:
        line = encode_result(value)
    except BadResult:
        return
    assert b"\n" not in line
    _stored(db, line)


@given(line=st.text())
def test_a_stored_payload_is_read_or_called_bad(line: str) -> None:
    with suppress(BadPayload):
        decode_payload(line)


@ON_A_DATABASE
@given(name=st.text(max_size=80) | st.from_regex(r"[a-z][a-z0-9_]{0,70}", fullmatch=True))
def test_a_name_is_judged_alike_here_and_in_the_database(db: psycopg.Connection, name: str) -> None:
    if "\0" in name or any("\ud800" <= character <= "\udfff" for character in name):
        assert not NAME.fullmatch(name)
        return
    if NAME.fullmatch(name):
        db.execute("insert into ingather.queue (name) values (%s) on conflict do nothing", [name])
    else:
        with pytest.raises(psycopg.errors.CheckViolation):
            db.execute("insert into ingather.queue (name) values (%s)", [name])
