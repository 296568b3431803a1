"""What goes wrong with templates and values.

UsageError
└── TemplateError      a template that cannot be used; the message says where and why

ValueProblem           what was given is no value of its field; `state` says what the cell then is
"""

from ingather.engine.errors import UsageError
from ingather.extraction.findings import State


class TemplateError(UsageError):
    """A template, or a change to one, that cannot be. The message names the field or check and what to do."""


class ValueProblem(Exception):
    """What a model or a person gave is no value of the field.

    `state` is what may be said of the cell instead: `not_applicable` where
    the words mean that, otherwise `unclear`.
    """

    def __init__(self, message: str, state: State = State.UNCLEAR) -> None:
        super().__init__(message)
        self.state = state
