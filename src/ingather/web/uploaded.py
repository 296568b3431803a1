"""The form of an upload: read within its limits, and gone when it is no longer needed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from ingather.notice import notice
from ingather.web.bodies import HANG_UP, TOO_BIG, TOO_SLOW
from ingather.web.problems import Refused

# A browser sends a large selection in several forms. The whole form is held on the disk: 50 files within 60 MB.
MOST_FILES = 50
# The form needs no other fields. A few are let through, small ones, so that a client may send its own.
MOST_FIELDS = 10
LARGEST_FIELD = 10_000


@asynccontextmanager
async def uploaded_form(request: Request) -> AsyncIterator[FormData]:
    """The form; its files are gone when the block ends."""
    try:
        form = await request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=LARGEST_FIELD)
    except ClientDisconnect:
        raise Refused(400, notice("web.upload_broken_off", "The upload was broken off.")) from None
    except HTTPException as error:
        status = 413 if error.detail == TOO_BIG or "maximum" in error.detail.lower() else 400
        if error.detail == TOO_SLOW:
            status = 408
        raise Refused(
            status,
            notice("web.form_cannot_read", "The form cannot be read: {why}", why=error.detail),
            HANG_UP if status != 400 else {},
        ) from None
    try:
        yield form
    finally:
        await form.close()
