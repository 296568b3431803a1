"""How a format says that a file cannot be read."""

from ingather.library.reading import Problem


class Unread(Exception):
    """The file gives no pages. Never leaves the parser: it becomes a Reading with a problem."""

    def __init__(self, problem: Problem, sentence: str) -> None:
        super().__init__(sentence)
        self.problem = problem
        self.sentence = sentence


class RecogniserDied(Exception):
    """What recognises text in pictures does not work here, or not now."""
