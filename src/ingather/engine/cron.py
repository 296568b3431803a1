"""When a schedule fires: cron expressions in a time zone, and what becomes of firings that were missed.

The wall clock decides. What daylight saving does depends on whether the hour field names hours or takes them all:

- Some hours (`30 2 * * *`, `0 */2 * * *`): each wall-clock time fires once. A time that comes twice fires the first
  time. A time that is skipped fires at the first moment after the gap, together with all others of that gap.
- Every hour (`0 * * * *`, `*/30 * * * *`): each moment whose wall clock matches fires, so the rhythm goes on in
  elapsed time. The repeated hour fires in both passes, the skipped one not at all.

Days follow Vixie cron: day-of-month or day-of-week must match, but both must when one of the two begins with `*`.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from ingather.engine.errors import UsageError

CatchUp = Literal["skip", "one", "all"]

# Missed firings that `catch_up="all"` makes up for. More would flood the fleet after a long outage.
MOST_AT_ONCE: Final = 100
# A firing that is late by no more than this is not missed: it fires under every policy. Shorter would skip firings
# when a fleet restarts; longer would fire what `catch_up="skip"` wants skipped.
ON_TIME: Final = timedelta(minutes=1)

# Characters of an expression. The longest useful ones list every minute of an hour; more is a mistake.
_LONGEST: Final = 500
_FOREIGN: Final = re.compile(r"[^0-9A-Za-z*/,#\- \t]")
_FIELDS: Final = (  # name, what it takes, how many values it has
    ("second", "0-59", 60),
    ("minute", "0-59", 60),
    ("hour", "0-23", 24),
    ("day-of-month", "1-31, L or LW", 31),
    ("month", "1-12 or JAN-DEC", 12),
    ("day-of-week", "0-7 or SUN-SAT (0 and 7 are Sunday), ranges from low to high", 7),
)
# Any date will do: the rarest day, 29 February on a given weekday, is never more than 40 years away.
_SOME_DAY: Final = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Cron:
    """A checked expression in a time zone. Made by `parse`; the constructor itself checks nothing."""

    expression: str
    tz: str
    seconds: bool

    @classmethod
    def parse(cls, expression: str, *, tz: str = "UTC", seconds: bool = False) -> Self:
        """Refuse, in a sentence, what is not a cron expression, has no such zone, or would never fire."""
        fields = _checked_cron_fields(expression, seconds=seconds)
        _check_cron_zone(tz)
        cron = cls(" ".join(fields), tz, seconds)
        try:
            next(CronSim(cron._six_fields, _SOME_DAY))
        except (CronSimError, StopIteration):
            raise UsageError(f"cron expression {cron.expression!r} never fires: no such day exists") from None
        return cron

    def next_after(self, instant: datetime) -> datetime:
        """The first firing strictly after `instant`, in UTC."""
        if instant.utcoffset() is None:
            raise UsageError(f"{instant!r} has no time zone, so it is not an instant")
        zone = ZoneInfo(self.tz)
        local = instant.astimezone(zone)
        search = CronSim(self._six_fields, local.replace(tzinfo=None))
        if is_every_hour := len(search.hours) == 24:
            search = CronSim(self._six_fields, local)
            # Given one minute only, CronSim jumps to it and so over a clock that goes back by half an hour (Lord Howe).
            # A second one, which never comes, makes it look at each minute.
            search.minutes.add(60)
        for found in search:
            moment = found.astimezone(UTC) if is_every_hour else _first_moment_of_cron(found, zone)
            # In the second pass of a repeated hour the wall clock names moments of the first pass: they are over.
            if moment > instant:
                return moment
        raise UsageError(f"cron expression {self.expression!r} does not fire after {instant}")

    def firings(self, after: datetime, *, until: datetime | None = None, limit: int) -> list[datetime]:
        """The first firings after `after`, `until` included, at most `limit`."""
        found: list[datetime] = []
        while len(found) < limit:
            after = self.next_after(after)
            if until is not None and after > until:
                break
            found.append(after)
        return found

    @property
    def _six_fields(self) -> str:
        # CronSim applies daylight saving rules of its own to five fields (chosen by spelling, and they may answer with
        # a moment that is over); to six it applies none.
        return self.expression if self.seconds else f"0 {self.expression}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What a schedule does now: the instants to fire, oldest first, and when to look again.

    `has_skipped`: some instant was passed over for good, which belongs into the log.
    """

    fire: list[datetime]
    next: datetime
    has_skipped: bool


def due_firings_of_cron(cron: Cron, *, last: datetime, now: datetime, policy: CatchUp) -> Due:
    """Which instants after `last` (the last one fired, or the birth of the schedule) fire at `now`.

    An instant less than a minute old is on time and fires under every policy; a firer that looks every few seconds
    would otherwise lose most of `*/10 * * * * *`. Of the older ones `skip` fires none, `one` only the newest and only
    if nothing is on time, `all` every one. More than a hundred never fire at once: the newest do, the rest are skipped.
    """
    on_time = _newest_firings_of_cron(cron, after=max(last, now - ON_TIME), now=now, limit=MOST_AT_ONCE)
    match policy:
        case "skip":
            fire = on_time
        case "one":
            fire = on_time or _newest_firings_of_cron(cron, after=last, now=now, limit=1)
        case "all":
            fire = _newest_firings_of_cron(cron, after=last, now=now, limit=MOST_AT_ONCE)
        case _:
            raise UsageError(f"catch-up policy {policy!r} is not known; it is 'skip', 'one' or 'all'")
    missed = cron.firings(last, until=now, limit=1)
    # A clock that went back must not fire an instant again, hence the max.
    return Due(fire=fire, next=cron.next_after(max(last, now)), has_skipped=missed != fire[:1])


def _newest_firings_of_cron(cron: Cron, *, after: datetime, now: datetime, limit: int) -> list[datetime]:
    """The last `limit` firings up to `now`. Bisects, as years of missed seconds are too many to walk through."""
    found = cron.firings(after, until=now, limit=limit + 1)
    if len(found) <= limit:
        return found

    def minus_count(second: int) -> int:
        return -len(cron.firings(after + timedelta(seconds=second), until=now, limit=limit + 1))

    start = bisect_left(range((now - after) // timedelta(seconds=1)), -limit, key=minus_count)
    return cron.firings(after + timedelta(seconds=start), until=now, limit=limit)


def _first_moment_of_cron(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first moment at which the clock on the wall shows `wall`, or has jumped over it."""
    while True:
        moment = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
        if moment.astimezone(zone).replace(tzinfo=None) == wall:
            return moment
        wall = wall.replace(second=0) + timedelta(minutes=1)


def _checked_cron_fields(expression: str, *, seconds: bool) -> list[str]:
    if len(expression) > _LONGEST:
        raise UsageError(f"cron expression of {len(expression)} characters is too long; {_LONGEST} are allowed")
    fields = expression.split()
    if not fields:
        raise UsageError("cron expression is empty; write five fields, such as '0 3 * * *'")
    if foreign := _FOREIGN.search(expression.strip()):
        raise UsageError(f"cron expression {expression!r} has {foreign[0]!r} in it, which means nothing there")
    if len(fields) == 6 and not seconds:
        raise UsageError(f"cron expression {expression!r} has six fields; seconds come first and need seconds=True")
    expected = _FIELDS if seconds else _FIELDS[1:]
    if len(fields) != len(expected):
        names = " ".join(name for name, _, _ in expected)
        raise UsageError(f"cron expression {expression!r} has {len(fields)} fields, not {len(expected)}: {names}")
    for text, (name, takes, size) in zip(fields, expected, strict=True):
        alone = [text if name == other else "*" for other, _, _ in _FIELDS]
        try:
            CronSim(" ".join(alone), _SOME_DAY)
        except CronSimError:
            raise UsageError(
                f"cron expression {expression!r}: {text!r} is no {name}; it takes {takes}, *, lists and /steps"
            ) from None
        # CronSim, like cron, reads */90 as */60 and L/2 as L.
        for start, _, step in (term.partition("/") for term in text.split(",")):
            if step and (int(step) > size or start.upper().startswith("L")):
                raise UsageError(
                    f"cron expression {expression!r}: step /{step} means nothing in {name} {text!r}, "
                    f"which has {size} values"
                )
    return fields


def _check_cron_zone(tz: str) -> None:
    try:
        ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        is_place = False
    else:
        # Names of files, not of places: the first two differ between machines, the last ones count leap seconds.
        is_place = tz not in {"localtime", "posixrules"} and not tz.startswith("right/")
    if not is_place:
        raise UsageError(f"time zone {tz[:100]!r} is not known; use a name such as 'Europe/Madrid' or 'UTC'")
