"""What the library raises besides the engine's errors.

UsageError
├── NotFound                it is not in the library (or no longer)
│   ├── UnknownKnowledgeBase
│   ├── UnknownDocument
│   ├── UnknownFile         no file of that content
│   ├── UnknownPage
│   └── UnknownPaper        no file of that name on this machine, or none that may be read
├── FileTooBig              more bytes than one file may have
└── NameTaken               another knowledge base has that name

IngatherError
├── FileMissing             the database knows the file and the store has lost it
├── PaperUnreadable         a file that gives no pages, such as a scan; its sentence says what to do
├── FileDamaged             the store's bytes are not those that were uploaded
└── StoreUnavailable        the blob store cannot be used as it is set up
"""

from ingather.engine.errors import IngatherError, UsageError


class NotInLibrary(UsageError):
    """It is not in the library, or no longer."""


class UnknownKnowledgeBase(NotInLibrary):
    pass


class UnknownDocument(NotInLibrary):
    pass


class UnknownFile(NotInLibrary):
    pass


class UnknownPage(NotInLibrary):
    pass


class UnknownPaper(NotInLibrary):
    pass


class FileTooBig(UsageError):
    pass


class NameTaken(UsageError):
    pass


class FileMissing(IngatherError):
    """A fault of the store, not of the caller: the bytes may come back with a backup, or by uploading them again."""


class FileDamaged(IngatherError):
    """A fault of the store. Nothing is read from such a file: what is read is kept for good."""


class PaperUnreadable(IngatherError):
    """A fault of the file, for good: the sentence says what would help."""


class StoreUnavailable(IngatherError):
    pass
