"""An explicit-state checker for transactions in READ COMMITTED: every interleaving, shortest counterexample first.

A verb is a generator of requests, as the engine's scripts are. What PostgreSQL
does between two requests is what this file imitates:

* `Read` is the snapshot of one statement: what has been committed when the statement starts, and one's own writes.
* `Lock` waits for whoever holds the row, or skips it, and then answers with the *newest* version of that row, however
  old the statement's snapshot is. Nothing else is read again. (PostgreSQL calls this EvalPlanQual.)
* `Insert` waits for whoever is inserting or deleting the same key, and sees its newest version too.
* Writes become visible to others at the commit, all at once. The end of the generator is the commit.

Generators can be neither copied nor compared, so a verb under way is kept as what it was told so far, and replayed
when it is met for the first time in that condition; each such condition is a `Program` with a number.
"""

from array import array
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

Key = tuple[str, Any]
Rows = dict[Key, Any]
Counts = tuple[int, ...]


class Read(NamedTuple):
    """A statement begins: what it takes from its snapshot."""

    what: Callable[[Rows], Hashable]
    name: str = "reads"


class Lock(NamedTuple):
    """Lock a row and be told its newest version; None when it is gone, or held by another and `skips`."""

    key: Key
    shares: bool = False
    skips: bool = False
    at_once: bool = False
    """Without a pause before it in which others could move: for locks where that pause would show nothing new."""


class Insert(NamedTuple):
    """Insert a row: True, or False when the key is there already (`on conflict do nothing`)."""

    key: Key
    row: Any
    may_conflict: bool = False


class Put(NamedTuple):
    """Change or, with None, delete rows that this transaction has locked."""

    changes: tuple[tuple[Key, Any], ...]


class Add(NamedTuple):
    """Add to counters that every writer keeps in a row of its own, so that nobody waits for them."""

    key: Key
    counts: Counts


class Draw(NamedTuple):
    """The next number of a sequence. Not given back by a rollback."""


Request = Read | Lock | Insert | Put | Add | Draw
Verb = Generator[Request, Any, Any]


class Call(NamedTuple):
    """A verb and its arguments: what a session is asked to do."""

    verb: str
    args: tuple[Any, ...] = ()


@dataclass(slots=True)
class Program:
    """A verb under way: what it holds, what it has written, and what it wants next. None: it wants to commit."""

    call: Call
    answers: tuple[Any, ...]
    request: Request | None
    result: Any
    locks: dict[Key, bool]
    writes: Rows
    counts: dict[Key, Counts]
    broken: str = ""
    """A constraint that this program ran into, where the engine promises that none is."""


class Programs:
    """All programs met so far, by number."""

    def __init__(self, verb: Callable[[Call], Verb]) -> None:
        self._verb = verb
        self._known: list[Program] = []
        self._begun: dict[Call, int] = {}
        self._next: dict[tuple[int, Any], int] = {}

    def __getitem__(self, number: int) -> Program:
        return self._known[number]

    def begin(self, call: Call) -> int:
        number = self._begun.get(call)
        if number is None:
            number = self._begun[call] = self._replay(call, ())
        return number

    def tell(self, number: int, answer: Any) -> int:
        answered = self._next.get((number, answer))
        if answered is None:
            before = self._known[number]
            answered = self._next[number, answer] = self._replay(before.call, (*before.answers, answer))
        return answered

    def _replay(self, call: Call, answers: tuple[Any, ...]) -> int:
        verb = self._verb(call)
        answered = iter(answers)
        request: Request | None = None
        result: Any = None
        locks: dict[Key, bool] = {}
        writes: Rows = {}
        counts: dict[Key, Counts] = {}
        broken = ""
        try:
            request = next(verb)
            while True:
                if isinstance(request, Put):
                    writes.update(request.changes)
                    request = verb.send(None)
                    continue
                if isinstance(request, Add):
                    counts[request.key] = plus(counts.get(request.key), request.counts)
                    request = verb.send(None)
                    continue
                try:
                    answer = next(answered)
                except StopIteration:
                    break
                if isinstance(request, Lock) and answer is not None:
                    locks[request.key] = locks.get(request.key, True) and request.shares
                elif isinstance(request, Insert):
                    if answer:
                        locks[request.key] = False
                        writes[request.key] = request.row
                    elif not request.may_conflict:
                        broken = f"{request.key} is inserted twice"
                request = verb.send(answer)
        except StopIteration as end:
            request, result = None, end.value
        self._known.append(Program(call, answers, request, result, locks, writes, counts, broken))
        return len(self._known) - 1


def plus(left: Counts | None, right: Counts) -> Counts:
    return right if left is None else tuple(a + b for a, b in zip(left, right, strict=True))


class Database:
    """Committed contents by number; equal contents have equal numbers."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._rows: list[Rows] = []
        self._numbers: dict[frozenset[tuple[Key, Any]], int] = {}
        self._committed: dict[tuple[int, int], int] = {}

    def __getitem__(self, number: int) -> Rows:
        return self._rows[number]

    def number(self, rows: Rows) -> int:
        contents = frozenset(rows.items())
        number = self._numbers.get(contents)
        if number is None:
            number = self._numbers[contents] = len(self._rows)
            self._rows.append(rows)
        return number

    def changed(self, number: int, changes: Rows) -> int:
        rows = {**self._rows[number], **changes}
        return self.number({key: row for key, row in rows.items() if row is not None})

    def commit(self, number: int, program: int) -> int:
        after = self._committed.get((number, program))
        if after is None:
            done = self._programs[program]
            rows = self._rows[number]
            sums = {key: plus(rows.get(key), counts) for key, counts in done.counts.items()}
            after = self._committed[number, program] = self.changed(number, {**done.writes, **sums})
        return after


class Blocked(Exception):
    """A lock that another session holds."""

    def __init__(self, by: int) -> None:
        super().__init__(by)
        self.by = by


class Server:
    """What one step of a session does, given the other sessions."""

    def __init__(self, verb: Callable[[Call], Verb]) -> None:
        self.programs = Programs(verb)
        self.database = Database(self.programs)

    def step(self, db: int, serial: int, program: int, others: list[int]) -> tuple[int, int]:
        """Answer the program's request, and those after it that nothing can come between. Raises Blocked."""
        while True:
            before = self.programs[program].request
            program, serial = self._answer(db, serial, program, others)
            match self.programs[program].request:
                case Insert() | Draw() | Lock(at_once=True):
                    pass
                case Read() if isinstance(before, Lock):
                    # Things that others do between a lock and the read after it, they could as well do before the lock.
                    pass
                case _:
                    return program, serial
            if self._is_blocked(program, others):
                return program, serial

    def _is_blocked(self, program: int, others: list[int]) -> bool:
        match self.programs[program].request:
            case Insert(key=key):
                return self._holder(key, others, shares=False) is not None
            case Lock(key=key, shares=shares, skips=False):
                return self._holder(key, others, shares=shares) is not None
            case _:
                return False

    def _answer(self, db: int, serial: int, program: int, others: list[int]) -> tuple[int, int]:
        own = self.programs[program]
        request = own.request
        rows = self.database[db]
        match request:
            case Read():
                seen = {**rows, **own.writes} if own.writes else rows
                if own.counts:
                    seen = {**seen, **{key: plus(rows.get(key), counts) for key, counts in own.counts.items()}}
                if None in own.writes.values():
                    seen = {key: row for key, row in seen.items() if row is not None}
                return self.programs.tell(program, request.what(seen)), serial
            case Lock():
                holder = self._holder(request.key, others, shares=request.shares)
                if holder is not None:
                    if not request.skips:
                        raise Blocked(holder)
                    return self.programs.tell(program, None), serial
                newest = own.writes[request.key] if request.key in own.writes else rows.get(request.key)
                return self.programs.tell(program, newest), serial
            case Insert():
                holder = self._holder(request.key, others, shares=False)
                if holder is not None:
                    raise Blocked(holder)
                newest = own.writes[request.key] if request.key in own.writes else rows.get(request.key)
                return self.programs.tell(program, newest is None), serial
            case Draw():
                return self.programs.tell(program, serial + 1), serial + 1
            case _:
                raise AssertionError(request)

    def _holder(self, key: Key, others: list[int], *, shares: bool) -> int | None:
        for other in others:
            held = self.programs[other].locks.get(key)
            if held is not None and not (held and shares):
                return other
        return None


class Move(NamedTuple):
    """One step of somebody, and where it leads. `is_expected` ones must by themselves bring every run to its goal."""

    who: str
    what: str
    state: Hashable
    is_expected: bool


class Model(Protocol):
    """What the explorer needs to know."""

    def initial(self) -> Hashable: ...

    def moves(self, state: Any) -> Iterator[Move]: ...

    def violation(self, state: Any) -> str: ...

    def is_goal(self, state: Any) -> bool: ...


@dataclass(slots=True)
class Report:
    """What exploring found: how many states, and the shortest way to the first violation."""

    states: int = 0
    moves: int = 0
    depth: int = 0
    violation: str = ""
    trace: list[str] = field(default_factory=list)
    is_complete: bool = True

    def __str__(self) -> str:
        what = f"{self.states:,} states, {self.moves:,} moves, depth {self.depth}"
        if not self.violation:
            return f"{what}: no violation"
        steps = "\n".join(f"  {n:2}. {step}" for n, step in enumerate(self.trace, 1))
        return f"{what}\n{self.violation}, after {len(self.trace)} steps:\n{steps}"


def explore(model: Model, *, most: int = 3_000_000) -> Report:
    """Breadth first through all states. Safety in each; then, going backwards from the goals, liveness."""
    first = model.initial()
    index: dict[Hashable, int] = {first: 0}
    parents = array("i", [-1])
    answered: list[tuple[str, str]] = [("", "")]
    depths = array("i", [0])
    sources, targets = array("i"), array("i")
    goals: list[int] = []
    queue: deque[Any] = deque([first])
    report = Report()

    def trace(number: int) -> list[str]:
        steps = []
        while number > 0:
            steps.append(": ".join(answered[number]))
            number = parents[number]
        return steps[::-1]

    at = 0
    while queue:
        state = queue.popleft()
        if broken := model.violation(state):
            report.violation, report.trace = broken, trace(at)
            break
        if model.is_goal(state):
            goals.append(at)
        if len(index) > most:
            report.is_complete = False
            break
        for who, what, after, is_expected in model.moves(state):
            report.moves += 1
            number = index.get(after)
            if number is None:
                number = index[after] = len(index)
                parents.append(at)
                answered.append((who, what))
                depths.append(depths[at] + 1)
                queue.append(after)
            if is_expected:
                sources.append(at)
                targets.append(number)
        at += 1
    report.states, report.depth = len(index), max(depths)
    if not report.violation and report.is_complete:
        stuck = _first_stuck(len(index), sources, targets, goals)
        if stuck is not None:
            report.violation, report.trace = "from here the batch can never close", trace(stuck)
    return report


def _first_stuck(states: int, sources: "array[int]", targets: "array[int]", goals: list[int]) -> int | None:
    """The first state from which no goal can be reached by expected moves."""
    heads = array("i", [-1]) * states
    following = array("i", [-1]) * len(sources)
    for edge, target in enumerate(targets):
        following[edge] = heads[target]
        heads[target] = edge
    is_live = bytearray(states)
    for goal in goals:
        is_live[goal] = 1
    stack = goals[:]
    while stack:
        edge = heads[stack.pop()]
        while edge >= 0:
            source = sources[edge]
            if not is_live[source]:
                is_live[source] = 1
                stack.append(source)
            edge = following[edge]
    stuck = is_live.find(0)
    return stuck if stuck >= 0 else None
