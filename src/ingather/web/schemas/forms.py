"""What all parts of the wire are made of: ids, names, pages, notices and problems. Whatever is not named is refused."""

import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

# The largest number that a bigint of PostgreSQL can hold.
LARGEST_ID = 2**63 - 1
_JOINERS = "\u200c\u200d"  # part of the spelling in several scripts
_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


def _digits(value: object) -> object:
    """Ids in addresses are plain digits: not 1_000, not ٣, not 1.0."""
    if isinstance(value, str):
        if not (value.isascii() and value.isdigit() and len(value) <= 19):
            raise ValueError("an id is a whole number")
        return int(value)
    return value


def _visible(value: str) -> str:
    """One line of what people can see. Format characters would turn names around, or hide in them."""
    composed = unicodedata.normalize("NFC", value)
    seen = (char for char in composed if char in _JOINERS or unicodedata.category(char) not in _UNSEEN)
    cleaned = " ".join("".join(seen).split())
    if not cleaned:
        raise ValueError("a name has characters that can be seen")
    return cleaned


# As a number in a body, and as digits in an address.
BodyId = Annotated[int, Field(ge=1, le=LARGEST_ID, strict=True, examples=[1])]
Id = Annotated[int, BeforeValidator(_digits), Field(ge=1, le=LARGEST_ID, strict=True, examples=[1])]
Cursor = Annotated[int, BeforeValidator(_digits), Field(ge=0, le=LARGEST_ID, strict=True)]
Limit = Annotated[int, BeforeValidator(_digits), Field(ge=1, le=500, strict=True)]
# An id, and behind it a name where names are the order: a page goes on there, also when what it ended with is gone.
Mark = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,19}( .+)?$", max_length=300), Field(examples=["7"])]
# A name, where names are the order.
NameMark = Annotated[str, StringConstraints(max_length=200)]
# Each may be a megabyte.
FewAtOnce = Annotated[int, BeforeValidator(_digits), Field(ge=1, le=50, strict=True)]
Name = Annotated[
    str, StringConstraints(min_length=1, max_length=200), AfterValidator(_visible), Field(examples=["Stiff necks"])
]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x20-\x7e]+$")]
TemplateId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
FieldId = TemplateId
Kind = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$"), Field(examples=["extract_document"])]


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NoticeView(Wire):
    """A sentence for people. `message` is English; whoever has the text of `id` in another language fills in `params`.

    An empty `id` is a sentence of somebody else's, such as a provider's: it is shown as it is.
    """

    id: str
    params: "dict[str, str | int | float | NoticeView]"
    message: str


class ProblemPart(Wire):
    """One thing that is wrong with a request, and where."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    place: Annotated[str, Field(alias="in")]
    detail: str


class ProblemView(Wire):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    notice: NoticeView | None = None
    errors: list[ProblemPart] = []


class Health(Wire):
    status: Literal["ok", "ready"]


class Done(Wire):
    """How many documents, batches or items a command reached."""

    changed: int
