"""Cron expressions: what is refused, what fires, and what daylight saving does to it."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingather.engine.cron import CatchUp, Cron, Due, due_firings_of_cron
from ingather.engine.errors import UsageError


def at(text: str) -> datetime:
    """`26-10-25 00:30` as an instant; with an offset at its end, as the wall clock of that offset."""
    return datetime.fromisoformat(f"20{text}" if text[-6] in "+-" else f"20{text}+00:00").astimezone(UTC)


def walls(instants: Iterable[datetime], tz: str) -> list[str]:
    """Day, time and offset, as a clock in `tz` shows them."""
    return [instant.astimezone(ZoneInfo(tz)).strftime("%d %H:%M:%S %z") for instant in instants]


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("", "is empty"),
        (" \t\n", "is empty"),
        ("* * * *", "has 4 fields, not 5: minute hour day-of-month month day-of-week"),
        ("@daily", "has '@' in it"),
        ("* * * * * * *", "has 7 fields, not 5"),
        ("0 5 3 * * *", "has six fields; seconds come first and need seconds=True"),
        ("60 * * * *", "'60' is no minute; it takes 0-59"),
        ("* 24 * * *", "'24' is no hour; it takes 0-23"),
        ("* * 0 * *", "'0' is no day-of-month; it takes 1-31"),
        ("* * * 13 *", "'13' is no month; it takes 1-12"),
        ("* * * * 8", "'8' is no day-of-week; it takes 0-7"),
        ("* * * * FRI-MON", "ranges from low to high"),
        ("-1 * * * *", "'-1' is no minute"),
        ("1,,2 * * * *", "'1,,2' is no minute"),
        ("*/0 * * * *", "'*/0' is no minute"),
        ("1/2/3 * * * *", "'1/2/3' is no minute"),
        ("*/90 * * * *", "step /90 means nothing in minute '*/90', which has 60 values"),
        ("0 0 L/2 * *", "step /2 means nothing in day-of-month 'L/2'"),
        ("0 0 ? * *", "has '?' in it"),
        ("0 3 * * \0", r"has '\x00' in it"),
        ("0 3 * * \ud800", r"has '\ud800' in it"),
        ("٣ 3 * * *", "has '٣' in it"),
        ("0\u00a03 * * *", r"has '\xa0' in it"),
        ("drop the tables right now", "'drop' is no minute"),
        ("9" * 5_000 + " * * * *", "of 5008 characters is too long; 500 are allowed"),
        ("9" * 400 + " * * * *", "is no minute"),
        ("0 0 30 2 *", "never fires"),
        ("0 0 31 4,6,9,11 *", "never fires"),
        ("0 0 */31 2 1#2", "never fires"),
    ],
)
def test_what_is_not_a_schedule_is_refused_in_a_sentence(expression: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refusal:
        Cron.parse(expression)
    assert sentence in str(refusal.value)


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("0 3 * * *", "has 5 fields, not 6: second minute hour"),
        ("60 * * * * *", "'60' is no second"),
        ("0 0 0 30 2 *", "never fires"),
    ],
)
def test_with_seconds_six_fields_are_a_must(expression: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refusal:
        Cron.parse(expression, seconds=True)
    assert sentence in str(refusal.value)


UNKNOWN_ZONES = ["Mars/Base", "", "Europe", "europe/madrid", "/etc/passwd", "../UTC", "UTC\0", "\ud800", "x" * 5_000]


@pytest.mark.parametrize("tz", [*UNKNOWN_ZONES, "localtime", "posixrules", "right/UTC"])
def test_an_unknown_zone_is_refused(tz: str) -> None:
    with pytest.raises(UsageError, match="is not known; use a name such as 'Europe/Madrid'") as refusal:
        Cron.parse("0 3 * * *", tz=tz)
    assert len(str(refusal.value)) < 250


FIELDS = st.one_of(
    st.sampled_from(["*", "L", "LW", "5L", "1#5", "*/31", "30"]), st.text("0127*/,-#LWSUNFEB\0é", max_size=4)
)


@given(st.lists(FIELDS, min_size=4, max_size=6).map(" ".join), st.booleans())
def test_any_text_is_either_refused_or_fires(text: str, seconds: bool) -> None:
    try:
        cron = Cron.parse(text, seconds=seconds)
    except UsageError:
        return
    assert cron.next_after(at("26-01-01 00:00")) > at("26-01-01 00:00")


def test_white_space_does_not_make_another_schedule() -> None:
    assert Cron.parse(" 0\t3 * *   *\n") == Cron.parse("0 3 * * *")


@pytest.mark.parametrize(
    ("expression", "after", "firings"),
    [
        ("0 3 * * *", "26-01-01 00:00", ["26-01-01 03:00", "26-01-02 03:00"]),
        ("0 3 * * *", "26-01-01 03:00", ["26-01-02 03:00", "26-01-03 03:00"]),
        ("0 3 * * *", "26-01-01 02:59:59.999999", ["26-01-01 03:00", "26-01-02 03:00"]),
        ("0 3 * * *", "26-01-01 03:00:00.000001", ["26-01-02 03:00", "26-01-03 03:00"]),
        ("5/20 9-10 * * *", "26-01-01 09:30", ["26-01-01 09:45", "26-01-01 10:05"]),
        ("0 0 L * *", "26-02-01 00:00", ["26-02-28 00:00", "26-03-31 00:00"]),
        ("0 0 29 2 *", "26-01-01 00:00", ["28-02-29 00:00", "32-02-29 00:00"]),
        ("0 0 * * fri#2", "26-01-01 00:00", ["26-01-09 00:00", "26-02-13 00:00"]),
        ("0 0 * * 5L", "26-01-01 00:00", ["26-01-30 00:00", "26-02-27 00:00"]),
        ("0 0 13 * FRI", "26-02-07 00:00", ["26-02-13 00:00", "26-02-20 00:00"]),  # the 13th or a Friday
        ("0 0 */13 * FRI", "26-01-01 00:00", ["26-02-27 00:00", "26-03-27 00:00"]),  # 1, 14, 27 and a Friday
        ("0 0 29 2 */7", "60-03-01 00:00", ["88-02-29 00:00"]),  # 29 February on a Sunday
    ],
)
def test_five_fields_fire_as_cron_does(expression: str, after: str, firings: list[str]) -> None:
    cron = Cron.parse(expression)
    assert cron.firings(at(after), limit=len(firings)) == [at(firing) for firing in firings]


def test_the_rarest_day_is_found_across_the_century() -> None:
    assert Cron.parse("0 0 29 2 */7").next_after(at("88-02-29 00:00")) == datetime(2128, 2, 29, tzinfo=UTC)


def test_seconds_come_first() -> None:
    cron = Cron.parse("0 5 3 * * *", seconds=True)
    assert cron.firings(at("26-01-01 00:00"), limit=2) == [at("26-01-01 03:05"), at("26-01-02 03:05")]
    cron = Cron.parse("*/20 * * * * *", seconds=True)
    assert cron.firings(at("26-01-01 00:00"), limit=3) == [at(f"26-01-01 00:0{s}") for s in ("0:20", "0:40", "1:00")]


def test_the_hour_is_read_in_the_zone_and_given_in_utc() -> None:
    (firing,) = Cron.parse("0 3 * * *", tz="Asia/Shanghai").firings(at("26-07-01 12:00"), limit=1)
    assert (firing, firing.tzinfo) == (at("26-07-01 19:00"), UTC)


def test_any_aware_instant_will_do_but_a_naive_one_is_refused() -> None:
    cron = Cron.parse("0 3 * * *")
    assert cron.next_after(at("26-01-01 04:30+02:00")) == at("26-01-01 03:00")
    with pytest.raises(UsageError, match="no time zone"):
        cron.next_after(at("26-01-01 00:00").replace(tzinfo=None))


def test_firings_end_with_until_included_or_with_the_limit() -> None:
    cron = Cron.parse("0 * * * *")
    hours = [at(f"26-01-01 0{hour}:00") for hour in range(1, 5)]
    assert cron.firings(at("26-01-01 00:00"), until=hours[2], limit=10) == hours[:3]
    assert cron.firings(at("26-01-01 00:00"), until=hours[2], limit=2) == hours[:2]
    assert cron.firings(at("26-01-01 00:00"), until=at("26-01-01 00:59"), limit=2) == []


# Madrid, 25 October 2026: at 03:00 +0200 it is 02:00 +0100 again.
@pytest.mark.parametrize(
    ("expression", "firings"),
    [
        ("0 30 2 * * *", ["25 02:30:00 +0200", "26 02:30:00 +0100"]),
        ("0 */30 2 * * *", ["25 02:00:00 +0200", "25 02:30:00 +0200", "26 02:00:00 +0100"]),
        ("0 0 */2 * * *", ["25 02:00:00 +0200", "25 04:00:00 +0100", "25 06:00:00 +0100"]),
        ("0 0 * * * *", [f"25 0{t}" for t in ("1:00:00 +0200", "2:00:00 +0200", "2:00:00 +0100", "3:00:00 +0100")]),
        ("0 0 0-23 * * *", [f"25 0{t}" for t in ("1:00:00 +0200", "2:00:00 +0200", "2:00:00 +0100", "3:00:00 +0100")]),
        ("*/30 59 2 * * *", ["25 02:59:00 +0200", "25 02:59:30 +0200", "26 02:59:00 +0100"]),
    ],
)
def test_a_time_that_comes_twice_fires_the_first_time(expression: str, firings: list[str]) -> None:
    cron = Cron.parse(expression, tz="Europe/Madrid", seconds=True)
    assert walls(cron.firings(at("26-10-24 22:00"), limit=len(firings)), "Europe/Madrid") == firings


# Madrid, 29 March 2026: at 02:00 +0100 it is 03:00 +0200.
@pytest.mark.parametrize(
    ("expression", "firings"),
    [
        ("0 30 2 * * *", ["29 03:00:00 +0200", "30 02:30:00 +0200"]),
        ("0 */30 2 * * *", ["29 03:00:00 +0200", "30 02:00:00 +0200", "30 02:30:00 +0200"]),
        ("0 0 2,3 * * *", ["29 03:00:00 +0200", "30 02:00:00 +0200"]),
        ("0 0 */2 * * *", ["29 03:00:00 +0200", "29 04:00:00 +0200", "29 06:00:00 +0200"]),
        ("0 0 * * * *", ["29 01:00:00 +0100", "29 03:00:00 +0200", "29 04:00:00 +0200"]),
        ("15 30 2 * * *", ["29 03:00:00 +0200", "30 02:30:15 +0200"]),
    ],
)
def test_a_time_that_is_skipped_fires_right_after_the_gap(expression: str, firings: list[str]) -> None:
    cron = Cron.parse(expression, tz="Europe/Madrid", seconds=True)
    assert walls(cron.firings(at("26-03-28 23:00"), limit=len(firings)), "Europe/Madrid") == firings


def test_seen_from_the_second_pass_the_first_is_over() -> None:
    cron = Cron.parse("50 2 * * *", tz="Europe/Madrid")
    assert cron.next_after(at("26-10-25 02:45+01:00")) == at("26-10-26 02:50+01:00")


@pytest.mark.parametrize("day", ["26-03-28 12:00", "26-10-24 12:00"])
@pytest.mark.parametrize(("expression", "minutes"), [("*/30 * * * *", 30), ("0 * * * *", 60), ("17 0-23 * * *", 60)])
def test_an_hourly_rhythm_does_not_notice_the_change(expression: str, minutes: int, day: str) -> None:
    firings = Cron.parse(expression, tz="Europe/Madrid").firings(at(day), limit=60)
    steps = {later - earlier for earlier, later in pairwise(firings)}
    assert steps == {timedelta(minutes=minutes)}


# Four days around a change of the clock: an hour, half an hour, at midnight, in the other hemisphere, and none.
CHANGES = [
    ("Europe/Madrid", date(2026, 3, 28)),
    ("Europe/Madrid", date(2026, 10, 24)),
    ("America/New_York", date(2026, 3, 7)),
    ("America/New_York", date(2026, 10, 31)),
    ("Australia/Lord_Howe", date(2026, 4, 4)),
    ("Australia/Lord_Howe", date(2026, 10, 3)),
    ("Africa/Cairo", date(2026, 4, 23)),
    ("Africa/Cairo", date(2026, 10, 29)),
    ("America/Santiago", date(2026, 4, 4)),
    ("America/Santiago", date(2026, 9, 5)),
    ("Asia/Kolkata", date(2026, 12, 30)),
    ("UTC", date(2028, 2, 27)),
]


@cache
def clock(tz: str, day: date) -> list[tuple[datetime, datetime]]:
    """Each minute of four days in UTC with what the clock on the wall shows: the test's own idea of a time zone."""
    zone, start = ZoneInfo(tz), datetime(day.year, day.month, day.day, tzinfo=UTC)
    minutes = (start + timedelta(minutes=n) for n in range(4 * 24 * 60))
    return [(minute, minute.astimezone(zone).replace(tzinfo=None)) for minute in minutes]


Field = tuple[str, set[int]]
"""A field as text, and the values it stands for."""
Parts = tuple[Field, Field, Field, Field, Field]

EVERY_MONTH: Field = ("*", set(range(1, 13)))
EVERY_WEEKDAY: Field = ("*", set(range(7)))
EVERY_DAY = (("*", set(range(1, 32))), EVERY_MONTH, EVERY_WEEKDAY)


@st.composite
def fields(draw: st.DrawFn, low: int, high: int) -> Field:
    everything = range(low, high + 1)
    first = draw(st.integers(low, high))
    last = draw(st.integers(first, high))
    step = draw(st.integers(1, high - low))
    several = draw(st.sets(st.integers(low, high), min_size=1, max_size=4))
    return draw(
        st.sampled_from(
            [
                ("*", set(everything)),
                (str(first), {first}),
                (f"{first}-{last}", set(range(first, last + 1))),
                (f"*/{step}", set(everything[::step])),
                (",".join(map(str, several)), several),
            ]
        )
    )


def expected(parts: Parts, tz: str, day: date) -> list[datetime]:
    """The documented rules, minute by minute, with neither cron library nor fold."""
    (_, minutes), (_, hours), (dom, days), (_, months), (dow, weekdays) = parts
    must_both = dom[0] == "*" or dow[0] == "*"

    def matches(wall: datetime) -> bool:
        by_day, by_weekday = wall.day in days, wall.isoweekday() % 7 in weekdays
        is_day = (by_day and by_weekday) if must_both else (by_day or by_weekday)
        return is_day and wall.month in months and wall.hour in hours and wall.minute in minutes

    if len(hours) == 24:
        return [minute for minute, wall in clock(tz, day) if matches(wall)]
    fired: list[datetime] = []
    reached = clock(tz, day)[0][1] - timedelta(minutes=1)
    for minute, wall in clock(tz, day):
        new = [reached + timedelta(minutes=n) for n in range(1, (wall - reached) // timedelta(minutes=1) + 1)]
        if any(map(matches, new)):
            fired.append(minute)
        reached = max(reached, wall)
    return fired


@settings(deadline=None, max_examples=40)
@given(
    st.tuples(fields(0, 59), fields(0, 23), fields(1, 31), st.just(EVERY_MONTH), fields(0, 6)),
    st.sampled_from(CHANGES),
)
@example((("30", {30}), ("2", {2}), *EVERY_DAY), CHANGES[0])
@example((("30", {30}), ("2", {2}), *EVERY_DAY), CHANGES[1])
@example((("45", {45}), ("*", set(range(24))), *EVERY_DAY), CHANGES[4])
@example((("30", {30}), ("0", {0}), ("24", {24}), EVERY_MONTH, EVERY_WEEKDAY), CHANGES[6])
def test_across_every_change_of_the_clock_exactly_the_documented_instants_fire(
    parts: Parts, change: tuple[str, date]
) -> None:
    tz, day = change
    try:
        cron = Cron.parse(" ".join(text for text, _ in parts), tz=tz)
    except UsageError:
        assert expected(parts, tz, day) == []
        return
    begin, end = clock(tz, day)[0][0], clock(tz, day)[-1][0]
    firings = cron.firings(begin - timedelta(seconds=1), until=end, limit=10_000)
    assert firings == expected(parts, tz, day)


@settings(deadline=None, max_examples=40)
@given(fields(0, 59), fields(0, 23), st.sampled_from(CHANGES), st.integers(0, 4 * 24 * 60 * 60 - 1))
def test_from_any_instant_the_next_firing_is_the_first_later_one(
    minute: Field, hour: Field, change: tuple[str, date], second: int
) -> None:
    tz, day = change
    everyday = (minute, hour, *EVERY_DAY)
    instant = clock(tz, day)[0][0] + timedelta(seconds=second)
    firing = Cron.parse(f"{minute[0]} {hour[0]} * * *", tz=tz).next_after(instant)
    assert firing > instant
    later = [fired for fired in expected(everyday, tz, day) if fired > instant]
    assert later[:1] == ([firing] if firing <= clock(tz, day)[-1][0] else [])


HOURLY = Cron.parse("0 * * * *")


@pytest.mark.parametrize(
    ("policy", "now", "fire", "upcoming", "has_skipped"),
    [
        # nothing is due yet
        ("skip", "00:59", [], "01:00", False),
        ("one", "00:59", [], "01:00", False),
        ("all", "00:59", [], "01:00", False),
        # to the second, and a little late
        ("skip", "01:00", ["01:00"], "02:00", False),
        ("skip", "01:00:59", ["01:00"], "02:00", False),
        ("one", "01:00:59", ["01:00"], "02:00", False),
        ("all", "01:00:59", ["01:00"], "02:00", False),
        # one was missed
        ("skip", "01:01", [], "02:00", True),
        ("one", "01:01", ["01:00"], "02:00", False),
        ("all", "01:01", ["01:00"], "02:00", False),
        # several were missed
        ("skip", "04:30", [], "05:00", True),
        ("one", "04:30", ["04:00"], "05:00", True),
        ("all", "04:30", ["01:00", "02:00", "03:00", "04:00"], "05:00", False),
        # several were missed and one is on time
        ("skip", "03:00:30", ["03:00"], "04:00", True),
        ("one", "03:00:30", ["03:00"], "04:00", True),
        ("all", "03:00:30", ["01:00", "02:00", "03:00"], "04:00", False),
    ],
)
def test_the_policy_says_which_missed_instants_fire(
    policy: CatchUp, now: str, fire: list[str], upcoming: str, has_skipped: bool
) -> None:
    decided = due_firings_of_cron(HOURLY, last=at("26-01-01 00:00"), now=at(f"26-01-01 {now}"), policy=policy)
    assert decided == Due(
        fire=[at(f"26-01-01 {instant}") for instant in fire], next=at(f"26-01-01 {upcoming}"), has_skipped=has_skipped
    )


@pytest.mark.parametrize("policy", ["skip", "one", "all"])
def test_a_clock_that_went_back_fires_nothing_again(policy: CatchUp) -> None:
    decided = due_firings_of_cron(HOURLY, last=at("26-01-01 05:00"), now=at("26-01-01 02:00"), policy=policy)
    assert decided == Due(fire=[], next=at("26-01-01 06:00"), has_skipped=False)


@pytest.mark.parametrize("policy", ["skip", "one", "all"])
def test_a_slow_look_loses_no_firing_of_a_quick_schedule(policy: CatchUp) -> None:
    cron = Cron.parse("*/10 * * * * *", seconds=True)
    decided = due_firings_of_cron(cron, last=at("26-01-01 00:00"), now=at("26-01-01 00:00:35"), policy=policy)
    assert decided == Due(
        fire=[at(f"26-01-01 00:00:{second}") for second in (10, 20, 30)],
        next=at("26-01-01 00:00:40"),
        has_skipped=False,
    )


def test_after_a_year_only_the_newest_hundred_fire() -> None:
    cron = Cron.parse("* * * * * *", seconds=True)
    now = at("27-01-01 00:00:00.5")
    decided = due_firings_of_cron(cron, last=at("26-01-01 00:00:00.25"), now=now, policy="all")
    assert decided.fire == [at("27-01-01 00:00:00") - timedelta(seconds=99 - n) for n in range(100)]
    assert (decided.next, decided.has_skipped) == (at("27-01-01 00:00:01"), True)


def test_after_a_burst_long_ago_one_fires_its_newest_instant() -> None:
    decided = due_firings_of_cron(
        Cron.parse("* 7 1 1 *"), last=at("26-01-01 00:00"), now=at("26-06-01 00:00"), policy="one"
    )
    assert decided == Due(fire=[at("26-01-01 07:59")], next=at("27-01-01 07:00"), has_skipped=True)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 300), st.sampled_from(["skip", "one", "all"]))
def test_looking_again_fires_nothing_twice_and_all_leaves_nothing_out(minutes: int, policy: CatchUp) -> None:
    cron, birth = Cron.parse("*/7 * * * *", tz="Europe/Madrid"), at("26-10-24 23:00")
    looks = [birth + timedelta(minutes=minutes), birth + timedelta(minutes=2 * minutes)]
    last = birth
    fired: list[datetime] = []
    for now in looks:
        decided = due_firings_of_cron(cron, last=last, now=now, policy=policy)
        fired += decided.fire
        last = decided.fire[-1] if decided.fire else last
        assert decided.next > now
    assert fired == sorted(set(fired))
    if policy == "all":
        assert fired == cron.firings(birth, until=looks[-1], limit=1_000)


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(UsageError, match="'sometimes' is not known"):
        due_firings_of_cron(HOURLY, last=at("26-01-01 00:00"), now=at("26-01-01 00:00"), policy="sometimes")  # type: ignore[arg-type]
