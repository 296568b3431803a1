"""What extraction raises.

UsageError (of the engine)
├── NotFound            no such project, template or task
├── EmptySelection      a task without documents
└── Outrun              somebody else was quicker; look again, then decide
IngatherError (of the engine)
└── ModelUnusable       no document could be answered by this model; the sentence says what to do
"""

from ingather.engine.errors import IngatherError, UsageError


class NotFound(UsageError):
    pass


class EmptySelection(UsageError):
    pass


class Outrun(UsageError):
    pass


class ModelUnusable(IngatherError):
    pass
