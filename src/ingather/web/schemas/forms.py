"""What all parts of the wire are made of: ids, names, pages, notices and problems. Whatever is not named is refused."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from ingather.names import LARGEST_ID, NAME, visible


def _plain_digits_in_form(value: object) -> object:
    """Ids in addresses are plain digits: not 1_000, not ٣, not 1.0."""
    if isinstance(value, str):
        if not (value.isascii() and value.isdigit() and len(value) <= 19):
            raise ValueError("an id is a whole number")
        return int(value)
    return value


def _visible_name_in_form(value: str) -> str:
    cleaned = visible(value)
    if not cleaned:
        raise ValueError("a name has characters that can be seen")
    return cleaned


# As a number in a body, and as digits in an address.
BodyId = Annotated[int, Field(ge=1, le=LARGEST_ID, strict=True, examples=[1])]
Id = Annotated[int, BeforeValidator(_plain_digits_in_form), Field(ge=1, le=LARGEST_ID, strict=True, examples=[1])]
Cursor = Annotated[int, BeforeValidator(_plain_digits_in_form), Field(ge=0, le=LARGEST_ID, strict=True)]
Limit = Annotated[int, BeforeValidator(_plain_digits_in_form), Field(ge=1, le=500, strict=True)]
# An id, and behind it a name where names are the order: a page goes on there, also when what it ended with is gone.
Mark = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,19}( .+)?$", max_length=300), Field(examples=["7"])]
# A name, where names are the order.
NameMark = Annotated[str, StringConstraints(max_length=200)]
# Each may be a megabyte.
FewAtOnce = Annotated[int, BeforeValidator(_plain_digits_in_form), Field(ge=1, le=50, strict=True)]
Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(_visible_name_in_form),
    Field(examples=["Stiff necks"]),
]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x20-\x7e]+$")]
TemplateId = Annotated[str, StringConstraints(pattern=f"^{NAME.pattern}$")]
FieldId = TemplateId
Kind = Annotated[str, StringConstraints(pattern=f"^{NAME.pattern}$"), Field(examples=["extract_document"])]


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
