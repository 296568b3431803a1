"""What the provider of the tests is told to do, request by request."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

import yaml

from tests.provider.streaming import Streaming

Body = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One misdeed and when it is done. All conditions must hold; requests for completions are numbered from 1."""

    do: str
    on: frozenset[int] = frozenset()
    every: int = 0
    after: int = 0
    until: int = 0
    chance: float = 1.0
    contains: str = ""
    times: int = 0
    when: Callable[[Body], bool] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def fits(self, number: int, body: Body, *, done: int, draw: float) -> bool:
        return (
            (not self.on or number in self.on)
            and (not self.every or number % self.every == 0)
            and number > self.after
            and (not self.until or number <= self.until)
            and (not self.times or done < self.times)
            and draw < self.chance
            and (not self.contains or any(self.contains in str(message.get("content")) for message in body["messages"]))
            and (self.when is None or self.when(body))
        )

    @classmethod
    def of(cls, given: "Rule | str | Mapping[str, Any]") -> "Rule":
        """`"blank"`, or `{"do": "rate_limit", "on": [1, 2], "retry_after": 3}`: what is no condition is an option."""
        if isinstance(given, Rule):
            return given
        if isinstance(given, str):
            return cls(do=given)
        known = {entry.name for entry in fields(cls)} - {"options"}
        conditions = {name: value for name, value in given.items() if name in known}
        if "on" in conditions:
            on = conditions["on"]
            conditions["on"] = frozenset([on] if isinstance(on, int) else on)
        return cls(**conditions, options={name: value for name, value in given.items() if name not in known})


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The rules, the first that fits wins, and what kind of provider it is at all.

    `rejects` are parameters answered with a 400, `ignores` those taken and
    not heeded: `json_schema`, `tools`, `json_object`; also `max_tokens` and
    `temperature` in `rejects`. `usage` is the dialect of the token counts.
    """

    rules: tuple[Rule, ...] = ()
    seed: int = 0
    latency_s: tuple[float, float] = (0.0, 0.0)
    rejects: frozenset[str] = frozenset()
    ignores: frozenset[str] = frozenset()
    usage: str = "openai"
    key: str | None = None
    models: tuple[Any, ...] = ("test-model",)
    """Names, or entries as a server lists them."""
    pages: Mapping[str, Any] = field(default_factory=dict)
    """Addresses of the server's own, and what they say."""
    streaming: Streaming | None = None
    """How answers are streamed to who asks for it; none: the parameter is taken and not heeded."""
    context_tokens: int | None = None
    """Requests whose prompt and answer together exceed this are refused."""
    too_long: str = "vllm"
    """In whose words, or `silent`: the prompt loses its beginning, and nothing says so."""

    @classmethod
    def of(cls, given: Any) -> "Script":
        """A script, a mapping as in a file, a list of rules, or nothing."""
        match given:
            case Script():
                return given
            case None:
                return cls()
            case Mapping():
                made = dict(given)
                made["rules"] = tuple(Rule.of(rule) for rule in made.get("rules", ()))
                for name in ("rejects", "ignores"):
                    made[name] = frozenset(made.get(name, ()))
                made["streaming"] = Streaming.of(made.get("streaming"))
                if "models" in made:
                    made["models"] = tuple(made["models"])
                latency = made.get("latency_s", 0.0)
                made["latency_s"] = tuple(latency) if isinstance(latency, list | tuple) else (latency, latency)
                return cls(**made)
            case _:
                return cls(rules=tuple(Rule.of(rule) for rule in given))

    @classmethod
    def read(cls, path: Path) -> "Script":
        """From a YAML or JSON file."""
        return cls.of(yaml.safe_load(path.read_text(encoding="utf-8")))


class Director:
    """Walks through a script. What a request meets depends on the seed and its number alone, not on time."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._done = [0] * len(script.rules)

    def choose(self, number: int, body: Body) -> Rule:
        for place, rule in enumerate(self.script.rules):
            draw = random.Random(f"{self.script.seed}:{number}:{place}").random()
            if rule.fits(number, body, done=self._done[place], draw=draw):
                self._done[place] += 1
                return rule
        return Rule(do="ok")

    def choose_streaming(self, number: int, body: Body) -> Streaming | None:
        """How this answer is streamed: as a rule about it says, or as all are."""
        fitting = (rule for rule in self.script.rules if rule.fits(number, body, done=0, draw=0.0))
        own = next((rule.options["streaming"] for rule in fitting if "streaming" in rule.options), None)
        return Streaming.of(own) or self.script.streaming

    def latency_s(self, number: int) -> float:
        low, high = self.script.latency_s
        return random.Random(f"{self.script.seed}:{number}:latency").uniform(low, high)

    def restart(self) -> Self:
        self._done = [0] * len(self.script.rules)
        return self
