"""How long to wait for an answer that comes in pieces: for the first, between two, and in all. Pure."""

from dataclasses import dataclass

# Characters of one token on average; English text has about four, Chinese less, so that speeds are rather too low.
CHARACTERS_A_TOKEN = 4
# Tokens a second at which the slowest model that is waited for reads its prompt: a small one on two busy cores.
SLOWEST_READING = 8
# A model may think this long before its first character, beyond reading. Hosted models that think show nothing until
# they are done; a shorter wait would break them off after they have been paid for.
THINKING_S = 300.0
# Silence between two pieces after which the server is taken for hung. A busy machine pauses for seconds.
SILENCE_S = 120.0
# Pieces before this do not tell the speed: the first tokens often come in one burst.
MEASURED_FROM_S = 20.0
# How much longer than measured the rest may take. Twice: speed halves when a second program starts.
PATIENCE = 2.0
# Nothing is waited for longer than this, whatever its speed: 8,000 tokens at one token a second, and the reading.
LONGEST_S = 3 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPace:
    """The deadlines of one answer, in seconds from the moment its request was sent."""

    first_s: float
    silence_s: float = SILENCE_S
    longest_s: float = LONGEST_S
    max_tokens: int

    def deadline_s(self, now_s: float, *, first_at_s: float | None, last_at_s: float, written: int) -> float:
        """Until when to wait for the next piece. `written`: characters so far, the last of them at `last_at_s`."""
        if first_at_s is None:
            return min(self.first_s, self.longest_s)
        silent = last_at_s + self.silence_s
        took_s = now_s - first_at_s
        if took_s < MEASURED_FROM_S:
            return min(silent, self.longest_s)
        speed = written / CHARACTERS_A_TOKEN / took_s
        whole = first_at_s + PATIENCE * self.max_tokens / max(speed, 1e-3)
        return min(silent, whole, self.longest_s)


def pace_for(prompt_tokens: int, max_tokens: int) -> AnswerPace:
    """The deadlines of a request of that size to a model whose speed is not known."""
    return AnswerPace(
        first_s=THINKING_S + prompt_tokens / SLOWEST_READING,
        silence_s=SILENCE_S,
        longest_s=LONGEST_S,
        max_tokens=max_tokens,
    )
