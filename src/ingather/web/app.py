"""The application: routes behind the edge, and the pages of the workbench beside them."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.requests import HTTPConnection
from starlette.types import Scope

from ingather.notice import notice
from ingather.web import problems
from ingather.web.access import Who, find_caller_for_access
from ingather.web.bodies import Bodies
from ingather.web.edge import Edge
from ingather.web.limits import Limiters, RequestLimits
from ingather.web.openapi import describe_openapi
from ingather.web.rooms import Rooms
from ingather.web.routes import (
    analysis,
    events,
    fleet,
    health,
    library,
    models,
    people,
    projects,
    read_back,
    references,
    reviews,
    session,
    studies,
    tasks,
    two_reviewers,
)

API = "/api/v1"
PAGES = Path(__file__).parent / "pages"
# How the addresses of pages begin, as `ui/src/router.tsx` has them. At others the page says that there is nothing.
PAGES_BEGIN = {"", "sign-in", "join", "projects", "tasks", "engine"}
# Browsers send a cookie to every port of a name. Whoever has other servers on this machine opens the name of our own,
# which browsers look for on this machine without asking anybody.
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "ingather.localhost")


def create_app(
    rooms: Rooms, *, version: str, hosts: Iterable[str] = LOOPBACK, limits: RequestLimits | None = None
) -> FastAPI:
    """All routes, closed unless they say otherwise. `hosts` are the names this server answers under."""

    @asynccontextmanager
    async def open_to_close(_: FastAPI) -> AsyncIterator[None]:
        yield
        await rooms.engine.aclose()

    app = FastAPI(
        title="Ingather",
        version=version,
        lifespan=open_to_close,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name.removesuffix("_route"),
    )
    app.openapi = lambda: describe_openapi(app)  # type: ignore[method-assign]
    app.state.rooms = rooms
    limits = limits or RequestLimits()
    app.state.limiters = Limiters(limits)
    problems.install_problems(app)
    app.include_router(health.router)
    _serve_api(app)
    _serve_pages(app)

    async def is_known(scope: Scope) -> bool:
        return await find_caller_for_access(HTTPConnection(scope), rooms) is not None

    app.add_middleware(Edge, hosts=tuple(hosts), bodies=Bodies(limits, is_known))
    return app


def _serve_api(app: FastAPI) -> None:
    api = APIRouter(prefix=API)
    # Routers are tried in this order, so the ones that pages poll come first.
    parts = (
        tasks,
        events,
        reviews,
        two_reviewers,
        analysis,
        read_back,
        session,
        people,
        projects,
        references,
        studies,
        library,
        models,
        fleet,
    )
    for part in parts:
        api.include_router(part.router)
    api.include_router(references.registry_router)

    @api.get("/openapi.json", include_in_schema=False)
    def openapi(_: Who) -> JSONResponse:
        return JSONResponse(app.openapi())

    @api.get("/{path:path}", include_in_schema=False)
    def nothing_here(path: str, _: Who) -> Any:
        raise _nothing_served_at(f"{API}/{path}")

    app.include_router(api)


def _serve_pages(app: FastAPI) -> None:
    """The pages of the workbench, if this package was built with them (see INGATHER_SKIP_UI)."""
    if not PAGES.is_dir():
        return
    app.mount("/assets", StaticFiles(directory=PAGES / "assets"), name="assets")

    @app.get("/{path:path}", include_in_schema=False)
    def page(path: str) -> FileResponse:
        """Every address of the workbench is the same page; its script shows what belongs to the address."""
        if "api" in path.split("/"):
            # A program that has the address wrong should not take the page for an answer.
            raise _nothing_served_at(f"/{path}")
        is_page = path.partition("/")[0] in PAGES_BEGIN
        return FileResponse(PAGES / "index.html", status_code=200 if is_page else 404)


def _nothing_served_at(path: str) -> problems.Refused:
    return problems.Refused(404, notice("web.nothing_at_address", "There is nothing at {path}.", path=path[:200]))
