"""What extraction raises.

UsageError (of the engine)
├── NotFound            no such project, template or task
├── EmptySelection      a task without documents
└── Outrun              somebody else was quicker; look again, then decide
"""

from ingather.engine.errors import UsageError


class NotFound(UsageError):
    pass


class EmptySelection(UsageError):
    pass


class Outrun(UsageError):
    pass
